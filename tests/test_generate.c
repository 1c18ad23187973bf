/* test_generate.c - counters and code map become profiles: LLVM's outputs, rules one by one, laws, failing memory */
#include "t.h"
#include "table.h"

#include <stdint.h>

/* ----- helpers ----- */

static csspgo_profile *new_profile(const csspgo_options *o)
{
    csspgo_profile *p = csspgo_profile_new(o);
    if (p == NULL) abort();
    return p;
}

/* The profile as text, terminated, for free(). */
static char *text_of(csspgo_profile *p, size_t *size)
{
    csspgo_error e;
    char *text;
    csspgo_validate(p, &e);
    T_MSG(e.status == CSSPGO_OK, e.message);
    T_EQ(csspgo_write(p, CSSPGO_TEXT, NULL, 0, size, &e), CSSPGO_OK);
    text = (char *)malloc(*size + 1);
    if (text == NULL) abort();
    T_EQ(csspgo_write(p, CSSPGO_TEXT, text, *size, size, &e), CSSPGO_OK);
    text[*size] = '\0';
    return text;
}

static void same_text(const char *what, csspgo_profile *p, const char *want)
{
    size_t size;
    char *text = text_of(p, &size);
    t_same(what, text, size, want, strlen(want));
    free(text);
}

static void counters_of(csspgo_collector *c, const csspgo_unsymbolized_options *how, const char *text)
{
    csspgo_error e;
    if (csspgo_read_unsymbolized(c, how, text, strlen(text), &e) != CSSPGO_OK) T_MSG(0, e.message);
}

/* ----- what llvm-profgen 19 made of recorded counters ----- */

typedef struct golden {
    const char *program, *counters, *profile;
    csspgo_collector_options collect;
    csspgo_generate_options  make;
} golden;

static golden golden_of(const char *program, const char *counters, const char *profile)
{
    golden g;
    memset(&g, 0, sizeof g);
    g.program = program;
    g.counters = counters;
    g.profile = profile;
    g.make.sampled_functions = 1;
    g.make.no_inference = strcmp(profile, "noinfer") == 0;
    g.make.fill_all_functions = strcmp(profile, "nocs-fill") == 0;
    g.collect.limit_recursion = strcmp(profile, "nocompress") == 0;
    g.collect.limit_depth = strcmp(profile, "depth2") == 0;
    g.collect.max_depth = 2;
    return g;
}

static void check_golden(const golden *g)
{
    char table[128], counters[128], want_path[128], *in, *want, *got;
    csspgo_unsymbolized_options how;
    csspgo_collector *c;
    csspgo_profile *p = new_profile(NULL);
    csspgo_error e;
    t_table t;
    size_t size, want_size, got_size;
    snprintf(table, sizeof table, "data/generate/tables/%s.probe.tsv", g->program);
    snprintf(counters, sizeof counters, "data/generate/%s.unsym", g->counters);
    snprintf(want_path, sizeof want_path, "data/generate/out/%s%s%s.txt", g->program, g->profile[0] != '\0' ? "." : "", g->profile);
    if (strcmp(g->profile, "not-entry") == 0) snprintf(want_path, sizeof want_path, "data/generate/out/not-entry.txt");
    in = t_file(counters, &size);
    want = t_file(want_path, &want_size);
    T_EQ(t_table_load(&t, table, NULL), CSSPGO_OK);
    c = csspgo_collector_new(t.code, &g->collect, NULL);
    how.module = t.module;
    how.base = t.base;
    counters_of(c, &how, in);
    T_EQ(csspgo_collector_profile(c, p, &g->make, &e), CSSPGO_OK);
    got = text_of(p, &got_size);
    t_same(want_path, got, got_size, want, want_size);
    T_EQ(csspgo_profile_flags(p), strncmp(g->counters + strlen(g->counters) - 2, "cs", 2) == 0 || strstr(g->counters, ".cs.") != NULL
                                      ? (strstr(g->counters, "nocs") != NULL ? CSSPGO_IS_PROBE : CSSPGO_IS_PROBE | CSSPGO_IS_CS)
                                      : CSSPGO_IS_PROBE);
    csspgo_profile_free(p);
    csspgo_collector_free(c);
    t_table_free(&t);
    free(got);
    free(want);
    free(in);
}

static void recorded_outputs_are_llvm_s(void)
{
    static const char *const program[] = { "tiny", "demo", "tail", "mix" };
    static const char *const profile[] = { "flat-all", "noinfer", "nocompress", "depth2", "nocs", "nocs-fill" };
    size_t i, k;
    golden g;
    for (i = 0; i < 4; i++)
        for (k = 0; k < 6; k++) {
            char counters[64];
            if (i == 3 && (k == 1 || k == 2)) continue;               /* not recorded for mix */
            snprintf(counters, sizeof counters, "out/%s.%s", program[i],
                     k == 2 ? "cs.nocompress" : k == 3 ? "cs.depth2" : k >= 4 ? "nocs" : "cs");
            g = golden_of(program[i], counters, profile[k]);
            check_golden(&g);
        }
    g = golden_of("tiny", "not-entry", "not-entry");
    check_golden(&g);
}

int main(void)
{
    recorded_outputs_are_llvm_s();
    return t_end();
}
