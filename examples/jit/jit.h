/* jit.h - the language of the JIT example, and what its files share
 *
 * A program is functions of up to 64 registers, all of them 64-bit integers, over one array of 64-bit integers:
 *
 *     func NAME PARAMS      up to 4 parameters, in r0, r1, ...
 *     LABEL:
 *     mov D A               const D 123
 *     add D A B             also sub mul and or xor shl shr (logical; the count modulo 64); B is a register or a number
 *     load D I [123]        D = array[I + 123]
 *     store I S [123]       array[I + 123] = S
 *     jmp LABEL             jlt A B LABEL (signed)    jeq A B LABEL; B as above
 *     fref D NAME           D = a reference to a function
 *     call D NAME A...      icall D F A...: calls what F refers to, with up to 3 arguments
 *     ret A
 *
 * A semicolon starts a comment. What cannot be known before it runs traps: an index out of the array, a reference to
 * nothing, to a function with other parameters or to one that no fref names; calls too deep.
 *
 * No jump leads to a function's first instruction: so the first block runs as often as the function is called.
 * Every basic block and every call is a probe; a function's probes are numbered from 1 in the order of its code.
 */
#ifndef CSSPGO_EXAMPLES_JIT_H
#define CSSPGO_EXAMPLES_JIT_H

#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#define CSSPGO_WITH_BOTTLENECK
#define CSSPGO_WITH_CTXPROF
#define CSSPGO_WITH_DECODE
#define CSSPGO_WITH_INLINER
#define CSSPGO_WITH_INSPECT
#include "../../csspgo.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__clang__) || !defined(__GNUC__)
#  define JIT_COMPILER __VERSION__
#else
#  define JIT_COMPILER "gcc " __VERSION__
#endif
#ifndef JIT_FLAGS
#  define JIT_FLAGS ""                /* what it was compiled with, to be printed with measurements */
#endif

#if defined(__x86_64__) && defined(__LP64__) && defined(__linux__)
#  define JIT_MACHINE 1
#  include <asm/perf_regs.h>
#  include <linux/perf_event.h>
#  include <signal.h>
#  include <sys/ioctl.h>
#  include <sys/mman.h>
#  include <sys/syscall.h>
#  include <time.h>
#  include <ucontext.h>
#  include <unistd.h>
#else
#  define JIT_MACHINE 0
#endif

enum {
    MAX_REGS = 64, MAX_PARAMS = 4, MAX_FUNCS = 64, MAX_CODE = 256,
    WORDS = 1 << 15,              /* of the array                                 */
    MAX_FRAMES = 512              /* of the interpreter; machine code has a stack */
};

typedef enum op {
    OP_MOV, OP_CONST, OP_ADD, OP_SUB, OP_MUL, OP_AND, OP_OR, OP_XOR, OP_SHL, OP_SHR, OP_LOAD, OP_STORE, OP_JMP, OP_JLT,
    OP_JEQ, OP_FREF, OP_CALL, OP_ICALL, OP_RET,
    OP_BLOCK, OP_GUARD            /* in compilation units only: a label; jump if b is not a reference to `target` */
} op;

typedef struct insn {
    uint8_t  op, has_value;       /* has_value: the operand V is `value`                               */
    uint8_t  args;
    uint16_t d, a, b, arg[MAX_PARAMS];
    uint32_t target;              /* an instruction (in units: a label), or a function                 */
    int64_t  value;
    uint32_t block;               /* probe id of the block that it is in                               */
    uint32_t site;                /* probe id of a call                                                */
    uint32_t leads;               /* 1: the first one of its block                                     */
    uint32_t copy;                /* in units: number of the inlined copy of a function that it is of  */
    uint32_t counter, call;       /* numbers from 0 of its block, of a call: for code that counts      */
} insn;

typedef struct func {
    char     name[32];
    uint32_t params, count;       /* instructions */
    uint32_t probes;              /* ids 1 to this */
    uint32_t blocks, calls;
    uint64_t written;             /* registers that its code writes */
    int      referred;            /* 1: some fref names it */
    insn     code[MAX_CODE];
} func;

typedef struct program {
    func     f[MAX_FUNCS];
    uint32_t count;
    uint32_t line;                /* of the error */
    char     error[96];
} program;

typedef struct truth_node {
    uint32_t  parent, site, func;     /* parent: index; the node at 0 is the root */
    uint32_t  child, next;            /* 0 = none */
    uint64_t *count;                  /* per probe id; [0]: how often it was called */
} truth_node;

