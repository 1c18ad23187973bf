/* show_json.c - show: records as JSON */
#include "views.h"

void json_name(show *s, csspgo_func f)
{
    size_t n;
    const char *name = csspgo_func_name(s->p, f, &n);
    if (name != NULL) json_string(s->out, name, n);
    else fprintf(s->out, "\"%" PRIu64 "\"", csspgo_func_guid(s->p, f));
}

/* An element or attribute on a line of its own. */
void json_line(FILE *out, int first, unsigned in)
{
    fputs(first ? "\n" : ",\n", out);
    indent(out, in);
}

void json_number(FILE *out, int first, unsigned in, const char *key, uint64_t value)
{
    json_line(out, first, in);
    fprintf(out, "\"%s\": %" PRIu64, key, value);
}

static void json_loc(FILE *out, csspgo_loc loc, unsigned in)
{
    json_line(out, 1, in);
    fprintf(out, "\"line\": %u", loc.line);
    if (loc.discriminator == 0) return;
    json_line(out, 0, in);
    fprintf(out, "\"discriminator\": %u", loc.discriminator);
}

static void json_calls(show *s, size_t *k, csspgo_loc loc, unsigned in)
{
    int first = 1;
    json_line(s->out, 0, in);
    fputs("\"calls\": [", s->out);
    for (; *k < s->targets && same_loc(s->target[*k].loc, loc); ++*k, first = 0) {
        json_line(s->out, first, in + 2);
        putc('{', s->out);
        json_line(s->out, 1, in + 4);
        fputs("\"function\": ", s->out);
        json_name(s, s->target[*k].func);
        json_line(s->out, 0, in + 4);
        fprintf(s->out, "\"samples\": %" PRIu64, s->target[*k].count);
        json_line(s->out, 1, in + 2);
        putc('}', s->out);
    }
    json_line(s->out, 1, in);
    putc(']', s->out);
}

static void json_bodies(show *s, csspgo_node node, unsigned in)
{
    size_t n, i, k = 0;
    const csspgo_body *b = csspgo_get_bodies(s->p, node, &n);
    if (n == 0) return;
    json_line(s->out, 0, in);
    fputs("\"body\": [", s->out);
    for (i = 0; i < n; i++) {
        json_line(s->out, i == 0, in + 2);
        putc('{', s->out);
        json_loc(s->out, b[i].loc, in + 4);
        json_line(s->out, 0, in + 4);
        fprintf(s->out, "\"samples\": %" PRIu64, b[i].count);
        if (k < s->targets && same_loc(s->target[k].loc, b[i].loc)) json_calls(s, &k, b[i].loc, in + 4);
        json_line(s->out, 1, in + 2);
        putc('}', s->out);
    }
    json_line(s->out, 1, in);
    putc(']', s->out);
}

/* The attributes of a record up to the array of its inlinees, which stays open. in: of the attributes. */
static int json_record(show *s, const show_row *r, unsigned in)
{
    if (!show_targets(s, r->node)) return 0;
    putc('{', s->out);
    json_line(s->out, 1, in);
    fputs("\"name\": ", s->out);
    json_name(s, csspgo_node_func(s->p, r->node));
    json_line(s->out, 0, in);
    fprintf(s->out, "\"total\": %" PRIu64, csspgo_total(s->p, r->node));
    if (r->nest == 0) {
        json_line(s->out, 0, in);
        fprintf(s->out, "\"head\": %" PRIu64, csspgo_head(s->p, r->node));
    }
    json_bodies(s, r->node, in);
    if (!r->inlinees) return 1;
    json_line(s->out, 0, in);
    fputs("\"callsites\": [", s->out);
    return 1;
}

/* The end of a record at nesting `nest`, and of the call site that it hangs at. */
static void json_close(show *s, unsigned nest)
{
    const unsigned in = 2 + 8 * nest;
    json_line(s->out, 1, in);
    putc('}', s->out);
    if (nest == 0) return;
    json_line(s->out, 1, in - 2);
    putc(']', s->out);
    json_line(s->out, 1, in - 4);
    putc('}', s->out);
}

int show_json(show *s)
{
    size_t i;
    putc('[', s->out);
    for (i = 0; i < s->rows; i++) {
        const show_row *r = &s->row[i];
        const unsigned in = 2 + 8 * r->nest, next = i + 1 < s->rows ? s->row[i + 1].nest : 0;
        unsigned k;
        json_line(s->out, r->nest == 0 ? i == 0 : r->up == i, r->nest == 0 ? in : in - 4);
        if (r->nest != 0) {
            putc('{', s->out);
            json_loc(s->out, csspgo_node_loc(s->p, r->node), in - 2);
            json_line(s->out, 0, in - 2);
            fputs("\"samples\": [", s->out);
            json_line(s->out, 1, in);
        }
        if (!json_record(s, r, in + 2)) return 0;
        if (r->inlinees) continue;
        for (k = r->nest;; k--) {
            json_close(s, k);
            if (k == 0 || k == next) break;
            json_line(s->out, 1, 2 + 8 * k - 6);
            putc(']', s->out);
        }
    }
    if (s->rows != 0) putc('\n', s->out);
    putc(']', s->out);
    return 1;
}

int show_json_of(show *s, csspgo_func f)
{
    show part = *s;
    size_t i, n = 0, before = 0;  /* before: rows left out in front of the function that is copied */
    int ok, wanted = 0;
    part.row = (show_row *)malloc((s->rows + 1) * sizeof *part.row);
    if (part.row == NULL) return fail(s->tool, "out of memory"), 0;
    for (i = 0; i < s->rows; i++) {
        const show_row *r = &s->row[i];
        if (r->nest == 0) wanted = csspgo_node_func(s->p, r->node).id == f.id, before = i - n;
        if (!wanted) continue;
        part.row[n] = *r;
        if (r->up != 0) part.row[n].up -= before;
        n++;
    }
    part.rows = n;
    ok = show_json(&part);
    s->target = part.target, s->targets = part.targets;
    free(part.row);
    return ok;
}
