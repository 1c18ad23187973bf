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
/*@MANUAL@*/
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
    uint32_t         lenient;     /* 1: readers take everything that LLVM 19's take, for compatible modes        */
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
    CSSPGO_CONTEXT = 0,           /* a frame of a context: [main:3 @ foo]; a child of the root is a base profile `[foo]` */
    CSSPGO_INLINEE = 1,           /* nested in its caller's record                                                       */
    CSSPGO_PLAIN   = 2,           /* top level of a profile without contexts: `foo`; a child of the root                 */
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

/* The name's bytes (not terminated, owned by p, valid until p grows) and their number; NULL and 0 if only a GUID is known. */
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
 * flags by OR; of two checksums the larger one wins and the counts of the other record are dropped and counted.
 *
 * Returns   CSSPGO_OK; E_NOMEM or E_LIMIT (p then holds part of from)
 * Cost      O(from)
 */
CSSPGO_DEF csspgo_status csspgo_add_profile(csspgo_profile *p, const csspgo_profile *from);

/* 1 if the two hold the same contexts with the same counts (function names matter, ids and order do not). O(p + q). */
CSSPGO_DEF int csspgo_equal(const csspgo_profile *p, const csspgo_profile *q);

/* Checks every invariant of the tree: for tests and after hand-made changes. err says which one is broken. O(p). */
CSSPGO_DEF csspgo_status csspgo_validate(const csspgo_profile *p, csspgo_error *err);

/* Bytes that the profile has allocated. */
CSSPGO_DEF uint64_t csspgo_profile_memory(const csspgo_profile *p);

/* ===== >>format: profiles as files =================================================================================== */

#ifndef CSSPGO_NO_FORMAT

/* Output forms for csspgo_write. */
enum { CSSPGO_TEXT = 1 };

/*
 * Reads a profile and adds it to p (as csspgo_add_profile does).
 *
 *   p            after a failure it is exactly what it was before the call
 *   data, size   the whole file, size in bytes; borrowed until the call returns; need not be aligned or terminated
 *   err          NULL, or filled in every case
 *
 * Returns   CSSPGO_OK; E_SYNTAX, E_TRUNCATED, E_RANGE, E_VERSION for bad input; E_LIMIT; E_NOMEM; E_UNSUPPORTED
 * Cost      O(size) time; at most 16 bytes of memory per input byte + 1 MB, never above options.limits.max_bytes
 * Source    LLVM 19 SampleProfReader behaviour; options.lenient: all that it accepts, else what makes sense
 */
CSSPGO_DEF csspgo_status csspgo_read(csspgo_profile *p, const void *data, size_t size, csspgo_error *err);

/*
 * Writes a profile.
 *
 *   form       CSSPGO_TEXT
 *   buf, cap   where to; NULL and 0 to ask for the size.     size   gets the bytes needed, or NULL
 *
 * Returns   CSSPGO_OK; E_LIMIT if buf is too short (its first cap bytes are filled); E_UNSUPPORTED for a name that the
 *           form cannot carry; E_NOMEM
 * Cost      O(n log n) in the number of nodes and counts
 */
CSSPGO_DEF csspgo_status csspgo_write(csspgo_profile *p, uint32_t form, void *buf, size_t cap, size_t *size,
                                      csspgo_error *err);

#ifndef CSSPGO_NO_STDIO
/* The same for files; E_IO if the file cannot be opened, read or written. A file that failed to be written is incomplete. */
CSSPGO_DEF csspgo_status csspgo_read_file(csspgo_profile *p, const char *path, csspgo_error *err);
CSSPGO_DEF csspgo_status csspgo_write_file(csspgo_profile *p, const char *path, uint32_t form, csspgo_error *err);
#endif

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
 * Adds tables for code that is there. Addresses outside it are E_ARGUMENT (transfers, functions), or skipped (probes).
 *
 * csspgo_code_add_probes: inline nodes refer to each other and probes to them by index + 1 within this call.
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

#ifndef CSSPGO_NO_CODE
typedef struct csspgo_insn {
    uint32_t size;
    csspgo_kind kind;
    uint32_t has_target;
    uint32_t skip;
    uint64_t target;
} csspgo_insn;
CSSPGO_DEF uint32_t csspgo_decode_x86_64(const void *code, size_t size, uint64_t address, csspgo_insn *out);
CSSPGO_DEF uint32_t csspgo_decode_aarch64(const void *code, size_t size, uint64_t address, csspgo_insn *out);
#endif

/* ===== >>sample: perf records and perf script text become samples =================================================== */

#ifndef CSSPGO_NO_SAMPLE

