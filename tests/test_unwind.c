/* test_unwind.c - the unwind layer: samples become counters per calling context; unsymbolized text. */
#ifndef _POSIX_C_SOURCE
#  define _POSIX_C_SOURCE 200809L   /* mkdtemp, for the comparison with llvm-profgen */
#endif
#include "t.h"
#include "table.h"
#include "hands.h"

#include <unistd.h>

static unsigned long long rng_state = 1;

static unsigned rnd(unsigned n)
{
    rng_state = rng_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(rng_state >> 33) % n;
}

/* Reads a script into a collector, in pieces of at most chunk bytes. */
static csspgo_status read_script(csspgo_collector *c, csspgo_code *code, const char *text, size_t size, size_t chunk)
{
    csspgo_script *s = t_llvm_script(code, NULL);
    csspgo_status status = CSSPGO_OK;
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_error err;
    csspgo_item item;
    size_t at = 0;
    int last = 0;
    if (s == NULL) return CSSPGO_E_NOMEM;
    err.status = CSSPGO_OK;
    while (status == CSSPGO_OK && err.status == CSSPGO_OK) {
        const size_t n = size - at < chunk ? size - at : chunk;
        if (n != 0) csspgo_script_feed(s, text + at, n, NULL);
        else csspgo_script_end(s);
        last = n == 0;
        at += n;
        while (status == CSSPGO_OK && (item = csspgo_script_next(s, &sample, &map, &err)) != CSSPGO_ITEM_NONE) {
            if (item == CSSPGO_ITEM_MMAP) csspgo_code_mmap(code, &map, NULL, NULL);
            else status = csspgo_collector_add(c, &sample, 1, NULL);
        }
        if (last) break;
    }
    if (status == CSSPGO_OK) status = err.status;
    csspgo_script_free(s);
    return status;
}

/* A script through a fresh collector must give the text; returns the statistics. */
static csspgo_collector_stats expect_text(const char *what, t_table *t, const csspgo_collector_options *how,
                                          const char *script, size_t size, const char *want, size_t want_size)
{
    csspgo_collector *c = how != NULL ? csspgo_collector_new(t->code, how, NULL, NULL) : llvm_collector(t->code, NULL);
    csspgo_collector_stats stats;
    size_t n;
    char *got;
    csspgo_code_set_bias(t->code, t->module, 0, NULL);      /* scripts without mapping events expect no other */
    T_EQ(read_script(c, t->code, script, size, 100000), CSSPGO_OK);
    got = text_of(c, NULL, &n);
    if (got != NULL) t_same(what, got, n, want, want_size);
    free(got);
    stats = csspgo_collector_get_stats(c);
    csspgo_collector_free(c);
    return stats;
}

/* ----- recorded vectors ------------------------------------------------------------------------------------------- */

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
        csspgo_collector *c = llvm_collector(t.code, NULL);
        csspgo_collector_stats s;
        T_EQ(read_script(c, t.code, script, size, 7), CSSPGO_OK);
        T_EQ(csspgo_collector_flush(c, NULL), CSSPGO_OK);
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
        csspgo_collector *c = llvm_collector(t.code, NULL);
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

/* The sample of case 01: leaf <- mid <- work <- main. */
static void hand_calls(hand *h)
{
    hand_begin(h);
    hand_frame(h, 0x401159);
    hand_frame(h, 0x40118e);
    hand_frame(h, 0x40123d);
    hand_frame(h, 0x40128f);
    hand_branch(h, 0x401171, 0x401159);
    hand_branch(h, 0x40116c, 0x401150);
    hand_branch(h, 0x401144, 0x401165);
    hand_branch(h, 0x401189, 0x401130);
    hand_branch(h, 0x401238, 0x401180);
    hand_branch(h, 0x401217, 0x401235);
}

static const char calls_text[] =
    "[0x28a]\n  1\n  235-238:1\n  2\n  217->235:1\n  238->180:1\n"
    "[0x28a @ 0x238]\n  1\n  180-189:1\n  1\n  189->130:1\n"
    "[0x28a @ 0x238 @ 0x189]\n  3\n  130-144:1\n  150-171:1\n  165-16c:1\n"
    "  3\n  144->165:1\n  16c->150:1\n  171->159:1\n";

static void a_sample_from_memory_gives_the_counters_of_the_specification(void)
{
    t_table t;
    hand h;
    if (load(&t, "data/unwind/tables", "demo.probe")) {
        csspgo_collector *c = llvm_collector(t.code, NULL);
        hand_calls(&h);
        T_EQ(csspgo_collector_has_contexts(c), 0);
        T_EQ(add_hand(c, &h), CSSPGO_OK);
        T_EQ(csspgo_collector_has_contexts(c), 1);
        expect_of("calls", c, calls_text);
        T_CHECK(csspgo_collector_memory(c) > 8u << 20);
        csspgo_collector_free(c);
    }
    t_table_free(&t);
    csspgo_collector_free(NULL);
}

/* Code runs through from `to` to the sampled instruction; interrupts come in between, by pairs of records or by one. */
static void interrupts_of_one_stretch_change_nothing(void)
{
    enum { FROM = 0x1040, TO = 0x1000, LEAF = 0x1038, MOST = 5 };
    static const uint64_t outside = UINT64_C(0x7f0000000000);
    /* where each interrupt came back to, the newest first */
    static const uint64_t at[][MOST] = { { 0 }, { 0x1010 }, { 0x1030, 0x1010 }, { 0x1010, 0x1010 },
                                         { 0x1034, 0x1030, 0x1010, 0x1004 } };
    csspgo_transfer jump;
    size_t i, k, want_size = 0, size;
    char *want = NULL, *got;
    memset(&jump, 0, sizeof jump);
    jump.address = FROM;
    jump.target = TO;
    jump.size = 2;
    jump.kind = CSSPGO_JMP;
    for (i = 0; i < sizeof at / sizeof *at; i++) {
        csspgo_code *code = csspgo_code_new(NULL, NULL);
        csspgo_collector *c = csspgo_collector_new(code, NULL, NULL, NULL);
        csspgo_branch b[MOST + 2];
        const uint64_t stack[1] = { LEAF };
        csspgo_sample s;
        T_EQ(csspgo_code_add_area(code, csspgo_no_module(), 0x1000, 0x100, NULL), CSSPGO_OK);
        T_EQ(csspgo_code_add_transfers(code, csspgo_no_module(), &jump, 1, NULL), CSSPGO_OK);
        memset(b, 0, sizeof b);
        memset(&s, 0, sizeof s);
        for (k = 0; at[i][k] != 0; k++) {
            b[k].from = outside;
            b[k].to = at[i][k];
        }
        s.branch_count = (uint32_t)k + 2;
        for (; k < s.branch_count; k++) {
            b[k].from = FROM;
            b[k].to = TO;
        }
        s.branches = b;
        s.stack = stack;
        s.stack_count = 1;
        s.count = 3;
        T_EQ(csspgo_collector_add(c, &s, 1, NULL), CSSPGO_OK);
        csspgo_write_unsymbolized(c, NULL, NULL, 0, &size, NULL);
        got = (char *)calloc(size + 1, 1);
        T_EQ(csspgo_write_unsymbolized(c, NULL, got, size, &size, NULL), CSSPGO_OK);
        if (want == NULL) want = got, want_size = size;
        T_MSG(size == want_size && memcmp(got, want, size) == 0, got);
        T_EQ(csspgo_collector_get_stats(c).elided_interrupts, 3 * (s.branch_count - 2u));
        if (got != want) free(got);
        csspgo_collector_free(c);
        csspgo_code_free(code);
    }
    free(want);
}

/*
 * Unknown code enters known code whose first instruction leaves it again: from the same place to the same place, as if
 * an interrupt had come. Each time counts. From the kernel's half of the addresses it is one, and does not count.
 */
static void code_of_one_instruction_is_no_interrupt(void)
{
    enum { FUNCTION, RETURN, ENTRY, KINDS, TURNS = 20, AT = 0x1005, WINDOW = 4 };
    static const csspgo_transfer_kind left_by[] = { CSSPGO_RET, CSSPGO_IJMP, CSSPGO_CALL, CSSPGO_JMP };
    const uint64_t user = UINT64_C(0x7f0000000000), kernel = UINT64_C(0xffffffff81000000);
    size_t kind, by, in_kernel, i, k;
    for (kind = 0; kind < KINDS; kind++)
        for (by = 0; by < sizeof left_by / sizeof *left_by; by++)
            for (in_kernel = 0; in_kernel < 2; in_kernel++) {
                csspgo_code *code = csspgo_code_new(NULL, NULL);
                csspgo_collector *c = csspgo_collector_new(code, NULL, NULL, NULL);
                csspgo_profile *p = csspgo_profile_new(NULL, NULL);
                const uint64_t outside = in_kernel ? kernel : user, begin = kind == FUNCTION ? AT : AT - 5;
                const csspgo_code_function f = { begin, AT + 2, 0, 0, "one", 3, 0, 0 };
                const csspgo_transfer t[2] = { { AT, 0, 2, left_by[by] }, { AT - 5, 0, 5, CSSPGO_CALL } };
                const csspgo_inline_node body = { csspgo_guid("one", 3), 0, 0 };
                const csspgo_probe probe = { AT, 1, 0, 1, CSSPGO_PROBE_BLOCK, 0, 0 };
                const csspgo_code_unit unit = { &f, t, &body, &probe, 1, 1u + (kind == RETURN), 1, 1 };
                const uint64_t entry = AT;
                T_EQ(csspgo_code_add_unit(code, csspgo_no_module(), &unit, NULL), CSSPGO_OK);
                if (kind == ENTRY)
                    T_EQ(csspgo_code_add_entries(code, csspgo_no_module(), &entry, 1, NULL), CSSPGO_OK);
                for (i = 0; i < TURNS; i += WINDOW - 1) {       /* windows that share a record */
                    csspgo_branch b[WINDOW];
                    csspgo_sample s;
                    uint64_t leaf;
                    memset(b, 0, sizeof b);
                    memset(&s, 0, sizeof s);
                    for (k = 0; k < WINDOW; k++) {
                        const size_t n = i + WINDOW - 1 - k;
                        b[k].from = n % 2 == 0 ? outside : (uint64_t)AT;
                        b[k].to = n % 2 == 0 ? (uint64_t)AT : outside;
                    }
                    leaf = b[0].to;
                    s.stack = &leaf;
                    s.stack_count = 1;
                    s.branches = b;
                    s.branch_count = WINDOW;
                    T_EQ(csspgo_collector_add(c, &s, 1, NULL), CSSPGO_OK);
                }
                T_EQ(csspgo_collector_profile(c, NULL, p, NULL, NULL), CSSPGO_OK);
                if (!in_kernel) {
                    T_EQ(csspgo_body_count(p, csspgo_find(p, "one"), csspgo_loc_at(1, 0)), (i + 1) / 2);
                    T_EQ(csspgo_collector_get_stats(c).elided_interrupts, 0);
                } else T_CHECK(csspgo_body_count(p, csspgo_find(p, "one"), csspgo_loc_at(1, 0)) < i / 4);
                csspgo_profile_free(p);
                csspgo_collector_free(c);
                csspgo_code_free(code);
            }
}

