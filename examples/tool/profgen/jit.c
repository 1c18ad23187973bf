/* jit.c - profgen: code of JITs instead of a program: files, samples, what is said */
#include "profgen.h"

/* What differs by default: contexts stay as they were sampled, as no compiler of LLVM's reads them. */
void jit_defaults(option *o)
{
    static const int off[] = { O_PREINLINER, O_NESTED, O_MERGE_COLD };
    size_t i;
    for (i = 0; i < sizeof off / sizeof *off; i++) {
        if (o[off[i]].text != NULL) continue;
        o[off[i]].text = "0";
        o[off[i]].number = 0;
    }
}

/* 1 if none of the options is given; else says why they do not go with code of JITs. */
static int jit_lacks(const tool_context *tool, const option *o, const int *others, size_t n, const char *why)
{
    const char *const with = o[O_JITDUMP].count != 0 ? "jitdump" : "perf-map";
    size_t i;
    for (i = 0; i < n; i++) {
        const option *x = &o[others[i]];
        if (x->kind == OPT_SWITCH ? x->number != 0 : x->text != NULL)
            return usage(tool, "--%s does not go with --%s%s", x->name, with, why), 0;
    }
    return 1;
}

/* Checks the options. Returns 0 after saying what is wrong. */
int jit_check(const tool_context *tool, const option *o)
{
    static const int never[] = { O_KERNEL, O_UNSYMBOLIZED, O_PROFILE, O_SHOW_PROBES, O_COMPAT, O_PREAGG, O_PPROF };
    static const int of_program[] = { O_DEBUG_BINARY, O_SYMBOLS, O_PROBE_SYMBOLS };
    if (!jit_asked(o))
        return !o[O_SHOW_JIT].number || (usage(tool, "--show-jit-samples needs --jitdump or --perf-map"), 0);
    if (o[O_BINARY].text == NULL && !jit_lacks(tool, o, of_program, sizeof of_program / sizeof *of_program, " alone"))
        return 0;
    if (o[O_BINARY].text != NULL && o[O_PERF_MAP].count != 0)
        return usage(tool, "--perf-map does not go with --binary: it has no code, so call stacks would end there; "
                              "give --jitdump"), 0;
    if (o[O_BINARY].text != NULL && o[O_SKIP].number)
        return usage(tool, "--skip-symbolization does not go with --binary and --jitdump"), 0;
    return jit_lacks(tool, o, never, sizeof never / sizeof *never, "");
}

/* ----- files ----- */

/* What a file had that makes no sense. */
static void jit_report_file(const jit_work *w, const jit_file *f)
{
    const unsigned long long bad = (unsigned long long)jit_file_bad(f);
    if (f->is_map && bad != 0) warn(w->tool, "%s: %llu lines make no sense", f->path, bad);
    else if (f->dump.bad != 0)
        warn(w->tool, "%s: byte %llu: and %llu more records make no sense", f->path,
             (unsigned long long)f->dump.first_bad, (unsigned long long)f->dump.bad - 1);
    if (f->dump.cut)
        warn(w->tool, "%s: byte %llu: it ends inside a record: what came before counts", f->path,
             (unsigned long long)f->dump.at);
    if (!f->is_map && f->dump.machine != X86_64 && f->dump.machine != AARCH64)
        warn(w->tool, "%s: code of machine %lu cannot be decoded: no branches in it count", f->path,
             (unsigned long)f->dump.machine);
}

/* Adds a file. Returns 0 with a sentence in why. */
static int jit_add(jit_work *w, const char *path, int is_map, char *why, size_t why_size)
{
    const jit_file *f;
    if (!jit_add_file(w->code, path, is_map, why, why_size)) return 0;
    f = &w->code->file[w->code->files - 1];
    w->flat &= is_map || (f->dump.machine != X86_64 && f->dump.machine != AARCH64);
    jit_report_file(w, f);
    return 1;
}

/* Room for what becomes of the code. Returns 0 without memory. */
static int jit_make(jit_work *w)
{
    csspgo_options large = *seeded();
    large.allocator = big_blocks();
    w->code = (jit_code *)calloc(1, sizeof *w->code);
    w->table = csspgo_line_table_new(seeded(), NULL);
    w->samples = csspgo_profile_new(&large, NULL);
    return w->code != NULL && w->table != NULL && w->samples != NULL;
}

