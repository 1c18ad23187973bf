/* hardware.c - the CPU's own branch records: Intel LBR, AMD LbrExtV2 and BRS, Arm BRBE
 *
 * An event of every thread on every CPU samples into the ring buffer of that CPU; threads and processes that are made
 * later inherit it. The records of all rings are written in the order of their times. Nothing is stopped.
 */
#include "record.h"

#if defined(REC_LINUX)

#include <dirent.h>
#include <sys/ioctl.h>

enum {
    RING_PAGES = 128,                                      /* of a ring: what an unprivileged user may lock */
    RING_FIELDS = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK
};

/*
 * Opens the event: retired taken branches, user mode only, as precise as the kernel grants, with branch stack and call
 * chain. Intel and AMD have a raw event for taken branches; elsewhere the generic one counts all branches, which is as
 * good. `a` is filled in, or what a call before has filled in and is opened again.
 */
static int rec_open_event(pid_t tid, int cpu, const rec_options *o, struct perf_event_attr *a)
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
    if (a->size != 0) return (int)syscall(SYS_perf_event_open, a, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
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
            a->sample_period = o->period;
            a->sample_type = RING_FIELDS;
            a->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
            a->precise_ip = (unsigned)precise & 3;
            a->disabled = a->enable_on_exec = o->pid == 0;
            a->inherit = 1;
            a->exclude_kernel = a->exclude_hv = a->exclude_callchain_kernel = 1;
            a->mmap = a->mmap2 = a->comm = a->comm_exec = a->task = 1;
            a->sample_id_all = 1;
            a->use_clockid = 1;
            a->clockid = CLOCK_MONOTONIC;
            a->watermark = 1;
            a->wakeup_watermark = 1 << 16;
            fd = (int)syscall(SYS_perf_event_open, a, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
        }
    }
    if (fd < 0) a->size = 0;
    return fd;
}

