/* proc.c - what /proc and the files of a program say of processes and threads */
#include "record.h"

#if defined(REC_LINUX)

/* ----- files that a process has mapped ---------------------------------------------------------------------------- */

/* Opens the ELF file that a process has mapped under this path. Returns its *size bytes, for munmap; NULL: none. */
void *rec_open_mapped(pid_t pid, const char *path, elf_image *image, size_t *size)
{
    char name[PATH_MAX + 32];
    struct stat info;
    void *data;
    int fd;
    if (path[0] != '/' || path[1] == '/') return NULL;
    snprintf(name, sizeof name, "/proc/%ld/root%s", (long)pid, path);
    fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return NULL;
    *size = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 ? (size_t)info.st_size : 0;
    data = *size != 0 ? mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (data == MAP_FAILED) return NULL;
    if (elf_open(data, *size, image, NULL, 0)) return data;
    munmap(data, *size);
    return NULL;
}

/* The build id of the file that a process has mapped under this path. */
void rec_find_build_id(pid_t pid, const char *path, rec_build_id *id)
{
    const unsigned char *bytes;
    elf_image image;
    size_t n = 0, size;
    void *data = rec_open_mapped(pid, path, &image, &size);
    memset(id, 0, sizeof *id);
    if (data == NULL) return;
    bytes = elf_build_id(&image, &n);
    if (bytes != NULL) {
        id->size = (uint32_t)(n < sizeof id->bytes ? n : sizeof id->bytes);
        memcpy(id->bytes, bytes, id->size);
    }
    munmap(data, size);
}

/* A line of /proc/PID/maps; the path is behind the first *path bytes. Returns 0 if it is none. */
int rec_parse_map(const char *line, rec_map *m, int *path)
{
    unsigned long begin, end, offset;
    memset(m, 0, sizeof *m);
    *path = 0;
    if (sscanf(line, "%lx-%lx %4s %lx %15s %lu %n", &begin, &end, m->access, &offset, m->device, &m->inode, path) < 6) {
        return 0;
    }
    m->begin = begin;
    m->end = end;
    m->offset = offset;
    return 1;
}

#if defined(REC_SOFTWARE)

/* ----- threads ---------------------------------------------------------------------------------------------------- */

/* A number of /proc/TID/status, which the name and a colon begin; -1 if there is none. */
int64_t rec_status(pid_t tid, const char *name, int base)
{
    char path[64], line[256];
    const size_t n = strlen(name);
    int64_t value = -1;
    FILE *f;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)tid);
    f = fopen(path, "re");
    while (f != NULL && value < 0 && fgets(line, sizeof line, f) != NULL) {
        if (strncmp(line, name, n) == 0 && line[n] == ':') value = (int64_t)strtoull(line + n + 1, NULL, base);
    }
    if (f != NULL) fclose(f);
    return value;
}

/* The process that the number, of any of its threads, stands for; 0 if there is none. */
pid_t rec_process_of(pid_t tid)
{
    const int64_t process = rec_status(tid, "Tgid", 10);
    return process > 0 ? (pid_t)process : 0;
}

/* A field of /proc/PID/task/TID/stat, of which fd is open, from 3 on: where it begins in `text`; NULL: not there. */
const char *rec_stat_field(int fd, char *text, size_t size, int which)
{
    const ssize_t n = fd >= 0 ? pread(fd, text, size - 1, 0) : 0;
    const char *p;
    int field;
    if (n <= 0) return NULL;
    text[n] = '\0';
    p = strrchr(text, ')');                                /* the name before it may have blanks */
    for (field = 2; p != NULL && field < which; field++) {
        p = strchr(p, ' ');
        if (p != NULL) p++;
    }
    return p;
}

/* What the kernel has told a program, by number (AT_...); 0 if that is not known. */
uint64_t rec_auxiliary(pid_t pid, uint64_t which)
{
    uint64_t pair[2], value = 0;
    char name[64];
    FILE *f;
    snprintf(name, sizeof name, "/proc/%ld/auxv", (long)pid);
    f = fopen(name, "re");
    while (f != NULL && fread(pair, sizeof pair, 1, f) == 1) {
        if (pair[0] == which) value = pair[1];
    }
    if (f != NULL) fclose(f);
    return value;
}

/* Where the program of a process begins, behind the dynamic loader; 0 if that is not known. */
uint64_t rec_entry_of(pid_t pid)
{
    return rec_auxiliary(pid, 9);                          /* AT_ENTRY */
}

/* ----- which programs call ptrace --------------------------------------------------------------------------------- */

/* Whether a file calls it, by its symbols. */
static int rec_calls_ptrace(const elf_image *e)
{
    const elf_image dynamic = elf_dynamic(e);
    const int linked = dynamic.symbol_count <= 1;          /* with all it calls */
    const elf_image *of = linked ? e : &dynamic;
    elf_section names;
    elf_symbol s;
    uint32_t i;
    if (!elf_section_named(e, linked ? ".strtab" : ".dynstr", &names) || names.contents == NULL ||
        memmem(names.contents, (size_t)names.size, "ptrace", 7) == NULL) return 0;
    for (i = 1; i < of->symbol_count; i++) {
        if (!elf_symbol_at(of, i, &s) || s.name_size != 6 || memcmp(s.name, "ptrace", 6) != 0) continue;
        if (s.section == ELF_UNDEFINED || linked) return 1;
    }
    return 0;
}

/* A file of the process at hand is newly mapped as code. */
void rec_look_for_ptrace(recorder *r, const char *path)
{
    elf_image image;
    size_t size;
    elf_section restartable;
    void *data = r->o.exact || r->space.calls_ptrace ? NULL : rec_open_mapped(r->pid, path, &image, &size);
    if (data == NULL) return;
    r->space.calls_ptrace = rec_calls_ptrace(&image);
    r->space.restarts |= elf_section_named(&image, "__rseq_cs", &restartable);
    munmap(data, size);
}

#endif

#endif
