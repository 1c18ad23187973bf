/* ahead.c - bursts: the next branches of a thread are computed while it stands
 *
 * Where a thread stands, everything that decides its next branches is there: its registers, its code, its memory. So
 * they are computed on copies, page by page as they are needed, and the thread goes on by itself as if nothing had
 * been: one stop for a burst, nothing of it changed. That takes tenths of a microsecond for a branch; to stop it at one
 * takes twenty.
 *
 * At a system call and at what else cannot be computed (time stamps, string instructions, memory that cannot be read)
 * the thread is run to that place, for which a breakpoint is put there: it has not been there since it stood. Then its
 * registers must be those that were computed, or another thread has meanwhile changed what they depend on: the records
 * are thrown away.
 */
#include "record.h"

#if defined(REC_SOFTWARE)

enum { REC_LIMIT = 1 << 16, REC_FARTHER = 1 << 22, REC_DOWN = 0x400 }; /* instructions computed from one stop; a flag */

/* Without memory for it, bursts stop at each branch. */
void rec_ahead_begin(recorder *r)
{
    rec_engine *cpu = rec_engine_new();
    if (cpu != NULL) r->ahead = (rec_ahead *)calloc(1, sizeof *r->ahead);
    if (r->ahead != NULL) r->ahead->cpu = cpu;
    else rec_engine_free(cpu);
}

void rec_ahead_end(recorder *r)
{
    if (r->ahead != NULL) rec_engine_free(r->ahead->cpu);
    free(r->ahead);
    r->ahead = NULL;
}

/* The thread stands and may have run: what was copied is void. */
void rec_ahead_turn(recorder *r)
{
    rec_ahead *a = r->ahead;
    if (a == NULL) return;
    a->turn++;
    a->vector = 0;
    a->copies = a->passed_count = 0;
    a->last = NULL;
}

/* ----- instructions ----- */

/* The decoded instruction at address; NULL if its code cannot be read. */
static rec_decoded *rec_decoded_at(recorder *r, uint64_t address)
{
    rec_decoded *d = &r->ahead->decoded[address % REC_DECODED];
    const size_t at = (size_t)(address % REC_PAGE);
    unsigned char code[REC_INSN];
    size_t n;
    if (d->address == address && d->size != 0 && at + d->size <= REC_PAGE) {
        const rec_copy *copy = d->turn == r->ahead->turn ? NULL : rec_copy_of(r, address);
        if (copy != NULL && memcmp(copy->byte + at, d->code, d->size) == 0) d->turn = r->ahead->turn;
        if (d->turn == r->ahead->turn) return d;
    }
    n = rec_ahead_read(r, address, code, sizeof code);
    if (n == 0 || !rec_is_code(r, address)) return NULL;
    rec_decode(d, address, code, n);
    return d;
}

static void rec_set_register(struct user_regs_struct *a, unsigned number, uint64_t value)
{
    rec_word *const place[] = { &a->rax, &a->rcx, &a->rdx, &a->rbx, &a->rsp, &a->rbp, &a->rsi, &a->rdi,
                                          &a->r8, &a->r9, &a->r10, &a->r11, &a->r12, &a->r13, &a->r14, &a->r15 };
    *place[number & 15] = value;
}

static int rec_push(recorder *r, uint64_t value)
{
    if (rec_ahead_write(r, r->regs.rsp - 8, &value, 8) != 8) return 0;
    r->regs.rsp -= 8;
    return 1;
}

static int rec_pop(recorder *r, uint64_t *value)
{
    if (rec_ahead_read(r, r->regs.rsp, value, 8) != 8) return 0;
    r->regs.rsp += 8;
    return 1;
}

