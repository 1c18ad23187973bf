/* oracle_profdata.c - random profiles through `csspgo merge|overlap --llvm-compat` and through llvm-profdata-19.
 *
 *     oracle_profdata TOOL LLVM DIR COUNT SHARD SHARDS [OPERATION...]
 *
 * For each operation, COUNT random cases, of them those with number % SHARDS == SHARD: the same command line for both
 * tools, the same exit status, the same output. A case depends on its operation and number only; it leaves its files if
 * it fails.
 */
#define _POSIX_C_SOURCE 200809L
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include "t.h"
#include "text.h"

extern char **environ;

/* ----- random profiles as text ----- */

/* What the profiles of one case have in common. */
typedef struct kind {
    int      cs, probe;           /* contexts; probe ids                                        */
    unsigned attributes;          /* one record in so many has some, with ShouldBeInlined; 0: none */
    unsigned huge;                /* one count in so many is near 2^64; 0: none                 */
    unsigned names, records;      /* at most                                                    */
} kind;

static unsigned long long some_count(const kind *k)
{
    const unsigned r = rnd(100);
    if (k->huge != 0 && rnd(k->huge) == 0) return UINT64_MAX - rnd(3);
    if (r < 8) return (UINT64_C(1) << rnd(40)) + rnd(2);
    if (r < 25) return rnd(100000);
    return rnd(8);                                    /* many equal ones: the order shows */
}

/* The pool is small, so that names meet. In frames of a context some characters mean something else. */
static void put_name(text *t, const kind *k, unsigned n)
{
    static const char *const plain[] = {
        "main", "foo", "bar", "_Z3fooi", "_ZN2ns3barEv.__uniq.123", "a.llvm.77", "f.cold", "x", "f\xc3\xbc\xe2\x82\xac",
        "a b", "@", "a @b", "]", "?x@@YAXXZ", "<lambda>(int)", "-", ".", "a\tb", "a\rb", "f[0]", "\x7f", "vtables",
        "operator()", "\xff\xfe", "fo", "n12", "\"q\\"
    };
    static const char *const odd[] = {
        "ns::f", "std::map<int, int>::at(int)", "a:b", "a::b c:d", "f:", "a: b", "f @ g"
    };
    const unsigned np = sizeof plain / sizeof plain[0], no = sizeof odd / sizeof odd[0];
    char name[40];
    if (n < np) {
        put_str(t, plain[n]);
    } else if (n < np + no && !k->cs) {
        put_str(t, odd[n - np]);
    } else {
        sprintf(name, "_ZN%un%uE", n % 10, n);
        put_str(t, name);
    }
}

static void put_loc(text *t, const kind *k, unsigned line)
{
    put_number(t, line);
    if (k->probe || rnd(3)) return;
    put_str(t, ".");
    put_number(t, rnd(10) == 0 ? UINT32_MAX : rnd(5));
}

static void put_indent(text *t, unsigned depth)
{
    while (depth-- != 0) put_str(t, " ");
}

static void put_bodies(text *t, const kind *k, unsigned depth)
{
    unsigned n = rnd(rnd(8) == 0 ? 40 : 6), line = 0, i;
    while (n-- != 0) {
        line += 1 + rnd(3);
        put_indent(t, depth);
        put_loc(t, k, rnd(20) == 0 ? rnd(9) : rnd(200) == 0 ? 65535 : line);
        put_str(t, ": ");
        put_number(t, some_count(k));
        for (i = rnd(3) != 0 ? 0 : rnd(5); i != 0; i--) {
            put_str(t, " ");
            put_name(t, k, rnd(k->names));
            put_str(t, ":");
            put_number(t, some_count(k));
        }
        put_str(t, "\n");
    }
}

