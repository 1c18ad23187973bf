/* profgen.h - what the files of profgen share */
#ifndef CSSPGO_TOOL_PROFGEN_H
#define CSSPGO_TOOL_PROFGEN_H

#include "tool.h"

enum { /* places in the table below */
    O_BINARY, O_PERFSCRIPT, O_PS_ALIAS, O_PERFDATA, O_PD_ALIAS, O_UNSYMBOLIZED, O_UP_ALIAS, O_PROFILE, O_OUTPUT,
    O_O_ALIAS, O_FORMAT, O_GCOV_VERSION, O_MD5, O_COMPRESS_ALL, O_PARTIAL, O_SPLIT, O_SKIP, O_USE_OFFSET,
    O_FIRST_LOADABLE, O_IGNORE_STACK, O_COMPRESS, O_DEPTH, O_INFER, O_SEARCH_DEPTH, O_FILL, O_PREINLINER, O_SIZES,
    O_REPLAY, O_HOT_INLINE, O_COLD_INLINE, O_GROWTH, O_LIMIT_MIN, O_LIMIT_MAX, O_AGAIN, O_MERGE_COLD, O_COLD_DEPTH,
    O_TRIM, O_NESTED, O_KEEP_BASE, O_CUTOFF_HOT, O_CUTOFF_COLD, O_HOT_COUNT, O_COLD_COUNT, O_DENSITY,
    O_DENSITY_CUTOFF, O_SHOW_DENSITY, O_SORT, O_SYMBOLS, O_TOTALS, O_PID, O_SHOW_MMAP, O_DEBUG_BINARY, O_KERNEL,
    O_DETAILS, O_SHOW_PROBES, O_LINES, O_DWP, O_DEBUG_SIZES, O_LEADING, O_EVENT, O_EVENTS, O_PERIOD, O_JITDUMP,
    O_PERF_MAP, O_SHOW_JIT, O_PREAGG, O_REPORT, O_SPE, O_BOGUS, O_IMAGE_BASE, O_PPROF,
    O_PPROF_TYPE, O_PERF_BINARY, O_IMAGES, O_MAX_DROPPED, O_MIN_DENSITY, O_EMPTY, O_COMPAT, O_QUIET, O_HELP, O_JSON
};

enum {                            /* places in the choice of --format */
    FORMAT_EXTBINARY, FORMAT_TEXT, FORMAT_BINARY, FORMAT_GCC, FORMAT_GCOV, FORMAT_PREAGG, FORMAT_PREAGG_TRACES
};

typedef struct line_work line_work;
typedef struct mapped_file mapped_file;
typedef struct health health;
typedef struct loss loss;
typedef struct inlined_work inlined_work;

typedef struct images images;
typedef struct events events;
typedef struct renamed renamed;
typedef struct fit_area fit_area;

enum { FIT_BRANCHES, FIT_SAMPLED, FIT_CALLERS, FIT_STACKS, FIT_LEAVES, FIT_KINDS };

typedef struct fit_count { uint64_t n, bad; } fit_count;

typedef struct fit {              /* whether recordings are of the program */
    fit_count       now[FIT_KINDS], all[FIT_KINDS];   /* of the one that is read; of those before */
    uint64_t        samples;      /* of the one that is read                       */
    const uint32_t *files;        /* of the frames of the next sample, or NULL     */
    fit_area       *area;
    size_t          areas;
    const char     *path;         /* NULL: all fit; else the first one that does not */
    size_t          kind;         /* ... because of these                          */
    fit_count       worst;
} fit;

typedef struct counts_read {      /* for the report on inputs that are no samples */
    uint64_t contexts, ranges, branches;     /* entries of raw counters                  */
    uint64_t lines, reversed;                /* of pre-aggregated text; those left out    */
} counts_read;

