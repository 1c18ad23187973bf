/* jit.c - a JIT that profiles its own code while it runs, with exact counts per calling context
 *
 * It emits these functions as x86-64 code, and as it emits them tells csspgo where their calls, jumps and returns are
 * and which instruction begins which block (probes, numbered per function):
 *
 *     main(n)          do { alpha(); beta(); } while (--n)
 *     alpha()          each(8, 1, square)          later collatz stands where square was
 *     beta()           each(5, 0, fact); scale(7)
 *     each(n, way, f)  do { sum += way ? scale(n) : -n; sum += f(n); } while (--n)          this scale() is inlined
 *     scale(n)         (n > 4 ? n * 2 : n) + 1
 *     square(n)        n * n
 *     collatz(n)       n is odd ? 3 * n + 1 : n / 2
 *     fact(n)          n > 1 ? n * fact(n - 1) : 1
 *
 * A profile without contexts says of each() that its branch goes either way and that f can be anything. With contexts
 * it says that under alpha() the branch goes one way and f is square, under beta() the other way and f is fact.
 *
 * Samples come from a software LBR: the code runs with the processor's trap flag set, so a SIGTRAP follows every
 * instruction and its handler sees every taken branch. (A real JIT maps a perf_event_open ring buffer and hands what is
 * in there to the same csspgo_collector_add.) Nothing is left out between samples here, so csspgo's counts must be the
 * true ones. The handler keeps those too, in its own way, and the program fails if one differs.
 */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include <stdio.h>

#if !defined(__x86_64__) || !defined(__LP64__) || !defined(__linux__)

int main(void)
{
    puts("jit: this example emits x86-64 code and steps through it under Linux; nothing to do on this machine");
    return 0;
}

#else

#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

static void require(int holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "jit: failed: %s\n", what);
    exit(1);
}

/* ----- the emitter ------------------------------------------------------------------------------------------------- */

enum { CODE_BYTES = 4096, SLOT = 64, MANY = 16, PIECES = 8 };

typedef struct piece {                  /* one function's code, in the tables that csspgo takes; end 0: there is none */
    csspgo_function function;
    csspgo_transfer transfers[MANY];
    csspgo_inline   inlines[MANY];
    csspgo_probe    probes[MANY];
    const char     *name[MANY], *label[MANY];   /* of inlines[], of probes[] */
    size_t transfer_count, inline_count, probe_count;
} piece;

static struct jit {
    unsigned char *memory, *at, *free;  /* next instruction; first byte never used        */
    piece          pieces[PIECES];      /* live code                                      */
    piece         *now;                 /* being emitted                                  */
    uint32_t       inline_node;         /* index + 1 of the body that is being emitted    */
    csspgo_code   *code;
} jit;

static uint64_t here(void)
{
    return (uint64_t)(uintptr_t)jit.at;
}

/* The code at an address, the code of a function; end 0 if there is none. */
static const piece *piece_at(uint64_t address)
{
    const piece *p = jit.pieces;
    while (p < jit.pieces + PIECES && (address < p->function.begin || address >= p->function.end)) p++;
    return p < jit.pieces + PIECES ? p : NULL;
}

static piece *piece_of(const char *name)
{
    piece *p = jit.pieces;
    while (p < jit.pieces + PIECES && (p->function.end == 0 || strcmp(p->name[0], name) != 0)) p++;
    require(p < jit.pieces + PIECES, name);
    return p;
}

/* Some instructions, given by their bytes. */
static void emit(const char *bytes, size_t size)
{
    require((size_t)(jit.at - jit.memory) + size <= CODE_BYTES, "room for more code");
    memcpy(jit.at, bytes, size);
    jit.at += size;
}
#define EMIT(bytes) emit(bytes, sizeof(bytes) - 1)

/* Writes the distance to target into the last four bytes of the instruction that ends at end. */
static void aim(unsigned char *end, uint64_t target)
{
    const int32_t distance = (int32_t)(target - (uint64_t)(uintptr_t)end);
    memcpy(end - 4, &distance, 4);
}

