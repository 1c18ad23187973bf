#!/bin/sh
# csspgo annotate: counts beside instructions and source, by probe and by line, as text and in a browser. Run in tests/.
cd "$(dirname "$0")" || exit 1
. ./t.sh
T=$(pwd)/${TOOL:-build/plain/csspgo} B=build/annotate D=../examples/data
[ -n "$TOOL" ] || make -s build/plain/csspgo || exit 1
rm -rf $B
mkdir -p $B
# has PATTERN: a line of the output
has() { if grep -q -e "$1" $B/out; then pass; else fail "no line '$1'"; head -20 $B/out; fi; }
# refused STATUS PATTERN ARGUMENTS...
refused() {
    want=$1 pattern=$2
    shift 2
    $T annotate "$@" >$B/out 2>$B/err </dev/null
    got=$?
    [ $got -eq $want ] && finds "$pattern" $B/err && pass || fail "annotate $*: status $got, $(head -2 $B/err)"
}

# ----- by probe
$T profgen --quiet --binary=$D/demo.elf --perfscript=$D/demo.perfscript --format=text --csspgo-preinliner=0 \
    --gen-cs-nested-profile=0 --csprof-merge-cold-context=0 --output=$B/demo.prof || fail "profgen"
loop='87  *87  *17c0  movl'
if have llvm-objdump-19; then
    $T annotate --binary=$D/demo.elf --function=pack_noise $B/demo.prof >$B/out 2>$B/err || fail "annotate: $(cat $B/err)"
    has '^pack_noise in demo.elf: [0-9]* instructions, 1 context$'
    has '^A  100.00%  main:9 @ pack_noise$'
    has "^  *$loop"
    has '^  *1780  pushq'
else skip "no llvm-objdump-19: instructions are not looked at"; fi
# several contexts: what is executed in them is what is executed in all
$T annotate --json --binary=$D/demo.elf --function=less_price --contexts=100 $B/demo.prof >$B/json 2>$B/err || fail "--json: $(cat $B/err)"
if have perl; then
    check "the contexts add up" perl -MJSON::PP -e 'local $/; my $d = decode_json(<STDIN>); die "few" if @{$d->{contexts}} < 2; my $n = 0;
        for (@{$d->{instructions}}) { my ($all, @c) = @{$_->{counts}}; my $s = 0; $s += $_ for @c; $n += $all; die "$all: @c" if abs($s - $all) > @c } die "none" if !$n' <$B/json
else skip "no perl"; fi
# nobody disassembles: bytes and targets
PATH=$B $T annotate --binary=$D/demo.elf --function=pack_noise $B/demo.prof >$B/out 2>$B/err
has '87  *87  *17c0  89 ca$'
has '1802  75 bc  *jump 0x17c0$'
PATH=$B $T annotate --format=html --binary=$D/demo.elf --function=pack_noise $B/demo.prof >$B/out 2>$B/err
has 'id="v0-1802".*75 bc  *jump <a href="#v0-17c0">0x17c0</a><'

# a picture: the lines of the text, each once, a background where there is a count; well-formed, whatever names are like
PATH=$B $T annotate --binary=$D/demo.elf --function=pack_noise $B/demo.prof >$B/text 2>$B/err
PATH=$B $T annotate --binary=$D/demo.elf --function=pack_noise -o $B/pack.svg $B/demo.prof 2>$B/err || fail "a picture: $(cat $B/err)"
sed -n 's/^<text .*xml:space="preserve">\(.*\)<.text>$/\1/p' $B/pack.svg | sed 's/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g' >$B/lines
grep . $B/text | cmp -s - $B/lines && pass || { fail "the picture has other lines than the text"; grep . $B/text | diff - $B/lines | head -5; }
[ "$(grep -c '^<rect y=' $B/pack.svg)" -eq "$(awk 'substr($0, 1, 13) ~ /^ *[1-9][0-9]*$/' $B/text | wc -l)" ] && pass || fail "backgrounds: $(grep -c '^<rect y=' $B/pack.svg)"
if have clang-19 && have python3; then
    printf 'int f(int n) __asm__("<img src=x onerror=alert(1)>&\\"]]>\\x1b[31m"); int f(int n) { int i, s = 0; for (i = 0; i < n; i++) s += i ^ n; return s; } int main(int c, char **v) { return f(c * 99) & 1; }\n' >$B/evil.c
    clang-19 -O1 -g1 -fpseudo-probe-for-profiling -w $B/evil.c -o $B/evil 2>$B/err || clang-19 -O1 -g1 -fpseudo-probe-for-profiling -w -fno-integrated-as $B/evil.c -o $B/evil 2>$B/err
    f=$(nm $B/evil | sed -n 's/^[0-9a-f]* T \(<.*\)/\1/p')
    printf '%s\n' "main:9:1" " 1: 9" >$B/evil.prof
    $T annotate --quiet --binary=$B/evil --function=main -o $B/evil.svg $B/evil.prof 2>$B/err
    check "a picture of hostile names is XML" python3 -c "import sys, xml.dom.minidom as m; d = m.parse(sys.argv[1]); assert not d.getElementsByTagName('img') and len(d.getElementsByTagName('text')) > 3" $B/evil.svg
