/* profgen.h - the room of profgen: its parts, from the options up to what is written
 *
 * A part has its data in a struct of its own, which one file or two change. A file uses parts that stand above its own
 * here, and none below; profgen.c is the command, which ties them together.
 */
#ifndef CSSPGO_TOOL_PROFGEN_H
#define CSSPGO_TOOL_PROFGEN_H

#include "../shared/tool.h"
#include "../shared/recording.h"
#include "../../jitdump.h"

typedef struct profgen profgen;

/* ----- options.c: what the options say ---------------------------------------------------------------------------- */

enum { /* places in the table below */
    O_BINARY, O_PERFSCRIPT, O_PS_ALIAS, O_PERFDATA, O_PD_ALIAS, O_UNSYMBOLIZED, O_UP_ALIAS, O_PROFILE, O_OUTPUT,
    O_O_ALIAS, O_FORMAT, O_GCOV_VERSION, O_MD5, O_COMPRESS_ALL, O_PARTIAL, O_SPLIT, O_SKIP, O_USE_OFFSET,
    O_FIRST_LOADABLE, O_IGNORE_STACK, O_COMPRESS, O_DEPTH, O_INFER, O_SEARCH_DEPTH, O_FILL, O_PREINLINER, O_SIZES,
    O_REPLAY, O_HOT_INLINE, O_COLD_INLINE, O_GROWTH, O_LIMIT_MIN, O_LIMIT_MAX, O_AGAIN, O_MERGE_COLD, O_COLD_DEPTH,
    O_TRIM, O_NESTED, O_KEEP_BASE, O_CUTOFF_HOT, O_CUTOFF_COLD, O_HOT_COUNT, O_COLD_COUNT, O_DENSITY,
    O_DENSITY_CUTOFF, O_SHOW_DENSITY, O_SORT, O_SYMBOLS, O_TOTALS, O_PID, O_SHOW_MMAP, O_DEBUG_BINARY, O_KERNEL,
    O_DETAILS, O_SHOW_PROBES, O_LINES, O_DWP, O_DEBUG_SIZES, O_LEADING, O_EVENT, O_EVENTS, O_PERIOD, O_JITDUMP,
    O_PERF_MAP, O_SHOW_JIT, O_PREAGG, O_REPORT, O_SPE, O_BOGUS, O_IMAGE_BASE, O_PPROF,
    O_PPROF_TYPE, O_PERF_BINARY, O_IMAGES, O_MAX_DROPPED, O_MIN_DENSITY, O_EMPTY, O_COMPAT, O_QUIET, O_HELP, O_JSON,
    O_PREINLINED, O_RAW_DEPTH, O_VERSION, O_COMPOSITE, O_VTABLES, O_PAGE, O_DEBUG_DIRECTORY, O_THREADS, O_TID, O_COMM,
    O_TIME, O_CGROUP, O_NO_KERNEL, O_PROBE_SYMBOLS, O_MD5_SYMBOLS, O_DISASSEMBLE, O_DISASSEMBLE_FUNCTIONS,
    O_SOURCE_LOCATIONS, O_CANONICAL, O_SYNTAX, O_MULTI, O_LOAD_SYMBOLS, O_OBJECTS
};

enum {                            /* places in the choice of --format */
    FORMAT_EXTBINARY, FORMAT_TEXT, FORMAT_BINARY, FORMAT_GCC, FORMAT_GCOV, FORMAT_PREAGG, FORMAT_PREAGG_TRACES
};

typedef struct inputs {           /* the files that the options name                                                */
    const char *binary;           /* the program: what messages call it                                              */
    const char *perfscript, *perfdata, *unsymbolized, *sampled, *preagg, *pprof, *output;
    const char *path;             /* the input that is read now: then perfscript or perfdata, not both               */
    int         last;             /* ... and none follows                                                            */
} inputs;

