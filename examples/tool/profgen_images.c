/* profgen_images.c - profgen: several programs and libraries in one run, and a table of where samples fell
 *
 * All are modules of one code map. Those behind the first are mapped 2^44 bytes apart from each other, above what any
 * file has as link-time addresses; csspgo_spaces moves samples there. A call from one to another goes through a stub
 * of .plt that jumps on: its two branch records become one, of the call to where the stub jumped, so contexts and call
 * targets are as if all were linked statically.
 *
 * The table is made by a code map of its own, whose modules are the files that are mapped, given or not: each is one
 * segment of 2^44 bytes at the file's offsets.
 */
#include "profgen.h"

enum { IMAGE_BITS = 44, STUB_MOST = 64, IMAGES_SHOWN = 12 };
#define TALLY_BASE ((uint64_t)1 << 62)            /* no address of a program or of the kernel */

typedef struct image {            /* of one --binary behind the first */
    const char *path;
    loaded      loaded;
    line_work  *lines;
} image;

typedef struct stubs { uint64_t begin, end; } stubs;   /* a section of them, where the code map has it */

typedef struct tallied {          /* a file, or another name of a mapping */
    char    *path;
    uint64_t samples;
    int      given;               /* it is one of --binary */
} tallied;

struct images {
    image         *v;
    size_t         count;
    stubs         *stub;
    size_t         stubs;
    csspgo_branch *branch;        /* of the last sample with joined branches */
    size_t         branch_cap;
    csspgo_code   *code;          /* of the table */
    csspgo_spaces *spaces;
    tallied       *file;
    size_t         files, file_cap;
    uint64_t       kernel, nowhere, all;
};

/* What several images do not go with. Returns 0 after saying so. */
int images_check(const profgen *g)
{
    static const int others[] = { O_KERNEL, O_SKIP, O_UNSYMBOLIZED, O_PREAGG, O_PPROF, O_PROFILE, O_DETAILS,
                                  O_IMAGE_BASE };
    const option *o = g->o;
    size_t i;
    if (g->tool->compat || o[O_BINARY].count < 2) return 1;
    for (i = 0; i < sizeof others / sizeof *others; i++) {
        const option *x = &o[others[i]];
        if (x->kind == OPT_SWITCH ? x->number != 0 : x->text != NULL)
            return usage(g->tool, "--%s takes one --binary", x->name), 0;
    }
    if (preagg_wanted(g)) return usage(g->tool, "--format=preagg takes one --binary"), 0;
    return 1;
}

/* ----- the code --------------------------------------------------------------------------------------------------- */

/* As if only this one were given. */
static profgen image_view(const profgen *g, const image *m)
{
    profgen one = *g;
    one.binary = m->path;
    one.image = m->loaded;
    one.lines = m->lines;
    one.images = NULL;
    return one;
}

/* Notes the sections of an image that have stubs. Returns 0 without memory. */
static int stubs_add(images *x, const loaded *l, uint64_t bias)
{
    static const char *const names[] = { ".plt", ".plt.sec", ".plt.got", ".iplt" };
    const size_t most = sizeof names / sizeof *names;
    stubs *v = (stubs *)realloc(x->stub, (x->stubs + most) * sizeof *v);
    size_t i;
    if (v == NULL) return 0;
    x->stub = v;
    for (i = 0; i < most; i++) {
        elf_section s;
        if (!elf_section_named(&l->elf, names[i], &s) || s.size == 0) continue;
        v[x->stubs].begin = s.address + bias;
        v[x->stubs++].end = s.address + bias + s.size;
    }
    return 1;
}

/* Loads number i of --binary. Returns 0 with a sentence in why. */
static int image_load(profgen *g, image *m, size_t i, char *why, size_t why_size)
{
    const int by_line = is_by_line(g);
    const uint64_t bias = (uint64_t)i << IMAGE_BITS;
    profgen one;
    int ok;
    m->path = g->o[O_BINARY].list[i];
    if (!load_more(&m->loaded, g->image.code, bias, m->path, why, why_size)) return 0;
    if (load_symbols(&m->loaded)->symbol_count <= 1) return load_fail(why, why_size, "no symbols");
    one = image_view(g, m);
    if (is_by_line(&one) != by_line)
        return load_fail(why, why_size, by_line ? "has pseudo probes, the program has none: give "
                                                  "--use-dwarf-correlation"
                                                : "has no pseudo probes, the program has: give "
                                                  "--use-dwarf-correlation");
    ok = by_line ? lines_load(&one, why, why_size) : load_probes(&one.image, why, why_size);
    m->loaded = one.image;
    m->lines = one.lines;
    if (ok && !stubs_add(g->images, &m->loaded, bias)) return load_fail(why, why_size, "out of memory");
    return ok;
}

