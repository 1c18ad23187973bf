/* fleet.c - merges the profiles of a fleet: a shell pipeline's reduce step
 *
 * Any order, any grouping and any number of processes give the same bytes, so the work can be split at will: here with
 * GNU parallel, whose jobs merge 100 files each until one is left. A file that cannot be read is named and left
 * out.
 *
 *     cc -O2 fleet.c -o fleet
 *     ./fleet -o all.prof *.prof
 *     find profiles -name '*.prof' | parallel -n 100 ./fleet -o part.{#}.prof {} && ./fleet -o all.prof part.*.prof
 */
#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"
#include <stdio.h>
#include <string.h>

typedef unsigned long long ull;

typedef struct fleet {
    csspgo_profile    *sum;
    csspgo_merge_stats lost;
    unsigned           merged, bad, other_kind;
} fleet;

/* Adds one file. Returns what ends the work: memory that is exhausted, or a limit. */
static csspgo_status add_file(fleet *f, const char *path, csspgo_error *e)
{
    csspgo_profile *p = csspgo_load_file(path, NULL, e);
    csspgo_status s;
    if (p == NULL) {
        if (e->status == CSSPGO_E_NOMEM) return e->status;
        fprintf(stderr, "fleet: %s:%u: %s\n", path, (unsigned)e->line, e->message);
        f->bad++;
        return CSSPGO_OK;
    }
    s = csspgo_merge(f->sum, p, NULL, &f->lost, e);
    csspgo_profile_free(p);
    if (s == CSSPGO_E_ARGUMENT) {                     /* contexts and none, or probes and lines, do not mix */
        fprintf(stderr, "fleet: %s: %s\n", path, e->message);
        f->other_kind++;
        return CSSPGO_OK;
    }
    f->merged += s == CSSPGO_OK;
    return s;
}

int main(int argc, char **argv)
{
    fleet f;
    csspgo_error e;
    csspgo_status s;
    int i;
    if (argc < 4 || strcmp(argv[1], "-o") != 0) {
        fprintf(stderr, "usage: fleet -o OUTPUT PROFILE...\n");
        return 2;
    }
    memset(&f, 0, sizeof f);
    f.sum = csspgo_profile_new(NULL, &e);
    s = f.sum != NULL ? CSSPGO_OK : e.status;
    for (i = 3; i < argc && s == CSSPGO_OK; i++) s = add_file(&f, argv[i], &e);
    if (s == CSSPGO_OK) s = csspgo_write_file(f.sum, argv[2], CSSPGO_EXTBINARY, &e);
    if (s != CSSPGO_OK) fprintf(stderr, "fleet: %s\n", e.message);
    else
        printf("%u profiles merged, %u unreadable, %u of another kind; %llu contexts; %llu samples dropped for their "
               "checksums\n", f.merged, f.bad, f.other_kind, (ull)csspgo_record_count(f.sum), (ull)f.lost.dropped);
    csspgo_profile_free(f.sum);
    return s != CSSPGO_OK || f.merged == 0;
}
