/* input.h - what the drivers of `make -C bench stale-real` work on: the same on every machine, another for each seed */
#ifndef INPUT_H
#define INPUT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t input_state = 1;

/* A number below n. */
static unsigned input_below(unsigned n)
{
    input_state ^= input_state << 13;
    input_state ^= input_state >> 7;
    input_state ^= input_state << 17;
    return (unsigned)((input_state >> 16) % n);
}

/* The arguments SEED and ROUNDS. Returns ROUNDS. */
static int input_begin(int argc, char **argv)
{
    int i;
    input_state = 88172645463325252u + 7919u * (uint64_t)(argc > 1 ? atoi(argv[1]) : 1);
    for (i = 0; i < 20; i++) input_below(2);
    return argc > 2 ? atoi(argv[2]) : 1;
}

/* A word of 1 to 12 letters, of which short ones come more often. Returns its length. */
static int input_word(char *to)
{
    static const char vowels[] = "eaiouea", rest[] = "tnsrhldcmfpgwybvk";
    int n = 1 + (int)input_below(4) + (int)input_below(5) * (int)input_below(3), i;
    const unsigned kind = input_below(64);
    uint64_t saved = input_state;
    if (kind < 48) input_state = 0x9e3779b97f4a7c15u * (kind + 1);       /* one of the common words */
    if (kind < 48) n = 2 + (int)input_below(6);
    for (i = 0; i < n; i++) to[i] = (i & 1) ? vowels[input_below(7)] : rest[input_below(17)];
    to[n] = 0;
    if (kind < 48) input_state = saved;
    return n;
}

/* Words, numbers and punctuation, size bytes and a 0. For free. */
static char *input_text(size_t size)
{
    char *to = (char *)malloc(size + 32);
    size_t n = 0;
    while (n < size) {
        n += (size_t)(input_below(20) == 0 ? sprintf(to + n, "%u", input_below(100000)) : input_word(to + n));
        if (input_below(9) == 0) to[n++] = ".,;:!?"[input_below(6)];
        to[n++] = input_below(12) == 0 ? '\n' : ' ';
    }
    to[size] = 0;
    return to;
}

/* A sum over bytes, to be printed: nothing of the work can be left out. */
static unsigned input_sum(unsigned sum, const void *data, size_t size)
{
    const unsigned char *p = (const unsigned char *)data;
    while (size-- > 0) sum = sum * 31 + *p++;
    return sum;
}

#endif
