/* window.h - windows of counting: what their files share; record.h has what others use of them */
#ifndef CSSPGO_TOOL_RECORD_WINDOW_H
#define CSSPGO_TOOL_RECORD_WINDOW_H

#include "record.h"

#if defined(REC_SOFTWARE)

enum { REC_COUNTERS = 96, REC_AREAS = 4, REC_TRAMPOLINE = 32, REC_JUMP = 5, REC_COUNT = 7 };

typedef struct rec_choice {       /* an instruction that can have a counter                                          */
    uint64_t address;
    double   ran, branches;       /* how often in the bursts that have it; branches of these                         */
    size_t   last;                /* the last of them                                                                */
    uint32_t bursts;              /* that have it                                                                    */
    int      refused;
} rec_choice;

typedef struct rec_range {        /* code that ran from where a branch led to the next one                           */
    uint64_t begin, end;
    uint64_t place;               /* the instruction in it that a counter can be at; 0: none, 1: not known yet       */
    size_t   run;                 /* the last one of it                                                              */
    rec_choice *choice;           /* place, while counters are chosen                                                */
    int      listed, counted;     /* its place is among the choices; a counter is in it                              */
} rec_range;

typedef struct rec_repeated {     /* of a burst: how often a range ran                                               */
    uint32_t range, count;
} rec_repeated;

typedef struct rec_seen {         /* a burst                                                                         */
    size_t   piece, first, end;   /* its number for pace.c; its runs                                                 */
} rec_seen;

typedef struct rec_counter {
    uint64_t address, slot, value; /* of the instruction and of the trampoline; what was counted when last read       */
    uint64_t target;              /* of a call                                                                       */
    uint32_t area, index;         /* where it counts                                                                 */
    uint8_t  size, call, planted, dead;   /* of the instruction; dead: other code is there now                        */
    unsigned char code[REC_INSN + 1], jump[REC_JUMP + 3];
    uint8_t  prefixes, jump_size; /* of the jump                                                                     */
    unsigned char trampoline[REC_TRAMPOLINE];
} rec_counter;

typedef struct rec_counting {     /* a window                                                                        */
    size_t   before, after;       /* the bursts at its ends                                                          */
    size_t   first, counters;     /* what was counted, of so many counters                                           */
    double   time;                /* nanoseconds of the thread's own time                                            */
} rec_counting;

typedef struct rec_area {         /* two pages: of trampolines, and of what they count                               */
    uint64_t code, values;
    uint32_t used;
} rec_area;

struct rec_windows {
    pid_t    process, tid;        /* that is counted in                                                              */
    int      memory;              /* /proc/PID/mem                                                                   */
    int      off, on;             /* off: no more windows; on: the code is patched                                   */
    rec_range *range;
    size_t   ranges, range_room;
    uint32_t *slot;               /* of the ranges by their ends, open addressing: number + 1                        */
    size_t   slots;
    rec_repeated *run;
    size_t   runs, run_room, run_first;
    rec_seen *seen;
    size_t   bursts, seen_room, next;   /* next: with so many, counters are chosen again                             */
    size_t   all;                 /* bursts, with those that were flushed                                            */
    rec_counting *window;
    size_t   windows, window_room;
    double  *count;
    size_t   counts, count_room;
    rec_counting open;            /* the window at hand                                                              */
    int      closed, torn;        /* it waits for the burst behind it; it ended where a process was made, perhaps    */
    double   allowed, spent;      /* seconds: of CPU time, and of the thread's time that counting takes              */
    rec_counter counter[REC_COUNTERS];
    size_t   counters;
    rec_area area[REC_AREAS];
    size_t   areas;
    uint64_t page[REC_COUNTERS];  /* of single trampolines                                                           */
    size_t   pages;
};

/* window_code.c */
size_t rec_size_at(recorder *r, uint64_t address);
uint64_t rec_find_place(recorder *r, uint64_t begin, uint64_t end);
uint64_t rec_punned(uint64_t address, size_t size, const unsigned char *code, uint64_t *span, uint8_t *prefixes);
int rec_make_counter(recorder *r, rec_counter *c, uint64_t slot, uint64_t value);
uint64_t rec_behind_counter(const rec_counter *c, uint64_t pc);

/* window_memory.c */
int rec_add_counter(recorder *r, uint64_t address);
int rec_patch(const rec_counter *c, int memory, int jump);
int rec_is_intact(const rec_windows *w);
void rec_read_counters(rec_windows *w, double *count);

/* window_choose.c */
void rec_choose_counters(recorder *r);

/* window_weigh.c */
void *rec_more(const recorder *r, void *v, size_t count, size_t *room, size_t size);
void rec_find_counted(rec_windows *w);
int rec_is_counted(const rec_windows *w, const rec_seen *s);

#endif

#endif