int jit_begin(jit_work *w, const char **loading, char *why, size_t why_size)
{
    const option *dumps = &w->o[O_JITDUMP], *maps = &w->o[O_PERF_MAP];
    const char *const program = *loading;
    size_t i;
    if (!jit_make(w)) return load_fail(why, why_size, "out of memory");
    csspgo_profile_set_flags(w->samples, CSSPGO_IS_CS);
    w->fresh = JIT_FRESH;
    w->flat = 1;
    for (i = 0; i < dumps->count + maps->count; i++) {
        const int is_map = i >= dumps->count;
        const char *path = is_map ? maps->list[i - dumps->count] : dumps->list[i];
        if (!is_map && strcmp(path, "auto") == 0) {
            w->automatic = 1;
            continue;
        }
        *loading = path;
        if (!jit_add(w, path, is_map, why, why_size)) return 0;
        *loading = program;
    }
    w->flat &= !w->automatic;
    return 1;
}

void jit_work_free(jit_work *w)
{
    if (w == NULL) return;
    jit_free(w->code);
    live_clear(&w->placed);
    csspgo_line_table_free(w->table);
    csspgo_profile_free(w->samples);
    while (w->rows != NULL) {
        jit_rows *const next = w->rows->next;
        free(w->rows);
        w->rows = next;
    }
    free(w->hit);
    free(w->batch.word);
    free(w->batch.key);
    free(w->batch.sorted);
    free(w->stack);
    free(w->branch);
    free(w);
}

/* ----- the clock ----- */

static uint64_t jit_number(const unsigned char *p, size_t size, int big)
{
    uint64_t n = 0;
    size_t i;
    for (i = 0; i < size; i++) n |= (uint64_t)p[i] << 8 * (big ? size - 1 - i : i);
    return n;
}

/* 1 if an event's times are of the monotonic clock: a perf_event_attr with use_clockid, clockid 1. */
static int jit_attr_is_monotonic(const unsigned char *attr, size_t size, int big)
{
    const unsigned bit = big ? 63 - 25 : 25;                                  /* bit fields begin at the other end */
    return size >= 96 && jit_number(attr + 40, 8, big) >> bit & 1 && jit_number(attr + 92, 4, big) == 1;
}

/* 1 if times in a perf.data are of the monotonic clock; p: its first bytes. */
static int jit_is_monotonic(const unsigned char *p, size_t size)
{
    const int big = size >= 8 && memcmp(p, "2ELIFREP", 8) == 0;
    uint64_t at, bytes;
    if (size < 40 || (!big && memcmp(p, "PERFILE2", 8) != 0)) return 0;
    if (jit_number(p + 8, 8, big) > 16) {
        at = jit_number(p + 24, 8, big);
        return at < size && jit_attr_is_monotonic(p + at, size - (size_t)at, big);
    }
    for (at = 16; size - at >= 8; at += bytes) {                              /* of a pipe: records from here on */
        bytes = jit_number(p + at + 6, 2, big);
        if (jit_number(p + at, 4, big) == 64)
            return jit_attr_is_monotonic(p + at + 8, size - (size_t)at - 8, big);
        if (bytes < 8 || bytes > size - at) return 0;
    }
    return 0;
}

/* The recording begins, with these bytes. Returns 0 after saying what is wrong. */
int jit_recording(jit_work *w, const void *bytes, size_t size)
{
    int ok = 1;
    if (!jit_settle(w)) return 0;
    w->started = 1;
    jit_restart(w->code);
    if (w->r->data != NULL && jit_is_monotonic((const unsigned char *)bytes, size)) ok = jit_advance(w->code, 0);
    else if (w->o[O_JITDUMP].count == 0) ok = jit_advance(w->code, UINT64_MAX);
    else {
        if (w->automatic)
            return fail(w->tool, "%s: samples have no times of the monotonic clock (perf record -k mono), and without "
                        "these no dump is looked for: give --jitdump=FILE", w->r->path),
                   0;
        warn(w->tool, "%s: samples have no times of the monotonic clock (perf record -k mono): code counts where no "
                      "other code ever was", w->r->path);
        ok = jit_without_times(w->code);
    }
    return ok || (fail(w->tool, "out of memory"), 0);
}

