#!/bin/bash -eu
# Builds every harness for OSS-Fuzz into $OUT, with its seeds, dictionary and options. Run in the repository. By hand:
#   CC=clang-19 CXX=clang++-19 CFLAGS="-O1 -g -fsanitize=address,fuzzer-no-link" CXXFLAGS="$CFLAGS" \
#       LIB_FUZZING_ENGINE=-fsanitize=fuzzer OUT=/tmp/out fuzz/oss-fuzz/build.sh [NAME...]
# zlib and zstd stay out: a sanitizer of uninitialised memory knows nothing of libraries that are not built with it.
cd fuzz
mkdir -p "$OUT"
[ $# -ne 0 ] || set -- $(ls fuzz_*.c | sed 's/^fuzz_//; s/\.c$//')
for name; do
    $CC $CFLAGS -std=c99 -c "fuzz_$name.c" -o "$OUT/$name.o"
    $CXX $CXXFLAGS $LIB_FUZZING_ENGINE "$OUT/$name.o" -o "$OUT/fuzz_$name" -lm
    rm "$OUT/$name.o"
    zip -q -j "$OUT/fuzz_${name}_seed_corpus.zip" corpus/"$name"/*
    [ ! -f "$name.dict" ] || cp "$name.dict" "$OUT/fuzz_$name.dict"
    printf '[libfuzzer]\nmax_len = 4096\ntimeout = 25\nrss_limit_mb = 2048\n' >"$OUT/fuzz_$name.options"
done