/* One taken branch; the layout of the kernel's struct perf_branch_entry. */
typedef struct csspgo_branch {
    uint64_t from, to;            /* run-time addresses of the branch instruction and of its target */
    uint64_t flags;               /* the kernel's bits; not used                                    */
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

/* ----- perf_event_open ring buffers and records, in the machine's byte order --------------------------------------- */

/*
 * A ring buffer that its owner has mapped. The owner loads data_head (acquire) into head, calls csspgo_ring_next until it
 * gives 0, and stores tail to data_tail (release). Records stay where they are; one that wraps is copied to bounce.
 */
typedef struct csspgo_ring {
    const void *data;             /* the data pages                                            */
    uint64_t    size;             /* their bytes, a power of two                               */
    uint64_t    head, tail;       /* as in struct perf_event_mmap_page; tail moves forward     */
    void       *bounce;           /* owner's buffer of bounce_size bytes, aligned to 8; 65536 is enough for every record */
    size_t      bounce_size;
    uint64_t    sample_type;      /* as in the perf_event_attr of the event                    */
    uint64_t    branch_sample_type, read_format;
    uint64_t    lost;             /* records that did not fit bounce, or PERF_RECORD_LOST's count, added up */
} csspgo_ring;

typedef enum csspgo_item {        /* what a reader found                                       */
    CSSPGO_ITEM_NONE = 0,         /* nothing more for now                                      */
    CSSPGO_ITEM_SAMPLE = 1,
    CSSPGO_ITEM_MMAP = 2,         /* a mapping event                                           */
    CSSPGO_ITEM_OTHER = 3,        /* a record of another kind                                  */
    CSSPGO_ITEM_FORCE_32 = 0x7fffffff
} csspgo_item;

/*
 * The next record of a ring.
 *
 *   sample, map   filled in for their kind; pointers lead into the ring (or bounce), so use them before data_tail is stored
 *   err           filled in when the ring's content makes no sense: tail is then moved to head
 *
 * Stack markers (PERF_CONTEXT_*) are left out of the sample's stack, and with a user marker so are the kernel's frames.
 * Cost      O(1), no copy unless the record wraps (or its stack holds markers in the middle)
 */
CSSPGO_DEF csspgo_item csspgo_ring_next(csspgo_ring *ring, csspgo_sample *sample, csspgo_mmap *map, csspgo_error *err);

/* One PERF_RECORD_SAMPLE body (behind the 8-byte header, aligned to 8) as a sample. Returns CSSPGO_OK or E_TRUNCATED, E_UNSUPPORTED. */
CSSPGO_DEF csspgo_status csspgo_record_sample(const void *body, size_t size, uint64_t sample_type,
                                              uint64_t branch_sample_type, uint64_t read_format,
                                              csspgo_sample *sample, csspgo_error *err);

/* ----- perf script text -------------------------------------------------------------------------------------------- */

/*
 * A push parser of `perf script -F ip,brstack --show-mmap-events` text: hybrid samples, LBR only, with count lines.
 *
 *     csspgo_script_feed(s, chunk, size);            chunks of any size; borrowed until next gives CSSPGO_ITEM_NONE
 *     while ((item = csspgo_script_next(s, &sample, &map, &err)) != CSSPGO_ITEM_NONE) ...
 *     csspgo_script_end(s);                          no more input: call next until NONE again
 *
 * What makes no sense is skipped and counted; only a whole input without any sample is an error (err, at the end).
 */
typedef struct csspgo_script csspgo_script;

typedef struct csspgo_script_stats {
    uint64_t lines, samples;      /* read; handed out                                                   */
    uint64_t attempts;            /* what LLVM calls samples: blank and junk lines count too            */
    uint64_t bad_frame_lines;     /* stacks abandoned at a line that is not an address                  */
    uint64_t bad_records;         /* branch lines cut at a record that does not parse                   */
    uint64_t bad_mmaps;           /* mapping lines that do not parse                                    */
    uint64_t empty_stacks;        /* branch lines without a stack in a hybrid script                    */
    uint64_t first_bad_line;      /* line number of the first of the bad ones above, 0 = none           */
    uint32_t hybrid;              /* 1: call stacks and branches, 0: branches only (or not yet known)   */
    uint32_t reserved;
} csspgo_script_stats;

CSSPGO_DEF csspgo_script *csspgo_script_new(const csspgo_options *options);
CSSPGO_DEF void csspgo_script_free(csspgo_script *s);
CSSPGO_DEF void csspgo_script_feed(csspgo_script *s, const void *text, size_t size);
CSSPGO_DEF void csspgo_script_end(csspgo_script *s);
CSSPGO_DEF csspgo_item csspgo_script_next(csspgo_script *s, csspgo_sample *sample, csspgo_mmap *map, csspgo_error *err);
CSSPGO_DEF csspgo_script_stats csspgo_script_get_stats(const csspgo_script *s);

#endif /* CSSPGO_NO_SAMPLE */

/* ===== >>unwind: the LBR virtual unwinder: samples become counters per calling context ============================= */

#ifndef CSSPGO_NO_UNWIND

typedef struct csspgo_collector csspgo_collector;

/* All zero: contexts as deep as they are, recursion compressed, samples dropped where LLVM 19 drops them. */
typedef struct csspgo_collector_options {
    uint32_t ignore_stack;        /* 1: no contexts (stacks still decide which samples are dropped)                    */
    uint32_t keep_leaves;         /* 1: stacks are exact: keep samples whose leaf is in a prologue or epilogue         */
    uint32_t limit_recursion, max_recursion;   /* limit_recursion 1: compress cycles of at most max_recursion frames; 0 = none */
    uint32_t limit_depth, max_depth;           /* limit_depth 1: keep the innermost max_depth call sites of a context  */
    uint32_t cache_bytes;         /* memory for the cache of equal samples; 0 = 8 MiB                                  */
    uint32_t reserved;
} csspgo_collector_options;

/* What became of the samples: one counter per reason. Samples count with their multiplicity unless said otherwise. */
typedef struct csspgo_collector_stats {
    uint64_t samples;             /* handed in                                                                         */
    uint64_t no_branches;         /* dropped: no branch record with an end in known code                               */
    uint64_t prologue_leaves;     /* dropped: leaf in a prologue or epilogue                                           */
    uint64_t external_leaves;     /* kept: the leaf is in unknown code                                                 */
    uint64_t bad_return_addresses;/* kept, stack cut: no call before a return address                                  */
    uint64_t unwound;             /* distinct samples unwound (per flush of the cache)                                 */
    uint64_t branches;            /* branch records of those                                                           */
    uint64_t paired_external, unpaired_external;   /* branches beside unknown code, joined or not                      */
    uint64_t mismatched_external, mismatched_leaf; /* calls that the stack did not show                                */
    uint64_t invalid_ranges;      /* ranges that would run across a call, return or jump, or backwards                 */
    uint64_t zero_returns;        /* returns to an address without a call before it: rest of the trace without context */
    uint64_t truncated_contexts;  /* contexts cut because unknown code lies in between                                 */
} csspgo_collector_stats;

/*
 * A collector: samples in, counters per calling context inside, profile or raw text out.
 *
 *   code      used by every call, must outlive the collector; several collectors may read one
 *   options   memory, limits; NULL = defaults.     how   NULL = defaults; copied
 *
 * Returns   the collector, NULL when out of memory
 */
CSSPGO_DEF csspgo_collector *csspgo_collector_new(csspgo_code *code, const csspgo_collector_options *how,
                                                  const csspgo_options *options);
CSSPGO_DEF void csspgo_collector_free(csspgo_collector *c);

/*
 * Adds samples. Their addresses are looked up now, in the code map as it is now. The first sample decides whether
 * contexts are kept at all (it has a stack) or not.
 *
 * Returns   CSSPGO_OK; E_NOMEM, E_LIMIT (samples from the failing one on were not taken)
 * Cost      a hash of the sample if an equal one is in the cache, else O(branches) table look-ups when it leaves the cache
 */
CSSPGO_DEF csspgo_status csspgo_collector_add(csspgo_collector *c, const csspgo_sample *samples, size_t count);

/* Unwinds what is in the cache. Everything that reads counters does it by itself. */
CSSPGO_DEF csspgo_status csspgo_collector_flush(csspgo_collector *c);

/* 1 if counters are per context, 0 if context-less. */
CSSPGO_DEF int csspgo_collector_has_contexts(const csspgo_collector *c);

CSSPGO_DEF csspgo_collector_stats csspgo_collector_get_stats(const csspgo_collector *c);

/* Bytes that the collector has allocated. */
CSSPGO_DEF uint64_t csspgo_collector_memory(const csspgo_collector *c);

/* How addresses stand in unsymbolized text: the value + base is the link-time address. */
typedef struct csspgo_unsymbolized_options {
    csspgo_module module;         /* whose addresses; others print as external                       */
    uint64_t      base;           /* usually csspgo_code_base(code, module); 0 = plain addresses     */
} csspgo_unsymbolized_options;

/*
 * Writes the counters as llvm-profgen's --skip-symbolization does.
 *
 *   buf, cap   where to; NULL and 0 to ask for the size.     size   gets the bytes needed, or NULL
 *
 * Returns   CSSPGO_OK; E_LIMIT if buf is too short (its first cap bytes are filled); E_NOMEM
 */
CSSPGO_DEF csspgo_status csspgo_write_unsymbolized(csspgo_collector *c, const csspgo_unsymbolized_options *how,
                                                   void *buf, size_t cap, size_t *size, csspgo_error *err);

/*
 * Adds the counters of such a text to the collector: context-less, or with contexts of hexadecimal call addresses.
 *
 * Returns   CSSPGO_OK; E_SYNTAX, E_RANGE (reversed range), E_UNSUPPORTED (contexts of names); E_NOMEM, E_LIMIT. On failure c is unchanged.
 */
CSSPGO_DEF csspgo_status csspgo_read_unsymbolized(csspgo_collector *c, const csspgo_unsymbolized_options *how,
                                                  const void *text, size_t size, csspgo_error *err);

#ifndef CSSPGO_NO_STDIO
CSSPGO_DEF csspgo_status csspgo_write_unsymbolized_file(csspgo_collector *c, const csspgo_unsymbolized_options *how,
                                                        const char *path, csspgo_error *err);
#endif

#endif /* CSSPGO_NO_UNWIND */

/* ===== >>generate: counters and code map become a profile ========================================================== */

#ifndef CSSPGO_NO_GENERATE

/* All zero: every context (no trimming, merging or pre-inlining), frames that tail calls lost are inferred. */
typedef struct csspgo_generate_options {
    uint32_t no_inference;        /* 1: do not infer frames lost by tail calls                                          */
    uint32_t max_search_depth;    /* of that inference, in frames; 0 = 256                                              */
    uint32_t sampled_functions;   /* 1: probes count only below functions that were sampled, as in llvm-profgen 19      */
    uint32_t fill_all_functions;  /* 1: context-less: zero counts for every function of the map, not just sampled ones  */
} csspgo_generate_options;

/*
 * Adds what a collector has counted since the last such call to a profile, per probe, and starts counting anew.
 *
 *   p     gets contexts [a:1 @ b] with their counts, or, from a context-less collector, functions with nested inlinees
 *   how   NULL = defaults
 *
 * Returns   CSSPGO_OK; E_ARGUMENT if p holds the other kind of profile; E_NOMEM, E_LIMIT (p and c are as before the call)
 * Cost      O(counters log counters + probes in sampled ranges)
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
    uint64_t h = seed ^ (uint64_t)size * UINT64_C(0x9E3779B97F4A7C15), w = 0;
    unsigned shift;
    for (; size >= 8; size -= 8, p += 8) {
        h = (h ^ csspgo__ld64le(p)) * UINT64_C(0xD6E8FEB86659FD93);
        h ^= h >> 32;
    }
    for (shift = 0; size != 0; size--, p++, shift += 8) w |= (uint64_t)*p << shift;
    return csspgo__hash64(h, w);
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
CSSPGO__UNUSED static csspgo_status csspgo__error(csspgo_error *err, csspgo_status status, uint64_t offset, const char *text)
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
 * Returns NULL (and leaves old and *cap alone) when memory or the limit is exhausted.
 */
static void *csspgo__grow(csspgo__heap *h, void *old, size_t count, size_t *cap, size_t need, size_t elem)
{
    size_t n = *cap + *cap / 2;
    void *p;
    if (n < need) n = need;
    if (n < 8) n = 8;
    h->status = CSSPGO_E_LIMIT;
    if (n > SIZE_MAX / elem) return NULL;
    p = csspgo__alloc(h, n * elem);
    if (p == NULL && n > need && need <= SIZE_MAX / elem) p = csspgo__alloc(h, (n = need) * elem);
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

/* ----- hash table: hash -> id; what a key is, its user compares ---------------------------------------------------- */

typedef struct csspgo__slot {
    uint32_t hash, id;            /* id 0 = free */
} csspgo__slot;

typedef struct csspgo__map {
    csspgo__slot *slot;           /* mask + 1 of them, at most 3/4 in use; NULL when empty */
    uint32_t      mask, count;
} csspgo__map;

/* Room for one more entry. Returns 0 when memory is exhausted. */
static int csspgo__map_reserve(csspgo__heap *h, csspgo__map *m)
{
    csspgo__slot *slot;
    uint32_t i, k, mask = m->slot != NULL ? m->mask * 2 + 1 : 63;
    if (m->slot != NULL && m->count < m->mask / 4 * 3) return 1;
    h->status = CSSPGO_E_LIMIT;
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

/* ----- sort: stable, O(n log n), n elements of scratch ------------------------------------------------------------- */

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

/* Returns 0 when memory for the scratch copy is exhausted (v unchanged). No memory is needed if v is in order. */
CSSPGO__UNUSED static int csspgo__sort(csspgo__heap *h, void *v, size_t n, size_t elem, csspgo__cmp_fn cmp,
                                       const void *ctx)
{
    unsigned char *a = (unsigned char *)v, *b, *scratch;
    size_t width, i;
    if (csspgo__is_sorted(a, n, elem, cmp, ctx)) return 1;
    b = scratch = (unsigned char *)csspgo__alloc(h, n * elem);
    if (b == NULL) return 0;
    for (width = 1; width < n; width *= 2) {
        unsigned char *t = a;
        for (i = 0; i < n; i += 2 * width) {
            const size_t m = width < n - i ? i + width : n, e = width < n - m ? m + width : n;
            csspgo__merge_runs(a, b, i, m, e, elem, cmp, ctx);
        }
        a = b;
        b = t;
    }
    if (a == scratch) memcpy(v, a, n * elem);
    csspgo__free(h, scratch, n * elem);
    return 1;
}

/* ----- MD5 (RFC 1321) and names ------------------------------------------------------------------------------------ */

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

/* Names are numbered from 1. One is found by its text or by its GUID, whichever way it was put in; it may have both. */
enum { CSSPGO__HAS_TEXT = 1, CSSPGO__HAS_GUID = 2 };

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

static int csspgo__name_reserve(csspgo__heap *h, csspgo__names *t, size_t text)
{
    void *p;
    if (t->count + 2 > t->cap) {
        p = csspgo__grow(h, t->name, t->count != 0 ? t->count + 1 : 0, &t->cap, t->count + 2, sizeof *t->name);
        if (p == NULL) return 0;
        t->name = (csspgo__name *)p;
    }
    h->status = CSSPGO_E_LIMIT;
    if (text > UINT32_MAX - t->text_size || t->count >= 0x7ffffffeu) return 0;
    if (t->text_size + text > t->text_cap || t->text == NULL) {
        p = csspgo__grow(h, t->text, t->text_size, &t->text_cap, t->text_size + text, 1);
        if (p == NULL) return 0;
        t->text = (char *)p;
    }
    return csspgo__map_reserve(h, &t->by_text) && csspgo__map_reserve(h, &t->by_guid);
}

static void csspgo__name_set_text(csspgo__names *t, csspgo__name *n, const char *text, size_t size)
{
    n->text = (uint32_t)t->text_size;
    n->size = (uint32_t)size;
    n->flags |= CSSPGO__HAS_TEXT;
    if (size != 0) memcpy(t->text + t->text_size, text, size);
    t->text_size += size;
}

static uint32_t csspgo__names_find(const csspgo__heap *h, const csspgo__names *t, const char *text, size_t size)
{
    const uint32_t hash = (uint32_t)csspgo__hash_bytes(text, size, h->seed);
    uint32_t id, at = hash;
    while ((id = csspgo__map_next(&t->by_text, hash, &at)) != 0) {
        const csspgo__name *n = &t->name[id];
        if (n->size == size && (size == 0 || memcmp(t->text + n->text, text, size) == 0)) return id;
    }
    return 0;
}

/* Finds or adds. Returns 0 when memory is exhausted (h->status says why). */
static uint32_t csspgo__names_intern(csspgo__heap *h, csspgo__names *t, const char *text, size_t size)
{
    uint32_t id = csspgo__names_find(h, t, text, size);
    if (id != 0) return id;
    if (!csspgo__name_reserve(h, t, size)) return 0;
    id = (uint32_t)++t->count;
    memset(&t->name[id], 0, sizeof t->name[id]);
    csspgo__name_set_text(t, &t->name[id], text, size);
    csspgo__map_insert(&t->by_text, (uint32_t)csspgo__hash_bytes(text, size, h->seed), id);
    return id;
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
    if (!csspgo__name_reserve(h, t, size)) return 0;
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
/* The whole file in *data (allocated, *size bytes of *cap used); E_IO names the path. */
CSSPGO__UNUSED static csspgo_status csspgo__file_read(csspgo__heap *h, const char *path, unsigned char **data,
                                                      size_t *size, size_t *cap, csspgo_error *err)
{
    FILE *f = fopen(path, "rb");
    csspgo_status s = CSSPGO_OK;
    *data = NULL;
    *size = *cap = 0;
    while (f != NULL && s == CSSPGO_OK) {
        size_t got;
        if (*size == *cap) {
            void *p = csspgo__grow(h, *data, *size, cap, *size + 65536, 1);
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

/* ----- the node tree, shared by profiles (sites are locations) and the unwinder (sites are code positions) --------- */

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

/* Finds or makes. Returns 0 when memory is exhausted. */
static uint32_t csspgo__tree_add(csspgo__heap *h, csspgo__tree *t, uint32_t parent, uint64_t site, uint32_t func)
{
    uint32_t id = csspgo__tree_find(t, h->seed, parent, site, func);
    csspgo__node *n;
    if (id != 0) return id;
    if (!csspgo__map_reserve(h, &t->map)) return 0;
    if (t->count + 2 > t->cap) {
        void *p = csspgo__grow(h, t->node, t->count + 1, &t->cap, t->count + 2, sizeof *t->node);
        if (p == NULL) return 0;
        t->node = (csspgo__node *)p;
    }
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

/* ----- records: counts of a node, in runs of three shared arrays ---------------------------------------------------- */

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
    csspgo__pool    body, target;
    uint32_t        flags;
    uint64_t        dropped_by_checksum;   /* sum of the totals that csspgo_add_profile dropped */
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

/*
 * Makes a hole for one element at index i of a run. A run at the pool's end grows in place; another one that is full
 * moves to the end, doubled: at most half of a pool is waste. Returns NULL when memory is exhausted.
 */
static void *csspgo__run_insert(csspgo__heap *h, csspgo__pool *pool, csspgo__run *run, size_t i, size_t elem)
{
    const size_t n = csspgo__run_count(*run), cap = csspgo__run_cap(*run);
    unsigned char *at;
    if (n == cap) {
        const int last = n == 0 || run->begin + cap == pool->count;
        size_t room = 1;
        while (!last && room < n + 1) room *= 2;
        h->status = CSSPGO_E_LIMIT;
        if (room > 0x7fffffffu - pool->count) return NULL;
        if (pool->count + room > pool->cap) {
            void *p = csspgo__grow(h, pool->data, pool->count, &pool->cap, pool->count + room, elem);
            if (p == NULL) return NULL;
            pool->data = (unsigned char *)p;
        }
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

static const csspgo_body *csspgo__body(const csspgo_profile *p, const csspgo__record *r)
{
    return (const csspgo_body *)(const void *)p->body.data + r->body.begin;
}

static const csspgo_target *csspgo__target(const csspgo_profile *p, const csspgo__record *r)
{
    return (const csspgo_target *)(const void *)p->target.data + r->target.begin;
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

/* Index of the first body entry of r at or after loc. */
static size_t csspgo__body_lower(const csspgo_profile *p, const csspgo__record *r, csspgo_loc loc)
{
    const csspgo_body *v = csspgo__body(p, r);
    size_t a = 0, b = csspgo__run_count(r->body);
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (csspgo__loc_key(v[m].loc) < csspgo__loc_key(loc)) a = m + 1;
        else b = m;
    }
    return a;
}

static size_t csspgo__target_lower(const csspgo_profile *p, const csspgo__record *r, csspgo_loc loc, uint32_t func)
{
    const csspgo_target *v = csspgo__target(p, r);
    size_t a = 0, b = csspgo__run_count(r->target);
    while (a < b) {
        const size_t m = a + (b - a) / 2;
        if (csspgo__target_less(&v[m], loc, func)) a = m + 1;
        else b = m;
    }
    return a;
}

/* The sum in *count; 1 if it had to be clamped. */
static int csspgo__count_add(uint64_t *count, uint64_t more)
{
    const int clamped = more > UINT64_MAX - *count;
    *count = csspgo__sat_add(*count, more);
    return clamped;
}

/* Adds to the entry at loc, in order. Returns -1 when memory is exhausted, 1 if the sum was clamped, else 0. */
static int csspgo__body_add(csspgo_profile *p, csspgo__record *r, csspgo_loc loc, uint64_t count)
{
    const size_t i = csspgo__body_lower(p, r, loc);
    csspgo_body *b = (csspgo_body *)(void *)p->body.data + r->body.begin + i;
    if (i < csspgo__run_count(r->body) && csspgo__loc_key(b->loc) == csspgo__loc_key(loc))
        return csspgo__count_add(&b->count, count);
    b = (csspgo_body *)csspgo__run_insert(&p->heap, &p->body, &r->body, i, sizeof *b);
    if (b == NULL) return -1;
    b->loc = loc;
    b->count = count;
    return 0;
}

static csspgo_target *csspgo__target_insert(csspgo_profile *p, csspgo__record *r, size_t i, csspgo_loc loc,
                                            uint32_t func, uint64_t count)
{
    csspgo_target *t = (csspgo_target *)csspgo__run_insert(&p->heap, &p->target, &r->target, i, sizeof *t);
    if (t == NULL) return NULL;
    t->loc = loc;
    t->func.id = func;
    t->reserved = 0;
    t->count = count;
    return t;
}

static int csspgo__target_add(csspgo_profile *p, csspgo__record *r, csspgo_loc loc, uint32_t func, uint64_t count)
{
    const size_t i = csspgo__target_lower(p, r, loc, func);
    csspgo_target *t = (csspgo_target *)(void *)p->target.data + r->target.begin + i;
    if (i < csspgo__run_count(r->target) && t->func.id == func && csspgo__loc_key(t->loc) == csspgo__loc_key(loc))
        return csspgo__count_add(&t->count, count);
    return csspgo__target_insert(p, r, i, loc, func, count) != NULL ? 0 : -1;
}

/*
 * For readers, whose input sets the order: O(1) at the end of a run. What comes out of order makes the record dirty, and
 * csspgo__settle must put it in order (and add up equal entries) before anyone else sees it. Returns as csspgo__body_add.
 */
CSSPGO__UNUSED static int csspgo__body_append(csspgo_profile *p, csspgo__record *r, csspgo_loc loc, uint64_t count)
{
    const size_t n = csspgo__run_count(r->body);
    const csspgo_body *last = csspgo__body(p, r) + n - 1;
    csspgo_body *b;
    if (n != 0 && csspgo__loc_key(last->loc) >= csspgo__loc_key(loc)) {
        if (n < 64 && !(r->flags & CSSPGO__DIRTY)) return csspgo__body_add(p, r, loc, count);
        r->flags |= CSSPGO__DIRTY;
    }
    b = (csspgo_body *)csspgo__run_insert(&p->heap, &p->body, &r->body, n, sizeof *b);
    if (b == NULL) return -1;
    b->loc = loc;
    b->count = count;
    return 0;
}

CSSPGO__UNUSED static int csspgo__target_append(csspgo_profile *p, csspgo__record *r, csspgo_loc loc, uint32_t func,
                                                uint64_t count)
{
    const size_t n = csspgo__run_count(r->target);
    if (n != 0 && !csspgo__target_less(csspgo__target(p, r) + n - 1, loc, func)) {
        if (n < 64 && !(r->flags & CSSPGO__DIRTY)) return csspgo__target_add(p, r, loc, func, count);
        r->flags |= CSSPGO__DIRTY;
    }
    return csspgo__target_insert(p, r, n, loc, func, count) != NULL ? 0 : -1;
}

static int csspgo__body_cmp(const void *ctx, const void *a, const void *b)
{
    const uint64_t x = csspgo__loc_key(((const csspgo_body *)a)->loc), y = csspgo__loc_key(((const csspgo_body *)b)->loc);
    (void)ctx;
    return x < y ? -1 : x > y;
}

static int csspgo__target_cmp(const void *ctx, const void *a, const void *b)
{
    const csspgo_target *x = (const csspgo_target *)a, *y = (const csspgo_target *)b;
    (void)ctx;
    return csspgo__target_less(x, y->loc, y->func.id) ? -1 : csspgo__target_less(y, x->loc, x->func.id);
}

/* Puts a dirty record in order. Returns -1 when memory is exhausted, 1 if a sum was clamped, else 0. */
CSSPGO__UNUSED static int csspgo__settle(csspgo_profile *p, csspgo__record *r)
{
    csspgo_body *b = (csspgo_body *)(void *)p->body.data + r->body.begin;
    csspgo_target *t = (csspgo_target *)(void *)p->target.data + r->target.begin;
    const size_t nb = csspgo__run_count(r->body), nt = csspgo__run_count(r->target);
    size_t i, k;
    int clamped = 0;
    if (!(r->flags & CSSPGO__DIRTY)) return 0;
    if (!csspgo__sort(&p->heap, b, nb, sizeof *b, csspgo__body_cmp, NULL)) return -1;
    if (!csspgo__sort(&p->heap, t, nt, sizeof *t, csspgo__target_cmp, NULL)) return -1;
    for (i = k = 0; i < nb; i++) {
        if (k != 0 && csspgo__body_cmp(NULL, &b[k - 1], &b[i]) == 0) clamped |= csspgo__count_add(&b[k - 1].count, b[i].count);
        else b[k++] = b[i];
    }
    r->body.size -= (uint32_t)(nb - k);
    for (i = k = 0; i < nt; i++) {
        if (k != 0 && csspgo__target_cmp(NULL, &t[k - 1], &t[i]) == 0) clamped |= csspgo__count_add(&t[k - 1].count, t[i].count);
        else t[k++] = t[i];
    }
    r->target.size -= (uint32_t)(nt - k);
    r->flags &= (uint16_t)~CSSPGO__DIRTY;
    return clamped;
}

/* ----- nodes of a profile ------------------------------------------------------------------------------------------ */

/* csspgo__node.site of a profile: bits 0-31 discriminator, 32-47 line, 48-49 kind. */
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

CSSPGO_DEF csspgo_profile *csspgo_profile_new(const csspgo_options *options)
{
    csspgo_profile *p = (csspgo_profile *)csspgo__object_new(options, sizeof *p);
    if (p == NULL) return NULL;
    if (csspgo__tree_init(&p->heap, &p->tree)) return p;
    csspgo_profile_free(p);
    return NULL;
}

CSSPGO_DEF void csspgo_profile_free(csspgo_profile *p)
{
    if (p == NULL) return;
    csspgo__names_free(&p->heap, &p->names);
    csspgo__free(&p->heap, p->func, p->func_cap * sizeof *p->func);
    csspgo__tree_free(&p->heap, &p->tree);
    csspgo__free(&p->heap, p->record, p->record_cap * sizeof *p->record);
    csspgo__free(&p->heap, p->body.data, p->body.cap * sizeof(csspgo_body));
    csspgo__free(&p->heap, p->target.data, p->target.cap * sizeof(csspgo_target));
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

/* Room in func for one name more than there is, so that interning cannot leave it behind. */
static int csspgo__func_reserve(csspgo_profile *p)
{
    const size_t need = p->names.count + 2, had = p->func_cap;
    void *f;
    if (need <= had) return 1;
    f = csspgo__grow(&p->heap, p->func, had, &p->func_cap, need, sizeof *p->func);
    if (f == NULL) return 0;
    p->func = (csspgo__run *)f;
    memset(p->func + had, 0, (p->func_cap - had) * sizeof *p->func);
    return 1;
}

CSSPGO_DEF csspgo_func csspgo_func_add(csspgo_profile *p, const char *name, size_t size)
{
    csspgo_func f;
    f.id = 0;
    p->heap.status = CSSPGO_E_LIMIT;
    if (size > p->heap.limits.max_name || !csspgo__func_reserve(p)) return f;
    f.id = csspgo__names_intern(&p->heap, &p->names, name, size);
    return f;
}

CSSPGO_DEF csspgo_func csspgo_func_add_guid(csspgo_profile *p, uint64_t guid)
{
    csspgo_func f;
    f.id = csspgo__func_reserve(p) ? csspgo__names_bind(&p->heap, &p->names, guid, NULL, 0) : 0;
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
    if (loc.line > 0xffff) return csspgo__node_handle(0);
    return csspgo__node_handle(
        csspgo__tree_find(&p->tree, p->heap.seed, parent.id, csspgo__site(loc, kind), func.id));
}

/* A context frame hangs below the root or another one, an inlinee below any function, a plain function below the root. */
static int csspgo__may_hang(const csspgo_profile *p, csspgo_node parent, csspgo_loc loc, csspgo_node_kind kind)
{
    const int top = parent.id == CSSPGO__ROOT;
    if (parent.id == 0 || parent.id > p->tree.count || loc.line > 0xffff) return 0;
    if (top) return kind != CSSPGO_INLINEE && loc.line == 0 && loc.discriminator == 0;
    if (kind == CSSPGO_CONTEXT) return csspgo__site_kind(p->tree.node[parent.id].site) == CSSPGO_CONTEXT;
    return kind == CSSPGO_INLINEE;
}

CSSPGO_DEF csspgo_node csspgo_node_add(csspgo_profile *p, csspgo_node parent, csspgo_loc loc, csspgo_node_kind kind,
                                       csspgo_func func)
{
    const size_t had = p->tree.count;
    uint32_t id;
    if (!csspgo__func_ok(p, func) || !csspgo__may_hang(p, parent, loc, kind)) return csspgo__node_handle(0);
    id = csspgo__tree_add(&p->heap, &p->tree, parent.id, csspgo__site(loc, kind), func.id);
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
    return csspgo__site_loc(csspgo__at_node(p, node)->site);
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
    return (uint32_t)p->records;
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

/* ----- counts of a node -------------------------------------------------------------------------------------------- */

/* The record of a node, or an empty one. */
static const csspgo__record *csspgo__record_at(const csspgo_profile *p, csspgo_node node)
{
    static const csspgo__record none = { 0, 0, 0, { 0, 0 }, { 0, 0 }, 0, 0, 0 };
    const uint32_t id = csspgo__at_node(p, node)->record;
    return id != 0 ? &p->record[id] : &none;
}

/* The record of a node, made if need be; NULL when memory is exhausted. Valid until the next one is made. */
static csspgo__record *csspgo__record_make(csspgo_profile *p, uint32_t node)
{
    uint32_t id = p->tree.node[node].record;
    if (id != 0) return &p->record[id];
    if (p->records + 2 > p->record_cap) {
        const size_t used = p->records != 0 ? p->records + 1 : 0;
        void *r = csspgo__grow(&p->heap, p->record, used, &p->record_cap, p->records + 2, sizeof *p->record);
        if (r == NULL) return NULL;
        p->record = (csspgo__record *)r;
    }
    id = (uint32_t)++p->records;
    memset(&p->record[id], 0, sizeof p->record[id]);
    p->tree.node[node].record = id;
    return &p->record[id];
}

/* As csspgo__record_make, for public calls: *status says what is wrong when NULL comes back. */
static csspgo__record *csspgo__record_open(csspgo_profile *p, csspgo_node node, csspgo_loc loc, csspgo_status *status)
{
    csspgo__record *r;
    *status = CSSPGO_E_ARGUMENT;
    if (node.id <= CSSPGO__ROOT || node.id > p->tree.count || loc.line > 0xffff) return NULL;
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
    return *count != 0 ? csspgo__body(p, r) : NULL;
}

CSSPGO_DEF const csspgo_target *csspgo_targets(const csspgo_profile *p, csspgo_node node, size_t *count)
{
    const csspgo__record *r = csspgo__record_at(p, node);
    *count = csspgo__run_count(r->target);
    return *count != 0 ? csspgo__target(p, r) : NULL;
}

CSSPGO_DEF uint64_t csspgo_body_count(const csspgo_profile *p, csspgo_node node, csspgo_loc loc)
{
    const csspgo__record *r = csspgo__record_at(p, node);
    const size_t i = csspgo__body_lower(p, r, loc);
    if (i == csspgo__run_count(r->body)) return 0;
    return csspgo__loc_key(csspgo__body(p, r)[i].loc) == csspgo__loc_key(loc) ? csspgo__body(p, r)[i].count : 0;
}

CSSPGO_DEF uint64_t csspgo_target_count(const csspgo_profile *p, csspgo_node node, csspgo_loc loc, csspgo_func func)
{
    const csspgo__record *r = csspgo__record_at(p, node);
    const size_t i = csspgo__target_lower(p, r, loc, func.id);
    const csspgo_target *t = csspgo__target(p, r) + i;
    if (i == csspgo__run_count(r->target) || t->func.id != func.id) return 0;
    return csspgo__loc_key(t->loc) == csspgo__loc_key(loc) ? t->count : 0;
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

/* ----- two profiles ------------------------------------------------------------------------------------------------ */

/* The function of p that is function id of q; 0 if p has none and make is 0, or memory is exhausted. */
static uint32_t csspgo__func_same(csspgo_profile *p, const csspgo_profile *q, uint32_t id)
{
    const csspgo__name *n = &q->names.name[id];
    if (!(n->flags & CSSPGO__HAS_TEXT)) return csspgo_func_add_guid(p, n->guid).id;
    return csspgo_func_add(p, q->names.text + n->text, n->size).id;
}

/* map[id of q] = id in p (or 0), for functions. */
static uint32_t csspgo__func_lookup(const csspgo_profile *p, const csspgo_profile *q, uint32_t id)
{
    const csspgo__name *n = &q->names.name[id];
    if (!(n->flags & CSSPGO__HAS_TEXT)) return csspgo__names_find_guid(&p->heap, &p->names, n->guid);
    return csspgo__names_find(&p->heap, &p->names, q->names.text + n->text, n->size);
}

/* Adds record r of q to the record of p's node. map: functions of q -> p. A node whose checksum loses adds nothing. */
static csspgo_status csspgo__record_merge(csspgo_profile *p, uint32_t node, const csspgo_profile *q,
                                          const csspgo__record *r, const uint32_t *map)
{
    csspgo__record *to = csspgo__record_make(p, node);
    size_t i;
    if (to == NULL) return p->heap.status;
    to->attributes |= r->attributes;
    if (to->checksum != r->checksum && csspgo__run_count(to->body) + to->total + to->head != 0) {
        const int keep = to->checksum > r->checksum;
        csspgo__count_add(&p->dropped_by_checksum, keep ? r->total : to->total);
        if (keep) return CSSPGO_OK;
        to->total = to->head = 0;
        to->body.size = to->target.size = 0;
    }
    if (to->checksum < r->checksum) to->checksum = r->checksum;
    csspgo__count_add(&to->total, r->total);
    csspgo__count_add(&to->head, r->head);
    for (i = 0; i < csspgo__run_count(r->body); i++) {
        const csspgo_body *b = csspgo__body(q, r) + i;
        if (csspgo__body_add(p, to, b->loc, b->count) < 0) return p->heap.status;
    }
    for (i = 0; i < csspgo__run_count(r->target); i++) {
        const csspgo_target *t = csspgo__target(q, r) + i;
        if (csspgo__target_add(p, to, t->loc, map[t->func.id], t->count) < 0) return p->heap.status;
    }
    return CSSPGO_OK;
}

CSSPGO_DEF csspgo_status csspgo_add_profile(csspgo_profile *p, const csspgo_profile *from)
{
    const size_t nf = from->names.count + 1, nn = from->tree.count + 1;
    uint32_t *map = (uint32_t *)csspgo__alloc(&p->heap, (nf + nn) * sizeof *map), *at = map + nf, i;
    csspgo_status s = map != NULL ? CSSPGO_OK : p->heap.status;
    if (map == NULL) return s;
    for (i = 1; i < nf && s == CSSPGO_OK; i++) {
        map[i] = csspgo__func_same(p, from, i);
        if (map[i] == 0) s = p->heap.status;
    }
    at[CSSPGO__ROOT] = CSSPGO__ROOT;
    for (i = 2; i < nn && s == CSSPGO_OK; i++) {      /* a parent has a smaller id than its children */
        const csspgo__node *n = &from->tree.node[i];
        csspgo_func f;
        f.id = map[n->func];
        at[i] = csspgo_node_add(p, csspgo__node_handle(at[n->parent]), csspgo__site_loc(n->site),
                                csspgo__site_kind(n->site), f).id;
        if (at[i] == 0) s = p->heap.status;
        else if (n->record != 0) s = csspgo__record_merge(p, at[i], from, &from->record[n->record], map);
    }
    if (s == CSSPGO_OK) p->flags |= from->flags;
    csspgo__free(&p->heap, map, (nf + nn) * sizeof *map);
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
        const uint32_t f = csspgo__func_lookup(q, p, x->func.id);
        const size_t k = csspgo__target_lower(q, b, x->loc, f);
        if (f == 0 || k == nt) return 0;
        y = csspgo__target(q, b) + k;
        if (y->func.id != f || csspgo__loc_key(y->loc) != csspgo__loc_key(x->loc) || y->count != x->count) return 0;
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

/* Walks p in pre-order with b in step, the node of q on the same path. */
CSSPGO_DEF int csspgo_equal(const csspgo_profile *p, const csspgo_profile *q)
{
    const csspgo__node *v = p->tree.node;
    uint32_t a = CSSPGO__ROOT, b = CSSPGO__ROOT, up = CSSPGO__ROOT, descend = 1;
    if (p->flags != q->flags || p->records != q->records) return 0;
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
        b = csspgo__tree_find(&q->tree, q->heap.seed, up, v[a].site, csspgo__func_lookup(q, p, v[a].func));
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
    const csspgo_body *b = csspgo__body(p, r);
    const csspgo_target *t = csspgo__target(p, r);
    size_t i;
    if (!csspgo__run_valid(&p->body, r->body) || !csspgo__run_valid(&p->target, r->target)) return "a run leaves its pool";
    if (r->flags & CSSPGO__DIRTY) return "a record is dirty";
    for (i = 0; i < csspgo__run_count(r->body); i++) {
        if (b[i].loc.line > 0xffff) return "a line offset is above 65535";
        if (i != 0 && csspgo__body_cmp(NULL, &b[i - 1], &b[i]) >= 0) return "body entries are out of order";
    }
    for (i = 0; i < csspgo__run_count(r->target); i++) {
        size_t k;
        if (i != 0 && csspgo__target_cmp(NULL, &t[i - 1], &t[i]) >= 0) return "call targets are out of order";
        if (!csspgo__func_ok(p, t[i].func)) return "a call target has no function";
        k = csspgo__body_lower(p, r, t[i].loc);
        if (k == csspgo__run_count(r->body) || csspgo__loc_key(b[k].loc) != csspgo__loc_key(t[i].loc))
            return "a call target has no body entry";
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
    if (n->site >> 50 != 0 || csspgo__site_kind(n->site) > CSSPGO_PLAIN) return "a node's site has unknown bits";
    if (!csspgo__may_hang(p, csspgo__node_handle(n->parent), csspgo__site_loc(n->site), csspgo__site_kind(n->site)))
        return "a node of this kind cannot hang below its parent";
    if (csspgo__tree_find(&p->tree, p->heap.seed, n->parent, n->site, n->func) != id) return "a node is not unique";
    if (n->record > p->records) return "a record number is out of range";
    return n->record != 0 ? csspgo__record_check(p, &p->record[n->record]) : NULL;
}

CSSPGO_DEF csspgo_status csspgo_validate(const csspgo_profile *p, csspgo_error *err)
{
    uint32_t id, walked = 0;
    size_t same = 0, i;
    csspgo__error_clear(err);
    for (id = 2; id <= p->tree.count; id++) {
        const char *broken = csspgo__node_check(p, id);
        if (broken == NULL) continue;
        csspgo__error(err, CSSPGO_E_ARGUMENT, 0, broken);
        csspgo__say(err, ": node ");
        csspgo__say_u64(err, id);
        return CSSPGO_E_ARGUMENT;
    }
    for (id = CSSPGO__ROOT; id != 0 && walked <= p->tree.count; id = csspgo__tree_walk(&p->tree, id)) walked++;
    for (i = 1; i <= p->names.count; i++)
        for (id = p->func[i].begin; id != 0 && same <= p->tree.count; id = p->tree.node[id].same) same++;
    if (walked == p->tree.count && same + 1 == p->tree.count) return CSSPGO_OK;
    return csspgo__error(err, CSSPGO_E_ARGUMENT, 0, "the chains of siblings or of a function's nodes are broken");
}

/* ----- orders that outputs need -------------------------------------------------------------------------------------- */

typedef struct csspgo__order {
    uint32_t *rank;               /* of a function among all names: 1 = first; [names.count + 1]                     */
    uint32_t *node;               /* all nodes but the root, every one before its children, siblings in order; [nodes] */
    size_t    nodes;
    size_t    bytes;              /* of the one allocation behind both                                               */
} csspgo__order;

static int csspgo__name_rank_cmp(const void *ctx, const void *a, const void *b)
{
    const csspgo_profile *p = (const csspgo_profile *)ctx;
    return csspgo__name_cmp(&p->names, *(const uint32_t *)a, *(const uint32_t *)b);
}

typedef struct csspgo__sibling_ctx {
    const csspgo_profile *p;
    const uint32_t *rank;
} csspgo__sibling_ctx;

/* Siblings together, and among them: kind (plain, context, inlinee), location, name. */
static int csspgo__sibling_cmp(const void *ctx, const void *a, const void *b)
{
    const csspgo__sibling_ctx *c = (const csspgo__sibling_ctx *)ctx;
    const csspgo__node *x = &c->p->tree.node[*(const uint32_t *)a], *y = &c->p->tree.node[*(const uint32_t *)b];
    const uint64_t s = x->site, t = y->site;
    if (x->parent != y->parent) return x->parent < y->parent ? -1 : 1;
    if (s != t) {
        const unsigned k = (unsigned)(s >> 48) ^ 2u, m = (unsigned)(t >> 48) ^ 2u;
        if (k != m) return k < m ? -1 : 1;
        return s < t ? -1 : 1;
    }
    return c->rank[x->func] < c->rank[y->func] ? -1 : c->rank[x->func] > c->rank[y->func];
}

static void csspgo__order_free(csspgo_profile *p, csspgo__order *o)
{
    csspgo__free(&p->heap, o->rank, o->bytes);
    memset(o, 0, sizeof *o);
}

/* rank[id] = place of the name among all, from 1. ids: scratch of names.count elements. */
static int csspgo__rank_names(csspgo_profile *p, uint32_t *rank, uint32_t *ids)
{
    const size_t n = p->names.count;
    uint32_t i;
    for (i = 0; i < n; i++) ids[i] = i + 1;
    if (!csspgo__sort(&p->heap, ids, n, sizeof *ids, csspgo__name_rank_cmp, p)) return 0;
    rank[0] = 0;
    for (i = 0; i < n; i++) rank[ids[i]] = i + 1;
    return 1;
}

/*
 * Fills out with all nodes but the root in pre-order. sorted: the same nodes by csspgo__sibling_cmp; a node's children
 * are the stretch that begins at first[node]. stack: room for every node.
 */
static void csspgo__preorder(const csspgo__tree *t, const uint32_t *sorted, uint32_t *first, uint32_t *stack,
                             uint32_t *out)
{
    const size_t n = t->count - 1;
    size_t i, top = 0, k = 0;
    for (i = n; i-- > 0;) first[t->node[sorted[i]].parent] = (uint32_t)i;
    stack[top++] = CSSPGO__ROOT;
    while (top != 0) {
        const uint32_t id = stack[--top];
        size_t end;
        if (id != CSSPGO__ROOT) out[k++] = id;
        if (t->node[id].child == 0) continue;
        for (end = first[id]; end < n && t->node[sorted[end]].parent == id; end++) {}
        while (end-- > first[id]) stack[top++] = sorted[end];
    }
}

/* Ranks of names and the nodes in context order: frame by frame by location and name, prefixes first. O(n log n). */
CSSPGO__UNUSED static csspgo_status csspgo__order_make(csspgo_profile *p, csspgo__order *o)
{
    const size_t nf = p->names.count + 1, nn = p->tree.count + 1, bytes = (nf + 3 * nn) * sizeof(uint32_t);
    uint32_t *scratch = (uint32_t *)csspgo__alloc(&p->heap, bytes), i;
    csspgo__sibling_ctx ctx;
    int ok;
    memset(o, 0, sizeof *o);
    if (scratch == NULL) return p->heap.status;
    o->bytes = (nf + nn) * sizeof(uint32_t);
    o->rank = (uint32_t *)csspgo__alloc(&p->heap, o->bytes);
    ok = o->rank != NULL && csspgo__rank_names(p, o->rank, scratch);
    if (ok) {
        o->node = o->rank + nf;
        o->nodes = nn - 2;
        ctx.p = p;
        ctx.rank = o->rank;
        for (i = 2; i < nn; i++) scratch[i - 2] = i;
        ok = csspgo__sort(&p->heap, scratch, o->nodes, sizeof *scratch, csspgo__sibling_cmp, &ctx);
    }
    if (ok) csspgo__preorder(&p->tree, scratch, scratch + nn, scratch + 2 * nn, o->node);
    csspgo__free(&p->heap, scratch, bytes);
    if (ok) return CSSPGO_OK;
    csspgo__order_free(p, o);
    return p->heap.status;
}

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
    uint32_t         *by_pos;     /* indices of probes, by (pos, index)                                  */
    csspgo__transfer *far_call;   /* kind = bytes back to the call, where 4 bits are too few; by pos     */
    size_t areas, area_cap, windows, window_cap, modules, module_cap, segments, segment_cap, transfers, transfer_cap;
    size_t stops, stop_cap, ranges, range_cap, nodes, node_cap, probes, probe_cap, by_poss, by_pos_cap;
    size_t far_calls, far_call_cap;
    int    dirty;                 /* csspgo__code_settle has something to do                             */
};

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
    size_t i;
    if (back != CSSPGO__CALL_FAR) return back != 0 ? pos - back : 0;
    for (i = 0; i < c->far_calls; i++)
        if (c->far_call[i].pos == pos) return pos - c->far_call[i].kind;
    return 0;
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

/* Makes `pos` the instruction after the call at call. */
static csspgo_status csspgo__mark_after_call(csspgo_code *c, uint32_t call, uint32_t pos)
{
    const uint32_t back = pos - call < CSSPGO__CALL_FAR ? pos - call : (uint32_t)CSSPGO__CALL_FAR;
    if (back == CSSPGO__CALL_FAR) {
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
    uint32_t first = csspgo__first_start(c, later), last;
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
    r = &c->range[c->ranges++];
    r->begin = pos;
    r->end = pos + (uint32_t)(f->end - f->begin);
    r->func = func;
    r->part = f->part;
    c->dirty = 1;
    return CSSPGO_OK;
}

CSSPGO_DEF csspgo_status csspgo_code_add_transfers(csspgo_code *c, csspgo_module module,
                                                   const csspgo_transfer *transfers, size_t count)
{
    size_t i;
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
        if (t->kind == CSSPGO_CALL && after == pos + t->size && t->size < CSSPGO__CALL_FAR)
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

CSSPGO_DEF csspgo_status csspgo_code_add_probes(csspgo_code *c, csspgo_module module, const csspgo_inline *inlines,
                                                size_t inline_count, const csspgo_probe *probes, size_t probe_count)
{
    const size_t node0 = c->nodes;
    size_t i;
    if (module.id > c->modules || inline_count > 0x7fffffffu - c->nodes || probe_count > 0x7fffffffu - c->probes)
        return CSSPGO_E_ARGUMENT;
    for (i = 0; i < inline_count; i++)
        if (inlines[i].parent > i) return CSSPGO_E_ARGUMENT;
    for (i = 0; i < probe_count; i++)
        if (probes[i].inline_node == 0 || probes[i].inline_node > inline_count) return CSSPGO_E_ARGUMENT;
    CSSPGO__ROOM(node, inline_count + 1);             /* node[0] is unused */
    CSSPGO__ROOM(probe, probe_count);
    CSSPGO__ROOM(by_pos, probe_count);
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
    c->dirty = 1;
    return CSSPGO_OK;
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
    csspgo__module *m;
    uint64_t delta;
    if (module.id == 0 || module.id > c->modules) return CSSPGO_E_ARGUMENT;
    m = &c->module[module.id];
    delta = bias - m->bias;
    m->mapped = 1;
    if (delta == 0) return CSSPGO_OK;
    csspgo__windows_move(c, module.id, delta);
    if (!csspgo__sort(&c->heap, c->window, c->windows, sizeof *c->window, csspgo__window_cmp, NULL)) {
        csspgo__windows_move(c, module.id, 0 - delta);
        return c->heap.status;
    }
    m->bias = bias;
    if (csspgo__windows_disjoint(c)) return CSSPGO_OK;
    csspgo_code_map(c, module, bias - delta);
    return CSSPGO_E_ARGUMENT;
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

/* Puts every table in order. To be called before any of the questions above, after anything was added. */
CSSPGO__UNUSED static csspgo_status csspgo__code_settle(csspgo_code *c)
{
    csspgo__heap *h = &c->heap;
    size_t i;
    if (!c->dirty) return CSSPGO_OK;
    if (!csspgo__sort(h, c->transfer, c->transfers, sizeof *c->transfer, csspgo__transfer_cmp, NULL)) return h->status;
    if (!csspgo__sort(h, c->stop, c->stops, sizeof *c->stop, csspgo__u32_cmp, NULL)) return h->status;
    if (!csspgo__sort(h, c->range, c->ranges, sizeof *c->range, csspgo__range_cmp, NULL)) return h->status;
    for (i = c->by_poss; i < c->probes; i++) c->by_pos[i] = (uint32_t)i;
    c->by_poss = c->probes;
    if (!csspgo__sort(h, c->by_pos, c->by_poss, sizeof *c->by_pos, csspgo__by_pos_cmp, c->probe)) return h->status;
    c->dirty = 0;
    return CSSPGO_OK;
}

/* ----- questions ----------------------------------------------------------------------------------------------------- */

CSSPGO_DEF csspgo_kind csspgo_code_kind(const csspgo_code *c, uint64_t address)
{
    return csspgo__kind(c, csspgo__pos(c, address));
}

CSSPGO_DEF uint64_t csspgo_code_call_before(const csspgo_code *c, uint64_t address)
{
    const uint32_t pos = csspgo__pos(c, address), call = csspgo__call_before(c, pos);
    return call != 0 ? address - (pos - call) : 0;
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
#ifndef CSSPGO_NO_CODE
/* placeholder until the decoder is there */
CSSPGO_DEF uint32_t csspgo_decode_x86_64(const void *code, size_t size, uint64_t address, csspgo_insn *out)
{ (void)code; (void)size; (void)address; memset(out, 0, sizeof *out); out->size = 1; return 1; }
CSSPGO_DEF uint32_t csspgo_decode_aarch64(const void *code, size_t size, uint64_t address, csspgo_insn *out)
{ (void)code; (void)size; (void)address; memset(out, 0, sizeof *out); out->size = 4; return 4; }
#endif

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
