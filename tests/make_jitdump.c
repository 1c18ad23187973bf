/*
 * Makes recordings with code of JITs: DIR/perf.data, DIR/jit-PID.dump, and DIR/want.tsv: the function of each sample,
 * by a model that looks at everything there is.
 *
 *     make_jitdump random SEED DIR            processes that fork, exec and exit; load, move, replace and unmap code
 *     make_jitdump contexts DIR               two processes with different code at the same addresses, call stacks
 *     make_jitdump branches DIR               the same with branch records
 *     make_jitdump program DIR                a program, /x/w, that calls JIT code which calls it
 *     make_jitdump large FUNCTIONS SAMPLES HIT DIR   one process, for the bench: functions of 513 bytes with 12 lines;
 *                                             HIT of them have samples
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSES = 4, FIRST_PID = 2000, LIVE = 4096, PENDING = 4 };
enum { IP = 1, TID = 2, TIME = 4, CHAIN = 0x20, BRANCHES = 0x800 };

typedef struct file {
    FILE         *f;
    unsigned char record[1 << 16];
    size_t        used;
} file;

typedef struct live { uint64_t begin, end; unsigned index; } live;

static const char *dir;
static file data, dump[PROCESSES];
static live code[PROCESSES][LIVE];
static size_t count[PROCESSES];
static unsigned next_index = 1, sample_type, owner[LIVE];   /* by index: who loaded it, */
static uint64_t place[LIVE];                              /* and where its dump says that it is */
static uint64_t now = 1000, seed;

static uint32_t any(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + 1;
    return (uint32_t)(seed >> 33) % n;
}

static FILE *opened(const char *name)
{
    char path[4096];
    FILE *f;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if ((f = fopen(path, "wb")) == NULL) {
        perror(path);
        exit(1);
    }
    setvbuf(f, NULL, _IOFBF, 1 << 20);
    return f;
}

static void put(file *o, const void *p, size_t n) { memcpy(o->record + o->used, p, n); o->used += n; }
static void put32(file *o, uint32_t v) { put(o, &v, 4); }
static void put64(file *o, uint64_t v) { put(o, &v, 8); }

static void end(file *o)
{
    fwrite(o->record, 1, o->used, o->f);
    o->used = 0;
}

/* ----- perf.data ----- */

static void begin_data(unsigned type)
{
    const uint64_t header[13] = { 0, 104, 144, 104, 144, 248, 0 };
    const uint64_t flags = 1 << 18 | 1 << 8 | 1 << 13 | 1 << 23 | 1 << 24 | 1 << 25;
    const uint64_t attr[18] = { (uint64_t)128 << 32, 0, 1000, type, 0, flags, 0,
                                0, 0, type & BRANCHES ? 9 : 0, 0, (uint64_t)1 << 32 };
    data.f = opened("perf.data");
    sample_type = type;
    put(&data, header, sizeof header);
    memcpy(data.record, "PERFILE2", 8);
    put(&data, attr, sizeof attr);
    end(&data);
}

static void end_data(void)
{
    const uint64_t size = (uint64_t)ftell(data.f) - 248;
    fseek(data.f, 48, SEEK_SET);
    fwrite(&size, 8, 1, data.f);
    fclose(data.f);
}

static void begin_record(uint32_t type, uint32_t misc) { put32(&data, type); put32(&data, misc); }

static void end_record(unsigned pid)
{
    uint16_t size;
    while (data.used % 8 != 0) put(&data, "", 1);
    if (pid != 0) {
        put32(&data, pid);
        put32(&data, pid);
        put64(&data, now);
    }
    size = (uint16_t)data.used;
    memcpy(data.record + 6, &size, 2);
    end(&data);
}

static void map(unsigned pid, uint64_t address, uint64_t size, const char *path)
{
    begin_record(10, 2);
    put32(&data, pid);
    put32(&data, pid);
    put64(&data, address);
    put64(&data, size);
    put64(&data, 0);
    put64(&data, 0x1d00000000);
    put64(&data, 1001);
    put64(&data, 1);
    put32(&data, 5);
    put32(&data, 2);
    put(&data, path, strlen(path) + 1);
    end_record(pid);
}