else skip "no clang-19 or python3: no picture of hostile names"; fi
refused 2 'not both' --format=svg --json --binary=$D/demo.elf --function=pack $B/demo.prof

# names of targets, links: of each name the same place
cat >$B/app.cpp <<'END'
namespace app {
namespace { __attribute__((noinline)) unsigned long hash(unsigned long x) { while (x & 1023) x = x * 29 + 3; return x; } }
struct A { unsigned long go(unsigned long); };
__attribute__((noinline)) unsigned long A::go(unsigned long n)
{
    unsigned long s = 0, i;
    for (i = 0; i < n; i++)
        if (i % 3) s += hash(i);
    return s;
}
}
int main() { app::A a; return a.go(20000) == 1; }
END
cat >$B/app.prof <<'END'
[main:2 @ _ZN3app1A2goEm]:1200:1
 3: 400
 4: 300
[_ZN3app12_GLOBAL__N_14hashEm]:900:200
 0: 900
END
if have clang++-19 && have llvm-objdump-19; then
    clang++-19 -O1 -g -funique-internal-linkage-names -o $B/app $B/app.cpp || fail "app.cpp"
    two() { $T annotate --quiet --binary=$B/app --function='app::A::go(unsigned long)' --function='app::(anonymous namespace)::hash(unsigned long)' "$@" $B/app.prof; }
    two >$B/out 2>$B/err || fail "two functions: $(cat $B/err)"
    has ' 0x[0-9a-f]* <app::A::go+0x[0-9a-f]*>$'
    has ' callq* *0x[0-9a-f]* <app::hash>$'
    grep -q '<_Z\|uniq' $B/out && fail "names of targets are the compiler's" || pass
    two --no-demangle >$B/out
    has '<_ZN3app1A2goEm+0x'
    two --format=html >$B/two.html
    two --source --format=html >$B/source.html
    $T annotate --quiet --binary=$B/app --function='app::A::go(unsigned long)' --format=html $B/app.prof >$B/one.html
    for f in two source one; do
        sed 's/<a href="#/\n&/g' $B/$f.html | sed -n 's/^<a href="#\([^"]*\)".*/\1/p' | sort -u >$B/links
        sed 's/ id="/\n&/g' $B/$f.html | sed -n 's/^ id="\([^"]*\)".*/\1/p' | sort >$B/ids
        [ -s $B/links ] && [ -z "$(uniq -d $B/ids)" ] && [ -z "$(comm -23 $B/links $B/ids)" ] && pass || fail "$f.html: links lead nowhere: $(comm -23 $B/links $B/ids)"
    done
    [ $(grep -c '<nav>' $B/two.html) -eq 1 ] && [ $(grep -c '^<li><a href="#v[01]" title="[^"]*">app::' $B/two.html) -eq 2 ] && ! grep -q '<nav>' $B/one.html && pass || fail "an index of several functions"
    grep -q '<p>Hottest: <a href="#v0-[0-9a-f]*">app.cpp:7</a> 400, <a href="#v0-[0-9a-f]*">app.cpp:8</a> 300' $B/two.html && pass || fail "the hottest lines: $(grep Hottest $B/two.html)"
    grep -q '<p>Hottest: <a href="#v0-f[0-9]*-7">app.cpp:7</a> 400, ' $B/source.html && pass || fail "the hottest lines of source: $(grep Hottest $B/source.html)"
    grep -q 'j[a-z]* *<a href="#v0-[0-9a-f]*">0x[0-9a-f]* &lt;app::A::go+0x[0-9a-f]*&gt;</a>' $B/two.html && pass || fail "branches are links"
    # lines from branches to their targets: they end at each target and nowhere else, and what begins ends
    $T annotate --quiet --format=html --binary=$D/demo.elf --function=sort --function=part --function=pack $B/demo.prof >$B/demo.html
    for f in two demo; do
        check "lines of branches, $f.html" perl -CSD -ne '
            next unless /<tr[^>]*?(?: id="(v[^"]*)")?(?: style="[^"]*")?>.*<span class="flow"[^>]*>([^<]*)<\/span><code>(.*)<\/code>/;
            my ($id, $flow, $code) = ($1 // "", $2, $3);
            $head{$id} = 1 if $flow =~ /\x{25b6}/;
            $target{$1} = 1 if $code =~ /^j[a-z]* *<a href="#([^"]*)"/ && $1 ne $id;
            my @c = split //, $flow;
            for (0 .. $#c - 2) { my $c = $c[$_];
                die "$id: no line above" if $c =~ /[\x{2502}\x{2570}\x{2534}\x{253c}]/ && !$open[$_];
                die "$id: a line is lost" if $c =~ /[ \x{2500}\x{256d}\x{252c}]/ && $open[$_];
                $open[$_] = $c =~ /[\x{2502}\x{253c}\x{256d}\x{252c}]/; }
            END { die "open" if grep { $_ } @open; die join(" ", sort keys %head), " not ", join(" ", sort keys %target)
                if join(" ", sort keys %head) ne join(" ", sort keys %target) || !%head }' $B/$f.html
    done