/* A function has one checksum in all profiles. */
static void put_meta(text *t, const kind *k, unsigned depth, unsigned name)
{
    if (k->probe) {
        put_indent(t, depth);
        put_str(t, "!CFGChecksum: ");
        put_number(t, name % 7 == 0 ? UINT64_MAX - name : 100 + name);
        put_str(t, "\n");
    }
    if (k->attributes != 0 && rnd(k->attributes) == 0) {
        put_indent(t, depth);
        put_str(t, "!Attributes: ");
        put_number(t, 2 | rnd(rnd(9) == 0 ? 16 : 4));
        put_str(t, "\n");
    }
}

static void put_inlinees(text *t, const kind *k, unsigned depth)
{
    unsigned n = depth < 6 ? rnd(3) : 0, line = 0, name;
    while (n-- != 0) {
        line += rnd(4);
        name = rnd(k->names);
        put_indent(t, depth);
        put_loc(t, k, line);
        put_str(t, ": ");
        put_name(t, k, name);
        put_str(t, ":");
        put_number(t, some_count(k));
        put_str(t, "\n");
        put_bodies(t, k, depth + 1);
        put_inlinees(t, k, depth + 1);
        put_meta(t, k, depth + 1, name);
    }
}

static void make_profile(text *t, const kind *k)
{
    unsigned records = 1 + rnd(k->records), depth, name;
    t->size = 0;
    while (records-- != 0) {
        name = rnd(k->names);
        if (k->cs) put_str(t, "[");
        for (depth = k->cs ? rnd(rnd(10) == 0 ? 12 : 5) : 0; depth != 0; depth--) {
            put_name(t, k, rnd(k->names));
            put_str(t, ":");
            put_loc(t, k, rnd(6));
            put_str(t, " @ ");
        }
        put_name(t, k, name);
        put_str(t, k->cs ? "]:" : ":");
        put_number(t, some_count(k));
        put_str(t, ":");
        put_number(t, some_count(k));
        put_str(t, "\n");
        put_bodies(t, k, 1);
        if (!k->cs) put_inlinees(t, k, 1);
        put_meta(t, k, 1, name);
    }
}

/* ----- running ----- */

static char dir[300];

static char *path_of(const char *op, unsigned number, const char *suffix, char *path)
{
    sprintf(path, "%.200s/%s.%u.%s", dir, op, number, suffix);
    return path;
}

static void write_text(const char *path, const text *t)
{
    FILE *f = fopen(path, "wb");
    if (f == NULL || (t->size != 0 && fwrite(t->data, 1, t->size, f) != t->size) || fclose(f) != 0) {
        fprintf(stderr, "cannot write %s\n", path);
        exit(2);
    }
}

/* The exit status; 256 and more: killed by a signal. */
static int run(const char *tool, char **argv)
{
    posix_spawn_file_actions_t fa;
    char name[400];
    pid_t pid;
    int status;
    sprintf(name, "%.390s", tool);
    argv[0] = name;
    posix_spawn_file_actions_init(&fa);
    posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", 0, 0);
    posix_spawn_file_actions_addopen(&fa, 1, "/dev/null", 1, 0);
    posix_spawn_file_actions_addopen(&fa, 2, "/dev/null", 1, 0);
    if (posix_spawnp(&pid, tool, &fa, NULL, argv, environ) != 0 || waitpid(pid, &status, 0) != pid) {
        fprintf(stderr, "cannot run %s\n", tool);
        exit(2);
    }
    posix_spawn_file_actions_destroy(&fa);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + status;
}

/* ----- comparing ----- */

typedef struct piece {            /* bytes to be compared with others as a set */
    const unsigned char *p;
    size_t               n;
} piece;

static int piece_cmp(const void *a, const void *b)
{
    const piece *x = (const piece *)a, *y = (const piece *)b;
    const int c = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);
    return c != 0 ? c : x->n < y->n ? -1 : x->n > y->n;
}

static unsigned long long get_uleb(const unsigned char **p, const unsigned char *end)
{
    unsigned long long v = 0;
    unsigned shift = 0;
    while (*p < end) {
        const unsigned byte = *(*p)++;
        if (shift < 64) v |= (unsigned long long)(byte & 127) << shift;
        shift += 7;
        if (!(byte & 128)) break;
    }
    return v;
}

