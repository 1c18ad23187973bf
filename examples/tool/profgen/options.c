/* options.c - profgen: the table of its options, and what they say */
#include "profgen.h"

const option profgen_options[] = {
    OPTION("binary", OPT_LIST, NULL, 0, "FILE",
           "the program (ELF, or PE of Windows; x86-64 or AArch64) or a kernel module, with pseudo probes; without these, debug "
           "information gives counts of source lines. Several files, such as a program and its libraries, make one "
           "profile with contexts through all of them, and a table of the samples in each"),
    OPTION("perfscript", OPT_LIST, NULL, 0, "FILE",
           "text of csspgo record, or of perf script --show-mmap-events with any -F, such as -F ip,brstack or, for "
           "several processes, -F pid,ip,brstack --show-task-events. All recordings add up, also those of "
           "--perfdata, --preagg, --pprof and --unsymbolized-profile"),
    OPTION("ps", OPT_ALIAS, "perfscript", 0, NULL, NULL),
    OPTION("perfdata", OPT_LIST, NULL, 0, "FILE",
           "a recording made by perf record -b --call-graph fp: a file or a pipe"),
    OPTION("pd", OPT_ALIAS, "perfdata", 0, NULL, NULL),
    OPTION("unsymbolized-profile", OPT_LIST, NULL, 0, "FILE",
           "raw counters, as written by --skip-symbolization or by simpleperf inject --output autofdo"),
    OPTION("up", OPT_ALIAS, "unsymbolized-profile", 0, NULL, NULL),
    OPTION("llvm-sample-profile", OPT_LIST, NULL, 0, "FILE", "a profile with contexts, in place of samples"),
    OPTION("output", OPT_TEXT, NULL, 0, "FILE", "where the result is written; - is standard output"),
    OPTION("o", OPT_ALIAS, "output", 0, NULL, NULL),
    OPTION("format", OPT_CHOICE, "extbinary|text|binary|gcc|gcov|preagg|preagg-traces", 0, NULL,
           "form of the output. gcc, gcov: for gcc -fauto-profile=FILE, by source line, without contexts; preagg: "
           "pre-aggregated text of any recording, for perf2bolt --pa, in place of a profile; preagg-traces: a "
           "shorter form of that, for BOLT 21 and later"),
    OPTION("gcov-version", OPT_CHOICE, GCOV_VERSIONS, GCOV_DEFAULT, NULL,
           "version of GCC's form: as LLVM reads it, for GCC up to 11, for GCC 12 to 15, or for GCC 16, with source "
           "files of functions and times of their first samples"),
    OPTION("use-md5", OPT_SWITCH, NULL, 0, NULL, "writes GUIDs instead of names"),
    OPTION("compress-all-sections", OPT_SWITCH, NULL, 0, NULL, "compresses all sections; needs a build with zlib"),
    OPTION("gen-partial-profile", OPT_SWITCH, NULL, 0, NULL,
           "marks the profile as covering only a part of the program"),
    OPTION("split-layout", OPT_SWITCH, NULL, 0, NULL, "puts functions without inlinees in sections of their own"),
    OPTION("skip-symbolization", OPT_SWITCH, NULL, 0, NULL,
           "writes raw counters per context of addresses instead of a profile"),
    OPTION("use-offset", OPT_SWITCH, NULL, 1, NULL,
           "with --skip-symbolization: offsets from the base of the program, not plain addresses"),
    OPTION("use-first-loadable-segment-as-base", OPT_SWITCH, NULL, 0, NULL,
           "with --use-offset: the base is the first loadable segment"),
    OPTION("ignore-stack-samples", OPT_SWITCH, NULL, 0, "0|1",
           "no contexts (default 1 by source line without options for contexts, else 0)"),
    OPTION("compress-recursion", OPT_NUMBER, NULL, -1, "N",
           "the longest cycle of frames that is folded; -1: any (default), 0: none"),
    OPTION("csprof-max-context-depth", OPT_NUMBER, NULL, -1, "N",
           "how many innermost frames are kept; -1: all (default)"),
    OPTION("infer-missing-frames", OPT_SWITCH, NULL, 1, NULL, "finds frames that are missing because of tail calls"),
    OPTION("max-search-depth", OPT_NUMBER, NULL, 0, "N", "finds missing frames through at most N tail calls"),
    OPTION("fill-zero-for-all-funcs", OPT_SWITCH, NULL, 0, NULL,
           "also writes functions without samples, with counts of zero, even if there are no samples at all"),
    OPTION("csspgo-preinliner", OPT_SWITCH, NULL, 1, NULL, "chooses contexts that the compiler is to inline"),
    OPTION("use-context-cost-for-preinliner", OPT_SWITCH, NULL, 1, NULL,
           "pre-inliner: what the size of a function is. 1: that of its code; 0: the number of its locations"),
    OPTION("csspgo-replay-preinline", OPT_SWITCH, NULL, 0, NULL,
           "pre-inliner: repeats the inlining decisions of the program"),
    OPTION("sample-profile-hot-inline-threshold", OPT_COUNT, NULL, 1500, "N",
           "pre-inliner: the largest size of a hot context that is inlined"),
    OPTION("sample-profile-cold-inline-threshold", OPT_COUNT, NULL, 0, "N",
           "pre-inliner: the largest size of a cold context that is inlined"),
    OPTION("sample-profile-inline-growth-limit", OPT_COUNT, NULL, 12, "N",
           "pre-inliner: a function may grow to N times its size"),
    OPTION("sample-profile-inline-limit-min", OPT_COUNT, NULL, 100, "N",
           "pre-inliner: a function may always grow to this size"),
    OPTION("sample-profile-inline-limit-max", OPT_COUNT, NULL, 50000, "N",
           "pre-inliner: no function grows beyond this size"),
    OPTION("csspgo-preinliner-multiplier-for-previous-inlining", OPT_COUNT, NULL, 100, "N",
           "pre-inliner: multiplies the hot threshold by N where the program inlined the context"),
    OPTION("csprof-merge-cold-context", OPT_SWITCH, NULL, 1, NULL,
           "merges cold contexts into shorter ones; with the pre-inliner, only if this option is given"),
    OPTION("csprof-max-cold-context-depth", OPT_COUNT, NULL, 1, "N",
           "how many frames the shorter contexts of --csprof-merge-cold-context keep"),
    OPTION("trim-cold-profile", OPT_SWITCH, NULL, 0, NULL,
           "drops contexts and functions that are still cold after that"),
    OPTION("gen-cs-nested-profile", OPT_SWITCH, NULL, 1, NULL,
           "1: contexts become nested inlinees; 0: they stay contexts"),
    OPTION("generate-merged-base-profiles", OPT_SWITCH, NULL, 0, NULL,
           "a nested inlinee also counts in its own function"),
    OPTION("profile-summary-cutoff-hot", OPT_COUNT, NULL, 990000, "PPM",
           "the counts that make up this share of the sum are hot"),
    OPTION("profile-summary-cutoff-cold", OPT_COUNT, NULL, 999999, "PPM",
           "the counts beyond this share of the sum are cold"),
    OPTION("profile-summary-hot-count", OPT_COUNT, NULL, 0, "N",
           "a function is hot from this count on, whatever the cutoff"),
    OPTION("profile-summary-cold-count", OPT_COUNT, NULL, 0, "N",
           "a context is cold up to this count, whatever the cutoff"),
    OPTION("profile-density-threshold", OPT_COUNT, NULL, 50, "N",
           "a message asks for more samples if there are fewer than N per location of the hot functions"),
    OPTION("profile-density-cutoff-hot", OPT_COUNT, NULL, 990000, "PPM",
           "for --profile-density-threshold: the functions that make up this share of the samples are hot"),
    OPTION("show-density", OPT_SWITCH, NULL, 0, NULL, "prints samples per location of the hot functions"),
    OPTION("sort-profiled-scc-member", OPT_SWITCH, NULL, 1, NULL,
           "pre-inliner: visits functions that call each other in the order of their calls"),
    OPTION("populate-profile-symbol-list", OPT_SWITCH, NULL, 0, NULL,
           "extbinary: lists the functions of the program, with and without samples"),
    OPTION("update-total-samples", OPT_SWITCH, NULL, 0, NULL, "without contexts: totals are sums of the counts"),
    OPTION("pid", OPT_TEXT, NULL, 0, "N,...", "only mapping events of these processes"),
    OPTION("show-mmap-events", OPT_SWITCH, NULL, 0, NULL, "prints where the program was mapped"),
    DEBUG_BINARY,
    OPTION("kernel", OPT_SWITCH, NULL, 0, NULL,
           "the program is a kernel (modules, NAME.ko, are recognised without this)"),
    OPTION("show-detailed-warning", OPT_SWITCH, NULL, 0, NULL, "prints each inconsistency in the samples"),
    OPTION("show-pseudo-probe", OPT_SWITCH, NULL, 0, NULL, "prints the probe descriptors"),
    OPTION("use-dwarf-correlation", OPT_SWITCH, NULL, 0, NULL, "counts by source line even if there are probes"),
    OPTION("dwp", OPT_TEXT, NULL, 0, "FILE", "split debug information of the program"),
    OPTION("debug-sizes", OPT_SWITCH, NULL, 0, NULL,
           "pre-inliner: takes sizes from debug information, not from probes"),
    OPTION("leading-ip-only", OPT_SWITCH, NULL, 0, NULL, "counts the sampled address only, not the branch records"),
    OPTION("perf-event", OPT_LIST, NULL, 0, "NAME",
           "only samples of this event: cycles, cycles:u, r20c4, cpu/event=0xc4,umask=0x20/, {a,b}. Several "
           "options: of any of these events. By default, the event that counts taken branches if there is one, else "
           "all events"),
    OPTION("perf-events", OPT_LIST, NULL, 0, "NAME,...",
           "the same as --perf-event, with commas between the names"),
    OPTION("sample-period", OPT_COUNT, NULL, 1, "N", "each sample of branch records counts N / (branch records - 1)"),
    OPTION("jitdump", OPT_LIST, NULL, 0, "FILE",
           "code of a JIT, from its jit-PID.dump (record with -k mono); auto: from all dumps that the recording "
           "names. With --binary, samples of the program count, too, by source line. The pre-inliner is off"),
    OPTION("perf-map", OPT_LIST, NULL, 0, "FILE",
           "a JIT's functions, from its perf-PID.map: counts per function; not with --binary"),
    OPTION("show-jit-samples", OPT_SWITCH, NULL, 0, NULL,
           "prints the time, process, address and function of each sample"),
    OPTION("preagg", OPT_LIST, NULL, 0, "FILE",
           "pre-aggregated text of BOLT: branches and ranges with counts, no contexts"),
    OPTION("report", OPT_TEXT, NULL, 0, "FILE", "writes what became of the samples, as JSON"),
    OPTION("spe-branch-profile", OPT_SWITCH, NULL, 0, NULL,
           "branch records of Arm SPE, each sample one branch (perf script --itrace=bl1 -F pid,ip,brstack): counts "
           "the branch and the code up to the next one"),
    OPTION("bogus-stacks", OPT_CHOICE, "drop|records", 0, NULL,
           "what to do with call stacks that were taken later than the branch records, as on AArch64: drop the "
           "sample, or use its records without contexts"),
    OPTION("image-base", OPT_COUNT, NULL, 0, "ADDR",
           "where the program was loaded, for recordings without mapping events, such as those of SEP"),
    OPTION("pprof", OPT_LIST, NULL, 0, "FILE",
           "profile.proto of pprof, plain or compressed with gzip: call stacks without branches"),
    OPTION("pprof-type", OPT_TEXT, NULL, 0, "NAME",
           "which type of value counts; by default samples, count, the default type of the file, or cpu. Types such "
           "as memory or locks count only if they are named here"),
    OPTION("perf-binary", OPT_TEXT, NULL, 0, "NAME",
           "the name of the program when it was recorded: a file name, a path, or the end of a path"),
    OPTION("show-images", OPT_SWITCH, NULL, 0, NULL,
           "prints a table of all files that samples fell into, whether they were given or not"),
    OPTION("max-dropped", OPT_PERCENT, NULL, 0, "PERCENT",
           "status 3 if a larger share of the samples is not in the profile; 50 by default"),
    OPTION("min-density", OPT_COUNT, NULL, 0, "N",
           "status 3 if there are fewer samples per location than this, as --show-density counts them"),
    ALLOW_EMPTY,
    LLVM_COMPAT,
    OPTION("quiet", OPT_SWITCH, NULL, 0, NULL, "no warnings, no progress, no report on the terminal"),
    OPTION("help", OPT_SWITCH, NULL, 0, NULL, "prints this"),
    OPTION("json", OPT_SWITCH, NULL, 0, NULL, "the same as --report=-: on standard output"),
    OPTION("mark-all-context-preinlined", OPT_SWITCH, NULL, 0, NULL,
           "marks all functions and inlinees as the pre-inliner marks what is to be inlined"),
    OPTION("csprof-max-unsymbolized-context-depth", OPT_NUMBER, NULL, -1, "N",
           "by probe: how many innermost calls are kept, however many inlinees they stand for; -1: all (default)"),
    EXTBINARY_NEWER,
    OPTION("page-size", OPT_COUNT, NULL, 4096, "BYTES",
           "a power of two; has no effect, because mappings fit the program whatever the size of a page is"),
    DEBUG_DIRECTORY,
    NUM_THREADS("read a script, other recordings take one", "a script has"),
    SAMPLE_FILTERS,
    OPTION("populate-profile-symbol-list-from-probes", OPT_SWITCH, NULL, 0, NULL,
           "extbinary: lists all functions that were compiled with probes, including those that were inlined "
           "everywhere; the list becomes several times as long"),
    OPTION("md5-prof-sym-list", OPT_SWITCH, NULL, 0, NULL,
           "writes the symbol list as GUIDs, for the main branch of LLVM"),
    OPTION("show-disassembly-only", OPT_SWITCH, NULL, 0, NULL,
           "instead: prints the program's code, with llvm-objdump's names of instructions, or, if none is in PATH, with the "
           "bytes of each and where control goes; with --show-pseudo-probe its probes with the calls that they are "
           "inlined in"),
    OPTION("disassemble-functions", OPT_TEXT, NULL, 0, "NAME,NAME", "only the code of these symbols"),
    OPTION("show-source-locations", OPT_SWITCH, NULL, 0, NULL,
           "with --show-disassembly-only: FUNCTION:LINE of each instruction, line counted from the function's first one, "
           "and the calls that it is inlined in"),
    OPTION("show-canonical-fname", OPT_SWITCH, NULL, 0, NULL,
           "with --show-disassembly-only: names without suffixes such as .llvm.1"),
    OPTION("x86-asm-syntax", OPT_CHOICE, "att|intel", 0, NULL,
           "with --show-disassembly-only: how llvm-objdump is to write instructions of x86-64"),
    OPTION("multi-process-profile", OPT_SWITCH, NULL, 0, "0|1",
           "with --llvm-compat: each process has its own mappings, as it always has without --llvm-compat"),
    OPTION("load-function-from-symbol", OPT_SWITCH, NULL, 1, NULL,
           "code of functions with probes is found by symbols, too; 0: with --llvm-compat=22, by debug information only"),
    OPTION("data-access-perftrace", OPT_TEXT, NULL, 0, "FILE",
           "text of perf report -D with sampled data addresses: those in vtables count which types of objects a line "
           "used; by source line, without contexts"),
    OPTION("event", OPT_ALIAS, "perf-event", 0, NULL, NULL),
    OPTION("j", OPT_ALIAS, "num-threads", 0, NULL, NULL),
    /* As LLVM takes them, without effect. */
    OPTION("warn-not-symbolized", OPT_IGNORED, NULL, 0, NULL, NULL),
    /* What llvm-profgen has and this tool refuses; from time-profgen on since LLVM 20. */
    OPTION("time-profgen", OPT_REFUSED, "there are no timers in here; use time(1) or perf", 1, NULL, NULL),
    OPTION("etm", OPT_REFUSED, "let perf decode the trace: perf inject --itrace=i100usl -i perf.data -o FILE, then "
           "--perfdata=FILE", 0, NULL, NULL),
    OPTION("etm-trace-id", OPT_REFUSED, "it is of --etm", 0, NULL, NULL),
    OPTION("itm-trace-id", OPT_REFUSED, "it is of --etm", 0, NULL, NULL),
    OPTION("filter-build-id", OPT_REFUSED, "mapping events with build ids (perf record --buildid-mmap) tell files apart", 0,
           NULL, NULL),
    OPTION("memprof-dap", OPT_REFUSED, "profiles of memory are not made here", 1, NULL, NULL),
    OPTION("debug-only", OPT_REFUSED, "it is of builds of LLVM with assertions", 0, NULL, NULL),
    OPTION("target-triple", OPT_REFUSED, "the program's header says what machine it is for", 0, NULL, NULL),
    OPTION("infer-callsite-samples", OPT_REFUSED, "calls are counted from branch records only", 1, NULL, NULL),
    OPTION("basic-events", OPT_REFUSED, "samples without branch records are estimates here, without an option", 1,
           NULL, NULL),
    OPTIONS_END
};

