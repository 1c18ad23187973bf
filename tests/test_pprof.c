/* test_pprof.c - profiles of pprof: mappings and samples, which value counts, callers, gzip, bad input */
#include "t.h"
#define CSSPGO_PPROF_IMPLEMENTATION
#include "../examples/share/pprof.h"
#include "table.h"
#include "out.h"

/* ----- messages ----- */

typedef struct message {
    unsigned char at[1 << 16];
    size_t        size;
} message;

static void put_uleb(message *m, uint64_t v)
{
    for (; v > 127; v >>= 7) m->at[m->size++] = (unsigned char)((v & 127) | 128);
    m->at[m->size++] = (unsigned char)v;
}

static void put_number(message *m, unsigned field, uint64_t v)
{
    put_uleb(m, field << 3);
    put_uleb(m, v);
}

static void put_bytes(message *m, unsigned field, const void *data, size_t size)
{
    put_uleb(m, field << 3 | 2);
    put_uleb(m, size);
    if (size != 0) memcpy(m->at + m->size, data, size);
    m->size += size;
}

static void put_text(message *m, const char *text)
{
    put_bytes(m, 6, text, strlen(text));
}

static void put_type(message *m, unsigned field, uint64_t type)
{
    message v;
    v.size = 0;
    put_number(&v, 1, type);
    put_number(&v, 2, 0);
    put_bytes(m, field, v.at, v.size);
}

static void put_mapping(message *m, uint64_t id, uint64_t begin, uint64_t end, uint64_t offset, uint64_t path)
{
    message v;
    v.size = 0;
    put_number(&v, 1, id);
    put_number(&v, 2, begin);
    put_number(&v, 3, end);
    put_number(&v, 4, offset);
    put_number(&v, 5, path);
    put_bytes(m, 3, v.at, v.size);
}

static void put_location(message *m, uint64_t id, uint64_t mapping, uint64_t address)
{
    message v;
    v.size = 0;
    put_number(&v, 1, id);
    put_number(&v, 2, mapping);
    put_number(&v, 3, address);
    put_bytes(m, 4, v.at, v.size);
}

/* A sample of two values and up to three locations, 0: none. */
static void put_sample(message *m, uint64_t a, uint64_t b, uint64_t c, uint64_t v, uint64_t w)
{
    message s;
    s.size = 0;
    if (a != 0) put_number(&s, 1, a);
    if (b != 0) put_number(&s, 1, b);
    if (c != 0) put_number(&s, 1, c);
    put_number(&s, 2, v);
    put_number(&s, 2, w);
    put_bytes(m, 2, s.at, s.size);
}

/* ----- reading ----- */

static csspgo_pprof *pprof_of(const csspgo_code *code, const char *type, const csspgo_options *options)
{
    csspgo_pprof_options how;
    memset(&how, 0, sizeof how);
    how.code = code;
    how.type = type;
    how.type_size = type != NULL ? strlen(type) : 0;
    return csspgo_pprof_new(&how, options, NULL);
}

/* Prints the items of a profile that is fed in pieces of a size; d is freed. */
static csspgo_error print_items(t_out *out, csspgo_pprof *d, const void *data, size_t size, size_t piece,
                                csspgo_pprof_stats *stats)
{
    csspgo_sample s;
    csspgo_mmap map;
    csspgo_item item;
    csspgo_error e;
    size_t at, n, i;
    memset(out, 0, sizeof *out);
    t_str(out, "");
    for (at = 0; at < size; at += n) {
        unsigned char *copy;
        n = size - at < piece ? size - at : piece;
        copy = t_copy((const char *)data + at, n);
        T_EQ(csspgo_pprof_feed(d, copy, n, NULL), CSSPGO_OK);
        free(copy);
        if (at == 0) T_EQ(csspgo_pprof_next(d, &s, &map, &e), CSSPGO_ITEM_NONE);
    }
    csspgo_pprof_end(d);
    T_EQ(csspgo_pprof_feed(d, "", 1, NULL), CSSPGO_E_ARGUMENT);
    while ((item = csspgo_pprof_next(d, &s, &map, &e)) != CSSPGO_ITEM_NONE) {
        if (item == CSSPGO_ITEM_MMAP) {
            t_num(out, "M ", map.address, 16);
            t_num(out, " ", map.size, 16);
            t_num(out, " ", map.file_offset, 16);
            t_str(out, " ");
            t_add(out, map.path, map.path_size);
            for (i = 0; i < map.build_id_size; i++) t_num(out, i == 0 ? " <" : ",", map.build_id[i], 16);
            T_CHECK(map.pid == 1 && map.executable);
        } else {
            T_EQ(item, CSSPGO_ITEM_SAMPLE);
            t_num(out, "S ", s.count, 10);
            for (i = 0; i < s.stack_count; i++) t_num(out, " ", s.stack[i], 16);
            T_CHECK(s.pid == 1 && s.tid == 1 && s.branch_count == 0);
        }
        t_str(out, "\n");
    }
    T_EQ(csspgo_pprof_next(d, &s, &map, NULL), CSSPGO_ITEM_NONE);
    if (stats != NULL) *stats = csspgo_pprof_get_stats(d);
    csspgo_pprof_free(d);
    return e;
}