extern const option profgen_options[];
const char *profgen_input(const option *o, size_t i);          /* number i of all; NULL behind the last               */
int jit_asked(const option *o);                /* 1 if profiles are of JITs' code                                     */
int preagg_wanted(const option *o);            /* 1 if samples become pre-aggregated text                             */
int pid_asked(const option *o, uint64_t pid);  /* 1 if --pid names it, or none                                        */
int pids_parse(const option *o);               /* 0: --pid is no list of numbers                                      */
int events_asked(const option *o);             /* 1 if some events are asked for                                      */
int flat_asked(const profgen *g);              /* 1 if an option is for scripts without call stacks                   */
int as_llvm(const profgen *g);                 /* 1 in compat mode, by line                                           */
int llvm_tells(const profgen *g);              /* 1 if messages are LLVM's                                            */
int details_wanted(const profgen *g);          /* 1 if the ranges of samples are to be noted                          */
int is_for_gcc(const profgen *g);              /* 1 if samples become a profile in GCC's form                         */
int is_gcov3(const option *o);                 /* 1 if the output is GCC's form of version 3, with files and times    */
int profgen_spares_file(const tool_context *tool, const option *o, const char *path);
int profgen_spares(const profgen *g);          /* 0 after saying which input would be written over                    */
csspgo_collector_options profgen_how(const profgen *g);
csspgo_unsymbolized_options profgen_raw(const profgen *g);
void profgen_idle(const profgen *g, int contexts);             /* says which options have no effect                   */

/* ----- reasons.c: what became of the samples of a process, or of a file ------------------------------------------- */

enum { HEALTH_DROPPED = 3, HEALTH_MENDED = 6 };

typedef struct health_counts {
    uint64_t samples, here;       /* here: the sampled address is in the program */
    uint64_t dropped[HEALTH_DROPPED], mended[HEALTH_MENDED];    /* by reason */
    uint64_t lost;                /* of files that are not given: samples of the program's processes */
} health_counts;

typedef struct health_count { const char *key, *text; uint64_t n; } health_count;

/* What a collector counted between two of its statistics; keep: samples with late stacks keep their branch records. */
health_counts health_between(const csspgo_collector_stats *before, const csspgo_collector_stats *now, int keep);
void health_add(health_counts *to, const health_counts *n);    /* adds these                                          */
uint64_t health_used(const health_counts *n);  /* those that were not dropped                                         */
void health_name_counts(const health_counts *n, health_count *dropped, health_count *mended);  /* they end with NULL  */
void health_json_keys(const health_count *c, const char *between, FILE *out);
void health_json_counts(const health_counts *n, FILE *out);    /* ' "samples": ..., ' and the counts by reason        */
uint64_t profgen_dropped(const csspgo_collector *c, const tool_context *tool, const option *o);   /* by a collector   */
const char *profgen_no_room(csspgo_status s);  /* what is said where a collector takes no more                        */

/* ----- tally.c: a table of the files in which samples fell -------------------------------------------------------- */

typedef struct tallied {          /* a file, or another name of a mapping */
    char         *path;
    int           given;          /* it is one of --binary */
    health_counts n;
} tallied;

typedef struct tally {
    recorded_files mapped;        /* their numbers; file has the same until it is shown */
    int            whole;         /* 0: the table is of files that are not given, it is not shown */
    csspgo_processes *spaces;     /* NULL: of the kernel's profile */
    tallied       *file;
    size_t         files, file_cap;
    long long     *at_program;    /* [jit], then each program: its number if samples fell in it without a mapping, else -1 */
    size_t         programs;
    health_counts  kernel, nowhere;
    health_counts *at;            /* of the last sample; NULL: it is not in the table */
    int            at_given;      /* ... it is in one of --binary */
} tally;

/* Those that return int give 0 without memory. A tally may be NULL for tally_mark, _set_mark, _spaces and _show. */
tally *tally_new(int whole);
int tally_spaces(tally *t);                    /* for a new recording                                                 */
int tally_event(tally *t, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map, int given);
int tally_sample(tally *t, const programs *p, const csspgo_sample *sample, const csspgo_sample *placed);
uint64_t tally_mark(const tally *t);           /* where the last sample is, for one that is taken later               */
void tally_set_mark(tally *t, uint64_t mark);
void tally_show(const tool_context *tool, tally *t);
void tally_json(tally *t, FILE *out);
void tally_free(tally *t);

