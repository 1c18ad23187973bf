/* merge_edit.c - merge: what is done to the sum */
#include "views.h"

#if defined(__TINYC__)
#  define _REGEX_NELTS(n)         /* glibc: tcc knows no parameters of variable size */
#endif
#include <regex.h>

typedef struct name_filter {      /* --function or --no-function */
    int     on, compiled;
    regex_t regex;
    char    guid[24];             /* of a whole name: for profiles of GUIDs */
} name_filter;

/* A profile without contexts has none to be merged (LLVM crashes then); its cold functions are trimmed all the same. */
static csspgo_status merge_cold(merge *m)
{
    const option *o = m->o;
    csspgo_cold_options how;
    csspgo_status s = CSSPGO_OK;
    memset(&how, 0, sizeof how);
    how.merge = o[M_MERGE_COLD].number && csspgo_profile_flags(m->p) & CSSPGO_IS_CS;
    how.trim = (uint32_t)o[M_TRIM_COLD].number;
    if (!how.merge && !how.trim) return CSSPGO_OK;
    how.frames = (uint32_t)o[M_COLD_FRAMES].number;
    if (o[M_COLD_COUNT].text != NULL) how.threshold = (uint64_t)o[M_COLD_COUNT].number;
    else s = csspgo_count_threshold(m->p, (uint64_t)o[M_COLD_CUTOFF].number, &how.threshold, NULL);
    return s == CSSPGO_OK && how.threshold != 0 ? csspgo_trim_cold(m->p, &how, NULL) : s;
}

csspgo_status merge_shape(merge *m)
{
    const option *o = m->o;
    const long long cycle = o[M_RECURSION].number;
    const int nest = o[M_NESTED].number || o[M_LAYOUT].number == 1;
    csspgo_status s = CSSPGO_OK;
    if (o[M_RECURSION].text != NULL)
        s = csspgo_compress_recursion(m->p, cycle < 0 || cycle > UINT32_MAX ? UINT32_MAX : (uint32_t)cycle, NULL);
    if (s == CSSPGO_OK) s = merge_cold(m);
    if (s == CSSPGO_OK && o[M_LAYOUT].number == 2) s = csspgo_flatten(m->p, NULL);
    if (s == CSSPGO_OK && nest && o[M_LAYOUT].number != 2)
        s = csspgo_nest(m->p, o[M_KEEP_BASE].number ? (uint32_t)CSSPGO_NEST_KEEP_BASE : 0, NULL);
    return s;
}

/* The words of LLVM, whose regular expressions are Henry Spencer's. */
static const char *filter_error(int code)
{
    switch (code) {
#if defined(REG_EEND)
    case REG_EEND:
#endif
    case REG_EBRACK: return "brackets ([ ]) not balanced";
    case REG_EPAREN: return "parentheses not balanced";
    case REG_EBRACE: return "braces not balanced";
    case REG_BADBR: return "invalid repetition count(s)";
    case REG_ERANGE: return "invalid character range";
    case REG_ESPACE: return "out of memory";
    case REG_BADRPT: return "repetition-operator operand invalid";
    case REG_ECTYPE: return "invalid character class";
    case REG_ECOLLATE: return "invalid collating element";
    case REG_EESCAPE: return "trailing backslash (\\)";
    case REG_ESUBREG: return "invalid backreference number";
    default: return "invalid regular expression";
    }
}

/* A pattern that begins with ? is a name of MSVC's. Returns 0 after saying what is wrong. */
static int name_filter_make(const tool_context *tool, name_filter *f, const char *pattern)
{
    char *escaped, *to;
    const char *p;
    int code;
    if (pattern == NULL || *pattern == '\0') return 1;
    to = escaped = (char *)malloc(2 * strlen(pattern) + 1);
    if (escaped == NULL) return fail(tool, "out of memory"), 0;
    for (p = pattern; *p != '\0'; p++) {
        if (*pattern == '?' && strchr("()^$|*+?.[]\\{}", *p) != NULL) *to++ = '\\';
        *to++ = *p;
    }
    *to = '\0';
    code = regcomp(&f->regex, escaped, REG_EXTENDED | REG_NOSUB);
    if (code == REG_BADPAT && to[-1] == '[') code = REG_EBRACK;   /* what glibc says of a [ at the end */
    free(escaped);
    if (code != 0) return usage(tool, "%s", filter_error(code)), 0;
    f->on = f->compiled = 1;
    snprintf(f->guid, sizeof f->guid, "%" PRIu64, csspgo_guid(pattern, strlen(pattern)));
    return 1;
}