const char *profgen_input(const option *o, size_t i)
{
    static const int lists[] = { O_PERFDATA, O_PERFSCRIPT, O_PREAGG, O_PPROF, O_UNSYMBOLIZED };   /* perf.data first */
    size_t k;
    for (k = 0; k < sizeof lists / sizeof *lists; k++) {
        const option *in = &o[lists[k]];
        if (i < in->count) return in->list[i];
        i -= in->count;
    }
    return NULL;
}

int jit_asked(const option *o)
{
    return o[O_JITDUMP].count + o[O_PERF_MAP].count != 0;
}

int preagg_wanted(const option *o)
{
    return o[O_FORMAT].number >= FORMAT_PREAGG;
}

int events_asked(const option *o)
{
    return o[O_EVENT].count + o[O_EVENTS].count != 0;
}

int pid_asked(const option *o, uint64_t pid)
{
    const char *p = o[O_PID].text;
    while (p != NULL && *p != '-') {
        char *end;
        if (strtoull(p, &end, 10) == pid || end == p) return end != p;
        if (*end == '\0') return 0;
        p = end + 1;
    }
    return 1;
}

int pids_parse(const option *o)
{
    const char *p = o[O_PID].text;
    if (p == NULL || strcmp(p, "-1") == 0) return 1;       /* LLVM's word for all */
    for (;;) {
        const size_t n = strspn(p, "0123456789");
        if (n == 0 || n > 10 || (p[n] != '\0' && p[n] != ',')) return 0;
        if (p[n] == '\0') return 1;
        p += n + 1;
    }
}

