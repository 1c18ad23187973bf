/* objects.c - profgen --data-access-perftrace: which types of objects the code used, from sampled data addresses
 *
 * The trace is text of perf report -D. A sample is the address of an instruction and that of the data it read; if that is
 * in a vtable, the instruction's line gets one count of the vtable's type.
 */
#include "profgen.h"

typedef struct object_map {       /* where a part of the program was mapped */
    unsigned long long pid, begin, size, offset;
} object_map;

typedef struct object_use {
    uint64_t ip;                  /* link-time address of the instruction  */
    size_t   type;                /* in objects.type                       */
} object_use;

typedef struct objects {
    profgen    *g;
    object_map *map;
    load_range *type;             /* the vtables, by address               */
    object_use *use;              /* by ip, then type                      */
    size_t maps, map_cap, types, uses, use_cap;
} objects;

/* ----- the trace -------------------------------------------------------------------------------------------------- */

static const char *objects_last_part(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* "PERF_RECORD_MMAP2 PID/TID: [0xBEGIN(0xSIZE) @ OFFSET ...]: r-xp FILE". Returns 0: out of memory. */
static int objects_mapping(objects *x, const char *text)
{
    const option *const o = x->g->o;
    const char *const file = o[O_PERF_BINARY].text != NULL ? o[O_PERF_BINARY].text : x->g->in.binary;
    const char *name = strrchr(text, ' ');
    object_map m;
    char offset[32];
    text = strchr(text, ' ');
    if (text == NULL || name == NULL || strcmp(objects_last_part(name + 1), objects_last_part(file)) != 0) return 1;
    if (sscanf(text, "%llu/%*d: [0x%llx(0x%llx) @ %31[^] ]", &m.pid, &m.begin, &m.size, offset) != 4) return 1;
    if (!pid_asked(o, m.pid)) return 1;
    m.offset = strtoull(offset, NULL, 0);
    if (!debug_room(&x->map, x->maps, &x->map_cap, sizeof *x->map)) return 0;
    x->map[x->maps++] = m;
    return 1;
}

/* The link-time address; one that is in no mapping of the program is one. */
static uint64_t objects_place(const objects *x, unsigned long long pid, uint64_t address)
{
    const elf_image *const e = &x->g->image->elf;
    size_t i;
    uint32_t k;
    for (i = x->maps; i-- > 0;) {
        const object_map *const m = &x->map[i];
        const uint64_t at = address - m->begin + m->offset;
        elf_segment s;
        if (m->pid != pid || address - m->begin >= m->size) continue;
        for (k = 0; k < e->segment_count; k++)
            if (elf_segment_at(e, k, &s) && s.type == ELF_LOAD && at - s.offset < s.file_size)
                return s.address + (at - s.offset);
    }
    return address;
}

/* The vtable that an address is in, or NULL. */
static const load_range *objects_type(const objects *x, uint64_t address)
{
    size_t a = 0, b = x->types;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (x->type[m].begin <= address) a = m + 1;
        else b = m;
    }
    return a != 0 && address < x->type[a - 1].end ? &x->type[a - 1] : NULL;
}

/* "PERF_RECORD_SAMPLE(...): PID/TID: 0xIP period: N addr: 0xDATA". Returns 0: out of memory. */
static int objects_sample(objects *x, const char *text)
{
    unsigned long long pid, ip, data;
    const load_range *t;
    text = strstr(text, "): ");
    if (text == NULL || sscanf(text, "): %llu/%*d: 0x%llx period: %*u addr: 0x%llx", &pid, &ip, &data) != 3) return 1;
    t = pid_asked(x->g->o, pid) ? objects_type(x, objects_place(x, pid, data)) : NULL;
    if (t == NULL) return 1;
    if (!debug_room(&x->use, x->uses, &x->use_cap, sizeof *x->use)) return 0;
    x->use[x->uses].ip = objects_place(x, pid, ip);
    x->use[x->uses++].type = (size_t)(t - x->type);
    return 1;
}

