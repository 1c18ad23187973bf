/* jit_x64.h - jit.c's generator of x86-64 code, the memory that the code is in, and what csspgo is told of it
 *
 * Included by jit.c behind jit_unit.h. Everything that code refers to is in the first 2 GB, so that an address fits an
 * instruction. Calls go through a table with an entry per function: code that moves needs no relinking.
 *
 * Convention: arguments in rax, rcx, rdx, rbx, result in rax; these four are scratch, a function saves the others that
 * it uses. Every function has a frame pointer; rbp is 0 below the first one.
 */
enum {
    TABLE_BYTES = 4096, STACK_BYTES = 1 << 18, STACK_SPARE = 1 << 16, CODE_BYTES = 1 << 19,
    TABLE_ICALL = MAX_FUNCS * 8,                          /* 4 tables: of functions with 0, 1, 2, 3 parameters */
    TABLE_RSP = TABLE_ICALL * 5, TABLE_TRAPPED = TABLE_RSP + 8,
    MAX_PIECES = 256
};

/* Where the code of one block begins again, for samples that are an address only. */
typedef struct segment {
    uint64_t address, block;          /* of its first byte; of the block's probe */
    uint32_t length;                  /* instructions of the block               */
} segment;

/* Code of one function. */
typedef struct piece {
    uint64_t begin, end;              /* 0, 0: free */
    uint32_t func, tier;              /* MAX_FUNCS: of none any more, but its addresses must not be used again */
    uint64_t calls;                   /* bits of the functions that it calls by name */
    segment *segment;
    size_t   segments;
} piece;

typedef struct engine {
    const program  *p;
    unsigned char  *low;              /* table, stack, array, code */
    size_t          low_bytes;
    int64_t        *array;
    uint64_t        table, stack, code, code_end;
    uint64_t        enter, enter_stepping, stepping_call, trap;   /* addresses of the stubs */
    uint64_t        first;            /* of functions' code */
    piece           piece[MAX_PIECES];
    uint32_t        of[MAX_FUNCS];    /* the piece of a function */
    csspgo_code      *map;            /* NULL: nobody is told */
    csspgo_collector *collector;
    int             deaf;             /* 1: csspgo does not know the code any more; no samples from now on */
    uint64_t        reused;           /* bytes of code put where other code had been */
    uint64_t        high;             /* end of the code that ever was */
} engine;

/* ----- the emitter: code at addresses from 0, moved later --------------------------------------------------------- */

typedef struct emitter {
    unsigned char   *byte;
    csspgo_transfer *transfer;
    csspgo_probe    *probe;
    csspgo_inline   *inlined;
    uint32_t        *trap;            /* ends of jumps to the trap stub          */
    segment         *segment;
    uint64_t        *label;           /* addresses                               */
    uint32_t        *wants;           /* per transfer: label + 1 that it goes to */
    size_t count, cap, transfers, transfer_cap, wants_cap, probes, probe_cap, traps, trap_cap, segments, segment_cap;
    const unit      *u;
    const engine    *e;
    uint64_t         calls;           /* bits of functions */
} emitter;

static void emit8(emitter *e, uint32_t v)
{
    e->byte = (unsigned char *)room(e->byte, e->count, &e->cap, 1);
    e->byte[e->count++] = (unsigned char)v;
}

static void emit32(emitter *e, uint64_t v)
{
    int i;
    for (i = 0; i < 4; i++) emit8(e, (uint32_t)(v >> 8 * i & 255));
}

static void emit64(emitter *e, uint64_t v)
{
    emit32(e, v);
    emit32(e, v >> 32);
}

/* Opcode above 255: 0f before its low byte. reg: a register or the opcode's extension; rm: register or stack slot. */
static void emit_rm(emitter *e, uint32_t opcode, int reg, int rm)
{
    emit8(e, 0x48u | (reg >= 8 ? 4u : 0) | (rm >= 8 ? 1u : 0));
    if (opcode > 255) emit8(e, 0x0f);
    emit8(e, opcode & 255);
    if (rm >= 0) {
        emit8(e, 0xc0u | (uint32_t)(reg & 7) << 3 | (uint32_t)(rm & 7));
        return;
    }
    emit8(e, 0x85u | (uint32_t)(reg & 7) << 3);
    emit32(e, (uint64_t)(int64_t)(-8 * (__builtin_popcount(e->u->used) - rm)));
}

