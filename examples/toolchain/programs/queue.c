/* queue.c - one priority queue for three users, who order their items differently: what less() does depends on who asks */
#include <stdio.h>
enum { MOST = 300, ROUNDS = 100000, BY_TIME = 0, BY_WEIGHT, BY_NAME };
static int times[MOST], weights[MOST], names[MOST];
static unsigned seed = 1;

static int rnd(void)
{
    seed = seed * 1103515245 + 12345;
    return seed >> 8 & 0xffff;
}

static int weight(int x)          /* the sum of its digits */
{
    int sum = 0;
    while (x != 0) {
        sum += x % 10;
        x /= 10;
    }
    return sum;
}

static int compare_names(int x, int y)   /* letters of four bits, lower and upper case */
{
    int i, a, b;
    for (i = 0; i < 16; i += 4) {
        a = x >> i & 7;
        b = y >> i & 7;
        if (a != b) return a - b;
    }
    return (x & 0x8888) - (y & 0x8888);
}

static int less(int order, int x, int y)
{
    int p, q;
    switch (order) {
    case BY_NAME: return compare_names(x, y) < 0;
    case BY_WEIGHT:
        p = weight(x);
        q = weight(y);
        return p != q ? p < q : x < y;
    default: return x < y;
    }
}

static int push(int order, int *v, int n, int x)
{
    int up;
    while (n > 0) {
        up = (n - 1) / 2;
        if (!less(order, x, v[up])) break;
        v[n] = v[up];
        n = up;
    }
    v[n] = x;
    return x;
}

static int pop(int order, int *v, int n)
{
    int first = v[0], x = v[n - 1], at = 0, child = 1;
    while (child < n) {
        if (child + 1 < n && less(order, v[child + 1], v[child])) child++;
        if (!less(order, v[child], x)) break;
        v[at] = v[child];
        at = child;
        child = 2 * at + 1;
    }
    v[at] = x;
    return first;
}

static unsigned events(unsigned sum, int rounds)
{
    int i;
    for (i = 0; i < rounds; i++) {
        sum = sum * 31 + pop(BY_TIME, times, MOST);
        push(BY_TIME, times, MOST - 1, rnd());
    }
    return sum;
}

static unsigned parcels(unsigned sum, int rounds)
{
    int i;
    for (i = 0; i < rounds; i++) {
        sum = sum * 31 + pop(BY_WEIGHT, weights, MOST);
        push(BY_WEIGHT, weights, MOST - 1, rnd());
    }
    return sum;
}

static unsigned people(unsigned sum, int rounds)
{
    int i;
    for (i = 0; i < rounds; i++) {
        sum = sum * 31 + pop(BY_NAME, names, MOST);
        push(BY_NAME, names, MOST - 1, rnd());
    }
    return sum;
}

int main(void)
{
    unsigned sum = 0;
    int i;
    for (i = 0; i < MOST; i++) {
        push(BY_TIME, times, i, rnd());
        push(BY_WEIGHT, weights, i, rnd());
        push(BY_NAME, names, i, rnd());
    }
    for (i = 0; i < 10; i++) {
        sum = events(sum, ROUNDS);
        sum = parcels(sum, ROUNDS / 20);
        sum = people(sum, ROUNDS / 4);
    }
    printf("%u\n", sum);
    return 0;
}
