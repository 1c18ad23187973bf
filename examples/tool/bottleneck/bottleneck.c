/* bottleneck.c - the command bottleneck: why the hottest blocks of a sampled program are slow, context by context */
#include "bottleneck.h"

static const option bottleneck_options[] = {
    OPTION("output", OPT_TEXT, "-", 0, "FILE", "where the output goes; standard output is the default"),
    OPTION("binary", OPT_LIST, NULL, 0, "FILE",
           "the program (ELF, x86-64 or AArch64) with pseudo probes; also its libraries"),
    DEBUG_BINARY,
    OPTION("profile", OPT_TEXT, NULL, 0, "FILE", "its profile by probes, with contexts if they are to be told apart"),
    OPTION("mcpu", OPT_TEXT, NULL, 0, "CPU", "any CPU that llvm-mca-19 knows; skylake or neoverse-n1 is the default"),
    OPTION("top", OPT_COUNT, NULL, 10, "N", "how many blocks are printed"),
    OPTION("contexts", OPT_COUNT, NULL, 5, "N", "how many contexts of each block are printed; the others are added up"),
    OPTION("alias", OPT_SWITCH, NULL, 0, NULL, "assumes that loads may depend on earlier stores"),
    OPTION("models", OPT_TEXT, NULL, 0, "DIR",
           "where models are kept for the next time; --models= keeps none; by default in csspgo below "
           "XDG_CACHE_HOME or ~/.cache"),
    OPTION("json", OPT_SWITCH, NULL, 0, NULL, "prints JSON, for programs"),
    OPTION("quiet", OPT_SWITCH, NULL, 0, NULL, "prints no warnings and no progress"),
    OPTION("o", OPT_ALIAS, "output", 0, NULL, NULL),
    NO_DEMANGLE,
    ALLOW_EMPTY,
    DEBUG_DIRECTORY,
    DEMANGLER,
    OPTIONS_END
};

/* 1 if the value of an option is in its range; else it says so. */
static int bottleneck_in_range(const bottleneck_run *r, int which)
{
    const uint64_t v = (uint64_t)r->o[which].number;
    return (v != 0 && v <= 1000) ||
           (usage(r->in.tool, "--%s: %" PRIu64 " is out of range, 1 to 1000", r->o[which].name, v), 0);
}

