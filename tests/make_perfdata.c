/*
 * Makes a perf.data of a script: make_perfdata (file|pipe|branches) <SCRIPT >PERF.DATA. In this machine's byte order,
 * one event, with mappings, call stacks and branch records; branches: a file without call stacks, for perf2bolt.
 */
#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char  *bytes;
static size_t used, room;
static int    stacks;

static void put(const void *p, size_t n)
{
    if (used + n > room) {
        room = (used + n) * 2;
        bytes = (char *)realloc(bytes, room);
        if (bytes == NULL) exit(1);
    }
    memcpy(bytes + used, p, n);
    used += n;
}

static void put64(uint64_t v) { put(&v, 8); }
static void put32(uint32_t v) { put(&v, 4); }

/* The header of a record. mode: 1 of the kernel, 2 of a user. Returns where it is, for end(). */
static size_t begin(uint32_t type, uint32_t mode)
{
    put32(type);
    put32(mode);                                           /* size: to come */
    return used - 8;
}

static void end(size_t at)
{
    const uint16_t size = (uint16_t)(used - at);
    memcpy(bytes + at + 6, &size, 2);
}

/* perf_event_attr: of samples with IP, TID, TIME, perhaps CALLCHAIN, and BRANCH_STACK. */
static void put_attr(void)
{
    uint64_t attr[16] = { (uint64_t)128 << 32, 0, 1000, 1 | 2 | 4 | 2048, 0, 0, 0, 0, 0, 8 };
    if (stacks) attr[3] |= 32;
    put(attr, sizeof attr);
}

static int is_kernel(uint64_t address) { return address >> 63 != 0; }

/* A stack: before the frames of the kernel stands -128, before those of a user -512. */
static void put_stack(const csspgo_sample *s)
{
    uint32_t i, n = 0;
    for (i = 0; i < s->stack_count; i++) n += i == 0 || is_kernel(s->stack[i]) != is_kernel(s->stack[i - 1]);
    put64(s->stack_count + n);
    for (i = 0; i < s->stack_count; i++) {
        if (i == 0 || is_kernel(s->stack[i]) != is_kernel(s->stack[i - 1]))
            put64((uint64_t)(is_kernel(s->stack[i]) ? -128 : -512));
        put64(s->stack[i]);
    }
}

static void put_sample(const csspgo_sample *s, uint64_t time)
{
    const size_t at = begin(9, is_kernel(s->stack[0]) ? 1 : 2);
    uint32_t i;
    put64(s->stack[0]);
    put32(1);
    put32(1);
    put64(time);
    if (stacks) put_stack(s);
    put64(s->branch_count);
    for (i = 0; i < s->branch_count; i++) {
        put64(s->branches[i].from);
        put64(s->branches[i].to);
        put64(s->branches[i].from & 8 ? 1 : 2);           /* mispredicted; predicted */
    }
    end(at);
}

static void put_map(const csspgo_mmap *m)
{
    const size_t at = begin(stacks ? 1 : 10, is_kernel(m->address) ? 1 : 2);    /* perf2bolt wants MMAP2 */
    put32(is_kernel(m->address) ? UINT32_MAX : 1);
    put32(is_kernel(m->address) ? 0 : 1);
    put64(m->address);
    put64(m->size);
    put64(m->file_offset);
    if (!stacks) put("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\5\0\0\0\2\0\0\0", 32);   /* r-x */
    put(m->path, m->path_size);
    put("\0\0\0\0\0\0\0\0", 8 - m->path_size % 8);
    end(at);
}

int main(int argc, char **argv)
{
    static char text[1 << 16];
    size_t size;
    csspgo_script *s = csspgo_script_new(NULL, NULL, NULL);
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_item item;
    uint64_t data, time = 1000;
    if (argc != 2 || s == NULL) return 2;
    stacks = strcmp(argv[1], "branches") != 0;
    put("PERFILE2", 8);
    if (strcmp(argv[1], "pipe") == 0) {
        size_t at;
        put64(16);
        at = begin(64, 2);
        put_attr();
        end(at);
    } else {
        const uint64_t header[] = { 104, 144, 104, 144, 248, 0, 0, 0, 0, 0, 0, 0 };
        put(header, sizeof header);
        put_attr();
        put64(0);
        put64(0);                                          /* no identities */
    }
    data = used;
    do {
        size = fread(text, 1, sizeof text, stdin);
        csspgo_script_feed(s, text, size, NULL);
        if (size == 0) csspgo_script_end(s);
        while ((item = csspgo_script_next(s, &sample, &map, NULL)) != CSSPGO_ITEM_NONE) {
            if (item == CSSPGO_ITEM_MMAP) put_map(&map);
            if (item == CSSPGO_ITEM_SAMPLE && sample.stack_count != 0) put_sample(&sample, time++);
        }
    } while (size != 0);
    csspgo_script_free(s);
    data = used - data;
    if (strcmp(argv[1], "pipe") != 0) memcpy(bytes + 48, &data, 8);
    return fwrite(bytes, 1, used, stdout) != used;
}