/* ----- fit.c: whether recordings are of the program --------------------------------------------------------------- */

enum { FIT_BRANCHES, FIT_SAMPLED, FIT_CALLERS, FIT_STACKS, FIT_LEAVES, FIT_KINDS };

typedef struct fit_count { uint64_t n, bad; } fit_count;
typedef struct fit_area fit_area;

typedef struct fit {
    fit_count       now[FIT_KINDS], all[FIT_KINDS];   /* of the one that is read; of those before */
    fit_area       *area;
    size_t          areas;
    const char     *path;         /* NULL: all fit; else the first one that does not */
    size_t          kind;         /* ... because of these                          */
    fit_count       worst;
} fit;

int fit_due(unsigned long long samples);       /* 1 if the last one of so many is to be looked at                     */
int fit_sample(fit *f, const programs *p, const csspgo_sample *recorded, const csspgo_sample *placed,
               const uint32_t *files, int offsets);                               /* 0 without memory                 */
void fit_over(fit *f, const char *path, int known);            /* known: its build id is the program's                */
int fit_status(const tool_context *tool, const fit *f, const char *binary);       /* after saying it; 0: all fit      */
void fit_json(const fit *f, FILE *out);
void fit_free(fit *f);

/* ----- events.c: which of a recording's events count -------------------------------------------------------------- */

typedef struct event_row event_row;

typedef struct events {
    const tool_context *tool;     /* these two are set before anything is read                */
    const option *o;
    event_row *row, *past;        /* of this recording; of those before it, for the report    */
    size_t     rows, row_cap, pasts;
    uint64_t   unnamed;           /* samples that do not say of which event they are          */
    int        matched;           /* an event of the options was in some recording            */
} events;

/* Those that return int give 0 after saying what is wrong. */
int events_of_data(events *e, const csspgo_perfdata *data);
int events_of_script(events *e, const reader *r, const void *piece, size_t size, FILE *f);
int events_leave_out(events *e, const reader *r);
int events_take(events *e, const reader *r, csspgo_item item, const csspgo_sample *s);    /* failing: -1 */
int events_named(events *e, const char *name, size_t size);                               /* the same    */
int events_over(events *e, const reader *r, int last);
void events_json(const events *e, FILE *out);
void events_free(events *e);

/* ----- detail.c: which ranges ran, for --show-detailed-warning and for what LLVM says of ranges ------------------- */

typedef struct detail {           /* of distinct samples: a range between two branches, both inclusive; with start */
    uint64_t start, end;          /* UINT64_MAX: a return address without a call before it                         */
    uint64_t count;               /* how often it ran; saturates                                                   */
} detail;

typedef struct details {
    detail *v;
    size_t  count, cap;
    struct detail_cache *cache;   /* what was noted of late; NULL before the first one */
    uint64_t external;            /* samples whose leaf is in other code               */
} details;

int details_add(details *d, const programs *p, const csspgo_sample *s, int taken, int changes);    /* 0: no memory    */
void details_settle(details *d);
int details_flush(details *d);                 /* 0 without memory                                                    */
void details_show(const tool_context *tool, details *d, const programs *p);
void details_free(details *d);

/* ----- lines.c: programs without probes, by source line ----------------------------------------------------------- */

typedef struct line_work {        /* of one program, from its debug information to the lines of what ran            */
    const tool_context *tool;
    const option       *o;
    loaded             *image;
    const char         *path;
    debug_info         *debug, *functions;  /* of lines; of functions: the same, but as LLVM follows a link       */
    csspgo_line_table  *table;    /* of the first program: that of all                              */
    csspgo_size_table  *sizes;    /* the same; NULL: nobody asks for them                           */
    debug_places        code;     /* ran: the counters have an address in it                        */
    unsigned char      *sampled;  /* per function: 1 if an address of the counters is in it         */
    csspgo_frame       *frame;    /* scratch, as bytes                                              */
    uint64_t           *bytes;    /* per node of a unit                                             */
    size_t              frame_cap, byte_cap;
} line_work;

