/* script_model.h - perf script text read the plain way: the whole file, line after line, following the rules that
 * llvm-profgen reads by. An oracle for the push parser: both print what they find in the same form. To be included
 * after csspgo.h. */
#ifndef T_SCRIPT_MODEL_H
#define T_SCRIPT_MODEL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"

/* ----- what is printed: "S COUNT stack | from>to ...", "M pid addr size offset x path", "E STATUS LINE", totals --- */

/* 1 if a frame behind the leaf is known code but no call is before it. code may be NULL. */
static int t_is_cut(const csspgo_code *code, const uint64_t *stack, size_t i)
{
    return code != NULL && i != 0 && csspgo_code_runs_straight(code, stack[i], stack[i]) >= 0 &&
           csspgo_code_call_before(code, stack[i]) == 0;
}

/* 1 if the walk of the stack may miss the caller: at a return, before it, in a function's first 4 bytes. A function
 * begins at each multiple of 512 from T_FIRST_FUNCTION to T_LAST_FUNCTION, which the includer defines. */
static int t_is_unsafe(const csspgo_code *code, uint64_t leaf)
{
    return csspgo_code_runs_straight(code, leaf, leaf) >= 0 &&
           (csspgo_code_transfer_kind(code, leaf) == CSSPGO_RET ||
            csspgo_code_transfer_kind(code, leaf + 1) == CSSPGO_RET ||
            (leaf % 512 < 4 && leaf >= T_FIRST_FUNCTION && leaf - leaf % 512 <= T_LAST_FUNCTION));
}

/* With code the stack is printed as far as it counts: up to the first frame that cuts it. */
static void t_print_sample(t_out *t, const csspgo_sample *s, const csspgo_code *code)
{
    uint32_t i;
    t_num(t, "S ", s->count, 10);
    for (i = 0; i < s->stack_count; i++) {
        t_num(t, " ", s->stack[i], 16);
        if (t_is_cut(code, s->stack, i)) break;
    }
    t_str(t, " |");
    for (i = 0; i < s->branch_count; i++) {
        t_num(t, " ", s->branches[i].from, 16);
        t_num(t, ">", s->branches[i].to, 16);
        if (s->branches[i].flags >> 33 & 1) t_str(t, " NOT TAKEN");
    }
    if (s->time != 0 || s->pid != 0 || s->tid != 0) t_str(t, " ?");
    t_str(t, "\n");
}

static void t_print_mmap(t_out *t, const csspgo_mmap *m)
{
    t_num(t, "M ", m->pid, 10);
    t_num(t, " ", m->address, 16);
    t_num(t, " ", m->size, 16);
    t_num(t, " ", m->file_offset, 16);
    t_str(t, m->executable ? " x " : " - ");
    t_add(t, m->path, m->path_size);
    t_str(t, "\n");
}

static void t_print_end(t_out *t, csspgo_status status, uint64_t line)
{
    if (status == CSSPGO_OK) return;
    t_str(t, "E ");
    t_str(t, csspgo_status_name(status));
    t_num(t, " line ", line, 10);
    t_str(t, "\n");
}

static void t_print_totals(t_out *t, const csspgo_script_stats *s)
{
    t_num(t, s->hybrid ? "hybrid, lines " : "flat, lines ", s->line_count, 10);
    t_num(t, ", attempts ", s->attempts, 10);
    t_num(t, ", samples ", s->samples, 10);
    t_num(t, ", frames ", s->bad_frame_lines, 10);
    t_num(t, ", records ", s->bad_records, 10);
    t_num(t, ", mmaps ", s->bad_mmaps, 10);
    t_num(t, ", stacks ", s->empty_stacks, 10);
    t_num(t, ", oversized ", s->oversized, 10);
    t_num(t, ", first ", s->first_bad_line, 10);
    t_str(t, "\n");
}

/* ----- the model ----- */

typedef struct t_line {
    const char *at;
    size_t      size;
    int         told;             /* a mapping line that was printed before the type was known */
} t_line;

typedef struct t_model {
    t_out            *out;
    const csspgo_code *code;
    t_line            *line;
    size_t             lines, i;
    int                hybrid;
    uint64_t          *stack;             /* room for what the longest line or text can hold */
    csspgo_branch     *branch;
    csspgo_script_stats st;
} t_model;

