/* sorts.c - quicksort (Hoare), heapsort (Williams, Floyd), shell sort (Ciura's gaps), merge sort, radix sort, and searches */
#include <stdio.h>
enum { N = 3000 };
static int a[N], b[N], buffer[N], gaps[] = { 701, 301, 132, 57, 23, 10, 4, 1 };
static unsigned seed = 42;

static void fill(int *v)
{
    int i;
    for (i = 0; i < N; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        v[i] = (int)(seed % 20000) - 10000;
    }
}

static void quicksort(int *v, int n)
{
    int i = 0, j = n - 1, pivot = v[n / 2], t;
    if (n < 2) return;
    while (1) {
        while (v[i] < pivot) i++;
        while (v[j] > pivot) j--;
        if (i >= j) break;
        t = v[i], v[i] = v[j], v[j] = t;
        i++;
        j--;
    }
    quicksort(v, i);
    quicksort(v + i, n - i);
}

static void heapsort(int *v, int n)
{
    int start = n / 2, end = n, root, child, t;
    while (end > 1) {
        if (start > 0) start--;
        else {
            end--;
            t = v[end], v[end] = v[0], v[0] = t;
        }
        root = start;
        while ((child = 2 * root + 1) < end) {
            if (child + 1 < end && v[child] < v[child + 1]) child++;
            if (v[root] >= v[child]) break;
            t = v[root], v[root] = v[child], v[child] = t;
            root = child;
        }
    }
}

static void shellsort(int *v, int n)
{
    int g, i, j, x;
    for (g = 0; g < 8; g++)
        for (i = gaps[g]; i < n; i++) {
            x = v[i];
            for (j = i; j >= gaps[g] && v[j - gaps[g]] > x; j -= gaps[g]) v[j] = v[j - gaps[g]];
            v[j] = x;
        }
}

static void mergesort(int *v, int n)
{
    int half = n / 2, i = 0, j = n / 2, k;
    if (n < 2) return;
    mergesort(v, half);
    mergesort(&v[half], n - half);
    for (k = 0; k < n; k++) buffer[k] = j >= n || (i < half && v[i] <= v[j]) ? v[i++] : v[j++];
    for (k = 0; k < n; k++) v[k] = buffer[k];
}

static void radixsort(int *v, int n)
{
    int count[257];
    int shift, i;
    for (shift = 0; shift < 32; shift += 8) {
        for (i = 0; i < 257; i++) count[i] = 0;
        for (i = 0; i < n; i++) count[((v[i] ^ 0x80000000) >> shift & 255) + 1]++;
        for (i = 0; i < 256; i++) count[i + 1] += count[i];
        for (i = 0; i < n; i++) buffer[count[(v[i] ^ 0x80000000) >> shift & 255]++] = v[i];
        for (i = 0; i < n; i++) v[i] = buffer[i];
    }
}

static int find(int *v, int n, int x)
{
    int low = 0, high = n, middle;
    do {
        middle = low + (high - low) / 2;
        if (v[middle] == x) return middle;
        if (v[middle] < x) low = middle + 1; else high = middle;
    } while (low < high);
    return -1;
}

int main(void)
{
    int how, i, wrong = 0, found = 0;
    for (how = 0; how < 5; how++) {
        fill(a);
        for (i = 0; i < N; i++) b[i] = a[i];
        switch (how) {
        case 0: quicksort(b, N); break;
        case 1: heapsort(b, N); break;
        case 2: shellsort(b, N); break;
        case 3: mergesort(b, N); break;
        default: radixsort(b, N);
        }
        for (i = 1; i < N; i++) wrong += b[i - 1] > b[i];
        for (i = 0; i < N; i++) if (find(b, N, a[i]) < 0) wrong++;
        for (i = -1000; i < 1000; i++) found += find(b, N, i) >= 0;
        printf("%d %d %d %d %d\n", how, b[0], b[N / 2], b[N - 1], wrong);
    }
    printf("%d\n", found);
    return wrong != 0;
}
