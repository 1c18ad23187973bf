/* threads.c - how many threads do the work */
#include "tool.h"

enum { THREADS_FROM = 64 << 20 };  /* bytes of input that are worth it */

static unsigned processors(void)
{
#if TOOL_THREADS
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n < THREADS_MOST ? (unsigned)n : THREADS_MOST;
#else
    return 1;
#endif
}

unsigned threads_asked(const tool_context *tool, const option *o, unsigned long long bytes)
{
    const unsigned long long n = o != NULL ? (unsigned long long)o->number : 1;
    if (tool->compat || !TOOL_THREADS) return 1;
    if (n == 0) return bytes > THREADS_FROM ? processors() : 1;
    return n < THREADS_MOST ? (unsigned)n : THREADS_MOST;
}
