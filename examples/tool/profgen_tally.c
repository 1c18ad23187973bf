/* profgen_tally.c - profgen: a table of the files in which samples fell
 *
 * It is made by a code map of its own, whose modules are the files that are mapped, given or not: each is one segment
 * of 2^44 bytes at the file's offsets.
 */
#include "profgen_images.h"
#include "profdata.h"

enum { IMAGES_SHOWN = 12 };
#define TALLY_BASE ((uint64_t)1 << 62)            /* no address of a program or of the kernel */

/* The number of a file, added if it is new; -1 without memory. */
static long long tally_file(images *x, const char *path, size_t path_size)
{
    csspgo_segment whole;
    csspgo_module m;
    char name[24];
    size_t i;
    for (i = 0; i < x->files; i++)
        if (strlen(x->file[i].path) == path_size && memcmp(x->file[i].path, path, path_size) == 0) return (long long)i;
    if (x->files == x->file_cap) {
        const size_t cap = x->file_cap * 2 + 16;
        tallied *v = (tallied *)realloc(x->file, cap * sizeof *v);
        if (v == NULL) return -1;
        x->file = v;
        x->file_cap = cap;
    }
    memset(&x->file[i], 0, sizeof x->file[i]);
    if ((x->file[i].path = (char *)malloc(path_size + 1)) == NULL) return -1;
    memcpy(x->file[i].path, path, path_size);
    x->file[i].path[path_size] = '\0';
    x->files++;
    memset(&whole, 0, sizeof whole);
    whole.size = (uint64_t)1 << IMAGE_BITS;
    whole.executable = 1;
    m = csspgo_code_add_module(x->code, name, (size_t)sprintf(name, "%zu", i), &whole, 1, NULL);
    if (m.id == 0) return -1;
    return csspgo_code_map(x->code, m, TALLY_BASE + ((uint64_t)i << IMAGE_BITS), NULL) == CSSPGO_OK ? (long long)i : -1;
}

/* Tells the table of an event; given: it is a mapping of one of --binary. Returns 0 without memory. */
int images_event(images *x, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map, int given)
{
    csspgo_mmap numbered = *map;
    char name[24];
    if (item == CSSPGO_ITEM_BUILD_ID) return 1;
    if (item == CSSPGO_ITEM_MMAP && map->executable && map->size != 0) {
        const long long i = tally_file(x, map->path, map->path_size);
        if (i < 0) return 0;
        x->file[i].given |= given;
        numbered.path = name;
        numbered.path_size = (size_t)sprintf(name, "%lld", i);
        numbered.build_id_size = 0;
    }
    return csspgo_spaces_event(x->spaces, item, sample, &numbered, NULL) == CSSPGO_OK;
}

