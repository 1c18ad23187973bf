/* test_unwind.c - the unwind layer: samples become counters per calling context; unsymbolized text. */
#ifndef _POSIX_C_SOURCE
#  define _POSIX_C_SOURCE 200809L   /* mkdtemp, for the comparison with llvm-profgen */
#endif
#include "t.h"
#include "table.h"

#include <unistd.h>

static unsigned long long rng_state = 1;

static unsigned rnd(unsigned n)
{
    rng_state = rng_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(rng_state >> 33) % n;
}

static csspgo_collector_options no_options(void)
{
    csspgo_collector_options how;
    memset(&how, 0, sizeof how);
    return how;
}

/* Reads a script into a collector, in pieces of at most chunk bytes. */
static csspgo_status read_script(csspgo_collector *c, csspgo_code *code, const char *text, size_t size, size_t chunk)
{
    csspgo_script *s = csspgo_script_new(NULL);
    csspgo_status status = CSSPGO_OK;
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_error err;
    csspgo_item item;
    size_t at = 0;
    int last = 0;
    if (s == NULL) return CSSPGO_E_NOMEM;
    csspgo_script_set_code(s, code);
    err.status = CSSPGO_OK;
    while (status == CSSPGO_OK && err.status == CSSPGO_OK) {
        const size_t n = size - at < chunk ? size - at : chunk;
        if (n != 0) csspgo_script_feed(s, text + at, n);
        else csspgo_script_end(s);
        last = n == 0;
        at += n;
        while (status == CSSPGO_OK && (item = csspgo_script_next(s, &sample, &map, &err)) != CSSPGO_ITEM_NONE) {
            if (item == CSSPGO_ITEM_MMAP) csspgo_code_mmap(code, &map);
            else status = csspgo_collector_add(c, &sample, 1);
        }
        if (last) break;
    }
    if (status == CSSPGO_OK) status = err.status;
    csspgo_script_free(s);
    return status;
}

/* The counters as unsymbolized text, for free(). */
static char *text_of(csspgo_collector *c, const csspgo_unsymbolized_options *how, size_t *size)
{
    csspgo_error err;
    char *text;
    size_t again;
    *size = 0;
    if (!T_EQ(csspgo_write_unsymbolized(c, how, NULL, 0, size, &err), CSSPGO_OK)) return NULL;
    text = (char *)t_copy("", 0);
    free(text);
    text = (char *)malloc(*size != 0 ? *size : 1);
    if (text == NULL) abort();
    T_EQ(csspgo_write_unsymbolized(c, how, text, *size, &again, &err), CSSPGO_OK);
    T_EQ(again, *size);
    return text;
}

static char *file_of(const char *dir, const char *name, const char *suffix, size_t *size)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s%s", dir, name, suffix);
    return t_file(path, size);
}

static int load(t_table *t, const char *dir, const char *binary)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s.tsv", dir, binary);
    return T_EQ(t_table_load(t, path, NULL), CSSPGO_OK);
}

/* A script through a fresh collector must give the text; returns the statistics. */
static csspgo_collector_stats expect_text(const char *what, t_table *t, const csspgo_collector_options *how,
                                          const char *script, size_t size, const char *want, size_t want_size)
{
    csspgo_collector *c = csspgo_collector_new(t->code, how, NULL);
    csspgo_collector_stats stats;
    size_t n;
    char *got;
    csspgo_code_map(t->code, t->module, 0);           /* scripts without mapping events expect no other */
    T_EQ(read_script(c, t->code, script, size, 100000), CSSPGO_OK);
    got = text_of(c, NULL, &n);
    if (got != NULL) t_same(what, got, n, want, want_size);
    free(got);
    stats = csspgo_collector_get_stats(c);
    csspgo_collector_free(c);
    return stats;
}

/* ----- recorded vectors ---------------------------------------------------------------------------------------------- */

