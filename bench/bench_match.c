/*
 * bench_match.c - how much of a stale profile each way of matching keeps, on pairs of functions with known counts.
 *
 *   bench_match FILE...             one table over all pairs of each file, and the labels of the file
 *   bench_match -c SCORES FILE...   also compares with a table of scores (label, algorithm, pairs, 4 scores)
 *   bench_match -p SEED FILE...     old counts are replaced by Poisson(count / 10) samples
 *   bench_match -s FILE...          one line per file and way only
 *   bench_match -a CALLS SCORES CORPUS FILE...   checks what must hold: see accept(); CALLS: of the worst case, at
 *                                          most 16000; ends with "N passed, N failed, ..."
 *
 * A file has, per pair, "F <n> <label>", "1 <old tokens>", "2 <new tokens>". Token i is probe i: B<count> a block,
 * C<callee>,<count> a call; new ones end in /<old probe of the same code, 0: none>/<class of equal frequency>.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"

enum { MAX_TOKENS = 65535, MODES = 8, SCORES = 4, MAX_LABELS = 64 };

typedef struct token {
    uint64_t count, callee;
    char     name[24];
    unsigned origin, eq;
    int      is_call;
} token;

typedef struct sums {             /* of one label and mode */
    double   sum[SCORES], weighted, weight;
    unsigned n[SCORES], pairs;
} sums;

static const char *const mode_name[MODES] = { "drop", "identity", "lexical", "lcs19", "lcsmain", "align-mid",
                                              "align-cfg", "oracle" };
enum { DROP, IDENTITY, LEXICAL, LCS19, LCSMAIN, ALIGN_MID, ALIGN_CFG, ORACLE };

static token old_token[MAX_TOKENS], new_token[MAX_TOKENS];
static unsigned olds, news;
static uint64_t profile_count[MAX_TOKENS + 1];         /* what the matcher is given: count of old probe i */
static csspgo_match_loc loc[MAX_TOKENS];
static unsigned to[MAX_TOKENS];                        /* answer: old probe, 0 = unknown                  */
static double predicted[MAX_TOKENS];
static struct { char label[40]; sums s[MODES]; } table[MAX_LABELS];
static unsigned labels;
static double seconds[MODES];
static uint64_t random_state;
static int poisson_on;

static double uniform(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) / 9007199254740992.0;
}

static uint64_t poisson(double mean)
{
    double p, x;
    uint64_t k = 0;
    if (mean > 500) {
        x = mean + sqrt(mean) * sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
        return x > 0 ? (uint64_t)(x + 0.5) : 0;
    }
    for (p = exp(-mean), x = uniform(); x > p; k++) x *= uniform();
    return k;
}

static unsigned parse(char *s, token *v, int is_new)
{
    unsigned n = 0;
    for (s = strtok(s, " \n"); s != NULL && n < MAX_TOKENS; s = strtok(NULL, " \n"), n++) {
        char *at = s + 1;
        token *t = &v[n];
        memset(t, 0, sizeof *t);
        t->is_call = *s == 'C';
        if (t->is_call) {
            const size_t k = strcspn(at, ",");
            snprintf(t->name, sizeof t->name, "%.*s", (int)k, at);
            t->callee = csspgo_guid(at, k);
            at += k + 1;
        }
        t->count = strtoull(at, &at, 10);
        if (is_new && *at == '/') t->origin = (unsigned)strtoul(at + 1, &at, 10);
        if (is_new && *at == '/') t->eq = (unsigned)strtoul(at + 1, &at, 10) + 1;
    }
    return n;
}

static void must(int ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "bench_match: %s\n", what);
    exit(1);
}

