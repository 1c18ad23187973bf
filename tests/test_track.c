/* test_track.c - the context tracker: LLVM's vectors, a slow model in its place, losses, roll-back, the inliner. */
#include "t.h"

/* ----- text that grows ----- */

typedef struct text {
    char  *s;
    size_t n, cap;
} text;

static void put(text *x, const char *s, size_t n)
{
    if (x->n + n + 1 > x->cap) {
        x->cap = (x->n + n + 1) * 2;
        x->s = (char *)realloc(x->s, x->cap);
        if (x->s == NULL) abort();
    }
    if (n != 0) memcpy(x->s + x->n, s, n);
    x->n += n;
    x->s[x->n] = '\0';
}

static void puts_(text *x, const char *s)
{
    put(x, s, strlen(s));
}

static void putn(text *x, unsigned long long n)
{
    char b[24];
    put(x, b, (size_t)sprintf(b, "%llu", n));
}

static void put_loc(text *x, csspgo_loc loc)
{
    putn(x, loc.line);
    if (loc.discriminator == 0) return;
    puts_(x, ".");
    putn(x, loc.discriminator);
}

static void put_func(text *x, const csspgo_profile *p, csspgo_func f)
{
    size_t n;
    const char *name = csspgo_func_name(p, f, &n);
    put(x, name, n);
}

static void put_context(text *x, const csspgo_profile *p, csspgo_node node)
{
    csspgo_node path[64];
    int n = 0;
    for (; node.id > 1 && n < 64; node = csspgo_node_parent(p, node)) path[n++] = node;
    puts_(x, "[");
    while (n-- > 0) {
        put_func(x, p, csspgo_node_func(p, path[n]));
        if (n == 0) break;
        puts_(x, ":");
        put_loc(x, csspgo_node_loc(p, path[n - 1]));
        puts_(x, " @ ");
    }
    puts_(x, "]");
}

/* Bits by name, "|" between them; all: what none is called. */
static void put_bits(text *x, uint32_t bits, const char *const *name, const char *none)
{
    int first = 1;
    if (bits == 0) puts_(x, none);
    for (; bits != 0; bits >>= 1, name++) {
        if (!(bits & 1)) continue;
        if (!first) puts_(x, "|");
        puts_(x, *name);
        first = 0;
    }
}

static int name_cmp(const csspgo_profile *p, csspgo_func a, csspgo_func b)
{
    size_t n, m;
    const char *x = csspgo_func_name(p, a, &n), *y = csspgo_func_name(p, b, &m);
    const int c = memcmp(x, y, n < m ? n : m);
    return c != 0 ? c : n < m ? -1 : n > m;
}

/* The targets at loc by count, largest first, then name. */
static void put_targets(text *x, const csspgo_profile *p, csspgo_node node, csspgo_loc loc)
{
    size_t n, i, k;
    const csspgo_target *t = csspgo_get_targets_at(p, node, loc, &n);
    char done[64];
    memset(done, 0, sizeof done);
    for (i = 0; i < n; i++) {
        size_t best = n;
        for (k = 0; k < n; k++) {
            if (done[k]) continue;
            if (best == n || t[k].count > t[best].count ||
                (t[k].count == t[best].count && name_cmp(p, t[k].func, t[best].func) < 0))
                best = k;
        }
        done[best] = 1;
        puts_(x, " ");
        put_func(x, p, t[best].func);
        puts_(x, ":");
        putn(x, t[best].count);
    }
}

static void put_record(text *x, const csspgo_profile *p, csspgo_node node, uint32_t state)
{
    static const char *const states[] = { "Raw", "Synthetic", "Inlined", "Merged" };
    static const char *const attributes[] = { "WasInlined", "ShouldBeInlined", "DupIntoBase" };
    size_t n, i;
    const csspgo_body *b = csspgo_get_bodies(p, node, &n);
    puts_(x, "total=");
    putn(x, csspgo_total(p, node));
    puts_(x, " head=");
    putn(x, csspgo_head(p, node));
    puts_(x, " hash=");
    putn(x, csspgo_checksum(p, node));
    puts_(x, " state=");
    put_bits(x, state, states, "Unknown");
    puts_(x, " attr=");
    put_bits(x, csspgo_attributes(p, node), attributes, "None");
    puts_(x, " body={");
    for (i = 0; i < n; i++) {
        if (i != 0) puts_(x, ", ");
        put_loc(x, b[i].loc);
        puts_(x, ":");
        putn(x, b[i].count);
        put_targets(x, p, node, b[i].loc);
    }
    puts_(x, "}\n");
}

/* ----- operations of the vectors ----- */

static csspgo_profile *read_profile(const char *data, size_t size, const csspgo_options *o)
{
    csspgo_profile *p = csspgo_profile_new(o, NULL);
    csspgo_error e;
    if (p == NULL) return NULL;
    if (csspgo_read(p, data, size, &e) == CSSPGO_OK) return p;
    fprintf(stderr, "%u: %s\n", (unsigned)e.line, e.message);
    csspgo_profile_free(p);
    return NULL;
}

static void put_node(text *x, const csspgo_tracker *t, csspgo_node node)
{
    const csspgo_profile *p = csspgo_tracker_profile(t);
    put_context(x, p, node);
    puts_(x, " ");
    if (csspgo_has_record(p, node)) put_record(x, p, node, csspgo_tracker_node_state(t, node));
    else puts_(x, "(no samples)\n");
}

static void put_tree(text *x, const csspgo_tracker *t, csspgo_node node)
{
    csspgo_node child[256];
    const size_t n = csspgo_tracker_get_children(t, node, child, 256);
    size_t i;
    if (node.id != 1) {
        puts_(x, "  ");
        put_node(x, t, node);
    }
    for (i = 0; i < n; i++) put_tree(x, t, child[i]);
}

/* The contexts of a function in order of merging. */
static void put_list(text *x, const csspgo_tracker *t, csspgo_func f)
{
    csspgo_node n;
    for (n = csspgo_tracker_contexts(t, f); n.id != 0; n = csspgo_tracker_next(t, n)) {
        puts_(x, "  ");
        put_node(x, t, n);
    }
}

static void add_flat(csspgo_profile *q, csspgo_node to, const csspgo_profile *p, csspgo_node from)
{
    size_t n, i;
    const csspgo_body *b = csspgo_get_bodies(p, from, &n);
    const csspgo_target *g;
    csspgo_func f;
    T_EQ(csspgo_add_total(q, to, csspgo_total(p, from)), CSSPGO_OK);
    T_EQ(csspgo_add_head(q, to, csspgo_head(p, from)), CSSPGO_OK);
    for (i = 0; i < n; i++) T_EQ(csspgo_add_body(q, to, b[i].loc, b[i].count), CSSPGO_OK);
    g = csspgo_get_targets(p, from, &n);
    for (i = 0; i < n; i++) {
        size_t size;
        const char *name = csspgo_func_name(p, g[i].func, &size);
        f = csspgo_func_add(q, name, size);
        T_EQ(csspgo_add_target(q, to, g[i].loc, f, g[i].count), CSSPGO_OK);
    }
}

/* All contexts of each function in one record, by name: from the nodes that the tracker shows. */
static void put_flat(text *x, const csspgo_tracker *t)
{
    const csspgo_profile *p = csspgo_tracker_profile(t);
    csspgo_profile *q = csspgo_profile_new(NULL, NULL);
    csspgo_node n, to;
    csspgo_func f;
    csspgo_node order[256];
    uint32_t i;
    for (f.id = 1; f.id <= csspgo_func_count(p); f.id++) {
        size_t size;
        const char *name = csspgo_func_name(p, f, &size);
        const csspgo_func g = csspgo_func_add(q, name, size);
        for (n = csspgo_tracker_contexts(t, f); n.id != 0; n = csspgo_tracker_next(t, n)) {
            to = csspgo_node_add(q, csspgo_root(q), csspgo_loc_at(0, 0), CSSPGO_CONTEXT, g);
            add_flat(q, to, p, n);
        }
    }
    if (!T_CHECK(csspgo_record_count(q) <= 256) || !T_EQ(csspgo_file_order(q, order, NULL), CSSPGO_OK)) abort();
    for (i = 1; i < csspgo_record_count(q); i++) {    /* by name */
        const csspgo_node at = order[i];
        uint32_t k;
        for (k = i; k != 0 && name_cmp(q, csspgo_node_func(q, order[k - 1]), csspgo_node_func(q, at)) > 0; k--) order[k] = order[k - 1];
        order[k] = at;
    }
    for (i = 0; i < csspgo_record_count(q); i++) {
        puts_(x, "  ");
        put_func(x, q, csspgo_node_func(q, order[i]));
        puts_(x, " ");
        put_record(x, q, order[i], 0);
    }
    csspgo_profile_free(q);
}

static csspgo_loc read_loc(const char *s)
{
    unsigned long line, disc = 0;
    char *end;
    line = strtoul(s, &end, 10);
    if (*end == '.') disc = strtoul(end + 1, NULL, 10);
    return csspgo_loc_at((uint32_t)line, (uint32_t)disc);
}

static csspgo_func func_of(const csspgo_tracker *t, const char *name)
{
    return csspgo_func_find(csspgo_tracker_profile(t), name, strlen(name));
}

/* By a compiler's symbol. */
static csspgo_func named(const csspgo_tracker *t, const char *name)
{
    return csspgo_tracker_func(t, name, strlen(name));
}

static void put_result(text *x, const csspgo_tracker *t, csspgo_node n, int with_context, const char *none)
{
    if (n.id == 0) {
        puts_(x, none);
        return;
    }
    puts_(x, "  -> ");
    if (with_context) put_context(x, csspgo_tracker_profile(t), n);
    if (with_context == 2) puts_(x, "\n");
    if (with_context == 1) puts_(x, " ");
    if (with_context != 2) put_record(x, csspgo_tracker_profile(t), n, csspgo_tracker_node_state(t, n));
}

/* Runs one line of an .ops file and puts what it says. */
static void operate(text *x, csspgo_tracker *t, char *op)
{
    const csspgo_profile *p = csspgo_tracker_profile(t);
    char *arg = strchr(op, ' ');
    csspgo_node n;
    puts_(x, "> ");
    puts_(x, op);
    puts_(x, "\n");
    if (arg != NULL) *arg++ = '\0';
    if (strcmp(op, "dump") == 0) {
        put_tree(x, t, csspgo_root(p));
    } else if (strcmp(op, "flat") == 0) {
        put_flat(x, t);
    } else if (strcmp(op, "list") == 0) {
        put_list(x, t, func_of(t, arg));
    } else if (strncmp(op, "base", 4) == 0) {
        const csspgo_func f = func_of(t, arg);
        n.id = 0;
        T_EQ(csspgo_tracker_base(t, f, op[4] != '0', &n, NULL), f.id != 0 ? CSSPGO_OK : CSSPGO_E_ARGUMENT);
        put_result(x, t, n, 0, "  null\n");
    } else if (strcmp(op, "inline") == 0) {
        n = csspgo_find(p, arg);
        T_EQ(csspgo_tracker_mark_inlined(t, n, NULL), CSSPGO_OK);
        put_result(x, t, n, 0, "  null\n");
    } else if (strcmp(op, "promote") == 0) {
        T_EQ(csspgo_tracker_promote(t, csspgo_find(p, arg), &n, NULL), CSSPGO_OK);
        puts_(x, "  -> node ");
        put_context(x, p, n);
        puts_(x, "\n");
    } else if (strcmp(op, "get") == 0) {
        n = csspgo_find(p, arg);
        put_result(x, t, n, 0, "  null node\n");
    } else if (strcmp(op, "child") == 0) {
        char *loc = strstr(arg, " | "), *name = loc != NULL ? strstr(loc + 3, " | ") : NULL;
        csspgo_func f;
        f.id = 0;
        if (!T_CHECK(loc != NULL)) return;
        *loc = '\0';
        if (name != NULL) f = func_of(t, name + 3);
        n = csspgo_tracker_callee(t, csspgo_find(p, arg), read_loc(loc + 3), f);
        put_result(x, t, n, 1, "  null\n");
    } else {
        T_MSG(0, op);
    }
}

/* Runs the lines of ops that start with prefix (which is left out). */
static void run_ops(text *x, csspgo_tracker *t, const char *ops, const char *prefix)
{
    const size_t skip = strlen(prefix);
    while (*ops != '\0') {
        const size_t n = strcspn(ops, "\n");
        if (n > skip && strncmp(ops, prefix, skip) == 0) {
            char line[512];
            memcpy(line, ops + skip, n - skip);
            line[n - skip] = '\0';
            operate(x, t, line);
        }
        ops += n + (ops[n] == '\n');
    }
}

static csspgo_tracker *track_file(const char *name, const csspgo_tracker_options *how)
{
    char path[128];
    size_t n;
    char *data;
    csspgo_profile *p;
    csspgo_tracker *t = NULL;
    csspgo_error e;
    sprintf(path, "data/tracker/%s.prof", name);
    data = t_file(path, &n);
    p = data != NULL ? read_profile(data, n, NULL) : NULL;
    if (p != NULL) t = csspgo_tracker_new(p, how, &e);
    T_MSG(t != NULL, path);
    csspgo_profile_free(p);
    free(data);
    return t;
}

/* Takes out the lines about merged records, which nothing but LLVM's tracker shows any more; returns the new size. */
static size_t without_merged(char *s)
{
    char *to = s, *from = s;
    while (*from != '\0') {
        const size_t n = strcspn(from, "\n") + 1;
        if (strncmp(from, "  (merged)", 10) != 0) {
            memmove(to, from, n);
            to += n;
        }
        from += n;
    }
    *to = '\0';
    return (size_t)(to - s);
}

static void file_case(const char *name, const char *out, const csspgo_tracker_options *how)
{
    char path[128];
    size_t n, m;
    char *ops, *want;
    csspgo_tracker *t = track_file(name, how);
    text x;
    memset(&x, 0, sizeof x);
    sprintf(path, "data/tracker/%s.ops", name);
    ops = t_file(path, &n);
    sprintf(path, "data/tracker/%s", out);
    want = t_file(path, &m);
    if (t != NULL && ops != NULL && want != NULL) {
        run_ops(&x, t, ops, "");
        t_same(out, x.s, x.n, want, without_merged(want));
    }
    free(x.s);
    free(ops);
    free(want);
    csspgo_tracker_free(t);
}

static void operations_answer_as_llvm_does(void)
{
    file_case("basic", "basic.out", NULL);
    file_case("mismatch", "mismatch.out", NULL);
    file_case("truncated", "truncated.out", NULL);
    file_case("saturate", "saturate.out", NULL);
    file_case("requery", "requery.out", NULL);
}

