/* test_tree.c - the base and tree layers: statuses, GUIDs; functions, nodes, counts; two profiles. */
#include "t.h"

static unsigned long long rng_state = 1;

static unsigned rnd(unsigned n)
{
    rng_state = rng_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(rng_state >> 33) % n;
}

/* ===== base ===== */

static void names_lose_the_suffixes_of_later_passes(void)
{
    static const struct { const char *name; uint32_t keep_uniq; size_t size; } x[] = {
        { "f", 0, 1 }, { "f.llvm.123", 0, 1 }, { "f.llvm.1.2", 0, 10 }, { "f.part.0.llvm.7", 1, 1 },
        { "f.llvm.7.part.0", 0, 8 }, { "f.__uniq.9.part.1", 0, 1 }, { "f.__uniq.9.part.1", 1, 10 }, { ".llvm.", 0, 0 }
    };
    size_t i;
    for (i = 0; i < sizeof x / sizeof *x; i++)
        T_EQ(csspgo_canonical_size(x[i].name, strlen(x[i].name), x[i].keep_uniq), x[i].size);
}

static void statuses_have_names_and_sentences(void)
{
    T_CHECK(strcmp(csspgo_status_name(CSSPGO_OK), "OK") == 0);
    T_CHECK(strcmp(csspgo_status_name(CSSPGO_E_RANGE), "E_RANGE") == 0);
    T_CHECK(strcmp(csspgo_status_text(CSSPGO_E_NOMEM), "out of memory") == 0);
    T_CHECK(strcmp(csspgo_status_name((csspgo_status)77), "?") == 0);
    T_CHECK(strcmp(csspgo_status_text((csspgo_status)77), "?") == 0);
    T_EQ(csspgo_version(), CSSPGO_VERSION);
}

static void guids_are_the_first_half_of_md5(void)
{
    static const struct { size_t size; uint64_t guid; } x[] = {   /* around the borders of MD5's blocks */
        { 55, UINT64_C(0x2f515ce220443604) },  { 56, UINT64_C(0x8ef017bad5728a66) },
        { 57, UINT64_C(0x3d9d4a1c87373069) },  { 63, UINT64_C(0xf7a2068120cac27d) },
        { 64, UINT64_C(0xd5b292d8814fbbc1) },  { 65, UINT64_C(0x74d002230532c91b) },
        { 119, UINT64_C(0x43a4c8685f7a34ab) }, { 120, UINT64_C(0xe96d09987f6698fb) },
        { 127, UINT64_C(0xc20587a61d8cb2a0) }, { 128, UINT64_C(0x0072e86e1ab69cd6) },
        { 1000, UINT64_C(0xf6e91181d4338539) }
    };
    char text[1000];
    size_t i;
    memset(text, 'x', sizeof text);
    T_EQ(csspgo_guid("", 0), UINT64_C(0x04b2008fd98c1dd4));
    T_EQ(csspgo_guid(NULL, 0), UINT64_C(0x04b2008fd98c1dd4));
    T_EQ(csspgo_guid("abc", 3), UINT64_C(0xb04fd23c98500190));
    T_EQ(csspgo_guid("main", 4), UINT64_C(0xdb956436e78dd5fa));
    T_EQ(csspgo_guid("foo", 3), UINT64_C(6699318081062747564));
    T_EQ(csspgo_guid("_Z3fooi", 7), UINT64_C(0x110c56e259526faa));
    for (i = 0; i < sizeof x / sizeof x[0]; i++) {
        unsigned char *exact = t_copy(text, x[i].size);
        T_EQ(csspgo_guid((const char *)exact, x[i].size), x[i].guid);
        free(exact);
    }
}

/* ===== tree ===== */

static csspgo_func func(csspgo_profile *p, const char *name)
{
    return csspgo_func_add(p, name, strlen(name));
}

static csspgo_node node(csspgo_profile *p, csspgo_node parent, uint32_t line, uint32_t disc, csspgo_node_kind kind,
                        const char *name)
{
    return csspgo_node_add(p, parent, csspgo_loc_at(line, disc), kind, func(p, name));
}

static void functions_are_found_by_name(void)
{
    csspgo_profile *p = t_profile(0);
    const csspgo_func a = func(p, "a"), b = csspgo_func_add(p, "a\nb", 3), g = csspgo_func_add_guid(p, 99);
    size_t n;
    T_CHECK(a.id == 1 && b.id == 2 && g.id == 3 && func(p, "a").id == 1 && csspgo_func_add_guid(p, 99).id == 3);
    T_EQ(csspgo_func_count(p), 3);
    T_EQ(csspgo_func_find_guid(p, 99).id, 3);
    T_EQ(csspgo_func_find_guid(p, csspgo_guid("a", 1)).id, 1);
    T_EQ(csspgo_func_find_guid(p, 98).id, 0);
    T_EQ(csspgo_func_find(p, "b", 1).id, 0);
    T_EQ(csspgo_func_find(p, "a\nb", 3).id, 2);
    T_CHECK(memcmp(csspgo_func_name(p, b, &n), "a\nb", 3) == 0 && n == 3);
    T_CHECK(csspgo_func_name(p, g, &n) == NULL && n == 0);
    T_EQ(csspgo_func_guid(p, g), 99);
    T_EQ(csspgo_func_guid(p, a), csspgo_guid("a", 1));
    {
        csspgo_func bad;
        bad.id = 4;
        T_CHECK(csspgo_func_name(p, bad, &n) == NULL && csspgo_func_guid(p, bad) == 0 &&
                csspgo_func_nodes(p, bad).id == 0);
        bad.id = 0;
        T_CHECK(csspgo_func_name(p, bad, &n) == NULL && csspgo_func_nodes(p, bad).id == 0);
    }
    csspgo_profile_free(p);
    csspgo_profile_free(NULL);
}

static void names_are_listed_and_taken_from_the_list(void)
{
    csspgo_profile *p = t_profile(0);
    const csspgo_func a = func(p, "a"), b = func(p, "b"), g = csspgo_func_add_guid(p, 99);
    csspgo_func none;
    none.id = 0;
    T_EQ(csspgo_set_listed(p, a, 1), CSSPGO_OK);
    T_CHECK(csspgo_is_listed(p, a) && !csspgo_is_listed(p, b) && !csspgo_is_listed(p, none));
    T_EQ(csspgo_set_listed(p, g, 1), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_set_listed(p, none, 1), CSSPGO_E_ARGUMENT);
    T_CHECK(!csspgo_is_listed(p, g));
    T_EQ(csspgo_set_listed(p, a, 0), CSSPGO_OK);
    T_CHECK(!csspgo_is_listed(p, a));
    csspgo_profile_free(p);
}

static void names_longer_than_the_limit_are_refused(void)
{
    csspgo_options o;
    csspgo_profile *p;
    memset(&o, 0, sizeof o);
    o.limits.max_name = 3;
    p = csspgo_profile_new(&o, NULL);
    if (p == NULL) abort();
    T_EQ(csspgo_func_add(p, "abc", 3).id, 1);
    T_EQ(csspgo_func_add(p, "abcd", 4).id, 0);
    T_EQ(csspgo_func_count(p), 1);
    csspgo_profile_free(p);
}

