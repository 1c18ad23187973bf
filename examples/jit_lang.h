/* jit_lang.h - the language of jit.c: assembler, verifier, interpreter
 *
 * Included by jit.c behind csspgo.h. A program is functions of up to 64 registers, all of them 64-bit integers, over
 * one array of 64-bit integers:
 *
 *     func NAME PARAMS      up to 4 parameters, in r0, r1, ...
 *     LABEL:
 *     mov D A               const D 123
 *     add D A B             also sub mul and or xor shl shr (logical; the count modulo 64); B is a register or a number
 *     load D I [123]        D = array[I + 123]
 *     store I S [123]       array[I + 123] = S
 *     jmp LABEL             jlt A B LABEL (signed)    jeq A B LABEL; B as above
 *     fref D NAME           D = a reference to a function
 *     call D NAME A...      icall D F A...: calls what F refers to, with up to 3 arguments
 *     ret A
 *
 * A semicolon starts a comment. What cannot be known before it runs traps: an index out of the array, a reference to
 * nothing, to a function with other parameters or to one that no fref names; calls too deep.
 *
 * No jump leads to a function's first instruction: so the first block runs as often as the function is called.
 * Every basic block and every call is a probe; a function's probes are numbered from 1 in the order of its code.
 */
enum {
    MAX_REGS = 64, MAX_PARAMS = 4, MAX_FUNCS = 64, MAX_CODE = 256,
    WORDS = 1 << 15,              /* of the array                                 */
    MAX_FRAMES = 512              /* of the interpreter; machine code has a stack */
};

typedef enum op {
    OP_MOV, OP_CONST, OP_ADD, OP_SUB, OP_MUL, OP_AND, OP_OR, OP_XOR, OP_SHL, OP_SHR, OP_LOAD, OP_STORE, OP_JMP, OP_JLT,
    OP_JEQ, OP_FREF, OP_CALL, OP_ICALL, OP_RET,
    OP_BLOCK, OP_GUARD            /* in compilation units only: a label; jump if b is not a reference to `target` */
} op;

/*
 * One instruction. Operands of each kind are read from left to right: D a register that is written, A and B registers
 * that are read, V a register or number, I an optional number, L a label, F a function, N arguments.
 */
static const struct { const char *name, *operands; } ops[] = {
    { "mov", "DA" }, { "const", "DI" }, { "add", "DAV" }, { "sub", "DAV" }, { "mul", "DAV" }, { "and", "DAV" },
    { "or", "DAV" }, { "xor", "DAV" }, { "shl", "DAV" }, { "shr", "DAV" }, { "load", "DAI" }, { "store", "ABI" },
    { "jmp", "L" }, { "jlt", "AVL" }, { "jeq", "AVL" }, { "fref", "DF" }, { "call", "DFN" }, { "icall", "DAN" },
    { "ret", "A" }
};

typedef struct insn {
    uint8_t  op, has_value;       /* has_value: the operand V is `value`                               */
    uint8_t  args;
    uint16_t d, a, b, arg[MAX_PARAMS];
    uint32_t target;              /* an instruction (in units: a label), or a function                 */
    int64_t  value;
    uint32_t block;               /* probe id of the block that it is in                               */
    uint32_t site;                /* probe id of a call                                                */
    uint32_t leads;               /* 1: the first one of its block                                     */
    uint32_t copy;                /* in units: number of the inlined copy of a function that it is of  */
} insn;

typedef struct func {
    char     name[32];
    uint32_t params, count;       /* instructions */
    uint32_t probes;              /* ids 1 to this */
    uint64_t written;             /* registers that its code writes */
    int      referred;            /* 1: some fref names it */
    insn     code[MAX_CODE];
} func;

typedef struct program {
    func     f[MAX_FUNCS];
    uint32_t count;
    uint32_t line;                /* of the error */
    char     error[96];
} program;

/* ----- assembler -------------------------------------------------------------------------------------------------- */

typedef struct assembler {
    program    *p;
    const char *at;
    char        word[32];
    char        labels[MAX_CODE][32], wanted[MAX_CODE][32], callee[MAX_FUNCS][MAX_CODE][32];
    uint32_t    label_at[MAX_CODE], label_count;
} assembler;