static unsigned long long get_u64(const unsigned char *p)
{
    unsigned long long v = 0;
    int i;
    for (i = 7; i >= 0; i--) v = v << 8 | p[i];
    return v;
}

enum { METADATA = 5, ENTRY = 32 };

static void skip_metadata(const unsigned char **p, const unsigned char *end, unsigned long long flags, int cs,
                          int depth)
{
    unsigned long long n;
    get_uleb(p, end);
    if (flags >> 32 & 1) get_uleb(p, end);
    if (flags >> 32 & 2) get_uleb(p, end);
    if (cs || depth > 100) return;
    for (n = get_uleb(p, end); n != 0 && *p < end; n--) {
        get_uleb(p, end);
        get_uleb(p, end);
        skip_metadata(p, end, flags, cs, depth + 1);
    }
}

/* The content of a section, inflated and, if it is the metadata's, its entries in order: for free(). */
static unsigned char *section(const unsigned char *data, size_t size, const unsigned char *entry, int cs, size_t *n)
{
    const unsigned long long type = get_u64(entry), flags = get_u64(entry + 8), at = get_u64(entry + 16);
    const unsigned char *p, *end, *from;
    unsigned char *plain, *out;
    unsigned long long len = get_u64(entry + 24);
    piece *v;
    size_t pieces = 0, i;
    *n = 0;
    if (at > size || len > size - at) return NULL;
    p = data + at;
    end = p + len;
    if (flags & 1 && len != 0) {
        uLongf room;
        len = get_uleb(&p, end);
        get_uleb(&p, end);
        plain = (unsigned char *)malloc((size_t)len + 1);
        room = (uLongf)len;
        if (plain == NULL || uncompress(plain, &room, p, (uLong)(end - p)) != Z_OK || room != len) abort();
    } else {
        plain = t_copy(p, (size_t)len);
    }
    *n = (size_t)len;
    if (type != METADATA || len == 0) return plain;
    v = (piece *)malloc((size_t)len * sizeof *v);
    out = (unsigned char *)malloc((size_t)len);
    if (v == NULL || out == NULL) abort();
    for (p = plain, end = plain + len; p < end; pieces++) {
        from = p;
        skip_metadata(&p, end, flags, cs, 0);
        v[pieces].p = from;
        v[pieces].n = (size_t)(p - from);
    }
    qsort(v, pieces, sizeof *v, piece_cmp);
    for (i = 0, p = out; i < pieces; i++) {
        memcpy(out + (p - out), v[i].p, v[i].n);
        p += v[i].n;
    }
    free(v);
    free(plain);
    return out;
}

/* Same sections, flags and contents in the same places; metadata as a set; what was deflated is inflated. */
static int same_extbinary(const unsigned char *a, size_t n, const unsigned char *b, size_t m)
{
    unsigned long long i, count;
    int compressed = 0, cs;
    if (n < 18 + ENTRY || m < 18 + ENTRY || memcmp(a, b, 18) != 0) return 0;
    count = get_u64(a + 10);
    if (count > 20 || n < 18 + count * ENTRY || m < 18 + count * ENTRY) return 0;
    cs = (int)(get_u64(a + 18 + 8) >> 33 & 1);
    for (i = 0; i < count; i++) {
        const unsigned char *x = a + 18 + i * ENTRY, *y = b + 18 + i * ENTRY;
        size_t k = 0, l = 0;
        unsigned char *u, *v;
        int same;
        if (memcmp(x, y, 16) != 0) return 0;
        compressed |= (int)(get_u64(x + 8) & 1);
        u = section(a, n, x, cs, &k);
        v = section(b, m, y, cs, &l);
        same = u != NULL && v != NULL && k == l && memcmp(u, v, k) == 0;
        free(u);
        free(v);
        if (!same || (!compressed && memcmp(x, y, ENTRY) != 0)) return 0;
    }
    return compressed || n == m;
}

