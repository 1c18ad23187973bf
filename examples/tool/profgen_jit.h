/* profgen_jit.h - profgen: what its files for code of JITs share */
#ifndef CSSPGO_TOOL_PROFGEN_JIT_H
#define CSSPGO_TOOL_PROFGEN_JIT_H

#include "jit.h"
#include "profgen.h"

enum { X86_64 = 62, AARCH64 = 183 };          /* ELF's numbers of machines */
#define JIT_FRESH (UINT64_C(1) << 62)         /* made-up places begin here */

typedef struct jit_row {          /* a line's code begins so many bytes behind the function's begin */
    uint32_t   offset;
    csspgo_loc loc;
} jit_row;

typedef struct jit_hit {          /* a function that has samples            */
    uint64_t    place;            /* in the code map; 0: not there          */
    csspgo_func func;             /* in jit_work.samples                    */
    jit_row    *row;              /* its lines, by offset                   */
    size_t      rows;
    uint64_t    counted;          /* jit_work.counted when it was in a stack */
} jit_hit;

typedef struct jit_rows {         /* lines of several functions             */
    struct jit_rows *next;
    size_t   used, cap;
    jit_row  row[1];
} jit_rows;

typedef struct jit_key {          /* of a sample that waits                 */
    uint64_t address;             /* of its innermost frame                 */
    size_t   at;                  /* in jit_batch.word                      */
} jit_key;

typedef struct jit_batch {        /* samples that wait, all at the same state of the code */
    uint64_t *word;               /* of each: process, count, number of frames, frames */
    size_t    words, word_cap;
    jit_key  *key, *sorted;       /* both have room for key_cap             */
    size_t    keys, key_cap;
} jit_batch;

struct jit_work {
    jit_code *code;
    live_set  placed;             /* what is where in the code map          */
    uint64_t  fresh;              /* the next made-up place                 */
    jit_hit  *hit;
    size_t    hits, hit_cap;
    jit_rows *rows;               /* the newest first                       */
    jit_batch batch;
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

/*
 * profgen_jit_samples.c: samples without branch records. Returns 0 after saying what is wrong. jit_settle (profgen.h)
 * counts those that wait.
 */
int jit_wait(profgen *g, const csspgo_sample *s);          /* s is to be counted before the code changes */

#endif
