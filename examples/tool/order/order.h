/* order.h - what the files of order share */
#ifndef CSSPGO_TOOL_ORDER_H
#define CSSPGO_TOOL_ORDER_H

#include "../shared/recording.h"

enum { /* places in the table of options */
    R_OUTPUT, R_TESTS, R_BINARY, R_DEBUG_BINARY, R_PERFDATA, R_PERFSCRIPT, R_FORMAT, R_EVALUATE, R_PAGE, R_ALIGNMENT,
    R_WEIGHTS, R_SIZES, R_RESERVOIR, R_LENGTH, R_SEED, R_IN_ORDER, R_START_UP, R_SAMPLES, R_JOIN, R_TRACES,
    R_QUIET, R_JSON, R_TRACE, R_FOLLOW
};

typedef struct order_run {
    const tool_context *tool;
    option        *o;
    csspgo_layout *l;             /* the traces of all inputs                               */
    programs       programs;      /* of each --binary; v: NULL, there is none              */
    filter        *filter;        /* which samples count; NULL: all                         */
    char          *file, *trace;  /* of the program that --trace runs, of its trace; or NULL  */
    uint64_t       start_up;      /* --start-up in nanoseconds; 0: not given                */
    uint64_t      *id;            /* the order                                              */
    size_t         count;
} order_run;

/* input.c. These return 0 after saying what is wrong. */
int order_open_binaries(order_run *r);
int order_read_profile(order_run *r, const char *path);
int order_read_recordings(order_run *r, const option *in);

/* first.c: --trace */
int order_trace(order_run *r, int count, char **program);   /* 0 after saying what is wrong */
void order_trace_free(order_run *r);

/* report.c */
uint32_t order_weighs(const order_run *r);         /* 1 if traces count by their weights                            */
int order_add_symbols(order_run *r);               /* of the binary, to the layout; 0 after saying what is wrong    */
void order_resolution(const order_run *r);         /* a warning if functions of the traces are not in the binary    */
int order_json(const order_run *r, FILE *out);     /* the order, with --evaluate the table, as JSON */
int order_evaluate(const order_run *r, FILE *out); /* prints a table; 0 after saying what is wrong                  */

#endif
