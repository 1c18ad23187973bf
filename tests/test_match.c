/* test_match.c - layer match: stale profiles and changed code. */
#include "t.h"
#include "code.h"
#include "match_report.h"

#define DATA "data/stale/"

/* ----- a small builder of both sides ----- */

enum { MAX_LOCS = 4096 };

static const char indirect_name[] = "unknown.indirect.callee";

static uint64_t guid(const char *name)
{
    return csspgo_guid(name, strlen(name));
}

/* "offset[.discriminator]" at *s, moved behind it. */
static csspgo_loc parse_loc(const char **s)
{
    char *end;
    csspgo_loc l = csspgo_loc_at((uint32_t)strtoul(*s, &end, 10), 0);
    if (*end == '.') l.discriminator = (uint32_t)strtoul(end + 1, &end, 10);
    *s = end;
    return l;
}

/* "1 2:foo 3.1:*": locations; "*" or the reserved name is an indirect call. Ends at '|' or at the end. */
static size_t parse_code(const char *s, csspgo_match_loc *v)
{
    size_t n = 0;
    for (;;) {
        while (*s == ' ') s++;
        if (*s == '\0' || *s == '|' || *s == '\n') return n;
        memset(&v[n], 0, sizeof v[n]);
        v[n].loc = parse_loc(&s);
        if (*s == ':') {
            const size_t size = strcspn(++s, " |\n");
            const int indirect = (size == 1 && *s == '*') ||
                                 (size == sizeof indirect_name - 1 && memcmp(s, indirect_name, size) == 0);
            v[n].kind = indirect ? CSSPGO_MATCH_INDIRECT : CSSPGO_MATCH_CALL;
            if (!indirect) v[n].callee = csspgo_guid(s, size);
            s += size;
        }
        n++;
    }
}

/* The same syntax as calls of function `name` in a probe profile: count 1000 + line. */
static csspgo_profile *parse_profile(const csspgo_options *o, const char *name, const char *s)
{
    csspgo_profile *p = csspgo_profile_new(o, NULL);
    csspgo_node n;
    if (p == NULL) return NULL;
    csspgo_profile_set_flags(p, CSSPGO_IS_PROBE);
    n = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN, csspgo_func_add(p, name, strlen(name)));
    T_EQ(csspgo_set_checksum(p, n, 1), CSSPGO_OK);
    T_EQ(csspgo_add_total(p, n, 100000), CSSPGO_OK);
    for (;;) {
        csspgo_loc l;
        while (*s == ' ') s++;
        if (*s == '\0' || *s == '|' || *s == '\n') return p;
        l = parse_loc(&s);
        T_EQ(csspgo_add_body(p, n, l, 1000 + l.line), CSSPGO_OK);
        if (*s == ':') {
            const size_t size = strcspn(++s, " |\n");
            const csspgo_func f = *s == '*' ? csspgo_func_add(p, indirect_name, sizeof indirect_name - 1)
                                            : csspgo_func_add(p, s, size);
            T_EQ(csspgo_add_target(p, n, l, f, 1000 + l.line), CSSPGO_OK);
            s += size;
        }
    }
}

static csspgo_match_code code_of(const char *name, uint64_t checksum, const csspgo_match_loc *v, size_t n)
{
    csspgo_match_code c;
    memset(&c, 0, sizeof c);
    c.name = name;
    c.name_size = strlen(name);
    c.checksum = checksum;
    c.loc = v;
    c.locs = n;
    return c;
}

/* csspgo_match_options.llvm: the matcher's own rule, LLVM 17 and 18, 19, main */
static const uint32_t llvm_modes[] = { 0, 18, 19, 22 };

static csspgo_matcher *matcher(uint32_t mode)
{
    csspgo_match_options how;
    memset(&how, 0, sizeof how);
    how.llvm = mode;
    return csspgo_matcher_new(&how, NULL, NULL);
}

/* ----- vectors of the reference modes ----- */

/* "1>2 3.1>5.1": one column of vectors-lcs.txt, for comparison with what the matcher says; identity is not listed. */
static void map_text(const csspgo_matcher *m, const csspgo_match_loc *v, size_t n, int calls_only, char *out)
{
    size_t i;
    *out = '\0';
    for (i = 0; i < n; i++) {
        const csspgo_match_result r = csspgo_matcher_locate(m, guid("f"), v[i].loc);
        const int call = r.how == CSSPGO_FOUND_CALL;
        if (calls_only ? !call : r.to.line == v[i].loc.line && r.to.discriminator == v[i].loc.discriminator) continue;
        out += sprintf(out, *out == '\0' ? "%lu" : " %lu", (unsigned long)v[i].loc.line);
        if (v[i].loc.discriminator != 0) out += sprintf(out, ".%lu", (unsigned long)v[i].loc.discriminator);
        out += sprintf(out, ">%lu", (unsigned long)r.to.line);
        if (r.to.discriminator != 0) out += sprintf(out, ".%lu", (unsigned long)r.to.discriminator);
        out += sprintf(out, " ");
    }
}

/* Column k of a line: its text without the blanks around it. */
static size_t column(const char *line, int k, const char **at)
{
    size_t n;
    while (k-- > 0 && line != NULL) {
        line = strchr(line, '|');
        if (line != NULL) line++;
    }
    if (line == NULL) line = "";
    while (*line == ' ') line++;
    n = strcspn(line, "|\n");
    while (n != 0 && line[n - 1] == ' ') n--;
    *at = line;
    return n;
}

static void same_pairs(const char *line, int k, const char *got)
{
    const char *want;
    size_t n = column(line, k, &want), m = strlen(got), i = 0, j = 0;
    for (;;) {                                        /* blanks between pairs do not count */
        while (i < n && want[i] == ' ') i++;
        while (j < m && got[j] == ' ') j++;
        if (i >= n || j >= m || want[i] != got[j]) break;
        i++, j++;
    }
    if (!T_CHECK(i >= n && j >= m)) fprintf(stderr, "    column %d: got  %s\n    of: %.300s\n", k, got, line);
}

static void reference_modes_agree_with_every_vector(void)
{
    static const struct { uint32_t mode; int pairs, map; } modes[] = {
        { 19, 2, 3 }, { 22, 2, 4 }, { 18, 5, 6 }
    };
    size_t size, lines = 0;
    char *text = t_file(DATA "vectors-lcs.txt", &size), *line = text, *next;
    csspgo_match_loc *v = (csspgo_match_loc *)malloc(MAX_LOCS * sizeof *v);
    char *got = (char *)malloc(1 << 16);
    for (; line != NULL && *line != '\0'; line = next) {
        size_t n, k;
        const char *b;
        csspgo_match_code c;
        csspgo_profile *p;
        next = strchr(line, '\n');
        next = next != NULL ? next + 1 : line + strlen(line);
        if (*line == '#') continue;
        lines++;
        n = parse_code(line, v);
        column(line, 1, &b);
        c = code_of("f", 2, v, n);
        p = parse_profile(NULL, "f", b);
        for (k = 0; k < 3; k++) {
            csspgo_matcher *m = matcher(modes[k].mode);
            T_EQ(csspgo_matcher_module(m, p, &c, 1, NULL, NULL), CSSPGO_OK);
            map_text(m, v, n, 1, got);
            same_pairs(line, modes[k].pairs, got);
            map_text(m, v, n, 0, got);
            same_pairs(line, modes[k].map, got);
            csspgo_matcher_free(m);
        }
        csspgo_profile_free(p);
    }
    T_EQ(lines, 1014);
    free(got);
    free(v);
    free(text);
}


/* ----- cases: what opt-19 said of real sources ----- */

enum { MAX_FUNCS = 8, MAX_CASE_LOCS = 256 };

typedef struct unit {             /* the functions of one source file */
    csspgo_match_code code[MAX_FUNCS];
    csspgo_match_loc  loc[MAX_CASE_LOCS];
    char              name[MAX_FUNCS][32];
    size_t            codes, locs;
} unit;

/* What cases/probes.txt says of one source file. X_v3.c is X_v1.c, but compute_old is called compute_new. */
static const char *renamed_in_v3(const char *name, int v3)
{
    return v3 && strcmp(name, "compute_old") == 0 ? "compute_new" : name;
}

static void read_unit(const char *of, unit *u)
{
    const int v3 = strstr(of, "_v3") != NULL;
    const char *source = v3 ? strstr(of, "inl") != NULL ? "renameinl_v1.c" : "rename_v1.c" : of;
    size_t size;
    char *text = t_file(DATA "cases/probes.txt", &size), *s = text, *next;
    char file[32], name[32], callee[32];
    int in = 0;
    memset(u, 0, sizeof *u);
    for (; s != NULL && *s != '\0'; s = next) {
        unsigned long long g, sum;
        unsigned id;
        csspgo_match_code *c;
        csspgo_match_loc *l;
        next = strchr(s, '\n');
        next = next != NULL ? next + 1 : s + strlen(s);
        if (sscanf(s, "# %31s", file) == 1) in = strcmp(file, source) == 0;
        if (!in) continue;
        if (sscanf(s, "function %31s guid %llu checksum %llu", name, &g, &sum) == 3) {
            c = &u->code[u->codes];
            strcpy(u->name[u->codes++], renamed_in_v3(name, v3));
            *c = code_of(u->name[u->codes - 1], sum, &u->loc[u->locs], 0);
            T_EQ(g, guid(name));
        }
        if (sscanf(s, " probe %u %31s", &id, name) != 2 || u->codes == 0) continue;
        u->code[u->codes - 1].locs++;
        l = &u->loc[u->locs++];
        l->loc = csspgo_loc_at(id, 0);
        if (strcmp(name, "block") == 0) continue;
        l->kind = CSSPGO_MATCH_INDIRECT;
        if (sscanf(s, " probe %u call @%31s", &id, callee) != 2) continue;
        l->kind = CSSPGO_MATCH_CALL;
        l->callee = guid(renamed_in_v3(callee, v3));
    }
    T_CHECK(u->codes != 0);
    free(text);
}

typedef struct case_run {
    const char *source, *profile, *output;
    uint32_t    no_salvage, rename;
} case_run;

/* The lines of an opt report ("(...) of ..."), one after the other. */
static size_t report_lines(const char *text, char *out)
{
    size_t n = 0;
    while (text != NULL && *text != '\0') {
        const size_t k = strcspn(text, "\n") + 1;
        if (*text == '(') {
            memcpy(out + n, text, k);
            n += k;
        }
        text = text[k - 1] == '\n' ? text + k : NULL;
    }
    return n;
}

/* "file:line:col: Applied <count> samples from profile (ProbeId=<id>,": all of the outermost function (counts of others
 * are told apart by base, as the profiles of the cases do) must be what the profile holds where id is mapped to. */
static void check_applied(const csspgo_matcher *m, const csspgo_profile *p, const char *text, const char *name)
{
    const csspgo_node top = csspgo_find(p, name);
    unsigned long found = 0;
    while ((text = strstr(text, "Applied ")) != NULL) {
        unsigned long long count;
        unsigned id;
        text += 8;
        if (sscanf(text, "%llu samples from profile (ProbeId=%u,", &count, &id) != 2) continue;
        T_EQ(csspgo_body_count(p, top, csspgo_matcher_locate(m, guid(name), csspgo_loc_at(id, 0)).to), count);
        found++;
    }
    T_CHECK(found != 0);
}

static void reports_and_applied_counts_equal_opt_19s(void)
{
    static const case_run cases[] = {
        { "blocks_v1.c", "blocks.prof", "blocks.same.txt", 0, 0 },
        { "blocks_v2.c", "blocks.prof", "blocks.salvage.txt", 0, 0 },
        { "blocks_v2.c", "blocks.prof", "blocks.nosalvage.txt", 1, 0 },
        { "blocks_v2.c", "blocks.md5.prof", "blocks.md5.txt", 0, 0 },
        { "blocks_v2.c", "blocks-zerotarget.prof", "blocks.zerotarget.txt", 0, 0 },
        { "indirect_v2.c", "indirect.prof", "indirect.salvage.txt", 0, 0 },
        { "inlinee_v1.c", "inlinee.prof", "inlinee.same.txt", 0, 0 },
        { "inlinee_v2.c", "inlinee.prof", "inlinee.salvage.txt", 0, 0 },
        { "inlinee_v2.c", "inlinee.prof", "inlinee.nosalvage.txt", 1, 0 },
        { "nocalls_v2.c", "nocalls.prof", "nocalls.salvage.txt", 0, 0 },
        { "rename_v2.c", "rename.prof", "rename_v2.default.txt", 0, 0 },
        { "rename_v2.c", "rename.prof", "rename_v2.unused.txt", 0, 1 },
        { "renameinl_v2.c", "renameinl.prof", "renameinl_v2.default.txt", 0, 0 },
        { "renameinl_v2.c", "renameinl.prof", "renameinl_v2.unused.txt", 0, 1 },
        { "rename_v3.c", "rename.prof", "rename_v3.unused.txt", 0, 1 },
        { "renameinl_v3.c", "renameinl.prof", "renameinl_v3.default.txt", 0, 0 },
        { "renameinl_v3.c", "renameinl.prof", "renameinl_v3.unused.txt", 0, 1 }
    };
    size_t i;
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const case_run *c = &cases[i];
        char path[100], got[2000], want[2000];
        unit u;
        csspgo_profile *p = csspgo_profile_new(NULL, NULL);
        csspgo_match_options how;
        csspgo_match_report r;
        csspgo_matcher *m;
        csspgo_error e;
        size_t size, n;
        char *text;
        memset(&how, 0, sizeof how);
        how.llvm = 19;
        how.no_salvage = c->no_salvage;
        how.rename = c->rename;
        m = csspgo_matcher_new(&how, NULL, NULL);
        sprintf(path, DATA "cases/%s", c->profile);
        T_EQ(csspgo_read_file(p, path, &e), CSSPGO_OK);
        read_unit(c->source, &u);
        T_EQ(csspgo_matcher_module(m, p, u.code, u.codes, &r, &e), CSSPGO_OK);
        n = match_report_text(&r, got);
        sprintf(path, DATA "cases/%s", c->output);
        text = t_file(path, &size);
        t_same(path, got, n, want, report_lines(text, want));
        if (u.codes == 1 && !c->no_salvage && strstr(c->profile, "md5") == NULL) check_applied(m, p, text, "test");
        free(text);
        csspgo_matcher_free(m);
        csspgo_profile_free(p);
    }
}


/* ----- carrying a profile over ----- */

static csspgo_profile *read_case(const char *profile)
{
    char path[100];
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    sprintf(path, DATA "cases/%s", profile);
    T_EQ(csspgo_read_file(p, path, NULL), CSSPGO_OK);
    return p;
}

/* The profile of one case in terms of another source, matched in this mode. */
static csspgo_profile *carried(const char *profile, const char *source, uint32_t mode, uint64_t *lost)
{
    csspgo_profile *p = read_case(profile), *q = csspgo_profile_new(NULL, NULL);
    csspgo_matcher *m = matcher(mode);
    csspgo_error e;
    unit u;
    read_unit(source, &u);
    T_EQ(csspgo_matcher_module(m, p, u.code, u.codes, NULL, &e), CSSPGO_OK);
    T_EQ(csspgo_matcher_apply(m, p, q, lost, &e), CSSPGO_OK);
    T_EQ(csspgo_validate(q, &e), CSSPGO_OK);
    csspgo_matcher_free(m);
    csspgo_profile_free(p);
    return q;
}

static void unchanged_code_carries_the_profile_over_as_it_is(void)
{
    static const char *const cases[][2] = { { "blocks.prof", "blocks_v1.c" }, { "inlinee.prof", "inlinee_v1.c" },
        { "indirect.prof", "indirect_v1.c" }, { "rename.prof", "rename_v1.c" }, { "renameinl.prof", "renameinl_v1.c" },
        { "nocalls.prof", "nocalls_v1.c" } };
    size_t i, mode;
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (mode = 0; mode < 4; mode++) {
            uint64_t lost = 1;
            csspgo_profile *p = read_case(cases[i][0]);
            csspgo_profile *q = carried(cases[i][0], cases[i][1], llvm_modes[mode], &lost);
            T_CHECK(csspgo_equal(p, q));
            T_EQ(lost, 0);
            csspgo_profile_free(q);
            csspgo_profile_free(p);
        }
}

static void counts_call_sites_and_checksums_move_together(void)
{
    uint64_t lost;
    csspgo_profile *q = carried("inlinee.prof", "inlinee_v2.c", 19, &lost);
    const csspgo_node test = csspgo_find(q, "test"), inner = csspgo_find(q, "test:7 @ inner");
    T_EQ(lost, 0);
    T_EQ(csspgo_checksum(q, test), UINT64_C(563108754654518));
    T_EQ(csspgo_checksum(q, inner), UINT64_C(281597007930704));
    T_EQ(csspgo_body_count(q, test, csspgo_loc_at(4, 0)), 20001);
    T_EQ(csspgo_body_count(q, test, csspgo_loc_at(10, 0)), 1);
    T_EQ(csspgo_target_count(q, test, csspgo_loc_at(10, 0), csspgo_func_find(q, "ext2", 4)), 1);
    T_EQ(csspgo_body_count(q, inner, csspgo_loc_at(5, 0)), 20013);
    T_EQ(csspgo_target_count(q, inner, csspgo_loc_at(5, 0), csspgo_func_find(q, "ext", 3)), 20013);
    T_EQ(csspgo_body_count(q, csspgo_find(q, "inner"), csspgo_loc_at(5, 0)), 52);
    T_EQ(csspgo_find(q, "test:5 @ inner").id, 0);
    csspgo_profile_free(q);
}

static void a_renamed_inlinee_is_found_and_named_anew(void)
{
    static const struct { const char *source; unsigned site, fc; uint64_t checksum; } v[] = {
        { "renameinl_v2.c", 5, 11, UINT64_C(844634140097233) }, { "renameinl_v3.c", 3, 9, UINT64_C(844580076069843) } };
    size_t i, mode;
    for (i = 0; i < 2; i++)
        for (mode = 0; mode < 4; mode += 3) {
            uint64_t lost;
            char context[64];
            csspgo_node n;
            csspgo_profile *q = carried("renameinl.prof", v[i].source, llvm_modes[mode], &lost);
            sprintf(context, "test:%u @ compute_new", v[i].site);
            n = csspgo_find(q, context);
            T_CHECK(n.id != 0);
            T_EQ(csspgo_checksum(q, n), v[i].checksum);
            T_EQ(csspgo_body_count(q, n, csspgo_loc_at(v[i].fc, 0)), 102009);
            T_EQ(csspgo_func_find(q, "compute_old", 11).id, 0);
            csspgo_profile_free(q);
        }
}

static void a_call_site_that_is_gone_leaves_its_callee_without_caller(void)
{
    static const char plain[] = "main:1000:10\n 1: 10\n 3: 10\n 2: gone:600\n  1: 60\n  2: 540\n  !CFGChecksum: 7\n"
                                " 4: kept:300\n  1: 300\n  !CFGChecksum: 8\n !CFGChecksum: 9\n";
    static const char cs[] = "[main]:20:10\n 1: 10\n 2: 10 gone:10\n 4: 1 kept:1\n !CFGChecksum: 9\n"
                             "[main:2 @ gone]:600:60\n 1: 60\n 2: 540\n !CFGChecksum: 7\n"
                             "[main:4 @ kept]:300:300\n 1: 300\n !CFGChecksum: 8\n";
    csspgo_match_loc v[8];
    const size_t n = parse_code("1 2 3 4 5:kept 6", v);
    const csspgo_match_code c = code_of("main", 10, v, n);
    int k;
    for (k = 0; k < 2; k++) {
        csspgo_profile *p = csspgo_profile_new(NULL, NULL), *q = csspgo_profile_new(NULL, NULL);
        csspgo_matcher *m = matcher(0);
        csspgo_node gone;
        T_EQ(csspgo_read(p, k ? cs : plain, k ? sizeof cs - 1 : sizeof plain - 1, NULL), CSSPGO_OK);
        T_EQ(csspgo_matcher_module(m, p, &c, 1, NULL, NULL), CSSPGO_OK);
        T_EQ(csspgo_matcher_apply(m, p, q, NULL, NULL), CSSPGO_OK);
        T_EQ(csspgo_validate(q, NULL), CSSPGO_OK);
        gone = csspgo_find(q, "gone");
        T_EQ(csspgo_total(q, gone), 600);
        T_EQ(csspgo_head(q, gone), 60);
        T_EQ(csspgo_body_count(q, gone, csspgo_loc_at(2, 0)), 540);
        T_EQ(csspgo_total(q, csspgo_find(q, "main:5 @ kept")), 300);
        T_EQ(csspgo_find(q, "main:4 @ kept").id, 0);
        T_EQ(csspgo_checksum(q, csspgo_find(q, "main")), 10);
        csspgo_matcher_free(m);
        csspgo_profile_free(q);
        csspgo_profile_free(p);
    }
}

/* ----- ALIGN ----- */

