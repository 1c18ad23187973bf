/* record_burst.c - bursts: the program runs, and now and then the next branches of one of its threads are followed
 *
 * What the counts mean. A thread is stopped at times that are random and uniform over the CPU time it takes, and its
 * next `depth` taken branches are one sample. So a sample's beginning is at a place with a probability in proportion
 * to the time spent there, as with the CPU's LBR and an event that counts cycles: a function's share of the samples is
 * its share of the time.
 *
 * Inside a sample every branch counts once, whatever it cost. The stretch from the stop to the first branch is no range
 * of the sample: the stop is likelier in a long or slow block than in a short one, so that stretch would count blocks
 * by their time. From there on the records are those that ran, without a gap: all blocks of a loop that is run through
 * in one burst get the counts they had. Between pieces of code that run apart from one another the ratio is that of
 * their times, not of their branches; and what runs behind a slow block is in more bursts than what runs before it,
 * which is why bursts are made rarer rather than shorter where they cost too much. Bursts of equal duration would count
 * every branch alike, but how long code takes cannot be known here: bursts of as many instructions each are nearer to
 * the truth for one program, those of as many branches for another. A burst's length is half of both, and in whole
 * samples: parts of a sample are worth less, for contexts. (To learn durations from where bursts begin does not do: in
 * code that bursts do not leave, an estimate that is wrong makes the share of its branches wrong, and so stays.)
 *
 * The branches are computed while the thread stands (record_ahead.c): whatever decides them is the thread's own state,
 * so they are the ones that it takes afterwards, and its run is not changed by the burst.
 *
 * A burst ends early at a signal, at a system call that does not return at once, and where the program changes its
 * signal mask: code behind these is met by bursts that begin there.
 */
#include "record_ahead.h"

#if defined(REC_SOFTWARE)

enum { REC_PATIENCE = 2000000 };  /* nanoseconds that a system call in a burst may take */
enum { REC_FAR = 400, REC_BRANCH_BYTES = 4, REC_USUAL = 20, REC_FIRST = 1000 };   /* see rec_pass */

/* Keeps what another thread has to say until the burst is over. */
static void rec_put_off(recorder *r, pid_t tid, int status)
{
    if (r->stop_count == r->stop_room) {
        const size_t more = r->stop_room != 0 ? 2 * r->stop_room : 64;
        rec_stop *grown = (rec_stop *)realloc(r->stops, more * sizeof *grown);
        if (grown == NULL) rec_die(r->tool, "out of memory");
        r->stops = grown;
        r->stop_room = more;
    }
    r->stops[r->stop_count].tid = tid;
    r->stops[r->stop_count++].status = status;
}

/*
 * Waits for the thread of the burst, in a system call not for long. Other threads are reaped meanwhile: the end of a
 * process's first thread is not told before that of the others.
 */
void rec_wait_in_burst(recorder *r)
{
    const double end = r->in_syscall ? rec_seconds() + REC_PATIENCE * 1e-9 : 0;
    struct timespec patience;
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    memset(&patience, 0, sizeof patience);
    patience.tv_nsec = REC_PATIENCE;
    for (;;) {
        int status;
        const pid_t tid = waitpid(-1, &status, __WALL | (r->in_syscall ? WNOHANG : 0));
        if (tid == r->pid || (tid < 0 && errno == ECHILD)) {
            r->status = tid == r->pid ? status : 0;
            return;
        }
        if (tid > 0) {
            rec_put_off(r, tid, status);
        } else if (tid < 0 && errno != EINTR) {
            rec_die(r->tool, "cannot wait for the program");
        } else if (tid == 0 && sigtimedwait(&child, NULL, &patience) < 0 && rec_seconds() >= end) {
            r->late = 1;
            return;
        }
    }
}

static int rec_blocks_trap(const recorder *r, uint64_t *mask)
{
    return ptrace(PTRACE_GETSIGMASK, r->pid, (void *)sizeof *mask, mask) == 0 && (*mask >> (SIGTRAP - 1) & 1) != 0;
}

void rec_on_syscall_in_burst(recorder *r)
{
    rec_disarm(r);                                         /* the thread may be left alone in it */
    if (r->trap_blocked) {
        rec_block_trap_again(r);
        r->done = 1;
    }
    switch (r->syscall) {
    case SYS_fork:
    case SYS_vfork:
    case SYS_clone:
    case SYS_execve:
    case SYS_execveat:
    case SYS_exit:
    case SYS_exit_group:
#if defined(SYS_clone3)
    case SYS_clone3:
#endif
        rec_unplant_all(r);                                /* what comes of it has the program's own code */
        break;
    default:
        break;
    }
}

