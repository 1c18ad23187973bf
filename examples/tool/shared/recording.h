/* recording.h - recordings of programs: perf.data, the text of perf script, profiles of pprof, pre-aggregated text
 *
 * The programs are in one code map. A reader takes recordings of them one after the other, and hands out items: samples
 * and events as they were recorded. reader_event and reader_place relate these to the code map, reader_fold gives the
 * samples that are ready to count. What they count for is the caller's.
 */
#ifndef CSSPGO_TOOL_RECORDING_H
#define CSSPGO_TOOL_RECORDING_H

#include "../debug/debug.h"
#include "tool.h"

/* ----- programs.c: the programs of one run ------------------------------------------------------------------------ */

enum { IMAGE_BITS = 44 };         /* programs of one run are so far apart, above any file's link-time addresses      */

typedef struct program_image {    /* one of --binary                                                                 */
    const char *path;             /* as messages call it                                                             */
    loaded      loaded;           /* in the code map of the first                                                    */
    debug_info *lines;            /* where counts are by line, whoever opened it; NULL: they are by probe             */
} program_image;

typedef struct stubs { uint64_t begin, end; } stubs;   /* a section of them, where the code map has it               */

typedef struct programs {
    program_image *v;
    size_t         count;         /* at least 1; of code of JITs alone v->loaded has the code map and nothing else   */
    csspgo_processes *spaces;     /* who moves samples to the code map; NULL: the code map is moved instead          */
    uint64_t       bias;          /* ... so far: run-time - link-time address                                        */
    stubs         *stub;
    size_t         stubs;
    csspgo_branch *branch;        /* of the last sample with joined branches                                         */
    size_t         branch_cap;
} programs;

/*
 *   programs_begin   room for n programs, none of which is open yet; 0 without memory
 *   programs_stubs   finds the stubs of all, once all are open; 0 without memory
 *   programs_spaces  address spaces for a new recording, as none is known; 0 without memory
 *   programs_pprof   a parser of pprof's profiles of them; type: of value, or NULL; NULL without memory
 *   programs_join    joins each branch of a sample into a stub with the stub's own; 0 without memory
 *   programs_number  of the one that an address of the code map is in; 0: the first, or none
 *   programs_at      the same; makes the address that of its own file
 *   is_code          1 if an instruction begins at an address of the code map
 *   is_source        1 if a branch may come from it
 *   sampled_address  where a sample in the code map is: in user code if it has a frame there
 *   repeats_of       how many samples of the recording it is
 */
int programs_begin(programs *p, size_t n);
int programs_stubs(programs *p);
int programs_spaces(programs *p);
void programs_free(programs *p);
csspgo_pprof *programs_pprof(const programs *p, const char *type);
int programs_join(programs *p, csspgo_sample *s);
size_t programs_number(const programs *p, uint64_t address);
const loaded *programs_at(const programs *p, uint64_t *address);
int is_code(const programs *p, uint64_t address);
int is_source(const programs *p, uint64_t address);
uint64_t sampled_address(const programs *p, const csspgo_sample *s);
uint64_t repeats_of(const csspgo_sample *s);

/* ----- interrupt.c: the first SIGINT ends the input, the second one the program ----------------------------------- */

int interrupted(void);                         /* 1 after SIGINT                                                      */
void catch_interrupt(int flags);               /* flags: whether system calls go on after the first (SA_RESTART)      */
void hold_interrupt(int how);                  /* SIG_BLOCK before a file is written, SIG_UNBLOCK behind it           */

/* ----- recording.c ------------------------------------------------------------------------------------------------ */

typedef enum recording_kind { RECORDING_DATA, RECORDING_SCRIPT, RECORDING_PPROF, RECORDING_PREAGG } recording_kind;

typedef struct packed packed;
typedef struct filter filter;
typedef struct parsing parsing;