static int t_digit(char c)
{
    const char *digits = "0123456789abcdefABCDEF", *d = c != '\0' ? strchr(digits, c) : NULL;
    const int v = d != NULL ? (int)(d - digits) : 99;
    return v > 15 && v < 22 ? v - 6 : v;
}

static int t_number(const char *p, size_t n, unsigned base, uint64_t *v)
{
    uint64_t x = 0;
    size_t i;
    for (i = 0; i < n; i++) {
        const unsigned d = (unsigned)t_digit(p[i]);
        if (d >= base || x > (UINT64_MAX - d) / base) return 0;
        x = x * base + d;
    }
    if (n != 0) *v = x;
    return n != 0;
}

static int t_space(char c)
{
    return c != '\0' && strchr(" \t\n\v\f\r", c) != NULL;
}

static t_line t_trim(t_line l, int left, int right)
{
    while (left && l.size != 0 && t_space(l.at[0])) l.at++, l.size--;
    while (right && l.size != 0 && t_space(l.at[l.size - 1])) l.size--;
    return l;
}

static int t_begins(t_line l, const char *s)
{
    return l.size >= strlen(s) && memcmp(l.at, s, strlen(s)) == 0;
}

/* Where s first stands at or behind from; l.size if it does not. */
static size_t t_find(t_line l, size_t from, const char *s)
{
    for (; from < l.size; from++) {
        t_line rest;
        rest.at = l.at + from;
        rest.size = l.size - from;
        if (t_begins(rest, s)) return from;
    }
    return l.size;
}

/* The piece up to the next separator; l becomes what is behind it. */
static t_line t_cut(t_line *l, const char *separator)
{
    const size_t k = t_find(*l, 0, separator), used = k < l->size ? k + strlen(separator) : k;
    t_line piece;
    piece.at = l->at;
    piece.size = k;
    piece.told = 0;
    l->at += used;
    l->size -= used;
    return piece;
}

static int t_is_frame(t_line l, uint64_t *v)
{
    const t_line t = t_trim(l, 1, 0);
    return t_number(t.at, t.size, 16, v);
}

static int t_is_record(t_line word)
{
    return t_begins(word, "0x") && t_find(word, 0, "/") != word.size;
}

static int t_is_branch_line(t_line l)
{
    t_line rest = t_trim(l, 1, 1), a = t_cut(&rest, " "), b = t_cut(&rest, " ");
    if (b.size == 0) b = rest;
    if (t_find(a, 0, ":") != a.size) {
        rest = t_trim(b, 1, 1);
        a = t_cut(&rest, " ");
        b = t_cut(&rest, " ");
        if (b.size == 0) b = rest;
    }
    return t_is_record(a) || t_is_record(b);
}

static int t_is_mmap(t_line l)
{
    return l.size >= 50 && (l.at[0] < '0' || l.at[0] > '9') && t_find(l, 0, "PERF_RECORD_MMAP") != l.size;
}

static int t_digits(t_line l, unsigned base)
{
    size_t i;
    for (i = 0; i < l.size; i++)
        if ((unsigned)t_digit(l.at[i]) >= base || (l.at[i] >= 'A' && l.at[i] <= 'F')) return 0;
    return l.size != 0;
}

static int t_0x(t_line l, uint64_t *v)
{
    if (!t_begins(l, "0x")) return 0;
    l.at += 2;
    l.size -= 2;
    return t_digits(l, 16) && t_number(l.at, l.size, 16, v);
}

/* "PROT PATH" */
static int t_prot(t_line l, csspgo_mmap *m)
{
    const t_line prot = t_cut(&l, " ");
    size_t i;
    m->executable = 0;
    for (i = 0; i < prot.size; i++) {
        if (prot.at[i] != '-' && (prot.at[i] < 'a' || prot.at[i] > 'z')) return 0;
        if (prot.at[i] == 'x') m->executable = 1;
    }
    m->path = l.at;
    m->path_size = l.size;
    return prot.size != 0 && l.at != prot.at + prot.size;
}