static void nodes_hang_where_they_may(void)
{
    csspgo_profile *p = t_profile(0);
    const csspgo_node root = csspgo_root(p);
    const csspgo_node plain = node(p, root, 0, 0, CSSPGO_PLAIN, "f"), base = node(p, root, 0, 0, CSSPGO_CONTEXT, "f");
    const csspgo_node ctx = node(p, base, 3, 1, CSSPGO_CONTEXT, "g"), in = node(p, plain, 3, 1, CSSPGO_INLINEE, "g");
    const csspgo_node deep = node(p, in, 65535, UINT32_MAX, CSSPGO_INLINEE, "f");
    csspgo_node bad;
    csspgo_func none;
    T_CHECK(plain.id != 0 && base.id != 0 && plain.id != base.id && ctx.id != 0 && in.id != 0 && deep.id != 0);
    T_EQ(node(p, root, 0, 0, CSSPGO_INLINEE, "f").id, 0);
    T_EQ(node(p, root, 1, 0, CSSPGO_CONTEXT, "f").id, 0);
    T_EQ(node(p, root, 0, 1, CSSPGO_PLAIN, "f").id, 0);
    T_EQ(node(p, plain, 1, 0, CSSPGO_CONTEXT, "f").id, 0);
    T_EQ(node(p, plain, 1, 0, CSSPGO_PLAIN, "f").id, 0);
    T_EQ(node(p, in, 1, 0, CSSPGO_CONTEXT, "f").id, 0);
    T_EQ(node(p, base, 65536, 0, CSSPGO_CONTEXT, "f").id, 0);
    T_EQ(node(p, base, 9, 0, CSSPGO_DUPLICATE, "f").id, 0);          /* lenient only */
    T_CHECK(node(p, base, 1, 0, CSSPGO_INLINEE, "f").id != 0);
    bad.id = 1000;
    none.id = 0;
    T_EQ(node(p, bad, 0, 0, CSSPGO_PLAIN, "f").id, 0);
    bad.id = 0;
    T_EQ(node(p, bad, 0, 0, CSSPGO_PLAIN, "f").id, 0);
    T_EQ(csspgo_node_add(p, root, csspgo_loc_at(0, 0), CSSPGO_PLAIN, none).id, 0);
    none.id = 77;
    T_EQ(csspgo_node_add(p, root, csspgo_loc_at(0, 0), CSSPGO_PLAIN, none).id, 0);
    T_EQ(node(p, base, 3, 1, CSSPGO_CONTEXT, "g").id, ctx.id);
    T_EQ(csspgo_child(p, base, csspgo_loc_at(3, 1), CSSPGO_CONTEXT, func(p, "g")).id, ctx.id);
    T_EQ(csspgo_child(p, base, csspgo_loc_at(3, 1), CSSPGO_INLINEE, func(p, "g")).id, 0);
    T_EQ(csspgo_child(p, base, csspgo_loc_at(3, 2), CSSPGO_CONTEXT, func(p, "g")).id, 0);
    T_EQ(csspgo_child(p, base, csspgo_loc_at(65539, 1), CSSPGO_CONTEXT, func(p, "g")).id, 0);
    T_CHECK(csspgo_node_parent(p, ctx).id == base.id && csspgo_node_parent(p, base).id == 1 &&
            csspgo_node_parent(p, root).id == 0);
    T_CHECK(csspgo_node_loc(p, deep).line == 65535 && csspgo_node_loc(p, deep).discriminator == UINT32_MAX);
    T_CHECK(csspgo_node_kind_of(p, deep) == CSSPGO_INLINEE && csspgo_node_kind_of(p, ctx) == CSSPGO_CONTEXT);
    T_EQ(csspgo_node_func(p, deep).id, func(p, "f").id);
    T_EQ(csspgo_node_count(p), 6);
    T_EQ(csspgo_record_count(p), 0);
    T_CHECK(t_valid(p));
    csspgo_profile_free(p);
}

static void chains_lead_to_every_node(void)
{
    csspgo_profile *p = t_profile(0);
    const csspgo_node f = node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "f");
    csspgo_node n;
    unsigned i, seen = 0;
    for (i = 0; i < 100; i++) {
        char name[8];
        sprintf(name, "g%u", i % 7);
        node(p, f, i, 0, CSSPGO_INLINEE, name);
    }
    for (n = csspgo_node_first_child(p, f); n.id != 0; n = csspgo_node_next_sibling(p, n)) seen++;
    T_EQ(seen, 100);
    seen = 0;
    for (n = csspgo_func_nodes(p, func(p, "g3")); n.id != 0; n = csspgo_node_next_same(p, n))
        T_EQ(csspgo_node_loc(p, n).line, 3 + 7 * seen++);       /* in the order in which they were made */
    T_EQ(seen, 14);
    T_CHECK(t_valid(p));
    csspgo_profile_free(p);
}

static void contexts_are_found_by_their_text(void)
{
    csspgo_profile *p = t_profile(0);
    const csspgo_node root = csspgo_root(p);
    const csspgo_node m = node(p, root, 0, 0, CSSPGO_CONTEXT, "main"), b = node(p, m, 12, 0, CSSPGO_CONTEXT, "bar");
    const csspgo_node foo = node(p, b, 3, 1, CSSPGO_CONTEXT, "foo"),
                      plain = node(p, root, 0, 0, CSSPGO_PLAIN, "ns::f(int)");
    const csspgo_node in = node(p, plain, 2, 0, CSSPGO_INLINEE, "a @b"),
                      odd = node(p, root, 0, 0, CSSPGO_PLAIN, "x:1.2.3");
    T_EQ(csspgo_find(p, "main").id, m.id);
    T_EQ(csspgo_find(p, "[main]").id, m.id);
    T_EQ(csspgo_find(p, "main:12 @ bar").id, b.id);
    T_EQ(csspgo_find(p, "[main:12 @ bar:3.1 @ foo]").id, foo.id);
    T_EQ(csspgo_find(p, "main:12 @ bar:3.1 @ foo:7").id, foo.id);   /* a location of the leaf is not looked at */
    T_EQ(csspgo_find(p, "ns::f(int)").id, plain.id);
    T_EQ(csspgo_find(p, "ns::f(int):2 @ a @b").id, in.id);
    T_EQ(csspgo_find(p, "x:1.2.3").id, odd.id);
    T_EQ(csspgo_find(p, "main:13 @ bar").id, 0);
    T_EQ(csspgo_find(p, "main:12 @ bar:3 @ foo").id, 0);
    T_EQ(csspgo_find(p, "main:12 @ ").id, 0);
    T_EQ(csspgo_find(p, "").id, 0);
    T_EQ(csspgo_find(p, "nobody:1 @ main").id, 0);
    T_EQ(csspgo_find(p, "main:65548 @ bar").id, 0);                 /* 65548 = 12 mod 2^16 */
    csspgo_profile_free(p);
}

