/* model.c - instructions of hot paths from llvm-objdump-19, models from llvm-mca-19, verdicts from both */
#include "bottleneck.h"
#include "../../mca/mca.h"

static const char objdump_name[] = "llvm-objdump-19", mca_name[] = "llvm-mca-19", mc_name[] = "llvm-mc-19";

/* ----- instructions ----------------------------------------------------------------------------------------------- */

static char *copy_of(const char *text)
{
    char *copy = (char *)malloc(strlen(text) + 1);
    return copy != NULL ? strcpy(copy, text) : NULL;
}

/* What an instruction is without comments, symbols and tabs. */
static void hot_clean(char *line)
{
    char *end = line + strcspn(line, "\n"), *p;
    *end = '\0';
    if ((p = strstr(line, " <")) != NULL) end = p;
    *end = '\0';
    for (p = line; *p != '\0'; p++)
        if (*p == '\t') *p = ' ';
    if ((p = strstr(line, " # ")) != NULL || (p = strstr(line, " // ")) != NULL) end = p;
    while (end > line && end[-1] == ' ') end--;
    *end = '\0';
}

/* Takes a line of llvm-objdump's output: "; FILE:LINE" or "    1234:      \tINSTRUCTION". */
static int hot_line(hot_path *p, char *line, size_t *cap)
{
    char *end, *colon;
    if (line[0] == ';' && line[1] == ' ' && p->source == NULL && p->insns == 0) {
        line[strcspn(line, "\n")] = '\0';
        colon = strrchr(line, ':');
        if (colon == NULL || colon[1] < '0' || colon[1] > '9') return 1;
        free(p->source);
        p->source = copy_of(line + 2);
        return p->source != NULL;
    }
    strtoull(line, &end, 16);
    if (end == line || *end != ':' || line[0] != ' ') return 1;
    end += 1 + strspn(end + 1, " \t");
    hot_clean(end);
    if (*end == '\0') return 1;
    if (p->insns == *cap) {
        char **v = (char **)realloc(p->text, 2 * (*cap + 16) * sizeof *v);
        if (v == NULL) return 0;
        p->text = v;
        *cap = 2 * (*cap + 16);
    }
    p->text[p->insns] = copy_of(end);
    return p->text[p->insns] != NULL && ++p->insns;
}

/* Disassembles the blocks of a path. */
static int hot_disassemble(const bottleneck_run *r, hot_path *p, const char *binary)
{
    char line[4096], *command = (char *)malloc(strlen(binary) + 300);
    size_t i, cap = 0;
    int ok = command != NULL;
    p->insns = 0;
    for (i = 0; ok && i < p->blocks; i++) {
        FILE *f;
        sprintf(command,
                "%s -d -l --no-show-raw-insn --no-leading-headers --start-address=0x%llx --stop-address=0x%llx %s "
                "2>/dev/null", objdump_name, (unsigned long long)p->begin[i], (unsigned long long)p->end[i], binary);
        f = popen(command, "r");
        while (f != NULL && ok && fgets(line, sizeof line, f) != NULL) ok = hot_line(p, line, &cap);
        if (f == NULL || pclose(f) != 0) return free(command), fail(r->in.tool, "%s does not work", objdump_name), 0;
    }
    free(command);
    if (!ok) return no_memory(r);
    if (p->insns == 0) p->why = copy_of("it has no instructions that can be disassembled");
    if (p->insns > HOT_LONGEST) p->why = copy_of("too many instructions");
    return 1;
}

/* ----- models ----------------------------------------------------------------------------------------------------- */

/* The assembly of a path. Targets of branches would be out of range where the assembler puts the block: "." is not. */
static void hot_assembly(mca_text *t, const hot_path *p, int aarch64)
{
    size_t i;
    mca_put(t, "# LLVM-MCA-BEGIN\n");
    for (i = 0; i < p->insns; i++) {
        const char *text = p->text[i], *target = strstr(text, " 0x");
        const int branch = text[0] == 'b' || strncmp(text, "cb", 2) == 0 || strncmp(text, "tb", 2) == 0 ||
                           strncmp(text, "adr", 3) == 0 || strncmp(text, "ldr", 3) == 0;
        if (aarch64 && branch && target != NULL && strchr(text, '[') == NULL)
            mca_put(t, "%.*s .\n", (int)(target - text), text);
        else mca_put(t, "%s\n", text);
    }
    mca_put(t, "# LLVM-MCA-END\n");
}

static uint64_t hot_simulate(const csspgo_sim_block *b, uint32_t iterations)
{
    csspgo_sim_result out;
    memset(&out, 0, sizeof out);
    if (csspgo_sim_run(&b->machine, b->instruction, b->count, iterations, NULL, NULL, &out, NULL) != CSSPGO_OK)
        return 0;
    return out.cycles;
}

