/* bottleneck_report.h - what a csspgo_bottleneck found, and its bounds, as text and as JSON
 *
 * In ONE source file, behind csspgo.h:                  Elsewhere:
 *     #define CSSPGO_WITH_BOTTLENECK                        #define CSSPGO_WITH_BOTTLENECK
 *     #include "csspgo.h"                                   #include "csspgo.h"
 *     #define CSSPGO_BOTTLENECK_REPORT_IMPLEMENTATION       #include "bottleneck_report.h"
 *     #include "bottleneck_report.h"
 *
 * HOW TO report why a block is slow
 *
 *     static int how_to_report_a_bottleneck(void)
 *     {
 *         csspgo_sim_machine machine = csspgo_sim_generic_ooo();
 *         csspgo_sim_instruction loop = csspgo_sim_generic_instruction(CSSPGO_SIM_DIVIDE);
 *         const char *text = "idiv rax, rcx", *reg = "rax";
 *         csspgo_sim_def quotient = { 0, 20 };                         // register, latency in cycles
 *         const uint32_t rax = 0;
 *         csspgo_bottleneck_report_options how;
 *         csspgo_bottleneck *b;
 *         csspgo_status s;
 *         csspgo_error e;
 *         char report[2000];
 *         size_t size;
 *
 *         loop.def = &quotient;
 *         loop.read = &rax;
 *         loop.defs = loop.reads = 1;
 *         memset(&how, 0, sizeof how);
 *         how.names.instruction = &text;
 *         how.names.reg = &reg;
 *         how.names.regs = 1;
 *         b = csspgo_bottleneck_simulate(&machine, &loop, 1, 100, NULL, &e);
 *         s = b != NULL ? csspgo_bottleneck_report(b, &how, report, sizeof report, &size, &e) : e.status;
 *         if (s == CSSPGO_OK) printf("%.*s", (int)size, report);
 *         csspgo_bottleneck_free(b);
 *         return s != CSSPGO_OK;
 *     }
 *
 * The text is llvm-mca's, with more in front of it. It uses only what csspgo.h shows to everyone: copy this file and
 * change it. Part of csspgo, same licence.
 */
#ifndef CSSPGO_SHARE_BOTTLENECK_REPORT_H
#define CSSPGO_SHARE_BOTTLENECK_REPORT_H

#if !defined(CSSPGO_VERSION) || !defined(CSSPGO_WITH_BOTTLENECK)
#  error "include csspgo.h, with CSSPGO_WITH_BOTTLENECK, before bottleneck_report.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What things are called in reports. All zero: numbers. Of a model (sim_model.h): its block's text, reg and regs. */
typedef struct csspgo_bottleneck_names {
    const char *const *instruction;   /* the texts of the n instructions, "" where there is none; NULL: no texts   */
    const char *const *reg;           /* of the registers 0 to regs - 1; NULL, also in places: "register 5"        */
    size_t             regs;
} csspgo_bottleneck_names;

typedef enum csspgo_bottleneck_form {
    CSSPGO_BOTTLENECK_TEXT = 0,
    CSSPGO_BOTTLENECK_JSON = 1,
    CSSPGO_BOTTLENECK_FORM_FORCE_32 = 0x7fffffff
} csspgo_bottleneck_form;

/* All zero: text, numbers as names, no bounds. */
typedef struct csspgo_bottleneck_report_options {
    csspgo_bottleneck_form  form;
    csspgo_bottleneck_names names;
    const csspgo_bottleneck_bounds *bounds;     /* of the same block; NULL: not in the report                      */
    const csspgo_bottleneck_step   *chain;      /* bounds->steps of them; NULL: none                               */
} csspgo_bottleneck_report_options;