/* Events are for scripts without call stacks, too, for LLVM's tool. */
int flat_asked(const profgen *g)
{
    const option *o = g->o;
    return g->in.perfscript != NULL &&
           (o[O_LEADING].number || o[O_PERIOD].text != NULL || (g->tool->compat && events_asked(o)));
}

int as_llvm(const profgen *g)
{
    return g->tool->compat && g->lines != NULL;
}

int llvm_tells(const profgen *g)
{
    return g->tool->compat && (g->lines != NULL || g->words != NULL);
}

int details_wanted(const profgen *g)
{
    return g->o[O_DETAILS].number || (llvm_tells(g) && !g->tool->quiet);
}

int is_gcov3(const option *o)
{
    return (o[O_FORMAT].number == FORMAT_GCC || o[O_FORMAT].number == FORMAT_GCOV) && o[O_GCOV_VERSION].number == 3;
}

/* It has no contexts. */
int is_for_gcc(const profgen *g)
{
    const long long format = g->o[O_FORMAT].number;
    return (format == FORMAT_GCC || format == FORMAT_GCOV) && g->lines != NULL && g->in.sampled == NULL &&
           !g->tool->compat;
}

/* Neither the profile nor the report may take the place of a file that is read. Returns 0 after saying which would. */
int profgen_spares_file(const tool_context *tool, const option *o, const char *path)
{
    return output_spares(tool, o[O_OUTPUT].text, path) &&
           (o[O_REPORT].text == NULL || output_spares(tool, o[O_REPORT].text, path));
}