static void a_collector_without_samples_writes_nothing(void)
{
    t_table t;
    if (load(&t, "data/unwind/tables", "demo.probe")) {
        csspgo_collector *c = llvm_collector(t.code, NULL);
        size_t size = 1;
        T_EQ(csspgo_write_unsymbolized(c, NULL, NULL, 0, &size, NULL), CSSPGO_OK);
        T_EQ(size, 0);
        csspgo_collector_free(c);
    }
    t_table_free(&t);
}

static void a_kept_sample_without_ranges_gives_the_lists_of_llvm_profgen(void)
{
    csspgo_collector_options how = no_options();
    t_table t;
    hand h;
    if (load(&t, "data/unwind/tables", "demo.probe")) {
        csspgo_collector *c = llvm_collector(t.code, NULL);
        hand_begin(&h);                               /* only a branch to the outside: a context without counters */
        hand_frame(&h, 0x401159);
        hand_branch(&h, 0x401176, 0x7f0000000000);
        T_EQ(add_hand(c, &h), CSSPGO_OK);
        expect_of("no counters, contexts", c, "");
        csspgo_collector_free(c);
        how.ignore_stack = 1;
        c = csspgo_collector_new(t.code, &how, NULL, NULL);
        T_EQ(add_hand(c, &h), CSSPGO_OK);
        expect_of("no counters, flat", c, "0\n0\n");
        csspgo_collector_free(c);
    }
    t_table_free(&t);
}

/* Samples of a script of branch records alone: no contexts. One stack among them, wherever, makes contexts. */
static void a_sample_without_a_stack_counts_without_a_context(void)
{
    static const char flat[] = "5\n130-144:12\n150-171:12\n165-16c:12\n180-189:12\n235-238:12\n"
                               "6\n144->165:12\n16c->150:12\n171->159:12\n189->130:12\n217->235:12\n238->180:12\n";
    t_table t;
    hand h[2];
    char *alone, *got;
    size_t size, alone_size, i;
    int llvm, first;
    if (load(&t, "data/unwind/tables", "demo.probe")) {
        hand_calls(&h[0]);
        h[0].sample.count = 5;
        hand_calls(&h[1]);
        h[1].sample.stack_count = 0;
        h[1].sample.count = 7;
        for (llvm = 0; llvm < 2; llvm++) {
            csspgo_collector_options how = no_options();
            csspgo_collector *c;
            how.llvm = llvm ? 19u : 0u;
            c = csspgo_collector_new(t.code, &how, NULL, NULL);
            T_EQ(add_hand(c, &h[0]), CSSPGO_OK);
            alone = text_of(c, NULL, &alone_size);
            csspgo_collector_free(c);
            for (first = 0; first < 2; first++) {
                c = csspgo_collector_new(t.code, &how, NULL, NULL);
                for (i = 0; i < 2; i++) {
                    T_EQ(add_hand(c, &h[i ^ (size_t)first]), CSSPGO_OK);
                    T_EQ(csspgo_collector_has_contexts(c), i == 1 || !first);
                }
                T_EQ(csspgo_collector_get_stats(c).samples, 12);
                T_EQ(csspgo_collector_get_stats(c).no_stack, 7);
                got = text_of(c, NULL, &size);
                T_EQ(csspgo_collector_get_stats(c).unwound, 2);
                if (llvm) t_same("LLVM drops it", got, size, alone, alone_size);
                else T_CHECK(strncmp(got, "[]\n", 3) == 0 && strstr(got, "\n[") != NULL);
                free(got);
                csspgo_collector_free(c);
            }
            free(alone);
            how.ignore_stack = 1;
            c = csspgo_collector_new(t.code, &how, NULL, NULL);
            T_EQ(add_hand(c, &h[0]), CSSPGO_OK);
            T_EQ(add_hand(c, &h[1]), CSSPGO_OK);
            T_EQ(csspgo_collector_has_contexts(c), 0);
            T_EQ(csspgo_collector_get_stats(c).no_stack, 0);
            T_EQ(csspgo_collector_get_stats(c).samples, 12);
            if (llvm) expect_of("flat", c, flat);
            csspgo_collector_free(c);
        }
    }
    t_table_free(&t);
}

static void contexts_can_be_had_without_any_stack(void)
{
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_collector_options how;
    csspgo_collector *c;
    csspgo_error e;
    memset(&how, 0, sizeof how);
    how.always_contexts = 1;
    c = csspgo_collector_new(code, &how, NULL, &e);
    T_CHECK(c != NULL && csspgo_collector_has_contexts(c));
    csspgo_collector_free(c);
    how.ignore_stack = 1;
    T_CHECK(csspgo_collector_new(code, &how, NULL, &e) == NULL);
    T_EQ(e.status, CSSPGO_E_ARGUMENT);
    how.ignore_stack = 0;
    how.single_branches = 1;
    T_CHECK(csspgo_collector_new(code, &how, NULL, NULL) == NULL);
    csspgo_code_free(code);
}

static void dropped_samples_are_counted_by_reason(void)
{
    t_table t;
    hand h;
    csspgo_collector_stats s;
    if (load(&t, "data/unwind/tables", "demo.probe")) {
        csspgo_collector *c = llvm_collector(t.code, NULL);
        hand_calls(&h);
        h.stack[0] = 0x401130;                        /* leaf's first instruction */
        h.sample.count = 3;
        T_EQ(add_hand(c, &h), CSSPGO_OK);
        hand_begin(&h);
        hand_frame(&h, 0x401159);
        hand_branch(&h, 0x7f0000000000, 0x7f0000000010);
        h.sample.count = 4;
        T_EQ(add_hand(c, &h), CSSPGO_OK);
        hand_calls(&h);
        h.stack[2] = 0x401200;                        /* not behind a call */
        h.sample.count = 5;
        T_EQ(add_hand(c, &h), CSSPGO_OK);
        hand_calls(&h);
        h.stack[0] = 0x7f0000000000;
        h.sample.count = 6;
        T_EQ(add_hand(c, &h), CSSPGO_OK);
        T_EQ(csspgo_collector_flush(c, NULL), CSSPGO_OK);
        s = csspgo_collector_get_stats(c);
        T_EQ(s.samples, 18);
        T_EQ(s.prologue_leaves, 3);
        T_EQ(s.no_branches, 4);
        T_EQ(s.bad_return_addresses, 5);
        T_EQ(s.external_leaves, 6);
        T_EQ(s.unwound, 2);
        T_EQ(s.branches, 12);
        csspgo_collector_free(c);
    }
    t_table_free(&t);
}

static void keep_leaves_keeps_samples_in_prologues(void)
{
    csspgo_collector_options how = no_options();
    t_table t;
    hand h;
    if (load(&t, "data/unwind/tables", "demo.probe")) {
        csspgo_collector *c;
        how.keep_leaves = 1;
        c = csspgo_collector_new(t.code, &how, NULL, NULL);
        hand_calls(&h);
        h.stack[0] = 0x401130;
        T_EQ(add_hand(c, &h), CSSPGO_OK);
        expect_of("prologue kept", c, calls_text);
        csspgo_collector_free(c);
    }
    t_table_free(&t);
}

static void counts_saturate(void)
{
    t_table t;
    hand h;
    if (load(&t, "data/unwind/tables", "demo.probe")) {
        csspgo_collector *c = llvm_collector(t.code, NULL);
        csspgo_collector_stats s;
        hand_begin(&h);
        hand_frame(&h, 0x401159);
        hand_branch(&h, 0x401171, 0x401159);
        h.sample.count = UINT64_MAX - 1;
        T_EQ(add_hand(c, &h), CSSPGO_OK);
        T_EQ(csspgo_collector_flush(c, NULL), CSSPGO_OK);
        h.sample.count = 3;
        T_EQ(add_hand(c, &h), CSSPGO_OK);             /* over the top in the counter, */
        T_EQ(csspgo_collector_flush(c, NULL), CSSPGO_OK);
        h.sample.count = UINT64_MAX;
        T_EQ(add_hand(c, &h), CSSPGO_OK);
        T_EQ(add_hand(c, &h), CSSPGO_OK);             /* and in the cache */
        expect_of("saturated", c, "[]\n  0\n  1\n  171->159:18446744073709551615\n");
        s = csspgo_collector_get_stats(c);
        T_CHECK(s.samples == UINT64_MAX);
        csspgo_collector_free(c);
    }
    t_table_free(&t);
}

