/* profgen_input.c - profgen: its inputs, one by one */
#include "profgen.h"

/* What became of mappings and addresses. Returns 0 if the recording is of another program, after saying so. */
static int recording_spaces(const profgen *g, const recording *r)
{
    const csspgo_spaces_stats s = csspgo_spaces_get_stats(g->spaces);
    char recorded[41], given[41];
    size_t size;
    const unsigned char *id = elf_build_id(&g->image.elf, &size);
    build_text(s.other_build, s.other_build_size, recorded);
    build_text(id, size, given);
    if (s.other_builds != 0 && s.builds == 0)
        return fail(g->tool, "%s: the recorded program has build id %s, %s has %s: give the program that was recorded",
                    r->path, recorded, g->binary, given),
               0;
    if (s.other_builds != 0)
        warn(g->tool, "%s: samples of a program of the same name with build id %s do not count: %s has %s", r->path,
             recorded, g->binary, given);
    if (s.unfit_mappings != 0)
        warn(g->tool, "%s: %llu mappings of %s fit none of its segments", r->path, (unsigned long long)s.unfit_mappings,
             g->binary);
    if (s.offset_stacks != 0)
        warn(g->tool,
             "%s: %llu call stacks are of offsets in files, as perf 5.16 to 6.3 prints them: %llu of their frames are "
             "in %s%s; perf.data itself is surer",
             r->path, (unsigned long long)s.offset_stacks, (unsigned long long)s.offset_frames, g->binary,
             images_more(g->images) != 0 ? " and the other files given" : "");
    if (s.places > 1 + images_more(g->images) && g->pidless)
        warn(g->tool,
             "%s: %s is mapped at %llu addresses, and samples do not say of which process they are: print them with "
             "-F +pid",
             r->path, g->binary, (unsigned long long)s.places);
    if (s.offset_records > recording_samples(r) / 2)
        return fail(g->tool, "%s: branch records are offsets in files (brstackoff): use -F brstack", r->path),
               0;
    if (s.guessed != 0)
        warn(g->tool, "%s: %llu samples are of processes without mapping events: they are looked up among all mappings",
             r->path, (unsigned long long)s.guessed);
    return 1;
}

/* The end of a recording: what is to be said about it. Returns 0 after saying what is wrong. */
int recording_over(profgen *g, const recording *r, unsigned long long samples)
{
    if (r->preagg != NULL) return preagg_over(g, r), 1;
    if (g->collector != NULL && r->script != NULL && g->last && csspgo_collector_get_stats(g->collector).samples == 0 &&
        (g->o[O_IGNORE_STACK].number || !csspgo_script_get_stats(r->script).hybrid) && !profgen_no_contexts(g))
        return 0;
    if (r->pprof != NULL) pprof_over(g, r);
    else recording_warnings(g, r);
    if (!events_over(g, r)) return 0;
    if (g->spaces != NULL && !recording_spaces(g, r)) return 0;
    fit_over(g, r->path);
    g->attempts += r->script != NULL ? csspgo_script_get_stats(r->script).attempts : samples;
    if (g->jit_only) return 1;
    if (!g->mapped && g->o[O_KERNEL].number && as_llvm(g))
        return fail(g->tool, "Kernel is requested, but no kernel is found in mmap events."), 0;
    if (!g->mapped && g->image.object && g->o[O_IMAGE_BASE].text != NULL) return 1;
    if (!g->mapped && g->image.object) return module_complain(g, r->path);
    if (!g->mapped && g->o[O_KERNEL].number) return fail(g->tool, "%s: no mapping event is for the kernel", r->path), 0;
    if (!g->mapped && samples != 0 && g->spaces != NULL && csspgo_code_base(g->image.code, g->image.module) >> 63 != 0)
        return fail(g->tool, "%s: %s has the addresses of a kernel: give --kernel", r->path, g->binary), 0;
    if (!g->mapped && samples != 0 && g->spaces != NULL && g->o[O_IMAGE_BASE].text == NULL &&
        mapped_complain(g, r->path))
        return 0;
    if (!g->mapped && samples != 0 && as_llvm(g)) llvm_no_mapping(g);
    else if (!g->mapped && samples != 0) makers_unmapped(g);
    return 1;
}

