/* Threads that compute and make threads; at the end each says on how many CPUs it may run. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned long work(unsigned long x)
{
    for (int i = 0; i < 300000; i++) x = x % 3 == 0 ? x / 3 + 7 : x * 5 + 1;
    return x;
}

static void *run(void *depth)
{
    const long left = (long)depth;
    unsigned long x = (unsigned long)left;
    pthread_t next;
    cpu_set_t may;
    x = work(x);
    if (left > 0 && pthread_create(&next, NULL, run, (void *)(left - 1)) != 0) exit(2);
    x = work(x);
    if (left > 0) pthread_join(next, NULL);
    usleep(2000);
    if (sched_getaffinity(0, sizeof may, &may) != 0) exit(3);
    printf("%ld: %lu, %d\n", left, x, CPU_COUNT(&may));
    return NULL;
}

int main(void)
{
    run((void *)100L);
    return 0;
}
