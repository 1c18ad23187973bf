/* picture.c - a picture of any recording: reads what has addresses */
#include "picture.h"

enum { PICTURE_HEAD = 1 << 16 };

/* ----- what a file is --------------------------------------------------------------------------------------------- */

static int begins(const unsigned char *in, size_t size, const char *with)
{
    const size_t n = strlen(with);
    return size >= n && memcmp(in, with, n) == 0;
}

/* 1 if a line is an address behind blanks and nothing else, a mapping event, or branch records. */
static int is_script_line(const char *p, const char *end)
{
    const char *const line = p;
    size_t digits = 0;
    while (p != end && (*p == ' ' || *p == '\t')) p++;
    if (p == line) return 0;
    if (end - p > 2 && p[0] == '0' && p[1] == 'x') return memchr(p, '/', (size_t)(end - p)) != NULL;
    for (; p != end && ((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'f')); p++) digits++;
    while (p != end && (*p == ' ' || *p == '\r')) p++;
    return p == end && digits >= 4;
}

/* 1 if a line has PERF_RECORD_NAME and ids: "PERF_RECORD_MMAP2 12/12:", "PERF_RECORD_MMAP -1/0:". */
static int is_event_line(const char *p, const char *end)
{
    const char *const line = p;
    for (; end - p > 12; p++) {
        if (memcmp(p, "PERF_RECORD_", 12) != 0 || (p != line && p[-1] != ' ' && p[-1] != '\t')) continue;
        while (p != end && *p != ' ') p++;
        p += p != end;
        p += p != end && *p == '-';
        if (p == end || *p < '0' || *p > '9') return 0;
        while (p != end && *p >= '0' && *p <= '9') p++;
        return p != end && *p == '/';
    }
    return 0;
}

static int is_script(const char *p, size_t size)
{
    const char *const end = p + size;
    while (p != end) {
        const char *const stop = (const char *)memchr(p, '\n', (size_t)(end - p));
        if (stop == NULL) return 0;
        if (is_script_line(p, stop)) return 1;
        if (is_event_line(p, stop)) return 1;
        p = stop + 1;
    }
    return 0;
}

/* 1 if all bytes are those of text. A profile of pprof has lengths and numbers, and is none. */
static int is_plain_text(const unsigned char *in, size_t size)
{
    size_t i;
    for (i = 0; i < size && (in[i] >= ' ' || in[i] == '\n' || in[i] == '\t' || in[i] == '\r'); i++) continue;
    return i == size;
}

/* By the first bytes of what is in it, inflated. gzip: it was compressed so. */
static picture_kind kind_by_head(const unsigned char *in, size_t size, int gzip)
{
    if (begins(in, size, "PERFILE2") || begins(in, size, "2ELIFREP")) return PICTURE_DATA;
    if (begins(in, size, "goroutine profile:")) return PICTURE_NONE;      /* not a stack */
    if (csspgo_stacks_sniff(in, size) != CSSPGO_STACKS_NONE) return PICTURE_STACKS;
    if (csspgo_is_gperftools(in, size)) return PICTURE_PPROF;
    if (size > 3 && in[0] == 0x0a && in[1] < 16 && in[2] == 8) return PICTURE_PPROF;
    if (memchr(in, '\0', size) == NULL && trace_is((const char *)in, size)) return PICTURE_SCRIPT;
    if (memchr(in, '\0', size) == NULL && is_script((const char *)in, size)) return PICTURE_SCRIPT;
    if (!gzip || (size != 0 && (is_plain_text(in, size) || kind_words(in, size, KIND_OTHER) != NULL))) return PICTURE_NONE;
    return PICTURE_PPROF;
}

/* The first bytes of what is in an open recording, which is read from its beginning again. */
static size_t head_of(reader *r, unsigned char *head)
{
    size_t n = 0, got = 1;
    while (n < PICTURE_HEAD && got != 0) n += got = fread(head + n, 1, PICTURE_HEAD - n, r->file);
    clearerr(r->file);
    return fseeko(r->file, 0, SEEK_SET) == 0 ? n : 0;
}

/* ----- files ------------------------------------------------------------------------------------------------------ */

static size_t living(const char *path, size_t size)
{
    return size > 10 && memcmp(path + size - 10, " (deleted)", 10) == 0 ? size - 10 : size;
}

