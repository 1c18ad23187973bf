/* code.c - code pages of the process at hand, breakpoints in them and in debug registers, blocks */
#include "record.h"

#if defined(REC_SOFTWARE)

/*
 * A page of the program's code. What is in memory differs from `code` in the planted bytes, which are int3.
 * `inside` marks bytes that a decoded instruction has behind its first: nothing is planted there.
 */
struct rec_page {
    uint64_t  address;
    int       plantable;
    uint64_t  checked;            /* the last burst in which `code` was what memory has */
    uint32_t  planted_count;
    unsigned char code[REC_PAGE], planted[REC_PAGE / 8], inside[REC_PAGE / 8];
    rec_block block[REC_PAGE];
};

static int rec_bit(const unsigned char *bits, uint64_t i) { return bits[(i % REC_PAGE) / 8] >> (i & 7) & 1; }
static void rec_set_bit(unsigned char *bits, uint64_t i) { bits[(i % REC_PAGE) / 8] |= (unsigned char)(1u << (i & 7)); }
static void rec_clear_bit(unsigned char *bits, uint64_t i)
{
    bits[(i % REC_PAGE) / 8] &= (unsigned char)~(1u << (i & 7));
}

/* ----- code pages and planted breakpoints ------------------------------------------------------------------------- */

static size_t rec_page_index(const recorder *r, uint64_t address)
{
    size_t low = 0, high = r->space.page_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (r->space.pages[middle]->address < address) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Between two bursts the program ran unseen: reads a known page again. Returns 0 if it is not there any more. */
static int rec_refresh(recorder *r, rec_page *page, size_t index)
{
    unsigned char code[REC_PAGE];
    if (page->checked == r->burst.number) return 1;
    if (pread(r->space.memory, code, REC_PAGE, (off_t)page->address) != REC_PAGE) return 0;
    page->checked = r->burst.number;
    if (memcmp(code, page->code, REC_PAGE) == 0) return 1;
    memcpy(page->code, code, REC_PAGE);
    memset(page->inside, 0, sizeof page->inside);
    memset(page->block, 0, sizeof page->block);
    page->plantable = 1;
    if (index > 0) memset(r->space.pages[index - 1]->block, 0, sizeof page->block);   /* blocks may run on into it */
    r->view.maps_stale = 1;
    return 1;
}

/* The page of code that holds address, read once; NULL where code can change unseen or there is none. */
static rec_page *rec_page_at(recorder *r, uint64_t address)
{
    const uint64_t begin = address & ~(uint64_t)(REC_PAGE - 1);
    const rec_map *m;
    rec_page *page;
    size_t i;
    page = r->view.page;
    if (page != NULL && page->address == begin && page->checked == r->burst.number) return page;
    i = rec_page_index(r, begin);
    if (i < r->space.page_count && r->space.pages[i]->address == begin) {
        return rec_refresh(r, r->space.pages[i], i) ? r->view.page = r->space.pages[i] : NULL;
    }
    m = rec_map_of(r, address);
    if (m == NULL || m->access[1] == 'w' || m->access[2] != 'x' || m->access[3] != 'p') return NULL;
    if (r->space.page_count == r->space.page_room) {
        const size_t more = r->space.page_room != 0 ? 2 * r->space.page_room : 64;
        rec_page **grown = (rec_page **)realloc(r->space.pages, more * sizeof *grown);
        if (grown == NULL) rec_die(r->tool, "out of memory");
        r->space.pages = grown;
        r->space.page_room = more;
    }
    page = (rec_page *)calloc(1, sizeof *page);
    if (page == NULL) rec_die(r->tool, "out of memory");
    page->address = begin;
    page->plantable = 1;
    page->checked = r->burst.number;
    if (pread(r->space.memory, page->code, REC_PAGE, (off_t)begin) != REC_PAGE) {
        free(page);
        return NULL;
    }
    memmove(r->space.pages + i + 1, r->space.pages + i, (r->space.page_count - i) * sizeof *r->space.pages);
    r->space.pages[i] = page;
    r->space.page_count++;
    return r->view.page = page;
}

/* Takes the breakpoints out of a page again, in the memory behind `memory`. Of a killed program nothing is left. */
void rec_restore_page(const recorder *r, const rec_page *page, int memory)
{
    ssize_t n;
    if (page->planted_count == 0) return;
    n = pwrite(memory, page->code, REC_PAGE, (off_t)page->address);
    if (n != 0 && n != REC_PAGE) rec_die(r->tool, "cannot restore code");
}

static void rec_unplant_page(recorder *r, rec_page *page)
{
    rec_restore_page(r, page, r->space.memory);
    page->planted_count = 0;
    memset(page->planted, 0, sizeof page->planted);
}

void rec_unplant_all(recorder *r)
{
    size_t i;
    for (i = 0; i < r->space.page_count; i++) rec_unplant_page(r, r->space.pages[i]);
}

/* Forgets pages; `intact` = their memory is still there and gets its bytes back. */
void rec_drop_pages(recorder *r, uint64_t begin, uint64_t end, int intact)
{
    const size_t first = rec_page_index(r, begin);
    size_t last = first;
    if (r->space.page_count == 0) return;
    if (first > 0 && begin - r->space.pages[first - 1]->address <= 2 * REC_PAGE) {
        rec_page *const before = r->space.pages[first - 1];
        memset(before->block, 0, sizeof before->block);    /* blocks may run on into the first */
    }
    for (; last < r->space.page_count && r->space.pages[last]->address < end; last++) {
        if (intact) rec_unplant_page(r, r->space.pages[last]);
        free(r->space.pages[last]);
    }
    memmove(r->space.pages + first, r->space.pages + last, (r->space.page_count - last) * sizeof *r->space.pages);
    r->space.page_count -= last - first;
    r->view.page = NULL;
}

/* Two instructions share bytes: this page is stepped through from now on. */
static void rec_give_up_page(recorder *r, rec_page *page)
{
    rec_unplant_page(r, page);
    page->plantable = 0;
}

int rec_plant(recorder *r, uint64_t address)
{
    const unsigned char int3 = 0xcc;
    rec_page *page = rec_page_at(r, address);
    if (page == NULL || !page->plantable) return 0;
    if (rec_bit(page->planted, address)) return 1;
    if (rec_bit(page->inside, address)) {
        rec_give_up_page(r, page);
        return 0;
    }
    if (pwrite(r->space.memory, &int3, 1, (off_t)address) != 1) {
        page->plantable = 0;
        return 0;
    }
    rec_set_bit(page->planted, address);
    page->planted_count++;
    return 1;
}

int rec_is_planted(recorder *r, uint64_t address)
{
    const rec_page *page = rec_page_at(r, address);
    return page != NULL && rec_bit(page->planted, address);
}

void rec_unplant(recorder *r, uint64_t address)
{
    rec_page *page = rec_page_at(r, address);
    if (page == NULL || !rec_bit(page->planted, address)) return;
    if (pwrite(r->space.memory, &page->code[address % REC_PAGE], 1, (off_t)address) < 0)
        rec_die(r->tool, "cannot restore code");
    rec_clear_bit(page->planted, address);
    page->planted_count--;
}

/* In what was read of the page at begin, has the program's own code instead of our breakpoints. */
void rec_show_code(const recorder *r, uint64_t begin, unsigned char *code)
{
    const size_t i = rec_page_index(r, begin);
    if (i == r->space.page_count || r->space.pages[i]->address != begin) return;
    if (r->space.pages[i]->planted_count == 0) return;
    memcpy(code, r->space.pages[i]->code, REC_PAGE);
}

/* ----- breakpoints in debug registers ----------------------------------------------------------------------------- */

enum { REC_DEBUG = offsetof(struct user, u_debugreg), REC_CONTROL = REC_DEBUG + 7 * sizeof(long) };

static int rec_set_debug(pid_t tid, size_t at, uint64_t value)
{
    return ptrace(PTRACE_POKEUSER, tid, (void *)at, (void *)(uintptr_t)value) == 0;
}

static __attribute__((noinline)) void rec_be_stopped(void)
{
    __asm__ volatile("nop");
}

/* Whether a child of the recorder stops at a breakpoint: some virtual machines take the registers and never stop. */
static int rec_try_registers(void)
{
    void (*const place)(void) = rec_be_stopped;
    uint64_t address;
    int status = 0, works;
    const pid_t child = fork();
    memcpy(&address, &place, sizeof address);
    if (child < 0) return 0;
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        rec_be_stopped();
        _exit(0);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) { }
    works = WIFSTOPPED(status) && rec_set_debug(child, REC_DEBUG, address) && rec_set_debug(child, REC_CONTROL, 1) &&
            ptrace(PTRACE_CONT, child, NULL, NULL) == 0;
    if (works) while (waitpid(child, &status, 0) < 0 && errno == EINTR) { }
    works = works && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
    kill(child, SIGKILL);
    if (WIFSTOPPED(status)) while (waitpid(child, &status, 0) < 0 && errno == EINTR) { }
    return works;
}

