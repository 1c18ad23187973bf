/* events.c - profgen: which of a recording's events count
 *
 * Samples of different events must not be added up unseen: one of so many cycles does not stand for as much code as one
 * of so many taken branches. --perf-event chooses; else it is the event that counts taken branches, if there is one.
 */
#include "profgen.h"

enum { EVENTS_SHOWN = 8, EVENTS_LINE = 1024 };

struct event_row {                /* an event of the recording that is read, by its number - 1 */
    char    *name;                /* ends in NUL                                              */
    uint64_t config, samples;
    uint32_t type;                /* of perf_event_attr; UINT32_MAX: not known                */
    int      used;
};

/* What tells events apart in a name such as "cycles:u", "r20c4", "{cpu_core/event=0xc4,umask=0x20/upp". */
typedef struct event_key {
    const char *pmu, *body;       /* body: what is counted */
    size_t      pmu_size, body_size;
    uint64_t    config, modifiers;
    int         is_raw;           /* config says what is counted */
    int         is_called;        /* body is a name=TEXT         */
} event_key;

/* ----- names ------------------------------------------------------------------------------------------------------ */

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 32) : c; }

static int same_text(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t i;
    for (i = 0; a_size == b_size && i < a_size; i++)
        if (lower(a[i]) != lower(b[i])) return 0;
    return a_size == b_size;
}

/* A number of a base that is all of a text, 0x before it allowed. Returns 0 if it is none. */
static int event_number(const char *p, size_t size, unsigned base, uint64_t *number)
{
    size_t i;
    *number = 0;
    if (size > 2 && p[0] == '0' && lower(p[1]) == 'x') p += 2, size -= 2, base = 16;
    for (i = 0; i < size; i++) {
        const char c = lower(p[i]);
        const unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0')
                             : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
        if (digit >= base || *number >> 60 != 0) return 0;
        *number = *number * base + digit;
    }
    return size != 0;
}

/* Modifiers as a number, whatever their order; 0: these are none. */
static uint64_t event_modifiers(const char *p, size_t size)
{
    static const char letters[] = "ukhGHIpPSDWeb";
    uint64_t set = 0, precise = 0;
    size_t i;
    if (size == 4 && memcmp(p, "pdir", 4) == 0) return 1;         /* Intel's SEP */
    for (i = 0; i < size; i++) {
        const char *const at = memchr(letters, p[i], sizeof letters - 1);
        if (at == NULL) return 0;
        precise += p[i] == 'p';
        set |= (uint64_t)2 << (at - letters);
    }
    return set | precise << 32;
}

/* What a term name=TEXT or name='TEXT' calls the event. */
static void event_called(event_key *k, const char *p, size_t size)
{
    const int quoted = size > 1 && p[0] == '\'' && p[size - 1] == '\'';
    k->body = p + quoted;
    k->body_size = size - 2 * (size_t)quoted;
    k->is_called = 1;
}

/* "event=0xc4,umask=0x20,period=9", "br_inst_retired.near_taken,period=9", "..., name=mine" between two slashes. */
static void event_terms(event_key *k, const char *p, const char *end)
{
    static const char *const about_sampling[] = { "period", "freq", "time", "call-graph", "stack-size", "max-stack" };
    uint64_t event = 0, umask = 0, config = 0;
    int others = 0;
    k->body = p;
    k->body_size = (size_t)(end - p);
    while (p < end) {
        const char *const comma = memchr(p, ',', (size_t)(end - p)), *const stop = comma != NULL ? comma : end;
        const char *const equals = memchr(p, '=', (size_t)(stop - p));
        const char *const value = equals != NULL ? equals + 1 : stop;
        const size_t key = equals != NULL ? (size_t)(equals - p) : (size_t)(stop - p), n = (size_t)(stop - value);
        size_t i;
        for (i = 0; i < 6 && !same_text(p, key, about_sampling[i], strlen(about_sampling[i])); i++) {}
        if (equals == NULL && p == k->body) k->body_size = key;
        else if (same_text(p, key, "event", 5)) others |= !event_number(value, n, 10, &event);
        else if (same_text(p, key, "umask", 5)) others |= !event_number(value, n, 10, &umask);
        else if (same_text(p, key, "config", 6)) others |= !event_number(value, n, 10, &config);
        else if (same_text(p, key, "name", 4)) event_called(k, value, n);
        else if (i == 6) others = 1;
        p = stop + (comma != NULL);
    }
    k->is_raw = !others && (event | umask | config) != 0;
    k->config = config | (event & 255) | (umask & 255) << 8;
    if (others && !k->is_called) k->body_size = (size_t)(end - k->body);
}

