/* gen_profile.c - text profiles of any size that look like real ones, the same for the same arguments
 *
 *     gen_profile cs|nested BYTES SEED > PROFILE
 *
 *   cs       contexts of pseudo-probes: trees of calls, about 250 contexts each, grown at random (mean depth about 7)
 *   nested   functions with inlined callees, up to five deep
 *
 * The program behind all profiles is one and the same: names of 15 to 250 bytes (a fifth of them end in .__uniq. and 39
 * digits), 3 to 60 probes, up to eight calls, popular callees more often. Profiles of unlike seeds share its functions
 * and some of their contexts. Counts are spread over six decimal places; one probe in ten has none.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CALLS = 8, TREE = 250, MAX_DEPTH = 5 };

typedef struct function {
    char    *name;
    uint32_t probes, calls;
    uint32_t callee[MAX_CALLS], site[MAX_CALLS];
} function;

static function *functions;
static uint32_t  function_count;
static uint64_t  seed, written;

/* A fixed random number for x (the finaliser of splitmix64). */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t random_next(void)
{
    return mix(seed++);
}

static char *make_name(uint32_t i)
{
    static const char *const words[] = { "Buffer", "parse", "node", "Table", "insert", "lookup", "emit", "Graph",
                                         "visit", "codec", "Stream", "flush", "detail", "Worker", "queue", "sort" };
    static const char *const types[] = { "i", "m", "PKc", "RKSs", "St6vectorIiSaIiEE", "b", "PvS1_",
                                         "RKSt10unique_ptrIS0_St14default_deleteIS0_EE" };
    char text[512];
    uint64_t r = mix(i);
    size_t n = (size_t)sprintf(text, "_ZN");
    int k;
    for (k = 1 + (int)(r % 3); k >= 0; k--, r = mix(r)) {
        const char *a = words[r % 16], *b = words[r >> 8 & 15];
        n += (size_t)sprintf(text + n, "%u%s%s", (unsigned)(strlen(a) + strlen(b)), a, b);
        if (r >> 16 & 1) n += (size_t)sprintf(text + n, "I%sE", types[r >> 20 & 7]);
    }
    n += (size_t)sprintf(text + n, "%uf%" PRIu32 "E", (unsigned)snprintf(NULL, 0, "f%" PRIu32, i), i);
    for (k = (int)(r % 5); k >= 0; k--, r = mix(r)) n += (size_t)sprintf(text + n, "%s", types[r >> 20 & 7]);
    if (r % 5 == 0)
        sprintf(text + n, ".__uniq.1%018" PRIu64 "%020" PRIu64, mix(r) % 1000000000000000000u, mix(r + 1));
    n = strlen(text) + 1;
    return (char *)memcpy(malloc(n), text, n);
}

static void make_functions(uint32_t count)
{
    uint32_t i, k;
    functions = (function *)calloc(count, sizeof *functions);
    function_count = count;
    for (i = 0; i < count; i++) {
        function *f = &functions[i];
        uint64_t r = mix((uint64_t)i << 32);
        f->name = make_name(i);
        f->probes = 3 + (uint32_t)(r % 8) + (r >> 8 & 3 ? 0 : (uint32_t)(r >> 16) % 50);
        f->calls = (uint32_t)(r >> 40) % (f->probes - 1 < MAX_CALLS ? f->probes - 1 : MAX_CALLS) + 1;
        for (k = 0; k < f->calls; k++) {
            const uint64_t x = mix(r + k) % count, y = mix(r - k) % count;
            f->callee[k] = (uint32_t)(x * y / count);                /* low numbers are popular */
            f->site[k] = 2 + k * (f->probes - 1) / f->calls;
        }
    }
}

/* The count of a probe in the context with this hash. */
static uint64_t count_of(uint64_t context, uint32_t probe)
{
    const uint64_t scale = mix(context), r = mix(context + probe);
    return r % 10 == 0 ? 0 : (r >> 8) % 64 * ((uint64_t)1 << (scale % 15)) + 1;
}

static uint64_t own_count(const function *f, uint64_t context)
{
    uint64_t sum = 0;
    uint32_t i;
    for (i = 1; i <= f->probes; i++) sum += count_of(context, i);
    return sum;
}

static void print_body(const function *f, uint64_t context, int indent)
{
    uint32_t i, k = 0, t;
    for (i = 1; i <= f->probes; i++) {
        const uint64_t n = count_of(context, i);
        written += (uint64_t)printf("%*s%" PRIu32 ": %" PRIu64, indent, "", i, n);
        if (k < f->calls && f->site[k] == i) {
            const uint32_t targets = n == 0 ? 0 : mix(context ^ i) % 20 == 0 ? 4 : 1;
            for (t = 0; t < targets; t++)
                written += (uint64_t)printf(" %s:%" PRIu64, functions[(f->callee[k] + t * 101) % function_count].name,
                                            n / (t + 1));
            k++;
        }
        putchar('\n');
        written++;
    }
}

