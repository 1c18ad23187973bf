/* bottleneck.h - what the files of the command bottleneck share */
#ifndef CSSPGO_TOOL_BOTTLENECK_H
#define CSSPGO_TOOL_BOTTLENECK_H

#include "tool.h"

enum { /* places in the table of options */
    B_OUTPUT, B_BINARY, B_DEBUG_BINARY, B_PROFILE, B_MCPU, B_TOP, B_CONTEXTS, B_ALIAS, B_JSON, B_QUIET
};

enum {
    HOT_BLOCKS = 64,              /* blocks of a path, at most                                   */
    HOT_INSNS = 256,              /* instructions of a path of several blocks, at most            */
    HOT_LONGEST = 1000,           /* instructions of a single block that is modelled, at most      */
    HOT_TRIPS = 100               /* iterations that are simulated, at most                       */
};

/* What holds a path back in one context, where it executes `iterations` times in a row. */
typedef enum hot_verdict {
    HOT_UNKNOWN = 0,              /* not modelled                                                             */
    HOT_LATENCY, HOT_PORTS, HOT_ISSUE,   /* one of the bounds                                                 */
    HOT_SHORT,                    /* most cycles are those of a single iteration: the bounds hardly matter    */
    HOT_NO_BOUND                  /* more than the bounds say: queues, or which instruction gets which unit   */
} hot_verdict;

/* A path in one context, or, with node 0, in several ones together. */
typedef struct hot_context {
    csspgo_node node;             /* of the function that the path belongs to               */
    uint64_t    others;           /* node 0: number of contexts                             */
    uint64_t    count;            /* executions of the path's first block                   */
    uint64_t    entries;          /* from outside the loop; 0: none was seen                */
    uint32_t    iterations;       /* to be simulated                                        */
    uint64_t    cycles;           /* that so many iterations take, simulated                */
    uint64_t    single;           /* that one iteration takes                               */
    hot_verdict verdict;
} hot_context;

/* A hot path: blocks of a function that execute one behind the other, as a loop or once. */
typedef struct hot_path {
    uint64_t    function;         /* address of the function                                */
    uint64_t    guid;
    uint64_t    begin[HOT_BLOCKS], end[HOT_BLOCKS];      /* addresses of the blocks' code   */
    uint32_t    block[HOT_BLOCKS];                       /* their numbers in the graph      */
    size_t      blocks, insns;
    int         loop;
    uint64_t    copies;           /* of its code that the compiler made, by unrolling e.g.  */
    uint64_t    weight;           /* instructions executed: counts times instructions       */
    hot_context *context;         /* by count, descending; the last one may be of others    */
    size_t      contexts;
    char       *name;             /* of the function                                        */
    /* from bottleneck_model.c */
    char      **text;             /* of each instruction; insns of them                     */
    char       *source;           /* FILE:LINE of its first instruction; NULL: not known    */
    char       *why;              /* why it could not be modelled; NULL: it was             */
    char       *doubt;            /* why its model is not exact; NULL: it is                */
    csspgo_sim_model *model;
    csspgo_bottleneck_bounds bounds;
    csspgo_bottleneck_step  *chain;
    csspgo_bottleneck_edge  *pass;                       /* critical sequence of a single pass */
    size_t      passes;
    double      cycles;           /* of all contexts together, estimated                    */
} hot_path;

typedef struct hot_checksum { uint64_t guid, checksum; } hot_checksum;

typedef struct bottleneck_run {
    const tool_context *tool;
    option         *o;
    loaded          image;
    csspgo_profile *p;
    hot_path       *path;         /* by weight, descending                                  */
    size_t          paths;
    uint64_t        weight;       /* of all blocks of the program                           */
    double          cycles;       /* of all paths, estimated                                */
    const char     *mcpu;
    hot_checksum   *checksum;     /* of the binary's functions, by GUID                      */
    size_t          checksums;
} bottleneck_run;

