/* hashes.c - SHA-256 (FIPS 180-4), CRC-32, Adler-32, FNV-1a, XTEA, base64 */
#include <stdio.h>
static unsigned k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2 };
static unsigned state[8];
static unsigned char block[64], buffer[1000];
static unsigned crc_table[256];

static unsigned rotate(unsigned x, int n) { return x >> n | x << (32 - n); }

static void compress(void)
{
    unsigned w[64];
    unsigned v[8];
    unsigned a, b;
    int i;
    for (i = 0; i < 16; i++)
        w[i] = (unsigned)block[i * 4] << 24 | block[i * 4 + 1] << 16 | block[i * 4 + 2] << 8 | block[i * 4 + 3];
    for (; i < 64; i++) {
        a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    for (i = 0; i < 8; i++) v[i] = state[i];
    for (i = 0; i < 64; i++) {
        a = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
        b = (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        v[7] = v[6], v[6] = v[5], v[5] = v[4], v[4] = v[3] + a, v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = a + b;
    }
    for (i = 0; i < 8; i++) state[i] += v[i];
}

int start(void);
static void sha256(const unsigned char *p, int n)
{
    int i, used = 0, total = n;
    start();
    for (; n > 0; n--) {
        block[used++] = *p++;
        if (used == 64) compress(), used = 0;
    }
    block[used++] = 128;
    if (used > 56) {
        while (used < 64) block[used++] = 0;
        compress();
        used = 0;
    }
    while (used < 60) block[used++] = 0;
    for (i = 24; i >= 0; i -= 8) block[used++] = total * 8 >> i;
    compress();
    for (i = 0; i < 8; i++) printf("%08x", state[i]);
    printf("\n");
}

int start(void)
{
    state[0] = 0x6a09e667, state[1] = 0xbb67ae85, state[2] = 0x3c6ef372, state[3] = 0xa54ff53a;
    state[4] = 0x510e527f, state[5] = 0x9b05688c, state[6] = 0x1f83d9ab, state[7] = 0x5be0cd19;
    return 0;
}

static unsigned crc32(unsigned char *p, int n)
{
    unsigned c, i, j;
    for (i = 0; i < 256; i++) {
        for (c = i, j = 0; j < 8; j++) c = c & 1 ? 0xedb88320 ^ c >> 1 : c >> 1;
        crc_table[i] = c;
    }
    for (c = 0xffffffff; n-- > 0; p++) c = crc_table[(c ^ *p) & 255] ^ c >> 8;
    return ~c;
}

static unsigned adler32(unsigned char *p, int n)
{
    unsigned a = 1, b = 0;
    int i;
    for (i = 0; i < n; i++) {
        a = (a + p[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static void xtea(unsigned *v, unsigned *key, int rounds)
{
    unsigned v0 = v[0], v1 = v[1], sum = 0, delta = 0x9e3779b9;
    while (rounds--) {
        v0 += (((v1 << 4) ^ (v1 >> 5)) + v1) ^ (sum + key[sum & 3]);
        sum += delta;
        v1 += (((v0 << 4) ^ (v0 >> 5)) + v0) ^ (sum + key[(sum >> 11) & 3]);
    }
    v[0] = v0;
    v[1] = v1;
}

static void base64(const unsigned char *p, int n)
{
    const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    int i, v;
    for (i = 0; i < n; i += 3) {
        v = p[i] << 16 | (i + 1 < n ? p[i + 1] << 8 : 0) | (i + 2 < n ? p[i + 2] : 0);
        putchar(digits[v >> 18]);
        putchar(digits[v >> 12 & 63]);
        putchar(i + 1 < n ? digits[v >> 6 & 63] : '=');
        putchar(i + 2 < n ? digits[v & 63] : '=');
    }
    putchar('\n');
}

int main(void)
{
    unsigned v[2];
    unsigned key[4];
    unsigned h = 2166136261u;
    int i;
    for (i = 0; i < 1000; i++) buffer[i] = i * i + 7 * i;
    sha256("", 0);
    sha256("abc", 3);
    sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56);
    sha256(buffer, 1000);
    printf("%08x %08x\n", crc32(buffer, 1000), adler32(buffer, 1000));
    for (i = 0; i < 1000; i++) h = (h ^ buffer[i]) * 16777619;
    v[0] = 0x41424344, v[1] = 0x45464748;
    for (i = 0; i < 4; i++) key[i] = 0x00010203 + i * 0x04040404;
    xtea(v, key, 32);
    printf("%08x %08x %08x\n", h, v[0], v[1]);
    base64("any carnal pleas", 16);
    base64(buffer, 100);
    return 0;
}
