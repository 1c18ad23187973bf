/* main.c - the commands: their table, the help, the version */
#include "tool.h"

/* Each command's lines are here twice: "csspgo NAME ..." at the top, and the paragraph that begins with "NAME: ". */
static const char usage_text[] =
    "usage: csspgo profgen --binary=FILE (--perfscript=FILE | --perfdata=FILE | --unsymbolized-profile=FILE)\n"
    "                      --output=FILE [options]\n"
    "       csspgo record [options] [--] PROGRAM [arguments]     (csspgo record --help)\n"
    "       csspgo merge [options] PROFILE... [-o FILE]\n"
    "       csspgo show [options] PROFILE\n"
    "       csspgo overlap [options] BASE TEST\n"
    "       csspgo folded PROFILE [-o FILE] [--mark-inlined] [--names=FILE] [--binary=FILE]\n"
    "       csspgo flame PROFILE [-o FILE.svg] [--icicle] [--title=TEXT] [--width=PX] [--names=FILE] [--binary=FILE]\n"
    "       csspgo match --old-profile=FILE --binary=FILE [-o FILE] [--mode=align|llvm19|llvm-main|lexical]\n"
    "       csspgo help [COMMAND]\n"
    "       csspgo version\n"
    "\n"
    "profgen: samples of a program become a profile for clang -fprofile-sample-use. FILE -: standard input or output.\n"
    "  --binary=FILE                     program with pseudo probes (ELF, x86-64 or AArch64)\n"
    "  --perfscript=FILE                 text of csspgo record, or of perf script --show-mmap-events with any -F, such as\n"
    "                                    -F ip,brstack or, for several processes, -F pid,ip,brstack --show-task-events\n"
    "  --perfdata=FILE                   what perf record -b --call-graph fp wrote, to a file or a pipe\n"
    "  --unsymbolized-profile=FILE       what --skip-symbolization wrote\n"
    "                                    any of these three several times: recordings of one program add up\n"
    "  --output=FILE, -o FILE            where to\n"
    "  --format=extbinary|binary|text    extbinary is the default, and what the next four are for\n"
    "  --use-md5                         GUIDs instead of names\n"
    "  --compress-all-sections           needs a build with zlib\n"
    "  --gen-partial-profile             marked as covering part of the program\n"
    "  --split-layout                    functions without inlinees in sections of their own\n"
    "  --skip-symbolization              write raw counters per context of addresses instead of a profile\n"
    "  --use-offset=0                    ... with plain addresses\n"
    "  --ignore-stack-samples            no contexts\n"
    "  --compress-recursion=N            longest cycle of frames that is folded; -1 any (default), 0 none\n"
    "  --csprof-max-context-depth=N      innermost frames kept; -1 all (default)\n"
    "  --infer-missing-frames=0          do not look for frames that tail calls lost\n"
    "  --max-search-depth=N              ... through at most N tail calls\n"
    "  --fill-zero-for-all-funcs         without contexts: zero counts for functions without samples too\n"
    "  --csspgo-preinliner=0             do not choose contexts to inline. Its thresholds:\n"
    "    --sample-profile-hot-inline-threshold=N (1500), --sample-profile-cold-inline-threshold=N (0),\n"
    "    --sample-profile-inline-growth-limit=N (12), --sample-profile-inline-limit-min=N (100),\n"
    "    --sample-profile-inline-limit-max=N (50000), --csspgo-replay-preinline, --sort-profiled-scc-member,\n"
    "    --csspgo-preinliner-multiplier-for-previous-inlining=N (100)\n"
    "  --use-context-cost-for-preinliner=0   functions are as large as they have locations, not as their code\n"
    "  --csprof-merge-cold-context=0|1   cold contexts go into shorter ones: off with the pre-inliner, else on\n"
    "  --csprof-max-cold-context-depth=N frames of these shorter ones; 1 is the default\n"
    "  --trim-cold-profile               what stays cold is dropped\n"
    "  --gen-cs-nested-profile=0         contexts stay contexts; else they become nested inlinees\n"
    "  --generate-merged-base-profiles   ... and what is nested counts in its function too\n"
    "  --profile-summary-hot-count=N, --profile-summary-cold-count=N, ...-cutoff-hot=PPM, ...-cutoff-cold=PPM\n"
    "  --update-total-samples            without contexts: totals are sums of the counts\n"
    "  --populate-profile-symbol-list    extbinary: lists the program's functions, with and without samples\n"
    "  --show-density                    prints samples per location of the hot functions\n"
    "  --llvm-sample-profile=FILE        works on a profile with contexts instead of samples\n"
    "  --pid=N                           only mapping events of this process\n"
    "  --kernel                          the program is the kernel\n"
    "  --debug-binary=FILE               has the symbols of a stripped program\n"
    "  --show-pseudo-probe               prints the probe descriptors; --show-detailed-warning: what makes no sense\n"
    "  --profile-density-threshold=N, --profile-density-cutoff-hot=PPM   when more samples are asked for\n"
    "  --show-mmap-events                print where the program was mapped\n"
    "  --perf-event=NAME, --perf-events=NAME,...   of a script without call stacks: only lines that begin with NAME:\n"
    "  --sample-period=N                 ... its samples count N / (branch records - 1)\n"
    "  --leading-ip-only                 the sampled address counts, branch records do not\n"
    "  --llvm-compat                     exactly what llvm-profgen 19 writes\n"
    "  --quiet                           no warnings, no progress\n"
    "\n"
    "merge: adds up profiles of any form (text, binary, ExtBinary, CompactBinary, GCC's). A directory: its files.\n"
    "  --text, --binary, --extbinary, --gcc   form of the output; ExtBinary is the default\n"
    "  --weighted-input=N,FILE           every count of FILE times N\n"
    "  --input-files=FILE, -f FILE       names of inputs, one a line: [N,]FILE; --dump-input-file-list prints all\n"
    "  --failure-mode=any|all|warn       an input that is bad or does not go with the others: stop; go on without it\n"
    "  --use-md5, --compress-all-sections, --gen-partial-profile, --split-layout   ExtBinary: as in profgen;\n"
    "                                    --split-layout of text: marks functions without inlinees, for newer LLVM\n"
    "  --prof-sym-list=FILE, --drop-profile-symbol-list   symbols to list, one a line; none\n"
    "  --gcov-version=1|2|3              --gcc: as LLVM and GCC 11 want it, GCC 12, or newer AutoFDO's version 3\n"
    "  --remapping-file=FILE, -r FILE    renames functions: OLD NEW, one pair a line\n"
    "  --compress-recursion=N            in contexts: cycles of up to N frames, -1 any, are folded\n"
    "  --sample-merge-cold-context, --sample-trim-cold-context   cold contexts: into shorter ones; away\n"
    "  --sample-frame-depth-for-cold-context=N   frames of these shorter ones; 1 is the default\n"
    "  --profile-summary-cold-count=N, --profile-summary-cutoff-cold=PPM   what is cold\n"
    "  --convert-sample-profile-layout=nest|flat   contexts become inlinees; no contexts and no inlinees\n"
    "  --generate-merged-base-profiles   ... and what is nested counts in its function too\n"
    "  --function=REGEX, --no-function=REGEX   keeps, removes functions by context\n"
    "  --output-size-limit=BYTES         drops the coldest functions until the output fits\n"
    "  --profile-isfs, --fs-discriminator-pass=Base|Pass1|Pass2|Pass3|PassLast   flow-sensitive discriminators\n"
    "show: prints a profile.\n"
    "  --json, --function=NAME, --detailed-summary, --hot-func-list, --topn=N\n"
    "  --show-prof-sym-list, --show-sec-info-only\n"
    "  --contexts[=DEPTH]                the tree of contexts with each one's share of the samples\n"
    "                                    --json: an array of functions, as LLVM's; an object if more is asked for\n"
    "overlap: how much two profiles have in common.\n"
    "  --value-cutoff=N, --similarity-cutoff=PPM, --function=TEXT   which functions to list\n"
    "  --quality                         instead: how close the blocks of TEST come to those of BASE\n"
    "merge, show, overlap: -o FILE; --llvm-compat: bytes, messages and exit statuses of llvm-profdata 19 --sample.\n"
    "folded, flame: collapsed stacks for other viewers, one a line; a self-contained SVG flame graph.\n"
    "match: carries a profile by probes over to changed code, and tells what became of it.\n"
    "  --old-profile=FILE, -p FILE       of the older build\n"
    "  --binary=FILE                     the new program, with pseudo probes\n"
    "  --debug-binary=FILE               its symbols, if it has none\n"
    "  --output=FILE, -o FILE            where to; without it only the report is made\n"
    "  --mode=align|lexical|llvm19|llvm-main   how; align is the default, the others are LLVM's ways\n"
    "  --rename=0|1                      look for renamed functions; default: align and llvm-main do\n"
    "  --format=extbinary|text|binary    extbinary is the default; --use-md5: GUIDs instead of names in it\n"
    "  --top=N                           functions to list that lost samples; 10 is the default\n"
    "  --quiet                           no report, no warnings\n"
    "Exit status: 0 done; 1 an input or output is at fault; 2 the command line is;\n"
    "             3 done, but of no use: an empty profile, everything dropped, nothing kept (not with --llvm-compat).\n";

