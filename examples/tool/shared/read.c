/* read.c - reads profiles for merge, show and overlap */
#include "tool.h"

const char pass_names[] = "Base|Pass1|Pass2|Pass3|PassLast";

reading reading_make(const option *is_fs, const option *pass)
{
    static const uint32_t masks[PASSES] = { 0xff, 0x3fff, 0xfffff, 0x3ffffff, 0xffffffff };
    reading r;
    memset(&r, 0, sizeof r);
    r.is_fs = (int)is_fs->number;
    r.mask = masks[pass->number];
    r.form = CSSPGO_TEXT;
    return r;
}

csspgo_profile *profile_blank(const tool_context *tool)
{
    csspgo_options options = *seeded();
    options.llvm = (uint32_t)tool->compat;
    options.allocator = big_blocks();
    return csspgo_profile_new(&options, NULL);
}

csspgo_profile *profile_new(const tool_context *tool)
{
    csspgo_profile *const p = profile_blank(tool);
    if (p == NULL) fail(tool, "out of memory");
    return p;
}

csspgo_func func_copy(csspgo_profile *q, csspgo_profile *p, csspgo_func f)
{
    size_t n;
    const char *name = csspgo_func_name(p, f, &n);
    return name != NULL ? csspgo_func_add(q, name, n) : csspgo_func_add_guid(q, csspgo_func_guid(p, f));
}

static csspgo_loc loc_masked(csspgo_loc loc, uint32_t mask)
{
    return csspgo_loc_at(loc.line, loc.discriminator & mask);
}

/* The node of p in q; discriminators of call sites with inlinees are masked. */
static csspgo_node node_masked(csspgo_profile *q, csspgo_profile *p, csspgo_node node, uint32_t mask)
{
    csspgo_node path[1024], to = csspgo_root(q);
    size_t n = 0;
    for (; node.id > 1 && n < sizeof path / sizeof *path; node = csspgo_node_parent(p, node)) path[n++] = node;
    while (n-- > 0 && to.id != 0) {
        const csspgo_node_kind kind = csspgo_node_kind_of(p, path[n]);
        const csspgo_loc loc = csspgo_node_loc(p, path[n]);
        to = csspgo_node_add(q, to, kind == CSSPGO_INLINEE ? loc_masked(loc, mask) : loc, kind,
                             func_copy(q, p, csspgo_node_func(p, path[n])));
    }
    return to;
}

csspgo_status record_masked(csspgo_profile *q, csspgo_profile *p, csspgo_node node, uint32_t mask)
{
    const csspgo_node to = node_masked(q, p, node, mask);
    size_t i, bodies, targets, vtables;
    const csspgo_body *b = csspgo_get_bodies(p, node, &bodies);
    const csspgo_target *t = csspgo_get_targets(p, node, &targets);
    const csspgo_target *v = csspgo_get_vtables(p, node, &vtables);
    csspgo_status s = to.id != 0 ? csspgo_add_total(q, to, csspgo_total(p, node)) : CSSPGO_E_NOMEM;
    if (s == CSSPGO_OK) s = csspgo_add_head(q, to, csspgo_head(p, node));
    if (s == CSSPGO_OK) s = csspgo_set_checksum(q, to, csspgo_checksum(p, node));
    if (s == CSSPGO_OK) s = csspgo_set_attributes(q, to, csspgo_attributes(p, node) | csspgo_attributes(q, to));
    for (i = 0; i < bodies && s == CSSPGO_OK; i++) s = csspgo_add_body(q, to, loc_masked(b[i].loc, mask), b[i].count);
    for (i = 0; i < targets && s == CSSPGO_OK; i++)
        s = csspgo_add_target(q, to, loc_masked(t[i].loc, mask), func_copy(q, p, t[i].func), t[i].count);
    for (i = 0; i < vtables && s == CSSPGO_OK; i++)
        s = csspgo_add_vtable(q, to, loc_masked(v[i].loc, mask), func_copy(q, p, v[i].func), v[i].count);
    return s;
}