static int t_mmap_from(t_line l, int second, csspgo_mmap *m)
{
    t_line pid = t_cut(&l, "/"), tid = t_cut(&l, ": ["), from = t_cut(&l, "("), size = t_cut(&l, ") @ "), offset, best;
    const int negative = t_begins(pid, "-");
    uint64_t v, w;
    size_t k;
    int found = 0;
    memset(m, 0, sizeof *m);
    if (negative) pid.at++, pid.size--;
    if (!t_digits(pid, 10) || !t_number(pid.at, pid.size, 10, &v)) return 0;
    if (!t_digits(tid, 10) || !t_number(tid.at, tid.size, 10, &w)) return 0;
    m->pid = (uint32_t)(negative ? 0 - v : v);
    if (!t_0x(from, &m->address) || !t_0x(size, &m->size)) return 0;
    offset = t_cut(&l, second ? " " : "]: ");
    if (!t_0x(offset, &m->file_offset) && !(offset.size == 1 && *offset.at == '0')) return 0;
    if (l.at == offset.at + offset.size) return 0;                     /* no separator behind it */
    if (!second) return t_prot(l, m);
    for (k = 0; (k = t_find(l, k, "]: ")) != l.size; k++) {
        csspgo_mmap one = *m;
        best.at = l.at + k + 3;
        best.size = l.size - k - 3;
        if (!t_prot(best, &one)) continue;
        *m = one;
        found = 1;
    }
    return found;
}

static void t_model_bad(t_model *m, uint64_t *counter, size_t line)
{
    ++*counter;
    if (m->st.first_bad_line == 0 || line < m->st.first_bad_line) m->st.first_bad_line = line + 1;
}

static void t_model_mmap(t_model *m, size_t i)
{
    const t_line l = m->line[i];
    const int second = t_find(l, 0, "PERF_RECORD_MMAP2 ") != l.size;
    const char *word = second ? "PERF_RECORD_MMAP2 " : "PERF_RECORD_MMAP ";
    size_t k = 0;
    for (; (k = t_find(l, k, word)) != l.size; k++) {
        csspgo_mmap map;
        t_line rest;
        rest.at = l.at + k + strlen(word);
        rest.size = l.size - k - strlen(word);
        if (!t_mmap_from(rest, second, &map)) continue;
        t_print_mmap(m->out, &map);
        return;
    }
    t_model_bad(m, &m->st.bad_mmaps, i);
}

/* Finds the type; prints the mapping events before the line that decides it. */
static int t_model_type(t_model *m)
{
    size_t k = 0, frames, start;
    uint64_t v;
    while (k < m->lines) {
        start = k;
        if (t_number(m->line[k].at, m->line[k].size, 10, &v)) k++;
        for (frames = 0; k < m->lines && t_is_frame(m->line[k], &v); k++) frames++;
        if (k == m->lines) break;
        m->hybrid = frames != 0;
        if (t_is_branch_line(m->line[k])) return 1;
        m->line[k].told = k == start && !t_begins(m->line[k], " 0x") && t_is_mmap(m->line[k]);
        if (m->line[k].told) t_model_mmap(m, k);
        k++;
    }
    return 0;
}

static size_t t_model_records(t_model *m, t_line l, size_t line)
{
    size_t n = 0, words = 0;
    uint64_t ip;
    int named = 0;
    l = t_trim(l, 0, 1);
    while (l.size != 0) {
        t_line word = t_cut(&l, " "), from, to;
        if (word.size == 0) continue;
        if (words++ == 0 && word.at[word.size - 1] == ':') {
            named = 1;
            continue;
        }
        if (words == (named ? 2u : 1u) && t_find(word, 0, "/") == word.size) {
            if (t_number(word.at, word.size, 16, &ip)) continue;
            t_model_bad(m, &m->st.bad_records, line);
            return 0;
        }
        from = t_cut(&word, "/");
        to = t_cut(&word, "/");
        if (from.size < 2 || to.size < 2 || !t_number(from.at + 2, from.size - 2, 16, &m->branch[n].from) ||
            !t_number(to.at + 2, to.size - 2, 16, &m->branch[n].to)) {
            t_model_bad(m, &m->st.bad_records, line);
            break;
        }
        m->branch[n].flags = t_begins(word, "PN") || t_begins(word, "MN") ? (uint64_t)1 << 33 : 0;   /* not taken */
        n++;
    }
    return n;
}

