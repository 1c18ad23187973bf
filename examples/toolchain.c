/* toolchain.c - a program with pseudo probes and a recording of it become a profile for the compiler
 *
 * What `csspgo profgen` and llvm-profgen do, in its shortest form: the code map comes from the ELF file (load.h),
 * samples and mapping events from perf.data, a pre-inliner decides which contexts are worth their code, and the others
 * become part of their functions' own profiles. Says what became of the samples. Needs a system with mmap.
 *
 *     clang -O2 -g -fpseudo-probe-for-profiling app.c -o app
 *     perf record -b --call-graph fp -o perf.data ./app
 *     cc -O2 toolchain.c -o toolchain && ./toolchain app perf.data app.prof
 *     clang -O2 -fpseudo-probe-for-profiling -fprofile-sample-use=app.prof app.c -o app
 */
#define _DEFAULT_SOURCE
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_WITH_DECODE
#define CSSPGO_WITH_LLVM
#define CSSPGO_WITH_RESHAPE
#define CSSPGO_WITH_PERF
#include "../csspgo.h"
#define LOAD_IMPLEMENTATION
#include "load.h"
#include <stdio.h>

/* Everything that can be read now: samples are counted, mapping events say where the program's code is. */
static csspgo_status drain(csspgo_perfdata *d, csspgo_code *code, csspgo_collector *c, csspgo_error *e)
{
    csspgo_status s = CSSPGO_OK;
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_item item;
    while (s == CSSPGO_OK && (item = csspgo_perfdata_next(d, &sample, &map, e)) != CSSPGO_ITEM_NONE) {
        if (item == CSSPGO_ITEM_SAMPLE) s = csspgo_collector_add(c, &sample, 1, e);
        else if (item == CSSPGO_ITEM_MMAP) s = csspgo_code_mmap(code, &map, NULL, e);
    }
    return s != CSSPGO_OK ? s : e->status;
}

/* Reads a recording in pieces, so that its size does not matter. */
static csspgo_status read_recording(const char *path, csspgo_code *code, csspgo_collector *c, csspgo_error *e)
{
    static unsigned char piece[1 << 16];
    csspgo_perfdata *d = csspgo_perfdata_new(seeded(), e);
    FILE *f = fopen(path, "rb");
    csspgo_status s = f == NULL ? CSSPGO_E_IO : e->status;
    size_t n;
    while (s == CSSPGO_OK && (n = fread(piece, 1, sizeof piece, f)) != 0) {
        s = csspgo_perfdata_feed(d, piece, n, e);
        if (s == CSSPGO_OK) s = drain(d, code, c, e);
    }
    if (s == CSSPGO_OK) {
        csspgo_perfdata_end(d);
        s = drain(d, code, c, e);
    }
    if (f == NULL) snprintf(e->message, sizeof e->message, "cannot be opened");
    else fclose(f);
    csspgo_perfdata_free(d);
    return s;
}

/* Contexts become what a compiler can use: those worth inlining stay, nested in their callers. */
static csspgo_status make_useful(csspgo_profile *p, const csspgo_code *code, csspgo_error *e)
{
    csspgo_preinline_options how;
    csspgo_size_table *sizes = csspgo_size_table_new(NULL, e);
    csspgo_status s = sizes != NULL ? csspgo_size_table_add_code(sizes, code, e) : e->status;
    memset(&how, 0, sizeof how);
    how.sizes = sizes;
    if (s == CSSPGO_OK) s = csspgo_preinline(p, &how, NULL, e);
    if (s == CSSPGO_OK) s = csspgo_trim_cold(p, NULL, e);
    if (s == CSSPGO_OK) s = csspgo_nest(p, 0, e);
    csspgo_size_table_free(sizes);
    return s;
}

static void report(const csspgo_collector *c)
{
    char text[4000];
    size_t size = 0;
    csspgo_collector_report_text(c, text, sizeof text, &size, NULL);
    fwrite(text, 1, size < sizeof text ? size : sizeof text, stderr);
}

int main(int argc, char **argv)
{
    char why[300];
    csspgo_error e;
    csspgo_collector *c = NULL;
    csspgo_profile *p = NULL;
    csspgo_status s;
    loaded image;
    if (argc != 4) {
        fprintf(stderr, "usage: toolchain PROGRAM PERF.DATA OUTPUT\n");
        return 2;
    }
    if (!load_image(&image, argv[1], NULL, why, sizeof why)) {
        fprintf(stderr, "toolchain: %s: %s\n", argv[1], why);
        return 1;
    }
    c = csspgo_collector_new(image.code, NULL, seeded(), &e);
    if (c != NULL) p = csspgo_profile_new(NULL, &e);
    s = e.status;
    if (s == CSSPGO_OK) s = read_recording(argv[2], image.code, c, &e);
    if (s != CSSPGO_OK) fprintf(stderr, "toolchain: %s: %s\n", argv[2], e.message);
    if (s == CSSPGO_OK) {
        s = csspgo_collector_profile(c, NULL, p, NULL, &e);
        report(c);
        if (s == CSSPGO_OK && csspgo_collector_has_contexts(c)) s = make_useful(p, image.code, &e);
        if (s == CSSPGO_OK) s = csspgo_write_file(p, argv[3], CSSPGO_EXTBINARY, &e);
        if (s != CSSPGO_OK) fprintf(stderr, "toolchain: %s\n", e.message);
        else printf("%u records\n", (unsigned)csspgo_record_count(p));
    }
    csspgo_profile_free(p);
    csspgo_collector_free(c);
    load_free(&image);
    return s != CSSPGO_OK;
}
