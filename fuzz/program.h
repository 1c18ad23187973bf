/* program.h - a program made of bytes: a few functions with transfers, probes, inlined functions and lines, in a module
 * or without one; and runs of it, as hardware and signal handlers sample them. Include it after csspgo.h and fuzz.h. */
#ifndef PROGRAM_H
#define PROGRAM_H

enum {
    UNIT = 4,                                 /* bytes of an instruction            */
    SPACE = 64,                               /* bytes for a function and its gap   */
    PROGRAM_FUNCTIONS = 7, PROGRAM_NODES = 4, PROGRAM_PROBES = 3 * SPACE / UNIT,
    PROGRAM_FRAMES = 10, PROGRAM_BRANCHES = 16
};
#define PROGRAM_BASE UINT64_C(0x10000)

typedef struct program_function {             /* at link-time addresses */
    csspgo_code_function    f;
    csspgo_transfer         transfer[SPACE / UNIT];
    csspgo_inline_node      node[PROGRAM_NODES];
    csspgo_probe            probe[PROGRAM_PROBES];
    csspgo_line_inline_node body[PROGRAM_NODES];
    csspgo_line_row         row[SPACE / UNIT];
    size_t                  transfers, nodes, probes, rows;
    unsigned                size;
} program_function;

typedef struct program {
    uint64_t         random;
    uint64_t         bias;                    /* from link-time to run-time addresses */
    unsigned         functions;
    program_function v[PROGRAM_FUNCTIONS];
} program;

typedef struct program_sample {
    csspgo_sample s;                          /* its pointers: program_point */
    uint64_t      stack[PROGRAM_FRAMES];
    csspgo_branch branch[PROGRAM_BRANCHES];
} program_sample;

/* A number below n. */
static inline unsigned draw(program *p, unsigned n)
{
    p->random = p->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return n != 0 ? (unsigned)(p->random >> 33) % n : 0;
}

static inline const char *program_name(unsigned i)
{
    static const char *const name[PROGRAM_FUNCTIONS] = {
        "main", "hot", "leaf.llvm.12", "cold.part.3", "tail.__uniq.77", "__cxx_global_var_init.1", "_ZN4work3runEv"
    };
    return name[i % PROGRAM_FUNCTIONS];
}

static inline uint64_t program_begin(unsigned i)
{
    return PROGRAM_BASE + (uint64_t)i * SPACE;
}

static inline void program_add_probe(program *p, program_function *f, uint64_t at, unsigned kind, unsigned node)
{
    csspgo_probe *x = &f->probe[f->probes];
    if (f->probes == PROGRAM_PROBES) return;
    memset(x, 0, sizeof *x);
    x->address = at;
    x->id = (uint32_t)++f->probes;
    x->kind = (uint8_t)kind;
    x->inline_node = node + 1;
    if (draw(p, 8) == 0) x->discriminator = 1 + draw(p, 3);
    if (draw(p, 8) == 0) x->id = 1 + draw(p, 6);
}

/* The functions inlined in a function: each in one before it. */
static inline void program_add_nodes(program *p, program_function *f, unsigned i)
{
    unsigned k;
    f->nodes = 1 + draw(p, PROGRAM_NODES);
    for (k = 0; k < f->nodes; k++) {
        const unsigned g = k == 0 ? i : draw(p, p->functions);
        const size_t size = strlen(program_name(g));
        f->node[k].guid = csspgo_guid(program_name(g), csspgo_canonical_size(program_name(g), size, 0));
        f->node[k].parent = k == 0 ? 0 : 1 + draw(p, k);
        f->node[k].site = k == 0 ? 0 : draw(p, 9);
        f->body[k].name = program_name(g);
        f->body[k].name_size = size;
        f->body[k].parent = f->node[k].parent;
        f->body[k].site = csspgo_loc_at(f->node[k].site, draw(p, 3) == 0 ? draw(p, 4000) : 0);
    }
}

static inline void program_add_transfer(program *p, program_function *f, uint64_t at, int last, unsigned node)
{
    static const csspgo_transfer_kind kinds[] = { CSSPGO_NONE, CSSPGO_NONE, CSSPGO_CALL, CSSPGO_CALL,
                                                  CSSPGO_COND, CSSPGO_JMP,  CSSPGO_IJMP, CSSPGO_RET };
    const csspgo_transfer_kind kind = last ? draw(p, 6) == 0 ? CSSPGO_JMP : CSSPGO_RET : kinds[draw(p, 8)];
    const uint64_t inside = f->f.begin + UNIT * draw(p, f->size / UNIT), other = program_begin(draw(p, p->functions));
    csspgo_transfer *x = &f->transfer[f->transfers];
    if (kind == CSSPGO_NONE) return;
    memset(x, 0, sizeof *x);
    x->address = at;
    x->size = UNIT;
    x->kind = kind;
    if (kind == CSSPGO_COND) x->target = inside;
    if (kind == CSSPGO_JMP) x->target = last || draw(p, 3) == 0 ? other : inside;
    if (kind == CSSPGO_CALL && draw(p, 3) != 0) x->target = other;
    f->transfers++;
    if (kind == CSSPGO_CALL && draw(p, 8) != 0)
        program_add_probe(p, f, at, x->target != 0 ? CSSPGO_PROBE_DIRECT_CALL : CSSPGO_PROBE_INDIRECT_CALL, node);
}