/* The same of all inputs, and of each other. */
int profgen_spares(const profgen *g)
{
    static const int lists[] = { O_BINARY, O_JITDUMP, O_PERF_MAP, O_DEBUG_BINARY, O_PROFILE };
    const tool_context *tool = g->tool;
    const option *o = g->o;
    const char *path;
    size_t i, k;
    for (i = 0; (path = profgen_input(o, i)) != NULL; i++)
        if (!profgen_spares_file(tool, o, path)) return 0;
    for (k = 0; k < sizeof lists / sizeof *lists; k++)
        for (i = 0; i < o[lists[k]].count; i++) {
            path = o[lists[k]].list[i];
            if ((lists[k] != O_JITDUMP || strcmp(path, "auto") != 0) && !profgen_spares_file(tool, o, path)) return 0;
        }
    return profgen_spares_file(tool, o, o[O_DWP].text) && output_spares(tool, o[O_REPORT].text, g->in.output);
}

csspgo_collector_options profgen_how(const profgen *g)
{
    const option *o = g->o;
    csspgo_collector_options how;
    memset(&how, 0, sizeof how);
    how.ignore_stack = (uint32_t)o[O_IGNORE_STACK].number;
    how.llvm = g->tool->compat ? 19 : 0;
    how.single_branches = (uint32_t)o[O_SPE].number;
    how.keep_records = (uint32_t)o[O_BOGUS].number;
    how.judge_fn = g->health != NULL ? csspgo_judge_stacks : NULL;
    if (o[O_COMPRESS].number >= 0) {
        how.limit_recursion = 1;
        how.max_recursion = (uint32_t)o[O_COMPRESS].number;
    }
    if (o[O_RAW_DEPTH].number >= 0) {
        how.limit_addresses = 1;
        how.max_addresses = (uint32_t)o[O_RAW_DEPTH].number;
    }
    if (o[O_DEPTH].number >= 0) {
        how.limit_depth = 1;
        how.max_depth = (uint32_t)o[O_DEPTH].number;
    }
    if (as_llvm(g) && g->in.unsymbolized != NULL) {        /* LLVM takes contexts of names as they are */
        how.limit_recursion = 1;
        how.max_recursion = how.limit_depth = 0;
    }
    return how;
}

