/* merge_ahead.c - merge: threads read the next inputs while one adds them up, in their order
 *
 * Only what can be read without a word to the user: all other inputs, and bad ones, are read as without threads.
 */
#include "views.h"

#if TOOL_THREADS
#include <pthread.h>

typedef struct read_ahead { csspgo_profile *p; int done; } read_ahead;

struct merge_ahead {
    const merge    *m;
    pthread_t       thread[THREADS_MOST];
    unsigned        threads, joined;     /* asked for; that are there                      */
    pthread_mutex_t lock;         /* of all below                                          */
    pthread_cond_t  changed;
    size_t          next, taken;  /* the input that a thread begins; the one that is added */
    int             stopped;
    read_ahead      slot[THREADS_MOST + 1];    /* input i is in slot[i % (threads + 1)]                 */
};

/* The profile of an input; NULL: it is to be read by the one that adds. */
static csspgo_profile *input_read(const tool_context *tool, const char *path)
{
    csspgo_profile *p = NULL;
    csspgo_error e;
    file_bytes f;
    if (strcmp(path, "-") == 0 || !file_open_named(path, &f)) return NULL;
    if (f.size != 0 && !is_contextual(tool, &f)) p = profile_blank(tool);
    if (p != NULL && file_read(p, path, &f, &e) != CSSPGO_OK) {
        csspgo_profile_free(p);
        p = NULL;
    }
    file_close(&f);
    return p;
}

/* Claims an input. Returns 0 if there is none any more. */
static int ahead_claim(merge_ahead *a, size_t *i)
{
    int some;
    pthread_mutex_lock(&a->lock);
    while (!a->stopped && a->next < a->m->inputs && a->next - a->taken > a->threads)
        pthread_cond_wait(&a->changed, &a->lock);
    some = !a->stopped && a->next < a->m->inputs;
    if (some) *i = a->next++;
    pthread_mutex_unlock(&a->lock);
    return some;
}

static void *ahead_run(void *what)
{
    merge_ahead *const a = (merge_ahead *)what;
    size_t i;
    while (ahead_claim(a, &i)) {
        csspgo_profile *const p = input_read(a->m->tool, a->m->input[i].path);
        read_ahead *const to = &a->slot[i % (a->threads + 1)];
        pthread_mutex_lock(&a->lock);
        to->p = p;
        to->done = 1;
        pthread_cond_broadcast(&a->changed);
        pthread_mutex_unlock(&a->lock);
    }
    return NULL;
}

merge_ahead *merge_ahead_begin(const merge *m, unsigned threads)
{
    merge_ahead *const a = threads > 1 && m->inputs > 1 ? (merge_ahead *)calloc(1, sizeof *a) : NULL;
    unsigned n;
    if (a == NULL) return NULL;
    a->m = m;
    a->threads = threads;
    seeded();                                              /* makes its seed when it is first called */
    if (pthread_mutex_init(&a->lock, NULL) != 0 || pthread_cond_init(&a->changed, NULL) != 0) return free(a), NULL;
    for (n = 0; n < threads && pthread_create(&a->thread[n], NULL, ahead_run, a) == 0;) n++;
    pthread_mutex_lock(&a->lock);
    a->stopped = n == 0;
    pthread_mutex_unlock(&a->lock);
    a->joined = n;
    if (n != 0) return a;
    merge_ahead_end(a);
    return NULL;
}

csspgo_profile *merge_ahead_take(merge_ahead *a, size_t i)
{
    read_ahead *at;
    csspgo_profile *p;
    if (a == NULL) return NULL;
    at = &a->slot[i % (a->threads + 1)];
    pthread_mutex_lock(&a->lock);
    while (!at->done) pthread_cond_wait(&a->changed, &a->lock);
    p = at->p;
    at->p = NULL;
    at->done = 0;
    a->taken = i + 1;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    return p;
}

void merge_ahead_end(merge_ahead *a)
{
    unsigned n;
    if (a == NULL) return;
    pthread_mutex_lock(&a->lock);
    a->stopped = 1;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    for (n = 0; n < a->joined; n++) pthread_join(a->thread[n], NULL);
    for (n = 0; n <= a->threads; n++) csspgo_profile_free(a->slot[n].p);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

#else /* without threads */

merge_ahead *merge_ahead_begin(const merge *m, unsigned threads)
{
    (void)m, (void)threads;
    return NULL;
}

csspgo_profile *merge_ahead_take(merge_ahead *a, size_t i)
{
    (void)a, (void)i;
    return NULL;
}

void merge_ahead_end(merge_ahead *a)
{
    (void)a;
}

#endif
