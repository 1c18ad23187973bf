/* place.c - bursts: recorder and thread take turns on one CPU
 *
 * Across two CPUs each turn is an interrupt of the other one, which may have to wake up first: in a virtual machine
 * that takes longer than the burst. So the recorder goes to the CPU that the thread is on. But a thread that is to go
 * on while the recorder runs is given to another CPU if one is idle; so for that moment it may run here only.
 */
#include "record.h"

#if defined(REC_SOFTWARE)

enum { REC_TURN = 50000, REC_RARE = 100 };    /* nanoseconds, in which no thread had a turn; see rec_go_on_here */

/* The CPU that the thread was last on, or -1. */
static int rec_cpu_of(const rec_thread *t)
{
    char text[1024];
    const char *const p = rec_stat_field(t->place, text, sizeof text, 39);
    return p != NULL ? atoi(p) : -1;
}

/* Goes to the CPU that the thread is on. */
void rec_join_cpu(rec_watch *w, const rec_thread *t)
{
    cpu_set_t one;
    int cpu;
    if (w->place.cpu >= 0 && w->place.last == t->tid && ++w->place.stays < 16) return;
    w->place.last = t->tid;
    w->place.stays = 0;
    cpu = rec_cpu_of(t);
    if (cpu == w->place.cpu || cpu < 0 || cpu >= CPU_SETSIZE) return;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0) w->place.cpu = cpu;
}

/*
 * Lets a thread go on behind a burst, on the recorder's CPU. It waits for that CPU, and before it runs it may run
 * anywhere again, unless the recorder loses the CPU in between. What would notice is a question of the program for its
 * CPUs in that time: for a hundred times as long, no thread is bound again.
 */
void rec_go_on_here(rec_watch *w, rec_thread *t, int signal)
{
    const pid_t tid = t->tid;
    double began = rec_seconds(), took;
    cpu_set_t allowed, here, now;
    int bound = w->place.cpu >= 0 && began >= w->place.binds && sched_getaffinity(tid, sizeof allowed, &allowed) == 0 &&
                CPU_ISSET(w->place.cpu, &allowed) && CPU_COUNT(&allowed) > 1;
    CPU_ZERO(&here);
    if (bound) {
        CPU_SET(w->place.cpu, &here);
        bound = sched_setaffinity(tid, sizeof here, &here) == 0;
    }
    began = rec_seconds();
    rec_go_on(t, signal);
    if (!bound) return;
    if (sched_getaffinity(tid, sizeof now, &now) == 0 && CPU_EQUAL(&now, &here)) {
        sched_setaffinity(tid, sizeof allowed, &allowed);  /* else the program has chosen others */
    }
    took = rec_seconds() - began;
    if (took > REC_TURN * 1e-9) w->place.binds = began + REC_RARE * took;
}

/* What a thread makes while it is bound may run where the thread may run at other times. */
void rec_unbind_newborn(pid_t made_by, pid_t tid)
{
    cpu_set_t its, allowed;
    if (sched_getaffinity(made_by, sizeof allowed, &allowed) != 0) return;
    if (sched_getaffinity(tid, sizeof its, &its) != 0) return;
    if (!CPU_EQUAL(&its, &allowed)) sched_setaffinity(tid, sizeof allowed, &allowed);
}

#endif
