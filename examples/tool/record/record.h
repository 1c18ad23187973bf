/* record.h - the room of the command record: branch and call-stack samples of a program that runs
 *
 * record.c has the command line and chooses the way, program.c starts the program and waits for its end, proc.c reads
 * what /proc and its files say, output.c writes samples as text or perf.data. Three ways:
 *
 *   hardware.c   the CPU's own branch records, out of the kernel's ring buffers
 *   exact.c      --exact: every branch of the first thread
 *   first.c      --first: no samples, but which functions run first. first_file.c knows where functions begin,
 *                first_code.c has breakpoints there, first_trace.c what ran in which process; the rest is as for bursts
 *   watch.c      bursts: now and then a thread is stopped, and its next branches are followed (burst.c); pace.c says
 *                what each counts. In between, window.c has the program itself count at some places of its code,
 *                of which window_code.c makes jumps, window_memory.c writes them,
 *                and window_choose.c says where; window_weigh.c says what bursts count by it. threads.c
 *                lists threads, clock.c and continue.c say when one is stopped, place.c where it goes on, process.c
 *                what it makes; attach.c takes hold of a process that runs, tracer.c of programs that call ptrace.
 *
 * To follow a thread, from below: maps.c, code.c (pages, breakpoints) and memory.c have its memory; stack.c its open
 * calls, sample.c its branches and their samples; stop.c stops it and lets it go on, remote.c has it carry out
 * system calls of the recorder's, syscall.c and trap.c see to it
 * that system calls and SIGTRAP are what they were; branch.c carries out branches, step.c runs it block by block, and
 * ahead.c, with ahead_insn.c and ahead_cpu.c, computes what it will do.
 */
#ifndef CSSPGO_TOOL_RECORD_H
#define CSSPGO_TOOL_RECORD_H

#include "../shared/tool.h"

#if defined(__linux__) && !defined(__TINYC__)          /* tcc has no atomic built-ins, its assembler no xsave */
#  define REC_LINUX 1
#  include <fcntl.h>
#  include <poll.h>
#  include <sched.h>
#  include <signal.h>
#  include <sys/mman.h>
#  include <sys/personality.h>
#  include <sys/ptrace.h>
#  include <sys/stat.h>
#  include <sys/syscall.h>
#  include <sys/uio.h>
#  include <sys/wait.h>
#  include <time.h>
#  include <unistd.h>
#  include <linux/perf_event.h>
#  if defined(__x86_64__) && !defined(__ILP32__)
#    include <sys/user.h>
#    define REC_SOFTWARE 1
typedef __typeof__(((struct user_regs_struct *)0)->rax) rec_word;         /* of 64 bits; each C library has its own */
#  endif
#endif

enum { REC_FEWEST = 4, REC_SAMPLES = 16 };   /* samples of a burst, on average, at first and later */
enum { REC_PAGE = 4096, REC_INSN = 15, REC_BLOCK = 2048, REC_CHAIN = 64, REC_STACK = 127, REC_BOUNCE = 1 << 16 };

typedef struct rec_options {
    const char *output;           /* NULL or "-": standard output                              */
    const char *start;            /* NULL: main, or the entry point if there is no such symbol */
    uint64_t period;              /* taken branches between samples; 0 = default               */
    uint64_t jitter, seed;        /* percent of the period; of the generator                   */
    uint64_t count, max_branches; /* stop after so many; 0 = never                             */
    uint64_t depth, max_stack;    /* branch records, frames of a sample                        */
    int      software, step, aslr, stop, frame_pointers, quiet, json;
    int      exact;               /* every branch is followed, not bursts                      */
    uint64_t rate, overhead;      /* bursts: at most so many a second of a thread's CPU time, percent of that */
    double   duration;            /* seconds until recording ends; 0 = the program's end       */
    pid_t    pid;                 /* of a running program, or 0                                */
    int      timer;               /* bursts: by a timer, without events of the kernel          */
    int      follow;              /* child processes too                                       */
    int      first;               /* first executions of functions, not samples                */
    int      counting;            /* bursts: the program counts now and then                   */
    const char **binary;          /* of these files only, as realpath names them               */
    size_t   binaries;
    char   **program;             /* its name and arguments, NULL-terminated                   */
} rec_options;

typedef struct rec_map {          /* a line of /proc/PID/maps                                                        */
    uint64_t begin, end, offset;
    unsigned long inode;
    char     access[5];           /* r w x and p(rivate) or s(hared)                                                 */
    char     device[16];
    int      seen;                /* its event is written                                                            */
} rec_map;

