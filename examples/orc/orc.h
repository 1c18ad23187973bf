/* orc.h - what the files of this JIT share: its functions, its compiler, its sampler */
#ifndef ORC_H
#define ORC_H

#define _GNU_SOURCE
#define CSSPGO_WITH_DECODE
#define CSSPGO_WITH_LLVM
#define CSSPGO_WITH_RESHAPE
#define CSSPGO_WITH_ESTIMATE
#include "../../csspgo.h"

#include <llvm-c/Core.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/TargetMachine.h>

enum { TIERS = 8, STUBS = 16384, STUB_BYTES = 8 };

/* A function of the program. Everybody calls it by its stub, a jump to the address that is in its slot. */
typedef struct function {
    char    *name;
    uint64_t guid, begin, end;    /* begin, end: of the code that its slot leads to                                  */
    uint64_t next_begin, next_end;/* of the code that the next hand-over puts there; 0: it stays                     */
    unsigned tier;                /* of the code that its slot leads to                                              */
    int      hot;                 /* from now on each tier has code of its own for it                                */
} function;

/* Code that nothing leads to any more. It may still be running. */
typedef struct replaced {
    uint64_t begin, end;
    unsigned tier;
    volatile int on_stack;        /* the last look at the stack has found it                                         */
} replaced;

typedef struct orc {
    LLVMOrcLLJITRef            jit;
    LLVMTargetMachineRef       machine;
    LLVMMemoryBufferRef        program;         /* bitcode                                                           */
    LLVMOrcResourceTrackerRef  tracker[TIERS];  /* of a tier's code                                                  */
    replaced                  *made;            /* all code of the last tier, if it is not the first                 */
    size_t                     made_count;
    size_t                     code_of[TIERS];  /* replaced code that may still run                                  */
    char                      *object;          /* the object that was compiled last, for free()                     */
    size_t                     object_size;
    csspgo_runtime            *profiler;
    int                        profile_fd;      /* the file that LLVM reads the profile from, in memory              */
    function                  *functions;
    uint64_t                  *slots;           /* one for each function, behind the stubs                           */
    unsigned char             *stubs;
    size_t                     function_count;
    uint64_t                  *sampled;         /* GUIDs of functions that have counts, ascending                    */
    size_t                     sampled_count;
    uint64_t                   low, high;       /* all code lies here                                                */
    unsigned                   tier;            /* the last one that was compiled                                    */
    const char                *keep;            /* NULL, or the beginning of the names of files that get the objects */
} orc;

/* ----- module.c: a tier's code, from bitcode to an object ----- */

/* What a tier is compiled with. */
enum { WITH_PROFILE = 1, ONLY_HOT = 2 };

int  orc_start(orc *o, const char *path);
int  orc_compile(orc *o, unsigned how);          /* makes o->object, the next tier, and links it */
void orc_fail(const char *what, LLVMErrorRef why);

/* ----- object.c: what the object says, for the code map; stubs ----- */

function *orc_function(orc *o, const char *name, size_t size, int add);
int       orc_describe(orc *o);                  /* tells the code map about o->object, sets next_begin */
void      orc_keep(const orc *o);                /* writes o->object and stubs that lead to it, for measurements */
size_t    orc_hand_over(orc *o, replaced *last, size_t count, replaced *old);

/* ----- sample.c: samples, and a look at the stack ----- */

int      sample_start(orc *o, const void *stack_top);
void     sample_rate(unsigned hertz);            /* 0: none */
void     sample_look(replaced *old, size_t count);   /* sorted; the next sample looks which of them run             */
int      sample_looked(void);                    /* 1: it has                                                       */
void     sample_stop_looking(void);              /* the array can be changed                                        */
uint64_t sample_longest_look_ns(void), sample_longest_ns(void);

#endif
