/* clock.c - bursts: when a thread is stopped for one
 *
 * The kernel's cpu-clock event of a thread counts the time that the thread runs, and rings only while it runs code of
 * its own. It is made to send the thread a SIGSTOP, which cannot be blocked: that stops the thread at the very
 * instruction and disturbs no system call; the recorder, which sees it first, takes it away. Where such events are not
 * to be had (containers, perf_event_paranoid 3), a timer asks threads that have used CPU time since it last rang.
 */
#include "record.h"

#if defined(REC_SOFTWARE)

#include <sys/ioctl.h>

static int rec_open_task(const rec_thread *t, const char *file)
{
    char name[96];
    snprintf(name, sizeof name, "/proc/%ld/task/%ld/%s", (long)t->process, (long)t->tid, file);
    return open(name, O_RDONLY | O_CLOEXEC);
}

/* Makes the thread ring after `interval` nanoseconds of CPU time; 0: never, a timer does it. Returns 0 if it cannot. */
int rec_clock_open(rec_thread *t, uint64_t interval)
{
    struct perf_event_attr a;
    struct f_owner_ex owner;
    t->place = rec_open_task(t, "stat");
    t->statistics = t->event = -1;
    if (interval == 0) return (t->statistics = rec_open_task(t, "schedstat")) >= 0;
    memset(&a, 0, sizeof a);
    a.size = sizeof a;
    a.type = PERF_TYPE_SOFTWARE;
    a.config = PERF_COUNT_SW_CPU_CLOCK;
    a.sample_period = interval;
    a.exclude_kernel = a.exclude_hv = 1;
    a.wakeup_events = 1;
    t->event = (int)syscall(SYS_perf_event_open, &a, t->tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (t->event < 0) return 0;
    owner.type = F_OWNER_TID;
    owner.pid = t->tid;
    if (fcntl(t->event, F_SETOWN_EX, &owner) == 0 && fcntl(t->event, F_SETSIG, SIGSTOP) == 0 &&
        fcntl(t->event, F_SETFL, O_ASYNC) == 0) return 1;
    close(t->event);
    t->event = -1;
    return 0;
}

void rec_clock_close(rec_thread *t)
{
    if (t->event >= 0) close(t->event);
    if (t->statistics >= 0) close(t->statistics);
    if (t->place >= 0) close(t->place);
    t->event = t->statistics = t->place = -1;
}

/* Whether the SIGSTOP that the thread stands before is that of its clock. */
int rec_clock_rang(const rec_thread *t)
{
    siginfo_t info;
    return ptrace(PTRACE_GETSIGINFO, t->tid, NULL, &info) == 0 && info.si_code >= POLL_IN && info.si_code <= POLL_HUP;
}

/* Whether it has used CPU time since this was last asked. */
int rec_clock_ran(rec_thread *t)
{
    char text[64];
    const ssize_t n = t->statistics >= 0 ? pread(t->statistics, text, sizeof text - 1, 0) : 0;
    const uint64_t before = t->used;
    if (n <= 0) return 0;
    text[n] = '\0';
    t->used = strtoull(text, NULL, 10);
    return t->used != before;
}

void rec_clock_stop(const rec_thread *t)
{
    if (t->event >= 0) ioctl(t->event, PERF_EVENT_IOC_DISABLE, 0);
}

void rec_clock_start(const rec_thread *t, uint64_t interval)
{
    if (t->event < 0) return;
    ioctl(t->event, PERF_EVENT_IOC_PERIOD, &interval);
    ioctl(t->event, PERF_EVENT_IOC_ENABLE, 0);
}

/* Whether the SIGSTOP of its clock is under way to the thread. */
int rec_will_ring(const rec_thread *t)
{
    struct __ptrace_peeksiginfo_args which;
    siginfo_t info[64];
    long n;
    memset(&which, 0, sizeof which);
    which.nr = 64;
    n = ptrace(PTRACE_PEEKSIGINFO, t->tid, &which, info);
    while (n-- > 0) {
        if (info[n].si_signo == SIGSTOP && info[n].si_code >= POLL_IN && info[n].si_code <= POLL_HUP) return 1;
    }
    return 0;
}

#endif
