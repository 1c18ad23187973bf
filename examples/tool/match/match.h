/* match.h - the room of the commands match, which carries a profile over to changed code, and check, which compares
 *
 * load.c reads the programs, one or several together, for match.c and check.c: by probes it needs symbols.c (where
 * functions begin, and slots that the dynamic linker fills), map.c (the program as a code map) and stripped.c (probes
 * whose code was not found), by source line lines.c. report.c prints the report of match.
 */
#ifndef CSSPGO_TOOL_MATCH_H
#define CSSPGO_TOOL_MATCH_H

#include "../debug/debug.h"
#include "../shared/tool.h"

#define MATCH_NOWHERE ((uint64_t)1 << 63)    /* addresses from here on stand for unknown ones */

enum {
    MT_OLD, MT_P_ALIAS, MT_BINARY, MT_DEBUG_BINARY, MT_OUTPUT, MT_O_ALIAS, MT_MODE, MT_RENAME, MT_FIT, MT_DOUBT,
    MT_FORMAT, MT_MD5, MT_TOP, MT_QUIET, MT_MIN_KEPT, MT_JSON
};

typedef struct match_symbol {     /* where a function begins */
    uint64_t address, size, guid;
    uint32_t has_probes, index;
} match_symbol;

typedef struct match_old {        /* a function of the profile */
    uint64_t guid;
    csspgo_func func;
} match_old;

typedef struct match_row {        /* a function that lost samples */
    uint64_t guid, samples, lost;
    csspgo_func old;
    int      gone;                /* the new code does not have it */
} match_row;

typedef struct match_lines match_lines;
typedef struct match_join match_join;

typedef struct match_run {
    const tool_context *tool;
    option            *o;
    const char        *profile, *binary;           /* paths: the first ones */
    char              *shown;     /* all programs, for messages */
    loaded             image;
    csspgo_probe_set     *probes;
    csspgo_profile    *old, *out;
    csspgo_matcher    *matcher;
    csspgo_match_report report;
    match_symbol      *symbol;
    elf_image          dynamic;   /* with the symbols of .dynsym              */
    match_symbol      *slot;      /* of the global offset table: what the dynamic linker puts there */
    size_t             slots;
    csspgo_match_input *input;
    match_lines       *lines;     /* of a profile by source line; NULL: by probes */
    const csspgo_match_code *code; /* of input, or lines */
    uint64_t          *name;      /* GUIDs of the descriptors, ascending */
    match_old         *named;     /* by GUID                             */
    size_t             symbols, codes, names;
    struct match_run  *part;      /* the programs behind the first: what match_load made */
    size_t             parts;
    match_join        *join;      /* of them all; NULL: there is one */
} match_run;

/* load.c; match_cfgs: as csspgo_match_input_cfgs, of all programs */
int match_load(match_run *m, const option *binaries);
const csspgo_match_cfg *match_cfgs(match_run *m, size_t *n, csspgo_error *e);
void match_free(match_run *m);

/* report.c */
extern const uint32_t llvm_of_mode[];

/* symbols.c */
int match_symbol_order(const void *a, const void *b);
int match_symbols(match_run *m);
int match_slots(match_run *m);
int match_section_of(const match_run *m, uint64_t address, uint64_t size, elf_section *s);
const match_symbol *match_slot_of(const match_run *m, const unsigned char *p, uint64_t address,
                                  const csspgo_insn *insn);

/* lines.c */
int match_by_line(match_run *m, char *why, size_t why_size);
void match_lines_free(match_lines *x);

/* map.c */
int match_map(match_run *m);

/* map.c: an instruction that goes through a slot; stub: where code begins that does only that. 0: no memory */
typedef int (*match_slot_fn)(match_run *m, uint64_t address, uint64_t stub, const csspgo_insn *insn,
                             const match_symbol *slot);
int match_each_slot(match_run *m, match_slot_fn slot_fn);

/* stripped.c */
int match_without_code(match_run *m);

/* report.c */
int match_print(match_run *m, FILE *out);

#endif