int is_by_line(const option *o, const loaded *l);      /* 1 if a program is to be profiled by source lines            */
int lines_load(line_work *w, const tool_context *tool, const option *o, program_image *m, char *why, size_t why_size);
void lines_free(line_work *w, size_t n);
line_work *lines_functions(const tool_context *tool, const option *o, program_image *m);  /* for lines_free; or NULL  */
csspgo_status lines_list_symbols(const line_work *w, csspgo_profile *p);
void lines_sampled(line_work *w, uint64_t address, uint64_t time);           /* the first sample of a function counts */
csspgo_status lines_first_samples(const line_work *w, csspgo_profile *p);

/* Of all programs, by the counters: lines into the table of the first one, sizes for the pre-inliner. */
csspgo_status lines_read(line_work *w, size_t n, csspgo_collector *c, csspgo_generate_options *how, csspgo_error *e);
csspgo_status lines_sizes(line_work *w, size_t n, csspgo_collector *c, const csspgo_profile *p);
csspgo_size_table *probe_sizes(const tool_context *tool, const option *o, program_image *m, csspgo_collector *c,
                               const csspgo_profile *p);

/* ----- llvm.c: what llvm-profgen 19 says, in its words ------------------------------------------------------------ */

void llvm_no_mapping(const tool_context *tool, const program_image *m);
void llvm_no_functions(const tool_context *tool);
int llvm_descriptors(const tool_context *tool, const loaded *l, int details);  /* 0 without memory                    */
int llvm_functions(const line_work *w);        /* 0 without memory                                                    */
void llvm_samples(profgen *g);
void llvm_density(const tool_context *tool, double density, double least);

/* ----- jit_code.c: which function of a process is at an address, at a time ---------------------------------------- */

/*
 * Functions come from jitdumps (with times and code) and perf maps (without). A process has a live set: what is where
 * now. jit_advance applies the records of the dumps up to a time, jit_event what the kernel says of processes, jit_at
 * looks an address up. So feed the items of a recording in the order of time.
 *
 * First the live sets: code by address, disjoint ranges, in blocks.
 */

enum { LIVE_BLOCK = 128 };

typedef struct live_range {
    uint64_t begin, end;          /* [begin, end)                                                      */
    uint64_t base;                /* where the code of the function begins                             */
    uint32_t function;            /* its number                                                        */
    uint32_t reserved;
} live_range;

typedef struct live_block {       /* never empty */
    uint32_t   count;
    uint32_t   sets;              /* that have it: a child has its parent's until one of them changes it */
    live_range range[LIVE_BLOCK];
} live_block;

typedef struct live_entry {
    uint64_t    begin;            /* of the block's first range */
    live_block *block;
} live_entry;

typedef struct live_set {
    live_entry *entry;            /* by address */
    size_t      count, cap;
} live_set;

/* Those that return an int fail with 0 when out of memory. live_at: NULL: nothing is there. */
const live_range *live_at(const live_set *s, uint64_t address);
int live_overlaps(const live_set *s, uint64_t begin, uint64_t end);          /* 1 or 0                           */
int live_remove(live_set *s, uint64_t begin, uint64_t end);                  /* all ranges that overlap, whole   */
int live_add(live_set *s, const live_range *r);                              /* nothing overlaps it              */
int live_copy(live_set *to, const live_set *from);                           /* to is empty                      */
void live_clear(live_set *s);


typedef struct jit_file {
    char      *path;
    file_bytes bytes;
    jitdump    dump;
    uint32_t   pid;               /* of the process as the recording knows it; 0: any                  */
    uint32_t   pid_inside;        /* ... and as it knows itself, if that is in a container             */
    int        is_map;
    int        columns;           /* V8: lines are behind by its header, discriminators are columns    */
    uint64_t   bad_lines;         /* of a map                                                          */
} jit_file;

typedef struct jit_function {     /* a record: from a time on code is there, or somewhere else; a map's line */
    uint64_t time;
    uint64_t offset;              /* of the record or line in its file                                 */
    uint64_t now;                 /* where it is; JITDUMP_MOVE: unused                                 */
    uint32_t debug;               /* its lines are in the record so many bytes before, 0: none         */
    uint32_t file;
    uint32_t kind;                /* JITDUMP_LOAD, JITDUMP_MOVE; JIT_MAP                               */
    uint32_t hit;                 /* for the user                                                      */
} jit_function;