/* Why a model is an estimate: what it says itself, or that llvm-mca took another time. NULL: it is exact. */
static char *hot_doubt(const csspgo_sim_block *b)
{
    const uint64_t cycles = b->cycles != 0 && b->estimate == NULL ? hot_simulate(b, b->iterations) : b->cycles;
    char text[120];
    if (b->estimate != NULL) return copy_of(b->estimate);
    if (cycles == b->cycles) return NULL;
    snprintf(text, sizeof text, "%" PRIu64 " cycles for %" PRIu32 " iterations, where llvm-mca takes %" PRIu64, cycles,
             b->iterations, b->cycles);
    return copy_of(text);
}

/* Takes the model of one path: its bounds, and the first reason why it is an estimate. */
static int hot_take(const bottleneck_run *r, hot_path *p, const char *text, size_t size)
{
    csspgo_sim_block b;
    csspgo_error e;
    p->model = csspgo_sim_model_read(text, size, seeded(), &e);
    if (p->model == NULL) return p->why = copy_of(plain(&e)), p->why != NULL || no_memory(r);
    b = csspgo_sim_model_block(p->model);
    p->chain = (csspgo_bottleneck_step *)malloc((b.count + 1) * sizeof *p->chain);
    p->doubt = hot_doubt(&b);
    if (p->chain == NULL || (b.estimate != NULL && p->doubt == NULL)) return no_memory(r);
    if (b.count != p->insns) p->why = copy_of("its instructions are not all known to llvm-mca");
    else if (csspgo_bottleneck_find_bounds(&b.machine, b.instruction, b.count, NULL, &p->bounds, p->chain, b.count,
                                           &e) != CSSPGO_OK)
        p->why = copy_of(plain(&e));
    return 1;
}

/* Drops what hot_take took. */
static void hot_forget(hot_path *p)
{
    csspgo_sim_model_free(p->model);
    free(p->why);
    free(p->doubt);
    free(p->chain);
    p->model = NULL;
    p->why = p->doubt = NULL;
    p->chain = NULL;
}

/* Models of n paths in one run of the measurement; 0 with the reason in why. */
static int hot_measure(bottleneck_run *r, hot_cache *cache, hot_path *const *p, size_t n, char *why, size_t why_size,
                       int *ok)
{
    mca_options how;
    mca_text t;
    char **models;
    size_t count, i;
    int made;
    memset(&how, 0, sizeof how);
    memset(&t, 0, sizeof t);
    how.mcpu = r->mcpu;
    how.mtriple = hot_triple(r);
    how.alias = r->o[B_ALIAS].number != 0;
    for (i = 0; i < n; i++) hot_assembly(&t, p[i], r->in.image.elf.machine == ELF_AARCH64);
    made = mca_models(&how, t.v, &models, &count, why, why_size);
    free(t.v);
    if (!made) return 0;
    for (i = 0; i < n && i < count && *ok; i++) {
        hot_cache_put(cache, p[i], models[i]);
        *ok = hot_take(r, p[i], models[i], strlen(models[i]));
    }
    mca_free(models, count);
    return 1;
}

/* 1 if LLVM's tools for measurements are there. */
static int hot_can_measure(const bottleneck_run *r)
{
    const char *const tools[] = { mca_name, mc_name };
    size_t i;
    for (i = 0; i < sizeof tools / sizeof *tools; i++)
        if (!in_path(tools[i]))
            return fail(r->in.tool, "%s is not in PATH: new code is measured with LLVM 19's llvm-mc and llvm-mca",
                        tools[i]), 0;
    return 1;
}

/* Models of all paths that are not known: together, or, if that fails, one by one, so that only what is at fault has none. */
static int hot_models(bottleneck_run *r)
{
    hot_path **v = (hot_path **)malloc((r->paths + 1) * sizeof *v);
    hot_cache cache;
    char why[200];
    size_t i, n = 0, failed = 0, size;
    int ok = 1;
    if (v == NULL) return no_memory(r);
    hot_cache_open(r, &cache);
    for (i = 0; ok && i < r->paths; i++) {
        hot_path *const p = &r->path[i];
        const char *const known = p->why == NULL ? hot_cache_find(&cache, p, &size) : NULL;
        if (known != NULL) ok = hot_take(r, p, known, size);
        else if (p->why == NULL) v[n++] = p;
        if (!ok || known == NULL || p->why == NULL) continue;
        hot_forget(p);                                /* the file is damaged */
        hot_cache_forget(&cache);
        v[n++] = p;
    }
    ok = ok && (n == 0 || hot_can_measure(r));
    if (ok && n != 0 && !hot_measure(r, &cache, v, n, why, sizeof why, &ok))
        for (i = 0; ok && i < n; i++) {
            if (hot_measure(r, &cache, &v[i], 1, why, sizeof why, &ok)) continue;
            failed++;
            v[i]->why = copy_of(why);
            ok = v[i]->why != NULL || no_memory(r);
        }
    if (ok && n != 0 && failed == n) ok = (fail(r->in.tool, "%s", why), 0);
    hot_cache_close(&cache);
    free(v);
    return ok;
}

