/* views.h - the room of the commands that show profiles or add them up
 *
 * folded, flame: views.c reads the profile and names its functions, tree.c is its tree, or that of exact counts;
 * stacks.c adds up stacks, text.c is text that grows;
 * folded.c prints stacks, flame.c draws them: flame_boxes.c makes boxes, flame_names.c short names, flame_svg.c the
 * picture, flame_script.c its style and script, flame_table.c the script's table of functions.
 * show: show.c by show_text.c, show_json.c, show_summary.c, show_sections.c, show_contexts.c.
 * merge: merge.c by merge_inputs.c (files), merge_add.c (the sum), merge_edit.c (its changes), merge_contextual.c;
 * traces.c is for instrumentation profiles in merge and show.
 * annotate: annotate.c by annotate_code.c (instructions, source), _counts.c (by annotate_flow.c), _chain.c (what
 * bottleneck found), _print.c (which rows there are), _html.c (the page around them) and _row.c (a row, by
 * annotate_arrows.c).
 * overlap: overlap.c.
 */
#ifndef CSSPGO_TOOL_VIEWS_H
#define CSSPGO_TOOL_VIEWS_H

#include "../debug/debug.h"
#include "../shared/probed.h"

extern const char views_style[], views_script[], views_script_table[], views_script_keys[];

typedef struct views_text {
    char  *data;
    size_t size, cap;
    int    failed;
} views_text;

/* A profile, or contexts of exact counts; their outermost frames are one for each function. */
typedef struct views_tree {
    const csspgo_profile *p;      /* functions and nodes; of a profile all that is asked */
    csspgo_profile *own;          /* the same, to be freed; NULL: exact counts           */
    exact_counts   *exact;        /* NULL: a profile. Of exact counts, by node:          */
    uint32_t       *child, *next; /* the first child, the sibling behind it; 0: none     */
    uint64_t       *self, *head;
    uint64_t        records;      /* nodes with counts                                   */
} views_tree;

#define TREE_LINKED UINT32_C(0x80000000)   /* while it is made: the node is linked; there are at most 2^31 */

typedef struct views {
    const tool_context *tool;
    const char *input, *output, *title, *older;       /* title: NULL: by the names of the files */
    long        width;
    int         icicle, mark_inlined;
    int         callers;          /* flame: the innermost frame first   */
    int         flat;             /* a profile without contexts         */
    int         recorded;         /* the input is no profile, but a recording */
    int         json;             /* flame: no picture, but JSON        */
    unsigned    format;           /* folded: its place among the words  */
    name_table  names;
    views_tree  t;
    output      file;
    FILE       *out;              /* the stream of it; NULL: not open */
} views;

/* places in both tables; behind VIEWS_OWN: of flame */
enum {
    VIEWS_OUTPUT, VIEWS_NAMES, VIEWS_BINARY, VIEWS_OWN, VIEWS_TITLE, VIEWS_WIDTH, VIEWS_JSON, VIEWS_DIFF,
    VIEWS_CALLERS
};
enum { VIEWS_FORMAT = VIEWS_OWN + 1 };               /* of folded */

extern const option folded_options[], flame_options[];   /*
 * picture.c: picture_is: 1 if a file is a recording or has collapsed stacks; picture_read: its stacks by name; NULL
 * after saying what is wrong.
 */
int picture_is(const tool_context *tool, const file_bytes *f);
int picture_holds(const tool_context *tool, const char *path, const file_bytes *f);  /* 0 after saying: no recording */

/* annotate_recording.c: the profile that profgen makes of a recording; a failure is said, or in e. */
csspgo_status annotate_recording(const tool_context *tool, const char *path, const file_bytes *f, csspgo_profile *p,
                                 csspgo_error *e);
csspgo_profile *picture_read(const tool_context *tool, const char *path, const file_bytes *f);

/* views.c */

