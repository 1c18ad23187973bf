/* profdata.h - merge, show and overlap: the sample half of llvm-profdata, over csspgo.h
 *
 *   csspgo merge [options] FILE...          reads profiles of any form, writes their sum in any form
 *   csspgo show [options] FILE              prints a profile as text or JSON, its summary, hot functions, contexts
 *   csspgo overlap [options] BASE TEST      how much two profiles have in common
 *
 * Option names are llvm-profdata's, --sample may be left out. What differs from LLVM 19 without --llvm-compat is in the
 * README.
 * Include it after csspgo.h, load.h and tool.h. Part of csspgo, same licence.
 */
#ifndef CSSPGO_EXAMPLES_PROFDATA_H
#define CSSPGO_EXAMPLES_PROFDATA_H

#include <fts.h>
#include <regex.h>

/* Accepted by the commands below: what LLVM's have in common. */
#define PROFDATA_COMMON \
    { "sample", OPT_IGNORED, NULL, 0, NULL, NULL, 0 }, \
    { "instr", OPT_LATER, "0", 0, NULL, NULL, 0 }, \
    { "o", OPT_ALIAS, "output", 0, NULL, NULL, 0 }, \
    { "llvm-compat", OPT_IGNORED, NULL, 0, NULL, NULL, 0 }, \
    { "profile-summary-hot-count", OPT_COUNT, NULL, 0, NULL, NULL, 0 }, \
    { "profile-summary-cutoff-hot", OPT_COUNT, NULL, 0, NULL, NULL, 0 }, \
    { "profile-summary-huge-working-set-size-threshold", OPT_COUNT, NULL, 0, NULL, NULL, 0 }, \
    { "profile-summary-large-working-set-size-threshold", OPT_COUNT, NULL, 0, NULL, NULL, 0 }, \
    { "profile-summary-contextless", OPT_LATER, "1", 0, NULL, NULL, 0 }

/* ----- reading ---------------------------------------------------------------------------------------------------- */

typedef struct reading {          /* how the inputs are read */
    int      is_fs;               /* --profile-isfs                                          */
    uint32_t mask;                /* --fs-discriminator-pass: bits of a discriminator to keep */
    int      go_on;               /* --failure-mode=all, warn: a bad input is a warning      */
    uint32_t form;                /* of the last one that was read: CSSPGO_TEXT ...          */
} reading;

enum { PASSES = 5 };
static const char pass_names[] = "Base|Pass1|Pass2|Pass3|PassLast";

static reading reading_make(const option *is_fs, const option *pass)
{
    static const uint32_t masks[PASSES] = { 0xff, 0x3fff, 0xfffff, 0x3ffffff, 0xffffffff };
    reading r;
    memset(&r, 0, sizeof r);
    r.is_fs = (int)is_fs->number;
    r.mask = masks[pass->number];
    r.form = CSSPGO_TEXT;
    return r;
}

static csspgo_profile *profile_new(void)
{
    csspgo_options options = *seeded();
    csspgo_profile *p;
    options.llvm = compat ? 19 : 0;
    options.allocator = big_blocks();
    p = csspgo_profile_new(&options, NULL);
    if (p == NULL) fail("out of memory");
    return p;
}

static csspgo_func func_copy(csspgo_profile *q, csspgo_profile *p, csspgo_func f)
{
    size_t n;
    const char *name = csspgo_func_name(p, f, &n);
    return name != NULL ? csspgo_func_add(q, name, n) : csspgo_func_add_guid(q, csspgo_func_guid(p, f));
}