csspgo_unsymbolized_options profgen_raw(const profgen *g)
{
    csspgo_unsymbolized_options raw;
    memset(&raw, 0, sizeof raw);
    raw.module = g->image->module;
    if (!g->o[O_USE_OFFSET].number) return raw;
    raw.base = g->o[O_FIRST_LOADABLE].number ? g->image->first_loadable
                                             : csspgo_code_base(g->image->code, g->image->module);
    return raw;
}

/* ----- options that have no effect on this input or with the others ----------------------------------------------- */

enum { /* why; the first that holds is told */
    IDLE_SAMPLED = 1, IDLE_COUNTED = 2, IDLE_RAW = 4, IDLE_NO_RAW = 8, IDLE_FLAT = 16, IDLE_CONTEXTS = 32,
    IDLE_PREINLINER = 64, IDLE_NEST = 128, IDLE_MERGE = 256, IDLE_FORMAT = 512, IDLE_INFER = 1024, IDLE_STACKS = 2048,
    IDLE_DATA = 4096, IDLE_HOT = 8192, IDLE_COLD = 16384, IDLE_HOT_GIVEN = 32768, IDLE_COLD_GIVEN = 65536,
    IDLE_LINES = 131072,
    IDLE_NO_RECORDING = IDLE_SAMPLED | IDLE_COUNTED,
    IDLE_WITH_PREINLINER = IDLE_RAW | IDLE_FLAT | IDLE_PREINLINER
};

