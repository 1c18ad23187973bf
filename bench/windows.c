/* windows.c - cuts perf-script text out of a taken-branch stream: every sample is a true window of what the program did
 *
 *     windows TRACE PROGRAM SAMPLES [PERIOD [SEED]] > script
 *
 * Each sample has the 32 newest branches and the exact call stack at that moment (a shadow stack over the stream's
 * calls and returns). PERIOD branches lie between samples (default: the stream's length over SAMPLES), varied by up to
 * 25 % with a fixed seed, or with SEED; at the stream's end it starts over at another phase. 0 samples: it stops there.
 */
#define _GNU_SOURCE
#include "trace.h"
#include "../examples/elf.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { DEPTH = 32, MAX_STACK = 127, CALL = 4, RET = 5 };

static const void *map_file(const char *path, size_t *size)
{
    struct stat st;
    const int fd = open(path, O_RDONLY);
    void *p;
    if (fd < 0 || fstat(fd, &st) != 0) { perror(path); exit(1); }
    p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED) { perror(path); exit(1); }
    close(fd);
    *size = (size_t)st.st_size;
    return p;
}

static void print_mappings(const char *program)
{
    elf_image elf;
    elf_segment s;
    size_t size;
    uint32_t i;
    const void *data = map_file(program, &size);
    if (!elf_open(data, size, &elf, NULL, 0)) { fprintf(stderr, "%s: not ELF\n", program); exit(1); }
    for (i = 0; i < elf.segment_count; i++) {
        if (!elf_segment_at(&elf, i, &s) || s.type != ELF_LOAD || !(s.flags & ELF_FLAG_X)) continue;
        printf("PERF_RECORD_MMAP2 100/100: [0x%llx(0x%llx) @ 0x%llx 08:01 1 1]: r-xp %s\n",
               (unsigned long long)(s.address & ~4095ull), (unsigned long long)((s.memory_size + 8191) & ~4095ull),
               (unsigned long long)(s.offset & ~4095ull), program);
    }
}

static uint64_t random_state = 88172645463325252u;
static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

int main(int argc, char **argv)
{
    size_t size, depth = 0, depth_cap = 1 << 20;
    const trace_header *h;
    const uint32_t *id;
    const trace_edge *edge;
    uint64_t n, period, i = 0, next, made = 0, *stack;
    if (argc < 4) { fprintf(stderr, "usage: windows TRACE PROGRAM SAMPLES [PERIOD [SEED]]\n"); return 2; }
    h = (const trace_header *)map_file(argv[1], &size);
    if (size < sizeof *h || memcmp(h->magic, TRACE_MAGIC, 8) != 0 || h->branches <= DEPTH) {
        fprintf(stderr, "%s: no trace\n", argv[1]);
        return 1;
    }
    id = (const uint32_t *)(h + 1);
    edge = (const trace_edge *)(const void *)((const char *)(id + h->branches));
    if ((const char *)(edge + h->edges) != (const char *)h + size) {
        fprintf(stderr, "%s: cut off\n", argv[1]);
        return 1;
    }
    n = strtoull(argv[3], NULL, 10);
    period = argc > 4 ? strtoull(argv[4], NULL, 10) : h->branches / (n != 0 ? n : 1);
    if (period == 0) period = 1;
    if (argc > 5) random_state += 7919 * strtoull(argv[5], NULL, 10);
    stack = (uint64_t *)malloc(depth_cap * sizeof *stack);
    if (stack == NULL) return 1;
    print_mappings(argv[2]);
    for (next = argc > 5 ? DEPTH + next_random() % period : DEPTH; n == 0 || made < n; i++) {
        trace_edge e;
        size_t k;
        if (i == h->branches && n == 0) break;
        if (i == h->branches) {                       /* once more, from another phase */
            i = depth = 0;
            next = DEPTH + next_random() % period;
        }
        memcpy(&e, &edge[id[i]], sizeof e);
        if (e.kind == CALL && depth < depth_cap) stack[depth++] = e.from + e.size;
        if (e.kind == RET) {
            for (k = depth; k != 0 && stack[k - 1] != e.to; k--) {}
            if (k != 0) depth = k - 1;
        }
        if (i < next) continue;
        printf("\t%16llx\n", (unsigned long long)e.to);
        for (k = depth; k != 0 && depth - k < MAX_STACK; k--) printf("\t%16llx\n", (unsigned long long)stack[k - 1]);
        for (k = 0; k < DEPTH; k++) {
            memcpy(&e, &edge[id[i - k]], sizeof e);
            printf(" 0x%llx/0x%llx/P/-/-/0 ", (unsigned long long)e.from, (unsigned long long)e.to);
        }
        fputs("\n\n", stdout);
        made++;
        next = i + 1 + period - period / 4 + (period >= 2 ? next_random() % (period / 2) : 0);
    }
    return 0;
}
