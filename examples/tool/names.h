/* names.h - what the tool knows of functions that a profile has by their GUIDs only */
#ifndef CSSPGO_TOOL_NAMES_H
#define CSSPGO_TOOL_NAMES_H

#include "tool.h"

typedef struct name_entry {       /* a GUID */
    uint64_t guid;
    uint64_t checksum;            /* of its control-flow graph in a binary, 0: not known                              */
    size_t   begin, size;         /* its name in the text; size 0: none                                               */
    size_t   probe, probes;       /* the first of its probes in a binary, and how many, each id once                  */
} name_entry;

typedef struct name_probe {
    uint32_t entry;               /* until they are sorted: whose it is */
    uint32_t id, call;            /* call: 1, or it is a block's        */
} name_probe;

typedef struct name_table {
    char       *text;
    size_t      size, cap;
    name_entry *entry;            /* names_sort: one for each GUID, ascending */
    size_t      count, entry_cap;
    name_probe *probe;            /* by function and id                       */
    int         failed;           /* memory was exhausted                     */
} name_table;

/*
 * names.c: fills the table; all zero it is empty. What names_add, _file, _binary and _profile add is found behind
 * names_sort. Functions that return an int return 0 after saying what is wrong.
 *
 *   names_file     a file with one name a line
 *   names_binary   names of probe descriptors and symbols, these also without the suffix that ThinLTO appends; `probes`
 *                  1: sorts, and also takes what descriptors and probes say of the control-flow graphs
 *   names_profile  the functions of a profile that have names there
 *   names_open     the files and the programs that two options name, in order; what came first counts
 *   names_find     the entry of a GUID; NULL: there is none
 */
void names_add(name_table *v, const char *name, size_t size, uint64_t checksum);
int names_file(const tool_context *tool, name_table *v, const char *path);
int names_binary(const tool_context *tool, name_table *v, const char *path, int probes);
void names_profile(name_table *v, const csspgo_profile *p);
int names_sort(const tool_context *tool, name_table *v);
name_entry *names_find(const name_table *v, uint64_t guid);
int names_open(const tool_context *tool, name_table *v, const option *files, const option *binaries, int probes);
void names_free(name_table *v);

/*
 * contextual.c: contextual profiles as profiles with contexts, of counters in place of samples
 *
 *   is_contextual    1 if a file is one: a bitstream, YAML, or a dump of the runtime
 *   contextual_read  adds one to p, with the names that are known; a status and what failed
 *   contextual_add   the same of one that was read; with stats, csspgo_ctx_combine instead of csspgo_ctx_profile
 *   contextual_new   an empty one; NULL after saying why not
 *   numbering        what the locations of a profile are: "probes", "source lines", or "counters" of a contextual one
 *                    whose functions are not those of a known binary
 *   numberings_agree says so if two profiles have other kinds of locations
 */
int is_contextual(const tool_context *tool, const file_bytes *f);
csspgo_ctx *contextual_new(const tool_context *tool);
csspgo_status contextual_read(const tool_context *tool, const char *path, const file_bytes *f, const name_table *names,
                              csspgo_profile *p, csspgo_error *e);
csspgo_status contextual_add(const tool_context *tool, const char *path, const csspgo_ctx *c, const name_table *names,
                             csspgo_profile *p, csspgo_ctx_combine_stats *stats, csspgo_error *e);
int contextual_write(const tool_context *tool, const char *path, const csspgo_ctx *c,
                     const csspgo_ctx_write_options *how);   /* the exit status */
const char *numbering(const csspgo_profile *p, int contextual);
void numberings_agree(const tool_context *tool, const char *path, const char *its, const char *other,
                      const char *others);

#endif
