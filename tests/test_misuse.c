/* test_misuse.c - mistakes of the program: what CSSPGO_VALIDATE says of them, and what counters and reports show. The
 * hook keeps the sentence and lets the call go on, except where that would use freed memory.
 */
#undef  CSSPGO_IMPLEMENTATION_INCLUDED   /* with a copy of the library of its own */
#define CSSPGO_STATIC
#include <setjmp.h>
#include <string.h>

static char last_said[256];
static unsigned times_said;
static unsigned private_names;    /* sentences that name a function that no program can call */
static jmp_buf *leave_by;         /* NULL: the call goes on */

static void keep_sentence(const char *function, const char *text)
{
    const size_t n = strlen(function), m = strlen(text);
    times_said++;
    if (strncmp(function, "csspgo_", 7) != 0 || function[7] == '_') private_names++;
    last_said[0] = '\0';
    if (n + m + 3 < sizeof last_said) {
        memcpy(last_said, function, n);
        memcpy(last_said + n, ": ", 2);
        memcpy(last_said + n + 2, text, m + 1);
    }
    if (leave_by != NULL) longjmp(*leave_by, 1);
}

#define CSSPGO_VALIDATE
#define CSSPGO_VALIDATE_LOG(function, text) keep_sentence((function), (text))
#include "t.h"
#include "code.h"

/* Since the last call, one sentence with this text was said; NULL: nothing was. */
static int said(const char *text)
{
    const int right = text == NULL ? times_said == 0 : times_said != 0 && strstr(last_said, text) != NULL;
    if (!right) fprintf(stderr, "said %u times, last: %s\n", times_said, last_said);
    times_said = 0;
    return right;
}

/* main calls f, f calls g; main ends in a loop. */
enum { MAIN = 0x1000, F = 0x2000, G = 0x3000, SIZE = 0x100 };

static csspgo_status function_at(csspgo_code *code, uint64_t begin, uint64_t end, const char *name, csspgo_error *err)
{
    const csspgo_code_function f = make_function(begin, end, name);
    return csspgo_code_add_function(code, csspgo_no_module(), &f, err);
}

static csspgo_status transfer_at(csspgo_code *code, uint64_t address, csspgo_transfer_kind kind, uint64_t target)
{
    const csspgo_transfer t = make_transfer(address, 5, kind, target);
    return csspgo_code_add_transfers(code, csspgo_no_module(), &t, 1, NULL);
}

/* transfers: how many of the six are told. */
static csspgo_code *make_code(unsigned transfers)
{
    static const struct { uint64_t at, to; csspgo_transfer_kind kind; } all[] = {
        { MAIN + 0x10, F, CSSPGO_CALL }, { F + 0x20, G, CSSPGO_CALL }, { G + 0x30, 0, CSSPGO_RET },
        { MAIN + 0x80, MAIN, CSSPGO_JMP }, { G + 0x10, G + 0x20, CSSPGO_COND }, { F + 0x40, 0, CSSPGO_RET }
    };
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    unsigned i;
    T_EQ(function_at(code, MAIN, MAIN + SIZE, "main", NULL), CSSPGO_OK);
    T_EQ(function_at(code, F, F + SIZE, "f", NULL), CSSPGO_OK);
    T_EQ(function_at(code, G, G + SIZE, "g", NULL), CSSPGO_OK);
    for (i = 0; i < transfers; i++) T_EQ(transfer_at(code, all[i].at, all[i].kind, all[i].to), CSSPGO_OK);
    return code;
}

static csspgo_branch branch(uint64_t from, uint64_t to)
{
    csspgo_branch b;
    b.from = from;
    b.to = to;
    b.flags = 0;
    return b;
}

/* A hundred samples in g, called by f, called by main; turned: the arrays stand the wrong way round. */
static csspgo_collector *collect(csspgo_code *code, int turn_stack, int turn_branches)
{
    csspgo_collector *c = csspgo_collector_new(code, NULL, NULL, NULL);
    uint64_t stack[3];
    csspgo_branch b[5];
    csspgo_sample s;
    unsigned i;
    b[0] = branch(G + 0x10, G + 0x20);
    b[1] = branch(F + 0x20, G);
    b[2] = branch(MAIN + 0x10, F);
    b[3] = branch(MAIN + 0x80, MAIN);
    b[4] = branch(F + 0x40, MAIN + 0x15);
    stack[0] = G + 0x28;
    stack[1] = F + 0x25;
    stack[2] = MAIN + 0x15;
    for (i = 0; i < 2 && turn_branches; i++) {
        const csspgo_branch swap = b[i];
        b[i] = b[4 - i];
        b[4 - i] = swap;
    }
    if (turn_stack) {
        stack[0] = MAIN + 0x15;
        stack[2] = G + 0x28;
    }
    memset(&s, 0, sizeof s);
    s.stack = stack;
    s.stack_count = 3;
    s.branches = b;
    s.branch_count = 5;
    s.count = 100;
    T_EQ(csspgo_collector_add(c, &s, 1, NULL), CSSPGO_OK);
    T_EQ(csspgo_collector_flush(c, NULL), CSSPGO_OK);
    return c;
}

/* The report, terminated, in static memory; its size is told, and a short buffer gets as much as fits. */
static const char *report(const csspgo_collector *c)
{
    static char text[4000], part[4000];
    size_t size = 0, other = 0;
    csspgo_error e;
    T_EQ(csspgo_collector_report_text(c, NULL, 0, &size, &e), CSSPGO_OK);
    T_CHECK(size != 0 && size < sizeof text);
    T_EQ(csspgo_collector_report_text(c, text, sizeof text - 1, &other, &e), CSSPGO_OK);
    T_EQ(size, other);
    text[size] = '\0';
    memset(part, 'x', sizeof part);
    T_EQ(csspgo_collector_report_text(c, part, 10, &other, &e), CSSPGO_E_SHORT);
    T_CHECK(memcmp(part, text, 10) == 0 && part[10] == 'x');
    return text;
}

static void a_correct_run_gets_no_advice(void)
{
    csspgo_code *code = make_code(6);
    csspgo_collector *c = collect(code, 0, 0);
    const char *text = report(c);
    T_MSG(strncmp(text, "100 samples\n", 12) == 0 && strstr(text, "advice") == NULL, text);
    T_EQ(csspgo_collector_get_stats(c).unknown_transfers, 0);
    csspgo_collector_free(c);
    csspgo_code_free(code);
    T_CHECK(said(NULL));
}

