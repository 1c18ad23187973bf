/*
 * annotate_flow.c - annotate: which instructions execute equally often, and so which counts are known
 *
 * A profile has one count for all places of a probe or line in the code: of unrolled copies, of a loop's peeled first
 * iteration, of what was moved elsewhere. It tells the count of an instruction only if all these places execute equally
 * often. From where a count is known it is carried over the block, and to blocks that execute equally often.
 *
 * A block is cut into stretches, one behind each call: a call may end the program or throw. What is behind it executes
 * at most as often as what is before.
 */
#include "views.h"

#define NOTE_TORN (UINT64_MAX - 1)                   /* in note_flow.known, until note_column_end */

/* The decoded instruction at an address; *code: its bytes. Returns 0: it is not in the file. */
static int note_decoded(const annotate_run *a, uint64_t address, csspgo_insn *insn, const unsigned char **code,
                        size_t *left)
{
    elf_section s;
    if (!note_section(a, address, &s)) return 0;
    *code = s.contents + (size_t)(address - s.address);
    *left = (size_t)(s.size - (address - s.address));
    if (a->in.image.elf.machine == ELF_AARCH64) csspgo_decode_aarch64(*code, *left, address, insn);
    else csspgo_decode_x86_64(*code, *left, address, insn);
    return 1;
}

/* 1 if the instruction does nothing: compilers pad code with such. */
static int note_is_padding(const annotate_run *a, uint64_t address)
{
    const unsigned char *p;
    csspgo_insn insn;
    size_t left;
    if (!note_decoded(a, address, &insn, &p, &left)) return 0;
    if (a->in.image.elf.machine == ELF_AARCH64)
        return left >= 4 && p[0] == 0x1f && p[1] == 0x20 && p[2] == 0x03 && p[3] == 0xd5;
    for (; left > 1 && (*p == 0x66 || *p == 0x2e); left--) p++;
    return *p == 0x90 || *p == 0xcc || (left > 1 && p[0] == 0x0f && p[1] == 0x1f);
}

/* 1 if no block leads to this one: what jumps here, if anything does, is not known. */
static int note_is_detached(const csspgo_code_graph *g, size_t block)
{
    size_t i;
    for (i = 0; i < g->cfg.edges; i++)
        if (g->cfg.edge[i].to == block && g->cfg.edge[i].from != 1) return 0;
    return 1;
}

/* Cuts a block; padding before it is not executed. Returns 0: out of memory. */
static int note_block_cut(annotate_run *a, note_flow *w, const csspgo_code_graph *g, size_t block)
{
    size_t i = first_from(a->insn, a->insns, sizeof *a->insn, g->code[block].begin);
    int begins = 1;
    if (note_is_detached(g, block))
        while (i < a->insns && a->insn[i].address < g->code[block].end && note_is_padding(a, a->insn[i].address)) i++;
    for (; i < a->insns && a->insn[i].address < g->code[block].end; i++) {
        const unsigned char *p;
        csspgo_insn insn;
        size_t left;
        if (begins) {
            if (!debug_room(&w->stretch, w->stretches, &w->cap, sizeof *w->stretch)) return 0;
            w->stretch[w->stretches].block = (uint32_t)block;
            w->stretch[w->stretches++].group = 0;
        }
        a->insn[i].stretch = (uint32_t)w->stretches;
        begins = note_decoded(a, a->insn[i].address, &insn, &p, &left) && insn.kind == CSSPGO_CALL;
    }
    return 1;
}

/*
 * Numbers what executes equally often. Exceptions leave a block at any call, and jumps of which the targets are not known
 * may lead to any block and hide which blocks are landing pads: then only a stretch is sure to be one. Returns 0: out of
 * memory.
 */
static int note_group(note_flow *w, const csspgo_code_graph *g)
{
    uint32_t *const eq = (uint32_t *)calloc(g->cfg.blocks + 1, sizeof *eq);
    uint32_t i;
    int ok = eq != NULL;
    for (i = 0; i < g->cfg.edges; i++) w->throws |= g->cfg.edge[i].to == 1;
    if (ok && !w->throws) ok = csspgo_cfg_classes(&g->cfg, seeded(), eq, NULL) == CSSPGO_OK;
    for (i = 0; ok && i < w->stretches; i++) {
        const uint32_t block = w->stretch[i].block, blocks = (uint32_t)g->cfg.blocks;
        w->stretch[i].group = w->throws ? i : eq[block] != 0 ? eq[block] : blocks + 1 + block;
        if (w->stretch[i].group >= w->groups) w->groups = w->stretch[i].group + 1;
    }
    free(eq);
    return ok;
}