static void a_count_of_zero_makes_an_entry(void)
{
    t_table t;
    hand h;
    if (load(&t, "data/unwind/tables", "demo.probe")) {
        csspgo_collector *c = llvm_collector(t.code, NULL);
        hand_begin(&h);
        hand_frame(&h, 0x401159);
        hand_branch(&h, 0x401171, 0x401159);
        h.sample.count = 0;
        T_EQ(add_hand(c, &h), CSSPGO_OK);
        expect_of("zero", c, "[]\n  0\n  1\n  171->159:0\n");
        csspgo_collector_free(c);
    }
    t_table_free(&t);
}

static void orders(t_table *t, const hand *list, size_t n, const char *want, size_t want_size)
{
    static const size_t steps[] = { 1, 7, 101, 211 };
    size_t i, size;
    for (i = 0; i < 4; i++) {
        csspgo_collector *c = llvm_collector(t->code, NULL);
        char *got;
        size_t step = steps[i];
        while (n % step == 0 && step != 1) step += 2;
        add_hands(c, list, n, i * 37, n % 7 == 0 && step == 7 ? 1 : step);
        got = text_of(c, NULL, &size);
        if (got != NULL) t_same("any order", got, size, want, want_size);
        free(got);
        csspgo_collector_free(c);
    }
}

static void the_order_of_samples_does_not_matter(void)
{
    with_program("mix", orders);
    with_program("tail", orders);
}

static void caches(t_table *t, const hand *list, size_t n, const char *want, size_t want_size)
{
    static const uint32_t bytes[] = { 1, 700, 4096, 65536 };
    size_t i, size;
    for (i = 0; i < 4; i++) {
        csspgo_collector_options how = no_options();
        csspgo_collector *c;
        char *got;
        how.cache_bytes = bytes[i];
        c = csspgo_collector_new(t->code, &how, NULL, NULL);
        add_hands(c, list, n, 0, 1);
        T_CHECK(csspgo_collector_memory(c) < 4u << 20);
        got = text_of(c, NULL, &size);
        if (got != NULL) t_same("small cache", got, size, want, want_size);
        free(got);
        csspgo_collector_free(c);
    }
}

static void a_small_cache_gives_the_same_result(void)
{
    with_program("mix", caches);
}

static void flushes(t_table *t, const hand *list, size_t n, const char *want, size_t want_size)
{
    csspgo_collector *c = llvm_collector(t->code, NULL);
    size_t i, size;
    char *got;
    for (i = 0; i < n; i++) {
        T_EQ(add_hand(c, &list[i]), CSSPGO_OK);
        if (i % 50 == 0) T_EQ(csspgo_write_unsymbolized(c, NULL, NULL, 0, &size, NULL), CSSPGO_OK);
    }
    got = text_of(c, NULL, &size);
    if (got != NULL) t_same("looked at in between", got, size, want, want_size);
    free(got);
    csspgo_collector_free(c);
}

static void looking_at_the_counters_changes_nothing(void)
{
    with_program("mix", flushes);
}

static void a_transfer_that_is_added_later_is_seen(void)
{
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_collector *c = llvm_collector(code, NULL);
    csspgo_transfer x;
    csspgo_module none;
    none.id = 0;
    memset(&x, 0, sizeof x);
    jit_emit(code, "f", 16);
    jit_sample(c, 1);
    T_EQ(csspgo_collector_flush(c, NULL), CSSPGO_OK);
    T_EQ(csspgo_collector_get_stats(c).invalid_ranges, 0);
    x.address = JIT + 2;
    x.size = 2;
    x.kind = CSSPGO_CALL;
    jit_sample(c, 1);                                 /* waits in the cache */
    T_EQ(csspgo_code_add_transfers(code, none, &x, 1, NULL), CSSPGO_OK);
    T_EQ(csspgo_collector_flush(c, NULL), CSSPGO_OK);
    T_EQ(csspgo_collector_get_stats(c).invalid_ranges, 1);
    csspgo_collector_free(c);
    csspgo_code_free(code);
}

static void what_another_module_holds_prints_as_unknown_code(void)
{
    t_table t;
    hand h;
    csspgo_unsymbolized_options how;
    size_t size;
    char *got;
    if (load(&t, "data/unwind/tables", "demo.probe")) {
        csspgo_collector *c = llvm_collector(t.code, NULL);
        jit_emit(t.code, "jitted", 16);
        hand_begin(&h);                               /* demo's leaf below mid, in between a trip to the JIT's code */
        hand_frame(&h, 0x401159);
        hand_frame(&h, 0x40118e);
        hand_branch(&h, 0x401171, 0x401159);
        hand_branch(&h, JIT + 4, 0x401159);
        hand_branch(&h, 0x401171, JIT);
        T_EQ(add_hand(c, &h), CSSPGO_OK);
        expect_of("demo's view", c, "[]\n  0\n  1\n  ffffffffffbff001->159:1\n"
                                    "[0x189]\n  1\n  159-171:1\n  1\n  171->159:1\n");
        memset(&how, 0, sizeof how);
        got = text_of(c, &how, &size);
        if (got != NULL) t_same("the JIT's view", got, size, "[]\n  1\n  10000-10004:1\n  1\n  1->10000:1\n", 40);
        free(got);
        how.module.id = 2;
        T_EQ(csspgo_write_unsymbolized(c, &how, NULL, 0, &size, NULL), CSSPGO_E_ARGUMENT);
        csspgo_collector_free(c);
    }
    t_table_free(&t);
}

/* ----- unsymbolized text ------------------------------------------------------------------------------------------ */

static void round_trip(t_table *t, const char *text, size_t size)
{
    csspgo_collector *c = llvm_collector(t->code, NULL);
    csspgo_error err;
    size_t n;
    char *got;
    T_EQ(csspgo_read_unsymbolized(c, text, size, NULL, &err), CSSPGO_OK);
    T_EQ(err.status, CSSPGO_OK);
    got = text_of(c, NULL, &n);
    if (got != NULL) t_same("read and written", got, n, text, size);
    T_EQ(csspgo_collector_get_stats(c).unplaced, 0);
    free(got);
    csspgo_collector_free(c);
}

static void what_was_written_can_be_read(void)
{
    static const char *const names[] = { "tiny", "demo", "tail", "mix" };
    static const char *const kinds[] = { ".cs.unsym", ".cs.nocompress.unsym", ".cs.depth2.unsym", ".nocs.unsym" };
    size_t i, k, size;
    t_table t;
    for (i = 0; i < 4; i++) {
        char binary[32];
        snprintf(binary, sizeof binary, "%s.probe", names[i]);
        if (load(&t, "data/generate/tables", binary))
            for (k = 0; k < 4; k++) {
                char *text = file_of("data/generate/out", names[i], kinds[k], &size);
                /* compression would shorten the contexts of the text without */
                if (text != NULL && k != 1) round_trip(&t, text, size);
                free(text);
            }
        t_table_free(&t);
    }
    for (i = 0; i < 2; i++) {                         /* contexts with names */
        char binary[32];
        snprintf(binary, sizeof binary, "%s.line", names[i]);
        if (load(&t, "data/generate/tables", binary)) {
            char *text = file_of("data/generate/out", binary, ".cs.unsym", &size);
            if (text != NULL) round_trip(&t, text, size);
            free(text);
        }
        t_table_free(&t);
    }
    for (i = 0; i < 4; i++) {
        static const char *const cases[] = { "07-interrupt-pair", "08-interrupt-half", "18b-lbr-only-bad",
                                             "28-depth1" };
        char *text = file_of("data/unwind/cases", cases[i], ".raw", &size);
        if (load(&t, "data/unwind/tables", "demo.probe") && text != NULL) round_trip(&t, text, size);
        t_table_free(&t);
        free(text);
    }
}

static void counters_by_hand_are_read_too(void)
{
    static const char *const names[] = { "disjoint", "not-entry", "split", "cs-line" };
    static const char *const binaries[] = { "tiny.line", "tiny.probe", "tiny.split", "tiny.line" };
    size_t i, size;
    t_table t;
    for (i = 0; i < 4; i++) {
        char *text = file_of("data/generate", names[i], ".unsym", &size);
        if (load(&t, "data/generate/tables", binaries[i]) && text != NULL) {
            csspgo_collector *c = llvm_collector(t.code, NULL);
            csspgo_error err;
            T_EQ(csspgo_read_unsymbolized(c, text, size, NULL, &err), CSSPGO_OK);
            T_EQ(csspgo_collector_get_stats(c).unplaced, i == 1);   /* a branch to 401100 */
            csspgo_collector_free(c);
        }
        t_table_free(&t);
        free(text);
    }
}

static void reading_twice_doubles_the_counts(void)
{
    t_table t;
    size_t i;
    if (load(&t, "data/unwind/tables", "demo.probe")) {
        csspgo_collector *c = llvm_collector(t.code, NULL);
        hand h;
        hand_calls(&h);
        T_EQ(add_hand(c, &h), CSSPGO_OK);             /* samples and text add up as well */
        for (i = 0; i < 2; i++)
            T_EQ(csspgo_read_unsymbolized(c, calls_text, sizeof calls_text - 1, NULL, NULL), CSSPGO_OK);
        expect_of("three times", c,
                  "[0x28a]\n  1\n  235-238:3\n  2\n  217->235:3\n  238->180:3\n"
                  "[0x28a @ 0x238]\n  1\n  180-189:3\n  1\n  189->130:3\n"
                  "[0x28a @ 0x238 @ 0x189]\n  3\n  130-144:3\n  150-171:3\n  165-16c:3\n"
                  "  3\n  144->165:3\n  16c->150:3\n  171->159:3\n");
        csspgo_collector_free(c);
    }
    t_table_free(&t);
}

typedef struct text_case {
    const char   *name, *text, *want;   /* want: what is written again; NULL: it is an error */
    csspgo_status status;
    unsigned      line, column;
    unsigned long offset;
} text_case;