/*
 * Writes what was found, after csspgo_bottleneck_finish.
 *
 * Text. The bounds, the largest one and its chain; the part of the cycles with pressure of each kind, and the critical
 * sequence. In LLVM mode, and without bounds, this is what llvm-mca 19 prints, with the two line ends before it.
 *
 *     latency chain 7.0, ports 4.0 (JMul), issue 1.0 cycles per iteration; measured by simulation 7.2
 *     Bound by the latency chain: 7 cycles every iteration
 *       0.          imulq %rax, %rax                            6 cycles, %rax
 *       1.          addq $1, %rax                               1 cycle, %rax, to the next iteration
 *
 * JSON. One object with the keys BottleneckAnalysis, as llvm-mca 20 prints it in an element of CodeRegions; Bounds; and
 * Instructions, if their texts are known.
 *
 *   how         NULL: defaults
 *   buf, cap    get as much as fits; NULL and 0: only the size is wanted
 *   size        NULL, or gets the size needed
 *
 * Returns   CSSPGO_OK; E_ARGUMENT: not finished, an unknown form; E_SHORT: buf is too short
 * Cost      O(output), no memory
 * Source    LLVM 19 and 20: BottleneckAnalysis of llvm-mca
 */
CSSPGO_DEF csspgo_status csspgo_bottleneck_report(const csspgo_bottleneck *b,
                                                  const csspgo_bottleneck_report_options *how, void *buf, size_t cap,
                                                  size_t *size, csspgo_error *err);

#ifdef __cplusplus
}
#endif
#endif /* CSSPGO_SHARE_BOTTLENECK_REPORT_H */

#if defined(CSSPGO_BOTTLENECK_REPORT_IMPLEMENTATION) && !defined(CSSPGO_BOTTLENECK_REPORT_IMPLEMENTATION_INCLUDED)
#define CSSPGO_BOTTLENECK_REPORT_IMPLEMENTATION_INCLUDED

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct csspgo__printer {
    unsigned char *buf;           /* the caller's                                                   */
    size_t         cap;
    uint64_t       size;          /* bytes written so far, whether they fitted or not               */
    uint32_t       column;        /* of the next byte, from 0; tabs go to the next multiple of 8    */
    uint32_t       inside, first; /* JSON: open brackets; nothing stands in the last one yet        */
    const csspgo_bottleneck *b;
    csspgo_bottleneck_view   view;
    csspgo_bottleneck_stats  stats;
    const csspgo_bottleneck_resource *of_bit[64];      /* the resource with that bit; NULL: there is none */
    const csspgo_bottleneck_report_options *how;
} csspgo__printer;

/* ----- putting text ----- */

static void csspgo__print_bytes(csspgo__printer *p, const void *data, size_t size)
{
    const size_t room = p->size < p->cap ? p->cap - (size_t)p->size : 0, fit = size < room ? size : room;
    if (fit != 0) memcpy(p->buf + p->size, data, fit);
    p->size += size;
}

/* Writes text and knows its column afterwards, as LLVM does: a byte of UTF-8 that goes on with a character has none. */
static void csspgo__print(csspgo__printer *p, const char *text)
{
    const char *c;
    for (c = text; *c != '\0'; c++)
        if (*c == '\n') p->column = 0;
        else if (*c == '\t') p->column = (p->column | 7) + 1;
        else p->column += ((unsigned char)*c & 0xc0) != 0x80;
    csspgo__print_bytes(p, text, (size_t)(c - text));
}

static void csspgo__print_number(csspgo__printer *p, uint64_t v)
{
    unsigned char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (unsigned char)('0' + v % 10);
        v /= 10;
    } while (v != 0);
    csspgo__print_bytes(p, digits + at, sizeof digits - at);
    p->column += (uint32_t)(sizeof digits - at);
}

/* Blanks up to a column, at least one. */
static void csspgo__print_pad(csspgo__printer *p, uint32_t column)
{
    do csspgo__print(p, " ");
    while (p->column < column);
}

/* ----- names ----- */

/* The index of the highest bit of a mask, which is a resource's own one; the mask is not 0. */
static uint32_t csspgo__printer_bit(uint64_t mask)
{
    uint32_t bit = 0;
    while ((mask >>= 1) != 0) bit++;
    return bit;
}

