/* wasm.c - a program that needs no C library: reads a profile, writes it in two forms, collects samples of code with
 * probes, makes a profile of them, pre-inlines it and carries it to changed code. wasm.sh compares the bytes that it
 * puts out as WebAssembly with those of the same program compiled for the machine, with its C library.
 *
 * As WebAssembly it exports wasm_input(size), where size bytes of a profile are put, wasm_run(size), which returns how
 * many bytes came out, and wasm_output(), where they are. NATIVE: main reads standard input and writes standard output.
 */
#define CSSPGO_ALL
#define CSSPGO_STATIC
#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"

/* Memory from one block. What was allocated last is given back, other memory is not; the rest is a free list of sizes. */
enum { ARENA = 96 << 20, OUTPUT = 8 << 20, INPUT = 1 << 20, CLASSES = 40 };
static union { uint64_t align; unsigned char bytes[ARENA]; } arena;
static unsigned char out[OUTPUT];
static char in[INPUT];
static size_t used, out_size;
static void *free_list[CLASSES];

static unsigned class_of(size_t size)
{
    unsigned c = 4;
    while (((size_t)1 << c) < size) c++;
    return c;
}

static void *give(void *ctx, size_t size)
{
    const unsigned c = class_of(size);
    const size_t bytes = (size_t)1 << c;
    void *p = free_list[c];
    (void)ctx;
    if (p != NULL) {
        free_list[c] = *(void **)p;
        return p;
    }
    if (bytes > ARENA - used) return NULL;
    p = arena.bytes + used;
    used += bytes;
    return p;
}

static void take(void *ctx, void *p, size_t size)
{
    const unsigned c = class_of(size);
    (void)ctx;
    *(void **)p = free_list[c];
    free_list[c] = p;
}

/* ----- output: texts and profiles, one behind the other; a failed call puts its sentence there -------------------- */

static void put(const char *text)
{
    while (*text != '\0' && out_size < OUTPUT) out[out_size++] = (unsigned char)*text++;
}

static void put_error(const char *call, const csspgo_error *e)
{
    put(call);
    put(": ");
    put(csspgo_status_name(e->status));
    put(" ");
    put(e->message);
    put("\n");
}

static void put_profile(const csspgo_profile *p, uint32_t form)
{
    csspgo_error e;
    size_t size = 0;
    if (csspgo_write(p, form, out + out_size, OUTPUT - out_size, &size, &e) != CSSPGO_OK) put_error("write", &e);
    out_size += size;
    put("\n----\n");
}

/* ----- code: main calls f or g at random, f calls g; each is a loop of a few blocks ---------------------------------- */

enum { MAIN = 0x1000, F = 0x2000, G = 0x3000, BRANCHES = 16 };

static void put_function(csspgo_code *code, uint64_t at, const char *name, size_t size, const csspgo_transfer *t,
                         size_t transfers)
{
    const csspgo_module none = csspgo_no_module();
    csspgo_code_function f = { 0, 0, 0, 0, NULL, 0, 0, 0 };
    csspgo_inline_node in = { 0, 0, 0 };
    csspgo_probe probe[4];
    csspgo_error e;
    uint32_t i;
    f.begin = at;
    f.end = at + 0x100;
    f.checksum = 7 + size;
    f.name = name;
    f.name_size = size;
    in.guid = csspgo_guid(name, size);
    for (i = 0; i < 4; i++) {
        const csspgo_probe one = { at + 0x20 * i, i + 1, 0, 1, i == 3 ? CSSPGO_PROBE_DIRECT_CALL : 0, 0, 0 };
        probe[i] = one;
    }
    if (csspgo_code_add_function(code, none, &f, &e) != CSSPGO_OK) put_error("function", &e);
    if (csspgo_code_add_transfers(code, none, t, transfers, &e) != CSSPGO_OK) put_error("transfers", &e);
    if (csspgo_code_add_probes(code, none, &in, 1, probe, 4, &e) != CSSPGO_OK) put_error("probes", &e);
}

static csspgo_code *make_code(const csspgo_options *o)
{
    static const csspgo_transfer of_main[] = { { MAIN + 0x60, F, 5, CSSPGO_CALL }, { MAIN + 0x80, G, 5, CSSPGO_CALL },
                                               { MAIN + 0x90, MAIN + 0x10, 2, CSSPGO_COND } };
    static const csspgo_transfer of_f[] = { { F + 0x30, F + 0x40, 2, CSSPGO_COND }, { F + 0x60, G, 5, CSSPGO_CALL },
                                            { F + 0x70, 0, 1, CSSPGO_RET } };
    static const csspgo_transfer of_g[] = { { G + 0x30, G + 0x20, 2, CSSPGO_COND }, { G + 0x70, 0, 1, CSSPGO_RET } };
    csspgo_error e;
    csspgo_code *code = csspgo_code_new(o, &e);
    if (code == NULL) {
        put_error("code", &e);
        return NULL;
    }
    put_function(code, MAIN, "main", 4, of_main, 3);
    put_function(code, F, "f", 1, of_f, 3);
    put_function(code, G, "g", 1, of_g, 2);
    return code;
}

static csspgo_branch window[BRANCHES];           /* newest first */
static uint32_t windows;                         /* how many are in it */
static uint64_t dice = 1;

static uint32_t roll(uint32_t sides)
{
    dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(dice >> 33) % sides;
}

static void ran(uint64_t from, uint64_t to)
{
    memmove(window + 1, window, (BRANCHES - 1) * sizeof *window);
    memset(window, 0, sizeof *window);
    window[0].from = from;
    window[0].to = to;
    if (windows < BRANCHES) windows++;
}

