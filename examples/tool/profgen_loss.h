/* profgen_loss.h - profgen: what of the samples is in the profile, and where the rest went
 *
 * Each sample goes one way: into a function that the profile has (kept), or to one reason why not. So the numbers add
 * up: read = kept + of other processes + the sum of all reasons. The same for what ran, by the counters.
 */
#ifndef CSSPGO_TOOL_PROFGEN_LOSS_H
#define CSSPGO_TOOL_PROFGEN_LOSS_H

#include "profgen_images.h"
#include "json.h"

enum { LOSS_FUNCTIONS = 5, LOSS_SHOWN = 3, LOSS_ALLOWED = 50 };   /* names of a reason; files; percent */

enum { /* why; of a sample the first that holds */
    LOSS_NO_STACK, LOSS_PROLOGUE, LOSS_LATE,      /* the collector dropped it                           */
    LOSS_FILES, LOSS_KERNEL, LOSS_NOWHERE,        /* it is in other code, and so are all its branches   */
    LOSS_NO_BRANCHES,                             /* it is in the program, and none of its branches is  */
    LOSS_ADDRESS,                                 /* it has no branch records, but others do            */
    LOSS_NO_FUNCTION, LOSS_NO_PLACES, LOSS_NO_RECORD,
    LOSS_REASONS
};

enum { LOSS_CHECKSUMS, LOSS_TRIMMED, LOSS_NESTED, LOSS_STEPS };   /* what lowers the sum of a profile's counts */

typedef struct loss_at { uint64_t address, n; } loss_at;

typedef struct loss_image {
    uint64_t *place;              /* per function (or part) with probes or lines: how many are in it */
    size_t    places;
    loss_at  *rest;               /* in none of these: by address, some twice before they are sorted */
    size_t    count, cap;
} loss_image;

typedef struct loss_unit {        /* of samples, or of runs of code                              */
    uint64_t    read, others, kept, lost[LOSS_REASONS];
    uint64_t    outside[LOSS_REASONS];   /* in other code, by LOSS_FILES and so on, and kept if branches of it count */
    loss_image *image;            /* as many as --binary                                         */
} loss_unit;

typedef struct loss_name {        /* of a function, or a section in brackets                     */
    const char *text;             /* of the program's file, not terminated                       */
    size_t      size;
    int         why;
    uint64_t    n;
} loss_name;

struct loss {
    size_t     images;
    loss_unit  samples[2], runs;  /* samples with branch records, and without; at the end all are in [0] */
    uint32_t  *pid;               /* processes that have the program, ascending                  */
    size_t     pids, pid_cap;
    loss_name *name;              /* by reason, then most first                                  */
    size_t     names, name_cap;
    uint64_t   made, step[LOSS_STEPS], copied, written;   /* sums of counts: made + copied = steps + written */
    uint64_t   now;               /* ... while it is being made                                  */
    int        settled;           /* 1: it was said already                                      */
    double     density;           /* below 0: there is no profile                                */
};

/* profgen_loss.c: sorts addresses, each once */
void loss_settle(loss_image *m);

/* profgen_loss_names.c */
size_t loss_place_at(const profgen *g, size_t image, uint64_t address);
size_t loss_places(const profgen *g, size_t image);
int loss_resolve(profgen *g, loss_unit *u, const csspgo_profile *p, int named);   /* 0 without memory */

/* profgen_loss_report.c */
extern const char *const loss_keys[LOSS_REASONS];
void loss_text(const profgen *g, FILE *out);          /* a line of the report on a terminal */
void loss_json(const profgen *g, json *j);            /* members "loss" and "density" */
uint64_t loss_all(const loss_unit *u);                /* of the program's processes */
const loss_unit *loss_main(const loss *l);            /* the unit that counts       */
double loss_share(const loss_unit *u);                /* percent                    */

#endif
