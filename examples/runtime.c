/* runtime.c - a JIT that profiles itself, by csspgo's front door
 *
 *     cc -O2 -o runtime runtime.c && ./runtime
 *
 * The JIT is made up, so that this runs everywhere: its code is a list of operations with addresses. A small machine
 * runs it and keeps the last taken branches, as a CPU does. The rest is what a real JIT adds: emit() says where code
 * is, sample() what the processor did, tier_up() asks what to inline where, main() calls step in idle time, and takes
 * the profile to the next run.
 *
 * apply calls its argument. main gives it square, report gives it cube: apply alone has two callees, but inlined into
 * main or report, one.
 */
#ifndef CSSPGO_IMPLEMENTATION_INCLUDED
#  define CSSPGO_IMPLEMENTATION
#endif
#include "../csspgo.h"

#include <stdio.h>
#include <string.h>

/* ----- the JIT ----- */

enum kind { WORK, CALL, CALL_ARGUMENT, LOOP, RETURN };
enum { MAIN, REPORT, APPLY, SQUARE, CUBE, FUNCTIONS, OP_BYTES = 16, RECORDS = 32, FRAMES = 16 };

struct op { enum kind kind; int what, argument; };     /* LOOP: to which operation, how often */
static const struct op code[FUNCTIONS][6] = {
    { { WORK, 0, 0 }, { CALL, APPLY, SQUARE }, { LOOP, 0, 40 }, { CALL, REPORT, 0 }, { RETURN, 0, 0 } },
    { { WORK, 0, 0 }, { CALL, APPLY, CUBE }, { LOOP, 0, 30 }, { RETURN, 0, 0 } },
    { { WORK, 0, 0 }, { CALL_ARGUMENT, 0, 0 }, { LOOP, 0, 3 }, { RETURN, 0, 0 } },
    { { WORK, 0, 0 }, { RETURN, 0, 0 } },
    { { WORK, 0, 0 }, { RETURN, 0, 0 } }
};
static const char *const names[FUNCTIONS] = { "main", "report", "apply", "square", "cube" };
static uint64_t begin[FUNCTIONS];                      /* where their code is */

struct machine {
    csspgo_runtime *profiler;
    uint64_t        stack[FRAMES];                     /* return addresses, outermost first */
    csspgo_branch   record[RECORDS];                   /* a ring */
    unsigned        depth, branches;
};

static unsigned op_count(int f)
{
    unsigned n = 1;
    while (code[f][n - 1].kind != RETURN) n++;
    return n;
}

/* ----- what a JIT tells csspgo: once per function that it compiles ----- */

static csspgo_status emit(csspgo_runtime *r, int f, uint64_t at, csspgo_error *e)
{
    csspgo_code_function function;
    csspgo_transfer transfer[8];
    csspgo_inline_node body;
    csspgo_probe probe[8];
    csspgo_code_unit unit = { &function, transfer, &body, probe, 1, 0, 1, 0 };
    unsigned i;
    memset(&function, 0, sizeof function);
    memset(&body, 0, sizeof body);
    memset(probe, 0, sizeof probe);
    begin[f] = function.begin = at;
    function.end = at + op_count(f) * OP_BYTES;
    function.name = names[f];
    function.name_size = strlen(names[f]);
    function.checksum = 1 + op_count(f);               /* of the control flow: an old profile does not fit other code */
    body.guid = csspgo_guid(names[f], strlen(names[f]));
    for (i = 0; i < op_count(f); i++) {
        const struct op *op = &code[f][i];
        const int call = op->kind == CALL || op->kind == CALL_ARGUMENT;
        csspgo_probe *p = &probe[unit.probe_count];
        csspgo_transfer *t = &transfer[unit.transfer_count];
        if (op->kind == WORK || call) {                /* a block or a call, numbered as the operations */
            p->address = at + i * OP_BYTES + (call ? 8 : 0);
            p->id = i + 1;
            p->inline_node = 1;
            p->kind = (uint8_t)(!call ? CSSPGO_PROBE_BLOCK : op->kind == CALL ? CSSPGO_PROBE_DIRECT_CALL
                                                                              : CSSPGO_PROBE_INDIRECT_CALL);
            unit.probe_count++;
        }
        if (op->kind == WORK) continue;
        t->address = at + i * OP_BYTES + 8;
        t->size = 8;
        t->kind = call ? CSSPGO_CALL : op->kind == LOOP ? CSSPGO_COND : CSSPGO_RET;
        t->target = op->kind == LOOP ? at + (unsigned)op->what * OP_BYTES : op->kind == CALL ? begin[op->what] : 0;
        unit.transfer_count++;
    }
    return csspgo_runtime_emit(r, &unit, e);
}

/* A signal handler would do this, with the CPU's records and a walk of the stack. */
static void sample(struct machine *m)
{
    uint64_t stack[FRAMES + 1];
    csspgo_branch branch[RECORDS];
    csspgo_sample s;
    unsigned i;
    memset(&s, 0, sizeof s);
    s.stack = stack;
    s.branches = branch;
    for (i = m->branches; i > 0 && s.branch_count < RECORDS; i--)
        branch[s.branch_count++] = m->record[(i - 1) % RECORDS];
    stack[s.stack_count++] = branch[0].to;             /* the sampled address, then return addresses, outermost last */
    for (i = m->depth; i-- > 0;) stack[s.stack_count++] = m->stack[i];
    csspgo_runtime_push(m->profiler, 0, &s);
}

/* ----- the machine ----- */