typedef struct profgen {
    const tool_context *tool;
    option           *o;
    const char       *binary, *perfscript, *perfdata, *unsymbolized, *sampled, *output, *preagg;
    const char       *pprof;
    const char       *path;       /* the input that is read now: then perfscript or perfdata, not both */
    int               last;       /* ... and none follows                          */
    loaded            image;
    line_work        *lines;      /* what is read of the debug information; NULL: by probes */
    struct jit_work  *jit;        /* code of JITs is profiled; or NULL */
    int               jit_only;   /* ... and no program */
    csspgo_sizes     *sizes;      /* by probes: what LLVM takes for the pre-inliner, or NULL */
    images           *images;     /* further --binary, and the table of all; NULL: neither */
    csspgo_collector *collector;
    csspgo_trace_sampler *sampler;   /* what gets the samples of `order`; then there is no collector */
    csspgo_aggregator *aggregator;   /* what gets those of --format=preagg, likewise */
    uint64_t          in_order;   /* `order`: 0, or the time of the last sample that has none */
    csspgo_spaces    *spaces;     /* who moves samples to link-time addresses; NULL: the code map is moved instead */
    int               mapped;     /* a mapping event for the binary was seen */
    uint64_t          bias;       /* run-time - link-time address in the code map */
    int               ids_read;   /* the build ids behind the data were read before it */
    mapped_file      *file;       /* as long as no mapping is the program's: what was mapped */
    size_t            files;
    health           *health;     /* of the report that is wanted; NULL: none */
    loss             *loss;       /* what is in the profile and what is not; NULL: in compat mode, and without samples */
    int               user_stacks;           /* some event has copies of stacks (perf record --call-graph dwarf) */
    uint64_t          lost;       /* samples that the kernel lost */
    int               pidless;    /* some sample does not say of which process it is */
    uint64_t          with_stack, one_frame; /* samples with a call stack; those of one frame */
    int               leaf_only;  /* the recording has no call stacks: that of a sample is its address */
    int               branches, stacks;      /* some sample has branch records; besides a call stack */
    int               partial;    /* SIGINT came before the end of the input */
    int               flat;       /* the script has branch records and no call stacks */
    csspgo_script    *script;     /* that the sample is of; NULL: it is of no text */
    inlined_work     *inlined;    /* by line: what is inlined at addresses of frames; NULL: nobody asked */
    fit               fit;
    events           *events;     /* of the recordings; NULL: none is known          */
    renamed          *renamed;    /* which files of the recording are programs of other names; or NULL */
    uint64_t          guests;     /* samples of guests of the machine                */
    struct detail    *detail;     /* for --show-detailed-warning, and for what LLVM says of ranges */
    size_t            details, detail_cap;
    struct detail_cache *noted;   /* of these; NULL before the first one */
    uint32_t          most_records;          /* branch records of a sample, without SPE's second one */
    uint64_t          unmapped, unmapped_hits;   /* samples before a mapping of the program; those in it */
    uint64_t          attempts, external;    /* what LLVM calls samples; those whose leaf is in other code */
    counts_read       read;
} profgen;

typedef struct detail {           /* of distinct samples: a range between two branches, both inclusive; with start */
    uint64_t start, end;          /* UINT64_MAX: a return address without a call before it                         */
    uint64_t count;               /* how often it ran; saturates                                                   */
} detail;

/* A recording: perf script's text, perf.data, pre-aggregated text, or pprof. */
typedef struct recording {
    const char      *path;
    csspgo_script   *script;
    csspgo_perfdata *data;
    csspgo_preagg   *preagg;
    csspgo_pprof    *pprof;
} recording;

/* profgen.c */
extern const option profgen_options[];
const char *profgen_input(const profgen *g, size_t i);
int flat_asked(const profgen *g);
csspgo_collector_options profgen_how(const profgen *g);
csspgo_unsymbolized_options profgen_raw(const profgen *g);

/* profgen_idle.c */
void profgen_idle(const profgen *g, int contexts);

/* profgen_detail.c */
int is_code(const profgen *g, uint64_t address);
int details_wanted(const profgen *g);
int details_add(profgen *g, const csspgo_sample *s, int taken);
void details_settle(profgen *g);
int details_flush(profgen *g);
void details_show(profgen *g);

/* profgen_llvm.c: what llvm-profgen 19 says, in its words */
int as_llvm(const profgen *g);
void llvm_no_mapping(const profgen *g);
int llvm_functions(const profgen *g, const line_work *w);
void llvm_samples(profgen *g);
void llvm_density(const profgen *g, double density, double least);

/* profgen_llvm_bytes.c */
int llvm_bytes(const profgen *g);

/* profgen_samples.c */
uint64_t profgen_dropped(const profgen *g);
const char *profgen_no_room(csspgo_status s);
int profgen_address(profgen *g, const csspgo_sample *sample);
uint64_t flat_weight(const profgen *g, const csspgo_sample *s);
int profgen_event(profgen *g, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map);
int profgen_place(profgen *g, csspgo_sample *sample);
int profgen_take(profgen *g, const csspgo_sample *placed);
int profgen_item(profgen *g, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map);

/* profgen_makers.c */
int makers_map(profgen *g);
void makers_sample(profgen *g, const csspgo_sample *s);
void makers_unmapped(const profgen *g);
void makers_warnings(const profgen *g);

/* profgen_events.c: those that return int give 0 after saying what is wrong */
int events_asked(const profgen *g);
int events_of_data(profgen *g, const csspgo_perfdata *data);
int events_of_script(profgen *g, const void *piece, size_t size, FILE *f);
int events_leave_out(profgen *g, const recording *r);
int events_take(profgen *g, const recording *r, csspgo_item item, const csspgo_sample *s);   /* failing: -1 */
int events_named(profgen *g, const char *name, size_t size);                                 /* the same    */
int events_over(profgen *g, const recording *r);
void events_json(const profgen *g, FILE *out);
void events_free(events *e);

