/* file.h - whole files in memory, and the hash seed for what others wrote
 *
 * Include it after csspgo.h; the source file of a program that defines LOAD_IMPLEMENTATION holds the code.
 * Part of csspgo, same licence.
 */
#ifndef CSSPGO_EXAMPLES_FILE_H
#define CSSPGO_EXAMPLES_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct file_bytes {       /* a whole file: a regular one is mapped, from anything else it is read */
    const unsigned char *data;
    size_t size;
    void  *mapped, *read;         /* where it is; both NULL: empty */
} file_bytes;

/* Options of objects that read what others wrote: a hash seed that nobody knows, one for the whole program. */
const csspgo_options *seeded(void);

/*
 * Opens a file that the user names; "-" is standard input. It may be a pipe or a device, from which at most a quarter
 * of the machine's memory is read, and never more than 4 GiB. Returns 0 with errno set when it cannot be read; EFBIG: a
 * pipe or a device had more.
 */
int file_open(const char *path, file_bytes *f);

/*
 * Opens a file that another file names. It must be a regular file: a pipe could block, a device could go on for ever.
 * Returns 0 as above; file_why tells why.
 */
int file_open_named(const char *path, file_bytes *f);

/* What errno says after a call failed, in words of their own for ENOTSUP, ENOMEM and ENXIO (of opening a socket). */
static inline const char *file_why(void)
{
    return errno == ENOTSUP ? "not a regular file" : errno == ENOMEM ? "out of memory"
         : errno == ENXIO ? "a socket, or a device that is not there" : strerror(errno);
}

void file_close(file_bytes *f);

#ifdef LOAD_IMPLEMENTATION

const csspgo_options *seeded(void)
{
    static csspgo_options o;
    const int fd = o.hash_seed == 0 ? open("/dev/urandom", O_RDONLY) : -1;
    if (fd >= 0) {
        if (read(fd, &o.hash_seed, sizeof o.hash_seed) != (ssize_t)sizeof o.hash_seed) o.hash_seed = 0;
        close(fd);
    }
    return &o;
}

/* The most that is read from what has no size. */
static size_t file_most(void)
{
    const uint64_t most = (uint64_t)4 << 30;
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const uint64_t quarter = pages > 0 && page > 0 ? (uint64_t)pages / 4 * (uint64_t)page : most;
    const uint64_t bytes = quarter < most ? quarter : most;
    return bytes < SIZE_MAX / 2 ? (size_t)bytes : SIZE_MAX / 2;
}

/* Reads until the end. Returns 0 with errno set. */
static int file_drain(int fd, file_bytes *f)
{
    const size_t most = file_most();
    size_t cap = 0;
    ssize_t n = 1;
    while (n > 0) {
        if (f->size == cap) {
            void *more;
            if (cap == most) return errno = EFBIG, 0;
            cap = cap < most / 2 ? cap * 2 + 65536 : most;
            more = realloc(f->read, cap);
            if (more == NULL) return errno = ENOMEM, 0;
            f->read = more;
            f->data = (const unsigned char *)more;
        }
        n = read(fd, (unsigned char *)f->read + f->size, cap - f->size);
        if (n > 0) f->size += (size_t)n;
    }
    return n == 0;
}

void file_close(file_bytes *f)
{
    if (f->mapped != NULL) munmap(f->mapped, f->size);
    free(f->read);
    memset(f, 0, sizeof *f);
}

/* The file behind a descriptor, which is closed. Returns 0 with errno set. */
static int file_take(int fd, file_bytes *f, int regular)
{
    struct stat st;
    int ok, why;
    memset(f, 0, sizeof *f);
    f->data = (const unsigned char *)"";
    if (fd < 0) return 0;
    ok = fstat(fd, &st) == 0;
    if (ok && regular && !S_ISREG(st.st_mode)) {
        errno = S_ISDIR(st.st_mode) ? EISDIR : ENOTSUP;
        ok = 0;
    } else if (ok && S_ISREG(st.st_mode) && st.st_size != 0 && lseek(fd, 0, SEEK_CUR) == 0) {
        f->mapped = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        ok = f->mapped != MAP_FAILED;
        if (!ok) f->mapped = NULL;
        else f->size = (size_t)st.st_size;
        if (ok) f->data = (const unsigned char *)f->mapped;
    } else if (ok) {
        ok = file_drain(fd, f);
    }
    why = errno;
    close(fd);
    if (!ok) file_close(f);
    errno = why;
    return ok;
}

int file_open(const char *path, file_bytes *f)
{
    return file_take(strcmp(path, "-") == 0 ? dup(0) : open(path, O_RDONLY), f, 0);
}

int file_open_named(const char *path, file_bytes *f)
{
    return file_take(open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY), f, 1);
}

#endif

#endif
