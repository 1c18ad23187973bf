/* progress.c - progress on a terminal */
#include "tool.h"

static double progress_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

progress progress_begin(const tool_context *tool)
{
    progress p;
    memset(&p, 0, sizeof p);
    p.on = !tool->quiet && isatty(2);
    p.began = p.on ? progress_now() : 0;
    return p;
}

/* "12 s", "3 min 5 s", "2 h 40 min" */
static void progress_duration(char *text, size_t size, double seconds)
{
    const unsigned long long s = seconds < 1e9 ? (unsigned long long)(seconds + 0.5) : 1000000000;
    if (s < 60) snprintf(text, size, "%llu s", s);
    else if (s < 3600) snprintf(text, size, "%llu min %llu s", s / 60, s % 60);
    else snprintf(text, size, "%llu h %llu min", s / 3600, s % 3600 / 60);
}

/* "42 %, 1200 samples, 350.0 MB/s, 12 s left"; without total "504 MB, ..."; no rate before a tenth of a second. */
void progress_text(char *text, size_t size, unsigned long long bytes, unsigned long long total,
                          unsigned long long samples, double seconds)
{
    const double rate = seconds >= 0.1 ? (double)bytes / seconds : 0;
    char done[32], left[48];
    size_t n;
    if (total != 0) snprintf(done, sizeof done, "%.0f%%", 100.0 * (double)bytes / (double)total);
    else snprintf(done, sizeof done, "%llu MB", bytes / 1000000);
    snprintf(text, size, "%s, %llu samples", done, samples);
    n = strlen(text);
    if (rate <= 0) return;
    snprintf(text + n, size - n, ", %.1f MB/s", rate / 1e6);
    n = strlen(text);
    if (total < bytes || total == 0) return;
    progress_duration(left, sizeof left, (double)(total - bytes) / rate);
    snprintf(text + n, size - n, ", %s left", left);
}

/* 1 if it is time to say something. */
int progress_due(progress *p)
{
    const double now = p->on ? progress_now() : 0;
    if (!p->on || now < p->next) return 0;
    p->next = now + 0.5;
    return 1;
}

void progress_show(progress *p, unsigned long long bytes, unsigned long long samples)
{
    char text[160];
    if (!progress_due(p)) return;
    progress_text(text, sizeof text, bytes, p->total, samples, progress_now() - p->began);
    fprintf(stderr, "\r\033[K%s ", text);
    fflush(stderr);
}

void progress_end(progress *p)
{
    if (p->on) fputs("\r\033[K", stderr);
}
