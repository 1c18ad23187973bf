/* load.c - match and check: the programs and libraries whose functions a profile has, one or several together */
#include "match.h"

/* ----- one program ------------------------------------------------------------------------------------------------ */

/* Reads a program for the profile that was read. Returns 0 after saying what is wrong. */
static int match_load_one(match_run *m)
{
    const char *path = m->binary;
    csspgo_probe_tables t;
    char why[PROGRAM_WHY];
    size_t i;
    if (!program_open(m->tool, &m->image, path, why, sizeof why))
        return kind_program_fail(m->tool, path, option_named(m->o, "debug-binary", 12), why), 0;
    m->dynamic = elf_dynamic(&m->image.elf);
    if (m->image.elf.machine != ELF_X86_64 && m->image.elf.machine != ELF_AARCH64)
        return fail(m->tool, "%s: neither x86-64 nor AArch64", path), 0;
    if (!(csspgo_profile_flags(m->old) & CSSPGO_IS_PROBE))
        return match_by_line(m, why, sizeof why) || (fail(m->tool, "%s: %s", path, why), 0);
    if (load_regions_of(&m->image) == NULL) return fail(m->tool, "out of memory"), 0;
    m->probes = load_sections(&m->image, why, sizeof why);
    if (m->probes == NULL) return fail(m->tool, "%s: %s", path, why), 0;
    if (!load_owners(&m->image, m->probes)) return fail(m->tool, "out of memory"), 0;
    t = csspgo_probe_set_tables(m->probes);
    if (m->image.unnamed != 0)
        warn(m->tool, "%s: %zu of %zu probe records have no symbol; the code of %zu was found by its shape%s "
             "(--debug-binary=FILE: symbols from there)", path, m->image.unnamed, t.record_count, m->image.found,
             m->image.found < m->image.unnamed ? ", what the others call and who calls them is not known" : "");
    if (csspgo_probe_set_get_stats(m->probes).no_base != 0 && !match_without_code(m)) return 0;
    t = csspgo_probe_set_tables(m->probes);
    m->name = (uint64_t *)malloc((t.descriptor_count + 1) * sizeof *m->name);
    for (i = 0; m->name != NULL && i < t.descriptor_count; i++) m->name[m->names++] = t.descriptors[i].guid;
    if (m->name != NULL) qsort(m->name, m->names, sizeof *m->name, load_u64_cmp);
    if (m->name == NULL || !match_symbols(m) || !match_slots(m) || !match_map(m))
        return fail(m->tool, "out of memory"), 0;
    return 1;
}

/* ----- several programs ------------------------------------------------------------------------------------------- */

typedef struct join_code {        /* a function of one of the programs */
    const csspgo_match_code *code;
    const match_run  *of;
    size_t            place;      /* among those of all programs, in their order */
    int               listed;     /* `joined` stands for all functions of its name */
    csspgo_match_code joined;
} join_code;

struct match_join {
    join_code         *v;         /* by name, then place */
    size_t             n;
    match_old         *old;       /* functions of the profile, by GUID */
    csspgo_match_code *code;
    csspgo_match_loc  *loc;       /* of functions that several programs have */
    csspgo_match_cfg  *cfg;
    size_t             locs, differ;
};