static void task(uint32_t type, unsigned pid, unsigned parent)
{
    begin_record(type, 0);
    put32(&data, pid);
    put32(&data, parent);
    put32(&data, pid);
    put32(&data, parent);
    put64(&data, now);
    end_record(pid);
}

static void exec(unsigned pid)
{
    begin_record(3, 2 | 0x2000);
    put32(&data, pid);
    put32(&data, pid);
    put(&data, "vm", 3);
    end_record(pid);
}

static void sample(unsigned pid, const uint64_t *stack, size_t frames, const uint64_t *branches, size_t n)
{
    size_t i;
    begin_record(9, 2);
    put64(&data, stack[0]);
    put32(&data, pid);
    put32(&data, pid);
    put64(&data, now);
    if (sample_type & CHAIN) {
        put64(&data, frames + 1);
        put64(&data, (uint64_t)-512);
        for (i = 0; i < frames; i++) put64(&data, stack[i]);
    }
    if (sample_type & BRANCHES) {
        put64(&data, n);
        for (i = 0; i < n; i++) {
            put64(&data, branches[2 * i]);
            put64(&data, branches[2 * i + 1]);
            put64(&data, 2);
        }
    }
    end_record(0);
}

/* ----- dumps ----- */

static void begin_dump(unsigned process)
{
    const uint32_t pid = FIRST_PID + process, header[10] = { 0x4a695444, 1, 40, 62, 0, pid };
    char name[32], path[4096];
    snprintf(name, sizeof name, "jit-%u.dump", pid);
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (dump[process].f != NULL) return;
    dump[process].f = opened(name);
    fwrite(header, sizeof header, 1, dump[process].f);
    map(pid, 0x7ffff7000000 + process * 0x10000, 0x1000, path);
}

static void begin_jit(unsigned process, uint32_t kind)
{
    put32(&dump[process], kind);
    put32(&dump[process], 0);                              /* size: to come */
    put64(&dump[process], now);
}

static void end_jit(unsigned process)
{
    const uint32_t size = (uint32_t)dump[process].used;
    memcpy(dump[process].record + 4, &size, 4);
    end(&dump[process]);
}

static void lines(unsigned process, uint64_t address, unsigned n, uint64_t step)
{
    unsigned i;
    begin_jit(process, 2);
    put64(&dump[process], address);
    put64(&dump[process], n);
    for (i = 0; i < n; i++) {
        put64(&dump[process], address + i * step);
        put32(&dump[process], 10 + i);
        put32(&dump[process], 0);
        put(&dump[process], "a.js", 5);
    }
    end_jit(process);
}

static unsigned load(unsigned process, uint64_t address, const void *bytes, size_t size, const char *name)
{
    const uint32_t pid = FIRST_PID + process;
    char made[32];
    if (name == NULL) snprintf(made, sizeof made, "f%u", next_index);
    else snprintf(made, sizeof made, "%s", name);
    begin_jit(process, 0);
    put32(&dump[process], pid);
    put32(&dump[process], pid);
    put64(&dump[process], 0);
    put64(&dump[process], address);
    put64(&dump[process], size);
    put64(&dump[process], next_index);
    put(&dump[process], made, strlen(made) + 1);
    put(&dump[process], bytes, size);
    end_jit(process);
    return next_index++;
}

static void move(unsigned process, uint64_t from, uint64_t to, uint64_t size, unsigned index)
{
    const uint32_t pid = FIRST_PID + process;
    begin_jit(process, 1);
    put32(&dump[process], pid);
    put32(&dump[process], pid);
    put64(&dump[process], to);
    put64(&dump[process], from);
    put64(&dump[process], to);
    put64(&dump[process], size);
    put64(&dump[process], index);
    end_jit(process);
}

/* ----- the model ----- */

static void gone(unsigned p, uint64_t begin, uint64_t finish)
{
    size_t i, n = 0;
    for (i = 0; i < count[p]; i++)
        if (code[p][i].end <= begin || code[p][i].begin >= finish) code[p][n++] = code[p][i];
    count[p] = n;
}