static const text_case text_cases[] = {
    { "ok: empty", "", "", CSSPGO_OK, 0, 0, 0 },
    { "ok: blank lines only", "\n  \n\n", "", CSSPGO_OK, 0, 0, 0 },
    { "ok: nothing counted", "0\n0\n", "0\n0\n", CSSPGO_OK, 0, 0, 0 },
    { "ok: blank lines, no last LF", "\n1\n\n 159-171:2\n \n0\n\n", "1\n159-171:2\n0\n", CSSPGO_OK, 0, 0, 0 },
    { "ok: upper case", "0\n1\n16C->150:3", "0\n1\n16c->150:3\n", CSSPGO_OK, 0, 0, 0 },
    { "ok: blocks add up", "1\n159-171:2\n0\n1\n159-171:3\n1\n171->159:1\n", "1\n159-171:5\n1\n171->159:1\n",
      CSSPGO_OK, 0, 0, 0 },
    { "ok: entries add up", "2\n159-171:2\n159-171:18446744073709551615\n0\n", "1\n159-171:18446744073709551615\n0\n",
      CSSPGO_OK, 0, 0, 0 },
    { "ok: external source", "0\n1\nffffffffffbff001->130:7\n", "0\n1\nffffffffffbff001->130:7\n", CSSPGO_OK, 0, 0, 0 },
    { "ok: unknown source", "0\n1\n99999->130:7\n", "0\n1\nffffffffffbff001->130:7\n", CSSPGO_OK, 0, 0, 0 },
    { "ok: unknown target, unknown range", "1\n99990-99999:1\n1\n130->99999:7\n", "0\n0\n", CSSPGO_OK, 0, 0, 0 },
    { "ok: not on instructions", "1\n15a-172:2\n0\n", "1\n15a-172:2\n0\n", CSSPGO_OK, 0, 0, 0 },
    { "ok: empty context", "[]\n0\n1\n171->159:1\n", "[]\n  0\n  1\n  171->159:1\n", CSSPGO_OK, 0, 0, 0 },
    { "ok: context without counters", "[0x28a]\n0\n0\n", "", CSSPGO_OK, 0, 0, 0 },
    { "ok: frames of unknown code", "[0x28a @ 0x99999 @ 0x238]\n0\n1\n171->159:1\n",
      "[0x238]\n  0\n  1\n  171->159:1\n", CSSPGO_OK, 0, 0, 0 },
    { "ok: recursion", "[0x28a @ 0x28a]\n0\n1\n171->159:1\n[0x28a]\n0\n1\n171->159:1\n",
      "[0x28a]\n  0\n  1\n  171->159:2\n", CSSPGO_OK, 0, 0, 0 },
    { "bad: no number", "x\n", NULL, CSSPGO_E_SYNTAX, 1, 1, 0 },
    { "bad: no number of branches", "1\n159-171:2\n", NULL, CSSPGO_E_TRUNCATED, 3, 1, 12 },
    { "bad: list cut, no LF", "2\n159-171:2", NULL, CSSPGO_E_TRUNCATED, 2, 10, 11 },
    { "bad: list cut", "2\n159-171:2\n", NULL, CSSPGO_E_TRUNCATED, 3, 1, 12 },
    { "bad: text behind a number", "1 \n159-171:2\n0\n", NULL, CSSPGO_E_SYNTAX, 1, 2, 1 },
    { "bad: branch among ranges", "1\n159->171:2\n0\n", NULL, CSSPGO_E_SYNTAX, 2, 5, 6 },
    { "bad: range among branches", "0\n1\n159-171:2\n", NULL, CSSPGO_E_SYNTAX, 3, 4, 7 },
    { "bad: no colon", "1\n159-171 2\n0\n", NULL, CSSPGO_E_SYNTAX, 2, 8, 9 },
    { "bad: no count", "1\n159-171:\n0\n", NULL, CSSPGO_E_SYNTAX, 2, 9, 10 },
    { "bad: negative count", "1\n159-171:-2\n0\n", NULL, CSSPGO_E_SYNTAX, 2, 9, 10 },
    { "bad: text behind a count", "1\n159-171:2 \n0\n", NULL, CSSPGO_E_SYNTAX, 2, 10, 11 },
    { "bad: CR", "1\r\n", NULL, CSSPGO_E_SYNTAX, 1, 2, 1 },
    { "bad: 0x", "1\n0x159-0x171:2\n0\n", NULL, CSSPGO_E_SYNTAX, 2, 2, 3 },
    { "bad: reversed range", "1\n  171-159:2\n0\n", NULL, CSSPGO_E_RANGE, 2, 3, 4 },
    { "bad: large count", "1\n159-171:18446744073709551616\n0\n", NULL, CSSPGO_E_RANGE, 2, 9, 10 },
    { "bad: large address", "1\n11111111111111111-171:2\n0\n", NULL, CSSPGO_E_RANGE, 2, 1, 2 },
    { "bad: large number", "99999999999999999999\n", NULL, CSSPGO_E_RANGE, 1, 1, 0 },
    { "bad: huge list", "18446744073709551615\n159-171:2\n", NULL, CSSPGO_E_TRUNCATED, 3, 1, 31 },
    { "ok: names", "[main:2 @ work]\n1\n159-171:2\n0\n", "[main:2 @ work]\n  1\n  159-171:2\n  0\n",
      CSSPGO_OK, 0, 0, 0 },
    { "ok: no context among names", "[main]\n0\n1\n171->159:1\n[]\n0\n1\n171->159:2\n[]\n0\n1\n171->159:3\n",
      "[]\n  0\n  1\n  171->159:5\n[main]\n  0\n  1\n  171->159:1\n", CSSPGO_OK, 0, 0, 0 },
    { "ok: names in byte order",
      "[a:30 @ b]\n1\n159-159:1\n0\n[a:3.1 @ b]\n1\n159-159:2\n0\n[a:3 @ b]\n1\n159-159:3\n0\n"
      "[a.x]\n1\n159-159:4\n0\n[a]\n1\n159-159:5\n0\n[a:3 @ b.x]\n1\n159-159:6\n0\n[a:3 @ b:0 @ c]\n1\n159-159:7\n0\n",
      "[a]\n  1\n  159-159:5\n  0\n[a.x]\n  1\n  159-159:4\n  0\n[a:3 @ b]\n  1\n  159-159:3\n  0\n"
      "[a:3 @ b.x]\n  1\n  159-159:6\n  0\n[a:3 @ b:0 @ c]\n  1\n  159-159:7\n  0\n"
      "[a:3.1 @ b]\n  1\n  159-159:2\n  0\n[a:30 @ b]\n  1\n  159-159:1\n  0\n", CSSPGO_OK, 0, 0, 0 },
    { "ok: a location's zeros", "[a:03.0 @ b]\n1\n159-159:1\n0\n[a:3 @ b]\n1\n159-159:1\n0\n",
      "[a:3 @ b]\n  1\n  159-159:2\n  0\n", CSSPGO_OK, 0, 0, 0 },
    { "ok: recursion of names", "[a:3 @ a:3 @ a]\n1\n159-159:1\n0\n", "[a:3 @ a:3 @ a]\n  1\n  159-159:1\n  0\n",
      CSSPGO_OK, 0, 0, 0 },
    { "ok: names of odd bytes", "[a b:c]:3 @ ]x]\n1\n159-159:1\n0\n", "[a b:c]:3 @ ]x]\n  1\n  159-159:1\n  0\n",
      CSSPGO_OK, 0, 0, 0 },
    { "bad: names not closed", "[main:2 @ work\n0\n0\n", NULL, CSSPGO_E_SYNTAX, 1, 15, 14 },
    { "bad: text behind names", "[main:2 @ work] \n0\n0\n", NULL, CSSPGO_E_SYNTAX, 1, 17, 16 },
    { "bad: a call without location", "[main @ work]\n0\n0\n", NULL, CSSPGO_E_SYNTAX, 1, 6, 5 },
    { "bad: a call with half a location", "[main:2. @ work]\n0\n0\n", NULL, CSSPGO_E_SYNTAX, 1, 9, 8 },
    { "bad: a large line", "[main:65536 @ work]\n0\n0\n", NULL, CSSPGO_E_SYNTAX, 1, 12, 11 },
    { "bad: a function with location", "[main:2 @ work:3]\n0\n0\n", NULL, CSSPGO_E_SYNTAX, 1, 15, 14 },
    { "bad: a call without function", "[:2 @ work]\n0\n0\n", NULL, CSSPGO_E_SYNTAX, 1, 2, 1 },
    { "bad: nothing between calls", "[main:2 @  @ work]\n0\n0\n", NULL, CSSPGO_E_SYNTAX, 1, 11, 10 },
    { "bad: a name inside", "[0x28a @ work]\n0\n0\n", NULL, CSSPGO_E_SYNTAX, 1, 10, 9 },
    { "bad: names behind addresses", "[0x28a]\n0\n0\n[main]\n0\n0\n", NULL, CSSPGO_E_SYNTAX, 4, 2, 13 },
    { "bad: addresses behind names", "[main]\n0\n0\n[]\n0\n0\n[0x28a]\n0\n0\n", NULL, CSSPGO_E_SYNTAX, 7, 2, 19 },
    { "bad: context not closed", "[0x28a\n0\n0\n", NULL, CSSPGO_E_SYNTAX, 1, 7, 6 },
    { "bad: context open", "[\n0\n0\n", NULL, CSSPGO_E_SYNTAX, 1, 2, 1 },
    { "bad: frame without digits", "[0x]\n0\n0\n", NULL, CSSPGO_E_SYNTAX, 1, 4, 3 },
    { "bad: separator", "[0x28a@ 0x238]\n0\n0\n", NULL, CSSPGO_E_SYNTAX, 1, 7, 6 },
    { "bad: frame missing", "[0x28a @ ]\n0\n0\n", NULL, CSSPGO_E_SYNTAX, 1, 10, 9 },
    { "bad: text behind a context", "[0x28a] \n0\n0\n", NULL, CSSPGO_E_SYNTAX, 1, 8, 7 },
    { "bad: context alone", "[0x28a]\n", NULL, CSSPGO_E_TRUNCATED, 2, 1, 8 },
    { "bad: context indented", "[]\n0\n0\n [0x28a]\n0\n0\n", NULL, CSSPGO_E_SYNTAX, 4, 2, 8 },
    { "bad: block without branches", "[]\n0\n0\n0\n", NULL, CSSPGO_E_TRUNCATED, 5, 1, 9 },
    { "ok: block without context", "[0x28a]\n1\n159-171:1\n0\n1\n159-171:2\n0\n[]\n1\n159-171:4\n0\n",
      "[]\n  1\n  159-171:6\n  0\n[0x28a]\n  1\n  159-171:1\n  0\n", CSSPGO_OK, 0, 0, 0 },
    { "ok: context behind flat counts", "1\n159-171:2\n0\n[0x28a]\n1\n159-171:1\n0\n",
      "[]\n  1\n  159-171:2\n  0\n[0x28a]\n  1\n  159-171:1\n  0\n", CSSPGO_OK, 0, 0, 0 },
    { "ok: flat counts and names", "1\n159-171:2\n0\n[main]\n1\n159-171:1\n0\n[]\n1\n159-171:4\n0\n1\n159-171:8\n0\n",
      "[]\n  1\n  159-171:14\n  0\n[main]\n  1\n  159-171:1\n  0\n", CSSPGO_OK, 0, 0, 0 }
};