else skip "no clang++-19 or llvm-objdump-19: names of targets are not looked at"; fi

# the hottest functions, without their names; these are short in the index and in headings
cat >$B/brief.cpp <<'END'
namespace ns {
template <class T> struct V {
    T x;
    bool operator<(const V &o) const { return x < o.x; }
    V &operator<<(T y) { x = x * 3 + y; return *this; }
    V *operator->() { return this; }
    template <class U> U get(U y) { return (U)x + y; }
    T operator[](int i) { return x + (T)i; }
};
namespace { template <class T> T sum(V<T> v) { return v.x + v[2]; } }
}
int plain(int x) { return x + 1; }
int main() { ns::V<long> a = { 1 }, b = { 2 }; a << 3; return (a < b) + (int)a->get(2.5) + (int)ns::sum(a) + plain(1); }
END
printf '%s\n' main:10:1 _ZNK2ns1VIlEltERKS1_:900:1 _ZN2ns1VIlElsEl:800:1 _ZN2ns1VIlEptEv:700:1 _ZN2ns1VIlE3getIdEET_S3_:600:1 _ZN2ns1VIlEixEi:500:1 \
    _ZN2ns12_GLOBAL__N_13sumIlEET_NS_1VIS2_EE:400:1 _Z5plaini:300:1 nowhere:5000:1 | sed 's/^\(.*\):\(.*\):1$/&\n 0: \2/' >$B/brief.prof
