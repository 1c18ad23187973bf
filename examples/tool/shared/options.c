/* options.c - options of the command line: one table a command */
#include "tool.h"

option *option_named(option *o, const char *name, size_t size)
{
    option *all = o;
    for (; o->name != NULL; o++)
        if (strlen(o->name) == size && memcmp(o->name, name, size) == 0)
            return o->kind == OPT_ALIAS ? option_named(all, o->values, strlen(o->values)) : o;
    return NULL;
}

/* The place of a word in "a|b|c"; -1: not there. */
static int option_choice(const char *values, const char *word)
{
    const size_t size = strlen(word);
    int i;
    for (i = 0;; i++) {
        const size_t n = strcspn(values, "|");
        if (n == size && memcmp(values, word, n) == 0) return i;
        if (values[n] == '\0') return -1;
        values += n + 1;
    }
}

static int option_bool(const char *value, long long *number)
{
    const int i = option_choice("true|TRUE|True|1|false|FALSE|False|0", value);
    *number = i < 4;
    return i >= 0;
}

static int option_count(const char *value, long long *number)
{
    const int binary = value[0] == '0' && (value[1] == 'b' || value[1] == 'B');
    char *end;
    if (value[0] < '0' || value[0] > '9') return 0;
    errno = 0;
    *number = (long long)strtoull(binary ? value + 2 : value, &end, binary ? 2 : 0);
    return errno == 0 && *end == '\0' && end != value;
}

static int option_number(const char *value, long long *number)
{
    char *end;
    errno = 0;
    *number = strtoll(value, &end, 10);
    return errno == 0 && *end == '\0' && end != value;
}

static int option_is_percent(const char *value)
{
    char *end;
    const double percent = strtod(value, &end);
    return end != value && (*end == '\0' || strcmp(end, "%") == 0) && percent >= 0 && percent <= 100;
}

double option_percent(const option *o)
{
    return o->text != NULL ? strtod(o->text, NULL) : -1;
}

/* Returns 0 after saying what is wrong. */
static int option_set(const tool_context *tool, option *o, const char *value)
{
    int ok = 1;
    o->text = value;
    switch (o->kind) {
    case OPT_TEXT: case OPT_SET: case OPT_ALIAS: break;
    case OPT_LIST: o->list[o->count++] = value; break;
    case OPT_SWITCH: case OPT_IGNORED: ok = option_bool(value, &o->number); break;
    case OPT_NUMBER: ok = option_number(value, &o->number); break;
    case OPT_MAYBE:
        if (*value == '\0') break;
        ok = o->values != NULL ? option_choice(o->values, value) >= 0 : option_count(value, &o->number);
        break;
    case OPT_COUNT: ok = option_count(value, &o->number); break;
    case OPT_PERCENT: ok = option_is_percent(value); break;
    case OPT_CHOICE: ok = (o->number = option_choice(o->values, value)) >= 0; break;
    case OPT_LATER:
        if (o->values != NULL && (strcmp(value, o->values) == 0 || (*o->values == '0' && strcmp(value, "false") == 0)))
            break;
        if (o->values != NULL) usage(tool, "--%s: only --%s=%s is implemented", o->name, o->name, o->values);
        else usage(tool, "--%s is not implemented", o->name);
        return 0;
    case OPT_REFUSED:
        if (o->number == 1 && (strcmp(value, "0") == 0 || strcmp(value, "false") == 0)) break;
        return usage(tool, "--%s is not implemented: %s", o->name, o->values), 0;
    case OPT_ELSEWHERE:
        return usage(tool, "%s%s is an option of perf: %s", strlen(o->name) > 1 ? "--" : "-", o->name, o->values), 0;
    }
    if (!ok && (o->kind == OPT_CHOICE || (o->kind == OPT_MAYBE && o->values != NULL)))
        usage(tool, "--%s: '%s' is none of %s", o->name, value, o->values);
    else if (!ok && o->kind == OPT_PERCENT) usage(tool, "--%s: '%s' is not a percentage", o->name, value);
    else if (!ok) usage(tool, "--%s: '%s' is not a value for it", o->name, value);
    return ok;
}

static int option_needs_value(const option *o)
{
    return o->kind != OPT_SWITCH && o->kind != OPT_SET && o->kind != OPT_IGNORED && o->kind != OPT_LATER &&
           o->kind != OPT_MAYBE && o->kind != OPT_REFUSED && o->kind != OPT_ELSEWHERE;
}

/* Names the option that may have been meant. Returns 0. */
static int option_unknown(const tool_context *tool, const option *o, const char *argument)
{
    const int dashes = argument[1] == '-' ? 2 : 1;
    nearest n = nearest_to(argument + dashes, strcspn(argument + dashes, "="));
    for (; o->name != NULL; o++)
        if (o->kind != OPT_LATER && o->kind != OPT_REFUSED && o->kind != OPT_ELSEWHERE)
            nearest_try(&n, o->name, strlen(o->name));
    if (n.name == NULL || tool->compat) return usage(tool, "unknown option '%s'", argument), 0;
    return usage(tool, "unknown option '%s'; did you mean '%.*s%s'?", argument, dashes, argument, n.name), 0;
}

