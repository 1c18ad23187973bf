/* help.c - help of the commands, of the one table that each has */
#include "tool.h"

enum { HELP_WIDTH = 80, HELP_INDENT = 30 };

const char help_statuses[] =
    "0  done\n"
    "1  an input or output is at fault\n"
    "2  the command line is at fault\n"
    "3  done, but the result is empty, most samples were lost or a limit was missed (not with --llvm-compat)\n";

int help_is_listed(const option *o)
{
    return o->help != NULL;
}

int help_is_refused(const option *table, const option *o)
{
    const option *by;
    if (o->kind != OPT_LATER && o->kind != OPT_REFUSED) return 0;
    for (by = table; by->name != NULL; by++)
        if (by->kind == OPT_SET && strcmp(by->values, o->name) == 0) return 0;   /* what these set is nobody's option */
    return 1;
}

int help_is_ignored(const option *o)
{
    return o->help == NULL && o->kind != OPT_ALIAS && o->kind != OPT_LATER && o->kind != OPT_REFUSED &&
           o->kind != OPT_ELSEWHERE;
}

const char *help_argument(const option *o)
{
    if (o->kind == OPT_CHOICE) return o->values;
    if (o->kind == OPT_SWITCH && o->number != 0) return "0|1";
    return o->argument;
}

