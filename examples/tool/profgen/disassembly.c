/* disassembly.c - profgen: the code of a program in the layout of llvm-profgen --show-disassembly-only, with its probes
 *
 * Sections, symbols, addresses and probes are as LLVM prints them. Names of instructions and operands are
 * llvm-objdump's; without it an instruction is its bytes, and where control goes from it.
 */
#include "disassembly.h"

enum {
    CALLERS_MOST = 1 << 14,           /* more than the sections' depth may be */
    SOURCE_COLUMN = 40                /* columns of an instruction that has its source behind it */
};

typedef struct listing {
    const tool_context *tool;
    loaded              l;
    const load_regions *regions;
    csspgo_probe_set   *probes;   /* NULL: they are not asked for                 */
    csspgo_probe_tables t;
    csspgo_descriptor  *named;    /* descriptors by GUID                          */
    uint32_t           *order;    /* probes by address                            */
    size_t              next;     /* the first of these that was not printed yet  */
    const load_name   **symbol;   /* by address, of each address one              */
    size_t              symbols;
    load_name          *all;      /* in compat mode: what symbol points to        */
    const char         *only;     /* --disassemble-functions, or NULL             */
    insn_texts          texts;    /* of the section that is printed               */
    debug_info         *debug;    /* NULL: no source is asked for                 */
    source_places       source;
    int                 canonical, intel;
} listing;

/* Of symbols at one address LLVM prints the last one. */
static int symbol_before(const void *a, const void *b)
{
    const load_name *const x = *(const load_name *const *)a, *const y = *(const load_name *const *)b;
    const uint32_t n = x->name_size < y->name_size ? x->name_size : y->name_size;
    const int c = memcmp(x->name, y->name, n);
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    if (c != 0) return c;
    return x->name_size < y->name_size ? -1 : x->name_size > y->name_size;
}

/* All symbols that are in code, as LLVM lists them, in d->all. Returns how many; SIZE_MAX: out of memory. */
static size_t symbols_of_code(listing *d)
{
    const elf_image *const e = load_symbols(&d->l);
    size_t n = 0;
    uint32_t i;
    d->all = (load_name *)calloc((size_t)e->symbol_count + 1, sizeof *d->all);
    if (d->all == NULL) return SIZE_MAX;
    for (i = 1; i < e->symbol_count; i++) {
        elf_symbol y;
        if (!elf_symbol_at(e, i, &y) || y.name_size == 0 || y.type == ELF_FILE) continue;
        if (y.type == ELF_SECTION_SYMBOL || y.section == ELF_UNDEFINED || load_text_at(d->regions, y.value) == NULL) continue;
        d->all[n].address = y.value;
        d->all[n].name = y.name;
        d->all[n++].name_size = (uint32_t)y.name_size;
    }
    return n;
}

static int symbols_list(listing *d)
{
    const size_t names = d->tool->compat ? symbols_of_code(d) : d->regions->names;
    const load_name *const name = d->tool->compat ? d->all : d->regions->name;
    size_t i, n = 0;
    d->symbol = names != SIZE_MAX ? (const load_name **)malloc((names + 1) * sizeof *d->symbol) : NULL;
    if (d->symbol == NULL) return 0;
    for (i = 0; i < names; i++) d->symbol[i] = &name[i];
    if (names != 0) qsort((void *)d->symbol, names, sizeof *d->symbol, symbol_before);
    for (i = 0; i < names; i++)
        if (i + 1 == names || d->symbol[i]->address != d->symbol[i + 1]->address) d->symbol[n++] = d->symbol[i];
    d->symbols = n;
    return 1;
}

/* 1 if a name is one of --disassemble-functions=NAME,NAME. */
static int is_asked(const listing *d, const char *name, size_t size)
{
    const char *p = d->only;
    while (p != NULL && *p != '\0') {
        const size_t n = strcspn(p, ",");
        if (n == size && memcmp(p, name, n) == 0) return 1;
        p += n + (p[n] == ',');
    }
    return d->only == NULL;
}

/* ----- probes ----------------------------------------------------------------------------------------------------- */

static void print_name(const listing *d, uint64_t guid)
{
    const csspgo_descriptor *const x = load_descriptor(d->named, d->t.descriptor_count, guid);
    if (x != NULL) put_safe(x->name, x->name_size, stdout);
    else printf("%" PRIu64, guid);
}

/* The calls in which a node is inlined, outermost first: FUNC:SITE @ FUNC:SITE. */
static void print_callers(const listing *d, uint32_t node)
{
    uint32_t path[CALLERS_MOST], n = 0;
    for (; d->t.inlines[node - 1].parent != 0 && n < CALLERS_MOST; node = d->t.inlines[node - 1].parent)
        path[n++] = node;
    while (n-- > 0) {
        const csspgo_inline_node *const child = &d->t.inlines[path[n] - 1];
        print_name(d, d->t.inlines[child->parent - 1].guid);
        printf(":%" PRIu32 "%s", child->site, n != 0 ? " @ " : "");
    }
}

