/*
 * test_moved.c - stale matching of code that moved between functions, or beside a call that never ran, on generated
 * pairs of programs with known counts
 *
 * A program of the old version has main, f (a tree of statements), and what the kind of change needs; the new version
 * has the same statements in other functions. A statement keeps its probabilities, so the counts of both versions are
 * known. The old ones, sampled, become a profile; what the matcher makes of it is compared with the new ones.
 *
 *   test_moved [-v]     -v: a line for each pair
 */
#include "t.h"

enum { STMTS = 4000, FUNCS = 6, TOKENS = 900 };
enum kind { CALL, PLAIN, IF, IF_ELSE, LOOP };
enum change { OUTLINE, INLINE, SPLIT, MERGE, WRAPPER, LOOP_OUT, RETRY, CHANGES };

/* What the mean of many pairs must reach, in percent: overlap with the truth, counts four times too high. */
static const struct { const char *name; double overlap, wrong; } laws[CHANGES] = {
    { "outlined", 91, 5 }, { "inlined by hand", 68, 20 }, { "split in two", 88, 8 }, { "merged", 78, 6 },
    { "wrapped", 88, 8 }, { "loop moved", 87, 8 }, { "second call", 84, 14 }
};

typedef struct stmt {
    enum kind kind;
    char      callee[8];
    double    p;                       /* IF: share that enters; LOOP: times round */
    struct stmt *child[2], *next;
} stmt;

typedef struct func {
    char  name[8];
    stmt *body;
    double entries;
    unsigned tokens;
    unsigned under[TOKENS];            /* per class: the one that it is under */
    uint64_t checksum;
    struct { int is_call; unsigned eq, under; double n; char callee[8]; } t[TOKENS];
} func;

typedef struct program { func f[FUNCS]; unsigned n; } program;

static uint32_t state;
static stmt pool[STMTS];
static unsigned used, callees;

static unsigned rnd(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return (state >> 8) % n;
}

static stmt *make(enum kind k)
{
    stmt *s = &pool[used++];
    if (used > STMTS) abort();
    memset(s, 0, sizeof *s);
    s->kind = k;
    return s;
}

static stmt *call_of(const char *name)
{
    stmt *s = make(CALL);
    strcpy(s->callee, name);
    return s;
}

/* n statements; calls: how many of ten are calls. */
static stmt *list(unsigned n, unsigned depth, unsigned calls)
{
    stmt *first = NULL, **at = &first;
    while (n-- > 0) {
        const unsigned what = rnd(10);
        stmt *s;
        if (what < calls) {
            s = make(CALL);
            sprintf(s->callee, "c%u", rnd(callees));
        } else if (depth == 0 || what == 9) {
            s = make(PLAIN);
        } else {
            const unsigned shape = rnd(10);
            s = make(shape < 4 ? IF : shape < 7 ? IF_ELSE : LOOP);
            s->p = s->kind == LOOP ? 2 + rnd(30) : rnd(5) == 0 ? 0 : (1 + rnd(19)) / 20.0;
            s->child[0] = list(1 + rnd(4), depth - 1, calls);
            if (s->kind == IF_ELSE) s->child[1] = list(1 + rnd(3), depth - 1, calls);
        }
        *at = s;
        at = &s->next;
    }
    return first;
}

static stmt *copy(const stmt *s)
{
    stmt *first = NULL, **at = &first;
    for (; s != NULL; s = s->next) {
        stmt *t = make(s->kind);
        *t = *s;
        t->next = NULL;
        t->child[0] = copy(s->child[0]);
        t->child[1] = copy(s->child[1]);
        *at = t;
        at = &t->next;
    }
    return first;
}

static unsigned length(const stmt *s)
{
    unsigned n = 0;
    for (; s != NULL; s = s->next) n++;
    return n;
}

/* The place of the i-th statement, or of the end. */
static stmt **nth(stmt **at, unsigned i)
{
    while (i-- > 0 && *at != NULL) at = &(*at)->next;
    return at;
}

static unsigned blocks(const stmt *s)
{
    unsigned n = 0;
    for (; s != NULL; s = s->next) n += (unsigned)(s->kind >= IF) + blocks(s->child[0]) + blocks(s->child[1]);
    return n;
}

static int has_loop(const stmt *s);
static int holds_loop(const stmt *s) { return s->kind == LOOP || has_loop(s->child[0]) || has_loop(s->child[1]); }

