#!/bin/sh
# What a newcomer types: help, mistakes, files of the wrong kind, names, exit statuses.
cd "$(dirname "$0")" || exit 1
. ./t.sh
make -s build/plain/csspgo || exit 1
T=$(pwd)/build/plain/csspgo B=build/first
rm -rf $B
mkdir -p $B
# says STATUS TEXT ARGUMENTS...: the tool ends with this status and says TEXT in one line on standard error
says() {
    want=$1 text=$2
    shift 2
    $T "$@" >$B/out 2>$B/err </dev/null
    got=$?
    if [ $got -eq "$want" ] && [ "$(wc -l <$B/err)" -eq 1 ] && grep -q -e "$text" $B/err; then pass
    else fail "csspgo $*: status $got, $(head -3 $B/err)"; fi
}

# ----- version, mistakes
header=$(awk '/^#define CSSPGO_VERSION_M|^#define CSSPGO_VERSION_P/ { v = v (v == "" ? "" : ".") $3 } END { print v }' ../csspgo.h)
for how in version --version -version; do
    [ "$($T $how | cut -d, -f1)" = "csspgo $header" ] && pass || fail "csspgo $how is not that of the header, $header"
done
says 2 "unknown command 'mrge'; did you mean 'merge'?" mrge
says 2 "unknown command 'frobnicate'; 'csspgo help' lists all" frobnicate
says 2 "unknown command 'shwo'; did you mean 'show'?" help shwo
says 2 "which command?"
says 2 "unknown option '--outptu=x'; did you mean '--output'?" merge --outptu=x
says 2 "unknown option '-txt'; did you mean '-text'?" merge -txt
says 2 "unknown option '--xyzzyxyzzy'" show --xyzzyxyzzy
says 2 "unknown option '--mann'; help has" help --mann
says 2 "'alin' is none of align|" match --mode=alin

# ----- help, manual page and completion: every option of every table, from the table
commands=$($T help | sed -n 's/^  \([a-z]*\)  *.*/\1/p' | grep -v -e '^help$' -e '^version$')
[ "$(echo "$commands" | wc -l)" -ge 12 ] && pass || fail "csspgo help lists few commands: $commands"
$T help --man >$B/csspgo.1
$T help --bash >$B/csspgo.bash
for c in $commands; do
    $T help $c >$B/help && $T $c --help >$B/help2 && cmp -s $B/help $B/help2 && pass || fail "help $c is not $c --help"
    awk 'length($0) > 130 { bad = 1 } END { exit bad }' $B/help && pass || fail "help $c has long lines"
    # what the tables say, in all of them
    sed -n "/^static const option ${c}_options\[\]/,/OPTIONS_END/p; /^const option ${c}_options\[\]/,/OPTIONS_END/p" ../examples/tool/*.c |
        sed -n 's/.*OPTION("\([^"]*\)", \(OPT_[A-Z]*\),.*/\1 \2/p' | grep -v '^output-form ' >$B/table
    [ -s $B/table ] || fail "$c has no table"
    sed -n "/^\.SS $c\$/,/^\.S[SH] /p" $B/csspgo.1 | sed 's/\\f[BIR]//g; s/\\-/-/g' >$B/man
    missing=
    while read -r name kind; do
        grep -q -e "-$name\([^a-z-]\|\$\)" $B/help || missing="$missing $name"
        grep -q -e "-$name\([^a-z-]\|\$\)" $B/man || missing="$missing $name(man)"
    done <$B/table
    [ -z "$missing" ] && pass || fail "help of $c lacks$missing"
done
# nobody's option is left without a word
[ "$($T help merge | grep -c 'output-form')" -eq 0 ] && pass || fail "help of merge names an option that there is not"
if have groff; then
    groff -man -ww -z $B/csspgo.1 >$B/groff 2>&1 && [ ! -s $B/groff ] && pass || fail "the manual page: $(head -2 $B/groff)"
else skip "no groff: nothing reads the manual page"; fi
if have bash; then
    # completes WANT WORDS...: of the words typed, the last one not ended
    completes() {
        want=$1
        shift
        got=$(bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _csspgo; echo "${COMPREPLY[@]}"' $B/csspgo.bash "$@")
        [ "$got" = "$want" ] && pass || fail "completion of $*: $got"
    }
    completes merge csspgo mer
    completes "bottleneck" csspgo bo
    completes "align" csspgo match --mode = al
    completes "any all warn" csspgo merge --failure-mode =
    completes "--failure-mode=" csspgo merge --fail
    completes "to-yaml" csspgo ctxprof to
    completes "--man" csspgo help --m
    completes "" csspgo merge prof
else skip "no bash: nothing reads the completion"; fi

# ----- installation, as a packager does it
root=$(pwd)/$B/root
if MAKEFLAGS='' make -s -C ../examples install B="$(pwd)/build/plain" PREFIX=/usr DESTDIR="$root" >$B/out 2>&1; then pass
else fail "make install: $(head -5 $B/out)"; fi
(cd $B/root && find . -type f | sort) >$B/files
printf './usr/%s\n' bin/csspgo include/csspgo.h share/bash-completion/completions/csspgo share/man/man1/csspgo.1 | cmp -s - $B/files &&
    pass || fail "make install put: $(cat $B/files)"
cmp -s ../csspgo.h $B/root/usr/include/csspgo.h && cmp -s $B/csspgo.1 $B/root/usr/share/man/man1/csspgo.1 &&
    cmp -s $B/csspgo.bash $B/root/usr/share/bash-completion/completions/csspgo &&
    [ "$($B/root/usr/bin/csspgo --version)" = "$($T --version)" ] && pass || fail "what make install put there is something else"
MAKEFLAGS='' make -s -C ../examples uninstall B="$(pwd)/build/plain" PREFIX=/usr DESTDIR="$root" >$B/out 2>&1
[ -z "$(find $B/root -type f)" ] && pass || fail "make uninstall leaves: $(find $B/root -type f)"
finish
