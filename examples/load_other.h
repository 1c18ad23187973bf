/* load_other.h - the part of load.h on separate files of a program; load.h includes it once, with LOAD_IMPLEMENTATION
 *
 * What a program was stripped of may stand in other files of the same build: symbols, debug information, probes. Each
 * kind is taken from one file. Code always comes from the program: sections of code are empty in a file that
 * objcopy --only-keep-debug made.
 */
#ifndef CSSPGO_EXAMPLES_LOAD_OTHER_H
#define CSSPGO_EXAMPLES_LOAD_OTHER_H

/* Symbols of functions: those that tell where code is. */
static uint32_t load_function_symbols(const elf_image *e)
{
    uint32_t i, n = 0;
    elf_symbol y;
    for (i = 1; i < e->symbol_count; i++)
        n += elf_symbol_at(e, i, &y) && y.section != ELF_UNDEFINED && y.name_size != 0 &&
             (y.type == ELF_FUNC || y.type == ELF_NOTYPE || y.type == ELF_IFUNC);
    return n;
}

/* 1 if a section is there with bytes; `compressed` ones count if the reader of that kind inflates them. */
static int load_has_section(const elf_image *e, const char *name, int compressed)
{
    elf_section s;
    return elf_section_named(e, name, &s) && s.contents != NULL && s.size != 0 && (compressed || !s.compressed);
}

unsigned load_kinds(const elf_image *e)
{
    unsigned kinds = 0;
    if (load_function_symbols(e) != 0) kinds |= 1u << LOAD_SYMBOLS;
    if (load_has_section(e, ".debug_info", 1) || load_has_section(e, ".zdebug_info", 1)) kinds |= 1u << LOAD_LINES;
    if (load_has_section(e, ".pseudo_probe", 0)) kinds |= 1u << LOAD_PROBES;
    if (load_has_section(e, ".pseudo_probe_desc", 0)) kinds |= 1u << LOAD_DESCRIPTORS;
    return kinds;
}

const elf_image *load_from(const loaded *l, unsigned kind)
{
    return l->from[kind] != 0 ? &l->other[l->from[kind] - 1].elf : &l->elf;
}

const char *load_from_path(const loaded *l, unsigned kind, const char *program)
{
    return l->from[kind] != 0 ? l->other[l->from[kind] - 1].path : program;
}

const elf_image *load_symbols(const loaded *l)
{
    return load_from(l, LOAD_SYMBOLS);
}

unsigned load_lacks(const loaded *l)
{
    unsigned kind, lacks = (1u << LOAD_KINDS) - 1;
    lacks &= ~load_kinds(&l->elf);
    for (kind = 0; kind < LOAD_KINDS; kind++)
        if (l->from[kind] != 0) lacks &= ~(1u << kind);
    return lacks;
}

/* A build id in hexadecimal, cut to 20 bytes as everywhere; room for 41 bytes. Returns to. */
static const char *load_id_text(const unsigned char *id, size_t size, char *to)
{
    size_t i;
    to[0] = '\0';
    for (i = 0; i < size && i < 20; i++) snprintf(to + 2 * i, 3, "%02x", id[i]);
    return to;
}

/* 1 if each section of code of the program stands at the same addresses in the other file, which may have none. */
static int load_same_layout(const elf_image *program, const elf_image *other)
{
    elf_section s, t;
    uint32_t i, k, at = 1;
    int any = 0;
    for (k = 1; !any && k < other->section_count; k++)
        any = elf_section_at(other, k, &t) && (t.flags & ELF_SECTION_EXEC) && t.size != 0;
    for (i = 1; any && i < program->section_count; i++) {
        if (!elf_section_at(program, i, &s) || !(s.flags & ELF_SECTION_EXEC) || s.size == 0) continue;
        for (k = 0; k < other->section_count; k++, at = at + 1 < other->section_count ? at + 1 : 1)
            if (elf_section_at(other, at, &t) && (t.flags & ELF_SECTION_EXEC) && t.address == s.address &&
                t.size == s.size)
                break;
        if (k == other->section_count) return 0;
    }
    return 1;
}