/* N of "warning: P%(N/T) TEXT", *total gets T; 0 and 0 without such a line. */
static unsigned long warned(const char *log, const char *text, unsigned long *total)
{
    const char *line = log, *end, *open;
    unsigned long n = 0;
    for (*total = 0; *line != '\0'; line = *end != '\0' ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        open = strstr(line, "%(");
        if (open == NULL || open > end || strstr(open, text) == NULL || strstr(open, text) > end) continue;
        n = strtoul(open + 2, NULL, 10);
        *total = strtoul(strchr(open, '/') + 1, NULL, 10);
    }
    return n;
}

/* What llvm-profgen says of the branches it was fed must be what we counted. */
static void expect_warnings(const char *what, const char *log, csspgo_collector_stats s)
{
    unsigned long n[5], total[5], truncated, contexts;
    size_t i;
    n[0] = warned(log, "of branches containing paired external", &total[0]);
    n[1] = warned(log, "of branches containing external address", &total[1]);
    n[2] = warned(log, "likely due to unwinding error of external frame", &total[2]);
    n[3] = warned(log, "likely due to frame in prolog/epilog", &total[3]);
    n[4] = 0;
    truncated = warned(log, "of profiled contexts are truncated", &contexts);
    T_MSG(n[0] == 2 * s.paired_external, what);
    T_MSG(n[1] == s.unpaired_external, what);
    T_MSG(n[2] == s.mismatched_external, what);
    T_MSG(n[3] == s.mismatched_leaf, what);
    T_MSG(truncated == (s.truncated_contexts != 0), what);
    for (i = 0; i < 4; i++) T_MSG(n[i] == 0 || total[i] == s.branches, what);
}

static void one_case(const char *name, const char *binary, const char *option)
{
    csspgo_collector_options how = no_options();
    csspgo_collector_stats stats;
    t_table t;
    size_t script_size, want_size, log_size;
    char *script = file_of("data/unwind/cases", name, ".ps", &script_size);
    char *want = file_of("data/unwind/cases", name, strncmp(name, "15-", 3) == 0 ? ".u6x.raw" : ".raw", &want_size);
    char *log = file_of("data/unwind/cases", name, ".err", &log_size);
    if (strncmp(option, "--csprof-max-context-depth=", 27) == 0) {
        how.limit_depth = 1;
        how.max_depth = (uint32_t)strtoul(option + 27, NULL, 10);
    } else if (strncmp(option, "--compress-recursion=", 21) == 0) {
        how.limit_recursion = 1;
        how.max_recursion = (uint32_t)strtoul(option + 21, NULL, 10);
    } else if (strcmp(option, "--ignore-stack-samples") == 0) {
        how.ignore_stack = 1;
    } else {
        T_MSG(strcmp(option, "-") == 0, option);
    }
    if (load(&t, "data/unwind/tables", binary) && script != NULL && want != NULL && log != NULL) {
        stats = expect_text(name, &t, &how, script, script_size, want, want_size);
        T_MSG(stats.zero_returns == (strncmp(name, "15-", 3) == 0), name);
        if (strncmp(name, "15-", 3) != 0 && strncmp(name, "18", 2) != 0 && !how.ignore_stack)
            expect_warnings(name, log, stats);
        T_MSG((stats.external_leaves != 0) == (strstr(log, "leaf external frame") != NULL), name);
        T_MSG((stats.bad_return_addresses != 0) == (strstr(log, "invalid return address") != NULL), name);
        T_MSG((stats.prologue_leaves != 0) == (strncmp(name, "11", 2) == 0 || strncmp(name, "12", 2) == 0
                                               || strncmp(name, "30", 2) == 0), name);
    }
    t_table_free(&t);
    free(script);
    free(want);
    free(log);
}

static void every_case_gives_the_bytes_of_llvm_profgen(void)
{
    size_t size, cases = 0;
    char *list = t_file("data/unwind/cases/LIST", &size), *at = list, *line;
    while (at != NULL && *at != '\0') {
        char *name, *binary, *option;
        line = t_piece(&at, "\n");
        name = t_piece(&line, "\t");
        binary = t_piece(&line, "\t");
        option = t_piece(&line, "\t");
        if (option == NULL || strstr(binary, "line") != NULL) continue;
        if (strcmp(name, "17-one-entry") == 0 || strcmp(name, "31-no-lbr-line") == 0) continue;
        one_case(name, binary, option);
        cases++;
    }
    T_EQ(cases, 33);
    free(list);
}