static csspgo_profile *make_profile(void)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_node n;
    unsigned i;
    must(p != NULL, "out of memory");
    csspgo_profile_set_flags(p, CSSPGO_IS_PROBE);
    n = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN, csspgo_func_add(p, "f", 1));
    must(csspgo_set_checksum(p, n, 1) == CSSPGO_OK && csspgo_add_total(p, n, 1) == CSSPGO_OK, "out of memory");
    for (i = 0; i < olds; i++) {
        const token *t = &old_token[i];
        const uint64_t c = poisson_on ? poisson((double)t->count / 10) : t->count;
        csspgo_status s = CSSPGO_OK;
        profile_count[i + 1] = c;
        if (c == 0) continue;
        s = csspgo_add_body(p, n, csspgo_loc_at(i + 1, 0), c);
        if (s == CSSPGO_OK && t->is_call)
            s = csspgo_add_target(p, n, csspgo_loc_at(i + 1, 0), csspgo_func_add(p, t->name, strlen(t->name)), c);
        must(s == CSSPGO_OK, "out of memory");
    }
    return p;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void ask(csspgo_profile *p, int mode)
{
    static const uint32_t modes[MODES] = { 0, 0, 18,
        19, 22, 0, 0, 0 };
    csspgo_match_options how;
    csspgo_match_code code;
    csspgo_matcher *m;
    unsigned i;
    double start;
    for (i = 0; i < news; i++) {
        const token *t = &new_token[i];
        memset(&loc[i], 0, sizeof loc[i]);
        loc[i].loc = csspgo_loc_at(i + 1, 0);
        loc[i].kind = t->is_call ? CSSPGO_MATCH_CALL : CSSPGO_MATCH_BLOCK;
        loc[i].callee = t->callee;
        loc[i].eq = mode == ALIGN_CFG ? t->eq : 0;
        to[i] = mode == ORACLE ? t->origin : mode == IDENTITY ? i + 1 : 0;
    }
    if (mode == DROP || mode == IDENTITY || mode == ORACLE) return;
    memset(&how, 0, sizeof how);
    memset(&code, 0, sizeof code);
    how.llvm = modes[mode];
    how.rename = 2;
    code.name = "f";
    code.name_size = 1;
    code.checksum = 2;
    code.loc = loc;
    code.locs = news;
    start = now();
    m = csspgo_matcher_new(&how, NULL, NULL);
    must(m != NULL && csspgo_matcher_module(m, p, &code, 1, NULL, NULL) == CSSPGO_OK, "matching failed");
    seconds[mode] += now() - start;
    for (i = 0; i < news; i++) {
        const csspgo_match_result r = csspgo_matcher_locate(m, csspgo_guid("f", 1), loc[i].loc);
        to[i] = r.how >= CSSPGO_FOUND_CLASS ? 0 : r.to.line;
    }
    csspgo_matcher_free(m);
}

static uint64_t mapped(unsigned i)
{
    return to[i] != 0 && to[i] <= olds ? profile_count[to[i]] : 0;
}

/* The count of a block: what it is mapped to, or that of the nearest block of its class that is mapped. */
static double filled(unsigned i)
{
    unsigned d, j;
    if (mapped(i) != 0) return (double)mapped(i);
    for (d = 1; d < news; d++) {
        if (d <= i && (j = i - d, !new_token[j].is_call) && new_token[j].eq == new_token[i].eq && mapped(j) != 0)
            return (double)mapped(j);
        if (i + d < news && (j = i + d, !new_token[j].is_call) && new_token[j].eq == new_token[i].eq && mapped(j) != 0)
            return (double)mapped(j);
    }
    return 0;
}

static void add(sums *s, int k, double part, double whole)
{
    if (whole <= 0) return;
    s->sum[k] += part / whole;
    s->n[k]++;
}

static void score(sums *s)
{
    double call = 0, calls = 0, place = 0, places = 0, fresh = 0, mass = 0, sp = 0, st = 0, both = 0;
    unsigned i;
    for (i = 0; i < news; i++) {
        const token *t = &new_token[i];
        const double w = t->origin != 0 ? (double)profile_count[t->origin] : 0;
        if (w > 0) {
            places += w;
            if (to[i] == t->origin) place += w;
            if (t->is_call) calls += w;
            if (t->is_call && to[i] == t->origin) call += w;
        }
        mass += (double)mapped(i);
        if (t->origin == 0) fresh += (double)mapped(i);
        predicted[i] = t->is_call ? 0 : filled(i);
        sp += predicted[i];
        if (!t->is_call) st += (double)t->count;
    }
    for (i = 0; i < news && sp > 0 && st > 0; i++) {
        const double p = predicted[i] / sp, q = (double)new_token[i].count / st;
        if (!new_token[i].is_call) both += p < q ? p : q;
    }
    add(s, 0, call, calls);
    add(s, 1, place, places);
    add(s, 2, both, 1);
    add(s, 3, fresh, mass);
    s->weighted += both * st;
    s->weight += st;
    s->pairs++;
}

