/* maps.c - the mappings of the process at hand */
#include "window.h"

#if defined(REC_SOFTWARE)

static int rec_known_map(const rec_map *maps, size_t count, const rec_map *m)
{
    size_t i;
    for (i = 0; i < count; i++) {
        if (maps[i].seen && maps[i].begin == m->begin && maps[i].end == m->end && maps[i].offset == m->offset &&
            maps[i].inode == m->inode) return 1;
    }
    return 0;
}

/* The recorder's own pages in the program. */
static int rec_is_window_page(const recorder *r, uint64_t address)
{
    const rec_windows *w = r->windows;
    size_t i;
    for (i = 0; w != NULL && i < w->areas; i++) if (address - w->area[i].code < 2 * REC_PAGE) return 1;
    for (i = 0; w != NULL && i < w->pages; i++) if (address - w->page[i] < REC_PAGE) return 1;
    return 0;
}

/* Reads the program's mappings again and writes the events of executable ones that are new. */
void rec_load_maps(recorder *r)
{
    rec_map *old = r->space.maps, m;
    const size_t old_count = r->space.map_count;
    char name[64], *line = NULL;
    size_t room = 0;
    FILE *f;
    snprintf(name, sizeof name, "/proc/%ld/maps", (long)r->pid);
    r->space.maps = NULL;
    r->space.map_count = r->space.map_room = 0;
    r->view.maps_stale = r->view.code_stale = 0;
    r->space.maps_loaded = r->burst.number;
    r->view.maps_read++;
    r->space.maps_time = rec_seconds();
    f = fopen(name, "re");
    while (f != NULL && getline(&line, &room, f) > 0) {
        int path;
        if (!rec_parse_map(line, &m, &path)) continue;
        line[strcspn(line, "\n")] = '\0';
        rec_first_on_map(r, &m, line[path] != '\0' ? line + path : "//anon");
        const int kernels = m.begin >> 63 != 0;            /* [vsyscall] */
        if (m.access[2] == 'x' && !kernels && !rec_is_window_page(r, m.begin)) {
            const char *file = line[path] != '\0' ? line + path : "//anon";
            m.seen = 1;
            if (!rec_known_map(old, old_count, &m)) {
                rec_build_id id;
                memset(&id, 0, sizeof id);
                if (r->traces == NULL) rec_find_build_id(r->pid, file, &id);
                rec_put_map(r, r->process != 0 ? r->process : r->pid, &m, file, &id);
                rec_look_for_ptrace(r, file);
            }
        }
        if (r->space.map_count == r->space.map_room) {
            const size_t more = r->space.map_room != 0 ? 2 * r->space.map_room : 64;
            rec_map *grown = (rec_map *)realloc(r->space.maps, more * sizeof *grown);
            if (grown == NULL) rec_die(r->tool, "out of memory");
            r->space.maps = grown;
            r->space.map_room = more;
        }
        r->space.maps[r->space.map_count++] = m;
    }
    if (f != NULL) rec_first_all_mapped(r);
    if (f != NULL) fclose(f);
    free(line);
    free(old);
}

/* The first mapping that ends above address, or NULL. */
const rec_map *rec_find_map(recorder *r, uint64_t address)
{
    size_t low = 0, high;
    if (r->view.maps_stale || r->space.maps == NULL) rec_load_maps(r);
    high = r->space.map_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (r->space.maps[middle].end > address) high = middle;
        else low = middle + 1;
    }
    return low < r->space.map_count ? &r->space.maps[low] : NULL;
}

/* The mapping that address is in, or NULL. In a burst, what is not known is looked for in the mappings of now. */
const rec_map *rec_map_of(recorder *r, uint64_t address)
{
    const rec_map *m = rec_find_map(r, address);
    if ((m == NULL || m->begin > address) && r->space.maps_loaded != r->burst.number) {
        rec_load_maps(r);
        m = rec_find_map(r, address);
    }
    return m != NULL && m->begin <= address ? m : NULL;
}

int rec_is_code(recorder *r, uint64_t address)
{
    const rec_map *m = rec_map_of(r, address);
    return m != NULL && m->access[2] == 'x';
}

#endif
