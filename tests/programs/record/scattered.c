/* scattered.c - a chain through 16,384 pages, and counts in as many: more memory than a burst copies */
#include <stdio.h>
#include <stdlib.h>
enum { PAGES = 1 << 14, WORDS = 1024 };
int main(void)
{
    unsigned *next = malloc((size_t)PAGES * WORDS * sizeof *next), *seen = calloc((size_t)PAGES * WORDS, sizeof *seen);
    unsigned i, at = 0;
    if (next == NULL || seen == NULL) return 2;
    for (i = 0; i < PAGES; i++) next[i * WORDS] = (i * 5 + 4321) % PAGES * WORDS;
    for (i = 0; i < 1500000; i++) at = next[at];
    for (i = 0; i < 700000; i++) seen[at = next[at]]++;
    printf("%u %u\n", at, seen[at]);
    return 0;
}