typedef struct reader_options {
    int         as_llvm;          /* scripts have the fields that LLVM's tool takes, as it takes them                 */
    int         kernel;           /* the program is the kernel                                                        */
    int         several;          /* recordings: one of them may be of another program                                */
    int         has_base;         /* it is known where the program was                                                */
    int         no_stacks;        /* call stacks do not count                                                         */
    int         in_turn;          /* samples never wait for later ones                                                */
    uint32_t    memory_bytes;     /* of the parser of a script: equal samples may come once, later than in the text   */
    const option *threads;        /* how many: more than one, and another parses a script; NULL: one                  */
    const char *perf_binary;      /* what the program was called; NULL: as it is called now                           */
    uint64_t    page;             /* --page-size                                                                     */
    const char *pprof_type;       /* the type of value of a profile of pprof that counts; or NULL                     */
    const char *packed;           /* split debug information of the programs; or NULL                                 */
    int         text;             /* they are text of perf script                                                     */
    int         pprof;            /* they are of pprof, whose parser inflates them itself, or of gperftools           */
    int         both;             /* perf.data: reader_kernel is asked                                                */
    filter     *filter;           /* which samples count; NULL: all                                                   */
} reader_options;

typedef struct mapped_file mapped_file;
typedef struct renamed renamed;
typedef struct inlined_work inlined_work;

typedef struct reader {           /* all zero but for the first three members, which the caller sets                  */
    const tool_context *tool;
    programs          *programs;
    reader_options     how;
    /* the recording that is read */
    const char        *path;
    csspgo_script     *script;    /* one of these four                                                               */
    csspgo_perfdata   *data;
    csspgo_pprof      *pprof;
    csspgo_preagg     *preagg;
    csspgo_perfdata   *tail;      /* has read what stands behind the data; NULL once the first chunk is read          */
    csspgo_perfdata   *kernel;    /* the same as data, with the kernel's part of stacks; NULL: nobody asks           */
    csspgo_sample      in_kernel; /* the last sample of it                                                           */
    FILE              *file;
    parsing           *parsing;   /* the script is parsed by another thread; NULL: by this one                       */
    packed            *unpacks;   /* it is compressed; NULL: it is not                                               */
    unsigned char     *converted; /* NULL, or what the file is read from in its place                                */
    int                twice;     /* it can be read twice                                                            */
    unsigned long long total;     /* its bytes if these are known, else 0                                            */
    unsigned long long bytes, samples, sampled;   /* sampled: bytes when the number of samples was seen to grow      */
    const char        *chunk;     /* the bytes that are read now                                                     */
    size_t             size;
    progress           shown;
    int                began, fed, ended;      /* the first chunk is read; the parser has it; it has the end          */
    int                mapped;    /* a mapping event for the program was seen                                        */
    uint32_t           mapped_pid;                 /* follow.c: of which process it was the last time, and where      */
    uint64_t           mapped_at;
    int                ids_read;  /* the build ids behind the data were read before it                               */
    int                pidless;   /* some sample does not say of which process it is                                 */
    mapped_file       *mapping;   /* as long as no mapping is the program's: what was mapped                         */
    size_t             mappings;
    renamed           *renamed;   /* which files of the recording are programs of other names; or NULL               */
    unsigned char      id[20];    /* of a mapping that is meant to be of another file than the event says            */
    /* of all recordings */
    inlined_work      *inlined;   /* of text: what is inlined at addresses of frames; NULL: nobody asked             */
    uint64_t           lost;      /* samples that the kernel lost                                                    */
    uint64_t           guests;    /* samples of guests of the machine                                                */
    int                user_stacks;            /* some event has copies of stacks (perf record --call-graph dwarf)   */
    int                partial;   /* SIGINT came before the end of the input                                         */
} reader;

/*
 * In this order, for each recording; those that return an int fail with 0 after saying what is wrong, if nothing else
 * is said here; -1 comes after saying what is wrong.
 *
 *   reader_open      the file; text: NULL, or its bytes, which outlive the reading of it
 *   reader_begin     the parser; if the file can be read twice, looks ahead: which mapped file is which program
 *   reader_parse     in place of these two: the parser alone, for reader_feed; r->path is set
 *   reader_first     reads the first chunk; reader_more does it where nobody wants to look at that one
 *   reader_more      reads on: 1 if the parser has got something, or the end; 0: all is read; -1
 *   reader_feed      in place of reader_more: a piece of it, none at the end
 *   reader_item      the next item of the parser; 0: it needs more; -1. Samples that the filter leaves out are not given
 *   reader_kernel    how.both: the kernel's part of the last sample's stack; its innermost frame is where it was taken
 *   reader_names     the names of events that stand behind the data, and the file from its beginning again
 *   reader_close     also if something failed
 *
 * Before that, of a recording that was read:
 *
 *   reader_has_nothing      1 after saying that it is the file of perf record --threads that has all but the samples
 *   reader_warnings         says what in it made no sense; adds up `lost` and so on
 *   reader_fits             0 after saying that it is of another program, by its build ids
 *   reader_without_mapping  no mapping is the program's: 0 after saying that this is an error
 *   reader_no_mapping       ... a warning
 *   reader_stopped          a warning that SIGINT came after so many bytes
 *
 * For items: reader_event takes one that is no sample into account; was_mapped: the event is a mapping of a program;
 * meant: what the mapping is in truth. reader_place moves a sample to the code map, files: of its frames, or NULL.
 */
