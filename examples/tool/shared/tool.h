/* tool.h - what the commands of the tool share: the room of main.c, which ties them together
 *
 * On the way in: options.c (command line), kinds.c (what a file is), program.c, program_symbols.c, source.c and
 * external.c (programs), read.c, contextual.c, names.c, named.c (profiles). On the way out: messages.c, progress.c,
 * help.c, help_man.c (for people), output.c (files that appear whole), write.c, text.c, safe.c (without what a terminal
 * obeys), json.c. limit.c (output of a given size) needs the library only; probed.c is for commands that count blocks in contexts. library.c is the library.
 */
#ifndef CSSPGO_TOOL_TOOL_H
#define CSSPGO_TOOL_TOOL_H

#include "../library.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The tool as it was called: what every command and whatever prints or fails is told. */
typedef struct tool_context {
    const char *program;          /* what it is called in messages                                                   */
    FILE       *out, *err;        /* standard output and error, or what stands in for them                           */
    int         quiet;            /* --quiet: no warnings, no progress                                               */
    int         demangle;         /* names are shown as people write them: no --no-demangle, no --llvm-compat         */
    struct demangler_command *demangler;   /* --demangler; NULL: none                                                */
    int         allow_empty;      /* --allow-empty: what is of no use is a warning                                   */
    int         compat;           /* --llvm-compat=N, 19 to 23: bytes, messages and statuses are those of LLVM's tool */
    struct option *o;             /* of the command, once they are parsed; main frees them                           */
    int         behind;           /* options_parse: how many words stood behind --                                   */
} tool_context;

/* demangler.c: names as people write them */
typedef struct demangler_command demangler_command;
demangler_command *demangler_start(const tool_context *tool, const char *command);    /* NULL after saying why not   */
void demangler_end(demangler_command *d);

/*
 * Writes a name at out, which has room for cap bytes, as people write it: the answer of --demangler's command, or else
 * demangle_clean's. Returns its size; 0: as it is, that is, with --no-demangle or because it is longer than cap.
 */
size_t shown_name(const tool_context *tool, const char *name, size_t size, char *out, size_t cap);

typedef struct nearest {          /* of the names that were tried, the one with the fewest differences from `word` */
    const char *word, *name;      /* name: NULL if all are too far; neither need be terminated                     */
    size_t      size, name_size;  /* of word, of name                                                              */
    unsigned    distance;         /* of name; at first, what is too far                                            */
} nearest;

/* 1 where there are POSIX threads; those of older C libraries need -lpthread. */
#if defined(_POSIX_THREADS) && _POSIX_THREADS > 0 && !defined(TOOL_WITHOUT_THREADS)
#  define TOOL_THREADS 1
#else
#  define TOOL_THREADS 0
#endif

/* What is written: into memory for a descriptor, else to a file of a given name. */
typedef struct writer {
    csspgo_status (*bytes_fn)(const void *what, void *buf, size_t cap, size_t *size, csspgo_error *e);
    csspgo_status (*file_fn)(const void *what, const char *name, csspgo_error *e);
    const void *what;
} writer;

typedef enum option_kind {
    OPT_TEXT,                     /* `values` is the default                                                 */
    OPT_LIST,                     /* may be given several times, all count: option.list                      */
    OPT_SWITCH,                   /* on or off                                                               */
    OPT_NUMBER,                   /* signed                                                                  */
    OPT_COUNT,                    /* unsigned, 64 bits; 0x, 0b and 0 begin other bases                       */
    OPT_PERCENT,                  /* 0 to 100, with or without %: option_percent                             */
    OPT_MAYBE,                    /* OPT_COUNT, or a word of `values`, that may be left out: text is then "" */
    OPT_CHOICE,                   /* one word of `values`, "a|b|c"                                           */
    OPT_SET,                      /* gives the option `values` its own number                                */
    OPT_ALIAS,                    /* of the option `values`                                                  */
    OPT_IGNORED,                  /* a switch without effect on sample profiles                              */
    OPT_LATER,                    /* refused by name, but for the value `values`, which asks for nothing     */
    OPT_REFUSED,                  /* `values` says why; number 1: a switch, =0 asks for nothing              */
    OPT_ELSEWHERE                 /* of another program: `values` says what does it here                     */
} option_kind;