/* A control transfer; target 0: it is indirect, or a jump forward that land() will aim. Returns its index. */
static size_t transfer(csspgo_kind kind, uint64_t target, const char *bytes, size_t size)
{
    csspgo_transfer *t = &jit.now->transfers[jit.now->transfer_count];
    require(jit.now->transfer_count < MANY, "room for a transfer");
    t->address = here();
    t->target = target;
    t->size = (uint32_t)size;
    t->kind = kind;
    emit(bytes, size);
    if (target != 0) aim(jit.at, target);
    return jit.now->transfer_count++;
}
#define JUMP(target) transfer(CSSPGO_JMP, target, "\xe9\0\0\0\0", 5)
#define JUMP_IF(cc, target) transfer(CSSPGO_COND, target, "\x0f" cc "\0\0\0\0", 6)

static void land(size_t jump)
{
    csspgo_transfer *t = &jit.now->transfers[jump];
    t->target = here();
    aim((unsigned char *)(uintptr_t)t->address + t->size, t->target);
}

/* A probe on the next instruction, in the body that is being emitted. */
static void probe(uint8_t kind, uint32_t id, const char *label)
{
    csspgo_probe *p = &jit.now->probes[jit.now->probe_count];
    require(jit.now->probe_count < MANY, "room for a probe");
    jit.now->label[jit.now->probe_count++] = label;
    p->address = here();
    p->id = id;
    p->kind = kind;
    p->inline_node = jit.inline_node;
}
#define BLOCK(id, label, bytes) (probe(CSSPGO_PROBE_BLOCK, id, label), EMIT(bytes))
#define CALL(id, callee) (probe(CSSPGO_PROBE_DIRECT_CALL, id, "call"), \
                          transfer(CSSPGO_CALL, (callee)->function.begin, "\xe8\0\0\0\0", 5))
#define CALL_R13(id) (probe(CSSPGO_PROBE_INDIRECT_CALL, id, "call"), transfer(CSSPGO_CALL, 0, "\x41\xff\xd5", 3))

/* What follows is the body of a function, inlined at a call site of the body around it (0: it is the outermost one). */
static void body(const char *name, uint32_t site)
{
    csspgo_inline *n = &jit.now->inlines[jit.now->inline_count];
    require(jit.now->inline_count < MANY, "room for an inlined body");
    n->guid = csspgo_guid(name, strlen(name));
    n->parent = jit.inline_node;
    n->site = site;
    jit.now->name[jit.now->inline_count++] = name;
    jit.inline_node = (uint32_t)jit.now->inline_count;
}

static void body_end(void)
{
    jit.inline_node = jit.now->inlines[jit.inline_node - 1].parent;
}

/* Begins a function with a frame pointer, at an address that is free or (0) behind all other code. */
static void begin(const char *name, uint64_t address)
{
    jit.now = jit.pieces;
    while (jit.now->function.end != 0) require(++jit.now < jit.pieces + PIECES, "room for a function");
    memset(jit.now, 0, sizeof *jit.now);
    jit.at = address != 0 ? (unsigned char *)(uintptr_t)address : jit.free;
    jit.inline_node = 0;
    body(name, 0);
    jit.now->function.begin = here();
    jit.now->function.name = name;
    jit.now->function.name_size = strlen(name);
    EMIT("\x55\x48\x89\xe5");                                           /* push rbp; mov rbp, rsp */
}

/* Ends it and tells csspgo all about it. What is in no module (0) has run-time addresses. */
static void end(void)
{
    const csspgo_module none = { 0 };
    piece *p = jit.now;
    EMIT("\x5d");                                                       /* pop rbp */
    transfer(CSSPGO_RET, 0, "\xc3", 1);
    p->function.end = here();
    while ((jit.at - jit.memory) % SLOT != 0) EMIT("\xcc");
    if (jit.at > jit.free) jit.free = jit.at;
    require(csspgo_code_add_function(jit.code, none, &p->function) == CSSPGO_OK, "adding a function");
    require(csspgo_code_add_transfers(jit.code, none, p->transfers, p->transfer_count) == CSSPGO_OK, "its transfers");
    require(csspgo_code_add_probes(jit.code, none, p->inlines, p->inline_count, p->probes, p->probe_count) == CSSPGO_OK,
            "its probes");
}

