/* oracle_perfdata.c - prints what csspgo reads from a perf.data file, for oracle_perfdata.sh. Its second argument is
 * the size of the pieces it is fed in. */
#include <stdio.h>
#include <stdlib.h>
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_WITH_PERF
#include "../csspgo.h"

static void print_item(csspgo_item item, const csspgo_sample *s, const csspgo_mmap *m)
{
    uint32_t i;
    if (item == CSSPGO_ITEM_MMAP)
        printf("mmap %d 0x%llx 0x%llx 0x%llx %d %.*s\n", (int)m->pid, (unsigned long long)m->address,
               (unsigned long long)m->size, (unsigned long long)m->file_offset, (int)m->executable, (int)m->path_size,
               m->path);
    if (item == CSSPGO_ITEM_COMM) printf("comm %.*s %u\n", (int)m->path_size, m->path, s->tid);
    if (item == CSSPGO_ITEM_FORK) printf("fork %u %u %u\n", s->pid, s->tid, m->pid);
    if (item == CSSPGO_ITEM_EXIT) printf("exit %u %u %u\n", s->pid, s->tid, m->pid);
    if (item == CSSPGO_ITEM_BUILD_ID || (item == CSSPGO_ITEM_MMAP && m->build_id_size != 0)) {
        printf("build-id ");
        for (i = 0; i < m->build_id_size; i++) printf("%02x", m->build_id[i]);
        printf(" %.*s\n", (int)m->path_size, m->path);
    }
    if (item != CSSPGO_ITEM_SAMPLE) return;
    printf("sample %u/%u %llu", s->pid, s->tid, (unsigned long long)s->time);
    for (i = 0; i < s->stack_count; i++) printf(" %llx", (unsigned long long)s->stack[i]);
    for (i = 0; i < s->branch_count; i++)
        printf(" %llx>%llx", (unsigned long long)s->branches[i].from, (unsigned long long)s->branches[i].to);
    printf("\n");
}

int main(int argc, char **argv)
{
    csspgo_perfdata *d = csspgo_perfdata_new(NULL, NULL);
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
    const size_t chunk = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 65536;
    char *buf = (char *)malloc(chunk);
    csspgo_sample s;
    csspgo_mmap m;
    csspgo_error e;
    csspgo_item item;
    csspgo_perfdata_stats t;
    size_t n;
    if (d == NULL || f == NULL || buf == NULL) return 2;
    do {
        n = fread(buf, 1, chunk, f);
        if (n != 0) csspgo_perfdata_feed(d, buf, n, NULL);
        else csspgo_perfdata_end(d);
        while ((item = csspgo_perfdata_next(d, &s, &m, &e)) != CSSPGO_ITEM_NONE) print_item(item, &s, &m);
    } while (n != 0 && e.status == CSSPGO_OK);
    t = csspgo_perfdata_get_stats(d);
    fprintf(stderr, "%llu records, %llu samples, %llu unknown, %llu bad, %llu of no event, %llu lost, %llu early, "
            "%u events\n",
            (unsigned long long)t.records, (unsigned long long)t.samples, (unsigned long long)t.unknown_records,
            (unsigned long long)t.bad_records, (unsigned long long)t.unknown_events, (unsigned long long)t.lost,
            (unsigned long long)t.early, t.events);
    if (e.status != CSSPGO_OK)
        fprintf(stderr, "%s at %llu: %s\n", csspgo_status_name(e.status), (unsigned long long)e.offset, e.message);
    csspgo_perfdata_free(d);
    free(buf);
    fclose(f);
    return e.status != CSSPGO_OK;
}