enum { JIT_MAP = 1000 };
#define JIT_AMBIGUOUS 0xffffffffu /* a live_range.function: several, at different times */

typedef struct jit_process {
    uint32_t pid;
    int      has_map;             /* some of its code has no times                                     */
    live_set live;
} jit_process;

typedef struct jit_place {        /* without times: where a function was once                          */
    uint64_t begin, end;
    uint32_t pid, function;
} jit_place;

typedef struct jit_code {
    jit_file     *file;
    size_t        files, file_cap;
    jit_function *function;       /* by time                                                           */
    size_t        functions, function_cap, applied;
    uint32_t     *by_index;       /* JITDUMP_LOADs by file, code index and time; NULL: not made yet    */
    size_t        by_index_count;
    jit_process  *process;        /* by pid                                                            */
    size_t        processes, process_cap, last;
    size_t        inherited;      /* blocks that processes got by forks, all in all                    */
    uint64_t      not_inherited;  /* processes that got no code of their parent: there were too many   */
    int           untimed;        /* times cannot be compared: code counts where nothing else ever was */
    jit_place    *place;          /* untimed                                                           */
    size_t        places, place_cap;
} jit_code;

/* jit_add_file, for a dump or a map, returns 0 with a sentence in why. */
int jit_add_file(jit_code *j, const char *path, int is_map, char *why, size_t why_size);
int jit_load(const jit_code *j, uint32_t function, jitdump_record *r);       /* reads its record; 0: none        */
uint32_t jit_dump_of(const csspgo_mmap *map);                                /* N of its file jit-N.dump, or 0   */
uint64_t jit_file_bad(const jit_file *f);                                    /* records that make no sense       */
void jit_sort(jit_code *j);                                                  /* what is not applied yet          */
const char *jit_last_component(const char *path, size_t size);
void *jit_room(void *v, size_t count, size_t *cap, size_t size);
void jit_free(jit_code *j);

/* Those that return an int fail with 0 when out of memory. */
void jit_restart(jit_code *j);                                               /* before each recording; hit is 0  */
int jit_without_times(jit_code *j);                                          /* then, instead of jit_advance     */
int jit_is_due(const jit_code *j, uint64_t time);                            /* 1: jit_advance changes something */
int jit_advance(jit_code *j, uint64_t time);
int jit_event(jit_code *j, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map);
const live_range *jit_at(jit_code *j, uint32_t pid, uint64_t address);       /* NULL: no code of a JIT           */

/* ----- jit.c, jit_place.c, jit_samples.c: code of JITs instead of a program, or besides it ------------------------ */

enum { X86_64 = 62, AARCH64 = 183 };          /* ELF's numbers of machines */
#define JIT_FRESH (UINT64_C(1) << 62)         /* made-up places begin here */

typedef struct jit_row {          /* a line's code begins so many bytes behind the function's begin */
    uint32_t   offset;
    csspgo_loc loc;
} jit_row;

typedef struct jit_hit {          /* a function that has samples            */
    uint64_t    place;            /* in the code map; 0: not there          */
    csspgo_func func;             /* in jit_work.samples                    */
    jit_row    *row;              /* its lines, by offset                   */
    size_t      rows;
    uint64_t    counted;          /* jit_work.counted when it was in a stack */
} jit_hit;

typedef struct jit_rows {         /* lines of several functions             */
    struct jit_rows *next;
    size_t   used, cap;
    jit_row  row[1];
} jit_rows;

typedef struct jit_key {          /* of a sample that waits                 */
    uint64_t address;             /* of its innermost frame                 */
    size_t   at;                  /* in jit_batch.word                      */
} jit_key;

typedef struct jit_batch {        /* samples that wait, all at the same state of the code */
    uint64_t *word;               /* of each: process, count, number of frames, frames */
    size_t    words, word_cap;
    jit_key  *key, *sorted;       /* both have room for key_cap             */
    size_t    keys, key_cap;
} jit_batch;

