/* tally.c - profgen: a table of the files in which samples fell */
#include "profgen.h"

enum { IMAGES_SHOWN = 12 };

tally *tally_new(int whole)
{
    tally *const t = (tally *)calloc(1, sizeof *t);
    if (t == NULL) return NULL;
    t->whole = whole;
    if (files_begin(&t->mapped)) return t;
    tally_free(t);
    return NULL;
}

void tally_free(tally *t)
{
    size_t i;
    if (t == NULL) return;
    for (i = 0; i < t->files; i++) free(t->file[i].path);
    csspgo_processes_free(t->spaces);
    files_free(&t->mapped);
    free(t->at_program);
    free(t->file);
    free(t);
}

int tally_spaces(tally *t)
{
    if (t == NULL) return 1;
    csspgo_processes_free(t->spaces);
    t->spaces = csspgo_processes_new(t->mapped.code, seeded(), NULL);
    return t->spaces != NULL;
}

/* The number of a file, added if it is new; -1 without memory. */
static long long tally_file(tally *x, const char *path, size_t path_size)
{
    const long long i = files_number(&x->mapped, path, path_size);
    if (i < 0 || (size_t)i < x->files) return i;
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
    return i;
}

/* given: the event is a mapping of one of --binary. */
int tally_event(tally *x, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map, int given)
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
    return csspgo_processes_event(x->spaces, item, sample, &numbered, NULL) == CSSPGO_OK;
}

