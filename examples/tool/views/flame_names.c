/* flame_names.c - flame: short names of functions, and the part of them that is shown where there is little room */
#include "views.h"

/* 1 if s + i begins with text. */
static int name_has(const char *s, size_t size, size_t i, const char *text)
{
    const size_t n = strlen(text);
    return size - i >= n && memcmp(s + i, text, n) == 0;
}

/* Bytes of "operator" and its symbol at s + i; 0: it is none. An operator of conversion has no symbol. */
static size_t name_operator(const char *s, size_t size, size_t i)
{
    static const char *const symbols[] = {
        "()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"
    };
    size_t k;
    if (!name_has(s, size, i, "operator") || (i != 0 && s[i - 1] != ':' && s[i - 1] != ' ')) return 0;
    if (i + 8 < size && strchr("([<>-!=+*/%^&|~, \"", s[i + 8]) == NULL) return 0;
    for (k = 0; k < sizeof symbols / sizeof *symbols; k++) {
        const size_t end = i + 8 + strlen(symbols[k]);
        if (!name_has(s, size, i + 8, symbols[k])) continue;
        if (strcmp(symbols[k], "<<") == 0 && end < size && strchr("(< ", s[end]) == NULL) continue;   /* <, and <char> */
        return end - i;
    }
    return 8;
}

/* 1 if a name is cut: brackets may be open at its end. */
static int name_is_cut(const char *s, size_t size)
{
    return size >= 3 && memcmp(s + size - 3, "\xe2\x80\xa6", 3) == 0;
}

/* Where the bracket at s + i is closed, one behind; 0: nowhere. */
static size_t name_closed(const char *s, size_t size, size_t i)
{
    size_t depth = 0;
    for (; i < size; i++) {
        depth += s[i] == '(';
        if (s[i] == ')' && --depth == 0) return i + 1;
    }
    return 0;
}

/* 1 if parameters may follow this byte. */
static int name_ends(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0 ||
           strchr("_>'}$", c) != NULL;
}

/* Bytes of what may follow parameters: " const", " &&" ... */
static size_t name_qualifiers(const char *s, size_t size, size_t i)
{
    static const char *const words[] = { " const", " volatile", " &&", " &", " noexcept" };
    const size_t begin = i;
    size_t k;
    for (k = 0; k < sizeof words / sizeof *words; k++) {
        if (!name_has(s, size, i, words[k])) continue;
        i += strlen(words[k]);
        k = (size_t)-1;
    }
    return i - begin;
}

/*
 * Leaves out parameters, the result's type, which stands only beside parameters, and "(anonymous namespace)::". What
 * does not look like C++ stays as it is. In place; returns the new size, which is not 0 unless size is.
 */
static size_t name_plain(char *s, size_t size)
{
    size_t i = 0, n = 0, start = 0, angle = 0, step;
    int params = 0, operated = 0, ends = 0;         /* operated: no result's type from here on */
    const int cut = name_is_cut(s, size);
    char *const out = (char *)malloc(size + 1);
    if (out == NULL) return size;
    while (i < size) {
        step = name_operator(s, size, i);
        if (step != 0) {
            operated |= angle == 0;
            ends = 1;
        } else if (name_has(s, size, i, "(anonymous namespace)::")) {
            i += 23;
            continue;
        } else if (s[i] == '(' && (ends || angle != 0)) {
            step = name_closed(s, size, i);
            if (step == 0 && !cut) return free(out), size;
            if (step == 0) step = size;
            if (angle == 0) {
                i = step + name_qualifiers(s, size, step);
                params = 1;
                ends = 0;
                continue;
            }
            step -= i;
            ends = 0;
        } else {
            step = 1;
            angle += s[i] == '<';
            if (s[i] == '>' && (i == 0 || s[i - 1] != '-') && angle-- == 0) return free(out), size;
            ends = name_ends(s[i]);
        }
        memcpy(out + n, s + i, step);
        n += step;
        i += step;
        if (out[n - 1] != ' ' || angle != 0 || i == size) continue;
        if (s[i] == '(' || s[i] == '[') operated = 1;          /* " [clone .cold]" */
        else if (!operated) start = n;
    }
    if ((angle == 0 || cut) && n != 0) {
        if (!params && !cut) start = 0;
        size = n - start;
        memcpy(s, out + start, size);
    }
    free(out);
    return size;
}

void views_short(views_text *t, const char *name, size_t size)
{
    static const char *const suffixes[] = { ".__uniq.", ".llvm." };
    const size_t begin = t->size;
    size_t i = 0, k, n, e;
    while (i < size) {
        for (k = 0, e = i; k < 2 && e == i; k++) {
            n = strlen(suffixes[k]);
            if (!name_has(name, size, i, suffixes[k]) || size - i <= n) continue;
            for (e = i + n; e < size && name[e] >= '0' && name[e] <= '9'; e++) continue;
            if (e == i + n) e = i;
        }
        if (e == i) views_add(t, name + e++, 1);
        i = e;
    }
    if (t->size != begin) t->size = begin + name_plain(t->data + begin, t->size - begin);
}

void views_brief(views_text *t, const char *name, size_t size)
{
    static const char dots[] = "<\xe2\x80\xa6>";
    const size_t begin = t->size;
    size_t i, n = begin, angle = 0, step;
    views_text whole;
    memset(&whole, 0, sizeof whole);
    views_short(&whole, name, size);
    for (i = 0; i < whole.size; i += step) {
        const char c = whole.data[i];
        step = name_operator(whole.data, whole.size, i);
        if (step != 0) {
            if (angle == 0) views_add(t, whole.data + i, step);
            continue;
        }
        step = 1;
        if (c == '<' && angle++ == 0) views_add(t, dots, sizeof dots - 1);
        else if (c == '>' && angle != 0 && (i == 0 || whole.data[i - 1] != '-')) angle--;
        else if (angle == 0) views_add(t, &c, 1);
    }
    if (angle != 0) {                                /* no arguments of a template: the name stays as it is */
        t->size = n;
        views_add(t, whole.data, whole.size);
    }
    free(whole.data);
}

size_t views_last(const char *s, size_t size)
{
    size_t i, last = 0;
    int depth = 0;
    for (i = 0; i < size; i++) {
        if (depth == 0 && name_operator(s, size, i) != 0) return last;
        if (strchr("<({", s[i]) != NULL && s[i] != '\0') depth++;
        if ((s[i] == '>' && (i == 0 || s[i - 1] != '-')) || s[i] == ')' || s[i] == '}') depth--;
        if (depth != 0 || !name_has(s, size, i, "::") || i + 2 == size) continue;
        if (s[i + 2] != '{' && s[i + 2] != '\'' && s[i + 2] != ':' && name_operator(s, size, i + 2) == 0) last = i + 2;
    }
    return depth == 0 || name_is_cut(s, size) ? last : 0;
}
