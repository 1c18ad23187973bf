/* views.h - what the tool draws of a profile: collapsed stacks and a flame graph, over the public interface of csspgo.h
 *
 *   csspgo folded P     one line per stack, `frame;frame;leaf N`, sorted by bytes: for flamegraph.pl, speedscope, grep
 *   csspgo flame P      an SVG that needs nothing else: a frame per context, zoom and search by a small script in it
 *
 * The weight of a node is what was sampled in it and not in its inlinees: its total, less their totals.
 * Include it after csspgo.h, load.h and tool.h. Part of csspgo, same licence.
 */
#ifndef CSSPGO_EXAMPLES_VIEWS_H
#define CSSPGO_EXAMPLES_VIEWS_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----- text that grows; once memory is out it stays failed and nothing is added --------------------------------- */

typedef struct views_text {
    char  *data;
    size_t size, cap;
    int    failed;
} views_text;

static int views_room(views_text *t, size_t n)
{
    size_t cap = t->cap != 0 ? t->cap : 256;
    char *data;
    if (t->failed) return 0;
    if (n <= t->cap - t->size) return 1;
    while (cap - t->size < n && cap <= SIZE_MAX / 2) cap *= 2;
    data = cap - t->size >= n ? (char *)realloc(t->data, cap) : NULL;
    if (data == NULL) {
        t->failed = 1;
        return 0;
    }
    t->data = data;
    t->cap = cap;
    return 1;
}

static void views_add(views_text *t, const char *bytes, size_t n)
{
    if (n == 0 || !views_room(t, n)) return;
    memcpy(t->data + t->size, bytes, n);
    t->size += n;
}

static void views_say(views_text *t, const char *s)
{
    views_add(t, s, strlen(s));
}

/* A number in decimal, in groups of three if there is a separator. */
static void views_number(views_text *t, uint64_t n, char separator)
{
    char digits[32];
    size_t at = sizeof digits, k = 0;
    do {
        if (separator != '\0' && k != 0 && k % 3 == 0) digits[--at] = separator;
        digits[--at] = (char)('0' + n % 10);
        n /= 10;
        k++;
    } while (n != 0);
    views_add(t, digits + at, sizeof digits - at);
}

static void views_hex(views_text *t, uint64_t n)
{
    char digits[24];
    snprintf(digits, sizeof digits, "0x%016llx", (unsigned long long)n);
    views_say(t, digits);
}

/* part * scale / whole for part <= whole, without overflow; scale < 2^20. 0 of 0 is 0. */
static uint64_t views_scaled(uint64_t part, uint64_t whole, uint64_t scale)
{
    while (whole >= (uint64_t)1 << 44) {
        part >>= 1;
        whole >>= 1;
    }
    return whole == 0 ? 0 : part * scale / whole;
}

/* "12.34 %" */
static void views_percent(views_text *t, uint64_t part, uint64_t whole)
{
    const uint64_t p = (views_scaled(part, whole, 100000) + 5) / 10;
    char digits[32];
    snprintf(digits, sizeof digits, "%u.%02u %%", (unsigned)(p / 100), (unsigned)(p % 100));
    views_say(t, digits);
}

static uint64_t views_plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Bytes of the UTF-8 character at s that XML can hold and that shows as itself; 0: none. */
static size_t views_character(const unsigned char *s, size_t left)
{
    const size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    uint32_t c = n < 2 ? s[0] : s[0] & (0x7fu >> n);
    size_t i;
    if (n == 0 || n > left) return 0;
    for (i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    if ((n == 3 && c < 0x800) || (n == 4 && (c < 0x10000 || c > 0x10ffff))) return 0;
    if (c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0xd800 && c < 0xe000)) return 0;
    if ((c >= 0x200b && c < 0x2010) || (c >= 0x2028 && c < 0x202f) || (c >= 0x2060 && c < 0x2070))
        return 0;                                     /* unseen, or turns the text around */
    return (c & 0xfffe) == 0xfffe || c == 0xfeff || (c >= 0xfdd0 && c < 0xfdf0) ? 0 : n;
}

/* Bytes as text: what is no visible character is written \xHH. */
static void views_clean(views_text *t, const char *bytes, size_t size)
{
    size_t i, n;
    for (i = 0; i < size; i += n) {
        char escape[8];
        n = views_character((const unsigned char *)bytes + i, size - i);
        if (n != 0) {
            views_add(t, bytes + i, n);
            continue;
        }
        snprintf(escape, sizeof escape, "\\x%02x", (unsigned)(unsigned char)bytes[i]);
        views_say(t, escape);
        n = 1;
    }
}

/* ----- names ---------------------------------------------------------------------------------------------------- */

typedef struct views_name {       /* a name for a GUID */
    uint64_t guid;
    size_t   begin, size;
} views_name;

typedef struct views_names {      /* sorted by GUID once all are in */
    views_text  text;
    views_name *names;
    size_t      count, cap;
} views_names;

static void views_names_add(views_names *v, const char *name, size_t size)
{
    if (size == 0 || v->text.failed) return;
    if (v->count == v->cap) {
        const size_t cap = v->cap != 0 ? 2 * v->cap : 256;
        views_name *names =
            cap <= SIZE_MAX / sizeof *names ? (views_name *)realloc(v->names, cap * sizeof *names) : NULL;
        if (names == NULL) {
            v->text.failed = 1;
            return;
        }
        v->names = names;
        v->cap = cap;
    }
    v->names[v->count].guid = csspgo_guid(name, size);
    v->names[v->count].begin = v->text.size;
    v->names[v->count++].size = size;
    views_add(&v->text, name, size);
}

static int views_name_order(const void *a, const void *b)
{
    const views_name *x = (const views_name *)a, *y = (const views_name *)b;
    if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* One name a line. */
static int views_names_file(views_names *v, const char *path)
{
    const char *p, *end, *q;
    file_bytes f;
    if (!file_open(path, &f)) return fail("%s: %s", path, strerror(errno)), 0;
    for (p = (const char *)f.data, end = p + f.size; p < end; p = q + 1) {
        size_t n;
        q = (const char *)memchr(p, '\n', (size_t)(end - p));
        if (q == NULL) q = end;
        n = (size_t)(q - p);
        if (n != 0 && p[n - 1] == '\r') n--;
        views_names_add(v, p, n);
        if (q == end) break;
    }
    file_close(&f);
    return 1;
}

/* The probe descriptors' names and the symbols', these also without the suffix that ThinLTO appends. */
static int views_names_elf(views_names *v, const char *path)
{
    csspgo_probes *probes = csspgo_probes_new(seeded(), NULL);
    char why[256];
    elf_image elf;
    elf_section s;
    elf_symbol y;
    file_bytes f;
    csspgo_error e;
    uint32_t i;
    size_t k;
    int ok;
    if (probes == NULL) return fail("out of memory"), 0;
    if (!file_open(path, &f)) return csspgo_probes_free(probes), fail("%s: %s", path, strerror(errno)), 0;
    ok = elf_open(f.data, f.size, &elf, why, sizeof why);
    if (!ok) fail("%s: %s", path, why);
    if (ok && elf_section_named(&elf, ".pseudo_probe_desc", &s) && s.contents != NULL && !s.compressed &&
        csspgo_probes_decode_descriptors(probes, s.contents, (size_t)s.size, &e) == CSSPGO_OK) {
        const csspgo_probe_tables t = csspgo_probes_tables(probes);
        for (k = 0; k < t.descriptor_count; k++) views_names_add(v, t.descriptors[k].name, t.descriptors[k].name_size);
    }
    for (i = 1; ok && i < elf.symbol_count; i++) {
        if (!elf_symbol_at(&elf, i, &y) || (y.type != ELF_FUNC && y.type != ELF_NOTYPE)) continue;
        views_names_add(v, y.name, y.name_size);
        views_names_add(v, y.name, load_strip(y.name, y.name_size, ".llvm."));
    }
    csspgo_probes_free(probes);
    file_close(&f);
    return ok;
}

/* The first name with this GUID, or NULL. */
static const char *views_names_find(const views_names *v, uint64_t guid, size_t *size)
{
    size_t lo = 0, hi = v->count;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (v->names[mid].guid < guid) lo = mid + 1;
        else hi = mid;
    }
    if (lo == v->count || v->names[lo].guid != guid) return NULL;
    *size = v->names[lo].size;
    return v->text.data + v->names[lo].begin;
}

