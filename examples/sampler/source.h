/* source.h - where samples come from, and what code they are of
 *
 * With source.c, csspgo.h and load.h, all that a program takes over to sample itself; main.c shows how. One file of the
 * program defines CSSPGO_IMPLEMENTATION and LOAD_IMPLEMENTATION before it. If that file includes source.c, with
 * CSSPGO_STATIC, only what is used is compiled (bench/game/doom.patch).
 */
#ifndef SOURCE_H
#define SOURCE_H

#define CSSPGO_WITH_DECODE
#define CSSPGO_WITH_LLVM
#define CSSPGO_WITH_ESTIMATE
#include "../../csspgo.h"
#include "../load.h"

#if defined(__linux__)
/*
 * Fills a code map with the running program: functions and probes of its own file, where its code is now. All is
 * copied. Returns 0 with what is the matter in why, to be read after "this program".
 */
int source_code(csspgo_code *code, char *why, size_t size);

typedef enum { BY_LBR, BY_CLOCK, BY_TIMER, BY_NOTHING } source_kind;

typedef struct source {
    source_kind kind;
    int         fd, reading;                      /* reading: samples are being taken out       */
    struct perf_event_mmap_page *page;
    csspgo_ring ring;
} source;

/*
 * Opens the best source, or the one called `only`, for this thread; says on stdout which, and why not the others. The
 * timer's handler gives its samples to profiler itself.
 */
void source_open(source *s, const char *only, const void *stack_top, csspgo_runtime *profiler);

/* Starts or stops sampling. */
void source_enable(source *s, int on);

/* The next sample of the ring, where it lies until the next call. Call it until it returns 0: there is no other. */
int source_next(source *s, csspgo_sample *sample);

/* Samples that the kernel lost because nobody took others out in time. */
uint64_t source_lost(const source *s);
void source_close(source *s);
#endif

#endif