static csspgo_loc loc_masked(csspgo_loc loc, uint32_t mask)
{
    return csspgo_at(loc.line, loc.discriminator & mask);
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

static csspgo_status record_masked(csspgo_profile *q, csspgo_profile *p, csspgo_node node, uint32_t mask)
{
    const csspgo_node to = node_masked(q, p, node, mask);
    size_t i, bodies, targets, vtables;
    const csspgo_body *b = csspgo_bodies(p, node, &bodies);
    const csspgo_target *t = csspgo_targets(p, node, &targets);
    const csspgo_target *v = csspgo_vtables(p, node, &vtables);
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
static csspgo_profile *profile_masked(csspgo_profile *p, uint32_t mask)
{
    const size_t n = csspgo_record_count(p);
    csspgo_node *node = (csspgo_node *)malloc((n + 1) * sizeof *node);
    csspgo_profile *q = profile_new();
    csspgo_status s = node != NULL && q != NULL ? csspgo_order(p, node) : CSSPGO_E_NOMEM;
    csspgo_func f;
    size_t i;
    for (i = 0; i < n && s == CSSPGO_OK; i++) s = record_masked(q, p, node[i], mask);
    for (f.id = 1; f.id <= csspgo_func_count(p) && s == CSSPGO_OK; f.id++)
        if (csspgo_is_listed(p, f)) s = csspgo_set_listed(q, func_copy(q, p, f), 1);
    if (s == CSSPGO_OK) csspgo_set_profile_flags(q, csspgo_profile_flags(p));
    free(node);
    csspgo_profile_free(p);
    if (s == CSSPGO_OK) return q;
    fail("%s", csspgo_status_text(s));
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
    if (csspgo_sections(f->data, f->size, v, 16, &n, &e) != CSSPGO_OK) return 0;
    for (i = 0; i < n && i < 16; i++)
        if (byte >= v[i].offset && byte - v[i].offset < v[i].size) return v[i].type;
    return 0;
}

static const char *llvm_term(const file_bytes *f, const csspgo_error *e, int text)
{
    const uint64_t section = text ? 0 : section_at(f, e->offset);
    size_t i;
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

/* What LLVM 19 says about a file that it refuses: behind "FILE:". *fatal: whatever --failure-mode says. */
static void llvm_words(const file_bytes *f, const csspgo_error *e, char *words, size_t size, int *fatal)
{
    const int text = csspgo_sniff(f->data, f->size) == CSSPGO_TEXT;
    const char *term = llvm_term(f, e, text), *line, *what = "Expected 'mangled_name:NUM:NUM', found ";
    int n;
    *fatal = term != NULL && strcmp(term, "Truncated profile data") == 0;
    if (!llvm_knows(f) || (text && term == NULL && is_first_line(f, e->line)))
        term = "Unrecognized sample profile encoding format";
    if (term != NULL) {
        snprintf(words, size, " %s", term);
        return;
    }
    *fatal = 1;
    line = line_of(f, e->line, &n);
    if (n > 0 && *line == ' ') what = "Expected 'NUM[.NUM]: NUM[ mangled_name:NUM]*', found ";
    if (strncmp(e->message, "counts after", 12) == 0) what = "Found non-metadata after metadata: ";
    snprintf(words, size, "%u: %s%.*s", e->line, what, n, line);
}

static void reading_failed(const reading *how, const char *path, const file_bytes *f, const csspgo_error *e, int *fatal)
{
    char words[65536];
    if (compat) llvm_words(f, e, words, sizeof words, fatal);
    else if (e->line != 0) snprintf(words, sizeof words, "%u:%u: %s", e->line, e->column, e->message);
    else if (e->offset != 0) snprintf(words, sizeof words, " byte %" PRIu64 ": %s", e->offset, e->message);
    else snprintf(words, sizeof words, " %s", e->message);
    if (how->go_on && !*fatal) warn("%s:%s", path, words);
    else fail("%s:%s", path, words);
}

/* Reads a profile; NULL after saying why not. *fatal: that ends the program whatever --failure-mode says. */
static csspgo_profile *profile_read(const char *path, reading *how, int *fatal)
{
    csspgo_profile *p = profile_new();
    csspgo_status s;
    csspgo_error e;
    file_bytes f;
    *fatal = p == NULL;
    if (p == NULL) return NULL;
    if (!file_open(path, &f)) {
        if (how->go_on) warn("%s: %s", path, strerror(errno));
        else fail("%s: %s", path, strerror(errno));
        csspgo_profile_free(p);
        return NULL;
    }
    how->form = csspgo_sniff(f.data, f.size);
    if (f.mapped != NULL && how->form == CSSPGO_TEXT && strcmp(path, "-") != 0)
        s = csspgo_read_file(p, path, &e);            /* text is not needed in memory as a whole */
    else
        s = csspgo_read(p, f.data, f.size, &e);
    if (compat && !llvm_knows(&f)) s = CSSPGO_E_UNSUPPORTED;
    if (s != CSSPGO_OK) reading_failed(how, path, &f, &e, fatal);
    file_close(&f);
    if (s != CSSPGO_OK) {
        csspgo_profile_free(p);
        return NULL;
    }
    if (how->is_fs && (!compat || how->form == CSSPGO_TEXT || how->form == CSSPGO_BINARY))   /* LLVM asks other forms */
        csspgo_set_profile_flags(p, csspgo_profile_flags(p) | CSSPGO_IS_FS);
    if (how->mask != UINT32_MAX && csspgo_profile_flags(p) & CSSPGO_IS_FS) p = profile_masked(p, how->mask);
    return p;
}

/* ----- show ------------------------------------------------------------------------------------------------------- */

enum {
    S_OUTPUT, S_ALL, S_FUNCTION, S_JSON, S_FORMAT, S_SUMMARY, S_HOT, S_TOPN, S_SYMBOLS, S_SECTIONS, S_CONTEXTS, S_ISFS,
    S_PASS
};

static const option show_options[] = {
    { "output", OPT_TEXT, NULL, 0, "-", NULL, 0 },
    { "all-functions", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "function", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "json", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "show-format", OPT_CHOICE, "text|json|yaml", 0, NULL, NULL, 0 },
    { "detailed-summary", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "hot-func-list", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "topn", OPT_COUNT, NULL, 0, NULL, NULL, 0 },
    { "show-prof-sym-list", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "show-sec-info-only", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "contexts", OPT_MAYBE, NULL, -1, NULL, NULL, 0 },
    { "profile-isfs", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "fs-discriminator-pass", OPT_CHOICE, pass_names, PASSES - 1, NULL, NULL, 0 },
    PROFDATA_COMMON,
    /* LLVM takes these too; on sample profiles they do nothing. */
    { "detailed-summary-cutoffs", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "value-cutoff", OPT_COUNT, NULL, 0, NULL, NULL, 0 },
    { "profile-summary-cold-count", OPT_COUNT, NULL, 0, NULL, NULL, 0 },
    { "profile-summary-cutoff-cold", OPT_COUNT, NULL, 0, NULL, NULL, 0 },
    { "generate-merged-base-profiles", OPT_IGNORED, NULL, 0, NULL, NULL, 0 },
    { "counts", OPT_IGNORED, NULL, 0, NULL, NULL, 0 },
    { "covered", OPT_IGNORED, NULL, 0, NULL, NULL, 0 },
    { "binary-ids", OPT_IGNORED, NULL, 0, NULL, NULL, 0 },
    { "ic-targets", OPT_IGNORED, NULL, 0, NULL, NULL, 0 },
    { "list-below-cutoff", OPT_IGNORED, NULL, 0, NULL, NULL, 0 },
    { "memop-sizes", OPT_IGNORED, NULL, 0, NULL, NULL, 0 },
    { "profile-version", OPT_IGNORED, NULL, 0, NULL, NULL, 0 },
    { "show-vtables", OPT_IGNORED, NULL, 0, NULL, NULL, 0 },
    { "showcs", OPT_IGNORED, NULL, 0, NULL, NULL, 0 },
    { "temporal-profile-traces", OPT_IGNORED, NULL, 0, NULL, NULL, 0 },
    { "text", OPT_IGNORED, NULL, 0, NULL, NULL, 0 },
    { "memory", OPT_LATER, "0", 0, NULL, NULL, 0 },
    { "debug-info", OPT_LATER, NULL, 0, NULL, NULL, 0 },
    { "profiled-binary", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "max-debug-info-correlation-warnings", OPT_COUNT, NULL, 0, NULL, NULL, 0 },
    { NULL, OPT_TEXT, NULL, 0, NULL, NULL, 0 }
};

typedef struct show_row {         /* a record, in the order of csspgo_order */
    csspgo_node node;
    size_t      up;               /* row that it is nested in + 1; 0: top level                  */
    unsigned    nest;             /* levels of nesting: 0 at top level                           */
    int         inlinees;         /* it has some                                                 */
    csspgo_loc  first;            /* where the first ones of them are                            */
    uint64_t    max;              /* largest body count in it and its inlinees                   */
    uint64_t    entries;          /* LLVM's estimate of its calls, see show_entries              */
} show_row;

typedef struct show {
    option          o[sizeof show_options / sizeof *show_options];
    csspgo_profile *p;
    FILE           *out;
    show_row       *row;
    size_t          rows;
    csspgo_target  *target;       /* scratch: those of one record */
    size_t          targets;
} show;

static csspgo_func show_func(const show *s, size_t row)
{
    return csspgo_node_func(s->p, s->row[row].node);
}

static int same_loc(csspgo_loc a, csspgo_loc b)
{
    return a.line == b.line && a.discriminator == b.discriminator;
}

static int loc_before(csspgo_loc a, csspgo_loc b)
{
    return a.line != b.line ? a.line < b.line : a.discriminator < b.discriminator;
}

/* The count of the first location: a body count or the calls of the inlinees there; at least 1 if there are samples. */
static uint64_t show_entries(const show *s, const show_row *r, uint64_t of_inlinees)
{
    const uint64_t head = csspgo_head(s->p, r->node);
    size_t n;
    const csspgo_body *b = csspgo_bodies(s->p, r->node, &n);
    uint64_t c = 0;
    if (head != 0 && csspgo_profile_flags(s->p) & CSSPGO_IS_CS) return head;
    if (n != 0 && (!r->inlinees || loc_before(b[0].loc, r->first))) c = b[0].count;
    else if (r->inlinees) c = of_inlinees;
    return c != 0 ? c : csspgo_total(s->p, r->node) != 0;
}

/* Sums that need the inlinees first: from the last row to the first. row.entries gathers the inlinees at row.first. */
static void show_sums(show *s)
{
    size_t i = s->rows, n;
    while (i-- > 0) {
        show_row *r = &s->row[i], *up = r->up != 0 ? &s->row[r->up - 1] : NULL;
        const csspgo_body *b = csspgo_bodies(s->p, r->node, &n);
        while (n-- > 0)
            if (b[n].count > r->max) r->max = b[n].count;
        r->entries = show_entries(s, r, r->entries);
        if (up == NULL) continue;
        if (r->max > up->max) up->max = r->max;
        if (!up->inlinees || !same_loc(up->first, csspgo_node_loc(s->p, r->node))) up->entries = 0;
        up->inlinees = 1;
        up->first = csspgo_node_loc(s->p, r->node);
        up->entries += r->entries;
    }
}

/* Makes the rows. Returns 0 after saying why not. */
static int show_list(show *s)
{
    const size_t n = csspgo_record_count(s->p);
    csspgo_node *node = (csspgo_node *)malloc((n + 1) * sizeof *node);
    size_t i, up;
    s->row = (show_row *)calloc(n + 1, sizeof *s->row);
    if (node == NULL || s->row == NULL || csspgo_order(s->p, node) != CSSPGO_OK) {
        free(node);
        return fail("out of memory"), 0;
    }
    for (i = 0; i < n; i++) {
        show_row *r = &s->row[i];
        r->node = node[i];
        if (csspgo_node_kind_of(s->p, node[i]) != CSSPGO_INLINEE) continue;
        for (up = i; up != 0 && node[up - 1].id != csspgo_node_parent(s->p, node[i]).id;) up = s->row[up - 1].up;
        r->up = up;
        r->nest = up != 0 ? s->row[up - 1].nest + 1 : 0;
    }
    s->rows = n;
    free(node);
    show_sums(s);
    return 1;
}

static int show_target_order(const void *a, const void *b, void *ctx)
{
    const csspgo_target *x = (const csspgo_target *)a, *y = (const csspgo_target *)b;
    if (!same_loc(x->loc, y->loc)) return loc_before(x->loc, y->loc) ? -1 : 1;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return name_order((csspgo_profile *)ctx, x->func, y->func);
}

/* The call targets of a record into s->target: by location, largest first, then by name. Returns 0: out of memory. */
static int show_targets(show *s, csspgo_node node)
{
    const csspgo_target *t = csspgo_targets(s->p, node, &s->targets);
    free(s->target);
    s->target = (csspgo_target *)malloc((s->targets + 1) * sizeof *s->target);
    if (s->target == NULL) return fail("out of memory"), 0;
    if (s->targets == 0) return 1;
    memcpy(s->target, t, s->targets * sizeof *t);
    qsort_r(s->target, s->targets, sizeof *t, show_target_order, s->p);
    return 1;
}

static void indent(FILE *out, unsigned n)
{
    fprintf(out, "%*s", (int)n, "");
}

static int show_record(show *s, csspgo_node node, unsigned in)
{
    size_t n, i, k = 0;
    const csspgo_body *b = csspgo_bodies(s->p, node, &n);
    const uint64_t checksum = csspgo_checksum(s->p, node);
    if (!show_targets(s, node)) return 0;
    if (checksum != 0) fprintf(s->out, "CFG checksum %" PRIu64 "\n", checksum);
    fprintf(s->out, "%" PRIu64 ", %" PRIu64 ", %zu sampled lines\n", csspgo_total(s->p, node), csspgo_head(s->p, node),
            n);
    indent(s->out, in);
    fputs(n != 0 ? "Samples collected in the function's body {\n" : "No samples collected in the function's body\n",
          s->out);
    for (i = 0; i < n; i++) {
        indent(s->out, in + 2);
        put_loc(b[i].loc, s->out);
        fprintf(s->out, ": %" PRIu64, b[i].count);
        if (k < s->targets && same_loc(s->target[k].loc, b[i].loc)) fputs(", calls:", s->out);
        for (; k < s->targets && same_loc(s->target[k].loc, b[i].loc); k++) {
            putc(' ', s->out);
            put_name(s->p, s->target[k].func, s->out);
            fprintf(s->out, ":%" PRIu64, s->target[k].count);
        }
        putc('\n', s->out);
    }
    if (n == 0) return 1;
    indent(s->out, in);
    fputs("}\n", s->out);
    return 1;
}

/* A row with all that is nested in it, in the words of llvm-profdata. Returns the row behind them; 0: out of memory. */
static size_t show_function(show *s, size_t i)
{
    const unsigned nest = s->row[i].nest;
    fputs("Function: ", s->out);
    put_context(s->p, s->row[i].node, s->out);
    fputs(": ", s->out);
    for (;;) {
        const show_row *r = &s->row[i];
        const unsigned in = 4 * (r->nest - nest);
        unsigned k, next;
        if (!show_record(s, r->node, in)) return 0;
        indent(s->out, in);
        fputs(r->inlinees ? "Samples collected in inlined callsites {\n" : "No inlined callsites in this function\n",
              s->out);
        i++;
        next = i < s->rows && s->row[i].nest > nest ? s->row[i].nest : nest;
        for (k = r->nest; k > next; k--) {
            indent(s->out, 4 * (k - 1 - nest));
            fputs("}\n", s->out);
        }
        if (next == nest) return i;
        indent(s->out, 4 * (next - 1 - nest) + 2);
        put_loc(csspgo_node_loc(s->p, s->row[i].node), s->out);
        fputs(": inlined callee: ", s->out);
        put_name(s->p, show_func(s, i), s->out);
        fputs(": ", s->out);
    }
}

static int show_all(show *s)
{
    size_t i = 0;
    while (i < s->rows)
        if ((i = show_function(s, i)) == 0) return 0;
    return 1;
}

/* LLVM's --function prints an empty record for what is not there, and for anything in a profile with contexts. */
static int show_one_compat(show *s, csspgo_func f)
{
    size_t i;
    for (i = 0; i < s->rows && !(csspgo_profile_flags(s->p) & CSSPGO_IS_CS); i++)
        if (s->row[i].nest == 0 && show_func(s, i).id == f.id) return show_function(s, i) != 0;
    fputs("Function: : 0, 0, 0 sampled lines\nNo samples collected in the function's body\n"
          "No inlined callsites in this function\n", s->out);
    return 1;
}

static int is_number(const char *text, uint64_t *v)
{
    char *end;
    if (*text < '0' || *text > '9') return 0;
    errno = 0;
    *v = strtoull(text, &end, 10);
    return *end == '\0' && errno == 0;
}

/* A function by its name; in a profile of GUIDs also by the GUID. Id 0: not there. */
static csspgo_func func_named(csspgo_profile *p, const char *name)
{
    const csspgo_func f = csspgo_func_find(p, name, strlen(name));
    uint64_t guid;
    if (f.id != 0 || !(csspgo_profile_flags(p) & CSSPGO_IS_MD5)) return f;
    if (compat || !is_number(name, &guid)) guid = csspgo_guid(name, strlen(name));
    return csspgo_func_add_guid(p, guid);
}

/* --function: every context of it; where it has no record of its own, every inlined copy. */
static int show_one(show *s, const char *name)
{
    const csspgo_func f = func_named(s->p, name);
    size_t i, found = 0;
    unsigned any;
    if (compat) return show_one_compat(s, f);
    for (any = 0; any < 2 && found == 0; any++)
        for (i = 0; i < s->rows && f.id != 0; i++) {
            if (show_func(s, i).id != f.id || (any == 0 && s->row[i].nest != 0)) continue;
            found++;
            if (show_function(s, i) == 0) return 0;
        }
    return found != 0 || (fail("the profile has no function '%s'", name), 0);
}

/* ----- show: JSON ------------------------------------------------------------------------------------------------- */

/* The number of bytes of the UTF-8 character at p; 0: it is none. */
static size_t utf8_size(const unsigned char *p, size_t left)
{
    const unsigned c = p[0];
    const size_t n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : (c & 0xf0) == 0xe0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
    size_t i;
    if (n == 0 || n > left) return 0;
    for (i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if ((c == 0xe0 && p[1] < 0xa0) || (c == 0xed && p[1] > 0x9f) || (c == 0xf0 && p[1] < 0x90) ||
        (c == 0xf4 && p[1] > 0x8f))
        return 0;
    return n;
}

static void json_string(FILE *out, const char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t i, n;
    putc('"', out);
    for (i = 0; i < size; i += n) {
        n = utf8_size(p + i, size - i);
        if (n == 0) fputs("\xef\xbf\xbd", out), n = 1;
        else if (p[i] == '"' || p[i] == '\\') fprintf(out, "\\%c", p[i]);
        else if (p[i] == '\t') fputs("\\t", out);
        else if (p[i] == '\n') fputs("\\n", out);
        else if (p[i] == '\r') fputs("\\r", out);
        else if (p[i] < 0x20) fprintf(out, "\\u%04x", p[i]);
        else fwrite(p + i, 1, n, out);
    }
    putc('"', out);
}

static void json_name(show *s, csspgo_func f)
{
    size_t n;
    const char *name = csspgo_func_name(s->p, f, &n);
    if (name != NULL) json_string(s->out, name, n);
    else fprintf(s->out, "\"%" PRIu64 "\"", csspgo_func_guid(s->p, f));
}

/* An element or attribute on a line of its own. */
static void json_line(FILE *out, int first, unsigned in)
{
    fputs(first ? "\n" : ",\n", out);
    indent(out, in);
}

static void json_number(FILE *out, int first, unsigned in, const char *key, uint64_t value)
{
    json_line(out, first, in);
    fprintf(out, "\"%s\": %" PRIu64, key, value);
}

static void json_loc(FILE *out, csspgo_loc loc, unsigned in)
{
    json_line(out, 1, in);
    fprintf(out, "\"line\": %u", loc.line);
    if (loc.discriminator == 0) return;
    json_line(out, 0, in);
    fprintf(out, "\"discriminator\": %u", loc.discriminator);
}

static void json_calls(show *s, size_t *k, csspgo_loc loc, unsigned in)
{
    int first = 1;
    json_line(s->out, 0, in);
    fputs("\"calls\": [", s->out);
    for (; *k < s->targets && same_loc(s->target[*k].loc, loc); ++*k, first = 0) {
        json_line(s->out, first, in + 2);
        putc('{', s->out);
        json_line(s->out, 1, in + 4);
        fputs("\"function\": ", s->out);
        json_name(s, s->target[*k].func);
        json_line(s->out, 0, in + 4);
        fprintf(s->out, "\"samples\": %" PRIu64, s->target[*k].count);
        json_line(s->out, 1, in + 2);
        putc('}', s->out);
    }
    json_line(s->out, 1, in);
    putc(']', s->out);
}

static void json_bodies(show *s, csspgo_node node, unsigned in)
{
    size_t n, i, k = 0;
    const csspgo_body *b = csspgo_bodies(s->p, node, &n);
    if (n == 0) return;
    json_line(s->out, 0, in);
    fputs("\"body\": [", s->out);
    for (i = 0; i < n; i++) {
        json_line(s->out, i == 0, in + 2);
        putc('{', s->out);
        json_loc(s->out, b[i].loc, in + 4);
        json_line(s->out, 0, in + 4);
        fprintf(s->out, "\"samples\": %" PRIu64, b[i].count);
        if (k < s->targets && same_loc(s->target[k].loc, b[i].loc)) json_calls(s, &k, b[i].loc, in + 4);
        json_line(s->out, 1, in + 2);
        putc('}', s->out);
    }
    json_line(s->out, 1, in);
    putc(']', s->out);
}

/* The attributes of a record up to the array of its inlinees, which stays open. in: of the attributes. */
static int json_record(show *s, const show_row *r, unsigned in)
{
    if (!show_targets(s, r->node)) return 0;
    putc('{', s->out);
    json_line(s->out, 1, in);
    fputs("\"name\": ", s->out);
    json_name(s, csspgo_node_func(s->p, r->node));
    json_line(s->out, 0, in);
    fprintf(s->out, "\"total\": %" PRIu64, csspgo_total(s->p, r->node));
    if (r->nest == 0) {
        json_line(s->out, 0, in);
        fprintf(s->out, "\"head\": %" PRIu64, csspgo_head(s->p, r->node));
    }
    json_bodies(s, r->node, in);
    if (!r->inlinees) return 1;
    json_line(s->out, 0, in);
    fputs("\"callsites\": [", s->out);
    return 1;
}

/* The end of a record at nesting `nest`, and of the call site that it hangs at. */
static void json_end(show *s, unsigned nest)
{
    const unsigned in = 2 + 8 * nest;
    json_line(s->out, 1, in);
    putc('}', s->out);
    if (nest == 0) return;
    json_line(s->out, 1, in - 2);
    putc(']', s->out);
    json_line(s->out, 1, in - 4);
    putc('}', s->out);
}

static int show_json(show *s)
{
    size_t i;
    putc('[', s->out);
    for (i = 0; i < s->rows; i++) {
        const show_row *r = &s->row[i];
        const unsigned in = 2 + 8 * r->nest, next = i + 1 < s->rows ? s->row[i + 1].nest : 0;
        unsigned k;
        json_line(s->out, r->nest == 0 ? i == 0 : r->up == i, r->nest == 0 ? in : in - 4);
        if (r->nest != 0) {
            putc('{', s->out);
            json_loc(s->out, csspgo_node_loc(s->p, r->node), in - 2);
            json_line(s->out, 0, in - 2);
            fputs("\"samples\": [", s->out);
            json_line(s->out, 1, in);
        }
        if (!json_record(s, r, in + 2)) return 0;
        if (r->inlinees) continue;
        for (k = r->nest;; k--) {
            json_end(s, k);
            if (k == 0 || k == next) break;
            json_line(s->out, 1, 2 + 8 * k - 6);
            putc(']', s->out);
        }
    }
    if (s->rows != 0) putc('\n', s->out);
    putc(']', s->out);
    return 1;
}

/* ----- show: summary, hot functions, sections, symbols ------------------------------------------------------------ */

/* The summary that stood in the file, else a new one. Returns the number of cutoffs. */
static size_t show_summary_of(csspgo_profile *p, csspgo_summary *sum, csspgo_cutoff *own, csspgo_status *status)
{
    size_t n = CSSPGO_CUTOFFS;
    *status = CSSPGO_OK;
    if (csspgo_stored_summary(p, sum, &n)) return n;
    csspgo_default_cutoffs(own);
    *status = csspgo_summarize(p, sum, own, CSSPGO_CUTOFFS);
    return CSSPGO_CUTOFFS;
}

static csspgo_cutoff show_cutoff(const csspgo_profile *p, const csspgo_cutoff *own, size_t i)
{
    csspgo_summary sum;
    size_t n;
    return csspgo_stored_summary(p, &sum, &n) ? csspgo_stored_cutoff(p, i) : own[i];
}

static void json_summary(show *s, const csspgo_summary *sum, const csspgo_cutoff *own, size_t n)
{
    size_t i;
    putc('{', s->out);
    json_number(s->out, 1, 4, "functions", sum->functions);
    json_number(s->out, 0, 4, "max_function_count", sum->max_head);
    json_number(s->out, 0, 4, "max_block_count", sum->max_count);
    json_number(s->out, 0, 4, "blocks", sum->counts);
    json_number(s->out, 0, 4, "total_count", sum->total);
    json_line(s->out, 0, 4);
    fputs("\"cutoffs\": [", s->out);
    for (i = 0; i < n; i++) {
        const csspgo_cutoff c = show_cutoff(s->p, own, i);
        json_line(s->out, i == 0, 6);
        fprintf(s->out, "{ \"ppm\": %" PRIu64 ", \"min_count\": %" PRIu64 ", \"blocks\": %" PRIu64 " }", c.ppm,
                c.min_count, c.counts);
    }
    json_line(s->out, 1, 4);
    fputs("]\n  }", s->out);
}

static int show_summary(show *s, int json)
{
    csspgo_cutoff own[CSSPGO_CUTOFFS];
    csspgo_summary sum;
    csspgo_status status;
    const size_t n = show_summary_of(s->p, &sum, own, &status);
    size_t i;
    if (status != CSSPGO_OK) return fail("%s", csspgo_status_text(status)), 0;
    if (json) return json_summary(s, &sum, own, n), 1;
    fprintf(s->out, "Total functions: %" PRIu64 "\nMaximum function count: %" PRIu64 "\nMaximum block count: %" PRIu64
            "\nTotal number of blocks: %" PRIu64 "\nTotal count: %" PRIu64 "\nDetailed summary:\n",
            sum.functions, sum.max_head, sum.max_count, sum.counts, sum.total);
    for (i = 0; i < n; i++) {
        const csspgo_cutoff c = show_cutoff(s->p, own, i);
        fprintf(s->out,
                "%" PRIu64 " blocks with count >= %" PRIu64 " account for %0.6g percentage of the total counts.\n",
                c.counts, c.min_count, (double)((float)c.ppm / 1000000 * 100));
    }
    return 1;
}

/* A cell of a table whose next column begins at `column`, with one space before it at least. */
static unsigned cell_pad(FILE *out, unsigned at, unsigned column)
{
    const unsigned n = at < column ? column - at : 1;
    indent(out, n);
    return at + n;
}

/* What LLVM prints for 0 of 0 is -nan. */
static double percent(uint64_t part, uint64_t whole)
{
    return whole != 0 ? (double)part / (double)whole * 100 : 0;
}

static uint64_t show_hot_threshold(show *s, csspgo_status *status)
{
    csspgo_cutoff own[CSSPGO_CUTOFFS];
    csspgo_summary sum;
    size_t i, n = show_summary_of(s->p, &sum, own, status);
    for (i = 0; i < n && *status == CSSPGO_OK; i++) {
        const csspgo_cutoff c = show_cutoff(s->p, own, i);
        if (c.ppm == 990000) return c.min_count;
    }
    return 0;
}

static void show_hot_row(show *s, const show_row *r, uint64_t all)
{
    const uint64_t total = csspgo_total(s->p, r->node);
    unsigned at =
        (unsigned)fprintf(s->out, " %" PRIu64 " (%.2f%%)", total, all > 0 ? (double)total * 100.0 / (double)all : 0);
    at = cell_pad(s->out, at, 24);
    at += (unsigned)fprintf(s->out, "%" PRIu64, r->max);
    at = cell_pad(s->out, at, 42);
    at += (unsigned)fprintf(s->out, "%" PRIu64, r->entries);
    cell_pad(s->out, at, 58);
    put_context(s->p, r->node, s->out);
    putc('\n', s->out);
}

typedef struct hot_figures {
    uint64_t least;               /* the count from which on a function is hot */
    uint64_t hot, functions;      /* functions that are, all                   */
    uint64_t hot_total, total;    /* samples of these                          */
} hot_figures;

static hot_figures show_hot_figures(show *s, csspgo_status *status)
{
    hot_figures h;
    size_t i;
    memset(&h, 0, sizeof h);
    h.least = show_hot_threshold(s, status);
    for (i = 0; i < s->rows; i++) {
        const uint64_t t = csspgo_total(s->p, s->row[i].node);
        if (s->row[i].nest != 0) continue;
        h.functions++;
        h.total += t;
        if (s->row[i].max < h.least) continue;
        h.hot++;
        h.hot_total += t;
    }
    return h;
}

static void show_hot_head(const show *s, const hot_figures *h)
{
    char share[32];
    snprintf(share, sizeof share, h->functions == 0 && compat ? "-nan%%" : "%.2f%%", percent(h->hot, h->functions));
    fprintf(s->out,
            "%" PRIu64 " out of %" PRIu64
            " functions with profile (%s) are considered hot functions (max sample >= %" PRIu64 ").\n",
            h->hot, h->functions, share, h->least);
    fprintf(s->out, "%" PRIu64 " out of %" PRIu64 " profile counts (%.2f%%) are from hot functions.\n", h->hot_total,
            h->total, percent(h->hot_total, h->total));
    fputs(" Total sample (%)       Max sample        Entry sample    Function name\n", s->out);
}

static void json_hot_head(const show *s, const hot_figures *h)
{
    putc('{', s->out);
    json_number(s->out, 1, 4, "threshold", h->least);
    json_number(s->out, 0, 4, "hot_functions", h->hot);
    json_number(s->out, 0, 4, "functions", h->functions);
    json_number(s->out, 0, 4, "hot_total", h->hot_total);
    json_number(s->out, 0, 4, "total", h->total);
    json_line(s->out, 0, 4);
    fputs("\"list\": [", s->out);
}

static int json_hot_row(const show *s, const show_row *r, int first)
{
    char *context = context_text(s->p, r->node);
    if (context == NULL) return fail("out of memory"), 0;
    json_line(s->out, first, 6);
    fputs("{ \"function\": ", s->out);
    json_string(s->out, context, strlen(context));
    fprintf(s->out, ", \"total\": %" PRIu64 ", \"max\": %" PRIu64 ", \"entries\": %" PRIu64 " }",
            csspgo_total(s->p, r->node), r->max, r->entries);
    free(context);
    return 1;
}

static int show_hot(show *s, int json)
{
    const uint64_t most = (uint64_t)s->o[S_TOPN].number;
    csspgo_status status;
    const hot_figures h = show_hot_figures(s, &status);
    uint64_t printed = 0;
    size_t i;
    if (status != CSSPGO_OK) return fail("%s", csspgo_status_text(status)), 0;
    if (json) json_hot_head(s, &h);
    else show_hot_head(s, &h);
    for (i = 0; i < s->rows && (most == 0 || printed < most); i++) {
        if (s->row[i].nest != 0 || s->row[i].max < h.least) continue;
        if (!json) show_hot_row(s, &s->row[i], h.total);
        else if (!json_hot_row(s, &s->row[i], printed == 0)) return 0;
        printed++;
    }
    if (json) fputs("\n    ]\n  }", s->out);
    return 1;
}

static int show_symbol_order(const void *a, const void *b, void *ctx)
{
    return name_order((csspgo_profile *)ctx, *(const csspgo_func *)a, *(const csspgo_func *)b);
}

static int show_symbols(show *s, int json)
{
    csspgo_func *v = (csspgo_func *)malloc((csspgo_func_count(s->p) + (size_t)1) * sizeof *v), f;
    size_t n = 0, i;
    if (v == NULL) return fail("out of memory"), 0;
    for (f.id = 1; f.id <= csspgo_func_count(s->p); f.id++)
        if (csspgo_is_listed(s->p, f)) v[n++] = f;
    qsort_r(v, n, sizeof *v, show_symbol_order, s->p);
    fputs(json ? "[" : "======== Dump profile symbol list ========\n", s->out);
    for (i = 0; i < n; i++) {
        if (json) json_line(s->out, i == 0, 4), json_name(s, v[i]);
        else put_name(s->p, v[i], s->out), putc('\n', s->out);
    }
    if (json) fputs("\n  ]", s->out);
    free(v);
    return 1;
}

/* Section types and the flags that each prints. */
typedef struct section_flag { uint64_t type, bit; const char *name; } section_flag;
enum { ANY_SECTION = 99 };

static const char *section_name(uint64_t type)
{
    static const char *const names[] = {
        "InvalidSection", "ProfileSummarySection", "NameTableSection", "ProfileSymbolListSection",
        "FuncOffsetTableSection", "FunctionMetadata", "CSNameTableSection"
    };
    if (type == 32) return "LBRProfileSection";
    return type < sizeof names / sizeof *names ? names[type] : "UnknownSection";
}

static void show_section(const csspgo_section *c, FILE *out)
{
    static const section_flag flags[] = {
        { ANY_SECTION, 0, "compressed" }, { ANY_SECTION, 1, "flat" }, { 2, 33, "fixlenmd5" }, { 2, 32, "md5" },
        { 2, 34, "uniq" }, { 1, 32, "partial" }, { 1, 33, "context" }, { 1, 36, "preInlined" },
        { 1, 34, "fs-discriminator" }, { 4, 32, "ordered" }, { 5, 32, "probe" }, { 5, 33, "attr" }
    };
    const char *comma = "";
    size_t i;
    fprintf(out, "%s - Offset: %" PRIu64 ", Size: %" PRIu64 ", Flags: {", section_name(c->type), c->offset, c->size);
    for (i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (flags[i].type != ANY_SECTION && flags[i].type != c->type) continue;
        if (!(c->flags >> flags[i].bit & 1)) continue;
        if (c->type == 2 && flags[i].bit == 32 && c->flags >> 33 & 1) continue;   /* fixlenmd5 says it */
        fprintf(out, "%s%s", comma, flags[i].name);
        comma = ",";
    }
    fputs("}\n", out);
}

static int show_sections(const char *path, FILE *out)
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
    if (!file_open(path, &f)) return fail("%s: %s", path, strerror(errno)), 0;
    s = csspgo_sections(f.data, f.size, NULL, 0, &n, &e);
    if (s == CSSPGO_OK && (v = (csspgo_section *)calloc(n + 1, sizeof *v)) == NULL) s = CSSPGO_E_NOMEM;
    if (s == CSSPGO_OK) csspgo_sections(f.data, f.size, v, n, &n, &e);
    for (i = 0; i < n && s == CSSPGO_OK; i++) {
        show_section(&v[i], out);
        sizes += v[i].size;
        if (v[i].offset + v[i].size > end) end = v[i].offset + v[i].size;
    }
    if (s == CSSPGO_OK)
        fprintf(out, "Header Size: %" PRIu64 "\nTotal Sections Size: %" PRIu64 "\nFile Size: %" PRIu64 "\n",
                n != 0 ? v[0].offset : 0, sizes, end);
    else if (s == CSSPGO_E_UNSUPPORTED)
        warn("-show-sec-info-only is only supported for sample profile in extbinary format and is ignored for other "
             "formats.");
    else reading_failed(&how, path, &f, &e, &fatal);
    file_close(&f);
    free(v);
    return s == CSSPGO_OK || s == CSSPGO_E_UNSUPPORTED;
}

/* ----- show --contexts: the tree ---------------------------------------------------------------------------------- */

typedef struct tree_row {
    csspgo_node node;
    size_t      up, child, children;   /* rows: the parent's; the first child's; how many                  */
    uint64_t    self, sum;        /* samples in it and not in its inlinees; with everything below         */
    unsigned    depth;            /* frames                                                               */
} tree_row;

static uint64_t sum_of(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t tree_self(const csspgo_profile *p, csspgo_node node)
{
    uint64_t total = csspgo_total(p, node), inlined = 0;
    csspgo_node c = csspgo_node_first_child(p, node);
    for (; c.id != 0; c = csspgo_node_next_sibling(p, c))
        if (csspgo_node_kind_of(p, c) == CSSPGO_INLINEE) inlined = sum_of(inlined, csspgo_total(p, c));
    return total > inlined ? total - inlined : 0;
}

/* What has most below it first, then by call site and name. */
static int tree_order(const void *a, const void *b, void *ctx)
{
    csspgo_profile *p = (csspgo_profile *)ctx;
    const tree_row *x = (const tree_row *)a, *y = (const tree_row *)b;
    const csspgo_loc s = csspgo_node_loc(p, x->node), t = csspgo_node_loc(p, y->node);
    int c;
    if (x->sum != y->sum) return x->sum > y->sum ? -1 : 1;
    if (!same_loc(s, t)) return loc_before(s, t) ? -1 : 1;
    c = name_order(p, csspgo_node_func(p, x->node), csspgo_node_func(p, y->node));
    return c != 0 ? c : (int)csspgo_node_kind_of(p, x->node) - (int)csspgo_node_kind_of(p, y->node);
}

/* All nodes level by level, siblings side by side; row 0 is the root. NULL when memory is exhausted. */
static tree_row *tree_rows(csspgo_profile *p, size_t *rows)
{
    tree_row *v = (tree_row *)calloc(csspgo_node_count(p) + (size_t)1, sizeof *v);
    size_t n = 1, i;
    if (v == NULL) return NULL;
    v[0].node = csspgo_root(p);
    for (i = 0; i < n; i++) {
        csspgo_node c = csspgo_node_first_child(p, v[i].node);
        v[i].child = n;
        for (; c.id != 0; c = csspgo_node_next_sibling(p, c)) {
            v[n].node = c;
            v[n].up = i;
            v[n].depth = v[i].depth + 1;
            v[n++].self = tree_self(p, c);
        }
        v[i].children = n - v[i].child;
    }
    for (i = n; i-- > 0;) {
        v[i].sum = sum_of(v[i].sum, v[i].self);
        if (i != 0) v[v[i].up].sum = sum_of(v[v[i].up].sum, v[i].sum);
    }
    for (i = 0; i < n; i++) qsort_r(v + v[i].child, v[i].children, sizeof *v, tree_order, p);
    *rows = n;
    return v;
}

/* For people, so bytes that a terminal would obey are escaped. */
static void put_safe(const char *name, size_t n, FILE *out)
{
    size_t i;
    for (i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)name[i];
        if (c < 0x20 || c == 0x7f) fprintf(out, "\\x%02x", c);
        else putc(c, out);
    }
}

static void put_name_safe(csspgo_profile *p, csspgo_func f, FILE *out)
{
    size_t n;
    const char *name = csspgo_func_name(p, f, &n);
    if (name == NULL) put_name(p, f, out);
    else put_safe(name, n, out);
}

static void tree_print_row(show *s, const tree_row *r, uint64_t all)
{
    const uint32_t a = csspgo_attributes(s->p, r->node);
    const int inlinee = csspgo_node_kind_of(s->p, r->node) == CSSPGO_INLINEE;
    fprintf(s->out, "%14" PRIu64 " %6.2f %% %6.2f %% %12" PRIu64 "  %c%c%c  ", csspgo_total(s->p, r->node),
            percent(r->self, all), percent(r->sum, all), csspgo_head(s->p, r->node),
            a & CSSPGO_WAS_INLINED || inlinee ? 'i' : '-', a & CSSPGO_SHOULD_BE_INLINED ? 's' : '-',
            a & CSSPGO_DUPLICATED_INTO_BASE ? 'd' : '-');
    indent(s->out, 2 * (r->depth - 1));
    if (r->depth > 1) {
        put_loc(csspgo_node_loc(s->p, r->node), s->out);
        fputs(" @ ", s->out);
    }
    put_name_safe(s->p, csspgo_node_func(s->p, r->node), s->out);
    putc('\n', s->out);
}

typedef struct tree_figures {
    uint64_t records, depths, deep;   /* contexts, the sum of their depths, samples deeper than 1 */
    size_t   functions;
    unsigned depth;
} tree_figures;

static tree_figures tree_figures_of(show *s, const tree_row *v, size_t n)
{
    tree_figures t;
    csspgo_func f;
    size_t k;
    memset(&t, 0, sizeof t);
    for (k = 1; k < n; k++) {
        if (!csspgo_has_record(s->p, v[k].node)) continue;
        t.records++;
        t.depths += v[k].depth;
        if (v[k].depth > t.depth) t.depth = v[k].depth;
        if (v[k].depth > 1) t.deep = sum_of(t.deep, v[k].self);
    }
    for (f.id = 1; f.id <= csspgo_func_count(s->p); f.id++) {
        csspgo_node node = csspgo_func_nodes(s->p, f);
        while (node.id != 0 && !csspgo_has_record(s->p, node)) node = csspgo_node_next_same(s->p, node);
        t.functions += node.id != 0;
    }
    return t;
}

static const char *tree_form(const reading *how)
{
    static const char *const forms[] = { "?", "text", "binary 103", "extbinary 103", "gcov", "compact binary 103" };
    return forms[how->form < 6 ? how->form : 0];
}

/* The name of a flag of the profile, by its bit; NULL: it has none, or the profile does not have the flag. */
static const char *tree_flag(const csspgo_profile *p, unsigned bit)
{
    static const char *const flags[] = { "cs", "probe", "preinlined", "fs", "md5", NULL, "partial" };
    return bit < 7 && csspgo_profile_flags(p) >> bit & 1 ? flags[bit] : NULL;
}

/* Form and flags of the file; how many functions and contexts; how deep these are and how much is in them. */
static void tree_print_head(show *s, const reading *how, const tree_figures *t, uint64_t all)
{
    unsigned i;
    fprintf(s->out, "%s;", tree_form(how));
    for (i = 0; i < 7; i++)
        if (tree_flag(s->p, i) != NULL) fprintf(s->out, " %s", tree_flag(s->p, i));
    fprintf(s->out, "%s%zu functions, %" PRIu64 " contexts, depth at most %u, %.2f on average, %.2f %% of %" PRIu64
            " samples deeper than 1\n", csspgo_profile_flags(s->p) & ~(uint32_t)CSSPGO_HAS_UNIQ ? "; " : " ",
            t->functions, t->records, t->depth, t->records != 0 ? (double)t->depths / (double)t->records : 0,
            percent(t->deep, all), all);
    fputs("         total    share    cum.           head  isd  context"
          "     (i inlined, s should be, d duplicated into base)\n", s->out);
}

static void json_tree_head(show *s, const reading *how, const tree_figures *t, uint64_t all)
{
    unsigned i, n = 0;
    fprintf(s->out, "{\n  \"format\": \"%s\",\n  \"flags\": [", tree_form(how));
    for (i = 0; i < 7; i++)
        if (tree_flag(s->p, i) != NULL) fprintf(s->out, "%s\"%s\"", n++ != 0 ? ", " : "", tree_flag(s->p, i));
    putc(']', s->out);
    json_number(s->out, 0, 2, "functions", t->functions);
    json_number(s->out, 0, 2, "records", t->records);
    json_number(s->out, 0, 2, "max_depth", t->depth);
    json_number(s->out, 0, 2, "samples", all);
    json_number(s->out, 0, 2, "samples_deeper_than_1", t->deep);
    json_line(s->out, 0, 2);
    fputs("\"contexts\": [", s->out);
}

/* A row stands behind its parent, the last one before it with a smaller depth: no parser has to nest as contexts do. */
static void json_tree_row(show *s, const tree_row *r, int first)
{
    const uint32_t a = csspgo_attributes(s->p, r->node);
    const csspgo_loc loc = csspgo_node_loc(s->p, r->node);
    const int inlinee = csspgo_node_kind_of(s->p, r->node) == CSSPGO_INLINEE;
    json_line(s->out, first, 4);
    fprintf(s->out, "{ \"depth\": %u, ", r->depth);
    if (r->depth > 1) fprintf(s->out, "\"line\": %u, ", loc.line);
    if (r->depth > 1 && loc.discriminator != 0) fprintf(s->out, "\"discriminator\": %u, ", loc.discriminator);
    fputs("\"function\": ", s->out);
    json_name(s, csspgo_node_func(s->p, r->node));
    fprintf(s->out, ", \"total\": %" PRIu64 ", \"self\": %" PRIu64 ", \"cumulative\": %" PRIu64
            ", \"head\": %" PRIu64 ", \"inlined\": %s, \"should_inline\": %s, \"duplicated\": %s }",
            csspgo_total(s->p, r->node), r->self, r->sum, csspgo_head(s->p, r->node),
            a & CSSPGO_WAS_INLINED || inlinee ? "true" : "false", a & CSSPGO_SHOULD_BE_INLINED ? "true" : "false",
            a & CSSPGO_DUPLICATED_INTO_BASE ? "true" : "false");
}

static int show_contexts(show *s, const reading *how, int json)
{
    const unsigned long long most = (unsigned long long)s->o[S_CONTEXTS].number;   /* -1: all */
    size_t n, i, top = 0;
    int first = 1;
    tree_figures t;
    tree_row *v = tree_rows(s->p, &n);
    size_t *stack = v != NULL ? (size_t *)malloc(n * sizeof *stack) : NULL;
    if (stack == NULL) {
        free(v);
        return fail("out of memory"), 0;
    }
    t = tree_figures_of(s, v, n);
    if (json) json_tree_head(s, how, &t, v[0].sum);
    else tree_print_head(s, how, &t, v[0].sum);
    for (stack[top++] = 0; top != 0;) {
        const tree_row *r = &v[stack[--top]];
        if (r->depth != 0 && json) json_tree_row(s, r, first), first = 0;
        else if (r->depth != 0) tree_print_row(s, r, v[0].sum);
        if (r->depth < most)
            for (i = r->children; i-- > 0;) stack[top++] = r->child + i;
    }
    if (json) fputs("\n  ]\n}\n", s->out);
    free(stack);
    free(v);
    return 1;
}

/* The next inlinee after n below top, in any order; id 0 at the end. */
static csspgo_node next_nested(csspgo_profile *p, csspgo_node top, csspgo_node n)
{
    csspgo_node next = csspgo_node_first_child(p, n);
    for (;;) {
        while (next.id != 0 && csspgo_node_kind_of(p, next) != CSSPGO_INLINEE) next = csspgo_node_next_sibling(p, next);
        if (next.id != 0 || n.id == top.id) return next;
        next = csspgo_node_next_sibling(p, n);
        n = csspgo_node_parent(p, n);
    }
}

/*
 * Keeps the contexts of one function, with what is nested in them, if it has any: to put a whole profile in order for
 * the sake of one function takes a third of the time that reading it does. Returns 0: out of memory.
 */
static int show_only(show *s, csspgo_func f)
{
    csspgo_profile *p = s->p, *q = profile_new();
    csspgo_status status = q != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
    csspgo_node top, n;
    for (top = csspgo_func_nodes(p, f); top.id != 0; top = csspgo_node_next_same(p, top)) {
        if (csspgo_node_kind_of(p, top) == CSSPGO_INLINEE || !csspgo_has_record(p, top)) continue;
        for (n = top; n.id != 0 && status == CSSPGO_OK; n = next_nested(p, top, n))
            if (csspgo_has_record(p, n)) status = record_masked(q, p, n, UINT32_MAX);
    }
    if (status == CSSPGO_OK && csspgo_record_count(q) != 0) {
        csspgo_set_profile_flags(q, csspgo_profile_flags(p));
        s->p = q;
        q = p;
    }
    csspgo_profile_free(q);
    return status == CSSPGO_OK || (fail("%s", csspgo_status_text(status)), 0);
}

/* What else is asked for than functions; json: members of the object that begins with the functions. */
static int show_others(show *s, int json)
{
    static const char *const keys[] = { "symbols", "summary", "hot" };
    static int (*const print[])(show *s, int json) = { show_symbols, show_summary, show_hot };
    const option *o = s->o;
    const int asked[] = { o[S_SYMBOLS].number != 0, o[S_SUMMARY].number != 0, o[S_HOT].number || o[S_TOPN].number };
    size_t i;
    for (i = 0; i < 3; i++) {
        if (asked[i] && json) fprintf(s->out, ",\n  \"%s\": ", keys[i]);
        if (asked[i] && !print[i](s, json)) return 0;
    }
    return 1;
}

/* JSON: the functions as LLVM has them, an array; if more is asked for, an object of these. LLVM prints text then. */
static int show_as_json(show *s, int others)
{
    if (others && !compat) fputs("{\n  \"functions\": ", s->out);
    if (!show_json(s)) return 0;
    if (compat || !others) putc('\n', s->out);
    if (!show_others(s, !compat)) return 0;
    if (others && !compat) fputs("\n}\n", s->out);
    return 1;
}

static int show_print(show *s, const reading *how)
{
    const option *o = s->o;
    const char *name = o[S_FUNCTION].text != NULL && *o[S_FUNCTION].text != '\0' ? o[S_FUNCTION].text : NULL;
    const int json = o[S_JSON].number || o[S_FORMAT].number == 1;
    const int others = o[S_HOT].number || o[S_TOPN].number || o[S_SYMBOLS].number || o[S_SUMMARY].number;
    if (o[S_CONTEXTS].text != NULL) return show_contexts(s, how, json);
    if (name != NULL && !o[S_ALL].number && !others && !show_only(s, func_named(s->p, name))) return 0;
    if ((o[S_ALL].number || name == NULL || o[S_HOT].number || o[S_TOPN].number || func_named(s->p, name).id != 0) &&
        !show_list(s))
        return 0;
    if (json && name != NULL && !o[S_ALL].number)
        return fail("the JSON format is supported only when all functions are to be printed"), 0;
    if (json) return show_as_json(s, others);
    if (o[S_ALL].number || name == NULL ? !show_all(s) : !show_one(s, name)) return 0;
    return show_others(s, 0);
}

static int show_file(show *s, const char *path)
{
    reading how = reading_make(&s->o[S_ISFS], &s->o[S_PASS]);
    int fatal, ok;
    s->p = profile_read(path, &how, &fatal);
    ok = s->p != NULL && show_print(s, &how);
    free(s->row);
    free(s->target);
    csspgo_profile_free(s->p);
    return ok;
}

static int show_main(int argc, char **argv)
{
    static show s;
    const char *path;
    output out;
    int files, ok;
    memcpy(s.o, show_options, sizeof show_options);
    files = options_parse(s.o, argc, argv);
    if (files < 0) return usage_status();
    if (files > 1) return usage("one profile only, not '%s' too", argv[1]);
    if (files == 0 && compat)
        return fail("the positional argument '<profdata-file>' is required unless '--debug-info' is provided");
    if (files == 0) return usage("which profile?");
    path = s.o[S_OUTPUT].text;
    if (compat && (strcmp(argv[0], path) == 0 || (strcmp(path, "-") != 0 && output_is_input(path, argv[0]))))
        return fputs("llvm-profdata-19 show: Input file name cannot be the same as the output file name!\n", stderr), 1;
    if (!output_spares(path, argv[0])) return usage_status();
    if (s.o[S_FORMAT].number == 2) return usage("YAML output is not supported for sample profiles");
    if (s.o[S_ALL].number && s.o[S_FUNCTION].text != NULL) warn("-function argument ignored: showing all functions");
    s.out = stream_begin(&out, path);
    if (s.out == NULL) return 1;
    ok = s.o[S_SECTIONS].number ? show_sections(argv[0], s.out) : show_file(&s, argv[0]);
    return stream_end(&out, path, ok);
}

/* ----- merge: options and inputs ---------------------------------------------------------------------------------- */

enum {
    M_OUTPUT, M_FORM, M_WEIGHTED, M_LIST, M_DUMP, M_FAILURE, M_SYMBOLS, M_NO_SYMBOLS, M_MD5, M_COMPRESS, M_PARTIAL,
    M_SPLIT, M_LAYOUT, M_NESTED, M_KEEP_BASE, M_MERGE_COLD, M_TRIM_COLD, M_COLD_FRAMES, M_COLD_COUNT, M_COLD_CUTOFF,
    M_RECURSION, M_FUNCTION, M_NO_FUNCTION, M_REMAP, M_SIZE, M_GCOV_VERSION, M_ISFS, M_PASS, M_QUIET
};

static const option merge_options[] = {
    { "output", OPT_TEXT, NULL, 0, "-", NULL, 0 },
    { "output-form", OPT_LATER, NULL, CSSPGO_EXTBINARY, NULL, NULL, 0 },   /* set by --text, --binary ... */
    { "weighted-input", OPT_LIST, NULL, 0, NULL, NULL, 0 },
    { "input-files", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "dump-input-file-list", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "failure-mode", OPT_CHOICE, "any|all|warn", 0, NULL, NULL, 0 },
    { "prof-sym-list", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "drop-profile-symbol-list", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "use-md5", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "compress-all-sections", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "gen-partial-profile", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "split-layout", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "convert-sample-profile-layout", OPT_CHOICE, "none|nest|flat", 0, NULL, NULL, 0 },
    { "gen-cs-nested-profile", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "generate-merged-base-profiles", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "sample-merge-cold-context", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "sample-trim-cold-context", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "sample-frame-depth-for-cold-context", OPT_COUNT, NULL, 1, NULL, NULL, 0 },
    { "profile-summary-cold-count", OPT_COUNT, NULL, 0, NULL, NULL, 0 },
    { "profile-summary-cutoff-cold", OPT_COUNT, NULL, 999999, NULL, NULL, 0 },
    { "compress-recursion", OPT_NUMBER, NULL, 0, NULL, NULL, 0 },
    { "function", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "no-function", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "remapping-file", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "output-size-limit", OPT_COUNT, NULL, 0, NULL, NULL, 0 },
    { "gcov-version", OPT_CHOICE, "1|2|3", 0, NULL, NULL, 0 },
    { "profile-isfs", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "fs-discriminator-pass", OPT_CHOICE, pass_names, PASSES - 1, NULL, NULL, 0 },
    { "quiet", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "text", OPT_SET, "output-form", CSSPGO_TEXT, NULL, NULL, 0 },
    { "binary", OPT_SET, "output-form", CSSPGO_BINARY, NULL, NULL, 0 },
    { "extbinary", OPT_SET, "output-form", CSSPGO_EXTBINARY, NULL, NULL, 0 },
    { "gcc", OPT_SET, "output-form", CSSPGO_GCOV, NULL, NULL, 0 },
    { "f", OPT_ALIAS, "input-files", 0, NULL, NULL, 0 },
    { "r", OPT_ALIAS, "remapping-file", 0, NULL, NULL, 0 },
    { "j", OPT_ALIAS, "num-threads", 0, NULL, NULL, 0 },
    { "num-threads", OPT_COUNT, NULL, 0, NULL, NULL, 0 },
    PROFDATA_COMMON,
    /* LLVM takes these too; on sample profiles they do nothing. */
    { "sparse", OPT_IGNORED, NULL, 0, NULL, NULL, 0 },
    { "keep-vtable-symbols", OPT_IGNORED, NULL, 0, NULL, NULL, 0 },
    { "memprof-full-schema", OPT_IGNORED, NULL, 0, NULL, NULL, 0 },
    { "instr-prof-cold-threshold", OPT_COUNT, NULL, 0, NULL, NULL, 0 },
    { "max-debug-info-correlation-warnings", OPT_COUNT, NULL, 0, NULL, NULL, 0 },
    { "memprof-version", OPT_COUNT, NULL, 0, NULL, NULL, 0 },
    { "suppl-min-size-threshold", OPT_COUNT, NULL, 0, NULL, NULL, 0 },
    { "temporal-profile-max-trace-length", OPT_COUNT, NULL, 0, NULL, NULL, 0 },
    { "temporal-profile-trace-reservoir-size", OPT_COUNT, NULL, 0, NULL, NULL, 0 },
    { "zero-counter-threshold", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "profiled-binary", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "binary-file", OPT_LATER, NULL, 0, NULL, NULL, 0 },
    { "debug-info", OPT_LATER, NULL, 0, NULL, NULL, 0 },
    { "supplement-instr-with-sample", OPT_LATER, NULL, 0, NULL, NULL, 0 },
    { "compbinary", OPT_LATER, NULL, 0, NULL, NULL, 0 },
    { NULL, OPT_TEXT, NULL, 0, NULL, NULL, 0 }
};

typedef struct merge_input { char *path; uint64_t weight; } merge_input;

typedef struct merge {
    option          o[sizeof merge_options / sizeof *merge_options];
    merge_input    *input;
    size_t          inputs, cap;
    file_bytes      remap;        /* --remapping-file, which renames points into */
    csspgo_rename  *rename;
    size_t          renames;
    int             remaps;       /* a remapping file was given, if an empty one */
    csspgo_profile *p;            /* the sum so far; NULL: nothing read          */
    const char     *filled;       /* path of the first input that is not empty   */
    int             usage;        /* exit status if the command line is at fault */
} merge;

static int merge_push(merge *m, const char *path, uint64_t weight)
{
    if (m->inputs == m->cap) {
        merge_input *more = (merge_input *)realloc(m->input, (2 * m->cap + 16) * sizeof *more);
        if (more == NULL) return fail("out of memory"), 0;
        m->input = more;
        m->cap = 2 * m->cap + 16;
    }
    m->input[m->inputs].weight = weight;
    m->input[m->inputs].path = strdup(path);
    return m->input[m->inputs++].path != NULL || (fail("out of memory"), 0);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const merge_input *)a)->path, ((const merge_input *)b)->path);
}

