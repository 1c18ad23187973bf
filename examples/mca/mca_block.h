/* mca_block.h - the part of mca.h about the machine and the block; mca.h includes it */
#ifndef MCA_BLOCK_H
#define MCA_BLOCK_H

/* ----- the machine ----- */

/* A slow chain that keeps everything behind it from being retired. */
static void mca_chain(const mca *m, mca_text *t, unsigned n)
{
    while (n-- > 0) mca_put(t, m->x86 ? "imulq %%rax, %%rax\n" : "mul x0, x0, x0\n");
}

/* How many instructions are retired per cycle: those that wait behind the chain go all at once, or some at a time. */
static int mca_retire(mca *m)
{
    mca_text t;
    const char *p;
    char *out;
    int n, cycles, most = 0, in = 0, i;
    memset(&t, 0, sizeof t);
    mca_chain(m, &t, 24);
    for (i = 0; i < 36; i++) mca_put(&t, "nop\n");
    out = mca_run(m, 0, "-iterations=1 -retire-stats -instruction-info=0 -resource-pressure=0", t.v);
    free(t.v);
    if (out == NULL) return 0;
    for (p = out; p != NULL; p = mca_next_line(p)) {
        if (strncmp(p, "[# retired]", 11) == 0) in = 1;
        else if (in && sscanf(p, " %d, %d", &n, &cycles) == 2 && n > most) most = n;
    }
    m->retire = most < 32 ? most : 0;
    free(out);
    return 1;
}

/* Entries of the load or the store queue: as many as are dispatched before it is full. 0: it never is. */
static int mca_queue(mca *m, int stores)
{
    mca_text t;
    const char *p;
    char *out;
    double v, full = 0, last = 0;
    int i = 0, n = 0;
    memset(&t, 0, sizeof t);
    mca_chain(m, &t, 60);
    for (i = 0; i < 300; i++)
        mca_put(&t, m->x86 ? stores ? "movq %%rdx, (%%rdi)\n" : "movq (%%rdi), %%rdx\n"
                           : stores ? "str x2, [x3]\n" : "ldr x2, [x3]\n");
    out = mca_run(m, 0, "-json -iterations=1 -timeline -timeline-max-cycles=0 -dispatch-stats -instruction-info=0 "
                        "-resource-pressure=0", t.v);
    free(t.v);
    if (out == NULL) return 0;
    for (p = out, i = 0; p != NULL; p = mca_next_line(p)) {
        if (mca_key(p, stores ? "SQ" : "LQ", &v)) full = v;
        if (mca_key(p, "CycleDispatched", &v)) n += i++ >= 60 && v < last;
        if (i == 60 && mca_key(p, "CycleExecuted", &v)) last = v;
        if (i < 60 && mca_key(p, "CycleExecuted", &v)) last = v;
    }
    if (full > 0) *(stores ? &m->stores : &m->loads) = n;
    free(out);
    return 1;
}

/* Regions in which llvm-mca runs out of something that is not modelled. */
static int mca_stalls(mca *m)
{
    mca_text t;
    unsigned i, inst = 0, root;
    double v, wrong = 0;
    const char *p;
    char *out, kind, options[120];
    memset(&t, 0, sizeof t);
    for (i = 0; i < m->lines; i++) {
        if (i == 0 || m->region[i] != m->region[i - 1]) mca_region(&t, "R", m->region[i], 0);
        mca_put(&t, "%s\n", m->inst[m->line[i]].text);
        if (i + 1 == m->lines || m->region[i + 1] != m->region[i]) mca_region_end(&t);
    }
    snprintf(options, sizeof options,
             "-json -iterations=%u -dispatch-stats -instruction-info=0 -resource-pressure=0 %s",
             m->how->iterations != 0 ? m->how->iterations : 100, m->how->alias ? "-noalias=false" : "");
    out = mca_run(m, 0, options, t.v);
    free(t.v);
    if (out == NULL) return 0;
    for (p = out; p != NULL; p = mca_next_line(p)) {
        if (mca_key(p, "GROUP", &v)) wrong = v;
        if (mca_key(p, "TotalCycles", &v)) m->cycles[inst < m->regions ? inst : 0] = (unsigned)v;
        if (mca_key(p, "RAT", &v) || mca_key(p, "USH", &v)) wrong += v;
        if (mca_named(p, &kind, &inst, &root) && inst < m->regions) m->stalled[inst] = wrong > 0;
    }
    free(out);
    return 1;
}

/* ----- the block ----- */

