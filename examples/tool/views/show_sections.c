/* show_sections.c - show: sections and symbols */
#include "views.h"

static int show_symbol_order(const void *a, const void *b, void *ctx)
{
    return name_order((csspgo_profile *)ctx, *(const csspgo_func *)a, *(const csspgo_func *)b);
}

int show_symbols(show *s, int json)
{
    csspgo_func *v = (csspgo_func *)malloc((csspgo_func_count(s->p) + (size_t)1) * sizeof *v), f;
    size_t n = 0, i;
    if (v == NULL) return fail(s->tool, "out of memory"), 0;
    for (f.id = 1; f.id <= csspgo_func_count(s->p); f.id++)
        if (csspgo_is_listed(s->p, f)) v[n++] = f;
    qsort_r(v, n, sizeof *v, show_symbol_order, s->p);
    fputs(json ? "[" : "======== Dump profile symbol list ========\n", s->out);
    for (i = 0; i < n; i++) {
        if (json) json_line(s->out, i == 0, 4), json_name(s, v[i]);
        else put_name_shown(s->tool, s->p, v[i], s->out), putc('\n', s->out);
    }
    if (json) fputs("\n  ]", s->out);
    free(v);
    return 1;
}

/* Section types and the flags that each prints. */
typedef struct section_flag { uint64_t type, bit; const char *name; } section_flag;
enum { ANY_SECTION = 99 };

static const char *section_name(const tool_context *tool, uint64_t type)
{
    const int newer = !tool->compat || tool->compat >= 22;
    static const char *const names[] = {
        "InvalidSection", "ProfileSummarySection", "NameTableSection", "ProfileSymbolListSection",
        "FuncOffsetTableSection", "FunctionMetadata", "CSNameTableSection"
    };
    if (type == 32) return "LBRProfileSection";
    if (type == 7 && newer) return "CompositeFuncOffsetTableSection";
    if (type == 33 && newer) return "CompositeProfileSection";
    return type < sizeof names / sizeof *names ? names[type] : "UnknownSection";
}

/* A block, in the words of llvm-profdata; the first one of a record, or none, names the function. */
static void show_block(void *ctx, csspgo_profile *p, const csspgo_block *b)
{
    const show *s = (const show *)ctx;
    if (b->index == 0) {
        const int nested = csspgo_node_kind_of(p, b->node) == CSSPGO_INLINEE;
        fputs(nested ? "Nested function: " : "Function: ", s->out);
        if (nested) put_name_shown(s->tool, p, csspgo_node_func(p, b->node), s->out);
        else put_context_shown(s->tool, p, b->node, s->out);
        fprintf(s->out, "\n  Profile blocks: %" PRIu64 "\n", b->blocks);
    }
    if (b->blocks != 0)
        fprintf(s->out, "  Type: %" PRIu64 " (%s), Payload size: %" PRIu64 "\n", b->type,
                b->type == 0 ? "LBR" : "unknown", b->size);
}

/* 1 if a file has a section of composite records, be it empty. */
static int is_composite(const file_bytes *f)
{
    csspgo_section v[64];
    size_t n = 0, i;
    if (csspgo_get_sections(f->data, f->size, v, 64, &n, NULL) != CSSPGO_OK) return 0;
    for (i = 0; i < n && i < 64; i++)
        if (v[i].type == 33) return 1;
    return 0;
}

int show_blocks(show *s, const char *path)
{
    csspgo_options options = *seeded();
    csspgo_block_watch watch;
    csspgo_status status;
    csspgo_error e;
    file_bytes f;
    reading how;
    int fatal;
    memset(&how, 0, sizeof how);
    if (!file_open(path, &f)) return fail(s->tool, "%s: %s", path, file_why()), 0;
    options.llvm = (uint32_t)s->tool->compat;
    options.allocator = big_blocks();
    watch.block_fn = show_block;
    watch.ctx = s;
    status = csspgo_list_blocks(f.data, f.size, &watch, &options, &e);
    if (status != CSSPGO_OK) reading_failed(s->tool, &how, path, &f, &e, &fatal);
    else if (!is_composite(&f)) warn(s->tool, "no composite profile section; nothing to show");
    file_close(&f);
    return status == CSSPGO_OK;
}

