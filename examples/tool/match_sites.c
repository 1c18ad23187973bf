/* match_sites.c - match: the new program's call sites and functions */
#include "match.h"

static int match_site_order(const void *a, const void *b)
{
    const match_site *x = (const match_site *)a, *y = (const match_site *)b;
    if (x->func != y->func) return x->func < y->func ? -1 : 1;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    if (x->kind != y->kind) return x->kind > y->kind ? -1 : 1;   /* indirect, direct, block */
    return x->callee > y->callee ? -1 : x->callee < y->callee;   /* what is known first     */
}

/* Everything the sections say of any copy of any function, by function and id, each id once. */
int match_sites(match_run *m)
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
int match_code(match_run *m)
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