static const char *const idle_why[] = {
    "with --llvm-sample-profile", "with --unsymbolized-profile", "with --skip-symbolization",
    "without --skip-symbolization and --unsymbolized-profile", "without contexts", "with contexts",
    "without the pre-inliner", "with --gen-cs-nested-profile=0", "as cold contexts are not merged",
    "without --format=extbinary", "with --infer-missing-frames=0", "with call stacks", "with --perfdata",
    "as no hot contexts are told from cold ones", "as nothing cold is looked for",
    "with --profile-summary-hot-count", "with --profile-summary-cold-count", "by source line" };

static const struct { int option, idle; } idle_rows[] = {
    { O_SKIP, IDLE_SAMPLED }, { O_PID, IDLE_NO_RECORDING }, { O_SHOW_MMAP, IDLE_NO_RECORDING },
    { O_KERNEL, IDLE_NO_RECORDING }, { O_DETAILS, IDLE_NO_RECORDING }, { O_IGNORE_STACK, IDLE_NO_RECORDING },
    { O_SPE, IDLE_NO_RECORDING }, { O_IMAGE_BASE, IDLE_NO_RECORDING },
    { O_PERF_BINARY, IDLE_NO_RECORDING },
    { O_BOGUS, IDLE_NO_RECORDING | IDLE_FLAT }, { O_LEADING, IDLE_NO_RECORDING },
    { O_TID, IDLE_NO_RECORDING }, { O_COMM, IDLE_NO_RECORDING }, { O_TIME, IDLE_NO_RECORDING },
    { O_CGROUP, IDLE_NO_RECORDING },
    { O_NO_KERNEL, IDLE_NO_RECORDING }, { O_EVENT, IDLE_NO_RECORDING }, { O_EVENTS, IDLE_NO_RECORDING },
    { O_PERIOD, IDLE_NO_RECORDING | IDLE_STACKS | IDLE_DATA }, { O_FIRST_LOADABLE, IDLE_NO_RAW },
    { O_FORMAT, IDLE_RAW }, { O_MD5, IDLE_RAW }, { O_COMPRESS_ALL, IDLE_RAW }, { O_PARTIAL, IDLE_RAW },
    { O_SPLIT, IDLE_RAW }, { O_SYMBOLS, IDLE_RAW | IDLE_FORMAT }, { O_SHOW_PROBES, IDLE_RAW },
    { O_PROBE_SYMBOLS, IDLE_RAW | IDLE_FORMAT },
    { O_SHOW_DENSITY, IDLE_RAW }, { O_DENSITY, IDLE_RAW }, { O_DENSITY_CUTOFF, IDLE_RAW },
    { O_COMPRESS, IDLE_SAMPLED | IDLE_FLAT }, { O_DEPTH, IDLE_SAMPLED | IDLE_FLAT },
    { O_RAW_DEPTH, IDLE_SAMPLED | IDLE_FLAT | IDLE_LINES }, { O_PREINLINED, IDLE_RAW },
    { O_SEARCH_DEPTH, IDLE_SAMPLED | IDLE_RAW | IDLE_FLAT | IDLE_INFER },
    { O_FILL, IDLE_SAMPLED | IDLE_RAW }, { O_TOTALS, IDLE_SAMPLED | IDLE_RAW | IDLE_CONTEXTS },
    { O_REPLAY, IDLE_WITH_PREINLINER }, { O_HOT_INLINE, IDLE_WITH_PREINLINER },
    { O_COLD_INLINE, IDLE_WITH_PREINLINER }, { O_GROWTH, IDLE_WITH_PREINLINER },
    { O_LIMIT_MIN, IDLE_WITH_PREINLINER }, { O_LIMIT_MAX, IDLE_WITH_PREINLINER }, { O_AGAIN, IDLE_WITH_PREINLINER },
    { O_SIZES, IDLE_WITH_PREINLINER }, { O_DEBUG_SIZES, IDLE_WITH_PREINLINER },
    { O_SORT, IDLE_WITH_PREINLINER }, { O_PREINLINER, IDLE_RAW | IDLE_FLAT },
    { O_INFER, IDLE_SAMPLED | IDLE_RAW | IDLE_FLAT }, { O_MERGE_COLD, IDLE_RAW | IDLE_FLAT },
    { O_OBJECTS, IDLE_SAMPLED | IDLE_RAW },
    { O_COLD_DEPTH, IDLE_RAW | IDLE_FLAT | IDLE_MERGE }, { O_NESTED, IDLE_RAW | IDLE_FLAT },
    { O_KEEP_BASE, IDLE_RAW | IDLE_FLAT | IDLE_NEST }, { O_TRIM, IDLE_RAW },
    { O_CUTOFF_HOT, IDLE_RAW | IDLE_HOT | IDLE_HOT_GIVEN }, { O_HOT_COUNT, IDLE_RAW | IDLE_HOT },
    { O_CUTOFF_COLD, IDLE_RAW | IDLE_COLD | IDLE_COLD_GIVEN }, { O_COLD_COUNT, IDLE_RAW | IDLE_COLD } };