/* The name of the resource with the highest bit of this mask. */
static void csspgo__print_resource(csspgo__printer *p, uint64_t mask)
{
    const uint32_t bit = csspgo__printer_bit(mask);
    const csspgo_bottleneck_resource *r = p->of_bit[bit];
    csspgo__print(p, r != NULL && r->name != NULL ? r->name : "unit ");
    if (r == NULL || r->name == NULL) csspgo__print_number(p, bit);
}

static void csspgo__print_register(csspgo__printer *p, uint64_t reg)
{
    const csspgo_bottleneck_names *names = &p->how->names;
    const char *name = names->reg != NULL && reg < names->regs ? names->reg[reg] : NULL;
    csspgo__print(p, name != NULL ? name : "register ");
    if (name == NULL) csspgo__print_number(p, reg);
}

/* The text of instruction i; NULL: it has none. */
static const char *csspgo__printer_text(const csspgo__printer *p, uint32_t i)
{
    const char *text = p->how->names.instruction != NULL ? p->how->names.instruction[i] : NULL;
    return text != NULL && *text != '\0' ? text : NULL;
}

/* v / 100, with two digits behind the point. */
static void csspgo__print_hundredths(csspgo__printer *p, uint64_t v)
{
    csspgo__print_number(p, v / 100);
    csspgo__print(p, ".");
    csspgo__print_number(p, v / 10 % 10);
    csspgo__print_number(p, v % 10);
}

/* ----- text ----- */

/*
 * A part of all cycles in percent, rounded in doubles as LLVM does it: floor(count * 100 / cycles * 100 + 0.5) / 100.
 * x is volatile so that each step is rounded to a double, also where registers have more bits (x87).
 */
static void csspgo__print_percent(csspgo__printer *p, const char *what, uint64_t count)
{
    volatile double x = (double)count * 100;
    x /= (double)p->stats.cycles;
    x *= 100;
    x += 0.5;
    csspgo__print(p, what);
    csspgo__print(p, "[ ");
    csspgo__print_hundredths(p, (uint64_t)x);
    csspgo__print(p, "% ]\n");
}

/* Which kinds of pressure there were, in how many of the cycles. */
static void csspgo__print_pressure(csspgo__printer *p)
{
    size_t i;
    csspgo__print_percent(p, "Cycles with backend pressure increase ", p->stats.pressure);
    csspgo__print(p, "Throughput Bottlenecks: \n");
    csspgo__print_percent(p, "  Resource Pressure       ", p->stats.resources);
    for (i = 0; i < p->view.resources; i++) {
        const uint64_t cycles = csspgo_bottleneck_pressure(p->b, i);
        if (cycles == 0) continue;
        csspgo__print(p, "  - ");
        csspgo__print_resource(p, p->view.resource[i].mask);
        csspgo__print_percent(p, "  ", cycles);
    }
    csspgo__print_percent(p, "  Data Dependencies:      ", p->stats.data);
    csspgo__print_percent(p, "  - Register Dependencies ", p->stats.registers);
    csspgo__print_percent(p, "  - Memory Dependencies   ", p->stats.memory);
}

/* An instruction of the block behind a mark that says what it has to do with the sequence. */
static void csspgo__print_instruction(csspgo__printer *p, const char *mark, uint32_t i)
{
    csspgo__print(p, "\n");
    csspgo__print(p, mark);
    csspgo__print_number(p, i);
    csspgo__print(p, ".");
    if (csspgo__printer_text(p, i) == NULL) return;
    csspgo__print_pad(p, 14);
    csspgo__print(p, csspgo__printer_text(p, i));
}

static void csspgo__print_carried(csspgo__printer *p)
{
    csspgo__print(p, "\n |\n |    < loop carried > \n |");
}

