/* first.h - --first: what its files share; record.h has what others use of them */
#ifndef CSSPGO_TOOL_RECORD_FIRST_H
#define CSSPGO_TOOL_RECORD_FIRST_H

#include "record.h"

#if defined(REC_SOFTWARE)

enum { REC_CHUNK = 1 << 20, REC_NAME = 4096, REC_SETTERS = 16, REC_LINKER = 1 << 20,
       REC_MADE = NAME_MAX + 32 };
/* rec_module.state. Bare: nothing is to be there; open: a breakpoint that is taken away for now. */
enum { REC_BARE, REC_PLANTED, REC_RAN, REC_OPEN };

typedef struct rec_entry {        /* where a function, or a part of one, begins                                     */
    uint64_t address;             /* as the file has it                                                             */
    const char *name;             /* of the file, name_size bytes; NULL: it has none                                */
    uint32_t name_size;
    uint32_t trace;               /* the last one that has it                                                       */
} rec_entry;

typedef struct rec_file {         /* a file that a process has mapped as code                                       */
    char    *path;
    unsigned long inode;
    loaded   program;
    rec_entry *entry;             /* by address                                                                     */
    size_t   count, hook;         /* hook: the entry of _dl_debug_state, or count                                   */
    size_t   setter[REC_SETTERS], setters; /* the entries of functions that set what a signal does                  */
    int      wanted;
} rec_file;

typedef struct rec_module {       /* a file in a process                                                            */
    uint32_t file;
    uint64_t bias, begin, end;    /* of the mapping that was planted last                                           */
    unsigned char *state, *code;  /* of each entry; the byte that a breakpoint has replaced                         */
    int      seen;
} rec_module;

typedef struct rec_ran { uint32_t file, entry; } rec_ran;

struct rec_first {
    unsigned users;               /* processes that share the memory                                                */
    int      forked, silent;      /* silent: no trace is made of it                                                 */
    int      barren;              /* it is left as it is                                                            */
    pid_t    owner;
    uint64_t linker;              /* where the dynamic linker begins; 0: there is none                              */
    uint64_t trap[4];             /* what the program does with SIGTRAP, as the kernel was told                     */
    rec_module *module;
    size_t   count, room;
    rec_ran *ran;                 /* in the order of time                                                           */
    size_t   ran_count, ran_room;
};

struct rec_traces {
    rec_file **file;
    size_t   count, room;
    csspgo_layout *l;             /* traces of processes that have ended                                            */
    uint32_t traces, said;
    uint64_t functions, traps;
    unsigned char chunk[REC_CHUNK];
};

/* first_file.c */
void *rec_grown(const tool_context *tool, void *v, size_t *room, size_t size);   /* at least one more                  */
uint32_t rec_file_of(const recorder *r, const char *path, unsigned long inode, int linker);   /* its number           */
size_t rec_entry_from(const rec_file *f, uint64_t address);    /* the first entry that is not below it                */
int rec_in_setters(const rec_file *f, size_t entry);
int rec_open_path(pid_t pid, const char *path, char *to, size_t size, unsigned long *inode);
const char *rec_entry_name(const rec_file *f, const rec_entry *e, char *made, size_t *size);

/* first_code.c */
void rec_free_module(rec_module *d);

#endif

#endif
