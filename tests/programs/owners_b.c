/* owners_b.c - see owners_a.c */
#include "owners.h"

OUT static long helper(long n)
{
    long sum = 1;
    while (n > 1) {
        sum += n & 7;
        n = n / 3 + (sum & 1);
        if (sum > 1000) sum -= 999;
    }
    return sum;
}

OUT long across(long n)
{
    long sum = sink;
    for (long i = 0; i < n; i++) sum += helper(i + n);
    return sum;
}