static int name_filter_hits(const name_filter *f, const char *context, int md5)
{
    return f->on && (regexec(&f->regex, context, 0, NULL, 0) == 0 || (md5 && strcmp(context, f->guid) == 0));
}

/* Collects the top-level records to remove. Returns 0 after saying why not. */
static int filter_collect(merge *m, const name_filter *take, const name_filter *leave, csspgo_node *node, size_t *drop,
                          size_t *of)
{
    const size_t n = csspgo_record_count(m->p);
    const int md5 = (csspgo_profile_flags(m->p) & CSSPGO_IS_MD5) != 0;
    size_t i;
    if (csspgo_file_order(m->p, node, NULL) != CSSPGO_OK) return fail(m->tool, "out of memory"), 0;
    for (i = *drop = *of = 0; i < n; i++) {
        char *context;
        if (csspgo_node_kind_of(m->p, node[i]) == CSSPGO_INLINEE) continue;
        context = context_text(m->p, node[i]);
        if (context == NULL) return fail(m->tool, "out of memory"), 0;
        ++*of;
        if (name_filter_hits(leave, context, md5) || (take->on && !name_filter_hits(take, context, md5)))
            node[(*drop)++] = node[i];
        free(context);
    }
    return 1;
}

int merge_filter(merge *m)
{
    name_filter take, leave;
    csspgo_node *node = NULL;
    size_t drop, of;
    int ok;
    memset(&take, 0, sizeof take);
    memset(&leave, 0, sizeof leave);
    ok = name_filter_make(m->tool, &take, m->o[M_FUNCTION].text) &&
         name_filter_make(m->tool, &leave, m->o[M_NO_FUNCTION].text);
    if (ok && (take.on || leave.on)) {
        node = (csspgo_node *)malloc((csspgo_record_count(m->p) + (size_t)1) * sizeof *node);
        ok = node != NULL || (fail(m->tool, "out of memory"), 0);
        ok = ok && filter_collect(m, &take, &leave, node, &drop, &of);
        if (ok && csspgo_remove(m->p, node, drop, NULL) != CSSPGO_OK) ok = (fail(m->tool, "out of memory"), 0);
        if (ok) fprintf(stderr, "%zu of %zu functions in the original profile are filtered.\n", drop, of);
    }
    if (take.compiled) regfree(&take.regex);
    if (leave.compiled) regfree(&leave.regex);
    free(node);
    return ok;
}

int merge_symbols(merge *m)
{
    const char *path = m->o[M_SYMBOLS].text;
    csspgo_status s = CSSPGO_OK;
    csspgo_func f;
    file_bytes list;
    size_t at = 0;
    char *line;
    for (f.id = 1; f.id <= csspgo_func_count(m->p) && m->o[M_NO_SYMBOLS].number; f.id++)
        if (csspgo_is_listed(m->p, f)) csspgo_set_listed(m->p, f, 0);
    if (path == NULL || *path == '\0') return 1;
    if (!file_open(path, &list)) return fail(m->tool, "%s: %s", path, file_why()), 0;
    while (s == CSSPGO_OK && (line = list_next(&list, &at)) != NULL) {
        if (*line != '\0') {
            f = csspgo_func_add(m->p, line, strlen(line));
            s = f.id != 0 ? csspgo_set_listed(m->p, f, 1) : CSSPGO_E_NOMEM;
        }
        free(line);
    }
    file_close(&list);
    return s == CSSPGO_OK || (fail(m->tool, "%s: %s", path, csspgo_status_text(s)), 0);
}
