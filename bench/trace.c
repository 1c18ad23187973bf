/* trace.c - records every taken branch of a program: a TCG plugin for qemu-x86_64 (user mode)
 *
 *     cc -O2 -fPIC -shared -o trace.so trace.c
 *     qemu-x86_64 -plugin ./trace.so,out=FILE,start=0xADDRESS,max=N PROGRAM arguments
 *
 *   out     the stream, see trace.h
 *   start   recording begins when this address is first reached (address of main; programs linked at fixed addresses)
 *   max     the program ends after that many branches
 *
 * For single-threaded programs. qemu is packaged without its plugin header, so what is used of it is declared here.
 */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_STATIC
#define CSSPGO_ALL
#include "../csspgo.h"
#include "trace.h"

struct qemu_tb;
struct qemu_insn;
extern void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*cb)(uint64_t, struct qemu_tb *));
extern void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_tb *tb, void (*cb)(unsigned, void *), int flags,
                                                 void *ctx);
extern void qemu_plugin_register_atexit_cb(uint64_t id, void (*cb)(uint64_t, void *), void *ctx);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_tb *tb);
extern uint64_t qemu_plugin_tb_vaddr(const struct qemu_tb *tb);
extern struct qemu_insn *qemu_plugin_tb_get_insn(const struct qemu_tb *tb, size_t i);
extern const void *qemu_plugin_insn_data(const struct qemu_insn *insn);
extern size_t qemu_plugin_insn_size(const struct qemu_insn *insn);
extern uint64_t qemu_plugin_insn_vaddr(const struct qemu_insn *insn);
#define EXPORT __attribute__((visibility("default")))
EXPORT extern int qemu_plugin_version;
EXPORT int qemu_plugin_version = 1;

static uint64_t mix(uint64_t a, uint64_t b)
{
    a = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    return a ^ a >> 29;
}

/* A translated block; the ids of the two edges last taken from its end are kept at hand. */
typedef struct block {
    uint64_t begin, last, end;    /* first and last instruction, first byte behind */
    uint32_t kind, size;          /* of the last one */
    uint64_t to[2];
    uint32_t id[2], turn;
} block;

static FILE *out;
static uint64_t start, max_branches = UINT64_MAX, recorded;
static int recording;
static block *previous;
static trace_edge *edges;
static uint32_t edge_count, edge_cap, *slot, slot_mask;
static uint32_t buffer[1 << 16];
static size_t buffered;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static uint32_t edge_hash(uint64_t from, uint64_t to)
{
    const uint64_t h = (from * UINT64_C(0x9E3779B97F4A7C15) ^ to) * UINT64_C(0xD6E8FEB86659FD93);
    return (uint32_t)(h >> 32);
}

static void grow(void)
{
    uint32_t i;
    edge_cap = edge_cap != 0 ? edge_cap * 2 : 4096;
    edges = (trace_edge *)realloc(edges, edge_cap * sizeof *edges);
    slot_mask = edge_cap * 2 - 1;
    free(slot);
    slot = (uint32_t *)calloc((size_t)slot_mask + 1, sizeof *slot);
    if (edges == NULL || slot == NULL) die("memory");
    for (i = 0; i < edge_count; i++) {
        uint32_t k = edge_hash(edges[i].from, edges[i].to) & slot_mask;
        while (slot[k] != 0) k = (k + 1) & slot_mask;
        slot[k] = i + 1;
    }
}

static uint32_t edge_id(const block *b, uint64_t to)
{
    uint32_t k;
    if (edge_count == edge_cap) grow();
    for (k = edge_hash(b->last, to) & slot_mask; slot[k] != 0; k = (k + 1) & slot_mask)
        if (edges[slot[k] - 1].from == b->last && edges[slot[k] - 1].to == to) return slot[k] - 1;
    slot[k] = ++edge_count;
    edges[edge_count - 1].from = b->last;
    edges[edge_count - 1].to = to;
    edges[edge_count - 1].kind = b->kind;
    edges[edge_count - 1].size = b->size;
    return edge_count - 1;
}

static void flush(void)
{
    if (fwrite(buffer, sizeof *buffer, buffered, out) != buffered) die("trace");
    buffered = 0;
}

static void finish(void)
{
    trace_header h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, TRACE_MAGIC, 8);
    h.branches = recorded;
    h.edges = edge_count;
    flush();
    if (fwrite(edges, sizeof *edges, edge_count, out) != edge_count || fseek(out, 0, SEEK_SET) != 0 ||
        fwrite(&h, sizeof h, 1, out) != 1 || fclose(out) != 0)
        die("trace");
}

static void on_exit_of_program(uint64_t id, void *ctx)
{
    (void)id;
    (void)ctx;
    finish();
}

static void on_block(unsigned cpu, void *ctx)
{
    block *b = (block *)ctx, *p = previous;
    uint32_t i;
    (void)cpu;
    previous = b;
    if (!recording) {
        if (b->begin != start) return;
        recording = 1;
        return;
    }
    if (p == NULL || p->kind == CSSPGO_NONE || b->begin == p->end) return;
    i = p->to[0] == b->begin ? 0 : 1;
    if (p->to[i] != b->begin) {
        i = p->turn++ & 1;
        p->to[i] = b->begin;
        p->id[i] = edge_id(p, b->begin);
    }
    buffer[buffered++] = p->id[i];
    if (buffered == sizeof buffer / sizeof *buffer) flush();
    if (++recorded < max_branches) return;
    finish();
    _exit(0);
}

static void on_translation(uint64_t id, struct qemu_tb *tb)
{
    const size_t n = qemu_plugin_tb_n_insns(tb);
    struct qemu_insn *last = qemu_plugin_tb_get_insn(tb, n - 1);
    block *b = (block *)calloc(1, sizeof *b);
    csspgo_insn insn;
    (void)id;
    if (b == NULL) die("memory");
    b->begin = qemu_plugin_tb_vaddr(tb);
    b->last = qemu_plugin_insn_vaddr(last);
    b->end = b->last + qemu_plugin_insn_size(last);
    csspgo_decode_x86_64(qemu_plugin_insn_data(last), qemu_plugin_insn_size(last), b->last, &insn);
    b->kind = (uint32_t)insn.kind;
    b->size = (uint32_t)qemu_plugin_insn_size(last);
    qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, 0, b);
}

EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);
EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
    const trace_header none = { "", 0, 0 };
    int i;
    (void)info;
    for (i = 0; i < argc; i++) {
        if (strncmp(argv[i], "out=", 4) == 0) out = fopen(argv[i] + 4, "wb");
        else if (strncmp(argv[i], "start=", 6) == 0) start = strtoull(argv[i] + 6, NULL, 0);
        else if (strncmp(argv[i], "max=", 4) == 0) max_branches = strtoull(argv[i] + 4, NULL, 0);
        else return 1;
    }
    if (out == NULL || fwrite(&none, sizeof none, 1, out) != 1) return 1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_atexit_cb(id, on_exit_of_program, NULL);
    return 0;
}
