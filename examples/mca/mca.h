/* mca.h - models for csspgo_sim_run of any block, for any CPU that LLVM 19 knows, from what llvm-mca-19 prints.
 *
 * llvm-mca does not print its machine tables, but they show in what it does with a few instructions, and it does that
 * for thousands of small blocks in one run. Measured that way, for the CPU asked for:
 *
 *     printed         dispatch width, reorder buffer, entries of scheduler buffers and register files, names of units;
 *                     of an instruction micro-operations, latency, whether it loads or stores, the physical registers
 *                     that it takes, and its share of each unit
 *     from one run    the units that an instruction takes, and for how long; with its shares of units, and the sets of
 *                     simple instructions: candidate sets; the buffers in which it shows
 *     from a slow     in front of an instruction a slow write of each register, implicit ones too: is the instruction
 *     write           ready late, and by how much less than other readers (it reads it, with an advance); is a reader
 *                     behind it not late (it writes it); is the reader late, but the instruction was not (an eliminated
 *                     move, whose result is another name)
 *     from pairs      the latency of each result: when a reader behind the instruction is ready. Each pair of a writer
 *                     and a reader of the block again: results that are forwarded to some readers earlier
 *     from a queue    retire width, load and store queue: a slow chain, and many operations behind it
 *     llvm-mc         the order of reads and writes, and LLVM's numbers of registers
 *     assumed         the number of the flags (next to a register whose number is known); which writes clear the rest
 *                     of a register (as the instruction sets say)
 *
 * A block with an instruction that the simulator does not model as LLVM does gets an "estimate" line that says why.
 * x86-64 and AArch64, general and vector registers. It runs llvm-mca-19 and llvm-mc-19, and needs POSIX: before the
 * first #include define _POSIX_C_SOURCE as 200809L.
 */
#ifndef MCA_H
#define MCA_H

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct mca_options {
    const char *mcpu, *mtriple;   /* as llvm-mca's options; NULL: skylake, x86_64                     */
    const char *mca, *mc;         /* commands; NULL: llvm-mca-19, llvm-mc-19                           */
    unsigned iterations;          /* for the models; 0: 100                                           */
    unsigned alias;               /* 1: loads may depend on stores, as with llvm-mca -noalias=false   */
} mca_options;

typedef struct mca_text {         /* grows; terminated */
    char  *v;
    size_t size, cap;
} mca_text;