static void counts_add_up_as_in_a_plain_table(void)
{
    enum { LINES = 40, FUNCS = 5, NODES = 4 };
    static uint64_t body[NODES][LINES], target[NODES][LINES][FUNCS];
    static unsigned char has[NODES][LINES], hast[NODES][LINES][FUNCS];
    csspgo_profile *p = t_profile(0);
    csspgo_node n[NODES];
    csspgo_func f[FUNCS];
    unsigned i, k, l, nb, nt;
    for (i = 0; i < FUNCS; i++) {
        char name[8];
        sprintf(name, "f%u", i);
        f[i] = func(p, name);
        if (i < NODES) n[i] = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN, f[i]);
    }
    for (i = 0; i < 4000; i++) {                      /* many records grow at once: runs move */
        const unsigned a = rnd(NODES), line = rnd(LINES), t = rnd(FUNCS), c = rnd(3) * rnd(1000);
        const csspgo_loc loc = csspgo_loc_at(line / 2, line % 2);
        if (rnd(2)) {
            T_EQ(csspgo_add_body(p, n[a], loc, c), CSSPGO_OK);
            body[a][line] += c;
        } else {
            T_EQ(csspgo_add_target(p, n[a], loc, f[t], c), CSSPGO_OK);
            target[a][line][t] += c;
            hast[a][line][t] = 1;
        }
        has[a][line] = 1;
    }
    T_CHECK(t_valid(p));
    for (i = 0; i < NODES; i++) {
        size_t bodies, targets;
        const csspgo_body *b = csspgo_get_bodies(p, n[i], &bodies);
        const csspgo_target *t = csspgo_get_targets(p, n[i], &targets);
        for (l = nb = nt = 0; l < LINES; l++) {
            const csspgo_loc loc = csspgo_loc_at(l / 2, l % 2);
            T_EQ(csspgo_body_count(p, n[i], loc), body[i][l]);
            if (has[i][l])
                T_CHECK(b[nb].loc.line == l / 2 && b[nb].loc.discriminator == l % 2 && b[nb].count == body[i][l]);
            nb += has[i][l];
            for (k = 0; k < FUNCS; k++) {
                T_EQ(csspgo_target_count(p, n[i], loc, f[k]), target[i][l][k]);
                if (hast[i][l][k])
                    T_CHECK(t[nt].func.id == f[k].id && t[nt].count == target[i][l][k] && t[nt].reserved == 0);
                nt += hast[i][l][k];
            }
        }
        T_CHECK(nb == bodies && nt == targets);
        for (l = 0; l < LINES; l++) {
            size_t here;
            t = csspgo_get_targets_at(p, n[i], csspgo_loc_at(l / 2, l % 2), &here);
            for (k = nt = 0; k < FUNCS; k++) nt += hast[i][l][k];
            T_CHECK(here == nt && (t != NULL) == (nt != 0) && (t == NULL || t[here - 1].loc.line == l / 2));
        }
    }
    csspgo_profile_free(p);
}

static void counts_saturate_and_zero_makes_an_entry(void)
{
    csspgo_profile *p = t_profile(0);
    const csspgo_node n = node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "f");
    const csspgo_func g = func(p, "g");
    csspgo_node bad;
    csspgo_func none;
    size_t count;
    T_CHECK(!csspgo_has_record(p, n) && csspgo_get_bodies(p, n, &count) == NULL && count == 0);
    T_CHECK(csspgo_get_targets_at(p, n, csspgo_loc_at(1, 0), &count) == NULL && count == 0);
    T_EQ(csspgo_add_body(p, n, csspgo_loc_at(1, 0), 0), CSSPGO_OK);
    T_CHECK(csspgo_has_record(p, n) && csspgo_get_bodies(p, n, &count) != NULL && count == 1);
    T_EQ(csspgo_add_target(p, n, csspgo_loc_at(2, 0), g, 0), CSSPGO_OK);
    T_CHECK(csspgo_get_targets(p, n, &count) != NULL && count == 1);
    csspgo_get_bodies(p, n, &count);
    T_EQ(count, 2);                                   /* a target makes the body entry */
    T_EQ(csspgo_add_body(p, n, csspgo_loc_at(1, 0), UINT64_MAX), CSSPGO_OK);
    T_EQ(csspgo_add_body(p, n, csspgo_loc_at(1, 0), 5), CSSPGO_OK);
    T_EQ(csspgo_body_count(p, n, csspgo_loc_at(1, 0)), UINT64_MAX);
    csspgo_add_total(p, n, UINT64_MAX - 1);
    csspgo_add_total(p, n, 2);
    csspgo_add_head(p, n, 7);
    T_CHECK(csspgo_total(p, n) == UINT64_MAX && csspgo_head(p, n) == 7);
    T_EQ(csspgo_set_checksum(p, n, 3), CSSPGO_OK);
    T_EQ(csspgo_set_attributes(p, n, CSSPGO_WAS_INLINED), CSSPGO_OK);
    T_CHECK(csspgo_checksum(p, n) == 3 && csspgo_attributes(p, n) == 1);
    bad.id = 1;
    none.id = 0;
    T_EQ(csspgo_add_total(p, bad, 1), CSSPGO_E_ARGUMENT);
    bad.id = 0;
    T_EQ(csspgo_add_head(p, bad, 1), CSSPGO_E_ARGUMENT);
    bad.id = 3;
    T_EQ(csspgo_add_body(p, bad, csspgo_loc_at(1, 0), 1), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_add_body(p, n, csspgo_loc_at(65536, 0), 1), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_add_target(p, n, csspgo_loc_at(1, 0), none, 1), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_total(p, bad) + csspgo_head(p, bad) + csspgo_checksum(p, bad) + csspgo_attributes(p, bad), 0);
    T_CHECK(t_valid(p));
    csspgo_profile_free(p);
}

static void the_caller_of_a_nested_record_has_one(void)
{
    csspgo_profile *p = t_profile(0);
    const csspgo_node f = node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "f"), g = node(p, f, 1, 0, CSSPGO_INLINEE, "g");
    const csspgo_node h = node(p, g, 1, 0, CSSPGO_INLINEE, "h");
    T_EQ(csspgo_add_body(p, h, csspgo_loc_at(1, 0), 5), CSSPGO_OK);
    T_CHECK(csspgo_has_record(p, f) && csspgo_has_record(p, g) && csspgo_record_count(p) == 3);
    T_EQ(csspgo_total(p, f) + csspgo_total(p, g), 0);
    T_CHECK(t_valid(p));
    csspgo_profile_free(p);
}