/* Why an instruction waited for the one before it in the sequence. */
static void csspgo__print_reason(csspgo__printer *p, const csspgo_bottleneck_edge *e)
{
    csspgo__print_pad(p, 58);
    if (e->type == CSSPGO_BOTTLENECK_ON_REGISTER) {
        csspgo__print(p, "## REGISTER dependency:  ");
        csspgo__print_register(p, e->key);
    } else if (e->type == CSSPGO_BOTTLENECK_ON_MEMORY) {
        csspgo__print(p, "## MEMORY dependency.");
    } else {
        csspgo__print(p, "## RESOURCE interference:  ");
        csspgo__print_resource(p, e->key);
        csspgo__print(p, " [ probability: ");
        csspgo__print_number(p, (uint64_t)e->frequency * 100 / p->view.iterations);
        csspgo__print(p, "% ]");
    }
}

/*
 * The critical sequence between the block's other instructions. `at` is the next instruction to print; n of them when
 * the last edge has led to the next iteration.
 */
static void csspgo__print_sequence(csspgo__printer *p)
{
    const csspgo_bottleneck_edge *e = p->view.critical, *end = e + p->view.edges;
    const uint32_t n = p->view.n, from = e->from % n;
    uint32_t at = 0;
    csspgo__print(p, "\nCritical sequence based on the simulation:\n\n");
    csspgo__print_pad(p, 14);
    csspgo__print(p, "Instruction");
    csspgo__print_pad(p, 58);
    csspgo__print(p, "Dependency Information");
    if (from < e->to % n)
        while (at < from) csspgo__print_instruction(p, "        ", at++);
    csspgo__print_instruction(p, " +----< ", from);
    if (from < e->to % n) at++;
    else csspgo__print_carried(p);
    for (; e < end; e++) {
        const uint32_t to = e->to % n, stop = at > to ? n : to;
        while (at < stop) csspgo__print_instruction(p, " |      ", at++);
        if (at != to) csspgo__print_carried(p);
        csspgo__print_instruction(p, " +----> ", to);
        csspgo__print_reason(p, e);
        at++;
    }
    while (at < n) csspgo__print_instruction(p, "        ", at++);
    csspgo__print(p, "\n");
}

/* floor(20 * cycles / iterations), at most 2^64 - 1. */
static uint64_t csspgo__printer_twentieths(csspgo_bottleneck_ratio r)
{
    const uint64_t whole = r.iterations != 0 ? r.cycles / r.iterations : UINT64_MAX;
    uint64_t rest, sum = 0, v;
    unsigned i;
    if (whole > UINT64_MAX / 20) return UINT64_MAX;
    rest = r.cycles % r.iterations;
    v = whole * 20;
    for (i = 0; i < 20; i++) {                        /* 20 * rest need not fit 64 bits */
        const int carry = sum >= r.iterations - rest;
        sum = carry ? sum - (r.iterations - rest) : sum + rest;
        if (carry && v != UINT64_MAX) v++;
    }
    return v;
}

/* Tenths of cycles per iteration, rounded to the nearest; of two, up. */
static void csspgo__print_tenths(csspgo__printer *p, const char *what, csspgo_bottleneck_ratio r)
{
    const uint64_t twentieths = csspgo__printer_twentieths(r), v = twentieths / 2 + (twentieths & 1);
    csspgo__print(p, what);
    csspgo__print_number(p, v / 10);
    csspgo__print(p, ".");
    csspgo__print_number(p, v % 10);
}

/* The units of a resource; of a group, those of its members. */
static uint64_t csspgo__printer_units(const csspgo__printer *p, const csspgo_bottleneck_resource *r)
{
    uint64_t units = r->units, left = r->mask;
    uint32_t bit;
    for (bit = 0; left != 0; left >>= 1, bit++)
        if ((left & 1) && p->of_bit[bit] != NULL) units |= p->of_bit[bit]->units;
    return units;
}

/* The resource whose units are these; NULL: there is none. */
static const csspgo_bottleneck_resource *csspgo__printer_group(const csspgo__printer *p, uint64_t units)
{
    size_t i;
    for (i = 0; i < p->view.resources; i++)
        if (csspgo__printer_units(p, &p->view.resource[i]) == units) return &p->view.resource[i];
    return NULL;
}