/* Cuts discriminators of a flow-sensitive profile to those of a pass; what falls together is added. NULL: no memory */
static csspgo_profile *profile_masked(const tool_context *tool, csspgo_profile *p, uint32_t mask)
{
    const size_t n = csspgo_record_count(p);
    csspgo_node *node = (csspgo_node *)malloc((n + 1) * sizeof *node);
    csspgo_profile *q = profile_new(tool);
    csspgo_status s = node != NULL && q != NULL ? csspgo_file_order(p, node, NULL) : CSSPGO_E_NOMEM;
    csspgo_func f;
    size_t i;
    for (i = 0; i < n && s == CSSPGO_OK; i++) s = record_masked(q, p, node[i], mask);
    for (f.id = 1; f.id <= csspgo_func_count(p) && s == CSSPGO_OK; f.id++)
        if (csspgo_is_listed(p, f)) s = csspgo_set_listed(q, func_copy(q, p, f), 1);
    if (s == CSSPGO_OK) csspgo_profile_set_flags(q, csspgo_profile_flags(p));
    free(node);
    csspgo_profile_free(p);
    if (s == CSSPGO_OK) return q;
    fail(tool, "%s", csspgo_status_text(s));
    csspgo_profile_free(q);
    return NULL;
}

/* Line `line` of a text, without its end. */
static const char *line_of(const file_bytes *f, uint32_t line, int *size)
{
    const char *p = (const char *)f->data, *end = p + f->size, *stop;
    while (line-- > 1 && (stop = (const char *)memchr(p, '\n', (size_t)(end - p))) != NULL) p = stop + 1;
    stop = (const char *)memchr(p, '\n', (size_t)(end - p));
    if (stop == NULL) stop = end;
    if (stop > p && stop < end && stop[-1] == '\r') stop--;
    *size = (int)(stop - p);
    return p;
}

/* LLVM 19 reads no CompactBinary and of GCC's forms just one. */
static int llvm_knows(const file_bytes *f)
{
    const uint32_t form = csspgo_sniff(f->data, f->size);
    if (form == CSSPGO_GCOV) return f->size >= 9 && memcmp(f->data, "adcg*704", 9) == 0;
    return form != CSSPGO_COMPACT;
}

/* Our messages that have words of their own in LLVM 19, some in one kind of section only; others go by their status. */
enum { SECTION_SYMBOLS = 3, SECTION_CONTEXTS = 6 };
static const struct { const char *ours; unsigned section; const char *llvm; } llvm_terms[] = {
    { "a sum of counts", 0, "Counter overflow" },
    { "a compressed section", 0, "Uncompress failure" },
    { "the name table has no", 0, "Truncated function name table" },
    { "the table of contexts has no", 0, "Truncated function name table" },
    { "a line is at most", SECTION_CONTEXTS, "Malformed sample profile data" },
    { "a line is at most", 0, "Truncated function name table" },
    { "a section is not in", 0, "Truncated function name table" },
    { "a name has no end", SECTION_SYMBOLS, "Malformed sample profile data" },
    { "a LEB128 number", 0, "Truncated profile data" },
    { "the input cannot hold", 0, "Truncated profile data" }
};

/* The type of the section of ExtBinary that has the byte; 0: none. */
static uint64_t section_at(const file_bytes *f, uint64_t byte)
{
    csspgo_section v[16];
    csspgo_error e;
    size_t n = 0, i;
    if (csspgo_get_sections(f->data, f->size, v, 16, &n, &e) != CSSPGO_OK) return 0;
    for (i = 0; i < n && i < 16; i++)
        if (byte >= v[i].offset && byte - v[i].offset < v[i].size) return v[i].type;
    return 0;
}