/* A name of digits only stands for a GUID in text profiles with MD5 names. */
static int views_is_guid(const char *name, size_t size, uint64_t *guid)
{
    size_t i;
    *guid = 0;
    if (size == 0 || size > 20) return 0;
    for (i = 0; i < size; i++) {
        const uint64_t digit = (uint64_t)(unsigned char)name[i] - '0';
        if (digit > 9 || *guid > (UINT64_MAX - digit) / 10) return 0;
        *guid = *guid * 10 + digit;
    }
    return 1;
}

/* ----- command line and input ----------------------------------------------------------------------------------- */

typedef struct views {
    const char *input, *output, *title, *names_file, *binary;
    long        width;
    int         icicle, mark_inlined;
    views_names names;
    csspgo_profile *p;
    output      file;
    FILE       *out;              /* the stream of it; NULL: not open */
} views;

enum { VIEWS_OUTPUT, VIEWS_NAMES, VIEWS_BINARY, VIEWS_OWN, VIEWS_TITLE, VIEWS_WIDTH };   /* places in both tables */

#define VIEWS_COMMON \
    { "output", OPT_TEXT, NULL, 0, "-", NULL, 0 }, \
    { "names", OPT_TEXT, NULL, 0, NULL, NULL, 0 }, \
    { "binary", OPT_TEXT, NULL, 0, NULL, NULL, 0 }

static const option folded_options[] = {
    VIEWS_COMMON,
    { "mark-inlined", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "o", OPT_ALIAS, "output", 0, NULL, NULL, 0 },
    { NULL, OPT_TEXT, NULL, 0, NULL, NULL, 0 }
};

static const option flame_options[] = {
    VIEWS_COMMON,
    { "icicle", OPT_SWITCH, NULL, 0, NULL, NULL, 0 },
    { "title", OPT_TEXT, NULL, 0, "Flame graph", NULL, 0 },
    { "width", OPT_NUMBER, NULL, 1200, NULL, NULL, 0 },
    { "o", OPT_ALIAS, "output", 0, NULL, NULL, 0 },
    { NULL, OPT_TEXT, NULL, 0, NULL, NULL, 0 }
};

/* Returns 0 after saying what is wrong. */
static int views_parse(views *v, int flame, int argc, char **argv)
{
    option o[sizeof flame_options / sizeof *flame_options];
    int files;
    memset(v, 0, sizeof *v);
    if (flame) memcpy(o, flame_options, sizeof flame_options);
    else memcpy(o, folded_options, sizeof folded_options);
    files = options_parse(o, argc, argv);
    if (files < 0) return 0;
    if (files == 0) return fail("which profile?"), 0;
    if (files > 1) return fail("one profile only: %s, %s", argv[0], argv[1]), 0;
    v->input = argv[0];
    v->output = o[VIEWS_OUTPUT].text;
    v->names_file = o[VIEWS_NAMES].text;
    v->binary = o[VIEWS_BINARY].text;
    if (!output_spares(v->output, v->input) || !output_spares(v->output, v->names_file) ||
        !output_spares(v->output, v->binary))
        return 0;
    if (!flame) return v->mark_inlined = o[VIEWS_OWN].number != 0, 1;
    v->icicle = o[VIEWS_OWN].number != 0;
    v->title = o[VIEWS_TITLE].text;
    v->width = (long)o[VIEWS_WIDTH].number;
    return (v->width >= 200 && v->width <= 10000) ||
           (fail("--width: '%s' is not a number of pixels from 200 to 10000", o[VIEWS_WIDTH].text), 0);
}

static void views_close(views *v)
{
    csspgo_profile_free(v->p);
    free(v->names.text.data);
    free(v->names.names);
}

/* Reads the profile and the names. Returns 0 after saying what is wrong. */
static int views_open(views *v)
{
    const char *path = strcmp(v->input, "-") == 0 ? "/dev/stdin" : v->input;
    csspgo_error e;
    if (v->names_file != NULL && !views_names_file(&v->names, v->names_file)) return 0;
    if (v->binary != NULL && !views_names_elf(&v->names, v->binary)) return 0;
    if (v->names.count != 0) qsort(v->names.names, v->names.count, sizeof *v->names.names, views_name_order);
    v->p = csspgo_profile_new(seeded(), NULL);
    if (v->p == NULL || v->names.text.failed) return fail("out of memory"), 0;
    if (csspgo_read_file(v->p, path, &e) != CSSPGO_OK) return fail_at(v->input, &e), 0;
    v->out = stream_begin(&v->file, v->output);
    return v->out != NULL;
}

/* Ends the output; what the commands return. */
static int views_end(views *v, int ok)
{
    const int status = v->out != NULL ? stream_end(&v->file, v->output, ok) : 1;
    views_close(v);
    return status;
}

/* A function's name: its own, else one that is known for its GUID, else 0x and the GUID. */
static void views_func_name(const views *v, csspgo_func func, views_text *t)
{
    size_t size, known_size = 0;
    const char *name = csspgo_func_name(v->p, func, &size), *known;
    uint64_t guid = 0;
    if (name != NULL && !views_is_guid(name, size, &guid)) {
        if (size == 0) views_say(t, "(no name)");
        views_add(t, name, size);
        return;
    }
    if (name == NULL) guid = csspgo_func_guid(v->p, func);
    known = views_names_find(&v->names, guid, &known_size);
    if (known != NULL) views_add(t, known, known_size);
    else if (name != NULL) views_add(t, name, size);
    else views_hex(t, guid);
}

/* ----- the tree ------------------------------------------------------------------------------------------------- */

/* What was sampled in the node itself. */
static uint64_t views_self(const csspgo_profile *p, csspgo_node node)
{
    const uint64_t total = csspgo_total(p, node);
    uint64_t inlined = 0;
    csspgo_node c;
    for (c = csspgo_node_first_child(p, node); c.id != 0; c = csspgo_node_next_sibling(p, c))
        if (csspgo_node_kind_of(p, c) == CSSPGO_INLINEE) inlined = views_plus(inlined, csspgo_total(p, c));
    return total > inlined ? total - inlined : 0;
}

static int views_is_inlined(const csspgo_profile *p, csspgo_node node)
{
    return csspgo_node_kind_of(p, node) == CSSPGO_INLINEE || (csspgo_attributes(p, node) & CSSPGO_WAS_INLINED) != 0;
}