if have c++ && c++ -g -O0 -o $B/brief $B/brief.cpp 2>$B/err; then
    $T annotate --quiet --top=7 --binary=$B/brief -o $B/brief.html $B/brief.prof 2>$B/err || fail "--top: $(cat $B/err)"
    sed -n 's/^<li><a href="#v[0-9]*" title="[^"]*">\(.*\)<.a> in brief: total \([0-9]*\)<.li>$/\1 \2/p' $B/brief.html >$B/out
    printf '%s\n' 'ns::V&lt;…&gt;::operator&lt; 900' 'ns::V&lt;…&gt;::operator&lt;&lt; 800' 'ns::V&lt;…&gt;::operator-&gt; 700' 'ns::V&lt;…&gt;::get&lt;…&gt; 600' \
        'ns::V&lt;…&gt;::operator[] 500' 'ns::sum&lt;…&gt; 400' 'plain 300' | cmp -s - $B/out && pass || fail "the index: $(cat $B/out $B/err)"
    [ "$(grep -c '^<h1>' $B/brief.html)" -eq 7 ] && grep -A1 '^<h1>plain</h1>' $B/brief.html | grep -q '<code>plain(int)</code>' && pass || fail "headings: $(grep -A1 '^<h1>' $B/brief.html)"
    $T annotate --quiet --top=2 --binary=$B/brief $B/brief.prof >$B/out
    [ "$(grep -c ' in brief: .* instructions' $B/out)" -eq 2 ] && head -1 $B/out | grep -q 'ns::V<long>::operator<(ns::V<long> const&) const in brief' && pass || fail "--top=2: $(head -1 $B/out)"
    $T annotate --quiet --top=100 --binary=$B/brief --json $B/brief.prof >$B/json && [ "$(grep -c '^ *"function": ' $B/json)" -eq 8 ] && pass || fail "--top=100: $(grep -c '"function": ' $B/json)"
else fail "brief.cpp: $(head -3 $B/err)"; fi
# what was sampled where it is inlined only has code, and no counts for it
$T annotate --quiet --top=1000 --format=html --binary=$D/demo.elf $B/demo.prof >$B/all.html
shown=$(grep -c ': total [1-9][0-9]*</li>$' $B/all.html)
[ $shown -ge 5 ] && [ "$(grep -c '<section ' $B/all.html)" -eq $shown ] && pass || fail "--top=1000: $shown, $(grep -c '<section ' $B/all.html)"
refused 2 '--function or --top, not both' --binary=$B/brief --function=main --top=3 $B/brief.prof
refused 2 "'0' is not a number from 1 to 1000" --binary=$B/brief --top=0 $B/brief.prof
sed -n '/^nowhere/,$p' $B/brief.prof >$B/nowhere.prof
refused 1 'brief has no code of a function with samples' --binary=$B/brief --top=3 $B/nowhere.prof

# ----- by line
cat >$B/work.c <<'END'
int work(int n)
{
    int s = 0;
    while (n-- > 0)
        s += n * 7;
    return s;
}

int main(int argc, char **argv)
{
    (void)argv;
    return work(argc) + work(3);
}
END
cat >$B/work.prof <<'END'
[main:3 @ work]:1430:10
 0: 10
 2: 10
 3: 710
 4: 700
 5: 10
[work]:130:1
 4: 60
 5: <1
END
sed '/</d' $B/work.prof >$B/two.prof
if ${CC:-cc} -g -O0 -fno-inline -o $B/work $B/work.c 2>$B/err; then
    $T annotate --binary=$B/work --function=work --source $B/two.prof >$B/out 2>$B/err || fail "by line: $(cat $B/err)"
    has '^work in work: [0-9]* instructions, 2 contexts$'
    has '^A   91.67%  main:3 @ work$'
    has '^B    8.33%  work$'
    has '^  *760  *700  *60  *5          s += n \* 7;$'
    has '^  *10  *10  *6      return s;$'
    $T annotate --binary=$B/work --function=work --contexts=0 $B/two.prof >$B/out 2>$B/err
    has '^  *5          s += n \* 7;$'
    has '^  *760  *[0-9a-f]*  .*add'
    $T annotate --binary=$B/work --function=work -o $B/work.html $B/two.prof 2>$B/err && pass || fail "HTML: $(cat $B/err)"
    cat >$B/page.js <<'END'