static void vtable_counts_add_up_beside_the_body(void)
{
    csspgo_profile *p = t_profile(0), *q = t_profile(0);
    const csspgo_node a = node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "f");
    const csspgo_func t = func(p, "T"), u = func(p, "U");
    const csspgo_target *v;
    csspgo_func none;
    csspgo_node bad;
    size_t n;
    T_CHECK(csspgo_get_vtables(p, a, &n) == NULL && n == 0);
    T_EQ(csspgo_add_vtable(p, a, csspgo_loc_at(4, 1), u, 1), CSSPGO_OK);
    T_EQ(csspgo_add_vtable(p, a, csspgo_loc_at(4, 1), t, UINT64_MAX), CSSPGO_OK);
    T_EQ(csspgo_add_vtable(p, a, csspgo_loc_at(4, 1), t, 1), CSSPGO_OK);
    T_EQ(csspgo_add_vtable(p, a, csspgo_loc_at(2, 0), u, 0), CSSPGO_OK);
    v = csspgo_get_vtables(p, a, &n);
    T_CHECK(n == 3 && v[0].loc.line == 2 && v[0].count == 0 && v[1].func.id == t.id && v[1].count == UINT64_MAX);
    csspgo_get_bodies(p, a, &n);
    T_EQ(n, 0);
    none.id = 0;
    bad.id = 9;
    T_EQ(csspgo_add_vtable(p, a, csspgo_loc_at(1, 0), none, 1), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_add_vtable(p, bad, csspgo_loc_at(1, 0), t, 1), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_add_vtable(p, a, csspgo_loc_at(65536, 0), t, 1), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_set_checksum(p, a, 5), CSSPGO_OK);
    T_EQ(csspgo_set_checksum(q, node(q, csspgo_root(q), 0, 0, CSSPGO_PLAIN, "f"), 4), CSSPGO_OK);
    T_EQ(csspgo_add_vtable(q, csspgo_find(q, "f"), csspgo_loc_at(7, 0), func(q, "V"), 3), CSSPGO_OK);
    T_EQ(csspgo_add_profile(q, p, NULL), CSSPGO_OK);        /* the larger checksum wins, with its vtables */
    T_CHECK(t_valid(q) && csspgo_equal(p, q));
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

static void handles_out_of_range_read_as_nothing(void)
{
    csspgo_profile *p = t_profile(0);
    csspgo_node bad;
    bad.id = 12345;
    T_EQ(csspgo_node_parent(p, bad).id + csspgo_node_first_child(p, bad).id + csspgo_node_next_sibling(p, bad).id, 0);
    T_EQ(csspgo_node_func(p, bad).id + csspgo_node_next_same(p, bad).id, 0);
    T_CHECK(!csspgo_has_record(p, bad));
    csspgo_profile_free(p);
}

/* ----- two profiles ----- */

/* A random profile of a few names, so that two of them meet. checksums: records may disagree on them. */
static csspgo_profile *some_profile(unsigned size, int cs, int checksums, t_heap *heap)
{
    csspgo_options o;
    csspgo_profile *p;
    unsigned i;
    memset(&o, 0, sizeof o);
    if (heap != NULL) o = t_options(heap, 0);
    p = csspgo_profile_new(&o, NULL);
    if (p == NULL) abort();
    csspgo_profile_set_flags(p, cs ? CSSPGO_IS_CS : 0);
    for (i = 0; i < size; i++) {
        csspgo_node n = csspgo_root(p);
        unsigned depth = 1 + rnd(4), d;
        for (d = 0; d < depth; d++) {
            char name[16];
            sprintf(name, "%c%u", 'a' + (char)rnd(2), rnd(3));
            n = node(p, n, d == 0 ? 0 : rnd(3), d == 0 ? 0 : rnd(2),
                     cs ? CSSPGO_CONTEXT : d == 0 ? CSSPGO_PLAIN : CSSPGO_INLINEE, name);
        }
        switch (rnd(7)) {
        case 0: csspgo_add_total(p, n, rnd(100)); break;
        case 1: csspgo_add_head(p, n, rnd(10) == 0 ? UINT64_MAX : rnd(100)); break;
        case 2: csspgo_add_body(p, n, csspgo_loc_at(rnd(9), rnd(2)), rnd(10) == 0 ? UINT64_MAX - 1 : rnd(100)); break;
        case 3: csspgo_add_target(p, n, csspgo_loc_at(rnd(9), rnd(2)), csspgo_node_func(p, n), rnd(100)); break;
        case 4: csspgo_set_attributes(p, n, 1u << rnd(3)); break;
        case 5: csspgo_set_checksum(p, n, checksums ? rnd(3) : 7); break;
        case 6: csspgo_add_vtable(p, n, csspgo_loc_at(rnd(9), rnd(2)), func(p, rnd(2) ? "T1" : "T2"), rnd(100)); break;
        }
    }
    return p;
}

static csspgo_profile *sum(const csspgo_profile *a, const csspgo_profile *b)
{
    csspgo_profile *p = t_profile(0);
    T_EQ(csspgo_add_profile(p, a, NULL), CSSPGO_OK);
    T_EQ(csspgo_add_profile(p, b, NULL), CSSPGO_OK);
    T_CHECK(t_valid(p));
    return p;
}

static void adding_commutes_and_associates(void)
{
    unsigned round;
    for (round = 0; round < 400; round++) {
        const int cs = round % 2 != 0, checksums = round % 4 < 2;
        csspgo_profile *a = some_profile(rnd(40), cs, checksums, NULL), *b = some_profile(rnd(40), cs, checksums, NULL);
        csspgo_profile *c = some_profile(rnd(40), cs, checksums, NULL);
        csspgo_profile *ab = sum(a, b), *ba = sum(b, a), *bc = sum(b, c), *ab_c = sum(ab, c), *a_bc = sum(a, bc);
        T_CHECK(csspgo_equal(ab, ba) && csspgo_equal(ba, ab));
        T_CHECK(csspgo_equal(ab_c, a_bc) && csspgo_equal(a_bc, ab_c));
        csspgo_profile_free(a);
        csspgo_profile_free(b);
        csspgo_profile_free(c);
        csspgo_profile_free(ab);
        csspgo_profile_free(ba);
        csspgo_profile_free(bc);
        csspgo_profile_free(ab_c);
        csspgo_profile_free(a_bc);
    }
}

static void adding_to_nothing_copies_and_to_itself_doubles(void)
{
    csspgo_profile *p = t_profile(0), *q = t_profile(0);
    const csspgo_node n = node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "f"), g = node(p, n, 4, 0, CSSPGO_INLINEE, "g");
    csspgo_add_body(p, n, csspgo_loc_at(1, 0), 10);
    csspgo_add_target(p, g, csspgo_loc_at(2, 0), func(p, "x"), 6);
    csspgo_set_checksum(p, n, 5);
    csspgo_profile_set_flags(p, CSSPGO_IS_PROBE);
    node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "no record");
    T_EQ(csspgo_add_profile(q, p, NULL), CSSPGO_OK);
    T_CHECK(csspgo_equal(p, q) && csspgo_node_count(q) == 3 && csspgo_profile_flags(q) == CSSPGO_IS_PROBE);
    T_EQ(csspgo_add_profile(p, p, NULL), CSSPGO_OK);
    T_CHECK(csspgo_body_count(p, n, csspgo_loc_at(1, 0)) == 20 &&
            csspgo_target_count(p, g, csspgo_loc_at(2, 0), func(p, "x")) == 12);
    T_CHECK(csspgo_checksum(p, n) == 5 && t_valid(p) && !csspgo_equal(p, q));
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

