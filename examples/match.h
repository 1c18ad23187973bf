/* match.h - the command match: a profile of an older build carried over to a new one
 *
 * The new code is what the probe sections of a binary tell of it: per function the ids that are still there, in its own
 * code and wherever it was inlined, what the calls among them call, and, from the branches between them, which execute
 * equally often. Ids in between of which nothing is left are locations of an unknown kind. Include it after csspgo.h,
 * load.h, tool.h and profdata.h. Part of csspgo, same licence.
 */
#ifndef CSSPGO_EXAMPLES_MATCH_H
#define CSSPGO_EXAMPLES_MATCH_H

enum { MT_OLD, MT_P_ALIAS, MT_BINARY, MT_OUTPUT, MT_O_ALIAS, MT_MODE, MT_RENAME, MT_FORMAT, MT_MD5, MT_TOP, MT_QUIET };

static const option match_options[] = {
    { "old-profile", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "p", OPT_ALIAS, "old-profile", 0, NULL, NULL, 0 },
    { "binary", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "output", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "o", OPT_ALIAS, "output", 0, NULL, NULL, 0 },
    { "mode", OPT_CHOICE, "align|lexical|llvm19|llvm-main", CSSPGO_MATCH_ALIGN, NULL, NULL, 0 },
    { "rename", OPT_SWITCH, NULL, 1, NULL, NULL, 0 },
    { "format", OPT_CHOICE, "extbinary|text|binary", 0, NULL, NULL, 0 },
    { "use-md5", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "top", OPT_COUNT, NULL, 10, NULL, NULL, 0 },
    { "quiet", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { NULL, OPT_TEXT, NULL, 0, NULL, NULL, 0 }
};

typedef struct match_site {       /* something a copy of a function has at a probe id */
    uint64_t func, callee;        /* GUIDs; callee 0 = not known                      */
    uint32_t id;
    uint32_t eq;                  /* class of its block; 0 = not known, CONFLICT      */
    csspgo_match_kind kind;
} match_site;

#define MATCH_CONFLICT UINT32_MAX /* two blocks of different classes: unrolled or duplicated */

typedef struct match_symbol {     /* where a function begins */
    uint64_t address, size, guid;
    uint32_t has_probes, index;
} match_symbol;

typedef struct match_old {        /* a function of the profile */
    uint64_t guid;
    csspgo_func func;
} match_old;

typedef struct match_row {        /* a function that lost samples */
    uint64_t guid, samples, lost;
    csspgo_func old;
    int      gone;                /* the new code does not have it */
} match_row;

typedef struct match_run {
    option             o[sizeof match_options / sizeof *match_options];
    loaded             image;
    csspgo_probes     *probes;
    csspgo_profile    *old, *out;
    csspgo_matcher    *matcher;
    csspgo_match_report report;
    match_site        *site;
    match_symbol      *symbol;
    csspgo_match_code *code;
    csspgo_match_loc  *loc;
    uint64_t          *name;      /* GUIDs of the descriptors, ascending */
    match_old         *named;     /* by GUID                             */
    size_t             sites, symbols, codes, names;
} match_run;

/* ----- the new code ----------------------------------------------------------------------------------------------- */

static int match_symbol_order(const void *a, const void *b)
{
    const match_symbol *x = (const match_symbol *)a, *y = (const match_symbol *)b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    if (x->has_probes != y->has_probes) return x->has_probes ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* The name that probes give a symbol's function: its own, or that without what compilers append. */
static uint64_t match_symbol_guid(const match_run *m, const elf_symbol *y)
{
    static const char *const suffixes[] = { ".llvm.", ".resume", ".destroy", ".cleanup" };
    const uint64_t whole = csspgo_guid(y->name, y->name_size);
    size_t i, n;
    if (load_has(m->name, m->names, whole)) return whole;
    for (i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        n = load_strip(y->name, y->name_size, suffixes[i]);
        if (n != 0 && load_has(m->name, m->names, csspgo_guid(y->name, n))) return csspgo_guid(y->name, n);
    }
    return whole;
}

static int match_symbols(match_run *m)
{
    uint32_t i;
    m->symbol = (match_symbol *)malloc(((size_t)m->image.elf.symbol_count + 1) * sizeof *m->symbol);
    for (i = 1; m->symbol != NULL && i < m->image.elf.symbol_count; i++) {
        match_symbol *s = &m->symbol[m->symbols];
        elf_symbol y;
        if (!elf_symbol_at(&m->image.elf, i, &y) || y.type != ELF_FUNC || y.section == ELF_UNDEFINED) continue;
        s->address = y.value;
        s->size = y.size;
        s->guid = match_symbol_guid(m, &y);
        s->has_probes = (uint32_t)load_has(m->name, m->names, s->guid);
        s->index = i;
        m->symbols++;
    }
    if (m->symbol != NULL) qsort(m->symbol, m->symbols, sizeof *m->symbol, match_symbol_order);
    return m->symbol != NULL;
}

/* The function that begins at address, 0 = none: a stub of the linker, or code without symbol. */
static uint64_t match_function_at(const match_run *m, uint64_t address)
{
    size_t a = 0, b = m->symbols;
    while (a < b) {
        const size_t mid = a + (b - a) / 2;
        if (m->symbol[mid].address < address) a = mid + 1;
        else b = mid;
    }
    return a < m->symbols && m->symbol[a].address == address ? m->symbol[a].guid : 0;
}

/* What the call whose probe is at address calls; 0 = not to be told. The probe stands right before the call. */
static uint64_t match_callee(const match_run *m, uint64_t address, elf_section *s)
{
    enum { AHEAD = 8 };           /* instructions, should something have come between them */
    uint64_t at;
    uint32_t i;
    if (s->contents == NULL || address - s->address >= s->size) {
        for (i = 1; i < m->image.elf.section_count; i++) {
            elf_section_at(&m->image.elf, i, s);
            if (s->flags & ELF_SECTION_EXEC && s->contents != NULL && address - s->address < s->size) break;
        }
        if (i == m->image.elf.section_count) return memset(s, 0, sizeof *s), 0;
    }
    for (at = address, i = 0; i < AHEAD && at - s->address < s->size; i++) {
        const size_t off = (size_t)(at - s->address), left = (size_t)s->size - off;
        csspgo_insn insn;
        if (m->image.elf.machine == ELF_X86_64) csspgo_decode_x86_64(s->contents + off, left, at, &insn);
        else csspgo_decode_aarch64(s->contents + off, left, at, &insn);
        if (insn.size == 0 || insn.kind == CSSPGO_RET || insn.kind == CSSPGO_COND) return 0;
        if (insn.kind != CSSPGO_NONE) return insn.has_target ? match_function_at(m, insn.target) : 0;
        at += insn.size;
    }
    return 0;
}

/* ----- which probes execute equally often: from the branches of the machine code ---------------------------------- */

/* Of a byte: begins an instruction; a block; is jumped to. */
enum { MATCH_START = 1, MATCH_LEADER = 2, MATCH_ENTERED = 4 };

typedef struct match_graph {      /* of the code of one symbol */
    const elf_section *section;
    uint64_t           begin;
    size_t             size;
    unsigned char     *flag;      /* per byte            */
    uint32_t          *block;     /* per byte: its block */
    csspgo_match_edge *edge;
    uint32_t          *eq;        /* per block           */
    size_t             blocks, edges, cap;
} match_graph;

static csspgo_insn match_decode(const match_run *m, const match_graph *g, size_t at)
{
    const unsigned char *p = g->section->contents + (size_t)(g->begin - g->section->address) + at;
    const size_t left = g->size - at;
    csspgo_insn insn;
    if (m->image.elf.machine == ELF_X86_64) csspgo_decode_x86_64(p, left, g->begin + at, &insn);
    else csspgo_decode_aarch64(p, left, g->begin + at, &insn);
    if (insn.size == 0) insn.size = insn.skip != 0 && insn.skip <= left ? insn.skip : (uint32_t)left;
    return insn;
}

static int match_inside(const match_graph *g, const csspgo_insn *insn)
{
    return insn->has_target && insn->target - g->begin < g->size;
}

static int match_edge_add(match_graph *g, size_t from, size_t to)
{
    if (g->edges == g->cap) {
        csspgo_match_edge *more = (csspgo_match_edge *)realloc(g->edge, (2 * g->cap + 64) * sizeof *more);
        if (more == NULL) return 0;
        g->edge = more;
        g->cap = 2 * g->cap + 64;
    }
    g->edge[g->edges].from = (uint32_t)from;
    g->edge[g->edges++].to = (uint32_t)to;
    return 1;
}

/* Marks where blocks begin and numbers them. */
static void match_find_blocks(const match_run *m, match_graph *g)
{
    size_t at;
    memset(g->flag, 0, g->size);
    g->flag[0] = MATCH_LEADER | MATCH_ENTERED;
    for (at = 0; at < g->size;) {
        const csspgo_insn insn = match_decode(m, g, at);
        g->flag[at] |= MATCH_START;
        at += insn.size;
        if (insn.kind != CSSPGO_COND && insn.kind != CSSPGO_JMP && insn.kind != CSSPGO_IJMP && insn.kind != CSSPGO_RET)
            continue;
        if (at < g->size) g->flag[at] |= MATCH_LEADER;
        if (insn.kind != CSSPGO_RET && match_inside(g, &insn))
            g->flag[insn.target - g->begin] |= MATCH_LEADER | MATCH_ENTERED;
    }
    for (at = g->blocks = 0; at < g->size; at++) {
        g->blocks += g->flag[at] & MATCH_LEADER ? 1 : 0;
        g->block[at] = (uint32_t)g->blocks - 1;
    }
}

/* An indirect jump goes to all blocks that nothing else leads to: jump tables are not read. */
static int match_find_edges(const match_run *m, match_graph *g)
{
    size_t at, next, to, table = 0;
    int ok = 1;
    for (at = 0; ok && at < g->size; at = next) {
        const csspgo_insn insn = match_decode(m, g, at);
        const size_t from = g->block[at];
        next = at + insn.size;
        if ((insn.kind == CSSPGO_COND || insn.kind == CSSPGO_JMP) && match_inside(g, &insn))
            ok = match_edge_add(g, from, g->block[insn.target - g->begin]);
        if (insn.kind == CSSPGO_IJMP) table++;
        if (insn.kind == CSSPGO_JMP || insn.kind == CSSPGO_IJMP || insn.kind == CSSPGO_RET) continue;
        if (next >= g->size || !(g->flag[next] & MATCH_LEADER)) continue;
        g->flag[next] |= MATCH_ENTERED;
        ok = ok && match_edge_add(g, from, g->block[next]);
    }
    for (at = 0; ok && table != 0 && table < 64 && at < g->size; at = next) {
        const csspgo_insn insn = match_decode(m, g, at);
        next = at + insn.size;
        if (insn.kind != CSSPGO_IJMP) continue;
        for (to = 0; ok && to < g->size; to++)
            if ((g->flag[to] & (MATCH_LEADER | MATCH_ENTERED)) == MATCH_LEADER)
                ok = match_edge_add(g, g->block[at], g->block[to]);
    }
    return ok;
}

/* Of the code of one symbol: classes, numbered on from *classes, of the probes in it that stand for their function. */
static int match_symbol_classes(const match_run *m, const match_symbol *y, const elf_section *s,
                                const uint32_t *by_address, const unsigned char *stands, uint32_t *of,
                                uint32_t *classes)
{
    const csspgo_probe_tables t = csspgo_probes_tables(m->probes);
    match_graph g;
    size_t a = 0, b = t.probe_count, i;
    uint32_t most = 0;
    int ok;
    memset(&g, 0, sizeof g);
    g.section = s;
    g.begin = y->address;
    g.size = (size_t)y->size;
    while (a < b) {
        const size_t mid = a + (b - a) / 2;
        if (t.probes[by_address[mid]].address < g.begin) a = mid + 1;
        else b = mid;
    }
    if (a == t.probe_count || t.probes[by_address[a]].address - g.begin >= g.size) return 1;
    g.flag = (unsigned char *)malloc(g.size);
    g.block = (uint32_t *)malloc(g.size * sizeof *g.block);
    ok = g.flag != NULL && g.block != NULL;
    if (ok) match_find_blocks(m, &g);
    ok = ok && match_find_edges(m, &g) && (g.eq = (uint32_t *)malloc(g.blocks * sizeof *g.eq)) != NULL &&
         csspgo_match_classes(NULL, g.blocks, g.edge, g.edges, g.eq, NULL) == CSSPGO_OK;
    for (i = a; ok && i < t.probe_count && t.probes[by_address[i]].address - g.begin < g.size; i++) {
        const csspgo_probe *p = &t.probes[by_address[i]];
        const uint32_t eq = g.eq[g.block[p->address - g.begin]];
        if (eq > most) most = eq;
        if (p->inline_node != 0 && stands[p->inline_node - 1] && eq != 0) of[by_address[i]] = *classes + eq;
    }
    *classes += most;
    free(g.flag);
    free(g.block);
    free(g.edge);
    free(g.eq);
    return ok;
}

static int match_inline_order(const void *a, const void *b)
{
    const match_site *x = (const match_site *)a, *y = (const match_site *)b;
    if (x->func != y->func) return x->func < y->func ? -1 : 1;
    if (x->id != y->id) return x->id > y->id ? -1 : 1;
    return x->eq < y->eq ? -1 : x->eq > y->eq;
}

/* Per inline node 1 if it is the copy of its function with the most probes. NULL when memory is exhausted. */
static unsigned char *match_best_copies(const csspgo_probe_tables *t)
{
    unsigned char *best = (unsigned char *)calloc(t->inline_count + 1, 1);
    match_site *v = (match_site *)calloc(t->inline_count + 1, sizeof *v);   /* id: probes, eq: node */
    size_t i;
    for (i = 0; v != NULL && i < t->inline_count; i++) {
        v[i].func = t->inlines[i].guid;
        v[i].eq = (uint32_t)i;
    }
    for (i = 0; v != NULL && i < t->probe_count; i++)
        if (t->probes[i].inline_node != 0) v[t->probes[i].inline_node - 1].id++;
    if (v != NULL) qsort(v, t->inline_count, sizeof *v, match_inline_order);
    for (i = 0; v != NULL && best != NULL && i < t->inline_count; i++)
        if (i == 0 || v[i - 1].func != v[i].func) best[v[i].eq] = 1;
    if (v == NULL) {
        free(best);
        best = NULL;
    }
    free(v);
    return best;
}

/* Per probe its class, 0 = not known; NULL when memory is exhausted. */
static uint32_t *match_classes(match_run *m)
{
    const csspgo_probe_tables t = csspgo_probes_tables(m->probes);
    const uint32_t *by_address = csspgo_probes_by_address(m->probes);
    uint32_t *of = (uint32_t *)calloc(t.probe_count + 1, sizeof *of), classes = 0, i;
    unsigned char *stands = match_best_copies(&t);
    uint64_t done = 0;
    size_t k;
    int ok = of != NULL && stands != NULL && (by_address != NULL || t.probe_count == 0);
    for (k = 0; ok && k < m->symbols; k++) {
        const match_symbol *y = &m->symbol[k];
        elf_section s;
        if (y->size == 0 || y->size > ((uint64_t)1 << 24) || y->address < done) continue;
        for (i = 1; i < m->image.elf.section_count; i++) {
            elf_section_at(&m->image.elf, i, &s);
            if (s.flags & ELF_SECTION_EXEC && s.contents != NULL && y->address - s.address < s.size &&
                y->size <= s.size - (y->address - s.address))
                break;
        }
        if (i == m->image.elf.section_count) continue;
        ok = match_symbol_classes(m, y, &s, by_address, stands, of, &classes);
        done = y->address + y->size;
    }
    free(stands);
    if (ok) return of;
    free(of);
    return NULL;
}

static int match_site_order(const void *a, const void *b)
{
    const match_site *x = (const match_site *)a, *y = (const match_site *)b;
    if (x->func != y->func) return x->func < y->func ? -1 : 1;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    if (x->kind != y->kind) return x->kind > y->kind ? -1 : 1;   /* indirect, direct, block */
    return x->callee > y->callee ? -1 : x->callee < y->callee;   /* what is known first     */
}

/* Everything the sections say of any copy of any function, by function and id, each id once. */
static int match_sites(match_run *m)
{
    const csspgo_probe_tables t = csspgo_probes_tables(m->probes);
    elf_section s;
    size_t i, n = 0, k = 0;
    match_site *v = (match_site *)calloc(t.probe_count + t.inline_count + 1, sizeof *v);
    uint32_t *eq = match_classes(m);
    memset(&s, 0, sizeof s);
    m->site = v;
    if (v == NULL || eq == NULL) return free(eq), 0;
    for (i = 0; i < t.probe_count; i++) {
        const csspgo_probe *p = &t.probes[i];
        if (p->id == 0 || p->id > 0xffff || p->inline_node == 0) continue;
        v[n].func = t.inlines[p->inline_node - 1].guid;
        v[n].id = p->id;
        v[n].eq = eq[i];
        v[n].kind = p->kind == CSSPGO_PROBE_BLOCK ? CSSPGO_MATCH_BLOCK
                    : p->kind == CSSPGO_PROBE_INDIRECT_CALL ? CSSPGO_MATCH_INDIRECT : CSSPGO_MATCH_CALL;
        v[n].callee = v[n].kind == CSSPGO_MATCH_CALL ? match_callee(m, p->address, &s) : 0;
        n++;
    }
    for (i = 0; i < t.inline_count; i++) {
        if (t.inlines[i].parent == 0 || t.inlines[i].site == 0 || t.inlines[i].site > 0xffff) continue;
        v[n].func = t.inlines[t.inlines[i].parent - 1].guid;
        v[n].id = t.inlines[i].site;
        v[n].kind = CSSPGO_MATCH_CALL;
        v[n++].callee = t.inlines[i].guid;
    }
    free(eq);
    qsort(v, n, sizeof *v, match_site_order);
    for (i = 0; i < n; i++) {
        if (k == 0 || v[k - 1].func != v[i].func || v[k - 1].id != v[i].id) {
            v[k++] = v[i];
            continue;
        }
        if (v[k - 1].eq == 0) v[k - 1].eq = v[i].eq;
        else if (v[i].eq != 0 && v[i].eq != v[k - 1].eq) v[k - 1].eq = MATCH_CONFLICT;
        if (v[i].kind == CSSPGO_MATCH_CALL && v[k - 1].kind == CSSPGO_MATCH_CALL && v[i].callee != 0 &&
                   v[i].callee != v[k - 1].callee) {
            v[k - 1].kind = CSSPGO_MATCH_INDIRECT;    /* a promoted call */
        }
    }
    m->sites = k;
    return 1;
}

static size_t match_sites_of(const match_run *m, uint64_t func)
{
    size_t a = 0, b = m->sites;
    while (a < b) {
        const size_t mid = a + (b - a) / 2;
        if (m->site[mid].func < func) a = mid + 1;
        else b = mid;
    }
    return a;
}

/* One function per descriptor: ids from 1 to the last one there is a trace of. */
static int match_code(match_run *m)
{
    const csspgo_probe_tables t = csspgo_probes_tables(m->probes);
    size_t i, k, used = 0, all = 0;
    for (i = 0; i < m->sites; i++)
        if (i + 1 == m->sites || m->site[i + 1].func != m->site[i].func) all += m->site[i].id;
    m->loc = (csspgo_match_loc *)calloc(all + 1, sizeof *m->loc);
    m->code = (csspgo_match_code *)calloc(t.descriptor_count + 1, sizeof *m->code);
    if (m->loc == NULL || m->code == NULL) return 0;
    for (i = 0; i < t.descriptor_count; i++) {
        const csspgo_descriptor *d = &t.descriptors[i];
        csspgo_match_code *c = &m->code[m->codes++];
        const int named = d->name_size != 0 && csspgo_guid(d->name, d->name_size) == d->guid;
        c->name = named ? d->name : NULL;
        c->name_size = named ? d->name_size : 0;
        c->guid = d->guid;
        c->checksum = d->checksum;
        c->loc = m->loc + used;
        for (k = match_sites_of(m, d->guid); k < m->sites && m->site[k].func == d->guid; k++) {
            csspgo_match_loc *l;
            for (; c->locs < m->site[k].id; c->locs++, used++) {
                m->loc[used].loc = csspgo_at((uint32_t)c->locs + 1, 0);
                m->loc[used].kind = CSSPGO_MATCH_ANY;
            }
            l = &m->loc[used - 1];
            l->kind = m->site[k].kind;
            l->callee = m->site[k].callee;
            l->eq = m->site[k].eq != MATCH_CONFLICT ? m->site[k].eq : 0;
        }
    }
    return 1;
}

/* Returns 0 after saying what is wrong. */
static int match_load(match_run *m)
{
    const char *path = m->o[MT_BINARY].text;
    csspgo_probe_tables t;
    char why[256];
    size_t i;
    if (!file_open(path, &m->image.file)) return fail("%s: %s", path, strerror(errno)), 0;
    if (!elf_open(m->image.file.data, m->image.file.size, &m->image.elf, why, sizeof why) ||
        (m->probes = load_sections(&m->image, why, sizeof why)) == NULL)
        return fail("%s: %s", path, why), 0;
    if (m->image.elf.machine != ELF_X86_64 && m->image.elf.machine != ELF_AARCH64)
        return fail("%s: neither x86-64 nor AArch64", path), 0;
    t = csspgo_probes_tables(m->probes);
    m->name = (uint64_t *)malloc((t.descriptor_count + 1) * sizeof *m->name);
    for (i = 0; m->name != NULL && i < t.descriptor_count; i++) m->name[m->names++] = t.descriptors[i].guid;
    if (m->name != NULL) qsort(m->name, m->names, sizeof *m->name, load_u64_cmp);
    if (m->name == NULL || !match_symbols(m) || !match_sites(m) || !match_code(m)) return fail("out of memory"), 0;
    return 1;
}

/* ----- the report ------------------------------------------------------------------------------------------------- */

static uint64_t match_body_sum(const csspgo_profile *p, csspgo_func f)
{
    csspgo_node v;
    uint64_t sum = 0;
    size_t i, n;
    for (v = csspgo_func_nodes(p, f); v.id != 0; v = csspgo_node_next_same(p, v)) {
        const csspgo_body *b = csspgo_bodies(p, v, &n);
        for (i = 0; i < n; i++) sum = sum_of(sum, b[i].count);
    }
    return sum;
}

static int match_old_order(const void *a, const void *b)
{
    const match_old *x = (const match_old *)a, *y = (const match_old *)b;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    return x->func.id < y->func.id ? -1 : x->func.id > y->func.id;
}

static int match_name_old(match_run *m)
{
    csspgo_func f;
    m->named = (match_old *)malloc((csspgo_func_count(m->old) + (size_t)1) * sizeof *m->named);
    for (f.id = 1; m->named != NULL && f.id <= csspgo_func_count(m->old); f.id++) {
        m->named[f.id - 1].guid = csspgo_func_guid(m->old, f);
        m->named[f.id - 1].func = f;
    }
    if (m->named != NULL) qsort(m->named, csspgo_func_count(m->old), sizeof *m->named, match_old_order);
    return m->named != NULL;
}

/* A function of the profile that has this GUID; there is one. */
static csspgo_func match_old_func(const match_run *m, uint64_t guid)
{
    size_t a = 0, b = csspgo_func_count(m->old);
    while (a + 1 < b) {
        const size_t mid = a + (b - a) / 2;
        if (m->named[mid].guid <= guid) a = mid;
        else b = mid;
    }
    return m->named[a].func;
}

static int match_row_order(const void *a, const void *b)
{
    const match_row *x = (const match_row *)a, *y = (const match_row *)b;
    if (x->lost != y->lost) return x->lost > y->lost ? -1 : 1;
    return x->old.id < y->old.id ? -1 : x->old.id > y->old.id;
}

static void match_why(const match_run *m, const match_row *r, FILE *out)
{
    const csspgo_match_function f = csspgo_matcher_about(m->matcher, r->guid);
    if (r->gone) fprintf(out, "no such function in the new program, nor one like it");
    else if (f.locations == 0) fprintf(out, "the binary has no code of it");
    else if (f.lost_calls != 0)
        fprintf(out, "%u of %u call sites not found, %u of %u new locations are not in the profile", f.lost_calls,
                f.calls, f.unknown, f.locations);
    else fprintf(out, "%u of %u new locations are not in the profile", f.unknown, f.locations);
}

static void match_worst(match_run *m, match_row *row, size_t n, FILE *out)
{
    const size_t top = (size_t)m->o[MT_TOP].number;
    size_t i;
    qsort(row, n, sizeof *row, match_row_order);
    if (n == 0 || top == 0) return;
    fprintf(out, "%16s %16s  %s\n", "lost samples", "of", "function");
    for (i = 0; i < n && i < top; i++) {
        fprintf(out, "%16" PRIu64 " %16" PRIu64 "  ", row[i].lost, row[i].samples);
        put_name_safe(m->old, row[i].old, out);
        fputs(": ", out);
        match_why(m, &row[i], out);
        fputc('\n', out);
    }
    if (n > top) fprintf(out, "%zu more functions lost samples\n", n - top);
}

typedef struct match_line {       /* a row of the first table */
    const char *what;
    uint64_t    functions, samples, kept;
} match_line;

static void match_count(match_line *l, uint64_t samples, uint64_t lost)
{
    l->functions++;
    l->samples = sum_of(l->samples, samples);
    l->kept = sum_of(l->kept, samples - lost);
}

/* Functions of the new code that have a profile. Their GUIDs in it, ascending: to claimed; those that lost: to row. */
static size_t match_rows_here(const match_run *m, match_line *line, uint64_t *claimed, match_row *row, size_t *rows)
{
    size_t i, n = 0;
    for (i = 0; i < m->codes; i++) {
        const csspgo_match_function a = csspgo_matcher_about(m->matcher, m->code[i].guid);
        if (!a.known) continue;
        match_count(&line[a.renamed ? 2 : a.stale ? 1 : 0], a.samples, a.lost_samples);
        claimed[n++] = a.profile;
        if (a.lost_samples == 0) continue;
        row[*rows].guid = m->code[i].guid;
        row[*rows].samples = a.samples;
        row[*rows].lost = a.lost_samples;
        row[(*rows)++].old = match_old_func(m, a.profile);
    }
    qsort(claimed, n, sizeof *claimed, load_u64_cmp);
    return n;
}

/* Functions of the profile that no function of the new code claims. */
static void match_rows_gone(const match_run *m, match_line *line, const uint64_t *claimed, size_t n, match_row *row,
                            size_t *rows)
{
    csspgo_func f;
    for (f.id = 1; f.id <= csspgo_func_count(m->old); f.id++) {
        const uint64_t guid = csspgo_func_guid(m->old, f), sum = match_body_sum(m->old, f);
        if (csspgo_func_nodes(m->old, f).id == 0 || load_has(claimed, n, guid)) continue;
        match_count(&line[3], sum, sum);
        row[*rows].guid = guid;
        row[*rows].samples = row[*rows].lost = sum;
        row[*rows].gone = 1;
        row[(*rows)++].old = f;
    }
}

static void match_print_lines(const match_run *m, match_line *line, FILE *out)
{
    size_t i;
    for (i = 0; i < 4; i++) {
        line[4].functions += line[i].functions;
        line[4].samples = sum_of(line[4].samples, line[i].samples);
        line[4].kept = sum_of(line[4].kept, line[i].kept);
    }
    fprintf(out, "%-20s %9s %16s %16s %7s\n", "profiled functions", "number", "samples", "kept", "share");
    for (i = 0; i < 5; i++)
        fprintf(out, "%-20s %9" PRIu64 " %16" PRIu64 " %16" PRIu64 " %6.1f%%\n", line[i].what, line[i].functions,
                line[i].samples, line[i].kept, percent(line[i].kept, line[i].samples));
    fprintf(out, "call sites: %" PRIu64 " of %" PRIu64 " had moved or gone, %" PRIu64 " of these were found\n",
            m->report.mismatched_callsites + m->report.recovered_callsites, m->report.callsites,
            m->report.recovered_callsites);
}

static void match_print_renames(const match_run *m, FILE *out)
{
    size_t i;
    for (i = 0; i < m->codes; i++) {
        const csspgo_match_code *c = &m->code[i];
        const csspgo_match_function a = csspgo_matcher_about(m->matcher, c->guid);
        if (!a.renamed) continue;
        fputs("renamed: ", out);
        put_name_safe(m->old, match_old_func(m, a.profile), out);
        if (c->name != NULL) fprintf(out, " is now %.*s\n", (int)c->name_size, c->name);
        else fprintf(out, " is now %" PRIu64 "\n", c->guid);
    }
}

static int match_print(match_run *m, FILE *out)
{
    match_line line[] = { { "unchanged", 0, 0, 0 }, { "stale", 0, 0, 0 }, { "renamed", 0, 0, 0 },
                          { "not in the program", 0, 0, 0 }, { "all", 0, 0, 0 } };
    const size_t most = csspgo_func_count(m->old) + m->codes + (size_t)1;
    match_row *row = (match_row *)calloc(most, sizeof *row);
    uint64_t *claimed = (uint64_t *)malloc(most * sizeof *claimed);
    size_t rows = 0, n;
    const int ok = row != NULL && claimed != NULL && match_name_old(m);
    if (ok) {
        n = match_rows_here(m, line, claimed, row, &rows);
        match_rows_gone(m, line, claimed, n, row, &rows);
        match_print_lines(m, line, out);
        match_print_renames(m, out);
        match_worst(m, row, rows, out);
    }
    free(row);
    free(claimed);
    return ok ? 0 : fail("out of memory");
}

/* ----- the command ------------------------------------------------------------------------------------------------ */

static int match_write(match_run *m)
{
    static const uint32_t forms[] = { CSSPGO_EXTBINARY, CSSPGO_TEXT, CSSPGO_BINARY };
    const char *path = m->o[MT_OUTPUT].text;
    uint32_t form = forms[m->o[MT_FORMAT].number];
    csspgo_error e;
    if (path == NULL) return 0;
    if (m->o[MT_MD5].number && form == CSSPGO_EXTBINARY) form |= CSSPGO_MD5;
    else if (m->o[MT_MD5].number) warn("--use-md5 is ignored. Specify --format=extbinary to enable it");
    return write_profile(m->out, path, form, &e) == CSSPGO_OK ? 0 : fail_at(path, &e);
}

/* Returns the exit status. */
static int match_do(match_run *m)
{
    const char *path = m->o[MT_OLD].text;
    const int to_stdout = m->o[MT_OUTPUT].text != NULL && strcmp(m->o[MT_OUTPUT].text, "-") == 0;
    csspgo_match_options how;
    csspgo_error e;
    reading r;
    int fatal, status;
    memset(&r, 0, sizeof r);
    memset(&how, 0, sizeof how);
    r.mask = UINT32_MAX;
    how.mode = (csspgo_match_mode)m->o[MT_MODE].number;
    how.rename = m->o[MT_RENAME].text == NULL ? 0 : m->o[MT_RENAME].number ? 1 : 2;
    m->old = profile_read(path, &r, &fatal);
    if (m->old == NULL) return 1;
    if (!(csspgo_profile_flags(m->old) & CSSPGO_IS_PROBE))
        return fail("%s: a profile by source lines; this command needs one by probes", path);
    if (!match_load(m)) return 1;
    m->out = profile_new();
    if (m->out == NULL) return 1;
    m->matcher = csspgo_matcher_new(NULL, &how);
    if (m->matcher == NULL) return fail("out of memory");
    if (csspgo_matcher_module(m->matcher, m->old, m->code, m->codes, &m->report, &e) != CSSPGO_OK ||
        csspgo_matcher_apply(m->matcher, m->old, m->out, NULL, &e) != CSSPGO_OK)
        return fail("%s: %s", path, e.message);
    status = match_write(m);
    if (status == 0 && !quiet) status = match_print(m, to_stdout ? stderr : stdout);
    return status;
}

static int match_main(int argc, char **argv)
{
    static match_run m;
    int status = 2, files;
    memcpy(m.o, match_options, sizeof match_options);
    files = options_parse(m.o, argc, argv);
    quiet = (int)m.o[MT_QUIET].number;
    if (files > 0) usage("'%s' is no option; give --old-profile and --binary", argv[0]);
    else if (files == 0 && m.o[MT_OLD].text == NULL) usage("--old-profile is missing");
    else if (files == 0 && m.o[MT_BINARY].text == NULL) usage("--binary is missing");
    else if (files == 0) status = match_do(&m);
    csspgo_matcher_free(m.matcher);
    csspgo_probes_free(m.probes);
    csspgo_profile_free(m.old);
    csspgo_profile_free(m.out);
    load_free(&m.image);
    free(m.site);
    free(m.symbol);
    free(m.code);
    free(m.loc);
    free(m.name);
    free(m.named);
    options_free(m.o);
    return status;
}

#endif