typedef struct option {
    const char  *name;
    option_kind  kind;
    const char  *values;          /* see kind                                                                */
    long long    number;          /* the default, then the value; OPT_COUNT: to be cast; OPT_CHOICE: its place */
    const char  *argument;        /* what help calls the value; NULL: it has none, or `values` or 0|1 say it */
    const char  *help;            /* what it does; NULL: nothing, or an alias, or what is not there          */
    const char  *text;            /* as given; NULL = not given                                              */
    const char **list;            /* OPT_LIST                                                                */
    size_t       count;
    int          given;           /* it was on the command line                                              */
} option;

/* threads.c: --num-threads for so many bytes of input; NULL: one. Never more than THREADS_MOST. */
enum { THREADS_MOST = 64 };
unsigned threads_asked(const tool_context *tool, const option *o, unsigned long long bytes);

#define NUM_THREADS(work, what) OPTION("num-threads", OPT_COUNT, NULL, 0, "N", \
    "threads that " work "; the result is the same for any number. 0 (default): as many as there are processors if " \
    what " more than 64 MB, else one")
#define DEBUG_BINARY OPTION("debug-binary", OPT_LIST, NULL, 0, "FILE", \
    "a file of the same build that has what the program lacks: symbols, debug information, probes")
#define DEBUG_DIRECTORY OPTION("debug-file-directory", OPT_LIST, NULL, 0, "DIR", \
    "where debug files are looked for: DIR/.build-id/xx/yyyy.debug and DIR/usr/bin/NAME.debug; by default in " \
    "/usr/lib/debug. Files beside the program and in its .debug directory are always found")
#define NO_DEMANGLE OPTION("no-demangle", OPT_SWITCH, NULL, 0, NULL, \
    "prints names as the compiler wrote them, not demangled")
#define DEMANGLER OPTION("demangler", OPT_TEXT, NULL, 0, "COMMAND", \
    "the names of this program, which answers each line with a line (swift demangle, ddemangle, c++filt): for names that " \
    "csspgo does not know")
#define ALLOW_EMPTY OPTION("allow-empty", OPT_SWITCH, NULL, 0, NULL, \
    "ends with status 0 even if the result is empty")

/* Of LLVM 22 and later: sample-profile-format-version, what extbinary_newer takes, comes first. */
#define EXTBINARY_NEWER                                                                                            \
    OPTION("sample-profile-format-version", OPT_CHOICE, "103|104|105", 0, NULL, \
           "the version of ExtBinary; LLVM 19 to 22 read 103 only, the main branch of LLVM also 105"), \
    OPTION("extbinary-composite-prof", OPT_SWITCH, NULL, 0, NULL, \
           "with version 105: puts counts in typed blocks. Blocks of types that only newer LLVM knows are kept " \
           "if there is one input and nothing is changed in it"), \
    OPTION("extbinary-write-vtable-type-prof", OPT_SWITCH, NULL, 0, "0|1", \
           "ExtBinary: writes counts of object types, if there are any; LLVM 19 to 21 misread them. With " \
           "--llvm-compat they are written only on request")

/* A row of a command's table, and the row behind the last one. */
#define OPTION(name, kind, values, number, argument, help) \
    { name, kind, values, number, argument, help, NULL, NULL, 0, 0 }
#define OPTIONS_END OPTION(NULL, OPT_TEXT, NULL, 0, NULL, NULL)

typedef struct progress {
    int    on;
    double began, next;           /* seconds                                       */
    unsigned long long total;     /* bytes, 0 = unknown                            */
} progress;

typedef struct output {
    const char *name;             /* what to open and write: the temporary or special file; NULL: a descriptor */
    FILE       *file;             /* output_stream: NULL before                                                */
    char       *target;           /* the file that is meant, behind all links; NULL: a descriptor              */
    char       *temporary;        /* NULL: the target is written directly                                      */
    struct stat old;              /* of the target, if it is replaced                                          */
    int         replaces;
    int         fd;               /* of the temporary file, or the descriptor to write to                      */
} output;

#define OUTPUT_TEMPORARY ".csspgo-"   /* names of temporary files begin with it */

