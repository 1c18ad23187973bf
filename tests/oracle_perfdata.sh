#!/bin/sh
# What csspgo reads from recordings is what `perf script -D` shows of them: samples with their stacks, mappings, names,
# forks and ends of threads in order of time, build ids. Recordings of data/perf and, where the kernel lets perf record
# (containers often do not), others made here with software events; run in tests/.
. ./t.sh
compares
B=build/perfdata
mkdir -p $B
passed=0 failed=0 skipped=0
pass() { passed=$((passed + 1)); }
fail() { echo "FAILED: perfdata: $*"; failed=$((failed + 1)); }
finish() { echo "$passed passed, $failed failed, $skipped skipped"; [ $failed -eq 0 ]; exit; }
skip() { echo "SKIPPED: perfdata: $*"; skipped=$((skipped + 1)); finish; }
command -v perf >/dev/null 2>&1 || skip "perf is not installed (package linux-perf)"

cat >$B/busy.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned long sum;
__attribute__((noinline)) static void leaf(int n) { int i; for (i = 0; i < n; i++) sum += (unsigned long)i; }
__attribute__((noinline)) static void middle(int n) { leaf(n); leaf(n / 2); sum++; }
static void *thread(void *p) { int i; for (i = 0; i < ROUNDS; i++) middle(1000); return p; }
int main(int argc, char **argv)
{
    pthread_t t;
    void *big;
    (void)argv;
    if (argc == 1 && fork() == 0) { char *self[] = { (char *)"busy", (char *)"child", NULL }; execv("/proc/self/exe", self); _exit(1); }
    pthread_create(&t, NULL, thread, NULL);
    thread(NULL);
    big = calloc(1, 1 << 24);
    pthread_join(t, NULL);
    wait(NULL);
    free(big);
    return 0;
}
C
${CC:-cc} -DROUNDS=$(size 20000 60000) -O1 -w -fno-omit-frame-pointer -o $B/busy $B/busy.c -lpthread || { fail "busy.c does not build"; finish; }
make -s build/san/oracle_perfdata || { fail "oracle_perfdata.c does not build"; finish; }

