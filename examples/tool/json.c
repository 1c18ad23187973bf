/* json.c - JSON of the commands */
#include "json.h"
#include "profdata.h"

json json_to(FILE *out)
{
    json j;
    memset(&j, 0, sizeof j);
    j.out = out;
    return j;
}

void json_goes_on(json *j, FILE *out)
{
    *j = json_to(out);
    j->end[0] = '}';
    j->filled[0] = 1;
    j->depth = 1;
}

/* 1 if what is at this depth has lines of its own. */
static int is_line(const json *j, unsigned depth)
{
    return depth < 2 || (depth == 2 && j->end[1] == ']');
}

/* What stands before a value. */
static void json_before(json *j, const char *key)
{
    if (j->depth != 0) {
        char *const filled = &j->filled[j->depth - 1];
        if (*filled) putc(',', j->out);
        *filled = 1;
        if (is_line(j, j->depth)) fprintf(j->out, "\n%*s", (int)(2 * j->depth), "");
        else putc(' ', j->out);
    }
    if (key != NULL) fprintf(j->out, "\"%s\": ", key);
}

void json_begin(json *j, const char *key, char begin)
{
    json_before(j, key);
    putc(begin, j->out);
    j->end[j->depth] = begin == '{' ? '}' : ']';
    j->filled[j->depth++] = 0;
}

void json_end(json *j)
{
    const char filled = j->filled[--j->depth];
    if (filled && is_line(j, j->depth + 1)) fprintf(j->out, "\n%*s", (int)(2 * j->depth), "");
    else if (filled) putc(' ', j->out);
    putc(j->end[j->depth], j->out);
    if (j->depth == 0) putc('\n', j->out);
}

void json_count(json *j, const char *key, uint64_t value)
{
    json_before(j, key);
    fprintf(j->out, "%" PRIu64, value);
}

void json_null(json *j, const char *key)
{
    json_before(j, key);
    fputs("null", j->out);
}

/* What is no number, as a share of nothing, is null. */
void json_real(json *j, const char *key, double value)
{
    json_before(j, key);
    if (value >= -1e300 && value <= 1e300) fprintf(j->out, "%.9g", value);
    else fputs("null", j->out);
}

void json_flag(json *j, const char *key, int value)
{
    json_before(j, key);
    fputs(value ? "true" : "false", j->out);
}

void json_bytes(json *j, const char *key, const char *text, size_t size)
{
    json_before(j, key);
    json_string(j->out, text, size);
}

void json_text(json *j, const char *key, const char *text)
{
    json_bytes(j, key, text, strlen(text));
}

void json_func(json *j, const char *key, const csspgo_profile *p, csspgo_func f)
{
    size_t size;
    const char *name = csspgo_func_name(p, f, &size);
    char guid[24];
    if (name != NULL) json_bytes(j, key, name, size);
    else json_bytes(j, key, guid, (size_t)snprintf(guid, sizeof guid, "%" PRIu64, csspgo_func_guid(p, f)));
}

int json_goes(const tool_context *tool, const char *output, const char *what)
{
    if (output != NULL && strcmp(output, "-") != 0 && strcmp(output, "/dev/stdout") != 0) return 1;
    return usage(tool, "--json prints to standard output: --output=FILE says where %s goes", what), 0;
}
