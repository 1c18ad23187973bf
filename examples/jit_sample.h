/* jit_sample.h - where jit.c's samples come from, and how they reach csspgo
 *
 * Included by jit.c behind jit_x64.h. Sources, in the order in which they are tried:
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
enum { LBR = 32, WINDOW = 24, STACK = 96, SAMPLES = 8192, RING_PAGES = 64 };

typedef enum source { SOURCE_NONE, SOURCE_LBR, SOURCE_CLOCK, SOURCE_TIMER, SOURCE_TRAP, SOURCE_STEP } source;

static const char *const source_names[] = { "none", "lbr", "clock", "timer", "trap", "step" };

static struct sampler {
    source        from;
    const engine *g;
    int           fd;                 /* of the perf event, -1: none */
    struct perf_event_mmap_page *page;
    csspgo_ring   ring;
    timer_t       timer;
    int           has_timer;
    csspgo_branch window[LBR];        /* taken branches, oldest first                                         */
    uint32_t      branches;
    uint64_t      last, steps;        /* the instruction that is being executed; how many were single-stepped */
    uint32_t      count;              /* samples in the buffer                                                */
    csspgo_profile *profile;          /* of samples without branch records                                    */
    uint64_t      taken, lost;        /* handed to csspgo; no room, or in a prologue with no caller to be seen */
    csspgo_sample sample[SAMPLES];
    csspgo_branch branch[SAMPLES][LBR];
    uint64_t      stack[SAMPLES][STACK];
} sampler;

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

static csspgo_sample *new_sample(const mcontext_t *m)
{
    csspgo_sample *s = &sampler.sample[sampler.count];
    if (sampler.count == SAMPLES) {
        sampler.lost++;
        return NULL;
    }
    memset(s, 0, sizeof *s);
    s->count = 1;
    s->stack = sampler.stack[sampler.count];
    s->stack_count = walk(sampler.g, m, sampler.stack[sampler.count]);
    s->branches = sampler.branch[sampler.count++];
    return s;
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
    } else new_sample(m);
}

/*
 * Runs after every instruction while the trap flag is set. Windows of branches become samples. Where every instruction
 * is stepped (SOURCE_STEP) they follow each other without a gap: code between two branches counts in the one window
 * that has both, so the last branch of a window is the first one of the next too. A call counts once per record of it,
 * so no window ends with a call.
 */
