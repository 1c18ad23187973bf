/* modes.c - a function that two callers use in opposite ways: without contexts its branch is a coin's */
#include <stdio.h>

int sink;

int work(int i, int mode)
{
    if (mode) sink += i * 3;
    else sink ^= i;
    return sink & 7;
}

int adds(int n)
{
    int i, s = 0;
    for (i = 0; i < n; i++) s += work(i, 1);
    return s;
}

int flips(int n)
{
    int i, s = 0;
    for (i = 0; i < n; i++) s -= work(i, i == 7);
    return s;
}

int once(int i) { return i ^ sink; }
int twice(int i) { return work(i, i & 1) + once(i); }

int (*volatile choice[4])(int) = { once, once, twice, once };

__attribute__((noinline)) int run(int n)
{
    int i, s = 0;
    for (i = 0; i < n; i++) {
        s += adds(20) + flips(10);
        if (i % 50 == 3) s += twice(i);
        s += choice[i % 4](i);
    }
    return s;
}

int main(void)
{
    printf("%d\n", run(400) != 0);
    return 0;
}
