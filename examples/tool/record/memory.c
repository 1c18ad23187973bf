/* memory.c - the memory of the process at hand: as it is or, while branches are computed ahead, as it will be */
#include "record.h"

#if defined(REC_SOFTWARE)

int rec_is_ahead(const recorder *r)
{
    return r->ahead != NULL && r->ahead->on;
}

/* ----- copies, to compute on -------------------------------------------------------------------------------------- */

/* Fills a copy of the page; writable -1: not known yet. Returns 0 if it cannot be read. */
static int rec_read_copy(const recorder *r, rec_copy *copy, uint64_t begin, int writable)
{
    struct iovec local, remote;
    local.iov_base = copy->byte;
    remote.iov_base = (void *)(uintptr_t)begin;
    local.iov_len = remote.iov_len = REC_PAGE;
    if (process_vm_readv(r->pid, &local, 1, &remote, 1, 0) != REC_PAGE) return 0;
    rec_show_code(r, begin, copy->byte);
    copy->address = begin;
    copy->turn = r->ahead->turn;
    copy->begin = copy->end = 0;
    copy->writable = writable;
    return 1;
}

/* Whether the page is of a file's code that may not be written. */
static int rec_is_constant(const recorder *r, uint64_t begin)
{
    size_t i;
    for (i = 0; i < r->space.map_count && r->space.maps[i].end <= begin; i++) { }
    return i < r->space.map_count && r->space.maps[i].begin <= begin && r->space.maps[i].inode != 0 &&
           memcmp(r->space.maps[i].access, "r-xp", 4) == 0;
}

/* Where there is no room for more copies, pages can still be read: the thread stands, and nothing was written there. */
static rec_copy *rec_spare_copy(const recorder *r, uint64_t begin, uint64_t hash)
{
    rec_copy *copy = &r->ahead->spare[hash % REC_SPARE];
    if (copy->address == begin && copy->turn == r->ahead->turn) return copy;
    copy->turn = 0;                                        /* a read that fails may have written half of it */
    return rec_read_copy(r, copy, begin, 0) ? copy : NULL;
}

/*
 * The copy of the page at address, or NULL. Copies of code outlast the turn, until the mappings are read again: a tenth
 * of a second at most.
 */
rec_copy *rec_copy_of(const recorder *r, uint64_t address)
{
    rec_ahead *a = r->ahead;
    const uint64_t begin = address & ~(uint64_t)(REC_PAGE - 1);
    const uint64_t hash = (begin >> 12) * 0x9e3779b1u >> 8;
    rec_kept *kept = &a->kept[hash % REC_KEPT];
    size_t i = (size_t)hash % REC_COPIES;
    const int valid = kept->maps == r->view.maps_read && kept->process == r->process && !r->view.maps_stale;
    if (a->last != NULL && a->last->address == begin) return a->last;
    if (kept->address == begin && valid) return a->last = &a->code[hash % REC_KEPT];
    for (; a->copy[i].turn == a->turn; i = (i + 1) % REC_COPIES) {
        if (a->copy[i].address == begin) return a->last = &a->copy[i];
    }
    if (a->copies == REC_COPIES / 2) return a->last = rec_spare_copy(r, begin, hash);
    if (r->burst.number != 0 && !valid && !r->view.maps_stale && rec_is_constant(r, begin)) {
        if (!rec_read_copy(r, &a->code[hash % REC_KEPT], begin, -1)) return NULL;
        kept->address = begin;
        kept->maps = r->view.maps_read;
        kept->process = r->process;
        return a->last = &a->code[hash % REC_KEPT];
    }
    if (!rec_read_copy(r, &a->copy[i], begin, -1)) return NULL;
    a->copies++;
    return a->last = &a->copy[i];
}

/* Returns how many bytes of them there are. */
size_t rec_ahead_read(const recorder *r, uint64_t address, void *to, size_t size)
{
    size_t n = 0;
    while (n < size) {
        const size_t at = (size_t)((address + n) % REC_PAGE), left = REC_PAGE - at;
        const size_t some = size - n < left ? size - n : left;
        const rec_copy *copy = rec_copy_of(r, address + n);
        if (copy == NULL) return n;
        memcpy((unsigned char *)to + n, copy->byte + at, some);
        n += some;
    }
    return n;
}

/* Whether the program may write there; where it has code, that is left to itself. */
static int rec_may_write(recorder *r, rec_copy *copy)
{
    if (copy->writable < 0) {
        const rec_map *m = rec_map_of(r, copy->address);
        copy->writable = m != NULL && m->access[1] == 'w' && m->access[2] != 'x';
    }
    return copy->writable;
}

size_t rec_ahead_write(recorder *r, uint64_t address, const void *from, size_t size)
{
    size_t n = 0;
    while (n < size) {
        const size_t at = (size_t)((address + n) % REC_PAGE), left = REC_PAGE - at;
        const size_t some = size - n < left ? size - n : left;
        rec_copy *copy = rec_copy_of(r, address + n);
        if (copy == NULL || !rec_may_write(r, copy)) return n;
        memcpy(copy->byte + at, (const unsigned char *)from + n, some);
        if (copy->end == 0 || at < copy->begin) copy->begin = (uint32_t)at;
        if (at + some > copy->end) copy->end = (uint32_t)(at + some);
        n += some;
    }
    return n;
}

/* ----- reading and writing ---------------------------------------------------------------------------------------- */

/* Reads and writes the program's data as the program itself could. */
int rec_read(const recorder *r, uint64_t address, void *to, size_t size)
{
    struct iovec local, remote;
    if (rec_is_ahead(r)) return rec_ahead_read(r, address, to, size) == size;
    local.iov_base = to;
    remote.iov_base = (void *)(uintptr_t)address;
    local.iov_len = remote.iov_len = size;
    return process_vm_readv(r->pid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

int rec_write(recorder *r, uint64_t address, const void *from, size_t size)
{
    struct iovec local, remote;
    if (rec_is_ahead(r)) return rec_ahead_write(r, address, from, size) == size;
    local.iov_base = (void *)(uintptr_t)from;
    remote.iov_base = (void *)(uintptr_t)address;
    local.iov_len = remote.iov_len = size;
    return process_vm_writev(r->pid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/* Up to REC_INSN bytes of code at address, without our breakpoints; returns how many there are. */
size_t rec_fetch(recorder *r, uint64_t address, unsigned char *to)
{
    return rec_is_ahead(r) ? rec_ahead_read(r, address, to, REC_INSN) : rec_fetch_code(r, address, to);
}

#endif
