/* help_man.c - the manual pages and the completion for bash, of the tables of all commands */
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

/* Lines in pairs: a command, and what it does. */
static void man_pairs(FILE *out, const char *lines)
{
    size_t n, i;
    for (i = 0; *lines != '\0'; i++) {
        n = strcspn(lines, "\n");
        fputs(i % 2 == 0 ? ".PP\n.nf\n.RS 4\n" : ".PP\n.RS 8\n", out);
        man_bytes(out, lines, n);
        fputs(i % 2 == 0 ? "\n.RE\n.fi\n" : "\n.RE\n", out);
        lines += n + (lines[n] != '\0');
    }
}

/* What begins every page. */
static void man_head(FILE *out, const char *command, const char *brief)
{
    const char *p;
    fputs(".TH CSSPGO", out);
    if (command != NULL) fputs("\\-", out);
    for (p = command; p != NULL && *p != '\0'; p++) putc(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p, out);
    fprintf(out, " 1 \"\" \"csspgo %d.%d.%d\" \"User Commands\"\n.SH NAME\ncsspgo%s%s \\- ", CSSPGO_VERSION_MAJOR,
            CSSPGO_VERSION_MINOR, CSSPGO_VERSION_PATCH, command != NULL ? "\\-" : "", command != NULL ? command : "");
    man_text(out, brief);
    fputs("\n.SH SYNOPSIS\n.nf\n", out);
}

static void man_usage(FILE *out, const char *lines)
{
    size_t n;
    for (; *lines != '\0'; lines += n + (lines[n] != '\0')) {
        n = strcspn(lines, "\n");
        man_bytes(out, lines, n);
        putc('\n', out);
    }
}

static void man_groups(FILE *out, const command *c)
{
    const char *title;
    const option *o;
    size_t i;
    int n;
    for (i = 0; (title = help_group(i)) != NULL; i++)
        for (n = 0, o = c->options; o->name != NULL; o++) {
            if (!help_is_listed(o) || help_group_of(c, o) != i) continue;
            if (n++ == 0) fprintf(out, ".SS %s\n", title);
            man_option(out, c->options, o);
        }
}

static void man_end(FILE *out, const char *also)
{
    fputs(".SH EXIT STATUS\n", out);
    man_lines(out, ".PP", help_statuses);
    fprintf(out, ".SH SEE ALSO\n%s", also);
}

/* The page of a command. */
static void man_command(FILE *out, const command *c)
{
    man_head(out, c->name, c->brief);
    man_usage(out, c->usage);
    fputs(".fi\n.SH EXAMPLES\n", out);
    man_pairs(out, help_examples(c->name));
    if (c->notes != NULL) fputs(".SH DESCRIPTION\n", out);
    man_lines(out, ".PP", c->notes);
    fputs(".SH OPTIONS\n", out);
    man_groups(out, c);
    man_rest(out, c->options, ".PP\nTaken as LLVM takes them, without effect: ", 1);
    man_rest(out, c->options, ".PP\nRefused: ", 0);
    man_end(out, ".BR csspgo (1)\n");
}

/* ----- the page of the program */

static const char man_examples[] =
    "csspgo record -o app.ps -- ./app\n"
    "records the program, built with -fpseudo-probe-for-profiling -fno-omit-frame-pointer\n"
    "csspgo profgen --binary=app --perfscript=app.ps -o app.prof\n"
    "makes a profile of it, for the next build: clang -fprofile-sample-use=app.prof\n"
    "csspgo flame app.prof -o app.svg\n"
    "draws a picture of where the time goes\n"
    "csspgo show --top=20 perf.data\n"
    "lists the hottest functions of a recording of perf\n";