(function () {
var lines = [], code = rows('.insns'), source = rows('.lines');
function rows(pane) { return Array.from(document.querySelectorAll(pane + ' tbody tr')); }
function check(name, ok) { lines.push((ok ? 'ok ' : 'not ok ') + name); }
function row(of, text) { return of.filter(function (r) { return r.textContent.indexOf(text) >= 0; })[0]; }
function colour(r) { return getComputedStyle(r).backgroundColor; }
function shown(pane) { return document.querySelector(pane).offsetParent !== null; }
function tab(id) { document.querySelector('label[for=' + id + ']').click(); return shown('.lines') * 2 + shown('.insns'); }
function box(pane) { return document.querySelector(pane).getBoundingClientRect(); }
var hot = code.filter(function (r) { return r.cells[0].textContent === '760'; }), cold = code.filter(function (r) { return r.cells[0].textContent === '10'; });
var sum = row(source, 's += n * 7;');
check('a table with a head', document.querySelectorAll('.insns thead th[scope=col]').length === 6 && document.querySelectorAll('.lines thead th[scope=col]').length === 5 && code.length > 10);
check('hot instructions', hot.length > 2 && cold.length > 0);
check('what is hot stands out', colour(hot[0]) !== colour(cold[0]) && colour(cold[0]) !== colour(row(code, 'while (n-- > 0)')));
check('the source is there', sum && sum.cells[0].textContent === '760' && row(source, 'while (n-- > 0)'));
check('side by side', box('.lines').right <= box('.insns').left && box('.lines').top === box('.insns').top);
check('source is not there twice', row(code, 's += n * 7;').offsetParent === null);
check('a line leads to its instructions', hot.some(function (r) { return '#' + r.id === sum.querySelector('a').hash; }));
check('these lead back', hot.every(function (r) { return r.querySelector('.line a').hash === '#' + sum.id; }));
hot[0].dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
check('the pointer lights both', sum.classList.contains('on') && hot.every(function (r) { return r.classList.contains('on'); }) && !cold[0].classList.contains('on'));
check('tabs', tab('v0-lines') === 2 && tab('v0-insns') === 1 && row(code, 's += n * 7;').offsetParent !== null && tab('v0-both') === 3);
tab('v0-lines');
location.hash = hot[0].id;
dispatchEvent(new HashChangeEvent('hashchange'));
check('a link leads to a tab that was not shown', shown('.insns') && sum.classList.contains('on'));
check('the title', document.title === 'work' && document.querySelector('h1').textContent === 'work');
check('nothing was asked for', performance.getEntriesByType('resource').length === 0);
document.body.appendChild(document.createElement('pre')).textContent = '\n' + lines.join('\n') + '\n';
})();
END
    if have chromium; then
        { sed 's|</body></html>||' $B/work.html; echo '<script>'; cat $B/page.js; echo '</script></body></html>'; } >$B/page.html
        chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/$B/chromium" --disable-background-networking \
            --disable-component-update --proxy-server=127.0.0.1:9 --window-size=1400,1000 --dump-dom "file://$PWD/$B/page.html" >$B/page.out 2>$B/chromium.err
        grep -E '^(not )?ok ' $B/page.out >$B/page.checks
        [ "$(wc -l <$B/page.checks)" -eq 13 ] && pass || fail "the page says $(wc -l <$B/page.checks) things"
        while read -r line; do
            case $line in ok*) pass ;; *) fail "in the browser: ${line#not ok }" ;; esac
        done <$B/page.checks
    else skip "chromium is not installed"; fi
else fail "$(cat $B/err)"; fi

# ----- source files that are none
mkfifo $B/fifo
for special in /dev/zero $B/fifo; do
    sed "1i # 1 \"$special\"" $B/work.c >$B/special.c
    if ${CC:-cc} -g -O0 -fno-inline -o $B/special $B/special.c 2>$B/err || { have clang-19 && clang-19 -g -O0 -o $B/special $B/special.c; } 2>$B/err; then
        timeout 20 $T annotate --binary=$B/special --function=work --source $B/two.prof >$B/out 2>$B/err
        [ $? -eq 0 ] && finds "source file .*${special##*/} is not shown: not a regular file" $B/err && pass || fail "source in $special: $(cat $B/err)"
    else fail "$special: $(cat $B/err)"; fi
done

# ----- tabs
printf 'int work(int n)\n{\n\tint s = 0;\n\twhile (n-- > 0)\n\t\ts += n * 7;\t/* a\tb */\n  \treturn s;\n}\nint main(void) { return work(3); }\n' >$B/tab.c
if ${CC:-cc} -g -O0 -o $B/tab $B/tab.c 2>$B/err; then
    $T annotate --contexts=0 --source --binary=$B/tab --function=work $B/two.prof >$B/out 2>$B/err || fail "tabs: $(cat $B/err)"
    has '^  *760  *5                  s += n \* 7;     /\* a    b \*/$'
    has '^  *10  *6          return s;$'
    $T annotate --contexts=0 --binary=$B/tab --function=work -o $B/tab.html $B/two.prof 2>$B/err && ! grep -q '	' $B/tab.html && pass || fail "tabs in HTML"
