/* sort.c - one sort for three orders: what less() does depends on who asked for the sort */
#include <stdio.h>
enum { N = 2000, ROUNDS = 60, UP = 0, BY_DIGITS, BY_WORDS };
static int a[N], b[N], work[N];
static unsigned seed = 1;

static int digits(int x)
{
    int sum = 0;
    while (x != 0) {
        sum += x % 10;
        x /= 10;
    }
    return sum;
}

static int words(int x)
{
    int n = 0, i;
    for (i = 0; i < 32; i += 4)
        if ((x >> i & 15) == 3) n += 5;
        else if ((x >> i & 15) > 9) n++;
    return n;
}

static int less(int order, int x, int y)
{
    int p, q;
    if (order == UP) return x < y;
    if (order == BY_DIGITS) {
        p = digits(x);
        q = digits(y);
    } else {
        p = words(x);
        q = words(y);
    }
    return p != q ? p < q : x < y;
}

static void sift(int *v, int from, int n, int order)
{
    int child, x = v[from];
    while ((child = 2 * from + 1) < n) {
        if (child + 1 < n && less(order, v[child], v[child + 1])) child++;
        if (!less(order, x, v[child])) break;
        v[from] = v[child];
        from = child;
    }
    v[from] = x;
}

static void heapsort(int *v, int n, int order)
{
    int i, x;
    for (i = n / 2; i-- > 0;) sift(v, i, n, order);
    for (i = n - 1; i > 0; i--) {
        x = v[0];
        v[0] = v[i];
        v[i] = x;
        sift(v, 0, i, order);
    }
}

static unsigned check(int *v, int n)
{
    unsigned h = 0;
    int i;
    for (i = 0; i < n; i++) h = h * 31 + v[i];
    return h;
}

static unsigned by_value(void)
{
    int i;
    for (i = 0; i < N; i++) work[i] = a[i];
    heapsort(work, N, UP);
    return check(work, N);
}

static unsigned by_digits(void)
{
    int i;
    for (i = 0; i < 100; i++) work[i] = a[i];
    heapsort(work, 100, BY_DIGITS);
    return check(work, 100);
}

static unsigned by_words(void)
{
    int i;
    for (i = 0; i < 100; i++) work[i] = b[i];
    heapsort(work, 100, BY_WORDS);
    return check(work, 100);
}

int main(void)
{
    unsigned sum = 0;
    int round, i;
    for (round = 0; round < ROUNDS; round++) {
        for (i = 0; i < N; i++) {
            seed = seed * 1103515245 + 12345;
            a[i] = seed >> 8 & 0xfffff;
            b[i] = a[i] ^ 0x55555;
        }
        sum = sum * 7 + by_value();
        sum = sum * 7 + by_digits();
        sum = sum * 7 + by_words();
    }
    printf("%u\n", sum);
    return 0;
}