/* Where LLVM 19 answers total 110, 1000 samples are lost; all else that is said here is from the detach-first rule. */
static void recursion_loses_nothing(void)
{
    size_t n;
    char *llvm = t_file("data/tracker/recursion.llvm19.out", &n), *right;
    right = t_file("data/tracker/recursion.expected.out", &n);
    if (llvm != NULL && right != NULL) {
        T_CHECK(strstr(llvm, "-> total=110 head=11 ") != NULL && strstr(llvm, "-> total=1110 head=111 ") == NULL);
        T_CHECK(strstr(right, "-> total=1110 head=111 ") != NULL);
    }
    free(llvm);
    free(right);
    file_case("recursion", "recursion.expected.out", NULL);
}

/* vectors.txt, recursive-vectors.txt: cases of "=== case", "--- profile", a profile, "--- run", operations, results. */
static void case_file(const char *path, unsigned expected)
{
    size_t size;
    char *all = t_file(path, &size), *at = all;
    unsigned cases = 0;
    while (at != NULL && (at = strstr(at, "--- profile\n")) != NULL) {
        char *profile = at + 12, *run = strstr(profile, "--- run\n"), *end;
        csspgo_profile *p;
        csspgo_tracker *t;
        csspgo_error e;
        text x;
        if (run == NULL) break;
        end = strstr(run, "\n=== ");
        if (end != NULL) end++;
        if (end == NULL) end = all + size;
        p = read_profile(profile, (size_t)(run - profile), NULL);
        t = p != NULL ? csspgo_tracker_new(p, NULL, &e) : NULL;
        csspgo_profile_free(p);
        memset(&x, 0, sizeof x);
        if (T_CHECK(t != NULL)) {
            const char save = *end;
            *end = '\0';
            run_ops(&x, t, run + 8, "> ");
            t_same(path, x.s, x.n, run + 8, (size_t)(end - run) - 8);
            *end = save;
        }
        free(x.s);
        csspgo_tracker_free(t);
        cases++;
        at = end;
    }
    T_EQ(cases, expected);
    free(all);
}

static void random_cases_answer_as_llvm_does(void)
{
    case_file("data/tracker/vectors.txt", 120);
}

static void random_recursive_cases_keep_all_samples(void)
{
    case_file("data/tracker/recursive-vectors.txt", 60);
}

/* ----- a model: every record with its path; slow, and obviously right ----- */

enum { FUNCS = 5, SITES = 3, DEPTH = 5, RECORDS = 24, LOCS = 3, MARKS = 4 };

typedef struct model_frame {
    unsigned func, site;          /* site: in the frame before; 0 at top level */
} model_frame;

typedef struct model_record {
    model_frame path[2 * DEPTH + 2];
    unsigned    depth, alive, state, attributes, merged_into, dropped;   /* merged_into: index + 1 */
    uint64_t    total, head, checksum;
    uint64_t    body[LOCS], target[LOCS][FUNCS];
    unsigned    has_body[LOCS], has_target[LOCS][FUNCS];
    uint64_t    vtable[LOCS];     /* of type "v<location>"; need not have a body */
    unsigned    has_vtable[LOCS];
} model_record;

typedef struct model {
    model_record r[RECORDS];      /* in order of merging */
    unsigned     n;
    uint64_t     lost, lost_by_saturation, subtracted, conflicts;
} model;

typedef struct world {
    model           m, saved[MARKS];
    csspgo_profile *kept[MARKS];
    uint32_t        mark[MARKS];
    unsigned        marks, subtract;
    csspgo_tracker *t;
    csspgo_func     func[FUNCS], type[LOCS];
    csspgo_node     handle[RECORDS];
    uint64_t        in, seed;
} world;

static unsigned rnd(uint64_t *seed, unsigned n)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (unsigned)((*seed >> 20) % n);
}

static int starts_with(const model_record *r, const model_frame *path, unsigned depth)
{
    unsigned i;
    if (r->depth < depth) return 0;
    for (i = 0; i < depth; i++)
        if (r->path[i].func != path[i].func || r->path[i].site != path[i].site) return 0;
    return 1;
}

static model_record *model_at(model *m, const model_frame *path, unsigned depth)
{
    unsigned i;
    for (i = 0; i < m->n; i++)
        if (m->r[i].alive && m->r[i].depth == depth && starts_with(&m->r[i], path, depth)) return &m->r[i];
    return NULL;
}