/* ----- folded --------------------------------------------------------------------------------------------------- */

/* A profile serves as the tree of stacks: its functions are frames, as they are printed; its totals are the weights. */
typedef struct views_stacks {
    const views    *v;
    csspgo_profile *q;
    csspgo_func    *frames;       /* by function id: plain, behind these the ones marked as inlinees; 0: not made yet */
} views_stacks;

/* Adds a name as a frame: clean, nothing in it ends the frame, and no number at its end looks like a second count. */
static void views_add_frame(views_text *t, const char *name, size_t size)
{
    size_t i, k;
    for (i = 0; i < size; i++) {
        for (k = i + 1; name[i] == ' ' && k < size && ((name[k] >= '0' && name[k] <= '9') || name[k] == '.');) k++;
        if (k == size && k != i + 1) views_say(t, "\\x20");
        else views_add(t, name[i] == ';' ? ":" : name + i, 1);
    }
}

/* The frame of a node; id 0 when out of memory. */
static csspgo_func views_frame(views_stacks *s, csspgo_node node)
{
    const csspgo_func func = csspgo_node_func(s->v->p, node);
    const int marked = s->v->mark_inlined && views_is_inlined(s->v->p, node);
    csspgo_func *frame = &s->frames[func.id + (marked ? csspgo_func_count(s->v->p) + 1 : 0)];
    views_text name, clean, text;
    if (frame->id != 0) return *frame;
    memset(&name, 0, sizeof name);
    memset(&clean, 0, sizeof clean);
    memset(&text, 0, sizeof text);
    views_func_name(s->v, func, &name);
    views_clean(&clean, name.data, name.size);
    views_add_frame(&text, clean.data, clean.size);
    if (marked) views_say(&text, "_[i]");
    if (!name.failed && !clean.failed && !text.failed) *frame = csspgo_func_add(s->q, text.data, text.size);
    free(name.data);
    free(clean.data);
    free(text.data);
    return *frame;
}

/* Goes through the profile and adds each weight to its stack. A second record of a context has its parent's stack. */
static int views_collapse(views_stacks *s)
{
    const csspgo_profile *p = s->v->p;
    csspgo_node n = csspgo_root(p), c, at = csspgo_root(s->q);
    for (;;) {
        c = csspgo_node_first_child(p, n);
        while (c.id == 0 && n.id != csspgo_root(p).id) {
            if (csspgo_node_kind_of(p, n) != CSSPGO_TWIN) at = csspgo_node_parent(s->q, at);
            c = csspgo_node_next_sibling(p, n);
            n = csspgo_node_parent(p, n);
        }
        if (c.id == 0) return 1;
        n = c;
        if (csspgo_node_kind_of(p, n) != CSSPGO_TWIN) {
            const csspgo_func frame = views_frame(s, n);
            if (frame.id == 0) return 0;
            at = csspgo_node_add(s->q, at, csspgo_at(0, 0), CSSPGO_CONTEXT, frame);
        }
        if (at.id == 0 || csspgo_add_total(s->q, at, views_self(p, n)) != CSSPGO_OK) return 0;
    }
}

/* What is still to be printed: one line, or all lines below a frame. */
typedef struct views_item {
    const char *name;
    size_t      name_size, path_size;
    uint64_t    count;            /* of a line */
    uint32_t    node;
    uint32_t    tail_size;
    char        tail[24];         /* what follows the name: ";", or " N" */
} views_item;

static size_t views_item_size(const views_item *x)
{
    return x->name_size + x->tail_size;
}

static int views_item_byte(const views_item *x, size_t i)
{
    return (unsigned char)(i < x->name_size ? x->name[i] : x->tail[i - x->name_size]);
}

/* By what they print, last first: the list is worked off from its end. */
static int views_item_order(const void *a, const void *b)
{
    const views_item *x = (const views_item *)a, *y = (const views_item *)b;
    size_t i = x->name_size < y->name_size ? x->name_size : y->name_size;
    const int names = i != 0 ? memcmp(y->name, x->name, i) : 0;
    if (names != 0) return names;
    for (; i < views_item_size(x) && i < views_item_size(y); i++)
        if (views_item_byte(x, i) != views_item_byte(y, i)) return views_item_byte(y, i) - views_item_byte(x, i);
    return views_item_size(x) == views_item_size(y) ? 0 : views_item_size(x) < views_item_size(y) ? 1 : -1;
}

typedef struct views_items {
    views_item *items;
    size_t      count, cap;
} views_items;

static views_item *views_item_new(views_items *v)
{
    views_item *items;
    if (v->count == v->cap) {
        const size_t cap = v->cap != 0 ? 2 * v->cap : 64;
        items = cap <= SIZE_MAX / sizeof *items ? (views_item *)realloc(v->items, cap * sizeof *items) : NULL;
        if (items == NULL) return NULL;
        v->items = items;
        v->cap = cap;
    }
    memset(&v->items[v->count], 0, sizeof *v->items);
    return &v->items[v->count++];
}

/* Puts the children of a stack on the list. */
static int views_push(views_items *v, const csspgo_profile *q, csspgo_node node, size_t path_size)
{
    const size_t first = v->count;
    csspgo_node c;
    for (c = csspgo_node_first_child(q, node); c.id != 0; c = csspgo_node_next_sibling(q, c)) {
        const uint64_t count = csspgo_total(q, c);
        int line;
        for (line = 0; line < 2; line++) {
            views_item *x;
            if (line ? count == 0 : csspgo_node_first_child(q, c).id == 0) continue;
            x = views_item_new(v);
            if (x == NULL) return 0;
            x->name = csspgo_func_name(q, csspgo_node_func(q, c), &x->name_size);
            x->path_size = path_size;
            x->node = c.id;
            x->count = line ? count : 0;
            x->tail_size = (uint32_t)(line ? snprintf(x->tail, sizeof x->tail, " %llu", (unsigned long long)count)
                                           : snprintf(x->tail, sizeof x->tail, ";"));
        }
    }
    if (v->count != first) qsort(v->items + first, v->count - first, sizeof *v->items, views_item_order);
    return 1;
}

/* Prints the stacks in the order of their bytes. */
static int views_print_stacks(const csspgo_profile *q, FILE *out)
{
    uint64_t samples = 0, lines = 0;
    views_items v;
    views_text path;
    int ok;
    memset(&v, 0, sizeof v);
    memset(&path, 0, sizeof path);
    ok = views_push(&v, q, csspgo_root(q), 0);
    while (ok && v.count != 0) {
        const views_item x = v.items[--v.count];
        path.size = x.path_size;
        views_add(&path, x.name, x.name_size);
        views_add(&path, x.tail, x.tail_size);
        if (x.count != 0) {
            views_add(&path, "\n", 1);
            if (!path.failed) fwrite(path.data, 1, path.size, out);
            samples = views_plus(samples, x.count);
            lines++;
        } else {
            csspgo_node node;
            node.id = x.node;
            ok = views_push(&v, q, node, path.size);
        }
        ok = ok && !path.failed;
    }
    free(v.items);
    free(path.data);
    if (ok) fprintf(stderr, "%llu samples in %llu stacks\n", (unsigned long long)samples, (unsigned long long)lines);
    return ok;
}