/* Takes a sample at `at`, called from the addresses in the rest of the stack. */
static void sample(csspgo_collector *c, uint64_t at, uint64_t caller, uint64_t outer)
{
    uint64_t stack[3];
    csspgo_sample s;
    csspgo_error e;
    if (roll(3) != 0 || windows < BRANCHES) return;
    memset(&s, 0, sizeof s);
    stack[0] = at;
    stack[1] = caller;
    stack[2] = outer;
    s.stack = stack;
    s.stack_count = outer != 0 ? 3 : 2;
    s.branches = window;
    s.branch_count = BRANCHES;
    s.count = 1;
    if (csspgo_collector_add(c, &s, 1, &e) != CSSPGO_OK) put_error("add", &e);
}

static void run_g(csspgo_collector *c, uint64_t from, uint64_t outer)
{
    uint32_t i;
    ran(from, G);
    for (i = roll(6); i != 0; i--) ran(G + 0x30, G + 0x20);
    sample(c, G + 0x50, from + 5, outer);
    ran(G + 0x70, from + 5);
}

static void run_main(csspgo_collector *c, uint32_t rounds)
{
    for (; rounds != 0; rounds--) {
        ran(MAIN + 0x60, F);
        if (roll(4) == 0) ran(F + 0x30, F + 0x40);
        run_g(c, F + 0x60, MAIN + 0x65);
        sample(c, F + 0x68, MAIN + 0x65, 0);
        ran(F + 0x70, MAIN + 0x65);
        run_g(c, MAIN + 0x80, 0);
        ran(MAIN + 0x90, MAIN + 0x10);
    }
}

/* ----- the steps -------------------------------------------------------------------------------------------------- */

static void copies(const csspgo_options *o, size_t size)
{
    csspgo_error e;
    csspgo_profile *p = csspgo_load(in, size, o, &e);
    if (p == NULL) {
        put_error("load", &e);
        return;
    }
    put_profile(p, CSSPGO_TEXT);
    put_profile(p, CSSPGO_EXTBINARY);
    if (csspgo_flatten(p, &e) != CSSPGO_OK) put_error("flatten", &e);
    put_profile(p, CSSPGO_TEXT);
    csspgo_profile_free(p);
}

/* The new g has a block and a call in front. */
static void match(const csspgo_options *o, const csspgo_profile *p)
{
    csspgo_match_loc loc[6];
    csspgo_match_code f;
    csspgo_error e;
    csspgo_profile *q = csspgo_profile_new(o, &e);
    csspgo_matcher *m = csspgo_matcher_new(NULL, o, &e);
    uint64_t lost = 0;
    uint32_t i;
    memset(&f, 0, sizeof f);
    memset(loc, 0, sizeof loc);
    for (i = 0; i < 6; i++) loc[i].loc = csspgo_loc_at(i + 1, 0);
    loc[4].kind = CSSPGO_MATCH_CALL;
    loc[4].callee = csspgo_guid("g", 1);
    f.name = "f";
    f.name_size = 1;
    f.checksum = 99;
    f.loc = loc;
    f.locs = 6;
    if (csspgo_matcher_module(m, p, &f, 1, NULL, &e) != CSSPGO_OK) put_error("module", &e);
    if (csspgo_matcher_apply(m, p, q, &lost, &e) != CSSPGO_OK) put_error("apply", &e);
    put_profile(q, CSSPGO_TEXT);
    csspgo_matcher_free(m);
    csspgo_profile_free(q);
}

static void collect(const csspgo_options *o)
{
    static char report[4000];
    csspgo_error e;
    csspgo_code *code = make_code(o);
    csspgo_collector *c = csspgo_collector_new(code, NULL, o, &e);
    csspgo_profile *p = csspgo_profile_new(o, &e);
    size_t size = 0;
    if (c == NULL || p == NULL) {
        put_error("collector", &e);
        return;
    }
    run_main(c, 4000);
    csspgo_collector_report_text(c, report, sizeof report - 1, &size, 0);
    report[size < sizeof report ? size : sizeof report - 1] = '\0';
    put(report);
    if (csspgo_collector_profile(c, NULL, p, NULL, &e) != CSSPGO_OK) put_error("profile", &e);
    put_profile(p, CSSPGO_TEXT);
    put_profile(p, CSSPGO_EXTBINARY);
    match(o, p);
    if (csspgo_preinline(p, NULL, NULL, &e) != CSSPGO_OK) put_error("preinline", &e);
    put_profile(p, CSSPGO_TEXT);
    csspgo_profile_free(p);
    csspgo_collector_free(c);
    csspgo_code_free(code);
}

#ifdef NATIVE
#  define EXPORT(name) static
#else
#  define EXPORT(name) __attribute__((export_name(#name)))
EXPORT(wasm_input) char *wasm_input(size_t size);
EXPORT(wasm_output) unsigned char *wasm_output(void);
EXPORT(wasm_run) size_t wasm_run(size_t size);
#endif

EXPORT(wasm_input) char *wasm_input(size_t size)
{
    return size <= INPUT ? in : NULL;
}

EXPORT(wasm_output) unsigned char *wasm_output(void)
{
    return out;
}

/* All steps with the profile that is in the input. */
EXPORT(wasm_run) size_t wasm_run(size_t size)
{
    csspgo_options o;
    memset(&o, 0, sizeof o);
    o.allocator.alloc_fn = give;
    o.allocator.free_fn = take;
    out_size = 0;
    copies(&o, size);
    collect(&o);
    return out_size;
}

#ifdef NATIVE
#  include <stdio.h>
int main(void)
{
    const size_t n = fread(wasm_input(0), 1, INPUT, stdin);
    return fwrite(wasm_output(), 1, wasm_run(n), stdout) == 0;
}
#endif