/* The command line. Returns 0 after saying what is wrong. */
static int bottleneck_check(const bottleneck_run *r, int files)
{
    static const int inputs[] = { B_BINARY, B_DEBUG_BINARY, B_PROFILE };
    const option *o = r->o;
    size_t i;
    if (files != 0) return usage(r->in.tool, "what bottleneck reads is named by options: --binary, --profile"), 0;
    if (o[B_BINARY].count == 0) return usage(r->in.tool, "which program? --binary=FILE"), 0;
    if (o[B_PROFILE].text == NULL) return usage(r->in.tool, "which profile? --profile=FILE"), 0;
    for (i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (!output_spares_all(r->in.tool, o[B_OUTPUT].text, &o[inputs[i]])) return 0;
    return bottleneck_in_range(r, B_TOP) && bottleneck_in_range(r, B_CONTEXTS);
}

/* Reads the profile. Returns 0 after saying what is wrong. */
static int bottleneck_profile(bottleneck_run *r)
{
    const char *const path = r->o[B_PROFILE].text;
    csspgo_error e;
    file_bytes f;
    csspgo_status s;
    r->in.p = profile_new(r->in.tool);
    if (r->in.p == NULL) return no_memory(r);
    if (!file_open(path, &f)) return fail(r->in.tool, "%s: %s", path, file_why()), 0;
    s = file_read(r->in.p, path, &f, &e);
    if (s == CSSPGO_OK && has_files(&f)) s = drop_files(r->in.p, &e);
    file_close(&f);
    if (s != CSSPGO_OK) return kind_fail_at(r->in.tool, path, KIND_PROFILE, &e), 0;
    if ((csspgo_profile_flags(r->in.p) & CSSPGO_IS_PROBE) != 0) return 1;
    return fail(r->in.tool, "%s: a profile by lines: blocks are found by probes (-fpseudo-probe-for-profiling)",
                path), 0;
}

/* Reads the program that r->o[B_BINARY].text names. Returns 0 after saying what is wrong. */
static int bottleneck_program(bottleneck_run *r)
{
    const char *const binary = r->o[B_BINARY].text;
    char why[PROGRAM_WHY];
    if (!probed_open(r->in.tool, &r->in.image, binary, why, sizeof why))
        return kind_program_fail(r->in.tool, binary, &r->o[B_DEBUG_BINARY], why), 0;
    if (r->in.image.functions == 0)
        return program_lacks(&r->in.image, "symbols", why, sizeof why), fail(r->in.tool, "%s: %s", binary, why), 0;
    r->mcpu = r->o[B_MCPU].text;
    if (r->mcpu == NULL) r->mcpu = r->in.image.elf.machine == ELF_AARCH64 ? "neoverse-n1" : "skylake";
    return 1;
}

void hot_path_free(hot_path *p)
{
    size_t k;
    for (k = 0; p->text != NULL && k < p->insns; k++) free(p->text[k]);
    free(p->text);
    free(p->context);
    free(p->name);
    free(p->source);
    free(p->why);
    free(p->doubt);
    free(p->chain);
    free(p->pass);
    csspgo_sim_model_free(p->model);
}

/* Moves the paths that one program has to those of all, of which the heaviest stay. Returns 0 without memory. */
static int bottleneck_add(bottleneck_run *r, bottleneck_run *one)
{
    const size_t top = (size_t)r->o[B_TOP].number;
    hot_path *const v = (hot_path *)realloc(r->path, (r->paths + one->paths + 1) * sizeof *v);
    if (v == NULL) return no_memory(r);
    r->path = v;
    if (one->paths != 0) memcpy(v + r->paths, one->path, one->paths * sizeof *v);
    r->paths += one->paths;
    one->paths = 0;
    r->weight = sum_of(r->weight, one->weight);
    r->cycles += one->cycles;
    r->mcpu = one->mcpu;
    qsort(v, r->paths, sizeof *v, hot_path_cmp);
    for (; r->paths > top; r->paths--) {
        r->cycles -= v[r->paths - 1].cycles;
        hot_path_free(&v[r->paths - 1]);
    }
    return 1;
}

/* The hottest paths of each program and library. Returns 0 after saying what is wrong. */
static int bottleneck_all(bottleneck_run *r)
{
    option *const o = &r->o[B_BINARY];
    size_t i;
    int ok = 1;
    for (i = 0; ok && i < o->count; i++) {
        bottleneck_run one;
        memset(&one, 0, sizeof one);
        one.in.tool = r->in.tool;
        one.o = r->o;
        one.in.p = r->in.p;
        one.in.binary = o->list[i];
        one.in.profile = r->o[B_PROFILE].text;
        o->text = o->list[i];
        ok = bottleneck_program(&one) && probed_checksums(&one.in) && hot_find(&one) &&
             (one.paths == 0 || hot_model(&one)) && bottleneck_add(r, &one);
        while (one.paths != 0) hot_path_free(&one.path[--one.paths]);
        free(one.path);
        free(one.in.checksum);
        load_free(&one.in.image);
    }
    return ok;
}

/* From inputs to the output. Returns 0 after saying what is wrong. */
static int bottleneck_make(void *what, FILE *out)
{
    bottleneck_run *r = (bottleneck_run *)what;
    return bottleneck_profile(r) && bottleneck_all(r) && hot_report(r, out);
}

static int bottleneck_main(tool_context *tool, int argc, char **argv)
{
    bottleneck_run r;
    int files, status;
    memset(&r, 0, sizeof r);
    r.in.tool = tool;
    files = options_parse(tool, bottleneck_options, argc, argv);
    r.o = tool->o;
    if (files < 0 || !bottleneck_check(&r, files)) return usage_status(tool);
    status = stream_made(tool, r.o[B_OUTPUT].text, bottleneck_make, &r);
    if (status == 0 && r.paths == 0)
        status = hopeless(tool, "%s: no block of %s has a count", r.o[B_PROFILE].text, r.o[B_BINARY].text);
    while (r.paths != 0) hot_path_free(&r.path[--r.paths]);
    free(r.path);
    csspgo_profile_free(r.in.p);
    return status;
}

const command bottleneck_command = {
    "bottleneck", bottleneck_main, bottleneck_options, NULL,
    "csspgo bottleneck --binary=FILE --profile=FILE [--mcpu=CPU] [--top=N]\n"
    "                  [options]\n",
    "tells why the hottest blocks of a sampled program are slow",
    "For each loop and hot path it names what binds it (a chain of dependencies, the execution units, or the issue "
    "width) and in which calling contexts: where a loop has few iterations, no bound of the loop matters. This is an "
    "estimate: caches, branches and the front end are not modelled. The command needs llvm-objdump-19 and, for code "
    "that it sees for the first time, llvm-mc-19 and llvm-mca-19. annotate --bottleneck shows what --json prints as "
    "arrows beside the instructions.\n"
};
