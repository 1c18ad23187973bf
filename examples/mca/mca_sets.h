/* mca_sets.h - the part of mca.h about units, reads and writes of an instruction; mca.h includes it */
#ifndef MCA_SETS_H
#define MCA_SETS_H

/* ----- candidate sets ----- */

static unsigned mca_bits(uint64_t set)
{
    unsigned n = 0;
    for (; set != 0; set &= set - 1) n++;
    return n;
}

/*
 * The set of `size` units whose highest is `top`: the units that are left, lower, and with its share are just as many;
 * or a set that is known fits. 0: neither.
 */
static uint64_t mca_set(const mca *m, const mca_inst *x, uint64_t left, unsigned top, unsigned size, int known)
{
    uint64_t fit = (uint64_t)1 << top;
    unsigned u, k;
    for (u = 0; u < top; u++)
        if (left >> u & 1 && fabs(x->share[u] - x->share[top]) < 0.004) fit |= (uint64_t)1 << u;
    if (size == 1) return (uint64_t)1 << top;
    if (mca_bits(fit) == size) return fit;
    for (k = 0; known && k < m->knowns; k++)
        if (mca_bits(m->known[k]) == size && !(m->known[k] & ~fit) && m->known[k] >> top == 1) return m->known[k];
    return 0;
}

/* The resources that a set has units of: their first units. */
static uint64_t mca_firsts(const mca *m, uint64_t set)
{
    uint64_t firsts = 0;
    unsigned u;
    for (u = 0; u < m->units; u++)
        if (set >> u & 1 && (u == 0 || strcmp(m->unit[u], m->unit[u - 1]) != 0)) firsts |= (uint64_t)1 << u;
    return firsts;
}

/*
 * Uses in the order in which LLVM gives them their units, which shows in what other instructions get: single resources,
 * then groups by size, groups of one size in the order of their names. Names of groups are not printed; they are built
 * from those of their members, so the one with the first member comes first.
 */
static void mca_sort_uses(const mca *m, mca_inst *x)
{
    unsigned i, k;
    for (i = 1; i < x->uses; i++)
        for (k = i; k > 0; k--) {
            const uint64_t a = mca_firsts(m, x->use[k - 1].units), b = mca_firsts(m, x->use[k].units), d = a ^ b;
            const mca_use use = x->use[k];
            if (mca_bits(a) < mca_bits(b) || (mca_bits(a) == mca_bits(b) && (a & d & (0 - d)))) break;
            x->use[k] = x->use[k - 1];
            x->use[k - 1] = use;
        }
}

/*
 * Uses from the units that the first copy took, and for how long, and from the shares of all units: a use of c cycles
 * of one of k units has a share of c / k of each, and takes the highest of them first. Each unit taken belongs to
 * another use; sets with one solution leave fewer units for the others. Returns 0 in doubt.
 */
static int mca_infer(mca *m, mca_inst *x)
{
    uint64_t left = 0, open = 0;
    unsigned u, k, size;
    int moved = 1, known = 0;
    x->uses = 0;
    for (u = 0; u < m->units; u++) {
        if (x->taken[0][u] > 0) open |= (uint64_t)1 << u;
        else if (x->share[u] > 0.001) left |= (uint64_t)1 << u;
        if (x->taken[0][u] > 0 && x->share[u] < 0.001) return 0;
    }
    while (open != 0 && (moved || !known)) {
        known = !moved;
        moved = 0;
        for (u = 0; u < m->units; u++) {
            uint64_t set;
            if (!(open >> u & 1)) continue;
            size = (unsigned)(x->taken[0][u] / x->share[u] + 0.5);
            if (fabs(x->taken[0][u] / x->share[u] - size) > 0.1 || x->uses == MCA_LIST) return 0;
            set = mca_set(m, x, left, u, size, known);
            if (set == 0) continue;
            left &= ~set;
            open &= ~((uint64_t)1 << u);
            x->use[x->uses].units = set;
            x->use[x->uses++].cycles = (unsigned)x->taken[0][u];
            moved = 1;
        }
    }
    if (left != 0 || open != 0) return 0;
    mca_sort_uses(m, x);
    for (k = 0; k < x->uses; k++) {
        for (u = 0; u < m->knowns && m->known[u] != x->use[k].units; u++) continue;
        if (u == m->knowns && u < 64) m->known[m->knowns++] = x->use[k].units;
    }
    return 1;
}

