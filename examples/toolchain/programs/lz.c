/* lz.c - a compressor as LZF and LZ4 are: a hash table of places, copies of what was there before */
#include <stdio.h>
enum { SIZE = 30000, HASH = 4096, ROUNDS = 600, LIMIT = 8191 };
static unsigned char text[SIZE + 8], packed[2 * SIZE], back[SIZE + 300];
static int place[HASH], errors;
static unsigned seed = 7;
static char words[] = "the quick brown fox jumps over a lazy dog while sample profiles tell compilers which calls are hot ";

static int rnd(int n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 10) % n;
}

static void make_text(void)
{
    int n = 0, k;
    while (n < SIZE) {
        k = rnd(96);
        while (n < SIZE && words[k] != ' ') text[n++] = words[k++];
        if (n < SIZE) text[n++] = rnd(9) == 0 ? '\n' : ' ';
    }
}

static unsigned hash(unsigned char *p, int i)
{
    unsigned v = p[i] << 16 | p[i + 1] << 8 | p[i + 2];
    return v * 2654435761u >> 20;
}

static int emit(int at, int byte)
{
    if (at >= 2 * SIZE) {
        errors++;
        return at;
    }
    packed[at] = byte;
    return at + 1;
}

static int length_of(unsigned char *p, int a, int b, int end)
{
    int n = 0;
    while (b + n < end && n < 255 && p[a + n] == p[b + n]) n++;
    return n;
}

static int flush(int at, int from, int to)
{
    int n, i;
    while (from < to) {
        n = to - from < 127 ? to - from : 127;
        at = emit(at, n);
        for (i = 0; i < n; i++) at = emit(at, text[from + i]);
        from += n;
    }
    return at;
}

static int pack(int size)
{
    int i = 0, from = 0, at = 0, n, old;
    unsigned h;
    for (h = 0; h < HASH; h++) place[h] = -1;
    while (i + 3 < size) {
        h = hash(text, i);
        old = place[h];
        place[h] = i;
        n = old >= 0 && i - old < LIMIT ? length_of(text, old, i, size) : 0;
        if (n < 4) {
            i++;
            continue;
        }
        at = flush(at, from, i);
        at = emit(at, 128 | (i - old) >> 8);
        at = emit(at, i - old);
        at = emit(at, n);
        i += n;
        from = i;
    }
    return flush(at, from, size);
}

static int copy(int to, int from, int n)
{
    while (n-- > 0) {
        if (to > SIZE) {
            errors++;
            return to;
        }
        back[to++] = back[from++];
    }
    return to;
}

static int unpack(int size)
{
    int at = 0, to = 0, n, distance;
    while (at < size) {
        n = packed[at++];
        if (n & 128) {
            distance = (n & 127) << 8 | packed[at];
            to = copy(to, to - distance, packed[at + 1]);
            at += 2;
        } else while (n-- > 0) back[to++] = packed[at++];
    }
    return to;
}

int main(void)
{
    int round, size = 0, total = 0, i;
    make_text();
    for (round = 0; round < ROUNDS; round++) {
        size = pack(SIZE);
        total += unpack(size);
        for (i = 0; i < SIZE; i++) errors += text[i] != back[i];
        text[rnd(SIZE)] ^= 1;
    }
    printf("%d of %d bytes, %d, %d errors\n", size, SIZE, total, errors);
    return errors != 0;
}
