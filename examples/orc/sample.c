/* sample.c - samples of the program's thread: a timer signal, call stacks by frame pointers
 *
 * The same handler looks which replaced code is still on the stack, when it is asked to. It takes every word there for
 * a return address that looks like one: that misses none, whatever libraries do with the frame pointer.
 */
#include "orc.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#  define sigev_notify_thread_id _sigev_un._tid
#endif

enum { FRAMES = 64, NEAR_WORDS = 128, LOOK_WORDS = 8192 };    /* LOOK_WORDS: of a deeper stack, a look is put off */

static orc      *of;
static uintptr_t top;
static timer_t   timer;
static uint64_t  period_ns, seed = 88172645463325252u, longest_ns, longest_look_ns;
static replaced *looked_for;
static size_t    looked_count;
static int       look;                           /* 1: asked for, 2: done, 3: it is being done */

static uint64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int is_code(uint64_t address)
{
    return address >= of->low && address < of->high;
}

static void found(uint64_t address)
{
    size_t a = 0, b = looked_count;
    if (!is_code(address)) return;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (looked_for[m].end < address) a = m + 1;       /* a call may be a function's last instruction */
        else b = m;
    }
    if (a < looked_count && looked_for[a].begin <= address) looked_for[a].on_stack = 1;
    if (a + 1 < looked_count && looked_for[a + 1].begin == address) looked_for[a + 1].on_stack = 1;
}

static void look_around(const greg_t *registers, const uint64_t *sp)
{
    const uint64_t begun = cpu_ns();
    uint64_t took;
    int i;
    if ((uint64_t)(top - (uintptr_t)sp) / sizeof *sp > LOOK_WORDS) {
        __atomic_store_n(&look, 1, __ATOMIC_RELEASE);
        return;
    }
    for (i = 0; i < NGREG; i++) found((uint64_t)registers[i]);
    for (sp = (const uint64_t *)((uintptr_t)sp & ~(uintptr_t)7); (uintptr_t)sp < top; sp++) found(*sp);
    __atomic_store_n(&look, 2, __ATOMIC_RELEASE);
    took = cpu_ns() - begun;
    if (took > longest_look_ns) longest_look_ns = took;
}

/* The next sample comes after half a period to one and a half: programs have periods, too. */
static void set_timer(void)
{
    struct itimerspec t;
    memset(&t, 0, sizeof t);
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    t.it_value.tv_nsec = (long)(period_ns != 0 ? period_ns / 2 + seed % period_ns : 0);
    timer_settime(timer, 0, &t, NULL);
}

/*
 * Return addresses along the frame pointers, all of which must lie in this thread's stack, upwards. Other libraries
 * have none, but seldom change the register: where they return to the program is looked for on the stack.
 */
static void on_timer(int number, siginfo_t *info, void *context)
{
    const greg_t *const registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    const uintptr_t sp = (uintptr_t)registers[REG_RSP];
    const uint64_t begun = cpu_ns(), pc = (uint64_t)registers[REG_RIP];
    uintptr_t fp = (uintptr_t)registers[REG_RBP];
    uint64_t stack[FRAMES], took;
    csspgo_sample sample;
    int asked = 1;
    (void)number;
    (void)info;
    if (sp >= top) return set_timer();
    memset(&sample, 0, sizeof sample);
    sample.count = 1;
    sample.stack = stack;
    stack[sample.stack_count++] = pc;
    if (!is_code(pc)) {
        const uintptr_t *word = (const uintptr_t *)((sp + 7) & ~(uintptr_t)7);
        const uintptr_t *end = word + NEAR_WORDS;
        while (word < end && (uintptr_t)word < top && (uintptr_t)word != fp + sizeof fp && !is_code(*word)) word++;
        if (word < end && (uintptr_t)word < top && (uintptr_t)word < fp) stack[sample.stack_count++] = *word;
    }
    while (sample.stack_count < FRAMES && fp >= sp && fp % sizeof fp == 0 && fp < top - 2 * sizeof fp) {
        const uintptr_t *frame = (const uintptr_t *)fp;
        stack[sample.stack_count++] = frame[1];
        if (frame[0] <= fp) break;
        fp = frame[0];
    }
    csspgo_runtime_push(of->profiler, 0, &sample);
    took = cpu_ns() - begun;
    if (took > longest_ns) longest_ns = took;
    if (__atomic_compare_exchange_n(&look, &asked, 3, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        look_around(registers, (const uint64_t *)sp);
    set_timer();
}

void sample_rate(unsigned hertz)
{
    period_ns = hertz != 0 ? 1000000000u / hertz : 0;
    set_timer();
}

int sample_start(orc *o, const void *stack_top)
{
    struct sigaction a;
    struct sigevent e;
    of = o;
    top = (uintptr_t)stack_top;
    memset(&a, 0, sizeof a);
    a.sa_sigaction = on_timer;
    a.sa_flags = SA_SIGINFO | SA_RESTART;
    memset(&e, 0, sizeof e);
    e.sigev_notify = SIGEV_THREAD_ID;
    e.sigev_signo = SIGPROF;
    e.sigev_notify_thread_id = (int)syscall(SYS_gettid);
    return sigaction(SIGPROF, &a, NULL) == 0 && timer_create(CLOCK_MONOTONIC, &e, &timer) == 0;
}

void sample_look(replaced *old, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) old[i].on_stack = 0;
    looked_for = old;
    looked_count = count;
    __atomic_store_n(&look, 1, __ATOMIC_RELEASE);
}

int sample_looked(void)
{
    return __atomic_load_n(&look, __ATOMIC_ACQUIRE) == 2;
}

void sample_stop_looking(void)
{
    int asked = 1;
    while (!__atomic_compare_exchange_n(&look, &asked, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) && asked == 3)
        asked = 1;
}

uint64_t sample_longest_look_ns(void)
{
    return longest_look_ns;
}

uint64_t sample_longest_ns(void)
{
    return longest_ns;
}