else fail "$(cat $B/err)"; fi

# ----- lines that end as on Windows; bytes that are no UTF-8; no source, no disassembler
printf 'int work(int n)\r\n{\r\n    int s = 0;\r\n    while (n-- > 0)\r\n        s += n * 7; /* \351 */\r\n    return s;\r\n}\r\nint main(void) { return work(3); }\r\n' >$B/crlf.c
if ${CC:-cc} -g -O0 -o $B/crlf $B/crlf.c 2>$B/err; then
    $T annotate --contexts=0 --source --binary=$B/crlf --function=work $B/two.prof >$B/out 2>$B/err || fail "CRLF: $(cat $B/err)"
    has '^  *760  *5          s += n \* 7; /\* \\xe9 \*/$'
    has '^ *10  *6      return s;$'
    $T annotate --binary=$B/crlf --function=work -o $B/crlf.html $B/two.prof 2>$B/err && grep -q 's += n \* 7; /\* \\xe9 \*/</code>' $B/crlf.html && ! grep -q 'x0d' $B/crlf.html && pass || fail "CRLF in HTML: $(cat $B/err)"
    # without source there is one table, and no tabs
    mv $B/crlf.c $B/away.c
    $T annotate --binary=$B/crlf --function=work -o $B/crlf.html $B/two.prof 2>$B/err && grep -q 'class="pane insns"' $B/crlf.html && ! grep -q 'class="pane lines"\|type="radio"' $B/crlf.html && pass || fail "no source: $(cat $B/err)"
    grep -c '<tr class="code"' $B/crlf.html >$B/want
    PATH=$B $T annotate --binary=$B/crlf --function=work -o $B/crlf.html $B/two.prof 2>$B/err && ! grep -q 'type="radio"' $B/crlf.html && grep -c '<tr class="code"' $B/crlf.html | cmp -s - $B/want && pass || fail "no disassembler: $(cat $B/err)"
else fail "$(cat $B/err)"; fi

# ----- only counts that are known: beside exact counts of each instruction, by line and by probe
# exact NAME LEAST COMPILER...: at least LEAST percent of what executed has a count, no other instruction has one
exact() {
    name=$1 least=$2
    shift 2
    if ! "$@" -O2 -g -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -o $B/$name 2>$B/err; then fail "$name: $(head -3 $B/err)"; return; fi
    $T record --quiet --exact --start=_start --period=31 --jitter=0 --max-branches=$(size 200000 1000000) -o $B/$name.ps -- $B/$name >/dev/null 2>$B/err ||
        { skip "$name: cannot be recorded: $(head -1 $B/err)"; return; }
    for nested in 0 1; do
        $T profgen --quiet --binary=$B/$name --perfscript=$B/$name.ps --csspgo-preinliner=0 --gen-cs-nested-profile=$nested \
            --csprof-merge-cold-context=0 --max-dropped=100 --format=text -o $B/$name.$nested 2>$B/err || fail "$name: $(head -1 $B/err)"
        $T profgen --quiet --binary=$B/$name --perfscript=$B/$name.ps --skip-symbolization --ignore-stack-samples --max-dropped=100 -o $B/$name.raw
        perl annotate_exact.pl $B/$name.raw $T $B/$name $B/$name.$nested $B/$name.0 >$B/exact
        if grep -q 'never executed' $B/exact; then fail "$name, nested=$nested: $(grep -c never $B/exact)"; head -5 $B/exact; else pass; fi
        [ "$(sed -n 's/.* shown, \([0-9]*\).*/\1/p' $B/exact)" -ge $least ] && pass || fail "$name, nested=$nested: $(tail -1 $B/exact)"
    done
}
L=-fdebug-info-for-profiling P=-fpseudo-probe-for-profiling
if have clang++-19 && have perl && have readelf; then
    for kind in $L $P; do
        exact hot$kind 45 clang-19 $kind programs/hot.c
        exact modes$kind 50 clang-19 $kind programs/modes.c
        exact blank$kind 60 clang++-19 $kind programs/blank.cpp
        [ ! -f /usr/include/nlohmann/json.hpp ] || [ -z "$FULL" ] || exact json$kind 65 clang++-19 -std=c++17 $kind programs/json.cpp
    done
    $T annotate --quiet --contexts=0 --source --binary=$B/blank$L --function=spills $B/blank$L.0 >$B/out
    has '^ *15360 *24  *t ^= s + k3;$'
    grep -q '^ *[0-9][0-9]*  *[0-9][0-9]*  *bad(' $B/out && fail 'calls that never ran have counts' || pass
