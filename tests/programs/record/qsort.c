/* qsort.c - callbacks from libc */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef ELEMENTS
#define ELEMENTS 300
#endif
static int calls;
__attribute__((noinline)) int cmp_up(const void *a, const void *b) { calls++; return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) int cmp_down(const void *a, const void *b) { calls += 2; return *(const int *)b - *(const int *)a; }
__attribute__((noinline)) void fill(int *v, int n, unsigned s) { for (int i = 0; i < n; i++) { s = s * 1103515245 + 12345; v[i] = s >> 16; } }
__attribute__((noinline)) void up(int *v, int n) { fill(v, n, 1); qsort(v, n, sizeof *v, cmp_up); }
__attribute__((noinline)) void down(int *v, int n) { fill(v, n, 2); qsort(v, n, sizeof *v, cmp_down); }
int main(void) { static int v[ELEMENTS]; for (int i = 0; i < 3; i++) { up(v, ELEMENTS); down(v, ELEMENTS * 2 / 3); } printf("%d %d\n", calls, v[0]); return 3; }