static int has_loop(const stmt *s)
{
    while (s != NULL && !holds_loop(s)) s = s->next;
    return s != NULL;
}

/* Small changes inside of code. */
static void edit(stmt **at, unsigned n)
{
    while (n-- > 0) {
        stmt **where = at, *s;
        unsigned depth = rnd(3);
        where = nth(where, rnd(length(*where) + 1));
        while (depth-- > 0 && *where != NULL && (*where)->kind >= IF && (*where)->child[0] != NULL) {
            where = &(*where)->child[0];
            where = nth(where, rnd(length(*where)));
        }
        if (*where != NULL && (*where)->kind <= PLAIN && rnd(3) == 0) {
            *where = (*where)->next;
            continue;
        }
        s = rnd(2) ? make(PLAIN) : make(IF);
        s->p = rnd(20) / 20.0;
        if (s->kind == IF) s->child[0] = make(PLAIN);
        s->next = *where;
        *where = s;
    }
}

static void token(func *f, int is_call, const char *callee, unsigned eq, double n)
{
    if (f->tokens == TOKENS) abort();
    f->t[f->tokens].under = f->under[eq];
    f->t[f->tokens].is_call = is_call;
    f->t[f->tokens].eq = eq;
    f->t[f->tokens].n = n;
    strcpy(f->t[f->tokens++].callee, callee);
    if (!is_call) f->checksum = f->checksum * 31 + eq;
}

/* Numbers the blocks and calls of a list that begins in the last block. */
static void lower(func *f, const stmt *s, unsigned eq, double n, unsigned *classes)
{
    for (; s != NULL; s = s->next) {
        unsigned inner = 0;
        if (s->kind == CALL) token(f, 1, s->callee, 0, n);
        if (s->kind < IF) continue;
        if (s->kind == LOOP) {
            token(f, 0, "", ++*classes, n * (s->p + 1));          /* the condition */
            inner = ++*classes;
            f->under[inner] = inner - 1;
            token(f, 0, "", inner, n * s->p);
            lower(f, s->child[0], inner, n * s->p, classes);
        } else {
            inner = ++*classes;
            f->under[inner] = eq;
            token(f, 0, "", inner, n * s->p);
            lower(f, s->child[0], inner, n * s->p, classes);
            if (s->kind == IF_ELSE) {
                inner = ++*classes;
                f->under[inner] = eq;
                token(f, 0, "", inner, n * (1 - s->p));
                lower(f, s->child[1], inner, n * (1 - s->p), classes);
            }
        }
        token(f, 0, "", eq, n);                                   /* behind it */
    }
}

static func *add(program *p, const char *name, stmt *body)
{
    func *f = &p->f[p->n++];
    memset(f, 0, sizeof *f);
    strcpy(f->name, name);
    f->body = body;
    return f;
}

/* Counts a program whose functions stand callers first. */
static void count(program *p)
{
    unsigned i, k, j;
    p->f[0].entries = 1;
    for (i = 0; i < p->n; i++) {
        func *f = &p->f[i];
        unsigned classes = 1;
        f->checksum = 17;
        token(f, 0, "", 1, f->entries);
        lower(f, f->body, 1, f->entries, &classes);
        f->checksum = (f->checksum << 20) + f->tokens + 1;
        for (k = 0; k < f->tokens; k++)
            for (j = i + 1; j < p->n; j++)
                if (f->t[k].is_call && strcmp(f->t[k].callee, p->f[j].name) == 0) p->f[j].entries += f->t[k].n;
    }
}

/* A profile of samples. */
static csspgo_profile *sampled(const program *p)
{
    static char text[FUNCS * TOKENS * 40];
    csspgo_profile *to = csspgo_profile_new(NULL, NULL);
    char *t = text;
    unsigned i, k;
    double most = 1;
    for (i = 0; i < p->n; i++)
        for (k = 0; k < p->f[i].tokens; k++)
            if (p->f[i].t[k].n > most) most = p->f[i].t[k].n;
    for (i = 0; i < p->n; i++) {
        const func *f = &p->f[i];
        t += sprintf(t, "%s:1:%lu\n", f->name, (unsigned long)(f->entries * 20000 / most + 1));
        for (k = 0; k < f->tokens; k++) {
            const double x = f->t[k].n * 20000 / most;
            const unsigned long n = (unsigned long)(x * (90 + rnd(21)) / 100 + rnd(100) / 100.0);
            if (n == 0 && f->t[k].is_call) continue;
            t += sprintf(t, f->t[k].is_call ? " %u: %lu %s:%lu\n" : " %u: %lu\n", k + 1, n, f->t[k].callee, n);
        }
        t += sprintf(t, " !CFGChecksum: %llu\n", (unsigned long long)f->checksum);
    }
    T_EQ(csspgo_read(to, text, (size_t)(t - text), NULL), CSSPGO_OK);
    return to;
}

