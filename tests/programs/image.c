/* image.c - a driver over stb_image, stb_image_write and stb_ds: PNG out and in, a hash map, qsort with callbacks */
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_NO_SIMD
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>
#include <stb/stb_ds.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct blob { unsigned char *data; int size; } blob;

static void append(void *ctx, void *data, int size)
{
    blob *b = (blob *)ctx;
    b->data = (unsigned char *)realloc(b->data, (size_t)(b->size + size));
    memcpy(b->data + b->size, data, (size_t)size);
    b->size += size;
}

static int by_red(const void *a, const void *b) { return ((const unsigned char *)a)[0] - ((const unsigned char *)b)[0]; }
static int by_sum(const void *a, const void *b)
{
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    return (x[0] + x[1] + x[2]) - (y[0] + y[1] + y[2]);
}

static void paint(unsigned char *p, int w, int h, int seed)
{
    int x, y;
    for (y = 0; y < h; y++)
        for (x = 0; x < w; x++, p += 3) {
            p[0] = (unsigned char)(x * seed);
            p[1] = (unsigned char)(y ^ x);
            p[2] = (unsigned char)((x * y * seed) >> 2);
        }
}

static long colours(const unsigned char *p, int n)
{
    struct { int key; int value; } *map = NULL;
    long distinct;
    int i;
    for (i = 0; i < n; i++) {
        const int key = p[3 * i] << 16 | p[3 * i + 1] << 8 | p[3 * i + 2];
        hmput(map, key, hmget(map, key) + 1);
    }
    distinct = (long)hmlen(map);
    hmfree(map);
    return distinct;
}

int main(int argc, char **argv)
{
    enum { W = 24, H = 20 };
    unsigned char pixels[W * H * 3];
    long sum = 0;
    int round, w, h, n;
    (void)argv;
    for (round = 1; round < 4 + argc; round++) {
        blob b = { NULL, 0 };
        unsigned char *back;
        paint(pixels, W, H, round);
        stbi_write_png_to_func(append, &b, W, H, 3, pixels, W * 3);
        back = stbi_load_from_memory(b.data, b.size, &w, &h, &n, 3);
        if (back == NULL || memcmp(back, pixels, sizeof pixels) != 0) return 1;
        sum += b.size + colours(back, W * H);
        qsort(back, W * H, 3, round % 2 ? by_red : by_sum);
        sum += back[300];
        stbi_image_free(back);
        free(b.data);
    }
    printf("%ld\n", sum);
    return 0;
}
