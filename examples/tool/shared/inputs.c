/* inputs.c - csspgo inputs: what people have, the command that takes it, what they get */
#include "tool.h"

typedef struct input_row { const char *have, *command, *get; } input_row;

static const input_row rows[] = {
    { "perf.data with branch records (perf record -b --call-graph fp)",
      "profgen --binary=B --perfdata=perf.data -o P",
      "a profile for clang: counts of blocks and calls, by calling context" },
    { "perf.data with call stacks or addresses (perf record -g)",
      "profgen --binary=B --perfdata=perf.data -o P",
      "a profile for clang or, with --format=gcc, for gcc: estimates from where time goes" },
    { "any of these, for a first look",
      "flame perf.data -o x.svg; show --top=20 perf.data; annotate --binary=B --function=F perf.data",
      "a picture with names, of all files, the kernel and JITs; it needs no debug information" },
    { "perf.data with --no-buffering into a pipe, or -z",
      "COMMAND ... -",
      "the same; zstd in a build with zstd" },
    { "text of perf script, with or without addresses and names",
      "profgen --binary=B --perfscript=F -o P; flame F -o x.svg",
      "the same as from perf.data, as far as the text has the fields" },
    { "any of these as .gz or .zst",
      "the same commands",
      "the same" },
    { "a recording of which only some samples are wanted",
      "... --tid=N --comm=NAME --time=A,B --cgroup=PATH --event=NAME --exclude-kernel",
      "the samples that fit; a message says how many were left out" },
    { "a program on x86-64 Linux and no perf",
      "record -o F -- ./app; profgen --binary=app --perfscript=F -o P",
      "branch records and call stacks from bursts, without privileges" },
    { "a trace of branches: Intel PT, BTS (perf script --itrace=b -F ip,addr), magic-trace",
      "profgen --binary=B --perfscript=F -o P",
      "exact counts: each branch and each range as often as it ran" },
    { "Arm SPE (perf script --itrace=bl1 -F pid,ip,brstack)",
      "profgen --spe-branch-profile --binary=B --perfscript=F -o P",
      "counts of branches" },
    { "a program of Windows with DWARF (MinGW, clang-cl -gdwarf), recorded under wine or by Intel SEP",
      "profgen --binary=app.exe --perfscript=F [--image-base=ADDR] -o P",
      "a profile by source line" },
    { "simpleperf's AutoFDO text (Android)",
      "profgen --binary=B --perfscript=F -o P",
      "counts of ranges and branches" },
    { "BOLT's pre-aggregated text",
      "profgen --binary=B --preagg=F -o P",
      "counts of branches" },
    { "pprof: profile.proto of a fleet, of Go, plain or gzip",
      "profgen --binary=B --pprof=F -o P; flame F -o x.svg",
      "a profile from call stacks; a picture" },
    { "gperftools' CPU profile (CPUPROFILE=F)",
      "profgen --binary=B --pprof=F -o P; flame F -o x.svg",
      "the same" },
    { "node --cpu-prof, Chrome: .cpuprofile",
      "flame F.cpuprofile -o x.svg; folded F.cpuprofile",
      "a picture" },
    { "collapsed stacks (stackcollapse-*.pl, folded)",
      "flame F.folded -o x.svg; show --top=20 F.folded",
      "a picture" },
    { "JITs' code: jit-PID.dump, perf-PID.map",
      "profgen --jitdump=auto --perfdata=F -o P; flame F -o x.svg",
      "a profile by source line; a picture with the names of the map" },
    { "raw counters (llvm-profgen --skip-symbolization)",
      "profgen --binary=B --unsymbolized-profile=F -o P",
      "a profile" },
    { "profiles of LLVM or gcc: text, ExtBinary, gcov",
      "show, merge, overlap, flame, match, annotate",
      "views, sums, other forms" },
    { "contextual profiles (.ctxprof), temporal traces (.profraw)",
      "ctxprof, show, flame; order",
      "tables; an order of functions" },
    { "a kernel or its modules (vmlinux, NAME.ko)",
      "profgen --kernel --binary=vmlinux --perfdata=F -o P",
      "a profile of it" },
    { "debug information elsewhere: .gnu_debuglink, build id, debuginfod's cache, dwz -m, .gnu_debugdata",
      "the same commands; --debug-binary, --debug-file-directory",
      "it is found, or a message names what is missing; nothing is fetched from a network" }
};

void inputs_each(void (*row_fn)(FILE *out, const char *have, const char *command, const char *get), FILE *out)
{
    size_t i;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) row_fn(out, rows[i].have, rows[i].command, rows[i].get);
}

static void input_print(FILE *out, const char *have, const char *command, const char *get)
{
    putc('\n', out);
    help_words(out, have, 0, 0);
    fputs("    csspgo ", out);
    help_words(out, command, 11, 11);
    fputs("        ", out);
    help_words(out, get, 8, 8);
}

int inputs_print(const tool_context *tool)
{
    help_words(tool->out, "What you have, the command that takes it (B: the program, P: the profile, F: the file), "
                          "what you get:", 0, 0);
    inputs_each(input_print, tool->out);
    putc('\n', tool->out);
    help_words(tool->out, "Refused by name: perf.data of version 1; heap, growth, contention, mutex and goroutine "
                          "profiles; branch records without addresses (brstacksym, brstackinsn, brstackoff); "
                          "directories of perf record --threads; object files.", 0, 0);
    return 0;
}