static unsigned label_of(const char *name)
{
    unsigned i;
    for (i = 0; i < labels; i++)
        if (strcmp(table[i].label, name) == 0) return i;
    must(labels < MAX_LABELS, "too many labels");
    snprintf(table[labels].label, sizeof table[labels].label, "%s", name);
    return labels++;
}

static void pair_done(const char *name)
{
    const unsigned l = label_of(name), all = label_of("all");
    csspgo_profile *p = make_profile();
    int mode;
    for (mode = 0; mode < MODES; mode++) {
        ask(p, mode);
        score(&table[l].s[mode]);
        score(&table[all].s[mode]);
    }
    csspgo_profile_free(p);
}

static void read_corpus(const char *path)
{
    static char line[1 << 20];
    char name[40] = "";
    FILE *f = fopen(path, "r");
    must(f != NULL, "cannot open a corpus");
    while (fgets(line, sizeof line, f) != NULL) {
        if (line[0] == 'F') sscanf(line, "F %*u %39s", name);
        if (line[0] == '1') olds = parse(line + 1, old_token, 0);
        if (line[0] == '2') {
            news = parse(line + 1, new_token, 1);
            pair_done(name);
        }
    }
    fclose(f);
}

static double percent(const sums *s, int k)
{
    return s->n[k] != 0 ? 100 * s->sum[k] / s->n[k] : 0;
}

static void print(void)
{
    unsigned l;
    int mode;
    printf("%-16s %-10s %5s %7s %9s %8s %9s %8s\n", "label", "algorithm", "pairs", "calls", "locations", "overlap",
           "weighted", "new code");
    for (l = 0; l < labels; l++)
        for (mode = 0; mode < MODES; mode++) {
            const sums *s = &table[l].s[mode];
            printf("%-16s %-10s %5u %7.2f %9.2f %8.2f %9.2f %8.2f\n", table[l].label, mode_name[mode], s->pairs,
                   percent(s, 0), percent(s, 1), percent(s, 2), s->weight > 0 ? 100 * s->weighted / s->weight : 0,
                   percent(s, 3));
        }
    printf("seconds in the matcher:");
    for (mode = LEXICAL; mode <= ALIGN_CFG; mode++) printf(" %s %.3f", mode_name[mode], seconds[mode]);
    printf("\n");
}

/* Every row of the reference modes must agree within 0.01 (a half more for rounding). Returns the rows that do not. */
static unsigned compare(const char *path)
{
    char line[200], name[40], algorithm[40];
    unsigned bad = 0, rows = 0, l, k, pairs;
    double v[SCORES];
    FILE *f = fopen(path, "r");
    int mode;
    must(f != NULL, "cannot open the scores");
    while (fgets(line, sizeof line, f) != NULL) {
        if (sscanf(line, "%39s %39s %u %lf %lf %lf %lf", name, algorithm, &pairs, &v[0], &v[1], &v[2], &v[3]) != 7)
            continue;
        for (l = 0; l < labels && strcmp(table[l].label, name) != 0; l++) {}
        for (mode = 0; mode < MODES && strcmp(mode_name[mode], algorithm) != 0; mode++) {}
        if (l == labels || mode == MODES || mode == ALIGN_MID || mode == ALIGN_CFG) continue;
        rows++;
        for (k = 0; k < SCORES; k++)
            if (fabs(v[k] - percent(&table[l].s[mode], (int)k)) > 0.0151) {
                printf("differs: %s %s score %u: %.2f, should be %.2f\n", name, algorithm, k,
                       percent(&table[l].s[mode], (int)k), v[k]);
                bad++;
            }
    }
    fclose(f);
    printf("%u rows of %s compared, %u scores differ\n", rows, path, bad);
    return bad;
}

