#!/bin/sh
# csspgo folded and csspgo flame: their bytes, their sums, and what other programs make of them.
#   views.sh            runs the tests; needs the tool: make build/plain/csspgo
#   views.sh golden     makes data/views/*.folded, *.marked and *.svg again
B=build/views
D=data/views
T=${TOOL:-build/plain/csspgo}
CC=${CC:-cc}
LC_ALL=C
export LC_ALL
mkdir -p $B
passed=0 failed=0 skipped=0
pass() { passed=$((passed + 1)); }
fail() { echo "FAILED: views: $*"; failed=$((failed + 1)); }
skip() { echo "SKIPPED: views: $*"; skipped=$((skipped + 1)); }
have() { command -v "$1" >/dev/null 2>&1; }
# holds NAME COMMAND...
holds() {
    name=$1
    shift
    if "$@" >$B/out 2>&1; then pass; else fail "$name"; head -10 $B/out; fi
}

golden() {
    for p in cs nested hostile; do
        $T folded $D/$p.txt -o $1/$p.folded 2>/dev/null && $T folded --mark-inlined $D/$p.txt -o $1/$p.marked 2>/dev/null &&
            $T flame $D/$p.txt -o $1/$p.svg || return 1
    done
    $T flame --width=800 $D/cpp.txt -o $1/cpp.svg && $T flame --icicle --width=600 --title='<a & b>' --names=$D/names.txt $D/cs.md5 -o $1/icicle.svg
}
if [ "$1" = golden ]; then golden $D; exit; fi

# ----- bytes
holds "the views of the small profiles can be made" golden $B
for f in $D/*.folded $D/*.marked $D/*.svg; do holds "$f is what it was" cmp $f $B/${f##*/}; done
$T folded $D/cs.txt >$B/stdout.folded 2>$B/err
holds "without -o to standard output" cmp $B/stdout.folded $D/cs.folded
$T folded - <$D/cs.txt >$B/stdin.folded 2>$B/err
holds "- is standard input" cmp $B/stdin.folded $D/cs.folded
holds "the form of the profile does not matter" sh -c "$T flame --title=cs.txt $D/cs.ext | cmp - $D/cs.svg"
holds "nor the order of its records" sh -c "awk '/^\\[/ { n++ } { r[n] = r[n] \$0 \"\\n\" } END { for (; n; n--) printf \"%s\", r[n] }' $D/cs.txt >$B/back.txt && $T flame --title=cs.txt $B/back.txt | cmp - $D/cs.svg"
holds "a profile of GUIDs shows GUIDs" sh -c "$T folded $D/cs.md5 2>/dev/null | grep -qx '0xdb956436e78dd5fa;0x5cf8c24cdb18bdac 100'"
holds "or the names it is given" sh -c "$T folded --names=$D/names.txt $D/cs.md5 2>/dev/null | grep -qx 'main;foo;bar 50'"
if [ -f build/made/demo ]; then
    printf 'main:5:1\n 1: 5\n' | $T folded - --binary=build/made/demo >$B/binary.folded 2>$B/err
    holds "--binary takes a program" grep -qx 'main 5' $B/binary.folded
fi

