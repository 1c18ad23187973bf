/*
 * fuzz_jitdump.c - any bytes as a jitdump or a perf map: what is read lies in the file; live sets are in order and
 * disjoint whatever happens to processes; every allocation may fail; memory stays within 16 bytes per byte and 1 MB.
 *
 * The first byte: 1 = a map; 2 = times do not count. The second: which allocation fails, 0 = none. The third: what the
 * kernel says in between.
 */
#define _GNU_SOURCE
#include "../examples/tool/shared/tool.h"
#include "fuzz.h"

static counted heap;
static const uint8_t *file_data;
static size_t file_size;

/* The heap of the files below: each block has its size in front. */
static void *fuzz_realloc(void *p, size_t size)
{
    size_t *old = p != NULL ? (size_t *)p - 2 : NULL;
    size_t *block = (size_t *)counted_alloc(&heap, size + 2 * sizeof *block);
    if (block == NULL) return NULL;
    block[0] = size;
    if (old != NULL) {
        memcpy(block + 2, p, old[0] < size ? old[0] : size);
        counted_free(&heap, old, old[0] + 2 * sizeof *old);
    }
    return block + 2;
}

static void fuzz_free(void *p)
{
    if (p != NULL) counted_free(&heap, (size_t *)p - 2, ((size_t *)p)[-2] + 2 * sizeof(size_t));
}

static void *fuzz_calloc(size_t n, size_t size)
{
    void *p = n <= SIZE_MAX / 4 / size ? fuzz_realloc(NULL, n * size) : NULL;
    return p != NULL ? memset(p, 0, n * size) : NULL;
}

static char *fuzz_strdup(const char *s)
{
    char *p = (char *)fuzz_realloc(NULL, strlen(s) + 1);
    return p != NULL ? strcpy(p, s) : NULL;
}

int load_fail(char *why, size_t why_size, const char *text)
{
    snprintf(why, why_size, "%s", text);
    return 0;
}

int file_open(const char *path, file_bytes *f)
{
    (void)path;
    f->data = file_data;
    f->size = file_size;
    return 1;
}

void file_close(file_bytes *f) { memset(f, 0, sizeof *f); }

#define malloc(n) fuzz_realloc(NULL, n)
#define realloc fuzz_realloc
#define calloc fuzz_calloc
#define strdup fuzz_strdup
#define free fuzz_free
#include "../examples/tool/profgen/jit_code.c"
#undef malloc
#undef realloc
#undef calloc
#undef strdup
#undef free

static int inside(const void *p, uint64_t n)
{
    const uint8_t *q = (const uint8_t *)p;
    return q >= file_data && q <= file_data + file_size && n <= (uint64_t)(file_data + file_size - q);
}

/* Every record and line lies in the file; records are where they say. */
static void read_records(void)
{
    jitdump d;
    jitdump_record r, again;
    jitdump_line line;
    char why[80] = "";
    uint64_t n, last = 0;
    size_t at;
    if (!jitdump_open(&d, file_data, file_size, why, sizeof why)) {
        REQUIRE(strncmp(why, "byte ", 5) == 0);
        return;
    }
    while (jitdump_next(&d, &r)) {
        REQUIRE(r.offset >= 40 && r.offset >= last && d.at <= file_size && r.offset < d.at);
        last = d.at;
        REQUIRE(jitdump_at(&d, (size_t)r.offset, &again) == 1 && memcmp(&r, &again, sizeof r) == 0);
        if (r.kind == JITDUMP_LOAD) REQUIRE(inside(r.code, r.size) && inside(r.name, r.name_size));
        if (r.kind == JITDUMP_LOAD) REQUIRE(memchr(r.name, 0, r.name_size) == NULL && r.address + r.size >= r.address);
        if (r.kind != JITDUMP_DEBUG) continue;
        REQUIRE(inside(r.code, r.size));
        for (n = 0, at = 0; jitdump_next_line(&d, &r, r.address, r.address + 4096, &at, &line); n++) {
            REQUIRE(at <= r.size && line.address >= r.address && line.address <= r.address + 4096);
        }
        REQUIRE(n <= r.size / 16);
    }
    REQUIRE(d.cut ? d.at < file_size : d.at == file_size);
    REQUIRE((d.bad != 0) == (d.first_bad != 0));
}

