/* output.c - what record writes: perf script text, or perf.data if the output's name ends so */
#include "record.h"

int rec_is_data(const rec_options *o)
{
    const size_t n = o->output != NULL ? strlen(o->output) : 0;
    return !o->first && n > 5 && strcmp(o->output + n - 5, ".data") == 0;
}

#if defined(REC_LINUX)

#include <sys/utsname.h>

/* The layout of perf.data, of which all numbers are in the machine's order. */
enum {
    DATA_HEADER = 104, DATA_ATTR = 112, DATA_IDS = DATA_HEADER, DATA_ATTRS = DATA_IDS + 8,
    DATA_BEGIN = DATA_ATTRS + DATA_ATTR + 16, DATA_MOST = 65528,
    DATA_BUILD_ID = 1 << 14,      /* PERF_RECORD_MISC_MMAP_BUILD_ID, which old headers lack */
    DATA_OSRELEASE = 4, DATA_ARCH = 6, DATA_CPUS = 7, DATA_COMMAND = 11, DATA_TIMES = 21
};

enum {                            /* the fields of a sample, in this order */
    DATA_FIELDS = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
                  PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK
};

uint64_t rec_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ----- records of perf.data: put together in r->data.record, then written ----------------------------------------- */

static void data_begin(recorder *r, uint32_t type, unsigned misc)
{
    struct perf_event_header header;
    header.type = type;
    header.misc = (uint16_t)misc;
    header.size = 0;                                       /* put in last */
    memcpy(r->data.record, &header, sizeof header);
    r->data.size = sizeof header;
}

static void data_put(recorder *r, const void *bytes, size_t size)
{
    memcpy(r->data.record + r->data.size, bytes, size);
    r->data.size += size;
}

static void data_put_pair(recorder *r, uint32_t a, uint32_t b)
{
    data_put(r, &a, 4);
    data_put(r, &b, 4);
}

static void data_put_number(recorder *r, uint64_t n)
{
    data_put(r, &n, 8);
}

/* A name, with as many zeros behind it that what follows is aligned to 8. */
static void data_put_name(recorder *r, const char *name)
{
    static const char zeros[8];
    const size_t n = strlen(name) < PATH_MAX ? strlen(name) : PATH_MAX - 1;
    data_put(r, name, n);
    data_put(r, zeros, 8 - r->data.size % 8);
}

static void data_end(recorder *r)
{
    const uint16_t size = (uint16_t)r->data.size;
    memcpy(r->data.record + offsetof(struct perf_event_header, size), &size, sizeof size);
    fwrite(r->data.record, 1, r->data.size, r->out);
}

/* What follows every record that is no sample: the thread and the time. */
static void data_end_event(recorder *r, pid_t pid, pid_t tid)
{
    data_put_pair(r, (uint32_t)pid, (uint32_t)tid);
    data_put_number(r, r->data.event_time != 0 ? r->data.event_time : rec_now());
    data_put_number(r, 1);
    data_end(r);
}