/* The number of a file, added if it is new; -1 without memory. */
static long long file_number(picture *x, const char *path, size_t size)
{
    long long i;
    size = living(path, size);
    i = files_number(&x->mapped, path, size);
    if (i < 0 || (size_t)i < x->files) return i;
    if (x->files == x->file_cap) {
        const size_t cap = x->file_cap * 2 + 16;
        picture_file *const v = (picture_file *)realloc(x->file, cap * sizeof *v);
        if (v == NULL) return -1;
        x->file = v;
        x->file_cap = cap;
    }
    memset(&x->file[i], 0, sizeof x->file[i]);
    if ((x->file[i].path = (char *)malloc(size + 1)) == NULL) return -1;
    memcpy(x->file[i].path, path, size);
    x->file[i].path[size] = '\0';
    x->file[i].nameless = csspgo_path_is_fileless(path, size);
    x->files++;
    return i;
}

/* A mapping, or the build id of a file. Returns 0 without memory. */
static int picture_map(picture *x, csspgo_item item, csspgo_mmap *map, char *name)
{
    const int kernel = map->path_size >= 8 && memcmp(map->path, "[kernel.", 8) == 0;
    long long i;
    if (kernel && item == CSSPGO_ITEM_MMAP && x->kernel_text == 0) x->kernel_text = map->file_offset;
    if (kernel || map->path_size == 0) return 1;
    i = file_number(x, map->path, map->path_size);
    if (i < 0) return 0;
    if (map->build_id_size != 0 && map->build_id_size <= 20) {
        x->file[i].id_size = map->build_id_size;
        memcpy(x->file[i].id, map->build_id, map->build_id_size);
    }
    map->path = name;
    map->path_size = (size_t)sprintf(name, "%lld", i);
    map->build_id_size = 0;
    return 1;
}

/* An item that is no sample. Returns 0 without memory. */
static int picture_event(picture *x, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map)
{
    csspgo_mmap numbered;
    char name[24];
    memset(&numbered, 0, sizeof numbered);
    if (item == CSSPGO_ITEM_OTHER) return 1;
    numbered = windows_map(&x->windows, item, map);
    if (item == CSSPGO_ITEM_MMAP && !map->executable) return 1;
    if ((item == CSSPGO_ITEM_MMAP || item == CSSPGO_ITEM_BUILD_ID) && !picture_map(x, item, &numbered, name)) return 0;
    if (item == CSSPGO_ITEM_BUILD_ID) return 1;
    return csspgo_processes_event(x->spaces, item, sample, &numbered, NULL) == CSSPGO_OK;
}

/* ----- samples ---------------------------------------------------------------------------------------------------- */

/* Where an address is; placed: the same in the code map. caller: it is the return address of a call. */
static picture_key key_at(const picture *x, uint32_t pid, uint64_t recorded, uint64_t placed, int caller)
{
    const uint64_t file = (placed - FILES_BASE) >> IMAGE_BITS;
    picture_key k;
    k.kind = 'u';
    k.of = 0;
    k.at = recorded - (uint64_t)caller;
    if (recorded >> 63 != 0) k.kind = 'k';
    else if (placed >= FILES_BASE && file < x->files && !x->file[file].nameless) {
        k.kind = 'f';
        k.of = (uint32_t)file;
        k.at = ((placed - FILES_BASE) & (((uint64_t)1 << IMAGE_BITS) - 1)) - (uint64_t)caller;
    } else if (placed >= FILES_BASE || recorded > 4096) {
        k.kind = 'j';
        k.of = pid;
    }
    return k;
}

/* The frame of an address in a context; id 0: out of memory. */
static csspgo_node frame_add(picture *x, csspgo_node n, picture_key k)
{
    char name[48];
    const int size = snprintf(name, sizeof name, "%c%x:%" PRIx64, k.kind, (unsigned)k.of, k.at);
    const csspgo_func f = csspgo_func_add(x->raw, name, (size_t)size);
    if (f.id != 0) return csspgo_node_add(x->raw, n, csspgo_loc_at(0, 0), CSSPGO_CONTEXT, f);
    n.id = 0;
    return n;
}

/* 1 if a frame is a return address: neither the innermost one nor the one that the kernel has interrupted. */
static int is_caller(const uint64_t *stack, uint32_t i)
{
    return i != 0 && !(stack[i - 1] >> 63 != 0 && stack[i] >> 63 == 0);
}