/* An input that cannot be opened. LLVM leaves an empty name out. */
static int fail_input(const char *path)
{
    const char *why = strerror(errno);
    return compat && *path == '\0' ? fail("%s", why) : fail("%s: %s", path, why);
}

/* What is found below a directory: regular files are inputs, except temporary ones of an output being written. */
static int merge_add_entry(merge *m, const FTSENT *e, uint64_t weight)
{
    const int unread = e->fts_info == FTS_DNR || e->fts_info == FTS_ERR || e->fts_info == FTS_NS;
    struct stat st = *e->fts_statp;
    if (strncmp(e->fts_name, OUTPUT_TEMPORARY, strlen(OUTPUT_TEMPORARY)) == 0) return 1;
    if (unread && !compat) return fail("%s: %s", e->fts_path, strerror(e->fts_errno)), 0;
    if (e->fts_info == FTS_SLNONE && stat(e->fts_path, &st) != 0)   /* a link to nothing, or an error */
        return errno == ENOENT || errno == ELOOP || compat || (fail_input(e->fts_path), 0);
    return (e->fts_info != FTS_F && e->fts_info != FTS_SLNONE) || !S_ISREG(st.st_mode) ||
           merge_push(m, e->fts_path, weight);
}

/* All regular files below a directory, sorted by path. LLVM takes those that it can see, in the directory's order. */
static int merge_add_directory(merge *m, const char *path, uint64_t weight)
{
    const size_t first = m->inputs;
    char *const roots[] = { (char *)(uintptr_t)path, NULL };
    FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    FTSENT *e;
    int ok = tree != NULL;
    while (ok && (errno = 0, e = fts_read(tree)) != NULL) ok = merge_add_entry(m, e, weight);
    if (tree == NULL || (ok && errno != 0)) ok = (fail_input(path), 0);
    if (tree != NULL) fts_close(tree);
    if (!compat) qsort(m->input + first, m->inputs - first, sizeof *m->input, by_path);
    return ok;
}

