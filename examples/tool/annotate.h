/* annotate.h - what the files of annotate share */
#ifndef CSSPGO_TOOL_ANNOTATE_H
#define CSSPGO_TOOL_ANNOTATE_H

#include "bottleneck.h"
#include "debug_info.h"

#define NOTE_UNKNOWN UINT64_MAX   /* as a count: nothing tells it */

enum { /* places in the table of options; those before N_FUNCTION are those of bottleneck */
    N_OUTPUT, N_BINARY, N_DEBUG_BINARY, N_PROFILE, N_FUNCTION, N_FORMAT, N_JSON, N_CONTEXTS, N_SOURCE, N_QUIET
};

typedef struct note_insn {
    uint64_t address;
    char    *text;
    size_t   file;                /* place in annotate_run.file + 1; 0: its source is not known */
    uint32_t line;
    uint32_t stretch;             /* place in note_flow.stretch + 1; 0: padding, or no block is known */
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
    uint64_t      *line_count;    /* by line: the same of its line, wherever that stands; else NULL */
    const char    *binary, *name; /* of the program and the function that are shown now         */
    int            several;       /* more than one may be shown                                 */
    size_t         views;         /* that were shown                                            */
    uint64_t       sum;           /* of all_weight of these                                     */
} annotate_run;

/* Functions that return 0 have said what is wrong. */

/* annotate_code.c: the instructions, with lines if the program has them */
int note_code(annotate_run *a);
void note_read_source(const annotate_run *a, note_file *f);
int note_section(const annotate_run *a, uint64_t address, elf_section *s);     /* that has an address, with contents */

/* annotate_flow.c. note_flow_make returns 0: out of memory. */
typedef struct note_stretch {     /* code without a call but at its end                             */
    uint32_t block, group;        /* of the graph; stretches of a group execute equally often       */
} note_stretch;

typedef struct note_flow {
    note_stretch *stretch;        /* by block and address                                           */
    size_t        stretches, cap;
    uint32_t      groups;
    int           throws;         /* calls may throw: there are landing pads, or there may be       */
    uint64_t     *known;          /* of a column: per stretch, NOTE_UNKNOWN or its count            */
    uint64_t     *of_group;
} note_flow;

typedef struct note_place {       /* where a line or probe stands in the code                       */
    uint64_t key;                 /* of the line or probe                                           */
    size_t   of;                  /* instruction; or probe of the graph                             */
    uint32_t stretch, factor;     /* place + 1; duplication factor                                  */
} note_place;

typedef enum note_extent {        /* of the places of a line or probe                               */
    NOTE_ONE,                     /* one stretch                                                    */
    NOTE_EQUAL,                   /* of one group                                                   */
    NOTE_BLOCK,                   /* of one block: the first one executes as often as it says       */
    NOTE_SEVERAL
} note_extent;

int note_flow_make(annotate_run *a, note_flow *w, const csspgo_code_graph *g);
void note_flow_free(note_flow *w);
note_extent note_extent_of(const note_flow *w, const note_place *v, size_t n);
int note_holds(note_extent extent, uint64_t count);  /* 1: the count is that of each of the places */
void note_column_begin(note_flow *w);                /* then note_tell, note_column_end, and note_count_of */
void note_tell(note_flow *w, const note_place *v, size_t n, note_extent extent, uint64_t count);
void note_column_end(note_flow *w);
uint64_t note_count_of(const note_flow *w, uint32_t stretch);

/* annotate_counts.c */
int note_counts(annotate_run *a);

/* annotate_print.c */
int note_print(annotate_run *a, FILE *out);
void note_end(const annotate_run *a, FILE *out);     /* behind the last one */

#endif
