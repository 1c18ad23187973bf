/* profgen_jit.h - profgen: what its files for code of JITs share */
#ifndef CSSPGO_TOOL_PROFGEN_JIT_H
#define CSSPGO_TOOL_PROFGEN_JIT_H

#include "jit.h"
#include "profgen.h"

enum { X86_64 = 62, AARCH64 = 183 };          /* ELF's numbers of machines */
#define JIT_FRESH (UINT64_C(1) << 62)         /* made-up places begin here */

typedef struct jit_hit {          /* a function that has samples            */
    uint64_t place;               /* in the code map; 0: not there          */
    csspgo_func      func;        /* in jit_work.samples                    */
    csspgo_line_row *row;         /* its lines, by address from its begin   */
    size_t           rows;
    uint64_t         counted;     /* jit_work.counted when it was in a stack */
} jit_hit;

struct jit_work {
    jit_code *code;
    live_set  placed;             /* what is where in the code map          */
    uint64_t  fresh;              /* the next made-up place                 */
    jit_hit  *hit;
    size_t    hits, hit_cap;
    csspgo_line_table *table;
    csspgo_profile *samples;      /* without branch records: counted as they come */
    uint64_t  counted;            /* of these, how many are in it           */
    uint32_t  newest;             /* function of samples                    */
    int       recursive;          /* some stack has a function twice, or functions have one name */
    uint64_t *stack;              /* of the sample that is placed           */
    csspgo_branch *branch;
    size_t    stack_cap, branch_cap;
    int       automatic;          /* dumps are found by their mappings      */
    int       flat;               /* branch records say nothing             */
    int       started;            /* times of samples are known for what they are */
    int       cut_branches;       /* branch records were left out           */
    int       encoded;            /* names are not as the JIT gave them     */
    uint64_t  addresses, known, ambiguous;    /* of samples themselves      */
};

/* profgen_jit_place.c. Both return NULL after saying what is wrong; the first gives a function no place in the map. */
jit_hit *jit_hit_of(profgen *g, const live_range *at);
jit_hit *jit_placed(profgen *g, const live_range *at);

/* profgen_jit_samples.c: counts a sample without branch records. Returns 0 after saying what is wrong. */
int jit_count(profgen *g, const csspgo_sample *s);

#endif