typedef struct reading {          /* how the inputs are read */
    int      is_fs;               /* --profile-isfs                                          */
    uint32_t mask;                /* --fs-discriminator-pass: bits of a discriminator to keep */
    int      go_on;               /* --failure-mode=all, warn: a bad input is a warning      */
    int      takes_empty;         /* 1: a text without a function is an empty profile        */
    uint32_t form;                /* of the last one that was read: CSSPGO_TEXT ...          */
    int      contextual;          /* 1: the last one that was read is a contextual profile   */
    int      keeps;               /* 1: it may be written with blocks of unknown types       */
    int      files;               /* 1: names keep the source files that GCC's version 3 has */
    struct name_table *names;     /* of functions in these; NULL: they are not read          */
    csspgo_profile *ready;        /* the next input, if another thread has read it; else NULL */
} reading;

enum { PASSES = 5 };
extern const char pass_names[];

/* An option of every command that has it in its table: read by main.c */
#define LLVM_COMPAT                                                                                                \
    OPTION("llvm-compat", OPT_MAYBE, "19|20|21|22|23|0|1|false|true", 0, "N",                                      \
           "has the output, the messages and the exit statuses of LLVM N's tool; N is 19 to 22, or 23 for "            \
           "the main branch, by default 19")

/* A command: what is behind its name on the command line goes to run_fn, which returns the exit status. */
typedef struct command {
    const char   *name;
    int         (*run_fn)(tool_context *tool, int argc, char **argv);
    const option *options;
    const char   *words;          /* what may stand behind its name, "a|b|c"; NULL: nothing but files and options    */
    const char   *usage;          /* "csspgo NAME ..." and further lines                                             */
    const char   *brief;          /* what it does, one sentence                                                      */
    const char   *notes;          /* what else there is to know, one line a paragraph; or NULL                       */
} command;

extern const command profgen_command, record_command, merge_command, show_command, overlap_command, folded_command,
    flame_command, match_command, check_command, order_command, ctxprof_command, bottleneck_command, annotate_command;

/* main.c: the command at a place, NULL behind the last one */
const command *command_at(size_t i);

/* main.c: a command with options of its own, as if it was called: what a command needs of another one. The status. */
int command_run(tool_context *tool, const char *name, int argc, char **argv);

/* help.c, help_man.c: help, manual pages and completion, all of the commands and their tables. They return 0. */
int help_print(const tool_context *tool, const command *one);   /* of one command, NULL: which there are              */
int help_man(const tool_context *tool, const command *one);     /* its page, NULL: that of the program                */
int help_bash(const tool_context *tool);
int help_is_listed(const option *o);                            /* 1: it does something and is no alias               */
int help_is_ignored(const option *o);                           /* 1: it is taken and does nothing                    */
int help_is_refused(const option *table, const option *o);      /* 1: LLVM's tool has it, this one does not           */
const char *help_argument(const option *o);                     /* its value; NULL: it has none                       */
size_t help_default(const option *o, char *text, size_t size);  /* " (default ...)", or nothing                       */
void help_words(FILE *out, const char *text, size_t at, size_t indent);    /* help.c: a line of text, wrapped        */
int inputs_print(const tool_context *tool);                     /* inputs.c: what is taken, by which command; 0      */
void inputs_each(void (*row_fn)(FILE *out, const char *have, const char *command, const char *get), FILE *out);
extern const char help_statuses[];                              /* of the whole program, one line each                */
const char *help_examples(const char *command);                 /* help_text.c: a command and what it does, in turn   */
const char *help_group(size_t i);                               /* title of a group of options; NULL: no more         */
size_t help_group_of(const command *c, const option *o);        /* the group that an option stands in                 */

/* messages.c: one line each on tool->err, what LLVM's tools print with --llvm-compat. Returned is the exit status. */
int fail(const tool_context *tool, const char *format, ...);      /* 1: an input or output is at fault                */
int hopeless(const tool_context *tool, const char *format, ...);  /* 3: done and written, and of no use; 0 if allowed */
int missed(const tool_context *tool, const char *format, ...);    /* 3: ... and not as good as an option asks for     */
int usage(const tool_context *tool, const char *format, ...);     /* usage_status(): the command line is at fault     */
int usage_status(const tool_context *tool);                       /* 2; LLVM's is 1                                   */
void warn(const tool_context *tool, const char *format, ...);     /* nothing with --quiet                             */
void note(const tool_context *tool, const char *format, ...);     /* the same, for what is no warning                 */
const char *plain(const csspgo_error *e);                         /* its message, for people who call no function     */
int fail_at(const tool_context *tool, const char *path, const csspgo_error *e);   /* FILE:LINE:COLUMN: message        */
char *build_text(const unsigned char *id, size_t size, char *to);   /* a build id in digits; room for 41 bytes; to   */