static const char *llvm_term(const tool_context *tool, const file_bytes *f, const csspgo_error *e, int text)
{
    const uint64_t section = text ? 0 : section_at(f, e->offset);
    size_t i;
    if (tool->compat >= 21 && !text && strncmp(e->message, "a line is at most", 17) == 0)
        return "Illegal line offset in sample profile data";
    for (i = 0; i < sizeof llvm_terms / sizeof *llvm_terms && !(text && i > 0); i++)
        if (strncmp(e->message, llvm_terms[i].ours, strlen(llvm_terms[i].ours)) == 0 &&
            (llvm_terms[i].section == 0 || llvm_terms[i].section == section))
            return llvm_terms[i].llvm;
    if (e->status == CSSPGO_E_NOMEM || e->status == CSSPGO_E_LIMIT) return csspgo_status_text(e->status);
    if (text) return NULL;
    if (e->status == CSSPGO_E_VERSION) return "Unsupported sample profile format version";
    return e->status == CSSPGO_E_TRUNCATED ? "Truncated profile data" : "Malformed sample profile data";
}

/* 1 if line `line` is the first one that is neither empty nor a comment, or behind the last. */
static int is_first_line(const file_bytes *f, uint32_t line)
{
    uint32_t i;
    int n;
    for (i = 1; i < line; i++) {
        const char *text = line_of(f, i, &n);
        if (n != 0 && *text != '#') return 0;
    }
    return 1;
}

/* What LLVM says of an indented line that it cannot parse. */
static const char *line_expected(const tool_context *tool, const char *line, size_t size)
{
    const char *colon;
    while (size != 0 && *line == ' ') line++, size--;
    colon = (const char *)memchr(line, ':', size);
    if (tool->compat >= 22 && size != 0 && *line == '!') return "Cannot parse metadata: ";
    if (tool->compat >= 22 && colon != NULL && size - (size_t)(colon - line) >= 10 &&
        memcmp(colon + 2, "vtables ", 8) == 0)
        return "Expected 'vtables [mangled_vtable:NUM]+', found ";
    return "Expected 'NUM[.NUM]: NUM[ mangled_name:NUM]*', found ";
}

/* Errors of composite records: LLVM says them in these words, then in the usual ones. */
static void llvm_says_block(const tool_context *tool, const char *path, const csspgo_error *e)
{
    if (strncmp(e->message, "Profile type ID ", 16) == 0 || strncmp(e->message, "Duplicate profile type ID: ", 27) == 0)
        fail(tool, "%s: %s", path, plain(e));
}

/* What LLVM 19 says about a file that it refuses: behind "FILE:". *fatal: whatever --failure-mode says. */
static void llvm_words(const tool_context *tool, const file_bytes *f, const csspgo_error *e, char *words, size_t size,
                       int *fatal)
{
    const int text = csspgo_sniff(f->data, f->size) == CSSPGO_TEXT;
    const char *term = llvm_term(tool, f, e, text), *line, *what = "Expected 'mangled_name:NUM:NUM', found ";
    int n;
    *fatal = term != NULL && strcmp(term, "Truncated profile data") == 0;
    if (!llvm_knows(f) || (text && term == NULL && is_first_line(f, e->line)))
        term = "Unrecognized sample profile encoding format";
    if (text && tool->compat >= 23 && e->status == CSSPGO_E_UNSUPPORTED) term = plain(e);
    if (term != NULL) {
        snprintf(words, size, " %s", term);
        return;
    }
    *fatal = 1;
    line = line_of(f, e->line, &n);
    if (n > 0 && *line == ' ') what = line_expected(tool, line, (size_t)n);
    if (strncmp(e->message, "counts after", 12) == 0) what = "Found non-metadata after metadata: ";
    snprintf(words, size, "%u: %s%.*s", e->line, what, n, line);
}

/* 1 if a text that was refused is one that LLVM 19 takes: it guesses where csspgo does not. */
static int llvm_takes(const file_bytes *f, const csspgo_error *e)
{
    csspgo_options o;
    csspgo_profile *p;
    if (e->status != CSSPGO_E_SYNTAX || csspgo_sniff(f->data, f->size) != CSSPGO_TEXT) return 0;
    o = *seeded();
    o.llvm = 19;
    p = csspgo_load(f->data, f->size, &o, NULL);
    csspgo_profile_free(p);
    return p != NULL;
}

