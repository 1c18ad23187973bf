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
        if (u == m->knowns && u < 256) m->known[m->knowns++] = x->use[k].units;
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

typedef struct mca_search {
    double   share[64];           /* that is left of each unit */
    mca_use  found[MCA_LIST];     /* the first solution        */
    unsigned uses, solutions, steps;
} mca_search;

/*
 * Uses made of known sets, so that the shares of all units come out, and each unit that the first copy took belongs to
 * one. The search takes the lowest unit of `open` first; small sets come first. Stops at the second solution.
 */
static int mca_solve(const mca *m, mca_inst *x, mca_search *q, uint64_t open)
{
    unsigned u = 0, k, v;
    if (open == 0) {
        for (v = 0; v < m->units; v++) if (q->share[v] > 0.004) return 0;
        if (q->solutions++ != 0) return 1;
        memcpy(q->found, x->use, sizeof q->found);
        q->uses = x->uses;
        return 0;
    }
    while (!(open >> u & 1)) u++;
    for (k = 0; k <= m->knowns && x->uses < MCA_LIST && q->steps < 20000; k++, q->steps++) {
        const uint64_t set = k == 0 ? (uint64_t)1 << u : m->known[k - 1];
        const double part = (double)x->taken[0][u] / mca_bits(set);
        int fits = set >> u & 1 && (k == 0 || mca_bits(set) > 1);
        for (v = 0; v < m->units; v++) fits = fits && (!(set >> v & 1) || q->share[v] > part - 0.004);
        if (!fits) continue;
        for (v = 0; v < m->units; v++) if (set >> v & 1) q->share[v] -= part;
        x->use[x->uses].units = set;
        x->use[x->uses++].cycles = (unsigned)x->taken[0][u];
        if (mca_solve(m, x, q, open & ~((uint64_t)1 << u))) return 1;
        x->uses--;
        for (v = 0; v < m->units; v++) if (set >> v & 1) q->share[v] += part;
    }
    return 0;
}

static int mca_solve_known(mca *m, mca_inst *x)
{
    mca_search q;
    uint64_t open = 0;
    unsigned u;
    memset(&q, 0, sizeof q);
    memcpy(q.share, x->share, sizeof q.share);
    for (u = 0; u < m->units; u++) if (x->taken[0][u] > 0) open |= (uint64_t)1 << u;
    x->uses = 0;
    mca_solve(m, x, &q, open);
    memcpy(x->use, q.found, sizeof q.found);
    x->uses = q.uses;
    if (q.solutions > 1 || q.steps >= 20000) mca_doubt(x, "it is not clear which units it can take");
    mca_sort_uses(m, x);
    return q.solutions != 0;
}

/*
 * Two sets of one size that share nothing and are always taken together: each unit taken goes with the nearest of the
 * others. Which goes with which does not show, because they are taken in step.
 */
static int mca_infer_pairs(mca *m, mca_inst *x)
{
    uint64_t left = 0;
    unsigned u, v, k, size;
    x->uses = 0;
    for (u = 0; u < m->units; u++)
        if (x->taken[0][u] == 0 && x->share[u] > 0.001) left |= (uint64_t)1 << u;
    for (u = 0; u < m->units; u++) {
        uint64_t set = (uint64_t)1 << u;
        if (x->taken[0][u] == 0) continue;
        if (x->share[u] < 0.001) return 0;
        size = (unsigned)(x->taken[0][u] / x->share[u] + 0.5);
        if (fabs(x->taken[0][u] / x->share[u] - size) > 0.1) return 0;
        for (k = 1; k < size; k++) {
            unsigned best = 64;
            for (v = 0; v < m->units; v++)
                if (left >> v & 1 && fabs(x->share[v] - x->share[u]) < 0.004 &&
                    (best == 64 || abs((int)v - (int)u) < abs((int)best - (int)u)))
                    best = v;
            if (best == 64) return 0;
            set |= (uint64_t)1 << best;
            left &= ~((uint64_t)1 << best);
        }
        if (x->uses == MCA_LIST) return 0;
        x->use[x->uses].units = set;
        x->use[x->uses++].cycles = (unsigned)x->taken[0][u];
    }
    if (left != 0) return 0;
    mca_sort_uses(m, x);
    return 1;
}