/* f with a checksum and a count, and an inlinee of its own. */
static csspgo_profile *stamped(uint64_t checksum, uint64_t count, const char *inlinee)
{
    csspgo_profile *p = t_profile(0);
    const csspgo_node n = node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "f");
    csspgo_profile_set_flags(p, CSSPGO_IS_PROBE);
    csspgo_set_checksum(p, n, checksum);
    csspgo_add_total(p, n, count);
    if (count != 0) csspgo_add_body(p, n, csspgo_loc_at(1, 0), count);
    if (inlinee != NULL) csspgo_add_total(p, node(p, n, 2, 0, CSSPGO_INLINEE, inlinee), count);
    return p;
}

/* The totals that are lost when from is added to p. */
static uint64_t lost(const csspgo_profile *p, const csspgo_profile *from)
{
    csspgo_profile *q = t_profile(0);
    csspgo_merge_options how;
    csspgo_merge_stats stats;
    memset(&how, 0, sizeof how);
    memset(&stats, 0, sizeof stats);
    T_EQ(csspgo_add_profile(q, p, NULL), CSSPGO_OK);
    T_EQ(csspgo_merge(q, from, &how, &stats, NULL), CSSPGO_OK);
    csspgo_profile_free(q);
    return stats.dropped;
}

static void the_larger_checksum_wins_with_all_that_is_nested(void)
{
    csspgo_profile *small = stamped(3, 7, "old"), *large = stamped(5, 0, NULL), *new_ = stamped(5, 2, "new"), *p, *q;
    csspgo_node n;
    p = sum(small, large);                            /* even if it has no counts */
    q = sum(large, small);
    n = csspgo_find(p, "f");
    T_CHECK(csspgo_equal(p, q) && csspgo_checksum(p, n) == 5 && csspgo_total(p, n) == 0);
    T_EQ(csspgo_body_count(p, n, csspgo_loc_at(1, 0)), 0);
    T_CHECK(!csspgo_has_record(p, csspgo_find(p, "f:2 @ old")) && csspgo_record_count(p) == 1);
    T_EQ(lost(small, large), 7);
    T_EQ(lost(large, small), 7);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    p = sum(small, new_);
    q = sum(new_, small);
    T_CHECK(csspgo_equal(p, q) && csspgo_record_count(p) == 2 && csspgo_total(p, csspgo_find(p, "f:2 @ new")) == 2);
    T_EQ(csspgo_find(q, "f:2 @ old").id, 0);          /* what loses at once is not even made */
    T_EQ(csspgo_add_profile(p, small, NULL), CSSPGO_OK);    /* lost again */
    T_EQ(lost(p, small), 7);
    T_EQ(csspgo_add_profile(p, new_, NULL), CSSPGO_OK);
    T_EQ(csspgo_total(p, csspgo_find(p, "f:2 @ new")), 4);
    T_CHECK(t_valid(p) && t_valid(q));
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    csspgo_profile_free(small);
    csspgo_profile_free(large);
    csspgo_profile_free(new_);
}