/*
 * kinds.c: what is said about a file whose first bytes are of another kind than the command takes; NULL: nothing. An
 * option says what its file is, and first bytes may be those of two kinds (a function may be called BZh, a process <svg):
 * so they are looked at only when the file could not be read, for a better message. kind_of: of a regular file, nothing
 * with --llvm-compat. The others return the exit status after saying that, or why or e. kind_unknown: 1 with a sentence
 * in words if a text that is no profile at its beginning, or has a NUL byte, is of no known form.
 */
enum {
    KIND_OTHER = 0, KIND_PROFILE = 1, KIND_PROGRAM = 2, KIND_PERFDATA = 4, KIND_SCRIPT = 8, KIND_GZIP = 16,
    KIND_JITDUMP = 32, KIND_TRACES = 64, KIND_CONTEXTUAL = 128, KIND_PPROF = 256,
    KIND_COUNTERS = 512
};
const char *kind_words(const void *data, size_t size, unsigned takes);
const char *kind_of(const tool_context *tool, const char *path, unsigned takes);

/* Of a file with names in its lines: returns 0 after saying what it is if it is no text; 1 with --llvm-compat. */
int kind_is_lines(const tool_context *tool, const char *path, const void *data, size_t size);
enum { KIND_UNKNOWN = 280 };
int kind_unknown(const void *data, size_t size, const csspgo_error *e, char *words, size_t words_size);
int kind_fail(const tool_context *tool, const char *path, unsigned takes, const char *why);
int kind_fail_at(const tool_context *tool, const char *path, unsigned takes, const csspgo_error *e);
int kind_program_fail(const tool_context *tool, const char *path, const option *debug, const char *why);

/* What a misspelt word may have meant: nearest_to, then nearest_try for every word that there is. */
nearest nearest_to(const char *word, size_t size);
void nearest_try(nearest *n, const char *name, size_t size);

/* write.c */
int is_for_terminal(const char *path, csspgo_error *e);     /* before bytes are written that are no text            */
csspgo_status write_output(const writer *w, const char *path, csspgo_error *e);
#define GCOV_VERSIONS "llvm|1|2|3"
enum { GCOV_DEFAULT = 2 };                     /* place of "2" */
uint32_t gcov_form(int version);
uint32_t extbinary_newer(const tool_context *tool, const option *o);
csspgo_status write_profile(csspgo_profile *p, const char *path, uint32_t form, csspgo_error *e);
csspgo_status write_traces(const csspgo_layout *l, const char *path, csspgo_error *e);
csspgo_allocator big_blocks(void);     /* for large profiles: arrays in large pages                                   */

/*
 * options.c: copies a command's table to tool->o and fills it in. LLVM's spelling: -x or --x, --x=v or --x v. What is
 * no OPT_LIST may be given once; a switch also again with the same value. With --llvm-compat the last one counts.
 *
 *   options_parse    moves what is no option to the front of argv and returns how many that are
 *   options_before   stops at the first word that is no option, or behind "--", and returns its place
 *
 * Both return -1 after saying what is wrong.
 */
int options_parse(tool_context *tool, const option *table, int argc, char **argv);
int options_before(tool_context *tool, const option *table, int argc, char **argv);
option *option_named(option *o, const char *name, size_t size);   /* NULL: there is none                              */
double option_percent(const option *o);                           /* of OPT_PERCENT; -1: it was not given           */
void options_free(option *o);

/*
 * program.c: opens a program as load_files does, and the files that have what it was stripped of: --debug-binary,
 * by build id, by .gnu_debuglink, by usual names. Says what is taken from where, and which file is of another build.
 *
 *   program_open_module  takes kernel modules, too, which are object files
 *   program_lacks    makes the sentence of what is nowhere, symbols e.g. Returns 0
 *   program_missing  a warning if the file that the program names was not found, and what is done without it
 *
 * program_open returns 0 with a sentence in why, which may name a file; l is to be freed all the same.
 */
