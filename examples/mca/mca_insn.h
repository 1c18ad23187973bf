/* mca_insn.h - the part of mca.h about operands, and what llvm-mca prints about instructions; mca.h includes it */
#ifndef MCA_INSN_H
#define MCA_INSN_H

/* ----- registers and operands ----- */

static const char *const mca_gpr[4][16] = {
    { "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15" },
    { "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi",
      "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d" },
    { "ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "r8w", "r9w", "r10w", "r11w", "r12w", "r13w", "r14w", "r15w" },
    { "al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil", "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b" }
};

static mca_reg *mca_add_reg(mca *m, unsigned root, unsigned bits, const char *form, const char *name, unsigned number)
{
    mca_reg *r = &m->reg[m->regs++];
    memset(r, 0, sizeof *r);
    snprintf(r->name, sizeof r->name, form, name, number);
    r->root = root;
    r->bits = bits;
    return r;
}

/* The names of the registers, and for each an instruction of which it is the first operand. */
static void mca_registers(mca *m, mca_text *t)
{
    unsigned i, k;
    m->regs = 0;
    for (i = 0; m->x86 && i < 16; i++)
        for (k = 0; k < 4; k++) {
            mca_add_reg(m, i, 64 >> k, "%%%s", mca_gpr[k][i], 0);
            mca_put(t, "not%c %%%s\n", "qlwb"[k], mca_gpr[k][i]);
        }
    for (i = 0; m->x86 && i < 4; i++) {
        char name[3] = { mca_gpr[3][i][0], 'h', '\0' };
        mca_add_reg(m, i, 8, "%%%s", name, 0)->high = 1;
        mca_put(t, "notb %%%ch\n", mca_gpr[3][i][0]);
    }
    for (i = 0; m->x86 && i < 16; i++) {
        mca_add_reg(m, 32 + i, 128, "%%%s%u", "xmm", i);
        mca_add_reg(m, 32 + i, 256, "%%%s%u", "ymm", i);
        mca_put(t, "pxor %%xmm%u, %%xmm%u\nvaddps %%ymm%u, %%ymm%u, %%ymm%u\n", i, i, i, i, i);
    }
    for (i = 0; !m->x86 && i < 31; i++) {
        mca_add_reg(m, i, 64, "%s%u", "x", i);
        mca_add_reg(m, i, 32, "%s%u", "w", i);
        mca_put(t, "mvn x%u, x%u\nmvn w%u, w%u\n", i, i, i, i);
    }
    for (i = 0; !m->x86 && i < 32; i++) {
        mca_add_reg(m, 32 + i, 128, "%s%u", "q", i);
        mca_add_reg(m, 32 + i, 64, "%s%u", "d", i);
        mca_add_reg(m, 32 + i, 32, "%s%u", "s", i);
        mca_add_reg(m, 32 + i, 16, "%s%u", "h", i);
        mca_add_reg(m, 32 + i, 8, "%s%u", "b", i);
        mca_put(t, "mvn v%u.16b, v%u.16b\nfabs d%u, d%u\nfabs s%u, s%u\nldr h%u, [x0]\nldr b%u, [x0]\n", i, i, i, i,
                i, i, i, i);
    }
    if (!m->x86) {
        mca_add_reg(m, 31, 64, "%s", "sp", 0);
        mca_put(t, "add sp, sp, #16\n");
    }
}

/* The next instruction of llvm-mc's output at *p: opcode, register operands. Returns their number; -1: no more. */
static int mca_operands(const char **p, unsigned *opcode, unsigned *operand)
{
    const char *at = strstr(*p, "<MCInst"), *next;
    int n = 0;
    if (at == NULL) return -1;
    next = strstr(at + 1, "<MCInst");
    *p = at + 1;
    *opcode = (unsigned)strtoul(at + 9, NULL, 10);
    while ((at = strstr(at + 1, "<MCOperand Reg:")) != NULL && (next == NULL || at < next)) {
        const unsigned number = (unsigned)strtoul(at + 15, NULL, 10);
        if (number != 0 && n < MCA_LIST) operand[n++] = number;
    }
    return n;
}

static const mca_reg *mca_numbered(const mca *m, unsigned number)
{
    unsigned i;
    for (i = 0; i < m->regs; i++)
        if (m->reg[i].number == number) return &m->reg[i];
    return NULL;
}

static const mca_reg *mca_sized(const mca *m, unsigned root, unsigned bits)
{
    unsigned i;
    for (i = 0; i < m->regs; i++)
        if (m->reg[i].root == root && m->reg[i].bits == bits) return &m->reg[i];
    return NULL;
}

/* Instructions with registers that nothing writes, and how often llvm-mc lists one of them. */
static const char *const mca_unwritten[2][6] = {
    { "mvn wzr, wzr", "mvn xzr, xzr" },
    { "movq %fs:0, %rax", "movq %gs:0, %rax", "movq 0(%rip), %rax", "movq %cs:0, %rax", "movq %ds:0, %rax",
      "movq %es:0, %rax" }
};

static int mca_is_ignored(const mca *m, unsigned number)
{
    unsigned i;
    for (i = 0; i < m->ignores; i++) if (m->ignored[i] == number) return 1;
    return 0;
}

/* One run of llvm-mc: the numbers of all registers, and the operands of the block's instructions. */
static int mca_assemble(mca *m)
{
    unsigned operand[MCA_LIST], i, k, mark;
    mca_text t;
    const char *p;
    char *out;
    memset(&t, 0, sizeof t);
    mca_registers(m, &t);
    for (i = 0; i < 6 && mca_unwritten[m->x86][i] != NULL; i++) mca_put(&t, "%s\n", mca_unwritten[m->x86][i]);
    for (i = 0; i < m->insts; i++) mca_put(&t, "%s\n%s\n", m->x86 ? "ud2" : "brk #0", m->inst[i].text);
    out = mca_run(m, 1, m->x86 ? "--show-inst -mattr=+avx" : "--show-inst", t.v);
    free(t.v);
    if (out == NULL) return 0;
    p = out;
    for (i = 0; i < m->regs; i++) {
        if (mca_operands(&p, &k, operand) < 1) return free(out), mca_fail(m, "llvm-mc prints no instructions");
        m->reg[i].number = operand[0];
    }
    for (i = 0; i < 6 && mca_unwritten[m->x86][i] != NULL; i++)
        if (mca_operands(&p, &k, operand) > 1) m->ignored[m->ignores++] = operand[1];
    mca_operands(&p, &mark, operand);
    for (i = 0; i < m->insts; i++) {
        mca_inst *x = &m->inst[i];
        const int n = mca_operands(&p, &x->opcode, x->operand);
        while (mca_operands(&p, &k, operand) >= 0 && k != mark)
            mca_doubt(x, "it is several instructions, such as one with a prefix");
        if (n < 0) return free(out), mca_fail(m, "llvm-mc prints fewer instructions than it reads");
        x->operands = (unsigned)n;
        for (k = 0; k < x->operands; k++) {
            const mca_reg *r = mca_numbered(m, x->operand[k]);
            if (r == NULL && !mca_is_ignored(m, x->operand[k]))
                mca_doubt(x, "registers of a kind that is not modelled");
            if (r == NULL) continue;
            x->named[r->root] = 2;
            if (x->bits == 0 && r->root < 32) x->bits = r->bits;
        }
    }
    free(out);
    m->flags = m->x86 ? mca_sized(m, 2, 32)->number + 1 : mca_sized(m, 31, 64)->number - 1;
    return 1;
}

/* ----- what llvm-mca prints about instructions ----- */

static void mca_region(mca_text *t, const char *kind, unsigned inst, unsigned root)
{
    mca_put(t, "# LLVM-MCA-BEGIN %s.%u.%u\n", kind, inst, root);
}

static void mca_region_end(mca_text *t)
{
    mca_put(t, "# LLVM-MCA-END\n");
}

/* "name": "KIND.inst.root" in this line; 0: another line. */
static int mca_named(const char *p, char *kind, unsigned *inst, unsigned *root)
{
    char line[60];
    while (*p == ' ') p++;
    if (strncmp(p, "\"Name\": \"", 9) != 0) return 0;
    snprintf(line, sizeof line, "%.*s", (int)strcspn(p + 9, "\n"), p + 9);
    return sscanf(line, "%c.%u.%u", kind, inst, root) == 3;
}

/* A copy of the string of this line of JSON, with blanks for its tabs. */
static char *mca_string(const char *p)
{
    mca_text t;
    memset(&t, 0, sizeof t);
    mca_put(&t, "%s", "");
    for (p = strchr(p, '"'); p != NULL && *++p != '"' && *p != '\n' && *p != '\0';) {
        if (*p != '\\') mca_put(&t, "%c", *p);
        else mca_put(&t, "%c", *++p == 't' ? ' ' : *p);
    }
    return t.v;
}

/* Names of units from the end of the JSON; those of one resource have the same name, up to ".\u0000". */
static int mca_units(mca *m, const char *json)
{
    const char *p = strstr(json, "\"Resources\": [");
    m->units = 0;
    for (p = p != NULL ? mca_next_line(p) : NULL; p != NULL && strchr(p, '"') != NULL; p = mca_next_line(p)) {
        const char *line = strchr(p, '"') + 1;
        const size_t n = strcspn(line, "\".\n");
        if (strchr(p, ']') != NULL && strchr(p, ']') < line) break;
        if (m->units == 64) return mca_fail(m, "CPU %s has more than 64 units", m->mcpu);
        snprintf(m->unit[m->units++], sizeof m->unit[0], "%.*s", (int)n, line);
    }
    return m->units != 0 || mca_fail(m, "llvm-mca says nothing about CPU %s", m->mcpu);
}

/* Micro-operations, latency, loads, stores and the shares of units, from llvm-mca's instruction tables. */
static int mca_tables(mca *m)
{
    mca_inst info;
    mca_text t;
    double v, index = 0, resource = 0;
    unsigned i, inst = 0, root;
    mca_inst *x = NULL;
    const char *p;
    char *out, *shown = NULL, kind;
    memset(&t, 0, sizeof t);
    memset(&info, 0, sizeof info);
    for (i = 0; i < m->learnt; i++) {
        mca_region(&t, "T", i, 0);
        mca_put(&t, "%s\n", m->inst[i].text);
        mca_region_end(&t);
    }
    out = mca_run(m, 0, "-json -instruction-tables", t.v);
    free(t.v);
    if (out == NULL) return 0;
    for (p = out; p != NULL && strstr(p, "\"SimulationParameters\"") != p; p = mca_next_line(p)) {
        if (mca_key(p, "TargetInfo", &v)) break;
        if (mca_key(p, "Instructions", &v)) free(shown), shown = mca_string(mca_next_line(p));
        if (mca_key(p, "Latency", &v)) info.latency = (int)v;
        if (mca_key(p, "NumMicroOpcodes", &v)) info.uops = (int)v;
        if (mca_key(p, "mayLoad", &v)) info.load = (int)v;
        if (mca_key(p, "mayStore", &v)) info.store = (int)v;
        if (mca_key(p, "InstructionIndex", &v)) index = v;
        if (mca_key(p, "ResourceIndex", &v)) resource = v;
        if (mca_key(p, "ResourceUsage", &v) && x != NULL && index < 0.5 && resource < 64) x->share[(int)resource] = v;
        if (!mca_named(p, &kind, &inst, &root) || inst >= m->learnt) continue;
        x = &m->inst[inst];
        x->shown = shown;
        shown = NULL;
        x->latency = info.latency;
        x->uops = info.uops;
        x->load = info.load;
        x->store = info.store;
    }
    i = (unsigned)mca_units(m, out);
    free(shown);
    free(out);
    return (int)i;
}

/* The units that copies of an instruction take, one behind the other; and whether its latency is the printed one. */
static int mca_copies(mca *m)
{
    mca_text t;
    double v, index = 0, resource = 0, issued = 0, executed = 0;
    unsigned i, k, inst, root, first = 0;
    mca_inst *x = NULL;
    const char *p;
    char *out, kind;
    memset(&t, 0, sizeof t);
    for (i = 0; i < m->learnt; i++) {
        mca_region(&t, "U", i, 0);
        for (k = 0; k < 8; k++) mca_put(&t, "%s\n", m->inst[i].text);
        mca_region_end(&t);
    }
    out = mca_run(m, 0, "-json -iterations=1 -timeline -timeline-max-cycles=0 -instruction-info=0", t.v);
    free(t.v);
    if (out == NULL) return 0;
    for (p = out; p != NULL; p = mca_next_line(p)) {
        if (mca_key(p, "TargetInfo", &v)) break;
        if (mca_key(p, "InstructionIndex", &v)) index = v;
        if (mca_key(p, "ResourceIndex", &v)) resource = v;
        if (mca_key(p, "ResourceUsage", &v) && x != NULL && index < 8 && resource < 64)
            x->taken[(int)index][(int)resource] = (int)(v + 0.5);
        if (mca_key(p, "DispatchWidth", &v)) m->width = (int)v;
        if (mca_key(p, "CycleExecuted", &v)) executed = v;
        if (mca_key(p, "CycleIssued", &v)) {
            issued = v;
            if (first && x != NULL && (int)(executed - issued) != x->latency)
                mca_doubt(x, "its latency depends on the block");
            first = 0;
        }
        if (!mca_named(p, &kind, &inst, &root) || inst >= m->learnt) continue;
        x = &m->inst[inst];
        first = 1;
    }
    free(out);
    return 1;
}

/* The buffers in which each instruction shows, and their sizes; the reorder buffer. */
static int mca_buffers(mca *m)
{
    mca_text t;
    unsigned i, k, inst = 0;
    const char *p;
    char *out, name[40], line[200];
    int most, entries, n, queue = 0;
    unsigned file = 4;
    memset(&t, 0, sizeof t);
    for (i = 0; i < m->insts; i++) {
        mca_region(&t, "B", i, 0);
        mca_put(&t, "%s\n", m->inst[i].text);
        mca_region_end(&t);
    }
    out = mca_run(m, 0, "-iterations=1 -scheduler-stats -retire-stats -register-file-stats -instruction-info=0 -resource-pressure=0", t.v);
    free(t.v);
    if (out == NULL) return 0;
    for (p = out; p != NULL; p = mca_next_line(p)) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(p, "\n"), p);
        sscanf(line, "[%*u] Code Region - B.%u", &inst);
        if (strncmp(p, "Total ROB Entries:", 18) == 0) m->rob = atoi(p + 18);
        if (strncmp(p, "*  Register File #", 18) == 0) file = (unsigned)atoi(p + 18) - 1;
        if (file < 4 && sscanf(p, " Number of physical registers: %d", &n) == 1) m->files[file] = n;
        if (file < 4 && sscanf(p, " Total number of mappings created: %d", &n) == 1 && inst < m->insts && *p == ' ')
            m->inst[inst].registers[file] = n;
        if (strncmp(p, " [1]            [2]", 19) == 0) queue = 1;
        else if (*p == '\n') queue = 0;
        else if (queue && sscanf(line, "%39s %*d %d %d", name, &most, &entries) == 3 && inst < m->insts) {
            for (k = 0; k < m->buffers && strcmp(m->buffer[k], name) != 0; k++) continue;
            if (k == 64) return free(out), mca_fail(m, "CPU %s has more than 64 buffers", m->mcpu);
            if (k == m->buffers) memcpy(m->buffer[m->buffers++], name, sizeof name);
            m->entries[k] = entries;
            if (most > 0) m->inst[inst].buffers |= (uint64_t)1 << k;
        }
    }
    free(out);
    return m->rob > 0 || mca_fail(m, "CPU %s issues in order: llvm-mca has no bottleneck analysis for it", m->mcpu);
}

#endif
