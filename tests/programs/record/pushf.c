/* pushf.c - reads its own flags while it is stepped */
#include <stdio.h>
#include <pthread.h>
static void *run(void *p) { return p; }
static unsigned long get(void) { unsigned long f; __asm__ volatile("pushfq; popq %0" : "=r"(f)); return f; }
static void put(unsigned long f) { __asm__ volatile("pushq %0; popfq" :: "r"(f) : "cc", "memory"); }
int main(void) { pthread_t t; unsigned long s = 0, k; pthread_create(&t, 0, run, 0); pthread_join(t, 0);
 for (int i = 0; i < 100; i++) { k = get(); s += (k >> 8) & 1; put(k ^ 0x200000); s += (get() >> 21) & 1; put(k | 0x800); s += (get() >> 11) & 1; put(k); } printf("%lu\n", s); return 0; }