/* ----- the commands ----------------------------------------------------------------------------------------------- */

static int record_command(int argc, char **argv)
{
    return record_main(argc + 1, argv - 1);
}

/* 1 if the line names the command, on its own or in a list, before what ends the names. */
static int help_names(const char *line, const char *end, const char *name)
{
    const size_t size = strlen(name);
    while (line < end) {
        const size_t n = strcspn(line, " ,:\n");
        if (n == size && memcmp(line, name, n) == 0) return 1;
        line += n;
        line += strspn(line, " ,");
    }
    return 0;
}

/* What the help says of one command: its line of usage, and the paragraphs that begin with its name. */
static void help_one(const char *name)
{
    const char *line, *next;
    int usage_lines = 1, on = 0, first = 1;
    for (line = usage_text; *line != '\0'; line = next) {
        const char *colon;
        next = strchr(line, '\n') + 1;
        if (*line == '\n') {
            if (usage_lines) fputc('\n', stdout);
            usage_lines = on = 0;
            continue;
        }
        colon = (const char *)memchr(line, ':', (size_t)(next - line));
        if (usage_lines && strncmp(line + 7, "csspgo ", 7) == 0) on = help_names(line + 14, line + 15, name);
        else if (!usage_lines && *line != ' ' && strncmp(line, "Exit", 4) != 0)
            on = colon != NULL && help_names(line, colon, name);
        if (!on && strncmp(line, "Exit", 4) != 0) continue;
        if (usage_lines) fputs(first ? "usage: " : "       ", stdout);
        first = 0;
        fwrite(usage_lines ? line + 7 : line, 1, (size_t)(next - line) - (usage_lines ? 7 : 0), stdout);
    }
}

