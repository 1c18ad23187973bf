/* annotate.h - what the files of annotate share */
#ifndef CSSPGO_TOOL_ANNOTATE_H
#define CSSPGO_TOOL_ANNOTATE_H

#include "bottleneck.h"

enum { NOTE_RANGES = 16 };

enum { /* places in the table of options; those before N_FUNCTION are those of bottleneck */
    N_OUTPUT, N_BINARY, N_DEBUG_BINARY, N_PROFILE, N_FUNCTION, N_FORMAT, N_JSON, N_CONTEXTS, N_SOURCE, N_QUIET
};

typedef struct note_insn {
    uint64_t address;
    char    *text;
    size_t   file;                /* place in annotate_run.file + 1; 0: its source is not known */
    uint32_t line;
} note_insn;

typedef struct note_file {        /* a file of source; lines: NULL if it cannot be read */
    char   *name, *text;
    char  **line;
    size_t  lines;
} note_file;

typedef struct annotate_run {
    bottleneck_run b;             /* program and profile                                        */
    csspgo_func    func;
    uint64_t       begin[NOTE_RANGES], end[NOTE_RANGES];   /* of its code, by address           */
    size_t         ranges;
    note_insn     *insn;
    size_t         insns, cap;
    note_file     *file;
    size_t         files;
    csspgo_node   *context;       /* the hottest ones                                           */
    uint64_t      *weight;        /* of these; what they are sorted by                          */
    size_t         contexts, all_contexts;
    uint64_t       all_weight;
    uint64_t      *count;         /* per instruction: in all contexts, then in each of `contexts` */
    const char    *binary, *name; /* of the program and the function that are shown now         */
    int            several;       /* more than one may be shown                                 */
    size_t         views;         /* that were shown                                            */
    uint64_t       sum;           /* of all_weight of these                                     */
} annotate_run;

/* Functions that return 0 have said what is wrong. */

/* annotate_code.c: the instructions, with lines if the program has them */
int note_code(annotate_run *a);
void note_read_source(note_file *f);

/* annotate_counts.c */
int note_counts(annotate_run *a);

/* annotate_print.c */
int note_print(annotate_run *a, FILE *out);
void note_end(const annotate_run *a, FILE *out);     /* behind the last one */

#endif
