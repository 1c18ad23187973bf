/* minidebug.c - symbols in .gnu_debugdata (MiniDebugInfo of Fedora and others): an ELF file in xz, in the program */
#include "tool.h"

#ifdef CSSPGO_USE_LZMA
#  include <lzma.h>
#endif

#ifdef CSSPGO_USE_LZMA
enum { MINI_MEMORY = 80 << 20, MINI_LEAST = 8 << 20 };     /* of the decoder; bytes that a small section may become */

/* What is in the stream, for free(); NULL with a sentence in why. */
static unsigned char *mini_inflate(const unsigned char *in, size_t size, size_t *made, char *why, size_t why_size)
{
    const size_t most = 16 * size + MINI_LEAST;
    lzma_stream z = LZMA_STREAM_INIT;
    unsigned char *to = (unsigned char *)malloc(most);
    lzma_ret status;
    if (to == NULL) return load_fail(why, why_size, "out of memory"), NULL;
    status = lzma_stream_decoder(&z, MINI_MEMORY, 0);
    z.next_in = in;
    z.avail_in = size;
    z.next_out = to;
    z.avail_out = most;
    if (status == LZMA_OK) status = lzma_code(&z, LZMA_FINISH);
    *made = most - z.avail_out;
    lzma_end(&z);
    if (status == LZMA_STREAM_END) return to;
    load_fail(why, why_size, status == LZMA_MEM_ERROR      ? "out of memory"
                           : status == LZMA_MEMLIMIT_ERROR ? "its .gnu_debugdata needs more than 80 MiB to be read"
                           : z.avail_out == 0 ? "its .gnu_debugdata becomes more than 16 times as large as it is"
                                              : "its .gnu_debugdata is damaged");
    free(to);
    return NULL;
}

/* Takes the symbols. Returns 1; 0 with a sentence in why. */
static int mini_take(loaded *l, const elf_section *s, char *why, size_t why_size)
{
    load_other f;
    memset(&f, 0, sizeof f);
    f.file.read = mini_inflate(s->contents, (size_t)s->size, &f.file.size, why, why_size);
    if (f.file.read == NULL) return 0;
    f.file.data = (const unsigned char *)f.file.read;
    f.path = strdup(".gnu_debugdata");
    if (f.path != NULL && elf_open(f.file.data, f.file.size, &f.elf, why, why_size) &&
        f.elf.machine == l->elf.machine)
        return load_take(l, &f, 1u << LOAD_SYMBOLS, 0) != 0 ||
               load_fail(why, why_size, "its .gnu_debugdata has no symbols");
    if (f.path == NULL) load_fail(why, why_size, "out of memory");
    else load_fail(why, why_size, "its .gnu_debugdata has no program of its kind in it");
    load_close_other(&f);
    return 0;
}
#else
static int mini_take(loaded *l, const elf_section *s, char *why, size_t why_size)
{
    (void)l;
    (void)s;
    return load_fail(why, why_size, "its symbols are in .gnu_debugdata, and the tool was built without liblzma");
}
#endif

void minidebug_take(const tool_context *tool, loaded *l, const char *path)
{
    char why[200];
    elf_section s;
    if (!(load_lacks(l) & 1u << LOAD_SYMBOLS) || !elf_section_named(&l->elf, ".gnu_debugdata", &s)) return;
    if (s.contents == NULL || s.size == 0) return;
    if (mini_take(l, &s, why, sizeof why)) note(tool, "%s: symbols are taken from its .gnu_debugdata", path);
    else warn(tool, "%s: %s", path, why);
}