typedef struct rec_build_id {
    uint32_t size;                /* 0: not known                                                                    */
    unsigned char bytes[20];
} rec_build_id;

typedef struct rec_origin {       /* of a sample                                                                     */
    pid_t    pid, tid;
    uint64_t time, period;        /* nanoseconds; what the sample stands for, in nanoseconds or branches             */
} rec_origin;

typedef struct rec_frame {        /* an open call                                                                    */
    uint64_t back;                /* return address                                                                  */
    uint64_t slot;                /* where it lies on the stack                                                      */
    uint64_t stack;               /* end of the mapping that slot is in                                              */
} rec_frame;

typedef struct rec_held {         /* a sample that is not written yet                                                 */
    rec_origin at;
    uint64_t leaf;
    rec_frame *frames;            /* the open calls, innermost first                                                 */
    size_t   frame_count;
    csspgo_branch *records;       /* newest first                                                                    */
    size_t   record_count;
} rec_held;

typedef struct rec_page rec_page;
typedef struct rec_ahead rec_ahead;
typedef struct rec_copy rec_copy;
typedef struct rec_windows rec_windows; /* window.h */
typedef struct rec_first rec_first;   /* --first: of a process; first.h */
typedef struct rec_traces rec_traces; /* the same of all            */

typedef struct rec_thread {       /* a thread that bursts are taken of                                               */
    pid_t    tid, process;
    int      event;               /* the kernel's cpu-clock of it; -1: there is none                                 */
    int      statistics, place;   /* /proc/PID/task/TID/schedstat and stat, or -1                                    */
    uint64_t used;                /* CPU time by the former, as last read                                            */
    int      asked;               /* to stop                                                                         */
    int      listens;             /* in a group stop                                                                 */
    int      silent;              /* its clock is, for a SIGCONT that waits: the timer asks it instead               */
    uint64_t interval;            /* of its clock, as last set                                                       */
    uint64_t loader_begin, loader_end; /* it is in there, where it loads the program; end 0: not so                  */
    int      watched;             /* its system calls are stops                                                      */
    int      apart;               /* not recorded: held for its calls of ptrace only                                 */
    int      pretends;            /* it believes that its parent traces it                                           */
    int      sets;                /* --first: it is in a function that sets what a signal does                       */
    int      held;                /* --first: it stands until it is let go                                           */
} rec_thread;

typedef struct rec_stop {         /* what waitpid told                                                               */
    pid_t    tid;
    int      status;
} rec_stop;

/* ----- the recorder: parts, each with the file that changes it ----- */

typedef struct rec_counted {      /* window_weigh.c: in all                                                          */
    uint64_t windows, bursts, others; /* bursts that counters tell of, and others                                    */
} rec_counted;

typedef struct rec_session {      /* program.c                                                                       */
    double   began, shown;        /* seconds: recording, the last line of progress                                   */
    int      terminal;            /* progress is shown                                                               */
    int      guarded;             /* another process waits for this one, which takes no interrupts while it waits    */
    struct sigaction interrupt, terminate; /* of SIGINT and SIGTERM as we found them                                 */
} rec_session;

typedef struct rec_data {         /* output.c: perf.data                                                             */
    int      on;                  /* it is written, not text                                                         */
    unsigned char *record;        /* scratch: one record of it                                                       */
    size_t   size;                /* of the record                                                                   */
    uint64_t first_time, last_time; /* of samples                                                                    */
    uint64_t event_time;          /* of the record that is no sample; 0: now                                         */
} rec_data;

typedef struct rec_lbr {          /* sample.c                                                                        */
    csspgo_branch *ring;          /* of o.depth records; next is where the following one goes                        */
    uint32_t next, count;
    csspgo_branch *newest;        /* scratch: the ring, newest first                                                 */
    uint64_t random, countdown;   /* generator; taken branches until the next sample                                 */
    rec_held *held;               /* REC_HELD, or NULL                                                               */
    size_t   held_count;
} rec_lbr;

#if defined(REC_SOFTWARE)

typedef struct rec_space {        /* maps.c, code.c: of a process                                                    */
    rec_map *maps;
    size_t   map_count, map_room;
    uint64_t maps_loaded;         /* the burst in which that was, and when                                           */
    double   maps_time;
    rec_page **pages;             /* by address                                                                      */
    size_t   page_count, page_room;
    int      memory;              /* /proc/PID/mem                                                                   */
    int      by_register;         /* breakpoints are those of the debug registers: the code stays as it is           */
    int      step_only;
    int      calls_ptrace;        /* some file of the process does                                                   */
    int      restarts;            /* some file of it has restartable sequences                                       */
    rec_first *first;             /* --first: its breakpoints and what it ran; or NULL                               */
} rec_space;