/* lea, push, pop, leave, cld, std */
static int rec_move(recorder *r, const rec_decoded *d)
{
    struct user_regs_struct *a = &r->regs;
    const unsigned low = (d->opcode & 7u) | (d->rex & 1u) << 3;
    uint64_t value;
    switch (d->way) {
    case REC_LEA:
        value = rec_operand_address(d, a);
        rec_set_register(a, (d->code[d->modrm_at] >> 3 & 7u) | (d->rex & 4u) << 1,
                         (d->rex & 8) != 0 ? value : (uint32_t)value);
        return 1;
    case REC_PUSH: return rec_push(r, rec_register(a, low));
    case REC_PUSH_NUMBER:
        if (d->opcode == 0x6a) return rec_push(r, (uint64_t)(int64_t)(int8_t)d->code[d->size - 1]);
        else {
            int32_t number;
            memcpy(&number, d->code + d->size - 4, 4);
            return rec_push(r, (uint64_t)(int64_t)number);
        }
    case REC_PUSH_MEMORY:
        return rec_ahead_read(r, rec_operand_address(d, a), &value, 8) == 8 && rec_push(r, value);
    case REC_POP:
        if (!rec_pop(r, &value)) return 0;
        rec_set_register(a, low, value);
        return 1;
    case REC_DIRECTION:
        a->eflags = d->opcode == 0xfd ? a->eflags | REC_DOWN : a->eflags & ~(unsigned long long)REC_DOWN;
        return 1;
    default:                                               /* leave */
        if (rec_ahead_read(r, a->rbp, &value, 8) != 8) return 0;
        a->rsp = a->rbp + 8;
        a->rbp = value;
        return 1;
    }
}

/* stos and movs, upwards, as often as rcx says if they are to be repeated. */
static int rec_string(recorder *r, const rec_decoded *d)
{
    struct user_regs_struct *a = &r->regs;
    const size_t size = (d->opcode & 1) == 0 ? 1 : (d->rex & 8) != 0 ? 8 : d->narrow ? 2 : 4;
    const int copies = d->opcode < 0xa8;
    uint64_t n = d->repeat != 0 ? a->rcx : 1, word = a->rax;
    if (n > REC_PAGE || (a->eflags & REC_DOWN) != 0) return 0;
    for (; n != 0; n--) {                                  /* what faults in between is done again by the thread */
        if (copies && rec_ahead_read(r, a->rsi, &word, size) != size) return 0;
        if (rec_ahead_write(r, a->rdi, &word, size) != size) return 0;
        if (copies) a->rsi += size;
        a->rdi += size;
        if (d->repeat != 0) a->rcx--;
    }
    return 1;
}

/* Writes what an instruction changed of its operand. */
static int rec_write_changed(recorder *r, uint64_t address, const unsigned char *before, size_t n)
{
    const unsigned char *now = r->ahead->cpu->operand;
    size_t first = 0;
    while (n > 0 && before[n - 1] == now[n - 1]) n--;
    while (first < n && before[first] == now[first]) first++;
    return rec_ahead_write(r, address + first, now + first, n - first) == n - first;
}

/* Has the CPU do it. What the operand has behind it is read along, as far as it is there. */
static int rec_execute(recorder *r, rec_decoded *d)
{
    rec_ahead *a = r->ahead;
    unsigned char crossing[REC_OPERAND] = { 0 };
    const unsigned char *before = crossing;
    uint64_t address = 0;
    size_t n = 0;
    if (d->vector && a->vector == 0) a->vector = rec_engine_load_vector(a->cpu, r->pid) ? 1 : -1;
    if (d->vector && a->vector < 0) return 0;
    if (d->memory) {
        const rec_copy *copy;
        address = rec_operand_address(d, &r->regs);
        copy = rec_copy_of(r, address);
        if (copy != NULL && address % REC_PAGE <= REC_PAGE - REC_OPERAND) {
            before = copy->byte + address % REC_PAGE;
            n = REC_OPERAND;
        } else {
            n = rec_ahead_read(r, address, crossing, sizeof crossing);
            if (n == 0) return 0;
        }
        memcpy(a->cpu->operand, before, REC_OPERAND);
    }
    if (!rec_engine_execute(a->cpu, d, (size_t)(d - a->decoded), &r->regs)) return 0;
    if (n != 0 && memcmp(before, a->cpu->operand, n) != 0) return rec_write_changed(r, address, before, n);
    return 1;
}

/* Carries out the next instruction; 0 if the thread has to. */
static int rec_compute(recorder *r)
{
    rec_ahead *a = r->ahead;
    rec_decoded *d = rec_decoded_at(r, r->regs.rip);
    const uint64_t next = d != NULL ? d->address + d->size : 0;
    if (d == NULL || d->size == 0 || (r->regs.eflags & REC_TRAP_FLAG) != 0) return 0;
    switch (d->way) {
    case REC_UNABLE: return 0;
    case REC_BRANCH:
        if (a->passed_count < REC_PASSED) a->passed[a->passed_count++] = d->address;
        return rec_emulate_code(r, d->code, REC_INSN);
    case REC_SKIP: break;
    case REC_STRING:
        if (!rec_string(r, d)) return 0;
        break;
    case REC_EXECUTE:
        if (!rec_execute(r, d)) return 0;
        break;
    default:
        if (!rec_move(r, d)) return 0;
        break;
    }
    r->regs.rip = next;
    return 1;
}

