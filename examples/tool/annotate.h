/* annotate.h - what the files of annotate share */
#ifndef CSSPGO_TOOL_ANNOTATE_H
#define CSSPGO_TOOL_ANNOTATE_H

#include "bottleneck.h"
#include "debug_info.h"

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
    debug_area    *range;         /* its code, by address                                       */
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
} annotate_run;

/* Functions that return 0 have said what is wrong. */

/* annotate_code.c: the instructions, with lines if the program has them */
int note_code(annotate_run *a);
void note_read_source(note_file *f);

/* annotate_counts.c */
int note_counts(annotate_run *a);

/* annotate_print.c */
int note_print(annotate_run *a, FILE *out);

#endif
