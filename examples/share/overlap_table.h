/* overlap_table.h - what two profiles have in common, as the table that `llvm-profdata overlap --sample` prints
 *
 * In ONE source file, behind csspgo.h:               Elsewhere:
 *     #define CSSPGO_WITH_QUALITY                        #define CSSPGO_WITH_QUALITY
 *     #include "csspgo.h"                                #include "csspgo.h"
 *     #define CSSPGO_OVERLAP_TABLE_IMPLEMENTATION        #include "overlap_table.h"
 *     #include "overlap_table.h"
 *
 * HOW TO print how similar two profiles are
 *
 *     static int how_to_print_an_overlap(void)
 *     {
 *         csspgo_error e;
 *         csspgo_profile *p = csspgo_profile_new(NULL, &e);    // two profiles, from csspgo_load_file; here it is one
 *         csspgo_overlap_row row[10];                          // csspgo_overlap_bound(p, p) of them
 *         csspgo_overlap_figures figures;
 *         csspgo_overlap_table table;
 *         csspgo_status s = p != NULL ? csspgo_read(p, "main:20:2\n 1: 20\n", 17, &e) : CSSPGO_E_NOMEM;
 *         size_t n = 0;
 *
 *         memset(&table, 0, sizeof table);
 *         table.base_name = table.test_name = "main.prof";
 *         table.part = "main";                                 // lists the functions whose names have this
 *         if (s == CSSPGO_OK) s = csspgo_overlap(p, p, NULL, &figures, row, 10, &n, &e);
 *         if (s == CSSPGO_OK) s = csspgo_write_overlap(p, &figures, row, n, &table, stdout, &e);
 *         csspgo_profile_free(p);
 *         return s != CSSPGO_OK;
 *     }
 *
 * The figures are csspgo_overlap's. It uses only what csspgo.h shows to everyone: copy this file and change it. Part of
 * csspgo, same licence.
 */
#ifndef CSSPGO_SHARE_OVERLAP_TABLE_H
#define CSSPGO_SHARE_OVERLAP_TABLE_H

#if !defined(CSSPGO_VERSION) || !defined(CSSPGO_WITH_QUALITY)
#  error "include csspgo.h, with CSSPGO_WITH_QUALITY, before overlap_table.h"
#endif

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a table says. All zero but for the names: figures of the whole only. */
typedef struct csspgo_overlap_table {
    const char *base_name, *test_name;   /* of the profiles                                                          */
    const char *part;             /* lists functions of test whose context has this text; NULL or "": none           */
    double      similarity;       /* lists functions that are less similar, from 0 to 1                              */
    uint64_t    value;            /* with by_value: lists functions of test with such a count                        */
    uint32_t    by_value;
    uint32_t    llvm;             /* 19: byte for byte as llvm-profdata 19, which prints shares of nothing as -nan   */
                                  /* and has no line "normalized"                                                    */
    void      (*context_fn)(void *ctx, csspgo_node node, FILE *out);   /* prints a context of test; NULL: plain text */
    void       *ctx;
} csspgo_overlap_table;

/* 1 if a table lists a row, 0 if not; -1: out of memory. */
CSSPGO_DEF int csspgo_overlap_lists(const csspgo_profile *test, const csspgo_overlap_row *row,
                                    const csspgo_overlap_table *how);

/*
 * Prints a table.
 *
 *   test                  as for csspgo_overlap, which made figures and the `count` rows
 *   how                   what the table says
 *   out                   an open file; that it cannot be written is left to the caller: ferror(out)
 *
 * Returns   CSSPGO_OK; E_NOMEM, behind a part of the table
 * Source    LLVM 19: overlapSampleProfile
 */
CSSPGO_DEF csspgo_status csspgo_write_overlap(const csspgo_profile *test, const csspgo_overlap_figures *figures,
                                              const csspgo_overlap_row *row, size_t count,
                                              const csspgo_overlap_table *how, FILE *out, csspgo_error *err);

#ifdef __cplusplus
}
#endif
#endif /* CSSPGO_SHARE_OVERLAP_TABLE_H */

/* ===== implementation ============================================================================================= */

#if defined(CSSPGO_OVERLAP_TABLE_IMPLEMENTATION) && !defined(CSSPGO_OVERLAP_TABLE_IMPLEMENTATION_INCLUDED)
#define CSSPGO_OVERLAP_TABLE_IMPLEMENTATION_INCLUDED

#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The context of a node, for free(); NULL when memory is exhausted. */
static char *csspgo__table_context(const csspgo_profile *p, csspgo_node node)
{
    const size_t size = csspgo_context_text(p, node, NULL, 0) + 1;
    char *text = (char *)malloc(size);
    if (text != NULL) csspgo_context_text(p, node, text, size);
    return text;
}

CSSPGO_DEF int csspgo_overlap_lists(const csspgo_profile *test, const csspgo_overlap_row *row,
                                    const csspgo_overlap_table *how)
{
    char *context;
    int has;
    if (row->test.id == 0) return 0;
    if (how->by_value && row->test_max >= how->value) return 1;
    if (row->base.id == 0) return 0;
    if (row->similarity < how->similarity) return 1;
    if (how->part == NULL || *how->part == '\0') return 0;
    context = csspgo__table_context(test, row->test);
    if (context == NULL) return -1;
    has = strstr(context, how->part) != NULL;
    free(context);
    return has;
}