/* ----- what must hold --------------------------------------------------------------------------------------------- */

static unsigned passed, failed;

static void expect(int ok, const char *file, const char *what, double is, double should)
{
    if (ok) {
        passed++;
        return;
    }
    failed++;
    printf("FAILED: %s: %s is %.2f, should be %.2f\n", file, what, is, should);
}

static void read_anew(const char *path)
{
    labels = 0;
    memset(table, 0, sizeof table);
    label_of("all");
    read_corpus(path);
}

static double weighted(const sums *s)
{
    return s->weight > 0 ? 100 * s->weighted / s->weight : 0;
}

static size_t live, peak;

static void *counting_alloc(void *ctx, size_t size)
{
    (void)ctx;
    live += size;
    if (live > peak) peak = live;
    return malloc(size);
}

static void counting_free(void *ctx, void *p, size_t size)
{
    (void)ctx;
    live -= size;
    free(p);
}

/*
 * Two functions with so many calls each, all of other callees: what is hardest for the longest common subsequence.
 * Memory must stay below 1 KB a call.
 */
static void accept_worst_case(unsigned calls)
{
    static const uint32_t modes[] = { 0, 19, 22 };
    csspgo_profile *p;
    csspgo_options o;
    csspgo_match_code code;
    unsigned i;
    for (i = 0; i < calls; i++) {
        old_token[i].is_call = 1;
        old_token[i].count = 10;
        snprintf(old_token[i].name, sizeof old_token[i].name, "o%u", i);
        memset(&loc[i], 0, sizeof loc[i]);
        loc[i].loc = csspgo_loc_at(i + 1, 0);
        loc[i].kind = CSSPGO_MATCH_CALL;
        loc[i].callee = i + 1;
    }
    olds = calls;
    p = make_profile();
    memset(&o, 0, sizeof o);
    memset(&code, 0, sizeof code);
    o.allocator.alloc_fn = counting_alloc;
    o.allocator.free_fn = counting_free;
    code.name = "f";
    code.name_size = 1;
    code.checksum = 2;
    code.loc = loc;
    code.locs = calls;
    for (i = 0; i < sizeof modes / sizeof *modes; i++) {
        csspgo_match_options how;
        csspgo_matcher *m;
        const clock_t start = clock();
        memset(&how, 0, sizeof how);
        how.llvm = modes[i];
        live = peak = 0;
        m = csspgo_matcher_new(&how, &o, NULL);
        must(m != NULL && csspgo_matcher_module(m, p, &code, 1, NULL, NULL) == CSSPGO_OK, "matching failed");
        csspgo_matcher_free(m);
        expect(peak < calls * (size_t)1024, "calls, all changed", "KB of memory", (double)peak / 1024, calls);
        printf("%u calls, all changed: %.1f MB, %.2f s of processor time\n", calls, (double)peak / 1048576,
               (double)(clock() - start) / CLOCKS_PER_SEC);
    }
    csspgo_profile_free(p);
}

/*
 * On the corpus: the reference ways give the scores of the table; ALIGN with classes is not worse than what is known to
 * be possible, for no label much worse than the best, and not when counts are thin samples. On every other file: its
 * blocks overlap by as much as with LLVM main's way or more, weighted by counts, and on average; without classes on
 * average. Memory stays small where LLVM's does not. Returns what failed.
 */