/* Opcode with an element of the array: [index * 8 + array], both registers. */
static void emit_element(emitter *e, uint32_t opcode, int reg, int index)
{
    emit8(e, 0x48u | (reg >= 8 ? 4u : 0) | (index >= 8 ? 2u : 0));
    emit8(e, opcode);
    emit8(e, 4u | (uint32_t)(reg & 7) << 3);
    emit8(e, 0xc5u | (uint32_t)(index & 7) << 3);
    emit32(e, (uint64_t)(uintptr_t)e->e->array);
}

/* Group 1 (0 add, 1 or, 4 and, 5 sub, 6 xor, 7 cmp) with a number of 32 bits. */
static void emit_number(emitter *e, int what, int rm, int64_t value)
{
    const int small = value >= -128 && value < 128;
    emit_rm(e, small ? 0x83 : 0x81, what, rm);
    if (small) emit8(e, (uint32_t)(value & 255)); else emit32(e, (uint64_t)value);
}

static int fits32(int64_t v)
{
    return v >= INT32_MIN && v <= INT32_MAX;
}

static void emit_load_number(emitter *e, int rm, int64_t value)
{
    if (!fits32(value)) {
        const int reg = rm >= 0 ? rm : RAX;
        emit8(e, 0x48u | (reg >= 8 ? 1u : 0));
        emit8(e, 0xb8u | (uint32_t)(reg & 7));
        emit64(e, (uint64_t)value);
        if (rm < 0) emit_rm(e, 0x89, RAX, rm);
        return;
    }
    emit_rm(e, 0xc7, 0, rm);
    emit32(e, (uint64_t)value);
}

static void emit_move(emitter *e, int to, int from)
{
    if (to == from) return;
    if (to >= 0) emit_rm(e, 0x8b, to, from);
    else if (from >= 0) emit_rm(e, 0x89, from, to);
    else {
        emit_rm(e, 0x8b, RAX, from);
        emit_rm(e, 0x89, RAX, to);
    }
}

/* A control transfer of `size` bytes from `at` to here; label + 1 that it goes to, 0: none. */
static void emit_transfer(emitter *e, csspgo_kind kind, size_t at, uint32_t label)
{
    csspgo_transfer *t;
    e->transfer = (csspgo_transfer *)room(e->transfer, e->transfers, &e->transfer_cap, sizeof *e->transfer);
    e->wants = (uint32_t *)room(e->wants, e->transfers, &e->wants_cap, sizeof *e->wants);
    e->wants[e->transfers] = label;
    t = &e->transfer[e->transfers++];
    memset(t, 0, sizeof *t);
    t->address = at;
    t->size = (uint32_t)(e->count - at);
    t->kind = kind;
}

enum { JB = 2, JAE = 3, JE = 4, JNE = 5, JL = 12 };

static void emit_branch(emitter *e, int condition, uint32_t label)
{
    const size_t at = e->count;
    emit8(e, 0x0f);
    emit8(e, 0x80u | (uint32_t)condition);
    emit32(e, 0);
    emit_transfer(e, CSSPGO_COND, at, label + 1);
}

static void emit_trap_if(emitter *e, int condition)
{
    const size_t at = e->count;
    emit8(e, 0x0f);
    emit8(e, 0x80u | (uint32_t)condition);
    emit32(e, 0);
    emit_transfer(e, CSSPGO_COND, at, 0);
    e->trap = (uint32_t *)room(e->trap, e->traps, &e->trap_cap, sizeof *e->trap);
    e->trap[e->traps++] = (uint32_t)e->count;
}

