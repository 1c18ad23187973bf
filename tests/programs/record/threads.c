/* threads.c - a second thread */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <stdlib.h>
__attribute__((noinline)) long spin(int n) { long s = 0; for (int i = 0; i < n; i++) s += i ^ (s >> 3); return s; }
static void *run(void *p) { long *out = p; *out = spin(20000000); return 0; }
int main(void) { pthread_t t[3]; long o[3], s = 0; for (int i = 0; i < 20; i++) s += spin(100); for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, run, &o[i]); for (int i = 0; i < 20; i++) s += spin(100); for (int i = 0; i < 3; i++) { pthread_join(t[i], 0); s += o[i]; } for (int i = 0; i < 20; i++) s += spin(100);  printf("%ld\n", s); return 0; }
