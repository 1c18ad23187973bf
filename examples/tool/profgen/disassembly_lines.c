/* disassembly_lines.c - profgen --show-disassembly-only: what instructions are called, and the source they are of
 *
 * The former is asked of llvm-objdump, if it is in PATH: one run per section, read as the listing goes. The latter is
 * of the debug information.
 */
#include "disassembly.h"

/* ----- names and operands of instructions ------------------------------------------------------------------------- */

static const char *const disassemblers[] = {
    "llvm-objdump", "llvm-objdump-22", "llvm-objdump-21", "llvm-objdump-20", "llvm-objdump-19", "llvm-objdump-18",
    "llvm-objdump-17", "llvm-objdump-16", "llvm-objdump-15", "llvm-objdump-14"
};

const char *insn_texts_command(void)
{
    size_t i;
    for (i = 0; i < sizeof disassemblers / sizeof *disassemblers; i++)
        if (in_path(disassemblers[i])) return disassemblers[i];
    return NULL;
}

void insn_texts_open(insn_texts *t, const char *binary, int intel, uint64_t begin, uint64_t end)
{
    const char *const command = insn_texts_command();
    char *const file = shell_word(binary);
    char *const line = file != NULL ? (char *)malloc(strlen(file) + 300) : NULL;
    memset(t, 0, sizeof *t);
    if (line != NULL && command != NULL) {
        sprintf(line, "%s -d -z --no-print-imm-hex --no-show-raw-insn%s --start-address=0x%" PRIx64
                      " --stop-address=0x%" PRIx64 " %s 2>/dev/null",
                command, intel ? " -M intel" : "", begin, end, file);
        t->from = popen(line, "r");
    }
    free(line);
    free(file);
}

void insn_texts_close(insn_texts *t)
{
    if (t->from != NULL) pclose(t->from);
    t->from = NULL;
}

/* "  1234:      \tNAME\tOPERANDS <SYMBOL>   # COMMENT": t->line from NAME on, without symbol and comment. */
static int insn_text_line(insn_texts *t, char *line, int aarch64)
{
    static const char *const ends[] = { " <", "#", "//" };
    char *end, *p;
    size_t i, n;
    t->address = strtoull(line, &end, 16);
    if (end == line || end[0] != ':' || end[1] != ' ') return 0;
    end += 1 + strspn(end + 1, " \t");
    for (i = 0; i < 3; i++)
        if (i != (aarch64 ? 1 : 2) && (p = strstr(end, ends[i])) != NULL) *p = '\0';
    for (n = strcspn(end, "\r\n"); n > 0 && (end[n - 1] == ' ' || end[n - 1] == '\t'); n--) {}
    end[n] = '\0';
    t->text = n != 0 ? end : NULL;
    return t->text != NULL;
}

static void insn_text_next(insn_texts *t, int aarch64)
{
    t->text = NULL;
    while (t->from != NULL && t->text == NULL)
        if (fgets(t->line, sizeof t->line, t->from) == NULL) insn_texts_close(t);
        else (void)insn_text_line(t, t->line, aarch64);
}

const char *insn_text_at(insn_texts *t, uint64_t address, int aarch64, uint64_t *next)
{
    while (t->from != NULL && (t->text == NULL || t->address < address)) insn_text_next(t, aarch64);
    if (t->text == NULL || t->address != address) return NULL;
    memmove(t->found, t->text, strlen(t->text) + 1);
    insn_text_next(t, aarch64);
    *next = t->text != NULL ? t->address : 0;
    return t->found;
}

/* ----- source ----------------------------------------------------------------------------------------------------- */

static int source_place_cmp(const void *a, const void *b)
{
    const source_place *const x = (const source_place *)a, *const y = (const source_place *)b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return (x->inlined != 0) - (y->inlined != 0);
}

/* Adds the copies of functions of a unit. Returns 0: out of memory. */
static int places_nodes(source_places *s, const debug_lines *l)
{
    const size_t first = s->nodes;
    size_t i;
    for (i = 0; i < l->nodes; i++) {
        source_node *n;
        char *name;
        if (!debug_room(&s->node, s->nodes, &s->node_cap, sizeof *s->node)) return 0;
        name = (char *)malloc(l->node[i].name_size + 1);
        if (name == NULL) return 0;
        memcpy(name, l->node[i].name, l->node[i].name_size);
        name[l->node[i].name_size] = '\0';
        n = &s->node[s->nodes++];
        n->name = name;
        n->parent = l->node[i].parent != 0 ? first + l->node[i].parent : 0;
        n->site = l->node[i].site;
    }
    for (i = 0; i < l->rows; i++) {
        source_place *p;
        if (!debug_room(&s->place, s->places, &s->place_cap, sizeof *s->place)) return 0;
        p = &s->place[s->places++];
        p->address = l->row[i].address;
        p->inlined = l->row[i].inline_node != 0 ? first + l->row[i].inline_node : 0;
        p->loc = l->row[i].loc;
    }
    return 1;
}

int source_places_read(source_places *s, debug_info *d)
{
    const size_t units = debug_info_units(d);
    size_t i;
    for (i = 0; i < units; i++) {
        debug_lines l;
        if (!debug_info_lines(d, i, NULL, &l) || !places_nodes(s, &l)) return 0;
    }
    if (s->places != 0) qsort(s->place, s->places, sizeof *s->place, source_place_cmp);
    return 1;
}

void source_places_free(source_places *s)
{
    size_t i;
    for (i = 0; i < s->nodes; i++) free(s->node[i].name);
    free(s->node);
    free(s->place);
}

/* "FUNCTION:LINE", with ".DISCRIMINATOR" if there is one. */
static void source_frame(const source_node *n, csspgo_loc loc, int canonical)
{
    const size_t size = strlen(n->name);
    put_safe(n->name, canonical ? csspgo_canonical_size(n->name, size, 1) : size, stdout);
    printf(":%" PRIu32, loc.line);
    if (loc.discriminator != 0) printf(".%" PRIu32, loc.discriminator);
}

void source_print(source_places *s, uint64_t address, int canonical)
{
    size_t at;
    csspgo_loc loc;
    while (s->next < s->places && s->place[s->next].address <= address) s->next++;
    while (s->next > 0 && s->place[s->next - 1].address > address) s->next--;
    at = s->next != 0 ? s->place[s->next - 1].inlined : 0;
    if (at == 0) return;
    loc = s->place[s->next - 1].loc;
    for (; at != 0; at = s->node[at - 1].parent) {
        source_frame(&s->node[at - 1], loc, canonical);
        if (s->node[at - 1].parent != 0) printf(" @ ");
        loc = s->node[at - 1].site;
    }
}
