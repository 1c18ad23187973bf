/* llvm.c - profgen --llvm-compat: what llvm-profgen 19 says of a program without probes, in its words */
#include "profgen.h"

/* A share with a sentence behind it; nothing for none. Source: unwinding spec 2.5. */
static void llvm_share(const tool_context *tool, uint64_t n, uint64_t of, const char *what)
{
    if (n != 0 && of != 0)
        warn(tool, "%.2f%%(%llu/%llu) %s", 100.0 * (double)n / (double)of, (unsigned long long)n,
             (unsigned long long)of, what);
}

void llvm_no_mapping(const tool_context *tool, const program_image *m)
{
    const char *name = strrchr(m->path, '/');
    name = name != NULL ? name + 1 : m->path;
    warn(tool, "No relevant mmap event is matched for %s, will use preferred address (0x%llx) as the base loading "
         "address!", name, (unsigned long long)csspgo_code_base(m->loaded.code, m->loaded.module));
}

void llvm_no_functions(const tool_context *tool)
{
    warn(tool, "Loading of DWARF info completed, but no binary functions have been retrieved.");
}

/* ----- descriptors ----- */

typedef struct llvm_descriptor { uint64_t guid, hash; const unsigned char *name; size_t size, at; } llvm_descriptor;

static int descriptor_cmp(const void *a, const void *b)
{
    const llvm_descriptor *const x = (const llvm_descriptor *)a, *const y = (const llvm_descriptor *)b;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static uint64_t descriptor_number(const unsigned char *p)
{
    uint64_t v = 0;
    int i;
    for (i = 7; i >= 0; i--) v = v << 8 | p[i];
    return v;
}

/* The descriptors of a section: GUID and hash of 8 bytes, the size of the name as ULEB128, the name. */
static size_t descriptors_list(const elf_section *s, llvm_descriptor *v)
{
    size_t at = 0, n = 0;
    while (s->size - at > 16) {
        uint64_t size = 0;
        unsigned shift = 0;
        v[n].at = at;
        v[n].guid = descriptor_number(s->contents + at);
        v[n].hash = descriptor_number(s->contents + at + 8);
        for (at += 16; at < s->size; shift += 7) {
            const unsigned char c = s->contents[at++];
            if (shift < 35) size |= (uint64_t)(c & 0x7f) << shift;
            if (!(c & 0x80)) break;
        }
        if (size > s->size - at) break;
        v[n].name = s->contents + at;
        v[n++].size = (size_t)size;
        at += (size_t)size;
    }
    return n;
}

/* Functions that units have with different hashes. LLVM's main branch says so of all programs that it opens. */
int llvm_descriptors(const tool_context *tool, const loaded *l, int details)
{
    elf_section s;
    llvm_descriptor *v;
    size_t n, i, first = 0, functions = 0, told = SIZE_MAX;
    if (tool->compat < 22 || !elf_section_named(load_from(l, LOAD_DESCRIPTORS), ".pseudo_probe_desc", &s) ||
        s.contents == NULL || s.compressed) return 1;
    v = (llvm_descriptor *)malloc(((size_t)s.size / 17 + 1) * sizeof *v);
    if (v == NULL) return 0;
    n = descriptors_list(&s, v);
    if (n != 0) qsort(v, n, sizeof *v, descriptor_cmp);
    for (i = 1; i < n; i++) {
        if (v[i].guid != v[first].guid) first = i;
        if (v[i].hash == v[first].hash) continue;
        functions += told != first;
        told = first;
        if (details)
            warn(tool, "pseudo probe descriptor for %.*s has mismatching hash across TUs: 0x%" PRIx64 " vs 0x%" PRIx64,
                 (int)v[i].size, (const char *)v[i].name, v[first].hash, v[i].hash);
    }
    if (functions != 0)
        warn(tool, "%zu functions have mismatching pseudo probe descriptors across translation units.", functions);
    free(v);
    return 1;
}

/* ----- functions ----- */

static int index_cmp(const void *a, const void *b)
{
    const debug_place *const *x = (const debug_place *const *)a, *const *y = (const debug_place *const *)b;
    return (*x)->index < (*y)->index ? -1 : (*x)->index > (*y)->index;
}

/* Two functions at one address, in the order of the debug information. Returns 0 if there is no memory. */
static int llvm_twins(const line_work *w, const debug_range *r)
{
    const debug_place **const v = (const debug_place **)malloc((w->code.twins + 1) * sizeof *v);
    size_t i, addresses = 0;
    if (v == NULL) return 0;
    for (i = 0; i < w->code.twins; i++) {
        v[i] = &w->code.twin[i];
        addresses += i == 0 || v[i]->begin != v[i - 1]->begin;
    }
    qsort(v, w->code.twins, sizeof *v, index_cmp);
    for (i = 0; w->o[O_DETAILS].number && i < w->code.twins; i++)
        warn(w->tool, "Duplicated symbol start address at %8llx %s and %s", (unsigned long long)v[i]->begin,
             r[debug_place_at(&w->code, v[i]->begin)->index].name, r[v[i]->index].name);
    if (addresses != 0) warn(w->tool, "Found %zu start addresses with multiple symbols", addresses);
    free(v);
    return 1;
}

/* Functions without entry: no range of theirs begins where a symbol of their name is. */
static void llvm_entries(const line_work *w, const debug_range *r)
{
    unsigned char *const entered = (unsigned char *)calloc(w->code.names + 1, 1);
    uint64_t none = 0;
    size_t i;
    for (i = 0; entered != NULL && i < w->code.ranges; i++) entered[w->code.range[i].function] |= w->code.range[i].entry != 0;
    for (i = 0; entered != NULL && i < w->code.twins; i++)
        entered[w->code.twin[i].function] |= debug_place_at(&w->code, w->code.twin[i].begin)->entry != 0;
    for (i = 0; entered != NULL && i < w->code.ranges + w->code.twins; i++) {
        const debug_place *const v = i < w->code.ranges ? &w->code.range[i] : &w->code.twin[i - w->code.ranges];
        if (entered[v->function]) continue;
        entered[v->function] = 1;
        none++;
        if (w->o[O_DETAILS].number)
            warn(w->tool, "Failed to determine function entry for %s due to inconsistent name from symbol table and "
                 "dwarf info.", r[v->index].name);
    }
    llvm_share(w->tool, none, w->code.names,
               "of functions failed to determine function entry due to inconsistent name from symbol table and dwarf "
               "info.");
    free(entered);
}

/* ----- bytes that are no instruction ----- */

/* LLVM prints what is in a hash set, bucket by bucket. Source: LLVM 19, DenseSet of pairs of addresses */
typedef struct byte_run { uint64_t first, last; int used; } byte_run;
typedef struct byte_runs { byte_run *bucket; size_t buckets, count; } byte_runs;

static uint64_t llvm_mix(uint64_t x)
{
    x *= 0xbf58476d1ce4e5b9u;
    return x ^ x >> 31;
}

static void runs_put(byte_runs *r, uint64_t first, uint64_t last)
{
    size_t at = (size_t)llvm_mix(llvm_mix(first) << 32 | (uint32_t)llvm_mix(last)), step = 0;
    while (r->bucket[at &= r->buckets - 1].used) at += ++step;
    r->bucket[at].first = first;
    r->bucket[at].last = last;
    r->bucket[at].used = 1;
}

/* Adds a run. Returns 0 if there is no memory. */
static int runs_add(byte_runs *r, uint64_t first, uint64_t last)
{
    const byte_runs old = *r;
    size_t i;
    if ((r->count + 1) * 4 >= r->buckets * 3) {
        r->buckets = r->buckets != 0 ? r->buckets * 2 : 64;
        r->bucket = (byte_run *)calloc(r->buckets, sizeof *r->bucket);
        for (i = 0; r->bucket != NULL && i < old.buckets; i++)
            if (old.bucket[i].used) runs_put(r, old.bucket[i].first, old.bucket[i].last);
        free(old.bucket);
        if (r->bucket == NULL) return 0;
    }
    runs_put(r, first, last);
    r->count++;
    return 1;
}

/* Decodes [at, end) of a section as the code map does. Returns 0 if there is no memory. */
static int runs_between(byte_runs *r, const loaded *l, const elf_section *s, size_t at, size_t end)
{
    size_t run = 0;
    int ok = 1;
    while (ok && at < end) {
        const size_t left = (size_t)s->size - at;
        csspgo_insn insn;
        if (l->elf.machine == ELF_X86_64) csspgo_decode_x86_64(s->contents + at, left, s->address + at, &insn);
        else csspgo_decode_aarch64(s->contents + at, left, s->address + at, &insn);
        if (insn.size != 0 && run != 0) ok = runs_add(r, s->address + at - run, s->address + at - 1);
        if (insn.size != 0) run = 0;
        else run += insn.skip != 0 ? insn.skip : 1;
        at += insn.size != 0 ? insn.size : insn.skip != 0 ? insn.skip : 1;
    }
    return ok && (run == 0 || runs_add(r, s->address + at - run, s->address + at - 1));
}

/* Says where the bytes are that are no instruction. Returns 0 if there is no memory. */
static int llvm_bytes(const line_work *w)
{
    byte_runs r = { NULL, 0, 0 };
    size_t count, i;
    loaded image = *w->image;                         /* its regions are there */
    load_start *const v = load_starts(&image, &count);
    int ok = v != NULL;
    for (i = 0; ok && i < count; i++) {
        elf_section s;
        size_t end;
        if (!elf_section_at(&image.elf, v[i].section, &s) || s.contents == NULL || s.compressed) continue;
        if (s.name_size == 4 && memcmp(s.name, ".plt", 4) == 0) continue;
        end = (size_t)s.size;
        if (i + 1 < count && v[i + 1].section == v[i].section && v[i + 1].address - s.address < end)
            end = (size_t)(v[i + 1].address - s.address);
        ok = runs_between(&r, &image, &s, (size_t)(v[i].address - s.address), end);
    }
    for (i = 0; ok && i < r.buckets; i++)
        if (r.bucket[i].used)
            warn(w->tool, "Invalid instructions at %8llx - %8llx", (unsigned long long)r.bucket[i].first,
                 (unsigned long long)r.bucket[i].last);
    free(r.bucket);
    free(v);
    return ok;
}

/* What was found in the debug information. */
int llvm_functions(const line_work *w)
{
    size_t count;
    const debug_range *const r = debug_info_ranges(w->functions, &count);
    const uint64_t skipped = csspgo_code_get_stats(w->image->code).skipped;
    if (w->code.ranges == 0) llvm_no_functions(w->tool);
    if (!llvm_twins(w, r)) return 0;
    if (skipped != 0 && w->o[O_DETAILS].number && !w->tool->quiet && !llvm_bytes(w)) return 0;
    if (skipped != 0) warn(w->tool, "Found %llu invalid instructions", (unsigned long long)skipped);
    llvm_entries(w, r);
    return 1;
}

/* ----- samples ----- */

/* What is wrong with a range, as bits of the sentences of llvm_ranges. */
static uint32_t llvm_range(const line_work *w, const detail *d, uint64_t bias)
{
    const csspgo_code *const code = w->image->code;
    const uint64_t start = d->start + bias, end = d->end + bias;
    const int has_start = d->start != 1, has_end = d->end != 1;
    const debug_place *const at = debug_place_at(&w->code, d->start);
    uint32_t bits = 0;
    if (!has_start && !has_end) return 0;
    if (!has_start || !has_end || csspgo_code_transfer_kind(code, end) == CSSPGO_NONE) bits |= 1;
    if (at == NULL) return bits | 2;
    if (d->end >= at->end) bits |= 4;
    if (has_start && has_end && csspgo_code_runs_straight(code, start, end) != 1) bits |= 8;
    return bits;
}

/* Source: unwinding spec 2.5. The ranges that ran are sorted, return addresses behind them. */
static void llvm_ranges(const profgen *g, size_t ranges)
{
    static const char *const all[] = {
        "of samples are from ranges that are not on instruction boundary.",
        "of samples are from ranges that do not belong to any functions.",
        "of samples are from ranges that do cross function boundaries.",
        "of samples are from ranges that have range start after or too far from range end acrossing the unconditinal "
        "jmp." };
    static const char *const one[] = {
        "Range is not on instruction boundary, likely due to profile and binary mismatch.",
        "Range does not belong to any functions, likely from PLT, .init or .fini section.",
        "Fall through range should not cross function boundaries, likely due to profile and binary mismatch.",
        "Range start is after or too far from range end." };
    uint64_t sum[4] = { 0, 0, 0, 0 }, total = 0;
    size_t i, k;
    if (g->o[O_SPE].number) return;                        /* its records are one branch: no range has two ends */
    for (i = 0; i < ranges; i++) {
        const detail *const d = &g->details.v[i];
        const uint32_t bits = llvm_range(g->lines != NULL ? g->lines : g->words, d, g->programs.bias);
        total += d->count;
        for (k = 0; k < 4; k++) {
            if (!(bits >> k & 1)) continue;
            sum[k] += d->count;
            if (g->o[O_DETAILS].number)
                warn(g->tool, "[%8llx,%8llx]: %s", (unsigned long long)d->start, (unsigned long long)d->end, one[k]);
        }
    }
    if (ranges == 0) warn(g->tool, "No samples in perf script!");
    for (k = 0; k < 4; k++) llvm_share(g->tool, sum[k], total, all[k]);
}

/* What was found in the samples; raw counters have none. */
void llvm_samples(profgen *g)
{
    const csspgo_collector_stats s = csspgo_collector_get_stats(g->count.collector);
    size_t ranges, i;
    if (g->in.unsymbolized != NULL) return;
    details_settle(&g->details);
    for (ranges = g->details.count; ranges != 0 && g->details.v[ranges - 1].start == UINT64_MAX; ranges--) {}
    llvm_share(g->tool, g->details.external, g->count.attempts, "of samples have leaf external frame in call stack.");
    for (i = ranges; g->o[O_DETAILS].number && i < g->details.count; i++)
        warn(g->tool, "Truncated stack sample due to invalid return address at 0x%llx, likely caused by frame pointer "
             "omission", (unsigned long long)g->details.v[i].end);
    llvm_share(g->tool, g->details.count - ranges, s.unwound,
               "of truncated stack samples due to invalid return address, likely caused by frame pointer omission.");
    llvm_ranges(g, ranges);
    if (!csspgo_collector_has_contexts(g->count.collector)) return;
    if (s.truncated_contexts != 0 && g->o[O_DETAILS].number)
        warn(g->tool, "Profile context truncated due to missing probe for call instruction at 0x1");
    llvm_share(g->tool, s.truncated_contexts != 0, s.named_contexts,
               "of profiled contexts are truncated due to missing probe for call instruction.");
    llvm_share(g->tool, s.mismatched_external, s.branches,
               "of branches'source is a call instruction but doesn't match call frame stack, likely due to unwinding "
               "error of external frame.");
    llvm_share(g->tool, 2 * s.paired_external, s.branches, "of branches containing paired external address.");
    llvm_share(g->tool, s.unpaired_external, s.branches,
               "of branches containing external address but doesn't have another external address to pair, likely due "
               "to interrupt jmp or broken perf script.");
    llvm_share(g->tool, s.mismatched_leaf, s.branches,
               "of branches'source is a call instruction but doesn't match call frame stack, likely due to frame in "
               "prolog/epilog.");
}

/* density, least: samples per location, as it is and as it ought to be. Source: profile generation spec 12.1. */
void llvm_density(const tool_context *tool, double density, double least)
{
    if (density == 0)
        warn(tool, "The output profile is empty or the --profile-density-cutoff-hot option is set too low. Please "
             "check your command.");
    else if (density > 0 && density < least)
        warn(tool, "Sample PGO is estimated to optimize better with %.1fx more samples. Please consider increasing "
             "sampling rate or profiling for longer duration to get more samples.", least / density);
}
