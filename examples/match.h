/* match.h - the command match: a profile of an older build carried over to a new one
 *
 * The new code is what the probe sections of a binary tell of it: per function the ids that are still there, in its own
 * code and wherever it was inlined, what the calls among them call, and, from the branches between them, which execute
 * equally often. Ids in between of which nothing is left are locations of an unknown kind. Include it after csspgo.h,
 * load.h, tool.h and profdata.h. Part of csspgo, same licence.
 */
#ifndef CSSPGO_EXAMPLES_MATCH_H
#define CSSPGO_EXAMPLES_MATCH_H

enum {
    MT_OLD, MT_P_ALIAS, MT_BINARY, MT_DEBUG_BINARY, MT_OUTPUT, MT_O_ALIAS, MT_MODE, MT_RENAME, MT_FORMAT, MT_MD5,
    MT_TOP, MT_QUIET
};

static const option match_options[] = {
    { "old-profile", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "p", OPT_ALIAS, "old-profile", 0, NULL, NULL, 0 },
    { "binary", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "debug-binary", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "output", OPT_TEXT, NULL, 0, NULL, NULL, 0 },
    { "o", OPT_ALIAS, "output", 0, NULL, NULL, 0 },
    { "mode", OPT_CHOICE, "align|lexical|llvm19|llvm-main", 0, NULL, NULL, 0 },
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

typedef struct match_base {       /* where the code of a top-level probe record is, for a binary without symbols */
    uint64_t address, size;       /* address: MATCH_NOWHERE or above = not found */
} match_base;

#define MATCH_NOWHERE ((uint64_t)1 << 63)    /* addresses from here on stand for unknown ones */

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
    match_base        *base;      /* per record of probes; NULL: symbols tell */
    elf_image          dynamic;   /* with the symbols of .dynsym              */
    match_symbol      *slot;      /* of the global offset table: what the dynamic linker puts there */
    size_t             slots;
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

static void match_symbol_add(match_run *m, uint64_t address, uint64_t size, uint64_t guid)
{
    match_symbol *s = &m->symbol[m->symbols];
    s->address = address;
    s->size = size;
    s->guid = guid;
    s->has_probes = (uint32_t)load_has(m->name, m->names, guid);
    s->index = (uint32_t)m->symbols++;
}

static void match_symbols_of(match_run *m, const elf_image *e)
{
    uint32_t i;
    for (i = 1; i < e->symbol_count; i++) {
        elf_symbol y;
        if (!elf_symbol_at(e, i, &y) || y.type != ELF_FUNC || y.section == ELF_UNDEFINED) continue;
        match_symbol_add(m, y.value, y.size, match_symbol_guid(m, &y));
    }
}

static int match_symbols(match_run *m)
{
    const csspgo_probe_tables t = csspgo_probes_tables(m->probes);
    const elf_image *e = load_symbols(&m->image);
    const size_t records = m->base != NULL ? t.record_count : 0;
    size_t i;
    m->symbol = (match_symbol *)malloc((e->symbol_count + (size_t)m->dynamic.symbol_count + records + 1) *
                                       sizeof *m->symbol);
    if (m->symbol == NULL) return 0;
    match_symbols_of(m, e);
    if (m->base != NULL) match_symbols_of(m, &m->dynamic);
    for (i = 0; i < records; i++)
        if (m->base[i].address < MATCH_NOWHERE && m->base[i].size != 0)
            match_symbol_add(m, m->base[i].address, m->base[i].size, t.inlines[t.records[i].first_inline].guid);
    qsort(m->symbol, m->symbols, sizeof *m->symbol, match_symbol_order);
    return 1;
}

/* What the dynamic linker puts into the global offset table. 0: memory is exhausted. */
static int match_slots(match_run *m)
{
    enum { ENTRY = 24 };
    const elf_image *e = &m->image.elf;
    const uint32_t glob_dat = 6, jump_slot = 7;
    uint64_t cap = e->size / ENTRY;                            /* overlapping sections must not multiply the work */
    elf_section s, of;
    elf_symbol y;
    uint32_t i;
    m->slot = (match_symbol *)calloc(1, sizeof *m->slot);
    for (i = 1; m->slot != NULL && e->machine == ELF_X86_64 && i < e->section_count; i++) {
        const unsigned char *p;
        uint64_t n;
        match_symbol *more;
        elf_section_at(e, i, &s);
        if (s.type != ELF_RELA || s.contents == NULL || s.compressed || s.size / ENTRY > cap) continue;
        if (!elf_section_at(e, s.link, &of) || of.type != ELF_DYNSYM) continue;
        n = s.size / ENTRY;
        cap -= n;
        more = (match_symbol *)realloc(m->slot, (m->slots + (size_t)n + 1) * sizeof *more);
        if (more == NULL) return 0;
        m->slot = more;
        for (p = s.contents; n-- > 0; p += ENTRY) {
            if (elf__32(p + 8) != glob_dat && elf__32(p + 8) != jump_slot) continue;
            if (!elf_symbol_at(&m->dynamic, elf__32(p + 12), &y) || y.name_size == 0) continue;
            memset(&m->slot[m->slots], 0, sizeof *m->slot);
            m->slot[m->slots].address = elf__64(p);
            m->slot[m->slots].index = (uint32_t)m->slots;
            m->slot[m->slots++].guid = match_symbol_guid(m, &y);
        }
    }
    if (m->slot != NULL) qsort(m->slot, m->slots, sizeof *m->slot, match_symbol_order);
    return m->slot != NULL;
}

/* The function that begins at an address, or whose address stands there; 0 = none: a stub, or code without symbol. */
static uint64_t match_guid_at(const match_symbol *v, size_t n, uint64_t address)
{
    size_t a = 0, b = n;
    while (a < b) {
        const size_t mid = a + (b - a) / 2;
        if (v[mid].address < address) a = mid + 1;
        else b = mid;
    }
    return a < n && v[a].address == address ? v[a].guid : 0;
}

static int match_holds(const elf_section *s, uint64_t address, uint64_t size)
{
    return s->flags & ELF_SECTION_EXEC && s->contents != NULL && address - s->address < s->size &&
           size <= s->size - (address - s->address);
}

/* The executable section that holds these bytes: first looks at the one that s is. 0: there is none, s is all zero. */
static int match_section_of(const match_run *m, uint64_t address, uint64_t size, elf_section *s)
{
    uint32_t i;
    if (address < MATCH_NOWHERE && match_holds(s, address, size)) return 1;
    for (i = 1; address < MATCH_NOWHERE && i < m->image.elf.section_count; i++) {
        elf_section_at(&m->image.elf, i, s);
        if (match_holds(s, address, size)) return 1;
    }
    memset(s, 0, sizeof *s);
    return 0;
}

/*
 * What the call or jump at address goes to through the global offset table, 0 = it does not: call or jmp *slot(%rip),
 * in a stub behind endbr64 or with a bnd prefix. Not on AArch64, for which clang 19 writes no probes of calls.
 */
static uint64_t match_through_slot(const match_run *m, uint64_t address, elf_section *s)
{
    const unsigned char *p;
    uint64_t at;
    if (m->slots == 0 || !match_section_of(m, address, 1, s)) return 0;
    at = address - s->address;
    if (s->size - at >= 4 && memcmp(s->contents + at, "\xf3\x0f\x1e\xfa", 4) == 0) at += 4;
    if (s->size - at >= 1 && s->contents[at] == 0xf2) at++;
    if (s->size - at < 6) return 0;
    p = s->contents + at;
    if (p[0] != 0xff || (p[1] != 0x15 && p[1] != 0x25)) return 0;
    return match_guid_at(m->slot, m->slots, s->address + at + 6 + (uint64_t)(int64_t)(int32_t)elf__32(p + 2));
}

/* What the call whose probe is at address calls; 0 = not to be told. The probe stands right before the call. */
static uint64_t match_callee(const match_run *m, uint64_t address, elf_section *s, elf_section *stubs)
{
    enum { AHEAD = 8 };           /* instructions, should something have come between them */
    uint64_t at, guid;
    uint32_t i;
    if (!match_section_of(m, address, 1, s)) return 0;
    for (at = address, i = 0; i < AHEAD && at - s->address < s->size; i++) {
        const size_t off = (size_t)(at - s->address), left = (size_t)s->size - off;
        csspgo_insn insn;
        if (m->image.elf.machine == ELF_X86_64) csspgo_decode_x86_64(s->contents + off, left, at, &insn);
        else csspgo_decode_aarch64(s->contents + off, left, at, &insn);
        if (insn.size == 0 || insn.kind == CSSPGO_RET || insn.kind == CSSPGO_COND) return 0;
        if (insn.kind != CSSPGO_NONE) {
            if (!insn.has_target) return match_through_slot(m, at, s);
            guid = match_guid_at(m->symbol, m->symbols, insn.target);
            return guid != 0 ? guid : match_through_slot(m, insn.target, stubs);
        }
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
    csspgo_cfg_edge   *edge;
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
        csspgo_cfg_edge *more = (csspgo_cfg_edge *)realloc(g->edge, (2 * g->cap + 64) * sizeof *more);
        if (more == NULL) return 0;
        g->edge = more;
        g->cap = 2 * g->cap + 64;
    }
    memset(&g->edge[g->edges], 0, sizeof *g->edge);
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

static int match_classes_of(match_graph *g)
{
    csspgo_cfg cfg;
    cfg.block = NULL;
    cfg.blocks = g->blocks;
    cfg.edge = g->edge;
    cfg.edges = g->edges;
    return csspgo_cfg_classes(&cfg, NULL, g->eq, NULL) == CSSPGO_OK;
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
         match_classes_of(&g);
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
    uint32_t *of = (uint32_t *)calloc(t.probe_count + 1, sizeof *of), classes = 0;
    unsigned char *stands = match_best_copies(&t);
    uint64_t done = 0;
    elf_section s;
    size_t k;
    int ok = of != NULL && stands != NULL && (by_address != NULL || t.probe_count == 0);
    memset(&s, 0, sizeof s);
    for (k = 0; ok && k < m->symbols; k++) {
        const match_symbol *y = &m->symbol[k];
        if (y->size == 0 || y->size > ((uint64_t)1 << 24) || y->address < done) continue;
        if (!match_section_of(m, y->address, y->size, &s)) continue;
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
    elf_section s, stubs;
    size_t i, n = 0, k = 0;
    match_site *v = (match_site *)calloc(t.probe_count + t.inline_count + 1, sizeof *v);
    uint32_t *eq = match_classes(m);
    memset(&s, 0, sizeof s);
    memset(&stubs, 0, sizeof stubs);
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
        v[n].callee = v[n].kind == CSSPGO_MATCH_CALL ? match_callee(m, p->address, &s, &stubs) : 0;
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

/* ----- a binary without symbols: probe records say where in their function a probe is, not where that is ---------- */

/*
 * Decodes the sections with addresses from .dynsym, .symtab and, for records without a symbol, m->base. Returns 0
 * after saying what is wrong.
 */
static int match_decode_sections(match_run *m, const csspgo_probe_record *record, size_t records)
{
    size_t n, i, count = 0, k;
    csspgo_symbol_base *symbols = load_bases(&m->image, &n);
    csspgo_symbol_base *v = (csspgo_symbol_base *)malloc((n + m->dynamic.symbol_count + records + 1) * sizeof *v);
    csspgo_probes *probes = NULL;
    char why[256] = "out of memory";
    uint32_t y;
    for (y = 1; v != NULL && y < m->dynamic.symbol_count; y++) {
        elf_symbol s;
        if (!elf_symbol_at(&m->dynamic, y, &s) || s.section == ELF_UNDEFINED || s.name_size == 0) continue;
        v[count].guid = csspgo_guid(s.name, s.name_size);
        v[count++].address = s.value;
    }
    for (k = 0; symbols != NULL && v != NULL && k < n; k++) v[count++] = symbols[k];
    for (i = 0; v != NULL && i < records; i++) {
        if (record[i].flags & CSSPGO_RECORD_BASED) continue;
        v[count].guid = record[i].symbol;
        v[count++].address = m->base[i].address;
    }
    if (v != NULL && symbols != NULL) probes = load_sections_at(&m->image, v, count, why, sizeof why);
    free(symbols);
    free(v);
    if (probes == NULL) return fail("%s: %s", m->o[MT_BINARY].text, why), 0;
    csspgo_probes_free(m->probes);
    m->probes = probes;
    return 1;
}

typedef struct match_start {      /* a function as unwind tables tell of it */
    uint64_t address, size;
    int      taken;
} match_start;

typedef struct match_point {      /* where probes of a record stand */
    uint32_t offset;              /* from the record's base         */
    uint8_t  calls, indirect;     /* a probe of a call is there     */
} match_point;

typedef struct match_shape {      /* the records of one symbol, whose code is looked for  */
    uint64_t symbol;
    size_t   record, records;     /* in match_search.record: by symbol                    */
    size_t   point, points;       /* in match_search.point: by offset, all different      */
    uint32_t own;                 /* the record of the function that the symbol is for    */
} match_shape;

typedef struct match_search {
    match_start *start;           /* by size */
    match_shape *shape;
    match_point *point;
    uint32_t    *record;          /* without known address, by symbol */
    size_t       starts, shapes, records;
    elf_section  section;         /* the last one looked into        */
    uint64_t     budget;          /* bytes that may still be decoded */
} match_search;

/* How well the code at *y goes with the probes of *h, in bits; negative: not at all. */
static int match_fit(const match_run *m, match_search *w, const match_shape *h, const match_start *y)
{
    enum { BOUNDARY = 2, CALL = 5, NO_CALL = -6, NO_PROBE = -3, MOST = 1 << 20 };
    const match_point *p = w->point + h->point, *end = p + h->points;
    const int boundary = m->image.elf.machine == ELF_X86_64 ? BOUNDARY : 0;
    match_graph g;
    size_t at;
    int score = 0;
    memset(&g, 0, sizeof g);
    if (end[-1].offset > y->size || !match_section_of(m, y->address, y->size, &w->section)) return -1;
    g.section = &w->section;
    g.begin = y->address;
    g.size = (size_t)y->size;
    for (at = 0; at < g.size && score < MOST;) {
        const csspgo_insn insn = match_decode(m, &g, at);
        const int is_call = insn.kind == CSSPGO_CALL, leaves = is_call || insn.kind == CSSPGO_JMP ||
                                                               insn.kind == CSSPGO_IJMP;
        w->budget -= w->budget != 0;
        if (p < end && p->offset < at) return -1;
        if (p == end || p->offset != at) {
            score += is_call && insn.has_target ? NO_PROBE : 0;
        } else {
            score += boundary;
            if (p->calls || p->indirect) score += leaves && (p->calls || !insn.has_target) ? CALL : NO_CALL;
            p++;
        }
        at += insn.size;
    }
    return p == end || p->offset >= at ? score : -1;
}

static int match_start_order(const void *a, const void *b)
{
    const match_start *x = (const match_start *)a, *y = (const match_start *)b;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* Functions from .eh_frame_hdr, as linkers write it, but those at the addresses known[]. 0: memory is exhausted. */
static int match_find_starts(const match_run *m, match_search *w, const uint64_t *known, size_t n)
{
    elf_section h, f;
    size_t i, count;
    w->start = (match_start *)malloc(sizeof *w->start);
    if (!elf_section_named(&m->image.elf, ".eh_frame_hdr", &h) ||
        !elf_section_named(&m->image.elf, ".eh_frame", &f) || h.contents == NULL || f.contents == NULL ||
        h.size < 12 || memcmp(h.contents, "\1\x1b\3\x3b", 4) != 0)
        return w->start != NULL;
    count = elf__32(h.contents + 8);
    if (count > (h.size - 12) / 8) count = (size_t)((h.size - 12) / 8);
    free(w->start);
    w->start = (match_start *)malloc((count + 1) * sizeof *w->start);
    for (i = 0; w->start != NULL && i < count; i++) {
        const unsigned char *p = h.contents + 12 + 8 * i;
        const uint64_t address = h.address + (uint64_t)(int64_t)(int32_t)elf__32(p);
        const uint64_t at = h.address + (uint64_t)(int64_t)(int32_t)elf__32(p + 4) - f.address;
        match_start *y = &w->start[w->starts];
        if (at > f.size || f.size - at < 16 || load_has(known, n, address)) continue;
        if (f.address + at + 8 + (uint64_t)(int64_t)(int32_t)elf__32(f.contents + at + 8) != address) continue;
        y->address = address;
        y->size = elf__32(f.contents + at + 12);
        y->taken = 0;
        w->starts += y->size != 0 && match_section_of(m, address, y->size, &w->section);
    }
    if (w->start != NULL) qsort(w->start, w->starts, sizeof *w->start, match_start_order);
    return w->start != NULL;
}

static int match_point_order(const void *a, const void *b)
{
    const match_point *x = (const match_point *)a, *y = (const match_point *)b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The points of a shape, and whose it is. Returns 0 if it has none, or impossible ones. */
static int match_shape_points(const match_run *m, match_search *w, match_shape *h)
{
    const csspgo_probe_tables t = csspgo_probes_tables(m->probes);
    match_point *v = w->point + h->point;
    uint32_t lowest = UINT32_MAX;
    size_t i, k, n = 0;
    int own = 0;
    for (k = 0; k < h->records; k++) {
        const csspgo_probe_record *r = &t.records[w->record[h->record + k]];
        for (i = 0; i < r->probe_count; i++, n++) {
            const csspgo_probe *p = &t.probes[r->first_probe + i];
            if (p->address - r->address >= (uint64_t)1 << 31) return 0;
            v[n].offset = (uint32_t)(p->address - r->address);
            v[n].calls = p->kind == CSSPGO_PROBE_DIRECT_CALL;
            v[n].indirect = p->kind == CSSPGO_PROBE_INDIRECT_CALL;
            if (own || v[n].offset >= lowest) continue;
            lowest = v[n].offset;
            h->own = w->record[h->record + k];
        }
        if (own || r->flags & CSSPGO_RECORD_SENTINEL) continue;
        own = 1;
        h->own = w->record[h->record + k];
    }
    qsort(v, n, sizeof *v, match_point_order);
    for (i = 0; i < n; i++) {
        if (h->points == 0 || v[h->points - 1].offset != v[i].offset) {
            v[h->points++] = v[i];
            continue;
        }
        v[h->points - 1].calls |= v[i].calls;
        v[h->points - 1].indirect |= v[i].indirect;
    }
    return h->points != 0;
}

typedef struct match_key { uint64_t symbol; uint32_t record; } match_key;

static int match_key_order(const void *a, const void *b)
{
    const match_key *x = (const match_key *)a, *y = (const match_key *)b;
    if (x->symbol != y->symbol) return x->symbol < y->symbol ? -1 : 1;
    return x->record < y->record ? -1 : x->record > y->record;
}

static int match_shape_order(const void *a, const void *b)
{
    const match_shape *x = (const match_shape *)a, *y = (const match_shape *)b;
    if (x->points != y->points) return x->points > y->points ? -1 : 1;
    return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

/* The symbols that are missing; without debug information inlinees have records of their own. 0: no memory. */
static int match_find_shapes(const match_run *m, match_search *w)
{
    const csspgo_probe_tables t = csspgo_probes_tables(m->probes);
    match_key *key = (match_key *)malloc((t.record_count + 1) * sizeof *key);
    size_t i, k, point = 0;
    w->shape = (match_shape *)calloc(t.record_count + 1, sizeof *w->shape);
    w->point = (match_point *)malloc((t.probe_count + 1) * sizeof *w->point);
    w->record = (uint32_t *)malloc((t.record_count + 1) * sizeof *w->record);
    for (i = 0; key != NULL && i < t.record_count; i++) {
        if (m->base[i].address < MATCH_NOWHERE) continue;
        key[w->records].symbol = t.records[i].symbol;
        key[w->records++].record = (uint32_t)i;
    }
    if (key == NULL || w->shape == NULL || w->point == NULL || w->record == NULL) return free(key), 0;
    qsort(key, w->records, sizeof *key, match_key_order);
    for (i = 0; i < w->records; i++) w->record[i] = key[i].record;
    for (i = 0; i < w->records; i = k) {
        match_shape *h = &w->shape[w->shapes];
        memset(h, 0, sizeof *h);
        h->symbol = key[i].symbol;
        h->record = i;
        h->point = point;
        for (k = i; k < w->records && key[k].symbol == key[i].symbol; k++) h->records++;
        if (!match_shape_points(m, w, h)) continue;
        point += h->points;
        w->shapes++;
    }
    free(key);
    qsort(w->shape, w->shapes, sizeof *w->shape, match_shape_order);
    return 1;
}

/* The only start that a shape goes with; NULL: none, or it may be another. */
static match_start *match_find_start(const match_run *m, match_search *w, const match_shape *h)
{
    enum { ENOUGH = 5, MARGIN = 5 };
    const uint32_t last = w->point[h->point + h->points - 1].offset;
    match_start *best = NULL;
    int first = -1, second = -1;
    size_t a = 0, b = w->starts;
    while (a < b) {
        const size_t mid = a + (b - a) / 2;
        if (w->start[mid].size < last) a = mid + 1;
        else b = mid;
    }
    for (; a < w->starts && w->start[a].size <= 2 * (uint64_t)last + 1024 && w->budget != 0; a++) {
        const int score = w->start[a].taken ? -1 : match_fit(m, w, h, &w->start[a]);
        if (score <= second) continue;
        second = score > first ? first : score;
        if (score > first) best = &w->start[a], first = score;
    }
    return w->budget != 0 && first >= ENOUGH && first - second >= MARGIN ? best : NULL;
}

/*
 * Finds the code of symbols: probes stand where instructions begin, those of calls at calls, and a function as the
 * unwind tables delimit it has room for all and few other calls. What could be in two places is not found. Shapes with
 * many points go first, so that few places are left for the others. 0: memory is exhausted.
 */
static int match_find_code(match_run *m, const csspgo_probe_record *record, size_t *found)
{
    enum { ROUNDS = 4, BUDGET = 1 << 26 };                   /* instructions: a second or two */
    const size_t n = csspgo_probes_tables(m->probes).record_count;
    uint64_t *known = (uint64_t *)malloc((n + 1) * sizeof *known);
    size_t i, k, round, before = SIZE_MAX;
    match_search w;
    int ok;
    memset(&w, 0, sizeof w);
    w.budget = BUDGET;
    for (i = k = 0; known != NULL && i < n; i++)
        if (record[i].flags & CSSPGO_RECORD_BASED) known[k++] = record[i].address;
    if (known != NULL) qsort(known, k, sizeof *known, load_u64_cmp);
    ok = known != NULL && match_find_starts(m, &w, known, k) && match_find_shapes(m, &w);
    for (round = 0; ok && round < ROUNDS && before != *found; round++) {
        before = *found;
        for (i = 0; i < w.shapes; i++) {
            const match_shape *h = &w.shape[i];
            match_start *y = m->base[h->own].size == 0 ? match_find_start(m, &w, h) : NULL;
            if (y == NULL) continue;
            y->taken = 1;
            for (k = 0; k < h->records; k++) m->base[w.record[h->record + k]].address = y->address;
            m->base[h->own].size = y->size;
            *found += h->records;
        }
    }
    free(known);
    free(w.start);
    free(w.shape);
    free(w.point);
    free(w.record);
    return ok;
}

/*
 * Symbols are missing: what is not in .dynsym either gets an address that is none, so that ids, kinds and inlinees are
 * known, and then, if its code is found, that of the code. Returns 0 after saying what is wrong.
 */
static int match_without_symbols(match_run *m)
{
    csspgo_probe_record *record = NULL;
    csspgo_probe_tables t;
    size_t i, records, missing = 0, found = 0;
    int ok = match_decode_sections(m, NULL, 0);
    if (!ok) return 0;
    t = csspgo_probes_tables(m->probes);
    records = t.record_count;
    record = (csspgo_probe_record *)calloc(records + 1, sizeof *record);
    m->base = (match_base *)calloc(records + 1, sizeof *m->base);
    ok = record != NULL && m->base != NULL;
    if (ok) memcpy(record, t.records, records * sizeof *record);
    for (i = 0; ok && i < records; i++) {
        const int known = (record[i].flags & CSSPGO_RECORD_BASED) != 0;
        m->base[i].address = known ? record[i].address : MATCH_NOWHERE + ((uint64_t)i << 32);
        missing += !known;
    }
    if (!ok) fail("out of memory");
    ok = ok && match_decode_sections(m, record, records);
    if (ok && missing != 0) {
        ok = match_find_code(m, record, &found) || (fail("out of memory"), 0);
        ok = ok && match_decode_sections(m, record, records);
        if (ok)
            warn("%s: %zu of %zu probe records have no symbol; the code of %zu was found by its shape%s "
                 "(--debug-binary=FILE: symbols from there)", m->o[MT_BINARY].text, missing, records, found,
                 found < missing ? ", what the others call and who calls them is not known" : "");
    }
    free(record);
    return ok;
}

/* Returns 0 after saying what is wrong. */
static int match_load(match_run *m)
{
    const char *path = m->o[MT_BINARY].text, *debug = m->o[MT_DEBUG_BINARY].text;
    csspgo_probe_tables t;
    char why[256];
    size_t i;
    if (!file_open(path, &m->image.file)) return fail("%s: %s", path, strerror(errno)), 0;
    if (!elf_open(m->image.file.data, m->image.file.size, &m->image.elf, why, sizeof why) ||
        !load_is_linked(&m->image.elf, why, sizeof why) ||
        (debug != NULL && !load_debug(&m->image, debug, why, sizeof why)) ||
        (m->probes = load_sections(&m->image, why, sizeof why)) == NULL)
        return fail("%s: %s", path, why), 0;
    m->dynamic = elf_dynamic(&m->image.elf);
    if (m->image.elf.machine != ELF_X86_64 && m->image.elf.machine != ELF_AARCH64)
        return fail("%s: neither x86-64 nor AArch64", path), 0;
    if (csspgo_probes_tables(m->probes).stats.no_base != 0 && !match_without_symbols(m)) return 0;
    t = csspgo_probes_tables(m->probes);
    m->name = (uint64_t *)malloc((t.descriptor_count + 1) * sizeof *m->name);
    for (i = 0; m->name != NULL && i < t.descriptor_count; i++) m->name[m->names++] = t.descriptors[i].guid;
    if (m->name != NULL) qsort(m->name, m->names, sizeof *m->name, load_u64_cmp);
    if (m->name == NULL || !match_symbols(m) || !match_slots(m) || !match_sites(m) || !match_code(m))
        return fail("out of memory"), 0;
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

/* csspgo_match_options.llvm of each word of --mode */
static const uint32_t llvm_of_mode[] = { 0, 18, 19, 22 };

/* 1 if renamed functions are looked for: csspgo_match_options.rename */
static int match_renames(const match_run *m)
{
    const uint32_t mode = llvm_of_mode[m->o[MT_MODE].number];
    if (mode == 18) return 0;
    if (m->o[MT_RENAME].text != NULL) return m->o[MT_RENAME].number != 0;
    return mode == 0 || mode == 22;
}

static void match_why(const match_run *m, const match_row *r, FILE *out)
{
    const csspgo_match_function f = csspgo_matcher_about(m->matcher, r->guid);
    if (r->gone) fprintf(out, "no such function in the new program; %s",
                         match_renames(m) ? "none was found to be it under a new name"
                                          : "renamed ones were not looked for");
    else if (f.locations == 0) fprintf(out, "the binary has no probes of it");
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

typedef struct match_claim {      /* of a function of the new code on one of the profile */
    csspgo_match_function about;
    size_t                code;
} match_claim;

/* By profile; its own name before a new one, then who keeps more. */
static int match_claim_order(const void *a, const void *b)
{
    const match_claim *x = (const match_claim *)a, *y = (const match_claim *)b;
    if (x->about.profile != y->about.profile) return x->about.profile < y->about.profile ? -1 : 1;
    if (x->about.renamed != y->about.renamed) return x->about.renamed < y->about.renamed ? -1 : 1;
    if (x->about.lost_samples != y->about.lost_samples)
        return x->about.lost_samples < y->about.lost_samples ? -1 : 1;
    return x->code < y->code ? -1 : x->code > y->code;
}

/*
 * Functions of the profile that functions of the new code have, each once, even if several do. Their GUIDs, ascending:
 * to claimed; those that lost: to row. claim: room for one per function of the new code.
 */
static size_t match_rows_here(const match_run *m, match_line *line, uint64_t *claimed, match_row *row, size_t *rows,
                              match_claim *claim)
{
    size_t i, claims = 0, n = 0;
    for (i = 0; i < m->codes; i++) {
        claim[claims].about = csspgo_matcher_about(m->matcher, m->code[i].guid);
        claim[claims].code = i;
        claims += claim[claims].about.known != 0;
    }
    qsort(claim, claims, sizeof *claim, match_claim_order);
    for (i = 0; i < claims; i++) {
        const csspgo_match_function a = claim[i].about;
        if (n != 0 && claimed[n - 1] == a.profile) continue;
        match_count(&line[a.renamed ? 2 : a.stale ? 1 : 0], a.samples, a.lost_samples);
        claimed[n++] = a.profile;
        if (a.lost_samples == 0) continue;
        row[*rows].guid = m->code[claim[i].code].guid;
        row[*rows].samples = a.samples;
        row[*rows].lost = a.lost_samples;
        row[(*rows)++].old = match_old_func(m, a.profile);
    }
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

static void match_sum_lines(match_line *line)
{
    size_t i;
    for (i = 0; i < 4; i++) {
        line[4].functions += line[i].functions;
        line[4].samples = sum_of(line[4].samples, line[i].samples);
        line[4].kept = sum_of(line[4].kept, line[i].kept);
    }
}

static void match_print_lines(const match_run *m, const match_line *line, FILE *out)
{
    size_t i;
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
        fputs(" is now ", out);
        if (c->name != NULL) put_safe(c->name, c->name_size, out);
        else fprintf(out, "%" PRIu64, c->guid);
        putc('\n', out);
    }
}

/* Prints the report; out: NULL if none is wanted. Returns the exit status. */
static int match_print(match_run *m, FILE *out)
{
    match_line line[] = { { "unchanged", 0, 0, 0 }, { "stale", 0, 0, 0 }, { "renamed", 0, 0, 0 },
                          { "not in the program", 0, 0, 0 }, { "all", 0, 0, 0 } };
    const size_t most = csspgo_func_count(m->old) + m->codes + (size_t)1;
    match_row *row = (match_row *)calloc(most, sizeof *row);
    uint64_t *claimed = (uint64_t *)malloc(most * sizeof *claimed);
    match_claim *claim = (match_claim *)malloc((m->codes + 1) * sizeof *claim);
    size_t rows = 0, n;
    const int ok = row != NULL && claimed != NULL && claim != NULL && match_name_old(m);
    if (ok) {
        n = match_rows_here(m, line, claimed, row, &rows, claim);
        match_rows_gone(m, line, claimed, n, row, &rows);
        match_sum_lines(line);
    }
    if (ok && out != NULL) {
        match_print_lines(m, line, out);
        match_print_renames(m, out);
        match_worst(m, row, rows, out);
    }
    free(row);
    free(claimed);
    free(claim);
    if (!ok) return fail("out of memory");
    if (line[4].kept != 0) return 0;
    if (line[4].samples == 0) return hopeless("%s: the profile is empty", m->o[MT_OLD].text);
    return hopeless("nothing of %s was kept: is it a profile of %s?", m->o[MT_OLD].text, m->o[MT_BINARY].text);
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

static int match_spares(const match_run *m)
{
    const char *path = m->o[MT_OUTPUT].text;
    return output_spares(path, m->o[MT_OLD].text) && output_spares(path, m->o[MT_BINARY].text) &&
           output_spares(path, m->o[MT_DEBUG_BINARY].text);
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
    how.llvm = llvm_of_mode[m->o[MT_MODE].number];
    how.rename = m->o[MT_RENAME].text == NULL ? 0 : m->o[MT_RENAME].number ? 1 : 2;
    m->old = profile_read(path, &r, &fatal);
    if (m->old == NULL) return 1;
    if (!(csspgo_profile_flags(m->old) & CSSPGO_IS_PROBE))
        return fail("%s: a profile by source lines; this command needs one by probes", path);
    if (!match_load(m)) return 1;
    m->out = profile_new();
    if (m->out == NULL) return 1;
    m->matcher = csspgo_matcher_new(&how, seeded(), NULL);
    if (m->matcher == NULL) return fail("out of memory");
    if (csspgo_matcher_module(m->matcher, m->old, m->code, m->codes, &m->report, &e) != CSSPGO_OK ||
        csspgo_matcher_apply(m->matcher, m->old, m->out, NULL, &e) != CSSPGO_OK)
        return fail("%s: %s", path, e.message);
    status = match_write(m);
    return status != 0 ? status : match_print(m, quiet ? NULL : to_stdout ? stderr : stdout);
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
    else if (files == 0 && match_spares(&m)) status = output_ready(m.o[MT_OUTPUT].text) ? match_do(&m) : 1;
    csspgo_matcher_free(m.matcher);
    csspgo_probes_free(m.probes);
    csspgo_profile_free(m.old);
    csspgo_profile_free(m.out);
    load_free(&m.image);
    free(m.site);
    free(m.symbol);
    free(m.base);
    free(m.slot);
    free(m.code);
    free(m.loc);
    free(m.name);
    free(m.named);
    options_free(m.o);
    return status;
}

#endif
