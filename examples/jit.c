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

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { CODE_BYTES = 4096, SLOT = 64, MANY = 16, FUNCTIONS = 8, SQUARE = 0, COLLATZ = 7 };
enum { EACH_WAY = 3, EACH_NOT_WAY = 5, EACH_CALL = 7 };   /* probes of each() that we ask about */

/*
 * The functions: arguments in rdi, rsi, rdx, result in rax. Hexadecimal words are instructions, the others are
 *   .1       block probe 1 on what follows         !3beta   call beta, call probe 3      *7   call r13, call probe 7
 *   =x       label x                               >x  jmp x       ?85x  jnz x, and so on with the condition's opcode
 *   +4scale  scale is inlined at call probe 4      @fact    lea rdx, [fact]
 */
static const struct { const char *name, *text; } functions[FUNCTIONS] = {
    { "square", ".1 4889f8 480fafc7" },                             /* mov rax, rdi; imul rax, rdi               */
    { "fact",   ".1 53 4889fb 4883ff01 ?8fm "                       /* push rbx; mov rbx, rdi; cmp rdi, 1; jg m  */
                ".2 b801000000 >o "                                 /* mov eax, 1                                */
                "=m .3 488d7bff !4fact 480fafc3 "                   /* lea rdi, [rbx-1]; call; imul rax, rbx     */
                "=o .5 5b" },                                       /* pop rbx                                   */
    { "scale",  ".1 4889f8 4883ff04 ?8es "                          /* mov rax, rdi; cmp rdi, 4; jle s           */
                ".2 4801c0 "                                        /* add rax, rax                              */
                "=s .3 48ffc0" },                                   /* inc rax                                   */
    { "each",   ".1 53 4154 4155 4156 4889fb 4989f4 4989d5 4531f6 " /* rbx = n; r12 = way; r13 = f; r14 = 0      */
                "=l .2 4d85e4 ?84n "                                /* test r12, r12; jz n                       */
                ".3 4889df +4scale 4901c6 >j "                      /* mov rdi, rbx; ...; add r14, rax           */
                "=n .5 4929de "                                     /* sub r14, rbx                              */
                "=j .6 4889df *7 4901c6 48ffcb ?85l "               /* mov rdi, rbx; call; add r14, rax; dec rbx */
                ".8 4c89f0 415e 415d 415c 5b" },                    /* mov rax, r14; pop r14, r13, r12, rbx      */
    { "alpha",  ".1 bf08000000 be01000000 @square !2each" },        /* mov edi, 8; mov esi, 1                    */
    { "beta",   ".1 bf05000000 31f6 @fact !2each "                  /* mov edi, 5; xor esi, esi                  */
                "bf07000000 !3scale" },                             /* mov edi, 7                                */
    { "main",   ".1 53 4889fb "                                     /* push rbx; mov rbx, rdi                    */
                "=l .2 !3alpha !4beta 48ffcb ?85l "                 /* dec rbx                                   */
                ".5 5b" },                                          /* pop rbx                                   */
    { "collatz", ".1 40f6c701 ?84e "                                /* test dil, 1; jz e                         */
                ".2 488d447f01 >o "                                 /* lea rax, [rdi+2*rdi+1]                    */
                "=e .3 4889f8 48d1e8 "                              /* mov rax, rdi; shr rax, 1                  */
                "=o .4" },
};

static void require(int holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "jit: failed: %s\n", what);
    exit(1);
}

/* ----- the emitter ------------------------------------------------------------------------------------------------ */

static struct jit {
    struct piece {                      /* code of functions[i], in the tables that csspgo takes; end 0: none */
        csspgo_function function;
        csspgo_transfer transfers[MANY];
        csspgo_inline   inlines[MANY];
        csspgo_probe    probes[MANY];
        const char     *name[MANY];     /* of inlines[]                            */
        size_t transfer_count, inline_count, probe_count;
    } pieces[FUNCTIONS], *now;          /* live code; what is being emitted        */
    unsigned char    *memory;
    uint64_t          at;               /* address of the next instruction         */
    uint64_t          enter_call;       /* see emit_enter                          */
    void            (*enter_fn)(uint64_t function, uint64_t argument);
    csspgo_code      *code;
    csspgo_collector *collector;
    csspgo_profile   *profile;
    uint64_t          samples;          /* handed to the collector                 */
} jit;

