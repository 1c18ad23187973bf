/* flame_text.c - flame: pieces of SVG and tooltips */
#include "views.h"

/* Text for an XML document; it is clean already. */
void views_xml(views_text *t, const char *s, size_t size)
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
void views_attribute(views_text *t, const char *name, uint32_t units)
{
    views_say(t, name);
    views_say(t, "=\"");
    views_px(t, units);
    views_say(t, "\"");
}

void views_rect(views_text *t, const char *css, uint32_t x, uint32_t y, uint32_t width)
{
    views_say(t, "<rect");
    views_say(t, css);
    views_attribute(t, " x", x);
    views_attribute(t, " y", y);
    views_attribute(t, " width", width);
    views_say(t, " height=\"17\"/>");
}

/* <text ... x="..." y="..."> */
void views_text_at(views_text *t, const char *more, uint32_t x, uint32_t y)
{
    views_say(t, "<text");
    views_say(t, more);
    views_attribute(t, " x", x);
    views_attribute(t, " y", y);
    views_say(t, ">");
}

/* A weight, exact unless all together exceed 64 bits. */
void views_samples(views_text *t, const views_flame_data *d, uint64_t weight)
{
    if (d->shift != 0) views_say(t, "about ");
    views_number(t, weight > UINT64_MAX >> d->shift ? UINT64_MAX : weight << d->shift, ',');
}

/* A name without the numbers that tell apart local functions of several files: .__uniq.N, .llvm.N */
void views_short(views_text *t, const char *name, size_t size)
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
size_t views_prefix(const char *s, size_t size, size_t n, size_t *characters)
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
            if (d->old != NULL) {                      /* stacks of names have no locations */
                views_say(t, " @ ");
                continue;
            }
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

/* The share that a node had in the older profile. */
static void views_before(views_text *t, const views_flame_data *d, csspgo_node n)
{
    if (d->old[n.id] == 0) {
        views_say(t, ", not there before");
        return;
    }
    views_say(t, ", before ");
    views_percent(t, d->old[n.id], d->old_all);
}

/* How much of its larger share a node has gained or lost: 5 %, 20 % and half are the limits between shades. */
void views_change(views_text *t, const views_flame_data *d, csspgo_node n, uint64_t weight)
{
    const double now = d->all != 0 ? (double)weight / (double)d->all : 0;
    const double then = d->old_all != 0 ? (double)d->old[n.id] / (double)d->old_all : 0;
    const double change = now > then ? (now - then) / now : then > now ? (then - now) / then : 0;
    const int shade = change < 0.05 ? 0 : change < 0.2 ? 1 : change < 0.5 ? 2 : 3;
    char css[16];
    snprintf(css, sizeof css, shade == 0 ? "same" : now > then ? "up%d" : "down%d", shade);
    views_say(t, css);
}

/* Lines: name; context; samples; self, head; facts. */
void views_tooltip(views_text *t, const views_flame_data *d, const views_box *b)
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
    if (d->old != NULL && b->kind != VIEWS_CUT) views_before(t, d, n);
    if (b->kind == VIEWS_ALL) return;
    views_say(t, ", ");
    views_percent(t, b->weight, b->kind == VIEWS_CUT ? d->weight[n.id] : d->weight[csspgo_node_parent(d->p, n).id]);
    views_say(t, " of parent");
    if (b->kind == VIEWS_CUT) return;
    views_say(t, "\nself ");
    views_number(t, views_self(d->p, n), ',');
    if (d->old != NULL) {
        views_say(t, ", before ");
        views_number(t, csspgo_head(d->p, n), ',');
        return;
    }
    views_say(t, ", head ");
    views_number(t, csspgo_head(d->p, n), ',');
    if (b->hatched != 0) views_say(t, "; its own samples have no context");
    views_say(t, "\n");
    views_facts(t, d, b, n);
}

uint32_t views_shade(const char *s, size_t size)
{
    uint32_t h = 2166136261u;
    size_t i;
    for (i = 0; i < size; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
    return (h >> 8) % 3;
}