static event_key event_key_of(const char *p, size_t size)
{
    const char *end = p + size, *slash, *last, *brace, *colon;
    event_key k;
    memset(&k, 0, sizeof k);
    while (p != end && (*p == '{' || *p == ' ')) p++;
    slash = memchr(p, '/', (size_t)(end - p));
    for (last = end; slash != NULL && last[-1] != '/';) last--;
    if (slash != NULL && last - 1 > slash) {
        k.pmu = p;
        k.pmu_size = same_text(p, (size_t)(slash - p), "cpu", 3) ? 0 : (size_t)(slash - p);
        event_terms(&k, slash + 1, last - 1);
        last += last != end && (*last == '}' || *last == ':');
        last += last != end && *last == ':';
        k.modifiers = k.is_called ? 0 : event_modifiers(last, (size_t)(end - last));   /* not in what perf shows then */
        if (k.is_raw) return k;
    } else {
        for (colon = end; colon != p && colon[-1] != ':';) colon--;
        if (colon != p) k.modifiers = event_modifiers(colon, (size_t)(end - colon));
        if (k.modifiers != 0) end = colon - 1;
        brace = memchr(p, '}', (size_t)(end - p));
        k.body = p;
        k.body_size = (size_t)((brace != NULL ? brace : end) - p);
    }
    if (k.body_size > 1 && lower(*k.body) == 'r') k.is_raw = event_number(k.body + 1, k.body_size - 1, 16, &k.config);
    return k;
}

/* 1 if two names are of one event; perf has two names for some. */
static int same_event(const event_key *a, const event_key *b)
{
    static const char *const twins[][2] = { { "cycles", "cpu-cycles" }, { "branches", "branch-instructions" },
        { "faults", "page-faults" }, { "cs", "context-switches" }, { "migrations", "cpu-migrations" } };
    size_t i;
    int k;
    if (same_text(a->body, a->body_size, b->body, b->body_size)) return 1;
    for (i = 0; i < sizeof twins / sizeof *twins; i++)
        for (k = 0; k < 2; k++)
            if (same_text(a->body, a->body_size, twins[i][k], strlen(twins[i][k])) &&
                same_text(b->body, b->body_size, twins[i][1 - k], strlen(twins[i][1 - k])))
                return 1;
    return 0;
}

/* How well an event is what a name asks for: 2 exactly, 1 with modifiers or a PMU that the name leaves open, 0 not. */
static int event_score(const event_row *r, const char *name, size_t size)
{
    const event_key asked = event_key_of(name, size), has = event_key_of(r->name, strlen(r->name));
    const int has_config = has.is_raw || r->type == 4 || (r->type > 5 && r->type != UINT32_MAX);
    const uint64_t config = has.is_raw ? has.config : r->config;
    const int same_pmu = same_text(asked.pmu, asked.pmu_size, has.pmu, has.pmu_size);
    const int same_modifiers = asked.modifiers == has.modifiers;
    const int same = (asked.is_raw && has_config && asked.config == config) ||
                     ((!asked.is_raw || asked.is_called) && same_event(&asked, &has));
    if (!same || (!same_pmu && asked.pmu_size != 0) || (!same_modifiers && asked.modifiers != 0)) return 0;
    return same_pmu && same_modifiers ? 2 : 1;
}

