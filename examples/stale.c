/* stale.c - a profile of an older version of a program becomes one of the version that was built now
 *
 * The new program's probes say which blocks and calls each function has; the matcher aligns them with what the profile
 * has of the same function, or of one that was renamed. Prints how much of the profile was kept, and the functions that
 * lost most. Needs a system with mmap.
 *
 *     cc -O2 stale.c -o stale && ./stale old.prof new-program new.prof
 */
#define _DEFAULT_SOURCE
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_WITH_DECODE
#define CSSPGO_WITH_LLVM
#include "../csspgo.h"
#define LOAD_IMPLEMENTATION
#include "load.h"
#include <stdio.h>

typedef unsigned long long ull;

enum { WORST = 5 };

/* The functions whose calls or blocks were not found, those with the most samples first. */
static void print_worst(const csspgo_matcher *m, const csspgo_match_code *f, size_t n)
{
    csspgo_match_outcome worst[WORST];
    const csspgo_match_code *of[WORST];
    size_t count = 0, i, k;
    for (i = 0; i < n; i++) {
        const uint64_t guid = f[i].name != NULL ? csspgo_guid(f[i].name, f[i].name_size) : f[i].guid;
        const csspgo_match_outcome o = csspgo_matcher_get_outcome(m, guid);
        if (o.lost_samples == 0) continue;
        if (count < WORST) count++;
        else if (worst[WORST - 1].lost_samples >= o.lost_samples) continue;
        for (k = count - 1; k != 0 && worst[k - 1].lost_samples < o.lost_samples; k--) {
            worst[k] = worst[k - 1];
            of[k] = of[k - 1];
        }
        worst[k] = o;
        of[k] = &f[i];
    }
    for (k = 0; k < count; k++)
        printf("  %.*s: %llu of %llu samples lost, %u of %u calls not found\n", (int)of[k]->name_size,
               of[k]->name != NULL ? of[k]->name : "", (ull)worst[k].lost_samples, (ull)worst[k].samples,
               (unsigned)worst[k].lost_calls, (unsigned)worst[k].calls);
}

static void print_report(const csspgo_match_report *r, uint64_t lost)
{
    printf("%llu of %llu functions have changed; %llu were renamed\n", (ull)r->stale_functions, (ull)r->functions,
           (ull)r->renamed_functions);
    printf("%llu of %llu call sites moved and were found, %llu are gone\n", (ull)r->recovered_callsites,
           (ull)r->callsites, (ull)r->mismatched_callsites);
    printf("%llu of %llu samples are lost\n", (ull)lost, (ull)r->samples);
}

/* Matches old with the program's code, and fills fresh. */
static csspgo_status carry_over(const csspgo_profile *old, const csspgo_code *code, csspgo_profile *fresh,
                                csspgo_error *e)
{
    csspgo_match_input *input = csspgo_match_input_new(code, NULL, e);
    csspgo_matcher *m = input != NULL ? csspgo_matcher_new(NULL, NULL, e) : NULL;
    csspgo_status s = e->status;
    const csspgo_match_code *f = NULL;
    csspgo_match_report r;
    uint64_t lost = 0;
    size_t n = 0;
    if (input != NULL) f = csspgo_match_input_functions(input, &n);
    if (s == CSSPGO_OK) s = csspgo_matcher_module(m, old, f, n, &r, e);
    if (s == CSSPGO_OK) s = csspgo_matcher_apply(m, old, fresh, &lost, e);
    if (s == CSSPGO_OK) {
        print_report(&r, lost);
        print_worst(m, f, n);
    }
    csspgo_matcher_free(m);
    csspgo_match_input_free(input);
    return s;
}

int main(int argc, char **argv)
{
    char why[300];
    csspgo_error e;
    csspgo_profile *old, *fresh;
    csspgo_status s;
    loaded image;
    if (argc != 4) {
        fprintf(stderr, "usage: stale OLD-PROFILE NEW-PROGRAM OUTPUT\n");
        return 2;
    }
    old = csspgo_load_file(argv[1], seeded(), &e);
    if (old == NULL) {
        fprintf(stderr, "stale: %s:%u: %s\n", argv[1], (unsigned)e.line, e.message);
        return 1;
    }
    if (!load_image(&image, argv[2], NULL, why, sizeof why)) {
        fprintf(stderr, "stale: %s: %s\n", argv[2], why);
        csspgo_profile_free(old);
        return 1;
    }
    fresh = csspgo_profile_new(NULL, &e);
    s = fresh != NULL ? carry_over(old, image.code, fresh, &e) : e.status;
    if (s == CSSPGO_OK) s = csspgo_write_file(fresh, argv[3], CSSPGO_EXTBINARY, &e);
    if (s != CSSPGO_OK) fprintf(stderr, "stale: %s\n", e.message);
    csspgo_profile_free(fresh);
    load_free(&image);
    csspgo_profile_free(old);
    return s != CSSPGO_OK;
}
