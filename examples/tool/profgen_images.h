/* profgen_images.h - profgen: what its files for several images and for the table of all files share */
#ifndef CSSPGO_TOOL_PROFGEN_IMAGES_H
#define CSSPGO_TOOL_PROFGEN_IMAGES_H

#include "profgen_health.h"

enum { IMAGE_BITS = 44 };

typedef struct image {            /* of one --binary behind the first */
    const char *path;
    loaded      loaded;
    line_work  *lines;
} image;

typedef struct stubs { uint64_t begin, end; } stubs;   /* a section of them, where the code map has it */

typedef struct tallied {          /* a file, or another name of a mapping */
    char         *path;
    int           given;          /* it is one of --binary */
    health_counts n;
} tallied;

typedef struct tally_place {       /* where a sample is, for one that is taken later */
    size_t row;
    int    given;
} tally_place;

struct images {
    image         *v;
    size_t         count;
    stubs         *stub;
    size_t         stubs;
    csspgo_branch *branch;        /* of the last sample with joined branches */
    size_t         branch_cap;
    csspgo_code   *code;          /* of the table */
    int            whole;         /* 0: the table is of files that are not given, it is not shown */
    csspgo_spaces *spaces;        /* NULL: of the kernel's profile */
    tallied       *file;
    size_t         files, file_cap;
    health_counts  kernel, nowhere;
    health_counts *at;            /* of the last sample; NULL: it is not in the table */
    int            at_given;      /* ... it is in one of --binary */
};

tally_place images_place(const images *x);
void images_set_place(images *x, tally_place p);

#endif