/* ----- the thread follows ----- */

/* Whether the thread may have been at this branch since it last stood. */
static int rec_has_passed(const rec_ahead *a, uint64_t branch)
{
    size_t i;
    for (i = 0; i < a->passed_count; i++) if (a->passed[i] == branch) return 1;
    return a->passed_count == REC_PASSED;
}

/* Whether the thread came to where it was expected, with these registers. */
static int rec_is_as_computed(const recorder *r, const struct user_regs_struct *want)
{
    unsigned i;
    for (i = 0; i < 16; i++) if (rec_register(&r->regs, i) != rec_register(want, i)) return 0;
    return r->regs.rip == want->rip;
}

/* Runs the thread to where nothing more could be computed, or to the next branch behind. */
static void rec_follow(recorder *r, const struct user_regs_struct *want)
{
    const rec_block *block = r->space.by_register ? NULL : rec_plan(r, want->rip);
    const uint64_t skip = block != NULL && block->kind != CSSPGO_NONE ? block->skip : 0;
    uint64_t end = want->rip;
    if (skip != 0 && !rec_has_passed(r->ahead, end + skip)) end += skip;
    if ((r->space.by_register || !rec_plant(r, end)) && !rec_arm(r, end)) {
        r->done = 1;
        return;
    }
    rec_unplant(r, r->regs.rip);                           /* where the thread stands may be the end of a block */
    rec_run_to(r, end);
    if (r->gone || r->burst.late) return;
    rec_unplant(r, end);
    if (r->regs.rip != end || (end == want->rip && !rec_is_as_computed(r, want))) rec_gap(r);
}

/* Goes on, computing, for the rest of the burst or until the thread has to run. Returns 0 if nothing was done. */
int rec_go_ahead(recorder *r)
{
    const struct user_regs_struct is = r->regs;
    const int changed = r->regs_changed;
    struct user_regs_struct want = is;
    int n = 0, k;
    if (r->ahead == NULL || r->stop.signal != 0 || r->stop.behind_call) return 0;
    rec_ahead_turn(r);
    r->ahead->on = 1;
    while (!r->done && n < REC_LIMIT && rec_compute(r)) n++;
    if (r->done && rec_pace_goes_on(r)) {
        for (k = 0; r->pace.looking != 0 && k < REC_FARTHER && rec_compute(r); k++) { }
        rec_pace_stops(r);
    }
    r->ahead->on = 0;
    want = r->regs;
    r->regs = is;
    r->regs_changed = changed;
    if (r->done) return 1;
    if (n == 0) return 0;
    rec_prepare_stops(r);
    if (n == REC_LIMIT || r->space.step_only) r->done = 1;
    else rec_follow(r, &want);
    return 1;
}

/* ----- every branch of a run ----- */

/* Writes what was computed to the memory of the thread. */
static void rec_commit_memory(recorder *r)
{
    rec_ahead *a = r->ahead;
    size_t i;
    for (i = 0; i < REC_COPIES; i++) {
        const rec_copy *copy = &a->copy[i];
        if (copy->turn != a->turn || copy->end == 0) continue;
        errno = 0;
        if (!rec_write(r, copy->address + copy->begin, copy->byte + copy->begin, copy->end - copy->begin) &&
            errno != ESRCH) {                              /* it was killed */
            rec_die(r->tool, "cannot write the program's memory");
        }
    }
}

/* Goes on, computing, as far as it can, and has the thread stand there. That one must be the only thread. */
void rec_compute_exactly(recorder *r)
{
    rec_ahead *a = r->ahead;
    int n = 0;
    if (a == NULL || r->stop.signal != 0 || r->space.step_only || r->stop.behind_call) return;
    rec_ahead_turn(r);
    a->on = 1;
    while (!r->done && n < REC_LIMIT && rec_compute(r)) n++;
    a->on = 0;
    if (n == 0) return;
    rec_commit_memory(r);
    if (a->vector > 0 && !rec_engine_store_vector(a->cpu, r->pid)) rec_die(r->tool, "cannot write registers");
    if (ptrace(PTRACE_SETREGS, r->pid, NULL, &r->regs) != 0 && errno != ESRCH) {
        rec_die(r->tool, "cannot write registers");
    }
    r->regs_changed = 0;
}

#endif
