/* table.h - loads a table of tests/data (one line of text per instruction) into a code map. Include it after t.h. */
#ifndef T_TABLE_H
#define T_TABLE_H

/*
 * A table's lines, fields separated by tabs, all numbers but sizes hexadecimal:
 *     #@base BASE OFFSET          preferred base and file offset of the executable segment
 *     #@func START END NAME       a range of a function; several per function if it was split
 *     #@hash CHECKSUM NAME        a descriptor; the checksum is decimal
 *     # <SYMBOL>                  stands before the instruction it names
 *     address size kind bytes inline-stack probes
 * probes: "function:id[.discriminator]:kind[ @ caller:id ...]" (innermost caller first), separated by "; ".
 * AArch64 tables (known by the symbol $x) give an instruction as one 32-bit word. Tables of data/unwind clip an
 * instruction of 10 bytes to 9: the byte left out is 0.
 */
typedef struct t_insn {
    uint64_t    address;
    uint32_t    size;
    csspgo_transfer_kind kind;
} t_insn;

typedef struct t_symbol {
    const char *name;
    uint64_t    address;
} t_symbol;

typedef struct t_table {
    csspgo_code   *code;          /* the map; owned                                                          */
    csspgo_module  module;        /* named like the table's file without .tsv                                */
    csspgo_arch    arch;
    uint64_t       base, offset;  /* preferred base: what offsets in unsymbolized text count from            */
    char          *text;          /* the file; strings below lead into it                                    */
    t_insn        *insn;          /* ascending                                                               */
    t_symbol      *symbol;
    unsigned char *bytes;         /* of all instructions, without the gaps                                   */
    csspgo_code_function   *func;
    csspgo_descriptor *desc;
    csspgo_inline_node *node;
    csspgo_probe      *probe;
    size_t insns, symbols, byte_count, funcs, descs, nodes, probes;
} t_table;

static void *t_list_more(void *list, size_t count, size_t elem)
{
    void *p = list;
    if ((count & (count - 1)) == 0) p = realloc(list, (count != 0 ? 2 * count : 1) * elem);
    if (p == NULL) abort();
    return p;
}

/* Cuts a text at the next separator; returns the piece, moves *at behind the separator (NULL at the end). */
static char *t_piece(char **at, const char *separator)
{
    char *start = *at, *end = start != NULL ? strstr(start, separator) : NULL;
    if (end != NULL) {
        *end = '\0';
        *at = end + strlen(separator);
    } else {
        *at = NULL;
    }
    return start;
}

static uint64_t t_hex(const char *s)
{
    return (uint64_t)strtoull(s != NULL ? s : "", NULL, 16);
}

static csspgo_transfer_kind t_kind(const char *s)
{
    static const char *const names[] = { "-", "cond", "jmp", "ijmp", "call", "ret" };
    int i;
    for (i = 0; i < 6; i++)
        if (strcmp(s, names[i]) == 0) return (csspgo_transfer_kind)i;
    return CSSPGO_NONE;
}

/* The inline node (number from 1) of a function inlined at a site of parent, made if need be. */
static uint32_t t_table_node(t_table *t, uint32_t parent, uint32_t site, const char *name)
{
    const uint64_t guid = csspgo_guid(name, strlen(name));
    size_t i;
    for (i = 0; i < t->nodes; i++)
        if (t->node[i].parent == parent && t->node[i].site == site && t->node[i].guid == guid) return (uint32_t)i + 1;
    t->node = (csspgo_inline_node *)t_list_more(t->node, t->nodes, sizeof *t->node);
    t->node[t->nodes].guid = guid;
    t->node[t->nodes].parent = parent;
    t->node[t->nodes].site = site;
    return (uint32_t)++t->nodes;
}

static void t_table_desc(t_table *t, const char *name, uint64_t checksum)
{
    size_t i;
    for (i = 0; i < t->descs; i++)
        if (strcmp(t->desc[i].name, name) == 0) return;
    t->desc = (csspgo_descriptor *)t_list_more(t->desc, t->descs, sizeof *t->desc);
    t->desc[t->descs].guid = csspgo_guid(name, strlen(name));
    t->desc[t->descs].checksum = checksum;
    t->desc[t->descs].name = name;
    t->desc[t->descs++].name_size = strlen(name);
}