int reader_open(reader *r, const char *path, const file_bytes *text);
int reader_begin(reader *r, recording_kind kind);
int reader_parse(reader *r, recording_kind kind);
void reader_first(reader *r);
int reader_more(reader *r);
void reader_feed(reader *r, const void *piece, size_t size);
int reader_item(reader *r, csspgo_item *item, csspgo_sample *sample, csspgo_mmap *map);
const uint64_t *reader_kernel(const reader *r, uint32_t *frames);
int reader_names(reader *r);
int reader_event(reader *r, csspgo_item item, const csspgo_sample *sample, const csspgo_mmap *map, int *was_mapped,
                 csspgo_mmap *meant);
csspgo_status reader_place(reader *r, csspgo_sample *sample, const uint32_t *files);
int reader_has_nothing(const reader *r);
int reader_fits(const reader *r);
int reader_without_mapping(const reader *r);
void reader_no_mapping(const reader *r);
void reader_warnings(reader *r);
void reader_stopped(reader *r, unsigned long long bytes);
unsigned long long reader_samples(const reader *r);            /* in the recording so far                             */
const char *reader_why(const reader *r);       /* why the file cannot be read on                                      */
void reader_close(reader *r);
void reader_free(reader *r);                   /* after the last one                                                  */

/*
 * inlined.c: reader_fold takes a sample of the code map, with a number of the caller's; then reader_folded gives those
 * that are ready until there is none (0) or there is no memory (-1, which is said). reader_release: the rest is ready,
 * too; at the end of a recording.
 */
int reader_fold(reader *r, const csspgo_sample *placed, uint64_t mark);
int reader_folded(reader *r, csspgo_sample *sample, uint64_t *mark);
void reader_release(reader *r);

/* ----- parsing.c: a script is read and parsed by a thread of its own ------------------------------------------------ */

enum { READING_CHUNK = 1 << 18 };  /* bytes that are read at once                                                    */
typedef enum reading_end { READING_ON, READING_OVER, READING_STOPPED, READING_FAILED } reading_end;

/*
 *   parsing_begin   script has its first piece, and is the thread's if there is one; NULL: there is none. bytes, total:
 *                   of the file, read so far; all
 *   parsing_next    the next batch; end: READING_ON, or why it is the last: the end of the file, SIGINT, or an error
 *                   (errno), bytes: of the file, read when it was made
 *   parsing_taken   the batch is read
 *   parsing_end     ends the thread
 */
parsing *parsing_begin(csspgo_script *script, FILE *file, unsigned long long bytes, unsigned long long total);
const csspgo_script_batch *parsing_next(parsing *p, unsigned long long *bytes, reading_end *end);
void parsing_taken(parsing *p);
void parsing_end(parsing *p);

/* ----- packed.c --------------------------------------------------------------------------------------------------- */

/*
 * What is to be read in place of a file, which is its own from now on: the file itself, or one that inflates it
 * (*made). twice: it can be read again; else nothing is read yet. NULL after saying what is wrong. packed_why: why reading has failed, if that is not in errno; or NULL.
 */
FILE *packed_open(const tool_context *tool, const char *path, FILE *from, int twice, packed **made);
const char *packed_why(const packed *p);

/* ----- files.c ---------------------------------------------------------------------------------------------------- */

#define FILES_BASE ((uint64_t)1 << 62)         /* of the files in the code map: no address of a program or a kernel   */
enum { FILES_MOST = (1 << 18) - 2 };           /* more would reach the kernel's addresses: they are one file          */

typedef struct recorded_files {   /* that are mapped, given to a command or not */
    csspgo_code    *code;         /* its modules are the files, each one segment of 2^44 bytes at the file's offsets  */
    csspgo_profile *paths;
} recorded_files;

/*
 *   files_begin    0 without memory; files_free is called then, too
 *   files_number   of a file, from 0, in the order in which they were first asked for; -1 without memory
 */