/* The function that an address is in, or NULL. */
static const struct piece *piece_at(uint64_t address)
{
    int i = 0;
    while (i < FUNCTIONS && (address < jit.pieces[i].function.begin || address >= jit.pieces[i].function.end)) i++;
    return i < FUNCTIONS ? &jit.pieces[i] : NULL;
}

static int index_of(const char *name)
{
    int i = 0;
    while (i < FUNCTIONS && strcmp(functions[i].name, name) != 0) i++;
    require(i < FUNCTIONS, name);
    return i;
}

/* Instructions, as hexadecimal digits. */
static void emit(const char *hex)
{
    char digits[3] = "";
    for (; hex[0] != '\0'; hex += 2) {
        const uint64_t offset = jit.at++ - (uint64_t)(uintptr_t)jit.memory;
        require(offset < CODE_BYTES, "room for more code");
        memcpy(digits, hex, 2);
        jit.memory[offset] = (unsigned char)strtoul(digits, NULL, 16);
    }
}

/* Writes the distance to target into the last four bytes of the instruction that ends at end. */
static void aim(uint64_t end, uint64_t target)
{
    const int32_t distance = (int32_t)(target - end);
    memcpy((void *)(uintptr_t)(end - 4), &distance, 4);
}

/* A probe on the next instruction. node: index + 1 of the body that it is in. */
static void probe(uint8_t kind, char id, uint32_t node)
{
    csspgo_probe *p = &jit.now->probes[jit.now->probe_count++];
    require(jit.now->probe_count <= MANY, "room for a probe");
    p->address = jit.at;
    p->id = (uint32_t)(id - '0');
    p->kind = kind;
    p->inline_node = node;
}

/* A control transfer. target: an address; 0 where it is indirect; or the letter of a label that comes later. */
static void transfer(csspgo_kind kind, const char *hex, uint64_t target)
{
    csspgo_transfer *t = &jit.now->transfers[jit.now->transfer_count++];
    require(jit.now->transfer_count <= MANY, "room for a transfer");
    t->address = jit.at;
    emit(hex);
    t->size = (uint32_t)(jit.at - t->address);
    t->kind = kind;
    t->target = target;
    if (target > 127) aim(jit.at, target);
}

/* The body of a function: a piece's outermost one (parent 0), or inlined at a call site of the body around it. */
static void emit_body(int index, uint32_t parent, char site)
{
    struct piece *p = jit.now;
    const size_t first = p->transfer_count;
    const uint32_t node = (uint32_t)++p->inline_count;
    const char *name = functions[index].name, *text = functions[index].text;
    uint64_t label[128];
    char word[16], jcc[] = "0f8.00000000";
    size_t i;
    int more;
    require(p->inline_count <= MANY, "room for an inlined body");
    p->name[node - 1] = name;
    p->inlines[node - 1].guid = csspgo_guid(name, strlen(name));
    p->inlines[node - 1].parent = parent;
    p->inlines[node - 1].site = (uint32_t)(site - '0');
    for (i = 0; i < 128; i++) label[i] = i;
    for (; sscanf(text, "%15s%n", word, &more) == 1; text += more) switch (word[0]) {
    case '.': probe(CSSPGO_PROBE_BLOCK, word[1], node); break;
    case '+': emit_body(index_of(word + 2), node, word[1]); break;
    case '!':
        probe(CSSPGO_PROBE_DIRECT_CALL, word[1], node);
        transfer(CSSPGO_CALL, "e800000000", jit.pieces[index_of(word + 2)].function.begin);
        break;
    case '*':
        probe(CSSPGO_PROBE_INDIRECT_CALL, word[1], node);
        transfer(CSSPGO_CALL, "41ffd5", 0);
        break;
    case '>': transfer(CSSPGO_JMP, "e900000000", label[word[1] & 127]); break;
    case '?':
        jcc[3] = word[2];
        transfer(CSSPGO_COND, jcc, label[word[3] & 127]);
        break;
    case '=':
        label[word[1] & 127] = jit.at;
        for (i = first; i < p->transfer_count; i++) {
            if (p->transfers[i].target != (uint64_t)word[1]) continue;
            p->transfers[i].target = jit.at;
            aim(p->transfers[i].address + p->transfers[i].size, jit.at);
        }
        break;
    case '@':
        emit("488d1500000000");
        aim(jit.at, jit.pieces[index_of(word + 1)].function.begin);
        break;
    default: emit(word); break;
    }
}

