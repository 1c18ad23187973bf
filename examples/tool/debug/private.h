/* private.h - what the readers of debug information share
 *
 * From below: table.c has the abbreviations of a unit, entry.c reads entries, names and ranges by them, file.c opens
 * programs, .dwo and .dwp files, unit.c finds units and the code of each, names.c the mangled names of symbols, and
 * paths.c the source files of functions.
 * rows.c reads the lines of a unit; stack.c makes inline stacks out of entries and rows; info.c opens and closes all of
 * it and lists functions. program.c, above them, knows what a program of the tool is. The interface is debug.h.
 */
#ifndef CSSPGO_TOOL_DEBUG_PRIVATE_H
#define CSSPGO_TOOL_DEBUG_PRIVATE_H

#include "debug.h"                /* first: it asks the system's headers for strndup */

/* ----- numbers, out of bytes that may end anywhere ---------------------------------------------------------------- */

typedef struct debug_bytes {
    const unsigned char *p, *end;
    int bad;                      /* a read went beyond the end */
} debug_bytes;

static inline debug_bytes debug_bytes_of(const unsigned char *p, size_t size)
{
    debug_bytes b;
    b.p = p;
    b.end = p + size;
    b.bad = 0;
    return b;
}

static inline void debug_skip(debug_bytes *b, uint64_t size)
{
    if ((uint64_t)(b->end - b->p) >= size) {
        b->p += size;
        return;
    }
    b->bad = 1;
    b->p = b->end;
}

/* An unsigned number of `size` bytes; of more than 8 the low ones count. */
static inline uint64_t debug_fixed(debug_bytes *b, size_t size)
{
    const unsigned char *const p = b->p;
    uint64_t v = 0;
    size_t i;
    debug_skip(b, size);
    if (b->bad) return 0;
    for (i = 0; i < size && i < 8; i++) v |= (uint64_t)p[i] << (8 * i);
    return v;
}

static inline uint64_t debug_leb(debug_bytes *b, int is_signed)
{
    uint64_t v = 0;
    unsigned shift = 0;
    unsigned char byte = 0x80;
    while (byte & 0x80) {
        if (b->p == b->end) {
            b->bad = 1;
            return 0;
        }
        byte = *b->p++;
        if (shift < 64) v |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    }
    if (is_signed && byte & 0x40 && shift < 64) v |= ~(uint64_t)0 << shift;
    return v;
}

/* The length at the beginning of a unit or table; narrows b to it. *wide: bytes of an offset. Returns 0: damaged. */
static inline int debug_length(debug_bytes *b, unsigned *wide)
{
    uint64_t length = debug_fixed(b, 4);
    *wide = length == 0xffffffff ? 8 : 4;
    if (*wide == 8) length = debug_fixed(b, 8);
    if (b->bad || length > (uint64_t)(b->end - b->p)) return 0;
    b->end = b->p + length;
    return 1;
}

/* ----- files, units, entries -------------------------------------------------------------------------------------- */

enum { DEBUG_COMPILE_UNIT = 0x11, DEBUG_INLINED = 0x1d, DEBUG_SUBPROGRAM = 0x2e };     /* debug_entry.tag */

enum { /* attributes that are read: places in debug_entry.value */
    AT_NAME, AT_LINKAGE, AT_LOW, AT_HIGH, AT_RANGES, AT_ORIGIN, AT_SPECIFICATION, AT_DECL_LINE, AT_CALL_LINE,
    AT_DISCRIMINATOR, AT_LINES, AT_DIRECTORY, AT_PRODUCER, AT_OFFSETS_BASE, AT_ADDRESS_BASE, AT_LISTS_BASE,
    AT_DWO_NAME, AT_DWO_ID, AT_RANGES_BASE, AT_DECL_FILE, AT_COUNT
};

