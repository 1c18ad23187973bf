/* main.c - LLVM's JIT compiles a program, and optimises it by what it does
 *
 *     clang-19 -O2 -g1 -fPIC -fpseudo-probe-for-profiling -funique-internal-linkage-names -fno-omit-frame-pointer \
 *         -mno-omit-leaf-frame-pointer -Xclang -disable-llvm-passes -emit-llvm -c a.c b.c
 *     llvm-link-19 -o program.bc a.bc b.bc
 *     make orc && build/orc [OPTION...] program.bc [ARGUMENT...]      runs the program (needs llvm-19-dev)
 *
 * Probes of calls and inlinees stand in debug locations, so bitcode without -g1 gives a profile without contexts.
 *
 *     --tier1             no second tier, only samples
 *     --no-profile        the second tier does not get the profile, only the list of hot functions
 *     --inline            csspgo's pre-inliner decides what is inlined in which context, LLVM does as it says
 *     --after=N           the second tier comes after N samples, the third after 8 N
 *     --load=F, --save=F  the profile of the last run, for all code from the start; the profile of this one
 *     --report            at exit, on stderr
 *     --keep=F            writes F.N.o and F.N.s: tier N's object and stubs, to count instructions
 *
 * Tier 1 is all of the program with probes, at -O2. While it runs, a timer takes samples of its stack. A second thread
 * makes a profile of contexts of them by csspgo_runtime, has LLVM compile the hot functions with it (sample-profile),
 * and lets their stubs lead to the new code: the program's thread waits for nothing. It does so twice. Code that was
 * replaced leaves the code map as soon as it is not on the stack any more. A function that does not return, such as
 * main, goes on in its old code.
 *
 * Limits: x86-64 Linux; C without thread-local variables; only the first thread is sampled, and threads must not run
 * code that is replaced.
 *
 *   module.c    the program's bitcode, LLVM's passes
 *   object.c    the compiled object: code, probes, for the code map; stubs
 *   sample.c    the timer
 */
#include "orc.h"

#include <llvm-c/Error.h>
#include <llvm-c/Target.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define CSSPGO_IMPLEMENTATION
#include "../../csspgo.h"

enum {
    RATE = 4000, LATER_RATE = 250,            /* samples a second until the last tier is there, and then */
    MEMORY = 128 << 20, QUEUE = 8192,
    HOT = 990                                 /* in 1/1000 of all counts: those of the hot functions */
};
static uint64_t       tier_after[] = { 600, 5000 };     /* samples */
static unsigned       tiers = sizeof tier_after / sizeof *tier_after;

static orc            jit;
static replaced      *old;
static size_t         old_count;
static pthread_t      thread;
static volatile int   ends;
static const char    *save_path;
static int            with_profile = 1, own_inliner, wants_report, failed, background;
static uint64_t       begun, retired, freed;
static struct { uint64_t at_ns, took_ns, cpu_ns, swap_ns; } done[TIERS];

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int check(csspgo_status s, const csspgo_error *e)
{
    if (s == CSSPGO_OK || s == CSSPGO_MORE) return 1;
    fprintf(stderr, "orc: %s\n", e->message);
    failed = 1;
    return 0;
}

/* ----- the profile, for LLVM ----- */