static uint64_t sat(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void model_merge(model *m, model_record *to, model_record *from)
{
    unsigned i, k;
    from->alive = 0;
    from->state |= CSSPGO_MERGED;
    from->merged_into = (unsigned)(to - m->r) + 1;
    to->state |= CSSPGO_SYNTHETIC;
    to->attributes |= from->attributes & CSSPGO_SHOULD_BE_INLINED;
    if (to->checksum == 0) to->checksum = from->checksum;
    if (to->checksum != from->checksum) {
        from->dropped = 1;
        m->lost = sat(m->lost, from->total);
        m->conflicts++;
        return;
    }
    if (from->total > UINT64_MAX - to->total)
        m->lost_by_saturation = sat(m->lost_by_saturation, from->total - (UINT64_MAX - to->total));
    to->total = sat(to->total, from->total);
    to->head = sat(to->head, from->head);
    for (i = 0; i < LOCS; i++) {
        to->body[i] = sat(to->body[i], from->body[i]);
        to->has_body[i] |= from->has_body[i];
        to->vtable[i] = sat(to->vtable[i], from->vtable[i]);
        to->has_vtable[i] |= from->has_vtable[i];
        for (k = 0; k < FUNCS; k++) {
            to->target[i][k] = sat(to->target[i][k], from->target[i][k]);
            to->has_target[i][k] |= from->has_target[i][k];
        }
    }
}

/* All records whose path starts with (path, depth) go to (to, to_depth) + its last function at site. */
static void model_move(model *m, const model_frame *path, unsigned depth, const model_frame *to, unsigned to_depth,
                       unsigned site)
{
    model_record moved[RECORDS];
    model_frame from[2 * DEPTH + 2], base[2 * DEPTH + 2];
    unsigned moves[RECORDS], i, k;
    memcpy(from, path, depth * sizeof *path);
    memcpy(base, to, to_depth * sizeof *to);
    base[to_depth].func = from[depth - 1].func;
    base[to_depth].site = site;
    if (depth == to_depth + 1 && memcmp(base, from, depth * sizeof *from) == 0) return;
    for (i = 0; i < m->n; i++) {                      /* out with them, then in at their new places */
        moves[i] = m->r[i].alive && starts_with(&m->r[i], from, depth);
        if (!moves[i]) continue;
        moved[i] = m->r[i];
        m->r[i].alive = 0;
    }
    for (i = 0; i < m->n; i++) {
        model_record *r = &moved[i], *have;
        if (!moves[i]) continue;
        k = r->depth - depth;
        memmove(r->path + to_depth + 1, m->r[i].path + depth, k * sizeof *base);
        memcpy(r->path, base, (to_depth + 1) * sizeof *base);
        r->depth = to_depth + 1 + k;
        have = model_at(m, r->path, r->depth);
        m->r[i] = *r;
        if (have != NULL) model_merge(m, have, &m->r[i]);
        else m->r[i].state |= CSSPGO_SYNTHETIC;
    }
}

static void model_base(model *m, unsigned func)
{
    unsigned i;
    for (i = 0; i < m->n; i++) {
        const model_record *r = &m->r[i];
        if (!r->alive || r->path[r->depth - 1].func != func || r->state & CSSPGO_INLINED || r->depth == 1) continue;
        model_move(m, r->path, r->depth, r->path, 0, 0);
    }
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a < b ? 0 : a - b;
}

/* Record i is marked: 1 if that is allowed. */
static int model_mark(world *w, unsigned i)
{
    model *m = &w->m;
    model_record *r = &m->r[i], *to = r;
    unsigned a, b, dropped = 0;
    if (!r->alive && !w->subtract) return 0;
    if (!r->alive && !(r->state & CSSPGO_INLINED)) {
        for (; to->merged_into != 0; to = &m->r[to->merged_into - 1]) dropped |= to->dropped;
        if (!dropped) {
            m->subtracted = sat(m->subtracted, to->total - less(to->total, r->total));
            to->total = less(to->total, r->total);
            to->head = less(to->head, r->head);
            for (a = 0; a < LOCS; a++) {
                to->body[a] = less(to->body[a], r->body[a]);
                to->vtable[a] = less(to->vtable[a], r->vtable[a]);
                for (b = 0; b < FUNCS; b++) to->target[a][b] = less(to->target[a][b], r->target[a][b]);
            }
        }
    }
    r->state |= CSSPGO_INLINED;
    return 1;
}

/* ----- the model beside a tracker ----- */

static csspgo_loc site_loc(unsigned site)
{
    return csspgo_loc_at(site / 2, site % 2);
}

static csspgo_node node_at(const world *w, const model_frame *path, unsigned depth)
{
    csspgo_frame f[2 * DEPTH + 2];
    unsigned i;
    if (depth == 0) return csspgo_root(csspgo_tracker_profile(w->t));
    for (i = 0; i < depth; i++) {
        f[i].func = w->func[path[i].func];
        f[i].loc = site_loc(i + 1 < depth ? path[i + 1].site : 0);
    }
    return csspgo_tracker_find(w->t, f, depth);
}

static csspgo_node next_node(const csspgo_profile *p, csspgo_node n)
{
    csspgo_node next = csspgo_node_first_child(p, n);
    for (; next.id == 0 && n.id != 0; n = csspgo_node_parent(p, n)) next = csspgo_node_next_sibling(p, n);
    return next;
}

/* Every node is found from its parent, as the first or a later child, and by what was called there. */
static void links_are_right(const csspgo_tracker *t)
{
    const csspgo_profile *p = csspgo_tracker_profile(t);
    csspgo_node n = csspgo_root(p), c;
    uint32_t live = 0;
    for (; n.id != 0; n = next_node(p, n), live++) {
        size_t children = 0;
        for (c = csspgo_node_first_child(p, n); c.id != 0; c = csspgo_node_next_sibling(p, c)) {
            T_EQ(csspgo_node_parent(p, c).id, n.id);
            T_EQ(csspgo_child(p, n, csspgo_node_loc(p, c), csspgo_node_kind_of(p, c), csspgo_node_func(p, c)).id, c.id);
            T_EQ(csspgo_tracker_resolve(t, c).id, c.id);
            if (csspgo_node_kind_of(p, c) != CSSPGO_CONTEXT) continue;
            children++;
            if (csspgo_has_record(p, c))
                T_EQ(csspgo_tracker_callee(t, n, csspgo_node_loc(p, c), csspgo_node_func(p, c)).id, c.id);
        }
        T_EQ(csspgo_tracker_get_children(t, n, NULL, 0), children);
    }
    T_CHECK(live - 1 <= csspgo_node_count(p));
}

static void same_record(const world *w, const model_record *r)
{
    const csspgo_profile *p = csspgo_tracker_profile(w->t);
    const csspgo_node n = node_at(w, r->path, r->depth);
    const csspgo_target *vtable;
    unsigned i, k, bodies = 0, targets = 0, vtables = 0;
    size_t count;
    if (!T_CHECK(n.id != 0)) return;
    T_EQ(csspgo_has_record(p, n), 1);
    T_EQ(csspgo_tracker_node_state(w->t, n), r->state);
    T_EQ(csspgo_attributes(p, n), r->attributes);
    T_EQ(csspgo_total(p, n), r->total);
    T_EQ(csspgo_head(p, n), r->head);
    T_EQ(csspgo_checksum(p, n), r->checksum);
    for (i = 0; i < LOCS; i++) {
        bodies += r->has_body[i];
        T_EQ(csspgo_body_count(p, n, csspgo_loc_at(i, i & 1)), r->body[i]);
        for (k = 0; k < FUNCS; k++) {
            targets += r->has_target[i][k];
            T_EQ(csspgo_target_count(p, n, csspgo_loc_at(i, i & 1), w->func[k]), r->target[i][k]);
        }
    }
    csspgo_get_bodies(p, n, &count);
    T_EQ(count, bodies);
    csspgo_get_targets(p, n, &count);
    T_EQ(count, targets);
    vtable = csspgo_get_vtables(p, n, &count);
    for (i = 0; i < LOCS; i++) {
        if (!r->has_vtable[i]) continue;
        if (!T_CHECK(vtables < count)) return;
        T_EQ(vtable[vtables].loc.line, i);
        T_EQ(vtable[vtables].func.id, w->type[i].id);
        T_EQ(vtable[vtables++].count, r->vtable[i]);
    }
    T_EQ(count, vtables);
}

static void same_world(world *w)
{
    const csspgo_tracker_stats s = csspgo_tracker_get_stats(w->t);
    uint64_t sum = 0;
    unsigned i, k, live = 0, listed = 0;
    csspgo_node n;
    for (i = 0; i < w->m.n; i++) {
        const model_record *r = &w->m.r[i], *to = r;
        if (r->alive) {
            live++;
            sum += r->total;
            same_record(w, r);
        }
        while (to->merged_into != 0) to = &w->m.r[to->merged_into - 1];
        n = csspgo_tracker_resolve(w->t, w->handle[i]);
        T_EQ(n.id, node_at(w, to->path, to->depth).id);
    }
    for (k = 0; k < FUNCS; k++) {                     /* the lists: the live ones, in the model's order */
        n = csspgo_tracker_contexts(w->t, w->func[k]);
        for (i = 0; i < w->m.n; i++) {
            const model_record *r = &w->m.r[i];
            if (!r->alive || r->path[r->depth - 1].func != k) continue;
            T_EQ(n.id, node_at(w, r->path, r->depth).id);
            n = csspgo_tracker_next(w->t, n);
            listed++;
        }
        T_EQ(n.id, 0);
    }
    T_EQ(listed, live);
    T_EQ(s.lost_by_checksum, w->m.lost);
    T_EQ(s.conflicts, w->m.conflicts);
    T_EQ(s.lost_by_saturation, w->m.lost_by_saturation);
    T_EQ(s.subtracted, w->m.subtracted);
    if (s.lost_by_checksum != UINT64_MAX && s.lost_by_saturation != UINT64_MAX && s.subtracted != UINT64_MAX)
        T_EQ(sum + s.lost_by_checksum + s.lost_by_saturation + s.subtracted, w->in);   /* all mod 2^64 */
}

static uint64_t child_key(const world *w, const model_frame *f)
{
    const csspgo_loc loc = site_loc(f->site);
    const uint64_t l = (uint64_t)loc.discriminator << 32 | loc.line;
    return csspgo_func_guid(csspgo_tracker_profile(w->t), w->func[f->func]) + (l << 5) + l;
}

/* The hottest callee, and all of them by entry count. */
static void same_callees(world *w, const model_frame *path, unsigned depth, unsigned site)
{
    const csspgo_profile *p = csspgo_tracker_profile(w->t);
    const csspgo_node caller = node_at(w, path, depth);
    csspgo_func any;
    csspgo_node out[RECORDS];
    const model_record *best = NULL;
    size_t n, i;
    unsigned k;
    model_frame f[2 * DEPTH + 2];
    memcpy(f, path, depth * sizeof *f);
    f[depth].site = site;
    n = csspgo_tracker_get_callees(w->t, caller, site_loc(site), out, RECORDS);
    any.id = 0;
    for (k = 0, i = 0; k < FUNCS; k++) {
        const model_record *r;
        f[depth].func = k;
        r = model_at(&w->m, f, depth + 1);
        T_EQ(csspgo_tracker_callee(w->t, caller, site_loc(site), w->func[k]).id,
             r != NULL ? node_at(w, f, depth + 1).id : 0);
        if (r == NULL) continue;
        i++;
        if (r->total == 0) continue;
        if (best == NULL || r->total > best->total ||
            (r->total == best->total && child_key(w, &f[depth]) < child_key(w, &best->path[depth])))
            best = r;
    }
    T_EQ(n, i);
    T_EQ(csspgo_tracker_callee(w->t, caller, site_loc(site), any).id,
         best != NULL ? node_at(w, best->path, best->depth).id : 0);
    for (i = 1; i < n; i++) {
        const uint64_t a = csspgo_tracker_entry_count(w->t, out[i - 1]), b = csspgo_tracker_entry_count(w->t, out[i]);
        const csspgo_func x = csspgo_node_func(p, out[i - 1]), y = csspgo_node_func(p, out[i]);
        T_CHECK(a > b || (a == b && csspgo_func_guid(p, x) < csspgo_func_guid(p, y)));
    }
    if (n > 1) {
        csspgo_node two[2];
        T_EQ(csspgo_tracker_get_callees(w->t, caller, site_loc(site), two, 2), n);
        T_CHECK(two[0].id == out[0].id && two[1].id == out[1].id);
    }
}

static char *written(const csspgo_profile *p, size_t *size)
{
    char *s;
    csspgo_error e;
    T_EQ(csspgo_write(p, CSSPGO_TEXT, NULL, 0, size, &e), CSSPGO_OK);
    s = (char *)malloc(*size + 1);
    if (s == NULL) abort();
    T_EQ(csspgo_write(p, CSSPGO_TEXT, s, *size, size, &e), CSSPGO_OK);
    return s;
}

/* The tracker holds what it held when `kept` was taken, to the byte. */
static void same_as_snapshot(const csspgo_tracker *t, csspgo_profile *kept)
{
    csspgo_profile *now = csspgo_tracker_snapshot(t, NULL);
    csspgo_error e;
    size_t n, m;
    char *a, *b;
    if (!T_CHECK(now != NULL)) return;
    T_EQ(csspgo_validate(now, &e), CSSPGO_OK);
    T_CHECK(csspgo_equal(now, kept) && csspgo_equal(kept, now));
    a = written(now, &n);
    b = written(kept, &m);
    t_same("roll-back", a, n, b, m);
    free(a);
    free(b);
    csspgo_profile_free(now);
}

static uint64_t random_count(uint64_t *seed)
{
    return rnd(seed, 60) == 0 ? UINT64_MAX - rnd(seed, 100) : rnd(seed, 5) == 0 ? 0 : 1 + rnd(seed, 1000);
}

/* A profile of few functions and sites, so that contexts recurse and meet. */
static csspgo_profile *random_world(world *w, const csspgo_options *o)
{
    static const char *const names[FUNCS] = { "main", "a", "b", "foo", "bar" };
    static const char *const types[LOCS] = { "v0", "v1", "v2" };
    csspgo_profile *p = csspgo_profile_new(o, NULL);
    const unsigned want = 1 + rnd(&w->seed, RECORDS), checksums = rnd(&w->seed, 3), alike = rnd(&w->seed, 3) == 0;
    unsigned i, k, d;
    if (p == NULL) return NULL;
    csspgo_profile_set_flags(p, CSSPGO_IS_CS);
    for (i = 0; i < FUNCS; i++) w->func[i] = csspgo_func_add(p, names[i], strlen(names[i]));
    for (i = 0; i < LOCS; i++) w->type[i] = csspgo_func_add(p, types[i], 2);
    w->m.n = 0;
    for (i = 0; i < want; i++) {
        model_record *r = &w->m.r[w->m.n];
        csspgo_node node = csspgo_root(p);
        memset(r, 0, sizeof *r);
        r->depth = 1 + rnd(&w->seed, DEPTH);
        for (d = 0; d < r->depth; d++) {
            r->path[d].func = rnd(&w->seed, FUNCS);
            r->path[d].site = d != 0 ? 1 + rnd(&w->seed, SITES) : 0;
            node = csspgo_node_add(p, node, site_loc(r->path[d].site), CSSPGO_CONTEXT, w->func[r->path[d].func]);
        }
        if (csspgo_has_record(p, node)) continue;
        w->handle[w->m.n++] = node;
        r->alive = 1;
        r->state = CSSPGO_RAW;
        r->total = alike ? rnd(&w->seed, 3) : random_count(&w->seed);   /* alike: the hottest callee is a tie */
        r->head = random_count(&w->seed);
        r->checksum = checksums == 0 ? 0 : rnd(&w->seed, 6) == 0 ? rnd(&w->seed, 3) : 1;
        r->attributes = rnd(&w->seed, 3) == 0 ? rnd(&w->seed, 8) : 0;
        csspgo_add_total(p, node, r->total);
        csspgo_add_head(p, node, r->head);
        csspgo_set_checksum(p, node, r->checksum);
        csspgo_set_attributes(p, node, r->attributes);
        for (k = 0; k < LOCS; k++) {
            r->has_body[k] = rnd(&w->seed, 2);
            r->has_vtable[k] = rnd(&w->seed, 6) == 0;
            if (r->has_vtable[k]) {
                r->vtable[k] = random_count(&w->seed);
                csspgo_add_vtable(p, node, csspgo_loc_at(k, 0), w->type[k], r->vtable[k]);
            }
            if (!r->has_body[k]) continue;
            r->body[k] = random_count(&w->seed);
            csspgo_add_body(p, node, csspgo_loc_at(k, k & 1), r->body[k]);
            d = rnd(&w->seed, FUNCS);
            if (rnd(&w->seed, 2)) continue;
            r->has_target[k][d] = 1;
            r->target[k][d] = random_count(&w->seed);
            csspgo_add_target(p, node, csspgo_loc_at(k, k & 1), w->func[d], r->target[k][d]);
        }
    }
    return p;
}

/* The model's records in the order in which contexts are merged: level by level, by the keys on the path. */
static void order_world(world *w)
{
    unsigned i, k, d;
    for (i = 1; i < w->m.n; i++) {
        for (k = i; k > 0; k--) {
            model_record *a = &w->m.r[k - 1], *b = &w->m.r[k], r;
            csspgo_node h;
            int before = a->depth <= b->depth;
            if (a->depth == b->depth)
                for (d = 0; d < a->depth; d++) {
                    const uint64_t x = child_key(w, &a->path[d]), y = child_key(w, &b->path[d]);
                    if (x == y) continue;
                    before = x < y;
                    break;
                }
            if (before) break;
            r = *a;
            *a = *b;
            *b = r;
            h = w->handle[k - 1];
            w->handle[k - 1] = w->handle[k];
            w->handle[k] = h;
        }
    }
    w->in = 0;
    for (i = 0; i < w->m.n; i++) w->in += w->m.r[i].total;
}

static void end_marks(world *w, unsigned from)
{
    while (w->marks > from) csspgo_profile_free(w->kept[--w->marks]);
}

/* Some prefix of a live record's path; depth 0 only if root is allowed. */
static const model_record *random_path(world *w, unsigned *depth, int root)
{
    const model_record *r = &w->m.r[rnd(&w->seed, w->m.n)];
    unsigned tries = 50;
    while (!r->alive && tries-- != 0) r = &w->m.r[rnd(&w->seed, w->m.n)];
    *depth = r->depth;
    if (rnd(&w->seed, 3) == 0) *depth = 1 + rnd(&w->seed, r->depth);
    if (root && rnd(&w->seed, 4) == 0) *depth = 0;
    return r->alive ? r : NULL;
}

static void step_move(world *w)
{
    unsigned depth, to_depth = 0, site = 0;
    const model_record *r = random_path(w, &depth, 0), *d = r;
    model_frame path[2 * DEPTH + 2], to[2 * DEPTH + 2];
    const model_record *at;
    csspgo_status want = CSSPGO_OK, got;
    csspgo_node node, result;
    if (r == NULL) return;
    if (rnd(&w->seed, 3) == 0) {
        d = random_path(w, &to_depth, 1);
        site = to_depth != 0 ? 1 + rnd(&w->seed, SITES) : 0;
        if (d == NULL || to_depth + r->depth - depth >= DEPTH) to_depth = site = 0;   /* bounded, for the model */
        if (d == NULL) d = r;
    }
    memcpy(path, r->path, depth * sizeof *path);
    memcpy(to, d->path, to_depth * sizeof *to);
    for (at = w->m.r; at < w->m.r + w->m.n; at++)
        if (at->alive && starts_with(at, path, depth) && at->depth - depth + to_depth + 1 > 2 * DEPTH) return;
    at = model_at(&w->m, path, depth);
    if (at != NULL && at->state & CSSPGO_INLINED) want = CSSPGO_E_ARGUMENT;
    if (to_depth >= depth && starts_with(d, path, depth)) want = CSSPGO_E_ARGUMENT;
    node = node_at(w, path, depth);
    if (to_depth == 0) got = csspgo_tracker_promote(w->t, node, &result, NULL);
    else got = csspgo_tracker_move(w->t, node, node_at(w, to, to_depth), site_loc(site), &result, NULL);
    T_EQ(got, want);
    if (want != CSSPGO_OK) return;
    model_move(&w->m, path, depth, to, to_depth, site);
    to[to_depth].func = path[depth - 1].func;
    to[to_depth].site = site;
    T_EQ(result.id, node_at(w, to, to_depth + 1).id);
}

static void step_promote_call(world *w)
{
    unsigned depth, site, k, some = 0;
    const model_record *r = random_path(w, &depth, 0);
    model_frame f[2 * DEPTH + 2];
    csspgo_func any;
    csspgo_node caller, child[RECORDS];
    size_t n, i;
    unsigned func[RECORDS];
    if (r == NULL) return;
    memcpy(f, r->path, depth * sizeof *f);
    site = 1 + rnd(&w->seed, SITES);
    caller = node_at(w, f, depth);
    n = csspgo_tracker_get_children(w->t, caller, child, RECORDS);
    for (i = 0; i < n; i++) {                         /* what the call has, frames without counts too */
        const csspgo_loc loc = csspgo_node_loc(csspgo_tracker_profile(w->t), child[i]);
        if (loc.line != site_loc(site).line || loc.discriminator != site_loc(site).discriminator) continue;
        for (k = 0; w->func[k].id != csspgo_node_func(csspgo_tracker_profile(w->t), child[i]).id; k++) {}
        func[some++] = k;
    }
    any.id = 0;
    T_EQ(csspgo_tracker_promote_call(w->t, caller, site_loc(site), any, NULL), CSSPGO_OK);
    for (k = 0; k < some; k++) {
        f[depth].func = func[k];
        f[depth].site = site;
        r = model_at(&w->m, f, depth + 1);
        if (r == NULL || !(r->state & CSSPGO_INLINED)) model_move(&w->m, f, depth + 1, f, 0, 0);
    }
}

static void step_mark(world *w)
{
    const unsigned i = rnd(&w->seed, w->m.n);
    const csspgo_node node = w->handle[i];
    if (rnd(&w->seed, 4) == 0) {
        T_EQ(csspgo_tracker_unmark(w->t, node, NULL), w->m.r[i].alive ? CSSPGO_OK : CSSPGO_E_ARGUMENT);
        if (w->m.r[i].alive) w->m.r[i].state &= ~(unsigned)CSSPGO_INLINED;
        return;
    }
    T_EQ(csspgo_tracker_mark_inlined(w->t, node, NULL), model_mark(w, i) ? CSSPGO_OK : CSSPGO_E_ARGUMENT);
}

/* A context is entered by its stack, one without counts and one that is not there too. */
static void step_enter(world *w)
{
    unsigned depth, i;
    const model_record *r = random_path(w, &depth, 0);
    model_record *at;
    model_frame path[2 * DEPTH + 2];
    csspgo_frame f[2 * DEPTH + 2];
    csspgo_node want;
    if (r == NULL) return;
    memcpy(path, r->path, depth * sizeof *path);
    if (rnd(&w->seed, 5) == 0) path[depth - 1].func = rnd(&w->seed, FUNCS);
    for (i = 0; i < depth; i++) {
        f[i].func = w->func[path[i].func];
        f[i].loc = site_loc(i + 1 < depth ? path[i + 1].site : 9);
    }
    want = node_at(w, path, depth);
    T_EQ(csspgo_tracker_enter(w->t, f, depth).id, want.id);
    at = model_at(&w->m, path, depth);
    if (at != NULL && depth > 1) at->state |= CSSPGO_INLINED;
}

static void step_base(world *w)
{
    const unsigned k = rnd(&w->seed, FUNCS);
    model_frame f;
    csspgo_node base;
    f.func = k;
    f.site = 0;
    if (rnd(&w->seed, 4) != 0) {
        model_base(&w->m, k);
        T_EQ(csspgo_tracker_base(w->t, w->func[k], 1, &base, NULL), CSSPGO_OK);
    } else {
        T_EQ(csspgo_tracker_base(w->t, w->func[k], 0, &base, NULL), CSSPGO_OK);
    }
    T_EQ(base.id, model_at(&w->m, &f, 1) != NULL ? node_at(w, &f, 1).id : 0);
}

static void step_mark_point(world *w)
{
    const unsigned what = rnd(&w->seed, 3);
    if (w->marks == 0 || (what == 0 && w->marks < MARKS)) {
        w->saved[w->marks] = w->m;
        w->kept[w->marks] = csspgo_tracker_snapshot(w->t, NULL);
        T_EQ(csspgo_tracker_checkpoint(w->t, &w->mark[w->marks], NULL), CSSPGO_OK);
        w->marks++;
    } else {
        const unsigned i = rnd(&w->seed, w->marks);
        if (what == 1) {
            T_EQ(csspgo_tracker_commit(w->t, w->mark[i], NULL), CSSPGO_OK);
        } else {
            T_EQ(csspgo_tracker_rollback(w->t, w->mark[i], NULL), CSSPGO_OK);
            w->m = w->saved[i];
            same_as_snapshot(w->t, w->kept[i]);
        }
        T_EQ(csspgo_tracker_commit(w->t, w->mark[i], NULL), CSSPGO_E_ARGUMENT);
        end_marks(w, i);
    }
}

static void step(world *w)
{
    unsigned depth;
    const model_record *r;
    switch (rnd(&w->seed, 11)) {
    case 0: case 1: case 2: step_move(w); break;
    case 3: case 4: step_mark(w); break;
    case 5: case 6: step_base(w); break;
    case 7: step_promote_call(w); break;
    case 8: step_enter(w); break;
    case 9:
        r = random_path(w, &depth, 0);
        if (r != NULL && depth < 2 * DEPTH) same_callees(w, r->path, depth, 1 + rnd(&w->seed, SITES));
        break;
    default: step_mark_point(w); break;
    }
}

/* Two profiles are the same to the byte. */
static void same_text(const char *what, const csspgo_profile *p, const csspgo_profile *q)
{
    size_t n, m;
    char *a = written(p, &n), *b = written(q, &m);
    t_same(what, a, n, b, m);
    free(a);
    free(b);
}

/* Whatever a tracker did, its profile is one for every function that takes one. */
static void its_profile_is_a_profile(const csspgo_tracker *t)
{
    const csspgo_profile *p = csspgo_tracker_profile(t);
    csspgo_profile *kept = csspgo_tracker_snapshot(t, NULL);
    csspgo_profile *q = csspgo_profile_new(NULL, NULL), *r = csspgo_profile_new(NULL, NULL);
    csspgo_summary a, b;
    csspgo_overlap_figures o;
    csspgo_error e;
    uint32_t f, i;
    if (!T_CHECK(kept != NULL && q != NULL && r != NULL)) return;
    T_EQ(csspgo_validate(p, &e), CSSPGO_OK);
    T_EQ(csspgo_record_count(p), csspgo_record_count(kept));
    T_CHECK(csspgo_equal(p, kept) && csspgo_equal(kept, p));
    same_text("the tracker's profile", p, kept);
    T_EQ(csspgo_add_profile(q, p, NULL), CSSPGO_OK);
    T_EQ(csspgo_validate(q, &e), CSSPGO_OK);
    T_CHECK(csspgo_equal(q, kept));
    T_EQ(csspgo_add_profile(q, p, NULL), CSSPGO_OK);
    T_EQ(csspgo_add_profile(r, kept, NULL), CSSPGO_OK);
    T_EQ(csspgo_merge(r, kept, NULL, NULL, &e), CSSPGO_OK);
    same_text("twice the tracker's profile", q, r);
    T_EQ(csspgo_compute_summary(p, NULL, 0, &a, NULL), CSSPGO_OK);
    T_EQ(csspgo_compute_summary(kept, NULL, 0, &b, NULL), CSSPGO_OK);
    T_CHECK(memcmp(&a, &b, sizeof a) == 0);
    T_EQ(csspgo_overlap(p, kept, NULL, &o, NULL, 0, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_flatten(q, NULL), CSSPGO_OK);
    T_EQ(csspgo_flatten(r, NULL), CSSPGO_OK);
    same_text("the functions of the tracker's profile", q, r);
    for (f = 1; f <= csspgo_func_count(p); f++) {     /* what was merged is in no walk */
        csspgo_func func;
        csspgo_node n, m;
        func.id = f;
        for (i = 0, n = csspgo_func_nodes(p, func); n.id != 0; n = csspgo_node_next_same(p, n)) i++;
        for (m = csspgo_func_nodes(kept, func); m.id != 0; m = csspgo_node_next_same(kept, m)) i--;
        T_EQ(i, 0);
    }
    csspgo_profile_free(kept);
    csspgo_profile_free(q);
    csspgo_profile_free(r);
}

static void a_profile_after_two_promotions_can_be_added(void)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_error e;
    csspgo_tracker *t;
    static const char input[] = "[main]:10:1\n 1: 10\n[main:1 @ a]:20:2\n 1: 20\n[main:1 @ a:1 @ b]:30:3\n 1: 30\n"
                               "[main:2 @ a]:40:4\n 1: 40\n[main:2 @ a:1 @ b]:50:5\n 1: 50\n[b]:7:1\n 1: 7\n";
    if (!T_CHECK(p != NULL)) return;
    T_EQ(csspgo_read(p, input, sizeof input - 1, &e), CSSPGO_OK);
    t = csspgo_tracker_new(p, NULL, &e);
    if (!T_CHECK(t != NULL)) return;
    T_EQ(csspgo_tracker_promote(t, csspgo_find(p, "main:1 @ a"), NULL, NULL), CSSPGO_OK);
    its_profile_is_a_profile(t);
    T_EQ(csspgo_tracker_promote(t, csspgo_find(p, "main:2 @ a"), NULL, NULL), CSSPGO_OK);
    its_profile_is_a_profile(t);
    T_EQ(csspgo_tracker_promote(t, csspgo_find(csspgo_tracker_profile(t), "a:1 @ b"), NULL, NULL), CSSPGO_OK);
    its_profile_is_a_profile(t);
    csspgo_tracker_free(t);
    csspgo_profile_free(p);
}

static void random_sequence(uint64_t seed)
{
    csspgo_tracker_options how;
    csspgo_profile *p, *snapshot;
    csspgo_error e;
    t_heap h;
    csspgo_options o = t_options(&h, 0);
    world w;
    unsigned i, steps;
    memset(&w, 0, sizeof w);
    memset(&how, 0, sizeof how);
    w.seed = seed;
    o.hash_seed = seed;
    w.subtract = how.subtract = rnd(&w.seed, 3) == 0;
    how.take = rnd(&w.seed, 2);
    p = random_world(&w, &o);
    if (!T_CHECK(p != NULL)) return;
    T_EQ(csspgo_validate(p, &e), CSSPGO_OK);
    w.t = csspgo_tracker_new(p, &how, &e);
    if (!T_CHECK(w.t != NULL)) return;
    order_world(&w);
    same_world(&w);
    steps = 1 + rnd(&w.seed, 40);
    for (i = 0; i < steps; i++) {
        step(&w);
        if (i % 4 == 3 || i + 1 == steps) same_world(&w);
    }
    links_are_right(w.t);
    if (seed % 16 == 0) its_profile_is_a_profile(w.t);
    while (w.marks != 0) {                            /* all the way back */
        T_EQ(csspgo_tracker_rollback(w.t, w.mark[0], NULL), CSSPGO_OK);
        w.m = w.saved[0];
        same_as_snapshot(w.t, w.kept[0]);
        same_world(&w);
        links_are_right(w.t);
        end_marks(&w, 0);
    }
    snapshot = csspgo_tracker_snapshot(w.t, NULL);
    T_CHECK(snapshot != NULL && csspgo_validate(snapshot, &e) == CSSPGO_OK);
    csspgo_profile_free(snapshot);
    if (seed % 16 == 0) its_profile_is_a_profile(w.t);
    csspgo_tracker_free(w.t);
    if (!how.take) csspgo_profile_free(p);
    T_EQ(h.live, 0);
}

/* CSSPGO_TRACK_RUNS sets how many; oracle_track.sh has 100,000. */
static void random_sequences_answer_as_the_model(void)
{
    const unsigned long n = t_cases("CSSPGO_TRACK_RUNS", 800, 10000);
    unsigned long i;
    for (i = 1; i <= n && t_failed == 0; i++) {
        random_sequence(i * UINT64_C(0x9E3779B97F4A7C15));
        if (t_failed != 0) fprintf(stderr, "    sequence %lu\n", i);
    }
}

/* ----- every allocation may fail ----- */

static csspgo_func add_func(csspgo_profile *p, const char *name)
{
    return csspgo_func_add(p, name, strlen(name));
}

/* A node of a context "a:1 @ b", made with its record: total and head 10 * count, body 1 and 2, a target at 2. */
static csspgo_node add_context(csspgo_profile *p, const char *context, uint64_t count)
{
    csspgo_node n = csspgo_root(p);
    csspgo_loc site = csspgo_loc_at(0, 0);
    while (*context != '\0') {
        const size_t frame = strcspn(context, " "), name = strcspn(context, ": ");
        n = csspgo_node_add(p, n, site, CSSPGO_CONTEXT, csspgo_func_add(p, context, name));
        if (context[name] == ':') site = read_loc(context + name + 1);
        context += frame + strspn(context + frame, " @");
    }
    csspgo_add_total(p, n, 10 * count);
    csspgo_add_head(p, n, count);
    csspgo_add_body(p, n, csspgo_loc_at(1, 0), count);
    csspgo_add_target(p, n, csspgo_loc_at(2 + (uint32_t)(count & 1), 0), add_func(p, count & 2 ? "x" : "y"), count);
    csspgo_add_vtable(p, n, csspgo_loc_at(2 + (uint32_t)(count & 1), 0), add_func(p, count & 2 ? "vx" : "vy"), count);
    return n;
}

static csspgo_profile *small_profile(const csspgo_options *o)
{
    csspgo_profile *p = csspgo_profile_new(o, NULL);
    csspgo_node nested;
    csspgo_profile_set_flags(p, CSSPGO_IS_CS);
    add_context(p, "main", 100);
    add_context(p, "main:1 @ a", 31);
    add_context(p, "main:1 @ a:2 @ b", 22);
    add_context(p, "main:1 @ a:2 @ b:3 @ a", 13);
    add_context(p, "main:1 @ c", 4);
    add_context(p, "main:2 @ a", 45);
    add_context(p, "main:2 @ a:2 @ b", 56);
    add_context(p, "a", 7);
    nested = csspgo_node_add(p, csspgo_find(p, "main:2 @ a"), csspgo_loc_at(9, 0), CSSPGO_INLINEE, add_func(p, "in"));
    csspgo_add_body(p, nested, csspgo_loc_at(1, 0), 3);
    return p;
}

enum {
    OP_BASE, OP_PROMOTE, OP_MOVE, OP_CALL, OP_MARK, OP_ENTER, OP_UNMARK, OP_LATE, OP_ORDER, OP_INLINE, OP_CONTEXT_LESS,
    OP_CHECKPOINT, OP_SNAPSHOT, OPS
};

static csspgo_status inline_all(csspgo_tracker *t, const char *name, uint32_t context_less,
                                csspgo_inliner_decision *out, size_t *count)
{
    csspgo_inliner_options how;
    csspgo_inliner_result made;
    csspgo_status s;
    csspgo_inliner_code f[16];
    csspgo_inliner_call calls[16][4];
    static const char *const who[] = { "main", "a", "b", "c" };
    uint32_t i, k;
    memset(&how, 0, sizeof how);
    memset(f, 0, sizeof f);
    memset(calls, 0, sizeof calls);
    how.context_less = context_less;
    for (i = 0; i < 4; i++) {
        const csspgo_func g = func_of(t, who[i]);
        f[g.id].size = 10 + i;
        f[g.id].calls = calls[g.id];
        f[g.id].call_count = 4;
        for (k = 0; k < 4; k++) calls[g.id][k].loc = csspgo_loc_at(k, 0); /* all of them indirect */
    }
    made.decision = out;
    made.cap = 32;
    s = csspgo_tracker_decide(t, func_of(t, name), f, 16, &how, &made, NULL);
    *count = made.count;
    return s;
}

static csspgo_status one_operation(csspgo_tracker *t, int op)
{
    const csspgo_profile *p = csspgo_tracker_profile(t);
    csspgo_inliner_decision out[32];
    csspgo_frame frame[2];
    csspgo_func order[16], any;
    csspgo_node n;
    csspgo_profile *q;
    uint32_t mark;
    size_t count;
    any.id = 0;
    switch (op) {
    case OP_BASE: return csspgo_tracker_base(t, func_of(t, "a"), 1, &n, NULL);
    case OP_PROMOTE: return csspgo_tracker_promote(t, csspgo_find(p, "main:2 @ a"), &n, NULL);
    case OP_MOVE:
        return csspgo_tracker_move(t, csspgo_find(p, "main:2 @ a"), csspgo_find(p, "main"), csspgo_loc_at(1, 0), NULL,
                                   NULL);
    case OP_CALL: return csspgo_tracker_promote_call(t, csspgo_find(p, "main"), csspgo_loc_at(1, 0), any, NULL);
    case OP_MARK: return csspgo_tracker_mark_inlined(t, csspgo_find(p, "main:1 @ a"), NULL);
    case OP_ENTER:
        memset(frame, 0, sizeof frame);
        frame[0].func = func_of(t, "main");
        frame[0].loc = csspgo_loc_at(1, 0);
        frame[1].func = func_of(t, "a");
        return csspgo_tracker_enter(t, frame, 2).id != 0 ? CSSPGO_OK : CSSPGO_E_NOMEM;
    case OP_UNMARK: return csspgo_tracker_unmark(t, csspgo_find(p, "main:1 @ c"), NULL);
    case OP_LATE:
        for (n.id = 2; csspgo_tracker_resolve(t, n).id == n.id && n.id < 20; n.id++) {}
        return csspgo_tracker_mark_inlined(t, n, NULL);
    case OP_ORDER: return csspgo_tracker_compile_order(t, NULL, 0, order, 16, &count, NULL);
    case OP_INLINE: return inline_all(t, "main", 0, out, &count);
    case OP_CONTEXT_LESS: return inline_all(t, "main", 1, out, &count);
    case OP_CHECKPOINT: return csspgo_tracker_checkpoint(t, &mark, NULL);
    default:
        q = csspgo_tracker_snapshot(t, NULL);
        csspgo_profile_free(q);
        return q != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
    }
}

static void put_all(text *x, const csspgo_tracker *t)
{
    const csspgo_tracker_stats s = csspgo_tracker_get_stats(t);
    csspgo_func f;
    put_tree(x, t, csspgo_root(csspgo_tracker_profile(t)));
    for (f.id = 1; f.id <= csspgo_func_count(csspgo_tracker_profile(t)); f.id++) put_list(x, t, f);
    putn(x, s.moved);
    puts_(x, " ");
    putn(x, s.merged);
}

/* Runs op with its nth allocation failing; with and without a checkpoint. Returns 1 when nothing failed any more. */
static int failing_operation(int op, long nth, int checkpoint)
{
    t_heap h;
    csspgo_options o = t_options(&h, 0);
    csspgo_tracker_options how;
    csspgo_profile *p = small_profile(&o);
    csspgo_tracker *t;
    csspgo_error e;
    csspgo_status s;
    uint32_t mark = 0;
    csspgo_node n;
    text before, after;
    memset(&before, 0, sizeof before);
    memset(&after, 0, sizeof after);
    memset(&how, 0, sizeof how);
    how.take = how.subtract = 1;
    t = csspgo_tracker_new(p, &how, &e);
    if (!T_CHECK(t != NULL)) return 1;
    if (op == OP_LATE) T_EQ(csspgo_tracker_base(t, func_of(t, "a"), 1, &n, NULL), CSSPGO_OK);
    if (checkpoint) T_EQ(csspgo_tracker_checkpoint(t, &mark, NULL), CSSPGO_OK);
    put_all(&before, t);
    h.nth = h.calls + nth;
    s = one_operation(t, op);
    h.nth = 0;
    put_all(&after, t);
    if (s != CSSPGO_OK) {
        T_EQ(s, CSSPGO_E_NOMEM);
        t_same("after a failure", after.s, after.n, before.s, before.n);
        T_EQ(one_operation(t, op), CSSPGO_OK);        /* and all is well when there is memory again */
    }
    links_are_right(t);
    if (checkpoint) {
        free(after.s);
        memset(&after, 0, sizeof after);
        T_EQ(csspgo_tracker_rollback(t, mark, NULL), CSSPGO_OK);
        put_all(&after, t);
        t_same("rolled back", after.s, after.n, before.s, before.n);
        links_are_right(t);
    }
    csspgo_tracker_free(t);
    T_EQ(h.live, 0);
    free(before.s);
    free(after.s);
    return s == CSSPGO_OK;
}

static void every_allocation_of_an_operation_may_fail(void)
{
    int op, checkpoint;
    for (op = 0; op < OPS; op++)
        for (checkpoint = 0; checkpoint < 2; checkpoint++) {
            long nth = 1;
            while (!failing_operation(op, nth, checkpoint) && nth < 1000) nth++;
            T_CHECK(nth < 1000);
        }
}

static void every_allocation_of_a_new_tracker_may_fail(void)
{
    uint32_t take;
    for (take = 0; take < 2; take++) {
        long nth;
        for (nth = 1; nth < 1000; nth++) {
            t_heap h;
            csspgo_options o = t_options(&h, 0);
            csspgo_profile *p = small_profile(&o), *same = small_profile(NULL);
            csspgo_tracker_options how;
            csspgo_tracker *t;
            csspgo_error e;
            memset(&how, 0, sizeof how);
            how.take = take;
            h.nth = h.calls + nth;
            t = csspgo_tracker_new(p, &how, &e);
            h.nth = 0;
            T_EQ(e.status, t != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM);
            if (t == NULL || !take) {
                T_EQ(csspgo_validate(p, NULL), CSSPGO_OK);
                T_CHECK(csspgo_equal(p, same) && csspgo_equal(same, p));
                csspgo_profile_free(p);
            }
            csspgo_profile_free(same);
            csspgo_tracker_free(t);
            T_EQ(h.live, 0);
            if (t != NULL) break;
        }
        T_LONG(nth > 3 && nth < 1000);
    }
}

/* Every look-up, on every node; and marks: they need memory only while there is a checkpoint. */
static void queries_and_marks_allocate_nothing(void)
{
    t_heap h;
    csspgo_options o = t_options(&h, 0);
    csspgo_profile *p = small_profile(&o);
    csspgo_tracker *t = csspgo_tracker_new(p, NULL, NULL);
    csspgo_node n, out[4];
    csspgo_func f;
    csspgo_frame frame[2];
    uint32_t line;
    long before;
    f.id = 0;
    memset(frame, 0, sizeof frame);
    frame[0].func = func_of(t, "main");
    frame[0].loc = csspgo_loc_at(2, 0);
    frame[1].func = func_of(t, "a");
    before = h.calls;
    for (n.id = 1; n.id <= csspgo_node_count(p) + 1; n.id++) {
        for (line = 0; line < 4; line++) {
            csspgo_tracker_callee(t, n, csspgo_loc_at(line, 0), f);
            csspgo_tracker_callee(t, n, csspgo_loc_at(line, 0), frame[1].func);
            csspgo_tracker_get_callees(t, n, csspgo_loc_at(line, 0), out, 4);
        }
        csspgo_tracker_get_children(t, n, out, 4);
        csspgo_tracker_resolve(t, n);
        csspgo_tracker_node_state(t, n);
        csspgo_tracker_entry_count(t, n);
        csspgo_tracker_next(t, n);
    }
    for (f.id = 1; f.id <= csspgo_func_count(p); f.id++) csspgo_tracker_contexts(t, f);
    T_CHECK(csspgo_tracker_find(t, frame, 2).id != 0);
    T_CHECK(csspgo_tracker_enter(t, frame, 2).id != 0);
    T_EQ(named(t, "a.llvm.1").id, frame[1].func.id);
    T_EQ(csspgo_tracker_base(t, frame[1].func, 0, &n, NULL), CSSPGO_OK);
    T_EQ(csspgo_tracker_mark_inlined(t, csspgo_find(p, "main:1 @ a"), NULL), CSSPGO_OK);
    T_EQ(csspgo_tracker_unmark(t, csspgo_find(p, "main:1 @ a"), NULL), CSSPGO_OK);
    T_EQ(h.calls, before);
    csspgo_tracker_free(t);
    csspgo_profile_free(p);
    T_EQ(h.live, 0);
}

/* ----- arguments, limits, names, nested inlinees ----- */

/*
 * A function with `contexts` contexts, each with a location, a call target and a vtable of its own, and with a recursive
 * call in every 25th: the calls of 20,000 contexts make a record so large that counts wait for it, and it moves itself.
 */
static csspgo_profile *many_contexts(const csspgo_options *o, uint32_t contexts)
{
    csspgo_profile *p = csspgo_profile_new(o, NULL);
    const csspgo_func main_func = csspgo_func_add(p, "main", 4), f = csspgo_func_add(p, "f", 1);
    const csspgo_node top = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT, main_func);
    uint32_t i;
    csspgo_profile_set_flags(p, CSSPGO_IS_CS);
    for (i = 0; i < contexts; i++) {
        csspgo_node n = csspgo_node_add(p, top, csspgo_loc_at(1, i), CSSPGO_CONTEXT, f);
        csspgo_add_total(p, n, 3);
        csspgo_add_body(p, n, csspgo_loc_at(1, 0), 1);
        csspgo_add_body(p, n, csspgo_loc_at(2, i), 2);
        csspgo_add_target(p, n, csspgo_loc_at(2, i), main_func, 1);
        csspgo_add_vtable(p, n, csspgo_loc_at(3, i), main_func, 1);
        if (i % 25 != 24) continue;
        n = csspgo_node_add(p, n, csspgo_loc_at(4, 0), CSSPGO_CONTEXT, f);
        csspgo_add_total(p, n, 10);
        csspgo_add_body(p, n, csspgo_loc_at(2, i / 2), 10);
    }
    return p;
}

