/* json.h - JSON of the commands: members of the document one a line, and elements of its arrays */
#ifndef CSSPGO_TOOL_JSON_H
#define CSSPGO_TOOL_JSON_H

#include "tool.h"

enum { JSON_DEPTH = 8 };

typedef struct json {
    FILE    *out;
    unsigned depth;
    char     end[JSON_DEPTH], filled[JSON_DEPTH];     /* of each level: what closes it; 1: it has something */
} json;

/* key: NULL in an array, and of the document. begin: '{' or '['. */
json json_to(FILE *out);
void json_goes_on(json *j, FILE *out);                /* in an object that was begun otherwise and has members */
void json_begin(json *j, const char *key, char begin);
void json_end(json *j);                               /* the innermost; the document ends with its line */
void json_count(json *j, const char *key, uint64_t value);
void json_null(json *j, const char *key);
void json_real(json *j, const char *key, double value);
void json_flag(json *j, const char *key, int value);
void json_text(json *j, const char *key, const char *text);
void json_bytes(json *j, const char *key, const char *text, size_t size);
void json_func(json *j, const char *key, const csspgo_profile *p, csspgo_func f);   /* its name, or else its GUID */

/* Returns 0 after refusing --json where a file goes to standard output, too; what: "the profile". */
int json_goes(const tool_context *tool, const char *output, const char *what);

#endif
