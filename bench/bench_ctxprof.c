/* bench_ctxprof.c - what contextual counting costs: nanoseconds per call of a function of a few instructions, plain, on
 * csspgo's runtime and, where it is linked, on LLVM 19's, with the code that LLVM's instrumentation makes: on one
 * thread, and on the one of two threads that does not get the root. Short slices of all kinds take turns, so the least of each
 * is from a quiet moment of a busy machine.
 *     bench_ctxprof [SLICES (300)] [KIND: only this one, for callgrind]
 */
#ifndef _POSIX_C_SOURCE
#  define _POSIX_C_SOURCE 200809L
#endif
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 400000 };          /* of a slice: about a millisecond */

#define APART __attribute__((noinline))

static _Thread_local volatile uint64_t sink;

static APART void plain(uint64_t i)
{
    if (i & 1) sink = sink + 1;
}

/* ----- csspgo ----- */

static _Thread_local csspgo_ctx_thread self;
static csspgo_ctx_runtime *runtime;
static csspgo_ctx_root *root;
static const char place[2] = "";
static const csspgo_ctx_fn work_fn = { 2, &place[1], 2, 0 }, root_fn = { 1, &place[0], 2, 1 };

static APART void work(uint64_t i)
{
    const csspgo_ctx_ref at = csspgo_ctx_enter(&self, &work_fn);
    if (i & 1) {
        csspgo_ctx_count(at, 1, 1);
        sink = sink + 1;
    }
}

static APART void call_work(csspgo_ctx_ref at)
{
    uint64_t i;
    for (i = 0; i < CALLS; i++) {
        csspgo_ctx_call(&self, at, &root_fn, 0, work_fn.address);
        work(i);
    }
}

static void ours(int rooted)
{
    call_work(rooted ? csspgo_ctx_root_enter(&self, root) : csspgo_ctx_enter(&self, &root_fn));
    if (rooted) csspgo_ctx_root_leave(&self);
}

/* ----- LLVM 19: what its lowering makes, in C ----- */

#if defined(__GNUC__) && defined(__x86_64__) && defined(WITH_LLVM)
extern _Thread_local const void *volatile __llvm_ctx_profile_expected_callee[2];
extern _Thread_local uintptr_t volatile __llvm_ctx_profile_callsite[2];
uintptr_t __llvm_ctx_profile_get_context(const void *callee, uint64_t guid, uint32_t counters, uint32_t sites);
uintptr_t __llvm_ctx_profile_start_context(void *root, uint64_t guid, uint32_t counters, uint32_t sites);
void __llvm_ctx_profile_release_context(void *root);

static uint64_t llvm_root[4];

static APART void llvm_work(uint64_t i)
{
    const uintptr_t at = __llvm_ctx_profile_get_context(&place[1], 2, 2, 0);
    if (i & 1) {
        ((uint64_t *)((at & ~(uintptr_t)1) + 24))[1]++;
        sink = sink + 1;
    }
}

static APART void llvm_call_work(uintptr_t at)
{
    uint64_t i;
    for (i = 0; i < CALLS; i++) {
        __llvm_ctx_profile_expected_callee[at & 1] = &place[1];
        __llvm_ctx_profile_callsite[at & 1] = at + 24 + 16;
        llvm_work(i);
    }
}

static void llvm(int rooted)
{
    llvm_call_work(rooted ? __llvm_ctx_profile_start_context(llvm_root, 1, 2, 1)
                          : __llvm_ctx_profile_get_context(&place[0], 1, 2, 1));
    if (rooted) __llvm_ctx_profile_release_context(llvm_root);
}
#endif

/* ----- the thread that has the root: it calls until it is told to stop ----- */

static int has_it, stop;

static void *keep_root(void *kind)
{
    if (kind == NULL) {
        csspgo_ctx_ref at;
        if (csspgo_ctx_thread_init(&self, runtime, 16, NULL) != CSSPGO_OK) abort();
        at = csspgo_ctx_root_enter(&self, root);
        __atomic_store_n(&has_it, 1, __ATOMIC_RELEASE);
        while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) call_work(at);
        csspgo_ctx_root_leave(&self);
        csspgo_ctx_thread_free(&self);
    }
#ifdef WITH_LLVM
    else {
        const uintptr_t at = __llvm_ctx_profile_start_context(llvm_root, 1, 2, 1);
        __atomic_store_n(&has_it, 1, __ATOMIC_RELEASE);
        while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) llvm_call_work(at);
        __llvm_ctx_profile_release_context(llvm_root);
    }
#endif
    return NULL;
}

/* ----- measuring ----- */

enum { PLAIN, COUNTING, SCRATCH, LOSER, LLVM_COUNTING, LLVM_SCRATCH, LLVM_LOSER, KINDS };

static const char *const name[] = {
    "plain", "csspgo, counting", "csspgo, scratch", "csspgo, another thread has the root",
    "LLVM 19, counting", "LLVM 19, scratch", "LLVM 19, another thread has the root"
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void calls(int kind)
{
    uint64_t i;
    if (kind == PLAIN) for (i = 0; i < CALLS; i++) plain(i);
    else if (kind < LLVM_COUNTING) ours(kind != SCRATCH);
#ifdef WITH_LLVM
    else llvm(kind != LLVM_SCRATCH);
#endif
}

/* Nanoseconds per call. */
static double slice(int kind)
{
    const int two = kind == LOSER || kind == LLVM_LOSER;
    pthread_t other;
    double start, end;
    has_it = stop = 0;
    if (two && pthread_create(&other, NULL, keep_root, kind == LOSER ? NULL : (void *)&has_it) != 0) abort();
    while (two && !__atomic_load_n(&has_it, __ATOMIC_ACQUIRE)) {}
    start = now();
    calls(kind);
    end = now();
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    if (two) pthread_join(other, NULL);
    return (end - start) / CALLS * 1e9;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
    const int slices = argc > 1 ? atoi(argv[1]) : 300, only = argc > 2 ? atoi(argv[2]) : -1;
#ifdef WITH_LLVM
    const int kinds = KINDS;
#else
    const int kinds = LLVM_COUNTING;
#endif
    double *t = (double *)malloc((size_t)slices * KINDS * sizeof *t);
    int i, k;
    runtime = csspgo_ctx_runtime_new(NULL, NULL);
    root = runtime != NULL ? csspgo_ctx_root_new(runtime, &root_fn, NULL, NULL) : NULL;
    if (root == NULL || t == NULL || csspgo_ctx_thread_init(&self, runtime, 16, NULL) != CSSPGO_OK) return 1;
    for (i = 0; i < slices; i++)
        for (k = 0; k < kinds; k++)
            if (only < 0 || k == only) t[k * slices + i] = slice(k);
    for (k = 0; k < kinds; k++) {
        if (only >= 0 && k != only) continue;
        qsort(t + k * slices, (size_t)slices, sizeof *t, by_size);
        printf("%-38s %5.2f ns per call, median %5.2f\n", name[k], t[k * slices], t[k * slices + slices / 2]);
    }
    free(t);
    csspgo_ctx_thread_free(&self);
    csspgo_ctx_runtime_free(runtime);
    return 0;
}
