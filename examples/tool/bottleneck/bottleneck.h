/* bottleneck.h - the room of the command bottleneck: why the hottest paths of a sampled program are slow
 *
 * bottleneck.c has the command line and goes over the programs. For each of them paths.c finds the hottest loops and
 * paths, contexts.c how often each context of one executes and repeats it, and model.c what binds them, with the models
 * that cache.c keeps; report.c prints them, as text and JSON. The counts of blocks are those of shared/probed.h, which annotate uses, too.
 */
#ifndef CSSPGO_TOOL_BOTTLENECK_H
#define CSSPGO_TOOL_BOTTLENECK_H

#include "../debug/debug.h"
#include "../shared/probed.h"

enum { /* places in the table of options */
    B_OUTPUT, B_BINARY, B_DEBUG_BINARY, B_PROFILE, B_MCPU, B_TOP, B_CONTEXTS, B_ALIAS, B_MODELS, B_JSON, B_QUIET
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
    /* from model.c */
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

typedef struct bottleneck_run {
    probed          in;           /* program and profile                                    */
    option         *o;
    hot_path       *path;         /* by weight, descending                                  */
    size_t          paths;
    uint64_t        weight;       /* of all blocks of the program                           */
    double          cycles;       /* of all paths, estimated                                */
    const char     *mcpu;
} bottleneck_run;

typedef struct hot_graph {        /* a function's graph with counts                       */
    bottleneck_run   *r;
    csspgo_code_graph g;
    probed_counts     c;
    unsigned char    *used;       /* blocks: 1 on a path that was found; 2: on this one   */
    unsigned char    *reached;
    uint32_t         *stack;
    uint32_t         *next;       /* edges by their source: the next one, + 1             */
    uint32_t         *out;        /* of each block its first edge, + 1                    */
} hot_graph;

/* contexts.c. no_memory returns 0; hot_contexts returns 0 after saying what is wrong. */
int no_memory(const bottleneck_run *r);
void hot_reach(hot_graph *h, uint32_t without);
int hot_contexts(hot_graph *h, hot_path *p);

/* paths.c: the hottest paths, with their contexts, by weight. Returns 0 after saying what is wrong. */
int hot_find(bottleneck_run *r);
int hot_path_cmp(const void *a, const void *b);
void hot_path_free(hot_path *p);

/* model.c: their instructions, models, bounds and verdicts. Returns 0 after saying what is wrong. */
int hot_model(bottleneck_run *r);

/* cache.c: models that were measured before. hot_cache_find returns NULL if there is none; hot_triple is the target. */
typedef struct hot_cache {
    char  path[4096];
    char *text;                   /* of the file, terminated          */
    size_t size, cap;
    int   kept, more;             /* kept: 1 if there is a file; more: 1 if models were added */
} hot_cache;

const char *hot_triple(const bottleneck_run *r);
void hot_cache_open(const bottleneck_run *r, hot_cache *c);
const char *hot_cache_find(const hot_cache *c, const hot_path *p, size_t *size);
void hot_cache_forget(hot_cache *c);
void hot_cache_put(hot_cache *c, const hot_path *p, const char *model);
void hot_cache_close(hot_cache *c);

/* report.c */
int hot_report(bottleneck_run *r, FILE *out);

#endif