static int lang_fail(program *p, const char *what, const char *word)
{
    if (p->error[0] == '\0') snprintf(p->error, sizeof p->error, "%.60s '%.30s'", what, word);
    return 0;
}

/* The next word of the line; 0 at its end. */
static int asm_word(assembler *a)
{
    size_t n = 0;
    while (*a->at == ' ' || *a->at == '\t' || *a->at == '\r') a->at++;
    while ((unsigned char)*a->at > ' ' && *a->at != ';' && n + 1 < sizeof a->word) a->word[n++] = *a->at++;
    a->word[n] = '\0';
    return n != 0;
}

static int asm_number(const char *word, int64_t *value)
{
    char *end;
    *value = strtoll(word, &end, 0);
    return end != word && *end == '\0';
}

static int asm_register(assembler *a, uint16_t *r)
{
    int64_t n;
    if (a->word[0] != 'r' || !asm_number(a->word + 1, &n) || n < 0 || n >= MAX_REGS)
        return lang_fail(a->p, "not a register:", a->word);
    *r = (uint16_t)n;
    return 1;
}

static int asm_operands(assembler *a, insn *i, const char *kinds)
{
    func *f = &a->p->f[a->p->count - 1];
    for (; *kinds != '\0'; kinds++) {
        if (*kinds == 'N') {
            while (asm_word(a)) {
                if (i->args == MAX_PARAMS) return lang_fail(a->p, "too many arguments:", a->word);
                if (!asm_register(a, &i->arg[i->args++])) return 0;
            }
            return 1;
        }
        if (!asm_word(a)) return *kinds == 'I' ? 1 : lang_fail(a->p, "an operand is missing:", ops[i->op].name);
        switch (*kinds) {
        case 'D': if (!asm_register(a, &i->d)) return 0; break;
        case 'A': if (!asm_register(a, &i->a)) return 0; break;
        case 'B': if (!asm_register(a, &i->b)) return 0; break;
        case 'V':
            i->has_value = a->word[0] != 'r';
            if (!i->has_value) { if (!asm_register(a, &i->b)) return 0; break; }
            /* fall through */
        case 'I': if (!asm_number(a->word, &i->value)) return lang_fail(a->p, "not a number:", a->word); break;
        case 'L': strcpy(a->wanted[f->count], a->word); break;
        default: strcpy(a->callee[a->p->count - 1][f->count], a->word); break;
        }
    }
    return !asm_word(a) || lang_fail(a->p, "too many operands:", a->word);
}

/* Jumps of the function that ends here get their targets. */
static int asm_close(assembler *a)
{
    func *f;
    uint32_t i, k;
    if (a->p->count == 0) return 1;
    f = &a->p->f[a->p->count - 1];
    for (i = 0; i < f->count; i++) {
        if (f->code[i].op < OP_JMP || f->code[i].op > OP_JEQ) continue;
        for (k = 0; k < a->label_count && strcmp(a->labels[k], a->wanted[i]) != 0; k++) {}
        if (k == a->label_count) return lang_fail(a->p, "no such label:", a->wanted[i]);
        f->code[i].target = a->label_at[k];
    }
    a->label_count = 0;
    return 1;
}

static int asm_function(assembler *a)
{
    int64_t n;
    func *f;
    if (!asm_close(a)) return 0;
    if (a->p->count == MAX_FUNCS) return lang_fail(a->p, "too many functions at", a->word);
    if (!asm_word(a)) return lang_fail(a->p, "a name is missing:", "func");
    f = &a->p->f[a->p->count++];
    strcpy(f->name, a->word);
    if (!asm_word(a) || !asm_number(a->word, &n) || n < 0 || n > MAX_PARAMS)
        return lang_fail(a->p, "not a number of parameters:", a->word);
    f->params = (uint32_t)n;
    return 1;
}

