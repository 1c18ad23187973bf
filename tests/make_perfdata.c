/*
 * Makes a perf.data of a script: make_perfdata (file|pipe|branches) [EVENT...] <SCRIPT >PERF.DATA. In this machine's
 * byte order, with mappings, call stacks and branch records; branches: a file without call stacks, for perf2bolt.
 *
 * Without EVENT there is one, without ids. EVENT is TYPE,CONFIG,FILTER[,NAME]: type, config and branch_sample_type in
 * hexadecimal; the samples are of one event after the other. Two words more stand for samples between: "unknown" are of
 * no event, "guest" of a guest of the machine.
 */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 8, UNKNOWN = 1, GUEST = 2, ROUND = 512 };

typedef struct event {
    unsigned type, config, filter, what;
    char     name[64];
    unsigned number;              /* among those that are described, from 0 on */
} event;

static char  *bytes;
static size_t used, room;
static int    stacks;
static event  events[EVENTS];
static int    given, described;   /* events; of which the file tells           */

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

/* perf_event_attr: of samples with IP, TID, TIME, perhaps CALLCHAIN, and BRANCH_STACK; of several with IDENTIFIER. */
static void put_attr(const event *e)
{
    uint64_t attr[16] = { (uint64_t)128 << 32, 0, 1000, 1 | 2 | 4 | 2048, 0, 0, 0, 0, 0, 8 };
    if (stacks) attr[3] |= 32;
    if (e != NULL) {
        attr[0] |= e->type;
        attr[1] = e->config;
        attr[3] |= 0x10000;
        attr[9] = e->filter;
    }
    put(attr, sizeof attr);
}

/* Each event has the ids of two CPUs. */
static uint64_t id_of(const event *e, unsigned cpu) { return e->what == UNKNOWN ? 999 : 100 + 10 * e->number + cpu; }

static void put_ids(const event *e)
{
    put64(id_of(e, 0));
    put64(id_of(e, 1));
}

/* The feature EVENT_DESC. */
static void put_names(void)
{
    int i;
    put32((uint32_t)described);
    put32(128);
    for (i = 0; i < given; i++) {
        if (events[i].what != 0) continue;
        put_attr(&events[i]);
        put32(2);
        put32(64);
        put(events[i].name, 64);
        put_ids(&events[i]);
    }
}

static int parse_event(const char *text, event *e)
{
    memset(e, 0, sizeof *e);
    e->number = (unsigned)described;
    e->what = strcmp(text, "unknown") == 0 ? UNKNOWN : strcmp(text, "guest") == 0 ? GUEST : 0;
    if (e->what != 0) return 1;
    described++;
    return sscanf(text, "%x,%x,%x,%63[^\n]", &e->type, &e->config, &e->filter, e->name) >= 3;
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

/* The first sample is of the first event. */
static void put_sample(const csspgo_sample *s, uint64_t time)
{
    const event *e = given != 0 ? &events[(time - 1) % (unsigned)given] : NULL;
    const size_t at = begin(9, e != NULL && e->what == GUEST ? 5 : is_kernel(s->stack[0]) ? 1 : 2);
    uint32_t i;
    if (e != NULL) put64(id_of(e->what == GUEST ? &events[0] : e, time / 3 % 2 != 0));
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
    uint64_t data, time = 0;
    int i;
    if (argc < 2 || argc - 2 > EVENTS || s == NULL) return 2;
    for (i = 2; i < argc; i++)
        if (!parse_event(argv[i], &events[given++])) return 2;
    stacks = strcmp(argv[1], "branches") != 0;
    put("PERFILE2", 8);
    if (strcmp(argv[1], "pipe") == 0) {
        size_t at;
        put64(16);
        for (i = 0; i < given || i == 0; i++) {
            if (given != 0 && events[i].what != 0) continue;
            at = begin(64, 2);
            put_attr(given != 0 ? &events[i] : NULL);
            if (given != 0) put_ids(&events[i]);
            end(at);
        }
        if (given != 0) {
            at = begin(80, 0);
            put64(12);
            put_names();
            end(at);
        }
    } else {
        const uint64_t n = given != 0 ? (uint64_t)described : 1, ids = given != 0 ? 16 * n : 0;
        const uint64_t header[] = { 104, 144, 104 + ids, 144 * n, 104 + ids + 144 * n, 0, 0, 0, given != 0 ? 1 << 12 : 0,
                                    0, 0, 0 };
        put(header, sizeof header);
        for (i = 0; i < given; i++)
            if (events[i].what == 0) put_ids(&events[i]);
        for (i = 0; i < given || i == 0; i++) {
            if (given != 0 && events[i].what != 0) continue;
            put_attr(given != 0 ? &events[i] : NULL);
            put64(given != 0 ? 104 + 16 * events[i].number : 0);
            put64(given != 0 ? 16 : 0);
        }
    }
    data = used;
    do {
        size = fread(text, 1, sizeof text, stdin);
        csspgo_script_feed(s, text, size, NULL);
        if (size == 0) csspgo_script_end(s);
        while ((item = csspgo_script_next(s, &sample, &map, NULL)) != CSSPGO_ITEM_NONE) {
            if (item == CSSPGO_ITEM_MMAP) put_map(&map);
            if (item != CSSPGO_ITEM_SAMPLE || sample.stack_count == 0) continue;
            put_sample(&sample, ++time);
            if (time % ROUND == 0) end(begin(68, 0));      /* FINISHED_ROUND, as perf record does */
        }
    } while (size != 0);
    csspgo_script_free(s);
    data = used - data;
    if (strcmp(argv[1], "pipe") != 0) memcpy(bytes + 48, &data, 8);
    if (strcmp(argv[1], "pipe") != 0 && given != 0) {
        put64(used + 16);
        put64(8 + (uint64_t)described * (128 + 8 + 64 + 16));
        put_names();
    }
    return fwrite(bytes, 1, used, stdout) != used;
}