enum { PROGRAM_WHY = 4096 + 256 };
int program_open(const tool_context *tool, loaded *l, const char *path, char *why, size_t why_size);
int program_open_module(const tool_context *tool, loaded *l, const char *path, char *why, size_t why_size);
void minidebug_take(const tool_context *tool, loaded *l, const char *path);   /* minidebug.c                      */
int program_lacks(const loaded *l, const char *what, char *why, size_t why_size);
void program_missing(const tool_context *tool, const loaded *l, const char *path, const char *without);

/* path.c: the file that execvp runs, in the PATH if the name has no slash; file: room for size bytes */
void program_file(const char *name, char *file, size_t size);

/*
 * program_symbols.c, of any program: no probes are looked for
 *
 *   load_program            as load_image; functions are what symbols say. Returns 0 with a sentence in why
 *   load_program_functions  the part of it behind load_code; 0: out of memory
 *   load_symbol_functions   function symbols by address, for free(); NULL: out of memory
 *   is_flow_sensitive       1 if clang built it with flow-sensitive discriminators
 */
int load_program(const tool_context *tool, loaded *l, const char *path, char *why, size_t why_size);
int load_program_functions(loaded *l);
load_range *load_symbol_functions(const loaded *l, size_t *count);
int is_flow_sensitive(const loaded *l);

/*
 * source.c: calls take_fn for each address whose line of source is known, if a separate file has the lines;
 * number: of the address; it returns 0: out of memory. Returns 0: the same.
 */
typedef int (*source_fn)(void *what, size_t number, const char *file, uint32_t line);
int source_lines(const loaded *l, const uint64_t *address, size_t n, source_fn take_fn, void *what);

/* external.c: 1 if PATH has the program; the name of a file as one word of a command for the shell, for free() */
int in_path(const char *name);
char *shell_word(const char *name);

/* progress.c: a line on a terminal's standard error, twice a second; nothing elsewhere or with --quiet. */
progress progress_begin(const tool_context *tool);
int progress_due(progress *p);         /* 1 if it is time to say something                                            */
void progress_show(progress *p, unsigned long long bytes, unsigned long long samples);
void progress_end(progress *p);
void progress_text(char *text, size_t size, unsigned long long bytes, unsigned long long total,
                   unsigned long long samples, double seconds);

/* safe.c */
size_t visible_size(const unsigned char *s, size_t left);
void put_safe(const char *name, size_t n, FILE *out);

/*
 * text.c: names and contexts. As they are, for the output of LLVM's tools; _safe: without what a terminal obeys, and with
 * tool->demangle as people write them; _shown: as LLVM's tools without that.
 */
void put_name(csspgo_profile *p, csspgo_func f, FILE *out);
void put_name_safe(const tool_context *tool, csspgo_profile *p, csspgo_func f, FILE *out);
void put_name_shown(const tool_context *tool, csspgo_profile *p, csspgo_func f, FILE *out);
void put_context_shown(const tool_context *tool, csspgo_profile *p, csspgo_node node, FILE *out);
void put_shown(const tool_context *tool, const char *name, size_t n, FILE *out);
void put_loc(csspgo_loc loc, FILE *out);
void put_context(csspgo_profile *p, csspgo_node node, FILE *out);
char *context_text(csspgo_profile *p, csspgo_node node);          /* for free(); NULL: no memory                      */
int name_order(csspgo_profile *p, csspgo_func a, csspgo_func b);  /* numbers before names, names by their bytes       */
int is_blank(const csspgo_profile *p); /* 1 if nothing in it was ever sampled                                         */
uint64_t profile_samples(const csspgo_profile *p);
uint64_t profile_functions(const csspgo_profile *p);
uint64_t sum_of(uint64_t a, uint64_t b);
double percent(uint64_t part, uint64_t whole);
size_t first_from(const void *v, size_t n, size_t each, uint64_t least);   /* of n elements of `each` bytes, sorted by  */
                                       /* the uint64_t that each begins with: the first that is no less; n: none      */

/*
 * named.c: a function of a profile by its name; in a profile of GUIDs also by the GUID. Id 0: not there. func_meant: or
 * by the end of its name as people write it; says what is wrong if there is none.
 */
int is_number(const char *text, uint64_t *v);
csspgo_func func_named(const tool_context *tool, csspgo_profile *p, const char *name);
csspgo_func func_meant(const tool_context *tool, csspgo_profile *p, const char *name);