/* A function with a frame pointer, at an address that is free. csspgo is told all about it; module 0: no module. */
static void emit_function(int index, uint64_t address)
{
    const csspgo_module none = { 0 };
    struct piece *p = jit.now = &jit.pieces[index];
    memset(p, 0, sizeof *p);
    jit.at = address;
    p->function.begin = jit.at;
    p->function.name = functions[index].name;
    p->function.name_size = strlen(functions[index].name);
    emit("554889e5");                                               /* push rbp; mov rbp, rsp */
    emit_body(index, 0, '0');
    emit("5d");                                                     /* pop rbp */
    transfer(CSSPGO_RET, "c3", 0);
    p->function.end = jit.at;
    while (jit.at % SLOT != 0) emit("cc");
    require(csspgo_code_add_function(jit.code, none, &p->function) == CSSPGO_OK, "adding a function");
    require(csspgo_code_add_transfers(jit.code, none, p->transfers, p->transfer_count) == CSSPGO_OK, "its transfers");
    require(csspgo_code_add_probes(jit.code, none, p->inlines, p->inline_count, p->probes, p->probe_count) == CSSPGO_OK,
            "its probes");
}

/*
 * jit.enter_fn calls a function with the trap flag set. popfq takes effect one instruction late, so the first trap
 * comes behind the call, which is at jit.enter_call. csspgo is not told of this code.
 */
static void emit_enter(void)
{
    const uint64_t start = jit.at;
    emit("55" "4889f8" "4889f7" "9c" "810c2400010000" "9d");        /* ...; pushfq; or dword [rsp], 0x100; popfq */
    jit.enter_call = jit.at;
    emit("ffd0" "9c" "812424fffeffff" "9d" "5d" "c3");              /* call rax; pushfq; and ...; popfq; ...; ret */
    memcpy(&jit.enter_fn, &start, sizeof jit.enter_fn);
}

/* ----- the truth: what was executed in which calling context ------------------------------------------------------ */

enum { FRAMES = 16, TEXT = 128, COUNTS = 128 };

typedef struct truth_count {
    char        context[TEXT];
    const char *callee;                 /* "": how often the probe ran; else how often it called this    */
    uint32_t    id;
    uint64_t    count;
} truth_count;

static struct truth {
    truth_count at[COUNTS];
    char        context[FRAMES][TEXT];  /* of every active function, as csspgo writes it; innermost last */
    int         counts, depth, full;
} truth;

/* Counts a probe, or what it called. */
static void truth_add(const char *context, uint32_t id, const char *callee)
{
    int i = 0;
    while (i < truth.counts && (truth.at[i].id != id || strcmp(truth.at[i].callee, callee) != 0 ||
                                strcmp(truth.at[i].context, context) != 0)) i++;
    if (i == COUNTS) truth.full = 1;
    if (truth.full) return;
    if (i == truth.counts) {
        truth.counts++;
        strcpy(truth.at[i].context, context);
        truth.at[i].callee = callee;
        truth.at[i].id = id;
    }
    truth.at[i].count++;
}

/* Makes "context:site @ name". Recursion that repeats its call site adds nothing, as in csspgo. */
static void truth_context(char *out, const char *context, uint32_t site, const char *name)
{
    char frame[TEXT] = ":? @ ";
    const size_t size = strlen(context), more = strlen(name) + 5;
    if (size + more >= TEXT) truth.full = 1;
    if (truth.full) return;
    frame[1] = (char)('0' + site);
    strcpy(frame + 5, name);
    memmove(out, context, size + 1);
    if (size == 0) strcpy(out, name);
    else if (size < more || strcmp(context + size - more, frame) != 0) strcat(out, frame);
}

/* The instruction at address was executed and went on to `to`. Code inlined (one level deep) counts its
   call at its entry block. */