/* One probe: "function:id[.discriminator]:kind[ @ caller:id ...]". */
static void t_table_probe(t_table *t, uint64_t address, char *text)
{
    char *frame[64], *colon, *kind, *dot;
    csspgo_probe p;
    uint32_t node = 0, site = 0;
    size_t n = 0;
    while (text != NULL && n < 64) frame[n++] = t_piece(&text, " @ ");
    memset(&p, 0, sizeof p);
    kind = strrchr(frame[0], ':');
    if (kind == NULL) return;
    *kind++ = '\0';
    p.kind = strcmp(kind, "IndirectCall") == 0 ? CSSPGO_PROBE_INDIRECT_CALL
             : strcmp(kind, "DirectCall") == 0 ? CSSPGO_PROBE_DIRECT_CALL
                                               : CSSPGO_PROBE_BLOCK;
    while (n-- > 0) {
        colon = strrchr(frame[n], ':');
        if (colon == NULL) return;
        *colon++ = '\0';
        t_table_desc(t, frame[n], 0);
        node = t_table_node(t, node, site, frame[n]);
        site = (uint32_t)strtoul(colon, &dot, 10);
        if (*dot == '.') p.discriminator = (uint32_t)strtoul(dot + 1, NULL, 10);
    }
    p.address = address;
    p.id = site;
    p.inline_node = node;
    t->probe = (csspgo_probe *)t_list_more(t->probe, t->probes, sizeof *t->probe);
    t->probe[t->probes++] = p;
}

static void t_table_byte(t_table *t, unsigned byte)
{
    t->bytes = (unsigned char *)t_list_more(t->bytes, t->byte_count, 1);
    t->bytes[t->byte_count++] = (unsigned char)byte;
}

static void t_table_row(t_table *t, char *line)
{
    char *address = t_piece(&line, "\t"), *size = t_piece(&line, "\t"), *kind = t_piece(&line, "\t");
    char *bytes = t_piece(&line, "\t"), *at;
    t_insn insn;
    size_t i;
    if (bytes == NULL) return;
    insn.address = t_hex(address);
    insn.size = (uint32_t)strtoul(size, NULL, 10);
    insn.kind = t_kind(kind);
    if (t->insns != 0 && t->insn[t->insns - 1].size == 9 && t->insn[t->insns - 1].address + 10 == insn.address) {
        t->insn[t->insns - 1].size = 10;
        t_table_byte(t, 0);
    }
    for (i = t->symbols; i != 0 && t->symbol[i - 1].address == UINT64_MAX; i--) t->symbol[i - 1].address = insn.address;
    for (i = 0; i < insn.size; i++) {
        char pair[3] = { 0, 0, 0 };
        memcpy(pair, bytes + 2 * (t->arch == CSSPGO_AARCH64 ? insn.size - 1 - i : i), 2);
        t_table_byte(t, (unsigned)strtoul(pair, NULL, 16));
    }
    t->insn = (t_insn *)t_list_more(t->insn, t->insns, sizeof *t->insn);
    t->insn[t->insns++] = insn;
    t_piece(&line, "\t");                             /* the inline stack of line tables */
    while (line != NULL && *line != '\0') {
        at = t_piece(&line, "; ");
        t_table_probe(t, insn.address, at);
    }
}

static void t_table_line(t_table *t, char *line)
{
    char *word;
    if (*line != '#') {
        t_table_row(t, line);
    } else if (line[1] == '@') {
        word = t_piece(&line, "\t");
        if (strcmp(word, "#@base") == 0) {
            t->base = t_hex(t_piece(&line, "\t"));
            t->offset = t_hex(line);
        } else if (strcmp(word, "#@hash") == 0) {
            const uint64_t hash = (uint64_t)strtoull(t_piece(&line, "\t"), NULL, 10);
            t_table_desc(t, line, hash);
        } else if (strcmp(word, "#@func") == 0) {
            csspgo_code_function *f;
            t->func = (csspgo_code_function *)t_list_more(t->func, t->funcs, sizeof *t->func);
            f = &t->func[t->funcs++];
            memset(f, 0, sizeof *f);
            f->begin = t_hex(t_piece(&line, "\t"));
            f->end = t_hex(t_piece(&line, "\t"));
            f->name = line;
            f->name_size = strlen(line);
        }
    } else if (line[1] == ' ' && line[2] == '<') {
        line[strlen(line) - 1] = '\0';
        if (strcmp(line + 3, "$x") == 0) t->arch = CSSPGO_AARCH64;
        t->symbol = (t_symbol *)t_list_more(t->symbol, t->symbols, sizeof *t->symbol);
        t->symbol[t->symbols].name = line + 3;
        t->symbol[t->symbols++].address = UINT64_MAX;
    }
}

/* A range of a function that has several is its entry if a symbol with the function's name is there. */
static void t_table_parts(t_table *t)
{
    size_t i, k, ranges, here;
    for (i = 0; i < t->funcs; i++) {
        for (k = ranges = 0; k < t->funcs; k++) ranges += strcmp(t->func[k].name, t->func[i].name) == 0;
        for (k = here = 0; k < t->symbols; k++)
            here += t->symbol[k].address == t->func[i].begin && strcmp(t->symbol[k].name, t->func[i].name) == 0;
        t->func[i].fragment = ranges > 1 && here == 0;
    }
}

