/* report.c - what bottleneck found, as text and as JSON */
#include "bottleneck.h"

static const char estimate[] = "caches, branches and the front end are not modelled";

static const char *verdict_name(hot_verdict v)
{
    static const char *const names[] = { "unknown", "latency", "ports", "issue", "short", "none" };
    return names[v];
}

static double ratio(csspgo_bottleneck_ratio r)
{
    return r.iterations != 0 ? (double)r.cycles / (double)r.iterations : 0;
}

static double largest(const csspgo_bottleneck_bounds *b)
{
    return b->largest == CSSPGO_BOTTLENECK_BY_LATENCY ? ratio(b->latency) :
           b->largest == CSSPGO_BOTTLENECK_BY_PORTS ? ratio(b->ports) : ratio(b->issue);
}

/* Of the cycles in this context those that the verdict names, in percent. */
static double explained(const hot_path *p, const hot_context *c)
{
    const double all = (double)c->cycles;
    const double v = c->verdict == HOT_SHORT ? (double)c->single : largest(&p->bounds) * (c->iterations - 1);
    return all > 0 && v < all ? v / all * 100 : all > 0 ? 100 : 0;
}

static double cycles_of(const hot_context *c)
{
    return c->iterations != 0 ? (double)c->count * (double)c->cycles / c->iterations : 0;
}

static double part(double a, double b)
{
    return b > 0 ? a / b * 100 : 0;
}

static uint64_t executions(const hot_path *p)
{
    uint64_t sum = 0;
    size_t i;
    for (i = 0; i < p->contexts; i++) sum = sum_of(sum, p->context[i].count);
    return sum;
}

/* The name of a register, or its number as text. */
static const char *reg_name(const hot_path *p, uint32_t reg, char number[16])
{
    const char *name = csspgo_sim_model_register(p->model, reg);
    if (name != NULL) return name;
    snprintf(number, 16, "r%u", reg);
    return number;
}

/* The names of resources that have one of these units, in one string. */
static void unit_names(const hot_path *p, char *text, size_t size)
{
    const csspgo_sim_block b = csspgo_sim_model_block(p->model);
    size_t i, n = 0;
    text[0] = '\0';
    for (i = 0; i < b.machine.resources && n < size; i++) {
        const csspgo_bottleneck_resource *x = &b.machine.resource[i];
        if ((x->units & p->bounds.units) == 0 || x->name == NULL) continue;
        n += (size_t)snprintf(text + n, size - n, "%s%s", n != 0 ? ", " : "", x->name);
    }
}

/* ----- text ------------------------------------------------------------------------------------------------------- */

static void text_verdict(const hot_path *p, const hot_context *c, char *text, size_t size)
{
    static const char *const words[] = { "not modelled", "latency chain", "ports", "issue width",
                                         "a single pass: too few iterations", "no bound alone, most" };
    static const char *const most[] = { "", ": latency chain", ": ports", ": issue width" };
    if (c->verdict == HOT_SHORT && !p->loop) snprintf(text, size, "a single pass: it is no loop");
    else if (c->verdict == HOT_UNKNOWN) snprintf(text, size, "%s", words[0]);
    else snprintf(text, size, "%s%s, %.0f%% of its cycles", words[c->verdict],
                  c->verdict == HOT_NO_BOUND ? most[p->bounds.largest] : "", explained(p, c));
}

static void text_context(bottleneck_run *r, const hot_path *p, const hot_context *c, FILE *out)
{
    char verdict[100], trips[24] = "-";
    if (p->loop && c->entries != 0) snprintf(trips, sizeof trips, "%.1f", (double)c->count / (double)c->entries);
    text_verdict(p, c, verdict, sizeof verdict);
    fprintf(out, "   %8.2f%%  %8s  ", percent(c->count, executions(p)), p->loop && c->entries == 0 ? "many" : trips);
    if (c->cycles != 0) fprintf(out, "%10.2f  ", (double)c->cycles / c->iterations);
    else fprintf(out, "%10s  ", "-");
    fprintf(out, "%-52s  ", verdict);
    if (c->node.id != 0) put_context_shown(r->in.tool, r->in.p, c->node, out);
    else fprintf(out, "%" PRIu64 " other context%s", c->others, c->others == 1 ? "" : "s");
    fputc('\n', out);
}

