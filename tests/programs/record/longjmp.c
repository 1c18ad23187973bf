/* longjmp.c - setjmp and longjmp through many frames */
#include <setjmp.h>
#include <stdio.h>
static jmp_buf env; static int hits;
__attribute__((noinline)) void deep(int n) { volatile char pad[64]; pad[0] = (char)n; if (n == 0) longjmp(env, 1); deep(n - 1); hits += pad[0]; }
__attribute__((noinline)) int leafy(int x) { int s = 0; for (int i = 0; i < (x & 15); i++) s += i * x; return s; }
__attribute__((noinline)) int attempt(int n) { if (setjmp(env)) return leafy(n); deep(n); return -1; }
int main(void) { long s = 0; for (int i = 0; i < 200; i++) { s += attempt(i % 13); s += leafy(i); } printf("%ld %d\n", s, hits); return 0; }
