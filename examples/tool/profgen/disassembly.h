/* disassembly.h - profgen --show-disassembly-only: what disassembly_lines.c gives disassembly.c */
#ifndef CSSPGO_TOOL_DISASSEMBLY_H
#define CSSPGO_TOOL_DISASSEMBLY_H

#include "profgen.h"

typedef struct insn_texts {       /* what llvm-objdump prints of a section */
    FILE       *from;             /* NULL: nothing more */
    uint64_t    address;          /* of text */
    const char *text;             /* in line; NULL: nothing was read */
    char        line[4096], found[4096];
} insn_texts;

const char *insn_texts_command(void);          /* the disassembler in PATH, or NULL                                   */
void insn_texts_open(insn_texts *t, const char *binary, int intel, uint64_t begin, uint64_t end);
void insn_texts_close(insn_texts *t);

/* Asked for in ascending order. *next: where the one behind it is; 0: there is none. NULL: it is not known. */
const char *insn_text_at(insn_texts *t, uint64_t address, int aarch64, uint64_t *next);

typedef struct source_node {      /* a copy of a function */
    char      *name;
    size_t     parent;            /* index + 1 of the one it is inlined in; 0: none */
    csspgo_loc site;
} source_node;

typedef struct source_place {     /* code from here to the next one */
    uint64_t   address;
    size_t     inlined;           /* index + 1 of its source_node; 0: not known */
    csspgo_loc loc;
} source_place;

typedef struct source_places {
    source_node  *node;
    source_place *place;          /* by address */
    size_t nodes, node_cap, places, place_cap, next;
} source_places;

int source_places_read(source_places *s, debug_info *d);       /* 0: out of memory                                    */
void source_print(source_places *s, uint64_t address, int canonical);      /* innermost function first                */
void source_places_free(source_places *s);

#endif