/* ----- verdicts --------------------------------------------------------------------------------------------------- */

/* Cycles per iteration that the largest bound says. */
static double hot_bound(const csspgo_bottleneck_bounds *b)
{
    const csspgo_bottleneck_ratio *x = b->largest == CSSPGO_BOTTLENECK_BY_LATENCY ? &b->latency :
                                       b->largest == CSSPGO_BOTTLENECK_BY_PORTS ? &b->ports : &b->issue;
    return x->iterations != 0 ? (double)x->cycles / (double)x->iterations : 0;
}

/*
 * What binds a path in one context. Of its cycles, those of a single iteration are for filling and draining the
 * pipeline; the others are at the rate of the loop. Where the first are more, the path is too short for any bound to
 * matter; where the bound explains less than three quarters of the rate, something else costs more.
 */
static void hot_judge(hot_path *p, const csspgo_sim_block *b, hot_context *c)
{
    static const hot_verdict by[] = { HOT_NO_BOUND, HOT_LATENCY, HOT_PORTS, HOT_ISSUE };
    double steady;
    c->cycles = hot_simulate(b, c->iterations);
    c->single = hot_simulate(b, 1);
    if (c->cycles == 0 || c->single == 0) return;
    steady = c->cycles > c->single ? (double)(c->cycles - c->single) : 0;
    if (2 * steady < (double)c->cycles) c->verdict = HOT_SHORT;
    else if (hot_bound(&p->bounds) * (c->iterations - 1) < 0.75 * steady) c->verdict = HOT_NO_BOUND;
    else c->verdict = by[p->bounds.largest];
    p->cycles += (double)c->count * (double)c->cycles / c->iterations;
}

/* The critical sequence of a single pass, where that is what counts in some context. */
static int hot_single(const bottleneck_run *r, hot_path *p, const csspgo_sim_block *b)
{
    csspgo_bottleneck *a;
    csspgo_error e;
    size_t k;
    for (k = 0; k < p->contexts; k++) if (p->context[k].verdict == HOT_SHORT) break;
    if (k == p->contexts) return 1;
    a = csspgo_bottleneck_simulate(&b->machine, b->instruction, b->count, 1, NULL, &e);
    if (a == NULL) return fail(r->in.tool, "%s", plain(&e)), 0;
    p->passes = csspgo_bottleneck_get_critical(a, NULL, 0);
    p->pass = (csspgo_bottleneck_edge *)malloc((p->passes + 1) * sizeof *p->pass);
    if (p->pass != NULL) csspgo_bottleneck_get_critical(a, p->pass, p->passes);
    csspgo_bottleneck_free(a);
    return p->pass != NULL || no_memory(r);
}

/* The line of a path's first instruction, of a separate file. Returns 0: out of memory. */
static int hot_take_line(void *what, size_t number, const char *file, uint32_t line)
{
    hot_path *const p = (hot_path *)what;
    char *const text = (char *)malloc(strlen(file) + 20);
    (void)number;
    if (text == NULL) return 0;
    sprintf(text, "%s:%u", file, (unsigned)line);
    free(p->source);
    p->source = text;
    return 1;
}

int hot_model(bottleneck_run *r)
{
    char *binary;
    size_t i, k;
    int ok = 1;
    if (!in_path(objdump_name))
        return fail(r->in.tool, "%s is not in PATH: the command needs LLVM 19's llvm-objdump, llvm-mc and llvm-mca",
                    objdump_name), 0;
    binary = shell_word(r->o[B_BINARY].text);
    if (binary == NULL) return no_memory(r);
    for (i = 0; ok && i < r->paths; i++)
        ok = hot_disassemble(r, &r->path[i], binary) &&
             (source_lines(&r->in.image, &r->path[i].begin[0], 1, hot_take_line, &r->path[i]) || no_memory(r));
    free(binary);
    ok = ok && hot_models(r);
    for (i = 0; ok && i < r->paths; i++) {
        hot_path *p = &r->path[i];
        csspgo_sim_block b;
        if (p->why != NULL || p->model == NULL) continue;
        b = csspgo_sim_model_block(p->model);
        for (k = 0; k < p->contexts; k++) hot_judge(p, &b, &p->context[k]);
        ok = hot_single(r, p, &b);
        r->cycles += p->cycles;
    }
    return ok;
}