static int join_order(const void *a, const void *b)
{
    const join_code *x = (const join_code *)a, *y = (const join_code *)b;
    if (x->code->guid != y->code->guid) return x->code->guid < y->code->guid ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int join_place_order(const void *a, const void *b)
{
    const join_code *x = (const join_code *)a, *y = (const join_code *)b;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* By location; a call before a block, which before what has left no trace. */
static int join_loc_order(const void *a, const void *b)
{
    static const int rank[] = { 2, 0, 1, 3 };
    const csspgo_match_loc *x = (const csspgo_match_loc *)a, *y = (const csspgo_match_loc *)b;
    if (x->loc.line != y->loc.line) return x->loc.line < y->loc.line ? -1 : 1;
    if (x->loc.discriminator != y->loc.discriminator) return x->loc.discriminator < y->loc.discriminator ? -1 : 1;
    if (rank[x->kind] != rank[y->kind]) return rank[x->kind] < rank[y->kind] ? -1 : 1;
    return x->callee < y->callee ? -1 : x->callee > y->callee;
}

static int is_same_flow(const csspgo_match_code *a, const csspgo_match_code *b)
{
    return a->checksum == b->checksum && (a->flags & CSSPGO_MATCH_NO_CHECKSUM) == (b->flags & CSSPGO_MATCH_NO_CHECKSUM);
}

static int join_old_order(const void *a, const void *b)
{
    const match_old *x = (const match_old *)a, *y = (const match_old *)b;
    return x->guid < y->guid ? -1 : x->guid > y->guid;
}

/* Functions of the profile, to be found by GUID. Returns 0 without memory. */
static int join_index(const match_run *m, match_join *j)
{
    const size_t n = csspgo_func_count(m->old);
    csspgo_func f;
    j->old = (match_old *)calloc(n + 1, sizeof *j->old);
    for (f.id = 1; j->old != NULL && f.id <= n; f.id++) {
        j->old[f.id - 1].guid = csspgo_func_guid(m->old, f);
        j->old[f.id - 1].func = f;
    }
    if (j->old != NULL && n != 0) qsort(j->old, n, sizeof *j->old, join_old_order);
    return j->old != NULL;
}

/* The samples that the profile has of a function with this checksum. */
static uint64_t join_samples(const match_run *m, const match_join *j, uint64_t guid, uint64_t checksum)
{
    const size_t n = csspgo_func_count(m->old);
    size_t i = first_from(j->old, n, sizeof *j->old, guid);
    uint64_t sum = 0;
    csspgo_node v;
    for (; i < n && j->old[i].guid == guid; i++)
        for (v = csspgo_func_nodes(m->old, j->old[i].func); v.id != 0; v = csspgo_node_next_same(m->old, v))
            if (csspgo_checksum(m->old, v) == checksum) sum = sum_of(sum, csspgo_total(m->old, v));
    return sum;
}

/* Which of functions of one name with several control flows it is: that with most samples, else the first. */
static size_t join_choose(const match_run *m, const match_join *j, const join_code *v, size_t n)
{
    uint64_t most = 0;
    size_t i, best = 0;
    for (i = 0; i < n; i++) {
        const uint64_t samples = join_samples(m, j, v[i].code->guid, v[i].code->checksum);
        if (samples > most) most = samples, best = i;
    }
    return best;
}

/* The locations of all that are like the chosen one: an inlinee may be in the code of one program only. */
static void join_locations(match_join *j, const join_code *v, size_t n, size_t best, csspgo_match_code *to)
{
    csspgo_match_loc *const loc = j->loc + j->locs;
    size_t i, k, count = 0, kept = 0;
    for (i = 0; i < n; i++)
        for (k = 0; is_same_flow(v[i].code, v[best].code) && k < v[i].code->locs; k++) {
            loc[count] = v[i].code->loc[k];
            if (i != best) loc[count].eq = loc[count].under = 0;         /* classes are numbered per program */
            count++;
        }
    qsort(loc, count, sizeof *loc, join_loc_order);
    for (i = 0; i < count; i++) {
        csspgo_match_loc *const last = kept != 0 ? &loc[kept - 1] : NULL, next = loc[i];
        if (last == NULL || last->loc.line != next.loc.line || last->loc.discriminator != next.loc.discriminator) {
            loc[kept++] = next;
        } else if (last->kind == CSSPGO_MATCH_CALL && next.kind == CSSPGO_MATCH_CALL && last->callee != next.callee) {
            last->kind = CSSPGO_MATCH_INDIRECT;
            last->callee = 0;
        }
    }
    to->loc = loc;
    to->locs = kept;
    j->locs += kept;
}

/* Joins the functions of each name. */
static void join_codes(const match_run *m, match_join *j)
{
    size_t i, k;
    for (i = 0; i < j->n; i = k) {
        size_t best = 0, other = 0;
        for (k = i + 1; k < j->n && j->v[k].code->guid == j->v[i].code->guid; k++)
            other += !is_same_flow(j->v[k].code, j->v[i].code);
        if (other != 0) best = join_choose(m, j, &j->v[i], k - i);
        j->differ += other != 0;
        j->v[i + best].listed = 1;
        j->v[i + best].joined = *j->v[i + best].code;
        if (k - i > 1) join_locations(j, &j->v[i], k - i, best, &j->v[i + best].joined);
    }
}

/* The functions of all programs. Returns 0 without memory. */
static int join_list(const match_run *m, match_join *j)
{
    size_t i, k, n = m->codes, locs = 0;
    for (i = 0; i < m->parts; i++) n += m->part[i].codes;
    j->v = (join_code *)calloc(n + 1, sizeof *j->v);
    for (i = 0; j->v != NULL && i <= m->parts; i++) {
        const match_run *const of = i == 0 ? m : &m->part[i - 1];
        for (k = 0; k < of->codes; k++) {
            join_code *const v = &j->v[j->n];
            v->code = &of->code[k];
            v->of = of;
            v->place = j->n++;
            locs += v->code->locs;
        }
    }
    j->loc = (csspgo_match_loc *)calloc(locs + 1, sizeof *j->loc);
    if (j->v != NULL && j->n != 0) qsort(j->v, j->n, sizeof *j->v, join_order);
    return j->v != NULL && j->loc != NULL;
}

/* m->code becomes one function for each name, in the order of the programs. Returns 0 without memory. */
static int join_make(match_run *m)
{
    match_join *const j = m->join;
    size_t i, n = 0;
    if (j == NULL || !join_index(m, j) || !join_list(m, j)) return 0;
    j->code = (csspgo_match_code *)calloc(j->n + 1, sizeof *j->code);
    if (j->code == NULL) return 0;
    join_codes(m, j);
    if (j->n != 0) qsort(j->v, j->n, sizeof *j->v, join_place_order);
    for (i = 0; i < j->n; i++)
        if (j->v[i].listed) j->code[n++] = j->v[i].joined;
    if (j->n != 0) qsort(j->v, j->n, sizeof *j->v, join_order);
    m->code = j->code;
    m->codes = n;
    return 1;
}

static void match_join_free(match_join *j)
{
    if (j == NULL) return;
    free(j->v);
    free(j->old);
    free(j->code);
    free(j->loc);
    free(j->cfg);
    free(j);
}

/* 1 if a function is as this program has it. */
static int join_is_of(const match_join *j, const match_run *of, uint64_t guid)
{
    size_t a = 0, b = j->n;
    while (a < b) {
        const size_t mid = a + (b - a) / 2;
        if (j->v[mid].code->guid < guid) a = mid + 1;
        else b = mid;
    }
    for (; a < j->n && j->v[a].code->guid == guid; a++)
        if (j->v[a].listed) return j->v[a].of == of;
    return 0;
}

const csspgo_match_cfg *match_cfgs(match_run *m, size_t *n, csspgo_error *e)
{
    match_join *const j = m->join;
    size_t i, k, count, all = 0;
    const csspgo_match_cfg *cfg = csspgo_match_input_cfgs(m->input, n, e);
    if (j == NULL || cfg == NULL) return cfg;
    for (i = 0; i <= m->parts; i++) {
        match_run *const of = i == 0 ? m : &m->part[i - 1];
        csspgo_match_cfg *more;
        cfg = csspgo_match_input_cfgs(of->input, &count, e);
        if (cfg == NULL) return NULL;
        more = (csspgo_match_cfg *)realloc(j->cfg, (all + count + 1) * sizeof *more);
        if (more == NULL) return snprintf(e->message, sizeof e->message, "out of memory"), (csspgo_match_cfg *)NULL;
        j->cfg = more;
        for (k = 0; k < count; k++)
            if (join_is_of(j, of, cfg[k].guid)) j->cfg[all++] = cfg[k];
    }
    *n = all;
    return j->cfg;
}

/* ----- all of them ------------------------------------------------------------------------------------------------ */

/* "a, b and c": what messages call the programs, for free(). NULL: no memory. */
static char *join_names(const option *binaries)
{
    size_t i, n = 1;
    char *text;
    for (i = 0; i < binaries->count; i++) n += strlen(binaries->list[i]) + 5;
    text = (char *)malloc(n);
    if (text == NULL) return NULL;
    text[0] = '\0';
    for (i = 0; i < binaries->count; i++) {
        if (i != 0) strcat(text, i + 1 == binaries->count ? " and " : ", ");
        strcat(text, binaries->list[i]);
    }
    return text;
}

/* Reads the programs for the profile that was read. Returns 0 after saying what is wrong. */
int match_load(match_run *m, const option *binaries)
{
    size_t i;
    m->binary = binaries->list[0];
    m->shown = join_names(binaries);
    m->part = (match_run *)calloc(binaries->count, sizeof *m->part);
    if (m->part == NULL || m->shown == NULL) return fail(m->tool, "out of memory"), 0;
    if (!match_load_one(m)) return 0;
    for (i = 1; i < binaries->count; i++) {
        match_run *const part = &m->part[m->parts++];
        int ok;
        part->tool = m->tool;
        part->o = m->o;
        part->binary = binaries->list[i];
        part->old = m->old;
        ok = match_load_one(part);
        part->old = NULL;
        if (!ok) return 0;
    }
    if (m->parts == 0) return 1;
    m->join = (match_join *)calloc(1, sizeof *m->join);
    if (!join_make(m)) return fail(m->tool, "out of memory"), 0;
    if (m->join->differ != 0)
        warn(m->tool, "functions that have several control flows in %s: %zu; the one with the most samples counts",
             m->shown, m->join->differ);
    return 1;
}

/* All but m->o. */
void match_free(match_run *m)
{
    while (m->parts != 0) match_free(&m->part[--m->parts]);
    free(m->part);
    free(m->shown);
    match_join_free(m->join);
    csspgo_matcher_free(m->matcher);
    csspgo_match_input_free(m->input);
    match_lines_free(m->lines);
    csspgo_probe_set_free(m->probes);
    csspgo_profile_free(m->old);
    csspgo_profile_free(m->out);
    load_free(&m->image);
    free(m->symbol);
    free(m->slot);
    free(m->name);
    free(m->named);
}