static size_t without_attributes(char *out, size_t size)
{
    size_t i, k = 0, end, p;
    for (i = 0; i < size; i = end) {
        for (end = i; end < size && out[end] != '\n'; end++) {}
        end += end < size;
        for (p = i; p < end && out[p] == ' '; p++) {}
        if (end - p > 12 && memcmp(out + p, "!Attributes:", 12) == 0) continue;
        memmove(out + k, out + i, end - i);
        k += end - i;
    }
    return k;
}

/* Puts rows of equal base weight, which stands first, in one order. */
static void sort_rows(char *out, size_t size)
{
    static const char head[] = "Function-level details:\n";
    char *copy = (char *)t_copy(out, size);
    piece *v = (piece *)malloc((size + 1) * sizeof *v);
    size_t i, k, n = 0, at = 0;
    if (v == NULL) abort();
    for (i = 0; i < size; i = k) {
        for (k = i; k < size && copy[k] != '\n'; k++) {}
        k += k < size;
        v[n].p = (const unsigned char *)copy + i;
        v[n++].n = k - i;
        if (k - i == sizeof head - 1 && memcmp(copy + i, head, k - i) == 0) at = n + 1;
    }
    for (i = at; at != 0 && i < n; i = k) {           /* lines i to k - 1 begin alike up to the first space */
        const size_t word = strcspn((const char *)v[i].p, " \n") + 1;
        for (k = i + 1; k < n && v[k].n >= word && memcmp(v[i].p, v[k].p, word) == 0; k++) {}
        qsort(v + i, k - i, sizeof *v, piece_cmp);
    }
    for (i = 0; i < n; out += v[i++].n) memcpy(out, v[i].p, v[i].n);
    free(v);
    free(copy);
}

/* One space for several. LLVM loses its column behind a name that is not UTF-8. */
static size_t without_columns(char *out, size_t size)
{
    size_t i, k = 0;
    for (i = 0; i < size; i++)
        if (i == 0 || out[i] != ' ' || out[i - 1] != ' ') out[k++] = out[i];
    return k;
}

enum compare { BYTES, EXTBINARY, ROWS, NO_ATTRIBUTES };

static int same_output(enum compare how, char *a, size_t n, char *b, size_t m)
{
    if (how == EXTBINARY) return same_extbinary((unsigned char *)a, n, (unsigned char *)b, m);
    if (how == NO_ATTRIBUTES) {
        n = without_attributes(a, n);
        m = without_attributes(b, m);
    }
    if (how == ROWS && memchr(a, 0xff, n) != NULL) {
        n = without_columns(a, n);
        m = without_columns(b, m);
    }
    if (how == ROWS && n == m) {
        sort_rows(a, n);
        sort_rows(b, m);
    }
    return n == m && memcmp(a, b, n) == 0;
}

/* ----- cases ----- */

enum want { ANY, CS, PLAIN, PLAIN_LINES };

typedef struct operation {
    const char  *name, *command;
    enum want    want;
    enum compare compare;
    unsigned     inputs;          /* at most; 1: the rest of args is all   */
    const char  *args[4];
} operation;

static const operation operations[] = {
    { "text", "merge", ANY, BYTES, 1, { "--text", NULL, NULL, NULL } },
    { "binary", "merge", PLAIN_LINES, BYTES, 1, { "--binary", NULL, NULL, NULL } },
    { "extbinary", "merge", ANY, EXTBINARY, 1, { "--extbinary", NULL, NULL, NULL } },
    { "md5", "merge", ANY, EXTBINARY, 1, { "--extbinary", "--use-md5", NULL, NULL } },
    { "compressed", "merge", ANY, EXTBINARY, 1, { "--extbinary", "--compress-all-sections", NULL, NULL } },
    { "merge", "merge", ANY, BYTES, 5, { "--text", NULL, NULL, NULL } },
    { "overlap", "overlap", ANY, ROWS, 2, { NULL, NULL, NULL, NULL } },
    { "flatten", "merge", ANY, NO_ATTRIBUTES, 1, { "--text", "--convert-sample-profile-layout=flat", NULL, NULL } },
    { "nest", "merge", CS, BYTES, 1, { "--text", "--convert-sample-profile-layout=nest", NULL, NULL } },
    { "trim", "merge", CS, BYTES, 1, { "--text", NULL, NULL, NULL } },
    { "trim-plain", "merge", PLAIN, BYTES, 1, { "--text", "--sample-trim-cold-context", NULL, NULL } }
};