/* ----- the functions: arguments in rdi, rsi, rdx, result in rax ---------------------------------------------------- */

enum { EACH_WAY = 3, EACH_NOT_WAY = 5, EACH_CALL = 7 };                 /* probes of each() that we ask about */

/* The body of scale(), wherever it goes. */
static void emit_scale(void)
{
    size_t small;
    BLOCK(1, "entry", "\x48\x89\xf8\x48\x83\xff\x04");                  /* mov rax, rdi; cmp rdi, 4 */
    small = JUMP_IF("\x8e", 0);                                         /* jle */
    BLOCK(2, "n > 4", "\x48\x01\xc0");                                  /* add rax, rax */
    land(small);
    BLOCK(3, "out", "\x48\xff\xc0");                                    /* inc rax */
}

static void emit_square(void)
{
    BLOCK(1, "entry", "\x48\x89\xf8\x48\x0f\xaf\xc7");                  /* mov rax, rdi; imul rax, rdi */
}

static void emit_collatz(void)
{
    size_t even, out;
    BLOCK(1, "entry", "\x40\xf6\xc7\x01");                              /* test dil, 1 */
    even = JUMP_IF("\x84", 0);                                          /* jz */
    BLOCK(2, "odd", "\x48\x8d\x44\x7f\x01");                            /* lea rax, [rdi+2*rdi+1] */
    out = JUMP(0);
    land(even);
    BLOCK(3, "even", "\x48\x89\xf8\x48\xd1\xe8");                       /* mov rax, rdi; shr rax, 1 */
    land(out);
    BLOCK(4, "out", "");
}

static void emit_fact(void)
{
    size_t more, out;
    BLOCK(1, "entry", "\x53\x48\x89\xfb\x48\x83\xff\x01");              /* push rbx; mov rbx, rdi; cmp rdi, 1 */
    more = JUMP_IF("\x8f", 0);                                          /* jg */
    BLOCK(2, "n <= 1", "\xb8\x01\0\0\0");                               /* mov eax, 1 */
    out = JUMP(0);
    land(more);
    BLOCK(3, "n > 1", "\x48\x8d\x7b\xff");                              /* lea rdi, [rbx-1] */
    CALL(4, jit.now);
    EMIT("\x48\x0f\xaf\xc3");                                           /* imul rax, rbx */
    land(out);
    BLOCK(5, "out", "\x5b");                                            /* pop rbx */
}

static void emit_each(void)
{
    size_t other, join;
    uint64_t loop;
    BLOCK(1, "entry", "\x53\x41\x54\x41\x55\x41\x56");                  /* push rbx; push r12; push r13; push r14 */
    EMIT("\x48\x89\xfb\x49\x89\xf4\x49\x89\xd5\x45\x31\xf6");           /* rbx = n; r12 = way; r13 = f; r14 = sum = 0 */
    loop = here();
    BLOCK(2, "loop", "\x4d\x85\xe4");                                   /* test r12, r12 */
    other = JUMP_IF("\x84", 0);                                         /* jz */
    BLOCK(EACH_WAY, "way", "\x48\x89\xdf");                             /* mov rdi, rbx */
    body("scale", 4);
    emit_scale();
    body_end();
    EMIT("\x49\x01\xc6");                                               /* add r14, rax */
    join = JUMP(0);
    land(other);
    BLOCK(EACH_NOT_WAY, "not way", "\x49\x29\xde");                     /* sub r14, rbx */
    land(join);
    BLOCK(6, "join", "\x48\x89\xdf");                                   /* mov rdi, rbx */
    CALL_R13(EACH_CALL);
    EMIT("\x49\x01\xc6\x48\xff\xcb");                                   /* add r14, rax; dec rbx */
    JUMP_IF("\x85", loop);                                              /* jnz */
    BLOCK(8, "out", "\x4c\x89\xf0\x41\x5e\x41\x5d\x41\x5c\x5b");        /* mov rax, r14; pop r14; r13; r12; rbx */
}