static void emit_probe(emitter *e, uint32_t kind, uint32_t id, uint32_t copy)
{
    csspgo_probe *p;
    e->probe = (csspgo_probe *)room(e->probe, e->probes, &e->probe_cap, sizeof *e->probe);
    p = &e->probe[e->probes++];
    memset(p, 0, sizeof *p);
    p->address = e->count;
    p->id = id;
    p->kind = (uint8_t)kind;
    p->inline_node = copy + 1;
}

/* ----- instructions ----------------------------------------------------------------------------------------------- */

static int place_of(const emitter *e, uint16_t reg)
{
    return e->u->place[reg];
}

static void emit_arithmetic(emitter *e, const insn *n)
{
    static const struct { uint32_t opcode; int group; } how[] = {
        { 0x03, 0 }, { 0x2b, 5 }, { 0x1af, 0 }, { 0x23, 4 }, { 0x0b, 1 }, { 0x33, 6 }, { 0xd3, 4 }, { 0xd3, 5 }
    };
    const uint32_t opcode = how[n->op - OP_ADD].opcode;
    const int group = how[n->op - OP_ADD].group;
    const int d = place_of(e, n->d), shift = n->op == OP_SHL || n->op == OP_SHR;
    const int a = place_of(e, n->a), b = n->has_value ? RDX : place_of(e, n->b);
    int t;
    if (d >= 0 && a >= 0 && d != a && n->op == OP_ADD && n->has_value && fits32(n->value)) {
        emit8(e, 0x48u | (d >= 8 ? 4u : 0) | (a >= 8 ? 1u : 0));      /* lea d, [a + value] */
        emit8(e, 0x8d);
        emit8(e, 0x80u | (uint32_t)(d & 7) << 3 | (uint32_t)(a & 7));
        if ((a & 7) == RSP) emit8(e, 0x24);
        emit32(e, (uint64_t)n->value);
        return;
    }
    if (shift && !n->has_value) emit_move(e, RCX, b);
    if (n->has_value && !shift && !fits32(n->value)) emit_load_number(e, RDX, n->value);
    t = d >= 0 && (n->has_value || shift || d != b || d == a) ? d : RAX;
    emit_move(e, t, a);
    if (shift && n->has_value) {
        emit_rm(e, 0xc1, group, t);
        emit8(e, (uint32_t)n->value & 63);
    } else if (shift) emit_rm(e, 0xd3, group, t);
    else if (!n->has_value || !fits32(n->value)) emit_rm(e, opcode, t, b);
    else if (n->op == OP_MUL) {
        emit_rm(e, 0x69, t, t);
        emit32(e, (uint64_t)n->value);
    } else emit_number(e, group, t, n->value);
    emit_move(e, d, t);
}

/* cmp a, b */
static void emit_compare(emitter *e, const insn *n)
{
    const int a = place_of(e, n->a), b = n->has_value ? RDX : place_of(e, n->b);
    if (n->has_value && fits32(n->value)) {
        emit_number(e, 7, a, n->value);
        return;
    }
    if (n->has_value) emit_load_number(e, RDX, n->value);
    emit_move(e, a >= 0 ? a : RAX, a);
    emit_rm(e, 0x3b, a >= 0 ? a : RAX, b);
}

/* The register that holds the index of an element, which is in the array. */
static int emit_index(emitter *e, const insn *n)
{
    int at = place_of(e, n->a);
    if (at < 0 || n->value != 0) {
        emit_move(e, RAX, at);
        at = RAX;
        if (n->value != 0 && fits32(n->value)) emit_number(e, 0, RAX, n->value);
        else if (n->value != 0) {
            emit_load_number(e, RDX, n->value);
            emit_rm(e, 0x03, RAX, RDX);
        }
    }
    emit_number(e, 7, at, WORDS);
    emit_trap_if(e, JAE);
    return at;
}

static void emit_memory(emitter *e, const insn *n)
{
    const int at = emit_index(e, n), value = place_of(e, n->op == OP_LOAD ? n->d : n->b);
    if (n->op == OP_STORE) {
        emit_move(e, value >= 0 ? value : RCX, value);
        emit_element(e, 0x89, value >= 0 ? value : RCX, at);
        return;
    }
    emit_element(e, 0x8b, value >= 0 ? value : RCX, at);
    if (value < 0) emit_move(e, value, RCX);
}