static void on_trap(int number, siginfo_t *info, void *context)
{
    mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;
    const uint64_t rip = (uint64_t)m->gregs[REG_RIP], from = sampler.last;
    const int outside = sampler.g == NULL || piece_at(sampler.g, rip) == NULL;
    csspgo_sample *s;
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
    if (!outside && sampler.branches < LBR && (sampler.branches < WINDOW || insn.kind == CSSPGO_CALL)) return;
    s = new_sample(m);
    for (k = 0; s != NULL && k < sampler.branches; k++)
        sampler.branch[sampler.count - 1][k] = sampler.window[sampler.branches - 1 - k];
    if (s != NULL) s->branch_count = sampler.branches;
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

static void sampler_close(void)
{
    if (sampler.fd >= 0 && sampler.page != NULL) {
        ioctl(sampler.fd, PERF_EVENT_IOC_DISABLE, 0);
        munmap(sampler.page, (1 + RING_PAGES) * (size_t)sysconf(_SC_PAGESIZE));
        close(sampler.fd);
        free(sampler.ring.bounce);
    }
    if (sampler.has_timer) timer_delete(sampler.timer);
    csspgo_profile_free(sampler.profile);
    sampler.profile = NULL;
    sampler.has_timer = 0;
    sampler.page = NULL;
    sampler.fd = -1;
    sampler.g = NULL;
    sampler.from = SOURCE_NONE;
}

/* Opens a source for an engine, or the first one that works from there on: SOURCE_NONE if none does. Says so aloud. */
static source sampler_open(const engine *g, source wanted, int quiet)
{
    source s;
    memset(sampler.window, 0, sizeof sampler.window);
    sampler.fd = -1;
    sampler.count = sampler.branches = 0;
    sampler.taken = sampler.lost = sampler.steps = 0;
    sampler.g = g;
    for (s = wanted; s <= wanted || s <= SOURCE_TIMER; s = (source)(s + 1)) {
        int ok = 0;
        sampler.from = s;
        if (s == SOURCE_LBR || s == SOURCE_CLOCK) ok = open_event(s == SOURCE_LBR);
        if (s == SOURCE_STEP || s == SOURCE_TRAP) ok = set_handler(SIGTRAP, on_trap);
        if (s == SOURCE_TIMER || (ok && s == SOURCE_TRAP))
            ok = set_handler(SIGPROF, on_timer) && open_timer(s == SOURCE_TRAP ? 4000000 : 500000);
        if (ok && (s == SOURCE_CLOCK || s == SOURCE_TIMER)) {
            sampler.profile = csspgo_profile_new(NULL, NULL);
            if (sampler.profile == NULL) ok = 0;
            else csspgo_set_profile_flags(sampler.profile, CSSPGO_IS_CS | CSSPGO_IS_PROBE);
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

/* ----- handing over ----------------------------------------------------------------------------------------------- */

/* The inline stack of a probe as nodes below `up`, called at *site; *site becomes the probe. id 0: no memory. */
static csspgo_node add_frames(csspgo_profile *p, csspgo_node up, csspgo_loc *site, const csspgo_probe_frame *frames, size_t n)
{
    size_t i;
    for (i = 0; i < n && up.id != 0; i++) {
        const csspgo_func f = csspgo_func_add(p, frames[i].name, frames[i].name_size);
        up = csspgo_node_add(p, up, *site, CSSPGO_CONTEXT, f);
        *site = csspgo_at(frames[i].probe, 0);
    }
    return up;
}

/* The block probes at an address get a count, in the context of a call stack, outermost call last. */
static csspgo_status add_block(const csspgo_code *map, csspgo_profile *p, uint64_t block, const uint64_t *calls,
                               size_t n, uint64_t count)
{
    csspgo_probe_frame frames[STACK];
    csspgo_node node = csspgo_root(p), at;
    csspgo_loc site = csspgo_at(0, 0), here;
    csspgo_status s = CSSPGO_OK;
    size_t i, k;
    while (n-- > 0) {
        const uint64_t call = csspgo_code_call_before(map, calls[n]);
        size_t depth = 0;
        for (i = 0; call != 0 && i < csspgo_code_probe_count(map, call); i++) {
            depth = csspgo_code_probe_stack(map, call, i, frames, STACK);
            if (depth != 0 && frames[depth - 1].kind != CSSPGO_PROBE_BLOCK) break;
            depth = 0;
        }
        if (depth == 0) {                                 /* not our code: contexts begin behind it */
            node = csspgo_root(p);
            site = csspgo_at(0, 0);
        } else node = add_frames(p, node, &site, frames, depth);
        if (node.id == 0) return CSSPGO_E_NOMEM;
    }
    for (k = 0; k < csspgo_code_probe_count(map, block) && s == CSSPGO_OK; k++) {
        const size_t depth = csspgo_code_probe_stack(map, block, k, frames, STACK);
        if (depth == 0 || frames[depth - 1].kind != CSSPGO_PROBE_BLOCK) continue;
        here = site;
        at = add_frames(p, node, &here, frames, depth);
        s = at.id == 0 ? CSSPGO_E_NOMEM : csspgo_add_body(p, at, here, count);
        if (s == CSSPGO_OK) s = csspgo_add_total(p, at, count);
    }
    return s;
}

/*
 * The kernel walks frame pointers and misses the caller where a function has not set up its own yet, or not any more.
 * Then the return address is on top of the stack, of which the event brings two words: in the record they stand behind
 * the call stack and [ABI, rsp, bytes]. Fills in the true stack and returns its size; 0: unknown.
 */
static uint32_t mended(const piece *p, const csspgo_sample *in, uint64_t stack[STACK])
{
    const uint64_t ip = in->stack[0], *top = in->stack + in->stack_count + 3;
    const uint32_t n = in->stack_count < STACK ? in->stack_count : STACK - 1;
    const int at_return = *(const unsigned char *)(uintptr_t)ip == 0xc3;
    memcpy(stack, in->stack, n * sizeof *stack);
    if (sampler.fd < 0 || (ip != p->begin && ip != p->begin + 1 && !at_return)) return n;
    if (top[-3] == 0 || top[-1] < 16) return 0;           /* no registers, no memory */
    memmove(stack + 2, stack + 1, (n - 1) * sizeof *stack);
    stack[1] = top[ip == p->begin + 1];
    return n + 1;
}

/*
 * A sample without branch records: the block around its address ran, in this context. csspgo's code map knows which
 * block and context. What is sampled by time meets long blocks more often: each counts the less the longer it is.
 */
static csspgo_status add_stack(engine *g, const csspgo_sample *in)
{
    const piece *p = piece_at(g, in->stack[0]);
    uint64_t stack[STACK];
    uint32_t n;
    size_t low = 0, high = p == NULL ? 0 : p->segments;
    if (p == NULL) return CSSPGO_OK;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (p->segment[middle].address <= in->stack[0]) low = middle + 1; else high = middle;
    }
    if (low == 0) low = 1;                                /* the prologue is of the first block */
    n = mended(p, in, stack);
    if (n == 0) sampler.lost++;
    return n == 0 ? CSSPGO_OK : add_block(g->map, sampler.profile, p->segment[low - 1].block, stack + 1, n - 1,
                                          1 + 2520 / p->segment[low - 1].length);
}

/* Hands all samples so far to csspgo. Call it where no code runs, and before code is freed. */
static csspgo_status sampler_drain(engine *g)
{
    csspgo_status s = CSSPGO_OK;
    csspgo_sample sample;
    csspgo_error error;
    csspgo_mmap map;
    csspgo_item item;
    uint32_t i;
    for (i = 0; i < sampler.count && g->collector != NULL && !g->deaf && s == CSSPGO_OK; i++, sampler.taken++)
        s = sampler.sample[i].branch_count != 0 ? csspgo_collector_add(g->collector, &sampler.sample[i], 1, NULL)
                                                : add_stack(g, &sampler.sample[i]);
    sampler.count = 0;
    if (sampler.page == NULL) return s;
    sampler.ring.head = __atomic_load_n(&sampler.page->data_head, __ATOMIC_ACQUIRE);
    while ((item = csspgo_ring_next(&sampler.ring, &sample, &map, &error)) != CSSPGO_ITEM_NONE) {
        if (item != CSSPGO_ITEM_SAMPLE || g->collector == NULL || g->deaf || s != CSSPGO_OK) continue;
        sampler.taken++;
        s = sample.branch_count != 0 ? csspgo_collector_add(g->collector, &sample, 1, NULL) : add_stack(g, &sample);
    }
    __atomic_store_n(&sampler.page->data_tail, sampler.ring.tail, __ATOMIC_RELEASE);
    return s;
}

/* How often a context was entered, from the counts of its blocks: the short first block may have been missed. */
static uint64_t estimate_entry(const program *prog, const csspgo_profile *p, csspgo_node n)
{
    size_t size;
    const char *name = csspgo_func_name(p, csspgo_node_func(p, n), &size);
    uint64_t entry = 1, count;
    uint32_t f = 0, i;
    while (f < prog->count && (strlen(prog->f[f].name) != size || memcmp(prog->f[f].name, name, size) != 0)) f++;
    for (i = 0; f < prog->count && i < prog->f[f].count; i++) {
        if (!prog->f[f].code[i].leads) continue;
        count = csspgo_body_count(p, n, csspgo_at(prog->f[f].code[i].block, 0)) / guess(&prog->f[f], i);
        if (count > entry) entry = count;
    }
    return entry;
}

/* Calls have counts only where branches were recorded. Without, a call is as frequent as its callee is entered. */
static csspgo_status estimate_calls(const program *prog, csspgo_profile *p)
{
    csspgo_status s = CSSPGO_OK;
    csspgo_func f;
    csspgo_node n;
    for (f.id = 1; f.id <= csspgo_func_count(p) && s == CSSPGO_OK; f.id++)
        for (n = csspgo_func_nodes(p, f); n.id != 0 && s == CSSPGO_OK; n = csspgo_node_next_same(p, n)) {
            const csspgo_node up = csspgo_node_parent(p, n);
            const csspgo_loc at = csspgo_node_loc(p, n);
            const uint64_t entry = estimate_entry(prog, p, n);
            s = csspgo_add_head(p, n, entry);
            if (up.id == csspgo_root(p).id || s != CSSPGO_OK) continue;
            s = csspgo_add_target(p, up, at, f, entry);
            if (s == CSSPGO_OK) s = csspgo_add_body(p, up, at, entry);
            if (s == CSSPGO_OK) s = csspgo_add_total(p, up, entry);
        }
    return s;
}

/* What was sampled since the source was opened (with branch records: since the last time), added to p. */
static csspgo_status take_profile(engine *g, csspgo_profile *p)
{
    csspgo_error e;
    csspgo_status s = sampler_drain(g);
    if (g->collector == NULL) return CSSPGO_E_NOMEM;
    if (s != CSSPGO_OK || sampler.profile == NULL)
        return s != CSSPGO_OK ? s : csspgo_collector_profile(g->collector, p, NULL, NULL, &e);
    s = estimate_calls(g->p, sampler.profile);
    if (s == CSSPGO_OK) s = csspgo_add_profile(p, sampler.profile, NULL);
    csspgo_profile_free(sampler.profile);
    sampler.profile = NULL;
    return s;
}
