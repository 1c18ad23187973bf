/* profdata.h - what the files of merge, show and overlap share */
#ifndef CSSPGO_TOOL_PROFDATA_H
#define CSSPGO_TOOL_PROFDATA_H

#include "tool.h"

#include <fts.h>
#include <regex.h>

/* Accepted by the commands below: what LLVM's have in common. */
#define PROFDATA_COMMON \
    OPTION("sample", OPT_IGNORED, NULL, 0, NULL, NULL), \
    OPTION("instr", OPT_LATER, "0", 0, NULL, NULL), \
    OPTION("o", OPT_ALIAS, "output", 0, NULL, NULL), \
    OPTION("llvm-compat", OPT_IGNORED, NULL, 0, NULL, "bytes, messages and exit statuses of LLVM 19's tool"), \
    OPTION("profile-summary-hot-count", OPT_COUNT, NULL, 0, "N", \
           "a count from which a function is hot, in place of the cutoff"), \
    OPTION("profile-summary-cutoff-hot", OPT_COUNT, NULL, 0, "PPM", \
           "hot is what makes up this share of all counts"), \
    OPTION("profile-summary-huge-working-set-size-threshold", OPT_COUNT, NULL, 0, NULL, NULL), \
    OPTION("profile-summary-large-working-set-size-threshold", OPT_COUNT, NULL, 0, NULL, NULL), \
    OPTION("profile-summary-contextless", OPT_LATER, "1", 0, NULL, NULL)

enum {
    S_OUTPUT, S_ALL, S_FUNCTION, S_JSON, S_FORMAT, S_SUMMARY, S_HOT, S_TOPN, S_SYMBOLS, S_SECTIONS, S_CONTEXTS, S_ISFS,
    S_PASS, S_NAMES, S_PROFILED, S_ONLY, S_TOP
};

typedef struct show_row {         /* a record, in the order of csspgo_order */
    csspgo_node node;
    size_t      up;               /* row that it is nested in + 1; 0: top level                  */
    unsigned    nest;             /* levels of nesting: 0 at top level                           */
    int         inlinees;         /* it has some                                                 */
    csspgo_loc  first;            /* where the first ones of them are                            */
    uint64_t    max;              /* largest body count in it and its inlinees                   */
    uint64_t    entries;          /* LLVM's estimate of its calls, see show_entries              */
} show_row;

typedef struct show {
    const tool_context *tool;
    option         *o;
    csspgo_profile *p;
    FILE           *out;
    show_row       *row;
    size_t          rows;
    csspgo_target  *target;       /* scratch: those of one record */
    size_t          targets;
} show;

typedef struct merge_input {
    char      *path;
    uint64_t   weight;
    file_bytes file;              /* a contextual profile, which is converted when all others are read */
    int        open;              /* 1: the file is                                                    */
} merge_input;

typedef struct merge {
    const tool_context *tool;
    option         *o;
    merge_input    *input;
    size_t          inputs, cap;
    size_t          skipped;      /* inputs that were left out                   */
    file_bytes      remap;        /* --remapping-file, which renames points into */
    csspgo_rename  *rename;
    size_t          renames;
    int             remaps;       /* a remapping file was given, if an empty one */
    csspgo_profile *p;            /* the sum so far; NULL: nothing read          */
    const char     *filled;       /* path of the first input that is not empty   */
    int             by_counters;  /* 1: locations are those of contextual inputs */
    struct name_table *names;     /* of functions in these                       */
    uint64_t        dropped;      /* samples lost as checksums differ            */
    int             usage;        /* exit status if the command line is at fault */
} merge;

typedef struct filter {           /* --function or --no-function */
    int     on, compiled;
    regex_t regex;
    char    guid[24];             /* of a whole name: for profiles of GUIDs */
} filter;

enum {
    M_OUTPUT, M_FORM, M_WEIGHTED, M_LIST, M_DUMP, M_FAILURE, M_SYMBOLS, M_NO_SYMBOLS, M_MD5, M_COMPRESS, M_PARTIAL,
    M_SPLIT, M_LAYOUT, M_NESTED, M_KEEP_BASE, M_MERGE_COLD, M_TRIM_COLD, M_COLD_FRAMES, M_COLD_COUNT, M_COLD_CUTOFF,
    M_RECURSION, M_FUNCTION, M_NO_FUNCTION, M_REMAP, M_SIZE, M_GCOV_VERSION, M_ISFS, M_PASS, M_QUIET, M_NAMES,
    M_PROFILED, M_MIX, M_MAX_SKIPPED, M_MAX_DROPPED, M_JSON
};

enum { MERGE_CONTEXTUAL = 100 };  /* the output's form beside CSSPGO_TEXT ...: a contextual profile */

/* show.c: what else is asked for; json: members of an object, of which these are the first ones or not */
int show_others(show *s, int json, int first);

/* show_text.c */
int same_loc(csspgo_loc a, csspgo_loc b);
int loc_before(csspgo_loc a, csspgo_loc b);
int show_list(show *s);
int show_targets(show *s, csspgo_node node);
void indent(FILE *out, unsigned n);
int show_all(show *s);
int is_number(const char *text, uint64_t *v);
csspgo_func func_named(const tool_context *tool, csspgo_profile *p, const char *name);

/* show_named.c: the same, or by the end of its name as people write it; says what is wrong if there is none. */
csspgo_func func_meant(const tool_context *tool, csspgo_profile *p, const char *name);

int show_one(show *s, csspgo_func f, const char *name);

/* show_json.c */
void json_string(FILE *out, const char *text, size_t size);
void json_name(show *s, csspgo_func f);
void json_line(FILE *out, int first, unsigned in);
void json_number(FILE *out, int first, unsigned in, const char *key, uint64_t value);
int show_json(show *s);
int show_json_of(show *s, csspgo_func f);     /* the same of one function; the rows are of all */

/* show_summary.c */
int show_summary(show *s, int json);
unsigned cell_pad(FILE *out, unsigned at, unsigned column);
int show_hot(show *s, int json);

/* show_sections.c */
int show_symbols(show *s, int json);
int show_sections(const tool_context *tool, const char *path, int json, FILE *out);

/* show_contexts.c */
int show_contexts(show *s, const reading *how, int json);

/* merge_inputs.c */
char *list_next(const file_bytes *f, size_t *at);
int merge_inputs(merge *m, int files, char **argv);
int merge_read_renames(merge *m, const char *path);

/* merge_add.c */
int merge_read(merge *m);
int merge_fits(merge *m, const csspgo_profile *p, const merge_input *in, const reading *how);

/* merge_contextual.c */
int merge_contextual(merge *m);
int merge_skipped(const merge *m);
int merge_skip(merge *m, const reading *how);     /* counts an input that is left out; 0 if none may be */
int merge_combine(merge *m, reading *how);   /* adds what is open as --mix=combine does; 0 after an error */

/* merge_edit.c */
csspgo_status merge_shape(merge *m);
int merge_filter(merge *m);
int merge_symbols(merge *m);

/* the end of their help */

#endif