/* Whether the kernel gives branch records of the process, or of our own; errno says why not. */
int rec_has_hardware(const rec_options *o)
{
    rec_options with = *o;
    struct perf_event_attr attr;
    int fd;
    memset(&attr, 0, sizeof attr);
    if (with.period == 0) with.period = 100003;
    fd = rec_open_event(o->pid, -1, &with, &attr);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

/* ----- from the rings to the output ------------------------------------------------------------------------------- */

static uint64_t rec_ring_number(const csspgo_ring *ring, uint64_t at)
{
    uint64_t n;
    memcpy(&n, (const char *)ring->data + (at & (ring->size - 1)), sizeof n);  /* records are aligned: none wraps */
    return n;
}

/* The time of the record at the ring's tail: of samples it is the third field, of all others it stands last. */
static uint64_t rec_ring_time(const csspgo_ring *ring)
{
    const uint64_t first = rec_ring_number(ring, ring->tail);
    struct perf_event_header header;
    memcpy(&header, &first, sizeof header);
    if (header.size < 32 || header.size % 8 != 0) return 0;
    return rec_ring_number(ring, ring->tail + (header.type == PERF_RECORD_SAMPLE ? 24u : header.size - 8u));
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
    rec_find_build_id((pid_t)map->pid, path, &id);
    rec_put_map(r, (pid_t)map->pid, &m, path, &id);
}

static void rec_put_ring_sample(recorder *r, const csspgo_sample *sample)
{
    const size_t n = sample->branch_count < r->o.depth ? sample->branch_count : (size_t)r->o.depth;
    const size_t frames = sample->stack_count < r->o.max_stack ? sample->stack_count : (size_t)r->o.max_stack;
    rec_origin at;
    at.pid = (pid_t)sample->pid;
    at.tid = (pid_t)sample->tid;
    at.time = sample->time;
    at.period = r->o.period;
    rec_put_sample(r, &at, sample->stack, frames, sample->branches, n);
    r->branches += r->o.period;
    if (r->samples == r->o.count || (r->o.max_branches != 0 && r->branches >= r->o.max_branches)) r->done = 1;
}

/* Writes the record at the tail of a ring, unless it is of a child that is not to be followed. */
static void rec_put_record(rec_rings *w, csspgo_ring *ring, uint64_t time)
{
    recorder *r = w->r;
    const uint64_t tail = ring->tail;
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_error error;
    char name[64];
    uint32_t pid;
    csspgo_item item;
    memset(&sample, 0, sizeof sample);
    memset(&map, 0, sizeof map);
    item = csspgo_ring_next(ring, &sample, &map, &error);
    if (item == CSSPGO_ITEM_NONE && ring->tail == tail) ring->tail = ring->head;   /* it makes no sense: lost */
    pid = item == CSSPGO_ITEM_MMAP ? map.pid : sample.pid;
    if (!r->o.follow && pid != (uint32_t)w->first) return;
    r->data.event_time = time;
    if (item == CSSPGO_ITEM_MMAP && map.executable) {
        rec_put_ring_map(r, &map);
    } else if (item == CSSPGO_ITEM_COMM) {
        snprintf(name, sizeof name, "%.*s", (int)map.path_size, map.path);
        rec_put_name(r, (pid_t)pid, (pid_t)sample.tid, name, map.executable == 1);
    } else if (item == CSSPGO_ITEM_FORK || item == CSSPGO_ITEM_EXIT) {
        rec_put_task(r, item == CSSPGO_ITEM_FORK ? PERF_RECORD_FORK : PERF_RECORD_EXIT, (pid_t)pid, (pid_t)sample.tid,
                     item == CSSPGO_ITEM_FORK ? (pid_t)map.pid : (pid_t)pid);
    } else if (item == CSSPGO_ITEM_SAMPLE && sample.branch_count != 0) {
        rec_put_ring_sample(r, &sample);
    }
    r->data.event_time = 0;
}

/*
 * Writes the records of all rings up to a time, in the order of their times. A record may come into its ring after a
 * later one of another ring has come there; when the rings were looked at once more, all of before are there.
 */
void rec_take_records(rec_rings *w, uint64_t until)
{
    size_t i;
    for (i = 0; i < w->count; i++) {
        w->rings[i].ring.head = __atomic_load_n(&w->rings[i].page->data_head, __ATOMIC_ACQUIRE);
    }
    while (!w->r->done) {
        csspgo_ring *next = NULL;
        uint64_t earliest = until;
        for (i = 0; i < w->count; i++) {
            csspgo_ring *ring = &w->rings[i].ring;
            const uint64_t time = ring->tail != ring->head ? rec_ring_time(ring) : UINT64_MAX;
            if (ring->tail == ring->head || time > earliest || (time == earliest && next != NULL)) continue;
            earliest = time;
            next = ring;
        }
        if (next == NULL) break;
        rec_put_record(w, next, earliest);
    }
    for (i = 0; i < w->count; i++) {
        __atomic_store_n(&w->rings[i].page->data_tail, w->rings[i].ring.tail, __ATOMIC_RELEASE);
    }
    rec_progress(w->r);
}

/* ----- opening ---------------------------------------------------------------------------------------------------- */

/* A thread's events on all CPUs; the first thread's have the rings. Returns 0 with errno. */
static int rec_open_thread(rec_rings *w, pid_t tid)
{
    const size_t unit = (size_t)sysconf(_SC_PAGESIZE);
    size_t cpu;
    for (cpu = 0; cpu < w->count; cpu++) {
        rec_cpu_ring *g = &w->rings[cpu];
        const int fd = rec_open_event(tid, (int)cpu, &w->r->o, &w->r->hardware);
        if (fd < 0 && (errno == ENODEV || errno == ESRCH)) continue;       /* the CPU is off; the thread has ended */
        if (fd < 0) return 0;
        if (g->page != NULL) {
            if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, g->fd) != 0) return close(fd), 0;
            continue;                                      /* it lives as long as the recorder */
        }
        g->fd = fd;
        g->page = (struct perf_event_mmap_page *)mmap(NULL, (1 + RING_PAGES) * unit, PROT_READ | PROT_WRITE, MAP_SHARED,
                                                      fd, 0);
        if (g->page == (struct perf_event_mmap_page *)MAP_FAILED) return g->page = NULL, 0;
        rec_set_ring(w, g, (const char *)g->page + unit, RING_PAGES * unit);
    }
    return 1;
}

void rec_set_ring(rec_rings *w, rec_cpu_ring *g, const void *data, size_t size)
{
    g->ring.data = data;
    g->ring.size = size;
    g->ring.bounce = w->r->bounce;
    g->ring.bounce_size = REC_BOUNCE;
    g->ring.event.sample_type = RING_FIELDS;
    g->ring.event.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
    g->ring.event.sample_id_all = 1;
}

