/* phases.c - two loops of as many turns each, in phases of a tenth of a second: the turns of one take ten times as long */
#include <stdio.h>

__attribute__((noinline)) unsigned long slow(unsigned long x, long n)
{
    while (n-- > 0) x = (x | 1) + 0xfffffffffffffff1UL / ((x & 0xff) | 3) % ((x & 0xffff) | 7);
    return x;
}
__attribute__((noinline)) unsigned long quick(unsigned long x, long n)
{
    while (n-- > 0) x = x * 3 ^ n;
    return x;
}
int main(void)
{
    unsigned long x = 1;
    int i;
    for (i = 0; i < 12; i++) x = quick(slow(x, 16000000), 16000000);
    printf("%lx\n", x);
    return 0;
}
