/* burst.c - bursts: the program runs, and now and then the next branches of one of its threads are followed
 *
 * Where bursts begin. A thread is stopped at times that are random and uniform over the CPU time it takes, and its next
 * `depth` taken branches are one sample. So a burst begins at a place with a probability in proportion to the time spent
 * there, as with the CPU's LBR and an event that counts cycles. What it counts makes good for that: see pace.c.
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
 * The branches are computed while the thread stands (ahead.c): whatever decides them is the thread's own state,
 * so they are the ones that it takes afterwards, and its run is not changed by the burst.
 *
 * A burst ends early at a signal, at a system call that does not return at once, and where the program changes its
 * signal mask: code behind these is met by bursts that begin there.
 */
#include "record.h"

#if defined(REC_SOFTWARE)

static void rec_write_burst(recorder *r)
{
    const uint32_t newest = (r->lbr.next + (uint32_t)r->o.depth - 1) % (uint32_t)r->o.depth;
    if (r->lbr.count >= 2) rec_hold_sample(r, r->lbr.ring[newest].to);
    rec_put_held(r);
    rec_pace_burst_ends(r);
}

static void rec_begin_burst(recorder *r, uint64_t branches)
{
    r->burst.number++;
    r->moved = r->done = r->gone = 0;
    r->burst.event = r->burst.at_ptrace = r->burst.late = 0;
    r->stop.in_syscall = r->stop.signal = 0;
    r->burst.left = (double)branches - (double)(r->o.depth - 1) / 2;
    r->lbr.countdown = branches < r->o.depth ? branches : r->o.depth;
    rec_gap(r);
    rec_pace_burst_begins(r);
    if (rec_seconds() - r->space.maps_time > 0.1) r->view.maps_stale = 1;
    r->trap.blocked = r->stop.prepared = r->stop.behind_call = 0;
    rec_ahead_turn(r);
    if (r->ahead != NULL) r->ahead->on = 1;
    rec_begin_stack(r);
    if (r->ahead != NULL) r->ahead->on = 0;
}

/*
 * Follows the next taken branches of a thread that stands anywhere in its own code, and writes them. Afterwards r->gone
 * and r->burst.late say that the thread does not stand; else r->burst.event and r->stop.signal say how it goes on.
 * Returns 0, with nothing done, where no burst can be followed: in a system call, or in 32-bit code.
 */
int rec_burst(recorder *r, pid_t tid, uint64_t branches)
{
    static const uint64_t user_end = (uint64_t)1 << 47;
    r->pid = tid;
    rec_get_regs(r);
    if (r->regs.cs != 0x33 || (int64_t)r->regs.orig_rax >= 0 || r->regs.rip >= user_end) return 0;
    rec_begin_burst(r, branches);
    while (!r->done && !r->moved && !r->gone && r->stop.signal == 0) {
        if (rec_go_ahead(r)) continue;
        rec_prepare_stops(r);
        rec_advance(r);
    }
    rec_unplant_all(r);
    rec_write_burst(r);
    if (r->gone || r->burst.late) {
        r->view.armed = 0;
        return 1;
    }
    rec_disarm(r);
    rec_put_regs(r);
    rec_block_trap_again(r);
    return 1;
}

#endif