static void emit_alpha(void)
{
    BLOCK(1, "entry", "\xbf\x08\0\0\0\xbe\x01\0\0\0");                  /* mov edi, 8; mov esi, 1 */
    EMIT("\x48\x8d\x15\0\0\0\0");                                       /* lea rdx, [square] */
    aim(jit.at, piece_of("square")->function.begin);
    CALL(2, piece_of("each"));
}

static void emit_beta(void)
{
    BLOCK(1, "entry", "\xbf\x05\0\0\0\x31\xf6");                        /* mov edi, 5; xor esi, esi */
    EMIT("\x48\x8d\x15\0\0\0\0");                                       /* lea rdx, [fact] */
    aim(jit.at, piece_of("fact")->function.begin);
    CALL(2, piece_of("each"));
    EMIT("\xbf\x07\0\0\0");                                             /* mov edi, 7 */
    CALL(3, piece_of("scale"));
}

static void emit_main(void)
{
    uint64_t loop;
    BLOCK(1, "entry", "\x53\x48\x89\xfb");                              /* push rbx; mov rbx, rdi */
    loop = here();
    probe(CSSPGO_PROBE_BLOCK, 2, "loop");
    CALL(3, piece_of("alpha"));
    CALL(4, piece_of("beta"));
    EMIT("\x48\xff\xcb");                                               /* dec rbx */
    JUMP_IF("\x85", loop);                                              /* jnz */
    BLOCK(5, "out", "\x5b");                                            /* pop rbx */
}

static void emit_all(void)
{
    static const struct {
        const char *name;
        void (*emit_fn)(void);
    } all[] = { { "square", emit_square }, { "fact", emit_fact },   { "scale", emit_scale }, { "each", emit_each },
                { "alpha", emit_alpha },   { "beta", emit_beta },   { "main", emit_main } };
    size_t i;
    for (i = 0; i < sizeof all / sizeof *all; i++) {
        begin(all[i].name, 0);
        all[i].emit_fn();
        end();
    }
}

/*
 * enter(function, argument) calls a function with the trap flag set. popfq takes effect one instruction late, so the
 * first trap comes behind the call. csspgo is not told of this code. *call gets the address of the call.
 */
typedef void enter_fn(uint64_t function, uint64_t argument);

static enter_fn *emit_enter(uint64_t *call)
{
    const unsigned char *const start = jit.at = jit.free;
    enter_fn *fn;
    EMIT("\x55\x48\x89\xf8\x48\x89\xf7");                               /* push rbp; mov rax, rdi; mov rdi, rsi */
    EMIT("\x9c\x81\x0c\x24\0\x01\0\0\x9d");                             /* pushfq; or dword [rsp], 0x100; popfq */
    *call = here();
    EMIT("\xff\xd0");                                                   /* call rax */
    EMIT("\x9c\x81\x24\x24\xff\xfe\xff\xff\x9d");                       /* pushfq; and dword [rsp], ~0x100; popfq */
    EMIT("\x5d\xc3");                                                   /* pop rbp; ret */
    jit.free = jit.at;
    memcpy(&fn, &start, sizeof fn);
    return fn;
}

/* ----- the truth: what was executed in which calling context ------------------------------------------------------- */

enum { FRAMES = 16, TEXT = 128, COUNTS = 128 };

static struct truth {
    struct { char context[TEXT]; const char *label, *callee; uint32_t id; uint64_t count; } at[COUNTS];
    char context[FRAMES][TEXT];         /* of every active function, as csspgo writes it                              */
    int  counts, depth, full;
} truth;