typedef struct rec_view {         /* maps.c, code.c: of the process at hand, for now                                 */
    uint64_t maps_read;           /* how often they were                                                             */
    int      maps_stale, code_stale; /* some mapping, some executable one may have changed                           */
    rec_page *page;               /* the last one found                                                              */
    uint64_t armed;               /* where the debug registers have a breakpoint, or 0                               */
    int      registers;           /* these work: 1; they do not: -1; not known: 0                                    */
} rec_view;

typedef struct rec_calls {        /* stack.c                                                                         */
    rec_frame *frames;            /* the open calls, innermost last                                                  */
    size_t   count, room;
    uint64_t begin, end;          /* mapping of the stack pointer at the last branch                                 */
} rec_calls;

typedef struct rec_stopping {     /* stop.c, syscall.c, step.c                                                       */
    int      event;               /* REC_TRAP ...                                                                    */
    int      signal;              /* to be delivered when the program goes on                                        */
    int      listen;              /* in a group stop                                                                 */
    int      interrupting;
    int      in_syscall;          /* between the entry and the exit stop of one                                      */
    uint64_t syscall;
    int      behind_call;         /* of the system: signals come before what follows                                 */
    int      prepared;            /* the thread may be stopped at a breakpoint                                       */
    int      pretends;            /* exact: rec_thread.pretends; 2: its call has returned                            */
} rec_stopping;

typedef struct rec_trap {         /* stop.c, trap.c: SIGTRAP                                                         */
    int      ignored;             /* the program's own disposition of it is SIG_IGN                                  */
    int      blocked;             /* the thread blocks it, if the recorder did not                                   */
    int      held;                /* exact: one was sent to it meanwhile:                                            */
    siginfo_t info;
} rec_trap;

typedef struct rec_bursting {     /* burst.c; sample.c counts it down                                                */
    uint64_t number;              /* of the last burst, or 0. In one, recorder.done means that it is over            */
    uint64_t period;              /* CPU nanoseconds that it stands for                                              */
    int      event;               /* the PTRACE_EVENT that ended it                                                  */
    int      at_ptrace;           /* it ended at the entry of a call of ptrace                                       */
    int      late;                /* it ended in a system call that takes its time; the thread was left in it        */
    double   left;                /* of its length, in mean branches                                                 */
    double   passed, bytes;       /* branches of all bursts, and of the code that led to them                        */
} rec_bursting;

typedef struct rec_region {       /* pace.c: a piece of code                                                         */
    uint64_t key;
    size_t   part;                /* the last one of it                                                              */
    double   by_time, share, next; /* of all branches: by where bursts begin; as found, and one step further         */
    double   began, other;        /* pieces that begin here; share by the other half of the pieces                   */
    double   has;                 /* of the bursts, by what they count                                               */
} rec_region;

typedef struct rec_part {         /* of a piece, what ran in one region                                              */
    uint32_t region;
    float    size;                /* in mean branches                                                                */
} rec_part;

typedef struct rec_piece {
    size_t   first, end;          /* its parts: the first one is where it begins                                     */
    double   size, whole;         /* in mean branches; which part of what it was to be                               */
    double   counts;              /* of a burst                                                                      */
    int      burst;               /* it is one, and begins at a random time                                          */
    int      half;                /* which half of all it belongs to: 0 or 1                                         */
} rec_piece;

typedef struct rec_item {         /* a sample that is kept                                                           */
    size_t   begin, end, piece;
    double   counts;
} rec_item;

typedef struct rec_pace {         /* pace.c                                                                          */
    int      on, more;            /* samples are kept; pieces to compute behind the burst at hand                    */
    int      looking, continued;  /* pieces left to compute; the burst at hand was continued                         */
    double   began, spent, allowed; /* CPU seconds, for that                                                         */
    uint64_t last;                /* where the last branch led                                                       */
    rec_region *region;
    size_t   regions, region_room;
    uint32_t *slot;               /* of the regions by their keys, open addressing: number + 1                       */
    size_t   slots;
    rec_part *part;
    size_t   parts, part_room;
    rec_piece *piece;
    size_t   pieces, piece_room;
    size_t   piece_first, burst_piece; /* of the piece at hand, its first part; which one the burst at hand is       */
    double   piece_size, length;  /* as far as it is; of the burst at hand, as it is to be                           */
    rec_item *item;
    size_t   items, item_room, bursts;
    FILE    *file;                /* the recording                                                                   */
    char    *kept;                /* what was written to recorder.out                                                */
    size_t   kept_size;
    double   owed;                /* samples that were rounded away                                                  */
    uint64_t written;
} rec_pace;