static int views_folded(int argc, char **argv)
{
    csspgo_options options = *seeded();
    views_stacks s;
    views v;
    int ok;
    if (!views_parse(&v, 0, argc, argv)) return 2;
    memset(&s, 0, sizeof s);
    options.limits.max_name = UINT32_MAX;             /* escapes make names longer */
    s.v = &v;
    ok = views_open(&v);
    if (ok) {
        s.q = csspgo_profile_new(&options, NULL);
        s.frames = (csspgo_func *)calloc(2 * ((size_t)csspgo_func_count(v.p) + 1), sizeof *s.frames);
        ok = s.q != NULL && s.frames != NULL && views_collapse(&s) && views_print_stacks(s.q, v.out);
        if (!ok) fail("out of memory");
    }
    csspgo_profile_free(s.q);
    free(s.frames);
    return views_end(&v, ok);
}

/* ----- flame: what is drawn ------------------------------------------------------------------------------------- */

enum {
    VIEWS_SIDE = 10, VIEWS_TOP = 60, VIEWS_ROW = 18,  /* margins and height of a row, px                           */
    VIEWS_UNIT = 100,                                 /* coordinates are whole hundredths of a px                  */
    VIEWS_NARROW = 10,                                /* in these units: what is narrower is not drawn             */
    VIEWS_CHAR = 720,                                 /* width of a character, 12 px monospace                     */
    VIEWS_CONTEXT = 2000,                             /* bytes of a context in a tooltip: browsers cut longer ones */
    VIEWS_NAME = 1000                                 /* bytes of a name that are shown                            */
};

typedef enum views_kind {
    VIEWS_ALL, VIEWS_CALLED, VIEWS_INLINED, VIEWS_SHOULD, VIEWS_BASE, VIEWS_CUT, VIEWS_KINDS
} views_kind;

typedef struct views_box {        /* a frame of the picture; x in units from the left edge of the root */
    uint32_t node, depth;
    uint32_t x, width;
    uint32_t hatched;             /* units at the right end: samples without context */
    uint32_t frames;              /* VIEWS_CUT: how many it stands for               */
    uint64_t weight;              /* with all above it                               */
    views_kind kind;
} views_box;

typedef struct views_child {      /* a node to draw, in the order of names */
    const char *name;
    size_t      name_size;
    csspgo_loc  loc;
    uint32_t    node, depth;
    uint64_t    begin;            /* weights left of it */
} views_child;

typedef struct views_flame_data {
    const views    *v;
    const csspgo_profile *p;
    views_text      text;                 /* names of functions, valid UTF-8                            */
    size_t         *begin;                /* by function id, where in text; one more for the end        */
    uint64_t       *weight;               /* by node id, with all below it, >> shift                    */
    uint32_t       *frames;               /* by node id: nodes with weight, itself and all below it     */
    unsigned        shift;                /* 0 unless all weights together exceed 64 bits               */
    uint64_t        all, alone;           /* of everything; of what has no context, both >> shift       */
    uint32_t        depth;                /* of the deepest box                                         */
    uint64_t        cut, cut_frames;      /* what is too narrow to draw                                 */
    uint32_t        units;                /* width of the root                                          */
    views_box      *boxes;
    size_t          box_count, box_cap;
    views_child    *list;
    size_t          list_count, list_cap;
    int             seen[VIEWS_KINDS];
} views_flame_data;

static int views_is_cs(const views_flame_data *d)
{
    return (csspgo_profile_flags(d->p) & CSSPGO_IS_CS) != 0;
}

static int views_all_names(views_flame_data *d)
{
    const uint32_t count = csspgo_func_count(d->p);
    views_text raw;
    csspgo_func f;
    memset(&raw, 0, sizeof raw);
    d->begin = (size_t *)calloc((size_t)count + 2, sizeof *d->begin);
    for (f.id = 1; d->begin != NULL && f.id <= count; f.id++) {
        raw.size = 0;
        views_func_name(d->v, f, &raw);
        d->begin[f.id] = d->text.size;
        views_clean(&d->text, raw.data, raw.size < VIEWS_NAME ? raw.size : VIEWS_NAME);
        if (raw.size > VIEWS_NAME) views_say(&d->text, "\xe2\x80\xa6");
        d->begin[f.id + 1] = d->text.size;
    }
    free(raw.data);
    return d->begin != NULL && !raw.failed && !d->text.failed;
}

static const char *views_label(const views_flame_data *d, csspgo_node node, size_t *size)
{
    const uint32_t func = csspgo_node_func(d->p, node).id;
    if (func == 0) return *size = 3, "all";
    *size = d->begin[func + 1] - d->begin[func];
    return *size != 0 ? d->text.data + d->begin[func] : "";
}

/* The node after n when parents come before their children; id 0 after the last one. */
static csspgo_node views_next(const csspgo_profile *p, csspgo_node n)
{
    csspgo_node next = csspgo_node_first_child(p, n);
    while (next.id == 0 && n.id != csspgo_root(p).id) {
        next = csspgo_node_next_sibling(p, n);
        n = csspgo_node_parent(p, n);
    }
    return next;
}

/* Adds up the weights of all nodes below each node. */
static int views_weigh(views_flame_data *d)
{
    const csspgo_profile *p = d->p;
    uint64_t low = 0, high = 0;
    uint32_t top = 0, count = 0, *order;
    csspgo_node n;
    for (n = csspgo_root(p); n.id != 0; n = views_next(p, n)) {
        const uint64_t self = views_self(p, n);
        low += self;
        high += low < self;
        if (n.id > top) top = n.id;
        count++;
    }
    for (; high >> d->shift != 0; d->shift++) continue;
    order = (uint32_t *)malloc((size_t)count * sizeof *order);
    d->weight = (uint64_t *)calloc((size_t)top + 1, sizeof *d->weight);
    d->frames = (uint32_t *)calloc((size_t)top + 1, sizeof *d->frames);
    if (order == NULL || d->weight == NULL || d->frames == NULL) return free(order), 0;
    for (count = 0, n = csspgo_root(p); n.id != 0; n = views_next(p, n)) {
        d->weight[n.id] = views_self(p, n) >> d->shift;
        if (csspgo_node_parent(p, n).id == csspgo_root(p).id && views_is_cs(d)) d->alone += d->weight[n.id];
        order[count++] = n.id;
    }
    while (count-- > 1) {
        uint32_t parent;
        n.id = order[count];
        parent = csspgo_node_parent(p, n).id;
        d->frames[n.id] += d->weight[n.id] != 0;
        d->weight[parent] += d->weight[n.id];
        d->frames[parent] += d->frames[n.id];
    }
    d->all = d->weight[csspgo_root(p).id];
    free(order);
    return 1;
}

