/* write.c - profiles and streams into outputs; the memory that large profiles are kept in */
#include "tool.h"

static csspgo_status write_bytes(const writer *w, FILE *out, csspgo_error *e)
{
    size_t size;
    csspgo_status s = w->bytes_fn(w->what, NULL, 0, &size, e);
    void *bytes = s == CSSPGO_OK ? malloc(size + 1) : NULL;
    if (s != CSSPGO_OK) return s;
    s = bytes != NULL ? w->bytes_fn(w->what, bytes, size, &size, e) : CSSPGO_E_NOMEM;
    if (s == CSSPGO_OK && (out == NULL || fwrite(bytes, 1, size, out) != size)) s = CSSPGO_E_IO;
    free(bytes);
    return s;
}

/* On failure the message of e is the whole reason, without the path. */
csspgo_status write_output(const writer *w, const char *path, csspgo_error *e)
{
    csspgo_status s = CSSPGO_E_IO;
    output o;
    int why;
    memset(e, 0, sizeof *e);
    errno = 0;
    if (output_begin(&o, path)) {
        s = o.name != NULL ? w->file_fn(w->what, o.name, e) : write_bytes(w, output_stream(&o), e);
        why = errno;
        if (!output_end(&o, s == CSSPGO_OK) && s == CSSPGO_OK) s = CSSPGO_E_IO;
        else errno = why;
    }
    e->status = s;
    if (s == CSSPGO_E_IO) snprintf(e->message, sizeof e->message, "%s", file_why());
    else if (s != CSSPGO_OK && *e->message == '\0')
        snprintf(e->message, sizeof e->message, "%s", csspgo_status_text(s));
    return s;
}

typedef struct profile_form {
    csspgo_profile *p;
    uint32_t        form;
} profile_form;

static csspgo_status profile_to_bytes(const void *what, void *buf, size_t cap, size_t *size, csspgo_error *e)
{
    const profile_form *f = (const profile_form *)what;
    return csspgo_write(f->p, f->form, buf, cap, size, e);
}

static csspgo_status profile_to_file(const void *what, const char *name, csspgo_error *e)
{
    const profile_form *f = (const profile_form *)what;
    return csspgo_write_file(f->p, name, f->form, e);
}

/* GCC's form in the version that is place `version` of GCOV_VERSIONS. */
uint32_t gcov_form(int version)
{
    static const uint32_t added[] = { 0, CSSPGO_GCC1, CSSPGO_GCC, CSSPGO_GCC3 };
    return CSSPGO_GCOV | added[version];
}

/* What EXTBINARY_NEWER asks for, at o, adds to the form of ExtBinary, but for composite records. */
uint32_t extbinary_newer(const tool_context *tool, const option *o)
{
    static const uint32_t versions[] = { 0, CSSPGO_V104, CSSPGO_V105 };
    const int vtables = o[2].given ? o[2].number != 0 : !tool->compat;
    return versions[o[0].number] | (vtables ? 0 : (uint32_t)CSSPGO_NO_VTABLES);
}

/* 1 after saying in e that bytes would go to a terminal. */
int is_for_terminal(const char *path, csspgo_error *e)
{
    if (strcmp(path, "-") != 0 || !isatty(1)) return 0;
    memset(e, 0, sizeof *e);
    e->status = CSSPGO_E_IO;
    snprintf(e->message, sizeof e->message,
             "binary output is not written to a terminal: give --output=FILE, or ask for text");
    return 1;
}

csspgo_status write_profile(csspgo_profile *p, const char *path, uint32_t form, csspgo_error *e)
{
    const profile_form f = { p, form };
    const writer w = { profile_to_bytes, profile_to_file, &f };
    if ((form & 0xff) != CSSPGO_TEXT && is_for_terminal(path, e)) return e->status;
    return write_output(&w, path, e);
}

static csspgo_status traces_to_bytes(const void *what, void *buf, size_t cap, size_t *size, csspgo_error *e)
{
    return csspgo_layout_write((const csspgo_layout *)what, buf, cap, size, e);
}

static csspgo_status traces_to_file(const void *what, const char *name, csspgo_error *e)
{
    return csspgo_layout_write_file((const csspgo_layout *)what, name, e);
}

csspgo_status write_traces(const csspgo_layout *l, const char *path, csspgo_error *e)
{
    const writer w = { traces_to_bytes, traces_to_file, l };
    return write_output(&w, path, e);
}

/* ----- memory: large arrays in large pages, so that growing them costs few page faults ---------------------------- */

enum { BIG_BLOCK = 1 << 21 };     /* bytes; also the size of a large page */

static size_t whole_blocks(size_t size)   /* Linux gives large pages to such sizes only */
{
    return (size + BIG_BLOCK - 1) / BIG_BLOCK * BIG_BLOCK;
}

static void *big_alloc(void *ctx, size_t size)
{
    void *p;
    (void)ctx;
    if (size < BIG_BLOCK) return malloc(size);
    size = whole_blocks(size);
    p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
#ifdef MADV_HUGEPAGE
    madvise(p, size, MADV_HUGEPAGE);
#endif
    return p;
}

static void big_free(void *ctx, void *p, size_t size)
{
    (void)ctx;
    if (size < BIG_BLOCK) free(p);
    else munmap(p, whole_blocks(size));
}

csspgo_allocator big_blocks(void)
{
    csspgo_allocator a;
    memset(&a, 0, sizeof a);
    a.alloc_fn = big_alloc;
    a.free_fn = big_free;
    return a;
}