/*
 * Groups of which all units are taken, too, are reserved: nobody else gets a unit of them, for as long as they are said
 * to be used. What is left of the shares without the units is theirs. So each unit counts as taken for the longest of
 * these times.
 */
static int mca_infer_reserved(mca *m, mca_inst *x)
{
    double left[64];
    int cycles[64];
    unsigned u, turn;
    for (u = 0; u < m->units; u++) {
        cycles[u] = x->taken[0][u];
        left[u] = x->share[u] - cycles[u];
        if (left[u] < -0.004) return 0;
    }
    for (turn = 0; turn < 8; turn++) {
        double least = 1e9, total;
        unsigned size = 0;
        for (u = 0; u < m->units; u++) {
            if (left[u] < 0.004) continue;
            if (x->taken[0][u] == 0) return 0;
            size++;
            if (left[u] < least) least = left[u];
        }
        if (size == 0) break;
        total = least * size;
        if (size == 1 || fabs(total - (int)(total + 0.5)) > 0.05) return 0;
        for (u = 0; u < m->units; u++) {
            if (left[u] < 0.004) continue;
            left[u] -= least;
            if (cycles[u] < (int)(total + 0.5)) cycles[u] = (int)(total + 0.5);
        }
    }
    x->uses = 0;
    for (u = 0; u < m->units && x->uses < MCA_LIST; u++) {
        if (cycles[u] == 0) continue;
        x->use[x->uses].units = (uint64_t)1 << u;
        x->use[x->uses++].cycles = (unsigned)cycles[u];
    }
    x->reserves = 1;
    return 1;
}

/* Instructions that take few units each: they show the candidate sets that other ones combine. */
static const char *const mca_simple[2][44] = {
    { "add x0, x1, x2", "add x0, x1, x2, lsl #12", "add w0, w1, w2, lsl #3", "ldr x0, [x1]", "str x0, [x1]",
      "ldr q0, [x1]", "str q0, [x1]", "ldp x0, x1, [x2]", "stp x0, x1, [x2]", "mul x0, x1, x2", "madd x0, x1, x2, x3",
      "sdiv x0, x1, x2", "fadd d0, d1, d2", "fmul d0, d1, d2", "fmadd d0, d1, d2, d3", "fdiv d0, d1, d2", "b .",
      "cbz x0, .", "tbz x0, #3, .", "b.ne .", "fmov x0, d0", "fmov d0, x0", "fmov d0, d1", "csel x0, x1, x2, ne",
      "movi v0.4s, #0", "add v0.4s, v1.4s, v2.4s", "mul v0.4s, v1.4s, v2.4s", "shl v0.4s, v1.4s, #3",
      "ext v0.16b, v1.16b, v2.16b, #3", "scvtf d0, x0", "fcvtzs x0, d0", "ubfx x0, x1, #3, #4", "clz x0, x1",
      "rbit x0, x1", "adrp x0, .", "mov x0, #1", "fcmp d0, d1", "subs x0, x1, x2", "lsl x0, x1, x2",
      "ldr x0, [x1], #8", "addv s0, v1.4s", "cnt v0.8b, v1.8b", "fsqrt d0, d1", "umulh x0, x1, x2" },
    { "addq %rax, %rcx", "leaq 8(%rax), %rcx", "leaq 8(%rax,%rcx,4), %rdx", "shlq $3, %rax", "shlq %cl, %rax",
      "movq (%rax), %rcx", "movq %rax, (%rcx)", "movq %rax, 8(%rcx,%rdx,4)", "movb %al, (%rcx)", "imulq %rax, %rcx",
      "jne .", "jmp .", "cmovneq %rax, %rcx", "bswapq %rax", "addps %xmm0, %xmm1", "mulps %xmm0, %xmm1",
      "paddd %xmm0, %xmm1", "pand %xmm0, %xmm1", "pshufd $1, %xmm0, %xmm1", "movaps (%rax), %xmm0",
      "movaps %xmm0, (%rax)", "divps %xmm0, %xmm1", "pmullw %xmm0, %xmm1", "psllq $3, %xmm0", "psllq %xmm1, %xmm0",
      "movd %eax, %xmm0", "movd %xmm0, %eax", "movmskps %xmm0, %eax", "prefetcht0 (%rax)", "btq $3, %rax",
      "adcq %rax, %rcx", "setne %al", "movzbl %al, %ecx", "movslq %eax, %rcx", "andps %xmm0, %xmm1",
      "unpcklps %xmm0, %xmm1", "cvtdq2ps %xmm0, %xmm1", "psadbw %xmm0, %xmm1", "ucomisd %xmm0, %xmm1", "xorl %eax, %ecx",
      "cmpq %rax, %rcx", "rolq $3, %rax", "bsfq %rax, %rcx", "sqrtps %xmm0, %xmm1" }
};

