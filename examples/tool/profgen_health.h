/* profgen_health.h - profgen: what its health report counts */
#ifndef CSSPGO_TOOL_PROFGEN_HEALTH_H
#define CSSPGO_TOOL_PROFGEN_HEALTH_H

#include "profgen.h"

enum { HEALTH_DROPPED = 3, HEALTH_MENDED = 6, HEALTH_DISTINCT = 5, HEALTH_ADVICE = 16, HEALTH_PROCESSES = 1000 };

typedef struct health_counts {    /* of the samples of a process, or of a file */
    uint64_t samples, here;       /* here: the sampled address is in the program */
    uint64_t dropped[HEALTH_DROPPED], mended[HEALTH_MENDED];    /* by reason */
    uint64_t lost;                /* of files that are not given: samples of the program's processes */
} health_counts;

typedef struct health_process {
    uint32_t      pid;            /* 0: samples that do not say of which process they are       */
    health_counts n;
} health_process;

struct health {
    health_process *process;      /* by pid; what comes when there are HEALTH_PROCESSES: others */
    size_t          processes, last;
    health_counts   others, all;
    uint64_t        probed;       /* samples in a function that has probes                      */
    uint64_t        stacks, bare; /* of samples in the program: those with a call stack; of one frame */
    uint64_t        ends;         /* ... and with as many frames as the deepest one             */
    uint32_t        deepest;
    csspgo_spaces_stats before;   /* build ids of the recordings before */
};

typedef struct health_count { const char *key, *text; uint64_t n; } health_count;

typedef struct health_advice { const char *flag, *why; } health_advice;

/* profgen_health.c */
csspgo_spaces_stats health_builds(const profgen *g, const health *h);         /* build ids of all recordings */
uint64_t health_used(const health_counts *n);
size_t health_advise(const profgen *g, const health *h, health_advice *a);
void health_name_counts(const health_counts *n, health_count *dropped, health_count *mended);
void health_distinct(const profgen *g, health_count *v);

/* profgen_health_report.c: ' "samples": ..., ' and the counts by reason, of a process or file */
void health_json_counts(const health_counts *n, FILE *out);

#endif