/* Writes what a process has mapped of code. */
static void rec_put_maps(recorder *r, pid_t pid)
{
    char name[64], *line = NULL;
    size_t room = 0;
    rec_build_id id;
    rec_map m;
    int path;
    FILE *f;
    snprintf(name, sizeof name, "/proc/%ld/maps", (long)pid);
    f = fopen(name, "re");
    while (f != NULL && getline(&line, &room, f) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (!rec_parse_map(line, &m, &path) || m.access[2] != 'x' || m.begin >> 63 != 0) continue;
        memset(&id, 0, sizeof id);
        rec_find_build_id(pid, line + path, &id);
        rec_put_map(r, pid, &m, line[path] != '\0' ? line + path : "//anon", &id);
    }
    if (f != NULL) fclose(f);
    free(line);
}

/* All threads of a process that runs, and what it has mapped. Returns 0 with errno. */
static int rec_open_process(rec_rings *w, pid_t pid)
{
    const struct dirent *entry;
    char name[64];
    int ok = 1;
    DIR *d;
    snprintf(name, sizeof name, "/proc/%ld/task", (long)pid);
    d = opendir(name);
    if (d == NULL) return 0;
    while (ok && (entry = readdir(d)) != NULL) {
        const pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (tid > 0) ok = rec_open_thread(w, tid);
    }
    closedir(d);
    if (ok) rec_put_maps(w->r, pid);
    return ok;
}

/* Rings without their empty places: of CPUs that are off. */
static void rec_pack_rings(rec_rings *w)
{
    size_t i, n = 0;
    for (i = 0; i < w->count; i++) if (w->rings[i].page != NULL) w->rings[n++] = w->rings[i];
    w->count = n;
}

static int rec_begin_hardware(rec_rings *w)
{
    recorder *r = w->r;
    const long cpus = sysconf(_SC_NPROCESSORS_CONF);
    int go = -1, failure = -1, error = 0, ok;
    if (r->o.period == 0) r->o.period = 100003;
    w->count = cpus > 0 ? (size_t)cpus : 1;
    w->rings = (rec_cpu_ring *)calloc(w->count, sizeof *w->rings);
    r->bounce = malloc(REC_BOUNCE);
    if (w->rings == NULL || r->bounce == NULL) return fail(r->tool, "out of memory"), 0;
    if (r->o.pid == 0 && !rec_spawn(r, &go, &failure)) return 0;
    w->first = r->o.pid != 0 ? r->o.pid : r->pid;
    ok = r->o.pid != 0 ? rec_open_process(w, w->first) : rec_open_thread(w, w->first);
    rec_pack_rings(w);
    if (!ok || w->count == 0) {
        if (r->o.pid == 0) kill(r->pid, SIGKILL);
        return fail(r->tool, "cannot open the branch event: %s", strerror(errno)), 0;
    }
    if (r->o.pid != 0) return 1;
    if (write(go, "", 1) != 1) return fail(r->tool, "cannot start the program: %s", strerror(errno)), 0;
    close(go);
    error = rec_exec_error(failure);
    return error == 0 || rec_exec_fail(r, error);
}

/* Records until the program or the recording ends. Returns an exit status, or -1 for the program's. */
int rec_hardware(recorder *r)
{
    const uint64_t began = rec_now(), longest = (uint64_t)(r->o.duration * 1e9);
    uint64_t before = 0, lost = 0;
    rec_rings w;
    size_t i;
    memset(&w, 0, sizeof w);
    w.r = r;
    if (r->o.start != NULL) return fail(r->tool, "--start needs --software");
    if (!rec_begin_hardware(&w)) return free(w.rings), 1;
    note(r->tool, "the CPU's branch records and frame-pointer call stacks");
    while (!r->gone && !r->done && !rec_interrupted() && !ferror(r->out)) {
        const uint64_t now = rec_now();
        struct pollfd wait;
        if (longest != 0 && now - began >= longest) break;
        wait.fd = w.rings[0].fd;
        wait.events = POLLIN;
        poll(&wait, w.count == 1, 20);
        r->gone = r->o.pid != 0 ? kill(r->o.pid, 0) != 0 : waitpid(r->pid, &r->status, WNOHANG) == r->pid;
        rec_take_records(&w, before);
        before = now;
    }
    for (i = 0; i < w.count; i++) ioctl(w.rings[i].fd, PERF_EVENT_IOC_DISABLE, 0);
    rec_take_records(&w, UINT64_MAX);
    for (i = 0; i < w.count; i++) lost += w.rings[i].ring.lost;
    if (lost != 0) warn(r->tool, "the kernel lost %llu records", (unsigned long long)lost);
    free(w.rings);
    return -1;
}

#endif