/* The reasons that hold. */
static int idle_state(const profgen *g, int contexts)
{
    const option *o = g->o;
    const int merge = o[O_MERGE_COLD].text != NULL ? o[O_MERGE_COLD].number != 0 : !o[O_PREINLINER].number;
    const int raw = o[O_SKIP].number && g->in.sampled == NULL;
    int state;
    state = g->in.sampled != NULL ? IDLE_SAMPLED : g->in.unsymbolized != NULL ? IDLE_COUNTED : 0;
    state |= raw ? IDLE_RAW : g->in.unsymbolized == NULL ? IDLE_NO_RAW : 0;
    state |= contexts ? IDLE_CONTEXTS : IDLE_FLAT;
    state |= o[O_PREINLINER].number ? 0 : IDLE_PREINLINER;
    state |= o[O_NESTED].number ? 0 : IDLE_NEST;
    state |= merge ? 0 : IDLE_MERGE;
    state |= o[O_FORMAT].number != 0 ? IDLE_FORMAT : 0;
    state |= o[O_INFER].number ? 0 : IDLE_INFER;
    state |= g->count.stacks ? IDLE_STACKS : 0;
    state |= g->in.perfdata != NULL ? IDLE_DATA : 0;
    state |= contexts && (merge || o[O_TRIM].number) ? 0 : IDLE_HOT;
    state |= (contexts ? o[O_PREINLINER].number : o[O_TRIM].number) ? 0 : IDLE_COLD;
    state |= o[O_HOT_COUNT].text != NULL ? IDLE_HOT_GIVEN : 0;
    state |= o[O_COLD_COUNT].text != NULL ? IDLE_COLD_GIVEN : 0;
    state |= g->lines != NULL ? IDLE_LINES : 0;
    return state;
}

/* Tells options that ask for something and get nothing; in compat mode they pass in silence, as in LLVM. */
void profgen_idle(const profgen *g, int contexts)
{
    const int state = idle_state(g, contexts);
    size_t i, k;
    if (g->tool->compat) return;
    for (i = 0; i < sizeof idle_rows / sizeof *idle_rows; i++) {
        const option *x = &g->o[idle_rows[i].option];
        const int asks = x->kind == OPT_SWITCH ? x->text != NULL && x->number : x->kind == OPT_LIST ? x->count != 0
                                                                                                : x->text != NULL;
        const int idle = state & idle_rows[i].idle;
        for (k = 0; !(idle >> k & 1) && k < sizeof idle_why / sizeof *idle_why; k++) {}
        if (asks && idle != 0) warn(g->tool, "--%s has no effect %s", x->name, idle_why[k]);
    }
}
