/* pictures.c - a picture is made, written, read, resized and packed into a sheet with others */
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
#define STB_IMAGE_RESIZE_IMPLEMENTATION
#include <stb/stb_image_resize.h>
#define STB_PERLIN_IMPLEMENTATION
#include <stb/stb_perlin.h>
#define STB_RECT_PACK_IMPLEMENTATION
#include <stb/stb_rect_pack.h>
#define STB_DXT_IMPLEMENTATION
#include <stb/stb_dxt.h>

#include <stdlib.h>
#include <string.h>

enum { SIDE = 48, MOST = 1 << 16 };

struct file {
    unsigned char data[MOST];
    int size;
};

static void append(void *to, void *data, int size)
{
    struct file *f = (struct file *)to;
    if (size > MOST - f->size) return;
    memcpy(f->data + f->size, data, (size_t)size);
    f->size += size;
}

static int packed(unsigned seed)
{
    stbrp_context c;
    stbrp_node nodes[256];
    stbrp_rect r[20];
    int i, n = 0;
    memset(r, 0, sizeof r);
    for (i = 0; i < 20; i++) {
        r[i].w = (stbrp_coord)(8 + (seed + (unsigned)i) * 7 % 40);
        r[i].h = (stbrp_coord)(8 + (seed + (unsigned)i) * 5 % 30);
    }
    stbrp_init_target(&c, 256, 256, nodes, 256);
    stbrp_pack_rects(&c, r, 20);
    for (i = 0; i < 20; i++) n += r[i].was_packed;
    return n;
}

double pictures(unsigned seed)
{
    static unsigned char pixels[SIDE * SIDE * 4], small[16 * 16 * 4], block[16];
    static struct file f;
    unsigned char *back;
    int x, y, w, h, n, sum = 0;
    for (y = 0; y < SIDE; y++)
        for (x = 0; x < SIDE * 4; x++)
            pixels[y * SIDE * 4 + x] = (unsigned char)(128 + 100 * stb_perlin_noise3((float)x / 9, (float)y / 7, (float)seed, 0, 0, 0));
    if (seed % 3 == 0) stbi_write_png_to_func(append, &f, SIDE, SIDE, 4, pixels, SIDE * 4);
    else if (seed % 3 == 1) stbi_write_jpg_to_func(append, &f, SIDE, SIDE, 4, pixels, 90);
    else stbi_write_tga_to_func(append, &f, SIDE, SIDE, 4, pixels);
    back = stbi_load_from_memory(f.data, f.size, &w, &h, &n, 4);
    if (back == NULL) return -1;
    stbir_resize_uint8(back, w, h, 0, small, 16, 16, 0, 4);
    stbi_image_free(back);
    stb_compress_dxt_block(block, small, 0, STB_DXT_NORMAL);
    for (x = 0; x < 16; x++) sum += block[x];
    return sum + packed(seed);
}