static void branch_to(struct machine *m, uint64_t from, uint64_t to)
{
    csspgo_branch *b = &m->record[m->branches++ % RECORDS];
    b->from = from;
    b->to = to;
    b->flags = 0;
    if (m->branches % 97 == 0) sample(m);
}

static void run(struct machine *m, int f, int argument)
{
    int times = 0;
    unsigned i;
    for (i = 0; code[f][i].kind != RETURN; i++) {
        const struct op *op = &code[f][i];
        const uint64_t from = begin[f] + i * OP_BYTES + 8;
        if (op->kind == CALL || op->kind == CALL_ARGUMENT) {
            const int callee = op->kind == CALL ? op->what : argument;
            m->stack[m->depth++] = from + 8;
            branch_to(m, from, begin[callee]);
            run(m, callee, op->argument);
            m->depth--;
            branch_to(m, begin[callee] + op_count(callee) * OP_BYTES - 8, from + 8);
        } else if (op->kind == LOOP && ++times < op->argument) {
            branch_to(m, from, begin[f] + (unsigned)op->what * OP_BYTES);
            i = (unsigned)op->what - 1u;
        }
    }
}

/* ----- what it asks ----- */

static void frame(csspgo_frame *to, int f, uint32_t op)
{
    to->name = f < FUNCTIONS ? names[f] : NULL;
    to->name_size = f < FUNCTIONS ? strlen(names[f]) : 0;
    to->loc = csspgo_loc_at(op + 1, 0);
}

/* The call in apply, by itself and where it is inlined in main and in report. */
static void tier_up(csspgo_runtime *r)
{
    static const char *const advice[] = { "leave it", "inline", "promote" };
    csspgo_runtime_function hottest[2];
    csspgo_runtime_decision d;
    size_t i;
    int caller;
    for (caller = MAIN; caller <= APPLY; caller++) {
        csspgo_frame frames[3];
        memset(frames, 0, sizeof frames);
        frame(&frames[0], caller, 1);
        frame(&frames[1], APPLY, 1);
        frame(&frames[2], FUNCTIONS, 0);               /* an indirect call: whom does it call? */
        csspgo_runtime_decide(r, caller == APPLY ? frames + 1 : frames, caller == APPLY ? 2 : 3, 20, NULL, &d);
        for (i = 0; i < FUNCTIONS && csspgo_guid(names[i], strlen(names[i])) != d.callee; i++) {}
        printf("call in apply%s%s: %s %s: %llu of %llu calls; %s\n", caller == APPLY ? "" : " in ",
               caller == APPLY ? "" : names[caller], advice[d.advice], i < FUNCTIONS ? names[i] : "?",
               (unsigned long long)d.count, (unsigned long long)d.site_count, d.why);
    }
    for (i = 0; i < csspgo_runtime_hot(r, hottest, 2); i++)
        printf("hot: %llu counts in %llu contexts\n", (unsigned long long)hottest[i].total,
               (unsigned long long)hottest[i].contexts);
}

int main(void)
{
    static char profile[65536], text[4096];
    static struct machine m;
    csspgo_runtime_options how;
    csspgo_runtime *r, *next_run;
    csspgo_status s;
    csspgo_error e;
    size_t size;
    int f, i;
    memset(&how, 0, sizeof how);
    how.bytes = 16 << 20;                              /* all memory that it may take, for ever */
    m.profiler = r = csspgo_runtime_new(&how, NULL, &e);
    next_run = r != NULL ? csspgo_runtime_new(&how, NULL, &e) : NULL;
    s = next_run != NULL ? CSSPGO_OK : e.status;
    for (f = FUNCTIONS; f-- > 0 && s == CSSPGO_OK;) s = emit(r, f, 0x10000u + (unsigned)f * 0x100u, &e);
    for (i = 0; i < 1000 && s == CSSPGO_OK; i++) {
        branch_to(&m, 8, begin[MAIN]);                 /* from the C++ or Rust around it, which csspgo need not know */
        run(&m, MAIN, 0);
        branch_to(&m, begin[MAIN] + op_count(MAIN) * OP_BYTES - 8, 8);
        if (i == 500) {                                /* code moves: its tables come along, its counts stay */
            s = csspgo_runtime_move(r, begin[APPLY], begin[APPLY] + 4 * OP_BYTES, 0x20000, &e);
            begin[APPLY] = 0x20000;
        }
        if (s == CSSPGO_OK) s = csspgo_runtime_step(r, 10000, &e);
        if (s == CSSPGO_MORE) s = CSSPGO_OK;           /* the rest next time */
    }
    if (s == CSSPGO_OK) s = csspgo_runtime_profile(r, NULL, &e);
    if (s == CSSPGO_OK) tier_up(r);
    if (s == CSSPGO_OK) s = csspgo_runtime_retire(r, begin[CUBE], begin[CUBE] + 2 * OP_BYTES, &e);
    if (s == CSSPGO_OK) s = csspgo_runtime_save(r, CSSPGO_EXTBINARY, profile, sizeof profile, &size, &e);
    if (s == CSSPGO_OK) s = csspgo_runtime_load(next_run, profile, size, &e);     /* which begins warm */
    if (s == CSSPGO_OK) s = csspgo_runtime_report(r, text, sizeof text, &size, &e);
    if (s != CSSPGO_OK) fprintf(stderr, "%s\n", e.message);
    else printf("%.*s", (int)size, text);
    csspgo_runtime_free(next_run);
    csspgo_runtime_free(r);
    return s != CSSPGO_OK;
}