int note_flow_make(annotate_run *a, note_flow *w, const csspgo_code_graph *g)
{
    size_t block;
    memset(w, 0, sizeof *w);
    for (block = 2; block < g->cfg.blocks; block++)
        if (!note_block_cut(a, w, g, block)) return 0;
    if (!note_group(w, g)) return 0;
    w->known = (uint64_t *)malloc((w->stretches + 1) * sizeof *w->known);
    w->of_group = (uint64_t *)malloc((w->groups + (size_t)1) * sizeof *w->of_group);
    return w->known != NULL && w->of_group != NULL;
}

void note_flow_free(note_flow *w)
{
    free(w->stretch);
    free(w->known);
    free(w->of_group);
    memset(w, 0, sizeof *w);
}

void note_column_begin(note_flow *w)
{
    memset(w->known, 0xff, w->stretches * sizeof *w->known);
}

/* What executes has counts for all its probes: where some are 0 and others are not, the others' are of other code. */
static void note_tell_one(note_flow *w, uint32_t stretch, uint64_t count)
{
    uint64_t *const at = &w->known[stretch - 1];
    if (*at == NOTE_UNKNOWN) *at = count;
    else if ((*at == 0) != (count == 0)) *at = NOTE_TORN;
    else if (*at < count) *at = count;
}

note_extent note_extent_of(const note_flow *w, const note_place *v, size_t n)
{
    const note_stretch *const first = &w->stretch[v[0].stretch - 1];
    note_extent extent = NOTE_ONE;
    size_t i;
    for (i = 1; i < n; i++) {
        const note_stretch *const s = &w->stretch[v[i].stretch - 1];
        if (s == first) continue;
        if (s->group != first->group && s->block != first->block) return NOTE_SEVERAL;
        if (s->group != first->group) extent = NOTE_BLOCK;
        else if (extent == NOTE_ONE) extent = NOTE_EQUAL;
    }
    return extent;
}

int note_holds(note_extent extent, uint64_t count)
{
    return count == 0 || extent == NOTE_ONE || (extent == NOTE_EQUAL && count > 1);
}

void note_tell(note_flow *w, const note_place *v, size_t n, note_extent extent, uint64_t count)
{
    uint32_t first = v[0].stretch;
    size_t i;
    if (note_holds(extent, count)) {
        for (i = 0; i < n; i++) note_tell_one(w, v[i].stretch, count);
    } else if (extent == NOTE_BLOCK) {
        for (i = 1; i < n; i++)
            if (v[i].stretch < first) first = v[i].stretch;
        note_tell_one(w, first, count);
    }
}

void note_column_end(note_flow *w)
{
    size_t i;
    memset(w->of_group, 0xff, w->groups * sizeof *w->of_group);
    for (i = 0; i < w->stretches; i++) {
        uint64_t *const at = &w->of_group[w->stretch[i].group];
        if (w->known[i] == NOTE_TORN) w->known[i] = NOTE_UNKNOWN;
        if (w->known[i] != NOTE_UNKNOWN && (*at == NOTE_UNKNOWN || *at < w->known[i])) *at = w->known[i];
    }
}

/*
 * The count of a stretch. What is known of the rest of its block holds from back to front; from front to back, and
 * within a group, only if it is 0, or above 1: the single call of a function that ends the program does not return.
 */
uint64_t note_count_of(const note_flow *w, uint32_t stretch)
{
    const size_t s = stretch - 1;
    uint64_t count;
    size_t i;
    if (stretch == 0) return NOTE_UNKNOWN;
    if (w->known[s] != NOTE_UNKNOWN) return w->known[s];
    for (i = s + 1; i < w->stretches && w->stretch[i].block == w->stretch[s].block; i++)
        if (w->known[i] != NOTE_UNKNOWN && w->known[i] != 0) return w->known[i];
    for (i = s; i > 0 && w->stretch[i - 1].block == w->stretch[s].block; i--) {
        count = w->known[i - 1];
        if (count == 0 || (count != NOTE_UNKNOWN && count > 1 && !w->throws)) return count;
        if (count != NOTE_UNKNOWN) return NOTE_UNKNOWN;
    }
    count = w->of_group[w->stretch[s].group];
    return count == 1 ? NOTE_UNKNOWN : count;
}
