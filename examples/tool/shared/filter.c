/* filter.c - which samples of recordings count: --pid, --tid, --comm, --time, --cgroup, --event, --exclude-kernel */
#include "recording.h"

enum { FILTER_THREADS = 1 << 16, FILTER_EVENTS = 1024 };

typedef struct filter_thread {    /* a thread whose command is known */
    uint32_t tid;
    int      wanted;              /* the command is one of --comm    */
} filter_thread;

typedef enum filter_reason {
    FILTER_PID, FILTER_TID, FILTER_COMM, FILTER_TIME, FILTER_CGROUP, FILTER_EVENT, FILTER_KERNEL, FILTER_REASONS
} filter_reason;

struct filter {
    const tool_context *tool;
    const option *pid, *tid, *comm, *event, *cgroup;  /* NULL: not given                                     */
    int            timed, no_kernel;
    uint64_t       from, until;                       /* nanoseconds, both inclusive                         */
    filter_thread *thread;                            /* by tid                                              */
    size_t         threads, cap;
    signed char    asked[FILTER_EVENTS];              /* by number of an event: 1 it is asked for, -1 it is not */
    uint64_t       all_left[FILTER_REASONS];          /* of all recordings                                   */
    uint64_t       left[FILTER_REASONS];              /* samples                                             */
    uint64_t       kept, untimed, nameless, eventless;   /* left out since time, command, event are unknown  */
    uint64_t       grouped;                           /* whose control group is known; in text it never is   */
    int            in_text;                           /* a sample was text                                   */
};

/* ----- options ---------------------------------------------------------------------------------------------------- */

/* An option that was given; NULL: none. Of profgen --event is another name of --perf-event, which events.c has. */
static const option *given(const tool_context *tool, const char *name)
{
    const option *const o = option_named(tool->o, name, strlen(name));
    return o != NULL && strcmp(o->name, name) == 0 && o->kind == OPT_LIST && o->count != 0 ? o : NULL;
}

/* Seconds as nanoseconds; empty: `empty`. Returns 0 if it is no number. */
static int seconds(const char *text, size_t size, uint64_t empty, uint64_t *ns)
{
    uint64_t v = 0, unit = 1000000000;
    size_t i = 0;
    if (size == 0) return *ns = empty, 1;
    for (; i < size && text[i] >= '0' && text[i] <= '9'; i++) {
        v = v * 10 + (uint64_t)(text[i] - '0');
        if (v > UINT64_MAX / 20 / 1000000000) return 0;
    }
    if (i == 0 || (i < size && text[i] != '.')) return 0;
    *ns = v * unit;
    for (i++; i < size; i++) {
        if (text[i] < '0' || text[i] > '9') return 0;
        unit /= 10;
        *ns += unit * (uint64_t)(text[i] - '0');
    }
    return 1;
}

/* --time=A,B. Returns 0 after saying what is wrong. */
static int filter_times(filter *f, const char *text)
{
    const char *const comma = strchr(text, ',');
    if (comma == NULL || comma[1 + strcspn(comma + 1, ",")] != '\0' ||
        !seconds(text, (size_t)(comma - text), 0, &f->from) ||
        !seconds(comma + 1, strlen(comma + 1), UINT64_MAX, &f->until))
        return usage(f->tool, "--time: '%s' is not FROM,TO in seconds as perf script prints them (one may be left out)",
                     text), 0;
    if (f->from > f->until) return usage(f->tool, "--time: '%s' ends before it begins", text), 0;
    return f->timed = 1;
}

static int filter_numbers(const tool_context *tool, const option *o)
{
    uint64_t v;
    size_t i;
    for (i = 0; o != NULL && i < o->count; i++)
        if (!is_number(o->list[i], &v) || v > UINT32_MAX)
            return usage(tool, "--%s: '%s' is not a number", o->name, o->list[i]), 0;
    return 1;
}

int filter_open(const tool_context *tool, filter **made)
{
    const option *const time = option_named(tool->o, "time", 4);
    const option *const kernel = option_named(tool->o, "exclude-kernel", 14);
    filter *const f = (filter *)calloc(1, sizeof *f);
    *made = f;
    if (f == NULL) return fail(tool, "out of memory"), 0;
    f->tool = tool;
    f->pid = given(tool, "pid");
    f->tid = given(tool, "tid");
    f->comm = given(tool, "comm");
    f->event = given(tool, "event");
    f->cgroup = given(tool, "cgroup");
    f->no_kernel = kernel != NULL && kernel->number != 0;
    if (!filter_numbers(tool, f->pid) || !filter_numbers(tool, f->tid)) return 0;
    if (time != NULL && time->text != NULL && !filter_times(f, time->text)) return 0;
    if (f->pid == NULL && f->tid == NULL && f->comm == NULL && f->event == NULL && f->cgroup == NULL && !f->timed &&
        !f->no_kernel) {
        free(f);
        *made = NULL;
    }
    return 1;
}

void filter_free(filter *f)
{
    if (f == NULL) return;
    free(f->thread);
    free(f);
}

int filter_asks_kernel(const filter *f)
{
    return f != NULL && f->no_kernel;
}