static int merge_add(merge *m, const char *path, uint64_t weight)
{
    struct stat st;
    if (strcmp(path, "-") == 0) return merge_push(m, path, weight);
    if (stat(path, &st) != 0) return fail_input(path), 0;
    if (S_ISDIR(st.st_mode)) return merge_add_directory(m, path, weight);
    if (!S_ISREG(st.st_mode) && compat) return 1;     /* LLVM overlooks pipes */
    return merge_push(m, path, weight);
}

/* "WEIGHT,FILE" */
static int merge_add_weighted(merge *m, const char *text)
{
    const char *comma = strchr(text, ',');
    char number[24];
    uint64_t weight = 0;
    if (comma != NULL && (size_t)(comma - text) < sizeof number) {
        memcpy(number, text, (size_t)(comma - text));
        number[comma - text] = '\0';
        if (!is_number(number, &weight)) weight = 0;
    }
    if (weight == 0) {
        m->usage = usage("input weight must be a positive integer");
        return 0;
    }
    return merge_add(m, comma + 1, weight);
}

/* The next line of a list without blanks around it, as a copy; NULL at the end. */
static char *list_next(const file_bytes *f, size_t *at)
{
    const char *text = (const char *)f->data;
    size_t begin = *at, end;
    if (begin >= f->size) return NULL;
    for (end = begin; end < f->size && text[end] != '\n';) end++;
    *at = end + 1;
    while (begin < end && strchr(" \t\v\f\r", text[begin]) != NULL && text[begin] != '\0') begin++;
    while (begin < end && strchr(" \t\v\f\r", text[end - 1]) != NULL && text[end - 1] != '\0') end--;
    return strndup(text + begin, end - begin);
}

