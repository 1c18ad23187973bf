/* picture.h - a picture of any recording: its stacks under the names that can be found, as a profile of contexts
 *
 * It is for people. What a compiler needs, places in functions, is not in it: profgen makes such profiles. picture.c
 * reads what has addresses, picture_names.c names them, picture_stacks.c reads what has names; picture_events.c tells
 * which events they are of.
 */
#ifndef CSSPGO_TOOL_PICTURE_H
#define CSSPGO_TOOL_PICTURE_H

#include "views.h"
#include "../shared/recording.h"

typedef struct picture_file {     /* a file that is mapped */
    char      *path;              /* as the recording calls it, without " (deleted)"                                  */
    unsigned char id[20];
    uint32_t   id_size;           /* 0: not known                                                                     */
    int        nameless;          /* memory without a file                                                            */
} picture_file;

enum { PICTURE_EVENTS = 8, PICTURE_EVENT_NAME = 80, PICTURE_NUMBERS = 64 };

typedef struct picture_events {   /* the events of the samples that are taken */
    char     name[PICTURE_EVENTS][PICTURE_EVENT_NAME + 1];
    size_t   name_size[PICTURE_EVENTS], count;
    uint64_t samples[PICTURE_EVENTS], others;   /* others: of further events                                         */
} picture_events;

typedef struct picture {
    const tool_context *tool;
    const option    *binary;      /* --binary: in place of files of their name                                        */
    const char      *path;        /* the recording                                                                    */
    recorded_files   mapped;      /* numbers of file                                                                  */
    csspgo_processes *spaces;
    programs         windows;     /* those of --binary that are of Windows: they run in memory without a file         */
    picture_file    *file;
    size_t           files, file_cap;
    csspgo_profile  *raw;         /* contexts of addresses: functions are named by picture_key                        */
    csspgo_profile  *named;       /* the same by names                                                                */
    uint64_t         kernel_text; /* where the kernel was: its symbol _text or _stext; 0: not known                   */
    uint64_t         samples, empty, deep;   /* taken; without an address; cut to VIEWS_DEPTH frames                  */
    /* names: of each function of raw, how many functions of `named` it is, outermost first */
    csspgo_func     *chain;
    size_t           chains, chain_cap;
    size_t          *first;       /* by id of a function of raw; one more for the end                                 */
    uint32_t        *length;
    uint64_t         by_line, by_symbol, by_offset;   /* distinct addresses                                           */
    uint64_t         by_event[PICTURE_NUMBERS];       /* samples by number of their event; the last: and above        */
    uint64_t         counted, lost;   /* samples; those of which not even the file is known                            */
} picture;

typedef enum picture_kind {
    PICTURE_NONE, PICTURE_DATA, PICTURE_SCRIPT, PICTURE_PPROF, PICTURE_STACKS
} picture_kind;

/* What an address is in: a file (its number and the offset), the kernel, memory of a process without a file, nothing. */
typedef struct picture_key {
    char     kind;                /* 'f', 'k', 'j', 'u'                                                               */
    uint32_t of;                  /* number of a file; a pid                                                          */
    uint64_t at;                  /* offset; address                                                                  */
} picture_key;

/* The option of profgen that takes such a file: "perfdata"; NULL after saying what is wrong, as that it has names only. */
const char *picture_option(const tool_context *tool, const char *path, const file_bytes *f);

/* picture_names.c: makes chain, first and length. Returns 0 after saying what is wrong. */
int picture_name(picture *x);

/* picture_events.c */
void picture_events_add(picture_events *e, const char *name, size_t size, uint64_t count);
void picture_events_tell(const tool_context *tool, const picture_events *e, const char *path);   /* if several */

/* picture_stacks.c: into p. Returns 0 after saying what is wrong. */
int picture_stacks(const tool_context *tool, reader *r, const void *head, size_t size, csspgo_profile *p);

#endif