static int is_empty(csspgo_collector *c)
{
    size_t size = 1;
    return csspgo_write_unsymbolized(c, NULL, NULL, 0, &size, NULL) == CSSPGO_OK &&
           (size == 0 || (size == 4 && !csspgo_collector_has_contexts(c)));
}

static void texts_are_read_as_specified_and_errors_say_where(void)
{
    size_t i;
    t_table t;
    if (!load(&t, "data/unwind/tables", "demo.probe")) return;
    for (i = 0; i < sizeof text_cases / sizeof text_cases[0]; i++) {
        const text_case *x = &text_cases[i];
        const size_t size = strlen(x->text);
        unsigned char *exact = t_copy(x->text, size);
        csspgo_collector *c = llvm_collector(t.code, NULL);
        csspgo_error err;
        memset(&err, 0xee, sizeof err);
        T_MSG(csspgo_read_unsymbolized(c, exact, size, NULL, &err) == x->status, x->name);
        T_MSG(csspgo_read_unsymbolized(c, "", 0, NULL, NULL) == CSSPGO_OK, x->name);
        T_MSG(err.status == x->status && err.line == x->line && err.column == x->column, x->name);
        T_MSG(err.offset == x->offset, x->name);
        T_MSG((err.message[0] != '\0') == (x->status != CSSPGO_OK), x->name);
        if (err.line != x->line || err.column != x->column || err.offset != x->offset)
            fprintf(stderr, "    %u:%u %lu %s\n", err.line, err.column, (unsigned long)err.offset, err.message);
        expect_of(x->name, c, x->want != NULL ? x->want : "");
        T_MSG(x->want != NULL || (is_empty(c) && !csspgo_collector_has_contexts(c)), x->name);
        csspgo_collector_free(c);
        free(exact);
    }
    t_table_free(&t);
}

static void what_cannot_be_placed_is_counted(void)
{
    static const char text[] = "2\n99990-99999:1\n159-171:1\n2\n130->99999:7\n99999->130:1\n";
    t_table t;
    if (load(&t, "data/unwind/tables", "demo.probe")) {
        csspgo_collector *c = llvm_collector(t.code, NULL);
        T_EQ(csspgo_read_unsymbolized(c, text, sizeof text - 1, NULL, NULL), CSSPGO_OK);
        T_EQ(csspgo_collector_get_stats(c).unplaced, 2);
        csspgo_collector_free(c);
    }
    t_table_free(&t);
}

/* What was added, in any order: counts without a context mix with all, contexts of names and of addresses do not. */
static void only_contexts_of_names_and_of_addresses_do_not_mix(void)
{
    static const char flat[] = "1\n159-171:1\n0\n", contexts[] = "[]\n  1\n  159-171:1\n  0\n";
    static const char names[] = "[main]\n  1\n  159-171:1\n  0\n", addresses[] = "[0x28a]\n  1\n  159-171:1\n  0\n";
    static const char *const text[] = { flat, names, addresses };
    t_table t;
    hand h;
    csspgo_preagg_line line;
    csspgo_unsymbolized_options how;
    csspgo_error err;
    size_t a, b;
    if (!load(&t, "data/unwind/tables", "demo.probe")) return;
    memset(&line, 0, sizeof line);
    line.kind = 'F';
    line.to = 0x401159;
    line.end = 0x401171;
    line.count = 1;
    for (a = 0; a < 3; a++)
        for (b = 0; b < 3; b++) {
            const int clash = a + b == 3;
            csspgo_collector *c = llvm_collector(t.code, NULL);
            T_EQ(csspgo_read_unsymbolized(c, text[a], strlen(text[a]), NULL, &err), CSSPGO_OK);
            T_EQ(csspgo_read_unsymbolized(c, text[b], strlen(text[b]), NULL, &err),
                 clash ? CSSPGO_E_ARGUMENT : CSSPGO_OK);
            T_EQ(err.status, clash ? CSSPGO_E_ARGUMENT : CSSPGO_OK);
            T_EQ(csspgo_collector_has_contexts(c), a + b != 0);
            if (clash) expect_of("a clash changes nothing", c, text[a]);
            else if (a == 0 && b == 0) expect_of("flat", c, "1\n159-171:2\n0\n");
            else if (a + b == 1) expect_of("flat, names", c, "[]\n  1\n  159-171:1\n  0\n"
                                                             "[main]\n  1\n  159-171:1\n  0\n");
            else if (a != b) expect_of("flat, addresses", c, "[]\n  1\n  159-171:1\n  0\n"
                                                             "[0x28a]\n  1\n  159-171:1\n  0\n");
            T_EQ(csspgo_read_unsymbolized(c, flat, sizeof flat - 1, NULL, &err), CSSPGO_OK);
            T_EQ(csspgo_collector_count(c, &line, 1, &err), CSSPGO_OK);
            hand_calls(&h);
            T_EQ(add_hand(c, &h), a == 1 || (b == 1 && !clash) ? CSSPGO_E_ARGUMENT : CSSPGO_OK);
            h.sample.stack_count = 0;
            T_EQ(add_hand(c, &h), CSSPGO_OK);
            csspgo_collector_free(c);
        }
    {
        csspgo_collector *c = llvm_collector(t.code, NULL);
        T_EQ(csspgo_read_unsymbolized(c, names, sizeof names - 1, NULL, &err), CSSPGO_OK);
        T_EQ(csspgo_read_unsymbolized(c, contexts, sizeof contexts - 1, NULL, &err), CSSPGO_OK);   /* is of either */
        expect_of("names", c, "[]\n  1\n  159-171:1\n  0\n[main]\n  1\n  159-171:1\n  0\n");
        memset(&how, 0, sizeof how);
        how.module.id = 9;
        T_EQ(csspgo_read_unsymbolized(c, flat, sizeof flat - 1, &how, &err), CSSPGO_E_ARGUMENT);
        T_EQ(err.status, CSSPGO_E_ARGUMENT);
        csspgo_collector_free(c);
    }
    t_table_free(&t);
}

static void every_prefix_is_read_or_changes_nothing(void)
{
    t_table t;
    size_t n, ok = 0;
    if (!load(&t, "data/unwind/tables", "demo.probe")) return;
    for (n = 0; n < sizeof calls_text; n++) {
        unsigned char *exact = t_copy(calls_text, n);
        csspgo_collector *c = llvm_collector(t.code, NULL);
        csspgo_error err;
        const csspgo_status s = csspgo_read_unsymbolized(c, exact, n, NULL, &err);
        T_EQ(err.status, s);
        T_CHECK(err.offset <= n);
        if (s == CSSPGO_OK) ok++;
        else T_CHECK(err.line >= 1 && err.column >= 1 && err.message[0] != '\0');
        if (s != CSSPGO_OK) T_CHECK(is_empty(c));
        csspgo_collector_free(c);
        free(exact);
    }
    T_CHECK(ok >= 4 && ok < 12);                      /* behind each block, with or without its last LF */
    t_table_free(&t);
}

static void every_short_buffer_is_filled_and_refused(void)
{
    t_table t;
    size_t n;
    if (load(&t, "data/unwind/tables", "demo.probe")) {
        csspgo_collector *c = llvm_collector(t.code, NULL);
        hand h;
        hand_calls(&h);
        T_EQ(add_hand(c, &h), CSSPGO_OK);
        for (n = 1; n < sizeof calls_text - 1; n++) {
            char *buf = (char *)malloc(n);
            size_t size = 0;
            csspgo_error err;
            if (buf == NULL) abort();
            T_EQ(csspgo_write_unsymbolized(c, NULL, buf, n, &size, &err), CSSPGO_E_SHORT);
            T_EQ(err.status, CSSPGO_E_SHORT);
            T_EQ(size, sizeof calls_text - 1);
            T_CHECK(memcmp(buf, calls_text, n) == 0);
            free(buf);
        }
        csspgo_collector_free(c);
    }
    t_table_free(&t);
}

