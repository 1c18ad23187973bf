/* interrupt.c - what an interrupt does to a command that reads: the input ends, the output is whole */
#include "recording.h"

static volatile sig_atomic_t sigint_came;             /* for the signal handler: the one thing that no struct has */

int interrupted(void)
{
    return sigint_came;
}

static void on_interrupt(int signal)
{
    (void)signal;
    sigint_came = 1;
}

void catch_interrupt(int flags)
{
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_handler = on_interrupt;
    a.sa_flags = (int)SA_RESETHAND | flags;
    sigaction(SIGINT, &a, NULL);
}

/* While a file is written even a second SIGINT has to wait: no output is left half-written. */
void hold_interrupt(int how)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGINT);
    sigprocmask(how, &one, NULL);
}
