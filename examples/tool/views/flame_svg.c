/* flame_svg.c - flame: the SVG, with tooltips */
#include "views.h"

/* ----- pieces ----------------------------------------------------------------------------------------------------- */

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
    for (n = node; n.id != csspgo_root(d->p).id; n = tree_parent(d->t, n)) {
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
            const csspgo_loc loc = tree_loc(d->t, chain[count - 1]);
            if (d->old != NULL || d->v->callers) {     /* stacks of names have no locations */
                views_say(t, d->v->callers ? " \xe2\x86\x90 " : " @ ");
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
    views_say(t, tree_kind(d->t, n) == CSSPGO_INLINEE ? "inlinee"
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
    if (tree_checksum(d->t, n) != 0) {
        views_say(t, ", checksum ");
        views_hex(t, tree_checksum(d->t, n));
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
static void views_change(views_text *t, const views_flame_data *d, csspgo_node n, uint64_t weight)
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
    if (d->old != NULL && b->kind != VIEWS_CUT) views_before(t, d, n);
    if (b->kind == VIEWS_ALL) return;
    views_say(t, ", ");
    views_percent(t, b->weight, b->kind == VIEWS_CUT ? d->weight[n.id] : d->weight[tree_parent(d->t, n).id]);
    views_say(t, " of parent");
    if (b->kind == VIEWS_CUT || d->v->callers) return;     /* what ends here was not sampled here */
    views_say(t, "\nself ");
    views_number(t, tree_self(d->t, n), ',');
    if (d->old != NULL) {
        views_say(t, ", before ");
        views_number(t, tree_head(d->t, n), ',');
        return;
    }
    views_say(t, ", head ");
    views_number(t, tree_head(d->t, n), ',');
    if (b->hatched != 0) views_say(t, "; its own samples have no context");
    views_say(t, "\n");
    views_facts(t, d, b, n);
}

/* How much of all samples is the frame's own: 1 % and 5 % are the limits between shades. */
static int views_shade(const views_flame_data *d, const views_box *b)
{
    csspgo_node n;
    uint64_t self;
    n.id = b->node;
    if (b->kind == VIEWS_CUT || b->kind == VIEWS_ALL || d->v->callers || d->all == 0) return 0;
    self = views_scaled(tree_self(d->t, n) >> d->shift, d->all, 100);
    return self >= 5 ? 2 : self >= 1;
}

/* ----- the picture ------------------------------------------------------------------------------------------------ */

/*
 * One frame: tooltip, rectangle, its samples without context, and its name; where that does not fit, its last part, and
 * of this as much as fits.
 */
static void views_frame_svg(views_text *t, views_text *name, const views_flame_data *d, const views_box *b)
{
    const uint32_t row = d->v->icicle ? b->depth : d->depth - b->depth;
    const uint32_t x = VIEWS_SIDE * VIEWS_UNIT + b->x, y = VIEWS_TOP + row * VIEWS_ROW;
    const size_t room = b->width > 600 ? (b->width - 600) / VIEWS_CHAR : 0;
    size_t size, characters, fits, last = 0;
    const char *full;
    char css[32];
    csspgo_node n;
    n.id = b->node;
    full = views_label(d, n, &size);
    name->size = 0;
    if (b->kind != VIEWS_CUT) {
        views_short(name, full, size);
        last = views_last(name->data, name->size);
    } else {
        views_number(name, b->frames, ',');
        views_say(name, b->frames == 1 ? " frame, " : " frames, ");
        views_percent(name, b->weight, d->all);
    }
    if (name->failed) return;
    snprintf(css, sizeof css, "<g class=\"k%d ", (int)b->kind);
    views_say(t, css);
    if (d->old != NULL && b->kind != VIEWS_CUT && b->kind != VIEWS_ALL) views_change(t, d, n, b->weight);
    else {
        snprintf(css, sizeof css, "s%d", views_shade(d, b));
        views_say(t, css);
    }
    views_say(t, "\"");
    fits = room < 3 ? 0 : views_prefix(name->data, name->size, room, &characters);
    if (fits < name->size) {
        views_say(t, " data-name=\"");
        views_xml(t, name->data, name->size);
        views_say(t, "\"");
    }
    if (last != 0) {
        views_prefix(name->data, last, last, &characters);
        views_say(t, " data-last=\"");
        views_number(t, characters, '\0');
        views_say(t, "\"");
    }
    views_say(t, "><title>");
    views_tooltip(t, d, b);
    views_say(t, "</title>");
    views_rect(t, " rx=\"2\"", x, y * VIEWS_UNIT, b->width);
    if (b->hatched != 0)
        views_rect(t, " rx=\"2\" class=\"hatch\"", x + b->width - b->hatched, y * VIEWS_UNIT, b->hatched);
    if (fits != 0) {
        const char *const shown = name->data + (fits < name->size ? last : 0);
        size = name->size - (size_t)(shown - name->data);
        fits = views_prefix(shown, size, room, &characters);
        views_text_at(t, "", x + 3 * VIEWS_UNIT, (y + 13) * VIEWS_UNIT);
        views_xml(t, shown, fits == size ? fits : views_prefix(shown, size, room - 1, &characters));
        views_say(t, fits == size ? "</text>" : "\xe2\x80\xa6</text>");
    }
    views_say(t, "</g>\n");
}

/* The last part of a path. */
static void views_file(views_text *t, const char *path)
{
    const char *slash = strrchr(path, '/');
    views_text name;
    memset(&name, 0, sizeof name);
    if (slash != NULL && slash[1] != '\0') path = slash + 1;
    views_clean(&name, path, strlen(path));
    views_xml(t, name.data, name.size);
    t->failed |= name.failed;
    free(name.data);
}

/* Above the picture: the title that was given, or names of files. */
static void views_title(views_text *t, const views_flame_data *d)
{
    views_text title;
    if (d->v->title == NULL) {
        if (strcmp(d->v->input, "-") == 0) views_say(t, "Flame graph");
        else views_file(t, d->v->input);
        if (d->v->older != NULL) views_say(t, " compared with ");
        if (d->v->older != NULL) views_file(t, d->v->older);
        if (d->v->callers) views_say(t, ": callers");
        return;
    }
    memset(&title, 0, sizeof title);
    views_clean(&title, d->v->title, strlen(d->v->title));
    views_xml(t, title.data, title.size);
    t->failed |= title.failed;
    free(title.data);
}

/* --diff: what is compared. */
static void views_subtitle_diff(views_text *t, const views_flame_data *d)
{
    views_say(t, "width: ");
    views_file(t, d->v->input);
    views_say(t, ", ");
    views_samples(t, d, d->all);
    views_say(t, " samples \xc2\xb7 colour: change of its share since ");
    views_file(t, d->v->older);
    views_say(t, ", ");
    views_samples(t, d, d->old_all);
    views_say(t, " samples");
}

/* What kind of profile, and how much is in it. */
static void views_subtitle(views_text *t, const views_flame_data *d)
{
    const uint32_t flags = tree_flags(d->t);
    const int records = !d->v->recorded && !d->v->callers;
    if (d->old != NULL) {
        views_subtitle_diff(t, d);
        return;
    }
    if (d->v->callers) views_say(t, "functions that were sampled, below their callers");
    else if (d->v->recorded) views_say(t, "recording, by name");
    else views_say(t, views_is_cs(d) ? "context-sensitive profile, " : "profile without contexts, ");
    if (records) views_say(t, (flags & CSSPGO_IS_PROBE) != 0 ? "pseudo-probes" : "line offsets");
    views_say(t, " \xc2\xb7 ");
    views_samples(t, d, d->all);
    views_say(t, " samples \xc2\xb7 ");
    if (records) views_number(t, tree_records(d->t), ',');
    if (records) views_say(t, " records \xc2\xb7 ");
    views_number(t, d->frames[csspgo_root(d->p).id], ',');
    views_say(t, " frames with samples");
}

/* A line below the picture begins; *y moves on by a line. */
static void views_note(views_text *t, uint32_t *y)
{
    views_text_at(t, " class=\"note\"", VIEWS_SIDE * VIEWS_UNIT, *y * VIEWS_UNIT);
    *y += VIEWS_ROW;
}

/* Lines below the picture for what needs to be said. */
static void views_notes(views_text *t, const views_flame_data *d, uint32_t *y)
{
    if (d->v->flat) {
        views_note(t, y);
        views_say(t, "no contexts: callers show only where functions are inlined; for contexts, draw the recording "
                     "itself</text>\n");
        views_note(t, y);
        views_say(t, "(csspgo flame perf.data, recorded by perf record -g), or csspgo profgen "
                     "--gen-cs-nested-profile=0</text>\n");
    }
    if (d->alone != 0) {
        views_note(t, y);
        views_percent(t, d->alone, d->all);
        views_say(t, " of the samples have no context (hatched)</text>\n");
    }
    if (d->gone != 0) {
        views_note(t, y);
        views_percent(t, d->gone, d->old_all);
        views_say(t, " of the older samples are in stacks that are gone</text>\n");
    }
    if (d->cut_frames != 0) {
        views_note(t, y);
        views_number(t, d->cut_frames, ',');
        views_say(t, d->cut_frames == 1 ? " frame" : " frames");
        views_say(t, " narrower than 0.1 px and what is above them: ");
        views_percent(t, d->cut, d->all);
        views_say(t, " of the samples</text>\n");
    }
}

/* A coloured box and what it stands for, at x; returns where the next one goes. */
static uint32_t views_legend_box(views_text *t, const char *css, const char *text, uint32_t x, uint32_t y,
                                 uint32_t width)
{
    views_say(t, "<g class=\"");
    views_say(t, css);
    views_say(t, "\">");
    views_rect(t, " rx=\"2\"", x * VIEWS_UNIT, (y - 13) * VIEWS_UNIT, 17 * VIEWS_UNIT);
    if (strcmp(css, "k4") == 0)
        views_rect(t, " rx=\"2\" class=\"hatch\"", x * VIEWS_UNIT, (y - 13) * VIEWS_UNIT, 17 * VIEWS_UNIT);
    views_text_at(t, " class=\"note\"", (x + 22) * VIEWS_UNIT, y * VIEWS_UNIT);
    views_say(t, text);
    views_say(t, "</text></g>\n");
    return x + width + 10;
}

static void views_legend_diff(views_text *t, uint32_t y)
{
    static const struct { const char *css, *text; uint32_t width; } kinds[] = {
        { "up3", "twice as much or new", 148 }, { "up2", "25 % more", 92 }, { "up1", "more", 56 },
        { "same", "within 5 %", 92 }, { "down1", "less", 56 }, { "down2", "20 % less", 86 },
        { "down3", "half or less", 96 }
    };
    uint32_t x = VIEWS_SIDE;
    size_t i;
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
        x = views_legend_box(t, kinds[i].css, kinds[i].text, x, y, kinds[i].width);
}

/* The kinds of frames that occur. */
static void views_legend(views_text *t, const views_flame_data *d, uint32_t y)
{
    static const struct { views_kind kind; const char *css, *text; uint32_t width; } kinds[] = {
        { VIEWS_CALLED, "k1", "called", 70 },
        { VIEWS_INLINED, "k2", "inlined", 72 },
        { VIEWS_SHOULD, "k3", "should be inlined", 128 },
        { VIEWS_BASE, "k4", "no context", 92 },
    };
    uint32_t x = VIEWS_SIDE;
    size_t i;
    if (d->v->callers) return;
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (d->seen[kinds[i].kind]) x = views_legend_box(t, kinds[i].css, kinds[i].text, x, y, kinds[i].width);
    y += VIEWS_ROW;
    views_note(t, &y);
    views_say(t, "stronger colours: at least 1 % and 5 % of all samples are in the frame itself</text>\n");
}

static void views_flush(views_text *t, FILE *out)
{
    if (!t->failed) fwrite(t->data, 1, t->size, out);
    t->size = 0;
}

static void views_head(views_text *t, const views_flame_data *d, uint32_t height)
{
    const uint32_t width = (uint32_t)d->v->width;
    views_say(t,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" "
              "role=\"group\" aria-labelledby=\"title subtitle\"");
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
    views_title(t, d);
    views_say(t, "</text>\n");
    views_text_at(t, " id=\"subtitle\" class=\"note\" text-anchor=\"middle\"", width * VIEWS_UNIT / 2,
                  44 * VIEWS_UNIT);
    views_subtitle(t, d);
    views_say(t, "</text>\n");
    views_text_at(t, " id=\"unzoom\" role=\"button\" class=\"button off\"", VIEWS_SIDE * VIEWS_UNIT, 24 * VIEWS_UNIT);
    views_say(t, "reset zoom</text>\n");
    views_text_at(t, " id=\"search\" role=\"button\" class=\"button off\" text-anchor=\"end\"",
                  (width - VIEWS_SIDE) * VIEWS_UNIT, 24 * VIEWS_UNIT);
    views_say(t, "search</text>\n");
    views_text_at(t, " id=\"functions\" role=\"button\" class=\"button off\" text-anchor=\"end\"",
                  (width - VIEWS_SIDE - 55) * VIEWS_UNIT, 24 * VIEWS_UNIT);
    views_say(t, "functions</text>\n");
    views_text_at(t, " id=\"matched\" role=\"status\" class=\"note\" text-anchor=\"end\"",
                  (width - VIEWS_SIDE) * VIEWS_UNIT, 44 * VIEWS_UNIT);
    views_say(t, "</text>\n");
}

int views_write_svg(const views_flame_data *d, FILE *out)
{
    const uint32_t below = VIEWS_TOP + (d->depth + 1) * VIEWS_ROW + 16;
    const uint32_t notes = 2u * (d->v->flat != 0) + (d->alone != 0) + (d->cut_frames != 0) + (d->gone != 0);
    uint32_t y = below + VIEWS_ROW;
    views_text t, name;
    size_t i;
    int ok;
    memset(&t, 0, sizeof t);
    memset(&name, 0, sizeof name);
    views_head(&t, d, below + VIEWS_ROW * (2 + notes + (d->old == NULL && !d->v->callers)));
    views_say(&t, "<g id=\"frames\" role=\"tree\" aria-label=\"frames\">\n");
    for (i = 0; i < d->box_count && !t.failed; i++) {
        views_frame_svg(&t, &name, d, &d->boxes[i]);
        views_flush(&t, out);
    }
    views_say(&t, "</g>\n");
    views_say(&t, "<g id=\"table\" class=\"off\"></g>\n<g id=\"below\">\n");
    views_text_at(&t, " id=\"info\" role=\"status\"", VIEWS_SIDE * VIEWS_UNIT, below * VIEWS_UNIT);
    views_say(&t, "</text>\n");
    views_notes(&t, d, &y);
    if (d->old != NULL) views_legend_diff(&t, y);
    else views_legend(&t, d, y);
    views_say(&t, "</g>\n<script><![CDATA[\n");
    views_say(&t, views_script);
    views_say(&t, views_script_table);
    views_say(&t, views_script_keys);
    views_say(&t, "]]></script>\n</svg>\n");
    views_flush(&t, out);
    ok = !t.failed && !name.failed;
    free(t.data);
    free(name.data);
    return ok;
}