enum { /* places in debug_file.section */
    SECTION_INFO, SECTION_ABBREV, SECTION_STR, SECTION_LINE_STR, SECTION_ADDR, SECTION_OFFSETS, SECTION_RANGES,
    SECTION_LISTS, SECTION_LINE, SECTION_ARANGES, SECTION_INDEX, SECTION_COUNT
};

typedef struct debug_section {
    const unsigned char *data;    /* size bytes, never NULL                                                       */
    size_t size;
    void  *copy;                  /* of a compressed one: what it was inflated into                               */
} debug_section;

typedef struct debug_op {         /* a step in reading an entry: an attribute that is wanted, or bytes to skip    */
    uint8_t  at;                  /* AT_NAME ..., or AT_COUNT: skip                                               */
    uint16_t form;                /* as DWARF numbers them; 0: skip `value` bytes                                 */
    uint32_t value;               /* of DW_FORM_implicit_const                                                    */
} debug_op;

typedef struct debug_abbreviation {
    uint64_t code;
    uint32_t first, count;        /* of debug_table.op                                                            */
    uint16_t tag;
    uint8_t  children;
} debug_abbreviation;

typedef struct debug_table {      /* the abbreviations at an offset, for units with equal sizes of values         */
    uint64_t offset;
    unsigned address_size, wide, version;
    debug_abbreviation *abbreviation;                      /* by code                                             */
    debug_op *op;
    size_t abbreviations, abbreviation_cap, ops, op_cap;
} debug_table;

enum { DEBUG_TABLES = 256 };

typedef struct debug_file {       /* the program, or a .dwo or .dwp file                                          */
    file_bytes    bytes;
    elf_image     elf;
    debug_section section[SECTION_COUNT];
    uint64_t      work;           /* what abbreviations and ranges may still cost: nobody reads them so often     */
    debug_table  *last, *table[DEBUG_TABLES];              /* the one in use; others, by offset                   */
    uint64_t      table_bytes;    /* of memory, of tables that were made since all were freed                     */
    char         *path;           /* of a .dwo or .dwp file                                                       */
    struct debug_file *next;      /* of all that are open                                                         */
    struct debug_file *alt;       /* what several programs share, or NULL; it is d->alt, too                      */
    struct debug_file *same;      /* another one in its place of debug_info.split                                 */
} debug_file;

typedef struct debug_part {       /* what a .dwp file has of a unit, by section: bytes                            */
    uint64_t offset[SECTION_COUNT], size[SECTION_COUNT];
} debug_part;

typedef struct debug_source {     /* a unit of .debug_info                                                        */
    debug_file *file, *main;      /* with its entries; with addresses, and with ranges of DWARF 4                 */
    uint64_t    begin, root, end; /* in .debug_info: its header, its first entry, behind its last                 */
    uint64_t    abbreviations, offsets, addresses, lists, ranges;     /* where its parts of other sections begin  */
    uint64_t    low, id;          /* what its ranges are relative to; of split debug information                  */
    uint64_t    lines;            /* offset in .debug_line, or UINT64_MAX                                         */
    const char *directory;        /* of the compilation, or NULL                                                  */
    uint8_t     version, address_size, wide, type;
} debug_source;

typedef struct debug_entry {
    uint64_t offset;              /* in .debug_info                                                               */
    uint32_t has;                 /* bit AT_NAME ...: it has that attribute                                       */
    uint16_t tag;                 /* 0: the end of a list of children                                             */
    uint8_t  children;
    uint16_t form[AT_COUNT];
    uint64_t value[AT_COUNT];     /* as encoded; of DW_FORM_string the offset in .debug_info                      */
} debug_entry;

typedef struct debug_named {      /* what an entry is called                                                      */
    uint64_t    offset;           /* of the entry; for the cache                                                  */
    const debug_file *file;       /* NULL: nothing is here                                                        */
    const char *linkage, *plain;  /* NULL: none                                                                   */
    uint32_t    line;             /* where it is declared                                                         */
    int         has_line;
    uint32_t    decl_file;        /* with has_line: number of the file in the tables of source; UINT32_MAX: none  */
    const debug_source *source;
} debug_named;