/* Merging them one by one costs O(n^2). */
static void many_contexts_become_one_base_in_time(void)
{
    const uint32_t many = (uint32_t)t_size(20000, 60000);
    csspgo_profile *p = many_contexts(NULL, many), *q;
    csspgo_tracker *t = csspgo_tracker_new(p, NULL, NULL);
    const csspgo_profile *now = csspgo_tracker_profile(t);
    csspgo_node n;
    uint32_t savepoint, i;
    size_t count;
    T_EQ(csspgo_tracker_checkpoint(t, &savepoint, NULL), CSSPGO_OK);
    T_EQ(csspgo_tracker_base(t, func_of(t, "f"), 1, &n, NULL), CSSPGO_OK);
    T_EQ(csspgo_validate(now, NULL), CSSPGO_OK);
    T_EQ(csspgo_total(now, n), 3 * many + 10 * (many / 25));
    T_EQ(csspgo_body_count(now, n, csspgo_loc_at(1, 0)), many);
    for (i = 0; i < many; i++) {
        const uint32_t odd = 2 * i % 25 != 24;            /* the context 2 * i or 2 * i + 1 may have a recursive call */
        const uint64_t recursive = (2 * i + odd) % 25 == 24 && 2 * i + odd < many ? 10 : 0;
        if (csspgo_body_count(now, n, csspgo_loc_at(2, i)) != 2 + recursive) break;
    }
    T_EQ(i, many);
    csspgo_get_targets(now, n, &count);
    T_EQ(count, many);
    csspgo_get_vtables(now, n, &count);
    T_EQ(count, many);
    links_are_right(t);
    T_EQ(csspgo_tracker_rollback(t, savepoint, NULL), CSSPGO_OK);
    q = csspgo_tracker_snapshot(t, NULL);
    T_CHECK(csspgo_equal(p, q));
    csspgo_profile_free(q);
    csspgo_tracker_free(t);
    csspgo_profile_free(p);
}