static csspgo_error print_message(t_out *out, const message *m, const char *type, csspgo_pprof_stats *stats)
{
    return print_items(out, pprof_of(NULL, type, NULL), m->at, m->size, m->size, stats);
}

static void known_profiles_are_read(void)
{
    static const char want[] = "M 555555555000 1000 1000 /x/demo.pie <5,a9\n"
                               "S 3 555555555179 5555555551ae 55555555525d 5555555552af\n"
                               "S 1 555555555164 5555555551ae 55555555525d 5555555552af\n"
                               "S 2 55555555525d 5555555552af\nS 4 7ffff7dfa24a\n";
    static const char *const files[] = { "demo.pb", "unknown-fields.pb", "demo.pb.gz" };
    static const size_t pieces[] = { 1, 7, 4096 };
    size_t i, k;
    for (i = 0; i < 3; i++)
        for (k = 0; k < 3; k++) {
            char path[64];
            size_t size;
            char *data;
            csspgo_pprof_stats stats;
            csspgo_error e;
            t_out out;
            sprintf(path, "data/pprof/%s", files[i]);
            data = t_file(path, &size);
            if (data == NULL) return;
            e = print_items(&out, pprof_of(NULL, NULL, NULL), data, size, pieces[k], &stats);
            if (i == 2 && e.status == CSSPGO_E_UNSUPPORTED) {         /* a build without zlib says what to do */
                T_CHECK(strstr(e.message, "gunzip it") != NULL && out.size == 0);
            } else {
                T_EQ(e.status, CSSPGO_OK);
                t_same(path, out.at, out.size, want, sizeof want - 1);
                T_CHECK(stats.samples == 4 && stats.mappings == 1 && stats.locations == 6 && stats.period == 1);
                T_CHECK(stats.type_size == 7 && memcmp(stats.type, "samples", 7) == 0);
            }
            t_out_free(&out);
            free(data);
        }
}

/* Types: 1 first, 2 second; strings: 0 "", 1 "samples", 2 "tick", 3 "event", 4 /x. */
static void put_profile(message *m, uint64_t first, uint64_t second)
{
    static const char *const strings[] = { "", "samples", "tick", "event", "/x" };
    size_t i;
    m->size = 0;
    put_type(m, 1, first);
    put_type(m, 1, second);
    put_mapping(m, 7, 0x1000, 0x2000, 0, 4);
    put_location(m, UINT64_MAX, 7, 0x1100);
    put_location(m, 2, 7, 0x1200);
    put_location(m, 3, 0, 0);
    put_sample(m, UINT64_MAX, 2, 0, 30, 41);
    for (i = 0; i < 5; i++) put_text(m, strings[i]);
}

