/* misuse.c - every public function is called wrongly, with CSSPGO_VALIDATE: misuse.sh makes the calls of the interface
 * (misuse.awk) and compiles them with this file. Laws, for each function and each of its parameters:
 *
 *     an object that is NULL, or was freed, is told of in the name of a public function (X_free(NULL) is right)
 *     an object whose code map was freed does not crash the call
 *     a handle of another profile or tracker is told of
 *     any other pointer that is NULL is told of by its name, or the call returns: it never crashes
 *     nor does it where pointers in a struct are NULL that, by the numbers beside them, are arrays
 *
 * All other parameters are valid, or as near to it as zeros are. The hook leaves the call at the first sentence.
 */
#define CSSPGO_ALL
#define CSSPGO_STATIC
#define CSSPGO_VALIDATE
#define CSSPGO_VALIDATE_LOG(function, text) told((function), (text))
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sigjmp_buf leave;
static char said[512];

static void told(const char *function, const char *text)
{
    snprintf(said, sizeof said, "%s: %s", function, text);
    siglongjmp(leave, 1);
}

static void crashed(int signal)
{
    siglongjmp(leave, 1000 + signal);
}

#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"

enum mode { RIGHT, IS_NULL, FREED, OTHERS, ONES, MAP_FREED };

enum of {
    OF_csspgo_profile, OF_csspgo_code, OF_csspgo_probe_set, OF_csspgo_collector, OF_csspgo_tracker,
    OF_csspgo_size_table, OF_csspgo_block_finder, OF_csspgo_match_input, OF_csspgo_matcher, OF_csspgo_lazy,
    OF_csspgo_perfdata, OF_csspgo_script, OF_csspgo_script_batch, OF_csspgo_processes, OF_csspgo_preagg,
    OF_csspgo_line_table, OF_csspgo_layout, OF_csspgo_trace_sampler, OF_csspgo_ctx, OF_csspgo_ctx_runtime, OF_csspgo_ctx_root,
    OF_csspgo_bottleneck, OF_csspgo_queue, OF_csspgo_runtime
};

static enum mode mode;
enum { NOTHING = -1, ALL = -2 };
static int wrong;                 /* the parameter that is wrong */
static csspgo_error error;
static uint64_t zeros[512];
static uint64_t room[10][4096];
static void *made;                /* the object that the handles are of: a profile or a tracker */
static int made_tracker;

static const char profile_text[] = "[main:3 @ foo]:30:10\n 1: 10\n[main]:4:1\n 3: 4 foo:4\n";

static csspgo_code *map_of;       /* the map that was made last */

static csspgo_code *code_map(void)
{
    static const csspgo_code_function f = { 0x1000, 0x1040, 0, 7, "main", 4, 0, 0 };
    csspgo_code *code = csspgo_code_new(NULL, NULL);
    csspgo_code_add_function(code, csspgo_no_module(), &f, NULL);
    map_of = code;
    return code;
}

static void *binary(size_t *size)
{
    static char bytes[4096];
    csspgo_profile *p = csspgo_load(profile_text, sizeof profile_text - 1, NULL, NULL);
    csspgo_write(p, CSSPGO_EXTBINARY, bytes, sizeof bytes, size, NULL);
    csspgo_profile_free(p);
    return bytes;
}

static void *make(enum of what)
{
    static csspgo_ctx_fn fn;
    static csspgo_bottleneck_resource resource;
    csspgo_preagg_options preagg;
    size_t size;
    void *bytes;
    switch (what) {
    case OF_csspgo_profile: return csspgo_load(profile_text, sizeof profile_text - 1, NULL, NULL);
    case OF_csspgo_code: return code_map();
    case OF_csspgo_probe_set: return csspgo_probe_set_new(NULL, NULL);
    case OF_csspgo_collector: return csspgo_collector_new(code_map(), NULL, NULL, NULL);
    case OF_csspgo_tracker: return csspgo_tracker_new((csspgo_profile *)make(OF_csspgo_profile), NULL, NULL);
    case OF_csspgo_size_table: return csspgo_size_table_new(NULL, NULL);
    case OF_csspgo_block_finder: return csspgo_block_finder_new(code_map(), NULL, NULL);
    case OF_csspgo_match_input: return csspgo_match_input_new(code_map(), NULL, NULL);
    case OF_csspgo_matcher: return csspgo_matcher_new(NULL, NULL, NULL);
    case OF_csspgo_lazy: bytes = binary(&size); return csspgo_lazy_open(bytes, size, NULL, NULL);
    case OF_csspgo_perfdata: return csspgo_perfdata_new(NULL, NULL);
    case OF_csspgo_script: return csspgo_script_new(NULL, NULL, NULL);
    case OF_csspgo_script_batch: return csspgo_script_batch_new(NULL, NULL);
    case OF_csspgo_processes: return csspgo_processes_new(code_map(), NULL, NULL);
    case OF_csspgo_preagg:
        memset(&preagg, 0, sizeof preagg);
        preagg.code = code_map();
        return csspgo_preagg_new(&preagg, NULL, NULL);
    case OF_csspgo_line_table: return csspgo_line_table_new(NULL, NULL);
    case OF_csspgo_layout: return csspgo_layout_new(NULL, NULL, NULL);
    case OF_csspgo_trace_sampler: return csspgo_trace_sampler_new(code_map(), NULL, NULL, NULL);
    case OF_csspgo_ctx: return csspgo_ctx_new(NULL, NULL);
    case OF_csspgo_ctx_runtime: return csspgo_ctx_runtime_new(NULL, NULL);
    case OF_csspgo_ctx_root:
        fn.guid = 1;
        fn.counters = 1;
        return csspgo_ctx_root_new((csspgo_ctx_runtime *)make(OF_csspgo_ctx_runtime), &fn, NULL, NULL);
    case OF_csspgo_queue: return csspgo_queue_new(NULL, NULL, NULL);
    case OF_csspgo_runtime: return csspgo_runtime_new(NULL, NULL, NULL);
    case OF_csspgo_bottleneck:
        resource.name = "p0";
        resource.mask = 1;
        return csspgo_bottleneck_new(&resource, 1, 1, 1, NULL, NULL);
    }
    return NULL;
}