typedef struct rec_stops {
    rec_stop *v;
    size_t   count, room;
} rec_stops;

#endif

typedef struct recorder {
    const tool_context *tool;
    rec_options o;
    FILE    *out;
    uint64_t samples, branches, threads, children, released;
    int      gone, done;          /* the program ended; recording is over                                            */
    rec_session run;
    rec_data data;
    rec_lbr  lbr;
    uint64_t *stack;              /* scratch: o.max_stack addresses                                                  */
    void    *bounce;              /* scratch: one record of the kernel's ring buffer                                 */
    rec_counted counted;
    rec_traces *traces;           /* first_trace.c: --first, or NULL                                                  */
#if defined(REC_LINUX)
    struct perf_event_attr hardware; /* the event of the CPU's branch records; size 0: there is none                 */
#endif

    pid_t    pid;                 /* the thread at hand                                                              */
    pid_t    process;             /* that it belongs to; 0: it is the first                                          */
    int      status;              /* of the last wait                                                                */
#if defined(REC_SOFTWARE)
    cpu_set_t cpus;               /* those we were allowed before pinning                                            */
    struct user_regs_struct regs; /* as of the last stop, with what the recorder has done since                      */
    int      regs_changed;
    int      moved;               /* execution went on elsewhere (exec): what was planned is void                    */
    rec_space space;
    rec_view view;
    rec_calls calls;
    rec_stopping stop;
    rec_trap trap;
    rec_bursting burst;
    rec_pace pace;
    rec_windows *windows;         /* or NULL                                                                         */
    rec_ahead *ahead;             /* or NULL                                                                         */
    rec_stops waiting;            /* of other threads, seen while waiting for that of the burst                      */
#endif
} recorder;

typedef struct rec_cpu_ring {         /* of a CPU                                                 */
    csspgo_ring ring;
    struct perf_event_mmap_page *page;
    int      fd;
} rec_cpu_ring;

typedef struct rec_rings {
    recorder *r;
    rec_cpu_ring *rings;
    size_t   count;
    pid_t    first;               /* the process whose end is that of the recording           */
} rec_rings;

enum { REC_GONE, REC_TRAP, REC_SYSTEM_CALL, REC_SIGNAL, REC_OTHER };   /* rec_stopping.event */
enum { REC_IP = 1, REC_SP = 2, REC_FLAGS = 4 };                          /* recorder.regs_changed */
enum { REC_TRAP_FLAG = 0x100, REC_POPF_FLAGS = 0x244dd5 };               /* in eflags; those that popf can change */

/* How the block that begins at a byte of code ends. */
typedef struct rec_block {
    uint16_t skip;                /* bytes from its beginning to its last instruction                                */
    /* kind: csspgo_transfer_kind; CSSPGO_NONE = an instruction that must be stepped over */
    uint8_t  known, kind;
} rec_block;

/* program.c */
void rec_on_interrupt(int signal);
int rec_interrupted(void);                     /* 1 after SIGINT or SIGTERM */
double rec_seconds(void);
double rec_cpu_seconds(void);
uint64_t rec_next_random(recorder *r);
void rec_progress(recorder *r);
void rec_progress_text(char *text, size_t size, const rec_options *o, uint64_t branches, uint64_t samples,
                       double seconds);
int rec_spares_program(const tool_context *tool, const rec_options *o, const char *to);
int rec_has_rights(const recorder *r);
void rec_warn_of_rights(const recorder *r, pid_t pid);
int rec_spawn(recorder *r, int *go, int *failure);
int rec_exec_error(int failure);
int rec_exec_fail(const recorder *r, int error);
int rec_exit_status(int status);
int rec_wait_for_end(recorder *r);
void rec_summary(const recorder *r);
int rec_guard(const tool_context *tool, int attached, int *status);
void rec_die(const tool_context *tool, const char *what);

/* proc.c */
void *rec_open_mapped(pid_t pid, const char *path, elf_image *image, size_t *size);
void rec_find_build_id(pid_t pid, const char *path, rec_build_id *id);
int rec_parse_map(const char *line, rec_map *m, int *path);

/* output.c */
uint64_t rec_now(void);
int rec_is_data(const rec_options *o);
int rec_output_begin(recorder *r);
void rec_output_end(recorder *r);
void rec_put_sample(recorder *r, const rec_origin *at, const uint64_t *stack, size_t frames, const csspgo_branch *b,
                    size_t records);
