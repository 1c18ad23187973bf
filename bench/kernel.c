/* kernel.c - perf-script text of walks through a kernel's code: every sample is what a processor could have recorded
 *
 *     kernel VMLINUX SAMPLES > script
 *
 * A walk begins at a random function, goes on through the code as decoded, and ends after 4,096 branches. A conditional
 * branch has a probability of its own, an indirect call three targets. The code is taken as the kernel patches it when
 * it starts: calls of __fentry__ do nothing, thunks of returns are returns, those of indirect calls are indirect calls
 * (shorter than what they replace), and one in four static keys is on. Addresses are moved, as KASLR does. A sample
 * has the 32 newest branches and the call stack. Seeds are fixed.
 */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_STATIC
#define CSSPGO_ALL
#include "../csspgo.h"
#include "../examples/elf.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { DEPTH = 32, MAX_STACK = 100, WALK = 4096 };
#define MOVED UINT64_C(0x1a000000)
#define JUMP_ENTRY 16u                                /* bytes: code and target as distances, key */

typedef struct walker {
    const unsigned char *code;                        /* .text */
    uint64_t begin, end, fentry, ret, *start, *key;   /* functions; where static keys are, and where they jump */
    uint32_t starts, keys;
    unsigned char thunk[1 << 16];                     /* of indirect calls, by their address / 16: a register's bytes */
    uint64_t thunks;                                  /* the first of them */
    uint64_t from[DEPTH], to[DEPTH], stack[MAX_STACK], branches;
    uint32_t depth, left;                             /* left: branches to the end of this walk */
} walker;

