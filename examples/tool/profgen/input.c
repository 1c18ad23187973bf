/* input.c - profgen: its inputs, one by one */
#include "profgen.h"

/* ----- recordings ------------------------------------------------------------------------------------------------- */

/* Of a kernel, or of a program where LLVM's tool would take none. Returns 0 after saying that no mapping is for it. */
static int kernel_is_mapped(const profgen *g)
{
    const reader *const r = &g->reader;
    if (r->mapped || !(g->o[O_KERNEL].number || g->image->object)) return 1;
    if (g->o[O_KERNEL].number && as_llvm(g))
        return fail(g->tool, "Kernel is requested, but no kernel is found in mmap events."), 0;
    if (g->image->object && g->o[O_IMAGE_BASE].text != NULL) return 1;
    if (g->image->object)
        return fail(g->tool, "%s: no mapping event is of the kernel module %s; if it is an object file of a program, "
                    "give what it was linked into", r->path, g->in.binary), 0;
    return fail(g->tool, "%s: no mapping event is for the kernel", r->path), 0;
}

/* The end of a recording in which no mapping is the program's. */
static void profgen_unmapped(const profgen *g)
{
    const uint64_t base = (uint64_t)g->o[O_IMAGE_BASE].number;
    if (g->o[O_IMAGE_BASE].text == NULL) reader_no_mapping(&g->reader);
    if (2 * g->count.unmapped_hits >= g->count.unmapped) return;
    if (g->o[O_IMAGE_BASE].text != NULL)
        warn(g->tool, "%s: only %llu of %llu samples are in %s at 0x%llx", g->in.path,
             (unsigned long long)g->count.unmapped_hits, (unsigned long long)g->count.unmapped, g->in.binary,
             (unsigned long long)base);
    else
        warn(g->tool,
             "%s: only %llu of %llu samples are there: give perf.data itself (--perfdata), or what perf script "
             "--show-mmap-events prints; else --image-base=ADDR says where the program was",
             g->in.path, (unsigned long long)g->count.unmapped_hits, (unsigned long long)g->count.unmapped);
}

/* The end of a recording: what is to be said about it. Returns 0 after saying what is wrong. */
static int recording_over(profgen *g, unsigned long long samples)
{
    reader *const r = &g->reader;
    const csspgo_processes *const spaces = g->programs.spaces;
    csspgo_collector *const c = g->count.collector;
    if (r->preagg != NULL) return preagg_over(g), 1;
    if (c != NULL && r->script != NULL && g->in.last && csspgo_collector_get_stats(c).samples == 0 &&
        (g->o[O_IGNORE_STACK].number || !csspgo_script_get_stats(r->script).hybrid) && !profgen_no_contexts(g))
        return 0;
    reader_warnings(r);
    if (!filter_tell(g->filter, r->path)) return 0;
    if ((r->script != NULL || r->data != NULL) && !events_over(&g->events, r, g->in.last)) return 0;
    if (spaces != NULL && !reader_fits(r)) return 0;
    fit_over(&g->fit, r->path, spaces == NULL ||
             (csspgo_processes_get_stats(spaces).builds != 0 && !renamed_forced(r)));
    g->count.attempts += r->script != NULL ? csspgo_script_get_stats(r->script).attempts : samples;
    if (g->jit_only) return 1;
    if (!kernel_is_mapped(g)) return 0;
    if (r->mapped || samples == 0 || (g->image->object && g->o[O_IMAGE_BASE].text != NULL)) return 1;
    if (!reader_without_mapping(r)) return 0;
    if (llvm_tells(g)) llvm_no_mapping(g->tool, g->programs.v);
    else profgen_unmapped(g);
    return 1;
}

static recording_kind kind_of_input(const profgen *g)
{
    if (g->in.preagg != NULL) return RECORDING_PREAGG;
    if (g->in.pprof != NULL) return RECORDING_PPROF;
    return g->in.perfscript != NULL ? RECORDING_SCRIPT : RECORDING_DATA;
}