void reading_failed(const tool_context *tool, const reading *how, const char *path, const file_bytes *f,
                    const csspgo_error *e, int *fatal)
{
    char words[65536];
    char unknown[KIND_UNKNOWN];
    const char *kind = tool->compat ? NULL : kind_words(f->data, f->size, KIND_PROFILE);
    if (f->size == 0) kind = "the file is empty";
    if (kind == NULL && !llvm_takes(f, e) && kind_unknown(f->data, f->size, e, unknown, sizeof unknown)) kind = unknown;
    if (tool->compat) llvm_says_block(tool, path, e), llvm_words(tool, f, e, words, sizeof words, fatal);
    else if (kind != NULL) snprintf(words, sizeof words, " %s", kind);
    else if (e->line != 0)
        snprintf(words, sizeof words, "%u:%u: %s%s", e->line, e->column, plain(e),
                 llvm_takes(f, e) ? "; with --llvm-compat it is read as LLVM does" : "");
    else if (e->offset != 0) snprintf(words, sizeof words, " byte %" PRIu64 ": %s", e->offset, plain(e));
    else snprintf(words, sizeof words, " %s", plain(e));
    if (how->go_on && !*fatal) warn(tool, "%s:%s", path, words);
    else fail(tool, "%s:%s", path, words);
}

csspgo_status file_read(csspgo_profile *p, const char *path, const file_bytes *f, csspgo_error *e)
{
    const int again = f->mapped != NULL && strcmp(path, "-") != 0;
    if (again && csspgo_sniff(f->data, f->size) == CSSPGO_TEXT)
        return csspgo_read_file(p, path, e);              /* text is not needed in memory as a whole */
    return csspgo_read(p, f->data, f->size, e);
}

int has_files(const file_bytes *f)
{
    return f->size >= 8 && memcmp(f->data, "adcg\3\0\0\0", 8) == 0;
}

csspgo_status drop_files(csspgo_profile *p, csspgo_error *e)
{
    csspgo_rename *const name = (csspgo_rename *)calloc(csspgo_func_count(p) + (size_t)1, sizeof *name);
    csspgo_status s = name != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
    size_t n = 0;
    csspgo_func f;
    memset(e, 0, sizeof *e);
    for (f.id = 1; name != NULL && f.id <= csspgo_func_count(p); f.id++) {
        csspgo_rename *const r = &name[n];
        size_t at;
        r->from = csspgo_func_name(p, f, &r->from_size);
        for (at = r->from != NULL ? r->from_size : 0; at != 0 && r->from[at - 1] != ';'; at--) {}
        if (at == 0 || at == r->from_size) continue;
        r->to = r->from + at;
        r->to_size = r->from_size - at;
        n++;
    }
    if (n != 0) s = csspgo_rename_functions(p, name, n, NULL, e);
    free(name);
    return e->status = s;
}

/* Opens an input. Returns 0 after saying why not. */
int profile_open(const tool_context *tool, const char *path, const reading *how, file_bytes *f)
{
    if (file_open(path, f)) return 1;
    if (how->go_on) warn(tool, "%s: %s", path, file_why());
    else fail(tool, "%s: %s", path, file_why());
    return 0;
}

/* 1 if there is nothing but empty lines and comments, which the library refuses. */
static int is_empty_text(const file_bytes *f)
{
    const char *p = (const char *)f->data, *const end = p + f->size, *stop;
    for (; p < end; p = stop + 1) {
        stop = (const char *)memchr(p, '\n', (size_t)(end - p));
        if (stop == NULL) stop = end;
        if (*p != '#' && p != stop && !(stop - p == 1 && *p == '\r')) return 0;
    }
    return 1;
}

/* Says how many blocks of unknown types there were that nothing will be written of. */
void blocks_lost(const tool_context *tool, const char *path, uint64_t blocks)
{
    static const char what[] = "unknown composite profile blocks were ignored and will not be preserved";
    if (blocks != 0 && tool->compat) warn(tool, "%s: %s", path, what);
    else if (blocks != 0) warn(tool, "%s: %s: %" PRIu64, path, what, blocks);
}