static void every_allocation_of_a_base_of_many_contexts_may_fail(void)
{
    const uint32_t contexts = (uint32_t)t_cases("CSSPGO_CONTEXTS", 400, 1200);
    long nth;
    for (nth = 1; nth < 1000; nth++) {
        t_heap h;
        csspgo_options o = t_options(&h, 0);
        csspgo_profile *p = many_contexts(&o, contexts), *q;
        csspgo_tracker *t = csspgo_tracker_new(p, NULL, NULL);
        csspgo_status s;
        csspgo_node n;
        h.nth = h.calls + nth;
        s = csspgo_tracker_base(t, func_of(t, "f"), 1, &n, NULL);
        h.nth = 0;
        T_CHECK(s == CSSPGO_OK || s == CSSPGO_E_NOMEM);
        T_EQ(csspgo_validate(csspgo_tracker_profile(t), NULL), CSSPGO_OK);
        q = csspgo_tracker_snapshot(t, NULL);
        if (s != CSSPGO_OK) T_CHECK(csspgo_equal(p, q));
        csspgo_profile_free(q);
        csspgo_tracker_free(t);
        csspgo_profile_free(p);
        T_EQ(h.live, 0);
        if (s == CSSPGO_OK) break;
    }
    T_LONG(nth > 3 && nth < 1000);
}

/* A refusal says why, in one sentence. */
static int refused(csspgo_status s, const csspgo_error *e)
{
    return s == CSSPGO_E_ARGUMENT && e->status == s && e->message[0] != '\0';
}

static void bad_arguments_are_refused(void)
{
    csspgo_profile *p = small_profile(NULL), *q = csspgo_profile_new(NULL, NULL);
    csspgo_tracker *t = csspgo_tracker_new(p, NULL, NULL);
    csspgo_node none, n, high;
    csspgo_func f, bad;
    csspgo_error e;
    size_t count;
    none.id = 0;
    high.id = 12345;
    f.id = 0;
    bad.id = 99;
    T_CHECK(refused(csspgo_tracker_promote(t, none, &n, &e), &e));
    T_CHECK(refused(csspgo_tracker_promote(t, high, NULL, &e), &e));
    T_CHECK(refused(csspgo_tracker_promote(t, csspgo_root(p), NULL, &e), &e));
    T_CHECK(refused(csspgo_tracker_promote(t, csspgo_find(p, "main:2 @ a:9 @ in"), NULL, &e), &e));
    T_CHECK(refused(csspgo_tracker_mark_inlined(t, none, &e), &e));
    T_CHECK(refused(csspgo_tracker_mark_inlined(t, csspgo_root(p), &e), &e));
    T_CHECK(refused(csspgo_tracker_unmark(t, high, &e), &e));
    T_CHECK(refused(csspgo_tracker_base(t, f, 1, &n, &e), &e));
    T_CHECK(refused(csspgo_tracker_base(t, bad, 1, &n, &e), &e));
    T_CHECK(refused(csspgo_tracker_compile_order(t, &bad, 1, NULL, 0, &count, &e), &e));
    T_CHECK(refused(csspgo_tracker_move(t, csspgo_find(p, "main:2 @ a"), none, csspgo_loc_at(1, 0), NULL, &e), &e));
    n = csspgo_find(p, "main:2 @ a");
    T_CHECK(refused(csspgo_tracker_move(t, csspgo_find(p, "main"), n, csspgo_loc_at(1, 0), NULL, &e), &e));
    T_CHECK(strcmp(e.message, "csspgo_tracker_move: the caller is below the node") == 0);
    T_CHECK(refused(csspgo_tracker_rollback(t, 0, &e), &e));
    T_CHECK(refused(csspgo_tracker_commit(t, 1, &e), &e));
    T_EQ(csspgo_tracker_base(t, func_of(t, "a"), 0, &n, &e), CSSPGO_OK);
    T_CHECK(e.status == CSSPGO_OK && e.message[0] == '\0');
    T_EQ(csspgo_tracker_callee(t, high, csspgo_loc_at(1, 0), func_of(t, "a")).id, 0);
    T_EQ(csspgo_tracker_callee(t, none, csspgo_loc_at(1, 0), f).id, 0);
    T_EQ(csspgo_tracker_get_callees(t, none, csspgo_loc_at(1, 0), NULL, 0), 0);
    T_EQ(csspgo_tracker_get_callees(t, csspgo_find(p, "main"), csspgo_loc_at(1, 0), NULL, 0), 2);
    T_EQ(csspgo_tracker_get_callees(t, csspgo_find(p, "main"), csspgo_loc_at(70000, 0), NULL, 0), 0);
    T_EQ(csspgo_tracker_find(t, NULL, 0).id, 0);
    T_EQ(csspgo_tracker_contexts(t, bad).id, 0);
    T_EQ(csspgo_tracker_next(t, none).id, 0);
    T_EQ(csspgo_tracker_node_state(t, high), 0);
    T_EQ(csspgo_tracker_node_state(t, csspgo_find(csspgo_tracker_profile(t), "main:2 @ a:9 @ in")), 0);
    T_EQ(csspgo_tracker_entry_count(t, none), 0);
    T_EQ(csspgo_tracker_resolve(t, high).id, 0);
    csspgo_tracker_free(t);
    csspgo_tracker_free(NULL);
    csspgo_add_total(q, csspgo_node_add(q, csspgo_root(q), csspgo_loc_at(0, 0), CSSPGO_PLAIN, add_func(q, "f")), 1);
    T_CHECK(csspgo_tracker_new(q, NULL, &e) == NULL);
    T_EQ(e.status, CSSPGO_E_ARGUMENT);
    csspgo_profile_free(q);
    csspgo_profile_free(p);
}