/* What a set of units is called: by the name of a resource that has them all, else by those that have some. */
static void csspgo__print_units(csspgo__printer *p, uint64_t units)
{
    const csspgo_bottleneck_resource *r = csspgo__printer_group(p, units);
    const char *between = "";
    size_t i;
    if (r != NULL) csspgo__print_resource(p, r->mask);
    for (i = 0; r == NULL && i < p->view.resources; i++) {
        if ((p->view.resource[i].units & units) == 0) continue;
        csspgo__print(p, between);
        csspgo__print_resource(p, p->view.resource[i].mask);
        between = ", ";
    }
}

static void csspgo__print_plural(csspgo__printer *p, uint64_t n, const char *what)
{
    csspgo__print_number(p, n);
    csspgo__print(p, what);
    if (n != 1) csspgo__print(p, "s");
}

/* The loop-carried chain, one instruction a line: its text, what the next one waits for, and for how long. */
static void csspgo__print_chain(csspgo__printer *p, const csspgo_bottleneck_bounds *bounds)
{
    const csspgo_bottleneck_step *s = p->how->chain, *end = s + (s != NULL ? bounds->steps : 0);
    csspgo__print(p, "Bound by the latency chain: ");
    csspgo__print_plural(p, bounds->latency.cycles, " cycle");
    csspgo__print(p, " every ");
    if (bounds->latency.iterations == 1) csspgo__print(p, "iteration");
    else csspgo__print_plural(p, bounds->latency.iterations, " iteration");
    for (; s < end; s++) {
        csspgo__print_instruction(p, "  ", s->instruction);
        csspgo__print_pad(p, 58);
        csspgo__print_plural(p, s->latency, " cycle");
        csspgo__print(p, ", ");
        if (s->type == CSSPGO_BOTTLENECK_ON_REGISTER) csspgo__print_register(p, s->reg);
        else csspgo__print(p, "memory");
        if (s->carried) csspgo__print(p, ", to the next iteration");
    }
}

/* The bounds, and what the largest one comes from. */
static void csspgo__print_bounds(csspgo__printer *p, const csspgo_bottleneck_bounds *bounds)
{
    csspgo_bottleneck_ratio measured;
    measured.cycles = p->stats.cycles;
    measured.iterations = p->view.iterations;
    csspgo__print_tenths(p, "latency chain ", bounds->latency);
    csspgo__print_tenths(p, ", ports ", bounds->ports);
    if (bounds->units != 0) {
        csspgo__print(p, " (");
        csspgo__print_units(p, bounds->units);
        csspgo__print(p, ")");
    }
    csspgo__print_tenths(p, ", issue ", bounds->issue);
    csspgo__print_tenths(p, " cycles per iteration; measured by simulation ", measured);
    csspgo__print(p, "\n");
    if (bounds->largest == CSSPGO_BOTTLENECK_BY_LATENCY) {
        csspgo__print_chain(p, bounds);
    } else if (bounds->largest == CSSPGO_BOTTLENECK_BY_PORTS) {
        csspgo__print(p, "Bound by the ports: ");
        csspgo__print_units(p, bounds->units);
    } else if (bounds->largest == CSSPGO_BOTTLENECK_BY_ISSUE) {
        csspgo__print(p, "Bound by issue: the width of the machine");
    } else csspgo__print(p, "Bound by nothing");
    csspgo__print(p, "\n");
    if (p->view.llvm == 0) csspgo__print(p, "\n");
}

/* The report as text. Without stalls of the front end pressure did no harm: LLVM then finds no bottleneck. */
static void csspgo__print_text(csspgo__printer *p)
{
    if (p->how->bounds != NULL) csspgo__print_bounds(p, p->how->bounds);
    if (p->view.llvm != 0) csspgo__print(p, "\n\n");
    if (!p->stats.stalled || p->stats.pressure == 0) {
        csspgo__print(p, "No resource or data dependency bottlenecks discovered.\n");
        return;
    }
    csspgo__print_pressure(p);
    if (p->view.edges != 0) csspgo__print_sequence(p);
    if (p->view.llvm == 0)
        csspgo__print(p, "\nAn estimate: caches, branches and the front end are not in the model.\n");
}

