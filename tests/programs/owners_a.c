/* owners_a.c - functions that get clones, parts, aliases, sections of their own, and share names with those of owners_b.c */
#include <stdio.h>
#include "owners.h"

volatile long sink;

/* Clang clones apply for each of its arguments: apply.specialized.1, .2. */
static long add(long x) { return x + 1; }
static long multiply(long x) { return x * 3; }
OUT static long apply(long (*f)(long), long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++) {
        sum += f(i);
        if (sum & 7) sum ^= i;
        else sum -= f(sum);
    }
    return sum;
}

/* There is a helper in owners_b.c, too. */
OUT static long helper(long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++) {
        if (i & 3) sum += i * n;
        else sum ^= sink;
    }
    return sum;
}

OUT __attribute__((section(".text.hot"))) long in_hot(long n)
{
    long sum = 1;
    while (n > 1) {
        sum += n & 15;
        if (n & 1) sum ^= helper(3);
        n /= 2;
    }
    return sum;
}

OUT __attribute__((section("own_code"))) long in_own(long n)
{
    return n > 2 ? in_own(n - 1) - in_own(n - 2) + (sink & 1) : n;
}

OUT __attribute__((visibility("hidden"))) long hidden(long n)
{
    long sum = n;
    for (; n > 0; n -= 2) {
        sum += sink;
        if (sum & 16) sum += in_hot(n);
        else if (sum & 32) sum -= helper(n & 3);
    }
    return sum;
}

OUT long walk(long n)
{
    long sum = 0;
    do {
        sum += apply(add, n & 7);
        sum ^= apply(multiply, n & 15);
    } while (--n > 0);
    return sum;
}
long alias_of_walk(long n) __attribute__((alias("walk")));

/* The dynamic linker asks choose which function it is. */
OUT static long chosen_one(long n)
{
    switch (n & 3) {
    case 0: return sink + 1;
    case 1: return hidden(n & 7);
    case 2: return helper(n & 7) + 2;
    default: return sink - n;
    }
}
long (*choose(void))(long) { return chosen_one; }
long chosen(long n) __attribute__((ifunc("choose")));

/* Code without probes, whose symbol has no size. */
long spin(long n);
__asm__(".text\n.globl spin\n.type spin, @function\nspin: xorl %eax, %eax\n"
        "1: addq %rdi, %rax\ndecq %rdi\njns 1b\nret\n");

/* With partial inlining what comes behind the first line is a function of its own: part.N.extracted. */
static long part(long n)
{
    if (__builtin_expect(n < 0, 1)) return 0;
    for (long i = 0; i < n; i++) {
        sink += i;
        if (sink & 1) sink += hidden(i & 3);
        sink ^= n;
        if ((i & 15) == 3) sink -= spin(n & 7);
    }
    return sink;
}
OUT long parts(long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++) sum += part(i & 7 ? -1 : i);
    return sum;
}
OUT long more_parts(long n)
{
    long sum = 1;
    for (long i = 0; i < n; i++) sum ^= part(i & 3 ? -1 : i);
    return sum;
}

/* Equal code, which a linker may fold. */
OUT long equal(long n)
{
    for (; n > 3; n /= 2) sink += n;
    return sink;
}
OUT long equal_too(long n)
{
    for (; n > 3; n /= 2) sink += n;
    return sink;
}

int main(int argc, char **argv)
{
    const long rounds = argc > 1 ? argv[1][0] - '0' : 3;
    long sum = 0;
    for (long i = 0; i < 200 * rounds; i++) {
        sum += walk(i & 7) + alias_of_walk(i & 3) + hidden(i & 15) + chosen(i) + in_own(i & 7);
        sum ^= across(i & 31) + spin(i & 7) + parts(i & 31) - more_parts(i & 15) + equal(i) + equal_too(i & 63);
    }
    printf("%ld\n", sum);
    return 0;
}
