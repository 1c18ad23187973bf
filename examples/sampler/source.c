/* source.c - where samples come from: perf_event_open, or a timer signal */
#define _GNU_SOURCE
#include "source.h"

#if defined(__linux__)
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#if !defined(SOURCE_RATE)
#  define SOURCE_RATE 1999        /* samples a second of CPU time (clock) or of time (timer) */
#endif

enum {
    RING_PAGES = 64,              /* of the ring buffer: what an unprivileged user may lock is 128 */
    BRANCHES = 200003,            /* taken branches between two samples of the LBR */
    FRAMES = 64
};

/*
 * Adds the code that has probes, a region at a time. The rest (this sampler, the C library's start) would take memory
 * for samples that no profile can use.
 */
static int source_probed(loaded *own, char *why, size_t size)
{
    csspgo_probe_set *const probes = load_sections(own, why, size);
    const load_regions *const r = probes != NULL ? load_regions_of(own) : NULL;
    unsigned char *const has_probes = r != NULL ? (unsigned char *)calloc(r->regions + 1, 1) : NULL;
    csspgo_probe_tables t;
    csspgo_code_bytes b;
    csspgo_status status = CSSPGO_OK;
    size_t i;
    if (probes == NULL) return 0;
    t = csspgo_probe_set_tables(probes);
    memset(&b, 0, sizeof b);
    b.arch = own->elf.machine == ELF_X86_64 ? CSSPGO_X86_64 : CSSPGO_AARCH64;
    for (i = 0; has_probes != NULL && i < t.probe_count; i++) {
        const load_region *const region = load_region_at(r, t.probes[i].address);
        if (region != NULL) has_probes[region - r->region] = 1;
    }
    for (i = 0; has_probes != NULL && i < r->regions && status == CSSPGO_OK; i++) {
        const load_text *const text = has_probes[i] ? load_text_at(r, r->region[i].begin) : NULL;
        if (text == NULL || text->code == NULL) continue;
        b.address = r->region[i].begin;
        b.bytes = text->code + (b.address - text->begin);
        b.size = (size_t)(r->region[i].end - b.address);
        status = csspgo_code_add_bytes(own->code, own->module, &b, NULL);
    }
    if (has_probes == NULL) status = CSSPGO_E_NOMEM;
    csspgo_probe_set_free(probes);
    free(has_probes);
    return status == CSSPGO_OK || load_fail(why, size, csspgo_status_text(status));
}

/* The file says where its entry was linked, the process where it is. */
int source_code(csspgo_code *code, char *why, size_t size)
{
    extern void _start(void);
    static const char path[] = "/proc/self/exe";
    uint64_t entry;
    loaded own;
    int ok = load_files(&own, path, NULL, why, size) &&
             (load_decodes(&own) || load_fail(why, size, "is neither of x86-64 nor of AArch64"));
    own.code = code;
    own.borrowed = 1;
    if (ok) memcpy(&entry, own.elf.data + 24, sizeof entry);   /* e_entry of a 64-bit ELF header */
    if (ok && (!load_segments(&own, path) ||
               csspgo_code_set_bias(code, own.module, (uint64_t)(uintptr_t)_start - entry, NULL) != CSSPGO_OK))
        ok = load_fail(why, size, "out of memory");
    ok = ok && source_probed(&own, why, size) && load_probes(&own, why, size);
    load_free(&own);
    return ok;
}

static csspgo_runtime *timer_profiler;       /* the handler pushes there */
static uintptr_t       timer_stack_top;

