/* samples.c - where samples come from
 *
 * Sources, in the order in which they are tried:
 *
 *   lbr     the CPU's last branch records and call stack, through a perf_event_open ring buffer
 *   clock   perf's cpu-clock event: address, call stack and the top of the stack's memory, through a ring buffer
 *   timer   a CLOCK_MONOTONIC timer whose signal handler walks the stack
 *   trap    on request: the same timer, but its handler sets the processor's trap flag for a few dozen branches and so
 *           makes a true branch record in software
 *
 * Samples are taken while code runs and handed to csspgo where no code runs (between two calls of the program), so a
 * function can be freed there.
 */
#include "jit.h"

#if JIT_MACHINE

const char *const source_names[] = { "none", "lbr", "clock", "timer", "trap", "step" };
struct sampler sampler;

/* ----- signal handlers: they touch preallocated memory only ------------------------------------------------------- */

/* The call stack by frame pointers. A JIT knows where its frames are not set up: at a function's begin and at ret. */
static uint32_t walk(const engine *g, const mcontext_t *m, uint64_t stack[STACK])
{
    const uint64_t *frame = (const uint64_t *)(uintptr_t)m->gregs[REG_RBP];
    const uint64_t *sp = (const uint64_t *)(uintptr_t)m->gregs[REG_RSP];
    const uint64_t rip = (uint64_t)m->gregs[REG_RIP];
    const piece *s = piece_at(g, rip);
    uint32_t n = 0;
    stack[n++] = rip;
    if (s == NULL) return n;
    if (rip == s->begin || *(const unsigned char *)(uintptr_t)rip == 0xc3) stack[n++] = sp[0];
    else if (rip == s->begin + 1) stack[n++] = sp[1];
    while (n < STACK && frame != NULL && piece_at(g, stack[n - 1]) != NULL) {
        stack[n++] = frame[1];
        frame = (const uint64_t *)(uintptr_t)frame[0];
    }
    return n;
}

/* Into the queue: the stack as it is now, and branches. */
static void push_sample(const mcontext_t *m, const csspgo_branch *branches, uint32_t n)
{
    uint64_t stack[STACK];
    csspgo_sample s;
    memset(&s, 0, sizeof s);
    s.count = 1;
    s.stack = stack;
    s.stack_count = walk(sampler.g, m, stack);
    s.branches = branches;
    s.branch_count = n;
    csspgo_queue_push(sampler.queue, 0, &s);
}

static void on_timer(int number, siginfo_t *info, void *context)
{
    mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;
    (void)number;
    (void)info;
    if (sampler.g == NULL || m->gregs[REG_EFL] & 0x100 || piece_at(sampler.g, (uint64_t)m->gregs[REG_RIP]) == NULL)
        return;
    if (sampler.from == SOURCE_TRAP) {
        sampler.last = (uint64_t)m->gregs[REG_RIP];
        sampler.branches = 0;
        m->gregs[REG_EFL] |= 0x100;
    } else push_sample(m, NULL, 0);
}

/*
 * Runs after every instruction while the trap flag is set. Windows of branches become samples. Where every instruction
 * is stepped (SOURCE_STEP) they follow each other without a gap: code between two branches counts in the one window
 * that has both, so the last branch of a window is the first one of the next too.
 */
static void on_trap(int number, siginfo_t *info, void *context)
{
    mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;
    const uint64_t rip = (uint64_t)m->gregs[REG_RIP], from = sampler.last;
    const int outside = sampler.g == NULL || piece_at(sampler.g, rip) == NULL;
    csspgo_branch newest_first[LBR];
    csspgo_insn insn;
    uint32_t k;
    (void)number;
    (void)info;
    sampler.last = rip;
    sampler.steps++;
    if (outside && sampler.from != SOURCE_STEP) {
        m->gregs[REG_EFL] &= ~(greg_t)0x100;
        return;
    }
    csspgo_decode_x86_64((const void *)(uintptr_t)from, 15, from, &insn);
    if (rip == from + insn.size) return;
    if (outside && sampler.branches == 0) return;
    sampler.window[sampler.branches].from = from;
    sampler.window[sampler.branches].to = rip;
    sampler.branches++;
    if (!outside && sampler.branches < WINDOW) return;
    for (k = 0; k < sampler.branches; k++) newest_first[k] = sampler.window[sampler.branches - 1 - k];
    push_sample(m, newest_first, sampler.branches);
    sampler.window[0] = sampler.window[sampler.branches - 1];
    sampler.branches = outside ? 0 : 1;
    if (sampler.from != SOURCE_STEP) m->gregs[REG_EFL] &= ~(greg_t)0x100;
}

/* ----- opening and closing ---------------------------------------------------------------------------------------- */