else skip "no clang++-19, perl or readelf: counts are not compared with exact ones"; fi

# ----- what bottleneck found, beside the instructions: each step at its place, with its arrows
page() { $T annotate --quiet --format=html --binary=$D/demo.elf --function=pack_noise --bottleneck=$1 $B/demo.prof >$B/chain.html 2>$B/err; }
if have llvm-mca-19 && have llvm-objdump-19 && have perl; then
    $T bottleneck --quiet --models= --json --binary=$D/demo.elf --profile=$B/demo.prof --top=30 -o $B/chain.json || fail "bottleneck"
    page $B/chain.json && pass || fail "--bottleneck: $(cat $B/err)"
    check "the chain is at its instructions" perl -MJSON::PP -CSD -e '
        open(my $f, "<:raw", $ARGV[0]) or die; local $/; my $d = decode_json(<$f>); open(my $h, "<:utf8", $ARGV[1]) or die; my $html = <$h>;
        my (%cell, %head, @order);
        while ($html =~ /<tr class="code"[^>]* id="v0-([0-9a-f]+)".*?<td class="chain">(.*?)<span[^>]*>(.*?)<\/span>/g) {
            my ($at, $says, $lines) = (hex $1, $2, $3); push @order, $at; $cell{$at} = $says; $head{$at} = 1 if $lines =~ /\x{25b6}/; }
        my ($n, %to);
        for my $p (grep { $_->{function} eq "pack_noise" } @{$d->{paths}}) {
            my @at = map { my $b = $_; grep { $_ >= $b->{begin} && $_ < $b->{end} } @order } @{$p->{blocks}};
            die "instructions" if @at != @{$p->{instructions}};
            my $pass = @{$p->{single_pass}} && (!$p->{loop} || $p->{contexts}[0]{verdict} eq "short");
            my @c = @{$p->{chain}};
            my @e = $pass ? map { [$_->{from}, $_->{to}, $_->{on}, 0] } @{$p->{single_pass}} :
                    $p->{loop} ? map { [$c[$_]{instruction}, $c[($_ + 1) % @c]{instruction}, "$c[$_]{latency} cycle" . ($c[$_]{latency} == 1 ? "" : "s") . ", $c[$_]{on}", $c[$_]{carried}] } 0 .. $#c : ();
            for (@e) { my ($from, $to, $says, $carried) = @$_; $n++; $to{$at[$to]} = 1 if $to != $from;
                die sprintf("%x: %s, not %s", $at[$from], $cell{$at[$from]}, $says) if index($cell{$at[$from]}, $says) < 0 || ($carried && $cell{$at[$from]} !~ /\x{21bb}/); } }
        die "few" if !$n || $n < 5; die "heads " . join(" ", sort keys %head) . ", not " . join(" ", sort keys %to) if join(" ", sort keys %head) ne join(" ", sort keys %to)' $B/chain.json $B/chain.html
    grep -q '<li>Loop at <a href="#v0-17c0">17c0</a>: latency chain 18.00, ports 6.00 (SKLPort0, SKLPort1, SKLPort5, SKLPort6), issue 4.33 cycles per iteration; in the hottest context the latency chain binds it' $B/chain.html &&
        pass || fail "the bounds: $(grep -A3 '^<p>Bottlenecks' $B/chain.html)"
    # every beginning of it is refused with the line; a name in it does not become a part of the page
    size=$(wc -c <$B/chain.json) n=0 bad=
    while [ $n -lt $((size - 2)) ]; do
        head -c $n $B/chain.json >$B/part.json
        page $B/part.json
        [ $? -eq 1 ] && [ ! -s $B/chain.html ] && grep -q ' in line [0-9]*$\|the file is empty' $B/err || bad="$bad $n"
        n=$((n + size / 60 + 1))
    done
    [ -z "$bad" ] && pass || fail "beginnings of the JSON:$bad: $(cat $B/err)"
    sed 's/"%ecx"/"<b onclick=1>\&\\u003c\\u0007\\"x"/; s/"cpu": "/&<script>/' $B/chain.json >$B/names.json
    page $B/names.json && ! grep -q '<b on\|skylake.*<script>\|<script>skylake' $B/chain.html && grep -q '&lt;b onclick=1&gt;&amp;&lt;\\x07&quot;x' $B/chain.html && pass || fail "names in the JSON: $(cat $B/err)"
    # of another build: not drawn, and said so
    sed 's/"movb/"imul/' $B/chain.json >$B/other.json
    $T annotate --format=html --binary=$D/demo.elf --function=pack_noise --bottleneck=$B/other.json $B/demo.prof >$B/chain.html 2>$B/err
    [ $? -eq 0 ] && finds "is not what .*demo.elf has there: it is of another build" $B/err && ! grep -q '<li>Loop at <a href="#v0-17c0"' $B/chain.html && pass || fail "another build: $(cat $B/err)"
    for json in '{}' '{"paths": {}}' '{"paths": [{"chain": 1}]}' '[]' '{"paths": [}' '{"paths": []} x' '{"paths": [{"blocks": [{"begin": 99999999999999999999}]}]}' '{"paths": [{"chain": [{"on": "\q"}]}]}' '{"paths": [{"x": [[]}]}' '{"paths": [], "x": '; do
        echo "$json" >$B/part.json
        if page $B/part.json; then fail "taken: $json"; else finds "not what csspgo bottleneck --json writes: .* in line [12]" $B/err && pass || fail "$json: $(cat $B/err)"; fi
    done
    yes '{"paths": [{"chain": [' | head -c 3000000 | tr -d '\n' >$B/part.json
    page $B/part.json
    [ $? -eq 1 ] && pass || fail "a deep file: $(cat $B/err)"
