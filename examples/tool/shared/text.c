/* text.c - names and contexts as text */
#include "tool.h"
#include "../demangle/demangle.h"

void put_name(csspgo_profile *p, csspgo_func f, FILE *out)
{
    size_t n;
    const char *name = csspgo_func_name(p, f, &n);
    if (name != NULL && isatty(fileno(out))) put_safe(name, n, out);
    else if (name != NULL) fwrite(name, 1, n, out);
    else if (f.id != 0) fprintf(out, "%" PRIu64, csspgo_func_guid(p, f));
}

void put_loc(csspgo_loc loc, FILE *out)
{
    fprintf(out, "%u", loc.line);
    if (loc.discriminator != 0) fprintf(out, ".%u", loc.discriminator);
}

/* "main:3 @ foo:2.1 @ bar", for free(). NULL when memory is exhausted. */
char *context_text(csspgo_profile *p, csspgo_node node)
{
    const size_t size = csspgo_context_text(p, node, NULL, 0) + 1;
    char *text = (char *)malloc(size);
    if (text != NULL) csspgo_context_text(p, node, text, size);
    return text;
}

void put_context(csspgo_profile *p, csspgo_node node, FILE *out)
{
    char *text = context_text(p, node);
    if (text != NULL && isatty(fileno(out))) put_safe(text, strlen(text), out);
    else if (text != NULL) fputs(text, out);
    free(text);
}

/* 1 if nothing in it was ever sampled. */
int is_blank(const csspgo_profile *p)
{
    csspgo_node n;
    for (n.id = 2; n.id <= csspgo_node_count(p) + 1; n.id++)
        if (csspgo_total(p, n) != 0 || csspgo_head(p, n) != 0) return 0;
    return 1;
}

/* Numbers before names, names by their bytes. */
int name_order(csspgo_profile *p, csspgo_func a, csspgo_func b)
{
    size_t m, n;
    const char *x = csspgo_func_name(p, a, &m), *y = csspgo_func_name(p, b, &n);
    int c;
    if (x == NULL || y == NULL) {
        const uint64_t s = csspgo_func_guid(p, a), t = csspgo_func_guid(p, b);
        if (x != NULL || y != NULL) return x == NULL ? -1 : 1;
        return s < t ? -1 : s > t;
    }
    c = memcmp(x, y, m < n ? m : n);
    return c != 0 ? c : m < n ? -1 : m > n;
}

uint64_t sum_of(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void put_shown(const tool_context *tool, const char *name, size_t n, FILE *out)
{
    char text[DEMANGLE_MOST];
    const size_t size = shown_name(tool, name, n, text, sizeof text);
    if (size != 0) put_safe(text, size, out);
    else put_safe(name, n, out);
}

void put_name_safe(const tool_context *tool, csspgo_profile *p, csspgo_func f, FILE *out)
{
    size_t n;
    const char *name = csspgo_func_name(p, f, &n);
    if (name == NULL) put_name(p, f, out);
    else put_shown(tool, name, n, out);
}

void put_name_shown(const tool_context *tool, csspgo_profile *p, csspgo_func f, FILE *out)
{
    if (tool->demangle) put_name_safe(tool, p, f, out);
    else put_name(p, f, out);
}

/* The frames of a context are parted by " @ "; behind the names of all but the last one is ":LOCATION". */
void put_context_shown(const tool_context *tool, csspgo_profile *p, csspgo_node node, FILE *out)
{
    char *text = context_text(p, node), *at = text;
    while (at != NULL && tool->demangle) {
        char *const next = strstr(at, " @ ");
        size_t n = next != NULL ? (size_t)(next - at) : strlen(at), all = n;
        if (*at == '[' && at == text) putc(*at++, out), n--, all--;
        while (next != NULL && n != 0 && at[n] != ':') n--;
        while (next == NULL && text[0] == '[' && n != 0 && at[n - 1] == ']') n--;
        put_shown(tool, at, n, out);
        put_safe(at + n, all - n, out);
        if (next != NULL) fputs(" @ ", out);
        at = next != NULL ? next + 3 : NULL;
    }
    free(text);
    if (!tool->demangle) put_context(p, node, out);
}

/* What LLVM prints for 0 of 0 is -nan. */
double percent(uint64_t part, uint64_t whole)
{
    return whole != 0 ? (double)part / (double)whole * 100 : 0;
}

size_t first_from(const void *v, size_t n, size_t each, uint64_t least)
{
    const char *const at = (const char *)v;
    size_t a = 0, b = n;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        uint64_t key;
        memcpy(&key, at + m * each, sizeof key);
        if (key < least) a = m + 1;
        else b = m;
    }
    return a;
}

/* The samples of all functions. */
uint64_t profile_samples(const csspgo_profile *p)
{
    uint64_t sum = 0;
    csspgo_node n;
    for (n.id = 2; n.id <= csspgo_node_count(p) + 1; n.id++)
        if (csspgo_has_record(p, n) && csspgo_node_kind_of(p, n) != CSSPGO_INLINEE)
            sum = sum_of(sum, csspgo_total(p, n));
    return sum;
}

/* Functions that have a record of their own. */
uint64_t profile_functions(const csspgo_profile *p)
{
    uint64_t n = 0;
    csspgo_func f;
    for (f.id = 1; f.id <= csspgo_func_count(p); f.id++) {
        csspgo_node node = csspgo_func_nodes(p, f);
        while (node.id != 0 && !csspgo_has_record(p, node)) node = csspgo_node_next_same(p, node);
        n += node.id != 0;
    }
    return n;
}