typedef struct truth {
    truth_node *node;
    uint32_t    count, cap;
} truth;

typedef struct outcome {
    int64_t value;
    int     trapped;
} outcome;

typedef struct frame {
    int64_t        r[MAX_REGS];
    const func    *f;
    uint32_t       at, node;      /* next instruction; context in the truth */
    csspgo_ctx_ref counters;
} frame;

/*
 * Counting by contexts (csspgo's layer ctxprof): in tier 1 every function counts its blocks, a copy of the counters for
 * each path of calls from main. Machine code refers to this by addresses, so there it is below 2 GB.
 */
typedef struct counting {
    csspgo_ctx_thread   thread;
    csspgo_ctx_fn       fn[MAX_FUNCS];
    char                token[MAX_FUNCS];   /* the address of each stands for a function, whose code moves */
    csspgo_ctx_root    *root;               /* main */
    csspgo_ctx_runtime *runtime;
    const program      *p;
    uint32_t            main;
} counting;

typedef struct workload {
    const char *name, *what;
    const char *text[3];              /* one after the other                                              */
    uint32_t    budget;               /* instructions that inlining may add; 0: 4 times the program       */
    int         neutral;              /* 1: contexts say nothing that matters                             */
    int64_t     rounds;               /* of one measurement                                               */
} workload;

enum { WORKLOADS = 6 };
extern const workload workloads[WORKLOADS];

/* Machine registers by number. rax, rcx, rdx, rbx carry arguments and are scratch; rsp and rbp are the stack's. */
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, MACHINE_REGS = 10 };

/* One copy of a function's code in a unit; 0 is the function itself. */
typedef struct unit_copy {
    uint32_t    func, parent, site;   /* parent: the copy that it is inlined in, at call probe site */
    uint32_t    decision;             /* number from 1 of the csspgo_inliner_decision; 0: copy 0    */
    uint32_t    first_block;          /* index of its block 0 in tables of all blocks               */
    csspgo_node node;                 /* its counts                                                 */
    uint64_t    num, den;             /* the part of them that is this copy's; den 0: all           */
} unit_copy;

typedef struct unit {
    insn      *code;
    uint64_t  *weight;                /* per instruction: how often it runs                         */
    unit_copy *copy;
    size_t     count, cap, copies, copy_cap;
    uint32_t   regs, labels, blocks;
    int        counted;               /* 1: the last machine register holds the address of the counters */
    int       *place;                 /* per register: a machine register, or -1 - n: stack slot n  */
    uint32_t   slots, used;           /* slots; bits of the machine registers                       */
} unit;

/* What is known of a function and to be done with it. */
typedef struct plan {
    const csspgo_profile  *profile;   /* NULL: nothing                                              */
    csspgo_tracker        *tracker;
    csspgo_node            base;      /* counts of the function's own code                          */
    const csspgo_func     *func;      /* the profile's functions by number in the program           */
    const csspgo_inliner_decision *decision;
    size_t                 decisions;
    int                    counted;   /* 1: its code counts                                         */
} plan;

typedef struct builder {
    unit          *u;
    const program *p;
    const plan    *plan;
} builder;

enum {
    TABLE_BYTES = 4096, STACK_BYTES = 1 << 18, STACK_SPARE = 1 << 16, CODE_BYTES = 1 << 19,
    TABLE_ICALL = MAX_FUNCS * 8,                          /* 4 tables: of functions with 0, 1, 2, 3 parameters */
    TABLE_RSP = TABLE_ICALL * 5, TABLE_TRAPPED = TABLE_RSP + 8,
    TABLE_ENTER = TABLE_TRAPPED + 8, TABLE_ROOT = TABLE_ENTER + 8, TABLE_LEAVE = TABLE_ROOT + 8,   /* stubs */
    COUNTING_BYTES = 4096,
    MAX_PIECES = 256
};

/* Where the code of one block begins again, for samples that are an address only. */
typedef struct segment {
    uint64_t address, block;          /* of its first byte; of the block's probe */
    uint32_t length;                  /* instructions of the block               */
} segment;

/* Code of one function. */
typedef struct piece {
    uint64_t begin, end;              /* 0, 0: free */
    uint32_t func, tier;              /* MAX_FUNCS: of none any more, but its addresses must not be used again */
    uint64_t calls;                   /* bits of the functions that it calls by name */
    segment *segment;
    size_t   segments;
} piece;

enum { MAX_HOT = 48, HOT_ITERATIONS = 100, HOT_TEXT = 4096 };

