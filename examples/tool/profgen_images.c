/* profgen_images.c - profgen: several programs and libraries in one run
 *
 * All are modules of one code map. Those behind the first are mapped 2^44 bytes apart from each other, above what any
 * file has as link-time addresses; csspgo_spaces moves samples there. A call from one to another goes through a stub
 * of .plt that jumps on: its two branch records become one, of the call to where the stub jumped, so contexts and call
 * targets are as if all were linked statically.
 */
#include "profgen_images.h"
#include "order.h"
#include "profgen_lines.h"

enum { STUB_MOST = 64 };

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
    if (!program_open(g->tool, &m->loaded, m->path, why, why_size)) return load_free(&m->loaded), 0;
    if (!load_more(&m->loaded, g->image.code, bias, m->path, why, why_size)) return 0;
    one = image_view(g, m);
    if (is_by_line(&one) != by_line)
        return load_fail(why, why_size, by_line ? "has pseudo probes, the program has none: give "
                                                  "--use-dwarf-correlation"
                                                : "has no pseudo probes, the program has: give "
                                                  "--use-dwarf-correlation");
    ok = by_line ? lines_load(&one, why, why_size) : probes_load(&one, why, why_size);
    if (ok && one.image.functions == 0 && load_symbols(&one.image)->symbol_count <= 1)
        ok = load_fail(why, why_size, "no symbols");
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
    if (g->tool->compat) return 1;
    x = g->images = (images *)calloc(1, sizeof *x);
    if (x != NULL) x->v = (image *)calloc(o->count + 1, sizeof *x->v);
    if (x == NULL || x->v == NULL) return load_fail(why, why_size, "out of memory");
    x->code = csspgo_code_new(seeded(), NULL);
    if (x->code == NULL) return load_fail(why, why_size, "out of memory");
    x->whole = o->count > 1 || g->o[O_IMAGES].number || g->o[O_REPORT].text != NULL;
    if (o->count < 2) return 1;
    if (!stubs_add(x, &g->image, 0)) return load_fail(why, why_size, "out of memory");
    for (i = 1; i < o->count; i++)
        if (!image_load(g, &x->v[x->count++], i, why, why_size)) {
            g->binary = o->list[i];                   /* what is wrong is of this one */
            return 0;
        }
    return 1;
}

/* Opens number i of --binary for order: symbols, with a code map also code. Returns 0 with a sentence in why. */
static int image_open(const tool_context *tool, image *m, size_t i, csspgo_code *code, char *why, size_t why_size)
{
    loaded *const l = &m->loaded;
    if (!program_open(tool, l, m->path, why, why_size)) return load_free(l), 0;
    if (load_symbols(l)->symbol_count <= 1) return program_lacks(l, "symbols", why, why_size);
    if (code == NULL) return 1;
    if (!load_more(l, code, (uint64_t)i << IMAGE_BITS, m->path, why, why_size)) return 0;
    return load_program_functions(l) || load_fail(why, why_size, "out of memory");
}

images *images_open(const tool_context *tool, const option *binaries, const loaded *first, int *ok, char *why,
                    size_t why_size)
{
    csspgo_code *const code = first->code;
    images *const x = (images *)calloc(1, sizeof *x);
    size_t i;
    if (x != NULL) x->v = (image *)calloc(binaries->count, sizeof *x->v);
    if (x != NULL && code != NULL) x->code = csspgo_code_new(seeded(), NULL);
    *ok = x != NULL && x->v != NULL && (code == NULL || (x->code != NULL && stubs_add(x, first, 0)));
    if (!*ok) load_fail(why, why_size, "out of memory");
    for (i = 1; *ok && i < binaries->count; i++) {
        image *const m = &x->v[x->count++];
        m->path = binaries->list[i];
        *ok = image_open(tool, m, i, code, why, why_size);
        if (*ok && code != NULL && !stubs_add(x, &m->loaded, (uint64_t)i << IMAGE_BITS))
            *ok = load_fail(why, why_size, "out of memory");
    }
    return x;
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

/* What has the ranges of a link-time address, which becomes that of its own file. */
const loaded *images_at(const profgen *g, uint64_t *address)
{
    const uint64_t i = g->spaces != NULL ? *address >> IMAGE_BITS : 0;
    if (i == 0 || i > images_more(g->images)) return *address -= g->bias, &g->image;
    *address -= i << IMAGE_BITS;
    return &g->images->v[i - 1].loaded;
}

/* The number of the image that an address of the code map is in; 0: the program, or none. */
size_t image_of(const profgen *g, uint64_t address)
{
    const uint64_t i = g->spaces != NULL ? address >> IMAGE_BITS : 0;
    return i <= images_more(g->images) ? (size_t)i : 0;
}

/* What is known of an image's lines; NULL by probe. */
line_work *image_lines(const profgen *g, size_t image)
{
    return image == 0 ? g->lines : g->images->v[image - 1].lines;
}

/* Opens the debug information of an image that has probes, for lines_free; NULL: it has none. */
line_work *image_open_lines(const profgen *g, size_t image)
{
    const profgen one = image == 0 ? *g : image_view(g, &g->images->v[image - 1]);
    char why[256];
    return work_open(&one, why, sizeof why);
}

/* How many there are besides the first. */
size_t images_more(const images *x)
{
    return x != NULL ? x->count : 0;
}

const char *const source_keys[] = { "symbols", "lines", "probes" };

const char *images_path(const profgen *g, size_t i)
{
    return i == 0 ? g->binary : g->images->v[i - 1].path;
}

const char *images_source(const profgen *g, size_t i, size_t kind)
{
    const loaded *const l = i == 0 ? &g->image : &g->images->v[i - 1].loaded;
    return load_lacks(l) & 1u << kind ? NULL : load_from_path(l, (unsigned)kind, images_path(g, i));
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

/* Reads the debug information of all but the first into the tables of the first. p: the profile given, or NULL. */
csspgo_status images_units(const profgen *g, const csspgo_profile *p)
{
    csspgo_status s = CSSPGO_OK;
    size_t i;
    for (i = 0; g->images != NULL && s == CSSPGO_OK && i < g->images->count; i++) {
        const profgen one = image_view(g, &g->images->v[i]);
        s = lines_join(&one, g->lines, p);
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
    if (x->stubs == 0) return 1;
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