/* Equal samples are unwound once, but each of their branches counts. */
static void one_odd_branch_among_many_is_no_mistake(void)
{
    csspgo_code *code = make_code(6);
    csspgo_collector *c = collect(code, 0, 0);
    const csspgo_branch odd[2] = { { G + 0x18, G + 0x20, 0 }, { G + 0x10, G + 0x18, 0 } };
    const uint64_t stack = G + 0x28;
    csspgo_sample s;
    memset(&s, 0, sizeof s);
    s.stack = &stack;
    s.stack_count = 1;
    s.branches = odd;
    s.branch_count = 2;
    T_EQ(csspgo_collector_add(c, &s, 1, NULL), CSSPGO_OK);
    T_EQ(csspgo_collector_flush(c, NULL), CSSPGO_OK);
    T_EQ(csspgo_collector_get_stats(c).unknown_transfers, 1);
    T_MSG(strstr(report(c), "advice") == NULL, report(c));
    csspgo_collector_free(c);
    csspgo_code_free(code);
    T_CHECK(said(NULL));
}

static void forgotten_transfers_are_counted_and_told(void)
{
    unsigned n;
    for (n = 0; n < 6; n++) {
        csspgo_code *code = make_code(n);
        csspgo_collector *c = collect(code, 0, 0);
        const char *text = report(c);
        T_EQ(csspgo_collector_get_stats(c).unknown_transfers, 100 * (n < 3 ? 5 - n : 6 - n));
        T_MSG(strstr(text, " branches from instructions that are no transfers\n") != NULL, text);
        T_MSG(strstr(text, n == 0 ? "advice: the code map has no transfers" : "advice: branches begin where") != NULL, text);
        T_MSG((strstr(text, "advice: many stacks are cut") != NULL) == (n < 2), text);
        csspgo_collector_free(c);
        csspgo_code_free(code);
    }
    T_CHECK(said(NULL));
}

static void samples_of_other_code_are_told(void)
{
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_collector *c = collect(code, 0, 0);
    T_MSG(strstr(report(c), "advice: the code map has no code") != NULL, report(c));
    csspgo_collector_free(c);
    T_EQ(function_at(code, 0x9000, 0x9100, "other", NULL), CSSPGO_OK);
    T_EQ(transfer_at(code, 0x9010, CSSPGO_RET, 0), CSSPGO_OK);
    c = collect(code, 0, 0);
    T_MSG(strstr(report(c), "advice: no sample is in known code") != NULL, report(c));
    csspgo_collector_free(c);
    csspgo_code_free(code);
    T_CHECK(said(NULL));
}

static void arrays_the_wrong_way_round_are_told(void)
{
    csspgo_code *code = make_code(6);
    csspgo_collector_free(collect(code, 1, 0));
    T_CHECK(said("csspgo_collector_add: the call stack stands outermost frame first"));
    csspgo_collector_free(collect(code, 0, 1));
    T_CHECK(said("the branch records stand oldest first"));
    csspgo_code_free(code);
}

static void refused_tables_are_told(void)
{
    csspgo_code *code = make_code(6);
    csspgo_code_function f;
    csspgo_error e;
    T_CHECK(said(NULL));
    T_EQ(function_at(code, F, F + 8, "f", NULL), CSSPGO_E_ARGUMENT);
    T_CHECK(said("csspgo_code_add_function: [0x2000, 0x2008) overlaps 'f' [0x2000, 0x2100)"));
    T_CHECK(strncmp(last_said, "csspgo_code_add_function: [", 27) == 0);
    T_EQ(function_at(code, F, F + 8, "f", &e), CSSPGO_E_ARGUMENT);
    T_CHECK(said("csspgo_code_add_function: [0x2000, 0x2008) overlaps 'f' [0x2000, 0x2100)"));
    T_EQ(transfer_at(code, 0x9000, CSSPGO_RET, 0), CSSPGO_E_ARGUMENT);
    T_CHECK(said("csspgo_code_add_transfers: transfer 0 at 0x9000: not at known code"));
    T_EQ(csspgo_code_get_stats(code).unlike_transfers, 0);
    T_EQ(transfer_at(code, G + 0x30, CSSPGO_RET, 0), CSSPGO_OK);
    T_EQ(transfer_at(code, MAIN + 0x10, CSSPGO_CALL, 0), CSSPGO_OK);
    T_CHECK(said(NULL));
    T_EQ(transfer_at(code, G + 0x30, CSSPGO_CALL, F), CSSPGO_OK);
    T_CHECK(said("csspgo_code_add_transfers: transfer 0 at 0x3030: two transfers at one address differ"));
    T_EQ(transfer_at(code, MAIN + 0x10, CSSPGO_CALL, G), CSSPGO_OK);
    T_CHECK(said("two transfers at one address differ"));
    T_EQ(csspgo_code_get_stats(code).unlike_transfers, 2);
    memset(&f, 0, sizeof f);
    f.begin = 0x4000;
    f.end = 0x4010;
    f.name = "zero";
    f.name_size = 5;
    T_EQ(csspgo_code_add_function(code, csspgo_no_module(), &f, &e), CSSPGO_OK);
    T_CHECK(said("csspgo_code_add_function: the name ends in a zero byte"));
    T_EQ(csspgo_code_remove(code, 0x4000, 0x4010, &e), CSSPGO_OK);
    T_CHECK(said(NULL));
    T_EQ(csspgo_code_remove(code, 0x4000, 0x4010, &e), CSSPGO_OK);
    T_CHECK(said("csspgo_code_remove: no code is there"));
    csspgo_code_free(code);
}

static void probes_without_counts_are_told(void)
{
    csspgo_code *code = make_code(6);
    csspgo_collector *c;
    csspgo_inline_node in;
    csspgo_probe p;
    csspgo_error e;
    memset(&in, 0, sizeof in);
    memset(&p, 0, sizeof p);
    in.guid = csspgo_guid("f", 1);
    p.address = F;
    p.inline_node = 1;
    T_EQ(csspgo_code_add_probes(code, csspgo_no_module(), &in, 1, &p, 1, &e), CSSPGO_OK);
    T_CHECK(said("csspgo_code_add_probes: probe 0 at 0x2000: a probe of id 0"));
    p.id = 70000;
    T_EQ(csspgo_code_add_probes(code, csspgo_no_module(), &in, 1, &p, 1, &e), CSSPGO_OK);
    T_CHECK(said("csspgo_code_add_probes: probe 0 at 0x2000: a probe of id 0 or above 65535"));
    p.id = 1;
    T_EQ(csspgo_code_add_probes(code, csspgo_no_module(), &in, 1, &p, 1, &e), CSSPGO_OK);
    T_CHECK(said(NULL));
    p.address = 0x9000;
    T_EQ(csspgo_code_add_probes(code, csspgo_no_module(), &in, 1, &p, 1, &e), CSSPGO_OK);
    T_CHECK(said("csspgo_code_add_probes: probe 0 at 0x9000: a probe that is not at known code"));
    T_EQ(csspgo_code_get_stats(code).idle_probes, 3);
    p.inline_node = 2;
    T_EQ(csspgo_code_add_probes(code, csspgo_no_module(), &in, 1, &p, 1, &e), CSSPGO_E_ARGUMENT);
    T_CHECK(said("csspgo_code_add_probes: probe 0 at 0x9000: inline_node is an index + 1, from 1 to 1, not 2"));
    c = collect(code, 0, 0);
    T_MSG(strstr(report(c), "advice: some probes are not at known code") != NULL, report(c));
    csspgo_collector_free(c);
    csspgo_code_free(code);
    T_CHECK(said(NULL));
}

