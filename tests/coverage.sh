#!/bin/sh
# Coverage of the library by the committed fuzz corpora alone: at least the floors of ../fuzz/coverage.floor in each
# layer, and every public function is entered, apart from those that are named there with a reason. Run in tests/.
. ./t.sh
have clang-19 && have llvm-profdata-19 && have llvm-cov-19 || { skip "coverage: needs clang-19 and llvm-19"; finish; }
check "coverage of the corpora" make -s -C ../fuzz coverage COV="$PWD/build/cov"
finish
