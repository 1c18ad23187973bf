/* demo.c - a small program whose profile is only right with calling contexts
 *
 * It makes a list of orders, sorts it by price and by customer with one sort function and two comparators, prices
 * each order with a little expression tree, and packs the result twice with one packer: once text, once noise.
 * So the same function behaves differently under each caller, and a profile without contexts shows only the average:
 *
 *     less_price / less_customer   the call in part() goes to one of them, always the same one under one caller
 *     pack()                       finds runs under pack_text(), none under pack_noise()
 *     evaluate()                   is recursive; what it reaches depends on the operator above it
 *     mix()                        is inlined everywhere
 *
 * About two million instructions: a software LBR records all of it in seconds.
 * The functions are not static, so that their names in the profile do not depend on the compiler's file path.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ORDERS = 500, ROUNDS = 2 };

typedef struct order {
    char     customer[12];
    uint32_t price, amount, total;
} order;

typedef int less_fn(const order *a, const order *b);

typedef struct expression {
    int      op;                        /* '#' number, 'p' price, 'a' amount, + - * m(inimum) */
    uint32_t number;
    const struct expression *left, *right;
} expression;

uint32_t mix(uint32_t *state);
int  less_price(const order *a, const order *b);
int  less_customer(const order *a, const order *b);
int  part(order *v, int n, less_fn *less);
void insertion(order *v, int n, less_fn *less);
void sort(order *v, int n, less_fn *less);
void report_by_price(order *v, int n);
void report_by_customer(order *v, int n);
uint32_t evaluate(const expression *e, const order *o);
void price_orders(order *v, int n);
int  pack(const unsigned char *in, int n, unsigned char *out);
int  pack_text(const order *v, int n, unsigned char *out);
int  pack_noise(uint32_t *state, int n, unsigned char *out);
void make_orders(order *v, int n, uint32_t *state);

uint32_t mix(uint32_t *state)
{
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

__attribute__((noinline)) int less_price(const order *a, const order *b)
{
    return a->price < b->price;
}

__attribute__((noinline)) int less_customer(const order *a, const order *b)
{
    const char *x = a->customer, *y = b->customer;
    while (*x == *y && *x != '\0') {
        x++;
        y++;
    }
    return *x != *y ? *x < *y : less_price(a, b);
}

/* Moves what is less than the pivot to the front; returns where the pivot went. */
__attribute__((noinline)) int part(order *v, int n, less_fn *less)
{
    order pivot = v[n / 2], t;
    int i, at = 0;
    v[n / 2] = v[n - 1];
    v[n - 1] = pivot;
    for (i = 0; i < n - 1; i++) {
        if (!less(&v[i], &pivot)) continue;
        t = v[i];
        v[i] = v[at];
        v[at++] = t;
    }
    t = v[at];
    v[at] = v[n - 1];
    v[n - 1] = t;
    return at;
}

__attribute__((noinline)) void insertion(order *v, int n, less_fn *less)
{
    int i, k;
    for (i = 1; i < n; i++) {
        const order o = v[i];
        for (k = i; k > 0 && less(&o, &v[k - 1]); k--) v[k] = v[k - 1];
        v[k] = o;
    }
}

void sort(order *v, int n, less_fn *less)
{
    while (n > 12) {
        const int at = part(v, n, less);
        if (at < n - at - 1) {
            sort(v, at, less);
            v += at + 1;
            n -= at + 1;
        } else {
            sort(v + at + 1, n - at - 1, less);
            n = at;
        }
    }
    insertion(v, n, less);
}

__attribute__((noinline)) void report_by_price(order *v, int n)
{
    sort(v, n, less_price);
    printf("cheapest %u, median %u\n", (unsigned)v[0].price, (unsigned)v[n / 2].price);
}

__attribute__((noinline)) void report_by_customer(order *v, int n)
{
    sort(v, n, less_customer);
    printf("first %s, last %s\n", v[0].customer, v[n - 1].customer);
}

__attribute__((noinline)) uint32_t evaluate(const expression *e, const order *o)
{
    uint32_t a, b;
    switch (e->op) {
    case '#': return e->number;
    case 'p': return o->price;
    case 'a': return o->amount;
    default: break;
    }
    a = evaluate(e->left, o);
    b = evaluate(e->right, o);
    switch (e->op) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    default: return a < b ? a : b;
    }
}