typedef struct jit_work {
    const tool_context *tool;
    const option *o;
    reader    *r;                 /* of the recording; its programs have the code map */
    csspgo_collector *collector;
    jit_code *code;
    live_set  placed;             /* what is where in the code map          */
    uint64_t  fresh;              /* the next made-up place                 */
    jit_hit  *hit;
    size_t    hits, hit_cap;
    jit_rows *rows;               /* the newest first                       */
    jit_batch batch;
    csspgo_line_table *table;
    csspgo_profile *samples;      /* without branch records: counted as they come */
    uint64_t  counted;            /* of these, how many are in it           */
    uint32_t  newest;             /* function of samples                    */
    int       recursive;          /* some stack has a function twice, or functions have one name */
    uint64_t *stack;              /* of the sample that is placed           */
    csspgo_branch *branch;
    size_t    stack_cap, branch_cap;
    int       alone;              /* there is no program                    */
    int       automatic;          /* dumps are found by their mappings      */
    int       flat;               /* branch records say nothing             */
    int       started;            /* times of samples are known for what they are */
    int       cut_branches;       /* branch records were left out           */
    int       encoded;            /* names are not as the JIT gave them     */
    uint64_t  addresses, known, ambiguous;    /* of samples themselves      */
} jit_work;

/* jit_place.c. Both return NULL after saying what is wrong; the first gives a function no place in the map. */
jit_hit *jit_hit_of(jit_work *w, const live_range *at);
jit_hit *jit_placed(jit_work *w, const live_range *at);
csspgo_status jit_tell_lines(const jit_work *w, csspgo_line_table *table);

/* jit_samples.c: samples without branch records. jit_wait and jit_settle return 0 after saying what is wrong. */
int jit_wait(jit_work *w, const csspgo_sample *s);     /* s is to be counted before the code changes                  */
int jit_settle(jit_work *w);                   /* counts those that wait                                              */
csspgo_profile *jit_take_samples(jit_work *w);
csspgo_status jit_profile(jit_work *w, csspgo_profile *p, const csspgo_generate_options *how, csspgo_error *e);

/* jit.c: these return 0 after saying what is wrong; jit_begin with a sentence in why, of the file at *loading */
int jit_check(const tool_context *tool, const option *o);
void jit_defaults(option *o);
int jit_begin(jit_work *w, const char **loading, char *why, size_t why_size);
int jit_recording(jit_work *w, const void *bytes, size_t size);
int jit_sample(jit_work *w, csspgo_sample *s);
int jit_join(jit_work *w, const csspgo_sample *recorded, csspgo_sample *s);
int jit_item(jit_work *w, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map);
void jit_report(const jit_work *w);
void jit_work_free(jit_work *w);

/* ----- loss.c, loss_report.c: what of the samples is in the profile, and where the rest went ---------------------- */

/*
 * Each sample goes one way: into a function that the profile has (kept), or to one reason why not. So the numbers add
 * up: read = kept + of other processes + the sum of all reasons. The same for what ran, by the counters.
 */
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

enum { LOSS_ELSEWHERE, LOSS_OPEN, LOSS_KEPT };        /* in no function with probes or lines; in one; in the profile */

typedef struct loss_at { uint64_t address, n; int where; } loss_at;