static void truth_step(uint64_t address, uint64_t to, csspgo_kind kind)
{
    const struct piece *p = piece_at(address), *callee = piece_at(to);
    const char *outer = truth.depth > 0 ? truth.context[truth.depth - 1] : "";
    uint32_t site = 0;
    size_t i;
    for (i = 0; p != NULL && i < p->probe_count; i++) {
        const csspgo_inline *n = &p->inlines[p->probes[i].inline_node - 1];
        const char *name = p->name[p->probes[i].inline_node - 1];
        char context[TEXT] = "";
        if (p->probes[i].address != address) continue;
        if (n->parent != 0) truth_context(context, outer, n->site, name);
        site = p->probes[i].id;
        truth_add(n->parent != 0 ? context : outer, site, "");
        if (n->parent == 0 || site != 1) continue;
        truth_add(outer, n->site, "");
        truth_add(outer, n->site, name);
    }
    if (kind == CSSPGO_RET && truth.depth > 0) truth.depth--;
    if (kind != CSSPGO_CALL || callee == NULL) return;
    if (site != 0) truth_add(outer, site, callee->name[0]);
    if (truth.depth == FRAMES) truth.full = 1;
    else truth_context(truth.context[truth.depth++], outer, site, callee->name[0]);
}

/* ----- the software LBR ------------------------------------------------------------------------------------------- */

enum { LBR = 32, WINDOW = 24, SAMPLES = 1024 };

static struct sampler {
    csspgo_branch window[LBR];          /* taken branches, oldest first                          */
    uint32_t      branches;
    uint64_t      last, steps;          /* the instruction that is being executed; how many were */
    uint32_t      count, full;          /* samples in the buffer; 1: something did not fit       */
    csspgo_sample sample[SAMPLES];
    csspgo_branch branch[SAMPLES][LBR];
    uint64_t      stack[SAMPLES][FRAMES];
} sampler;

/*
 * The window becomes a sample. Windows follow each other without a gap: code between two branches counts in the one
 * window that has both, so the last branch of a window is the first one of the next too. A call counts once per record
 * of it, so no window ends with a call. Hence the frame pointer is always set up here: the walk finds every frame.
 */