static const char *last_component(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The number of the file that was mapped and is a program that is given, by its name; -1: there is none. */
static long long tally_mapped(const tally *x, const char *path)
{
    size_t i;
    for (i = 0; i < x->files; i++)
        if (x->file[i].given && strcmp(last_component(x->file[i].path), last_component(path)) == 0) return (long long)i;
    return -1;
}

/* Makes at_program n long. Returns 0 without memory. */
static int tally_programs(tally *x, size_t n)
{
    long long *v;
    if (n <= x->programs) return 1;
    v = (long long *)realloc(x->at_program, n * sizeof *v);
    if (v == NULL) return 0;
    x->at_program = v;
    while (x->programs < n) v[x->programs++] = -1;
    return 1;
}

/* A sample without a mapping that is in a program all the same: which was not mapped, or is the kernel. */
static health_counts *tally_given(tally *x, const programs *p, uint64_t address)
{
    const uint64_t i = p->spaces != NULL ? address >> IMAGE_BITS : 0;
    const int is_program = i < p->count;
    const char *path = is_program ? p->v[i].path : "[jit]";
    long long *at;
    if (!tally_programs(x, p->count + 1)) return NULL;
    at = &x->at_program[is_program ? i + 1 : 0];
    if (*at < 0) *at = tally_mapped(x, path);
    if (*at < 0) *at = tally_file(x, path, strlen(path));
    if (*at < 0) return NULL;
    x->file[*at].given = 1;
    return &x->file[*at].n;
}

/* 1 if an address of the code map is in code of a program that is given: it may run in memory without a file. */
static int tally_is_program(const programs *p, uint64_t address)
{
    return p->spaces != NULL && address >> IMAGE_BITS < p->count && is_code(p, address);
}

/* Notes in which file a sample is; placed: the same in the code map. */
int tally_sample(tally *x, const programs *p, const csspgo_sample *sample, const csspgo_sample *placed)
{
    csspgo_sample s = *sample;
    uint64_t at;
    size_t i;
    x->at = NULL;
    x->at_given = 0;
    if (s.stack_count == 0 && s.branch_count == 0) return 1;
    if (!x->whole && is_code(p, sampled_address(p, placed))) return 1;
    at = sampled_address(p, &s);
    s.stack = &at;
    s.stack_count = 1;
    s.branch_count = 0;
    if (x->spaces != NULL && csspgo_processes_sample(x->spaces, &s, NULL) != CSSPGO_OK) return 0;
    x->at = s.stack[0] >> 63 != 0 ? &x->kernel : &x->nowhere;
    at = sampled_address(p, placed);
    i = s.stack[0] >= FILES_BASE ? (size_t)((s.stack[0] - FILES_BASE) >> IMAGE_BITS) : x->files;
    if (i < x->files && (x->file[i].given || !tally_is_program(p, at))) {
        x->at = &x->file[i].n;
        x->at_given = x->file[i].given;
    } else if (is_code(p, at)) x->at = tally_given(x, p, at);
    if (x->at != NULL) x->at->samples = sum_of(x->at->samples, s.count != 0 ? s.count : 1);
    return x->at != NULL;
}

/* The row, of those that are no files the first three, and whether it is of a program that is given. */
uint64_t tally_mark(const tally *x)
{
    uint64_t row;
    if (x == NULL || x->at == NULL) return 0;
    if (x->at == &x->kernel || x->at == &x->nowhere) row = x->at == &x->kernel ? 1 : 2;
    else row = 3 + (uint64_t)((const tallied *)((const char *)x->at - offsetof(tallied, n)) - x->file);
    return 2 * row + (x->at_given != 0);
}

void tally_set_mark(tally *x, uint64_t mark)
{
    const size_t row = (size_t)(mark / 2);
    if (x == NULL) return;
    x->at = row == 0 ? NULL : row == 1 ? &x->kernel : row == 2 ? &x->nowhere : &x->file[row - 3].n;
    x->at_given = (int)(mark % 2);
}

static int tallied_cmp(const void *a, const void *b)
{
    const tallied *x = (const tallied *)a, *y = (const tallied *)b;
    if (x->n.samples != y->n.samples) return x->n.samples > y->n.samples ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* Sorts the table. Returns how many samples are in it. */
static uint64_t tally_end(tally *x)
{
    uint64_t n = sum_of(x->kernel.samples, x->nowhere.samples);
    size_t i;
    if (x->files != 0) qsort(x->file, x->files, sizeof *x->file, tallied_cmp);
    for (i = 0; i < x->files; i++) n = sum_of(n, x->file[i].n.samples);
    return n;
}

static void tally_row(const tool_context *tool, uint64_t all, uint64_t samples, const char *where, const char *given)
{
    char safe[256];
    const size_t n = mapped_name(safe, where, sizeof safe - 1);
    safe[n] = '\0';
    note(tool, "%6.2f%% %10llu samples in %s%s", percent(samples, all), (unsigned long long)samples, safe, given);
}

/* Prints the table: all that were given, and of the others those with most samples. */
void tally_show(const tool_context *tool, tally *x)
{
    uint64_t rest = 0, all;
    size_t i, shown = 0;
    if (x == NULL || (all = tally_end(x)) == 0) return;
    for (i = 0; i < x->files; i++) {
        const tallied *f = &x->file[i];
        if (!f->given && (f->n.samples == 0 || shown == IMAGES_SHOWN)) rest = sum_of(rest, f->n.samples);
        else tally_row(tool, all, f->n.samples, f->path, f->given ? "" : ", which is not given");
        shown += !f->given;
    }
    if (rest != 0) tally_row(tool, all, rest, "other files", "");
    if (x->kernel.samples != 0) tally_row(tool, all, x->kernel.samples, "the kernel", "");
    if (x->nowhere.samples != 0) tally_row(tool, all, x->nowhere.samples, "no mapping that is known", "");
}

static void row_json(FILE *out, const char *before, const char *path, int given, const health_counts *n)
{
    fprintf(out, "%s\n    { \"path\": ", before);
    if (path != NULL) json_string(out, path, strlen(path));
    else fputs("null", out);
    fprintf(out, ", \"given\": %s,", given ? "true" : "false");
    health_json_counts(n, out);
    fputs(" }", out);
}

/* The same for the report: each file that was given or has samples; the kernel; what is in no mapping. */
void tally_json(tally *x, FILE *out)
{
    const char *before = "";
    size_t i;
    fputs("  \"images\": [", out);
    if (x != NULL) tally_end(x);
    for (i = 0; x != NULL && i < x->files; i++) {
        if (!x->file[i].given && x->file[i].n.samples == 0) continue;
        row_json(out, before, x->file[i].path, x->file[i].given, &x->file[i].n);
        before = ",";
    }
    if (x != NULL && x->kernel.samples != 0) row_json(out, before, "[kernel]", 0, &x->kernel), before = ",";
    if (x != NULL && x->nowhere.samples != 0) row_json(out, before, NULL, 0, &x->nowhere), before = ",";
    fprintf(out, "%s],\n", *before != '\0' ? "\n  " : "");
}
