/* record.h - what the files of record share */
#ifndef CSSPGO_TOOL_RECORD_H
#define CSSPGO_TOOL_RECORD_H

#include "tool.h"

#if defined(__linux__)
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
#  endif
#endif

enum { REC_SAMPLES = 16 };        /* of a burst, on average, later */
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
} rec_thread;

typedef struct rec_stop {         /* what waitpid told                                                               */
    pid_t    tid;
    int      status;
} rec_stop;

typedef struct recorder {
    const tool_context *tool;
    rec_options o;
    FILE    *out;
    pid_t    pid;
    pid_t    process;             /* that the thread pid belongs to; 0: it is the first                              */
    int      status;              /* of the last wait                                                                */
    int      gone, done;          /* the program ended; recording is over                                            */
    cpu_set_t cpus;               /* those we were allowed before pinning                                            */
    uint64_t samples, branches, threads, children, released;
    uint64_t random, countdown;   /* generator; taken branches until the next sample                                 */
    double   began, shown;        /* seconds                                                                         */
    int      terminal;            /* progress is shown                                                               */
    int      guarded;             /* another process waits for this one, which takes no interrupts while it waits    */
    struct sigaction interrupt, terminate; /* of SIGINT and SIGTERM as we found them                                 */

    csspgo_branch *lbr;           /* ring of o.depth records; next is where the following one goes                   */
    uint32_t lbr_next, lbr_count;
    csspgo_branch *newest;        /* scratch: the ring, newest first                                                 */
    uint64_t *stack;              /* scratch: o.max_stack addresses                                                  */
    void    *bounce;              /* scratch: one record of the kernel's ring buffer                                 */
    int      data;                /* perf.data is written                                                            */
    unsigned char *record;        /* scratch: one record of it                                                       */
    size_t   record_size;
    uint64_t first_time, last_time; /* of samples                                                                    */
    uint64_t event_time;          /* of the record that is no sample; 0: now                                         */
    uint64_t period;              /* CPU nanoseconds that the burst stands for                                       */
    struct perf_event_attr hardware; /* the event of the CPU's branch records; size 0: there is none                 */

    rec_map *maps;
    size_t   map_count, map_room;
    uint64_t maps_loaded;         /* the burst in which that was, and when                                           */
    double   maps_time;
    uint64_t maps_read;           /* how often they were                                                             */
    int      maps_stale, code_stale; /* some mapping, some executable one may have changed                           */
    int      memory;              /* /proc/PID/mem                                                                   */
#if defined(REC_SOFTWARE)
    struct user_regs_struct regs; /* as of the last stop, with what the recorder has done since                      */
    int      regs_changed;
    int      event;               /* REC_TRAP ...                                                                    */
    int      signal;              /* to be delivered when the program goes on                                        */
    int      listen;              /* in a group stop                                                                 */
    int      interrupting;
    int      in_syscall;          /* between the entry and the exit stop of one                                      */
    uint64_t syscall;
    int      moved;               /* execution went on elsewhere (exec): what was planned is void                    */
    int      step_only;
    int      trap_ignored;        /* the program's own disposition of SIGTRAP is SIG_IGN                             */
    rec_page **pages;             /* by address                                                                      */
    size_t   page_count, page_room;
    rec_page *page;               /* the last one found                                                              */
    rec_frame *frames;            /* the open calls, innermost last                                                  */
    size_t   frame_count, frame_room;
    rec_held *held;               /* REC_HELD, or NULL                                                               */
    size_t   held_count;
    uint64_t stack_begin, stack_end; /* mapping of the stack pointer at the last branch                              */

    uint64_t burst;               /* number of the last burst, or 0. In one, `done` means that it is over            */
    int      burst_event;         /* the PTRACE_EVENT that ended it                                                  */
    int      calls;               /* it ended at the entry of a call of ptrace                                       */
    int      late;                /* it ended in a system call that takes its time; the thread was left in it        */
    int      trap_blocked;        /* the thread blocks SIGTRAP, if the recorder did not                              */
    int      trap_held;           /* exact: one was sent to it meanwhile:                                            */
    siginfo_t trap;
    double   left;                /* of its length, in mean branches                                                 */
    double   passed, bytes;       /* branches of all bursts, and of the code that led to them                        */
    int      behind_call;         /* of the system: signals come before what follows                                 */
    int      stops_prepared;      /* the thread may be stopped at a breakpoint                                       */
    rec_ahead *ahead;             /* or NULL                                                                         */
    int      by_register;         /* breakpoints are those of the debug registers: the code stays as it is           */
    uint64_t armed;               /* where, or 0                                                                     */
    int      registers;           /* they work: 1; they do not: -1; not known: 0                                     */
    int      pretends;            /* exact: rec_thread.pretends; 2: its call has returned                            */
    int      calls_ptrace;        /* of the process at hand: some file does                                          */
    rec_stop *stops;              /* of other threads, seen while waiting for that of the burst                      */
    size_t   stop_count, stop_room;
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

enum { REC_GONE, REC_TRAP, REC_SYSTEM_CALL, REC_SIGNAL, REC_OTHER };   /* recorder.event */
enum { REC_IP = 1, REC_SP = 2, REC_FLAGS = 4 };                          /* recorder.regs_changed */
enum { REC_TRAP_FLAG = 0x100, REC_POPF_FLAGS = 0x244dd5 };               /* in eflags; those that popf can change */

/* How the block that begins at a byte of code ends. */
typedef struct rec_block {
    uint16_t skip;                /* bytes from its beginning to its last instruction                                */
    uint8_t  known, kind;         /* kind: csspgo_kind; CSSPGO_NONE = an instruction that must be stepped over       */
} rec_block;

/* record_program.c */
void rec_on_interrupt(int signal);
int rec_interrupted(void);                     /* 1 after SIGINT or SIGTERM */
void (*rec_pass_interrupt(pid_t recorder, int apart))(int, siginfo_t *, void *);
double rec_seconds(void);
void rec_progress(recorder *r);
void rec_progress_text(char *text, size_t size, const rec_options *o, uint64_t branches, uint64_t samples,
                       double seconds);
void *rec_open_mapped(pid_t pid, const char *path, elf_image *image, size_t *size);
void rec_find_build_id(pid_t pid, const char *path, rec_build_id *id);
int rec_parse_map(const char *line, rec_map *m, int *path);
int rec_spares_program(const tool_context *tool, const rec_options *o, const char *to);
int rec_has_rights(const recorder *r);
void rec_warn_of_rights(const recorder *r, pid_t pid);
int rec_spawn(recorder *r, int *go, int *failure);
int rec_exec_error(int failure);
int rec_exit_status(int status);
int rec_wait_for_end(recorder *r);
void rec_summary(const recorder *r);

/* record_output.c */
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

/* record_code.c */
void rec_die(const tool_context *tool, const char *what);
int rec_read(const recorder *r, uint64_t address, void *to, size_t size);
int rec_write(recorder *r, uint64_t address, const void *from, size_t size);
void rec_load_maps(recorder *r);
const rec_map *rec_find_map(recorder *r, uint64_t address);
const rec_map *rec_map_of(recorder *r, uint64_t address);
void rec_restore_page(const recorder *r, const rec_page *page, int memory);
void rec_unplant_all(recorder *r);
void rec_drop_pages(recorder *r, uint64_t begin, uint64_t end, int intact);
int rec_plant(recorder *r, uint64_t address);
int rec_is_planted(recorder *r, uint64_t address);
void rec_unplant(recorder *r, uint64_t address);
size_t rec_fetch(recorder *r, uint64_t address, unsigned char *to);
const rec_block *rec_plan(recorder *r, uint64_t address);
void rec_show_code(const recorder *r, uint64_t begin, unsigned char *code);
int rec_arm(recorder *r, uint64_t address);
void rec_disarm(recorder *r);

/* record_stack.c */
uint64_t rec_next_random(recorder *r);
uint64_t rec_distance(recorder *r);
void rec_gap(recorder *r);
uint64_t rec_stack_of(recorder *r, uint64_t sp);
void rec_settle(recorder *r, uint64_t sp);
void rec_push_frame(recorder *r, uint64_t back, uint64_t slot);
void rec_sample(recorder *r, uint64_t leaf);
void rec_branch(recorder *r, uint64_t from, csspgo_kind kind, uint64_t back);

/* record_held.c */
void rec_hold_sample(recorder *r, uint64_t leaf);
void rec_tell_held(recorder *r, const rec_frame *f);
void rec_put_held(recorder *r);
void rec_free_held(recorder *r);

/* record_stop.c */
void rec_get_regs(recorder *r);
void rec_put_regs(recorder *r);
void rec_unblock_trap(recorder *r);
void rec_check_shadow_stack(recorder *r);
int rec_open_memory(recorder *r);
void rec_wait(recorder *r);
void rec_resume(recorder *r, int request);
void rec_on_syscall_entry(recorder *r);
void rec_on_syscall_exit(recorder *r);

/* record_branch.c */
uint64_t rec_register(const struct user_regs_struct *a, unsigned number);   /* as instructions number them */
int rec_emulate(recorder *r);
int rec_emulate_code(recorder *r, const unsigned char *code, size_t size);

/* record_step.c */
int rec_launch(recorder *r, unsigned long options);
void rec_run_to(recorder *r, uint64_t end);
void rec_advance(recorder *r);
void rec_free_software(recorder *r);
int rec_software(recorder *r);

/* record_burst.c */
int rec_burst(recorder *r, pid_t tid, uint64_t branches);
void rec_pass(recorder *r, uint64_t branch);
void rec_begin_stack(recorder *r);
int rec_is_code(recorder *r, uint64_t address);
void rec_prepare_stops(recorder *r);
void rec_wait_in_burst(recorder *r);
void rec_on_syscall_in_burst(recorder *r);

/* record_ahead.c */
void rec_ahead_begin(recorder *r);
void rec_ahead_end(recorder *r);
int rec_is_ahead(const recorder *r);
void rec_ahead_turn(recorder *r);
size_t rec_ahead_read(const recorder *r, uint64_t address, void *to, size_t size);
size_t rec_ahead_write(recorder *r, uint64_t address, const void *from, size_t size);
int rec_go_ahead(recorder *r);
void rec_compute_exactly(recorder *r);

/* record_clock.c */
int rec_clock_open(rec_thread *t, uint64_t interval);
void rec_clock_close(rec_thread *t);
int rec_clock_rang(const rec_thread *t);
int rec_clock_ran(rec_thread *t);
void rec_clock_stop(const rec_thread *t);
void rec_clock_start(const rec_thread *t, uint64_t interval);
void rec_begin_call_anew(const rec_thread *t, int signal);

/* record_process.c */
int64_t rec_status(pid_t tid, const char *name, int base);

/* record_tracer.c */
void rec_look_for_ptrace(recorder *r, const char *path);
uint64_t rec_entry_of(pid_t pid);

/* record_threads.c */
int rec_bursts(recorder *r);

/* record_attach.c */
int rec_guard(const tool_context *tool, int attached, int *status);

/* record_trap.c */
int rec_ignores_trap(const rec_thread *t);
void rec_ignore_trap_again(recorder *r);
void rec_block_trap_again(recorder *r);
void rec_restore_trap(recorder *r, int ignored_too);
int rec_tells_of_trap(uint64_t call);
void rec_pass_trap(recorder *r);

#endif
/* record_hardware.c */
int rec_has_hardware(const rec_options *o);
void rec_set_ring(rec_rings *w, rec_cpu_ring *g, const void *data, size_t size);
void rec_take_records(rec_rings *w, uint64_t until);
int rec_hardware(recorder *r);

#endif