/* Counts a probe (callee ""), or what it called. */
static void truth_add(const char *context, uint32_t id, const char *label, const char *callee)
{
    int i = 0;
    while (i < truth.counts && (truth.at[i].id != id || strcmp(truth.at[i].callee, callee) != 0 ||
                                strcmp(truth.at[i].context, context) != 0)) i++;
    if (i == COUNTS) {
        truth.full = 1;
        return;
    }
    if (i == truth.counts) {
        truth.counts++;
        strcpy(truth.at[i].context, context);
        truth.at[i].id = id;
        truth.at[i].label = label;
        truth.at[i].callee = callee;
    }
    truth.at[i].count++;
}

/* context:site @ name. Recursion that repeats its call site adds nothing, as in csspgo. */
static void truth_context(char *out, const char *context, uint32_t site, const char *name)
{
    char frame[TEXT] = ":? @ ";
    const size_t size = strlen(context), more = strlen(name) + 5;
    const char *begin = frame;
    out[0] = '\0';
    if (size + more >= TEXT) truth.full = 1;
    if (truth.full) return;
    frame[1] = (char)('0' + site);
    strcpy(frame + 5, name);
    if (size == 0) begin += 5;
    if (size >= more && strcmp(context + size - more, frame) == 0) begin += more;
    strcpy(out, context);
    strcat(out, begin);
}

/* The instruction at address was executed and went on to `to`. A call of inlined code is counted at its entry block. */
static void truth_step(uint64_t address, uint64_t to, csspgo_kind kind)
{
    const piece *p = piece_at(address), *callee = piece_at(to);
    const char *outer = truth.depth > 0 ? truth.context[truth.depth - 1] : "";
    uint32_t site = 0;
    size_t i;
    for (i = 0; p != NULL && i < p->probe_count; i++) {
        const csspgo_inline *n = &p->inlines[p->probes[i].inline_node - 1];
        char context[TEXT];
        if (p->probes[i].address != address) continue;
        if (n->parent == 0) strcpy(context, outer);
        else truth_context(context, outer, n->site, p->name[p->probes[i].inline_node - 1]);
        site = p->probes[i].id;
        truth_add(context, site, p->label[i], "");
        if (n->parent == 0 || site != 1) continue;
        truth_add(outer, n->site, "inlined call", "");
        truth_add(outer, n->site, "", p->name[p->probes[i].inline_node - 1]);
    }
    if (kind == CSSPGO_RET && truth.depth > 0) truth.depth--;
    if (kind != CSSPGO_CALL || callee == NULL) return;
    if (site != 0) truth_add(outer, site, "", callee->name[0]);
    if (truth.depth == FRAMES) truth.full = 1;
    else truth_context(truth.context[truth.depth++], outer, site, callee->name[0]);
}

/* ----- the software LBR -------------------------------------------------------------------------------------------- */

enum { LBR = 32, WINDOW = 24, SAMPLES = 1024 };

static struct sampler {
    csspgo_branch window[LBR];          /* taken branches, oldest first                                      */
    uint32_t      branches;
    uint64_t      last, steps;          /* the instruction that is being executed; how many were             */
    uint32_t      count, full;          /* samples in the buffer; 1: something did not fit                   */
    csspgo_sample sample[SAMPLES];
    csspgo_branch branch[SAMPLES][LBR];
    uint64_t      stack[SAMPLES][FRAMES];
} sampler;

/*
 * Windows follow each other without a gap. Code between two branches counts in the one window that has both, so the last
 * branch of a window is the first one of the next too. A call counts once per record of it, so a window does not end
 * with a call. Hence the frame pointer is always set up here, and the walk finds every frame.
 */
static void take_sample(uint64_t rip, const uint64_t *frame)
{
    const uint32_t n = sampler.count;
    csspgo_sample *s = &sampler.sample[n];
    uint64_t *stack = sampler.stack[n];
    uint32_t i;
    for (i = 0; i < sampler.branches; i++) sampler.branch[n][i] = sampler.window[sampler.branches - 1 - i];
    for (stack[0] = rip, i = 1; piece_at(stack[i - 1]) != NULL && i < FRAMES; i++) {
        stack[i] = frame[1];
        frame = (const uint64_t *)(uintptr_t)frame[0];
    }
    s->branches = sampler.branch[n];
    s->branch_count = sampler.branches;
    s->stack = stack;
    s->stack_count = i;
    s->count = 1;
    sampler.count++;
    sampler.window[0] = sampler.branch[n][0];
    sampler.branches = 1;
}