/* The slowest loop-carried chain, instruction by instruction. */
static void text_chain(const hot_path *p, FILE *out)
{
    char number[16];
    size_t i;
    if (!p->loop || p->bounds.steps == 0) return;
    fprintf(out, "   The slowest chain from iteration to iteration, %" PRIu64 " cycle%s in %" PRIu64 " iteration%s:\n",
            p->bounds.latency.cycles, p->bounds.latency.cycles == 1 ? "" : "s", p->bounds.latency.iterations,
            p->bounds.latency.iterations == 1 ? "" : "s");
    for (i = 0; i < p->bounds.steps; i++) {
        const csspgo_bottleneck_step *s = &p->chain[i];
        fprintf(out, "     %3u. %-44s %3u cycle%s, %s%s\n", s->instruction, p->text[s->instruction], s->latency,
                s->latency == 1 ? "" : "s",
                s->type == CSSPGO_BOTTLENECK_ON_MEMORY ? "memory" : reg_name(p, s->reg, number),
                s->carried ? ", to the next iteration" : "");
    }
}

/* The critical sequence of a single pass: what waited for what. */
static void text_pass(const hot_path *p, FILE *out)
{
    const uint32_t n = (uint32_t)p->insns;
    char number[16];
    size_t i;
    fprintf(out, "   The critical sequence of a single pass:\n");
    for (i = 0; i < p->passes; i++) {
        const csspgo_bottleneck_edge *e = &p->pass[i];
        fprintf(out, "     %3u. %-44s %s\n", e->from % n, p->text[e->from % n],
                e->type == CSSPGO_BOTTLENECK_ON_MEMORY ? "memory" :
                e->type == CSSPGO_BOTTLENECK_ON_RESOURCE ? "a unit that both need" :
                reg_name(p, (uint32_t)e->key, number));
    }
    fprintf(out, "     %3u. %s\n", p->pass[i - 1].to % n, p->text[p->pass[i - 1].to % n]);
}

static void text_path(bottleneck_run *r, size_t i, FILE *out)
{
    const hot_path *p = &r->path[i];
    char units[400];
    size_t k;
    fprintf(out, "\n%u. ", (unsigned)i + 1);
    put_shown(r->in.tool, p->name, strlen(p->name), out);
    fprintf(out, ", %s at 0x%" PRIx64 ": %u block%s, %u instructions", p->loop ? "loop" : "path", p->begin[0],
            (unsigned)p->blocks, p->blocks == 1 ? "" : "s", (unsigned)p->insns);
    if (p->source != NULL) fputs(", ", out), put_safe(p->source, strlen(p->source), out);
    fprintf(out, "\n   %.2f%% of all instructions executed", percent(p->weight, r->weight));
    if (p->cycles > 0) fprintf(out, ", %.2f%% of the cycles estimated here", part(p->cycles, r->cycles));
    fputc('\n', out);
    if (p->why != NULL) fprintf(out, "   Not modelled: %s\n", p->why);
    else {
        unit_names(p, units, sizeof units);
        fprintf(out, "   Bounds: ");
        if (p->loop) fprintf(out, "latency chain %.2f, ", ratio(p->bounds.latency));
        fprintf(out, "ports %.2f (%s), issue %.2f cycles%s\n", ratio(p->bounds.ports), units, ratio(p->bounds.issue),
                p->loop ? " per iteration" : "");
    }
    if (p->copies > 1)
        fprintf(out, "   The code is there %" PRIu64 " times, each time with the same share of its counts\n",
                p->copies);
    if (p->doubt != NULL) fprintf(out, "   The model is less exact than llvm-mca's: %s\n", p->doubt);
    fprintf(out, "   %9s  %8s  %10s  %-52s  context\n", "executed", "trips", "cycles", "bound by");
    for (k = 0; k < p->contexts; k++) text_context(r, p, &p->context[k], out);
    if (p->why == NULL) text_chain(p, out);
    if (p->passes != 0) text_pass(p, out);
}

static void text_all(bottleneck_run *r, FILE *out)
{
    size_t i;
    fprintf(out, "Hot blocks on %s. This is an estimate: %s.\n", r->mcpu, estimate);
    fprintf(out, "Trips: average iterations of a loop each time it is entered. Cycles: per iteration, simulated; a\n"
                 "path that is no loop is simulated alone, though other code would overlap with it.\n");
    for (i = 0; i < r->paths; i++) text_path(r, i, out);
}

/* ----- JSON ------------------------------------------------------------------------------------------------------- */

static void json_member(FILE *out, const char *key, const char *text)
{
    fprintf(out, "\"%s\": ", key);
    if (text != NULL) json_string(out, text, strlen(text));
    else fputs("null", out);
}

static void json_ratio(FILE *out, const char *key, csspgo_bottleneck_ratio x)
{
    fprintf(out, "\"%s\": {\"cycles\": %" PRIu64 ", \"iterations\": %" PRIu64 "}", key, x.cycles, x.iterations);
}