/* The profile for LLVM: cold contexts merged; with own_inliner, with its decisions. Into the file in memory. */
static int write_profile(csspgo_profile *p)
{
    csspgo_cold_options cold;
    csspgo_error e;
    char *bytes = NULL;
    size_t size = 0;
    int ok;
    memset(&cold, 0, sizeof cold);
    cold.merge = 1;
    ok = check(csspgo_trim_cold(p, &cold, &e), &e);
    if (ok && own_inliner) ok = check(csspgo_preinline(p, NULL, NULL, &e), &e) && check(csspgo_nest(p, 0, &e), &e);
    if (ok) csspgo_write(p, CSSPGO_EXTBINARY, NULL, 0, &size, &e);
    if (ok) ok = (bytes = (char *)malloc(size + 1)) != NULL;
    if (ok) ok = check(csspgo_write(p, CSSPGO_EXTBINARY, bytes, size, &size, &e), &e);
    if (ok) ok = ftruncate(jit.profile_fd, 0) == 0 && pwrite(jit.profile_fd, bytes, size, 0) == (ssize_t)size;
    free(bytes);
    return ok;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static function *function_of(const csspgo_profile *p, csspgo_node n)
{
    size_t size;
    const char *const name = csspgo_func_name(p, csspgo_node_func(p, n), &size);
    return name != NULL ? orc_function(&jit, name, size, 0) : NULL;
}

/* Marks a hot function and, in each of its contexts that matters, the one that calls it or that it was inlined into. */
static void mark_hot(const csspgo_profile *p, uint64_t guid, uint64_t least)
{
    csspgo_node n = csspgo_func_nodes(p, csspgo_func_find_guid(p, guid));
    for (; n.id != 0; n = csspgo_node_next_same(p, n)) {
        csspgo_node at = n;
        function *f = function_of(p, n);
        if (f != NULL) f->hot = 1;
        if (csspgo_total(p, n) < least) continue;
        for (f = NULL; f == NULL && (at = csspgo_node_parent(p, at)).id != 0;) f = function_of(p, at);
        if (f != NULL) f->hot = 1;
    }
}

/* The hot functions, and all that were sampled. */
static int find_hot(const csspgo_profile *p)
{
    csspgo_runtime_function *const hot = (csspgo_runtime_function *)malloc(STUBS * sizeof *hot);
    uint64_t all = 0, sum = 0;
    size_t n, i;
    if (hot == NULL) return 0;
    n = csspgo_runtime_hot(jit.profiler, hot, STUBS);
    jit.sampled_count = 0;
    for (i = 0; i < n; i++) all += hot[i].total;
    for (i = 0; i < n && hot[i].total != 0; i++) {
        if (sum < all / 1000 * HOT) mark_hot(p, hot[i].guid, all / 1000);
        sum += hot[i].total;
        jit.sampled[jit.sampled_count++] = hot[i].guid;
    }
    qsort(jit.sampled, jit.sampled_count, sizeof *jit.sampled, by_value);
    free(hot);
    return 1;
}

/* Makes a profile of all samples so far. Returns 0 on failure. */
static int take_profile(void)
{
    csspgo_error e;
    csspgo_profile *const p = csspgo_profile_new(NULL, &e);
    const int ok = p != NULL && check(csspgo_runtime_profile(jit.profiler, p, &e), &e) && find_hot(p) &&
                   write_profile(p);
    csspgo_profile_free(p);
    return ok;
}

/* ----- tiers ----- */

static int by_begin(const void *a, const void *b)
{
    const uint64_t x = ((const replaced *)a)->begin, y = ((const replaced *)b)->begin;
    return x < y ? -1 : x > y;
}

/* Code that is not on the stack leaves the map; if a tier's last code does, its memory is given back. */
static void retire(void)
{
    LLVMErrorRef why;
    csspgo_error e;
    size_t i, n = 0;
    for (i = 0; i < old_count; i++) {
        const unsigned tier = old[i].tier;
        if (old[i].on_stack) {
            old[n++] = old[i];
            continue;
        }
        check(csspgo_runtime_retire(jit.profiler, old[i].begin, old[i].end, &e), &e);
        retired++;
        if (--jit.code_of[tier] != 0 || tier == 1) continue;
        why = LLVMOrcResourceTrackerRemove(jit.tracker[tier]);
        if (why != NULL) orc_fail("a tier's memory", why);
        freed++;
    }
    old_count = n;
}

static int tier_up(unsigned how)
{
    const uint64_t start = clock_ns(CLOCK_MONOTONIC), start_cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    replaced *const last = jit.made;
    const size_t last_count = jit.made_count;
    uint64_t swap;
    if (!orc_compile(&jit, how) || !orc_describe(&jit)) return 0;
    sample_stop_looking();
    swap = clock_ns(CLOCK_MONOTONIC);
    old_count += orc_hand_over(&jit, last, last_count, old + old_count);
    done[jit.tier].swap_ns = clock_ns(CLOCK_MONOTONIC) - swap;
    done[jit.tier].at_ns = clock_ns(CLOCK_MONOTONIC) - begun;
    done[jit.tier].cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_cpu;
    done[jit.tier].took_ns = clock_ns(CLOCK_MONOTONIC) - start;
    qsort(old, old_count, sizeof *old, by_begin);
    free(last);
    if (jit.keep != NULL) orc_keep(&jit);
    if (old_count != 0) sample_look(old, old_count);
    return 1;
}

static void *in_background(void *unused)
{
    unsigned next = 0;
    csspgo_error e;
    (void)unused;
    while (!ends) {
        const uint64_t samples = csspgo_runtime_get_stats(jit.profiler).pushed;
        usleep(5000);
        if (old_count != 0 && sample_looked()) {
            retire();
            sample_look(old, old_count);
        }
        if (next < tiers && samples >= tier_after[next]) {
            next++;
            if (take_profile()) tier_up(ONLY_HOT | (with_profile ? WITH_PROFILE : 0u));
            if (next == tiers) sample_rate(LATER_RATE);
        }
        if (next == tiers) check(csspgo_runtime_step(jit.profiler, 100000, &e), &e);
    }
    return NULL;
}

/* ----- start and end ----- */

static void report(void)
{
    char text[4000];
    csspgo_error e;
    size_t size = 0;
    const csspgo_runtime_stats s = csspgo_runtime_get_stats(jit.profiler);
    const csspgo_code *const code = csspgo_runtime_get_parts(jit.profiler).code;
    csspgo_code_place place;
    size_t i, in_map = 0;
    unsigned t;
    for (t = 1; t <= jit.tier; t++)
        fprintf(stderr, "orc: tier %u at %.3f s: compiled in %.0f ms (CPU %.0f ms), handed over in %.1f us\n", t,
                (double)done[t].at_ns / 1e9, (double)done[t].took_ns / 1e6, (double)done[t].cpu_ns / 1e6,
                (double)done[t].swap_ns / 1e3);
    for (i = 0; i < jit.function_count; i++) in_map += (size_t)csspgo_code_find(code, jit.functions[i].begin, &place);
    fprintf(stderr, "orc: %zu functions, %zu in the code map; %llu replaced and gone, %zu replaced and still running; "
            "%llu tiers freed\n", jit.function_count, in_map, (unsigned long long)retired, old_count,
            (unsigned long long)freed);
    fprintf(stderr, "orc: %llu samples, %llu lost; longest handler %.1f us, longest look at the stack %.1f us\n",
            (unsigned long long)s.pushed, (unsigned long long)s.queue_dropped, (double)sample_longest_ns() / 1e3,
            (double)sample_longest_look_ns() / 1e3);
    if (csspgo_runtime_report(jit.profiler, text, sizeof text, &size, &e) == CSSPGO_OK)
        fprintf(stderr, "%.*s", (int)size, text);
}

static void save(void)
{
    csspgo_error e;
    csspgo_profile *p = csspgo_profile_new(NULL, &e);
    if (p != NULL && check(csspgo_runtime_profile(jit.profiler, p, &e), &e))
        check(csspgo_write_file(p, save_path, CSSPGO_EXTBINARY, &e), &e);
    csspgo_profile_free(p);
}

static void at_exit(void)
{
    sample_rate(0);
    ends = 1;
    if (background) pthread_join(thread, NULL);
    if (wants_report) report();
    if (save_path != NULL) save();
}

/* A page table of jumps, `jmp *slot(%rip)`, and behind it their slots. */
static int make_stubs(void)
{
    unsigned char *const at = (unsigned char *)mmap(NULL, 2 * STUBS * STUB_BYTES, PROT_READ | PROT_WRITE,
                                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const uint32_t distance = STUBS * STUB_BYTES - 6;
    size_t i;
    if (at == MAP_FAILED) return 0;
    for (i = 0; i < STUBS; i++) {
        at[i * STUB_BYTES] = 0xff;
        at[i * STUB_BYTES + 1] = 0x25;
        memcpy(at + i * STUB_BYTES + 2, &distance, sizeof distance);
    }
    jit.stubs = at;
    jit.slots = (uint64_t *)(void *)(at + STUBS * STUB_BYTES);
    return mprotect(at, STUBS * STUB_BYTES, PROT_READ | PROT_EXEC) == 0;
}

static int start(const char *program, const char *load_path)
{
    csspgo_runtime_options how;
    csspgo_generate_options generate;
    csspgo_error e;
    int ok;
    memset(&how, 0, sizeof how);
    memset(&generate, 0, sizeof generate);
    generate.estimate_fn = csspgo_estimate_blocks;
    how.generate = &generate;
    how.bytes = MEMORY;
    how.samples = QUEUE;
    begun = clock_ns(CLOCK_MONOTONIC);
    jit.functions = (function *)calloc(STUBS, sizeof *jit.functions);
    jit.sampled = (uint64_t *)calloc(STUBS, sizeof *jit.sampled);
    old = (replaced *)calloc(TIERS * STUBS, sizeof *old);
    jit.profiler = csspgo_runtime_new(&how, NULL, &e);
    if (jit.profiler == NULL) return check(e.status, &e);
    if (jit.functions == NULL || jit.sampled == NULL || old == NULL || !make_stubs()) return 0;
    if (!orc_start(&jit, program)) return 0;
    if (load_path != NULL) {
        LLVMMemoryBufferRef last;
        char *why = NULL;
        if (LLVMCreateMemoryBufferWithContentsOfFile(load_path, &last, &why)) return orc_fail(why, NULL), 0;
        ok = check(csspgo_runtime_load(jit.profiler, LLVMGetBufferStart(last), LLVMGetBufferSize(last), &e), &e);
        LLVMDisposeMemoryBuffer(last);
        if (!ok || !take_profile()) return 0;
    }
    return tier_up(load_path != NULL ? WITH_PROFILE : 0);
}

int main(int argc, char **argv)
{
    const char *load_path = NULL;
    const function *entry;
    int i;
    int (*run)(int, char **);
    for (i = 1; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--tier1") == 0) tiers = 0;
        else if (strcmp(argv[i], "--no-profile") == 0) with_profile = 0;
        else if (strcmp(argv[i], "--inline") == 0) own_inliner = 1;
        else if (strcmp(argv[i], "--report") == 0) wants_report = 1;
        else if (strncmp(argv[i], "--after=", 8) == 0) {
            tier_after[0] = (uint64_t)strtoul(argv[i] + 8, NULL, 10);
            tier_after[1] = 8 * tier_after[0];
        } else if (strncmp(argv[i], "--load=", 7) == 0) load_path = argv[i] + 7;
        else if (strncmp(argv[i], "--save=", 7) == 0) save_path = argv[i] + 7;
        else if (strncmp(argv[i], "--keep=", 7) == 0) jit.keep = argv[i] + 7;
        else break;
    }
    if (i >= argc || argv[i][0] == '-') return fprintf(stderr, "orc [OPTION...] PROGRAM.bc [ARGUMENT...]\n"), 2;
    if (!start(argv[i], load_path)) return 1;
    entry = orc_function(&jit, "main", 4, 0);
    if (entry == NULL) return fprintf(stderr, "orc: the program has no main\n"), 1;
    if (!sample_start(&jit, __builtin_frame_address(0))) return fprintf(stderr, "orc: no timer\n"), 1;
    atexit(at_exit);
    background = pthread_create(&thread, NULL, in_background, NULL) == 0;
    begun = clock_ns(CLOCK_MONOTONIC);
    sample_rate(RATE);
    memcpy(&run, &(uint64_t){ (uintptr_t)(jit.stubs + (size_t)(entry - jit.functions) * STUB_BYTES) }, sizeof run);
    exit(run(argc - i, argv + i));
}