/* The instruction of this text, found or made. */
static unsigned mca_intern(mca *m, const char *text, size_t size)
{
    unsigned i;
    mca_inst *x;
    for (i = 0; i < m->insts; i++)
        if (strlen(m->inst[i].text) == size && memcmp(m->inst[i].text, text, size) == 0) return i;
    m->inst = (mca_inst *)mca_more(m->inst, (m->insts + 1) * sizeof *m->inst);
    x = &m->inst[m->insts++];
    memset(x, 0, sizeof *x);
    x->text = (char *)mca_more(NULL, size + 1);
    memcpy(x->text, text, size);
    x->text[size] = '\0';
    return i;
}

/* Cuts the input into regions ("# LLVM-MCA-BEGIN", "-END", or all of it) and instructions, one in a line. */
static int mca_parse(mca *m, const char *text)
{
    const int marked = strstr(text, "LLVM-MCA-BEGIN") != NULL;
    int inside = !marked;
    unsigned i;
    const char *p, *next;
    m->regions = !marked;
    for (p = text; p != NULL && *p != '\0'; p = next) {
        size_t n = strcspn(p, "\n");
        size_t k;
        next = p[n] != '\0' ? p + n + 1 : p + n;
        for (k = 0; k + 14 <= n; k++) {
            if (memcmp(p + k, "LLVM-MCA-BEGIN", 14) == 0) inside = 1, m->regions++;
            if (memcmp(p + k, "LLVM-MCA-END", 12) == 0) inside = 0;
        }
        if (n >= 12 && memcmp(p + n - 12, "LLVM-MCA-END", 12) == 0) inside = 0;
        for (k = 0; k < n; k++)
            if ((m->x86 && p[k] == '#') || (p[k] == '/' && k + 1 < n && p[k + 1] == '/')) n = k;
        while (n > 0 && (*p == ' ' || *p == '\t')) p++, n--;
        while (n > 0 && (p[n - 1] == ' ' || p[n - 1] == '\t' || p[n - 1] == '\r' || p[n - 1] == ';')) n--;
        if (n == 0 || *p == '.' || *p == '#' || p[n - 1] == ':' || !inside) continue;
        m->line = (unsigned *)mca_more(m->line, (m->lines + 1) * sizeof *m->line);
        m->region = (unsigned *)mca_more(m->region, (m->lines + 1) * sizeof *m->region);
        m->line[m->lines] = mca_intern(m, p, n);
        m->region[m->lines++] = m->regions - 1;
    }
    m->begin = (unsigned *)mca_more(NULL, (m->regions + 1) * sizeof *m->begin);
    for (i = 0; i <= m->regions; i++) m->begin[i] = m->lines;
    for (i = m->lines; i-- > 0;) m->begin[m->region[i]] = i;
    for (i = m->regions; i-- > 0;)
        if (m->begin[i] > m->begin[i + 1]) m->begin[i] = m->begin[i + 1];
    return m->lines != 0 || mca_fail(m, "there is no instruction");
}

/* 1: its text shows that it writes no register: a store without a new address, nothing at all. */
static int mca_writes_nothing(const mca *m, const mca_inst *x)
{
    if (strncmp(x->text, "nop", 3) == 0) return 1;
    return !m->x86 && x->store && !x->load && x->text[0] == 's' && x->text[1] == 't' && strpbrk(x->text, "!") == NULL &&
           strstr(x->text, "],") == NULL;
}

/* Words of instructions that order memory or do more than the model says. */
static void mca_special(mca *m)
{
    static const char *const word[] = { "fence", "lock", "xchg", "dmb", "dsb", "isb", "ldar", "stlr", "ldax", "stlx",
                                        "ldxr", "stxr", "rep", "cpuid", "syscall", "svc", "call", "bl\t", "ret" };
    unsigned i, k;
    for (i = 0; i < m->insts; i++) {
        mca_inst *x = &m->inst[i];
        for (k = 0; k < sizeof word / sizeof *word; k++)
            if (strstr(x->text, word[k]) != NULL) mca_doubt(x, "a barrier, a call or a system instruction");
        if (m->x86 && x->operands != 0) {
            const mca_reg *r = mca_numbered(m, x->operand[0]);
            const int reads = r != NULL && x->reads[r->root / 64] >> r->root % 64 & 1;
            if (r != NULL && mca_twice(x->text) && !reads) mca_doubt(x, "it does not depend on its operands");
            if (reads && x->operands == 1 && x->writes[r->root / 64] >> r->root % 64 & 1)
                mca_doubt(x, "its operand is a hidden one, too");
        }
        if (m->x86 && x->operands == 0 && (x->load || x->store || x->uops > 2))
            mca_doubt(x, "an instruction with hidden operands");
        if (x->latency == 0 && !mca_writes_nothing(m, x))
            mca_doubt(x, "an instruction without latency: its registers do not show");
        if (x->uops > m->width && x->latency <= x->uops / m->width)
            mca_doubt(x, "so many micro-operations that its registers do not show");
    }
}