/* 1 if an event counts all branches that are taken: its samples are then as many as its code ran. */
static int counts_taken(const event_row *r)
{
    static const char *const ends[] = { "near_taken", "inst_retired.taken", "all_taken_branches", "ret_brn_tkn",
                                        "br_taken_retired", "branch-brs" };
    const event_key k = event_key_of(r->name, strlen(r->name));
    const int has_config = k.is_raw || r->type == 4;
    size_t i, n;
    if (has_config && ((k.is_raw ? k.config : r->config) & 0xffffff) == 0x20c4) return 1;
    for (i = 0; i + 4 <= k.body_size; i++)
        if (same_text(k.body + i, 4, "misp", 4)) return 0;
    for (i = 0; i < sizeof ends / sizeof *ends; i++) {
        n = strlen(ends[i]);
        if (k.body_size >= n && same_text(k.body + k.body_size - n, n, ends[i], n)) return 1;
    }
    return 0;
}

/* ----- choosing --------------------------------------------------------------------------------------------------- */

/* The end of the first name of a list: a comma between two slashes is of the name. */
static const char *name_end(const char *p)
{
    int inside = 0;
    for (; *p != '\0' && (*p != ',' || inside); p++) inside ^= *p == '/';
    return p;
}

/* 1 if an event is what a name asks for, and none is so more exactly. */
static int is_met(const events *e, const char *name, size_t size, const event_row *r)
{
    int best = 1;
    size_t i;
    for (i = 0; i < e->rows; i++)
        if (event_score(&e->row[i], name, size) == 2) best = 2;
    return event_score(r, name, size) >= best;
}

/* 1 if an option asks for an event; its values are names, lists of them, or groups in braces. */
static int is_asked_for(const events *e, const option *o, const event_row *r)
{
    const char *p, *end;
    size_t i;
    for (i = 0; i < o->count; i++)
        for (p = o->list[i]; p != NULL; p = *end != '\0' ? end + 1 : NULL) {
            end = name_end(p);
            if (is_met(e, p, (size_t)(end - p), r)) return 1;
        }
    return 0;
}

/* Decides about the events of which no sample was seen yet. */
static void events_choose(events *e)
{
    int taken = 0;
    size_t i;
    for (i = 0; i < e->rows; i++) taken |= counts_taken(&e->row[i]);
    for (i = 0; i < e->rows; i++) {
        event_row *const r = &e->row[i];
        if (r->samples != 0) continue;
        r->used = events_asked(e->o) ? is_asked_for(e, &e->o[O_EVENT], r) || is_asked_for(e, &e->o[O_EVENTS], r)
                                  : !taken || counts_taken(r);
    }
}

/* The next event, of which nothing was known. Returns 0 without memory. */
static int events_add(events *e, const csspgo_event_info *event)
{
    event_row *r;
    if (e->rows == e->row_cap) {
        const size_t cap = 2 * e->row_cap + 8;
        event_row *const v = (event_row *)realloc(e->row, cap * sizeof *v);
        if (v == NULL) return 0;
        e->row = v;
        e->row_cap = cap;
    }
    r = &e->row[e->rows];
    memset(r, 0, sizeof *r);
    r->name = (char *)malloc(event->name_size + 1);
    if (r->name == NULL) return 0;
    if (event->name_size != 0) memcpy(r->name, event->name, event->name_size);
    r->name[event->name_size] = '\0';
    r->config = event->config;
    r->type = event->type;
    e->rows++;
    return 1;
}

/* What a reader knows of events by now. Returns 0 after saying what is wrong. */
static int events_learn(events *e, const csspgo_perfdata *data, const csspgo_script *script)
{
    csspgo_event_info event;
    size_t known;
    known = e->rows;
    while (data != NULL ? csspgo_perfdata_event(data, (uint32_t)e->rows + 1, &event)
                        : csspgo_script_event(script, (uint32_t)e->rows + 1, &event))
        if (!events_add(e, &event)) return fail(e->tool, "out of memory"), 0;
    if (e->rows != known) events_choose(e);
    return 1;
}

/* Before a perf.data is read again: its events. Returns 0 after saying what is wrong. */
int events_of_data(events *e, const csspgo_perfdata *data)
{
    return e->tool->compat || events_learn(e, data, NULL);
}

/* Reads on in a script that is read again. Returns 0 at the first sample that names no event. */
static int events_scan(csspgo_script *s, const void *piece, size_t size)
{
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_item item;
    csspgo_script_feed(s, piece, size, NULL);
    while ((item = csspgo_script_next(s, &sample, &map, NULL)) != CSSPGO_ITEM_NONE)
        if (item == CSSPGO_ITEM_SAMPLE && sample.event == 0) return 0;
    return 1;
}