static void drop(enum of what, void *o)
{
    switch (what) {
    case OF_csspgo_profile: csspgo_profile_free((csspgo_profile *)o); break;
    case OF_csspgo_code: csspgo_code_free((csspgo_code *)o); break;
    case OF_csspgo_probe_set: csspgo_probe_set_free((csspgo_probe_set *)o); break;
    case OF_csspgo_collector: csspgo_collector_free((csspgo_collector *)o); break;
    case OF_csspgo_tracker: csspgo_tracker_free((csspgo_tracker *)o); break;
    case OF_csspgo_size_table: csspgo_size_table_free((csspgo_size_table *)o); break;
    case OF_csspgo_block_finder: csspgo_block_finder_free((csspgo_block_finder *)o); break;
    case OF_csspgo_match_input: csspgo_match_input_free((csspgo_match_input *)o); break;
    case OF_csspgo_matcher: csspgo_matcher_free((csspgo_matcher *)o); break;
    case OF_csspgo_lazy: csspgo_lazy_free((csspgo_lazy *)o); break;
    case OF_csspgo_perfdata: csspgo_perfdata_free((csspgo_perfdata *)o); break;
    case OF_csspgo_script: csspgo_script_free((csspgo_script *)o); break;
    case OF_csspgo_script_batch: csspgo_script_batch_free((csspgo_script_batch *)o); break;
    case OF_csspgo_processes: csspgo_processes_free((csspgo_processes *)o); break;
    case OF_csspgo_preagg: csspgo_preagg_free((csspgo_preagg *)o); break;
    case OF_csspgo_line_table: csspgo_line_table_free((csspgo_line_table *)o); break;
    case OF_csspgo_layout: csspgo_layout_free((csspgo_layout *)o); break;
    case OF_csspgo_trace_sampler: csspgo_trace_sampler_free((csspgo_trace_sampler *)o); break;
    case OF_csspgo_ctx: csspgo_ctx_free((csspgo_ctx *)o); break;
    case OF_csspgo_ctx_runtime: csspgo_ctx_runtime_free((csspgo_ctx_runtime *)o); break;
    case OF_csspgo_bottleneck: csspgo_bottleneck_free((csspgo_bottleneck *)o); break;
    case OF_csspgo_queue: csspgo_queue_free((csspgo_queue *)o); break;
    case OF_csspgo_runtime: csspgo_runtime_free((csspgo_runtime *)o); break;
    case OF_csspgo_ctx_root: break;                          /* its runtime frees it */
    }
}

static void *object(int i, enum of what)
{
    void *o;
    if (i == wrong && mode == IS_NULL) return NULL;
    o = make(what);
    if (o == NULL) {
        printf("object %d cannot be made\n", (int)what);
        exit(1);
    }
    if (i == wrong && mode == FREED) drop(what, o);
    if (i == wrong && mode == MAP_FREED && what != OF_csspgo_code && what != OF_csspgo_collector && map_of != NULL)
        csspgo_code_free(map_of);                        /* with a collector that is told of at once */
    if (i == 0) made = o, made_tracker = what == OF_csspgo_tracker;
    return o;
}

static void *buffer(int i)
{
    return i == wrong && mode == IS_NULL ? NULL : room[i];
}

/* Structs of zeros; in wrong ones all numbers are 1, also counts of what pointers that are NULL should point to. */
static void *structs(int i, void (*fill)(void *))
{
    void *p = buffer(i);
    if ((i == wrong || wrong == ALL) && mode == ONES) fill(p);
    return p;
}

static const char *text(int i)
{
    return i == wrong && mode == IS_NULL ? NULL : "x";
}