static uint64_t guid(const char *name) { return csspgo_guid(name, strlen(name)); }

/* The program's code, for the matcher; with_under: it tells what runs before each block. */
static void describe(const program *p, int with_under, csspgo_match_code *c, csspgo_match_loc (*v)[TOKENS])
{
    unsigned i, k;
    memset(c, 0, p->n * sizeof *c);
    for (i = 0; i < p->n; i++) {
        const func *f = &p->f[i];
        memset(v[i], 0, sizeof v[i]);
        for (k = 0; k < f->tokens; k++) {
            v[i][k].loc = csspgo_loc_at(k + 1, 0);
            v[i][k].kind = f->t[k].is_call ? CSSPGO_MATCH_CALL : CSSPGO_MATCH_BLOCK;
            v[i][k].eq = f->t[k].eq;
            v[i][k].under = with_under ? f->t[k].under : 0;
            if (f->t[k].is_call) v[i][k].callee = guid(f->t[k].callee);
        }
        c[i].name = f->name;
        c[i].name_size = strlen(f->name);
        c[i].checksum = f->checksum;
        c[i].loc = v[i];
        c[i].locs = f->tokens;
    }
}

/* Moves n statements from *at on into a new function; a call is left there. */
static stmt *outline(stmt **at, unsigned n, const char *name)
{
    stmt *body = *at, **end = nth(at, n), *rest = *end, *c = call_of(name);
    *end = NULL;
    c->next = rest;
    *at = c;
    return body;
}

/* Replaces the call at *at by what it calls. */
static void inlined(stmt **at, stmt *body)
{
    stmt *rest = (*at)->next;
    *at = body;
    *nth(at, length(body)) = rest;
}

static stmt **find_call(stmt **at, const char *name)
{
    for (; *at != NULL; at = &(*at)->next) {
        int k;
        if ((*at)->kind == CALL && strcmp((*at)->callee, name) == 0) return at;
        for (k = 0; k < 2; k++) {
            stmt **in = find_call(&(*at)->child[k], name);
            if (in != NULL) return in;
        }
    }
    return NULL;
}

static stmt **find_loop(stmt **at)
{
    for (; *at != NULL; at = &(*at)->next) {
        stmt **in;
        if ((*at)->kind == LOOP && blocks((*at)->child[0]) >= 1) return at;
        if ((in = find_loop(&(*at)->child[0])) != NULL || (in = find_loop(&(*at)->child[1])) != NULL) return in;
    }
    return NULL;
}

static void insert(stmt **at, stmt *s)
{
    s->next = *at;
    *at = s;
}

/* n branches. */
static stmt *branches(unsigned n, double p)
{
    stmt *first = NULL;
    while (n-- > 0) {
        stmt *s = make(IF);
        s->p = p >= 0 ? p : (1 + rnd(19)) / 20.0;
        s->child[0] = make(PLAIN);
        insert(&first, s);
    }
    return first;
}

/*
 * A loop that calls r rarely, and calls it again, after other code, if that fails, which never happened. n branches
 * stand before the first call, and m between the two.
 */
static stmt *retry(unsigned n, unsigned m)
{
    stmt *loop = make(LOOP), *rare = make(IF), *failed = make(IF), *cold = branches(m, 0);
    loop->p = 40 + rnd(200);
    rare->p = 0.01 + rnd(10) / 100.0;
    failed->p = 0;
    *nth(&cold, length(cold)) = call_of("r");
    failed->child[0] = cold;
    rare->child[0] = call_of("r");
    rare->child[0]->next = failed;
    loop->child[0] = branches(n, -1);
    *nth(&loop->child[0], n) = rare;
    rare->next = branches(1 + rnd(4), -1);
    return loop;
}