static void there(unsigned p, uint64_t begin, uint64_t finish, unsigned index)
{
    gone(p, begin, finish);
    code[p][count[p]].begin = begin;
    code[p][count[p]].end = finish;
    code[p][count[p]++].index = index;
}

static void random_sample(FILE *want, unsigned p)
{
    const size_t of = count[p] != 0 ? any((uint32_t)count[p]) : 0;
    const uint64_t address = count[p] != 0 && any(8) != 0 ? code[p][of].begin + any(40) - 4 : 0x10000 + any(4096);
    size_t i;
    sample(FIRST_PID + p, &address, 1, NULL, 0);
    fprintf(want, "%llu\t%u\t%llx\t", (unsigned long long)now, FIRST_PID + p, (unsigned long long)address);
    for (i = 0; i < count[p]; i++)
        if (address >= code[p][i].begin && address < code[p][i].end) break;
    if (i < count[p]) fprintf(want, "f%u\n", code[p][i].index);
    else fprintf(want, "-\n");
}

static void random_load(unsigned p)
{
    static const unsigned char bytes[64] = { 0x90 };
    const uint64_t address = 0x10000 + any(4096);
    const size_t size = 1 + any(64);
    begin_dump(p);
    now++;
    owner[next_index] = p;
    place[next_index] = address;
    there(p, address, address + size, load(p, address, bytes, size, NULL));
}

/* Moves something: by its number and place, by one of the two alone, or nothing. */
static void random_move(unsigned p)
{
    const uint64_t to = 0x10000 + any(4096);
    live x;
    const unsigned how = any(4);
    if (count[p] == 0 || dump[p].f == NULL) return;
    x = code[p][any((uint32_t)count[p])];
    if (how == 1) x.index += 1000000;
    move(p, how == 2 ? 0x1000 : x.begin, to, x.end - x.begin, x.index);
    if (how == 1) x.index -= 1000000;
    if (how == 2 && (owner[x.index] != p || place[x.index] != x.begin)) return;   /* not what the dump told */
    if (owner[x.index] == p) place[x.index] = to;
    gone(p, x.begin, x.end);
    there(p, to, to + (x.end - x.begin), x.index);
}

static void random_task(unsigned p)
{
    const unsigned q = any(PROCESSES), what = any(8);
    if (what < 3 && p != q) {
        task(7, FIRST_PID + q, FIRST_PID + p);
        memcpy(code[q], code[p], sizeof code[q]);
        count[q] = count[p];
    } else if (what == 3) {
        exec(FIRST_PID + p);
        count[p] = 0;
    } else if (what == 4) {
        task(4, FIRST_PID + p, FIRST_PID);
        count[p] = 0;
    }
}

static void random_map(unsigned p)
{
    const uint64_t address = 0x10000 + any(4096), size = 1 + any(256);
    const int file_of_code = any(2) != 0;
    map(FIRST_PID + p, address, size, file_of_code ? "/usr/lib/libx.so" : "//anon");
    if (file_of_code) gone(p, address, address + size);
}

static void make_random(void)
{
    FILE *want = opened("want.tsv");
    unsigned i;
    begin_data(IP | TID | TIME);
    for (i = 0; i < 4000; i++) {
        const unsigned p = any(PROCESSES), what = any(100);
        now += 10;
        if (what < 45) random_sample(want, p);
        else if (what < 80) random_load(p);
        else if (what < 95) random_move(p);
        else if (what < 97) random_map(p);
        else random_task(p);
    }
    fclose(want);
}