typedef struct command {
    const char *name;
    int (*run)(int argc, char **argv);
} command;

static int version_main(int argc, char **argv);

static const command commands[] = {
    { "profgen", profgen_main },
    { "merge", merge_main },
    { "show", show_main },
    { "overlap", overlap_main },
    { "folded", views_folded },
    { "flame", views_flame },
    { "record", record_command },
    { "match", match_main },
    { "help", help_main },
    { "version", version_main },
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* csspgo version, csspgo --version */
static int version_main(int argc, char **argv)
{
    const uint32_t v = csspgo_version();
    (void)argc;
    (void)argv;
#ifdef CSSPGO_USE_ZLIB
    return printf("csspgo %u.%u.%u, zlib: yes\n", v / 10000, v / 100 % 100, v % 100) < 0;
#else
    return printf("csspgo %u.%u.%u, zlib: no\n", v / 10000, v / 100 % 100, v % 100) < 0;
#endif
}

/* csspgo help [COMMAND] */
int help_main(int argc, char **argv)
{
    size_t i;
    for (i = 0; argc > 0 && i < COMMANDS; i++)
        if (commands[i].run != help_main && strcmp(argv[0], commands[i].name) == 0) return help_one(argv[0]), 0;
    fputs(usage_text, stdout);
    return 0;
}

/* Names the command that may have been meant, or all. Returns the exit status. */
static int unknown_command(const char *word)
{
    nearest n = nearest_to(word, strlen(word));
    size_t i;
    for (i = 0; i < COMMANDS; i++) nearest_try(&n, commands[i].name, strlen(commands[i].name));
    if (n.name != NULL) return usage("unknown command '%s'; did you mean '%s'?", word, n.name);
    return usage("unknown command '%s'; 'csspgo help' lists all", word);
}

/* What a command returns, or 1 if something that it printed did not get to standard output. */
static int ended(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    return status != 0 ? status : fail("standard output: %s", strerror(errno));
}

static int run(int argc, char **argv)
{
    size_t i;
    int k, help = 0;
    for (k = 1; k < argc && strcmp(argv[k], "--") != 0; k++) {
        compat |= strcmp(argv[k], "--llvm-compat") == 0 || strcmp(argv[k], "-llvm-compat") == 0;
        help |= strcmp(argv[k], "--help") == 0 || strcmp(argv[k], "-help") == 0 || strcmp(argv[k], "-h") == 0;
    }
    if (argc < 2) return usage("which command? 'csspgo help' lists all");
    if (help && strcmp(argv[1], "record") != 0) return help_main(argc - 1, argv + 1);
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-version") == 0) return version_main(0, NULL);
    for (i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0) return commands[i].run(argc - 2, argv + 2);
    return unknown_command(argv[1]);
}

int main(int argc, char **argv)
{
    return ended(run(argc, argv));
}
