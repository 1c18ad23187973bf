/* named.c - which function a name on the command line means */
#include "tool.h"
#include "../demangle/demangle.h"

int is_number(const char *text, uint64_t *v)
{
    char *end;
    if (*text < '0' || *text > '9') return 0;
    errno = 0;
    *v = strtoull(text, &end, 10);
    return *end == '\0' && errno == 0;
}

/* A function by its name; in a profile of GUIDs also by the GUID. Id 0: not there. */
csspgo_func func_named(const tool_context *tool, csspgo_profile *p, const char *name)
{
    const csspgo_func f = csspgo_func_find(p, name, strlen(name));
    uint64_t guid;
    if (f.id != 0 || !(csspgo_profile_flags(p) & CSSPGO_IS_MD5)) return f;
    if (tool->compat || !is_number(name, &guid)) guid = csspgo_guid(name, strlen(name));
    return csspgo_func_add_guid(p, guid);
}

/* Where the parameters begin in a name as people write it, or all of it ends. */
static size_t plain_end(const char *text, size_t size)
{
    static const char anonymous[] = "(anonymous namespace)", call[] = "operator()";
    unsigned angles = 0;
    size_t i;
    for (i = 0; i < size; i++) {
        if (size - i > 10 && memcmp(text + i, call, 10) == 0) i += 9;
        else if (size - i > 21 && memcmp(text + i, anonymous, 21) == 0) i += 20;
        else if (text[i] == '<') angles++;
        else if (text[i] == '>' && angles != 0 && text[i - 1] != '-') angles--;
        else if (text[i] == '(' && angles == 0) break;
    }
    return i;
}

/* 1 if the name is the end of it, from a "::" or a blank on, its parameters and arguments of templates set aside. */
static int is_meant(const char *text, size_t size, const char *name, size_t n)
{
    size_t end = plain_end(text, size), pass;
    if (size == n && memcmp(text, name, n) == 0) return 1;
    for (pass = 0; pass < 2; pass++) {
        unsigned angles = 0;
        if (end >= n && memcmp(text + end - n, name, n) == 0 &&
            (end == n || text[end - n - 1] == ':' || text[end - n - 1] == ' ' || text[end - n - 1] == '*'))
            return 1;
        if (pass != 0 || end == 0 || text[end - 1] != '>') break;
        do {
            end--;
            if (text[end] == '>') angles++;
            else if (text[end] == '<') angles--;
        } while (end != 0 && angles != 0);
    }
    return 0;
}

/* The last part of the name without parameters: what a misspelt word is compared with. */
static const char *word_base(const char *text, size_t size, size_t *n)
{
    size_t end = plain_end(text, size), begin, i;
    for (i = 0; i < end; i++)
        if (text[i] == '<' && i != 0) end = i;
    for (begin = end; begin != 0 && text[begin - 1] != ':' && text[begin - 1] != ' ';) begin--;
    *n = end - begin;
    return text + begin;
}

typedef struct named {
    csspgo_func found;            /* the first of them                                        */
    size_t      count;            /* how many functions are meant                             */
    char        others[400];      /* the first few of these                                   */
    char        near_name[200];   /* what a misspelt name may have meant                      */
} named;

/* Looks at one function. */
static void named_try(const tool_context *tool, named *m, nearest *n, csspgo_profile *p, csspgo_func f,
                      const char *name)
{
    char text[DEMANGLE_MOST];
    size_t raw, size, base;
    const char *own = csspgo_func_name(p, f, &raw), *word;
    const unsigned before = n->distance;
    if (own == NULL || raw > sizeof text) return;
    size = shown_name(tool, own, raw, text, sizeof text);
    if (size == 0) size = demangle_clean(own, raw, text, sizeof text);
    if (is_meant(text, size, name, strlen(name))) {
        const size_t used = strlen(m->others);
        if (m->count++ == 0) m->found = f;
        if (m->count <= 4 && size < sizeof m->others - used - 4)
            snprintf(m->others + used, sizeof m->others - used, "%s%.*s", used != 0 ? ", " : "", (int)size, text);
        return;
    }
    word = word_base(text, size, &base);
    nearest_try(n, word, base);
    if (n->distance < before) snprintf(m->near_name, sizeof m->near_name, "%.*s", (int)base, word);
}

csspgo_func func_meant(const tool_context *tool, csspgo_profile *p, const char *name)
{
    csspgo_func f = func_named(tool, p, name);
    nearest n = nearest_to(name, strlen(name));
    named m;
    if (f.id != 0 || tool->compat) return f;
    memset(&m, 0, sizeof m);
    for (f.id = 1; f.id <= csspgo_func_count(p); f.id++) named_try(tool, &m, &n, p, f, name);
    f.id = 0;
    if (m.count == 1) return m.found;
    if (m.count > 1)
        fail(tool, "%zu functions are called '%s', give the whole name of one: %s%s", m.count, name, m.others,
             m.count > 4 ? ", ..." : "");
    else if (m.near_name[0] != '\0')
        fail(tool, "the profile has no function '%s'; did you mean '%s'?", name, m.near_name);
    else fail(tool, "the profile has no function '%s'", name);
    return f;
}
