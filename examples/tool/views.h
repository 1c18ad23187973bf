/* views.h - what the files of folded and flame share */
#ifndef CSSPGO_TOOL_VIEWS_H
#define CSSPGO_TOOL_VIEWS_H

#include "names.h"

extern const char views_style[], views_script[], views_script_keys[];

typedef struct views_text {
    char  *data;
    size_t size, cap;
    int    failed;
} views_text;

typedef struct views {
    const tool_context *tool;
    const char *input, *output, *title, *older;
    long        width;
    int         icicle, mark_inlined;
    int         fits;             /* the picture fits the window        */
    int         json;             /* flame: no picture, but JSON        */
    unsigned    format;           /* folded: its place among the words  */
    name_table  names;
    csspgo_profile *p;
    output      file;
    FILE       *out;              /* the stream of it; NULL: not open */
} views;

/* places in both tables; behind VIEWS_OWN: of flame */
enum { VIEWS_OUTPUT, VIEWS_NAMES, VIEWS_BINARY, VIEWS_OWN, VIEWS_TITLE, VIEWS_WIDTH, VIEWS_JSON, VIEWS_DIFF };
enum { VIEWS_FORMAT = VIEWS_OWN + 1 };               /* of folded */

extern const option folded_options[], flame_options[];   /* views.c */

enum {
    VIEWS_SIDE = 10, VIEWS_TOP = 60, VIEWS_ROW = 18,  /* margins and height of a row, px                           */
    VIEWS_UNIT = 100,                                 /* coordinates are whole hundredths of a px                  */
    VIEWS_NARROW = 10,                                /* in these units: what is narrower is not drawn             */
    VIEWS_CHAR = 720,                                 /* width of a character, 12 px monospace                     */
    VIEWS_CONTEXT = 2000,                             /* bytes of a context in a tooltip: browsers cut longer ones */
    VIEWS_NAME = 1000                                 /* bytes of a name that are shown                            */
};

typedef enum views_kind {
    VIEWS_ALL, VIEWS_CALLED, VIEWS_INLINED, VIEWS_SHOULD, VIEWS_BASE, VIEWS_CUT, VIEWS_KINDS
} views_kind;

typedef struct views_box {        /* a frame of the picture; x in units from the left edge of the root */
    uint32_t node, depth;
    uint32_t x, width;
    uint32_t hatched;             /* units at the right end: samples without context */
    uint32_t frames;              /* VIEWS_CUT: how many it stands for               */
    uint64_t weight;              /* with all above it                               */
    views_kind kind;
} views_box;

typedef struct views_child {      /* a node to draw, in the order of names */
    const char *name;
    size_t      name_size;
    csspgo_loc  loc;
    uint32_t    node, depth;
    uint64_t    begin;            /* weights left of it */
} views_child;

typedef struct views_flame_data {
    const views    *v;
    const csspgo_profile *p;
    views_text      text;                 /* names of functions, valid UTF-8                            */
    size_t         *begin;                /* by function id, where in text; one more for the end        */
    uint64_t       *weight;               /* by node id, with all below it, >> shift                    */
    uint32_t       *frames;               /* by node id: nodes with weight, itself and all below it     */
    uint64_t       *old;                  /* --diff: the same of the older profile; NULL: there is none */
    uint64_t        old_all, gone;        /* ... of everything; of stacks that only it has              */
    uint32_t        narrow;               /* in units: what is narrower is not drawn                    */
    unsigned        shift;                /* 0 unless all weights together exceed 64 bits               */
    uint64_t        all, alone;           /* of everything; of what has no context, both >> shift       */
    uint32_t        depth;                /* of the deepest box                                         */
    uint64_t        cut, cut_frames;      /* what is too narrow to draw                                 */
    uint32_t        units;                /* width of the root                                          */
    views_box      *boxes;
    size_t          box_count, box_cap;
    views_child    *list;
    size_t          list_count, list_cap;
    int             seen[VIEWS_KINDS];
} views_flame_data;

/* A stack: its innermost frame, and how often; line: as it is printed. Returns 0: out of memory. */
typedef int (*views_stack_fn)(void *ctx, csspgo_node node, uint64_t count, const views_text *line);

/* views_text.c */
void views_add(views_text *t, const char *bytes, size_t n);
void views_say(views_text *t, const char *s);
void views_number(views_text *t, uint64_t n, char separator);
void views_hex(views_text *t, uint64_t n);
uint64_t views_scaled(uint64_t part, uint64_t whole, uint64_t scale);
void views_percent(views_text *t, uint64_t part, uint64_t whole);
uint64_t views_plus(uint64_t a, uint64_t b);
void views_clean(views_text *t, const char *bytes, size_t size);

/*
 * folded.c: adds the stacks of v->p to q, whose functions are the frames as they are printed; older: as heads, not
 * totals.
 * Returns 0: out of memory.
 */
int views_collapse(const views *v, csspgo_profile *q, int older);

/* folded.c: calls fn for each stack, in the order of their lines; 0: out of memory, or fn returned 0 */
int views_each_stack(const csspgo_profile *q, views_stack_fn fn, void *ctx);

/* folded_export.c: stacks in other forms; what a walk through them has */
int views_export(const views *v, const csspgo_profile *q, uint64_t *samples, uint64_t *stacks);

/* flame_json.c */
void views_write_json(const views_flame_data *d, FILE *out);

/* views.c */
int views_parse(tool_context *tool, views *v, int flame, int argc, char **argv);
int views_open(views *v);
int views_end(views *v, int ok);
void views_func_name(const views *v, csspgo_func func, views_text *t);
uint64_t views_self(const csspgo_profile *p, csspgo_node node);
int views_is_inlined(const csspgo_profile *p, csspgo_node node);

/* flame.c */
int views_is_cs(const views_flame_data *d);
const char *views_label(const views_flame_data *d, csspgo_node node, size_t *size);

/* flame_text.c */
void views_xml(views_text *t, const char *s, size_t size);
void views_attribute(views_text *t, const char *name, uint32_t units);
void views_rect(views_text *t, const char *css, uint32_t x, uint32_t y, uint32_t width);
void views_text_at(views_text *t, const char *more, uint32_t x, uint32_t y);
void views_samples(views_text *t, const views_flame_data *d, uint64_t weight);
void views_short(views_text *t, const char *name, size_t size);
size_t views_prefix(const char *s, size_t size, size_t n, size_t *characters);
void views_tooltip(views_text *t, const views_flame_data *d, const views_box *b);
void views_change(views_text *t, const views_flame_data *d, csspgo_node n, uint64_t weight);   /* its class */
uint32_t views_shade(const char *s, size_t size);

/* flame_svg.c */
int views_write_svg(const views_flame_data *d, FILE *out);

#endif