static void emit_call(emitter *e, const insn *n)
{
    uint32_t i;
    size_t at;
    for (i = 0; i < n->args; i++) emit_move(e, RAX + (int)i, place_of(e, n->arg[i]));
    if (n->op == OP_ICALL) {
        emit_move(e, RBX, place_of(e, n->a));
        emit_number(e, 7, RBX, MAX_FUNCS);
        emit_trap_if(e, JAE);
    }
    at = e->count;
    emit_probe(e, n->op == OP_CALL ? CSSPGO_PROBE_DIRECT_CALL : CSSPGO_PROBE_INDIRECT_CALL, n->site, n->copy);
    if (n->op == OP_CALL) e->calls |= reg_bit(n->target);
    emit8(e, 0xff);
    emit8(e, 0x14);
    emit8(e, n->op == OP_CALL ? 0x25 : 0xdd);
    emit32(e, e->e->table + (n->op == OP_CALL ? 8 * n->target : (uint32_t)TABLE_ICALL * (1u + n->args)));
    emit_transfer(e, CSSPGO_CALL, at, 0);
    if (place_of(e, n->d) < MACHINE_REGS * 2) emit_move(e, place_of(e, n->d), RAX);
}

static void emit_push(emitter *e, uint32_t opcode, int reg)
{
    if (reg >= 8) emit8(e, 0x41);
    emit8(e, opcode | (uint32_t)(reg & 7));
}

static void emit_prologue(emitter *e, uint32_t params)
{
    uint32_t i;
    int r;
    emit_push(e, 0x50, RBP);
    emit8(e, 0x48); emit8(e, 0x89); emit8(e, 0xe5);
    for (r = 0; r < 16; r++) if (e->u->used >> r & 1) emit_push(e, 0x50, r);
    if (e->u->slots != 0) emit_number(e, 5, RSP, 8 * (int64_t)e->u->slots);
    emit_number(e, 7, RSP, (int64_t)(e->e->stack + STACK_SPARE));
    emit_trap_if(e, JB);
    for (i = 0; i < params; i++)
        if (e->u->place[i] < MACHINE_REGS * 2) emit_move(e, e->u->place[i], RAX + (int)i);
}

static void emit_return(emitter *e, const insn *n)
{
    int r;
    size_t at;
    emit_move(e, RAX, place_of(e, n->a));
    if (e->u->slots != 0) emit_number(e, 0, RSP, 8 * (int64_t)e->u->slots);
    for (r = 15; r >= 0; r--) if (e->u->used >> r & 1) emit_push(e, 0x58, r);
    emit_push(e, 0x58, RBP);
    at = e->count;
    emit8(e, 0xc3);
    emit_transfer(e, CSSPGO_RET, at, 0);
}

/* 1 if a jump from instruction i goes to what follows it. */
static int jumps_to_next(const unit *u, size_t i)
{
    const uint32_t label = u->code[i].target;
    while (++i < u->count && u->code[i].op == OP_BLOCK) if (u->code[i].target == label) return 1;
    return 0;
}

static void emit_insn(emitter *e, size_t i)
{
    const insn *n = &e->u->code[i];
    size_t at;
    const int d = op_writes(n->op) ? place_of(e, n->d) : 0;
    if (d == MACHINE_REGS * 2) {                      /* never read */
        if (n->op == OP_CALL || n->op == OP_ICALL) emit_call(e, n);
        if (n->op == OP_LOAD) emit_index(e, n);
        return;
    }
    switch (n->op) {
    case OP_MOV:   emit_move(e, d, place_of(e, n->a)); break;
    case OP_CONST: emit_load_number(e, d, n->value); break;
    case OP_FREF:  emit_load_number(e, d, n->target); break;
    case OP_LOAD: case OP_STORE: emit_memory(e, n); break;
    case OP_JMP:
        if (jumps_to_next(e->u, i)) break;
        at = e->count;
        emit8(e, 0xe9);
        emit32(e, 0);
        emit_transfer(e, CSSPGO_JMP, at, n->target + 1);
        break;
    case OP_JLT: case OP_JEQ:
        emit_compare(e, n);
        emit_branch(e, n->op == OP_JLT ? JL : JE, n->target);
        break;
    case OP_GUARD:
        emit_number(e, 7, place_of(e, n->a), n->value);
        emit_branch(e, JNE, n->target);
        break;
    case OP_CALL: case OP_ICALL: emit_call(e, n); break;
    case OP_RET: emit_return(e, n); break;
    default: emit_arithmetic(e, n); break;
    }
}

