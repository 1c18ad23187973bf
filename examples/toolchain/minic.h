/* minic.h - what the files of this compiler share: the program as functions of blocks of instructions */
#ifndef MINIC_H
#define MINIC_H

#define CSSPGO_WITH_ENCODE
#define CSSPGO_WITH_INLINER
#include "../../csspgo.h"

/* SMALL: instructions of a function that is always inlined; MOST_FRAME: bytes of local arrays                       */
enum { NONE = -1, ARGUMENTS = 6, SMALL = 14, MOST_FRAME = 1 << 26 };

/* Types: one of these, or a pointer to one. A variable outside of arrays is int, unsigned or a pointer. */
enum { T_VOID, T_INT, T_UNSIGNED, T_CHAR, T_BYTE, T_POINTER = 8 };

typedef enum op {
    OP_CONST,                     /* dst = imm                                                                       */
    OP_COPY,                      /* dst = use[0]                                                                    */
    OP_EXTEND,                    /* dst = use[0], an int, as 64 bits                                                */
    OP_ADD, OP_SUB, OP_MUL, OP_AND, OP_OR, OP_XOR, OP_SHL, OP_SHR, OP_SAR,   /* dst = use[0] op use[1] or imm        */
    OP_DIV, OP_MOD, OP_UDIV, OP_UMOD,
    OP_SET,                       /* dst = 1 if use[0] cc use[1] or imm, else 0                                      */
    OP_ADDRESS,                   /* dst = the address of an array                                                   */
    OP_LOAD,                      /* dst = element of type `type` at use[0] or an array, + use[1] * its size + imm   */
    OP_STORE,                     /* use[2] goes there                                                               */
    OP_CALL,                      /* dst = symbol(use ...); imm is its probe                                         */
    OP_PROBE,                     /* probe imm of a block                                                            */
    OP_JUMP, OP_BRANCH, OP_RETURN /* to to[0]; to to[0] if use[0] cc use[1] or imm, else to[1]; with use[0]          */
} op;

enum { CC_BELOW = 2, CC_EQUAL = 4, CC_UNEQUAL = 5, CC_LESS = 12 };   /* x86-64's numbers; cc ^ 1 is the opposite    */

typedef enum place { IN_REGISTER, IN_GLOBAL, IN_FRAME } place;

typedef struct insn {
    op      op;
    int     dst, use[ARGUMENTS];  /* virtual registers, or NONE                                                      */
    int     cc, wide;             /* condition; 1: on 64 bits                                                        */
    place   place;                /* of an array: register use[0], global `symbol`, bytes `symbol` of the frame      */
    int     symbol, type;         /* a call's function                                                               */
    int     node;                 /* of a probe or call: where it was inlined                                        */
    int     to[2];                /* blocks                                                                          */
    int64_t imm;
} insn;

typedef struct block {
    insn    *v;
    int      n, cap;
    int      depth;               /* of loops around it                                                              */
    int      reached;
    uint64_t count;               /* by the profile                                                                  */
} block;

/* A body that is part of a function's code: its own is the first one, the others are inlined. */
typedef struct inlinee {
    int         function, parent, site;   /* parent: its index                                                       */
    csspgo_node counts;           /* in the tracker's profile, id 0: none                                            */
    double      scale;            /* of these counts that are this copy's                                            */
} inlinee;

typedef struct function {
    char     *name;
    int       type, params, defined, is_local;
    block    *block;
    int       blocks, block_cap;
    int       registers;          /* virtual ones; the first of them are parameters                                  */
    int       frame;              /* bytes of local arrays                                                           */
    int       size;               /* instructions                                                                    */
    inlinee  *node;
    int       nodes, node_cap;
    int       has_counts;
    uint64_t  guid, checksum;
    csspgo_match_loc *loc;        /* its probes, for the matcher                                                     */
    int       locs;
} function;

typedef struct global {
    char    *name;                /* NULL: a string                                                                  */
    int      type, is_array, is_local;
    size_t   size;
    unsigned char *init;          /* NULL: zeros                                                                     */
    uint64_t offset;              /* in the section                                                                  */
} global;

typedef struct unit {
    const char *file;
    function   *f;
    int         functions, function_cap;
    global     *global;
    int         globals, global_cap;
} unit;

/* A hole in the code for the linker: the number of an ELF relocation, and of a function (FIX_CALL) or global. */
enum { FIX_64 = 1, FIX_CALL = 4, FIX_32 = 10, FIX_32S = 11 };
typedef struct fixup {
    uint64_t at;
    int      type, symbol;
    int64_t  addend;
} fixup;

/* The code of all functions. */
typedef struct text {
    unsigned char *byte;
    size_t         size, cap;
    fixup         *fix;
    int            fixes, fix_cap;
    csspgo_probe  *probe;         /* of the function that was emitted last                                           */
    int            probes, probe_cap;
} text;

typedef struct advice advice;     /* the profile, and what the inliner asks it                                       */

/* ----- main.c ----- */

void  fail(const char *file, int line, const char *what, const char *name);   /* does not return                        */
void  must(csspgo_status s, const csspgo_error *e);  /* fails, unless s is CSSPGO_OK                                  */
void *zeros(size_t n, size_t size);                  /* n elements and one more                                       */
void *room(void *array, int count, int *cap, size_t size);   /* the array, with room for one element more, zeroed    */

/* ----- parse.c, expression.c, generate.c: C becomes functions of blocks ----- */

void  parse(unit *u, const char *source);
insn *append(block *b, op o);
int   add_block(function *f);
int   size_of(int type);

/* ----- optimise.c: inlining, and what becomes simpler by it ----- */

function clone_of(const function *f, int number);
int      inline_call(function *f, const unit *u, int node, int site);      /* the new node; NONE: no such call       */
void     inline_small(function *f, const unit *u);
void     optimise(function *f);
int      fold(op o, int wide, int64_t a, int64_t b, int64_t *result);      /* 0: not known before it runs            */
void     mark_reached(function *f);
int      successors(const block *b, int to[2]);
uint64_t *live_ranges(function *f, int *words, int *positions);

/* ----- advice.c: probes, and what a profile says ----- */

enum { ADVICE_FLAT = 1, ADVICE_NO_MATCH = 2, ADVICE_REPORT = 4 };

void     number_probes(unit *u);
advice  *advice_new(const unit *u, const char *path, unsigned how, unsigned growth);   /* growth: in percent */
const int *advice_order(const advice *a);          /* numbers of functions, callers first                            */
void     advice_inline(advice *a, function *f);
void     advice_free(advice *a);
int      lay_out(const function *f, int *order);   /* blocks, so that hot ones follow each other; how many       */

/* ----- x86.c: code ----- */

uint64_t emit_function(text *t, function *f, const int *order, int n);     /* where it begins                        */

/* ----- object.c: an ELF object with probe sections ----- */

typedef struct object object;
object *object_new(unit *u);
void    object_add(object *o, int number, const function *f, const text *t, uint64_t begin);
int     object_write(object *o, const text *t, const char *path);        /* frees it; 0: no such file can be written  */

#endif