int filter_asks_event(const filter *f)
{
    return f != NULL && f->event != NULL;
}

void filter_next(filter *f)
{
    if (f == NULL) return;
    f->threads = 0;
    memset(f->asked, 0, sizeof f->asked);
}

/* ----- what is known of threads and events ------------------------------------------------------------------------ */

/* 1 if a text is one of an option's. */
static int is_listed(const option *o, const char *text, size_t size)
{
    size_t i;
    for (i = 0; i < o->count; i++)
        if (strlen(o->list[i]) == size && memcmp(o->list[i], text, size) == 0) return 1;
    return 0;
}

static int is_numbered(const option *o, uint32_t number)
{
    uint64_t v;
    size_t i;
    for (i = 0; i < o->count; i++)
        if (is_number(o->list[i], &v) && v == number) return 1;
    return 0;
}

/* The place of a thread, taken or where it would be. */
static size_t thread_place(const filter *f, uint32_t tid)
{
    size_t a = 0, b = f->threads;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (f->thread[m].tid < tid) a = m + 1;
        else b = m;
    }
    return a;
}

static const filter_thread *thread_find(const filter *f, uint32_t tid)
{
    const size_t i = thread_place(f, tid);
    return i < f->threads && f->thread[i].tid == tid ? &f->thread[i] : NULL;
}

/* Returns 0 after saying what is wrong. */
static int thread_set(filter *f, uint32_t tid, int wanted)
{
    const size_t i = thread_place(f, tid);
    if (i == f->threads || f->thread[i].tid != tid) {
        if (f->threads == FILTER_THREADS)
            return fail(f->tool, "--comm: more than %d threads are alive at a time", (int)FILTER_THREADS), 0;
        if (f->threads == f->cap) {
            const size_t cap = f->cap * 2 + 64;
            filter_thread *const v = (filter_thread *)realloc(f->thread, cap * sizeof *v);
            if (v == NULL) return fail(f->tool, "out of memory"), 0;
            f->thread = v;
            f->cap = cap;
        }
        memmove(f->thread + i + 1, f->thread + i, (f->threads++ - i) * sizeof *f->thread);
        f->thread[i].tid = tid;
    }
    f->thread[i].wanted = wanted;
    return 1;
}

/* Returns 0 after saying what is wrong. */
int filter_event(filter *f, csspgo_item item, const csspgo_sample *s, const csspgo_mmap *map)
{
    const filter_thread *parent;
    if (f == NULL || f->comm == NULL) return 1;
    if (item == CSSPGO_ITEM_COMM) return thread_set(f, s->tid, is_listed(f->comm, map->path, map->path_size));
    if (item == CSSPGO_ITEM_FORK && (parent = thread_find(f, map->pid)) != NULL)
        return thread_set(f, s->tid, parent->wanted);
    if (item == CSSPGO_ITEM_EXIT && thread_find(f, s->tid) != NULL) {
        const size_t i = thread_place(f, s->tid);
        memmove(f->thread + i, f->thread + i + 1, (--f->threads - i) * sizeof *f->thread);
    }
    return 1;
}

/* --event: NAME, or NAME with its modifiers left out. */
static int event_listed(const filter *f, const char *name, size_t size)
{
    const char *const colon = (const char *)memchr(name, ':', size);
    return is_listed(f->event, name, size) || (colon != NULL && is_listed(f->event, name, (size_t)(colon - name)));
}

void filter_knows_event(filter *f, uint32_t number, const char *name, size_t size)
{
    if (f == NULL || f->event == NULL || number >= FILTER_EVENTS) return;
    f->asked[number] = event_listed(f, name, size) ? 1 : -1;
}

int filter_lacks_event(const filter *f, uint32_t number)
{
    return f != NULL && f->event != NULL && number < FILTER_EVENTS && f->asked[number] == 0;
}

/* 1 if a control group is one of those that are asked for, or below one. */
static int cgroup_listed(const option *o, const char *path, size_t size)
{
    size_t i;
    for (i = 0; path != NULL && i < o->count; i++) {
        size_t n = strlen(o->list[i]);
        while (n != 0 && o->list[i][n - 1] == '/') n--;    /* "/": all groups */
        if (n <= size && memcmp(o->list[i], path, n) == 0 && (n == size || path[n] == '/')) return 1;
    }
    return 0;
}

/* ----- samples ---------------------------------------------------------------------------------------------------- */

static int leave(filter *f, filter_reason why, uint64_t n)
{
    f->left[why] = sum_of(f->left[why], n);
    f->all_left[why] = sum_of(f->all_left[why], n);
    return 0;
}

