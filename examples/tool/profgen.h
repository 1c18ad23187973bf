/* profgen.h - what the files of profgen share */
#ifndef CSSPGO_TOOL_PROFGEN_H
#define CSSPGO_TOOL_PROFGEN_H

#include "tool.h"

enum { /* places in the table below */
    O_BINARY, O_PERFSCRIPT, O_PS_ALIAS, O_PERFDATA, O_PD_ALIAS, O_UNSYMBOLIZED, O_UP_ALIAS, O_PROFILE, O_OUTPUT,
    O_O_ALIAS, O_FORMAT, O_MD5, O_COMPRESS_ALL, O_PARTIAL, O_SPLIT, O_SKIP, O_USE_OFFSET, O_FIRST_LOADABLE,
    O_IGNORE_STACK, O_COMPRESS, O_DEPTH, O_INFER, O_SEARCH_DEPTH, O_FILL, O_PREINLINER, O_SIZES, O_REPLAY,
    O_HOT_INLINE, O_COLD_INLINE, O_GROWTH, O_LIMIT_MIN, O_LIMIT_MAX, O_AGAIN, O_MERGE_COLD, O_COLD_DEPTH, O_TRIM,
    O_NESTED, O_KEEP_BASE, O_CUTOFF_HOT, O_CUTOFF_COLD, O_HOT_COUNT, O_COLD_COUNT, O_DENSITY, O_DENSITY_CUTOFF,
    O_SHOW_DENSITY, O_SORT, O_SYMBOLS, O_TOTALS, O_PID, O_SHOW_MMAP, O_DEBUG_BINARY, O_KERNEL, O_DETAILS,
    O_SHOW_PROBES, O_LEADING, O_EVENT, O_EVENTS, O_PERIOD, O_COMPAT, O_QUIET, O_HELP
};

typedef struct profgen {
    const tool_context *tool;
    option           *o;
    const char       *binary, *perfscript, *perfdata, *unsymbolized, *sampled, *output;   /* inputs: the last ones */
    const option     *inputs;     /* all recordings or files of counters           */
    const char       *path;       /* the input that is read now                    */
    int               last;       /* ... and none follows                          */
    loaded            image;
    csspgo_collector *collector;
    csspgo_spaces    *spaces;     /* who moves samples to link-time addresses; NULL: the code map is moved instead */
    int               mapped;     /* a mapping event for the binary was seen */
    uint64_t          bias;       /* run-time - link-time address in the code map */
    int               ids_read;   /* the build ids behind the data were read before it */
    int               pidless;    /* some sample does not say of which process it is */
    int               branches, stacks;      /* some sample has branch records; besides a call stack */
    int               partial;    /* SIGINT came before the end of the input */
    int               flat;       /* the script has branch records and no call stacks */
    struct detail    *detail;     /* for --show-detailed-warning */
    size_t            details, detail_cap;
} profgen;

typedef struct detail {           /* of distinct samples: a range between two branches, both inclusive; with start */
    uint64_t start, end;          /* UINT64_MAX: a return address without a call before it                         */
} detail;

/* A recording: perf script's text, or perf.data. */
typedef struct recording {
    const char      *path;
    csspgo_script   *script;
    csspgo_perfdata *data;
} recording;

/* profgen.c */
int flat_asked(const profgen *g);
csspgo_collector_options profgen_how(const profgen *g);
csspgo_unsymbolized_options profgen_raw(const profgen *g);

/* profgen_detail.c */
int is_code(const profgen *g, uint64_t address);
int details_add(profgen *g, const csspgo_sample *s, int taken);
void details_show(profgen *g);

/* profgen_samples.c */
uint64_t profgen_dropped(const profgen *g);
int profgen_address(profgen *g, const csspgo_sample *sample);
uint64_t flat_weight(const profgen *g, const csspgo_sample *s);
int profgen_event(profgen *g, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map);
int profgen_place(profgen *g, csspgo_sample *sample);
int profgen_item(profgen *g, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map);

/* profgen_recording.c */
int recording_open(profgen *g, recording *r, int any);
void recording_close(recording *r);
unsigned long long recording_samples(const recording *r);
void recording_warnings(const tool_context *tool, const recording *r);
int recording_feed(profgen *g, recording *r, const void *piece, size_t size);
int interrupted(void);                         /* 1 after SIGINT */
void catch_interrupt(int flags);
void hold_interrupt(int how);
void recording_interrupted(profgen *g, const recording *r, unsigned long long bytes);
int recording_read(profgen *g, recording *r, FILE *f, unsigned long long total);

/* profgen_flat.c */
int flat_kind(const file_bytes *text);
int profgen_no_contexts(profgen *g);
int flat_read(profgen *g, const file_bytes *text);

/* profgen_input.c */
int recording_over(profgen *g, const recording *r, unsigned long long samples);
int profgen_spaces(profgen *g);
int profgen_read_inputs(profgen *g);

/* profgen_profile.c */
int is_flow_sensitive(const elf_image *e);
csspgo_status profgen_finish(profgen *g, csspgo_profile *p);
csspgo_status profgen_list_symbols(const profgen *g, csspgo_profile *p);
csspgo_status profgen_profile(profgen *g, csspgo_profile *p, csspgo_error *e);
csspgo_status profgen_write_to(const profgen *g, csspgo_profile *p, csspgo_error *e);

/* profgen_report.c */
void profgen_warnings(const profgen *g);
void profgen_density(const profgen *g, const csspgo_profile *p);
int profgen_show_probes(const profgen *g);

#endif