typedef struct debug_span {       /* walks over the ranges of an entry                                            */
    const debug_source *source;
    debug_bytes list;             /* what is left of the list                                                     */
    uint64_t    base;
    int         version, alone;   /* of the list; 1: no list but the range [begin, end)                           */
    uint64_t    begin, end;       /* the range                                                                    */
} debug_span;

typedef struct debug_unit {
    debug_source  in;             /* as it is in the file                                                         */
    debug_source *split;          /* what has its functions; NULL: it has them                                    */
    uint64_t  lines;              /* offset in .debug_line, or UINT64_MAX                                         */
    size_t    first, functions;   /* in debug_info.function                                                       */
    uint32_t  cover;              /* its first one by address: index + 1 in debug_info.cover, 0 = none            */
    int       gnu, listed;        /* gcc made it; it stands in .debug_aranges                                     */
} debug_unit;

typedef struct debug_function {   /* a range of an entry that is a function                                       */
    uint64_t offset;              /* of the entry in .debug_info                                                  */
    uint64_t begin, end;
} debug_function;

typedef struct debug_cover {      /* code of a unit                                                               */
    uint64_t begin, end;
    uint32_t unit, next;          /* its next cover: index + 1, 0 = none                                          */
} debug_cover;

typedef struct debug_piece {      /* code of one entry                                                            */
    uint64_t begin, end;
    uint32_t record;
} debug_piece;

typedef struct debug_chunk {      /* pieces by address; a full chunk becomes two                                  */
    uint32_t    count;
    debug_piece piece[128];
} debug_chunk;

typedef struct debug_record {     /* a function or an inlined copy of one                                         */
    const char *name;             /* NULL: it has none                                                            */
    uint32_t    parent;           /* the record (number from 1) that it is inlined into, or 0                     */
    uint32_t    line, call_line, call_discriminator;
    uint32_t    node;             /* number from 1 in debug_lines.node, 0: none                                   */
    csspgo_loc  loc;              /* cut: all its code is at this place of its node                               */
    int         cut;              /* it, or what it is inlined into, has no name                                  */
} debug_record;

typedef struct debug_symbol {     /* a mangled name of a function                                                 */
    uint64_t    address;
    const char *name;             /* size bytes of the image: without suffixes of clones                          */
    size_t      size;
    char       *copy;             /* the same, terminated, or NULL                                                */
    uint32_t    index;            /* in the symbol table                                                          */
} debug_symbol;

typedef struct debug_paths debug_paths;
typedef struct debug_joined debug_joined;

enum { DEBUG_NAMES = 1024, DEBUG_SPLITS = 256 };