/* What stands behind the data of a perf.data file: build ids, and events' names. Returns 0 after saying what is wrong. */
static int recording_tail(profgen *g, FILE *f)
{
    static char chunk[1 << 16];
    csspgo_perfdata *d = csspgo_perfdata_new(seeded(), NULL);
    csspgo_item item;
    csspgo_sample sample;
    csspgo_mmap map;
    uint64_t at = 0, bytes = 0;
    size_t n;
    int ok = d != NULL || (fail(g->tool, "out of memory"), 0);
    while (ok && (at != 0 || bytes < 1 << 20) && (n = fread(chunk, 1, sizeof chunk, f)) != 0) {
        csspgo_perfdata_feed(d, chunk, n, NULL);
        while (ok && (item = csspgo_perfdata_next(d, &sample, &map, NULL)) != CSSPGO_ITEM_NONE) {
            if (item != CSSPGO_ITEM_BUILD_ID) continue;
            renamed_see(g, item, &sample, &map);
            if (g->spaces != NULL) ok = profgen_event(g, item, &sample, &map);
        }
        bytes += n;
        if (at == 0) at = csspgo_perfdata_skip_data(d);
        if (at == 0 || at == UINT64_MAX) continue;
        ok = ok && (fseeko(f, (off_t)at, SEEK_SET) == 0 || (fail(g->tool, "%s: %s", g->path, file_why()), 0));
        at = UINT64_MAX;
    }
    g->ids_read = at != 0;
    ok = ok && events_of_data(g, d);
    csspgo_perfdata_free(d);
    return ok &&
           ((!ferror(f) && fseeko(f, 0, SEEK_SET) == 0) || (fail(g->tool, "%s: %s", g->path, file_why()), 0));
}

/* 1 if a directory has the file of perf record --threads of a number; -1: the one with all but the samples. */
static int thread_file(const char *directory, int number)
{
    char path[4096];
    struct stat st;
    const int n = number < 0 ? snprintf(path, sizeof path, "%s/data", directory)
                             : snprintf(path, sizeof path, "%s/data.%d", directory, number);
    return n > 0 && (size_t)n < sizeof path && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Says what to do with a directory of perf record --threads, if that is what it is. Returns 1 if so. */
static int is_thread_directory(const profgen *g, const char *directory)
{
    char last[24] = "";
    int n = 0;
    if (!thread_file(directory, -1) || !thread_file(directory, 0)) return 0;
    while (n < 100000 && thread_file(directory, n + 1)) n++;
    if (n != 0) sprintf(last, " to data.%d", n);
    fail(g->tool, "%s: a directory of perf record --threads, with a recording in its files data and data.0%s: record "
         "without --threads, or give what perf script -i %s prints as --perfscript", directory, last, directory);
    return 1;
}

/* The same if its file without samples was given. */
static int is_thread_data(const profgen *g)
{
    const char *const slash = strrchr(g->path, '/'), *const name = slash != NULL ? slash + 1 : g->path;
    char directory[4096] = ".";
    const size_t n = slash != NULL ? (size_t)(slash - g->path) : 0;
    if (strcmp(name, "data") != 0 || n >= sizeof directory) return 0;
    if (slash != NULL) memcpy(directory, n != 0 ? g->path : "/", n != 0 ? n : 1);
    if (n != 0) directory[n] = '\0';
    return is_thread_directory(g, directory);
}

/* Reads from f; total: its bytes if it can be read twice, else 0. Returns 0 after saying what is wrong. */
static int recording_read_from(profgen *g, FILE *f, unsigned long long total)
{
    recording r;
    int ok = recording_open(g, &r, !g->tool->compat);
    ok = ok && renamed_begin(g);
    if (ok && r.data != NULL && total != 0) ok = recording_tail(g, f);
    if (ok && total != 0) ok = renamed_ahead(g, &r, "", 0, f);
    if (ok && r.script != NULL && total != 0) ok = events_of_script(g, "", 0, f);
    ok = ok && events_leave_out(g, &r);
    ok = ok && recording_read(g, &r, f, total);
    if (ok && r.data != NULL && recording_samples(&r) == 0 && is_thread_data(g)) ok = 0;
    ok = ok && profgen_release(g) && recording_over(g, &r, recording_samples(&r));
    recording_close(&r);
    return ok;
}

/* The input at g->path. Returns 0 after saying what is wrong. */
int profgen_read_recording(profgen *g)
{
    const char *const path = g->path;
    const int is_stdin = strcmp(path, "-") == 0, in_memory = flat_asked(g);
    unsigned long long total = 0;
    struct stat st;
    file_bytes text;
    FILE *f;
    int ok;
    memset(&text, 0, sizeof text);
    if (in_memory && !file_open(path, &text)) return fail(g->tool, "%s: %s", path, file_why()), 0;
    if (in_memory && flat_kind(&text) == 0) {
        ok = flat_read(g, &text);
        file_close(&text);
        return ok;
    }
    errno = ENOMEM;                                        /* unless a system call fails */
    if (in_memory) f = fmemopen((void *)(uintptr_t)text.data, text.size, "rb");
    else f = is_stdin ? stdin : fopen(path, "rb");
    if (f == NULL) return fail(g->tool, "%s: %s", path, file_why()), file_close(&text), 0;
    setvbuf(f, NULL, _IONBF, 0);
    if (!is_stdin && !in_memory && fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode) && is_thread_directory(g, path))
        return fclose(f), 0;
    if (in_memory) total = text.size;
    else if (!is_stdin && fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode)) total = (unsigned long long)st.st_size;
    ok = recording_read_from(g, f, total);
    if (f != stdin) fclose(f);
    file_close(&text);
    return ok;
}