static void profiles_of_different_kinds_do_not_mix(void)
{
    csspgo_profile *cs = some_profile(20, 1, 0, NULL), *plain = some_profile(20, 0, 0, NULL), *empty = t_profile(0);
    csspgo_profile *probe = some_profile(20, 0, 0, NULL), *before = t_profile(0), *lenient = t_profile(1);
    csspgo_profile_set_flags(probe, CSSPGO_IS_PROBE);
    T_EQ(csspgo_add_profile(before, cs, NULL), CSSPGO_OK);
    T_EQ(csspgo_add_profile(cs, plain, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_add_profile(plain, cs, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_add_profile(plain, probe, NULL), CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_add_profile(cs, empty, NULL), CSSPGO_OK);
    T_CHECK(csspgo_equal(cs, before));
    T_EQ(csspgo_add_profile(lenient, cs, NULL), CSSPGO_OK);
    T_EQ(csspgo_add_profile(lenient, plain, NULL), CSSPGO_OK);
    T_CHECK(t_valid(lenient));
    csspgo_profile_free(cs);
    csspgo_profile_free(plain);
    csspgo_profile_free(empty);
    csspgo_profile_free(probe);
    csspgo_profile_free(before);
    csspgo_profile_free(lenient);
}

/* What csspgo_equal does not see. */
static int same_numbers(const csspgo_profile *a, const csspgo_profile *b)
{
    return csspgo_func_count(a) == csspgo_func_count(b) && csspgo_node_count(a) == csspgo_node_count(b) &&
           csspgo_record_count(a) == csspgo_record_count(b);
}

static void adding_that_fails_changes_nothing(void)
{
    unsigned round;
    for (round = 0; round < 20; round++) {
        const unsigned long long seed = rng_state;
        csspgo_profile *q = some_profile(60, round % 2 != 0, 1, NULL), *before, *p;
        const unsigned long long seed2 = rng_state;
        t_heap heap;
        long nth;
        before = some_profile(60, round % 2 != 0, 1, NULL);
        for (nth = 1;; nth++) {
            csspgo_status s;
            rng_state = seed2;
            p = some_profile(60, round % 2 != 0, 1, &heap);
            T_CHECK(csspgo_equal(p, before) && same_numbers(p, before));
            heap.nth = heap.calls + nth;
            s = csspgo_add_profile(p, q, NULL);
            T_CHECK(t_valid(p));
            if (s == CSSPGO_E_NOMEM) T_CHECK(csspgo_equal(p, before) && same_numbers(p, before));
            csspgo_profile_free(p);
            T_EQ(heap.live, 0);
            if (s != CSSPGO_E_NOMEM) break;
        }
        T_LONG(nth > 2);
        csspgo_profile_free(q);
        csspgo_profile_free(before);
        rng_state = seed + 12345 * (round + 1);
    }
}

static void adding_respects_the_limits(void)
{
    csspgo_options o;
    csspgo_profile *p, *q = t_profile(0), *empty = t_profile(0);
    unsigned i;
    memset(&o, 0, sizeof o);
    o.limits.max_name = 4;
    p = csspgo_profile_new(&o, NULL);
    if (p == NULL) abort();
    csspgo_add_total(q, node(q, csspgo_root(q), 0, 0, CSSPGO_PLAIN, "12345"), 1);
    T_EQ(csspgo_add_profile(p, q, NULL), CSSPGO_E_LIMIT);
    T_CHECK(csspgo_equal(p, empty) && same_numbers(p, empty));
    csspgo_profile_free(p);
    o.limits.max_name = 0;
    o.limits.max_bytes = 20000;
    p = csspgo_profile_new(&o, NULL);
    if (p == NULL) abort();
    for (i = 0; i < 3000; i++) csspgo_add_body(q, csspgo_find(q, "12345"), csspgo_loc_at(i, 0), 1);
    T_EQ(csspgo_add_profile(p, q, NULL), CSSPGO_E_LIMIT);
    T_CHECK(csspgo_equal(p, empty) && same_numbers(p, empty) && t_valid(p));
    T_CHECK(csspgo_profile_memory(p) <= 20000);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    csspgo_profile_free(empty);
}

static void adding_large_records_is_not_quadratic(void)
{
    enum { N = 100000 };
    csspgo_profile *p = t_profile(0), *q = t_profile(0);
    csspgo_profile *side[2];
    unsigned i, k;
    side[0] = p;
    side[1] = q;
    for (k = 0; k < 2; k++) {                         /* even entries here, odd ones there */
        const csspgo_node n = node(side[k], csspgo_root(side[k]), 0, 0, CSSPGO_PLAIN, "f");
        for (i = 0; i < N; i++) csspgo_add_body(side[k], n, csspgo_loc_at(i >> 4, (i & 15) * 2 + k), 1);
    }
    T_EQ(csspgo_add_profile(p, q, NULL), CSSPGO_OK);        /* by insertion: 40 GB moved */
    T_CHECK(t_valid(p) && csspgo_body_count(p, csspgo_find(p, "f"), csspgo_loc_at(5000, 3)) == 1);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

static void many_small_additions_do_not_pile_up(void)
{
    csspgo_profile *p = t_profile(0);
    const csspgo_node n = node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "f");
    unsigned i;
    csspgo_add_body(p, node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, "g"), csspgo_loc_at(0, 0), 1);
    for (i = 0; i < 1000; i++) csspgo_add_body(p, n, csspgo_loc_at(i, 0), 1);
    for (i = 0; i < 2000; i++) {
        csspgo_profile *q = t_profile(0);
        csspgo_add_body(q, node(q, csspgo_root(q), 0, 0, CSSPGO_PLAIN, "f"), csspgo_loc_at(i, 1), 1);
        T_EQ(csspgo_add_profile(p, q, NULL), CSSPGO_OK);
        csspgo_profile_free(q);
    }
    T_CHECK(t_valid(p) && csspgo_profile_memory(p) < 16 * 3000 * 7);
    csspgo_profile_free(p);
}

static void equality_sees_every_difference(void)
{
    csspgo_profile *a = stamped(5, 2, "in"), *b;
    unsigned i;
    for (i = 0; i < 13; i++) {
        csspgo_node n;
        b = stamped(5, 2, "in");
        n = csspgo_find(b, "f");
        T_CHECK(csspgo_equal(a, b));
        switch (i) {
        case 0: csspgo_add_total(b, n, 1); break;
        case 1: csspgo_add_head(b, n, 1); break;
        case 2: csspgo_add_body(b, n, csspgo_loc_at(1, 0), 1); break;
        case 3: csspgo_add_body(b, n, csspgo_loc_at(9, 0), 0); break;
        case 4: csspgo_add_target(b, n, csspgo_loc_at(1, 0), func(b, "x"), 0); break;
        case 5: csspgo_set_checksum(b, n, 6); break;
        case 6: csspgo_set_attributes(b, n, 1); break;
        case 7: csspgo_profile_set_flags(b, 0); break;
        case 8: csspgo_add_total(b, csspgo_find(b, "f:2 @ in"), 1); break;
        case 9: csspgo_add_total(b, node(b, csspgo_root(b), 0, 0, CSSPGO_PLAIN, "g"), 0); break;   /* an empty record */
        case 10: csspgo_add_total(b, node(b, n, 2, 1, CSSPGO_INLINEE, "in"), 0); break;
        case 12: csspgo_add_vtable(b, n, csspgo_loc_at(1, 0), func(b, "x"), 0); break;
        case 11: csspgo_profile_free(b); b = stamped(5, 2, "no"); break;
        }
        T_CHECK(!csspgo_equal(a, b) && !csspgo_equal(b, a));
        csspgo_profile_free(b);
    }
    b = stamped(5, 2, "in");
    func(b, "unused");
    csspgo_profile_set_flags(b, csspgo_profile_flags(b) ^ CSSPGO_HAS_UNIQ);           /* depends on a file's form */
    node(b, csspgo_find(b, "f"), 8, 8, CSSPGO_INLINEE, "link");       /* a frame without record does not count */
    T_CHECK(csspgo_equal(a, b) && csspgo_equal(b, a));
    csspgo_profile_free(a);
    csspgo_profile_free(b);
}

static void order_and_ids_do_not_matter_for_equality(void)
{
    csspgo_profile *a = t_profile(0), *b = t_profile(0);
    csspgo_node n;
    func(b, "z");
    n = node(b, csspgo_root(b), 0, 0, CSSPGO_PLAIN, "g");
    csspgo_add_target(b, n, csspgo_loc_at(1, 0), func(b, "y"), 2);
    csspgo_add_target(b, n, csspgo_loc_at(1, 0), func(b, "x"), 1);
    csspgo_add_total(b, node(b, csspgo_root(b), 0, 0, CSSPGO_PLAIN, "f"), 3);
    csspgo_add_total(a, node(a, csspgo_root(a), 0, 0, CSSPGO_PLAIN, "f"), 3);
    n = node(a, csspgo_root(a), 0, 0, CSSPGO_PLAIN, "g");
    csspgo_add_target(a, n, csspgo_loc_at(1, 0), func(a, "x"), 1);
    csspgo_add_target(a, n, csspgo_loc_at(1, 0), func(a, "y"), 2);
    T_CHECK(csspgo_equal(a, b) && csspgo_equal(b, a));
    csspgo_profile_free(a);
    csspgo_profile_free(b);
}

/* ----- lenient profiles hold what LLVM's text reader makes of odd input ----- */

static void lenient_profiles_hold_wide_lines_and_twins(void)
{
    csspgo_profile *p = t_profile(1), *q = t_profile(1), *strict = t_profile(0);
    const csspgo_node m = node(p, csspgo_root(p), 0, 0, CSSPGO_CONTEXT, "main");
    csspgo_node a, b, twin;
    unsigned i;
    a = node(p, m, 4294967293u, 7, CSSPGO_CONTEXT, "foo");
    b = node(p, m, 65533, 7, CSSPGO_CONTEXT, "foo");            /* the same mod 2^16 */
    T_CHECK(a.id != 0 && b.id != 0 && a.id != b.id);
    T_CHECK(csspgo_node_loc(p, a).line == 4294967293u && csspgo_node_loc(p, a).discriminator == 7);
    T_EQ(csspgo_child(p, m, csspgo_loc_at(4294967293u, 7), CSSPGO_CONTEXT, func(p, "foo")).id, a.id);
    T_EQ(csspgo_child(p, m, csspgo_loc_at(4294967293u, 8), CSSPGO_CONTEXT, func(p, "foo")).id, 0);
    twin = node(p, b, 9, 0, CSSPGO_DUPLICATE, "foo");
    T_CHECK(twin.id != 0 && node(p, b, 9, 0, CSSPGO_DUPLICATE, "bar").id == 0 &&
            node(p, b, 0, 0, CSSPGO_DUPLICATE, "foo").id == 0);
    T_EQ(node(p, twin, 1, 0, CSSPGO_CONTEXT, "foo").id, 0);
    for (i = 0; i < 200; i++) T_CHECK(node(p, m, 70000 + i, i % 3, CSSPGO_INLINEE, "in").id != 0);
    csspgo_add_body(p, a, csspgo_loc_at(65536, 0), 1);
    csspgo_add_total(p, twin, 2);
    T_CHECK(t_valid(p));
    T_EQ(csspgo_add_profile(q, p, NULL), CSSPGO_OK);
    T_CHECK(t_valid(q) && csspgo_equal(p, q) && csspgo_equal(q, p));
    csspgo_profile_free(q);
    q = csspgo_profile_clone(p, NULL);
    T_CHECK(t_valid(q) && csspgo_equal(p, q) && csspgo_equal(q, p));
    T_EQ(csspgo_add_profile(strict, p, NULL), CSSPGO_E_ARGUMENT);
    T_CHECK(csspgo_node_count(strict) == 0 && csspgo_func_count(strict) == 0 && t_valid(strict));
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    csspgo_profile_free(strict);
}

/* ----- memory ----- */

static void any_allocation_may_fail(void)
{
    long nth;
    for (nth = 1;; nth++) {
        t_heap heap;
        const csspgo_options o = t_options(&heap, nth);
        csspgo_profile *p = csspgo_profile_new(&o, NULL);
        csspgo_node order[301];
        int done = 0;
        if (p != NULL) {
            unsigned i;
            done = 1;
            for (i = 0; i < 300; i++) {
                char name[8];
                csspgo_node n;
                sprintf(name, "f%u", i);
                n = node(p, csspgo_root(p), 0, 0, CSSPGO_PLAIN, name);
                if (n.id == 0) done = 0;
                else if (csspgo_add_target(p, n, csspgo_loc_at(i, 0), csspgo_node_func(p, n), 1) != CSSPGO_OK) done = 0;
            }
            if (csspgo_file_order(p, order, NULL) != CSSPGO_OK) done = 0;
            T_CHECK(t_valid(p));
            T_EQ(csspgo_profile_memory(p), heap.live_bytes);
            csspgo_profile_free(p);
        }
        T_EQ(heap.live, 0);
        if (done) break;
    }
    T_LONG(nth > 20);
}

static void the_text_of_a_context_finds_it(void)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    const csspgo_node root = csspgo_root(p);
    const csspgo_func f = csspgo_func_add(p, "main", 4), g = csspgo_func_add_guid(p, 77);
    const csspgo_node m = csspgo_node_add(p, root, csspgo_loc_at(0, 0), CSSPGO_CONTEXT, f);
    const csspgo_node b = csspgo_node_add(p, m, csspgo_loc_at(12, 0), CSSPGO_CONTEXT, f);
    const csspgo_node c = csspgo_node_add(p, b, csspgo_loc_at(3, 1), CSSPGO_INLINEE, g);
    char text[40];
    size_t cap;
    T_EQ(csspgo_context_text(p, root, text, sizeof text), 0);
    T_EQ(text[0], 0);
    T_EQ(csspgo_context_text(p, b, text, sizeof text), 14);
    T_CHECK(strcmp(text, "main:12 @ main") == 0 && csspgo_find(p, text).id == b.id);
    for (cap = 0; cap < sizeof text; cap++) {
        memset(text, '#', sizeof text);
        T_EQ(csspgo_context_text(p, c, text, cap), 23);
        T_CHECK(cap == 0 || strncmp(text, "main:12 @ main:3.1 @ 77", cap - 1) == 0);
        T_CHECK(cap == 0 || strlen(text) == (cap > 23 ? 23 : cap - 1));
        T_CHECK(text[cap] == '#');
    }
    csspgo_profile_free(p);
}

