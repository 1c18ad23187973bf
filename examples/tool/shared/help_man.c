/* help_man.c - the manual page and the completion for bash, of the tables of all commands */
#include "tool.h"

/* Text as roff takes it: no request, no hyphen, no escape. */
static void man_bytes(FILE *out, const char *text, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) {
        if (text[i] == '-') fputs("\\-", out);
        else if (text[i] == '\\') fputs("\\e", out);
        else if (i == 0 && (text[i] == '.' || text[i] == '\'')) fprintf(out, "\\&%c", text[i]);
        else putc(text[i], out);
    }
}

static void man_text(FILE *out, const char *text)
{
    man_bytes(out, text, strlen(text));
}

/* Lines, each after a request. */
static void man_lines(FILE *out, const char *request, const char *lines)
{
    while (lines != NULL && *lines != '\0') {
        const size_t n = strcspn(lines, "\n");
        fprintf(out, "%s\n", request);
        man_bytes(out, lines, n);
        putc('\n', out);
        lines += n + (lines[n] != '\0');
    }
}

static void man_spelling(FILE *out, const option *o, const char *name)
{
    const char *argument = help_argument(o);
    fputs("\\fB", out);
    man_text(out, strlen(name) > 1 ? "--" : "-");
    man_text(out, name);
    fputs("\\fR", out);
    if (argument == NULL) return;
    fputs(o->kind == OPT_MAYBE ? "[=" : strlen(name) > 1 ? "=" : " ", out);
    fputs(o->kind == OPT_CHOICE || o->kind == OPT_SWITCH ? "\\fR" : "\\fI", out);
    man_text(out, argument);
    fputs(o->kind == OPT_MAYBE ? "\\fR]" : "\\fR", out);
}

static void man_option(FILE *out, const option *table, const option *o)
{
    char preset[80];
    const option *a;
    fputs(".TP\n", out);
    man_spelling(out, o, o->name);
    for (a = table; a->name != NULL; a++)
        if (a->kind == OPT_ALIAS && strcmp(a->values, o->name) == 0) fputs(", ", out), man_spelling(out, o, a->name);
    putc('\n', out);
    man_text(out, o->help);
    help_default(o, preset, sizeof preset);
    man_text(out, preset);
    putc('\n', out);
}

static void man_rest(FILE *out, const option *table, const char *what, int ignored)
{
    const option *o;
    int n = 0;
    for (o = table; o->name != NULL; o++) {
        if (ignored ? !help_is_ignored(o) : !help_is_refused(table, o)) continue;
        fputs(n++ == 0 ? what : ", ", out);
        man_text(out, "--");
        man_text(out, o->name);
    }
    if (n != 0) fputs(".\n", out);
}

static void man_command(FILE *out, const command *c)
{
    const option *o;
    fprintf(out, ".SS %s\n", c->name);
    man_text(out, c->brief);
    fputs(".\n", out);
    man_lines(out, ".PP", c->notes);
    for (o = c->options; o->name != NULL; o++)
        if (help_is_listed(o)) man_option(out, c->options, o);
    man_rest(out, c->options, ".PP\nTaken as LLVM takes them, without effect: ", 1);
    man_rest(out, c->options, ".PP\nRefused: ", 0);
}

int help_man(const tool_context *tool)
{
    FILE *out = tool->out;
    const command *c;
    size_t i;
    fprintf(out, ".TH CSSPGO 1 \"\" \"csspgo %d.%d.%d\" \"User Commands\"\n.SH NAME\n"
            "csspgo \\- sample profiles for compilers: made, merged, shown, matched, drawn\n.SH SYNOPSIS\n.nf\n",
            CSSPGO_VERSION_MAJOR, CSSPGO_VERSION_MINOR, CSSPGO_VERSION_PATCH);
    for (i = 0; (c = command_at(i)) != NULL; i++) {
        const char *line = c->usage;
        for (; *line != '\0'; line += strcspn(line, "\n") + 1) {
            man_bytes(out, line, strcspn(line, "\n"));
            putc('\n', out);
        }
    }
    fputs("csspgo help [COMMAND | \\-\\-man | \\-\\-bash]\ncsspgo \\-\\-version\n.fi\n.SH COMMANDS\n"
          "Names of options are those of LLVM's tools: \\-x or \\-\\-x, \\-\\-x=v or \\-\\-x v. A second\n"
          "one is an error, except where its help says that it may be repeated, and of a switch with the same value.\n"
          "With \\-\\-llvm\\-compat the last one counts.\n", out);
    for (i = 0; (c = command_at(i)) != NULL; i++) man_command(out, c);
    fputs(".SH EXIT STATUS\n", out);
    man_lines(out, ".PP", help_statuses);
    fputs(".SH SEE ALSO\n.BR perf\\-record (1),\n.BR llvm\\-profdata (1)\n", out);
    return 0;
}

/* ----- bash ------------------------------------------------------------------------------------------------------- */

static const char bash_head[] =
    "# completion of csspgo for bash; made by csspgo help --bash\n"
    "_csspgo()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}\n"
    "    local options= values= words=\n"
    "    COMPREPLY=()\n"
    "    # --option=value is three words\n"
    "    if [ \"$cur\" = = ]; then cur=\n"
    "    elif [ \"$option\" = = ]; then option=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n";

static const char bash_tail[] =
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then words=$commands\n"
    "    elif [ \"$COMP_CWORD\" -gt 2 ] && [ \"$command\" != help ]; then words=\n"
    "    fi\n"
    "    if [ -n \"$values\" ]; then COMPREPLY=($(compgen -W \"$values\" -- \"$cur\"))\n"
    "    elif [ \"${cur#-}\" != \"$cur\" ]; then\n"
    "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
    "        case ${COMPREPLY-} in *=) compopt -o nospace 2>/dev/null ;; esac\n"
    "    elif [ -n \"$words\" ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
    "    fi\n"
    "}\n"
    "complete -o default -F _csspgo csspgo\n";

static void bash_words(FILE *out, const char *words)
{
    for (; *words != '\0'; words++) putc(*words == '|' ? ' ' : *words, out);
}

static void bash_command(FILE *out, const command *c)
{
    const option *o;
    fprintf(out, "    %s)\n        words=\"", c->name);
    if (c->words != NULL) bash_words(out, c->words);
    fputs("\"\n        options=\"--help", out);
    for (o = c->options; o->name != NULL; o++)
        if (help_is_listed(o) && strcmp(o->name, "help") != 0)
            fprintf(out, " --%s%s", o->name, help_argument(o) != NULL && o->kind != OPT_MAYBE ? "=" : "");
    fputs("\"\n        case $option in\n", out);
    for (o = c->options; o->name != NULL; o++) {
        if (!help_is_listed(o) || o->kind != OPT_CHOICE) continue;
        fprintf(out, "        --%s|-%s) values=\"", o->name, o->name);
        bash_words(out, o->values);
        fputs("\" ;;\n", out);
    }
    fputs("        esac ;;\n", out);
}

int help_bash(const tool_context *tool)
{
    FILE *out = tool->out;
    const command *c;
    size_t i;
    fprintf(out, "%s    local commands=\"", bash_head);
    for (i = 0; (c = command_at(i)) != NULL; i++) fprintf(out, "%s ", c->name);
    fputs("help inputs version\"\n    case $command in\n", out);
    for (i = 0; (c = command_at(i)) != NULL; i++) bash_command(out, c);
    fputs("    help) words=$commands options=\"--man --bash\" ;;\n"
          "    *) options=\"--help --version\" ;;\n"
          "    esac\n", out);
    fputs(bash_tail, out);
    return 0;
}
