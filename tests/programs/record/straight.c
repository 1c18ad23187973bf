/* straight.c - long code without branches */
#include <stdio.h>
#include <time.h>
#define A x = x * 3 + 1; x ^= x >> 7;
#define B A A A A A A A A
#define C B B B B B B B B
__attribute__((noinline)) unsigned line(unsigned x) { C C C C C return x; }
__attribute__((noinline)) unsigned mid(unsigned x, unsigned k) { unsigned r = line(x); if (k & 1) r += line(r); return r; }
__attribute__((noinline)) unsigned inner(unsigned x) { unsigned s = 0; for (int i = 0; i < 4; i++) s += mid(x + i, i); return s; }
__attribute__((noinline)) unsigned outer(unsigned x) { unsigned s = 0; for (int i = 0; i < 4; i++) s += inner(x + i) + 1; return s; }
int main(void) { unsigned x = 1; struct timespec t; long q = 0; for (int i = 0; i < 3; i++) { x += outer(x);  q += t.tv_sec != 0;  } printf("%u %ld\n", x, q); return 0; }