# `perf script -D` in the form of oracle_perfdata.c; gawk or mawk
cat >$B/dump.awk <<'A'
function put() {
    if (!open) return
    line = "sample " who " " time
    first = 1; user = 0
    for (i = 0; i < n; i++) if (chain[i] == "fffffffffffffe00") { first = i + 1; user = 1; break }
    if (!user) first = 0
    k = 0
    for (i = first; i < n; i++) {
        if (substr(chain[i], 1, 13) == "fffffffffffff" && chain[i] >= "fffffffffffff001") { if (k) break; continue }
        v = chain[i]; sub(/^0+/, "", v); if (v == "") v = "0"
        line = line " " v; k++
    }
    if (k == 0) line = line " " ip
    for (i = 0; i < b; i++) line = line " " branch[i]
    print line
    open = 0
}
/^[0-9]+ 0x[0-9a-f]+ \[/ || /^0x[0-9a-f]+@/ || /^[^ .].*PERF_RECORD/ { put() }
/PERF_RECORD_SAMPLE\(/ {
    time = 0
    for (f = 2; f <= NF; f++) if ($f ~ /^0x/) { if ($(f - 1) ~ /^[0-9]+$/ && $1 !~ /^0x/) time = $(f - 1); break }
    for (f = 1; f <= NF; f++) if ($f ~ /^[0-9]+\/[0-9]+:$/) { who = substr($f, 1, length($f) - 1); ip = substr($(f + 1), 3) }
    n = b = 0; open = 1; inbranch = 0; next
}
open && /^\.\.\. branch stack/ { inbranch = 1; next }
open && /^\.\.\.\.\. +[0-9]+: [0-9a-f]+ -> [0-9a-f]+/ { f = $3; t = $5; sub(/^0+/, "", f); sub(/^0+/, "", t); branch[b++] = f ">" t; next }
open && /^\.\.\.\.\. +[0-9]+: [0-9a-f]+$/ { chain[n++] = $3; next }
/PERF_RECORD_MMAP2? / {
    p = $0; sub(/.*PERF_RECORD_MMAP2? /, "", p)
    split(p, w, /[\/: ]+/); pid = w[1]
    a = p; sub(/^[^[]*\[/, "", a); address = a; sub(/\(.*/, "", address)
    size = a; sub(/^[^(]*\(/, "", size); sub(/\).*/, "", size)
    off = a; sub(/^.*\) @ /, "", off); sub(/[] ].*/, "", off); if (off == "0") off = "0x0"
    rest = a; sub(/^.*\]: /, "", rest); prot = rest; sub(/ .*/, "", prot); sub(/^[^ ]* /, "", rest)
    print "mmap " pid " " address " " size " " off " " (index(prot, "x") ? 1 : 0) " " rest
}
/PERF_RECORD_COMM/ { p = $0; sub(/.*PERF_RECORD_COMM( exec)?: /, "", p); tid = p; sub(/.*\//, "", tid); name = p; sub(/:[0-9]+\/[0-9]+$/, "", name); print "comm " name " " tid }
/PERF_RECORD_(FORK|EXIT)\(/ { p = $0; kind = p ~ /FORK/ ? "fork" : "exit"; gsub(/[^0-9]+/, " ", p); m = split(p, w, " "); print kind " " w[m - 3] " " w[m - 2] " " w[m - 1] }
END { put() }
A

# same NAME RECORDING [SIZES [SAMPLES]]: in pieces of these sizes; there must be so many samples
same() {
    perf script -D -i $2 2>/dev/null | awk -f $B/dump.awk >$B/$1.perf
    perf buildid-list -i $2 2>/dev/null | sed 's/^/build-id /' >$B/$1.ids
    [ "$(grep -c '^sample' $B/$1.perf)" -ge ${4:-5} ] || fail "$1: perf shows $(grep -c '^sample' $B/$1.perf) samples only"
    for chunk in ${3:-65536 7}; do
        build/san/oracle_perfdata $2 $chunk >$B/$1.ours 2>$B/$1.err || { fail "$1 in pieces of $chunk"; cat $B/$1.err; continue; }
        grep -v '^build-id' $B/$1.ours >$B/$1.items
        if cmp -s $B/$1.perf $B/$1.items; then pass; else fail "$1 in pieces of $chunk: the items differ"; diff $B/$1.perf $B/$1.items | head -6; fi
    done
    grep '^build-id [0-9a-f]' $B/$1.ids | grep -v 'kernel.kallsyms' | sort >$B/$1.ids.perf                 # into a pipe perf writes none
    grep '^build-id' $B/$1.ours | sort -u >$B/$1.ids.ours
    comm -23 $B/$1.ids.perf $B/$1.ids.ours >$B/$1.ids.missing
    [ -s $B/$1.ids.missing ] && { fail "$1: build ids are missing"; head -3 $B/$1.ids.missing; } || pass
}

# recorded NAME OPTIONS...
recorded() {
    name=$1
    shift
    if ! perf record -q "$@" -o $B/$name.data -- $B/busy >$B/out 2>&1; then fail "$name: perf record: $(tail -1 $B/out)"; return; fi
    same $name $B/$name.data "$sizes"
}

for f in data/perf/*.data data/recordings/pipe.data; do same stored-$(basename $f .data) $f "65536 4093 7 1" 5; done
for f in data/recordings/z.data data/recordings/pipez.data; do
    if [ -f /usr/include/zstd.h ]; then same stored-$(basename $f .data) $f "65536 4093 7 1" 5; else echo "SKIPPED: perfdata: zstd.h is not installed"; skipped=$((skipped + 1)); fi
done
# without zstd, compressed recordings are refused by name
without="-DCSSPGO_STATIC -DCSSPGO_NO_MATCH"
${CC:-cc} -w $without -o $B/without oracle_perfdata.c || fail "oracle_perfdata.c does not build without zstd"
if $B/without data/recordings/z.data >$B/out 2>$B/err; then fail "without zstd a compressed recording is read"
elif finds '^E_UNSUPPORTED at 552: PERF_RECORD_COMPRESSED: built without CSSPGO_USE_ZSTD' $B/err; then pass
else fail "without zstd a compressed recording is not refused by name"; cat $B/err; fi
advice=$(sed -n "s/.*'\(perf script[^']*\)'.*/\1/p" $B/err)
if ${advice:-false} -i data/recordings/z.data 2>/dev/null | grep -q PERF_RECORD_MMAP2; then pass; else fail "the advice of the build without zstd: $(cat $B/err)"; fi
if ! perf record -q -e cpu-clock -o $B/try -- true >$B/out 2>&1; then
    echo "perfdata: perf cannot record here, only data/perf was read: $(tail -1 $B/out)"
    finish
fi

sizes="65536 4093 7 1"
recorded plain -e cpu-clock -F 999
recorded stacks -e cpu-clock -g -F 999
sizes=
if [ -z "$FULL" ]; then
    perf record -q -e cpu-clock -g -F 999 -o - -- $B/busy >$B/pipe.data 2>/dev/null && same pipe $B/pipe.data || fail "a recording into a pipe"
    finish
fi
recorded two-events -e cpu-clock,task-clock -g -F 499
recorded no-time -e cpu-clock -F 999 --no-timestamp
recorded everything -e cpu-clock,page-faults -g -F 499 -d --phys-data -W --sample-cpu --period --sample-identifier 2>/dev/null
recorded data -e cpu-clock -g -d -F 999
recorded inline-build-ids -e cpu-clock -g --buildid-mmap -F 999
recorded dwarf -e cpu-clock --call-graph dwarf,512 -F 999
recorded registers -e cpu-clock -g --user-regs=ip,sp --intr-regs=ip -F 999
recorded groups -e '{cpu-clock,task-clock}:S' -g -F 999
recorded small-buffers -e cpu-clock -g -m 1 -F 9999
perf record -q -e cpu-clock -g -F 999 -o - -- $B/busy >$B/pipe.data 2>/dev/null && same pipe $B/pipe.data "65536 4093 7 1" || fail "a recording into a pipe"
perf record -q -e cpu-clock,task-clock -g -F 499 -o - -- $B/busy >$B/pipe2.data 2>/dev/null && same pipe-two-events $B/pipe2.data || fail "a recording into a pipe"
if perf record -q -z -e cpu-clock -g -F 999 -o $B/packed.data -- $B/busy >$B/out 2>&1; then
    [ ! -f /usr/include/zstd.h ] || same packed $B/packed.data "65536 4093 7 1"
fi
finish
