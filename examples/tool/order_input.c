/* order_input.c - order: profiles, recordings, the binary */
#include "order.h"
#include "profgen.h"

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

int order_open_binary(order_run *r)
{
    const option *const o = &r->o[R_BINARY];
    const char *path = o->list[0];
    const int sampled = r->o[R_PERFDATA].count + r->o[R_PERFSCRIPT].count != 0;
    char why[PROGRAM_WHY];
    int ok = sampled ? load_program(r->tool, &r->image, path, why, sizeof why)
                     : program_open(r->tool, &r->image, path, why, sizeof why);
    if (ok && load_symbols(&r->image)->symbol_count <= 1) ok = program_lacks(&r->image, "symbols", why, sizeof why);
    if (ok && o->count > 1) {
        r->more = images_open(r->tool, o, &r->image, &ok, why, sizeof why);
        if (!ok && images_more(r->more) != 0) path = o->list[images_more(r->more)];
    }
    return ok || (kind_program_fail(r->tool, path, &r->o[R_DEBUG_BINARY], why), 0);
}

/* Reads one recording with a sampler and address spaces of its own: its processes are not those of another one. */
static int order_read_recording(order_run *r, profgen *g)
{
    csspgo_trace_sampler_options how;
    csspgo_error e;
    int ok;
    memset(&how, 0, sizeof how);
    how.start_up = r->start_up;
    how.min_samples = (uint32_t)r->o[R_SAMPLES].number;
    how.join_equal = (uint32_t)r->o[R_JOIN].number;
    g->mapped = g->ids_read = g->pidless = 0;
    g->in_order = r->o[R_IN_ORDER].number != 0;
    g->sampler = csspgo_trace_sampler_new(g->image.code, &how, seeded(), NULL);
    ok = profgen_spaces(g) && (g->sampler != NULL || (fail(r->tool, "out of memory"), 0));
    ok = ok && profgen_read_recording(g);
    if (ok && csspgo_trace_sampler_offer(g->sampler, r->l, &e) != CSSPGO_OK)
        ok = (fail(r->tool, "%s: %s", g->path, plain(&e)), 0);
    csspgo_trace_sampler_free(g->sampler);
    csspgo_spaces_free(g->spaces);
    mapped_forget(g);
    g->sampler = NULL;
    g->spaces = NULL;
    return ok;
}

int order_read_recordings(order_run *r, const option *in)
{
    option o[O_HELP + 1];                             /* profgen's, as by default: it reads recordings */
    profgen g;
    size_t i;
    int ok = 1;
    memset(&g, 0, sizeof g);
    memcpy(o, profgen_options, sizeof o);
    g.tool = r->tool;
    g.o = o;
    g.binary = r->o[R_BINARY].list[0];
    g.image = r->image;
    g.images = r->more;
    for (i = 0; ok && i < in->count; i++) {
        g.path = in->list[i];
        *(in == &r->o[R_PERFDATA] ? &g.perfdata : &g.perfscript) = g.path;
        ok = order_read_recording(r, &g);
    }
    events_free(g.events);
    renamed_free(g.renamed);
    inlined_free(g.inlined);
    return ok;
}
