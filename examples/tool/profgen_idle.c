/* profgen_idle.c - profgen: options that have no effect on this input or with the others */
#include "profgen.h"

enum { /* why; the first that holds is told */
    IDLE_SAMPLED = 1, IDLE_COUNTED = 2, IDLE_RAW = 4, IDLE_NO_RAW = 8, IDLE_FLAT = 16, IDLE_CONTEXTS = 32,
    IDLE_PREINLINER = 64, IDLE_NEST = 128, IDLE_MERGE = 256, IDLE_FORMAT = 512, IDLE_INFER = 1024, IDLE_STACKS = 2048,
    IDLE_DATA = 4096, IDLE_HOT = 8192, IDLE_COLD = 16384, IDLE_HOT_GIVEN = 32768, IDLE_COLD_GIVEN = 65536,
    IDLE_NO_RECORDING = IDLE_SAMPLED | IDLE_COUNTED,
    IDLE_WITH_PREINLINER = IDLE_RAW | IDLE_FLAT | IDLE_PREINLINER
};

/* Tells options that ask for something and get nothing; in compat mode they pass in silence, as in LLVM. */
void profgen_idle(const profgen *g, int contexts)
{
    static const char *const why[] = {
        "with --llvm-sample-profile", "with --unsymbolized-profile", "with --skip-symbolization",
        "without --skip-symbolization and --unsymbolized-profile", "without contexts", "with contexts",
        "without the pre-inliner", "with --gen-cs-nested-profile=0", "as cold contexts are not merged",
        "without --format=extbinary", "with --infer-missing-frames=0", "with call stacks", "with --perfdata",
        "as no hot contexts are told from cold ones", "as nothing cold is looked for",
        "with --profile-summary-hot-count", "with --profile-summary-cold-count" };
    static const struct { int option, idle; } rows[] = {
        { O_SKIP, IDLE_SAMPLED }, { O_PID, IDLE_NO_RECORDING }, { O_SHOW_MMAP, IDLE_NO_RECORDING },
        { O_KERNEL, IDLE_NO_RECORDING }, { O_DETAILS, IDLE_NO_RECORDING }, { O_IGNORE_STACK, IDLE_NO_RECORDING },
        { O_SPE, IDLE_NO_RECORDING }, { O_IMAGE_BASE, IDLE_NO_RECORDING },
        { O_PERF_BINARY, IDLE_NO_RECORDING },
        { O_BOGUS, IDLE_NO_RECORDING | IDLE_FLAT }, { O_LEADING, IDLE_NO_RECORDING },
        { O_EVENT, IDLE_NO_RECORDING }, { O_EVENTS, IDLE_NO_RECORDING },
        { O_PERIOD, IDLE_NO_RECORDING | IDLE_STACKS | IDLE_DATA }, { O_FIRST_LOADABLE, IDLE_NO_RAW },
        { O_FORMAT, IDLE_RAW }, { O_MD5, IDLE_RAW }, { O_COMPRESS_ALL, IDLE_RAW }, { O_PARTIAL, IDLE_RAW },
        { O_SPLIT, IDLE_RAW }, { O_SYMBOLS, IDLE_RAW | IDLE_FORMAT }, { O_SHOW_PROBES, IDLE_RAW },
        { O_SHOW_DENSITY, IDLE_RAW }, { O_DENSITY, IDLE_RAW }, { O_DENSITY_CUTOFF, IDLE_RAW },
        { O_COMPRESS, IDLE_SAMPLED | IDLE_FLAT }, { O_DEPTH, IDLE_SAMPLED | IDLE_FLAT },
        { O_SEARCH_DEPTH, IDLE_SAMPLED | IDLE_RAW | IDLE_FLAT | IDLE_INFER },
        { O_FILL, IDLE_SAMPLED | IDLE_RAW }, { O_TOTALS, IDLE_SAMPLED | IDLE_RAW | IDLE_CONTEXTS },
        { O_REPLAY, IDLE_WITH_PREINLINER }, { O_HOT_INLINE, IDLE_WITH_PREINLINER },
        { O_COLD_INLINE, IDLE_WITH_PREINLINER }, { O_GROWTH, IDLE_WITH_PREINLINER },
        { O_LIMIT_MIN, IDLE_WITH_PREINLINER }, { O_LIMIT_MAX, IDLE_WITH_PREINLINER }, { O_AGAIN, IDLE_WITH_PREINLINER },
        { O_SIZES, IDLE_WITH_PREINLINER }, { O_DEBUG_SIZES, IDLE_WITH_PREINLINER },
        { O_SORT, IDLE_WITH_PREINLINER }, { O_PREINLINER, IDLE_RAW | IDLE_FLAT },
        { O_INFER, IDLE_SAMPLED | IDLE_RAW | IDLE_FLAT }, { O_MERGE_COLD, IDLE_RAW | IDLE_FLAT },
        { O_COLD_DEPTH, IDLE_RAW | IDLE_FLAT | IDLE_MERGE }, { O_NESTED, IDLE_RAW | IDLE_FLAT },
        { O_KEEP_BASE, IDLE_RAW | IDLE_FLAT | IDLE_NEST }, { O_TRIM, IDLE_RAW },
        { O_CUTOFF_HOT, IDLE_RAW | IDLE_HOT | IDLE_HOT_GIVEN }, { O_HOT_COUNT, IDLE_RAW | IDLE_HOT },
        { O_CUTOFF_COLD, IDLE_RAW | IDLE_COLD | IDLE_COLD_GIVEN }, { O_COLD_COUNT, IDLE_RAW | IDLE_COLD } };
    const option *o = g->o;
    const int merge = o[O_MERGE_COLD].text != NULL ? o[O_MERGE_COLD].number != 0 : !o[O_PREINLINER].number;
    const int raw = o[O_SKIP].number && g->sampled == NULL;
    int state = 0;
    size_t i, k;
    if (g->tool->compat) return;
    state |= g->sampled != NULL ? IDLE_SAMPLED : g->unsymbolized != NULL ? IDLE_COUNTED : 0;
    state |= raw ? IDLE_RAW : g->unsymbolized == NULL ? IDLE_NO_RAW : 0;
    state |= contexts ? IDLE_CONTEXTS : IDLE_FLAT;
    state |= o[O_PREINLINER].number ? 0 : IDLE_PREINLINER;
    state |= o[O_NESTED].number ? 0 : IDLE_NEST;
    state |= merge ? 0 : IDLE_MERGE;
    state |= o[O_FORMAT].number != 0 ? IDLE_FORMAT : 0;
    state |= o[O_INFER].number ? 0 : IDLE_INFER;
    state |= g->stacks ? IDLE_STACKS : 0;
    state |= g->perfdata != NULL ? IDLE_DATA : 0;
    state |= contexts && (merge || o[O_TRIM].number) ? 0 : IDLE_HOT;
    state |= (contexts ? o[O_PREINLINER].number : o[O_TRIM].number) ? 0 : IDLE_COLD;
    state |= o[O_HOT_COUNT].text != NULL ? IDLE_HOT_GIVEN : 0;
    state |= o[O_COLD_COUNT].text != NULL ? IDLE_COLD_GIVEN : 0;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        const option *x = &o[rows[i].option];
        const int asks = x->kind == OPT_SWITCH ? x->text != NULL && x->number : x->kind == OPT_LIST ? x->count != 0
                                                                                                : x->text != NULL;
        const int idle = state & rows[i].idle;
        for (k = 0; !(idle >> k & 1) && k < sizeof why / sizeof *why; k++) {}
        if (asks && idle != 0) warn(g->tool, "--%s has no effect %s", x->name, why[k]);
    }
}