static void one_value_counts(void)
{
    static const struct { uint64_t first, second, period_type, period, standard; const char *asked; uint64_t count;
    } by_example[] = {
        { 1, 2, 0, 0, 0, NULL, 30 },        /* "samples" */
        { 2, 1, 2, 10, 2, NULL, 41 },
        { 2, 3, 0, 0, 0, NULL, 41 },        /* the last */
        { 2, 3, 0, 10, 0, NULL, 41 },
        { 2, 3, 3, 10, 0, NULL, 5 },        /* by the period, as it is of that type; rounded up */
        { 2, 3, 3, 100, 0, NULL, 1 },
        { 2, 3, 0, 0, 2, NULL, 30 },        /* the default */
        { 2, 3, 0, 7, 2, NULL, 5 },
        { 2, 3, 0, UINT64_MAX, 2, NULL, 30 },
        { 2, 3, 3, 10, 0, "tick", 30 },     /* the one asked for */
        { 2, 1, 2, 10, 0, "tick", 3 },
    };
    size_t i;
    for (i = 0; i < sizeof by_example / sizeof by_example[0]; i++) {
        message m;
        csspgo_pprof_stats stats;
        char want[100];
        t_out out;
        put_profile(&m, by_example[i].first, by_example[i].second);
        if (by_example[i].period_type != 0) put_type(&m, 11, by_example[i].period_type);
        put_number(&m, 12, by_example[i].period);
        put_number(&m, 14, by_example[i].standard);
        T_EQ(print_message(&out, &m, by_example[i].asked, &stats).status, CSSPGO_OK);
        sprintf(want, "M 1000 1000 0 /x\nS %u 1100 1200\n", (unsigned)by_example[i].count);
        t_same(want, out.at, out.size, want, strlen(want));
        t_out_free(&out);
    }
}

/*
 * Names of types, the default one (1 first, 0 none; -1 first is that of the period), which value counts (0: refused),
 * what the refusal says.
 */
static void only_what_ran_counts(void)
{
    static const struct { const char *names[3]; int standard, value; const char *says; } by_example[] = {
        { { "samples", "cpu" }, 0, 1, NULL }, { { "cpu", "samples" }, 0, 2, NULL }, { { "alloc_objects", "cpu" }, 0, 2, NULL },
        { { "cpu", "inuse_space" }, 2, 1, NULL }, { { "cpu", "wall" }, 0, 1, NULL }, { { "cpu", "wall" }, 2, 2, NULL },
        { { "wall", "cpu-time" }, 0, 2, NULL }, { { "wall" }, 0, 1, NULL }, { { "cycles:u_sample" }, 0, 1, NULL },
        { { "heap-space", "wall", "lock-acquire" }, 0, 2, NULL }, { { "sample", "exception-samples" }, 0, 1, NULL },
        { { "goroutine", "samples" }, 0, 2, NULL }, { { "count" }, 0, 1, NULL }, { { "" }, 0, 1, NULL },
        { { "alloc_objects", "alloc_space" }, 0, 0, "memory ('alloc_space')" },
        { { "inuse_objects", "inuse_space" }, 2, 0, "memory ('inuse_space')" }, { { "objects", "space" }, 0, 0, "memory" },
        { { "allocations" }, 0, 0, "memory" }, { { "contentions", "delay" }, 0, 0, "waiting for locks ('delay')" },
        { { "samples", "space" }, -2, 0, "memory ('space')" }, { { "space", "samples" }, -1, 0, "memory ('samples')" },
        { { "samples", "cpu" }, -2, 1, NULL }, { { "samples", "cpu", "space" }, -3, 2, NULL },
        { { "offcpu" }, 0, 0, "waiting ('offcpu')" },
        { { "goroutine" }, 0, 0, "goroutines" }, { { "threadcreate" }, 0, 0, "threads" },
        { { "lock-acquire" }, 0, 0, "waiting for locks" }, { { "exception-samples" }, 0, 0, "exceptions" },
        { { "live-bytes", "goroutine" }, 1, 0, "goroutines ('goroutine'), not of what ran: give one of the CPU (Go: /debug/pprof/profile)" }
    };
    size_t i, k;
    for (i = 0; i < sizeof by_example / sizeof by_example[0]; i++) {
        message m, s;
        csspgo_pprof_stats stats;
        csspgo_error e;
        char want[100];
        t_out out;
        m.size = s.size = 0;
        for (k = 0; k < 3 && by_example[i].names[k] != NULL; k++) put_type(&m, 1, k + 1);
        put_location(&m, 2, 0, 0x10);
        put_number(&s, 1, 2);
        for (k = 0; k < 3; k++) put_number(&s, 2, 11 * (k + 1));
        put_bytes(&m, 2, s.at, s.size);
        put_text(&m, "");
        for (k = 0; k < 3 && by_example[i].names[k] != NULL; k++) put_text(&m, by_example[i].names[k]);
        if (by_example[i].standard >= 0) put_number(&m, 14, (uint64_t)by_example[i].standard);
        else put_type(&m, 11, (uint64_t)-by_example[i].standard);
        e = print_message(&out, &m, NULL, &stats);
        T_EQ(e.status, by_example[i].value != 0 ? CSSPGO_OK : CSSPGO_E_UNSUPPORTED);
        sprintf(want, "S %d 10\n", 11 * by_example[i].value);
        if (by_example[i].value != 0) t_same(by_example[i].names[0], out.at, out.size, want, strlen(want));
        else T_MSG(strstr(e.message, by_example[i].says) != NULL, e.message);
        t_out_free(&out);
        if (by_example[i].value != 0) continue;
        e = print_message(&out, &m, by_example[i].names[0], &stats);     /* but if it is asked for */
        T_EQ(e.status, CSSPGO_OK);
        t_same("asked for", out.at, out.size, "S 11 10\n", 8);
        t_out_free(&out);
    }
}

