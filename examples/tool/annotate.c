/* annotate.c - the command annotate: a function's code with its counts in each context in the margin */
#include "annotate.h"
#include "order.h"
#include "profdata.h"

static const option annotate_options[] = {
    OPTION("output", OPT_TEXT, "-", 0, "FILE", "where to; standard output is the default"),
    OPTION("binary", OPT_LIST, NULL, 0, "FILE",
           "the program (ELF), with pseudo probes, or else debug information if the profile is by source line; also "
           "its libraries"),
    DEBUG_BINARY,
    OPTION("profile", OPT_TEXT, NULL, 0, "FILE", "the profile, if it is not named without an option"),
    OPTION("function", OPT_LIST, NULL, 0, "NAME", "whose code is shown, as people write it or as the compiler has it"),
    OPTION("format", OPT_CHOICE, "text|html", 0, NULL, "of the output; html also where its name ends in .html"),
    OPTION("json", OPT_SWITCH, NULL, 0, NULL, "for programs"),
    OPTION("contexts", OPT_COUNT, NULL, 3, "N", "columns for so many contexts, the hottest ones"),
    OPTION("source", OPT_SWITCH, NULL, 0, NULL, "lines of source only, no instructions"),
    OPTION("quiet", OPT_SWITCH, NULL, 0, NULL, "no warnings, no progress"),
    OPTION("o", OPT_ALIAS, "output", 0, NULL, NULL),
    NO_DEMANGLE,
    ALLOW_EMPTY,
    DEBUG_DIRECTORY,
    OPTIONS_END
};

