/* jit.h - code that JITs made while a recording ran: which function of a process is at an address, at a time
 *
 * Functions come from jitdumps (with times and code) and perf maps (without). A process has a live set: what is where
 * now. jit_advance applies the records of the dumps up to a time, jit_event what the kernel says of processes, jit_at
 * looks an address up. So feed the items of a recording in the order of time.
 */
#ifndef CSSPGO_TOOL_JIT_H
#define CSSPGO_TOOL_JIT_H

#include "tool.h"
#include "../jitdump.h"

/* ----- jit_live.c: code by address: disjoint ranges, in blocks ----- */

enum { LIVE_BLOCK = 128 };

typedef struct live_range {
    uint64_t begin, end;          /* [begin, end)                                                      */
    uint64_t base;                /* where the code of the function begins                             */
    uint32_t function;            /* its number                                                        */
    uint32_t reserved;
} live_range;

typedef struct live_block {       /* never empty */
    uint32_t   count;
    uint32_t   sets;              /* that have it: a child has its parent's until one of them changes it */
    live_range range[LIVE_BLOCK];
} live_block;

typedef struct live_entry {
    uint64_t    begin;            /* of the block's first range */
    live_block *block;
} live_entry;

typedef struct live_set {
    live_entry *entry;            /* by address */
    size_t      count, cap;
} live_set;

/* Those that return an int fail with 0 when out of memory. live_at: NULL: nothing is there. */
const live_range *live_at(const live_set *s, uint64_t address);
int live_overlaps(const live_set *s, uint64_t begin, uint64_t end);          /* 1 or 0                           */
int live_remove(live_set *s, uint64_t begin, uint64_t end);                  /* all ranges that overlap, whole   */
int live_add(live_set *s, const live_range *r);                              /* nothing overlaps it              */
int live_copy(live_set *to, const live_set *from);                           /* to is empty                      */
void live_clear(live_set *s);

/* ----- jit_code.c ----- */

typedef struct jit_file {
    char      *path;
    file_bytes bytes;
    jitdump    dump;
    uint32_t   pid;               /* of the process as the recording knows it; 0: any                  */
    uint32_t   pid_inside;        /* ... and as it knows itself, if that is in a container             */
    int        is_map;
    int        columns;           /* V8: lines are behind by its header, discriminators are columns    */
    uint64_t   bad_lines;         /* of a map                                                          */
} jit_file;

typedef struct jit_function {     /* a record: from a time on code is there, or somewhere else; a map's line */
    uint64_t time;
    uint64_t offset;              /* of the record or line in its file                                 */
    uint64_t now;                 /* where it is; JITDUMP_MOVE: unused                                 */
    uint32_t debug;               /* its lines are in the record so many bytes before, 0: none         */
    uint32_t file;
    uint32_t kind;                /* JITDUMP_LOAD, JITDUMP_MOVE; JIT_MAP                               */
    uint32_t hit;                 /* for the user                                                      */
} jit_function;

enum { JIT_MAP = 1000 };
#define JIT_AMBIGUOUS 0xffffffffu /* a live_range.function: several, at different times */

typedef struct jit_process {
    uint32_t pid;
    int      has_map;             /* some of its code has no times                                     */
    live_set live;
} jit_process;

typedef struct jit_place {        /* without times: where a function was once                          */
    uint64_t begin, end;
    uint32_t pid, function;
} jit_place;

typedef struct jit_code {
    jit_file     *file;
    size_t        files, file_cap;
    jit_function *function;       /* by time                                                           */
    size_t        functions, function_cap, applied;
    uint32_t     *by_index;       /* JITDUMP_LOADs by file, code index and time; NULL: not made yet    */
    size_t        by_index_count;
    jit_process  *process;        /* by pid                                                            */
    size_t        processes, process_cap, last;
    size_t        inherited;      /* blocks that processes got by forks, all in all                    */
    uint64_t      not_inherited;  /* processes that got no code of their parent: there were too many   */
    int           untimed;        /* times cannot be compared: code counts where nothing else ever was */
    jit_place    *place;          /* untimed                                                           */
    size_t        places, place_cap;
} jit_code;

/* jit_files.c. jit_add_file, for a dump or a map, returns 0 with a sentence in why. */
int jit_add_file(jit_code *j, const char *path, int is_map, char *why, size_t why_size);
int jit_load(const jit_code *j, uint32_t function, jitdump_record *r);       /* reads its record; 0: none        */
uint32_t jit_dump_of(const csspgo_mmap *map);                                /* N of its file jit-N.dump, or 0   */
uint64_t jit_file_bad(const jit_file *f);                                    /* records that make no sense       */
void jit_sort(jit_code *j);                                                  /* what is not applied yet          */
const char *jit_last_component(const char *path, size_t size);
void *jit_room(void *v, size_t count, size_t *cap, size_t size);
void jit_free(jit_code *j);

/* jit_code.c. Those that return an int fail with 0 when out of memory. */
void jit_restart(jit_code *j);                                               /* before each recording; hit is 0  */
int jit_without_times(jit_code *j);                                          /* then, instead of jit_advance     */
int jit_is_due(const jit_code *j, uint64_t time);                            /* 1: jit_advance changes something */
int jit_advance(jit_code *j, uint64_t time);
int jit_event(jit_code *j, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map);
const live_range *jit_at(jit_code *j, uint32_t pid, uint64_t address);       /* NULL: no code of a JIT           */

#endif