static void a_walk_visits_what_is_below_a_node(void)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_node n[7], at;
    size_t i, seen;
    n[0] = csspgo_root(p);
    for (i = 1; i < 7; i++)                           /* 1 and 2 below the root, two below each of these */
        n[i] = csspgo_node_add(p, n[(i - 1) / 2], csspgo_loc_at(i > 2 ? (uint32_t)i : 0, 0), CSSPGO_CONTEXT,
                               csspgo_func_add(p, &"abcdefg"[i], 1));
    for (i = 0; i < 7; i++) {
        for (seen = 0, at = n[i]; (at = csspgo_node_next(p, n[i], at)).id != 0; seen++) {
            csspgo_node up = at;
            while (up.id != 0 && up.id != n[i].id) up = csspgo_node_parent(p, up);
            T_EQ(up.id, n[i].id);
        }
        T_EQ(seen, i == 0 ? 6 : i < 3 ? 2 : 0);
    }
    csspgo_profile_free(p);
}

static void a_clone_has_everything_and_a_life_of_its_own(void)
{
    long nth;
    for (nth = 1;; nth++) {
        t_heap heap;
        const csspgo_options o = t_options(&heap, nth);
        csspgo_profile *p = csspgo_profile_new(&o, NULL), *q = NULL;
        csspgo_error e;
        csspgo_node n;
        n.id = 0;
        if (p != NULL) n = node(p, csspgo_root(p), 0, 0, CSSPGO_CONTEXT, "main");
        if (n.id != 0 && csspgo_add_body(p, n, csspgo_loc_at(3, 0), 5) == CSSPGO_OK) {
            q = csspgo_profile_clone(p, &e);
            T_EQ(q == NULL, e.status != CSSPGO_OK);
        }
        if (q != NULL) {
            T_CHECK(csspgo_equal(p, q) && t_valid(q) && csspgo_find(q, "main").id != 0);
            T_EQ(func(q, "main").id, func(p, "main").id);
            csspgo_add_body(q, csspgo_find(q, "main"), csspgo_loc_at(3, 0), 5);
            T_EQ(csspgo_body_count(p, n, csspgo_loc_at(3, 0)), 5);
        }
        csspgo_profile_free(q);
        csspgo_profile_free(p);
        T_EQ(heap.live, 0);
        if (q != NULL) break;
    }
    T_LONG(nth > 8);
}

