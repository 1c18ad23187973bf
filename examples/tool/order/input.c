/* input.c - order: profiles, recordings, the binary */
#include "order.h"

/* ----- profiles --------------------------------------------------------------------------------------------------- */

/* LLVM's test for text: the first 8 bytes are printable or blanks. */
static int order_is_text(const file_bytes *f)
{
    size_t i;
    for (i = 0; i < f->size && i < 8; i++) {
        const unsigned char c = f->data[i];
        if ((c < ' ' || c > '~') && !(c >= '\t' && c <= '\r')) return 0;
    }
    return 1;
}

/* 1 if a raw profile begins here, of any version and byte order. */
static int order_is_raw(const file_bytes *f)
{
    static const char big[] = "\xfflprofr\x81", little[] = "\x81rforpl\xff";
    char begin[8];
    if (f->size < 8) return 0;
    memcpy(begin, f->data, 8);
    if (begin[6] == 'R') begin[6] = 'r';              /* of a machine with pointers of 32 bits */
    if (begin[1] == 'R') begin[1] = 'r';
    return memcmp(begin, big, 8) == 0 || memcmp(begin, little, 8) == 0;
}

static uint64_t order_word(const file_bytes *f, size_t at, int big)
{
    uint64_t v = 0;
    size_t i;
    for (i = 0; i < 8 && f->size >= 8 && at <= f->size - 8; i++) v = v << 8 | f->data[big ? at + i : at + 7 - i];
    return v;
}

/* What llvm-profdata-19 says of a profile that the library refuses. */
static int order_fail_llvm(const order_run *r, const char *path, const file_bytes *f, const csspgo_error *e)
{
    const uint64_t ids = order_word(f, 0x30, 0);
    const char *why = "malformed instrumentation profile data";
    if (f->size == 0) why = "empty raw profile file";
    else if (order_is_raw(f) && f->size >= 128 && e->status == CSSPGO_E_VERSION)   /* bytes of LLVM 19's header */
        return fail(r->tool,
                    "%s: raw profile version mismatch: Profile uses raw profile format version = %u; expected version "
                    "= 10\nPLEASE update this tool to version in the raw profile, or regenerate raw profile with "
                    "expected version.",
                    path, (unsigned)(order_word(f, 8, f->data[0] == 0xff) & 0xffffff));
    else if (order_is_raw(f)) why = "invalid instrumentation profile data (file header is corrupt)";
    else if (f->size >= 8 && memcmp(f->data, "\xfflprofi\x81", 8) == 0) {
        if (e->status == CSSPGO_E_VERSION) why = "unsupported instrumentation profile format version";
        else if (f->size >= 0x48 && (ids > f->size - 8 || order_word(f, (size_t)ids, 0) > f->size - 8 - ids))
            why = "malformed instrumentation profile data: corrupted binary ids";
        else if (e->status == CSSPGO_E_TRUNCATED) why = "truncated profile data";
    } else if (!order_is_text(f))
        why = "unrecognized instrumentation profile encoding format\n"
              "note: Perhaps you forgot to use the --sample or --memory option?";
    else if (e->status == CSSPGO_E_TRUNCATED) why = "end of File";
    else if (strncmp(e->message, "the header has", 14) == 0)
        why = "invalid instrumentation profile data (file header is corrupt)";
    return fail(r->tool, "%s: %s", path, why);
}

int order_read_profile(order_run *r, const char *path)
{
    csspgo_error e;
    file_bytes f;
    csspgo_status s;
    if (!file_open(path, &f)) {
        if (r->tool->compat && *path == '\0') fail(r->tool, "%s", file_why());
        else fail(r->tool, "%s: %s", path, file_why());
        return 0;
    }
    s = csspgo_layout_read(r->l, f.data, f.size, &e);
    if (s != CSSPGO_OK && r->tool->compat) order_fail_llvm(r, path, &f, &e);
    else if (s != CSSPGO_OK) kind_fail_at(r->tool, path, KIND_TRACES, &e);
    file_close(&f);
    return s == CSSPGO_OK;
}

/* ----- recordings ------------------------------------------------------------------------------------------------- */

/* Opens number i of --binary: its symbols, for recordings also its code. Returns 0 with a sentence in why. */
static int order_open(order_run *r, size_t i, int sampled, char *why, size_t why_size)
{
    loaded *const l = &r->programs.v[i].loaded;
    const char *const path = r->o[R_BINARY].list[i];
    if (sampled && i == 0) return load_program(r->tool, l, path, why, why_size);
    if (!program_open(r->tool, l, path, why, why_size)) return 0;
    if (load_symbols(l)->symbol_count <= 1) return program_lacks(l, "symbols", why, why_size);
    if (!sampled) return 1;
    if (!load_more(l, r->programs.v->loaded.code, (uint64_t)i << IMAGE_BITS, path, why, why_size)) return 0;
    return load_program_functions(l) || load_fail(why, why_size, "out of memory");
}

int order_open_binaries(order_run *r)
{
    const option *const o = &r->o[R_BINARY];
    const int sampled = r->o[R_PERFDATA].count + r->o[R_PERFSCRIPT].count != 0;
    char why[PROGRAM_WHY];
    size_t i;
    if (!programs_begin(&r->programs, o->count)) return fail(r->tool, "out of memory"), 0;
    for (i = 0; i < o->count; i++) {
        r->programs.v[i].path = o->list[i];
        if (!order_open(r, i, sampled, why, sizeof why))
            return kind_program_fail(r->tool, o->list[i], &r->o[R_DEBUG_BINARY], why), 0;
    }
    return (!sampled || programs_stubs(&r->programs)) || (fail(r->tool, "out of memory"), 0);
}