int images_load(profgen *g, char *why, size_t why_size)
{
    const option *o = &g->o[O_BINARY];
    images *x;
    size_t i;
    if (g->tool->compat || (o->count < 2 && !g->o[O_IMAGES].number)) return 1;
    x = g->images = (images *)calloc(1, sizeof *x);
    if (x != NULL) x->v = (image *)calloc(o->count, sizeof *x->v);
    if (x == NULL || x->v == NULL) return load_fail(why, why_size, "out of memory");
    x->code = csspgo_code_new(seeded(), NULL);
    if (x->code == NULL) return load_fail(why, why_size, "out of memory");
    if (o->count < 2) return 1;
    if (!stubs_add(x, &g->image, 0)) return load_fail(why, why_size, "out of memory");
    for (i = 1; i < o->count; i++)
        if (!image_load(g, &x->v[x->count++], i, why, why_size)) {
            g->binary = o->list[i];                   /* what is wrong is of this one */
            return 0;
        }
    return 1;
}

void images_free(images *x)
{
    size_t i;
    if (x == NULL) return;
    for (i = 0; i < x->count; i++) {
        lines_free(x->v[i].lines);
        load_free(&x->v[i].loaded);
    }
    for (i = 0; i < x->files; i++) free(x->file[i].path);
    csspgo_spaces_free(x->spaces);
    csspgo_code_free(x->code);
    free(x->v);
    free(x->stub);
    free(x->branch);
    free(x->file);
    free(x);
}

/* How many there are besides the first. */
size_t images_more(const images *x)
{
    return x != NULL ? x->count : 0;
}

/* The build ids of all but the first; a table begins for a new recording. Returns 0 without memory. */
int images_begin(profgen *g)
{
    images *x = g->images;
    size_t i, size;
    if (x == NULL) return 1;
    for (i = 0; i < x->count; i++) {
        const loaded *l = &x->v[i].loaded;
        const unsigned char *id = elf_build_id(&l->elf, &size);
        if (id != NULL) csspgo_code_set_build_id(l->code, l->module, id, size < 20 ? size : 20, NULL);
    }
    csspgo_spaces_free(x->spaces);
    x->spaces = csspgo_spaces_new(x->code, seeded(), NULL);
    return x->spaces != NULL;
}

/* Reads the debug information of all but the first into the tables of the first. */
csspgo_status images_units(const profgen *g)
{
    csspgo_status s = CSSPGO_OK;
    size_t i;
    for (i = 0; g->images != NULL && s == CSSPGO_OK && i < g->images->count; i++) {
        const profgen one = image_view(g, &g->images->v[i]);
        s = lines_join(&one, g->lines);
    }
    return s;
}

/* profgen_list_symbols, of all but the first. */
csspgo_status images_list_symbols(const profgen *g, csspgo_profile *p)
{
    csspgo_status s = CSSPGO_OK;
    size_t i;
    for (i = 0; g->images != NULL && s == CSSPGO_OK && i < g->images->count; i++) {
        const profgen one = image_view(g, &g->images->v[i]);
        s = profgen_list_symbols(&one, p);
    }
    return s;
}

/* ----- calls through stubs ---------------------------------------------------------------------------------------- */

/* The section of stubs that has an address; NULL if none. */
static const stubs *stubs_of(const images *x, uint64_t address)
{
    size_t i;
    for (i = 0; i < x->stubs; i++)
        if (address >= x->stub[i].begin && address < x->stub[i].end) return &x->stub[i];
    return NULL;
}

/* 1 if `from` is the jump of the stub at `to`. */
static int is_stub(const images *x, uint64_t from, uint64_t to)
{
    const stubs *s = from - to < STUB_MOST ? stubs_of(x, from) : NULL;
    return s != NULL && to >= s->begin;
}

/* Joins each branch into a stub, of a sample whose addresses are the code map's, with the stub's. */
int images_join(images *x, csspgo_sample *s)
{
    const csspgo_branch *b = s->branches;
    uint32_t i, n = 0;
    for (i = 0; i + 1 < s->branch_count && !is_stub(x, b[i].from, b[i + 1].to); i++) {}
    if (i + 1 >= s->branch_count) return 1;
    if (x->branch_cap < s->branch_count) {
        free(x->branch);
        x->branch_cap = 0;
        x->branch = (csspgo_branch *)malloc(s->branch_count * sizeof *x->branch);
        if (x->branch == NULL) return 0;
        x->branch_cap = s->branch_count;
    }
    for (i = 0; i < s->branch_count; i++) {
        csspgo_branch joined = b[i];
        while (i + 1 < s->branch_count && is_stub(x, b[i].from, b[i + 1].to)) {
            joined.from = b[++i].from;
            joined.flags = b[i].flags;
        }
        x->branch[n++] = joined;
    }
    s->branches = x->branch;
    s->branch_count = n;
    return 1;
}