void rec_put_map(recorder *r, pid_t pid, const rec_map *m, const char *path, const rec_build_id *id);
void rec_put_name(recorder *r, pid_t pid, pid_t tid, const char *name, int exec);
void rec_name_thread(recorder *r, pid_t pid, pid_t tid, int exec);
void rec_put_task(recorder *r, int type, pid_t pid, pid_t tid, pid_t parent);

#if defined(REC_SOFTWARE)

/* proc.c */
int64_t rec_status(pid_t tid, const char *name, int base);
pid_t rec_process_of(pid_t tid);
const char *rec_stat_field(int fd, char *text, size_t size, int which);
uint64_t rec_auxiliary(pid_t pid, uint64_t which);
uint64_t rec_entry_of(pid_t pid);
void rec_look_for_ptrace(recorder *r, const char *path);

/* maps.c */
void rec_load_maps(recorder *r);
const rec_map *rec_find_map(recorder *r, uint64_t address);
const rec_map *rec_map_of(recorder *r, uint64_t address);
int rec_is_code(recorder *r, uint64_t address);

/* code.c */
void rec_restore_page(const recorder *r, const rec_page *page, int memory);
void rec_unplant_all(recorder *r);
void rec_drop_pages(recorder *r, uint64_t begin, uint64_t end, int intact);
int rec_plant(recorder *r, uint64_t address);
int rec_is_planted(recorder *r, uint64_t address);
void rec_unplant(recorder *r, uint64_t address);
size_t rec_fetch_code(recorder *r, uint64_t address, unsigned char *to);
const rec_block *rec_plan(recorder *r, uint64_t address);
void rec_show_code(const recorder *r, uint64_t begin, unsigned char *code);
int rec_arm(recorder *r, uint64_t address);
void rec_disarm(recorder *r);

/*
 * first_code.c, first_trace.c
 *
 *   rec_first_on_map            plants what is new of a mapping of code, of the process at hand
 *   rec_first_all_mapped     behind rec_first_on_map of all its mappings: what is not among them is gone
 *   rec_first_take           a thread met a breakpoint: 0: it is none of these; REC_MET: it is taken away, or was
 *                            already; REC_AT_HOOK: it stays; REC_AT_SETTER: the function sets what a signal does, and
 *                            the breakpoint is taken away until rec_first_plant_again
 *   rec_first_set_trap       the program of the process at hand has set what SIGTRAP does; rec_first_trap: what that
 *                            is, NULL: the default
 *   rec_first_restore        takes all away, of the process at hand
 *   rec_first_of_child       for a process that was made; shared: it has the parent's memory
 *   rec_first_end            the process has ended, or runs another program: what ran becomes a trace
 *
 * Without --first these do nothing.
 */
enum { REC_MET = 1, REC_AT_HOOK, REC_AT_SETTER };
typedef struct rec_first_counts { uint64_t traces, functions, files; } rec_first_counts;
void rec_first_on_map(recorder *r, const rec_map *m, const char *path);
void rec_first_all_mapped(recorder *r);
int rec_first_take(recorder *r, uint64_t address);
void rec_first_give_up_hook(recorder *r, uint64_t address);
void rec_first_plant_again(recorder *r);
void rec_first_set_trap(recorder *r, const uint64_t *action);
const uint64_t *rec_first_trap(const recorder *r);
void rec_first_restore(const recorder *r);
rec_first *rec_first_of_child(const recorder *r, rec_first *parent, pid_t process, int shared, int silent);
void rec_first_end(const recorder *r, rec_first *first, int exec);
int rec_first_begin(recorder *r);                     /* 0 with a message */
int rec_first_write(recorder *r);                     /* 0 with a message */
rec_first_counts rec_first_count(const recorder *r);
void rec_first_free(recorder *r);

/* memory.c */
int rec_is_ahead(const recorder *r);
rec_copy *rec_copy_of(const recorder *r, uint64_t address);
size_t rec_ahead_read(const recorder *r, uint64_t address, void *to, size_t size);
size_t rec_ahead_write(recorder *r, uint64_t address, const void *from, size_t size);
int rec_read(const recorder *r, uint64_t address, void *to, size_t size);
int rec_write(recorder *r, uint64_t address, const void *from, size_t size);
size_t rec_fetch(recorder *r, uint64_t address, unsigned char *to);

/* stack.c */
uint64_t rec_stack_of(recorder *r, uint64_t sp);
void rec_settle(recorder *r, uint64_t sp);
void rec_push_frame(recorder *r, uint64_t back, uint64_t slot);
void rec_find_callers(recorder *r);
void rec_begin_stack(recorder *r);
size_t rec_walk_stack(const recorder *r, uint64_t *stack, size_t room);