static int merge_add_list(merge *m, const char *path)
{
    file_bytes f;
    size_t at = 0;
    char *line;
    int ok = 1;
    if (!file_open(path, &f)) return fail_input(path), 0;
    while (ok && (line = list_next(&f, &at)) != NULL) {
        if (*line != '\0' && *line != '#')
            ok = strchr(line, ',') != NULL ? merge_add_weighted(m, line) : merge_add(m, line, 1);
        free(line);
    }
    file_close(&f);
    return ok;
}

/* Returns 0 after saying what is wrong. */
static int merge_inputs(merge *m, int files, char **argv)
{
    int i;
    size_t k;
    for (i = 0; i < files; i++)
        if (!merge_add(m, argv[i], 1)) return 0;
    for (k = 0; k < m->o[M_WEIGHTED].count; k++)
        if (!merge_add_weighted(m, m->o[M_WEIGHTED].list[k])) return 0;
    return m->o[M_LIST].text == NULL || *m->o[M_LIST].text == '\0' || merge_add_list(m, m->o[M_LIST].text);
}

/* "OLD NEW", one pair a line. */
static int merge_read_renames(merge *m, const char *path)
{
    const char *p, *end, *stop, *space;
    unsigned line = 0;
    if (!file_open(path, &m->remap)) return fail("%s: %s", path, strerror(errno)), 0;
    p = (const char *)m->remap.data;
    for (end = p + m->remap.size; p < end; p = stop + 1) {
        size_t n;
        stop = (const char *)memchr(p, '\n', (size_t)(end - p));
        if (stop == NULL) stop = end;
        line++;
        n = (size_t)(stop - p);
        if (n != 0 && p[n - 1] == '\r') n--;
        if (n == 0 || *p == '#') continue;
        space = (const char *)memchr(p, ' ', n);
        if (space == NULL || space == p || space + 1 == p + n ||
            memchr(space + 1, ' ', n - (size_t)(space + 1 - p)) != NULL) {
            fail("%s:%u: unexpected line in remapping file", path, line);
            return fputs("note: expected 'old_symbol new_symbol'\n", stderr), 0;
        }
        if ((m->renames & (m->renames + 1)) == 0 || m->rename == NULL) {
            csspgo_rename *more = (csspgo_rename *)realloc(m->rename, (2 * m->renames + 2) * sizeof *more);
            if (more == NULL) return fail("out of memory"), 0;
            m->rename = more;
        }
        m->rename[m->renames].from = p;
        m->rename[m->renames].from_size = (size_t)(space - p);
        m->rename[m->renames].to = space + 1;
        m->rename[m->renames++].to_size = n - (size_t)(space + 1 - p);
    }
    return 1;
}

