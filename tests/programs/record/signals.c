/* signals.c - handlers, alternate stacks, SIGTRAP of its own, recovery from SIGSEGV */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <setjmp.h>
#include <unistd.h>
#ifndef ROUNDS
#define ROUNDS 30
#endif
static volatile int usr1, usr2, trap, segv; static sigjmp_buf env;
__attribute__((noinline)) int helper(int x) { int s = 0; for (int i = 0; i < (x & 7); i++) s += i; return s; }
static void on_usr1(int s) { (void)s; usr1 += 1 + helper(3) * 0; }
static void on_usr2(int s) { (void)s; usr2 += 1 + helper(5) * 0; }
static void on_trap(int s) { (void)s; trap++; helper(2); }
static void on_segv(int s) { (void)s; segv++; siglongjmp(env, 1); }
__attribute__((noinline)) void fault(void) { *(volatile int *)8 = 1; }
__attribute__((noinline)) int risky(void) { if (sigsetjmp(env, 1)) return 1; fault(); return 0; }
int main(void) {
  struct sigaction a; memset(&a, 0, sizeof a); stack_t st; memset(&st, 0, sizeof st); st.ss_size = 65536; st.ss_sp = malloc(65536); sigaltstack(&st, 0);
  a.sa_handler = on_usr1; sigaction(SIGUSR1, &a, 0); a.sa_handler = on_trap; sigaction(SIGTRAP, &a, 0); a.sa_handler = on_segv; sigaction(SIGSEGV, &a, 0);
  a.sa_flags = SA_ONSTACK; a.sa_handler = on_usr2; sigfillset(&a.sa_mask); sigaction(SIGUSR2, &a, 0);
  long s = 0; sigset_t m, o; sigfillset(&m);
  for (int i = 0; i < ROUNDS; i++) { s += helper(i); raise(SIGUSR1); s += helper(i + 1); raise(SIGUSR2); s += helper(i); raise(SIGTRAP); __asm__ volatile("int3"); s += risky();
     sigprocmask(SIG_BLOCK, &m, &o); s += helper(i); raise(SIGUSR1); s += helper(i+2); sigprocmask(SIG_SETMASK, &o, 0); s += sigismember(&o, SIGTRAP) * 1000; }
  signal(SIGTRAP, SIG_IGN); raise(SIGTRAP); s += helper(6);
  printf("%ld %d %d %d %d\n", s, usr1, usr2, trap, segv); fflush(stdout);
  raise(SIGTERM); return 0; }