/* Where the return address is if the thread stands at the beginning or the end of a function, else 0. */
static uint64_t rec_bare_return(recorder *r)
{
    unsigned char code[REC_INSN], before = 0;
    const size_t n = rec_fetch(r, r->regs.rip, code);
    if (n < 4) return 0;
    if (code[0] == 0x55 || code[0] == 0xc3 || memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0) return r->regs.rsp;
    if (memcmp(code, "\x48\x89\xe5", 3) != 0) return 0;
    if (!rec_read(r, r->regs.rip - 1, &before, 1)) return 0;
    return before == 0x55 ? r->regs.rsp + 8 : 0;
}

int rec_is_code(recorder *r, uint64_t address)
{
    const rec_map *m = rec_map_of(r, address);
    return m != NULL && m->access[2] == 'x';
}

/* The calls that are open where the burst begins: as far as frame pointers lead, and the one that has none yet. */
void rec_begin_stack(recorder *r)
{
    uint64_t slots[REC_STACK], backs[REC_STACK], pair[2], frame = r->regs.rbp, below;
    size_t n = 0;
    r->frame_count = 0;
    r->stack_begin = r->stack_end = 0;
    rec_stack_of(r, r->regs.rsp);
    below = rec_bare_return(r);
    if (below != 0 && rec_read(r, below, &backs[0], 8) && rec_is_code(r, backs[0])) slots[n++] = below;
    else below = r->regs.rsp - 8;
    while (n < REC_STACK && frame > below && frame < r->stack_end - 16 && rec_read(r, frame, pair, sizeof pair) &&
           rec_is_code(r, pair[1])) {
        below = slots[n] = frame + 8;
        backs[n++] = pair[1];
        frame = pair[0];
    }
    while (n-- > 0) rec_push_frame(r, backs[n], slots[n]);
}

static void rec_write_burst(recorder *r)
{
    const uint32_t newest = (r->lbr_next + (uint32_t)r->o.depth - 1) % (uint32_t)r->o.depth;
    if (r->lbr_count >= 2) rec_hold_sample(r, r->lbr[newest].to);
    rec_put_held(r);
}

/* Before the thread of a burst is stopped at a breakpoint for the first time. */
void rec_prepare_stops(recorder *r)
{
    uint64_t mask;
    if (r->stops_prepared) return;
    r->stops_prepared = 1;
    rec_check_shadow_stack(r);
    r->trap_blocked = rec_blocks_trap(r, &mask);
    if (!r->trap_blocked) return;
    mask &= ~((uint64_t)1 << (SIGTRAP - 1));
    ptrace(PTRACE_SETSIGMASK, r->pid, (void *)sizeof mask, &mask);
}

/* The branch, which is about to be noted, takes its part of the burst's length: half for itself, half for the code. */
void rec_pass(recorder *r, uint64_t branch)
{
    const uint64_t last = r->lbr[(r->lbr_next + r->o.depth - 1) % r->o.depth].to;
    const double bytes = r->lbr_count != 0 && branch - last < REC_FAR ? (double)(branch - last + REC_BRANCH_BYTES)
                                                                      : REC_USUAL;
    r->passed++;
    r->bytes += bytes;
    r->left -= 0.5 + 0.5 * bytes / ((r->bytes + REC_FIRST * REC_USUAL) / (r->passed + REC_FIRST));
}

static void rec_begin_burst(recorder *r, uint64_t branches)
{
    r->burst++;
    r->burst_event = r->calls = r->late = r->moved = r->done = r->gone = r->in_syscall = r->signal = 0;
    r->left = (double)branches - (double)(r->o.depth - 1) / 2;
    r->countdown = branches < r->o.depth ? branches : r->o.depth;
    rec_gap(r);
    if (rec_seconds() - r->maps_time > 0.1) r->maps_stale = 1;
    r->trap_blocked = r->stops_prepared = r->behind_call = 0;
    rec_ahead_turn(r);
    if (r->ahead != NULL) r->ahead->on = 1;
    rec_begin_stack(r);
    if (r->ahead != NULL) r->ahead->on = 0;
}

/*
 * Follows the next taken branches of a thread that stands anywhere in its own code, and writes them. Afterwards r->gone
 * and r->late say that the thread does not stand; else r->burst_event and r->signal say what is to be done with it.
 * Returns 0, with nothing done, where no burst can be followed: in a system call, or in 32-bit code.
 */
int rec_burst(recorder *r, pid_t tid, uint64_t branches)
{
    static const uint64_t user_end = (uint64_t)1 << 47;
    r->pid = tid;
    rec_get_regs(r);
    if (r->regs.cs != 0x33 || (int64_t)r->regs.orig_rax >= 0 || r->regs.rip >= user_end) return 0;
    rec_begin_burst(r, branches);
    while (!r->done && !r->moved && !r->gone && r->signal == 0) {
        if (rec_go_ahead(r)) continue;
        rec_prepare_stops(r);
        rec_advance(r);
    }
    rec_unplant_all(r);
    rec_write_burst(r);
    if (r->gone || r->late) {
        r->armed = 0;
        return 1;
    }
    rec_disarm(r);
    rec_put_regs(r);
    rec_block_trap_again(r);
    return 1;
}

#endif