enum {
    VIEWS_SIDE = 10, VIEWS_TOP = 60, VIEWS_ROW = 18,  /* margins and height of a row, px                           */
    VIEWS_UNIT = 100,                                 /* coordinates are whole hundredths of a px                  */
    VIEWS_NARROW = 10,                                /* in these units: what is narrower is not drawn             */
    VIEWS_CHAR = 720,                                 /* width of a character, 12 px monospace                     */
    VIEWS_CONTEXT = 2000,                             /* bytes of a context in a tooltip: browsers cut longer ones */
    VIEWS_NAME = 1000,                                /* bytes of a name that are shown                            */
    VIEWS_DEPTH = 10000                               /* frames of a stack, as the library reads exact counts      */
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

typedef struct views_child {      /* a node to draw, in the order of names; of callers by weight */
    uint64_t    weight;           /* of callers; else 0 */
    const char *name;
    size_t      name_size;
    csspgo_loc  loc;
    uint32_t    node, depth;
    uint64_t    begin;            /* weights left of it */
} views_child;

typedef struct views_flame_data {
    const views    *v;
    const views_tree *t;                  /* v's */
    const csspgo_profile *p;              /* and its functions and nodes */
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

/* text.c */
void views_add(views_text *t, const char *bytes, size_t n);
void views_say(views_text *t, const char *s);
void views_number(views_text *t, uint64_t n, char separator);
void views_hex(views_text *t, uint64_t n);
uint64_t views_scaled(uint64_t part, uint64_t whole, uint64_t scale);
void views_percent(views_text *t, uint64_t part, uint64_t whole);
void views_clean(views_text *t, const char *bytes, size_t size);

/*
 * stacks.c: adds the stacks of v->t to q, whose functions are the frames as they are printed; older: as heads, not
 * totals.
 * Returns 0: out of memory.
 */
int views_collapse(const views *v, csspgo_profile *q, int older);
int views_invert(const csspgo_profile *q, csspgo_profile *callers);   /* adds each stack, its innermost frame first */

/* stacks.c: calls fn for each stack, in the order of their lines; 0: out of memory, or fn returned 0 */
int views_each_stack(const csspgo_profile *q, views_stack_fn fn, void *ctx);

/* views.c */
int views_parse(tool_context *tool, views *v, int flame, int argc, char **argv);
int views_read(views *v, const char *path);   /* into v->t */
int views_open(views *v);            /* reads; then */
int views_begin(views *v);           /* the output begins */
int views_end(views *v, int ok);
void views_func_name(const views *v, csspgo_func func, views_text *t);

/*
 * tree.c: tree_open reads, for tree_close, also after a failure; tree_of takes a profile over. Then, as the functions
 * of the library have it:
 *
 *   tree_child, _sibling    the first child, the sibling behind a node; id 0: there is none
 *   tree_next               the node after n when parents come before their children; id 0 after the last one
 *   tree_self, views_self   what was sampled in the node itself; the same of a profile
 *   tree_loc                where its caller calls it
 */
csspgo_status tree_open(views_tree *t, const tool_context *tool, const char *path, const file_bytes *f,
                        const name_table *names, csspgo_error *e);
views_tree tree_of(csspgo_profile *p);
void tree_close(views_tree *t);
csspgo_node tree_parent(const views_tree *t, csspgo_node n);
csspgo_node tree_child(const views_tree *t, csspgo_node n);
csspgo_node tree_sibling(const views_tree *t, csspgo_node n);
csspgo_node tree_next(const views_tree *t, csspgo_node n);
csspgo_loc tree_loc(const views_tree *t, csspgo_node n);
uint64_t tree_self(const views_tree *t, csspgo_node n);
uint64_t views_self(const csspgo_profile *p, csspgo_node n);
uint64_t tree_head(const views_tree *t, csspgo_node n);
uint64_t tree_checksum(const views_tree *t, csspgo_node n);
csspgo_node_kind tree_kind(const views_tree *t, csspgo_node n);
int tree_is_inlined(const views_tree *t, csspgo_node n);
uint32_t tree_flags(const views_tree *t);
uint64_t tree_records(const views_tree *t);

/* flame_boxes.c: views_boxes returns 0: out of memory */
int views_boxes(views_flame_data *d);
void views_boxes_free(views_flame_data *d);
int views_is_cs(const views_flame_data *d);
const char *views_label(const views_flame_data *d, csspgo_node node, size_t *size);

/*
 * flame_names.c: views_short adds a name without parameters, "(anonymous namespace)::", and the numbers that tell apart
 * local functions of several files (.__uniq.N, .llvm.N); views_brief also without arguments of templates. views_last: how many bytes of it stand in front of its last
 * part, which begins behind "::".
 */
void views_short(views_text *t, const char *name, size_t size);
void views_brief(views_text *t, const char *name, size_t size);
size_t views_last(const char *name, size_t size);

/* flame_svg.c */
int views_write_svg(const views_flame_data *d, FILE *out);

/* ----- merge, show and overlap ------------------------------------------------------------------------------------ */

/* Accepted by the commands below: what LLVM's have in common. */
#define PROFDATA_COMMON \
    OPTION("sample", OPT_IGNORED, NULL, 0, NULL, NULL), \
    OPTION("instr", OPT_LATER, "0", 0, NULL, NULL), \
    OPTION("o", OPT_ALIAS, "output", 0, NULL, NULL), \
    LLVM_COMPAT, \
    OPTION("profile-summary-hot-count", OPT_COUNT, NULL, 0, "N", \
           "a function is hot from this count on, whatever the cutoff"), \
    OPTION("profile-summary-cutoff-hot", OPT_COUNT, NULL, 0, "PPM", \
           "the counts that make up this share of the sum are hot"), \
    OPTION("profile-summary-huge-working-set-size-threshold", OPT_COUNT, NULL, 0, NULL, NULL), \
    OPTION("profile-summary-large-working-set-size-threshold", OPT_COUNT, NULL, 0, NULL, NULL), \
    OPTION("profile-summary-contextless", OPT_LATER, "1", 0, NULL, NULL)

enum {
    S_OUTPUT, S_ALL, S_FUNCTION, S_JSON, S_FORMAT, S_SUMMARY, S_HOT, S_TOPN, S_SYMBOLS, S_SECTIONS, S_BLOCKS, S_CONTEXTS,
    S_ISFS, S_PASS, S_NAMES, S_PROFILED, S_ONLY, S_TOP
};

typedef struct show_row {         /* a record, in the order of csspgo_file_order */
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

enum {
    M_OUTPUT, M_FORM, M_WEIGHTED, M_LIST, M_DUMP, M_FAILURE, M_SYMBOLS, M_NO_SYMBOLS, M_MD5, M_COMPRESS, M_PARTIAL,
    M_SPLIT, M_VERSION, M_COMPOSITE, M_VTABLES, M_INDEXED, M_MD5_SYMBOLS, M_LAYOUT, M_NESTED, M_KEEP_BASE,
    M_MERGE_COLD, M_TRIM_COLD, M_COLD_FRAMES, M_COLD_COUNT, M_COLD_CUTOFF, M_RECURSION, M_FUNCTION, M_NO_FUNCTION,
    M_REMAP, M_SIZE, M_GCOV_VERSION, M_ISFS, M_PASS, M_QUIET, M_NAMES, M_PROFILED, M_MIX, M_MAX_SKIPPED,
    M_MAX_DROPPED, M_JSON, M_THREADS
};

/*
 * merge_ahead.c: threads that read inputs. merge_ahead_begin: NULL, there are none; merge_ahead_take: each input in turn,
 * NULL: it is to be read as without threads.
 */
typedef struct merge_ahead merge_ahead;
merge_ahead *merge_ahead_begin(const merge *m, unsigned threads);
csspgo_profile *merge_ahead_take(merge_ahead *a, size_t i);
void merge_ahead_end(merge_ahead *a);

enum { MERGE_CONTEXTUAL = 100 };  /* the output's form beside CSSPGO_TEXT ...: a contextual profile */

/*
 * traces.c, of instrumentation profiles: raw, indexed or text. is_traces: the file begins as one of these. show_traces
 * returns 0, merge_traces the exit status, after saying what is wrong.
 */
int is_traces(const char *path);
int show_traces(const tool_context *tool, const char *path, FILE *out);
int merge_traces(merge *m);

/* show_text.c */
int same_loc(csspgo_loc a, csspgo_loc b);
int loc_before(csspgo_loc a, csspgo_loc b);
int show_list(show *s);
int show_targets(show *s, csspgo_node node);
void indent(FILE *out, unsigned n);
int show_all(show *s);

int show_one(show *s, csspgo_func f, const char *name);

/* show_json.c */
void json_name(show *s, csspgo_func f);
void json_line(FILE *out, int first, unsigned in);
void json_number(FILE *out, int first, unsigned in, const char *key, uint64_t value);
int show_json(show *s);
int show_json_of(show *s, csspgo_func f);     /* the same of one function; the rows are of all */

/* show_summary.c */
unsigned cell_pad(FILE *out, unsigned at, unsigned column);
int show_wants_hot(const option *o);
int show_others(show *s, int json, int first);   /* what else is asked for; json: members of an object, first or not */

/* show_sections.c */
int show_symbols(show *s, int json);
int show_sections(const tool_context *tool, const char *path, int json, FILE *out);
int show_blocks(show *s, const char *path);

/* show_contexts.c */
int show_contexts(show *s, const reading *how, int json);

/* merge_inputs.c */
char *list_next(const file_bytes *f, size_t *at);
int merge_inputs(merge *m, int files, char **argv);
int merge_read_renames(merge *m, const char *path);

/* merge_add.c */
int merge_read(merge *m);
int merge_skipped(const merge *m);               /* 1 if more inputs were left out than may be */
int merge_skip(merge *m, const reading *how);    /* counts an input that is left out; 0 if none may be */

/* merge_contextual.c */
int merge_contextual(merge *m);

/* merge_edit.c */
csspgo_status merge_shape(merge *m);
int merge_filter(merge *m);
int merge_symbols(merge *m);

/* ----- the command annotate --------------------------------------------------------------------------------------- */

#define NOTE_UNKNOWN UINT64_MAX   /* as a count: nothing tells it */

enum { /* places in the table of options; of annotate */
    N_OUTPUT, N_BINARY, N_DEBUG_BINARY, N_PROFILE, N_FUNCTION, N_TOP, N_FORMAT, N_JSON, N_CONTEXTS, N_SOURCE, N_SOURCE_DIR,
    N_BOTTLENECK, N_QUIET
};

typedef struct note_insn {
    uint64_t address;
    char    *text;
    size_t   file;                /* place in annotate_run.file + 1; 0: its source is not known */
    uint32_t line;
    uint32_t stretch;             /* place in note_flow.stretch + 1; 0: padding, or no block is known */
} note_insn;

typedef struct note_file {        /* a file of source; lines: NULL if it cannot be read */
    char   *name, *text;
    char  **line;
    size_t  lines;
} note_file;

typedef struct note_edge {        /* from an instruction to the one that waits for its result    */
    size_t   from, to;            /* in the path; of annotate_run: in the function              */
    unsigned latency;             /* cycles until the result is there; 0: not said              */
    int      carried;             /* 1: to waits for the iteration before                       */
    char    *on;                  /* what is waited for; may be NULL                            */
} note_edge;

typedef struct note_path {        /* a loop or path that bottleneck found                        */
    char       *function;         /* as its symbol is called                                    */
    debug_area *block;            /* its code                                                   */
    size_t      blocks, insns;
    char      (*start)[2];        /* how the text of each instruction begins                    */
    int         loop;
    note_edge  *chain, *pass;     /* the slowest chain; what waited for what in a single pass   */
    size_t      chains, passes;
    double      latency, ports, issue;   /* cycles per iteration that each of these bounds takes */
    char       *units, *verdict, *why, *doubt;   /* as in the JSON; NULL: null                  */
    int         shown;            /* 1: it is in the function that is shown                     */
    size_t      first;            /* then its first instruction there                           */
} note_path;

typedef struct annotate_run {
    probed         in;            /* program and profile                                        */
    int            exact;         /* 1: this was made of exact counts                           */
    option        *o;
    csspgo_func    func;
    debug_area    *range;         /* its code, by address                                       */
    size_t         ranges;
    note_insn     *insn;
    size_t         insns, cap;
    note_file     *file;
    size_t         files;
    csspgo_node   *context;       /* the hottest ones                                           */
    uint64_t      *weight;        /* of these; what they are sorted by                          */
    size_t         contexts, all_contexts;
    uint64_t       all_weight;
    uint64_t      *count;         /* per instruction: in all contexts, then in each of `contexts` */
    uint64_t      *line_count;    /* by line: the same of its line, wherever that stands; else NULL */
    const char    *binary, *name; /* of the program and the function that are shown now         */
    int            several;       /* more than one may be shown                                 */
    size_t         views;         /* that were shown                                            */
    FILE          *index;         /* HTML: a link to each of them; else NULL                    */
    char          *title;         /* HTML: the name of the first one                            */
    uint64_t       sum;           /* of all_weight of these                                     */
    char          *cpu;           /* --bottleneck: what it was found for                        */
    note_path     *path;
    size_t         paths;
    note_edge     *edge;          /* of the function that is shown now; `on` is the path's      */
    size_t         edges;
} annotate_run;

/* Functions that return 0 have said what is wrong. */

/* annotate_code.c: the instructions, with lines if the program has them */
int note_code(annotate_run *a);
void note_read_source(const annotate_run *a, note_file *f);
int note_section(const annotate_run *a, uint64_t address, elf_section *s);     /* that has an address, with contents */

/* annotate_flow.c. note_flow_make returns 0: out of memory. */
typedef struct note_stretch {     /* code without a call but at its end                             */
    uint32_t block, group;        /* of the graph; stretches of a group execute equally often       */
} note_stretch;

typedef struct note_flow {
    note_stretch *stretch;        /* by block and address                                           */
    size_t        stretches, cap;
    uint32_t      groups;
    int           throws;         /* calls may throw: there are landing pads, or there may be       */
    uint64_t     *known;          /* of a column: per stretch, NOTE_UNKNOWN or its count            */
    uint64_t     *of_group;
} note_flow;

typedef struct note_place {       /* where a line or probe stands in the code                       */
    uint64_t key;                 /* of the line or probe                                           */
    size_t   of;                  /* instruction; or probe of the graph                             */
    uint32_t stretch, factor;     /* place + 1; duplication factor                                  */
} note_place;

typedef enum note_extent {        /* of the places of a line or probe                               */
    NOTE_ONE,                     /* one stretch                                                    */
    NOTE_EQUAL,                   /* of one group                                                   */
    NOTE_BLOCK,                   /* of one block: the first one executes as often as it says       */
    NOTE_SEVERAL
} note_extent;

int note_flow_make(annotate_run *a, note_flow *w, const csspgo_code_graph *g);
void note_flow_free(note_flow *w);
note_extent note_extent_of(const note_flow *w, const note_place *v, size_t n);
int note_holds(note_extent extent, uint64_t count);  /* 1: the count is that of each of the places */
void note_column_begin(note_flow *w);                /* then note_tell, note_column_end, and note_count_of */
void note_tell(note_flow *w, const note_place *v, size_t n, note_extent extent, uint64_t count);
void note_column_end(note_flow *w);
uint64_t note_count_of(const note_flow *w, uint32_t stretch);

/* annotate_counts.c */
int note_counts(annotate_run *a);

/*
 * annotate_arrows.c. note_target_of: the place that the text of an instruction names, "0x17c0" of
 * "jne 0x17c0 <_Z1fi+0x1e>"; returns 0: none. note_insn_at: the place of the instruction at an address + 1; 0: none.
 * note_arrows_make (of branches) and note_arrows_chain (of annotate_run.edge) return 0: out of memory; they begin with
 * zeros. note_arrows_put: what stands beside an instruction, or above it.
 */
typedef struct note_target {
    const char *begin, *end;      /* of the number                                              */
    const char *name;             /* behind it, up to the ">" at the end of the text; or NULL   */
    int         known;            /* 1: address is where it is                                  */
    uint64_t    address;
} note_target;

typedef struct note_arrows {
    unsigned char *cell;          /* by instruction and lane                                    */
    size_t         lanes;         /* that are in use                                            */
} note_arrows;

int note_target_of(const char *text, note_target *t);
size_t note_insn_at(const annotate_run *a, uint64_t address);
int note_arrows_make(const annotate_run *a, note_arrows *w);
int note_arrows_chain(const annotate_run *a, note_arrows *w);
void note_arrows_free(note_arrows *w);
void note_arrows_put(const note_arrows *w, size_t insn, int above, FILE *out);

/* annotate_chain.c: reads a file of bottleneck --json; says which of it belongs to the function that is shown now. */
int note_paths_read(annotate_run *a, const char *path);
int note_paths_place(annotate_run *a);
void note_paths_free(annotate_run *a);

/* annotate_row.c: rows of the table, as text or HTML */
enum { NOTE_LAST = 10000000 };    /* the last line of a file that is shown */

enum { NOTE_TEXT, NOTE_HTML, NOTE_SVG };             /* --format */

/* annotate_svg.c: the text as a picture. Returns 0 after saying what is wrong. */
int note_svg(const annotate_run *a, const char *text, size_t size, FILE *out);

typedef struct note_out {
    annotate_run *a;
    FILE         *out;
    int           html;
    uint64_t      most;           /* the largest count in all contexts: the darkest background  */
    size_t        columns;
    note_arrows   arrows, chain;  /* HTML with instructions; cell: NULL: none                   */
    int           beside;         /* HTML: lines of source have a table of their own            */
} note_out;

typedef struct note_cells {
    const uint64_t *count;        /* by column; NULL: none                                      */
    const char     *text;
    size_t          file;         /* of source: what it is a line of, or 0; else as in the insn */
    uint32_t        line;
    size_t          insn;         /* the instruction, or the one that it stands above; of a line the hottest one + 1 */
} note_cells;

void put_html(const char *text, size_t size, FILE *out);
char *note_name(const annotate_run *a, csspgo_func f);    /* as people write it, for free(); NULL: no memory */
void note_put(const note_out *o, const char *text);  /* without tabs                                    */
int note_shown(const uint64_t *count, size_t column);    /* 0: it is not known, or 0: left blank        */
int note_has_row(const annotate_run *a, size_t file, uint32_t line);   /* 1: a list of lines has this one */

/* By instruction, what its line has: as the profile has it, or, by probe, what the instruction has. */
const uint64_t *note_of_lines(const annotate_run *a);

void note_insn_row(const note_out *o, const note_cells *r);
void note_above_row(const note_out *o, const note_cells *r);     /* source above an instruction; line 0: no number */
void note_line_row(const note_out *o, const note_cells *r);      /* in a list of lines                    */
void note_file_row(const note_out *o, size_t file, size_t above);      /* above: an instruction + 1; 0: in a list */

/* annotate_html.c: the page around the rows. Functions that return int return 0 after saying what is wrong. */
int note_head(const note_out *o);                    /* also of text: what stands above the rows        */
void note_table_begin(const note_out *o, const char *what);
void note_table_end(const note_out *o);
void note_tail(const note_out *o);
void note_begin(const annotate_run *a, const char *index, FILE *out);   /* in front of the first function */
void note_script_put(FILE *out);

/* annotate_print.c */
int note_print(annotate_run *a, FILE *out);
void note_end(const annotate_run *a, FILE *out);     /* behind the last one */

#endif