/*
 * read.c: inputs of merge, show, overlap and match. NULL after saying why not; *fatal: that ends the program whatever
 * --failure-mode says. profile_of reads what profile_open opened, and closes it; file_read only reads, any profile of
 * samples, with names that may have files.
 */
reading reading_make(const option *is_fs, const option *pass);
csspgo_profile *profile_new(const tool_context *tool);           /* NULL after saying so */
csspgo_profile *profile_blank(const tool_context *tool);         /* NULL without a word  */
csspgo_func func_copy(csspgo_profile *q, csspgo_profile *p, csspgo_func f);      /* the function of p in q */
csspgo_status record_masked(csspgo_profile *q, csspgo_profile *p, csspgo_node node, uint32_t mask);
csspgo_profile *profile_read(const tool_context *tool, const char *path, reading *how, int *fatal);
int profile_open(const tool_context *tool, const char *path, const reading *how, file_bytes *f);
void blocks_lost(const tool_context *tool, const char *path, uint64_t blocks);
csspgo_profile *profile_of(const tool_context *tool, const char *path, file_bytes *f, reading *how, int *fatal);
csspgo_status file_read(csspgo_profile *p, const char *path, const file_bytes *f, csspgo_error *e);
int has_files(const file_bytes *f);            /* 1: a profile in which functions may be FILE;NAME: GCC's version 3   */
csspgo_status drop_files(csspgo_profile *p, csspgo_error *e);     /* FILE;NAME becomes NAME; what meets is added up   */
csspgo_profile *profiles_read(const tool_context *tool, const char *const *path, size_t n);     /* n > 0, added up */
void merge_warnings(const tool_context *tool, const csspgo_merge_stats *s, const char *path);
void reading_failed(const tool_context *tool, const reading *how, const char *path, const file_bytes *f,
                    const csspgo_error *e, int *fatal);

/*
 * output.c: files that appear whole or not at all. output_ functions that fail return 0, or NULL, with errno set; those
 * that are given the tool say what is wrong.
 */
int output_begin(output *o, const char *path);
FILE *output_stream(output *o);
int output_end(output *o, int ok);     /* ok: the target becomes what was written, else it stays what it was          */
int output_is_input(const char *path, const char *input);
int output_spares(const tool_context *tool, const char *path, const char *input);   /* 0: they are the same file      */
int output_spares_all(const tool_context *tool, const char *path, const option *o);  /* all values of an option       */
int output_ready(const tool_context *tool, const char *path);     /* 0: it cannot be written                          */
FILE *stream_begin(const tool_context *tool, output *o, const char *path);
int stream_end(const tool_context *tool, output *o, const char *path, int ok);      /* the exit status                */
int stream_made(const tool_context *tool, const char *path, int (*make_fn)(void *what, FILE *out), void *what);
                                       /* the exit status; make_fn returns 0 after saying what is wrong               */

/* ----- json.c: JSON of the commands, members of the document one a line, and elements of its arrays --------------- */

enum { JSON_DEPTH = 8 };

typedef struct json {
    FILE    *out;
    unsigned depth;
    char     end[JSON_DEPTH], filled[JSON_DEPTH];     /* of each level: what closes it; 1: it has something */
} json;

/* key: NULL in an array, and of the document. begin: '{' or '['. */
json json_to(FILE *out);
void json_goes_on(json *j, FILE *out);                /* in an object that was begun otherwise and has members */
void json_begin(json *j, const char *key, char begin);
void json_end(json *j);                               /* the innermost; the document ends with its line */
void json_count(json *j, const char *key, uint64_t value);
void json_null(json *j, const char *key);
void json_real(json *j, const char *key, double value);
void json_flag(json *j, const char *key, int value);
void json_text(json *j, const char *key, const char *text);
void json_bytes(json *j, const char *key, const char *text, size_t size);
void json_func(json *j, const char *key, const csspgo_profile *p, csspgo_func f);   /* its name, or else its GUID */

void json_string(FILE *out, const char *text, size_t size);   /* in quotes; bytes that are no UTF-8 are replaced */

/* Returns 0 after refusing --json where a file goes to standard output, too; what: "the profile". */
int json_goes(const tool_context *tool, const char *output, const char *what);

/* ----- names.c, contextual.c: functions that a profile has by their GUIDs only ------------------------------------ */

