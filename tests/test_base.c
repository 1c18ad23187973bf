/* test_base.c - the base layer: hash tables under input that was chosen to make keys collide, in slots looked at. */
#undef  CSSPGO_IMPLEMENTATION_INCLUDED   /* with a copy of the library of its own */
#define CSSPGO_STATIC
#include <stdint.h>

static uint64_t looked_at;        /* slots */
#define CSSPGO__PROBED() ((void)looked_at++)
#include "t.h"

enum { KEYS = 2500, NAME = 40 };

typedef struct keys {             /* by number: a name and a GUID */
    char     name[KEYS][NAME];
    uint64_t guid[KEYS];
} keys;

static uint64_t rng = 88172645463325252u;

static uint64_t rnd(void)
{
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return rng;
}

static csspgo_options seeded(uint64_t seed)
{
    csspgo_options o;
    memset(&o, 0, sizeof o);
    o.hash_seed = seed;
    return o;
}

static csspgo_profile *profile_of(uint64_t seed)
{
    const csspgo_options o = seeded(seed);
    csspgo_profile *p = csspgo_profile_new(&o, NULL);
    if (p == NULL) abort();
    return p;
}

static void random_name(char *to)
{
    sprintf(to, "_ZN%08lx%08lx", (unsigned long)(rnd() & 0xffffffffu), (unsigned long)(rnd() & 0xffffffffu));
}

/* ----- what keys cost ----- */

static uint64_t cost_of_names(const keys *k, uint64_t seed)
{
    csspgo_profile *p = profile_of(seed);
    size_t i;
    looked_at = 0;
    for (i = 0; i < KEYS; i++) T_CHECK(csspgo_func_add(p, k->name[i], strlen(k->name[i])).id == i + 1);
    for (i = 0; i < KEYS; i++)
        if (csspgo_func_find(p, k->name[i], strlen(k->name[i])).id != i + 1) break;
    T_EQ(i, KEYS);
    csspgo_profile_free(p);
    return looked_at;
}

static uint64_t cost_of_guids(const keys *k, uint64_t seed)
{
    csspgo_profile *p = profile_of(seed);
    size_t i, round;
    looked_at = 0;
    for (round = 0; round < 2; round++) {
        for (i = 0; i < KEYS; i++)
            if (csspgo_func_add_guid(p, k->guid[i]).id != i + 1) break;
        T_EQ(i, KEYS);
    }
    csspgo_profile_free(p);
    return looked_at;
}

static uint64_t cost_of_descriptors(const keys *k, uint64_t seed)
{
    const csspgo_options o = seeded(seed);
    csspgo_probe_set *t = csspgo_probe_set_new(&o, NULL);
    csspgo_descriptor d;
    size_t i;
    if (t == NULL) abort();
    memset(&d, 0, sizeof d);
    d.name = "f";
    d.name_size = 1;
    looked_at = 0;
    for (i = 0; i < KEYS; i++) {
        d.guid = k->guid[i];
        if (csspgo_probe_set_add_descriptor(t, &d, NULL) != CSSPGO_OK) break;
    }
    T_EQ(i, KEYS);
    T_EQ(csspgo_probe_set_tables(t).descriptor_count, KEYS);
    csspgo_probe_set_free(t);
    return looked_at;
}

static unsigned char *put_le(unsigned char *p, uint64_t v, unsigned bytes)
{
    for (; bytes != 0; bytes--, v >>= 8) *p++ = (unsigned char)(v & 255);
    return p;
}

/* A pipe's header, two events with half of the ids each, and a sample of each id. */
static size_t make_perf_data(unsigned char *to, const keys *k)
{
    unsigned char *p = put_le(to, UINT64_C(0x32454c4946524550), 8);
    size_t i, e, n = KEYS / 2;
    p = put_le(p, 16, 8);
    for (e = 0; e < 2; e++) {
        unsigned char *attr = p + 8;
        p = put_le(p, 64, 4);
        p = put_le(p, 2, 2);
        p = put_le(p, 8 + 128 + 8 * n, 2);
        memset(attr, 0, 128);
        put_le(attr + 4, 128, 4);
        put_le(attr + 16, 1000, 8);
        put_le(attr + 24, 1 << 16 | 1 | 2, 8);         /* IDENTIFIER, IP, TID */
        p += 128;
        for (i = 0; i < n; i++) p = put_le(p, k->guid[e * n + i], 8);
    }
    for (i = 0; i < KEYS; i++) {
        p = put_le(p, 9, 4);
        p = put_le(p, 2, 2);
        p = put_le(p, 8 + 24, 2);
        p = put_le(p, k->guid[i], 8);
        p = put_le(p, 0x1000, 8);
        p = put_le(p, UINT64_C(0x100000001), 8);
    }
    return (size_t)(p - to);
}