/* Whichever came first: a name that is new to the clone finds the function of its GUID, and a GUID that of its name. */
static void a_clone_knows_a_name_and_its_guid_as_one_function(void)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL), *q, *sum;
    const csspgo_func foo = csspgo_func_add_guid(p, csspgo_guid("foo", 3)), bar = func(p, "bar");
    csspgo_profile *names = t_profile(0);
    T_EQ(func(names, "foo").id, 1);
    T_EQ(csspgo_func_find_guid(names, csspgo_guid("foo", 3)).id, 1);   /* none came by its GUID */
    T_EQ(csspgo_func_find_guid(names, csspgo_guid("bar", 3)).id, 0);
    csspgo_profile_free(names);
    T_EQ(csspgo_add_total(p, csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN, foo), 5), CSSPGO_OK);
    T_EQ(csspgo_add_total(p, csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN, bar), 6), CSSPGO_OK);
    q = csspgo_profile_clone(p, NULL);
    sum = csspgo_profile_clone(q, NULL);
    T_CHECK(t_valid(q) && csspgo_equal(p, q) && t_valid(sum) && csspgo_equal(p, sum));
    T_EQ(csspgo_func_find(q, "foo", 3).id, foo.id);
    T_EQ(csspgo_func_add(q, "foo", 3).id, foo.id);
    T_EQ(csspgo_func_add_guid(q, csspgo_guid("bar", 3)).id, bar.id);
    T_EQ(csspgo_func_add_guid(q, csspgo_guid("new", 3)).id, func(q, "new").id);
    T_EQ(csspgo_func_count(q), 3);
    T_EQ(csspgo_add_profile(sum, q, NULL), CSSPGO_OK);
    T_CHECK(csspgo_record_count(sum) == 2 && csspgo_total(sum, csspgo_find(sum, "foo")) == 10);
    T_CHECK(t_valid(q) && t_valid(sum));
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    csspgo_profile_free(sum);
}

static void totals_are_recounted(void)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    static const char text[] =
        "f:9:1\n 1: 5\n 2: 7 g:7\n 3: g:1\n  1: 18446744073709551615\n  2: h:4\n   1: 2\nk:3:0\n";
    csspgo_node g;
    if (p == NULL || csspgo_read(p, text, sizeof text - 1, NULL) != CSSPGO_OK) abort();
    csspgo_recount_totals(p);
    g = csspgo_child(p, csspgo_find(p, "f"), csspgo_loc_at(3, 0), CSSPGO_INLINEE, csspgo_func_find(p, "g", 1));
    T_EQ(csspgo_total(p, csspgo_child(p, g, csspgo_loc_at(2, 0), CSSPGO_INLINEE, csspgo_func_find(p, "h", 1))), 2);
    T_EQ(csspgo_total(p, g), UINT64_MAX);
    T_EQ(csspgo_total(p, csspgo_find(p, "f")), UINT64_MAX);
    T_EQ(csspgo_total(p, csspgo_find(p, "k")), 0);
    T_EQ(csspgo_validate(p, NULL), CSSPGO_OK);
    csspgo_profile_free(p);
}

/* ----- csspgo_dump ----- */

typedef struct dumped { char text[2000]; size_t size; } dumped;

/* Every count is in the summary once, and inlinees are no functions; an inlinee that is in its base, too, is left out. */
static void a_summary_counts_what_is_there_once(void)
{
    static const char plain[] = "a:100:7\n 1: 60\n 2: b:40\n  1: 40\n  2: d:5\n   1: 5\nc:10:9\n 1: 10\n";
    static const char contexts[] = "[a]:60:7\n 1: 60\n[a:2 @ b]:40:9\n 1: 40\n[c]:10:1\n 1: 10\n";
    csspgo_summary sum;
    int kind;
    for (kind = 0; kind < 3; kind++) {
        csspgo_profile *p = t_profile(0);
        const char *text = kind == 2 ? contexts : plain;
        csspgo_node b;
        T_EQ(csspgo_read(p, text, strlen(text), NULL), CSSPGO_OK);
        b = csspgo_child(p, csspgo_find(p, "a"), csspgo_loc_at(2, 0), CSSPGO_INLINEE, csspgo_func_find(p, "b", 1));
        if (kind == 1) T_EQ(csspgo_set_attributes(p, b, CSSPGO_DUPLICATED_INTO_BASE), CSSPGO_OK);
        T_EQ(csspgo_compute_summary(p, NULL, 0, &sum, NULL), CSSPGO_OK);
        T_EQ(sum.total, kind == 0 ? 115 : kind == 1 ? 70 : 110);
        T_EQ(sum.counts, kind == 0 ? 4 : kind == 1 ? 2 : 3);
        T_EQ(sum.max_count, 60);
        T_EQ(sum.max_head, 9);
        T_EQ(sum.functions, kind == 2 ? 3 : 2);
        csspgo_profile_free(p);
    }
}

static void take_text(void *ctx, const char *text, size_t size)
{
    dumped *d = (dumped *)ctx;
    if (d->size + size >= sizeof d->text) size = sizeof d->text - 1 - d->size;
    memcpy(d->text + d->size, text, size);
    d->text[d->size += size] = '\0';
}

static void a_dump_shows_nodes_and_counts(void)
{
    static const char text[] = "[main:3 @ foo]:30:10\n 1: 10\n 2.1: 20 bar:20\n";
    csspgo_profile *p = csspgo_load(text, sizeof text - 1, NULL, NULL);
    csspgo_node foo;
    dumped d;
    T_CHECK(p != NULL);
    if (p == NULL) return;
    foo = csspgo_find(p, "main:3 @ foo");
    d.size = 0;
    csspgo_dump(p, csspgo_root(p), take_text, &d);
    T_CHECK(strcmp(d.text, "#1 root\n"
                  "  #2 context at 0 main\n"
                  "    #3 context at 3 foo  total 30, head 10, checksum 0, attributes 0; body 1:10 2.1:20; calls 2.1 bar:20\n") == 0);
    d.size = 0;
    csspgo_dump(p, foo, take_text, &d);
    T_CHECK(strncmp(d.text, "#3 context at 3 foo", 19) == 0);
    d.size = 0;
    csspgo_dump(p, csspgo_node_first_child(p, foo), take_text, &d);         /* none */
    T_CHECK(d.size == 0);
    csspgo_profile_free(p);
}

int main(void)
{
    statuses_have_names_and_sentences();
    names_lose_the_suffixes_of_later_passes();
    guids_are_the_first_half_of_md5();
    functions_are_found_by_name();
    names_are_listed_and_taken_from_the_list();
    names_longer_than_the_limit_are_refused();
    nodes_hang_where_they_may();
    chains_lead_to_every_node();
    contexts_are_found_by_their_text();
    counts_add_up_as_in_a_plain_table();
    counts_saturate_and_zero_makes_an_entry();
    the_caller_of_a_nested_record_has_one();
    vtable_counts_add_up_beside_the_body();
    handles_out_of_range_read_as_nothing();
    adding_commutes_and_associates();
    adding_to_nothing_copies_and_to_itself_doubles();
    the_larger_checksum_wins_with_all_that_is_nested();
    profiles_of_different_kinds_do_not_mix();
    T_FAILING(adding_that_fails_changes_nothing());
    adding_respects_the_limits();
    adding_large_records_is_not_quadratic();
    many_small_additions_do_not_pile_up();
    equality_sees_every_difference();
    order_and_ids_do_not_matter_for_equality();
    lenient_profiles_hold_wide_lines_and_twins();
    T_FAILING(any_allocation_may_fail());
    the_text_of_a_context_finds_it();
    a_walk_visits_what_is_below_a_node();
    T_FAILING(a_clone_has_everything_and_a_life_of_its_own());
    a_clone_knows_a_name_and_its_guid_as_one_function();
    totals_are_recounted();
    a_summary_counts_what_is_there_once();
    a_dump_shows_nodes_and_counts();
    return t_end();
}