static void *mca_more(void *p, size_t bytes)
{
    p = realloc(p, bytes != 0 ? bytes : 1);
    if (p == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return p;
}

static void mca_put(mca_text *t, const char *form, ...)
{
    va_list args;
    int n;
    va_start(args, form);
    n = vsnprintf(NULL, 0, form, args);
    va_end(args);
    if (t->cap < t->size + (size_t)n + 1) t->v = (char *)mca_more(t->v, t->cap = 2 * (t->size + (size_t)n) + 100);
    va_start(args, form);
    vsnprintf(t->v + t->size, (size_t)n + 1, form, args);
    va_end(args);
    t->size += (size_t)n;
}

/* ----- registers ----- */

enum { MCA_FLAGS = 64, MCA_ROOTS = 65, MCA_REGS = 300, MCA_LIST = 24 };

typedef struct mca_reg {          /* a register; roots 0 to 31 are general ones, from 32 on vector registers */
    char     name[12];
    unsigned number, root, bits;
    unsigned high;                /* 1: bits 8 to 15, like %ah */
} mca_reg;

/* A use of a unit: one of a set. */
typedef struct mca_use {
    uint64_t units;
    unsigned cycles;
} mca_use;

/* Of one instruction what was measured. */
typedef struct mca_inst {
    char    *text;                /* as it stands in the block                                      */
    char    *shown;               /* as llvm-mca prints it                                          */
    unsigned opcode, operand[MCA_LIST], operands;   /* LLVM's; numbers of its register operands, in LLVM's order */
    int      uops, latency, load, store;
    mca_use  use[MCA_LIST];
    unsigned uses;
    uint64_t buffers;
    int      registers[4];        /* that it takes of each register file */
    uint64_t reads[2], writes[2]; /* sets of roots */
    uint64_t unseen[2];           /* those written later than the probes show */
    int      def_latency[MCA_ROOTS];
    int      advance[MCA_ROOTS];  /* of reads */
    unsigned alias[MCA_ROOTS];    /* of an eliminated move: the root that this one then stands for, + 1 */
    struct mca_seen *probe;       /* of each root: MCA_PROBES regions */
    int      named[MCA_ROOTS];    /* 1: a candidate: probes of it are made; 2: it is an operand         */
    unsigned like;                /* an instruction with this opcode, + 1: has the same hidden registers */
    double   share[64];           /* of each unit, in cycles                */
    int      taken[8][64];        /* by copies 0 to 7 of it in a row        */
    unsigned bits;                /* of the first general register          */
    int      wide;                /* 1: its width is that of the block's registers for implicit ones */
    int      reserves;            /* 1: its uses stand for groups that it reserves                   */
    char     why[80];             /* why it is not modelled exactly; "": it is                       */
} mca_inst;

typedef struct mca_link {         /* a read and a def that it depends on */
    unsigned reader, read;        /* line of the input; root */
    unsigned writer, def;         /* the same of the def */
} mca_link;

typedef struct mca_pair {         /* a writer and a reader of the block, and what their model says */
    unsigned writer, reader;
    int      latency;             /* the largest of those between them      */
    unsigned roots, root;         /* number of registers between them; one  */
    int      seen;                /* the latency that was measured; -1: none */
} mca_pair;

typedef struct mca {
    const mca_options *how;
    const char *mcpu, *mtriple;
    int         x86;
    mca_reg     reg[MCA_REGS];
    unsigned    regs, flags;      /* flags: their number */
    mca_inst   *inst;
    unsigned    insts, learnt;    /* learnt: with those that only show candidate sets */
    unsigned   *line, *region;    /* of each line of the input: instruction, number of its region */
    unsigned    lines, regions;
    unsigned   *begin;            /* of each region its first line; one more   */
    unsigned   *cycles;           /* that llvm-mca says for it                 */
    /* the machine */
    int         width, rob, retire, loads, stores;
    char        unit[64][40];     /* name of the resource that a unit belongs to */
    unsigned    units;
    char        buffer[64][40];
    int         entries[64];
    unsigned    buffers;
    int         files[4];         /* registers of each register file; 0: any number, or there is none */
    uint64_t    known[256];       /* candidate sets found without doubt */
    unsigned    knowns;
    mca_pair   *pair;
    unsigned    pairs;
    mca_link   *link;             /* by reader */
    unsigned    links;
    int         merges;           /* 1: a write to a part of a general register keeps the rest of it */
    unsigned    ignored[8], ignores;     /* registers that nothing writes */
    int        *crossed;          /* of a region: the source of an eliminated move is written before its last use */
    int        *stalled;          /* of a region: the block exhausts something that is not modelled */
    char        why[200];         /* what failed */
} mca;

static int mca_fail(mca *m, const char *form, ...)
{
    va_list args;
    va_start(args, form);
    if (m->why[0] == '\0') vsnprintf(m->why, sizeof m->why, form, args);
    va_end(args);
    return 0;
}

static void mca_doubt(mca_inst *x, const char *why)
{
    if (x->why[0] == '\0') snprintf(x->why, sizeof x->why, "%s", why);
}

/* ----- running LLVM's tools ----- */

/* Runs a tool on `text`; its output, terminated, for free(). NULL: it failed. */
static char *mca_run(mca *m, int mc, const char *options, const char *text)
{
    char path[] = "/tmp/mca.XXXXXX", command[1000], *end;
    const char *tool = mc ? (m->how->mc != NULL ? m->how->mc : "llvm-mc-19")
                          : m->how->mca != NULL ? m->how->mca : "llvm-mca-19";
    mca_text out;
    size_t n;
    FILE *f;
    const int fd = mkstemp(path);
    memset(&out, 0, sizeof out);
    if (fd < 0 || (f = fdopen(fd, "w")) == NULL) return mca_fail(m, "a temporary file cannot be made"), NULL;
    n = fwrite(text, 1, strlen(text), f);
    if (fclose(f) != 0 || n != strlen(text)) mca_fail(m, "a temporary file cannot be written");
    snprintf(command, sizeof command, "%s -%s=%s -mcpu=%s %s %s 2>/dev/null", tool, mc ? "triple" : "mtriple",
             m->mtriple, m->mcpu, options, path);
    f = popen(command, "r");
    while (f != NULL) {
        if (out.cap < out.size + 65537) out.v = (char *)mca_more(out.v, out.cap = 2 * out.size + 65537);
        n = fread(out.v + out.size, 1, 65536, f);
        out.size += n;
        if (n == 0) break;
    }
    unlink(path);
    if (f == NULL || pclose(f) != 0)
        mca_fail(m, "%s fails for CPU %s: is it installed, does the block assemble?", tool, m->mcpu);
    if (out.v != NULL) out.v[out.size] = '\0';
    if (m->why[0] == '\0') return out.v;
    for (end = out.v; end != NULL; end = NULL) free(out.v);
    return NULL;
}

/* The number behind `"key": ` in this line of JSON, at p; 0 if it is another key. */
static int mca_key(const char *p, const char *key, double *v)
{
    const size_t n = strlen(key);
    while (*p == ' ') p++;
    if (*p != '"' || strncmp(p + 1, key, n) != 0 || p[n + 1] != '"') return 0;
    p += n + 3;
    *v = strtod(p, NULL);
    if (strncmp(p, " true", 5) == 0) *v = 1;
    return 1;
}

static const char *mca_next_line(const char *p)
{
    p = strchr(p, '\n');
    return p != NULL ? p + 1 : NULL;
}

#include "mca_insn.h"
#include "mca_sets.h"
#include "mca_block.h"

#endif