/* total = price * amount - min(price * 2, 500) + 3 */
__attribute__((noinline)) void price_orders(order *v, int n)
{
    static const expression price = { 'p', 0, NULL, NULL }, amount = { 'a', 0, NULL, NULL };
    static const expression two = { '#', 2, NULL, NULL }, most = { '#', 500, NULL, NULL }, fee = { '#', 3, NULL, NULL };
    static const expression gross = { '*', 0, &price, &amount }, twice = { '*', 0, &price, &two };
    static const expression rebate = { 'm', 0, &twice, &most }, net = { '-', 0, &gross, &rebate };
    static const expression total = { '+', 0, &net, &fee };
    int i;
    for (i = 0; i < n; i++) v[i].total = evaluate(&total, &v[i]);
}

/* Run-length packing: a run of 3 to 66 equal bytes becomes two bytes, others are copied. */
__attribute__((noinline)) int pack(const unsigned char *in, int n, unsigned char *out)
{
    int i = 0, size = 0, run;
    while (i < n) {
        for (run = 1; run < 66 && i + run < n && in[i + run] == in[i]; run++) { }
        if (run >= 3) {
            out[size++] = (unsigned char)(0xc0 + (run - 3));
            out[size++] = in[i];
        } else {
            run = 1;
            out[size++] = in[i];
        }
        i += run;
    }
    return size;
}

__attribute__((noinline)) int pack_text(const order *v, int n, unsigned char *out)
{
    unsigned char line[24];
    int i, size = 0;
    for (i = 0; i < n; i++) {
        memset(line, ' ', sizeof line);
        memcpy(line, v[i].customer, strlen(v[i].customer));
        line[sizeof line - 1] = (unsigned char)('0' + v[i].total % 10);
        size += pack(line, (int)sizeof line, out + size);
    }
    return size;
}

__attribute__((noinline)) int pack_noise(uint32_t *state, int n, unsigned char *out)
{
    unsigned char line[24];
    int i, k, size = 0;
    for (i = 0; i < n; i++) {
        for (k = 0; k < (int)sizeof line; k++) line[k] = (unsigned char)(mix(state) >> 7);
        size += pack(line, (int)sizeof line, out + size);
    }
    return size;
}

__attribute__((noinline)) void make_orders(order *v, int n, uint32_t *state)
{
    static const char *const names[] = { "adams", "baker", "bakers", "clark", "clarke", "davis", "evans", "frank" };
    int i;
    for (i = 0; i < n; i++) {
        memset(&v[i], 0, sizeof v[i]);
        strcpy(v[i].customer, names[mix(state) >> 13 & 7]);
        v[i].price = 1 + (mix(state) >> 9) % 900;
        v[i].amount = 1 + mix(state) % 9;
    }
}

int main(void)
{
    static order orders[ORDERS];
    static unsigned char out[ORDERS * 24];
    uint32_t state = 2463534242u;
    unsigned long text = 0, noise = 0;
    int round;
    for (round = 0; round < ROUNDS; round++) {
        make_orders(orders, ORDERS, &state);
        report_by_price(orders, ORDERS);
        price_orders(orders, ORDERS);
        report_by_customer(orders, ORDERS);
        text += (unsigned long)pack_text(orders, ORDERS, out);
        noise += (unsigned long)pack_noise(&state, ORDERS / 2, out);
    }
    printf("packed: %lu bytes of text, %lu bytes of noise\n", text, noise);
    return 0;
}
