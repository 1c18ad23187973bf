/* stacks.c - the stacks of a profile: adding them up, and going through them in the order of their lines */
#include "views.h"

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
    const csspgo_func func = csspgo_node_func(s->v->t.p, node);
    const int marked = s->v->mark_inlined && tree_is_inlined(&s->v->t, node);
    csspgo_func *frame = &s->frames[func.id + (marked ? csspgo_func_count(s->v->t.p) + 1 : 0)];
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
static int views_collapse_all(views_stacks *s, int older)
{
    const views_tree *t = &s->v->t;
    csspgo_node n = csspgo_root(t->p), c, at = csspgo_root(s->q);
    for (;;) {
        uint64_t self;
        c = tree_child(t, n);
        while (c.id == 0 && n.id != csspgo_root(t->p).id) {
            if (tree_kind(t, n) != CSSPGO_DUPLICATE) at = csspgo_node_parent(s->q, at);
            c = tree_sibling(t, n);
            n = tree_parent(t, n);
        }
        if (c.id == 0) return 1;
        n = c;
        if (tree_kind(t, n) != CSSPGO_DUPLICATE) {
            const csspgo_func frame = views_frame(s, n);
            if (frame.id == 0) return 0;
            at = csspgo_node_add(s->q, at, csspgo_loc_at(0, 0), CSSPGO_CONTEXT, frame);
        }
        self = tree_self(t, n);
        if (at.id == 0) return 0;
        if ((older ? csspgo_add_head : csspgo_add_total)(s->q, at, self) != CSSPGO_OK) return 0;
    }
}

int views_collapse(const views *v, csspgo_profile *q, int older)
{
    views_stacks s;
    int ok;
    memset(&s, 0, sizeof s);
    s.v = v;
    s.q = q;
    s.frames = (csspgo_func *)calloc(2 * ((size_t)csspgo_func_count(v->t.p) + 1), sizeof *s.frames);
    ok = s.frames != NULL && views_collapse_all(&s, older);
    free(s.frames);
    return ok;
}

int views_invert(const csspgo_profile *q, csspgo_profile *callers)
{
    const csspgo_node root = csspgo_root(q);
    csspgo_node n, at, up;
    for (n = csspgo_node_next(q, root, root); n.id != 0; n = csspgo_node_next(q, root, n)) {
        if (csspgo_total(q, n) == 0 && csspgo_head(q, n) == 0) continue;
        at = csspgo_root(callers);
        for (up = n; up.id != root.id; up = csspgo_node_parent(q, up)) {
            size_t size;
            const char *const name = csspgo_func_name(q, csspgo_node_func(q, up), &size);
            const csspgo_func frame = csspgo_func_add(callers, name, size);
            if (frame.id == 0) return 0;
            at = csspgo_node_add(callers, at, csspgo_loc_at(0, 0), CSSPGO_CONTEXT, frame);
            if (at.id == 0) return 0;
        }
        if (csspgo_add_total(callers, at, csspgo_total(q, n)) != CSSPGO_OK ||
            csspgo_add_head(callers, at, csspgo_head(q, n)) != CSSPGO_OK)
            return 0;
    }
    return 1;
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

int views_each_stack(const csspgo_profile *q, views_stack_fn fn, void *ctx)
{
    views_items v;
    views_text path;
    int ok;
    memset(&v, 0, sizeof v);
    memset(&path, 0, sizeof path);
    ok = views_push(&v, q, csspgo_root(q), 0);
    while (ok && v.count != 0) {
        const views_item x = v.items[--v.count];
        csspgo_node node;
        node.id = x.node;
        path.size = x.path_size;
        views_add(&path, x.name, x.name_size);
        views_add(&path, x.tail, x.tail_size);
        if (x.count == 0) ok = views_push(&v, q, node, path.size);
        else views_add(&path, "\n", 1);
        ok = ok && !path.failed && (x.count == 0 || fn(ctx, node, x.count, &path));
    }
    free(v.items);
    free(path.data);
    return ok;
}
