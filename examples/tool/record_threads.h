/* record_threads.h - bursts: the threads and processes of the program */
#ifndef CSSPGO_TOOL_RECORD_THREADS_H
#define CSSPGO_TOOL_RECORD_THREADS_H

#include "record.h"

#if defined(REC_SOFTWARE)

enum {
    REC_TRACE = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                PTRACE_O_TRACEVFORK
};

typedef struct rec_process {      /* what the recorder has of one, while another is at hand   */
    pid_t    pid;
    int      shared;              /* its memory is another process's too                      */
    rec_map *maps;
    size_t   map_count, map_room;
    uint64_t maps_loaded;
    double   maps_time;
    rec_page **pages;
    size_t   page_count, page_room;
    int      memory, by_register, step_only, calls_ptrace;
} rec_process;

typedef struct rec_watch {        /* bursts: the threads of the program                       */
    recorder *r;
    rec_thread *threads;
    size_t   count, room;
    pid_t    first;               /* the process whose end is that of the recording          */
    int      gone, status;        /* it has ended so                                         */
    int      timer;               /* no cpu-clock events                                     */
    size_t   silent;              /* threads that are                                        */
    double   speaks;              /* when to look whether they may speak again               */
    int      cpu;                 /* that the recorder is on, or -1                          */
    pid_t    last;                /* the thread it was found for, as many bursts ago         */
    int      stays;
    double   binds;               /* when a thread may be bound to it again                  */
    double   rings;               /* when the timer rings next                               */
    double   cost;                /* CPU seconds that a branch of a burst takes, averaged    */
    double   spent, end;          /* seconds in bursts; when recording ends, or 0            */
    sigset_t mask;                /* as it was                                               */
    rec_process *processes, none;
    size_t   process_count, process_room;
    rec_stop *newborn;            /* first stops of threads that are not known yet            */
    size_t   newborn_count, newborn_room;
    int      said;                /* that some code cannot be recorded                        */
} rec_watch;

/* record_continue.c */
void rec_on_continue(rec_watch *w, const rec_thread *t);
void rec_speak_again(rec_watch *w);

/* record_place.c */
void rec_join_cpu(rec_watch *w, const rec_thread *t);
void rec_go_on_here(rec_watch *w, rec_thread *t, int signal);
void rec_unbind_newborn(pid_t made_by, pid_t tid);

/* record_process.c */
pid_t rec_process_of(pid_t tid);
int rec_enter(rec_watch *w, const rec_thread *t);
int rec_shares_memory(const rec_watch *w, pid_t pid);
void rec_forget_process(rec_watch *w, pid_t pid);
int rec_take_stop(rec_stop *stops, size_t *count, pid_t tid, int *status);
void rec_on_newborn(rec_watch *w, pid_t tid, int status);
void rec_on_birth(rec_watch *w, const rec_thread *t, int event);
void rec_free_newborn(rec_watch *w);

/* record_tracer.c */
void rec_watch_entry(rec_watch *w, rec_thread *t);
void rec_watch_behind_burst(rec_watch *w, rec_thread *t);
void rec_on_system_call(rec_watch *w, rec_thread *t);

/* record_threads.c */
rec_thread *rec_find_thread(const rec_watch *w, pid_t tid);
rec_thread *rec_add_thread(rec_watch *w, pid_t tid, pid_t process, int apart);
void rec_remove_thread(rec_watch *w, rec_thread *t);
void rec_go_on(rec_thread *t, int signal);
void rec_open_clock(rec_watch *w, rec_thread *t);
void rec_on_stop(rec_watch *w, pid_t tid, int status);
void rec_doze(const rec_watch *w);
pid_t rec_next_stop(rec_watch *w, int *status);

/* record_attach.c */
int rec_attach(rec_watch *w);
int rec_will_ring(const rec_thread *t);
void rec_let_go(rec_watch *w);

#endif
#endif