static void a_file_gets_the_same_bytes(void)
{
    char dir[] = "/tmp/csspgo-XXXXXX", path[64];
    t_table t;
    csspgo_error err;
    if (!T_CHECK(mkdtemp(dir) != NULL)) return;
    snprintf(path, sizeof path, "%s/out", dir);
    if (load(&t, "data/unwind/tables", "demo.probe")) {
        csspgo_collector *c = llvm_collector(t.code, NULL);
        size_t size;
        char *got;
        hand h;
        hand_calls(&h);
        T_EQ(add_hand(c, &h), CSSPGO_OK);
        T_EQ(csspgo_write_unsymbolized_file(c, path, NULL, &err), CSSPGO_OK);
        T_EQ(err.status, CSSPGO_OK);
        got = t_file(path, &size);
        if (got != NULL) t_same("file", got, size, calls_text, sizeof calls_text - 1);
        free(got);
        remove(path);
        T_EQ(csspgo_write_unsymbolized_file(c, dir, NULL, &err), CSSPGO_E_IO);
        T_EQ(err.status, CSSPGO_E_IO);
        T_CHECK(strstr(err.message, dir) != NULL);
        csspgo_collector_free(c);
    }
    t_table_free(&t);
    rmdir(dir);
}

/* ----- memory ----------------------------------------------------------------------------------------------------- */

static void failing_allocations(t_table *t, const hand *list, size_t n, const char *want, size_t want_size)
{
    static char buf[200000];
    csspgo_collector_options how = no_options();
    long nth;
    size_t i, size, steps = 0;
    how.cache_bytes = 20000;                          /* flushed several times on the way */
    for (nth = 1; nth < 100000; nth += t_once ? 1 : (long)t_size(3, 1)) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_collector *c = csspgo_collector_new(t->code, &how, &o, NULL);
        csspgo_status s = c != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
        for (i = 0; i < n && s == CSSPGO_OK; i++) s = add_hand(c, &list[i]);
        size = 0;
        if (s == CSSPGO_OK) s = csspgo_write_unsymbolized(c, NULL, buf, sizeof buf, &size, NULL);
        if (c != NULL && s != CSSPGO_OK) {            /* go on with memory again: nothing is lost or double */
            const size_t from = i != n ? i - 1 : n;
            h.nth = 0;
            for (i = from; i < n; i++) T_EQ(add_hand(c, &list[i]), CSSPGO_OK);
            T_EQ(csspgo_write_unsymbolized(c, NULL, buf, sizeof buf, &size, NULL), CSSPGO_OK);
            steps++;
        }
        if (c != NULL) {
            T_CHECK(size == want_size && memcmp(buf, want, size) == 0);
            T_EQ(csspgo_collector_get_stats(c).samples, n);
        }
        csspgo_collector_free(c);
        T_EQ(h.live, 0);
        T_EQ(h.live_bytes, 0);
        if (s == CSSPGO_OK) break;
        T_EQ(s, CSSPGO_E_NOMEM);
    }
    T_LONG(steps > 20 && nth < 100000);
}

/* All samples in one call, and after each failure the rest from err.offset on: each is taken once. */
static void failing_calls_go_on(t_table *t, const hand *list, size_t n, const char *want, size_t want_size)
{
    csspgo_sample *all = (csspgo_sample *)malloc(n * sizeof *all);
    csspgo_collector_options how = no_options();
    size_t i, within = 0;
    long nth;
    if (all == NULL) abort();
    for (i = 0; i < n; i++) {
        all[i] = list[i].sample;
        all[i].stack = list[i].stack;
        all[i].branches = list[i].branch;
    }
    how.cache_bytes = 20000;
    for (nth = 3; nth < 40; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_collector *c = csspgo_collector_new(t->code, &how, &o, NULL);
        csspgo_status s = CSSPGO_E_NOMEM;
        csspgo_error err;
        char *got;
        size_t size;
        for (i = 0; c != NULL && s == CSSPGO_E_NOMEM; i += (size_t)err.offset) {
            s = csspgo_collector_add(c, all + i, n - i, &err);
            if (s == CSSPGO_OK) break;
            within += err.offset != 0;
            T_EQ(s, CSSPGO_E_NOMEM);
            if (!T_CHECK(err.offset < n - i)) break;
            h.nth = 0;
        }
        h.nth = 0;
        got = c != NULL ? text_of(c, NULL, &size) : NULL;
        if (got != NULL) t_same("from err.offset on", got, size, want, want_size);
        free(got);
        csspgo_collector_free(c);
    }
    T_CHECK(within > 3);
    free(all);
}

static void every_allocation_may_fail(void)
{
    T_FAILING(with_program("mix", failing_allocations));
    with_program("mix", failing_calls_go_on);
}

static void failing_allocations_of_the_reader(const char *binary, const char *path, long least)
{
    long nth;
    t_table t;
    size_t size, want_size;
    char *text = t_file(path, &size), *got;
    if (!load(&t, "data/generate/tables", binary)) return;
    for (nth = 1; nth < 1000; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_collector *c = llvm_collector(t.code, &o);
        csspgo_status s = CSSPGO_E_NOMEM;
        csspgo_error err;
        if (c != NULL) {
            s = csspgo_read_unsymbolized(c, text, size, NULL, &err);
            T_EQ(err.status, s);
            if (s != CSSPGO_OK) {
                h.nth = 0;
                T_CHECK(is_empty(c) && !csspgo_collector_has_contexts(c));
                T_EQ(csspgo_read_unsymbolized(c, text, size, NULL, &err), CSSPGO_OK);
            }
            h.nth = 0;
            got = text_of(c, NULL, &want_size);
            if (got != NULL) t_same("after a failure", got, want_size, text, size);
            free(got);
        }
        csspgo_collector_free(c);
        T_EQ(h.live, 0);
        if (s == CSSPGO_OK) break;
    }
    T_LONG(nth > least && nth < 1000);
    t_table_free(&t);
    free(text);
}

static void every_allocation_of_the_reader_may_fail(void)
{
    T_FAILING(failing_allocations_of_the_reader("mix.probe", "data/generate/out/mix.cs.unsym", 4));
    T_FAILING(failing_allocations_of_the_reader("demo.line", "data/generate/out/demo.line.cs.unsym", 8));
}

/* frame: with a digit that varies at digit */
static void reading_uses_bounded_memory_for(const char *frame, size_t digit)
{
    const size_t frame_size = strlen(frame);
    t_table t;
    const size_t large = t_size(1000000, 3000000);
    size_t i, size = 0;
    char *text = (char *)malloc(large);
    t_heap h;
    const csspgo_options o = t_options(&h, 0);
    if (text == NULL) abort();
    if (load(&t, "data/unwind/tables", "demo.probe")) {
        csspgo_collector *c = llvm_collector(t.code, &o);
        while (size < large - 100000) {                      /* the most objects per byte: short frames, all different paths */
            text[size++] = '[';
            for (i = 0; i < 3000; i++) {
                memcpy(text + size, frame, frame_size);
                text[size + digit] = "0123456789abcdef"[rnd(16)];
                size += frame_size;
            }
            if (digit == 0) size -= 2;                /* the last function's location */
            memcpy(text + size - 3, "]\n0\n1\n3->3:1\n", 13);
            size += 10;
        }
        T_EQ(csspgo_read_unsymbolized(c, text, size, NULL, NULL), CSSPGO_OK);
        T_CHECK(csspgo_collector_memory(c) > large / 15 * 2 * 16);   /* as many contexts */
        T_CHECK(h.peak <= 16 * size + (1u << 20));
        csspgo_collector_free(c);
        T_EQ(h.live, 0);
    }
    t_table_free(&t);
    free(text);
}

static void reading_uses_bounded_memory(void)
{
    reading_uses_bounded_memory_for("0x3 @ ", 2);
    reading_uses_bounded_memory_for("a:3 @ ", 0);
}

static void a_memory_limit_is_kept(void)
{
    t_table t;
    csspgo_options o;
    size_t n, i;
    hand *list;
    size_t size;
    char *script = t_file("data/generate/mix.perfscript", &size);
    if (script != NULL && load(&t, "data/generate/tables", "mix.probe")) {
        csspgo_collector_options how = no_options();
        csspgo_collector *c;
        csspgo_status s = CSSPGO_OK;
        n = hands_of(script, &list);
        memset(&o, 0, sizeof o);
        o.limits.max_bytes = 150000;
        how.cache_bytes = 4096;
        c = csspgo_collector_new(t.code, &how, &o, NULL);
        T_CHECK(c != NULL);
        for (i = 0; c != NULL && i < n && s == CSSPGO_OK; i++) s = add_hand(c, &list[i]);
        T_EQ(s, CSSPGO_E_FULL);
        T_CHECK(c != NULL && csspgo_collector_memory(c) <= 150000);
        csspgo_collector_free(c);
        free(list);
        t_table_free(&t);
    }
    free(script);
}

/* ----- against llvm-profgen itself -------------------------------------------------------------------------------- */

typedef struct mutator {
    const t_table *t;
    const hand    *real;
    size_t         reals;
    uint64_t      *transfer, *after;   /* addresses of transfers, of instructions behind calls */
    size_t         transfers, afters;
    uint64_t       shift;              /* run-time - link-time address */
} mutator;

static uint64_t any_of(const uint64_t *v, size_t n)
{
    return v[rnd((unsigned)n)];
}

static uint64_t outside(void)
{
    return UINT64_C(0x7ffff7000000) + rnd(100);
}

static uint64_t any_insn(const mutator *m)
{
    return m->t->insn[rnd((unsigned)m->t->insns)].address + m->shift;
}

static uint64_t any_after(const mutator *m)
{
    return any_of(m->after, m->afters) + m->shift;
}

static uint64_t mutated_from(const mutator *m)
{
    const unsigned r = rnd(10);
    return r < 8 ? any_of(m->transfer, m->transfers) + m->shift : r < 9 ? any_insn(m) : outside();
}

static uint64_t mutated_to(const mutator *m)
{
    const unsigned r = rnd(10);
    if (r < 3) return m->t->func[rnd((unsigned)m->t->funcs)].begin + m->shift;
    return r < 6 ? any_after(m) : r < 9 ? any_insn(m) : outside();
}