/* ----- functions -------------------------------------------------------------------------------------------------- */

/* Per block of every copy: how long it is, and where its probe is. */
typedef struct block_facts {
    uint64_t address;
    uint32_t length;
} block_facts;

static uint32_t block_of(const unit *u, const insn *n)
{
    return u->copy[n->copy].first_block + n->block;
}

/* A label. Where it can be jumped to, the block before it must not be empty: its probe would count the jumps too. */
static void emit_label(emitter *e, const insn *n, const unsigned char *used, block_facts *facts)
{
    if (used[n->target] && e->probes != 0 && e->probe[e->probes - 1].address == e->count) emit8(e, 0x90);
    e->label[n->target] = e->count;
    if (!n->leads) return;
    emit_probe(e, CSSPGO_PROBE_BLOCK, n->block, n->copy);
    facts[block_of(e->u, n)].address = e->count;
}

static void emit_segment(emitter *e, const block_facts *f)
{
    segment *s = e->segments == 0 ? NULL : &e->segment[e->segments - 1];
    if (s != NULL && s->block == f->address) return;
    if (s == NULL || s->address != e->count) {
        e->segment = (segment *)room(e->segment, e->segments, &e->segment_cap, sizeof *e->segment);
        s = &e->segment[e->segments++];
    }
    s->address = e->count;
    s->block = f->address;
    s->length = f->length;
}

/* Emits all of the unit; labels get their addresses. */
static void emit_unit(emitter *e, uint32_t params)
{
    const unit *u = e->u;
    unsigned char *used = (unsigned char *)calloc(u->labels + 1, 1);
    block_facts *facts = (block_facts *)calloc(u->blocks + 1, sizeof *facts);
    size_t i;
    e->label = (uint64_t *)calloc(u->labels + 1, sizeof *e->label);
    if (used == NULL || facts == NULL || e->label == NULL) abort();
    for (i = 0; i < u->count; i++) {
        const insn *n = &u->code[i];
        if ((n->op >= OP_JMP && n->op <= OP_JEQ) || n->op == OP_GUARD) used[n->target] = 1;
        if (n->op != OP_BLOCK) facts[block_of(u, n)].length++;
    }
    emit_prologue(e, params);
    for (i = 0; i < u->count; i++) {
        if (u->code[i].op == OP_BLOCK) emit_label(e, &u->code[i], used, facts);
        if (u->code[i].op != OP_BLOCK || u->code[i].leads) emit_segment(e, &facts[block_of(u, &u->code[i])]);
        if (u->code[i].op != OP_BLOCK) emit_insn(e, i);
    }
    free(used);
    free(facts);
}

static void put32(unsigned char *at, uint64_t v)
{
    int i;
    for (i = 0; i < 4; i++) at[i] = (unsigned char)(v >> 8 * i);
}

/* The code goes to address `to`. */
static void relocate(emitter *e, uint64_t to)
{
    size_t i;
    for (i = 0; i < e->transfers; i++) {
        csspgo_transfer *t = &e->transfer[i];
        const uint64_t end = t->address + t->size;
        if (e->wants[i] != 0) {
            t->target = to + e->label[e->wants[i] - 1];
            put32(e->byte + end - 4, t->target - (to + end));
        }
        t->address += to;
    }
    for (i = 0; i < e->traps; i++) put32(e->byte + e->trap[i] - 4, e->e->trap - (to + e->trap[i]));
    for (i = 0; i < e->probes; i++) e->probe[i].address += to;
    for (i = 0; i < e->segments; i++) {
        e->segment[i].address += to;
        e->segment[i].block += to;
    }
}