static int asm_line(assembler *a)
{
    size_t n;
    func *f;
    insn *i;
    if (!asm_word(a)) return 1;
    if (strcmp(a->word, "func") == 0) return asm_function(a);
    if (a->p->count == 0) return lang_fail(a->p, "outside of a function:", a->word);
    f = &a->p->f[a->p->count - 1];
    n = strlen(a->word);
    if (a->word[n - 1] == ':') {
        if (a->label_count == MAX_CODE) return lang_fail(a->p, "too many labels at", a->word);
        a->word[n - 1] = '\0';
        strcpy(a->labels[a->label_count], a->word);
        a->label_at[a->label_count++] = f->count;
        return asm_line(a);
    }
    if (f->count == MAX_CODE) return lang_fail(a->p, "function too long at", a->word);
    i = &f->code[f->count];
    for (n = 0; n < sizeof ops / sizeof *ops && strcmp(ops[n].name, a->word) != 0; n++) {}
    if (n == sizeof ops / sizeof *ops) return lang_fail(a->p, "not an instruction:", a->word);
    i->op = (uint8_t)n;
    if (!asm_operands(a, i, ops[n].operands)) return 0;
    f->count++;
    return 1;
}

static uint32_t func_named(const program *p, const char *name)
{
    uint32_t i = 0;
    while (i < p->count && strcmp(p->f[i].name, name) != 0) i++;
    return i;
}

/* Reads a program. Returns 0, and the line and what is wrong in p, if it does not follow the grammar above. */
static int assemble(program *p, const char *text)
{
    assembler *a = (assembler *)calloc(1, sizeof *a);
    uint32_t i, k;
    int ok = a != NULL;
    memset(p, 0, sizeof *p);
    if (!ok) return lang_fail(p, "out of", "memory");
    a->p = p;
    for (a->at = text; ok && *a->at != '\0'; a->at += *a->at == '\n') {
        p->line++;
        ok = asm_line(a);
        while (ok && *a->at != '\0' && *a->at != '\n') a->at++;
    }
    ok = ok && asm_close(a);
    for (i = 0; ok && i < p->count; i++)
        for (k = 0; ok && k < p->f[i].count; k++) {
            insn *n = &p->f[i].code[k];
            if (n->op != OP_CALL && n->op != OP_FREF) continue;
            n->target = func_named(p, a->callee[i][k]);
            if (n->target == p->count) ok = lang_fail(p, "no such function:", a->callee[i][k]);
        }
    free(a);
    return ok;
}

/* ----- verifier --------------------------------------------------------------------------------------------------- */

static int op_ends_block(uint32_t o)
{
    return o == OP_JMP || o == OP_JLT || o == OP_JEQ || o == OP_RET;
}

/* 1 if control does not go on behind it. */
static int op_is_last(uint32_t o)
{
    return o == OP_JMP || o == OP_RET;
}

static int op_writes(uint32_t o)
{
    return o <= OP_LOAD || (o >= OP_FREF && o <= OP_ICALL);
}

/* The registers that an instruction reads; returns how many. */
static uint32_t op_reads(const insn *i, uint16_t reads[MAX_PARAMS + 1])
{
    uint32_t n = 0, k;
    switch (i->op) {
    case OP_MOV: case OP_RET: case OP_ICALL: case OP_LOAD: case OP_GUARD: reads[n++] = i->a; break;
    case OP_STORE: reads[n++] = i->a; reads[n++] = i->b; break;
    case OP_CONST: case OP_JMP: case OP_FREF: case OP_CALL: case OP_BLOCK: break;
    default:
        reads[n++] = i->a;
        if (!i->has_value) reads[n++] = i->b;
        break;
    }
    for (k = 0; k < i->args; k++) reads[n++] = i->arg[k];
    return n;
}

/* Blocks, and probe ids for them and the calls. */
static void number_probes(func *f)
{
    uint32_t i;
    f->code[0].leads = 1;
    for (i = 0; i < f->count; i++) {
        if (f->code[i].op >= OP_JMP && f->code[i].op <= OP_JEQ) f->code[f->code[i].target].leads = 1;
        if (op_ends_block(f->code[i].op) && i + 1 < f->count) f->code[i + 1].leads = 1;
    }
    f->probes = 0;
    for (i = 0; i < f->count; i++) {
        f->code[i].block = f->code[i].leads ? ++f->probes : f->code[i - 1].block;
        if (f->code[i].op == OP_CALL || f->code[i].op == OP_ICALL) f->code[i].site = ++f->probes;
    }
}

static uint64_t reg_bit(uint32_t r)
{
    return (uint64_t)1 << r;
}