/* Returns 0: out of memory. */
static int objects_line(objects *x, const char *line)
{
    const char *const at = strstr(line, "PERF_RECORD_");
    if (at == NULL) return 1;
    if (strncmp(at, "PERF_RECORD_MMAP", 16) == 0) return objects_mapping(x, at);
    return strncmp(at, "PERF_RECORD_SAMPLE(", 19) != 0 || objects_sample(x, at);
}

/* Returns 0 after saying what is wrong. */
static int objects_read(objects *x, const char *path)
{
    char line[4096 + PATH_MAX];
    file_bytes f;
    size_t at = 0, n;
    int ok = 1;
    if (!file_open(path, &f)) return fail(x->g->tool, "%s: %s", path, file_why()), 0;
    for (; ok && at < f.size; at += n + 1) {
        const unsigned char *const end = (const unsigned char *)memchr(f.data + at, '\n', f.size - at);
        n = end != NULL ? (size_t)(end - (f.data + at)) : f.size - at;
        if (n >= sizeof line) continue;                    /* no record is as long */
        memcpy(line, f.data + at, n);
        line[n] = '\0';
        line[strcspn(line, "\r")] = '\0';
        ok = objects_line(x, line);
    }
    file_close(&f);
    return ok || (fail(x->g->tool, "out of memory"), 0);
}

/* ----- the program's vtables -------------------------------------------------------------------------------------- */