static void add_probe(csspgo_code *code, const char *name, uint64_t address, uint32_t id, uint32_t discriminator)
{
    csspgo_inline_node in;
    csspgo_probe p;
    memset(&in, 0, sizeof in);
    memset(&p, 0, sizeof p);
    in.guid = csspgo_guid(name, strlen(name));
    p.address = address;
    p.id = id;
    p.discriminator = discriminator;
    p.inline_node = 1;
    T_EQ(csspgo_code_add_probes(code, csspgo_no_module(), &in, 1, &p, 1, NULL), CSSPGO_OK);
}

/* A probe of an inlinee: at one address, another call site makes it another probe. */
static void add_inlined_probe(csspgo_code *code, const char *name, uint64_t address, uint32_t site)
{
    csspgo_inline_node in[2];
    csspgo_probe p;
    memset(in, 0, sizeof in);
    memset(&p, 0, sizeof p);
    in[0].guid = csspgo_guid(name, strlen(name));
    in[1].guid = csspgo_guid("inlinee", 7);
    in[1].parent = 1;
    in[1].site = site;
    p.address = address;
    p.id = 1;
    p.inline_node = 2;
    T_EQ(csspgo_code_add_probes(code, csspgo_no_module(), in, 2, &p, 1, NULL), CSSPGO_OK);
}

static void the_same_probe_twice_is_told(void)
{
    csspgo_code *code = make_code(0);
    add_probe(code, "f", F, 1, 0);
    add_probe(code, "f", F, 2, 0);
    add_probe(code, "f", F, 1, 3);
    add_probe(code, "f", F + 8, 1, 0);                /* copied code has a probe twice */
    add_inlined_probe(code, "f", F, 7);
    add_inlined_probe(code, "f", F, 8);
    T_CHECK(said(NULL));
    add_probe(code, "f", F, 1, 0);
    T_CHECK(said("csspgo_code_add_probes: probe 0 at 0x2000: the same probe is there already, so it counts twice"));
    add_probe(code, "f", F, 1, 3);
    T_CHECK(said("the same probe is there already"));
    add_inlined_probe(code, "f", F, 8);
    T_CHECK(said("the same probe is there already"));
    T_EQ(csspgo_code_remove(code, F, F + SIZE, NULL), CSSPGO_OK);
    T_EQ(function_at(code, F, F + SIZE, "f", NULL), CSSPGO_OK);
    add_probe(code, "f", F, 1, 0);
    add_inlined_probe(code, "f", F, 8);
    csspgo_code_free(code);
    T_CHECK(said(NULL));
}

static void probes_of_other_code_are_told(void)
{
    csspgo_code *code = make_code(0);
    add_probe(code, "g", F + 8, 1, 0);
    T_CHECK(said("csspgo_code_add_probes: probe 0 at 0x2008: of GUID ") &&
            strstr(last_said, ", but the code is 'f' [0x2000, 0x2100)") != NULL);
    add_inlined_probe(code, "main", G, 7);
    T_CHECK(said(", but the code is 'g' [0x3000, 0x3100)"));
    add_inlined_probe(code, "g", G, 7);
    T_EQ(csspgo_code_add_area(code, csspgo_no_module(), 0x8000, 16, NULL), CSSPGO_OK);
    add_probe(code, "anything", 0x8000, 1, 0);        /* code without a function */
    csspgo_code_free(code);
    T_CHECK(said(NULL));
}

static void a_part_of_a_function_removed_is_told(void)
{
    static const struct { uint64_t begin, end; const char *text; } part[] = {
        { F, F + 0x80, "csspgo_code_remove: 0x2080 is inside of 'f' [0x2000, 0x2100), of which a part would be left" },
        { F + 0x80, F + SIZE, "csspgo_code_remove: 0x2080 is inside of 'f' [0x2000, 0x2100)" },
        { F + 0x40, G, "csspgo_code_remove: 0x2040 is inside of 'f'" },
        { MAIN, F + 1, "csspgo_code_remove: 0x2001 is inside of 'f'" },
        { F + 0x40, F + 0x41, "is inside of 'f'" },
        { F, F + SIZE, NULL }, { 0, F + SIZE, NULL }, { MAIN, G + SIZE, NULL }, { F - 5, F + SIZE + 5, NULL }
    };
    size_t i;
    for (i = 0; i < sizeof part / sizeof *part; i++) {
        csspgo_code *code = make_code(6);
        T_EQ(csspgo_code_remove(code, part[i].begin, part[i].end, NULL), CSSPGO_OK);
        T_CHECK(said(part[i].text));
        csspgo_code_free(code);
        T_CHECK(said(NULL));
    }
}

static void add_sample(csspgo_code *code, uint64_t leaf, uint64_t caller, const csspgo_branch *newest, uint64_t count)
{
    csspgo_collector *c = csspgo_collector_new(code, NULL, NULL, NULL);
    csspgo_sample s;
    uint64_t stack[2];
    stack[0] = leaf;
    stack[1] = caller;
    memset(&s, 0, sizeof s);
    s.stack = stack;
    s.stack_count = 2;
    s.branches = newest;
    s.branch_count = newest != NULL;
    s.count = count;
    T_EQ(csspgo_collector_add(c, &s, 1, NULL), CSSPGO_OK);
    csspgo_collector_free(c);
}

static void short_stacks_and_counts_are_checked(void)
{
    csspgo_code *code = make_code(6);
    const csspgo_branch call = branch(F + 0x20, G);
    add_sample(code, G + 8, F + 0x25, &call, 1);
    add_sample(code, G + 8, 0x77777, &call, 1);       /* the caller is in unknown code */
    add_sample(code, F + 0x25, MAIN + 0x15, &call, 1);
    T_CHECK(said(NULL));
    add_sample(code, F + 0x25, G + 8, &call, 1);
    T_CHECK(said("csspgo_collector_add: the call stack stands outermost frame first"));
    add_sample(code, G + 8, F + 0x20, &call, 1);
    T_CHECK(said("csspgo_collector_add: the call stack has the addresses of calls"));
    add_sample(code, G + 8, F + 0x25, &call, UINT64_C(0xdeadbeefdeadbeef));
    T_CHECK(said("csspgo_collector_add: a sample that counts more than 2^56 times"));
    csspgo_code_free(code);
    T_CHECK(said(NULL));
}