/* Prints the probes of an address; passes over those before it, which are of no instruction. */
static void print_probes(listing *d, uint64_t address)
{
    static const char *const kinds[] = { "Block", "IndirectCall", "DirectCall" };
    for (; d->probes != NULL && d->next < d->t.probe_count; d->next++) {
        const csspgo_probe *const p = &d->t.probes[d->order[d->next]];
        const csspgo_inline_node *const in = &d->t.inlines[p->inline_node - 1];
        if (p->address > address) break;
        if (p->address < address) continue;
        printf(" [Probe]:\tFUNC: ");
        print_name(d, in->guid);
        printf(" Index: %" PRIu32 "  ", p->id);
        if (p->discriminator != 0) printf("Discriminator: %" PRIu32 "  ", p->discriminator);
        printf("Type: %s  ", kinds[p->kind]);
        if (in->parent != 0) printf("Inlined: @ ");
        print_callers(d, p->inline_node);
        putchar('\n');
    }
}

/* ----- code ------------------------------------------------------------------------------------------------------- */

/* Bytes, and where control goes from there. Returns the size. */
static size_t insn_bytes(char *out, size_t cap, const csspgo_insn *in, const unsigned char *code, size_t size)
{
    static const char *const kinds[] = { "", "branch", "jump", "indirect jump", "call", "return" };
    size_t n = 0, i;
    for (i = 0; i < size && n + 80 < cap; i++)
        n += (size_t)snprintf(out + n, cap - n, i != 0 ? " %02x" : "%02x", code[i]);
    if (in->size == 0) n += (size_t)snprintf(out + n, cap - n, "\t<unknown>");
    else if (in->kind != CSSPGO_NONE && (unsigned)in->kind < sizeof kinds / sizeof *kinds) {
        n += (size_t)snprintf(out + n, cap - n, "\t%s%s", in->kind == CSSPGO_CALL && !in->has_target ? "indirect " : "",
                              kinds[in->kind]);
        if (in->has_target) n += (size_t)snprintf(out + n, cap - n, " 0x%" PRIx64, in->target);
    }
    return n;
}

/* An instruction, of which tabs stay. */
static void print_text_of(const char *text)
{
    size_t n;
    for (;; text += n + 1) {
        n = strcspn(text, "\t");
        put_safe(text, n, stdout);
        if (text[n] == '\0') return;
        putchar('\t');
    }
}

/* "ADDRESS:\tINSTRUCTION", and its source. Returns how many bytes it is about. */
static size_t print_insn(listing *d, uint64_t address, const unsigned char *code, size_t left)
{
    const int aarch64 = d->l.elf.machine != ELF_X86_64;
    char bytes[256];
    const char *text;
    csspgo_insn in;
    size_t size, n;
    uint64_t next;
    if (aarch64) csspgo_decode_aarch64(code, left, address, &in);
    else csspgo_decode_x86_64(code, left, address, &in);
    size = in.size != 0 ? in.size : in.skip;
    if (size > left) size = left;
    text = insn_text_at(&d->texts, address, aarch64, &next);
    if (text != NULL && next > address && next - address < size) size = (size_t)(next - address);    /* lock */
    n = text != NULL ? strlen(text) : insn_bytes(bytes, sizeof bytes, &in, code, size);
    printf("%8" PRIx64 ":\t", address);
    print_text_of(text != NULL ? text : bytes);
    if (d->debug != NULL) {
        for (n++; n < SOURCE_COLUMN; n++) putchar(' ');
        source_print(&d->source, address, d->canonical);
    }
    putchar('\n');
    return size != 0 ? size : 1;
}

/* A symbol's code, up to the next symbol. */
static void print_function(listing *d, const load_text *t, const load_name *y, uint64_t end)
{
    uint64_t at = y != NULL ? y->address : t->begin;
    if (y != NULL && !is_asked(d, y->name, y->name_size)) return;
    if (y != NULL) {
        printf("\n<");
        put_safe(y->name, d->canonical ? csspgo_canonical_size(y->name, y->name_size, 1) : y->name_size, stdout);
        printf(">:\n");
    }
    while (at < end) {
        print_probes(d, at);
        at += print_insn(d, at, t->code + (at - t->begin), (size_t)(end - at));
    }
}

