struct shape { virtual long area(long) = 0; virtual ~shape() {} long size = 3; };
struct square : shape { long area(long k) override; };
long square::area(long k) { return size * size + k; }
namespace { struct circle : shape { long area(long k) override { return 3 * size * k; } }; }
static inline long twice(shape *s, long k) { return 2 * s->area(k); }
__attribute__((noinline)) shape *make(int kind) { if (kind) return new square; return new circle; }
__attribute__((noinline)) long run(int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++) {
        shape *s = make(i & 3);
        sum += twice(s, i);
        delete s;
    }
    return sum;
}
int main(int argc, char **argv) { return run(argc * 1000) & 1; }