/* 1: a set has units of several resources, but not all units of one of them: no group of LLVM's looks like that. */
static int mca_partial(const mca *m, uint64_t set)
{
    unsigned a, b, part = 0, others = 0;
    for (a = 0; a < m->units; a++)
        for (b = 0; b < m->units; b++) {
            const int same = strcmp(m->unit[a], m->unit[b]) == 0;
            if (!(set >> a & 1) || a == b) continue;
            if (set >> b & 1 && !same) others = 1;
            if (!(set >> b & 1) && same) part = 1;
        }
    return part && others;
}

/* Infers the uses of all instructions, those in doubt once more when the sets of the others are known. */
static void mca_uses(mca *m)
{
    unsigned i, k, u;
    for (i = 0; i < m->insts; i++) mca_infer(m, &m->inst[i]);
    for (i = 0; i < m->insts; i++) {
        mca_inst *x = &m->inst[i];
        uint64_t taken = 0;
        if (!mca_infer(m, x)) mca_doubt(x, "two of its uses can take the same unit");
        for (u = 0; u < m->units; u++) taken |= (uint64_t)(x->taken[1][u] > 0) << u;
        if (x->uses != 0 && taken == 0) mca_doubt(x, "it is eliminated when registers are renamed");
        for (k = 0; k < x->uses; k++)
            if (mca_partial(m, x->use[k].units)) mca_doubt(x, "it is not clear which units it can take");
    }
}

/* ----- reads and writes ----- */

/* A general and a vector register that an instruction has no part in. */
static void mca_scratch(const mca *m, const mca_inst *x, unsigned *general, unsigned *vector)
{
    for (*general = m->x86 ? 15 : 28; x->named[*general] != 0; --*general) continue;
    for (*vector = 47; x->named[*vector]; --*vector) continue;
}

/* Instructions of which the last writes a register, late enough to be seen. */
static void mca_producer(const mca *m, mca_text *t, unsigned root, unsigned s, unsigned v)
{
    const unsigned r = root, w = root - 32;
    v -= 32;
    if (m->x86 && root < 32)
        mca_put(t, "cvttsd2si %%xmm%u, %%%s\nleaq 1(%%%s), %%%s\nleaq 1(%%%s), %%%s\n", v, mca_gpr[0][r], mca_gpr[0][r],
                mca_gpr[0][r], mca_gpr[0][r], mca_gpr[0][r]);
    else if (m->x86 && root == MCA_FLAGS)
        mca_put(t, "imulq %%%s, %%%s\nimulq %%%s, %%%s\n", mca_gpr[0][s], mca_gpr[0][s], mca_gpr[0][s], mca_gpr[0][s]);
    else if (m->x86)
        mca_put(t, "mulps %%xmm%u, %%xmm%u\nmulps %%xmm%u, %%xmm%u\n", w, w, w, w);
    else if (root == 31)
        mca_put(t, "fcvtzs x%u, d%u\nmov sp, x%u\nadd sp, sp, #16\n", s, v, s);
    else if (root < 32)
        mca_put(t, "fcvtzs x%u, d%u\nadd x%u, x%u, #1\nadd x%u, x%u, #1\n", r, v, r, r, r, r);
    else if (root == MCA_FLAGS)
        mca_put(t, "fcvtzs x%u, d%u\nsubs x%u, x%u, #1\nsubs x%u, x%u, #1\n", s, v, s, s, s, s);
    else
        mca_put(t, "fmul d%u, d%u, d%u\nfmul d%u, d%u, d%u\n", w, w, w, w, w, w);
}

/* An instruction that reads a register. */
static void mca_consumer(const mca *m, mca_text *t, unsigned root, unsigned s)
{
    if (m->x86 && root < 32) mca_put(t, "imulq $3, %%%s, %%%s\n", mca_gpr[0][root], mca_gpr[0][s]);
    else if (m->x86 && root == MCA_FLAGS) mca_put(t, "cmovbq %%%s, %%%s\n", mca_gpr[0][s], mca_gpr[0][s]);
    else if (m->x86) mca_put(t, "cvttsd2si %%xmm%u, %%%s\n", root - 32, mca_gpr[0][s]);
    else if (root == 31) mca_put(t, "add x%u, sp, #16\n", s);
    else if (root < 32) mca_put(t, "add x%u, x%u, #1\n", s, root);
    else if (root == MCA_FLAGS) mca_put(t, "cset x%u, eq\n", s);
    else mca_put(t, "fmov x%u, d%u\n", s, root - 32);
}