/* The command line. Returns 0 after saying what is wrong. */
static int annotate_check(annotate_run *a, int files, char **argv)
{
    static const int inputs[] = { N_BINARY, N_DEBUG_BINARY, N_PROFILE };
    const tool_context *const tool = a->b.tool;
    option *const o = a->b.o;
    const char *const name = o[N_OUTPUT].text;
    size_t i;
    if (files + (o[N_PROFILE].text != NULL) > 1) return usage(tool, "one profile only"), 0;
    if (files == 1) o[N_PROFILE].text = argv[0];
    if (o[N_PROFILE].text == NULL) return usage(tool, "which profile?"), 0;
    if (o[N_BINARY].count == 0) return usage(tool, "which program? --binary=FILE"), 0;
    if (o[N_FUNCTION].count == 0) return usage(tool, "which function? --function=NAME; show --top lists hot ones"), 0;
    if ((uint64_t)o[N_CONTEXTS].number > 100) return usage(tool, "--contexts: at most 100"), 0;
    for (i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (!output_spares_all(tool, name, &o[inputs[i]])) return 0;
    i = strlen(name);
    if (o[N_FORMAT].text == NULL && i > 5 && strcmp(name + i - 5, ".html") == 0) o[N_FORMAT].number = 1;
    return 1;
}

/* Reads the profile. Returns 0 after saying what is wrong. */
static int annotate_profile(annotate_run *a)
{
    const tool_context *const tool = a->b.tool;
    const char *const path = a->b.o[N_PROFILE].text;
    csspgo_error e;
    csspgo_status s;
    file_bytes f;
    if (kind_refused(tool, path, KIND_PROFILE)) return 0;
    a->b.p = profile_new(tool);
    if (a->b.p == NULL) return 0;
    if (!file_open(path, &f)) return fail(tool, "%s: %s", path, strerror(errno)), 0;
    s = file_read(a->b.p, path, &f, &e);
    file_close(&f);
    return s == CSSPGO_OK || (fail_at(tool, path, &e), 0);
}

/* 1 if a symbol is code of the function: its name, or that and what a compiler puts behind it. */
static int is_code_of(const annotate_run *a, const elf_symbol *y)
{
    const char *const dot = (const char *)memchr(y->name, '.', y->name_size);
    const uint64_t guid = csspgo_func_guid(a->b.p, a->func);
    if (y->type != ELF_FUNC || y->size == 0 || y->section == ELF_UNDEFINED || y->value > UINT64_MAX - y->size) return 0;
    if (csspgo_guid(y->name, y->name_size) == guid) return 1;
    return dot != NULL && dot != y->name && csspgo_guid(y->name, (size_t)(dot - y->name)) == guid;
}

/* The ranges of its code, by address; symbols of equal code once. */
static void annotate_ranges(annotate_run *a)
{
    const elf_image *const e = load_symbols(&a->b.image);
    elf_symbol y;
    uint32_t i;
    size_t k;
    for (i = 1; i < e->symbol_count && a->ranges < NOTE_RANGES; i++) {
        if (!elf_symbol_at(e, i, &y) || !is_code_of(a, &y)) continue;
        for (k = 0; k < a->ranges && a->end[k] <= y.value; k++) continue;
        if (k < a->ranges && a->begin[k] < y.value + y.size) continue;
        memmove(a->begin + k + 1, a->begin + k, (a->ranges - k) * sizeof *a->begin);
        memmove(a->end + k + 1, a->end + k, (a->ranges - k) * sizeof *a->end);
        a->begin[k] = y.value;
        a->end[k] = y.value + y.size;
        a->ranges++;
    }
}

/* Reads the program. Returns 0 after saying what is wrong. */
static int annotate_program(annotate_run *a)
{
    const char *const path = a->binary;
    const int by_probe = (csspgo_profile_flags(a->b.p) & CSSPGO_IS_PROBE) != 0;
    char why[PROGRAM_WHY];
    if (kind_refused(a->b.tool, path, KIND_PROGRAM) || kinds_refused(a->b.tool, &a->b.o[N_DEBUG_BINARY], KIND_PROGRAM))
        return 0;
    if (!(by_probe ? load_probed : load_program)(a->b.tool, &a->b.image, path, why, sizeof why))
        return fail(a->b.tool, "%s: %s", path, why), 0;
    if (load_symbols(&a->b.image)->symbol_count <= 1)
        return program_lacks(&a->b.image, "symbols", why, sizeof why), fail(a->b.tool, "%s: %s", path, why), 0;
    if (load_lacks(&a->b.image) & 1u << LOAD_LINES)
        program_missing(a->b.tool, &a->b.image, path, "no source is shown");
    return 1;
}

/* Forgets the function and the program that were shown last. */
static void annotate_forget(annotate_run *a)
{
    size_t i;
    for (i = 0; i < a->insns; i++) free(a->insn[i].text);
    for (i = 0; i < a->files; i++) {
        free(a->file[i].name);
        free(a->file[i].text);
        free(a->file[i].line);
    }
    free(a->insn);
    free(a->file);
    free(a->context);
    free(a->weight);
    free(a->count);
    free(a->b.checksum);
    load_free(&a->b.image);
    a->insn = NULL;
    a->file = NULL;
    a->context = NULL;
    a->weight = a->count = NULL;
    a->b.checksum = NULL;
    a->insns = a->cap = a->files = a->ranges = a->contexts = a->all_contexts = a->b.checksums = 0;
    a->all_weight = 0;
}

/* Shows a function in a program, if it has code of it. Returns 0 after saying what is wrong. */
static int annotate_view(annotate_run *a, FILE *out)
{
    const int by_probe = (csspgo_profile_flags(a->b.p) & CSSPGO_IS_PROBE) != 0;
    int ok = annotate_program(a);
    if (ok) annotate_ranges(a);
    if (ok && a->ranges != 0) {
        ok = (!by_probe || hot_checksums(&a->b)) && note_code(a) && note_counts(a) && note_print(a, out);
        a->views++;
        a->sum = sum_of(a->sum, a->all_weight);
    }
    annotate_forget(a);
    return ok;
}

/* From inputs to the output: each function in each program with code of it. Returns 0 after saying what is wrong. */
static int annotate_make(void *what, FILE *out)
{
    annotate_run *a = (annotate_run *)what;
    const option *const programs = &a->b.o[N_BINARY], *const functions = &a->b.o[N_FUNCTION];
    size_t i, k;
    if (!annotate_profile(a)) return 0;
    a->several = programs->count * functions->count > 1;
    for (i = 0; i < functions->count; i++) {
        const size_t before = a->views;
        a->name = functions->list[i];
        a->func = func_meant(a->b.tool, a->b.p, a->name);
        if (a->func.id == 0) return 0;
        for (k = 0; k < programs->count; k++) {
            a->binary = programs->list[k];
            if (!annotate_view(a, out)) return 0;
        }
        if (a->views == before)
            return fail(a->b.tool, "%s has no code of '%s': it may be inlined everywhere",
                        programs->count == 1 ? a->binary : "no program", a->name), 0;
    }
    note_end(a, out);
    return 1;
}

static int annotate_main(tool_context *tool, int argc, char **argv)
{
    annotate_run a;
    int files, status;
    memset(&a, 0, sizeof a);
    a.b.tool = tool;
    files = options_parse(tool, annotate_options, argc, argv);
    a.b.o = tool->o;
    if (files < 0 || !annotate_check(&a, files, argv)) return usage_status(tool);
    status = stream_made(tool, a.b.o[N_OUTPUT].text, annotate_make, &a);
    if (status == 0 && a.sum == 0)
        status = hopeless(tool, "%s has no count for the code of '%s' in %s", a.b.o[N_PROFILE].text, a.name, a.binary);
    csspgo_profile_free(a.b.p);
    return status;
}

const command annotate_command = {
    "annotate", annotate_main, annotate_options, NULL,
    "csspgo annotate --binary=FILE --function=NAME [--format=text|html] [--source] [-o FILE] PROFILE\n",
    "a function's instructions and source with their counts, in all contexts and in the hottest ones",
    "Instructions are those of llvm-objdump-19, llvm-objdump or objdump, whichever is there; without one of these, "
    "bytes and targets of branches. Source: where the program has debug information and the files are where it "
    "says. Code that was inlined into others is shown with these.\n"
};