/* 1 if two files are of one build: by build ids, where both have one, else by where their code is; or why not. */
int load_same_build(const elf_image *program, const elf_image *other, char *why, size_t why_size)
{
    char its[41], own[41];
    size_t as, bs;
    const unsigned char *const a = elf_build_id(program, &as), *const b = elf_build_id(other, &bs);
    if (other->machine != program->machine) return load_fail(why, why_size, "it is for another machine");
    if (a == NULL || b == NULL)
        return load_same_layout(program, other) ||
               load_fail(why, why_size, "it is of another build: its code is at other addresses");
    if (as == bs && memcmp(a, b, as) == 0) return 1;
    snprintf(why, why_size, "it is of another build: its build id is %s, that of the program %s",
             load_id_text(b, bs, its), load_id_text(a, as, own));
    return 0;
}

void load_close_other(load_other *f)
{
    file_close(&f->file);
    free(f->path);
    memset(f, 0, sizeof *f);
}

/* Opens a regular file. Returns 0 with a sentence in why, and nothing to close; -1: likewise, memory is exhausted. */
int load_open_other(load_other *f, const char *path, char *why, size_t why_size)
{
    struct stat st;
    int ok = 0;
    memset(f, 0, sizeof *f);
    if (stat(path, &st) != 0) return load_fail(why, why_size, file_why());
    errno = 0;
    if (!S_ISREG(st.st_mode)) return load_fail(why, why_size, "not a regular file");
    f->path = (char *)malloc(strlen(path) + 1);
    if (f->path == NULL) load_fail(why, why_size, "out of memory");
    else if (!file_open_named(path, &f->file)) load_fail(why, why_size, file_why());
    else ok = load_elf(&f->file, &f->elf, why, why_size) &&
              load_link(&f->file, &f->elf, why, why_size);
    if (ok) strcpy(f->path, path);
    if (ok) return 1;
    ok = f->path == NULL || errno == ENOMEM ? -1 : 0;
    load_close_other(f);
    return ok;
}

/*
 * Gives a program what a file has of these kinds and nobody else has; preferred: also debug information instead of the
 * program's. Of two symbol tables the one with more functions counts: strip may leave some. The file is closed if
 * nothing is taken, else it is the program's. Returns what was taken, as bits.
 */
unsigned load_take(loaded *l, load_other *f, unsigned kinds, int preferred)
{
    const unsigned has = load_kinds(&f->elf) & kinds;
    const uint32_t symbols = has & 1u << LOAD_SYMBOLS ? load_function_symbols(&f->elf) : 0;
    unsigned takes = has & load_lacks(l), kind;
    if (preferred) takes |= has & 1u << LOAD_LINES;
    if (symbols != 0 && symbols + (preferred != 0) > load_function_symbols(load_symbols(l)))
        takes |= 1u << LOAD_SYMBOLS;
    if (takes == 0 || l->others == LOAD_OTHERS) return load_close_other(f), 0;
    l->other[l->others++] = *f;
    for (kind = 0; kind < LOAD_KINDS; kind++)
        if (takes & 1u << kind) l->from[kind] = (unsigned char)l->others;
    return takes;
}

/* Takes what a file of the same build has of the program that was opened. Returns 0 with a sentence in why. */
int load_debug(loaded *l, const char *path, char *why, size_t why_size)
{
    const unsigned code = 1u << LOAD_SYMBOLS, places = 1u << LOAD_LINES | 1u << LOAD_PROBES;
    char reason[160];
    load_other f;
    int ok;
    if (load_open_other(&f, path, reason, sizeof reason) != 1) {
        snprintf(why, why_size, "its debug binary %s: %s", path, reason);
        return 0;
    }
    ok = load_same_build(&l->elf, &f.elf, reason, sizeof reason);
    if (!ok) snprintf(why, why_size, "its debug binary %s is not used: %s", path, reason);
    if (!ok) return load_close_other(&f), 0;
    if (load_take(l, &f, (1u << LOAD_KINDS) - 1, 1) != 0) return 1;
    if (!(load_lacks(l) & code) && (load_lacks(l) & places) != places) return 1;
    snprintf(why, why_size, "its debug binary %s has no %s", path,
             load_lacks(l) & code ? "symbols" : "debug information and no probes");
    return 0;
}

#endif
