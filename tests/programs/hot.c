/* hot.c - for profiles by line: a static function that is inlined, one that is too large for it, indirect calls, and
 * an error path that never runs. hot N: N rounds. */
#include <stdio.h>
#include <stdlib.h>

typedef unsigned (*step)(unsigned);

static unsigned add(unsigned x) { return x * 5 + 1; }
static unsigned drop(unsigned x) { return x ^ x >> 7; }
static step const steps[] = { add, add, add, drop };

static unsigned seldom(unsigned x)
{
    unsigned i;
    for (i = 0; i < x % 17; i++) x = x << 3 ^ i;
    return x;
}

static unsigned large(unsigned x, unsigned *sum)
{
    unsigned i;
    for (i = 0; i < 12; i++) {
        switch (x % 9) {
        case 0: x = add(x); break;
        case 1: x = drop(x) + i; break;
        case 2: x = x * 7 + 3; break;
        case 3: x = x << 2 ^ x >> 3; break;
        default: x += 11 * i; break;
        }
        if (x == 0xffffffffu) {
            fprintf(stderr, "x is %u at %u\n", x, i);
            exit(1);
        }
        *sum += x;
    }
    return x;
}

int main(int argc, char **argv)
{
    const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
    unsigned i, x = 1, sum = 0;
    for (i = 0; i < rounds; i++) {
        x = large(x, &sum);
        if (i % 64 == 63) x = seldom(x);
        else x = steps[i & 3](x);
    }
    if (argc > 2) x = large(x, &sum);
    printf("%u %u\n", x, sum);
    return 0;
}