/* ----- merge: adding up ------------------------------------------------------------------------------------------- */

/* What LLVM says while it merges, once for each function. */
static int merge_notes(csspgo_profile *p, const unsigned char *result, const char *path)
{
    const size_t n = csspgo_record_count(p);
    csspgo_node *node = (csspgo_node *)malloc((n + 1) * sizeof *node);
    size_t i;
    if (node == NULL || csspgo_order(p, node) != CSSPGO_OK) {
        free(node);
        return fail("out of memory"), 0;
    }
    for (i = 0; i < n; i++) {
        if (csspgo_node_kind_of(p, node[i]) == CSSPGO_INLINEE || result[node[i].id] == 0) continue;
        fprintf(stderr, "%s: ", path);
        put_context(p, node[i], stderr);
        fputs(result[node[i].id] & CSSPGO_MERGE_CLAMPED ? ": Counter overflow\n" : ": Function hash mismatch\n",
              stderr);
    }
    free(node);
    return 1;
}

static void merge_warnings(const csspgo_merge_stats *s, const char *path)
{
    if (s->clamped != 0)
        warn("%s: counts of %" PRIu64 " functions reached the largest that there is", path, s->clamped);
    if (s->mismatched != 0)
        warn("%s: %" PRIu64 " records with another checksum than the same function elsewhere are lost, %" PRIu64
             " samples",
             path, s->mismatched, s->dropped);
}

static int merge_add_up(merge *m, csspgo_profile *p, const merge_input *in)
{
    csspgo_merge_options how;
    csspgo_merge_stats stats;
    csspgo_status s;
    csspgo_error e;
    memset(&stats, 0, sizeof stats);
    memset(&how, 0, sizeof how);
    how.weight = in->weight;
    how.llvm = compat ? 19 : 0;
    how.result = compat ? (unsigned char *)calloc(csspgo_node_count(p) + (size_t)2, 1) : NULL;
    if (compat && how.result == NULL) return fail("out of memory"), 0;
    s = csspgo_merge(m->p, p, &how, &stats, &e);
    if (s != CSSPGO_OK) fail_at(in->path, &e);
    else if (compat && (stats.clamped | stats.mismatched) != 0 && !merge_notes(p, how.result, in->path))
        s = CSSPGO_E_NOMEM;
    else if (!compat) merge_warnings(&stats, in->path);
    free(how.result);
    return s == CSSPGO_OK;
}

/*
 * Marks of a sum are those of all inputs. LLVM keeps them in variables that its readers set: text says yes or no to
 * both, raw binary to one, ExtBinary and GCC's form only ever say yes.
 */
static void merge_marks(merge *m, uint32_t last, uint32_t form)
{
    uint32_t said = 0;
    if (form == CSSPGO_TEXT) said = CSSPGO_IS_PREINLINED | CSSPGO_IS_FS;
    if (form == CSSPGO_BINARY) said = CSSPGO_IS_FS;
    if (compat) csspgo_set_profile_flags(m->p, csspgo_profile_flags(m->p) & ~(said & ~last));
}

/*
 * Returns 1 if the profile is of the sum's kind, else 0 after saying so. An empty profile goes with every kind, except
 * in LLVM. m->filled: the first input that is not empty.
 */
static int merge_fits(merge *m, const csspgo_profile *p, const merge_input *in, int go_on)
{
    uint32_t differ = m->p != NULL ? csspgo_profile_flags(p) ^ csspgo_profile_flags(m->p) : 0;
    const int probes = (csspgo_profile_flags(p) & CSSPGO_IS_PROBE) != 0;
    const int contexts = (csspgo_profile_flags(p) & CSSPGO_IS_CS) != 0;
    char why[128];
    if (compat) {                                             /* an empty ExtBinary file says only what it has */
        if (csspgo_node_count(p) == 0) differ &= csspgo_profile_flags(p);
        if (differ & CSSPGO_IS_PROBE) fail("cannot merge probe-based profile with non-probe-based profile");
        else if (differ & CSSPGO_IS_CS) fail("cannot merge CS profile with non-CS profile");
        return (differ & (CSSPGO_IS_PROBE | CSSPGO_IS_CS)) == 0;
    }
    if (csspgo_node_count(p) == 0) return 1;
    if (m->filled == NULL) m->filled = in->path;
    if (m->p == NULL || csspgo_node_count(m->p) == 0) return 1;
    if (differ & CSSPGO_IS_PROBE)
        snprintf(why, sizeof why, "one is by %s, the other by %s", probes ? "probes" : "source lines",
                 probes ? "source lines" : "probes");
    else if (differ & CSSPGO_IS_CS)
        snprintf(why, sizeof why, "only the %s has contexts; see --convert-sample-profile-layout",
                 contexts ? "former" : "latter");
    else return 1;
    if (go_on) warn("%s cannot be merged with %s and is left out: %s", in->path, m->filled, why);
    else fail("%s cannot be merged with %s: %s", in->path, m->filled, why);
    return 0;
}

/* The flags of the sum after p was added: those of all inputs, except that an empty profile changes none. */
static uint32_t merge_flags(const csspgo_profile *sum, const csspgo_profile *p)
{
    const int sum_empty = csspgo_node_count(sum) == 0, p_empty = csspgo_node_count(p) == 0;
    if (sum_empty == p_empty || compat) return csspgo_profile_flags(sum) | csspgo_profile_flags(p);
    return csspgo_profile_flags(p_empty ? sum : p);
}

/* Reads one input and adds it. The first one, if its counts stay as they are, is the sum. Returns 0 after an error. */
static int merge_one(merge *m, const merge_input *in, reading *how)
{
    int fatal, ok = 1;
    uint32_t flags;
    csspgo_profile *p = profile_read(in->path, how, &fatal);
    if (p == NULL) return how->go_on && !fatal;
    if (!merge_fits(m, p, in, how->go_on)) {
        csspgo_profile_free(p);
        return how->go_on && !compat;
    }
    if (m->renames != 0 || (compat && m->remaps)) {   /* LLVM loses the same when there is nothing to rename */
        const csspgo_status s = csspgo_remap(p, m->rename, m->renames, (uint32_t)compat);
        if (s != CSSPGO_OK) ok = (fail("%s: %s", in->path, csspgo_status_text(s)), 0);
    }
    if (ok && m->p == NULL && in->weight == 1) {
        m->p = p;
        return 1;
    }
    if (ok && m->p == NULL) ok = (m->p = profile_new()) != NULL;
    flags = ok ? merge_flags(m->p, p) : 0;
    ok = ok && merge_add_up(m, p, in);
    if (ok) csspgo_set_profile_flags(m->p, flags);
    if (ok) merge_marks(m, csspgo_profile_flags(p), how->form);
    csspgo_profile_free(p);
    return ok;
}

