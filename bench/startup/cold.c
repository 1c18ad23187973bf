/* cold.c - preloaded: the program's code is not in memory when its first constructor runs; then counts its page faults
 *
 * Before the program runs, everything else that is mapped of its file is faulted in, and its code is dropped from the
 * page cache. At the end a line goes to the file named in COLD: major page faults since then, which the kernel counted;
 * pages of code in memory at the end; how many of them could not be dropped; pages of code in all.
 *
 * If the disk of the program's file reads no pages ahead (read_ahead_kb is 0), each page of code that is touched is one
 * fault. Needs Linux 5.14, and that the file is on a disk (not tmpfs), written back, and owned by the user.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static char *code;
static size_t code_size, kept;
static long faults_before;

static long faults(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_majflt;
}

static size_t pages_in_memory(void)
{
    static unsigned char page[1 << 16];
    size_t n = 0, i;
    if (code_size / 4096 > sizeof page || mincore(code, code_size, page) != 0) return SIZE_MAX;
    for (i = 0; i < code_size / 4096; i++) n += page[i] & 1;
    return n;
}

/* The first object is the program. */
static int prepare(struct dl_phdr_info *o, size_t size, void *unused)
{
    int i;
    (void)size;
    (void)unused;
    for (i = 0; i < o->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &o->dlpi_phdr[i];
        const uintptr_t from = (o->dlpi_addr + p->p_vaddr) & ~(uintptr_t)4095;
        const uintptr_t to = (o->dlpi_addr + p->p_vaddr + p->p_memsz + 4095) & ~(uintptr_t)4095;
        if (p->p_type != PT_LOAD) continue;
        if (!(p->p_flags & PF_X)) madvise((void *)from, to - from, MADV_POPULATE_READ);
        else {
            code = (char *)from;
            code_size = to - from;
        }
    }
    return 1;
}

/* Pages that are still being read would not be dropped: reads the whole file first. */
__attribute__((constructor)) static void before(void)
{
    static char buffer[1 << 16];
    const int fd = open("/proc/self/exe", O_RDONLY);
    if (getenv("COLD") == NULL) return;
    dl_iterate_phdr(prepare, NULL);
    while (read(fd, buffer, sizeof buffer) > 0) continue;
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
    kept = pages_in_memory();
    if (kept > 16) {
        fprintf(stderr, "cold: %zu pages of the program's code stay in memory\n", kept);
        _exit(125);
    }
    faults_before = faults();
}

__attribute__((destructor)) static void after(void)
{
    const long n = faults() - faults_before;
    FILE *out = getenv("COLD") == NULL ? NULL : fopen(getenv("COLD"), "a");
    if (out == NULL) return;
    fprintf(out, "%ld %zu %zu %zu\n", n, pages_in_memory(), kept, code_size / 4096);
    fclose(out);
}
