/* threads.c - bursts: the threads of the program, the time to their next burst, and their stops that wait */
#include "record.h"

#if defined(REC_SOFTWARE)

enum { REC_PLACES = 1000, REC_LATEST = 4 }; /* bursts before they become longer; see rec_interval */
enum { REC_YIELDS = 20 };         /* see rec_next_stop */

rec_thread *rec_find_thread(const rec_watch *w, pid_t tid)
{
    size_t i;
    for (i = 0; i < w->count; i++) if (w->threads[i].tid == tid) return &w->threads[i];
    return NULL;
}

/*
 * Samples of the next burst. While there are few in all, it matters most that they come from many places: bursts are
 * short. Later, stops cost more than they tell, and what is left is bias, of which long bursts have less.
 */
uint64_t rec_burst_samples(const recorder *r)
{
    const uint64_t n = r->samples / REC_PLACES;
    return n < REC_FEWEST ? REC_FEWEST : n > REC_SAMPLES ? REC_SAMPLES : n;
}

/* Branches of it: samples that follow one another share a record. */
uint64_t rec_burst_branches(const recorder *r)
{
    return r->o.depth > 1 ? 1 + (r->o.depth - 1) * rec_burst_samples(r) : rec_burst_samples(r);
}

/* CPU seconds that recording has taken: the thread's stops and starts for bursts take three quarters more. */
static double rec_taken(const rec_watch *w)
{
    return 1.75 * (rec_cpu_seconds() - w->clocks.before) - 0.75 * w->r->pace.spent;
}

/*
 * Nanoseconds to the next burst of a thread: so many samples a second, or fewer if bursts would take too much of the
 * time. What the recorder has taken beyond its part of the threads' own time so far, they have to make good first: on a
 * machine with other load bursts take longer than they did when their cost was learned. (Shorter bursts would also cost
 * less. But the first branches of a burst are those behind slow code.)
 */
uint64_t rec_interval(const rec_watch *w)
{
    recorder *r = w->r;
    const double owed = rec_taken(w) - w->clocks.ran * (double)r->o.overhead / 100;
    const double wanted = (double)rec_burst_samples(r) * 1e9 / (double)r->o.rate;
    const double least = (double)rec_burst_branches(r) * w->clocks.cost * 1e9 * 100 / (double)r->o.overhead;
    const double later = owed > 0 ? owed * 1e9 * 100 / (double)r->o.overhead : 0;
    const double mean = (wanted > least ? wanted : least) + (later < REC_LATEST * least ? later : REC_LATEST * least);
    return (uint64_t)(mean * (0.5 + (double)(rec_next_random(r) >> 11) / 9007199254740992.0));
}

void rec_open_clock(rec_watch *w, rec_thread *t)
{
    t->interval = rec_interval(w);
    if (!w->clocks.timer && rec_clock_open(t, t->interval)) return;
    if (!w->clocks.timer) {
        rec_clock_close(t);
        warn(w->r->tool, "no cpu-clock events here (%s): a timer takes the samples", strerror(errno));
    }
    w->clocks.timer = 1;
    rec_clock_open(t, 0);
}

/* A thread that is held; `apart`: no bursts are taken of it. */
rec_thread *rec_add_thread(rec_watch *w, pid_t tid, pid_t process, int apart)
{
    rec_thread *t = rec_find_thread(w, tid);
    if (t != NULL) return t;
    if (w->count == w->room) {
        const size_t more = w->room != 0 ? 2 * w->room : 16;
        rec_thread *grown = (rec_thread *)realloc(w->threads, more * sizeof *grown);
        if (grown == NULL) rec_die(w->r->tool, "out of memory");
        w->threads = grown;
        w->room = more;
    }
    t = &w->threads[w->count++];
    memset(t, 0, sizeof *t);
    t->tid = tid;
    t->process = process;
    t->apart = apart;
    t->event = t->statistics = t->place = -1;
    if (apart) return t;
    rec_name_thread(w->r, process, tid, 0);
    if (w->r->traces != NULL) rec_clock_open(t, 0);
    else rec_open_clock(w, t);
    return t;
}

void rec_remove_thread(rec_watch *w, rec_thread *t)
{
    rec_clock_close(t);
    w->clocks.silent -= (size_t)t->silent;
    *t = w->threads[--w->count];
}

/* Lets a thread go on that stands. */
void rec_go_on(rec_thread *t, int signal)
{
    if (signal != 0) rec_begin_call_anew(t, signal);
    ptrace(t->watched ? PTRACE_SYSCALL : PTRACE_CONT, t->tid, NULL, (void *)(uintptr_t)signal);
}

/* ----- stops ------------------------------------------------------------------------------------------------------ */

/*
 * The next stop or end of a thread to look at: the thread, 0 if there is none yet, -1 if there are no threads. With
 * --first stops follow one another closely, of a thread on the same CPU: to give that up is cheaper than to sleep.
 */
pid_t rec_next_stop(rec_watch *w, int *status)
{
    recorder *r = w->r;
    const pid_t tid = r->waiting.count != 0 ? r->waiting.v[0].tid : 0;
    if (tid == 0) {
        int yields = r->traces != NULL ? REC_YIELDS : 0;
        pid_t one;
        while ((one = waitpid(-1, status, __WALL | WNOHANG)) == 0 && yields-- > 0) sched_yield();
        return one < 0 && errno == EINTR ? 0 : one;
    }
    *status = r->waiting.v[0].status;
    memmove(r->waiting.v, r->waiting.v + 1, --r->waiting.count * sizeof *r->waiting.v);
    return tid;
}

/* Waits for a stop, not longer than to the next thing to do. */
void rec_doze(const rec_watch *w)
{
    const double now = rec_seconds();
    double until = now + 0.1;
    struct timespec t;
    if (w->end != 0 && w->end < until) until = w->end;
    if ((w->clocks.timer || w->clocks.silent != 0) && w->clocks.rings < until) until = w->clocks.rings;
    if (until <= now) return;
    t.tv_sec = 0;
    t.tv_nsec = (long)((until - now) * 1e9);
    ppoll(NULL, 0, &t, &w->mask);
}

#endif