/* The loop of retry(). */
static stmt **find_retry(stmt **at)
{
    for (; *at != NULL; at = &(*at)->next) {
        const stmt *in = (*at)->kind == LOOP ? (*at)->child[0] : NULL;
        for (; in != NULL; in = in->next)
            if (in->kind == IF && in->child[0]->kind == CALL && strcmp(in->child[0]->callee, "r") == 0) return at;
    }
    return NULL;
}

/*
 * One pair. Half of them have few calls; a third has a small helper that the new version does not have any more, and
 * that could be taken for the new function; a third was changed a little besides. Returns the number of statements
 * that moved.
 */
static void pair(enum change change, program *old, program *now)
{
    const unsigned calls = rnd(2) ? 1 : 4, helper = rnd(3) == 0, edits = rnd(3) == 0 ? 1 + rnd(2) : 0;
    stmt *body, *g, *h, *f, *moved = NULL, **at, *extra = NULL;
    int i;
    old->n = now->n = used = 0;
    callees = 3 + rnd(12);
    do body = list(7 + rnd(6), 3, calls); while (!has_loop(body) || blocks(body) < 8 || blocks(body) > 90);
    do g = list(5 + rnd(4), 2, calls); while (!has_loop(g) || blocks(g) < 5 || blocks(g) > 60);
    do h = list(4 + rnd(4), 2, calls); while (blocks(h) < 4 || blocks(h) > 60);
    if (helper) {
        extra = make(IF);
        extra->p = 0.3;
        extra->child[0] = make(PLAIN);
        insert(nth(&body, length(body)), call_of("help"));
    }
    if (change == INLINE) {
        at = nth(&body, rnd(length(body)));
        if (*at != NULL && (*at)->kind >= IF && rnd(2)) at = nth(&(*at)->child[0], rnd(2));
        insert(at, call_of("g"));
    }
    if (change == MERGE) {
        at = nth(&body, rnd(length(body)));
        insert(at, call_of("h"));
        insert(at, call_of("g"));
    }
    if (change == RETRY) insert(nth(&body, rnd(length(body))), retry(4 + rnd(8), 3 + rnd(8)));
    f = copy(body);
    if (helper) {                                     /* gone: its code is where it was called, or nowhere */
        at = find_call(&f, "help");
        if (rnd(2)) inlined(at, copy(extra));
        else *at = (*at)->next;
    }
    switch (change) {
    case OUTLINE:
        do at = nth(&f, rnd(length(f) - 1)); while ((*at)->kind < IF && (*at)->next->kind < IF);
        moved = outline(at, 2 + rnd(3), "n");
        break;
    case SPLIT:
        at = nth(&f, length(f) / 2);
        moved = outline(at, 100, "n");
        break;
    case LOOP_OUT:                                    /* a loop with a branch in it, or the first list with a loop */
        if ((at = find_loop(&f)) == NULL) for (at = &f; !holds_loop(*at);) at = &(*at)->next;
        moved = outline(at, 1, "n");
        break;
    case WRAPPER:
        moved = f;
        f = make(IF);
        f->p = 0.1;
        f->child[0] = make(PLAIN);
        f->next = call_of("n");
        break;
    case INLINE: inlined(find_call(&f, "g"), copy(g)); break;
    case RETRY:                                       /* branches before the calls are gone, some between are new */
        at = &(*find_retry(&f))->child[0];
        *at = *nth(at, 2 + rnd(3));
        at = &(*find_call(at, "r"))->next->child[0];
        for (i = (int)rnd(6); i > 0; i--) insert(at, branches(1, 0));
        break;
    default:
        at = find_call(&f, "g");
        (*at)->next = (*at)->next->next;
        strcpy((*at)->callee, "n");
        moved = copy(g);
        *nth(&moved, length(moved)) = copy(h);
    }
    edit(moved != NULL ? &moved : &f, edits);
    for (i = 0; i < 2; i++) {                         /* main calls f 100 times, in both */
        program *p = i == 0 ? old : now;
        stmt *loop = make(LOOP);
        loop->p = 100;
        loop->child[0] = call_of("f");
        add(p, "main", loop);
        add(p, "f", i == 0 ? body : f);
    }
    if (change == INLINE || change == MERGE) add(old, "g", g);
    if (change == MERGE) add(old, "h", h);
    if (helper) add(old, "help", extra);
    if (moved != NULL) add(now, "n", moved);
    count(old);
    count(now);
}