/* ----- JSON, laid out as LLVM does it: two blanks for each level, keys ascending ----- */

/* Begins a value: a comma behind the one before it, a line of its own, its key if it stands in an object. */
static void csspgo__json_next(csspgo__printer *p, const char *key)
{
    uint32_t i;
    if (p->inside) csspgo__print(p, p->first ? "\n" : ",\n");
    for (i = 0; i < p->inside; i++) csspgo__print(p, "  ");
    p->first = 0;
    if (key == NULL) return;
    csspgo__print(p, "\"");
    csspgo__print(p, key);
    csspgo__print(p, "\": ");
}

/* Begins an object or an array, and ends it; an empty one has nothing between its brackets. */
static void csspgo__json_open(csspgo__printer *p, const char *key, const char *bracket)
{
    csspgo__json_next(p, key);
    csspgo__print(p, bracket);
    p->inside++;
    p->first = 1;
}

static void csspgo__json_close(csspgo__printer *p, const char *bracket)
{
    uint32_t i;
    p->inside--;
    if (!p->first) csspgo__print(p, "\n");
    for (i = 0; i < p->inside && !p->first; i++) csspgo__print(p, "  ");
    csspgo__print(p, bracket);
    p->first = 0;
}

static void csspgo__json_number(csspgo__printer *p, const char *key, uint64_t v)
{
    csspgo__json_next(p, key);
    csspgo__print_number(p, v);
}

/* The bytes of the character of UTF-8 at c; 0 if it is none, a surrogate or longer than need be. */
static unsigned csspgo__json_utf8(const unsigned char *c)
{
    const unsigned n = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
    unsigned i;
    for (i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    if (n == 3 && ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f))) return 0;
    if (n == 4 && ((c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))) return 0;
    return n;
}

/* A string between quotes. What is not UTF-8 becomes U+FFFD. */
static void csspgo__json_text(csspgo__printer *p, const char *text)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned char *c = (const unsigned char *)text;
    csspgo__print_bytes(p, "\"", 1);
    while (*c != '\0') {
        const unsigned n = csspgo__json_utf8(c);
        const char escaped[6] = { '\\', 'u', '0', '0', hex[*c >> 4], hex[*c & 15] };
        if (*c == '"' || *c == '\\') csspgo__print_bytes(p, "\\", 1);
        if (*c == '\t') csspgo__print_bytes(p, "\\t", 2);
        else if (*c == '\n') csspgo__print_bytes(p, "\\n", 2);
        else if (*c == '\r') csspgo__print_bytes(p, "\\r", 2);
        else if (*c < ' ') csspgo__print_bytes(p, escaped, 6);
        else if (n == 0) csspgo__print_bytes(p, "\xef\xbf\xbd", 3);
        else csspgo__print_bytes(p, c, n);
        c += n != 0 ? n : 1;
    }
    csspgo__print_bytes(p, "\"", 1);
}

/* The name of a resource as a key. */
static void csspgo__json_resource(csspgo__printer *p, const csspgo_bottleneck_resource *r)
{
    csspgo__json_next(p, NULL);
    if (r->name != NULL) csspgo__json_text(p, r->name);
    else {
        csspgo__print(p, "\"");
        csspgo__print_resource(p, r->mask);
        csspgo__print(p, "\"");
    }
}

/* The resources that were found busy, each an object of its own with the cycles. */
static void csspgo__json_pressure(csspgo__printer *p)
{
    size_t i;
    csspgo__json_open(p, "ResourcePressure", "[");
    for (i = 0; i < p->view.resources; i++) {
        const uint64_t cycles = csspgo_bottleneck_pressure(p->b, i);
        if (cycles == 0) continue;
        csspgo__json_open(p, NULL, "{");
        csspgo__json_resource(p, &p->view.resource[i]);
        csspgo__print(p, ": ");
        csspgo__print_number(p, cycles);
        csspgo__json_close(p, "}");
    }
    csspgo__json_close(p, "]");
}

