/* main.c - the command-line tool: the work of llvm-profgen and of llvm-profdata on sample profiles, over csspgo.h
 *
 *   csspgo profgen --binary=B (--perfscript=F | --perfdata=F | --unsymbolized-profile=F) --output=O [options]
 *   csspgo record [options] -- PROGRAM [arguments]
 *   csspgo merge FILE... -o FILE, csspgo show FILE, csspgo overlap BASE TEST
 *   csspgo folded PROFILE, csspgo flame PROFILE -o GRAPH.svg
 *   csspgo match --old-profile=P --binary=NEW -o FILE, csspgo check PROFILE --binary=B
 *   csspgo order PROFILE..., csspgo order --perfdata=F --binary=B
 *   csspgo ctxprof to-yaml | from-yaml | merge | show FILE...
 *   csspgo bottleneck --binary=B --profile=P --mcpu=CPU --top=N
 *   csspgo annotate --binary=B --function=F PROFILE
 *   csspgo inputs
 *   csspgo help [COMMAND | --man [COMMAND] | --bash], csspgo --version
 *
 * Option names are LLVM's. An option of LLVM's tools that this build does not have is refused by name, and so is a
 * second one of those that may not be repeated.
 * Exit status: 0 done; 1 an input or output is at fault; 2 the command line is; 3 done, but the result is of no use.
 *
 * Each command is a file of its name, with the table of its options and their help and the order of its work. It stands
 * in a room with the files of what it does. A room uses its own files and those of shared, debug and demangle, never
 * another command's (tests/rooms.sh).
 */
#include "tool.h"

static const command *const commands[] = { &profgen_command, &record_command, &merge_command, &show_command,
                                           &overlap_command, &folded_command, &flame_command, &match_command,
                                           &check_command, &order_command, &ctxprof_command, &bottleneck_command,
                                           &annotate_command };
enum { COMMANDS = sizeof commands / sizeof *commands };

static const command *command_named(const char *name)
{
    size_t i;
    for (i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i]->name) == 0) return commands[i];
    return NULL;
}

const command *command_at(size_t i)
{
    return i < COMMANDS ? commands[i] : NULL;
}

int command_run(tool_context *tool, const char *name, int argc, char **argv)
{
    const int status = command_named(name)->run_fn(tool, argc, argv);
    options_free(tool->o);
    tool->o = NULL;
    return status;
}

static int version_print(const tool_context *tool)
{
    const uint32_t v = csspgo_version();
#ifdef CSSPGO_USE_ZLIB
    const char *zlib = "yes";
#else
    const char *zlib = "no";
#endif
#ifdef CSSPGO_USE_ZSTD
    const char *zstd = "yes";
#else
    const char *zstd = "no";
#endif
#ifdef CSSPGO_USE_LZMA
    const char *lzma = "yes";
#else
    const char *lzma = "no";
#endif
    fprintf(tool->out, "csspgo %u.%u.%u, zlib: %s, zstd: %s, xz: %s\n", v / 10000, v / 100 % 100, v % 100, zlib, zstd,
            lzma);
    return 0;
}

/* Names the command that may have been meant. Returns the exit status. */
static int unknown_command(const tool_context *tool, const char *word)
{
    nearest n = nearest_to(word, strlen(word));
    size_t i;
    for (i = 0; i < COMMANDS; i++) nearest_try(&n, commands[i]->name, strlen(commands[i]->name));
    nearest_try(&n, "help", 4);
    nearest_try(&n, "version", 7);
    nearest_try(&n, "inputs", 6);
    if (n.name != NULL) return usage(tool, "unknown command '%s'; did you mean '%s'?", word, n.name);
    return usage(tool, "unknown command '%s'; 'csspgo help' lists all", word);
}

/* 1 if the argument is the option, with one dash or two. */
static int is_option(const char *argument, const char *name)
{
    return argument[0] == '-' && strcmp(argument + (argument[1] == '-' ? 2 : 1), name) == 0;
}

/* The release of LLVM that --llvm-compat asks for; `compat` if the argument is another one, or a wrong one. */
static int compat_of(const char *argument, int compat)
{
    static const struct { const char *name; int release; } known[] = {
        { "llvm-compat", 19 }, { "llvm-compat=1", 19 }, { "llvm-compat=true", 19 }, { "llvm-compat=0", 0 },
        { "llvm-compat=false", 0 }, { "llvm-compat=19", 19 }, { "llvm-compat=20", 20 }, { "llvm-compat=21", 21 },
        { "llvm-compat=22", 22 }, { "llvm-compat=23", 23 }
    };
    size_t i;
    for (i = 0; i < sizeof known / sizeof *known; i++)
        if (is_option(argument, known[i].name)) return known[i].release;
    return compat;
}

/* csspgo help [COMMAND | --man [COMMAND] | --bash]. Returns the exit status. */
static int help_run(const tool_context *tool, int argc, char **argv)
{
    const char *const word = argc > 0 ? argv[0] : NULL;
    const command *c = word != NULL ? command_named(word) : NULL;
    if (word == NULL || c != NULL) return help_print(tool, c);
    if (is_option(word, "man") && argc > 1) {
        c = command_named(argv[1]);
        return c != NULL ? help_man(tool, c) : unknown_command(tool, argv[1]);
    }
    if (is_option(word, "man")) return help_man(tool, NULL);
    if (is_option(word, "bash")) return help_bash(tool);
    if (word[0] == '-') return usage(tool, "unknown option '%s'; help has --man and --bash", word);
    return unknown_command(tool, word);
}

static int run(tool_context *tool, int argc, char **argv)
{
    const command *c = argc > 1 ? command_named(argv[1]) : NULL;
    int k, help = 0;
    for (k = 1; c != &record_command && k < argc && strcmp(argv[k], "--") != 0; k++) {
        tool->compat = compat_of(argv[k], tool->compat);
        help |= is_option(argv[k], "help") || strcmp(argv[k], "-h") == 0;
    }
    if (argc < 2) return usage(tool, "which command? 'csspgo help' lists all");
    if (strcmp(argv[1], "help") == 0) return help_run(tool, argc - 2, argv + 2);
    if (help) return help_print(tool, c);
    if (strcmp(argv[1], "inputs") == 0 && argc > 2) return usage(tool, "inputs takes no arguments, not '%s'", argv[2]);
    if (strcmp(argv[1], "inputs") == 0) return inputs_print(tool);
    if (strcmp(argv[1], "version") == 0 || is_option(argv[1], "version")) return version_print(tool);
    return c != NULL ? c->run_fn(tool, argc - 2, argv + 2) : unknown_command(tool, argv[1]);
}

/* What a command returns, or 1 if something that it printed did not get to standard output. */
static int ended(const tool_context *tool, int status)
{
    if (fflush(tool->out) == 0 && !ferror(tool->out)) return status;
    return status != 0 ? status : fail(tool, "standard output: %s", file_why());
}

int main(int argc, char **argv)
{
    tool_context tool;
    int status;
    memset(&tool, 0, sizeof tool);
    tool.program = "csspgo";
    tool.out = stdout;
    tool.err = stderr;
    status = run(&tool, argc, argv);
    demangler_end(tool.demangler);
    options_free(tool.o);
    return ended(&tool, status);
}