static int merge_read(merge *m)
{
    reading how = reading_make(&m->o[M_ISFS], &m->o[M_PASS]);
    progress bar = progress_begin();
    size_t i;
    int ok = 1;
    how.go_on = m->o[M_FAILURE].number != 0;
    bar.on = bar.on && m->inputs > 1;
    for (i = 0; i < m->inputs && ok; i++) {
        if (progress_due(&bar)) fprintf(stderr, "\r%zu of %zu ", i + 1, m->inputs), fflush(stderr);
        ok = merge_one(m, &m->input[i], &how);
    }
    progress_end(&bar);
    if (ok && m->p == NULL && !compat) ok = (fail("no profile could be read"), 0);
    if (ok && m->p == NULL) ok = (m->p = profile_new()) != NULL;   /* LLVM writes an empty one */
    return ok;
}

/* ----- merge: what is done to the sum ----------------------------------------------------------------------------- */

/* A profile without contexts has none to be merged (LLVM crashes then); its cold functions are trimmed all the same. */
static csspgo_status merge_cold(merge *m)
{
    const option *o = m->o;
    csspgo_cold_options how;
    csspgo_status s = CSSPGO_OK;
    memset(&how, 0, sizeof how);
    how.merge = o[M_MERGE_COLD].number && csspgo_profile_flags(m->p) & CSSPGO_IS_CS;
    how.trim = (uint32_t)o[M_TRIM_COLD].number;
    if (!how.merge && !how.trim) return CSSPGO_OK;
    how.frames = (uint32_t)o[M_COLD_FRAMES].number;
    if (o[M_COLD_COUNT].text != NULL) how.threshold = (uint64_t)o[M_COLD_COUNT].number;
    else s = csspgo_threshold(m->p, (uint64_t)o[M_COLD_CUTOFF].number, &how.threshold);
    return s == CSSPGO_OK && how.threshold != 0 ? csspgo_trim_cold(m->p, &how) : s;
}

static csspgo_status merge_shape(merge *m)
{
    const option *o = m->o;
    const long long cycle = o[M_RECURSION].number;
    const int nest = o[M_NESTED].number || o[M_LAYOUT].number == 1;
    csspgo_status s = CSSPGO_OK;
    if (o[M_RECURSION].text != NULL)
        s = csspgo_compress_recursion(m->p, cycle < 0 || cycle > UINT32_MAX ? UINT32_MAX : (uint32_t)cycle);
    if (s == CSSPGO_OK) s = merge_cold(m);
    if (s == CSSPGO_OK && o[M_LAYOUT].number == 2) s = csspgo_flatten(m->p);
    if (s == CSSPGO_OK && nest && o[M_LAYOUT].number != 2)
        s = csspgo_nest(m->p, o[M_KEEP_BASE].number ? (uint32_t)CSSPGO_NEST_KEEP_BASE : 0);
    return s;
}

typedef struct filter {           /* --function or --no-function */
    int     on, compiled;
    regex_t regex;
    char    guid[24];             /* of a whole name: for profiles of GUIDs */
} filter;

/* The words of LLVM, whose regular expressions are Henry Spencer's. */
static const char *filter_error(int code)
{
    switch (code) {
    case REG_EBRACK: case REG_EEND: return "brackets ([ ]) not balanced";
    case REG_EPAREN: return "parentheses not balanced";
    case REG_EBRACE: return "braces not balanced";
    case REG_BADBR: return "invalid repetition count(s)";
    case REG_ERANGE: return "invalid character range";
    case REG_ESPACE: return "out of memory";
    case REG_BADRPT: return "repetition-operator operand invalid";
    case REG_ECTYPE: return "invalid character class";
    case REG_ECOLLATE: return "invalid collating element";
    case REG_EESCAPE: return "trailing backslash (\\)";
    case REG_ESUBREG: return "invalid backreference number";
    default: return "invalid regular expression";
    }
}

/* A pattern that begins with ? is a name of MSVC's. Returns 0 after saying what is wrong. */
static int filter_make(filter *f, const char *pattern)
{
    char *escaped, *to;
    const char *p;
    int code;
    memset(f, 0, sizeof *f);
    if (pattern == NULL || *pattern == '\0') return 1;
    to = escaped = (char *)malloc(2 * strlen(pattern) + 1);
    if (escaped == NULL) return fail("out of memory"), 0;
    for (p = pattern; *p != '\0'; p++) {
        if (*pattern == '?' && strchr("()^$|*+?.[]\\{}", *p) != NULL) *to++ = '\\';
        *to++ = *p;
    }
    *to = '\0';
    code = regcomp(&f->regex, escaped, REG_EXTENDED | REG_NOSUB);
    if (code == REG_BADPAT && to[-1] == '[') code = REG_EBRACK;   /* what glibc says of a [ at the end */
    free(escaped);
    if (code != 0) return usage("%s", filter_error(code)), 0;
    f->on = f->compiled = 1;
    snprintf(f->guid, sizeof f->guid, "%" PRIu64, csspgo_guid(pattern, strlen(pattern)));
    return 1;
}

static int filter_hits(const filter *f, const char *context, int md5)
{
    return f->on && (regexec(&f->regex, context, 0, NULL, 0) == 0 || (md5 && strcmp(context, f->guid) == 0));
}

/* Collects the top-level records to remove. Returns 0 after saying why not. */
static int filter_collect(merge *m, const filter *take, const filter *leave, csspgo_node *node, size_t *drop,
                          size_t *of)
{
    const size_t n = csspgo_record_count(m->p);
    const int md5 = (csspgo_profile_flags(m->p) & CSSPGO_IS_MD5) != 0;
    size_t i;
    if (csspgo_order(m->p, node) != CSSPGO_OK) return fail("out of memory"), 0;
    for (i = *drop = *of = 0; i < n; i++) {
        char *context;
        if (csspgo_node_kind_of(m->p, node[i]) == CSSPGO_INLINEE) continue;
        context = context_text(m->p, node[i]);
        if (context == NULL) return fail("out of memory"), 0;
        ++*of;
        if (filter_hits(leave, context, md5) || (take->on && !filter_hits(take, context, md5)))
            node[(*drop)++] = node[i];
        free(context);
    }
    return 1;
}

static int merge_filter(merge *m)
{
    filter take, leave;
    csspgo_node *node = NULL;
    size_t drop, of;
    int ok = filter_make(&take, m->o[M_FUNCTION].text) && filter_make(&leave, m->o[M_NO_FUNCTION].text);
    if (ok && (take.on || leave.on)) {
        node = (csspgo_node *)malloc((csspgo_record_count(m->p) + (size_t)1) * sizeof *node);
        ok = node != NULL || (fail("out of memory"), 0);
        ok = ok && filter_collect(m, &take, &leave, node, &drop, &of);
        if (ok && csspgo_remove(m->p, node, drop) != CSSPGO_OK) ok = (fail("out of memory"), 0);
        if (ok) fprintf(stderr, "%zu of %zu functions in the original profile are filtered.\n", drop, of);
    }
    if (take.compiled) regfree(&take.regex);
    if (leave.compiled) regfree(&leave.regex);
    free(node);
    return ok;
}

static int merge_symbols(merge *m)
{
    const char *path = m->o[M_SYMBOLS].text;
    csspgo_status s = CSSPGO_OK;
    csspgo_func f;
    file_bytes list;
    size_t at = 0;
    char *line;
    for (f.id = 1; f.id <= csspgo_func_count(m->p) && m->o[M_NO_SYMBOLS].number; f.id++)
        if (csspgo_is_listed(m->p, f)) csspgo_set_listed(m->p, f, 0);
    if (path == NULL || *path == '\0') return 1;
    if (!file_open(path, &list)) return fail("%s: %s", path, strerror(errno)), 0;
    while (s == CSSPGO_OK && (line = list_next(&list, &at)) != NULL) {
        if (*line != '\0') {
            f = csspgo_func_add(m->p, line, strlen(line));
            s = f.id != 0 ? csspgo_set_listed(m->p, f, 1) : CSSPGO_E_NOMEM;
        }
        free(line);
    }
    file_close(&list);
    return s == CSSPGO_OK || (fail("%s: %s", path, csspgo_status_text(s)), 0);
}

/* ----- merge: writing --------------------------------------------------------------------------------------------- */

/* 1 if the profile has the pre-inliner's mark and nothing else that shows it. */
static int merge_mark_alone(csspgo_profile *p)
{
    csspgo_node n;
    if (!(csspgo_profile_flags(p) & CSSPGO_IS_PREINLINED)) return 0;
    for (n.id = 2; n.id <= csspgo_node_count(p) + 1; n.id++)
        if (csspgo_attributes(p, n) & CSSPGO_SHOULD_BE_INLINED) return 0;
    return 1;
}

/* Says what other forms than ExtBinary have no place for and lose, rather than refuse. */
static void merge_losses(merge *m, uint32_t form)
{
    const uint32_t flags = csspgo_profile_flags(m->p);
    char what[200] = "";
    csspgo_func f;
    if (flags & CSSPGO_IS_FS) strcat(what, ", that discriminators are flow-sensitive");
    if (flags & CSSPGO_IS_PARTIAL) strcat(what, ", that the profile is partial");
    if (flags & CSSPGO_IS_MD5) strcat(what, ", that names are GUIDs");
    if (merge_mark_alone(m->p)) strcat(what, ", the pre-inliner's mark");
    if (what[0] != '\0' && !compat)
        warn("%s does not carry%s",
             form == CSSPGO_TEXT ? "text" : form == CSSPGO_BINARY ? "raw binary" : "GCC's form", what + 1);
    for (f.id = 1; f.id <= csspgo_func_count(m->p); f.id++)
        if (csspgo_is_listed(m->p, f)) {
            warn("Profile Symbol list is not empty but the output format is not ExtBinary format. "
                 "The list will be lost in the output. ");
            break;
        }
}

/* The form with what is added to it; says what does not apply. */
static uint32_t merge_form(merge *m)
{
    static const struct { int option; uint32_t bit; const char *name; } added[] = {
        { M_COMPRESS, CSSPGO_COMPRESS, "-compress-all-section" }, { M_MD5, CSSPGO_MD5, "-use-md5" },
        { M_PARTIAL, CSSPGO_PARTIAL, "-gen-partial-profile" }, { M_SPLIT, CSSPGO_SPLIT, "-split-layout" }
    };
    static const uint32_t versions[] = { 0, CSSPGO_GCC, CSSPGO_GCC3 };
    uint32_t form = (uint32_t)m->o[M_FORM].number;
    const int ext = form == CSSPGO_EXTBINARY;
    size_t i;
    if (!ext) merge_losses(m, form);
    for (i = 0; i < sizeof added / sizeof *added; i++) {
        if (!m->o[added[i].option].number) continue;
        if (ext || (form == CSSPGO_TEXT && added[i].bit == CSSPGO_SPLIT)) form |= added[i].bit;
        else warn("%s is ignored. Specify -extbinary to enable it", added[i].name);
    }
    if (form == CSSPGO_GCOV) form |= versions[m->o[M_GCOV_VERSION].number];
    return form;
}

static int merge_write_failed(const merge *m, const csspgo_error *e)
{
    const char *path = m->o[M_OUTPUT].text;
    if (e->status == CSSPGO_E_UNSUPPORTED && compat)
        return fail("%s: Profile encoding format unsupported for writing operations", path);
    return fail("%s: %s", path, e->message);
}

/* Writes what fits of a profile that is too large. Returns the exit status. */
static int merge_write_limited(merge *m, uint32_t form, uint64_t limit)
{
    const char *path = m->o[M_OUTPUT].text;
    unsigned char *bytes = (unsigned char *)malloc((size_t)limit + 1);
    size_t size = 0;
    csspgo_error e;
    output o;
    FILE *out;
    int status = 1;
    if (bytes == NULL) fail("out of memory");
    else if (csspgo_write_limited(m->p, form, limit, bytes, (size_t)limit, &size, &e) == CSSPGO_OK) status = 0;
    else if (e.status == CSSPGO_E_LIMIT) fail("Too much profile data");
    else merge_write_failed(m, &e);
    out = status == 0 ? stream_begin(&o, path) : NULL;
    if (out == NULL) status = 1;
    else fwrite(bytes, 1, size, out), status = stream_end(&o, path, 1);
    free(bytes);
    return status;
}

static int merge_write(merge *m)
{
    const char *path = m->o[M_OUTPUT].text;
    const uint64_t limit = (uint64_t)m->o[M_SIZE].number;
    const uint32_t form = merge_form(m);
    csspgo_error e;
    size_t size = 0;
    memset(&e, 0, sizeof e);
    e.status = CSSPGO_E_UNSUPPORTED;
    if (compat && (form & 0xff) == CSSPGO_GCOV) return merge_write_failed(m, &e);
    if (limit != 0 && csspgo_write(m->p, form, NULL, 0, &size, &e) != CSSPGO_OK) return merge_write_failed(m, &e);
    if (limit != 0 && (size > limit || (compat && csspgo_record_count(m->p) == 0)))
        return merge_write_limited(m, form, size > limit ? limit : size);
    return write_profile(m->p, path, form, &e) == CSSPGO_OK ? 0 : merge_write_failed(m, &e);
}

