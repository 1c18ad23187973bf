/* hands.h - samples by hand and out of scripts, and collectors as text. To be included after t.h and table.h. */
#ifndef HANDS_H
#define HANDS_H

static csspgo_collector_options no_options(void)
{
    csspgo_collector_options how;
    memset(&how, 0, sizeof how);
    how.llvm = 19;
    return how;
}

/* A collector that does what llvm-profgen does. */
static csspgo_collector *llvm_collector(csspgo_code *code, const csspgo_options *o)
{
    const csspgo_collector_options how = no_options();
    return csspgo_collector_new(code, &how, o, NULL);
}

/* The counters as unsymbolized text, for free(). */
static char *text_of(csspgo_collector *c, const csspgo_unsymbolized_options *how, size_t *size)
{
    csspgo_error err;
    char *text;
    size_t again;
    *size = 0;
    if (!T_EQ(csspgo_write_unsymbolized(c, how, NULL, 0, size, &err), CSSPGO_OK)) return NULL;
    text = (char *)calloc(*size + 1, 1);              /* a 0 behind it, for messages */
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


/* ----- samples by hand, on the table of demo.probe ---------------------------------------------------------------- */

typedef struct hand {             /* a sample that owns its arrays */
    uint64_t      stack[80];
    csspgo_branch branch[80];
    csspgo_sample sample;
} hand;

static void hand_frame(hand *h, uint64_t address)
{
    h->stack[h->sample.stack_count++] = address;
}

static void hand_branch(hand *h, uint64_t from, uint64_t to)
{
    h->branch[h->sample.branch_count].from = from;
    h->branch[h->sample.branch_count++].to = to;
}

static void hand_begin(hand *h)
{
    memset(h, 0, sizeof *h);
    h->sample.stack = h->stack;
    h->sample.branches = h->branch;
    h->sample.count = 1;
}

/* Hybrid samples of a script without junk, addresses as they stand there. Returns their number; free() the list. */
static size_t hands_of(const char *script, hand **list)
{
    const char *line = script;
    hand h;
    size_t n = 0;
    *list = NULL;
    hand_begin(&h);
    for (; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        char *end;
        if (strncmp(line, " 0x", 3) == 0) {
            const char *at = line, *stop = line + strcspn(line, "\n");
            while (at < stop && h.sample.branch_count < 64) {   /* strstr would look at all that follows, each time */
                const uint64_t from = (uint64_t)strtoull(at, &end, 16);
                hand_branch(&h, from, (uint64_t)strtoull(end + 1, &end, 16));
                for (at = end; at < stop && *at != ' '; at++) {}
            }
            *list = (hand *)t_list_more(*list, n, sizeof **list);
            (*list)[n++] = h;
            hand_begin(&h);
        } else if (*line == '\t' && h.sample.stack_count < 64) {
            hand_frame(&h, (uint64_t)strtoull(line, NULL, 16));
        }
    }
    return n;
}

/* A copy's arrays are its own. */
static csspgo_sample hand_sample(const hand *h)
{
    csspgo_sample s = h->sample;
    s.stack = h->stack;
    s.branches = h->branch;
    return s;
}

static csspgo_status add_hand(csspgo_collector *c, const hand *h)
{
    const csspgo_sample s = hand_sample(h);
    return csspgo_collector_add(c, &s, 1, NULL);
}

/* Adds all of a list, beginning anywhere, every `step`th and round again (step and n have no common divisor). */
static void add_hands(csspgo_collector *c, const hand *list, size_t n, size_t from, size_t step)
{
    size_t i;
    for (i = 0; i < n; i++) T_EQ(add_hand(c, &list[(from + i * step) % n]), CSSPGO_OK);
}

static void expect_of(const char *what, csspgo_collector *c, const char *want)
{
    size_t size;
    char *got = text_of(c, NULL, &size);
    if (got != NULL) t_same(what, got, size, want, strlen(want));
    free(got);
}

/* ----- what the result must not depend on ------------------------------------------------------------------------- */

/* Runs body with all samples of a recorded program; want is what llvm-profgen makes of them. */
static void with_program(const char *name, void (*body)(t_table *t, const hand *list, size_t n, const char *want,
                                                        size_t want_size))
{
    char file[64];
    size_t size, want_size, n;
    t_table t;
    hand *list;
    char *script = file_of("data/generate", name, ".perfscript", &size);
    char *want = file_of("data/generate/out", name, ".cs.unsym", &want_size);
    snprintf(file, sizeof file, "%s.probe", name);
    if (script != NULL && want != NULL && load(&t, "data/generate/tables", file)) {
        n = hands_of(script, &list);
        T_CHECK(n > 20);
        body(&t, list, n, want, want_size);
        free(list);
        t_table_free(&t);
    }
    free(script);
    free(want);
}

/* ----- code that comes and goes ----------------------------------------------------------------------------------- */

enum { JIT = 0x10000 };

/* A function at JIT: a loop of one conditional branch at +4 back to +0, a return at +6. */
static void jit_emit(csspgo_code *code, const char *name, uint64_t size)
{
    csspgo_code_function f;
    csspgo_transfer x[2];
    csspgo_module none;
    none.id = 0;
    memset(&f, 0, sizeof f);
    memset(x, 0, sizeof x);
    f.begin = JIT;
    f.end = JIT + size;
    f.name = name;
    f.name_size = strlen(name);
    x[0].address = JIT + 4;
    x[0].target = JIT;
    x[0].size = 2;
    x[0].kind = CSSPGO_COND;
    x[1].address = JIT + 6;
    x[1].size = 1;
    x[1].kind = CSSPGO_RET;
    T_EQ(csspgo_code_add_function(code, none, &f, NULL), CSSPGO_OK);
    T_EQ(csspgo_code_add_transfers(code, none, x, 2, NULL), CSSPGO_OK);
}

static void jit_sample(csspgo_collector *c, uint64_t count)
{
    hand h;
    hand_begin(&h);
    hand_branch(&h, JIT + 4, JIT);
    hand_branch(&h, JIT + 4, JIT);
    h.sample.count = count;
    T_EQ(add_hand(c, &h), CSSPGO_OK);
}

#endif
