/*
 * The branch records of a CPU, as its kernel would put them into ring buffers: the samples of a perf script, in two
 * small rings that wrap, with what each maker's records look like. record_rings MAKER SCRIPT OUTPUT [follow]
 */
#include "../examples/tool/record/record.h"

enum { SIZE = 1 << 14 };

static uint64_t ring_data[2][SIZE / 8];
static struct perf_event_mmap_page pages[2];
static unsigned char record[1 << 16];
static size_t record_size;

static void put(const void *bytes, size_t size)
{
    memcpy(record + record_size, bytes, size);
    record_size += size;
}

static void put_number(uint64_t n) { put(&n, 8); }
static void put_pair(uint32_t a, uint32_t b) { put(&a, 4); put(&b, 4); }

static void begin(uint32_t type, uint16_t misc)
{
    struct perf_event_header h;
    h.type = type;
    h.misc = misc;
    h.size = 0;
    record_size = 0;
    put(&h, sizeof h);
}

/* Into the ring of a CPU, if there is room. */
static int end(int cpu)
{
    const uint16_t size = (uint16_t)record_size;
    size_t i;
    if (pages[cpu].data_head + record_size - pages[cpu].data_tail > SIZE) return 0;
    memcpy(record + offsetof(struct perf_event_header, size), &size, sizeof size);
    for (i = 0; i < record_size; i++) {
        ((unsigned char *)ring_data[cpu])[(pages[cpu].data_head + i) % SIZE] = record[i];
    }
    pages[cpu].data_head += record_size;
    return 1;
}

static void put_event_end(uint32_t pid, uint64_t time)
{
    put_pair(pid, pid);
    put_number(time);
}

static void put_map(const csspgo_mmap *m, uint32_t pid, uint64_t time)
{
    static const char zeros[8];
    begin(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
    put_pair(pid, pid);
    put_number(m->address);
    put_number(m->size);
    put_number(m->file_offset);
    put_number(0);
    put_number(0);
    put_number(0);
    put_pair(PROT_READ | PROT_EXEC, MAP_PRIVATE);
    put(m->path, m->path_size);
    put(zeros, 8 - record_size % 8);
    put_event_end(pid, time);
}

/* Flags as each maker's driver sets them; AMD with a branch that was speculated on a wrong path, Arm with half a record. */
static void put_sample(const csspgo_sample *x, const char *maker, uint32_t pid, uint64_t time)
{
    const int intel = strcmp(maker, "intel") == 0, amd = strcmp(maker, "amd") == 0;
    const uint32_t depth = intel ? 32 : amd ? 16 : 8, n = x->branch_count < depth - 1 ? x->branch_count : depth - 1;
    uint32_t i;
    begin(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    put_number(x->stack[0]);
    put_pair(pid, pid);
    put_number(time);
    put_number(x->stack_count + 1);
    put_number((uint64_t)PERF_CONTEXT_USER);
    put(x->stack, x->stack_count * 8);
    put_number(n + (intel ? 0 : 1));
    for (i = 0; i < n; i++) {
        put_number(x->branches[i].from);
        put_number(x->branches[i].to);
        if (intel) put_number((uint64_t)(i & 1 ? 1 : 2) | 17u << 4 | 4u << 20);
        else if (amd) put_number(2 | (uint64_t)(i & 1 ? 2 : 3) << 24);
        else put_number(2 | (uint64_t)(i + 1) << 4 | (uint64_t)(i % 3 + 1) << 20 | (uint64_t)1 << 30);
    }
    if (!intel) {
        put_number(amd ? x->branches[n - 1].to + 64 : 0);
        put_number(amd ? x->branches[n - 1].to : x->branches[n - 1].from);
        put_number(amd ? 2 | (uint64_t)1 << 24 : 0);
    }
}

int main(int count, char **value)
{
    static recorder r;
    static tool_context tool;
    static rec_cpu_ring ring[2];
    csspgo_script *s = csspgo_script_new(NULL, NULL, NULL);
    csspgo_sample x;
    csspgo_mmap map;
    csspgo_item item;
    rec_rings w;
    char *text = (char *)malloc(1 << 20);
    FILE *in = fopen(value[2], "rb");
    uint64_t time = 1000000000, other = 0;
    size_t size;
    if (count < 4 || in == NULL || text == NULL || s == NULL) return 2;
    memset(&w, 0, sizeof w);
    tool.program = "record_rings";
    tool.out = stdout;
    tool.err = stderr;
    r.tool = &tool;
    r.o.output = value[3];
    r.o.depth = 32;
    r.o.max_stack = REC_STACK;
    r.o.period = 1009;
    r.o.follow = count > 4;
    r.o.program = value + 2;
    r.hardware.size = sizeof r.hardware;
    r.hardware.type = PERF_TYPE_HARDWARE;
    r.hardware.config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
    r.bounce = malloc(REC_BOUNCE);
    r.out = fopen(value[3], "wb");
    if (r.out == NULL || r.bounce == NULL || !rec_output_begin(&r)) return 2;
    w.r = &r;
    w.rings = ring;
    w.count = 2;
    w.first = 4200001;
    for (size = 0; size < 2; size++) {
        ring[size].page = &pages[size];
        rec_set_ring(&w, &ring[size], ring_data[size], SIZE);
    }
    size = fread(text, 1, 1 << 20, in);
    csspgo_script_feed(s, text, size, NULL);
    csspgo_script_end(s);
    begin(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
    put_pair(4200001, 4200001);
    put("demo\0\0\0", 8);
    put_event_end(4200001, 999999999);
    end(1);
    while ((item = csspgo_script_next(s, &x, &map, NULL)) != CSSPGO_ITEM_NONE) {
        const int cpu = (int)(time >> 4 & 1);
        time += 16;
        if (item == CSSPGO_ITEM_MMAP) put_map(&map, 4200001, time);
        else if (item == CSSPGO_ITEM_SAMPLE && x.branch_count != 0 && x.stack_count != 0) put_sample(&x, value[1], 4200001, time);
        else continue;
        while (!end(cpu)) rec_take_records(&w, time - 16);
        if (item == CSSPGO_ITEM_MMAP || other++ % 50 != 0) continue;
        put_sample(&x, value[1], 4200002, ++time);            /* a child */
        while (!end(1 - cpu)) rec_take_records(&w, time - 16);
    }
    begin(PERF_RECORD_LOST, 0);
    put_number(1);
    put_number(3);
    put_event_end(4200001, time);
    while (!end(0)) rec_take_records(&w, time - 16);
    rec_take_records(&w, UINT64_MAX);
    rec_output_end(&r);
    fclose(in);
    if (fclose(r.out) != 0) return 2;
    printf("%llu samples, %llu lost, %d left\n", (unsigned long long)r.samples,
           (unsigned long long)(ring[0].ring.lost + ring[1].ring.lost),
           pages[0].data_tail != pages[0].data_head || pages[1].data_tail != pages[1].data_head);
    csspgo_script_free(s);
    free(text);
    free(r.bounce);
    free(r.data.record);
    return 0;
}