static void guids_match_as_names_do(void)
{
    csspgo_profile *p = read_case("blocks.prof"), *q = read_case("blocks.md5.prof");
    csspgo_matcher *m = matcher(0), *k = matcher(0);
    unit u;
    unsigned i;
    read_unit("blocks_v2.c", &u);
    T_EQ(csspgo_matcher_module(m, p, u.code, u.codes, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_matcher_module(k, q, u.code, u.codes, NULL, NULL), CSSPGO_OK);
    for (i = 1; i <= 17; i++) {
        const csspgo_match_result a = csspgo_matcher_locate(m, guid("test"), csspgo_loc_at(i, 0));
        const csspgo_match_result b = csspgo_matcher_locate(k, guid("test"), csspgo_loc_at(i, 0));
        T_EQ(a.how, b.how);
        T_EQ(a.to.line, b.to.line);
    }
    T_EQ(csspgo_matcher_locate(m, guid("test"), csspgo_loc_at(5, 0)).to.line, 3);
    T_EQ(csspgo_matcher_locate(m, guid("test"), csspgo_loc_at(5, 0)).how, CSSPGO_FOUND_CALL);
    T_EQ(csspgo_matcher_locate(m, guid("test"), csspgo_loc_at(10, 0)).how, CSSPGO_FOUND_UNKNOWN);
    T_EQ(csspgo_matcher_locate(m, guid("test"), csspgo_loc_at(13, 0)).to.line, 6);
    T_EQ(csspgo_matcher_locate(m, guid("other"), csspgo_loc_at(13, 0)).how, CSSPGO_FOUND_IDENTITY);
    csspgo_matcher_free(k);
    csspgo_matcher_free(m);
    csspgo_profile_free(q);
    csspgo_profile_free(p);
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* n locations from 1 on, a third of them calls of `callees` functions. */
static void random_text(uint32_t *state, unsigned n, unsigned callees, char *out)
{
    unsigned i;
    *out = '\0';
    for (i = 1; i <= n; i++) {
        const unsigned r = next_random(state) % 9;
        if (r == 0) out += sprintf(out, " %u:*", i);
        else if (r < 4) out += sprintf(out, " %u:f%u", i, next_random(state) % callees);
        else out += sprintf(out, " %u", i);
    }
}

static void align_answers_are_in_order_and_of_the_right_kind(void)
{
    uint32_t state = 7;
    unsigned round;
    for (round = 0; round < 400; round++) {
        char here[2048], there[2048];
        csspgo_match_loc v[128], old[128];
        csspgo_matcher *m = matcher(0);
        csspgo_profile *p;
        csspgo_match_code c;
        size_t n, k, i;
        csspgo_loc last = csspgo_loc_at(0, 0);
        random_text(&state, next_random(&state) % 60, 1 + round % 20, here);
        random_text(&state, next_random(&state) % 60, 1 + round % 20, there);
        n = parse_code(here, v);
        k = parse_code(there, old);
        for (i = 0; i < n; i++) {
            v[i].eq = next_random(&state) % 5;
            v[i].under = next_random(&state) % 6;     /* any; classes may be under each other */
        }
        p = parse_profile(NULL, "f", there);
        c = code_of("f", 2, v, n);
        T_EQ(csspgo_matcher_module(m, p, &c, 1, NULL, NULL), CSSPGO_OK);
        for (i = 0; i < n; i++) {
            const csspgo_match_result r = csspgo_matcher_locate(m, guid("f"), v[i].loc);
            const csspgo_match_loc *t = r.to.line >= 1 && r.to.line <= k ? &old[r.to.line - 1] : NULL;
            if (r.how >= CSSPGO_FOUND_CLASS) continue;
            if (k == 0) { T_EQ(r.how, CSSPGO_FOUND_IDENTITY); continue; }
            T_CHECK(t != NULL && r.to.line > last.line);
            last = r.to;
            if (t == NULL) break;
            if (v[i].kind == CSSPGO_MATCH_BLOCK) T_EQ(t->kind, CSSPGO_MATCH_BLOCK);
            else if (r.how == CSSPGO_FOUND_RENAMED) T_CHECK(t->kind != CSSPGO_MATCH_BLOCK);
            else T_CHECK(r.how == CSSPGO_FOUND_CALL && t->kind == v[i].kind && t->callee == v[i].callee);
        }
        csspgo_profile_free(p);
        csspgo_matcher_free(m);
    }
}

static void blocks_before_the_first_call_move_all_that_follows(void)
{
    char here[2048], there[2048], *s;
    unsigned shift, i, mode;
    for (mode = 0; mode < 4; mode++)
        for (shift = 0; shift < 10; shift++) {
            csspgo_match_loc v[64];
            csspgo_matcher *m = matcher(llvm_modes[mode]);
            csspgo_profile *p;
            csspgo_match_code c;
            size_t n;
            for (i = 1, s = there; i <= 30; i++) s += i % 3 == 0 ? sprintf(s, " %u:f%u", i, i) : sprintf(s, " %u", i);
            for (i = 1, s = here; i <= shift; i++) s += sprintf(s, " %u", i);
            for (i = 1; i <= 30; i++)
                s += i % 3 == 0 ? sprintf(s, " %u:f%u", i + shift, i) : sprintf(s, " %u", i + shift);
            n = parse_code(here, v);
            p = parse_profile(NULL, "f", there);
            c = code_of("f", 2, v, n);
            T_EQ(csspgo_matcher_module(m, p, &c, 1, NULL, NULL), CSSPGO_OK);
            for (i = 3; i <= 30; i++)
                T_EQ(csspgo_matcher_locate(m, guid("f"), csspgo_loc_at(i + shift, 0)).to.line, i);
            csspgo_profile_free(p);
            csspgo_matcher_free(m);
        }
}

/* ----- the longest common subsequence against a plain model that keeps every frontier ----- */

static size_t plain_lcs(const csspgo_match_loc *a, int n, const csspgo_match_loc *b, int m, int *pair)
{
    const int size = n + m + 2;
    int *v = (int *)malloc((size_t)(2 * size + 1) * sizeof *v), *trace, d, k, x = 0, y = 0, end = -1;
    trace = (int *)malloc((size_t)(n + m + 1) * (size_t)(2 * size + 1) * sizeof *trace);
    for (k = 0; k <= 2 * size; k++) v[k] = -1;
    v[size + 1] = 0;
    for (d = 0; end < 0; d++) {
        memcpy(trace + (size_t)d * (size_t)(2 * size + 1), v, (size_t)(2 * size + 1) * sizeof *v);
        for (k = -d; k <= d && end < 0; k += 2) {
            x = k == -d || (k != d && v[size + k - 1] < v[size + k + 1]) ? v[size + k + 1] : v[size + k - 1] + 1;
            for (y = x - k; x < n && y < m && a[x].callee == b[y].callee; x++, y++) {}
            v[size + k] = x;
            if (x >= n && y >= m) end = d;
        }
    }
    for (k = 0; k < n; k++) pair[k] = -1;
    for (d = end, x = n, y = m; d >= 0; d--) {
        const int *t = trace + (size_t)d * (size_t)(2 * size + 1) + size;
        int px, py;
        k = x - y;
        k = k == -d || (k != d && t[k - 1] < t[k + 1]) ? k + 1 : k - 1;
        px = d == 0 ? 0 : t[k];
        py = d == 0 ? 0 : px - k;
        while (x > px && y > py) pair[--x] = --y;
        x = px;
        y = py;
    }
    free(trace);
    free(v);
    return (size_t)end;
}

static void long_sequences_equal_the_plain_algorithm(void)
{
    enum { N = 400 };
    csspgo_match_loc *a = (csspgo_match_loc *)malloc(N * sizeof *a), *b = (csspgo_match_loc *)malloc(N * sizeof *b);
    char *text = (char *)malloc(N * 16), *s;
    int *pair = (int *)malloc(N * sizeof *pair);
    uint32_t state = 99;
    size_t most = 0;
    int round, i;
    for (round = 0; round < 24; round++) {
        const int n = round < 4 ? N : 1 + (int)(next_random(&state) % N), m = 1 + (int)(next_random(&state) % N);
        const unsigned callees = 2u + (unsigned)round * (unsigned)round;
        csspgo_matcher *k = matcher(19);
        csspgo_match_code c;
        csspgo_profile *p;
        size_t d;
        for (i = 1, s = text; i <= n; i++) s += sprintf(s, " %d:f%u", i, next_random(&state) % callees);
        parse_code(text, a);
        for (i = 1, s = text; i <= m; i++) s += sprintf(s, " %d:f%u", i, next_random(&state) % callees);
        parse_code(text, b);
        p = parse_profile(NULL, "f", text);
        c = code_of("f", 2, a, (size_t)n);
        T_EQ(csspgo_matcher_module(k, p, &c, 1, NULL, NULL), CSSPGO_OK);
        d = plain_lcs(a, n, b, m, pair);
        if (d > most) most = d;
        for (i = 0; i < n; i++) {
            const csspgo_match_result r = csspgo_matcher_locate(k, guid("f"), a[i].loc);
            T_EQ(r.how == CSSPGO_FOUND_CALL ? r.to.line : 0, pair[i] + 1);
        }
        csspgo_profile_free(p);
        csspgo_matcher_free(k);
    }
    T_CHECK(most > 256);                              /* or no window was computed twice */
    free(pair);
    free(text);
    free(b);
    free(a);
}

/* ----- profiles by lines, code of which only a part is known, counts completed by flow ----- */

static void calls_of_lines_move_as_opt_19_moves_them(void)
{
    csspgo_match_loc v[16];
    const csspgo_match_code c = code_of("test", 0, v, parse_code("3 4 5:foo 6 7 8 9:qux 10 11:bar 12 13:baz", v));
    unsigned on;
    for (on = 0; on < 2; on++) {
        csspgo_profile *p = read_case("blocks-line.prof");
        csspgo_match_options how;
        csspgo_match_report r;
        csspgo_matcher *m;
        char got[2000], want[2000];
        const char *path = on ? DATA "cases/blocks.line.on.txt" : DATA "cases/blocks.line.off.txt", *s;
        size_t size, n;
        char *text = t_file(path, &size);
        memset(&how, 0, sizeof how);
        how.llvm = 19;
        how.no_salvage = !on;
        m = csspgo_matcher_new(&how, NULL, NULL);
        T_EQ(csspgo_matcher_module(m, p, &c, 1, &r, NULL), CSSPGO_OK);
        n = match_report_text(&r, got);
        t_same(path, got, n, want, report_lines(text, want));
        for (s = text, n = 0; (s = strstr(s, "Applied ")) != NULL; s++, n++) {
            unsigned long long count;
            unsigned line;
            if (!T_EQ(sscanf(s, "Applied %llu samples from profile (offset: %u", &count, &line), 2)) break;
            T_EQ(csspgo_body_count(p, csspgo_find(p, "test"),
                                   csspgo_matcher_locate(m, guid("test"), csspgo_loc_at(line, 0)).to), count);
        }
        T_EQ(n, on ? 11 : 8);
        free(text);
        csspgo_matcher_free(m);
        csspgo_profile_free(p);
    }
}

/* By line: what is inlined stands where the new code calls it, or by itself; in every mode. */
static void inlinees_move_with_their_calls(void)
{
    static const char old[] = "main:1000:10\n 0: 10\n 3: 100 leaf:100\n 6: 10\n 2: work:300\n  1: 300\n"
                              " 4: work:500\n  0: 200\n  1: side:300\n   2: 300\n 7: gone:90\n  1: 90\n"
                              "leaf:100:100\n 1: 100\nwork:5:5\n 1: 5\n";
    static const struct { const char *code, *at[4]; } v[] = {      /* three inlinees of main, and the call of leaf */
        { "0 1 5:work 6:leaf 7:work 9", { "main:5 @ work", "main:7 @ work", "gone", "6" } },
        { "0 2:work 3:leaf 4:work 5:x 6", { "main:2 @ work", "main:4 @ work", "gone", "3" } },
        { "2:x 3 4:leaf 5:work 6:leaf 7:work 8:x", { "main:5 @ work", "main:7 @ work", "gone", "6" } },
        { "3:work 4:leaf 5:work 5.2:gone", { "main:3 @ work", "main:5 @ work", "main:5.2 @ gone", "4" } },
        { "65530:work 65531:leaf 65533:work", { "main:65530 @ work", "main:65533 @ work", "gone", "65531" } },
        { "2 3:leaf 4", { "work", "work", "gone", "3" } } };
    csspgo_match_loc l[16], leaf[1], work[2];
    csspgo_match_code c[3];
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    size_t i, k, mode;
    T_EQ(csspgo_read(p, old, sizeof old - 1, NULL), CSSPGO_OK);
    for (mode = 0; mode < 4; mode++)
        for (i = 0; i < sizeof v / sizeof v[0]; i++) {
            csspgo_profile *q = csspgo_profile_new(NULL, NULL);
            csspgo_matcher *m = matcher(llvm_modes[mode]);
            csspgo_node n;
            c[0] = code_of("main", 0, l, parse_code(v[i].code, l));
            c[1] = code_of("leaf", 0, leaf, parse_code("1", leaf));
            c[2] = code_of("work", 0, work, parse_code("0 1:side", work));
            for (k = 0; k < 3; k++) c[k].flags = CSSPGO_MATCH_NO_CHECKSUM;
            T_EQ(csspgo_matcher_module(m, p, c, 3, NULL, NULL), CSSPGO_OK);
            T_EQ(csspgo_matcher_apply(m, p, q, NULL, NULL), CSSPGO_OK);
            for (k = 0; k < 3; k++) T_CHECK(csspgo_find(q, v[i].at[k]).id != 0);
            n = csspgo_find(q, v[i].at[1]);
            T_EQ(csspgo_body_count(q, n, csspgo_loc_at(0, 0)), 200);
            T_CHECK(csspgo_child(q, n, csspgo_loc_at(1, 0), CSSPGO_INLINEE, csspgo_func_find(q, "side", 4)).id != 0);
            T_EQ(csspgo_target_count(q, csspgo_find(q, "main"), csspgo_loc_at((uint32_t)atoi(v[i].at[3]), 0),
                                     csspgo_func_find(q, "leaf", 4)), 100);
            T_EQ(csspgo_node_count(q), csspgo_node_count(p) - (i == 5 ? 2u : 0u));
            csspgo_matcher_free(m);
            csspgo_profile_free(q);
        }
    csspgo_profile_free(p);
}

static void what_became_of_a_function_is_told(void)
{
    static const uint32_t modes[] = { 0, 19 };
    size_t i;
    for (i = 0; i < 2; i++) {
        csspgo_match_loc v[8];
        csspgo_match_code c = code_of("f", 2, v, parse_code("1 2:a 3 4:b", v));
        csspgo_profile *p = parse_profile(NULL, "f", "1 2:x 3:a 4 5:b");
        csspgo_matcher *m = matcher(modes[i]);
        csspgo_match_outcome f;
        T_EQ(csspgo_matcher_module(m, p, &c, 1, NULL, NULL), CSSPGO_OK);
        f = csspgo_matcher_get_outcome(m, guid("f"));
        T_EQ(f.profile, guid("f"));
        T_EQ(f.samples, 1001 + 1002 + 1003 + 1004 + 1005);
        T_EQ(f.lost_samples, 1002);
        T_CHECK(f.known && f.stale && f.mapped && !f.renamed);
        T_EQ(f.calls, 3);
        T_EQ(f.lost_calls, 1);
        T_EQ(f.confidence, modes[i] == 0 ? 66 : 100);
        T_EQ(f.locations, 4);
        T_EQ(f.unknown, 0);
        c.checksum = 1;                               /* as in the profile */
        T_EQ(csspgo_matcher_module(m, p, &c, 1, NULL, NULL), CSSPGO_OK);
        f = csspgo_matcher_get_outcome(m, guid("f"));
        T_CHECK(f.known && !f.stale && !f.mapped);
        T_EQ(f.lost_samples, 0);
        f = csspgo_matcher_get_outcome(m, guid("g"));
        T_EQ(f.profile, guid("g"));
        T_EQ(f.known, 0);
        csspgo_matcher_free(m);
        csspgo_profile_free(p);
    }
}

static void what_was_rewritten_loses_its_counts(void)
{
    uint32_t least;
    for (least = 0; least <= 50; least += 25) {
        csspgo_match_options how;
        csspgo_match_loc v[8];
        csspgo_match_code c = code_of("f", 2, v, parse_code("1 2:new 3 4:other 5", v));
        csspgo_profile *p = parse_profile(NULL, "f", "1 2:a 3:b 4:c 5:d 6:e 7:f 8:g 9:h"), *q;
        csspgo_matcher *m;
        csspgo_match_outcome f;
        uint64_t lost;
        memset(&how, 0, sizeof how);
        how.min_confidence = least;
        m = csspgo_matcher_new(&how, NULL, NULL);
        q = csspgo_profile_new(NULL, NULL);
        T_EQ(csspgo_matcher_module(m, p, &c, 1, NULL, NULL), CSSPGO_OK);
        f = csspgo_matcher_get_outcome(m, guid("f"));
        T_CHECK(f.confidence < 25);
        T_EQ(f.doubted, least != 0);
        T_EQ(f.lost_samples == f.samples, least != 0);
        T_EQ(csspgo_matcher_apply(m, p, q, &lost, NULL), CSSPGO_OK);
        T_EQ(lost, f.lost_samples);
        T_EQ(csspgo_total(q, csspgo_find(q, "f")) == 0, least != 0);
        csspgo_matcher_free(m);
        csspgo_profile_free(p);
        csspgo_profile_free(q);
    }
}

/* A map of function f with profile `old` and code `now`, both as parse_code reads them. */
static csspgo_matcher *matched_texts(const char *old, const char *now, csspgo_match_loc *v, uint32_t near_is_unknown,
                                     csspgo_profile **p)
{
    const csspgo_match_code c = code_of("f", 2, v, parse_code(now, v));
    csspgo_match_options how;
    csspgo_matcher *m;
    memset(&how, 0, sizeof how);
    how.near_is_unknown = near_is_unknown;
    m = csspgo_matcher_new(&how, NULL, NULL);
    *p = csspgo_profile_new(NULL, NULL);
    T_EQ(csspgo_read(*p, old, strlen(old), NULL), CSSPGO_OK);
    T_EQ(csspgo_matcher_module(m, *p, &c, 1, NULL, NULL), CSSPGO_OK);
    return m;
}

static csspgo_match_result at(const csspgo_matcher *m, uint32_t line)
{
    return csspgo_matcher_locate(m, guid("f"), csspgo_loc_at(line, 0));
}

/* Its count says otherwise: the call is of its class, and all blocks one further on would fit. */
static void the_entry_stays_the_entry(void)
{
    csspgo_match_loc v[8];
    csspgo_match_code c = code_of("f", 2, v, parse_code("1 2 3 4 5:a", v));
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_matcher *m = matcher(0);
    static const char old[] = "f:3001:1\n 1: 1\n 2: 1000\n 3: 1000\n 4: 1000 a:1000\n !CFGChecksum: 1\n";
    unsigned i;
    for (i = 0; i < 5; i++) v[i].eq = i % 4 + 1;
    T_EQ(csspgo_read(p, old, sizeof old - 1, NULL), CSSPGO_OK);
    T_EQ(csspgo_matcher_module(m, p, &c, 1, NULL, NULL), CSSPGO_OK);
    T_EQ(at(m, 1).how, CSSPGO_FOUND_ALIGNED);
    T_EQ(at(m, 1).to.line, 1);
    T_EQ(at(m, 5).to.line, 4);
    csspgo_matcher_free(m);
    csspgo_profile_free(p);
}

/* Nothing else is between the calls, but blocks of one class execute equally often. */
static void a_block_without_a_count_gets_that_of_its_class(void)
{
    static const char old[] = "f:30:10\n 1: 10\n 2: 10 a:10\n 3: 0\n 4: 10 b:10\n !CFGChecksum: 1\n";
    csspgo_match_loc v[8];
    uint32_t eq;
    for (eq = 0; eq < 2; eq++) {
        csspgo_match_code c = code_of("f", 2, v, parse_code("1 2:a 3 4:b", v));
        csspgo_profile *p = csspgo_profile_new(NULL, NULL), *q = csspgo_profile_new(NULL, NULL);
        csspgo_matcher *m = matcher(0);
        v[0].eq = v[2].eq = eq;
        T_EQ(csspgo_read(p, old, sizeof old - 1, NULL), CSSPGO_OK);
        T_EQ(csspgo_matcher_module(m, p, &c, 1, NULL, NULL), CSSPGO_OK);
        T_EQ(at(m, 3).how, eq ? CSSPGO_FOUND_CLASS : CSSPGO_FOUND_ALIGNED);
        T_EQ(at(m, 3).to.line, eq ? 1 : 3);
        T_EQ(csspgo_matcher_apply(m, p, q, NULL, NULL), CSSPGO_OK);
        T_EQ(csspgo_body_count(q, csspgo_find(q, "f"), csspgo_loc_at(3, 0)), eq ? 10 : 0);
        csspgo_matcher_free(m);
        csspgo_profile_free(q);
        csspgo_profile_free(p);
    }
}

static void new_blocks_are_as_hot_as_the_colder_of_their_neighbours(void)
{
    static const char old[] = "f:240:90\n 1: 90\n 2: 90 a:90\n 3: 90\n 4: 10\n 5: 10 b:10\n !CFGChecksum: 1\n";
    csspgo_match_loc v[8];
    uint32_t near_is_unknown;
    for (near_is_unknown = 0; near_is_unknown < 2; near_is_unknown++) {
        csspgo_profile *p, *q = csspgo_profile_new(NULL, NULL);
        csspgo_matcher *m = matched_texts(old, "1 2:a 3 4 5 6:b", v, near_is_unknown, &p);
        T_EQ(at(m, 3).to.line, 3);
        T_EQ(at(m, 5).to.line, 4);
        T_EQ(at(m, 4).how, near_is_unknown ? CSSPGO_FOUND_UNKNOWN : CSSPGO_FOUND_NEAR);
        if (!near_is_unknown) T_EQ(at(m, 4).to.line, 4);
        T_EQ(csspgo_matcher_get_outcome(m, guid("f")).unknown, 1);
        T_EQ(csspgo_matcher_apply(m, p, q, NULL, NULL), CSSPGO_OK);
        T_EQ(csspgo_body_count(q, csspgo_find(q, "f"), csspgo_loc_at(3, 0)), 90);
        T_EQ(csspgo_body_count(q, csspgo_find(q, "f"), csspgo_loc_at(4, 0)), near_is_unknown ? 0 : 10);
        csspgo_matcher_free(m);
        csspgo_profile_free(q);
        csspgo_profile_free(p);
    }
}

/* With three new blocks beside three that are known, the counts around them are no guide. */
static void rewritten_code_gets_no_guesses(void)
{
    static const char old[] = "f:240:90\n 1: 90\n 2: 90 a:90\n 3: 90\n 4: 10\n 5: 10 b:10\n !CFGChecksum: 1\n";
    static const char *const now[] = { "1 2:a 3 4 5 6:b", "1 2:a 3 4 5 6 7 8:b" };
    uint32_t i, k;
    for (i = 0; i < 2; i++) {
        csspgo_match_loc v[8];
        csspgo_profile *p, *q = csspgo_profile_new(NULL, NULL);
        csspgo_matcher *m = matched_texts(old, now[i], v, 0, &p);
        const csspgo_match_outcome f = csspgo_matcher_get_outcome(m, guid("f"));
        uint32_t guesses = 0, unknown = 0;
        for (k = 1; k <= f.locations; k++) {
            guesses += at(m, k).how == CSSPGO_FOUND_NEAR;
            unknown += at(m, k).how == CSSPGO_FOUND_UNKNOWN;
        }
        T_EQ(f.confidence, i == 0 ? 75 : 50);
        T_EQ(guesses, i == 0 ? 1 : 0);
        T_EQ(unknown, i == 0 ? 0 : 3);
        T_EQ(f.unknown, i == 0 ? 1 : 3);
        T_EQ(csspgo_matcher_apply(m, p, q, NULL, NULL), CSSPGO_OK);
        T_EQ(csspgo_total(q, csspgo_find(q, "f")), i == 0 ? 300 : 290);   /* what the profile had is all kept */
        csspgo_matcher_free(m);
        csspgo_profile_free(q);
        csspgo_profile_free(p);
    }
}

/* Another name, no call that is known, other places: the order of the blocks alone tells nothing of them. */
static void rewritten_code_with_a_new_name_keeps_its_entry_alone(void)
{
    static const struct { const char *name, *now; int kept; } v[] = {
        { "_Z1fPcib", "1 2 3:new 4 5 6:new 7", 0 }, { "_Z1fPci", "1 2 3:new 4 5 6:new 7", 1 },
        { "_Z1fPcib", "1 2 3:new 4 5 6:g 7", 1 }, { "_Z1fPcib", "1 2 3 4:new", 1 } };
    static const char old[] = "_Z1fPci:400:100\n 1: 100\n 2: 100\n 3: 100\n 4: 100 g:100\n !CFGChecksum: 1\n";
    size_t i, k;
    for (i = 0; i < sizeof v / sizeof v[0]; i++) {
        csspgo_match_loc loc[8];
        const csspgo_match_code c = code_of(v[i].name, 2, loc, parse_code(v[i].now, loc));
        csspgo_profile *p = csspgo_profile_new(NULL, NULL), *q = csspgo_profile_new(NULL, NULL);
        csspgo_matcher *m = matcher(0);
        csspgo_match_outcome f;
        uint32_t aligned = 0;
        uint64_t lost;
        T_EQ(csspgo_read(p, old, sizeof old - 1, NULL), CSSPGO_OK);
        T_EQ(csspgo_matcher_module(m, p, &c, 1, NULL, NULL), CSSPGO_OK);
        f = csspgo_matcher_get_outcome(m, guid(v[i].name));
        T_EQ(f.renamed, i != 1);
        for (k = 0; k < c.locs; k++)
            aligned += csspgo_matcher_locate(m, guid(v[i].name), loc[k].loc).how == CSSPGO_FOUND_ALIGNED;
        T_EQ(aligned, v[i].kept ? 3 : 1);
        T_EQ(csspgo_matcher_locate(m, guid(v[i].name), csspgo_loc_at(1, 0)).to.line, 1);
        T_EQ(f.lost_samples == 0, v[i].kept);
        T_EQ(csspgo_matcher_apply(m, p, q, &lost, NULL), CSSPGO_OK);
        T_EQ(lost, f.lost_samples);
        T_EQ(csspgo_body_count(q, csspgo_find(q, v[i].name), csspgo_loc_at(1, 0)), 100);
        csspgo_matcher_free(m);
        csspgo_profile_free(q);
        csspgo_profile_free(p);
    }
}

static void blocks_keep_the_number_of_their_calls(void)
{
    static const char old[] = "f:50:10\n 1: 10\n 2: 10 a:10\n 3: 10\n 4: 10\n 5: 10 b:10\n !CFGChecksum: 1\n";
    csspgo_match_loc v[8];
    csspgo_profile *p;
    csspgo_matcher *m = matched_texts(old, "1 2:a 3 4:n 5 6 7:b", v, 1, &p);
    T_EQ(at(m, 3).how, CSSPGO_FOUND_UNKNOWN);
    T_EQ(at(m, 5).to.line, 3);
    T_EQ(at(m, 6).to.line, 4);
    csspgo_matcher_free(m);
    csspgo_profile_free(p);
}

/* n for x twice; n for x and for y; n for x twice and for y once; n and m for x. */
static void a_callee_has_one_new_name(void)
{
    static const char *const old[4] = {
        "f:50:10\n 1: 10\n 2: 10 x:10\n 3: 10\n 4: 10 x:10\n 5: 10\n !CFGChecksum: 1\n",
        "f:50:10\n 1: 10\n 2: 10 x:10\n 3: 10\n 4: 10 y:10\n 5: 10\n !CFGChecksum: 1\n",
        "f:70:10\n 1: 10\n 2: 10 x:10\n 3: 10\n 4: 10 y:10\n 5: 10\n 6: 10 x:10\n 7: 10\n !CFGChecksum: 1\n",
        "f:50:10\n 1: 10\n 2: 10 x:10\n 3: 10\n 4: 10 x:10\n 5: 10\n !CFGChecksum: 1\n" };
    static const char *const now[4] = { "1 2:n 3 4:n 5", "1 2:n 3 4:n 5", "1 2:n 3 4:n 5 6:n 7", "1 2:n 3 4:m 5" };
    static const unsigned renamed[4][3] = { { 1, 1, 0 }, { 0, 0, 0 }, { 1, 0, 1 }, { 0, 0, 0 } };
    csspgo_match_loc v[8];
    unsigned i, k;
    for (i = 0; i < 4; i++) {
        csspgo_profile *p;
        csspgo_matcher *m = matched_texts(old[i], now[i], v, 0, &p);
        for (k = 0; k < (i == 2 ? 3u : 2u); k++)
            T_EQ(at(m, 2 + 2 * k).how, renamed[i][k] ? CSSPGO_FOUND_RENAMED : CSSPGO_FOUND_UNKNOWN);
        csspgo_matcher_free(m);
        csspgo_profile_free(p);
    }
}

/* Probes that the code has lost may be blocks; calls of an unknown callee fit no call of the profile. */
static void numbers_without_a_trace_take_what_lies_between(void)
{
    csspgo_match_loc v[8];
    csspgo_match_code c = code_of("f", 2, v, parse_code("1 2 3 4:a 5 6:b 7:z", v));
    csspgo_profile *p = parse_profile(NULL, "f", "1 2 3:a 4 5:b 6:y");
    csspgo_matcher *m = matcher(0);
    v[4].kind = CSSPGO_MATCH_ANY;
    v[6].callee = 0;
    T_EQ(csspgo_matcher_module(m, p, &c, 1, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_matcher_locate(m, guid("f"), csspgo_loc_at(4, 0)).to.line, 3);
    T_EQ(csspgo_matcher_locate(m, guid("f"), csspgo_loc_at(5, 0)).to.line, 4);
    T_EQ(csspgo_matcher_locate(m, guid("f"), csspgo_loc_at(5, 0)).how, CSSPGO_FOUND_ALIGNED);
    T_EQ(csspgo_matcher_locate(m, guid("f"), csspgo_loc_at(6, 0)).how, CSSPGO_FOUND_CALL);
    T_EQ(csspgo_matcher_locate(m, guid("f"), csspgo_loc_at(7, 0)).how, CSSPGO_FOUND_UNKNOWN);
    csspgo_matcher_free(m);
    csspgo_profile_free(p);
}

/* 1 -> 2 or 3, 2 -> 3 (new: calls z), 3 -> 4 or 5, 4 -> 5: what no evidence was found for follows from the others. */
static void flow_completes_what_matching_leaves_unknown(void)
{
    static const char old[] = "f:1000:100\n 1: 100\n 2: 60 a:60\n 3: 100\n 4: 30 b:30\n 5: 100\n !CFGChecksum: 1\n";
    csspgo_match_loc v[16];
    const csspgo_match_code c = code_of("f", 2, v, parse_code("1 2 3:a 4 5 6:z 7 8 9:b 10", v));
    static const unsigned block_id[7] = { 1, 2, 4, 5, 7, 8, 10 };
    static const unsigned jumps[9][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 }, { 2, 3 }, { 2, 4 },
                                          { 3, 4 }, { 4, 5 }, { 4, 6 }, { 5, 6 } };
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_matcher *m = matcher(0);
    csspgo_cfg_block b[7];
    csspgo_cfg_edge j[9];
    uint64_t in[7], cost;
    unsigned i, unknown = 0;
    T_EQ(csspgo_read(p, old, sizeof old - 1, NULL), CSSPGO_OK);
    T_EQ(csspgo_matcher_module(m, p, &c, 1, NULL, NULL), CSSPGO_OK);
    memset(b, 0, sizeof b);
    memset(j, 0, sizeof j);
    memset(in, 0, sizeof in);
    for (i = 0; i < 7; i++) {
        const csspgo_match_result r = csspgo_matcher_locate(m, guid("f"), csspgo_loc_at(block_id[i], 0));
        b[i].known = r.how < CSSPGO_FOUND_NEAR;
        if (b[i].known) b[i].count = csspgo_body_count(p, csspgo_find(p, "f"), r.to);
        if (b[i].known && b[i].count == 0) b[i].known = 0;
        unknown += !b[i].known;
    }
    T_CHECK(unknown >= 1 && unknown <= 5);
    for (i = 0; i < 9; i++) {
        j[i].from = jumps[i][0];
        j[i].to = jumps[i][1];
    }
    T_EQ(t_solve(t_cfg(b, 7, j, 9), NULL, NULL, &cost, NULL), CSSPGO_OK);
    for (i = 0; i < 9; i++) in[j[i].to] += j[i].count;
    for (i = 1; i < 7; i++) T_EQ(b[i].count, in[i]);
    T_EQ(b[0].count, 100);
    T_EQ(b[6].count, 100);
    csspgo_matcher_free(m);
    csspgo_profile_free(p);
}

/* ----- profiles made to fit the control flow of the new code ----- */

enum { FLOW_BLOCKS = 8, FLOW_EDGES = 16 };

typedef struct flow_case {        /* f in new code: block i is probe i + 1, the first half also calls g */
    csspgo_match_loc  loc[2 * FLOW_BLOCKS];
    csspgo_loc        block[FLOW_BLOCKS];
    csspgo_cfg_edge   edge[FLOW_EDGES];
    csspgo_match_code code;
    csspgo_match_cfg  flow;
} flow_case;

/* Every block follows from an earlier one; then some more edges. */
static void flow_random(uint32_t *state, flow_case *c)
{
    size_t i, n = 1 + next_random(state) % FLOW_BLOCKS, edges = 0;
    memset(c, 0, sizeof *c);
    for (i = 0; i < n; i++) {
        c->block[i] = c->loc[i].loc = csspgo_loc_at((uint32_t)i + 1, 0);
        if (i != 0) {
            c->edge[edges].from = next_random(state) % (uint32_t)i;
            c->edge[edges++].to = (uint32_t)i;
        }
    }
    while (edges < FLOW_EDGES && next_random(state) % 4 != 0) {
        c->edge[edges].from = next_random(state) % (uint32_t)n;
        c->edge[edges++].to = next_random(state) % (uint32_t)n;
    }
    if (next_random(state) % 5 == 0) c->block[n - 1].line = 0;
    c->code = code_of("f", 2, c->loc, n);
    c->flow.guid = guid("f");
    c->flow.loc = c->block;
    c->flow.cfg = t_cfg(NULL, n, c->edge, edges);
}

/* f in three contexts, in one of them inlined, of an older numbering; and g, which nobody asks for. */
static csspgo_profile *flow_profile(uint32_t *state, const csspgo_options *o)
{
    static const char *const head[] = { "main:3000:1\n 1: 5\n 2: f:1\n", "f:2000:100\n", "g:500:1\n 1: 77\n 2: 3\n" };
    char text[2000], *t = text;
    csspgo_profile *p = csspgo_profile_new(o, NULL);
    size_t k, i;
    for (k = 0; k < 3; k++) {
        t += sprintf(t, "%s", head[k]);
        for (i = 0; i < 6 && k < 2; i++)
            if (next_random(state) % 4 != 0)
                t += sprintf(t, "%s %u: %u\n", k == 0 ? " " : "", (unsigned)i + 1, next_random(state) % 50);
        if (k == 0) t += sprintf(t, "  !CFGChecksum: 1\n");
        t += sprintf(t, " !CFGChecksum: 1\n");
    }
    T_EQ(csspgo_read(p, text, (size_t)(t - text), NULL), CSSPGO_OK);
    csspgo_recount_totals(p);
    return p;
}

/* A flow that has just these counts exists; blocks without a location may run as often as it takes. */
static void check_fits(const csspgo_profile *p, csspgo_node n, const csspgo_match_cfg *f)
{
    csspgo_cfg_block b[FLOW_BLOCKS];
    csspgo_cfg_edge j[FLOW_EDGES];
    uint64_t cost;
    size_t i;
    memset(b, 0, sizeof b);
    memset(j, 0, sizeof j);
    for (i = 0; i < f->cfg.blocks; i++) {
        b[i].known = f->loc[i].line != 0;
        if (b[i].known) b[i].count = csspgo_body_count(p, n, f->loc[i]);
    }
    for (i = 0; i < f->cfg.edges; i++) {
        j[i].from = f->cfg.edge[i].from;
        j[i].to = f->cfg.edge[i].to;
    }
    T_EQ(t_solve(t_cfg(b, f->cfg.blocks, j, f->cfg.edges), NULL, NULL, &cost, NULL), CSSPGO_OK);
    for (i = 0; i < f->cfg.blocks; i++)
        if (f->loc[i].line != 0) T_EQ(b[i].count, csspgo_body_count(p, n, f->loc[i]));
}

static void a_matched_profile_can_be_made_to_fit_the_control_flow(void)
{
    uint32_t state = 9;
    unsigned round, changed = 0;
    for (round = 0; round < 1000; round++) {
        flow_case c;
        csspgo_profile *p = flow_profile(&state, NULL), *q = csspgo_profile_new(NULL, NULL);
        csspgo_profile *again = csspgo_profile_new(NULL, NULL);
        csspgo_matcher *m = matcher(0);
        csspgo_node n;
        size_t unfit;
        flow_random(&state, &c);
        T_EQ(csspgo_matcher_module(m, p, &c.code, 1, NULL, NULL), CSSPGO_OK);
        T_EQ(csspgo_matcher_apply(m, p, q, NULL, NULL), CSSPGO_OK);
        csspgo_recount_totals(q);
        T_EQ(csspgo_add_profile(again, q, NULL), CSSPGO_OK);
        T_EQ(csspgo_matcher_complete(m, &c.flow, 1, NULL, q, &unfit, NULL), CSSPGO_OK);
        T_EQ(unfit, 0);
        t_valid(q);
        changed += !csspgo_equal(again, q);
        for (n = csspgo_func_nodes(q, csspgo_func_find(q, "f", 1)); n.id != 0; n = csspgo_node_next_same(q, n))
            if (csspgo_has_record(q, n)) check_fits(q, n, &c.flow);
        T_EQ(csspgo_body_count(q, csspgo_find(q, "g"), csspgo_loc_at(1, 0)), 77);
        T_EQ(csspgo_body_count(q, csspgo_find(q, "main"), csspgo_loc_at(1, 0)), 5);
        csspgo_profile_free(again);
        again = csspgo_profile_new(NULL, NULL);
        T_EQ(csspgo_add_profile(again, q, NULL), CSSPGO_OK);
        csspgo_recount_totals(again);
        T_CHECK(csspgo_equal(again, q));              /* totals moved with the counts */
        csspgo_profile_free(again);
        csspgo_profile_free(q);
        csspgo_profile_free(p);
        csspgo_matcher_free(m);
    }
    T_CHECK(changed > 500);
}

/* All contexts of a profile together have one budget of steps: what comes after it stays as it was, and is counted. */
static void contexts_share_one_budget(void)
{
    enum { CONTEXTS = 60 };
    static const csspgo_loc block[4] = { { 1, 0 }, { 3, 0 }, { 5, 0 }, { 6, 0 } };
    csspgo_cfg_edge edge[4] = { { 0, 1, 0, 0, 0 }, { 1, 2, 0, 0, 0 }, { 1, 3, 0, 0, 0 }, { 2, 3, 0, 0, 0 } };
    csspgo_match_loc v[8];
    const csspgo_match_code c = code_of("f", 2, v, parse_code("1 2:a 3 4:b 5 6", v));
    char text[CONTEXTS * 160];
    csspgo_match_cfg f;
    csspgo_options o;
    size_t n = 0, unfit, last = CONTEXTS, partly = 0;
    unsigned i;
    memset(&f, 0, sizeof f);
    memset(&o, 0, sizeof o);
    f.guid = guid("f");
    f.loc = block;
    f.cfg = t_cfg(NULL, 4, edge, 4);
    for (i = 0; i < CONTEXTS; i++)
        n += (size_t)sprintf(text + n, "[main:%u @ f]:1000:100\n 1: 100\n 2: 60 a:60\n 3: 100\n 4: 30 b:30\n 5: 100\n"
                                       " !CFGChecksum: 1\n", i + 1);
    for (o.limits.max_steps = 1; last != 0 && o.limits.max_steps < 1u << 20; o.limits.max_steps *= 2) {
        csspgo_profile *p = csspgo_profile_new(NULL, NULL), *q = csspgo_profile_new(&o, NULL);
        csspgo_matcher *m = matcher(0);
        T_EQ(csspgo_read(p, text, n, NULL), CSSPGO_OK);
        T_EQ(csspgo_matcher_module(m, p, &c, 1, NULL, NULL), CSSPGO_OK);
        T_EQ(csspgo_matcher_apply(m, p, q, NULL, NULL), CSSPGO_OK);
        T_EQ(csspgo_matcher_complete(m, &f, 1, NULL, q, &unfit, NULL), CSSPGO_OK);
        T_CHECK(unfit <= last);                           /* more steps, more contexts */
        partly += unfit != 0 && unfit != CONTEXTS;
        last = unfit;
        t_valid(q);
        csspgo_matcher_free(m);
        csspgo_profile_free(p);
        csspgo_profile_free(q);
    }
    T_CHECK(last == 0 && partly >= 3);
}

/* The function of flow_completes_what_matching_leaves_unknown: each context by itself, what was guessed given up. */
static void what_was_not_found_follows_in_every_context(void)
{
    static const char old[] = "[f]:1000:100\n 1: 100\n 2: 60 a:60\n 3: 100\n 4: 30 b:30\n 5: 100\n !CFGChecksum: 1\n"
                              "[main:1 @ f]:10:1\n 1: 10\n 2: 0\n 3: 10\n 4: 10 b:10\n 5: 10\n !CFGChecksum: 1\n";
    csspgo_match_loc v[8];
    const csspgo_match_code c = code_of("f", 2, v, parse_code("1 2:a 3 4:b 5 6", v));
    static const csspgo_loc block[4] = { { 1, 0 }, { 3, 0 }, { 5, 0 }, { 6, 0 } };
    csspgo_cfg_edge edge[4] = { { 0, 1, 0, 0, 0 }, { 1, 2, 0, 0, 0 }, { 1, 3, 0, 0, 0 }, { 2, 3, 0, 0, 0 } };
    csspgo_match_cfg f;
    csspgo_profile *p = csspgo_profile_new(NULL, NULL), *q = csspgo_profile_new(NULL, NULL);
    csspgo_matcher *m = matcher(0);
    size_t unfit = 9;
    csspgo_error e;
    memset(&f, 0, sizeof f);
    f.guid = guid("f");
    f.loc = block;
    f.cfg = t_cfg(NULL, 4, edge, 4);
    T_EQ(csspgo_read(p, old, sizeof old - 1, NULL), CSSPGO_OK);
    T_EQ(csspgo_matcher_module(m, p, &c, 1, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_matcher_apply(m, p, q, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_matcher_complete(m, &f, 1, NULL, q, &unfit, &e), CSSPGO_OK);
    T_EQ(unfit, 0);
    T_EQ(csspgo_body_count(q, csspgo_find(q, "f"), csspgo_loc_at(6, 0)), 100);
    T_EQ(csspgo_body_count(q, csspgo_find(q, "main:1 @ f"), csspgo_loc_at(6, 0)), 10);
    T_EQ(csspgo_body_count(q, csspgo_find(q, "main:1 @ f"), csspgo_loc_at(4, 0)), 10);
    /* bad control flow: nothing changes */
    csspgo_add_body(q, csspgo_find(q, "f"), csspgo_loc_at(3, 0), UINT64_MAX);
    f.cfg.blocks = 3;
    T_EQ(csspgo_matcher_complete(m, &f, 1, NULL, q, &unfit, &e), CSSPGO_E_ARGUMENT);
    T_CHECK(strstr(e.message, "number 0") != NULL);
    f.cfg.blocks = 0;
    f.cfg.edges = 0;
    T_EQ(csspgo_matcher_complete(m, &f, 1, NULL, q, NULL, NULL), CSSPGO_E_ARGUMENT);
    f.cfg.blocks = 4;
    f.cfg.edges = 4;                                      /* counts above 2^60: that context stays as it is */
    T_EQ(csspgo_matcher_complete(m, &f, 1, NULL, q, &unfit, NULL), CSSPGO_OK);
    T_EQ(unfit, 1);
    T_EQ(csspgo_body_count(q, csspgo_find(q, "f"), csspgo_loc_at(3, 0)), UINT64_MAX);
    {
        const csspgo_loc far_block[2] = { { 1, 0 }, { 65536, 0 } };
        f.loc = far_block;
        f.cfg.blocks = 2;
        f.cfg.edges = 0;
        T_EQ(csspgo_matcher_complete(m, &f, 1, NULL, q, &unfit, &e), CSSPGO_E_RANGE);
        T_CHECK(strstr(e.message, "65536") != NULL && t_valid(q));
        f.loc = block;
        f.cfg.blocks = f.cfg.edges = 4;
    }
    f.guid = 5;                                       /* nobody's */
    T_EQ(csspgo_matcher_complete(m, &f, 1, NULL, q, &unfit, NULL), CSSPGO_OK);
    T_EQ(unfit, 0);
    csspgo_matcher_free(m);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

static void every_allocation_may_fail_while_counts_are_completed(void)
{
    uint32_t state = 3;
    flow_case c;
    t_heap h;
    const csspgo_options o = t_options(&h, 0);
    csspgo_profile *p = flow_profile(&state, NULL), *was = csspgo_profile_new(NULL, NULL);
    csspgo_profile *q = csspgo_profile_new(&o, NULL);
    csspgo_matcher *m = matcher(0);
    long step, done = 0;
    do flow_random(&state, &c); while (c.flow.cfg.edges < 10);
    T_EQ(csspgo_matcher_module(m, p, &c.code, 1, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_matcher_apply(m, p, q, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_add_profile(was, q, NULL), CSSPGO_OK);
    for (step = 1; !done; step++) {
        csspgo_status s;
        h.nth = h.calls + step;
        s = csspgo_matcher_complete(m, &c.flow, 1, NULL, q, NULL, NULL);
        h.nth = 0;
        done = s == CSSPGO_OK;
        T_CHECK(done || (s == CSSPGO_E_NOMEM && csspgo_equal(q, was)));
    }
    T_LONG(step > 10);
    T_CHECK(!csspgo_equal(q, was));
    csspgo_profile_free(q);
    T_EQ(h.live, 0);
    csspgo_profile_free(p);
    csspgo_profile_free(was);
    csspgo_matcher_free(m);
}

/* ----- names, arguments, memory ----- */

static void base_names_are_what_is_left_of_mangled_ones(void)
{
    static const char *const v[][2] = {
        { "_Z3foov", "foo" }, { "_ZN1a1b3fooEi", "foo" }, { "_ZNK3Foo3barIiLi3EE3bazEv", "baz" },
        { "_ZN1a3fooIiEEvT_", "foo" }, { "_ZNSt6vectorIiSaIiEE4pushERKi", "push" }, { "_ZSt4sortIPiEvT_S1_", "sort" },
        { "_ZN12_GLOBAL__N_14workEv", "work" }, { "_ZN4core3ptr4read17h0123456789abcdefE", "read" },
        { "_ZL6staticv", "static" }, { "_ZN1a3fooEv.llvm.123", "foo" }, { "_ZN1aplERKS_", "" }, { "main", "" },
        { "_Z", "" },
        { "_ZN1a99fooE", "" }, { "_ZN1a3fooILb1EEEvv", "foo" }, { "_ZN1aC2Ev", "" }, { "", "" }, { "_ZN3fo", "" },
        /* arguments that are arrays, vectors, functions, pointers to members, of D's many kinds, vendors' */
        { "_ZN1n3arrIA10_cEEiRKT_", "arr" }, { "_ZN1n1WIA7_cE3memEPS1_", "mem" }, { "_ZN1n3fooIA_A3_iEEiT_", "foo" },
        { "_ZN1n3fooIDv4_fEEiT_", "foo" }, { "_ZN1n1WIDv2_iE2tmIDF16_EEiT_", "tm" }, { "_ZN1n3fooIDnDi_EEv", "" },
        { "_ZN1n2spIFicDv4_fEE3spmEv", "spm" }, { "_ZN1n2spIMNS_1sEKDoFiiEE3spcEv", "spc" },
        { "_ZN1n3fooIPFivEM1AFivREDuDB9_gu8__SVBoolEEiT_", "foo" },
        { "_ZN1n1WIPU3AS3iE3memEPS2_", "mem" }, { "_ZN1n1WIu11matrix_typeILm4ELm4EfEE3memEv", "mem" },
        /* that are literals, functions, packs, templates, parameters, local to functions */
        { "_ZN1n2feILNS_1eE5EEEiv", "fe" }, { "_ZN1n3fecIL2ecn4EE1gEv", "g" }, { "_ZN1n2tvIPiLS1_0EE1gEv", "g" },
        { "_ZN1n2tvIMNS_1sEFiiELS3_0EEEiv", "tv" }, { "_ZN1n2pmILM1A1Bn1EEEiv", "pm" }, { "_ZN1n2fpILDnEEEiv", "fp" },
        { "_ZN1n2fpIXadL_ZNS_1s2smIA2_iEET_S3_EEEEiv", "fp" }, { "_ZN1n3refIL_ZNS_2giEEEEiv", "ref" },
        { "_ZN1n5pack2IJicEdEEiSt5tupleIJDpT_EET0_", "pack2" }, { "_ZN1n3tttITtTpTyESt6vectorEEiv", "ttt" },
        { "_ZN1n2avITnDaLi5EEEiv", "av" }, { "_ZN1n3conITkNS_1CEiEEiT_", "con" },
        { "_ZN1n1fITtTyTnTL0__ENS_1XEEEiv", "f" },
        { "_ZN1n3fooIZNS_4locTIA9_cEEiT_E1L_0EEiS3_", "foo" }, { "_ZN1n4callIZNS_3lamEvEUlTyT_E0_EEiS1_", "call" },
        /* tags, modules, friends, explicit objects; and what is local */
        { "_ZN1n6retstrB5cxx11Ei", "retstr" }, { "_ZN1n2v12tgB1qB1r2tmEv", "tm" }, { "_ZSt4workB5cxx11v", "work" },
        { "_ZNH1nW3mod1AIiEF3fooES1_", "foo" }, { "_ZStL4workv", "work" }, { "_ZN1n3$_08__invokeEi", "__invoke" },
        { "_ZZN1n3loc4methEvEN1L5innerEv", "inner" }, { "_ZZZN1n2da2ddEiEd0_NKUlvE_clEvEN1Q2qqEv", "qq" },
        { "_ZZ4mainE5local_0", "local" }, { "_ZZ4mainEs", "" }, { "_ZZ4mainENKUliE_clEi", "" },
        { "_ZN1nUt_3anmEv", "anm" },
        /* what has none: operators, conversions, unnamed ones, expressions; a hash that is none */
        { "_ZN1n2opcvPT_IiEEv", "" }, { "_ZN1nli2_uEe", "" }, { "_ZN1n3derCI1NS_4baseEEi", "" },
        { "_ZN1nDC1a1bEE", "" },
        { "_ZN1n3clsIXtlNS_3st1ELi1ELi2EEEEEiv", "" }, { "_ZN1n1fIDTplT_Li1EEE3barE", "" }, { "_ZTVN1n1aE", "" },
        { "_ZN1n4con2IiQ1CIT_EEEiS1_", "" }, { "_ZLS", "" }, { "_ZS", "" }, { "_ZSt", "" },
        { "_ZN1a17h0123456789abcdefEv", "h0123456789abcdef" }, { "_ZN1a1b17h0123456789abcdefE.llvm.1", "b" }
    };
    size_t i, n;
    for (i = 0; i < sizeof v / sizeof v[0]; i++) {
        const size_t size = strlen(v[i][0]);
        char *exact = (char *)t_copy(v[i][0], size);
        const char *base = csspgo_base_name(exact, size, &n);
        if (!T_CHECK(n == strlen(v[i][1]) && (n == 0 || memcmp(base, v[i][1], n) == 0)))
            fprintf(stderr, "    %s: %.*s\n", v[i][0], (int)n, base != NULL ? base : "");
        T_CHECK(n != 0 || base == NULL);
        free(exact);
    }
}

/* A block of exactly this size: a sanitizer sees one byte too far. */
static unsigned base_name_lies_within(const char *name, size_t size)
{
    char *exact = (char *)t_copy(name, size);
    size_t n;
    const char *base = csspgo_base_name(exact, size, &n);
    T_CHECK(base == NULL ? n == 0 : n != 0 && base >= exact && n <= size - (size_t)(base - exact));
    free(exact);
    return base != NULL;
}

static void base_names_lie_within_any_name(void)
{
    static const char letter[] = "_ZNKSLt13abIEXBdlTJ.", more[] = "_ZNKSLt13abIEXBdlTJ.024589UMACDFPWvcsxuEEEI";
    static const char *const prefix[] = { "_Z", "_ZN1a", "_ZN1aI", "_ZZ1a", "_ZN1aIL" };
    const unsigned letters = sizeof letter - 1;
    unsigned i, length, named = 0;
    uint32_t state = 9;
    char name[64];
    for (i = 0; i < sizeof prefix / sizeof prefix[0]; i++) {
        const size_t size = strlen(prefix[i]);
        memcpy(name, prefix[i], size);
        for (length = 0; length <= (i == 0 ? 4 : 3); length++) {
            unsigned long k, code, all = 1;
            unsigned j;
            for (j = 0; j < length; j++) all *= letters;
            for (k = 0; k < all; k++) {
                for (j = 0, code = k; j < length; j++, code /= letters) name[size + j] = letter[code % letters];
                named += base_name_lies_within(name, size + length);
            }
        }
    }
    for (i = 0; i < 100000; i++) {                    /* longer ones */
        const char *from = prefix[i % 5];
        size_t size = strlen(from), end = size + next_random(&state) % 50;
        memcpy(name, from, size);
        while (size < end) name[size++] = more[next_random(&state) % (sizeof more - 1)];
        named += base_name_lies_within(name, size);
    }
    T_CHECK(named > 20000);
}

static void names_nested_too_deep_have_no_base_name(void)
{
    char name[4096];
    unsigned depth, i, named = 0;
    for (depth = 1; depth < 600; depth++) {           /* a::b<P<P<...int>>> */
        size_t n = 6, k;
        memcpy(name, "_ZN1a1", n);
        name[n++] = 'b';
        for (i = 0; i < depth; i++) memcpy(name + n, "I1P", 3), n += 3;
        name[n++] = 'i';
        for (i = 0; i < depth; i++) name[n++] = 'E';
        name[n++] = 'E';
        i = csspgo_base_name(name, n, &k) != NULL;
        T_CHECK(i == 0 || named == depth - 1);
        named += i;
        T_CHECK(k == i);
    }
    T_CHECK(named >= 250 && named < 300);
}

static void a_moved_namespace_is_a_rename(void)
{
    csspgo_match_loc v[8], g[8];
    csspgo_match_code c[2];
    csspgo_profile *p = parse_profile(NULL, "_ZN3old4workEv", "1 2:a 3:b 4");
    csspgo_matcher *m = matcher(22);
    c[0] = code_of("_ZN3new4workEv", 2, v, parse_code("1 2 3:a 4:b 5", v));
    c[1] = code_of("other", 2, g, parse_code("1 2", g));
    T_EQ(csspgo_matcher_module(m, p, c, 2, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_matcher_profile_of(m, guid("_ZN3new4workEv")), guid("_ZN3old4workEv"));
    T_EQ(csspgo_matcher_locate(m, guid("_ZN3new4workEv"), csspgo_loc_at(4, 0)).to.line, 3);
    T_EQ(csspgo_matcher_profile_of(m, guid("other")), guid("other"));
    csspgo_matcher_free(m);
    csspgo_profile_free(p);
}

static void of_two_with_one_base_name_the_checksum_tells(void)
{
    static const char old[] = "_Z3putIcEvT_:10:1\n 1: 10\n !CFGChecksum: 7\n"
                              "_Z3putIiEvT_:20:1\n 1: 20\n !CFGChecksum: 8\n"
                              "_Z3putIfEvT_:30:1\n 1: 30\n !CFGChecksum: 9\n"
                              "_Z3putIdEvT_:40:1\n 1: 40\n !CFGChecksum: 9\n";
    static const struct { const char *name; uint64_t checksum; const char *was; } v[] = {
        { "_ZN1n3putIiEEvT_", 8, "_Z3putIiEvT_" }, { "_ZN1n3putIcEEvT_", 7, "_Z3putIcEvT_" },
        { "_ZN1n3putIfEEvT_", 9, NULL }, { "_ZN1n3putIlEEvT_", 6, NULL } };
    csspgo_match_loc l[2];
    csspgo_match_code c[4];
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_matcher *m = matcher(0);
    size_t i;
    T_EQ(csspgo_read(p, old, sizeof old - 1, NULL), CSSPGO_OK);
    for (i = 0; i < 4; i++) c[i] = code_of(v[i].name, v[i].checksum, l, parse_code("1 2", l));
    T_EQ(csspgo_matcher_module(m, p, c, 4, NULL, NULL), CSSPGO_OK);
    for (i = 0; i < 4; i++)
        T_EQ(csspgo_matcher_profile_of(m, guid(v[i].name)), guid(v[i].was != NULL ? v[i].was : v[i].name));
    csspgo_matcher_free(m);
    csspgo_profile_free(p);
}

/* Nobody calls them, and the names have nothing in common. Checksum 40 is that of two profiles, so it tells nothing. */
static void a_checksum_that_one_profile_has_tells_a_new_name(void)
{
    static const char old[] = "ant:60:1\n 1: 10\n 2: 10\n 3: 10\n 4: 10\n 5: 10\n 6: 10\n !CFGChecksum: 70\n"
                              "bee:60:1\n 1: 10\n 2: 10\n 3: 10\n 4: 10\n 5: 10\n 6: 10\n !CFGChecksum: 60\n"
                              "cat:60:1\n 1: 10\n 2: 10\n 3: 10\n 4: 10\n 5: 10\n 6: 10\n !CFGChecksum: 50\n"
                              "dog:60:1\n 1: 10\n 2: 10\n 3: 10\n 4: 10\n 5: 10\n 6: 10\n !CFGChecksum: 40\n"
                              "eel:60:1\n 1: 10\n 2: 10\n 3: 10\n 4: 10\n 5: 10\n 6: 10\n !CFGChecksum: 40\n";
    static const struct { const char *name; uint64_t checksum; const char *was; } v[] = {
        { "one", 50, "cat" }, { "two", 60, "bee" }, { "three", 70, "ant" }, { "four", 40, NULL }, { "five", 30, NULL }
    };
    csspgo_match_loc l[8];
    csspgo_match_code c[5];
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_matcher *m = matcher(0);
    size_t i;
    T_EQ(csspgo_read(p, old, sizeof old - 1, NULL), CSSPGO_OK);
    for (i = 0; i < 5; i++) c[i] = code_of(v[i].name, v[i].checksum, l, parse_code("1 2 3 4 5 6", l));
    T_EQ(csspgo_matcher_module(m, p, c, 5, NULL, NULL), CSSPGO_OK);
    for (i = 0; i < 5; i++)
        T_EQ(csspgo_matcher_profile_of(m, guid(v[i].name)), guid(v[i].was != NULL ? v[i].was : v[i].name));
    csspgo_matcher_free(m);
    csspgo_profile_free(p);
}

/* Callers tell the new names of what they call, where they agree and the old names are gone. */
static void a_call_site_tells_a_new_name(void)
{
    static const char old[] = "f:9:1\n 1: 1\n 2: 1 gone:1\n 3: 1 left:1\n 4: 1 one:1\n 5: 1 two:1\n !CFGChecksum: 1\n"
                              "gone:9:1\n 1: 1\n 2: 1 deep:1\n !CFGChecksum: 7\ndeep:5:1\n 1: 5\n !CFGChecksum: 5\n"
                              "left:9:1\n 1: 9\n !CFGChecksum: 7\n"
                              "one:9:1\n 1: 9\n !CFGChecksum: 8\ntwo:9:1\n 1: 9\n !CFGChecksum: 8\n";
    static const struct { const char *name, *locs; uint64_t checksum; const char *was[2]; } v[] = {
        { "f", "1 2:came 3:new 4:both 5:both", 1, { "f", "f" } }, { "left", "1", 7, { "left", "left" } },
        { "came", "1 2:depth", 7, { "gone", "came" } }, { "new", "1", 2, { "new", "new" } },
        { "both", "1", 3, { "both", "both" } }, { "depth", "1 2", 6, { "deep", "depth" } } };
    csspgo_match_loc l[6][8];
    csspgo_match_code c[6];
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    size_t i, k, mode;
    T_EQ(csspgo_read(p, old, sizeof old - 1, NULL), CSSPGO_OK);
    for (mode = 0; mode < 4; mode++)
        for (k = 0; k < 2; k++) {                     /* 1: f is stale */
            csspgo_matcher *m = matcher(llvm_modes[mode]);
            for (i = 0; i < 6; i++)
                c[i] = code_of(v[i].name, v[i].checksum + (i == 0 ? k : 0), l[i], parse_code(v[i].locs, l[i]));
            T_EQ(csspgo_matcher_module(m, p, c, 6, NULL, NULL), CSSPGO_OK);
            for (i = 0; i < 6; i++)
                T_EQ(csspgo_matcher_profile_of(m, guid(v[i].name)), guid(v[i].was[mode != 0]));
            csspgo_matcher_free(m);
        }
    csspgo_profile_free(p);
}

/*
 * Several new functions may be the old one: where it was called tells which, by how often; bodies and names do not, and
 * neither do the order of names, nor that of definitions. %a, %b, %c: the new functions; text of the new code of main
 * and what of old's 1000 counts each of them gets.
 */
static const struct { const char *old, *code; uint64_t checksum[3]; unsigned part[3]; } claimed[] = {
    /* main changed; one of them stands where old stood, the others are called by new code that never ran */
    { "1 2:old 3:x 4", "1 2:%a 3:x 4 5:%b 6", { 7, 7, 7 }, { 1000, 0, 0 } },
    { "1 2:old 3:x 4", "1 2:%a 3:x 4 5:%b 6:%c 7", { 9, 7, 7 }, { 1000, 0, 0 } },   /* its body changed, too */
    { "1 2:x 3:old 4:y 5", "1 2:%b 3:x 4:%a 5:y 6:%c 7", { 7, 7, 7 }, { 1000, 0, 0 } },
    /* main is as it was */
    { "1 2:old 3:x 4", "=1 2:%a 3:x 4", { 7, 7, 7 }, { 1000, 0, 0 } },
    /* two sites: 1002 and 1004 calls */
    { "1 2:old 3:x 4:old 5", "=1 2:%a 3:x 4:%b 5", { 7, 7, 7 }, { 500, 500, 0 } },
    { "1 2:old 3:x 4:old 5", "1 2:%a 3:x 4:%b 5 6", { 7, 7, 7 }, { 500, 500, 0 } },
    { "1 2:old 3:x 4:old 5", "1 2:%a 3:x 4:%a 5 6:%b", { 7, 7, 7 }, { 1000, 0, 0 } },
    /* nothing tells which: equal parts */
    { "1 2:*", "1 2:*", { 7, 7, 7 }, { 333, 333, 333 } }
};

static size_t claimed_code(const char *s, char names[3][24], csspgo_match_loc *v)
{
    char text[300], *t = text;
    for (s += *s == '='; *s != '\0'; s++) {
        if (*s == '%') t += sprintf(t, "%s", names[*++s - 'a']);
        else *t++ = *s;
    }
    *t = '\0';
    return parse_code(text, v);
}

static void where_a_function_is_called_tells_whose_profile_it_is(void)
{
    static const char *const base[3] = { "_Z3oldi", "_Z3oldI3BarElf", "_Z3oldPKc" };
    static const char *const c_name[3] = { "p", "q", "r" };
    static const unsigned turn[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    size_t i, k, names, order, mangled;
    for (i = 0; i < sizeof claimed / sizeof claimed[0]; i++)
        for (k = 0; k < 72; k++) {
            csspgo_match_loc v[4][16];
            csspgo_match_code c[4];
            char name[3][24], old[200];
            csspgo_profile *p, *q = csspgo_profile_new(NULL, NULL), *body = csspgo_profile_new(NULL, NULL);
            csspgo_matcher *m = matcher(0);
            uint64_t sum = 0;
            size_t j;
            names = k % 6, order = k / 6 % 6, mangled = k / 36;
            for (j = 0; j < 3; j++) strcpy(name[j], (mangled ? base : c_name)[turn[names][j]]);
            p = parse_profile(NULL, "main", claimed[i].old);
            j = (size_t)sprintf(old, "%s:1000:10\n 1: 10\n 2: 190\n 3: 200 x:200\n 4: 200 y:200\n 5: 200 z:200\n"
                                " 6: 200\n !CFGChecksum: 7\n", mangled ? "_Z3oldl" : "old");
            T_EQ(csspgo_read(body, old, j, NULL), CSSPGO_OK);
            if (mangled) {                            /* main calls it by that name */
                csspgo_rename to;
                memset(&to, 0, sizeof to);
                to.from = "old", to.from_size = 3, to.to = "_Z3oldl", to.to_size = 7;
                T_EQ(csspgo_rename_functions(p, &to, 1, NULL, NULL), CSSPGO_OK);
            }
            T_EQ(csspgo_add_profile(p, body, NULL), CSSPGO_OK);
            c[0] = code_of("main", claimed[i].code[0] == '=' ? 1 : 2, v[0], claimed_code(claimed[i].code, name, v[0]));
            for (j = 0; j < 3; j++)
                c[1 + turn[order][j]] = code_of(name[j], claimed[i].checksum[j], v[1 + j],
                                                parse_code("1 2 3:x 4:y 5:z 6 7 8", v[1 + j]));
            T_EQ(csspgo_matcher_module(m, p, c, 4, NULL, NULL), CSSPGO_OK);
            T_EQ(csspgo_matcher_apply(m, p, q, NULL, NULL), CSSPGO_OK);
            T_EQ(csspgo_validate(q, NULL), CSSPGO_OK);
            for (j = 0; j < 3; j++) {
                const uint64_t got = csspgo_total(q, csspgo_find(q, name[j])), want = claimed[i].part[j];
                if (!T_CHECK(got + 5 > want && got < want + 5))
                    printf("    %s: %s has %lu of %lu, names %lu, order %lu\n", claimed[i].code, name[j],
                           (unsigned long)got, (unsigned long)want, (unsigned long)names, (unsigned long)order);
                sum += got;
                T_EQ(csspgo_matcher_profile_of(m, guid(name[j])) != guid(name[j]), want != 0);
            }
            T_CHECK(sum + 3 > 1000 && sum < 1003);
            T_EQ(csspgo_find(q, mangled ? "_Z3oldl" : "old").id, 0);
            csspgo_matcher_free(m);
            csspgo_profile_free(p);
            csspgo_profile_free(q);
            csspgo_profile_free(body);
        }
}

/*
 * The same by line and by probe ("#": a line of a checksum), with functions that call themselves or each other,
 * overloads and instances of which one stays, one caller for each, indirect calls. code: after each {, a function of
 * the new code, its checksum, its locations; want: names, or contexts, and their totals.
 */
static const struct { const char *old, *code, *want; } owned[] = {
    /* by line; the others came with new code */
    { "main:100:1\n 1: 10\n 2: 10 old:10\n 3: 10 x:10\n 4: 10\nold:1000:10\n 1: 10\n 2: 190 y:190\n 3: 200 z:200\n",
      "{main 0 1 4:a 5:x 6 7:b 8:c{b 0 1 2:y 3:z{a 0 1 2 4:y 5:z{c 0 1 2:y 3:z", "a 1000 b 0 c 0 old 0" },
    { "main:100:1\n 1: 10\n 2: 30 old:30\n 3: 10 x:10\n 4: 10 old:10\nold:1000:40\n 1: 40\n 2: 190 y:190\n",
      "{main 0 1 2:a 3:x 4:b 6{b 0 1 2:y{a 0 1 2:y", "a 750 b 250 old 0" },
    /* inlined there */
    { "main:100:1\n 1: 10\n 3: 10 x:10\n 2: old:50\n  1: 50\nold:1000:10\n 1: 10\n 2: 190 y:190\n",
      "{main 0 1 2:a 3:x 4 5:b{b 0 1 2:y{a 0 1 2:y", "a 1000 b 0 old 0" },
    /* recursion: what calls itself was called by a function that called itself, whoever it is */
    { "main:100:1\n 1: 10\n 2: 10 old:10\n 3: 10 x:10\n#1\nold:1000:10\n 1: 10\n 2: 500 old:500\n 3: 200 z:200\n#7\n",
      "{main 2 1 2:a 3:x 4 5:b 6{b 7 1 2:b 3:z{a 7 1 2:a 3:z", "a 1000 b 0 old 0" },
    { "main:100:1\n 1: 10\n 2: 10 old:10\n 3: 10 x:10\n#1\nold:1000:10\n 1: 10\n 2: 500 old:500\n 3: 200 z:200\n#7\n",
      "{main 1 1 2:a 3:x{b 9 1 2:b 3:z 4 5{a 9 1 2:a 3:z 4 5", "a 1000 b 0 old 0" },
    { "main:100:1\n 1: 10\n 2: 10 even:10\n 3: 10 x:10\n#1\neven:1000:10\n 1: 10\n 2: 500 odd:500\n 3: 200\n#7\n"
      "odd:2000:10\n 1: 10\n 2: 490 even:490\n 3: 200\n#7\n",
      "{main 2 1 2:e2 3:x 4 5:e3 6{e3 7 1 2:o3 3{e2 7 1 2:o2 3{o3 7 1 2:e3 3{o2 7 1 2:e2 3",
      "e2 1000 o2 2000 e3 0 o3 0 even 0 odd 0" },
    { "[main]:100:1\n 1: 10\n 2: 10 old:10\n 3: 10 x:10\n 4: 30 old:30\n#1\n"
      "[main:2 @ old]:1000:10\n 1: 10\n 2: 10 old:10\n#7\n[main:2 @ old:2 @ old]:500:10\n 1: 10\n 2: 10 old:10\n#7\n"
      "[main:4 @ old]:4000:10\n 1: 10\n 2: 10 old:10\n#7\n",
      "{main 2 1 2:a 3:x 4:b 5{b 7 1 2:b{a 7 1 2:a",
      "main:2@a 1000 main:2@a:2@a 500 main:4@b 4000 a 0 b 0 main:2@old 0" },
    /* an overload stays; the other one's name is new; a third one is called by new code */
    { "main:100:1\n 1: 10\n 2: 10 _Z3fooi:10\n 3: 10 x:10\n 4: 90 _Z3fool:90\n 5: 10 x:10\n#1\n"
      "_Z3fooi:1000:10\n 1: 10\n#7\n_Z3fool:9000:90\n 1: 90\n#7\n",
      "{main 2 1 2:_Z3fooi 3:x 4:_Z3fooPKc 5:x 6:_Z3foof{_Z3foof 7 1{_Z3fooPKc 7 1{_Z3fooi 7 1",
      "_Z3fooPKc 9000 _Z3fooi 1000 _Z3foof 0 _Z3fool 0" },
    { "main:100:1\n 1: 10\n 2: 10 old:10\n 3: 10 x:10\n 4: 90 old:90\n#1\nold:1000:100\n 1: 100\n#7\n",
      "{main 2 1 2:old 3:x 4:new 5{new 7 1{old 7 1", "old 1000 new 0" },
    /* instances of a template: the site tells, not the checksum */
    { "main:100:1\n 1: 10\n 2: 10 _Z3putIiEvT_:10\n 3: 10 x:10\n 4: 90 _Z3putIcEvT_:90\n#1\n"
      "_Z3putIiEvT_:1000:10\n 1: 10\n#7\n_Z3putIcEvT_:9000:90\n 1: 90\n#8\n",
      "{main 2 1 2:_Z3putIlEvT_ 3:x 4:_Z3putIhEvT_{_Z3putIhEvT_ 7 1{_Z3putIlEvT_ 8 1",
      "_Z3putIlEvT_ 1000 _Z3putIhEvT_ 9000 _Z3putIiEvT_ 0" },
    /* one for each call, or for each caller */
    { "main:100:1\n 1: 10\n 2: 10 old:10\n 3: 10 x:10\n 4: 30 old:30\n 5: 60 old:60\n#1\nold:1000:100\n 1: 100\n#7\n",
      "{main 2 1 2:a 3:x 4:b 5:c 6{c 7 1{b 7 1{a 7 1", "a 100 b 300 c 600 old 0" },
    { "m1:100:1\n 1: 10\n 2: 10 old:10\n 3: 10 x:10\n#1\nm2:100:1\n 1: 10\n 2: 90 old:90\n#1\n"
      "old:1000:100\n 1: 100\n#7\n",
      "{m1 2 1 2:a 3:x 4{m2 1 1 2:b{b 7 1{a 7 1", "a 100 b 900 old 0" },
    /* callers have new names, too */
    { "main:100:1\n 1: 10\n 2: 10 mid:10\n 3: 10 x:10\nmid:100:10\n 1: 10\n 2: 10 old:10\n"
      " 3: 10 w:10\nold:1000:10\n 1: 10\n",
      "{main 2 1 2:mid2 3:x 4{mid3 3 1 2:b 3:w{mid2 3 1 2:a 3:w{b 7 1{a 7 1", "mid2 100 a 1000 mid3 0 b 0" },
    /* indirect calls tell nothing; a direct one elsewhere does */
    { "main:100:1\n 1: 10\n 2: 100 old:70 x:30\n 3: 10 x:10\n 4: 5 old:5\n#1\nold:1000:75\n 1: 75\n#7\n",
      "{main 2 1 2:* 3:x 4:a 5{b 7 1{a 7 1", "a 1000 b 0 old 0" }
};

/* Copies s, "#N" as a line of a checksum. */
static size_t owned_text(const char *s, char *out)
{
    char *t = out;
    for (; *s != '\0'; s++)
        if (*s == '#') t += sprintf(t, " !CFGChecksum: ");
        else *t++ = *s;
    *t = '\0';
    return (size_t)(t - out);
}

/* The functions of the new code, from the k-th on, or backwards. */
static size_t owned_code(const char *s, size_t turn, char name[8][24], csspgo_match_loc v[8][16], csspgo_match_code *c)
{
    const char *part[8];
    size_t n = 0, i;
    for (; s != NULL && *s == '{'; s = strchr(s, '{'))
        part[n++] = ++s;
    for (i = 0; i < n; i++) {
        const size_t at = (turn % 2 ? n - 1 - i : i + turn / 2) % n, size = strcspn(part[i], " ");
        char text[200], *end;
        const uint64_t checksum = strtoul(part[i] + size, &end, 10);
        sprintf(name[i], "%.*s", (int)size, part[i]);
        sprintf(text, "%.*s", (int)strcspn(end, "{"), end);
        c[at] = code_of(name[i], checksum, v[i], parse_code(text, v[i]));
    }
    return n;
}

static void owners_are_found_by_line_in_recursion_and_among_overloads(void)
{
    size_t i, turn;
    for (i = 0; i < sizeof owned / sizeof owned[0]; i++)
        for (turn = 0; turn < 12; turn++) {
            csspgo_match_loc v[8][16];
            csspgo_match_code c[8];
            char name[8][24], old[1000], who[48], context[96];
            csspgo_profile *p = csspgo_profile_new(NULL, NULL), *q = csspgo_profile_new(NULL, NULL);
            csspgo_matcher *m = matcher(0);
            const size_t size = owned_text(owned[i].old, old), n = owned_code(owned[i].code, turn, name, v, c);
            unsigned long total;
            const char *w;
            int used;
            T_EQ(csspgo_read(p, old, size, NULL), CSSPGO_OK);
            T_EQ(csspgo_matcher_module(m, p, c, n, NULL, NULL), CSSPGO_OK);
            T_EQ(csspgo_matcher_apply(m, p, q, NULL, NULL), CSSPGO_OK);
            for (w = owned[i].want; sscanf(w, "%47s %lu%n", who, &total, &used) == 2; w += used) {
                const char *from = who;
                char *to = context;
                for (; *from != '\0'; from++)
                    if (*from == '@') to += sprintf(to, " @ ");
                    else *to++ = *from;
                *to = '\0';
                if (csspgo_total(q, csspgo_find(q, context)) != total)
                    fprintf(stderr, "    case %lu, turn %lu: %s\n", (unsigned long)i, (unsigned long)turn, context);
                T_EQ(csspgo_total(q, csspgo_find(q, context)), total);
            }
            csspgo_matcher_free(m);
            csspgo_profile_free(p);
            csspgo_profile_free(q);
        }
}

static const char shared_old[] = "[main]:30:1\n 1: 10\n 2: 10 old:10\n 3: 10 x:10\n 4: 30 old:30\n !CFGChecksum: 1\n"
                                 "[main:2 @ old]:100:10\n 1: 10\n 2: 90 y:90\n !CFGChecksum: 7\n"
                                 "[main:4 @ old]:300:30\n 1: 30\n 2: 270 y:270\n !CFGChecksum: 7\n"
                                 "[main:4 @ old:2 @ y]:270:270\n 1: 270\n !CFGChecksum: 8\n"
                                 "[old]:40:4\n 1: 4\n 2: 36 y:36\n !CFGChecksum: 7\n";

/* In contexts each call has its own: what is below a call is the function's that is called there. */
static void contexts_of_a_shared_profile_go_with_their_calls(void)
{
    csspgo_match_loc v[3][8];
    csspgo_match_code c[4];
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_func f;
    size_t stale;
    T_EQ(csspgo_read(p, shared_old, sizeof shared_old - 1, NULL), CSSPGO_OK);
    for (f.id = 1; f.id <= csspgo_func_count(p); f.id++)      /* all but main */
        T_EQ(csspgo_set_listed(p, f, f.id != csspgo_func_find(p, "main", 4).id), CSSPGO_OK);
    T_EQ(csspgo_set_first_sample(p, csspgo_func_find(p, "main", 4), 77), CSSPGO_OK);
    T_EQ(csspgo_set_first_sample(p, csspgo_func_find(p, "old", 3), 88), CSSPGO_OK);
    for (stale = 0; stale < 2; stale++) {
        csspgo_profile *q = csspgo_profile_new(NULL, NULL);
        csspgo_matcher *m = matcher(0);
        c[0] = code_of("main", 1 + stale, v[0], parse_code(stale ? "1 2:p 3:x 4:q 5" : "1 2:p 3:x 4:q", v[0]));
        c[1] = code_of("p", 7, v[1], parse_code("1 2:y", v[1]));
        c[2] = code_of("q", 7, v[1], parse_code("1 2:y", v[1]));
        c[3] = code_of("y", 8, v[2], parse_code("1", v[2]));
        T_EQ(csspgo_matcher_module(m, p, c, 4, NULL, NULL), CSSPGO_OK);
        T_EQ(csspgo_matcher_apply(m, p, q, NULL, NULL), CSSPGO_OK);
        T_CHECK(csspgo_is_listed(q, csspgo_func_find(q, "p", 1)) && csspgo_is_listed(q, csspgo_func_find(q, "q", 1)));
        T_CHECK(!csspgo_is_listed(q, csspgo_func_find(q, "main", 4)));
        T_EQ(csspgo_first_sample(q, csspgo_func_find(q, "main", 4)), 77);
        T_EQ(csspgo_first_sample(q, csspgo_func_find(q, "p", 1)), 88);      /* of the function that both share */
        T_EQ(csspgo_first_sample(q, csspgo_func_find(q, "q", 1)), 88);
        T_EQ(csspgo_total(q, csspgo_find(q, "main:2 @ p")), 100);
        T_EQ(csspgo_total(q, csspgo_find(q, "main:4 @ q")), 300);
        T_EQ(csspgo_total(q, csspgo_find(q, "main:4 @ q:2 @ y")), 270);
        T_EQ(csspgo_total(q, csspgo_find(q, "p")), 10);    /* a quarter of what has no caller */
        T_EQ(csspgo_total(q, csspgo_find(q, "q")), 30);
        T_EQ(csspgo_target_count(q, csspgo_find(q, "main"), csspgo_loc_at(2, 0), csspgo_func_find(q, "p", 1)), 10);
        T_EQ(csspgo_target_count(q, csspgo_find(q, "main"), csspgo_loc_at(4, 0), csspgo_func_find(q, "q", 1)), 30);
        T_EQ(csspgo_matcher_get_outcome(m, guid("q")).samples, 3 * csspgo_matcher_get_outcome(m, guid("p")).samples);
        csspgo_matcher_free(m);
        csspgo_profile_free(q);
    }
    csspgo_profile_free(p);
}

/*
 * A function that is only a frame of contexts has no record, so no checksum. Its calls tell whether it stays: one may
 * be to a function that called the next frame last, and left none itself.
 */
static void a_frame_without_a_record_is_not_stale(void)
{
    static const struct { const char *wrap; int stays; const char *now; } cases[] = {
        { "1 3:leaf", 1, NULL }, { "1 2 3:leaf 4:x 5", 1, NULL }, { "1 3:*", 1, NULL }, { "1 3:mid", 1, NULL },
        { "1 2:x 3:far", 1, NULL }, { "1 3:farther", 1, NULL }, { "1 3:farthest", 0, NULL }, { "1 3:other", 0, NULL },
        { "1 3:x", 0, NULL }, { "1 3", 0, NULL }, { "1 2:mid", 0, NULL }, { "1 3:loop", 0, NULL },
        { "1 2:leaf", 0, "main:2 @ wrap:2 @ leaf" }, { "1 2:x 4:leaf", 0, "main:2 @ wrap:4 @ leaf" }
    };
    static const char *const others[][2] = { { "leaf", "1" }, { "main", "1 2:wrap" }, { "mid", "1 2:x 3:leaf" },
        { "far", "1 2:mid" }, { "farther", "1 2:far" }, { "farthest", "1 2:farther" }, { "other", "1 2:x" },
        { "loop", "1 2:loop 3:loop 4:loop" } };
    static const char probes[] = "[main:2 @ wrap:3 @ leaf]:20:5\n 1: 20\n !CFGChecksum: 7\n"
                                 "[main]:9:1\n 1: 9\n !CFGChecksum: 7\n";
    static const char lines[] = "[main:2 @ wrap:3 @ leaf]:20:5\n 1: 20\n[main]:9:1\n 1: 9\n";
    csspgo_match_loc v[9][8];
    csspgo_match_code c[9];
    size_t i, k, form;
    for (k = 0; k < 8; k++) c[k + 1] = code_of(others[k][0], 7, v[k + 1], parse_code(others[k][1], v[k + 1]));
    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        for (form = 0; form < 2; form++) {
            csspgo_profile *p = csspgo_profile_new(NULL, NULL), *q = csspgo_profile_new(NULL, NULL);
            csspgo_matcher *m = matcher(0);
            const char *text = form == 0 ? probes : lines;
            T_EQ(csspgo_read(p, text, strlen(text), NULL), CSSPGO_OK);
            c[0] = code_of("wrap", 55, v[0], parse_code(cases[i].wrap, v[0]));
            T_EQ(csspgo_matcher_module(m, p, c, 9, NULL, NULL), CSSPGO_OK);
            T_EQ(csspgo_matcher_apply(m, p, q, NULL, NULL), CSSPGO_OK);
            T_CHECK(!cases[i].stays || csspgo_equal(p, q));
            T_EQ(csspgo_matcher_get_outcome(m, guid("wrap")).stale, form == 0 && !cases[i].stays);
            T_EQ(csspgo_matcher_get_outcome(m, guid("wrap")).mapped, !cases[i].stays);
            if (cases[i].now != NULL) T_EQ(csspgo_total(q, csspgo_find(q, cases[i].now)), 20);
            csspgo_matcher_free(m);
            csspgo_profile_free(q);
            csspgo_profile_free(p);
        }
}

/* A call with a high number: the tokens of f are as many whichever function was compared before it. */
static void tokens_do_not_depend_on_what_was_matched_before(void)
{
    static const unsigned lines[] = { 70, 90, 97, 120, 200, 250, 290, 300, 350, 390, 410, 2000 };
    static const char f_code[] = "1 2:part 3:a 4:b 5 6:c 7 8 9 10 11 12 13 14 15 16 17 18 19 20";
    csspgo_match_loc v[3][32];
    csspgo_match_code c[3];
    char text[400];
    size_t i, frames;
    c[0] = code_of("a", 7, v[0], parse_code("1", v[0]));
    c[1] = code_of("f", 55, v[1], parse_code(f_code, v[1]));
    c[2] = code_of("part", 99, v[2], parse_code("1 2:x 3:y 4", v[2]));
    for (i = 0; i < sizeof lines / sizeof *lines; i++)
        for (frames = 0; frames < 2; frames++) {
            csspgo_profile *p = csspgo_profile_new(NULL, NULL), *q = csspgo_profile_new(NULL, NULL);
            csspgo_matcher *m = matcher(0);
            sprintf(text, "[f:%u @ a]:20:5\n 1: 20\n !CFGChecksum: 7\n%s", lines[i],
                    frames ? "" : "[f]:9:1\n 1: 9\n !CFGChecksum: 7\n");
            T_EQ(csspgo_read(p, text, strlen(text), NULL), CSSPGO_OK);
            T_EQ(csspgo_matcher_module(m, p, c, 3, NULL, NULL), CSSPGO_OK);
            T_EQ(csspgo_matcher_apply(m, p, q, NULL, NULL), CSSPGO_OK);
            T_EQ(csspgo_matcher_get_outcome(m, guid("f")).stale, 1);
            csspgo_matcher_free(m);
            csspgo_profile_free(q);
            csspgo_profile_free(p);
        }
}

/* What cannot be inlined any more is a profile of its own: its function is in another module. Not by LLVM's rules. */
static void an_inlinee_of_another_module_loses_its_caller(void)
{
    static const char old[] = "f:30:1\n 1: 1\n 2: g:20\n  1: 7\n  2: h:13\n   1: 13\n   !CFGChecksum: 3\n"
                              "  !CFGChecksum: 2\n !CFGChecksum: 1\n";
    static const struct { uint64_t module[3]; int g_stays, h_stays; } v[] = {
        { { 0, 0, 0 }, 1, 1 }, { { 5, 5, 5 }, 1, 1 }, { { 5, 0, 6 }, 1, 1 }, { { 5, 6, 6 }, 0, 1 },
        { { 5, 5, 6 }, 1, 0 }, { { 5, 6, 5 }, 0, 0 } };
    csspgo_match_loc l[3][8];
    csspgo_match_code c[3];
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    size_t i, k, mode;
    T_EQ(csspgo_read(p, old, sizeof old - 1, NULL), CSSPGO_OK);
    c[0] = code_of("f", 1, l[0], parse_code("1 2:g", l[0]));
    c[1] = code_of("g", 2, l[1], parse_code("1 2:h", l[1]));
    c[2] = code_of("h", 3, l[2], parse_code("1", l[2]));
    for (mode = 0; mode < 4; mode++)
        for (i = 0; i < sizeof v / sizeof v[0]; i++) {
            const int g_stays = v[i].g_stays || mode != 0, h_stays = v[i].h_stays || mode != 0;
            csspgo_profile *q = csspgo_profile_new(NULL, NULL);
            csspgo_matcher *m = matcher(llvm_modes[mode]);
            csspgo_node g, h;
            for (k = 0; k < 3; k++) c[k].module = v[i].module[k];
            T_EQ(csspgo_matcher_module(m, p, c, 3, NULL, NULL), CSSPGO_OK);
            T_EQ(csspgo_matcher_apply(m, p, q, NULL, NULL), CSSPGO_OK);
            g = csspgo_find(q, "g");
            h = csspgo_find(q, "h");
            T_EQ(g.id != 0, !g_stays);
            T_EQ(h.id != 0, !h_stays);
            if (!g_stays) T_EQ(csspgo_head(q, g), 7);
            if (!h_stays) T_EQ(csspgo_body_count(q, h, csspgo_loc_at(1, 0)), 13);
            T_EQ(csspgo_total(q, csspgo_find(q, "f")), g_stays ? (h_stays ? 30 : 17) : 10);
            csspgo_matcher_free(m);
            csspgo_profile_free(q);
        }
    csspgo_profile_free(p);
}

/* What LLVM 19 does, seen with opt-19: a chain of renames is followed; an inlinee without descriptor ends a walk. */
static void llvm_19_follows_chains_and_stops_at_strangers(void)
{
    static const char chain[] = "top:30:1\n 1: 10\n 2: 10 e2:10\n 3: 10 b:10\n !CFGChecksum: 5\n"
        "b:80:1\n 1: 10\n 2: 10\n 3: 10\n 4: 10\n 5: 10\n 6: 10 c:10\n 8: 10 e2:10\n 12: 10 e3:10\n !CFGChecksum: 6\n"
        "c:80:1\n 1: 10\n 2: 10\n 3: 10\n 4: 10\n 5: 10\n 6: 10 e:10\n 8: 10 e2:10\n 12: 10 e3:10\n !CFGChecksum: 6\n";
    static const char stranger[] = "top:160:1\n 1: 10\n 2: mid:150\n  1: 50\n  2: g:100\n   1: 100\n"
        "   !CFGChecksum: 12345\n  !CFGChecksum: 777\n !CFGChecksum: 5\n";
    csspgo_match_loc v[3][16];
    csspgo_match_code c[3];
    csspgo_match_options how;
    csspgo_match_report r;
    csspgo_profile *p = csspgo_profile_new(NULL, NULL), *q = csspgo_profile_new(NULL, NULL);
    csspgo_matcher *m;
    memset(&how, 0, sizeof how);
    how.llvm = 19;
    how.rename = 1;
    m = csspgo_matcher_new(&how, NULL, NULL);
    T_EQ(csspgo_read(p, chain, sizeof chain - 1, NULL), CSSPGO_OK);
    T_EQ(csspgo_read(q, stranger, sizeof stranger - 1, NULL), CSSPGO_OK);
    c[0] = code_of("top", 7, v[0], parse_code("1 2 3:e 4 5:e2 6:nb", v[0]));
    c[1] = code_of("nb", 6, v[1], parse_code("1 2 3 4 5 6:nc 7 8:e2 9 10 11 12:e3", v[1]));
    c[2] = code_of("nc", 6, v[2], parse_code("1 2 3 4 5 6:e 7 8:e2 9 10 11 12:e3", v[2]));
    T_EQ(csspgo_matcher_module(m, p, c, 3, &r, NULL), CSSPGO_OK);
    T_EQ(r.renamed_functions, 2);
    T_EQ(csspgo_matcher_profile_of(m, guid("nc")), guid("c"));
    c[0] = code_of("top", 5, v[0], parse_code("1 2:mid 3:g", v[0]));
    c[1] = code_of("g", 8, v[1], parse_code("1", v[1]));
    T_EQ(csspgo_matcher_module(m, q, c, 2, &r, NULL), CSSPGO_OK);
    T_EQ(r.stale_samples, 0);
    csspgo_matcher_free(m);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

/* Instances of one template, called in another order: each has what names and checksums say, none has the other's. */
static void instances_of_a_template_keep_their_own_profiles(void)
{
    static const char old[] = "main:30:1\n 1: 10\n 2: 10 _ZN2v14foldIiEEiT_:10\n 3: 10 _ZN2v14foldIhEEiT_:10\n"
        " !CFGChecksum: 1\n_ZN2v14foldIiEEiT_:1000:5\n 1: 1000\n !CFGChecksum: 7\n"
        "_ZN2v14foldIhEEiT_:10:5\n 1: 10\n !CFGChecksum: 8\n_ZN2v15parseEi:5:5\n 1: 5\n !CFGChecksum: 9\n";
    csspgo_match_loc v[8], one[1];
    csspgo_match_code c[5];
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_matcher *m = matcher(0);
    size_t i;
    parse_code("1", one);
    T_EQ(csspgo_read(p, old, sizeof old - 1, NULL), CSSPGO_OK);
    c[0] = code_of("main", 2, v, parse_code("1 2 3:_ZN2v24foldIhEEiT_ 4:_ZN2v24foldIiEEiT_", v));
    c[1] = code_of("_ZN2v24foldIhEEiT_", 10, one, 1);             /* checksums have changed too */
    c[2] = code_of("_ZN2v24foldIiEEiT_", 11, one, 1);
    c[3] = code_of("_ZN2v25parseEil", 9, one, 1);                 /* another function of that name */
    c[4] = code_of("_ZN2v25parseEi", 12, one, 1);
    T_EQ(csspgo_matcher_module(m, p, c, 5, NULL, NULL), CSSPGO_OK);
    for (i = 1; i < 5; i++) {
        char name[32];
        strcpy(name, c[i].name);
        name[5] = '1';
        T_EQ(csspgo_matcher_profile_of(m, guid(c[i].name)), guid(i == 3 ? c[i].name : name));
    }
    T_EQ(csspgo_matcher_locate(m, guid("main"), csspgo_loc_at(4, 0)).to.line, 2);
    T_EQ(csspgo_matcher_locate(m, guid("main"), csspgo_loc_at(4, 0)).how, CSSPGO_FOUND_RENAMED);
    T_CHECK(csspgo_matcher_locate(m, guid("main"), csspgo_loc_at(3, 0)).to.line != 2);
    csspgo_matcher_free(m);
    csspgo_profile_free(p);
}

/* f in the new program: a part of split_old is h now, or something else has happened. */
static const struct {
    const char *f, *h, *w;        /* code; w: a function that is also new */
    int         h_has_counts;
} splits[] = {
    { "1 2:h 3 4:c 5", "1 2 3:a 4 5:b 6", "1", 1 },
    { "1 2:w 3 4:c 5", "1 2 3:a 4 5:b 6", "1 2:h", 1 },             /* through a function that only calls h      */
    { "1 2:h 3:w 4 5:c 6", "1 2 3:a 4 5:b 6", "1 2:a", 1 },         /* w makes one of the calls, too few         */
    { "1 2:h 3 4:c 5", "1 2 3:a 4 5:b 6 7:x 8:x", "1", 1 },
    { "1 2:h 3 4:c 5", "1 2 3:a 4 5:b 6 7:x 8:x 9:x", "1", 0 },     /* most calls are others                     */
    { "1 2:h 3 4:c 5", "1 2 3:a 4 5:x 6", "1", 0 },                 /* one call is no evidence                   */
    { "1 2:h 3 4:c 5", "1 2 3:b 4 5:a 6", "1", 0 },                 /* another order                             */
    { "1 2 3:a 4 5:b 6:h 7:c 8", "1 2 3:a 4 5:b 6", "1", 0 },       /* f makes these calls itself                */
    { "1 2 3:a 4 5:h 6 7:c 8", "1 2 3:a 4 5:b 6", "1", 0 },         /* and one of them                           */
    { "1 2:h 3 4:c 5", "1 2 3 4 5 6", "1", 0 },
    { "1 2 4:c 5", "1 2 3:a 4 5:b 6", "1 2:h", 0 },                 /* f does not call it                        */
    { "1 2:h 3 4:c 5", "1 2 3:a 4:a 5:b 6:b", "1", 0 }              /* no callee is called once                  */
};

static const char split_old[] = "f:451:10\n 1: 10\n 2: 100\n 3: 100 a:100\n 4: 90\n 6: 10\n 7: 10 c:10\n 8: 10\n"
                                " 5: b:121\n  1: 91\n  2: 30\n  !CFGChecksum: 9\n !CFGChecksum: 1\n";

static void check_split(const csspgo_matcher *m, const csspgo_profile *q, uint64_t lost)
{
    static const uint64_t counts[] = { 10, 100, 100, 90, 0, 10 };
    const csspgo_node h = csspgo_find(q, "h"), b = csspgo_find(q, "h:5 @ b");
    uint32_t i;
    for (i = 0; i < 6; i++) T_EQ(csspgo_body_count(q, h, csspgo_loc_at(i + 1, 0)), counts[i]);
    T_EQ(csspgo_head(q, h), 10);
    T_EQ(csspgo_total(q, h), 310 + 121);
    T_EQ(csspgo_checksum(q, h), 3);
    T_CHECK(b.id != 0);
    T_EQ(csspgo_body_count(q, b, csspgo_loc_at(2, 0)), 30);
    T_EQ(csspgo_find(q, "b").id, 0);
    T_EQ(csspgo_find(q, "w").id, 0);
    T_EQ(lost, 0);
    T_EQ(csspgo_matcher_profile_of(m, guid("h")), guid("f"));
    T_EQ(csspgo_matcher_locate(m, guid("h"), csspgo_loc_at(3, 0)).how, CSSPGO_FOUND_CALL);
    T_EQ(csspgo_matcher_get_outcome(m, guid("h")).mapped, 1);
    T_EQ(csspgo_matcher_get_outcome(m, guid("h")).known, 0);
}

static void code_in_a_new_function_keeps_its_counts(void)
{
    csspgo_match_loc v[3][16];
    csspgo_match_code c[3];
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    size_t i, mode;
    T_EQ(csspgo_read(p, split_old, sizeof split_old - 1, NULL), CSSPGO_OK);
    for (mode = 0; mode < 4; mode++)
        for (i = 0; i < sizeof splits / sizeof splits[0]; i++) {
            const int has = splits[i].h_has_counts && mode == 0;
            csspgo_profile *q = csspgo_profile_new(NULL, NULL);
            csspgo_matcher *m = matcher(llvm_modes[mode]);
            csspgo_match_report r;
            uint64_t lost = 0;
            c[0] = code_of("h", 3, v[0], parse_code(splits[i].h, v[0]));
            c[1] = code_of("f", 2, v[1], parse_code(splits[i].f, v[1]));
            c[2] = code_of("w", 4, v[2], parse_code(splits[i].w, v[2]));
            T_EQ(csspgo_matcher_module(m, p, c, 3, &r, NULL), CSSPGO_OK);
            T_EQ(csspgo_matcher_apply(m, p, q, &lost, NULL), CSSPGO_OK);
            T_EQ(r.split_functions, has);
            T_EQ(csspgo_find(q, "h").id != 0, has);
            if (has) check_split(m, q, lost);
            csspgo_matcher_free(m);
            csspgo_profile_free(q);
        }
    csspgo_profile_free(p);
}

/* Sets the classes of n locations: a digit for each. */
static void set_classes(csspgo_match_loc *v, const char *classes)
{
    for (; *classes != '\0'; classes++, v++) v->eq = *classes == '.' ? 0 : (uint32_t)(*classes - '0');
}

/* A loop of f, in which nothing is called, is in the new h. */
static void a_moved_loop_without_calls_is_known_by_its_counts(void)
{
    static const char old[] = "f:1:10\n 1: 1000\n 2: 9000\n 3: 8000\n 4: 2000\n 5: 8100\n 6: 6000\n 7: 7900\n 8: 3000\n"
                              " 9: 8050\n 10: 500\n 11: 8020\n 12: 1010\n 13: 1000 c:1000\n !CFGChecksum: 1\n";
    static const struct { const char *h, *classes; int has; } code[] = {
        { "1 2 3 4 5 6 7 8 9 10 11 12", "123435363731", 1 },      /* 3, 5, 7, 9 and 11 run equally often */
        { "1 2 3 4 5 6 7 8 9 10 11 12", "123456789..1", 0 },      /* nothing tells */
        { "1 2 3 4 5 6 7 8 9 10 11 12", "123345363731", 0 },      /* 3 and 4 would, and did not */
        { "1 2 3 4 5 6 7 8:x 9 10 11 12", "1234353.3731", 0 }     /* a call that f did not make */
    };
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_match_loc v[2][16];
    csspgo_match_code c[2];
    size_t i;
    T_EQ(csspgo_read(p, old, sizeof old - 1, NULL), CSSPGO_OK);
    for (i = 0; i < sizeof code / sizeof code[0]; i++) {
        csspgo_profile *q = csspgo_profile_new(NULL, NULL);
        csspgo_matcher *m = matcher(0);
        csspgo_match_report r;
        c[0] = code_of("h", 3, v[0], parse_code(code[i].h, v[0]));
        set_classes(v[0], code[i].classes);
        c[1] = code_of("f", 2, v[1], parse_code("1 2:h 3:c", v[1]));
        T_EQ(csspgo_matcher_module(m, p, c, 2, &r, NULL), CSSPGO_OK);
        T_EQ(csspgo_matcher_apply(m, p, q, NULL, NULL), CSSPGO_OK);
        T_EQ(r.split_functions, code[i].has);
        T_EQ(csspgo_body_count(q, csspgo_find(q, "h"), csspgo_loc_at(2, 0)), code[i].has ? 9000 : 0);
        T_EQ(csspgo_body_count(q, csspgo_find(q, "h"), csspgo_loc_at(6, 0)), code[i].has ? 6000 : 0);
        if (code[i].has) T_EQ(csspgo_matcher_get_outcome(m, guid("f")).lost_samples, 0);
        csspgo_matcher_free(m);
        csspgo_profile_free(q);
    }
    csspgo_profile_free(p);
}

/* All of f is in h, and f calls it, where the profile has a call of a small helper that is gone. */
static void a_body_behind_a_wrapper_is_no_small_helper(void)
{
    static const char old[] = "f:1:10\n 1: 10\n 2: 900\n 3: 800 a:800\n 4: 200\n 5: 810\n 6: 600\n 7: 10 help:10\n"
                              " !CFGChecksum: 1\nhelp:20:10\n 1: 10\n 2: 10\n !CFGChecksum: 5\n";
    csspgo_profile *p = csspgo_profile_new(NULL, NULL), *q = csspgo_profile_new(NULL, NULL);
    csspgo_matcher *m = matcher(0);
    csspgo_match_loc v[2][40];
    csspgo_match_code c[2];
    T_EQ(csspgo_read(p, old, sizeof old - 1, NULL), CSSPGO_OK);
    c[0] = code_of("h", 1, v[0], parse_code("1 2 3:a 4 5 6 7", v[0]));        /* the checksum that f had */
    c[1] = code_of("f", 2, v[1], parse_code("1 2:h", v[1]));
    T_EQ(csspgo_matcher_module(m, p, c, 2, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_matcher_profile_of(m, guid("h")), guid("f"));
    T_EQ(csspgo_matcher_apply(m, p, q, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_body_count(q, csspgo_find(q, "h"), csspgo_loc_at(2, 0)), 900);
    T_EQ(csspgo_body_count(q, csspgo_find(q, "f"), csspgo_loc_at(1, 0)), 10);
    c[0] = code_of("h", 3, v[0], parse_code("1 2:u 3 4:v 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19", v[0]));
    T_EQ(csspgo_matcher_module(m, p, c, 2, NULL, NULL), CSSPGO_OK);           /* no proof, but no name, either */
    T_EQ(csspgo_matcher_profile_of(m, guid("h")), guid("h"));
    c[0] = code_of("h", 3, v[0], parse_code("1 2 3", v[0]));                  /* that may be the helper */
    T_EQ(csspgo_matcher_module(m, p, c, 2, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_matcher_profile_of(m, guid("h")), guid("help"));
    csspgo_matcher_free(m);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

/* Where blocks that always run equally often get counts that differ, the matcher says so. */
static void counts_that_contradict_each_other_are_told(void)
{
    static const char old[] = "f:1:10\n 1: 10\n 2: 900\n 3: 800 a:800\n 4: 20\n 5: 700\n !CFGChecksum: 1\n";
    static const struct { const char *classes; unsigned under; int hurts; } code[] = {
        { "12.34", 0, 0 }, { "12.32", 0, 1 },         /* 900, 20, 700 */
        { "12.34", 3, 1 }, { "12.34", 2, 0 }          /* 700 under 20; 700 under 900 */
    };
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    size_t i;
    T_EQ(csspgo_read(p, old, sizeof old - 1, NULL), CSSPGO_OK);
    for (i = 0; i < sizeof code / sizeof code[0]; i++) {
        csspgo_matcher *m = matcher(0);
        csspgo_match_loc v[16];
        csspgo_match_code c = code_of("f", 2, v, parse_code("1 2 3:a 4 5", v));
        csspgo_match_outcome about;
        set_classes(v, code[i].classes);
        if (i == 1) v[3].eq = v[1].eq;
        v[4].under = code[i].under;
        T_EQ(csspgo_matcher_module(m, p, &c, 1, NULL, NULL), CSSPGO_OK);
        about = csspgo_matcher_get_outcome(m, guid("f"));
        T_EQ(about.hurts, code[i].hurts);
        T_CHECK(code[i].hurts ? about.contradiction > 20 && about.contradiction <= 100 : about.contradiction == 0);
        csspgo_matcher_free(m);
    }
    csspgo_profile_free(p);
}

/*
 * f calls r in a loop, and again, after cold code, if that fails, which never happened: the second call has no trace in
 * the profile. Blocks before the first one are gone, so that the second one is as far from the loop's begin as the
 * first one was. But then hot blocks would stand behind one that never ran.
 */
static void a_call_that_never_ran_is_not_taken_for_the_one_that_did(void)
{
    static const char old[] = "f:1:10\n 1: 100\n 2: 5100\n 3: 5000\n 4: 0\n 5: 0\n 6: 5000\n 7: 5000\n 8: 5000\n"
                              " 9: 50\n 10: 50 r:50\n 11: 0\n 12: 0\n 13: 0\n 15: 5000\n 16: 100\n !CFGChecksum: 1\n";
    static const char under[] = "..23.4567.2.";
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    uint32_t with;
    T_EQ(csspgo_read(p, old, sizeof old - 1, NULL), CSSPGO_OK);
    for (with = 0; with < 2; with++) {
        csspgo_matcher *m = matcher(0);
        csspgo_match_loc v[16];
        csspgo_match_code c = code_of("f", 2, v, parse_code("1 2 3 4 5:r 6 7 8 9 10:r 11 12", v));
        size_t i;
        set_classes(v, "1234.5678.31");
        for (i = 0; under[i] != '\0' && with; i++) v[i].under = under[i] == '.' ? 0 : (uint32_t)(under[i] - '0');
        T_EQ(csspgo_matcher_module(m, p, &c, 1, NULL, NULL), CSSPGO_OK);
        T_EQ(csspgo_matcher_locate(m, guid("f"), csspgo_loc_at(with ? 5 : 10, 0)).how, CSSPGO_FOUND_CALL);
        T_EQ(csspgo_matcher_locate(m, guid("f"), csspgo_loc_at(with ? 10 : 5, 0)).how, CSSPGO_FOUND_UNKNOWN);
        csspgo_matcher_free(m);
    }
    csspgo_profile_free(p);
}

/* Functions renamed in a chain, found by what they call; nobody gets what another one has. */
static void a_profile_is_one_function_s(void)
{
    uint32_t state = 7;
    unsigned round, found = 0, all = 0;
    for (round = 0; round < 200; round++) {
        enum { FUNCS = 12, CALLS = 8 };
        static csspgo_match_loc v[FUNCS][CALLS + 6];
        csspgo_match_code c[FUNCS];
        char name[FUNCS][8], text[4000], *t = text;
        csspgo_profile *p = csspgo_profile_new(NULL, NULL);
        csspgo_matcher *m = matcher(0);
        unsigned i, k, j;
        for (i = 0; i < FUNCS; i++) {
            char code[300], *s = code;
            const int renamed = next_random(&state) % 2 != 0;
            all += renamed != 0;
            sprintf(name[i], "%c%u", renamed ? 'n' : 'f', i);
            t += sprintf(t, "f%u:100:1\n", i);
            for (k = 1; k <= 5; k++) {
                t += sprintf(t, " %u: 5\n", k);
                s += sprintf(s, " %u", k);
            }
            for (; k <= 5 + CALLS; k++) {
                const unsigned callee = next_random(&state) % 20;
                const int inner = callee < i;         /* of those before it */
                t += sprintf(t, " %u: 5 %s%u:5\n", k, inner ? "f" : "lib", callee);
                s += sprintf(s, " %u:%s%u", k, inner ? "" : "lib", callee);
                if (inner) s += sprintf(s - (callee > 9 ? 2 : 1), "%s", name[callee]) - (callee > 9 ? 2 : 1);
            }
            t += sprintf(t, " !CFGChecksum: %u\n", i % 3 + 1);
            c[i] = code_of(name[i], 50 + i, v[i], parse_code(code, v[i]));
        }
        T_EQ(csspgo_read(p, text, (size_t)(t - text), NULL), CSSPGO_OK);
        T_EQ(csspgo_matcher_module(m, p, c, FUNCS, NULL, NULL), CSSPGO_OK);
        for (i = 0; i < FUNCS; i++) {
            char old[8];
            sprintf(old, "f%u", i);
            if (name[i][0] == 'f') T_EQ(csspgo_matcher_profile_of(m, guid(name[i])), guid(name[i]));
            else found += csspgo_matcher_profile_of(m, guid(name[i])) == guid(old);
            for (j = 0; j < i; j++)
                T_CHECK(csspgo_matcher_profile_of(m, guid(name[i])) != csspgo_matcher_profile_of(m, guid(name[j])));
        }
        csspgo_matcher_free(m);
        csspgo_profile_free(p);
    }
    T_CHECK(100 * found >= 95 * all);
}

/* Every callee of a large function has a new name: memory is that of the calls, not of the pairs of names. */
static void many_renames_take_little_memory(void)
{
    enum { N = 2000 };
    csspgo_match_loc *v = (csspgo_match_loc *)malloc(N * sizeof *v);
    csspgo_match_code *c = (csspgo_match_code *)calloc(N + 1, sizeof *c);
    char (*name)[16] = (char (*)[16])malloc(N * sizeof *name), old[16];
    t_heap h;
    csspgo_options o = t_options(&h, 0);
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_matcher *m = csspgo_matcher_new(NULL, &o, NULL);
    const csspgo_func f = csspgo_func_add(p, "main", 4);
    const csspgo_node n = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN, f);
    uint32_t i;
    csspgo_profile_set_flags(p, CSSPGO_IS_PROBE);
    T_EQ(csspgo_set_checksum(p, n, 1), CSSPGO_OK);
    c[0] = code_of("main", 2, v, N);
    for (i = 0; i < N; i++) {
        const csspgo_func g = csspgo_func_add(p, old, (size_t)sprintf(old, "old%u", (unsigned)i));
        T_EQ(csspgo_add_body(p, n, csspgo_loc_at(i + 1, 0), 5), CSSPGO_OK);
        T_EQ(csspgo_add_target(p, n, csspgo_loc_at(i + 1, 0), g, 5), CSSPGO_OK);
        T_EQ(csspgo_add_body(p, csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN, g),
                             csspgo_loc_at(1, 0), 5), CSSPGO_OK);
        memset(&v[i], 0, sizeof v[i]);
        v[i].loc = csspgo_loc_at(i + 1, 0);
        v[i].kind = CSSPGO_MATCH_CALL;
        sprintf(name[i], "new%u", (unsigned)i);
        v[i].callee = guid(name[i]);
        c[i + 1] = code_of(name[i], 1000 + i, NULL, 0);
    }
    T_EQ(csspgo_matcher_module(m, p, c, N + 1, NULL, NULL), CSSPGO_OK);
    T_CHECK(h.peak < (size_t)4 << 20);
    csspgo_matcher_free(m);
    csspgo_profile_free(p);
    free(name);
    free(c);
    free(v);
}

static void limits_and_losses_are_told(void)
{
    csspgo_match_options how;
    csspgo_match_report r;
    csspgo_match_loc v[8];
    csspgo_match_code c = code_of("f", 2, v, parse_code("1 2:a 3 4:b 5", v));
    csspgo_profile *p = parse_profile(NULL, "f", "1 2:a 3:b 4"), *q = csspgo_profile_new(NULL, NULL);
    csspgo_matcher *m;
    uint64_t lost = 0;
    int mode;
    for (mode = 0; mode < 4; mode++) {                /* too many calls: every location where it was */
        memset(&how, 0, sizeof how);
        how.llvm = llvm_modes[mode];
        how.max_calls = 1;
        m = csspgo_matcher_new(&how, NULL, NULL);
        T_EQ(csspgo_matcher_module(m, p, &c, 1, NULL, NULL), CSSPGO_OK);
        T_EQ(at(m, 4).how, CSSPGO_FOUND_IDENTITY);
        csspgo_matcher_free(m);
    }
    v[3].loc = csspgo_loc_at(70000, 0);               /* b: where no profile can say so */
    m = matcher(0);
    T_EQ(csspgo_matcher_module(m, p, &c, 1, NULL, NULL), CSSPGO_OK);
    T_EQ(csspgo_matcher_apply(m, p, q, &lost, NULL), CSSPGO_OK);
    T_CHECK(lost >= 1003);
    csspgo_matcher_free(m);
    m = matcher(22);              /* an indirect call fits what was called there, always */
    c = code_of("f", 2, v, parse_code("1 2:* 3:b 4", v));
    T_EQ(csspgo_matcher_module(m, p, &c, 1, &r, NULL), CSSPGO_OK);
    T_EQ(r.mismatched_callsites + r.recovered_callsites, 0);
    csspgo_matcher_free(m);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
}

static void similarity_is_strict(void)
{
    static const struct { const char *code; int in_19, in_main; } v[] = {
        { "1:a 2:b 3:c 4:d 5:e", 1, 1 }, { "1:a 2:b 3:c 4:d 5:e 6:x", 1, 1 }, { "1:a 2:b 3:c 4:d 5:e 6:x 7:y", 1, 1 },
        { "1:a 2:b 3:c 4:d 5:e 6:x 7:y 8:z", 0, 1 }, { "1:a 2:b 3:c 4:d", 1, 0 }, { "1:a 2:b 3:c", 0, 0 },
        { "1:a 2:b 3:c 4:d 5:zz", 0, 0 }, { "1:e 2:d 3:c 4:b 5:a", 0, 0 } };
    size_t i;
    int is_main;
    for (i = 0; i < sizeof v / sizeof v[0]; i++)
        for (is_main = 0; is_main < 2; is_main++) {
            csspgo_match_loc top[8], in[16];
            csspgo_match_options how;
            csspgo_match_code c[2];
            csspgo_matcher *m;
            csspgo_profile *p = parse_profile(NULL, "was", "1:a 2:b 3:c 4:d 5:e");
            csspgo_node n = csspgo_node_add(p, csspgo_root(p), csspgo_loc_at(0, 0), CSSPGO_PLAIN,
                                            csspgo_func_add(p, "top", 3));
            T_EQ(csspgo_add_target(p, n, csspgo_loc_at(2, 0), csspgo_func_find(p, "was", 3), 9), CSSPGO_OK);
            memset(&how, 0, sizeof how);
            how.llvm = is_main ? 22 : 19;
            how.rename = 1;
            m = csspgo_matcher_new(&how, NULL, NULL);
            c[0] = code_of("top", 2, top, parse_code("1 2 3:is", top));
            c[1] = code_of("is", 2, in, parse_code(v[i].code, in));
            c[1].blocks = 5;
            T_EQ(csspgo_matcher_module(m, p, c, 2, NULL, NULL), CSSPGO_OK);
            T_EQ(csspgo_matcher_profile_of(m, guid("is")) == guid("was"), is_main ? v[i].in_main : v[i].in_19);
            csspgo_matcher_free(m);
            csspgo_profile_free(p);
        }
}

/*
 * Two functions that are alike only if what they call is: comparing them starts no other comparison, but uses the result
 * of an earlier one, and later ones start as before.
 */
static void comparisons_do_not_nest(void)
{
    static const char *const calls[] = { "2:was 3:old", "2:old 3:was" }, *const code[] = { "1 4:is 5:fresh", "1 4:fresh 5:is" };
    int first, is_main;
    for (first = 0; first < 2; first++)
        for (is_main = 0; is_main < 2; is_main++) {
            csspgo_match_loc top[8], in[8], under[8];
            csspgo_match_options how;
            csspgo_match_code c[3];
            csspgo_matcher *m;
            csspgo_profile *p = parse_profile(NULL, "top", calls[first]);
            csspgo_profile *q = parse_profile(NULL, "was", "1:a 2:b 3:c 4:d 5:old");
            csspgo_profile *r = parse_profile(NULL, "old", "1:a 2:b 3:c 4:d 5:e");
            T_EQ(csspgo_add_profile(p, q, NULL), CSSPGO_OK);
            T_EQ(csspgo_add_profile(p, r, NULL), CSSPGO_OK);
            memset(&how, 0, sizeof how);
            how.llvm = is_main ? 22 : 19;
            how.rename = 1;
            m = csspgo_matcher_new(&how, NULL, NULL);
            c[0] = code_of("top", 2, top, parse_code(code[first], top));
            c[1] = code_of("is", 3, in, parse_code("1:a 2:b 3:c 4:d 5:fresh", in));
            c[2] = code_of("fresh", 4, under, parse_code("1:a 2:b 3:c 4:d 5:e", under));
            c[1].blocks = c[2].blocks = 5;
            T_EQ(csspgo_matcher_module(m, p, c, 3, NULL, NULL), CSSPGO_OK);
            T_EQ(csspgo_matcher_profile_of(m, guid("is")) == guid("was"), first == 1);
            T_CHECK(csspgo_matcher_profile_of(m, guid("fresh")) == guid("old"));
            csspgo_matcher_free(m);
            csspgo_profile_free(p);
            csspgo_profile_free(q);
            csspgo_profile_free(r);
        }
}

static void bad_arguments_are_refused(void)
{
    csspgo_match_loc v[4];
    csspgo_match_code c[2];
    csspgo_match_report r;
    csspgo_error e;
    csspgo_profile *p = parse_profile(NULL, "f", "1 2:a");
    csspgo_matcher *m = matcher(0);
    c[0] = c[1] = code_of("f", 2, v, parse_code("1 2 3:a", v));
    T_EQ(csspgo_matcher_module(m, p, c, 2, &r, &e), CSSPGO_E_ARGUMENT);
    T_EQ(e.status, CSSPGO_E_ARGUMENT);
    T_EQ(csspgo_matcher_locate(m, guid("f"), csspgo_loc_at(3, 0)).how, CSSPGO_FOUND_IDENTITY);
    T_EQ(csspgo_matcher_module(m, p, c, 1, &r, &e), CSSPGO_OK);
    T_EQ(csspgo_matcher_locate(m, guid("f"), csspgo_loc_at(3, 0)).to.line, 2);
    T_EQ(csspgo_matcher_module(m, p, NULL, 0, &r, &e), CSSPGO_OK);
    T_EQ(r.functions, 0);
    csspgo_matcher_free(m);
    csspgo_profile_free(p);
}

static void every_allocation_may_fail_among_renames(void)
{
    csspgo_match_loc v[8];
    const csspgo_match_code c = code_of("f", 2, v, parse_code("1 2:n 3 4 5:n 6", v));
    csspgo_profile *p = parse_profile(NULL, "f", "1 2:x 3 4:x 5");
    long nth, done = 0;
    for (nth = 1; !done; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_matcher *m = csspgo_matcher_new(NULL, &o, NULL);
        if (m != NULL) {
            const csspgo_status s = csspgo_matcher_module(m, p, &c, 1, NULL, NULL);
            T_CHECK(s == CSSPGO_OK || s == CSSPGO_E_NOMEM);
            done = s == CSSPGO_OK;
            T_EQ(at(m, 5).how, done ? CSSPGO_FOUND_RENAMED : CSSPGO_FOUND_IDENTITY);
        }
        csspgo_matcher_free(m);
        T_EQ(h.live, 0);
    }
    T_LONG(nth > 5);
    csspgo_profile_free(p);
}

/* Whatever fails while a function is split off, nothing is left over. */
static void every_allocation_may_fail_while_a_function_is_split(void)
{
    csspgo_match_loc v[2][16];
    csspgo_match_code c[2];
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    long nth, done = 0;
    T_EQ(csspgo_read(p, split_old, sizeof split_old - 1, NULL), CSSPGO_OK);
    c[0] = code_of("h", 3, v[0], parse_code(splits[0].h, v[0]));
    c[1] = code_of("f", 2, v[1], parse_code(splits[0].f, v[1]));
    for (nth = 1; !done; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_matcher *m = csspgo_matcher_new(NULL, &o, NULL);
        csspgo_profile *q = csspgo_profile_new(&o, NULL);
        csspgo_status s = m != NULL && q != NULL ? csspgo_matcher_module(m, p, c, 2, NULL, NULL) : CSSPGO_E_NOMEM;
        if (s == CSSPGO_OK) s = csspgo_matcher_apply(m, p, q, NULL, NULL);
        T_CHECK(s == CSSPGO_OK || s == CSSPGO_E_NOMEM);
        done = s == CSSPGO_OK;
        T_EQ(q != NULL ? csspgo_head(q, csspgo_find(q, "h")) : 0, done ? 10 : 0);
        csspgo_matcher_free(m);
        csspgo_profile_free(q);
        T_EQ(h.live, 0);
    }
    T_LONG(nth > 50);
    csspgo_profile_free(p);
}

static void every_allocation_may_fail_while_a_profile_is_shared_out(void)
{
    csspgo_match_loc v[3][8];
    csspgo_match_code c[4];
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    long nth, done = 0;
    T_EQ(csspgo_read(p, shared_old, sizeof shared_old - 1, NULL), CSSPGO_OK);
    c[0] = code_of("main", 2, v[0], parse_code("1 2:p 3:x 4:q 5", v[0]));
    c[1] = code_of("p", 7, v[1], parse_code("1 2:y", v[1]));
    c[2] = code_of("q", 7, v[1], parse_code("1 2:y", v[1]));
    c[3] = code_of("y", 8, v[2], parse_code("1", v[2]));
    for (nth = 1; !done; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_matcher *m = csspgo_matcher_new(NULL, &o, NULL);
        csspgo_profile *q = csspgo_profile_new(&o, NULL);
        csspgo_status s = m != NULL && q != NULL ? csspgo_matcher_module(m, p, c, 4, NULL, NULL) : CSSPGO_E_NOMEM;
        if (s == CSSPGO_OK) s = csspgo_matcher_apply(m, p, q, NULL, NULL);
        T_CHECK(s == CSSPGO_OK || s == CSSPGO_E_NOMEM);
        done = s == CSSPGO_OK;
        T_EQ(q != NULL ? csspgo_total(q, csspgo_find(q, "main:4 @ q")) : 0, done ? 300 : 0);
        csspgo_matcher_free(m);
        csspgo_profile_free(q);
        T_EQ(h.live, 0);
    }
    T_LONG(nth > 50);
    csspgo_profile_free(p);
}

static void every_allocation_may_fail(void)
{
    size_t mode;
    for (mode = 0; mode < 4; mode++) {
        unit u;
        long nth, done = 0;
        csspgo_profile *p = read_case("renameinl.prof"), *none = csspgo_profile_new(NULL, NULL);
        read_unit("renameinl_v2.c", &u);
        for (nth = 1; !done; nth++) {
            t_heap h, g;
            const csspgo_options o = t_options(&h, nth), k = t_options(&g, 0);
            csspgo_match_options how;
            csspgo_match_report r;
            csspgo_matcher *m;
            memset(&how, 0, sizeof how);
            how.llvm = llvm_modes[mode];
            how.rename = 1;
            m = csspgo_matcher_new(&how, &o, NULL);
            if (m != NULL) {
                const csspgo_status s = csspgo_matcher_module(m, p, u.code, u.codes, &r, NULL);
                T_CHECK(s == CSSPGO_OK || s == CSSPGO_E_NOMEM);
                done = s == CSSPGO_OK;
            }
            if (done) {
                long step, applied = 0;
                for (step = 1; !applied; step++) {
                    csspgo_profile *q = csspgo_profile_new(&k, NULL);
                    csspgo_status s;
                    g.nth = g.calls + step;
                    s = csspgo_matcher_apply(m, p, q, NULL, NULL);
                    g.nth = 0;
                    T_CHECK(s == CSSPGO_OK || (s == CSSPGO_E_NOMEM && csspgo_equal(q, none)));
                    applied = s == CSSPGO_OK;
                    csspgo_profile_free(q);
                }
                T_EQ(g.live, 0);
            }
            csspgo_matcher_free(m);
            T_EQ(h.live, 0);
        }
        T_LONG(nth > 5);
        csspgo_profile_free(none);
        csspgo_profile_free(p);
    }
}

/* ----- the new code as a code map ----- */

static csspgo_code_function function_at(uint64_t begin, uint64_t end, const char *name, uint64_t checksum)
{
    csspgo_code_function f = make_function(begin, end, name);
    f.checksum = checksum;
    return f;
}

static csspgo_probe probe_at(uint64_t address, uint32_t id, uint32_t kind, uint32_t node)
{
    csspgo_probe p;
    memset(&p, 0, sizeof p);
    p.address = address;
    p.id = id;
    p.kind = (uint8_t)kind;
    p.inline_node = node;
    return p;
}

/*
 * A JIT's code. f: block 1, a call of a (3), block 4 behind a branch around it, inlined b at 5 with its block 1, an
 * indirect call (6), block 8. A second copy of f, inlined into g, shows that 9 is a call of c, and that 3 calls d, too.
 */
static csspgo_code *code_map(const csspgo_options *o)
{
    enum { BLOCK = CSSPGO_PROBE_BLOCK, DIRECT = CSSPGO_PROBE_DIRECT_CALL, INDIRECT = CSSPGO_PROBE_INDIRECT_CALL };
    static const char *const callee[] = { "a", "c", "d" };
    csspgo_code *c = csspgo_code_new(o, NULL);
    csspgo_code_function f[2];
    csspgo_transfer t[9];
    csspgo_inline_node n[4];
    csspgo_probe p[12];
    int ok = c != NULL;
    size_t i;
    memset(n, 0, sizeof n);
    f[0] = function_at(0x1000, 0x1040, "f", 77);
    f[1] = function_at(0x2000, 0x2040, "g", 78);
    for (i = 0; i < 2; i++) ok = ok && csspgo_code_add_function(c, csspgo_no_module(), &f[i], NULL) == CSSPGO_OK;
    for (i = 0; i < 3; i++) {
        f[0] = function_at(0x3000 + 16 * i, 0x3010 + 16 * i, callee[i], 0);
        ok = ok && csspgo_code_add_function(c, csspgo_no_module(), &f[0], NULL) == CSSPGO_OK;
    }
    t[0] = make_transfer(0x1008, 1, CSSPGO_CALL, 0x3000);
    t[1] = make_transfer(0x1010, 1, CSSPGO_COND, 0x1018);
    t[2] = make_transfer(0x1024, 1, CSSPGO_CALL, 0);
    t[3] = make_transfer(0x103f, 1, CSSPGO_RET, 0);
    t[4] = make_transfer(0x2004, 1, CSSPGO_CALL, 0x3020);
    t[5] = make_transfer(0x2010, 1, CSSPGO_CALL, 0);
    t[6] = make_transfer(0x2010, 1, CSSPGO_CALL, 0x3010);  /* where the one before always goes */
    t[7] = make_transfer(0x2020, 1, CSSPGO_CALL, 0x3011);  /* not where a function begins */
    t[8] = make_transfer(0x203f, 1, CSSPGO_RET, 0);
    ok = ok && csspgo_code_add_transfers(c, csspgo_no_module(), t, 9, NULL) == CSSPGO_OK;
    n[0].guid = n[3].guid = guid("f");
    n[1].guid = guid("b");
    n[1].parent = 1;
    n[1].site = 5;
    n[2].guid = guid("g");
    n[3].parent = 3;
    n[3].site = 2;
    p[0] = probe_at(0x1000, 1, BLOCK, 1);
    p[1] = probe_at(0x1004, 3, DIRECT, 1);
    p[2] = probe_at(0x1011, 4, BLOCK, 1);
    p[3] = probe_at(0x1018, 1, BLOCK, 2);
    p[4] = probe_at(0x1024, 6, INDIRECT, 1);
    p[5] = probe_at(0x1030, 8, BLOCK, 1);
    p[6] = probe_at(0x2000, 1, BLOCK, 3);
    p[7] = probe_at(0x2001, 1, BLOCK, 4);
    p[8] = probe_at(0x2004, 3, DIRECT, 4);
    p[9] = probe_at(0x2010, 9, DIRECT, 4);
    p[10] = probe_at(0x2020, 3, DIRECT, 3);
    p[11] = probe_at(0x2021, 65536, BLOCK, 3);        /* no profile has it */
    ok = ok && csspgo_code_add_probes(c, csspgo_no_module(), n, 4, p, 12, NULL) == CSSPGO_OK;
    if (ok) return c;
    csspgo_code_free(c);
    return NULL;
}

static const csspgo_match_code *described(const csspgo_match_input *in, const char *name)
{
    size_t i, n;
    const csspgo_match_code *c = csspgo_match_input_functions(in, &n);
    for (i = 0; i < n; i++)
        if (c[i].guid == guid(name)) return &c[i];
    return NULL;
}

static void a_code_map_is_the_matcher_s_input(void)
{
    static const struct { csspgo_match_kind kind; const char *callee; } f_locs[9] = {
        { CSSPGO_MATCH_BLOCK, NULL }, { CSSPGO_MATCH_ANY, NULL }, { CSSPGO_MATCH_INDIRECT, NULL },
        { CSSPGO_MATCH_BLOCK, NULL }, { CSSPGO_MATCH_CALL, "b" }, { CSSPGO_MATCH_INDIRECT, NULL },
        { CSSPGO_MATCH_ANY, NULL },   { CSSPGO_MATCH_BLOCK, NULL }, { CSSPGO_MATCH_CALL, "c" }
    };
    csspgo_code *code = code_map(NULL);
    csspgo_error e;
    csspgo_match_input *in = csspgo_match_input_new(code, NULL, &e);
    const csspgo_match_code *f = described(in, "f"), *g = described(in, "g"), *b = described(in, "b");
    csspgo_profile *p;
    csspgo_matcher *m;
    size_t i;
    T_EQ(e.status, CSSPGO_OK);
    if (!T_CHECK(f != NULL && g != NULL && b != NULL && described(in, "a") == NULL)) return;
    T_EQ(f->name_size, 1);
    T_EQ(f->checksum, 77);
    T_EQ(f->flags, 0);
    T_EQ(b->flags, CSSPGO_MATCH_NO_CHECKSUM);
    if (!T_EQ(f->locs, 9) || !T_EQ(g->locs, 3) || !T_EQ(b->locs, 1)) return;
    for (i = 0; i < 9; i++) {
        T_EQ(f->loc[i].loc.line, i + 1);
        T_EQ(f->loc[i].kind, f_locs[i].kind);
        if (f_locs[i].callee != NULL) T_EQ(f->loc[i].callee, guid(f_locs[i].callee));
    }
    T_EQ(g->loc[1].callee, guid("f"));
    T_EQ(g->loc[2].kind, CSSPGO_MATCH_CALL);
    T_EQ(g->loc[2].callee, 0);
    T_EQ(f->loc[0].eq, f->loc[7].eq);                 /* block 4 is jumped over, the others are not */
    T_CHECK(f->loc[0].eq != 0 && f->loc[3].eq != f->loc[0].eq);
    T_EQ(f->loc[3].under, f->loc[0].eq);
    T_EQ(f->loc[0].under, 0);
    p = parse_profile(NULL, "f", "1 2 3:b 4:* 5 6:c");
    m = matcher(0);
    T_EQ(csspgo_matcher_module(m, p, f, 1, NULL, &e), CSSPGO_OK);
    T_EQ(csspgo_matcher_locate(m, guid("f"), csspgo_loc_at(5, 0)).to.line, 3);
    T_EQ(csspgo_matcher_locate(m, guid("f"), csspgo_loc_at(9, 0)).to.line, 6);
    csspgo_matcher_free(m);
    csspgo_profile_free(p);
    csspgo_match_input_free(in);
    T_EQ(csspgo_code_remove(code, 0x2000, 0x2040, NULL), CSSPGO_OK);      /* g goes, and what only its copy of f showed */
    in = csspgo_match_input_new(code, NULL, &e);
    f = described(in, "f");
    if (T_CHECK(f != NULL && described(in, "g") == NULL) && T_EQ(f->locs, 8)) {
        T_EQ(f->loc[2].kind, CSSPGO_MATCH_CALL);
        T_EQ(f->loc[2].callee, guid("a"));
    }
    csspgo_match_input_free(in);
    csspgo_code_free(code);
    in = csspgo_match_input_new(code = csspgo_code_new(NULL, NULL), NULL, NULL);
    csspgo_match_input_functions(in, &i);
    T_EQ(i, 0);
    T_CHECK(csspgo_match_input_cfgs(in, &i, &e) != NULL && i == 0 && e.status == CSSPGO_OK);
    csspgo_match_input_free(in);
    csspgo_match_input_free(NULL);
    csspgo_code_free(code);
}

/* main calls a local function of one module, work and head one of another. In main are head and (whole) that one. */
static csspgo_code *two_modules(int whole)
{
    static const char *const name[] = { "main", "work", "head", "_ZL1av.__uniq.11", "_ZL1bv.__uniq.22", "alone" };
    static const uint32_t call[][2] = { { 0x1008, 0x4000 }, { 0x1018, 0x5000 }, { 0x2008, 0x5000 } };
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    csspgo_transfer t[3];
    csspgo_inline_node n[4];
    csspgo_probe p[7];
    uint32_t i;
    memset(n, 0, sizeof n);
    for (i = 0; i < 6; i++) {
        const csspgo_code_function f = function_at(0x1000 * (i + 1), 0x1000 * (i + 1) + 0x40, name[i], 11 + i);
        T_EQ(csspgo_code_add_function(c, csspgo_no_module(), &f, NULL), CSSPGO_OK);
    }
    for (i = 0; i < 3; i++) t[i] = make_transfer(call[i][0], 1, CSSPGO_CALL, call[i][1]);
    T_EQ(csspgo_code_add_transfers(c, csspgo_no_module(), t, 3, NULL), CSSPGO_OK);
    for (i = 0; i < 4; i++) n[i].guid = guid(name[i < 3 ? i : 4]);
    n[2].parent = 1;
    n[2].site = 3;
    n[3].parent = whole ? 1 : 0;
    n[3].site = whole ? 4 : 0;
    p[0] = probe_at(0x1000, 1, CSSPGO_PROBE_BLOCK, 1);
    p[1] = probe_at(0x1008, 2, CSSPGO_PROBE_DIRECT_CALL, 1);
    p[2] = probe_at(0x1010, 1, CSSPGO_PROBE_BLOCK, 3);
    p[3] = probe_at(0x1018, 2, CSSPGO_PROBE_DIRECT_CALL, 3);
    p[4] = probe_at(0x2000, 1, CSSPGO_PROBE_BLOCK, 2);
    p[5] = probe_at(0x2008, 2, CSSPGO_PROBE_DIRECT_CALL, 2);
    p[6] = probe_at(whole ? 0x1020 : 0x5000, 1, CSSPGO_PROBE_BLOCK, 4);
    T_EQ(csspgo_code_add_probes(c, csspgo_no_module(), n, 4, p, 7, NULL), CSSPGO_OK);
    return c;
}

static void local_functions_tell_modules(void)
{
    csspgo_code *code = two_modules(0), *whole = two_modules(1);
    csspgo_match_input *in = csspgo_match_input_new(code, NULL, NULL);
    size_t i, n;
    const csspgo_match_code *f = described(in, "main"), *g = described(in, "work");
    T_CHECK(f->module != 0 && g->module != 0 && f->module != g->module);
    T_EQ(described(in, "_ZL1av.__uniq.11")->module, f->module);
    T_EQ(described(in, "_ZL1bv.__uniq.22")->module, g->module);
    T_EQ(described(in, "head")->module, 0);           /* a header's */
    T_EQ(described(in, "alone")->module, 0);
    csspgo_match_input_free(in);
    in = csspgo_match_input_new(whole, NULL, NULL);
    f = csspgo_match_input_functions(in, &n);
    for (i = 0; i < n; i++) T_EQ(f[i].module, 0);
    csspgo_match_input_free(in);
    csspgo_code_free(code);
    csspgo_code_free(whole);
}

/*
 * A JIT's code of h: probes 1 and 2 in one block, then either 3 or (a copy of) 3 and 4, then 5.
 *
 *     5000 1   5004 2   5008 COND -> 5018
 *     5009 3            5017 JMP  -> 5020
 *     5018 3   501c 4
 *     5020 5            502f RET
 *
 * The same at another base is another function. Returns 0 when memory is exhausted.
 */
static int forked_add(csspgo_code *c, uint64_t base, const char *name)
{
    const csspgo_code_function f = function_at(base, base + 0x30, name, 79);
    csspgo_transfer t[3];
    csspgo_inline_node n;
    csspgo_probe p[6];
    size_t i;
    static const uint32_t at[] = { 0, 4, 9, 0x18, 0x1c, 0x20 }, id[] = { 1, 2, 3, 3, 4, 5 };
    memset(&n, 0, sizeof n);
    n.guid = guid(name);
    for (i = 0; i < 6; i++) p[i] = probe_at(base + at[i], id[i], CSSPGO_PROBE_BLOCK, 1);
    t[0] = make_transfer(base + 8, 1, CSSPGO_COND, base + 0x18);
    t[1] = make_transfer(base + 0x17, 1, CSSPGO_JMP, base + 0x20);
    t[2] = make_transfer(base + 0x2f, 1, CSSPGO_RET, 0);
    return csspgo_code_add_function(c, csspgo_no_module(), &f, NULL) == CSSPGO_OK &&
           csspgo_code_add_transfers(c, csspgo_no_module(), t, 3, NULL) == CSSPGO_OK &&
           csspgo_code_add_probes(c, csspgo_no_module(), &n, 1, p, 6, NULL) == CSSPGO_OK;
}

static csspgo_code *forked_code(void)
{
    csspgo_code *c = csspgo_code_new(NULL, NULL);
    if (forked_add(c, 0x5000, "h")) return c;
    csspgo_code_free(c);
    return NULL;
}

/* line: of each block's location, ends with 99; edge: from, to of each, ends with 0, 0; the last block is the exit. */
static void check_cfg(const csspgo_match_cfg *f, const char *name, const uint32_t *line, const uint32_t (*edge)[2])
{
    size_t i, k;
    T_EQ(f->guid, guid(name));
    for (i = 0; line[i] != 99 && i < f->cfg.blocks; i++) {
        T_EQ(f->loc[i].line, line[i]);
        T_EQ(f->cfg.block[i].is_exit, i + 1 == f->cfg.blocks);
    }
    T_CHECK(i == f->cfg.blocks && line[i] == 99);
    for (i = 0; edge[i][1] != 0; i++) {
        for (k = 0; k < f->cfg.edges; k++)
            if (f->cfg.edge[k].from == edge[i][0] && f->cfg.edge[k].to == edge[i][1]) break;
        T_CHECK(k < f->cfg.edges);
    }
    T_EQ(f->cfg.edges, i);
}

static void a_code_map_gives_the_control_flow_of_functions(void)
{
    static const uint32_t f_lines[] = { 0, 0, 1, 4, 8, 99 }, h_lines[] = { 0, 0, 1, 2, 0, 0, 4, 5, 99 };
    static const uint32_t f_edges[][2] = { { 0, 1 }, { 0, 2 }, { 2, 3 }, { 2, 4 }, { 3, 4 }, { 0, 0 } };
    static const uint32_t h_edges[][2] = { { 0, 1 }, { 0, 2 }, { 2, 3 }, { 3, 4 }, { 3, 5 }, { 4, 7 }, { 5, 6 },
                                           { 6, 7 }, { 0, 0 } };
    static const char old[] = "h:1000:100\n 1: 10\n 2: 100\n 3: 77\n 4: 30\n 5: 100\n !CFGChecksum: 79\n";
    csspgo_code *code = code_map(NULL), *forked = forked_code();
    csspgo_error e;
    csspgo_match_input *in = csspgo_match_input_new(code, NULL, NULL);
    csspgo_profile *p = csspgo_profile_new(NULL, NULL), *q = csspgo_profile_new(NULL, NULL);
    csspgo_matcher *m = matcher(0);
    const csspgo_match_code *h;
    size_t n, unfit;
    const csspgo_match_cfg *f = csspgo_match_input_cfgs(in, &n, &e);
    T_EQ(e.status, CSSPGO_OK);
    if (T_EQ(n, 1)) check_cfg(f, "f", f_lines, f_edges);   /* nothing is known of g's jumps */
    T_CHECK(csspgo_match_input_cfgs(in, &n, &e) == f && n == 1);
    csspgo_match_input_free(in);
    in = csspgo_match_input_new(forked, NULL, NULL);
    h = csspgo_match_input_functions(in, &n);
    T_EQ(n, 1);
    f = csspgo_match_input_cfgs(in, &n, &e);
    if (T_EQ(n, 1)) check_cfg(f, "h", h_lines, h_edges);
    T_EQ(csspgo_read(p, old, sizeof old - 1, NULL), CSSPGO_OK);
    T_EQ(csspgo_matcher_module(m, p, h, 1, NULL, &e), CSSPGO_OK);
    T_EQ(csspgo_matcher_apply(m, p, q, NULL, &e), CSSPGO_OK);
    T_EQ(csspgo_matcher_complete(m, f, n, NULL, q, &unfit, &e), CSSPGO_OK);
    T_EQ(unfit, 0);
    T_EQ(csspgo_body_count(q, csspgo_find(q, "h"), csspgo_loc_at(1, 0)), 100);
    T_EQ(csspgo_body_count(q, csspgo_find(q, "h"), csspgo_loc_at(2, 0)), 100);
    T_EQ(csspgo_body_count(q, csspgo_find(q, "h"), csspgo_loc_at(3, 0)), 77); /* two blocks have it: left alone */
    T_EQ(csspgo_body_count(q, csspgo_find(q, "h"), csspgo_loc_at(4, 0)), 30);
    csspgo_match_input_free(in);
    T_CHECK(forked_add(forked, 0x6000, "k"));
    in = csspgo_match_input_new(forked, NULL, NULL);
    f = csspgo_match_input_cfgs(in, &n, &e);
    if (T_EQ(n, 2)) check_cfg(f, "h", h_lines, h_edges);
    if (n == 2) check_cfg(f + 1, "k", h_lines, h_edges);
    csspgo_match_input_free(in);
    csspgo_matcher_free(m);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    csspgo_code_free(code);
    csspgo_code_free(forked);
}

static void every_allocation_of_an_input_may_fail(void)
{
    csspgo_code *code = code_map(NULL);
    const csspgo_match_cfg *cfg = NULL;
    long nth;
    for (nth = 1;; nth++) {
        t_heap h;
        const csspgo_options o = t_options(&h, nth);
        csspgo_error e;
        csspgo_match_input *in = csspgo_match_input_new(code, &o, &e);
        size_t n;
        T_EQ(e.status, in != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM);
        if (in != NULL) {
            cfg = csspgo_match_input_cfgs(in, &n, &e);
            T_EQ(e.status, cfg != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM);
            T_EQ(n, cfg != NULL);
            T_CHECK(described(in, "f") != NULL);
            h.nth = 0;                                /* another try */
            T_CHECK(csspgo_match_input_cfgs(in, &n, &e) != NULL && n == 1);
        }
        csspgo_match_input_free(in);
        T_EQ(h.live, 0);
        if (cfg != NULL) break;
    }
    T_LONG(nth > 20);
    csspgo_code_free(code);
}

int main(void)
{
    reference_modes_agree_with_every_vector();
    reports_and_applied_counts_equal_opt_19s();
    unchanged_code_carries_the_profile_over_as_it_is();
    counts_call_sites_and_checksums_move_together();
    a_renamed_inlinee_is_found_and_named_anew();
    a_call_site_that_is_gone_leaves_its_callee_without_caller();
    guids_match_as_names_do();
    align_answers_are_in_order_and_of_the_right_kind();
    blocks_before_the_first_call_move_all_that_follows();
    long_sequences_equal_the_plain_algorithm();
    calls_of_lines_move_as_opt_19_moves_them();
    inlinees_move_with_their_calls();
    what_became_of_a_function_is_told();
    what_was_rewritten_loses_its_counts();
    the_entry_stays_the_entry();
    a_block_without_a_count_gets_that_of_its_class();
    new_blocks_are_as_hot_as_the_colder_of_their_neighbours();
    rewritten_code_gets_no_guesses();
    rewritten_code_with_a_new_name_keeps_its_entry_alone();
    blocks_keep_the_number_of_their_calls();
    a_callee_has_one_new_name();
    numbers_without_a_trace_take_what_lies_between();
    flow_completes_what_matching_leaves_unknown();
    a_matched_profile_can_be_made_to_fit_the_control_flow();
    contexts_share_one_budget();
    what_was_not_found_follows_in_every_context();
    T_FAILING(every_allocation_may_fail_while_counts_are_completed());
    base_names_are_what_is_left_of_mangled_ones();
    base_names_lie_within_any_name();
    names_nested_too_deep_have_no_base_name();
    a_moved_namespace_is_a_rename();
    of_two_with_one_base_name_the_checksum_tells();
    a_checksum_that_one_profile_has_tells_a_new_name();
    a_call_site_tells_a_new_name();
    where_a_function_is_called_tells_whose_profile_it_is();
    owners_are_found_by_line_in_recursion_and_among_overloads();
    contexts_of_a_shared_profile_go_with_their_calls();
    a_frame_without_a_record_is_not_stale();
    tokens_do_not_depend_on_what_was_matched_before();
    an_inlinee_of_another_module_loses_its_caller();
    llvm_19_follows_chains_and_stops_at_strangers();
    instances_of_a_template_keep_their_own_profiles();
    code_in_a_new_function_keeps_its_counts();
    a_moved_loop_without_calls_is_known_by_its_counts();
    a_body_behind_a_wrapper_is_no_small_helper();
    counts_that_contradict_each_other_are_told();
    a_call_that_never_ran_is_not_taken_for_the_one_that_did();
    a_profile_is_one_function_s();
    many_renames_take_little_memory();
    limits_and_losses_are_told();
    similarity_is_strict();
    comparisons_do_not_nest();
    bad_arguments_are_refused();
    a_code_map_is_the_matcher_s_input();
    local_functions_tell_modules();
    a_code_map_gives_the_control_flow_of_functions();
    T_FAILING(every_allocation_of_an_input_may_fail());
    T_FAILING(every_allocation_may_fail_among_renames());
    T_FAILING(every_allocation_may_fail_while_a_function_is_split());
    T_FAILING(every_allocation_may_fail_while_a_profile_is_shared_out());
    T_FAILING(every_allocation_may_fail());
    return t_end();
}