static void mutate_branch(const mutator *m, hand *h)
{
    const unsigned op = rnd(4), n = h->sample.branch_count, i = rnd(n);
    if (op == 0 && n > 1) {
        memmove(h->branch + i, h->branch + i + 1, (n - i - 1) * sizeof *h->branch);
        h->sample.branch_count--;
    } else if (op == 1) {
        h->branch[i].from = mutated_from(m);
    } else if (op == 2) {
        h->branch[i].to = mutated_to(m);
    } else if (n < 70) {
        memmove(h->branch + i + 1, h->branch + i, (n - i) * sizeof *h->branch);
        h->branch[i].from = mutated_from(m);
        h->branch[i].to = mutated_to(m);
        h->sample.branch_count++;
    }
}

static void mutate_frame(const mutator *m, hand *h)
{
    const unsigned op = rnd(10), n = h->sample.stack_count, i = rnd(n);
    if (op < 3 && n > 1) {
        memmove(h->stack + i, h->stack + i + 1, (n - i - 1) * sizeof *h->stack);
        h->sample.stack_count--;
    } else if (op < 6) {
        h->stack[i] = any_after(m);
    } else if (op < 8) {
        h->stack[i] = outside();
    } else if (n < 70) {
        memmove(h->stack + i + 1, h->stack + i, (n - i) * sizeof *h->stack);
        h->stack[i] = rnd(4) == 0 ? any_insn(m) : any_after(m);
        h->sample.stack_count++;
    }
}

static void mutated(const mutator *m, hand *h)
{
    unsigned i, n;
    if (rnd(10) < 7) {
        *h = m->real[rnd((unsigned)m->reals)];
        for (i = 0; i < h->sample.stack_count; i++)
            if (h->stack[i] < UINT64_C(0x7f0000000000)) h->stack[i] += m->shift;
        for (i = 0; i < h->sample.branch_count; i++) {
            if (h->branch[i].from < UINT64_C(0x7f0000000000)) h->branch[i].from += m->shift;
            if (h->branch[i].to < UINT64_C(0x7f0000000000)) h->branch[i].to += m->shift;
        }
        for (i = 0, n = rnd(4); i < n; i++) mutate_branch(m, h);
        for (i = 0, n = rnd(3); i < n; i++) mutate_frame(m, h);
    } else {
        hand_begin(h);
        hand_frame(h, any_insn(m));
        for (i = 0, n = rnd(6); i < n; i++) hand_frame(h, rnd(8) == 0 ? outside() : any_after(m));
        for (i = 0, n = 1 + rnd(8); i < n; i++) {
            const uint64_t from = mutated_from(m);
            hand_branch(h, from, mutated_to(m));
        }
    }
    h->sample.count = rnd(3) == 0 ? 1 + rnd(9) : 1;
    if (h->sample.branch_count == 1) hand_branch(h, outside(), outside());   /* version 19 wants two; one is dropped */
}

/* Version 19 makes a frame with address 0 of a return to nowhere: those samples are left out. */
static int returns_to_nowhere(const mutator *m, const hand *h)
{
    csspgo_collector_options how = no_options();
    csspgo_collector *c;
    int yes;
    how.cache_bytes = 4096;
    c = csspgo_collector_new(m->t->code, &how, NULL, NULL);
    T_EQ(add_hand(c, h), CSSPGO_OK);
    T_EQ(csspgo_collector_flush(c, NULL), CSSPGO_OK);
    yes = csspgo_collector_get_stats(c).zero_returns != 0;
    csspgo_collector_free(c);
    return yes;
}

static void print_hand(FILE *f, const hand *h)
{
    uint32_t i;
    if (h->sample.count != 1) fprintf(f, "%lu\n", (unsigned long)h->sample.count);
    for (i = 0; i < h->sample.stack_count; i++) fprintf(f, "\t%16llx\n", (unsigned long long)h->stack[i]);
    for (i = 0; i < h->sample.branch_count; i++)
        fprintf(f, " 0x%llx/0x%llx/P/-/-/0 ", (unsigned long long)h->branch[i].from,
                (unsigned long long)h->branch[i].to);
    fprintf(f, "\n\n");
}

/* One script of mutated samples through both. */
static void compare_once(const mutator *m, const char *binary, const char *dir, unsigned round)
{
    static const char *const options[] = { "", "", "--csprof-max-context-depth=2", "--compress-recursion=0",
                                           "--compress-recursion=1", "--ignore-stack-samples" };
    const unsigned option = round % 6;
    csspgo_collector_options how = no_options();
    char path[96], raw[96], log[96], command[512], what[96];
    csspgo_collector_stats s;
    size_t size, want_size, log_size;
    unsigned n;
    FILE *f;
    snprintf(path, sizeof path, "%s/in.ps", dir);
    snprintf(raw, sizeof raw, "%s/out.raw", dir);
    snprintf(log, sizeof log, "%s/log", dir);
    f = fopen(path, "w");
    if (!T_CHECK(f != NULL)) return;
    fprintf(f, " PERF_RECORD_MMAP2 1000/1000: [0x%llx(0x1000) @ 0x%llx 00:1d 1001 1]: r-xp /x/%s\n",
            (unsigned long long)(m->t->base + m->shift), (unsigned long long)m->t->offset, binary);
    for (n = 0; n < 60;) {
        hand h;
        mutated(m, &h);
        if (returns_to_nowhere(m, &h)) continue;
        print_hand(f, &h);
        n++;
    }
    fclose(f);
    snprintf(command, sizeof command,
             "llvm-profgen-19 --binary=data/unwind/bin/%s --perfscript=%s --skip-symbolization %s -o %s 2>%s", binary,
             path, options[option], raw, log);
    T_EQ(system(command), 0);
    how.limit_depth = option == 2;
    how.max_depth = 2;
    how.limit_recursion = option == 3 || option == 4;
    how.max_recursion = option == 4;
    how.ignore_stack = option == 5;
    {
        char *script = t_file(path, &size), *want = t_file(raw, &want_size), *warnings = t_file(log, &log_size), *got;
        csspgo_collector *c = csspgo_collector_new(m->t->code, &how, NULL, NULL);
        if (script != NULL && want != NULL && warnings != NULL) {
            T_EQ(read_script(c, m->t->code, script, size, 4096), CSSPGO_OK);
            got = text_of(c, NULL, &size);
            snprintf(what, sizeof what, "%s, round %u", binary, round);
            if (got != NULL) t_same(what, got, size, want, want_size);
            free(got);
            s = csspgo_collector_get_stats(c);
            if (option != 5) expect_warnings(what, warnings, s);
        }
        csspgo_collector_free(c);
        free(script);
        free(want);
        free(warnings);
    }
    remove(path);
    remove(raw);
    remove(log);
}

/* Lists the program's transfers and what stands behind its calls. The caller frees both. */
static void mutator_open(mutator *m, const t_table *t, const hand *list, size_t n)
{
    size_t i;
    memset(m, 0, sizeof *m);
    m->t = t;
    m->real = list;
    m->reals = n;
    for (i = 0; i < t->insns; i++) {
        if (t->insn[i].kind != CSSPGO_NONE) {
            m->transfer = (uint64_t *)t_list_more(m->transfer, m->transfers, sizeof *m->transfer);
            m->transfer[m->transfers++] = t->insn[i].address;
        }
        if (t->insn[i].kind != CSSPGO_CALL || i + 1 == t->insns) continue;
        m->after = (uint64_t *)t_list_more(m->after, m->afters, sizeof *m->after);
        m->after[m->afters++] = t->insn[i + 1].address;
    }
}

static void compare_program(const char *binary, const char *trace, uint64_t shift, const char *dir)
{
    t_table t;
    size_t size;
    hand *list = NULL;
    mutator m;
    char *script = file_of("data/unwind/traces", trace, ".ps", &size);
    unsigned round;
    if (script != NULL && load(&t, "data/unwind/tables", binary)) {
        const size_t n = hands_of(script, &list);
        mutator_open(&m, &t, list, n);
        m.shift = shift;
        /* the trace of demo.probe serves demo.pie: same code at other addresses, of which the jumps make no sense */
        T_EQ(csspgo_code_set_bias(t.code, t.module, shift, NULL), CSSPGO_OK);
        for (round = 0; round < 12; round++) compare_once(&m, binary, dir, round);
        free(list);
        free(m.transfer);
        free(m.after);
        t_table_free(&t);
    }
    free(script);
}

/* ----- limits that no sample, or not this one, fits --------------------------------------------------------------- */

/* The number behind a text in a message. */
static uint64_t said(const char *message, const char *text)
{
    const char *at = strstr(message, text);
    return T_CHECK(at != NULL) ? (uint64_t)strtoull(at + strlen(text), NULL, 10) : 0;
}

static csspgo_collector *limited(const t_table *t, const csspgo_collector_options *how, uint64_t most, csspgo_error *e)
{
    csspgo_options o;
    memset(&o, 0, sizeof o);
    o.limits.max_bytes = most;
    return csspgo_collector_new(t->code, how, &o, e);
}

/* A collector that could never take a sample is refused, with the least number, and that number is right. */
static void a_limit_that_no_sample_fits_is_refused(void)
{
    static const uint64_t most[] = { 1, 100, 10000, 30000 };
    static const uint32_t cache[] = { 0, 1, 4096, 100000, 8u << 20 };
    t_table t;
    csspgo_error e;
    size_t i, k;
    if (!load(&t, "data/unwind/tables", "demo.probe")) return;
    for (i = 0; i < sizeof most / sizeof *most; i++)
        for (k = 0; k < sizeof cache / sizeof *cache; k++) {
            csspgo_collector_options how;
            csspgo_collector *c;
            uint64_t least;
            hand h;
            memset(&how, 0, sizeof how);
            how.cache_bytes = cache[k];
            T_CHECK(limited(&t, &how, most[i], &e) == NULL);
            T_EQ(e.status, CSSPGO_E_LIMIT);
            T_CHECK(strncmp(e.message, "csspgo_collector_new: ", 22) == 0);
            T_EQ(said(e.message, "limits.max_bytes is "), most[i]);
            least = said(e.message, "the least is ");
            T_CHECK(limited(&t, &how, least * 9 / 10, &e) == NULL && e.status == CSSPGO_E_LIMIT);
            c = limited(&t, &how, least, &e);
            if (!T_CHECK(c != NULL && e.status == CSSPGO_OK)) continue;
            hand_begin(&h);
            hand_frame(&h, 0x401159);
            hand_branch(&h, 0x401171, 0x401159);
            hand_branch(&h, 0x401171, 0x401159);
            T_EQ(add_hand(c, &h), CSSPGO_OK);
            T_EQ(csspgo_collector_flush(c, &e), CSSPGO_OK);
            T_CHECK(csspgo_collector_memory(c) <= least && least < 60000 + 2 * (uint64_t)cache[k]);
            csspgo_collector_free(c);
        }
    t_table_free(&t);
}