static void samples_that_do_not_count(void)
{
    message m;
    csspgo_pprof_stats stats;
    csspgo_error e;
    t_out out;
    uint64_t i;
    put_profile(&m, 1, 2);
    put_sample(&m, 2, 0, 0, 0, 1);
    put_sample(&m, 2, 0, 0, (uint64_t)-5, 1);
    put_sample(&m, 3, 2, 0, 1, 1);
    put_sample(&m, 2, 3, 2, 9, 1);
    put_bytes(&m, 2, "", 0);
    e = print_message(&out, &m, NULL, &stats);
    T_EQ(e.status, CSSPGO_OK);
    t_same("samples", out.at, out.size, "M 1000 1000 0 /x\nS 30 1100 1200\nS 9 1200\n", 41);
    T_CHECK(stats.not_positive == 3 && stats.no_address == 1 && stats.cut_stacks == 1 && stats.samples == 2);
    t_out_free(&out);
    m.size = 0;                                       /* 600 frames, packed and not */
    put_location(&m, 1, 0, 0x10);
    {
        message s, ids;
        s.size = ids.size = 0;
        for (i = 0; i < 300; i++) put_uleb(&ids, 1);
        put_bytes(&s, 1, ids.at, ids.size);
        for (i = 0; i < 300; i++) put_number(&s, 1, 1);
        put_number(&s, 2, 1);
        put_bytes(&m, 2, s.at, s.size);
    }
    e = print_message(&out, &m, NULL, &stats);
    T_EQ(e.status, CSSPGO_OK);
    T_EQ(out.size, 3 + 512 * 3 + 1);
    T_EQ(stats.cut_stacks, 1);
    t_out_free(&out);
}

/* Mappings of several processes in one profile; one without end. */
static void mappings_that_overlap_are_moved(void)
{
    static const char want[] = "M 4000000000000000 1000 0 /x\nM 1000 1000 0 /x\nM 3000 2 0 /x\n"
                               "S 1 4000000000000800 1800 3000 5000\n";
    message m, s;
    csspgo_pprof_stats stats;
    t_out out;
    m.size = s.size = 0;
    put_text(&m, "");
    put_text(&m, "/x");
    put_mapping(&m, 1, 0x1800, 0x2800, 0, 1);
    put_mapping(&m, 2, 0x1000, 0x2000, 0, 1);
    put_mapping(&m, 3, 0x3000, 0, 0, 1);
    put_mapping(&m, 4, 0, 0, 0, 1);
    put_location(&m, 1, 1, 0x2000);
    put_location(&m, 2, 2, 0x1800);
    put_location(&m, 3, 3, 0x3000);
    put_location(&m, 4, 0, 0x5000);
    put_bytes(&s, 1, "\1\2\3\4", 4);
    put_number(&s, 2, 1);
    put_bytes(&m, 2, s.at, s.size);
    T_EQ(print_message(&out, &m, NULL, &stats).status, CSSPGO_OK);
    t_same("mappings", out.at, out.size, want, sizeof want - 1);
    T_EQ(stats.moved_mappings, 1);
    T_EQ(stats.mappings, 4);
    t_out_free(&out);
}