static int views_child_order(const void *a, const void *b)
{
    const views_child *x = (const views_child *)a, *y = (const views_child *)b;
    const size_t n = x->name_size < y->name_size ? x->name_size : y->name_size;
    const int names = n != 0 ? memcmp(x->name, y->name, n) : 0;
    if (names != 0) return names;
    if (x->name_size != y->name_size) return x->name_size < y->name_size ? -1 : 1;
    if (x->loc.line != y->loc.line) return x->loc.line < y->loc.line ? -1 : 1;
    if (x->loc.discriminator != y->loc.discriminator) return x->loc.discriminator < y->loc.discriminator ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static uint32_t views_x(const views_flame_data *d, uint64_t weight)
{
    return (uint32_t)views_scaled(weight, d->all, d->units);
}

static views_box *views_box_new(views_flame_data *d)
{
    views_box *boxes;
    if (d->box_count == d->box_cap) {
        const size_t cap = d->box_cap != 0 ? 2 * d->box_cap : 256;
        boxes = cap <= SIZE_MAX / sizeof *boxes ? (views_box *)realloc(d->boxes, cap * sizeof *boxes) : NULL;
        if (boxes == NULL) return NULL;
        d->boxes = boxes;
        d->box_cap = cap;
    }
    memset(&d->boxes[d->box_count], 0, sizeof *d->boxes);
    return &d->boxes[d->box_count++];
}

static views_child *views_child_new(views_flame_data *d)
{
    views_child *list;
    if (d->list_count == d->list_cap) {
        const size_t cap = d->list_cap != 0 ? 2 * d->list_cap : 256;
        list = cap <= SIZE_MAX / sizeof *list ? (views_child *)realloc(d->list, cap * sizeof *list) : NULL;
        if (list == NULL) return NULL;
        d->list = list;
        d->list_cap = cap;
    }
    memset(&d->list[d->list_count], 0, sizeof *d->list);
    return &d->list[d->list_count++];
}

static views_kind views_kind_of(const views_flame_data *d, csspgo_node n)
{
    if (n.id == csspgo_root(d->p).id) return VIEWS_ALL;
    if ((csspgo_attributes(d->p, n) & CSSPGO_SHOULD_BE_INLINED) != 0) return VIEWS_SHOULD;
    return views_is_inlined(d->p, n) ? VIEWS_INLINED : VIEWS_CALLED;
}

/* A box; *box may move when the next one is made. */
static views_box *views_draw(views_flame_data *d, csspgo_node n, uint32_t depth, uint64_t begin, uint64_t weight)
{
    views_box *b = views_box_new(d);
    if (b == NULL) return NULL;
    b->node = n.id;
    b->depth = depth;
    b->weight = weight;
    b->x = views_x(d, begin);
    b->width = d->all != 0 ? views_x(d, begin + weight) - b->x : d->units;
    b->kind = views_kind_of(d, n);
    if (depth > d->depth) d->depth = depth;
    return b;
}

/* The box of a node, and its children onto the list; what is too narrow becomes one box if that is wide enough. */
static int views_draw_node(views_flame_data *d, csspgo_node n, uint32_t depth, uint64_t begin)
{
    const size_t first = d->list_count;
    uint64_t cut = 0, at = begin;
    uint32_t cut_frames = 0;
    size_t i;
    csspgo_node c;
    views_box *b = views_draw(d, n, depth, begin, d->weight[n.id]);
    if (b == NULL) return 0;
    for (c = csspgo_node_first_child(d->p, n); c.id != 0; c = csspgo_node_next_sibling(d->p, c)) {
        views_child *child;
        if (d->weight[c.id] == 0) continue;
        if (views_x(d, d->weight[c.id]) < VIEWS_NARROW) {
            cut += d->weight[c.id];
            cut_frames += d->frames[c.id];
            continue;
        }
        child = views_child_new(d);
        if (child == NULL) return 0;
        child->name = views_label(d, c, &child->name_size);
        child->loc = csspgo_node_loc(d->p, c);
        child->node = c.id;
        child->depth = depth + 1;
    }
    if (d->list_count != first) qsort(d->list + first, d->list_count - first, sizeof *d->list, views_child_order);
    for (i = first; i < d->list_count; i++) {
        d->list[i].begin = at;
        at += d->weight[d->list[i].node];
    }
    if (depth == 1 && views_is_cs(d)) {               /* what is left at its right end are its own samples */
        b->hatched = b->x + b->width - views_x(d, at + cut);
        if (at == begin && cut == 0) b->kind = VIEWS_BASE;
        d->seen[VIEWS_BASE] |= b->hatched != 0;
    }
    d->seen[b->kind] = 1;
    d->cut += cut;
    d->cut_frames += cut_frames;
    if (views_x(d, cut) < VIEWS_NARROW) return 1;
    b = views_draw(d, n, depth + 1, at, cut);
    if (b == NULL) return 0;
    b->kind = VIEWS_CUT;
    b->frames = cut_frames;
    return 1;
}

static int views_draw_all(views_flame_data *d)
{
    int ok = views_draw_node(d, csspgo_root(d->p), 0, 0);
    while (ok && d->list_count != 0) {
        const views_child c = d->list[--d->list_count];
        csspgo_node n;
        n.id = c.node;
        ok = views_draw_node(d, n, c.depth, c.begin);
    }
    return ok;
}

/* ----- flame: SVG ----------------------------------------------------------------------------------------------- */

/* Colours without variables: not only browsers draw SVG. kN is the kind; s0 to s2 tell neighbours apart. */
static const char views_style[] =
    "text{font:12px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace;fill:#1c1c1c}\n"
    "#title{font:bold 16px system-ui,'Segoe UI',Helvetica,Arial,sans-serif}\n"
    ".note,.button{font:12px system-ui,'Segoe UI',Helvetica,Arial,sans-serif;fill:#555}\n"
    "#back{fill:#fff}\n"
    ".k0 rect{fill:#dcdcdc}.k4 rect{fill:#e3e3e3}.k5 rect{fill:#f1f1f1}\n"
    ".k1 rect{fill:#f7cfa3}.k1.s1 rect{fill:#f4c18c}.k1.s2 rect{fill:#f0b478}\n"
    ".k2 rect{fill:#bfd9f1}.k2.s1 rect{fill:#aecfed}.k2.s2 rect{fill:#9dc4e8}\n"
    ".k3 rect{fill:#c3e2b7}.k3.s1 rect{fill:#b3d9a4}.k3.s2 rect{fill:#a3d092}\n"
    ".k5 text{fill:#777}\n"
    "#stripes path{stroke:#888;stroke-opacity:.7;stroke-width:1.2}g rect.hatch{fill:url(#stripes)!important}\n"
    "#frames g{cursor:pointer}#frames g:hover rect{stroke:#000;stroke-width:1}\n"
    "#frames g.hit rect{fill:#e08adf}#frames g.above{opacity:.55}.button{cursor:pointer;text-decoration:underline}\n"
    ".off{display:none}\n"
    "@media (prefers-color-scheme:dark){\n"
    "text{fill:#f2f2f2}.note,.button{fill:#b5b5b5}#back{fill:#1d1f23}\n"
    ".k0 rect{fill:#4a4d52}.k4 rect{fill:#54575c}.k5 rect{fill:#303338}.k5 text{fill:#a0a0a0}\n"
    ".k1 rect{fill:#8a5523}.k1.s1 rect{fill:#955e2a}.k1.s2 rect{fill:#7d4b1c}\n"
    ".k2 rect{fill:#2c5a86}.k2.s1 rect{fill:#336393}.k2.s2 rect{fill:#265078}\n"
    ".k3 rect{fill:#38682b}.k3.s1 rect{fill:#407333}.k3.s2 rect{fill:#315d25}\n"
    "#stripes path{stroke:#b5b5b5}\n"
    "#frames g:hover rect{stroke:#fff}#frames g.hit rect{fill:#8f3a8e}}\n";

/* Zoom: a click on a frame, Esc goes back. Search: Ctrl-F or F3. Without the script the picture is the same. */
static const char views_script[] =
    "(function () {\n"
    "'use strict';\n"
    "var svg = document.currentScript.parentNode, near = 0.001, zoomed;\n"
    "function by(id) { return svg.getElementById(id); }\n"
    "function number(e, name) { return Number(e.getAttribute(name)); }\n"
    "function say(id, text) { by(id).textContent = text; }\n"
    "function show(e, on) { e.classList.toggle('off', !on); }\n"
    "var frames = Array.from(by('frames').children, function (g) {\n"
    "    var rects = Array.from(g.querySelectorAll('rect'), function (r) {\n"
    "        return { e: r, x: number(r, 'x'), w: number(r, 'width') };\n"
    "    });\n"
    "    var text = g.querySelector('text'), title = g.querySelector('title').textContent.split('\\n');\n"
    "    var name = g.getAttribute('data-name') || text.textContent;\n"
    "    return { g: g, rects: rects, x: rects[0].x, w: rects[0].w, y: number(rects[0].e, 'y'),\n"
    "             text: text, name: name, title: title };\n"
    "});\n"
    "var all = frames[0], right = all.x + all.w;\n"
    "function depth(f) { return Math.abs(f.y - all.y); }\n"
    "function label(f, x, w) {\n"
    "    var room = Math.floor((w - 6) / 7.2), letters = Array.from(f.name);\n"
    "    if (!f.text && room < 3) return;\n"
    "    if (!f.text) {\n"
    "        f.text = f.g.appendChild(document.createElementNS(svg.namespaceURI, 'text'));\n"
    "        f.text.setAttribute('y', f.y + 13);\n"
    "    }\n"
    "    f.text.setAttribute('x', x + 3);\n"
    "    if (letters.length > room) letters.splice(room - 1, letters.length, '\\u2026');\n"
    "    f.text.textContent = room < 3 ? '' : letters.join('');\n"
    "}\n"
    "function zoom(z) {\n"
    "    zoomed = z;\n"
    "    frames.forEach(function (f) {\n"
    "        var above = depth(f) < depth(z) && f.x <= z.x + near && f.x + f.w >= z.x + z.w - near;\n"
    "        var inside = depth(f) >= depth(z) && f.x >= z.x - near && f.x + f.w <= z.x + z.w + near;\n"
    "        show(f.g, above || inside);\n"
    "        f.g.classList.toggle('above', above);\n"
    "        if (!above && !inside) return;\n"
    "        f.rects.forEach(function (r, i) {\n"
    "            var x = above ? all.x : all.x + (r.x - z.x) * all.w / z.w, w = above ? all.w : r.w * all.w / z.w;\n"
    "            show(r.e, i === 0 || !above);\n"
    "            r.e.setAttribute('x', x);\n"
    "            r.e.setAttribute('width', w);\n"
    "            if (i === 0) label(f, x, w);\n"
    "        });\n"
    "    });\n"
    "    show(by('unzoom'), z !== all);\n"
    "}\n"
    "/* Share of the samples in matching frames; one above another one counts once. */\n"
    "function search(pattern) {\n"
    "    var re = null, sums = [], sum = 0;\n"
    "    try {\n"
    "        if (pattern) re = new RegExp(pattern);\n"
    "    } catch (e) {\n"
    "        say('matched', 'not a regular expression');\n"
    "        return;\n"
    "    }\n"
    "    frames.forEach(function (f) {\n"
    "        var hit = re && f !== all && !f.g.classList.contains('k5') && (re.test(f.name) || re.test(f.title[0]));\n"
    "        f.g.classList.toggle('hit', Boolean(hit));\n"
    "        if (hit) sums.push(f);\n"
    "    });\n"
    "    sums.sort(function (a, b) { return a.x - b.x || depth(a) - depth(b); });\n"
    "    sums.reduce(function (end, f) {\n"
    "        if (f.x < end - near) return end;\n"
    "        sum += f.w;\n"
    "        return f.x + f.w;\n"
    "    }, 0);\n"
    "    say('matched', re ? 'matched: ' + (100 * sum / all.w).toFixed(2) + ' %' : '');\n"
    "    svg.setAttribute('data-search', re ? pattern : '');\n"
    "}\n"
    "function ask() {\n"
    "    var pattern = window.prompt('Search for a regular expression', svg.getAttribute('data-search') || '');\n"
    "    if (pattern !== null) search(pattern);\n"
    "}\n"
    "frames.forEach(function (f) {\n"
    "    f.g.addEventListener('click', function () { zoom(f); });\n"
    "    f.g.addEventListener('mouseenter', function () { say('info', f.title[0] + '  ' + f.title[2]); });\n"
    "    f.g.addEventListener('mouseleave', function () { say('info', ''); });\n"
    "});\n"
    "by('unzoom').addEventListener('click', function () { zoom(all); });\n"
    "by('search').addEventListener('click', ask);\n"
    "show(by('search'), true);\n"
    "window.addEventListener('keydown', function (e) {\n"
    "    if (e.key === 'Escape' && zoomed && zoomed !== all) zoom(all);\n"
    "    else if (e.key === 'Escape') search('');\n"
    "    else if (e.key === 'F3' || ((e.ctrlKey || e.metaKey) && (e.key === 'f' || e.key === 'F'))) {\n"
    "        e.preventDefault();\n"
    "        ask();\n"
    "    }\n"
    "});\n"
    "})();\n";

/* Text for an XML document; it is clean already. */
static void views_xml(views_text *t, const char *s, size_t size)
{
    size_t i;
    for (i = 0; i < size; i++) {
        switch (s[i]) {
        case '&': views_say(t, "&amp;"); break;
        case '<': views_say(t, "&lt;"); break;
        case '>': views_say(t, "&gt;"); break;
        case '"': views_say(t, "&quot;"); break;
        default: views_add(t, s + i, 1);
        }
    }
}

/* A coordinate in px: "12.5" */
static void views_px(views_text *t, uint32_t units)
{
    char digits[16];
    size_t n = (size_t)snprintf(digits, sizeof digits, "%u.%02u", (unsigned)(units / VIEWS_UNIT),
                                (unsigned)(units % VIEWS_UNIT));
    while (digits[n - 1] == '0') n--;
    if (digits[n - 1] == '.') n--;
    views_add(t, digits, n);
}

/* name="..." */
static void views_attribute(views_text *t, const char *name, uint32_t units)
{
    views_say(t, name);
    views_say(t, "=\"");
    views_px(t, units);
    views_say(t, "\"");
}

static void views_rect(views_text *t, const char *css, uint32_t x, uint32_t y, uint32_t width)
{
    views_say(t, "<rect");
    views_say(t, css);
    views_attribute(t, " x", x);
    views_attribute(t, " y", y);
    views_attribute(t, " width", width);
    views_say(t, " height=\"17\"/>");
}

/* <text ... x="..." y="..."> */
static void views_text_at(views_text *t, const char *more, uint32_t x, uint32_t y)
{
    views_say(t, "<text");
    views_say(t, more);
    views_attribute(t, " x", x);
    views_attribute(t, " y", y);
    views_say(t, ">");
}

/* A weight, exact unless all together exceed 64 bits. */
static void views_samples(views_text *t, const views_flame_data *d, uint64_t weight)
{
    if (d->shift != 0) views_say(t, "about ");
    views_number(t, weight > UINT64_MAX >> d->shift ? UINT64_MAX : weight << d->shift, ',');
}

/* A name without the numbers that tell apart local functions of several files: .__uniq.N, .llvm.N */
static void views_short(views_text *t, const char *name, size_t size)
{
    static const char *const suffixes[] = { ".__uniq.", ".llvm." };
    size_t i = 0, k, n, e;
    while (i < size) {
        for (k = 0, e = i; k < 2 && e == i; k++) {
            n = strlen(suffixes[k]);
            if (name[i] != '.' || size - i <= n || memcmp(name + i, suffixes[k], n) != 0) continue;
            for (e = i + n; e < size && name[e] >= '0' && name[e] <= '9'; e++) continue;
            if (e == i + n) e = i;
        }
        if (e == i) views_add(t, name + e++, 1);
        i = e;
    }
}

/* How many bytes of s are its first n characters; at most size. *characters gets their number, n at most. */
static size_t views_prefix(const char *s, size_t size, size_t n, size_t *characters)
{
    size_t i, k = 0;
    for (i = 0; i < size; i++) {
        if (((unsigned char)s[i] & 0xc0) == 0x80) continue;
        if (k == n) break;
        k++;
    }
    *characters = k;
    return i;
}

/* "main:3 @ foo:2.1 @ bar"; of a long one its innermost frames. */
static void views_context(views_text *t, const views_flame_data *d, csspgo_node node)
{
    csspgo_node chain[VIEWS_CONTEXT / 8], n;
    size_t count = 0, bytes = 0, left_out = 0, size;
    for (n = node; n.id != csspgo_root(d->p).id; n = csspgo_node_parent(d->p, n)) {
        views_label(d, n, &size);
        bytes += size + 8;
        if (count == 0 || bytes <= VIEWS_CONTEXT) chain[count++] = n;
        else left_out++;
    }
    if (left_out != 0) {
        views_say(t, "(");
        views_number(t, left_out, '\0');
        views_say(t, left_out == 1 ? " outer frame) @ " : " outer frames) @ ");
    }
    while (count-- != 0) {
        const char *name = views_label(d, chain[count], &size);
        views_xml(t, name, size);
        if (count != 0) {
            const csspgo_loc loc = csspgo_node_loc(d->p, chain[count - 1]);
            views_say(t, ":");
            views_number(t, loc.line, '\0');
            if (loc.discriminator != 0) {
                views_say(t, ".");
                views_number(t, loc.discriminator, '\0');
            }
            views_say(t, " @ ");
        }
    }
}

/* The last line of a tooltip: how the node hangs in the tree, attributes, checksum. */
static void views_facts(views_text *t, const views_flame_data *d, const views_box *b, csspgo_node n)
{
    static const char *const names[] = { "WasInlined", "ShouldBeInlined", "DuplicatedIntoBase" };
    const uint32_t attributes = csspgo_attributes(d->p, n);
    int i;
    views_say(t, csspgo_node_kind_of(d->p, n) == CSSPGO_INLINEE ? "inlinee"
                 : b->depth == 1 && views_is_cs(d)              ? "outermost frame"
                 : b->depth == 1                                ? "function"
                                                                : "call");
    for (i = 0; i < 3; i++) {
        if ((attributes >> i & 1) == 0) continue;
        views_say(t, ", ");
        views_say(t, names[i]);
    }
    if (attributes >> 3 != 0) {
        views_say(t, ", attributes ");
        views_hex(t, attributes);
    }
    if (csspgo_checksum(d->p, n) != 0) {
        views_say(t, ", checksum ");
        views_hex(t, csspgo_checksum(d->p, n));
    }
}

/* Lines: name; context; samples; self, head; facts. */
static void views_tooltip(views_text *t, const views_flame_data *d, const views_box *b)
{
    csspgo_node n;
    size_t size;
    const char *name;
    n.id = b->node;
    name = views_label(d, n, &size);
    if (b->kind == VIEWS_CUT) {
        views_number(t, b->frames, ',');
        views_say(t, b->frames == 1 ? " frame" : " frames");
        views_say(t, " too narrow to draw\n");
    } else {
        views_xml(t, name, size);
        views_say(t, "\n");
    }
    views_context(t, d, n);
    views_say(t, "\n");
    views_samples(t, d, b->weight);
    views_say(t, b->weight == 1 ? " sample, " : " samples, ");
    views_percent(t, b->weight, d->all);
    views_say(t, " of all");
    if (b->kind == VIEWS_ALL) return;
    views_say(t, ", ");
    views_percent(t, b->weight, b->kind == VIEWS_CUT ? d->weight[n.id] : d->weight[csspgo_node_parent(d->p, n).id]);
    views_say(t, " of parent");
    if (b->kind == VIEWS_CUT) return;
    views_say(t, "\nself ");
    views_number(t, views_self(d->p, n), ',');
    views_say(t, ", head ");
    views_number(t, csspgo_head(d->p, n), ',');
    if (b->hatched != 0) views_say(t, "; its own samples have no context");
    views_say(t, "\n");
    views_facts(t, d, b, n);
}

static uint32_t views_shade(const char *s, size_t size)
{
    uint32_t h = 2166136261u;
    size_t i;
    for (i = 0; i < size; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
    return (h >> 8) % 3;
}

/* One frame: tooltip, rectangle, its samples without context, and as much of its name as fits. */
static void views_frame_svg(views_text *t, views_text *name, const views_flame_data *d, const views_box *b)
{
    const uint32_t row = d->v->icicle ? b->depth : d->depth - b->depth;
    const uint32_t x = VIEWS_SIDE * VIEWS_UNIT + b->x, y = VIEWS_TOP + row * VIEWS_ROW;
    const size_t room = b->width > 600 ? (b->width - 600) / VIEWS_CHAR : 0;
    size_t size, characters, fits;
    const char *full;
    char css[32];
    csspgo_node n;
    n.id = b->node;
    full = views_label(d, n, &size);
    name->size = 0;
    if (b->kind != VIEWS_CUT) {
        views_short(name, full, size);
    } else {
        views_number(name, b->frames, ',');
        views_say(name, b->frames == 1 ? " frame, " : " frames, ");
        views_percent(name, b->weight, d->all);
    }
    if (name->failed) return;
    snprintf(css, sizeof css, "<g class=\"k%d s%u\"", (int)b->kind, (unsigned)views_shade(name->data, name->size));
    views_say(t, css);
    fits = room < 3 ? 0 : views_prefix(name->data, name->size, room, &characters);
    if (fits < name->size) {
        views_say(t, " data-name=\"");
        views_xml(t, name->data, name->size);
        views_say(t, "\"");
    }
    views_say(t, "><title>");
    views_tooltip(t, d, b);
    views_say(t, "</title>");
    views_rect(t, " rx=\"2\"", x, y * VIEWS_UNIT, b->width);
    if (b->hatched != 0)
        views_rect(t, " rx=\"2\" class=\"hatch\"", x + b->width - b->hatched, y * VIEWS_UNIT, b->hatched);
    if (fits != 0) {
        views_text_at(t, "", x + 3 * VIEWS_UNIT, (y + 13) * VIEWS_UNIT);
        views_xml(t, name->data,
                  fits == name->size ? fits : views_prefix(name->data, name->size, room - 1, &characters));
        views_say(t, fits == name->size ? "</text>" : "\xe2\x80\xa6</text>");
    }
    views_say(t, "</g>\n");
}

/* What kind of profile, and how much is in it. */
static void views_subtitle(views_text *t, const views_flame_data *d)
{
    const uint32_t flags = csspgo_profile_flags(d->p);
    views_say(t, views_is_cs(d) ? "context-sensitive profile, " : "profile without contexts, ");
    views_say(t, (flags & CSSPGO_IS_PROBE) != 0 ? "pseudo-probes" : "line offsets");
    views_say(t, " \xc2\xb7 ");
    views_samples(t, d, d->all);
    views_say(t, " samples \xc2\xb7 ");
    views_number(t, csspgo_record_count(d->p), ',');
    views_say(t, " records \xc2\xb7 ");
    views_number(t, d->frames[csspgo_root(d->p).id], ',');
    views_say(t, " frames with samples");
}

/* A line below the picture for what needs to be said; *y moves on by a line. */
static void views_notes(views_text *t, const views_flame_data *d, uint32_t *y)
{
    if (d->alone != 0) {
        views_text_at(t, " class=\"note\"", VIEWS_SIDE * VIEWS_UNIT, *y * VIEWS_UNIT);
        views_percent(t, d->alone, d->all);
        views_say(t, " of the samples have no context (hatched)</text>\n");
        *y += VIEWS_ROW;
    }
    if (d->cut_frames != 0) {
        views_text_at(t, " class=\"note\"", VIEWS_SIDE * VIEWS_UNIT, *y * VIEWS_UNIT);
        views_number(t, d->cut_frames, ',');
        views_say(t, d->cut_frames == 1 ? " frame" : " frames");
        views_say(t, " narrower than 0.1 px and what is above them: ");
        views_percent(t, d->cut, d->all);
        views_say(t, " of the samples</text>\n");
        *y += VIEWS_ROW;
    }
}

/* The kinds of frames that occur. */
static void views_legend(views_text *t, const views_flame_data *d, uint32_t y)
{
    static const struct { views_kind kind; const char *css, *text; uint32_t width; } kinds[] = {
        { VIEWS_CALLED, "class=\"k1\"", "called", 70 },
        { VIEWS_INLINED, "class=\"k2\"", "inlined", 72 },
        { VIEWS_SHOULD, "class=\"k3\"", "should be inlined", 128 },
        { VIEWS_BASE, "class=\"k4\"", "no context", 92 },
    };
    uint32_t x = VIEWS_SIDE;
    size_t i;
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!d->seen[kinds[i].kind]) continue;
        views_say(t, "<g ");
        views_say(t, kinds[i].css);
        views_say(t, ">");
        views_rect(t, " rx=\"2\"", x * VIEWS_UNIT, (y - 13) * VIEWS_UNIT, 17 * VIEWS_UNIT);
        if (kinds[i].kind == VIEWS_BASE)
            views_rect(t, " class=\"hatch\"", x * VIEWS_UNIT, (y - 13) * VIEWS_UNIT, 17 * VIEWS_UNIT);
        views_text_at(t, " class=\"note\"", (x + 22) * VIEWS_UNIT, y * VIEWS_UNIT);
        views_say(t, kinds[i].text);
        views_say(t, "</text></g>\n");
        x += kinds[i].width + 10;
    }
}