/* Every register is written before it is read, on every path: sets at each instruction shrink until they fit. */
static int verify_registers(program *p, func *f)
{
    uint64_t set[MAX_CODE + 1];
    uint16_t reads[MAX_PARAMS + 1];
    uint32_t i, k;
    int more = 1;
    memset(set, 0xff, sizeof set);
    set[0] = reg_bit(f->params) - 1;
    while (more) {
        more = 0;
        for (i = 0; i < f->count; i++) {
            const insn *n = &f->code[i];
            const uint64_t out = op_writes(n->op) ? set[i] | reg_bit(n->d) : set[i];
            if (n->op >= OP_JMP && n->op <= OP_JEQ && (set[n->target] & ~out) != 0) { set[n->target] &= out; more = 1; }
            if (!op_is_last(n->op) && (set[i + 1] & ~out) != 0) { set[i + 1] &= out; more = 1; }
        }
    }
    for (i = 0; i < f->count; i++)
        for (k = op_reads(&f->code[i], reads); k-- > 0;)
            if (!(set[i] & reg_bit(reads[k]))) return lang_fail(p, "reads a register that nothing wrote:", f->name);
    return 1;
}

/* Checks what the grammar cannot say and numbers the probes. Code generation and interpreter rely on it. */
static int verify(program *p)
{
    uint32_t i, k;
    if (p->count == 0) return lang_fail(p, "no functions in the", "program");
    for (i = 0; i < p->count; i++) {
        func *f = &p->f[i];
        if (func_named(p, f->name) != i) return lang_fail(p, "defined twice:", f->name);
        if (f->count == 0 || !op_is_last(f->code[f->count - 1].op))
            return lang_fail(p, "runs beyond its end:", f->name);
        for (k = 0; k < f->count; k++) {
            insn *n = &f->code[k];
            if (n->op >= OP_JMP && n->op <= OP_JEQ && n->target >= f->count)
                return lang_fail(p, "a jump to no instruction in", f->name);
            if (n->op >= OP_JMP && n->op <= OP_JEQ && n->target == 0)
                return lang_fail(p, "a jump to the first instruction of", f->name);
            if (n->op == OP_CALL && n->args != p->f[n->target].params)
                return lang_fail(p, "wrong number of arguments for", p->f[n->target].name);
            if (n->op == OP_ICALL && n->args == MAX_PARAMS) return lang_fail(p, "too many arguments in", f->name);
            if (n->op == OP_SHL || n->op == OP_SHR) n->value &= 63;
            if (n->op == OP_FREF) p->f[n->target].referred = 1;
            if (op_writes(n->op)) f->written |= reg_bit(n->d);
        }
        if (!verify_registers(p, f)) return 0;
        number_probes(f);
    }
    return 1;
}

/* ----- the truth: how often everything ran in which calling context, as the interpreter sees it ------------------- */

typedef struct truth_node {
    uint32_t  parent, site, func;     /* parent: index; the node at 0 is the root */
    uint32_t  child, next;            /* 0 = none */
    uint64_t *count;                  /* per probe id; [0]: how often it was called */
} truth_node;

typedef struct truth {
    truth_node *node;
    uint32_t    count, cap;
} truth;

static uint32_t truth_child(truth *t, const program *p, uint32_t parent, uint32_t site, uint32_t f)
{
    uint32_t id;
    truth_node *n;
    for (id = t->count == 0 ? 0 : t->node[parent].child; id != 0; id = t->node[id].next)
        if (t->node[id].site == site && t->node[id].func == f) return id;
    if (t->count + 2 > t->cap) {
        t->cap = t->cap == 0 ? 64 : t->cap * 2;
        t->node = (truth_node *)realloc(t->node, t->cap * sizeof *t->node);
        if (t->node == NULL) abort();
    }
    if (t->count == 0) memset(&t->node[t->count++], 0, sizeof *t->node);
    n = &t->node[t->count];
    memset(n, 0, sizeof *n);
    n->count = (uint64_t *)calloc(p->f[f].probes + 1, sizeof *n->count);
    if (n->count == NULL) abort();
    n->parent = parent;
    n->site = site;
    n->func = f;
    n->next = t->node[parent].child;
    t->node[parent].child = t->count;
    return t->count++;
}