/* Returns 0 after refusing an output that would replace an input. LLVM's tool writes where it has read. */
static int merge_spares(const merge *m)
{
    const char *path = m->o[M_OUTPUT].text;
    size_t i;
    for (i = 0; i < m->inputs && !compat; i++)
        if (!output_spares(path, m->input[i].path)) return 0;
    return compat || (output_spares(path, m->o[M_LIST].text) && output_spares(path, m->o[M_SYMBOLS].text) &&
                      output_spares(path, m->o[M_REMAP].text));
}

/* Returns the exit status. */
static int merge_run(merge *m)
{
    csspgo_status s;
    if (!merge_spares(m)) return usage_status();
    if (!output_ready(m->o[M_OUTPUT].text)) return 1;
    m->remaps = m->o[M_REMAP].text != NULL && *m->o[M_REMAP].text != '\0';
    if (m->remaps && !merge_read_renames(m, m->o[M_REMAP].text)) return 1;
    if (!merge_read(m)) return 1;
    s = merge_shape(m);
    if (s != CSSPGO_OK) return fail("%s", csspgo_status_text(s));
    if (!merge_filter(m) || !merge_symbols(m) || merge_write(m) != 0) return 1;
    if (compat || csspgo_record_count(m->p) != 0) return 0;
    return hopeless("%s: the profile is empty", m->o[M_OUTPUT].text);
}

static int merge_main(int argc, char **argv)
{
    static merge m;
    int files, status = 0;
    size_t i;
    memcpy(m.o, merge_options, sizeof merge_options);
    files = options_parse(m.o, argc, argv);
    quiet = (int)m.o[M_QUIET].number;
    if (files < 0) status = usage_status();
    else if (m.o[M_COLD_FRAMES].number == 0)
        status = usage("--sample-frame-depth-for-cold-context=0 would leave no frame");
    else if (!merge_inputs(&m, files, argv)) status = m.usage != 0 ? m.usage : 1;
    else if (m.inputs == 0)
        status = usage("no input files specified. See %s merge -help", compat ? "llvm-profdata-19" : "csspgo");
    else if (m.o[M_DUMP].number)
        for (i = 0; i < m.inputs; i++) printf("%" PRIu64 ",%s\n", m.input[i].weight, m.input[i].path);
    else status = merge_run(&m);
    for (i = 0; i < m.inputs; i++) free(m.input[i].path);
    free(m.input);
    free(m.rename);
    file_close(&m.remap);
    options_free(m.o);
    csspgo_profile_free(m.p);
    return status;
}

/* ----- overlap ---------------------------------------------------------------------------------------------------- */

enum { V_OUTPUT, V_FUNCTION, V_VALUE, V_SIMILARITY, V_QUALITY, V_ISFS, V_PASS };

static const option overlap_options[] = {
    { "output", OPT_TEXT, NULL, 0, "-", NULL, 0 },
    { "function", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "value-cutoff", OPT_COUNT, NULL, -1, NULL, NULL, 0 },
    { "similarity-cutoff", OPT_COUNT, NULL, 0, NULL, NULL, 0 },
    { "quality", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "profile-isfs", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "fs-discriminator-pass", OPT_CHOICE, pass_names, PASSES - 1, NULL, NULL, 0 },
    PROFDATA_COMMON,
    { "cs", OPT_IGNORED, NULL, 0, NULL, NULL, 0 },
    { "profile-summary-cold-count", OPT_COUNT, NULL, 0, NULL, NULL, 0 },
    { "profile-summary-cutoff-cold", OPT_COUNT, NULL, 0, NULL, NULL, 0 },
    { "generate-merged-base-profiles", OPT_IGNORED, NULL, 0, NULL, NULL, 0 },
    { NULL, OPT_TEXT, NULL, 0, NULL, NULL, 0 }
};

typedef struct overlap {
    option          o[sizeof overlap_options / sizeof *overlap_options];
    const char     *path[2];      /* base, test */
    csspgo_profile *p[2];
    FILE           *out;
} overlap;

static csspgo_overlap_options overlap_how(const overlap *v)
{
    csspgo_overlap_options how;
    const option *hot = option_named((option *)(uintptr_t)v->o, "profile-summary-hot-count", 25);
    const option *cutoff = option_named((option *)(uintptr_t)v->o, "profile-summary-cutoff-hot", 26);
    memset(&how, 0, sizeof how);
    how.force_hot = hot->text != NULL;
    how.hot_count = (uint64_t)hot->number;
    how.hot_ppm = (uint32_t)cutoff->number;
    return how;
}

/* LLVM prints -nan for 0 of 0. */
static void overlap_share(FILE *out, const char *what, uint64_t part, uint64_t whole)
{
    if (whole == 0 && compat) fprintf(out, "  %s: -nan%%\n", what);
    else fprintf(out, "  %s: %.3f%%\n", what, csspgo_share(part, whole) * 100);
}

static void overlap_shared(FILE *out, const char *what, const char *things, csspgo_shared n)
{
    overlap_share(out, what, n.both, n.both + n.base_only + n.test_only);
    fprintf(out,
            "    overlap %s: %" PRIu64 "\n    %s unique in base profile: %" PRIu64
            "\n    %s unique in test profile: %" PRIu64 "\n",
            things, n.both, things, n.base_only, things, n.test_only);
}

static void overlap_program(const overlap *v, const csspgo_overlap_figures *f)
{
    fprintf(v->out, "Profile overlap infomation for base_profile: %s and test_profile: %s\nProgram level:\n",
            v->path[0], v->path[1]);
    fprintf(v->out, "  Whole program profile similarity: %.3f%%\n", f->similarity * 100);
    overlap_share(v->out, "Whole program sample overlap", f->overlap_samples, f->union_samples);
    fprintf(v->out, "    percentage of samples unique in base profile: %.3f%%\n"
            "    percentage of samples unique in test profile: %.3f%%\n",
            csspgo_share(f->base_unique_samples, f->base_samples) * 100,
            csspgo_share(f->test_unique_samples, f->test_samples) * 100);
    fprintf(v->out, "    total samples in base profile: %" PRIu64 "\n    total samples in test profile: %" PRIu64 "\n",
            f->base_samples, f->test_samples);
    overlap_shared(v->out, "Function overlap", "functions", f->functions);
    overlap_shared(v->out, "Hot-function overlap", "hot functions", f->hot_functions);
    overlap_shared(v->out, "Hot-block overlap", "hot blocks", f->hot_blocks);
}

static void overlap_row_print(const overlap *v, const csspgo_overlap_row *r)
{
    static const unsigned column[6] = { 15, 30, 43, 53, 67, 81 };
    const double cell[6] = {
        r->base_weight, r->test_weight, r->similarity, csspgo_share(r->overlap_samples, r->union_samples),
        csspgo_share(r->base_unique_samples, r->base_samples), csspgo_share(r->test_unique_samples, r->test_samples)
    };
    unsigned at = 0;
    size_t i;
    for (i = 0; i < 6; i++) {
        at += (unsigned)fprintf(v->out, "%.2f%%", cell[i] * 100);
        at = cell_pad(v->out, at, column[i]);
    }
    at += (unsigned)fprintf(v->out, "%" PRIu64, r->base_samples);
    at = cell_pad(v->out, at, 96);
    at += (unsigned)fprintf(v->out, "%" PRIu64, r->test_samples);
    cell_pad(v->out, at, 111);
    put_context(v->p[1], r->test, v->out);
    putc('\n', v->out);
}

/* 1 if the row is to be printed; -1: out of memory. */
static int overlap_wants(const overlap *v, const csspgo_overlap_row *r)
{
    const char *part = v->o[V_FUNCTION].text;
    char *context;
    int hit;
    if (r->test.id == 0) return 0;
    if (r->test_max >= (uint64_t)v->o[V_VALUE].number) return 1;
    if (r->base.id == 0) return 0;
    if (r->similarity < (double)(uint64_t)v->o[V_SIMILARITY].number / 1000000) return 1;
    if (part == NULL || *part == '\0') return 0;
    context = context_text(v->p[1], r->test);
    if (context == NULL) return -1;
    hit = strstr(context, part) != NULL;
    free(context);
    return hit;
}

static int overlap_rows(const overlap *v, const csspgo_overlap_row *row, size_t n)
{
    size_t i, printed = 0;
    for (i = 0; i < n; i++) {
        const int wanted = overlap_wants(v, &row[i]);
        if (wanted < 0) return fail("out of memory"), 0;
        if (wanted == 0) continue;
        if (printed++ == 0)
            fputs("Function-level details:\nBase weight    Test weight    Similarity   Overlap   Base unique   "
                  "Test unique   Base samples   Test samples   Function name\n", v->out);
        overlap_row_print(v, &row[i]);
    }
    return 1;
}

/* --quality: how close test's block counts come to base's, whatever the forms of the two. */
static int overlap_quality(const overlap *v)
{
    csspgo_quality q;
    const csspgo_status s = csspgo_compare_blocks(v->p[0], v->p[1], NULL, &q, NULL, 0, NULL);
    if (s != CSSPGO_OK) return fail("%s", csspgo_status_text(s)), 0;
    fprintf(v->out,
            "                          overlap    delta\n"
            "blocks of functions    %8.3f %% %8.4f\nblocks of contexts     %8.3f %% %8.4f\n"
            "test spread over base  %8.3f %% %8.4f\n",
            q.overlap * 100, q.delta, q.context_overlap * 100, q.context_delta, q.spread_overlap * 100, q.spread_delta);
    return 1;
}

static int overlap_print(overlap *v)
{
    const csspgo_overlap_options how = overlap_how(v);
    const uint32_t differ = csspgo_profile_flags(v->p[0]) ^ csspgo_profile_flags(v->p[1]);
    const size_t most = csspgo_overlap_bound(v->p[0], v->p[1]);
    csspgo_overlap_row *row;
    csspgo_overlap_figures f;
    csspgo_status s;
    size_t n = 0;
    int i, ok = 1;
    if (v->o[V_QUALITY].number) return overlap_quality(v);
    if (differ & CSSPGO_IS_PROBE) return fail("cannot compare probe-based profile with non-probe-based profile"), 0;
    if (differ & CSSPGO_IS_CS) return fail("cannot compare CS profile with non-CS profile"), 0;
    row = (csspgo_overlap_row *)malloc((most + 1) * sizeof *row);
    s = row != NULL ? csspgo_overlap(v->p[0], v->p[1], &how, &f, row, most, &n) : CSSPGO_E_NOMEM;
    if (s != CSSPGO_OK) ok = (fail("%s", csspgo_status_text(s)), 0);
    for (i = 0; i < 2 && s == CSSPGO_OK; i++)
        if ((i == 0 ? f.base_samples : f.test_samples) == 0) {
            fprintf(v->out, "Sum of sample counts for profile %s is 0.\n", v->path[i]);
            n = 0;
            ok = -1;
        }
    if (ok == 1) overlap_program(v, &f);
    if (ok == 1) ok = overlap_rows(v, row, n);
    free(row);
    return ok != 0;
}

static int overlap_main(int argc, char **argv)
{
    static overlap v;
    reading how;
    output out;
    int files, fatal, ok;
    memcpy(v.o, overlap_options, sizeof overlap_options);
    files = options_parse(v.o, argc, argv);
    if (files < 0) return usage_status();
    if (files != 2) return usage("overlap compares two profiles: BASE TEST");
    how = reading_make(&v.o[V_ISFS], &v.o[V_PASS]);
    v.path[0] = argv[0];
    v.path[1] = argv[1];
    if (!output_spares(v.o[V_OUTPUT].text, argv[0]) || !output_spares(v.o[V_OUTPUT].text, argv[1]))
        return usage_status();
    v.out = stream_begin(&out, v.o[V_OUTPUT].text);
    if (v.out == NULL) return 1;
    v.p[0] = profile_read(v.path[0], &how, &fatal);
    v.p[1] = v.p[0] != NULL ? profile_read(v.path[1], &how, &fatal) : NULL;
    ok = v.p[1] != NULL && overlap_print(&v);
    csspgo_profile_free(v.p[0]);
    csspgo_profile_free(v.p[1]);
    return stream_end(&out, v.o[V_OUTPUT].text, ok);
}

#endif