/* What llvm-mca 20 prints. The ids of edges are nodes of the graph; their types are csspgo_bottleneck_type. */
static void csspgo__json_analysis(csspgo__printer *p)
{
    const csspgo_bottleneck_stats *s = &p->stats;
    const csspgo_bottleneck_edge *e = p->view.critical, *end = e + p->view.edges;
    csspgo__json_open(p, "BottleneckAnalysis", "{");
    if (!s->stalled || s->pressure == 0) {
        csspgo__json_number(p, "PressureIncreaseCycles", 0);
        csspgo__json_close(p, "}");
        return;
    }
    csspgo__json_number(p, "DataDependencyCycles", s->data);
    csspgo__json_open(p, "DependencyEdge", "[");
    for (; e < end; e++) {
        csspgo__json_open(p, NULL, "{");
        csspgo__json_number(p, "FromID", e->from);
        csspgo__json_number(p, "ResourceOrRegID", e->key);
        csspgo__json_number(p, "ToID", e->to);
        csspgo__json_number(p, "Type", (uint64_t)e->type);
        csspgo__json_close(p, "}");
    }
    csspgo__json_close(p, "]");
    csspgo__json_number(p, "MemoryDependencyCycles", s->memory);
    csspgo__json_number(p, "PressureIncreaseCycles", s->pressure);
    csspgo__json_number(p, "RegisterDependencyCycles", s->registers);
    csspgo__json_pressure(p);
    csspgo__json_number(p, "ResourcePressureCycles", s->resources);
    csspgo__json_number(p, "TotalCycles", s->cycles);
    csspgo__json_close(p, "}");
}

static void csspgo__json_ratio(csspgo__printer *p, const char *key, uint64_t cycles, uint64_t iterations)
{
    csspgo__json_open(p, key, "{");
    csspgo__json_number(p, "Cycles", cycles);
    csspgo__json_number(p, "Iterations", iterations);
    csspgo__json_close(p, "}");
}

/* The steps of the chain, as in csspgo_bottleneck_step. */
static void csspgo__json_chain(csspgo__printer *p, const csspgo_bottleneck_bounds *bounds)
{
    size_t i;
    csspgo__json_open(p, "Chain", "[");
    for (i = 0; p->how->chain != NULL && i < bounds->steps; i++) {
        const csspgo_bottleneck_step *s = &p->how->chain[i];
        csspgo__json_open(p, NULL, "{");
        csspgo__json_number(p, "Carried", s->carried);
        csspgo__json_number(p, "Instruction", s->instruction);
        csspgo__json_number(p, "Latency", s->latency);
        csspgo__json_number(p, "RegID", s->reg);
        csspgo__json_number(p, "Type", (uint64_t)s->type);
        csspgo__json_close(p, "}");
    }
    csspgo__json_close(p, "]");
}

/* The bounds; LLVM has none. */
static void csspgo__json_bounds(csspgo__printer *p, const csspgo_bottleneck_bounds *bounds)
{
    static const char by[][12] = { "\"Nothing\"", "\"Latency\"", "\"Ports\"", "\"Issue\"" };
    size_t i;
    csspgo__json_open(p, "Bounds", "{");
    csspgo__json_chain(p, bounds);
    csspgo__json_ratio(p, "Issue", bounds->issue.cycles, bounds->issue.iterations);
    csspgo__json_next(p, "Largest");
    csspgo__print(p, by[bounds->largest & 3]);
    csspgo__json_ratio(p, "Latency", bounds->latency.cycles, bounds->latency.iterations);
    csspgo__json_ratio(p, "Measured", p->stats.cycles, p->view.iterations);
    csspgo__json_ratio(p, "Ports", bounds->ports.cycles, bounds->ports.iterations);
    csspgo__json_open(p, "PortsOf", "[");
    for (i = 0; i < p->view.resources; i++)
        if ((p->view.resource[i].units & bounds->units) != 0) csspgo__json_resource(p, &p->view.resource[i]);
    csspgo__json_close(p, "]");
    csspgo__json_close(p, "}");
}