/* A sample that an empty collector has no room for is no reason to empty it: E_LIMIT, with what it needs. */
static void a_sample_that_never_fits_says_what_it_needs(void)
{
    enum { FRAMES = 3000, RECORDS = 5000 };
    static uint64_t stack[FRAMES];
    static csspgo_branch branch[RECORDS];
    t_table t;
    csspgo_error e;
    csspgo_collector *c;
    csspgo_sample large;
    hand small;
    uint64_t least, most;
    unsigned i;
    if (!load(&t, "data/unwind/tables", "demo.probe")) return;
    for (i = 0; i < FRAMES; i++) stack[i] = i == 0 ? 0x401159 : 0x40118e;
    for (i = 0; i < RECORDS; i++) {
        branch[i].from = 0x401171;
        branch[i].to = 0x401159;
    }
    memset(&large, 0, sizeof large);
    large.stack = stack;
    large.branches = branch;
    large.stack_count = FRAMES;
    large.branch_count = RECORDS;
    hand_begin(&small);
    hand_frame(&small, 0x401159);
    hand_branch(&small, 0x401171, 0x401159);
    T_CHECK(limited(&t, NULL, 1, &e) == NULL);
    most = said(e.message, "the least is ");
    c = limited(&t, NULL, most, &e);
    if (!T_CHECK(c != NULL)) return;
    T_EQ(csspgo_collector_add(c, &large, 1, &e), CSSPGO_E_LIMIT);
    T_EQ(said(e.message, "a sample of "), FRAMES);
    T_EQ(said(e.message, "frames and "), RECORDS);
    T_EQ(said(e.message, ", not "), most);
    least = said(e.message, "max_bytes of ");
    T_EQ(add_hand(c, &small), CSSPGO_OK);                   /* others fit still */
    T_EQ(csspgo_collector_add(c, &large, 1, &e), CSSPGO_E_FULL);      /* now it holds something: first empty it */
    T_CHECK(strstr(e.message, "is full") != NULL);
    T_EQ(csspgo_collector_get_stats(c).samples, 1);
    csspgo_collector_free(c);
    c = limited(&t, NULL, least, &e);
    if (!T_CHECK(c != NULL)) return;
    T_EQ(csspgo_collector_add(c, &large, 1, &e), CSSPGO_OK);
    T_EQ(csspgo_collector_flush(c, &e), CSSPGO_OK);
    T_CHECK(csspgo_collector_memory(c) <= least);
    csspgo_collector_free(c);
    t_table_free(&t);
}

/* ----- the law of order ------------------------------------------------------------------------------------------- */

enum { ORDERED = 120 };

/* Some of the samples have lost their stack, some their records, some were taken where a caller may be missing. */
static void mixed(const mutator *m, hand *h)
{
    const unsigned r = rnd(8);
    mutated(m, h);
    if (r < 2) h->sample.stack_count = 0;
    else if (r == 2) h->sample.branch_count = 0;
    else if (r < 6) h->stack[0] = m->t->func[rnd((unsigned)m->t->funcs)].begin + m->shift;
}

static void shuffle(unsigned *order, unsigned n)
{
    while (n > 1) {
        const unsigned i = rnd(n--), x = order[i];
        order[i] = order[n];
        order[n] = x;
    }
}

/* Everything that the samples in an order give: counters, and what was counted of samples. */
static char *ordered_text(const mutator *m, const csspgo_collector_options *how, const hand *list,
                          const unsigned *order, size_t *size, uint64_t *reasons)
{
    csspgo_collector *c = csspgo_collector_new(m->t->code, how, NULL, NULL);
    csspgo_collector_stats s;
    char *text;
    unsigned i;
    for (i = 0; i < ORDERED; i++) T_EQ(add_hand(c, &list[order[i]]), CSSPGO_OK);
    text = text_of(c, NULL, size);
    s = csspgo_collector_get_stats(c);
    *reasons = s.samples + 3 * s.no_stack + 5 * s.no_branches + 7 * s.prologue_leaves + 11 * s.late_stacks +
               13 * s.addresses + 17 * (uint64_t)csspgo_collector_has_contexts(c);
    csspgo_collector_free(c);
    return text;
}

static void compare_orders(const mutator *m, unsigned round)
{
    static hand list[ORDERED];
    csspgo_collector_options how;
    unsigned order[ORDERED], i;
    uint64_t reasons = 0, again;
    size_t size = 0, other;
    char *want = NULL, *got;
    memset(&how, 0, sizeof how);
    how.llvm = round % 3 == 0 ? 19 : 0;
    how.keep_leaves = round % 7 == 1;
    how.keep_records = round % 5 == 1;
    how.ignore_stack = round % 11 == 1;
    how.judge_fn = round % 4 == 1 ? csspgo_judge_stacks : NULL;
    for (i = 0; i < ORDERED; i++) {
        mixed(m, &list[i]);
        order[i] = i;
        list[i].sample.stack = list[i].stack;
        list[i].sample.branches = list[i].branch;
    }
    for (i = 0; i < 4; i++) {
        how.cache_bytes = i == 3 ? 65536 : 0;
        got = ordered_text(m, &how, list, order, i == 0 ? &size : &other, i == 0 ? &reasons : &again);
        if (i == 0) {
            want = got;
        } else {
            if (got != NULL && want != NULL) t_same("another order", got, other, want, size);
            T_EQ(again, reasons);
            free(got);
        }
        shuffle(order, ORDERED);
    }
    free(want);
}

static void any_order_of_mixed_samples_gives_the_same_counters(void)
{
    static const char *const programs[] = { "demo.probe", "ext.probe" };
    const unsigned rounds = (unsigned)t_size(60, 6000);
    size_t i, size, n;
    unsigned round;
    for (i = 0; i < 2; i++) {
        t_table t;
        mutator m;
        hand *list = NULL;
        char *script = file_of("data/unwind/traces", programs[i], ".ps", &size);
        if (script != NULL && load(&t, "data/unwind/tables", programs[i])) {
            n = hands_of(script, &list);
            mutator_open(&m, &t, list, n);
            T_EQ(csspgo_code_set_bias(t.code, t.module, 0, NULL), CSSPGO_OK);
            for (round = 0; round < rounds; round++) compare_orders(&m, round);
            free(list);
            free(m.transfer);
            free(m.after);
            t_table_free(&t);
        }
        free(script);
    }
}

static void mutated_samples_give_the_bytes_of_llvm_profgen(void)
{
    char dir[] = "/tmp/csspgo-XXXXXX";
    if (system("llvm-profgen-19 --version >/dev/null 2>&1") != 0) {
        T_SKIP("llvm-profgen-19 is not installed");
        return;
    }
    if (!T_CHECK(mkdtemp(dir) != NULL)) return;
    compare_program("demo.probe", "demo.probe", 0, dir);
    compare_program("ext.probe", "ext.probe", 0, dir);
    compare_program("demo.pie", "demo.probe", UINT64_C(0x555555550000), dir);
    rmdir(dir);
}

int main(void)
{
    every_case_gives_the_bytes_of_llvm_profgen();
    a_script_with_one_record_per_sample_is_taken();
    a_script_that_ends_inside_a_sample_is_an_error();
    whole_traces_give_the_bytes_of_llvm_profgen();
    the_programs_of_the_generator_give_the_bytes_of_llvm_profgen();
    a_sample_from_memory_gives_the_counters_of_the_specification();
    interrupts_of_one_stretch_change_nothing();
    code_of_one_instruction_is_no_interrupt();
    a_collector_without_samples_writes_nothing();
    a_kept_sample_without_ranges_gives_the_lists_of_llvm_profgen();
    a_sample_without_a_stack_counts_without_a_context();
    contexts_can_be_had_without_any_stack();
    dropped_samples_are_counted_by_reason();
    keep_leaves_keeps_samples_in_prologues();
    counts_saturate();
    a_count_of_zero_makes_an_entry();
    the_order_of_samples_does_not_matter();
    a_small_cache_gives_the_same_result();
    looking_at_the_counters_changes_nothing();
    a_transfer_that_is_added_later_is_seen();
    what_another_module_holds_prints_as_unknown_code();
    what_was_written_can_be_read();
    counters_by_hand_are_read_too();
    reading_twice_doubles_the_counts();
    texts_are_read_as_specified_and_errors_say_where();
    what_cannot_be_placed_is_counted();
    only_contexts_of_names_and_of_addresses_do_not_mix();
    every_prefix_is_read_or_changes_nothing();
    every_short_buffer_is_filled_and_refused();
    a_file_gets_the_same_bytes();
    every_allocation_may_fail();
    every_allocation_of_the_reader_may_fail();
    reading_uses_bounded_memory();
    a_memory_limit_is_kept();
    a_limit_that_no_sample_fits_is_refused();
    a_sample_that_never_fits_says_what_it_needs();
    any_order_of_mixed_samples_gives_the_same_counters();
    mutated_samples_give_the_bytes_of_llvm_profgen();
    return t_end();
}