static unsigned number(int i)
{
    (void)i;
    return 1;
}

static void nothing(void)
{
}

static void *callback(int i)
{
    return i == wrong && mode == IS_NULL ? NULL : (void *)nothing;
}

/* The profile that a right handle is of: of the tracker, of the object itself. */
static const csspgo_profile *home(int i)
{
    if (i == wrong && mode == OTHERS) return (csspgo_profile *)make(OF_csspgo_profile);
    if (made == NULL) return (csspgo_profile *)make(OF_csspgo_profile);
    return made_tracker ? csspgo_tracker_profile((csspgo_tracker *)made) : (csspgo_profile *)made;
}

static csspgo_node node(int i)
{
    csspgo_node n;
    if (mode != OTHERS) {
        memset(&n, 0, sizeof n);
        n.id = 2;
        return n;
    }
    return csspgo_find(home(i), "main:3 @ foo");
}

static csspgo_func func(int i)
{
    csspgo_func f;
    if (mode != OTHERS) {
        memset(&f, 0, sizeof f);
        f.id = 1;
        return f;
    }
    return csspgo_func_find(home(i), "foo", 3);
}

struct row { const char *name; void (*call)(void); const char *kinds, *parameters; };
#include "build/misuse/calls.inc"

static unsigned passed, failed;

/* What a call does: 0 it returned, 1 a sentence was said, above 1000 a signal. */
static int outcome(const struct row *r, enum mode m, int k)
{
    int how;
    mode = m;
    wrong = k;
    made = NULL;
    made_tracker = 0;
    map_of = NULL;
    said[0] = '\0';
    memset(room, 0, sizeof room);
    memset(&error, 0, sizeof error);
    how = sigsetjmp(leave, 1);
    alarm(5);
    if (how == 0) r->call();
    alarm(0);
    return how;
}

static void expect(int ok, const struct row *r, int k, const char *kind, int how)
{
    if (ok) passed++;
    else {
        printf("FAILED: %s, parameter %d %s: %s%s\n", r->name, k + 1, kind,
               how > 1000 ? "crashes" : how == 1 ? "says " : "says nothing", said);
        failed++;
    }
}

/* The sentence names parameter k as the interface does. */
static int names(const struct row *r, int k)
{
    const char *p = r->parameters;
    char name[64];
    size_t n;
    for (; k > 0; k--) p = strchr(p, ',') + 1;
    n = strcspn(p, ",");
    memcpy(name, ": ", 2);
    memcpy(name + 2, p, n);
    strcpy(name + 2 + n, " is NULL");
    return strstr(said, name) != NULL;
}

static int public_name(void)
{
    return strncmp(said, "csspgo_", 7) == 0 && said[7] != '_';
}

int main(void)
{
    size_t i;
    int k, how;
    signal(SIGSEGV, crashed);
    signal(SIGBUS, crashed);
    signal(SIGFPE, crashed);
    signal(SIGABRT, crashed);
    signal(SIGALRM, crashed);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        const size_t length = strlen(r->name);
        const int frees = (length > 5 && strcmp(r->name + length - 5, "_free") == 0) || strcmp(r->name, "csspgo_lazy_free") == 0;
        if (strcmp(r->name, "csspgo_estimate_blocks") != 0) {        /* its parameter is what the library gives it */
            how = outcome(r, RIGHT, NOTHING);
            expect(how <= 1, r, NOTHING, "none is wrong", how);
        }
        if (strchr(r->kinds, 's') != NULL) {
            how = outcome(r, ONES, ALL);
            expect(how == 0 || (how == 1 && public_name()), r, NOTHING, "all have pointers that are NULL", how);
        }
        for (k = 0; r->kinds[k] != '\0'; k++) {
            const char kind = r->kinds[k];
            if (kind == 'o') {
                how = outcome(r, IS_NULL, k);
                expect(frees ? how == 0 : how == 1 && public_name(), r, k, "is NULL", how);
                how = outcome(r, MAP_FREED, k);
                expect(how == 0 || (how == 1 && public_name()), r, k, "is of a map that was freed", how);
                how = outcome(r, FREED, k);
                expect(how == 1 && public_name() && strstr(said, "was freed already") != NULL, r, k, "was freed", how);
            }
            if (kind == 's') {
                how = outcome(r, ONES, k);
                expect(how == 0 || (how == 1 && public_name()), r, k, "has pointers that are NULL", how);
            }
            if (kind == 'p' || kind == 't' || kind == 's') {
                how = outcome(r, IS_NULL, k);
                expect(how == 0 || (how == 1 && public_name() && (strstr(said, " is NULL") == NULL || names(r, k))), r, k, "is NULL", how);
            }
            if (kind == 'n' || kind == 'f') {
                how = outcome(r, OTHERS, k);
                expect(how == 1 && public_name(), r, k, "is of another profile", how);
            }
        }
    }
    printf("%u passed, %u failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