static void a_move_stays_within_the_depth_limit(void)
{
    csspgo_options o;
    csspgo_profile *p;
    csspgo_tracker *t;
    csspgo_node n, at, leaf;
    memset(&o, 0, sizeof o);
    o.limits.max_depth = 4;
    p = csspgo_profile_new(&o, NULL);
    csspgo_profile_set_flags(p, CSSPGO_IS_CS);
    n = add_context(p, "x:1 @ a:1 @ b:1 @ c", 1);
    (void)n;
    add_context(p, "m:1 @ n", 1);
    t = csspgo_tracker_new(p, NULL, NULL);
    at = csspgo_find(p, "x:1 @ a");
    T_EQ(csspgo_tracker_move(t, at, csspgo_find(p, "m:1 @ n"), csspgo_loc_at(1, 0), NULL, NULL), CSSPGO_E_LIMIT);
    leaf = csspgo_find(p, "m:1 @ n");
    n = csspgo_find(p, "x:1 @ a:1 @ b:1 @ c");
    T_EQ(csspgo_tracker_move(t, leaf, n, csspgo_loc_at(1, 0), NULL, NULL), CSSPGO_E_LIMIT);
    n = csspgo_find(p, "x:1 @ a:1 @ b");
    T_EQ(csspgo_tracker_move(t, leaf, n, csspgo_loc_at(9, 0), NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_tracker_move(t, at, csspgo_find(p, "m"), csspgo_loc_at(5, 0), &n, NULL), CSSPGO_OK);
    T_EQ(csspgo_find(csspgo_tracker_profile(t), "m:5 @ a:1 @ b:1 @ c").id, csspgo_find(p, "x:1 @ a:1 @ b:1 @ c").id);
    csspgo_tracker_free(t);
    csspgo_profile_free(p);
}

static void names_lose_the_suffixes_of_later_passes(void)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_func foo, uniq, guid;
    csspgo_tracker *t;
    foo = add_func(p, "foo");
    uniq = add_func(p, "foo.__uniq.12");
    guid = csspgo_func_add_guid(p, csspgo_guid("bar", 3));
    t = csspgo_tracker_new(p, NULL, NULL);
    T_EQ(named(t, "foo").id, foo.id);
    T_EQ(named(t, "foo.llvm.123").id, foo.id);
    T_EQ(named(t, "foo.part.0.llvm.1").id, foo.id);
    T_EQ(named(t, "foo.__uniq.12").id, foo.id);
    T_EQ(named(t, "foo.__uniq.12.llvm.3").id, foo.id);
    T_EQ(named(t, "foo.cold").id, 0);
    T_EQ(named(t, "foo.llvm.1.x").id, 0);
    T_EQ(named(t, "bar").id, 0);
    csspgo_tracker_free(t);
    csspgo_profile_set_flags(p, CSSPGO_HAS_UNIQ | CSSPGO_IS_MD5);
    t = csspgo_tracker_new(p, NULL, NULL);
    T_EQ(named(t, "foo.__uniq.12.llvm.3").id, uniq.id);
    T_EQ(named(t, "bar.llvm.3").id, guid.id);
    csspgo_tracker_free(t);
    csspgo_profile_free(p);
}

/* A tracker finds functions by name; its snapshot is a profile, in which a name and its GUID are one function. */
static void a_snapshot_knows_a_name_and_its_guid_as_one_function(void)
{
    uint32_t take;
    for (take = 0; take < 2; take++) {
        csspgo_profile *p = csspgo_profile_new(NULL, NULL), *q;
        const csspgo_func guid = csspgo_func_add_guid(p, csspgo_guid("bar", 3));
        csspgo_tracker_options how;
        csspgo_tracker *t;
        memset(&how, 0, sizeof how);
        how.take = take;
        csspgo_profile_set_flags(p, CSSPGO_IS_CS);
        csspgo_add_total(p, csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT, guid), 3);
        t = csspgo_tracker_new(p, &how, NULL);
        T_EQ(named(t, "bar").id, 0);
        q = csspgo_tracker_snapshot(t, NULL);
        T_EQ(csspgo_func_add(q, "bar", 3).id, guid.id);
        T_EQ(csspgo_func_count(q), 1);
        T_EQ(csspgo_total(q, csspgo_find(q, "bar")), 3);
        csspgo_profile_free(q);
        csspgo_tracker_free(t);
        if (take == 0) csspgo_profile_free(p);
    }
}

static void what_is_nested_moves_and_goes_with_its_record(void)
{
    csspgo_profile *p = small_profile(NULL);
    csspgo_tracker *t = csspgo_tracker_new(p, NULL, NULL);
    const csspgo_profile *q = csspgo_tracker_profile(t);
    csspgo_node n;
    size_t count;
    uint32_t mark;
    csspgo_error e;
    T_EQ(csspgo_tracker_checkpoint(t, &mark, NULL), CSSPGO_OK);
    T_EQ(csspgo_tracker_promote(t, csspgo_find(q, "main:2 @ a"), &n, NULL), CSSPGO_OK);
    T_EQ(csspgo_body_count(q, csspgo_find(q, "a:9 @ in"), csspgo_loc_at(1, 0)), 3);
    T_EQ(csspgo_total(q, n), 520);
    csspgo_get_vtables(q, n, &count);
    T_EQ(count, 2);
    T_EQ(csspgo_tracker_rollback(t, mark, NULL), CSSPGO_OK);
    T_EQ(csspgo_body_count(q, csspgo_find(q, "main:2 @ a:9 @ in"), csspgo_loc_at(1, 0)), 3);
    csspgo_get_vtables(q, csspgo_find(q, "a"), &count);
    T_EQ(count, 1);
    csspgo_tracker_free(t);
    csspgo_set_checksum(p, csspgo_find(p, "a"), 5);
    t = csspgo_tracker_new(p, NULL, &e);
    q = csspgo_tracker_profile(t);
    T_EQ(csspgo_tracker_promote(t, csspgo_find(q, "main:2 @ a"), &n, NULL), CSSPGO_OK);
    T_EQ(csspgo_find(q, "a:9 @ in").id, 0);           /* another checksum: dropped with what is in it */
    T_EQ(csspgo_total(q, n), 70);
    T_EQ(csspgo_tracker_get_stats(t).lost_by_checksum, 450);
    links_are_right(t);
    csspgo_tracker_free(t);
    csspgo_profile_free(p);
}

static csspgo_node nest(csspgo_profile *p, csspgo_node up, uint32_t line, const char *name, uint64_t total)
{
    const csspgo_node n = csspgo_node_add(p, up, csspgo_loc_at(line, 0), CSSPGO_INLINEE, add_func(p, name));
    csspgo_add_total(p, n, total);
    return n;
}

/* The head count; or the count at the first location; or what is inlined there; or 1. */
static void an_entry_count_is_found_without_a_head_count(void)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_node f, g, k, x, n;
    csspgo_tracker *t;
    csspgo_profile_set_flags(p, CSSPGO_IS_CS);
    f = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT, add_func(p, "f"));
    csspgo_add_total(p, f, 9);
    csspgo_add_body(p, f, csspgo_loc_at(4, 0), 5);
    g = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT, add_func(p, "g"));
    csspgo_add_total(p, g, 100);
    csspgo_add_body(p, g, csspgo_loc_at(3, 0), 77);
    nest(p, g, 4, "late", 50);
    csspgo_add_body(p, nest(p, g, 3, "a", 20), csspgo_loc_at(1, 0), 11);
    x = nest(p, g, 3, "b", 20);                       /* it begins with two that say nothing but that they ran, */
    nest(p, x, 1, "c", 5);
    nest(p, x, 1, "d", 5);
    csspgo_add_body(p, nest(p, x, 2, "e", 5), csspgo_loc_at(1, 0), 1000);
    x = nest(p, g, 3, "dead", 0);                     /* and this one did not */
    nest(p, x, 1, "dead2", 0);
    x = nest(p, g, 3, "ran", 1);                      /* ran, though what it begins with did not */
    nest(p, x, 1, "dead", 0);
    n = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT, add_func(p, "h"));
    csspgo_add_total(p, n, 1);
    nest(p, n, 1, "dead", 0);
    k = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT, add_func(p, "k"));
    csspgo_add_total(p, k, 90);
    csspgo_add_body(p, k, csspgo_loc_at(2, 0), 7);    /* its own code is before what is inlined */
    csspgo_add_body(p, nest(p, k, 3, "a", 70), csspgo_loc_at(1, 0), 70);
    t = csspgo_tracker_new(p, NULL, NULL);
    T_EQ(csspgo_tracker_entry_count(t, k), 7);
    T_EQ(csspgo_tracker_entry_count(t, f), 5);
    T_EQ(csspgo_tracker_entry_count(t, g), 11 + 2 + 0 + 1);
    T_EQ(csspgo_tracker_entry_count(t, n), 1);
    csspgo_tracker_free(t);
    csspgo_add_head(p, g, 3);
    csspgo_add_body(p, f, csspgo_loc_at(1, 0), 0);    /* first location, count 0, but it ran */
    t = csspgo_tracker_new(p, NULL, NULL);
    T_EQ(csspgo_tracker_entry_count(t, f), 1);
    T_EQ(csspgo_tracker_entry_count(t, g), 3);
    csspgo_tracker_free(t);
    csspgo_profile_free(p);
}

static void a_stack_that_is_entered_is_marked(void)
{
    csspgo_profile *p = small_profile(NULL);
    csspgo_tracker *t = csspgo_tracker_new(p, NULL, NULL);
    csspgo_frame f[3];
    memset(f, 0, sizeof f);
    f[0].func = func_of(t, "main");
    f[0].loc = csspgo_loc_at(1, 0);
    f[1].func = func_of(t, "a");
    f[1].loc = csspgo_loc_at(2, 0);
    f[2].func = func_of(t, "b");
    T_EQ(csspgo_tracker_node_state(t, csspgo_tracker_enter(t, f, 1)), CSSPGO_RAW);
    T_EQ(csspgo_tracker_node_state(t, csspgo_tracker_find(t, f, 3)), CSSPGO_RAW);
    T_EQ(csspgo_tracker_node_state(t, csspgo_tracker_enter(t, f, 3)), CSSPGO_RAW | CSSPGO_INLINED);
    T_EQ(csspgo_tracker_enter(t, f, 3).id, csspgo_find(p, "main:1 @ a:2 @ b").id);
    f[2].func = func_of(t, "main");
    T_EQ(csspgo_tracker_enter(t, f, 3).id, 0);
    csspgo_tracker_free(t);
    csspgo_profile_free(p);
}

/* Lists of callees and of children: whatever the room, what fits is what the whole list begins with. */
static void a_list_of_any_room_begins_as_the_whole_one(void)
{
    enum { N = 9 };
    uint64_t seed;
    for (seed = 1; seed <= 50; seed++) {
        csspgo_profile *p = csspgo_profile_new(NULL, NULL);
        uint64_t state = seed * 0x9E3779B97F4A7C15u;
        csspgo_node all[N], some[N], main_;
        csspgo_tracker *t;
        size_t cap, i;
        int children;
        csspgo_profile_set_flags(p, CSSPGO_IS_CS);
        main_ = add_context(p, "main", 1);
        for (i = 0; i < N; i++) {
            char context[] = "main:1 @ f0";
            context[10] = (char)('0' + i);
            add_context(p, context, rnd(&state, 5));
        }
        t = csspgo_tracker_new(p, NULL, NULL);
        for (children = 0; children < 2; children++)
            for (cap = N + 1; cap-- > 0;) {
                csspgo_node *const out = cap == N ? all : some;
                T_EQ(children ? csspgo_tracker_get_children(t, main_, out, cap)
                              : csspgo_tracker_get_callees(t, main_, csspgo_loc_at(1, 0), out, cap), N);
                for (i = 0; i < cap; i++) T_EQ(out[i].id, all[i].id);
                for (i = 1; i < cap && !children; i++) {
                    const uint64_t a = csspgo_tracker_entry_count(t, out[i - 1]);
                    const uint64_t b = csspgo_tracker_entry_count(t, out[i]);
                    T_CHECK(a > b || (a == b && csspgo_func_guid(p, csspgo_node_func(p, out[i - 1])) <
                                                csspgo_func_guid(p, csspgo_node_func(p, out[i]))));
                }
            }
        csspgo_tracker_free(t);
        csspgo_profile_free(p);
    }
}

/* The smallest hot count is the caller's, or that of the profile at the caller's cutoff, 99 % by default. */
static void hot_is_what_the_options_say(void)
{
    csspgo_profile *p = small_profile(NULL);
    csspgo_tracker_options how;
    uint32_t ppm;
    memset(&how, 0, sizeof how);
    for (ppm = 0; ppm < 1000000; ppm += 90000) {
        csspgo_tracker *t;
        uint64_t want;
        T_EQ(csspgo_count_threshold(p, ppm != 0 ? ppm : 990000, &want, NULL), CSSPGO_OK);
        how.hot_ppm = ppm;
        for (how.hot_count = 0; how.hot_count < 100; how.hot_count += 77) {
            t = csspgo_tracker_new(p, &how, NULL);
            T_EQ(csspgo_tracker_hot_count(t), how.hot_count != 0 ? how.hot_count : want);
            csspgo_tracker_free(t);
        }
    }
    csspgo_profile_free(p);
}

/* A context that was inlined when the base was made, and then was not after all, gets into the base. */
static void a_base_takes_what_was_unmarked(void)
{
    csspgo_profile *p = small_profile(NULL);
    csspgo_tracker *t = csspgo_tracker_new(p, NULL, NULL);
    const csspgo_node n = csspgo_find(p, "main:1 @ a");
    csspgo_node base;
    T_EQ(csspgo_tracker_mark_inlined(t, n, NULL), CSSPGO_OK);
    T_EQ(csspgo_tracker_base(t, func_of(t, "a"), 1, &base, NULL), CSSPGO_OK);
    T_EQ(csspgo_total(csspgo_tracker_profile(t), base), 10 * (13 + 45 + 7));
    T_EQ(csspgo_tracker_unmark(t, n, NULL), CSSPGO_OK);
    T_EQ(csspgo_tracker_base(t, func_of(t, "a"), 1, &base, NULL), CSSPGO_OK);
    T_EQ(csspgo_total(csspgo_tracker_profile(t), base), 10 * (13 + 45 + 7 + 31));
    csspgo_tracker_free(t);
    csspgo_profile_free(p);
}