/* Callers of demo.pie: 1ae, 25d and 2af are behind calls. */
/* Text that was copied to huge pages goes on at the same addresses, which csspgo_processes knows. */
static void memory_without_a_file_stays_over_one(void)
{
    static const char want[] = "M 1000 2000 0 /x\nM 1800 400 0 //anon\nS 1 1900 2900\n";
    message m, s;
    csspgo_pprof_stats stats;
    t_out out;
    m.size = s.size = 0;
    put_text(&m, "");
    put_text(&m, "/x");
    put_text(&m, "//anon");
    put_mapping(&m, 1, 0x1000, 0x3000, 0, 1);
    put_mapping(&m, 2, 0x1800, 0x1c00, 0, 2);
    put_location(&m, 1, 2, 0x1900);
    put_location(&m, 2, 1, 0x2900);
    put_bytes(&s, 1, "\1\2", 2);
    put_number(&s, 2, 1);
    put_bytes(&m, 2, s.at, s.size);
    T_EQ(print_message(&out, &m, NULL, &stats).status, CSSPGO_OK);
    t_same("memory without a file", out.at, out.size, want, sizeof want - 1);
    T_EQ(stats.moved_mappings, 0);
    t_out_free(&out);
}

static void callers_one_less_are_corrected(void)
{
    static const uint64_t callers[] = { 0x11ae, 0x125d, 0x12af };
    t_table t;
    uint64_t less, i;
    if (!T_EQ(t_table_load(&t, "data/unwind/tables/demo.pie.tsv", NULL), CSSPGO_OK)) return;
    for (less = 0; less < 2; less++) {
        message m, s;
        csspgo_pprof_stats stats;
        csspgo_error e;
        t_out out;
        m.size = s.size = 0;
        put_text(&m, "");
        put_text(&m, "/x/demo.pie");
        put_mapping(&m, 9, 0x555555555000, 0x555555556000, 0x1000, 1);
        put_location(&m, 1, 9, 0x555555555179 - less);
        for (i = 0; i < 3; i++) put_location(&m, i + 2, 9, 0x555555554000 + callers[i] - less);
        put_location(&m, 5, 9, 0x555555555130);       /* no call there: it stays */
        put_location(&m, 6, 0, 0x7ffff7dfa24a);
        put_bytes(&s, 1, "\1\2\3\4\5\6", 6);
        put_number(&s, 2, 1);
        put_bytes(&m, 2, s.at, s.size);
        e = print_items(&out, pprof_of(t.code, NULL, NULL), m.at, m.size, 100, &stats);
        T_EQ(e.status, CSSPGO_OK);
        T_EQ(stats.call_addresses, less);
        T_CHECK(strstr(out.at, less ? "S 1 555555555178 5" : "S 1 555555555179 5") != NULL);
        T_CHECK(strstr(out.at, "5555555551ae 55555555525d 5555555552af 555555555130 7ffff7dfa24a\n") != NULL);
        t_out_free(&out);
        e = print_items(&out, pprof_of(NULL, NULL, NULL), m.at, m.size, 100, &stats);
        T_CHECK(strstr(out.at, less ? " 5555555551ad 5" : " 5555555551ae 5") != NULL);      /* without code as it is */
        t_out_free(&out);
    }
    t_table_free(&t);
}

/* ----- bad input ----- */

static void bad(const char *why, const void *data, size_t size, csspgo_status status, uint64_t offset)
{
    t_out out;
    const csspgo_error e = print_items(&out, pprof_of(NULL, NULL, NULL), data, size, 4096, NULL);
    if (!T_EQ(e.status, status) || !T_EQ(e.offset, offset) || !T_CHECK(strstr(e.message, why) != NULL))
        fprintf(stderr, "    '%s': '%s'\n", why, e.message);
    t_out_free(&out);
}