else skip "no llvm-mca-19, llvm-objdump-19 or perl: chains are not looked at"; fi
refused 2 "its arrows are in HTML only" --binary=$D/demo.elf --function=pack_noise --bottleneck=$B/demo.prof $B/demo.prof
refused 1 "this is a sample profile" --format=html --binary=$D/demo.elf --function=pack_noise --bottleneck=$B/demo.prof $B/demo.prof
refused 2 "is the same file as input" --binary=$D/demo.elf --function=pack_noise --bottleneck=$B/chain.html -o $B/chain.html $B/demo.prof

# ----- what is refused
refused 1 'this is HTML, such as annotate makes' --binary=$D/demo.elf --function=work $B/work.html
refused 2 'which program' --function=work $B/two.prof
refused 2 'which function' --binary=$D/demo.elf $B/demo.prof
refused 2 'which profile' --binary=$D/demo.elf --function=main
refused 2 'one profile only' --binary=$D/demo.elf --function=main $B/demo.prof $B/two.prof
refused 2 'is the same file as input' --binary=$D/demo.elf --function=main $B/demo.prof -o $B/demo.prof
refused 1 "has no function 'pack_nois'; did you mean 'pack_noise'" --binary=$D/demo.elf --function=pack_nois $B/demo.prof
refused 1 'this is a sample profile' --binary=$B/demo.prof --function=main $B/demo.prof
printf 'nowhere:10:1\n 1: 10\n' >$B/nowhere.prof
refused 1 "has no code of 'nowhere': it may be inlined" --binary=$D/demo.elf --function=nowhere $B/nowhere.prof
printf 'main:10:1\n 1: 10\n' >$B/lines.prof
refused 1 'there is no debug information' --binary=$D/demo.elf --function=main $B/lines.prof
finish