/* What gets the samples of one recording: when functions were seen first, not how often. */
typedef struct order_sampling {
    csspgo_trace_sampler *sampler;
    uint64_t              in_order;   /* 0, or the time of the last sample that has none */
} order_sampling;

/* The samples that the reader has ready. Returns 0 after saying what is wrong. */
static int order_take(reader *r, order_sampling *x)
{
    csspgo_sample s;
    csspgo_error e;
    uint64_t mark;
    int got;
    while ((got = reader_folded(r, &s, &mark)) > 0) {
        if (s.time == 0 && x->in_order) s.time = ++x->in_order;
        if (csspgo_trace_sampler_add(x->sampler, &s, 1, &e) != CSSPGO_OK)
            return fail(r->tool, "%s: %s%s", r->path, plain(&e), s.time == 0 ? ", or --in-order" : ""), 0;
    }
    return got == 0;
}

/* An item of a recording. Returns 0 after saying what is wrong. */
static int order_item(reader *r, order_sampling *x, csspgo_item item, const csspgo_sample *sample,
                      const csspgo_mmap *map)
{
    csspgo_sample placed;
    csspgo_mmap meant;
    csspgo_status s;
    int was_mapped;
    if (item == CSSPGO_ITEM_BUILD_ID && r->ids_read) return 1;
    if (item != CSSPGO_ITEM_SAMPLE) {
        if (!reader_event(r, item, sample, map, &was_mapped, &meant)) return 0;
        s = csspgo_trace_sampler_event(x->sampler, item, sample, &meant, NULL);
        return s == CSSPGO_OK || (fail(r->tool, "%s", csspgo_status_text(s)), 0);
    }
    if (sample->count == 0) return 1;                 /* a text that says so; a sampler takes 0 for 1 */
    r->pidless |= sample->pid == 0;
    placed = *sample;
    s = reader_place(r, &placed, r->script != NULL ? csspgo_script_frame_files(r->script) : NULL);
    if (s != CSSPGO_OK) return fail(r->tool, "%s", csspgo_status_text(s)), 0;
    if (!programs_join(r->programs, &placed)) return fail(r->tool, "out of memory"), 0;
    return reader_fold(r, &placed, 0) && order_take(r, x);
}

/* The items of a recording. Returns 0 after saying what is wrong. */
static int order_sample(reader *r, order_sampling *x)
{
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_item item;
    int more, got = 0;
    while ((more = reader_more(r)) > 0) {
        while ((got = reader_item(r, &item, &sample, &map)) > 0)
            if (!order_item(r, x, item, &sample, &map)) return 0;
        if (got < 0) return 0;
    }
    return more == 0 && !reader_has_nothing(r);
}

/* What is to be said of a recording that was read. Returns 0 after saying what is wrong. */
static int order_over(reader *r)
{
    reader_warnings(r);
    if (!filter_tell(r->how.filter, r->path) || !reader_fits(r)) return 0;
    if (r->mapped || reader_samples(r) == 0) return 1;
    if (!reader_without_mapping(r)) return 0;
    reader_no_mapping(r);
    return 1;
}

/* Reads one recording with a sampler and address spaces of its own: its processes are not those of another one. */
static int order_read_recording(order_run *run, reader *r, const char *path, recording_kind kind)
{
    csspgo_trace_sampler_options how;
    order_sampling x;
    csspgo_error e;
    int ok;
    memset(&how, 0, sizeof how);
    how.start_up = run->start_up;
    how.min_samples = (uint32_t)run->o[R_SAMPLES].number;
    how.join_equal = (uint32_t)run->o[R_JOIN].number;
    x.in_order = run->o[R_IN_ORDER].number != 0;
    x.sampler = csspgo_trace_sampler_new(r->programs->v->loaded.code, &how, seeded(), NULL);
    ok = (programs_spaces(r->programs) && x.sampler != NULL) || (fail(r->tool, "out of memory"), 0);
    ok = ok && reader_open(r, path, NULL) && reader_begin(r, kind) && order_sample(r, &x) && order_over(r);
    if (ok && csspgo_trace_sampler_offer(x.sampler, run->l, &e) != CSSPGO_OK)
        ok = (fail(r->tool, "%s: %s", path, plain(&e)), 0);
    csspgo_trace_sampler_free(x.sampler);
    reader_close(r);
    return ok;
}

int order_read_recordings(order_run *run, const option *in)
{
    const recording_kind kind = in == &run->o[R_PERFDATA] ? RECORDING_DATA : RECORDING_SCRIPT;
    reader r;
    size_t i;
    int ok = 1;
    memset(&r, 0, sizeof r);
    r.tool = run->tool;
    r.programs = &run->programs;
    r.how.in_turn = 1;
    r.how.filter = run->filter;
    r.how.text = kind == RECORDING_SCRIPT;
    for (i = 0; ok && i < in->count; i++) ok = order_read_recording(run, &r, in->list[i], kind);
    reader_free(&r);
    return ok;
}