static void ordered(const csspgo_tracker *t, csspgo_func *f, size_t n, const char *want)
{
    text x;
    size_t i;
    memset(&x, 0, sizeof x);
    for (i = 0; i < n; i++) {
        if (i != 0) puts_(&x, " ");
        put_func(&x, csspgo_tracker_profile(t), f[i]);
    }
    t_same(want, x.s, x.n, want, strlen(want));
    free(x.s);
}

static void callers_come_first(void)
{
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_func f[16], more;
    csspgo_tracker *t;
    size_t n;
    csspgo_profile_set_flags(p, CSSPGO_IS_CS);
    add_context(p, "b:1 @ c", 5);
    add_context(p, "a:1 @ c:1 @ d", 5);
    add_context(p, "d", 5);
    more = add_func(p, "e");                          /* to be compiled; not in the tree */
    t = csspgo_tracker_new(p, NULL, NULL);
    T_EQ(csspgo_tracker_compile_order(t, NULL, 0, f, 16, &n, NULL), CSSPGO_OK);
    ordered(t, f, n, "b a c d");                      /* what is unrelated: later names first */
    T_EQ(csspgo_tracker_compile_order(t, &more, 1, f, 3, &n, NULL), CSSPGO_OK);
    T_EQ(n, 5);
    ordered(t, f, 3, "e b a");
    csspgo_tracker_free(t);
    add_context(p, "d:1 @ b", 900);                   /* d calls b: a cycle b c d, broken where it is coldest */
    add_context(p, "d", 900);
    t = csspgo_tracker_new(p, NULL, NULL);
    T_EQ(csspgo_tracker_compile_order(t, NULL, 0, f, 16, &n, NULL), CSSPGO_OK);
    ordered(t, f, n, "a d b c");
    csspgo_tracker_free(t);
    csspgo_profile_free(p);
}

/* A cycle whose hottest calls leave two functions without callers: of these the one with the hottest call is first. */
static void of_two_entries_to_a_cycle_the_hotter_one_comes_first(void)
{
    int a_is_hotter;
    for (a_is_hotter = 0; a_is_hotter < 2; a_is_hotter++) {
        csspgo_profile *p = csspgo_profile_new(NULL, NULL);
        csspgo_func f[4];
        csspgo_tracker *t;
        size_t n;
        csspgo_profile_set_flags(p, CSSPGO_IS_CS);
        add_context(p, "a", 1);
        add_context(p, "b", 1);
        add_context(p, "c", 1);
        add_context(p, "a:1 @ c", a_is_hotter ? 100 : 10);
        add_context(p, "b:1 @ c", a_is_hotter ? 10 : 100);
        add_context(p, "c:1 @ a", 1);
        add_context(p, "c:2 @ b", 1);
        t = csspgo_tracker_new(p, NULL, NULL);
        T_EQ(csspgo_tracker_compile_order(t, NULL, 0, f, 4, &n, NULL), CSSPGO_OK);
        ordered(t, f, n, a_is_hotter ? "a b c" : "b a c");
        csspgo_tracker_free(t);
        csspgo_profile_free(p);
    }
}

/* ----- the inliner beside what opt-19 did (data/tracker/loader) ----- */

typedef struct loader {
    csspgo_tracker *t;
    csspgo_inliner_code f[16];
    csspgo_inliner_call call[16][8];
    csspgo_inliner_decision out[32];
    size_t          count;
    text            log, words;   /* words: what is inlined and the entry counts, as opt-19's remarks have them */
} loader;

/* "leaf foo:2 @ main_loop:6": decision i of function f. */
static void put_decision(text *x, const csspgo_profile *p, csspgo_func f, const csspgo_inliner_decision *d, size_t i)
{
    put_func(x, p, d[i].callee);
    puts_(x, " ");
    for (;;) {
        const uint32_t up = d[i].parent;
        put_func(x, p, up != 0 ? d[up - 1].callee : f);
        puts_(x, ":");
        put_loc(x, d[i].loc);
        if (up == 0) break;
        puts_(x, " @ ");
        i = up - 1;
    }
    puts_(x, "\n");
}

static void put_entry(text *x, const csspgo_tracker *t, csspgo_func f, csspgo_node base)
{
    if (base.id == 0) return;
    puts_(x, "entry ");
    put_func(x, csspgo_tracker_profile(t), f);
    puts_(x, " ");
    putn(x, csspgo_head(csspgo_tracker_profile(t), base));
    puts_(x, "\n");
}

/* A call site of a remark, line offset and column, with the probe's id instead. Returns the end of what it read. */
static const char *put_callsite(text *x, const char *s)
{
    static const char *const sites[][2] = {
        { "main_loop:6:12", "main_loop:8" }, { "main_loop:4:12", "main_loop:6" }, { "foo:1:11", "foo:2" },
        { "driver:3:10", "driver:5" }
    };
    const size_t n = strcspn(s, " ;");
    size_t i;
    for (i = 0; i < sizeof sites / sizeof *sites; i++)
        if (strlen(sites[i][0]) == n && memcmp(s, sites[i][0], n) == 0) puts_(x, sites[i][1]);
    return s + n;
}

/* What opt-19 said (NAME.out.txt), in those words. */
static void put_remarks(text *x, const char *name)
{
    char path[128];
    size_t n;
    char *all, *line;
    int entries = 0;
    sprintf(path, "data/tracker/loader/%s.out.txt", name);
    all = t_file(path, &n);
    for (line = all != NULL ? strtok(all, "\n") : NULL; line != NULL; line = strtok(NULL, "\n")) {
        const char *who = strchr(line, '\''), *at = strstr(line, " at callsite ");
        char *count = strchr(line, ' ');
        if (strncmp(line, "# entry counts", 14) == 0) {
            entries = 1;
        } else if (entries && count != NULL && strcmp(count, " -1") != 0) {
            puts_(x, "entry ");
            puts_(x, line);
            puts_(x, "\n");
        } else if (!entries && line[0] != '#' && who != NULL && at != NULL) {
            put(x, who + 1, strcspn(who + 1, "'"));
            puts_(x, " ");
            for (at = put_callsite(x, at + 13); strncmp(at, " @ ", 3) == 0; at = put_callsite(x, at + 3))
                puts_(x, " @ ");
            puts_(x, "\n");
        }
    }
    free(all);
}

/* The two have the same lines, in whatever order; each of them is there once. */
static void same_lines(const char *what, const text *a, const text *b)
{
    const char *s = a->s;
    T_EQ(a->n, b->n);
    while (s != NULL && *s != '\0') {
        const size_t n = strcspn(s, "\n") + 1;
        const char *at = b->s;
        while (at != NULL && strncmp(at, s, n) != 0) {
            at = strchr(at, '\n');
            if (at != NULL) at++;
        }
        T_MSG(at != NULL, what);
        s += n;
    }
}

static void as_remarked(const char *name, const text *got, const char *instead, const char *of)
{
    text want;
    char *at;
    memset(&want, 0, sizeof want);
    put_remarks(&want, name);
    if (of != NULL && T_CHECK((at = strstr(want.s, of)) != NULL)) memcpy(at, instead, strlen(of));
    T_CHECK(want.n != 0);
    same_lines(name, got, &want);
    free(want.s);
}

static csspgo_func load_func(loader *l, csspgo_profile *p, const char *name, uint32_t size, uint32_t cost)
{
    const csspgo_func f = add_func(p, name);
    l->f[f.id].size = size;
    l->f[f.id].cost = cost;
    l->f[f.id].calls = l->call[f.id];
    return f;
}

static void load_call(loader *l, csspgo_func caller, uint32_t probe, csspgo_func callee)
{
    csspgo_inliner_code *f = &l->f[caller.id];
    l->call[caller.id][f->call_count].loc = csspgo_loc_at(probe, 0);
    l->call[caller.id][f->call_count++].target = callee;
}

/* Compiles all functions in the tracker's order; the log has each decision and the entry counts. */
static void load(loader *l, csspgo_profile *p)
{
    csspgo_func order[16];
    csspgo_node base;
    size_t n, i, k;
    l->t = csspgo_tracker_new(p, NULL, NULL);
    if (!T_CHECK(l->t != NULL)) return;
    T_EQ(csspgo_tracker_compile_order(l->t, NULL, 0, order, 16, &n, NULL), CSSPGO_OK);
    for (i = 0; i < n; i++) {
        csspgo_inliner_result made;
        made.decision = l->out;
        made.cap = 32;
        T_EQ(csspgo_tracker_decide(l->t, order[i], l->f, 16, NULL, &made, NULL), CSSPGO_OK);
        l->count = made.count;
        base = made.base;
        for (k = 0; k < l->count; k++)
            if (l->out[k].inlined) put_decision(&l->words, p, order[i], l->out, k);
        put_entry(&l->words, l->t, order[i], base);
        put_func(&l->log, p, order[i]);
        puts_(&l->log, base.id == 0 ? " -" : " ");
        if (base.id != 0) putn(&l->log, csspgo_head(csspgo_tracker_profile(l->t), base));
        for (k = 0; k < l->count; k++) {
            puts_(&l->log, l->out[k].inlined ? " +" : " ?");
            put_func(&l->log, p, l->out[k].callee);
            puts_(&l->log, "@");
            if (l->out[k].parent != 0) put_func(&l->log, p, l->out[l->out[k].parent - 1].callee);
            puts_(&l->log, ":");
            put_loc(&l->log, l->out[k].loc);
        }
        puts_(&l->log, "\n");
    }
}

static csspgo_profile *loader_profile(const char *name)
{
    char path[128];
    size_t n;
    char *data;
    csspgo_profile *p;
    sprintf(path, "data/tracker/loader/%s.prof", name);
    data = t_file(path, &n);
    p = data != NULL ? read_profile(data, n, NULL) : NULL;
    free(data);
    return p;
}

/* remarks: the file of what opt-19 did; in it `instead` stands for `of`, unless that is NULL. */
static void loader_ends_as(loader *l, csspgo_profile *p, const char *remarks, const char *want, const char *instead,
                           const char *of)
{
    load(l, p);
    t_same(remarks, l->log.s, l->log.n, want, strlen(want));
    as_remarked(remarks, &l->words, instead, of);
    free(l->log.s);
    free(l->words.s);
    csspgo_tracker_free(l->t);
    csspgo_profile_free(p);
}

/* basic.c; sizes as of the unoptimised IR, costs from opt-19's remarks. The calls of foo are at these probes. */
static void basic_code(loader *l, csspgo_profile *p, uint32_t hot_call, uint32_t cold_call)
{
    csspgo_func main_loop, foo, leaf;
    memset(l, 0, sizeof *l);
    main_loop = load_func(l, p, "main_loop", 40, 0);
    foo = load_func(l, p, "foo", 20, 100);
    leaf = load_func(l, p, "leaf", 16, 65);
    load_call(l, main_loop, hot_call, foo);
    load_call(l, main_loop, cold_call, foo);
    load_call(l, foo, 2, leaf);
    load_call(l, foo, 4, add_func(p, "ext"));
    load_call(l, leaf, 3, add_func(p, "ext"));
}

static void basic_case(const char *name, const char *remarks, uint32_t hot_call, uint32_t cold_call, const char *want)
{
    loader l;
    csspgo_profile *p = loader_profile(name);
    if (!T_CHECK(p != NULL)) return;
    basic_code(&l, p, hot_call, cold_call);
    loader_ends_as(&l, p, remarks, want, NULL, NULL);
}

/* Without the flag that a profile is pre-inlined its attributes decide nothing. */
static void attributes_count_in_preinlined_profiles(void)
{
    loader l;
    csspgo_profile *p = loader_profile("preinliner");
    if (!T_CHECK(p != NULL)) return;
    csspgo_profile_set_flags(p, csspgo_profile_flags(p) & ~(uint32_t)CSSPGO_IS_PREINLINED);
    basic_code(&l, p, 6, 8);
    loader_ends_as(&l, p, "basic", "main_loop 1 +foo@:6 +leaf@foo:2\nfoo 10\nleaf 110\n", NULL, NULL);
}

static void the_inliner_decides_as_llvm_does(void)
{
    loader l;
    csspgo_profile *p;
    csspgo_func driver, none, fib, main_loop;
    basic_case("basic", "basic", 6, 8, "main_loop 1 +foo@:6 +leaf@foo:2\nfoo 10\nleaf 110\n");
    basic_case("preinliner", "preinliner", 6, 8, "main_loop 1 +foo@:6 +leaf@foo:2 +foo@:8\nfoo -\nleaf 110\n");
    basic_case("synthetic", "synthetic", 6, 8, "main_loop 1\nfoo 87\nleaf 10\n");
    basic_case("synthetic-raw", "synthetic-raw", 6, 8, "main_loop 1\nfoo 87 +leaf@:2\nleaf -\n");
    basic_case("basic", "stale-cs", 9, 11, "main_loop 1\nfoo 8760 +leaf@:2\nleaf 100\n");
    memset(&l, 0, sizeof l);
    p = loader_profile("indirect");
    if (!T_CHECK(p != NULL)) return;
    none.id = 0;
    driver = load_func(&l, p, "driver", 40, 0);
    load_func(&l, p, "t1", 5, 1);
    load_func(&l, p, "t2", 5, 1);
    load_func(&l, p, "t3", 5, 1);
    load_call(&l, driver, 5, none);
    loader_ends_as(&l, p, "indirect", "driver 1 +t1@:5 +t2@:5\nt3 10\nt2 -\nt1 7\n", NULL, NULL);
    memset(&l, 0, sizeof l);
    p = loader_profile("recursion");
    if (!T_CHECK(p != NULL)) return;
    main_loop = load_func(&l, p, "main_loop", 40, 0);
    fib = load_func(&l, p, "fib", 16, 4000);          /* opt-19 does not inline it */
    load_call(&l, main_loop, 5, fib);
    load_call(&l, fib, 5, fib);
    load_call(&l, fib, 3, add_func(p, "ext"));
    loader_ends_as(&l, p, "recursion", "main_loop 1\nfib 28900\n", "entry fib 28900\n",
                   "entry fib 19900\n");              /* LLVM loses 9000 */
}