static void csspgo__table_share(const csspgo_overlap_table *how, FILE *out, const char *what, double share,
                                uint64_t whole)
{
    if (whole == 0 && how->llvm != 0) fprintf(out, "  %s: -nan%%\n", what);
    else fprintf(out, "  %s: %.3f%%\n", what, share * 100);
}

static void csspgo__table_number(FILE *out, const char *what, const char *where, uint64_t n)
{
    fprintf(out, "    %s%s: %llu\n", what, where, (unsigned long long)n);
}

static void csspgo__table_counts(const csspgo_overlap_table *how, FILE *out, const char *what, const char *things,
                                 csspgo_overlap_counts n)
{
    const uint64_t all = n.both + n.base_only + n.test_only;
    csspgo__table_share(how, out, what, csspgo_fraction(n.both, all), all);
    csspgo__table_number(out, "overlap ", things, n.both);
    csspgo__table_number(out, things, " unique in base profile", n.base_only);
    csspgo__table_number(out, things, " unique in test profile", n.test_only);
}

static void csspgo__table_program(const csspgo_overlap_figures *f, const csspgo_overlap_table *how, FILE *out)
{
    fprintf(out, "Profile overlap infomation for base_profile: %s and test_profile: %s\nProgram level:\n",
            how->base_name, how->test_name);
    fprintf(out, "  Whole program profile similarity: %.3f%%\n", f->similarity * 100);
    csspgo__table_share(how, out, "Whole program sample overlap", f->overlap, f->union_samples);
    if (how->llvm == 0) csspgo__table_share(how, out, "  normalized", f->normalized, f->union_samples);
    fprintf(out, "    percentage of samples unique in base profile: %.3f%%\n"
            "    percentage of samples unique in test profile: %.3f%%\n", f->base_unique * 100, f->test_unique * 100);
    csspgo__table_number(out, "total samples in base profile", "", f->base_samples);
    csspgo__table_number(out, "total samples in test profile", "", f->test_samples);
    csspgo__table_counts(how, out, "Function overlap", "functions", f->functions);
    csspgo__table_counts(how, out, "Hot-function overlap", "hot functions", f->hot_functions);
    csspgo__table_counts(how, out, "Hot-block overlap", "hot blocks", f->hot_blocks);
}

/* Prints a row, in columns that begin where LLVM's do. Returns 0 when memory is exhausted. */
static int csspgo__table_row(const csspgo_profile *test, const csspgo_overlap_row *r, const csspgo_overlap_table *how,
                             FILE *out)
{
    static const int column[8] = { 15, 30, 43, 53, 67, 81, 96, 111 };
    const double share[6] = {
        r->base_weight, r->test_weight, r->similarity, r->overlap, r->base_unique, r->test_unique
    };
    char *context = how->context_fn == NULL ? csspgo__table_context(test, r->test) : NULL;
    int i, at = 0;
    for (i = 0; i < 8; i++) {
        const uint64_t n = i == 6 ? r->base_samples : r->test_samples;
        at += i < 6 ? fprintf(out, "%.2f%%", share[i] * 100) : fprintf(out, "%llu", (unsigned long long)n);
        at += fprintf(out, "%*s", at < column[i] ? column[i] - at : 1, "");
    }
    if (how->context_fn != NULL) how->context_fn(how->ctx, r->test, out);
    else if (context != NULL) fputs(context, out);
    putc('\n', out);
    free(context);
    return context != NULL || how->context_fn != NULL;
}

/* The rows that are listed, under a head. Returns 0 when memory is exhausted. */
static int csspgo__table_rows(const csspgo_profile *test, const csspgo_overlap_row *row, size_t count,
                              const csspgo_overlap_table *how, FILE *out)
{
    size_t i, printed = 0;
    for (i = 0; i < count; i++) {
        const int listed = csspgo_overlap_lists(test, &row[i], how);
        if (listed < 0) return 0;
        if (listed && printed++ == 0)
            fputs("Function-level details:\nBase weight    Test weight    Similarity   Overlap   Base unique   "
                  "Test unique   Base samples   Test samples   Function name\n", out);
        if (listed && !csspgo__table_row(test, &row[i], how, out)) return 0;
    }
    return 1;
}

CSSPGO_DEF csspgo_status csspgo_write_overlap(const csspgo_profile *test, const csspgo_overlap_figures *figures,
                                              const csspgo_overlap_row *row, size_t count,
                                              const csspgo_overlap_table *how, FILE *out, csspgo_error *err)
{
    csspgo_status s = CSSPGO_OK;
    if (figures->base_samples != 0 && figures->test_samples != 0) {
        csspgo__table_program(figures, how, out);
        if (!csspgo__table_rows(test, row, count, how, out)) s = CSSPGO_E_NOMEM;
    } else {
        if (figures->base_samples == 0) fprintf(out, "Sum of sample counts for profile %s is 0.\n", how->base_name);
        if (figures->test_samples == 0) fprintf(out, "Sum of sample counts for profile %s is 0.\n", how->test_name);
    }
    if (err == NULL) return s;
    memset(err, 0, sizeof *err);
    err->status = s;
    if (s != CSSPGO_OK) strcpy(err->message, csspgo_status_text(s));
    return s;
}

#ifdef __cplusplus
}
#endif
#endif /* CSSPGO_OVERLAP_TABLE_IMPLEMENTATION */
