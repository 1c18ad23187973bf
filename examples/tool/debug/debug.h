/* debug.h - functions and inline stacks of a program out of its DWARF, versions 2 to 5
 *
 * Part of csspgo, same licence.
 */
#ifndef CSSPGO_TOOL_DEBUG_H
#define CSSPGO_TOOL_DEBUG_H

#include "../library.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct debug_range {      /* code of a function: one of its ranges                                       */
    uint64_t    begin, end;       /* link-time addresses, begin < end                                            */
    const char *name;             /* linkage name, else a symbol's, else the plain one; lives as long as          */
                                  /* debug_info                                                                  */
    int         linkage, gnu;     /* the name is a linkage name; the unit is gcc's                               */
    uint32_t    line;             /* where the source has the function; 0: not known                             */
    int         first;            /* it is the first range of its entry, where the function is entered           */
} debug_range;

typedef struct debug_row {        /* instructions from here to the next row of the sequence                      */
    uint64_t address;
    uint32_t line, discriminator;
} debug_row;

typedef struct debug_sequence {   /* rows of the addresses [begin, end)                                          */
    uint64_t begin, end;
    size_t   first, count;        /* in debug_rows.row                                                           */
} debug_sequence;

typedef struct debug_area {       /* the addresses [begin, end)                                                  */
    uint64_t begin, end;
} debug_area;

typedef struct debug_areas {      /* by address, disjoint                                                        */
    const debug_area *v;
    size_t n;
} debug_areas;

typedef struct debug_rows {       /* the line table of a unit; free it with debug_rows_free                      */
    debug_row      *row;
    debug_sequence *sequence;     /* by end                                                                      */
    size_t rows, row_cap, sequences, sequence_cap;
} debug_rows;

typedef struct debug_options {
    int         llvm;             /* exactly what LLVM 19 finds                                                  */
    const char *packed;           /* the .dwp file of split debug information; NULL: PROGRAM.dwp                */
    const char *program;          /* NULL, or the program, if it is another file: .dwp and .dwo lie beside it    */
    uint64_t    first;            /* ranges that begin before this address are of dropped functions              */
    const char *alt;              /* NULL, or the file with what it shares with other programs (dwz -m)           */
    int         files;            /* names are FILE;NAME where the source file is known                           */
    const elf_image *symbols;     /* NULL, or who names C++ functions that gcc gives no linkage name: an image   */
                                  /* that outlives debug_info; not as LLVM                                       */
} debug_options;

typedef struct debug_warnings {   /* what is to be said about the file                                           */
    size_t units, no_split;       /* units; units whose .dwo file is missing                                     */
    size_t functions, no_line;    /* functions, functions without a first line                                   */
} debug_warnings;

typedef struct debug_lines {      /* a unit's code for csspgo_line_table_add; lives until the next call. A row      */
                                  /* without a node ends code; its discriminator is 1 if another unit begins there */
    csspgo_line_inline_node *node;
    uint32_t           *first_line;   /* of each node: where its function is declared; what its rows count from   */
    csspgo_line_row    *row;
    size_t nodes, rows;
} debug_lines;

typedef struct debug_info debug_info;

/*
 * Opens the debug information of an ELF file; a file without any has no units.
 *
 * Returns   the object, for debug_info_close; NULL after a sentence in why
 */
debug_info *debug_info_open(const char *path, const debug_options *how, char *why, size_t why_size);
void debug_info_close(debug_info *d);

/* program.c: the same of an open program, wherever its debug information is; NULL, too, where that has no units. */
debug_info *debug_program(const loaded *image, const char *path, char *why, size_t why_size);
debug_warnings debug_info_warnings(const debug_info *d);

/* The ranges of all functions, in the order of the file. */
const debug_range *debug_info_ranges(const debug_info *d, size_t *count);

typedef struct debug_place {      /* a range of a function that has its place in the code map       */
    uint64_t begin, end;
    size_t   index;               /* in debug_info_ranges                                           */
    uint32_t of_name, function;   /* number of ranges of the function; the function, numbered       */
    int      entry;               /* 1: the function begins here                                    */
    int      ran;                 /* the caller's: an address in it ran                             */
    uint64_t first;               /* ... time of the first sample in it; 0: not known               */
    uint64_t reach;               /* in `over`: the largest end up to this element                  */
} debug_place;

typedef struct debug_places {
    debug_place *range;           /* by address, disjoint: of two that begin together the first of the file stays, */
                                  /* and a later one ends an earlier                                                */
    debug_place *twin;            /* ranges that begin where one of those does, by address                         */
    debug_place *over;            /* ends of ranges that a later one ended, by address: gcc lets a function's hot  */
                                  /* part reach over its cold one where both stay in a section                     */
    size_t       ranges, twins, overs, names;   /* names: functions                                                */
} debug_places;

/* places.c: of the ranges of all functions. p is all 0; debug_places_free, also after a failure. Returns 0: out of memory. */
int debug_places_make(debug_places *p, const debug_info *d);
void debug_places_free(debug_places *p);
size_t debug_places_before(const debug_places *p, uint64_t address);   /* how many ranges begin at or before it     */
debug_place *debug_place_at(const debug_places *p, uint64_t address);   /* the range that an address is in, or NULL  */

/* Marks where functions begin as LLVM does: where a symbol of that name is, or any if the function has one range only. */
void debug_places_enter_llvm(const debug_places *p, const debug_info *d, const elf_image *symbols);

size_t debug_info_units(const debug_info *d);

/* Marks (per unit, numbered from 0) whose code is in some area. */
void debug_info_units_in(const debug_info *d, const debug_areas *in, unsigned char *mark);

/*
 * Inline stacks of a unit's code. in: the code that is asked for, NULL: all. The cost goes with the functions and rows
 * of it. Returns 0: out of memory.
 */
int debug_info_lines(debug_info *d, size_t unit, const debug_areas *in, debug_lines *out);

/* Makes the rows ready for a table with the rows of other units: removes those that say that another unit begins. */
void debug_lines_join(debug_lines *l);

/* The first area that ends behind an address, or in->n. */
size_t debug_area_behind(const debug_areas *in, uint64_t address);

/*
 * Reads the line program at an offset of .debug_line. A damaged one gives the rows before the damage. in: NULL, or the
 * code whose rows are needed.
 *
 * Returns   0: out of memory
 */
int debug_rows_read(debug_rows *out, const unsigned char *section, size_t size, uint64_t offset, const debug_areas *in);
void debug_rows_free(debug_rows *r);

/* The row of an address, or NULL. */
const debug_row *debug_row_at(const debug_rows *r, uint64_t address);

/* Room for element `count` of a list: the address of its pointer. Returns 0: out of memory. */
int debug_room(void *list, size_t count, size_t *cap, size_t size);

#endif