/* Copies the command's table, with room for the options that may be given several times. Returns 0 after an error. */
static int options_begin(tool_context *tool, const option *table, int argc)
{
    size_t n = 0;
    option *o;
    while (table[n].name != NULL) n++;
    tool->o = o = (option *)malloc((n + 1) * sizeof *o);
    if (o == NULL) return fail(tool, "out of memory"), 0;
    memcpy(o, table, (n + 1) * sizeof *o);
    for (; o->name != NULL; o++)
        if (o->kind == OPT_TEXT) o->text = o->values;
        else if (o->kind == OPT_LIST && (o->list = (const char **)calloc((size_t)argc + 1, sizeof *o->list)) == NULL)
            return fail(tool, "out of memory"), 0;
    return 1;
}

/* What all commands do with their options. */
static void options_end(tool_context *tool)
{
    const option *plain = option_named(tool->o, "no-demangle", 11), *command = option_named(tool->o, "demangler", 9);
    const option *quiet = option_named(tool->o, "quiet", 5), *empty = option_named(tool->o, "allow-empty", 11);
    tool->quiet = quiet != NULL && quiet->number != 0;
    tool->demangle = plain != NULL && plain->number == 0 && !tool->compat;
    if (tool->demangle && command != NULL && command->text != NULL)
        tool->demangler = demangler_start(tool, command->text);
    else if (command != NULL && command->text != NULL)
        warn(tool, "--demangler has no effect with --%s", tool->compat ? "llvm-compat" : "no-demangle");
    tool->allow_empty = empty != NULL && empty->number != 0;
}

/* 1 if an option may be given again with the value that it has now, after the one before. */
static int option_repeats(const option *o, const option *before)
{
    switch (o->kind) {
    case OPT_LIST: case OPT_LATER: case OPT_REFUSED: return 1;      /* the latter two: both ask for nothing */
    case OPT_SWITCH: case OPT_IGNORED: return o->number == before->number;
    default: return 0;
    }
}

/*
 * Refuses a second value, so that none of two is ignored silently. LLVM 19's tools take the last one. Returns 0 after
 * saying what is wrong.
 */
static int option_once(const tool_context *tool, const option *o, const option *before)
{
    if (!before->given || tool->compat || option_repeats(o, before)) return 1;
    return usage(tool, "--%s may be given only once", o->name), 0;
}

/* An option that gives another one its number, which may have it already. Returns 0 after saying what is wrong. */
static int option_set_other(const tool_context *tool, option *table, const option *o)
{
    option *const other = option_named(table, o->values, strlen(o->values));
    if (other->given && other->number != o->number && !tool->compat) {
        const option *const by = option_named(table, other->text, strlen(other->text));
        const int is_value = by == NULL || by->kind != OPT_SET;
        return usage(tool, "--%s does not go with --%s%s%s: one of them only", o->name, is_value ? other->name : "",
                     is_value ? "=" : "", other->text), 0;
    }
    other->number = o->number;
    other->text = o->name;
    other->given = 1;
    return 1;
}

/* Takes the option at argv[*i], and its value if that is the next argument. Returns 0 after saying what is wrong. */
static int option_take(const tool_context *tool, option *table, int argc, char **argv, int *i)
{
    const char *name = argv[*i] + (argv[*i][1] == '-' ? 2 : 1), *equals = strchr(name, '='), *value;
    option *o = option_named(table, name, equals != NULL ? (size_t)(equals - name) : strlen(name)), before;
    if (o == NULL) return option_unknown(tool, table, argv[*i]);
    if (equals != NULL) value = equals + 1;
    else if (!option_needs_value(o)) value = o->kind == OPT_MAYBE ? "" : "1";
    else if (*i + 1 < argc) value = argv[++*i];
    else return usage(tool, "--%s needs a value", o->name), 0;
    if (o->kind == OPT_SET && equals != NULL) return usage(tool, "--%s takes no value", o->name), 0;
    if (o->kind == OPT_SET) return option_set_other(tool, table, o);
    before = *o;
    o->given = 1;
    return option_set(tool, o, value) && option_once(tool, o, &before);
}

static int is_word(const char *argument)
{
    return argument[0] != '-' || argument[1] == '\0';
}

int options_parse(tool_context *tool, const option *table, int argc, char **argv)
{
    int i, files = 0, only_files = 0;
    if (!options_begin(tool, table, argc)) return -1;
    for (i = 0; i < argc; i++) {
        tool->behind += only_files;
        if (only_files || is_word(argv[i])) argv[files++] = argv[i];
        else if (strcmp(argv[i], "--") == 0) only_files = 1;
        else if (!option_take(tool, tool->o, argc, argv, &i)) return -1;
    }
    options_end(tool);
    return files;
}

int options_before(tool_context *tool, const option *table, int argc, char **argv)
{
    int i;
    if (!options_begin(tool, table, argc)) return -1;
    for (i = 0; i < argc && !is_word(argv[i]) && strcmp(argv[i], "--") != 0; i++)
        if (!option_take(tool, tool->o, argc, argv, &i)) return -1;
    options_end(tool);
    return i < argc && strcmp(argv[i], "--") == 0 ? i + 1 : i;
}

void options_free(option *o)
{
    option *at;
    for (at = o; o != NULL && at->name != NULL; at++) free(at->list);
    free(o);
}
