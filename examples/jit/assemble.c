/* assemble.c - the assembler */
#include "jit.h"

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

/* An instruction of a unit as text. */
void op_text(const insn *n, char *to, size_t cap)
{
    const char *kind;
    size_t at;
    if (n->op > OP_RET) {
        snprintf(to, cap, n->op == OP_GUARD ? "guard r%u" : "label", (unsigned)n->a);
        return;
    }
    at = (size_t)snprintf(to, cap, "%s", ops[n->op].name);
    for (kind = ops[n->op].operands; *kind != '\0' && at < cap; kind++) {
        if (*kind == 'D' || *kind == 'A')
            at += (size_t)snprintf(to + at, cap - at, " r%u", (unsigned)(*kind == 'D' ? n->d : n->a));
        else if (*kind == 'B' || (*kind == 'V' && !n->has_value))
            at += (size_t)snprintf(to + at, cap - at, " r%u", (unsigned)n->b);
        else if (*kind == 'V' || (*kind == 'I' && n->value != 0))
            at += (size_t)snprintf(to + at, cap - at, " %" PRId64, n->value);
    }
}

/* ----- assembler -------------------------------------------------------------------------------------------------- */

typedef struct assembler {
    program    *p;
    const char *at;
    char        word[32];
    char        labels[MAX_CODE][32], wanted[MAX_CODE][32], callee[MAX_FUNCS][MAX_CODE][32];
    uint32_t    label_at[MAX_CODE], label_count;
} assembler;

int lang_fail(program *p, const char *what, const char *word)
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

uint32_t func_named(const program *p, const char *name)
{
    uint32_t i = 0;
    while (i < p->count && strcmp(p->f[i].name, name) != 0) i++;
    return i;
}

/* Reads a program. Returns 0, and the line and what is wrong in p, if it does not follow the grammar above. */
int assemble(program *p, const char *text)
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