static uint32_t truth_enter(truth *t, const program *p, uint32_t parent, uint32_t site, uint32_t f)
{
    const uint32_t id = truth_child(t, p, parent, site, f);
    t->node[id].count[0]++;
    return id;
}

/* ----- interpreter ------------------------------------------------------------------------------------------------ */

typedef struct outcome {
    int64_t value;
    int     trapped;
} outcome;

static int64_t arithmetic(uint32_t o, int64_t x, int64_t y)
{
    const uint64_t a = (uint64_t)x, b = (uint64_t)y;
    switch (o) {
    case OP_ADD: return (int64_t)(a + b);
    case OP_SUB: return (int64_t)(a - b);
    case OP_MUL: return (int64_t)(a * b);
    case OP_AND: return (int64_t)(a & b);
    case OP_OR:  return (int64_t)(a | b);
    case OP_XOR: return (int64_t)(a ^ b);
    case OP_SHL: return (int64_t)(a << (b & 63));
    default:     return (int64_t)(a >> (b & 63));
    }
}

typedef struct frame {
    int64_t     r[MAX_REGS];
    const func *f;
    uint32_t    at, node;         /* next instruction; context in the truth */
} frame;

/* Enters a function whose arguments are registers of the frame below. 0: too deep. */
static int interpret_call(const program *p, frame *stack, uint32_t *depth, uint32_t callee, const insn *n, truth *t)
{
    frame *from = &stack[*depth], *to;
    uint32_t k;
    if (*depth + 1 == MAX_FRAMES) return 0;
    to = &stack[++*depth];
    for (k = 0; k < n->args; k++) to->r[k] = from->r[n->arg[k]];
    to->f = &p->f[callee];
    to->at = 0;
    if (t != NULL) to->node = truth_enter(t, p, from->node, n->site, callee);
    return 1;
}

/* Runs function f on one argument. t: NULL, or counts what runs. */
static outcome interpret(const program *p, int64_t *array, uint32_t f, int64_t argument, truth *t)
{
    frame *stack = (frame *)calloc(MAX_FRAMES, sizeof *stack);
    outcome out = { 0, 1 };
    uint32_t depth = 0;
    if (stack == NULL) abort();
    stack[0].r[0] = argument;
    stack[0].f = &p->f[f];
    if (t != NULL) stack[0].node = truth_enter(t, p, 0, 0, f);
    for (;;) {
        frame *now = &stack[depth];
        int64_t *r = now->r;
        const insn *n = &now->f->code[now->at++];
        const int64_t y = n->has_value ? n->value : r[n->b];
        uint64_t at;
        if (t != NULL && n->leads) t->node[now->node].count[n->block]++;
        if (t != NULL && n->site != 0) t->node[now->node].count[n->site]++;
        switch (n->op) {
        case OP_MOV:   r[n->d] = r[n->a]; break;
        case OP_CONST: r[n->d] = n->value; break;
        case OP_FREF:  r[n->d] = (int64_t)n->target; break;
        case OP_LOAD: case OP_STORE:
            at = (uint64_t)r[n->a] + (uint64_t)n->value;
            if (at >= WORDS) goto done;
            if (n->op == OP_LOAD) r[n->d] = array[at]; else array[at] = r[n->b];
            break;
        case OP_JMP: now->at = n->target; break;
        case OP_JLT: if (r[n->a] < y) now->at = n->target; break;
        case OP_JEQ: if (r[n->a] == y) now->at = n->target; break;
        case OP_CALL:
            if (!interpret_call(p, stack, &depth, n->target, n, t)) goto done;
            break;
        case OP_ICALL:
            at = (uint64_t)r[n->a];
            if (at >= p->count || p->f[at].params != n->args || !p->f[at].referred) goto done;
            if (!interpret_call(p, stack, &depth, (uint32_t)at, n, t)) goto done;
            break;
        case OP_RET:
            out.value = r[n->a];
            if (depth-- == 0) { out.trapped = 0; goto done; }
            stack[depth].r[stack[depth].f->code[stack[depth].at - 1].d] = out.value;
            break;
        default: r[n->d] = arithmetic(n->op, r[n->a], y); break;
        }
    }
done:
    free(stack);
    return out;
}
