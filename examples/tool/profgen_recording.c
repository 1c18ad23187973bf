/* profgen_recording.c - profgen: reads a recording, until SIGINT if it comes */
#include "profgen.h"

/* any: a script may have any fields; else it is read as LLVM does. */
int recording_open(profgen *g, recording *r, int any)
{
    csspgo_script_options how;
    memset(r, 0, sizeof *r);
    memset(&how, 0, sizeof how);
    r->path = g->path;
    how.code = any || g->tool->compat ? g->image.code : NULL;              /* compat: broken stacks as LLVM's */
    how.llvm = any ? 0 : 19;
    g->script = NULL;
    if (g->preagg != NULL) return preagg_open(g, r);
    if (g->pprof != NULL) return pprof_open(g, r);
    if (g->perfscript != NULL) r->script = csspgo_script_new(&how, seeded(), NULL);
    else r->data = csspgo_perfdata_new(seeded(), NULL);
    if (r->script == NULL && r->data == NULL) return fail(g->tool, "out of memory"), 0;
    g->script = r->script;
    if (r->data != NULL && g->o[O_KERNEL].number) csspgo_perfdata_take_kernel(r->data);
    return 1;
}

void recording_close(recording *r)
{
    csspgo_script_free(r->script);
    csspgo_perfdata_free(r->data);
    csspgo_preagg_free(r->preagg);
    csspgo_pprof_free(r->pprof);
}

unsigned long long recording_samples(const recording *r)
{
    if (r->preagg != NULL) return csspgo_preagg_get_stats(r->preagg).line_count;
    if (r->pprof != NULL) return csspgo_pprof_get_stats(r->pprof).samples;
    return r->script != NULL ? csspgo_script_get_stats(r->script).samples : csspgo_perfdata_get_stats(r->data).samples;
}

/* What was in it that made no sense. */
void recording_warnings(profgen *g, const recording *r)
{
    const tool_context *tool = g->tool;
    if (r->script != NULL) {
        const csspgo_script_stats s = csspgo_script_get_stats(r->script);
        const unsigned long long bad = s.bad_frame_lines + s.bad_records + s.bad_mmaps;
        if (bad != 0)
            warn(tool, "%s:%llu: and %llu more lines make no sense", r->path, (unsigned long long)s.first_bad_line,
                 bad - 1);
    } else {
        const csspgo_perfdata_stats s = csspgo_perfdata_get_stats(r->data);
        const unsigned long long bad = s.bad_records;
        if (bad != 0) warn(tool, "%s: byte %llu: and %llu more records make no sense", r->path,
                           (unsigned long long)s.first_bad_offset, bad - 1);
        if (s.unknown_events != 0)
            warn(tool, "%s: %llu samples are of events that it does not describe: they do not count", r->path,
                 (unsigned long long)s.unknown_events);
        if (s.guests != 0)
            warn(tool, "%s: %llu samples are of guests (virtual machines): they do not count; record inside the guest",
                 r->path, (unsigned long long)s.guests);
        g->guests = sum_of(g->guests, s.guests);
        g->lost = sum_of(g->lost, s.lost);
        g->user_stacks |= s.has_stack_copies != 0;
        if (s.lost != 0) warn(tool, "%s: the kernel lost %llu samples", r->path, (unsigned long long)s.lost);
    }
}

/* A piece of it, none at the end; then everything that the parser has ready. Returns 0 after saying what is wrong. */
int recording_feed(profgen *g, recording *r, const void *piece, size_t size)
{
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_error e;
    if (r->preagg != NULL) return preagg_feed(g, r, piece, size);
    if (r->pprof != NULL) return pprof_feed(g, r, piece, size);
    if (r->script != NULL && size != 0) csspgo_script_feed(r->script, piece, size, NULL);    /* the last piece was */
    else if (r->script != NULL) csspgo_script_end(r->script);                                /* read up: cannot fail */
    else if (size != 0) csspgo_perfdata_feed(r->data, piece, size, NULL);
    else csspgo_perfdata_end(r->data);
    for (;;) {
        const csspgo_item item = r->script != NULL ? csspgo_script_next(r->script, &sample, &map, &e)
                                                   : csspgo_perfdata_next(r->data, &sample, &map, &e);
        const int counts = item == CSSPGO_ITEM_NONE ? 1 : events_take(g, r, item, &sample);
        if (counts < 0) return 0;
        if (item == CSSPGO_ITEM_NONE) break;
        if (!counts) continue;
        if (item == CSSPGO_ITEM_SAMPLE && r->data != NULL)
            g->leaf_only = sample.stack_count <= 1 && !csspgo_perfdata_get_stats(r->data).has_stacks;
        g->fit.files = item == CSSPGO_ITEM_SAMPLE && r->script != NULL ? csspgo_script_frame_files(r->script) : NULL;
        if (!profgen_item(g, item, &sample, &map)) return 0;
    }
    if (e.status == CSSPGO_E_TRUNCATED && r->data != NULL && recording_samples(r) != 0) {
        warn(g->tool, "%s: byte %llu: %s: the profile is of the %llu samples before", r->path,
             (unsigned long long)e.offset, plain(&e), recording_samples(r));
        return 1;
    }
    return e.status == CSSPGO_OK ||
           (kind_fail_at(g->tool, r->path, r->script != NULL ? KIND_SCRIPT : KIND_PERFDATA, &e), 0);
}

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

/* The first SIGINT ends the input, the second one the program. flags: whether system calls go on after the first. */
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

void recording_interrupted(profgen *g, const recording *r, unsigned long long bytes)
{
    g->partial = 1;
    warn(g->tool, "%s: interrupted after %llu bytes: the profile is of what came before", r->path, bytes);
}

/* Reads it from f; from a pipe or a device at most 1 GiB without a sample. Returns 0 after saying what is wrong. */
int recording_read(profgen *g, recording *r, FILE *f, unsigned long long total)
{
    enum { CHUNK = 1 << 18 };
    static char chunk[CHUNK];
    unsigned long long bytes = 0, samples = 0, sampled = 0;     /* where the number of samples was seen to grow */
    progress p = progress_begin(g->tool);
    size_t n;
    int ok = 1;
    p.total = total;
    while (ok && !interrupted() && (n = fread(chunk, 1, CHUNK, f)) != 0) {
        if (bytes == 0 && g->jit != NULL && !jit_recording(g, chunk, n)) return 0;
        if (bytes == 0 && total == 0 && r->script != NULL && !events_of_script(g, chunk, n, NULL)) return 0;
        if (bytes == 0 && total == 0 && !renamed_ahead(g, r, chunk, n, NULL)) return 0;
        ok = recording_feed(g, r, chunk, n);
        bytes += n;
        progress_show(&p, bytes, recording_samples(r));
        if (recording_samples(r) != samples) {
            samples = recording_samples(r);
            sampled = bytes;
        } else if (ok && total == 0 && r->pprof == NULL && bytes - sampled > 1 << 30)
            ok = (fail(g->tool, "%s: 1 GiB without a sample: this is no recording", r->path), 0);
    }
    progress_end(&p);
    if (ok && interrupted() && !feof(f) && (total == 0 || bytes < total)) recording_interrupted(g, r, bytes);
    else if (ok && ferror(f)) ok = (fail(g->tool, "%s: %s", r->path, file_why()), 0);
    else if (ok) ok = recording_feed(g, r, NULL, 0);
    return ok;
}