static int open_event(int branches)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct perf_event_attr a;
    void *base;
    memset(&a, 0, sizeof a);
    a.size = sizeof a;
    a.type = branches ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
    a.config = branches ? (uint64_t)PERF_COUNT_HW_BRANCH_INSTRUCTIONS : (uint64_t)PERF_COUNT_SW_CPU_CLOCK;
    a.sample_period = branches ? 20011 : 250000;          /* branches; nanoseconds */
    a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
    if (branches) {
        a.sample_type |= PERF_SAMPLE_BRANCH_STACK;
        a.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
    } else {                                              /* see mended() */
        a.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        a.sample_regs_user = 1u << PERF_REG_X86_SP;
        a.sample_stack_user = 16;
    }
    a.exclude_kernel = a.exclude_hv = a.exclude_callchain_kernel = 1;
    a.disabled = 1;
    sampler.fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (sampler.fd < 0) return 0;
    base = mmap(NULL, (1 + RING_PAGES) * page, PROT_READ | PROT_WRITE, MAP_SHARED, sampler.fd, 0);
    memset(&sampler.ring, 0, sizeof sampler.ring);
    sampler.ring.bounce = malloc(1 << 16);
    if (base == MAP_FAILED || sampler.ring.bounce == NULL) {
        free(sampler.ring.bounce);
        close(sampler.fd);
        sampler.fd = -1;
        return 0;
    }
    sampler.page = (struct perf_event_mmap_page *)base;
    sampler.ring.data = (const char *)base + page;
    sampler.ring.size = RING_PAGES * page;
    sampler.ring.bounce_size = 1 << 16;
    sampler.ring.event.sample_type = a.sample_type;
    sampler.ring.event.branch_sample_type = a.branch_sample_type;
    return 1;
}

static int open_timer(long nanoseconds)
{
    struct itimerspec every;
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGPROF;
    if (timer_create(CLOCK_MONOTONIC, &event, &sampler.timer) != 0) return 0;
    sampler.has_timer = 1;
    every.it_interval.tv_sec = every.it_value.tv_sec = 0;
    every.it_interval.tv_nsec = every.it_value.tv_nsec = nanoseconds;
    return timer_settime(sampler.timer, 0, &every, NULL) == 0;
}

static int set_handler(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaddset(&action.sa_mask, SIGPROF);
    return sigaction(number, &action, NULL) == 0;
}

void sampler_close(void)
{
    if (sampler.fd >= 0 && sampler.page != NULL) {
        ioctl(sampler.fd, PERF_EVENT_IOC_DISABLE, 0);
        munmap(sampler.page, (1 + RING_PAGES) * (size_t)sysconf(_SC_PAGESIZE));
        close(sampler.fd);
        free(sampler.ring.bounce);
    }
    if (sampler.has_timer) timer_delete(sampler.timer);
    sampler.g = NULL;                                     /* a signal may still come */
    csspgo_profile_free(sampler.profile);
    csspgo_queue_free(sampler.queue);
    sampler.profile = NULL;
    sampler.queue = NULL;
    sampler.has_timer = 0;
    sampler.page = NULL;
    sampler.fd = -1;
    sampler.from = SOURCE_NONE;
}

/* Opens a source for an engine, or the first one that works from there on: SOURCE_NONE if none does. Says so aloud. */
source sampler_open(const engine *g, source wanted, int quiet)
{
    const csspgo_queue_options how = { 1, SAMPLES, STACK, LBR };
    source s;
    memset(sampler.window, 0, sizeof sampler.window);
    sampler.fd = -1;
    sampler.branches = 0;
    sampler.taken = sampler.lost = sampler.steps = 0;
    sampler.g = NULL;
    csspgo_queue_free(sampler.queue);                     /* of a source that was not closed */
    sampler.queue = csspgo_queue_new(&how, NULL, NULL);
    sampler.g = sampler.queue != NULL ? g : NULL;
    for (s = wanted; s <= wanted || s <= SOURCE_TIMER; s = (source)(s + 1)) {
        int ok = 0;
        sampler.from = s;
        if (s == SOURCE_LBR || s == SOURCE_CLOCK) ok = open_event(s == SOURCE_LBR);
        if (s == SOURCE_STEP || s == SOURCE_TRAP) ok = set_handler(SIGTRAP, on_trap);
        if (s == SOURCE_TIMER || (ok && s == SOURCE_TRAP))
            ok = set_handler(SIGPROF, on_timer) && open_timer(s == SOURCE_TRAP ? 4000000 : 500000);
        if (sampler.queue == NULL) ok = 0;
        if (ok && (s == SOURCE_CLOCK || s == SOURCE_TIMER)) {
            sampler.profile = csspgo_profile_new(NULL, NULL);
            if (sampler.profile == NULL) ok = 0;
            else csspgo_profile_set_flags(sampler.profile, CSSPGO_IS_CS | CSSPGO_IS_PROBE);
        }
        if (ok) {
            if (s != wanted && !quiet)
                printf("(samples come from \"%s\": \"%s\" does not work on this machine)\n", source_names[s],
                       source_names[wanted]);
            if (sampler.fd >= 0) ioctl(sampler.fd, PERF_EVENT_IOC_ENABLE, 0);
            return s;
        }
    }
    if (!quiet) printf("(no source of samples works on this machine)\n");
    sampler_close();
    return SOURCE_NONE;
}

#endif
