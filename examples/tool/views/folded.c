/* folded.c - the command folded: stacks, one a line, as JSON, for speedscope, for pprof */
#include "views.h"

#ifdef CSSPGO_USE_ZLIB
#  include <zlib.h>
#endif

enum { FORMAT_JSON = 1, FORMAT_SPEEDSCOPE, FORMAT_PPROF };   /* as in the table of options */

typedef struct views_export_run {
    const csspgo_profile *q;
    json        j;
    views_text *bytes;            /* pprof: the file                                             */
    int         weights;          /* speedscope: weights, not stacks                             */
    uint64_t    samples, stacks;
} views_export_run;

static void export_count(views_export_run *x, uint64_t count)
{
    x->samples = sum_of(x->samples, count);
    x->stacks++;
}

static void export_name(json *j, const char *key, const csspgo_profile *q, csspgo_func f)
{
    size_t size;
    const char *name = csspgo_func_name(q, f, &size);
    json_bytes(j, key, name, size);
}

/* ----- JSON, speedscope ------------------------------------------------------------------------------------------- */

/* The frames of a stack, outermost first: names, or numbers of functions from 0. Returns 0: out of memory. */
static int export_frames(json *j, const csspgo_profile *q, csspgo_node node, int numbers)
{
    size_t n = 0, i;
    csspgo_node at;
    csspgo_func *frame;
    for (at = node; at.id != csspgo_root(q).id; at = csspgo_node_parent(q, at)) n++;
    frame = (csspgo_func *)malloc((n + 1) * sizeof *frame);
    if (frame == NULL) return 0;
    for (i = n, at = node; i != 0; at = csspgo_node_parent(q, at)) frame[--i] = csspgo_node_func(q, at);
    for (i = 0; i < n; i++) {
        if (numbers) json_count(j, NULL, frame[i].id - 1);
        else export_name(j, NULL, q, frame[i]);
    }
    free(frame);
    return 1;
}

static int export_json_stack(void *ctx, csspgo_node node, uint64_t count, const views_text *line)
{
    views_export_run *x = (views_export_run *)ctx;
    int ok;
    (void)line;
    export_count(x, count);
    json_begin(&x->j, NULL, '{');
    json_begin(&x->j, "frames", '[');
    ok = export_frames(&x->j, x->q, node, 0);
    json_end(&x->j);
    json_count(&x->j, "samples", count);
    json_end(&x->j);
    return ok;
}

static int export_as_json(views_export_run *x)
{
    int ok;
    json_begin(&x->j, NULL, '{');
    json_begin(&x->j, "stacks", '[');
    ok = views_each_stack(x->q, export_json_stack, x);
    json_end(&x->j);
    json_count(&x->j, "samples", x->samples);
    json_end(&x->j);
    return ok;
}

static int export_scope_stack(void *ctx, csspgo_node node, uint64_t count, const views_text *line)
{
    views_export_run *x = (views_export_run *)ctx;
    int ok;
    (void)line;
    if (x->weights) return json_count(&x->j, NULL, count), 1;
    export_count(x, count);
    json_begin(&x->j, NULL, '[');
    ok = export_frames(&x->j, x->q, node, 1);
    json_end(&x->j);
    return ok;
}

/* The one profile of the file. Returns 0: out of memory. */
static int export_scope_profile(views_export_run *x, const char *name)
{
    json *const j = &x->j;
    int ok;
    json_begin(j, NULL, '{');
    json_text(j, "type", "sampled");
    json_text(j, "name", name);
    json_text(j, "unit", "none");
    json_begin(j, "samples", '[');
    ok = views_each_stack(x->q, export_scope_stack, x);
    json_end(j);
    x->weights = 1;
    json_begin(j, "weights", '[');
    ok = ok && views_each_stack(x->q, export_scope_stack, x);
    json_end(j);
    json_count(j, "startValue", 0);
    json_count(j, "endValue", x->samples);
    json_end(j);
    return ok;
}