static void data_sample(recorder *r, const rec_origin *at, const uint64_t *stack, size_t frames, const csspgo_branch *b,
                        size_t records)
{
    const size_t room = (DATA_MOST - 80 - records * sizeof *b) / 8;
    size_t i;
    if (frames > room) frames = room;
    if (r->data.first_time == 0) r->data.first_time = at->time;
    r->data.last_time = at->time;
    data_begin(r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    data_put_number(r, 1);
    data_put_number(r, frames != 0 ? stack[0] : records != 0 ? b[0].to : 0);
    data_put_pair(r, (uint32_t)at->pid, (uint32_t)at->tid);
    data_put_number(r, at->time);
    data_put_number(r, at->period);
    data_put_number(r, frames != 0 ? frames + 1 : 0);
    if (frames != 0) data_put_number(r, (uint64_t)PERF_CONTEXT_USER);
    data_put(r, stack, frames * sizeof *stack);
    data_put_number(r, records);
    for (i = 0; i < records; i++) data_put(r, &b[i], sizeof b[i]);
    data_end(r);
}

/* ----- the beginning and end of perf.data ------------------------------------------------------------------------- */

/* The event that samples are of, as perf names it: of bursts cpu-clock:u, of branches branches:u. */
static void data_describe(const recorder *r, struct perf_event_attr *a)
{
    memset(a, 0, sizeof *a);
    a->type = r->hardware.type;
    a->config = r->hardware.config;
    a->precise_ip = r->hardware.precise_ip;
    if (r->hardware.size == 0) {
        a->type = r->o.exact ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
        a->config = r->o.exact ? PERF_COUNT_HW_BRANCH_INSTRUCTIONS : PERF_COUNT_SW_CPU_CLOCK;
    }
    a->size = DATA_ATTR;
    a->sample_period = r->hardware.size != 0 || r->o.exact ? r->o.period : 1000000000 / r->o.rate;
    a->sample_type = DATA_FIELDS;
    a->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
    a->exclude_kernel = a->exclude_hv = a->sample_id_all = 1;
    a->mmap = a->mmap2 = a->comm = a->comm_exec = a->task = 1;
    a->use_clockid = 1;
    a->clockid = CLOCK_MONOTONIC;
}

static void data_header(const recorder *r, uint64_t end, uint64_t features)
{
    uint64_t header[DATA_HEADER / 8] = { 0 }, id = 1, ids[2] = { DATA_IDS, 8 };
    struct perf_event_attr attr;
    memcpy(header, "PERFILE2", 8);
    header[1] = DATA_HEADER;
    header[2] = DATA_ATTR + sizeof ids;
    header[3] = DATA_ATTRS;
    header[4] = DATA_ATTR + sizeof ids;
    header[5] = DATA_BEGIN;
    header[6] = end - DATA_BEGIN;
    header[9] = features;
    data_describe(r, &attr);
    fwrite(header, sizeof header, 1, r->out);
    fwrite(&id, sizeof id, 1, r->out);
    fwrite(&attr, DATA_ATTR, 1, r->out);
    fwrite(ids, sizeof ids, 1, r->out);
}

static void data_string(FILE *out, const char *text)
{
    static const char zeros[64];
    const size_t n = strlen(text);
    const uint32_t size = (uint32_t)((n + 64) / 64 * 64);
    fwrite(&size, sizeof size, 1, out);
    fwrite(text, n, 1, out);
    fwrite(zeros, size - n, 1, out);
}

static void data_feature(const recorder *r, int feature)
{
    uint32_t n[2];
    uint64_t times[2];
    struct utsname host;
    char *const *p;
    memset(&host, 0, sizeof host);
    uname(&host);
    if (feature == DATA_OSRELEASE) data_string(r->out, host.release);
    if (feature == DATA_ARCH) data_string(r->out, host.machine);
    if (feature == DATA_CPUS) {
        n[0] = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
        n[1] = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
        fwrite(n, sizeof n, 1, r->out);
    } else if (feature == DATA_COMMAND) {
        for (n[0] = 2, p = r->o.program; *p != NULL; p++) n[0]++;
        fwrite(n, sizeof *n, 1, r->out);
        data_string(r->out, "csspgo");
        data_string(r->out, "record");
        for (p = r->o.program; *p != NULL; p++) data_string(r->out, *p);
    } else if (feature == DATA_TIMES) {
        times[0] = r->data.first_time;
        times[1] = r->data.last_time;
        fwrite(times, sizeof times, 1, r->out);
    }
}

/* Begins the output. Returns 0 with a message. */
int rec_output_begin(recorder *r)
{
    r->data.on = rec_is_data(&r->o);
    if (!r->data.on) return 1;
    r->data.record = (unsigned char *)malloc(DATA_MOST + 8);
    if (r->data.record == NULL) return fail(r->tool, "out of memory"), 0;
    if (fseeko(r->out, 0, SEEK_SET) != 0) {
        return fail(r->tool, "%s: perf.data goes to a file, its size comes first: %s", r->o.output, strerror(errno)), 0;
    }
    data_header(r, DATA_BEGIN, 0);
    return 1;
}

/* Ends it: the size, and what there is to say of all. */
void rec_output_end(recorder *r)
{
    static const int features[] = { DATA_OSRELEASE, DATA_ARCH, DATA_CPUS, DATA_COMMAND, DATA_TIMES };
    enum { FEATURES = sizeof features / sizeof *features };
    uint64_t place[FEATURES][2], bits = 0;
    const off_t end = r->data.on ? ftello(r->out) : 0;
    size_t i;
    if (!r->data.on || end < 0 || ferror(r->out)) return;
    fseeko(r->out, (off_t)sizeof place, SEEK_CUR);
    for (i = 0; i < FEATURES; i++) {
        place[i][0] = (uint64_t)ftello(r->out);
        data_feature(r, features[i]);
        place[i][1] = (uint64_t)ftello(r->out) - place[i][0];
        bits |= (uint64_t)1 << features[i];
    }
    fseeko(r->out, end, SEEK_SET);
    fwrite(place, sizeof place, 1, r->out);
    fseeko(r->out, 0, SEEK_SET);
    data_header(r, (uint64_t)end, bits);
    fseeko(r->out, 0, SEEK_END);
}

/* ----- text: printf would take a tenth of a recording's time ------------------------------------------------------ */

static char *text_hex(char *to, uint64_t n)
{
    unsigned digits = 1, i;
    while (digits < 16 && n >> 4 * digits != 0) digits++;
    for (i = digits; i-- > 0; n >>= 4) to[i] = "0123456789abcdef"[n & 15];
    return to + digits;
}

static void text_frame(const recorder *r, uint64_t address)
{
    char digits[16], line[18];
    const size_t n = (size_t)(text_hex(digits, address) - digits);
    line[0] = '\t';
    memset(line + 1, ' ', 16 - n);
    memcpy(line + 17 - n, digits, n);
    line[17] = '\n';
    fwrite(line, 1, sizeof line, r->out);
}

static void text_record(const recorder *r, const csspgo_branch *b)
{
    static const char speculation[4][25] = { "", "//SPEC_WRONG_PATH", "//NON_SPEC_CORRECT_PATH",
                                             "//SPEC_CORRECT_PATH" };
    char text[96], *to = text;
    const unsigned cycles = (unsigned)(b->flags >> 4) & 0xffff, spec = (unsigned)(b->flags >> 24) & 3;
    memcpy(to, " 0x", 3);
    to = text_hex(to + 3, b->from);
    memcpy(to, "/0x", 3);
    to = text_hex(to + 3, b->to);
    *to++ = '/';
    *to++ = (b->flags & 1) != 0 ? 'M' : (b->flags & 2) != 0 ? 'P' : '-';
    fwrite(text, 1, (size_t)(to - text), r->out);
    if (cycles == 0 && spec == 0) fwrite("/-/-/0 ", 1, 7, r->out);
    else fprintf(r->out, "/-/-/%u%s ", cycles, speculation[spec]);
}

/* ----- both forms ------------------------------------------------------------------------------------------------- */

/*
 * One sample: frames innermost first, records newest first. As text it has a line with process, thread and time before
 * it, as perf script -F pid,tid,time,ip,brstack prints them. With --exact it has none: equal runs give equal files.
 */
void rec_put_sample(recorder *r, const rec_origin *at, const uint64_t *stack, size_t frames, const csspgo_branch *b,
                    size_t records)
{
    size_t i;
    r->samples++;
    if (r->data.on) {
        data_sample(r, at, stack, frames, b, records);
        return;
    }
    if (r->hardware.size != 0 || !r->o.exact) {
        fprintf(r->out, "%5ld/%-5ld %5llu.%06llu: \n", (long)at->pid, (long)at->tid,
                (unsigned long long)(at->time / 1000000000u), (unsigned long long)(at->time % 1000000000u / 1000));
    }
    for (i = 0; i < frames; i++) text_frame(r, stack[i]);
    for (i = 0; i < records; i++) text_record(r, &b[i]);
    fputs("\n\n", r->out);
}

/* As perf prints a mapping: with the build id of its file, or else with what tells the file apart. */
static void text_map(const recorder *r, pid_t pid, const rec_map *m, const char *path, const rec_build_id *id)
{
    char digits[2 * sizeof id->bytes + 1];
    fprintf(r->out, " PERF_RECORD_MMAP2 %ld/%ld: [%#llx(%#llx) @ %#llx ", (long)pid, (long)pid,
            (unsigned long long)m->begin, (unsigned long long)(m->end - m->begin), (unsigned long long)m->offset);
    if (id->size != 0) fprintf(r->out, "<%s>", build_text(id->bytes, id->size, digits));
    else fprintf(r->out, "%s %lu 0", m->device, m->inode);
    fprintf(r->out, "]: %s %s\n", m->access, path);
}

/* A mapping of executable code. */
void rec_put_map(recorder *r, pid_t pid, const rec_map *m, const char *path, const rec_build_id *id)
{
    const uint32_t protection = (m->access[0] == 'r' ? PROT_READ : 0u) | (m->access[1] == 'w' ? PROT_WRITE : 0u) |
                                (m->access[2] == 'x' ? PROT_EXEC : 0u);
    unsigned major_number = 0, minor_number = 0;
    unsigned char bytes[24] = { 0 };
    if (r->traces != NULL) return;
    if (!r->data.on) {
        text_map(r, pid, m, path, id);
        return;
    }
    data_begin(r, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | (id->size != 0 ? (unsigned)DATA_BUILD_ID : 0));
    data_put_pair(r, (uint32_t)pid, (uint32_t)pid);
    data_put_number(r, m->begin);
    data_put_number(r, m->end - m->begin);
    data_put_number(r, m->offset);
    if (id->size != 0) {
        bytes[0] = (unsigned char)id->size;
        memcpy(bytes + 4, id->bytes, id->size);
        data_put(r, bytes, sizeof bytes);
    } else {
        sscanf(m->device, "%x:%x", &major_number, &minor_number);
        data_put_pair(r, major_number, minor_number);
        data_put_number(r, m->inode);
        data_put_number(r, 0);
    }
    data_put_pair(r, protection, m->access[3] == 's' ? MAP_SHARED : MAP_PRIVATE);
    data_put_name(r, path);
    data_end_event(r, pid, pid);
}

/* The name that a process has; exec: because it runs another program, and its mappings are others. */
void rec_put_name(recorder *r, pid_t pid, pid_t tid, const char *name, int exec)
{
    if (!r->data.on) {
        if (exec) fprintf(r->out, " PERF_RECORD_COMM exec: %s:%ld/%ld\n", name, (long)pid, (long)tid);
        return;
    }
    data_begin(r, PERF_RECORD_COMM, PERF_RECORD_MISC_USER | (exec ? PERF_RECORD_MISC_COMM_EXEC : 0));
    data_put_pair(r, (uint32_t)pid, (uint32_t)tid);
    data_put_name(r, name);
    data_end_event(r, pid, tid);
}

/* Puts the name that a thread has now. */
void rec_name_thread(recorder *r, pid_t pid, pid_t tid, int exec)
{
    char path[96], name[64] = "";
    FILE *f;
    if ((!r->data.on && !exec) || r->traces != NULL) return;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/comm", (long)pid, (long)tid);
    f = fopen(path, "re");
    if (f == NULL) return;
    if (fgets(name, sizeof name, f) != NULL) {
        name[strcspn(name, "\n")] = '\0';
        rec_put_name(r, pid, tid, name, exec);
    }
    fclose(f);
}

/* A thread or process has begun (PERF_RECORD_FORK) or ended (PERF_RECORD_EXIT). */
void rec_put_task(recorder *r, int type, pid_t pid, pid_t tid, pid_t parent)
{
    const char *name = type == PERF_RECORD_FORK ? "FORK" : "EXIT";
    if (r->traces != NULL) return;
    if (!r->data.on) {
        if (pid != parent) {
            fprintf(r->out, " PERF_RECORD_%s(%ld:%ld):(%ld:%ld)\n", name, (long)pid, (long)tid, (long)parent,
                    (long)parent);
        }
        return;
    }
    data_begin(r, (uint32_t)type, PERF_RECORD_MISC_USER);
    data_put_pair(r, (uint32_t)pid, (uint32_t)parent);
    data_put_pair(r, (uint32_t)tid, (uint32_t)parent);
    data_put_number(r, r->data.event_time != 0 ? r->data.event_time : rec_now());
    data_end_event(r, pid, tid);
}

#endif