/* 1: two operands are the same text: such an instruction may not depend on them, and tells nothing about others. */
static int mca_twice(const char *text)
{
    const char *a = text + strcspn(text, " \t"), *b;
    for (; *a != '\0'; a += strcspn(a, ",")) {
        size_t n;
        a += strspn(a, ", \t");
        n = strcspn(a, ",");
        for (b = a + n; *b != '\0'; b += strcspn(b, ",")) {
            b += strspn(b, ", \t");
            if (strcspn(b, ",") == n && memcmp(a, b, n) == 0) return 1;
        }
    }
    return 0;
}

/* 1: what a register that is no operand is to x shows in another instruction with its opcode. */
static int mca_like(const mca *m, const mca_inst *x, unsigned root)
{
    return x->like != 0 && x->named[root] == 1 && m->inst[x->like - 1].named[root] == 1;
}

/*
 * For each candidate register of each instruction: P, the instruction behind a slow write of it; L, a reader there, for
 * comparison; C, a reader behind the instruction.
 */
static void mca_write_probes(mca *m, mca_text *t)
{
    unsigned i, k, r, s, v;
    for (i = 0; i < m->insts; i++) {
        mca_inst *x = &m->inst[i];
        for (r = 0; m->x86 && r < 8; r++)
            if (r != 3 && r != 5 && !x->named[r]) x->named[r] = 1;
        x->named[MCA_FLAGS] = 1;
        for (k = 0; k < i && !x->like && !mca_twice(x->text); k++)
            if (m->inst[k].opcode == x->opcode && !m->inst[k].like && !mca_twice(m->inst[k].text)) x->like = k + 1;
        mca_scratch(m, x, &s, &v);
        for (r = 0; r < MCA_ROOTS; r++) {
            if (!x->named[r] || mca_like(m, x, r)) continue;
            mca_region(t, "P", i, r);
            mca_producer(m, t, r, s, v);
            mca_put(t, "%s\n", x->text);
            mca_region_end(t);
            mca_region(t, "L", i, r);
            mca_producer(m, t, r, s, v);
            mca_consumer(m, t, r, s != 28 ? s : 27);
            mca_region_end(t);
            mca_region(t, "C", i, r);
            mca_put(t, "%s\n", x->text);
            mca_consumer(m, t, r, s);
            mca_region_end(t);
        }
    }
}

/* When the last instruction of a region was dispatched and ready, and the one before it issued. */
typedef struct mca_seen {
    int dispatched, ready, issued, last_issued;
} mca_seen;

static void mca_judge(mca *m, char kind, unsigned inst, unsigned root, const mca_seen *s, int *late)
{
    mca_inst *x = &m->inst[inst];
    const uint64_t bit = (uint64_t)1 << root % 64;
    const int depends = s->ready > s->dispatched;
    if (kind == 'L') {
        if (x->reads[root / 64] & bit && s->ready - s->issued != *late)
            mca_doubt(x, "a read that needs its value later (read advance)");
    } else if (kind == 'P' && depends) {
        x->reads[root / 64] |= bit;
        *late = s->ready - s->issued;
    } else if (kind == 'C' && depends) {
        x->writes[root / 64] |= bit;
        x->def_latency[root] = s->ready - s->issued;
    }
}

