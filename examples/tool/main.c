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
 *   csspgo help [COMMAND], csspgo version
 *
 * Option names are LLVM's. An option of LLVM's tools that this build does not have is refused by name.
 * Exit status: 0 done; 1 an input or output is at fault; 2 the command line is; 3 done, but the result is of no use.
 *
 * Each command is a file of its name, with its options, its help and the order of its work; larger ones have files of
 * what they do beside it (record_*.c, profgen_*.c, show_*.c, merge_*.c, match_*.c, flame_*.c, order_*.c,
 * bottleneck_*.c).
 */
#include "tool.h"

static const command *const commands[] = { &profgen_command, &record_command, &merge_command, &show_command,
                                           &overlap_command, &folded_command, &flame_command, &match_command,
                                           &check_command, &order_command, &ctxprof_command, &bottleneck_command };
enum { COMMANDS = sizeof commands / sizeof *commands };

static const char other_usage[] =
    "csspgo help [COMMAND]\n"
    "csspgo version\n";

static const char exit_statuses[] =
    "Exit status: 0 done; 1 an input or output is at fault; 2 the command line is;\n"
    "             3 done, but of no use: an empty profile, everything dropped, nothing kept (not with "
    "--llvm-compat).\n";

static const command *command_named(const char *name)
{
    size_t i;
    for (i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i]->name) == 0) return commands[i];
    return NULL;
}

/* Lines of usage, all below the word "usage:", which the first one has before it. */
static void usage_print(const tool_context *tool, const char *lines, int first)
{
    while (*lines != '\0') {
        const char *next = strchr(lines, '\n') + 1;
        fprintf(tool->out, "%s%.*s", first ? "usage: " : "       ", (int)(next - lines), lines);
        lines = next;
        first = 0;
    }
}

int help_print(const tool_context *tool, const command *one)
{
    size_t i;
    for (i = 0; i < COMMANDS; i++)
        if (one == NULL || one == commands[i]) usage_print(tool, commands[i]->usage, one != NULL || i == 0);
    if (one == NULL) usage_print(tool, other_usage, 0);
    fputc('\n', tool->out);
    for (i = 0; i < COMMANDS; i++) {
        const command *c = commands[i];
        const int last = one != NULL || i + 1 == COMMANDS || commands[i + 1]->shared != c->shared;
        if (one != NULL && one != c) continue;
        if (c->help != NULL) fputs(c->help, tool->out);
        if (c->shared != NULL && last) fputs(c->shared, tool->out);
    }
    fputs(exit_statuses, tool->out);
    return 0;
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
    return fprintf(tool->out, "csspgo %u.%u.%u, zlib: %s, zstd: %s\n", v / 10000, v / 100 % 100, v % 100, zlib, zstd) < 0;
}

/* Names the command that may have been meant, or all. Returns the exit status. */
static int unknown_command(const tool_context *tool, const char *word)
{
    nearest n = nearest_to(word, strlen(word));
    size_t i;
    for (i = 0; i < COMMANDS; i++) nearest_try(&n, commands[i]->name, strlen(commands[i]->name));
    nearest_try(&n, "help", 4);
    nearest_try(&n, "version", 7);
    if (n.name != NULL) return usage(tool, "unknown command '%s'; did you mean '%s'?", word, n.name);
    return usage(tool, "unknown command '%s'; 'csspgo help' lists all", word);
}

/* 1 if the argument is the option, with one dash or two. */
static int is_option(const char *argument, const char *name)
{
    return argument[0] == '-' && strcmp(argument + (argument[1] == '-' ? 2 : 1), name) == 0;
}

static int run(tool_context *tool, int argc, char **argv)
{
    const command *c = argc > 1 ? command_named(argv[1]) : NULL;
    int k, help = 0;
    for (k = 1; c != &record_command && k < argc && strcmp(argv[k], "--") != 0; k++) {
        tool->compat |= is_option(argv[k], "llvm-compat");
        help |= is_option(argv[k], "help") || strcmp(argv[k], "-h") == 0;
    }
    if (argc < 2) return usage(tool, "which command? 'csspgo help' lists all");
    if (strcmp(argv[1], "help") == 0) return help_print(tool, argc > 2 ? command_named(argv[2]) : NULL);
    if (help) return help_print(tool, c);
    if (strcmp(argv[1], "version") == 0 || is_option(argv[1], "version")) return version_print(tool);
    return c != NULL ? c->run_fn(tool, argc - 2, argv + 2) : unknown_command(tool, argv[1]);
}

/* What a command returns, or 1 if something that it printed did not get to standard output. */
static int ended(const tool_context *tool, int status)
{
    if (fflush(tool->out) == 0 && !ferror(tool->out)) return status;
    return status != 0 ? status : fail(tool, "standard output: %s", strerror(errno));
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
    options_free(tool.o);
    return ended(&tool, status);
}