static void bad_profiles_are_refused(void)
{
    message m;
    t_out out;
    csspgo_error e;
    bad("empty", "", 0, CSSPGO_E_TRUNCATED, 0);
    bad("impossible number", "\x02\x00", 2, CSSPGO_E_SYNTAX, 0);
    bad("unknown wire type 3", "\x60\x01\x0b", 3, CSSPGO_E_SYNTAX, 2);
    bad("longer than", "\x60\x01\x12\x05" "ab", 6, CSSPGO_E_TRUNCATED, 2);
    bad("longer than", "\x61" "1234567", 8, CSSPGO_E_TRUNCATED, 0);
    bad("longer than", "\x65" "123", 4, CSSPGO_E_TRUNCATED, 0);
    bad("ends inside", "\x60\x80", 2, CSSPGO_E_TRUNCATED, 2);
    bad("64 bits", "\x60\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11, CSSPGO_E_RANGE, 1);
    bad("longer than", "\x22\x02\x08\x01\x22\x02\x12\x09", 8, CSSPGO_E_TRUNCATED, 6);
    bad("a location's id is 0", "\x22\x02\x18\x05", 4, CSSPGO_E_SYNTAX, 4);
    bad("there twice: 1", "\x22\x02\x08\x01\x22\x02\x08\x01", 8, CSSPGO_E_SYNTAX, 8);
    bad("a mapping's id is 0", "\x1a\x00", 2, CSSPGO_E_SYNTAX, 2);
    bad("there twice: 1", "\x1a\x02\x08\x01\x1a\x02\x08\x01", 8, CSSPGO_E_SYNTAX, 8);
    bad("a mapping that is not there: 3", "\x22\x04\x08\x01\x10\x03", 6, CSSPGO_E_SYNTAX, 0);
    bad("a location that is not there: 5", "\x12\x04\x08\x05\x10\x01", 6, CSSPGO_E_SYNTAX, 3);
    bad("no addresses", "\x22\x02\x08\x05\x12\x04\x08\x05\x10\x01", 10, CSSPGO_E_SYNTAX, 10);
    put_profile(&m, 1, 2);
    e = print_message(&out, &m, "walltime", NULL);
    T_EQ(e.status, CSSPGO_E_SYNTAX);
    T_CHECK(strcmp(e.message, "the profile has no sample type 'walltime'") == 0);
    t_out_free(&out);
}

/* Every prefix and every changed byte gives items or an error, never more. */
static void cut_and_changed_profiles(void)
{
    static const char *const files[] = { "data/pprof/demo.pb", "data/pprof/demo.pb.gz" };
    size_t size, i, k;
    for (k = 0; k < 2; k++) {
        char *data = t_file(files[k], &size);
        if (data == NULL) return;
        for (i = 0; i < size; i++) {
            t_out out;
            csspgo_error e = print_items(&out, pprof_of(NULL, NULL, NULL), data, i, 4096, NULL);
            T_CHECK(e.offset <= (k == 0 ? i : 1000) && (k == 0 || e.status != CSSPGO_OK));
            t_out_free(&out);
            data[i] = (char)(data[i] ^ 1 << i % 8);
            e = print_items(&out, pprof_of(NULL, NULL, NULL), data, size, 4096, NULL);
            T_CHECK(e.status == CSSPGO_OK || e.message[0] != '\0');
            data[i] = (char)(data[i] ^ 1 << i % 8);
            t_out_free(&out);
        }
        free(data);
    }
}

/* ----- memory ----- */

/* 64 KiB of zeros, which no profile begins with, as gzip: written by hand, in stored blocks of deflate's fixed code. */
static size_t put_bomb(unsigned char *to, size_t mib)
{
    static const unsigned char head[10] = { 0x1f, 0x8b, 8 };
    /* fixed code: a literal 0 (00110000), then matches of 258 at distance 1: 11000101, 00000; each is 13 bits */
    size_t bit = 80, i, k;
    memset(to, 0, 20 + mib * 8192);
    memcpy(to, head, sizeof head);
#define BIT(b) (to[bit / 8] = (unsigned char)(to[bit / 8] | (b) << bit % 8), bit++)
    BIT(0); BIT(1); BIT(0);                           /* not the last block; fixed codes */
    for (k = 8; k-- > 0;) BIT(0x30 >> k & 1);
    for (i = 0; i < mib * 4064; i++) {
        for (k = 8; k-- > 0;) BIT(0xc5 >> k & 1);
        for (k = 0; k < 5; k++) BIT(0);
    }
#undef BIT
    return bit / 8;
}

static void bombs_are_limited(void)
{
    unsigned char *bomb = (unsigned char *)malloc(20 + 80 * 8192);
    t_heap heap;
    csspgo_options o = t_options(&heap, 0);
    csspgo_error e;
    t_out out;
    size_t size;
    if (bomb == NULL) abort();
    size = put_bomb(bomb, 4);
    o.limits.max_inflated = 1 << 20;
    e = print_items(&out, pprof_of(NULL, NULL, &o), bomb, size, 4096, NULL);
    T_CHECK(e.status == CSSPGO_E_LIMIT || e.status == CSSPGO_E_UNSUPPORTED);      /* the latter without zlib */
    T_CHECK(heap.peak < 4u << 20);
    t_out_free(&out);
    o = t_options(&heap, 0);
    size = put_bomb(bomb, 80);                        /* 64 times 520 KB of it, and 8 MiB, are below 1 GiB */
    e = print_items(&out, pprof_of(NULL, NULL, &o), bomb, 5000, 4096, NULL);
    T_CHECK(e.status != CSSPGO_OK && heap.peak < 4u << 20);
    t_out_free(&out);
    o.limits.max_bytes = 1 << 20;
    e = print_items(&out, pprof_of(NULL, NULL, &o), bomb, size, 4096, NULL);
    T_CHECK(e.status == CSSPGO_E_LIMIT || e.status == CSSPGO_E_UNSUPPORTED);
    T_EQ(heap.live, 0);
    t_out_free(&out);
    free(bomb);
}

/* A table costs no more than 4 bytes for a string of any size, 2 bytes at least; the profile itself may be there twice. */
static void strings_cost_what_they_take(void)
{
    enum { STRINGS = 200000 };
    char *const data = (char *)malloc(2 * STRINGS);
    size_t i;
    t_heap heap;
    csspgo_options o = t_options(&heap, 0);
    csspgo_error e;
    t_out out;
    if (data == NULL) abort();
    for (i = 0; i < STRINGS; i++) {
        data[2 * i] = 0x32;
        data[2 * i + 1] = 0;
    }
    e = print_items(&out, pprof_of(NULL, NULL, &o), data, 2 * STRINGS, 4096, NULL);
    T_CHECK(e.status == CSSPGO_E_SYNTAX || e.status == CSSPGO_OK);
    T_CHECK(heap.peak <= 6 * 2 * STRINGS + (1 << 16));
    T_EQ(heap.live, 0);
    t_out_free(&out);
    free(data);
}

/* By default 64 times the compressed size and 8 MiB. */
static void a_small_file_does_not_become_64_mib(void)
{
    unsigned char *bomb = (unsigned char *)malloc(20 + 32 * 8192);
    t_heap heap;
    csspgo_options o = t_options(&heap, 0);
    csspgo_error e;
    t_out out;
    size_t size;
    if (bomb == NULL) abort();
    size = put_bomb(bomb, 32);                        /* 212 KB for 32 MiB */
    e = print_items(&out, pprof_of(NULL, NULL, &o), bomb, size, 4096, NULL);
    T_CHECK(e.status != CSSPGO_OK && e.status != CSSPGO_E_NOMEM);
    T_CHECK(e.status == CSSPGO_E_UNSUPPORTED || (e.status == CSSPGO_E_LIMIT && e.offset > 8u << 20));
    T_CHECK(heap.peak <= 3 * (64 * size + (8u << 20)));
    t_out_free(&out);
    free(bomb);
}

static void every_allocation_may_fail(void)
{
    static const char *const files[] = { "data/pprof/demo.pb", "data/pprof/demo.pb.gz" };
    size_t size, k;
    long nth;
    for (k = 0; k < 2; k++) {
        char *data = t_file(files[k], &size);
        if (data == NULL) return;
        for (nth = 1;; nth++) {
            t_heap heap;
            csspgo_options o = t_options(&heap, nth);
            csspgo_pprof *d = pprof_of(NULL, "cpu", &o);
            csspgo_status s = CSSPGO_E_NOMEM;
            t_out out;
            if (d != NULL) {
                s = print_items(&out, d, data, size, 50, NULL).status;
                t_out_free(&out);
            }
            T_EQ(heap.live, 0);
            if (s == CSSPGO_OK || s == CSSPGO_E_UNSUPPORTED) break;
            T_EQ(s, CSSPGO_E_NOMEM);
        }
        T_LONG(nth > 2);
        free(data);
    }
}

int main(void)
{
    known_profiles_are_read();
    one_value_counts();
    only_what_ran_counts();
    samples_that_do_not_count();
    mappings_that_overlap_are_moved();
    memory_without_a_file_stays_over_one();
    callers_one_less_are_corrected();
    bad_profiles_are_refused();
    cut_and_changed_profiles();
    bombs_are_limited();
    strings_cost_what_they_take();
    a_small_file_does_not_become_64_mib();
    T_FAILING(every_allocation_may_fail());
    csspgo_pprof_free(NULL);
    return t_end();
}
