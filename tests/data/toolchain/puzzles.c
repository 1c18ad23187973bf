/* puzzles.c - sieve of Eratosthenes, n queens, Levenshtein's distance, longest common subsequence, life, Collatz, towers of
 * Hanoi, gcd, fixed-point Mandelbrot set, matrix product, an interpreter of a language of eight commands */
#include <stdio.h>
enum { SIDE = 24 };
static char sieve[5000], grid[576], next[576], tape[300];
static int row[2000], table[4096], left[400], right[400], product[400], moves;

static int primes(int n)
{
    int i, j, count = 0;
    for (i = 2; i < n; i++)
        if (!sieve[i]) for (count++, j = i + i; j < n; j += i) sieve[j] = 1;
    return count;
}

static int queens(unsigned columns, unsigned down, unsigned up, unsigned all)
{
    unsigned free = all & ~(columns | down | up), bit;
    int count = 0;
    if (columns == all) return 1;
    while (free) {
        bit = free & -free;
        free ^= bit;
        count += queens(columns | bit, (down | bit) << 1, (up | bit) >> 1, all);
    }
    return count;
}

static int length(const char *s)
{
    int n = 0;
    while (s[n]) n++;
    return n;
}

static int min(int a, int b) { return a < b ? a : b; }
static int max(int a, int b) { return a > b ? a : b; }

static int distance(const char *a, const char *b)
{
    int i, j, corner, above, n = length(b);
    for (j = 0; j <= n; j++) row[j] = j;
    for (i = 1; a[i - 1]; i++) {
        corner = row[0];
        row[0] = i;
        for (j = 1; j <= n; j++) {
            above = row[j];
            row[j] = min(min(row[j] + 1, row[j - 1] + 1), corner + (a[i - 1] != b[j - 1]));
            corner = above;
        }
    }
    return row[n];
}

static int common(const char *a, const char *b)
{
    int i, j, n = length(a), m = length(b);
    for (i = 0; i <= n; i++)
        for (j = 0; j <= m; j++)
            table[i * 64 + j] = !i || !j ? 0 : a[i - 1] == b[j - 1] ? table[(i - 1) * 64 + j - 1] + 1
                                               : max(table[(i - 1) * 64 + j], table[i * 64 + j - 1]);
    return table[n * 64 + m];
}

static int around(int x, int y)
{
    int dx, dy, n = 0;
    for (dy = -1; dy <= 1; dy++)
        for (dx = -1; dx <= 1; dx++)
            if (dx || dy) n += grid[(y + dy + SIDE) % SIDE * SIDE + (x + dx + SIDE) % SIDE];
    return n;
}

static int life(int generations)
{
    int x, y, n, alive = 0;
    while (generations-- > 0) {
        for (y = 0; y < SIDE; y++)
            for (x = 0; x < SIDE; x++) {
                n = around(x, y);
                next[y * SIDE + x] = n == 3 || (n == 2 && grid[y * SIDE + x]);
            }
        for (x = 0; x < SIDE * SIDE; x++) grid[x] = next[x];
    }
    for (x = 0; x < SIDE * SIDE; x++) alive += grid[x];
    return alive;
}

static int collatz(unsigned n)
{
    int steps = 0;
    for (; n != 1; steps++) n = n & 1 ? 3 * n + 1 : n / 2;
    return steps;
}

static void hanoi(int n, int from, int to)
{
    if (n == 0) return;
    hanoi(n - 1, from, 6 - from - to);
    moves += from * 3 + to;
    hanoi(n - 1, 6 - from - to, to);
}

static int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }

static int mandelbrot(int size)
{
    int px, py, x, y, t, i, sum = 0;
    for (py = 0; py < size; py++)
        for (px = 0; px < size; px++) {
            x = y = 0;
            for (i = 0; i < 50 && x * x + y * y < 4 << 20; i++) {
                t = ((x * x - y * y) >> 10) + 3 * 1024 * px / size - 2 * 1024;
                y = (2 * x * y >> 10) + 2 * 1024 * py / size - 1024;
                x = t;
            }
            sum += i;
        }
    return sum;
}

static int multiply(int n)
{
    int i, j, k, sum = 0;
    for (i = 0; i < n * n; i++) {
        left[i] = i % 7 - 3;
        right[i] = i % 5 - 2;
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            product[i * n + j] = 0;
            for (k = 0; k < n; k++) product[i * n + j] += left[i * n + k] * right[k * n + j];
        }
    for (i = 0; i < n * n; i++) sum = sum * 3 + product[i];
    return sum;
}

static void eight(const char *code)
{
    int at = 0, p = 0, depth;
    for (; code[at]; at++)
        switch (code[at]) {
        case '>': p++; break;
        case '<': p--; break;
        case '+': ++tape[p]; break;
        case '-': --tape[p]; break;
        case '.': putchar(tape[p]); break;
        case '[':
            if (tape[p]) break;
            for (depth = 1; depth; depth += (code[at] == '[') - (code[at] == ']')) at++;
            break;
        case ']':
            if (!tape[p]) break;
            for (depth = 1; depth; depth += (code[at] == ']') - (code[at] == '[')) at--;
        }
}

int main(void)
{
    int i, longest = 0;
    printf("%d %d\n", primes(5000), queens(0, 0, 0, (1 << 8) - 1));
    printf("%d %d %d\n", distance("kitten", "sitting"), distance("saturday", "sunday"), common("nematode knowledge", "empty bottle"));
    grid[1] = grid[26] = grid[48] = grid[49] = grid[50] = 1;
    i = life(10);
    printf("%d %d %d\n", i, grid[3 * SIDE + 3], grid[4 * SIDE + 4]);
    for (i = 1; i < 3000; i++) if (collatz(i) > collatz(longest ? longest : 1)) longest = i;
    hanoi(10, 1, 3);
    printf("%d %d %d\n", longest, moves, gcd(1071 * 13, 462 * 13));
    printf("%d %d\n", mandelbrot(40), multiply(20));
    eight("++++++++[>++++[>++>+++>+++>+<<<<-]>+>+>->>+[<]<-]>>.>---.+++++++..+++.>>.<-.<.+++.------.--------.>>+.>++.");
    return 0;
}
