/* profgen_lines.h - what profgen's files for debug information share */
#ifndef CSSPGO_TOOL_PROFGEN_LINES_H
#define CSSPGO_TOOL_PROFGEN_LINES_H

#include "debug_info.h"
#include "profgen.h"

typedef struct line_range {       /* a range of a function that has its place in the code map       */
    uint64_t begin, end;
    size_t   index;               /* in debug_info_ranges                                           */
    uint32_t of_name, function;   /* number of ranges of the function; the function, numbered       */
    int      entry;               /* 1: the function begins here                                    */
} line_range;

struct line_work {                /* from the program to the lines of what ran                      */
    debug_info        *debug, *functions;   /* of lines; of functions: the same, but as LLVM follows a link       */
    csspgo_line_table *table;
    csspgo_sizes      *sizes;     /* NULL: nobody asks for them                                     */
    line_range        *range;     /* by address, disjoint                                           */
    line_range        *twin;      /* ranges that begin where one of those does, by address          */
    unsigned char     *sampled;   /* per function: 1 if an address of the counters is in it         */
    size_t             ranges, twins, names;          /* names: functions                           */
    csspgo_frame      *frame;     /* scratch, as bytes                                              */
    uint64_t          *bytes;     /* per node of a unit                                             */
    size_t             frame_cap, byte_cap;
};

/* profgen_lines.c */
line_range *range_at(const line_work *w, uint64_t address);
size_t ranges_before(const line_work *w, uint64_t address);
line_work *work_open(const profgen *g, char *why, size_t why_size);
csspgo_status units_read(const profgen *g, line_work *w);

/* profgen_sizes.c: adds the code of a unit; marks the functions of a profile as sampled; return 0: out of memory */
int sizes_of(line_work *w, const debug_lines *l, int by_probe);
int sizes_mark(line_work *w, const csspgo_profile *p);

#endif