static uint64_t cost_of_ids(const keys *k, uint64_t seed)
{
    const csspgo_options o = seeded(seed);
    csspgo_perfdata *d = csspgo_perfdata_new(&o, NULL);
    unsigned char *data = (unsigned char *)malloc(64 + 2 * 136 + KEYS * 40);
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_error e;
    csspgo_item item;
    size_t n = 0;
    if (d == NULL || data == NULL) abort();
    looked_at = 0;
    T_EQ(csspgo_perfdata_feed(d, data, make_perf_data(data, k), NULL), CSSPGO_OK);
    csspgo_perfdata_end(d);
    while ((item = csspgo_perfdata_next(d, &sample, &map, &e)) != CSSPGO_ITEM_NONE) n += item == CSSPGO_ITEM_SAMPLE;
    T_EQ(e.status, CSSPGO_OK);
    T_EQ(n, KEYS);
    csspgo_perfdata_free(d);
    free(data);
    return looked_at;
}

static const struct cost {
    const char *what;
    uint64_t (*of)(const keys *k, uint64_t seed);
} costs[] = {
    { "names", cost_of_names }, { "GUIDs", cost_of_guids }, { "descriptors", cost_of_descriptors },
    { "event ids", cost_of_ids }
};

/* Chosen keys cost at most three times what random ones do. */
static void check_flood(const keys *k, const char *how)
{
    static keys random;
    const uint64_t seeds[] = { 0, UINT64_C(0x0123456789abcdef) };
    size_t i, s;
    for (i = 0; i < KEYS; i++) {
        random_name(random.name[i]);
        random.guid[i] = rnd();
    }
    for (i = 0; i < sizeof costs / sizeof costs[0]; i++)
        for (s = 0; s < 2; s++) {
            const uint64_t chosen = costs[i].of(k, seeds[s]), usual = costs[i].of(&random, seeds[s]);
            T_CHECK(usual > KEYS / 2);
            if (T_CHECK(chosen <= 3 * usual)) continue;
            fprintf(stderr, "    %s, %s: %lu, random %lu\n", how, costs[i].what, (unsigned long)chosen,
                    (unsigned long)usual);
        }
}

/* ----- keys that are regular, or that the hash of version 0.1 was weak against ----- */

static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;
    int i;
    for (i = 0; i < 6; i++) x *= 2 - odd * x;
    return x;
}

/* Keys that hash to one number: what the older hash did, backwards. */
static uint64_t same_hash(uint64_t i)
{
    uint64_t h = (i << 32 | i) * inverse(UINT64_C(0xD6E8FEB86659FD93));
    h ^= h >> 32;
    return h * inverse(UINT64_C(0x9E3779B97F4A7C15));
}

static void regular_keys_cost_no_more_than_random_ones(void)
{
    static keys k;
    uint64_t i;
    unsigned way, bit;
    for (way = 0; way < 6; way++) {
        char how[16];
        for (i = 0; i < KEYS; i++) {
            k.guid[i] = way == 0 ? i + 1 : way == 1 ? (i + 1) << 32 : way == 2 ? (i + 1) << 52 | (i + 1) >> 12
                        : way == 3 ? same_hash(i + 1) : way == 4 ? UINT64_MAX - i * 4096 : (i + 1) * UINT64_C(0x100000001);
            if (way < 3) {
                sprintf(k.name[i], "%0*lu", (int)(4 + way * 13), (unsigned long)i);
                continue;
            }
            memset(k.name[i], 'a', NAME - 1);          /* names that differ in the highest bit of their bytes */
            for (bit = 0; bit < 12; bit++)
                if (i >> bit & 1) k.name[i][way == 3 ? bit * 3 + 2 : way == 4 ? bit : NAME - 2 - bit] = (char)('a' - 128);
            k.name[i][NAME - 1] = '\0';
        }
        sprintf(how, "way %u", way);
        check_flood(&k, how);
    }
}

/* ----- keys of an attacker who has the seed and the program, and picks the worst of many for every place ----- */

static void keys_chosen_with_the_seed_cost_no_more_than_random_ones(void)
{
    enum { TRIES = 48 };
    static keys k;
    size_t start, i, n;
    for (start = 0; start <= KEYS * 2 / 3; start += KEYS * 2 / 3) {   /* from the first key on, or late */
        csspgo_profile *names = profile_of(0), *guids = profile_of(0);
        for (i = 0; i < KEYS; i++) {
            uint64_t worst_name = 0, worst_guid = 0;
            for (n = 0; n < (i < start ? 1 : TRIES); n++) {
                char name[NAME];
                uint64_t cost;
                random_name(name);
                looked_at = 0;
                csspgo_func_find(names, name, strlen(name));
                cost = looked_at;
                if (n == 0 || cost > worst_name) {
                    strcpy(k.name[i], name);
                    worst_name = cost;
                }
                looked_at = 0;
                csspgo_func_find(guids, name, strlen(name));
                cost = looked_at;
                if (n == 0 || cost > worst_guid) {
                    k.guid[i] = csspgo_guid(name, strlen(name));
                    worst_guid = cost;
                }
            }
            csspgo_func_add(names, k.name[i], strlen(k.name[i]));
            csspgo_func_add_guid(guids, k.guid[i]);
        }
        csspgo_profile_free(names);
        csspgo_profile_free(guids);
        check_flood(&k, start == 0 ? "chosen" : "chosen late");
    }
}