/* The number and the name of a root in a region: those of its first definition; else any. */
static const mca_reg *mca_representative(const mca *m, unsigned region, unsigned root, const char **doubt)
{
    const mca_reg *found = NULL;
    unsigned i, k;
    for (i = m->begin[region]; i < m->begin[region + 1]; i++) {
        const mca_inst *x = &m->inst[m->line[i]];
        const mca_reg *r = NULL;
        if (!(x->writes[root / 64] >> root % 64 & 1)) continue;
        for (k = 0; k < x->operands && (r == NULL || r->root != root); k++) r = mca_numbered(m, x->operand[k]);
        if (r == NULL || r->root != root) r = mca_sized(m, root, root >= 32 ? 128 : x->bits == 32 ? 32 : 64);
        if (r == NULL) continue;
        if (m->x86 && root < 32 && r->bits < 32) *doubt = "a part of a register is written";
        if (found == NULL) found = r;
        else if (found != r) *doubt = "a register is written in different widths";
    }
    for (i = m->begin[region]; found != NULL && (!m->x86 || found->bits == 128) && i < m->begin[region + 1]; i++)
        for (k = 0; k < m->inst[m->line[i]].operands; k++) {
            const mca_reg *r = mca_numbered(m, m->inst[m->line[i]].operand[k]);
            if (r != NULL && r->root == root && r->bits > found->bits)
                *doubt = "a register is read wider than it is written";
        }
    return found != NULL ? found : mca_sized(m, root, root < 32 ? 64 : 128);
}

static unsigned mca_number(const mca *m, unsigned region, unsigned root)
{
    const char *doubt;
    return root == MCA_FLAGS ? m->flags : mca_representative(m, region, root, &doubt)->number;
}

/*
 * The registers of an instruction in LLVM's order: definitions are the first operands (one that is read too stands
 * behind them again), then come reads in the order of operands, and registers that are no operands.
 */
static void mca_write_registers(const mca *m, mca_text *t, const mca_inst *x, unsigned region)
{
    unsigned defs = 0, k, j, n = 0, r;
    unsigned char shown[MCA_ROOTS];
    for (; defs < x->operands; defs++) {
        const mca_reg *d = mca_numbered(m, x->operand[defs]);
        int again = 0;
        if (d == NULL || !(x->writes[d->root / 64] >> d->root % 64 & 1)) break;
        for (j = defs + 1; j < x->operands; j++) {
            const mca_reg *u = mca_numbered(m, x->operand[j]);
            again |= u != NULL && u->root == d->root;
        }
        if (x->reads[d->root / 64] >> d->root % 64 & 1 && !again) break;
        for (j = 0; j < defs; j++) if (x->operand[j] == x->operand[defs]) break;
        if (j < defs) break;
    }
    for (r = 0; r < MCA_ROOTS; r++)
        if (x->writes[r / 64] >> r % 64 & 1)
            mca_put(t, "%s%u:%d", n++ == 0 ? " def " : ",", mca_number(m, region, r), x->def_latency[r]);
    memset(shown, 0, sizeof shown);
    for (n = 0, k = defs; k < x->operands; k++) {
        const mca_reg *u = mca_numbered(m, x->operand[k]);
        if (u == NULL || !(x->reads[u->root / 64] >> u->root % 64 & 1)) continue;
        mca_put(t, "%s%u", n++ == 0 ? " read " : ",", mca_number(m, region, u->root));
        shown[u->root] = 1;
    }
    for (r = 0; r < MCA_ROOTS; r++)
        if (x->reads[r / 64] >> r % 64 & 1 && !shown[r])
            mca_put(t, "%s%u", n++ == 0 ? " read " : ",", mca_number(m, region, r));
}

