/* flame_boxes.c - flame: what is drawn, names, weights and boxes of frames */
#include "views.h"

int views_is_cs(const views_flame_data *d)
{
    return (tree_flags(d->t) & CSSPGO_IS_CS) != 0;
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

const char *views_label(const views_flame_data *d, csspgo_node node, size_t *size)
{
    const uint32_t func = csspgo_node_func(d->p, node).id;
    if (func == 0) return *size = 3, "all";
    *size = d->begin[func + 1] - d->begin[func];
    return *size != 0 ? d->text.data + d->begin[func] : "";
}

/* What the older profile has of each node, without what is below. */
static int views_weigh_older(views_flame_data *d, uint32_t top)
{
    csspgo_node n;
    d->old = (uint64_t *)calloc((size_t)top + 1, sizeof *d->old);
    for (n = csspgo_root(d->p); d->old != NULL && n.id != 0; n = tree_next(d->t, n))
        d->old[n.id] = tree_head(d->t, n) >> d->shift;
    return d->old != NULL;
}

/* Adds up the weights of all nodes below each node. */
static int views_weigh(views_flame_data *d)
{
    const views_tree *t = d->t;
    const csspgo_node root = csspgo_root(t->p);
    uint64_t low = 0, high = 0;
    uint32_t top = 0, count = 0, *order;
    csspgo_node n;
    for (n = root; n.id != 0; n = tree_next(t, n)) {
        const uint64_t self = tree_self(t, n);
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
    if (d->v->older != NULL && !views_weigh_older(d, top)) return free(order), 0;
    for (count = 0, n = root; n.id != 0; n = tree_next(t, n)) {
        d->weight[n.id] = tree_self(t, n) >> d->shift;
        if (tree_parent(t, n).id == root.id && views_is_cs(d)) d->alone += d->weight[n.id];
        order[count++] = n.id;
    }
    while (count-- > 1) {
        uint32_t parent;
        n.id = order[count];
        parent = tree_parent(t, n).id;
        d->frames[n.id] += d->weight[n.id] != 0;
        d->weight[parent] += d->weight[n.id];
        d->frames[parent] += d->frames[n.id];
        if (d->old == NULL) continue;
        d->old[parent] = sum_of(d->old[parent], d->old[n.id]);
        if (d->weight[n.id] == 0) d->gone = sum_of(d->gone, tree_head(t, n) >> d->shift);
    }
    d->all = d->weight[root.id];
    if (d->old != NULL) d->old_all = d->old[root.id];
    free(order);
    return 1;
}

static int views_child_order(const void *a, const void *b)
{
    const views_child *x = (const views_child *)a, *y = (const views_child *)b;
    const size_t n = x->name_size < y->name_size ? x->name_size : y->name_size;
    const int names = n != 0 ? memcmp(x->name, y->name, n) : 0;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
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
    return tree_is_inlined(d->t, n) ? VIEWS_INLINED : VIEWS_CALLED;
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
    for (c = tree_child(d->t, n); c.id != 0; c = tree_sibling(d->t, c)) {
        views_child *child;
        if (d->weight[c.id] == 0) continue;
        if (views_x(d, d->weight[c.id]) < d->narrow) {
            cut += d->weight[c.id];
            cut_frames += d->frames[c.id];
            continue;
        }
        child = views_child_new(d);
        if (child == NULL) return 0;
        child->name = views_label(d, c, &child->name_size);
        child->loc = tree_loc(d->t, c);
        child->node = c.id;
        if (d->v->callers && !d->v->json) child->weight = d->weight[c.id];
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
    if (views_x(d, cut) < d->narrow || d->v->json) return 1;
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

int views_boxes(views_flame_data *d)
{
    return views_all_names(d) && views_weigh(d) && views_draw_all(d);
}

void views_boxes_free(views_flame_data *d)
{
    free(d->text.data);
    free(d->begin);
    free(d->weight);
    free(d->old);
    free(d->frames);
    free(d->boxes);
    free(d->list);
}