static int profgen_read_raw(profgen *g)
{
    const csspgo_unsymbolized_options raw = profgen_raw(g);
    csspgo_error e;
    file_bytes text;
    csspgo_status s;
    if (!file_open(g->path, &text)) return fail(g->tool, "%s: %s", g->path, file_why()), 0;
    if (!g->tool->compat && simpleperf_is(&text)) s = simpleperf_read(g, &text, &e);
    else s = csspgo_read_unsymbolized(g->collector, text.data, text.size, &raw, &e);
    if (s == CSSPGO_OK && (g->o[O_REPORT].text != NULL || g->o[O_FILL].number)) counts_text(g, &text);
    file_close(&text);
    if (s != CSSPGO_OK) kind_fail_at(g->tool, g->path, KIND_OTHER, &e);
    return s == CSSPGO_OK;
}

/* Address spaces are followed but in compat mode and for the kernel. Returns 0 after saying what is wrong. */
int profgen_spaces(profgen *g)
{
    size_t size;
    const unsigned char *id = elf_build_id(&g->image.elf, &size);
    if (!makers_map(g)) return 0;
    if (g->tool->compat || g->o[O_KERNEL].number || g->jit_only) return 1;
    if (id != NULL) csspgo_code_set_build_id(g->image.code, g->image.module, id, size < 20 ? size : 20, NULL);
    g->spaces = csspgo_spaces_new(g->image.code, seeded(), NULL);
    return (g->spaces != NULL && images_begin(g)) || (fail(g->tool, "out of memory"), 0);
}

/* Forgets where the recording before was mapped. Returns 0 after saying what is wrong. */
static int profgen_next_recording(profgen *g)
{
    g->mapped = g->ids_read = g->pidless = g->leaf_only = 0;
    g->bias = g->unmapped = g->unmapped_hits = 0;
    mapped_forget(g);
    health_next(g);
    loss_next(g->loss);
    csspgo_spaces_free(g->spaces);
    g->spaces = NULL;
    if (g->jit_only) return 1;
    if ((g->collector != NULL && csspgo_collector_flush(g->collector, NULL) != CSSPGO_OK) ||
        csspgo_code_map(g->image.code, g->image.module, 0, NULL) != CSSPGO_OK)
        return fail(g->tool, "out of memory"), 0;
    return profgen_spaces(g);
}

/* Recordings, or files of counters, of one program: they add up. Returns 0 after saying what is wrong. */
int profgen_read_inputs(profgen *g)
{
    const size_t data = g->o[O_PERFDATA].count;
    size_t n = 0, i;
    int ok = 1;
    while (profgen_input(g, n) != NULL) n++;
    for (i = g->tool->compat && n != 0 ? n - 1 : 0; ok && i < n && !interrupted(); i++) {
        g->path = profgen_input(g, i);
        g->last = i + 1 == n;
        if (i < data) g->perfscript = NULL;
        else if (g->perfdata != NULL) g->perfscript = g->path, g->perfdata = NULL;
        if (g->unsymbolized != NULL) ok = profgen_read_raw(g);
        else ok = (i == 0 || g->tool->compat || profgen_next_recording(g)) && profgen_read_recording(g);
    }
    if (!ok || i == n) return ok;
    g->partial = 1;
    warn(g->tool, "interrupted: %zu of %zu inputs were not read", n - i, n);
    return 1;
}

