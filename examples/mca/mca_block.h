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

/* The cycles of each region, and whether dispatch stalls for a reason that is not modelled. */
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
        if (mca_key(p, "USH", &v)) wrong += v;
        if (mca_named(p, &kind, &inst, &root) && inst < m->regions) m->stalled[inst] = wrong > 0;
    }
    free(out);
    return 1;
}

/* ----- the block ----- */

/* The instruction of this text, found or made. The count of those of the block grows. */
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

/* Adds the instructions that show candidate sets. */
static void mca_learn(mca *m)
{
    const unsigned own = m->insts;
    unsigned i;
    for (i = 0; i < sizeof mca_simple[0] / sizeof *mca_simple[0]; i++)
        mca_intern(m, mca_simple[m->x86][i], strlen(mca_simple[m->x86][i]));
    m->learnt = m->insts;
    m->insts = own;
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

/* Instructions that order memory or do more than the model says. */
static void mca_special(mca *m)
{
    static const char *const word[] = { "mfence", "lfence", "sfence", "dmb", "dsb", "isb", "rep", "cpuid", "syscall",
                                        "svc", "call", "bl ", "blr ", "ret", "vzero", "incssp", "enter", "wait" };
    unsigned i, k;
    for (i = 0; i < m->insts; i++) {
        mca_inst *x = &m->inst[i];
        if (m->x86 && mca_twice(x->text) && (strncmp(x->text, "xchg", 4) == 0 || strncmp(x->text, "xadd", 4) == 0))
            mca_doubt(x, "it exchanges a register with itself");
        for (k = 0; k < sizeof word / sizeof *word; k++)
            if (strncmp(x->text, word[k], strlen(word[k])) == 0)
                mca_doubt(x, "a barrier, a call or a system instruction");
        if (m->x86 && x->operands == 1 && (strncmp(x->text, "mul", 3) == 0 || strncmp(x->text, "imul", 4) == 0 ||
                                           strncmp(x->text, "div", 3) == 0 || strncmp(x->text, "idiv", 4) == 0)) {
            const mca_reg *r = mca_numbered(m, x->operand[0]);
            if (r != NULL && x->writes[r->root / 64] >> r->root % 64 & 1)
                mca_doubt(x, "its operand is a hidden one, too");
        }
    }
}

/* ----- who writes what a read needs, by LLVM's rules (its RegisterFile) ----- */

/* Of a register by its index; that of the flags is m->regs. */
static unsigned mca_root_of(const mca *m, unsigned id) { return id == m->regs ? MCA_FLAGS : m->reg[id].root; }

/* 1: register `part` is a part of `whole`, and not all of it. */
static int mca_inside(const mca *m, unsigned part, unsigned whole)
{
    return part != m->regs && whole != m->regs && m->reg[part].root == m->reg[whole].root &&
           m->reg[part].bits < m->reg[whole].bits;
}

static unsigned mca_id_of(const mca *m, unsigned root, unsigned bits)
{
    const mca_reg *const r = mca_sized(m, root, bits);
    return root == MCA_FLAGS || r == NULL ? m->regs : (unsigned)(r - m->reg);
}

/* The register that stands for a root that is no operand. */
static unsigned mca_hidden_id(const mca *m, const mca_inst *x, unsigned root)
{
    return mca_id_of(m, root, root >= 32 ? 128 : m->x86 && x->bits == 32 ? 32 : 64);
}

/*
 * Definitions are the first operands in LLVM's order (one that is read too stands behind them again); behind them come
 * reads. Returns the number of definitions.
 */
static unsigned mca_explicit_defs(const mca *m, const mca_inst *x)
{
    unsigned defs = 0, j;
    for (; defs < x->operands; defs++) {
        const mca_reg *d = mca_numbered(m, x->operand[defs]);
        int again = 0;
        if (d == NULL || !(x->writes[d->root / 64] >> d->root % 64 & 1)) break;
        for (j = defs + 1; j < x->operands; j++) {
            const mca_reg *u = mca_numbered(m, x->operand[j]);
            again |= u != NULL && u->root == d->root;
        }
        if (x->reads[d->root / 64] >> d->root % 64 & 1 && !again && !(m->merges && d->bits < 32)) break;
        for (j = 0; j < defs; j++) if (x->operand[j] == x->operand[defs]) break;
        if (j < defs) break;
    }
    return defs;
}

/* The register of a root as an instruction writes it. */
static unsigned mca_def_id(const mca *m, const mca_inst *x, unsigned root)
{
    const unsigned defs = mca_explicit_defs(m, x);
    unsigned k;
    for (k = 0; k < defs || (defs == 0 && k < x->operands); k++) {
        const mca_reg *r = mca_numbered(m, x->operand[k]);
        if (r != NULL && r->root == root) return (unsigned)(r - m->reg);
    }
    return mca_hidden_id(m, x, root);
}

/* The register of a root that is read but is no operand for LLVM: the one in the text, as in "shlq %cl, %rax". */
static unsigned mca_said_id(const mca *m, const mca_inst *x, unsigned root)
{
    unsigned i;
    for (i = 0; m->x86 && i < m->regs; i++) {
        const char *const at = m->reg[i].root == root ? strstr(x->text, m->reg[i].name) : NULL;
        if (at != NULL && strchr(", )", at[strlen(m->reg[i].name)]) != NULL) return i;
    }
    return root < 32 ? mca_id_of(m, root, 64) : mca_hidden_id(m, x, root);
}

/* 1: it writes a part of a register, on a CPU that merges the rest. */
static int mca_merges(const mca *m, const mca_inst *x)
{
    const unsigned defs = mca_explicit_defs(m, x);
    const mca_reg *r = defs != 0 ? mca_numbered(m, x->operand[0]) : NULL;
    return m->merges && r != NULL && r->root < 32 && r->bits < 32;
}

/* The registers that an instruction reads, in LLVM's order. Returns their number. */
static unsigned mca_read_ids(const mca *m, const mca_inst *x, unsigned *id)
{
    unsigned char shown[MCA_ROOTS];
    unsigned k, r, n = 0;
    memset(shown, 0, sizeof shown);
    for (k = mca_explicit_defs(m, x); k < x->operands; k++) {
        const mca_reg *u = mca_numbered(m, x->operand[k]);
        if (u == NULL || !(x->reads[u->root / 64] >> u->root % 64 & 1)) continue;
        id[n++] = (unsigned)(u - m->reg);
        shown[u->root] = 1;
    }
    for (r = 0; r < MCA_ROOTS && n < 2 * MCA_LIST; r++)
        if (x->reads[r / 64] >> r % 64 & 1 && !shown[r])
            id[n++] = mca_said_id(m, x, r);
    return n;
}

typedef struct mca_map {          /* of a register: the line and root of its last def; or the register that it stands for */
    unsigned line, root, alias;   /* line and alias + 1; 0: none */
    int stale;                    /* 1: the other register was written since */
} mca_map;

/* 1: a write to this register writes all of its root. */
static int mca_clears(const mca *m, const mca_inst *x, unsigned id)
{
    if (id == m->regs) return 0;
    return m->reg[id].root < 32 ? m->reg[id].bits == 32 : !m->x86 || x->text[0] == 'v';
}

static void mca_define(mca *m, mca_map *map, const mca_inst *x, unsigned line, unsigned root)
{
    const unsigned own = mca_def_id(m, x, root);
    const int part = m->merges && own != m->regs && m->reg[own].root < 32 && m->reg[own].bits < 32;
    const unsigned id = part ? mca_id_of(m, root, 64) : own;
    unsigned i, alias = x->alias[root] != 0 ? mca_id_of(m, x->alias[root] - 1, root < 32 ? 64 : m->x86 ? 256 : 128) + 1 : 0;
    if (alias != 0 && map[alias - 1].alias != 0) alias = map[alias - 1].alias;
    if (part && map[id].alias != 0) m->crossed[m->region[line]] = 1;     /* LLVM still knows its own last def */
    for (i = 0; i <= m->regs; i++)
        if (map[i].alias != 0 && i != id && map[i].alias != alias &&
            mca_root_of(m, map[i].alias - 1) == root && mca_root_of(m, i) != root)
            map[i].stale = 1;
    for (i = 0; i <= m->regs; i++)
        if (i == id || mca_inside(m, i, id) || (mca_clears(m, x, own) && mca_inside(m, id, i))) {
            map[i].line = line + 1;
            map[i].root = root;
            map[i].alias = alias;
            map[i].stale = 0;
            if (alias != 0) map[i].line = 0;
        }
}

static void mca_add_link(mca *m, unsigned first, const mca_link *l)
{
    unsigned i;
    for (i = first; i < m->links; i++)
        if (m->link[i].writer == l->writer && m->link[i].def == l->def) return;
    if (m->links % 64 == 0) m->link = (mca_link *)mca_more(m->link, (m->links + 64) * sizeof *m->link);
    m->link[m->links++] = *l;
}

/* The defs that a read of a register depends on: its own last one, and those of its parts. */
static void mca_read(mca *m, const mca_map *map, unsigned line, unsigned id)
{
    const unsigned at = map[id].alias != 0 ? map[id].alias - 1 : id, first = m->links;
    unsigned i;
    if (map[id].stale) m->crossed[m->region[line]] = 1;
    for (i = 0; i <= m->regs; i++) {
        mca_link l;
        if ((i != at && !mca_inside(m, i, at)) || map[i].line == 0) continue;
        l.reader = line;
        l.read = mca_root_of(m, id);
        l.writer = map[i].line - 1;
        l.def = map[i].root;
        mca_add_link(m, first, &l);
    }
}

/* Links of a region, as they are when it has executed once. */
static void mca_flow(mca *m, unsigned region)
{
    mca_map map[MCA_REGS + 1];
    unsigned id[2 * MCA_LIST + MCA_ROOTS], turn, i, k, n, r;
    memset(map, 0, sizeof map);
    for (turn = 0; turn < 2; turn++)
        for (i = m->begin[region]; i < m->begin[region + 1]; i++) {
            const mca_inst *x = &m->inst[m->line[i]];
            n = turn == 1 ? mca_read_ids(m, x, id) : 0;
            for (k = 0; k < n; k++) mca_read(m, map, i, id[k]);
            for (r = 0; r < MCA_ROOTS; r++)
                if (x->writes[r / 64] >> r % 64 & 1) mca_define(m, map, x, i, r);
        }
}

/* 1: an instruction moves a register that was set to zero: some CPUs eliminate just these moves. */
static int mca_moves_zero(const mca *m, unsigned line)
{
    const mca_inst *x = &m->inst[m->line[line]];
    unsigned k;
    if (!m->merges || x->latency == 0 || strstr(x->text, "mov") == NULL || x->load || x->store) return 0;
    for (k = 0; k < m->links; k++) {
        const mca_inst *w = &m->inst[m->line[m->link[k].writer]];
        if (m->link[k].reader == line && w->latency == 0 && w->uses == 0) return 1;
    }
    return 0;
}

/* 1: a register that it reads was written in parts, by several instructions. */
static int mca_gathers(const mca *m, unsigned line)
{
    const mca_link *first = NULL;
    unsigned k;
    for (k = 0; k < m->links; k++) {
        const mca_link *l = &m->link[k];
        if (l->reader != line) continue;
        if (first != NULL && first->read == l->read && (first->writer != l->writer || first->def != l->def)) return 1;
        first = l;
    }
    return 0;
}

/* ----- registers of a region as numbers, so that the last def of a number before a read is the one it depends on ----- */

typedef struct mca_names {
    unsigned  first;              /* line of the region */
    unsigned *number;             /* of each line and root; 0: it writes none */
} mca_names;

static unsigned *mca_number_at(const mca_names *n, unsigned line, unsigned root)
{
    return &n->number[(line - n->first) * MCA_ROOTS + root];
}

/* 1: the last def of a link's number before its reader is the one that the link says. */
static int mca_is_last(const mca_names *n, unsigned end, const mca_link *l)
{
    const unsigned number = *mca_number_at(n, l->writer, l->def), lines = end - n->first;
    unsigned k, r;
    for (k = 1; k <= lines; k++) {
        const unsigned line = n->first + (l->reader - n->first + lines - k) % lines;
        if (line == l->writer) return 1;
        for (r = 0; r < MCA_ROOTS; r++) if (*mca_number_at(n, line, r) == number) return 0;
    }
    return 0;
}

/* The name of a def's register. */
static const char *mca_def_name(const mca *m, unsigned line, unsigned root)
{
    const unsigned id = mca_def_id(m, &m->inst[m->line[line]], root);
    return id != m->regs ? m->reg[id].name : m->x86 ? "%flags" : "nzcv";
}

/* Numbers for all defs: LLVM's; where these would mislead (parts of registers, other names), new ones. */
static void mca_number_defs(const mca *m, unsigned region, mca_names *n, mca_text *t)
{
    const unsigned end = m->begin[region + 1];
    unsigned i, r, k, fresh = 40000;
    int moved = 1;
    n->first = m->begin[region];
    n->number = (unsigned *)mca_more(NULL, (end - n->first + 1) * MCA_ROOTS * sizeof *n->number);
    memset(n->number, 0, (end - n->first + 1) * MCA_ROOTS * sizeof *n->number);
    for (i = n->first; i < end; i++)
        for (r = 0; r < MCA_ROOTS; r++) {
            const mca_inst *x = &m->inst[m->line[i]];
            unsigned id;
            if (!(x->writes[r / 64] >> r % 64 & 1) || x->alias[r] != 0) continue;
            id = mca_def_id(m, x, r);
            *mca_number_at(n, i, r) = id != m->regs ? m->reg[id].number : m->flags;
        }
    while (moved) {
        moved = 0;
        for (k = 0; k < m->links; k++) {
            const mca_link *l = &m->link[k];
            if (l->reader < n->first || l->reader >= end || mca_is_last(n, end, l)) continue;
            *mca_number_at(n, l->writer, l->def) = fresh++;
            moved = 1;
        }
    }
    mca_put(t, "register %u %s\n", m->flags, m->x86 ? "%flags" : "nzcv");
    for (i = n->first; i < end; i++)
        for (r = 0; r < MCA_ROOTS; r++) {
            const unsigned number = *mca_number_at(n, i, r);
            if (number != 0 && number != m->flags) mca_put(t, "register %u %s\n", number, mca_def_name(m, i, r));
        }
}

/* The defs and reads of a line. */
static void mca_write_registers(const mca *m, mca_text *t, unsigned line, const mca_names *names)
{
    const mca_inst *x = &m->inst[m->line[line]];
    unsigned r, n = 0, k;
    for (r = 0; r < MCA_ROOTS; r++)
        if (*mca_number_at(names, line, r) != 0)
            mca_put(t, "%s%u:%d", n++ == 0 ? " def " : ",", *mca_number_at(names, line, r), x->def_latency[r]);
    for (n = k = 0; k < m->links; k++) {
        const mca_link *l = &m->link[k];
        const mca_inst *w;
        const mca_pair *q;
        int advance;
        if (l->reader != line) continue;
        w = &m->inst[m->line[l->writer]];
        q = mca_pair_of(m, m->line[l->writer], m->line[line]);
        advance = x->advance[l->read];
        if (q != NULL && q->seen >= 0 && q->root == l->read && l->read == l->def)
            advance = w->def_latency[l->def] - q->seen;
        mca_put(t, "%s%u", n++ == 0 ? " read " : ",", *mca_number_at(names, l->writer, l->def));
        if (advance != 0) mca_put(t, ":%d", advance);
    }
}

/* The model of one region. */
static char *mca_write(const mca *m, unsigned region)
{
    const char *doubt = m->stalled[region] ? "dispatch has restrictions" :
                        m->crossed[region] ? "the source of an eliminated move changes while the other name is used" : NULL;
    unsigned i, k, n = 0, bit = 0, r;
    mca_names names;
    mca_text t;
    memset(&t, 0, sizeof t);
    mca_put(&t, "model dispatch %d rob %d retire %d noalias %u lq %d sq %d iterations %u\n", m->width, m->rob,
            m->retire, !m->how->alias, m->loads, m->stores, m->how->iterations != 0 ? m->how->iterations : 100);
    for (k = 0; k < m->buffers; k++) mca_put(&t, "buffer %u size %d\n", k, m->entries[k]);
    for (k = 0; k < 4; k++)
        if (m->files[k] != 0) mca_put(&t, "file %u size %d\n", k, m->files[k]);
    for (k = 0; k < m->units; k = i, bit++) {
        uint64_t units = 0;
        for (i = k; i < m->units && strcmp(m->unit[i], m->unit[k]) == 0; i++) units |= (uint64_t)1 << i;
        mca_put(&t, "resource %s mask 0x%llx units 0x%llx\n", m->unit[k], 1ULL << bit, (unsigned long long)units);
    }
    mca_number_defs(m, region, &names, &t);
    for (i = m->begin[region]; i < m->begin[region + 1]; i++) {
        const mca_inst *x = &m->inst[m->line[i]];
        if (x->why[0] != '\0') mca_put(&t, "estimate %s: %s\n", x->why, x->text);
        else if (mca_moves_zero(m, i)) mca_put(&t, "estimate a move of zero may be eliminated: %s\n", x->text);
        if (x->reserves) mca_put(&t, "# times only: it reserves groups\n");
        if (mca_gathers(m, i)) mca_put(&t, "# times only: it gathers a register from parts\n");
        if (mca_merges(m, x)) mca_put(&t, "# times only: it waits for the rest of its register\n");
        mca_put(&t, "inst %u uops %d lat %d", n, x->uops, x->latency);
        for (k = 0; k < x->uses; k++)
            mca_put(&t, "%s0x%llx:%u", k == 0 ? " res " : ",", (unsigned long long)x->use[k].units, x->use[k].cycles);
        for (k = r = 0; k < m->buffers; k++)
            if (x->buffers >> k & 1) mca_put(&t, "%s%u", r++ == 0 ? " buf " : ",", k);
        mca_write_registers(m, &t, i, &names);
        for (k = r = 0; k < 4; k++)
            if (m->files[k] != 0 && x->registers[k] != 0)
                mca_put(&t, "%s%u:%d", r++ == 0 ? " file " : ",", k, x->registers[k]);
        mca_put(&t, "%s%s\ntext %u %s\n", x->load ? " load" : "", x->store ? " store" : "", n,
                x->shown != NULL ? x->shown : x->text);
        n++;
    }
    mca_put(&t, "cycles %u\n", m->cycles[region]);
    if (doubt != NULL) mca_put(&t, "estimate %s\n", doubt);
    free(names.number);
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
    ok = ok && mca_parse(m, text) && mca_assemble(m);
    if (ok) mca_learn(m);
    ok = ok && mca_tables(m) && mca_copies(m) && mca_buffers(m) &&
         mca_retire(m) && mca_queue(m, 0) && mca_queue(m, 1);
    if (ok) mca_uses(m);
    ok = ok && mca_probes(m);
    if (ok) {
        mca_special(m);
        m->stalled = (int *)mca_more(NULL, m->regions * sizeof *m->stalled);
        memset(m->stalled, 0, m->regions * sizeof *m->stalled);
        m->crossed = (int *)mca_more(NULL, m->regions * sizeof *m->crossed);
        memset(m->crossed, 0, m->regions * sizeof *m->crossed);
        m->cycles = (unsigned *)mca_more(NULL, m->regions * sizeof *m->cycles);
        memset(m->cycles, 0, m->regions * sizeof *m->cycles);
        for (i = 0; i < m->regions; i++) mca_flow(m, i);
        ok = mca_pair_check(m) && mca_stalls(m);
    }
    if (ok) {
        *models = (char **)mca_more(NULL, m->regions * sizeof **models);
        for (i = 0; i < m->regions; i++) (*models)[i] = mca_write(m, i);
        *count = m->regions;
    }
    snprintf(why, why_size, "%s", m->why);
    for (i = 0; i < m->learnt; i++) free(m->inst[i].text), free(m->inst[i].shown), free(m->inst[i].probe);
    free(m->inst);
    free(m->line);
    free(m->region);
    free(m->pair);
    free(m->link);
    free(m->stalled);
    free(m->crossed);
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