static void views_flush(views_text *t, FILE *out)
{
    if (!t->failed) fwrite(t->data, 1, t->size, out);
    t->size = 0;
}

static void views_head(views_text *t, const views_flame_data *d, uint32_t height)
{
    const uint32_t width = (uint32_t)d->v->width;
    views_text title;
    memset(&title, 0, sizeof title);
    views_clean(&title, d->v->title, strlen(d->v->title));
    t->failed |= title.failed;
    views_say(t,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\"");
    views_attribute(t, " width", width * VIEWS_UNIT);
    views_attribute(t, " height", height * VIEWS_UNIT);
    views_say(t, " viewBox=\"0 0 ");
    views_number(t, width, '\0');
    views_say(t, " ");
    views_number(t, height, '\0');
    views_say(t, "\">\n<style>\n");
    views_say(t, views_style);
    views_say(t, "</style>\n<defs><pattern id=\"stripes\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
                 "<path d=\"M-1 1L1 -1M0 6L6 0M5 7L7 5\"/></pattern></defs>\n"
                 "<rect id=\"back\" width=\"100%\" height=\"100%\"/>\n");
    views_text_at(t, " id=\"title\" text-anchor=\"middle\"", width * VIEWS_UNIT / 2, 24 * VIEWS_UNIT);
    views_xml(t, title.data, title.size);
    views_say(t, "</text>\n");
    views_text_at(t, " class=\"note\" text-anchor=\"middle\"", width * VIEWS_UNIT / 2, 44 * VIEWS_UNIT);
    views_subtitle(t, d);
    views_say(t, "</text>\n");
    views_text_at(t, " id=\"unzoom\" class=\"button off\"", VIEWS_SIDE * VIEWS_UNIT, 24 * VIEWS_UNIT);
    views_say(t, "reset zoom</text>\n");
    views_text_at(t, " id=\"search\" class=\"button off\" text-anchor=\"end\"", (width - VIEWS_SIDE) * VIEWS_UNIT,
                  24 * VIEWS_UNIT);
    views_say(t, "search</text>\n");
    views_text_at(t, " id=\"matched\" class=\"note\" text-anchor=\"end\"", (width - VIEWS_SIDE) * VIEWS_UNIT,
                  44 * VIEWS_UNIT);
    views_say(t, "</text>\n");
    free(title.data);
}