/* The model of one region. */
static char *mca_write(const mca *m, unsigned region)
{
    const char *doubt = m->stalled[region] ? "registers are exhausted, or dispatch has restrictions" : NULL;
    unsigned i, k, n = 0, bit = 0, r;
    mca_text t;
    memset(&t, 0, sizeof t);
    mca_put(&t, "model dispatch %d rob %d retire %d noalias %u lq %d sq %d iterations %u\n", m->width, m->rob,
            m->retire, !m->how->alias, m->loads, m->stores, m->how->iterations != 0 ? m->how->iterations : 100);
    for (k = 0; k < m->buffers; k++) mca_put(&t, "buffer %u size %d\n", k, m->entries[k]);
    for (k = 0; k < m->units; k = i, bit++) {
        uint64_t units = 0;
        for (i = k; i < m->units && strcmp(m->unit[i], m->unit[k]) == 0; i++) units |= (uint64_t)1 << i;
        mca_put(&t, "resource %s mask 0x%llx units 0x%llx\n", m->unit[k], 1ULL << bit, (unsigned long long)units);
    }
    for (r = 0; r < 64; r++) {
        const mca_reg *g;
        for (i = m->begin[region]; i < m->begin[region + 1]; i++)
            if (m->inst[m->line[i]].writes[0] >> r & 1) break;
        if (i == m->begin[region + 1]) continue;
        g = mca_representative(m, region, r, &doubt);
        mca_put(&t, "register %u %s\n", g->number, g->name);
    }
    mca_put(&t, "register %u %s\n", m->flags, m->x86 ? "%flags" : "nzcv");
    for (i = m->begin[region]; i < m->begin[region + 1]; i++) {
        const mca_inst *x = &m->inst[m->line[i]];
        if (x->why[0] != '\0') mca_put(&t, "estimate %s: %s\n", x->why, x->text);
        mca_put(&t, "inst %u uops %d lat %d", n, x->uops, x->latency);
        for (k = 0; k < x->uses; k++)
            mca_put(&t, "%s0x%llx:%u", k == 0 ? " res " : ",", (unsigned long long)x->use[k].units, x->use[k].cycles);
        for (k = r = 0; k < m->buffers; k++)
            if (x->buffers >> k & 1) mca_put(&t, "%s%u", r++ == 0 ? " buf " : ",", k);
        mca_write_registers(m, &t, x, region);
        mca_put(&t, "%s%s\ntext %u %s\n", x->load ? " load" : "", x->store ? " store" : "", n,
                x->shown != NULL ? x->shown : x->text);
        n++;
    }
    mca_put(&t, "cycles %u\n", m->cycles[region]);
    if (doubt != NULL) mca_put(&t, "estimate %s\n", doubt);
    return t.v;
}

/*
 * Models of the blocks in an assembly text: one for each region between "# LLVM-MCA-BEGIN" and "# LLVM-MCA-END", or one
 * for all of it.
 *
 *   models, count   get an array of terminated texts, for mca_free, and their number
 *   why, why_size   get a sentence if it fails
 *
 * Returns 1; 0: llvm-mca-19 or llvm-mc-19 does not work, does not know the CPU, or does not take the text.
 */
static int mca_models(const mca_options *how, const char *text, char ***models, size_t *count, char *why,
                      size_t why_size)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-";
    mca *m = (mca *)mca_more(NULL, sizeof *m);
    unsigned i;
    int ok;
    memset(m, 0, sizeof *m);
    m->how = how;
    m->mcpu = how->mcpu != NULL ? how->mcpu : "skylake";
    m->mtriple = how->mtriple != NULL ? how->mtriple : "x86_64";
    m->x86 = strncmp(m->mtriple, "x86_64", 6) == 0;
    *models = NULL;
    *count = 0;
    ok = m->x86 || strncmp(m->mtriple, "aarch64", 7) == 0 || mca_fail(m, "only x86_64 and aarch64 are known");
    ok = ok && (strlen(m->mcpu) == strspn(m->mcpu, plain) || mca_fail(m, "a CPU of this name cannot be"));
    ok = ok && (strlen(m->mtriple) == strspn(m->mtriple, plain) || mca_fail(m, "a triple of this name cannot be"));
    ok = ok && mca_parse(m, text) && mca_assemble(m) && mca_tables(m) && mca_copies(m) && mca_buffers(m) &&
         mca_retire(m) && mca_queue(m, 0) && mca_queue(m, 1) && mca_probes(m);
    if (ok) {
        mca_uses(m);
        mca_special(m);
        m->stalled = (int *)mca_more(NULL, m->regions * sizeof *m->stalled);
        memset(m->stalled, 0, m->regions * sizeof *m->stalled);
        m->cycles = (unsigned *)mca_more(NULL, m->regions * sizeof *m->cycles);
        memset(m->cycles, 0, m->regions * sizeof *m->cycles);
        ok = mca_pair_check(m) && mca_stalls(m);
    }
    if (ok) {
        *models = (char **)mca_more(NULL, m->regions * sizeof **models);
        for (i = 0; i < m->regions; i++) (*models)[i] = mca_write(m, i);
        *count = m->regions;
    }
    snprintf(why, why_size, "%s", m->why);
    for (i = 0; i < m->insts; i++) free(m->inst[i].text), free(m->inst[i].shown);
    free(m->inst);
    free(m->line);
    free(m->region);
    free(m->pair);
    free(m->stalled);
    free(m->begin);
    free(m->cycles);
    free(m);
    return ok;
}

static void mca_free(char **models, size_t count)
{
    while (count != 0) free(models[--count]);
    free(models);
}

#endif