/* ----- samples ----- */

/* Prints what a sample's address is. */
static void jit_show(const jit_work *w, const csspgo_sample *s, uint64_t address, const live_range *at)
{
    jitdump_record r;
    printf("%llu\t%lu\t%llx\t", (unsigned long long)s->time, (unsigned long)s->pid, (unsigned long long)address);
    if (at == NULL || at->function == JIT_AMBIGUOUS || !jit_load(w->code, at->function, &r)) printf("-\t\n");
    else {
        put_safe(r.name, r.name_size, stdout);
        printf("\t%llu\n", (unsigned long long)r.index);
    }
}

/*
 * An address of a process in the code map; otherwise: what it is if it is no JIT's. Returns 0 after saying what is
 * wrong.
 */
static int jit_translate(jit_work *w, uint32_t pid, uint64_t *address, uint64_t otherwise, int sampled)
{
    const live_range *at = jit_at(w->code, pid, *address);
    const jit_hit *hit;
    w->addresses += sampled != 0;
    w->ambiguous += sampled && at != NULL && at->function == JIT_AMBIGUOUS;
    if (at == NULL || at->function == JIT_AMBIGUOUS) {
        *address = otherwise;
        return 1;
    }
    w->known += sampled != 0;
    if ((hit = jit_placed(w, at)) == NULL) return 0;
    *address = hit->place + (*address - at->base);
    return 1;
}

/* Without a program: its own code is unknown, the kernel's stays. */
static uint64_t jit_otherwise(uint64_t address)
{
    return address >> 63 != 0 ? address : 1;
}

/* Room for a sample. Returns 0 after saying what is wrong. */
static int jit_sample_room(jit_work *w, const csspgo_sample *s)
{
    void *p;
    while (w->stack_cap < (size_t)s->stack_count + 1) {
        if ((p = jit_room(w->stack, w->stack_cap, &w->stack_cap, sizeof *w->stack)) == NULL) break;
        w->stack = (uint64_t *)p;
    }
    while (w->branch_cap < s->branch_count) {
        if ((p = jit_room(w->branch, w->branch_cap, &w->branch_cap, sizeof *w->branch)) == NULL) break;
        w->branch = (csspgo_branch *)p;
    }
    return (w->stack_cap > s->stack_count && w->branch_cap >= s->branch_count) || (fail(w->tool, "out of memory"), 0);
}

/* What is left of a sample if branch records say nothing. */
static void jit_flatten(jit_work *w, csspgo_sample *s)
{
    if (s->stack_count == 0) w->stack[0] = s->branches[0].to;
    s->stack = s->stack_count == 0 ? w->stack : s->stack;
    s->stack_count += s->stack_count == 0;
    s->branch_count = 0;
    w->cut_branches = 1;
}

/* Moves a sample to the code map; placed: with addresses that are no JIT's. Returns 0 after saying what is wrong. */
static int jit_move(jit_work *w, const csspgo_sample *recorded, const csspgo_sample *placed, csspgo_sample *s)
{
    const int alone = w->alone;
    uint32_t i;
    for (i = 0; i < s->stack_count; i++) {
        const uint64_t a = w->stack[i] = recorded->stack[i], to = alone ? jit_otherwise(a) : placed->stack[i];
        if (!jit_translate(w, s->pid, &w->stack[i], to, i == 0)) return 0;
    }
    for (i = 0; i < s->branch_count; i++) {
        const csspgo_branch b = w->branch[i] = recorded->branches[i], *p = &placed->branches[i];
        const uint64_t from = alone ? jit_otherwise(b.from) : p->from, to = alone ? jit_otherwise(b.to) : p->to;
        if (!jit_translate(w, s->pid, &w->branch[i].from, from, 0)) return 0;
        if (!jit_translate(w, s->pid, &w->branch[i].to, to, s->stack_count == 0 && i == 0)) return 0;
    }
    if (s->stack_count != 0) s->stack = w->stack;
    if (s->branch_count != 0) s->branches = w->branch;
    return 1;
}

/*
 * Takes a sample: moves it to the code map, or counts it itself, and then its count is 0. Returns 0 after saying what
 * is wrong.
 */