typedef struct score { double overlap, wrong; unsigned pairs, renamed; } score;

/* Overlap of the blocks of all functions with the truth; *wrong: the share of counts that are four times too high. */
static double compare(const program *now, const csspgo_profile *q, double *wrong)
{
    double all = 0, got = 0, both = 0;
    unsigned i, k, round;
    *wrong = 0;
    for (round = 0; round < 2; round++)
        for (i = 1; i < now->n; i++) {
            const func *f = &now->f[i];
            const csspgo_node node = csspgo_find(q, f->name);
            for (k = 0; k < f->tokens; k++) {
                const double is = node.id != 0 ? (double)csspgo_body_count(q, node, csspgo_loc_at(k + 1, 0)) : 0;
                if (f->t[k].is_call) continue;
                if (round == 0) {
                    all += f->t[k].n;
                    got += is;
                } else if (got > 0) {
                    const double a = f->t[k].n / all, b = is / got;
                    both += a < b ? a : b;
                    if (b > 4 * a + 0.001) *wrong += b;
                }
            }
        }
    return both;
}

static score one(enum change change, uint32_t seed, int with_under, int verbose)
{
    static program old, now;
    static csspgo_match_loc v[FUNCS][TOKENS];
    csspgo_match_code c[FUNCS];
    csspgo_match_report r;
    csspgo_matcher *m = csspgo_matcher_new(NULL, NULL, NULL);
    csspgo_profile *p, *q = csspgo_profile_new(NULL, NULL);
    score s;
    uint64_t lost = 0;
    memset(&s, 0, sizeof s);
    state = seed * 2654435761u + 12345;
    pair(change, &old, &now);
    p = sampled(&old);
    describe(&now, with_under, c, v);
    T_EQ(csspgo_matcher_module(m, p, c, now.n, &r, NULL), CSSPGO_OK);
    T_EQ(csspgo_matcher_apply(m, p, q, &lost, NULL), CSSPGO_OK);
    s.overlap = compare(&now, q, &s.wrong);
    s.pairs = 1;
    if (now.n > 2 && now.f[2].tokens > 20) s.renamed = csspgo_matcher_profile_of(m, guid("n")) == guid("help");
    if (verbose) {
        const uint64_t was = csspgo_matcher_profile_of(m, guid("n"));
        printf("%-16s %4u  overlap %5.1f  wrong %5.1f  lost %6llu  n: %s, %u tokens; f had %u\n", laws[change].name,
               (unsigned)seed, 100 * s.overlap, 100 * s.wrong, (unsigned long long)lost,
               was == guid("help") ? "help" : was == guid("f") ? "a part of f" : was == guid("n") ? "new" : "another",
               now.n > 2 ? now.f[2].tokens : 0, old.f[1].tokens);
    }
    csspgo_matcher_free(m);
    csspgo_profile_free(p);
    csspgo_profile_free(q);
    return s;
}

/* The mean of many pairs of one kind. */
static score mean(enum change change, int with_under, int verbose)
{
    const unsigned long pairs = t_cases("CSSPGO_CASES", 40, 200);
    score all;
    uint32_t seed;
    memset(&all, 0, sizeof all);
    for (seed = 1; seed <= pairs; seed++) {
        const score s = one(change, seed + 1000u * (uint32_t)change, with_under, verbose);
        all.overlap += 100 * s.overlap / (double)pairs;
        all.wrong += 100 * s.wrong / (double)pairs;
        all.renamed += s.renamed;
        all.pairs++;
    }
    if (verbose)
        printf("%-16s pairs %u  under %d  overlap %.1f  wrong %.1f\n", laws[change].name, all.pairs, with_under,
               all.overlap, all.wrong);
    return all;
}

int main(int argc, char **argv)
{
    const int verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    int k;
    for (k = 0; k < CHANGES; k++) {
        const score all = mean((enum change)k, 1, verbose), blind = mean((enum change)k, 0, verbose);
        T_EQ(all.renamed, 0);
        T_MSG(all.overlap >= laws[k].overlap, laws[k].name);
        T_MSG(all.wrong <= laws[k].wrong, laws[k].name);
        T_MSG(all.overlap >= blind.overlap + (k == RETRY ? 1 : -0.3), laws[k].name);
    }
    return t_end();
}
