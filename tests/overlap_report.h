/* overlap_report.h - the report of `llvm-profdata-19 overlap --sample`, made from csspgo_overlap's figures. */
#ifndef OVERLAP_REPORT_H
#define OVERLAP_REPORT_H

#include <stdarg.h>

typedef struct report {
    char  *data;                  /* for free() */
    size_t size, cap;
} report;

static void report_bytes(report *r, const char *s, size_t n)
{
    if (r->size + n + 1 > r->cap) {
        r->cap = 2 * r->cap + n + 1;
        r->data = (char *)realloc(r->data, r->cap);
        if (r->data == NULL) abort();
    }
    if (n != 0) memcpy(r->data + r->size, s, n);
    r->size += n;
    r->data[r->size] = '\0';
}

static void report_say(report *r, const char *format, ...)
{
    char line[800];
    va_list ap;
    va_start(ap, format);
    vsprintf(line, format, ap);
    va_end(ap);
    report_bytes(r, line, strlen(line));
}

static void report_name(report *r, csspgo_profile *p, csspgo_func f)
{
    size_t n;
    const char *name = csspgo_func_name(p, f, &n);
    if (name != NULL) report_bytes(r, name, n);
    else report_say(r, "%llu", (unsigned long long)csspgo_func_guid(p, f));
}

/* [main:3 @ foo] without the brackets */
static void report_context(report *r, csspgo_profile *p, csspgo_node node)
{
    const csspgo_node up = csspgo_node_parent(p, node);
    const csspgo_loc at = csspgo_node_loc(p, node);
    if (csspgo_node_kind_of(p, node) == CSSPGO_DUPLICATE) {
        report_context(r, p, up);
        return;
    }
    if (up.id != csspgo_root(p).id) {
        report_context(r, p, up);
        report_say(r, ":%u", (unsigned)at.line);
        if (at.discriminator != 0) report_say(r, ".%u", (unsigned)at.discriminator);
        report_say(r, " @ ");
    }
    report_name(r, p, csspgo_node_func(p, node));
}

static int report_contains(const report *r, const char *part)
{
    const size_t n = strlen(part);
    size_t i;
    for (i = 0; n <= r->size && i <= r->size - n; i++)
        if (memcmp(r->data + i, part, n) == 0) return 1;
    return 0;
}

/* 0 of 0 is printed as LLVM does it. */
static void report_shared(report *r, const char *head, const char *things, csspgo_overlap_counts s)
{
    const unsigned long long all = s.both + s.base_only + s.test_only;
    if (all != 0) report_say(r, "  %s overlap: %.3f%%\n", head, (double)s.both / (double)all * 100);
    else report_say(r, "  %s overlap: -nan%%\n", head);
    report_say(r, "    overlap %s: %llu\n", things, (unsigned long long)s.both);
    report_say(r, "    %s unique in base profile: %llu\n", things, (unsigned long long)s.base_only);
    report_say(r, "    %s unique in test profile: %llu\n", things, (unsigned long long)s.test_only);
}

static void report_pad(report *r, size_t start, size_t column)
{
    do report_bytes(r, " ", 1);
    while (r->size - start < column);
}

static void report_row(report *r, csspgo_profile *test, const csspgo_overlap_row *row)
{
    const size_t start = r->size;
    report_say(r, "%.2f%%", row->base_weight * 100);
    report_pad(r, start, 15);
    report_say(r, "%.2f%%", row->test_weight * 100);
    report_pad(r, start, 30);
    report_say(r, "%.2f%%", row->similarity * 100);
    report_pad(r, start, 43);
    report_say(r, "%.2f%%", csspgo_share(row->overlap_samples, row->union_samples) * 100);
    report_pad(r, start, 53);
    report_say(r, "%.2f%%", csspgo_share(row->base_unique_samples, row->base_samples) * 100);
    report_pad(r, start, 67);
    report_say(r, "%.2f%%", csspgo_share(row->test_unique_samples, row->test_samples) * 100);
    report_pad(r, start, 81);
    report_say(r, "%llu", (unsigned long long)row->base_samples);
    report_pad(r, start, 96);
    report_say(r, "%llu", (unsigned long long)row->test_samples);
    report_pad(r, start, 111);
    report_context(r, test, row->test);
    report_say(r, "\n");
}

typedef struct report_filter {
    uint64_t    value_cutoff;     /* UINT64_MAX: none */
    double      similarity;       /* 0: none          */
    const char *function;         /* NULL: none       */
} report_filter;

static int report_wants(csspgo_profile *test, const csspgo_overlap_row *row, const report_filter *f)
{
    report name = { NULL, 0, 0 };
    int yes;
    if (row->test.id == 0) return 0;
    if (row->test_max >= f->value_cutoff) return 1;
    if (row->base.id == 0) return 0;
    if (row->similarity < f->similarity) return 1;
    if (f->function == NULL || f->function[0] == '\0') return 0;
    report_context(&name, test, row->test);
    yes = report_contains(&name, f->function);
    free(name.data);
    return yes;
}

/* Adds the report to r. Returns the status of csspgo_overlap. */
T_UNUSED static csspgo_status report_overlap(report *r, csspgo_profile *base, const char *base_path,
                                                   csspgo_profile *test, const char *test_path,
                                                   const csspgo_overlap_options *options, const report_filter *filter)
{
    const size_t cap = csspgo_overlap_bound(base, test);
    csspgo_overlap_row *row = (csspgo_overlap_row *)malloc((cap + 1) * sizeof *row);
    csspgo_overlap_figures f;
    size_t n, i;
    int any = 0;
    csspgo_status s;
    if (row == NULL) abort();
    s = csspgo_overlap(base, test, options, &f, row, cap, &n, NULL);
    if (s == CSSPGO_OK && (f.base_samples == 0 || f.test_samples == 0)) {
        if (f.base_samples == 0) report_say(r, "Sum of sample counts for profile %.300s is 0.\n", base_path);
        if (f.test_samples == 0) report_say(r, "Sum of sample counts for profile %.300s is 0.\n", test_path);
    } else if (s == CSSPGO_OK) {
        report_say(r, "Profile overlap infomation for base_profile: %.300s and test_profile: %.300s\nProgram level:\n",
                   base_path, test_path);
        report_say(r, "  Whole program profile similarity: %.3f%%\n", f.similarity * 100);
        report_say(r, "  Whole program sample overlap: %.3f%%\n",
                   csspgo_share(f.overlap_samples, f.union_samples) * 100);
        report_say(r, "    percentage of samples unique in base profile: %.3f%%\n",
                   csspgo_share(f.base_unique_samples, f.base_samples) * 100);
        report_say(r, "    percentage of samples unique in test profile: %.3f%%\n",
                   csspgo_share(f.test_unique_samples, f.test_samples) * 100);
        report_say(r, "    total samples in base profile: %llu\n", (unsigned long long)f.base_samples);
        report_say(r, "    total samples in test profile: %llu\n", (unsigned long long)f.test_samples);
        report_shared(r, "Function", "functions", f.functions);
        report_shared(r, "Hot-function", "hot functions", f.hot_functions);
        report_shared(r, "Hot-block", "hot blocks", f.hot_blocks);
        for (i = 0; i < n; i++) {
            if (!report_wants(test, &row[i], filter)) continue;
            if (!any)
                report_say(r,
                           "Function-level details:\nBase weight    Test weight    Similarity   Overlap   Base unique"
                           "   Test unique   Base samples   Test samples   Function name\n");
            any = 1;
            report_row(r, test, &row[i]);
        }
    }
    free(row);
    return s;
}

#endif