# ----- sums, on larger profiles and against a model in awk
holds "the generator of profiles builds" $CC -std=c99 -O2 -o $B/gen_profile ../bench/gen_profile.c
$B/gen_profile cs 400000 1 >$B/gen-cs.txt && $B/gen_profile nested 400000 1 >$B/gen-nested.txt || fail "gen_profile"
# stacks of a text profile without unusual names; a nested record's weight is its total less its inlinees'
cat >$B/model.awk <<'END'
function add(stack, n) { if (n > 0) sum[stack] += n }
function close_to(depth) { for (; top > depth; top--) add(path[top], own[top]) }
/^\[/ {
    split(substr($0, index($0, "]") + 2), v, ":")
    s = substr($0, 2, index($0, "]") - 2)
    n = split(s, f, " @ ")
    s = ""
    for (i = 1; i <= n; i++) { sub(/:[0-9.]+$/, "", f[i]); s = s (i > 1 ? ";" : "") f[i] }
    add(s, v[1])
    next
}
/^[^ ]/ { close_to(0); n = split($0, v, ":"); top = 1; path[1] = v[1]; own[1] = v[2]; next }
/^ +[0-9.]+: [^ ]+:[0-9]+$/ {
    match($0, /^ +/)
    if (!is_cs) { close_to(RLENGTH); split($2, v, ":"); own[top] -= v[2]; path[top + 1] = path[top] ";" v[1]; own[++top] = v[2] }
}
END { close_to(0); for (s in sum) printf "%s %.0f\n", s, sum[s] }
END
for p in $B/gen-cs $B/gen-nested $D/nested $D/cs; do
    n=${p##*/}
    $T folded --no-demangle $p.txt >$B/$n.ours 2>$B/$n.sum
    awk -f $B/model.awk $p.txt | sort >$B/$n.model
    holds "$n: the stacks are the model's" cmp $B/$n.ours $B/$n.model
    holds "$n: sorted by bytes" sort -c $B/$n.ours
    holds "$n: the sum of the lines is told" sh -c "test \"\$(awk '{ s += \$NF } END { printf \"%.0f samples in %d stacks\", s, NR }' $B/$n.ours)\" = \"\$(cat $B/$n.sum)\""
    $T flame $p.txt -o $B/$n.svg
    holds "$n: so many samples has the root" sh -c "sed -n 's/^\\(.*\\) of all.*/\\1/p' $B/$n.svg | sed 's/ samples.*//; s/,//g' | head -1 | grep -qx \"\$(sed 's/ .*//' $B/$n.sum)\""
done
holds "hostile names: sorted by bytes" sort -c $B/hostile.folded
printf 'x:5:1\n 1: 5\nx 5y:9:1\n 1: 5\n 2: z:4\n  1: 4\nx.:8:1\n 1: 3\n 2: z:5\n  1: 5\n' >$B/prefix.txt
$T folded $B/prefix.txt >$B/prefix.folded 2>$B/err
holds "a line that another one begins with comes first" sort -c $B/prefix.folded
holds "all of them are there" sh -c "test \$(wc -l <$B/prefix.folded) -eq 5"
for x in 18446744073709551615; do
    printf 'a:%s:1\n 1: 1\nb:%s:1\n 1: 1\n' $x $x >$B/huge.txt
    holds "sums beyond 64 bits stay: folded" sh -c "$T folded $B/huge.txt 2>$B/err | awk '{ print \$2 }' | sort -u | grep -qx $x"
    holds "sums beyond 64 bits: each has its half of the picture" sh -c "$T flame $B/huge.txt | grep -c 'about $(echo $x | sed 's/\(..\)\(...\)\(...\)\(...\)\(...\)\(...\)\(...\)/\1,\2,\3,\4,\5,\6,\7/' | cut -c1-6).*50.00 % of all' | grep -qx 2"
done
printf 'a:0:0\n 1: 0\n' >$B/zero.txt
holds "no samples: no line" sh -c "test -z \"\$($T folded $B/zero.txt 2>/dev/null)\""
holds "no samples: still a picture" sh -c "$T flame $B/zero.txt | grep -q '<title>all'"
awk 'BEGIN { print "[big]:10000000:1\n 1: 1"; for (i = 0; i < 3000; i++) printf "[big:%d @ small%d]:10:1\n 1: 1\n", i + 1, i }' >$B/narrow.txt
$T flame $B/narrow.txt -o $B/narrow.svg
holds "narrow frames become one" grep -q '>3,000 frames too narrow to draw' $B/narrow.svg
holds "and are told" grep -q '>3,000 frames narrower than 0.1 px and what is above them: 0.30 % of the samples<' $B/narrow.svg
holds "and are not drawn" sh -c "! grep -q small1 $B/narrow.svg"
awk 'BEGIN { printf "["; for (i = 0; i < 1000; i++) printf "%sf%d", (i ? ":1 @ " : ""), i; print "]:10:1\n 1: 10" }' >$B/deep.txt
holds "a thousand frames deep" sh -c "$T folded $B/deep.txt 2>/dev/null | awk -F';' '{ print NF }' | grep -qx 1000 && $T flame $B/deep.txt -o $B/deep.svg && test \$(wc -c <$B/deep.svg) -lt 4000000"

# ----- two profiles
printf 'main:100:1\n 1: 0\n 2: grown:20\n  1: 20\n 3: shrunk:60\n  1: 60\n 4: away:20\n  1: 20\n' >$B/old.txt
printf 'main:200:1\n 1: 0\n 2: grown:120\n  1: 120\n 3: shrunk:40\n  1: 40\n 5: fresh:40\n  1: 40\n' >$B/new2.txt
printf 'main:100:1\n 1: 0\n 7: grown:60\n  1: 60\n 3: shrunk:20\n  1: 20\n 5: fresh:20\n  1: 20\n' >$B/new.txt
holds "a differential picture" $T flame --diff=$B/old.txt $B/new.txt -o $B/diff.svg
# colours PICTURE: the classes of its frames
colours() { sed -n 's/.*class="k[0-9] \([a-z0-9]*\)".*/\1/p' $1; }
$T flame --diff=$B/old.txt $B/new2.txt -o $B/diff2.svg
holds "the colours" test "$(echo $(colours $B/diff.svg))" = "s0 same down3 up3 up3"
holds "wherever the calls are, however many samples there are" test "$(colours $B/diff.svg)" = "$(colours $B/diff2.svg)"
holds "against itself nothing has changed" sh -c "! $T flame --diff=$B/new.txt $B/new.txt | grep -E 'class=\"k[0-9] (up|down)|are gone'"
holds "its figures as JSON" sh -c "$T flame --json --diff=$B/old.txt $B/new.txt | grep -q '\"grown\", \"value\": 60, \"old\": 20'"
holds "the older profile may be empty" sh -c "$T flame --diff=$B/zero.txt $B/new.txt | grep -q 'not there before'"

# ----- titles, names, callers, what is missing
titled() { title=$1; shift; holds "the title is $title" sh -c "\"\$@\" | grep -qxE '<text id=\"title\"[^>]*>$title</text>'" - "$@"; }
titled old.txt $T flame $B/old.txt
titled 'new.txt compared with old.txt' $T flame --diff=$B/old.txt $B/new.txt
titled 'old.txt: callers' $T flame --callers $B/old.txt
titled 'a &lt;b&gt;' $T flame --title='a <b>' $B/old.txt
awk -F'\t' '{ print $1, 10 }' $D/short.tsv >$B/short.folded
awk -F'\t' -v OFS='\t' '{ print $1, $2, $3 == "" ? $2 : $3 }' $D/short.tsv | sort >$B/short.want
$T flame --quiet --width=10000 $B/short.folded -o $B/short.svg
sed 's/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g' $B/short.svg | awk -v OFS='\t' '
    /^<g class="k1/ { last = 0; short = ""; if (index($0, "data-name=\"")) short = $0; if (match($0, /data-last="[0-9]*/)) last = substr($0, RSTART + 11, RLENGTH - 11); sub(/.*<title>/, ""); name = $0 }
    /<text x=.*<\/g>$/ && name != "" { sub(/.*<text [^>]*>/, ""); sub(/<\/text><\/g>$/, ""); if (short != "") { $0 = short; sub(/.*data-name="/, ""); sub(/"( data-last="[0-9]*")?><title>.*/, "") } print name, $0, substr($0, last + 1); name = "" }' | sort >$B/short.got
holds "short names and their last parts are those of the table" diff $B/short.want $B/short.got
awk 'BEGIN { for (i = 0; i < 120; i++) long = long "std::pair"; print "bool a::b<" long ">::c<" long ">(int) 3\nbool a::d(" long ") 3" }' >$B/long.folded
$T flame --quiet $B/long.folded -o $B/long.svg
holds "a name that is too long is short, too" sh -c "grep -q 'data-name=\"a::b&lt;std::pair' $B/long.svg && grep -q '>a::d</text>' $B/long.svg"
for p in $B/cs.folded $B/nested.folded; do
    awk '{ n = split($0, f, ";"); c = f[n]; sub(/.* /, "", c); sub(/ [0-9]+$/, "", f[n]); for (; n; n--) printf "%s%s", f[n], (n > 1 ? ";" : " " c "\n") }' $p >$B/back.folded
    $T flame --quiet --json --callers $p >$B/callers.json && $T flame --quiet --json $B/back.folded >$B/back.json
    holds "callers: each stack from its other end" cmp $B/callers.json $B/back.json
done
holds "callers of both profiles" sh -c "$T flame --callers --diff=$B/old.txt $B/new.txt | grep -q '^shrunk .* main$'"
printf 'a 1\nb 3\nc 2\n' >$B/three.folded
$T flame --quiet --callers $B/three.folded | sed -n 's/.*<rect rx="2" x="\([0-9.]*\)".*>\([abc]\)<\/text>.*/\1 \2/p' | sort -n | cut -d' ' -f2 >$B/three.order
holds "callers: the hottest function first" test "$(echo $(cat $B/three.order))" = 'b c a'
holds "a profile without contexts says how to get them" sh -c "$T flame $B/old.txt | grep -q 'no contexts: .* draw the recording'"
holds "others do not" sh -c "! grep -l 'no contexts:' $B/cs.svg || $T flame $B/cs.folded | grep 'no contexts:'"

# ----- other programs' forms (speedscope's: json.sh)
$T folded --format=pprof $D/cs.txt >$B/cs.pb.gz 2>$B/err
if gzip -t $B/cs.pb.gz 2>$B/err; then gzip -dc $B/cs.pb.gz >$B/cs.pb; else cp $B/cs.pb.gz $B/cs.pb; fi
if have perl; then holds "profile.proto has the stacks" sh -c "perl pprof_stacks.pl <$B/cs.pb | cmp - $B/cs.folded"
else skip "no perl: nobody looks into profile.proto"; fi

# ----- command line
expect() {
    want=$1
    shift
    "$@" >$B/out 2>$B/err </dev/null
    got=$?
    if [ $got -eq "$want" ] && [ ! -s $B/out ] && [ -s $B/err ]; then pass; else fail "status $got, not $want: $*"; fi
}
expect 2 $T folded
expect 2 $T flame
expect 2 $T folded $D/cs.txt $D/cs.txt
expect 2 $T folded --icicle $D/cs.txt
expect 2 $T flame --mark-inlined $D/cs.txt
expect 2 $T flame --width=12x $D/cs.txt
expect 2 $T flame --width=100 $D/cs.txt
expect 2 $T flame $D/cs.txt -o
expect 2 $T flame --diff=$D/nested.txt $D/cs.txt -o $D/nested.txt
expect 1 $T flame --diff=/nonexistent $D/cs.txt
expect 1 $T folded /nonexistent
expect 1 $T folded --names=/nonexistent $D/cs.txt
expect 1 $T folded --binary=$D/cs.txt $D/cs.txt
expect 1 $T flame views.sh
expect 1 $T flame $D/cs.txt -o /nonexistent/x.svg
if [ -w /dev/full ]; then expect 1 $T flame $D/cs.txt -o /dev/full; else skip "no /dev/full"; fi

# ----- other readers
holds "speedscope's grammar: (.*) (digits), no empty frame" \
    sh -c "! grep -a -v -E '^[^;]+(;[^;]+)* [0-9]+\$' $B/cs.folded $B/nested.folded $B/hostile.folded $B/gen-cs.ours"
holds "control bytes are escaped" sh -c "! grep -a -q '[[:cntrl:]]' $B/hostile.folded"
fg=$(command -v flamegraph.pl || ls /usr/share/perl5/Devel/NYTProf/flamegraph.pl 2>/dev/null)
if [ -n "$fg" ] && have perl; then
    for n in cs nested hostile; do
        perl "$fg" $B/$n.folded >$B/fg.svg 2>$B/fg.err
        sum=$(awk '{ s += $NF } END { printf "%.0f", s }' $B/$n.folded)
        holds "$n: flamegraph.pl takes every line" sh -c "test ! -s $B/fg.err && sed 's/,//g' $B/fg.svg | grep -q 'all ($sum samples'"
    done
    perl "$fg" --hash <$B/nested.marked >$B/fg.svg 2>$B/fg.err
    holds "flamegraph.pl knows the marks" sh -c "test ! -s $B/fg.err && grep -q 'foo_\[i\]' $B/fg.svg"
else
    skip "flamegraph.pl is not installed (Debian: libdevel-nytprof-perl)"
fi
holds "no address but the namespace's in the picture" sh -c "! sed 's|xmlns=\"http://www.w3.org/2000/svg\"||' $B/cs.svg $B/nested.svg $B/icicle.svg | grep -E '://|@import|href|src='"
if have xmllint; then
    for f in $B/*.svg; do holds "$f is XML" xmllint --noout $f; done
    holds "a name's markup is text" sh -c "xmllint --xpath 'count(//*[local-name()=\"script\"])' $B/hostile.svg | grep -qx 1"
    holds "tooltips without script" sh -c "xmllint --xpath '//*[local-name()=\"title\"]/text()' $B/cs.svg | grep -qx 'main:3 @ foo:2 @ bar'"
else
    skip "xmllint is not installed (Debian: libxml2-utils)"
fi

# ----- a browser
# page SVG SCRIPT OUT MORE...: the document after the script ran in it; $address: what stands behind its address
address=
page() {
    svg=$1 script=$2 out=$3
    shift 3
    { sed '$d' "$svg"; echo '<script><![CDATA['; cat "$script"; echo ']]></script>'; echo '</svg>'; } >$B/page.svg
    chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/$B/chromium" --disable-background-networking \
        --disable-component-update --proxy-server=127.0.0.1:9 --log-net-log="$PWD/$B/net.json" \
        --window-size=1200,900 "$@" --dump-dom "file://$PWD/$B/page.svg$address" >"$out" 2>$B/chromium.err
}
# Addresses asked for, without those that the browser asks on its own account.
asked() { grep -o '"url":"[^"]*"' $B/net.json | sort -u | grep -v -E '"https?://([a-z0-9.-]+\.)?(google|googleapis|gvt1|gstatic)\.com[/:]|"(file|data|chrome|about)'; }
# seen OUT: what the script in the page has found
seen() {
    grep -E '^(not )?ok ' "$1" >$B/page.checks
    [ -s $B/page.checks ] || fail "the page says nothing"
    while read -r line; do
        case $line in ok*) pass ;; *) fail "in the browser: ${line#not ok }" ;; esac
    done <$B/page.checks
}
if have chromium; then
    page $B/cs.svg $D/page.js $B/page.out
    seen $B/page.out
    holds "no request leaves the page" sh -c "test -s $B/net.json && test -z '$(asked)'"
    holds "light" grep -q '^back rgb(255, 255, 255)' $B/page.out
    page $B/cs.svg $D/page.js $B/dark.out --blink-settings=preferredColorScheme=0
    holds "dark where that is preferred" grep -q '^back rgb(29, 31, 35)' $B/dark.out
    page $B/hostile.svg $D/page.js $B/hostile.out
    holds "hostile names: no request either" test -z "$(asked)"
    address='#zoom=main%20%40%20grown&search=gr'
    page $B/diff.svg $D/diff.js $B/diff.out
    address=
    seen $B/diff.out
    page $B/cpp.svg $D/names.js $B/names.out
    seen $B/names.out
    # these checks can fail: a picture with an address in it
    sed 's|<g id="frames"|<image href="http://leak.example/x.png" width="9" height="9"/>\n&|' $B/cs.svg >$B/leak.svg
    page $B/leak.svg $D/page.js $B/leak.out
    holds "a request would be seen" sh -c "echo '$(asked)' | grep -q leak.example"
else
    skip "chromium is not installed"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