static int objects_type_cmp(const void *a, const void *b)
{
    const load_range *const x = (const load_range *)a, *const y = (const load_range *)b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Returns 0: out of memory. */
static int objects_types(objects *x)
{
    const elf_image *const e = load_symbols(x->g->image);
    uint32_t i;
    x->type = (load_range *)calloc((size_t)e->symbol_count + 1, sizeof *x->type);
    for (i = 1; x->type != NULL && i < e->symbol_count; i++) {
        elf_symbol y;
        if (!elf_symbol_at(e, i, &y) || y.section == ELF_UNDEFINED || y.type != ELF_OBJECT) continue;
        if (y.name_size < 4 || memcmp(y.name, "_ZTV", 4) != 0 || y.size > UINT64_MAX - y.value) continue;
        x->type[x->types].begin = y.value;
        x->type[x->types].end = y.value + y.size;
        x->type[x->types].name = y.name;
        x->type[x->types++].name_size = (uint32_t)y.name_size;
    }
    if (x->types != 0) qsort(x->type, x->types, sizeof *x->type, objects_type_cmp);
    return x->type != NULL;
}

/* ----- into the profile ------------------------------------------------------------------------------------------- */

static csspgo_loc objects_loc(const objects *x, csspgo_loc loc)
{
    return is_flow_sensitive(x->g->image) ? loc : csspgo_base_loc(loc, NULL);
}

/* The record of a copy of a function; id 0: out of memory. */
static csspgo_node objects_node(const objects *x, csspgo_profile *p, const debug_lines *l, uint32_t copy)
{
    const csspgo_line_inline_node *const n = &l->node[copy - 1];
    const csspgo_func f = csspgo_func_add(p, n->name, n->name_size);
    csspgo_node up = csspgo_root(p), none = { 0 };
    if (f.id == 0) return none;
    if (n->parent == 0) return csspgo_node_add(p, up, csspgo_loc_at(0, 0), CSSPGO_PLAIN, f);
    up = objects_node(x, p, l, n->parent);
    return up.id != 0 ? csspgo_node_add(p, up, objects_loc(x, n->site), CSSPGO_INLINEE, f) : none;
}

/* Uses of one unit's code, rows ascending. */
static csspgo_status objects_of_unit(objects *x, csspgo_profile *p, const debug_lines *l)
{
    csspgo_status s = CSSPGO_OK;
    size_t i, k = 0;
    for (i = 0; s == CSSPGO_OK && i + 1 < l->rows; i++) {
        const load_range *t;
        csspgo_node node;
        csspgo_func f;
        while (k > 0 && x->use[k - 1].ip >= l->row[i].address) k--;
        while (k < x->uses && x->use[k].ip < l->row[i].address) k++;
        for (; s == CSSPGO_OK && l->row[i].inline_node != 0 && k < x->uses && x->use[k].ip < l->row[i + 1].address; k++) {
            t = &x->type[x->use[k].type];
            f = csspgo_func_add(p, t->name, t->name_size);
            node = objects_node(x, p, l, l->row[i].inline_node);
            if (f.id == 0 || node.id == 0) return CSSPGO_E_NOMEM;
            s = csspgo_add_vtable(p, node, objects_loc(x, l->row[i].loc), f, 1);
        }
    }
    return s;
}

static int objects_use_cmp(const void *a, const void *b)
{
    const object_use *const x = (const object_use *)a, *const y = (const object_use *)b;
    return x->ip < y->ip ? -1 : x->ip > y->ip;
}

/* Adds what was read to the profile. */
static csspgo_status objects_add(objects *x, csspgo_profile *p)
{
    debug_info *const d = x->g->lines->debug;
    const size_t units = debug_info_units(d);
    debug_area *const v = (debug_area *)malloc((x->uses + 1) * sizeof *v);
    unsigned char *const unit = (unsigned char *)calloc(units + 1, 1);
    csspgo_status s = v != NULL && unit != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
    debug_areas in;
    size_t i;
    in.v = v;
    in.n = 0;
    if (x->uses != 0) qsort(x->use, x->uses, sizeof *x->use, objects_use_cmp);
    for (i = 0; s == CSSPGO_OK && i < x->uses; i++) {
        if (i != 0 && x->use[i].ip == x->use[i - 1].ip) continue;
        v[in.n].begin = x->use[i].ip;
        v[in.n++].end = x->use[i].ip + 1;
    }
    if (s == CSSPGO_OK) debug_info_units_in(d, &in, unit);
    for (i = 0; s == CSSPGO_OK && i < units; i++) {
        debug_lines l;
        if (!unit[i]) continue;
        s = debug_info_lines(d, i, &in, &l) ? objects_of_unit(x, p, &l) : CSSPGO_E_NOMEM;
    }
    free(unit);
    free(v);
    return s;
}

int objects_goes(const profgen *g)
{
    if (g->o[O_OBJECTS].text == NULL) return 1;
    if (g->lines != NULL && !csspgo_collector_has_contexts(g->count.collector) && g->programs.count == 1) return 1;
    if (g->tool->compat)
        return fail(g->tool, "Symbolizing vtables from data access profiles is not yet supported for context-sensitive perf "
                    "traces or when pseudo-probe based mapping is enabled."), 0;
    return fail(g->tool, "--data-access-perftrace: types of objects are counted for one program, by source line, without "
                "contexts: --use-dwarf-correlation --ignore-stack-samples"), 0;
}

int objects_count(profgen *g, csspgo_profile *p)
{
    objects x;
    csspgo_status s;
    int ok;
    if (g->o[O_OBJECTS].text == NULL) return 1;
    memset(&x, 0, sizeof x);
    x.g = g;
    ok = objects_types(&x) || (fail(g->tool, "out of memory"), 0);
    ok = ok && objects_read(&x, g->o[O_OBJECTS].text);
    if (ok && x.uses == 0)
        warn(g->tool, "%s: no sampled data is in a vtable of the program", g->o[O_OBJECTS].text);
    s = ok ? objects_add(&x, p) : CSSPGO_OK;
    if (s != CSSPGO_OK) ok = (fail(g->tool, "%s", csspgo_status_text(s)), 0);
    free(x.map);
    free(x.type);
    free(x.use);
    return ok;
}