static unsigned accept(unsigned calls, const char *scores, const char *corpus, char **file, int files)
{
    static const double least[SCORES] = { 94.65 - 0.3, 87.30 - 0.3, 82.37 - 0.3, 9.77 + 0.3 };
    static const double thin[SCORES] = { 94.3, 86.0, 78.7, 10.6 };
    static const char *const name[SCORES] = { "calls", "locations", "overlap", "new code" };
    enum { SEEDS = 5 };
    double mean[SCORES] = { 0, 0, 0, 0 };
    unsigned l;
    int k, i;
    read_anew(corpus);
    printf("%s: %u pairs, seconds in the matcher:", corpus, table[0].s[0].pairs);
    for (i = LEXICAL; i <= ALIGN_CFG; i++) printf(" %s %.3f", mode_name[i], seconds[i]);
    printf("\n");
    expect(compare(scores) == 0, corpus, "scores of the reference ways that differ", 1, 0);
    for (k = 0; k < SCORES; k++) {
        const double is = percent(&table[0].s[ALIGN_CFG], k);
        expect(k == 3 ? is <= least[k] : is >= least[k], corpus, name[k], is, least[k]);
    }
    for (l = 1; l < labels; l++) {
        const double best = percent(&table[l].s[ORACLE], 2), ours = percent(&table[l].s[ALIGN_CFG], 2);
        const double main_ = percent(&table[l].s[LCSMAIN], 2), should = (best < main_ ? best : main_) - 2;
        expect(ours >= should, table[l].label, "overlap", ours, should);
    }
    poisson_on = 1;
    for (i = 1; i <= SEEDS; i++) {
        random_state = (uint64_t)i * UINT64_C(0x9E3779B97F4A7C15) | 1;
        read_anew(corpus);
        for (k = 0; k < SCORES; k++) mean[k] += percent(&table[0].s[ALIGN_CFG], k) / SEEDS;
    }
    poisson_on = 0;
    for (k = 0; k < SCORES; k++)
        expect(k == 3 ? mean[k] <= thin[k] : mean[k] >= thin[k], "samples", name[k], mean[k], thin[k]);
    for (i = 0; i < files; i++) {
        const sums *s = table[0].s;
        double least_, is;
        read_anew(file[i]);
        is = weighted(&s[ALIGN_CFG]);
        least_ = weighted(&s[LCSMAIN]);
        expect(is >= least_, file[i], "weighted overlap", is, least_);
        least_ = percent(&s[LCSMAIN], 2) - 0.5;
        is = percent(&s[ALIGN_CFG], 2);
        expect(is >= least_, file[i], "overlap", is, least_);
        is = percent(&s[ALIGN_MID], 2);
        expect(is >= least_, file[i], "overlap without classes", is, least_);
    }
    accept_worst_case(calls);
    printf("%u passed, %u failed, 0 skipped\n", passed, failed);
    return failed;
}

static void print_short(const char *path)
{
    int mode;
    read_anew(path);
    printf("%s, %u pairs\n", strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path, table[0].s[0].pairs);
    for (mode = 0; mode < MODES; mode++) {
        const sums *s = &table[0].s[mode];
        printf("    %-10s %7.2f %9.2f %8.2f %9.2f %8.2f\n", mode_name[mode], percent(s, 0), percent(s, 1),
               percent(s, 2), weighted(s), percent(s, 3));
    }
}

int main(int argc, char **argv)
{
    const char *scores = NULL;
    int i, brief = 0;
    if (argc >= 5 && strcmp(argv[1], "-a") == 0 && atoi(argv[2]) > 0 && atoi(argv[2]) <= 16000)
        return accept((unsigned)atoi(argv[2]), argv[3], argv[4], argv + 5, argc - 5) != 0;
    for (i = 1; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        if (argv[i][1] == 'c') scores = argv[i + 1];
        if (argv[i][1] == 'p') {
            poisson_on = 1;
            random_state = strtoull(argv[i + 1], NULL, 10) * UINT64_C(0x9E3779B97F4A7C15) | 1;
        }
        if (argv[i][1] == 's') brief = 1, i--;
    }
    if (i >= argc) {
        fprintf(stderr, "usage: bench_match [-c SCORES] [-p SEED] [-s] FILE... | -a CALLS SCORES CORPUS FILE...\n");
        return 2;
    }
    label_of("all");
    if (brief) printf("%-14s %7s %9s %8s %9s %8s\n", "", "calls", "locations", "overlap", "weighted", "new code");
    for (; i < argc; i++) {
        if (brief) print_short(argv[i]);
        else read_corpus(argv[i]);
    }
    if (!brief) print();
    return scores != NULL && compare(scores) != 0;
}