/* Caller at 0x10000: nop; call 0x20000; ret. Callee at 0x20000: nop; nop; ret. */
static void make_contexts(unsigned type)
{
    static const unsigned char caller[] = { 0x90, 0xe8, 0xfa, 0xff, 0, 0, 0xc3 }, callee[] = { 0x90, 0x90, 0xc3 };
    const uint64_t stack[] = { 0x20001, 0x10006 }, taken[] = { 0x20002, 0x10006, 0x10001, 0x20000 };
    unsigned p, i;
    begin_data(type);
    for (p = 0; p < 2; p++) {
        now += 10;
        begin_dump(p);
        lines(p, 0x10000, 2, 6);
        load(p, 0x10000, caller, sizeof caller, p ? "caller1" : "caller0");
        load(p, 0x20000, callee, sizeof callee, p ? "callee1" : "callee0");
    }
    for (p = 0; p < 2; p++)
        for (i = 0; i <= p; i++) {
            now += 10;
            if (type & BRANCHES) sample(FIRST_PID + p, stack + 1, 1, taken, 2);
            else sample(FIRST_PID + p, stack, 2, NULL, 0);
        }
}

/*
 * The program is data/recordings/w: phase calls mid up to 0x1247, mid calls leaf up to 0x1203. A callee of JIT code
 * which phase called, leaf below the same, leaf as compiled; with branch records, the callee's return.
 */
static void make_program(void)
{
    const uint64_t w = UINT64_C(0x5555000), stack[][3] = {
        { 0x20001, 0x10006, w + 0x1247 }, { w + 0x1190, 0x10006, w + 0x1247 }, { w + 0x1190, w + 0x1203, w + 0x1247 },
    };
    static const unsigned char caller[] = { 0x90, 0xe8, 0xfa, 0xff, 0, 0, 0xc3 }, callee[] = { 0x90, 0x90, 0xc3 };
    unsigned i;
    begin_data(IP | TID | TIME | CHAIN);
    now += 10;
    map(FIRST_PID, w, 0x2000, "/x/w");
    begin_dump(0);
    lines(0, 0x10000, 2, 6);
    load(0, 0x10000, caller, sizeof caller, "caller");
    load(0, 0x20000, callee, sizeof callee, "callee");
    for (i = 0; i < 6; i++) {
        now += 10;
        sample(FIRST_PID, stack[i % 3], 3, NULL, 0);
    }
}

/* Their code is 128 times add eax, 1 (4 bytes with a prefix) and a return. */
static void make_large(unsigned functions, unsigned samples, unsigned hit)
{
    static const unsigned char add[4] = { 0x48, 0x83, 0xc0, 0x01 };
    static unsigned char bytes[513];
    const unsigned step = functions / (hit != 0 ? hit : 1);
    unsigned i;
    for (i = 0; i < 512; i += 4) memcpy(bytes + i, add, 4);
    bytes[512] = 0xc3;
    begin_data(IP | TID | TIME | CHAIN);
    begin_dump(0);
    now = 1000000;
    for (i = 0; i < functions; i++) {
        now++;
        lines(0, UINT64_C(0x7f0000000000) + i * UINT64_C(0x240), 12, 40);
        load(0, UINT64_C(0x7f0000000000) + i * UINT64_C(0x240), bytes, sizeof bytes, NULL);
    }
    for (i = 0; i < samples; i++) {
        const uint64_t stack[1] = { UINT64_C(0x7f0000000000) + any(hit) * step * UINT64_C(0x240) + any(128) * 4 };
        now++;
        sample(FIRST_PID, stack, 1, NULL, 0);
    }
}

int main(int argc, char **argv)
{
    unsigned p;
    if (argc < 3) return 2;
    dir = argv[argc - 1];
    if (strcmp(argv[1], "random") == 0) {
        seed = strtoull(argv[2], NULL, 10) * 7919 + 1;
        make_random();
    } else if (strcmp(argv[1], "contexts") == 0) make_contexts(IP | TID | TIME | CHAIN);
    else if (strcmp(argv[1], "branches") == 0) make_contexts(IP | TID | TIME | CHAIN | BRANCHES);
    else if (strcmp(argv[1], "program") == 0) make_program();
    else if (argc > 5) make_large((unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]), (unsigned)atoi(argv[4]));
    end_data();
    for (p = 0; p < PROCESSES; p++)
        if (dump[p].f != NULL) fclose(dump[p].f);
    return 0;
}