/* Returns 0 without memory. */
static int picture_sample(picture *x, const reader *r, const csspgo_sample *sample)
{
    csspgo_node n = csspgo_root(x->raw);
    csspgo_sample placed;
    uint64_t leaf;
    uint32_t kernel, i, count, all;
    const uint64_t *const in_kernel = reader_kernel(r, &kernel);
    csspgo_sample s = *sample;
    if (s.stack_count == 0 && s.branch_count != 0) {
        leaf = s.branches[0].to;
        s.stack = &leaf;
        s.stack_count = 1;
    }
    if (kernel != 0 && s.stack_count != 0 && s.stack[0] >> 63 != 0) s.stack_count = 0;   /* the same once more */
    s.branches = NULL;
    s.branch_count = 0;
    placed = s;
    if (r->script != NULL) csspgo_processes_frame_files(x->spaces, csspgo_script_frame_files(r->script));
    if (csspgo_processes_sample(x->spaces, &placed, NULL) != CSSPGO_OK) return 0;
    count = s.stack_count;
    all = count + kernel;
    if (all > VIEWS_DEPTH) {
        x->deep++;
        count = kernel < VIEWS_DEPTH ? VIEWS_DEPTH - kernel : 0;
    }
    for (i = count; i-- > 0;) {
        if (s.stack[i] == 0 && i != 0) continue;
        n = frame_add(x, n, key_at(x, s.pid, s.stack[i], placed.stack[i], is_caller(s.stack, i)));
        if (n.id == 0) return 0;
    }
    for (i = kernel < VIEWS_DEPTH ? kernel : VIEWS_DEPTH; i-- > 0;) {
        n = frame_add(x, n, key_at(x, s.pid, in_kernel[i], 0, i != 0));
        if (n.id == 0) return 0;
    }
    if (n.id == csspgo_root(x->raw).id) return x->empty++, 1;
    x->samples++;
    x->by_event[s.event < PICTURE_NUMBERS ? s.event : PICTURE_NUMBERS - 1] += repeats_of(&s);
    return csspgo_add_total(x->raw, n, s.count != 0 ? s.count : 1) == CSSPGO_OK;
}

/* All that the parser has ready. Returns 0 after saying what is wrong. */
static int picture_items(picture *x, reader *r)
{
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_item item;
    int got, ok = 1;
    while ((got = reader_item(r, &item, &sample, &map)) > 0) {
        if (item != CSSPGO_ITEM_SAMPLE) ok = picture_event(x, item, &sample, &map);
        else ok = sample.count == 0 || picture_sample(x, r, &sample);
        if (!ok) return fail(x->tool, "out of memory"), 0;
    }
    return got == 0;
}

/* Which events the samples are of, as the recording calls them. */
static void picture_tell_events(const picture *x, const reader *r)
{
    picture_events e;
    uint32_t i;
    memset(&e, 0, sizeof e);
    for (i = 0; i < PICTURE_NUMBERS; i++) {
        csspgo_event_info event;
        if (x->by_event[i] == 0) continue;
        memset(&event, 0, sizeof event);
        if (i != 0 && !(r->script != NULL ? csspgo_script_event(r->script, i, &event)
                                          : r->data != NULL && csspgo_perfdata_event(r->data, i, &event)))
            event.name_size = 0;
        picture_events_add(&e, event.name, event.name_size, x->by_event[i]);
    }
    picture_events_tell(x->tool, &e, x->path);
}

/* Reads the whole recording, which is open. Returns 0 after saying what is wrong. */
static int picture_addresses(picture *x, reader *r, picture_kind kind)
{
    static char chunk[1 << 18];
    size_t n;
    if (!reader_parse(r, kind == PICTURE_DATA ? RECORDING_DATA : kind == PICTURE_PPROF ? RECORDING_PPROF
                                                                                      : RECORDING_SCRIPT))
        return 0;
    if (!reader_names(r)) return 0;
    while ((n = fread(chunk, 1, sizeof chunk, r->file)) != 0) {
        reader_feed(r, chunk, n);
        if (!picture_items(x, r)) return 0;
    }
    if (ferror(r->file)) return fail(x->tool, "%s: %s", x->path, reader_why(r)), 0;
    reader_feed(r, NULL, 0);
    if (!picture_items(x, r)) return 0;
    reader_warnings(r);
    picture_tell_events(x, r);
    if (x->deep != 0) warn(x->tool, "%s: %" PRIu64 " stacks are cut to %d frames", x->path, x->deep, (int)VIEWS_DEPTH);
    return 1;
}

/* ----- by name ---------------------------------------------------------------------------------------------------- */

/*
 * The contexts of addresses become those of names. Unknown frames in a row, as of a stack walk that went astray, become
 * one. Returns 0 without memory.
 */
