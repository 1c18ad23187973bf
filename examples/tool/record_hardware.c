/* record_hardware.c - the CPU's LBR */
#include "record.h"

#if defined(__linux__)

/*
 * The event: retired taken branches, user mode only, as precise as the kernel grants, with branch stack and call chain.
 * Intel and AMD have a raw event for taken branches; elsewhere the generic one counts all branches, which is as good.
 */
int rec_open_event(pid_t pid, uint64_t period, struct perf_event_attr *a)
{
    static const struct { uint32_t type; uint64_t config; } events[] = {
#if defined(__x86_64__) || defined(__i386__)
        { PERF_TYPE_RAW, 0x20c4 },                         /* Intel BR_INST_RETIRED.NEAR_TAKEN */
        { PERF_TYPE_RAW, 0xc4 },                           /* AMD retired taken branches       */
#endif
        { PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
    };
    size_t i = 0;
    int precise, fd = -1;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    if (!__builtin_cpu_is("intel")) i = __builtin_cpu_is("amd") ? 1 : 2;
#endif
    for (; fd < 0 && i < sizeof events / sizeof *events; i++) {
        for (precise = 3; fd < 0 && precise >= 0; precise--) {
            memset(a, 0, sizeof *a);
            a->size = sizeof *a;
            a->type = events[i].type;
            a->config = events[i].config;
            a->sample_period = period;
            a->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |
                             PERF_SAMPLE_BRANCH_STACK;
            a->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
            a->precise_ip = (unsigned)precise & 3;
            a->disabled = a->enable_on_exec = 1;
            a->exclude_kernel = a->exclude_hv = a->exclude_callchain_kernel = 1;
            a->mmap = a->mmap2 = 1;
            a->use_clockid = 1;
            a->clockid = CLOCK_MONOTONIC;
            a->watermark = 1;
            a->wakeup_watermark = 1 << 16;
            fd = (int)syscall(SYS_perf_event_open, a, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
        }
    }
    return fd;
}

static void rec_put_ring_map(recorder *r, const csspgo_mmap *map)
{
    char path[PATH_MAX];
    rec_build_id id;
    rec_map m;
    memset(&m, 0, sizeof m);
    memset(&id, 0, sizeof id);
    m.begin = map->address;
    m.end = map->address + map->size;
    m.offset = map->file_offset;
    memcpy(m.access, "r-xp", sizeof m.access);
    memcpy(m.device, "00:00", 6);
    snprintf(path, sizeof path, "%.*s", (int)map->path_size, map->path);
    if (r->data) rec_find_build_id((pid_t)map->pid, path, &id);
    rec_put_map(r, (pid_t)map->pid, &m, path, &id);
}

/* Writes what is in the ring buffer. */
static void rec_drain(recorder *r, struct perf_event_mmap_page *page, csspgo_ring *ring)
{
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_error error;
    csspgo_item item;
    ring->head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    while (!r->done && (item = csspgo_ring_next(ring, &sample, &map, &error)) != CSSPGO_ITEM_NONE) {
        if (item == CSSPGO_ITEM_MMAP && map.executable) {
            rec_put_ring_map(r, &map);
        } else if (item == CSSPGO_ITEM_SAMPLE && sample.branch_count != 0) {
            const size_t n = sample.branch_count < r->o.depth ? sample.branch_count : (size_t)r->o.depth;
            const size_t frames = sample.stack_count < r->o.max_stack ? sample.stack_count : (size_t)r->o.max_stack;
            rec_origin at;
            at.pid = (pid_t)sample.pid;
            at.tid = (pid_t)sample.tid;
            at.time = sample.time;
            at.period = r->o.period;
            rec_put_sample(r, &at, sample.stack, frames, sample.branches, n);
            r->branches += r->o.period;
            if (r->samples == r->o.count || (r->o.max_branches != 0 && r->branches >= r->o.max_branches)) r->done = 1;
        }
    }
    __atomic_store_n(&page->data_tail, ring->tail, __ATOMIC_RELEASE);
    rec_progress(r);
}

int rec_hardware(recorder *r)
{
    enum { PAGES = 128 };                                  /* of ring buffer: what an unprivileged user may lock */
    const size_t unit = (size_t)sysconf(_SC_PAGESIZE);
    struct perf_event_attr attr;
    csspgo_ring ring;
    void *base;
    int go, failure, error, fd;
    if (r->o.period == 0) r->o.period = 100003;
    if (r->o.start != NULL) return fail(r->tool, "--start needs --software");
    if (!rec_spawn(r, &go, &failure)) return 1;
    fd = rec_open_event(r->pid, r->o.period, &attr);
    base = fd >= 0 ? mmap(NULL, (1 + PAGES) * unit, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    memset(&ring, 0, sizeof ring);
    ring.bounce_size = 1 << 16;
    ring.bounce = r->bounce = malloc(ring.bounce_size);
    if (base == MAP_FAILED || ring.bounce == NULL) {
        kill(r->pid, SIGKILL);
        return fail(r->tool, "cannot open the branch event: %s", strerror(errno));
    }
    ring.data = (const char *)base + unit;
    ring.size = PAGES * unit;
    ring.event.sample_type = attr.sample_type;
    ring.event.branch_sample_type = attr.branch_sample_type;
    r->hardware = attr;
    if (write(go, "", 1) != 1) return fail(r->tool, "cannot start the program: %s", strerror(errno));
    close(go);
    error = rec_exec_error(failure);
    if (error != 0) return fail(r->tool, "%s: %s", r->o.program[0], strerror(error));
    note(r->tool, "the CPU's LBR, frame-pointer call stack, first thread only");
    while (!r->gone && !r->done && !rec_interrupted()) {
        struct pollfd wait;
        wait.fd = fd;
        wait.events = POLLIN;
        poll(&wait, 1, 100);
        r->gone = waitpid(r->pid, &r->status, WNOHANG) == r->pid;
        rec_drain(r, (struct perf_event_mmap_page *)base, &ring);
    }
    if (ring.lost != 0) warn(r->tool, "the kernel lost %llu records", (unsigned long long)ring.lost);
    munmap(base, (1 + PAGES) * unit);
    close(fd);
    return -1;
}

#endif