static void a_script_with_one_record_per_sample_is_taken(void)
{
    t_table t;
    size_t size;
    char *script = t_file("data/unwind/cases/17-one-entry.ps", &size);
    if (load(&t, "data/unwind/tables", "demo.probe")) {
        csspgo_collector *c = csspgo_collector_new(t.code, NULL, NULL);
        csspgo_collector_stats s;
        T_EQ(read_script(c, t.code, script, size, 7), CSSPGO_OK);
        T_EQ(csspgo_collector_flush(c), CSSPGO_OK);
        s = csspgo_collector_get_stats(c);
        T_EQ(s.unwound, 1);
        T_EQ(s.branches, 1);
        csspgo_collector_free(c);
    }
    t_table_free(&t);
    free(script);
}

static void a_script_that_ends_inside_a_sample_is_an_error(void)
{
    t_table t;
    size_t size;
    char *script = t_file("data/unwind/cases/31-no-lbr-line.ps", &size);
    if (load(&t, "data/unwind/tables", "demo.probe")) {
        csspgo_collector *c = csspgo_collector_new(t.code, NULL, NULL);
        T_EQ(read_script(c, t.code, script, size, 1000), CSSPGO_E_TRUNCATED);
        csspgo_collector_free(c);
    }
    t_table_free(&t);
    free(script);
}

static void whole_traces_give_the_bytes_of_llvm_profgen(void)
{
    static const char *const names[] = { "demo.probe", "ext.probe" };
    size_t i, size, want_size;
    for (i = 0; i < 2; i++) {
        csspgo_collector_options how = no_options();
        t_table t;
        char *script = file_of("data/unwind/traces", names[i], ".ps", &size), *want;
        if (load(&t, "data/unwind/tables", names[i])) {
            want = file_of("data/unwind/traces", names[i], ".raw", &want_size);
            expect_text(names[i], &t, &how, script, size, want, want_size);
            free(want);
            want = file_of("data/unwind/traces", names[i], ".flat.raw", &want_size);
            how.ignore_stack = 1;
            expect_text(names[i], &t, &how, script, size, want, want_size);
            free(want);
        }
        t_table_free(&t);
        free(script);
    }
}

static void the_programs_of_the_generator_give_the_bytes_of_llvm_profgen(void)
{
    static const char *const names[] = { "tiny", "demo", "tail", "mix" };
    static const char *const kinds[] = { ".cs.unsym", ".cs.nocompress.unsym", ".cs.depth2.unsym", ".nocs.unsym" };
    size_t i, k, size, want_size;
    for (i = 0; i < 4; i++) {
        char binary[32];
        t_table t;
        char *script = file_of("data/generate", names[i], ".perfscript", &size), *want;
        snprintf(binary, sizeof binary, "%s.probe", names[i]);
        if (load(&t, "data/generate/tables", binary)) {
            for (k = 0; k < 4; k++) {
                csspgo_collector_options how = no_options();
                how.limit_recursion = k == 1;         /* at most 0 frames */
                how.limit_depth = k == 2;
                how.max_depth = 2;
                how.ignore_stack = k == 3;
                want = file_of("data/generate/out", names[i], kinds[k], &want_size);
                expect_text(want != NULL ? names[i] : "", &t, &how, script, size, want, want_size);
                free(want);
            }
        }
        t_table_free(&t);
        free(script);
    }
}

int main(void)
{
    every_case_gives_the_bytes_of_llvm_profgen();
    a_script_with_one_record_per_sample_is_taken();
    a_script_that_ends_inside_a_sample_is_an_error();
    whole_traces_give_the_bytes_of_llvm_profgen();
    the_programs_of_the_generator_give_the_bytes_of_llvm_profgen();
    return t_end();
}