static int picture_rename(picture *x)
{
    csspgo_node *const to = (csspgo_node *)calloc((size_t)csspgo_node_count(x->raw) + 2, sizeof *to);
    const csspgo_func unknown = csspgo_func_add(x->named, "[unknown]", 9);
    csspgo_node n = csspgo_root(x->raw);
    int ok = to != NULL && unknown.id != 0;
    if (ok) to[n.id] = csspgo_root(x->named);
    while (ok && (n = csspgo_node_next(x->raw, csspgo_root(x->raw), n)).id != 0) {
        const uint32_t f = csspgo_node_func(x->raw, n).id;
        const uint64_t total = csspgo_total(x->raw, n);
        csspgo_node at = to[csspgo_node_parent(x->raw, n).id];
        size_t i;
        for (i = 0; ok && i < x->length[f]; i++) {
            const csspgo_func name = x->chain[x->first[f] + i];
            if (name.id == unknown.id && csspgo_node_func(x->named, at).id == unknown.id) continue;
            at = csspgo_node_add(x->named, at, csspgo_loc_at(0, 0), CSSPGO_CONTEXT, name);
            ok = at.id != 0;
            if (ok && i != 0) ok = csspgo_set_attributes(x->named, at, CSSPGO_WAS_INLINED) == CSSPGO_OK;
        }
        to[n.id] = at;
        if (ok && total != 0) ok = csspgo_add_total(x->named, at, total) == CSSPGO_OK;
        if (ok && total != 0 && csspgo_node_func(x->named, at).id == unknown.id) x->lost += total;
        if (ok) x->counted += total;
    }
    free(to);
    return ok;
}

/* Opens the programs of Windows among those of --binary; what is wrong with one is said where it gets its names. */
static int windows_open(picture *x)
{
    const size_t n = x->binary != NULL ? x->binary->count : 0;
    char why[PROGRAM_WHY];
    file_bytes f;
    size_t i;
    x->windows.v = (program_image *)calloc(n + 1, sizeof *x->windows.v);
    if (x->windows.v == NULL) return fail(x->tool, "out of memory"), 0;
    for (i = 0; i < n; i++) {
        program_image *const m = &x->windows.v[x->windows.count];
        int is_one;
        if (!file_open_named(x->binary->list[i], &f)) continue;
        is_one = f.size > 64 && memcmp(f.data, "MZ", 2) == 0;
        file_close(&f);
        m->path = x->binary->list[i];
        if (is_one && program_open(x->tool, &m->loaded, m->path, why, sizeof why)) x->windows.count++;
    }
    return 1;
}

static csspgo_profile *tall_profile(const tool_context *tool)
{
    csspgo_options options = *seeded();
    csspgo_profile *p;
    options.limits.max_depth = 4 * VIEWS_DEPTH;          /* frames and what is inlined in them */
    options.limits.max_name = UINT32_MAX;
    p = csspgo_profile_new(&options, NULL);
    if (p == NULL) fail(tool, "out of memory");
    return p;
}

static void picture_tell(const picture *x)
{
    if (2 * x->lost > x->counted)
        warn(x->tool, "%s: most sampled addresses are in no file that is known: give perf.data itself, or text with names "
             "(perf script -F +sym,+dso)", x->path);
    if (x->by_line == 0 && x->by_symbol + x->by_offset != 0)
        note(x->tool, "%s: names are of symbols%s: a picture, and no profile for a compiler", x->path,
             x->by_symbol == 0 ? " nowhere, only files are known" : "");
}

static void picture_close(picture *x)
{
    size_t i;
    for (i = 0; i < x->files; i++) free(x->file[i].path);
    for (i = 0; i < x->windows.count; i++) load_free(&x->windows.v[i].loaded);
    free(x->windows.v);
    csspgo_processes_free(x->spaces);
    files_free(&x->mapped);
    csspgo_profile_free(x->raw);
    free(x->file);
    free(x->chain);
    free(x->first);
    free(x->length);
}

/* Of addresses. Returns 0 after saying what is wrong. */
static int picture_make(picture *x, reader *r, picture_kind kind)
{
    int ok;
    x->raw = tall_profile(x->tool);
    if (files_begin(&x->mapped)) x->spaces = csspgo_processes_new(x->mapped.code, seeded(), NULL);
    ok = x->raw != NULL && (x->spaces != NULL || (fail(x->tool, "out of memory"), 0));
    ok = ok && windows_open(x) && picture_addresses(x, r, kind) && picture_name(x);
    if (ok) ok = picture_rename(x) || (fail(x->tool, "out of memory"), 0);
    if (ok) picture_tell(x);
    picture_close(x);
    return ok;
}

