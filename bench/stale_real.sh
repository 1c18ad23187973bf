#!/bin/sh
# stale_real.sh WORKDIR TOOL: what profiles of older versions are worth for newer versions of real libraries
#
# The pairs are those of stale/real/pairs.txt; npm fetches the sources into WORKDIR/fetched, and their checksums are compared.
# Of each version, built with pseudo probes, a run of a driver is traced, and three recordings are cut out of it (SEEDS). The new
# version is then compiled with no profile and with these, and the instructions of a run with other arguments are counted:
#   fresh      its own profile
#   off        the older version's profile as it is: what changed has none
#   llvm       the older version's, matched by clang 19 (-salvage-stale-profile); llvm-u: also by -salvage-unused-profile
#   ours       the older version's, after csspgo match; fit: with --fit; sure50: with --min-confidence=50
# kept is the share of the gain (none - fresh) that a profile brings. blocks: overlap of the counts that opt gives to the blocks with
# those of the fresh profile, contexts flattened. contexts: overlap of the matched profile's blocks in each context with those of
# the fresh profile's: LLVM's by csspgo match --mode=llvm19, as clang writes none; ours with the fresh profile after csspgo match
# with its own program, which takes inlinees of other modules out of their contexts.
# ONLY="expat lz4": these pairs only; KINDS="fresh off ours": these profiles only; MATCH: options of csspgo match. With several
# limits of confidence (KINDS="fresh off ours sure30 sure50") the one is chosen for each pair that is best for the others. Counts are
# kept in WORKDIR, by profile and flags, so a second run measures only what has changed.
here=$(cd "$(dirname "$0")" && pwd)
W=$1 TOOL=$(realpath "$2") PAIRS=$here/stale/real/pairs.txt
SEEDS=${SEEDS:-1 2 3} KINDS=${KINDS:-fresh off llvm llvm-u ours fit sure50}
for t in clang++-19 opt-19 llvm-link-19 valgrind npm qemu-x86_64; do
    command -v $t >/dev/null 2>&1 || { echo "SKIPPED: $t is not installed"; exit 0; }
done
mkdir -p "$W/fetched"
W=$(cd "$W" && pwd)
FRAMES="-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls -no-pie"
: >"$W/empty.prof"

# get PAIR KEY: a line of the table
get() { awk -v p="$1" -v k="$2" '$1 == "pair" { on = $2 == p } on && $1 == k { sub(/^[^ ]+ ?/, ""); print }' "$PAIRS"; }

# unpack FOLDER PACKAGE VERSION SHA256 PARTS...: parts of a package
unpack() {
    to=$1 n=$2 is=$3 sum=$4
    shift 4
    f=$W/fetched/$n-$is.tgz
    [ -s "$f" ] || (cd "$W/fetched" && npm pack --silent $n@$is >/dev/null) || { echo "SKIPPED: $n@$is cannot be fetched"; return 1; }
    echo "$sum  $f" | sha256sum --check --status || { echo "$n@$is has another checksum"; return 1; }
    rm -rf "$to.tmp"
    mkdir -p "$to.tmp"
    tar xzf "$f" -C "$to.tmp" --strip-components=1
    mkdir -p "$to"
    for d; do cp -R "$to.tmp/$d/." "$to/" || return 1; done
    rm -rf "$to.tmp"
}

# sources PAIR: both versions, in folders of one form, as names of static functions contain a hash of the file's name
sources() {
    [ -e "$W/$1/unpacked" ] && return
    for v in old new; do
        mkdir -p "$W/$1/$v/lib"
        unpack "$W/$1/$v/lib" $(get $1 $v) || return 1
        [ -z "$(get $1 too)" ] || unpack "$W/$1/$v/lib/too" $(get $1 too) || return 1
        get $1 fix | while read -r e f; do [ ! -f "$W/$1/$v/lib/$f" ] || sed -i "$e" "$W/$1/$v/lib/$f"; done
    done
    : >"$W/$1/unpacked"
}

# prepare PAIR: sets what compile needs
prepare() {
    p=$1
    set -- $(get $p pair)
    suffix=$2 train=$(echo $3 | tr , ' ') run=$(echo $4 | tr , ' ')
    [ $suffix = c ] && CC=clang-19 || CC="clang++-19 -std=c++14"
    CC="$CC -O2 -g -w -fpseudo-probe-for-profiling -Ilib $(get $p cc)"
}

