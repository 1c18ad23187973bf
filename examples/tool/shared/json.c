/* json.c - JSON of the commands */
#include "tool.h"

/* The number of bytes of the UTF-8 character at p; 0: it is none. */
static size_t utf8_size(const unsigned char *p, size_t left)
{
    const unsigned c = p[0];
    const size_t n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : (c & 0xf0) == 0xe0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
    size_t i;
    if (n == 0 || n > left) return 0;
    for (i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if ((c == 0xe0 && p[1] < 0xa0) || (c == 0xed && p[1] > 0x9f) || (c == 0xf0 && p[1] < 0x90) ||
        (c == 0xf4 && p[1] > 0x8f))
        return 0;
    return n;
}

/* A character of n bytes as \uXXXX, or a pair of these. */
static void json_escape(FILE *out, const unsigned char *p, size_t n)
{
    uint32_t c = n == 1 ? p[0] : p[0] & (0x7fu >> n);
    size_t i;
    for (i = 1; i < n; i++) c = c << 6 | (p[i] & 0x3f);
    if (c < 0x10000) fprintf(out, "\\u%04x", (unsigned)c);
    else fprintf(out, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (c >> 10)), (unsigned)(0xdc00 | (c & 0x3ff)));
}

void json_string(FILE *out, const char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t i, n;
    putc('"', out);
    for (i = 0; i < size; i += n) {
        n = utf8_size(p + i, size - i);
        if (n == 0) fputs("\xef\xbf\xbd", out), n = 1;
        else if (p[i] == '"' || p[i] == '\\') fprintf(out, "\\%c", p[i]);
        else if (p[i] == '\t') fputs("\\t", out);
        else if (p[i] == '\n') fputs("\\n", out);
        else if (p[i] == '\r') fputs("\\r", out);
        else if (visible_size(p + i, n) == 0) json_escape(out, p + i, n);
        else fwrite(p + i, 1, n, out);
    }
    putc('"', out);
}

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
