/* flame.c - the command flame: the comparison with an older profile, the tree of frames as JSON */
#include "views.h"

/* An empty profile for stacks; NULL: out of memory. */
static csspgo_profile *views_stacks_new(void)
{
    csspgo_options options = *seeded();
    options.limits.max_name = UINT32_MAX;
    options.limits.max_depth = VIEWS_DEPTH;
    return csspgo_profile_new(&options, NULL);
}

/*
 * --diff, --callers: in place of the profile one of stacks, as folded has them: totals are the samples of the profile,
 * heads those of the older one. Returns 0 after saying what is wrong.
 */
static int views_by_stack(views *v)
{
    csspgo_profile *q = views_stacks_new(), *inverted = NULL;
    int ok = (q != NULL && views_collapse(v, q, 0)) || (fail(v->tool, "out of memory"), 0);
    tree_close(&v->t);
    memset(&v->t, 0, sizeof v->t);
    if (ok && v->older != NULL) {
        ok = views_read(v, v->older) && (views_collapse(v, q, 1) || (fail(v->tool, "out of memory"), 0));
        tree_close(&v->t);
    }
    if (ok && v->callers) {
        inverted = views_stacks_new();
        ok = (inverted != NULL && views_invert(q, inverted)) || (fail(v->tool, "out of memory"), 0);
        csspgo_profile_free(q);
        q = inverted;
    }
    v->t = tree_of(q);
    return ok;
}

/* --json, as d3-flame-graph takes it. Boxes come in the order of the tree: a deeper one is in the one before. */
static void views_write_json(const views_flame_data *d, FILE *out)
{
    uint32_t depth = 0;
    size_t i, size;
    for (i = 0; i < d->box_count; i++) {
        const views_box *b = &d->boxes[i];
        csspgo_node n;
        const char *name;
        n.id = b->node;
        name = views_label(d, n, &size);
        if (i != 0 && b->depth > depth) fputs(", \"children\": [\n", out);
        else if (i != 0) putc('}', out);
        for (; depth > b->depth; depth--) fputs("]}", out);
        if (i != 0 && b->depth <= d->boxes[i - 1].depth) fputs(",\n", out);
        depth = b->depth;
        fputs("{ \"name\": ", out);
        json_string(out, name, size);
        fprintf(out, ", \"value\": %" PRIu64, b->weight);
        if (d->old != NULL) fprintf(out, ", \"old\": %" PRIu64, d->old[n.id]);
    }
    putc('}', out);
    for (; depth > 0; depth--) fputs("]}", out);
    putc('\n', out);
}

static int views_flame(tool_context *tool, int argc, char **argv)
{
    views_flame_data d;
    views v;
    int ok;
    if (!views_parse(tool, &v, 1, argc, argv)) return 2;
    memset(&d, 0, sizeof d);
    ok = views_open(&v);
    v.flat = ok && !v.recorded && (tree_flags(&v.t) & CSSPGO_IS_CS) == 0;
    ok = ok && ((v.older == NULL && !v.callers) || views_by_stack(&v)) && views_begin(&v);
    if (ok) {
        d.v = &v;
        d.t = &v.t;
        d.p = v.t.p;
        d.narrow = v.json ? 0 : VIEWS_NARROW;
        d.units = (uint32_t)(v.width - 2 * VIEWS_SIDE) * VIEWS_UNIT;
        ok = views_boxes(&d);
        if (ok && v.json) views_write_json(&d, v.out);
        else ok = ok && views_write_svg(&d, v.out);
        if (!ok) fail(tool, "out of memory");
    }
    views_boxes_free(&d);
    return views_end(&v, ok);
}

const command flame_command = {
    "flame", views_flame, flame_options, NULL,
    "csspgo flame PROFILE [-o FILE.svg] [--diff=OLD] [--callers] [--icicle]\n"
    "             [--title=TEXT] [--width=PX] [--names=FILE] [--binary=FILE]\n",
    "draws a self-contained SVG flame graph",
    "A click or Enter on a frame zooms, Escape goes back. / or Ctrl-F searches for text, or for a regular expression "
    "between slashes. t shows a table of functions, and the arrow keys go from frame to frame. Zoom and search are part of "
    "the address, so a link shows them again.\n"
    "--diff compares stacks by the names of their functions, wherever the calls are. --callers begins each stack with the "
    "function that was sampled; its callers are above it.\n"
    "Contextual profiles (.ctxprof) are read, too; widths are then counts.\n"
};