/* Runs after every instruction. It touches preallocated memory only: no allocation, no collector. */
static void on_trap(int signal, siginfo_t *info, void *context)
{
    const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;
    const uint64_t rip = (uint64_t)machine->gregs[REG_RIP], from = sampler.last;
    csspgo_branch *b = &sampler.window[sampler.branches];
    csspgo_insn insn;
    (void)signal;
    (void)info;
    sampler.last = rip;
    sampler.steps++;
    csspgo_decode_x86_64((const void *)(uintptr_t)from, 15, from, &insn);
    truth_step(from, rip, insn.kind);
    if (rip == from + insn.size) return;
    if (sampler.branches == LBR || sampler.count == SAMPLES) sampler.full = 1;
    if (sampler.full) return;
    b->from = from;
    b->to = rip;
    sampler.branches++;
    if (piece_at(rip) == NULL || (sampler.branches >= WINDOW && insn.kind != CSSPGO_CALL))
        take_sample(rip, (const uint64_t *)(uintptr_t)machine->gregs[REG_RBP]);
}

/* Runs main(n) single-stepped some times and puts what was sampled into the profile. */
static uint64_t run(enter_fn *enter, uint64_t call, csspgo_collector *c, csspgo_profile *p, int times, uint64_t n)
{
    uint64_t samples = 0;
    csspgo_error e;
    for (; times != 0; times--) {
        sampler.last = call;
        sampler.branches = sampler.count = 0;
        enter(piece_of("main")->function.begin, n);
        require(sampler.steps != 0, "single-stepping by the trap flag");
        require(!sampler.full && !truth.full && truth.depth == 0, "tables large enough for what ran");
        require(csspgo_collector_add(c, sampler.sample, sampler.count) == CSSPGO_OK, "adding samples");
        samples += sampler.count;
    }
    require(csspgo_collector_profile(c, p, NULL, &e) == CSSPGO_OK, e.message);
    return samples;
}

/* ----- what csspgo knows ------------------------------------------------------------------------------------------- */

/* What a JIT asks before it inlines: which way does the branch of each() go in this context, and what does it call? */
static void ask(const csspgo_profile *p, const char *context)
{
    const csspgo_node each = csspgo_find(p, context);
    const double way = (double)csspgo_body_count(p, each, csspgo_at(EACH_WAY, 0));
    const double not_way = (double)csspgo_body_count(p, each, csspgo_at(EACH_NOT_WAY, 0));
    size_t count, i, size;
    const csspgo_target *target = csspgo_targets(p, each, &count);
    printf("    %-24s way %3.0f %%, f is", context, 100 * way / (way + not_way));
    for (i = 0; i < count; i++) {
        const char *name = csspgo_func_name(p, target[i].func, &size);
        if (target[i].loc.line == EACH_CALL)
            printf(" %.*s (%llu)", (int)size, name, (unsigned long long)target[i].count);
    }
    putchar('\n');
}

/* Prints all counts of one context beside the true ones: truth entry `first` is the first of it. Returns differences. */
static int compare_context(const csspgo_profile *p, int first)
{
    const char *context = truth.at[first].context;
    const csspgo_node node = csspgo_find(p, context);
    uint64_t total = 0;
    int i, wrong = 0;
    printf("%s%s\n", context, csspgo_attributes(p, node) & CSSPGO_WAS_INLINED ? "  (inlined)" : "");
    for (i = first; i < truth.counts; i++) {
        const char *callee = truth.at[i].callee;
        const csspgo_loc at = csspgo_at(truth.at[i].id, 0);
        const uint64_t truly = truth.at[i].count;
        uint64_t ours;
        if (strcmp(truth.at[i].context, context) != 0) continue;
        ours = callee[0] == '\0' ? csspgo_body_count(p, node, at)
                                 : csspgo_target_count(p, node, at, csspgo_func_find(p, callee, strlen(callee)));
        if (callee[0] == '\0') total += truly;
        if (callee[0] == '\0' && at.line == 1) wrong += csspgo_head(p, node) != truly;
        printf("   %2u %-14s%-12s%9llu%9llu  %s\n", (unsigned)at.line, callee[0] == '\0' ? truth.at[i].label : "  of",
               callee, (unsigned long long)ours, (unsigned long long)truly, ours == truly ? "equal" : "DIFFERENT");
        wrong += ours != truly;
    }
    return wrong + (csspgo_total(p, node) != total);
}

