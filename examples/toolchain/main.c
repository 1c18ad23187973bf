/* main.c - minic, a compiler for a subset of C that optimises by a profile with contexts
 *
 *     cc -O2 -o minic *.c
 *     ./minic -o app.o app.c && cc -no-pie -o app app.o
 *     csspgo record -o app.perf ./app
 *     csspgo profgen --binary=app --perfscript=app.perf --gen-cs-nested-profile=0 -o app.prof
 *     ./minic --profile=app.prof -o app.o app.c && cc -no-pie -o app app.o
 */
#define CSSPGO_IMPLEMENTATION
#include "minic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: minic [OPTION]... [-o OBJECT] SOURCE\n"
    "  -o OBJECT        default: a.o\n"
    "  --profile=FILE   a profile of the program, made by csspgo profgen --gen-cs-nested-profile=0\n"
    "  --flat           does not look at its contexts\n"
    "  --no-match       drops counts of functions that have changed\n"
    "  --growth=N       code may grow by N % by inlining; default: 100\n"
    "  --report         says what the profile changes\n";

void fail(const char *file, int line, const char *what, const char *name)
{
    fprintf(stderr, "minic: ");
    if (file != NULL) fprintf(stderr, "%s:", file);
    if (file != NULL && line != 0) fprintf(stderr, "%d:", line);
    fprintf(stderr, "%s%s%s%s\n", file != NULL ? " " : "", what, *name != 0 ? ": " : "", name);
    exit(1);
}

void must(csspgo_status s, const csspgo_error *e)
{
    if (s != CSSPGO_OK) fail(NULL, 0, e->message, "");
}

void *zeros(size_t n, size_t size)
{
    void *p = calloc(n + 1, size);
    if (p == NULL) fail(NULL, 0, "out of memory", "");
    return p;
}

void *room(void *array, int count, int *cap, size_t size)
{
    if (count == *cap) {
        *cap = 2 * *cap + 8;
        array = realloc(array, (size_t)*cap * size);
        if (array == NULL) fail(NULL, 0, "out of memory", "");
    }
    memset((char *)array + (size_t)count * size, 0, size);
    return array;
}

static char *read_source(const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t n = 0, cap = 0;
    char *text = NULL;
    if (f == NULL) fail(path, 0, "cannot be opened", "");
    do {
        cap = 2 * cap + 10000;
        text = (char *)realloc(text, cap);
        if (text == NULL) fail(NULL, 0, "out of memory", "");
        n += fread(text + n, 1, cap - n - 1, f);
    } while (n == cap - 1);
    if (ferror(f)) fail(path, 0, "cannot be read", "");
    fclose(f);
    text[n] = 0;
    return text;
}

static void free_function(function *f)
{
    int i;
    for (i = 0; i < f->blocks; i++) free(f->block[i].v);
    free(f->block);
    free(f->node);
}

/* What was inlined, with the calls that lead there. */
static void report(const unit *u, const function *f)
{
    int i, k;
    for (i = 1; i < f->nodes; i++) {
        printf("%s: inlines %s", f->name, u->f[f->node[i].function].name);
        for (k = f->node[i].parent; k != 0; k = f->node[k].parent) printf(" in %s", u->f[f->node[k].function].name);
        printf("\n");
    }
}

static void compile(unit *u, advice *a, unsigned how, text *t, object *o)
{
    int i;
    for (i = 0; i < u->functions; i++) {
        const int number = a != NULL ? advice_order(a)[i] : i;
        function f;
        uint64_t begin;
        int *order, n;
        if (!u->f[number].defined) continue;
        f = clone_of(&u->f[number], number);
        if (a != NULL) advice_inline(a, &f);
        if (!f.has_counts) inline_small(&f, u);
        if (how & ADVICE_REPORT) report(u, &f);
        optimise(&f);
        order = (int *)zeros((size_t)f.blocks, sizeof *order);
        n = lay_out(&f, order);
        begin = emit_function(t, &f, order, n);
        object_add(o, number, &f, t, begin);
        free(order);
        free_function(&f);
    }
}

int main(int argc, char **argv)
{
    const char *out = "a.o", *profile = NULL, *source = NULL;
    unsigned how = 0, growth = 100;
    unit u;
    text t;
    advice *a;
    object *o;
    char *c;
    int i;
    memset(&u, 0, sizeof u);
    memset(&t, 0, sizeof t);
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-o") == 0 && i + 1 < argc) out = argv[++i];
        else if (strncmp(argv[i], "--profile=", 10) == 0) profile = argv[i] + 10;
        else if (strncmp(argv[i], "--growth=", 9) == 0) growth = (unsigned)strtoul(argv[i] + 9, NULL, 10);
        else if (strcmp(argv[i], "--flat") == 0) how |= ADVICE_FLAT;
        else if (strcmp(argv[i], "--no-match") == 0) how |= ADVICE_NO_MATCH;
        else if (strcmp(argv[i], "--report") == 0) how |= ADVICE_REPORT;
        else if (argv[i][0] != '-' && source == NULL) source = argv[i];
        else source = NULL, i = argc;
    }
    if (source == NULL) {
        fputs(usage, stderr);
        return 2;
    }
    u.file = source;
    c = read_source(source);
    parse(&u, c);
    number_probes(&u);
    a = profile != NULL ? advice_new(&u, profile, how, growth) : NULL;
    o = object_new(&u);
    compile(&u, a, how, &t, o);
    if (!object_write(o, &t, out)) fail(out, 0, "cannot be written", "");
    advice_free(a);
    for (i = 0; i < u.functions; i++) {
        free_function(&u.f[i]);
        free(u.f[i].loc);
        free(u.f[i].name);
    }
    for (i = 0; i < u.globals; i++) {
        free(u.global[i].name);
        free(u.global[i].init);
    }
    free(u.f);
    free(u.global);
    free(t.byte);
    free(t.fix);
    free(t.probe);
    free(c);
    return 0;
}
