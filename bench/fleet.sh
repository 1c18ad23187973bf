#!/bin/sh
# Merges the profiles of a fleet: by one process, by a pipeline of GNU parallel, by ranks of MPI. All give the same bytes.
# Run in bench/; needs parallel, Open MPI (libopenmpi-dev, openmpi-bin). Arguments: profiles (10000), runs (3).
N=${1:-10000}
RUNS=${2:-3}
B=build/fleet
E=../examples/build
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
make -s -C ../examples build/fleet build/fleet_mpi || exit 1
rm -rf $B
mkdir -p $B/profiles
# each profile: the demo's, counts of its own, one function of 40 under another name
awk -v n=$N -v d=$B/profiles '
{ line[NR] = $0 }
END {
    for (i = 1; i <= n; i++) {
        f = d "/" i ".prof"
        for (k = 1; k <= NR; k++) {
            l = line[k]
            if (i % 40 != 0) gsub(/evaluate/, "evaluate_" i % 40, l)
            if (l ~ /^\[/) { h = l; sub(/.*:/, "", h); l = substr(l, 1, length(l) - length(h)) (h + i % 7) }
            print l >f
        }
        close(f)
    }
}' ../examples/data/demo.prof
find $B/profiles -name '*.prof' | sort >$B/list
echo "$N profiles, $(du -sb $B/profiles | awk '{ printf "%.0f", $1 / 1e6 }') MB of text; $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) cores; $(date +%F)"
# timed NAME OUTPUT COMMAND...: seconds of each run; its bytes are those of the first
timed() {
    name=$1 out=$2
    shift 2
    seconds=
    for r in $(seq $RUNS); do
        rm -f $B/part.*
        began=$(date +%s.%N)
        "$@" >$B/said 2>&1 || { cat $B/said; exit 1; }
        seconds="$seconds $(echo "$(date +%s.%N) $began" | awk '{ printf "%.2f", $1 - $2 }')"
    done
    [ "$out" = $B/one ] || cmp $B/one $out || exit 1
    echo "| $name |$seconds s |"
}
one() { xargs -x -n 20000 -s 1900000 $E/fleet -o $B/one <$B/list; }
pipeline() { parallel -j $1 -n 100 $E/fleet -o $B/part.{#}.prof {} <$B/list && $E/fleet -o $B/pipe $B/part.*.prof; }
timed "one process" $B/one one
timed "GNU parallel, 1 job" $B/pipe pipeline 1
timed "GNU parallel, 2 jobs" $B/pipe pipeline 2
for n in 1 2; do timed "MPI, $n ranks" $B/mpi mpirun --oversubscribe -n $n $E/fleet_mpi -o $B/mpi $B/list; done
timed "MPI, 5 ranks" $B/mpi mpirun --oversubscribe -n 5 $E/fleet_mpi -o $B/mpi $B/list