/* Before a script is read: the events of its first piece; of all if it can be read twice. Returns 0 as the others. */
int events_of_script(events *e, const reader *r, const void *piece, size_t size, FILE *f)
{
    static char chunk[1 << 16];
    csspgo_script *const s = e->tool->compat ? NULL : csspgo_script_new(NULL, seeded(), NULL);
    int more = s != NULL && events_scan(s, piece, size), ok;
    while (more && f != NULL && !interrupted() && (size = fread(chunk, 1, sizeof chunk, f)) != 0)
        more = events_scan(s, chunk, size);
    ok = s == NULL || events_learn(e, NULL, s);
    csspgo_script_free(s);
    if (ok && f != NULL && (ferror(f) || fseeko(f, 0, SEEK_SET) != 0))
        return fail(e->tool, "%s: %s", r->path, file_why()), 0;
    return ok;
}

/* Before the first item, and when new events come: perf.data leaves out what does not count. Returns 0: no memory. */
int events_leave_out(events *e, const reader *r)
{
    const size_t known = e->rows;
    size_t i;
    csspgo_event_info event;
    if (r->data == NULL || e->tool->compat) return 1;
    if (csspgo_perfdata_event(r->data, (uint32_t)known + 1, &event) && !events_learn(e, r->data, NULL)) return 0;
    for (i = 0; i < e->rows; i++)
        if (!e->row[i].used &&
            (csspgo_perfdata_leave_out(r->data, (uint32_t)i + 1, NULL) != CSSPGO_OK ||
             (r->kernel != NULL && csspgo_perfdata_leave_out(r->kernel, (uint32_t)i + 1, NULL) != CSSPGO_OK)))
            return fail(e->tool, "out of memory"), 0;
    return 1;
}

/* 1 if an item is new events' or a sample that counts; 0: a sample that does not; -1 after saying what is wrong. */
int events_take(events *e, const reader *r, csspgo_item item, const csspgo_sample *s)
{
    csspgo_event_info event;
    if (e->tool->compat) return 1;
    if (r->data != NULL && csspgo_perfdata_event(r->data, (uint32_t)e->rows + 1, &event) &&
        !events_leave_out(e, r))
        return -1;
    if (item != CSSPGO_ITEM_SAMPLE) return 1;
    if (r->script != NULL && s->event > e->rows && !events_learn(e, NULL, r->script)) return -1;
    if (s->event == 0) return e->unnamed += repeats_of(s), !events_asked(e->o);
    e->row[s->event - 1].samples++;
    return e->row[s->event - 1].used;
}

/* 1 if a sample counts that text says is of an event, in lines that are read one by one; -1: no memory. */
int events_named(events *e, const char *name, size_t size)
{
    csspgo_event_info event;
    size_t i;
    for (i = 0; i < e->rows; i++)
        if (strlen(e->row[i].name) == size && memcmp(e->row[i].name, name, size) == 0) break;
    memset(&event, 0, sizeof event);
    event.name = name;
    event.name_size = size;
    event.type = UINT32_MAX;
    if (i == e->rows && !events_add(e, &event)) return -1;
    events_choose(e);
    e->row[i].samples++;
    return e->row[i].used;
}

/* ----- telling ---------------------------------------------------------------------------------------------------- */

/* "cycles:u (35 samples), ..." of the events that are used or not, equal names once. Returns how many there are. */
static size_t events_list(const events *e, int used, char *line)
{
    size_t i, k, n = 0, shown = 0, all = 0;
    *line = '\0';
    for (i = 0; i < e->rows; i++) {
        uint64_t samples = 0;
        int first = 1;
        for (k = 0; k < e->rows; k++) {
            if (e->row[k].used != used || strcmp(e->row[k].name, e->row[i].name) != 0) continue;
            first &= k >= i;
            samples += e->row[k].samples;
        }
        if (e->row[i].used != used || !first || samples == 0 || all++ >= EVENTS_SHOWN) continue;
        n += (size_t)snprintf(line + n, EVENTS_LINE - n, "%s", shown++ != 0 ? ", " : "");
        n += mapped_name(line + n, *e->row[i].name != '\0' ? e->row[i].name : "?", 80);
        n += (size_t)snprintf(line + n, EVENTS_LINE - n, " (%" PRIu64 ")", samples);
    }
    if (all > shown) snprintf(line + n, EVENTS_LINE - n, " and %zu more", all - shown);
    return all;
}