/* Puts the thread's one hardware breakpoint at address: no code is changed, other threads do not see it. */
int rec_arm(recorder *r, uint64_t address)
{
    if (r->view.armed == address) return 1;
    if (r->view.registers == 0) r->view.registers = rec_try_registers() ? 1 : -1;
    if (r->view.registers < 0 || !rec_set_debug(r->pid, REC_DEBUG, address)) return 0;
    if (r->view.armed == 0 && !rec_set_debug(r->pid, REC_CONTROL, 1)) return 0;
    r->view.armed = address;
    return 1;
}

void rec_disarm(recorder *r)
{
    if (r->view.armed != 0) rec_set_debug(r->pid, REC_CONTROL, 0);
    r->view.armed = 0;
}

/* Up to REC_INSN bytes of code at address, without our breakpoints; returns how many there are. */
size_t rec_fetch_code(recorder *r, uint64_t address, unsigned char *to)
{
    size_t n = 0;
    while (n < REC_INSN) {
        const rec_page *page = rec_page_at(r, address + n);
        const size_t at = (size_t)((address + n) % REC_PAGE);
        const size_t size = REC_PAGE - at < REC_INSN - n ? REC_PAGE - at : REC_INSN - n;
        if (page != NULL) {
            memcpy(to + n, page->code + at, size);
        } else {
            const ssize_t got = pread(r->space.memory, to + n, size, (off_t)(address + n));
            if (got < (ssize_t)size) return n + (got > 0 ? (size_t)got : 0);
        }
        n += size;
    }
    return n;
}