/* The hottest loop of tier-2 code that has no calls, and what binds it. */
typedef struct hot_loop {
    uint64_t weight;                  /* of its instructions together; 0: there is none       */
    uint64_t cycles;                  /* of HOT_ITERATIONS, simulated                         */
    uint32_t func, count;
    insn     code[MAX_HOT];           /* with the registers of the unit                       */
    csspgo_bottleneck_bounds bounds;
    csspgo_bottleneck_step   chain[MAX_HOT];
} hot_loop;

typedef struct engine {
    const program  *p;
    unsigned char  *low;              /* table, stack, array, code */
    size_t          low_bytes;
    int64_t        *array;
    uint64_t        table, stack, code, code_end;
    uint64_t        enter, enter_stepping, stepping_call, trap;   /* addresses of the stubs */
    uint64_t        first;            /* of functions' code */
    piece           piece[MAX_PIECES];
    uint32_t        of[MAX_FUNCS];    /* the piece of a function */
    counting         *counts;         /* NULL: no code counts */
    int               counted;        /* 1: tier-1 code that is compiled from now on does */
    csspgo_code      *map;            /* NULL: nobody is told */
    csspgo_collector *collector;
    int             deaf;             /* 1: csspgo does not know the code any more; no samples from now on */
    uint64_t        reused;           /* bytes of code put where other code had been */
    uint64_t        high;             /* end of the code that ever was */
    hot_loop        hot;
} engine;

typedef struct emitter {
    unsigned char   *byte;
    csspgo_transfer *transfer;
    csspgo_probe    *probe;
    csspgo_inline_node *inlined;
    uint32_t        *trap;            /* ends of jumps to the trap stub          */
    segment         *segment;
    uint64_t        *label;           /* addresses                               */
    uint32_t        *wants;           /* per transfer: label + 1 that it goes to */
    size_t count, cap, transfers, transfer_cap, wants_cap, probes, probe_cap, traps, trap_cap, segments, segment_cap;
    const unit      *u;
    const engine    *e;
    uint64_t         calls;           /* bits of functions */
    uint32_t         func;            /* whose code it is  */
} emitter;

enum { JB = 2, JAE = 3, JE = 4, JNE = 5, JL = 12 };

enum { LBR = 32, WINDOW = 24, STACK = 96, SAMPLES = 8192, RING_PAGES = 64 };

typedef enum source { SOURCE_NONE, SOURCE_LBR, SOURCE_CLOCK, SOURCE_TIMER, SOURCE_TRAP, SOURCE_STEP } source;

enum { PLAIN, CONTEXT_LESS, CONTEXTS, WAYS, MAX_DECISIONS = 512, MAX_KEYS = 2048 };

enum { UNWATCHED, SAMPLED, COUNTED, WATCHES };   /* how tier 1 is observed */

typedef struct tier2 {
    uint32_t functions, inlined, promoted, keys;
    uint64_t key[MAX_KEYS];           /* of what was inlined or promoted: function, call sites and callees */
    uint64_t budget;                  /* what is left of it */
} tier2;

enum { BENCH_RUNS = 15, MAX_RUNS = 101 };

typedef struct bench_options {
    source  from;
    double  seconds;
    int     runs;
    int     instrument;               /* 1: counting beside sampling */
} bench_options;

typedef struct expected {
    const program *p;
    const char    *name;
    uint32_t       main;
    int64_t        n;
    int64_t       *before, *after;    /* the array */
    outcome        out;
    truth          truth;             /* of one run */
    truth          twice;
} expected;

/* A heap that fails from the nth allocation on. */
typedef struct poor_heap {
    long left, live;
} poor_heap;

typedef struct text_buffer {
    char   text[16384];
    size_t size;
} text_buffer;

#if JIT_MACHINE
struct sampler {
    source        from;
    const engine *g;
    int           fd;                 /* of the perf event, -1: none */
    struct perf_event_mmap_page *page;
    csspgo_ring   ring;
    timer_t       timer;
    int           has_timer;
    csspgo_branch window[LBR];        /* taken branches, oldest first                                         */
    uint32_t      branches;
    uint64_t      last, steps;        /* the instruction that is being executed; how many were single-stepped */
    csspgo_queue *queue;              /* from the signal handlers to sampler_drain                            */
    csspgo_profile *profile;          /* of samples without branch records                                    */
    uint64_t      taken, lost;        /* handed to csspgo; in a prologue with no caller to be seen            */
};
extern struct sampler sampler;
#endif
extern const char *const source_names[];
extern const int machine_regs[MACHINE_REGS];
#include "functions.h"

#endif