/* sample.c */
uint64_t rec_distance(recorder *r);
void rec_gap(recorder *r);
void rec_hold_sample(recorder *r, uint64_t leaf);
void rec_put_held(recorder *r);
void rec_free_held(recorder *r);
void rec_branch(recorder *r, uint64_t from, csspgo_transfer_kind kind, uint64_t back);

/* stop.c */
void rec_get_regs(recorder *r);
void rec_put_regs(recorder *r);
void rec_unblock_trap(recorder *r);
void rec_block_trap_again(recorder *r);
void rec_step_only(recorder *r, const char *why);
void rec_check_shadow_stack(recorder *r);
void rec_prepare_stops(recorder *r);
void rec_keep_stop(const tool_context *tool, rec_stops *stops, pid_t tid, int status);
int rec_take_stop(rec_stops *stops, pid_t tid, int *status);
void rec_wait_in_burst(recorder *r);
void rec_wait(recorder *r);
uint64_t rec_clone_flags(const recorder *r);
int rec_open_memory(recorder *r);
void rec_resume(recorder *r, int request);
int rec_launch(recorder *r, unsigned long options);

/* remote.c */
uint64_t rec_find_syscall(recorder *r);
int rec_go_to_stop(recorder *r, int request, int signal, int *stopped);
int rec_call(recorder *r, uint64_t at, uint64_t number, const uint64_t *operands, int *stopped);

/* window.c, window_weigh.c; without windows these do nothing */
void rec_windows_begin(recorder *r, pid_t process);
void rec_windows_free(recorder *r);
void rec_window_begin(recorder *r, const rec_thread *t, int alone);
void rec_window_end(recorder *r, pid_t tid, int in_time);
void rec_window_signal(const recorder *r, pid_t tid);
void rec_window_of_child(const recorder *r, pid_t child);
void rec_window_forget(recorder *r, pid_t process, int exec);
pid_t rec_window_thread(const recorder *r);
void rec_window_ran(recorder *r, uint64_t begin, uint64_t end);
void rec_window_saw(recorder *r, size_t piece);
void rec_window_weigh(recorder *r);
void rec_window_flush(recorder *r);

/* syscall.c */
void rec_on_syscall_entry(recorder *r);
void rec_on_syscall_exit(recorder *r);
void rec_begin_call_anew(const rec_thread *t, int signal);

/* branch.c */
uint64_t rec_register(const struct user_regs_struct *a, unsigned number);   /* as instructions number them */
int rec_emulate(recorder *r);
int rec_emulate_code(recorder *r, const unsigned char *code, size_t size);

/* step.c */
void rec_run_to(recorder *r, uint64_t end);
void rec_advance(recorder *r);

/* exact.c */
int rec_software(recorder *r);

/* burst.c */
int rec_burst(recorder *r, pid_t tid, uint64_t branches);

/* ahead.c */
void rec_ahead_begin(recorder *r);
void rec_ahead_end(recorder *r);
void rec_ahead_turn(recorder *r);
int rec_go_ahead(recorder *r);
void rec_compute_exactly(recorder *r);

/* clock.c */
int rec_clock_open(rec_thread *t, uint64_t interval);
void rec_clock_close(rec_thread *t);
int rec_clock_rang(const rec_thread *t);
int rec_clock_ran(rec_thread *t);
void rec_clock_stop(const rec_thread *t);
void rec_clock_start(const rec_thread *t, uint64_t interval);
int rec_will_ring(const rec_thread *t);

/* pace.c */
void rec_pace_begin(recorder *r);
void rec_pace_end(recorder *r);
void rec_pace_flush(recorder *r);
void rec_pace_sample(recorder *r, off_t begin);
void rec_pace_allow(recorder *r, double seconds);
void rec_pace_burst_begins(recorder *r);
double rec_pace_burst_branch(recorder *r, uint64_t last, uint64_t from);
void rec_pace_burst_ends(recorder *r);
int rec_pace_goes_on(recorder *r);
void rec_pace_branch(recorder *r, uint64_t from);
void rec_pace_stops(recorder *r);

/* watch.c */
int rec_bursts(recorder *r);

/* attach.c */

/* trap.c */
int rec_ignores_trap(const rec_thread *t);
void rec_ignore_trap_again(recorder *r);
void rec_set_trap_again(recorder *r, const uint64_t *action);
void rec_block_trap_again(recorder *r);
void rec_restore_trap(recorder *r, int ignored_too);
int rec_tells_of_trap(uint64_t call);
void rec_pass_trap(recorder *r);

