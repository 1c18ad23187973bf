/* probed.h - how often each block of a function executed in each of its calling contexts, by its pseudo probes
 *
 * What the commands bottleneck and annotate are built on. Functions that return 0 have no memory, unless they say so.
 */
#ifndef CSSPGO_TOOL_PROBED_H
#define CSSPGO_TOOL_PROBED_H

#include "tool.h"

typedef struct probed_checksum { uint64_t guid, checksum; } probed_checksum;

typedef struct probed {           /* a program and its profile                              */
    const tool_context *tool;
    loaded          image;
    csspgo_profile *p;
    const char     *binary, *profile;     /* their paths, for messages                      */
    probed_checksum *checksum;    /* of the binary's functions, by GUID                     */
    size_t          checksums;
} probed;

typedef struct probed_counts {    /* of one function                                        */
    const csspgo_code_graph *graph;
    csspgo_frame *frame;          /* of all probes, one behind the other                    */
    size_t       *first;          /* of each probe, and the end                             */
    uint64_t     *copies;         /* occurrences of the same probe in this function         */
    uint64_t     *hash;
    csspgo_node  *node;           /* contexts in which this code executes                   */
    size_t        nodes;
    uint64_t     *block;          /* counts of the blocks, as probed_count made them last   */
} probed_counts;

typedef struct probed_inlined {   /* paths of inlining that the code has, as sorted hashes  */
    uint64_t *hash;
    size_t    count, cap;
    uint64_t *stray;              /* probes in code of another function than their stack says: where tails were */
    size_t    strays, stray_cap;  /* merged, LLVM may have left out who inlined them. As probed_counts.hash     */
} probed_inlined;

int probed_inlined_add(probed_inlined *in, const csspgo_code *code, const csspgo_code_graph *g);
int probed_inlined_put(probed_inlined *in, const csspgo_frame *f, size_t n);
void probed_inlined_sort(probed_inlined *in);
void probed_inlined_free(probed_inlined *in);
int probed_is_inlined(const probed_inlined *in, const csspgo_profile *p, csspgo_node node);
int probed_checksums(probed *r);                      /* 0 after saying what is wrong */
int probed_counts_open(probed_counts *c, probed *r, const probed_inlined *in, const csspgo_code_graph *g);
void probed_counts_close(probed_counts *c);
uint64_t probed_copies(const probed_counts *c, size_t b);
int probed_is_own(const probed_counts *c, size_t i);
int probed_sum(const probed_counts *c, const csspgo_profile *p, size_t i, csspgo_node node, uint64_t *sum);
void probed_count(probed_counts *c, const csspgo_profile *p, const csspgo_node *node, size_t nodes);
csspgo_status probed_solve(const probed_counts *c, csspgo_code_graph *g, csspgo_error *e);

typedef struct probed_function {
    uint64_t address, guid;
    uint64_t weight;              /* the caller's */
} probed_function;

/* Opens a program with probes, its code and functions. Returns 0 with a sentence in why. */
int probed_open(const tool_context *tool, loaded *l, const char *path, char *why, size_t why_size);

/* The functions of the binary, and all paths of inlining. NULL: out of memory. */
probed_function *probed_functions(probed *r, csspgo_block_finder *finder, probed_inlined *in, size_t *count);

#endif
