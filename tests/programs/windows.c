/* windows.c - a program for windows.sh: main calls fill, which calls hash */
#include <stdio.h>

static int table[1024];

__attribute__((noinline)) int hash(int x)
{
    int i;
    for (i = 0; i < 8; i++) x = (int)((unsigned)x * 33u ^ (unsigned)(x >> 3));
    return x;
}

__attribute__((noinline)) int fill(int n)
{
    int s = 0, i;
    for (i = 0; i < n; i++) {
        table[hash(i) & 1023] += i;
        s += table[i & 1023] & 1;
    }
    return s;
}

int main(int argc, char **argv)
{
    int s = 0, k;
    (void)argv;
    for (k = 0; k < 60000; k++) s += fill(1000 + argc);
    printf("%d\n", s);
    return 0;
}