# compile VERSION OUT FLAGS...: the driver and the library
compile() {
    v=$1 out=$2
    shift 2
    cp "$here/stale/real/input.h" "$W/$p/$v/" && cp "$here/stale/real/$p.driver" "$W/$p/$v/$p.$suffix"
    (cd "$W/$p/$v" && files=$p.$suffix && for f in $(get $p src); do for g in lib/$f; do [ ! -f $g ] || files="$files $g"; done; done
     if [ "$out" = ir ]; then
         rm -rf ir
         mkdir ir
         for f in $files; do $CC -DVERSION=2 "$@" -Xclang -disable-llvm-passes -c -emit-llvm -o ir/$(echo $f | tr / _).bc $f || exit 1; done
         llvm-link-19 ir/*.bc -o "$W/$p/ir.bc"
     else
         [ $v = old ] && n=1 || n=2
         $CC -DVERSION=$n "$@" -o "$out" $files -lm -lpthread
     fi)
}

# recorded VERSION: three recordings of a run, as profiles
recorded() {
    compile $1 "$W/$p/$1.exe" $FRAMES || return 1
    (cd "$W/$p" && qemu-x86_64 -plugin $here/build/trace.so,out=trace,start=0x$(nm $1.exe | awk '$3 == "main" { print $1 }'),max=40000000 ./$1.exe $train >/dev/null &&
     for s in $SEEDS; do
         $here/build/windows trace $1.exe 0 ${PERIOD:-997} $s >script &&
         "$TOOL" profgen --max-dropped=100 --quiet --binary=$1.exe --perfscript=script --format=text -o $1.$s.prof &&
         flat $1.$s.prof $1.$s.flat || exit 1
     done && rm trace script)
}

all_recorded() { for s in $SEEDS; do [ -s new.$s.flat ] || return 1; done; }

# flat PROFILE OUT: functions without contexts
flat() { "$TOOL" merge --quiet --sample --text --convert-sample-profile-layout=flat "$1" -o "$2"; }

# applied PROFILE OUT SALVAGE: the counts that opt gives to the blocks of each function, as a profile
applied() {
    opt-19 -passes=pseudo-probe,sample-profile -disable-sample-loader-inlining -salvage-stale-profile=$3 -sample-profile-file="$1" \
        -disable-output -pass-remarks-output="$2.yaml" -pass-remarks-filter=sample-profile "$W/$p/ir.bc" 2>/dev/null
    awk '/^Function:/ { f = $2; gsub(/\047/, "", f) }
         /NumSamples:/ { n = $3; gsub(/\047/, "", n) }
         /ProbeId:/ { id = $3; gsub(/\047/, "", id); if (!((f, id) in c)) { c[f, id] = n; ids[f] = ids[f] " " id; sum[f] += n } }
         END { for (f in ids) { k = split(ids[f], v, " "); print f ":" sum[f] ":0"
                                for (i = 1; i <= k; i++) for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
                                for (i = 1; i <= k; i++) print " " v[i] ": " c[f, v[i]] } }' "$2.yaml" >"$2"
    rm "$2.yaml"
}

# cost PROFILE FLAGS...: instructions of the run after a build with a profile
cost() {
    prof=$1
    shift
    key=$( (cat "$prof" "$here/stale/real/$p.driver"; echo "$run $CC $*") | md5sum | cut -c1-16)
    [ -s "$W/$p/costs/$key" ] || {
        mkdir -p "$W/$p/costs"
        [ ! -s "$prof" ] || set -- -fprofile-sample-use="$prof" "$@"
        compile new "$W/$p/run.exe" "$@" || return 1
        strip -g "$W/$p/run.exe"
        (cd "$W/$p" && valgrind --tool=callgrind --callgrind-out-file=/dev/null ./run.exe $run 2>&1 >/dev/null) |
            sed -n 's/^==.*Collected : //p' >"$W/$p/costs/$key"
    }
    cat "$W/$p/costs/$key"
}

# matched PROFILE OUT OPTIONS...: for the new program
matched() { f=$1 to=$2; shift 2; "$TOOL" match --quiet "$@" --old-profile=$f --binary=new.exe --format=text -o $to; }

# overlap WHAT A B: of blocks, of functions or of contexts
overlap() { "$TOOL" overlap --quality "$2" "$3" | awk -v what="$1" '/^blocks of/ && $3 == what && !n++ { print $4 }'; }

# measure PAIR: rows of NAME SEED KIND, instructions without a profile and with this one, overlap of blocks, in contexts
measure() {
    sources $1 || return
    prepare $1
    cd "$W/$p"
    if [ ! -e ir.bc ] || [ "$here/stale/real/$p.driver" -nt ir.bc ] || ! all_recorded; then
        rm -f *.applied
        recorded old && recorded new && compile new ir -fprofile-sample-use="$W/empty.prof" || { echo "$p: not built" >&2; return; }
    fi
    none=$(cost "$W/empty.prof")
    for s in $SEEDS; do
        [ -s fresh.$s.applied ] || applied new.$s.flat fresh.$s.applied 1
        for k in $KINDS; do
            salvage=1 more=
            case $k in
            fresh) of=new ;;
            off) of=old salvage=0 ;;
            llvm) of=old ;;
            llvm-u) of=old more="-mllvm -salvage-unused-profile" ;;
            *)  of=$k
                case $k in ours) m= ;; fit) m=--fit ;; sure*) m=--min-confidence=${k#sure} ;; esac
                matched old.$s.prof $k.$s.prof $MATCH $m
                matched old.$s.flat $k.$s.flat $MATCH $m ;;
            esac
            n=$(cost "$W/$p/$of.$s.prof" -mllvm -salvage-stale-profile=$salvage $more)
            b=- c=-
            [ $k = llvm-u ] || {
                [ $k = fresh ] || applied $of.$s.flat $k.$s.applied $salvage
                b=$(overlap functions fresh.$s.applied $k.$s.applied)
            }
            case $k in
            fresh|off|llvm-u) ;;
            llvm) matched old.$s.prof llvm.$s.prof --mode=llvm19 && c=$(overlap contexts new.$s.prof llvm.$s.prof) ;;
            *)    matched new.$s.prof own.$s.prof && c=$(overlap contexts own.$s.prof $k.$s.prof) ;;
            esac
            echo $p $s $k $none $n ${b:--} ${c:--}
        done
    done
}

for p in ${ONLY:-$(awk '$1 == "pair" { print $2 }' "$PAIRS")}; do
    (measure $p) >"$W/$p.rows"
    cat "$W/$p.rows"
done >"$W/all.rows"
awk -f "$here/stale/real/table.awk" "$W/all.rows"
