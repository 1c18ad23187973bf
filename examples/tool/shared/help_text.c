/* help_text.c - examples of each command and the groups of its options: for help and for the manual pages */
#include "tool.h"

/* Lines in pairs: a command, and what it does. */
static const struct { const char *command, *lines; } examples[] = {
    { "profgen",
      "csspgo profgen --binary=app --perfdata=perf.data -o app.prof\n"
      "makes a profile of what perf record -b --call-graph fp ./app recorded\n"
      "csspgo profgen --binary=app --perfscript=app.ps --format=text -o -\n"
      "prints the profile of what csspgo record -o app.ps -- ./app recorded\n" },
    { "record",
      "csspgo record -o app.ps -- ./app 100\n"
      "records branches and call stacks, without perf and without privileges\n"
      "csspgo record --pid=1234 --duration=10 -o app.data\n"
      "records ten seconds of a process that runs already, as perf.data\n" },
    { "merge",
      "csspgo merge monday.prof tuesday.prof -o week.prof\n"
      "adds up two profiles\n"
      "csspgo merge --text --function='^main' app.prof\n"
      "prints the contexts of a profile that begin with main, as text\n" },
    { "show",
      "csspgo show --top=20 app.prof\n"
      "lists the 20 hottest functions; takes perf.data, too\n"
      "csspgo show --contexts=3 app.prof\n"
      "prints the tree of calling contexts, three levels deep\n" },
    { "overlap",
      "csspgo overlap old.prof new.prof\n"
      "tells how similar two profiles are\n"
      "csspgo overlap --min-overlap=90% old.prof new.prof\n"
      "ends with status 3 if less than 90% of the samples overlap: for scripts\n" },
    { "folded",
      "csspgo folded app.prof -o app.folded\n"
      "writes one line for each stack, as flamegraph.pl reads it\n"
      "csspgo folded --format=speedscope perf.data -o app.json\n"
      "writes a file that speedscope opens\n" },
    { "flame",
      "csspgo flame app.prof -o app.svg\n"
      "draws a flame graph for any browser\n"
      "csspgo flame --diff=old.prof new.prof -o diff.svg\n"
      "shows which stacks have become hotter or colder\n" },
    { "match",
      "csspgo match --old-profile=v1.prof --binary=v2 -o v2.prof\n"
      "carries the profile of an older build over to the new one\n"
      "csspgo match --old-profile=v1.prof --binary=v2 --min-kept=90%\n"
      "reports what fits, and ends with status 3 if that is less than 90%\n" },
    { "check",
      "csspgo check --binary=app app.prof\n"
      "lists the functions whose code has changed since the profile was made\n"
      "csspgo check --binary=app --min-fit=95% app.prof\n"
      "ends with status 3 if less than 95% of the samples fit: for scripts\n" },
    { "order",
      "csspgo order --trace -o order.txt -- ./app\n"
      "orders functions by first execution, for lld's --symbol-ordering-file\n"
      "csspgo order --perfdata=perf.data --binary=app --evaluate\n"
      "prints how many pages the start of the program touches in this order\n" },
    { "ctxprof",
      "csspgo ctxprof show app.ctxprof\n"
      "prints how large a contextual profile is and what it holds\n"
      "csspgo ctxprof merge a.ctxprof b.ctxprof -o all.ctxprof\n"
      "adds up two contextual profiles\n" },
    { "bottleneck",
      "csspgo bottleneck --binary=app --profile=app.prof\n"
      "tells what limits the ten hottest blocks: dependencies, units, or width\n"
      "csspgo bottleneck --binary=app --profile=app.prof --mcpu=znver4 --top=3\n"
      "does so for three blocks on another CPU\n" },
    { "annotate",
      "csspgo annotate --binary=app --function=parse app.prof\n"
      "prints the instructions and the source of a function with their counts\n"
      "csspgo annotate --binary=app --top=10 app.prof -o app.html\n"
      "makes a page of the ten hottest functions, for a browser\n" }
};

const char *help_examples(const char *command)
{
    size_t i;
    for (i = 0; i < sizeof examples / sizeof *examples; i++)
        if (strcmp(examples[i].command, command) == 0) return examples[i].lines;
    return "";
}