/* Infers the uses of all instructions, those in doubt once more when the sets of the others are known. */
static void mca_uses(mca *m)
{
    unsigned i, k, u;
    for (i = m->insts; i < m->learnt; i++) mca_infer(m, &m->inst[i]);
    for (i = 0; i < m->insts; i++) mca_infer(m, &m->inst[i]);
    for (i = m->insts; i < m->learnt; i++) mca_infer(m, &m->inst[i]);
    for (i = 0; i < m->insts; i++) {
        mca_inst *x = &m->inst[i];
        uint64_t taken = 0;
        if (!mca_infer(m, x) && !mca_solve_known(m, x) && !mca_infer_pairs(m, x) && !mca_infer_reserved(m, x))
            mca_doubt(x, "two of its uses can take the same unit");
        for (u = 0; u < m->units; u++) taken |= (uint64_t)(x->taken[1][u] > 0) << u;
        if (x->uses != 0 && taken == 0) x->uses = x->latency = 0;     /* it is eliminated when registers are renamed */
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

/* An instruction that writes one register, late enough to be seen behind any read advance. */
static void mca_producer(const mca *m, mca_text *t, unsigned root, unsigned s, unsigned v)
{
    const unsigned r = root, w = root - 32;
    v -= 32;
    if (m->x86 && root < 32) mca_put(t, "cvttsd2si (%%%s), %%%s\n", mca_gpr[0][s], mca_gpr[0][r]);
    else if (m->x86 && root == MCA_FLAGS) mca_put(t, "ucomisd (%%%s), %%xmm%u\n", mca_gpr[0][s], v);
    else if (m->x86) mca_put(t, "divps (%%%s), %%xmm%u\n", mca_gpr[0][s], w);
    else if (root == 31) mca_put(t, "fcvtzs x%u, d%u\nmov sp, x%u\nadd sp, sp, #16\n", s, v, s);
    else if (root < 32) mca_put(t, "fcvtzs x%u, d%u\n", r, v);
    else if (root == MCA_FLAGS) mca_put(t, "fcmp d%u, d%u\n", v, v);
    else mca_put(t, "fdiv d%u, d%u, d%u\n", w, w, w);
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

/* When the last instruction of a region was dispatched and ready, and the one before it issued. */
typedef struct mca_seen {
    int dispatched, ready, issued, last_issued;
} mca_seen;

/*
 * Regions of an instruction and a register: behind a slow write of it, ready late if it reads it; a reader behind the
 * instruction; and all three, where the reader is early if the instruction writes the register and does not read it.
 */
enum { MCA_READS, MCA_WRITES, MCA_KILLS, MCA_PROBES };

static const char mca_timeline_options[] =
    "-json -iterations=1 -timeline -timeline-max-cycles=0 -instruction-info=0 -resource-pressure=0";

/* Candidates for registers that are no operands. */
static void mca_name_hidden(const mca *m, mca_inst *x)
{
    static const char *const xmm0[] = { "blendv", "pblendv", "sha256rnds2" };
    unsigned r;
    for (r = 0; m->x86 && r < 8; r++) if (!x->named[r]) x->named[r] = 1;
    for (r = 0; m->x86 && r < 3; r++)
        if (strncmp(x->text, xmm0[r], strlen(xmm0[r])) == 0 && !x->named[32]) x->named[32] = 1;
    if (!m->x86 && (strncmp(x->text, "bl", 2) == 0 || strncmp(x->text, "pac", 3) == 0 ||
                    strncmp(x->text, "aut", 3) == 0))
        x->named[30] = x->named[31] = 1;
    x->named[MCA_FLAGS] = 1;
}

/* A region of one kind for one register of an instruction. */
static void mca_write_probe(const mca *m, mca_text *t, unsigned kind, unsigned inst, unsigned root, unsigned source)
{
    const mca_inst *x = &m->inst[inst];
    unsigned s, v;
    mca_scratch(m, x, &s, &v);
    mca_region(t, kind == MCA_READS ? "P" : kind == MCA_WRITES ? "C" : kind == MCA_KILLS ? "W" : "D",
               kind == MCA_PROBES ? inst * MCA_ROOTS + source : inst, root);
    if (kind != MCA_WRITES) mca_producer(m, t, kind == MCA_PROBES ? source : root, s, v);
    mca_put(t, "%s\n", x->text);
    if (kind != MCA_READS) mca_consumer(m, t, root, s);
    mca_region_end(t);
}

/* Regions for all candidate registers; those of L have no instruction, for comparison: a reader behind a slow write. */
static void mca_write_probes(mca *m, mca_text *t)
{
    unsigned i, k, r;
    for (r = 0; r < MCA_ROOTS; r++) {
        const unsigned s = m->x86 ? r == 15 ? 14 : 15 : r == 28 ? 27 : 28;
        if (m->x86 && ((r >= 16 && r < 32) || (r >= 48 && r < 64))) continue;
        mca_region(t, "L", 0, r);
        mca_producer(m, t, r, s, r == 47 ? 46 : 47);
        mca_consumer(m, t, r, s);
        mca_region_end(t);
    }
    if (m->x86) {
        mca_region(t, "M", 0, 0);
        mca_put(t, "cvttsd2si (%%r15), %%rax\nmovb $1, %%al\n");
        mca_region_end(t);
    }
    for (i = 0; i < m->insts; i++) {
        mca_inst *x = &m->inst[i];
        mca_name_hidden(m, x);
        for (k = 0; k < i && !x->like && !mca_twice(x->text); k++)
            if (m->inst[k].opcode == x->opcode && !m->inst[k].like && !mca_twice(m->inst[k].text)) x->like = k + 1;
        x->probe = (mca_seen *)mca_more(NULL, MCA_ROOTS * MCA_PROBES * sizeof *x->probe);
        memset(x->probe, 0, MCA_ROOTS * MCA_PROBES * sizeof *x->probe);
        for (r = 0; r < MCA_ROOTS; r++)
            for (k = 0; x->named[r] && !mca_like(m, x, r) && k < MCA_PROBES; k++) mca_write_probe(m, t, k, i, r, 0);
    }
}

/*
 * The next region of llvm-mca's output at *p, which is at a name, or at the beginning: its name, and when its last two
 * instructions were where. 0: no more.
 */
static int mca_next_timeline(const char **p, char *kind, unsigned *inst, unsigned *root, mca_seen *s)
{
    char next_kind;
    unsigned next_inst, next_root;
    double v;
    int named = 0;
    memset(s, 0, sizeof *s);
    for (; *p != NULL && !mca_key(*p, "TargetInfo", &v); *p = mca_next_line(*p)) {
        if (mca_key(*p, "CycleDispatched", &v)) s->dispatched = (int)v;
        if (mca_key(*p, "CycleReady", &v)) s->ready = (int)v;
        if (mca_key(*p, "CycleIssued", &v)) s->issued = s->last_issued, s->last_issued = (int)v;
        if (!mca_named(*p, &next_kind, &next_inst, &next_root)) continue;
        if (named) return 1;
        named = 1;
        *kind = next_kind;
        *inst = next_inst;
        *root = next_root;
    }
    return named;
}

/* What the regions of an instruction and a register say. late: when a reader is ready behind the slow write. */
static void mca_judge(mca *m, mca_inst *x, unsigned root, int late)
{
    const mca_seen *p = &x->probe[root * MCA_PROBES + MCA_READS], *c = &x->probe[root * MCA_PROBES + MCA_WRITES];
    const mca_seen *w = &x->probe[root * MCA_PROBES + MCA_KILLS];
    const uint64_t bit = (uint64_t)1 << root % 64;
    const int reads = p->ready > p->dispatched && (!m->x86 || p->ready > p->issued + 1);  /* a store behind a load */
    if (reads) {
        x->reads[root / 64] |= bit;
        x->advance[root] = late - p->ready;
    }
    if (c->ready > c->dispatched) x->def_latency[root] = c->ready - c->issued;
    else if (w->ready < late && w->ready <= w->dispatched) x->def_latency[root] = x->latency;
    else if (reads && w->ready > late) x->def_latency[root] = w->ready - w->issued;
    else return;
    x->writes[root / 64] |= bit;
    if (c->ready <= c->dispatched && x->latency != 0 && x->uops > m->width) x->unseen[root / 64] |= bit;
}

static void mca_copy_hidden(mca *m)
{
    unsigned i, r;
    for (i = 0; i < m->insts; i++)
        for (r = 0; r < MCA_ROOTS; r++) {
            mca_inst *x = &m->inst[i];
            const mca_inst *y = x->like != 0 ? &m->inst[x->like - 1] : x;
            if (!mca_like(m, x, r)) continue;
            x->reads[r / 64] |= y->reads[r / 64] & (uint64_t)1 << r % 64;
            x->writes[r / 64] |= y->writes[r / 64] & (uint64_t)1 << r % 64;
            x->def_latency[r] = y->def_latency[r];
            x->advance[r] = y->advance[r];
        }
}

/* 1: a slow write of q before x, and a reader of r behind it, say more about r. */
static int mca_asks(const mca_inst *x, unsigned r, unsigned q)
{
    if (!(x->writes[r / 64] >> r % 64 & 1)) return 0;
    if (x->unseen[r / 64] >> r % 64 & 1 && x->reads[q / 64] >> q % 64 & 1) return 1;
    return x->latency == 0 && q != r && x->named[q] == 2;
}

/*
 * Results that the first probes do not show: of instructions without latency, and of those that are dispatched for
 * longer than they take. If an instruction did not wait for an operand, and its result is late all the same, then it was
 * eliminated: its result is another name of that operand.
 */
static int mca_late_probes(mca *m, const int *late)
{
    unsigned i, r, q, n = 0, inst, root;
    const char *p;
    mca_seen s;
    mca_text t;
    char *out, kind;
    memset(&t, 0, sizeof t);
    for (i = 0; i < m->insts; i++)
        for (r = 0; r < MCA_ROOTS; r++)
            for (q = 0; q < MCA_ROOTS; q++)
                if (mca_asks(&m->inst[i], r, q)) mca_write_probe(m, &t, MCA_PROBES, i, r, q), n++;
    out = n != 0 ? mca_run(m, 0, mca_timeline_options, t.v) : NULL;
    free(t.v);
    if (n != 0 && out == NULL) return 0;
    for (p = out; p != NULL && mca_next_timeline(&p, &kind, &inst, &root, &s);) {
        mca_inst *x = &m->inst[inst / MCA_ROOTS];
        q = inst % MCA_ROOTS;
        if (s.ready <= s.dispatched) continue;
        if (x->reads[q / 64] >> q % 64 & 1) {
            x->def_latency[root] = s.ready - s.issued;
            x->unseen[root / 64] &= ~((uint64_t)1 << root % 64);
        } else if (s.ready >= late[q]) x->alias[root] = q + 1;
    }
    free(out);
    for (i = 0; i < m->insts; i++) {
        mca_inst *x = &m->inst[i];
        if ((x->unseen[0] | x->unseen[1]) != 0)
            mca_doubt(x, "so many micro-operations that its registers do not show");
        for (n = r = 0; r < MCA_ROOTS; r++) n += x->alias[r] != 0;
        if (n != 0 && x->operands > 2) mca_doubt(x, "a swap that is eliminated");
    }
    return 1;
}

static int mca_probes(mca *m)
{
    int late[MCA_ROOTS];
    unsigned i, r, inst, root;
    const char *p;
    mca_seen s;
    mca_text t;
    char *out, kind;
    memset(&t, 0, sizeof t);
    memset(late, 0, sizeof late);
    mca_write_probes(m, &t);
    out = mca_run(m, 0, mca_timeline_options, t.v);
    free(t.v);
    if (out == NULL) return 0;
    for (p = out; mca_next_timeline(&p, &kind, &inst, &root, &s);) {
        if (kind == 'L') late[root] = s.ready;
        else if (kind == 'M') m->merges = s.ready > s.dispatched;
        else if (inst < m->insts && root < MCA_ROOTS)
            m->inst[inst].probe[root * MCA_PROBES + (kind == 'P' ? MCA_READS : kind == 'C' ? MCA_WRITES : MCA_KILLS)] = s;
    }
    free(out);
    for (i = 0; i < m->insts; i++)
        for (r = 0; r < MCA_ROOTS; r++)
            if (m->inst[i].named[r] && !mca_like(m, &m->inst[i], r)) mca_judge(m, &m->inst[i], r, late[r]);
    mca_copy_hidden(m);
    return mca_late_probes(m, late);
}

/* ----- pairs: whether a writer forwards its result early to a reader ----- */

static int mca_pair_cmp(const void *a, const void *b)
{
    const mca_pair *x = (const mca_pair *)a, *y = (const mca_pair *)b;
    if (x->writer != y->writer) return x->writer < y->writer ? -1 : 1;
    return x->reader < y->reader ? -1 : x->reader > y->reader;
}

static mca_pair *mca_pair_of(const mca *m, unsigned writer, unsigned reader)
{
    mca_pair key;
    key.writer = writer;
    key.reader = reader;
    return (mca_pair *)bsearch(&key, m->pair, m->pairs, sizeof *m->pair, mca_pair_cmp);
}

/* The latency of a def for a reader, as the probes say. */
static int mca_latency(const mca_inst *w, const mca_inst *x, unsigned def, unsigned read)
{
    const int own = w->def_latency[def] - x->advance[read];
    return own > 0 ? own : 0;
}

/* The pairs of all links, once each. */
static void mca_list_pairs(mca *m)
{
    unsigned i, r, n = 0;
    m->pair = (mca_pair *)mca_more(NULL, m->links * sizeof *m->pair);
    for (i = 0; i < m->links; i++) {
        m->pair[i].writer = m->line[m->link[i].writer];
        m->pair[i].reader = m->line[m->link[i].reader];
        m->pair[i].latency = 0;
        m->pair[i].roots = 0;
        m->pair[i].seen = -1;
    }
    qsort(m->pair, m->links, sizeof *m->pair, mca_pair_cmp);
    for (i = 0; i < m->links; i++)
        if (i == 0 || mca_pair_cmp(&m->pair[i], &m->pair[i - 1]) != 0) m->pair[n++] = m->pair[i];
    m->pairs = n;
    for (i = 0; i < n; i++) {
        mca_pair *q = &m->pair[i];
        const mca_inst *w = &m->inst[q->writer], *x = &m->inst[q->reader];
        for (r = 0; r < MCA_ROOTS; r++) {
            if (!(w->writes[r / 64] & x->reads[r / 64] & (uint64_t)1 << r % 64)) continue;
            q->roots++;
            q->root = r;
            if (mca_latency(w, x, r, r) > q->latency) q->latency = mca_latency(w, x, r, r);
        }
    }
}

/* Measures every writer and reader of a region, one behind the other. */
static int mca_pair_check(mca *m)
{
    unsigned i, inst, root;
    const char *p;
    mca_text t;
    mca_seen s;
    char *out, kind;
    memset(&t, 0, sizeof t);
    mca_list_pairs(m);
    if (m->pairs == 0) return 1;
    for (i = 0; i < m->pairs; i++) {
        mca_region(&t, "A", i, 0);
        mca_put(&t, "%s\n%s\n", m->inst[m->pair[i].writer].text, m->inst[m->pair[i].reader].text);
        mca_region_end(&t);
    }
    out = mca_run(m, 0, mca_timeline_options, t.v);
    free(t.v);
    if (out == NULL) return 0;
    for (p = out; mca_next_timeline(&p, &kind, &inst, &root, &s);) {
        mca_pair *q = inst < m->pairs ? &m->pair[inst] : NULL;
        int at;
        if (q == NULL) continue;
        at = s.issued + q->latency;
        if (s.ready > s.dispatched && q->roots == 1) q->seen = s.ready - s.issued;
        else if (q->roots != 0 && s.ready != (at > s.dispatched ? at : s.dispatched) &&
                 !(at <= s.dispatched && s.ready <= s.dispatched))
            mca_doubt(&m->inst[q->reader], "a result that is forwarded early (read advance)");
    }
    free(out);
    return 1;
}

#endif