/* profgen_renamed.c: renamed_begin and renamed_ahead return 0 after saying what is wrong */
int renamed_begin(profgen *g);
void renamed_see(profgen *g, csspgo_item item, const csspgo_sample *s, const csspgo_mmap *map);
int renamed_ahead(profgen *g, const recording *r, const void *piece, size_t size, FILE *f);   /* before it is read */
csspgo_mmap renamed_map(profgen *g, csspgo_item item, const csspgo_mmap *map, unsigned char *id);   /* id: 20 bytes */
int renamed_forced(const profgen *g);          /* 1: a mapping was taken although neither name nor id says so */
void renamed_free(renamed *x);

/* profgen_inlined.c */
void inlined_free(inlined_work *w);
int profgen_fold(profgen *g, const csspgo_sample *placed);   /* folds a sample, and takes it, now or later */
int profgen_release(profgen *g);               /* takes all that wait. Both return 0 after saying what is wrong */

/* profgen_fit.c */
int fit_is_source(const profgen *g, uint64_t address);
int fit_due(profgen *g);
int fit_sample(profgen *g, const csspgo_sample *recorded, const csspgo_sample *placed, int offsets);
void fit_over(profgen *g, const char *path);
int fit_status(const profgen *g);
void fit_json(const profgen *g, FILE *out);

/* profgen_mapped.c */
void mapped_add(profgen *g, csspgo_item item, const csspgo_mmap *map);
int mapped_complain(const profgen *g, const char *path);
void mapped_forget(profgen *g);

/*
 * profgen_module.c: a kernel module, for which --kernel is on. module_map: 1 if a mapping is the module's, which is
 * placed by it; 0: another one's; -1: without memory. module_complain says that there was none, and returns 0.
 */
int module_map(profgen *g, const csspgo_mmap *map);
int module_complain(const profgen *g, const char *path);
size_t mapped_name(char *to, const char *path, size_t room);

/* profgen_recording.c */
int recording_open(profgen *g, recording *r, int any);
void recording_close(recording *r);
unsigned long long recording_samples(const recording *r);
void recording_warnings(profgen *g, const recording *r);
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
int profgen_spares_file(const profgen *g, const char *path);
int profgen_spares(const profgen *g);
int profgen_load(profgen *g, char *why, size_t why_size);
int probes_load(profgen *g, char *why, size_t why_size);
int recording_over(profgen *g, const recording *r, unsigned long long samples);
int profgen_spaces(profgen *g);
int profgen_read_recording(profgen *g);
int profgen_read_inputs(profgen *g);

/* profgen_pprof.c */
int pprof_open(profgen *g, recording *r);
int pprof_feed(profgen *g, recording *r, const void *piece, size_t size);
void pprof_over(const profgen *g, const recording *r);

/* profgen_simpleperf.c */
int simpleperf_is(const file_bytes *f);
csspgo_status simpleperf_read(const profgen *g, const file_bytes *f, csspgo_error *e);

/* profgen_preagg.c */
int preagg_wanted(const profgen *g);
int preagg_open(profgen *g, recording *r);
int preagg_feed(profgen *g, recording *r, const void *piece, size_t size);
void preagg_over(profgen *g, const recording *r);
void preagg_warnings(const profgen *g);
int preagg_run(profgen *g);

/* profgen_preagg_raw.c */
int preagg_take_raw(profgen *g);

/* profgen_lines.c */
int is_by_line(const profgen *g);
void lines_defaults(const profgen *g);
int lines_load(profgen *g, char *why, size_t why_size);
csspgo_status lines_name(profgen *g, csspgo_error *e);
csspgo_status lines_profile(profgen *g, csspgo_profile *p, const csspgo_generate_options *how, csspgo_error *e);
csspgo_status lines_list_symbols(const line_work *w, csspgo_profile *p);
const csspgo_sizes *lines_sizes(const line_work *w);
void lines_free(line_work *w);

/* profgen_jit.c: these return 0 after saying what is wrong; jit_begin with a sentence in why */
int jit_begin(profgen *g, char *why, size_t why_size);
csspgo_profile *jit_take_samples(const profgen *g);
csspgo_status jit_tell_lines(const profgen *g, csspgo_line_table *table);
int jit_asked(const option *o);                /* 1 if profiles are of JITs' code */
int jit_check(const profgen *g);
void jit_defaults(option *o);
int jit_recording(profgen *g, const void *bytes, size_t size);
int jit_sample(profgen *g, csspgo_sample *s);
int jit_settle(profgen *g);
int jit_join(profgen *g, const csspgo_sample *recorded, csspgo_sample *s);
int jit_item(profgen *g, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map);
void jit_report(const profgen *g);
void jit_work_free(struct jit_work *w);
csspgo_status jit_profile(profgen *g, csspgo_profile *p, const csspgo_generate_options *how, csspgo_error *e);