/* Neither the profile nor the report may take the place of a file that is read. Returns 0 after saying which would. */
int profgen_spares_file(const profgen *g, const char *path)
{
    return output_spares(g->tool, g->output, path) &&
           (g->o[O_REPORT].text == NULL || output_spares(g->tool, g->o[O_REPORT].text, path));
}

/* The same of all inputs, and of each other. */
int profgen_spares(const profgen *g)
{
    static const int lists[] = { O_BINARY, O_JITDUMP, O_PERF_MAP, O_DEBUG_BINARY, O_PROFILE };
    const option *o = g->o;
    const char *path;
    size_t i, k;
    for (i = 0; (path = profgen_input(g, i)) != NULL; i++)
        if (!profgen_spares_file(g, path)) return 0;
    for (k = 0; k < sizeof lists / sizeof *lists; k++)
        for (i = 0; i < o[lists[k]].count; i++) {
            path = o[lists[k]].list[i];
            if ((lists[k] != O_JITDUMP || strcmp(path, "auto") != 0) && !profgen_spares_file(g, path)) return 0;
        }
    return profgen_spares_file(g, o[O_DWP].text) && output_spares(g->tool, o[O_REPORT].text, g->output);
}

/* The probes of a program whose code is loaded, and whose code it is. Returns 0 with a sentence in why. */
int probes_load(profgen *g, char *why, size_t why_size)
{
    const loaded *const l = &g->image;
    if (!load_probes(&g->image, why, why_size)) return 0;
    if (l->unnamed > l->found)
        warn(g->tool, "%s: the code of %zu probe records was not found: no symbol tells where it is, and %" PRIu64
             " probes have no counts (--debug-binary=FILE: symbols from there)", g->binary, l->unnamed - l->found,
             l->probe_stats.no_base);
    return 1;
}

/* A kernel module is profiled as the kernel is, alone. Returns 0 with a sentence in why. */
static int profgen_load_module(profgen *g, char *why, size_t why_size)
{
    const int alone = g->o[O_BINARY].count < 2 && !jit_asked(g->o) && g->o[O_PREAGG].text == NULL &&
                      g->o[O_PPROF].text == NULL;
    if (!g->image.object) return 1;
    if (!alone)
        return load_fail(why, why_size, "an object file, not a linked program: as a kernel module it goes with one "
                                        "--binary and recordings only");
    g->o[O_KERNEL].number = 1;
    return 1;
}

/* The program: its code, functions and probes, or lines. Returns 0 with a sentence in why. */
static int profgen_load_program(profgen *g, char *why, size_t why_size)
{
    loaded *l = &g->image;
    if (!(g->tool->compat ? program_open : program_open_module)(g->tool, l, g->binary, why, why_size)) return 0;
    if (!profgen_load_module(g, why, why_size)) return 0;
    if (g->tool->compat) l->from[LOAD_PROBES] = l->from[LOAD_DESCRIPTORS] = 0;      /* LLVM takes the program's only */
    if (g->tool->compat && is_by_line(g)) l->from[LOAD_SYMBOLS] = 0;
    if (!load_decodes(l)) return load_fail(why, why_size, "neither x86-64 nor AArch64");
    l->kernel = g->o[O_KERNEL].number && !g->tool->compat;
    l->llvm = g->tool->compat;
    if (!load_module(l, g->binary, why, why_size) || !load_code(l, why, why_size)) return 0;
    return is_by_line(g) ? lines_load(g, why, why_size) : probes_load(g, why, why_size);
}

/* What is profiled: a program, code of JITs, or both by line. Returns 0 with a sentence in why. */
int profgen_load(profgen *g, char *why, size_t why_size)
{
    g->jit_only = jit_asked(g->o) && g->binary == NULL;
    if (!g->jit_only && !profgen_load_program(g, why, why_size)) return 0;
    if (!jit_asked(g->o)) return 1;
    if (!g->jit_only && g->lines == NULL)
        return load_fail(why, why_size, "JITs' code has no probes: give --use-dwarf-correlation");
    return jit_begin(g, why, why_size);
}