static void print_facts(const function *f, uint64_t context, int indent)
{
    written += (uint64_t)printf("%*s!CFGChecksum: %" PRIu64 "\n", indent, "", mix((uint64_t)(f - functions) + 7) >> 8);
    if (context % 10 < 3) written += (uint64_t)printf("%*s!Attributes: 2\n", indent, "");
}

/* ----- contexts ----- */

typedef struct tree_node { uint32_t parent, function, site, used; } tree_node;

/* One tree: each step hangs the next unused call of a random node below it. */
static void print_tree(uint32_t root)
{
    tree_node v[TREE];
    uint32_t n = 1, i, tries;
    memset(v, 0, sizeof v);
    v[0].function = root;
    for (tries = 0; n < TREE && tries < 4 * TREE; tries++) {
        const uint32_t p = (uint32_t)(random_next() % n);
        const function *f = &functions[v[p].function];
        if (v[p].used == f->calls) continue;
        v[n].parent = p;
        v[n].function = f->callee[v[p].used];
        v[n++].site = f->site[v[p].used++];
    }
    for (i = 0; i < n; i++) {
        uint32_t chain[TREE], depth = 0, at;
        uint64_t context = root;
        const function *f = &functions[v[i].function];
        for (at = i; at != 0; at = v[at].parent) chain[depth++] = at;
        written += (uint64_t)printf("[%s", functions[root].name);
        while (depth-- != 0) {
            const tree_node *c = &v[chain[depth]];
            context = mix(context ^ (uint64_t)c->site << 32 ^ c->function);
            written += (uint64_t)printf(":%" PRIu32 " @ %s", c->site, functions[c->function].name);
        }
        written += (uint64_t)printf("]:%" PRIu64 ":%" PRIu64 "\n", own_count(f, context), count_of(context, 1));
        print_body(f, context, 1);
        print_facts(f, context, 1);
    }
}

/* ----- inlinees ----- */

/* 1 if the k-th call of a function in this context is inlined. */
static int is_inlined(const function *f, uint64_t context, uint32_t k, int depth)
{
    return depth < MAX_DEPTH && functions[f->callee[k]].probes < 25 && mix(context + seed + k) % 100 < 30;
}

static uint64_t inlinee_context(uint64_t context, uint32_t k)
{
    return mix(context * 31 + k);
}

static uint64_t whole_count(const function *f, uint64_t context, int depth)
{
    uint64_t sum = own_count(f, context);
    uint32_t k;
    for (k = 0; k < f->calls; k++)
        if (is_inlined(f, context, k, depth))
            sum += whole_count(&functions[f->callee[k]], inlinee_context(context, k), depth + 1);
    return sum;
}

static void print_nested(const function *f, uint64_t context, int depth)
{
    uint32_t k;
    print_body(f, context, depth + 1);
    for (k = 0; k < f->calls; k++) {
        const function *g = &functions[f->callee[k]];
        const uint64_t inner = inlinee_context(context, k);
        if (!is_inlined(f, context, k, depth)) continue;
        written += (uint64_t)printf("%*s%" PRIu32 ": %s:%" PRIu64 "\n", depth + 1, "", f->site[k], g->name,
                                    whole_count(g, inner, depth + 1));
        print_nested(g, inner, depth + 1);
    }
    print_facts(f, 9, depth + 1);
}

int main(int argc, char **argv)
{
    static char buffer[1 << 16];
    uint64_t bytes, seed0;
    uint32_t i;
    int cs;
    if (argc != 4 || (strcmp(argv[1], "cs") != 0 && strcmp(argv[1], "nested") != 0)) {
        fprintf(stderr, "usage: gen_profile cs|nested BYTES SEED\n");
        return 2;
    }
    cs = strcmp(argv[1], "cs") == 0;
    bytes = strtoull(argv[2], NULL, 10);
    seed = seed0 = mix(strtoull(argv[3], NULL, 10));
    make_functions((uint32_t)(bytes / (cs ? 6500 : 1800)) + 20);
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    for (i = 0; i < function_count && written < bytes; i++) {
        const uint32_t f = (uint32_t)(((uint64_t)i * 7919 + 13) % function_count);   /* each once, in no order */
        const uint64_t context = mix(f + seed0);
        if (cs) {
            print_tree(f);
            continue;
        }
        written += (uint64_t)printf("%s:%" PRIu64 ":%" PRIu64 "\n", functions[f].name,
                                    whole_count(&functions[f], context, 0), count_of(context, 1));
        print_nested(&functions[f], context, 0);
    }
    return fflush(stdout) != 0;
}