#endif
/* hardware.c */
int rec_has_hardware(const rec_options *o);
void rec_set_ring(rec_rings *w, rec_cpu_ring *g, const void *data, size_t size);
void rec_take_records(rec_rings *w, uint64_t until);
int rec_hardware(recorder *r);

/* ----- bursts: the threads of the program ------------------------------------------------------------------------- */

#if defined(REC_SOFTWARE)

enum {
    REC_TRACE = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                PTRACE_O_TRACEVFORK
};

typedef struct rec_process {
    pid_t    pid;
    int      shared;              /* its memory is another process's too                      */
    rec_space space;              /* while another one is at hand                             */
} rec_process;

typedef struct rec_place {        /* place.c                                                  */
    int      cpu;                 /* that the recorder is on, or -1                           */
    pid_t    last;                /* the thread it was found for, as many bursts ago          */
    int      stays;
    double   binds;               /* when a thread may be bound to it again                   */
} rec_place;

typedef struct rec_clocks {       /* threads.c, continue.c, watch.c                           */
    int      timer;               /* no cpu-clock events                                      */
    size_t   silent;              /* threads that are                                         */
    double   speaks;              /* when to look whether they may speak again                */
    double   rings;               /* when the timer rings next                                */
    double   cost;                /* CPU seconds that a branch of a burst takes, averaged     */
    double   ran, before;         /* CPU seconds: of threads up to their last bursts; the recorder's at first */
} rec_clocks;

typedef struct rec_watch {        /* bursts: the threads of the program                       */
    recorder *r;
    rec_thread *threads;
    size_t   count, room;
    rec_process *processes;
    size_t   process_count, process_room;
    rec_stops newborn;            /* first stops of threads that are not known yet            */
    pid_t    first;               /* the process whose end is that of the recording           */
    int      gone, status;        /* it has ended so                                          */
    int      said;                /* that some code cannot be recorded                        */
    double   end, ends;           /* when recording ends, or 0; and its last window, at the latest */
    sigset_t mask;                /* as it was                                                */
    rec_place place;
    rec_clocks clocks;
} rec_watch;

/* continue.c */
void rec_on_continue(rec_watch *w, const rec_thread *t);
void rec_speak_again(rec_watch *w);

/* place.c */
void rec_join_cpu(rec_watch *w, const rec_thread *t);
void rec_go_on_here(rec_watch *w, rec_thread *t, int signal);
void rec_unbind_newborn(pid_t made_by, pid_t tid);

/* process.c */
int rec_enter(rec_watch *w, const rec_thread *t);
int rec_shares_memory(const rec_watch *w, pid_t pid);
void rec_forget_process(rec_watch *w, pid_t pid, int exec);
void rec_on_newborn(rec_watch *w, pid_t tid, int status);
void rec_on_birth(rec_watch *w, const rec_thread *t, int event);
void rec_free_newborn(rec_watch *w);

/* tracer.c */
void rec_watch_entry(rec_watch *w, rec_thread *t);
void rec_watch_behind_burst(rec_watch *w, rec_thread *t);
void rec_end_of_loading(rec_watch *w, rec_thread *t);
int rec_is_in_loader(const rec_thread *t, uint64_t address);

/* threads.c */
rec_thread *rec_find_thread(const rec_watch *w, pid_t tid);
rec_thread *rec_add_thread(rec_watch *w, pid_t tid, pid_t process, int apart);
void rec_remove_thread(rec_watch *w, rec_thread *t);
void rec_go_on(rec_thread *t, int signal);
uint64_t rec_burst_samples(const recorder *r);
uint64_t rec_burst_branches(const recorder *r);
uint64_t rec_interval(const rec_watch *w);
void rec_open_clock(rec_watch *w, rec_thread *t);
pid_t rec_next_stop(rec_watch *w, int *status);
void rec_doze(const rec_watch *w);

/* first.c */
void rec_first_on_call(rec_watch *w, rec_thread *t, const struct user_regs_struct *regs);   /* at its exit stop     */
int rec_first_set_back(rec_watch *w, rec_thread *t);   /* at a SIGTRAP: 1: it was a breakpoint of --first            */
void rec_first_let_go(rec_watch *w);
int rec_first_is_due(const rec_watch *w, const rec_thread *t);

/* attach.c */
int rec_attach(rec_watch *w);
void rec_let_go(rec_watch *w);

#endif