/* Return addresses along the frame pointers, all of which must lie in this thread's stack, upwards. */
static void on_timer(int number, siginfo_t *info, void *context)
{
    const ucontext_t *u = (const ucontext_t *)context;
    uint64_t stack[FRAMES];
    csspgo_sample sample;
    uintptr_t pc, fp, sp;
    (void)number;
    (void)info;
#if defined(__x86_64__)
    pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
    fp = (uintptr_t)u->uc_mcontext.gregs[REG_RBP];
    sp = (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    pc = (uintptr_t)u->uc_mcontext.pc;
    fp = (uintptr_t)u->uc_mcontext.regs[29];
    sp = (uintptr_t)u->uc_mcontext.sp;
#else
    pc = fp = sp = 0;
    (void)u;
#endif
    memset(&sample, 0, sizeof sample);
    sample.count = 1;
    sample.stack = stack;
    stack[sample.stack_count++] = pc;
    while (sample.stack_count < FRAMES && fp >= sp && fp % sizeof fp == 0 && fp < timer_stack_top - 2 * sizeof fp) {
        const uintptr_t *frame = (const uintptr_t *)fp;
        stack[sample.stack_count++] = frame[1];
        if (frame[0] <= fp) break;
        fp = frame[0];
    }
    csspgo_runtime_push(timer_profiler, 0, &sample);
}

static void timer_set(long microseconds)
{
    struct itimerval v;
    memset(&v, 0, sizeof v);
    v.it_interval.tv_usec = v.it_value.tv_usec = microseconds;
    setitimer(ITIMER_REAL, &v, NULL);
}

static int open_timer(void)
{
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_sigaction = on_timer;
    a.sa_flags = SA_SIGINFO | SA_RESTART;
    return sigaction(SIGALRM, &a, NULL) == 0;
}

/* Opens the event for this thread, and maps its ring buffer. */
static int open_event(source *s, source_kind kind)
{
    const size_t unit = (size_t)sysconf(_SC_PAGESIZE);
    struct perf_event_attr a;
    void *base;
    memset(&a, 0, sizeof a);
    a.size = sizeof a;
    a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN;
    a.disabled = a.exclude_kernel = a.exclude_hv = a.exclude_callchain_kernel = 1;
    if (kind == BY_LBR) {
        a.type = PERF_TYPE_HARDWARE;
        a.config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
        a.sample_period = BRANCHES;
        a.sample_type |= PERF_SAMPLE_BRANCH_STACK;
        a.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
    } else {
        a.type = PERF_TYPE_SOFTWARE;
        a.config = PERF_COUNT_SW_CPU_CLOCK;
        a.freq = 1;
        a.sample_freq = SOURCE_RATE;
    }
    s->fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (s->fd < 0) return 0;
    base = mmap(NULL, (1 + RING_PAGES) * unit, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
    s->ring.bounce_size = 65536;
    s->ring.bounce = malloc(s->ring.bounce_size);
    if (base == MAP_FAILED || s->ring.bounce == NULL) {
        close(s->fd);
        return 0;
    }
    s->page = (struct perf_event_mmap_page *)base;
    s->ring.data = (const char *)base + unit;
    s->ring.size = RING_PAGES * unit;
    s->ring.event.sample_type = a.sample_type;
    s->ring.event.branch_sample_type = a.branch_sample_type;
    return 1;
}

void source_enable(source *s, int on)
{
    if (s->kind == BY_TIMER) timer_set(on ? 1000000 / SOURCE_RATE : 0);
    else if (s->kind != BY_NOTHING) ioctl(s->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void source_open(source *s, const char *only, const void *stack_top, csspgo_runtime *profiler)
{
    static const char *const names[] = { "lbr", "clock", "timer" };
    static const char *const what[] = { "the CPU's last branch records, by perf_event_open",
                                        "the kernel's CPU clock and call chains, by perf_event_open",
                                        "a timer signal and frame pointers" };
    int kind;
    memset(s, 0, sizeof *s);
    timer_stack_top = (uintptr_t)stack_top;
    timer_profiler = profiler;
    for (kind = BY_LBR; kind < BY_NOTHING; kind++) {
        if (only != NULL && strcmp(only, names[kind]) != 0) continue;
        if (kind == BY_TIMER ? open_timer() : open_event(s, (source_kind)kind)) break;
        printf("not %s: %s\n", what[kind], strerror(errno));
    }
    s->kind = (source_kind)kind;
    if (kind != BY_NOTHING) printf("samples from %s\n", what[kind]);
}

int source_next(source *s, csspgo_sample *sample)
{
    csspgo_mmap map;
    csspgo_item item;
    if (s->kind == BY_NOTHING || s->kind == BY_TIMER) return 0;
    if (!s->reading) s->ring.head = __atomic_load_n(&s->page->data_head, __ATOMIC_ACQUIRE);
    s->reading = 1;
    while ((item = csspgo_ring_next(&s->ring, sample, &map, NULL)) != CSSPGO_ITEM_NONE) {
        if (item == CSSPGO_ITEM_SAMPLE) return 1;
    }
    __atomic_store_n(&s->page->data_tail, s->ring.tail, __ATOMIC_RELEASE);
    s->reading = 0;
    return 0;
}

uint64_t source_lost(const source *s)
{
    return s->ring.lost;
}

void source_close(source *s)
{
    free(s->ring.bounce);
}
#endif