/* What is known of the events of a recording before it is read. Returns 0 after saying what is wrong. */
static int events_ahead(profgen *g)
{
    reader *const r = &g->reader;
    if (r->tail != NULL && !events_of_data(&g->events, r->tail)) return 0;
    if (r->script != NULL && r->twice && !events_of_script(&g->events, r, "", 0, r->file)) return 0;
    if (!events_leave_out(&g->events, r)) return 0;
    reader_first(r);
    if (r->size == 0) return 1;
    if (g->jit != NULL && !jit_recording(g->jit, r->chunk, r->size)) return 0;
    return r->script == NULL || r->twice || events_of_script(&g->events, r, r->chunk, r->size, NULL);
}

/* Reads an open recording. Returns 0 after saying what is wrong. */
static int recording_take(profgen *g)
{
    reader *const r = &g->reader;
    int more;
    if (!reader_begin(r, kind_of_input(g)) || !events_ahead(g)) return 0;
    while ((more = reader_more(r)) > 0)
        if (!(r->preagg != NULL ? preagg_feed(g) : profgen_items(g))) return 0;
    return more == 0 && !reader_has_nothing(r) && profgen_release(g) && recording_over(g, reader_samples(r));
}

/* The input at in.path. Returns 0 after saying what is wrong. */
static int profgen_read_recording(profgen *g)
{
    const char *const path = g->in.path;
    const int in_memory = flat_asked(g);
    unsigned long long samples = 0;
    file_bytes text;
    int ok;
    memset(&text, 0, sizeof text);
    g->reader.how.text = g->in.perfscript != NULL;
    if (in_memory && !file_open(path, &text)) return fail(g->tool, "%s: %s", path, file_why()), 0;
    if (in_memory && flat_kind(&text) == 0) ok = flat_read(g, &text, &samples) && recording_over(g, samples);
    else ok = reader_open(&g->reader, path, in_memory ? &text : NULL) && recording_take(g);
    reader_close(&g->reader);
    file_close(&text);
    return ok;
}

/* ----- all inputs ------------------------------------------------------------------------------------------------- */

/* Address spaces are followed but in compat mode and for the kernel. Returns 0 after saying what is wrong. */
int profgen_spaces(profgen *g)
{
    if (!g->jit_only && !follow_base(g->tool, g->o, &g->programs)) return 0;
    if ((g->tool->compat && !g->o[O_MULTI].number) || g->o[O_KERNEL].number || g->jit_only) return 1;
    return (programs_spaces(&g->programs) && tally_spaces(g->tally)) || (fail(g->tool, "out of memory"), 0);
}

/* Forgets where the recording before was mapped. Returns 0 after saying what is wrong. */
static int profgen_next_recording(profgen *g)
{
    programs *const p = &g->programs;
    g->count.leaf_only = 0;
    g->count.unmapped = g->count.unmapped_hits = 0;
    health_next(g->health, p->spaces);
    loss_next(g->loss);
    csspgo_processes_free(p->spaces);
    p->spaces = NULL;
    p->bias = 0;
    if (g->jit_only) return 1;
    if ((g->count.collector != NULL && csspgo_collector_flush(g->count.collector, NULL) != CSSPGO_OK) ||
        csspgo_code_set_bias(g->image->code, g->image->module, 0, NULL) != CSSPGO_OK)
        return fail(g->tool, "out of memory"), 0;
    return profgen_spaces(g);
}

#ifndef SCRIPT_MEMORY
#define SCRIPT_MEMORY (8u << 20)               /* tests build it with others, and without: the profiles are equal */
#endif

/* How recordings are read, once the programs are known. */
static reader_options reading_of(const profgen *g)
{
    const option *const o = g->o;
    reader_options how;
    memset(&how, 0, sizeof how);
    how.as_llvm = g->tool->compat && !o[O_MULTI].number;
    how.kernel = o[O_KERNEL].number != 0;
    how.several = o[O_PERFDATA].count + o[O_PERFSCRIPT].count > 1;
    how.has_base = o[O_IMAGE_BASE].text != NULL;
    how.no_stacks = o[O_IGNORE_STACK].number != 0;
    how.perf_binary = o[O_PERF_BINARY].text;
    how.page = (uint64_t)o[O_PAGE].number;
    how.pprof_type = o[O_PPROF_TYPE].text;
    how.packed = o[O_DWP].text;
    how.pprof = o[O_PPROF].count != 0;
    how.filter = g->filter;
    if (!jit_asked(o) && !flat_asked(g)) how.memory_bytes = SCRIPT_MEMORY;
    if (!jit_asked(o) && !flat_asked(g)) how.threads = &o[O_THREADS];
    return how;
}