/* Names stand between spaces. command NULL: of every command whose own groups do not have the option. */
static const struct { const char *command, *title, *options; } groups[] = {
    { "profgen", "Inputs",
      " binary perfscript perfdata pprof pprof-type preagg unsymbolized-profile llvm-sample-profile jitdump"
      " perf-map data-access-perftrace " },
    { "profgen", "Output",
      " output format gcov-version use-md5 compress-all-sections split-layout populate-profile-symbol-list"
      " populate-profile-symbol-list-from-probes md5-prof-sym-list"
      " gen-partial-profile fill-zero-for-all-funcs update-total-samples mark-all-context-preinlined"
      " sample-profile-format-version extbinary-composite-prof extbinary-write-vtable-type-prof skip-symbolization"
      " use-offset use-first-loadable-segment-as-base " },
    { "profgen", "Calling contexts",
      " ignore-stack-samples bogus-stacks compress-recursion csprof-max-context-depth"
      " csprof-max-unsymbolized-context-depth infer-missing-frames max-search-depth csprof-merge-cold-context"
      " csprof-max-cold-context-depth trim-cold-profile gen-cs-nested-profile generate-merged-base-profiles " },
    { "profgen", "Pre-inliner",
      " csspgo-preinliner use-context-cost-for-preinliner csspgo-replay-preinline"
      " sample-profile-hot-inline-threshold sample-profile-cold-inline-threshold sample-profile-inline-growth-limit"
      " sample-profile-inline-limit-min sample-profile-inline-limit-max"
      " csspgo-preinliner-multiplier-for-previous-inlining sort-profiled-scc-member debug-sizes " },
    { "profgen", "Which samples count, and for how much",
      " pid multi-process-profile tid comm time cgroup exclude-kernel perf-event perf-events sample-period leading-ip-only spe-branch-profile " },
    { "profgen", "The program",
      " kernel perf-binary image-base page-size use-dwarf-correlation dwp debug-binary debug-file-directory"
      " load-function-from-symbol " },
    { "profgen", "Reports and thresholds",
      " report json show-density profile-density-threshold profile-density-cutoff-hot min-density max-dropped"
      " show-images show-mmap-events show-pseudo-probe show-disassembly-only disassemble-functions"
      " show-source-locations show-canonical-fname x86-asm-syntax"
      " show-detailed-warning show-jit-samples " },
    { "record", "What is recorded", " pid follow-forks first binary duration depth max-stack aslr " },
    { "record", "How often", " frequency overhead timer no-counting " },
    { "record", "Every branch, with --exact",
      " exact software step start period jitter seed count max-branches stop frame-pointers " },
    { "merge", "Inputs",
      " weighted-input input-files dump-input-file-list failure-mode max-skipped max-dropped remapping-file mix names"
      " profiled-binary profile-isfs fs-discriminator-pass temporal-profile-max-trace-length"
      " temporal-profile-trace-reservoir-size random-seed " },
    { "merge", "Form of the output",
      " output text binary extbinary gcc ctxprof gcov-version use-md5 md5-indexed-tables md5-prof-sym-list"
      " compress-all-sections split-layout gen-partial-profile sample-profile-format-version"
      " extbinary-composite-prof extbinary-write-vtable-type-prof json " },
    { "merge", "What is kept, and how it is nested",
      " function no-function output-size-limit prof-sym-list drop-profile-symbol-list convert-sample-profile-layout"
      " gen-cs-nested-profile generate-merged-base-profiles sample-merge-cold-context sample-trim-cold-context"
      " sample-frame-depth-for-cold-context compress-recursion " },
    { NULL, "Inputs",
      " binary perfdata perfscript old-profile profile input names profiled-binary profile-isfs"
      " fs-discriminator-pass " },
    { "show", "What is printed",
      " all-functions function top contexts summary show-sec-info-only show-composite-info-only"
      " temporal-profile-traces detailed-summary"
      " hot-func-list topn show-prof-sym-list " },
    { "overlap", "What is printed", " function value-cutoff similarity-cutoff quality min-overlap " },
    { "match", "How code is matched", " mode rename fit min-confidence " },
    { "order", "Which traces count",
      " temporal-profile-trace-reservoir-size temporal-profile-max-trace-length seed use-weights in-order start-up"
      " min-samples join-equal trace follow-forks " },
    { "order", "The order and its evaluation",
      " use-sizes evaluate num-test-traces page-size alignment write-traces " },
    { "flame", "The picture", " diff callers icicle title width " },
    { "ctxprof", "How profiles are added up", " merge-duplicates keep-larger " },
    { "bottleneck", "What is analysed", " mcpu top contexts alias models " },
    { "annotate", "What is shown", " function top contexts source source-dir bottleneck " },
    { NULL, "Output",
      " output format show-format json use-md5 keep-empty mark-inlined top min-fit min-kept no-demangle demangler " },
    { NULL, "What is hot and what is cold",
      " profile-summary-hot-count profile-summary-cold-count profile-summary-cutoff-hot profile-summary-cutoff-cold " },
    { NULL, "Which samples of a recording count", " pid tid comm time cgroup event exclude-kernel " },
    { NULL, "Debug information in other files", " debug-binary debug-file-directory " },
    { NULL, "General", " quiet allow-empty num-threads llvm-compat help " },
    { NULL, "Other", NULL }
};
enum { GROUPS = sizeof groups / sizeof *groups };

const char *help_group(size_t i)
{
    return i < GROUPS ? groups[i].title : NULL;
}

static int group_has(const char *names, const char *name)
{
    const size_t n = strlen(name);
    const char *at = names;
    if (names == NULL) return 1;
    while ((at = strstr(at, name)) != NULL) {
        if (at[-1] == ' ' && at[n] == ' ') return 1;
        at += n;
    }
    return 0;
}

size_t help_group_of(const command *c, const option *o)
{
    size_t i;
    for (i = 0; i < GROUPS - 1; i++)
        if ((groups[i].command == NULL || strcmp(groups[i].command, c->name) == 0) &&
            group_has(groups[i].options, o->name))
            break;
    return i;
}
