/* parsing.c - a script is read and parsed by a thread of its own: the items are those of one thread, in their order
 *
 * The thread fills batches, at most BATCHES of which exist; the reader's own parser follows them (csspgo_script_follow).
 * Only regular files are read so: a thread that waits for a pipe could not be stopped.
 */
#include "recording.h"

#if TOOL_THREADS
#include <pthread.h>

enum { BATCHES = 8 };

typedef struct parsed {
    csspgo_script_batch *batch;
    unsigned long long   bytes;   /* of the file, read when it was filled */
    reading_end          end;
} parsed;

struct parsing {
    pthread_t       thread;
    pthread_mutex_t lock;         /* of the next three                           */
    pthread_cond_t  changed;
    unsigned long long made, taken;      /* batches; number n is slot[n % BATCHES] */
    int             stopped;      /* nobody wants more of them                   */
    parsed          slot[BATCHES];
    csspgo_script  *script;       /* these are the thread's                      */
    FILE           *file;
    unsigned long long bytes, total;     /* read; of the file                    */
    char           *chunk;
    int             error;        /* errno of reading                            */
};

/* The next free batch; NULL: nobody wants it. */
static parsed *batch_free(parsing *p)
{
    parsed *free_one = NULL;
    pthread_mutex_lock(&p->lock);
    while (!p->stopped && p->made - p->taken == BATCHES) pthread_cond_wait(&p->changed, &p->lock);
    if (!p->stopped) free_one = &p->slot[p->made % BATCHES];
    pthread_mutex_unlock(&p->lock);
    return free_one;
}

static void batch_done(parsing *p)
{
    pthread_mutex_lock(&p->lock);
    p->made++;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* Hands out what the parser makes of its piece; end: READING_ON, or what it was. Returns 0 if that was all. */
static int piece_parse(parsing *p, reading_end end)
{
    csspgo_status s;
    do {
        parsed *const to = batch_free(p);
        if (to == NULL) return 0;
        s = csspgo_script_fill(p->script, to->batch, NULL);
        to->bytes = p->bytes;
        to->end = s == CSSPGO_MORE ? READING_ON : s == CSSPGO_OK ? end : READING_OVER;
        if (s != CSSPGO_MORE && s != CSSPGO_OK) end = READING_OVER;
        batch_done(p);
    } while (s == CSSPGO_MORE);
    return end == READING_ON;
}

/* The first piece is the parser's when it begins. */
static void *parse_all(void *what)
{
    parsing *const p = (parsing *)what;
    size_t n = 0;
    do {
        if (!piece_parse(p, READING_ON)) return NULL;
        n = interrupted() ? 0 : fread(p->chunk, 1, READING_CHUNK, p->file);
        p->error = errno;
        p->bytes += n;
        if (n != 0) csspgo_script_feed(p->script, p->chunk, n, NULL);
    } while (n != 0);
    if (interrupted() && !feof(p->file) && (p->total == 0 || p->bytes < p->total)) {
        csspgo_script_feed(p->script, "", 0, NULL);         /* samples that it holds back */
        return piece_parse(p, READING_STOPPED), NULL;
    }
    if (ferror(p->file)) return piece_parse(p, READING_FAILED), NULL;
    csspgo_script_end(p->script);
    return piece_parse(p, READING_OVER), NULL;
}

static void parsing_free(parsing *p)
{
    size_t i;
    for (i = 0; i < BATCHES; i++) csspgo_script_batch_free(p->slot[i].batch);
    csspgo_script_free(p->script);
    free(p->chunk);
    free(p);
}

parsing *parsing_begin(csspgo_script *script, FILE *file, unsigned long long bytes, unsigned long long total)
{
    parsing *const p = (parsing *)calloc(1, sizeof *p);
    size_t i;
    int ok;
    if (p == NULL) return NULL;
    p->chunk = (char *)malloc(READING_CHUNK);
    ok = p->chunk != NULL;
    for (i = 0; i < BATCHES && ok; i++) ok = (p->slot[i].batch = csspgo_script_batch_new(seeded(), NULL)) != NULL;
    p->script = script;
    p->file = file;
    p->bytes = bytes;
    p->total = total;
    ok = ok && pthread_mutex_init(&p->lock, NULL) == 0 && pthread_cond_init(&p->changed, NULL) == 0;
    if (ok && pthread_create(&p->thread, NULL, parse_all, p) == 0) return p;
    p->script = NULL;
    parsing_free(p);
    return NULL;
}

const csspgo_script_batch *parsing_next(parsing *p, unsigned long long *bytes, reading_end *end)
{
    const parsed *now;
    pthread_mutex_lock(&p->lock);
    while (p->made == p->taken) pthread_cond_wait(&p->changed, &p->lock);
    now = &p->slot[p->taken % BATCHES];
    pthread_mutex_unlock(&p->lock);
    *bytes = now->bytes;
    *end = now->end;
    if (now->end == READING_FAILED) errno = p->error;
    return now->batch;
}

void parsing_taken(parsing *p)
{
    pthread_mutex_lock(&p->lock);
    p->taken++;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

void parsing_end(parsing *p)
{
    if (p == NULL) return;
    pthread_mutex_lock(&p->lock);
    p->stopped = 1;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    parsing_free(p);
}

#else /* without threads */

parsing *parsing_begin(csspgo_script *script, FILE *file, unsigned long long bytes, unsigned long long total)
{
    (void)script, (void)file, (void)bytes, (void)total;
    return NULL;
}

const csspgo_script_batch *parsing_next(parsing *p, unsigned long long *bytes, reading_end *end)
{
    (void)p, (void)bytes, (void)end;
    return NULL;
}

void parsing_taken(parsing *p)
{
    (void)p;
}

void parsing_end(parsing *p)
{
    (void)p;
}

#endif