/* What a file is, which is compressed (packed) or not; of a compressed one the first guess. */
static picture_kind kind_of_bytes(const file_bytes *f, int *packed)
{
    *packed = f->size > 3 && (memcmp(f->data, "\037\213", 2) == 0 || memcmp(f->data, "\050\265\057\375", 4) == 0);
    if (*packed) return PICTURE_PPROF;
    return f->size != 0 ? kind_by_head(f->data, f->size < PICTURE_HEAD ? f->size : PICTURE_HEAD, 0) : PICTURE_NONE;
}

int picture_is(const tool_context *tool, const file_bytes *f)
{
    int packed;
    return !tool->compat && kind_of_bytes(f, &packed) != PICTURE_NONE;
}

/* What a recording is, inflated. PICTURE_NONE after saying what is wrong. */
static picture_kind kind_inside(const tool_context *tool, const char *path, const file_bytes *f)
{
    static unsigned char head[PICTURE_HEAD];
    picture_kind kind;
    size_t size;
    reader r;
    memset(&r, 0, sizeof r);
    r.tool = tool;
    if (!reader_open(&r, path, f)) return PICTURE_NONE;
    size = head_of(&r, head);
    kind = kind_by_head(head, size, memcmp(f->data, "\037\213", 2) == 0);
    reader_close(&r);
    if (kind == PICTURE_NONE) kind_fail(tool, path, 0, "what is compressed in it is no recording");
    if (kind == PICTURE_STACKS && csspgo_stacks_sniff(head, size) == CSSPGO_STACKS_SCRIPT) return PICTURE_SCRIPT;
    return kind;
}

int picture_holds(const tool_context *tool, const char *path, const file_bytes *f)
{
    return kind_inside(tool, path, f) != PICTURE_NONE;
}

const char *picture_option(const tool_context *tool, const char *path, const file_bytes *f)
{
    const picture_kind kind = kind_inside(tool, path, f);
    if (kind == PICTURE_STACKS)
        fail(tool, "%s: it has names only, and no addresses: csspgo flame, folded and show --top take it", path);
    return kind == PICTURE_DATA ? "perfdata" : kind == PICTURE_PPROF ? "pprof" : kind == PICTURE_SCRIPT ? "perfscript"
                                                                                                  : NULL;
}

csspgo_profile *picture_read(const tool_context *tool, const char *path, const file_bytes *f)
{
    static unsigned char head[PICTURE_HEAD];
    program_image none;
    programs alone;
    picture x;
    reader r;
    picture_kind kind;
    size_t size;
    int ok, packed;
    memset(&none, 0, sizeof none);
    memset(&alone, 0, sizeof alone);
    memset(&x, 0, sizeof x);
    memset(&r, 0, sizeof r);
    alone.v = &none;
    alone.count = 1;
    r.tool = x.tool = tool;
    r.programs = &alone;
    r.how.both = 1;
    x.path = path;
    x.binary = option_named(tool->o, "binary", 6);
    if (x.binary == NULL || x.binary->kind != OPT_LIST) x.binary = option_named(tool->o, "profiled-binary", 15);
    r.how.pprof = csspgo_is_gperftools(f->data, f->size);
    r.how.text = kind_of_bytes(f, &packed) == PICTURE_SCRIPT;
    ok = filter_open(tool, &r.how.filter) && reader_open(&r, path, f);
    size = ok ? head_of(&r, head) : 0;
    if (ok && packed_why(r.unpacks) != NULL) ok = (fail(tool, "%s: %s", path, packed_why(r.unpacks)), 0);
    kind = kind_by_head(head, size, memcmp(f->data, "\037\213", 2) == 0);
    if (ok && kind == PICTURE_NONE) ok = (kind_fail(tool, path, 0, "what is compressed in it is no recording"), 0);
    x.named = ok ? tall_profile(tool) : NULL;
    ok = x.named != NULL && (kind == PICTURE_STACKS ? picture_stacks(tool, &r, head, size, x.named)
                                                    : picture_make(&x, &r, kind));
    if (ok) ok = filter_tell(r.how.filter, path);
    reader_free(&r);
    filter_free(r.how.filter);
    if (ok) return x.named;
    csspgo_profile_free(x.named);
    return NULL;
}