/* basic.c, where foo and leaf were inlined before the profile was read: seen by the stacks of what is left. */
static void what_was_inlined_before_is_found_by_its_stacks(void)
{
    csspgo_profile *p = loader_profile("basic");
    csspgo_tracker *t;
    csspgo_frame f[3];
    csspgo_node base;
    uint32_t call;
    size_t i;
    text got;
    static const char *const names[] = { "main_loop", "foo", "leaf" };
    memset(&got, 0, sizeof got);
    memset(f, 0, sizeof f);
    t = p != NULL ? csspgo_tracker_new(p, NULL, NULL) : NULL;
    if (!T_CHECK(t != NULL)) return;
    for (i = 0; i < 3; i++) f[i].func = func_of(t, names[i]);
    f[1].loc = csspgo_loc_at(2, 0);
    for (call = 6; call <= 8; call += 2) {
        f[0].loc = csspgo_loc_at(call, 0);
        T_CHECK(csspgo_tracker_enter(t, f, 2).id != 0 && csspgo_tracker_enter(t, f, 3).id != 0);
    }
    for (i = 0; i < 3; i++) {
        T_EQ(csspgo_tracker_base(t, f[i].func, 1, &base, NULL), CSSPGO_OK);
        put_entry(&got, t, f[i].func, base);
    }
    as_remarked("preinlined-ir", &got, NULL, NULL);
    free(got.s);
    csspgo_tracker_free(t);
    csspgo_profile_free(p);
}

/* basic_v2.c with the profile of basic.c: LLVM finds no context any more (stale-cs); after matching all are there. */
static void a_stale_profile_is_matched_before_it_is_tracked(void)
{
    static const uint32_t block[] = { 1, 2, 4, 5, 7, 8, 10, 12, 13, 14 };
    static const char *const callee[] = { "ext", "foo", "foo" };
    static const char want[] = "main_loop 1 +foo@:9 +leaf@foo:2\nfoo 10\nleaf 110\n";
    csspgo_profile *p = loader_profile("basic"), *q = csspgo_profile_new(NULL, NULL);
    csspgo_matcher *m = csspgo_matcher_new(NULL, NULL, NULL);
    csspgo_match_loc loc[13];
    csspgo_match_code code;
    csspgo_error e;
    loader l;
    size_t i;
    if (!T_CHECK(p != NULL && q != NULL && m != NULL)) return;
    memset(loc, 0, sizeof loc);
    memset(&code, 0, sizeof code);
    for (i = 0; i < 13; i++) {
        loc[i].loc = csspgo_loc_at(i < 10 ? block[i] : i == 10 ? 3 : i == 11 ? 9 : 11, 0);
        loc[i].kind = i < 10 ? CSSPGO_MATCH_BLOCK : CSSPGO_MATCH_CALL;
        if (i >= 10) loc[i].callee = csspgo_guid(callee[i - 10], 3);
    }
    code.name = "main_loop";
    code.name_size = 9;
    code.checksum = 1;
    code.loc = loc;
    code.locs = 13;
    T_EQ(csspgo_matcher_module(m, p, &code, 1, NULL, &e), CSSPGO_OK);
    T_EQ(csspgo_matcher_apply(m, p, q, NULL, &e), CSSPGO_OK);
    csspgo_matcher_free(m);
    csspgo_profile_free(p);
    basic_code(&l, q, 9, 11);
    load(&l, q);
    t_same("stale", l.log.s, l.log.n, want, strlen(want));
    free(l.log.s);
    free(l.words.s);
    csspgo_tracker_free(l.t);
    csspgo_profile_free(q);
}

/* ----- the inliner's options: main calls functions without calls of their own, each option is 0 or drawn ----- */

static uint32_t or_else(uint32_t x, uint32_t otherwise)
{
    return x != 0 ? x : otherwise;
}

static uint32_t near_to(uint64_t *seed, uint32_t n)
{
    return n - 1 + rnd(seed, 3);
}

static void options_of_the_inliner(uint64_t seed)
{
    enum { N = 6, HOT = 50 };
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_tracker_options tracked;
    csspgo_inliner_options how;
    csspgo_inliner_code f[2 * N + 8];
    csspgo_inliner_call site[N];
    csspgo_inliner_decision out[N];
    csspgo_inliner_result made;
    csspgo_tracker *t;
    csspgo_func callee[N], main_;
    uint64_t count[N], size, limit, budget, all = 0;
    const int indirect = rnd(&seed, 3) == 0, context_less = rnd(&seed, 3) == 0;
    size_t want = 0, i;
    uint32_t direct = 0, inlined = 0;
    csspgo_profile_set_flags(p, CSSPGO_IS_CS);
    csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT, add_func(p, "main"));
    main_ = add_func(p, "main");
    memset(f, 0, sizeof f);
    memset(&how, 0, sizeof how);
    memset(&tracked, 0, sizeof tracked);
    tracked.hot_count = HOT;
    f[main_.id].size = rnd(&seed, 4) == 0 ? near_to(&seed, 834) : 1 + rnd(&seed, 20);
    for (i = 0; i < N; i++) {                         /* the hottest call first */
        char context[] = "main:0 @ f0";
        csspgo_inliner_code *c;
        const unsigned kind = rnd(&seed, 8);
        context[5] = (char)('1' + (indirect ? 0 : i));
        context[10] = (char)('0' + i);
        count[i] = HOT + 10 + rnd(&seed, 8) - 10 * i + (i == 0) * rnd(&seed, 300);
        if (i == N - 1 && rnd(&seed, 12) == 0) count[i] = 0;
        if (rnd(&seed, 4) == 0 && i == 1) count[i] = HOT;
        if (i > 1 && count[i] != 0) count[i] = HOT - 8 * i + rnd(&seed, 8);
        if (indirect && count[i] != 0) count[i] += rnd(&seed, 3) != 0 ? (uint64_t)(4 * HOT) : 0u;
        if (i > 0 && count[i] >= count[i - 1]) count[i] = count[i - 1] - (count[i - 1] != 0);
        all += count[i];
        add_context(p, context, count[i]);
        callee[i] = add_func(p, context + 9);
        c = &f[callee[i].id];
        c->size = kind == 0 ? near_to(&seed, 3000) : kind == 1 ? near_to(&seed, 45)
                : kind == 2 ? 0 : 1 + rnd(&seed, 60);
        if (rnd(&seed, 3) == 0) c->cost = rnd(&seed, 2) != 0 ? near_to(&seed, 45) : near_to(&seed, 3000);
        c->flags = rnd(&seed, 8) == 0 ? 1 + rnd(&seed, 2) : 0;
        site[i].loc = csspgo_loc_at(1 + (uint32_t)i, 0);
        site[i].target = callee[i];
        csspgo_add_target(p, csspgo_find(p, "main"), site[indirect ? 0 : i].loc, callee[i], count[i]);
    }
    how.context_less = (uint32_t)context_less;
    if (indirect) site[0].target.id = 0;
    f[main_.id].calls = site;
    f[main_.id].call_count = indirect ? 1 : N;
    if (rnd(&seed, 3) == 0) how.hot_cost = rnd(&seed, 2) != 0 ? f[callee[0].id].cost : 1 + rnd(&seed, 60);
    if (rnd(&seed, 3) == 0) how.cold_cost = rnd(&seed, 2) != 0 ? f[callee[3].id].size : 1 + rnd(&seed, 60);
    if (rnd(&seed, 3) == 0) how.growth = 1 + rnd(&seed, 20);
    if (rnd(&seed, 3) == 0) how.min_size = 1 + rnd(&seed, 300);
    if (rnd(&seed, 3) == 0) how.max_size = 1 + rnd(&seed, 300);
    if (rnd(&seed, 3) == 0) how.max_targets = 1 + rnd(&seed, 5);
    if (rnd(&seed, 3) == 0)
        how.min_percent = rnd(&seed, 2) != 0 ? 1 + rnd(&seed, 50) : (uint32_t)(count[1] * 100 / all);
    budget = rnd(&seed, 60);
    if (rnd(&seed, 3) == 0) how.budget = &budget;
    t = csspgo_tracker_new(p, &tracked, NULL);
    made.decision = out;
    made.cap = N;
    {
        uint64_t left = how.budget != NULL ? budget : UINT64_MAX;
        T_EQ(csspgo_tracker_decide(t, main_, f, sizeof f / sizeof *f, &how, &made, NULL), CSSPGO_OK);
        size = f[main_.id].size;
        limit = size * or_else(how.growth, 12);
        if (limit < or_else(how.min_size, 100)) limit = or_else(how.min_size, 100);
        if (limit > or_else(how.max_size, 10000)) limit = or_else(how.max_size, 10000);
        for (i = 0; i < N; i++) {
            const csspgo_inliner_code *c = &f[callee[i].id];
            const uint32_t most = count[i] > HOT ? or_else(how.hot_cost, 3000) : or_else(how.cold_cost, 45);
            const int fits = c->size != 0 && c->size <= left && !(c->flags & CSSPGO_NEVER_INLINE) &&
                             (c->flags & CSSPGO_ALWAYS_INLINE || or_else(c->cost, c->size) < most);
            if (indirect) {
                if (size >= limit && i == 0) break;
                if (direct == or_else(how.max_targets, 3) || count[i] < HOT) break;
                if (inlined != 0 && count[i] * 100 < all * or_else(how.min_percent, 25)) break;
                if (c->size == 0) continue;
                direct++;
            } else if (size >= limit || (context_less && count[i] == 0)) break;
            else if (!fits) continue;
            if (!T_CHECK(want < made.count)) break;
            T_EQ(out[want].callee.id, callee[i].id);
            T_EQ(out[want].count, count[i]);
            T_EQ(out[want].inlined, (uint32_t)fits);
            T_EQ(out[want].guarded, (uint32_t)indirect);
            T_EQ(out[want].loc.line, site[indirect ? 0 : i].loc.line);
            T_EQ(out[want].parent, 0);
            want++;
            if (!fits) continue;
            inlined++;
            size += c->size;
            left -= c->size;
        }
        T_EQ(made.count, want);
        if (how.budget != NULL) T_EQ(budget, left);
    }
    csspgo_tracker_free(t);
    csspgo_profile_free(p);
}

/* Without contexts a copy's calls are the base's, by the copy's share of all its entries: rounded down, at most all. */
static void a_copy_without_context_has_its_share_of_the_calls(void)
{
    static const struct { uint64_t entries, copy, calls, share; } v[] = {
        { 100, 60, 50, 30 }, { 100, 100, 50, 50 }, { 100, 99, 50, 49 }, { 100, 101, 50, 50 }, { 100, 250, 50, 50 },
        { 3, 1, 50, 16 }, { 3, 2, 50, 33 }, { 1000, 1, 999, 0 }, { 1000, 1, 1000, 1 }, { 1, 1, 7, 7 },
        { UINT64_C(1) << 62, UINT64_C(1) << 61, UINT64_C(1) << 60, UINT64_C(1) << 59 }
    };
    static const char *const name[] = { "main", "a", "b" };
    size_t i, k;
    int indirect;
    for (i = 0; i < sizeof v / sizeof *v; i++)
        for (indirect = 0; indirect < 2; indirect++) {
            csspgo_profile *p = csspgo_profile_new(NULL, NULL);
            csspgo_inliner_options how;
            csspgo_inliner_code f[8];
            csspgo_inliner_call call[2];
            csspgo_inliner_decision out[4];
            csspgo_inliner_result made;
            csspgo_tracker_options tracked;
            csspgo_tracker *t;
            csspgo_func func[3];
            csspgo_node n[3];
            memset(&how, 0, sizeof how);
            memset(&tracked, 0, sizeof tracked);
            memset(f, 0, sizeof f);
            csspgo_profile_set_flags(p, CSSPGO_IS_CS);
            for (k = 0; k < 3; k++) {
                func[k] = add_func(p, name[k]);
                n[k] = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_CONTEXT, func[k]);
                T_EQ(csspgo_add_total(p, n[k], 1), CSSPGO_OK);
                f[func[k].id].size = 5;
            }
            T_EQ(csspgo_add_head(p, n[1], v[i].entries), CSSPGO_OK);
            T_EQ(csspgo_add_head(p, n[2], v[i].calls), CSSPGO_OK);
            T_EQ(csspgo_add_target(p, n[0], csspgo_loc_at(2, 0), func[1], v[i].copy), CSSPGO_OK);
            T_EQ(csspgo_add_target(p, n[1], csspgo_loc_at(3, 0), func[2], v[i].calls), CSSPGO_OK);
            for (k = 0; k < 2; k++) {
                call[k].loc = csspgo_loc_at(2 + (uint32_t)k, 0);
                call[k].target = func[k + 1];
                f[func[k].id].calls = &call[k];
                f[func[k].id].call_count = 1;
            }
            if (indirect) call[1].target.id = 0;
            tracked.hot_count = 1;
            how.context_less = 1;
            t = csspgo_tracker_new(p, &tracked, NULL);
            made.decision = out;
            made.cap = 4;
            T_EQ(csspgo_tracker_decide(t, func[0], f, 8, &how, &made, NULL), CSSPGO_OK);
            T_EQ(made.count, v[i].share != 0 ? 2u : 1u);
            T_EQ(out[0].count, v[i].copy);
            if (made.count == 2) {
                T_EQ(out[1].count, v[i].share);
                T_EQ(out[1].parent, 1);
                T_EQ(out[1].callee.id, func[2].id);
            }
            csspgo_tracker_free(t);
            csspgo_profile_free(p);
        }
}

static void each_option_of_the_inliner_counts(void)
{
    uint64_t seed;
    for (seed = 1; seed <= t_size(2000, 20000); seed++) options_of_the_inliner(seed * 0x9E3779B97F4A7C15u);
}

int main(void)
{
    operations_answer_as_llvm_does();
    recursion_loses_nothing();
    random_cases_answer_as_llvm_does();
    random_recursive_cases_keep_all_samples();
    random_sequences_answer_as_the_model();
    a_profile_after_two_promotions_can_be_added();
    T_FAILING(every_allocation_of_an_operation_may_fail());
    T_FAILING(every_allocation_of_a_new_tracker_may_fail());
    queries_and_marks_allocate_nothing();
    many_contexts_become_one_base_in_time();
    T_FAILING(every_allocation_of_a_base_of_many_contexts_may_fail());
    bad_arguments_are_refused();
    a_move_stays_within_the_depth_limit();
    names_lose_the_suffixes_of_later_passes();
    a_snapshot_knows_a_name_and_its_guid_as_one_function();
    what_is_nested_moves_and_goes_with_its_record();
    an_entry_count_is_found_without_a_head_count();
    a_stack_that_is_entered_is_marked();
    a_list_of_any_room_begins_as_the_whole_one();
    hot_is_what_the_options_say();
    a_base_takes_what_was_unmarked();
    callers_come_first();
    of_two_entries_to_a_cycle_the_hotter_one_comes_first();
    the_inliner_decides_as_llvm_does();
    a_copy_without_context_has_its_share_of_the_calls();
    each_option_of_the_inliner_counts();
    attributes_count_in_preinlined_profiles();
    what_was_inlined_before_is_found_by_its_stacks();
    a_stale_profile_is_matched_before_it_is_tracked();
    return t_end();
}