static uint64_t random_state = 88172645463325252u;
static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static uint64_t mix(uint64_t a)
{
    a = (a ^ a >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return a ^ a >> 29;
}

static void die(const char *what)
{
    fprintf(stderr, "kernel: %s\n", what);
    exit(1);
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int named(const elf_symbol *s, const char *name)
{
    return s->name_size == strlen(name) && memcmp(s->name, name, s->name_size) == 0;
}

static const unsigned char *contents(const elf_image *elf, uint64_t address, uint64_t size)
{
    elf_segment s;
    uint32_t i;
    for (i = 0; i < elf->segment_count; i++)
        if (elf_segment_at(elf, i, &s) && s.type == ELF_LOAD && s.contents != NULL && address >= s.address &&
            size <= s.file_size && address - s.address <= s.file_size - size)
            return s.contents + (address - s.address);
    die("no such bytes");
    return NULL;
}

/* Static keys, sorted by the address of their code; code + size: one address is no jump. */
static void take_keys(walker *w, const elf_image *elf, uint64_t begin, uint64_t end)
{
    const unsigned char *p = contents(elf, begin, end - begin);
    uint64_t at;
    w->key = (uint64_t *)calloc((size_t)((end - begin) / JUMP_ENTRY + 1), 2 * sizeof *w->key);
    if (w->key == NULL) die("memory");
    for (at = begin; at + JUMP_ENTRY <= end; at += JUMP_ENTRY, p += JUMP_ENTRY) {
        w->key[2 * w->keys] = at + (uint64_t)(int64_t)(int32_t)elf__32(p);
        w->key[2 * w->keys + 1] = at + 4 + (uint64_t)(int64_t)(int32_t)elf__32(p + 4);
        w->keys++;
    }
    qsort(w->key, w->keys, 2 * sizeof *w->key, compare);
}

static void take_symbols(walker *w, const elf_image *elf)
{
    static const char thunk[] = "__x86_indirect_thunk_r";
    uint64_t keys_begin = 0, keys_end = 0;
    elf_symbol s;
    uint32_t i;
    int k;
    w->start = (uint64_t *)calloc(elf->symbol_count, sizeof *w->start);
    if (w->start == NULL) die("memory");
    for (k = 0; k < 2; k++)
        for (i = 0; i < elf->symbol_count; i++) {
            if (!elf_symbol_at(elf, i, &s)) continue;
            if (named(&s, "__start___jump_table")) keys_begin = s.value;
            if (named(&s, "__stop___jump_table")) keys_end = s.value;
            if (s.value < w->begin || s.value >= w->end) continue;
            if (named(&s, "__fentry__")) w->fentry = s.value;
            else if (named(&s, "__x86_return_thunk")) w->ret = s.value;
            else if (s.name_size > sizeof thunk - 1 && memcmp(s.name, thunk, sizeof thunk - 1) == 0) {
                const uint64_t at = (s.value - w->thunks) / 16;
                if (k == 0 && (w->thunks == 0 || s.value < w->thunks)) w->thunks = s.value;
                else if (k != 0 && at < sizeof w->thunk) w->thunk[at] = s.name[sizeof thunk - 1] <= '9' ? 3 : 2;
            } else if (k == 0 && s.type == ELF_FUNC && s.size >= 32)
                w->start[w->starts++] = s.value;
        }
    if (w->starts == 0) die("no functions");
    if (keys_end > keys_begin) take_keys(w, elf, keys_begin, keys_end);
}

static void take(walker *w, uint64_t from, uint64_t to)
{
    w->from[w->branches % DEPTH] = from;
    w->to[w->branches++ % DEPTH] = to;
    w->left--;
}

static uint64_t key_target(const walker *w, uint64_t pc)
{
    const uint64_t *k = (const uint64_t *)bsearch(&pc, w->key, w->keys, 2 * sizeof *w->key, compare);
    return k != NULL && mix(pc) % 4 == 0 ? k[1] : 0;
}

static uint64_t any_function(const walker *w, uint64_t site)
{
    return w->start[mix(site + next_random() % 3) % w->starts];
}

static uint64_t call(walker *w, uint64_t pc, uint64_t after, uint64_t to)
{
    if (w->depth == MAX_STACK) return 0;
    w->stack[w->depth++] = after;
    take(w, pc, to);
    return to;
}

static uint64_t jump(walker *w, uint64_t pc, uint64_t to)
{
    if (w->branches != 0 && pc == w->from[(w->branches - 1) % DEPTH]) return 0;      /* a loop without an end */
    if (to == w->ret) {
        if (w->depth == 0) return 0;
        to = w->stack[--w->depth];
    } else if (to >= w->thunks && (to - w->thunks) / 16 < sizeof w->thunk && w->thunk[(to - w->thunks) / 16] != 0)
        to = any_function(w, pc);
    take(w, pc, to);
    return to;
}

/* From one instruction to the next; 0: the walk is over. */
static uint64_t step(walker *w, uint64_t pc)
{
    static const unsigned char odds[] = { 3, 8, 25, 50, 75, 92, 97 };
    csspgo_insn i;
    uint64_t to;
    if (pc < w->begin || pc >= w->end || w->left == 0) return 0;
    if (csspgo_decode_x86_64(w->code + (pc - w->begin), (size_t)(w->end - pc), pc, &i) == 0) return 0;
    if (i.size >= 2 && (i.size == 5 || i.size == 2) && i.kind != CSSPGO_CALL && (to = key_target(w, pc)) != 0)
        return take(w, pc, to), to;
    switch (i.kind) {
    case CSSPGO_COND:
        if (next_random() % 100 >= odds[mix(pc) % sizeof odds]) break;
        return take(w, pc, i.target), i.target;
    case CSSPGO_JMP: return jump(w, pc, i.target);
    case CSSPGO_IJMP: return jump(w, pc, any_function(w, pc));
    case CSSPGO_RET: return jump(w, pc, w->ret);
    case CSSPGO_CALL:
        if (!i.has_target) return call(w, pc, pc + i.size, any_function(w, pc));
        if (i.target == w->fentry) break;
        to = i.target - w->thunks;
        if (i.target >= w->thunks && to / 16 < sizeof w->thunk && w->thunk[to / 16] != 0)
            return call(w, pc, pc + w->thunk[to / 16], any_function(w, pc));
        return call(w, pc, pc + i.size, i.target);
    default: break;
    }
    return pc + i.size;
}

static void print_sample(const walker *w)
{
    uint64_t k;
    printf("\t%16llx\n", (unsigned long long)(w->to[(w->branches - 1) % DEPTH] + MOVED));
    for (k = w->depth; k != 0; k--) printf("\t%16llx\n", (unsigned long long)(w->stack[k - 1] + MOVED));
    for (k = 1; k <= DEPTH && k <= w->branches; k++)
        printf(" 0x%llx/0x%llx/P/-/-/0 ", (unsigned long long)(w->from[(w->branches - k) % DEPTH] + MOVED),
               (unsigned long long)(w->to[(w->branches - k) % DEPTH] + MOVED));
    fputs("\n\n", stdout);
}

static const void *map_file(const char *path, size_t *size)
{
    struct stat st;
    const int fd = open(path, O_RDONLY);
    void *p;
    if (fd < 0 || fstat(fd, &st) != 0) die("no such file");
    p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED) die("file cannot be mapped");
    *size = (size_t)st.st_size;
    return p;
}

int main(int argc, char **argv)
{
    static walker w;
    elf_image elf;
    elf_section text;
    size_t size;
    uint64_t made = 0, n, pc = 0, next = DEPTH;
    const void *data;
    if (argc != 3) return fprintf(stderr, "usage: kernel VMLINUX SAMPLES\n"), 2;
    data = map_file(argv[1], &size);
    if (!elf_open(data, size, &elf, NULL, 0) || !elf_section_named(&elf, ".text", &text) || text.contents == NULL)
        die("no code");
    w.code = text.contents, w.begin = text.address, w.end = text.address + text.size;
    take_symbols(&w, &elf);
    n = strtoull(argv[2], NULL, 10);
    printf("PERF_RECORD_MMAP -1/0: [0x%llx(0x%llx) @ 0x%llx]: x [kernel.kallsyms]_text\n",
           (unsigned long long)(w.begin + MOVED), (unsigned long long)text.size, (unsigned long long)(w.begin + MOVED));
    while (made < n) {
        uint64_t before;
        if (pc == 0) {
            w.depth = 0, w.branches = 0, w.left = WALK, next = DEPTH + next_random() % 64;
            pc = any_function(&w, next_random() % 4096);
        }
        before = w.branches;
        pc = step(&w, pc);
        if (pc == 0 || w.branches == before || w.branches < next) continue;
        print_sample(&w);
        made++;
        next = w.branches + 64 + next_random() % 64;
    }
    return 0;
}