static int export_speedscope(views_export_run *x, const char *name)
{
    json *const j = &x->j;
    csspgo_func f;
    int ok;
    json_begin(j, NULL, '{');
    json_text(j, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_text(j, "exporter", "csspgo");
    json_text(j, "name", name);
    json_begin(j, "shared", '{');
    json_begin(j, "frames", '[');
    for (f.id = 1; f.id <= csspgo_func_count(x->q); f.id++) {
        json_begin(j, NULL, '{');
        export_name(j, "name", x->q, f);
        json_end(j);
    }
    json_end(j);
    json_end(j);
    json_begin(j, "profiles", '[');
    ok = export_scope_profile(x, name);
    json_end(j);
    json_end(j);
    return ok;
}

/* ----- pprof: profile.proto, a function and a location for each name --------------------------------------------- */

static void proto_varint(views_text *t, uint64_t n)
{
    do {
        const char byte = (char)((n & 127) | (n > 127 ? 128 : 0));
        views_add(t, &byte, 1);
    } while ((n >>= 7) != 0);
}

static void proto_number(views_text *t, unsigned field, uint64_t n)
{
    proto_varint(t, field << 3);
    proto_varint(t, n);
}

static void proto_bytes(views_text *t, unsigned field, const char *bytes, size_t size)
{
    proto_varint(t, field << 3 | 2);
    proto_varint(t, size);
    views_add(t, bytes, size);
}

/* A message as a field of t; it is empty then. */
static void proto_message(views_text *t, unsigned field, views_text *message)
{
    proto_bytes(t, field, message->data, message->size);
    t->failed |= message->failed;
    message->size = 0;
}

/* Sample: the locations, innermost first, and the count. */
static int export_pprof_stack(void *ctx, csspgo_node node, uint64_t count, const views_text *line)
{
    views_export_run *x = (views_export_run *)ctx;
    views_text sample, list;
    int ok;
    (void)line;
    memset(&sample, 0, sizeof sample);
    memset(&list, 0, sizeof list);
    export_count(x, count);
    for (; node.id != csspgo_root(x->q).id; node = csspgo_node_parent(x->q, node))
        proto_varint(&list, csspgo_node_func(x->q, node).id);
    proto_message(&sample, 1, &list);
    proto_varint(&list, count < INT64_MAX ? count : INT64_MAX);
    proto_message(&sample, 2, &list);
    proto_message(x->bytes, 2, &sample);
    ok = !x->bytes->failed;
    free(sample.data);
    free(list.data);
    return ok;
}

/* Location, with its one line, and Function, whose name is the string behind "", "samples" and "count". */
static void export_pprof_func(views_text *t, views_text *message, views_text *line, uint32_t id)
{
    proto_number(line, 1, id);
    proto_number(message, 1, id);
    proto_message(message, 4, line);
    proto_message(t, 4, message);
    proto_number(message, 1, id);
    proto_number(message, 2, (uint64_t)id + 2);
    proto_number(message, 3, (uint64_t)id + 2);
    proto_message(t, 5, message);
}

/* Returns 0: out of memory. */
static int export_pprof_bytes(views_export_run *x)
{
    views_text message, line;
    csspgo_func f;
    int ok;
    memset(&message, 0, sizeof message);
    memset(&line, 0, sizeof line);
    proto_number(&message, 1, 1);                      /* ValueType: samples, count */
    proto_number(&message, 2, 2);
    proto_message(x->bytes, 1, &message);
    ok = views_each_stack(x->q, export_pprof_stack, x);
    for (f.id = 1; f.id <= csspgo_func_count(x->q); f.id++) export_pprof_func(x->bytes, &message, &line, f.id);
    proto_bytes(x->bytes, 6, "", 0);
    proto_bytes(x->bytes, 6, "samples", 7);
    proto_bytes(x->bytes, 6, "count", 5);
    for (f.id = 1; f.id <= csspgo_func_count(x->q); f.id++) {
        size_t size;
        const char *name = csspgo_func_name(x->q, f, &size);
        proto_bytes(x->bytes, 6, name, size);
    }
    free(message.data);
    free(line.data);
    return ok && !x->bytes->failed && !message.failed && !line.failed;
}

#ifdef CSSPGO_USE_ZLIB
static int export_write(const views_text *t, FILE *out)
{
    static unsigned char piece[1 << 16];
    z_stream z;
    size_t at = 0;
    int status = Z_OK;
    memset(&z, 0, sizeof z);
    if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    while (status == Z_OK) {
        if (z.avail_in == 0) {
            z.avail_in = t->size - at < sizeof piece ? (uInt)(t->size - at) : (uInt)sizeof piece;
            z.next_in = (Bytef *)(uintptr_t)(t->data + at);
            at += z.avail_in;
        }
        z.next_out = piece;
        z.avail_out = sizeof piece;
        status = deflate(&z, at == t->size ? Z_FINISH : Z_NO_FLUSH);
        fwrite(piece, 1, sizeof piece - z.avail_out, out);
    }
    deflateEnd(&z);
    return status == Z_STREAM_END;
}
#else
static int export_write(const views_text *t, FILE *out)
{
    fwrite(t->data, 1, t->size, out);
    return 1;
}
#endif

static int export_pprof(views_export_run *x, FILE *out)
{
    views_text bytes;
    int ok;
    memset(&bytes, 0, sizeof bytes);
    x->bytes = &bytes;
    ok = export_pprof_bytes(x) && export_write(&bytes, out);
    free(bytes.data);
    return ok;
}

/* ----- all -------------------------------------------------------------------------------------------------------- */

static int views_export(const views *v, const csspgo_profile *q, uint64_t *samples, uint64_t *stacks)
{
    const char *slash = strrchr(v->input, '/');
    views_export_run x;
    int ok;
    memset(&x, 0, sizeof x);
    x.q = q;
    x.j = json_to(v->out);
    if (v->format == FORMAT_JSON) ok = export_as_json(&x);
    else if (v->format == FORMAT_SPEEDSCOPE) ok = export_speedscope(&x, slash != NULL ? slash + 1 : v->input);
    else ok = export_pprof(&x, v->out);
    *samples = x.samples;
    *stacks = x.stacks;
    return ok;
}

/* ----- one a line ------------------------------------------------------------------------------------------------- */

typedef struct views_lines {
    FILE    *out;
    uint64_t samples, lines;
} views_lines;

static int views_print_stack(void *ctx, csspgo_node node, uint64_t count, const views_text *line)
{
    views_lines *l = (views_lines *)ctx;
    (void)node;
    fwrite(line->data, 1, line->size, l->out);
    l->samples = sum_of(l->samples, count);
    l->lines++;
    return 1;
}

/* Prints the stacks in the order of their bytes, or in another form. */
static int views_print_stacks(const views *v, const csspgo_profile *q)
{
    views_lines l;
    memset(&l, 0, sizeof l);
    l.out = v->out;
    if (v->format != 0 ? !views_export(v, q, &l.samples, &l.lines) : !views_each_stack(q, views_print_stack, &l))
        return 0;
    fprintf(stderr, "%llu samples in %llu stacks\n", (unsigned long long)l.samples, (unsigned long long)l.lines);
    return 1;
}

static int views_folded(tool_context *tool, int argc, char **argv)
{
    csspgo_options options = *seeded();
    csspgo_profile *q = NULL;
    csspgo_error e;
    views v;
    int ok;
    if (!views_parse(tool, &v, 0, argc, argv)) return 2;
    if (v.format == FORMAT_PPROF && is_for_terminal(v.output, &e)) return fail(tool, "%s: %s", v.output, plain(&e));
    options.limits.max_name = UINT32_MAX;             /* escapes make names longer */
    options.limits.max_depth = VIEWS_DEPTH;
    ok = views_open(&v) && views_begin(&v);
    if (ok) {
        q = csspgo_profile_new(&options, NULL);
        ok = q != NULL && views_collapse(&v, q, 0) && views_print_stacks(&v, q);
        if (!ok) fail(tool, "out of memory");
    }
    csspgo_profile_free(q);
    return views_end(&v, ok);
}

const command folded_command = {
    "folded", views_folded, folded_options, NULL,
    "csspgo folded PROFILE [-o FILE] [--mark-inlined]\n"
    "              [--format=folded|json|speedscope|pprof]\n"
    "              [--names=FILE] [--binary=FILE]\n",
    "writes collapsed stacks for other viewers, one a line",
    "Contextual profiles (.ctxprof) are read, too.\n"
};