/* Goes through the timelines of all regions, and hands what was seen of each to a function of its kind. */
static int mca_timelines(mca *m, const char *out, int pairs)
{
    char kind = 0, next_kind;
    unsigned inst = 0, root = 0, next_inst, next_root;
    int late = 0;
    mca_seen s;
    const char *p;
    double v;
    memset(&s, 0, sizeof s);
    for (p = out;; p = mca_next_line(p)) {
        const int end = p == NULL || mca_key(p, "TargetInfo", &v);
        if (!end && mca_key(p, "CycleDispatched", &v)) s.dispatched = (int)v;
        if (!end && mca_key(p, "CycleReady", &v)) s.ready = (int)v;
        if (!end && mca_key(p, "CycleIssued", &v)) s.issued = s.last_issued, s.last_issued = (int)v;
        if (!end && !mca_named(p, &next_kind, &next_inst, &next_root)) continue;
        if (kind != 0 && !pairs) mca_judge(m, kind, inst, root, &s, &late);
        if (kind != 0 && pairs && inst < m->pairs) {
            const mca_pair *q = &m->pair[inst];
            const int at = s.issued + q->latency;
            if (s.ready != (at > s.dispatched ? at : s.dispatched) && !(at <= s.dispatched && s.ready <= s.dispatched))
                mca_doubt(&m->inst[q->reader], "a result that is forwarded early (read advance)");
        }
        if (end) return 1;
        kind = next_kind;
        inst = next_inst;
        root = next_root;
    }
}

static const char mca_timeline_options[] =
    "-json -iterations=1 -timeline -timeline-max-cycles=0 -instruction-info=0 -resource-pressure=0";

static int mca_probes(mca *m)
{
    unsigned i, r;
    mca_text t;
    char *out;
    memset(&t, 0, sizeof t);
    mca_write_probes(m, &t);
    out = mca_run(m, 0, mca_timeline_options, t.v);
    free(t.v);
    if (out == NULL) return 0;
    mca_timelines(m, out, 0);
    free(out);
    for (i = 0; i < m->insts; i++)
        for (r = 0; r < MCA_ROOTS; r++) {
            mca_inst *x = &m->inst[i];
            const mca_inst *y = x->like != 0 ? &m->inst[x->like - 1] : x;
            if (!mca_like(m, x, r)) continue;
            x->reads[r / 64] |= y->reads[r / 64] & (uint64_t)1 << r % 64;
            x->writes[r / 64] |= y->writes[r / 64] & (uint64_t)1 << r % 64;
            x->def_latency[r] = y->def_latency[r];
        }
    return 1;
}

/* Every writer and reader that follow each other in a region (the next definition of the register ends it). */
static int mca_pair_check(mca *m)
{
    unsigned a, b, k, r, cap = 0;
    unsigned char *seen = (unsigned char *)calloc((size_t)m->insts * m->insts + 1, 1);
    mca_text t;
    char *out;
    memset(&t, 0, sizeof t);
    if (seen == NULL) return mca_fail(m, "out of memory");
    for (a = 0; a < m->lines; a++) {
        const unsigned begin = m->begin[m->region[a]], end = m->begin[m->region[a] + 1];
        for (r = 0; r < MCA_ROOTS; r++) {
            const mca_inst *w = &m->inst[m->line[a]];
            if (!(w->writes[r / 64] >> r % 64 & 1)) continue;
            for (k = 1; k <= end - begin; k++) {
                const mca_inst *x;
                b = begin + (a - begin + k) % (end - begin);
                x = &m->inst[m->line[b]];
                if (x->reads[r / 64] >> r % 64 & 1) seen[(size_t)m->line[a] * m->insts + m->line[b]] = 1;
                if (x->writes[r / 64] >> r % 64 & 1) break;
            }
        }
    }
    for (a = 0; a < m->insts; a++)
        for (b = 0; b < m->insts; b++) {
            const mca_inst *w = &m->inst[a], *x = &m->inst[b];
            int latency = 0;
            if (!seen[(size_t)a * m->insts + b]) continue;
            for (r = 0; r < MCA_ROOTS; r++)
                if (w->writes[r / 64] & x->reads[r / 64] & (uint64_t)1 << r % 64 && w->def_latency[r] > latency)
                    latency = w->def_latency[r];
            if (m->pairs == cap) m->pair = (mca_pair *)mca_more(m->pair, (cap = 2 * cap + 64) * sizeof *m->pair);
            m->pair[m->pairs].writer = a;
            m->pair[m->pairs].reader = b;
            m->pair[m->pairs].latency = latency;
            mca_region(&t, "A", m->pairs++, 0);
            mca_put(&t, "%s\n%s\n", w->text, x->text);
            mca_region_end(&t);
        }
    free(seen);
    if (m->pairs == 0) return 1;
    out = mca_run(m, 0, mca_timeline_options, t.v);
    free(t.v);
    if (out == NULL) return 0;
    mca_timelines(m, out, 1);
    free(out);
    return 1;
}

#endif