int jit_sample(jit_work *w, csspgo_sample *s)
{
    const uint64_t address = s->stack_count != 0 ? s->stack[0] : s->branch_count != 0 ? s->branches[0].to : 1;
    csspgo_sample recorded;
    if (!w->started && !jit_recording(w, "", 0)) return 0;
    if (jit_is_due(w->code, s->time) && !jit_settle(w)) return 0;
    if (!jit_advance(w->code, s->time) || !jit_sample_room(w, s)) return fail(w->tool, "out of memory"), 0;
    if (w->o[O_SHOW_JIT].number) jit_show(w, s, address, jit_at(w->code, s->pid, address));
    if (w->flat && s->branch_count != 0) jit_flatten(w, s);
    if (s->branch_count == 0 && !w->o[O_SKIP].number) {
        const int ok = jit_wait(w, s);
        s->count = 0;
        return ok;
    }
    if (!jit_settle(w)) return 0;
    recorded = *s;
    return jit_move(w, &recorded, &recorded, s);
}

/* A sample of a program and of JITs' code; s: as recorded, but the program's addresses are the code map's already. */
int jit_join(jit_work *w, const csspgo_sample *recorded, csspgo_sample *s)
{
    const uint64_t address = s->stack_count != 0 ? recorded->stack[0]
                           : s->branch_count != 0 ? recorded->branches[0].to : 1;
    const csspgo_sample placed = *s;
    if (!w->started && !jit_recording(w, "", 0)) return 0;
    if (jit_is_due(w->code, s->time) && !jit_settle(w)) return 0;
    if (!jit_advance(w->code, s->time) || !jit_sample_room(w, s)) return fail(w->tool, "out of memory"), 0;
    if (w->o[O_SHOW_JIT].number) jit_show(w, s, address, jit_at(w->code, s->pid, address));
    return jit_move(w, recorded, &placed, s);
}

/* The mapping of a dump: reads it if that is asked for. Returns 0 after saying what is wrong. */
static int jit_found(jit_work *w, const csspgo_mmap *map)
{
    char path[4096];
    struct stat st;
    size_t i;
    char why[256] = "no file";
    if (!w->automatic || map->path_size >= sizeof path) return 1;
    memcpy(path, map->path, map->path_size);
    path[map->path_size] = '\0';
    for (i = 0; i < w->code->files; i++)
        if (strcmp(w->code->file[i].path, path) == 0) return 1;
    if (!profgen_spares_file(w->tool, w->o, path)) return 0;
    if (stat(path, &st) != 0) snprintf(why, sizeof why, "%s", file_why());
    else if (S_ISREG(st.st_mode))
        return jit_add(w, path, 0, why, sizeof why) || (fail(w->tool, "%s: %s", path, why), 0);
    warn(w->tool, "%s: %s: its code does not count; if it is elsewhere now, give --jitdump=FILE", path, why);
    return 1;
}

/* An item that is no sample. Returns 0 after saying what is wrong. */
int jit_item(jit_work *w, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map)
{
    if (!w->started && !jit_recording(w, "", 0)) return 0;
    if (!jit_settle(w)) return 0;
    if (item == CSSPGO_ITEM_MMAP && jit_dump_of(map) != 0 && !jit_found(w, map)) return 0;
    if (sample->time != 0 && !jit_advance(w->code, sample->time)) return fail(w->tool, "out of memory"), 0;
    return jit_event(w->code, item, sample, map) || (fail(w->tool, "out of memory"), 0);
}

/* ----- the end ----- */

/* What is to be said when all is read. */
void jit_report(const jit_work *w)
{
    note(w->tool, "%llu of %llu samples are in %zu functions of JITs", (unsigned long long)w->known,
         (unsigned long long)w->addresses, w->hits);
    if (w->encoded)
        note(w->tool, "text cannot carry some names of functions: they have %%3a for ':', and so on. Others can");
    if (w->ambiguous != 0)
        warn(w->tool, "%llu samples do not count: different code was at their addresses; record with -k mono",
             (unsigned long long)w->ambiguous);
    if (w->cut_branches)
        warn(w->tool, "branch records do not count: they need code, which a perf map does not have. Let the JIT write "
             "a dump (node --perf-prof) and give --jitdump");
    if (w->code->not_inherited != 0)
        warn(w->tool, "%llu processes got no code of their parent: there are too many",
             (unsigned long long)w->code->not_inherited);
}