/* bottleneck_counts.c: counts of blocks in contexts. Functions that return 0 have no memory, unless they say so. */
typedef struct hot_counts {       /* of one function                                        */
    const csspgo_code_graph *graph;
    csspgo_frame *frame;          /* of all probes, one behind the other                    */
    size_t       *first;          /* of each probe, and the end                             */
    uint64_t     *copies;         /* occurrences of the same probe in this function         */
    uint64_t     *hash;
    csspgo_node  *node;           /* contexts in which this code executes                   */
    size_t        nodes;
    uint64_t     *block;          /* counts of the blocks, as hot_count made them last       */
} hot_counts;

typedef struct hot_inlined {      /* paths of inlining that the code has, as sorted hashes  */
    uint64_t *hash;
    size_t    count, cap;
    uint64_t *stray;              /* probes in code of another function than their stack says: where tails were merged, */
    size_t    strays, stray_cap;  /* LLVM may have left out who inlined them. As hot_counts.hash                        */
} hot_inlined;

int hot_inlined_add(hot_inlined *in, const csspgo_code *code, const csspgo_code_graph *g);
int hot_inlined_put(hot_inlined *in, const csspgo_frame *f, size_t n);
void hot_inlined_sort(hot_inlined *in);
void hot_inlined_free(hot_inlined *in);
int hot_is_inlined(const hot_inlined *in, const csspgo_profile *p, csspgo_node node);
int hot_checksums(bottleneck_run *r);                /* 0 after saying what is wrong */
int hot_counts_open(hot_counts *c, bottleneck_run *r, const hot_inlined *in, const csspgo_code_graph *g);
void hot_counts_close(hot_counts *c);
uint64_t hot_copies(const hot_counts *c, size_t b);
int hot_is_own(const hot_counts *c, size_t i);
int hot_probe(const hot_counts *c, const csspgo_profile *p, size_t i, csspgo_node node, uint64_t *sum);
void hot_count(hot_counts *c, const csspgo_profile *p, const csspgo_node *node, size_t nodes);
csspgo_status hot_solve(const hot_counts *c, csspgo_code_graph *g, csspgo_error *e);

typedef struct hot_function {     /* a candidate                                          */
    uint64_t address, guid;
    uint64_t weight;              /* of all its blocks: that of a path is a part of it    */
} hot_function;

/* bottleneck.c: opens a program with probes, its code and functions. Returns 0 with a sentence in why */
int load_probed(const tool_context *tool, loaded *l, const char *path, char *why, size_t why_size);

/* bottleneck_paths.c: the functions of the binary, and all paths of inlining. NULL: out of memory. */
hot_function *hot_functions(bottleneck_run *r, csspgo_block_finder *finder, hot_inlined *in, size_t *count);

typedef struct hot_graph {        /* a function's graph with counts                       */
    bottleneck_run   *r;
    csspgo_code_graph g;
    hot_counts        c;
    unsigned char    *used;       /* blocks: 1 on a path that was found; 2: on this one   */
    unsigned char    *reached;
    uint32_t         *stack;
    uint32_t         *next;       /* edges by their source: the next one, + 1             */
    uint32_t         *out;        /* of each block its first edge, + 1                    */
} hot_graph;

/* bottleneck_contexts.c. no_memory returns 0; hot_contexts returns 0 after saying what is wrong. */
int no_memory(const bottleneck_run *r);
void hot_reach(hot_graph *h, uint32_t without);
int hot_contexts(hot_graph *h, hot_path *p);

/* bottleneck_paths.c: the hottest paths, with their contexts, by weight. Returns 0 after saying what is wrong. */
int hot_find(bottleneck_run *r);
int hot_path_cmp(const void *a, const void *b);
void hot_path_free(hot_path *p);

/* bottleneck_model.c: 1 if PATH has the program; the name of a file as one word of a command, for free() */
int in_path(const char *name);
char *shell_word(const char *name);

/*
 * debug_source.c: calls take_fn for each address whose line of source is known, if a separate file has the lines;
 * number: of the address; it returns 0: out of memory. Returns 0: the same.
 */
typedef int (*source_fn)(void *what, size_t number, const char *file, uint32_t line);
int source_lines(const loaded *l, const uint64_t *address, size_t n, source_fn take_fn, void *what);

/* bottleneck_model.c: their instructions, models, bounds and verdicts. Returns 0 after saying what is wrong. */
int hot_model(bottleneck_run *r);

/* bottleneck_report.c */
int hot_report(bottleneck_run *r, FILE *out);

#endif