/* Recordings, or files of counters, of one program: they add up. */
int profgen_read_inputs(profgen *g)
{
    const size_t data = g->o[O_PERFDATA].count;
    inputs *const in = &g->in;
    size_t n = 0, i;
    int ok = 1;
    g->reader.how = reading_of(g);
    while (profgen_input(g->o, n) != NULL) n++;
    for (i = g->tool->compat && n != 0 ? n - 1 : 0; ok && i < n && !interrupted(); i++) {
        in->path = profgen_input(g->o, i);
        in->last = i + 1 == n;
        if (i < data) in->perfscript = NULL;
        else if (in->perfdata != NULL) in->perfscript = in->path, in->perfdata = NULL;
        if (in->unsymbolized != NULL) ok = raw_read(g);
        else ok = (i == 0 || g->tool->compat || profgen_next_recording(g)) && profgen_read_recording(g);
    }
    if (!ok || i == n) return ok;
    g->reader.partial = 1;
    warn(g->tool, "interrupted: %zu of %zu inputs were not read", n - i, n);
    return 1;
}

/* ----- programs --------------------------------------------------------------------------------------------------- */

/* The probes of a program whose code is loaded, and whose code it is. Returns 0 with a sentence in why. */
static int probes_load(const tool_context *tool, program_image *m, char *why, size_t why_size)
{
    const loaded *const l = &m->loaded;
    if (!load_probes(&m->loaded, why, why_size)) return 0;
    if (l->unnamed > l->found)
        warn(tool, "%s: the code of %zu probe records was not found: no symbol tells where it is, and %" PRIu64
             " probes have no counts (--debug-binary=FILE: symbols from there)", m->path, l->unnamed - l->found,
             l->probe_stats.no_base);
    if (l->probe_stats.wide_ids != 0 && !tool->compat)
        warn(tool, "%s: %" PRIu64 " probes have ids that no compiler means, as of passes that merge calls (clang's "
             "-enable-gvn-sink), and no counts", m->path, l->probe_stats.wide_ids);
    return 1;
}

/* A kernel module is profiled as the kernel is, alone. Returns 0 with a sentence in why. */
static int profgen_load_module(profgen *g, char *why, size_t why_size)
{
    const int alone = g->o[O_BINARY].count < 2 && !jit_asked(g->o) && g->o[O_PREAGG].text == NULL &&
                      g->o[O_PPROF].text == NULL;
    if (!g->image->object) return 1;
    if (!alone)
        return load_fail(why, why_size, "an object file, not a linked program: as a kernel module it goes with one "
                                        "--binary and recordings only");
    g->o[O_KERNEL].number = 1;
    return 1;
}

/* The lines of a program whose code is loaded, or its probes, as of the first. Returns 0 with a sentence in why. */
static int places_load(profgen *g, size_t i, char *why, size_t why_size)
{
    program_image *const m = &g->programs.v[i];
    if (g->lines != NULL) return lines_load(&g->lines[i], g->tool, g->o, m, why, why_size);
    return probes_load(g->tool, m, why, why_size);
}

