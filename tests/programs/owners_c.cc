// owners_c.cc - code that only its order tells apart: equal functions side by side, small methods in sections of
// their own, copies of one function. symbols.sh records it and takes the symbols away.
static volatile long sink;

struct shape {
    long side;
    explicit shape(long n) : side(n) {}
    virtual long area() const { return side; }
    virtual void grow() { sink = side; }
    virtual long edges() const { return 0; }
};
struct square : shape {
    explicit square(long n) : shape(n) {}
    long area() const override { return side * side; }
    void grow() override { sink = side + 1; side = sink & 31; }
    long edges() const override { return 4; }
};
struct cube : shape {
    explicit cube(long n) : shape(n) {}
    long area() const override { return 6 * side * side; }
    void grow() override { sink = side + 2; side = sink & 15; }
    long edges() const override { return 12; }
};
template <int N> __attribute__((noinline)) long times(long n)
{
    long s = 0;
    for (long i = 0; i < n; i++) s += i * N ^ sink;
    return s;
}
__attribute__((noinline)) long first(const long *a, long n)
{
    long s = 0;
    for (long i = 0; i < n; i++) s += a[i] * a[i] ^ 3;
    return s;
}
__attribute__((noinline)) long second(const long *a, long n)
{
    long s = 0;
    for (long i = 0; i < n; i++) s += a[i] * a[i] ^ 3;
    return s;
}
__attribute__((noinline)) long apply(long (*f)(long), long n, long mode)
{
    long s = 0;
    for (long i = 0; i < n; i++) {
        s += f(i);
        if (mode == 3) s ^= i;
    }
    return s;
}
__attribute__((noinline)) long add(long x) { return sink + x; }
__attribute__((noinline)) long take(long x) { return sink - x; }

int main()
{
    long a[16] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 }, r = 0;
    square q(3);
    cube c(2);
    shape plain(1), *const all[3] = { &q, &c, &plain };
    for (long k = 0; k < 60; k++) {
        shape *volatile s = all[k % 3];
        s->grow();
        r += s->area() + s->edges() + first(a, k & 15) + second(a, k & 7);
        r += times<2>(k & 7) + times<3>(k & 3) + times<5>(k & 1);
        r += apply(add, k & 7, 3) + apply(take, k & 3, k);
    }
    sink = r;
    return 0;
}