static void t_model_sample(t_model *m, size_t frames, uint64_t count)
{
    csspgo_sample s;
    memset(&s, 0, sizeof s);
    s.branch_count = (uint32_t)t_model_records(m, m->line[m->i], m->i);
    m->i++;
    if (s.branch_count == 0) return;
    s.stack = m->stack;
    s.stack_count = (uint32_t)frames;
    s.branches = m->branch;
    s.count = count;
    m->st.samples++;
    t_print_sample(m->out, &s, m->code);
}

/* One attempt of a hybrid script. Returns 0 at the end of the file inside of one. */
static int t_model_hybrid(t_model *m, uint64_t count)
{
    size_t frames = 0;
    int junk = 0;
    while (m->i < m->lines && !junk && !t_begins(m->line[m->i], " 0x")) {
        junk = !t_is_frame(m->line[m->i++], &m->stack[frames]);
        if (junk && frames != 0) t_model_bad(m, &m->st.bad_frame_lines, m->i - 1);
        if (junk) continue;
        if (!t_is_cut(m->code, m->stack, frames++)) continue;
        while (m->i < m->lines && !t_begins(m->line[m->i], " 0x")) m->i++;
    }
    if (m->i == m->lines && !junk && frames != 0)
        return m->code != NULL && t_is_unsafe(m->code, m->stack[0]);
    if (m->i == m->lines) return 1;
    if (frames != 0 && !junk) {
        t_model_sample(m, frames, count);
    } else if (t_begins(m->line[m->i], " 0x")) {
        if (frames == 0) t_model_bad(m, &m->st.empty_stacks, m->i);
        m->i++;
    }
    return 1;
}

static int t_model_read(t_model *m)
{
    while (m->i < m->lines) {
        const t_line l = m->line[m->i];
        uint64_t count = 1;
        if (t_is_mmap(l)) {
            if (!l.told) t_model_mmap(m, m->i);
            m->i++;
            continue;
        }
        m->st.attempts++;
        if (t_number(l.at, l.size, 10, &count)) m->i++;
        if (m->hybrid && !t_model_hybrid(m, count)) return 0;
        if (!m->hybrid && m->i < m->lines) t_model_sample(m, 0, count);
    }
    return 1;
}

static void t_model_split(t_model *m, const char *text, size_t size, size_t max_line)
{
    const char *p = text, *end = text + size;
    for (; p != end; m->lines++) {
        const char *lf = (const char *)memchr(p, '\n', (size_t)(end - p));
        t_line l;
        l.at = p;
        l.size = (size_t)((lf != NULL ? lf : end) - p);
        l.told = 0;
        p = lf != NULL ? lf + 1 : end;
        if (l.size > max_line) {
            t_model_bad(m, &m->st.oversized, m->lines);
            l.at = "?";
            l.size = 1;
        }
        if (l.size != 0 && l.at[l.size - 1] == '\r') l.size--;
        if ((m->lines & (m->lines - 1)) == 0) {
            m->line = (t_line *)realloc(m->line, (2 * m->lines + 1) * sizeof *m->line);
            if (m->line == NULL) abort();
        }
        m->line[m->lines] = l;
    }
}

/* Prints what a script of less than 1 MiB holds. */
static void t_model_run(t_out *out, const char *text, size_t size, size_t max_line, const csspgo_code *code)
{
    t_model *m = (t_model *)calloc(1, sizeof *m);
    csspgo_status status = CSSPGO_OK;
    if (m == NULL) abort();
    m->out = out;
    m->code = code;
    m->stack = (uint64_t *)malloc((size + 1) * sizeof *m->stack);
    m->branch = (csspgo_branch *)malloc((size + 1) * sizeof *m->branch);
    if (m->stack == NULL || m->branch == NULL) abort();
    t_model_split(m, text, size, max_line);
    if (!t_model_type(m)) status = CSSPGO_E_SYNTAX;
    else if (!t_model_read(m)) status = CSSPGO_E_TRUNCATED;
    m->st.line_count = m->lines;
    m->st.hybrid = (uint32_t)(m->hybrid && status != CSSPGO_E_SYNTAX);
    t_print_end(out, status, m->lines);
    t_print_totals(out, &m->st);
    free(m->stack);
    free(m->branch);
    free(m->line);
    free(m);
}

#endif