/* The whole table, and there must be nothing else in the profile. Returns the number of differences. */
static int compare(const csspgo_profile *p)
{
    uint32_t contexts = 0;
    int i, k, wrong = 0;
    puts("\ncontext, probe                     csspgo     true");
    for (i = 0; i < truth.counts; i++) {
        for (k = 0; strcmp(truth.at[k].context, truth.at[i].context) != 0; k++) {}
        if (k < i) continue;
        contexts++;
        wrong += compare_context(p, i);
    }
    return wrong + (csspgo_record_count(p) != contexts);
}

int main(void)
{
    csspgo_collector_options how;
    struct sigaction action;
    uint64_t call, samples;
    csspgo_function gone;
    csspgo_collector *c;
    csspgo_profile *p;
    enter_fn *enter;
    int wrong;

    memset(&how, 0, sizeof how);
    how.keep_leaves = 1;                /* our stacks are right wherever a sample is taken */
    p = csspgo_profile_new(NULL);
    jit.code = csspgo_code_new(NULL);
    c = jit.code != NULL ? csspgo_collector_new(jit.code, &how, NULL) : NULL;
    require(p != NULL && c != NULL, "memory");
    jit.memory = (unsigned char *)mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(jit.memory != (unsigned char *)MAP_FAILED, "mmap");
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_trap;
    action.sa_flags = SA_SIGINFO;
    require(sigaction(SIGTRAP, &action, NULL) == 0, "sigaction");

    jit.free = jit.memory;
    emit_all();
    enter = emit_enter(&call);
    require(mprotect(jit.memory, CODE_BYTES, PROT_READ | PROT_EXEC) == 0, "mprotect");
    samples = run(enter, call, c, p, 5, 10);
    puts("after 50 rounds:");
    ask(p, "main:3 @ alpha:2 @ each");
    ask(p, "main:4 @ beta:2 @ each");

    /* square is freed and something else emitted in its place, of which alpha() knows nothing. All samples of square
       were added before, so they stay square's; those added from now on belong to what is there now. */
    require(mprotect(jit.memory, CODE_BYTES, PROT_READ | PROT_WRITE) == 0, "mprotect");
    gone = piece_of("square")->function;
    require(csspgo_code_remove(jit.code, gone.begin, gone.end) == CSSPGO_OK, "removing code");
    piece_of("square")->function.end = 0;
    begin("collatz", gone.begin);
    emit_collatz();
    end();
    require(mprotect(jit.memory, CODE_BYTES, PROT_READ | PROT_EXEC) == 0, "mprotect");
    samples += run(enter, call, c, p, 3, 10);
    puts("after 30 more, with collatz at the address of square:");
    ask(p, "main:3 @ alpha:2 @ each");
    ask(p, "main:4 @ beta:2 @ each");

    wrong = compare(p);
    printf("\n%llu instructions, %llu samples, %u contexts: %s\n", (unsigned long long)sampler.steps,
           (unsigned long long)samples, (unsigned)csspgo_record_count(p), wrong ? "DIFFERENT" : "all counts are equal");
    csspgo_collector_free(c);
    csspgo_code_free(jit.code);
    csspgo_profile_free(p);
    munmap(jit.memory, CODE_BYTES);
    return wrong != 0;
}

#endif