/* ----- blocks ----------------------------------------------------------------------------------------------------- */

/* Marks the bytes behind the first of an instruction; 0 if a breakpoint stands on one of them. */
static int rec_mark_inside(recorder *r, uint64_t address, uint32_t size)
{
    uint64_t at;
    for (at = address + 1; at < address + size; at++) {
        rec_page *page = rec_page_at(r, at);
        if (page == NULL) return 0;
        if (rec_bit(page->planted, at)) {
            rec_give_up_page(r, page);
            return 0;
        }
        rec_set_bit(page->inside, at);
    }
    return 1;
}

/* How the block at address ends; NULL if its code cannot be planned with. */
const rec_block *rec_plan(recorder *r, uint64_t address)
{
    rec_page *page = rec_page_at(r, address);
    rec_block *block;
    uint64_t at = address;
    if (page == NULL || !page->plantable) return NULL;
    block = &page->block[address % REC_PAGE];
    if (block->known) return block;
    for (;;) {
        unsigned char code[REC_INSN];
        csspgo_insn insn;
        const size_t n = rec_fetch_code(r, at, code);
        const uint32_t size = n != 0 ? csspgo_decode_x86_64(code, n, at, &insn) : 0;
        block->kind = size != 0 ? (uint8_t)insn.kind : (uint8_t)CSSPGO_NONE;
        if (size == 0 || insn.kind != CSSPGO_NONE || at - address >= REC_BLOCK) break;
        if (size == 2 && code[0] == 0x0f && code[1] == 0x05) break;  /* a system call: rec_step() has a look at it */
        if (!rec_mark_inside(r, at, size)) break;
        at += size;
    }
    block->skip = (uint16_t)(at - address);
    block->known = 1;
    return block;
}

#endif