static inline void program_make_function(program *p, unsigned i)
{
    program_function *f = &p->v[i];
    unsigned at;
    memset(f, 0, sizeof *f);
    f->size = UNIT * (2 + draw(p, SPACE / UNIT - 2));
    f->f.begin = program_begin(i);
    f->f.end = f->f.begin + f->size;
    f->f.name = program_name(i);
    f->f.name_size = strlen(f->f.name);
    f->f.checksum = draw(p, 4) == 0 ? 0 : 100 + i;
    f->f.fragment = i != 0 && draw(p, 8) == 0;
    if (f->f.fragment) {
        f->f.name = program_name(0);
        f->f.name_size = strlen(f->f.name);
        f->f.checksum = 100;
    }
    program_add_nodes(p, f, i);
    for (at = 0; at < f->size; at += UNIT) {
        const unsigned node = draw(p, (unsigned)f->nodes);
        csspgo_line_row *row = &f->row[f->rows++];
        memset(row, 0, sizeof *row);
        row->address = f->f.begin + at;
        row->inline_node = draw(p, 9) == 0 ? 0 : node + 1;
        row->loc = csspgo_loc_at(draw(p, 12), draw(p, 4) == 0 ? draw(p, 5000) : 0);
        if (at == 0 || draw(p, 3) != 0) program_add_probe(p, f, f->f.begin + at, CSSPGO_PROBE_BLOCK, node);
        program_add_transfer(p, f, f->f.begin + at, at + UNIT == f->size, node);
    }
}

/* One of 2^32 programs. */
static inline void program_make(program *p, uint32_t seed)
{
    unsigned i;
    p->random = seed;
    p->bias = 0;
    p->functions = 2 + draw(p, PROGRAM_FUNCTIONS - 1);
    for (i = 0; i < p->functions; i++) program_make_function(p, i);
}

/* Adds a program's code and probes; lines may be NULL. A module named "prog" or none (named 0). */
static inline csspgo_status program_add(program *p, csspgo_code *code, csspgo_line_table *lines, int named,
                                        csspgo_module *module)
{
    csspgo_segment segment;
    csspgo_descriptor d;
    csspgo_status s = CSSPGO_OK;
    unsigned i;
    memset(&segment, 0, sizeof segment);
    memset(&d, 0, sizeof d);
    segment.address = PROGRAM_BASE;
    segment.file_offset = 0x1000;
    segment.size = PROGRAM_FUNCTIONS * SPACE;
    segment.executable = 1;
    *module = csspgo_no_module();
    if (named) {
        csspgo_error e;
        *module = csspgo_code_add_module(code, "prog", 4, &segment, 1, &e);
        if (module->id == 0) return e.status;
    }
    for (i = 0; s == CSSPGO_OK && i < p->functions; i++) {
        const program_function *f = &p->v[i];
        s = csspgo_code_add_function(code, *module, &f->f, NULL);
        if (s == CSSPGO_OK) s = csspgo_code_add_transfers(code, *module, f->transfer, f->transfers, NULL);
        if (s == CSSPGO_OK) s = csspgo_code_add_probes(code, *module, f->node, f->nodes, f->probe, f->probes, NULL);
        if (s == CSSPGO_OK && lines != NULL)
            s = csspgo_line_table_add(lines, code, *module, f->body, f->nodes, f->row, f->rows, NULL);
        d.checksum = 100 + i;
        d.name = program_name(i);
        d.name_size = csspgo_canonical_size(d.name, strlen(d.name), 0);
        d.guid = csspgo_guid(d.name, d.name_size);
        if (s == CSSPGO_OK) s = csspgo_code_add_descriptors(code, &d, 1, NULL);
    }
    return s;
}

/* ----- runs ----- */

static inline void program_branch(program_sample *t, uint64_t from, uint64_t to, uint64_t bias)
{
    memmove(t->branch + 1, t->branch, (PROGRAM_BRANCHES - 1) * sizeof *t->branch);
    memset(t->branch, 0, sizeof *t->branch);
    t->branch[0].from = from + bias;
    t->branch[0].to = to + bias;
    if (t->s.branch_count < PROGRAM_BRANCHES) t->s.branch_count++;
}