/* ----- names that are indexed for lazy reading: found by their bytes in the file, also under another key ----- */

static void names_that_collide_are_found_lazily(void)
{
    enum { NAMES = 400, CHOSEN = 120, SLOTS = 1024 };
    static char name[NAMES][NAME];
    uint32_t md5;
    size_t i, n;
    for (md5 = 0; md5 < 2; md5++) {
        const uint32_t form = CSSPGO_EXTBINARY | (md5 ? CSSPGO_MD5 : 0);
        csspgo_profile *p = profile_of(0);
        csspgo_lazy *l;
        csspgo__map map;
        unsigned char *data;
        csspgo__map_init(&p->heap, &map, NULL);
        for (i = 0; i < NAMES; i++) {
            csspgo_node node;
            uint32_t hash;
            do {
                random_name(name[i]);
                n = strlen(name[i]);
                hash = md5 ? csspgo__hash64(&map, csspgo_guid(name[i], n), 0) : csspgo__hash_bytes(&map, name[i], n, 0);
            } while (i < CHOSEN && hash % SLOTS > 3);
            node = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN, csspgo_func_add(p, name[i], n));
            T_EQ(csspgo_add_body(p, node, csspgo_loc_at(1, 0), i + 1), CSSPGO_OK);
        }
        T_EQ(csspgo_write(p, form, NULL, 0, &n, NULL), CSSPGO_OK);
        data = (unsigned char *)malloc(n);
        if (data == NULL) abort();
        T_EQ(csspgo_write(p, form, data, n, &n, NULL), CSSPGO_OK);
        l = csspgo_lazy_open(data, n, NULL, NULL);
        if (l == NULL) abort();
        for (i = 0; i < NAMES; i++) {
            T_EQ(csspgo_lazy_load(l, name[i], strlen(name[i]), NULL), CSSPGO_OK);
            T_EQ(csspgo_record_count(csspgo_lazy_profile(l)), i + 1);
        }
        T_EQ(l->map.slot_count, SLOTS);
        T_CHECK(l->map.key[0] != map.key[0]);             /* they did collide */
        csspgo_lazy_free(l);
        csspgo_profile_free(p);
        free(data);
    }
}

/* ----- comparing profiles ----- */

static void comparing_looks_up_each_name_once(void)
{
    enum { NODES = 4000, FUNCS = 20 };
    static csspgo_node node[2][NODES], parent[NODES];
    static csspgo_loc loc[NODES];
    static csspgo_func func[2][FUNCS], callee[NODES];
    csspgo_profile *p[2];
    uint64_t children;
    char name[NAME];
    size_t i, k, f, up;
    p[0] = profile_of(0);
    p[1] = profile_of(7);
    for (i = 0; i < FUNCS; i++) {
        random_name(name);
        for (k = 0; k < 2; k++) func[k][i] = csspgo_func_add(p[k], name, strlen(name));
    }
    for (i = 0; i < NODES; i++) {
        loc[i] = csspgo_loc_at(i != 0 ? (uint32_t)(rnd() % 60) : 0, 0);
        f = (size_t)(rnd() % FUNCS);
        up = i != 0 ? (size_t)(rnd() % i) : 0;
        for (k = 0; k < 2; k++) {
            parent[i] = i != 0 ? node[k][up] : csspgo_root(p[k]);
            node[k][i] = csspgo_node_add(p[k], parent[i], loc[i], CSSPGO_CONTEXT, func[k][f]);
            T_EQ(csspgo_add_total(p[k], node[k][i], 1), CSSPGO_OK);
        }
        callee[i] = func[1][f];
    }
    looked_at = 0;
    for (i = 0; i < NODES; i++) csspgo_child(p[1], parent[i], loc[i], CSSPGO_CONTEXT, callee[i]);
    children = looked_at;
    looked_at = 0;
    T_CHECK(csspgo_equal(p[0], p[1]));
    T_CHECK(looked_at <= children + 10 * FUNCS);
    csspgo_profile_free(p[0]);
    csspgo_profile_free(p[1]);
}

int main(void)
{
    regular_keys_cost_no_more_than_random_ones();
    keys_chosen_with_the_seed_cost_no_more_than_random_ones();
    names_that_collide_are_found_lazily();
    comparing_looks_up_each_name_once();
    return t_end();
}
