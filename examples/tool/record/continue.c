/* continue.c - bursts: SIGCONT that the program has not taken yet
 *
 * Any SIGSTOP that is sent makes the kernel throw away what SIGCONT waits, and so would that of a clock. But the kernel
 * also stops the threads of a traced process when SIGCONT is sent to it. While one waits (it is blocked), the clocks of
 * the process are silent; its threads are asked to stop, which sends them nothing. Where a clock rang in the
 * microseconds between, the recorder sends the program another SIGCONT.
 */
#include "record.h"

#if defined(REC_SOFTWARE)

enum { REC_CONTINUE = 1 << (SIGCONT - 1), REC_STOPS = 1 << (SIGSTOP - 1) | 1 << (SIGTSTP - 1) | 1 << (SIGTTIN - 1) |
                                                      1 << (SIGTTOU - 1) };

static int rec_has(const rec_thread *t, const char *which, int64_t signals)
{
    const int64_t mask = rec_status(t->tid, which, 16);
    return mask > 0 && (mask & signals) != 0;
}

/* Whether one waits: for any thread of the process, or for one of them. */
static int rec_waits(const rec_watch *w, const rec_thread *t)
{
    size_t i;
    if (rec_has(t, "ShdPnd", REC_CONTINUE)) return 1;
    for (i = 0; i < w->count; i++) {
        if (w->threads[i].process == t->process && rec_has(&w->threads[i], "SigPnd", REC_CONTINUE)) return 1;
    }
    return 0;
}

/* Whether one that was sent is gone, and no thread can have taken it. */
static int rec_was_lost(const rec_watch *w, const rec_thread *t)
{
    size_t i, threads = 0, block = 0;
    if (!rec_will_ring(t) || rec_has(t, "ShdPnd", REC_STOPS)) return 0;
    for (i = 0; i < w->count; i++) {
        if (w->threads[i].process != t->process) continue;
        threads++;
        block += (size_t)rec_has(&w->threads[i], "SigBlk", REC_CONTINUE);
    }
    return threads == 1 || block == threads;
}

/* The thread stands because SIGCONT was sent to its process. */
void rec_on_continue(rec_watch *w, const rec_thread *t)
{
    size_t i;
    if (rec_was_lost(w, t)) kill(t->process, SIGCONT);
    else if (!rec_waits(w, t)) return;
    for (i = 0; i < w->count; i++) {
        rec_thread *one = &w->threads[i];
        if (one->process != t->process || one->event < 0) continue;
        rec_clock_close(one);
        if (!rec_clock_open(one, 0)) rec_clock_close(one);
        one->silent = 1;
        w->clocks.silent++;
    }
}

/* Clocks of processes where none waits any more run again. */
void rec_speak_again(rec_watch *w)
{
    const double now = rec_seconds();
    size_t i;
    if (now < w->clocks.speaks) return;
    w->clocks.speaks = now + 0.01;
    for (i = 0; i < w->count; i++) {
        rec_thread *t = &w->threads[i];
        if (!t->silent || rec_waits(w, t)) continue;
        t->silent = 0;
        w->clocks.silent--;
        rec_clock_close(t);
        rec_open_clock(w, t);
    }
}

#endif
