// claims.cpp - two versions (-DVERSION=1, 2) for `csspgo match`: one function became two, each of which looks like it;
// with -DODD these have other names, the first one that no terminal should see
#include <stdio.h>
#define KEEP __attribute__((noinline))
KEEP int fa(int x) { return x * 3 + printf("%s", ""); }
KEEP int fb(int x) { return x ^ printf("%s", ""); }
#define BODY                                 \
    long s = 0;                              \
    for (int i = 0; i < n; i++) {            \
        if (i % 3 == 0) s += fa(i);          \
        else if (i % 5 == 0) s += fb(i);     \
        if (s > 1000) s = fa((int)s);        \
        if (s < -1000) s += fb((int)s);      \
    }
#if VERSION == 1
KEEP long work(int n) { BODY return s; }
#define WORK_A(n) work(n)
#define WORK_B(n) work(n)
#define MORE(x)
#else
#ifdef ODD
KEEP long odd(int n) __asm__("wo\033[31mrk");
KEEP long odd(int n) { BODY return s; }
#define WORK_A(n) odd(n)
#define work other
#else
KEEP long work(long n) { BODY return s; }
#define WORK_A(n) work((long)(n))
#endif
KEEP long work(int n, int m) { BODY if (s == m) s = fa(m); return s; }
#define WORK_B(n) work(n, 1)
#define MORE(x) if (x == 77) x = fb(1);
#endif
KEEP long one(int n) { long s = fb(n); for (int i = 0; i < 5; i++) s += WORK_A(n); s += fa(n); MORE(s) return s; }
KEEP long two(int n) { long s = fa(n); for (int i = 0; i < 5; i++) s += WORK_B(n); s += fb(n); MORE(s) return s; }
int main(int c, char **)
{
    long s = 0;
    for (int i = 0; i < 100; i++) s += one(20 * c) + two(20 * c);
    return s == 5;
}