/* Words of a choice are in the table from number 0 on; -1 and the largest number stand for "no limit". */
size_t help_default(const option *o, char *text, size_t size)
{
    int n = 0;
    *text = '\0';
    if (o->kind == OPT_CHOICE && o->number >= 0) {
        const char *word = o->values;
        long long i;
        for (i = 0; i < o->number; i++) word += strcspn(word, "|") + 1;
        n = snprintf(text, size, " (default %.*s)", (int)strcspn(word, "|"), word);
    } else if ((o->kind == OPT_COUNT || o->kind == OPT_NUMBER || o->kind == OPT_SWITCH) && o->number > 0 &&
               o->number != UINT32_MAX) {
        n = snprintf(text, size, " (default %lld)", o->number);
    } else if (o->kind == OPT_LIST) {
        n = snprintf(text, size, " (may be repeated)");
    }
    return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

/* Prints the words of a line of text from column `at` on, wrapped and indented; ends the line. */
void help_words(FILE *out, const char *text, size_t at, size_t indent)
{
    size_t n;
    for (; *text != '\0' && *text != '\n'; text += n) {
        text += strspn(text, " ");
        n = strcspn(text, " \n");
        if (n == 0) break;
        if (at > indent && at + 1 + n > HELP_WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (at > indent) {
            putc(' ', out);
            at++;
        }
        fwrite(text, 1, n, out);
        at += n;
    }
    putc('\n', out);
}

/* "--name=VALUE, -x VALUE", as the option and its aliases are written. Returns how long it is. */
static size_t help_spelling(FILE *out, const option *table, const option *o)
{
    const char *argument = help_argument(o);
    int n = fprintf(out, "  --%s", o->name);
    const option *a;
    if (argument != NULL) n += fprintf(out, o->kind == OPT_MAYBE ? "[=%s]" : "=%s", argument);
    for (a = table; a->name != NULL; a++) {
        if (a->kind != OPT_ALIAS || strcmp(a->values, o->name) != 0) continue;
        n += fprintf(out, strlen(a->name) > 1 ? ", --%s" : ", -%s", a->name);
        if (argument != NULL && o->kind != OPT_CHOICE)
            n += fprintf(out, strlen(a->name) > 1 ? "=%s" : " %s", argument);
    }
    return n > 0 ? (size_t)n : 0;
}

static void help_option(FILE *out, const option *table, const option *o)
{
    char text[600], preset[80];
    size_t at = help_spelling(out, table, o);
    help_default(o, preset, sizeof preset);
    snprintf(text, sizeof text, "%s%s", o->help, preset);
    if (at + 2 > HELP_INDENT) putc('\n', out), at = 0;
    fprintf(out, "%*s", (int)(HELP_INDENT - at), "");
    help_words(out, text, HELP_INDENT, HELP_INDENT);
}

/* The names of the options of a kind, on lines of their own. */
static void help_rest(FILE *out, const option *table, const char *what, int ignored)
{
    const option *o;
    size_t at = 0;
    for (o = table; o->name != NULL; o++) {
        if (ignored ? !help_is_ignored(o) : !help_is_refused(table, o)) continue;
        if (at == 0) at = (size_t)fprintf(out, "%s", what);
        else if (at + strlen(o->name) + 4 > HELP_WIDTH) fputs(",\n    ", out), at = 4;
        else at += (size_t)fprintf(out, ", ");
        at += (size_t)fprintf(out, "--%s", o->name);
    }
    if (at != 0) putc('\n', out);
}

static void help_usage(FILE *out, const char *lines)
{
    const char *head = "usage: ";
    while (*lines != '\0') {
        const size_t n = strcspn(lines, "\n");
        fprintf(out, "%s%.*s\n", head, (int)n, lines);
        lines += n + (lines[n] != '\0');
        head = "       ";
    }
}

/* Lines in pairs: a command, and what it does. */
static void help_pairs(FILE *out, const char *lines)
{
    size_t n, i;
    for (i = 0; *lines != '\0'; i++) {
        n = strcspn(lines, "\n");
        if (i % 2 == 0) fprintf(out, "    %.*s\n", (int)n, lines);
        else fputs("        ", out), help_words(out, lines, 8, 8);
        lines += n + (lines[n] != '\0');
    }
}

/* The options in groups, each with its title. */
static void help_groups(FILE *out, const command *c)
{
    const char *title;
    const option *o;
    size_t i;
    int n;
    for (i = 0; (title = help_group(i)) != NULL; i++)
        for (n = 0, o = c->options; o->name != NULL; o++) {
            if (!help_is_listed(o) || help_group_of(c, o) != i) continue;
            if (n++ == 0) fprintf(out, "\n%s:\n", title);
            help_option(out, c->options, o);
        }
}

static void help_command(FILE *out, const command *c)
{
    const char *note = c->notes;
    fprintf(out, "csspgo %s: %s\n\nExamples:\n", c->name, c->brief);
    help_pairs(out, help_examples(c->name));
    putc('\n', out);
    help_usage(out, c->usage);
    if (note != NULL) putc('\n', out);
    while (note != NULL && *note != '\0') {
        help_words(out, note, 0, 0);
        note += strcspn(note, "\n");
        note += *note != '\0';
    }
    help_groups(out, c);
    help_rest(out, c->options, "\nTaken as LLVM takes them, without effect: ", 1);
    help_rest(out, c->options, "\nRefused: ", 0);
}

int help_print(const tool_context *tool, const command *one)
{
    const char *status;
    const command *c;
    size_t i;
    if (one != NULL) {
        help_command(tool->out, one);
    } else {
        fputs("usage: csspgo COMMAND ...\n\n", tool->out);
        for (i = 0; (c = command_at(i)) != NULL; i++) {
            fprintf(tool->out, "  %-12s", c->name);
            help_words(tool->out, c->brief, 14, 14);
        }
        fputs("  help        help COMMAND: examples and options; help --man [COMMAND]: a manual\n"
              "              page; help --bash: completion\n"
              "  inputs      lists what you may have, which command takes it, what you get\n"
              "  version     prints the version, as --version does\n", tool->out);
        fputs("\nAn option may be given only once, unless its help says \"may be repeated\".\n", tool->out);
    }
    fputs("\nExit status:\n", tool->out);
    for (status = help_statuses; *status != '\0'; status += strcspn(status, "\n") + 1) {
        fprintf(tool->out, "%.3s", status);
        help_words(tool->out, status + 3, 3, 3);
    }
    return 0;
}
