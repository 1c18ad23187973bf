/* arena.c - the library without stdio and without malloc: a reader in 256 KB of static memory
 *
 * Each object has an allocator with a pointer of the user's. Here it is an arena that gives memory from an array and
 * takes back only what was given last; free_fn is told the size, so blocks need no headers. When it is exhausted, the
 * call says E_NOMEM, and the object is what it was. Of the C library only memcpy and the like are used.
 *
 *     cc -Os arena.c -o arena && ./arena; echo $?          prints nothing: 0 if all went well
 */
#define CSSPGO_STATIC                  /* the compiler drops what is not called */
#define CSSPGO_NO_STDIO
#define CSSPGO_MALLOC(n) ((void)(n), (void *)0)          /* no object is made without an allocator */
#define CSSPGO_FREE(p) ((void)(p))
#define CSSPGO_ASSERT(x) ((void)0)
#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"

enum { ARENA_BYTES = 256 * 1024, ALIGNMENT = 16 };

typedef struct arena {
    unsigned char *memory;
    size_t         used, size, peak, live;           /* live: bytes that were given and not taken back */
} arena;

static size_t rounded(size_t size)
{
    return (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static void *arena_alloc(void *context, size_t size)
{
    arena *a = (arena *)context;
    const size_t bytes = rounded(size);
    void *p = a->memory + a->used;
    if (bytes < size || bytes > a->size - a->used) return NULL;
    a->used += bytes;
    a->live += bytes;
    if (a->used > a->peak) a->peak = a->used;
    return p;
}

static void arena_free(void *context, void *p, size_t size)
{
    arena *a = (arena *)context;
    const size_t bytes = rounded(size);
    if ((unsigned char *)p + bytes == a->memory + a->used) a->used -= bytes;
    a->live -= bytes;
    if (a->live == 0) a->used = 0;
}

/* The options of objects that live in an arena. What input asks for is refused by the limit before the arena does. */
static csspgo_options in_arena(arena *a)
{
    csspgo_options o;
    memset(&o, 0, sizeof o);
    o.allocator.alloc_fn = arena_alloc;
    o.allocator.free_fn = arena_free;
    o.allocator.ctx = a;
    o.limits.max_bytes = a->size;
    o.limits.max_depth = 64;
    return o;
}

/* The count of one block of a profile in memory; UINT64_MAX if it cannot be read. */
static uint64_t count_of(const void *data, size_t size, const char *context, uint32_t probe, const csspgo_options *o)
{
    csspgo_error e;
    csspgo_profile *p = csspgo_load(data, size, o, &e);
    const uint64_t count = p != NULL ? csspgo_body_count(p, csspgo_find(p, context),
                                                         csspgo_loc_at(probe, 0)) : UINT64_MAX;
    csspgo_profile_free(p);
    return count;
}

int main(void)
{
    static const char profile[] = "[main:2 @ parse]:900:30\n 1: 30\n 2: 870 next:870\n !CFGChecksum: 22\n"
                                  "[main]:40:1\n 1: 10\n 2: 30 parse:30\n !CFGChecksum: 11\n";
    static union { unsigned char bytes[ARENA_BYTES]; uint64_t aligned; double too; void *and_this; } memory;
    arena a = { memory.bytes, 0, ARENA_BYTES, 0, 0 };
    csspgo_options o = in_arena(&a);
    size_t enough;
    if (count_of(profile, sizeof profile - 1, "main:2 @ parse", 2, &o) != 870) return 1;
    if (a.live != 0) return 2;                       /* all was given back */
    enough = a.peak;
    for (a.size = 0; a.size < enough; a.size += 64) {   /* with less memory: an error, never a wrong count or a leak */
        const uint64_t count = count_of(profile, sizeof profile - 1, "main:2 @ parse", 2, &o);
        if ((count != UINT64_MAX && count != 870) || a.live != 0) return 3;
    }
    return 0;
}