static void emitter_free(emitter *e)
{
    free(e->byte);
    free(e->transfer);
    free(e->probe);
    free(e->inlined);
    free(e->trap);
    free(e->segment);
    free(e->label);
    free(e->wants);
}

/* ----- code memory ------------------------------------------------------------------------------------------------ */

static void protect(const engine *g, int how)
{
    if (mprotect((void *)(uintptr_t)g->code, CODE_BYTES, how) != 0) {
        perror("jit: mprotect");
        exit(1);
    }
}

/* The lowest free address with `size` bytes, 0 if there is none. */
static uint64_t find_room(const engine *g, uint64_t size)
{
    uint64_t at = g->first;
    size_t i = 0;
    while (i < MAX_PIECES) {
        const piece *s = &g->piece[i++];
        if (s->end == 0 || at >= s->end || at + size <= s->begin) continue;
        at = (s->end + 15) & ~(uint64_t)15;
        i = 0;
    }
    return at + size <= g->code_end ? at : 0;
}

/*
 * Tells csspgo of new code. If that fails csspgo forgets what it took, so that it never sees code without its tables;
 * if even that fails no samples are taken any more.
 */
static void describe(engine *g, const emitter *e, uint32_t f, uint64_t at)
{
    const csspgo_module none = csspgo_no_module();
    csspgo_code_function c;
    csspgo_status s;
    memset(&c, 0, sizeof c);
    c.begin = at;
    c.end = at + e->count;
    c.name = g->p->f[f].name;
    c.name_size = strlen(c.name);
    s = csspgo_code_add_function(g->map, none, &c);
    if (s == CSSPGO_OK) s = csspgo_code_add_transfers(g->map, none, e->transfer, e->transfers);
    if (s == CSSPGO_OK)
        s = csspgo_code_add_probes(g->map, none, e->inlined, e->u->copies, e->probe, e->probes);
    if (s != CSSPGO_OK && csspgo_code_remove(g->map, c.begin, c.end) != CSSPGO_OK) g->deaf = 1;
}

/* Frees a function's code. Samples of it must have been handed to csspgo, and nothing may run in it. */
static void remove_code(engine *g, uint32_t f)
{
    piece *s = &g->piece[g->of[f]];
    free(s->segment);
    s->segment = NULL;
    s->segments = 0;
    s->func = MAX_FUNCS;
    if (g->map == NULL || csspgo_code_remove(g->map, s->begin, s->end) == CSSPGO_OK) s->begin = s->end = 0;
}

static void set_tables(engine *g, uint32_t f, uint64_t at)
{
    uint64_t *table = (uint64_t *)(uintptr_t)g->table;
    table[f] = at;
    if (g->p->f[f].params < MAX_PARAMS && g->p->f[f].referred) table[MAX_FUNCS * (1 + g->p->f[f].params) + f] = at;
}

static int has_code(const engine *g, uint32_t f)
{
    return g->piece[g->of[f]].end != 0 && g->piece[g->of[f]].func == f;
}

