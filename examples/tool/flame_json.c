/* flame_json.c - flame --json: the tree of frames, as d3-flame-graph takes it */
#include "views.h"
#include "profdata.h"

/* Boxes come in the order of the tree: what is deeper than the one before is in it. */
void views_write_json(const views_flame_data *d, FILE *out)
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