/* Ranges are in order and disjoint, blocks not empty; what is found at an address is there. */
static void check_live(jit_code *j, const jit_process *p)
{
    const uint32_t pid = p->pid;
    const live_set *s = &p->live;
    uint64_t end = 0;
    size_t i;
    uint32_t k;
    for (i = 0; i < s->count; i++) {
        REQUIRE(s->entry[i].block->count != 0 && s->entry[i].block->count <= LIVE_BLOCK && s->entry[i].block->sets != 0);
        REQUIRE(s->entry[i].begin == s->entry[i].block->range[0].begin);
        for (k = 0; k < s->entry[i].block->count; k++) {
            const live_range *r = &s->entry[i].block->range[k];
            jitdump_record record;
            REQUIRE(r->begin >= end && r->begin < r->end && r->base <= r->begin);
            end = r->end;
            REQUIRE(jit_at(j, pid, r->begin) == r && jit_at(j, pid, r->end - 1) == r);
            REQUIRE(r->function == JIT_AMBIGUOUS || jit_load(j, r->function, &record));
            if (r->function != JIT_AMBIGUOUS) REQUIRE(r->end - r->base <= record.size);
        }
    }
}

static void check_all(jit_code *j)
{
    size_t i;
    for (i = 0; i < j->processes; i++) {
        REQUIRE(i == 0 || j->process[i - 1].pid < j->process[i].pid);
        check_live(j, &j->process[i]);
    }
}

/* Something that the kernel says, of few processes. Returns 0: out of memory. */
static int say(jit_code *j, unsigned b)
{
    static const char *const paths[] = { "/lib/x.so", "//anon", "/tmp/jit-2000.dump", "" };
    csspgo_sample sample;
    csspgo_mmap map;
    const uint32_t pid = j->file[0].pid;
    memset(&sample, 0, sizeof sample);
    memset(&map, 0, sizeof map);
    sample.pid = sample.tid = pid + (b >> 3 & 3);
    map.pid = pid + (b >> 5 & 3);
    map.path = paths[b >> 5 & 3];
    map.path_size = strlen(map.path);
    map.executable = b >> 7;
    map.size = UINT64_C(1) << (b & 63);
    switch (b & 7) {
    case 0: return jit_event(j, CSSPGO_ITEM_MMAP, &sample, &map);
    case 1: case 2: case 3: return jit_event(j, CSSPGO_ITEM_FORK, &sample, &map);
    case 4: return jit_event(j, CSSPGO_ITEM_COMM, &sample, &map);
    case 5: return jit_event(j, CSSPGO_ITEM_EXIT, &sample, &map);
    default: return 1;
    }
}

/* Applies all records, one time after the other. Returns 0: out of memory. */
static int play(jit_code *j, unsigned how, unsigned b)
{
    size_t i;
    jit_restart(j);
    if (how & 2 && !jit_without_times(j)) return 0;
    for (i = 0; i < j->functions; i++) {
        REQUIRE(i == 0 || j->function[i - 1].time <= j->function[i].time);
        if (!jit_advance(j, j->function[i].time) || !say(j, b * (unsigned)(i + 1))) return 0;
        if (i < 16) check_all(j);
    }
    check_all(j);
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    jit_code *j;
    char why[80];
    int ok, twice;
    memset(&heap, 0, sizeof heap);
    if (size < 3) return 0;
    file_data = data + 3;
    file_size = size - 3;
    if (!(data[0] & 1)) read_records();
    heap.fail_at = data[1];
    j = (jit_code *)fuzz_calloc(1, sizeof *j);
    if (j == NULL) return 0;
    ok = jit_add_file(j, "perf-7.map", data[0] & 1, why, sizeof why);
    for (twice = 0; ok && twice < 2; twice++) ok = play(j, data[0], data[2]);
    REQUIRE(heap.peak <= 16 * size + (1u << 20));
    jit_free(j);
    REQUIRE(heap.live == 0);
    return 0;
}