/* Takes the transfer at an address, and says where execution goes. callers: return addresses, innermost first. */
static inline uint64_t program_take(program *p, program_sample *t, const csspgo_transfer *x, const program_function *f,
                                    uint64_t *callers, unsigned *depth)
{
    uint64_t to = x->target;
    if (x->kind == CSSPGO_COND && draw(p, 2)) return x->address + UNIT;
    if (x->kind == CSSPGO_IJMP) to = f->f.begin + UNIT * draw(p, f->size / UNIT);
    if (x->kind == CSSPGO_CALL) {
        if (*depth == PROGRAM_FRAMES - 1) return x->address + UNIT;
        memmove(callers + 1, callers, (*depth)++ * sizeof *callers);
        callers[0] = x->address + UNIT;
        if (to == 0) to = program_begin(draw(p, p->functions));
    }
    if (x->kind == CSSPGO_RET) {
        if (*depth == 0) to = program_begin(draw(p, p->functions));
        else {
            to = callers[0];
            memmove(callers, callers + 1, --*depth * sizeof *callers);
        }
    }
    program_branch(t, x->address, to, p->bias);
    return to;
}

/* What hardware and signal handlers do to samples. */
static inline void program_spoil(program *p, program_sample *t)
{
    const uint64_t kernel = UINT64_C(0xffffffff81000000) + draw(p, 64);
    const uint64_t any = draw(p, 4) != 0 ? p->bias + PROGRAM_BASE + draw(p, PROGRAM_FUNCTIONS * SPACE)
                                         : draw(p, 2) ? kernel : 64;
    csspgo_branch *b = &t->branch[draw(p, t->s.branch_count)];
    switch (draw(p, 20)) {
    case 0: t->s.stack_count = 0; break;
    case 1: t->s.stack_count = 1; break;
    case 2: t->stack[draw(p, t->s.stack_count)] = any; break;
    case 3: b->from = any; break;
    case 4: b->to = any; break;
    case 5: b->flags = (uint64_t)1 << 33; break;
    case 6: b->flags = 1 << 24; break;
    case 7: if (t->s.branch_count > 1) t->branch[1] = t->branch[0]; break;
    case 8: t->s.count = 1 + draw(p, 1000); break;
    case 9: if (t->s.stack_count > 1) memmove(t->stack + 1, t->stack + 2, --t->s.stack_count * sizeof *t->stack); break;
    case 10: program_branch(t, t->stack[0] - p->bias, kernel - p->bias, p->bias); break;
    case 11: b->from += UNIT; break;
    default: break;
    }
}

/* Runs from a random function on. Returns 0 if nothing ran. */
static inline int program_run(program *p, program_sample *t, unsigned steps)
{
    uint64_t callers[PROGRAM_FRAMES], at = program_begin(draw(p, p->functions));
    unsigned depth = 0, i;
    memset(t, 0, sizeof *t);
    while (steps-- != 0) {
        const unsigned place = (unsigned)((at - PROGRAM_BASE) / SPACE);
        const program_function *f = &p->v[place];
        if (at < PROGRAM_BASE || place >= p->functions || at >= f->f.end) break;
        for (i = 0; i < f->transfers && f->transfer[i].address != at; i++) {}
        at = i == f->transfers ? at + UNIT : program_take(p, t, &f->transfer[i], f, callers, &depth);
    }
    t->stack[0] = at + p->bias;
    for (i = 0; i < depth; i++) t->stack[i + 1] = callers[i] + p->bias;
    t->s.stack_count = depth + 1;
    t->s.count = 1;
    if (t->s.branch_count == 0) return 0;
    program_spoil(p, t);
    return 1;
}

static inline const csspgo_sample *program_point(program_sample *t)
{
    t->s.stack = t->stack;
    t->s.branches = t->branch;
    return &t->s;
}

/* ----- profiles ----- */

static inline char *text_of(const csspgo_profile *p)
{
    size_t size;
    char *text;
    csspgo_write(p, CSSPGO_TEXT, NULL, 0, &size, NULL);
    text = (char *)calloc(size + 1, 1);
    REQUIRE(text != NULL && csspgo_write(p, CSSPGO_TEXT, text, size, NULL, NULL) == CSSPGO_OK);
    return text;
}

static inline void same_text(const csspgo_profile *p, const csspgo_profile *q)
{
    char *a = text_of(p), *b = text_of(q);
    if (strcmp(a, b) != 0) fprintf(stderr, "one:\n%s\nother:\n%s\n", a, b);
    REQUIRE(strcmp(a, b) == 0);
    free(a);
    free(b);
}

static inline csspgo_options counted_options(counted *c)
{
    csspgo_options o;
    memset(&o, 0, sizeof o);
    o.allocator.alloc_fn = counted_alloc;
    o.allocator.free_fn = counted_free;
    o.allocator.ctx = c;
    return o;
}

#endif
