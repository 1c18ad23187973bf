/* profgen_llvm_bytes.c - profgen --llvm-compat --show-detailed-warning: where bytes are no instruction */
#include "profgen_lines.h"

/* LLVM prints what is in a hash set, bucket by bucket. Source: LLVM 19, DenseSet of pairs of addresses */
typedef struct byte_run { uint64_t first, last; int used; } byte_run;
typedef struct byte_runs { byte_run *bucket; size_t buckets, count; } byte_runs;

static uint64_t llvm_mix(uint64_t x)
{
    x *= 0xbf58476d1ce4e5b9u;
    return x ^ x >> 31;
}

static void runs_put(byte_runs *r, uint64_t first, uint64_t last)
{
    size_t at = (size_t)llvm_mix(llvm_mix(first) << 32 | (uint32_t)llvm_mix(last)), step = 0;
    while (r->bucket[at &= r->buckets - 1].used) at += ++step;
    r->bucket[at].first = first;
    r->bucket[at].last = last;
    r->bucket[at].used = 1;
}

/* Adds a run. Returns 0 if there is no memory. */
static int runs_add(byte_runs *r, uint64_t first, uint64_t last)
{
    const byte_runs old = *r;
    size_t i;
    if ((r->count + 1) * 4 >= r->buckets * 3) {
        r->buckets = r->buckets != 0 ? r->buckets * 2 : 64;
        r->bucket = (byte_run *)calloc(r->buckets, sizeof *r->bucket);
        for (i = 0; r->bucket != NULL && i < old.buckets; i++)
            if (old.bucket[i].used) runs_put(r, old.bucket[i].first, old.bucket[i].last);
        free(old.bucket);
        if (r->bucket == NULL) return 0;
    }
    runs_put(r, first, last);
    r->count++;
    return 1;
}

/* Decodes [at, end) of a section as the code map does. Returns 0 if there is no memory. */
static int runs_between(byte_runs *r, const loaded *l, const elf_section *s, size_t at, size_t end)
{
    size_t run = 0;
    int ok = 1;
    while (ok && at < end) {
        const size_t left = (size_t)s->size - at;
        csspgo_insn insn;
        if (l->elf.machine == ELF_X86_64) csspgo_decode_x86_64(s->contents + at, left, s->address + at, &insn);
        else csspgo_decode_aarch64(s->contents + at, left, s->address + at, &insn);
        if (insn.size != 0 && run != 0) ok = runs_add(r, s->address + at - run, s->address + at - 1);
        if (insn.size != 0) run = 0;
        else run += insn.skip != 0 ? insn.skip : 1;
        at += insn.size != 0 ? insn.size : insn.skip != 0 ? insn.skip : 1;
    }
    return ok && (run == 0 || runs_add(r, s->address + at - run, s->address + at - 1));
}

/* Says where the bytes are. Returns 0 if there is no memory. */
int llvm_bytes(const profgen *g)
{
    byte_runs r = { NULL, 0, 0 };
    size_t count, i;
    loaded image = g->image;                          /* its regions are there */
    load_start *const v = load_starts(&image, &count);
    int ok = v != NULL;
    for (i = 0; ok && i < count; i++) {
        elf_section s;
        size_t end;
        if (!elf_section_at(&g->image.elf, v[i].section, &s) || s.contents == NULL || s.compressed) continue;
        if (s.name_size == 4 && memcmp(s.name, ".plt", 4) == 0) continue;
        end = (size_t)s.size;
        if (i + 1 < count && v[i + 1].section == v[i].section && v[i + 1].address - s.address < end)
            end = (size_t)(v[i + 1].address - s.address);
        ok = runs_between(&r, &g->image, &s, (size_t)(v[i].address - s.address), end);
    }
    for (i = 0; ok && i < r.buckets; i++)
        if (r.bucket[i].used)
            warn(g->tool, "Invalid instructions at %8llx - %8llx", (unsigned long long)r.bucket[i].first,
                 (unsigned long long)r.bucket[i].last);
    free(r.bucket);
    free(v);
    return ok;
}