static kind some_kind(enum want want)
{
    kind k;
    k.cs = want == CS || (want == ANY && rnd(2) != 0);
    k.probe = want != PLAIN_LINES && rnd(2) != 0;
    k.attributes = rnd(3) == 0 ? 1 + rnd(4) : 0;
    k.huge = rnd(4) == 0 ? 20 + rnd(100) : 0;
    k.names = 1 + rnd(rnd(2) ? 8 : 60);
    k.records = 1 + rnd(12);
    return k;
}

/* One command line; both tools get it. Strings that it makes go to `made`, 10 of 400 bytes. */

static unsigned make_args(const operation *o, unsigned number, char **argv, char made[10][400], unsigned inputs)
{
    static const char *const cutoffs[] = { "0", "0", "0", "1", "5", "100" };
    unsigned n = 1, i, m = 0;
    for (i = 0; i < 4 && o->args[i] != NULL; i++) {
        sprintf(made[m], "%s", o->args[i]);
        argv[n++] = made[m++];
    }
    if (o->compare == ROWS) {
        sprintf(made[m], "--value-cutoff=%s", cutoffs[rnd(6)]);
        argv[n++] = made[m++];
        if (rnd(3) == 0) {
            sprintf(made[m], "--similarity-cutoff=%u", rnd(1000001));
            argv[n++] = made[m++];
        }
        if (rnd(4) == 0) {
            sprintf(made[m], "--function=%s", rnd(2) ? "o" : "main:1 @");
            argv[n++] = made[m++];
        }
    }
    if (strcmp(o->name, "trim") == 0) {
        const unsigned what = rnd(3);
        if (what != 0) argv[n++] = strcpy(made[m++], "--sample-merge-cold-context");
        if (what != 1) argv[n++] = strcpy(made[m++], "--sample-trim-cold-context");
        if (rnd(2)) sprintf(made[m], "--sample-frame-depth-for-cold-context=%u", 1 + rnd(4)), argv[n++] = made[m++];
    }
    if (strncmp(o->name, "trim", 4) == 0 && rnd(2))
        sprintf(made[m], "--profile-summary-cold-count=%u", rnd(60)), argv[n++] = made[m++];
    for (i = 0; i < inputs; i++) {
        char path[400], suffix[16];
        unsigned long long weight = rnd(3) != 0 ? 1 + rnd(9) : rnd(20) == 0 ? UINT64_MAX / 1000 : 1 + rnd(100000);
        sprintf(suffix, "%u", i);
        path_of(o->name, number, suffix, path);
        if (strcmp(o->name, "merge") == 0 && rnd(2)) sprintf(made[m], "--weighted-input=%llu,%.300s", weight, path);
        else strcpy(made[m], path);
        argv[n++] = made[m++];
    }
    return n;
}

/* Makes a binary file of a text, by LLVM's tool: so we read what it writes. A text that it refuses stays. */
static void make_binary(const char *form_wanted, const char *llvm, char *path)
{
    char made[500], command[] = "merge", sample[] = "--sample", output[] = "-o", form[40], *argv[8];
    sprintf(form, "%.30s", form_wanted);
    sprintf(made, "%.400s.bin", path);
    argv[1] = command;
    argv[2] = sample;
    argv[3] = form;
    argv[4] = path;
    argv[5] = output;
    argv[6] = made;
    argv[7] = NULL;
    if (run(llvm, argv) == 0) rename(made, path);
    else remove(made);
}

static unsigned long accepted, cases;