/* ----- bursts: computing ahead ------------------------------------------------------------------------------------ */

#if defined(REC_SOFTWARE)

enum { REC_COPIES = 2048, REC_SPARE = 64, REC_KEPT = 256, REC_DECODED = 1 << 14, REC_SLOT = 32, REC_OPERAND = 64, REC_PASSED = 1024 };
enum { REC_NO_REGISTER = 16, REC_RELATIVE = 17 };  /* of an address: none; the address of the next instruction */

/* What is done with an instruction. */
typedef enum rec_way {
    REC_UNABLE,                   /* the thread must do it itself                     */
    REC_BRANCH, REC_LEA, REC_PUSH, REC_PUSH_NUMBER, REC_PUSH_MEMORY, REC_POP, REC_LEAVE, REC_DIRECTION, REC_SKIP,
    REC_STRING,
    REC_EXECUTE                   /* the CPU does it here, with the thread's registers */
} rec_way;

typedef struct rec_decoded {
    uint64_t address, turn;       /* in which the code was seen to be this                                          */
    unsigned char code[REC_INSN + 1];
    uint8_t  size, way, map, opcode;
    uint8_t  rex, wide, narrow;   /* bits WRXB of REX, VEX or EVEX; whether there is REX; an operand-size prefix    */
    uint8_t  repeat;              /* prefix f2 or f3, or 0                                                          */
    uint8_t  encoding;            /* 0, or the first byte of VEX or EVEX                                            */
    uint8_t  vvvv;
    uint8_t  segment;             /* prefix fs or gs, or 0                                                          */
    uint8_t  modrm_at, after;     /* where ModRM is, 0: there is none; behind it and what belongs to it             */
    uint8_t  memory;              /* an operand is there:                                                           */
    uint8_t  base, index, scale;
    uint8_t  vector;              /* other registers than the general ones take part                                */
    uint8_t  stand_in;            /* the general register that is used instead of rsp, or 0                         */
    uint8_t  ready;               /* its slot holds it                                                              */
    int32_t  displacement;
} rec_decoded;

/* What the code in the slots refers to; the assembly knows the offsets. */
typedef struct rec_engine {
    struct user_regs_struct *regs; /*  0                                             */
    uint64_t scratch;             /*  8                                              */
    uint64_t flags;               /* 16: as lahf gives them, and the overflow flag    */
    uint64_t go_to;               /* 24: the slot                                    */
    uint64_t with_vector;         /* 32: vector registers are loaded and saved       */
    uint64_t features;            /* 40: those of them that the kernel gave          */
    uint64_t faulted;
    uint64_t vector_size;
    unsigned char operand[2 * REC_OPERAND];
} rec_engine;

struct rec_copy {                 /* a page of the thread's memory, and what would be written to it */
    uint64_t address, turn;
    uint32_t begin, end;          /* of what was written                                            */
    int      writable;
    unsigned char byte[REC_PAGE];
};

typedef struct rec_kept {         /* which page a copy of code is of that outlasts the turn */
    uint64_t address, maps;       /* rec_view.maps_read as it was then                      */
    pid_t    process;
} rec_kept;

struct rec_ahead {
    rec_engine *cpu;                 /* at the beginning of the memory that is executed                */
    int      on;                  /* r->regs and what rec_read gives is what will be, not what is   */
    int      vector;              /* the vector registers of this turn: 1 there, -1 not to be had   */
    uint64_t turn;                /* number of the time that the thread was stopped                 */
    size_t   copies;
    rec_copy *last;
    uint64_t passed[REC_PASSED];  /* branches of this turn                                          */
    size_t   passed_count;
    rec_copy copy[REC_COPIES];    /* by address, open addressing                                    */
    rec_copy spare[REC_SPARE];    /* by address, what was there last makes way; never written to    */
    rec_kept kept[REC_KEPT];      /* of code[] at the same place                                    */
    rec_copy code[REC_KEPT];
    rec_decoded decoded[REC_DECODED];
};

/* ahead_insn.c */
void rec_decode(rec_decoded *d, uint64_t address, const unsigned char *code, size_t size);
uint64_t rec_operand_address(const rec_decoded *d, const struct user_regs_struct *a);

/* ahead_cpu.c */
rec_engine *rec_engine_new(void);
void rec_engine_free(rec_engine *cpu);
int rec_engine_load_vector(rec_engine *cpu, pid_t tid);
int rec_engine_store_vector(rec_engine *cpu, pid_t tid);
int rec_engine_execute(rec_engine *cpu, rec_decoded *d, size_t slot, struct user_regs_struct *a);

#endif

#endif