static void json_context(bottleneck_run *r, const hot_path *p, const hot_context *c, FILE *out)
{
    char *context = c->node.id != 0 ? context_text(r->in.p, c->node) : NULL;
    fputs("        {", out);
    json_member(out, "context", context);
    fprintf(out, ", \"others\": %" PRIu64 ", \"count\": %" PRIu64 ", \"share\": %.4f, \"entries\": %" PRIu64 ",\n",
            c->others, c->count, percent(c->count, executions(p)) / 100, c->entries);
    fprintf(out, "         \"iterations\": %u, \"cycles\": %" PRIu64 ", \"single\": %" PRIu64
            ", \"verdict\": \"%s\", \"explained\": %.4f, \"cycle_share\": %.4f}", c->iterations, c->cycles, c->single,
            verdict_name(c->verdict), c->cycles != 0 ? explained(p, c) / 100 : 0, part(cycles_of(c), r->cycles) / 100);
    free(context);
}

static void json_model(const hot_path *p, FILE *out)
{
    static const char *const causes[] = { "none", "latency", "ports", "issue" };
    char units[400], number[16];
    size_t i;
    unit_names(p, units, sizeof units);
    fputs("      \"bounds\": {", out);
    json_ratio(out, "latency", p->bounds.latency);
    fputs(", ", out);
    json_ratio(out, "ports", p->bounds.ports);
    fputs(", ", out);
    json_member(out, "units", units);
    fputs(", ", out);
    json_ratio(out, "issue", p->bounds.issue);
    fprintf(out, ", \"largest\": \"%s\"},\n      \"chain\": [", causes[p->bounds.largest]);
    for (i = 0; i < p->bounds.steps; i++) {
        const csspgo_bottleneck_step *s = &p->chain[i];
        fprintf(out, "%s\n        {\"instruction\": %u, \"latency\": %u, \"carried\": %s, ", i != 0 ? "," : "",
                s->instruction, s->latency, s->carried ? "true" : "false");
        json_member(out, "on", s->type == CSSPGO_BOTTLENECK_ON_MEMORY ? "memory" : reg_name(p, s->reg, number));
        fputc('}', out);
    }
    fputs("],\n      \"single_pass\": [", out);
    for (i = 0; i < p->passes; i++) {
        const csspgo_bottleneck_edge *e = &p->pass[i];
        fprintf(out, "%s\n        {\"from\": %u, \"to\": %u, ", i != 0 ? "," : "", e->from % (uint32_t)p->insns,
                e->to % (uint32_t)p->insns);
        json_member(out, "on", e->type == CSSPGO_BOTTLENECK_ON_MEMORY ? "memory" :
                             e->type == CSSPGO_BOTTLENECK_ON_RESOURCE ? "unit" :
                             reg_name(p, (uint32_t)e->key, number));
        fputc('}', out);
    }
    fputs("],\n", out);
}

static void json_path(bottleneck_run *r, const hot_path *p, FILE *out)
{
    size_t i;
    fputs("    {\n      ", out);
    json_member(out, "function", p->name);
    fprintf(out, ", \"address\": %" PRIu64 ", \"loop\": %s, ", p->begin[0], p->loop ? "true" : "false");
    json_member(out, "source", p->source);
    fprintf(out, ",\n      \"copies\": %" PRIu64 ", \"instruction_share\": %.4f, \"cycle_share\": %.4f, ", p->copies,
            percent(p->weight, r->weight) / 100, part(p->cycles, r->cycles) / 100);
    json_member(out, "not_modelled", p->why);
    fputs(", ", out);
    json_member(out, "inexact", p->doubt);
    fputs(",\n      \"blocks\": [", out);
    for (i = 0; i < p->blocks; i++)
        fprintf(out, "%s{\"begin\": %" PRIu64 ", \"end\": %" PRIu64 "}", i != 0 ? ", " : "", p->begin[i], p->end[i]);
    fputs("],\n      \"instructions\": [", out);
    for (i = 0; i < p->insns; i++) {
        if (i != 0) fputs(", ", out);
        json_string(out, p->text[i], strlen(p->text[i]));
    }
    fputs("],\n", out);
    if (p->why == NULL) json_model(p, out);
    fputs("      \"contexts\": [\n", out);
    for (i = 0; i < p->contexts; i++) {
        if (i != 0) fputs(",\n", out);
        json_context(r, p, &p->context[i], out);
    }
    fputs("\n      ]\n    }", out);
}

static void json_all(bottleneck_run *r, FILE *out)
{
    size_t i;
    fputs("{\n  ", out);
    json_member(out, "cpu", r->mcpu);
    fputs(",\n  ", out);
    json_member(out, "estimate", estimate);
    fputs(",\n  \"paths\": [", out);
    for (i = 0; i < r->paths; i++) {
        fputs(i != 0 ? ",\n" : "\n", out);
        json_path(r, &r->path[i], out);
    }
    fputs("\n  ]\n}\n", out);
}

int hot_report(bottleneck_run *r, FILE *out)
{
    if (r->o[B_JSON].number) json_all(r, out);
    else if (r->paths != 0) text_all(r, out);
    return 1;
}