/* The program: its code, functions and probes, or lines. Returns 0 with a sentence in why. */
static int first_load(profgen *g, char *why, size_t why_size)
{
    loaded *l = g->image;
    if (!(g->tool->compat ? program_open : program_open_module)(g->tool, l, g->in.binary, why, why_size)) return 0;
    if (!profgen_load_module(g, why, why_size)) return 0;
    if (g->tool->compat) l->from[LOAD_PROBES] = l->from[LOAD_DESCRIPTORS] = 0;      /* LLVM takes the program's only */
    if (g->tool->compat && is_by_line(g->o, l)) l->from[LOAD_SYMBOLS] = 0;
    if (!load_decodes(l)) return load_fail(why, why_size, "neither x86-64 nor AArch64");
    l->kernel = g->o[O_KERNEL].number && !g->tool->compat;
    l->llvm = g->o[O_LOAD_SYMBOLS].number ? g->tool->compat : 21;     /* LLVM 21 knew debug information only */
    if (!load_module(l, g->in.binary, why, why_size) || !load_code(l, why, why_size)) return 0;
    if (is_by_line(g->o, l)) {
        g->lines = (line_work *)calloc(g->programs.count, sizeof *g->lines);
        if (g->lines == NULL) return load_fail(why, why_size, "out of memory");
    }
    if (!places_load(g, 0, why, why_size)) return 0;
    if (g->lines == NULL && !llvm_descriptors(g->tool, l, g->o[O_DETAILS].number != 0))
        return load_fail(why, why_size, "out of memory");
    if (g->lines == NULL && l->llvm != 0 && l->llvm < 22 && l->ranges == 0) llvm_no_functions(g->tool);
    if (g->tool->compat && g->lines == NULL) g->words = lines_functions(g->tool, g->o, g->programs.v);
    return !llvm_tells(g) || llvm_functions(g->lines != NULL ? g->lines : g->words) || load_fail(why, why_size, "out of memory");
}

/* Number i of --binary, which is not the first. Returns 0 with a sentence in why. */
static int further_load(profgen *g, size_t i, char *why, size_t why_size)
{
    program_image *const m = &g->programs.v[i];
    const int by_line = g->lines != NULL;
    m->path = g->o[O_BINARY].list[i];
    if (!program_open(g->tool, &m->loaded, m->path, why, why_size)) return load_free(&m->loaded), 0;
    if (!load_more(&m->loaded, g->image->code, (uint64_t)i << IMAGE_BITS, m->path, why, why_size)) return 0;
    if (is_by_line(g->o, &m->loaded) != by_line)
        return load_fail(why, why_size, by_line ? "has pseudo probes, the program has none: give "
                                                  "--use-dwarf-correlation"
                                                : "has no pseudo probes, the program has: give "
                                                  "--use-dwarf-correlation");
    if (!places_load(g, i, why, why_size)) return 0;
    if (m->loaded.functions == 0 && load_symbols(&m->loaded)->symbol_count <= 1)
        return load_fail(why, why_size, "no symbols");
    return 1;
}

/* What is profiled: a program, code of JITs, or both by line. */
int profgen_load(profgen *g, char *why, size_t why_size)
{
    const size_t n = g->tool->compat || g->o[O_BINARY].count == 0 ? 1 : g->o[O_BINARY].count;
    g->jit_only = jit_asked(g->o) && g->in.binary == NULL;
    if (!programs_begin(&g->programs, n)) return load_fail(why, why_size, "out of memory");
    g->image = &g->programs.v->loaded;
    if (g->jit_only) {
        g->in.binary = "the JIT's code";
        g->image->code = csspgo_code_new(seeded(), NULL);
        if (g->image->code == NULL) return load_fail(why, why_size, "out of memory");
    }
    g->programs.v->path = g->in.binary;
    if (!g->jit_only && !first_load(g, why, why_size)) return 0;
    if (!jit_asked(g->o)) return 1;
    if (!g->jit_only && g->lines == NULL)
        return load_fail(why, why_size, "JITs' code has no probes: give --use-dwarf-correlation");
    g->jit = (jit_work *)calloc(1, sizeof *g->jit);
    if (g->jit == NULL) return load_fail(why, why_size, "out of memory");
    g->jit->tool = g->tool;
    g->jit->o = g->o;
    g->jit->r = &g->reader;
    g->jit->alone = g->jit_only;
    return jit_begin(g->jit, &g->in.binary, why, why_size);
}

/* All but the first program, and the table of samples in them. */
int profgen_load_more(profgen *g, char *why, size_t why_size)
{
    const option *const o = g->o;
    size_t i;
    if (g->tool->compat) return 1;
    g->tally = tally_new(o[O_BINARY].count > 1 || o[O_IMAGES].number || o[O_REPORT].text != NULL);
    if (g->tally == NULL) return load_fail(why, why_size, "out of memory");
    for (i = 1; i < g->programs.count; i++)
        if (!further_load(g, i, why, why_size)) {
            g->in.binary = o[O_BINARY].list[i];            /* what is wrong is of this one */
            return 0;
        }
    return programs_stubs(&g->programs) || load_fail(why, why_size, "out of memory");
}
