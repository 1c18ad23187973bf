/* record_ahead.h - bursts: computing what a thread is going to do */
#ifndef CSSPGO_TOOL_RECORD_AHEAD_H
#define CSSPGO_TOOL_RECORD_AHEAD_H

#include "record.h"

#if defined(REC_SOFTWARE)

enum { REC_COPIES = 256, REC_KEPT = 256, REC_DECODED = 1 << 14, REC_SLOT = 32, REC_OPERAND = 64, REC_PASSED = 1024 };
enum { REC_NO_REGISTER = 16, REC_RELATIVE = 17 };  /* of an address: none; the address of the next instruction */

/* What is done with an instruction. */
typedef enum rec_way {
    REC_UNABLE,                   /* the thread must do it itself                     */
    REC_BRANCH, REC_LEA, REC_PUSH, REC_PUSH_NUMBER, REC_PUSH_MEMORY, REC_POP, REC_LEAVE, REC_DIRECTION, REC_SKIP, REC_STRING,
    REC_EXECUTE                   /* the CPU does it here, with the thread's registers */
} rec_way;

typedef struct rec_decoded {
    uint64_t address, turn;       /* in which the code was seen to be this                                          */
    unsigned char code[REC_INSN + 1];
    uint8_t  size, way, map, opcode;
    uint8_t  rex, wide, narrow;   /* bits WRXB of REX, VEX or EVEX; whether there is REX; an operand-size prefix    */
    uint8_t  repeat;              /* prefix f2 or f3, or 0                                                          */
    uint8_t  encoding;            /* 0, or the first byte of VEX or EVEX                                            */
    uint8_t  vvvv;
    uint8_t  segment;             /* prefix fs or gs, or 0                                                          */
    uint8_t  modrm_at, after;     /* where ModRM is, 0: there is none; behind it and what belongs to it             */
    uint8_t  memory;              /* an operand is there:                                                           */
    uint8_t  base, index, scale;
    uint8_t  vector;              /* other registers than the general ones take part                                */
    uint8_t  stand_in;            /* the general register that is used instead of rsp, or 0                         */
    uint8_t  ready;               /* its slot holds it                                                              */
    int32_t  displacement;
} rec_decoded;

/* What the code in the slots refers to; the assembly knows the offsets. */
typedef struct rec_engine {
    struct user_regs_struct *regs; /*  0                                             */
    uint64_t scratch;             /*  8                                              */
    uint64_t flags;               /* 16: as lahf gives them, and the overflow flag    */
    uint64_t go_to;               /* 24: the slot                                    */
    uint64_t with_vector;         /* 32: vector registers are loaded and saved       */
    uint64_t features;            /* 40: those of them that the kernel gave          */
    uint64_t faulted;
    uint64_t vector_size;
    unsigned char operand[2 * REC_OPERAND];
} rec_engine;

typedef struct rec_copy {         /* a page of the thread's memory, and what would be written to it */
    uint64_t address, turn;
    uint32_t begin, end;          /* of what was written                                            */
    int      writable;
    unsigned char byte[REC_PAGE];
} rec_copy;

typedef struct rec_kept {         /* which page a copy of code is of that outlasts the turn */
    uint64_t address, maps;       /* recorder.maps_read as it was then                      */
    pid_t    process;
} rec_kept;

struct rec_ahead {
    rec_engine *cpu;                 /* at the beginning of the memory that is executed                */
    int      on;                  /* r->regs and what rec_read gives is what will be, not what is   */
    int      vector;              /* the vector registers of this turn: 1 there, -1 not to be had   */
    uint64_t turn;                /* number of the time that the thread was stopped                 */
    size_t   copies;
    rec_copy *last;
    uint64_t passed[REC_PASSED];  /* branches of this turn                                          */
    size_t   passed_count;
    rec_copy copy[REC_COPIES];    /* by address, open addressing                                    */
    rec_kept kept[REC_KEPT];      /* of code[] at the same place                                    */
    rec_copy code[REC_KEPT];
    rec_decoded decoded[REC_DECODED];
};

/* record_ahead_insn.c */
void rec_decode(rec_decoded *d, uint64_t address, const unsigned char *code, size_t size);
uint64_t rec_operand_address(const rec_decoded *d, const struct user_regs_struct *a);

/* record_ahead_cpu.c */
rec_engine *rec_engine_new(void);
void rec_engine_free(rec_engine *cpu);
int rec_engine_load_vector(rec_engine *cpu, pid_t tid);
int rec_engine_store_vector(rec_engine *cpu, pid_t tid);
int rec_engine_execute(rec_engine *cpu, rec_decoded *d, size_t slot, struct user_regs_struct *a);

#endif
#endif
