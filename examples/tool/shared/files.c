/* files.c - the files that a recording has mapped, by number; each is a module of a code map */
#include "recording.h"

int files_begin(recorded_files *f)
{
    f->code = csspgo_code_new(seeded(), NULL);
    f->paths = csspgo_profile_new(seeded(), NULL);
    return f->code != NULL && f->paths != NULL;
}

void files_free(recorded_files *f)
{
    csspgo_code_free(f->code);
    csspgo_profile_free(f->paths);
}

/* A profile numbers its functions from 1 in the order in which they are added: the paths are these. */
long long files_number(recorded_files *f, const char *path, size_t size)
{
    static const char others[] = "[other files]";
    const size_t before = csspgo_func_count(f->paths);
    csspgo_func of = csspgo_func_find(f->paths, path, size);
    csspgo_segment whole;
    csspgo_module m;
    char name[24];
    uint64_t i;
    if (of.id == 0 && before >= FILES_MOST) of = csspgo_func_add(f->paths, others, sizeof others - 1);
    if (of.id == 0) of = csspgo_func_add(f->paths, path, size);
    if (of.id == 0) return -1;
    i = of.id - 1;
    if (of.id <= before) return (long long)i;
    memset(&whole, 0, sizeof whole);
    whole.size = (uint64_t)1 << IMAGE_BITS;
    whole.executable = 1;
    m = csspgo_code_add_module(f->code, name, (size_t)sprintf(name, "%" PRIu64, i), &whole, 1, NULL);
    if (m.id == 0 || csspgo_code_set_bias(f->code, m, FILES_BASE + (i << IMAGE_BITS), NULL) != CSSPGO_OK) return -1;
    return (long long)i;
}