static const char man_files[] =
    ".TP\n.I /usr/lib/debug\nDebug information of programs, by build id and by path; \\-\\-debug\\-file\\-directory "
    "names another place.\n"
    ".TP\n.I /tmp/perf\\-PID.map\nNames of code that a JIT made, for pictures of recordings.\n"
    ".TP\n.I ~/.cache/csspgo\nWhat bottleneck has measured, for the next time, in a file for each CPU; \\-\\-models names "
    "another place.\n"
    ".TP\n.I .csspgo\\-*\nOutputs while they are written. A file appears under its own name when it is complete; after "
    "an error the old one is still there.\n";

static const char man_environment[] =
    ".TP\n.B DEBUGINFOD_CACHE_PATH, XDG_CACHE_HOME, HOME\nWhere clients of debuginfod keep what they have fetched: "
    "csspgo reads it and fetches nothing. bottleneck keeps its models below the second, or below the third in .cache.\n"
    ".TP\n.B PATH\nWhere record looks for the program, and annotate and bottleneck for LLVM's tools and objdump.\n"
    ".TP\n.B TMPDIR\nWhere annotate puts a profile that it makes of a recording, until it ends.\n";

static const char man_security[] =
    ".PP\nInputs may come from anybody: each reader checks sizes and numbers before it uses them. What a terminal "
    "would obey in a name is written as an escape sequence. Nothing is sent or fetched over a network.\n"
    ".PP\nA program's debug information names the files of source that annotate shows. For programs of others, "
    "\\-\\-source\\-dir=DIR limits it to files below DIR.\n"
    ".PP\ncsspgo record runs the program with the rights of the user, under ptrace. Programs that are set-user-ID lose "
    "their extra rights while they are traced.\n";

static const char man_bugs[] =
    ".PP\nRecording of branch records of Intel, AMD and Arm CPUs has been tested with made\\-up buffers of the kernel "
    "only, never on such a CPU.\n"
    ".PP\nOn a CPU without branch records, record needs Linux on x86\\-64; the other commands run elsewhere, too.\n"
    ".PP\nAn option may be given only once, unless its help says that it may be repeated.\n";

static void man_input(FILE *out, const char *have, const char *line, const char *get)
{
    fputs(".TP\n", out);
    man_text(out, have);
    fputs("\n.B ", out);
    man_text(out, line);
    fputs("\n.br\n", out);
    man_text(out, get);
    putc('\n', out);
}

/* The commands, each with its page. */
static void man_commands(FILE *out)
{
    const command *c;
    size_t i;
    for (i = 0; (c = command_at(i)) != NULL; i++) {
        fprintf(out, ".TP\n.BR csspgo\\-%s (1)\n", c->name);
        man_text(out, c->brief);
        fputs(".\n", out);
    }
    fputs(".PP\nNames of options are those of LLVM's tools: \\-x or \\-\\-x, \\-\\-x=v or \\-\\-x v. With "
          "\\-\\-llvm\\-compat an option may be given again, and the last one counts.\n", out);
}

static void man_program(FILE *out)
{
    man_head(out, NULL, "sample profiles for compilers: made, merged, shown, matched, drawn");
    fputs("csspgo COMMAND [options] [FILE ...]\n"
          "csspgo help [COMMAND | \\-\\-man [COMMAND] | \\-\\-bash]\ncsspgo inputs\ncsspgo \\-\\-version\n.fi\n", out);
    fputs(".SH EXAMPLES\n", out);
    man_pairs(out, man_examples);
    fputs(".SH WHICH COMMAND WHEN\nB is the program, P the profile, F the file.\n", out);
    inputs_each(man_input, out);
    fputs(".SH COMMANDS\n", out);
    man_commands(out);
    fprintf(out, ".SH FILES\n%s.SH ENVIRONMENT\n%s.SH SECURITY\n%s.SH BUGS\n%s", man_files, man_environment,
            man_security, man_bugs);
    man_end(out, ".BR perf\\-record (1),\n.BR llvm\\-profdata (1)\n");
}

int help_man(const tool_context *tool, const command *one)
{
    if (one != NULL) man_command(tool->out, one);
    else man_program(tool->out);
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
