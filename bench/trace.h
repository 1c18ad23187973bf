/* trace.h - the taken-branch streams that trace.c writes and windows.c cuts samples from, in the machine's byte order:
 * a header; the number of an edge for each taken branch, in program order; the edges. */
#ifndef CSSPGO_BENCH_TRACE_H
#define CSSPGO_BENCH_TRACE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACE_MAGIC "CSSPGOT1"

typedef struct trace_header { char magic[8]; uint64_t branches, edges; } trace_header;
/* kind: csspgo_transfer_kind; size of the instruction */
typedef struct trace_edge { uint64_t from, to; uint32_t kind, size; } trace_edge;

#endif