struct debug_info {
    debug_file    *file;          /* all that are open: the program is the last                                   */
    debug_file    *main, *packed; /* the program; the .dwp file, or NULL                                          */
    debug_file    *alt;           /* what several programs share (dwz -m), or NULL                                */
    debug_source  *alt_unit;      /* of alt, in the order of the file                                             */
    size_t         alt_units, alt_cap;
    debug_options  how;
    debug_warnings said;
    debug_unit    *unit;          /* in the order of the file                                                     */
    debug_range   *range;         /* in the order of the file                                                     */
    debug_function *function;     /* of all units, where they are read (debug_unit.split); in the order of the file */
    debug_cover   *cover;         /* by address, disjoint                                                         */
    debug_symbol  *symbol;        /* by address                                                                   */
    size_t symbols, symbol_cap;
    size_t units, unit_cap, ranges, range_cap, covers, cover_cap, functions, function_cap;
    int    no_memory;             /* a reading ended since memory is exhausted, or `room`                         */
    int    no_room;               /* it was `room`; 2: `name_room`                                                */
    uint64_t room;                /* ranges out of lists that may still be kept: see debug_keep                   */
    uint64_t name_room;           /* bytes of names that functions may still have: see debug_keep_name            */
    debug_paths   *paths;         /* files of line tables that were asked for                                     */
    debug_joined  *joined;        /* names with files, by both                                                    */
    size_t         joineds, joined_cap;
    uint64_t       path_room;     /* bytes that these may still have: see debug_with_file                         */
    debug_file *split[DEBUG_SPLITS];                       /* .dwo and .dwp files, by path                        */
    char   directory[4096];       /* of the program, with the slash at its end                                    */
    debug_named    named[DEBUG_NAMES];                     /* entries that were referred to, by offset            */
    debug_chunk  **chunk;         /* of the unit that was asked for last, as everything below                     */
    debug_record  *record;
    uint32_t      *open;          /* per depth of the walk: the record that the entry is in                       */
    uint64_t      *place;         /* where the stack may change                                                   */
    debug_rows     rows;
    debug_lines    lines;
    size_t chunks, chunk_cap, records, record_cap, open_cap, places, place_cap, node_cap, first_cap, row_cap;
};

/* file.c */
debug_file *debug_file_open(debug_info *d, const char *path, char *why, size_t why_size);
debug_file *debug_file_split(debug_info *d, const char *path);
debug_file *debug_file_alt(debug_info *d, const char *path);                  /* NULL: it cannot be read        */
void debug_file_free(debug_file *f);
int debug_part_find(const debug_file *f, uint64_t id, debug_part *part);      /* 0: it has nothing of this unit */

/* table.c: the abbreviations of a unit; NULL: damaged, or out of memory */
const debug_table *debug_table_of(debug_info *d, const debug_source *s);
const debug_abbreviation *debug_abbreviation_of(const debug_table *t, uint64_t code);
void debug_table_free(debug_table *t);
unsigned debug_form_size(unsigned form, unsigned address_size, unsigned wide, unsigned version);

/* entry.c */
const debug_source *debug_source_at(const debug_info *d, const debug_source *s, uint64_t offset);
int debug_entry_read(debug_info *d, const debug_source *s, debug_bytes *b, debug_entry *e);
int debug_entry_at(debug_info *d, const debug_source *s, uint64_t offset, debug_entry *e);
debug_bytes debug_entries(const debug_source *s);
const char *debug_text(const debug_source *s, const debug_entry *e, unsigned at);
uint64_t debug_address(const debug_source *s, const debug_entry *e, unsigned at);
uint64_t debug_indexed(const debug_source *s, uint64_t index);
uint32_t debug_number(const debug_entry *e, unsigned at);
debug_named debug_name(debug_info *d, const debug_source *s, const debug_entry *e);
int debug_keep_name(debug_info *d, const debug_source *s, const debug_entry *e);   /* 0: names are too long */

/* entry.c, ranges: while (debug_span_next(&r)) use(r.begin, r.end); */
debug_span debug_span_of(const debug_source *s, const debug_entry *e);
int debug_span_next(debug_span *r);
int debug_is_code(const debug_info *d, uint64_t begin, uint64_t end);
int debug_keep(debug_info *d, const debug_span *r);        /* a range is kept; 0: there are too many */

/* unit.c */
int debug_units_read(debug_info *d);
int debug_alt_read(debug_info *d);                         /* the units of alt; 0: out of memory */
int debug_cover_make(debug_info *d);

/* names.c */
int debug_symbols_read(debug_info *d, const elf_image *e);
const char *debug_function_name(debug_info *d, const debug_source *s, const debug_entry *e, const debug_named *n,
                                int *linkage);
void debug_symbols_free(debug_info *d);

/* paths.c */
const char *debug_with_file(debug_info *d, const debug_named *n, const char *name);
void debug_paths_free(debug_info *d);

/* stack.c */
void debug_scratch_free(debug_info *d);

#endif