/* Compiles a function and puts the code in place of what it had. Returns 0, with the old code, if there is no room. */
static int compile(engine *g, uint32_t f, uint32_t tier, const plan *how)
{
    const int old = has_code(g, f);
    unit u;
    emitter e;
    uint64_t at;
    size_t i;
    build_unit(&u, g->p, f, how);
    memset(&e, 0, sizeof e);
    e.u = &u;
    e.e = g;
    emit_unit(&e, g->p->f[f].params);
    e.inlined = (csspgo_inline *)calloc(u.copies, sizeof *e.inlined);
    if (e.inlined == NULL) abort();
    for (i = 0; i < u.copies; i++) {
        e.inlined[i].guid = csspgo_guid(g->p->f[u.copy[i].func].name, strlen(g->p->f[u.copy[i].func].name));
        e.inlined[i].parent = i == 0 ? 0 : u.copy[i].parent + 1;
        e.inlined[i].site = u.copy[i].site;
    }
    at = find_room(g, e.count);
    for (i = 0; i < MAX_PIECES && g->piece[i].end != 0; i++) {}
    if (at != 0 && i < MAX_PIECES) {
        piece *s;
        if (old) {
            remove_code(g, f);
            at = find_room(g, e.count);
            for (i = 0; g->piece[i].end != 0; i++) {}
        }
        s = &g->piece[i];
        relocate(&e, at);
        protect(g, PROT_READ | PROT_WRITE);
        memcpy((void *)(uintptr_t)at, e.byte, e.count);
        protect(g, PROT_READ | PROT_EXEC);
        s->begin = at;
        s->end = at + e.count;
        s->func = f;
        s->tier = tier;
        s->calls = e.calls;
        s->segment = e.segment;
        s->segments = e.segments;
        e.segment = NULL;
        g->of[f] = (uint32_t)i;
        if (at < g->high) g->reused += (s->end < g->high ? s->end : g->high) - at;
        if (s->end > g->high) g->high = s->end;
        set_tables(g, f, at);
        if (g->map != NULL && !g->deaf) describe(g, &e, f, at);
    } else at = 0;
    emitter_free(&e);
    unit_free(&u);
    return at != 0;
}

/* Frees the code of functions that main's code cannot reach: all calls of them were inlined. */
static void drop_unreachable(engine *g)
{
    uint64_t reached = reg_bit(func_named(g->p, "main")), before = 0;
    uint32_t f;
    for (f = 0; f < g->p->count; f++) if (g->p->f[f].referred) reached |= reg_bit(f);
    while (before != reached) {
        before = reached;
        for (f = 0; f < g->p->count; f++)
            if (before & reg_bit(f) && has_code(g, f)) reached |= g->piece[g->of[f]].calls;
    }
    for (f = 0; f < g->p->count; f++) {
        if (reached & reg_bit(f) || !has_code(g, f)) continue;
        remove_code(g, f);
        set_tables(g, f, g->trap);
    }
}

/* The way in: enter(code, argument) saves what C expects to keep, switches stacks and calls. step 1: the trap flag is
   set. */
static uint64_t emit_stub(engine *g, uint64_t at, int step, uint64_t *call)
{
    static const unsigned char save[] = { 0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57 };
    static const unsigned char restore[] = { 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3 };
    static const unsigned char set[] = { 0x9c, 0x81, 0x0c, 0x24, 0, 1, 0, 0, 0x9d };
    static const unsigned char clear[] = { 0x9c, 0x81, 0x24, 0x24, 0xff, 0xfe, 0xff, 0xff, 0x9d };
    unsigned char *const begin = (unsigned char *)(uintptr_t)at;
    unsigned char *b = begin;
    int part;
    memcpy(b, save, sizeof save);
    b += sizeof save;
    memcpy(b, "\x48\x89\x24\x25", 4); put32(b + 4, g->table + TABLE_RSP); b += 8;      /* mov [rsp of C], rsp */
    memcpy(b, "\x48\xc7\xc4", 3); put32(b + 3, g->stack + STACK_BYTES); b += 7;        /* mov rsp, stack      */
    memcpy(b, "\x48\x89\xf0\x31\xed", 5); b += 5;                                      /* mov rax, rsi; xor ebp, ebp */
    if (step) { memcpy(b, set, sizeof set); b += sizeof set; }
    *call = (uint64_t)(uintptr_t)b;
    memcpy(b, "\xff\xd7", 2); b += 2;                                                  /* call rdi */
    for (part = 0; part < 2; part++) {
        if (part == 1) {
            g->trap = (uint64_t)(uintptr_t)b;
            memcpy(b, "\xc7\x04\x25", 3); put32(b + 3, g->table + TABLE_TRAPPED); put32(b + 7, 1); b += 11;
        }
        memcpy(b, clear, sizeof clear); b += sizeof clear;
        memcpy(b, "\x48\x8b\x24\x25", 4); put32(b + 4, g->table + TABLE_RSP); b += 8;
        memcpy(b, restore, sizeof restore);
        b += sizeof restore;
    }
    return ((uint64_t)(uintptr_t)b + 15) & ~(uint64_t)15;
}