/* The i-th flag that a section has, from *at on; NULL: no more. */
static const char *section_flag_next(const csspgo_section *c, size_t *at)
{
    static const section_flag flags[] = {
        { ANY_SECTION, 0, "compressed" }, { ANY_SECTION, 1, "flat" }, { 2, 35, "eytzinger" }, { 2, 33, "fixlenmd5" },
        { 2, 32, "md5" }, { 2, 34, "uniq" }, { 1, 32, "partial" }, { 1, 33, "context" }, { 1, 36, "preInlined" },
        { 1, 34, "fs-discriminator" }, { 4, 32, "ordered" },
        { 4, 33, "eytzinger" }, { 7, 32, "ordered" }, { 7, 33, "eytzinger" }, { 3, 32, "md5" }, { 5, 32, "probe" }, { 5, 33, "attr" }
    };
    for (; *at < sizeof flags / sizeof *flags; ++*at) {
        const section_flag *f = &flags[*at];
        if (f->type != ANY_SECTION && f->type != c->type) continue;
        if (!(c->flags >> f->bit & 1)) continue;
        if (c->type == 2 && f->bit == 32 && c->flags >> 33 & 1) continue;   /* fixlenmd5 says it */
        return flags[(*at)++].name;
    }
    return NULL;
}

static void show_section(const tool_context *tool, const csspgo_section *c, FILE *out)
{
    const char *comma = "", *flag;
    size_t at = 0;
    fprintf(out, "%s - Offset: %" PRIu64 ", Size: %" PRIu64 ", Flags: {", section_name(tool, c->type), c->offset, c->size);
    while ((flag = section_flag_next(c, &at)) != NULL) {
        fprintf(out, "%s%s", comma, flag);
        comma = ",";
    }
    fputs("}\n", out);
}

static void json_sections(const tool_context *tool, const csspgo_section *v, size_t n, FILE *out)
{
    json j = json_to(out);
    const char *flag;
    size_t i, at;
    json_begin(&j, NULL, '{');
    json_begin(&j, "sections", '[');
    for (i = 0; i < n; i++) {
        json_begin(&j, NULL, '{');
        json_text(&j, "type", section_name(tool, v[i].type));
        json_count(&j, "offset", v[i].offset);
        json_count(&j, "size", v[i].size);
        json_begin(&j, "flags", '[');
        for (at = 0; (flag = section_flag_next(&v[i], &at)) != NULL;) json_text(&j, NULL, flag);
        json_end(&j);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
}

int show_sections(const tool_context *tool, const char *path, int as_json, FILE *out)
{
    csspgo_section *v = NULL;
    uint64_t sizes = 0, end = 0;
    csspgo_status s;
    csspgo_error e;
    file_bytes f;
    size_t n = 0, i;
    reading how;
    int fatal;
    memset(&how, 0, sizeof how);
    if (!file_open(path, &f)) return fail(tool, "%s: %s", path, file_why()), 0;
    s = csspgo_get_sections(f.data, f.size, NULL, 0, &n, &e);
    if (s == CSSPGO_OK && (v = (csspgo_section *)calloc(n + 1, sizeof *v)) == NULL) s = CSSPGO_E_NOMEM;
    if (s == CSSPGO_OK) csspgo_get_sections(f.data, f.size, v, n, &n, &e);
    if (s == CSSPGO_OK && as_json) json_sections(tool, v, n, out);
    for (i = 0; i < n && s == CSSPGO_OK; i++) {
        if (!as_json) show_section(tool, &v[i], out);
        sizes += v[i].size;
        if (v[i].offset + v[i].size > end) end = v[i].offset + v[i].size;
    }
    if (s == CSSPGO_OK && !as_json)
        fprintf(out, "Header Size: %" PRIu64 "\nTotal Sections Size: %" PRIu64 "\nFile Size: %" PRIu64 "\n",
                n != 0 ? v[0].offset : 0, sizes, end);
    else if (s == CSSPGO_E_UNSUPPORTED && !as_json)
        warn(tool,
             "-show-sec-info-only is only supported for sample profile in extbinary format and is ignored for other "
             "formats.");
    else if (s == CSSPGO_E_UNSUPPORTED) fail(tool, "%s: only ExtBinary profiles have sections", path);
    else if (s == CSSPGO_E_NOMEM) fail(tool, "%s: out of memory", path);
    else if (s != CSSPGO_OK) reading_failed(tool, &how, path, &f, &e, &fatal);
    file_close(&f);
    free(v);
    return s == CSSPGO_OK || (s == CSSPGO_E_UNSUPPORTED && !as_json);
}
