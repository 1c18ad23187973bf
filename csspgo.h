/* csspgo.h - v0.1.0 - context-sensitive sample profiles in one C header
 *
 * In ONE source file:                       Everywhere else:
 *     #define CSSPGO_IMPLEMENTATION             #include "csspgo.h"
 *     #include "csspgo.h"
 *
 * CONTENTS (search for the mark)
 *     >>manual  >>config
 *     >>base  >>tree  >>format  >>code  >>sample  >>unwind  >>generate    (each twice: interface, implementation)
 *     >>licence
 */

/* ===== >>manual ====================================================================================================
 *
 * WHAT IT IS
 *
 *     A sample profile says how often each block of a program ran, in each calling context. csspgo.h makes such profiles
 *     from branch records (LBR) and call stacks, keeps them as one tree of calling contexts, answers questions about them,
 *     and reads and writes LLVM's profile files. It is for JITs, game engines and toolchains that want context-sensitive
 *     profile-guided optimisation (CSSPGO) without linking LLVM, and for everybody who must read such files safely.
 *
 * QUICK START: read a profile, ask, write
 *
 *     #define CSSPGO_IMPLEMENTATION
 *     #include "csspgo.h"
 *
 *     csspgo_error e;
 *     csspgo_profile *p = csspgo_profile_new(NULL);
 *     if (csspgo_read_file(p, "app.prof", &e) != CSSPGO_OK) printf("app.prof:%u: %s\n", e.line, e.message);
 *     csspgo_node bar = csspgo_find(p, "main:12 @ bar");
 *     printf("%llu\n", (unsigned long long)csspgo_body_count(p, bar, csspgo_at(3, 0)));
 *     csspgo_write_file(p, "copy.prof", CSSPGO_TEXT, &e);
 *     csspgo_profile_free(p);
 *
 * QUICK START: a JIT, all in one process (examples/jit.c is the whole program)
 *
 *     csspgo_code_add_function(code, no_module, &function);                  where it is, what it is called
 *     csspgo_code_add_transfers(code, no_module, transfers, n);              its calls, returns and jumps
 *     csspgo_code_add_probes(code, no_module, inlines, ni, probes, np);      its blocks and what was inlined
 *     csspgo_collector_add(collector, samples, m);                           stacks and branches from the ring buffer
 *     csspgo_code_remove(code, begin, end);                                  code was freed
 *     csspgo_collector_profile(collector, p, NULL, &e);                      so far, into the tree
 *
 * CONCEPTS
 *
 *     probe     a mark that the compiler leaves in each basic block and at each call; numbered from 1 in a function
 *     location  where in a function: a probe id, or a line offset; with a discriminator
 *     node      one function in one calling context: (parent node, call site in the parent, function). A child of the
 *               root is a function without context. A node that has counts has a record: total, head (times entered),
 *               body (count per location), call targets (count per location and callee), CFG checksum, attributes
 *     context   the path to a node, printed [main:12 @ bar:3 @ foo]
 *     position  a code address, in the 32-bit numbering that the code map gives to all code it ever saw
 *
 * LAYERS   each uses only those above it; CSSPGO_NO_<LAYER> drops one and those that stand on it
 *
 *     base      status and error, allocator, limits, names and GUIDs
 *     tree      the profile: functions, nodes, counts; adding two profiles
 *     format    text, raw binary, ExtBinary, CompactBinary (read only) and GCC AutoFDO profiles; lazy reading; summary
 *     code      the code map: modules, functions, control transfers, probes; probe sections; instruction decoders
 *     sample    perf ring buffers and perf script text become samples
 *     unwind    samples become counters per calling context
 *     generate  counters become a profile
 *
 * CONFIGURATION
 *
 *     macro                          where               effect
 *     CSSPGO_IMPLEMENTATION          one file            emits the function bodies
 *     CSSPGO_STATIC                  with the above      functions are static: two copies can live in one program
 *     CSSPGO_DEF                     every include       replaces the linkage prefix, e.g. __declspec(dllexport)
 *     CSSPGO_MALLOC(n), CSSPGO_FREE(p)   implementation  heap for objects made without an allocator; malloc and free
 *     CSSPGO_ASSERT(x)               implementation      checks of csspgo's own invariants, never of input; assert
 *     CSSPGO_NO_STDIO                every include       no <stdio.h>, no functions on files
 *     CSSPGO_USE_ZLIB                implementation      compressed sections (link zlib); without it they are E_UNSUPPORTED
 *     CSSPGO_NO_FORMAT, _NO_CODE, _NO_SAMPLE, _NO_UNWIND, _NO_GENERATE   every include   drops layers
 *
 * GUARANTEES
 *
 *     input     any bytes: no crash, no hang, no read out of bounds; errors say where. A failed read changes nothing
 *     memory    one allocator per object, sizes come back at free; out of memory is an error everywhere, and the object
 *               stays usable or at least can be freed. limits.max_bytes bounds an object
 *     time      nothing above O(n log n) in the size of the input, within limits.max_depth frames of context
 *     stack     no recursion; at most 8 KB of stack
 *     threads   objects share nothing. One object is for one thread at a time; several threads may read one code map
 *     output    the same input gives the same bytes, whatever the machine, the order of samples or the hash seed
 *     sums      counts saturate at 2^64 - 1
 *     LLVM      files are LLVM 19's; profiles of probe binaries equal llvm-profgen 19's byte for byte (README: exceptions)
 *
 * LIMITS   (options.limits; more in the comments of the functions)
 *
 *     4 GiB of code in all, 2^31 nodes, records and counts, 65535 probes or lines in a function (as in the formats)
 */
#ifndef CSSPGO_H_INCLUDED
#define CSSPGO_H_INCLUDED

#include <stddef.h>
#include <stdint.h>

/* ===== >>config =================================================================================================== */

#if defined(CSSPGO_MALLOC) != defined(CSSPGO_FREE)
#  error "csspgo: define both CSSPGO_MALLOC and CSSPGO_FREE, or neither"
#endif
#if defined(__GNUC__)
#  define CSSPGO__UNUSED __attribute__((unused))
#else
#  define CSSPGO__UNUSED
#endif
#if !defined(CSSPGO_DEF) && defined(CSSPGO_STATIC)
#  define CSSPGO_DEF static CSSPGO__UNUSED
#elif !defined(CSSPGO_DEF)
#  define CSSPGO_DEF extern
#endif

/* A layer that is left out takes those that stand on it along. */
#if defined(CSSPGO_NO_CODE) && !defined(CSSPGO_NO_SAMPLE)
#  define CSSPGO_NO_SAMPLE
#endif
#if defined(CSSPGO_NO_SAMPLE) && !defined(CSSPGO_NO_UNWIND)
#  define CSSPGO_NO_UNWIND
#endif
#if defined(CSSPGO_NO_UNWIND) && !defined(CSSPGO_NO_GENERATE)
#  define CSSPGO_NO_GENERATE
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define CSSPGO_VERSION_MAJOR 0
#define CSSPGO_VERSION_MINOR 1
#define CSSPGO_VERSION_PATCH 0
#define CSSPGO_VERSION (CSSPGO_VERSION_MAJOR * 10000 + CSSPGO_VERSION_MINOR * 100 + CSSPGO_VERSION_PATCH)

/* ===== >>base: status and error, allocator, limits, names ========================================================= */

#define CSSPGO_STATUSES(X)                                              \
    X(OK,            0, "success")                                      \
    X(E_NOMEM,       1, "out of memory")                                \
    X(E_ARGUMENT,    2, "a parameter breaks its documented contract")   \
    X(E_SYNTAX,      3, "input does not follow the grammar")            \
    X(E_TRUNCATED,   4, "input ends inside a record")                   \
    X(E_RANGE,       5, "a value does not fit its field")               \
    X(E_LIMIT,       6, "a limit of csspgo_limits was reached")         \
    X(E_VERSION,     7, "a format version that this build cannot read") \
    X(E_UNSUPPORTED, 8, "needs a part that this build leaves out")      \
    X(E_IO,          9, "a file could not be read or written")

typedef enum csspgo_status {
#define CSSPGO__X(name, value, text) CSSPGO_##name = value,
    CSSPGO_STATUSES(CSSPGO__X)
#undef CSSPGO__X
    CSSPGO_STATUS_FORCE_32 = 0x7fffffff
} csspgo_status;

/* Where and why a call failed. Functions that take a csspgo_error * accept NULL and fill it in every case. */
typedef struct csspgo_error {
    csspgo_status status;         /* CSSPGO_OK, or what failed first                                    */
    uint32_t      line, column;   /* 1-based, in text input; 0 in binary input                          */
    uint64_t      offset;         /* bytes from the start of the input, 0 to size                       */
    char          message[160];   /* one sentence with the offending value; terminated; printable ASCII */
} csspgo_error;

typedef struct csspgo_allocator {
    void *(*alloc_fn)(void *ctx, size_t size);             /* size > 0; aligned as malloc's; NULL = out of memory */
    void  (*free_fn)(void *ctx, void *ptr, size_t size);   /* what alloc_fn gave, with the same size              */
    void   *ctx;                                           /* passed through untouched                            */
} csspgo_allocator;

/* Bounds on what an input can make an object use; 0 = the default in brackets. Reaching one is E_LIMIT. */
typedef struct csspgo_limits {
    uint64_t max_bytes;           /* memory of one object, in bytes                               [2^34] */
    uint32_t max_depth;           /* frames of a context, nesting of inlinees                     [1024] */
    uint32_t max_name;            /* bytes of one function name                                   [2^20] */
    uint32_t max_line;            /* bytes of one line of streamed text (perf script)             [2^20] */
} csspgo_limits;

/* All zero means: malloc and free, default limits, strict reading. */
typedef struct csspgo_options {
    csspgo_allocator allocator;   /* alloc_fn NULL: CSSPGO_MALLOC and CSSPGO_FREE                                */
    csspgo_limits    limits;
    uint64_t         hash_seed;   /* seed of the hash tables: make it random where input is hostile              */
    uint32_t         lenient;     /* 1: reads what LLVM 19 reads and writes what it writes, for compatible modes */
} csspgo_options;

/* A location inside a function. Ordered by line, then discriminator. */
typedef struct csspgo_loc {
    uint32_t line;                /* probe id, or line - first line of the function (mod 2^16); at most 65535    */
    uint32_t discriminator;
} csspgo_loc;

CSSPGO_DEF csspgo_loc csspgo_at(uint32_t line, uint32_t discriminator);

/* The version compiled in, as CSSPGO_VERSION. */
CSSPGO_DEF uint32_t csspgo_version(void);

/* The name of a status without prefix ("E_RANGE") and its sentence; static strings, "?" for an unknown value. */
CSSPGO_DEF const char *csspgo_status_name(csspgo_status status);
CSSPGO_DEF const char *csspgo_status_text(csspgo_status status);

/*
 * The GUID of a function: the first 8 bytes of MD5(name), little-endian.
 *
 *   name, size   linkage name, size in bytes; need not be terminated
 *
 * Cost      O(size)
 * Source    LLVM 19: MD5Hash of the name
 */
CSSPGO_DEF uint64_t csspgo_guid(const char *name, size_t size);

/* ===== >>tree: the calling-context tree: functions, nodes, counts ================================================= */

typedef struct csspgo_profile csspgo_profile;

typedef struct csspgo_func { uint32_t id; } csspgo_func;   /* a function of one profile; id 0 = none        */
typedef struct csspgo_node { uint32_t id; } csspgo_node;   /* one function in one context; 0 none, 1 the root */

/* How a node hangs below its parent. The same (parent, location, function) may exist once per kind. */
typedef enum csspgo_node_kind {
    CSSPGO_CONTEXT = 0,           /* a frame of a context, [main:3 @ foo]; below the root a base profile, [foo]   */
    CSSPGO_INLINEE = 1,           /* nested in its caller's record                                                */
    CSSPGO_PLAIN   = 2,           /* top level of a profile without contexts: `foo`; a child of the root          */
    CSSPGO_TWIN    = 3,           /* lenient reading only: a second record of the parent's context, whose text
                                     had a location, the node's, behind the leaf: [main:3 @ foo:9]; func is the
                                     parent's                                                                     */
    CSSPGO_NODE_KIND_FORCE_32 = 0x7fffffff
} csspgo_node_kind;

typedef struct csspgo_body {      /* one location of a function            */
    csspgo_loc loc;
    uint64_t   count;
} csspgo_body;

typedef struct csspgo_target {    /* one callee seen at a location         */
    csspgo_loc  loc;
    csspgo_func func;
    uint32_t    reserved;         /* 0                                     */
    uint64_t    count;
} csspgo_target;

enum {                            /* csspgo_attributes                     */
    CSSPGO_WAS_INLINED = 1, CSSPGO_SHOULD_BE_INLINED = 2, CSSPGO_DUPLICATED_INTO_BASE = 4
};

enum {                            /* csspgo_profile_flags                  */
    CSSPGO_IS_CS = 1,             /* contexts: `[main:3 @ foo]`            */
    CSSPGO_IS_PROBE = 2,          /* locations are probe ids               */
    CSSPGO_IS_PREINLINED = 4,     /* ShouldBeInlined decides inlining      */
    CSSPGO_IS_FS = 8,             /* flow-sensitive discriminators         */
    CSSPGO_IS_MD5 = 16,           /* functions are GUIDs                   */
    CSSPGO_HAS_UNIQ = 32,         /* names keep their .__uniq. suffix      */
    CSSPGO_IS_PARTIAL = 64        /* covers part of the program            */
};

/*
 * An empty profile.
 *
 *   options   NULL or all zero: defaults; copied
 *
 * Returns   the profile, for csspgo_profile_free; NULL when out of memory
 * Threads   two profiles share nothing; one profile is for one thread at a time
 */
CSSPGO_DEF csspgo_profile *csspgo_profile_new(const csspgo_options *options);

/* Frees a profile and all it holds; NULL is fine. */
CSSPGO_DEF void csspgo_profile_free(csspgo_profile *p);

/* The flags CSSPGO_IS_CS ...; csspgo_set_profile_flags replaces them. */
CSSPGO_DEF uint32_t csspgo_profile_flags(const csspgo_profile *p);
CSSPGO_DEF void csspgo_set_profile_flags(csspgo_profile *p, uint32_t flags);

/*
 * A function by name. csspgo_func_add makes it if need be, csspgo_func_find does not.
 *
 *   name, size   size in bytes, any bytes; copied
 *
 * Returns   the function; id 0: not there, or (add) out of memory
 * Cost      O(size), one hash probe
 */
CSSPGO_DEF csspgo_func csspgo_func_add(csspgo_profile *p, const char *name, size_t size);
CSSPGO_DEF csspgo_func csspgo_func_find(const csspgo_profile *p, const char *name, size_t size);

/* A function that is known by its GUID only (profiles with MD5 names). */
CSSPGO_DEF csspgo_func csspgo_func_add_guid(csspgo_profile *p, uint64_t guid);

/* Functions have the ids 1 to csspgo_func_count. */
CSSPGO_DEF uint32_t csspgo_func_count(const csspgo_profile *p);

/* The name's bytes (not terminated, owned by p, valid until p grows) and their number; NULL, 0 for a mere GUID. */
CSSPGO_DEF const char *csspgo_func_name(const csspgo_profile *p, csspgo_func func, size_t *size);

/* The function's GUID; computed on first use, then O(1). */
CSSPGO_DEF uint64_t csspgo_func_guid(csspgo_profile *p, csspgo_func func);

/* The nodes of a function in the order in which they were made: start with csspgo_func_nodes, go on until id 0. */
CSSPGO_DEF csspgo_node csspgo_func_nodes(const csspgo_profile *p, csspgo_func func);
CSSPGO_DEF csspgo_node csspgo_node_next_same(const csspgo_profile *p, csspgo_node node);

/* The root: no function, no counts; parent of all base profiles and outermost frames. */
CSSPGO_DEF csspgo_node csspgo_root(const csspgo_profile *p);

/*
 * The child of a node: func called (or inlined) at loc of parent. csspgo_node_add makes it if need be.
 *
 *   loc    call site in the parent's function; (0, 0) below the root
 *
 * Returns   the node; id 0: not there, or (add) out of memory, line above 65535, or a kind that parent cannot have
 * Cost      one hash probe
 */
CSSPGO_DEF csspgo_node csspgo_child(const csspgo_profile *p, csspgo_node parent, csspgo_loc loc, csspgo_node_kind kind,
                                    csspgo_func func);
CSSPGO_DEF csspgo_node csspgo_node_add(csspgo_profile *p, csspgo_node parent, csspgo_loc loc, csspgo_node_kind kind,
                                       csspgo_func func);

/*
 * A node by its context as text: "main:12 @ bar:3.1 @ foo", brackets optional.
 *
 * Each frame is looked for as context, then as inlinee; the first one as plain function too.
 * Returns   the node; id 0 if there is none
 * Cost      O(length)
 */
CSSPGO_DEF csspgo_node csspgo_find(const csspgo_profile *p, const char *context);

/* A node's place in the tree. Parent of the root: id 0. The order of siblings is not specified. */
CSSPGO_DEF csspgo_node csspgo_node_parent(const csspgo_profile *p, csspgo_node node);
CSSPGO_DEF csspgo_node csspgo_node_first_child(const csspgo_profile *p, csspgo_node node);
CSSPGO_DEF csspgo_node csspgo_node_next_sibling(const csspgo_profile *p, csspgo_node node);
CSSPGO_DEF csspgo_func csspgo_node_func(const csspgo_profile *p, csspgo_node node);
CSSPGO_DEF csspgo_loc csspgo_node_loc(const csspgo_profile *p, csspgo_node node);
CSSPGO_DEF csspgo_node_kind csspgo_node_kind_of(const csspgo_profile *p, csspgo_node node);

/* 1 if the node has counts of its own (a record), 0 for a frame that only links deeper contexts. */
CSSPGO_DEF int csspgo_has_record(const csspgo_profile *p, csspgo_node node);

/* Number of nodes without the root, and of those with a record. */
CSSPGO_DEF uint32_t csspgo_node_count(const csspgo_profile *p);
CSSPGO_DEF uint32_t csspgo_record_count(const csspgo_profile *p);

/* What the record of a node holds; 0 where there is none. */
CSSPGO_DEF uint64_t csspgo_total(const csspgo_profile *p, csspgo_node node);
CSSPGO_DEF uint64_t csspgo_head(const csspgo_profile *p, csspgo_node node);
CSSPGO_DEF uint64_t csspgo_checksum(const csspgo_profile *p, csspgo_node node);
CSSPGO_DEF uint32_t csspgo_attributes(const csspgo_profile *p, csspgo_node node);
CSSPGO_DEF uint64_t csspgo_body_count(const csspgo_profile *p, csspgo_node node, csspgo_loc loc);
CSSPGO_DEF uint64_t csspgo_target_count(const csspgo_profile *p, csspgo_node node, csspgo_loc loc, csspgo_func func);

/* Body sorted by location, targets by (location, function id); owned by p, valid until p changes. *count may be 0. */
CSSPGO_DEF const csspgo_body *csspgo_bodies(const csspgo_profile *p, csspgo_node node, size_t *count);
CSSPGO_DEF const csspgo_target *csspgo_targets(const csspgo_profile *p, csspgo_node node, size_t *count);

/* The targets at one location: what a call site calls. */
CSSPGO_DEF const csspgo_target *csspgo_targets_at(const csspgo_profile *p, csspgo_node node, csspgo_loc loc,
                                                  size_t *count);

/*
 * Adds to the record of a node, which is made if need be. Counts saturate at 2^64 - 1; a count of 0 makes the entry.
 * csspgo_add_target makes the body entry at loc too (with 0).
 *
 * Returns   CSSPGO_OK, E_NOMEM, E_LIMIT; E_ARGUMENT for the root, a bad handle or a line above 65535
 * Cost      O(log n) to find, O(n) to insert a new location into a record of n
 */
CSSPGO_DEF csspgo_status csspgo_add_total(csspgo_profile *p, csspgo_node node, uint64_t count);
CSSPGO_DEF csspgo_status csspgo_add_head(csspgo_profile *p, csspgo_node node, uint64_t count);
CSSPGO_DEF csspgo_status csspgo_add_body(csspgo_profile *p, csspgo_node node, csspgo_loc loc, uint64_t count);
CSSPGO_DEF csspgo_status csspgo_add_target(csspgo_profile *p, csspgo_node node, csspgo_loc loc, csspgo_func func,
                                           uint64_t count);
CSSPGO_DEF csspgo_status csspgo_set_checksum(csspgo_profile *p, csspgo_node node, uint64_t checksum);
CSSPGO_DEF csspgo_status csspgo_set_attributes(csspgo_profile *p, csspgo_node node, uint32_t attributes);

/*
 * Adds all of from to p: the same contexts get the sums. Associative and commutative: saturating sums; attributes and
 * flags by OR; of two checksums the larger one wins and the counts of the other record, with all that is nested in it,
 * are dropped and counted.
 *
 * Returns   CSSPGO_OK; E_NOMEM or E_LIMIT; E_ARGUMENT if one has contexts (or probes) and the other one has not, or if
 *           a lenient profile holds what p cannot. After a failure p is what it was.
 * Cost      O(n log n) in the size of from and of the records of p that it meets
 */
CSSPGO_DEF csspgo_status csspgo_add_profile(csspgo_profile *p, const csspgo_profile *from);

/* 1 if the two hold the same contexts with the same counts (function names matter, ids and order do not). O(p + q). */
CSSPGO_DEF int csspgo_equal(const csspgo_profile *p, const csspgo_profile *q);

/* Checks every invariant of the tree: for tests and after hand-made changes. err says which one is broken. O(p). */
CSSPGO_DEF csspgo_status csspgo_validate(const csspgo_profile *p, csspgo_error *err);

/* Bytes that the profile has allocated. */
CSSPGO_DEF uint64_t csspgo_profile_memory(const csspgo_profile *p);

/* ===== >>format: profiles as files ================================================================================ */

#ifndef CSSPGO_NO_FORMAT

/* Output forms for csspgo_write. */
enum { CSSPGO_TEXT = 1 };

/*
 * Reads a profile and adds it to p (as csspgo_add_profile does).
 *
 * Text is read strictly: what LLVM takes without meaning to (a line without colon, a frame without location, ...) is an
 * error. With options.lenient everything is taken that LLVM 19 takes, and for what LLVM takes it. The limits hold too.
 *
 *   p            after a failure it is exactly what it was before the call
 *   data, size   the whole file, size in bytes; borrowed until the call returns; need not be aligned or terminated
 *   err          NULL, or filled in every case; for text with the line and column (in bytes) of the offending byte
 *
 * Returns   CSSPGO_OK; E_SYNTAX; E_TRUNCATED: no function in it; E_RANGE: a number, or a sum of counts, is too large;
 *           E_VERSION: of a newer LLVM; E_UNSUPPORTED: another format than text; E_LIMIT; E_NOMEM; E_ARGUMENT: one of
 *           the two has contexts (or probes) and the other one has not
 * Cost      O(n log n) time, O(n) if lines are in order; at most 16 bytes of memory per input byte + 1 MB before it is
 *           added to p, and never above options.limits.max_bytes together with p
 * Source    LLVM 19: SampleProfReader
 */
CSSPGO_DEF csspgo_status csspgo_read(csspgo_profile *p, const void *data, size_t size, csspgo_error *err);

/*
 * Writes a profile. Text is, byte for byte, what `llvm-profdata-19 merge --sample --text` writes.
 *
 *   p          is not changed, but needs memory for the order of its functions
 *   form       CSSPGO_TEXT, or a binary form below
 *   buf, cap   where to; NULL and 0 to ask for the size
 *   size       gets the bytes needed (0 after any failure but a short buffer), or NULL
 *
 * Returns   CSSPGO_OK; E_LIMIT if buf is too short (its first cap bytes are filled); E_UNSUPPORTED for a name that
 *           would read back as something else (a lenient profile is written all the same, as LLVM does it); E_ARGUMENT
 *           for an unknown form; E_NOMEM
 * Cost      O(n log n) in the number of names, nodes and counts; about 8 bytes of memory per node and 20 per name
 * Source    LLVM 19: SampleProfWriter
 */
CSSPGO_DEF csspgo_status csspgo_write(csspgo_profile *p, uint32_t form, void *buf, size_t cap, size_t *size,
                                      csspgo_error *err);

#ifndef CSSPGO_NO_STDIO
/* The same for files; E_IO if one cannot be opened, read or written. A file that failed to be written is incomplete. */
CSSPGO_DEF csspgo_status csspgo_read_file(csspgo_profile *p, const char *path, csspgo_error *err);
CSSPGO_DEF csspgo_status csspgo_write_file(csspgo_profile *p, const char *path, uint32_t form, csspgo_error *err);
#endif

#endif /* CSSPGO_NO_FORMAT */

#ifndef CSSPGO_NO_FORMAT

/* ----- binary forms, summary, symbol list ----- */

/* Forms beside CSSPGO_TEXT for csspgo_write, and what may be added to them. */
enum {
    CSSPGO_BINARY    = 2,         /* LLVM raw binary: no contexts, checksums, attributes, GUIDs                     */
    CSSPGO_EXTBINARY = 3,         /* LLVM ExtBinary: everything                                                     */
    CSSPGO_GCOV      = 4,         /* GCC AutoFDO as LLVM reads it: no contexts, checksums, attributes, GUIDs, totals */
    CSSPGO_COMPACT   = 5,         /* LLVM CompactBinary, of releases before 17: read only                           */
    CSSPGO_COMPRESS  = 0x100,     /* ExtBinary: deflate every section (needs CSSPGO_USE_ZLIB)                       */
    CSSPGO_MD5       = 0x200,     /* ExtBinary: GUIDs instead of names                                              */
    CSSPGO_SPLIT     = 0x400,     /* ExtBinary: functions with inlinees and those without in sections of their own  */
    CSSPGO_PARTIAL   = 0x800,     /* ExtBinary: mark the profile as partial                                         */
    CSSPGO_GCC       = 0x1000     /* GCOV: as GCC 12 and later read it                                              */
};

/*
 * What a file is, by its first bytes.
 *
 * Returns   CSSPGO_BINARY, CSSPGO_EXTBINARY, CSSPGO_GCOV, CSSPGO_COMPACT, or CSSPGO_TEXT for everything else
 */
CSSPGO_DEF uint32_t csspgo_sniff(const void *data, size_t size);

/* How the counts of a profile are distributed. Body counts of the same function in several contexts are one count. */
typedef struct csspgo_summary {
    uint64_t total;               /* sum of all body counts, mod 2^64                          */
    uint64_t max_count;           /* the largest one                                           */
    uint64_t max_head;            /* the largest head count of a function                      */
    uint64_t counts;              /* number of body counts                                     */
    uint64_t functions;           /* without those that are only inlined                       */
} csspgo_summary;

typedef struct csspgo_cutoff {
    uint64_t ppm;                 /* the hottest counts that make this many millionths of total */
    uint64_t min_count;           /* the smallest one of them                                   */
    uint64_t counts;              /* how many they are                                          */
} csspgo_cutoff;

enum { CSSPGO_CUTOFFS = 16 };     /* entries of the summary in LLVM's files */

/* The summary's 16 cutoffs in LLVM's files: ppm is set, the rest 0. */
CSSPGO_DEF void csspgo_default_cutoffs(csspgo_cutoff cutoff[CSSPGO_CUTOFFS]);

/*
 * Computes the summary of a profile.
 *
 *   summary      filled in
 *   cutoff, n    ppm of each is the caller's, ascending and at most 1000000; the rest is filled in. NULL and 0 are fine
 *
 * Returns   CSSPGO_OK, E_ARGUMENT for bad ppm, E_NOMEM, E_LIMIT
 * Cost      O(n log n) in the number of counts
 * Source    LLVM 19 SampleProfileSummaryBuilder; of contexts with different checksums the largest checksum's count
 */
CSSPGO_DEF csspgo_status csspgo_summarize(csspgo_profile *p, csspgo_summary *summary, csspgo_cutoff *cutoff, size_t n);

/* The summary that stood in the file. csspgo_stored_summary returns 0 if there is none or p was changed since. */
CSSPGO_DEF int csspgo_stored_summary(const csspgo_profile *p, csspgo_summary *summary, size_t *cutoffs);
CSSPGO_DEF csspgo_cutoff csspgo_stored_cutoff(const csspgo_profile *p, size_t i);

/*
 * The symbol list: functions that were in the profiled program, so that those without counts are known to be cold, not
 * new. csspgo_set_listed returns E_ARGUMENT for a bad handle or a function without a name.
 */
CSSPGO_DEF int csspgo_is_listed(const csspgo_profile *p, csspgo_func func);
CSSPGO_DEF csspgo_status csspgo_set_listed(csspgo_profile *p, csspgo_func func, int listed);

typedef struct csspgo_lazy csspgo_lazy;

/*
 * Opens an ExtBinary profile without reading its functions.
 *
 *   options      of the profile that is filled; NULL: defaults
 *   data, size   the whole file, borrowed until csspgo_lazy_free (it may be a mapped file)
 *
 * Returns   the object; NULL: err says why. E_UNSUPPORTED for other forms, compressed sections, files without a table of
 *           functions: csspgo_read reads those
 * Cost      O(names + contexts + metadata); the records are not touched
 */
CSSPGO_DEF csspgo_lazy *csspgo_lazy_open(const csspgo_options *options, const void *data, size_t size, csspgo_error *err);
CSSPGO_DEF void csspgo_lazy_free(csspgo_lazy *l);

/*
 * Loads one function into the object's profile: its record with all that is nested in it; of a profile with contexts, every
 * context that ends in it and all below these. What was loaded before is not loaded again; an unknown name loads nothing.
 * In a profile of GUIDs the name's GUID is looked for.
 *
 * Returns   CSSPGO_OK, or as csspgo_read; after a failure the profile is what it was before
 * Cost      O(what is loaded, and one byte for each name or context)
 */
CSSPGO_DEF csspgo_status csspgo_lazy_load(csspgo_lazy *l, const char *name, size_t size, csspgo_error *err);

/* What is loaded so far, with the file's flags and stored summary; owned by l, not to be changed. No symbol list. */
CSSPGO_DEF csspgo_profile *csspgo_lazy_profile(csspgo_lazy *l);

#endif /* CSSPGO_NO_FORMAT */

/* ===== >>code: modules, functions, control transfers, probes by address ============================================ */

#ifndef CSSPGO_NO_CODE

/* What a control transfer is. Interrupts, system calls and traps are CSSPGO_NONE: code runs on behind them. */
typedef enum csspgo_kind {
    CSSPGO_NONE = 0, CSSPGO_COND = 1, CSSPGO_JMP = 2, CSSPGO_IJMP = 3, CSSPGO_CALL = 4, CSSPGO_RET = 5,
    CSSPGO_KIND_FORCE_32 = 0x7fffffff
} csspgo_kind;

typedef enum csspgo_arch {
    CSSPGO_X86_64 = 1, CSSPGO_AARCH64 = 2,
    CSSPGO_ARCH_FORCE_32 = 0x7fffffff
} csspgo_arch;

/*
 * The code map: which addresses are code, where it transfers control, which function and which probes are there.
 *
 * Code comes in modules (an executable or library: tables use its link-time addresses, and it is mapped somewhere) or
 * without one (module id 0: a JIT's code, all addresses are run-time addresses). Tables are copied. Code that was
 * removed keeps its tables, so counts already taken from it stay right; what is put at the same addresses later is other code.
 */
typedef struct csspgo_code csspgo_code;
typedef struct csspgo_module { uint32_t id; } csspgo_module;

typedef struct csspgo_segment {   /* a loadable segment of a module's file                             */
    uint64_t address;             /* link-time address                                                 */
    uint64_t file_offset, size;   /* of its bytes in the file                                          */
    uint32_t executable, reserved;
} csspgo_segment;

typedef struct csspgo_function {  /* one contiguous range of a function's code                         */
    uint64_t begin, end;          /* [begin, end)                                                      */
    uint64_t guid;                /* csspgo_guid of its name; 0: computed from name                    */
    uint64_t checksum;            /* CFG checksum, 0 = unknown                                         */
    const char *name;             /* or NULL if only the GUID is known; name_size bytes, copied        */
    size_t   name_size;
    uint32_t part;                /* 1: a further range of a split function, not its entry             */
    uint32_t reserved;
} csspgo_function;

typedef struct csspgo_transfer {  /* one call, return, jump or conditional branch                      */
    uint64_t address;             /* of the instruction                                                */
    uint64_t target;              /* where a direct one goes, 0 = indirect or unknown                  */
    uint32_t size;                /* bytes of the instruction, 1 to 15                                 */
    csspgo_kind kind;
} csspgo_transfer;

typedef struct csspgo_inline {    /* a node of the inline tree: a function body, inlined or not        */
    uint64_t guid;
    uint32_t parent;              /* index + 1 of the inline node it was inlined into, 0 = top level; before this one */
    uint32_t site;                /* call probe id in the parent at which it was inlined, 0 = unknown  */
} csspgo_inline;

enum { CSSPGO_PROBE_BLOCK = 0, CSSPGO_PROBE_INDIRECT_CALL = 1, CSSPGO_PROBE_DIRECT_CALL = 2 };

typedef struct csspgo_probe {     /* one occurrence of a probe in the code                             */
    uint64_t address;
    uint32_t id;                  /* from 1                                                            */
    uint32_t discriminator;       /* 0 = none                                                          */
    uint32_t inline_node;         /* index + 1 of its csspgo_inline                                    */
    uint8_t  kind, attributes;    /* CSSPGO_PROBE_...; attribute bits as in the section                */
    uint16_t reserved;
} csspgo_probe;

typedef struct csspgo_descriptor { /* what .pseudo_probe_desc says of a function                       */
    uint64_t guid, checksum;
    const char *name;             /* name_size bytes                                                   */
    size_t   name_size;
} csspgo_descriptor;

/* Module id 0: run-time addresses. */
CSSPGO_DEF csspgo_module csspgo_no_module(void);

/* A new, empty code map; NULL when out of memory. Free it after every collector that uses it. */
CSSPGO_DEF csspgo_code *csspgo_code_new(const csspgo_options *options);
CSSPGO_DEF void csspgo_code_free(csspgo_code *code);

/*
 * Adds an executable or library. Until csspgo_code_mmap or csspgo_code_map says otherwise it is mapped where it was linked.
 *
 *   name, size       file name; the last path component is compared with the names of mmap events
 *   segments, count  its loadable segments in file order
 *
 * Returns   the module; id 0 when out of memory
 */
CSSPGO_DEF csspgo_module csspgo_code_add_module(csspgo_code *code, const char *name, size_t size,
                                                const csspgo_segment *segments, size_t count);

/* The address that offsets of a module count from: its first executable segment, rounded down to 4096; 0 for none. */
CSSPGO_DEF uint64_t csspgo_code_base(const csspgo_code *code, csspgo_module module);

/*
 * Adds executable bytes of a module (or of a JIT): decodes them into instruction starts and control transfers.
 *
 *   address       of the first byte
 *   starts        ascending addresses at which decoding restarts (symbols); bytes before the first one are not code.
 *                 NULL: the whole of it is one run of instructions
 *
 * Returns   CSSPGO_OK; E_ARGUMENT if it overlaps other code of the module; E_LIMIT above 4 GiB of code in all; E_NOMEM
 * Cost      O(size), one byte of memory per byte of code
 */
CSSPGO_DEF csspgo_status csspgo_code_add_bytes(csspgo_code *code, csspgo_module module, csspgo_arch arch,
                                               uint64_t address, const void *bytes, size_t size,
                                               const uint64_t *starts, size_t start_count);

/*
 * Adds code without its bytes: every address in it counts as an instruction, transfers come from csspgo_code_add_transfers.
 * csspgo_code_add_function does it by itself for code that was not announced.
 */
CSSPGO_DEF csspgo_status csspgo_code_add_area(csspgo_code *code, csspgo_module module, uint64_t address, uint64_t size);

/*
 * Adds tables for code that is there. Addresses outside it are E_ARGUMENT (transfers, functions), or skipped (probes);
 * so is a function where there is one already: code that goes must be removed first.
 *
 * csspgo_code_add_probes: inline nodes refer to each other and probes to them by index + 1 within this call. Probes with
 * id 0 or of an unknown kind get no count.
 *
 * Returns   CSSPGO_OK, E_ARGUMENT, E_NOMEM, E_LIMIT; on failure nothing of the call was added
 * Cost      O(n) when tables come in ascending address order, O(total log total) at the next use otherwise
 */
CSSPGO_DEF csspgo_status csspgo_code_add_function(csspgo_code *code, csspgo_module module, const csspgo_function *f);
CSSPGO_DEF csspgo_status csspgo_code_add_transfers(csspgo_code *code, csspgo_module module,
                                                   const csspgo_transfer *transfers, size_t count);
CSSPGO_DEF csspgo_status csspgo_code_add_probes(csspgo_code *code, csspgo_module module, const csspgo_inline *inlines,
                                                size_t inline_count, const csspgo_probe *probes, size_t probe_count);
CSSPGO_DEF csspgo_status csspgo_code_add_descriptors(csspgo_code *code, const csspgo_descriptor *descriptors,
                                                     size_t count);

/* The code of a JIT in [begin, end) is gone: later samples there are not its. Add samples taken before this call first. */
CSSPGO_DEF csspgo_status csspgo_code_remove(csspgo_code *code, uint64_t begin, uint64_t end);

/* The module's code runs at link-time address + bias (mod 2^64) from now on. */
CSSPGO_DEF csspgo_status csspgo_code_map(csspgo_code *code, csspgo_module module, uint64_t bias);

typedef struct csspgo_mmap {      /* a mapping event                                        */
    uint64_t address, size, file_offset;
    const char *path;             /* path_size bytes                                        */
    size_t   path_size;
    uint32_t pid, executable;     /* executable: 0 = known not to be                        */
} csspgo_mmap;

/*
 * Tells the map of a mapping event. It counts if the path's last component is the name of a module and the file offset
 * that of its first executable segment (or of a further one at a fitting distance): then the module is mapped there.
 *
 * Returns   1 if it was for a module, 0 if not, -1 if it names a module but fits none of its segments (ignored)
 */
CSSPGO_DEF int csspgo_code_mmap(csspgo_code *code, const csspgo_mmap *event);

/* ----- questions about code at a run-time address; 0 or id 0 where there is no code ------------------------------- */

/* The kind of the instruction at address. */
CSSPGO_DEF csspgo_kind csspgo_code_kind(const csspgo_code *code, uint64_t address);

/* The address of the call instruction that ends at address, 0 if there is none. */
CSSPGO_DEF uint64_t csspgo_code_call_before(const csspgo_code *code, uint64_t address);

typedef struct csspgo_frame {     /* one function of an inline stack                                      */
    uint64_t guid;
    const char *name;             /* owned by the map, name_size bytes; NULL if no descriptor names it    */
    size_t   name_size;
    uint32_t probe;               /* probe id: of the call site, in the last frame of the probe itself    */
    uint32_t kind;                /* CSSPGO_PROBE_... of the last frame's probe                           */
} csspgo_frame;

/* Number of probes at address; probe number i of them: its inline stack, outermost first. Returns the frames it has. */
CSSPGO_DEF size_t csspgo_code_probe_count(const csspgo_code *code, uint64_t address);
CSSPGO_DEF size_t csspgo_code_probe_stack(const csspgo_code *code, uint64_t address, size_t i, csspgo_frame *frames,
                                          size_t room);

#endif /* CSSPGO_NO_CODE */

/* ----- >>code, second chapter: the sections .pseudo_probe and .pseudo_probe_desc, decoded and encoded ------------- */

#ifndef CSSPGO_NO_CODE

/*
 * Probe tables: what the two sections say, as plain arrays. They are filled by decoding sections, or function by
 * function (a JIT, a compiler), and go to csspgo_code_add_probes or are encoded again.
 */
typedef struct csspgo_probes csspgo_probes;

typedef struct csspgo_symbol_base { /* where the code of a symbol is; on a duplicate GUID the last one wins           */
    uint64_t guid;                /* csspgo_guid of the symbol's name                                                 */
    uint64_t address;             /* link-time; 0 is an address like any other                                        */
} csspgo_symbol_base;

typedef struct csspgo_text_range { uint64_t begin, end; } csspgo_text_range;   /* code in [begin, end)                */

enum {                            /* csspgo_probe_section.flags                                                       */
    CSSPGO_PROBES_REBASE = 1,     /* records start at their symbols even after an absolute address, for images that   */
                                  /*   were linked from objects of LLVM 14 and of later ones                          */
    CSSPGO_PROBES_RAW_SENTINELS = 2, /* a sentinel's payload that is no GUID of bases is an address                   */
    CSSPGO_PROBES_KEEP_COMPLETE = 4  /* on failure the top-level records that were complete stay in the tables        */
};

typedef struct csspgo_probe_section {
    const void *data;             /* size bytes, borrowed until the call returns; uncompressed                        */
    size_t      size;
    const csspgo_symbol_base *bases;   /* the symbols in symbol-table order; of an object file: those of the text     */
    size_t      base_count;       /*   section that the probe section belongs to                                      */
    const csspgo_text_range *text;     /* ascending, disjoint; or NULL. Addresses outside are counted, not dropped    */
    size_t      text_count;
    uint32_t    flags, reserved;
} csspgo_probe_section;

typedef struct csspgo_probe_record { /* a top-level record: the code of one function body below one symbol            */
    uint64_t symbol;              /* GUID of the symbol that holds the code: the function's own, or the sentinel's    */
    uint64_t address;             /* of that symbol, with CSSPGO_RECORD_BASED                                         */
    uint32_t first_inline, inline_count;   /* its nodes, the function's own first                                     */
    uint32_t first_probe, probe_count;
    uint32_t flags, reserved;
} csspgo_probe_record;

enum { CSSPGO_RECORD_BASED = 1, CSSPGO_RECORD_SENTINEL = 2 };   /* csspgo_probe_record.flags                          */

/* What was odd in the decoded sections, and what was dropped: one counter per reason. L: in lenient mode only. */
typedef struct csspgo_probe_stats {
    uint64_t absolute;            /* probes with an absolute address: LLVM 14, BOLT, JITs                             */
    uint64_t sentinels;           /* records whose symbol has another name than the function                          */
    uint64_t raw_sentinels;       /* of these, payloads taken as addresses                                            */
    uint64_t reserved_attributes; /* probes with attribute 1                                                          */
    uint64_t sites_0;             /* inlinees without a call-site id                                                  */
    uint64_t outside_text;        /* probes outside the text ranges                                                   */
    uint64_t no_base;             /* L: probes dropped because their base address is unknown                          */
    uint64_t odd_sentinels;       /* L: sentinels at other places or of another form; they only moved the base        */
    uint64_t odd_kinds;           /* L: probes of an unknown kind, kept                                               */
    uint64_t ids_0;               /* L: probes with id 0, kept; give them no count                                    */
    uint64_t guids_0;             /* L: inline nodes with GUID 0, kept                                                */
    uint64_t duplicate_descriptors;    /* dropped: the GUID was there before                                          */
    uint64_t conflicting_descriptors;  /* of these, with another checksum                                             */
} csspgo_probe_stats;

/* All arrays are owned by the tables and valid until these change. */
typedef struct csspgo_probe_tables {
    const csspgo_inline       *inlines;      /* every node before what was inlined into it                            */
    const csspgo_probe        *probes;       /* grouped by inline node, within it in the order of the section         */
    const csspgo_probe_record *records;
    const csspgo_descriptor   *descriptors;  /* one per GUID, in the order of the section                             */
    size_t inline_count, probe_count, record_count, descriptor_count;
    csspgo_probe_stats stats;
} csspgo_probe_tables;

/* Empty tables; NULL when out of memory. Threads: calls on different tables may overlap, calls on one may not. */
CSSPGO_DEF csspgo_probes *csspgo_probes_new(const csspgo_options *options);
CSSPGO_DEF void csspgo_probes_free(csspgo_probes *t);

/* Empties the tables but keeps their memory. */
CSSPGO_DEF void csspgo_probes_clear(csspgo_probes *t);

/* The tables as they are now. */
CSSPGO_DEF csspgo_probe_tables csspgo_probes_tables(const csspgo_probes *t);

/*
 * The probes by address: probe_count indices into probes, ascending by (address, index); NULL if there are none or
 * memory is exhausted. Valid until the tables change. Cost: O(n log n) on the first call after a change.
 */
CSSPGO_DEF const uint32_t *csspgo_probes_by_address(csspgo_probes *t);

/*
 * Decodes a .pseudo_probe section and appends what it holds.
 *
 *   t     after a failure it is as before the call, but see CSSPGO_PROBES_KEEP_COMPLETE
 *   in    a linked file's section with all symbols, an object file's with those of its text section, a JIT's blob
 *   err   NULL, or filled in every case
 *
 * Strict reading fails on what LLVM's producers never write (lenient, in brackets: kept or dropped, and counted): kinds
 * above 2 [kept], id 0 [kept], GUID 0 [kept], misplaced sentinels [move the base], a delta or sentinel whose base is
 * in no symbol [probes dropped, inline nodes kept].
 *
 * Returns   CSSPGO_OK; E_SYNTAX for the above; E_TRUNCATED, also for a count that the bytes left cannot hold; E_RANGE
 *           for a number above its 32 or 64 bits; E_LIMIT above limits.max_depth nested nodes; E_NOMEM. After
 *           E_TRUNCATED, E_RANGE and E_LIMIT nothing behind the offset can be trusted in any mode.
 * Cost      O(size + base_count); memory: at most 11 bytes per byte of the section + 32 per base + 1 MB if the tables
 *           were empty, by-address order included; others grow by half of what they hold or more, and are copied
 * Source    LLVM 16 and later, which read LLVM 14's and BOLT's absolute addresses too: after the first such probe a
 *           section is one chain, and symbols no longer count
 */
CSSPGO_DEF csspgo_status csspgo_probes_decode(csspgo_probes *t, const csspgo_probe_section *in, csspgo_error *err);

/*
 * Decodes a .pseudo_probe_desc section and appends its entries; the first entry of a GUID wins.
 *
 * Returns   CSSPGO_OK; E_TRUNCATED; E_RANGE; E_LIMIT for a name above limits.max_name; E_NOMEM. On failure t is as
 *           before.
 * Cost      O(size); at most 8 bytes of memory per byte + 1 MB
 */
CSSPGO_DEF csspgo_status csspgo_probes_decode_descriptors(csspgo_probes *t, const void *data, size_t size,
                                                          csspgo_error *err);

typedef struct csspgo_probe_function { /* the code of one symbol, to be encoded                                       */
    uint64_t symbol, address;     /* GUID of its linkage name, 0: the function's own; address of its first byte       */
    const csspgo_inline *inlines; /* links: index + 1 within this array, every node before what was inlined into it;  */
    size_t   inline_count;        /*   several top-level nodes: code of several functions without an inline chain     */
    const csspgo_probe *probes;   /* in the order of the code; inline_node: index + 1 in inlines                      */
    size_t   probe_count;
} csspgo_probe_function;

/*
 * Appends the records of one symbol in the order in which LLVM writes them: one per top-level node by GUID, inlinees by
 * (GUID, site), equal ones merged, nodes without a probe in or below them left out. attributes of the probes: 0, or
 * bit 1 (reserved) and bit 4 (write the discriminator although it is 0).
 *
 * Returns   CSSPGO_OK; E_ARGUMENT for links that break the rules above, GUID 0, id 0, a kind above 2, other attributes;
 *           E_LIMIT, E_NOMEM. On failure t is as before.
 * Cost      O(n log n)
 * Source    LLVM 19: MCPseudoProbeSections
 */
CSSPGO_DEF csspgo_status csspgo_probes_add(csspgo_probes *t, const csspgo_probe_function *f, csspgo_error *err);

/*
 * Appends a descriptor, unless there is one of its GUID.
 *
 *   d     guid 0: computed from the name; the name is copied
 *
 * Returns   CSSPGO_OK; E_ARGUMENT if the GUID is 0 all the same; E_LIMIT; E_NOMEM
 */
CSSPGO_DEF csspgo_status csspgo_probes_add_descriptor(csspgo_probes *t, const csspgo_descriptor *d, csspgo_error *err);

typedef enum csspgo_probe_style { /* how addresses are written; sections of different styles must not be joined       */
    CSSPGO_PROBES_RELATIVE = 0,   /* to the symbols: what LLVM writes since 16; each record needs CSSPGO_RECORD_BASED */
    CSSPGO_PROBES_ABSOLUTE_FIRST = 1,   /* the first probe of each record absolute: readable without symbols          */
    CSSPGO_PROBES_ABSOLUTE = 2,   /* all absolute                                                                     */
    CSSPGO_PROBES_SENTINEL_ADDRESS = 3, /* relative to a sentinel whose payload is the symbol's address: for LLVM's   */
                                  /*   readers, and ours with CSSPGO_PROBES_RAW_SENTINELS                             */
    CSSPGO_PROBES_CHAIN = 4,      /* the first probe of the section absolute, the others one chain: LLVM 14, BOLT     */
    CSSPGO_PROBE_STYLE_FORCE_32 = 0x7fffffff
} csspgo_probe_style;

/*
 * Encodes the tables into the bytes of the sections, in the order of the tables: what was decoded comes out as it was
 * read, but for LEB128 padding and the style asked for.
 *
 *   buf, cap   where to; NULL and 0 to ask for the size.     size   gets the bytes needed, or NULL
 *
 * Returns   CSSPGO_OK; E_LIMIT if buf is too short (its first cap bytes are filled); E_ARGUMENT for a style that needs
 *           the address of a record's symbol where it is unknown
 * Cost      O(n), no memory
 */
CSSPGO_DEF csspgo_status csspgo_probes_encode(const csspgo_probes *t, csspgo_probe_style style, void *buf, size_t cap,
                                              size_t *size, csspgo_error *err);
CSSPGO_DEF csspgo_status csspgo_probes_encode_descriptors(const csspgo_probes *t, void *buf, size_t cap, size_t *size,
                                                          csspgo_error *err);

/* ----- probe ids and CFG checksums, for compilers whose probes shall fit LLVM's profiles -------------------------- */

typedef enum csspgo_llvm {        /* whose numbering; checksums differ where there are calls and branches             */
    CSSPGO_LLVM_14 = 14, CSSPGO_LLVM_19 = 19,
    CSSPGO_LLVM_FORCE_32 = 0x7fffffff
} csspgo_llvm;

enum { CSSPGO_CFG_EH_PAD = 1, CSSPGO_CFG_INVOKE = 2 };   /* csspgo_cfg_block.flags                                    */

typedef struct csspgo_cfg_block { /* blocks stand in layout order, the entry first                                    */
    const uint32_t *successors;   /* block indices in the order of the terminator's operands, duplicates kept         */
    uint32_t successor_count;
    uint32_t call_count;          /* calls in the block, a terminator that calls included, intrinsics not             */
    uint32_t flags;               /* begins with an EH pad; ends in an invoke, whose normal successor is the first    */
    uint32_t id;                  /* out: of its block probe, 0 = none                                                */
    uint32_t first_call, numbered_calls;   /* out: ids of its calls: numbered_calls of them from first_call on        */
} csspgo_cfg_block;

/*
 * Numbers the probes of a function and computes its checksum.
 *
 *   blocks     the out fields are filled in
 *   options    memory for the call; NULL = defaults
 *   checksum   gets the checksum, whose bits 60 to 63 are clear
 *
 * Returns   CSSPGO_OK; E_ARGUMENT for a successor that is no block, an invoke without successors or an unknown version;
 *           E_LIMIT if ids pass 32 bits; E_NOMEM
 * Cost      O(edges + blocks log blocks); 13 bytes of memory per block
 * Source    LLVM 19 (also main) and LLVM 14: SampleProfileProber
 */
CSSPGO_DEF csspgo_status csspgo_cfg_checksum(csspgo_cfg_block *blocks, size_t count, csspgo_llvm version,
                                             const csspgo_options *options, uint64_t *checksum, csspgo_error *err);

typedef struct csspgo_call_probe { /* a call probe as LLVM packs it into the DWARF discriminator of the call          */
    uint32_t id;                  /* 1 to 65535                                                                       */
    uint32_t kind;                /* CSSPGO_PROBE_...                                                                 */
    uint32_t percent;             /* distribution factor, 0 to 100                                                    */
    uint32_t base_discriminator;  /* packed by LLVM 19 if it and the id are small enough (7 and 8191), else lost      */
} csspgo_call_probe;

/* The discriminator; 0 if a field is out of its range. Source: LLVM 19 and 14, PseudoProbeDwarfDiscriminator. */
CSSPGO_DEF uint32_t csspgo_call_probe_pack(const csspgo_call_probe *call, csspgo_llvm version);

/* Returns 1 and fills in *call if the discriminator is a call probe (of either version), else 0 and clears it. */
CSSPGO_DEF int csspgo_call_probe_unpack(uint32_t discriminator, csspgo_call_probe *call);

#endif /* CSSPGO_NO_CODE */

/* ----- instructions ----------------------------------------------------------------------------------------------- */

#ifndef CSSPGO_NO_CODE

typedef struct csspgo_insn {      /* one decoded instruction                                              */
    uint32_t size;                /* bytes; 0 = not an instruction                                        */
    csspgo_kind kind;             /* control transfer, or CSSPGO_NONE                                     */
    uint32_t has_target;          /* 1: target is valid (direct branch or call)                           */
    uint32_t skip;                /* bytes to advance when size is 0, at least 1; as LLVM's disassembler  */
    uint64_t target;              /* absolute, mod 2^64                                                   */
} csspgo_insn;

/*
 * Decodes the length and the control transfer of the instruction at code.
 *
 *   code, size   its first byte, and the bytes that may be read from there; a truncated instruction has size 0
 *   address      of the first byte, for the target
 *   out          filled in every case
 *
 * x86-64: long mode, every prefix, map, VEX, EVEX, XOP, REX2 and APX encoding; what is an instruction, its length, and
 * the bytes to skip behind what is none, are LLVM 19's. AArch64: a word that is no branch has kind CSSPGO_NONE and
 * size 4, whether an instruction is assigned to it or not.
 *
 * Returns   out->size
 * Cost      O(out->size + out->skip); no memory, no state. Sweeps more than 100 MB/s
 * Source    Intel SDM volume 2, AMD APM volume 3, Arm ARM; validity as of LLVM 19's disassembler
 */
CSSPGO_DEF uint32_t csspgo_decode_x86_64(const void *code, size_t size, uint64_t address, csspgo_insn *out);
CSSPGO_DEF uint32_t csspgo_decode_aarch64(const void *code, size_t size, uint64_t address, csspgo_insn *out);

#endif /* CSSPGO_NO_CODE */

/* ===== >>sample: perf records and perf script text become samples ================================================= */

#ifndef CSSPGO_NO_SAMPLE

/* One taken branch; the layout of the kernel's struct perf_branch_entry. */
typedef struct csspgo_branch {
    uint64_t from, to;            /* run-time addresses of the branch instruction and of its target */
    uint64_t flags;               /* the kernel's bits; not used, 0 from text                       */
} csspgo_branch;

/* One sample. Arrays are the caller's and only read during the call they are passed to. */
typedef struct csspgo_sample {
    const uint64_t      *stack;      /* call stack: [0] the sampled address, then return addresses, outermost last */
    const csspgo_branch *branches;   /* last branch records, newest first                                          */
    uint32_t stack_count;            /* 0: no stack was taken                                                      */
    uint32_t branch_count;
    uint64_t count;                  /* how many equal samples this stands for; 0 is taken as 0                    */
    uint64_t time;                   /* as recorded, 0 = unknown; not used yet                                     */
    uint32_t pid, tid;               /* 0 = unknown                                                                */
} csspgo_sample;

typedef enum csspgo_item {        /* what a reader found                                       */
    CSSPGO_ITEM_NONE = 0,         /* nothing more for now, or an error: see err                */
    CSSPGO_ITEM_SAMPLE = 1,
    CSSPGO_ITEM_MMAP = 2,         /* a mapping event                                           */
    CSSPGO_ITEM_OTHER = 3,        /* a record of another kind                                  */
    CSSPGO_ITEM_FORCE_32 = 0x7fffffff
} csspgo_item;

/* ----- perf_event_open ring buffers and records, in the machine's byte order -------------------------------------- */

/*
 * A ring buffer that its owner has mapped. The owner loads data_head (acquire) into head, calls csspgo_ring_next until
 * it gives CSSPGO_ITEM_NONE, and stores tail to data_tail (release). Records stay where they are; one that wraps is
 * copied to bounce. The buffer must be one that the kernel fills forwards (not write_backward).
 */
typedef struct csspgo_ring {
    const void *data;             /* the data pages, aligned to 8                                   */
    uint64_t    size;             /* their bytes, a power of two                                    */
    uint64_t    head, tail;       /* as in struct perf_event_mmap_page; tail moves forward          */
    void       *bounce;           /* owner's buffer, aligned to 8; NULL: records that wrap are lost */
    size_t      bounce_size;      /* its bytes; 65536 is enough for every record                    */
    uint64_t    sample_type;      /* as in the perf_event_attr of the event                         */
    uint64_t    branch_sample_type, read_format;
    uint64_t    lost;             /* samples that the kernel says it lost, added up                 */
    uint64_t    unfit;            /* records that wrapped and did not fit bounce                    */
} csspgo_ring;

/*
 * The next record of a ring.
 *
 *   sample, map   filled in for their kind; pointers lead into the ring (or bounce): use them before data_tail is
 *                 stored and before the next call
 *   err           NULL, or filled in every case
 *
 * A stack that was taken in several contexts (PERF_CONTEXT_* markers) becomes the user's part of it if it has one, else
 * the first part; its first address is the sampled one. An empty stack becomes the sampled address alone.
 *
 * Returns   what was found, behind which tail then is. CSSPGO_ITEM_NONE: nothing more, or an error in err: E_ARGUMENT
 *           (the fields of ring make no sense), E_SYNTAX, E_TRUNCATED, E_UNSUPPORTED (csspgo_record_sample); tail is
 *           then head, so what was in between is lost and the next call starts behind it
 * Cost      O(1) beyond the record's stack; no copy unless the record wraps, no allocation
 */
CSSPGO_DEF csspgo_item csspgo_ring_next(csspgo_ring *ring, csspgo_sample *sample, csspgo_mmap *map, csspgo_error *err);

/*
 * One PERF_RECORD_SAMPLE, as in ring buffers and perf.data, as a sample that points into it.
 *
 *   body, size   what follows the record's 8-byte header; aligned to 8; size in bytes
 *   sample_type, branch_sample_type, read_format   as in the perf_event_attr of its event
 *   sample       filled in; count is 1
 *
 * Returns   CSSPGO_OK; E_TRUNCATED or E_SYNTAX if the record contradicts its type; E_ARGUMENT if body is not aligned;
 *           E_UNSUPPORTED for branch records in call-stack mode, which are no trace
 * Source    Linux: perf_event_open(2), include/uapi/linux/perf_event.h
 */
CSSPGO_DEF csspgo_status csspgo_record_sample(const void *body, size_t size, uint64_t sample_type,
                                              uint64_t branch_sample_type, uint64_t read_format,
                                              csspgo_sample *sample, csspgo_error *err);

/* ----- perf script text ------------------------------------------------------------------------------------------- */

/*
 * A push parser of `perf script -F ip,brstack --show-mmap-events` text: call stacks with branch records ("hybrid") or
 * branch records alone ("flat", one line a sample), each with an optional line before it that holds a count.
 *
 *     csspgo_script_feed(s, chunk, size);            chunks of any size, the items do not depend on it
 *     while ((item = csspgo_script_next(s, &sample, &map, &err)) != CSSPGO_ITEM_NONE) ...
 *     csspgo_script_end(s);                          no more input: call next until NONE again; err is now final
 *
 * What makes no sense is skipped and counted, as llvm-profgen does; an error is only an input without any branch line
 * and one that ends between a stack and its branch line. The type is decided by the first branch line; mapping events
 * before that are handed out at once, unless they follow a line that could be a frame or a count.
 *
 * Memory    one line (limits.max_line), 1 MiB of lines before the first branch line, one sample
 * Threads   calls on different parsers may overlap, calls on one may not
 * Source    LLVM 19 llvm-profgen's reading of scripts; as LLVM's main branch a sample may have a single branch record.
 *           Other than there, CR LF ends a line like LF
 */
typedef struct csspgo_script csspgo_script;

typedef struct csspgo_script_stats {
    uint64_t lines, samples;      /* read; handed out                                                     */
    uint64_t attempts;            /* what LLVM calls samples: blank and junk lines count too              */
    uint64_t bad_frame_lines;     /* stacks abandoned at a line that is not an address                    */
    uint64_t bad_records;         /* branch lines cut at something that is no record, or dropped for it   */
    uint64_t bad_mmaps;           /* mapping lines that do not parse                                      */
    uint64_t empty_stacks;        /* branch lines without a stack in a hybrid script                      */
    uint64_t oversized;           /* lines above limits.max_line, samples above 65536 frames or records   */
    uint64_t first_bad_line;      /* line number of the first of the bad ones above, 0 = none             */
    uint32_t hybrid;              /* 1: call stacks and branches, 0: branches only (or not yet known)     */
    uint32_t reserved;
} csspgo_script_stats;

/* A new parser, NULL when out of memory. options: memory and limits, NULL = defaults. */
CSSPGO_DEF csspgo_script *csspgo_script_new(const csspgo_options *options);
CSSPGO_DEF void csspgo_script_free(csspgo_script *s);

/*
 * Makes the parser treat stacks exactly as llvm-profgen does, which looks at the code while it reads them:
 *   - if a return address in known code has no call before it, lines that are no addresses between it and the next
 *     branch line are passed over instead of abandoning the stack (so a sample without records can take those of the
 *     next one);
 *   - a stack at the end of the input without its branch line is no error if its leaf is in a prologue or epilogue.
 * Without this call, or with NULL, stacks are never completed from the next sample, and the end in a stack is an error.
 *
 *   code   must be told of each mapping event before csspgo_script_next is called again, and outlive s
 */
CSSPGO_DEF void csspgo_script_set_code(csspgo_script *s, const csspgo_code *code);

/*
 * Gives the parser its next piece of text.
 *
 *   text, size   size in bytes; borrowed until csspgo_script_next gives CSSPGO_ITEM_NONE
 *
 * Returns   CSSPGO_OK; E_ARGUMENT (and nothing is taken) if the last piece is not read up or after csspgo_script_end
 */
CSSPGO_DEF csspgo_status csspgo_script_feed(csspgo_script *s, const void *text, size_t size);
CSSPGO_DEF void csspgo_script_end(csspgo_script *s);

/*
 * The next sample or mapping event.
 *
 *   sample, map   filled in for their kind; what they point to lives until the next call on s
 *   err           NULL, or filled in every case
 *
 * Returns   CSSPGO_ITEM_SAMPLE, CSSPGO_ITEM_MMAP; CSSPGO_ITEM_NONE when the piece is read up, or with an error, which
 *           stays: E_NOMEM, E_LIMIT; after csspgo_script_end also E_SYNTAX (no branch line), E_TRUNCATED (a stack at
 *           the end without its branch line). What was handed out before is good
 * Cost      O(bytes read); text is copied only where a line is split between two pieces
 */
CSSPGO_DEF csspgo_item csspgo_script_next(csspgo_script *s, csspgo_sample *sample, csspgo_mmap *map, csspgo_error *err);

CSSPGO_DEF csspgo_script_stats csspgo_script_get_stats(const csspgo_script *s);

#endif /* CSSPGO_NO_SAMPLE */

/* ===== >>unwind: the LBR virtual unwinder: samples become counters per calling context ============================ */

#ifndef CSSPGO_NO_UNWIND

typedef struct csspgo_collector csspgo_collector;

/* All zero: contexts as deep as they are, recursion compressed, samples dropped where LLVM 19 drops them. */
typedef struct csspgo_collector_options {
    uint32_t ignore_stack;        /* 1: no contexts (stacks still decide which samples are dropped)                   */
    uint32_t keep_leaves;         /* 1: stacks are exact: keep samples whose leaf is in a prologue or epilogue        */
    uint32_t limit_recursion, max_recursion;   /* limit_recursion 1: compress cycles of up to max_recursion frames,   */
                                               /* none if that is 0                                                   */
    uint32_t limit_depth, max_depth;           /* limit_depth 1: keep the innermost max_depth call sites of a context */
    uint32_t cache_bytes;         /* memory for the cache of equal samples; 0 = 8 MiB                                 */
    uint32_t reserved;
} csspgo_collector_options;

/*
 * What became of the samples: one counter per reason. The first six count samples with their multiplicity; those from
 * unwound on are counted when distinct samples leave the cache, once each whatever their multiplicity.
 */
typedef struct csspgo_collector_stats {
    uint64_t samples;             /* handed in                                                                        */
    uint64_t no_stack;            /* dropped: no call stack, though the first sample had one                          */
    uint64_t no_branches;         /* dropped: no branch record with an end in known code                              */
    uint64_t prologue_leaves;     /* dropped: leaf in a prologue or epilogue                                          */
    uint64_t external_leaves;     /* the leaf is in unknown code                                                      */
    uint64_t bad_return_addresses;/* stack cut: no call before a return address                                       */
    uint64_t unwound;             /* distinct samples unwound (per flush of the cache)                                */
    uint64_t branches;            /* branch records of those                                                          */
    uint64_t paired_external, unpaired_external;   /* ranges with both ends, one end in unknown code: not counted     */
    uint64_t invalid_ranges;      /* ranges that would run across a call, return or jump, or backwards: not counted   */
    uint64_t mismatched_external, mismatched_leaf; /* calls that the stack did not show, from unknown and known code  */
    uint64_t zero_returns;        /* returns to an address without a call before it: rest of trace without context    */
    uint64_t truncated_contexts;  /* distinct contexts cut because unknown code lies in between                       */
    uint64_t deep_contexts;       /* distinct contexts cut to limits.max_depth frames when counters were last read    */
    uint64_t unplaced;            /* entries of unsymbolized text outside known code: not counted                     */
} csspgo_collector_stats;

/*
 * A collector: samples in, counters per calling context inside, profile or raw text out.
 *
 *   code      used by every call, must outlive the collector; several collectors may read one
 *   how       NULL = defaults; copied
 *   options   memory, limits; NULL = defaults
 *
 * Returns   the collector, for csspgo_collector_free; NULL when out of memory
 * Memory    the cache, and about 60 bytes per distinct context and per distinct range or branch in one; while a table
 *           grows the old one besides
 * Threads   collectors share only the code map; calls on one, and changes of the map, need the caller's order
 */
CSSPGO_DEF csspgo_collector *csspgo_collector_new(csspgo_code *code, const csspgo_collector_options *how,
                                                  const csspgo_options *options);

/* Frees a collector and all it holds; NULL is fine. */
CSSPGO_DEF void csspgo_collector_free(csspgo_collector *c);

/*
 * Adds samples. Their addresses are looked up now, in the code map as it is now. The first sample decides whether
 * contexts are kept at all (it has a stack) or not.
 *
 *   samples, count   only read during the call
 *
 * Returns   CSSPGO_OK; E_NOMEM, E_LIMIT (samples from the failing one on were not taken)
 * Cost      a look-up per address and a hash of the sample; two counter updates per branch when a distinct one leaves
 *           the cache
 * Source    LLVM 19: llvm-profgen's virtual unwinder
 */
CSSPGO_DEF csspgo_status csspgo_collector_add(csspgo_collector *c, const csspgo_sample *samples, size_t count);

/*
 * Unwinds what is in the cache. Everything that reads counters does it by itself; statistics are complete after it.
 *
 * Returns   CSSPGO_OK; E_NOMEM, E_LIMIT (the rest stays in the cache)
 */
CSSPGO_DEF csspgo_status csspgo_collector_flush(csspgo_collector *c);

/* 1 if counters are per context, 0 if context-less or not yet decided. */
CSSPGO_DEF int csspgo_collector_has_contexts(const csspgo_collector *c);

CSSPGO_DEF csspgo_collector_stats csspgo_collector_get_stats(const csspgo_collector *c);

/* Bytes that the collector has allocated. */
CSSPGO_DEF uint64_t csspgo_collector_memory(const csspgo_collector *c);

/* How addresses stand in unsymbolized text: the value + base (mod 2^64) is the link-time address. */
typedef struct csspgo_unsymbolized_options {
    csspgo_module module;         /* whose addresses they are; id 0: code without a module, at run-time addresses     */
    uint64_t      base;           /* usually csspgo_code_base(code, module); 0 = plain addresses                      */
} csspgo_unsymbolized_options;

/*
 * Writes the counters as llvm-profgen's --skip-symbolization does. What the module does not hold is as unknown code is:
 * contexts start behind it, branches from it have the source 1 - base, ranges and branches into it are left out.
 *
 *   how        NULL: the first module and its base; without any module plain addresses
 *   buf, cap   where to; NULL and 0 to ask for the size.     size   gets the bytes needed, or NULL
 *
 * Returns   CSSPGO_OK; E_ARGUMENT for an unknown module; E_LIMIT if buf is too short (its first cap bytes are filled);
 *           E_NOMEM
 * Cost      O(counters log counters)
 */
CSSPGO_DEF csspgo_status csspgo_write_unsymbolized(csspgo_collector *c, const csspgo_unsymbolized_options *how,
                                                   void *buf, size_t cap, size_t *size, csspgo_error *err);

/*
 * Adds the counters of such a text to the collector: context-less, or with contexts of hexadecimal call addresses.
 * Blank lines are passed over. Frames in unknown code cut the context; branches from unknown code keep their count,
 * ranges and branches into it do not (stats.unplaced).
 *
 *   how    as in csspgo_write_unsymbolized, for module and base of the text's addresses
 *   err    NULL, or filled in every case
 *
 * Returns   CSSPGO_OK; E_SYNTAX; E_TRUNCATED; E_RANGE (numbers above 64 bits, reversed ranges); E_UNSUPPORTED (contexts
 *           of names); E_ARGUMENT (unknown module, or contexts for a collector without and the reverse); E_NOMEM,
 *           E_LIMIT. On failure the counters are what they were before
 * Cost      O(size); at most 16 bytes of memory per byte of text + 1 MB
 * Source    LLVM 19: llvm-profgen --unsymbolized-profile, which crashes on contexts of addresses
 */
CSSPGO_DEF csspgo_status csspgo_read_unsymbolized(csspgo_collector *c, const csspgo_unsymbolized_options *how,
                                                  const void *text, size_t size, csspgo_error *err);

#ifndef CSSPGO_NO_STDIO
/* As csspgo_write_unsymbolized, to a file; also E_IO. */
CSSPGO_DEF csspgo_status csspgo_write_unsymbolized_file(csspgo_collector *c, const csspgo_unsymbolized_options *how,
                                                        const char *path, csspgo_error *err);
#endif

#endif /* CSSPGO_NO_UNWIND */

/* ===== >>generate: counters and code map become a profile ========================================================= */

#ifndef CSSPGO_NO_GENERATE

/* What could not be told when contexts got their names. */
typedef struct csspgo_generate_stats {
    uint64_t unprobed_calls;      /* distinct call paths whose callers were dropped: their last call has no probe */
    uint64_t unknown_sites;       /* times callers were dropped at inlined code whose call site is unknown */
    uint64_t deep_contexts;       /* times callers were dropped to stay within limits.max_depth of the profile */
    uint64_t inferred, ambiguous; /* pairs of call and callee that one, more than one chain of tail calls can join */
} csspgo_generate_stats;

/* All zero: every context (no trimming, merging or pre-inlining), frames that tail calls lost are inferred. */
typedef struct csspgo_generate_options {
    uint32_t no_inference;        /* 1: do not infer frames lost by tail calls */
    uint32_t max_search_depth;    /* of that inference: tail calls in a row; 0 = 256 */
    uint32_t sampled_functions;   /* 1: probes count only below functions that were sampled, as in llvm-profgen 19 */
    uint32_t fill_all_functions;  /* 1: context-less: zero counts for all functions of the map, not just sampled ones */
    csspgo_generate_stats *stats; /* NULL, or filled in */
} csspgo_generate_options;

/*
 * Adds what a collector has counted since the last such call to a profile, per probe, and starts counting anew.
 *
 * A block's count is how often code at its probes ran, a call's how often it was seen among the branches; probes of the
 * same copy of a function that did not run get 0, those that the compiler removed are absent. Calls in a context-less
 * profile count as code, and at top level at least as often as their targets say (what was raised for that stays so
 * when more is added). Frames are inferred from the tail calls among the branches counted since the last call.
 * Functions named __cxx_global_var_init* and __tls_init* get no record; probes count that have an id from 1 to 65535.
 *
 *   c     its code map must still hold all code that was sampled (csspgo_code_remove keeps it)
 *   p     gets contexts [a:1 @ b] with their counts, or, from a context-less collector, functions with nested inlinees
 *   how   NULL = defaults
 *   err   NULL, or filled in every case
 *
 * Returns   CSSPGO_OK; E_ARGUMENT if p holds another kind of profile; E_NOMEM, E_LIMIT (p and c are as before the call)
 * Cost      O(probes of the map + counters log counters + counts made), the latter times the depth of context at worst
 * Memory    for the call: 65 bytes per probe, 40 per inline node of the map, 80 per context, 24 per counter; what was
 *           made is there twice if p was not empty
 * Source    LLVM 19: llvm-profgen's probe-based generation
 */
CSSPGO_DEF csspgo_status csspgo_collector_profile(csspgo_collector *c, csspgo_profile *p,
                                                  const csspgo_generate_options *how, csspgo_error *err);

#endif /* CSSPGO_NO_GENERATE */

#ifdef __cplusplus
}
#endif
#endif /* CSSPGO_H_INCLUDED */

/* ===== The interface ends here. Read on only to work on csspgo itself. =========================================== */

#if defined(CSSPGO_IMPLEMENTATION) && !defined(CSSPGO_IMPLEMENTATION_INCLUDED)
#define CSSPGO_IMPLEMENTATION_INCLUDED

#include <string.h>
#ifndef CSSPGO_NO_STDIO
#  include <stdio.h>
#endif
#ifdef CSSPGO_USE_ZLIB
#  include <zlib.h>
#endif
#ifndef CSSPGO_MALLOC
#  include <stdlib.h>
#  define CSSPGO_MALLOC(n) malloc(n)
#  define CSSPGO_FREE(p) free(p)
#endif
#ifndef CSSPGO_ASSERT
#  include <assert.h>
#  define CSSPGO_ASSERT(x) assert(x)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ===== >>base ===================================================================================================== */

CSSPGO_DEF csspgo_loc csspgo_at(uint32_t line, uint32_t discriminator)
{
    csspgo_loc loc;
    loc.line = line;
    loc.discriminator = discriminator;
    return loc;
}

CSSPGO_DEF uint32_t csspgo_version(void)
{
    return CSSPGO_VERSION;
}

CSSPGO_DEF const char *csspgo_status_name(csspgo_status status)
{
    switch (status) {
#define CSSPGO__X(name, value, text) case CSSPGO_##name: return #name;
    CSSPGO_STATUSES(CSSPGO__X)
#undef CSSPGO__X
    case CSSPGO_STATUS_FORCE_32: break;
    }
    return "?";
}

CSSPGO_DEF const char *csspgo_status_text(csspgo_status status)
{
    switch (status) {
#define CSSPGO__X(name, value, text) case CSSPGO_##name: return text;
    CSSPGO_STATUSES(CSSPGO__X)
#undef CSSPGO__X
    case CSSPGO_STATUS_FORCE_32: break;
    }
    return "?";
}

#if defined(__GNUC__)
#  define CSSPGO__PREFETCH(p) __builtin_prefetch(p)
#else
#  define CSSPGO__PREFETCH(p) ((void)(p))
#endif

/* ----- arithmetic on input --------------------------------------------------------------------------------------- */

static uint64_t csspgo__sat_add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

CSSPGO__UNUSED static uint64_t csspgo__sat_mul(uint64_t a, uint64_t b)
{
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static uint32_t csspgo__ld32le(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t csspgo__ld64le(const unsigned char *p)
{
    return (uint64_t)csspgo__ld32le(p) | (uint64_t)csspgo__ld32le(p + 4) << 32;
}

static uint64_t csspgo__hash64(uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ (b << 32 | b >> 32)) * UINT64_C(0x9E3779B97F4A7C15);
    h ^= h >> 29;
    h *= UINT64_C(0xD6E8FEB86659FD93);
    return h ^ h >> 32;
}

static uint64_t csspgo__hash_bytes(const void *data, size_t size, uint64_t seed)
{
    const unsigned char *p = (const unsigned char *)data;
    uint64_t h = seed ^ (uint64_t)size * UINT64_C(0x9E3779B97F4A7C15), g = ~seed, w = 0;
    unsigned shift;
    if (size < 8) {
        for (shift = 0; size != 0; size--, p++, shift += 8) w |= (uint64_t)*p << shift;
        return csspgo__hash64(h, w);
    }
    w = csspgo__ld64le(p + size - 8);                 /* the last 8 bytes; what they share with a block counts twice */
    for (; size >= 16; size -= 16, p += 16) {
        h = (h ^ csspgo__ld64le(p)) * UINT64_C(0xD6E8FEB86659FD93);
        g = (g ^ csspgo__ld64le(p + 8)) * UINT64_C(0x9E3779B97F4A7C15);
        h ^= h >> 32;
        g ^= g >> 29;
    }
    if (size >= 8) h = (h ^ csspgo__ld64le(p)) * UINT64_C(0xD6E8FEB86659FD93);
    return csspgo__hash64(h ^ h >> 32 ^ g, w);
}

/* ----- errors: a message is put together from pieces; input bytes enter it escaped and clipped ------------------- */

static void csspgo__say(csspgo_error *err, const char *text)
{
    size_t n, k = strlen(text), room;
    if (err == NULL) return;
    n = strlen(err->message);
    room = sizeof err->message - 1 - n;
    if (k > room) k = room;
    memcpy(err->message + n, text, k);
    err->message[n + k] = '\0';
}

CSSPGO__UNUSED static void csspgo__say_u64(csspgo_error *err, uint64_t v)
{
    char digits[21];
    size_t i = sizeof digits - 1;
    digits[i] = '\0';
    do {
        digits[--i] = (char)('0' + v % 10);
        v /= 10;
    } while (v != 0);
    csspgo__say(err, digits + i);
}

CSSPGO__UNUSED static void csspgo__say_hex(csspgo_error *err, uint64_t v)
{
    char digits[19];
    size_t i = sizeof digits - 1;
    digits[i] = '\0';
    do {
        digits[--i] = "0123456789abcdef"[v & 15];
        v >>= 4;
    } while (v != 0);
    digits[--i] = 'x';
    digits[--i] = '0';
    csspgo__say(err, digits + i);
}

/* Quotes at most 60 bytes of the input. */
CSSPGO__UNUSED static void csspgo__say_bytes(csspgo_error *err, const void *data, size_t size)
{
    const unsigned char *p = (const unsigned char *)data;
    size_t i, clipped = size > 60 ? 57 : size;
    csspgo__say(err, "'");
    for (i = 0; i < clipped; i++) {
        char c[5];
        c[0] = (char)p[i];
        c[1] = '\0';
        if (p[i] < 0x20 || p[i] > 0x7e) {
            c[0] = '\\';
            c[1] = 'x';
            c[2] = "0123456789abcdef"[p[i] >> 4];
            c[3] = "0123456789abcdef"[p[i] & 15];
            c[4] = '\0';
        }
        csspgo__say(err, c);
    }
    csspgo__say(err, clipped < size ? "...'" : "'");
}

static void csspgo__error_clear(csspgo_error *err)
{
    if (err != NULL) memset(err, 0, sizeof *err);
}

/* Starts an error; more pieces may follow with csspgo__say*. Returns status. */
CSSPGO__UNUSED static csspgo_status csspgo__error(csspgo_error *err, csspgo_status status, uint64_t offset,
                                                  const char *text)
{
    if (err == NULL) return status;
    memset(err, 0, sizeof *err);
    err->status = status;
    err->offset = offset;
    csspgo__say(err, text);
    return status;
}

/* For statuses that carry no detail of their own (memory, limits): the status's sentence. */
CSSPGO__UNUSED static csspgo_status csspgo__error_plain(csspgo_error *err, csspgo_status status)
{
    if (status == CSSPGO_OK) {
        csspgo__error_clear(err);
        return status;
    }
    return csspgo__error(err, status, 0, csspgo_status_text(status));
}

/* ----- memory: every object owns a heap; sizes are counted against limits.max_bytes ------------------------------ */

typedef struct csspgo__heap {
    csspgo_allocator a;
    csspgo_limits    limits;      /* resolved: no zeros                                   */
    uint64_t         used;        /* bytes handed out                                     */
    uint64_t         seed;
    csspgo_status    status;      /* why the last allocation failed: E_NOMEM or E_LIMIT   */
    uint32_t         lenient;
} csspgo__heap;

static void *csspgo__default_alloc(void *ctx, size_t size)
{
    (void)ctx;
    return CSSPGO_MALLOC(size);
}

static void csspgo__default_free(void *ctx, void *ptr, size_t size)
{
    (void)ctx;
    (void)size;
    CSSPGO_FREE(ptr);
}

static void csspgo__heap_init(csspgo__heap *h, const csspgo_options *o)
{
    memset(h, 0, sizeof *h);
    if (o != NULL) {
        h->a = o->allocator;
        h->limits = o->limits;
        h->seed = o->hash_seed;
        h->lenient = o->lenient;
    }
    if (h->a.alloc_fn == NULL) {
        h->a.alloc_fn = csspgo__default_alloc;
        h->a.free_fn = csspgo__default_free;
    }
    if (h->limits.max_bytes == 0) h->limits.max_bytes = (uint64_t)1 << 34;
    if (h->limits.max_depth == 0) h->limits.max_depth = 1024;
    if (h->limits.max_name == 0) h->limits.max_name = 1u << 20;
    if (h->limits.max_line == 0) h->limits.max_line = 1u << 20;
    h->status = CSSPGO_E_NOMEM;
}

static void *csspgo__alloc(csspgo__heap *h, size_t size)
{
    void *p;
    h->status = CSSPGO_E_LIMIT;
    if (size > h->limits.max_bytes - h->used) return NULL;
    h->status = CSSPGO_E_NOMEM;
    p = h->a.alloc_fn(h->a.ctx, size);
    if (p != NULL) h->used += size;
    return p;
}

static void csspgo__free(csspgo__heap *h, void *p, size_t size)
{
    if (p == NULL) return;
    h->used -= size;
    h->a.free_fn(h->a.ctx, p, size);
}

/*
 * A larger copy of an array. old has *cap elements allocated, count of them in use; the result has room for need.
 * It grows by half, or by an eighth where that is too much; never by one, so n additions cost O(n) near a limit too.
 * Returns NULL (and leaves old and *cap alone) when memory or the limit is exhausted.
 */
static void *csspgo__grow(csspgo__heap *h, void *old, size_t count, size_t *cap, size_t need, size_t elem)
{
    const size_t least = need > *cap + *cap / 8 ? need : *cap + *cap / 8;
    size_t n = *cap + *cap / 2;
    void *p;
    if (n < need) n = need;
    if (n < 8) n = 8;
    h->status = CSSPGO_E_LIMIT;
    if (n > SIZE_MAX / elem) return NULL;
    p = csspgo__alloc(h, n * elem);
    if (p == NULL && n > least) p = csspgo__alloc(h, (n = least) * elem);
    if (p == NULL) return NULL;
    if (count != 0) memcpy(p, old, count * elem);
    csspgo__free(h, old, *cap * elem);
    *cap = n;
    return p;
}

/* A new object of `size` bytes (zeroed), its heap (at offset 0 of the object) set up from o and charged for it. */
static void *csspgo__object_new(const csspgo_options *o, size_t size)
{
    csspgo__heap h, *own;
    csspgo__heap_init(&h, o);
    own = (csspgo__heap *)csspgo__alloc(&h, size);
    if (own == NULL) return NULL;
    memset(own, 0, size);
    *own = h;
    return own;
}

static void csspgo__object_free(void *object, size_t size)
{
    csspgo__heap h = *(csspgo__heap *)object;
    csspgo__free(&h, object, size);
}

/* ----- reading bytes: sticky, so straight-line code needs one check per record ------------------------------------ */

typedef struct csspgo__reader {
    const unsigned char *p, *end, *base;   /* next byte, one past the last, offset 0 */
    csspgo_status        status;           /* sticky: after a failure every read gives 0 */
    csspgo_error        *err;              /* may be NULL */
} csspgo__reader;

CSSPGO__UNUSED static void csspgo__reader_init(csspgo__reader *r, const void *data, size_t size, csspgo_error *err)
{
    static const unsigned char empty[1] = { 0 };
    r->base = size != 0 ? (const unsigned char *)data : empty;
    r->p = r->base;
    r->end = r->base + size;
    r->status = CSSPGO_OK;
    r->err = err;
    csspgo__error_clear(err);
}

CSSPGO__UNUSED static size_t csspgo__left(const csspgo__reader *r)
{
    return (size_t)(r->end - r->p);
}

/* The first failure wins. at = the byte to blame. */
static void csspgo__fail(csspgo__reader *r, csspgo_status status, const unsigned char *at, const char *text)
{
    if (r->status != CSSPGO_OK) return;
    r->status = csspgo__error(r->err, status, (uint64_t)(at - r->base), text);
}

static int csspgo__need(csspgo__reader *r, size_t n)
{
    if (r->status != CSSPGO_OK) return 0;
    if (csspgo__left(r) >= n) return 1;
    csspgo__fail(r, CSSPGO_E_TRUNCATED, r->p, "input ends inside a field");
    return 0;
}

CSSPGO__UNUSED static uint32_t csspgo__u8(csspgo__reader *r)
{
    return csspgo__need(r, 1) ? *r->p++ : 0;
}

CSSPGO__UNUSED static uint64_t csspgo__u64(csspgo__reader *r)
{
    if (!csspgo__need(r, 8)) return 0;
    r->p += 8;
    return csspgo__ld64le(r->p - 8);
}

/* LEB128 of at most 32 bytes; padding groups are taken, value bits beyond 64 are E_RANGE. is_signed: SLEB. */
static uint64_t csspgo__leb(csspgo__reader *r, int is_signed)
{
    const unsigned char *start = r->p;
    uint64_t v = 0;
    unsigned shift = 0, byte, pad;
    do {
        if (!csspgo__need(r, 1)) return 0;
        byte = *r->p++;
        if (shift < 63) {
            v |= (uint64_t)(byte & 127) << shift;
        } else {                                  /* bit 63 and what must repeat or be 0 above it */
            if (shift == 63) v |= (uint64_t)(byte & 1) << 63;
            pad = is_signed && v >> 63 ? 127 : 0;
            if (shift == 63 ? (byte & 126) != (pad & 126) : (byte & 127) != pad) {
                csspgo__fail(r, CSSPGO_E_RANGE, start, "a LEB128 number does not fit 64 bits");
                return 0;
            }
        }
        shift += 7;
        if (shift > 32 * 7) {
            csspgo__fail(r, CSSPGO_E_RANGE, start, "a LEB128 number is longer than 32 bytes");
            return 0;
        }
    } while (byte & 128);
    if (is_signed && shift < 64 && byte & 64) v |= UINT64_MAX << shift;
    return v;
}

CSSPGO__UNUSED static uint64_t csspgo__uleb(csspgo__reader *r)
{
    return csspgo__leb(r, 0);
}

CSSPGO__UNUSED static uint32_t csspgo__uleb32(csspgo__reader *r)
{
    const unsigned char *start = r->p;
    const uint64_t v = csspgo__leb(r, 0);
    if (v <= UINT32_MAX) return (uint32_t)v;
    csspgo__fail(r, CSSPGO_E_RANGE, start, "a number does not fit 32 bits: ");
    csspgo__say_u64(r->err, v);
    return 0;
}

/* ----- writing bytes: into the caller's buffer (counting on past its end), or through it to a flush function ------ */

typedef struct csspgo__sink {
    unsigned char *buf;
    size_t         cap, used;
    uint64_t       total;         /* bytes written so far, whether they fitted or not            */
    csspgo_status  status;        /* sticky                                                      */
    csspgo_status (*flush_fn)(void *ctx, const unsigned char *data, size_t size);   /* or NULL   */
    void          *ctx;
} csspgo__sink;

CSSPGO__UNUSED static void csspgo__sink_buffer(csspgo__sink *s, void *buf, size_t cap)
{
    memset(s, 0, sizeof *s);
    s->buf = (unsigned char *)buf;
    s->cap = buf != NULL ? cap : 0;
}

static void csspgo__sink_flush(csspgo__sink *s)
{
    if (s->flush_fn == NULL) return;
    if (s->status == CSSPGO_OK && s->used != 0) s->status = s->flush_fn(s->ctx, s->buf, s->used);
    s->used = 0;
}

static void csspgo__put(csspgo__sink *s, const void *data, size_t size)
{
    const unsigned char *p = (const unsigned char *)data;
    s->total += size;
    if (size != 0 && size <= s->cap - s->used) {
        memcpy(s->buf + s->used, p, size);
        s->used += size;
        return;
    }
    while (size != 0) {
        size_t room = s->cap - s->used, k = size < room ? size : room;
        if (k != 0) memcpy(s->buf + s->used, p, k);
        s->used += k;
        p += k;
        size -= k;
        if (size == 0 || s->flush_fn == NULL) return;
        csspgo__sink_flush(s);
    }
}

CSSPGO__UNUSED static void csspgo__put_str(csspgo__sink *s, const char *text)
{
    csspgo__put(s, text, strlen(text));
}

CSSPGO__UNUSED static void csspgo__put_char(csspgo__sink *s, char c)
{
    csspgo__put(s, &c, 1);
}

CSSPGO__UNUSED static void csspgo__put_u64(csspgo__sink *s, uint64_t v)
{
    unsigned char digits[20];
    size_t i = sizeof digits;
    do {
        digits[--i] = (unsigned char)('0' + v % 10);
        v /= 10;
    } while (v != 0);
    csspgo__put(s, digits + i, sizeof digits - i);
}

CSSPGO__UNUSED static void csspgo__put_hex(csspgo__sink *s, uint64_t v)
{
    unsigned char digits[16];
    size_t i = sizeof digits;
    do {
        digits[--i] = (unsigned char)"0123456789abcdef"[v & 15];
        v >>= 4;
    } while (v != 0);
    csspgo__put(s, digits + i, sizeof digits - i);
}

CSSPGO__UNUSED static void csspgo__put_u64le(csspgo__sink *s, uint64_t v)
{
    unsigned char b[8];
    size_t i;
    for (i = 0; i < 8; i++) b[i] = (unsigned char)(v >> 8 * i & 255);
    csspgo__put(s, b, 8);
}

CSSPGO__UNUSED static void csspgo__put_uleb(csspgo__sink *s, uint64_t v)
{
    unsigned char b[10];
    size_t n = 0;
    do {
        b[n] = (unsigned char)((v & 127) | (v > 127 ? 128 : 0));
        n++;
        v >>= 7;
    } while (v != 0);
    csspgo__put(s, b, n);
}

/* v is a two's complement number in 64 bits. */
CSSPGO__UNUSED static void csspgo__put_sleb(csspgo__sink *s, uint64_t v)
{
    unsigned char b[10];
    size_t n = 0;
    const uint64_t sign = v >> 63 ? UINT64_MAX : 0;
    int more;
    do {
        const unsigned low = (unsigned)(v & 127);
        v = v >> 7 | (sign & UINT64_C(0xFE00000000000000));
        more = v != sign || (low & 64) != (sign & 64);
        b[n] = (unsigned char)(low | (more ? 128u : 0u));
        n++;
    } while (more);
    csspgo__put(s, b, n);
}

/* The end of a csspgo_*_write that fills the caller's buffer: *size gets what is needed; E_LIMIT if buf was short. */
CSSPGO__UNUSED static csspgo_status csspgo__sink_end(csspgo__sink *s, size_t *size, csspgo_error *err)
{
    if (s->status == CSSPGO_OK && s->total > SIZE_MAX) s->status = CSSPGO_E_LIMIT;
    if (size != NULL) *size = s->status == CSSPGO_OK ? (size_t)s->total : 0;
    if (s->status == CSSPGO_OK && s->buf != NULL && s->total > s->cap)
        return csspgo__error(err, CSSPGO_E_LIMIT, s->cap, "the buffer is smaller than the output");
    return csspgo__error_plain(err, s->status);
}

/* ----- hash table: hash -> id; what a key is, its user compares --------------------------------------------------- */

typedef struct csspgo__slot {
    uint32_t hash, id;            /* id 0 = free */
} csspgo__slot;

typedef struct csspgo__map {
    csspgo__slot *slot;           /* mask + 1 of them, at most 3/4 in use; NULL when empty */
    uint32_t      mask, count;
} csspgo__map;

/* Room for `more` entries. Returns 0 when memory is exhausted. */
static int csspgo__map_room(csspgo__heap *h, csspgo__map *m, size_t more)
{
    csspgo__slot *slot;
    uint32_t i, k, mask = m->slot != NULL ? m->mask : 63;
    if (more == 0 || (m->slot != NULL && more <= mask / 4 * 3 - m->count)) return 1;
    h->status = CSSPGO_E_LIMIT;
    while (more > mask / 4 * 3 - m->count && mask < 0x7fffffffu) mask = mask * 2 + 1;
    if (mask >= 0x7fffffffu || (size_t)mask + 1 > SIZE_MAX / sizeof *slot) return 0;
    slot = (csspgo__slot *)csspgo__alloc(h, ((size_t)mask + 1) * sizeof *slot);
    if (slot == NULL) return 0;
    memset(slot, 0, ((size_t)mask + 1) * sizeof *slot);
    for (i = 0; m->slot != NULL && i <= m->mask; i++) {
        if (m->slot[i].id == 0) continue;
        for (k = m->slot[i].hash & mask; slot[k].id != 0; k = (k + 1) & mask) {}
        slot[k] = m->slot[i];
    }
    if (m->slot != NULL) csspgo__free(h, m->slot, ((size_t)m->mask + 1) * sizeof *slot);
    m->slot = slot;
    m->mask = mask;
    return 1;
}

static int csspgo__map_reserve(csspgo__heap *h, csspgo__map *m)
{
    return csspgo__map_room(h, m, 1);
}

/* Candidates for a hash: start with *at = hash, call until 0 comes back. */
static uint32_t csspgo__map_next(const csspgo__map *m, uint32_t hash, uint32_t *at)
{
    uint32_t i;
    if (m->slot == NULL) return 0;
    for (i = *at & m->mask; m->slot[i].id != 0; i = (i + 1) & m->mask) {
        if (m->slot[i].hash != hash) continue;
        *at = i + 1;
        return m->slot[i].id;
    }
    return 0;
}

/* After csspgo__map_reserve; the key must not be there yet. */
static void csspgo__map_insert(csspgo__map *m, uint32_t hash, uint32_t id)
{
    uint32_t i;
    for (i = hash & m->mask; m->slot[i].id != 0; i = (i + 1) & m->mask) {}
    m->slot[i].hash = hash;
    m->slot[i].id = id;
    m->count++;
}

static void csspgo__map_free(csspgo__heap *h, csspgo__map *m)
{
    if (m->slot != NULL) csspgo__free(h, m->slot, ((size_t)m->mask + 1) * sizeof *m->slot);
    memset(m, 0, sizeof *m);
}

CSSPGO__UNUSED static void csspgo__map_clear(csspgo__map *m)
{
    if (m->slot != NULL) memset(m->slot, 0, ((size_t)m->mask + 1) * sizeof *m->slot);
    m->count = 0;
}

/* ----- sort: stable, O(n log n), n elements of scratch ------------------------------------------------------------ */

typedef int (*csspgo__cmp_fn)(const void *ctx, const void *a, const void *b);   /* < 0, 0, > 0 */

static int csspgo__is_sorted(const unsigned char *v, size_t n, size_t elem, csspgo__cmp_fn cmp, const void *ctx)
{
    size_t i;
    for (i = 1; i < n; i++)
        if (cmp(ctx, v + (i - 1) * elem, v + i * elem) > 0) return 0;
    return 1;
}

/* Merges [a, m) and [m, b) of from into to. */
static void csspgo__merge_runs(const unsigned char *from, unsigned char *to, size_t a, size_t m, size_t b, size_t elem,
                               csspgo__cmp_fn cmp, const void *ctx)
{
    size_t i = a, j = m, k;
    for (k = a; k < b; k++) {
        const int left = i < m && (j >= b || cmp(ctx, from + i * elem, from + j * elem) <= 0);
        memcpy(to + k * elem, from + (left ? i++ : j++) * elem, elem);
    }
}

/* scratch: n elements, not overlapping v. */
static void csspgo__sort_with(void *v, size_t n, size_t elem, void *scratch, csspgo__cmp_fn cmp, const void *ctx)
{
    unsigned char *a = (unsigned char *)v, *b = (unsigned char *)scratch;
    size_t width, i;
    if (csspgo__is_sorted(a, n, elem, cmp, ctx)) return;
    for (width = 1; width < n; width *= 2) {
        unsigned char *t = a;
        for (i = 0; i < n; i += 2 * width) {
            const size_t m = width < n - i ? i + width : n, e = width < n - m ? m + width : n;
            csspgo__merge_runs(a, b, i, m, e, elem, cmp, ctx);
        }
        a = b;
        b = t;
    }
    if (a != (unsigned char *)v) memcpy(v, a, n * elem);
}

/* Returns 0 when memory for the scratch copy is exhausted (v unchanged). No memory is needed if v is in order. */
CSSPGO__UNUSED static int csspgo__sort(csspgo__heap *h, void *v, size_t n, size_t elem, csspgo__cmp_fn cmp,
                                       const void *ctx)
{
    void *scratch;
    if (csspgo__is_sorted((const unsigned char *)v, n, elem, cmp, ctx)) return 1;
    scratch = csspgo__alloc(h, n * elem);
    if (scratch == NULL) return 0;
    csspgo__sort_with(v, n, elem, scratch, cmp, ctx);
    csspgo__free(h, scratch, n * elem);
    return 1;
}

/* ----- MD5 (RFC 1321) and names ----------------------------------------------------------------------------------- */

static void csspgo__md5_block(uint32_t state[4], const unsigned char *p)
{
    static const uint32_t sine[64] = {
        0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
        0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
        0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
        0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
        0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
        0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
        0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
        0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391
    };
    static const unsigned char turn[16] = { 7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21 };
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    unsigned i;
    for (i = 0; i < 64; i++) {
        const unsigned round = i >> 4, n = turn[round * 4 + (i & 3)];
        const unsigned k = (round == 0 ? i : round == 1 ? 5 * i + 1 : round == 2 ? 3 * i + 5 : 7 * i) & 15;
        const uint32_t f = round == 0   ? (b & c) | (~b & d)
                           : round == 1 ? (d & b) | (~d & c)
                           : round == 2 ? b ^ c ^ d
                                        : c ^ (b | ~d);
        const uint32_t x = a + f + sine[i] + csspgo__ld32le(p + 4 * k);
        a = d;
        d = c;
        c = b;
        b += x << n | x >> (32 - n);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

CSSPGO_DEF uint64_t csspgo_guid(const char *name, size_t size)
{
    uint32_t state[4] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };
    const unsigned char *p = (const unsigned char *)name;
    unsigned char tail[128];
    size_t left = size, n, i;
    for (; left >= 64; left -= 64, p += 64) csspgo__md5_block(state, p);
    n = left < 56 ? 64 : 128;
    memset(tail, 0, sizeof tail);
    if (left != 0) memcpy(tail, p, left);
    tail[left] = 0x80;
    for (i = 0; i < 8; i++) tail[n - 8 + i] = (unsigned char)((uint64_t)size << 3 >> 8 * i & 255);
    csspgo__md5_block(state, tail);
    if (n == 128) csspgo__md5_block(state, tail + 64);
    return (uint64_t)state[0] | (uint64_t)state[1] << 32;
}

/* Names are numbered from 1. One is found the way it was put in, by its text or by its GUID; it may have both. */
enum { CSSPGO__HAS_TEXT = 1, CSSPGO__HAS_GUID = 2, CSSPGO__LISTED = 4 };   /* LISTED: in a profile's symbol list */

typedef struct csspgo__name {
    uint64_t guid;                /* with CSSPGO__HAS_GUID               */
    uint32_t text, size, flags;   /* text: offset into csspgo__names.text */
} csspgo__name;

typedef struct csspgo__names {
    csspgo__name *name;           /* name[0] is unused */
    char         *text;
    size_t        count, cap, text_size, text_cap;
    csspgo__map   by_text, by_guid;
} csspgo__names;

static const char *csspgo__name_text(const csspgo__names *t, uint32_t id, size_t *size)
{
    *size = t->name[id].size;
    return t->text + t->name[id].text;
}

/* Room for more names, put in by text and by GUID, with so many bytes of text. Returns 0 when memory is exhausted. */
static int csspgo__names_room(csspgo__heap *h, csspgo__names *t, size_t by_text, size_t by_guid, size_t text)
{
    const size_t names = by_text + by_guid;
    void *p;
    h->status = CSSPGO_E_LIMIT;
    if (text > UINT32_MAX - t->text_size || names > 0x7ffffffeu - t->count) return 0;
    if (t->count + 1 + names > t->cap) {
        p = csspgo__grow(h, t->name, t->count != 0 ? t->count + 1 : 0, &t->cap, t->count + 1 + names, sizeof *t->name);
        if (p == NULL) return 0;
        t->name = (csspgo__name *)p;
    }
    if (t->text_size + text > t->text_cap || t->text == NULL) {
        p = csspgo__grow(h, t->text, t->text_size, &t->text_cap, t->text_size + text, 1);
        if (p == NULL) return 0;
        t->text = (char *)p;
    }
    return csspgo__map_room(h, &t->by_text, by_text) && csspgo__map_room(h, &t->by_guid, by_guid);
}

static void csspgo__name_set_text(csspgo__names *t, csspgo__name *n, const char *text, size_t size)
{
    n->text = (uint32_t)t->text_size;
    n->size = (uint32_t)size;
    n->flags |= CSSPGO__HAS_TEXT;
    if (size != 0) memcpy(t->text + t->text_size, text, size);
    t->text_size += size;
}

static uint32_t csspgo__names_find_hashed(const csspgo__names *t, const char *text, size_t size, uint32_t hash)
{
    uint32_t id, at = hash;
    while ((id = csspgo__map_next(&t->by_text, hash, &at)) != 0) {
        const csspgo__name *n = &t->name[id];
        if (n->size == size && (size == 0 || memcmp(t->text + n->text, text, size) == 0)) return id;
    }
    return 0;
}

static uint32_t csspgo__names_find(const csspgo__heap *h, const csspgo__names *t, const char *text, size_t size)
{
    return csspgo__names_find_hashed(t, text, size, (uint32_t)csspgo__hash_bytes(text, size, h->seed));
}

/*
 * For one who knows what will be looked for soon. When each of these steps is done for many hashes before the next one
 * is, and then the look-ups, these need not wait for memory one after the other. guess: what the step before returned.
 */
CSSPGO__UNUSED static uint32_t csspgo__names_ahead(const csspgo__names *t, uint32_t hash, unsigned step, uint32_t guess)
{
    if (t->by_text.slot == NULL) return 0;
    if (step == 0) {
        CSSPGO__PREFETCH(&t->by_text.slot[hash & t->by_text.mask]);
    } else if (step == 1) {
        uint32_t at = hash;
        guess = csspgo__map_next(&t->by_text, hash, &at);
        CSSPGO__PREFETCH(&t->name[guess]);
    } else if (guess != 0) {
        CSSPGO__PREFETCH(t->text + t->name[guess].text);
        CSSPGO__PREFETCH(t->text + t->name[guess].text + t->name[guess].size / 2);
        CSSPGO__PREFETCH(t->text + t->name[guess].text + t->name[guess].size);
    }
    return guess;
}

/* Finds or adds; hash is that of csspgo__hash_bytes. Returns 0 when memory is exhausted (h->status says why). */
static uint32_t csspgo__names_intern_hashed(csspgo__heap *h, csspgo__names *t, const char *text, size_t size,
                                            uint32_t hash)
{
    uint32_t id = csspgo__names_find_hashed(t, text, size, hash);
    if (id != 0) return id;
    if (!csspgo__names_room(h, t, 1, 0, size)) return 0;
    id = (uint32_t)++t->count;
    memset(&t->name[id], 0, sizeof t->name[id]);
    csspgo__name_set_text(t, &t->name[id], text, size);
    csspgo__map_insert(&t->by_text, hash, id);
    return id;
}

CSSPGO__UNUSED static uint32_t csspgo__names_intern(csspgo__heap *h, csspgo__names *t, const char *text, size_t size)
{
    return csspgo__names_intern_hashed(h, t, text, size, (uint32_t)csspgo__hash_bytes(text, size, h->seed));
}

static uint32_t csspgo__names_find_guid(const csspgo__heap *h, const csspgo__names *t, uint64_t guid)
{
    const uint32_t hash = (uint32_t)csspgo__hash64(guid, h->seed);
    uint32_t id, at = hash;
    while ((id = csspgo__map_next(&t->by_guid, hash, &at)) != 0)
        if (t->name[id].guid == guid) return id;
    return 0;
}

/* Finds or adds the name of a GUID; text (or NULL) is kept if the name had none. Returns 0 when memory is exhausted. */
CSSPGO__UNUSED static uint32_t csspgo__names_bind(csspgo__heap *h, csspgo__names *t, uint64_t guid, const char *text,
                                                  size_t size)
{
    uint32_t id = csspgo__names_find_guid(h, t, guid);
    if (id != 0 && (text == NULL || t->name[id].flags & CSSPGO__HAS_TEXT)) return id;
    if (!csspgo__names_room(h, t, 0, 1, size)) return 0;
    if (id == 0) {
        id = (uint32_t)++t->count;
        memset(&t->name[id], 0, sizeof t->name[id]);
        t->name[id].guid = guid;
        t->name[id].flags = CSSPGO__HAS_GUID;
        csspgo__map_insert(&t->by_guid, (uint32_t)csspgo__hash64(guid, h->seed), id);
    }
    if (text != NULL) csspgo__name_set_text(t, &t->name[id], text, size);
    return id;
}

/* The GUID, computed on the first call for a name. */
CSSPGO__UNUSED static uint64_t csspgo__name_guid(csspgo__names *t, uint32_t id)
{
    csspgo__name *n = &t->name[id];
    if (!(n->flags & CSSPGO__HAS_GUID)) {
        n->guid = csspgo_guid(t->text + n->text, n->size);
        n->flags |= CSSPGO__HAS_GUID;
    }
    return n->guid;
}

static void csspgo__names_free(csspgo__heap *h, csspgo__names *t)
{
    csspgo__free(h, t->name, t->cap * sizeof *t->name);
    csspgo__free(h, t->text, t->text_cap);
    csspgo__map_free(h, &t->by_text);
    csspgo__map_free(h, &t->by_guid);
    memset(t, 0, sizeof *t);
}

/* Byte-wise, then the shorter first; a name without text is a number and comes before all texts. */
CSSPGO__UNUSED static int csspgo__name_cmp(const csspgo__names *t, uint32_t a, uint32_t b)
{
    const csspgo__name *x = &t->name[a], *y = &t->name[b];
    const uint32_t n = x->size < y->size ? x->size : y->size;
    int c;
    if (!(x->flags & y->flags & CSSPGO__HAS_TEXT)) {
        if ((x->flags ^ y->flags) & CSSPGO__HAS_TEXT) return x->flags & CSSPGO__HAS_TEXT ? 1 : -1;
        return x->guid < y->guid ? -1 : x->guid > y->guid;
    }
    c = n != 0 ? memcmp(t->text + x->text, t->text + y->text, n) : 0;
    return c != 0 ? c : x->size < y->size ? -1 : x->size > y->size;
}

#ifndef CSSPGO_NO_STDIO
/* The size of a file that can tell it, 0 for others; f is at its start afterwards. */
static size_t csspgo__file_size(FILE *f)
{
    long n = -1;
    if (fseek(f, 0, SEEK_END) == 0) n = ftell(f);
    rewind(f);
    return n > 0 ? (size_t)n : 0;
}

/* The whole file in *data (allocated, *size bytes of *cap used); E_IO names the path. */
CSSPGO__UNUSED static csspgo_status csspgo__file_read(csspgo__heap *h, const char *path, unsigned char **data,
                                                      size_t *size, size_t *cap, csspgo_error *err)
{
    FILE *f = fopen(path, "rb");
    csspgo_status s = CSSPGO_OK;
    size_t hint = f != NULL ? csspgo__file_size(f) : 0;   /* a directory's may be nonsense */
    *data = NULL;
    *size = *cap = 0;
    while (f != NULL && s == CSSPGO_OK) {
        size_t got;
        if (*size == *cap) {
            void *p = hint != 0 ? csspgo__grow(h, NULL, 0, cap, hint + 1, 1) : NULL;   /* + 1: to see the end */
            hint = 0;
            if (p == NULL) p = csspgo__grow(h, *data, *size, cap, *size + 4096, 1);
            if (p == NULL) { s = csspgo__error_plain(err, h->status); break; }
            *data = (unsigned char *)p;
        }
        got = fread(*data + *size, 1, *cap - *size, f);
        *size += got;
        if (got == 0) break;
    }
    if (s == CSSPGO_OK && (f == NULL || ferror(f))) {
        s = csspgo__error(err, CSSPGO_E_IO, *size, "cannot read ");
        csspgo__say_bytes(err, path, strlen(path));
    }
    if (f != NULL) fclose(f);
    if (s != CSSPGO_OK) {
        csspgo__free(h, *data, *cap);
        *data = NULL;
    }
    return s;
}

CSSPGO__UNUSED static csspgo_status csspgo__file_flush(void *ctx, const unsigned char *data, size_t size)
{
    return fwrite(data, 1, size, (FILE *)ctx) == size ? CSSPGO_OK : CSSPGO_E_IO;
}
#endif

/* ===== >>tree ===================================================================================================== */

/* ----- the node tree, shared by profiles (sites are locations) and the unwinder (sites are code positions) -------- */

typedef struct csspgo__node {
    uint64_t site;                /* where in the parent; profiles: see csspgo__site             */
    uint32_t parent, func;        /* func 0: the root, or a node that the unwinder keys by site  */
    uint32_t child, sibling;      /* first child; next child of the same parent                  */
    uint32_t same, record;        /* next node of the same function; index of counts, 0 = none   */
} csspgo__node;

typedef struct csspgo__tree {
    csspgo__node *node;           /* node[0] unused, node[1] the root              */
    size_t        count, cap;     /* count: of nodes, the root included            */
    csspgo__map   map;            /* (parent, site, func) -> node                  */
} csspgo__tree;

enum { CSSPGO__ROOT = 1 };

static int csspgo__tree_init(csspgo__heap *h, csspgo__tree *t)
{
    t->node = (csspgo__node *)csspgo__grow(h, NULL, 0, &t->cap, 2, sizeof *t->node);
    if (t->node == NULL) return 0;
    memset(t->node, 0, 2 * sizeof *t->node);
    t->count = 1;
    return 1;
}

static void csspgo__tree_free(csspgo__heap *h, csspgo__tree *t)
{
    csspgo__free(h, t->node, t->cap * sizeof *t->node);
    csspgo__map_free(h, &t->map);
    memset(t, 0, sizeof *t);
}

static uint32_t csspgo__tree_hash(uint64_t seed, uint32_t parent, uint64_t site, uint32_t func)
{
    return (uint32_t)csspgo__hash64(site ^ seed, (uint64_t)parent << 32 | func);
}

static uint32_t csspgo__tree_find(const csspgo__tree *t, uint64_t seed, uint32_t parent, uint64_t site, uint32_t func)
{
    const uint32_t hash = csspgo__tree_hash(seed, parent, site, func);
    uint32_t id, at = hash;
    while ((id = csspgo__map_next(&t->map, hash, &at)) != 0) {
        const csspgo__node *n = &t->node[id];
        if (n->parent == parent && n->site == site && n->func == func) return id;
    }
    return 0;
}

/* Room for so many more nodes. Returns 0 when memory is exhausted. */
static int csspgo__tree_room(csspgo__heap *h, csspgo__tree *t, size_t more)
{
    void *p;
    if (!csspgo__map_room(h, &t->map, more)) return 0;
    if (t->count + 1 + more <= t->cap) return 1;
    p = csspgo__grow(h, t->node, t->count + 1, &t->cap, t->count + 1 + more, sizeof *t->node);
    if (p == NULL) return 0;
    t->node = (csspgo__node *)p;
    return 1;
}

/* Finds or makes. Returns 0 when memory is exhausted. */
static uint32_t csspgo__tree_add(csspgo__heap *h, csspgo__tree *t, uint32_t parent, uint64_t site, uint32_t func)
{
    uint32_t id = csspgo__tree_find(t, h->seed, parent, site, func);
    csspgo__node *n;
    if (id != 0) return id;
    if (!csspgo__tree_room(h, t, 1)) return 0;
    id = (uint32_t)++t->count;
    n = &t->node[id];
    memset(n, 0, sizeof *n);
    n->site = site;
    n->parent = parent;
    n->func = func;
    n->sibling = t->node[parent].child;
    t->node[parent].child = id;
    csspgo__map_insert(&t->map, csspgo__tree_hash(h->seed, parent, site, func), id);
    return id;
}

/* The node after id in a pre-order walk of the whole tree (siblings as linked); 0 at the end. No stack needed. */
static uint32_t csspgo__tree_walk(const csspgo__tree *t, uint32_t id)
{
    if (t->node[id].child != 0) return t->node[id].child;
    while (id != 0 && t->node[id].sibling == 0) id = t->node[id].parent;
    return id != 0 ? t->node[id].sibling : 0;
}

/* ----- records: counts of a node, in runs of three shared arrays -------------------------------------------------- */

/* A run's capacity is the power of two at or above its size; if tight, its size. */
#define CSSPGO__TIGHT 0x80000000u

typedef struct csspgo__run {
    uint32_t begin, size;         /* size: | CSSPGO__TIGHT */
} csspgo__run;

typedef struct csspgo__record {
    uint64_t    total, head, checksum;
    csspgo__run body, target;
    uint32_t    attributes;
    uint16_t    state, flags;
} csspgo__record;

enum { CSSPGO__DIRTY = 1 };       /* csspgo__record.flags: runs were appended to out of order, csspgo__settle is due */

typedef struct csspgo__pool {     /* one array of runs */
    unsigned char *data;
    size_t         count, cap;    /* in elements */
} csspgo__pool;

struct csspgo_profile {
    csspgo__heap    heap;         /* first: csspgo__object_new */
    csspgo__names   names;
    csspgo__run    *func;         /* per name: first and last node (begin, size); func[0] unused */
    size_t          func_cap;
    csspgo__tree    tree;
    csspgo__record *record;       /* record[0] unused */
    size_t          records, record_cap;
    size_t          dead;         /* records that no node has any more: they lost to another checksum */
    csspgo__pool    body, target;
    csspgo_loc     *wide;         /* sites whose line is above 65535 (lenient only): CSSPGO__WIDE; wide[0] unused */
    size_t          wides, wide_cap;
    csspgo__map     wide_map;
    uint32_t        flags;
    uint64_t        dropped_by_checksum;   /* sum of the totals that csspgo_add_profile dropped */
    uint64_t       *summary;      /* of the file that was read, until p is changed; NULL: none. 5 numbers of csspgo_summary, */
    size_t          summary_size; /* then 3 of each csspgo_cutoff                                                            */
};

static size_t csspgo__run_count(csspgo__run r)
{
    return r.size & ~CSSPGO__TIGHT;
}

static size_t csspgo__run_cap(csspgo__run r)
{
    size_t n = csspgo__run_count(r), cap = 1;
    if (r.size & CSSPGO__TIGHT) return n;
    while (cap < n) cap *= 2;
    return n == 0 ? 0 : cap;
}

/* A place for room more elements at the end of a pool. Returns 0 when memory is exhausted. */
static int csspgo__pool_room(csspgo__heap *h, csspgo__pool *pool, size_t room, size_t elem)
{
    void *p;
    h->status = CSSPGO_E_LIMIT;
    if (room > 0x7fffffffu - pool->count) return 0;
    if (pool->count + room <= pool->cap) return 1;
    p = csspgo__grow(h, pool->data, pool->count, &pool->cap, pool->count + room, elem);
    if (p == NULL) return 0;
    pool->data = (unsigned char *)p;
    return 1;
}

/*
 * Makes a hole for one element at index i of a run. A run at the pool's end grows in place; another one that is full
 * moves to the end, doubled. Returns NULL when memory is exhausted.
 */
static void *csspgo__run_insert(csspgo__heap *h, csspgo__pool *pool, csspgo__run *run, size_t i, size_t elem)
{
    const size_t n = csspgo__run_count(*run), cap = csspgo__run_cap(*run);
    unsigned char *at;
    if (n == cap) {
        const int last = n == 0 || run->begin + cap == pool->count;
        size_t room = 1;
        while (!last && room < n + 1) room *= 2;
        if (!csspgo__pool_room(h, pool, room, elem)) return NULL;
        if (!last) memcpy(pool->data + pool->count * elem, pool->data + run->begin * elem, n * elem);
        if (!last || n == 0) run->begin = (uint32_t)pool->count;
        run->size = (uint32_t)n | (last ? CSSPGO__TIGHT : 0);
        pool->count += room;
    }
    at = pool->data + (run->begin + i) * elem;
    if (i != n) memmove(at + elem, at, (n - i) * elem);
    run->size++;
    return at;
}

/* What csspgo__run_extend will take from the pool. */
static size_t csspgo__run_needs(csspgo__run run, size_t more)
{
    const size_t n = csspgo__run_count(run);
    size_t room = 1;
    if (more <= csspgo__run_cap(run) - n) return 0;
    if (n == 0) return more;
    while (room < n + more) room *= 2;
    return room;
}

/* Gives a run `more` elements, with any content, at its end. The pool must have room for csspgo__run_needs. */
static void csspgo__run_extend(csspgo__pool *pool, csspgo__run *run, size_t more, size_t elem)
{
    const size_t n = csspgo__run_count(*run), room = csspgo__run_needs(*run, more);
    if (room != 0) {
        if (n != 0) memcpy(pool->data + pool->count * elem, pool->data + run->begin * elem, n * elem);
        run->begin = (uint32_t)pool->count;
        run->size = (uint32_t)n | (n == 0 ? CSSPGO__TIGHT : 0);
        pool->count += room;
    }
    run->size += (uint32_t)more;
}

/* The elements of a record's runs; NULL if there are none. */
static csspgo_body *csspgo__body(const csspgo_profile *p, const csspgo__record *r)
{
    return csspgo__run_count(r->body) != 0 ? (csspgo_body *)(void *)p->body.data + r->body.begin : NULL;
}

static csspgo_target *csspgo__target(const csspgo_profile *p, const csspgo__record *r)
{
    return csspgo__run_count(r->target) != 0 ? (csspgo_target *)(void *)p->target.data + r->target.begin : NULL;
}

static uint64_t csspgo__loc_key(csspgo_loc loc)
{
    return (uint64_t)loc.line << 32 | loc.discriminator;
}

static int csspgo__target_less(const csspgo_target *t, csspgo_loc loc, uint32_t func)
{
    const uint64_t a = csspgo__loc_key(t->loc), b = csspgo__loc_key(loc);
    return a < b || (a == b && t->func.id < func);
}

/* Index of the first of n body entries at or after loc. */
static size_t csspgo__body_lower(const csspgo_body *v, size_t n, csspgo_loc loc)
{
    size_t a = 0, b = n;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (csspgo__loc_key(v[m].loc) < csspgo__loc_key(loc)) a = m + 1;
        else b = m;
    }
    return a;
}

static size_t csspgo__target_lower(const csspgo_target *v, size_t n, csspgo_loc loc, uint32_t func)
{
    size_t a = 0, b = n;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (csspgo__target_less(&v[m], loc, func)) a = m + 1;
        else b = m;
    }
    return a;
}

/* The entry at loc among n, or NULL. */
static csspgo_body *csspgo__body_find(csspgo_body *v, size_t n, csspgo_loc loc)
{
    const size_t i = csspgo__body_lower(v, n, loc);
    return i < n && csspgo__loc_key(v[i].loc) == csspgo__loc_key(loc) ? &v[i] : NULL;
}

static csspgo_target *csspgo__target_find(csspgo_target *v, size_t n, csspgo_loc loc, uint32_t func)
{
    const size_t i = csspgo__target_lower(v, n, loc, func);
    return i < n && v[i].func.id == func && csspgo__loc_key(v[i].loc) == csspgo__loc_key(loc) ? &v[i] : NULL;
}

/* The sum in *count; 1 if it had to be clamped. */
static int csspgo__count_add(uint64_t *count, uint64_t more)
{
    const int clamped = more > UINT64_MAX - *count;
    *count = csspgo__sat_add(*count, more);
    return clamped;
}

static int csspgo__body_insert(csspgo_profile *p, csspgo__record *r, size_t i, csspgo_loc loc, uint64_t count)
{
    csspgo_body *b = (csspgo_body *)csspgo__run_insert(&p->heap, &p->body, &r->body, i, sizeof *b);
    if (b == NULL) return -1;
    b->loc = loc;
    b->count = count;
    return 0;
}

/* Adds to the entry at loc, in order. Returns -1 when memory is exhausted, 1 if the sum was clamped, else 0. */
static int csspgo__body_add(csspgo_profile *p, csspgo__record *r, csspgo_loc loc, uint64_t count)
{
    const size_t n = csspgo__run_count(r->body);
    csspgo_body *b = csspgo__body_find(csspgo__body(p, r), n, loc);
    if (b != NULL) return csspgo__count_add(&b->count, count);
    return csspgo__body_insert(p, r, csspgo__body_lower(csspgo__body(p, r), n, loc), loc, count);
}

static int csspgo__target_insert(csspgo_profile *p, csspgo__record *r, size_t i, csspgo_loc loc, uint32_t func,
                                 uint64_t count)
{
    csspgo_target *t = (csspgo_target *)csspgo__run_insert(&p->heap, &p->target, &r->target, i, sizeof *t);
    if (t == NULL) return -1;
    t->loc = loc;
    t->func.id = func;
    t->reserved = 0;
    t->count = count;
    return 0;
}

static int csspgo__target_add(csspgo_profile *p, csspgo__record *r, csspgo_loc loc, uint32_t func, uint64_t count)
{
    const size_t n = csspgo__run_count(r->target);
    csspgo_target *t = csspgo__target_find(csspgo__target(p, r), n, loc, func);
    if (t != NULL) return csspgo__count_add(&t->count, count);
    return csspgo__target_insert(p, r, csspgo__target_lower(csspgo__target(p, r), n, loc, func), loc, func, count);
}

/*
 * For readers, whose input sets the order: O(1) at the end of a run. What comes out of order makes the record dirty,
 * and csspgo__settle must put it in order (and add up equal entries) before anyone else sees it. Returns as
 * csspgo__body_add.
 */
CSSPGO__UNUSED static int csspgo__body_append(csspgo_profile *p, csspgo__record *r, csspgo_loc loc, uint64_t count)
{
    const size_t n = csspgo__run_count(r->body);
    if (n != 0 && csspgo__loc_key(csspgo__body(p, r)[n - 1].loc) >= csspgo__loc_key(loc)) {
        if (n < 64 && !(r->flags & CSSPGO__DIRTY)) return csspgo__body_add(p, r, loc, count);
        r->flags |= CSSPGO__DIRTY;
    }
    return csspgo__body_insert(p, r, n, loc, count);
}

CSSPGO__UNUSED static int csspgo__target_append(csspgo_profile *p, csspgo__record *r, csspgo_loc loc, uint32_t func,
                                                uint64_t count)
{
    const size_t n = csspgo__run_count(r->target);
    if (n != 0 && !csspgo__target_less(csspgo__target(p, r) + n - 1, loc, func)) {
        if (n < 64 && !(r->flags & CSSPGO__DIRTY)) return csspgo__target_add(p, r, loc, func, count);
        r->flags |= CSSPGO__DIRTY;
    }
    return csspgo__target_insert(p, r, n, loc, func, count);
}

static int csspgo__body_cmp(const void *ctx, const void *a, const void *b)
{
    const uint64_t x = csspgo__loc_key(((const csspgo_body *)a)->loc);
    const uint64_t y = csspgo__loc_key(((const csspgo_body *)b)->loc);
    (void)ctx;
    return x < y ? -1 : x > y;
}

static int csspgo__target_cmp(const void *ctx, const void *a, const void *b)
{
    const csspgo_target *x = (const csspgo_target *)a, *y = (const csspgo_target *)b;
    (void)ctx;
    return csspgo__target_less(x, y->loc, y->func.id) ? -1 : csspgo__target_less(y, x->loc, x->func.id);
}

static int csspgo__settle_bodies(csspgo_profile *p, csspgo__record *r, csspgo_target *clamped)
{
    const size_t n = csspgo__run_count(r->body);
    csspgo_body *b = csspgo__body(p, r);
    size_t i, k;
    int status = 0;
    if (!csspgo__sort(&p->heap, b, n, sizeof *b, csspgo__body_cmp, NULL)) return -1;
    for (i = k = 0; i < n; i++) {
        if (k == 0 || csspgo__body_cmp(NULL, &b[k - 1], &b[i]) != 0) {
            b[k++] = b[i];
        } else if (csspgo__count_add(&b[k - 1].count, b[i].count) && status == 0) {
            status = 1;
            memset(clamped, 0, sizeof *clamped);
            clamped->loc = b[i].loc;
        }
    }
    r->body.size -= (uint32_t)(n - k);
    return status;
}

static int csspgo__settle_targets(csspgo_profile *p, csspgo__record *r, csspgo_target *clamped)
{
    const size_t n = csspgo__run_count(r->target);
    csspgo_target *t = csspgo__target(p, r);
    size_t i, k;
    int status = 0;
    if (!csspgo__sort(&p->heap, t, n, sizeof *t, csspgo__target_cmp, NULL)) return -1;
    for (i = k = 0; i < n; i++) {
        if (k == 0 || csspgo__target_cmp(NULL, &t[k - 1], &t[i]) != 0) {
            t[k++] = t[i];
        } else if (csspgo__count_add(&t[k - 1].count, t[i].count) && status == 0) {
            status = 1;
            *clamped = t[i];
        }
    }
    r->target.size -= (uint32_t)(n - k);
    return status;
}

/*
 * Puts a dirty record in order. Returns -1 when memory is exhausted, else 0, or 1 if a sum was clamped: *clamped is
 * then the location and function (0: the body) of one such sum.
 */
CSSPGO__UNUSED static int csspgo__settle(csspgo_profile *p, csspgo__record *r, csspgo_target *clamped)
{
    int bodies, targets;
    if (!(r->flags & CSSPGO__DIRTY)) return 0;
    bodies = csspgo__settle_bodies(p, r, clamped);
    targets = bodies >= 0 ? csspgo__settle_targets(p, r, clamped) : -1;
    if (targets < 0) return -1;
    r->flags &= (uint16_t)~CSSPGO__DIRTY;
    return bodies | targets;
}

/* ----- nodes of a profile ----------------------------------------------------------------------------------------- */

/*
 * csspgo__node.site of a profile: bits 0-31 discriminator, 32-47 line, 48-49 kind. A line above 65535, which only
 * lenient reading lets in, is CSSPGO__WIDE | kind | index into csspgo_profile.wide: equal locations have equal sites.
 */
#define CSSPGO__WIDE ((uint64_t)1 << 50)

static uint64_t csspgo__site(csspgo_loc loc, csspgo_node_kind kind)
{
    return (uint64_t)loc.discriminator | (uint64_t)(loc.line & 0xffff) << 32 | (uint64_t)kind << 48;
}

static csspgo_loc csspgo__site_loc(uint64_t site)
{
    return csspgo_at((uint32_t)(site >> 32 & 0xffff), (uint32_t)(site & 0xffffffffu));
}

static csspgo_node_kind csspgo__site_kind(uint64_t site)
{
    return (csspgo_node_kind)(site >> 48 & 3);
}

/* The location of a site of p's nodes, wide or not. */
static csspgo_loc csspgo__loc_of(const csspgo_profile *p, uint64_t site)
{
    return site & CSSPGO__WIDE ? p->wide[site & 0xffffffffu] : csspgo__site_loc(site);
}

/* The site of any location; 0 if it is wide and new: no node can have it. (0 is also that of (0, 0) in a context.) */
static uint64_t csspgo__site_find(const csspgo_profile *p, csspgo_loc loc, csspgo_node_kind kind)
{
    const uint32_t hash = (uint32_t)csspgo__hash64(csspgo__loc_key(loc), p->heap.seed);
    uint32_t id, at = hash;
    if (loc.line <= 0xffff) return csspgo__site(loc, kind);
    while ((id = csspgo__map_next(&p->wide_map, hash, &at)) != 0)
        if (csspgo__loc_key(p->wide[id]) == csspgo__loc_key(loc)) return CSSPGO__WIDE | (uint64_t)kind << 48 | id;
    return 0;
}

/* As csspgo__site_find, but makes the entry; 0 for a wide line: memory is exhausted or p is not lenient. */
static uint64_t csspgo__site_make(csspgo_profile *p, csspgo_loc loc, csspgo_node_kind kind)
{
    uint64_t site = csspgo__site_find(p, loc, kind);
    if (loc.line <= 0xffff || site != 0 || !p->heap.lenient) return site;
    if (!csspgo__map_reserve(&p->heap, &p->wide_map)) return 0;
    if (p->wides + 2 > p->wide_cap) {
        const size_t used = p->wides != 0 ? p->wides + 1 : 0;
        void *w = csspgo__grow(&p->heap, p->wide, used, &p->wide_cap, p->wides + 2, sizeof *p->wide);
        if (w == NULL) return 0;
        p->wide = (csspgo_loc *)w;
    }
    p->wide[++p->wides] = loc;
    csspgo__map_insert(&p->wide_map, (uint32_t)csspgo__hash64(csspgo__loc_key(loc), p->heap.seed), (uint32_t)p->wides);
    return CSSPGO__WIDE | (uint64_t)kind << 48 | p->wides;
}

CSSPGO_DEF csspgo_profile *csspgo_profile_new(const csspgo_options *options)
{
    csspgo_profile *p = (csspgo_profile *)csspgo__object_new(options, sizeof *p);
    if (p == NULL) return NULL;
    if (csspgo__tree_init(&p->heap, &p->tree)) return p;
    csspgo_profile_free(p);
    return NULL;
}

/* A summary that was read is no longer p's. */
static void csspgo__summary_drop(csspgo_profile *p)
{
    csspgo__free(&p->heap, p->summary, p->summary_size * sizeof *p->summary);
    p->summary = NULL;
}

CSSPGO_DEF void csspgo_profile_free(csspgo_profile *p)
{
    if (p == NULL) return;
    csspgo__summary_drop(p);
    csspgo__names_free(&p->heap, &p->names);
    csspgo__free(&p->heap, p->func, p->func_cap * sizeof *p->func);
    csspgo__tree_free(&p->heap, &p->tree);
    csspgo__free(&p->heap, p->record, p->record_cap * sizeof *p->record);
    csspgo__free(&p->heap, p->body.data, p->body.cap * sizeof(csspgo_body));
    csspgo__free(&p->heap, p->target.data, p->target.cap * sizeof(csspgo_target));
    csspgo__free(&p->heap, p->wide, p->wide_cap * sizeof *p->wide);
    csspgo__map_free(&p->heap, &p->wide_map);
    csspgo__object_free(p, sizeof *p);
}

/* Gives p what q holds and frees q; what p held is gone. Both have the same allocator. */
CSSPGO__UNUSED static void csspgo__profile_take(csspgo_profile *p, csspgo_profile *q)
{
    const csspgo_profile old = *p;
    *p = *q;
    *q = old;
    csspgo_profile_free(q);
}

CSSPGO_DEF uint32_t csspgo_profile_flags(const csspgo_profile *p)
{
    return p->flags;
}

CSSPGO_DEF void csspgo_set_profile_flags(csspgo_profile *p, uint32_t flags)
{
    p->flags = flags;
}

CSSPGO_DEF uint64_t csspgo_profile_memory(const csspgo_profile *p)
{
    return p->heap.used;
}

/* Room in func for so many names more than there are, so that interning cannot leave it behind. */
static int csspgo__func_room(csspgo_profile *p, size_t more)
{
    const size_t need = p->names.count + 1 + more, had = p->func_cap;
    void *f;
    if (need <= had) return 1;
    f = csspgo__grow(&p->heap, p->func, had, &p->func_cap, need, sizeof *p->func);
    if (f == NULL) return 0;
    p->func = (csspgo__run *)f;
    memset(p->func + had, 0, (p->func_cap - had) * sizeof *p->func);
    return 1;
}

/* hash: of csspgo__hash_bytes with the profile's seed. */
static csspgo_func csspgo__func_add_hashed(csspgo_profile *p, const char *name, size_t size, uint32_t hash)
{
    csspgo_func f;
    f.id = 0;
    p->heap.status = CSSPGO_E_LIMIT;
    if (size > p->heap.limits.max_name || !csspgo__func_room(p, 1)) return f;
    f.id = csspgo__names_intern_hashed(&p->heap, &p->names, name, size, hash);
    return f;
}

CSSPGO_DEF csspgo_func csspgo_func_add(csspgo_profile *p, const char *name, size_t size)
{
    return csspgo__func_add_hashed(p, name, size, (uint32_t)csspgo__hash_bytes(name, size, p->heap.seed));
}

CSSPGO_DEF csspgo_func csspgo_func_add_guid(csspgo_profile *p, uint64_t guid)
{
    csspgo_func f;
    f.id = csspgo__func_room(p, 1) ? csspgo__names_bind(&p->heap, &p->names, guid, NULL, 0) : 0;
    return f;
}

CSSPGO_DEF csspgo_func csspgo_func_find(const csspgo_profile *p, const char *name, size_t size)
{
    csspgo_func f;
    f.id = csspgo__names_find(&p->heap, &p->names, name, size);
    return f;
}

CSSPGO_DEF uint32_t csspgo_func_count(const csspgo_profile *p)
{
    return (uint32_t)p->names.count;
}

static int csspgo__func_ok(const csspgo_profile *p, csspgo_func f)
{
    return f.id != 0 && f.id <= p->names.count;
}

CSSPGO_DEF const char *csspgo_func_name(const csspgo_profile *p, csspgo_func func, size_t *size)
{
    *size = 0;
    if (!csspgo__func_ok(p, func) || !(p->names.name[func.id].flags & CSSPGO__HAS_TEXT)) return NULL;
    return csspgo__name_text(&p->names, func.id, size);
}

CSSPGO_DEF uint64_t csspgo_func_guid(csspgo_profile *p, csspgo_func func)
{
    return csspgo__func_ok(p, func) ? csspgo__name_guid(&p->names, func.id) : 0;
}

static csspgo_node csspgo__node_handle(uint32_t id)
{
    csspgo_node n;
    n.id = id;
    return n;
}

CSSPGO_DEF csspgo_node csspgo_func_nodes(const csspgo_profile *p, csspgo_func func)
{
    return csspgo__node_handle(csspgo__func_ok(p, func) ? p->func[func.id].begin : 0);
}

/* The node behind a handle; the unused node[0], which is all zero, for a bad one. */
static const csspgo__node *csspgo__at_node(const csspgo_profile *p, csspgo_node node)
{
    return &p->tree.node[node.id <= p->tree.count ? node.id : 0];
}

CSSPGO_DEF csspgo_node csspgo_node_next_same(const csspgo_profile *p, csspgo_node node)
{
    return csspgo__node_handle(csspgo__at_node(p, node)->same);
}

CSSPGO_DEF csspgo_node csspgo_root(const csspgo_profile *p)
{
    (void)p;
    return csspgo__node_handle(CSSPGO__ROOT);
}

CSSPGO_DEF csspgo_node csspgo_child(const csspgo_profile *p, csspgo_node parent, csspgo_loc loc, csspgo_node_kind kind,
                                    csspgo_func func)
{
    const uint64_t site = csspgo__site_find(p, loc, kind);
    if (site == 0 && loc.line > 0xffff) return csspgo__node_handle(0);
    return csspgo__node_handle(csspgo__tree_find(&p->tree, p->heap.seed, parent.id, site, func.id));
}

/*
 * A context frame hangs below the root or another one, an inlinee below any function, a plain function below the root,
 * a twin below the context that it doubles.
 */
static int csspgo__may_hang(const csspgo_profile *p, csspgo_node parent, csspgo_loc loc, csspgo_node_kind kind,
                            csspgo_func func)
{
    const csspgo__node *up;
    csspgo_node_kind up_kind;
    if (parent.id == 0 || parent.id > p->tree.count || (loc.line > 0xffff && !p->heap.lenient)) return 0;
    if (parent.id == CSSPGO__ROOT)
        return (kind == CSSPGO_CONTEXT || kind == CSSPGO_PLAIN) && csspgo__loc_key(loc) == 0;
    up = &p->tree.node[parent.id];
    up_kind = csspgo__site_kind(up->site);
    if (kind == CSSPGO_CONTEXT) return up_kind == CSSPGO_CONTEXT;
    if (kind == CSSPGO_TWIN)
        return p->heap.lenient && up_kind == CSSPGO_CONTEXT && up->func == func.id && csspgo__loc_key(loc) != 0;
    return kind == CSSPGO_INLINEE;
}

CSSPGO_DEF csspgo_node csspgo_node_add(csspgo_profile *p, csspgo_node parent, csspgo_loc loc, csspgo_node_kind kind,
                                       csspgo_func func)
{
    const size_t had = p->tree.count;
    uint64_t site;
    uint32_t id;
    if (!csspgo__func_ok(p, func) || !csspgo__may_hang(p, parent, loc, kind, func)) return csspgo__node_handle(0);
    site = csspgo__site_make(p, loc, kind);
    if (site == 0 && loc.line > 0xffff) return csspgo__node_handle(0);
    id = csspgo__tree_add(&p->heap, &p->tree, parent.id, site, func.id);
    if (p->tree.count != had) {                       /* new: last of its function's nodes */
        csspgo__run *f = &p->func[func.id];
        if (f->size != 0) p->tree.node[f->size].same = id;
        else f->begin = id;
        f->size = id;
    }
    return csspgo__node_handle(id);
}

CSSPGO_DEF csspgo_node csspgo_node_parent(const csspgo_profile *p, csspgo_node node)
{
    return csspgo__node_handle(csspgo__at_node(p, node)->parent);
}

CSSPGO_DEF csspgo_node csspgo_node_first_child(const csspgo_profile *p, csspgo_node node)
{
    return csspgo__node_handle(csspgo__at_node(p, node)->child);
}

CSSPGO_DEF csspgo_node csspgo_node_next_sibling(const csspgo_profile *p, csspgo_node node)
{
    return csspgo__node_handle(csspgo__at_node(p, node)->sibling);
}

CSSPGO_DEF csspgo_func csspgo_node_func(const csspgo_profile *p, csspgo_node node)
{
    csspgo_func f;
    f.id = csspgo__at_node(p, node)->func;
    return f;
}

CSSPGO_DEF csspgo_loc csspgo_node_loc(const csspgo_profile *p, csspgo_node node)
{
    return csspgo__loc_of(p, csspgo__at_node(p, node)->site);
}

CSSPGO_DEF csspgo_node_kind csspgo_node_kind_of(const csspgo_profile *p, csspgo_node node)
{
    return csspgo__site_kind(csspgo__at_node(p, node)->site);
}

CSSPGO_DEF uint32_t csspgo_node_count(const csspgo_profile *p)
{
    return (uint32_t)p->tree.count - 1;
}

CSSPGO_DEF uint32_t csspgo_record_count(const csspgo_profile *p)
{
    return (uint32_t)(p->records - p->dead);
}

/* Reads digits at *at; a value above max gives max + 1. Returns the number of digits. */
static size_t csspgo__digits(const char *text, size_t size, size_t *at, uint64_t max, uint64_t *value)
{
    const size_t start = *at;
    *value = 0;
    for (; *at < size && text[*at] >= '0' && text[*at] <= '9'; ++*at) {
        const uint64_t d = (uint64_t)(text[*at] - '0');
        if (*value <= max) *value = *value > (max - d) / 10 ? max + 1 : *value * 10 + d;
    }
    return *at - start;
}

/* "name", "name:3" or "name:3.1": the name's size, and the location after it. A colon without digits is of the name. */
static size_t csspgo__frame_split(const char *text, size_t size, csspgo_loc *loc)
{
    size_t n = size, at;
    uint64_t line, disc = 0;
    *loc = csspgo_at(0, 0);
    while (n != 0 && ((text[n - 1] >= '0' && text[n - 1] <= '9') || text[n - 1] == '.')) n--;
    if (n == 0 || n == size || text[n - 1] != ':') return size;
    at = n;
    if (csspgo__digits(text, size, &at, 0xffff, &line) == 0 || line > 0xffff) return size;
    if (at < size && text[at] == '.') {
        at++;
        if (csspgo__digits(text, size, &at, UINT32_MAX, &disc) == 0 || disc > UINT32_MAX) return size;
    }
    if (at != size) return size;
    *loc = csspgo_at((uint32_t)line, (uint32_t)disc);
    return n - 1;
}

static csspgo_node csspgo__find_step(const csspgo_profile *p, csspgo_node parent, csspgo_loc loc, csspgo_func f)
{
    csspgo_node n = csspgo_child(p, parent, loc, CSSPGO_CONTEXT, f);
    if (n.id == 0) n = csspgo_child(p, parent, loc, CSSPGO_INLINEE, f);
    if (n.id == 0) n = csspgo_child(p, parent, loc, CSSPGO_PLAIN, f);
    return n;
}

CSSPGO_DEF csspgo_node csspgo_find(const csspgo_profile *p, const char *context)
{
    size_t size = strlen(context), end, n;
    csspgo_node node = csspgo_root(p);
    csspgo_loc site = csspgo_at(0, 0);
    if (size >= 2 && context[0] == '[' && context[size - 1] == ']') {
        context++;
        size -= 2;
    }
    for (;;) {
        csspgo_loc next;
        for (end = 0; end < size && !(size - end > 3 && memcmp(context + end, " @ ", 3) == 0); end++) {}
        n = csspgo__frame_split(context, end, &next);
        node = csspgo__find_step(p, node, site, csspgo_func_find(p, context, n));
        if (node.id == 0 || end == size) return node;
        site = next;
        context += end + 3;
        size -= end + 3;
    }
}

/* ----- counts of a node ------------------------------------------------------------------------------------------- */

/* The record of a node, or an empty one. */
static const csspgo__record *csspgo__record_at(const csspgo_profile *p, csspgo_node node)
{
    static const csspgo__record none = { 0, 0, 0, { 0, 0 }, { 0, 0 }, 0, 0, 0 };
    const uint32_t id = csspgo__at_node(p, node)->record;
    return id != 0 ? &p->record[id] : &none;
}

static int csspgo__record_room(csspgo_profile *p, size_t more)
{
    const size_t used = p->records != 0 ? p->records + 1 : 0;
    void *r;
    if (p->records + 1 + more <= p->record_cap) return 1;
    r = csspgo__grow(&p->heap, p->record, used, &p->record_cap, p->records + 1 + more, sizeof *p->record);
    if (r == NULL) return 0;
    p->record = (csspgo__record *)r;
    return 1;
}

/*
 * The record of a node, made if need be; NULL when memory is exhausted. Valid until the next one is made. An inlinee is
 * nested in its caller's record, so that one is made too.
 */
static csspgo__record *csspgo__record_make(csspgo_profile *p, uint32_t node)
{
    const csspgo__node *v = p->tree.node;
    size_t missing = 1;
    uint32_t at;
    if (v[node].record != 0) return &p->record[v[node].record];
    for (at = node; csspgo__site_kind(v[at].site) == CSSPGO_INLINEE && v[v[at].parent].record == 0; at = v[at].parent)
        missing++;
    if (!csspgo__record_room(p, missing)) return NULL;
    for (at = node; missing-- != 0; at = v[at].parent) {
        p->tree.node[at].record = (uint32_t)++p->records;
        memset(&p->record[p->records], 0, sizeof *p->record);
    }
    return &p->record[v[node].record];
}

/* As csspgo__record_make, for public calls: *status says what is wrong when NULL comes back. */
static csspgo__record *csspgo__record_open(csspgo_profile *p, csspgo_node node, csspgo_loc loc, csspgo_status *status)
{
    csspgo__record *r;
    *status = CSSPGO_E_ARGUMENT;
    if (node.id <= CSSPGO__ROOT || node.id > p->tree.count) return NULL;
    if (loc.line > 0xffff && !p->heap.lenient) return NULL;
    csspgo__summary_drop(p);
    r = csspgo__record_make(p, node.id);
    *status = r != NULL ? CSSPGO_OK : p->heap.status;
    return r;
}

CSSPGO_DEF int csspgo_has_record(const csspgo_profile *p, csspgo_node node)
{
    return csspgo__at_node(p, node)->record != 0;
}

CSSPGO_DEF uint64_t csspgo_total(const csspgo_profile *p, csspgo_node node)
{
    return csspgo__record_at(p, node)->total;
}

CSSPGO_DEF uint64_t csspgo_head(const csspgo_profile *p, csspgo_node node)
{
    return csspgo__record_at(p, node)->head;
}

CSSPGO_DEF uint64_t csspgo_checksum(const csspgo_profile *p, csspgo_node node)
{
    return csspgo__record_at(p, node)->checksum;
}

CSSPGO_DEF uint32_t csspgo_attributes(const csspgo_profile *p, csspgo_node node)
{
    return csspgo__record_at(p, node)->attributes;
}

CSSPGO_DEF const csspgo_body *csspgo_bodies(const csspgo_profile *p, csspgo_node node, size_t *count)
{
    const csspgo__record *r = csspgo__record_at(p, node);
    *count = csspgo__run_count(r->body);
    return csspgo__body(p, r);
}

CSSPGO_DEF const csspgo_target *csspgo_targets(const csspgo_profile *p, csspgo_node node, size_t *count)
{
    const csspgo__record *r = csspgo__record_at(p, node);
    *count = csspgo__run_count(r->target);
    return csspgo__target(p, r);
}

CSSPGO_DEF const csspgo_target *csspgo_targets_at(const csspgo_profile *p, csspgo_node node, csspgo_loc loc,
                                                  size_t *count)
{
    const csspgo__record *r = csspgo__record_at(p, node);
    const size_t n = csspgo__run_count(r->target), i = csspgo__target_lower(csspgo__target(p, r), n, loc, 0);
    const csspgo_target *t = csspgo__target(p, r);
    for (*count = 0; i + *count < n && csspgo__loc_key(t[i + *count].loc) == csspgo__loc_key(loc); ++*count) {}
    return *count != 0 ? t + i : NULL;
}

CSSPGO_DEF uint64_t csspgo_body_count(const csspgo_profile *p, csspgo_node node, csspgo_loc loc)
{
    const csspgo__record *r = csspgo__record_at(p, node);
    const csspgo_body *b = csspgo__body_find(csspgo__body(p, r), csspgo__run_count(r->body), loc);
    return b != NULL ? b->count : 0;
}

CSSPGO_DEF uint64_t csspgo_target_count(const csspgo_profile *p, csspgo_node node, csspgo_loc loc, csspgo_func func)
{
    const csspgo__record *r = csspgo__record_at(p, node);
    const csspgo_target *t = csspgo__target_find(csspgo__target(p, r), csspgo__run_count(r->target), loc, func.id);
    return t != NULL ? t->count : 0;
}

CSSPGO_DEF csspgo_status csspgo_add_total(csspgo_profile *p, csspgo_node node, uint64_t count)
{
    csspgo_status s;
    csspgo__record *r = csspgo__record_open(p, node, csspgo_at(0, 0), &s);
    if (r != NULL) csspgo__count_add(&r->total, count);
    return s;
}

CSSPGO_DEF csspgo_status csspgo_add_head(csspgo_profile *p, csspgo_node node, uint64_t count)
{
    csspgo_status s;
    csspgo__record *r = csspgo__record_open(p, node, csspgo_at(0, 0), &s);
    if (r != NULL) csspgo__count_add(&r->head, count);
    return s;
}

CSSPGO_DEF csspgo_status csspgo_add_body(csspgo_profile *p, csspgo_node node, csspgo_loc loc, uint64_t count)
{
    csspgo_status s;
    csspgo__record *r = csspgo__record_open(p, node, loc, &s);
    if (r != NULL && csspgo__body_add(p, r, loc, count) < 0) s = p->heap.status;
    return s;
}

CSSPGO_DEF csspgo_status csspgo_add_target(csspgo_profile *p, csspgo_node node, csspgo_loc loc, csspgo_func func,
                                           uint64_t count)
{
    csspgo_status s;
    csspgo__record *r;
    if (!csspgo__func_ok(p, func)) return CSSPGO_E_ARGUMENT;
    r = csspgo__record_open(p, node, loc, &s);
    if (r == NULL) return s;
    if (csspgo__body_add(p, r, loc, 0) < 0 || csspgo__target_add(p, r, loc, func.id, count) < 0) s = p->heap.status;
    return s;
}

CSSPGO_DEF csspgo_status csspgo_set_checksum(csspgo_profile *p, csspgo_node node, uint64_t checksum)
{
    csspgo_status s;
    csspgo__record *r = csspgo__record_open(p, node, csspgo_at(0, 0), &s);
    if (r != NULL) r->checksum = checksum;
    return s;
}

CSSPGO_DEF csspgo_status csspgo_set_attributes(csspgo_profile *p, csspgo_node node, uint32_t attributes)
{
    csspgo_status s;
    csspgo__record *r = csspgo__record_open(p, node, csspgo_at(0, 0), &s);
    if (r != NULL) r->attributes = attributes;
    return s;
}

/* ----- two profiles ----------------------------------------------------------------------------------------------- */

/* The function of p that is function id of q; 0 if p has none. */
static uint32_t csspgo__func_lookup(const csspgo_profile *p, const csspgo_profile *q, uint32_t id)
{
    const csspgo__name *n = &q->names.name[id];
    if (!(n->flags & CSSPGO__HAS_TEXT)) return csspgo__names_find_guid(&p->heap, &p->names, n->guid);
    return csspgo__names_find(&p->heap, &p->names, q->names.text + n->text, n->size);
}

/* The same, made if need be; 0 when memory is exhausted. */
static uint32_t csspgo__func_copy(csspgo_profile *p, const csspgo_profile *q, uint32_t id)
{
    const csspgo__name *n = &q->names.name[id];
    if (!(n->flags & CSSPGO__HAS_TEXT)) return csspgo_func_add_guid(p, n->guid).id;
    return csspgo_func_add(p, q->names.text + n->text, n->size).id;
}

/*
 * Adding a profile is planned first: what exists, what is missing, who wins where checksums differ. Then all memory is
 * allocated, and only then p changes, so a failure leaves p as it was. Records are merged run by run in O(n log n).
 *
 * Of two records of a node, the one with the larger checksum stays; the other one goes, with all that is nested in it.
 * So the sum of many profiles is the sum of the records with the largest checksum, in whatever order they are added.
 */
enum csspgo__fate {
    CSSPGO__JOINS,                /* is added to the record of p, if there is one                    */
    CSSPGO__LOSES,                /* is dropped                                                      */
    CSSPGO__WINS,                 /* takes the place of the record of p                              */
    CSSPGO__FOLLOWS               /* nested in a winner: what p nests there is gone by then          */
};

typedef struct csspgo__join {
    csspgo_profile       *p;
    const csspgo_profile *from;
    uint32_t             *func, *node;       /* id in from -> id in p, 0 = to be made                    */
    unsigned char        *fate;              /* id of a node in from -> csspgo__fate                     */
    size_t                bytes;             /* of the one allocation behind these three                 */
    size_t                texts, guids, text_size, nodes, records, body, target;   /* what p needs more  */
    void                 *sort;              /* scratch for the largest run to sort                      */
    size_t                sort_bytes;
} csspgo__join;

static const csspgo__record *csspgo__record_of(const csspgo_profile *p, uint32_t node)
{
    return node != 0 && p->tree.node[node].record != 0 ? &p->record[p->tree.node[node].record] : NULL;
}

static csspgo_status csspgo__join_plan_funcs(csspgo__join *j)
{
    uint32_t i;
    for (i = 1; i <= j->from->names.count; i++) {
        const csspgo__name *n = &j->from->names.name[i];
        j->func[i] = csspgo__func_lookup(j->p, j->from, i);
        if (j->func[i] != 0) continue;
        if (n->size > j->p->heap.limits.max_name) return CSSPGO_E_LIMIT;
        if (n->flags & CSSPGO__HAS_TEXT) j->texts++;
        else j->guids++;
        j->text_size += n->size;
    }
    return CSSPGO_OK;
}

/* How many of r's entries a record with these bodies and targets lacks. */
static size_t csspgo__bodies_missing(csspgo_body *v, size_t n, const csspgo_profile *q, const csspgo__record *r)
{
    const csspgo_body *b = csspgo__body(q, r);
    size_t i, missing = 0;
    if (n == 0) return csspgo__run_count(r->body);
    for (i = 0; i < csspgo__run_count(r->body); i++) missing += csspgo__body_find(v, n, b[i].loc) == NULL;
    return missing;
}

static size_t csspgo__targets_missing(csspgo_target *v, size_t n, const csspgo_profile *q, const csspgo__record *r,
                                      const uint32_t *func)
{
    const csspgo_target *t = csspgo__target(q, r);
    size_t i, missing = 0;
    if (n == 0) return csspgo__run_count(r->target);
    for (i = 0; i < csspgo__run_count(r->target); i++)
        missing += csspgo__target_find(v, n, t[i].loc, func[t[i].func.id]) == NULL;
    return missing;
}

/* Counts what adding r to `to` (or, NULL, to an empty record) takes. */
static void csspgo__join_plan_runs(csspgo__join *j, const csspgo__record *to, const csspgo__record *r)
{
    static const csspgo__run empty = { 0, 0 };
    const csspgo__run body = to != NULL ? to->body : empty, target = to != NULL ? to->target : empty;
    const size_t nb = csspgo__run_count(body), nt = csspgo__run_count(target);
    const size_t mb = csspgo__bodies_missing(to != NULL ? csspgo__body(j->p, to) : NULL, nb, j->from, r);
    const size_t mt = csspgo__targets_missing(to != NULL ? csspgo__target(j->p, to) : NULL, nt, j->from, r, j->func);
    const size_t sb = mb != 0 && nb != 0 ? (nb + mb) * sizeof(csspgo_body) : 0;
    const size_t st = mt != 0 ? (nt + mt) * sizeof(csspgo_target) : 0;
    j->body += csspgo__run_needs(body, mb);
    j->target += csspgo__run_needs(target, mt);
    if (sb > j->sort_bytes) j->sort_bytes = sb;
    if (st > j->sort_bytes) j->sort_bytes = st;
}

static enum csspgo__fate csspgo__join_fate(const csspgo__join *j, uint32_t i)
{
    const csspgo__node *n = &j->from->tree.node[i];
    const csspgo__record *to = csspgo__record_of(j->p, j->node[i]), *r = csspgo__record_of(j->from, i);
    if (csspgo__site_kind(n->site) == CSSPGO_INLINEE) {
        if (j->fate[n->parent] == CSSPGO__LOSES) return CSSPGO__LOSES;
        if (j->fate[n->parent] != CSSPGO__JOINS) return CSSPGO__FOLLOWS;
    }
    if (to == NULL || r == NULL || to->checksum == r->checksum) return CSSPGO__JOINS;
    return to->checksum > r->checksum ? CSSPGO__LOSES : CSSPGO__WINS;
}

static csspgo_status csspgo__join_plan_node(csspgo__join *j, uint32_t i)
{
    const csspgo__node *n = &j->from->tree.node[i];
    const csspgo__record *r = csspgo__record_of(j->from, i), *to;
    const csspgo_loc loc = csspgo__loc_of(j->from, n->site);
    const csspgo_node_kind kind = csspgo__site_kind(n->site);
    const size_t nb = r != NULL ? csspgo__run_count(r->body) : 0;
    const uint32_t up = j->node[n->parent], func = j->func[n->func];
    uint64_t site;
    if (!j->p->heap.lenient &&
        (loc.line > 0xffff || kind == CSSPGO_TWIN || (nb != 0 && csspgo__body(j->from, r)[nb - 1].loc.line > 0xffff)))
        return CSSPGO_E_ARGUMENT;
    site = csspgo__site_make(j->p, loc, kind);
    if (site == 0 && loc.line > 0xffff) return j->p->heap.status;
    j->node[i] = up != 0 && func != 0 ? csspgo__tree_find(&j->p->tree, j->p->heap.seed, up, site, func) : 0;
    j->fate[i] = (unsigned char)csspgo__join_fate(j, i);
    if (j->fate[i] == CSSPGO__LOSES) return CSSPGO_OK;
    if (j->node[i] == 0) j->nodes++;
    if (r == NULL) return CSSPGO_OK;
    to = j->fate[i] != CSSPGO__FOLLOWS ? csspgo__record_of(j->p, j->node[i]) : NULL;
    if (to == NULL) j->records++;
    csspgo__join_plan_runs(j, j->fate[i] == CSSPGO__JOINS ? to : NULL, r);
    return CSSPGO_OK;
}

static csspgo_status csspgo__join_plan(csspgo__join *j)
{
    csspgo_status s = csspgo__join_plan_funcs(j);
    uint32_t i;
    j->node[CSSPGO__ROOT] = CSSPGO__ROOT;
    j->fate[CSSPGO__ROOT] = CSSPGO__JOINS;
    for (i = 2; i <= j->from->tree.count && s == CSSPGO_OK; i++)   /* a parent has a smaller id than its children */
        s = csspgo__join_plan_node(j, i);
    return s;
}

/* All memory that the plan needs. */
static int csspgo__join_reserve(csspgo__join *j)
{
    csspgo_profile *p = j->p;
    csspgo__heap *h = &p->heap;
    if (j->texts + j->guids != 0 && !csspgo__names_room(h, &p->names, j->texts, j->guids, j->text_size)) return 0;
    if (!csspgo__func_room(p, j->texts + j->guids)) return 0;
    if (!csspgo__tree_room(h, &p->tree, j->nodes) || !csspgo__record_room(p, j->records)) return 0;
    if (!csspgo__pool_room(h, &p->body, j->body, sizeof(csspgo_body))) return 0;
    if (!csspgo__pool_room(h, &p->target, j->target, sizeof(csspgo_target))) return 0;
    if (j->sort_bytes != 0) j->sort = csspgo__alloc(h, j->sort_bytes);
    return j->sort_bytes == 0 || j->sort != NULL;
}

static void csspgo__join_bodies(csspgo__join *j, csspgo__record *to, const csspgo__record *r)
{
    const size_t n = csspgo__run_count(to->body), count = csspgo__run_count(r->body);
    const size_t missing = csspgo__bodies_missing(csspgo__body(j->p, to), n, j->from, r);
    const csspgo_body *b = csspgo__body(j->from, r);
    csspgo_body *v;
    size_t i, k = n;
    if (missing != 0) csspgo__run_extend(&j->p->body, &to->body, missing, sizeof *v);
    v = csspgo__body(j->p, to);
    for (i = 0; i < count; i++) {
        csspgo_body *have = n != 0 ? csspgo__body_find(v, n, b[i].loc) : NULL;
        if (have != NULL) csspgo__count_add(&have->count, b[i].count);
        else v[k++] = b[i];
    }
    if (missing != 0 && n != 0) csspgo__sort_with(v, k, sizeof *v, j->sort, csspgo__body_cmp, NULL);
}

static void csspgo__join_targets(csspgo__join *j, csspgo__record *to, const csspgo__record *r)
{
    const size_t n = csspgo__run_count(to->target), count = csspgo__run_count(r->target);
    const size_t missing = csspgo__targets_missing(csspgo__target(j->p, to), n, j->from, r, j->func);
    const csspgo_target *t = csspgo__target(j->from, r);
    csspgo_target *v;
    size_t i, k = n;
    if (missing != 0) csspgo__run_extend(&j->p->target, &to->target, missing, sizeof *v);
    v = csspgo__target(j->p, to);
    for (i = 0; i < count; i++) {
        csspgo_target *have = n != 0 ? csspgo__target_find(v, n, t[i].loc, j->func[t[i].func.id]) : NULL;
        if (have != NULL) {
            csspgo__count_add(&have->count, t[i].count);
        } else {
            v[k] = t[i];
            v[k++].func.id = j->func[t[i].func.id];
        }
    }
    if (missing != 0) csspgo__sort_with(v, k, sizeof *v, j->sort, csspgo__target_cmp, NULL);
}

/* The first inlinee among id and the siblings after it. */
static uint32_t csspgo__inlinee_from(const csspgo__tree *t, uint32_t id)
{
    while (id != 0 && csspgo__site_kind(t->node[id].site) != CSSPGO_INLINEE) id = t->node[id].sibling;
    return id;
}

/* Takes the records away from all that is nested in a node. */
static void csspgo__nested_drop(csspgo_profile *p, uint32_t node)
{
    const csspgo__tree *t = &p->tree;
    uint32_t id = csspgo__inlinee_from(t, t->node[node].child), next;
    while (id != 0) {
        p->dead += t->node[id].record != 0;
        t->node[id].record = 0;
        next = csspgo__inlinee_from(t, t->node[id].child);
        while (next == 0 && id != node) {
            next = csspgo__inlinee_from(t, t->node[id].sibling);
            if (next == 0) id = t->node[id].parent;
        }
        id = next;
    }
}

static void csspgo__join_record(csspgo__join *j, uint32_t i, const csspgo__record *r)
{
    csspgo_profile *p = j->p;
    csspgo__record *to = csspgo__record_make(p, j->node[i]);   /* cannot fail: csspgo__join_reserve */
    to->attributes |= r->attributes;
    if (j->fate[i] == CSSPGO__WINS) {
        csspgo__count_add(&p->dropped_by_checksum, to->total);
        csspgo__nested_drop(p, j->node[i]);
        to->total = to->head = 0;
        to->body.size = to->target.size = 0;
    } else if (j->fate[i] == CSSPGO__LOSES) {
        csspgo__count_add(&p->dropped_by_checksum, r->total);
        return;
    }
    to->checksum = r->checksum;
    csspgo__count_add(&to->total, r->total);
    csspgo__count_add(&to->head, r->head);
    csspgo__join_bodies(j, to, r);
    csspgo__join_targets(j, to, r);
}

static void csspgo__join_commit(csspgo__join *j)
{
    const csspgo_profile *from = j->from;
    const size_t nodes = from->tree.count;            /* from may be p */
    uint32_t i;
    csspgo_func f;
    for (i = 1; i <= from->names.count; i++)
    {
        if (j->func[i] == 0) j->func[i] = csspgo__func_copy(j->p, from, i);
        j->p->names.name[j->func[i]].flags |= from->names.name[i].flags & CSSPGO__LISTED;
    }
    for (i = 2; i <= nodes; i++) {
        const csspgo__node *n = &from->tree.node[i];
        if (j->fate[i] == CSSPGO__LOSES && csspgo__site_kind(n->site) == CSSPGO_INLINEE &&
            j->fate[n->parent] == CSSPGO__LOSES)
            continue;                                 /* went with its caller */
        f.id = j->func[n->func];
        if (j->node[i] == 0)
            j->node[i] = csspgo_node_add(j->p, csspgo__node_handle(j->node[n->parent]), csspgo__loc_of(from, n->site),
                                         csspgo__site_kind(n->site), f).id;
        CSSPGO_ASSERT(j->node[i] != 0);
        if (n->record != 0) csspgo__join_record(j, i, &from->record[n->record]);
    }
    j->p->flags |= from->flags;
    csspgo__summary_drop(j->p);
}

/* 1 unless one of the two has contexts (or probes) and the other one has not. */
static int csspgo__may_join(const csspgo_profile *p, const csspgo_profile *from)
{
    if (p->tree.count == 1 || from->tree.count == 1 || p->heap.lenient) return 1;
    return ((p->flags ^ from->flags) & (CSSPGO_IS_CS | CSSPGO_IS_PROBE)) == 0;
}

CSSPGO_DEF csspgo_status csspgo_add_profile(csspgo_profile *p, const csspgo_profile *from)
{
    const size_t nf = from->names.count + 1, nn = from->tree.count + 1;
    csspgo__join j;
    csspgo_status s;
    if (!csspgo__may_join(p, from)) return CSSPGO_E_ARGUMENT;
    memset(&j, 0, sizeof j);
    j.p = p;
    j.from = from;
    j.bytes = (nf + nn) * sizeof *j.func + nn;
    j.func = (uint32_t *)csspgo__alloc(&p->heap, j.bytes);
    if (j.func == NULL) return p->heap.status;
    j.node = j.func + nf;
    j.fate = (unsigned char *)(j.node + nn);
    s = csspgo__join_plan(&j);
    if (s == CSSPGO_OK && !csspgo__join_reserve(&j)) s = p->heap.status;
    if (s == CSSPGO_OK) csspgo__join_commit(&j);
    csspgo__free(&p->heap, j.sort, j.sort_bytes);
    csspgo__free(&p->heap, j.func, j.bytes);
    return s;
}

static int csspgo__record_equal(const csspgo_profile *p, const csspgo__record *a, const csspgo_profile *q,
                                const csspgo__record *b)
{
    const size_t nb = csspgo__run_count(a->body), nt = csspgo__run_count(a->target);
    size_t i;
    if (a->total != b->total || a->head != b->head || a->checksum != b->checksum || a->attributes != b->attributes ||
        nb != csspgo__run_count(b->body) || nt != csspgo__run_count(b->target))
        return 0;
    for (i = 0; i < nb; i++) {
        const csspgo_body *x = csspgo__body(p, a) + i, *y = csspgo__body(q, b) + i;
        if (csspgo__body_cmp(NULL, x, y) != 0 || x->count != y->count) return 0;
    }
    for (i = 0; i < nt; i++) {
        const csspgo_target *x = csspgo__target(p, a) + i, *y;
        y = csspgo__target_find(csspgo__target(q, b), nt, x->loc, csspgo__func_lookup(q, p, x->func.id));
        if (y == NULL || y->count != x->count) return 0;
    }
    return 1;
}

/* 1 if no node of the subtree at id has a record. */
static int csspgo__subtree_empty(const csspgo__tree *t, uint32_t id)
{
    uint32_t n = id;
    for (;;) {
        if (t->node[n].record != 0) return 0;
        if (t->node[n].child != 0) {
            n = t->node[n].child;
            continue;
        }
        while (n != id && t->node[n].sibling == 0) n = t->node[n].parent;
        if (n == id) return 1;
        n = t->node[n].sibling;
    }
}

/* The child of q's node `up` that is what node a of p is to its parent; 0 if there is none. */
static uint32_t csspgo__node_like(const csspgo_profile *q, uint32_t up, const csspgo_profile *p, uint32_t a)
{
    const csspgo__node *n = &p->tree.node[a];
    csspgo_func f;
    f.id = csspgo__func_lookup(q, p, n->func);
    return csspgo_child(q, csspgo__node_handle(up), csspgo__loc_of(p, n->site), csspgo__site_kind(n->site), f).id;
}

/* Walks p in pre-order with b in step, the node of q on the same path. */
CSSPGO_DEF int csspgo_equal(const csspgo_profile *p, const csspgo_profile *q)
{
    const csspgo__node *v = p->tree.node;
    uint32_t a = CSSPGO__ROOT, b = CSSPGO__ROOT, up = CSSPGO__ROOT, descend = 1;
    if (p->flags != q->flags || csspgo_record_count(p) != csspgo_record_count(q)) return 0;
    for (;;) {                                        /* up: b of the parent of the next a */
        if (descend && v[a].child != 0) {
            up = b;
            a = v[a].child;
        } else {
            while (a != CSSPGO__ROOT && v[a].sibling == 0) {
                a = v[a].parent;
                up = q->tree.node[up].parent;
            }
            if (a == CSSPGO__ROOT) return 1;
            a = v[a].sibling;
        }
        b = csspgo__node_like(q, up, p, a);
        descend = b != 0;
        if (b == 0 && !csspgo__subtree_empty(&p->tree, a)) return 0;
        if (b == 0 || v[a].record == 0) continue;
        if (q->tree.node[b].record == 0) return 0;
        if (!csspgo__record_equal(p, &p->record[v[a].record], q, &q->record[q->tree.node[b].record])) return 0;
    }
}

static int csspgo__run_valid(const csspgo__pool *pool, csspgo__run r)
{
    return csspgo__run_cap(r) == 0 || (r.begin <= pool->count && csspgo__run_cap(r) <= pool->count - r.begin);
}

/* NULL, or which invariant of the record is broken. */
static const char *csspgo__record_check(const csspgo_profile *p, const csspgo__record *r)
{
    const size_t nb = csspgo__run_count(r->body);
    const csspgo_target *t;
    csspgo_body *b;
    size_t i;
    if (!csspgo__run_valid(&p->body, r->body) || !csspgo__run_valid(&p->target, r->target))
        return "a run leaves its pool";
    if (r->flags & CSSPGO__DIRTY) return "a record is dirty";
    b = csspgo__body(p, r);
    t = csspgo__target(p, r);
    for (i = 0; i < nb; i++) {
        if (b[i].loc.line > 0xffff && !p->heap.lenient) return "a line offset is above 65535";
        if (i != 0 && csspgo__body_cmp(NULL, &b[i - 1], &b[i]) >= 0) return "body entries are out of order";
    }
    for (i = 0; i < csspgo__run_count(r->target); i++) {
        if (i != 0 && csspgo__target_cmp(NULL, &t[i - 1], &t[i]) >= 0) return "call targets are out of order";
        if (!csspgo__func_ok(p, t[i].func)) return "a call target has no function";
        if (csspgo__body_find(b, nb, t[i].loc) == NULL) return "a call target has no body entry";
    }
    return NULL;
}

static const char *csspgo__node_check(const csspgo_profile *p, uint32_t id)
{
    const csspgo__node *n = &p->tree.node[id];
    csspgo_func f;
    f.id = n->func;
    if (n->parent == 0 || n->parent >= id) return "a node's parent does not come before it";
    if (!csspgo__func_ok(p, f)) return "a node has no function";
    if (n->site >> 51 != 0) return "a node's site has unknown bits";
    if (n->site & CSSPGO__WIDE && (n->site & 0xffffffffu) - 1 >= p->wides) return "a node's wide site is out of range";
    if (!csspgo__may_hang(p, csspgo__node_handle(n->parent), csspgo__loc_of(p, n->site), csspgo__site_kind(n->site), f))
        return "a node of this kind cannot hang below its parent";
    if (csspgo__tree_find(&p->tree, p->heap.seed, n->parent, n->site, n->func) != id) return "a node is not unique";
    if (n->record > p->records) return "a record number is out of range";
    if (n->record != 0 && csspgo__site_kind(n->site) == CSSPGO_INLINEE && p->tree.node[n->parent].record == 0)
        return "an inlinee has a record and its caller has none";
    return n->record != 0 ? csspgo__record_check(p, &p->record[n->record]) : NULL;
}

CSSPGO_DEF csspgo_status csspgo_validate(const csspgo_profile *p, csspgo_error *err)
{
    uint32_t id, walked = 0;
    size_t same = 0, records = 0, i;
    uint64_t ids = 0;
    csspgo__error_clear(err);
    for (id = 2; id <= p->tree.count; id++) {
        const char *broken = csspgo__node_check(p, id);
        records += p->tree.node[id].record != 0;
        ids += p->tree.node[id].record;
        if (broken == NULL) continue;
        csspgo__error(err, CSSPGO_E_ARGUMENT, 0, broken);
        csspgo__say(err, ": node ");
        csspgo__say_u64(err, id);
        return CSSPGO_E_ARGUMENT;
    }
    for (id = CSSPGO__ROOT; id != 0 && walked <= p->tree.count; id = csspgo__tree_walk(&p->tree, id)) walked++;
    for (i = 1; i <= p->names.count; i++)
        for (id = p->func[i].begin; id != 0 && same <= p->tree.count; id = p->tree.node[id].same) same++;
    if (records + p->dead != p->records || (p->dead == 0 && ids != (uint64_t)records * (records + 1) / 2))
        return csspgo__error(err, CSSPGO_E_ARGUMENT, 0, "a record has no node, or two");
    if (walked == p->tree.count && same + 1 == p->tree.count) return CSSPGO_OK;
    return csspgo__error(err, CSSPGO_E_ARGUMENT, 0, "the chains of siblings or of a function's nodes are broken");
}

/* ----- orders that outputs need ----------------------------------------------------------------------------------- */

typedef struct csspgo__order {
    uint32_t *rank;               /* of a function among all names: 1 = first; [names.count + 1]                    */
    uint32_t *node;               /* all nodes but the root, each before its children, siblings in order; [nodes]     */
    size_t    nodes;
    size_t    bytes;              /* of the one allocation behind both                                               */
} csspgo__order;

/* A name by its first 8 bytes, for the common case that these differ. */
typedef struct csspgo__name_key {
    uint64_t prefix;              /* big-endian; 0 for a name without text */
    uint32_t id, has_text;
} csspgo__name_key;

static int csspgo__name_key_cmp(const void *ctx, const void *a, const void *b)
{
    const csspgo__name_key *x = (const csspgo__name_key *)a, *y = (const csspgo__name_key *)b;
    if (x->prefix != y->prefix && x->has_text && y->has_text) return x->prefix < y->prefix ? -1 : 1;
    return csspgo__name_cmp((const csspgo__names *)ctx, x->id, y->id);
}

/* rank[id] = place of the name among all, from 1. Returns 0 when memory is exhausted. */
static int csspgo__rank_names(csspgo_profile *p, uint32_t *rank)
{
    const size_t n = p->names.count, bytes = n * sizeof(csspgo__name_key);
    csspgo__name_key *key;
    size_t i, k;
    int ok;
    rank[0] = 0;
    if (n == 0) return 1;
    key = (csspgo__name_key *)csspgo__alloc(&p->heap, bytes);
    if (key == NULL) return 0;
    for (i = 0; i < n; i++) {
        const csspgo__name *name = &p->names.name[i + 1];
        const char *text = p->names.text + name->text;
        key[i].id = (uint32_t)i + 1;
        key[i].has_text = name->flags & CSSPGO__HAS_TEXT;
        key[i].prefix = 0;
        for (k = 0; k < 8; k++)
            key[i].prefix = key[i].prefix << 8 | (k < name->size ? (unsigned char)text[k] : 0u);
    }
    ok = csspgo__sort(&p->heap, key, n, sizeof *key, csspgo__name_key_cmp, &p->names);
    for (i = 0; ok && i < n; i++) rank[key[i].id] = (uint32_t)i + 1;
    csspgo__free(&p->heap, key, bytes);
    return ok;
}

typedef struct csspgo__sibling_ctx {
    const csspgo_profile *p;
    const uint32_t *rank;
} csspgo__sibling_ctx;

/* Plain functions, then inlinees, then contexts, by location and name. A twin is the first at its location. */
static int csspgo__sibling_cmp(const csspgo__sibling_ctx *c, uint32_t a, uint32_t b)
{
    static const unsigned char place[4] = { 2, 1, 0, 2 };
    const csspgo__node *x = &c->p->tree.node[a], *y = &c->p->tree.node[b];
    const csspgo_node_kind k = csspgo__site_kind(x->site), m = csspgo__site_kind(y->site);
    const uint64_t s = csspgo__loc_key(csspgo__loc_of(c->p, x->site));
    const uint64_t t = csspgo__loc_key(csspgo__loc_of(c->p, y->site));
    if (place[k] != place[m]) return place[k] < place[m] ? -1 : 1;
    if (s != t) return s < t ? -1 : 1;
    if (k != m) return k == CSSPGO_TWIN ? -1 : 1;
    return c->rank[x->func] < c->rank[y->func] ? -1 : c->rank[x->func] > c->rank[y->func];
}

/* For a stack: what comes first in the order is the last. */
static int csspgo__sibling_stack_cmp(const void *ctx, const void *a, const void *b)
{
    return csspgo__sibling_cmp((const csspgo__sibling_ctx *)ctx, *(const uint32_t *)b, *(const uint32_t *)a);
}

static void csspgo__order_free(csspgo_profile *p, csspgo__order *o)
{
    csspgo__free(&p->heap, o->rank, o->bytes);
    memset(o, 0, sizeof *o);
}

/* Fills out with all nodes but the root. stack: room for every node. What is free of out is scratch for a sort. */
static void csspgo__preorder(const csspgo__sibling_ctx *c, uint32_t *stack, uint32_t *out)
{
    const csspgo__node *v = c->p->tree.node;
    size_t top = 0, k = 0;
    uint32_t id = CSSPGO__ROOT;
    for (;;) {
        const size_t bottom = top;
        for (id = v[id].child; id != 0; id = v[id].sibling) stack[top++] = id;
        if (top - bottom > 1)
            csspgo__sort_with(stack + bottom, top - bottom, sizeof *stack, out + k, csspgo__sibling_stack_cmp, c);
        if (top == 0) return;
        id = out[k++] = stack[--top];
    }
}

/*
 * Ranks of names and the nodes in the order of outputs: every node before its children, first those that are nested in
 * it, then deeper contexts by location and name. (So contexts come frame by frame, prefixes first.) O(n log n).
 */
CSSPGO__UNUSED static csspgo_status csspgo__order_make(csspgo_profile *p, csspgo__order *o)
{
    const size_t nf = p->names.count + 1, nn = p->tree.count, bytes = nn * sizeof(uint32_t);
    uint32_t *stack = (uint32_t *)csspgo__alloc(&p->heap, bytes);
    csspgo__sibling_ctx ctx;
    int ok;
    memset(o, 0, sizeof *o);
    if (stack == NULL) return p->heap.status;
    o->bytes = (nf + nn) * sizeof(uint32_t);
    o->rank = (uint32_t *)csspgo__alloc(&p->heap, o->bytes);
    ok = o->rank != NULL && csspgo__rank_names(p, o->rank);
    if (ok) {
        o->node = o->rank + nf;
        o->nodes = nn - 1;
        ctx.p = p;
        ctx.rank = o->rank;
        csspgo__preorder(&ctx, stack, o->node);
    }
    csspgo__free(&p->heap, stack, bytes);
    if (ok) return CSSPGO_OK;
    if (o->rank != NULL) csspgo__order_free(p, o);
    return p->heap.status;
}

/* ===== >>format =================================================================================================== */

#ifndef CSSPGO_NO_FORMAT

/* ----- telling formats apart -------------------------------------------------------------------------------------- */

enum csspgo__format {
    CSSPGO__FORMAT_TEXT, CSSPGO__FORMAT_BINARY, CSSPGO__FORMAT_EXTBINARY, CSSPGO__FORMAT_COMPACT, CSSPGO__FORMAT_GCC
};

static enum csspgo__format csspgo__sniff(const void *data, size_t size)
{
    static const unsigned char tail[7] = { 0xd0, 0xb1, 0xf4, 0xc9, 0x94, 0xa8, 0x53 };   /* of ULEB128(magic) */
    const unsigned char *p = (const unsigned char *)data;
    if (size >= 9 && memcmp(p, "adcg", 4) == 0 && (p[4] == '*' ? p[8] : p[5] | p[6] | p[7]) == 0)
        return CSSPGO__FORMAT_GCC;                    /* text has no NUL bytes */
    if (size < 9 || memcmp(p + 2, tail, sizeof tail) != 0) return CSSPGO__FORMAT_TEXT;
    if (p[0] == 0xff && p[1] == 0xe5) return CSSPGO__FORMAT_BINARY;
    if (p[0] == 0x84 && p[1] == 0xe4) return CSSPGO__FORMAT_EXTBINARY;
    if (p[0] == 0x82 && p[1] == 0xe4) return CSSPGO__FORMAT_COMPACT;
    return CSSPGO__FORMAT_TEXT;
}

/* ----- text in ----------------------------------------------------------------------------------------------------
 *
 * A head line `name:total:head` opens a top-level function, indented lines belong to it or, by their depth, to an
 * inlinee. The same function, inlinee or location met again is added to. Lenient reading does what LLVM 19 does with
 * every line that it accepts; the comments say where strict reading differs.
 *
 * Lines become tokens, and tokens are applied to the profile in batches, between which the names of a whole batch are
 * brought into the cache: with many functions, waiting for one name's memory after the other is most of the time.
 */

enum csspgo__token_kind {
    CSSPGO__T_PLAIN,                    /* name of a function without context                                      */
    CSSPGO__T_FRAME,                    /* name and call site of a frame; depth: its place in the context, from 1  */
    CSSPGO__T_TOTAL,                    /* count; ends what the tokens above began                                 */
    CSSPGO__T_HEAD,                     /* count                                                                   */
    CSSPGO__T_BODY,                     /* depth, loc, count                                                       */
    CSSPGO__T_TARGET,                   /* of the body before: name, count; depth: 1 if the line's last one        */
    CSSPGO__T_INLINEE,                  /* depth, loc, name, count                                                 */
    CSSPGO__T_CHECKSUM,                 /* depth, count                                                            */
    CSSPGO__T_ATTRIBUTES                /* depth, count                                                            */
};

typedef struct csspgo__token {
    const unsigned char    *at, *end;   /* where it stands, and the end of its line                                */
    const unsigned char    *name;       /* or NULL                                                                 */
    uint64_t                count;
    csspgo_loc              loc;
    uint32_t                size, hash; /* of the name                                                             */
    uint32_t                guess;      /* of csspgo__names_ahead                                                  */
    uint32_t                depth;
    enum csspgo__token_kind kind;
} csspgo__token;

enum { CSSPGO__BATCH = 64 };            /* tokens */

typedef struct csspgo__text {
    csspgo_profile      *q;             /* what has been read                                                      */
    const unsigned char *base, *end;    /* the input; end: its end or its first NUL                                */
    csspgo_error        *err;
    csspgo_status        status;        /* of the first failure                                                    */
    int                  lenient, nul;  /* nul: there is a NUL at end                                              */
    int                  any;           /* there was a head line                                                   */
    csspgo__token        token[CSSPGO__BATCH];
    size_t               tokens;
    uint32_t             node, depth;   /* the innermost function and how deep it is: 1 = top level; 0 at first    */
    csspgo_loc           site;          /* in a context: the call site behind node                                 */
    uint32_t             meta_depth;    /* indentation of the last metadata line, 0 after a head or an inlinee     */
    csspgo_loc           loc;           /* of the body to which targets belong                                     */
    csspgo_target       *target;        /* of the line being read: func and count                                  */
    size_t               targets, target_cap;
    uint64_t             full_at;       /* the offset at which memory was exhausted, 0: it was not                 */
    size_t               had[6];        /* what q held then: see csspgo__text_foresee                              */
    uint32_t             watch;         /* a record of which a sum is watched, so that its overflow has a line     */
    csspgo_target        watched;       /* which one (func 0: a body count), and the sum so far                    */
} csspgo__text;

/* Fails at byte `at`; what it should have been is said, what stands there up to `end` is quoted. Returns 0. */
static int csspgo__text_fail(csspgo__text *t, csspgo_status status, const unsigned char *at, const unsigned char *end,
                             const char *what)
{
    const unsigned char *line = t->base, *p;
    uint32_t n = 1;
    t->status = csspgo__error(t->err, status, (uint64_t)(at - t->base), what);
    if (t->err == NULL) return 0;
    csspgo__say(t->err, at < end ? ": " : "");
    if (at < end) csspgo__say_bytes(t->err, at, (size_t)(end - at));
    for (p = t->base; (p = (const unsigned char *)memchr(p, '\n', (size_t)(at - p))) != NULL; line = ++p) n++;
    t->err->line = n;
    t->err->column = (uint32_t)(at - line) + 1;
    return 0;
}

/* Memory or a limit is exhausted. */
static int csspgo__text_full(csspgo__text *t, const unsigned char *at)
{
    t->full_at = (uint64_t)(at - t->base);
    t->had[0] = t->q->names.count;
    t->had[1] = t->q->names.text_size;
    t->had[2] = t->q->tree.count;
    t->had[3] = t->q->records;
    t->had[4] = t->q->body.count;
    t->had[5] = t->q->target.count;
    return csspgo__text_fail(t, t->q->heap.status, at, at, csspgo_status_text(t->q->heap.status));
}

/* ----- from tokens to the profile --------------------------------------------------------------------------------- */

static csspgo__record *csspgo__text_record(csspgo__text *t)
{
    return &t->q->record[t->q->tree.node[t->node].record];
}

/* The end of an addition: s < 0: memory is exhausted, s > 0: the sum overflowed. */
static int csspgo__text_added(csspgo__text *t, const csspgo__token *k, int s)
{
    if (s == 0) return 1;
    if (s < 0) return csspgo__text_full(t, k->at);
    return csspgo__text_fail(t, CSSPGO_E_RANGE, k->at, k->end, "a sum of counts does not fit 64 bits");
}

/* Moves to the function's node below t->node. */
static int csspgo__text_down(csspgo__text *t, const csspgo__token *k, csspgo_loc loc, csspgo_node_kind kind,
                             uint32_t func)
{
    csspgo_func f;
    f.id = func;
    t->node = csspgo_node_add(t->q, csspgo__node_handle(t->node), loc, kind, f).id;
    return t->node != 0 || csspgo__text_full(t, k->at);
}

/* The record of the node that was moved to, now the innermost function. */
static int csspgo__text_enter(csspgo__text *t, const csspgo__token *k)
{
    csspgo__record *r = csspgo__record_make(t->q, t->node);
    if (r == NULL) return csspgo__text_full(t, k->at);
    t->meta_depth = 0;
    return csspgo__text_added(t, k, csspgo__count_add(&r->total, k->count));
}

/* A function without context, or the first frame of a context. */
static int csspgo__text_open(csspgo__text *t, const csspgo__token *k)
{
    const int cs = k->kind == CSSPGO__T_FRAME, before = (t->q->flags & CSSPGO_IS_CS) != 0;
    if (!t->lenient && t->depth != 0 && cs != before)
        return csspgo__text_fail(t, CSSPGO_E_SYNTAX, cs ? k->at - 1 : k->at, k->end,
                                 cs ? "a context after functions without contexts"
                                    : "expected '[': the functions before have contexts");
    if (cs) t->q->flags |= CSSPGO_IS_CS;
    t->node = CSSPGO__ROOT;
    t->depth = 1;
    t->site = csspgo_at(0, 0);
    return 1;
}

static int csspgo__text_frame(csspgo__text *t, const csspgo__token *k, uint32_t func)
{
    const csspgo_loc site = k->depth == 1 ? csspgo_at(0, 0) : t->site;
    if (k->depth == 1 && !csspgo__text_open(t, k)) return 0;
    if (k->depth > t->q->heap.limits.max_depth)
        return csspgo__text_fail(t, CSSPGO_E_LIMIT, k->at, k->end, "a context has more frames than limits.max_depth");
    t->site = k->loc;
    return csspgo__text_down(t, k, site, CSSPGO_CONTEXT, func);
}

/* The end of a head line's name. A location behind the leaf, which only lenient reading keeps, makes another record. */
static int csspgo__text_total(csspgo__text *t, const csspgo__token *k)
{
    if (csspgo__loc_key(t->site) != 0 &&
        !csspgo__text_down(t, k, t->site, CSSPGO_TWIN, t->q->tree.node[t->node].func))
        return 0;
    return csspgo__text_enter(t, k);
}

/* An indented line. LLVM takes any depth beyond the innermost function for that function's. */
static int csspgo__text_indented(csspgo__text *t, const csspgo__token *k)
{
    const unsigned char *line = k->at - k->depth;
    if (!t->lenient && k->depth > t->depth)
        return csspgo__text_fail(t, CSSPGO_E_SYNTAX, line, k->end,
                                 "the line is indented deeper than what it can belong to");
    if (k->kind != CSSPGO__T_CHECKSUM && k->kind != CSSPGO__T_ATTRIBUTES && t->meta_depth == k->depth)
        return csspgo__text_fail(t, CSSPGO_E_SYNTAX, line, k->end, "counts after the function's metadata");
    for (; t->depth > k->depth; t->depth--) t->node = t->q->tree.node[t->node].parent;
    return 1;
}

/* 1 if the watched sum overflows with this count. */
static int csspgo__text_watch(csspgo__text *t, uint32_t func, uint64_t count)
{
    if (t->q->tree.node[t->node].record != t->watch || t->watched.func.id != func) return 0;
    return csspgo__loc_key(t->watched.loc) == csspgo__loc_key(t->loc) && csspgo__count_add(&t->watched.count, count);
}

static int csspgo__text_body(csspgo__text *t, const csspgo__token *k)
{
    int s;
    if (!csspgo__text_indented(t, k)) return 0;
    t->loc = k->loc;
    t->targets = 0;
    s = csspgo__body_append(t->q, csspgo__text_record(t), k->loc, k->count);
    return csspgo__text_added(t, k, s != 0 ? s : csspgo__text_watch(t, 0, k->count));
}

static int csspgo__text_add_target(csspgo__text *t, const csspgo__token *k, uint32_t func, uint64_t count)
{
    const int s = csspgo__target_append(t->q, csspgo__text_record(t), t->loc, func, count);
    return csspgo__text_added(t, k, s != 0 ? s : csspgo__text_watch(t, func, count));
}

static int csspgo__target_func_cmp(const void *ctx, const void *a, const void *b)
{
    const uint32_t x = ((const csspgo_target *)a)->func.id, y = ((const csspgo_target *)b)->func.id;
    (void)ctx;
    return x < y ? -1 : x > y;
}

/* Keeps the targets of a line until the last one: of a function that is there twice the last count is taken. */
static int csspgo__text_target(csspgo__text *t, const csspgo__token *k, uint32_t func)
{
    size_t i;
    if (t->targets == 0 && k->depth != 0) return csspgo__text_add_target(t, k, func, k->count);
    if (t->targets == t->target_cap) {
        void *v = csspgo__grow(&t->q->heap, t->target, t->targets, &t->target_cap, t->targets + 1, sizeof *t->target);
        if (v == NULL) return csspgo__text_full(t, k->at);
        t->target = (csspgo_target *)v;
    }
    t->target[t->targets].func.id = func;
    t->target[t->targets++].count = k->count;
    if (k->depth == 0) return 1;
    if (!csspgo__sort(&t->q->heap, t->target, t->targets, sizeof *t->target, csspgo__target_func_cmp, NULL))
        return csspgo__text_full(t, k->at);
    for (i = 0; i < t->targets; i++) {
        if (i + 1 < t->targets && t->target[i].func.id == t->target[i + 1].func.id) continue;
        if (!csspgo__text_add_target(t, k, t->target[i].func.id, t->target[i].count)) return 0;
    }
    return 1;
}

static int csspgo__text_inlinee(csspgo__text *t, const csspgo__token *k, uint32_t func)
{
    if (!csspgo__text_indented(t, k)) return 0;
    if (!t->lenient && t->q->flags & CSSPGO_IS_CS)
        return csspgo__text_fail(t, CSSPGO_E_SYNTAX, k->at, k->end, "an inlinee inside a context");
    if (++t->depth > t->q->heap.limits.max_depth)
        return csspgo__text_fail(t, CSSPGO_E_LIMIT, k->at, k->end, "inlinees are nested deeper than limits.max_depth");
    return csspgo__text_down(t, k, k->loc, CSSPGO_INLINEE, func) && csspgo__text_enter(t, k);
}

/* In LLVM a line of attributes replaces those before, and a checksum line sets them to 0; strict reading keeps all. */
static int csspgo__text_meta(csspgo__text *t, const csspgo__token *k)
{
    csspgo__record *r;
    if (!csspgo__text_indented(t, k)) return 0;
    r = csspgo__text_record(t);
    t->meta_depth = k->depth;
    if (k->kind == CSSPGO__T_ATTRIBUTES) {
        r->attributes = (t->lenient ? 0 : r->attributes) | (uint32_t)k->count;
        if (k->count & CSSPGO_SHOULD_BE_INLINED) t->q->flags |= CSSPGO_IS_PREINLINED;
        return 1;
    }
    if (t->lenient) r->attributes = 0;
    if (k->count == 0) return 1;
    r->checksum = k->count;
    if (k->depth == 1) t->q->flags |= CSSPGO_IS_PROBE;
    return 1;
}

static int csspgo__text_apply(csspgo__text *t, const csspgo__token *k)
{
    uint32_t func = 0;
    if (k->name != NULL) {
        if (k->size > t->q->heap.limits.max_name)
            return csspgo__text_fail(t, CSSPGO_E_LIMIT, k->name, k->end, "a name is longer than limits.max_name");
        func = csspgo__func_add_hashed(t->q, (const char *)k->name, k->size, k->hash).id;
        if (func == 0) return csspgo__text_full(t, k->name);
    }
    switch (k->kind) {
    case CSSPGO__T_PLAIN: return csspgo__text_open(t, k) && csspgo__text_down(t, k, k->loc, CSSPGO_PLAIN, func);
    case CSSPGO__T_FRAME: return csspgo__text_frame(t, k, func);
    case CSSPGO__T_TOTAL: return csspgo__text_total(t, k);
    case CSSPGO__T_HEAD: return csspgo__text_added(t, k, csspgo__count_add(&csspgo__text_record(t)->head, k->count));
    case CSSPGO__T_BODY: return csspgo__text_body(t, k);
    case CSSPGO__T_TARGET: return csspgo__text_target(t, k, func);
    case CSSPGO__T_INLINEE: return csspgo__text_inlinee(t, k, func);
    case CSSPGO__T_CHECKSUM:
    case CSSPGO__T_ATTRIBUTES: return csspgo__text_meta(t, k);
    }
    return 1;
}

static int csspgo__text_flush(csspgo__text *t)
{
    const size_t n = t->tokens;
    size_t i;
    t->tokens = 0;
    for (i = 0; i < n; i++)
        if (t->token[i].name != NULL) t->token[i].guess = csspgo__names_ahead(&t->q->names, t->token[i].hash, 1, 0);
    for (i = 0; i < n; i++)
        if (t->token[i].name != NULL) csspgo__names_ahead(&t->q->names, t->token[i].hash, 2, t->token[i].guess);
    for (i = 0; i < n; i++)
        if (!csspgo__text_apply(t, &t->token[i])) return 0;
    return 1;
}

/* ----- from lines to tokens --------------------------------------------------------------------------------------- */

/* A new token, the name and location still to be set; it counts from csspgo__text_emit on. NULL after a failure. */
static csspgo__token *csspgo__text_token(csspgo__text *t, enum csspgo__token_kind kind, const unsigned char *at,
                                         const unsigned char *end, uint32_t depth, uint64_t count)
{
    csspgo__token *k;
    if (t->tokens == CSSPGO__BATCH && !csspgo__text_flush(t)) return NULL;
    k = &t->token[t->tokens];
    k->at = at;
    k->end = end;
    k->name = NULL;
    k->count = count;
    k->loc = csspgo_at(0, 0);
    k->depth = depth;
    k->kind = kind;
    return k;
}

static int csspgo__text_emit(csspgo__text *t)
{
    t->tokens++;
    return 1;
}

static void csspgo__text_name(csspgo__text *t, csspgo__token *k, const unsigned char *name, const unsigned char *end)
{
    const size_t size = (size_t)(end - name);
    k->name = name;
    k->size = size <= UINT32_MAX ? (uint32_t)size : UINT32_MAX;   /* then beyond any limit */
    k->hash = (uint32_t)csspgo__hash_bytes(name, k->size, t->q->heap.seed);
    csspgo__names_ahead(&t->q->names, k->hash, 0, 0);
}

/* Fails as csspgo__text_fail, unless a line before this one does. */
static int csspgo__text_reject(csspgo__text *t, csspgo_status status, const unsigned char *at, const unsigned char *end,
                               const char *what)
{
    return csspgo__text_flush(t) && csspgo__text_fail(t, status, at, end, what);
}

static int csspgo__is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

/* Reads the digits at p: their value in *v, or UINT64_MAX and *over = 1 if that does not fit. Returns what follows. */
static const unsigned char *csspgo__text_digits(const unsigned char *p, const unsigned char *end, uint64_t *v,
                                                int *over)
{
    uint64_t x = 0;
    *over = 0;
    for (; p < end && csspgo__is_digit(*p); p++) {
        const uint64_t d = (uint64_t)(*p - '0');
        if (x >= UINT64_MAX / 10 && (x > UINT64_MAX / 10 || d > UINT64_MAX % 10)) *over = 1;
        x = x * 10 + d;
    }
    *v = *over ? UINT64_MAX : x;
    return p;
}

/* The digits that end at `end`: where they start. */
static const unsigned char *csspgo__text_digits_before(const unsigned char *start, const unsigned char *end)
{
    while (end > start && csspgo__is_digit(end[-1])) end--;
    return end;
}

/* Reads a number up to max at *at, which moves on. Returns 0 after a failure. */
static int csspgo__text_number(csspgo__text *t, const unsigned char **at, const unsigned char *end, uint64_t max,
                               uint64_t *v, const char *what)
{
    const unsigned char *start = *at;
    int over;
    *at = csspgo__text_digits(start, end, v, &over);
    if (*at == start) return csspgo__text_reject(t, CSSPGO_E_SYNTAX, start, end, what);
    if (over || *v > max) return csspgo__text_reject(t, CSSPGO_E_RANGE, start, *at, "the number is too large");
    return 1;
}

/* The first " @ " in [p, end), or end. */
static const unsigned char *csspgo__text_at_sign(const unsigned char *p, const unsigned char *end)
{
    const unsigned char *at = p;
    while ((at = (const unsigned char *)memchr(at, '@', (size_t)(end - at))) != NULL) {
        if (at > p && at[-1] == ' ' && end - at > 1 && at[1] == ' ') return at - 1;
        at++;
    }
    return end;
}

/* A frame as LLVM takes it: any location that is no number is 0. Returns the next frame, or NULL at the end. */
static const unsigned char *csspgo__text_frame_lenient(csspgo__text *t, csspgo__token *k, const unsigned char *p,
                                                       const unsigned char *end)
{
    const unsigned char *stop = csspgo__text_at_sign(p, end), *next = end - stop > 3 ? stop + 3 : NULL, *dot, *number;
    const unsigned char *colon = (const unsigned char *)memchr(p, ':', (size_t)(stop - p));
    uint64_t v;
    int over, minus;
    csspgo__text_name(t, k, p, colon != NULL ? colon : stop);
    if (colon == NULL) return next;
    dot = (const unsigned char *)memchr(colon, '.', (size_t)(stop - colon));
    if (dot == NULL) dot = stop;
    minus = dot - colon > 1 && colon[1] == '-';
    number = colon + 1 + minus;
    if (csspgo__text_digits(number, dot, &v, &over) == dot && dot != number && v <= 0x7fffffffu + (unsigned)minus)
        k->loc.line = minus ? 0u - (uint32_t)v : (uint32_t)v;
    if (stop - dot > 1 && csspgo__text_digits(dot + 1, stop, &v, &over) == stop && v <= UINT32_MAX)
        k->loc.discriminator = (uint32_t)v;
    return next;
}

/*
 * A frame `name:line[.discriminator]` or the leaf `name`, whose location, if it has one, is checked and dropped. *next:
 * the next frame, or NULL at the end. Returns 0 after a failure.
 */
static int csspgo__text_frame_strict(csspgo__text *t, csspgo__token *k, const unsigned char *p,
                                     const unsigned char *end, const unsigned char **next)
{
    const unsigned char *colon = (const unsigned char *)memchr(p, ':', (size_t)(end - p)), *stop = colon, *at;
    uint64_t line, disc = 0;
    if (stop == NULL) stop = end;
    *next = NULL;
    at = csspgo__text_at_sign(p, stop);
    if (at != stop) return csspgo__text_reject(t, CSSPGO_E_SYNTAX, at, end, "expected ':' and a line before ' @ '");
    if (stop == p) return csspgo__text_reject(t, CSSPGO_E_SYNTAX, p, end, "expected a function name");
    csspgo__text_name(t, k, p, stop);
    if (colon == NULL) return 1;
    at = colon + 1;
    if (!csspgo__text_number(t, &at, end, 0xffff, &line, "expected a line")) return 0;
    if (at < end && *at == '.') {
        at++;
        if (!csspgo__text_number(t, &at, end, UINT32_MAX, &disc, "expected a discriminator")) return 0;
    }
    if (at == end) return 1;
    if (end - at < 3 || at[0] != ' ' || at[1] != '@' || at[2] != ' ')
        return csspgo__text_reject(t, CSSPGO_E_SYNTAX, at, end, "expected ' @ ' or ']'");
    *next = at + 3;
    k->loc = csspgo_at((uint32_t)line, (uint32_t)disc);
    return 1;
}

/* The context [p, end), with its brackets. LLVM does not look at the last byte, and crashes if nothing is inside. */
static int csspgo__text_context(csspgo__text *t, const unsigned char *p, const unsigned char *end)
{
    uint32_t depth = 0;
    if (end - p < 3) return csspgo__text_reject(t, CSSPGO_E_SYNTAX, p, end, "the context is empty");
    if (!t->lenient && end[-1] != ']')
        return csspgo__text_reject(t, CSSPGO_E_SYNTAX, end - 1, end, "expected ']' at the end of the context");
    for (p++, end--; p != NULL;) {
        csspgo__token *k = csspgo__text_token(t, CSSPGO__T_FRAME, p, end, ++depth, 0);
        if (k == NULL) return 0;
        if (t->lenient) p = csspgo__text_frame_lenient(t, k, p, end);
        else if (!csspgo__text_frame_strict(t, k, p, end, &p)) return 0;
        csspgo__text_emit(t);
    }
    return 1;
}

/* Blames the byte of a head line [p, end) that should be of a number, or the end if a colon is missing. */
static int csspgo__text_head_fail(csspgo__text *t, const unsigned char *p, const unsigned char *end)
{
    const unsigned char *stop = end, *digits, *at = p;
    int field;
    for (field = 0; field < 2; field++) {             /* the head count, then the total */
        digits = csspgo__text_digits_before(p, stop);
        if (digits == p || memchr(p, ':', (size_t)(digits - p)) == NULL) {
            at = digits == p && stop < end ? p : end;
            break;
        }
        if (digits == stop || digits[-1] != ':') {
            at = digits[-1] != ':' ? digits - 1 : digits;
            break;
        }
        stop = digits - 1;
    }
    return csspgo__text_reject(t, CSSPGO_E_SYNTAX, at, end, "expected NAME:TOTAL:HEAD");
}

/*
 * name ":" total ":" head. Split at the last two colons. LLVM takes `7` for `7:7:7`, `5:6` for `5:6:5:6` and `:5` for
 * `:5:5`; strict reading wants both numbers and a name.
 */
static int csspgo__text_head(csspgo__text *t, const unsigned char *p, const unsigned char *end)
{
    const unsigned char *head = csspgo__text_digits_before(p, end), *total = head, *name_end = end, *at;
    uint64_t nhead, ntotal;
    csspgo__token *k;
    if (head == end || (head > p && head[-1] != ':')) return csspgo__text_head_fail(t, p, end);
    if (head - p > 1) {                               /* head[-1] is a colon, with something before it */
        total = csspgo__text_digits_before(p, head - 1);
        if (total == head - 1 || (total > p && total[-1] != ':')) return csspgo__text_head_fail(t, p, end);
        if (total > p) name_end = total - 1;
    } else if (head > p) {
        name_end = p;
    }
    if (!t->lenient && (total == p || name_end == p || total == head)) return csspgo__text_head_fail(t, p, end);
    at = total;
    if (!csspgo__text_number(t, &at, end, UINT64_MAX, &ntotal, "expected a total")) return 0;
    at = head;
    if (!csspgo__text_number(t, &at, end, UINT64_MAX, &nhead, "expected a head count")) return 0;
    t->any = 1;
    if (p < name_end && *p == '[') {
        if (!csspgo__text_context(t, p, name_end)) return 0;
    } else {
        if (!t->lenient && csspgo__sniff(p, (size_t)(name_end - p)) != CSSPGO__FORMAT_TEXT)   /* could not be written */
            return csspgo__text_reject(t, CSSPGO_E_SYNTAX, p, end, "a name that begins like another format");
        k = csspgo__text_token(t, CSSPGO__T_PLAIN, p, end, 0, 0);
        if (k == NULL) return 0;
        csspgo__text_name(t, k, p, name_end);
        csspgo__text_emit(t);
    }
    return csspgo__text_token(t, CSSPGO__T_TOTAL, total, end, 0, ntotal) != NULL && csspgo__text_emit(t) &&
           csspgo__text_token(t, CSSPGO__T_HEAD, head, end, 0, nhead) != NULL && csspgo__text_emit(t);
}

/* line [ "." discriminator ]; *at moves on. LLVM does not check the line if a discriminator follows. */
static int csspgo__text_loc(csspgo__text *t, const unsigned char **at, const unsigned char *end, csspgo_loc *loc)
{
    const unsigned char *start = *at;
    uint64_t line, disc = 0;
    int checked = 1;
    if (!csspgo__text_number(t, at, end, UINT32_MAX, &line, "expected a line")) return 0;
    if (*at < end && **at == '.') {
        ++*at;
        if (!csspgo__text_number(t, at, end, UINT32_MAX, &disc, "expected a discriminator")) return 0;
        checked = !t->lenient;
    }
    if (line > 0xffff && checked) return csspgo__text_reject(t, CSSPGO_E_RANGE, start, *at, "a line is at most 65535");
    *loc = csspgo_at((uint32_t)line, (uint32_t)disc);
    return 1;
}

/*
 * The call targets in [p, end), which begins with a space. A name ends at the first colon that is followed by a number
 * and then a space or the end, so it may hold spaces and colons.
 */
static int csspgo__text_targets(csspgo__text *t, const unsigned char *p, const unsigned char *end)
{
    while (p < end) {
        const unsigned char *start = p, *colon, *stop;
        csspgo__token *k;
        uint64_t count;
        int over;
        while (p < end && *p == ' ') p++;
        if (p == end) return csspgo__text_reject(t, CSSPGO_E_SYNTAX, start, end, "the line ends with a space");
        if (*p == ':') return csspgo__text_reject(t, CSSPGO_E_SYNTAX, p, end, "expected a call target");
        for (colon = p;; colon++) {
            colon = (const unsigned char *)memchr(colon, ':', (size_t)(end - colon));
            if (colon == NULL) return csspgo__text_reject(t, CSSPGO_E_SYNTAX, p, end, "expected TARGET:COUNT");
            stop = csspgo__text_digits(colon + 1, end, &count, &over);
            if (stop != colon + 1 && !over && (stop == end || *stop == ' ')) break;
        }
        k = csspgo__text_token(t, CSSPGO__T_TARGET, p, end, stop == end, count);
        if (k == NULL) return 0;
        csspgo__text_name(t, k, p, colon);
        csspgo__text_emit(t);
        p = stop;
    }
    return 1;
}

/* Behind the location of an indented line that begins at `at`: count *( SP target ":" count ) */
static int csspgo__text_count(csspgo__text *t, csspgo_loc loc, uint32_t depth, const unsigned char *at,
                              const unsigned char *p, const unsigned char *end)
{
    csspgo__token *k;
    uint64_t count;
    if (!csspgo__text_number(t, &p, end, UINT64_MAX, &count, "expected a count")) return 0;
    if (p < end && *p != ' ')
        return csspgo__text_reject(t, CSSPGO_E_SYNTAX, p, end, "expected a space or the end of the line");
    k = csspgo__text_token(t, CSSPGO__T_BODY, at, end, depth, count);
    if (k == NULL) return 0;
    k->loc = loc;
    csspgo__text_emit(t);
    return p == end || csspgo__text_targets(t, p, end);
}

/* The same for callee ":" total. */
static int csspgo__text_callee(csspgo__text *t, csspgo_loc loc, uint32_t depth, const unsigned char *at,
                               const unsigned char *p, const unsigned char *end)
{
    const unsigned char *total = csspgo__text_digits_before(p, end), *number = total;
    csspgo__token *k;
    uint64_t n;
    if (!t->lenient && end - p >= 8 && memcmp(p, "vtables ", 8) == 0)
        return csspgo__text_reject(t, CSSPGO_E_VERSION, p, end, "the vtable counts of newer LLVM cannot be read");
    if (total == p || total == end || total[-1] != ':') {
        at = end[-1] == ':' ? end : total == end ? end - 1 : total - 1;
        if (memchr(p, ':', (size_t)(end - p)) == NULL) at = p;
        return csspgo__text_reject(t, CSSPGO_E_SYNTAX, at, end, "expected a count or INLINEE:TOTAL");
    }
    if (!csspgo__text_number(t, &number, end, UINT64_MAX, &n, "expected a total")) return 0;
    if (!t->lenient && total - p == 1)
        return csspgo__text_reject(t, CSSPGO_E_SYNTAX, p, end, "the inlinee has no name");
    k = csspgo__text_token(t, CSSPGO__T_INLINEE, at, end, depth, n);
    if (k == NULL) return 0;
    k->loc = loc;
    csspgo__text_name(t, k, p, total - 1);
    return csspgo__text_emit(t);
}

/* A metadata line. White space around the value does not matter. */
static int csspgo__text_metadata(csspgo__text *t, uint32_t depth, const unsigned char *at, const unsigned char *end)
{
    static const char checksum[] = "!CFGChecksum:", attributes[] = "!Attributes:";
    const size_t n = (size_t)(end - at), nc = sizeof checksum - 1, na = sizeof attributes - 1;
    const int c = n >= nc && memcmp(at, checksum, nc) == 0;
    const unsigned char *p = at + (c ? nc : na), *line_end = end;
    uint64_t v;
    if (n == 5 && memcmp(at, "!Flat", 5) == 0)
        return csspgo__text_reject(t, CSSPGO_E_VERSION, at, end, "the split layout of newer LLVM cannot be read");
    if (!c && (n < na || memcmp(at, attributes, na) != 0))
        return csspgo__text_reject(t, CSSPGO_E_SYNTAX, at, end, "expected !CFGChecksum:N or !Attributes:N");
    while (p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r'))) p++;
    while (end > p && (end[-1] == ' ' || (end[-1] >= '\t' && end[-1] <= '\r'))) end--;
    if (!csspgo__text_number(t, &p, end, c ? UINT64_MAX : UINT32_MAX, &v, "expected a number")) return 0;
    if (p != end) return csspgo__text_reject(t, CSSPGO_E_SYNTAX, p, end, "expected a number and nothing after it");
    return csspgo__text_token(t, c ? CSSPGO__T_CHECKSUM : CSSPGO__T_ATTRIBUTES, at, line_end, depth, v) != NULL &&
           csspgo__text_emit(t);
}

/* A line that begins with spaces; p: behind them. */
static int csspgo__text_indented_line(csspgo__text *t, const unsigned char *line, const unsigned char *p,
                                      const unsigned char *end)
{
    const uint32_t depth = (size_t)(p - line) < UINT32_MAX ? (uint32_t)(p - line) : UINT32_MAX;
    const unsigned char *at = p;
    csspgo_loc loc;
    if (!t->any) return csspgo__text_reject(t, CSSPGO_E_SYNTAX, line, end, "expected NAME:TOTAL:HEAD, no indentation");
    if (*p == '!') return csspgo__text_metadata(t, depth, p, end);
    if (!csspgo__text_loc(t, &p, end, &loc)) return 0;
    if (t->lenient && p == end && depth == 1 && memchr(at, '.', (size_t)(end - at)) == NULL)
        return csspgo__text_count(t, loc, depth, at, at, end);   /* ` 7` is ` 7: 7` */
    if (p == end || *p != ':') return csspgo__text_reject(t, CSSPGO_E_SYNTAX, p, end, "expected ': ' after the line");
    if (end - p > 1 && p[1] != ' ' && !t->lenient)
        return csspgo__text_reject(t, CSSPGO_E_SYNTAX, p + 1, end, "expected a space after the colon");
    if (end - p < 3) return csspgo__text_reject(t, CSSPGO_E_SYNTAX, end, end, "expected a count or INLINEE:TOTAL");
    p += 2;
    if (csspgo__is_digit(*p)) return csspgo__text_count(t, loc, depth, at, p, end);
    return csspgo__text_callee(t, loc, depth, at, p, end);
}

static int csspgo__text_line(csspgo__text *t, const unsigned char *line, const unsigned char *end)
{
    const unsigned char *p = line;
    if (*p != ' ') return csspgo__text_head(t, line, end);
    while (p < end && *p == ' ') p++;
    if (t->any && (p == end || *p == '#')) return 1;
    return csspgo__text_indented_line(t, line, p, end);
}

/* All lines. A line ends at LF or CR LF; empty ones and those that begin with # do not count. */
static int csspgo__text_lines(csspgo__text *t)
{
    const unsigned char *p = t->base, *end, *lf;
    while (p < t->end) {
        lf = (const unsigned char *)memchr(p, '\n', (size_t)(t->end - p));
        if (lf == NULL && t->nul && !t->lenient) break;
        end = lf != NULL ? lf : t->end;
        if (lf != NULL && end > p && end[-1] == '\r') end--;
        if (end > p && *p != '#' && !csspgo__text_line(t, p, end)) return 0;
        p = lf != NULL ? lf + 1 : t->end;
    }
    if (t->nul && !t->lenient) return csspgo__text_reject(t, CSSPGO_E_SYNTAX, t->end, t->end, "a NUL byte in text");
    if (!t->any) return csspgo__text_reject(t, CSSPGO_E_TRUNCATED, t->end, t->end, "the text holds no function");
    return csspgo__text_flush(t);
}

/* Brings records in order that were read out of order. A sum that overflows only now becomes the watched one. */
static int csspgo__text_settle(csspgo__text *t)
{
    uint32_t i;
    for (i = 1; i <= t->q->records; i++) {
        const int s = csspgo__settle(t->q, &t->q->record[i], &t->watched);
        if (s < 0) return csspgo__text_full(t, t->base);
        if (s == 0) continue;
        t->watch = i;
        t->watched.count = 0;
        return 0;
    }
    return 1;
}

/*
 * For a second attempt: arrays that grow take more than twice their size for a moment. If the rest of the input is as
 * dense as what was read before memory was exhausted, they can have the right size at once. Failing here is no failure.
 */
static void csspgo__text_foresee(csspgo__text *t)
{
    const uint64_t size = (uint64_t)(t->end - t->base);
    csspgo_profile *q = t->q;
    size_t n[6], i;
    for (i = 0; i < 6; i++) {
        const uint64_t more = (uint64_t)t->had[i] * ((size - t->full_at) * 1024 / t->full_at) / 1024;   /* < 2^64 */
        n[i] = t->had[i] + (size_t)more + (size_t)more / 64 + 64;
    }
    if (csspgo__names_room(&q->heap, &q->names, n[0], 0, n[1]) && csspgo__func_room(q, n[0]) &&
        csspgo__tree_room(&q->heap, &q->tree, n[2]) && csspgo__record_room(q, n[3]) &&
        csspgo__pool_room(&q->heap, &q->body, n[4], sizeof(csspgo_body)))
        csspgo__pool_room(&q->heap, &q->target, n[5], sizeof(csspgo_target));
}

/* Reads into t->q, a new profile made with options. t->q is NULL after a failure. */
static csspgo_status csspgo__text_read(csspgo__text *t, const csspgo_options *options)
{
    int ok;
    t->status = CSSPGO_OK;
    t->node = CSSPGO__ROOT;
    t->tokens = t->targets = 0;
    t->depth = t->meta_depth = 0;
    t->any = 0;
    t->q = csspgo_profile_new(options);
    if (t->q == NULL) {
        const int small = options->limits.max_bytes < sizeof *t->q + 8 * sizeof(csspgo__node);
        return t->status = csspgo__error_plain(t->err, small ? CSSPGO_E_LIMIT : CSSPGO_E_NOMEM);
    }
    t->q->flags = CSSPGO_HAS_UNIQ;                    /* names in text are never cut */
    if (t->full_at != 0) csspgo__text_foresee(t);
    t->full_at = 0;
    ok = csspgo__text_lines(t) && csspgo__text_settle(t);
    csspgo__free(&t->q->heap, t->target, t->target_cap * sizeof *t->target);
    t->target = NULL;
    t->target_cap = 0;
    if (ok) return CSSPGO_OK;
    csspgo_profile_free(t->q);
    t->q = NULL;
    return t->status;
}

/* *q = the profile in the text, made with options. */
static csspgo_status csspgo__read_text(const csspgo_options *options, const void *data, size_t size, csspgo_profile **q,
                                       csspgo_error *err)
{
    csspgo__text t;
    memset(&t, 0, sizeof t);
    t.base = (const unsigned char *)data;
    t.end = (const unsigned char *)memchr(data, 0, size);
    t.nul = t.end != NULL;
    if (!t.nul) t.end = t.base + size;
    t.err = err;
    t.lenient = options->lenient != 0;
    if (csspgo__text_read(&t, options) == CSSPGO_E_LIMIT && t.full_at != 0) {
        csspgo__error_clear(err);
        csspgo__text_read(&t, options);
    }
    if (t.status == CSSPGO_OK && t.q == NULL) {
        csspgo__text_read(&t, options);               /* once more, to find the line of the watched sum */
        CSSPGO_ASSERT(t.status != CSSPGO_OK);
    }
    *q = t.q;
    return t.status;
}

/* ----- reading any format ----------------------------------------------------------------------------------------- */

/* The binary forms, below. most: memory that q may have, beyond options->limits, once compressed sections are inflated. */
static csspgo_status csspgo__binary_read(const csspgo_options *options, uint64_t most, const void *data, size_t size,
                                         csspgo_profile **q, csspgo_error *err);
static csspgo_status csspgo__binary_write(csspgo_profile *p, uint32_t form, csspgo__sink *sink, csspgo_error *err);

/* *q = the profile in the input, made with options. */
static csspgo_status csspgo__read_any(const csspgo_options *options, uint64_t most, const void *data, size_t size,
                                      csspgo_profile **q, csspgo_error *err)
{
    if (csspgo__sniff(data, size) == CSSPGO__FORMAT_TEXT) return csspgo__read_text(options, data, size, q, err);
    return csspgo__binary_read(options, most, data, size, q, err);
}

/*
 * The input goes into a profile of its own, which then takes p's place or is added to p, so a failure leaves p alone.
 * held: bytes of p's allowance that the caller has in use.
 */
static csspgo_status csspgo__read(csspgo_profile *p, const void *data, size_t size, uint64_t held, csspgo_error *err)
{
    const uint64_t fair = (uint64_t)16 * size + (1u << 20), used = p->heap.used + held;
    csspgo_profile *q = NULL;
    uint64_t most;
    csspgo_options o;
    csspgo_status s;
    csspgo__error_clear(err);
    memset(&o, 0, sizeof o);
    o.allocator = p->heap.a;
    o.limits = p->heap.limits;
    o.limits.max_bytes = used < o.limits.max_bytes ? o.limits.max_bytes - used : 1;
    most = o.limits.max_bytes;
    if (fair < most) o.limits.max_bytes = fair;
    o.hash_seed = p->heap.seed;
    o.lenient = p->heap.lenient;
    s = csspgo__read_any(&o, most, size != 0 ? data : "", size, &q, err);
    if (s != CSSPGO_OK) return s;
    if (p->tree.count != 1 || p->names.count != 0) {
        const uint64_t both = q->heap.used;
        p->heap.used += both;
        s = csspgo_add_profile(p, q);
        p->heap.used -= both;
        csspgo_profile_free(q);
        if (s != CSSPGO_E_ARGUMENT) return csspgo__error_plain(err, s);
        return csspgo__error(err, s, 0, "a profile with contexts (or probes) and one without cannot be added up");
    }
    o.limits = p->heap.limits;
    q->flags |= p->flags;
    q->dropped_by_checksum = p->dropped_by_checksum;
    csspgo__profile_take(p, q);
    p->heap.limits = o.limits;
    return CSSPGO_OK;
}

CSSPGO_DEF csspgo_status csspgo_read(csspgo_profile *p, const void *data, size_t size, csspgo_error *err)
{
    return csspgo__read(p, data, size, 0, err);
}

/* ----- text out ----------------------------------------------------------------------------------------------------
 *
 * Byte for byte what LLVM 19 writes: functions by total, largest first, then in context order; bodies by location;
 * targets by count, largest first, then by name; inlinees by location and name; metadata last. A name that would read
 * back as something else is refused; a lenient profile is written as LLVM does it, whatever that reads back as.
 */

/* Where a name cannot stand in text. */
enum { CSSPGO__NOT_HEAD = 1, CSSPGO__NOT_FRAME = 2, CSSPGO__NOT_TARGET = 4, CSSPGO__NOT_INLINEE = 8 };

typedef struct csspgo__text_out {
    csspgo_profile *p;
    csspgo__sink   *s;
    csspgo__order   order;
    int             cs;           /* functions are written as contexts                             */
    unsigned char  *bad;          /* per function: CSSPGO__NOT_HEAD ...; NULL in a lenient profile */
    uint32_t       *path;         /* of the context being written: nodes, the leaf first           */
    size_t          path_cap;
    csspgo_target  *target;       /* of the location being written                                 */
    size_t          target_cap;
    csspgo_error   *err;
    csspgo_status   status;
} csspgo__text_out;

/* 1 if a target of that name would end early: a colon, a number, a space. */
static int csspgo__target_ends_early(const unsigned char *name, const unsigned char *end)
{
    const unsigned char *p = name, *after;
    uint64_t v;
    int over;
    while ((p = (const unsigned char *)memchr(p, ':', (size_t)(end - p))) != NULL) {
        after = csspgo__text_digits(++p, end, &v, &over);
        if (after != p && !over && after < end && *after == ' ') return 1;
    }
    return 0;
}

static unsigned csspgo__name_check(const unsigned char *p, size_t n)
{
    const unsigned char *end = p + n;
    unsigned bad = 0;
    if (n == 0) return CSSPGO__NOT_HEAD | CSSPGO__NOT_FRAME | CSSPGO__NOT_TARGET | CSSPGO__NOT_INLINEE;
    if (memchr(p, '\n', n) != NULL || memchr(p, 0, n) != NULL)
        return CSSPGO__NOT_HEAD | CSSPGO__NOT_FRAME | CSSPGO__NOT_TARGET | CSSPGO__NOT_INLINEE;
    if (*p == ' ' || *p == '#' || *p == '[' || csspgo__sniff(p, n) != CSSPGO__FORMAT_TEXT) bad |= CSSPGO__NOT_HEAD;
    if (memchr(p, ':', n) != NULL || csspgo__text_at_sign(p, end) != end) bad |= CSSPGO__NOT_FRAME;
    if (*p == ' ' || *p == ':' || csspgo__target_ends_early(p, end)) bad |= CSSPGO__NOT_TARGET;
    if (csspgo__is_digit(*p) || (n >= 8 && memcmp(p, "vtables ", 8) == 0)) bad |= CSSPGO__NOT_INLINEE;
    return bad;
}

static csspgo_status csspgo__text_check_names(csspgo__text_out *o)
{
    const csspgo__names *t = &o->p->names;
    uint32_t i;
    size_t n;
    if (o->p->heap.lenient) return CSSPGO_OK;
    o->bad = (unsigned char *)csspgo__alloc(&o->p->heap, t->count + 1);
    if (o->bad == NULL) return o->p->heap.status;
    for (i = 1; i <= t->count; i++) {
        const char *text = csspgo__name_text(t, i, &n);
        unsigned bad = CSSPGO__NOT_INLINEE;           /* a GUID is written in decimal */
        if (t->name[i].flags & CSSPGO__HAS_TEXT) bad = csspgo__name_check((const unsigned char *)text, n);
        o->bad[i] = (unsigned char)bad;
    }
    return CSSPGO_OK;
}

static void csspgo__text_refuse(csspgo__text_out *o, uint32_t func, const char *what)
{
    size_t n;
    const char *name = csspgo__name_text(&o->p->names, func, &n);
    if (o->status != CSSPGO_OK) return;
    o->status = csspgo__error(o->err, CSSPGO_E_UNSUPPORTED, 0, "text cannot carry this ");
    csspgo__say(o->err, what);
    csspgo__say(o->err, ": ");
    if (o->p->names.name[func].flags & CSSPGO__HAS_TEXT) csspgo__say_bytes(o->err, name, n);
    else csspgo__say_u64(o->err, o->p->names.name[func].guid);
}

static void csspgo__text_put_name(csspgo__text_out *o, uint32_t func, unsigned use, const char *what)
{
    const csspgo__name *n = &o->p->names.name[func];
    if (o->bad != NULL && o->bad[func] & use) csspgo__text_refuse(o, func, what);
    if (n->flags & CSSPGO__HAS_TEXT) csspgo__put(o->s, o->p->names.text + n->text, n->size);
    else csspgo__put_u64(o->s, n->guid);
}

static void csspgo__text_put_loc(csspgo__sink *s, csspgo_loc loc)
{
    csspgo__put_u64(s, loc.line);
    if (loc.discriminator == 0) return;
    csspgo__put_char(s, '.');
    csspgo__put_u64(s, loc.discriminator);
}

static void csspgo__text_indent(csspgo__sink *s, size_t depth)
{
    static const char spaces[] = "                                ";
    for (; depth > sizeof spaces - 1; depth -= sizeof spaces - 1) csspgo__put(s, spaces, sizeof spaces - 1);
    csspgo__put(s, spaces, depth);
}

/* "[main:3 @ foo]" */
static csspgo_status csspgo__text_put_context(csspgo__text_out *o, uint32_t node)
{
    const csspgo__node *v = o->p->tree.node;
    size_t n = 0;
    if (csspgo__site_kind(v[node].site) == CSSPGO_TWIN) node = v[node].parent;
    for (; node != CSSPGO__ROOT; node = v[node].parent) {
        if (n == o->path_cap) {
            void *path = csspgo__grow(&o->p->heap, o->path, n, &o->path_cap, n + 1, sizeof *o->path);
            if (path == NULL) return o->p->heap.status;
            o->path = (uint32_t *)path;
        }
        o->path[n++] = node;
    }
    csspgo__put_char(o->s, '[');
    for (;;) {
        csspgo__text_put_name(o, v[o->path[--n]].func, CSSPGO__NOT_FRAME, "function of a context");
        if (n == 0) break;
        csspgo__put_char(o->s, ':');
        csspgo__text_put_loc(o->s, csspgo__loc_of(o->p, v[o->path[n - 1]].site));
        csspgo__put(o->s, " @ ", 3);
    }
    csspgo__put_char(o->s, ']');
    return CSSPGO_OK;
}

typedef struct csspgo__target_ctx {
    const uint32_t *rank;
} csspgo__target_ctx;

static int csspgo__target_count_cmp(const void *ctx, const void *a, const void *b)
{
    const uint32_t *rank = ((const csspgo__target_ctx *)ctx)->rank;
    const csspgo_target *x = (const csspgo_target *)a, *y = (const csspgo_target *)b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return rank[x->func.id] < rank[y->func.id] ? -1 : rank[x->func.id] > rank[y->func.id];
}

/* The n targets of one location. */
static csspgo_status csspgo__text_put_targets(csspgo__text_out *o, const csspgo_target *t, size_t n)
{
    csspgo__target_ctx ctx;
    size_t i;
    ctx.rank = o->order.rank;
    if (n > 1) {
        if (n > o->target_cap) {
            void *v = csspgo__grow(&o->p->heap, o->target, 0, &o->target_cap, n, sizeof *t);
            if (v == NULL) return o->p->heap.status;
            o->target = (csspgo_target *)v;
        }
        memcpy(o->target, t, n * sizeof *t);
        if (!csspgo__sort(&o->p->heap, o->target, n, sizeof *t, csspgo__target_count_cmp, &ctx))
            return o->p->heap.status;
        t = o->target;
    }
    for (i = 0; i < n; i++) {
        csspgo__put_char(o->s, ' ');
        csspgo__text_put_name(o, t[i].func.id, CSSPGO__NOT_TARGET, "call target");
        csspgo__put_char(o->s, ':');
        csspgo__put_u64(o->s, t[i].count);
    }
    return CSSPGO_OK;
}

static csspgo_status csspgo__text_put_bodies(csspgo__text_out *o, const csspgo__record *r, size_t depth)
{
    const csspgo_body *b = csspgo__body(o->p, r);
    const csspgo_target *t = csspgo__target(o->p, r);
    const size_t nb = csspgo__run_count(r->body), nt = csspgo__run_count(r->target);
    size_t i, k = 0, first;
    csspgo_status s = CSSPGO_OK;
    for (i = 0; i < nb && s == CSSPGO_OK; i++) {
        csspgo__text_indent(o->s, depth);
        csspgo__text_put_loc(o->s, b[i].loc);
        csspgo__put(o->s, ": ", 2);
        csspgo__put_u64(o->s, b[i].count);
        for (first = k; k < nt && csspgo__loc_key(t[k].loc) == csspgo__loc_key(b[i].loc); k++) {}
        if (k != first) s = csspgo__text_put_targets(o, t + first, k - first);
        csspgo__put_char(o->s, '\n');
    }
    return s;
}

static void csspgo__text_put_meta(csspgo__text_out *o, const csspgo__record *r, size_t depth)
{
    if (o->p->flags & CSSPGO_IS_PROBE) {
        csspgo__text_indent(o->s, depth);
        csspgo__put_str(o->s, "!CFGChecksum: ");
        csspgo__put_u64(o->s, r->checksum);
        csspgo__put_char(o->s, '\n');
    }
    if (r->attributes == 0) return;
    csspgo__text_indent(o->s, depth);
    csspgo__put_str(o->s, "!Attributes: ");
    csspgo__put_u64(o->s, r->attributes);
    csspgo__put_char(o->s, '\n');
}

/* In a profile with contexts LLVM puts brackets around an inlinee, which makes it another function. */
static void csspgo__text_put_inlinee(csspgo__text_out *o, const csspgo__node *n, size_t depth)
{
    if (o->cs && !o->p->heap.lenient) csspgo__text_refuse(o, n->func, "inlinee, which is inside a context");
    csspgo__text_indent(o->s, depth);
    csspgo__text_put_loc(o->s, csspgo__loc_of(o->p, n->site));
    csspgo__put_str(o->s, o->cs ? ": [" : ": ");
    csspgo__text_put_name(o, n->func, CSSPGO__NOT_INLINEE, "inlinee");
    csspgo__put_str(o->s, o->cs ? "]:" : ":");
    csspgo__put_u64(o->s, o->p->record[n->record].total);
    csspgo__put_char(o->s, '\n');
}

static csspgo_status csspgo__text_put_head(csspgo__text_out *o, const csspgo__node *n, uint32_t id)
{
    const csspgo__record *r = &o->p->record[n->record];
    csspgo_status s = CSSPGO_OK;
    if (!o->cs) csspgo__text_put_name(o, n->func, CSSPGO__NOT_HEAD, "function");
    else s = csspgo__text_put_context(o, id);
    if (o->cs && csspgo__site_kind(n->site) == CSSPGO_PLAIN && !o->p->heap.lenient)
        csspgo__text_refuse(o, n->func, "function without context in a profile with contexts");
    csspgo__put_char(o->s, ':');
    csspgo__put_u64(o->s, r->total);
    csspgo__put_char(o->s, ':');
    csspgo__put_u64(o->s, r->head);
    csspgo__put_char(o->s, '\n');
    return s;
}

/* The function at place `at` of the order, with what is nested in it: the inlinees that come right after it. */
static csspgo_status csspgo__text_put_function(csspgo__text_out *o, size_t at)
{
    const csspgo__node *v = o->p->tree.node;
    const uint32_t *node = o->order.node, top = node[at];
    uint32_t id = top;
    size_t depth = 1;
    csspgo_status s = csspgo__text_put_head(o, &v[top], top);
    if (s == CSSPGO_OK) s = csspgo__text_put_bodies(o, &o->p->record[v[top].record], depth);
    while (++at < o->order.nodes && s == CSSPGO_OK && csspgo__site_kind(v[node[at]].site) == CSSPGO_INLINEE) {
        const csspgo__node *n = &v[node[at]];
        if (n->record == 0) continue;
        for (; id != n->parent; id = v[id].parent) csspgo__text_put_meta(o, &o->p->record[v[id].record], depth--);
        csspgo__text_put_inlinee(o, n, depth);
        s = csspgo__text_put_bodies(o, &o->p->record[n->record], ++depth);
        id = node[at];
    }
    for (; depth != 0; id = v[id].parent) csspgo__text_put_meta(o, &o->p->record[v[id].record], depth--);
    return s != CSSPGO_OK ? s : o->status;
}

typedef struct csspgo__text_top { /* a function to write */
    uint64_t total;
    uint32_t at, node;            /* its place in the order */
} csspgo__text_top;

static int csspgo__text_top_cmp(const void *ctx, const void *a, const void *b)
{
    const uint64_t x = ((const csspgo__text_top *)a)->total, y = ((const csspgo__text_top *)b)->total;
    (void)ctx;
    return x > y ? -1 : x < y;
}

/* The functions to write: into top, if that is not NULL. Returns how many there are. */
static size_t csspgo__text_tops(csspgo__text_out *o, csspgo__text_top *top)
{
    const csspgo__node *v = o->p->tree.node;
    size_t i, n = 0;
    for (i = 0; i < o->order.nodes; i++) {
        const csspgo__node *node = &v[o->order.node[i]];
        if (node->record == 0 || csspgo__site_kind(node->site) == CSSPGO_INLINEE) continue;
        if (csspgo__site_kind(node->site) != CSSPGO_PLAIN) o->cs = 1;
        if (top != NULL) {
            top[n].total = o->p->record[node->record].total;
            top[n].at = (uint32_t)i;
            top[n].node = o->order.node[i];
        }
        n++;
    }
    return n;
}

/*
 * Functions are written in an order that has nothing to do with where they lie in memory. While one is written, the
 * cursors of those after it climb to the root, one step each, and bring what they pass into the cache.
 */
enum { CSSPGO__CLIMBERS = 8 };

typedef struct csspgo__climber {
    uint32_t node, below;         /* below: the node before */
} csspgo__climber;

static void csspgo__text_climb(const csspgo_profile *p, csspgo__climber *c, int first)
{
    const csspgo__node *n = &p->tree.node[c->node];
    if (first) CSSPGO__PREFETCH(&p->record[n->record]);
    if (c->below != 0 && p->names.text != NULL) {
        const csspgo__name *name = &p->names.name[p->tree.node[c->below].func];
        CSSPGO__PREFETCH(p->names.text + name->text);
        CSSPGO__PREFETCH(p->names.text + name->text + name->size);
    }
    if (c->node <= CSSPGO__ROOT) return;
    CSSPGO__PREFETCH(&p->names.name[n->func]);
    CSSPGO__PREFETCH(&p->tree.node[n->parent]);
    c->below = c->node;
    c->node = n->parent;
}

static void csspgo__text_ahead(const csspgo_profile *p, csspgo__climber *c, const csspgo__text_top *top, size_t n,
                               size_t i)
{
    size_t k;
    for (k = 1; k < CSSPGO__CLIMBERS && i + k < n; k++) {
        csspgo__text_climb(p, &c[(i + k) % CSSPGO__CLIMBERS], k == CSSPGO__CLIMBERS - 1);
        if (k == CSSPGO__CLIMBERS - 2) {
            const csspgo__record *r = &p->record[p->tree.node[top[i + k].node].record];
            CSSPGO__PREFETCH(csspgo__body(p, r));
            CSSPGO__PREFETCH(csspgo__target(p, r));
        }
    }
    if (i + k >= n) return;
    c[i % CSSPGO__CLIMBERS].node = top[i + k].node;
    c[i % CSSPGO__CLIMBERS].below = 0;
    CSSPGO__PREFETCH(&p->tree.node[top[i + k].node]);
}

static csspgo_status csspgo__text_put_all(csspgo__text_out *o)
{
    const size_t n = csspgo__text_tops(o, NULL), bytes = n * sizeof(csspgo__text_top);
    csspgo_status s = CSSPGO_OK;
    csspgo__climber climber[CSSPGO__CLIMBERS];
    csspgo__text_top *top;
    size_t i;
    if (n == 0) return CSSPGO_OK;
    memset(climber, 0, sizeof climber);
    top = (csspgo__text_top *)csspgo__alloc(&o->p->heap, bytes);
    if (top == NULL) return o->p->heap.status;
    csspgo__text_tops(o, top);
    if (!csspgo__sort(&o->p->heap, top, n, sizeof *top, csspgo__text_top_cmp, NULL)) s = o->p->heap.status;
    for (i = 0; i < n && s == CSSPGO_OK && o->s->status == CSSPGO_OK; i++) {
        csspgo__text_ahead(o->p, climber, top, n, i);
        s = csspgo__text_put_function(o, top[i].at);
    }
    csspgo__free(&o->p->heap, top, bytes);
    return s;
}

static csspgo_status csspgo__write_text(csspgo_profile *p, csspgo__sink *sink, csspgo_error *err)
{
    csspgo__text_out o;
    csspgo_status s;
    memset(&o, 0, sizeof o);
    o.p = p;
    o.s = sink;
    o.err = err;
    o.cs = (p->flags & CSSPGO_IS_CS) != 0;
    s = csspgo__order_make(p, &o.order);
    if (s != CSSPGO_OK) return csspgo__error_plain(err, s);
    s = csspgo__text_check_names(&o);
    if (s == CSSPGO_OK) s = csspgo__text_put_all(&o);
    csspgo__free(&p->heap, o.target, o.target_cap * sizeof *o.target);
    csspgo__free(&p->heap, o.path, o.path_cap * sizeof *o.path);
    csspgo__free(&p->heap, o.bad, p->names.count + 1);
    csspgo__order_free(p, &o.order);
    return o.status != CSSPGO_OK ? o.status : csspgo__error_plain(err, s);
}

/* ----- writing any format ----------------------------------------------------------------------------------------- */

static csspgo_status csspgo__write(csspgo_profile *p, uint32_t form, csspgo__sink *sink, csspgo_error *err)
{
    csspgo__error_clear(err);
    if (form == CSSPGO_TEXT) return csspgo__write_text(p, sink, err);
    return csspgo__binary_write(p, form, sink, err);
}

CSSPGO_DEF csspgo_status csspgo_write(csspgo_profile *p, uint32_t form, void *buf, size_t cap, size_t *size,
                                      csspgo_error *err)
{
    csspgo__sink sink;
    csspgo_status s;
    csspgo__sink_buffer(&sink, buf, cap);
    s = csspgo__write(p, form, &sink, err);
    if (s == CSSPGO_OK) return csspgo__sink_end(&sink, size, err);
    if (size != NULL) *size = 0;
    return s;
}

#ifndef CSSPGO_NO_STDIO
CSSPGO_DEF csspgo_status csspgo_read_file(csspgo_profile *p, const char *path, csspgo_error *err)
{
    csspgo__heap h = p->heap;                         /* the file's bytes are never p's, but count as if they were */
    unsigned char *data;
    size_t size, cap;
    csspgo_status s = csspgo__file_read(&h, path, &data, &size, &cap, err);
    if (s != CSSPGO_OK) return s;
    s = csspgo__read(p, data, size, cap, err);
    csspgo__free(&h, data, cap);
    return s;
}

CSSPGO_DEF csspgo_status csspgo_write_file(csspgo_profile *p, const char *path, uint32_t form, csspgo_error *err)
{
    enum { ROOM = 1 << 16 };
    csspgo__sink sink;
    csspgo_status s;
    FILE *f;
    unsigned char *buf = (unsigned char *)csspgo__alloc(&p->heap, ROOM);
    if (buf == NULL) return csspgo__error_plain(err, p->heap.status);
    csspgo__sink_buffer(&sink, buf, ROOM);
    f = fopen(path, "wb");
    sink.flush_fn = csspgo__file_flush;
    sink.ctx = f;
    s = f != NULL ? csspgo__write(p, form, &sink, err) : CSSPGO_E_IO;
    if (f != NULL) {
        csspgo__sink_flush(&sink);
        if (s == CSSPGO_OK) s = sink.status;
        if (fclose(f) != 0 && s == CSSPGO_OK) s = CSSPGO_E_IO;
    }
    csspgo__free(&p->heap, buf, ROOM);
    if (s != CSSPGO_E_IO) return s;
    csspgo__error(err, s, 0, "cannot write ");
    csspgo__say_bytes(err, path, strlen(path));
    return s;
}
#endif

#endif /* CSSPGO_NO_FORMAT */

#ifndef CSSPGO_NO_FORMAT

/* ----- summary ------------------------------------------------------------------------------------------------------ */

CSSPGO_DEF void csspgo_default_cutoffs(csspgo_cutoff cutoff[CSSPGO_CUTOFFS])
{
    static const uint32_t ppm[CSSPGO_CUTOFFS] = { 10000,  100000, 200000, 300000, 400000, 500000, 600000, 700000,
                                                  800000, 900000, 950000, 990000, 999000, 999900, 999990, 999999 };
    size_t i;
    for (i = 0; i < CSSPGO_CUTOFFS; i++) {
        cutoff[i].ppm = ppm[i];
        cutoff[i].min_count = cutoff[i].counts = 0;
    }
}

CSSPGO_DEF int csspgo_stored_summary(const csspgo_profile *p, csspgo_summary *summary, size_t *cutoffs)
{
    *cutoffs = 0;
    memset(summary, 0, sizeof *summary);
    if (p->summary == NULL) return 0;
    summary->total = p->summary[0];
    summary->max_count = p->summary[1];
    summary->max_head = p->summary[2];
    summary->counts = p->summary[3];
    summary->functions = p->summary[4];
    *cutoffs = (p->summary_size - 5) / 3;
    return 1;
}

CSSPGO_DEF csspgo_cutoff csspgo_stored_cutoff(const csspgo_profile *p, size_t i)
{
    csspgo_cutoff c;
    memset(&c, 0, sizeof c);
    if (p->summary == NULL || i >= (p->summary_size - 5) / 3) return c;
    c.ppm = p->summary[5 + 3 * i];
    c.min_count = p->summary[6 + 3 * i];
    c.counts = p->summary[7 + 3 * i];
    return c;
}

typedef struct csspgo__freq {     /* how often a count occurs */
    uint64_t count, times;
} csspgo__freq;

typedef struct csspgo__tally {
    csspgo_profile *p;
    csspgo_summary *out;
    csspgo__map     map;          /* count -> freq                                     */
    csspgo__freq   *freq;         /* freq[0] unused                                    */
    size_t          freqs, cap;
    unsigned char  *skip;         /* per node: its counts, and those nested in it, do not take part */
} csspgo__tally;

/* Takes one body count into the summary. Returns 0 when memory is exhausted. */
static int csspgo__tally_count(csspgo__tally *u, uint64_t count)
{
    const uint32_t hash = (uint32_t)csspgo__hash64(count, u->p->heap.seed);
    uint32_t id, at = hash;
    u->out->counts++;
    u->out->total += count;
    if (count > u->out->max_count) u->out->max_count = count;
    while ((id = csspgo__map_next(&u->map, hash, &at)) != 0) {
        if (u->freq[id].count != count) continue;
        u->freq[id].times++;
        return 1;
    }
    if (!csspgo__map_reserve(&u->p->heap, &u->map)) return 0;
    if (u->freqs + 2 > u->cap) {
        void *v = csspgo__grow(&u->p->heap, u->freq, u->freqs != 0 ? u->freqs + 1 : 0, &u->cap, u->freqs + 2, sizeof *u->freq);
        if (v == NULL) return 0;
        u->freq = (csspgo__freq *)v;
    }
    u->freq[++u->freqs].count = count;
    u->freq[u->freqs].times = 1;
    csspgo__map_insert(&u->map, hash, (uint32_t)u->freqs);
    return 1;
}

static int csspgo__tally_bodies(csspgo__tally *u, const csspgo_body *b, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++)
        if (!csspgo__tally_count(u, b[i].count)) return 0;
    return 1;
}

/* 1 if the record of a node takes part. What was copied into its base profile does not count twice. */
static int csspgo__tally_takes(csspgo__tally *u, uint32_t id)
{
    const csspgo__node *n = &u->p->tree.node[id];
    if (n->record == 0) return 0;
    if (csspgo__site_kind(n->site) != CSSPGO_INLINEE) return 1;
    u->skip[id] = u->skip[n->parent] || u->p->record[n->record].attributes & CSSPGO_DUPLICATED_INTO_BASE;
    return !u->skip[id];
}

static int csspgo__tally_plain(csspgo__tally *u)
{
    const csspgo_profile *p = u->p;
    uint32_t id;
    for (id = 2; id <= p->tree.count; id++) {
        const csspgo__record *r;
        if (!csspgo__tally_takes(u, id)) continue;
        r = &p->record[p->tree.node[id].record];
        if (csspgo__site_kind(p->tree.node[id].site) != CSSPGO_INLINEE) {
            u->out->functions++;
            if (r->head > u->out->max_head) u->out->max_head = r->head;
        }
        if (!csspgo__tally_bodies(u, csspgo__body(p, r), csspgo__run_count(r->body))) return 0;
    }
    return 1;
}

/* The records that are one when contexts do not matter: the nodes of a tree of functions with what is nested in them. */
typedef struct csspgo__tally_groups {
    csspgo__tree  tree;
    uint32_t     *group;          /* per node of the profile: node of tree; 0: none      */
    uint32_t     *next;           /* per node of the profile: the next one of its group  */
    uint32_t     *first;          /* per group: its first node; as many as nodes         */
    csspgo_body  *body;           /* scratch                                             */
    size_t        body_cap;
} csspgo__tally_groups;

static int csspgo__tally_group_nodes(csspgo__tally *u, csspgo__tally_groups *g)
{
    const csspgo_profile *p = u->p;
    uint32_t id, to;
    for (id = 2; id <= p->tree.count; id++) {
        const csspgo__node *n = &p->tree.node[id];
        const int nested = csspgo__site_kind(n->site) == CSSPGO_INLINEE;
        if (!csspgo__tally_takes(u, id)) continue;
        to = nested ? g->group[n->parent] : (uint32_t)CSSPGO__ROOT;
        to = csspgo__tree_add(&u->p->heap, &g->tree, to, nested ? n->site : 0, n->func);
        if (to == 0) return 0;
        g->group[id] = to;
        g->next[id] = g->first[to];
        g->first[to] = id;
    }
    return 1;
}

/* One group: of its records, those with the largest checksum are added up; the others are lost with what is in them. */
static int csspgo__tally_group(csspgo__tally *u, csspgo__tally_groups *g, uint32_t to)
{
    csspgo_profile *p = u->p;
    uint64_t checksum = 0, head = 0;
    size_t n = 0, i, k;
    uint32_t id, runs = 0;
    for (id = g->first[to]; id != 0; id = g->next[id]) {
        const csspgo__node *v = &p->tree.node[id];
        if (csspgo__site_kind(v->site) == CSSPGO_INLINEE) u->skip[id] = u->skip[v->parent];
        if (!u->skip[id] && p->record[v->record].checksum > checksum) checksum = p->record[v->record].checksum;
    }
    for (id = g->first[to]; id != 0; id = g->next[id]) {
        const csspgo__record *r = &p->record[p->tree.node[id].record];
        if (r->checksum != checksum) u->skip[id] = 1;
        if (u->skip[id]) continue;
        csspgo__count_add(&head, r->head);
        n += csspgo__run_count(r->body);
        runs++;
    }
    if (g->tree.node[to].parent == CSSPGO__ROOT) {
        u->out->functions++;
        if (head > u->out->max_head) u->out->max_head = head;
    }
    if (n > g->body_cap) {
        void *v = csspgo__grow(&p->heap, g->body, 0, &g->body_cap, n, sizeof *g->body);
        if (v == NULL) return 0;
        g->body = (csspgo_body *)v;
    }
    if (n == 0) return 1;
    for (n = 0, id = g->first[to]; id != 0; id = g->next[id]) {
        const csspgo__record *r = &p->record[p->tree.node[id].record];
        const size_t more = csspgo__run_count(r->body);
        if (u->skip[id] || more == 0) continue;
        memcpy(g->body + n, csspgo__body(p, r), more * sizeof *g->body);
        n += more;
    }
    if (runs > 1 && !csspgo__sort(&p->heap, g->body, n, sizeof *g->body, csspgo__body_cmp, NULL)) return 0;
    for (i = k = 0; i < n; i++) {
        if (k != 0 && csspgo__body_cmp(NULL, &g->body[k - 1], &g->body[i]) == 0)
            csspgo__count_add(&g->body[k - 1].count, g->body[i].count);
        else
            g->body[k++] = g->body[i];
    }
    return csspgo__tally_bodies(u, g->body, k);
}

static int csspgo__tally_contexts(csspgo__tally *u)
{
    csspgo__heap *h = &u->p->heap;
    const size_t nodes = u->p->tree.count + 2, bytes = 3 * nodes * sizeof(uint32_t);
    csspgo__tally_groups g;
    uint32_t to;
    int ok;
    memset(&g, 0, sizeof g);
    g.group = (uint32_t *)csspgo__alloc(h, bytes);
    if (g.group == NULL) return 0;
    memset(g.group, 0, bytes);
    g.next = g.group + nodes;
    g.first = g.next + nodes;
    ok = csspgo__tree_init(h, &g.tree) && csspgo__tally_group_nodes(u, &g);
    for (to = 2; ok && to <= g.tree.count; to++) ok = csspgo__tally_group(u, &g, to);
    csspgo__free(h, g.body, g.body_cap * sizeof *g.body);
    csspgo__tree_free(h, &g.tree);
    csspgo__free(h, g.group, bytes);
    return ok;
}

static int csspgo__freq_cmp(const void *ctx, const void *a, const void *b)
{
    const uint64_t x = ((const csspgo__freq *)a)->count, y = ((const csspgo__freq *)b)->count;
    (void)ctx;
    return x > y ? -1 : x < y;
}

/* Walks the counts from the largest, for all cutoffs. Sums are mod 2^64, as in LLVM. */
static int csspgo__tally_cutoffs(csspgo__tally *u, csspgo_cutoff *c, size_t n)
{
    const uint64_t total = u->out->total, million = 1000000;
    uint64_t sum = 0, seen = 0, last = 0;
    size_t i, at = 1;
    if (u->freqs != 0 && !csspgo__sort(&u->p->heap, u->freq + 1, u->freqs, sizeof *u->freq, csspgo__freq_cmp, NULL)) return 0;
    for (i = 0; i < n; i++) {
        const uint64_t want = total / million * c[i].ppm + total % million * c[i].ppm / million;
        for (; sum < want && at <= u->freqs; at++) {
            last = u->freq[at].count;
            sum += last * u->freq[at].times;
            seen += u->freq[at].times;
        }
        c[i].min_count = last;
        c[i].counts = seen;
    }
    return 1;
}

CSSPGO_DEF csspgo_status csspgo_summarize(csspgo_profile *p, csspgo_summary *summary, csspgo_cutoff *cutoff, size_t n)
{
    const size_t nodes = p->tree.count + 1;
    csspgo__tally u;
    size_t i;
    int ok;
    memset(summary, 0, sizeof *summary);
    for (i = 0; i < n; i++)
        if (cutoff[i].ppm > 1000000 || (i != 0 && cutoff[i].ppm < cutoff[i - 1].ppm)) return CSSPGO_E_ARGUMENT;
    memset(&u, 0, sizeof u);
    u.p = p;
    u.out = summary;
    u.skip = (unsigned char *)csspgo__alloc(&p->heap, nodes);
    if (u.skip == NULL) return p->heap.status;
    memset(u.skip, 0, nodes);
    ok = p->flags & CSSPGO_IS_CS ? csspgo__tally_contexts(&u) : csspgo__tally_plain(&u);
    ok = ok && csspgo__tally_cutoffs(&u, cutoff, n);
    csspgo__free(&p->heap, u.freq, u.cap * sizeof *u.freq);
    csspgo__map_free(&p->heap, &u.map);
    csspgo__free(&p->heap, u.skip, nodes);
    return ok ? CSSPGO_OK : p->heap.status;
}

CSSPGO_DEF int csspgo_is_listed(const csspgo_profile *p, csspgo_func func)
{
    return csspgo__func_ok(p, func) && (p->names.name[func.id].flags & CSSPGO__LISTED) != 0;
}

CSSPGO_DEF csspgo_status csspgo_set_listed(csspgo_profile *p, csspgo_func func, int listed)
{
    if (!csspgo__func_ok(p, func) || !(p->names.name[func.id].flags & CSSPGO__HAS_TEXT)) return CSSPGO_E_ARGUMENT;
    p->names.name[func.id].flags &= ~(uint32_t)CSSPGO__LISTED;
    if (listed) p->names.name[func.id].flags |= CSSPGO__LISTED;
    return CSSPGO_OK;
}

/* ----- binary in: what all forms share ------------------------------------------------------------------------------ */

#define CSSPGO__MAGIC (UINT64_C(0x5350524f46343200))   /* "SPROF42" and the form's byte */
enum {
    CSSPGO__MAGIC_COMPACT = 0x02, CSSPGO__MAGIC_EXT = 0x04, CSSPGO__MAGIC_RAW = 0xff, CSSPGO__FORMAT_VERSION = 103
};

typedef struct csspgo__nest {     /* a record that is being read, with its callers below it on a stack */
    uint32_t node, left;          /* node 0: what is not kept. left: inlinees still to come             */
    uint64_t sum;                 /* GCC: of the counts in it                                           */
} csspgo__nest;

struct csspgo_lazy {               /* indexes: 32-bit offsets are from the start of the section */
    csspgo__heap         heap;    /* first: csspgo__object_new                                        */
    csspgo_profile      *profile;
    const unsigned char *data;
    size_t               size;
    csspgo__reader       names, contexts, meta;   /* their sections */
    csspgo__map          map;     /* text or GUID -> name index + 1                                   */
    uint32_t            *name_at; /* per name: where it stands                                        */
    uint32_t            *context_at, *context_next;   /* per context: its frames; the next one of the same function, + 1 */
    uint32_t            *first;   /* per name: its first context, + 1                                 */
    uint64_t            *record_at;   /* per context, or name without contexts: offset in the file, 0: none */
    uint32_t            *meta_at; /* the same: its metadata entry + 1                                 */
    unsigned char       *loaded;  /* the same                                                         */
    size_t               nnames, ncontexts, records;  /* records: names or contexts                   */
    uint64_t             meta_flags;
    int                  md5, fixed, cs;
};

typedef struct csspgo__bin {
    struct csspgo_lazy *lazy;     /* or NULL: names and contexts are looked up there                    */
    csspgo_profile *q;            /* what has been read                                                 */
    csspgo__reader  r;            /* the file, or the section being read                                */
    uint64_t        most;         /* q's memory may grow to this with what compressed sections hold     */
    uint32_t       *func;         /* the name table: index -> function                                  */
    size_t          funcs, func_cap;
    uint32_t       *node;         /* the table of contexts: index -> node                               */
    size_t          nodes, node_cap;
    csspgo__nest   *nest;
    size_t          depth, nest_cap;
    int             lenient, cs;
} csspgo__bin;

/* One value; almost all of them are one byte. */
static uint64_t csspgo__bin_num(csspgo__reader *r)
{
    if (r->p < r->end && *r->p < 128 && r->status == CSSPGO_OK) return *r->p++;
    return csspgo__uleb(r);
}

/* Memory or a limit is exhausted. */
static int csspgo__bin_full(csspgo__bin *b)
{
    csspgo__fail(&b->r, b->q->heap.status, b->r.p, csspgo_status_text(b->q->heap.status));
    return 0;
}

/* Fails at `at`, with the value that stands there. Returns 0. */
static int csspgo__bin_bad(csspgo__bin *b, csspgo_status status, const unsigned char *at, const char *what, uint64_t value)
{
    if (b->r.status != CSSPGO_OK) return 0;
    csspgo__fail(&b->r, status, at, what);
    csspgo__say_u64(b->r.err, value);
    return 0;
}

/* A number of elements of at least `least` bytes each: more than the input can hold is refused before anything is allocated. */
static size_t csspgo__bin_many(csspgo__bin *b, size_t least)
{
    const unsigned char *at = b->r.p;
    const uint64_t n = csspgo__bin_num(&b->r);
    if (n <= csspgo__left(&b->r) / least) return (size_t)n;
    csspgo__bin_bad(b, CSSPGO_E_TRUNCATED, at, "the input cannot hold so many elements: ", n);
    return 0;
}

/* The same for a field of 32 bits. */
static size_t csspgo__bin_many32(csspgo__bin *b, size_t least)
{
    const unsigned char *at = b->r.p;
    const size_t n = csspgo__bin_many(b, least);
    if (b->r.status == CSSPGO_OK && n > UINT32_MAX) csspgo__bin_bad(b, CSSPGO_E_RANGE, at, "a number does not fit 32 bits: ", n);
    return b->r.status == CSSPGO_OK ? n : 0;
}

static uint32_t csspgo__lazy_func(csspgo__bin *b, uint64_t i, const unsigned char *at);
static uint32_t csspgo__lazy_node(csspgo__bin *b, uint64_t i, const unsigned char *at);

/* A name index, as function; 0 after a failure. */
static uint32_t csspgo__bin_func(csspgo__bin *b)
{
    const unsigned char *at = b->r.p;
    const uint64_t i = csspgo__bin_num(&b->r);
    if (b->r.status != CSSPGO_OK) return 0;
    if (b->lazy != NULL) return csspgo__lazy_func(b, i, at);
    if (i < b->funcs) return b->func[i];
    csspgo__bin_bad(b, CSSPGO_E_RANGE, at, "the name table has no entry ", i);
    return 0;
}

/* LLVM cuts discriminators to 32 bits, and lines too unless they are a body's. Returns 0 after a failure. */
static int csspgo__bin_loc(csspgo__bin *b, int body, csspgo_loc *loc)
{
    const unsigned char *at = b->r.p;
    const uint64_t line = csspgo__bin_num(&b->r);
    const unsigned char *at2 = b->r.p;
    const uint64_t disc = csspgo__bin_num(&b->r);
    *loc = csspgo_at((uint32_t)(line & UINT32_MAX), (uint32_t)(disc & UINT32_MAX));
    if (b->r.status != CSSPGO_OK) return 0;
    if (line > 0xffff && (body || !b->lenient)) return csspgo__bin_bad(b, CSSPGO_E_RANGE, at, "a line is at most 65535: ", line);
    if (disc <= UINT32_MAX || b->lenient) return 1;
    return csspgo__bin_bad(b, CSSPGO_E_RANGE, at2, "a discriminator does not fit 32 bits: ", disc);
}

/* Room for one more entry of a table of 32-bit ids. Returns 0 after a failure. */
static int csspgo__bin_room(csspgo__bin *b, uint32_t **table, size_t count, size_t *cap)
{
    void *v;
    if (count < *cap) return 1;
    v = csspgo__grow(&b->q->heap, *table, count, cap, count + 1, sizeof **table);
    if (v == NULL) return csspgo__bin_full(b);
    *table = (uint32_t *)v;
    return 1;
}

static int csspgo__bin_add_name(csspgo__bin *b, csspgo_func f)
{
    if (f.id == 0 || !csspgo__bin_room(b, &b->func, b->funcs, &b->func_cap)) return csspgo__bin_full(b);
    b->func[b->funcs++] = f.id;
    return 1;
}

/* A string up to its NUL; NULL after a failure. */
static const char *csspgo__bin_string(csspgo__bin *b, size_t *size)
{
    csspgo__reader *r = &b->r;
    const unsigned char *start = r->p, *nul = (const unsigned char *)memchr(start, 0, csspgo__left(r));
    if (nul == NULL) {
        csspgo__fail(r, CSSPGO_E_TRUNCATED, start, "a name has no end");
        return NULL;
    }
    *size = (size_t)(nul - start);
    r->p = nul + 1;
    return (const char *)start;
}

/* Room for all names at once where they are long enough for that to be no gift to a hostile file. */
static int csspgo__bin_names_ahead(csspgo__bin *b, size_t n, size_t bytes)
{
    csspgo_profile *q = b->q;
    if (bytes / 16 < n || bytes > UINT32_MAX) return 1;
    return (csspgo__func_room(q, n) && csspgo__names_room(&q->heap, &q->names, n, 0, bytes)) || csspgo__bin_full(b);
}

static int csspgo__bin_text_names(csspgo__bin *b)
{
    csspgo__reader *r = &b->r;
    size_t n = csspgo__bin_many(b, 1), size;
    const unsigned char *section = r->p;
    b->funcs = 0;
    for (size = 0; size < n && r->p < r->end; size++) {            /* where they end */
        const void *nul = memchr(r->p, 0, csspgo__left(r));
        if (nul == NULL) break;
        r->p = (const unsigned char *)nul + 1;
    }
    size = (size_t)(r->p - section);
    r->p = section;
    if (r->status == CSSPGO_OK && !csspgo__bin_names_ahead(b, n, size)) return 0;
    while (n-- != 0 && r->status == CSSPGO_OK) {
        const char *text = csspgo__bin_string(b, &size);
        if (text == NULL || !csspgo__bin_add_name(b, csspgo_func_add(b->q, text, size))) return 0;
    }
    return r->status == CSSPGO_OK;
}

static int csspgo__bin_guid_names(csspgo__bin *b, int fixed)
{
    csspgo__reader *r = &b->r;
    size_t n = csspgo__bin_many(b, fixed ? 8 : 1);
    b->funcs = 0;
    b->q->flags |= CSSPGO_IS_MD5;
    while (n-- != 0 && r->status == CSSPGO_OK) {
        const uint64_t guid = fixed ? csspgo__u64(r) : csspgo__uleb(r);
        if (r->status != CSSPGO_OK || !csspgo__bin_add_name(b, csspgo_func_add_guid(b->q, guid))) return 0;
    }
    return r->status == CSSPGO_OK;
}

static int csspgo__bin_summary(csspgo__bin *b)
{
    csspgo__reader *r = &b->r;
    uint64_t head[5], *v;
    size_t i, n;
    for (i = 0; i < 5; i++) head[i] = csspgo__bin_num(r);
    n = csspgo__bin_many(b, 3);
    if (r->status != CSSPGO_OK) return 0;
    v = (uint64_t *)csspgo__alloc(&b->q->heap, (5 + 3 * n) * sizeof *v);
    if (v == NULL) return csspgo__bin_full(b);
    csspgo__summary_drop(b->q);
    b->q->summary = v;
    b->q->summary_size = 5 + 3 * n;
    memcpy(v, head, sizeof head);
    for (i = 5; i < b->q->summary_size; i++) v[i] = csspgo__bin_num(r);
    return r->status == CSSPGO_OK;
}

/* Gives a run n more elements at its end; one that ends where its pool does stays where it is. Returns 0 after a failure. */
static int csspgo__bin_extend(csspgo__bin *b, csspgo__pool *pool, csspgo__run *run, size_t n, size_t elem)
{
    const size_t had = csspgo__run_count(*run);
    const int last = run->size & CSSPGO__TIGHT && had != 0 && run->begin + had == pool->count;
    if (!csspgo__pool_room(&b->q->heap, pool, last ? n : csspgo__run_needs(*run, n), elem)) return csspgo__bin_full(b);
    if (last) {
        run->size += (uint32_t)n;
        pool->count += n;
    } else {
        csspgo__run_extend(pool, run, n, elem);
    }
    return 1;
}

/* The n new targets at the end of a run, all of one location: by function, as the tree wants them. */
static void csspgo__bin_order_targets(csspgo__record *c, csspgo_target *t, size_t n, int follows)
{
    size_t i, k;
    if (!follows || n > 32) c->flags |= CSSPGO__DIRTY;
    for (i = 1; i < n && n <= 32; i++) {
        const csspgo_target x = t[i];
        for (k = i; k != 0 && t[k - 1].func.id > x.func.id; k--) t[k] = t[k - 1];
        t[k] = x;
        if (k != 0 && t[k - 1].func.id == x.func.id) c->flags |= CSSPGO__DIRTY;
    }
}

/* The n call targets of a location of record c. Returns 0 after a failure. */
static int csspgo__bin_targets(csspgo__bin *b, csspgo__record *c, csspgo_loc loc, size_t n)
{
    csspgo_profile *q = b->q;
    const size_t had = csspgo__run_count(c->target);
    csspgo_target *t;
    size_t i;
    if (!csspgo__bin_extend(b, &q->target, &c->target, n, sizeof *t)) return 0;
    t = csspgo__target(q, c) + had;
    for (i = 0; i < n; i++) {
        t[i].loc = loc;
        t[i].func.id = csspgo__bin_func(b);
        t[i].reserved = 0;
        t[i].count = csspgo__bin_num(&b->r);
        if (b->r.status != CSSPGO_OK) return 0;
    }
    csspgo__bin_order_targets(c, t, n, had == 0 || csspgo__loc_key(t[-1].loc) < csspgo__loc_key(loc));
    return 1;
}

/* Total, body and call targets of a record. What comes out of order makes it dirty. *inlinees: how many of them follow. */
static int csspgo__bin_counts(csspgo__bin *b, uint32_t record, size_t *inlinees)
{
    csspgo_profile *q = b->q;
    csspgo__record *c = &q->record[record];
    const size_t had = csspgo__run_count(c->body);
    csspgo_body *e;
    size_t i, n, calls;
    csspgo__count_add(&c->total, csspgo__bin_num(&b->r));
    n = csspgo__bin_many32(b, 4);
    if (n != 0) {
        if (!csspgo__bin_extend(b, &q->body, &c->body, n, sizeof *e)) return 0;
        e = csspgo__body(q, c) + had;
        for (i = 0; i < n; i++, e++) {
            if (!csspgo__bin_loc(b, 1, &e->loc)) return 0;
            e->count = csspgo__bin_num(&b->r);
            calls = csspgo__bin_many32(b, 2);
            if (had + i != 0 && csspgo__loc_key(e[-1].loc) >= csspgo__loc_key(e->loc)) c->flags |= CSSPGO__DIRTY;
            if (calls != 0 && !csspgo__bin_targets(b, c, e->loc, calls)) return 0;
        }
    }
    *inlinees = csspgo__bin_many32(b, 6);
    return b->r.status == CSSPGO_OK;
}

/* One more level on the stack. */
static int csspgo__bin_push(csspgo__bin *b, uint32_t node, size_t left)
{
    if (b->depth >= b->q->heap.limits.max_depth) {
        csspgo__fail(&b->r, CSSPGO_E_LIMIT, b->r.p, "inlinees are nested deeper than limits.max_depth");
        return 0;
    }
    if (b->depth == b->nest_cap) {
        void *v = csspgo__grow(&b->q->heap, b->nest, b->depth, &b->nest_cap, b->depth + 1, sizeof *b->nest);
        if (v == NULL) return csspgo__bin_full(b);
        b->nest = (csspgo__nest *)v;
    }
    b->nest[b->depth].node = node;
    b->nest[b->depth].left = (uint32_t)left;
    b->nest[b->depth++].sum = 0;
    return 1;
}

/* The inlinee `func` at loc of a node, with a record; 0 after a failure. */
static uint32_t csspgo__bin_inlinee(csspgo__bin *b, uint32_t up, csspgo_loc loc, uint32_t func)
{
    csspgo_func f;
    uint32_t node;
    f.id = func;
    node = csspgo_node_add(b->q, csspgo__node_handle(up), loc, CSSPGO_INLINEE, f).id;
    if (node != 0 && csspgo__record_make(b->q, node) != NULL) return node;
    csspgo__bin_full(b);
    return 0;
}

/* The node of a function that is no inlinee, by the index that stands next in the input; 0 after a failure. */
static uint32_t csspgo__bin_top(csspgo__bin *b)
{
    const unsigned char *at = b->r.p;
    csspgo_func f;
    uint64_t i;
    if (b->cs) {
        i = csspgo__bin_num(&b->r);
        if (b->lazy != NULL) return csspgo__lazy_node(b, i, at);
        if (b->r.status == CSSPGO_OK && i < b->nodes) return b->node[i];
        csspgo__bin_bad(b, CSSPGO_E_RANGE, at, "the table of contexts has no entry ", i);
        return 0;
    }
    f.id = csspgo__bin_func(b);
    if (f.id == 0) return 0;
    i = csspgo_node_add(b->q, csspgo_root(b->q), csspgo_at(0, 0), CSSPGO_PLAIN, f).id;
    if (i == 0) csspgo__bin_full(b);
    return (uint32_t)i;
}

/* A function with all that is nested in it. Counts are added to what is there. Returns 0 after a failure. */
static int csspgo__bin_record(csspgo__bin *b)
{
    const uint64_t head = csspgo__bin_num(&b->r);
    uint32_t node = csspgo__bin_top(b);
    csspgo__record *c = node != 0 ? csspgo__record_make(b->q, node) : NULL;
    size_t left;
    csspgo_loc loc;
    if (c == NULL) return csspgo__bin_full(b);
    csspgo__count_add(&c->head, head);
    b->depth = 0;
    for (;;) {
        if (!csspgo__bin_counts(b, b->q->tree.node[node].record, &left)) return 0;
        if (left != 0 && !csspgo__bin_push(b, node, left)) return 0;
        while (b->depth != 0 && b->nest[b->depth - 1].left == 0) b->depth--;
        if (b->depth == 0) return 1;
        b->nest[b->depth - 1].left--;
        if (!csspgo__bin_loc(b, 0, &loc)) return 0;
        node = csspgo__bin_func(b);
        if (node != 0) node = csspgo__bin_inlinee(b, b->nest[b->depth - 1].node, loc, node);
        if (node == 0) return 0;
    }
}

typedef struct csspgo__bin_size { /* what the records of a section hold */
    size_t records, bodies, targets;
} csspgo__bin_size;

/* Skips n numbers. */
static void csspgo__bin_skip(csspgo__reader *r, size_t n)
{
    const unsigned char *p = r->p;
    for (; p < r->end && n != 0; p++) n -= *p < 128;
    r->p = p;
}

/*
 * Counts what the rest of the section holds, so that it is stored without a move and a copy for each growth: new memory
 * costs more than a second look at the input. Counts as far as the input makes sense; r is a copy, errors are left to who
 * reads on.
 */
static csspgo__bin_size csspgo__bin_measure(csspgo__reader r)
{
    csspgo__bin_size z;
    uint64_t n, calls;
    size_t pending = 0;
    memset(&z, 0, sizeof z);
    r.err = NULL;
    while (r.p < r.end && r.status == CSSPGO_OK) {
        csspgo__bin_skip(&r, pending != 0 ? 4 : 3);   /* a location and an index, or a head count and an index; total */
        if (pending != 0) pending--;
        z.records++;
        n = csspgo__bin_num(&r);
        if (n > csspgo__left(&r) / 4) break;
        z.bodies += (size_t)n;
        for (; n != 0; n--) {
            csspgo__bin_skip(&r, 3);
            calls = csspgo__bin_num(&r);
            if (calls > csspgo__left(&r) / 2) return z;
            z.targets += (size_t)calls;
            csspgo__bin_skip(&r, (size_t)calls * 2);
        }
        n = csspgo__bin_num(&r);
        if (n > csspgo__left(&r) / 6) break;
        pending += (size_t)n;
    }
    return z;
}

static int csspgo__bin_records(csspgo__bin *b)
{
    csspgo_profile *q = b->q;
    const csspgo__bin_size z = csspgo__bin_measure(b->r);
    if (!csspgo__pool_room(&q->heap, &q->body, z.bodies, sizeof(csspgo_body)) ||
        !csspgo__pool_room(&q->heap, &q->target, z.targets, sizeof(csspgo_target)) ||
        !csspgo__record_room(q, z.records) || (!b->cs && !csspgo__tree_room(&q->heap, &q->tree, z.records)))
        return csspgo__bin_full(b);
    while (b->r.p < b->r.end)
        if (!csspgo__bin_record(b)) return 0;
    return 1;
}

static int csspgo__bin_version(csspgo__bin *b)
{
    const unsigned char *at;
    uint64_t v;
    csspgo__uleb(&b->r);                              /* the magic number */
    at = b->r.p;
    v = csspgo__uleb(&b->r);
    if (b->r.status != CSSPGO_OK) return 0;
    if (v == CSSPGO__FORMAT_VERSION) return 1;
    return csspgo__bin_bad(b, CSSPGO_E_VERSION, at, "only version 103 of LLVM's binary profiles can be read, not ", v);
}

/* Magic, version, summary, names, records up to the end. */
static int csspgo__bin_read_raw(csspgo__bin *b)
{
    b->q->flags = CSSPGO_HAS_UNIQ;                    /* the form does not say; LLVM assumes it */
    return csspgo__bin_version(b) && csspgo__bin_summary(b) && csspgo__bin_text_names(b) && csspgo__bin_records(b);
}

/* Magic, version, summary, GUIDs, u64 offset of the table of functions, records up to there. */
static int csspgo__bin_read_compact(csspgo__bin *b)
{
    const unsigned char *at;
    uint64_t table;
    if (!csspgo__bin_version(b) || !csspgo__bin_summary(b) || !csspgo__bin_guid_names(b, 0)) return 0;
    at = b->r.p;
    table = csspgo__u64(&b->r);
    if (b->r.status != CSSPGO_OK) return 0;
    if (table > (uint64_t)(b->r.end - b->r.base) || table < (uint64_t)(b->r.p - b->r.base))
        return csspgo__bin_bad(b, CSSPGO_E_RANGE, at, "the table of functions is not in the file: ", table);
    b->r.end = b->r.base + table;
    return csspgo__bin_records(b);
}


/* ----- ExtBinary in ------------------------------------------------------------------------------------------------- */

enum {                            /* types of sections */
    CSSPGO__SEC_SUMMARY = 1, CSSPGO__SEC_NAMES = 2, CSSPGO__SEC_SYMBOLS = 3, CSSPGO__SEC_OFFSETS = 4, CSSPGO__SEC_META = 5,
    CSSPGO__SEC_CONTEXTS = 6, CSSPGO__SEC_RECORDS = 32
};

/* Their flags: the low ones are common, the high ones depend on the type. */
#define CSSPGO__SEC_COMPRESSED   ((uint64_t)1)
#define CSSPGO__SEC_FLAT         ((uint64_t)2)
#define CSSPGO__SEC_PARTIAL      ((uint64_t)1 << 32)
#define CSSPGO__SEC_CS           ((uint64_t)2 << 32)
#define CSSPGO__SEC_FS           ((uint64_t)4 << 32)
#define CSSPGO__SEC_PREINLINED   ((uint64_t)16 << 32)
#define CSSPGO__SEC_VTABLES      ((uint64_t)32 << 32)
#define CSSPGO__SEC_MD5          ((uint64_t)1 << 32)
#define CSSPGO__SEC_FIXED_MD5    ((uint64_t)2 << 32)
#define CSSPGO__SEC_UNIQ         ((uint64_t)4 << 32)
#define CSSPGO__SEC_INDEXED      ((uint64_t)8 << 32)   /* names of newer LLVM                */
#define CSSPGO__SEC_MD5_SYMBOLS  ((uint64_t)1 << 32)   /* symbol list of newer LLVM          */
#define CSSPGO__SEC_ORDERED      ((uint64_t)1 << 32)
#define CSSPGO__SEC_INDEXED_OFFS ((uint64_t)2 << 32)   /* table of functions of newer LLVM   */
#define CSSPGO__SEC_PROBES       ((uint64_t)1 << 32)
#define CSSPGO__SEC_ATTRIBUTES   ((uint64_t)2 << 32)

typedef struct csspgo__section {
    uint64_t type, flags, offset, size;
} csspgo__section;

/* Section i of the table, which follows the magic number, the version and the number of sections. */
static csspgo__section csspgo__section_at(const unsigned char *table, size_t i)
{
    csspgo__section s;
    s.type = csspgo__ld64le(table + 32 * i);
    s.flags = csspgo__ld64le(table + 32 * i + 8);
    s.offset = csspgo__ld64le(table + 32 * i + 16);
    s.size = csspgo__ld64le(table + 32 * i + 24);
    return s;
}

static int csspgo__bin_summary_flags(csspgo__bin *b, uint64_t flags)
{
    csspgo_profile *q = b->q;
    if (flags & CSSPGO__SEC_VTABLES) {
        csspgo__fail(&b->r, CSSPGO_E_UNSUPPORTED, b->r.p, "the vtable counts of newer LLVM cannot be read");
        return 0;
    }
    b->cs = (flags & CSSPGO__SEC_CS) != 0;
    if (b->cs) q->flags |= CSSPGO_IS_CS;
    if (flags & CSSPGO__SEC_FS) q->flags |= CSSPGO_IS_FS;
    if (flags & CSSPGO__SEC_PREINLINED) q->flags |= CSSPGO_IS_PREINLINED;
    if (flags & CSSPGO__SEC_PARTIAL) q->flags |= CSSPGO_IS_PARTIAL;
    return 1;
}

static int csspgo__bin_ext_names(csspgo__bin *b, uint64_t flags)
{
    if (flags & CSSPGO__SEC_INDEXED) {
        csspgo__fail(&b->r, CSSPGO_E_UNSUPPORTED, b->r.p, "the indexed name tables of newer LLVM cannot be read");
        return 0;
    }
    b->q->flags &= ~(uint32_t)CSSPGO_HAS_UNIQ;
    if (flags & CSSPGO__SEC_UNIQ) b->q->flags |= CSSPGO_HAS_UNIQ;
    if (flags & (CSSPGO__SEC_MD5 | CSSPGO__SEC_FIXED_MD5))
        return csspgo__bin_guid_names(b, (flags & CSSPGO__SEC_FIXED_MD5) != 0);
    return csspgo__bin_text_names(b);
}

typedef struct csspgo__bin_path { /* the frames of the context before: most of the next one is the same */
    uint32_t   func, node;
    csspgo_loc loc;               /* call site behind the frame */
} csspgo__bin_path;

/* One more frame of a context, frame i of path; same: so many frames of path still lead to it. Returns 0 after a failure. */
static int csspgo__bin_frame(csspgo__bin *b, csspgo__bin_path *path, size_t i, size_t *same)
{
    const csspgo_loc site = i != 0 ? path[i - 1].loc : csspgo_at(0, 0);
    const uint32_t up = i != 0 ? path[i - 1].node : (uint32_t)CSSPGO__ROOT;
    const uint32_t func = csspgo__bin_func(b);
    csspgo_loc loc;
    csspgo_func f;
    if (func == 0 || !csspgo__bin_loc(b, 1, &loc)) return 0;
    if (i >= *same || path[i].func != func) {
        f.id = func;
        path[i].func = func;
        path[i].node = csspgo_node_add(b->q, csspgo__node_handle(up), site, CSSPGO_CONTEXT, f).id;
        if (path[i].node == 0) return csspgo__bin_full(b);
        *same = i;
    } else if (csspgo__loc_key(path[i].loc) != csspgo__loc_key(loc)) {
        *same = i + 1;
    }
    path[i].loc = loc;
    return 1;
}

/* LLVM tells a context whose leaf has a location from the one without; only lenient reading keeps that apart. */
static uint32_t csspgo__bin_leaf(csspgo__bin *b, const csspgo__bin_path *leaf)
{
    csspgo_func f;
    uint32_t node = leaf->node;
    if (csspgo__loc_key(leaf->loc) != 0 && b->lenient) {
        f.id = leaf->func;
        node = csspgo_node_add(b->q, csspgo__node_handle(node), leaf->loc, CSSPGO_TWIN, f).id;
        if (node == 0) csspgo__bin_full(b);
    }
    return node;
}

/* After the first contexts: room for the nodes of n more, if they are like those, so that the tree need not grow step by step. */
static int csspgo__bin_contexts_ahead(csspgo__bin *b, size_t n)
{
    const size_t more = b->q->tree.count / 512 * n;
    if (more > csspgo__left(&b->r) / 6) return 1;
    return csspgo__tree_room(&b->q->heap, &b->q->tree, more) || csspgo__bin_full(b);
}

static int csspgo__bin_contexts(csspgo__bin *b)
{
    const uint32_t max = b->q->heap.limits.max_depth;
    csspgo__bin_path *path = NULL;
    size_t n = csspgo__bin_many(b, 1), cap = 0, frames, i, same = 0;
    int ok = b->r.status == CSSPGO_OK;
    for (b->nodes = 0; ok && n != 0; n--) {
        const unsigned char *at = b->r.p;
        frames = csspgo__bin_many32(b, 3);
        ok = b->r.status == CSSPGO_OK;
        if (ok && frames == 0) csspgo__fail(&b->r, CSSPGO_E_SYNTAX, at, "the context is empty");
        if (ok && frames > max) csspgo__bin_bad(b, CSSPGO_E_LIMIT, at, "a context has more frames than limits.max_depth: ", frames);
        if (ok && b->r.status == CSSPGO_OK && frames > cap) {
            void *v = csspgo__grow(&b->q->heap, path, same, &cap, frames, sizeof *path);
            if (v == NULL) csspgo__bin_full(b);
            else path = (csspgo__bin_path *)v;
        }
        ok = b->r.status == CSSPGO_OK;
        for (i = 0; ok && i < frames; i++) ok = csspgo__bin_frame(b, path, i, &same);
        if (!ok) break;
        same = frames;
        if (b->nodes == 512) ok = csspgo__bin_contexts_ahead(b, n);
        if (!ok) break;
        ok = csspgo__bin_room(b, &b->node, b->nodes, &b->node_cap);
        if (ok) ok = (b->node[b->nodes++] = csspgo__bin_leaf(b, &path[frames - 1])) != 0;
    }
    csspgo__free(&b->q->heap, path, cap * sizeof *path);
    return ok;
}

static int csspgo__bin_symbols(csspgo__bin *b, uint64_t flags)
{
    csspgo__reader *r = &b->r;
    size_t size;
    if (flags & CSSPGO__SEC_MD5_SYMBOLS) {
        csspgo__fail(r, CSSPGO_E_UNSUPPORTED, r->p, "the MD5 symbol list of newer LLVM cannot be read");
        return 0;
    }
    while (r->p < r->end) {
        const char *text = csspgo__bin_string(b, &size);
        csspgo_func f;
        if (text == NULL) return 0;
        f = csspgo_func_add(b->q, text, size);
        if (f.id == 0) return csspgo__bin_full(b);
        b->q->names.name[f.id].flags |= CSSPGO__LISTED;
    }
    return 1;
}

/* The node of a metadata entry that no inlinee is; *node 0: it has no counts, so it is not kept. */
static int csspgo__bin_meta_top(csspgo__bin *b, uint32_t *node)
{
    csspgo_func f;
    if (b->cs) {
        *node = csspgo__bin_top(b);
        if (*node == 0) return 0;
    } else {
        f.id = csspgo__bin_func(b);
        if (f.id == 0) return 0;
        *node = csspgo_child(b->q, csspgo_root(b->q), csspgo_at(0, 0), CSSPGO_PLAIN, f).id;
    }
    if (*node != 0 && b->q->tree.node[*node].record == 0) *node = 0;
    return 1;
}

/* The node of a metadata entry below `up`. LLVM makes an inlinee without a name of one that has no counts. */
static int csspgo__bin_meta_inlinee(csspgo__bin *b, uint32_t up, uint32_t *node)
{
    csspgo_func f;
    csspgo_loc loc;
    if (!csspgo__bin_loc(b, 0, &loc)) return 0;
    f.id = csspgo__bin_func(b);
    if (f.id == 0) return 0;
    *node = up != 0 ? csspgo_child(b->q, csspgo__node_handle(up), loc, CSSPGO_INLINEE, f).id : 0;
    if (*node != 0 && b->q->tree.node[*node].record == 0) *node = 0;
    if (*node != 0 || up == 0 || !b->lenient) return 1;
    f = csspgo_func_add(b->q, "", 0);
    *node = f.id != 0 ? csspgo__bin_inlinee(b, up, loc, f.id) : 0;
    return *node != 0 || csspgo__bin_full(b);
}

/* What an entry says about a node, then how many inlinees follow. */
static int csspgo__bin_meta_values(csspgo__bin *b, uint64_t flags, uint32_t node, size_t *left)
{
    csspgo__record *c = node != 0 ? &b->q->record[b->q->tree.node[node].record] : NULL;
    const uint64_t checksum = flags & CSSPGO__SEC_PROBES ? csspgo__bin_num(&b->r) : 0;
    const uint32_t attributes = flags & CSSPGO__SEC_ATTRIBUTES ? csspgo__uleb32(&b->r) : 0;
    *left = b->cs ? 0 : csspgo__bin_many32(b, 4);
    if (b->r.status != CSSPGO_OK) return 0;
    if (c != NULL && flags & CSSPGO__SEC_PROBES) c->checksum = checksum;
    if (c != NULL && flags & CSSPGO__SEC_ATTRIBUTES) c->attributes = attributes;
    return 1;
}

/* An entry with all that is nested in it. Returns 0 after a failure. */
static int csspgo__bin_meta_entry(csspgo__bin *b, uint64_t flags)
{
    uint32_t node;
    size_t left;
    b->depth = 0;
    do {
        if (b->depth == 0) {
            if (!csspgo__bin_meta_top(b, &node)) return 0;
        } else {
            b->nest[b->depth - 1].left--;
            if (!csspgo__bin_meta_inlinee(b, b->nest[b->depth - 1].node, &node)) return 0;
        }
        if (!csspgo__bin_meta_values(b, flags, node, &left)) return 0;
        if (left != 0 && !csspgo__bin_push(b, node, left)) return 0;
        while (b->depth != 0 && b->nest[b->depth - 1].left == 0) b->depth--;
    } while (b->depth != 0);
    return 1;
}

static int csspgo__bin_metadata(csspgo__bin *b, uint64_t flags)
{
    if (flags & CSSPGO__SEC_PROBES) b->q->flags |= CSSPGO_IS_PROBE;
    while (b->r.p < b->r.end)
        if (!csspgo__bin_meta_entry(b, flags)) return 0;
    return 1;
}

/* What is in a section, whose bytes b->r has. Tables that only help to find things are not looked at. */
static int csspgo__bin_content(csspgo__bin *b, const csspgo__section *s)
{
    int ok = 1;
    switch (s->type) {
    case CSSPGO__SEC_SUMMARY: ok = csspgo__bin_summary_flags(b, s->flags) && csspgo__bin_summary(b); break;
    case CSSPGO__SEC_NAMES: ok = csspgo__bin_ext_names(b, s->flags); break;
    case CSSPGO__SEC_CONTEXTS: ok = csspgo__bin_contexts(b); break;
    case CSSPGO__SEC_RECORDS: ok = csspgo__bin_records(b); break;
    case CSSPGO__SEC_SYMBOLS: ok = csspgo__bin_symbols(b, s->flags); break;
    case CSSPGO__SEC_META: ok = csspgo__bin_metadata(b, s->flags); break;
    case CSSPGO__SEC_OFFSETS:
        if (s->flags & CSSPGO__SEC_INDEXED_OFFS) {
            csspgo__fail(&b->r, CSSPGO_E_UNSUPPORTED, b->r.p, "the indexed function offsets of newer LLVM cannot be read");
            return 0;
        }
        return 1;
    default: return 1;
    }
    if (ok && b->r.p != b->r.end) {
        csspgo__bin_bad(b, CSSPGO_E_SYNTAX, b->r.p, "bytes are left over in a section: ", csspgo__left(&b->r));
        return 0;
    }
    return ok;
}

#ifdef CSSPGO_USE_ZLIB
/* zlib does not say at free how much it had: the size stands in front. */
static void *csspgo__z_alloc(void *ctx, unsigned items, unsigned size)
{
    csspgo__heap *h = (csspgo__heap *)ctx;
    const size_t bytes = (size_t)items * size + 16;
    unsigned char *p = (unsigned char *)csspgo__alloc(h, bytes);
    if (p == NULL) return NULL;
    memcpy(p, &bytes, sizeof bytes);
    return p + 16;
}

static void csspgo__z_free(void *ctx, void *address)
{
    unsigned char *p = (unsigned char *)address - 16;
    size_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    csspgo__free((csspgo__heap *)ctx, p, bytes);
}

static void csspgo__z_init(z_stream *z, csspgo__heap *h)
{
    memset(z, 0, sizeof *z);
    z->zalloc = csspgo__z_alloc;
    z->zfree = csspgo__z_free;
    z->opaque = h;
}

/* The input is not const in zlib's interface, unless ZLIB_CONST says so; it never writes there. */
static void csspgo__z_input(z_stream *z, const unsigned char *p, size_t n)
{
    memcpy(&z->next_in, &p, sizeof p);
    z->avail_in = (uInt)n;
}

/* Inflates [p, p + n) into *out, of *cap bytes; want: what it must give. The buffer grows as bytes arrive. */
static csspgo_status csspgo__z_inflate(csspgo__heap *h, const unsigned char *p, size_t n, size_t want, unsigned char **out,
                                       size_t *cap)
{
    const size_t piece = 1u << 30;
    size_t have = 0;
    z_stream z;
    int s = Z_OK;
    csspgo__z_init(&z, h);
    if (inflateInit(&z) != Z_OK) return h->status;
    while (s == Z_OK) {
        size_t fed = n < piece ? n : piece, room;
        if (have == *cap && (have < want || have == 0)) {
            const size_t more = have < 65536 ? 65536 : have, rest = want - have + 1;
            void *v = csspgo__grow(h, *out, have, cap, have + (more < rest ? more : rest), 1);
            if (v == NULL) break;
            *out = (unsigned char *)v;
        }
        room = *cap - have < piece ? *cap - have : piece;
        csspgo__z_input(&z, p, fed);
        z.next_out = *out + have;
        z.avail_out = (uInt)room;
        s = inflate(&z, Z_NO_FLUSH);
        have += room - z.avail_out;
        p += fed - z.avail_in;
        n -= fed - z.avail_in;
        if (s == Z_OK && (have > want || (have == want && n == 0))) s = Z_DATA_ERROR;
    }
    inflateEnd(&z);
    if (s == Z_OK || s == Z_MEM_ERROR) return h->status;
    return s == Z_STREAM_END && have == want && n == 0 ? CSSPGO_OK : CSSPGO_E_SYNTAX;
}
#endif

/* A compressed section: uncompressed size, compressed size, zlib stream. Its errors have the offset of the section. */
static int csspgo__bin_inflated(csspgo__bin *b, const csspgo__section *s)
{
    csspgo__reader *r = &b->r;
#ifdef CSSPGO_USE_ZLIB
    const csspgo__reader file = *r;
    const unsigned char *at = r->p;
    const uint64_t want = csspgo__uleb(r), packed = csspgo__uleb(r);
    csspgo__heap *h = &b->q->heap;
    unsigned char *data = NULL;
    size_t cap = 0;
    csspgo_status status;
    int ok;
    if (r->status != CSSPGO_OK) return 0;
    if (packed > csspgo__left(r) || (packed < csspgo__left(r) && !b->lenient))
        return csspgo__bin_bad(b, CSSPGO_E_TRUNCATED, at, "a compressed section does not have the size that it claims: ", packed);
    if (want > SIZE_MAX / 2 || want / 1032 > packed + 1)
        return csspgo__bin_bad(b, CSSPGO_E_SYNTAX, at, "a compressed section cannot inflate to so many bytes: ", want);
    if (16 * want < b->most - h->limits.max_bytes) h->limits.max_bytes += 16 * want;   /* inflated bytes are input */
    else h->limits.max_bytes = b->most;
    status = csspgo__z_inflate(h, r->p, (size_t)packed, (size_t)want, &data, &cap);
    if (status == CSSPGO_E_SYNTAX) csspgo__fail(r, status, at, "a compressed section does not inflate to what it claims");
    else if (status != CSSPGO_OK) csspgo__bin_full(b);
    ok = status == CSSPGO_OK;
    if (ok) {
        csspgo__reader_init(r, data, (size_t)want, file.err);
        ok = csspgo__bin_content(b, s);
    }
    csspgo__free(h, data, cap);
    status = r->status;
    *r = file;
    r->status = status;
    if (!ok && r->err != NULL) r->err->offset = (uint64_t)(at - file.base);
    return ok;
#else
    (void)s;
    csspgo__fail(r, CSSPGO_E_UNSUPPORTED, r->p, "a section is compressed, and zlib support (CSSPGO_USE_ZLIB) is left out");
    return 0;
#endif
}

/* Section i of the table: it must lie in the file, and all of it must be of use. */
static int csspgo__bin_section(csspgo__bin *b, const unsigned char *table, size_t i)
{
    const csspgo__reader file = b->r;
    const csspgo__section s = csspgo__section_at(table, i);
    const uint64_t size = (uint64_t)(file.end - file.base);
    const int wanted = s.type == CSSPGO__SEC_RECORDS || (s.type >= CSSPGO__SEC_SUMMARY && s.type <= CSSPGO__SEC_CONTEXTS &&
                                                         s.type != CSSPGO__SEC_OFFSETS);
    int ok;
    if (s.size == 0 || (b->lenient && !wanted)) return 1;
    if (s.offset > size || s.size > size - s.offset) {
        csspgo__fail(&b->r, CSSPGO_E_TRUNCATED, table + 32 * i + 16, "a section is not in the file: offset ");
        csspgo__say_u64(b->r.err, s.offset);
        csspgo__say(b->r.err, ", size ");
        csspgo__say_u64(b->r.err, s.size);
        return 0;
    }
    b->r.p = file.base + s.offset;
    b->r.end = b->r.p + s.size;
    ok = wanted && s.flags & CSSPGO__SEC_COMPRESSED ? csspgo__bin_inflated(b, &s) : csspgo__bin_content(b, &s);
    b->r.p = file.p;
    b->r.end = file.end;
    return ok;
}

static int csspgo__bin_read_ext(csspgo__bin *b)
{
    const unsigned char *at;
    uint64_t n;
    size_t i;
    b->q->flags = CSSPGO_HAS_UNIQ;
    if (!csspgo__bin_version(b)) return 0;
    at = b->r.p;
    n = csspgo__u64(&b->r);
    if (b->r.status != CSSPGO_OK) return 0;
    if (n > csspgo__left(&b->r) / 32)
        return csspgo__bin_bad(b, CSSPGO_E_TRUNCATED, at, "the file cannot hold so many sections: ", n);
    at = b->r.p;
    for (i = 0; i < n; i++)
        if (!csspgo__bin_section(b, at, i)) return 0;
    return 1;
}

/* ----- GCC AutoFDO in ----------------------------------------------------------------------------------------------- */

enum { CSSPGO__GCC_NAMES = 0xaa, CSSPGO__GCC_FUNCTIONS = 0xac, CSSPGO__GCC_MODULES = 0xae };   /* << 24: tags */

static uint32_t csspgo__gcc_u32(csspgo__reader *r)
{
    if (!csspgo__need(r, 4)) return 0;
    r->p += 4;
    return csspgo__ld32le(r->p - 4);
}

/* A tag and the length of its section, which does not matter. */
static int csspgo__gcc_tag(csspgo__bin *b, uint32_t tag)
{
    const unsigned char *at = b->r.p;
    const uint32_t v = csspgo__gcc_u32(&b->r);
    csspgo__gcc_u32(&b->r);
    if (b->r.status != CSSPGO_OK) return 0;
    return v == tag << 24 || csspgo__bin_bad(b, CSSPGO_E_SYNTAX, at, "another section is expected here: ", v);
}

/* A number of elements of at least `least` bytes. */
static uint32_t csspgo__gcc_many(csspgo__bin *b, size_t least)
{
    const unsigned char *at = b->r.p;
    const uint32_t n = csspgo__gcc_u32(&b->r);
    if (n <= csspgo__left(&b->r) / least) return n;
    csspgo__bin_bad(b, CSSPGO_E_TRUNCATED, at, "the input cannot hold so many elements: ", n);
    return 0;
}

/* The names: a length in words and the text, padded with NULs; or, if in_bytes, a length in bytes with a NUL. */
static int csspgo__gcc_names(csspgo__bin *b, int in_bytes)
{
    uint32_t n;
    if (!csspgo__gcc_tag(b, CSSPGO__GCC_NAMES)) return 0;
    for (n = csspgo__gcc_many(b, 4); n != 0 && b->r.status == CSSPGO_OK; n--) {
        const size_t size = (size_t)csspgo__gcc_many(b, in_bytes ? 1 : 4) * (in_bytes ? 1 : 4);
        const char *text = (const char *)b->r.p;
        const char *nul = size != 0 ? (const char *)memchr(text, 0, size) : text;
        if (b->r.status != CSSPGO_OK) return 0;
        if (!csspgo__bin_add_name(b, csspgo_func_add(b->q, text, nul != NULL ? (size_t)(nul - text) : size))) return 0;
        b->r.p += size;
    }
    return b->r.status == CSSPGO_OK;
}

static uint32_t csspgo__gcc_func(csspgo__bin *b, uint64_t i, const unsigned char *at)
{
    if (b->r.status != CSSPGO_OK) return 0;
    if (i < b->funcs) return b->func[i];
    csspgo__bin_bad(b, CSSPGO_E_RANGE, at, "the name table has no entry ", i);
    return 0;
}

static csspgo_loc csspgo__gcc_loc(csspgo__bin *b)
{
    const uint32_t v = csspgo__gcc_u32(&b->r);
    return csspgo_at(v >> 16, v & 0xffff);
}

/* The n positions of a record; node 0: they are not kept. *sum: of their counts. Returns 0 after a failure. */
static int csspgo__gcc_positions(csspgo__bin *b, uint32_t node, uint32_t n, uint64_t *sum)
{
    csspgo_profile *q = b->q;
    csspgo__record *c = &q->record[node != 0 ? q->tree.node[node].record : 0];
    for (*sum = 0; n != 0 && b->r.status == CSSPGO_OK; n--) {
        const csspgo_loc loc = csspgo__gcc_loc(b);
        uint32_t targets = csspgo__gcc_u32(&b->r), func;
        const uint64_t count = csspgo__u64(&b->r);
        if (targets > csspgo__left(&b->r) / 20)
            return csspgo__bin_bad(b, CSSPGO_E_TRUNCATED, b->r.p - (b->r.status == CSSPGO_OK ? 12 : 0),
                                   "the input cannot hold so many call targets: ", targets);
        csspgo__count_add(sum, count);
        if (node != 0 && csspgo__body_append(q, c, loc, count) < 0) return csspgo__bin_full(b);
        for (; targets != 0; targets--) {
            const unsigned char *at = b->r.p;
            const uint32_t kind = csspgo__gcc_u32(&b->r);
            const uint64_t i = csspgo__u64(&b->r), calls = csspgo__u64(&b->r);
            if (b->r.status == CSSPGO_OK && kind != 7)
                return csspgo__bin_bad(b, CSSPGO_E_SYNTAX, at, "call targets have the histogram type 7, not ", kind);
            func = csspgo__gcc_func(b, i, at + 4);
            if (func == 0) return 0;
            if (node != 0 && csspgo__target_append(q, c, loc, func, calls) < 0) return csspgo__bin_full(b);
        }
    }
    return b->r.status == CSSPGO_OK;
}

/* The records at the top of the stack that are complete: their counts are part of their callers' totals. */
static void csspgo__gcc_pop(csspgo__bin *b)
{
    while (b->depth != 0 && b->nest[b->depth - 1].left == 0) {
        const csspgo__nest *n = &b->nest[--b->depth];
        if (n->node != 0) csspgo__count_add(&b->q->record[b->q->tree.node[n->node].record].total, n->sum);
        if (b->depth != 0) csspgo__count_add(&b->nest[b->depth - 1].sum, n->sum);
    }
}

/*
 * A function with all that is nested in it. Of a function that is there already only the head count is taken: it is the
 * same function under another name.
 */
static int csspgo__gcc_function(csspgo__bin *b)
{
    const uint64_t head = csspgo__u64(&b->r);
    csspgo_loc loc = csspgo_at(0, 0);
    csspgo__record *c;
    csspgo_func f;
    uint32_t node = 0, positions, inlinees;
    uint64_t sum;
    b->depth = 0;
    do {
        const unsigned char *at = b->r.p;
        const uint32_t up = b->depth != 0 ? b->nest[b->depth - 1].node : 0;
        if (b->depth != 0) {
            b->nest[b->depth - 1].left--;
            loc = csspgo__gcc_loc(b);
            at = b->r.p;
        }
        f.id = csspgo__gcc_func(b, csspgo__gcc_u32(&b->r), at);
        positions = csspgo__gcc_many(b, 16);
        inlinees = csspgo__gcc_many(b, 16);
        if (f.id == 0 || b->r.status != CSSPGO_OK) return 0;
        node = b->depth == 0 ? csspgo_node_add(b->q, csspgo_root(b->q), loc, CSSPGO_PLAIN, f).id
                             : up != 0 ? csspgo__bin_inlinee(b, up, loc, f.id) : 0;
        if (node == 0 && (b->depth == 0 || up != 0)) return csspgo__bin_full(b);
        if (b->depth == 0) {
            c = csspgo__record_make(b->q, node);
            if (c == NULL) return csspgo__bin_full(b);
            csspgo__count_add(&c->head, head);
            if (c->total != 0) node = 0;
        }
        if (!csspgo__gcc_positions(b, node, positions, &sum) || !csspgo__bin_push(b, node, inlinees)) return 0;
        b->nest[b->depth - 1].sum = sum;
        csspgo__gcc_pop(b);
    } while (b->depth != 0);
    return 1;
}

/* "adcg", version, stamp, names, functions. What follows (modules, working set) is of no use. */
static int csspgo__bin_read_gcc(csspgo__bin *b)
{
    const unsigned char *at;
    uint32_t version, n;
    b->q->flags = CSSPGO_HAS_UNIQ;
    csspgo__gcc_u32(&b->r);
    at = b->r.p;
    version = csspgo__gcc_u32(&b->r);
    if (b->r.status == CSSPGO_OK && version != 0x3430372a && version != 1 && version != 2) {
        csspgo__bin_bad(b, CSSPGO_E_VERSION, at, "only versions 1, 2 and *704 of GCC's profiles can be read, not ", version);
        return 0;
    }
    csspgo__gcc_u32(&b->r);                           /* stamp */
    if (!csspgo__gcc_names(b, version == 2) || !csspgo__gcc_tag(b, CSSPGO__GCC_FUNCTIONS)) return 0;
    for (n = csspgo__gcc_many(b, 20); n != 0; n--)
        if (!csspgo__gcc_function(b)) return 0;
    return b->r.status == CSSPGO_OK;
}

/* ----- any binary form in ------------------------------------------------------------------------------------------- */

static int csspgo__bin_settle(csspgo__bin *b)
{
    csspgo_target clamped;
    uint32_t i;
    for (i = 1; i <= b->q->records; i++)
        if (csspgo__settle(b->q, &b->q->record[i], &clamped) < 0) return csspgo__bin_full(b);
    return 1;
}

/* *q = the profile in the input, made with options. Sums saturate, as in LLVM. */
static csspgo_status csspgo__binary_read(const csspgo_options *options, uint64_t most, const void *data, size_t size,
                                         csspgo_profile **q, csspgo_error *err)
{
    csspgo__bin b;
    int ok = 0;
    memset(&b, 0, sizeof b);
    csspgo__reader_init(&b.r, data, size, err);
    b.most = most;
    b.lenient = options->lenient != 0;
    b.q = csspgo_profile_new(options);
    if (b.q == NULL) {
        const int small = options->limits.max_bytes < sizeof *b.q + 8 * sizeof(csspgo__node);
        return csspgo__error_plain(err, small ? CSSPGO_E_LIMIT : CSSPGO_E_NOMEM);
    }
    switch (csspgo__sniff(data, size)) {
    case CSSPGO__FORMAT_BINARY: ok = csspgo__bin_read_raw(&b); break;
    case CSSPGO__FORMAT_EXTBINARY: ok = csspgo__bin_read_ext(&b); break;
    case CSSPGO__FORMAT_COMPACT: ok = csspgo__bin_read_compact(&b); break;
    case CSSPGO__FORMAT_GCC: ok = csspgo__bin_read_gcc(&b); break;
    case CSSPGO__FORMAT_TEXT: csspgo__fail(&b.r, CSSPGO_E_SYNTAX, b.r.p, "not a binary profile"); break;
    }
    ok = ok && csspgo__bin_settle(&b);
    csspgo__free(&b.q->heap, b.func, b.func_cap * sizeof *b.func);
    csspgo__free(&b.q->heap, b.node, b.node_cap * sizeof *b.node);
    csspgo__free(&b.q->heap, b.nest, b.nest_cap * sizeof *b.nest);
    if (ok) {
        *q = b.q;
        return CSSPGO_OK;
    }
    csspgo_profile_free(b.q);
    return b.r.status;
}

CSSPGO_DEF uint32_t csspgo_sniff(const void *data, size_t size)
{
    switch (csspgo__sniff(data, size)) {
    case CSSPGO__FORMAT_BINARY: return CSSPGO_BINARY;
    case CSSPGO__FORMAT_EXTBINARY: return CSSPGO_EXTBINARY;
    case CSSPGO__FORMAT_COMPACT: return CSSPGO_COMPACT;
    case CSSPGO__FORMAT_GCC: return CSSPGO_GCOV;
    case CSSPGO__FORMAT_TEXT: break;
    }
    return CSSPGO_TEXT;
}

/* ----- ExtBinary, function by function ------------------------------------------------------------------------------ */

static uint64_t csspgo__lazy_guid(const struct csspgo_lazy *l, size_t i)
{
    csspgo__reader r = l->names;
    r.p += l->name_at[i];
    return l->fixed ? csspgo__ld64le(r.p) : csspgo__uleb(&r);
}

/* Name i as a function of the profile being filled. */
static uint32_t csspgo__lazy_func(csspgo__bin *b, uint64_t i, const unsigned char *at)
{
    const struct csspgo_lazy *l = b->lazy;
    const char *text;
    csspgo_func f;
    if (i >= l->nnames) {
        csspgo__bin_bad(b, CSSPGO_E_RANGE, at, "the name table has no entry ", i);
        return 0;
    }
    text = (const char *)l->names.p + l->name_at[i];
    f = l->md5 ? csspgo_func_add_guid(b->q, csspgo__lazy_guid(l, (size_t)i)) : csspgo_func_add(b->q, text, strlen(text));
    if (f.id == 0) csspgo__bin_full(b);
    return f.id;
}

/* The node of context i, made if need be. */
static uint32_t csspgo__lazy_node(csspgo__bin *b, uint64_t i, const unsigned char *at)
{
    const csspgo__reader back = b->r;
    uint32_t node = CSSPGO__ROOT;
    csspgo_loc site = csspgo_at(0, 0), loc;
    csspgo_func f;
    size_t n;
    if (b->r.status != CSSPGO_OK) return 0;
    if (i >= b->lazy->ncontexts) {
        csspgo__bin_bad(b, CSSPGO_E_RANGE, at, "the table of contexts has no entry ", i);
        return 0;
    }
    b->r.p = b->lazy->contexts.p + b->lazy->context_at[i];
    b->r.end = b->lazy->contexts.end;
    for (n = csspgo__bin_many32(b, 3); n != 0 && node != 0; n--, site = loc) {
        f.id = csspgo__bin_func(b);
        if (f.id == 0 || !csspgo__bin_loc(b, 1, &loc)) return 0;
        node = csspgo_node_add(b->q, csspgo__node_handle(node), site, CSSPGO_CONTEXT, f).id;
        if (node == 0) csspgo__bin_full(b);
    }
    b->r.p = back.p;
    b->r.end = back.end;
    return node;
}

/* n zeroed elements in *v; 0 after a failure. */
static int csspgo__lazy_table(csspgo__bin *b, void **v, size_t n, size_t elem)
{
    *v = csspgo__alloc(&b->lazy->heap, (n + 1) * elem);
    if (*v == NULL) {
        csspgo__fail(&b->r, b->lazy->heap.status, b->r.p, csspgo_status_text(b->lazy->heap.status));
        return 0;
    }
    memset(*v, 0, (n + 1) * elem);
    return 1;
}

/* 1 if name i, whose hash that is, stands in the table before: so that many equal ones cost no more than others. */
static int csspgo__lazy_find_at(const struct csspgo_lazy *l, size_t i, uint32_t hash)
{
    const char *text = (const char *)l->names.p;
    uint32_t id, at = hash;
    while ((id = csspgo__map_next(&l->map, hash, &at)) != 0)
        if (l->md5 ? csspgo__lazy_guid(l, id - 1) == csspgo__lazy_guid(l, i)
                   : strcmp(text + l->name_at[id - 1], text + l->name_at[i]) == 0) return 1;
    return 0;
}

static int csspgo__lazy_names(csspgo__bin *b, uint64_t flags)
{
    struct csspgo_lazy *l = b->lazy;
    csspgo__reader *r = &b->r;
    void *v;
    size_t i, n;
    l->md5 = (flags & (CSSPGO__SEC_MD5 | CSSPGO__SEC_FIXED_MD5)) != 0;
    l->fixed = (flags & CSSPGO__SEC_FIXED_MD5) != 0;
    l->names = *r;
    n = csspgo__bin_many(b, l->fixed ? 8 : 1);
    if (l->name_at != NULL) csspgo__fail(r, CSSPGO_E_UNSUPPORTED, l->names.p, "a second name table cannot be read lazily");
    if (r->status != CSSPGO_OK || !csspgo__lazy_table(b, &v, n, sizeof *l->name_at)) return 0;
    l->name_at = (uint32_t *)v;
    l->nnames = n;
    if (!csspgo__map_room(&l->heap, &l->map, n)) return csspgo__bin_full(b);
    for (i = 0; i < n; i++) {
        size_t size;
        uint32_t hash;
        l->name_at[i] = (uint32_t)(r->p - l->names.p);
        if (l->md5) {
            hash = (uint32_t)csspgo__hash64(l->fixed ? csspgo__u64(r) : csspgo__uleb(r), l->heap.seed);
        } else {
            const char *text = csspgo__bin_string(b, &size);
            if (text == NULL) return 0;
            hash = (uint32_t)csspgo__hash_bytes(text, size, l->heap.seed);
        }
        if (r->status != CSSPGO_OK) return 0;
        if (csspgo__lazy_find_at(l, i, hash)) continue;
        csspgo__map_insert(&l->map, hash, (uint32_t)i + 1);
    }
    return 1;
}

static int csspgo__lazy_contexts(csspgo__bin *b)
{
    struct csspgo_lazy *l = b->lazy;
    csspgo__reader *r = &b->r;
    void *at, *next, *first;
    size_t i, n;
    l->contexts = *r;
    n = csspgo__bin_many(b, 1);
    if (l->context_at != NULL) csspgo__fail(r, CSSPGO_E_UNSUPPORTED, l->contexts.p, "a second table of contexts cannot be read lazily");
    if (r->status != CSSPGO_OK || n == 0) return r->status == CSSPGO_OK;
    if (!csspgo__lazy_table(b, &at, n, 4)) return 0;
    l->context_at = (uint32_t *)at;
    l->ncontexts = n;
    if (!csspgo__lazy_table(b, &next, n, 4)) return 0;
    l->context_next = (uint32_t *)next;
    if (!csspgo__lazy_table(b, &first, l->nnames, 4)) return 0;
    l->first = (uint32_t *)first;
    for (i = 0; i < n; i++) {
        const unsigned char *start = r->p;
        const size_t frames = csspgo__bin_many32(b, 3);
        uint64_t leaf;
        if (r->status == CSSPGO_OK && frames == 0) csspgo__fail(r, CSSPGO_E_SYNTAX, start, "the context is empty");
        if (r->status != CSSPGO_OK) return 0;
        l->context_at[i] = (uint32_t)(start - l->contexts.p);
        csspgo__bin_skip(r, 3 * (frames - 1));
        start = r->p;
        leaf = csspgo__bin_num(r);
        csspgo__bin_skip(r, 2);
        if (r->status != CSSPGO_OK) return 0;
        if (leaf >= l->nnames) return csspgo__bin_bad(b, CSSPGO_E_RANGE, start, "the name table has no entry ", leaf);
        l->context_next[i] = l->first[leaf];
        l->first[leaf] = (uint32_t)i + 1;
    }
    for (i = 0; i < l->nnames; i++) {                 /* in ascending order */
        uint32_t c = l->first[i], before = 0, after;
        for (; c != 0; c = after) {
            after = l->context_next[c - 1];
            l->context_next[c - 1] = before;
            before = c;
        }
        l->first[i] = before;
    }
    return 1;
}

/* The table of functions: offsets from the start of the records that come next in the table of sections. */
static int csspgo__lazy_offsets(csspgo__bin *b, const csspgo__section *records, const csspgo__section *s)
{
    struct csspgo_lazy *l = b->lazy;
    csspgo__reader *r = &b->r;
    size_t n = csspgo__bin_many(b, 2);
    if (l->cs && !(s->flags & CSSPGO__SEC_ORDERED)) {
        csspgo__fail(r, CSSPGO_E_UNSUPPORTED, b->r.p, "a table of functions that is not ordered cannot be read lazily");
        return 0;
    }
    while (n-- != 0) {
        const unsigned char *at = r->p;
        const uint64_t i = csspgo__bin_num(r), offset = csspgo__bin_num(r);
        if (r->status != CSSPGO_OK) return 0;
        if (i >= l->records) return csspgo__bin_bad(b, CSSPGO_E_RANGE, at, "the table of functions names one that there is not: ", i);
        if (offset >= records->size) return csspgo__bin_bad(b, CSSPGO_E_RANGE, at, "the records do not reach to offset ", offset);
        l->record_at[i] = records->offset + offset;
    }
    return r->status == CSSPGO_OK;
}

/* Where the metadata of each function is. */
static int csspgo__lazy_meta(csspgo__bin *b, uint64_t flags)
{
    struct csspgo_lazy *l = b->lazy;
    csspgo__reader *r = &b->r;
    const size_t values = (flags & CSSPGO__SEC_PROBES ? 1u : 0u) + (flags & CSSPGO__SEC_ATTRIBUTES ? 1u : 0u);
    l->meta = *r;
    l->meta_flags = flags;
    if (flags & CSSPGO__SEC_PROBES) l->profile->flags |= CSSPGO_IS_PROBE;
    while (r->p < r->end) {
        const unsigned char *at = r->p;
        const uint64_t i = csspgo__bin_num(r);
        size_t pending = 0;
        if (r->status == CSSPGO_OK && i >= l->records) return csspgo__bin_bad(b, CSSPGO_E_RANGE, at, "metadata of what there is not: ", i);
        csspgo__bin_skip(r, values);
        if (!l->cs) pending = csspgo__bin_many32(b, 4);
        for (; pending != 0 && r->status == CSSPGO_OK; pending--) {
            csspgo__bin_skip(r, 3 + values);
            pending += csspgo__bin_many32(b, 4);
        }
        if (r->status != CSSPGO_OK) return 0;
        l->meta_at[i] = (uint32_t)(at - l->meta.p) + 1;
    }
    return 1;
}

/* Sets b to the content of a section, which must be in the file and not compressed. */
static int csspgo__lazy_section(csspgo__bin *b, const csspgo__section *s, const unsigned char *entry)
{
    const uint64_t size = b->lazy->size;
    const char *what = NULL;
    csspgo_status status = CSSPGO_E_UNSUPPORTED;
    if (s->offset > size || s->size > size - s->offset) {
        what = "a section is not in the file";
        status = CSSPGO_E_TRUNCATED;
    } else if (s->flags & CSSPGO__SEC_COMPRESSED) {
        what = "a compressed section cannot be read lazily";
    } else if (s->size > UINT32_MAX - 1) {
        what = "a section above 4 GiB cannot be read lazily";
    } else if (s->type == CSSPGO__SEC_NAMES && s->flags & CSSPGO__SEC_INDEXED) {
        what = "the indexed name tables of newer LLVM cannot be read";
    } else if (s->type == CSSPGO__SEC_OFFSETS && s->flags & CSSPGO__SEC_INDEXED_OFFS) {
        what = "the indexed function offsets of newer LLVM cannot be read";
    }
    if (what != NULL) csspgo__fail(&b->r, status, entry, what);
    b->r.p = b->r.base + (what == NULL ? s->offset : 0);
    b->r.end = b->r.p + (what == NULL ? s->size : 0);
    return what == NULL;
}

/* The tables that stand for each record; names and contexts are known. */
static int csspgo__lazy_tables(csspgo__bin *b)
{
    struct csspgo_lazy *l = b->lazy;
    void *v;
    l->records = l->cs ? l->ncontexts : l->nnames;
    if (!csspgo__lazy_table(b, &v, l->records, sizeof *l->record_at)) return 0;
    l->record_at = (uint64_t *)v;
    if (!csspgo__lazy_table(b, &v, l->records, sizeof *l->meta_at)) return 0;
    l->meta_at = (uint32_t *)v;
    if (!csspgo__lazy_table(b, &v, l->records, 1)) return 0;
    l->loaded = (unsigned char *)v;
    return 1;
}

/* One kind of sections after the other: summary, names, contexts, table of functions, metadata. */
static int csspgo__lazy_pass(csspgo__bin *b, const unsigned char *table, size_t n, uint64_t type)
{
    size_t i, k;
    for (i = 0; i < n; i++) {
        const csspgo__section s = csspgo__section_at(table, i);
        csspgo__section records;
        int ok = 1;
        if (s.type != type || s.size == 0) continue;
        if (!csspgo__lazy_section(b, &s, table + 32 * i)) return 0;
        switch (type) {
        case CSSPGO__SEC_SUMMARY: ok = csspgo__bin_summary_flags(b, s.flags) && csspgo__bin_summary(b); break;
        case CSSPGO__SEC_NAMES:
            if (s.flags & (CSSPGO__SEC_MD5 | CSSPGO__SEC_FIXED_MD5)) b->q->flags |= CSSPGO_IS_MD5;
            if (!(s.flags & CSSPGO__SEC_UNIQ)) b->q->flags &= ~(uint32_t)CSSPGO_HAS_UNIQ;
            ok = csspgo__lazy_names(b, s.flags);
            break;
        case CSSPGO__SEC_CONTEXTS: ok = csspgo__lazy_contexts(b); break;
        case CSSPGO__SEC_META: ok = csspgo__lazy_meta(b, s.flags); break;
        case CSSPGO__SEC_RECORDS:                     /* the table of functions right before it is for it */
            for (k = i; k != 0 && csspgo__section_at(table, k - 1).type != CSSPGO__SEC_OFFSETS; k--) {}
            if (k == 0) {
                csspgo__fail(&b->r, CSSPGO_E_UNSUPPORTED, table + 32 * i, "without a table of functions nothing can be read lazily");
                return 0;
            }
            records = s;
            {
                const csspgo__section offsets = csspgo__section_at(table, k - 1);
                ok = offsets.size == 0 || (csspgo__lazy_section(b, &offsets, table + 32 * (k - 1)) &&
                                           csspgo__lazy_offsets(b, &records, &offsets));
            }
            break;
        default: break;
        }
        if (!ok) return 0;
    }
    return 1;
}

static int csspgo__lazy_index(csspgo__bin *b)
{
    struct csspgo_lazy *l = b->lazy;
    const unsigned char *table;
    uint64_t n;
    b->q->flags = CSSPGO_HAS_UNIQ;
    if (csspgo__sniff(l->data, l->size) != CSSPGO__FORMAT_EXTBINARY) {
        csspgo__fail(&b->r, CSSPGO_E_UNSUPPORTED, b->r.p, "only ExtBinary profiles can be read lazily");
        return 0;
    }
    if (!csspgo__bin_version(b)) return 0;
    table = b->r.p;
    n = csspgo__u64(&b->r);
    if (b->r.status != CSSPGO_OK) return 0;
    if (n > csspgo__left(&b->r) / 32) return csspgo__bin_bad(b, CSSPGO_E_TRUNCATED, table, "the file cannot hold so many sections: ", n);
    table += 8;
    if (!csspgo__lazy_pass(b, table, (size_t)n, CSSPGO__SEC_SUMMARY)) return 0;
    l->cs = b->cs;
    return csspgo__lazy_pass(b, table, (size_t)n, CSSPGO__SEC_NAMES) && csspgo__lazy_pass(b, table, (size_t)n, CSSPGO__SEC_CONTEXTS) &&
           csspgo__lazy_tables(b) && csspgo__lazy_pass(b, table, (size_t)n, CSSPGO__SEC_RECORDS) &&
           csspgo__lazy_pass(b, table, (size_t)n, CSSPGO__SEC_META);
}

static void csspgo__lazy_bin(csspgo_lazy *l, csspgo__bin *b, csspgo_profile *q, csspgo_error *err)
{
    memset(b, 0, sizeof *b);
    csspgo__reader_init(&b->r, l->data, l->size, err);
    b->lazy = l;
    b->q = q;
    b->cs = l->cs;
    b->lenient = l->heap.lenient != 0;
}

CSSPGO_DEF csspgo_lazy *csspgo_lazy_open(const csspgo_options *options, const void *data, size_t size, csspgo_error *err)
{
    csspgo_lazy *l = (csspgo_lazy *)csspgo__object_new(options, sizeof *l);
    csspgo__bin b;
    if (l == NULL) {
        csspgo__error_plain(err, CSSPGO_E_NOMEM);
        return NULL;
    }
    l->data = (const unsigned char *)data;
    l->size = size;
    l->profile = csspgo_profile_new(options);
    if (l->profile == NULL) {
        csspgo__error_plain(err, CSSPGO_E_NOMEM);
    } else {
        csspgo__lazy_bin(l, &b, l->profile, err);
        if (csspgo__lazy_index(&b)) return l;
    }
    csspgo_lazy_free(l);
    return NULL;
}

CSSPGO_DEF void csspgo_lazy_free(csspgo_lazy *l)
{
    if (l == NULL) return;
    csspgo__map_free(&l->heap, &l->map);
    csspgo__free(&l->heap, l->name_at, (l->nnames + 1) * 4);
    csspgo__free(&l->heap, l->context_at, (l->ncontexts + 1) * 4);
    csspgo__free(&l->heap, l->context_next, (l->ncontexts + 1) * 4);
    csspgo__free(&l->heap, l->first, (l->nnames + 1) * 4);
    csspgo__free(&l->heap, l->record_at, (l->records + 1) * 8);
    csspgo__free(&l->heap, l->meta_at, (l->records + 1) * 4);
    csspgo__free(&l->heap, l->loaded, l->records + 1);
    csspgo_profile_free(l->profile);
    csspgo__object_free(l, sizeof *l);
}

CSSPGO_DEF csspgo_profile *csspgo_lazy_profile(csspgo_lazy *l)
{
    return l->profile;
}

/* The index of a name, or nnames. */
static size_t csspgo__lazy_find(const csspgo_lazy *l, const char *name, size_t size)
{
    const uint64_t guid = l->md5 ? csspgo_guid(name, size) : 0;
    const uint32_t hash = (uint32_t)(l->md5 ? csspgo__hash64(guid, l->heap.seed) : csspgo__hash_bytes(name, size, l->heap.seed));
    uint32_t id, at = hash;
    while ((id = csspgo__map_next(&l->map, hash, &at)) != 0) {
        const char *text = (const char *)l->names.p + l->name_at[id - 1];
        if (l->md5 ? csspgo__lazy_guid(l, id - 1) == guid
                   : strlen(text) == size && memcmp(text, name, size) == 0) return id - 1;
    }
    return l->nnames;
}

/* 1 if context a is a caller of context b, or the same. Both were looked at when the file was opened. */
static int csspgo__lazy_below(const csspgo_lazy *l, size_t a, size_t b)
{
    csspgo__reader x = l->contexts, y = l->contexts;
    uint64_t n, m;
    x.p += l->context_at[a];
    y.p += l->context_at[b];
    n = csspgo__bin_num(&x);
    m = csspgo__bin_num(&y);
    if (n > m) return 0;
    for (; n != 0; n--) {
        if (csspgo__bin_num(&x) != csspgo__bin_num(&y)) return 0;
        if (n == 1) return 1;                         /* where the leaf is left does not matter */
        if (csspgo__bin_num(&x) != csspgo__bin_num(&y) || csspgo__bin_num(&x) != csspgo__bin_num(&y)) return 0;
    }
    return 1;
}

/* Reads record i, and its metadata, into b->q, unless it was loaded before. mark: 2 = being loaded. */
static int csspgo__lazy_record(csspgo__bin *b, size_t i)
{
    csspgo_lazy *l = b->lazy;
    if (l->loaded[i] != 0) return 1;
    l->loaded[i] = 2;
    if (l->record_at[i] == 0) return 1;
    b->r.p = b->r.base + l->record_at[i];
    b->r.end = b->r.base + l->size;
    if (!csspgo__bin_record(b)) return 0;
    if (l->meta_at[i] == 0) return 1;
    b->r.p = l->meta.p + (l->meta_at[i] - 1);
    b->r.end = l->meta.end;
    return csspgo__bin_meta_entry(b, l->meta_flags);
}

/*
 * Record i and, of contexts, all below it: these follow it. A context that is loaded was loaded with all below it, so none
 * is looked at twice.
 */
static int csspgo__lazy_tree(csspgo__bin *b, size_t i)
{
    const csspgo_lazy *l = b->lazy;
    size_t k = i;
    if (!l->cs) return csspgo__lazy_record(b, i);
    if (l->loaded[i] != 0) return 1;
    do {
        if (!csspgo__lazy_record(b, k)) return 0;
    } while (++k < l->records && csspgo__lazy_below(l, i, k));
    return 1;
}

CSSPGO_DEF csspgo_status csspgo_lazy_load(csspgo_lazy *l, const char *name, size_t size, csspgo_error *err)
{
    const size_t name_index = csspgo__lazy_find(l, name, size);
    csspgo_profile *p = l->profile, *q;
    uint64_t *summary = p->summary;
    csspgo_options o;
    csspgo__bin b;
    csspgo_status s;
    size_t i;
    int ok = 1;
    csspgo__error_clear(err);
    if (name_index == l->nnames) return CSSPGO_OK;
    memset(&o, 0, sizeof o);
    o.allocator = l->heap.a;
    o.limits = l->heap.limits;
    o.hash_seed = l->heap.seed;
    o.lenient = l->heap.lenient;
    q = csspgo_profile_new(&o);
    if (q == NULL) return csspgo__error_plain(err, CSSPGO_E_NOMEM);
    q->flags = p->flags;
    csspgo__lazy_bin(l, &b, q, err);
    if (!l->cs) ok = csspgo__lazy_tree(&b, name_index);
    else if (l->first != NULL)
        for (i = l->first[name_index]; ok && i != 0; i = l->context_next[i - 1]) ok = csspgo__lazy_tree(&b, i - 1);
    ok = ok && csspgo__bin_settle(&b);
    s = b.r.status;
    p->summary = NULL;                                /* of the file: it stays */
    if (ok && csspgo_node_count(q) != 0) s = csspgo__error_plain(err, csspgo_add_profile(p, q));
    p->summary = summary;
    for (i = 0; i < l->records; i++)
        if (l->loaded[i] == 2) l->loaded[i] = s == CSSPGO_OK;
    csspgo__free(&q->heap, b.nest, b.nest_cap * sizeof *b.nest);
    csspgo_profile_free(q);
    return s;
}

/* ----- binary out ---------------------------------------------------------------------------------------------------
 *
 * Byte for byte what LLVM 19 writes from a lenient profile. Differences of a strict one: attributes are always kept
 * (LLVM: only with contexts or a pre-inlined profile), GUIDs stay GUIDs without CSSPGO_MD5 (LLVM: their digits become
 * names), the partial mark stays. Metadata entries come in the order of the functions (LLVM: in that of a hash table).
 *
 * The output is put together in a block of memory, because tables at its start say where later parts are.
 */

typedef struct csspgo__blob {
    csspgo__heap  *heap;
    csspgo__sink   sink;          /* writes into data                                */
    unsigned char *data;
    size_t         size, cap;     /* size: where sink.buf begins                     */
} csspgo__blob;

static csspgo_status csspgo__blob_flush(void *ctx, const unsigned char *data, size_t size)
{
    csspgo__blob *m = (csspgo__blob *)ctx;
    void *v;
    (void)data;
    v = csspgo__grow(m->heap, m->data, m->size + size, &m->cap, m->size + size + 4096, 1);
    if (v == NULL) return m->heap->status;
    m->data = (unsigned char *)v;
    m->size += size;
    m->sink.buf = m->data + m->size;
    m->sink.cap = m->cap - m->size;
    return CSSPGO_OK;
}

static csspgo_status csspgo__blob_init(csspgo__blob *m, csspgo__heap *h)
{
    memset(m, 0, sizeof *m);
    m->heap = h;
    m->sink.flush_fn = csspgo__blob_flush;
    m->sink.ctx = m;
    return m->sink.status = csspgo__blob_flush(m, NULL, 0);
}

static void csspgo__blob_free(csspgo__blob *m)
{
    csspgo__free(m->heap, m->data, m->cap);
}

/* Bytes written. */
static size_t csspgo__blob_at(const csspgo__blob *m)
{
    return m->size + m->sink.used;
}

#ifdef CSSPGO_USE_ZLIB
/* Forgets what was written from `at` on. */
static void csspgo__blob_cut(csspgo__blob *m, size_t at)
{
    m->size = at;
    m->sink.buf = m->data + at;
    m->sink.cap = m->cap - at;
    m->sink.used = 0;
}
#endif

typedef struct csspgo__bin_first { /* a function to write, with what is nested in it */
    uint64_t total;
    uint32_t at, node;            /* its place in the order; its node */
} csspgo__bin_first;

static int csspgo__bin_first_cmp(const void *ctx, const void *a, const void *b)
{
    const uint64_t x = ((const csspgo__bin_first *)a)->total, y = ((const csspgo__bin_first *)b)->total;
    (void)ctx;
    return x > y ? -1 : x < y;
}

typedef struct csspgo__bin_rank {
    const uint32_t *rank;         /* of functions, by name */
} csspgo__bin_rank;

/* Call targets by count, largest first, then by name. */
static int csspgo__bin_target_cmp(const void *ctx, const void *a, const void *b)
{
    const uint32_t *rank = ((const csspgo__bin_rank *)ctx)->rank;
    const csspgo_target *x = (const csspgo_target *)a, *y = (const csspgo_target *)b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return rank[x->func.id] < rank[y->func.id] ? -1 : rank[x->func.id] > rank[y->func.id];
}

typedef struct csspgo__bin_out {
    csspgo_profile   *p;
    csspgo_error     *err;
    csspgo__order     order;
    csspgo__blob      blob;
    uint32_t         *index;      /* per function: index in the name table + 1, 0 if it is not used                      */
    uint32_t         *name;       /* the name table: functions                                                          */
    size_t            names;
    uint32_t         *context;    /* per node: index in the table of contexts; then path, scratch for as many nodes      */
    uint32_t         *path;
    csspgo__bin_first *top;       /* the functions to write, in the order of their records; offset: see csspgo__bin_put_offsets */
    uint64_t         *offset;     /* per top: of its record                                                             */
    size_t            tops, contexts;
    size_t            index_bytes, context_bytes, top_bytes;
    csspgo_target    *target;     /* scratch                                                                            */
    size_t            target_cap;
    uint32_t          form;
    int               cs, md5, lenient, probes, attributes;
    int               any_attribute, any_guid;
} csspgo__bin_out;

static csspgo_status csspgo__bin_refuse(csspgo__bin_out *o, const char *what)
{
    return csspgo__error(o->err, CSSPGO_E_UNSUPPORTED, 0, what);
}

/* Marks what the record of a node uses; order.node gives parents first, so a marked frame's callers are marked. */
static void csspgo__bin_use(csspgo__bin_out *o, uint32_t id)
{
    const csspgo_profile *p = o->p;
    const csspgo__node *v = p->tree.node;
    const csspgo__record *r = &p->record[v[id].record];
    const csspgo_target *t = csspgo__target(p, r);
    size_t i;
    for (i = 0; i < csspgo__run_count(r->target); i++) o->index[t[i].func.id] = 1;
    if (r->attributes != 0) o->any_attribute = 1;
    for (; id != CSSPGO__ROOT && o->context[id] == 0; id = v[id].parent) {
        o->context[id] = 1;
        o->index[v[id].func] = 1;
    }
}

/* Name and context indices and the list of functions to write. Returns 0 when memory is exhausted. */
static int csspgo__bin_number(csspgo__bin_out *o)
{
    csspgo_profile *p = o->p;
    const size_t nf = p->names.count + 1, nn = p->tree.count + 1;
    size_t i;
    o->index_bytes = 2 * nf * sizeof *o->index;
    o->context_bytes = 2 * nn * sizeof *o->context;
    o->index = (uint32_t *)csspgo__alloc(&p->heap, o->index_bytes);
    o->context = (uint32_t *)csspgo__alloc(&p->heap, o->context_bytes);
    if (o->index == NULL || o->context == NULL) return 0;
    memset(o->index, 0, o->index_bytes);
    memset(o->context, 0, o->context_bytes);
    o->name = o->index + nf;
    o->path = o->context + nn;
    for (i = 0; i < o->order.nodes; i++) {
        const uint32_t id = o->order.node[i];
        if (p->tree.node[id].record == 0) continue;
        csspgo__bin_use(o, id);
        if (csspgo__site_kind(p->tree.node[id].site) != CSSPGO_INLINEE) o->tops++;
    }
    for (i = 1; i < nf; i++) o->name[o->order.rank[i] - 1] = (uint32_t)i;
    for (i = 0; i + 1 < nf; i++) {
        const uint32_t f = o->name[i];
        if (o->index[f] == 0) continue;
        o->name[o->names++] = f;
        o->index[f] = (uint32_t)o->names;
        if (!(p->names.name[f].flags & CSSPGO__HAS_TEXT)) o->any_guid = 1;
    }
    return 1;
}

/* The functions by total, largest first, then in context order. Returns 0 when memory is exhausted. */
static int csspgo__bin_tops(csspgo__bin_out *o)
{
    csspgo_profile *p = o->p;
    size_t i, n = 0;
    if (o->tops == 0) return 1;
    o->top_bytes = o->tops * (sizeof *o->top + sizeof *o->offset);
    o->top = (csspgo__bin_first *)csspgo__alloc(&p->heap, o->top_bytes);
    if (o->top == NULL) return 0;
    o->offset = (uint64_t *)(void *)(o->top + o->tops);
    for (i = 0; i < o->order.nodes; i++) {
        const uint32_t id = o->order.node[i];
        if (p->tree.node[id].record == 0 || csspgo__site_kind(p->tree.node[id].site) == CSSPGO_INLINEE) continue;
        o->context[id] = (uint32_t)n;
        o->top[n].total = p->record[p->tree.node[id].record].total;
        o->top[n].node = id;
        o->top[n++].at = (uint32_t)i;
    }
    return csspgo__sort(&p->heap, o->top, n, sizeof *o->top, csspgo__bin_first_cmp, NULL);
}

/* A number in ULEB128. */
static void csspgo__bin_put(csspgo__bin_out *o, uint64_t v)
{
    csspgo__sink *s = &o->blob.sink;
    size_t n = s->used;
    if (s->cap - n < 10) {
        csspgo__put_uleb(s, v);
        return;
    }
    for (; v > 127; v >>= 7) s->buf[n++] = (unsigned char)((v & 127) | 128);
    s->buf[n++] = (unsigned char)v;
    s->total += n - s->used;
    s->used = n;
}

static csspgo_status csspgo__bin_put_summary(csspgo__bin_out *o)
{
    csspgo_cutoff c[CSSPGO_CUTOFFS];
    csspgo_summary sum;
    csspgo_status status;
    size_t i;
    csspgo_default_cutoffs(c);
    status = csspgo_summarize(o->p, &sum, c, CSSPGO_CUTOFFS);
    csspgo__bin_put(o, sum.total);
    csspgo__bin_put(o, sum.max_count);
    csspgo__bin_put(o, sum.max_head);
    csspgo__bin_put(o, sum.counts);
    csspgo__bin_put(o, sum.functions);
    csspgo__bin_put(o, CSSPGO_CUTOFFS);
    for (i = 0; i < CSSPGO_CUTOFFS; i++) {
        csspgo__bin_put(o, c[i].ppm);
        csspgo__bin_put(o, c[i].min_count);
        csspgo__bin_put(o, c[i].counts);
    }
    return status;
}

/* A name and its NUL; a GUID as digits. */
static csspgo_status csspgo__bin_put_name(csspgo__bin_out *o, uint32_t func)
{
    csspgo__sink *s = &o->blob.sink;
    size_t n;
    const char *text = csspgo__name_text(&o->p->names, func, &n);
    if (!(o->p->names.name[func].flags & CSSPGO__HAS_TEXT)) {
        csspgo__put_u64(s, o->p->names.name[func].guid);
    } else {
        if (n != 0 && memchr(text, 0, n) != NULL) {
            csspgo__bin_refuse(o, "binary profiles cannot carry a name with a NUL byte: ");
            csspgo__say_bytes(o->err, text, n);
            return CSSPGO_E_UNSUPPORTED;
        }
        csspgo__put(s, text, n);
    }
    csspgo__put_char(s, '\0');
    return CSSPGO_OK;
}

static csspgo_status csspgo__bin_put_names(csspgo__bin_out *o)
{
    csspgo__sink *s = &o->blob.sink;
    csspgo_status status = CSSPGO_OK;
    size_t i;
    csspgo__bin_put(o, o->names);
    for (i = 0; i < o->names && status == CSSPGO_OK; i++) {
        if (o->md5) csspgo__put_u64le(s, csspgo__name_guid(&o->p->names, o->name[i]));
        else status = csspgo__bin_put_name(o, o->name[i]);
    }
    return status;
}

static void csspgo__bin_put_loc(csspgo__bin_out *o, csspgo_loc loc)
{
    csspgo__bin_put(o, loc.line);
    csspgo__bin_put(o, loc.discriminator);
}

/* The n targets of one location: by count, largest first, then by name. *sorted: where they are. */
static csspgo_status csspgo__bin_sort_targets(csspgo__bin_out *o, const csspgo_target *t, size_t n, const csspgo_target **sorted)
{
    csspgo__bin_rank ctx;
    *sorted = t;
    if (n < 2) return CSSPGO_OK;
    if (n > o->target_cap) {
        void *v = csspgo__grow(&o->p->heap, o->target, 0, &o->target_cap, n, sizeof *t);
        if (v == NULL) return o->p->heap.status;
        o->target = (csspgo_target *)v;
    }
    memcpy(o->target, t, n * sizeof *t);
    *sorted = o->target;
    ctx.rank = o->order.rank;
    if (!csspgo__sort(&o->p->heap, o->target, n, sizeof *t, csspgo__bin_target_cmp, &ctx)) return o->p->heap.status;
    return CSSPGO_OK;
}

/* How many inlinees with a record hang below a node. */
static uint32_t csspgo__bin_inlinees(const csspgo_profile *p, uint32_t id)
{
    const csspgo__node *v = p->tree.node;
    uint32_t n = 0;
    for (id = v[id].child; id != 0; id = v[id].sibling)
        if (csspgo__site_kind(v[id].site) == CSSPGO_INLINEE && v[id].record != 0) n++;
    return n;
}

/* What follows the index of a record: total, body, call targets, number of inlinees. */
static csspgo_status csspgo__bin_put_counts(csspgo__bin_out *o, uint32_t id)
{
    const csspgo_profile *p = o->p;
    csspgo__sink *s = &o->blob.sink;
    const csspgo__record *r = &p->record[p->tree.node[id].record];
    const csspgo_body *b = csspgo__body(p, r);
    const csspgo_target *t = csspgo__target(p, r), *sorted;
    const size_t nb = csspgo__run_count(r->body), nt = csspgo__run_count(r->target);
    size_t i, k = 0, j, first;
    csspgo__bin_put(o, r->total);
    csspgo__bin_put(o, nb);
    for (i = 0; i < nb; i++) {
        csspgo_status status;
        for (first = k; k < nt && csspgo__loc_key(t[k].loc) == csspgo__loc_key(b[i].loc); k++) {}
        csspgo__bin_put_loc(o, b[i].loc);
        csspgo__bin_put(o, b[i].count);
        csspgo__bin_put(o, k - first);
        if (k == first) continue;
        status = csspgo__bin_sort_targets(o, t + first, k - first, &sorted);
        if (status != CSSPGO_OK) return status;
        for (j = 0; j < k - first; j++) {
            csspgo__bin_put(o, o->index[sorted[j].func.id] - 1);
            csspgo__bin_put(o, sorted[j].count);
        }
    }
    csspgo__bin_put(o, csspgo__bin_inlinees(p, id));
    return s->status;
}

/* The index that stands for a function that is no inlinee. */
static uint32_t csspgo__bin_top_index(const csspgo__bin_out *o, uint32_t id)
{
    return o->cs ? o->context[id] : o->index[o->p->tree.node[id].func] - 1;
}

/* The next inlinee that is nested in what stands at place `top` of the order, after place *at; 0: there is none. */
static uint32_t csspgo__bin_next(const csspgo__bin_out *o, size_t *at)
{
    const csspgo__node *v = o->p->tree.node;
    while (++*at < o->order.nodes) {
        const uint32_t id = o->order.node[*at];
        if (csspgo__site_kind(v[id].site) != CSSPGO_INLINEE) return 0;
        if (v[id].record != 0) return id;
    }
    return 0;
}

static csspgo_status csspgo__bin_put_record(csspgo__bin_out *o, size_t at)
{
    const csspgo_profile *p = o->p;
    uint32_t id = o->order.node[at];
    csspgo_status status;
    csspgo__bin_put(o, p->record[p->tree.node[id].record].head);
    csspgo__bin_put(o, csspgo__bin_top_index(o, id));
    status = csspgo__bin_put_counts(o, id);
    while (status == CSSPGO_OK && (id = csspgo__bin_next(o, &at)) != 0) {
        csspgo__bin_put_loc(o, csspgo__loc_of(p, p->tree.node[id].site));
        csspgo__bin_put(o, o->index[p->tree.node[id].func] - 1);
        status = csspgo__bin_put_counts(o, id);
    }
    return status;
}

/* Which functions a section has: all, or those that have inlinees, or those that have none. */
enum csspgo__bin_part { CSSPGO__PART_ALL, CSSPGO__PART_NESTED, CSSPGO__PART_FLAT };

static int csspgo__bin_in_part(const csspgo__bin_out *o, size_t top, enum csspgo__bin_part part)
{
    size_t at = o->top[top].at;
    return part == CSSPGO__PART_ALL || (csspgo__bin_next(o, &at) != 0) == (part == CSSPGO__PART_NESTED);
}

static csspgo_status csspgo__bin_put_records(csspgo__bin_out *o, enum csspgo__bin_part part)
{
    const csspgo_profile *p = o->p;
    const size_t start = csspgo__blob_at(&o->blob);
    csspgo_status s = CSSPGO_OK;
    size_t i;
    for (i = 0; i < o->tops && s == CSSPGO_OK; i++) {
        if (i + 12 < o->tops) CSSPGO__PREFETCH(&p->tree.node[o->top[i + 12].node]);
        if (i + 8 < o->tops) CSSPGO__PREFETCH(&p->record[p->tree.node[o->top[i + 8].node].record]);
        if (i + 4 < o->tops) CSSPGO__PREFETCH(csspgo__body(p, &p->record[p->tree.node[o->top[i + 4].node].record]));
        if (!csspgo__bin_in_part(o, i, part)) continue;
        o->offset[i] = csspgo__blob_at(&o->blob) - start;
        s = csspgo__bin_put_record(o, o->top[i].at);
    }
    return s;
}

static void csspgo__bin_put_header(csspgo__bin_out *o, unsigned magic)
{
    csspgo__bin_put(o, CSSPGO__MAGIC | magic);
    csspgo__bin_put(o, CSSPGO__FORMAT_VERSION);
}

static csspgo_status csspgo__bin_write_raw(csspgo__bin_out *o)
{
    csspgo_status s;
    if (o->cs) return csspgo__bin_refuse(o, "raw binary cannot carry contexts");
    if (o->p->flags & CSSPGO_IS_PROBE) return csspgo__bin_refuse(o, "raw binary cannot carry checksums");
    if (!o->lenient && o->any_attribute) return csspgo__bin_refuse(o, "raw binary cannot carry attributes");
    if (!o->lenient && o->any_guid) return csspgo__bin_refuse(o, "raw binary cannot carry a function without a name");
    csspgo__bin_put_header(o, CSSPGO__MAGIC_RAW);
    s = csspgo__bin_put_summary(o);
    if (s == CSSPGO_OK) s = csspgo__bin_put_names(o);
    return s == CSSPGO_OK ? csspgo__bin_put_records(o, CSSPGO__PART_ALL) : s;
}

/* ----- ExtBinary out ------------------------------------------------------------------------------------------------ */

/* The frames of a context, outermost first. Only a twin's leaf has a location. */
static void csspgo__bin_put_context(csspgo__bin_out *o, uint32_t id)
{
    const csspgo__node *v = o->p->tree.node;
    csspgo_loc leaf = csspgo_at(0, 0);
    size_t n = 0;
    if (csspgo__site_kind(v[id].site) == CSSPGO_TWIN) {
        leaf = csspgo__loc_of(o->p, v[id].site);
        id = v[id].parent;
    }
    for (; id != CSSPGO__ROOT; id = v[id].parent) o->path[n++] = id;
    csspgo__bin_put(o, n);
    while (n-- != 0) {
        csspgo__bin_put(o, o->index[v[o->path[n]].func] - 1);
        csspgo__bin_put_loc(o, n != 0 ? csspgo__loc_of(o->p, v[o->path[n - 1]].site) : leaf);
    }
}

static void csspgo__bin_put_contexts(csspgo__bin_out *o)
{
    const csspgo__node *v = o->p->tree.node;
    size_t i;
    csspgo__bin_put(o, o->cs ? o->tops : 0);
    for (i = 0; o->cs && i < o->order.nodes; i++) {
        const uint32_t id = o->order.node[i];
        if (v[id].record != 0 && csspgo__site_kind(v[id].site) != CSSPGO_INLINEE) csspgo__bin_put_context(o, id);
    }
}

/* Where the records are: in the order of contexts, or in that of the records. */
static csspgo_status csspgo__bin_put_offsets(csspgo__bin_out *o, enum csspgo__bin_part part)
{
    csspgo__heap *h = &o->p->heap;
    const size_t bytes = o->tops * sizeof(uint64_t);
    uint64_t *by_context = NULL;
    size_t i, n = 0;
    for (i = 0; i < o->tops; i++) n += (size_t)csspgo__bin_in_part(o, i, part);
    csspgo__bin_put(o, n);
    if (o->cs && n != 0) {
        by_context = (uint64_t *)csspgo__alloc(h, bytes);
        if (by_context == NULL) return h->status;
    }
    for (i = 0; i < o->tops; i++) {
        const uint32_t index = csspgo__bin_top_index(o, o->top[i].node);
        if (!csspgo__bin_in_part(o, i, part)) continue;
        if (o->cs) {
            by_context[index] = o->offset[i];
            continue;
        }
        csspgo__bin_put(o, index);
        csspgo__bin_put(o, o->offset[i]);
    }
    for (i = 0; o->cs && i < n; i++) {
        csspgo__bin_put(o, i);
        csspgo__bin_put(o, by_context[i]);
    }
    csspgo__free(h, by_context, bytes);
    return CSSPGO_OK;
}

/* The names of the symbol list, sorted. */
static csspgo_status csspgo__bin_put_symbols(csspgo__bin_out *o)
{
    csspgo_profile *p = o->p;
    const size_t n = p->names.count, bytes = (n + 1) * sizeof(uint32_t);
    uint32_t *by_rank = (uint32_t *)csspgo__alloc(&p->heap, bytes);
    csspgo_status s = CSSPGO_OK;
    size_t i;
    if (by_rank == NULL) return p->heap.status;
    for (i = 1; i <= n; i++) by_rank[o->order.rank[i]] = (uint32_t)i;
    for (i = 1; i <= n && s == CSSPGO_OK; i++)
        if (p->names.name[by_rank[i]].flags & CSSPGO__LISTED) s = csspgo__bin_put_name(o, by_rank[i]);
    csspgo__free(&p->heap, by_rank, bytes);
    return s;
}

static void csspgo__bin_put_meta(csspgo__bin_out *o, uint32_t id, uint32_t index)
{
    const csspgo__record *r = &o->p->record[o->p->tree.node[id].record];
    csspgo__bin_put(o, index);
    if (o->probes) csspgo__bin_put(o, r->checksum);
    if (o->attributes) csspgo__bin_put(o, r->attributes);
    if (!o->cs) csspgo__bin_put(o, csspgo__bin_inlinees(o->p, id));
}

static void csspgo__bin_put_metadata(csspgo__bin_out *o)
{
    size_t i;
    if (!o->probes && !o->attributes) return;
    for (i = 0; i < o->tops; i++) {
        size_t at = o->top[i].at;
        uint32_t id = o->top[i].node;
        csspgo__bin_put_meta(o, id, csspgo__bin_top_index(o, id));
        while (!o->cs && (id = csspgo__bin_next(o, &at)) != 0) {
            csspgo__bin_put_loc(o, csspgo__loc_of(o->p, o->p->tree.node[id].site));
            csspgo__bin_put_meta(o, id, o->index[o->p->tree.node[id].func] - 1);
        }
    }
}

/* The flags of a section of that type. */
static uint64_t csspgo__bin_flags(const csspgo__bin_out *o, uint64_t type)
{
    const uint32_t is = o->p->flags;
    const uint64_t common = o->form & CSSPGO_COMPRESS ? CSSPGO__SEC_COMPRESSED : 0;
    uint64_t f = common;
    size_t i, k, n;
    switch (type) {
    case CSSPGO__SEC_SUMMARY:
        if (o->form & CSSPGO_PARTIAL || (is & CSSPGO_IS_PARTIAL && !o->lenient)) f |= CSSPGO__SEC_PARTIAL;
        if (o->cs) f |= CSSPGO__SEC_CS;
        if (is & CSSPGO_IS_FS) f |= CSSPGO__SEC_FS;
        if (is & CSSPGO_IS_PREINLINED) f |= CSSPGO__SEC_PREINLINED;
        return f;
    case CSSPGO__SEC_NAMES:
        if (o->md5) return f | CSSPGO__SEC_MD5 | CSSPGO__SEC_FIXED_MD5;
        for (i = 0; i < o->names; i++) {
            const char *text = csspgo__name_text(&o->p->names, o->name[i], &n);
            for (k = 0; k + 8 <= n; k++)
                if (text[k] == '.' && memcmp(text + k, ".__uniq.", 8) == 0) return f | CSSPGO__SEC_UNIQ;
        }
        return f;
    case CSSPGO__SEC_OFFSETS: return o->cs ? f | CSSPGO__SEC_ORDERED : f;
    case CSSPGO__SEC_META:
        if (o->probes) f |= CSSPGO__SEC_PROBES;
        return o->attributes ? f | CSSPGO__SEC_ATTRIBUTES : f;
    default: return f;
    }
}

#ifdef CSSPGO_USE_ZLIB
/* Replaces what was written from `start` on by its deflated form. An empty section stays empty. */
static csspgo_status csspgo__bin_deflate(csspgo__bin_out *o, size_t start)
{
    csspgo__heap *h = &o->p->heap;
    csspgo__blob *m = &o->blob;
    const size_t size = csspgo__blob_at(m) - start, piece = 1u << 30;
    size_t cap = 0, have = 0, at = 0;
    unsigned char *out = NULL;
    z_stream z;
    int s = Z_OK;
    if (size == 0 || m->sink.status != CSSPGO_OK) return m->sink.status;
    csspgo__z_init(&z, h);
    if (deflateInit(&z, 9) != Z_OK) return h->status;
    while (s == Z_OK) {
        const size_t fed = size - at < piece ? size - at : piece;
        size_t room;
        if (have == cap) {
            void *v = csspgo__grow(h, out, have, &cap, have + size / 4 + 64, 1);
            if (v == NULL) break;
            out = (unsigned char *)v;
        }
        room = cap - have < piece ? cap - have : piece;
        csspgo__z_input(&z, m->data + start + at, fed);
        z.next_out = out + have;
        z.avail_out = (uInt)room;
        s = deflate(&z, at + fed == size ? Z_FINISH : Z_NO_FLUSH);
        at += fed - z.avail_in;
        have += room - z.avail_out;
    }
    deflateEnd(&z);
    if (s == Z_STREAM_END) {
        csspgo__blob_cut(m, start);
        csspgo__put_uleb(&m->sink, size);
        csspgo__put_uleb(&m->sink, have);
        csspgo__put(&m->sink, out, have);
    }
    csspgo__free(h, out, cap);
    return s == Z_STREAM_END ? m->sink.status : h->status;
}
#endif

static csspgo_status csspgo__bin_put_section(csspgo__bin_out *o, uint64_t type, enum csspgo__bin_part part)
{
    switch (type) {
    case CSSPGO__SEC_SUMMARY: return csspgo__bin_put_summary(o);
    case CSSPGO__SEC_NAMES: return csspgo__bin_put_names(o);
    case CSSPGO__SEC_CONTEXTS: csspgo__bin_put_contexts(o); break;
    case CSSPGO__SEC_RECORDS: return csspgo__bin_put_records(o, part);
    case CSSPGO__SEC_OFFSETS: return csspgo__bin_put_offsets(o, part);
    case CSSPGO__SEC_SYMBOLS: return csspgo__bin_put_symbols(o);
    default: csspgo__bin_put_metadata(o); break;
    }
    return CSSPGO_OK;
}

typedef struct csspgo__bin_slot { /* a section to write: in the order of the bytes; slot: its place in the table */
    unsigned char type, part, slot;
} csspgo__bin_slot;

/* Sections in the order in which their bytes stand; the table has them in another one. */
static csspgo_status csspgo__bin_put_sections(csspgo__bin_out *o, const csspgo__bin_slot *v, size_t n)
{
    csspgo__section table[8];
    csspgo__sink patch;
    csspgo_status s = CSSPGO_OK;
    size_t i, header;
    csspgo__bin_put_header(o, CSSPGO__MAGIC_EXT);
    csspgo__put_u64le(&o->blob.sink, n);
    header = csspgo__blob_at(&o->blob);
    for (i = 0; i < 4 * n; i++) csspgo__put_u64le(&o->blob.sink, 0);
    for (i = 0; i < n && s == CSSPGO_OK; i++) {
        csspgo__section *t = &table[v[i].slot];
        t->type = v[i].type;
        t->flags = csspgo__bin_flags(o, t->type) | (v[i].part == CSSPGO__PART_FLAT ? CSSPGO__SEC_FLAT : 0);
        t->offset = csspgo__blob_at(&o->blob);
        s = csspgo__bin_put_section(o, t->type, (enum csspgo__bin_part)v[i].part);
#ifdef CSSPGO_USE_ZLIB
        if (s == CSSPGO_OK && o->form & CSSPGO_COMPRESS) s = csspgo__bin_deflate(o, (size_t)t->offset);
#endif
        t->size = csspgo__blob_at(&o->blob) - t->offset;
        if (s == CSSPGO_OK) s = o->blob.sink.status;
    }
    if (s != CSSPGO_OK) return s;
    csspgo__sink_buffer(&patch, o->blob.data + header, 32 * n);
    for (i = 0; i < n; i++) {
        csspgo__put_u64le(&patch, table[i].type);
        csspgo__put_u64le(&patch, table[i].flags);
        csspgo__put_u64le(&patch, table[i].offset);
        csspgo__put_u64le(&patch, table[i].size);
    }
    return CSSPGO_OK;
}

static csspgo_status csspgo__bin_write_ext(csspgo__bin_out *o)
{
    static const csspgo__bin_slot normal[7] = {
        { CSSPGO__SEC_SUMMARY, CSSPGO__PART_ALL, 0 },  { CSSPGO__SEC_NAMES, CSSPGO__PART_ALL, 1 },
        { CSSPGO__SEC_CONTEXTS, CSSPGO__PART_ALL, 2 }, { CSSPGO__SEC_RECORDS, CSSPGO__PART_ALL, 4 },
        { CSSPGO__SEC_SYMBOLS, CSSPGO__PART_ALL, 5 },  { CSSPGO__SEC_OFFSETS, CSSPGO__PART_ALL, 3 },
        { CSSPGO__SEC_META, CSSPGO__PART_ALL, 6 }
    };
    static const csspgo__bin_slot split[8] = {
        { CSSPGO__SEC_SUMMARY, CSSPGO__PART_ALL, 0 },    { CSSPGO__SEC_NAMES, CSSPGO__PART_ALL, 1 },
        { CSSPGO__SEC_RECORDS, CSSPGO__PART_NESTED, 3 }, { CSSPGO__SEC_OFFSETS, CSSPGO__PART_NESTED, 2 },
        { CSSPGO__SEC_RECORDS, CSSPGO__PART_FLAT, 5 },   { CSSPGO__SEC_OFFSETS, CSSPGO__PART_FLAT, 4 },
        { CSSPGO__SEC_SYMBOLS, CSSPGO__PART_ALL, 6 },    { CSSPGO__SEC_META, CSSPGO__PART_ALL, 7 }
    };
#ifndef CSSPGO_USE_ZLIB
    if (o->form & CSSPGO_COMPRESS)
        return csspgo__bin_refuse(o, "compressed sections need zlib support (CSSPGO_USE_ZLIB), which is left out");
#endif
    if (o->form & CSSPGO_SPLIT && o->cs) return csspgo__bin_refuse(o, "the split layout cannot carry contexts");
    o->md5 = (o->form & CSSPGO_MD5) != 0 || (!o->lenient && (o->any_guid || o->p->flags & CSSPGO_IS_MD5));
    o->probes = (o->p->flags & CSSPGO_IS_PROBE) != 0;
    o->attributes = o->cs || o->p->flags & CSSPGO_IS_PREINLINED || (!o->lenient && o->any_attribute);
    return o->form & CSSPGO_SPLIT ? csspgo__bin_put_sections(o, split, 8) : csspgo__bin_put_sections(o, normal, 7);
}

/* ----- GCC AutoFDO out ---------------------------------------------------------------------------------------------- */

static void csspgo__gcc_put(csspgo__bin_out *o, uint32_t v)
{
    unsigned char b[4];
    size_t i;
    for (i = 0; i < 4; i++) b[i] = (unsigned char)(v >> 8 * i & 255);
    csspgo__put(&o->blob.sink, b, 4);
}

static csspgo_status csspgo__gcc_put_loc(csspgo__bin_out *o, csspgo_loc loc)
{
    csspgo__gcc_put(o, (loc.line & 0xffff) << 16 | (loc.discriminator & 0xffff));
    if (loc.line <= 0xffff && loc.discriminator <= 0xffff) return CSSPGO_OK;
    csspgo__bin_refuse(o, "GCC's profiles cannot carry a discriminator above 65535: ");
    csspgo__say_u64(o->err, loc.discriminator);
    return CSSPGO_E_UNSUPPORTED;
}

/* In words, padded; or in bytes. The length counts the NUL. */
static csspgo_status csspgo__gcc_put_name(csspgo__bin_out *o, const char *text, size_t n)
{
    const size_t padded = o->form & CSSPGO_GCC ? n + 1 : (n + 4) / 4 * 4;
    size_t i;
    if (n != 0 && memchr(text, 0, n) != NULL) {
        csspgo__bin_refuse(o, "GCC's profiles cannot carry a name with a NUL byte: ");
        csspgo__say_bytes(o->err, text, n);
        return CSSPGO_E_UNSUPPORTED;
    }
    csspgo__gcc_put(o, (uint32_t)(o->form & CSSPGO_GCC ? padded : padded / 4));
    csspgo__put(&o->blob.sink, text, n);
    for (i = n; i < padded; i++) csspgo__put_char(&o->blob.sink, '\0');
    return CSSPGO_OK;
}

/* Name 0 is the empty one, as in AutoFDO's files, so that function i of the name table is i + 1: o->index. */
static csspgo_status csspgo__gcc_put_names(csspgo__bin_out *o)
{
    csspgo_status s = CSSPGO_OK;
    const size_t at = csspgo__blob_at(&o->blob) + 4;
    size_t i, n, words;
    csspgo__gcc_put(o, (uint32_t)CSSPGO__GCC_NAMES << 24);
    csspgo__gcc_put(o, 0);
    csspgo__gcc_put(o, (uint32_t)o->names + 1);
    s = csspgo__gcc_put_name(o, "", 0);
    for (i = 0; i < o->names && s == CSSPGO_OK; i++) {
        const char *text = csspgo__name_text(&o->p->names, o->name[i], &n);
        s = csspgo__gcc_put_name(o, text, n);
    }
    if (s == CSSPGO_OK) s = o->blob.sink.status;
    if (s != CSSPGO_OK) return s;
    words = (csspgo__blob_at(&o->blob) - at - 4 + 3) / 4;
    for (i = 0; i < 4; i++) o->blob.data[at + i] = (unsigned char)(words >> 8 * i & 255);
    return CSSPGO_OK;
}

/* What follows the head count or the location of a record. */
static csspgo_status csspgo__gcc_put_counts(csspgo__bin_out *o, uint32_t id)
{
    const csspgo_profile *p = o->p;
    const csspgo__record *r = &p->record[p->tree.node[id].record];
    const csspgo_body *b = csspgo__body(p, r);
    const csspgo_target *t = csspgo__target(p, r), *sorted;
    const size_t nb = csspgo__run_count(r->body), nt = csspgo__run_count(r->target);
    size_t i, j, k = 0, first;
    csspgo_status s = CSSPGO_OK;
    csspgo__gcc_put(o, o->index[p->tree.node[id].func]);
    csspgo__gcc_put(o, (uint32_t)nb);
    csspgo__gcc_put(o, csspgo__bin_inlinees(p, id));
    for (i = 0; i < nb && s == CSSPGO_OK; i++) {
        for (first = k; k < nt && csspgo__loc_key(t[k].loc) == csspgo__loc_key(b[i].loc); k++) {}
        s = csspgo__gcc_put_loc(o, b[i].loc);
        csspgo__gcc_put(o, (uint32_t)(k - first));
        csspgo__put_u64le(&o->blob.sink, b[i].count);
        if (k == first || s != CSSPGO_OK) continue;
        s = csspgo__bin_sort_targets(o, t + first, k - first, &sorted);
        for (j = 0; s == CSSPGO_OK && j < k - first; j++) {
            csspgo__gcc_put(o, 7);
            csspgo__put_u64le(&o->blob.sink, o->index[sorted[j].func.id]);
            csspgo__put_u64le(&o->blob.sink, sorted[j].count);
        }
    }
    return s;
}

static csspgo_status csspgo__gcc_put_function(csspgo__bin_out *o, size_t at)
{
    const csspgo_profile *p = o->p;
    uint32_t id = o->order.node[at];
    csspgo_status s;
    csspgo__put_u64le(&o->blob.sink, p->record[p->tree.node[id].record].head);
    s = csspgo__gcc_put_counts(o, id);
    while (s == CSSPGO_OK && (id = csspgo__bin_next(o, &at)) != 0) {
        s = csspgo__gcc_put_loc(o, csspgo__loc_of(p, p->tree.node[id].site));
        if (s == CSSPGO_OK) s = csspgo__gcc_put_counts(o, id);
    }
    return s != CSSPGO_OK ? s : o->blob.sink.status;
}

/* Functions by total, bodies by location, targets by count; an empty section of modules, which GCC wants. */
static csspgo_status csspgo__bin_write_gcc(csspgo__bin_out *o)
{
    csspgo_status s;
    size_t at, i, words;
    if (o->cs) return csspgo__bin_refuse(o, "GCC's profiles cannot carry contexts");
    if (o->p->flags & CSSPGO_IS_PROBE) return csspgo__bin_refuse(o, "GCC's profiles cannot carry checksums");
    if (o->any_attribute) return csspgo__bin_refuse(o, "GCC's profiles cannot carry attributes");
    if (o->any_guid) return csspgo__bin_refuse(o, "GCC's profiles cannot carry a function without a name");
    csspgo__put(&o->blob.sink, "adcg", 4);
    csspgo__gcc_put(o, o->form & CSSPGO_GCC ? 2 : 0x3430372a);
    csspgo__gcc_put(o, 0);
    s = csspgo__gcc_put_names(o);
    csspgo__gcc_put(o, (uint32_t)CSSPGO__GCC_FUNCTIONS << 24);
    at = csspgo__blob_at(&o->blob);
    csspgo__gcc_put(o, 0);
    csspgo__gcc_put(o, (uint32_t)o->tops);
    for (i = 0; i < o->tops && s == CSSPGO_OK; i++) s = csspgo__gcc_put_function(o, o->top[i].at);
    if (s == CSSPGO_OK) s = o->blob.sink.status;
    if (s != CSSPGO_OK) return s;
    words = (csspgo__blob_at(&o->blob) - at - 4 + 3) / 4;
    for (i = 0; i < 4; i++) o->blob.data[at + i] = (unsigned char)(words >> 8 * i & 255);
    csspgo__gcc_put(o, (uint32_t)CSSPGO__GCC_MODULES << 24);
    csspgo__gcc_put(o, 1);
    csspgo__gcc_put(o, 0);
    return o->blob.sink.status;
}

/* ----- any binary form out ------------------------------------------------------------------------------------------ */

/* 1 if the form exists and what is added to it belongs to it. */
static int csspgo__bin_form_ok(uint32_t form)
{
    const uint32_t added = form & ~(uint32_t)0xff;
    switch (form & 0xff) {
    case CSSPGO_BINARY: return added == 0;
    case CSSPGO_EXTBINARY:
        return (added & ~(uint32_t)(CSSPGO_COMPRESS | CSSPGO_MD5 | CSSPGO_SPLIT | CSSPGO_PARTIAL)) == 0;
    case CSSPGO_GCOV: return (added & ~(uint32_t)CSSPGO_GCC) == 0;
    default: return 0;
    }
}

static csspgo_status csspgo__bin_write(csspgo__bin_out *o)
{
    const csspgo__node *v = o->p->tree.node;
    size_t i;
    if (!csspgo__bin_number(o) || !csspgo__bin_tops(o)) return o->p->heap.status;
    for (i = 0; i < o->tops && !o->lenient; i++)
        if ((csspgo__site_kind(v[o->top[i].node].site) == CSSPGO_PLAIN) == o->cs)
            return csspgo__bin_refuse(o, "binary forms cannot carry functions with contexts and without in one profile");
    switch (o->form & 0xff) {
    case CSSPGO_BINARY: return csspgo__bin_write_raw(o);
    case CSSPGO_EXTBINARY: return csspgo__bin_write_ext(o);
    default: return csspgo__bin_write_gcc(o);
    }
}

static csspgo_status csspgo__binary_write(csspgo_profile *p, uint32_t form, csspgo__sink *sink, csspgo_error *err)
{
    csspgo__heap *h = &p->heap;
    csspgo__bin_out o;
    csspgo_error own;
    csspgo_status s;
    if (!csspgo__bin_form_ok(form)) {
        csspgo__error(err, CSSPGO_E_ARGUMENT, 0, "unknown form ");
        csspgo__say_u64(err, form);
        return CSSPGO_E_ARGUMENT;
    }
    memset(&o, 0, sizeof o);
    memset(&own, 0, sizeof own);
    o.p = p;
    o.err = err != NULL ? err : &own;
    o.form = form;
    o.lenient = h->lenient != 0;
    o.cs = (p->flags & CSSPGO_IS_CS) != 0;
    s = csspgo__blob_init(&o.blob, h);
    if (s == CSSPGO_OK) s = csspgo__order_make(p, &o.order);
    if (s == CSSPGO_OK) s = csspgo__bin_write(&o);
    if (s == CSSPGO_OK) s = o.blob.sink.status;
    if (s == CSSPGO_OK) csspgo__put(sink, o.blob.data, csspgo__blob_at(&o.blob));
    csspgo__free(h, o.index, o.index_bytes);
    csspgo__free(h, o.context, o.context_bytes);
    csspgo__free(h, o.top, o.top_bytes);
    csspgo__free(h, o.target, o.target_cap * sizeof *o.target);
    if (o.order.rank != NULL) csspgo__order_free(p, &o.order);
    csspgo__blob_free(&o.blob);
    if (s != CSSPGO_OK && o.err->status == CSSPGO_OK) csspgo__error_plain(err, s);
    return s;
}

#endif /* CSSPGO_NO_FORMAT */

/* ===== >>code ===================================================================================================== */

#ifndef CSSPGO_NO_CODE

/*
 * Every byte of code ever added has a position: a 32-bit number in one space that all modules share and that is never
 * used twice. Positions ascend with the address inside an area. Everything that counts code counts positions, so a
 * calling context, a range or a cached sample stays right when its code is unmapped or replaced.
 */
enum { CSSPGO__NOWHERE = 0, CSSPGO__EXT = 1, CSSPGO__FIRST_POS = 16 };   /* CSSPGO__EXT: all that is not known code */

/* One byte per position: bit 0 an instruction starts here, 1-3 its kind, 4-7 bytes back to the call that ends here. */
enum { CSSPGO__START = 1, CSSPGO__KIND_SHIFT = 1, CSSPGO__CALL_SHIFT = 4, CSSPGO__CALL_FAR = 15 };

typedef struct csspgo__area {     /* code added in one piece; in order of position       */
    uint64_t address, size;       /* link-time address, run-time address for a JIT       */
    uint32_t pos, module;
    uint32_t bytewise, reserved;  /* bytewise: every byte counts as an instruction       */
} csspgo__area;

typedef struct csspgo__window {   /* where an area is mapped now; in order of begin       */
    uint64_t begin, size;
    uint32_t pos, module;
} csspgo__window;

typedef struct csspgo__module {
    uint64_t base, bias;          /* first executable segment rounded down to a page; run-time - link-time address */
    uint64_t base_offset;         /* file offset of that segment, rounded down                                     */
    uint32_t segment, segments;   /* its part of csspgo_code.segment                                               */
    uint32_t name;                /* id in csspgo_code.paths                                                       */
    uint32_t mapped;              /* a mapping event or csspgo_code_map said where it is                           */
} csspgo__module;

typedef struct csspgo__transfer {
    uint64_t target;              /* link-time address of a direct transfer, 0 = unknown  */
    uint32_t pos, kind;
} csspgo__transfer;

typedef struct csspgo__range {    /* [begin, end) of a function                           */
    uint32_t begin, end, func;    /* func: id in csspgo_code.names                        */
    uint32_t part;                /* 1: not the function's entry                          */
} csspgo__range;

typedef struct csspgo__inline {   /* inline tree node; node[0] unused                     */
    uint32_t func, parent, site;
    uint32_t top;                 /* outermost ancestor, itself at top level              */
    uint32_t first, count;        /* its probes                                           */
} csspgo__inline;

typedef struct csspgo__probe {    /* grouped by node, in section order within it          */
    uint32_t pos, id, discriminator, node;   /* pos 0: not in known code                  */
    uint32_t kind;
} csspgo__probe;

struct csspgo_code {
    csspgo__heap      heap;       /* first: csspgo__object_new */
    csspgo__names     names;      /* functions, by GUID        */
    csspgo__names     paths;      /* file names of modules     */
    uint64_t         *checksum;   /* per function              */
    size_t            checksum_cap;
    unsigned char    *byte;       /* per position              */
    size_t            bytes, byte_cap;
    csspgo__area     *area;
    csspgo__window   *window;
    csspgo__module   *module;
    csspgo_segment   *segment;
    csspgo__transfer *transfer;   /* calls, jumps, returns; in order of pos once settled                 */
    uint32_t         *stop;       /* positions of calls, direct jumps and returns; likewise              */
    csspgo__range    *range;      /* likewise, by begin                                                  */
    csspgo__inline   *node;
    csspgo__probe    *probe;
    uint32_t         *by_pos;     /* indices of probes, always by (pos, index)                           */
    csspgo__transfer *far_call;   /* kind = positions back to the call, where 4 bits are too few; by pos */
    size_t areas, area_cap, windows, window_cap, modules, module_cap, segments, segment_cap, transfers, transfer_cap;
    size_t stops, stop_cap, ranges, range_cap, nodes, node_cap, probes, probe_cap, by_poss, by_pos_cap;
    size_t far_calls, far_call_cap;
    size_t settled_transfers, settled_stops, settled_ranges;   /* in order up to there                   */
    uint32_t last_end;            /* above all ranges                                                    */
    int      dirty;               /* csspgo__code_settle has something to do                             */
};

CSSPGO_DEF csspgo_module csspgo_no_module(void)
{
    csspgo_module m;
    m.id = 0;
    return m;
}

CSSPGO_DEF csspgo_code *csspgo_code_new(const csspgo_options *options)
{
    csspgo_code *c = (csspgo_code *)csspgo__object_new(options, sizeof *c);
    if (c == NULL) return NULL;
    c->byte = (unsigned char *)csspgo__grow(&c->heap, NULL, 0, &c->byte_cap, CSSPGO__FIRST_POS, 1);
    if (c->byte == NULL) {
        csspgo_code_free(c);
        return NULL;
    }
    memset(c->byte, 0, CSSPGO__FIRST_POS);
    c->bytes = CSSPGO__FIRST_POS;
    return c;
}

CSSPGO_DEF void csspgo_code_free(csspgo_code *c)
{
    if (c == NULL) return;
    csspgo__names_free(&c->heap, &c->names);
    csspgo__names_free(&c->heap, &c->paths);
    csspgo__free(&c->heap, c->checksum, c->checksum_cap * sizeof *c->checksum);
    csspgo__free(&c->heap, c->byte, c->byte_cap);
    csspgo__free(&c->heap, c->area, c->area_cap * sizeof *c->area);
    csspgo__free(&c->heap, c->window, c->window_cap * sizeof *c->window);
    csspgo__free(&c->heap, c->module, c->module_cap * sizeof *c->module);
    csspgo__free(&c->heap, c->segment, c->segment_cap * sizeof *c->segment);
    csspgo__free(&c->heap, c->transfer, c->transfer_cap * sizeof *c->transfer);
    csspgo__free(&c->heap, c->stop, c->stop_cap * sizeof *c->stop);
    csspgo__free(&c->heap, c->range, c->range_cap * sizeof *c->range);
    csspgo__free(&c->heap, c->node, c->node_cap * sizeof *c->node);
    csspgo__free(&c->heap, c->probe, c->probe_cap * sizeof *c->probe);
    csspgo__free(&c->heap, c->by_pos, c->by_pos_cap * sizeof *c->by_pos);
    csspgo__free(&c->heap, c->far_call, c->far_call_cap * sizeof *c->far_call);
    csspgo__object_free(c, sizeof *c);
}

/* ----- looking up ---------------------------------------------------------------------------------------------------- */

/* Index of the last window that begins at or before address, or 0. There is at least one window. */
static size_t csspgo__window_at(const csspgo_code *c, uint64_t address)
{
    const csspgo__window *w = c->window;
    size_t n = c->windows;
    while (n > 1) {
        const size_t half = n / 2;
        if (w[half].begin <= address) w += half;
        n -= half;
    }
    return (size_t)(w - c->window);
}

/* Position of a run-time address, whether an instruction starts there or not; 0 if it is not in known code. */
static uint32_t csspgo__pos_any(const csspgo_code *c, uint64_t address)
{
    const csspgo__window *w;
    if (c->windows == 0) return 0;
    w = &c->window[csspgo__window_at(c, address)];
    return address - w->begin < w->size ? w->pos + (uint32_t)(address - w->begin) : 0;
}

/* Position of the instruction at a run-time address, or CSSPGO__EXT. */
CSSPGO__UNUSED static uint32_t csspgo__pos(const csspgo_code *c, uint64_t address)
{
    const uint32_t pos = csspgo__pos_any(c, address);
    return c->byte[pos] & CSSPGO__START ? pos : (uint32_t)CSSPGO__EXT;
}

static const csspgo__area *csspgo__area_of(const csspgo_code *c, uint32_t pos)
{
    size_t a = 0, b = c->areas;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (c->area[m].pos <= pos) a = m + 1;
        else b = m;
    }
    return a != 0 && pos - c->area[a - 1].pos < c->area[a - 1].size ? &c->area[a - 1] : NULL;
}

/* The link-time address of a position (run-time address for a JIT); CSSPGO__EXT and 0 stay what they are. */
CSSPGO__UNUSED static uint64_t csspgo__address_of(const csspgo_code *c, uint32_t pos)
{
    const csspgo__area *a = csspgo__area_of(c, pos);
    return a != NULL ? a->address + (pos - a->pos) : pos <= CSSPGO__EXT ? pos : 0;
}

static uint32_t csspgo__module_of(const csspgo_code *c, uint32_t pos)
{
    const csspgo__area *a = csspgo__area_of(c, pos);
    return a != NULL ? a->module : 0;
}

/* Position of an address in the tables of a module (of a JIT's live code for module 0); 0 if there is none. */
static uint32_t csspgo__pos_in(const csspgo_code *c, uint32_t module, uint64_t address)
{
    const uint64_t bias = module != 0 ? c->module[module].bias : 0;
    const uint32_t pos = csspgo__pos_any(c, address + bias);
    return pos != 0 && csspgo__module_of(c, pos) == module ? pos : 0;
}

static csspgo_kind csspgo__kind(const csspgo_code *c, uint32_t pos)
{
    return (csspgo_kind)(c->byte[pos] >> CSSPGO__KIND_SHIFT & 7);
}

/* Position of the call instruction after which pos is the next one; 0 if there is none. CSSPGO__EXT gives 0. */
static uint32_t csspgo__call_before(const csspgo_code *c, uint32_t pos)
{
    const uint32_t back = (uint32_t)c->byte[pos] >> CSSPGO__CALL_SHIFT;
    size_t a = 0, b = c->far_calls;
    if (back != CSSPGO__CALL_FAR) return back != 0 ? pos - back : 0;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (c->far_call[m].pos < pos) a = m + 1;
        else b = m;
    }
    return pos - (a < c->far_calls && c->far_call[a].pos == pos ? c->far_call[a].kind : (uint32_t)CSSPGO__CALL_FAR);
}

/* The next instruction start above pos, the last one below it; 0 if there is none within 16 bytes. */
static uint32_t csspgo__next_start(const csspgo_code *c, uint32_t pos)
{
    uint32_t q;
    for (q = pos + 1; q <= pos + 16 && q < c->bytes; q++)
        if (c->byte[q] & CSSPGO__START) return q;
    return 0;
}

static uint32_t csspgo__previous_start(const csspgo_code *c, uint32_t pos)
{
    uint32_t q;
    for (q = pos - 1; q + 16 >= pos && q >= CSSPGO__FIRST_POS; q--)
        if (c->byte[q] & CSSPGO__START) return q;
    return 0;
}

/* The function range that contains pos, or NULL. */
static const csspgo__range *csspgo__range_of(const csspgo_code *c, uint32_t pos)
{
    size_t a = 0, b = c->ranges;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (c->range[m].begin <= pos) a = m + 1;
        else b = m;
    }
    return a != 0 && pos < c->range[a - 1].end ? &c->range[a - 1] : NULL;
}

/*
 * 1 if a frame-pointer stack walk that starts at pos may miss the caller: the first two instructions of a function range,
 * a return and the instruction before it. Where instructions are not known: the first 4 bytes, and a byte before a return.
 */
CSSPGO__UNUSED static int csspgo__leaf_unsafe(const csspgo_code *c, uint32_t pos)
{
    const csspgo__area *a = csspgo__area_of(c, pos);
    const csspgo__range *r;
    uint32_t next;
    if (a == NULL) return 0;
    if (csspgo__kind(c, pos) == CSSPGO_RET) return 1;
    next = csspgo__next_start(c, pos);
    if (next != 0 && csspgo__kind(c, next) == CSSPGO_RET) return 1;
    r = csspgo__range_of(c, pos);
    if (r != NULL && (a->bytewise ? pos - r->begin < 4 : pos == r->begin)) return 1;
    if (a->bytewise) return 0;
    next = csspgo__previous_start(c, pos);
    r = next != 0 ? csspgo__range_of(c, next) : NULL;
    return r != NULL && r->begin == next;
}

/* 1 if code can run straight from start to the instruction at end: no call, return or direct jump in [start, end). */
CSSPGO__UNUSED static int csspgo__runs_straight(const csspgo_code *c, uint32_t start, uint32_t end)
{
    size_t a = 0, b = c->stops;
    if (start > end) return 0;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (c->stop[m] < start) a = m + 1;
        else b = m;
    }
    return a == c->stops || c->stop[a] >= end;
}

/* The first of the probes at pos in by_pos order, and their number. */
static const uint32_t *csspgo__probes_at(const csspgo_code *c, uint32_t pos, size_t *count)
{
    size_t a = 0, b = c->by_poss, e;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (c->probe[c->by_pos[m]].pos < pos) a = m + 1;
        else b = m;
    }
    for (e = a; e < c->by_poss && c->probe[c->by_pos[e]].pos == pos; e++) {}
    *count = e - a;
    return c->by_pos + a;
}

/* ----- order --------------------------------------------------------------------------------------------------------- */

static int csspgo__transfer_cmp(const void *ctx, const void *a, const void *b)
{
    const uint32_t x = ((const csspgo__transfer *)a)->pos, y = ((const csspgo__transfer *)b)->pos;
    (void)ctx;
    return x < y ? -1 : x > y;
}

static int csspgo__u32_cmp(const void *ctx, const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    (void)ctx;
    return x < y ? -1 : x > y;
}

static int csspgo__range_cmp(const void *ctx, const void *a, const void *b)
{
    const uint32_t x = ((const csspgo__range *)a)->begin, y = ((const csspgo__range *)b)->begin;
    (void)ctx;
    return x < y ? -1 : x > y;
}

static int csspgo__by_pos_cmp(const void *ctx, const void *a, const void *b)
{
    const csspgo__probe *v = (const csspgo__probe *)ctx;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (v[x].pos != v[y].pos) return v[x].pos < v[y].pos ? -1 : 1;
    return x < y ? -1 : x > y;
}

/*
 * Puts a list in order whose first *settled elements are: what was appended since, and all of it only if that does not
 * belong behind them. A JIT's fresh code does. Returns 0 when memory is exhausted.
 */
static int csspgo__settle_list(csspgo__heap *h, void *list, size_t n, size_t *settled, size_t elem, csspgo__cmp_fn cmp,
                               const void *ctx)
{
    unsigned char *tail;
    if (n == *settled) return 1;
    tail = (unsigned char *)list + *settled * elem;
    if (!csspgo__sort(h, tail, n - *settled, elem, cmp, ctx)) return 0;
    if (*settled != 0 && cmp(ctx, tail - elem, tail) > 0 && !csspgo__sort(h, list, n, elem, cmp, ctx)) return 0;
    *settled = n;
    return 1;
}

/* Puts every table in order. To be called before any of the questions above, after anything was added. */
CSSPGO__UNUSED static csspgo_status csspgo__code_settle(csspgo_code *c)
{
    csspgo__heap *h = &c->heap;
    if (!c->dirty) return CSSPGO_OK;
    if (!csspgo__settle_list(h, c->transfer, c->transfers, &c->settled_transfers, sizeof *c->transfer,
                             csspgo__transfer_cmp, NULL)) return h->status;
    if (!csspgo__settle_list(h, c->stop, c->stops, &c->settled_stops, sizeof *c->stop, csspgo__u32_cmp, NULL))
        return h->status;
    if (!csspgo__settle_list(h, c->range, c->ranges, &c->settled_ranges, sizeof *c->range, csspgo__range_cmp, NULL))
        return h->status;
    c->dirty = 0;
    return CSSPGO_OK;
}

/* ----- adding -------------------------------------------------------------------------------------------------------- */

static int csspgo__window_cmp(const void *ctx, const void *a, const void *b)
{
    const uint64_t x = ((const csspgo__window *)a)->begin, y = ((const csspgo__window *)b)->begin;
    (void)ctx;
    return x < y ? -1 : x > y;
}

/* Puts a window in its place; room for it is there. */
static void csspgo__window_insert(csspgo_code *c, uint64_t begin, uint64_t size, uint32_t pos, uint32_t module)
{
    size_t i = c->windows++;
    for (; i != 0 && c->window[i - 1].begin > begin; i--) c->window[i] = c->window[i - 1];
    c->window[i].begin = begin;
    c->window[i].size = size;
    c->window[i].pos = pos;
    c->window[i].module = module;
}

static int csspgo__window_room(csspgo_code *c, size_t more)
{
    void *p;
    if (c->windows + more <= c->window_cap) return 1;
    p = csspgo__grow(&c->heap, c->window, c->windows, &c->window_cap, c->windows + more, sizeof *c->window);
    if (p == NULL) return 0;
    c->window = (csspgo__window *)p;
    return 1;
}

static int csspgo__window_free_at(const csspgo_code *c, uint64_t begin, uint64_t size)
{
    size_t i;
    if (size == 0 || begin > UINT64_MAX - size) return 0;
    if (c->windows == 0) return 1;
    i = csspgo__window_at(c, begin);
    if (begin - c->window[i].begin < c->window[i].size) return 0;
    if (c->window[i].begin <= begin) i++;
    return i == c->windows || c->window[i].begin - begin >= size;
}

/* A new area with fresh positions (bytes zero) behind one unused position. *area gets its index. */
static csspgo_status csspgo__area_add(csspgo_code *c, csspgo_module module, uint64_t address, uint64_t size,
                                      csspgo__area **area)
{
    const uint64_t bias = module.id != 0 && module.id <= c->modules ? c->module[module.id].bias : 0;
    void *p;
    if (module.id > c->modules || !csspgo__window_free_at(c, address + bias, size)) return CSSPGO_E_ARGUMENT;
    if (size > UINT32_MAX - 1 - c->bytes) return CSSPGO_E_LIMIT;
    if (c->bytes + 1 + size > c->byte_cap) {
        p = csspgo__grow(&c->heap, c->byte, c->bytes, &c->byte_cap, c->bytes + 1 + (size_t)size, 1);
        if (p == NULL) return c->heap.status;
        c->byte = (unsigned char *)p;
    }
    if (c->areas == c->area_cap) {
        p = csspgo__grow(&c->heap, c->area, c->areas, &c->area_cap, c->areas + 1, sizeof *c->area);
        if (p == NULL) return c->heap.status;
        c->area = (csspgo__area *)p;
    }
    if (!csspgo__window_room(c, 1)) return c->heap.status;
    *area = &c->area[c->areas++];
    memset(*area, 0, sizeof **area);
    (*area)->address = address;
    (*area)->size = size;
    (*area)->module = module.id;
    (*area)->pos = (uint32_t)c->bytes + 1;
    memset(c->byte + c->bytes, 0, 1 + (size_t)size);
    c->bytes += 1 + (size_t)size;
    csspgo__window_insert(c, address + bias, size, (*area)->pos, module.id);
    return CSSPGO_OK;
}

CSSPGO_DEF csspgo_status csspgo_code_add_area(csspgo_code *c, csspgo_module module, uint64_t address, uint64_t size)
{
    csspgo__area *a;
    const csspgo_status s = csspgo__area_add(c, module, address, size, &a);
    if (s != CSSPGO_OK) return s;
    a->bytewise = 1;
    memset(c->byte + a->pos, CSSPGO__START, (size_t)size);
    return CSSPGO_OK;
}

static csspgo_status csspgo__code_fail(csspgo_code *c)
{
    return c->heap.status;
}

/* Makes room for `more` elements in the array X of c (with its Xs and X_cap), else leaves with the heap's status. */
#define CSSPGO__ROOM(X, more)                                                                                         \
    do {                                                                                                              \
        if (c->X##s + (more) > c->X##_cap) {                                                                          \
            void *room_ = csspgo__grow(&c->heap, c->X, c->X##s, &c->X##_cap, c->X##s + (more), sizeof *c->X);         \
            if (room_ == NULL) return csspgo__code_fail(c);                                                           \
            memcpy(&c->X, &room_, sizeof room_);                                                                      \
        }                                                                                                             \
    } while (0)

/* Makes `pos` the instruction after the call at call. Needs no memory within CSSPGO__CALL_FAR bytes. */
static csspgo_status csspgo__mark_after_call(csspgo_code *c, uint32_t call, uint32_t pos)
{
    const uint32_t back = pos - call < CSSPGO__CALL_FAR ? pos - call : (uint32_t)CSSPGO__CALL_FAR;
    if (pos - call > CSSPGO__CALL_FAR) {              /* positions of later areas are higher: far_call stays in order */
        CSSPGO__ROOM(far_call, 1);
        c->far_call[c->far_calls].pos = pos;
        c->far_call[c->far_calls].kind = pos - call;
        c->far_call[c->far_calls++].target = 0;
    }
    c->byte[pos] = (unsigned char)((c->byte[pos] & 15) | back << CSSPGO__CALL_SHIFT);
    return CSSPGO_OK;
}

static csspgo_status csspgo__transfer_add(csspgo_code *c, uint32_t pos, csspgo_kind kind, uint64_t target)
{
    const int stops = kind == CSSPGO_CALL || kind == CSSPGO_JMP || kind == CSSPGO_RET;
    c->byte[pos] = (unsigned char)((c->byte[pos] & 0xf1) | (unsigned)kind << CSSPGO__KIND_SHIFT);
    if (kind == CSSPGO_COND || kind == CSSPGO_NONE) return CSSPGO_OK;
    CSSPGO__ROOM(transfer, 1);
    CSSPGO__ROOM(stop, 1);
    c->dirty = 1;
    c->transfer[c->transfers].target = target;
    c->transfer[c->transfers].pos = pos;
    c->transfer[c->transfers++].kind = (uint32_t)kind;
    if (stops) c->stop[c->stops++] = pos;
    return CSSPGO_OK;
}

/* The last instruction start of an area, the first one; 0 if it has none. */
static uint32_t csspgo__last_start(const csspgo_code *c, const csspgo__area *a)
{
    uint32_t p = a->pos + (uint32_t)a->size;
    while (p > a->pos)
        if (c->byte[--p] & CSSPGO__START) return p;
    return 0;
}

static uint32_t csspgo__first_start(const csspgo_code *c, const csspgo__area *a)
{
    uint32_t p;
    for (p = a->pos; p < a->pos + a->size; p++)
        if (c->byte[p] & CSSPGO__START) return p;
    return 0;
}

/*
 * A call that ends a section is "the call before" the first instruction of the next section of the module too, whatever
 * lies between: so says LLVM, which looks at the instruction before in address order. Only for sections in that order.
 */
static csspgo_status csspgo__join_sections(csspgo_code *c, const csspgo__area *later)
{
    const csspgo__area *a = later, *before = NULL;
    uint32_t first, last;
    if (later->module == 0) return CSSPGO_OK;         /* a JIT's areas have nothing to do with each other */
    first = csspgo__first_start(c, later);
    while (a != c->area) {
        a--;
        if (a->module != later->module || a->bytewise || a->address >= later->address) continue;
        if (before == NULL || a->address > before->address) before = a;
    }
    last = before != NULL ? csspgo__last_start(c, before) : 0;
    if (first == 0 || last == 0 || csspgo__kind(c, last) != CSSPGO_CALL) return CSSPGO_OK;
    return csspgo__mark_after_call(c, last, first);
}

/* Decodes [at, end) of an area; *call: position of the last instruction if it was a call, else 0. */
static csspgo_status csspgo__sweep(csspgo_code *c, const csspgo__area *area, csspgo_arch arch,
                                   const unsigned char *bytes, size_t at, size_t end, uint32_t *call)
{
    csspgo_insn insn;
    while (at < end) {
        const uint32_t pos = area->pos + (uint32_t)at;
        const size_t left = (size_t)area->size - at;
        csspgo_status s = CSSPGO_OK;
        if (arch == CSSPGO_X86_64) csspgo_decode_x86_64(bytes + at, left, area->address + at, &insn);
        else csspgo_decode_aarch64(bytes + at, left, area->address + at, &insn);
        if (insn.size == 0) {
            at += insn.skip != 0 ? insn.skip : 1;
            continue;
        }
        c->byte[pos] |= CSSPGO__START;
        if (*call != 0) s = csspgo__mark_after_call(c, *call, pos);
        if (s == CSSPGO_OK && insn.kind != CSSPGO_NONE)
            s = csspgo__transfer_add(c, pos, insn.kind, insn.has_target ? insn.target : 0);
        if (s != CSSPGO_OK) return s;
        *call = insn.kind == CSSPGO_CALL ? pos : 0;
        at += insn.size;
    }
    return CSSPGO_OK;
}

CSSPGO_DEF csspgo_status csspgo_code_add_bytes(csspgo_code *c, csspgo_module module, csspgo_arch arch,
                                               uint64_t address, const void *bytes, size_t size,
                                               const uint64_t *starts, size_t start_count)
{
    const size_t transfers = c->transfers, stops = c->stops, far_calls = c->far_calls;
    csspgo__area *area;
    csspgo_status s;
    uint32_t call = 0;
    size_t i = 0;
    if (arch != CSSPGO_X86_64 && arch != CSSPGO_AARCH64) return CSSPGO_E_ARGUMENT;
    s = csspgo__area_add(c, module, address, size, &area);
    if (s != CSSPGO_OK) return s;
    if (starts == NULL) s = csspgo__sweep(c, area, arch, (const unsigned char *)bytes, 0, size, &call);
    while (starts != NULL && i < start_count && s == CSSPGO_OK) {
        const uint64_t at = starts[i] - address;
        uint64_t end = size;
        while (i < start_count && starts[i] - address == at) i++;
        if (i < start_count && starts[i] - address < size) end = starts[i] - address;
        if (at < size && at < end)
            s = csspgo__sweep(c, area, arch, (const unsigned char *)bytes, (size_t)at, (size_t)end, &call);
    }
    if (s == CSSPGO_OK) s = csspgo__join_sections(c, area);
    if (s != CSSPGO_OK) {                             /* the area stays behind, empty; nothing maps to it */
        size_t w = csspgo__window_at(c, address + (module.id != 0 ? c->module[module.id].bias : 0));
        memset(c->byte + area->pos, 0, size);
        memmove(c->window + w, c->window + w + 1, (c->windows - w - 1) * sizeof *c->window);
        c->windows--;
        c->transfers = transfers;
        c->stops = stops;
        c->far_calls = far_calls;
    }
    return s;
}

/* One function's names id, with its checksum slot. 0 when memory is exhausted. */
static uint32_t csspgo__func_bind(csspgo_code *c, uint64_t guid, const char *name, size_t size, uint64_t checksum)
{
    const size_t need = c->names.count + 2, had = c->checksum_cap;
    uint32_t id;
    if (name != NULL && guid == 0) guid = csspgo_guid(name, size);
    if (need > had) {
        void *p = csspgo__grow(&c->heap, c->checksum, had, &c->checksum_cap, need, sizeof *c->checksum);
        if (p == NULL) return 0;
        c->checksum = (uint64_t *)p;
        memset(c->checksum + had, 0, (c->checksum_cap - had) * sizeof *c->checksum);
    }
    id = csspgo__names_bind(&c->heap, &c->names, guid, name, size);
    if (id != 0 && c->checksum[id] == 0) c->checksum[id] = checksum;
    return id;
}

/*
 * 1 if no function range overlaps [begin, end). O(1) when functions come in address order, as they mostly do (a JIT's
 * fresh areas always): everything then ends at or before last_end.
 */
static int csspgo__range_free(const csspgo_code *c, uint32_t begin, uint32_t end)
{
    size_t i;
    if (begin >= c->last_end) return 1;
    for (i = 0; i < c->ranges; i++)
        if (begin < c->range[i].end && c->range[i].begin < end) return 0;
    return 1;
}

CSSPGO_DEF csspgo_status csspgo_code_add_function(csspgo_code *c, csspgo_module module, const csspgo_function *f)
{
    csspgo__range *r;
    uint32_t pos, func;
    if (module.id > c->modules || f->end <= f->begin || (f->guid == 0 && f->name == NULL)) return CSSPGO_E_ARGUMENT;
    if (f->name_size > c->heap.limits.max_name) return CSSPGO_E_LIMIT;
    CSSPGO__ROOM(range, 1);
    func = csspgo__func_bind(c, f->guid, f->name, f->name_size, f->checksum);
    if (func == 0) return c->heap.status;
    pos = csspgo__pos_in(c, module.id, f->begin);
    if (pos == 0) {
        const csspgo_status s = csspgo_code_add_area(c, module, f->begin, f->end - f->begin);
        if (s != CSSPGO_OK) return s;
        pos = csspgo__pos_in(c, module.id, f->begin);
    }
    if (csspgo__pos_in(c, module.id, f->end - 1) - pos != f->end - 1 - f->begin) return CSSPGO_E_ARGUMENT;
    if (!csspgo__range_free(c, pos, pos + (uint32_t)(f->end - f->begin))) return CSSPGO_E_ARGUMENT;
    r = &c->range[c->ranges++];
    r->begin = pos;
    r->end = pos + (uint32_t)(f->end - f->begin);
    r->func = func;
    r->part = f->part;
    if (r->end > c->last_end) c->last_end = r->end;
    c->dirty = 1;
    return CSSPGO_OK;
}

CSSPGO_DEF csspgo_status csspgo_code_add_transfers(csspgo_code *c, csspgo_module module,
                                                   const csspgo_transfer *transfers, size_t count)
{
    size_t i;
    if (module.id > c->modules) return CSSPGO_E_ARGUMENT;
    CSSPGO__ROOM(transfer, count);
    CSSPGO__ROOM(stop, count);
    for (i = 0; i < count; i++) {
        const csspgo_transfer *t = &transfers[i];
        if (t->kind > CSSPGO_RET || t->size == 0 || t->size > 15 || csspgo__pos_in(c, module.id, t->address) == 0)
            return CSSPGO_E_ARGUMENT;
    }
    for (i = 0; i < count; i++) {
        const csspgo_transfer *t = &transfers[i];
        const uint32_t pos = csspgo__pos_in(c, module.id, t->address);
        const uint32_t after = csspgo__pos_in(c, module.id, t->address + t->size);
        csspgo__transfer_add(c, pos, t->kind, t->target);     /* cannot fail: there is room */
        if (t->kind == CSSPGO_CALL && after == pos + t->size)
            csspgo__mark_after_call(c, pos, after);
    }
    return CSSPGO_OK;
}

/* Counting sort of probes by inline node: probes of a node stand together, in the caller's order. */
static void csspgo__probes_place(csspgo_code *c, csspgo_module module, const csspgo_probe *probes, size_t count,
                                 size_t node0)
{
    size_t i, at = c->probes;
    for (i = 0; i < count; i++) c->node[node0 + probes[i].inline_node].count++;
    for (i = node0 + 1; i <= c->nodes; i++) {
        c->node[i].first = (uint32_t)at;
        at += c->node[i].count;
        c->node[i].count = 0;
    }
    for (i = 0; i < count; i++) {
        csspgo__inline *n = &c->node[node0 + probes[i].inline_node];
        csspgo__probe *p = &c->probe[n->first + n->count++];
        p->pos = csspgo__pos_in(c, module.id, probes[i].address);
        p->id = probes[i].id;
        p->discriminator = probes[i].discriminator;
        p->node = (uint32_t)node0 + probes[i].inline_node;
        p->kind = probes[i].kind;
    }
    c->probes = at;
}

/* Room for more nodes; node[0] is unused. */
static int csspgo__inline_room(csspgo_code *c, size_t more)
{
    const size_t used = c->nodes != 0 ? c->nodes + 1 : 0;
    void *p;
    if (c->nodes + 1 + more <= c->node_cap) return 1;
    p = csspgo__grow(&c->heap, c->node, used, &c->node_cap, c->nodes + 1 + more, sizeof *c->node);
    if (p == NULL) return 0;
    c->node = (csspgo__inline *)p;
    return 1;
}

CSSPGO_DEF csspgo_status csspgo_code_add_probes(csspgo_code *c, csspgo_module module, const csspgo_inline *inlines,
                                                size_t inline_count, const csspgo_probe *probes, size_t probe_count)
{
    const size_t node0 = c->nodes, probe0 = c->probes;
    size_t i;
    if (module.id > c->modules || inline_count > 0x7fffffffu - c->nodes || probe_count > 0x7fffffffu - c->probes)
        return CSSPGO_E_ARGUMENT;
    for (i = 0; i < inline_count; i++)
        if (inlines[i].parent > i) return CSSPGO_E_ARGUMENT;
    for (i = 0; i < probe_count; i++)
        if (probes[i].inline_node == 0 || probes[i].inline_node > inline_count) return CSSPGO_E_ARGUMENT;
    if (!csspgo__inline_room(c, inline_count)) return c->heap.status;
    CSSPGO__ROOM(probe, probe_count);
    CSSPGO__ROOM(by_pos, c->probes + probe_count - c->by_poss);
    for (i = 0; i < inline_count; i++) {
        csspgo__inline *n = &c->node[node0 + i + 1];
        memset(n, 0, sizeof *n);
        n->func = csspgo__func_bind(c, inlines[i].guid, NULL, 0, 0);
        if (n->func == 0) return c->heap.status;
        n->parent = inlines[i].parent != 0 ? (uint32_t)node0 + inlines[i].parent : 0;
        n->site = inlines[i].site;
        n->top = n->parent != 0 ? c->node[n->parent].top : (uint32_t)(node0 + i + 1);
    }
    c->nodes += inline_count;
    csspgo__probes_place(c, module, probes, probe_count, node0);
    for (i = c->by_poss; i < c->probes; i++) c->by_pos[i] = (uint32_t)i;
    if (csspgo__settle_list(&c->heap, c->by_pos, c->probes, &c->by_poss, sizeof *c->by_pos, csspgo__by_pos_cmp,
                            c->probe)) return CSSPGO_OK;
    c->nodes = node0;
    c->probes = probe0;
    return c->heap.status;
}

CSSPGO_DEF csspgo_status csspgo_code_add_descriptors(csspgo_code *c, const csspgo_descriptor *descriptors,
                                                     size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        const csspgo_descriptor *d = &descriptors[i];
        if (d->name_size > c->heap.limits.max_name) return CSSPGO_E_LIMIT;
        if (csspgo__func_bind(c, d->guid, d->name, d->name_size, d->checksum) == 0) return c->heap.status;
    }
    return CSSPGO_OK;
}

/* ----- modules and where they are mapped ----------------------------------------------------------------------------- */

static size_t csspgo__base_name(const char *path, size_t size)
{
    size_t i = size;
    while (i != 0 && path[i - 1] != '/') i--;
    return i;
}

CSSPGO_DEF csspgo_module csspgo_code_add_module(csspgo_code *c, const char *name, size_t size,
                                                const csspgo_segment *segments, size_t count)
{
    csspgo_module m;
    csspgo__module *n;
    const size_t base = csspgo__base_name(name, size);
    uint32_t id;
    size_t i;
    m.id = 0;
    if (c->modules + 2 > c->module_cap) {
        void *p = csspgo__grow(&c->heap, c->module, c->modules != 0 ? c->modules + 1 : 0, &c->module_cap,
                               c->modules + 2, sizeof *c->module);
        if (p == NULL) return m;
        c->module = (csspgo__module *)p;
    }
    if (c->segments + count > c->segment_cap) {
        void *p = csspgo__grow(&c->heap, c->segment, c->segments, &c->segment_cap, c->segments + count,
                               sizeof *c->segment);
        if (p == NULL) return m;
        c->segment = (csspgo_segment *)p;
    }
    id = csspgo__names_intern(&c->heap, &c->paths, name + base, size - base);
    if (id == 0) return m;
    n = &c->module[++c->modules];
    memset(n, 0, sizeof *n);
    n->name = id;
    n->segment = (uint32_t)c->segments;
    n->segments = (uint32_t)count;
    if (count != 0) memcpy(c->segment + c->segments, segments, count * sizeof *segments);
    c->segments += count;
    for (i = 0; i < count; i++) {
        if (!segments[i].executable) continue;
        n->base = segments[i].address & ~(uint64_t)4095;
        n->base_offset = segments[i].file_offset & ~(uint64_t)4095;
        break;
    }
    m.id = (uint32_t)c->modules;
    return m;
}

CSSPGO_DEF uint64_t csspgo_code_base(const csspgo_code *c, csspgo_module module)
{
    return module.id != 0 && module.id <= c->modules ? c->module[module.id].base : 0;
}

/* Moves the windows of a module by delta. */
static void csspgo__windows_move(csspgo_code *c, uint32_t module, uint64_t delta)
{
    size_t i;
    for (i = 0; i < c->windows; i++)
        if (c->window[i].module == module) c->window[i].begin += delta;
}

static int csspgo__windows_disjoint(const csspgo_code *c)
{
    size_t i;
    for (i = 0; i < c->windows; i++) {
        const csspgo__window *w = &c->window[i];
        if (w->begin > UINT64_MAX - w->size) return 0;
        if (i + 1 < c->windows && w[1].begin - w->begin < w->size) return 0;
    }
    return 1;
}

CSSPGO_DEF csspgo_status csspgo_code_map(csspgo_code *c, csspgo_module module, uint64_t bias)
{
    const size_t size = c->windows * sizeof *c->window;
    csspgo__module *m;
    void *scratch;
    int fits;
    if (module.id == 0 || module.id > c->modules) return CSSPGO_E_ARGUMENT;
    m = &c->module[module.id];
    if (bias != m->bias && c->windows != 0) {
        scratch = csspgo__alloc(&c->heap, size);
        if (scratch == NULL) return c->heap.status;
        csspgo__windows_move(c, module.id, bias - m->bias);
        csspgo__sort_with(c->window, c->windows, sizeof *c->window, scratch, csspgo__window_cmp, NULL);
        fits = csspgo__windows_disjoint(c);
        if (!fits) {
            csspgo__windows_move(c, module.id, m->bias - bias);
            csspgo__sort_with(c->window, c->windows, sizeof *c->window, scratch, csspgo__window_cmp, NULL);
        }
        csspgo__free(&c->heap, scratch, size);
        if (!fits) return CSSPGO_E_ARGUMENT;
    }
    m->bias = bias;
    m->mapped = 1;
    return CSSPGO_OK;
}

CSSPGO_DEF int csspgo_code_mmap(csspgo_code *c, const csspgo_mmap *e)
{
    const size_t base = csspgo__base_name(e->path, e->path_size);
    const uint32_t name = csspgo__names_find(&c->heap, &c->paths, e->path + base, e->path_size - base);
    csspgo_module m;
    uint32_t k;
    if (name == 0 || !e->executable) return 0;
    for (m.id = 1; m.id <= c->modules; m.id++) {
        const csspgo__module *mod = &c->module[m.id];
        if (mod->name != name) continue;
        if (e->file_offset == mod->base_offset)
            return csspgo_code_map(c, m, e->address - mod->base) == CSSPGO_OK ? 1 : -1;
        for (k = 0; k < mod->segments; k++) {
            const csspgo_segment *s = &c->segment[mod->segment + k];
            if (!s->executable || (s->file_offset & ~(uint64_t)4095) != e->file_offset) continue;
            return (s->address & ~(uint64_t)4095) + mod->bias == e->address ? 1 : -1;
        }
        return -1;
    }
    return 0;
}

CSSPGO_DEF csspgo_status csspgo_code_remove(csspgo_code *c, uint64_t begin, uint64_t end)
{
    size_t i, n = 0;
    if (begin >= end) return CSSPGO_E_ARGUMENT;
    if (!csspgo__window_room(c, 1)) return c->heap.status;    /* one window may be cut in two */
    for (i = 0; i < c->windows; i++) {
        csspgo__window w = c->window[i];
        const uint64_t stop = w.begin + w.size;
        if (w.module != 0 || stop <= begin || w.begin >= end) {
            c->window[n++] = w;
            continue;
        }
        if (w.begin < begin) {
            c->window[n] = w;
            c->window[n++].size = begin - w.begin;
        }
        if (stop > end) {
            if (n > i) {                              /* the middle was cut out: make room */
                memmove(c->window + i + 2, c->window + i + 1, (c->windows - i - 1) * sizeof w);
                c->windows++;
                i++;
            }
            w.pos += (uint32_t)(end - w.begin);
            w.size = stop - end;
            w.begin = end;
            c->window[n++] = w;
        }
    }
    c->windows = n;
    return CSSPGO_OK;
}

/* ----- questions ----------------------------------------------------------------------------------------------------- */

CSSPGO_DEF csspgo_kind csspgo_code_kind(const csspgo_code *c, uint64_t address)
{
    return csspgo__kind(c, csspgo__pos(c, address));
}

CSSPGO_DEF uint64_t csspgo_code_call_before(const csspgo_code *c, uint64_t address)
{
    const uint32_t call = csspgo__call_before(c, csspgo__pos(c, address));
    const uint32_t module = csspgo__module_of(c, call);
    return call != 0 ? csspgo__address_of(c, call) + (module != 0 ? c->module[module].bias : 0) : 0;
}

CSSPGO_DEF size_t csspgo_code_probe_count(const csspgo_code *c, uint64_t address)
{
    size_t n = 0;
    const uint32_t pos = csspgo__pos_any(c, address);
    if (pos != 0) csspgo__probes_at(c, pos, &n);
    return n;
}

CSSPGO_DEF size_t csspgo_code_probe_stack(const csspgo_code *c, uint64_t address, size_t i, csspgo_frame *frames,
                                          size_t room)
{
    size_t n = 0, depth = 0, k;
    const uint32_t pos = csspgo__pos_any(c, address), *list = pos != 0 ? csspgo__probes_at(c, pos, &n) : NULL;
    uint32_t node, site;
    if (i >= n) return 0;
    for (node = c->probe[list[i]].node; node != 0; node = c->node[node].parent) depth++;
    site = c->probe[list[i]].id;
    for (k = depth, node = c->probe[list[i]].node; k-- > 0; site = c->node[node].site, node = c->node[node].parent) {
        const csspgo__name *name = &c->names.name[c->node[node].func];
        if (k >= room) continue;
        memset(&frames[k], 0, sizeof frames[k]);
        frames[k].guid = name->guid;
        frames[k].probe = site;
        if (name->flags & CSSPGO__HAS_TEXT) frames[k].name = csspgo__name_text(&c->names, c->node[node].func, &frames[k].name_size);
        if (k + 1 == depth) frames[k].kind = c->probe[list[i]].kind;
    }
    return depth;
}

#endif /* CSSPGO_NO_CODE */

/* ----- >>code, second chapter: probe sections --------------------------------------------------------------------- */

#ifndef CSSPGO_NO_CODE

/* Bytes of the smallest probe, inlinee and descriptor: what a count may promise at most. */
enum { CSSPGO__PROBE_MIN = 3, CSSPGO__INLINEE_MIN = 11 };

/* The TAG byte of a probe. */
enum {
    CSSPGO__TAG_KIND = 15, CSSPGO__TAG_DELTA = 128, CSSPGO__TAG_SENTINEL = 32,
    CSSPGO__ATTR_RESERVED = 1, CSSPGO__ATTR_SENTINEL = 2, CSSPGO__ATTR_DISCRIMINATOR = 4
};

struct csspgo_probes {
    csspgo__heap         heap;
    csspgo_inline       *inlines;
    uint32_t            *children;     /* NINLINED of each node                                       */
    csspgo_probe        *probes;
    csspgo_probe_record *records;
    csspgo_descriptor   *descriptors;  /* their names stand in text, in this order, without gaps      */
    char                *text;
    uint32_t            *order;        /* by address; order_count is 0 or probe_count                 */
    size_t inline_count, inline_cap, children_cap, probe_count, probe_cap, record_count, record_cap;
    size_t descriptor_count, descriptor_cap, text_size, text_cap, order_count, order_cap;
    csspgo__map          by_guid;      /* descriptors                                                 */
    csspgo_probe_stats   stats;
};

CSSPGO_DEF csspgo_probes *csspgo_probes_new(const csspgo_options *options)
{
    return (csspgo_probes *)csspgo__object_new(options, sizeof(csspgo_probes));
}

CSSPGO_DEF void csspgo_probes_free(csspgo_probes *t)
{
    if (t == NULL) return;
    csspgo__free(&t->heap, t->inlines, t->inline_cap * sizeof *t->inlines);
    csspgo__free(&t->heap, t->children, t->children_cap * sizeof *t->children);
    csspgo__free(&t->heap, t->probes, t->probe_cap * sizeof *t->probes);
    csspgo__free(&t->heap, t->records, t->record_cap * sizeof *t->records);
    csspgo__free(&t->heap, t->descriptors, t->descriptor_cap * sizeof *t->descriptors);
    csspgo__free(&t->heap, t->text, t->text_cap);
    csspgo__free(&t->heap, t->order, t->order_cap * sizeof *t->order);
    csspgo__map_free(&t->heap, &t->by_guid);
    csspgo__object_free(t, sizeof *t);
}

CSSPGO_DEF void csspgo_probes_clear(csspgo_probes *t)
{
    t->inline_count = t->probe_count = t->record_count = t->descriptor_count = t->text_size = t->order_count = 0;
    csspgo__map_clear(&t->by_guid);
    memset(&t->stats, 0, sizeof t->stats);
}

CSSPGO_DEF csspgo_probe_tables csspgo_probes_tables(const csspgo_probes *t)
{
    csspgo_probe_tables v;
    memset(&v, 0, sizeof v);
    v.inlines = t->inlines;
    v.inline_count = t->inline_count;
    v.probes = t->probes;
    v.probe_count = t->probe_count;
    v.records = t->records;
    v.record_count = t->record_count;
    v.descriptors = t->descriptors;
    v.descriptor_count = t->descriptor_count;
    v.stats = t->stats;
    return v;
}

static int csspgo__probe_address_cmp(const void *ctx, const void *a, const void *b)
{
    const csspgo_probe *p = (const csspgo_probe *)ctx;
    const uint64_t x = p[*(const uint32_t *)a].address, y = p[*(const uint32_t *)b].address;
    return x < y ? -1 : x > y;
}

CSSPGO_DEF const uint32_t *csspgo_probes_by_address(csspgo_probes *t)
{
    size_t i;
    if (t->order_count == t->probe_count) return t->order_count != 0 ? t->order : NULL;
    if (t->order_cap < t->probe_count) {
        csspgo__free(&t->heap, t->order, t->order_cap * sizeof *t->order);
        t->order_cap = t->order_count = 0;
        t->order = (uint32_t *)csspgo__grow(&t->heap, NULL, 0, &t->order_cap, t->probe_count, sizeof *t->order);
        if (t->order == NULL) return NULL;
    }
    for (i = 0; i < t->probe_count; i++) t->order[i] = (uint32_t)i;
    t->order_count = 0;
    if (!csspgo__sort(&t->heap, t->order, t->probe_count, sizeof *t->order, csspgo__probe_address_cmp, t->probes))
        return NULL;
    t->order_count = t->probe_count;
    return t->order;
}

/* Room for nodes, probes and records beyond those there are. Nothing but capacities changes. */
static csspgo_status csspgo__probes_reserve(csspgo_probes *t, uint64_t inlines, uint64_t probes, uint64_t records)
{
    csspgo__heap *h = &t->heap;
    void *p;
    if (inlines > UINT32_MAX - 1 - t->inline_count || probes > UINT32_MAX - 1 - t->probe_count) return CSSPGO_E_LIMIT;
#define CSSPGO__PROBES_ROOM(array, n, cap, more)                                                                       \
    if (t->n + (size_t)(more) > t->cap) {                                                                              \
        p = csspgo__grow(h, t->array, t->n, &t->cap, t->n + (size_t)(more), sizeof *t->array);                         \
        if (p == NULL) return h->status;                                                                               \
        memcpy(&t->array, &p, sizeof p);                                                                               \
    }
    CSSPGO__PROBES_ROOM(inlines, inline_count, inline_cap, inlines)
    CSSPGO__PROBES_ROOM(children, inline_count, children_cap, inlines)
    CSSPGO__PROBES_ROOM(probes, probe_count, probe_cap, probes)
    CSSPGO__PROBES_ROOM(records, record_count, record_cap, records)
#undef CSSPGO__PROBES_ROOM
    return CSSPGO_OK;
}

/* ----- decoding: one scan of the grammar that runs twice, first to check and count, then to fill the arrays ------- */

typedef struct csspgo__probe_level {
    uint32_t node, children;      /* index + 1; inlinees still to be read    */
} csspgo__probe_level;

typedef struct csspgo__probe_scan {
    csspgo__reader              r;
    const csspgo_probe_section *in;
    csspgo_probes              *t;
    csspgo__map                 bases;      /* GUID -> index + 1, the last one of a GUID                              */
    csspgo__probe_level        *stack;      /* the node being read and those around it                                */
    size_t                      depth, cap;
    int                         fill;       /* second run                                                             */
    uint64_t                    base;       /* address that a delta is added to, if it is known                       */
    int                         known, chained;
    uint64_t                    inlines, probes, records;   /* read so far                                            */
    csspgo_probe_record         record;     /* the top-level record being read                                        */
    csspgo_probe_stats          stats;
} csspgo__probe_scan;

static int csspgo__base_find(const csspgo__probe_scan *s, uint64_t guid, uint64_t *address)
{
    const uint32_t hash = (uint32_t)csspgo__hash64(guid, s->t->heap.seed);
    uint32_t id, at = hash;
    while ((id = csspgo__map_next(&s->bases, hash, &at)) != 0) {
        if (s->in->bases[id - 1].guid != guid) continue;
        *address = s->in->bases[id - 1].address;
        return 1;
    }
    return 0;
}

static csspgo_status csspgo__bases_make(csspgo__probe_scan *s)
{
    csspgo__heap *h = &s->t->heap;
    size_t i;
    uint64_t address;
    if (s->in->base_count > UINT32_MAX - 1) return CSSPGO_E_LIMIT;
    for (i = s->in->base_count; i-- > 0;) {       /* backwards: the last entry of a GUID is put in first */
        const uint64_t guid = s->in->bases[i].guid;
        if (csspgo__base_find(s, guid, &address)) continue;
        if (!csspgo__map_reserve(h, &s->bases)) return h->status;
        csspgo__map_insert(&s->bases, (uint32_t)csspgo__hash64(guid, h->seed), (uint32_t)(i + 1));
    }
    return CSSPGO_OK;
}

static int csspgo__in_text(const csspgo_probe_section *in, uint64_t address)
{
    size_t a = 0, e = in->text_count;
    while (a < e) {
        const size_t m = a + (e - a) / 2;
        if (in->text[m].end <= address) a = m + 1;
        else e = m;
    }
    return a < in->text_count && in->text[a].begin <= address;
}

/* Something that only a lenient reader takes. Returns 1 if this one is. */
static int csspgo__probe_odd(csspgo__probe_scan *s, const unsigned char *at, uint64_t *counter, const char *text,
                             uint64_t value)
{
    if (s->r.status != CSSPGO_OK) return 0;
    if (!s->t->heap.lenient) {
        csspgo__fail(&s->r, CSSPGO_E_SYNTAX, at, text);
        csspgo__say_hex(s->r.err, value);
        return 0;
    }
    *counter += 1;
    return 1;
}

static void csspgo__scan_sentinel(csspgo__probe_scan *s, const unsigned char *at, int in_place, uint32_t tag,
                                  uint64_t value)
{
    if (!in_place && !csspgo__probe_odd(s, at, &s->stats.odd_sentinels, "a misplaced or malformed sentinel: tag ", tag))
        return;
    if (tag & CSSPGO__TAG_DELTA) {
        s->base += value;
        return;
    }
    s->base = value;
    s->known = csspgo__base_find(s, value, &s->base);
    if (in_place) s->stats.sentinels++;
    if (!s->known && (s->in->flags & CSSPGO_PROBES_RAW_SENTINELS || csspgo__in_text(s->in, value))) {
        s->known = 1;
        s->stats.raw_sentinels++;
    }
    if (in_place) {
        s->record.symbol = value;
        s->record.address = s->known ? s->base : 0;
        s->record.flags = CSSPGO_RECORD_SENTINEL | (s->known ? (uint32_t)CSSPGO_RECORD_BASED : 0);
    }
    if (!s->known && !s->t->heap.lenient) {
        csspgo__fail(&s->r, CSSPGO_E_SYNTAX, at, "no symbol for the sentinel ");
        csspgo__say_hex(s->r.err, value);
    }
}

static void csspgo__scan_address(csspgo__probe_scan *s, const unsigned char *at, uint32_t tag, uint64_t value)
{
    if (tag & CSSPGO__TAG_DELTA) {
        s->base += value;
    } else {
        s->base = value;
        s->known = s->chained = 1;
        s->stats.absolute++;
    }
    if (!s->known)
        csspgo__probe_odd(s, at, &s->stats.no_base, "a relative address, and no symbol for the record ",
                          s->record.symbol);
}

static void csspgo__scan_keep(csspgo__probe_scan *s, uint32_t id, uint32_t tag, uint32_t discriminator)
{
    if (s->in->text_count != 0 && !csspgo__in_text(s->in, s->base)) s->stats.outside_text++;
    if (s->fill) {
        csspgo_probe *p = &s->t->probes[s->t->probe_count + (size_t)s->probes];
        memset(p, 0, sizeof *p);
        p->address = s->base;
        p->id = id;
        p->discriminator = discriminator;
        p->inline_node = s->stack[s->depth - 1].node;
        p->kind = (uint8_t)(tag & CSSPGO__TAG_KIND);
        p->attributes = (uint8_t)(tag >> 4 & 7);
    }
    s->probes++;
    s->record.probe_count++;
}

/* first: of a top-level record, where a sentinel may stand. */
static void csspgo__scan_probe(csspgo__probe_scan *s, int first)
{
    csspgo__reader *r = &s->r;
    const unsigned char *at = r->p;
    const uint32_t id = csspgo__uleb32(r), tag = csspgo__u8(r), attributes = tag >> 4 & 7;
    const uint64_t value = tag & CSSPGO__TAG_DELTA ? csspgo__leb(r, 1) : csspgo__u64(r);
    const uint32_t discriminator = attributes & CSSPGO__ATTR_DISCRIMINATOR ? csspgo__uleb32(r) : 0;
    if (r->status != CSSPGO_OK) return;
    if (attributes & CSSPGO__ATTR_SENTINEL) {
        csspgo__scan_sentinel(s, at, first && id == 0 && tag == CSSPGO__TAG_SENTINEL, tag, value);
        return;
    }
    if ((tag & CSSPGO__TAG_KIND) > CSSPGO_PROBE_DIRECT_CALL)
        csspgo__probe_odd(s, at, &s->stats.odd_kinds, "a probe of unknown kind ", tag & CSSPGO__TAG_KIND);
    if (id == 0) csspgo__probe_odd(s, at, &s->stats.ids_0, "a probe without id, tag ", tag);
    if (attributes & CSSPGO__ATTR_RESERVED) s->stats.reserved_attributes++;
    csspgo__scan_address(s, at, tag, value);
    if (r->status == CSSPGO_OK && s->known) csspgo__scan_keep(s, id, tag, discriminator);
}

/* Where the addresses of a top-level record start: at its symbol, unless an absolute address began a chain. */
static void csspgo__scan_top(csspgo__probe_scan *s, uint64_t guid)
{
    uint64_t address = 0;
    const int found = csspgo__base_find(s, guid, &address);
    memset(&s->record, 0, sizeof s->record);
    s->record.symbol = guid;
    s->record.address = address;
    s->record.flags = found ? CSSPGO_RECORD_BASED : 0;
    s->record.first_inline = (uint32_t)(s->t->inline_count + s->inlines);
    s->record.first_probe = (uint32_t)(s->t->probe_count + s->probes);
    if (s->chained && !(found && s->in->flags & CSSPGO_PROBES_REBASE)) return;
    s->known = found;
    s->base = address;
}

/* A node begins: it becomes the top of the stack. */
static void csspgo__scan_push(csspgo__probe_scan *s, const unsigned char *at, uint64_t guid, uint32_t site,
                              uint32_t children)
{
    csspgo__heap *h = &s->t->heap;
    const uint32_t parent = s->depth != 0 ? s->stack[s->depth - 1].node : 0;
    if (s->depth >= h->limits.max_depth) {
        csspgo__fail(&s->r, CSSPGO_E_LIMIT, at, "inlinees are nested deeper than ");
        csspgo__say_u64(s->r.err, h->limits.max_depth);
        return;
    }
    if (s->depth == s->cap) {
        void *p = csspgo__grow(h, s->stack, s->depth, &s->cap, s->depth + 1, sizeof *s->stack);
        if (p == NULL) {
            csspgo__fail(&s->r, h->status, at, csspgo_status_text(h->status));
            return;
        }
        s->stack = (csspgo__probe_level *)p;
    }
    if (s->fill) {
        const size_t i = s->t->inline_count + (size_t)s->inlines;
        s->t->inlines[i].guid = guid;
        s->t->inlines[i].parent = parent;
        s->t->inlines[i].site = site;
        s->t->children[i] = children;
    }
    s->inlines++;
    s->record.inline_count++;
    s->stack[s->depth].node = (uint32_t)(s->t->inline_count + s->inlines);
    s->stack[s->depth].children = children;
    s->depth++;
}

/* A node up to its inlinees. The counts are checked against the bytes left before they are used. */
static void csspgo__scan_node(csspgo__probe_scan *s)
{
    csspgo__reader *r = &s->r;
    const unsigned char *at = r->p, *counts;
    const int top = s->depth == 0;
    const uint32_t site = top ? 0 : csspgo__uleb32(r);
    const uint64_t guid = csspgo__u64(r);
    uint32_t probes, children, i;
    counts = r->p;
    probes = csspgo__uleb32(r);
    children = csspgo__uleb32(r);
    if (r->status != CSSPGO_OK) return;
    if (probes > csspgo__left(r) / CSSPGO__PROBE_MIN) {
        csspgo__fail(r, CSSPGO_E_TRUNCATED, counts, "more probes than the bytes left can hold: ");
        csspgo__say_u64(r->err, probes);
    } else if (children > (csspgo__left(r) - (size_t)probes * CSSPGO__PROBE_MIN) / CSSPGO__INLINEE_MIN) {
        csspgo__fail(r, CSSPGO_E_TRUNCATED, counts, "more inlinees than the bytes left can hold: ");
        csspgo__say_u64(r->err, children);
    }
    if (guid == 0) csspgo__probe_odd(s, at, &s->stats.guids_0, "a function with GUID ", 0);
    if (r->status != CSSPGO_OK) return;
    if (top) csspgo__scan_top(s, guid);
    else if (site == 0) s->stats.sites_0++;
    csspgo__scan_push(s, at, guid, site, children);
    for (i = 0; i < probes && r->status == CSSPGO_OK; i++) csspgo__scan_probe(s, top && i == 0);
}

/* Leaves nodes whose inlinees were all read; a record that is complete is counted. Returns 1 if it was one. */
static int csspgo__scan_leave(csspgo__probe_scan *s)
{
    while (s->depth != 0 && s->stack[s->depth - 1].children == 0) s->depth--;
    if (s->depth != 0) {
        s->stack[s->depth - 1].children--;
        return 0;
    }
    if (s->fill) s->t->records[s->t->record_count + (size_t)s->records] = s->record;
    s->records++;
    return 1;
}

/* The counts and the end of the records that were complete. */
typedef struct csspgo__probe_extent {
    uint64_t inlines, probes, records;
    size_t   bytes;
} csspgo__probe_extent;

static void csspgo__scan(csspgo__probe_scan *s, size_t size, int fill, csspgo_error *err, csspgo__probe_extent *whole)
{
    csspgo__reader_init(&s->r, s->in->data, size, err);
    s->fill = fill;
    s->depth = 0;
    s->base = s->inlines = s->probes = s->records = 0;
    s->known = s->chained = 0;
    memset(&s->stats, 0, sizeof s->stats);
    memset(whole, 0, sizeof *whole);
    while (s->r.status == CSSPGO_OK && (s->depth != 0 || csspgo__left(&s->r) != 0)) {
        csspgo__scan_node(s);
        if (s->r.status != CSSPGO_OK || !csspgo__scan_leave(s)) continue;
        whole->inlines = s->inlines;
        whole->probes = s->probes;
        whole->records = s->records;
        whole->bytes = (size_t)(s->r.p - s->r.base);
    }
}

static void csspgo__stats_add(csspgo_probe_stats *a, const csspgo_probe_stats *b)
{
    a->absolute += b->absolute;
    a->sentinels += b->sentinels;
    a->raw_sentinels += b->raw_sentinels;
    a->reserved_attributes += b->reserved_attributes;
    a->sites_0 += b->sites_0;
    a->outside_text += b->outside_text;
    a->no_base += b->no_base;
    a->odd_sentinels += b->odd_sentinels;
    a->odd_kinds += b->odd_kinds;
    a->ids_0 += b->ids_0;
    a->guids_0 += b->guids_0;
}

/* Both runs; bases and stack are the caller's to free. */
static csspgo_status csspgo__decode_runs(csspgo__probe_scan *s, csspgo_error *err)
{
    csspgo_probes *t = s->t;
    csspgo__probe_extent whole, again;
    csspgo_status status, result = csspgo__bases_make(s);
    if (result != CSSPGO_OK) return csspgo__error_plain(err, result);
    csspgo__scan(s, s->in->size, 0, err, &whole);
    result = s->r.status;
    if (result != CSSPGO_OK && !(s->in->flags & CSSPGO_PROBES_KEEP_COMPLETE)) return result;
    status = csspgo__probes_reserve(t, whole.inlines, whole.probes, whole.records);
    if (status != CSSPGO_OK) return csspgo__error_plain(err, status);
    csspgo__scan(s, whole.bytes, 1, NULL, &again);
    CSSPGO_ASSERT(s->r.status == CSSPGO_OK && again.probes == whole.probes && again.inlines == whole.inlines);
    t->inline_count += (size_t)whole.inlines;
    t->probe_count += (size_t)whole.probes;
    t->record_count += (size_t)whole.records;
    if (whole.probes != 0) t->order_count = 0;
    csspgo__stats_add(&t->stats, &s->stats);
    return result;
}

CSSPGO_DEF csspgo_status csspgo_probes_decode(csspgo_probes *t, const csspgo_probe_section *in, csspgo_error *err)
{
    csspgo__probe_scan s;
    csspgo_status status;
    memset(&s, 0, sizeof s);
    s.in = in;
    s.t = t;
    status = csspgo__decode_runs(&s, err);
    csspgo__free(&t->heap, s.stack, s.cap * sizeof *s.stack);
    csspgo__map_free(&t->heap, &s.bases);
    return status;
}

/* ----- descriptors ------------------------------------------------------------------------------------------------ */

static uint32_t csspgo__descriptor_find(const csspgo_probes *t, uint64_t guid)
{
    const uint32_t hash = (uint32_t)csspgo__hash64(guid, t->heap.seed);
    uint32_t id, at = hash;
    while ((id = csspgo__map_next(&t->by_guid, hash, &at)) != 0)
        if (t->descriptors[id - 1].guid == guid) return id;
    return 0;
}

/* Names follow each other in text, so their places are sums of sizes. */
static void csspgo__descriptors_settle(csspgo_probes *t)
{
    size_t i, at = 0;
    for (i = 0; i < t->descriptor_count; i++) {
        t->descriptors[i].name = t->text + at;
        at += t->descriptors[i].name_size;
    }
}

static csspgo_status csspgo__descriptors_reserve(csspgo_probes *t, size_t entries, size_t text)
{
    csspgo__heap *h = &t->heap;
    void *p;
    if (entries > UINT32_MAX - 1 - t->descriptor_count || text > SIZE_MAX - 1 - t->text_size) return CSSPGO_E_LIMIT;
    if (t->descriptor_count + entries > t->descriptor_cap) {
        p = csspgo__grow(h, t->descriptors, t->descriptor_count, &t->descriptor_cap, t->descriptor_count + entries,
                         sizeof *t->descriptors);
        if (p == NULL) return h->status;
        t->descriptors = (csspgo_descriptor *)p;
    }
    if (t->text_size + text + 1 > t->text_cap) {   /* 1 more, so that a name is never NULL */
        p = csspgo__grow(h, t->text, t->text_size, &t->text_cap, t->text_size + text + 1, 1);
        if (p == NULL) return h->status;
        t->text = (char *)p;
        csspgo__descriptors_settle(t);
    }
    return CSSPGO_OK;
}

/* After csspgo__descriptors_reserve. Returns 0 when memory for the table of GUIDs is exhausted. */
static int csspgo__descriptor_put(csspgo_probes *t, uint64_t guid, uint64_t checksum, const void *name, size_t size)
{
    csspgo_descriptor *d = &t->descriptors[t->descriptor_count];
    const uint32_t old = csspgo__descriptor_find(t, guid);
    if (old != 0) {
        t->stats.duplicate_descriptors++;
        if (t->descriptors[old - 1].checksum != checksum) t->stats.conflicting_descriptors++;
        return 1;
    }
    if (!csspgo__map_reserve(&t->heap, &t->by_guid)) return 0;
    memset(d, 0, sizeof *d);
    d->guid = guid;
    d->checksum = checksum;
    d->name = t->text + t->text_size;
    d->name_size = size;
    if (size != 0) memcpy(t->text + t->text_size, name, size);
    t->text_size += size;
    t->descriptor_count++;
    csspgo__map_insert(&t->by_guid, (uint32_t)csspgo__hash64(guid, t->heap.seed), (uint32_t)t->descriptor_count);
    return 1;
}

/* Takes back the entries from number `count` on. */
static void csspgo__descriptors_drop(csspgo_probes *t, size_t count, size_t text_size, const csspgo_probe_stats *stats)
{
    size_t i;
    t->descriptor_count = count;
    t->text_size = text_size;
    t->stats = *stats;
    csspgo__map_clear(&t->by_guid);
    for (i = 0; i < count; i++)
        csspgo__map_insert(&t->by_guid, (uint32_t)csspgo__hash64(t->descriptors[i].guid, t->heap.seed),
                           (uint32_t)(i + 1));
}

/* Reads one entry; its name is the size bytes before r->p. */
static void csspgo__descriptor_read(csspgo__reader *r, uint32_t max_name, uint64_t *guid, uint64_t *checksum,
                                    uint32_t *size)
{
    const unsigned char *at;
    *guid = csspgo__u64(r);
    *checksum = csspgo__u64(r);
    at = r->p;
    *size = csspgo__uleb32(r);
    if (r->status != CSSPGO_OK) return;
    if (*size > csspgo__left(r)) {
        csspgo__fail(r, CSSPGO_E_TRUNCATED, at, "a name longer than the bytes left: ");
        csspgo__say_u64(r->err, *size);
    } else if (*size > max_name) {
        csspgo__fail(r, CSSPGO_E_LIMIT, at, "a name longer than limits.max_name: ");
        csspgo__say_u64(r->err, *size);
    } else {
        r->p += *size;
    }
}

CSSPGO_DEF csspgo_status csspgo_probes_decode_descriptors(csspgo_probes *t, const void *data, size_t size,
                                                          csspgo_error *err)
{
    const size_t old_count = t->descriptor_count, old_text = t->text_size;
    const csspgo_probe_stats old_stats = t->stats;
    csspgo__reader r;
    csspgo_status status;
    size_t entries = 0, text = 0;
    uint64_t guid, checksum;
    uint32_t n;
    csspgo__reader_init(&r, data, size, err);
    for (; csspgo__left(&r) != 0 && r.status == CSSPGO_OK; entries++, text += n)
        csspgo__descriptor_read(&r, t->heap.limits.max_name, &guid, &checksum, &n);
    if (r.status != CSSPGO_OK) return r.status;
    status = csspgo__descriptors_reserve(t, entries, text);
    if (status != CSSPGO_OK) return csspgo__error_plain(err, status);
    csspgo__reader_init(&r, data, size, err);
    while (csspgo__left(&r) != 0) {
        csspgo__descriptor_read(&r, t->heap.limits.max_name, &guid, &checksum, &n);
        if (csspgo__descriptor_put(t, guid, checksum, r.p - n, n)) continue;
        csspgo__descriptors_drop(t, old_count, old_text, &old_stats);
        return csspgo__error_plain(err, t->heap.status);
    }
    return CSSPGO_OK;
}

CSSPGO_DEF csspgo_status csspgo_probes_add_descriptor(csspgo_probes *t, const csspgo_descriptor *d, csspgo_error *err)
{
    const uint64_t guid = d->guid != 0 ? d->guid : csspgo_guid(d->name, d->name_size);
    csspgo_status status;
    if (guid == 0) return csspgo__error(err, CSSPGO_E_ARGUMENT, 0, "a function with GUID 0");
    if (d->name_size > t->heap.limits.max_name) return csspgo__error_plain(err, CSSPGO_E_LIMIT);
    status = csspgo__descriptors_reserve(t, 1, d->name_size);
    if (status == CSSPGO_OK && !csspgo__descriptor_put(t, guid, d->checksum, d->name, d->name_size))
        status = t->heap.status;
    return csspgo__error_plain(err, status);
}

/* ----- functions to be encoded: their nodes and probes are brought into the section's order ----------------------- */

/*
 * The function's inline tree without duplicates, in a csspgo__tree: site holds the GUID, func the call-site id, record
 * the number of probes, later the index of the next one, same the depth, later the index + 1 in the tables.
 */
typedef struct csspgo__probe_plan {
    csspgo__tree tree;
    uint32_t *node;               /* of each csspgo_inline, 0 = not used; [inline_count]   */
    uint32_t *sorted;             /* tree nodes, siblings in the order of the section      */
    size_t    nodes, node_bytes, sorted_bytes;
} csspgo__probe_plan;

static csspgo_status csspgo__function_error(csspgo_error *err, const char *text, size_t index)
{
    csspgo__error(err, CSSPGO_E_ARGUMENT, 0, text);
    csspgo__say_u64(err, index);
    return CSSPGO_E_ARGUMENT;
}

static csspgo_status csspgo__function_check(const csspgo_probe_function *f, csspgo_error *err)
{
    size_t i;
    csspgo__error_clear(err);
    for (i = 0; i < f->inline_count; i++) {
        if (f->inlines[i].parent > i)
            return csspgo__function_error(err, "a parent that does not come before node ", i);
        if (f->inlines[i].guid == 0) return csspgo__function_error(err, "GUID 0 in node ", i);
    }
    for (i = 0; i < f->probe_count; i++) {
        const csspgo_probe *p = &f->probes[i];
        if (p->inline_node == 0 || p->inline_node > f->inline_count)
            return csspgo__function_error(err, "no such node: probe ", i);
        if (p->id == 0) return csspgo__function_error(err, "id 0 in probe ", i);
        if (p->kind > CSSPGO_PROBE_DIRECT_CALL) return csspgo__function_error(err, "unknown kind in probe ", i);
        if (p->attributes & ~(CSSPGO__ATTR_RESERVED | CSSPGO__ATTR_DISCRIMINATOR))
            return csspgo__function_error(err, "unknown attributes in probe ", i);
    }
    return CSSPGO_OK;
}

/* Of siblings; how nodes of different parents compare does not matter. */
static int csspgo__plan_cmp(const void *ctx, const void *a, const void *b)
{
    const csspgo__tree *t = (const csspgo__tree *)ctx;
    const csspgo__node *x = &t->node[*(const uint32_t *)a], *y = &t->node[*(const uint32_t *)b];
    if (x->site != y->site) return x->site < y->site ? -1 : 1;
    return x->func < y->func ? -1 : x->func > y->func;
}

/* Puts the nodes that have probes in or below them into the tree. */
static csspgo_status csspgo__plan_tree(csspgo__heap *h, const csspgo_probe_function *f, csspgo__probe_plan *plan)
{
    size_t i;
    if (!csspgo__tree_init(h, &plan->tree)) return h->status;
    memset(plan->node, 0, f->inline_count * sizeof *plan->node);
    for (i = 0; i < f->probe_count; i++) plan->node[f->probes[i].inline_node - 1] = 1;
    for (i = f->inline_count; i-- > 0;)
        if (plan->node[i] != 0 && f->inlines[i].parent != 0) plan->node[f->inlines[i].parent - 1] = 1;
    for (i = 0; i < f->inline_count; i++) {
        const csspgo_inline *n = &f->inlines[i];
        const uint32_t parent = n->parent != 0 ? plan->node[n->parent - 1] : (uint32_t)CSSPGO__ROOT;
        if (plan->node[i] == 0) continue;
        plan->node[i] = csspgo__tree_add(h, &plan->tree, parent, n->guid, n->parent != 0 ? n->site : 0);
        if (plan->node[i] == 0) return h->status;
        plan->tree.node[plan->node[i]].same = plan->tree.node[parent].same + 1;
        if (plan->tree.node[parent].same >= h->limits.max_depth) return CSSPGO_E_LIMIT;
    }
    for (i = 0; i < f->probe_count; i++) plan->tree.node[plan->node[f->probes[i].inline_node - 1]].record++;
    return CSSPGO_OK;
}

/* Links siblings in their order, so that csspgo__tree_walk gives the order of the section. */
static csspgo_status csspgo__plan_sort(csspgo__heap *h, csspgo__probe_plan *plan)
{
    csspgo__node *node = plan->tree.node;
    size_t i;
    plan->nodes = plan->tree.count - 1;
    plan->sorted_bytes = plan->nodes * sizeof *plan->sorted;
    plan->sorted = (uint32_t *)csspgo__alloc(h, plan->sorted_bytes);
    if (plan->sorted == NULL) return h->status;
    for (i = 0; i < plan->nodes; i++) plan->sorted[i] = (uint32_t)i + 2;
    if (!csspgo__sort(h, plan->sorted, plan->nodes, sizeof *plan->sorted, csspgo__plan_cmp, &plan->tree))
        return h->status;
    for (i = 0; i < plan->nodes; i++) node[node[plan->sorted[i]].parent].child = 0;
    for (i = plan->nodes; i-- > 0;) {
        const uint32_t id = plan->sorted[i], parent = node[id].parent;
        node[id].sibling = node[parent].child;
        node[parent].child = id;
    }
    return CSSPGO_OK;
}

static csspgo_status csspgo__plan_make(csspgo__heap *h, const csspgo_probe_function *f, csspgo__probe_plan *plan)
{
    csspgo_status status;
    if (f->inline_count > UINT32_MAX / 8 || f->probe_count > UINT32_MAX / 8) return CSSPGO_E_LIMIT;
    plan->node_bytes = f->inline_count * sizeof *plan->node;
    plan->node = (uint32_t *)csspgo__alloc(h, plan->node_bytes);
    if (plan->node == NULL) return h->status;
    status = csspgo__plan_tree(h, f, plan);
    return status == CSSPGO_OK ? csspgo__plan_sort(h, plan) : status;
}

static csspgo_probe_record *csspgo__record_begin(csspgo_probes *t, const csspgo_probe_function *f, uint64_t guid,
                                                 size_t first_probe)
{
    csspgo_probe_record *r = &t->records[t->record_count++];
    memset(r, 0, sizeof *r);
    r->symbol = f->symbol != 0 ? f->symbol : guid;
    r->address = f->address;
    r->flags = CSSPGO_RECORD_BASED | (guid != r->symbol ? (uint32_t)CSSPGO_RECORD_SENTINEL : 0);
    r->first_inline = (uint32_t)t->inline_count;
    r->first_probe = (uint32_t)first_probe;
    return r;
}

static void csspgo__plan_nodes(csspgo_probes *t, const csspgo_probe_function *f, csspgo__probe_plan *plan)
{
    csspgo__node *node = plan->tree.node;
    csspgo_probe_record *record = NULL;
    size_t probe = t->probe_count;
    uint32_t id = CSSPGO__ROOT;
    node[CSSPGO__ROOT].same = 0;
    while ((id = csspgo__tree_walk(&plan->tree, id)) != 0) {
        csspgo_inline *to = &t->inlines[t->inline_count];
        const uint32_t count = node[id].record;
        to->guid = node[id].site;
        to->parent = node[node[id].parent].same;
        to->site = node[id].func;
        t->children[t->inline_count] = 0;
        if (to->parent != 0) t->children[to->parent - 1]++;
        else record = csspgo__record_begin(t, f, to->guid, probe);
        node[id].same = (uint32_t)++t->inline_count;
        node[id].record = (uint32_t)probe;
        probe += count;
        record->inline_count++;
        record->probe_count += count;
    }
}

static void csspgo__plan_probes(csspgo_probes *t, const csspgo_probe_function *f, csspgo__probe_plan *plan)
{
    size_t i;
    for (i = 0; i < f->probe_count; i++) {
        csspgo__node *node = &plan->tree.node[plan->node[f->probes[i].inline_node - 1]];
        csspgo_probe *to = &t->probes[node->record++];
        *to = f->probes[i];
        to->inline_node = node->same;
        to->reserved = 0;
        if (to->discriminator != 0) to->attributes |= CSSPGO__ATTR_DISCRIMINATOR;
    }
    t->probe_count += f->probe_count;
}

CSSPGO_DEF csspgo_status csspgo_probes_add(csspgo_probes *t, const csspgo_probe_function *f, csspgo_error *err)
{
    csspgo__heap *h = &t->heap;
    csspgo__probe_plan plan;
    csspgo_status status = csspgo__function_check(f, err);
    if (status != CSSPGO_OK || f->probe_count == 0) return status;
    memset(&plan, 0, sizeof plan);
    status = csspgo__plan_make(h, f, &plan);
    if (status == CSSPGO_OK) status = csspgo__probes_reserve(t, plan.nodes, f->probe_count, plan.nodes);
    if (status == CSSPGO_OK) {
        csspgo__plan_nodes(t, f, &plan);
        csspgo__plan_probes(t, f, &plan);
        t->order_count = 0;
    }
    csspgo__free(h, plan.node, plan.node_bytes);
    csspgo__free(h, plan.sorted, plan.sorted_bytes);
    csspgo__tree_free(h, &plan.tree);
    return csspgo__error_plain(err, status);
}

/* ----- encoding --------------------------------------------------------------------------------------------------- */

typedef struct csspgo__probe_writer {
    csspgo__sink       sink;
    csspgo_probe_style style;
    uint64_t           base;
    int                absolute;  /* the next probe is */
} csspgo__probe_writer;

static void csspgo__encode_probe(csspgo__probe_writer *w, const csspgo_probe *p)
{
    const int discriminator = p->discriminator != 0 || p->attributes & CSSPGO__ATTR_DISCRIMINATOR;
    const int attributes = (p->attributes & CSSPGO__ATTR_RESERVED) | (discriminator ? CSSPGO__ATTR_DISCRIMINATOR : 0);
    const unsigned char tag = (unsigned char)((p->kind & CSSPGO__TAG_KIND) | attributes << 4 |
                                              (w->absolute ? 0 : CSSPGO__TAG_DELTA));
    csspgo__put_uleb(&w->sink, p->id);
    csspgo__put(&w->sink, &tag, 1);
    if (w->absolute) csspgo__put_u64le(&w->sink, p->address);
    else csspgo__put_sleb(&w->sink, p->address - w->base);
    if (discriminator) csspgo__put_uleb(&w->sink, p->discriminator);
    w->base = p->address;
    w->absolute = w->style == CSSPGO_PROBES_ABSOLUTE;
}

static void csspgo__encode_record(csspgo__probe_writer *w, const csspgo_probes *t, const csspgo_probe_record *r)
{
    const size_t probe_end = (size_t)r->first_probe + r->probe_count;
    const int by_symbol = w->style == CSSPGO_PROBES_RELATIVE && r->flags & CSSPGO_RECORD_SENTINEL;
    const int sentinel = by_symbol || (w->style == CSSPGO_PROBES_SENTINEL_ADDRESS && r->flags & CSSPGO_RECORD_BASED);
    size_t i, k = r->first_probe, own;
    if (w->style != CSSPGO_PROBES_CHAIN) w->base = r->address;
    if (w->style == CSSPGO_PROBES_ABSOLUTE_FIRST) w->absolute = 1;
    for (i = r->first_inline; i < (size_t)r->first_inline + r->inline_count; i++) {
        const csspgo_inline *n = &t->inlines[i];
        for (own = 0; k + own < probe_end && t->probes[k + own].inline_node == i + 1; own++) {}
        if (n->parent != 0) csspgo__put_uleb(&w->sink, n->site);
        csspgo__put_u64le(&w->sink, n->guid);
        csspgo__put_uleb(&w->sink, (uint64_t)own + (sentinel && n->parent == 0));
        csspgo__put_uleb(&w->sink, t->children[i]);
        if (sentinel && n->parent == 0) {
            csspgo__put_char(&w->sink, 0);
            csspgo__put_char(&w->sink, CSSPGO__TAG_SENTINEL);
            csspgo__put_u64le(&w->sink, by_symbol ? r->symbol : r->address);
        }
        for (; own != 0; own--) csspgo__encode_probe(w, &t->probes[k++]);
    }
}

CSSPGO_DEF csspgo_status csspgo_probes_encode(const csspgo_probes *t, csspgo_probe_style style, void *buf, size_t cap,
                                              size_t *size, csspgo_error *err)
{
    const int needs_base = style == CSSPGO_PROBES_RELATIVE || style == CSSPGO_PROBES_SENTINEL_ADDRESS;
    csspgo__probe_writer w;
    size_t i;
    memset(&w, 0, sizeof w);
    csspgo__sink_buffer(&w.sink, buf, cap);
    w.style = style;
    w.absolute = style == CSSPGO_PROBES_ABSOLUTE || style == CSSPGO_PROBES_CHAIN;
    if (size != NULL) *size = 0;
    if ((uint32_t)style > CSSPGO_PROBES_CHAIN)
        return csspgo__error(err, CSSPGO_E_ARGUMENT, 0, "no such csspgo_probe_style");
    for (i = 0; needs_base && i < t->record_count; i++)
        if (!(t->records[i].flags & CSSPGO_RECORD_BASED) && t->records[i].probe_count != 0)
            return csspgo__function_error(err, "the address of the symbol is unknown: record ", i);
    for (i = 0; i < t->record_count; i++) csspgo__encode_record(&w, t, &t->records[i]);
    return csspgo__sink_end(&w.sink, size, err);
}

CSSPGO_DEF csspgo_status csspgo_probes_encode_descriptors(const csspgo_probes *t, void *buf, size_t cap, size_t *size,
                                                          csspgo_error *err)
{
    csspgo__sink s;
    size_t i;
    csspgo__sink_buffer(&s, buf, cap);
    for (i = 0; i < t->descriptor_count; i++) {
        const csspgo_descriptor *d = &t->descriptors[i];
        csspgo__put_u64le(&s, d->guid);
        csspgo__put_u64le(&s, d->checksum);
        csspgo__put_uleb(&s, d->name_size);
        csspgo__put(&s, d->name, d->name_size);
    }
    return csspgo__sink_end(&s, size, err);
}

/* ----- CFG checksum ----------------------------------------------------------------------------------------------- */

enum {                            /* marks of a block */
    CSSPGO__CFG_NORMAL = 1,       /* reachable without entering an EH pad     */
    CSSPGO__CFG_EH = 2,           /* an EH pad, or reachable from one         */
    CSSPGO__CFG_TARGET = 4,       /* has a predecessor                        */
    CSSPGO__CFG_COLD = 8,         /* no ids for it and its calls              */
    CSSPGO__CFG_SKIP = 16         /* no id for it                             */
};

#define CSSPGO__CALL_ID_MAX 0xffffu   /* LLVM 19 numbers no call beyond it, and nothing after such a call */

typedef struct csspgo__cfg {
    csspgo_cfg_block *b;
    size_t         n;
    unsigned char *mark;          /* [n]                              */
    uint32_t      *work, *power, *final;   /* [n] each; see csspgo__cfg_final */
    uint64_t       calls, bytes;  /* numbered calls; edge bytes       */
    uint32_t       crc;
} csspgo__cfg;

/* Marks what can be reached from the blocks that have the mark, along edges that do not enter EH pads. */
static void csspgo__cfg_reach(csspgo__cfg *c, unsigned mark)
{
    size_t i, top = 0;
    for (i = 0; i < c->n; i++)
        if (c->mark[i] & mark) c->work[top++] = (uint32_t)i;
    while (top != 0) {
        const csspgo_cfg_block *b = &c->b[c->work[--top]];
        for (i = 0; i < b->successor_count; i++) {
            const uint32_t to = b->successors[i];
            if (c->mark[to] & mark || c->b[to].flags & CSSPGO_CFG_EH_PAD) continue;
            c->mark[to] = (unsigned char)(c->mark[to] | mark);
            c->work[top++] = to;
        }
    }
}

static void csspgo__cfg_mark(csspgo__cfg *c)
{
    size_t i, k;
    for (i = 0; i < c->n; i++) {
        if (i == 0) c->mark[i] |= CSSPGO__CFG_NORMAL | CSSPGO__CFG_TARGET;
        if (c->b[i].flags & CSSPGO_CFG_EH_PAD) c->mark[i] |= CSSPGO__CFG_EH;
        for (k = 0; k < c->b[i].successor_count; k++) c->mark[c->b[i].successors[k]] |= CSSPGO__CFG_TARGET;
    }
    csspgo__cfg_reach(c, CSSPGO__CFG_NORMAL);
    csspgo__cfg_reach(c, CSSPGO__CFG_EH);
    for (i = 0; i < c->n; i++) {
        const unsigned m = c->mark[i] & (CSSPGO__CFG_NORMAL | CSSPGO__CFG_EH);
        if (m == CSSPGO__CFG_EH || !(c->mark[i] & CSSPGO__CFG_TARGET))
            c->mark[i] |= CSSPGO__CFG_COLD | CSSPGO__CFG_SKIP;
        if (c->b[i].flags & CSSPGO_CFG_INVOKE) c->mark[c->b[i].successors[0]] |= CSSPGO__CFG_SKIP;
    }
}

/* LLVM 19: a block's id, then those of its calls; too large a function is numbered in part. */
static void csspgo__cfg_number_19(csspgo__cfg *c)
{
    size_t i;
    uint64_t id = 0;
    for (i = 0; i < c->n; i++) {
        csspgo_cfg_block *b = &c->b[i];
        uint64_t calls = c->mark[i] & CSSPGO__CFG_COLD ? 0 : b->call_count;
        if (!(c->mark[i] & CSSPGO__CFG_SKIP)) b->id = (uint32_t)++id;
        if (calls == 0) continue;
        if (calls > CSSPGO__CALL_ID_MAX) calls = CSSPGO__CALL_ID_MAX;
        if (id >= CSSPGO__CALL_ID_MAX) calls = 0;
        else if (calls > CSSPGO__CALL_ID_MAX - id) calls = CSSPGO__CALL_ID_MAX - id;
        b->first_call = calls != 0 ? (uint32_t)id + 1 : 0;
        b->numbered_calls = (uint32_t)calls;
        c->calls += calls;
        id += calls;
        if (calls < b->call_count) return;
    }
}

/* LLVM 14: all blocks, then all calls. */
static csspgo_status csspgo__cfg_number_14(csspgo__cfg *c)
{
    size_t i;
    for (i = 0; i < c->n; i++) c->b[i].id = (uint32_t)i + 1;
    for (i = 0; i < c->n; i++) {
        csspgo_cfg_block *b = &c->b[i];
        if (b->call_count == 0) continue;
        if (c->n + c->calls + b->call_count > UINT32_MAX) return CSSPGO_E_LIMIT;
        b->first_call = (uint32_t)(c->n + c->calls) + 1;
        b->numbered_calls = b->call_count;
        c->calls += b->call_count;
    }
    return CSSPGO_OK;
}

/*
 * Whose edges stand for a block's: LLVM 19 goes on through invokes to their continuations and through blocks without
 * id. One step from every block is a function f; f applied n times is computed for all blocks at once by squaring, so
 * that neither long chains nor cycles (on which LLVM 19 hangs) cost more than O(n log n).
 */
static void csspgo__cfg_final(csspgo__cfg *c)
{
    size_t i, k;
    for (i = 0; i < c->n; i++) {
        const csspgo_cfg_block *b = &c->b[i];
        const int on = b->flags & CSSPGO_CFG_INVOKE ||
                       (b->successor_count == 1 && c->mark[b->successors[0]] & CSSPGO__CFG_SKIP);
        c->power[i] = on ? b->successors[0] : (uint32_t)i;
        c->final[i] = (uint32_t)i;
    }
    for (k = c->n; k != 0; k /= 2) {
        uint32_t *t = c->power;
        if (k & 1)
            for (i = 0; i < c->n; i++) c->final[i] = c->power[c->final[i]];
        for (i = 0; i < c->n; i++) c->work[i] = c->power[c->power[i]];
        c->power = c->work;
        c->work = t;
    }
}

/* CRC-32 without the final inversion, fed with the id in 4 little-endian bytes. */
static void csspgo__cfg_edge(csspgo__cfg *c, uint32_t id)
{
    unsigned i;
    c->crc ^= id;
    for (i = 0; i < 32; i++) c->crc = c->crc >> 1 ^ (c->crc & 1 ? 0xEDB88320u : 0);
    c->bytes += 4;
}

static csspgo_status csspgo__cfg_run(csspgo__cfg *c, csspgo_llvm version)
{
    size_t i, k;
    csspgo_status s = CSSPGO_OK;
    if (version == CSSPGO_LLVM_14) {
        s = csspgo__cfg_number_14(c);
        for (i = 0; i < c->n; i++) c->final[i] = (uint32_t)i;
    } else {
        csspgo__cfg_mark(c);
        csspgo__cfg_number_19(c);
        csspgo__cfg_final(c);
    }
    for (i = 0; i < c->n && s == CSSPGO_OK; i++) {
        const csspgo_cfg_block *b = &c->b[c->final[i]];
        if (c->mark[i] & CSSPGO__CFG_SKIP) continue;
        for (k = 0; k < b->successor_count; k++)
            if (c->b[b->successors[k]].id != 0) csspgo__cfg_edge(c, c->b[b->successors[k]].id);
    }
    return s;
}

static csspgo_status csspgo__cfg_check(csspgo_cfg_block *blocks, size_t count, csspgo_error *err)
{
    size_t i, k;
    if (count > UINT32_MAX / 32) return csspgo__error_plain(err, CSSPGO_E_LIMIT);
    for (i = 0; i < count; i++) {
        csspgo_cfg_block *b = &blocks[i];
        b->id = b->first_call = b->numbered_calls = 0;
        if (b->flags & CSSPGO_CFG_INVOKE && b->successor_count == 0)
            return csspgo__function_error(err, "an invoke without successors: block ", i);
        for (k = 0; k < b->successor_count; k++)
            if (b->successors[k] >= count)
                return csspgo__function_error(err, "a successor that is no block: block ", i);
    }
    csspgo__error_clear(err);
    return CSSPGO_OK;
}

CSSPGO_DEF csspgo_status csspgo_cfg_checksum(csspgo_cfg_block *blocks, size_t count, csspgo_llvm version,
                                             const csspgo_options *options, uint64_t *checksum, csspgo_error *err)
{
    const size_t bytes = count * (3 * sizeof(uint32_t) + 1) + sizeof(uint32_t);
    csspgo__heap h;
    csspgo__cfg c;
    void *memory;
    csspgo_status s;
    *checksum = 0;
    if (version != CSSPGO_LLVM_14 && version != CSSPGO_LLVM_19)
        return csspgo__error(err, CSSPGO_E_ARGUMENT, 0, "no such csspgo_llvm");
    s = csspgo__cfg_check(blocks, count, err);
    if (s != CSSPGO_OK) return s;
    csspgo__heap_init(&h, options);
    memory = csspgo__alloc(&h, bytes);
    if (memory == NULL) return csspgo__error_plain(err, h.status);
    memset(memory, 0, bytes);
    memset(&c, 0, sizeof c);
    c.b = blocks;
    c.n = count;
    c.work = (uint32_t *)memory;
    c.power = c.work + count;
    c.final = c.power + count;
    c.mark = (unsigned char *)(c.final + count);
    c.crc = UINT32_MAX;
    s = csspgo__cfg_run(&c, version);
    csspgo__free(&h, memory, bytes);
    if (s != CSSPGO_OK) return csspgo__error_plain(err, s);
    *checksum = (c.calls << 48 | c.bytes << 32 | c.crc) & UINT64_C(0x0FFFFFFFFFFFFFFF);
    return CSSPGO_OK;
}

/* ----- call probes in discriminators ---------------------------------------------------------------------------------
 * bits 0-2: 7; 3-18: the id, or (bit 28) 3-15 the id and 16-18 the base discriminator; 19-25 percent; 26-27 kind. */

#define CSSPGO__CALL_HAS_BASE 0x10000000u

CSSPGO_DEF uint32_t csspgo_call_probe_pack(const csspgo_call_probe *c, csspgo_llvm version)
{
    const uint32_t d = 7u | c->id << 3 | c->percent << 19 | c->kind << 26;
    if (c->id == 0 || c->id > 0xffff || c->kind > CSSPGO_PROBE_DIRECT_CALL || c->percent > 100) return 0;
    if (version == CSSPGO_LLVM_14 || c->id > 0x1fff || c->base_discriminator > 7) return d;
    return d | c->base_discriminator << 16 | CSSPGO__CALL_HAS_BASE;
}

CSSPGO_DEF int csspgo_call_probe_unpack(uint32_t d, csspgo_call_probe *c)
{
    const int has_base = (d & CSSPGO__CALL_HAS_BASE) != 0;
    memset(c, 0, sizeof *c);
    if ((d & 7) != 7) return 0;
    c->id = d >> 3 & (has_base ? 0x1fffu : 0xffffu);
    c->base_discriminator = has_base ? d >> 16 & 7 : 0;
    c->percent = d >> 19 & 127;
    c->kind = d >> 26 & 3;
    return 1;
}

#endif /* CSSPGO_NO_CODE */

/* ----- instructions ----------------------------------------------------------------------------------------------- */

#ifndef CSSPGO_NO_CODE

/*
 * x86-64: prefixes, an opcode of some map, then what its class says: ModRM with SIB and displacement, an immediate.
 * Maps 1 (one byte), 2 (0F), 3 (0F38) and 4 (0F3A) are strings of classes, one letter an opcode; where the operand
 * decides whether it is an instruction, the class is a group and csspgo__x86_groups says which operands are. VEX, XOP
 * and EVEX opcodes are rows of tables. What is an instruction was read out of LLVM 19.1.7 by trying every opcode under
 * every prefix; tests/oracle_insn.c compares. Known differences: jmpabs is a jump here; prefixes at the very end of the
 * code are no instruction here; EVEX with U = 0 and vector index 32 or more; 67 before movdir64b and enqcmd of APX.
 *
 * pos stands where LLVM's decoder stands at any moment: when something does not fit, it is the number of bytes to skip.
 *
 *   letter     operands                              letter     operands
 *   .          not an instruction                    g G H F    a group: none, imm8, imm16/32, or imm only for /0
 *   n          none                                  p P q      as m, B, k, but only with prefix 66
 *   b w e d    imm8, imm16, imm16 + imm8, imm32      h          as m, but only with prefix 66 or F2
 *   z v o      imm16/32, imm16/32/64, moffs          c j y J    rel8 conditional, rel8, rel16/32 conditional, rel16/32
 *   m r k      ModRM: any, register only, memory     C t T      call rel32, return, return imm16
 *   B Z R      m + imm8, m + imm16/32, r + imm8      x i        0F78 (vmread, extrq, insertq), 0F09 (wbinvd)
 */
static const char csspgo__x86_classes[4][257] = {
    "mmmmbz..mmmmbz.." "mmmmbz..mmmmbz.." "mmmmbzn.mmmmbzn." "mmmmbzn.mmmmbzn."
    "........n......." "nnnnnnnnnnnnnnnn" "...mnnnnzZbBnnnn" "cccccccccccccccc"
    "BZ.Bmmmmmmmmgkgg" "nnnnnnnnnn.nnnnn" "oooonnnnbznnnnnn" "bbbbbbbbvvvvvvvv"
    "GGTt..GHenTtnb.t" "gggg...nmggggggg" "ccccbbbbCJ.jnnnn" "n.nnnnFFnnnnnngg",
    "ggmm.nnnni.n.gn." "mmmkmmmkg...g.gm" "rrrr....mmmkmmmm" "nnnnnn.n........"
    "mmmmmmmmmmmmmmmm" "rmmmmmmmmmmmmmmm" "mmmmmmmmmmmmppmm" "BGGGmmmnxm..hhmm"
    "yyyyyyyyyyyyyyyy" "mmmmmmmmmmmmmmmm" "nnnmBmggnnnmBmgm" "mmkmkkmmgmGmmmmm"
    "mmBkBRBgnnnnnnnn" "hmmmmmgrmmmmmmmm" "mmmmmmgkmmmmmmmm" "gmmmmmmrmmmmmmm.",
    "mmmmmmmmmmmm...." "p...pp.p....mmm." "pppppp..ppqp...." "pppppp.ppppppppp"
    "pp.............." "................" "................" "................"
    "qqq............." "................" "................" "................"
    "........mmmmmm.p" "........g..pgggg" "................" "gg...qg.gkggk...",
    "........PPPPPPPB" "....PPPP........" "PPP............." "................"
    "PPP.P..........." "................" "PPPP............" "................"
    "................" "................" "................" "................"
    "............B.PP" "...............P" "................" "G..............."
};

/* Mandatory prefix of an opcode in maps 2 to 4; 66 beside F2 or F3 counts only when neither stands right before 0F. */
enum {
    CSSPGO__PP_NONE = 0, CSSPGO__PP_66 = 1, CSSPGO__PP_F3 = 2, CSSPGO__PP_F2 = 3,
    CSSPGO__PP_66_F3 = 4, CSSPGO__PP_66_F2 = 5
};

typedef struct csspgo__x86_group {
    uint16_t op;     /* map << 8 | opcode                                                    */
    uint8_t  pp;     /* set of prefixes (1 << CSSPGO__PP_...) the row is for                 */
    uint8_t  mem;    /* set of ModRM.reg values that are instructions with a memory operand  */
    uint64_t reg;    /* set of ModRM values - 0xC0 that are instructions                     */
} csspgo__x86_group;

/* Sorted by op. */
static const csspgo__x86_group csspgo__x86_groups[] = {
    {0x18c, 0x01, 0x3f, 0x0000ffffffffffffu}, {0x18e, 0x01, 0x3f, 0x0000ffffffffffffu},    /* mov sreg          */
    {0x18f, 0x01, 0x01, 0x00000000000000ffu},                                              /* pop               */
    {0x1c0, 0x01, 0xbf, 0xff00ffffffffffffu}, {0x1c1, 0x01, 0xbf, 0xff00ffffffffffffu},    /* shifts            */
    {0x1c6, 0x01, 0x01, 0x01000000000000ffu}, {0x1c7, 0x01, 0x01, 0x01000000000000ffu},    /* mov, xabort/xbegin */
    {0x1d0, 0x01, 0xbf, 0xff00ffffffffffffu}, {0x1d1, 0x01, 0xbf, 0xff00ffffffffffffu},    /* shifts            */
    {0x1d2, 0x01, 0xbf, 0xff00ffffffffffffu}, {0x1d3, 0x01, 0xbf, 0xff00ffffffffffffu},
    {0x1d9, 0x01, 0xfd, 0xffff7f330001ffffu}, {0x1da, 0x01, 0xff, 0x00000200ffffffffu},    /* x87               */
    {0x1db, 0x01, 0xaf, 0x00ffff0cffffffffu}, {0x1dc, 0x01, 0xff, 0xffffffff0000ffffu},
    {0x1dd, 0x01, 0xdf, 0x0000ffffffff00ffu}, {0x1de, 0x01, 0xff, 0xffffffff0200ffffu},
    {0x1df, 0x01, 0xff, 0x00ffff01000000ffu},
    {0x1f6, 0x01, 0xfd, 0xffffffffffff00ffu}, {0x1f7, 0x01, 0xfd, 0xffffffffffff00ffu},    /* test, not, mul    */
    {0x1fe, 0x01, 0x03, 0x000000000000ffffu}, {0x1ff, 0x01, 0x7f, 0x00ff00ff00ffffffu},    /* inc, call, jmp    */
    {0x200, 0x07, 0x3f, 0x0000ffffffffffffu}, {0x200, 0x08, 0x7f, 0x00ffffffffffffffu},    /* sldt, lkgs        */
    {0x201, 0x01, 0xdf, 0xffffc1fffff38fffu}, {0x201, 0x02, 0xdf, 0xffffc1fffff3ffffu},    /* system            */
    {0x201, 0x04, 0xff, 0xfffff5fffff38fffu}, {0x201, 0x08, 0xdf, 0xffffc3fffff38fffu},
    {0x20d, 0x0f, 0x07, 0x0000000000000000u}, {0x218, 0x0f, 0xcf, 0x0000000000000000u},    /* prefetch          */
    {0x21c, 0x0f, 0x01, 0x0000000000000000u}, {0x21e, 0x04, 0x00, 0x0c0000000000ff00u},    /* cldemote, endbr   */
    {0x271, 0x0f, 0x00, 0x00ff00ff00ff0000u}, {0x272, 0x0f, 0x00, 0x00ff00ff00ff0000u},    /* vector shifts     */
    {0x273, 0x0d, 0x00, 0x00ff000000ff0000u}, {0x273, 0x02, 0x00, 0xffff0000ffff0000u},
    {0x2a6, 0x0f, 0x00, 0x0000000000010101u}, {0x2a7, 0x0f, 0x00, 0x0000010101010101u},    /* VIA               */
    {0x2ae, 0x0b, 0xff, 0xffffff0000000000u}, {0x2ae, 0x04, 0xff, 0xffffffffffffffffu},    /* fxsave, fences    */
    {0x2b8, 0x14, 0xff, 0xffffffffffffffffu}, {0x2ba, 0x0f, 0xf0, 0xffffffff00000000u},    /* popcnt, bt        */
    {0x2c7, 0x0f, 0xfa, 0xffff000000000000u},                                              /* cmpxchg8b         */
    {0x2d6, 0x02, 0xff, 0xffffffffffffffffu}, {0x2d6, 0x0c, 0x00, 0xffffffffffffffffu},    /* movq              */
    {0x2e6, 0x0e, 0xff, 0xffffffffffffffffu}, {0x2f0, 0x08, 0xff, 0x0000000000000000u},    /* cvt, lddqu        */
    {0x3d8, 0x04, 0x0f, 0x0000000000000000u}, {0x3dc, 0x06, 0xff, 0xffffffffffffffffu},    /* aes               */
    {0x3dd, 0x02, 0xff, 0xffffffffffffffffu}, {0x3dd, 0x04, 0xff, 0x0000000000000000u},
    {0x3de, 0x02, 0xff, 0xffffffffffffffffu}, {0x3de, 0x04, 0xff, 0x0000000000000000u},
    {0x3df, 0x02, 0xff, 0xffffffffffffffffu}, {0x3df, 0x04, 0xff, 0x0000000000000000u},
    {0x3f0, 0x07, 0xff, 0x0000000000000000u}, {0x3f0, 0x08, 0xff, 0xffffffffffffffffu},    /* movbe, crc32      */
    {0x3f1, 0x07, 0xff, 0x0000000000000000u}, {0x3f1, 0x28, 0xff, 0xffffffffffffffffu},
    {0x3f6, 0x09, 0xff, 0x0000000000000000u}, {0x3f6, 0x06, 0xff, 0xffffffffffffffffu},    /* wrss, adx         */
    {0x3f8, 0x02, 0xff, 0x0000000000000000u}, {0x3f8, 0x0c, 0xff, 0xffffffffffffffffu},    /* movdir64b, enqcmd */
    {0x3fa, 0x04, 0x00, 0xffffffffffffffffu}, {0x3fb, 0x04, 0x00, 0xffffffffffffffffu},    /* key locker        */
    {0x4f0, 0x04, 0x00, 0x0000000000000001u}                                               /* hreset            */
};

/*
 * A form is what a vector opcode may look like. Digits of rules, from the left:
 *   length    set of vector lengths: 1 L = 0, 2 L = 1, 4 L = 2 or 3
 *   b         with EVEX.b: 1 memory (broadcast), 2 register at any length (rounding), 4 register at the lengths above
 *   k         1 without a mask register, 2 with one
 *   z         with EVEX.z: 1 memory, 2 register
 *   vvvv      used: 1 without EVEX.b, 2 with it, 4 only beside a register operand; 8: bit 4 belongs to a vector index
 *   imm       0, 1, 2 bytes; 3: 4 bytes
 *   operand   1 needs SIB, 2 ModRM.rm = 0 only, 4 no ModRM at all, 8 only with EVEX.b
 *   small     register numbers below 8: 1 reg (EVEX.R' is void), 2 rm, 4 vvvv, 8 reg
 */
enum {
    CSSPGO__RULE_LENGTH = 28, CSSPGO__RULE_B = 24, CSSPGO__RULE_K = 20, CSSPGO__RULE_Z = 16,
    CSSPGO__RULE_VVVV = 12, CSSPGO__RULE_IMM = 8, CSSPGO__RULE_OPERAND = 4
};

typedef struct csspgo__x86_form {
    uint32_t rules;
    uint8_t  mem, reg;   /* sets of ModRM.reg values with a memory, with a register operand */
} csspgo__x86_form;

static const csspgo__x86_form csspgo__x86_forms[145] = {
    {0x70333000u, 0xff, 0xff}, {0x72333000u, 0xff, 0xff}, {0x30103000u, 0xff, 0xff}, {0x71333000u, 0xff, 0xff},
    {0x13102000u, 0xff, 0xff}, {0x73333000u, 0xff, 0xff}, {0x10100000u, 0xff, 0xff}, {0x30100000u, 0xff, 0xff},
    {0x73132000u, 0xff, 0xff}, {0x10103000u, 0xff, 0xff}, {0x73330000u, 0xff, 0xff}, {0x10103100u, 0xff, 0xff},
    {0x70330000u, 0xff, 0xff}, {0x30103100u, 0xff, 0xff}, {0x10100000u, 0xff, 0x00}, {0x70320000u, 0xff, 0xff},
    {0x71330000u, 0xff, 0xff}, {0x10100100u, 0xff, 0xff}, {0x10103000u, 0xff, 0x00}, {0x30100000u, 0xff, 0x00},
    {0x71333100u, 0xff, 0xff}, {0x72100000u, 0xff, 0xff}, {0x72333100u, 0xff, 0xff}, {0x71303001u, 0xff, 0xff},
    {0x15102000u, 0xbf, 0xbf}, {0x20103007u, 0x00, 0xff}, {0x20103100u, 0xff, 0xff}, {0x30100100u, 0xff, 0xff},
    {0x40333000u, 0xff, 0x00}, {0x70100002u, 0x00, 0xff}, {0x70103000u, 0xff, 0xff}, {0x70303001u, 0xff, 0xff},
    {0x70333100u, 0xff, 0xff}, {0x72103000u, 0xff, 0xff}, {0x73132000u, 0xb3, 0xb3}, {0x73330100u, 0xff, 0xff},
    {0x10100000u, 0x00, 0xff}, {0x10103007u, 0x00, 0xff}, {0x12333000u, 0xff, 0xff}, {0x20100100u, 0xff, 0xff},
    {0x30103000u, 0xff, 0x00}, {0x43330000u, 0xff, 0xff}, {0x70100000u, 0xff, 0x00}, {0x71330100u, 0xff, 0xff},
    {0x10100000u, 0x01, 0x00}, {0x10100000u, 0xf0, 0xf0}, {0x10100001u, 0x00, 0xff}, {0x10100001u, 0xff, 0x00},
    {0x10100002u, 0x00, 0xff}, {0x10100003u, 0x00, 0xff}, {0x10100003u, 0xff, 0xff}, {0x10100100u, 0x00, 0xff},
    {0x10100300u, 0x00, 0x01}, {0x10103000u, 0x0e, 0x0e}, {0x10103100u, 0x80, 0x80}, {0x13102100u, 0xff, 0xff},
    {0x15102000u, 0x03, 0x03}, {0x15102000u, 0x0c, 0x0c}, {0x15102100u, 0x7f, 0x7f}, {0x15102100u, 0xbf, 0xbf},
    {0x20100000u, 0xff, 0x00}, {0x20103000u, 0xff, 0xff}, {0x30100000u, 0x00, 0xff}, {0x40320100u, 0xff, 0xff},
    {0x40330000u, 0xff, 0x00}, {0x40333100u, 0xff, 0xff}, {0x60320100u, 0xff, 0xff}, {0x60330000u, 0xff, 0x00},
    {0x60333100u, 0xff, 0xff}, {0x61333000u, 0xff, 0xff}, {0x61333100u, 0xff, 0xff}, {0x70100001u, 0x00, 0xff},
    {0x70130000u, 0xf0, 0xf0}, {0x70130000u, 0xff, 0xff}, {0x70208010u, 0xff, 0x00}, {0x70327000u, 0xff, 0xff},
    {0x70330000u, 0x00, 0xff}, {0x70333000u, 0xff, 0x00}, {0x70337000u, 0xff, 0xff}, {0x72303101u, 0xff, 0xff},
    {0x73132000u, 0x03, 0x03}, {0x73132000u, 0x08, 0x08}, {0x73132100u, 0x73, 0x73}, {0x73132100u, 0xb3, 0xb3},
    {0x73132100u, 0xff, 0xff}, {0x73303101u, 0xff, 0xff}, {0x73333100u, 0xff, 0xff}, {0x10100000u, 0x00, 0x03},
    {0x10100000u, 0x0c, 0x00}, {0x10100011u, 0xff, 0x00}, {0x10100018u, 0xff, 0x00}, {0x10100020u, 0x01, 0x01},
    {0x10100021u, 0x00, 0xff}, {0x10100103u, 0x00, 0xff}, {0x10100300u, 0xff, 0xff}, {0x10103000u, 0x42, 0x42},
    {0x10103000u, 0xfe, 0xfe}, {0x10103100u, 0x01, 0x01}, {0x10103200u, 0x01, 0x01}, {0x10103200u, 0x80, 0x80},
    {0x10103300u, 0x01, 0x01}, {0x10103300u, 0x03, 0x03}, {0x10103300u, 0x80, 0x80}, {0x10300101u, 0xff, 0xff},
    {0x12333100u, 0xff, 0xff}, {0x13100100u, 0xff, 0xff}, {0x13100200u, 0xff, 0xff}, {0x13100300u, 0xff, 0xff},
    {0x14102080u, 0x00, 0x01}, {0x14102080u, 0x00, 0x40}, {0x15100000u, 0xff, 0xff}, {0x15102000u, 0xff, 0xff},
    {0x15102200u, 0x7f, 0x7f}, {0x15102300u, 0x7f, 0x7f}, {0x20100000u, 0x00, 0xff}, {0x20100000u, 0xff, 0xff},
    {0x20103000u, 0x00, 0xff}, {0x30100040u, 0xff, 0xff}, {0x30103010u, 0xff, 0x00}, {0x30103100u, 0x00, 0x54},
    {0x30103100u, 0x00, 0xcc}, {0x30107000u, 0xff, 0xff}, {0x40208010u, 0x66, 0x00}, {0x60330000u, 0xff, 0xff},
    {0x61330100u, 0xff, 0xff}, {0x70103100u, 0x88, 0x88}, {0x70103100u, 0xff, 0xff}, {0x70130100u, 0xff, 0xff},
    {0x70130200u, 0xff, 0xff}, {0x70130300u, 0xff, 0xff}, {0x70300101u, 0xff, 0xff}, {0x70303101u, 0xff, 0xff},
    {0x70330100u, 0xff, 0xff}, {0x70333000u, 0x0e, 0x0e}, {0x70333100u, 0x54, 0x54}, {0x71103008u, 0xff, 0xff},
    {0x71300101u, 0xff, 0xff}, {0x71303101u, 0xff, 0xff}, {0x71333100u, 0x13, 0x13}, {0x71333100u, 0x44, 0x44},
    {0x71333100u, 0x57, 0x57}, {0x72320100u, 0xff, 0xff}, {0x72330000u, 0xff, 0xff}, {0x73132200u, 0x73, 0x73},
    {0x73132300u, 0x73, 0x73}
};

/* Sorted rows 0xAABBCCDD: opcodes AA to BB, set CC of prefix * 2 + W (prefix 0 none, 1 66, 2 F3, 3 F2), form DD. */
static const uint32_t csspgo__x86_rows[666] = {
    /* VEX map 1 (0F) */
    0x10110f07, 0x1011f079, 0x12120309, 0x12120c12, 0x1212f007, 0x13130f0e, 0x14150f02, 0x16160309, 0x16160c12,
    0x16163007, 0x17170f0e, 0x28290f07, 0x2a2af002, 0x2b2b0f13, 0x2c2df007, 0x2e2f0f07, 0x41420f19, 0x44440f31,
    0x45470f19, 0x4a4a0f19, 0x4b4b0719, 0x50500f3e, 0x51510f07, 0x5151f002, 0x52530307, 0x52533002, 0x54570f02,
    0x5859ff02, 0x5a5a0f07, 0x5a5af002, 0x5b5b3f07, 0x5c5fff02, 0x606d0c02, 0x6e6e0c06, 0x6f6f3c07, 0x7070fc1b,
    0x71720c77, 0x73730c78, 0x74760c02, 0x77770375, 0x7c7dcc02, 0x7e7e3c06, 0x7f7f3c07, 0x90900f32, 0x91910f2f,
    0x9292c52e, 0x9393c530, 0x98990f31, 0xaeae0358, 0xc2c2ff0d, 0xc4c40c0b, 0xc5c50c33, 0xc6c60f0d, 0xd0d0cc02,
    0xd1d50c02, 0xd6d60c06, 0xd7d70c3e, 0xd8e50c02, 0xe6e6fc07, 0xe7e70c13, 0xe8ef0c02, 0xf0f0c013, 0xf1f60c02,
    0xf7f70c24, 0xf8fe0c02,
    /* VEX map 2 (0F38) */
    0x000b0c02, 0x0c0d0402, 0x0e0f0407, 0x13130407, 0x1616043d, 0x17170c07, 0x18180407, 0x19190473, 0x1a1a043c,
    0x1c1e0c07, 0x20250c07, 0x28290c02, 0x2a2a0c13, 0x2b2b0c02, 0x2c2f0428, 0x30350c07, 0x3636043d, 0x37400c02,
    0x41410c06, 0x45450c02, 0x46460402, 0x47470c02, 0x4949015b, 0x4949042c, 0x4949405c, 0x4b4b5459, 0x50515502,
    0x52530402, 0x58590407, 0x5a5a043c, 0x5c5c5025, 0x5e5e5525, 0x6c6c0725, 0x72721007, 0x78790407, 0x8c8c0c28,
    0x8e8e0c28, 0x90930c76, 0x969f0c02, 0xa6af0c02, 0xb0b05513, 0xb1b11413, 0xb4b50802, 0xb6bf0c02, 0xcbcb4074,
    0xcccd4072, 0xcfcf0402, 0xd2d31502, 0xdada0509, 0xdada5002, 0xdbdb0c06, 0xdcdf0c02, 0xe0ef0c12, 0xf2f20309,
    0xf3f30335, 0xf5f5f309, 0xf6f6c009, 0xf7f7ff09,
    /* VEX map 3 (0F3A) */
    0x00010827, 0x0202040d, 0x0405041b, 0x0606041a, 0x08090c1b, 0x0a0f0c0d, 0x14170c11, 0x1818041a, 0x19190427,
    0x1d1d041b, 0x20220c0b, 0x30330c5d, 0x3838041a, 0x39390427, 0x40400c0d, 0x41410c0b, 0x42420c0d, 0x44440c0d,
    0x4646041a, 0x48490c0d, 0x4a4c040d, 0x5c5f0c0d, 0x60630c11, 0x686f0c0d, 0x787f0c0d, 0xcecf080d, 0xdede040b,
    0xdfdf0c11, 0xf0f0c011,
    /* VEX map 7 */
    0xf8f85034,
    /* XOP map 8 */
    0x8587010b, 0x8e8f010b, 0x9597010b, 0x9e9f010b, 0xa2a2030d, 0xa3a3030b, 0xa6a6010b, 0xb6b6010b, 0xc0c30111,
    0xcccf010b, 0xecef010b,
    /* XOP map 9 */
    0x01010360, 0x0202035f, 0x12120357, 0x80810107, 0x82830106, 0x909b0309, 0xc1c30106, 0xc6c70106, 0xcbcb0106,
    0xd1d30106, 0xd6d70106, 0xdbdb0106, 0xe1e30106,
    /* XOP map 10 */
    0x1010035e, 0x12120365,
    /* EVEX map 1 (0F) */
    0x1010090c, 0x1010904e, 0x1111090f, 0x1111904b, 0x12120109, 0x12120812, 0x1212900c, 0x1313090e, 0x14150903,
    0x16160109, 0x16160812, 0x1616100c, 0x1717090e, 0x2828090c, 0x2929090f, 0x2a2a401e, 0x2a2ab021, 0x2b2b092a,
    0x2c2df015, 0x2e2f0915, 0x5151090a, 0x51519001, 0x54570903, 0x58590905, 0x58599001, 0x5a5a090a, 0x5a5a9001,
    0x5b5b170a, 0x5c5f0905, 0x5c5f9001, 0x60610c00, 0x62620403, 0x63630c00, 0x64650c1f, 0x66660417, 0x67690c00,
    0x6a6b0403, 0x6c6d0803, 0x6e6e0c06, 0x6f6ffc0c, 0x7070042b, 0x7070f084, 0x71710c86, 0x7272048c, 0x7272088a,
    0x7373088b, 0x73730c7d, 0x74750c1f, 0x76760417, 0x78790f0a, 0x7879f015, 0x7a7a1010, 0x7a7aec0a, 0x7b7b0c0a,
    0x7b7b401e, 0x7b7bb021, 0x7e7e2c06, 0x7f7ffc0f, 0x90900f32, 0x91910f2f, 0x9292c52e, 0x9393c530, 0xc2c20955,
    0xc2c2904f, 0xc4c40c0b, 0xc5c50c33, 0xc6c60914, 0xd1d20400, 0xd3d30800, 0xd4d40803, 0xd5d50c00, 0xd6d60806,
    0xd8da0c00, 0xdbdb0c03, 0xdcde0c00, 0xdfdf0c03, 0xe0e00c00, 0xe1e10400, 0xe2e50c00, 0xe6e61010, 0xe6e6a80a,
    0xe7e7042a, 0xe8ea0c00, 0xebeb0c03, 0xecee0c00, 0xefef0c03, 0xf1f20400, 0xf3f30800, 0xf4f40803, 0xf5f50c00,
    0xf6f60c1e, 0xf8f90c00, 0xfafa0403, 0xfbfb0803, 0xfcfd0c00, 0xfefe0403,
    /* EVEX map 2 (0F38) */
    0x00000c00, 0x04040c00, 0x0b0b0c00, 0x0c0c0403, 0x0d0d0803, 0x10120800, 0x1012100f, 0x1313048e, 0x1313100f,
    0x14150c03, 0x1415100f, 0x16160c45, 0x1818040c, 0x19190c7b, 0x1a1a0c43, 0x1b1b0c40, 0x1c1d0c0c, 0x1e1e0410,
    0x1f1f0810, 0x20240c0c, 0x2024100f, 0x2525040c, 0x2525100f, 0x26263c1f, 0x27273c17, 0x28280803, 0x2828301d,
    0x29290817, 0x29293047, 0x2a2a042a, 0x2a2a201d, 0x2b2b0403, 0x2c2c0c05, 0x2d2d0c01, 0x30340c0c, 0x3034100f,
    0x3535040c, 0x3535100f, 0x36360c45, 0x37370817, 0x38380c00, 0x3838301d, 0x39390c03, 0x39393047, 0x3a3a0c00,
    0x3a3a101d, 0x3b3b0c03, 0x3c3c0c00, 0x3d3d0c03, 0x3e3e0c00, 0x3f400c03, 0x42420c0a, 0x43430c01, 0x44440c10,
    0x45470c03, 0x4949052c, 0x4b4b545a, 0x4c4c0c10, 0x4d4d0c00, 0x4e4e0c10, 0x4f4f0c00, 0x50510403, 0x52521403,
    0x5252401c, 0x53530403, 0x5353401c, 0x54540c0c, 0x55550c10, 0x5858040c, 0x59590c0c, 0x5a5a0c43, 0x5b5b0c40,
    0x62620c0c, 0x63630c0f, 0x64650c03, 0x66660c00, 0x6868c087, 0x70700800, 0x71710c03, 0x72720800, 0x72721010,
    0x72724003, 0x73730c03, 0x75750c00, 0x76770c03, 0x7879040c, 0x7a7b044c, 0x7c7c0c4c, 0x7d7d0c00, 0x7e7f0c03,
    0x83830803, 0x88890c0c, 0x8a8b0c0f, 0x8d8d0c00, 0x8f8f041f, 0x90930c4a, 0x96980c05, 0x99990c01, 0x9a9a0c05,
    0x9a9a401c, 0x9b9b0c01, 0x9b9b404d, 0x9c9c0c05, 0x9d9d0c01, 0x9e9e0c05, 0x9f9f0c01, 0xa0a30c4a, 0xa6a80c05,
    0xa9a90c01, 0xaaaa0c05, 0xaaaa401c, 0xabab0c01, 0xabab404d, 0xacac0c05, 0xadad0c01, 0xaeae0c05, 0xafaf0c01,
    0xb4b50803, 0xb6b80c05, 0xb9b90c01, 0xbaba0c05, 0xbbbb0c01, 0xbcbc0c05, 0xbdbd0c01, 0xbebe0c05, 0xbfbf0c01,
    0xc4c40c10, 0xc6c70c7a, 0xc8c80c29, 0xcaca0c29, 0xcbcb0c01, 0xcccc0c29, 0xcdcd0c01, 0xcfcf0400, 0xdcdf0c1e,
    0xe0ef0c12, 0xf2f20309, 0xf3f30335, 0xf5f5f309, 0xf6f6c009, 0xf7f7ff09,
    /* EVEX map 3 (0F3A) */
    0x0001087c, 0x03030c14, 0x0404042b, 0x0505082b, 0x08080523, 0x09090823, 0x0a0a0168, 0x0a0a0416, 0x0b0b0816,
    0x0f0f0420, 0x14170c11, 0x18180c44, 0x19190c42, 0x1a1a0c41, 0x1b1b0c3f, 0x1d1d048d, 0x1e1f0c89, 0x20200c0b,
    0x2121040b, 0x22220c0b, 0x23230c46, 0x25250c14, 0x26260d23, 0x27270d16, 0x38380c44, 0x39390c42, 0x3a3a0c41,
    0x3b3b0c3f, 0x3e3f0c83, 0x42420420, 0x43430c46, 0x44440c7e, 0x50500c56, 0x51510c16, 0x54540c56, 0x55550c16,
    0x56560d23, 0x57570d16, 0x66660d88, 0x67670167, 0x67670c82, 0x70700820, 0x71710c14, 0x72720820, 0x73730c14,
    0xc2c20155, 0xc2c2104f, 0xcecf0814, 0xf0f0c011,
    /* EVEX map 4 (APX) */
    0x00000304, 0x01010704, 0x02020304, 0x03030704, 0x08080304, 0x09090704, 0x0a0a0304, 0x0b0b0704, 0x10100304,
    0x11110704, 0x12120304, 0x13130704, 0x18180304, 0x19190704, 0x1a1a0304, 0x1b1b0704, 0x20200304, 0x21210704,
    0x22220304, 0x23230704, 0x24240737, 0x28280304, 0x29290704, 0x2a2a0304, 0x2b2b0704, 0x2c2c0737, 0x30300304,
    0x31310704, 0x32320304, 0x33330704, 0x38380309, 0x39390709, 0x3a3a0309, 0x3b3b0709, 0x404f076f, 0x404f406e,
    0x60610706, 0x65650c0e, 0x6666030e, 0x66663c04, 0x6969036b, 0x6969046a, 0x6b6b0769, 0x80800336, 0x8080033a,
    0x81810366, 0x81810371, 0x81810463, 0x81810470, 0x83830736, 0x8383073a, 0x84840309, 0x85850709, 0x88880706,
    0x8f8f036c, 0xa5a50704, 0xadad0704, 0xafaf0704, 0xc0c0033b, 0xc1c1073b, 0xd0d00318, 0xd1d10718, 0xd2d20318,
    0xd3d30718, 0xf0f00306, 0xf0f0300e, 0xf1f10706, 0xf1f1300e, 0xf2f2300e, 0xf4f50706, 0xf6f6032d, 0xf6f60339,
    0xf6f60361, 0xf7f70364, 0xf7f70462, 0xf7f7072d, 0xf7f70739, 0xf8f8040e, 0xf8f85006, 0xf9f9030e, 0xfcfcff0e,
    0xfefe0338, 0xffff036d, 0xffff0738,
    /* EVEX map 5 */
    0x1010104e, 0x1111104b, 0x1d1d0101, 0x1d1d040a, 0x2a2a3021, 0x2c2d3015, 0x2e2f0115, 0x5151010a, 0x51511001,
    0x58590105, 0x58591001, 0x5a5a090a, 0x5a5a9001, 0x5b5b170a, 0x5c5f0105, 0x5c5f1001, 0x6e6e0406, 0x6e6e0824,
    0x7879050a, 0x78793015, 0x7a7ac40a, 0x7b7b040a, 0x7b7b3021, 0x7c7c050a, 0x7d7d550a, 0x7e7e0406, 0x7e7e0824,
    /* EVEX map 6 */
    0x13130101, 0x1313040a, 0x2c2c0405, 0x2d2d0426, 0x4242040a, 0x43430426, 0x4c4c0410, 0x4d4d0400, 0x4e4e0410,
    0x4f4f0400, 0x56565005, 0x57575026, 0x96980405, 0x99990401, 0x9a9a0405, 0x9b9b0401, 0x9c9c0405, 0x9d9d0401,
    0x9e9e0405, 0x9f9f0401, 0xa6a80405, 0xa9a90401, 0xaaaa0405, 0xabab0401, 0xacac0405, 0xadad0401, 0xaeae0405,
    0xafaf0401, 0xb6b80405, 0xb9b90401, 0xbaba0405, 0xbbbb0401, 0xbcbc0405, 0xbdbd0401, 0xbebe0405, 0xbfbf0401,
    0xd6d65005, 0xd7d75001,
    /* EVEX map 7 */
    0xf8f85034,
    /* EVEX map 2, no flags */
    0xf2f20300, 0xf3f30385, 0xf5f50300, 0xf7f70300,
    /* EVEX map 4, no flags */
    0x0000fb08, 0x0101ff08, 0x0202fb08, 0x0303ff08, 0x0808fb08, 0x0909ff08, 0x0a0afb08, 0x0b0bff08, 0x2020fb08,
    0x2121ff08, 0x2222fb08, 0x2323ff08, 0x2424ff54, 0x2828fb08, 0x2929ff08, 0x2a2afb08, 0x2b2bff08, 0x2c2cff54,
    0x3030fb08, 0x3131ff08, 0x3232fb08, 0x3333ff08, 0x404fff08, 0x69690480, 0x6969fb81, 0x6b6bff7f, 0x8080fb52,
    0x8181048f, 0x8181fb90, 0x8383ff52, 0x8888ff49, 0xa5a5ff08, 0xadadff08, 0xafafff08, 0xc0c0fb53, 0xc1c1ff53,
    0xd0d0fb22, 0xd1d1ff22, 0xd2d2fb22, 0xd3d3ff22, 0xf4f5ff49, 0xf6f6fb48, 0xf6f6fb51, 0xf7f7ff48, 0xf7f7ff51,
    0xfefefb50, 0xffffff50
};

/* First row of each table: 0 to 7 VEX maps, 8 to 10 XOP maps, 16 + EVEX map, 24 + EVEX map with its no-flags bit set. */
static const uint16_t csspgo__x86_tables[33] = {
    0, 0, 65, 123, 152, 152, 152, 152, 153, 164, 177, 179, 179, 179, 179, 179,
    179, 179, 275, 416, 465, 549, 576, 614, 615, 615, 615, 619, 619, 666, 666, 666,
    666
};

typedef struct csspgo__x86 {
    const unsigned char *code;
    size_t   size, pos;           /* bytes that may be read, bytes consumed                           */
    uint32_t map, op;             /* opcode map and opcode                                            */
    uint32_t pp;                  /* CSSPGO__PP_..., maps 2 to 4                                      */
    uint32_t opsize, adsize, rex; /* 66 and 67 seen (66 is void with REX.W); REX bits W R X B         */
    uint32_t rex2;                /* 0, or 0x100 + payload of a REX2 prefix                           */
    uint32_t repeat, mandatory;   /* last F2 or F3; the prefix that stands right before 0F or REX     */
    uint32_t modrm, has_modrm;
    uint32_t high_base;           /* APX registers 16 to 31 as base                                   */
    uint32_t imm;                 /* bytes of the last immediate, which ends at pos                   */
} csspgo__x86;

static int csspgo__x86_take(csspgo__x86 *x, size_t n)
{
    if (x->size - x->pos < n) return 0;
    x->pos += n;
    return 1;
}

/* The next byte. */
static int csspgo__x86_next(csspgo__x86 *x, uint32_t *byte)
{
    if (!csspgo__x86_take(x, 1)) return 0;
    *byte = x->code[x->pos - 1];
    return 1;
}

static int csspgo__x86_imm(csspgo__x86 *x, uint32_t n)
{
    x->imm = n;
    return csspgo__x86_take(x, n);
}

/* ModRM with SIB and displacement. */
static int csspgo__x86_modrm(csspgo__x86 *x)
{
    uint32_t mod, rm, sib, disp;
    if (x->has_modrm) return 1;
    if (!csspgo__x86_next(x, &x->modrm)) return 0;
    x->has_modrm = 1;
    mod = x->modrm >> 6;
    rm = x->modrm & 7;
    if (mod == 3) return 1;
    disp = mod == 1 ? 1 : mod == 2 ? 4 : 0;
    if (rm == 4) {
        if (!csspgo__x86_next(x, &sib)) return 0;
        rm = sib & 7;
    }
    if (mod == 0 && rm == 5 && (!x->high_base || (x->modrm & 7) == 5)) disp = 4;
    return csspgo__x86_take(x, disp);
}

static int csspgo__x86_is_rex(uint32_t byte)
{
    return (byte & ~15u) == 0x40;
}

/* F2 and F3 are instructions of their own (xacquire, xrelease) before lock, xchg, and F3 before a store. */
static int csspgo__x86_is_hle(uint32_t byte, uint32_t next)
{
    if (next == 0xf0 || (next & ~1u) == 0x86) return 1;
    if ((next & ~7u) == 0x90) return byte == 0xf2 || next != 0x90;
    return byte == 0xf3 && ((next & ~1u) == 0x88 || (next & ~1u) == 0xc6);
}

/* Legacy prefixes. Leaves pos at the byte behind them. A lock in front is an instruction of its own. */
static int csspgo__x86_prefixes(csspgo__x86 *x)
{
    for (;; x->pos++) {
        uint32_t byte, next;
        if (x->pos == x->size) return 0;
        byte = x->code[x->pos];
        next = x->pos + 1 < x->size ? x->code[x->pos + 1] : 0x100u;
        switch (byte) {
        case 0xf0:
            if (x->pos == 0) return 1;
            break;
        case 0xf2: case 0xf3:
            if (csspgo__x86_is_hle(byte, next)) return 1;
            if (csspgo__x86_is_rex(next) || next == 0x0f || next == 0x66 || next == 0xd5) x->mandatory = byte;
            x->repeat = byte;
            break;
        case 0x66:
            if (x->mandatory == 0 && (csspgo__x86_is_rex(next) || next == 0x0f)) x->mandatory = byte;
            x->opsize = 1;
            break;
        case 0x67:
            x->adsize = 1;
            break;
        case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65:
            break;
        default:
            return 1;
        }
    }
}

/* Mandatory prefix of an opcode in maps 2 to 4. */
static uint32_t csspgo__x86_pp(const csspgo__x86 *x)
{
    const uint32_t repeat = x->mandatory != 0 ? x->mandatory : x->repeat;
    if (x->mandatory == 0x66) return CSSPGO__PP_66;
    if (x->mandatory == 0 && x->opsize && repeat != 0) return repeat == 0xf3 ? CSSPGO__PP_66_F3 : CSSPGO__PP_66_F2;
    if (repeat != 0) return repeat == 0xf3 ? CSSPGO__PP_F3 : CSSPGO__PP_F2;
    return x->opsize ? CSSPGO__PP_66 : CSSPGO__PP_NONE;
}

/* REX or REX2, then map and opcode. */
static int csspgo__x86_opcode(csspgo__x86 *x)
{
    if (csspgo__x86_is_rex(x->code[x->pos])) {
        x->rex = x->code[x->pos++] & 15;
    } else if (x->code[x->pos] == 0xd5) {
        x->pos++;
        if (!csspgo__x86_next(x, &x->rex2)) return 0;
        x->rex2 |= 0x100;
        x->rex = x->rex2 & 15;
        x->high_base = x->rex2 >> 4 & 1;
    }
    if (x->rex & 8) x->opsize = 0;
    if (!csspgo__x86_next(x, &x->op)) return 0;
    x->map = 1;
    if (x->rex2 & 0x80) {
        x->map = 2;
    } else if (x->op == 0x0f) {
        if (!csspgo__x86_next(x, &x->op)) return 0;
        x->map = 2;
        if (x->op == 0x38 || x->op == 0x3a) {
            x->map = x->op == 0x38 ? 3 : 4;
            if (!csspgo__x86_next(x, &x->op)) return 0;
        }
    }
    if (x->map > 1) x->pp = csspgo__x86_pp(x);
    /* movdir64b: LLVM takes 67 with REX.W for its 66 */
    if (x->map == 3 && x->op == 0xf8 && x->pp == CSSPGO__PP_NONE && (x->rex & 8) && x->adsize) x->pp = CSSPGO__PP_66;
    return 1;
}

/* The row of the group that x's opcode and prefix belong to, or NULL. */
static const csspgo__x86_group *csspgo__x86_find_group(const csspgo__x86 *x)
{
    const uint32_t op = x->map << 8 | x->op;
    size_t lo = 0, hi = sizeof csspgo__x86_groups / sizeof csspgo__x86_groups[0];
    while (lo < hi) {
        const size_t mid = (lo + hi) / 2;
        if (csspgo__x86_groups[mid].op < op) lo = mid + 1;
        else hi = mid;
    }
    for (; lo < sizeof csspgo__x86_groups / sizeof csspgo__x86_groups[0] && csspgo__x86_groups[lo].op == op; lo++)
        if (csspgo__x86_groups[lo].pp >> x->pp & 1) return &csspgo__x86_groups[lo];
    return NULL;
}

static int csspgo__x86_is_jmpabs(const csspgo__x86 *x)
{
    return x->rex2 != 0 && x->map == 1 && x->op == 0xa1;
}

/* The operands of a class-c opcode; 0 if they are not there, or make it no instruction. One switch over the classes. */
static int csspgo__x86_operands(csspgo__x86 *x, char c)
{
    const csspgo__x86_group *group = NULL;
    const uint32_t z = x->opsize ? 2 : 4;
    uint32_t mem = 1, reg = 1, imm = 0;
    switch (c) {
    case 'n': case 't': return 1;
    case 'b': case 'c': case 'j': return csspgo__x86_imm(x, 1);
    case 'w': case 'T': return csspgo__x86_imm(x, 2);
    case 'e': return csspgo__x86_imm(x, 2) && csspgo__x86_imm(x, 1);
    case 'd': case 'C': return csspgo__x86_imm(x, 4);
    case 'z': case 'J': return csspgo__x86_imm(x, z);
    case 'v': return csspgo__x86_imm(x, x->rex & 8 ? 8 : z);
    case 'o': return csspgo__x86_imm(x, x->adsize && !csspgo__x86_is_jmpabs(x) ? 4 : 8);
    case 'y': return csspgo__x86_imm(x, x->pp == CSSPGO__PP_66 ? 2 : 4);
    case 'i':
        if (x->rex & 8 || x->pp == CSSPGO__PP_NONE || x->pp == CSSPGO__PP_F3) return 1;
        return x->pp == CSSPGO__PP_66 && x->adsize;
    case 'm': break;
    case 'B': imm = 1; break;
    case 'Z': imm = z; break;
    case 'r': mem = 0; break;
    case 'R': mem = 0; imm = 1; break;
    case 'k': reg = 0; break;
    case 'p': if (x->pp != CSSPGO__PP_66) return 0; break;
    case 'P': if (x->pp != CSSPGO__PP_66) return 0; imm = 1; break;
    case 'q': if (x->pp != CSSPGO__PP_66) return 0; reg = 0; break;
    case 'h': if (x->pp != CSSPGO__PP_66 && x->pp != CSSPGO__PP_F2) return 0; break;
    case 'x': break;
    case 'g': case 'G': case 'H': case 'F':
        group = csspgo__x86_find_group(x);
        if (group == NULL) return 0;
        break;
    default: return 0;
    }
    if (!csspgo__x86_modrm(x)) return 0;
    if (group != NULL) {
        mem = group->mem >> (x->modrm >> 3 & 7) & 1u;
        reg = (uint32_t)(group->reg >> (x->modrm & 63)) & 1u;
        if (c == 'G' || (c == 'F' && x->op == 0xf6 && (x->modrm & 0x38) == 0)) imm = 1;
        if (c == 'H' || (c == 'F' && x->op == 0xf7 && (x->modrm & 0x38) == 0)) imm = z;
    }
    if (c == 'x' && x->modrm >= 0xc0 && (x->pp == CSSPGO__PP_66 || x->pp == CSSPGO__PP_F2)) imm = 2;
    return (x->modrm >= 0xc0 ? reg : mem) != 0 && csspgo__x86_imm(x, imm);
}

/* 0F 0F: 3DNow!, the opcode stands behind the operands. */
static int csspgo__x86_3dnow(csspgo__x86 *x)
{
    static const unsigned char ops[] = {
        0x0c, 0x0d, 0x1c, 0x1d, 0x8a, 0x8e, 0x90, 0x94, 0x96, 0x97, 0x9a, 0x9e,
        0xa0, 0xa4, 0xa6, 0xa7, 0xaa, 0xae, 0xb0, 0xb4, 0xb6, 0xb7, 0xbb, 0xbf
    };
    uint32_t op;
    if (!csspgo__x86_modrm(x) || !csspgo__x86_next(x, &op)) return 0;
    return x->pp < CSSPGO__PP_66_F3 && memchr(ops, (int)op, sizeof ops) != NULL;
}

/* Cases of their own: control registers end at 15; pause has no 66; two groups have no 66 beside F2, F3. */
static int csspgo__x86_oddity(const csspgo__x86 *x)
{
    if (x->map == 2 && (x->op & 0xfc) == 0x20) return x->rex2 >> 6 & 1;
    if (!x->opsize) return 0;
    if (x->map == 1) return x->op == 0x90 && x->repeat == 0xf3;
    return x->pp > CSSPGO__PP_66 && ((x->map == 2 && x->op == 0xae) || (x->map == 3 && x->op == 0xf8));
}

/* Legacy encodings: everything but VEX, EVEX and XOP. Returns the class, or '.'. */
static char csspgo__x86_legacy(csspgo__x86 *x)
{
    char c;
    if (!csspgo__x86_opcode(x)) return '.';
    if (x->map == 2 && x->op == 0x0f && (x->rex2 & 0x80) == 0) return csspgo__x86_3dnow(x) ? 'n' : '.';
    c = csspgo__x86_classes[x->map - 1][x->op];
    if (x->pp == CSSPGO__PP_66_F2 && c != 'g') return '.';
    if (x->pp == CSSPGO__PP_66_F3 && c != 'g' && (x->map != 2 || (x->op & 0xfe) != 0xbc)) return '.';
    if (!csspgo__x86_operands(x, c)) return '.';
    return csspgo__x86_oddity(x) ? '.' : c;
}

/* A vector opcode's prefix, decoded. */
typedef struct csspgo__x86_vector {
    uint32_t table;               /* 0 to 7 VEX map; 8 to 10 XOP map; 16 + EVEX map; 24 + EVEX map with no-flags bit  */
    uint32_t ppw;                 /* prefix (0 none, 1 66, 2 F3, 3 F2) * 2 + W                                        */
    uint32_t length;              /* vector length bits: 0, 1, 2 (3 counts as 2)                                      */
    uint32_t b, z, k;             /* EVEX: broadcast / rounding, zeroing, a mask register is named                    */
    uint32_t vvvv;                /* further register, 0 = none                                                       */
    uint32_t high_reg, high_rm;   /* ModRM.reg, ModRM.rm extended: 1 by REX.R or B, 2 by EVEX.R'                      */
} csspgo__x86_vector;

static int csspgo__x86_fits_length(const csspgo__x86_vector *v, uint32_t rules)
{
    return (int)(rules >> (CSSPGO__RULE_LENGTH + v->length) & 1u);
}

/* Is the form one for prefix v? */
static int csspgo__x86_fits_prefix(const csspgo__x86_vector *v, uint32_t rules)
{
    const uint32_t b = rules >> CSSPGO__RULE_B & 15;
    if ((rules >> CSSPGO__RULE_K & (1u << v->k)) == 0) return 0;
    if (v->z && (rules >> CSSPGO__RULE_Z & 3) == 0) return 0;
    if (!v->b) return csspgo__x86_fits_length(v, rules) && (rules >> CSSPGO__RULE_OPERAND & 8) == 0;
    return (b & 2) != 0 || (b != 0 && csspgo__x86_fits_length(v, rules));
}

/* ModRM of a vector opcode, read already: does the form have it? */
static int csspgo__x86_fits_modrm(const csspgo__x86 *x, const csspgo__x86_vector *v, const csspgo__x86_form *form)
{
    const uint32_t digit = x->modrm >> 3 & 7, rm = x->modrm & 7;
    const uint32_t b = form->rules >> CSSPGO__RULE_B, z = form->rules >> CSSPGO__RULE_Z;
    const uint32_t operand = form->rules >> CSSPGO__RULE_OPERAND, small = form->rules;
    if (((small & 1) && (v->high_reg & 1)) || ((small & 8) && v->high_reg)) return 0;
    if (x->modrm < 0xc0) {
        if ((form->mem >> digit & 1) == 0 || ((operand & 1) && rm != 4) || (v->z && (z & 1) == 0)) return 0;
        return !v->b || ((b & 1) && csspgo__x86_fits_length(v, form->rules));
    }
    if ((form->reg >> digit & 1) == 0 || ((operand & 2) && rm != 0) || (v->z && (z & 2) == 0)) return 0;
    if ((small & 2) && v->high_rm) return 0;
    return !v->b || (b & 2) || ((b & 4) && csspgo__x86_fits_length(v, form->rules));
}

/*
 * The form of the opcode, its ModRM read, or NULL. LLVM reads ModRM when a form fits the prefix, and if none does but
 * prefix 66 is there, when one would fit with that as the opcode's own prefix.
 */
static const csspgo__x86_form *csspgo__x86_find_form(csspgo__x86 *x, const csspgo__x86_vector *v)
{
    const uint32_t *rows = csspgo__x86_rows;
    size_t lo = csspgo__x86_tables[v->table], hi = csspgo__x86_tables[v->table + 1];
    const size_t end = hi;
    uint32_t as_66 = 0;
    while (lo < hi) {
        const size_t mid = (lo + hi) / 2;
        if ((rows[mid] >> 16 & 255) < x->op) lo = mid + 1;
        else hi = mid;
    }
    for (; lo < end && rows[lo] >> 24 <= x->op; lo++) {
        const csspgo__x86_form *form = &csspgo__x86_forms[rows[lo] & 255];
        if (!csspgo__x86_fits_prefix(v, form->rules)) continue;
        if (x->opsize && (v->ppw & 1) == 0) as_66 |= rows[lo] >> (8 + 2) & 1u;
        if ((rows[lo] >> (8 + v->ppw) & 1u) == 0) continue;
        if (form->rules >> CSSPGO__RULE_OPERAND & 4) return form;
        if (!csspgo__x86_modrm(x)) return NULL;
        if (csspgo__x86_fits_modrm(x, v, form)) return form;
    }
    if (as_66) (void)csspgo__x86_modrm(x);
    return NULL;
}

/* APX ccmp and ctest: bits that elsewhere mean vvvv and no-flags are the condition. */
static int csspgo__x86_is_ccmp(const csspgo__x86 *x)
{
    const uint32_t op = x->op & 0xfe, digit = x->modrm >> 3 & 7;
    return op == 0x38 || op == 0x3a || op == 0x84 || ((op == 0x80 || x->op == 0x83) && digit == 7) ||
           (op == 0xf6 && digit < 2);
}

/* The opcodes besides those of EVEX map 4 that have a no-flags bit: andn, blsr and its group, bzhi, bextr. */
static int csspgo__x86_has_no_flags(const csspgo__x86_vector *v, uint32_t op)
{
    return v->table == 16 + 2 && v->ppw < 2 && (op == 0xf2 || op == 0xf3 || op == 0xf5 || op == 0xf7);
}

/* Opcode and operands behind a VEX, EVEX or XOP prefix; no_flags: the APX bit that suppresses flags, part of aaa. */
static int csspgo__x86_vector_body(csspgo__x86 *x, csspgo__x86_vector *v, uint32_t no_flags)
{
    const csspgo__x86_form *form;
    uint32_t apx = v->table == 16 + 4, used, vvvv, imm;
    if (!csspgo__x86_next(x, &x->op)) return 0;
    if (no_flags && (apx || csspgo__x86_has_no_flags(v, x->op))) {
        if (!csspgo__x86_modrm(x)) return 0;
        if (!apx || !csspgo__x86_is_ccmp(x)) {
            v->table += 8;
            v->k = 0;
        }
    }
    form = csspgo__x86_find_form(x, v);
    if (form == NULL) return 0;
    if (x->opsize && (v->ppw & 3) == 0 && ((v->table == 1 && x->op == 0xae) || (apx && x->op == 0xf8))) return 0;
    used = form->rules >> CSSPGO__RULE_VVVV;
    vvvv = used & 8 ? v->vvvv & 15 : v->vvvv;
    if ((used >> v->b & 1) && ((used & 4) == 0 || x->modrm >= 0xc0)) vvvv = 0;
    if ((form->rules & 4) && v->vvvv > 7) return 0;
    imm = form->rules >> CSSPGO__RULE_IMM & 3;
    if (imm == 3) imm = x->opsize && (v->ppw & 1) == 0 ? 2 : 4;
    return csspgo__x86_imm(x, imm) && vvvv == 0;
}

/* VEX (C4, C5) and XOP (8F) prefix. */
static int csspgo__x86_vex(csspgo__x86 *x)
{
    const uint32_t lead = x->code[x->pos++];
    csspgo__x86_vector v;
    uint32_t p = 0, q;
    memset(&v, 0, sizeof v);
    if (lead != 0xc5 && !csspgo__x86_next(x, &p)) return 0;
    if (!csspgo__x86_next(x, &q)) return 0;
    if (lead == 0xc5) {
        p = (q & 0x80) | 0x61;
        q &= 0x7f;
    }
    v.table = p & 31;
    if (lead == 0x8f ? v.table < 8 || v.table > 10 : v.table == 0 || v.table == 4 || v.table > 7) return 0;
    v.ppw = (q & 3) << 1 | q >> 7;
    v.length = q >> 2 & 1;
    v.vvvv = ~q >> 3 & 15;
    v.high_reg = ~p >> 7 & 1;
    v.high_rm = ~p >> 5 & 1;
    return csspgo__x86_vector_body(x, &v, 0);
}

/* 8F is pop with ModRM.reg = 0. */
static int csspgo__x86_is_xop(const csspgo__x86 *x)
{
    return x->code[x->pos] == 0x8f && x->pos + 1 < x->size && (x->code[x->pos + 1] & 0x38) != 0;
}

/* EVEX prefix (62). */
static int csspgo__x86_evex(csspgo__x86 *x)
{
    csspgo__x86_vector v;
    uint32_t p, q, r;
    memset(&v, 0, sizeof v);
    x->pos++;
    if (!csspgo__x86_next(x, &p) || !csspgo__x86_next(x, &q) || !csspgo__x86_next(x, &r)) return 0;
    if ((p & 7) == 0) return 0;
    v.table = 16 + (p & 7);
    v.ppw = (q & 3) << 1 | q >> 7;
    v.length = (r >> 5 & 3) < 2 ? r >> 5 & 3 : 2;
    v.b = r >> 4 & 1;
    v.z = r >> 7;
    v.k = v.table != 20 && (r & 7) != 0;
    v.vvvv = (~q >> 3 & 15) | (~r << 1 & 16);
    v.high_reg = (~p >> 7 & 1) | (~p >> 3 & 2);
    v.high_rm = ~p >> 5 & 1;
    x->high_base = p >> 3 & 1;
    return csspgo__x86_vector_body(x, &v, r >> 2 & 1);
}

/* A signed little-endian number of 1, 2, 4 or 8 bytes that ends before p. */
static uint64_t csspgo__x86_signed(const unsigned char *p, uint32_t size)
{
    const uint64_t sign = (uint64_t)1 << (size * 8 - 1);
    uint64_t value = 0;
    uint32_t i;
    for (i = 0; i < size; i++) value |= (uint64_t)p[-(ptrdiff_t)size + (ptrdiff_t)i] << (8 * i);
    return (value ^ sign) - sign;
}

/* The kind of a legacy instruction of class c. */
static csspgo_kind csspgo__x86_kind(const csspgo__x86 *x, char c)
{
    const uint32_t digit = x->modrm >> 3 & 7;
    switch (c) {
    case 'c': case 'y': return CSSPGO_COND;
    case 'j': case 'J': return CSSPGO_JMP;
    case 'C': return CSSPGO_CALL;
    case 't': case 'T': return CSSPGO_RET;
    case 'o': return csspgo__x86_is_jmpabs(x) ? CSSPGO_JMP : CSSPGO_NONE;
    case 'H': return x->modrm == 0xf8 ? CSSPGO_COND : CSSPGO_NONE;
    case 'g':
        if (x->map != 1 || x->op != 0xff || digit < 2 || digit > 5) return CSSPGO_NONE;
        return digit < 4 ? CSSPGO_CALL : CSSPGO_IJMP;
    default: return CSSPGO_NONE;
    }
}

CSSPGO_DEF uint32_t csspgo_decode_x86_64(const void *code, size_t size, uint64_t address, csspgo_insn *out)
{
    csspgo__x86 x;
    uint32_t lead;
    char c = '.';
    memset(out, 0, sizeof *out);
    memset(&x, 0, sizeof x);
    x.code = (const unsigned char *)code;
    x.size = size < 256 ? size : 256;         /* bounds a run of prefixes, which LLVM does not */
    if (csspgo__x86_prefixes(&x)) {
        lead = x.code[x.pos];
        if (lead == 0x62) c = csspgo__x86_evex(&x) ? 'n' : '.';
        else if (lead == 0xc4 || lead == 0xc5) c = csspgo__x86_vex(&x) ? 'n' : '.';
        else if (csspgo__x86_is_xop(&x)) c = csspgo__x86_vex(&x) ? 'n' : '.';
        else c = csspgo__x86_legacy(&x);
    }
    if (c == '.') {
        out->skip = x.pos != 0 ? (uint32_t)x.pos : 1;
        return 0;
    }
    out->size = (uint32_t)x.pos;
    out->kind = csspgo__x86_kind(&x, c);
    if (out->kind != CSSPGO_NONE && c != 'g' && c != 't' && c != 'T') {
        out->has_target = 1;
        out->target = csspgo__x86_signed(x.code + x.pos, x.imm);
        if (c != 'o') out->target += address + x.pos;
    }
    return out->size;
}

/*
 * AArch64 branches: words w with (w & mask) == value. where: bit position << 8 | width of the offset, counted in words;
 * 0: none. All of them have 101 in bits 28 to 26. LLVM 19's llvm-profgen decodes the base architecture only: what is
 * marked + is not an instruction to it, nor is any other word of an extension.
 */
typedef struct csspgo__a64_branch {
    uint32_t mask, value, where;
    csspgo_kind kind;
} csspgo__a64_branch;

static const csspgo__a64_branch csspgo__a64_branches[] = {
    {0xfc000000, 0x94000000, 0x001a, CSSPGO_CALL},   /* bl                                 */
    {0xff000000, 0x54000000, 0x0513, CSSPGO_COND},   /* b.cond, bc.cond +                  */
    {0x7e000000, 0x34000000, 0x0513, CSSPGO_COND},   /* cbz, cbnz                          */
    {0xfc000000, 0x14000000, 0x001a, CSSPGO_JMP},    /* b                                  */
    {0x7e000000, 0x36000000, 0x050e, CSSPGO_COND},   /* tbz, tbnz                          */
    {0xfffffc1f, 0xd65f0000, 0,      CSSPGO_RET},    /* ret                                */
    {0xfffffc1f, 0xd63f0000, 0,      CSSPGO_CALL},   /* blr                                */
    {0xfffffc1f, 0xd61f0000, 0,      CSSPGO_IJMP},   /* br                                 */
    {0xfffffbe0, 0xd65f0be0, 0,      CSSPGO_RET},    /* retaa, retab, retaasppc, retabsppc + */
    {0xffc0001f, 0x5500001f, 0,      CSSPGO_RET},    /* retaasppc, retabsppc, immediate +  */
    {0xfffff81f, 0xd63f081f, 0,      CSSPGO_CALL},   /* blraaz, blrabz +                   */
    {0xfffff800, 0xd73f0800, 0,      CSSPGO_CALL},   /* blraa, blrab +                     */
    {0xfffff81f, 0xd61f081f, 0,      CSSPGO_IJMP},   /* braaz, brabz +                     */
    {0xfffff800, 0xd71f0800, 0,      CSSPGO_IJMP},   /* braa, brab +                       */
    {0x7e000000, 0x74000000, 0x0509, CSSPGO_COND},   /* cb<cc>, unknown to LLVM 19         */
    {0xffffffff, 0xd69f03e0, 0,      CSSPGO_RET},    /* eret                               */
    {0xfffffbff, 0xd69f0bff, 0,      CSSPGO_RET},    /* eretaa, eretab +                   */
    {0xffffffff, 0xd6bf03e0, 0,      CSSPGO_RET}     /* drps                               */
};

CSSPGO_DEF uint32_t csspgo_decode_aarch64(const void *code, size_t size, uint64_t address, csspgo_insn *out)
{
    const size_t count = sizeof csspgo__a64_branches / sizeof csspgo__a64_branches[0];
    uint32_t w, width;
    size_t i;
    memset(out, 0, sizeof *out);
    if (size < 4) {
        out->skip = size != 0 ? (uint32_t)size : 1;
        return 0;
    }
    out->size = 4;
    w = csspgo__ld32le((const unsigned char *)code);
    if ((w & 0x1c000000) != 0x14000000) return 4;
    for (i = 0; i < count; i++) {
        const csspgo__a64_branch *branch = &csspgo__a64_branches[i];
        if ((w & branch->mask) != branch->value) continue;
        out->kind = branch->kind;
        width = branch->where & 255;
        if (width != 0) {
            const uint64_t sign = (uint64_t)1 << (width - 1);
            const uint64_t offset = w >> (branch->where >> 8) & ((sign << 1) - 1);
            out->has_target = 1;
            out->target = address + ((offset ^ sign) - sign) * 4;
        }
        break;
    }
    return 4;
}

#endif /* CSSPGO_NO_CODE */

/* ===== >>sample =================================================================================================== */

#ifndef CSSPGO_NO_SAMPLE

/* ----- perf records ----------------------------------------------------------------------------------------------- */

enum {                            /* struct perf_event_header.type                                     */
    CSSPGO__RECORD_MMAP = 1, CSSPGO__RECORD_LOST = 2, CSSPGO__RECORD_SAMPLE = 9, CSSPGO__RECORD_MMAP2 = 10,
    CSSPGO__RECORD_LOST_SAMPLES = 13
};
enum {                            /* perf_event_attr.sample_type; in this order in a record, but:      */
    CSSPGO__HAS_IDENTIFIER = 0x10000,                                              /* first            */
    CSSPGO__HAS_IP = 1, CSSPGO__HAS_TID = 2, CSSPGO__HAS_TIME = 4, CSSPGO__HAS_ADDR = 8,
    CSSPGO__HAS_ID = 0x40, CSSPGO__HAS_STREAM_ID = 0x200, CSSPGO__HAS_CPU = 0x80,  /* stream before cpu */
    CSSPGO__HAS_PERIOD = 0x100, CSSPGO__HAS_READ = 0x10, CSSPGO__HAS_CALLCHAIN = 0x20,
    CSSPGO__HAS_RAW = 0x400, CSSPGO__HAS_BRANCHES = 0x800
};
enum {                            /* perf_event_attr.read_format                                       */
    CSSPGO__READ_ENABLED = 1, CSSPGO__READ_RUNNING = 2, CSSPGO__READ_ID = 4, CSSPGO__READ_GROUP = 8,
    CSSPGO__READ_LOST = 16
};
enum {                            /* perf_event_attr.branch_sample_type                                */
    CSSPGO__BRANCH_CALL_STACK = 0x800, CSSPGO__BRANCH_HW_INDEX = 0x20000, CSSPGO__BRANCH_COUNTERS = 0x80000
};
enum { CSSPGO__MISC_MMAP_DATA = 0x2000, CSSPGO__PROT_EXEC = 4 };

#define CSSPGO__CONTEXT_USER (~(uint64_t)511)          /* call chain marker -512; markers are -4095 to -1 */
#define CSSPGO__CONTEXT_MAX  (~(uint64_t)4094)

/* A number of the record in the machine's byte order. */
static uint64_t csspgo__native64(csspgo__reader *r)
{
    uint64_t v;
    if (!csspgo__need(r, 8)) return 0;
    memcpy(&v, r->p, 8);
    r->p += 8;
    return v;
}

static void csspgo__native32x2(csspgo__reader *r, uint32_t v[2])
{
    v[0] = v[1] = 0;
    if (!csspgo__need(r, 8)) return;
    memcpy(v, r->p, 8);
    r->p += 8;
}

/* Passes over n elements of elem bytes and returns where they are; NULL if they are not all there. */
static const void *csspgo__native_array(csspgo__reader *r, uint64_t n, size_t elem)
{
    const unsigned char *p = r->p;
    if (r->status == CSSPGO_OK && n > csspgo__left(r) / elem)
        csspgo__fail(r, CSSPGO_E_TRUNCATED, p, "the record ends inside an array");
    if (r->status != CSSPGO_OK) return NULL;
    r->p += (size_t)n * elem;
    return p;
}

static void csspgo__skip_read(csspgo__reader *r, uint64_t format)
{
    const size_t more = 8 * (size_t)((format / CSSPGO__READ_ID & 1) + (format / CSSPGO__READ_LOST & 1));
    const uint64_t n = format & CSSPGO__READ_GROUP ? csspgo__native64(r) : 1;
    if (format & CSSPGO__READ_ENABLED) csspgo__native64(r);
    if (format & CSSPGO__READ_RUNNING) csspgo__native64(r);
    csspgo__native_array(r, n, 8 + more);       /* a single value has the two times between it and its id: as long */
}

/* The stack in a call chain: what follows the user marker, else the first marker, up to the next one. */
static const uint64_t *csspgo__chain_stack(const uint64_t *ips, size_t n, uint32_t *count)
{
    size_t i = 0, end;
    while (i < n && ips[i] != CSSPGO__CONTEXT_USER) i++;
    if (i == n) i = 0;
    while (i < n && ips[i] >= CSSPGO__CONTEXT_MAX) i++;
    for (end = i; end < n && ips[end] < CSSPGO__CONTEXT_MAX; end++) {}
    *count = (uint32_t)(end - i);
    return ips + i;
}

static void csspgo__read_stack(csspgo__reader *r, const uint64_t *ip, csspgo_sample *sample)
{
    const uint64_t n = csspgo__native64(r);
    const uint64_t *ips = (const uint64_t *)csspgo__native_array(r, n, 8);
    if (ips == NULL) return;
    sample->stack = csspgo__chain_stack(ips, (size_t)n, &sample->stack_count);
    if (sample->stack_count != 0 || ip == NULL) return;
    sample->stack = ip;
    sample->stack_count = 1;
}

static void csspgo__read_branches(csspgo__reader *r, uint64_t branch_sample_type, csspgo_sample *sample)
{
    const uint64_t n = csspgo__native64(r);
    if (branch_sample_type & CSSPGO__BRANCH_HW_INDEX) csspgo__native64(r);
    sample->branches = (const csspgo_branch *)csspgo__native_array(r, n, sizeof(csspgo_branch));
    if (branch_sample_type & CSSPGO__BRANCH_COUNTERS) csspgo__native_array(r, n, 8);
    sample->branch_count = (uint32_t)n;
}

/* The size of raw data and its 4-byte count are padded to 8 together. */
static void csspgo__skip_raw(csspgo__reader *r)
{
    uint32_t size;
    if (!csspgo__need(r, 4)) return;
    memcpy(&size, r->p, 4);
    if (((uint64_t)size + 4) % 8 != 0) csspgo__fail(r, CSSPGO_E_SYNTAX, r->p, "raw data of a size that is not padded");
    csspgo__native_array(r, (uint64_t)size + 4, 1);
}

CSSPGO_DEF csspgo_status csspgo_record_sample(const void *body, size_t size, uint64_t sample_type,
                                              uint64_t branch_sample_type, uint64_t read_format,
                                              csspgo_sample *sample, csspgo_error *err)
{
    const uint64_t t = sample_type, *ip = NULL;
    csspgo__reader r;
    uint32_t tid[2];
    memset(sample, 0, sizeof *sample);
    sample->count = 1;
    if ((uintptr_t)body % 8 != 0) return csspgo__error(err, CSSPGO_E_ARGUMENT, 0, "the record is not aligned to 8");
    if (t & CSSPGO__HAS_BRANCHES && branch_sample_type & CSSPGO__BRANCH_CALL_STACK)
        return csspgo__error(err, CSSPGO_E_UNSUPPORTED, 0, "branch records in call-stack mode are no trace");
    csspgo__reader_init(&r, body, size, err);
    if (t & CSSPGO__HAS_IDENTIFIER) csspgo__native64(&r);
    if (t & CSSPGO__HAS_IP) ip = (const uint64_t *)csspgo__native_array(&r, 1, 8);
    if (t & CSSPGO__HAS_TID) {
        csspgo__native32x2(&r, tid);
        sample->pid = tid[0];
        sample->tid = tid[1];
    }
    if (t & CSSPGO__HAS_TIME) sample->time = csspgo__native64(&r);
    if (t & CSSPGO__HAS_ADDR) csspgo__native64(&r);
    if (t & CSSPGO__HAS_ID) csspgo__native64(&r);
    if (t & CSSPGO__HAS_STREAM_ID) csspgo__native64(&r);
    if (t & CSSPGO__HAS_CPU) csspgo__native64(&r);
    if (t & CSSPGO__HAS_PERIOD) csspgo__native64(&r);
    if (t & CSSPGO__HAS_READ) csspgo__skip_read(&r, read_format);
    if (t & CSSPGO__HAS_CALLCHAIN) csspgo__read_stack(&r, ip, sample);
    if (t & CSSPGO__HAS_RAW) csspgo__skip_raw(&r);
    if (t & CSSPGO__HAS_BRANCHES) csspgo__read_branches(&r, branch_sample_type, sample);
    if (r.status == CSSPGO_OK && size > UINT32_MAX)
        csspgo__fail(&r, CSSPGO_E_SYNTAX, r.base, "no record is that large");
    if (r.status != CSSPGO_OK) memset(sample, 0, sizeof *sample);
    return r.status;
}

/* MMAP, MMAP2: u32 pid, tid; u64 address, size, offset; MMAP2: 24 bytes of file identity, u32 prot, flags; path. */
static csspgo_status csspgo__record_mmap(const unsigned char *body, size_t size, int has_prot, uint32_t misc,
                                         csspgo_mmap *map, csspgo_error *err)
{
    csspgo__reader r;
    const void *end;
    uint32_t v[2];
    memset(map, 0, sizeof *map);
    csspgo__reader_init(&r, body, size, err);
    csspgo__native32x2(&r, v);
    map->pid = v[0];
    map->address = csspgo__native64(&r);
    map->size = csspgo__native64(&r);
    map->file_offset = csspgo__native64(&r);
    map->executable = (misc & CSSPGO__MISC_MMAP_DATA) == 0;
    if (has_prot) {
        csspgo__native_array(&r, 24, 1);
        csspgo__native32x2(&r, v);
        map->executable = (v[0] & CSSPGO__PROT_EXEC) != 0;
    }
    if (r.status != CSSPGO_OK) return r.status;
    end = memchr(r.p, 0, csspgo__left(&r));
    if (end == NULL) csspgo__fail(&r, CSSPGO_E_TRUNCATED, r.p, "the path in a mapping record does not end");
    map->path = (const char *)r.p;
    map->path_size = end != NULL ? (size_t)((const unsigned char *)end - r.p) : 0;
    return r.status;
}

/* LOST: u64 event id, count. LOST_SAMPLES: u64 count. */
static csspgo_status csspgo__record_lost(csspgo_ring *ring, const unsigned char *body, size_t size, int has_id,
                                         csspgo_error *err)
{
    csspgo__reader r;
    csspgo__reader_init(&r, body, size, err);
    if (has_id) csspgo__native64(&r);
    ring->lost = csspgo__sat_add(ring->lost, csspgo__native64(&r));
    return r.status;
}

static const char *csspgo__ring_complaint(const csspgo_ring *ring)
{
    if (ring->data == NULL || (uintptr_t)ring->data % 8 != 0) return "the ring's data is not aligned to 8";
    if (ring->size < 8 || (ring->size & (ring->size - 1)) != 0) return "the ring's size is no power of two";
    if (ring->size > SIZE_MAX) return "the ring is larger than memory";
    if (ring->head - ring->tail > ring->size || ring->tail % 8 != 0) return "the ring's head and tail are impossible";
    if ((uintptr_t)ring->bounce % 8 != 0) return "the ring's bounce buffer is not aligned to 8";
    return NULL;
}

/* The bytes of the record at tail in one piece; NULL if it wraps and there is no room to join it. */
static const unsigned char *csspgo__ring_record(const csspgo_ring *ring, size_t size)
{
    const unsigned char *data = (const unsigned char *)ring->data;
    const size_t at = (size_t)(ring->tail & (ring->size - 1)), first = (size_t)ring->size - at;
    unsigned char *joined = (unsigned char *)ring->bounce;
    if (size <= first) return data + at;
    if (joined == NULL || ring->bounce_size < size) return NULL;
    memcpy(joined, data + at, first);
    memcpy(joined + first, data, size - first);
    return joined;
}

CSSPGO_DEF csspgo_item csspgo_ring_next(csspgo_ring *ring, csspgo_sample *sample, csspgo_mmap *map, csspgo_error *err)
{
    const char *complaint = csspgo__ring_complaint(ring);
    csspgo_status s = CSSPGO_OK;
    csspgo__error_clear(err);
    if (complaint != NULL) s = csspgo__error(err, CSSPGO_E_ARGUMENT, 0, complaint);
    while (s == CSSPGO_OK && ring->tail != ring->head) {
        const unsigned char *header = (const unsigned char *)ring->data + (size_t)(ring->tail & (ring->size - 1));
        const unsigned char *record;
        csspgo_item item = CSSPGO_ITEM_OTHER;
        uint32_t type;
        uint16_t misc, size;
        memcpy(&type, header, 4);                   /* the 8 bytes of a header never wrap */
        memcpy(&misc, header + 4, 2);
        memcpy(&size, header + 6, 2);
        if (size < 8 || size % 8 != 0 || size > ring->head - ring->tail) {
            s = csspgo__error(err, CSSPGO_E_SYNTAX, 0, "a record in the ring has an impossible size: ");
            csspgo__say_u64(err, size);
            break;
        }
        record = csspgo__ring_record(ring, size);
        ring->tail += size;
        if (record == NULL) {
            ring->unfit = csspgo__sat_add(ring->unfit, 1);
            continue;
        }
        if (type == CSSPGO__RECORD_SAMPLE) {
            item = CSSPGO_ITEM_SAMPLE;
            s = csspgo_record_sample(record + 8, size - 8u, ring->sample_type, ring->branch_sample_type,
                                     ring->read_format, sample, err);
        } else if (type == CSSPGO__RECORD_MMAP || type == CSSPGO__RECORD_MMAP2) {
            item = CSSPGO_ITEM_MMAP;
            s = csspgo__record_mmap(record + 8, size - 8u, type == CSSPGO__RECORD_MMAP2, misc, map, err);
        } else if (type == CSSPGO__RECORD_LOST || type == CSSPGO__RECORD_LOST_SAMPLES) {
            s = csspgo__record_lost(ring, record + 8, size - 8u, type == CSSPGO__RECORD_LOST, err);
        }
        if (s == CSSPGO_OK) return item;
    }
    ring->tail = ring->head;
    return CSSPGO_ITEM_NONE;
}

/* ----- script text: numbers and words of one line, [p, end) ------------------------------------------------------- */

static const unsigned char csspgo__hexval[256] = {
#define CSSPGO__16 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99
    CSSPGO__16, CSSPGO__16, CSSPGO__16,
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 99, 99, 99, 99, 99, 99,
    99, 10, 11, 12, 13, 14, 15, 99, 99, 99, 99, 99, 99, 99, 99, 99, CSSPGO__16,
    99, 10, 11, 12, 13, 14, 15, 99, 99, 99, 99, 99, 99, 99, 99, 99, CSSPGO__16,
    CSSPGO__16, CSSPGO__16, CSSPGO__16, CSSPGO__16, CSSPGO__16, CSSPGO__16, CSSPGO__16, CSSPGO__16
#undef CSSPGO__16
};

/* Hexadecimal digits up to the first other byte (there is one: lines end in LF). More than 16 do not fit. */
static const unsigned char *csspgo__hex(const unsigned char *p, uint64_t *value)
{
    uint64_t v = 0;
    unsigned d;
    for (; (d = csspgo__hexval[*p]) < 16; p++) v = v << 4 | d;
    *value = v;
    return p;
}

/* 1 if all of it is one hexadecimal number of 64 bits. */
static int csspgo__hex_all(const unsigned char *p, const unsigned char *end, uint64_t *value)
{
    uint64_t v = 0;
    if (p == end) return 0;
    for (; p != end; p++) {
        const unsigned d = csspgo__hexval[*p];
        if (d > 15 || v >> 60 != 0) return 0;
        v = v << 4 | d;
    }
    *value = v;
    return 1;
}

static int csspgo__decimal_all(const unsigned char *p, const unsigned char *end, uint64_t *value)
{
    uint64_t v = 0;
    if (p == end) return 0;
    for (; p != end; p++) {
        const unsigned d = *p - (unsigned)'0';
        if (d > 9 || v > UINT64_MAX / 10 || (v == UINT64_MAX / 10 && d > UINT64_MAX % 10)) return 0;
        v = v * 10 + d;
    }
    *value = v;
    return 1;
}

static int csspgo__is_blank(unsigned c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static const unsigned char *csspgo__trim_left(const unsigned char *p, const unsigned char *end)
{
    while (p != end && csspgo__is_blank(*p)) p++;
    return p;
}

static const unsigned char *csspgo__trim_right(const unsigned char *p, const unsigned char *end)
{
    while (p != end && csspgo__is_blank(end[-1])) end--;
    return end;
}

static int csspgo__frame_line(const unsigned char *p, const unsigned char *end, uint64_t *address)
{
    return csspgo__hex_all(csspgo__trim_left(p, end), end, address);
}

static int csspgo__branch_line(const unsigned char *p, const unsigned char *end)
{
    return end - p >= 3 && p[0] == ' ' && p[1] == '0' && p[2] == 'x';
}

/* Where c first stands, or end. */
static const unsigned char *csspgo__upto(const unsigned char *p, const unsigned char *end, int c)
{
    const void *at = p != end ? memchr(p, c, (size_t)(end - p)) : NULL;
    return at != NULL ? (const unsigned char *)at : end;
}

static int csspgo__is_record(const unsigned char *p, const unsigned char *end)
{
    return end - p > 2 && p[0] == '0' && p[1] == 'x' && csspgo__upto(p, end, '/') != end;
}

/*
 * 1 if a line decides the script's type: its first or second piece is a branch record, or those of its second piece if
 * the first has a colon (an event's name). Pieces end at a blank, but if two blanks follow the first one the second is
 * all the rest. (LLVM 19 looks at the second only, and so misses samples with one record.)
 */
static int csspgo__decides_type(const unsigned char *p, const unsigned char *end)
{
    const unsigned char *first_end, *second;
    int i;
    for (i = 0; i < 2; i++) {
        p = csspgo__trim_left(p, end);
        end = csspgo__trim_right(p, end);
        first_end = csspgo__upto(p, end, ' ');
        second = first_end != end ? first_end + 1 : end;
        if (second != end && *second == ' ') second++;
        else end = csspgo__upto(second, end, ' ');
        if (i == 1 || csspgo__upto(p, first_end, ':') == first_end)
            return csspgo__is_record(p, first_end) || csspgo__is_record(second, end);
        p = second;
    }
    return 0;
}

/* ----- mapping lines: PERF_RECORD_MMAP[2] PID/TID: [0xADDR(0xSIZE) @ 0xOFF|0 ANY]: PROT PATH ---------------------- */

/* The next "PERF_RECORD_MMAP" in [p, end), or NULL. Searches for its F, which branch lines hardly ever have. */
static const unsigned char *csspgo__find_mmap(const unsigned char *p, const unsigned char *end)
{
    const unsigned char *q = p;
    while ((q = csspgo__upto(q, end, 'F')) != end) {
        if (q - p >= 3 && end - q >= 13 && memcmp(q - 3, "PERF_RECORD_MMAP", 16) == 0) return q - 3;
        q++;
    }
    return NULL;
}

static int csspgo__mmap_line(const unsigned char *p, const unsigned char *end)
{
    return end - p >= 50 && (*p < '0' || *p > '9') && csspgo__find_mmap(p, end) != NULL;
}

static int csspgo__eat(const unsigned char **p, const unsigned char *end, const char *text)
{
    const size_t n = strlen(text);
    if ((size_t)(end - *p) < n || memcmp(*p, text, n) != 0) return 0;
    *p += n;
    return 1;
}

static int csspgo__eat_decimal(const unsigned char **p, const unsigned char *end, uint64_t *v)
{
    const unsigned char *q = *p, *word = q;
    while (q != end && *q >= '0' && *q <= '9') q++;
    *p = q;
    return csspgo__decimal_all(word, q, v);
}

/* Lower-case digits behind 0x. */
static int csspgo__eat_hex(const unsigned char **p, const unsigned char *end, uint64_t *v)
{
    const unsigned char *q, *word;
    if (!csspgo__eat(p, end, "0x")) return 0;
    for (q = word = *p; q != end && csspgo__hexval[*q] < 16 && (*q < 'A' || *q > 'F'); q++) {}
    *p = q;
    return csspgo__hex_all(word, q, v);
}

/* "]: PROT PATH" at p. */
static int csspgo__eat_path(const unsigned char *p, const unsigned char *end, csspgo_mmap *map)
{
    const unsigned char *prot;
    if (!csspgo__eat(&p, end, "]: ")) return 0;
    for (prot = p; p != end && (*p == '-' || (*p >= 'a' && *p <= 'z')); p++) {}
    if (p == prot || p == end || *p != ' ') return 0;
    map->executable = csspgo__upto(prot, p, 'x') != p;
    map->path = (const char *)p + 1;
    map->path_size = (size_t)(end - p) - 1;
    return 1;
}

/* What follows "PERF_RECORD_MMAP[2] " up to the offset; *at moves behind it. */
static int csspgo__eat_mmap(const unsigned char **at, const unsigned char *end, csspgo_mmap *map)
{
    const unsigned char *p = *at;
    uint64_t pid, tid;
    int negative;
    memset(map, 0, sizeof *map);
    negative = csspgo__eat(&p, end, "-");
    if (!csspgo__eat_decimal(&p, end, &pid) || !csspgo__eat(&p, end, "/")) return 0;
    if (!csspgo__eat_decimal(&p, end, &tid) || !csspgo__eat(&p, end, ": [")) return 0;
    if (!csspgo__eat_hex(&p, end, &map->address)) return 0;
    if (!csspgo__eat(&p, end, "(") || !csspgo__eat_hex(&p, end, &map->size) || !csspgo__eat(&p, end, ") @ ")) return 0;
    if (!csspgo__eat_hex(&p, end, &map->file_offset) && !csspgo__eat(&p, end, "0")) return 0;
    map->pid = negative ? 0u - (uint32_t)pid : (uint32_t)pid;
    *at = p;
    return 1;
}

/*
 * The event may begin anywhere in the line. If the line has a PERF_RECORD_MMAP2 that is the only form that counts, and
 * its path begins behind the last "]: PROT ": where that is not there for one beginning it is not there for later ones.
 */
static int csspgo__parse_mmap(const unsigned char *p, const unsigned char *end, csspgo_mmap *map)
{
    const unsigned char *q, *at, *last;
    int second = 0;
    for (q = p; !second && (q = csspgo__find_mmap(q, end)) != NULL; q++) {
        at = q + 16;
        second = csspgo__eat(&at, end, "2 ");
    }
    for (q = p; (q = csspgo__find_mmap(q, end)) != NULL; q++) {
        at = q + 16;
        if (!csspgo__eat(&at, end, second ? "2 " : " ") || !csspgo__eat_mmap(&at, end, map)) continue;
        if (!second && csspgo__eat_path(at, end, map)) return 1;
        if (!second || !csspgo__eat(&at, end, " ")) continue;
        for (last = end; last != at;)
            if (*--last == ']' && csspgo__eat_path(last, end, map)) return 1;
        return 0;
    }
    return 0;
}

/* ----- script text: the parser ------------------------------------------------------------------------------------ */

enum { CSSPGO__SCRIPT_UNKNOWN = 0, CSSPGO__SCRIPT_HYBRID = 1, CSSPGO__SCRIPT_FLAT = 2 };   /* type */
enum {
    CSSPGO__AT_START = 0,         /* a sample, mapping or junk line may begin                            */
    CSSPGO__AT_FRAMES = 1,        /* behind a count or frame line (flat: behind a count line)            */
    CSSPGO__AT_JUNK = 2,          /* behind the line that spoiled a stack: its branch line may follow    */
    CSSPGO__AT_SKIP = 3           /* up to the next branch line nothing counts                           */
};
enum { CSSPGO__SCRIPT_HOLD = 1 << 20, CSSPGO__SCRIPT_MOST = 1 << 16 };   /* bytes; frames or records of a sample */

/*
 * Lines are read in place. [p, lim) is what is being read: whole lines, each with its LF, so that a scan for anything
 * that stops at LF needs no bound. It is the whole lines of the caller's piece, or one line that was split (in carry),
 * or, once the type is known, the lines that were read before it was (in hold; what comes behind them is in back).
 */
struct csspgo_script {
    csspgo__heap   heap;                        /* first: csspgo__object_new                              */
    const csspgo_code *code;                    /* or NULL                                                */
    const unsigned char *p, *lim;
    const unsigned char *piece, *piece_end;     /* the part of the caller's piece behind [p, lim)         */
    const unsigned char *back, *back_lim;       /* where to go on behind hold; NULL: not reading hold     */
    unsigned char *carry;                       /* a line without its end yet                             */
    size_t         carry_size, carry_cap;
    unsigned char *hold;
    size_t         hold_size, hold_cap, hold_run;   /* hold_run: where the last run of frame lines begins */
    uint64_t       hold_lines, hold_total;      /* lines in hold; lines read when the type became known   */
    uint64_t      *frame;
    csspgo_branch *branch;
    size_t         frames, frame_cap, branch_cap;
    uint64_t       count;                       /* of the sample being read                               */
    uint64_t       line, size;                  /* number of the line being read; bytes fed               */
    csspgo_error   error;                       /* sticky                                                 */
    csspgo_script_stats stats;
    uint32_t       type, state;
    uint32_t       carry_whole;                 /* 1: [p, lim) is carry                                   */
    uint32_t       carry_long;                  /* 1: the line in carry is too long, its text is gone     */
    uint32_t       scan_start, scan_frames;     /* type scan: a count line may come; frame lines seen     */
    uint32_t       crowded;                     /* 1: the sample being read has too many frames           */
    uint32_t       ended;
};

/* What too long a line counts as; what stands in hold for a mapping line that was handed out already. */
static const unsigned char csspgo__junk_line[2] = { '?', '\n' }, csspgo__held_mmap[2] = { 1, '\n' };

static void csspgo__script_fail(csspgo_script *s, csspgo_status status, const char *text)
{
    csspgo__error(&s->error, status, s->size, text);
    s->error.line = s->line > UINT32_MAX ? UINT32_MAX : (uint32_t)s->line;
}

static int csspgo__script_out_of_memory(csspgo_script *s)
{
    csspgo__script_fail(s, s->heap.status, csspgo_status_text(s->heap.status));
    return 0;
}

static void csspgo__script_bad(csspgo_script *s, uint64_t *counter)
{
    ++*counter;
    if (s->stats.first_bad_line == 0 || s->line < s->stats.first_bad_line) s->stats.first_bad_line = s->line;
}

static int csspgo__script_is_held(const csspgo_script *s, const unsigned char *p, const unsigned char *end)
{
    return s->back != NULL && end - p == 1 && *p == csspgo__held_mmap[0];
}

static csspgo_item csspgo__script_mmap(csspgo_script *s, const unsigned char *p, const unsigned char *end,
                                       csspgo_mmap *map)
{
    if (csspgo__parse_mmap(p, end, map)) return CSSPGO_ITEM_MMAP;
    csspgo__script_bad(s, &s->stats.bad_mmaps);
    return CSSPGO_ITEM_NONE;
}

static void csspgo__script_begin(csspgo_script *s)
{
    s->stats.attempts++;
    s->count = 1;
    s->frames = 0;
    s->crowded = 0;
    s->state = CSSPGO__AT_FRAMES;
}

static csspgo_item csspgo__script_sample(csspgo_script *s, size_t branches, csspgo_sample *sample)
{
    s->state = CSSPGO__AT_START;
    if (branches == 0) return CSSPGO_ITEM_NONE;
    memset(sample, 0, sizeof *sample);
    sample->stack = s->frames != 0 ? s->frame : NULL;
    sample->stack_count = (uint32_t)s->frames;
    sample->branches = s->branch;
    sample->branch_count = (uint32_t)branches;
    sample->count = s->count;
    s->stats.samples++;
    return CSSPGO_ITEM_SAMPLE;
}

/* ----- branch lines ----- */

/* The records of a line in the form that perf prints. Returns what follows its LF; NULL if there is anything else. */
static const unsigned char *csspgo__records_plain(const unsigned char *p, csspgo_branch *branch, size_t cap,
                                                  size_t *count)
{
    const unsigned char *word;
    size_t n = 0;
    if (cap > CSSPGO__SCRIPT_MOST) cap = CSSPGO__SCRIPT_MOST;
    for (;;) {
        while (*p == ' ') p++;
        if (*p == '\n') break;
        if (n == cap || p[0] != '0' || p[1] != 'x') return NULL;
        word = p + 2;
        p = csspgo__hex(word, &branch[n].from);
        if ((size_t)(p - word) - 1 > 15 || p[0] != '/' || p[1] != '0' || p[2] != 'x') return NULL;
        word = p + 3;
        p = csspgo__hex(word, &branch[n].to);
        if ((size_t)(p - word) - 1 > 15 || (*p != '/' && *p != ' ' && *p != '\n')) return NULL;
        while (*p != ' ' && *p != '\n') p++;
        if (n == 0 && (p[-1] == ':' || p[-1] < ' ')) return NULL;      /* it may be an event's name */
        branch[n++].flags = 0;
    }
    *count = n;
    return p + 1;
}

static int csspgo__script_branch_room(csspgo_script *s, size_t need)
{
    void *p;
    if (need <= s->branch_cap) return 1;
    p = csspgo__grow(&s->heap, s->branch, s->branch_cap, &s->branch_cap, need, sizeof *s->branch);
    if (p == NULL) return csspgo__script_out_of_memory(s);
    s->branch = (csspgo_branch *)p;
    return 1;
}

/* FROM/TO/...: the first two bytes of both are passed over unseen, the rest must be a number. */
static int csspgo__branch_record(const unsigned char *p, const unsigned char *end, csspgo_branch *branch)
{
    const unsigned char *from_end = csspgo__upto(p, end, '/'), *to_end;
    if (from_end == end) return 0;
    to_end = csspgo__upto(from_end + 1, end, '/');
    branch->flags = 0;
    return from_end - p > 2 && csspgo__hex_all(p + 2, from_end, &branch->from) && to_end - from_end > 3 &&
           csspgo__hex_all(from_end + 3, to_end, &branch->to);
}

/*
 * Any branch line: [EVENT:] [IP] records, separated by blanks. What follows the first thing that is no record is not
 * read. Returns the number of records; 0 also when there are too many or memory is exhausted.
 */
static size_t csspgo__script_records(csspgo_script *s, const unsigned char *p, const unsigned char *end)
{
    const unsigned char *word;
    uint64_t ip;
    size_t n = 0;
    int event = 1, first = 1;
    end = csspgo__trim_right(p, end);
    for (;; p = csspgo__upto(p, end, ' ')) {
        while (p != end && *p == ' ') p++;
        if (p == end) return n;
        word = csspgo__upto(p, end, ' ');
        if (event && word[-1] == ':') {
            event = 0;
            continue;
        }
        event = 0;
        if (first && csspgo__upto(p, word, '/') == word) {
            first = 0;
            if (csspgo__hex_all(p, word, &ip)) continue;
            break;
        }
        first = 0;
        if (n == CSSPGO__SCRIPT_MOST) {
            csspgo__script_bad(s, &s->stats.oversized);
            return 0;
        }
        if (!csspgo__script_branch_room(s, n + 1)) return 0;
        if (!csspgo__branch_record(p, word, &s->branch[n])) break;
        n++;
    }
    csspgo__script_bad(s, &s->stats.bad_records);
    return n;
}

/* ----- hybrid scripts ----- */

/* 1 if a return address read so far is in known code but behind no call: LLVM looks at no further frames then. */
static int csspgo__script_is_cut(const csspgo_script *s)
{
    size_t i;
    for (i = 1; s->code != NULL && i < s->frames; i++) {
        const uint32_t pos = csspgo__pos(s->code, s->frame[i]);
        if (pos != CSSPGO__EXT && csspgo__call_before(s->code, pos) == 0) return 1;
    }
    return 0;
}

static void csspgo__script_frame(csspgo_script *s, uint64_t address)
{
    if (s->frames == CSSPGO__SCRIPT_MOST) {
        csspgo__script_bad(s, &s->stats.oversized);
        s->crowded = 1;
        s->state = CSSPGO__AT_SKIP;
        return;
    }
    if (s->frames == s->frame_cap) {
        void *p = csspgo__grow(&s->heap, s->frame, s->frames, &s->frame_cap, s->frames + 64, sizeof *s->frame);
        if (p == NULL) {
            csspgo__script_out_of_memory(s);
            return;
        }
        s->frame = (uint64_t *)p;
    }
    s->frame[s->frames++] = address;
}

static void csspgo__script_spoilt(csspgo_script *s)
{
    if (csspgo__script_is_cut(s)) {
        s->state = CSSPGO__AT_SKIP;
        return;
    }
    if (s->frames != 0) csspgo__script_bad(s, &s->stats.bad_frame_lines);
    s->state = CSSPGO__AT_JUNK;
}

static csspgo_item csspgo__hybrid_line(csspgo_script *s, const unsigned char *p, const unsigned char *end,
                                       csspgo_sample *sample, csspgo_mmap *map)
{
    const int branches = csspgo__branch_line(p, end);
    uint64_t address;
    if (s->state == CSSPGO__AT_JUNK) {
        s->state = CSSPGO__AT_START;
        if (branches) {
            if (s->frames == 0) csspgo__script_bad(s, &s->stats.empty_stacks);
            return CSSPGO_ITEM_NONE;
        }
    }
    if (s->state == CSSPGO__AT_START) {
        if (csspgo__mmap_line(p, end)) return csspgo__script_mmap(s, p, end, map);
        if (csspgo__script_is_held(s, p, end)) return CSSPGO_ITEM_NONE;
        csspgo__script_begin(s);
        if (csspgo__decimal_all(p, end, &s->count)) return CSSPGO_ITEM_NONE;
    }
    if (branches && s->frames != 0 && !s->crowded)
        return csspgo__script_sample(s, csspgo__script_records(s, p, end), sample);
    if (branches) {
        if (!s->crowded) csspgo__script_bad(s, &s->stats.empty_stacks);
        s->state = CSSPGO__AT_START;
    } else if (s->state == CSSPGO__AT_FRAMES) {
        if (csspgo__frame_line(p, end, &address)) csspgo__script_frame(s, address);
        else csspgo__script_spoilt(s);
    }
    return CSSPGO_ITEM_NONE;
}

/* Frame lines in the form that perf prints, as many as follow. The first one may begin a sample. */
static void csspgo__script_frames_plain(csspgo_script *s)
{
    const unsigned char *p = s->p, *word, *end;
    uint64_t *const first = s->frame + (s->state == CSSPGO__AT_START ? 0 : s->frames), *frame = first;
    const size_t room = s->frame_cap < CSSPGO__SCRIPT_MOST ? s->frame_cap : (size_t)CSSPGO__SCRIPT_MOST;
    uint64_t *const full = s->frame + room;
    while (p != s->lim && (*p == '\t' || *p == ' ') && frame != full) {
        for (word = p + 1; *word == ' ' || *word == '\t'; word++) {}
        end = csspgo__hex(word, frame);
        if (*end != '\n' || (size_t)(end - word) - 1 > 15 || (size_t)(end - p) > s->heap.limits.max_line) break;
        frame++;
        p = end + 1;
    }
    if (frame == first) return;
    if (s->state == CSSPGO__AT_START) csspgo__script_begin(s);
    s->frames = (size_t)(frame - s->frame);
    s->line += (uint64_t)(frame - first);
    s->p = p;
}

/* The next line at p; [*line, *end) gets it without its end. */
static void csspgo__script_line(csspgo_script *s, const unsigned char **line, const unsigned char **end)
{
    const unsigned char *lf = csspgo__upto(s->p, s->lim, '\n');
    *line = s->p;
    *end = lf;
    s->p = lf + 1;
    s->line++;
    if (s->carry_long || (size_t)(lf - *line) > s->heap.limits.max_line) {
        csspgo__script_bad(s, &s->stats.oversized);
        *line = csspgo__junk_line;
        *end = csspgo__junk_line + 1;
    }
    if (s->back == NULL && *end != *line && (*end)[-1] == '\r') --*end;      /* held lines have lost it already */
}

/* A branch line in the form that perf prints, behind frames. Returns the number of its records, 0 if it is not one. */
static size_t csspgo__script_branches_plain(csspgo_script *s)
{
    const unsigned char *p;
    size_t n = 0;
    if (s->frames == 0 || s->crowded || !csspgo__branch_line(s->p, s->lim)) return 0;
    p = csspgo__records_plain(s->p, s->branch, s->branch_cap, &n);
    if (p == NULL || (size_t)(p - s->p) - 1 > s->heap.limits.max_line) return 0;
    s->p = p;
    s->line++;
    return n;
}

/* Lines in plain form are read by the *_plain functions; csspgo__hybrid_line reads those and every other. */
static csspgo_item csspgo__script_hybrid(csspgo_script *s, csspgo_sample *sample, csspgo_mmap *map)
{
    const unsigned char *p, *end;
    csspgo_item item = CSSPGO_ITEM_NONE;
    size_t n;
    while (item == CSSPGO_ITEM_NONE && s->p != s->lim && s->error.status == CSSPGO_OK) {
        if (s->state == CSSPGO__AT_JUNK && !csspgo__branch_line(s->p, s->lim)) s->state = CSSPGO__AT_START;
        if (s->state == CSSPGO__AT_START || s->state == CSSPGO__AT_FRAMES) {
            csspgo__script_frames_plain(s);
            if (s->p == s->lim) break;
            n = s->state == CSSPGO__AT_FRAMES ? csspgo__script_branches_plain(s) : 0;
            if (n != 0) return csspgo__script_sample(s, n, sample);
        }
        csspgo__script_line(s, &p, &end);
        item = csspgo__hybrid_line(s, p, end, sample, map);
    }
    return item;
}

/* ----- flat scripts ----- */

static csspgo_item csspgo__flat_line(csspgo_script *s, const unsigned char *p, const unsigned char *end,
                                     csspgo_sample *sample, csspgo_mmap *map)
{
    const unsigned char *word, *whole;
    uint64_t ip;
    size_t n;
    if (s->state == CSSPGO__AT_START) {
        if (csspgo__mmap_line(p, end)) return csspgo__script_mmap(s, p, end, map);
        if (csspgo__script_is_held(s, p, end)) return CSSPGO_ITEM_NONE;
        csspgo__script_begin(s);
        if (csspgo__decimal_all(p, end, &s->count)) return CSSPGO_ITEM_NONE;
    }
    for (word = p; *word == ' '; word++) {}
    whole = csspgo__hex(word, &ip);
    if (whole == word || (size_t)(whole - word) > 16 || *whole != ' ') whole = word;
    whole = *end == '\n' ? csspgo__records_plain(whole, s->branch, s->branch_cap, &n) : NULL;
    if (whole != NULL) return csspgo__script_sample(s, n, sample);
    return csspgo__script_sample(s, csspgo__script_records(s, p, end), sample);
}

static csspgo_item csspgo__script_flat(csspgo_script *s, csspgo_sample *sample, csspgo_mmap *map)
{
    const unsigned char *p, *end;
    csspgo_item item = CSSPGO_ITEM_NONE;
    while (item == CSSPGO_ITEM_NONE && s->p != s->lim && s->error.status == CSSPGO_OK) {
        csspgo__script_line(s, &p, &end);
        item = csspgo__flat_line(s, p, end, sample, map);
    }
    return item;
}

/* ----- the type scan ----- */

/* Drops the held lines before the last run of frame lines, or that too if it alone is too large. */
static void csspgo__script_hold_less(csspgo_script *s, size_t more)
{
    size_t i, from = s->hold_run;
    if (s->hold_size - from > CSSPGO__SCRIPT_HOLD - more) {
        if (!s->crowded) csspgo__script_bad(s, &s->stats.oversized);
        s->crowded = 1;
        from = s->hold_size;
    }
    for (i = 0; i < from; i++)
        if (s->hold[i] == '\n') {
            s->hold_lines--;
            s->stats.attempts++;
        }
    memmove(s->hold, s->hold + from, s->hold_size - from);
    s->hold_size -= from;
    s->hold_run = 0;
}

static void csspgo__script_keep(csspgo_script *s, const unsigned char *p, const unsigned char *end)
{
    size_t n = (size_t)(end - p) + 1;
    if (n > CSSPGO__SCRIPT_HOLD || (n == 2 && *p == csspgo__held_mmap[0] && p != csspgo__held_mmap)) {
        p = csspgo__junk_line;
        n = 2;
    }
    if (n > CSSPGO__SCRIPT_HOLD - s->hold_size) csspgo__script_hold_less(s, n);
    if (n > s->hold_cap - s->hold_size) {
        void *grown = csspgo__grow(&s->heap, s->hold, s->hold_size, &s->hold_cap, s->hold_size + n, 1);
        if (grown == NULL) {
            csspgo__script_out_of_memory(s);
            return;
        }
        s->hold = (unsigned char *)grown;
    }
    if (n > 1) memcpy(s->hold + s->hold_size, p, n - 1);
    s->hold_size += n;
    s->hold[s->hold_size - 1] = '\n';
    s->hold_lines++;
}

/* The type is known: go back to the first held line; the current one begins at p. */
static void csspgo__script_decide(csspgo_script *s, const unsigned char *p)
{
    s->type = s->scan_frames != 0 ? CSSPGO__SCRIPT_HYBRID : CSSPGO__SCRIPT_FLAT;
    s->stats.hybrid = s->type == CSSPGO__SCRIPT_HYBRID;
    s->hold_total = --s->line;
    s->line -= s->hold_lines;
    s->p = p;
    if (s->hold_size != 0) {
        s->back = p;
        s->back_lim = s->lim;
        s->p = s->hold;
        s->lim = s->hold + s->hold_size;
    }
    if (s->crowded) {                              /* the run of frame lines before p did not fit */
        s->stats.attempts++;
        s->state = CSSPGO__AT_SKIP;
    }
}

static csspgo_item csspgo__script_scan(csspgo_script *s, csspgo_mmap *map)
{
    while (s->p != s->lim && s->error.status == CSSPGO_OK) {
        const unsigned char *at = s->p, *p, *end;
        uint64_t v;
        int count, held;
        csspgo__script_line(s, &p, &end);
        held = s->scan_start != 0;                 /* a mapping line behind frame lines is junk in a hybrid script */
        count = s->scan_start && csspgo__decimal_all(p, end, &v);
        s->scan_start = 0;
        if (count || csspgo__frame_line(p, end, &v)) {
            s->scan_frames |= !count;
            csspgo__script_keep(s, p, end);
            continue;
        }
        if (csspgo__decides_type(p, end)) {
            csspgo__script_decide(s, at);
            return CSSPGO_ITEM_NONE;
        }
        held = held && !csspgo__branch_line(p, end) && csspgo__mmap_line(p, end);
        csspgo__script_keep(s, held ? csspgo__held_mmap : p, held ? csspgo__held_mmap + 1 : end);
        s->hold_run = s->hold_size;
        s->scan_start = 1;
        s->scan_frames = 0;
        s->crowded = 0;
        if (held && csspgo__script_mmap(s, p, end, map) == CSSPGO_ITEM_MMAP) return CSSPGO_ITEM_MMAP;
    }
    return CSSPGO_ITEM_NONE;
}

/* ----- lines out of pieces ----- */

/* Adds bytes of a line to carry. A line that gets too long loses its text at once. */
static int csspgo__script_carry(csspgo_script *s, const unsigned char *p, size_t n)
{
    const size_t need = s->carry_size + n + 1;      /* 1: for the LF that a last line may lack */
    if (n == 0 || s->carry_long) return 1;
    if (n > s->heap.limits.max_line - s->carry_size) {
        s->carry_long = 1;
        return 1;
    }
    if (need > s->carry_cap) {
        void *grown = csspgo__grow(&s->heap, s->carry, s->carry_size, &s->carry_cap, need < 256 ? 256 : need, 1);
        if (grown == NULL) return csspgo__script_out_of_memory(s);
        s->carry = (unsigned char *)grown;
    }
    memcpy(s->carry + s->carry_size, p, n);
    s->carry_size += n;
    return 1;
}

/* The line in carry is whole: it is what is read next. */
static int csspgo__script_carried(csspgo_script *s)
{
    s->carry_whole = 1;
    s->p = s->carry_long ? csspgo__junk_line : s->carry;
    s->lim = s->p + (s->carry_long ? 2 : s->carry_size + 1);
    if (!s->carry_long) s->carry[s->carry_size] = '\n';
    return 1;
}

/* Lets [p, lim) be the next whole lines. Returns 0 if there are none. */
static int csspgo__script_refill(csspgo_script *s)
{
    const unsigned char *end;
    if (s->back != NULL) {
        s->p = s->back;
        s->lim = s->back_lim;
        s->back = NULL;
        csspgo__free(&s->heap, s->hold, s->hold_cap);
        s->hold = NULL;
        s->hold_size = s->hold_cap = 0;
        return 1;
    }
    if (s->carry_whole) {
        s->carry_whole = s->carry_long = 0;
        s->carry_size = 0;
    }
    if (s->carry_size == 0 && !s->carry_long) {
        for (end = s->piece_end; end != s->piece && end[-1] != '\n'; end--) {}
        if (end != s->piece) {
            s->p = s->piece;
            s->piece = s->lim = end;
            return 1;
        }
    }
    end = csspgo__upto(s->piece, s->piece_end, '\n');
    if (!csspgo__script_carry(s, s->piece, (size_t)(end - s->piece))) return 0;
    if (end != s->piece_end) {
        s->piece = end + 1;
        return csspgo__script_carried(s);
    }
    s->piece = end;
    return s->ended && (s->carry_size != 0 || s->carry_long) ? csspgo__script_carried(s) : 0;
}

/* 1 if LLVM drops the sample being read for its leaf, whatever follows it. */
static int csspgo__script_is_dropped(const csspgo_script *s)
{
    uint32_t leaf;
    if (s->code == NULL || s->crowded) return 0;
    leaf = csspgo__pos(s->code, s->frame[0]);
    return leaf != CSSPGO__EXT && csspgo__leaf_unsafe(s->code, leaf);
}

/* The input is over. */
static void csspgo__script_finish(csspgo_script *s)
{
    const int open = s->state == CSSPGO__AT_SKIP || (s->state == CSSPGO__AT_FRAMES && s->frames != 0);
    if (s->type == CSSPGO__SCRIPT_UNKNOWN)
        csspgo__script_fail(s, CSSPGO_E_SYNTAX, "no perf script: there is no line of branch records");
    else if (s->type == CSSPGO__SCRIPT_HYBRID && open && !csspgo__script_is_dropped(s))
        csspgo__script_fail(s, CSSPGO_E_TRUNCATED, "the script ends between a call stack and its branch records");
}

CSSPGO_DEF csspgo_script *csspgo_script_new(const csspgo_options *options)
{
    csspgo_script *s = (csspgo_script *)csspgo__object_new(options, sizeof *s);
    if (s == NULL) return NULL;
    s->scan_start = 1;
    s->frame = (uint64_t *)csspgo__grow(&s->heap, NULL, 0, &s->frame_cap, 128, sizeof *s->frame);
    s->branch = (csspgo_branch *)csspgo__grow(&s->heap, NULL, 0, &s->branch_cap, 64, sizeof *s->branch);
    if (s->frame != NULL && s->branch != NULL) return s;
    csspgo_script_free(s);
    return NULL;
}

CSSPGO_DEF void csspgo_script_free(csspgo_script *s)
{
    if (s == NULL) return;
    csspgo__free(&s->heap, s->carry, s->carry_cap);
    csspgo__free(&s->heap, s->hold, s->hold_cap);
    csspgo__free(&s->heap, s->frame, s->frame_cap * sizeof *s->frame);
    csspgo__free(&s->heap, s->branch, s->branch_cap * sizeof *s->branch);
    csspgo__object_free(s, sizeof *s);
}

CSSPGO_DEF void csspgo_script_set_code(csspgo_script *s, const csspgo_code *code)
{
    s->code = code;
}

CSSPGO_DEF csspgo_status csspgo_script_feed(csspgo_script *s, const void *text, size_t size)
{
    if (s->ended || s->piece != s->piece_end || s->p != s->lim || s->back != NULL) return CSSPGO_E_ARGUMENT;
    if (size == 0 || s->error.status != CSSPGO_OK) return CSSPGO_OK;
    s->piece = (const unsigned char *)text;
    s->piece_end = s->piece + size;
    s->size = csspgo__sat_add(s->size, size);
    return CSSPGO_OK;
}

CSSPGO_DEF void csspgo_script_end(csspgo_script *s)
{
    s->ended = 1;
}

CSSPGO_DEF csspgo_item csspgo_script_next(csspgo_script *s, csspgo_sample *sample, csspgo_mmap *map, csspgo_error *err)
{
    csspgo_item item = CSSPGO_ITEM_NONE;
    csspgo__error_clear(err);
    while (item == CSSPGO_ITEM_NONE && s->error.status == CSSPGO_OK && (s->p != s->lim || csspgo__script_refill(s))) {
        if (s->type == CSSPGO__SCRIPT_HYBRID) item = csspgo__script_hybrid(s, sample, map);
        else if (s->type == CSSPGO__SCRIPT_FLAT) item = csspgo__script_flat(s, sample, map);
        else item = csspgo__script_scan(s, map);
    }
    if (item != CSSPGO_ITEM_NONE) return item;
    if (s->ended && s->error.status == CSSPGO_OK) csspgo__script_finish(s);
    if (s->error.status == CSSPGO_OK) return CSSPGO_ITEM_NONE;
    s->p = s->lim = s->piece = s->piece_end = s->back = NULL;
    if (err != NULL) *err = s->error;
    return CSSPGO_ITEM_NONE;
}

CSSPGO_DEF csspgo_script_stats csspgo_script_get_stats(const csspgo_script *s)
{
    csspgo_script_stats stats = s->stats;
    stats.lines = s->line > s->hold_total ? s->line : s->hold_total;
    return stats;
}

#ifndef CSSPGO_NO_UNWIND

/* ----- samples as positions, equal ones once: what the unwinder works on ------------------------------------------ */

typedef struct csspgo__trace {
    const uint32_t *stack;        /* [0] where the newest branch went, then calls, outermost last; CSSPGO__EXT        */
    uint32_t nstack;              /* 0: stacks are ignored                                                            */
    const uint32_t *lbr;          /* nlbr pairs from, to; newest first; at most one of a pair is CSSPGO__EXT          */
    uint32_t nlbr;                /* at least 1                                                                       */
    uint64_t count;
} csspgo__trace;

/*
 * Traces one behind the other in memory of fixed size, each as words: nstack, nlbr, count (low, high), stack, lbr. A
 * new one is written behind the last and stays there if the table knows no equal one.
 */
typedef struct csspgo__cache {
    uint32_t    *word;            /* NULL before the first sample; word[0] unused, so that 0 is no trace */
    size_t       used, cap;
    csspgo__map  map;             /* hash -> index of a trace's first word                               */
    size_t       bytes;           /* of word and the table together                                      */
} csspgo__cache;

enum { CSSPGO__TRACE_WORDS = 4 };                   /* before a trace's stack */
enum { CSSPGO__FULL = 100 };                        /* a csspgo_status: unwind what the cache holds, clear it, retry */

/* bytes: memory to use, 0 = 8 MiB. It is allocated by the first sample. */
CSSPGO__UNUSED static void csspgo__cache_init(csspgo__cache *c, size_t bytes)
{
    memset(c, 0, sizeof *c);
    c->bytes = bytes != 0 ? bytes : (size_t)8 << 20;
    c->used = 1;
}

CSSPGO__UNUSED static void csspgo__cache_free(csspgo__heap *h, csspgo__cache *c)
{
    csspgo__free(h, c->word, c->cap * sizeof *c->word);
    csspgo__map_free(h, &c->map);
    c->word = NULL;
    c->cap = 0;
    c->used = 1;
}

CSSPGO__UNUSED static void csspgo__cache_clear(csspgo__cache *c)
{
    csspgo__map_clear(&c->map);
    c->used = 1;
}

/* The next trace in order of insertion; *at is 0 for the first one. Returns 0 behind the last. */
CSSPGO__UNUSED static int csspgo__cache_next(const csspgo__cache *c, size_t *at, csspgo__trace *t)
{
    const size_t i = *at != 0 ? *at : 1;
    const uint32_t *w;
    if (i >= c->used) return 0;
    w = c->word + i;
    t->nstack = w[0];
    t->nlbr = w[1];
    t->count = (uint64_t)w[3] << 32 | w[2];
    t->stack = w + CSSPGO__TRACE_WORDS;
    t->lbr = t->stack + t->nstack;
    *at = i + CSSPGO__TRACE_WORDS + w[0] + 2 * (size_t)w[1];
    return 1;
}

/* The table gets a sixteenth of the memory: with traces of 128 bytes both are full at once. */
static int csspgo__cache_allocate(csspgo__heap *h, csspgo__cache *c)
{
    uint32_t slots = 64;
    while (slots < 1u << 28 && slots * 2 * sizeof(csspgo__slot) <= c->bytes / 16) slots *= 2;
    c->map.slot = (csspgo__slot *)csspgo__alloc(h, slots * sizeof(csspgo__slot));
    if (c->map.slot == NULL) return 0;
    c->map.mask = slots - 1;
    csspgo__map_clear(&c->map);
    c->cap = c->bytes / sizeof *c->word > slots * 4 ? c->bytes / sizeof *c->word - slots * 2 : slots * 2;
    c->word = (uint32_t *)csspgo__alloc(h, c->cap * sizeof *c->word);
    if (c->word != NULL) return 1;
    csspgo__map_free(h, &c->map);
    c->cap = 0;
    return 0;
}

/* Room for a trace of need words. A trace larger than all of the cache makes an empty one grow. */
static csspgo_status csspgo__cache_room(csspgo__heap *h, csspgo__cache *c, uint64_t need)
{
    if (c->word == NULL && !csspgo__cache_allocate(h, c)) return h->status;
    if (c->map.count >= c->map.mask / 4 * 3) return (csspgo_status)CSSPGO__FULL;
    if (need <= c->cap - c->used) return CSSPGO_OK;
    if (c->used != 1) return (csspgo_status)CSSPGO__FULL;
    if (need + 1 > UINT32_MAX || need + 1 > SIZE_MAX / sizeof *c->word) return CSSPGO_E_LIMIT;
    csspgo__free(h, c->word, c->cap * sizeof *c->word);
    c->cap = (size_t)need + 1;
    c->word = (uint32_t *)csspgo__alloc(h, c->cap * sizeof *c->word);
    if (c->word != NULL) return CSSPGO_OK;
    c->cap = 0;
    csspgo__map_free(h, &c->map);
    return h->status;
}

/* Position of the instruction at a run-time address, or CSSPGO__EXT. *w: the window of an address before, or NULL. */
static uint32_t csspgo__pos_near(const csspgo_code *code, const csspgo__window **w, uint64_t address)
{
    uint32_t pos;
    if (*w == NULL || address - (*w)->begin >= (*w)->size) {
        const csspgo__window *other = code->window;
        if (code->windows == 0) return CSSPGO__EXT;
        other += csspgo__window_at(code, address);
        if (address - other->begin >= other->size) return CSSPGO__EXT;
        *w = other;
    }
    pos = (*w)->pos + (uint32_t)(address - (*w)->begin);
    return code->byte[pos] & CSSPGO__START ? pos : (uint32_t)CSSPGO__EXT;
}

/*
 * The frames of a stack as positions: return addresses become the calls before them, neighbours in unknown code one,
 * the outermost frame is left out if it is in unknown code. *bad gets 1 if the stack was cut because there is no call
 * before a return address. Returns the number of frames.
 */
static uint32_t csspgo__place_stack(const csspgo_code *code, const csspgo__window **w, const csspgo_sample *s,
                                    uint32_t *to, int *bad)
{
    uint32_t i, n = 0;
    for (i = 0; i < s->stack_count; i++) {
        uint32_t pos = csspgo__pos_near(code, w, s->stack[i]);
        if (pos == CSSPGO__EXT && n != 0 && to[n - 1] == CSSPGO__EXT) continue;
        if (pos != CSSPGO__EXT && n != 0) pos = csspgo__call_before(code, pos);
        if (pos == 0) {
            *bad = 1;
            break;
        }
        to[n++] = pos;
    }
    return n > 1 && to[n - 1] == CSSPGO__EXT ? n - 1 : n;
}

/* The branch records as pairs of positions, without those between unknown code and unknown code. Returns the pairs. */
static uint32_t csspgo__place_branches(const csspgo_code *code, const csspgo__window **w, const csspgo_sample *s,
                                       uint32_t *to)
{
    uint32_t i, n = 0;
    for (i = 0; i < s->branch_count; i++) {
        to[2 * n] = csspgo__pos_near(code, w, s->branches[i].from);
        to[2 * n + 1] = csspgo__pos_near(code, w, s->branches[i].to);
        n += to[2 * n] != CSSPGO__EXT || to[2 * n + 1] != CSSPGO__EXT;
    }
    return n;
}

/* Adds count to the trace that equals the one just written behind the last, or makes that one the last. */
static void csspgo__cache_keep(csspgo__cache *c, uint64_t seed, uint64_t count)
{
    uint32_t *w = c->word + c->used, *old = NULL, at, id;
    const size_t words = w[0] + 2 * (size_t)w[1], bytes = words * sizeof *w;
    const uint64_t h = csspgo__hash_bytes(w + CSSPGO__TRACE_WORDS, bytes, seed ^ w[0]);
    const uint32_t hash = (uint32_t)(h ^ h >> 32);
    at = hash;
    while ((id = csspgo__map_next(&c->map, hash, &at)) != 0) {
        old = c->word + id;
        if (old[0] == w[0] && old[1] == w[1] &&
            memcmp(old + CSSPGO__TRACE_WORDS, w + CSSPGO__TRACE_WORDS, bytes) == 0) {
            count = csspgo__sat_add(count, (uint64_t)old[3] << 32 | old[2]);
            break;
        }
    }
    if (id == 0) {
        csspgo__map_insert(&c->map, hash, (uint32_t)c->used);
        c->used += CSSPGO__TRACE_WORDS + words;
        old = w;
    }
    old[2] = (uint32_t)(count & UINT32_MAX);
    old[3] = (uint32_t)(count >> 32);
}

/*
 * Adds one sample, its addresses looked up now: the rules by which llvm-profgen keeps, cuts or drops it.
 *
 *   code           settled
 *   ignore_stack   1: the stack decides only whether the sample is kept; the trace has none
 *   keep_leaves    1: a leaf in a prologue or epilogue is no reason to drop it
 *   stats          no_branches, prologue_leaves, external_leaves and bad_return_addresses are added to
 *
 * Returns   CSSPGO_OK when it was added or dropped; E_NOMEM, E_LIMIT; CSSPGO__FULL when there is no room: nothing was
 *           done. A cache that is empty is never full
 * Cost      O(frames + records)
 */
CSSPGO__UNUSED static csspgo_status csspgo__cache_add(csspgo__heap *h, csspgo__cache *c, const csspgo_code *code,
                                                      const csspgo_sample *s, int ignore_stack, int keep_leaves,
                                                      csspgo_collector_stats *stats)
{
    const uint64_t need = CSSPGO__TRACE_WORDS + (uint64_t)s->stack_count + 1 + 2 * (uint64_t)s->branch_count;
    const csspgo__window *window = NULL;
    csspgo_status status;
    uint32_t *w, *stack;
    uint32_t leaf, nstack, nlbr;
    int bad = 0;
    status = csspgo__cache_room(h, c, need);
    if (status != CSSPGO_OK) return status;
    w = c->word + c->used;
    stack = w + CSSPGO__TRACE_WORDS;
    nstack = csspgo__place_stack(code, &window, s, stack, &bad);
    leaf = nstack != 0 ? stack[0] : 0;
    if (leaf > CSSPGO__EXT && !keep_leaves && csspgo__leaf_unsafe(code, leaf)) {
        stats->prologue_leaves = csspgo__sat_add(stats->prologue_leaves, s->count);
        return CSSPGO_OK;
    }
    if (ignore_stack) nstack = 0;
    else if (nstack == 0) nstack = 1;
    nlbr = csspgo__place_branches(code, &window, s, stack + nstack);
    if (nlbr == 0) {
        stats->no_branches = csspgo__sat_add(stats->no_branches, s->count);
        return CSSPGO_OK;
    }
    if (leaf == CSSPGO__EXT) stats->external_leaves = csspgo__sat_add(stats->external_leaves, s->count);
    if (bad) stats->bad_return_addresses = csspgo__sat_add(stats->bad_return_addresses, s->count);
    if (nstack != 0) stack[0] = stack[nstack + 1];          /* where the newest branch went, whatever the leaf was */
    w[0] = nstack;
    w[1] = nlbr;
    csspgo__cache_keep(c, h->seed, s->count);
    return CSSPGO_OK;
}

#endif /* CSSPGO_NO_UNWIND */

#endif /* CSSPGO_NO_SAMPLE */

/* ===== >>unwind =================================================================================================== */

#ifndef CSSPGO_NO_UNWIND

#define CSSPGO__BRANCH 0x80000000u

#if defined(__GNUC__)
#  define CSSPGO__PREFETCH(p) __builtin_prefetch(p)
#else
#  define CSSPGO__PREFETCH(p) ((void)(p))
#endif

typedef struct csspgo__counter {
    uint64_t count;
    uint32_t node;                /* context; | CSSPGO__BRANCH                               */
    uint32_t a, b;                /* positions: start and end of a range, from and to of a branch */
    uint32_t reserved;
} csspgo__counter;

typedef struct csspgo__tick {     /* one event of a trace: add to the counter of this key */
    uint32_t hash, node, a, b;
} csspgo__tick;

typedef struct csspgo__span {
    uint32_t start, end;          /* positions, inclusive; 0 = none */
} csspgo__span;

enum { CSSPGO__SOUND = 4096 };

typedef struct csspgo__link {     /* a frame of the stack seen last */
    uint32_t site, node;
} csspgo__link;

enum { CSSPGO__UNDECIDED = 0, CSSPGO__CONTEXTS = 1, CSSPGO__FLAT = 2 };   /* csspgo_collector.mode */

struct csspgo_collector {
    csspgo__heap             heap;            /* first: csspgo__object_new                                            */
    csspgo_code             *code;
    csspgo_collector_options how;
    uint32_t                 mode;
    csspgo__tree             trie;            /* contexts; site = position of the call, or CSSPGO__EXT; func = 0      */
    csspgo__counter         *counter;
    size_t                   counters, counter_cap;
    csspgo__map              map;             /* (node, a, b) -> index of counter + 1                                 */
    csspgo__tick            *tick;            /* scratch: what one trace counts                                       */
    size_t                   ticks, tick_cap;
    csspgo__span             sound[CSSPGO__SOUND];   /* ranges known to run straight, by hash                         */
    size_t                   sound_stops;     /* code->stops when they were looked at                                 */
    csspgo__link            *path;            /* the last stack's frames, outermost first                             */
    size_t                   paths, path_cap;
    csspgo__cache            cache;
    size_t                   flushed;         /* where a flush that failed goes on; 0 = at the first trace            */
    csspgo_collector_stats   stats;
};

/* ----- counters --------------------------------------------------------------------------------------------------- */

static uint32_t csspgo__counter_hash(const csspgo_collector *c, uint32_t node, uint32_t a, uint32_t b)
{
    return (uint32_t)csspgo__hash64((uint64_t)a << 32 | b, node * (UINT64_C(0x9E3779B97F4A7C15) ^ c->heap.seed << 1));
}

/* Adds to the counter of a key; there is room for a new one. */
static void csspgo__counter_add(csspgo_collector *c, const csspgo__tick *t, uint64_t count)
{
    csspgo__counter *v;
    uint32_t id, at = t->hash;
    while ((id = csspgo__map_next(&c->map, t->hash, &at)) != 0) {
        v = &c->counter[id - 1];
        if (v->a != t->a || v->b != t->b || v->node != t->node) continue;
        v->count = csspgo__sat_add(v->count, count);
        return;
    }
    v = &c->counter[c->counters++];
    v->count = count;
    v->node = t->node;
    v->a = t->a;
    v->b = t->b;
    v->reserved = 0;
    csspgo__map_insert(&c->map, t->hash, (uint32_t)c->counters);
}

static void csspgo__tick_make(const csspgo_collector *c, csspgo__tick *t, uint32_t node, uint32_t a, uint32_t b)
{
    t->hash = csspgo__counter_hash(c, node, a, b);
    t->node = node;
    t->a = a;
    t->b = b;
}

/*
 * Notes an event of a trace, to be counted when the trace is at its end: until then the table's slot is on its way from
 * memory. Counting at once waits for it at every new key.
 */
static void csspgo__tick_add(csspgo_collector *c, uint32_t node, uint32_t a, uint32_t b)
{
    csspgo__tick *t = &c->tick[c->ticks++];
    csspgo__tick_make(c, t, node, a, b);
    CSSPGO__PREFETCH(&c->map.slot[t->hash & c->map.mask]);
}

static void csspgo__ticks_count(csspgo_collector *c, uint64_t count)
{
    const size_t ahead = 8;
    size_t i;
    for (i = 0; i < c->ticks; i++) {
        if (i + ahead < c->ticks)
            CSSPGO__PREFETCH(&c->counter[c->map.slot[c->tick[i + ahead].hash & c->map.mask].id]);
        csspgo__counter_add(c, &c->tick[i], count);
    }
    c->ticks = 0;
}

/* Room for more contexts and counters, so that what follows cannot fail. Returns 0 when memory is exhausted. */
static int csspgo__collector_room(csspgo_collector *c, size_t nodes, size_t counters)
{
    if (counters > c->counter_cap - c->counters) {
        void *p = csspgo__grow(&c->heap, c->counter, c->counters, &c->counter_cap, c->counters + counters,
                               sizeof *c->counter);
        if (p == NULL) return 0;
        c->counter = (csspgo__counter *)p;
    }
    return csspgo__tree_room(&c->heap, &c->trie, nodes) && csspgo__map_room(&c->heap, &c->map, counters);
}

/* Room for what unwinding a trace needs, likewise. */
static int csspgo__trace_room(csspgo_collector *c, const csspgo__trace *t)
{
    const size_t ticks = 2 * (size_t)t->nlbr;
    void *p;
    if (!csspgo__collector_room(c, (size_t)t->nstack + t->nlbr, ticks)) return 0;
    if (ticks > c->tick_cap) {
        p = csspgo__grow(&c->heap, c->tick, 0, &c->tick_cap, ticks, sizeof *c->tick);
        if (p == NULL) return 0;
        c->tick = (csspgo__tick *)p;
    }
    if (t->nstack > c->path_cap) {
        p = csspgo__grow(&c->heap, c->path, c->paths, &c->path_cap, t->nstack, sizeof *c->path);
        if (p == NULL) return 0;
        c->path = (csspgo__link *)p;
    }
    return 1;
}

/* Forgets the counts, keeps the contexts: their handles in the trie stay good. */
CSSPGO__UNUSED static void csspgo__counters_clear(csspgo_collector *c)
{
    c->counters = 0;
    csspgo__map_clear(&c->map);
}

/* ----- the unwinder ----------------------------------------------------------------------------------------------- */

/* The context of a call at site in context parent; there is room. */
static uint32_t csspgo__context_add(csspgo_collector *c, uint32_t parent, uint32_t site)
{
    const size_t had = c->trie.count;
    uint32_t node = c->trie.node[parent].same;
    if (node != 0 && c->trie.node[node].site == site) return node;
    node = csspgo__tree_add(&c->heap, &c->trie, parent, site, 0);
    c->trie.node[parent].same = node;
    if (site == CSSPGO__EXT && c->trie.count != had) c->stats.truncated_contexts++;
    return node;
}

/*
 * The context of a stack's leaf. Neighbouring samples share their outer frames: those are taken from the last path.
 */
static uint32_t csspgo__context_of(csspgo_collector *c, const uint32_t *stack, size_t count)
{
    uint32_t node = CSSPGO__ROOT;
    size_t i;
    for (i = 0; i + 1 < count && i < c->paths && c->path[i].site == stack[count - 1 - i]; i++) node = c->path[i].node;
    if (i + 1 >= count) return node;
    for (; i + 1 < count; i++) {
        node = csspgo__context_add(c, node, stack[count - 1 - i]);
        c->path[i].site = stack[count - 1 - i];
        c->path[i].node = node;
    }
    c->paths = count - 1;
    return node;
}

/* 1 if code can run straight from start to end; the answers of late are kept. */
static int csspgo__is_sound(csspgo_collector *c, uint32_t start, uint32_t end)
{
    csspgo__span *s = &c->sound[csspgo__hash64((uint64_t)start << 32 | end, 0) % CSSPGO__SOUND];
    if (s->start == start && s->end == end) return 1;
    if (!csspgo__runs_straight(c->code, start, end)) return 0;
    s->start = start;
    s->end = end;
    return 1;
}

/* Counts the code between two branches, from start to the branch at end. Returns 0 where the trace is broken. */
static int csspgo__count_range(csspgo_collector *c, uint32_t node, uint32_t start, uint32_t end)
{
    if (start == CSSPGO__EXT || end == CSSPGO__EXT) {
        if (start == end) c->stats.paired_external++;
        else c->stats.unpaired_external++;
        return start == end;
    }
    if (csspgo__is_sound(c, start, end)) {
        csspgo__tick_add(c, node, start, end);
        return 1;
    }
    c->stats.invalid_ranges++;
    return 0;
}

/*
 * Undoes one branch: the context of the instruction at from, given that of the one at to. 0 if it cannot be told.
 *
 * A call ends in the caller: the parent if the call is there, else (the stack did not show it) the same context. A
 * return came from a callee of the call before `to`. Anything else stays in its function. Unknown code calls where no
 * call ends, and returns where one does.
 */
static uint32_t csspgo__undo(csspgo_collector *c, uint32_t node, uint32_t from, uint32_t to)
{
    const csspgo_kind kind = csspgo__kind(c->code, from);
    uint32_t call = 0;
    if (from != CSSPGO__EXT && kind != CSSPGO_CALL && kind != CSSPGO_RET) return node;
    if (kind != CSSPGO_CALL) call = to == CSSPGO__EXT ? (uint32_t)CSSPGO__EXT : csspgo__call_before(c->code, to);
    if (kind == CSSPGO_CALL || (from == CSSPGO__EXT && call == 0)) {
        if (node == CSSPGO__ROOT) return node;
        if (c->trie.node[node].site == from) return c->trie.node[node].parent;
        if (from == CSSPGO__EXT) c->stats.mismatched_external++;
        else c->stats.mismatched_leaf++;
        return node;
    }
    if (call != 0) return csspgo__context_add(c, node, call);
    c->stats.zero_returns++;
    return 0;
}

/*
 * Walks a trace from its newest branch to its oldest and counts every branch and every range between two of them under
 * the context it ran in. Of the unwinder's state only that context is kept, as a node of the trie: the position in the
 * innermost function is always the source of the branch undone last. A break in the trace leaves the rest of it without
 * context.
 */
static void csspgo__unwind_contexts(csspgo_collector *c, const csspgo__trace *t)
{
    uint32_t node = csspgo__context_of(c, t->stack, t->nstack), ip = 0, good = 1, i;
    for (i = 0; i < t->nlbr; i++) {
        const uint32_t from = t->lbr[2 * i], to = t->lbr[2 * i + 1];
        if (i != 0 && !csspgo__count_range(c, node, to, ip)) good = 0;
        if (good) node = csspgo__undo(c, node, from, to);
        if (!good || node == 0) {
            good = 0;
            node = CSSPGO__ROOT;
        }
        ip = from;
        if (to == CSSPGO__EXT) continue;
        csspgo__tick_add(c, (from == CSSPGO__EXT ? (uint32_t)CSSPGO__ROOT : node) | CSSPGO__BRANCH, from, to);
    }
}

/* The same without contexts: a break only costs the range that it is in. */
static void csspgo__unwind_flat(csspgo_collector *c, const csspgo__trace *t)
{
    uint32_t i;
    for (i = 0; i < t->nlbr; i++) {
        const uint32_t from = t->lbr[2 * i], to = t->lbr[2 * i + 1];
        if (i != 0) csspgo__count_range(c, CSSPGO__ROOT, to, t->lbr[2 * i - 2]);
        if (to != CSSPGO__EXT) csspgo__tick_add(c, CSSPGO__ROOT | CSSPGO__BRANCH, from, to);
    }
}

/* Unwinds one trace, wholly or (E_NOMEM, E_LIMIT) not at all. The code map is settled. */
static csspgo_status csspgo__unwind(csspgo_collector *c, const csspgo__trace *t)
{
    if (!csspgo__trace_room(c, t)) return c->heap.status;
    if (c->sound_stops != c->code->stops) {           /* code was added, or transfers to known code */
        memset(c->sound, 0, sizeof c->sound);
        c->sound_stops = c->code->stops;
    }
    c->stats.unwound++;
    c->stats.branches += t->nlbr;
    if (c->mode == CSSPGO__CONTEXTS) csspgo__unwind_contexts(c, t);
    else csspgo__unwind_flat(c, t);
    csspgo__ticks_count(c, t->count);
    return CSSPGO_OK;
}

/* ----- collecting ------------------------------------------------------------------------------------------------- */

CSSPGO_DEF csspgo_collector *csspgo_collector_new(csspgo_code *code, const csspgo_collector_options *how,
                                                  const csspgo_options *options)
{
    csspgo_collector *c = (csspgo_collector *)csspgo__object_new(options, sizeof *c);
    if (c == NULL) return NULL;
    c->code = code;
    if (how != NULL) c->how = *how;
    csspgo__cache_init(&c->cache, c->how.cache_bytes);
    if (csspgo__tree_init(&c->heap, &c->trie)) return c;
    csspgo_collector_free(c);
    return NULL;
}

CSSPGO_DEF void csspgo_collector_free(csspgo_collector *c)
{
    if (c == NULL) return;
    csspgo__cache_free(&c->heap, &c->cache);
    csspgo__tree_free(&c->heap, &c->trie);
    csspgo__map_free(&c->heap, &c->map);
    csspgo__free(&c->heap, c->counter, c->counter_cap * sizeof *c->counter);
    csspgo__free(&c->heap, c->path, c->path_cap * sizeof *c->path);
    csspgo__free(&c->heap, c->tick, c->tick_cap * sizeof *c->tick);
    csspgo__object_free(c, sizeof *c);
}

CSSPGO_DEF csspgo_status csspgo_collector_flush(csspgo_collector *c)
{
    csspgo__trace t;
    size_t at = c->flushed;
    csspgo_status s = csspgo__code_settle(c->code);
    while (s == CSSPGO_OK && c->cache.word != NULL && csspgo__cache_next(&c->cache, &at, &t)) {
        s = csspgo__unwind(c, &t);
        if (s == CSSPGO_OK) c->flushed = at;
    }
    if (s != CSSPGO_OK) return s;
    csspgo__cache_clear(&c->cache);
    c->flushed = 0;
    return CSSPGO_OK;
}

static csspgo_status csspgo__collect(csspgo_collector *c, const csspgo_sample *s)
{
    csspgo_status status;
    if (c->mode == CSSPGO__UNDECIDED)
        c->mode = s->stack_count != 0 && !c->how.ignore_stack ? CSSPGO__CONTEXTS : CSSPGO__FLAT;
    if (c->mode == CSSPGO__CONTEXTS && s->stack_count == 0) {
        c->stats.no_stack = csspgo__sat_add(c->stats.no_stack, s->count);
        return CSSPGO_OK;
    }
    for (;;) {
        status = csspgo__cache_add(&c->heap, &c->cache, c->code, s, c->mode == CSSPGO__FLAT,
                                   c->how.keep_leaves != 0, &c->stats);
        if (status != (csspgo_status)CSSPGO__FULL) return status;
        status = csspgo_collector_flush(c);
        if (status != CSSPGO_OK) return status;
    }
}

CSSPGO_DEF csspgo_status csspgo_collector_add(csspgo_collector *c, const csspgo_sample *samples, size_t count)
{
    csspgo_status s = c->flushed != 0 ? csspgo_collector_flush(c) : csspgo__code_settle(c->code);
    size_t i;
    for (i = 0; i < count && s == CSSPGO_OK; i++) {
        s = csspgo__collect(c, &samples[i]);
        if (s == CSSPGO_OK) c->stats.samples = csspgo__sat_add(c->stats.samples, samples[i].count);
    }
    return s;
}

CSSPGO_DEF int csspgo_collector_has_contexts(const csspgo_collector *c)
{
    return c->mode == CSSPGO__CONTEXTS;
}

CSSPGO_DEF csspgo_collector_stats csspgo_collector_get_stats(const csspgo_collector *c)
{
    return c->stats;
}

CSSPGO_DEF uint64_t csspgo_collector_memory(const csspgo_collector *c)
{
    return c->heap.used;
}

/* ----- counters by canonical context ------------------------------------------------------------------------------ */

typedef struct csspgo__keyed {
    csspgo__tree     keys;        /* a node's path = positions of calls, outermost first; CSSPGO__ROOT = no context */
    csspgo__counter *v;           /* node: of keys; sorted by (node, ranges first, a, b); equal ones added up        */
    size_t           n, cap;
} csspgo__keyed;

typedef struct csspgo__keying {   /* scratch */
    uint32_t *key;                /* per trie node: its node in keys, 0 = not known, CSSPGO__WANTED          */
    uint32_t *path;               /* room for the frames of one context                                      */
    size_t    room;
} csspgo__keying;

#define CSSPGO__WANTED 0xffffffffu

/*
 * Deletes, left to right, n elements wherever they repeat the n before them. run: how many elements up to the last one
 * equal the one n before.
 */
static size_t csspgo__fold_cycles(uint32_t *p, size_t size, size_t n)
{
    size_t i, k = 0, run = 0;
    for (i = 0; i < size; i++) {
        p[k] = p[i];
        run = k >= n && p[k] == p[k - n] ? run + 1 : 0;
        k++;
        if (run == n) {
            k -= n;
            run = 0;
        }
    }
    return k;
}

/*
 * Compresses recursion in a context: cycles of 1, 2, ... up to limit frames, each length once. A repetition of n frames
 * covers two multiples of n with equal elements: where there are none the pass is left out, which makes the usual cost
 * O(size log size); the worst is O(size^2). Returns the new size.
 */
static size_t csspgo__compress(uint32_t *p, size_t size, size_t limit)
{
    size_t n, i;
    for (n = 1; n <= limit && n <= size / 2; n++)
        for (i = n; i < size; i += n) {
            if (p[i - n] != p[i]) continue;
            size = csspgo__fold_cycles(p, size, n);
            break;
        }
    return size;
}

/*
 * The frames of a context up to unknown code, innermost first; at most k->room, *deep says whether there are more.
 * *seen gets 1 if the innermost one occurs again further out.
 */
static size_t csspgo__frames_of(const csspgo_collector *c, uint32_t node, csspgo__keying *k, int *deep, int *seen)
{
    const csspgo__node *n = &c->trie.node[node];
    size_t size = 0;
    *seen = 0;
    for (; n->parent != 0 && n->site != CSSPGO__EXT && size < k->room; n = &c->trie.node[n->parent]) {
        k->path[size++] = (uint32_t)n->site;
        if (size > 1 && k->path[size - 1] == k->path[0]) *seen = 1;
    }
    *deep = n->parent != 0 && n->site != CSSPGO__EXT;
    return size;
}

/*
 * The key of a context: its frames below unknown code, recursion compressed, then cut to the innermost ones. If the
 * last frame does not occur further out it is in no cycle: the key is then that of the caller and this frame.
 * Returns 0 when memory is exhausted.
 */
static uint32_t csspgo__key_of(csspgo_collector *c, csspgo__tree *keys, csspgo__keying *k, uint32_t node)
{
    const csspgo__node *n = &c->trie.node[node];
    const uint32_t above = k->key[n->parent];
    const size_t limit = c->how.limit_recursion ? c->how.max_recursion : SIZE_MAX;
    int deep, seen;
    size_t size = csspgo__frames_of(c, node, k, &deep, &seen), i;
    uint32_t id = CSSPGO__ROOT;
    c->stats.deep_contexts += deep != 0;
    if (size == 0) return id;
    if (!deep && !c->how.limit_depth && (!seen || limit == 0) && above != 0 && above != CSSPGO__WANTED)
        return csspgo__tree_add(&c->heap, keys, above, n->site, 0);
    for (i = 0; i < size / 2; i++) {
        const uint32_t t = k->path[i];
        k->path[i] = k->path[size - 1 - i];
        k->path[size - 1 - i] = t;
    }
    size = csspgo__compress(k->path, size, limit);
    i = c->how.limit_depth && size > c->how.max_depth ? size - c->how.max_depth : 0;
    for (; i < size && id != 0; i++) id = csspgo__tree_add(&c->heap, keys, id, k->path[i], 0);
    return id;
}

static int csspgo__counter_cmp(const void *ctx, const void *a, const void *b)
{
    const csspgo__counter *x = (const csspgo__counter *)a, *y = (const csspgo__counter *)b;
    const uint32_t xn = x->node << 1 | x->node >> 31, yn = y->node << 1 | y->node >> 31;   /* the kind as lowest bit */
    (void)ctx;
    if (xn != yn) return xn < yn ? -1 : 1;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

/* Sorts and adds up. Returns 0 when memory is exhausted. */
static int csspgo__keyed_settle(csspgo__heap *h, csspgo__keyed *k)
{
    size_t i, n = 0;
    if (!csspgo__sort(h, k->v, k->n, sizeof *k->v, csspgo__counter_cmp, NULL)) return 0;
    for (i = 0; i < k->n; i++) {
        if (n != 0 && csspgo__counter_cmp(NULL, &k->v[n - 1], &k->v[i]) == 0)
            k->v[n - 1].count = csspgo__sat_add(k->v[n - 1].count, k->v[i].count);
        else k->v[n++] = k->v[i];
    }
    k->n = n;
    return 1;
}

static void csspgo__keyed_free(csspgo_collector *c, csspgo__keyed *k)
{
    csspgo__tree_free(&c->heap, &k->keys);
    csspgo__free(&c->heap, k->v, k->cap * sizeof *k->v);
    memset(k, 0, sizeof *k);
}

/* Keys of all contexts that have counters; parents come before their children. Returns 0 when memory is exhausted. */
static int csspgo__keys_make(csspgo_collector *c, csspgo__tree *keys, csspgo__keying *k)
{
    size_t i;
    for (i = 0; i < c->counters; i++) k->key[c->counter[i].node & ~CSSPGO__BRANCH] = CSSPGO__WANTED;
    c->stats.deep_contexts = 0;
    for (i = CSSPGO__ROOT; i <= c->trie.count; i++) {
        if (k->key[i] != CSSPGO__WANTED) continue;
        k->key[i] = csspgo__key_of(c, keys, k, (uint32_t)i);
        if (k->key[i] == 0) return 0;
    }
    return 1;
}

/*
 * All counters, by canonical context. k is for csspgo__keyed_free, whatever comes back.
 *
 * Cost   O(counters log counters + contexts x (depth + compression))
 */
static csspgo_status csspgo__keyed_make(csspgo_collector *c, csspgo__keyed *k)
{
    csspgo__heap *h = &c->heap;
    csspgo__keying s;
    size_t i;
    int ok;
    const csspgo_status flushed = csspgo_collector_flush(c);
    memset(k, 0, sizeof *k);
    if (flushed != CSSPGO_OK) return flushed;
    s.room = c->trie.count < h->limits.max_depth ? c->trie.count : h->limits.max_depth;
    s.key = (uint32_t *)csspgo__alloc(h, (c->trie.count + 1) * sizeof *s.key);
    s.path = s.key != NULL ? (uint32_t *)csspgo__alloc(h, s.room * sizeof *s.path) : NULL;
    k->v = s.path != NULL ? (csspgo__counter *)csspgo__grow(h, NULL, 0, &k->cap, c->counters, sizeof *k->v) : NULL;
    ok = k->v != NULL && csspgo__tree_init(h, &k->keys);
    if (ok) {
        memset(s.key, 0, (c->trie.count + 1) * sizeof *s.key);
        ok = csspgo__keys_make(c, &k->keys, &s);
    }
    for (i = 0; i < c->counters && ok; i++) {
        k->v[i] = c->counter[i];
        k->v[i].node = s.key[c->counter[i].node & ~CSSPGO__BRANCH] | (c->counter[i].node & CSSPGO__BRANCH);
    }
    k->n = ok ? c->counters : 0;
    ok = ok && csspgo__keyed_settle(h, k);
    csspgo__free(h, s.path, s.room * sizeof *s.path);
    csspgo__free(h, s.key, (c->trie.count + 1) * sizeof *s.key);
    return ok ? CSSPGO_OK : h->status;
}

/* ----- unsymbolized text: writing --------------------------------------------------------------------------------- */

typedef struct csspgo__entry {    /* a line of text                                                    */
    uint64_t a, b, count;         /* link-time addresses                                               */
    uint32_t block, branch;       /* rank of its context among all; 0: a range                         */
} csspgo__entry;

typedef struct csspgo__unsym {    /* what a text is made of                                            */
    csspgo_unsymbolized_options how;
    csspgo__keyed  keyed;
    csspgo__tree   tree;          /* contexts of printed values: site = address - base                 */
    uint32_t      *text;          /* per node of keyed.keys: its node of tree                          */
    uint32_t      *rank;          /* per node of tree: its place in byte order of the printed contexts */
    uint32_t      *node;          /* the reverse of rank; scratch for sorting before                   */
    csspgo__entry *entry;
    size_t         texts, nodes, entries, entry_cap;
} csspgo__unsym;

static int csspgo__unsym_how(const csspgo_collector *c, const csspgo_unsymbolized_options *how,
                             csspgo_unsymbolized_options *resolved)
{
    memset(resolved, 0, sizeof *resolved);
    if (how != NULL) {
        *resolved = *how;
    } else if (c->code->modules != 0) {
        resolved->module.id = 1;
        resolved->base = csspgo_code_base(c->code, resolved->module);
    }
    return resolved->module.id <= c->code->modules;
}

/* The address of a position if it belongs to the module, CSSPGO__EXT if not. */
static uint64_t csspgo__unsym_address(const csspgo_code *code, uint32_t module, uint32_t pos)
{
    const csspgo__area *a = csspgo__area_of(code, pos);
    return a != NULL && a->module == module ? a->address + (pos - a->pos) : (uint64_t)CSSPGO__EXT;
}

/* Siblings in byte order of their values in hexadecimal: as if the digits were written from the left. */
static int csspgo__hex_cmp(uint64_t x, uint64_t y)
{
    unsigned xs = 0, ys = 0;
    while (xs < 60 && x >> (60 - xs) == 0) xs += 4;
    while (ys < 60 && y >> (60 - ys) == 0) ys += 4;
    if (x << xs != y << ys) return x << xs < y << ys ? -1 : 1;
    return xs > ys ? -1 : xs < ys;
}

static int csspgo__key_order_cmp(const void *ctx, const void *a, const void *b)
{
    const csspgo__node *node = (const csspgo__node *)ctx;
    const csspgo__node *x = &node[*(const uint32_t *)a], *y = &node[*(const uint32_t *)b];
    if (x->parent != y->parent) return x->parent < y->parent ? -1 : 1;
    return csspgo__hex_cmp(x->site, y->site);
}

/* Links siblings in order and numbers the nodes: a walk of the tree is then the byte order of the printed contexts. */
static int csspgo__unsym_rank(csspgo__heap *h, csspgo__unsym *u)
{
    csspgo__tree *t = &u->tree;
    uint32_t id, n = 0;
    size_t i;
    u->nodes = t->count + 1;
    u->rank = (uint32_t *)csspgo__alloc(h, u->nodes * sizeof *u->rank);
    if (u->rank == NULL) return 0;
    u->node = (uint32_t *)csspgo__alloc(h, u->nodes * sizeof *u->node);
    if (u->node == NULL) return 0;
    for (i = 1; i <= t->count; i++) {
        u->node[i] = (uint32_t)i;
        t->node[i].child = t->node[i].sibling = 0;
    }
    if (!csspgo__sort(h, u->node + 1, t->count, sizeof *u->node, csspgo__key_order_cmp, t->node)) return 0;
    for (i = t->count; i > CSSPGO__ROOT; i--) {       /* node[1] is the root, which has no parent */
        csspgo__node *parent = &t->node[t->node[u->node[i]].parent];
        t->node[u->node[i]].sibling = parent->child;
        parent->child = u->node[i];
    }
    for (id = CSSPGO__ROOT; id != 0; id = csspgo__tree_walk(t, id)) {
        u->rank[id] = n;
        u->node[n++] = id;
    }
    return 1;
}

static int csspgo__entry_cmp(const void *ctx, const void *a, const void *b)
{
    const csspgo__entry *x = (const csspgo__entry *)a, *y = (const csspgo__entry *)b;
    (void)ctx;
    if (x->block != y->block) return x->block < y->block ? -1 : 1;
    if (x->branch != y->branch) return x->branch < y->branch ? -1 : 1;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

/* The contexts as the module sees them: a frame outside it cuts what is above. */
static int csspgo__unsym_contexts(csspgo_collector *c, csspgo__unsym *u)
{
    const csspgo__tree *keys = &u->keyed.keys;
    size_t i;
    if (!csspgo__tree_init(&c->heap, &u->tree)) return 0;
    u->text = (uint32_t *)csspgo__alloc(&c->heap, (keys->count + 1) * sizeof *u->text);
    if (u->text == NULL) return 0;
    u->texts = keys->count + 1;
    u->text[CSSPGO__ROOT] = CSSPGO__ROOT;
    for (i = CSSPGO__ROOT + 1; i <= keys->count; i++) {
        const csspgo__node *n = &keys->node[i];
        const uint64_t address = csspgo__unsym_address(c->code, u->how.module.id, (uint32_t)n->site);
        u->text[i] = CSSPGO__ROOT;
        if (address == CSSPGO__EXT) continue;
        u->text[i] = csspgo__tree_add(&c->heap, &u->tree, u->text[n->parent], address - u->how.base, 0);
        if (u->text[i] == 0) return 0;
    }
    return csspgo__unsym_rank(&c->heap, u);
}

/* One entry per counter that concerns the module; equal ones (of code that came back to an address) added up. */
static int csspgo__unsym_entries(csspgo_collector *c, csspgo__unsym *u)
{
    size_t i, n = 0;
    u->entry = (csspgo__entry *)csspgo__grow(&c->heap, NULL, 0, &u->entry_cap, u->keyed.n, sizeof *u->entry);
    if (u->entry == NULL) return 0;
    for (i = 0; i < u->keyed.n; i++) {
        const csspgo__counter *v = &u->keyed.v[i];
        csspgo__entry *e = &u->entry[n];
        e->branch = v->node >> 31;
        e->a = csspgo__unsym_address(c->code, u->how.module.id, v->a);
        e->b = csspgo__unsym_address(c->code, u->how.module.id, v->b);
        e->count = v->count;
        e->block = u->rank[u->text[v->node & ~CSSPGO__BRANCH]];
        if (e->b == CSSPGO__EXT || (e->a == CSSPGO__EXT && !e->branch)) continue;
        if (e->a == CSSPGO__EXT && v->a != CSSPGO__EXT) e->block = 0;    /* rank of the root */
        n++;
    }
    if (!csspgo__sort(&c->heap, u->entry, n, sizeof *u->entry, csspgo__entry_cmp, NULL)) return 0;
    for (i = 0; i < n; i++) {
        csspgo__entry *last = &u->entry[u->entries - (u->entries != 0)];
        if (u->entries != 0 && csspgo__entry_cmp(NULL, last, &u->entry[i]) == 0)
            last->count = csspgo__sat_add(last->count, u->entry[i].count);
        else u->entry[u->entries++] = u->entry[i];
    }
    return 1;
}

static void csspgo__unsym_free(csspgo_collector *c, csspgo__unsym *u)
{
    csspgo__keyed_free(c, &u->keyed);
    csspgo__tree_free(&c->heap, &u->tree);
    csspgo__free(&c->heap, u->text, u->texts * sizeof *u->text);
    csspgo__free(&c->heap, u->rank, u->nodes * sizeof *u->rank);
    csspgo__free(&c->heap, u->node, u->nodes * sizeof *u->node);
    csspgo__free(&c->heap, u->entry, u->entry_cap * sizeof *u->entry);
}

/* "[0x28a @ 0x238]": the walk up links each parent to the child it came from. */
static void csspgo__put_context(csspgo__sink *s, csspgo__tree *t, uint32_t id)
{
    uint32_t down = 0;
    for (; id != CSSPGO__ROOT; id = t->node[id].parent) {
        t->node[id].same = down;
        down = id;
    }
    csspgo__put_char(s, '[');
    for (; down != 0; down = t->node[down].same) {
        csspgo__put_str(s, "0x");
        csspgo__put_hex(s, t->node[down].site);
        if (t->node[down].same != 0) csspgo__put_str(s, " @ ");
    }
    csspgo__put_str(s, "]\n");
}

/* Ranges or branches of one block: the entries from *at on that are of it. */
static void csspgo__put_entries(csspgo__sink *s, const csspgo__unsym *u, size_t *at, uint32_t block, uint32_t branch,
                                const char *indent)
{
    size_t end = *at;
    while (end < u->entries && u->entry[end].block == block && u->entry[end].branch == branch) end++;
    csspgo__put_str(s, indent);
    csspgo__put_u64(s, end - *at);
    csspgo__put_char(s, '\n');
    for (; *at < end; ++*at) {
        csspgo__put_str(s, indent);
        csspgo__put_hex(s, u->entry[*at].a - u->how.base);
        csspgo__put_str(s, branch ? "->" : "-");
        csspgo__put_hex(s, u->entry[*at].b - u->how.base);
        csspgo__put_char(s, ':');
        csspgo__put_u64(s, u->entry[*at].count);
        csspgo__put_char(s, '\n');
    }
}

static void csspgo__unsym_put(csspgo__sink *s, csspgo__unsym *u, int contexts)
{
    size_t at = 0;
    do {
        const uint32_t block = u->entries != 0 ? u->entry[at].block : 0;
        if (contexts && u->entries == 0) return;
        if (contexts) csspgo__put_context(s, &u->tree, u->node[block]);
        csspgo__put_entries(s, u, &at, block, 0, contexts ? "  " : "");
        csspgo__put_entries(s, u, &at, block, 1, contexts ? "  " : "");
    } while (at < u->entries);
}

static csspgo_status csspgo__unsym_write(csspgo_collector *c, const csspgo_unsymbolized_options *how, csspgo__sink *s)
{
    csspgo__unsym u;
    csspgo_status status;
    memset(&u, 0, sizeof u);
    if (!csspgo__unsym_how(c, how, &u.how)) return CSSPGO_E_ARGUMENT;
    status = csspgo__keyed_make(c, &u.keyed);
    if (status == CSSPGO_OK && !(csspgo__unsym_contexts(c, &u) && csspgo__unsym_entries(c, &u)))
        status = c->heap.status;
    if (status == CSSPGO_OK && c->mode != CSSPGO__UNDECIDED) csspgo__unsym_put(s, &u, c->mode == CSSPGO__CONTEXTS);
    csspgo__unsym_free(c, &u);
    return status;
}

CSSPGO_DEF csspgo_status csspgo_write_unsymbolized(csspgo_collector *c, const csspgo_unsymbolized_options *how,
                                                   void *buf, size_t cap, size_t *size, csspgo_error *err)
{
    csspgo__sink s;
    csspgo__sink_buffer(&s, buf, cap);
    s.status = csspgo__unsym_write(c, how, &s);
    return csspgo__sink_end(&s, size, err);
}

#ifndef CSSPGO_NO_STDIO
CSSPGO_DEF csspgo_status csspgo_write_unsymbolized_file(csspgo_collector *c, const csspgo_unsymbolized_options *how,
                                                        const char *path, csspgo_error *err)
{
    unsigned char buf[4096];
    csspgo__sink s;
    FILE *f = fopen(path, "wb");
    csspgo_status status = CSSPGO_E_IO;
    if (f != NULL) {
        csspgo__sink_buffer(&s, buf, sizeof buf);
        s.flush_fn = csspgo__file_flush;
        s.ctx = f;
        status = csspgo__unsym_write(c, how, &s);
        csspgo__sink_flush(&s);
        if (status == CSSPGO_OK) status = s.status;
        if (fclose(f) != 0 && status == CSSPGO_OK) status = CSSPGO_E_IO;
    }
    if (status != CSSPGO_E_IO) return csspgo__error_plain(err, status);
    csspgo__error(err, status, 0, "cannot write ");
    csspgo__say_bytes(err, path, strlen(path));
    return status;
}
#endif

/* ----- unsymbolized text: reading --------------------------------------------------------------------------------- */

/*
 * The text is read twice: first to check and measure it, then, when there is room for everything and nothing can fail
 * any more, to add it.
 */
typedef struct csspgo__unsym_reader {
    csspgo_collector           *c;
    csspgo_unsymbolized_options how;
    const unsigned char        *text, *p, *end;   /* the whole; the next byte; one past the last byte of the line */
    size_t                      size, next;       /* of text; offset of the next line                             */
    uint32_t                    line, node;       /* line number; context of the block                            */
    int                         contexts, apply;  /* blocks have contexts; second reading                         */
    size_t                      blocks, frames, entries;   /* measured                                            */
    csspgo_status               status;           /* sticky                                                       */
    csspgo_error               *err;
} csspgo__unsym_reader;

static void csspgo__unsym_fail(csspgo__unsym_reader *r, csspgo_status status, const unsigned char *at, const char *what)
{
    const unsigned char *start = at;
    if (r->status != CSSPGO_OK) return;
    r->status = csspgo__error(r->err, status, (uint64_t)(at - r->text), what);
    while (start != r->text && start[-1] != '\n') start--;
    if (r->err == NULL) return;
    r->err->line = r->line;
    r->err->column = at - start < 0x7fffffff ? (uint32_t)(at - start) + 1 : 0x7fffffffu;
}

/* Goes to the next line that is not blank, behind its leading blanks. Returns 0 at the end of the text. */
static int csspgo__unsym_line(csspgo__unsym_reader *r)
{
    while (r->status == CSSPGO_OK && r->next < r->size) {
        const unsigned char *lf;
        r->p = r->text + r->next;
        lf = (const unsigned char *)memchr(r->p, '\n', r->size - r->next);
        r->end = lf != NULL ? lf : r->text + r->size;
        r->next = (size_t)(r->end - r->text) + (lf != NULL);
        r->line++;
        while (r->p != r->end && (*r->p == ' ' || *r->p == '\t')) r->p++;
        if (r->p != r->end) return 1;
    }
    r->p = r->end = r->text + r->size;
    if (r->size != 0 && r->p[-1] == '\n') r->line++;  /* behind the last line feed */
    return 0;
}

static unsigned csspgo__unsym_digit(unsigned ch)
{
    if (ch >= '0' && ch <= '9') return ch - '0';
    if (ch >= 'a' && ch <= 'f') return ch - 'a' + 10;
    return ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : 16;
}

/* A number in base 10 or 16 at the line's next bytes. */
static uint64_t csspgo__unsym_number(csspgo__unsym_reader *r, unsigned base)
{
    const unsigned char *start = r->p;
    uint64_t v = 0;
    for (; r->p != r->end && csspgo__unsym_digit(*r->p) < base; r->p++) {
        const unsigned d = csspgo__unsym_digit(*r->p);
        if (v > (UINT64_MAX - d) / base) csspgo__unsym_fail(r, CSSPGO_E_RANGE, start, "a number does not fit 64 bits");
        v = v * base + d;
    }
    if (r->p == start)
        csspgo__unsym_fail(r, CSSPGO_E_SYNTAX, r->p,
                           base == 16 ? "expected a hexadecimal number" : "expected a number");
    return v;
}

static void csspgo__unsym_expect(csspgo__unsym_reader *r, const char *token, const char *what)
{
    const size_t n = strlen(token);
    if ((size_t)(r->end - r->p) >= n && memcmp(r->p, token, n) == 0) r->p += n;
    else csspgo__unsym_fail(r, CSSPGO_E_SYNTAX, r->p, what);
}

/* The position of a printed value, CSSPGO__EXT for all that is not in the module's code. */
static uint32_t csspgo__unsym_pos(const csspgo__unsym_reader *r, uint64_t value)
{
    const uint32_t pos = csspgo__pos_in(r->c->code, r->how.module.id, value + r->how.base);
    return pos != 0 ? pos : (uint32_t)CSSPGO__EXT;
}

/* "[0x28a @ 0x238]", with p at the bracket. */
static void csspgo__unsym_context(csspgo__unsym_reader *r)
{
    int first = 1;
    r->node = CSSPGO__ROOT;
    r->p++;
    while (r->status == CSSPGO_OK && (r->p == r->end || *r->p != ']')) {
        uint64_t value;
        if (!first) csspgo__unsym_expect(r, " @ ", "expected ' @ ' or ']'");
        first = 0;
        if (r->p == r->end) csspgo__unsym_fail(r, CSSPGO_E_SYNTAX, r->p, "a context that is not closed");
        else if (r->status == CSSPGO_OK && (r->end - r->p < 2 || memcmp(r->p, "0x", 2) != 0))
            csspgo__unsym_fail(r, CSSPGO_E_UNSUPPORTED, r->p, "a context of names: only addresses are supported");
        if (r->status != CSSPGO_OK) return;
        r->p += 2;
        value = csspgo__unsym_number(r, 16);
        r->frames++;
        if (r->apply) r->node = csspgo__context_add(r->c, r->node, csspgo__unsym_pos(r, value));
    }
    if (r->status != CSSPGO_OK) return;
    r->p++;
    if (r->p != r->end) csspgo__unsym_fail(r, CSSPGO_E_SYNTAX, r->p, "text behind a context");
}

/* "130-144:3" or "189->130:1". */
static void csspgo__unsym_entry(csspgo__unsym_reader *r, int branch)
{
    const unsigned char *start = r->p;
    const uint64_t a = csspgo__unsym_number(r, 16) + r->how.base;
    uint64_t b, count;
    uint32_t from, to;
    csspgo__unsym_expect(r, branch ? "->" : "-", branch ? "expected '->'" : "expected '-'");
    b = csspgo__unsym_number(r, 16) + r->how.base;
    csspgo__unsym_expect(r, ":", "expected ':'");
    count = csspgo__unsym_number(r, 10);
    if (r->p != r->end) csspgo__unsym_fail(r, CSSPGO_E_SYNTAX, r->p, "text behind a count");
    if (!branch && a > b) csspgo__unsym_fail(r, CSSPGO_E_RANGE, start, "a range that ends before it starts");
    if (r->status != CSSPGO_OK) return;
    r->entries++;
    if (!r->apply) return;
    from = csspgo__unsym_pos(r, a - r->how.base);
    to = csspgo__unsym_pos(r, b - r->how.base);
    if (to == CSSPGO__EXT || (from == CSSPGO__EXT && !branch) || (!branch && from > to)) {
        r->c->stats.unplaced++;
    } else {
        csspgo__tick t;
        csspgo__tick_make(r->c, &t, r->node | (branch ? CSSPGO__BRANCH : 0u), from, to);
        csspgo__counter_add(r->c, &t, count);
    }
}

/* A list of ranges or of branches. first: p is at its number already. */
static void csspgo__unsym_list(csspgo__unsym_reader *r, int branch, int first)
{
    uint64_t n;
    if (!first && !csspgo__unsym_line(r)) {
        csspgo__unsym_fail(r, CSSPGO_E_TRUNCATED, r->p, "the text ends before a number of branches");
        return;
    }
    n = csspgo__unsym_number(r, 10);
    if (r->p != r->end) csspgo__unsym_fail(r, CSSPGO_E_SYNTAX, r->p, "text behind a number of entries");
    for (; n != 0 && r->status == CSSPGO_OK; n--) {
        if (csspgo__unsym_line(r)) csspgo__unsym_entry(r, branch);
        else csspgo__unsym_fail(r, CSSPGO_E_TRUNCATED, r->p, "the text ends inside a list of entries");
    }
}

static void csspgo__unsym_read(csspgo__unsym_reader *r)
{
    r->next = r->blocks = 0;
    r->line = 0;
    for (; csspgo__unsym_line(r); r->blocks++) {
        const int context = *r->p == '[' && (r->p == r->text || r->p[-1] == '\n');
        if (r->blocks == 0) r->contexts = context;
        r->node = CSSPGO__ROOT;
        if (context != r->contexts) {
            csspgo__unsym_fail(r, CSSPGO_E_SYNTAX, r->p, context ? "a context behind a block without"
                                                                 : "expected a context in brackets");
            return;
        }
        if (context) csspgo__unsym_context(r);
        if (context && !csspgo__unsym_line(r))
            csspgo__unsym_fail(r, CSSPGO_E_TRUNCATED, r->p, "the text ends behind a context");
        csspgo__unsym_list(r, 0, 1);
        csspgo__unsym_list(r, 1, 0);
    }
}

CSSPGO_DEF csspgo_status csspgo_read_unsymbolized(csspgo_collector *c, const csspgo_unsymbolized_options *how,
                                                  const void *text, size_t size, csspgo_error *err)
{
    csspgo__unsym_reader r;
    uint32_t mode;
    csspgo__error_clear(err);
    memset(&r, 0, sizeof r);
    if (!csspgo__unsym_how(c, how, &r.how))
        return csspgo__error(err, CSSPGO_E_ARGUMENT, 0, "no such module");
    r.c = c;
    r.text = (const unsigned char *)text;
    r.size = size;
    r.err = err;
    csspgo__unsym_read(&r);
    if (r.status != CSSPGO_OK || r.blocks == 0) return r.status;
    mode = r.contexts ? CSSPGO__CONTEXTS : CSSPGO__FLAT;
    if (c->mode != CSSPGO__UNDECIDED && c->mode != mode)
        return csspgo__error(err, CSSPGO_E_ARGUMENT, 0, "contexts and counts without contexts do not mix");
    if (!csspgo__collector_room(c, r.frames, r.entries)) return csspgo__error_plain(err, c->heap.status);
    c->mode = mode;
    r.apply = 1;
    csspgo__unsym_read(&r);
    return r.status;
}

#endif /* CSSPGO_NO_UNWIND */

/* ===== >>generate ================================================================================================= */

#ifndef CSSPGO_NO_GENERATE

/*
 * Counters become a profile in one pass over the calling contexts. Three ideas keep it short of hash look-ups:
 *
 *   A "spot" is a probe that can count: at an instruction, in order of position. The ranges of a context are summed up
 *   with a difference array over the spots.
 *   Counts gather in csspgo__gen.body, which holds for each inline node (copy of a function's body) that was met a
 *   sorted list of its locations, at the indices of its probes in the code map. One copy of that list fills a record.
 *   A context's frames are a path in csspgo__gen.frames, made once per call path, and the profile's node for such a
 *   path stands in the path's last node.
 */
typedef struct csspgo__spot {
    uint32_t pos, probe;          /* probe: index in csspgo_code.probe                                      */
    uint32_t func;                /* whose range is around it, 0 = no function's                            */
} csspgo__spot;

typedef struct csspgo__sum {      /* 128 bits, so that differences of saturated counts stay exact            */
    uint64_t low, high;
} csspgo__sum;

typedef struct csspgo__copy {     /* an inline node                                                          */
    uint64_t sum;                 /* contexts: what its entry block counted; context-less: total with inlinees */
    uint32_t slots;               /* locations in its list, 0 = not made yet                                 */
    uint32_t base;                /* called with these frames (0 = not known) ...                            */
    uint32_t around;              /* ... it has these around it. context-less: depth of nesting, from 1      */
    uint32_t node;                /* and this node of the profile, 0 = not known                             */
    uint32_t busy;                /* 1: it has counts that its record has not; 2: its caller has not          */
} csspgo__copy;

typedef struct csspgo__edge {     /* sampled calls (func 0) and tail calls, in order of all three           */
    uint32_t func, site, callee;  /* the function around the position site; the one around its target       */
} csspgo__edge;

typedef struct csspgo__block {
    void  *data;
    size_t bytes;
} csspgo__block;

/* Bits of csspgo__gen.mark. */
enum { CSSPGO__SAMPLED = 1, CSSPGO__STARTED = 2, CSSPGO__TAIL_CALLED = 4, CSSPGO__START_UP = 8 };

typedef struct csspgo__gen {
    csspgo_collector       *c;
    const csspgo_code      *code;
    csspgo_profile         *p;    /* fresh                                                                  */
    csspgo_generate_options how;
    csspgo_generate_stats   stats;
    csspgo_status           status;
    csspgo__keyed           keyed;
    csspgo__block           block[16];        /* arrays of fixed size                                       */
    size_t                  blocks;
    const csspgo__range    *range;            /* the last one looked up                                     */

    unsigned char *mark;          /* per function of the code map                                           */
    uint32_t      *func;          /* likewise: its function in p, 0 = not known                             */
    uint32_t      *callee;        /* likewise as a call target, or CSSPGO__NO_CALLEE                        */
    csspgo__spot  *spot;          /* what counts by ranges                                                  */
    csspgo__spot  *call;          /* call probes; the first one at a position is meant                      */
    size_t         spots, calls;
    csspgo__sum   *delta;         /* per spot and one more                                                  */
    uint32_t      *slot;          /* per probe: index in body                                               */
    csspgo_body   *body;
    unsigned char *seen;          /* per entry of body, context-less: some range covers it                  */
    csspgo__copy  *copy;          /* per inline node                                                        */
    uint32_t      *list;          /* room for every inline node: those that are busy                        */
    size_t         lists;
    uint32_t      *climb;         /* room for every inline node                                             */

    csspgo__tree   frames;        /* site, func: id of a call, function that calls; same: depth |
                                     CSSPGO__FIRST; record: its node of p                                   */
    uint32_t      *path;          /* room for as many as the longest path of frames                         */
    size_t         path_cap;
    uint32_t      *context;       /* per key: its frames                                                    */
    uint32_t       base_key, base_func, base;     /* the last answer of csspgo__gen_base                    */

    csspgo__edge  *edge;          /* calls, then tail calls                                                 */
    size_t         edges, edge_cap;
    csspgo__tree   asked;         /* (call, callee): same = begin in chain, record = size + 1               */
    uint32_t      *chain;         /* positions of tail calls                                                */
    size_t         chains, chain_cap;
    uint32_t      *avoid, *met;   /* per function: query that must not pass it; search that met it          */
    uint32_t      *queue;         /* room for every function                                                */
    uint32_t       query, search;
} csspgo__gen;

#define CSSPGO__NO_CALLEE 0xffffffffu
enum { CSSPGO__SEARCH_STEPS = 1 << 14 };   /* edges looked at to answer one question about tail calls */
#define CSSPGO__FIRST 0x80000000u /* of a frame: its like does not occur further out                        */

static int csspgo__gen_fail(csspgo__gen *g, const csspgo__heap *h)
{
    g->status = h->status;
    return 0;
}

/* An array of n zeroed elements that lives as long as g; NULL when memory is exhausted. */
static void *csspgo__gen_array(csspgo__gen *g, size_t n, size_t elem)
{
    csspgo__block *b = &g->block[g->blocks];
    CSSPGO_ASSERT(g->blocks < sizeof g->block / sizeof *g->block);
    g->status = CSSPGO_E_LIMIT;
    if (n >= SIZE_MAX / elem) return NULL;
    b->bytes = (n != 0 ? n : 1) * elem;
    b->data = csspgo__alloc(&g->c->heap, b->bytes);
    g->status = b->data != NULL ? CSSPGO_OK : g->c->heap.status;
    if (b->data == NULL) return NULL;
    memset(b->data, 0, b->bytes);
    g->blocks++;
    return b->data;
}

static void csspgo__gen_free(csspgo__gen *g)
{
    csspgo__heap *h = &g->c->heap;
    while (g->blocks != 0) {
        g->blocks--;
        csspgo__free(h, g->block[g->blocks].data, g->block[g->blocks].bytes);
    }
    csspgo__tree_free(h, &g->frames);
    csspgo__tree_free(h, &g->asked);
    csspgo__free(h, g->path, g->path_cap * sizeof *g->path);
    csspgo__free(h, g->edge, g->edge_cap * sizeof *g->edge);
    csspgo__free(h, g->chain, g->chain_cap * sizeof *g->chain);
    csspgo__keyed_free(g->c, &g->keyed);
    csspgo_profile_free(g->p);
}

/* ----- functions -------------------------------------------------------------------------------------------------- */

/* csspgo__range_of; neighbouring questions mostly have the same answer. */
static const csspgo__range *csspgo__gen_range(csspgo__gen *g, uint32_t pos)
{
    const csspgo__range *r = g->range;
    if (r != NULL && pos >= r->begin && pos < r->end &&
        (r + 1 == g->code->range + g->code->ranges || pos < r[1].begin))
        return r;
    r = csspgo__range_of(g->code, pos);
    if (r != NULL) g->range = r;
    return r;
}

static uint32_t csspgo__gen_func_at(csspgo__gen *g, uint32_t pos)
{
    const csspgo__range *r = csspgo__gen_range(g, pos);
    return r != NULL ? r->func : 0;
}

/* Initialisation functions that a compiler makes up, one per file, have no place in a profile. */
static int csspgo__is_start_up(const char *name, size_t size)
{
    static const char global[] = "__cxx_global_var_init", tls[] = "__tls_init";
    return (size >= sizeof global - 1 && memcmp(name, global, sizeof global - 1) == 0) ||
           (size >= sizeof tls - 1 && memcmp(name, tls, sizeof tls - 1) == 0);
}

/*
 * What is left of a function's name without the suffixes of later passes, ".llvm.N" then ".part.N": each is cut at its
 * last occurrence if no dot follows it.
 */
static size_t csspgo__canonical_size(const char *name, size_t size)
{
    static const char suffix[2][7] = { ".llvm.", ".part." };
    size_t s, i, dot;
    for (s = 0; s < 2; s++) {
        for (dot = size; dot != 0 && name[dot - 1] != '.'; dot--) {}
        i = dot >= 6 ? dot - 6 : 0;
        if (dot >= 6 && memcmp(name + i, suffix[s], 6) == 0) size = i;
    }
    return size;
}

/* The function of p for one of the code map; 0 when memory is exhausted. */
static uint32_t csspgo__gen_func(csspgo__gen *g, uint32_t func)
{
    const csspgo__name *n = &g->code->names.name[func];
    if (g->func[func] != 0) return g->func[func];
    if (n->flags & CSSPGO__HAS_TEXT) {
        size_t size;
        const char *name = csspgo__name_text(&g->code->names, func, &size);
        if (csspgo__is_start_up(name, size)) g->mark[func] |= CSSPGO__START_UP;
        g->func[func] = csspgo_func_add(g->p, name, size).id;
    } else {
        g->func[func] = csspgo_func_add_guid(g->p, n->guid).id;
    }
    if (g->func[func] == 0) csspgo__gen_fail(g, &g->p->heap);
    return g->func[func];
}

/* The call target that a branch to a position names: *callee is 0 if none. Returns 0 when memory is exhausted. */
static int csspgo__gen_callee(csspgo__gen *g, uint32_t to, uint32_t *callee)
{
    const csspgo__range *r = csspgo__gen_range(g, to);
    *callee = 0;
    if (r == NULL || r->begin != to || r->part) return 1;
    if (g->callee[r->func] == 0) {
        size_t size;
        const char *name = csspgo__name_text(&g->code->names, r->func, &size);
        if (g->code->names.name[r->func].flags & CSSPGO__HAS_TEXT) {
            size = csspgo__canonical_size(name, size);
            g->callee[r->func] = size != 0 ? csspgo_func_add(g->p, name, size).id : CSSPGO__NO_CALLEE;
        } else {
            g->callee[r->func] = csspgo__gen_func(g, r->func);
        }
        if (g->callee[r->func] == 0) return csspgo__gen_fail(g, &g->p->heap);
    }
    if (g->callee[r->func] != CSSPGO__NO_CALLEE) *callee = g->callee[r->func];
    return 1;
}

/* ----- spots ------------------------------------------------------------------------------------------------------ */

/* Index of the first of n spots at or after pos, from `from` on: those before are before pos. O(log distance). */
static size_t csspgo__spot_lower(const csspgo__spot *v, size_t n, size_t from, uint32_t pos)
{
    size_t a = from, step = 1, b;
    while (step <= n - a && v[a + step - 1].pos < pos) {
        a += step;
        step *= 2;
    }
    b = step <= n - a ? a + step - 1 : n;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (v[m].pos < pos) a = m + 1;
        else b = m;
    }
    return a;
}

/* The first call probe at a position, or NULL. */
static const csspgo__spot *csspgo__call_at(const csspgo__gen *g, uint32_t pos)
{
    const size_t i = csspgo__spot_lower(g->call, g->calls, 0, pos);
    return i < g->calls && g->call[i].pos == pos ? &g->call[i] : NULL;
}

/* Marks the functions that were sampled: around a call of a context, the start of a range, the ends of a branch. */
static void csspgo__mark_sampled(csspgo__gen *g)
{
    const csspgo__keyed *k = &g->keyed;
    size_t i;
    for (i = CSSPGO__ROOT + 1; i <= k->keys.count; i++)
        g->mark[csspgo__gen_func_at(g, (uint32_t)k->keys.node[i].site)] |= CSSPGO__SAMPLED;
    for (i = 0; i < k->n; i++) {
        g->mark[csspgo__gen_func_at(g, k->v[i].a)] |= CSSPGO__SAMPLED;
        if (k->v[i].node & CSSPGO__BRANCH) g->mark[csspgo__gen_func_at(g, k->v[i].b)] |= CSSPGO__SAMPLED;
    }
}

/* 1 if a profile can hold counts of the probe: 0 is no id, and ids have 16 bits. */
static int csspgo__probe_counts(const csspgo__probe *probe)
{
    return probe->id != 0 && probe->id <= 0xffff;
}

/*
 * Lists the probes. contexts: calls do not count by ranges. Left out: probes below functions that were not sampled (if
 * asked for), those that have no proper id, and as spots those that are not at an instruction.
 */
static void csspgo__list_spots(csspgo__gen *g, int contexts)
{
    const csspgo_code *code = g->code;
    size_t i;
    for (i = 0; i < code->by_poss; i++) {
        const csspgo__probe *probe = &code->probe[code->by_pos[i]];
        const uint32_t top = code->node[code->node[probe->node].top].func;
        csspgo__spot s;
        s.pos = probe->pos;
        s.probe = code->by_pos[i];
        if (probe->pos == 0 || !csspgo__probe_counts(probe)) continue;
        if (g->how.sampled_functions && !(g->mark[top] & CSSPGO__SAMPLED)) continue;
        s.func = csspgo__gen_func_at(g, probe->pos);
        if (probe->kind != CSSPGO_PROBE_BLOCK) g->call[g->calls++] = s;
        if (probe->kind != CSSPGO_PROBE_BLOCK && contexts) continue;
        if (code->byte[s.pos] & CSSPGO__START) g->spot[g->spots++] = s;
    }
}

/* Makes the list of an inline node's locations, with zero counts. Returns 0 when memory is exhausted. */
static int csspgo__gen_slots(csspgo__gen *g, uint32_t node)
{
    const csspgo__inline *n = &g->code->node[node];
    const csspgo__probe *probe = g->code->probe + n->first;
    csspgo_body *v = g->body + n->first;
    size_t i, k = 0, kept = 0;
    for (i = 0; i < n->count; i++) {
        if (!csspgo__probe_counts(&probe[i])) continue;
        v[k].loc = csspgo_at(probe[i].id, probe[i].discriminator);
        v[k++].count = 0;
    }
    if (!csspgo__sort(&g->c->heap, v, k, sizeof *v, csspgo__body_cmp, NULL)) return csspgo__gen_fail(g, &g->c->heap);
    for (i = 0; i < k; i++)
        if (i == 0 || csspgo__body_cmp(NULL, &v[i - 1], &v[i]) != 0) v[kept++] = v[i];
    g->copy[node].slots = (uint32_t)kept;
    for (i = 0; i < n->count; i++)
        g->slot[n->first + i] =
            n->first + (uint32_t)csspgo__body_lower(v, kept, csspgo_at(probe[i].id, probe[i].discriminator));
    return 1;
}

static void csspgo__sum_add(csspgo__sum *s, uint64_t low, uint64_t high)
{
    s->low += low;
    s->high += high + (s->low < low);
}

static void csspgo__sum_sub(csspgo__sum *s, uint64_t count)
{
    s->high -= s->low < count;
    s->low -= count;
}

/* Adds a count to the spots of a range, as differences. *first is where to look for them, then the first of them. */
static size_t csspgo__range_spots(csspgo__gen *g, const csspgo__counter *v, size_t *first)
{
    const size_t a = csspgo__spot_lower(g->spot, g->spots, *first, v->a);
    const size_t b = csspgo__spot_lower(g->spot, g->spots, a, v->b + 1);
    *first = a;
    csspgo__sum_add(&g->delta[a], v->count, 0);
    csspgo__sum_sub(&g->delta[b], v->count);
    return b;
}

/* ----- frames lost by tail calls ---------------------------------------------------------------------------------- */

static int csspgo__edge_cmp(const void *ctx, const void *a, const void *b)
{
    const csspgo__edge *x = (const csspgo__edge *)a, *y = (const csspgo__edge *)b;
    (void)ctx;
    if (x->func != y->func) return x->func < y->func ? -1 : 1;
    if (x->site != y->site) return x->site < y->site ? -1 : 1;
    return x->callee < y->callee ? -1 : x->callee > y->callee;
}

/* Index of the first edge at or after (func, site, callee). */
static size_t csspgo__edge_lower(const csspgo__gen *g, uint32_t func, uint32_t site, uint32_t callee)
{
    csspgo__edge e;
    size_t a = 0, b = g->edges;
    e.func = func;
    e.site = site;
    e.callee = callee;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (csspgo__edge_cmp(NULL, &g->edge[m], &e) < 0) a = m + 1;
        else b = m;
    }
    return a;
}

/* Where a module's direct jump goes (position; 0: not known code), or the recorded target if that is not known. */
static uint32_t csspgo__jump_target(const csspgo_code *code, uint32_t pos, uint32_t recorded)
{
    const uint32_t module = csspgo__module_of(code, pos);
    size_t a = 0, b = module != 0 ? code->transfers : 0;
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (code->transfer[m].pos < pos) a = m + 1;
        else b = m;
    }
    if (module == 0 || a == code->transfers || code->transfer[a].pos != pos || code->transfer[a].target == 0)
        return recorded;
    return csspgo__pos_in(code, module, code->transfer[a].target);
}

/*
 * 1 if the branch is a jump into another function. A module's jumps are taken for what they are in its code, whatever
 * target was recorded; a JIT's address may hold other code by now.
 */
static int csspgo__is_tail_call(csspgo__gen *g, uint32_t from, uint32_t to)
{
    const csspgo_kind kind = csspgo__kind(g->code, from);
    uint32_t func;
    if (kind != CSSPGO_JMP && kind != CSSPGO_IJMP) return 0;
    func = csspgo__gen_func_at(g, csspgo__jump_target(g->code, from, to));
    return func != 0 && func != csspgo__gen_func_at(g, from);
}

static int csspgo__edge_add(csspgo__gen *g, uint32_t func, uint32_t site, uint32_t callee)
{
    if (g->edges == g->edge_cap) {
        void *p = csspgo__grow(&g->c->heap, g->edge, g->edges, &g->edge_cap, g->edges + 1, sizeof *g->edge);
        if (p == NULL) return csspgo__gen_fail(g, &g->c->heap);
        g->edge = (csspgo__edge *)p;
    }
    g->edge[g->edges].func = func;
    g->edge[g->edges].site = site;
    g->edge[g->edges++].callee = callee;
    return 1;
}

/* Collects edges of one sort from all branches. Returns 0 when memory is exhausted. */
static int csspgo__edges_of(csspgo__gen *g, int tail)
{
    size_t i;
    for (i = 0; i < g->keyed.n; i++) {
        const csspgo__counter *v = &g->keyed.v[i];
        uint32_t from, callee;
        if (!(v->node & CSSPGO__BRANCH)) continue;
        if (tail ? !csspgo__is_tail_call(g, v->a, v->b) : csspgo__kind(g->code, v->a) != CSSPGO_CALL) continue;
        from = csspgo__gen_func_at(g, v->a);
        callee = csspgo__gen_func_at(g, v->b);
        if (from == 0 || callee == 0) continue;
        if (tail) g->mark[callee] |= CSSPGO__TAIL_CALLED;
        if (!csspgo__edge_add(g, tail ? from : 0, v->a, callee)) return 0;
    }
    return 1;
}

/* Lists the sampled calls and tail calls, or nothing if there are no tail calls. Returns 0 when memory is exhausted. */
static int csspgo__list_edges(csspgo__gen *g)
{
    const size_t funcs = g->code->names.count + 1;
    size_t i, n = 0;
    if (!csspgo__edges_of(g, 1)) return 0;
    if (g->edges == 0) return 1;
    if (!csspgo__edges_of(g, 0)) return 0;
    if (!csspgo__sort(&g->c->heap, g->edge, g->edges, sizeof *g->edge, csspgo__edge_cmp, NULL) ||
        !csspgo__tree_init(&g->c->heap, &g->asked))
        return csspgo__gen_fail(g, &g->c->heap);
    for (i = 0; i < g->edges; i++)
        if (n == 0 || csspgo__edge_cmp(NULL, &g->edge[n - 1], &g->edge[i]) != 0) g->edge[n++] = g->edge[i];
    g->edges = n;
    if ((g->avoid = (uint32_t *)csspgo__gen_array(g, funcs, sizeof *g->avoid)) == NULL) return 0;
    if ((g->met = (uint32_t *)csspgo__gen_array(g, funcs, sizeof *g->met)) == NULL) return 0;
    return (g->queue = (uint32_t *)csspgo__gen_array(g, funcs, sizeof *g->queue)) != NULL;
}

/*
 * 1 if tail calls lead from one function to another around those to avoid. If not, what was met is avoided from now on.
 * *steps: edges that may still be looked at; after that the answer is 1.
 */
static int csspgo__tail_reaches(csspgo__gen *g, uint32_t from, uint32_t to, uint32_t *steps)
{
    size_t head = 0, n = 0, i;
    if (g->avoid[from] == g->query) return 0;
    g->search++;
    g->queue[n++] = from;
    g->met[from] = g->search;
    while (head < n) {
        const uint32_t f = g->queue[head++];
        for (i = csspgo__edge_lower(g, f, 0, 0); i < g->edges && g->edge[i].func == f; i++) {
            const uint32_t t = g->edge[i].callee;
            if (t == to || *steps == 0) return 1;
            --*steps;
            if (g->avoid[t] == g->query || g->met[t] == g->search) continue;
            g->met[t] = g->search;
            g->queue[n++] = t;
        }
    }
    while (n != 0) g->avoid[g->queue[--n]] = g->query;
    return 0;
}

/*
 * The edge that leads on to a function, of those of one function or (func 0) one call, of which `at` is the first:
 * *next gets its index. Returns how many lead there, 2 standing for more.
 */
static uint32_t csspgo__tail_next(csspgo__gen *g, size_t at, uint32_t to, uint32_t *steps, size_t *next)
{
    const csspgo__edge first = g->edge[at];
    uint32_t n = 0;
    size_t i;
    for (i = at; i < g->edges && n < 2; i++) {
        const csspgo__edge *e = &g->edge[i];
        if (e->func != first.func || (e->func == 0 && e->site != first.site)) break;
        if (e->callee != to && !csspgo__tail_reaches(g, e->callee, to, steps)) continue;
        *next = i;
        n++;
    }
    return n;
}

static int csspgo__chain_add(csspgo__gen *g, uint32_t site)
{
    if (g->chains == g->chain_cap) {
        void *p = csspgo__grow(&g->c->heap, g->chain, g->chains, &g->chain_cap, g->chains + 1, sizeof *g->chain);
        if (p == NULL) return csspgo__gen_fail(g, &g->c->heap);
        g->chain = (uint32_t *)p;
    }
    g->chain[g->chains++] = site;
    return 1;
}

/*
 * Appends to g->chain the one chain of tail calls that leads from a call to the function `to`. Another chain is one
 * that differs in a function or a tail call and passes no function twice. Following the chain from its start, every way
 * that leads to the end is tried: one at each function means there is one chain. Functions that turn out to lead
 * nowhere, or only back into the chain, stay so, and are not entered again. Where many edges lead on the effort is
 * bounded: what takes more is taken for more than one chain.
 *
 *   at   the first of the call's edges
 *
 * Returns the number of chains, 2 standing for more; nothing is appended unless it is 1.
 */
static uint32_t csspgo__tail_chain(csspgo__gen *g, size_t at, uint32_t to)
{
    const size_t start = g->chains, deepest = g->how.max_search_depth != 0 ? g->how.max_search_depth : 256;
    uint32_t steps = CSSPGO__SEARCH_STEPS, n;
    g->query++;
    while ((n = csspgo__tail_next(g, at, to, &steps, &at)) == 1) {
        const csspgo__edge e = g->edge[at];
        if (e.func != 0 && !csspgo__chain_add(g, e.site)) return 0;
        if (e.callee == to) return 1;
        n = 0;
        if (g->chains - start == deepest) break;
        g->avoid[e.callee] = g->query;
        at = csspgo__edge_lower(g, e.callee, 0, 0);
    }
    g->chains = start;
    return n;
}

/*
 * The tail calls between the call at a position and a function that the samples show as called by it, if the call
 * itself never goes there: *n of them, in g->chain from *begin. Returns 0 when memory is exhausted.
 */
static int csspgo__infer(csspgo__gen *g, uint32_t call, uint32_t callee, size_t *begin, size_t *n)
{
    const size_t at = csspgo__edge_lower(g, 0, call, 0), direct = csspgo__edge_lower(g, 0, call, callee);
    csspgo__node *known;
    uint32_t id, chains;
    *n = 0;
    if (!(g->mark[callee] & CSSPGO__TAIL_CALLED)) return 1;
    if (at == g->edges || g->edge[at].func != 0 || g->edge[at].site != call) return 1;
    if (direct != g->edges && g->edge[direct].site == call && g->edge[direct].callee == callee) return 1;
    id = csspgo__tree_add(&g->c->heap, &g->asked, CSSPGO__ROOT, call, callee);
    if (id == 0) return csspgo__gen_fail(g, &g->c->heap);
    known = &g->asked.node[id];
    if (known->record == 0) {
        known->same = (uint32_t)g->chains;
        chains = csspgo__tail_chain(g, at, callee);
        if (g->status != CSSPGO_OK) return 0;
        known->record = (uint32_t)g->chains - known->same + 1;
        g->stats.inferred += chains == 1;
        g->stats.ambiguous += chains == 2;
    }
    *begin = known->same;
    *n = known->record - 1;
    return 1;
}

/* ----- frames of a context ---------------------------------------------------------------------------------------- */

/*
 * The frames in front of and including (func, site). A context that would have too many starts anew here. Returns 0
 * when memory is exhausted.
 */
static uint32_t csspgo__frame_add(csspgo__gen *g, uint32_t before, uint32_t func, uint32_t site)
{
    const size_t had = g->frames.count;
    uint32_t depth = g->frames.node[before].same & ~CSSPGO__FIRST, first = CSSPGO__FIRST, id, t;
    void *path;
    if (depth + 2 > g->p->heap.limits.max_depth) {     /* with this one and the function called from it */
        g->stats.deep_contexts++;
        before = CSSPGO__ROOT;
        depth = 0;
        if (g->p->heap.limits.max_depth < 2) return before;
    }
    id = csspgo__tree_add(&g->c->heap, &g->frames, before, site, func);
    if (id == 0) return (uint32_t)csspgo__gen_fail(g, &g->c->heap);
    if (g->frames.count == had) return id;
    for (t = before; t != CSSPGO__ROOT && first != 0; t = g->frames.node[t].parent)
        if (g->frames.node[t].site == site && g->frames.node[t].func == func) first = 0;
    g->frames.node[id].same = (depth + 1) | first;
    if (depth < g->path_cap) return id;
    path = csspgo__grow(&g->c->heap, g->path, 0, &g->path_cap, depth + 1, sizeof *g->path);
    if (path == NULL) return (uint32_t)csspgo__gen_fail(g, &g->c->heap);
    g->path = (uint32_t *)path;
    return id;
}

/* Puts the counts of a copy into the profile. */
static int csspgo__copy_finish(csspgo__gen *g, uint32_t node);

/*
 * The frames around an inline node whose outermost function is called with the frames `base`: everything outside a call
 * site that is not known is dropped. What is found on the way is kept for the inline node's neighbours. Returns 0 when
 * memory is exhausted.
 */
static uint32_t csspgo__frames_around(csspgo__gen *g, uint32_t base, uint32_t node)
{
    size_t n = 0;
    uint32_t t, around = base;
    for (t = node; t != 0 && g->copy[t].base != base; t = g->code->node[t].parent) g->climb[n++] = t;
    if (t != 0) around = g->copy[t].around;
    while (n-- > 0) {
        const csspgo__inline *in = &g->code->node[t = g->climb[n]];
        if (g->copy[t].busy && !csspgo__copy_finish(g, t)) return 0;
        if (in->parent != 0 && (in->site == 0 || in->site > 0xffff)) {
            g->stats.unknown_sites++;
            around = CSSPGO__ROOT;
        } else if (in->parent != 0) {
            around = csspgo__frame_add(g, around, g->code->node[in->parent].func, in->site);
            if (around == 0) return 0;
        }
        g->copy[t].base = base;
        g->copy[t].around = around;
        g->copy[t].node = 0;
    }
    return around;
}

/* The frames up to and including the call at a position. A call without probe hides its callers. 0: out of memory. */
static uint32_t csspgo__frames_call(csspgo__gen *g, uint32_t base, uint32_t pos)
{
    const csspgo__spot *call = csspgo__call_at(g, pos);
    const csspgo__probe *probe;
    uint32_t around;
    if (call == NULL) {
        g->stats.unprobed_calls++;
        return CSSPGO__ROOT;
    }
    probe = &g->code->probe[call->probe];
    around = csspgo__frames_around(g, base, probe->node);
    return around != 0 ? csspgo__frame_add(g, around, g->code->node[probe->node].func, probe->id) : 0;
}

/* The frames with which a function is called in the context of a key. Returns 0 when memory is exhausted. */
static uint32_t csspgo__gen_base(csspgo__gen *g, uint32_t key, uint32_t func)
{
    uint32_t base = g->context[key];
    size_t begin = 0, n = 0, i;
    if (key == CSSPGO__ROOT || func == 0 || g->edges == 0) return base;
    if (g->base_key == key && g->base_func == func) return g->base;
    if (!csspgo__infer(g, (uint32_t)g->keyed.keys.node[key].site, func, &begin, &n)) return 0;
    for (i = 0; i < n && base != 0; i++) base = csspgo__frames_call(g, base, g->chain[begin + i]);
    g->base_key = key;
    g->base_func = func;
    return g->base = base;
}

/* The path of a node of g->frames as numbers that are equal where frames are, outermost first. Returns its length. */
static size_t csspgo__frames_path(const csspgo__gen *g, uint32_t frames, uint32_t *path)
{
    const csspgo__node *v = g->frames.node;
    const size_t n = v[frames].same & ~CSSPGO__FIRST;
    size_t i = n, k;
    uint32_t t;
    for (t = frames; i != 0; t = v[t].parent) path[--i] = t;
    for (i = 0; i < n; i++) {
        if (v[path[i]].same & CSSPGO__FIRST) continue;
        for (k = 0; v[path[k]].site != v[path[i]].site || v[path[k]].func != v[path[i]].func; k++) {}
        path[i] = path[k];
    }
    return n;
}

/* The node of the profile below `parent`, called from the frame `from`. Returns 0 when memory is exhausted. */
static uint32_t csspgo__context_node(csspgo__gen *g, uint32_t parent, uint32_t from, uint32_t func)
{
    const uint64_t site = parent != CSSPGO__ROOT ? g->frames.node[from].site : 0;
    csspgo_func f;
    uint32_t node = 0;
    f.id = csspgo__gen_func(g, func);
    if (f.id != 0)
        node = csspgo_node_add(g->p, csspgo__node_handle(parent), csspgo_at((uint32_t)site, 0), CSSPGO_CONTEXT, f).id;
    return node != 0 ? node : (uint32_t)csspgo__gen_fail(g, &g->p->heap);
}

/*
 * The profile's node for the function of the innermost frame, in the context that the frames are: recursion
 * compressed, the innermost ones kept. A frame that does not occur further out is no part of a cycle: it stands below
 * the node of the frames around it. Returns 0 when memory is exhausted.
 */
static uint32_t csspgo__frames_node(csspgo__gen *g, uint32_t frames)
{
    const csspgo_collector_options *how = &g->c->how;
    csspgo__node *v = g->frames.node;                 /* the root has its record */
    size_t n = 0, size, i;
    uint32_t t = frames, node;
    for (; v[t].record == 0 && v[t].same & CSSPGO__FIRST && !how->limit_depth; t = v[t].parent) n++;
    if (v[t].record == 0) {
        size = csspgo__frames_path(g, t, g->path);
        size = csspgo__compress(g->path, size, how->limit_recursion ? how->max_recursion : SIZE_MAX);
        i = how->limit_depth && size > how->max_depth ? size - how->max_depth : 0;
        for (node = CSSPGO__ROOT; i < size && node != 0; i++)
            node = csspgo__context_node(g, node, i != 0 ? g->path[i - 1] : 0, v[g->path[i]].func);
        v[t].record = node;
    }
    node = v[t].record;
    for (i = n, t = frames; i-- > 0; t = v[t].parent) g->path[i] = t;
    for (i = 0; i < n && node != 0; i++) {
        node = csspgo__context_node(g, node, v[g->path[i]].parent, v[g->path[i]].func);
        v[g->path[i]].record = node;
    }
    return node;
}

/* The profile's node of an inline node that is called with the frames `base`. Returns 0 when memory is exhausted. */
static uint32_t csspgo__leaf_node(csspgo__gen *g, uint32_t base, uint32_t node)
{
    csspgo__copy *copy = &g->copy[node];
    uint32_t around, parent;
    if (copy->base == base && copy->node != 0) return copy->node;
    around = csspgo__frames_around(g, base, node);
    parent = around != 0 ? csspgo__frames_node(g, around) : 0;
    if (parent == 0) return 0;
    return copy->node = csspgo__context_node(g, parent, around, g->code->node[node].func);
}

/* ----- profile with contexts -------------------------------------------------------------------------------------- */

/* The record of a node for the function of an inline node; NULL when memory is exhausted. */
static csspgo__record *csspgo__gen_record(csspgo__gen *g, uint32_t id, uint32_t node)
{
    csspgo__record *r = csspgo__record_make(g->p, id);
    if (r == NULL) csspgo__gen_fail(g, &g->p->heap);
    else r->checksum = g->code->checksum[g->code->node[node].func];
    return r;
}

/* Adds to a record's body, and (callee not 0) to its call targets. Returns 0 when memory is exhausted. */
static int csspgo__gen_add(csspgo__gen *g, csspgo__record *r, csspgo_loc loc, uint64_t count, uint32_t callee,
                           uint64_t calls)
{
    if (csspgo__body_add(g->p, r, loc, count) < 0) return csspgo__gen_fail(g, &g->p->heap);
    if (callee == 0 || csspgo__target_add(g->p, r, loc, callee, calls) >= 0) return 1;
    return csspgo__gen_fail(g, &g->p->heap);
}

/* Adds n > 0 entries in order to a record's body. Returns 0 when memory is exhausted. */
static int csspgo__gen_bodies(csspgo__gen *g, csspgo__record *r, const csspgo_body *v, size_t n)
{
    csspgo_profile *p = g->p;
    size_t i = 0, k;
    if (csspgo__run_count(r->body) == 0) {
        if (!csspgo__pool_room(&p->heap, &p->body, csspgo__run_needs(r->body, n), sizeof *v))
            return csspgo__gen_fail(g, &p->heap);
        csspgo__run_extend(&p->body, &r->body, n, sizeof *v);
        memcpy(csspgo__body(p, r), v, n * sizeof *v);
        return 1;
    }
    for (k = 0; k < n; k++) {
        csspgo_body *b = csspgo__body(p, r);
        while (i < csspgo__run_count(r->body) && csspgo__body_cmp(NULL, &b[i], &v[k]) < 0) i++;
        if (i < csspgo__run_count(r->body) && csspgo__body_cmp(NULL, &b[i], &v[k]) == 0)
            csspgo__count_add(&b[i].count, v[k].count);
        else if (csspgo__body_insert(p, r, i, v[k].loc, v[k].count) < 0) return csspgo__gen_fail(g, &p->heap);
    }
    return 1;
}

/*
 * Moves the counts of a copy to its record: locations that did not run are there with 0. What its entry counted stays
 * in copy->sum. Returns 0 when memory is exhausted.
 */
static int csspgo__copy_flush(csspgo__gen *g, uint32_t node)
{
    const csspgo__inline *in = &g->code->node[node];
    csspgo__copy *copy = &g->copy[node];
    csspgo_body *v = g->body + in->first;
    csspgo__record *r;
    size_t i;
    copy->sum = 0;
    for (i = 0; i < copy->slots; i++)
        if (v[i].loc.line == 1) csspgo__count_add(&copy->sum, v[i].count);
    if (!(g->mark[in->func] & CSSPGO__START_UP)) {
        r = csspgo__gen_record(g, copy->node, node);
        if (r == NULL) return 0;
        if (in->parent != 0) r->attributes |= CSSPGO_WAS_INLINED;
        csspgo__count_add(&r->head, copy->sum);
        for (i = 0; i < copy->slots; i++) csspgo__count_add(&r->total, v[i].count);
        if (!csspgo__gen_bodies(g, r, v, copy->slots)) return 0;
    }
    for (i = 0; i < copy->slots; i++) v[i].count = 0;
    copy->busy = 2;
    return 1;
}

/* An inlined entry that ran is a call in the function around it. Returns 0 when memory is exhausted. */
static int csspgo__copy_entered(csspgo__gen *g, uint32_t node)
{
    csspgo__copy *copy = &g->copy[node];
    const csspgo__node *leaf = &g->p->tree.node[copy->node];
    const uint32_t caller = g->code->node[node].parent;
    csspgo__record *r;
    copy->busy = 0;
    if (copy->sum == 0 || caller == 0 || leaf->parent == CSSPGO__ROOT) return 1;
    if (g->mark[g->code->node[caller].func] & CSSPGO__START_UP) return 1;
    r = csspgo__gen_record(g, leaf->parent, caller);
    if (r == NULL) return 0;
    csspgo__count_add(&r->total, copy->sum);
    return csspgo__gen_add(g, r, csspgo__site_loc(leaf->site), copy->sum, leaf->func, copy->sum);
}

static int csspgo__copy_finish(csspgo__gen *g, uint32_t node)
{
    return csspgo__copy_flush(g, node) && csspgo__copy_entered(g, node);
}

/*
 * Finishes all busy copies, some of which may be listed twice. Entries after bodies: these are best added to records
 * that are not there yet. Returns 0 when memory is exhausted.
 */
static int csspgo__list_finish(csspgo__gen *g)
{
    size_t i;
    for (i = 0; i < g->lists; i++)
        if (g->copy[g->list[i]].busy == 1 && !csspgo__copy_flush(g, g->list[i])) return 0;
    for (i = 0; i < g->lists; i++)
        if (g->copy[g->list[i]].busy == 2 && !csspgo__copy_entered(g, g->list[i])) return 0;
    g->lists = 0;
    return 1;
}

/* A probe was passed so many times in the context of a key. Returns 0 when memory is exhausted. */
static int csspgo__gen_hit(csspgo__gen *g, uint32_t key, const csspgo__spot *s, uint64_t count)
{
    const uint32_t node = g->code->probe[s->probe].node, base = csspgo__gen_base(g, key, s->func);
    csspgo__copy *copy = &g->copy[node];
    if (base == 0) return 0;
    if (!copy->busy || copy->base != base) {
        if (csspgo__leaf_node(g, base, node) == 0) return 0;
        if (copy->slots == 0 && !csspgo__gen_slots(g, node)) return 0;
        if (g->lists == g->code->nodes && !csspgo__list_finish(g)) return 0;
        copy->busy = 1;
        g->list[g->lists++] = node;
    }
    csspgo__count_add(&g->body[g->slot[s->probe]].count, count);
    return 1;
}

/* Counts spots [a, b) of a key, and takes their differences back to 0. */
static int csspgo__gen_sweep(csspgo__gen *g, uint32_t key, size_t a, size_t b)
{
    csspgo__sum sum = { 0, 0 };
    for (; a < b; a++) {
        csspgo__sum_add(&sum, g->delta[a].low, g->delta[a].high);
        g->delta[a].low = g->delta[a].high = 0;
        if ((sum.low | sum.high) != 0 && !csspgo__gen_hit(g, key, &g->spot[a], sum.high != 0 ? UINT64_MAX : sum.low))
            return 0;
    }
    g->delta[b].low = g->delta[b].high = 0;
    return 1;
}

/* The ranges of a key, in order of their start: overlapping ones are swept together. */
static int csspgo__gen_ranges(csspgo__gen *g, uint32_t key, const csspgo__counter *v, size_t n)
{
    size_t i, first = 0, a = 0, b = 0;
    for (i = 0; i < n; i++) {
        const size_t end = csspgo__range_spots(g, &v[i], &first);
        if (first > b) {
            if (!csspgo__gen_sweep(g, key, a, b)) return 0;
            a = first;
        }
        if (end > b) b = end;
    }
    return csspgo__gen_sweep(g, key, a, b);
}

/* The branches of a key that are calls, tail calls among them. */
static int csspgo__gen_branches(csspgo__gen *g, uint32_t key, const csspgo__counter *v, size_t n)
{
    size_t i, at = 0;
    for (i = 0; i < n; i++) {
        const csspgo__spot *s;
        const csspgo__probe *probe;
        csspgo__record *r;
        uint32_t base, node, callee;
        at = csspgo__spot_lower(g->call, g->calls, at, v[i].a);
        if (at == g->calls) break;
        s = &g->call[at];
        if (s->pos != v[i].a) continue;
        probe = &g->code->probe[s->probe];
        base = csspgo__gen_base(g, key, s->func);
        node = base != 0 ? csspgo__leaf_node(g, base, probe->node) : 0;
        if (node == 0) return 0;
        if (g->mark[g->code->node[probe->node].func] & CSSPGO__START_UP) continue;
        if (!csspgo__gen_callee(g, v[i].b, &callee)) return 0;
        r = csspgo__gen_record(g, node, probe->node);
        if (r == NULL) return 0;
        if (g->code->node[probe->node].parent != 0) r->attributes |= CSSPGO_WAS_INLINED;
        csspgo__count_add(&r->total, v[i].count);
        if (!csspgo__gen_add(g, r, csspgo_at(probe->id, 0), v[i].count, callee, v[i].count)) return 0;
    }
    return 1;
}

/* The counters of a key: ranges first. */
static int csspgo__gen_key(csspgo__gen *g, uint32_t key, const csspgo__counter *v, size_t n)
{
    size_t ranges = 0;
    while (ranges < n && !(v[ranges].node & CSSPGO__BRANCH)) ranges++;
    if (!csspgo__gen_ranges(g, key, v, ranges) || !csspgo__list_finish(g)) return 0;
    return csspgo__gen_branches(g, key, v + ranges, n - ranges);
}

static int csspgo__gen_contexts(csspgo__gen *g)
{
    const csspgo__tree *keys = &g->keyed.keys;
    const csspgo__counter *v = g->keyed.v;
    const size_t n = g->keyed.n;
    size_t i, k;
    g->context = (uint32_t *)csspgo__gen_array(g, keys->count + 1, sizeof *g->context);
    if (g->context == NULL) return 0;
    if (!csspgo__tree_init(&g->c->heap, &g->frames)) return csspgo__gen_fail(g, &g->c->heap);
    g->frames.node[CSSPGO__ROOT].record = CSSPGO__ROOT;
    if (!g->how.no_inference && !csspgo__list_edges(g)) return 0;
    g->context[CSSPGO__ROOT] = CSSPGO__ROOT;
    for (i = CSSPGO__ROOT + 1; i <= keys->count; i++) {       /* a parent has a smaller id than its children */
        const uint32_t pos = (uint32_t)keys->node[i].site;
        const uint32_t base = csspgo__gen_base(g, keys->node[i].parent, csspgo__gen_func_at(g, pos));
        g->context[i] = base != 0 ? csspgo__frames_call(g, base, pos) : 0;
        if (g->context[i] == 0) return 0;
    }
    for (i = 0; i < n; i = k) {
        const uint32_t key = v[i].node & ~CSSPGO__BRANCH;
        for (k = i + 1; k < n && (v[k].node & ~CSSPGO__BRANCH) == key; k++) {}
        if (!csspgo__gen_key(g, key, v + i, k - i)) return 0;
    }
    return 1;
}

/* ----- profile without contexts ----------------------------------------------------------------------------------- */

/* Finds out which code counts, and adds up the ranges. cover: per spot and one more, difference of ranges around it. */
static void csspgo__flat_ranges(csspgo__gen *g, uint32_t *cover)
{
    const csspgo_code *code = g->code;
    size_t i, first = 0, a, b;
    for (i = 0; i < g->keyed.n && !(g->keyed.v[i].node & CSSPGO__BRANCH); i++) {
        b = csspgo__range_spots(g, &g->keyed.v[i], &first);
        cover[first]++;
        cover[b]--;
        g->mark[csspgo__gen_func_at(g, g->keyed.v[i].a)] |= CSSPGO__STARTED;
    }
    for (i = 0, a = 0; i < code->ranges; i++) {
        const csspgo__range *r = &code->range[i];
        if (!(g->mark[r->func] & CSSPGO__STARTED) && !g->how.fill_all_functions) continue;
        a = csspgo__spot_lower(g->spot, g->spots, a, r->begin);
        cover[a]++;
        cover[csspgo__spot_lower(g->spot, g->spots, a, r->end)]--;
    }
}

/* Gives every spot that is covered its count. Returns 0 when memory is exhausted. */
static int csspgo__flat_counts(csspgo__gen *g, const uint32_t *cover)
{
    csspgo__sum sum = { 0, 0 };
    uint32_t around = 0;
    size_t i;
    for (i = 0; i < g->spots; i++) {
        const uint32_t probe = g->spot[i].probe, node = g->code->probe[probe].node;
        csspgo__sum_add(&sum, g->delta[i].low, g->delta[i].high);
        around += cover[i];
        if (around == 0) continue;
        if (g->copy[node].slots == 0 && !csspgo__gen_slots(g, node)) return 0;
        g->copy[node].busy = 1;
        g->seen[g->slot[probe]] = 1;
        csspgo__count_add(&g->body[g->slot[probe]].count, sum.high != 0 ? UINT64_MAX : sum.low);
    }
    return 1;
}

/* Marks the copies that call something by name. Returns 0 when memory is exhausted. */
static int csspgo__flat_calls(csspgo__gen *g)
{
    size_t i;
    for (i = 0; i < g->keyed.n; i++) {
        const csspgo__counter *v = &g->keyed.v[i];
        const csspgo__spot *s = v->node & CSSPGO__BRANCH ? csspgo__call_at(g, v->a) : NULL;
        uint32_t callee;
        if (s == NULL) continue;
        if (!csspgo__gen_callee(g, v->b, &callee)) return 0;
        if (callee != 0) g->copy[g->code->probe[s->probe].node].busy = 1;
    }
    return 1;
}

/*
 * The total of each copy: its own counts and those of the inlinees that hang below it. An inlinee whose call site is
 * not known, or that is nested too deep, hangs at top level.
 */
static void csspgo__flat_totals(csspgo__gen *g)
{
    const csspgo__inline *in = g->code->node;
    csspgo__copy *copy = g->copy;
    size_t n, i;
    for (n = 1; n <= g->code->nodes; n++) {
        copy[n].around = 1;
        if (in[n].parent == 0) continue;
        if (in[n].site == 0 || in[n].site > 0xffff) {
            g->stats.unknown_sites += copy[n].busy;
        } else if (copy[in[n].parent].around >= g->p->heap.limits.max_depth) {
            g->stats.deep_contexts += copy[n].busy;
        } else {
            copy[n].around = copy[in[n].parent].around + 1;
        }
    }
    for (n = g->code->nodes; n != 0; n--) {
        if (!copy[n].busy) continue;
        for (i = 0; i < copy[n].slots; i++) csspgo__count_add(&copy[n].sum, g->body[in[n].first + i].count);
        if (copy[n].around == 1) continue;
        copy[in[n].parent].busy = 1;
        csspgo__count_add(&copy[in[n].parent].sum, copy[n].sum);
    }
}

/* Fills the record of a copy: the locations that some range covers. Returns 0 when memory is exhausted. */
static int csspgo__flat_record(csspgo__gen *g, uint32_t node)
{
    const csspgo__inline *in = &g->code->node[node];
    const csspgo__copy *copy = &g->copy[node];
    csspgo_body *v = g->body + in->first;
    csspgo__record *r = csspgo__gen_record(g, copy->node, node);
    size_t i, n = 0;
    if (r == NULL) return 0;
    csspgo__count_add(&r->total, copy->sum);
    for (i = 0; i < copy->slots; i++) {
        if (!g->seen[in->first + i]) continue;
        if (v[i].loc.line == 1) csspgo__count_add(&r->head, v[i].count);
        v[n++] = v[i];
    }
    return n == 0 || csspgo__gen_bodies(g, r, v, n);
}

/* Records for all busy copies; parents come before inlinees. Returns 0 when memory is exhausted. */
static int csspgo__flat_records(csspgo__gen *g)
{
    const csspgo__inline *in = g->code->node;
    uint32_t n;
    for (n = 1; n <= g->code->nodes; n++) {
        csspgo__copy *copy = &g->copy[n];
        const int nested = copy->around > 1;
        const uint32_t parent = nested ? g->copy[in[n].parent].node : (uint32_t)CSSPGO__ROOT;
        csspgo_func f;
        if (!copy->busy) continue;
        f.id = csspgo__gen_func(g, in[n].func);
        if (f.id == 0) return 0;
        if (parent == 0 || g->mark[in[n].func] & CSSPGO__START_UP) continue;   /* left out with what is nested in it */
        copy->node = csspgo_node_add(g->p, csspgo__node_handle(parent), csspgo_at(nested ? in[n].site : 0, 0),
                                     nested ? CSSPGO_INLINEE : CSSPGO_PLAIN, f).id;
        if (copy->node == 0) return csspgo__gen_fail(g, &g->p->heap);
        if (!csspgo__flat_record(g, n)) return 0;
    }
    return 1;
}

/* Adds the call targets. Returns 0 when memory is exhausted. */
static int csspgo__flat_targets(csspgo__gen *g)
{
    size_t i;
    for (i = 0; i < g->keyed.n; i++) {
        const csspgo__counter *v = &g->keyed.v[i];
        const csspgo__spot *s = v->node & CSSPGO__BRANCH ? csspgo__call_at(g, v->a) : NULL;
        const csspgo__probe *probe = s != NULL ? &g->code->probe[s->probe] : NULL;
        csspgo__record *r;
        uint32_t callee;
        if (s == NULL || g->copy[probe->node].node == 0) continue;
        if (!csspgo__gen_callee(g, v->b, &callee)) return 0;
        if (callee == 0) continue;
        r = csspgo__record_make(g->p, g->copy[probe->node].node);     /* is there */
        if (!csspgo__gen_add(g, r, csspgo_at(probe->id, 0), 0, callee, v->count)) return 0;
    }
    return 1;
}

static int csspgo__gen_flat(csspgo__gen *g)
{
    uint32_t *cover = (uint32_t *)csspgo__gen_array(g, g->spots + 1, sizeof *cover);
    if (cover == NULL) return 0;
    if ((g->seen = (unsigned char *)csspgo__gen_array(g, g->code->probes, 1)) == NULL) return 0;
    csspgo__flat_ranges(g, cover);
    if (!csspgo__flat_counts(g, cover) || !csspgo__flat_calls(g)) return 0;
    csspgo__flat_totals(g);
    return csspgo__flat_records(g) && csspgo__flat_targets(g);
}

/* At top level a call's count is at least that of its targets. */
static void csspgo__raise_calls(csspgo_profile *p, uint32_t node)
{
    const csspgo__record *r = csspgo__record_at(p, csspgo__node_handle(node));
    const csspgo_target *t = csspgo__target(p, r);
    const size_t n = csspgo__run_count(r->target);
    size_t i, k;
    for (i = 0; i < n; i = k) {
        csspgo_body *b = csspgo__body_find(csspgo__body(p, r), csspgo__run_count(r->body), t[i].loc);
        uint64_t sum = 0;
        for (k = i; k < n && csspgo__loc_key(t[k].loc) == csspgo__loc_key(t[i].loc); k++)
            csspgo__count_add(&sum, t[k].count);
        if (b != NULL && b->count < sum) b->count = sum;
    }
}

/* The same for every function of p that q has. */
static void csspgo__raise_all(csspgo_profile *p, const csspgo_profile *q)
{
    uint32_t n;
    for (n = q->tree.node[CSSPGO__ROOT].child; n != 0; n = q->tree.node[n].sibling) {
        const uint32_t func = csspgo__func_lookup(p, q, q->tree.node[n].func);
        csspgo__raise_calls(p, csspgo__tree_find(&p->tree, p->heap.seed, CSSPGO__ROOT, q->tree.node[n].site, func));
    }
}

/* ----- counters to profile ---------------------------------------------------------------------------------------- */

static int csspgo__gen_setup(csspgo__gen *g, int contexts)
{
    const csspgo_code *code = g->code;
    const size_t funcs = code->names.count + 1, nodes = code->nodes + 1;
    if ((g->mark = (unsigned char *)csspgo__gen_array(g, funcs, 1)) == NULL) return 0;
    if ((g->func = (uint32_t *)csspgo__gen_array(g, funcs, sizeof *g->func)) == NULL) return 0;
    if ((g->callee = (uint32_t *)csspgo__gen_array(g, funcs, sizeof *g->callee)) == NULL) return 0;
    if ((g->spot = (csspgo__spot *)csspgo__gen_array(g, code->probes, sizeof *g->spot)) == NULL) return 0;
    if ((g->call = (csspgo__spot *)csspgo__gen_array(g, code->probes, sizeof *g->call)) == NULL) return 0;
    if ((g->slot = (uint32_t *)csspgo__gen_array(g, code->probes, sizeof *g->slot)) == NULL) return 0;
    if ((g->body = (csspgo_body *)csspgo__gen_array(g, code->probes, sizeof *g->body)) == NULL) return 0;
    if ((g->copy = (csspgo__copy *)csspgo__gen_array(g, nodes, sizeof *g->copy)) == NULL) return 0;
    if ((g->list = (uint32_t *)csspgo__gen_array(g, nodes, sizeof *g->list)) == NULL) return 0;
    if ((g->climb = (uint32_t *)csspgo__gen_array(g, nodes, sizeof *g->climb)) == NULL) return 0;
    if (g->how.sampled_functions) csspgo__mark_sampled(g);
    csspgo__list_spots(g, contexts);
    return (g->delta = (csspgo__sum *)csspgo__gen_array(g, g->spots + 1, sizeof *g->delta)) != NULL;
}

/* Fills g->p with what the collector counted. Returns 0 when memory is exhausted. */
static int csspgo__generate(csspgo__gen *g, const csspgo__heap *like, int contexts)
{
    csspgo_options o;
    memset(&o, 0, sizeof o);
    o.allocator = like->a;
    o.limits = like->limits;
    o.hash_seed = like->seed;
    o.lenient = like->lenient;
    g->p = csspgo_profile_new(&o);
    g->status = g->p != NULL ? CSSPGO_OK : CSSPGO_E_NOMEM;
    if (g->p == NULL || !csspgo__gen_setup(g, contexts)) return 0;
    return contexts ? csspgo__gen_contexts(g) : csspgo__gen_flat(g);
}

/* Adds what was made to p, which may take it over. */
static csspgo_status csspgo__gen_commit(csspgo__gen *g, csspgo_profile *p, uint32_t flags)
{
    const uint32_t kind = CSSPGO_IS_CS | CSSPGO_IS_PROBE;
    csspgo_status s = CSSPGO_OK;
    g->p->flags = flags;
    if (p->tree.count == 1) {
        if (p->names.count == 0) {
            g->p->flags |= p->flags & ~kind;
            csspgo__raise_all(g->p, g->p);
            csspgo__profile_take(p, g->p);
            g->p = NULL;
            return CSSPGO_OK;
        }
        flags |= p->flags & ~kind;
    } else {
        flags |= p->flags;
    }
    s = csspgo_add_profile(p, g->p);
    if (s != CSSPGO_OK) return s;
    p->flags = flags;
    if (!(flags & CSSPGO_IS_CS)) csspgo__raise_all(p, g->p);
    return s;
}

CSSPGO_DEF csspgo_status csspgo_collector_profile(csspgo_collector *c, csspgo_profile *p,
                                                  const csspgo_generate_options *how, csspgo_error *err)
{
    const uint32_t kind = CSSPGO_IS_CS | CSSPGO_IS_PROBE;
    uint32_t flags;
    csspgo__gen g;
    csspgo_status s = csspgo_collector_flush(c);
    memset(&g, 0, sizeof g);
    g.c = c;
    g.code = c->code;
    if (how != NULL) g.how = *how;
    flags = csspgo_collector_has_contexts(c) ? kind : (uint32_t)CSSPGO_IS_PROBE;
    if (s == CSSPGO_OK) s = csspgo__keyed_make(c, &g.keyed);
    if (s == CSSPGO_OK && g.keyed.n != 0) {
        if (p->tree.count > 1 && (p->flags & kind) != flags) {
            csspgo__gen_free(&g);
            return csspgo__error(err, CSSPGO_E_ARGUMENT, 0, "the profile is of another kind than the collector");
        }
        s = csspgo__generate(&g, &p->heap, flags == kind) ? csspgo__gen_commit(&g, p, flags) : g.status;
        if (s == CSSPGO_OK) csspgo__counters_clear(c);
    }
    if (g.how.stats != NULL) *g.how.stats = g.stats;
    csspgo__gen_free(&g);
    return csspgo__error_plain(err, s);
}

#endif /* CSSPGO_NO_GENERATE */

#ifdef __cplusplus
}
#endif
#endif /* CSSPGO_IMPLEMENTATION */

/* ===== >>licence ====================================================================================================
 *
 * This software is available under two licences; choose the one you like.
 *
 * ALTERNATIVE A - MIT License
 *
 * Copyright (c) 2026 the csspgo.h authors
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
 * documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
 * rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to
 * permit persons to whom the Software is furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
 * Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
 * WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
 * COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
 * OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 *
 * ALTERNATIVE B - Public Domain (www.unlicense.org)
 *
 * This is free and unencumbered software released into the public domain.
 *
 * Anyone is free to copy, modify, publish, use, compile, sell, or distribute this software, either in source code form
 * or as a compiled binary, for any purpose, commercial or non-commercial, and by any means.
 *
 * In jurisdictions that recognize copyright laws, the author or authors of this software dedicate any and all copyright
 * interest in the software to the public domain. We make this dedication for the benefit of the public at large and to
 * the detriment of our heirs and successors. We intend this dedication to be an overt act of relinquishment in
 * perpetuity of all present and future rights to this software under copyright law.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
 * WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS BE
 * LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 */