/* ----- the table -------------------------------------------------------------------------------------------------- */

/* The number of a file, added if it is new; -1 without memory. */
static long long tally_file(images *x, const csspgo_mmap *map)
{
    csspgo_segment whole;
    csspgo_module m;
    char name[24];
    size_t i;
    for (i = 0; i < x->files; i++)
        if (strlen(x->file[i].path) == map->path_size && memcmp(x->file[i].path, map->path, map->path_size) == 0)
            return (long long)i;
    if (x->files == x->file_cap) {
        const size_t cap = x->file_cap * 2 + 16;
        tallied *v = (tallied *)realloc(x->file, cap * sizeof *v);
        if (v == NULL) return -1;
        x->file = v;
        x->file_cap = cap;
    }
    memset(&x->file[i], 0, sizeof x->file[i]);
    if ((x->file[i].path = (char *)malloc(map->path_size + 1)) == NULL) return -1;
    memcpy(x->file[i].path, map->path, map->path_size);
    x->file[i].path[map->path_size] = '\0';
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
        const long long i = tally_file(x, map);
        if (i < 0) return 0;
        x->file[i].given |= given;
        numbered.path = name;
        numbered.path_size = (size_t)sprintf(name, "%lld", i);
        numbered.build_id_size = 0;
    }
    return csspgo_spaces_event(x->spaces, item, sample, &numbered, NULL) == CSSPGO_OK;
}

/* Counts a sample, as recorded, where its sampled address is. Returns 0 without memory. */
int images_tally(images *x, const csspgo_sample *sample)
{
    csspgo_sample s = *sample;
    const uint64_t count = s.count != 0 ? s.count : 1;
    uint64_t at;
    if (s.stack_count == 0 && s.branch_count == 0) return 1;
    at = s.stack_count != 0 ? s.stack[0] : s.branches[0].to;
    s.stack = &at;
    s.stack_count = 1;
    s.branch_count = 0;
    if (csspgo_spaces_sample(x->spaces, &s, NULL) != CSSPGO_OK) return 0;
    x->all = sum_of(x->all, count);
    if (s.stack[0] >> 63 != 0) x->kernel = sum_of(x->kernel, count);
    else if (s.stack[0] < TALLY_BASE || (s.stack[0] - TALLY_BASE) >> IMAGE_BITS >= x->files)
        x->nowhere = sum_of(x->nowhere, count);
    else {
        tallied *f = &x->file[(s.stack[0] - TALLY_BASE) >> IMAGE_BITS];
        f->samples = sum_of(f->samples, count);
    }
    return 1;
}

static int tallied_cmp(const void *a, const void *b)
{
    const tallied *x = (const tallied *)a, *y = (const tallied *)b;
    if (x->samples != y->samples) return x->samples > y->samples ? -1 : 1;
    return strcmp(x->path, y->path);
}

static void tally_row(const profgen *g, uint64_t samples, const char *where, const char *given)
{
    char safe[256];
    const size_t n = mapped_name(safe, where, sizeof safe - 1);
    safe[n] = '\0';
    note(g->tool, "%6.2f%% %10llu samples in %s%s", percent(samples, g->images->all), (unsigned long long)samples, safe,
         given);
}

/* Prints the table: all that were given, and of the others those with most samples. */
void images_show(const profgen *g)
{
    images *x = g->images;
    uint64_t rest = 0;
    size_t i, shown = 0;
    if (x == NULL || x->all == 0) return;
    if (x->files != 0) qsort(x->file, x->files, sizeof *x->file, tallied_cmp);
    for (i = 0; i < x->files; i++) {
        const tallied *f = &x->file[i];
        if (!f->given && (f->samples == 0 || shown == IMAGES_SHOWN)) rest = sum_of(rest, f->samples);
        else tally_row(g, f->samples, f->path, f->given ? "" : ", which is not given");
        shown += !f->given;
    }
    if (rest != 0) tally_row(g, rest, "other files", "");
    if (x->kernel != 0) tally_row(g, x->kernel, "the kernel", "");
    if (x->nowhere != 0) tally_row(g, x->nowhere, "no mapping that is known", "");
}