/* Numbers the children of a node as the section has them: depth first, by GUID and site; top level as they came. */
static uint32_t t_table_number(const t_table *t, uint32_t *number, uint32_t parent, uint32_t next)
{
    for (;;) {
        size_t i, best = t->nodes;
        for (i = 0; i < t->nodes; i++) {
            const csspgo_inline_node *a = &t->node[i], *b = &t->node[best];
            if (a->parent != parent || number[i] != 0) continue;
            if (best == t->nodes
                || (parent != 0 && (a->guid < b->guid || (a->guid == b->guid && a->site < b->site)))) best = i;
        }
        if (best == t->nodes) return next;
        number[best] = next + 1;
        next = t_table_number(t, number, (uint32_t)best + 1, next + 1);
    }
}

static void t_table_renumber(t_table *t)
{
    uint32_t *number = (uint32_t *)calloc(t->nodes + 1, sizeof *number);
    csspgo_inline_node *node = (csspgo_inline_node *)calloc(t->nodes + 1, sizeof *node);
    size_t i;
    if (number == NULL || node == NULL) abort();
    t_table_number(t, number, 0, 0);
    for (i = 0; i < t->nodes; i++) {
        node[number[i] - 1] = t->node[i];
        if (t->node[i].parent != 0) node[number[i] - 1].parent = number[t->node[i].parent - 1];
    }
    for (i = 0; i < t->probes; i++) t->probe[i].inline_node = number[t->probe[i].inline_node - 1];
    free(t->node);
    free(number);
    t->node = node;
}

/* Every contiguous stretch of instructions as a section. */
static csspgo_status t_table_add_bytes(t_table *t)
{
    uint64_t *start = (uint64_t *)calloc(t->symbols + 1, sizeof *start);
    csspgo_code_bytes b;
    size_t i, k, n, from = 0, at = 0;
    csspgo_status s = CSSPGO_OK;
    if (start == NULL) abort();
    for (i = 0; i < t->insns && s == CSSPGO_OK; i = k) {
        size_t size = t->insn[i].size;
        for (k = i + 1; k < t->insns && t->insn[k].address == t->insn[i].address + size; k++) size += t->insn[k].size;
        for (n = 0; at < t->symbols && t->symbol[at].address < t->insn[i].address + size; at++)
            start[n++] = t->symbol[at].address;
        b.arch = t->arch;
        b.address = t->insn[i].address;
        b.bytes = t->bytes + from;
        b.size = size;
        b.starts = start;
        b.start_count = n;
        s = csspgo_code_add_bytes(t->code, t->module, &b, NULL);
        from += size;
    }
    free(start);
    return s;
}

static csspgo_status t_table_fill(t_table *t, const char *name)
{
    csspgo_segment segment;
    csspgo_status s;
    size_t i;
    memset(&segment, 0, sizeof segment);
    segment.address = t->base;
    segment.file_offset = t->offset;
    segment.size = t->insn[t->insns - 1].address + t->insn[t->insns - 1].size - t->base;
    segment.executable = 1;
    t->module = csspgo_code_add_module(t->code, name, strlen(name), &segment, 1, NULL);
    if (t->module.id == 0) return CSSPGO_E_NOMEM;
    s = t_table_add_bytes(t);
    for (i = 0; i < t->funcs && s == CSSPGO_OK; i++)
        s = csspgo_code_add_function(t->code, t->module, &t->func[i], NULL);
    if (s == CSSPGO_OK) s = csspgo_code_add_descriptors(t->code, t->desc, t->descs, NULL);
    if (s == CSSPGO_OK && t->nodes != 0)
        s = csspgo_code_add_probes(t->code, t->module, t->node, t->nodes, t->probe, t->probes, NULL);
    return s;
}

static void t_table_free(t_table *t)
{
    csspgo_code_free(t->code);
    free(t->text);
    free(t->insn);
    free(t->symbol);
    free(t->bytes);
    free(t->func);
    free(t->desc);
    free(t->node);
    free(t->probe);
    memset(t, 0, sizeof *t);
}

/*
 * Loads a table. t_table_free is due whatever comes back.
 *
 *   path      "data/.../NAME.tsv": NAME becomes the module's name
 *   options   of the code map; NULL = defaults
 */
static csspgo_status t_table_load(t_table *t, const char *path, const csspgo_options *options)
{
    const char *slash = strrchr(path, '/');
    char name[64], *at, *line;
    size_t size;
    memset(t, 0, sizeof *t);
    t->arch = CSSPGO_X86_64;
    t->text = t_file(path, &size);
    for (at = t->text; at != NULL && *at != '\0';)
        if ((line = t_piece(&at, "\n")) != NULL && *line != '\0') t_table_line(t, line);
    if (!T_MSG(t->insns != 0, path)) return CSSPGO_E_SYNTAX;
    t_table_parts(t);
    if (t->nodes != 0) t_table_renumber(t);
    memset(name, 0, sizeof name);
    strncpy(name, slash != NULL ? slash + 1 : path, sizeof name - 1);
    if (strstr(name, ".tsv") != NULL) *strstr(name, ".tsv") = '\0';
    t->code = csspgo_code_new(options, NULL);
    return t->code != NULL ? t_table_fill(t, name) : CSSPGO_E_NOMEM;
}

#endif
