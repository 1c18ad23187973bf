/* stuck.c - branches that are not taken between instructions that only the thread itself can carry out */
#include <stdio.h>
__attribute__((noinline)) static unsigned long stamps(unsigned long n)
{
    unsigned long i, s = 0, low;
    for (i = 0; i < n; i++) {
        __asm__ volatile("rdtsc\n rdtsc\n rdtsc\n rdtsc\n cmp %1, %1\n jne 1f\n rdtsc\n mov %1, %0\n1:" : "=&r"(low) : "r"(i) : "rax", "rdx", "cc");
        s += low;
    }
    return s;
}
int main(void) { printf("%lu\n", stamps(3000000)); return 5; }