typedef struct loss_image {
    loss_at *at;                  /* how many are at an address; some twice before they are sorted   */
    size_t   count, cap;
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

typedef struct loss {
    const programs  *programs;
    const line_work *lines;       /* of each program; NULL: they are by probe                    */
    tally           *tally;       /* of files; or NULL                                           */
    int        keep, leading;     /* --bogus-stacks=records, --leading-ip-only                   */
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
} loss;

/* loss.c: those that return int give 0 without memory. A loss may be NULL but for loss_sample. */
loss *loss_new(const programs *p, const line_work *lines, tally *t);
void loss_free(loss *l);
void loss_next(loss *l);                       /* before the next recording                                           */
int loss_event(loss *l, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map, int mapped);
int loss_sample(loss *l, const csspgo_sample *s, const csspgo_collector_stats *before,
                const csspgo_collector_stats *now);
csspgo_status loss_runs(loss *l, csspgo_collector *c, int quiet);      /* before the counters become a profile        */
void loss_made(loss *l, const csspgo_profile *p);      /* the first profile; then after each step, LOSS_CHECKSUMS ... */
void loss_step(loss *l, const csspgo_profile *p, int step);
int loss_end(loss *l, const csspgo_profile *p, double density);        /* p: the profile that is written, or NULL     */

/* loss_report.c */
extern const char *const loss_keys[LOSS_REASONS];
void loss_warnings(const profgen *g);
int loss_status(const profgen *g);             /* 3 after saying that too much is lost                                */
void loss_text(const loss *l, FILE *out);      /* a line of the report on a terminal                                  */
void loss_json(const loss *l, json *j);        /* members "loss" and "density"                        */
uint64_t loss_all(const loss_unit *u);         /* of the program's processes                                          */

/* ----- health.c, health_report.c: what became of the samples, and what to do better when recording ---------------- */

enum { HEALTH_DISTINCT = 5, HEALTH_ADVICE = 16, HEALTH_PROCESSES = 1000 };

typedef struct health_process {
    uint32_t      pid;            /* 0: samples that do not say of which process they are       */
    health_counts n;
} health_process;

typedef struct health {
    health_process *process;      /* by pid; what comes when there are HEALTH_PROCESSES: others */
    size_t          processes, last;
    health_counts   others, all;
    uint64_t        probed;       /* samples in a function that has probes                      */
    uint64_t        stacks, bare; /* of samples in the program: those with a call stack; of one frame */
    uint64_t        ends;         /* ... and with as many frames as the deepest one             */
    uint32_t        deepest;
    csspgo_processes_stats before; /* build ids of the recordings before */
} health;

typedef struct health_advice { const char *flag, *why; } health_advice;

typedef struct counts_read {      /* for the report on inputs that are no samples */
    uint64_t contexts, ranges, branches;     /* entries of raw counters                  */
    uint64_t lines, reversed;                /* of pre-aggregated text; those left out    */
} counts_read;

/* Those that return int give 0 after saying what is wrong. */
int health_wanted(profgen *g);                         /* --json; 0 after refusing it */
int health_begin(profgen *g);
void health_next(health *h, const csspgo_processes *spaces);   /* before the next recording */
void health_sample(health *h, const programs *p, const csspgo_sample *s, const health_counts *added,
                   health_counts *in_file, int flat);
csspgo_processes_stats health_builds(const health *h, const csspgo_processes *spaces); /* build ids of all recordings */
size_t health_advise(const profgen *g, const health *h, health_advice *a);
void health_distinct(const csspgo_collector *c, health_count *v);
void health_free(health *h);

int health_report(profgen *g);                         /* of samples, on a terminal and as JSON                       */
int counts_report(profgen *g, csspgo_profile *p);      /* of something else; p: the profile that is read, or NULL     */

/* ----- follow.c: the code map moved after mapping events, as LLVM's tool does it and for the kernel --------------- */

/* follow_base: --image-base. They return 0 after saying what is wrong. */
int follow_base(const tool_context *tool, const option *o, programs *p);
int follow_map(reader *r, const csspgo_mmap *map);

/* ----- samples.c: items of a recording into the collector --------------------------------------------------------- */

typedef struct counting {         /* what gets the samples, and what these were like */
    csspgo_collector  *collector;
    csspgo_aggregator *aggregator;   /* what gets those of --format=preagg, in its place */
    uint64_t           with_stack, one_frame; /* samples with a call stack; those of one frame */
    int                leaf_only;    /* the recording has no call stacks: that of a sample is its address */
    int                branches, stacks;      /* some sample has branch records; besides a call stack */
    int                flat;         /* the script has branch records and no call stacks */
    uint32_t           most_records;          /* branch records of a sample, without SPE's second one */
    uint64_t           unmapped, unmapped_hits;   /* samples before a mapping of the program; those in it */
    uint64_t           attempts;     /* what LLVM calls samples */
} counting;

/* Those that return int give 0 after saying what is wrong. */
uint64_t flat_weight(const programs *p, const option *o, const csspgo_sample *s);
int profgen_address(profgen *g, const csspgo_sample *sample);  /* a sample that the caller has made                   */
int profgen_items(profgen *g);                 /* all that the parser has ready                                       */
int profgen_release(profgen *g);               /* samples that wait for others                                        */

/* ----- flat.c, raw.c, preagg.c: inputs that are no recordings, or not as samples ---------------------------------- */

int flat_kind(const file_bytes *text);
int profgen_no_contexts(profgen *g);
int flat_read(profgen *g, const file_bytes *text, unsigned long long *samples);
int raw_read(profgen *g);
int preagg_feed(profgen *g);                   /* the lines that the parser has ready                                 */
void preagg_over(profgen *g);
void preagg_warnings(const profgen *g);

/* ----- input.c: programs and recordings, one by one. They return 0 after saying what is wrong --------------------- */

int profgen_load(profgen *g, char *why, size_t why_size);      /* with a sentence in why, of the file in.binary       */
int profgen_load_more(profgen *g, char *why, size_t why_size); /* all but the first program; the same                 */
int profgen_spaces(profgen *g);
int profgen_read_inputs(profgen *g);

/* ----- start_up.c: functions for initialisation are left out of a profile that is given ------------------------ */

csspgo_status start_up_drop(csspgo_profile *p);

/* ----- profile.c: from the counters' profile to the one that is written ------------------------------------------- */

csspgo_status profgen_finish(profgen *g, csspgo_profile *p);
csspgo_probe_set *profgen_probes(const loaded *program, char *why, size_t why_size);
csspgo_status profgen_list_symbols(const profgen *g, csspgo_profile *p);
csspgo_status profgen_profile(profgen *g, csspgo_profile *p, csspgo_error *e);
csspgo_status profgen_name(profgen *g, csspgo_error *e);       /* raw counters get names                              */
csspgo_status profgen_write_to(const profgen *g, csspgo_profile *p, csspgo_error *e);

/* ----- objects.c: --data-access-perftrace: types of objects by sampled data addresses ----------------------------- */

int objects_goes(const profgen *g);            /* 0 after saying why types are not counted                            */
int objects_count(profgen *g, csspgo_profile *p);      /* into the profile; 0 after saying what is wrong              */

/* ----- report.c: warnings, density, probe descriptors, the exit status -------------------------------------------- */

void profgen_warnings(profgen *g);
void profgen_density(const profgen *g, const csspgo_profile *p);
double profgen_density_of(const option *o, const csspgo_profile *p);   /* -1: out of memory */
int profgen_show_probes(const profgen *g);
int print_descriptors(const csspgo_probe_tables *t);       /* by GUID; 0 without memory */

/* ----- disassembly.c ---------------------------------------------------------------------------------------------- */

int profgen_disassemble(const tool_context *tool, const option *o);            /* the exit status                     */
int profgen_worth(const profgen *g, const csspgo_profile *p);

/* ----- preagg_output.c: --format=preagg, from the program and its samples to the output; the exit status ---------- */

int preagg_run(profgen *g);

/* ----- all parts -------------------------------------------------------------------------------------------------- */

struct profgen {
    const tool_context *tool;
    option       *o;
    inputs        in;
    programs      programs;
    loaded       *image;          /* the first of these */
    reader        reader;
    line_work    *lines;          /* what is read of the debug information, of each program; NULL: by probes */
    line_work    *words;          /* by probes, in compat mode: functions as the debug information has them, or NULL */
    csspgo_size_table *sizes;     /* by probes: what LLVM takes for the pre-inliner, or NULL */
    jit_work     *jit;            /* code of JITs is profiled; or NULL */
    int           jit_only;       /* ... and no program */
    counting      count;
    counts_read   read;
    tally        *tally;          /* NULL: in compat mode */
    fit           fit;
    events        events;
    filter       *filter;         /* which samples count; NULL: all                                                 */
    details       details;
    loss         *loss;           /* NULL: in compat mode, and without samples */
    health       *health;         /* of the report that is wanted; NULL: none */
};

#endif