static void take_sample(uint64_t rip, const uint64_t *frame)
{
    csspgo_branch *branch = sampler.branch[sampler.count];
    uint64_t *stack = sampler.stack[sampler.count];
    csspgo_sample *s = &sampler.sample[sampler.count++];
    memset(s, 0, sizeof *s);
    s->count = 1;
    s->branches = branch;
    while (sampler.branches != 0) branch[s->branch_count++] = sampler.window[--sampler.branches];
    sampler.window[sampler.branches++] = branch[0];
    s->stack = stack;
    stack[s->stack_count++] = rip;
    while (piece_at(stack[s->stack_count - 1]) != NULL && s->stack_count < FRAMES) {
        stack[s->stack_count++] = frame[1];
        frame = (const uint64_t *)(uintptr_t)frame[0];
    }
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

/* Runs main(10) single-stepped some times and puts what was sampled into the profile. */
static void run(int times)
{
    csspgo_error e;
    for (; times != 0; times--) {
        sampler.last = jit.enter_call;
        sampler.branches = sampler.count = 0;
        jit.enter_fn(jit.pieces[index_of("main")].function.begin, 10);
        require(sampler.steps != 0, "single-stepping by the trap flag");
        require(!sampler.full && !truth.full && truth.depth == 0, "tables large enough for what ran");
        require(csspgo_collector_add(jit.collector, sampler.sample, sampler.count) == CSSPGO_OK, "adding samples");
        jit.samples += sampler.count;
    }
    require(csspgo_collector_profile(jit.collector, jit.profile, NULL, &e) == CSSPGO_OK, e.message);
}

/* ----- what csspgo knows ------------------------------------------------------------------------------------------ */

/* What a JIT asks before it inlines: where does the branch of each() go in a context, and what is f there? */
static void ask(const csspgo_profile *p, const char *when)
{
    static const char *const contexts[] = { "main:3 @ alpha:2 @ each", "main:4 @ beta:2 @ each" };
    size_t k, i, count, size;
    puts(when);
    for (k = 0; k < 2; k++) {
        const csspgo_node each = csspgo_find(p, contexts[k]);
        const csspgo_target *target = csspgo_targets(p, each, &count);
        printf("    %-23s  way %" PRIu64 ", not way %" PRIu64 ", f is", contexts[k],
               csspgo_body_count(p, each, csspgo_at(EACH_WAY, 0)),
               csspgo_body_count(p, each, csspgo_at(EACH_NOT_WAY, 0)));
        for (i = 0; i < count; i++) {
            const char *name = csspgo_func_name(p, target[i].func, &size);
            if (target[i].loc.line == EACH_CALL) printf(" %.*s (%" PRIu64 ")", (int)size, name, target[i].count);
        }
        putchar('\n');
    }
}

static int truth_order(const void *a, const void *b)
{
    const truth_count *x = (const truth_count *)a, *y = (const truth_count *)b;
    const int by_context = strcmp(x->context, y->context);
    if (by_context != 0) return by_context;
    return x->id != y->id ? (x->id < y->id ? -1 : 1) : strcmp(x->callee, y->callee);
}

/* Prints csspgo's counts beside the true ones; there must be nothing else in the profile. Returns the differences. */
static int compare(const csspgo_profile *p)
{
    uint64_t totals = 0, probes = 0;
    csspgo_func f;
    csspgo_node node;
    int i, wrong = 0;
    qsort(truth.at, (size_t)truth.counts, sizeof *truth.at, truth_order);
    puts("\ncontext, probe, callee         csspgo      true");
    for (i = 0; i < truth.counts; i++) {
        const truth_count *t = &truth.at[i];
        const csspgo_loc at = csspgo_at(t->id, 0);
        const int is_probe = t->callee[0] == '\0';
        uint64_t ours;
        node = csspgo_find(p, t->context);
        f = csspgo_func_find(p, t->callee, strlen(t->callee));
        ours = is_probe ? csspgo_body_count(p, node, at) : csspgo_target_count(p, node, at, f);
        if (is_probe) probes += t->count;
        if (i == 0 || strcmp(t[-1].context, t->context) != 0) {
            printf("%s%s\n", t->context, csspgo_attributes(p, node) & CSSPGO_WAS_INLINED ? "  (inlined)" : "");
            wrong += csspgo_head(p, node) != t->count;      /* the first count is that of the entry block */
        }
        printf("    %u %-20s  %9" PRIu64 " %9" PRIu64 "  %s\n", (unsigned)t->id, t->callee, ours, t->count,
               ours == t->count ? "equal" : "DIFFERENT");
        wrong += ours != t->count;
    }
    for (f.id = 1; f.id <= csspgo_func_count(p); f.id++)
        for (node = csspgo_func_nodes(p, f); node.id != 0; node = csspgo_node_next_same(p, node))
            totals += csspgo_total(p, node);
    return wrong + (totals != probes);
}

static void protect(int how)
{
    require(mprotect(jit.memory, CODE_BYTES, how) == 0, "mprotect");
}

int main(void)
{
    csspgo_collector_options how;
    struct sigaction action;
    csspgo_function gone;
    int i, wrong;

    memset(&how, 0, sizeof how);
    how.keep_leaves = 1;                /* our stacks are right wherever a sample is taken */
    jit.profile = csspgo_profile_new(NULL);
    jit.code = csspgo_code_new(NULL);
    require(jit.profile != NULL && jit.code != NULL, "memory for csspgo");
    jit.collector = csspgo_collector_new(jit.code, &how, NULL);
    require(jit.collector != NULL, "memory for csspgo");
    jit.memory = (unsigned char *)mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(jit.memory != (unsigned char *)MAP_FAILED, "mmap");
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_trap;
    action.sa_flags = SA_SIGINFO;
    require(sigaction(SIGTRAP, &action, NULL) == 0, "sigaction");

    jit.at = (uint64_t)(uintptr_t)jit.memory;
    for (i = 0; i < COLLATZ; i++) emit_function(i, jit.at);
    emit_enter();
    protect(PROT_READ | PROT_EXEC);
    run(5);
    ask(jit.profile, "after 50 rounds:");

    /* square is freed and collatz put in its place; alpha() knows nothing of it. The samples of square were all added
       before, so they stay square's. */
    protect(PROT_READ | PROT_WRITE);
    gone = jit.pieces[SQUARE].function;
    require(csspgo_code_remove(jit.code, gone.begin, gone.end) == CSSPGO_OK, "removing code");
    jit.pieces[SQUARE].function.end = 0;
    emit_function(COLLATZ, gone.begin);
    protect(PROT_READ | PROT_EXEC);
    run(3);
    ask(jit.profile, "after 30 more, with collatz at the address of square:");

    wrong = compare(jit.profile);
    printf("\n%" PRIu64 " instructions, %" PRIu64 " samples, %u contexts: %s\n", sampler.steps, jit.samples,
           (unsigned)csspgo_record_count(jit.profile), wrong ? "DIFFERENT" : "all counts are equal");
    csspgo_collector_free(jit.collector);
    csspgo_code_free(jit.code);
    csspgo_profile_free(jit.profile);
    munmap(jit.memory, CODE_BYTES);
    return wrong != 0;
}

#endif