int files_begin(recorded_files *f);
void files_free(recorded_files *f);
long long files_number(recorded_files *f, const char *path, size_t size);

/* ----- trace.c ---------------------------------------------------------------------------------------------------- */

/*
 * What is to be read in place of a text, which is its own from now on: the text itself or, of a trace of branches, lines
 * of branch records. twice: it can be read again. NULL after saying what is wrong. trace_is: 1 if the first bytes are
 * those of a trace.
 */
FILE *trace_open(const tool_context *tool, FILE *from, int twice);
int trace_is(const char *text, size_t size);

/* ----- filter.c --------------------------------------------------------------------------------------------------- */

#define SAMPLE_FILTERS \
    OPTION("tid", OPT_LIST, NULL, 0, "TID", "only samples of this thread"), \
    OPTION("comm", OPT_LIST, NULL, 0, "NAME", "only samples of threads of this command, as perf calls it"), \
    OPTION("time", OPT_TEXT, NULL, 0, "FROM,TO", \
           "only samples between these times, in seconds as perf script prints them"), \
    OPTION("cgroup", OPT_LIST, NULL, 0, "PATH", \
           "only samples of this control group and those below it; of perf.data of perf record --all-cgroups"), \
    OPTION("exclude-kernel", OPT_SWITCH, NULL, 0, NULL, "leaves out samples that were taken in the kernel")
#define SAMPLE_FILTERS_MORE \
    OPTION("pid", OPT_LIST, NULL, 0, "PID", "only samples of this process"), \
    OPTION("event", OPT_LIST, NULL, 0, "NAME", "only samples of this event")

typedef struct filter_sample {    /* what is looked at of a sample */
    uint64_t time, count;
    uint32_t pid, tid;
    int      comm_wanted, event_wanted, in_kernel, cgroup_wanted;
} filter_sample;

/*
 *   filter_open      by the options of the command, *made: NULL if none is given; 0 after saying what is wrong
 *   filter_next      before the next recording
 *   filter_event     an item that is no sample; 0 after saying what is wrong
 *   filter_takes     1 if a sample counts, 0 if it is left out, which is counted; data: the recording that it was the
 *                    last one of, NULL: text; _stack: of text with names
 *   filter_tell      what was left out of a recording; 0 after saying that nothing could count
 *   filter_json      what was left out of all, as a member of an object; nothing without filters
 */
int filter_open(const tool_context *tool, filter **made);
void filter_free(filter *f);
int filter_asks_kernel(const filter *f);
int filter_asks_event(const filter *f);
void filter_next(filter *f);
int filter_event(filter *f, csspgo_item item, const csspgo_sample *s, const csspgo_mmap *map);
int filter_lacks_event(const filter *f, uint32_t number);          /* 1: nobody has said what it is called            */
void filter_knows_event(filter *f, uint32_t number, const char *name, size_t size);
int filter_takes(filter *f, const csspgo_sample *s, int in_kernel, const csspgo_perfdata *data);
int filter_takes_named(filter *f, const filter_sample *s);
int filter_takes_stack(filter *f, const csspgo_stack *s);
int filter_tell(filter *f, const char *path);
void filter_json(const filter *f, FILE *out);

/* ----- parts of the reader ---------------------------------------------------------------------------------------- */

/* mapped.c: the files that a recording has mapped. mapped_complain: 1 if an error was said. */
void mapped_add(reader *r, csspgo_item item, const csspgo_mmap *map);
int mapped_complain(const reader *r);
void mapped_forget(reader *r);
size_t mapped_name(char *to, const char *path, size_t room);   /* without what a terminal obeys; returns the size     */

/* renamed.c: those that return int give 0 after saying what is wrong. renamed_map: id has room for 20 bytes. */
int renamed_begin(reader *r);
void renamed_see(reader *r, csspgo_item item, const csspgo_sample *s, const csspgo_mmap *map);
int renamed_ahead(reader *r, const void *piece, size_t size, FILE *f);   /* before the recording is read              */
csspgo_mmap windows_map(const programs *p, csspgo_item item, const csspgo_mmap *map);
csspgo_mmap renamed_map(reader *r, csspgo_item item, const csspgo_mmap *map, unsigned char *id);
int renamed_forced(const reader *r);           /* 1: a mapping was taken although neither name nor id says so         */
void renamed_free(renamed *x);

void inlined_free(inlined_work *w);

#endif