static void one_case(const operation *o, unsigned number, const char *tool, const char *llvm)
{
    static const char *const forms[] = { "--extbinary", "--compress-all-sections", "--use-md5", "--binary" };
    char made[10][400], ours[400], theirs[400], what[64], command[20], *argv[32], *a, *b;
    char *args[24];
    unsigned inputs, n, i, k, forms_of_kind;   /* merging names with GUIDs in contexts is not compared */
    int status[2], guids;
    size_t na, nb;
    text t = { NULL, 0, 0 };
    kind kd;
    rng_state = ((unsigned long long)number * 64 + (unsigned)(o - operations)) * 0x9E3779B97F4A7C15ULL + 1;
    rnd(2);
    kd = some_kind(o->want);
    inputs = o->inputs > 2 ? 2 + rnd(o->inputs - 1) : o->inputs;
    guids = rnd(20) == 0;
    forms_of_kind = !kd.cs && !kd.probe ? 4 : inputs > 1 && o->compare != ROWS ? 2 : 3;
    for (i = 0; i < inputs; i++) {
        sprintf(what, "%u", i);
        make_profile(&t, &kd);
        write_text(path_of(o->name, number, what, ours), &t);
        if (guids) make_binary("--use-md5", llvm, ours);
        else if (rnd(6) == 0) make_binary(forms[rnd(forms_of_kind)], llvm, ours);
    }
    free(t.data);
    n = make_args(o, number, args, made, inputs);
    sprintf(command, "%s", o->command);
    path_of(o->name, number, "ours", ours);
    path_of(o->name, number, "llvm", theirs);
    for (k = 0; k < 2; k++) {
        char sample[] = "--sample", output[] = "-o", compat[] = "--llvm-compat";
        unsigned j = 1;
        argv[j++] = command;
        if (k == 0) argv[j++] = compat;
        argv[j++] = sample;
        for (i = 1; i < n; i++) argv[j++] = args[i];
        argv[j++] = output;
        argv[j++] = k == 0 ? ours : theirs;
        argv[j] = NULL;
        remove(argv[j - 1]);
        status[k] = run(k == 0 ? tool : llvm, argv);
    }
    cases++;
    accepted += status[1] == 0;
    sprintf(what, "%s %u", o->name, number);
    if (!T_EQ(status[0], status[1])) {
        fprintf(stderr, "    exit statuses of %s\n", what);
        return;
    }
    if (status[1] == 0) {
        a = t_file(ours, &na);
        b = t_file(theirs, &nb);
        if (a == NULL || b == NULL) return;
        i = (unsigned)same_output(o->compare, a, na, b, nb);
        if (!i && o->compare != EXTBINARY) t_same(what, a, na, b, nb);
        else T_MSG(i, what);
        free(a);
        free(b);
        if (!i) return;
    } else {
        t_passed++;
    }
    remove(ours);
    remove(theirs);
    for (i = 0; i < inputs; i++) {
        char suffix[16];
        sprintf(suffix, "%u", i);
        remove(path_of(o->name, number, suffix, ours));
    }
}

static int asked_for(const char *name, int argc, char **argv)
{
    int i;
    for (i = 7; i < argc; i++)
        if (strcmp(argv[i], name) == 0) return 1;
    return argc <= 7;
}

int main(int argc, char **argv)
{
    unsigned i, number, count, shard, shards;
    if (argc < 7) return 2;
    sprintf(dir, "%.250s", argv[3]);
    count = (unsigned)atoi(argv[4]);
    shard = (unsigned)atoi(argv[5]);
    shards = (unsigned)atoi(argv[6]);
    for (i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        const unsigned long failed = t_failed;
        if (!asked_for(operations[i].name, argc, argv)) continue;
        accepted = cases = 0;
        for (number = shard; number < count; number += shards) one_case(&operations[i], number, argv[1], argv[2]);
        T_MSG(accepted * 10 >= cases * 9, "llvm-profdata takes most of what the generator makes");
        fprintf(stderr, "%s: %lu cases, %lu taken, %lu differ\n", operations[i].name, cases, accepted,
                t_failed - failed);
    }
    return t_end();
}