static const char *last_component(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The number of the file that was mapped and is a program that is given, by its name; -1: there is none. */
static long long tally_mapped(const images *x, const char *path)
{
    size_t i;
    for (i = 0; i < x->files; i++)
        if (x->file[i].given && strcmp(last_component(x->file[i].path), last_component(path)) == 0) return (long long)i;
    return -1;
}

/* A sample without a mapping that is in a program all the same: which was not mapped, or is the kernel. */
static health_counts *tally_given(const profgen *g, uint64_t address)
{
    images *x = g->images;
    const uint64_t i = g->spaces != NULL ? address >> IMAGE_BITS : 0;
    const char *path = i == 0 ? g->binary : i <= x->count ? x->v[i - 1].path : "[jit]";
    long long at = tally_mapped(x, path);
    if (at < 0) at = tally_file(x, path, strlen(path));
    if (at < 0) return NULL;
    x->file[at].given = 1;
    return &x->file[at].n;
}

/* 1 if an address of the code map is in code of a program that is given: it may run in memory without a file. */
static int tally_is_program(const profgen *g, uint64_t address)
{
    return g->spaces != NULL && address >> IMAGE_BITS <= g->images->count && is_code(g, address);
}

/* Notes in which file a sample is; placed: the same in the code map. Returns 0 without memory. */
int images_tally(profgen *g, const csspgo_sample *sample, const csspgo_sample *placed)
{
    images *x = g->images;
    csspgo_sample s = *sample;
    const csspgo_sample *const p = placed;
    uint64_t at;
    size_t i;
    x->at = NULL;
    x->at_given = 0;
    if (s.stack_count == 0 && s.branch_count == 0) return 1;
    if (!x->whole && is_code(g, sampled_address(g, p))) return 1;
    at = sampled_address(g, &s);
    s.stack = &at;
    s.stack_count = 1;
    s.branch_count = 0;
    if (x->spaces != NULL && csspgo_spaces_sample(x->spaces, &s, NULL) != CSSPGO_OK) return 0;
    x->at = s.stack[0] >> 63 != 0 ? &x->kernel : &x->nowhere;
    at = sampled_address(g, p);
    i = s.stack[0] >= TALLY_BASE ? (size_t)((s.stack[0] - TALLY_BASE) >> IMAGE_BITS) : x->files;
    if (i < x->files && (x->file[i].given || !tally_is_program(g, at))) {
        x->at = &x->file[i].n;
        x->at_given = x->file[i].given;
    } else if (is_code(g, at)) x->at = tally_given(g, at);
    if (x->at != NULL) x->at->samples = sum_of(x->at->samples, s.count != 0 ? s.count : 1);
    return x->at != NULL;
}

tally_place images_place(const images *x)
{
    tally_place p = { 0, 0 };
    if (x == NULL || x->at == NULL) return p;
    p.given = x->at_given;
    if (x->at == &x->kernel || x->at == &x->nowhere) p.row = x->at == &x->kernel ? 1 : 2;
    else p.row = 3 + (size_t)((const tallied *)((const char *)x->at - offsetof(tallied, n)) - x->file);
    return p;
}

void images_set_place(images *x, tally_place p)
{
    if (x == NULL) return;
    x->at = p.row == 0 ? NULL : p.row == 1 ? &x->kernel : p.row == 2 ? &x->nowhere : &x->file[p.row - 3].n;
    x->at_given = p.given;
}

static int tallied_cmp(const void *a, const void *b)
{
    const tallied *x = (const tallied *)a, *y = (const tallied *)b;
    if (x->n.samples != y->n.samples) return x->n.samples > y->n.samples ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* Sorts the table. Returns how many samples are in it. */
static uint64_t tally_end(images *x)
{
    uint64_t n = sum_of(x->kernel.samples, x->nowhere.samples);
    size_t i;
    if (x->files != 0) qsort(x->file, x->files, sizeof *x->file, tallied_cmp);
    for (i = 0; i < x->files; i++) n = sum_of(n, x->file[i].n.samples);
    return n;
}

static void tally_row(const profgen *g, uint64_t all, uint64_t samples, const char *where, const char *given)
{
    char safe[256];
    const size_t n = mapped_name(safe, where, sizeof safe - 1);
    safe[n] = '\0';
    note(g->tool, "%6.2f%% %10llu samples in %s%s", percent(samples, all), (unsigned long long)samples, safe, given);
}

/* Prints the table: all that were given, and of the others those with most samples. */
void images_show(const profgen *g)
{
    images *x = g->images;
    uint64_t rest = 0, all;
    size_t i, shown = 0;
    if (x == NULL || (g->o[O_BINARY].count < 2 && !g->o[O_IMAGES].number) || (all = tally_end(x)) == 0) return;
    for (i = 0; i < x->files; i++) {
        const tallied *f = &x->file[i];
        if (!f->given && (f->n.samples == 0 || shown == IMAGES_SHOWN)) rest = sum_of(rest, f->n.samples);
        else tally_row(g, all, f->n.samples, f->path, f->given ? "" : ", which is not given");
        shown += !f->given;
    }
    if (rest != 0) tally_row(g, all, rest, "other files", "");
    if (x->kernel.samples != 0) tally_row(g, all, x->kernel.samples, "the kernel", "");
    if (x->nowhere.samples != 0) tally_row(g, all, x->nowhere.samples, "no mapping that is known", "");
}

static void tally_json(FILE *out, const char *before, const char *path, int given, const health_counts *n)
{
    fprintf(out, "%s\n    { \"path\": ", before);
    if (path != NULL) json_string(out, path, strlen(path));
    else fputs("null", out);
    fprintf(out, ", \"given\": %s,", given ? "true" : "false");
    health_json_counts(n, out);
    fputs(" }", out);
}

/* The same for the report: each file that was given or has samples; the kernel; what is in no mapping. */
void images_json(const profgen *g, FILE *out)
{
    images *x = g->images;
    const char *before = "";
    size_t i;
    fputs("  \"images\": [", out);
    if (x != NULL) tally_end(x);
    for (i = 0; x != NULL && i < x->files; i++) {
        if (!x->file[i].given && x->file[i].n.samples == 0) continue;
        tally_json(out, before, x->file[i].path, x->file[i].given, &x->file[i].n);
        before = ",";
    }
    if (x != NULL && x->kernel.samples != 0) tally_json(out, before, "[kernel]", 0, &x->kernel), before = ",";
    if (x != NULL && x->nowhere.samples != 0) tally_json(out, before, NULL, 0, &x->nowhere), before = ",";
    fprintf(out, "%s],\n", *before != '\0' ? "\n  " : "");
}
