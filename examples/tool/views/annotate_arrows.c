/* annotate_arrows.c - annotate, HTML: where instructions branch to, and lines between instructions */
#include "views.h"

enum { ARROW_LANES = 12, ARROW_MOST = 20000, ARROW_LONG = 1000 };   /* beside each other; of a function; instructions */
enum { ARROW_TOP = 1, ARROW_PASS = 2, ARROW_BOTTOM = 4, ARROW_HEAD = 8 };

int note_target_of(const char *text, note_target *t)
{
    const size_t size = strlen(text);
    const char *const open = size != 0 && text[size - 1] == '>' ? strstr(text, " <") : NULL;
    t->end = open != NULL ? open : text + size;
    t->name = open != NULL ? open + 2 : NULL;
    for (t->begin = t->end; t->begin > text && strchr("0123456789abcdef", t->begin[-1]) != NULL;) t->begin--;
    t->known = t->begin < t->end && t->end - t->begin <= 16;
    t->address = t->known ? strtoull(t->begin, NULL, 16) : 0;
    if (t->begin > text + 1 && t->begin[-1] == 'x' && t->begin[-2] == '0') t->begin -= 2;
    if (open == NULL && strstr(text, "jump 0x") == NULL && strstr(text, "call 0x") == NULL) t->known = 0;
    return t->known || open != NULL;
}

size_t note_insn_at(const annotate_run *a, uint64_t address)
{
    size_t low = 0, high = a->insns;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (a->insn[mid].address < address) low = mid + 1;
        else high = mid;
    }
    return low < a->insns && a->insn[low].address == address ? low + 1 : 0;
}

/* 1: a branch, no call, of x86-64 or AArch64, or as the decoder has it. */
static int arrow_branches(const char *text)
{
    static const char *const words[] = { "b ", "b.", "cbz ", "cbnz ", "tbz ", "tbnz ", "loop" };
    size_t i;
    for (i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(text, words[i], strlen(words[i])) == 0) return 1;
    return text[0] == 'j' || strstr(text, " jump 0x") != NULL;
}

typedef struct arrow { size_t low, high, to; } arrow;

static int arrow_order(const void *a, const void *b)
{
    const arrow *x = (const arrow *)a, *y = (const arrow *)b;
    if (x->high - x->low != y->high - y->low) return x->high - x->low < y->high - y->low ? -1 : 1;
    return x->low < y->low ? -1 : x->low > y->low;
}

/* The first lane, from the right, in which nothing is between both ends; ARROW_LANES: none. */
static size_t arrow_lane(const note_arrows *w, const arrow *v)
{
    size_t lane, i;
    for (lane = 0; lane < ARROW_LANES; lane++) {
        for (i = v->low; i <= v->high && (w->cell[i * ARROW_LANES + lane] & ~ARROW_HEAD) == 0; i++) continue;
        if (i > v->high) return lane;
    }
    return lane;
}

/* 1 if an arrow from one instruction to another one is to be drawn: what is too long is not seen whole. */
static int arrow_set(arrow *v, size_t from, size_t to)
{
    v->low = to < from ? to : from;
    v->high = to < from ? from : to;
    v->to = to;
    return v->high != v->low && v->high - v->low <= ARROW_LONG;
}

/* Short ones first: they are next to the code. What finds no lane is not drawn. */
static void arrows_draw(note_arrows *w, arrow *list, size_t n)
{
    size_t i, k;
    if (n != 0) qsort(list, n, sizeof *list, arrow_order);
    for (k = 0; k < n; k++) {
        const arrow *const v = &list[k];
        const size_t lane = arrow_lane(w, v);
        if (lane == ARROW_LANES) continue;
        for (i = v->low; i <= v->high; i++)
            w->cell[i * ARROW_LANES + lane] |= i == v->low ? ARROW_TOP : i == v->high ? ARROW_BOTTOM : ARROW_PASS;
        w->cell[v->to * ARROW_LANES] |= ARROW_HEAD;
        if (lane >= w->lanes) w->lanes = lane + 1;
    }
}

int note_arrows_make(const annotate_run *a, note_arrows *w)
{
    arrow *const list = (arrow *)malloc((a->insns + 1) * sizeof *list);
    size_t n = 0, i;
    w->cell = (unsigned char *)calloc(a->insns + 1, ARROW_LANES);
    if (list == NULL || w->cell == NULL) return free(list), 0;
    for (i = 0; i < a->insns && n < ARROW_MOST; i++) {
        note_target t;
        const size_t to = note_target_of(a->insn[i].text, &t) && t.known ? note_insn_at(a, t.address) : 0;
        if (to != 0 && arrow_branches(a->insn[i].text)) n += (size_t)arrow_set(&list[n], i, to - 1);
    }
    arrows_draw(w, list, n);
    free(list);
    return 1;
}

int note_arrows_chain(const annotate_run *a, note_arrows *w)
{
    arrow *const list = (arrow *)malloc((a->edges + 1) * sizeof *list);
    size_t n = 0, i;
    w->cell = (unsigned char *)calloc(a->insns + 1, ARROW_LANES);
    if (list == NULL || w->cell == NULL) return free(list), 0;
    for (i = 0; i < a->edges && n < ARROW_MOST; i++) n += (size_t)arrow_set(&list[n], a->edge[i].from, a->edge[i].to);
    arrows_draw(w, list, n);
    free(list);
    return 1;
}

void note_arrows_free(note_arrows *w)
{
    free(w->cell);
}

void note_arrows_put(const note_arrows *w, size_t insn, int above, FILE *out)
{
    const unsigned char *const cell = w->cell + insn * ARROW_LANES;
    size_t lane = w->lanes;
    int across = 0;
    if (w->lanes == 0) return;
    fputs("<span class=\"flow\" aria-hidden=\"true\">", out);
    while (lane-- != 0) {
        const int is = cell[lane] & ~ARROW_HEAD;
        if (above) fputs((is & (ARROW_PASS | ARROW_BOTTOM)) != 0 ? "\xe2\x94\x82" : " ", out);
        else if (is == ARROW_TOP) fputs(across ? "\xe2\x94\xac" : "\xe2\x95\xad", out);
        else if (is == ARROW_BOTTOM) fputs(across ? "\xe2\x94\xb4" : "\xe2\x95\xb0", out);
        else if (is == ARROW_PASS) fputs(across ? "\xe2\x94\xbc" : "\xe2\x94\x82", out);
        else fputs(across ? "\xe2\x94\x80" : " ", out);
        across |= is == ARROW_TOP || is == ARROW_BOTTOM;
    }
    fputs(above || !across ? "  " : (cell[0] & ARROW_HEAD) != 0 ? "\xe2\x96\xb6 " : "\xe2\x94\x80 ", out);
    fputs("</span>", out);
}