/* A word of a code map is broken, that is told, and it is mended. */
static void broken_word(csspgo_code *code, void *word, uint32_t value, const char *text)
{
    csspgo_error e;
    uint32_t was;
    memcpy(&was, word, sizeof was);
    memcpy(word, &value, sizeof value);
    T_EQ(csspgo_code_validate(code, &e), CSSPGO_E_ARGUMENT);
    T_MSG(strcmp(e.message, text) == 0, e.message);
    memcpy(word, &was, sizeof was);
    T_EQ(csspgo_code_validate(code, &e), CSSPGO_OK);
}

static void a_damaged_code_map_is_told(void)
{
    csspgo_code *code = make_code(6);
    csspgo__area *a = csspgo__area_before(code, UINT64_MAX);
    csspgo__window *w = csspgo__window_before(code, UINT64_MAX);
    csspgo__range *r = csspgo__range_before(code, UINT64_MAX);
    csspgo__placed *p;
    csspgo_inline_node in;
    csspgo_probe probe;
    unsigned i;
    memset(&in, 0, sizeof in);
    memset(&probe, 0, sizeof probe);
    probe.address = G;
    probe.id = probe.inline_node = 1;
    in.guid = csspgo_guid("g", 1);
    T_EQ(csspgo_code_add_probes(code, csspgo_no_module(), &in, 1, &probe, 1, NULL), CSSPGO_OK);
    p = (csspgo__placed *)csspgo__ordered_first(&code->table[CSSPGO__PLACES], 0);
    T_EQ(csspgo_code_validate(code, NULL), CSSPGO_OK);
    broken_word(code, &a->pos, 16, "a table is out of order");
    broken_word(code, &a->pos, a->pos - 1, "an address of code without bytes is no instruction");
    broken_word(code, &a->module, 3, "an area is of no module, or empty");
    broken_word(code, &w->module, 3, "a window is not that of its area");
    broken_word(code, &r->end, r->begin, "functions overlap, or are empty");
    broken_word(code, &r->end, r->end + 1, "a function is not in areas");
    broken_word(code, &r->func, 99, "a function has no name");
    broken_word(code, &p->id, 1, "a probe is not at its place");
    broken_word(code, &csspgo__inline_of(code, 1)->placed, 2, "probes do not add up to those of inline nodes");
    broken_word(code, &csspgo__inline_of(code, 1)->parent, 1, "an inline tree is broken");
    broken_word(code, csspgo__ordered_first(&code->table[CSSPGO__STOPS], 0), 18, "a stop is no call, jump or return");
    broken_word(code, &code->live, 1, "sizes do not add up to those of areas");
    broken_word(code, &code->past_bytes, 1, "past code does not add up");
    broken_word(code, &csspgo__func_name(code, 1)->refs, 99, "functions are not referred to as often as they say");
    broken_word(code, &code->run[CSSPGO__LABELS].used, 99, "used numbers do not add up");
    *csspgo__byte_at(code, a->pos + 3) ^= CSSPGO_CALL << CSSPGO__KIND_SHIFT;
    T_CHECK(said(NULL));
    for (i = 0; i < 100; i++) transfer_at(code, MAIN + 0x90, CSSPGO_COND, 0);
    T_CHECK(said("csspgo_code_add_transfers: a transfer is in no table: the code map is damaged"));
    csspgo_code_free(code);
    code = make_code(0);
    T_EQ(csspgo_code_remove(code, G, G + 16, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_validate(code, NULL), CSSPGO_OK);
    if (T_CHECK(code->deads != 0)) broken_word(code, csspgo__dead_at(code, 0), 17, "removed code has no area");
    csspgo_code_free(code);
}

static void lives_and_handles_are_checked(void)
{
    csspgo_code *code = make_code(0);
    csspgo_collector *c = csspgo_collector_new(code, NULL, NULL, NULL);
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_collector_options how;
    csspgo_node node;
    jmp_buf here;
    leave_by = &here;
    if (setjmp(here) == 0) csspgo_code_free(code);    /* does not get further than its first check */
    leave_by = NULL;
    T_CHECK(said("csspgo_code_free: a collector still uses the map"));
    csspgo_collector_free(c);
    memset(&how, 0xa5, sizeof how);
    how.llvm = 0;
    c = csspgo_collector_new(code, &how, NULL, NULL);
    T_CHECK(said("a choice in the options is neither 0 nor 1"));
    csspgo_collector_free(c);
    csspgo_code_free(code);
    node.id = 0;
    T_EQ(csspgo_total(p, node), 0);
    T_EQ(csspgo_total(p, csspgo_root(p)), 0);
    T_CHECK(said(NULL));
    node.id = 77;
    T_EQ(csspgo_total(p, node), 0);
    T_CHECK(said("csspgo_total: no such node: the handle is of another profile"));
    T_EQ(csspgo_node_parent(p, node).id, 0);
    T_CHECK(said("csspgo_node_parent: no such node: the handle is of another profile"));
    csspgo_profile_free(p);
    T_CHECK(said(NULL));
}

/* The module of another map, which this one has by number, too. */
static void modules_of_another_map_are_told(void)
{
    csspgo_code *code = make_code(0), *other = csspgo_code_new(NULL, NULL);
    const csspgo_module m = csspgo_code_add_module(code, "a", 1, NULL, 0, NULL);
    const csspgo_module n = csspgo_code_add_module(other, "b", 1, NULL, 0, NULL);
    csspgo_module by_id = csspgo_no_module();
    T_EQ(m.id, n.id);
    csspgo_code_add_area(code, n, 0x700000, 16, NULL);
    T_CHECK(said("csspgo_code_add_area: the module is of another code map"));
    csspgo_code_set_bias(code, n, 4096, NULL);
    T_CHECK(said("csspgo_code_set_bias: the module is of another code map"));
    by_id.id = m.id;
    T_EQ(csspgo_code_add_area(code, by_id, 0x710000, 16, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_area(code, m, 0x720000, 16, NULL), CSSPGO_OK);
    T_CHECK(said(NULL));
    csspgo_code_free(code);
    csspgo_code_free(other);
}

/* What a public function says of an object that is none; nothing of the call is done. */
#define SAID_OF(call, text) \
    do { \
        jmp_buf here; \
        leave_by = &here; \
        if (setjmp(here) == 0) { (void)(call); } \
        leave_by = NULL; \
        T_CHECK(said(text)); \
    } while (0)

/* A freed object is freed again, and used: a getter of each kind, and some that change it. */
static void freed_objects_are_told(void)
{
    csspgo_code *code = make_code(6);
    csspgo_collector *c = csspgo_collector_new(code, NULL, NULL, NULL);
    csspgo_profile *p = csspgo_profile_new(NULL, NULL), *q = csspgo_profile_new(NULL, NULL);
    csspgo_tracker *t = csspgo_tracker_new(p, NULL, NULL);
    csspgo_size_table *sizes = csspgo_size_table_new(NULL, NULL);
    csspgo_line_table *table = csspgo_line_table_new(NULL, NULL);
    csspgo_block_finder *finder = csspgo_block_finder_new(code, NULL, NULL);
    csspgo_ctx *ctx = csspgo_ctx_new(NULL, NULL);
    csspgo_line_table_free(table);
    SAID_OF(csspgo_line_table_free(table), "csspgo_line_table_free: the csspgo_line_table was freed already");
    csspgo_block_finder_free(finder);
    SAID_OF(csspgo_block_finder_free(finder), "csspgo_block_finder_free: the csspgo_block_finder was freed already");
    csspgo_size_table_free(sizes);
    SAID_OF(csspgo_size_table_free(sizes), "csspgo_size_table_free: the csspgo_size_table was freed already");
    csspgo_ctx_free(ctx);
    SAID_OF(csspgo_ctx_free(ctx), "csspgo_ctx_free: the csspgo_ctx was freed already");
    csspgo_tracker_free(t);
    SAID_OF(csspgo_tracker_free(t), "csspgo_tracker_free: the csspgo_tracker was freed already");
    SAID_OF(csspgo_tracker_profile(t), "csspgo_tracker_profile: the csspgo_tracker was freed already");
    csspgo_profile_free(p);
    SAID_OF(csspgo_profile_free(p), "csspgo_profile_free: the csspgo_profile was freed already");
    SAID_OF(csspgo_node_count(p), "csspgo_node_count: the csspgo_profile was freed already");
    SAID_OF(csspgo_add_profile(q, p, NULL), "csspgo_add_profile: the csspgo_profile was freed already");
    SAID_OF(csspgo_equal(q, p), "csspgo_equal: the csspgo_profile was freed already");
    SAID_OF(csspgo_collector_profile(c, NULL, p, NULL, NULL), "csspgo_collector_profile: the csspgo_profile was freed");
    SAID_OF(csspgo_collector_profile_step(c, 1, NULL, p, NULL, NULL),
            "csspgo_collector_profile_step: the csspgo_profile was freed");
    csspgo_collector_free(c);
    SAID_OF(csspgo_collector_free(c), "csspgo_collector_free: the csspgo_collector was freed already");
    SAID_OF(csspgo_collector_flush(c, NULL), "csspgo_collector_flush: the csspgo_collector was freed already");
    csspgo_code_free(code);
    SAID_OF(csspgo_code_free(code), "csspgo_code_free: the csspgo_code was freed already");
    SAID_OF(csspgo_code_remove(code, 1, 2, NULL), "csspgo_code_remove: the csspgo_code was freed already");
    SAID_OF(csspgo_collector_new(code, NULL, NULL, NULL), "csspgo_collector_new: the csspgo_code was freed already");
    csspgo_profile_free(q);
    T_CHECK(said(NULL));
}

#define FREED_TWICE(type, object) \
    do { \
        type *const o = (object); \
        T_CHECK(o != NULL); \
        type##_free(o); \
        SAID_OF(type##_free(o), #type "_free: the " #type " was freed already"); \
    } while (0)

static void parsers_freed_twice_are_told(void)
{
    csspgo_code *code = make_code(0);
    csspgo_preagg_options how;
    memset(&how, 0, sizeof how);
    how.code = code;
    FREED_TWICE(csspgo_preagg, csspgo_preagg_new(&how, NULL, NULL));
    FREED_TWICE(csspgo_perfdata, csspgo_perfdata_new(NULL, NULL));
    FREED_TWICE(csspgo_script, csspgo_script_new(NULL, NULL, NULL));
    FREED_TWICE(csspgo_probe_set, csspgo_probe_set_new(NULL, NULL));
    FREED_TWICE(csspgo_processes, csspgo_processes_new(code, NULL, NULL));
    FREED_TWICE(csspgo_layout, csspgo_layout_new(NULL, NULL, NULL));
    FREED_TWICE(csspgo_trace_sampler, csspgo_trace_sampler_new(code, NULL, NULL, NULL));
    FREED_TWICE(csspgo_ctx_runtime, csspgo_ctx_runtime_new(NULL, NULL));
    csspgo_code_free(code);
    T_CHECK(said(NULL));
}

static void objects_that_are_none_are_told(void)
{
    static csspgo_profile never_made;
    csspgo_profile *const none = NULL;
    csspgo_profile_free(none);
    csspgo_code_free(NULL);
    csspgo_collector_free(NULL);
    csspgo_tracker_free(NULL);
    T_CHECK(said(NULL));
    SAID_OF(csspgo_node_count(none), "csspgo_node_count: the csspgo_profile is NULL");
    SAID_OF(csspgo_tracker_new(none, NULL, NULL), "csspgo_tracker_new: the csspgo_profile is NULL");
    SAID_OF(csspgo_collector_add(NULL, NULL, 0, NULL), "csspgo_collector_add: the csspgo_collector is NULL");
    SAID_OF(csspgo_code_remove(NULL, 1, 2, NULL), "csspgo_code_remove: the csspgo_code is NULL");
    SAID_OF(csspgo_collector_new(NULL, NULL, NULL, NULL), "csspgo_collector_new: a collector needs a code map");
    SAID_OF(csspgo_node_count(&never_made), "csspgo_node_count: the csspgo_profile is none: the pointer was not set");
}

/* The profile is the tracker's, which frees it; reading it is right. */
static void a_profile_that_was_taken_is_not_freed(void)
{
    static const char text[] = "[main:3 @ foo]:30:10\n 1: 10\n[main]:4:1\n 3: 4 foo:4\n";
    csspgo_profile *p = csspgo_load(text, sizeof text - 1, NULL, NULL);
    csspgo_tracker_options how;
    csspgo_tracker *t;
    memset(&how, 0, sizeof how);
    how.take = 1;
    t = csspgo_tracker_new(p, &how, NULL);
    T_EQ(csspgo_node_count(p), csspgo_node_count(csspgo_tracker_profile(t)));
    T_CHECK(said(NULL));
    SAID_OF(csspgo_profile_free(p), "csspgo_profile_free: a tracker took the profile, and frees it");
    csspgo_tracker_free(t);
    T_CHECK(said(NULL));
    SAID_OF(csspgo_profile_free(p), "csspgo_profile_free: the csspgo_profile was freed already");
}

/* Far more objects than are kept come and go; those of a caller's allocator go back to it at once. */
static void *counted_alloc(void *ctx, size_t size)
{
    ++*(size_t *)ctx;
    return malloc(size);
}

static void counted_free(void *ctx, void *p, size_t size)
{
    (void)size;
    --*(size_t *)ctx;
    free(p);
}

static void memory_of_freed_objects_goes_back(void)
{
    size_t blocks = 0;
    csspgo_options o;
    unsigned i;
    memset(&o, 0, sizeof o);
    o.allocator.alloc_fn = counted_alloc;
    o.allocator.free_fn = counted_free;
    o.allocator.ctx = &blocks;
    for (i = 0; i < 1000; i++) {
        csspgo_profile_free(csspgo_profile_new(NULL, NULL));
        csspgo_profile_free(csspgo_profile_new(&o, NULL));
        T_EQ(blocks, 0);
    }
    T_CHECK(said(NULL));
}

/* Functions that have no csspgo_error: what they refuse is told. */
static void refusals_without_an_error_are_told(void)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    const csspgo_func f = csspgo_func_add(p, "f", 1);
    const csspgo_node n = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT, f);
    csspgo_func other;
    csspgo_node none;
    char text[8];
    other.id = 77;
    none.id = 0;
    T_EQ(csspgo_add_body(p, n, csspgo_loc_at(0xffff, 0), 1), CSSPGO_OK);
    T_CHECK(said(NULL));
    T_EQ(csspgo_add_body(p, n, csspgo_loc_at(70000, 0), 1), CSSPGO_E_ARGUMENT);
    T_CHECK(said("csspgo_add_body: a line or probe id above 65535"));
    T_EQ(csspgo_add_target(p, n, csspgo_loc_at(70000, 0), f, 1), CSSPGO_E_ARGUMENT);
    T_CHECK(said("csspgo_add_target: a line or probe id above 65535"));
    T_EQ(csspgo_add_total(p, none, 1), CSSPGO_E_ARGUMENT);
    T_CHECK(said("csspgo_add_total: node 0 and the root hold no counts"));
    T_EQ(csspgo_add_head(p, csspgo_root(p), 1), CSSPGO_E_ARGUMENT);
    T_CHECK(said("csspgo_add_head: node 0 and the root hold no counts"));
    none.id = 99;
    T_EQ(csspgo_set_checksum(p, none, 1), CSSPGO_E_ARGUMENT);
    T_CHECK(said("csspgo_set_checksum: no such node"));
    T_EQ(csspgo_context_text(p, none, text, sizeof text), 0);
    T_CHECK(said("csspgo_context_text: no such node"));
    T_EQ(csspgo_child(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT, other).id, 0);
    T_CHECK(said("csspgo_child: no such function"));
    T_EQ(csspgo_child(p, none, csspgo_loc_at(0, 0), CSSPGO_CONTEXT, f).id, 0);
    T_CHECK(said("csspgo_child: no such node"));
    csspgo_profile_free(p);
    T_CHECK(said(NULL));
}

/* Two profiles with other functions and nodes at the same ids. */
static csspgo_profile *of_two(const char *text)
{
    csspgo_profile *p = csspgo_load(text, strlen(text), NULL, NULL);
    if (p == NULL) abort();
    return p;
}

/* A handle of another profile is told of also where an id like it is there, in the name of the function. */
static void handles_of_another_profile_are_told(void)
{
    static const char ours[] = "[main]:4:1\n 3: 4 x:4\n[main:3 @ x]:9:1\n 3: 9\n";
    static const char theirs[] = "[main]:4:1\n 3: 4 y:4\n[main:3 @ y]:5:1\n 3: 5\n";
    csspgo_profile *p = of_two(ours), *q = of_two(theirs);
    const csspgo_node x = csspgo_find(p, "main:3 @ x"), y = csspgo_find(q, "main:3 @ y"), top = csspgo_find(q, "main");
    const csspgo_func f = csspgo_func_find(q, "y", 1);
    csspgo_tracker *t;
    char text[64];
    size_t n;
    T_EQ(x.id, y.id);
    T_CHECK(said(NULL));
    csspgo_total(p, y);
    T_CHECK(said("csspgo_total: no such node: the handle is of another profile"));
    csspgo_body_count(p, y, csspgo_loc_at(3, 0));
    T_CHECK(said("csspgo_body_count: no such node: the handle is of another profile"));
    csspgo_node_parent(p, y);
    T_CHECK(said("csspgo_node_parent: no such node"));
    csspgo_node_next(p, top, csspgo_find(p, "main"));
    T_CHECK(said("csspgo_node_next: no such node"));
    csspgo_context_text(p, y, text, sizeof text);
    T_CHECK(said("csspgo_context_text: no such node"));
    csspgo_add_body(p, y, csspgo_loc_at(3, 0), 0);
    T_CHECK(said("csspgo_add_body: no such node"));
    csspgo_set_checksum(p, y, 0);
    T_CHECK(said("csspgo_set_checksum: no such node"));
    csspgo_remove(p, &top, 0, NULL);
    T_CHECK(said(NULL));
    csspgo_remove(p, &y, 1, NULL);
    T_CHECK(said("csspgo_remove: no such node"));
    csspgo_func_name(p, f, &n);
    T_CHECK(said("csspgo_func_name: no such function: the handle is of another profile"));
    csspgo_func_guid(p, f);
    T_CHECK(said("csspgo_func_guid: no such function"));
    csspgo_func_nodes(p, f);
    T_CHECK(said("csspgo_func_nodes: no such function"));
    csspgo_set_listed(p, f, 1);
    T_CHECK(said("csspgo_set_listed: no such function"));
    csspgo_set_first_sample(p, f, 1);
    T_CHECK(said("csspgo_set_first_sample: no such function"));
    csspgo_child(p, csspgo_root(q), csspgo_loc_at(0, 0), CSSPGO_CONTEXT, f);  /* the root is everyone's */
    T_CHECK(said("csspgo_child: no such function"));
    csspgo_child(p, top, csspgo_loc_at(3, 0), CSSPGO_CONTEXT, csspgo_func_find(p, "x", 1));
    T_CHECK(said("csspgo_child: no such node"));
    csspgo_profile_free(p);
    p = of_two(ours);
    t = csspgo_tracker_new(p, NULL, NULL);
    csspgo_tracker_callee(t, csspgo_tracker_find(t, NULL, 0), csspgo_loc_at(3, 0), f);
    T_CHECK(said("csspgo_tracker_callee: no such function"));
    csspgo_tracker_node_state(t, y);
    T_CHECK(said("csspgo_tracker_node_state: no such node"));
    csspgo_tracker_mark_inlined(t, y, NULL);
    T_CHECK(said("csspgo_tracker_mark_inlined: no such node"));
    csspgo_tracker_promote(t, y, NULL, NULL);
    T_CHECK(said(": no such node"));                         /* it and csspgo_tracker_move, which it calls */
    csspgo_tracker_free(t);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    times_said = 0;
}

/* What a rebuild left behind is told of. Clones and snapshots have the functions, a tracker also the nodes. */
static void handles_of_before_a_rebuild_are_told(void)
{
    csspgo_profile *p = of_two("[main]:4:1\n 3: 4 x:4\n[main:3 @ x]:9:1\n 3: 9\n[z]:8:1\n 3: 8\n"), *q;
    csspgo_node x = csspgo_find(p, "main:3 @ x"), base;
    const csspgo_func main_func = csspgo_func_find(p, "main", 4), x_func = csspgo_func_find(p, "x", 1);
    csspgo_tracker *t = csspgo_tracker_new(p, NULL, NULL);
    T_EQ(csspgo_total(csspgo_tracker_profile(t), x), 9);
    T_EQ(csspgo_tracker_promote(t, x, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_tracker_base(t, x_func, 1, &base, NULL), CSSPGO_OK);
    T_EQ(csspgo_total(csspgo_tracker_profile(t), csspgo_tracker_resolve(t, x)), 9);
    T_CHECK(csspgo_tracker_contexts(t, x_func).id != 0);
    T_CHECK(said(NULL));
    q = csspgo_tracker_snapshot(t, NULL);
    T_CHECK(csspgo_func_nodes(q, x_func).id != 0);
    T_CHECK(said(NULL));
    if (base.id > 1) {
        csspgo_head(q, base);
        T_CHECK(said("csspgo_head: no such node"));
    }
    csspgo_profile_free(q);
    csspgo_tracker_free(t);
    x = csspgo_find(p, "main:3 @ x");
    q = csspgo_profile_clone(p, NULL);
    T_EQ(csspgo_func_guid(q, main_func), csspgo_func_guid(p, main_func));
    T_CHECK(said(NULL));
    csspgo_total(q, x);
    T_CHECK(said("csspgo_total: no such node: the handle is of another profile, or of before a rebuild"));
    csspgo_profile_free(q);
    T_CHECK(csspgo_read(p, "?", 1, NULL) != CSSPGO_OK);            /* changes nothing */
    T_EQ(csspgo_total(p, x), 9);
    T_EQ(csspgo_read(p, "[z]:8:1\n 3: 8\n", 14, NULL), CSSPGO_OK);
    T_EQ(csspgo_total(p, x), 9);
    T_CHECK(said(NULL));
    T_EQ(csspgo_flatten(p, NULL), CSSPGO_OK);
    T_EQ(csspgo_func_find(p, "x", 1).id, x_func.id);
    T_CHECK(csspgo_func_nodes(p, x_func).id != 0);
    T_CHECK(said(NULL));
    csspgo_total(p, x);
    T_CHECK(said("csspgo_total: no such node: the handle is of another profile, or of before a rebuild"));
    for (x.id = 1; x.id <= csspgo_node_count(p) + 1; x.id++) csspgo_total(p, x);      /* ids are everyone's */
    csspgo_profile_free(p);
}

/* What a pointer that is NULL is missing. The calls do not get further than their checks. */
static void null_pointers_are_told(void)
{
    csspgo_code *code = make_code(0);
    csspgo_collector *c = csspgo_collector_new(code, NULL, NULL, NULL);
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_tracker *t = csspgo_tracker_new(p, NULL, NULL);
    const csspgo_module none = csspgo_no_module();
    csspgo_inline_node in;
    csspgo_func f;
    csspgo_inliner_result made;
    jmp_buf here;
    memset(&in, 0, sizeof in);
    memset(&made, 0, sizeof made);
    f.id = 0;
    leave_by = &here;
    if (setjmp(here) == 0) csspgo_code_add_transfers(code, none, NULL, 3, NULL);
    T_CHECK(said("csspgo_code_add_transfers: transfers is NULL, but count is not 0"));
    if (setjmp(here) == 0) csspgo_code_add_probes(code, none, NULL, 1, NULL, 0, NULL);
    T_CHECK(said("csspgo_code_add_probes: inlines is NULL, but inline_count is not 0"));
    if (setjmp(here) == 0) csspgo_code_add_probes(code, none, &in, 1, NULL, 2, NULL);
    T_CHECK(said("csspgo_code_add_probes: probes is NULL, but probe_count is not 0"));
    if (setjmp(here) == 0) csspgo_find(p, NULL);
    T_CHECK(said("csspgo_find: context is NULL"));
    if (setjmp(here) == 0) csspgo_collector_profile(c, NULL, NULL, NULL, NULL);
    T_CHECK(said("csspgo_collector_profile: p is NULL"));
    if (setjmp(here) == 0) csspgo_collector_profile_step(c, 1, NULL, NULL, NULL, NULL);
    T_CHECK(said("csspgo_collector_profile_step: p is NULL"));
    if (setjmp(here) == 0) csspgo_collector_line_profile(c, NULL, NULL, NULL, NULL, NULL);
    T_CHECK(said("csspgo_collector_line_profile: p is NULL"));
    if (setjmp(here) == 0) csspgo_tracker_decide(t, f, NULL, 5, NULL, &made, NULL);
    T_CHECK(said("csspgo_tracker_decide: callable is NULL, but n is not 0"));
    leave_by = NULL;
    T_EQ(csspgo_code_add_transfers(code, none, NULL, 0, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_probes(code, none, NULL, 0, NULL, 0, NULL), CSSPGO_OK);
    T_CHECK(said(NULL));
    csspgo_tracker_free(t);
    csspgo_profile_free(p);
    csspgo_collector_free(c);
    csspgo_code_free(code);
}

/* Handles in arrays, a probe twice in one call, and a map that is gone while an object still needs it. */
static void what_arrays_hold_is_told(void)
{
    csspgo_code *code = make_code(0);
    csspgo_profile *p = of_two("[main]:4:1\n 3: 4 x:4\n[main:3 @ x]:9:1\n 3: 9\n");
    csspgo_profile *q = of_two("[main]:4:1\n 3: 4 y:4\n[main:3 @ y]:5:1\n 3: 5\n");
    csspgo_tracker *t = csspgo_tracker_new(p, NULL, NULL);
    csspgo_ctx *c = csspgo_ctx_new(NULL, NULL);
    csspgo_block_finder *finder;
    csspgo_ctx_prune_options how;
    csspgo_frame frame;
    csspgo_node cut = csspgo_find(q, "main:3 @ y");
    csspgo_inline_node in;
    csspgo_probe probe[2];
    csspgo_code_graph graph;
    memset(&frame, 0, sizeof frame);
    frame.func = csspgo_func_find(q, "y", 1);
    SAID_OF(csspgo_tracker_find(t, &frame, 1), "csspgo_tracker_find: no such function");
    SAID_OF(csspgo_tracker_enter(t, &frame, 1), "csspgo_tracker_enter: no such function");
    memset(&how, 0, sizeof how);
    how.cut = &cut;
    how.cuts = 1;
    SAID_OF(csspgo_ctx_prune(c, &how, NULL), "csspgo_ctx_prune: no such node");
    memset(&in, 0, sizeof in);
    in.guid = csspgo_guid("main", 4);
    memset(probe, 0, sizeof probe);
    probe[0].address = MAIN;
    probe[0].id = probe[0].inline_node = 1;
    probe[1] = probe[0];
    SAID_OF(csspgo_code_add_probes(code, csspgo_no_module(), &in, 1, probe, 2, NULL),
            "csspgo_code_add_probes: a probe stands twice in the call");
    finder = csspgo_block_finder_new(code, NULL, NULL);
    csspgo_code_free(code);
    T_CHECK(said(NULL));
    SAID_OF(csspgo_code_cfg(finder, MAIN, &graph, NULL), "csspgo_code_cfg: the csspgo_code was freed already");
    csspgo_block_finder_free(finder);
    csspgo_ctx_free(c);
    csspgo_tracker_free(t);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    T_CHECK(said(NULL));
}

/* A runtime's profile is shrunk in slices, or trimmed by the program: none of its own calls uses a node from before. */
static void a_runtime_in_little_memory_misuses_nothing(void)
{
    enum { FUNCTIONS = 40, STEP = 0x40, SAMPLES = 20000, FRAMES = 16 };
    csspgo_runtime_options how;
    csspgo_runtime *r;
    csspgo_runtime_stats stats;
    csspgo_error e;
    uint64_t stack[FRAMES], state = 1;
    unsigned i, k;
    memset(&how, 0, sizeof how);
    how.bytes = 1;
    how.max_branches = 4;
    how.max_frames = FRAMES;
    T_CHECK(csspgo_runtime_new(&how, NULL, &e) == NULL && said(NULL));
    how.bytes = strtoull(strstr(e.message, "the least is ") + strlen("the least is "), NULL, 10);
    r = csspgo_runtime_new(&how, NULL, &e);
    if (!T_MSG(r != NULL, e.message)) return;
    for (i = 0; i < FUNCTIONS; i++) {
        const uint64_t at = MAIN + i * (uint64_t)STEP;
        char name[3] = { 'f', (char)('0' + i / 8), (char)('0' + i % 8) };
        const csspgo_code_function f = { at, at + STEP, 0, 1, name, sizeof name, 0, 0 };
        const csspgo_transfer t[2] = { { at + 8, 0, 5, CSSPGO_CALL }, { at + 6, at, 2, CSSPGO_COND } };
        const csspgo_inline_node body = { csspgo_guid(name, sizeof name), 0, 0 };
        const csspgo_probe p[2] = { { at, 1, 0, 1, CSSPGO_PROBE_BLOCK, 0, 0 },
                                    { at + 8, 2, 0, 1, CSSPGO_PROBE_INDIRECT_CALL, 0, 0 } };
        const csspgo_code_unit unit = { &f, t, &body, p, 1, 2, 1, 2 };
        T_EQ(csspgo_runtime_emit(r, &unit, &e), CSSPGO_OK);
    }
    times_said = 0;
    for (i = 0; i < SAMPLES; i++) {
        csspgo_sample s;
        csspgo_branch b[2];
        memset(&s, 0, sizeof s);
        for (k = 0; k < FRAMES; k++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
            stack[k] = MAIN + (state >> 40) % FUNCTIONS * STEP + (k != 0 ? 0xd : 4);
        }
        b[0] = b[1] = branch(stack[0] + 2, stack[0] - 4);
        s.stack = stack;
        s.stack_count = FRAMES;
        s.branches = b;
        s.branch_count = 2;
        csspgo_runtime_push(r, 0, &s);
        csspgo_runtime_step(r, 300, &e);
        if (i % 700 == 699) {
            csspgo_cold_options trim;
            memset(&trim, 0, sizeof trim);
            trim.threshold = UINT64_MAX;
            trim.merge = 1;
            csspgo_runtime_lock(r);
            T_EQ(csspgo_trim_cold(csspgo_runtime_get_parts(r).profile, &trim, &e), CSSPGO_OK);
            csspgo_runtime_unlock(r);
        }
    }
    T_EQ(csspgo_runtime_profile(r, NULL, &e), CSSPGO_OK);
    stats = csspgo_runtime_get_stats(r);
    T_CHECK(stats.shrunk != 0);
    T_EQ(stats.counted + stats.queue_dropped, SAMPLES);
    T_CHECK(said(NULL));
    csspgo_runtime_free(r);
}

int main(void)
{
    a_correct_run_gets_no_advice();
    one_odd_branch_among_many_is_no_mistake();
    forgotten_transfers_are_counted_and_told();
    samples_of_other_code_are_told();
    arrays_the_wrong_way_round_are_told();
    refused_tables_are_told();
    probes_without_counts_are_told();
    a_damaged_code_map_is_told();
    lives_and_handles_are_checked();
    handles_of_another_profile_are_told();
    handles_of_before_a_rebuild_are_told();
    modules_of_another_map_are_told();
    null_pointers_are_told();
    the_same_probe_twice_is_told();
    probes_of_other_code_are_told();
    a_part_of_a_function_removed_is_told();
    short_stacks_and_counts_are_checked();
    freed_objects_are_told();
    parsers_freed_twice_are_told();
    objects_that_are_none_are_told();
    a_profile_that_was_taken_is_not_freed();
    memory_of_freed_objects_goes_back();
    refusals_without_an_error_are_told();
    what_arrays_hold_is_told();
    a_runtime_in_little_memory_misuses_nothing();
    T_EQ(private_names, 0);
    return t_end();
}