typedef struct name_entry {       /* a GUID */
    uint64_t guid;
    uint64_t checksum;            /* of its control-flow graph in a binary, 0: not known                              */
    size_t   begin, size;         /* its name in the text; size 0: none                                               */
    size_t   probe, probes;       /* the first of its probes in a binary, and how many, each id once                  */
} name_entry;

typedef struct name_probe {
    uint32_t entry;               /* until they are sorted: whose it is */
    uint32_t id, call;            /* call: 1, or it is a block's        */
} name_probe;

typedef struct name_table {
    char       *text;
    size_t      size, cap;
    name_entry *entry;            /* names_sort: one for each GUID, ascending */
    size_t      count, entry_cap;
    name_probe *probe;            /* by function and id                       */
    int         failed;           /* memory was exhausted                     */
} name_table;

/*
 * names.c: fills the table; all zero it is empty. What names_add, _file, _binary and _profile add is found behind
 * names_sort. Functions that return an int return 0 after saying what is wrong.
 *
 *   names_file     a file with one name a line
 *   names_binary   names of probe descriptors and symbols, these also without the suffix that ThinLTO appends; `probes`
 *                  1: sorts, and also takes what descriptors and probes say of the control-flow graphs
 *   names_profile  the functions of a profile that have names there
 *   names_open     the files and the programs that two options name, in order; what came first counts
 *   names_find     the entry of a GUID; NULL: there is none
 */
void names_add(name_table *v, const char *name, size_t size, uint64_t checksum);
int names_file(const tool_context *tool, name_table *v, const char *path);
int names_binary(const tool_context *tool, name_table *v, const char *path, int probes);
void names_profile(name_table *v, const csspgo_profile *p);
int names_sort(const tool_context *tool, name_table *v);
name_entry *names_find(const name_table *v, uint64_t guid);
int names_open(const tool_context *tool, name_table *v, const option *files, const option *binaries, int probes);
void names_free(name_table *v);

/*
 * contextual.c: contextual profiles. For what asks for records, as profiles with contexts, of counters in place of
 * samples; for what asks for contexts and counts, as they are.
 *
 *   is_contextual    1 if a file is one: a bitstream, YAML, or a dump of the runtime
 *   contextual_read  adds one to p, with the names that are known; a status and what failed
 *   contextual_add   the same of one that was read; with stats, csspgo_ctx_combine instead of csspgo_ctx_profile
 *   contextual_new   an empty one; NULL after saying why not
 *   contextual_open  reads one, for contextual_close, which takes NULL, too; NULL and what failed. Of it:
 *     _counts        contexts and counters
 *     _by_probe      1: call sites are numbered by probes, as of a function that has a checksum
 *     _checksum, _loc   of a context's function, if it is known; where its caller calls it: what conversion makes of it
 *   numbering        what the locations of a profile are: "probes", "source lines", or "counters" of a contextual one
 *                    whose functions are not those of a known binary
 *   numberings_agree says so if two profiles have other kinds of locations
 */
int is_contextual(const tool_context *tool, const file_bytes *f);
csspgo_ctx *contextual_new(const tool_context *tool);
csspgo_status contextual_read(const tool_context *tool, const char *path, const file_bytes *f, const name_table *names,
                              csspgo_profile *p, csspgo_error *e);
csspgo_status contextual_add(const tool_context *tool, const char *path, const csspgo_ctx *c, const name_table *names,
                             csspgo_profile *p, csspgo_ctx_combine_stats *stats, csspgo_error *e);
typedef struct exact_counts exact_counts;
exact_counts *contextual_open(const tool_context *tool, const char *path, const file_bytes *f, const name_table *names,
                              csspgo_error *e);
void contextual_close(exact_counts *x);
const csspgo_ctx *contextual_counts(const exact_counts *x);
int contextual_by_probe(const exact_counts *x);
uint64_t contextual_checksum(const exact_counts *x, csspgo_node n);
csspgo_loc contextual_loc(const exact_counts *x, csspgo_node n);
int contextual_write(const tool_context *tool, const char *path, const csspgo_ctx *c,
                     const csspgo_ctx_write_options *how);   /* the exit status */
const char *numbering(const csspgo_profile *p, int contextual);
void numberings_agree(const tool_context *tool, const char *path, const char *its, const char *other,
                      const char *others);

#endif
