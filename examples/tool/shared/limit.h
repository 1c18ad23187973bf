/* limit.h - output of at most so many bytes */
#ifndef CSSPGO_TOOL_LIMIT_H
#define CSSPGO_TOOL_LIMIT_H

#include "../../../csspgo.h"

/*
 * Writes a profile in at most `limit` bytes: leaves out the coldest functions (or contexts) with everything nested in
 * them, as few as possible. As llvm-profdata-19 --output-size-limit does it if llvm is 1: while the output is too
 * large, each round keeps n * (limit / size)^2 of n functions, and drops at least one.
 *
 *   bytes, size   get the output, for free(); NULL and 0 after a failure
 *
 * Returns   as csspgo_write; E_LIMIT too if nothing would be left, or, with llvm, if there was nothing
 * Cost      log2(n) + 3 times that of csspgo_profile_clone and csspgo_write; with llvm a few times, or up to n times
 *           where a few large functions make up the output. Beside p, one copy of it is in memory
 */
csspgo_status write_limited(const csspgo_profile *p, uint32_t form, uint64_t limit, int llvm, unsigned char **bytes,
                            size_t *size, csspgo_error *err);

#endif