static void engine_free(engine *g)
{
    size_t i;
    if (g == NULL) return;
    for (i = 0; i < MAX_PIECES; i++) free(g->piece[i].segment);
    if (g->low != NULL) munmap(g->low, g->low_bytes);
    csspgo_collector_free(g->collector);
    csspgo_code_free(g->map);
    free(g);
}

/* A machine with all functions compiled in tier 1; NULL without memory below 2 GB. */
static engine *engine_new(const program *p, int profiled, const csspgo_options *options)
{
    engine *g = (engine *)calloc(1, sizeof *g);
    csspgo_collector_options how;
    uint64_t ignored;
    plan nothing;
    uint32_t f, i;
    if (g == NULL) return NULL;
    g->p = p;
    g->low_bytes = TABLE_BYTES + STACK_BYTES + WORDS * 8 + CODE_BYTES;
    g->low = (unsigned char *)mmap(NULL, g->low_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT,
                                   -1, 0);
    if (g->low == (unsigned char *)MAP_FAILED) g->low = NULL;
    if (g->low == NULL || (uint64_t)(uintptr_t)g->low + g->low_bytes > INT32_MAX) {
        engine_free(g);
        return NULL;
    }
    g->stack = (uint64_t)(uintptr_t)g->low;
    g->table = g->stack + STACK_BYTES;
    g->array = (int64_t *)(uintptr_t)(g->table + TABLE_BYTES);
    g->code = g->table + TABLE_BYTES + WORDS * 8;
    g->code_end = g->code + CODE_BYTES;
    g->enter = g->code;
    g->enter_stepping = emit_stub(g, g->enter, 0, &ignored);
    g->first = g->high = emit_stub(g, g->enter_stepping, 1, &g->stepping_call);
    for (i = 0; i < MAX_FUNCS * 5; i++) ((uint64_t *)(uintptr_t)g->table)[i] = g->trap;
    memset(&how, 0, sizeof how);
    how.keep_leaves = 1;              /* our stacks are right wherever a sample is taken */
    how.limit_recursion = 1;          /* and contexts as deep as they are                */
    if (profiled) {
        g->map = csspgo_code_new(options, NULL);
        g->collector = g->map == NULL ? NULL : csspgo_collector_new(g->map, &how, options, NULL);
        if (g->collector == NULL) {   /* runs all the same */
            csspgo_code_free(g->map);
            g->map = NULL;
        }
    }
    memset(&nothing, 0, sizeof nothing);
    for (f = 0; f < p->count; f++) {
        g->of[f] = 0;
        if (!compile(g, f, 1, &nothing)) {
            engine_free(g);
            return NULL;
        }
    }
    protect(g, PROT_READ | PROT_EXEC);
    return g;
}

static outcome engine_run(engine *g, uint32_t f, int64_t argument, int step)
{
    int64_t (*enter)(uint64_t code, int64_t argument);
    const uint64_t stub = step ? g->enter_stepping : g->enter;
    uint32_t *trapped = (uint32_t *)(uintptr_t)(g->table + TABLE_TRAPPED);
    outcome out;
    memcpy(&enter, &stub, sizeof enter);
    *trapped = 0;
    out.value = enter(((const uint64_t *)(uintptr_t)g->table)[f], argument);
    out.trapped = (int)*trapped;
    return out;
}

/* The code that an address is in, or NULL. Called by signal handlers. */
static const piece *piece_at(const engine *g, uint64_t address)
{
    size_t i;
    if (address < g->first || address >= g->code_end) return NULL;
    for (i = 0; i < MAX_PIECES; i++)
        if (address >= g->piece[i].begin && address < g->piece[i].end) return &g->piece[i];
    return NULL;
}

static size_t code_bytes(const engine *g)
{
    size_t i, bytes = 0;
    for (i = 0; i < MAX_PIECES; i++) if (g->piece[i].func != MAX_FUNCS) bytes += g->piece[i].end - g->piece[i].begin;
    return bytes;
}
