/* coroutines.c - switches between stacks */
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
static ucontext_t m, a, b; static long s;
__attribute__((noinline)) void leaf(int n) { for (int i = 0; i < (n & 15); i++) s += i; }
__attribute__((noinline)) void gen(int n, ucontext_t *self) { if (n > 3) { leaf(n); swapcontext(self, &m); leaf(n + 1); return; } gen(n + 1, self); leaf(n); }
static void fa(void) { for (int i = 0; i < 10; i++) gen(0, &a); } static void fb(void) { for (int i = 0; i < 10; i++) gen(1, &b); }
__attribute__((noinline)) void resume(ucontext_t *c) { leaf(7); swapcontext(&m, c); leaf(5); }
int main(void) { getcontext(&a); a.uc_stack.ss_sp = malloc(65536); a.uc_stack.ss_size = 65536; a.uc_link = &m; makecontext(&a, fa, 0); getcontext(&b); b.uc_stack.ss_sp = malloc(65536); b.uc_stack.ss_size = 65536; b.uc_link = &m; makecontext(&b, fb, 0);
 for (int i = 0; i < 10; i++) { resume(&a); resume(&b); } printf("%ld\n", s); return 0; }