/* A section of code. LLVM prints no code without a symbol. *k: the first symbol that was not printed yet. */
static void print_text(listing *d, const load_text *t, size_t *k)
{
    elf_section s;
    uint64_t first;
    if (elf_section_at(&d->l.elf, t->section, &s)) {
        printf("\nDisassembly of section ");
        put_safe(s.name, s.name_size, stdout);
        printf(" [0x%" PRIx64 ", 0x%" PRIx64 "]:\n", t->begin, t->end);
    }
    if (d->l.elf.type != ELF_REL) insn_texts_open(&d->texts, d->l.path, d->intel, t->begin, t->end);
    while (*k < d->symbols && d->symbol[*k]->address < t->begin) ++*k;
    first = *k < d->symbols && d->symbol[*k]->address < t->end ? d->symbol[*k]->address : t->end;
    if (first != t->begin && d->only == NULL && !d->tool->compat) print_function(d, t, NULL, first);    /* as .plt */
    for (; *k < d->symbols && d->symbol[*k]->address < t->end; ++*k) {
        const uint64_t next = *k + 1 < d->symbols ? d->symbol[*k + 1]->address : UINT64_MAX;
        print_function(d, t, d->symbol[*k], next < t->end ? next : t->end);
    }
    insn_texts_close(&d->texts);
    putchar('\n');
}

/* Decodes the probes. Returns 0 with a sentence in why. */
static int probes_open(listing *d, char *why, size_t why_size)
{
    d->probes = profgen_probes(&d->l, why, why_size);
    if (d->probes == NULL) return 0;
    d->t = csspgo_probe_set_tables(d->probes);
    d->named = load_descriptors(&d->t);
    d->order = (uint32_t *)malloc((d->t.probe_count + 1) * sizeof *d->order);
    if (d->named == NULL || d->order == NULL || csspgo_probe_set_by_address(d->probes, d->order, NULL) != CSSPGO_OK)
        return load_fail(why, why_size, "out of memory");
    return 1;
}

/* Reads what --show-source-locations is to show. Returns 0 with a sentence in why. */
static int source_open(listing *d, const char *packed, char *why, size_t why_size)
{
    debug_options how;
    memset(&how, 0, sizeof how);
    how.llvm = 1;
    how.packed = packed;
    d->debug = d->tool->compat ? debug_info_open(load_from_path(&d->l, LOAD_LINES, d->l.path), &how, why, why_size)
                               : debug_program(&d->l, d->l.path, why, why_size);
    return d->debug != NULL &&
           (source_places_read(&d->source, d->debug) || load_fail(why, why_size, "out of memory"));
}

/* --show-disassembly-only. Returns the exit status. */
int profgen_disassemble(const tool_context *tool, const option *o)
{
    char why[PROGRAM_WHY];
    listing d;
    size_t i, k = 0;
    int ok;
    memset(&d, 0, sizeof d);
    d.tool = tool;
    d.only = o[O_DISASSEMBLE_FUNCTIONS].text;
    ok = program_open(tool, &d.l, o[O_BINARY].text, why, sizeof why) &&
         (load_decodes(&d.l) || load_fail(why, sizeof why, "neither x86-64 nor AArch64"));
    if (ok && (d.regions = load_regions_of(&d.l)) == NULL) ok = load_fail(why, sizeof why, "out of memory");
    if (ok && !symbols_list(&d)) ok = load_fail(why, sizeof why, "out of memory");
    if (ok && o[O_SHOW_PROBES].number && load_lacks(&d.l) & 1u << LOAD_PROBES)
        warn(tool, "%s: has no probes to show: build it with -fpseudo-probe-for-profiling", o[O_BINARY].text);
    else if (ok && o[O_SHOW_PROBES].number) ok = probes_open(&d, why, sizeof why);
    d.intel = o[O_SYNTAX].number != 0;
    d.canonical = o[O_CANONICAL].number != 0;
    if (ok && o[O_SOURCE_LOCATIONS].number) ok = source_open(&d, o[O_DWP].text, why, sizeof why);
    if (ok && !llvm_descriptors(tool, &d.l, o[O_DETAILS].number != 0)) ok = load_fail(why, sizeof why, "out of memory");
    if (ok && insn_texts_command() == NULL)
        warn(tool, "no llvm-objdump is in PATH: instructions are shown as bytes");
    if (ok && d.probes != NULL) print_descriptors(&d.t);
    if (ok) printf("\nDisassembly of %s:\n", o[O_BINARY].text);
    for (i = 0; ok && i < d.regions->texts; i++) print_text(&d, &d.regions->text[i], &k);
    free((void *)d.symbol);
    free(d.all);
    free(d.order);
    free(d.named);
    csspgo_probe_set_free(d.probes);
    source_places_free(&d.source);
    debug_info_close(d.debug);
    load_free(&d.l);
    return ok ? 0 : kind_program_fail(tool, o[O_BINARY].text, &o[O_DEBUG_BINARY], why);
}
