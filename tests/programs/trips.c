/* trips.c - one loop that two callers make run long or short: for `csspgo bottleneck` */
typedef struct node { struct node *next; long v; } node;

static node list[100];

/* Each iteration needs the product of the one before: a chain of dependencies. */
__attribute__((noinline)) long walk(const node *n, long k);
long walk(const node *n, long k)
{
    long s = 0;
    do {
        s += k;
        k = k * k + n->v;
        n = n->next;
    } while (n != 0);
    return s + k;
}

__attribute__((noinline)) long long_lists(long n);
long long_lists(long n)
{
    long s = 0, i;
    for (i = 0; i < n; i++) s += walk(&list[0], i);
    return s;
}

__attribute__((noinline)) long short_lists(long n);
long short_lists(long n)
{
    long s = 0, i;
    for (i = 0; i < n; i++) s += walk(&list[98], i);
    return s;
}

int main(void)
{
    int i;
    for (i = 0; i < 100; i++) {
        list[i].next = i < 99 ? &list[i + 1] : 0;
        list[i].v = i;
    }
    return (int)((long_lists(80) + short_lists(2000)) & 1);
}