/* Makes a profile of an input that is open, and closes it. */
csspgo_profile *profile_of(const tool_context *tool, const char *path, file_bytes *f, reading *how, int *fatal)
{
    const int ready = how->ready != NULL;
    csspgo_profile *p = ready ? how->ready : profile_new(tool);
    csspgo_status s = CSSPGO_E_NOMEM;
    csspgo_error e;
    how->ready = NULL;
    *fatal = p == NULL;
    how->form = csspgo_sniff(f->data, f->size);
    how->contextual = how->names != NULL && is_contextual(tool, f);
    if (p != NULL && how->takes_empty && !tool->compat && how->form == CSSPGO_TEXT && is_empty_text(f)) {
        warn(tool, "%s is empty", path);
        s = CSSPGO_OK;
    } else if (ready)
        s = CSSPGO_OK;
    else if (p != NULL)
        s = how->contextual ? contextual_read(tool, path, f, how->names, p, &e) : file_read(p, path, f, &e);
    if (s == CSSPGO_OK && p != NULL && !how->files && has_files(f)) s = drop_files(p, &e);
    if (tool->compat && !llvm_knows(f)) s = CSSPGO_E_UNSUPPORTED;
    if (p != NULL && s != CSSPGO_OK) reading_failed(tool, how, path, f, &e, fatal);
    if (p != NULL && s == CSSPGO_OK && !how->keeps) blocks_lost(tool, path, csspgo_skipped_blocks(p));
    file_close(f);
    if (s != CSSPGO_OK) {
        csspgo_profile_free(p);
        return NULL;
    }
    if (how->is_fs &&
        (!tool->compat || how->form == CSSPGO_TEXT || how->form == CSSPGO_BINARY)) /* LLVM asks other forms */
        csspgo_profile_set_flags(p, csspgo_profile_flags(p) | CSSPGO_IS_FS);
    if (how->mask != UINT32_MAX && csspgo_profile_flags(p) & CSSPGO_IS_FS) p = profile_masked(tool, p, how->mask);
    return p;
}

csspgo_profile *profile_read(const tool_context *tool, const char *path, reading *how, int *fatal)
{
    file_bytes f;
    *fatal = 0;
    return profile_open(tool, path, how, &f) ? profile_of(tool, path, &f, how, fatal) : NULL;
}

/* What adding up a profile lost. */
void merge_warnings(const tool_context *tool, const csspgo_merge_stats *s, const char *path)
{
    if (s->clamped != 0)
        warn(tool, "%s: counts of %" PRIu64 " functions reached the largest that there is", path, s->clamped);
    if (s->mismatched != 0)
        warn(tool, "%s: %" PRIu64 " records with another checksum than the same function elsewhere are lost, %" PRIu64
             " samples",
             path, s->mismatched, s->dropped);
}

/* Adds the profile of a file. Returns 0 after saying what is wrong. */
static int profile_add(const tool_context *tool, csspgo_profile *p, const char *path, reading *how)
{
    csspgo_merge_stats stats;
    csspgo_error e;
    csspgo_profile *more;
    int fatal, ok;
    more = profile_read(tool, path, how, &fatal);
    if (more == NULL) return 0;
    memset(&stats, 0, sizeof stats);
    ok = csspgo_merge(p, more, NULL, &stats, &e) == CSSPGO_OK || (fail_at(tool, path, &e), 0);
    if (ok) merge_warnings(tool, &stats, path);
    csspgo_profile_free(more);
    return ok;
}

csspgo_profile *profiles_read(const tool_context *tool, const char *const *path, size_t n)
{
    csspgo_profile *p;
    reading how;
    size_t i;
    int fatal;
    memset(&how, 0, sizeof how);
    how.mask = UINT32_MAX;
    p = profile_read(tool, path[0], &how, &fatal);
    for (i = 1; p != NULL && i < n; i++) {
        if (profile_add(tool, p, path[i], &how)) continue;
        csspgo_profile_free(p);
        p = NULL;
    }
    return p;
}