csspgo_status lines_join(const profgen *g, const line_work *first, const csspgo_profile *p);

/* profgen_images.c: those that return int give 0 without memory, images_load with a sentence in why */
int images_check(const profgen *g);
int images_load(profgen *g, char *why, size_t why_size);
void images_free(images *x);
images *images_open(const tool_context *tool, const option *binaries, const loaded *first, int *ok, char *why,
                    size_t why_size);                      /* for order: all but the first; x->count were opened */
size_t images_more(const images *x);
extern const char *const source_keys[];                    /* of the report: "symbols" ..., by LOAD_SYMBOLS ... */
const char *images_path(const profgen *g, size_t i);       /* of number i of --binary */
const char *images_source(const profgen *g, size_t i, size_t kind);        /* the file that has it; NULL: none */
int images_begin(profgen *g);
csspgo_status images_units(const profgen *g, const csspgo_profile *p);
csspgo_status images_list_symbols(const profgen *g, csspgo_profile *p);
int images_join(images *x, csspgo_sample *s);
const loaded *images_at(const profgen *g, uint64_t *address);
size_t image_of(const profgen *g, uint64_t address);
line_work *image_lines(const profgen *g, size_t image);
line_work *image_open_lines(const profgen *g, size_t image);

/* profgen_tally.c */
int images_event(images *x, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map, int given);
int images_tally(profgen *g, const csspgo_sample *sample, const csspgo_sample *placed);
void images_show(const profgen *g);
void images_json(const profgen *g, FILE *out);

/* profgen_sizes.c */
int probe_sizes(profgen *g, const csspgo_profile *p);
csspgo_status profile_sizes(profgen *g, const csspgo_profile *p);

/* profgen_profile.c */
int is_flow_sensitive(const loaded *l);
csspgo_status profgen_finish(profgen *g, csspgo_profile *p);
csspgo_status profgen_list_symbols(const profgen *g, csspgo_profile *p);
csspgo_status profgen_profile(profgen *g, csspgo_profile *p, csspgo_error *e);
csspgo_status profgen_write_to(const profgen *g, csspgo_profile *p, csspgo_error *e);

/* profgen_health.c: those that return int give 0 after saying what is wrong */
int health_wanted(profgen *g);                       /* --json; 0 after refusing it */
int health_begin(profgen *g);
void health_next(profgen *g);                        /* before the next recording */
void health_sample(profgen *g, const csspgo_sample *s, const csspgo_collector_stats *before);
uint64_t sampled_address(const profgen *g, const csspgo_sample *s);
void health_free(health *h);

/* profgen_health_report.c */
int health_report(profgen *g);

/* profgen_loss.c: loss_event and loss_sample return 0 without memory, the others after saying so */
int loss_begin(profgen *g);
void loss_free(loss *l);
void loss_next(loss *l);                             /* before the next recording */
int loss_event(loss *l, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map, int mapped);
int loss_sample(profgen *g, const csspgo_sample *s, const csspgo_collector_stats *before);
int loss_runs(profgen *g);                           /* before the counters become a profile */
void loss_made(profgen *g, const csspgo_profile *p);          /* the first profile; then after each step: */
void loss_inlined(profgen *g, const csspgo_profile *p);
void loss_trimmed(profgen *g, const csspgo_profile *p);
void loss_nested(profgen *g, const csspgo_profile *p);
int loss_end(profgen *g, const csspgo_profile *p);

/* profgen_loss_report.c */
void loss_warnings(const profgen *g);
int loss_status(const profgen *g);

/* profgen_counts.c: the report if there is no health_report; p: the profile that is read, NULL: something else is */
void counts_text(profgen *g, const file_bytes *text);      /* raw counters, which are read */
int counts_report(profgen *g, csspgo_profile *p);          /* 0 after saying what is wrong */

/* profgen_gcc.c */
int is_for_gcc(const profgen *g);
int is_for_old_gcc(const profgen *g);
csspgo_status profgen_for_gcc(csspgo_profile *p);

/* profgen_report.c */
void profgen_warnings(profgen *g);
void profgen_density(const profgen *g, const csspgo_profile *p);
double profgen_density_of(const profgen *g, const csspgo_profile *p);   /* -1: out of memory */
int profgen_show_probes(const profgen *g);
int profgen_worth(const profgen *g, const csspgo_profile *p);

#endif
