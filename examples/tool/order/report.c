/* report.c - order: the functions of the binary, and what an order is worth */
#include "order.h"
#include "../shared/tool.h"

/* On request, and in LLVM's main branch. */
uint32_t order_weighs(const order_run *r)
{
    return r->o[R_WEIGHTS].number != 0 || r->tool->compat >= 23;
}

typedef struct order_symbol {     /* a function symbol of the binary                            */
    uint64_t address, size;
    uint32_t index, rank;         /* rank: 0 if the traces know the name, 1 global, 2 local     */
} order_symbol;

static int order_symbol_cmp(const void *a, const void *b)
{
    const order_symbol *x = (const order_symbol *)a, *y = (const order_symbol *)b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Function symbols by address. Of several at one address the first has the code, the others have size 0. */
static order_symbol *order_symbols(const order_run *r, const elf_image *e, size_t *count)
{
    order_symbol *v = (order_symbol *)malloc(((size_t)e->symbol_count + 1) * sizeof *v);
    elf_symbol y;
    size_t n = 0, k, size;
    uint32_t i;
    for (i = 1; v != NULL && i < e->symbol_count; i++) {
        if (!elf_symbol_at(e, i, &y) || (y.type != ELF_FUNC && y.type != ELF_IFUNC)) continue;
        if (y.section == ELF_UNDEFINED || y.name_size == 0) continue;
        v[n].address = y.value;
        v[n].size = y.size;
        v[n].index = i;
        v[n].rank = csspgo_layout_name(r->l, csspgo_guid(y.name, y.name_size), &size) != NULL ? 0
                                                                                      : y.bind == ELF_LOCAL ? 2 : 1;
        n++;
    }
    if (v != NULL) qsort(v, n, sizeof *v, order_symbol_cmp);
    for (k = n; k-- > 1;) {
        if (v[k].address != v[k - 1].address) continue;
        if (v[k - 1].size < v[k].size) v[k - 1].size = v[k].size;
        v[k].size = 0;
    }
    *count = n;
    return v;
}

/* The symbols of one program. Returns 0 after saying what is wrong. */
static int order_add_image(order_run *r, const elf_image *e)
{
    size_t n, i;
    order_symbol *v = order_symbols(r, e, &n);
    csspgo_layout_symbol *s = (csspgo_layout_symbol *)calloc(n + 1, sizeof *s);
    csspgo_status status = v != NULL && s != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
    for (i = 0; status == CSSPGO_OK && i < n; i++) {
        elf_symbol y;
        elf_symbol_at(e, v[i].index, &y);
        s[i].name = y.name;
        s[i].name_size = y.name_size;
        s[i].size_bytes = v[i].size;
    }
    if (status == CSSPGO_OK) status = csspgo_layout_add_symbols(r->l, s, n, NULL);
    free(v);
    free(s);
    return status == CSSPGO_OK || (fail(r->tool, "%s", csspgo_status_text(status)), 0);
}

int order_add_symbols(order_run *r)
{
    size_t i;
    int ok = 1;
    for (i = 0; ok && i < r->programs.count; i++) ok = order_add_image(r, load_symbols(&r->programs.v[i].loaded));
    return ok;
}

/* What messages call the programs. */
static const char *order_binaries(const order_run *r)
{
    return r->programs.count > 1 ? "the programs given" : r->o[R_BINARY].list[0];
}

void order_resolution(const order_run *r)
{
    csspgo_layout_found f;
    uint64_t missing;
    if (csspgo_layout_resolve(r->l, &f, NULL) != CSSPGO_OK) return;
    missing = f.functions - f.exact - f.stripped;
    if (missing != 0)
        warn(r->tool, "%" PRIu64 " of %" PRIu64 " functions of the traces are not in %s (%" PRIu64
             " of them are known by number only)", missing, f.functions, order_binaries(r), f.nameless);
}

/* ----- the table of --evaluate ------------------------------------------------------------------------------------ */

/* A line of the table. Returns 0 after saying what is wrong. */
static int order_row(const order_run *r, FILE *out, const char *name, const uint64_t *id, size_t count,
                     csspgo_layout_score *score)
{
    csspgo_layout_evaluate_options how;
    csspgo_error e;
    memset(&how, 0, sizeof how);
    how.page_bytes = r->o[R_BINARY].text != NULL ? (uint32_t)r->o[R_PAGE].number : 0;
    how.alignment = (uint32_t)r->o[R_ALIGNMENT].number;
    how.test_traces = (uint32_t)r->o[R_TESTS].number;
    how.use_weights = order_weighs(r);
    if (csspgo_layout_evaluate(r->l, id, count, &how, score, &e) != CSSPGO_OK)
        return fail(r->tool, "%s", plain(&e)), 0;
    if (name != NULL)
        fprintf(out, "%-20s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %16" PRIu64 " %10" PRIu64 "\n", name,
                score->pages_10, score->pages_50, score->pages, score->area, score->layout_pages);
    return 1;
}

/* The functions as they were seen first: an ordering of which every exchange is left out. */
static int order_first_seen(const order_run *r, uint64_t *id, size_t *count)
{
    csspgo_layout_order_options how;
    memset(&how, 0, sizeof how);
    how.partition.skip = 1;
    how.test_traces = (uint32_t)r->o[R_TESTS].number;
    how.use_sizes = (uint32_t)r->o[R_SIZES].number;
    how.only_symbols = r->o[R_BINARY].text != NULL && !r->tool->compat;
    how.use_weights = order_weighs(r);
    return csspgo_layout_order(r->l, &how, id, r->count, count, NULL) == CSSPGO_OK;
}

static void order_table_head(const order_run *r, FILE *out, const csspgo_layout_score *score)
{
    csspgo_layout_found f;
    fprintf(out, "%" PRIu64 " traces, %" PRIu64 " functions on average; %zu functions are ordered\n", score->traces,
            score->traces != 0 ? (score->steps + score->unknown) / score->traces : 0, r->count);
    if (r->o[R_BINARY].text != NULL && csspgo_layout_resolve(r->l, &f, NULL) == CSSPGO_OK)
        fprintf(out,
                "%s: %" PRIu64 " symbols; of %" PRIu64 " functions of the traces %" PRIu64 " are there, %" PRIu64
                " with another suffix, %" PRIu64 " are not\n",
                order_binaries(r), f.symbols, f.functions, f.exact + f.stripped, f.stripped,
                f.functions - f.exact - f.stripped);
    fprintf(out, "\n%-20s %10s %10s %10s %16s %10s\n", "pages touched", "10% in", "50% in", "in all", "area",
            "of all");
}

int order_evaluate(const order_run *r, FILE *out)
{
    uint64_t *first = (uint64_t *)malloc((r->count + 1) * sizeof *first);
    csspgo_layout_score score;
    size_t n = 0;
    int ok = (first != NULL && order_first_seen(r, first, &n)) || (fail(r->tool, "out of memory"), 0);
    ok = ok && order_row(r, out, NULL, r->id, r->count, &score);
    if (ok) order_table_head(r, out, &score);
    if (ok && r->o[R_BINARY].text != NULL) ok = order_row(r, out, "as it is linked", NULL, 0, &score);
    ok = ok && order_row(r, out, "first seen first", first, n, &score) &&
         order_row(r, out, "in this order", r->id, r->count, &score);
    free(first);
    return ok;
}

/* ----- JSON ------------------------------------------------------------------------------------------------------- */

static int order_json_row(const order_run *r, json *j, const char *key, const uint64_t *id, size_t count)
{
    csspgo_layout_score s;
    if (!order_row(r, NULL, NULL, id, count, &s)) return 0;
    json_begin(j, key, '{');
    json_count(j, "pages_10_percent", s.pages_10);
    json_count(j, "pages_50_percent", s.pages_50);
    json_count(j, "pages", s.pages);
    json_count(j, "area", s.area);
    json_count(j, "pages_of_all", s.layout_pages);
    json_end(j);
    return 1;
}

static int order_json_pages(const order_run *r, json *j)
{
    uint64_t *first = (uint64_t *)malloc((r->count + 1) * sizeof *first);
    size_t n = 0;
    int ok = (first != NULL && order_first_seen(r, first, &n)) || (fail(r->tool, "out of memory"), 0);
    json_begin(j, "evaluation", '{');
    if (ok && r->o[R_BINARY].text != NULL) ok = order_json_row(r, j, "as_linked", NULL, 0);
    ok = ok && order_json_row(r, j, "first_seen_first", first, n) &&
         order_json_row(r, j, "in_this_order", r->id, r->count);
    json_end(j);
    free(first);
    return ok;
}

int order_json(const order_run *r, FILE *out)
{
    const csspgo_layout_stats stats = csspgo_layout_get_stats(r->l);
    json j = json_to(out);
    size_t i, size;
    int ok = 1;
    json_begin(&j, NULL, '{');
    json_count(&j, "traces", stats.traces);
    json_count(&j, "functions", stats.functions);
    if (r->o[R_EVALUATE].number) ok = order_json_pages(r, &j);
    json_begin(&j, "order", '[');
    for (i = 0; i < r->count; i++) {
        const char *name = csspgo_layout_name(r->l, r->id[i], &size);
        char guid[24];
        if (name == NULL) name = guid, size = (size_t)snprintf(guid, sizeof guid, "%" PRIu64, r->id[i]);
        json_bytes(&j, NULL, name, size);
    }
    json_end(&j);
    json_end(&j);
    return ok;
}