static int views_write_svg(const views_flame_data *d, FILE *out)
{
    const uint32_t below = VIEWS_TOP + (d->depth + 1) * VIEWS_ROW + 16;
    uint32_t y = below + VIEWS_ROW;
    views_text t, name;
    size_t i;
    int ok;
    memset(&t, 0, sizeof t);
    memset(&name, 0, sizeof name);
    views_head(&t, d, below + VIEWS_ROW * (2 + (d->alone != 0) + (d->cut_frames != 0)));
    views_say(&t, "<g id=\"frames\">\n");
    for (i = 0; i < d->box_count && !t.failed; i++) {
        views_frame_svg(&t, &name, d, &d->boxes[i]);
        views_flush(&t, out);
    }
    views_say(&t, "</g>\n");
    views_text_at(&t, " id=\"info\"", VIEWS_SIDE * VIEWS_UNIT, below * VIEWS_UNIT);
    views_say(&t, "</text>\n");
    views_notes(&t, d, &y);
    views_legend(&t, d, y);
    views_say(&t, "<script><![CDATA[\n");
    views_say(&t, views_script);
    views_say(&t, "]]></script>\n</svg>\n");
    views_flush(&t, out);
    ok = !t.failed && !name.failed;
    free(t.data);
    free(name.data);
    return ok;
}

static int views_flame(int argc, char **argv)
{
    views_flame_data d;
    views v;
    int ok;
    if (!views_parse(&v, 1, argc, argv)) return 2;
    memset(&d, 0, sizeof d);
    ok = views_open(&v);
    if (ok) {
        d.v = &v;
        d.p = v.p;
        d.units = (uint32_t)(v.width - 2 * VIEWS_SIDE) * VIEWS_UNIT;
        ok = views_all_names(&d) && views_weigh(&d) && views_draw_all(&d) && views_write_svg(&d, v.out);
        if (!ok) fail("out of memory");
    }
    free(d.text.data);
    free(d.begin);
    free(d.weight);
    free(d.frames);
    free(d.boxes);
    free(d.list);
    return views_end(&v, ok);
}

#endif /* CSSPGO_EXAMPLES_VIEWS_H */