int filter_takes_named(filter *f, const filter_sample *s)
{
    if (f == NULL) return 1;
    if (f->pid != NULL && !is_numbered(f->pid, s->pid)) return leave(f, FILTER_PID, s->count);
    if (f->tid != NULL && !is_numbered(f->tid, s->tid)) return leave(f, FILTER_TID, s->count);
    if (f->comm != NULL && !s->comm_wanted) return leave(f, FILTER_COMM, s->count);
    if (f->timed && s->time == 0) f->untimed = sum_of(f->untimed, s->count);
    if (f->timed && (s->time == 0 || s->time < f->from || s->time > f->until)) return leave(f, FILTER_TIME, s->count);
    if (f->cgroup != NULL && !s->cgroup_wanted) return leave(f, FILTER_CGROUP, s->count);
    if (f->event != NULL && !s->event_wanted) return leave(f, FILTER_EVENT, s->count);
    if (f->no_kernel && s->in_kernel) return leave(f, FILTER_KERNEL, s->count);
    f->kept = sum_of(f->kept, s->count);
    return 1;
}

int filter_takes(filter *f, const csspgo_sample *s, int in_kernel, const csspgo_perfdata *data)
{
    filter_sample x;
    const filter_thread *t;
    const char *cgroup;
    size_t n = 0;
    if (f == NULL) return 1;
    memset(&x, 0, sizeof x);
    x.pid = s->pid;
    x.tid = s->tid;
    x.time = s->time;
    x.count = repeats_of(s);
    x.in_kernel = in_kernel;
    t = f->comm != NULL ? thread_find(f, s->tid) : NULL;
    if (f->comm != NULL && t == NULL) f->nameless = sum_of(f->nameless, x.count);
    x.comm_wanted = t != NULL && t->wanted;
    if (f->event != NULL && s->event == 0) f->eventless = sum_of(f->eventless, x.count);
    x.event_wanted = s->event != 0 && s->event < FILTER_EVENTS && f->asked[s->event] > 0;
    cgroup = f->cgroup != NULL && data != NULL ? csspgo_perfdata_cgroup(data, &n) : NULL;
    if (cgroup != NULL) f->grouped = sum_of(f->grouped, x.count);
    f->in_text |= data == NULL;
    x.cgroup_wanted = f->cgroup != NULL && cgroup_listed(f->cgroup, cgroup, n);
    return filter_takes_named(f, &x);
}

int filter_takes_stack(filter *f, const csspgo_stack *s)
{
    filter_sample x;
    if (f == NULL) return 1;
    memset(&x, 0, sizeof x);
    x.pid = s->pid;
    x.tid = s->tid;
    x.time = s->time;
    x.count = s->count;
    x.in_kernel = s->frames[s->frame_count - 1].kernel != 0;
    x.comm_wanted = f->comm != NULL && is_listed(f->comm, s->comm, s->comm_size);
    x.event_wanted = f->event != NULL && event_listed(f, s->event, s->event_size);
    if (f->comm != NULL && s->comm_size == 0) f->nameless = sum_of(f->nameless, x.count);
    if (f->event != NULL && s->event_size == 0) f->eventless = sum_of(f->eventless, x.count);
    f->in_text = 1;
    return filter_takes_named(f, &x);
}

/* ----- telling ---------------------------------------------------------------------------------------------------- */

void filter_json(const filter *f, FILE *out)
{
    static const char *const keys[FILTER_REASONS] = { "processes", "threads", "commands", "times", "cgroups", "events",
                                                      "kernel" };
    size_t i;
    if (f == NULL) return;
    fputs("  \"filters\": {", out);
    for (i = 0; i < FILTER_REASONS; i++)
        fprintf(out, "%s\"%s\": %" PRIu64, i != 0 ? ", " : "", keys[i], f->all_left[i]);
    fputs("},\n", out);
}

int filter_tell(filter *f, const char *path)
{
    static const char *const words[FILTER_REASONS] = { "other processes", "other threads", "other commands",
                                                       "other times", "other control groups", "other events",
                                                       "the kernel" };
    char line[400];
    size_t n = 0, i;
    uint64_t all = 0;
    const char *lacks = NULL;
    if (f == NULL) return 1;
    for (i = 0; i < FILTER_REASONS; i++) {
        if (f->left[i] == 0) continue;
        n += (size_t)snprintf(line + n, sizeof line - n, "%s%" PRIu64 " of %s", all != 0 ? ", " : "", f->left[i],
                              words[i]);
        all = sum_of(all, f->left[i]);
    }
    if (all != 0) note(f->tool, "%s: %" PRIu64 " samples count; left out: %s", path, f->kept, line);
    if (f->kept == 0 && f->untimed != 0) lacks = "--time: samples have no times: perf record -T, perf script -F +time";
    if (f->kept == 0 && f->nameless != 0)
        lacks = "--comm: it does not say which command a thread is: perf script -F +comm, --show-task-events";
    if (f->kept == 0 && f->eventless != 0) lacks = "--event: samples do not name their event: perf script -F +event";
    if (f->kept == 0 && f->left[FILTER_CGROUP] != 0 && f->grouped == 0)
        lacks = f->in_text ? "--cgroup: control groups are read of perf.data, not of perf script's text: give perf.data"
                           : "--cgroup: samples do not say their control group: perf record --all-cgroups, without "
                             "--aux-sample";
    f->kept = f->untimed = f->nameless = f->eventless = f->grouped = 0;
    f->in_text = 0;
    memset(f->left, 0, sizeof f->left);
    return lacks == NULL || (fail(f->tool, "%s: %s", path, lacks), 0);
}