static void csspgo__print_json(csspgo__printer *p)
{
    uint32_t i;
    csspgo__json_open(p, NULL, "{");
    csspgo__json_analysis(p);
    if (p->how->bounds != NULL) csspgo__json_bounds(p, p->how->bounds);
    if (p->how->names.instruction != NULL) {
        csspgo__json_open(p, "Instructions", "[");
        for (i = 0; i < p->view.n; i++) {
            csspgo__json_next(p, NULL);
            csspgo__json_text(p, csspgo__printer_text(p, i) != NULL ? csspgo__printer_text(p, i) : "");
        }
        csspgo__json_close(p, "]");
    }
    csspgo__json_close(p, "}");
    csspgo__print(p, "\n");
}

/* ----- the report ----- */

/* Fills err in and begins its message, which goes on by printing to `text`. */
static csspgo_status csspgo__printer_error(csspgo_error *err, csspgo_status status, uint64_t offset,
                                          csspgo__printer *text, const char *message)
{
    memset(text, 0, sizeof *text);
    if (err == NULL) return status;
    memset(err, 0, sizeof *err);
    err->status = status;
    err->offset = offset;
    text->buf = (unsigned char *)err->message;
    text->cap = sizeof err->message - 1;
    csspgo__print(text, message);
    return status;
}

static csspgo_status csspgo__printer_deny(csspgo_error *err, const char *why)
{
    csspgo__printer text;
    csspgo__printer_error(err, CSSPGO_E_ARGUMENT, 0, &text, "csspgo_bottleneck_report: ");
    csspgo__print(&text, why);
    return CSSPGO_E_ARGUMENT;
}

/* The end of a report: *size gets what is needed; E_SHORT if buf was short. */
static csspgo_status csspgo__printer_end(const csspgo__printer *p, size_t *size, csspgo_error *err)
{
    csspgo__printer text;
    if (p->size > SIZE_MAX)
        return csspgo__printer_error(err, CSSPGO_E_LIMIT, 0, &text, csspgo_status_text(CSSPGO_E_LIMIT));
    if (size != NULL) *size = (size_t)p->size;
    if (p->buf == NULL || p->size <= p->cap) return csspgo__printer_error(err, CSSPGO_OK, 0, &text, "");
    csspgo__printer_error(err, CSSPGO_E_SHORT, p->cap, &text, "the buffer has room for ");
    csspgo__print_number(&text, p->cap);
    csspgo__print(&text, " of ");
    csspgo__print_number(&text, p->size);
    csspgo__print(&text, " bytes");
    return CSSPGO_E_SHORT;
}

CSSPGO_DEF csspgo_status csspgo_bottleneck_report(const csspgo_bottleneck *b,
                                                  const csspgo_bottleneck_report_options *how, void *buf, size_t cap,
                                                  size_t *size, csspgo_error *err)
{
    csspgo_bottleneck_report_options defaults;
    csspgo__printer p;
    size_t i;
    memset(&defaults, 0, sizeof defaults);
    memset(&p, 0, sizeof p);
    p.buf = (unsigned char *)buf;
    p.cap = buf != NULL ? cap : 0;
    p.b = b;
    p.view = csspgo_bottleneck_get_view(b);
    p.stats = csspgo_bottleneck_get_stats(b);
    p.how = how != NULL ? how : &defaults;
    if (size != NULL) *size = 0;
    for (i = 0; i < p.view.resources; i++)
        p.of_bit[csspgo__printer_bit(p.view.resource[i].mask)] = &p.view.resource[i];
    if (!p.stats.finished) return csspgo__printer_deny(err, "the analysis is not finished");
    if (p.how->form == CSSPGO_BOTTLENECK_TEXT) csspgo__print_text(&p);
    else if (p.how->form == CSSPGO_BOTTLENECK_JSON) csspgo__print_json(&p);
    else return csspgo__printer_deny(err, "unknown form of a report");
    return csspgo__printer_end(&p, size, err);
}

#ifdef __cplusplus
}
#endif
#endif /* CSSPGO_BOTTLENECK_REPORT_IMPLEMENTATION */