/* The samples of perf.data, of which those left out were not handed out. */
static void events_count(events *e, const csspgo_perfdata *data)
{
    csspgo_event_info event;
    size_t i;
    for (i = 0; data != NULL && i < e->rows; i++)
        if (csspgo_perfdata_event(data, (uint32_t)i + 1, &event)) e->row[i].samples = event.samples;
}

/* Keeps the events of a recording that is over for the report. Returns 0 without memory. */
static int events_keep(events *e)
{
    event_row *v = (event_row *)realloc(e->past, (e->pasts + e->rows + 1) * sizeof *v);
    if (v == NULL) return 0;
    e->past = v;
    if (e->rows != 0) memcpy(v + e->pasts, e->row, e->rows * sizeof *v);
    e->pasts += e->rows;
    e->rows = 0;
    e->unnamed = 0;
    return 1;
}

/* None of a recording's events is asked for. Returns 0 if that is an error: of several recordings one may have it. */
static int events_missed(const events *e, const reader *r, int last, const char *left)
{
    const int several = profgen_input(e->o, 1) != NULL;
    char why[EVENTS_LINE + 80];
    if (*left != '\0') snprintf(why, sizeof why, "no event is the one of --perf-event; there are %s", left);
    else if (e->unnamed != 0) snprintf(why, sizeof why, "samples do not name their event: use -F +event");
    else return 1;
    if (!several || (last && !e->matched)) return fail(e->tool, "%s: %s", r->path, why), 0;
    warn(e->tool, "%s: %s", r->path, why);
    return 1;
}

/* The end of a recording: tells which events counted, if there were several. Returns 0 after saying what is wrong. */
int events_over(events *e, const reader *r, int last)
{
    char used[EVENTS_LINE], left[EVENTS_LINE];
    size_t n, others;
    int ok = 1;
    if (e->tool->compat || (r->data == NULL && r->script == NULL)) return 1;
    events_count(e, r->data);
    n = events_list(e, 1, used);
    others = events_list(e, 0, left);
    e->matched |= n != 0;
    if (events_asked(e->o) && n == 0) ok = events_missed(e, r, last, left);
    else if (others != 0 && n == 0)
        warn(e->tool, "%s: the event that counts taken branches has no sample; left out: %s; --perf-event=NAME takes "
             "another", r->path, left);
    else if (others != 0)
        note(e->tool, "%s: samples count of the event%s %s; left out: %s%s", r->path, n > 1 ? "s" : "", used, left,
             events_asked(e->o) ? "" : "; --perf-event=NAME chooses");
    else if (n > 1 && events_asked(e->o)) note(e->tool, "%s: samples of several events add up: %s", r->path, used);
    else if (n > 1)
        warn(e->tool, "%s: samples of several events add up: %s; --perf-event=NAME chooses", r->path, used);
    return events_keep(e) ? ok : (fail(e->tool, "out of memory"), 0);
}

/* For the report. */
void events_json(const events *e, FILE *out)
{
    size_t i, n = 0;
    fputs("  \"events\": [", out);
    for (i = 0; i < e->pasts; i++) {
        if (e->past[i].samples == 0) continue;
        fputs(n++ != 0 ? ",\n    { \"name\": " : "\n    { \"name\": ", out);
        json_string(out, e->past[i].name, strlen(e->past[i].name));
        fprintf(out, ", \"samples\": %" PRIu64 ", \"used\": %s }", e->past[i].samples,
                e->past[i].used ? "true" : "false");
    }
    fputs(n != 0 ? "\n  ],\n" : "],\n", out);
}

void events_free(events *e)
{
    size_t i;
    for (i = 0; i < e->rows; i++) free(e->row[i].name);
    for (i = 0; i < e->pasts; i++) free(e->past[i].name);
    free(e->row);
    free(e->past);
}
