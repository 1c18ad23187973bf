/* first_trace.c - --first: the traces of processes
 *
 * A process that fork makes begins with copies of what its parent has, as its memory is one; what vfork makes uses that
 * of its parent.
 */
#include "first.h"

#if defined(REC_SOFTWARE)

rec_first *rec_first_of_child(const recorder *r, rec_first *parent, pid_t process, int shared, int silent)
{
    rec_first *child;
    size_t i;
    if (parent == NULL) return NULL;
    if (shared) return parent->users++, parent;
    child = (rec_first *)malloc(sizeof *child);
    if (child == NULL) rec_die(r->tool, "out of memory");
    *child = *parent;
    child->users = 1;
    child->owner = process;
    child->forked = 1;
    child->silent |= silent;
    child->module = (rec_module *)malloc((parent->room + 1) * sizeof *child->module);
    child->ran = (rec_ran *)malloc((parent->ran_room + 1) * sizeof *child->ran);
    if (child->module == NULL || child->ran == NULL) rec_die(r->tool, "out of memory");
    if (parent->ran_count != 0) memcpy(child->ran, parent->ran, parent->ran_count * sizeof *child->ran);
    for (i = 0; i < parent->count; i++) {
        rec_module *const d = &child->module[i];
        const size_t n = r->traces->file[parent->module[i].file]->count + 1;
        *d = parent->module[i];
        d->state = (unsigned char *)malloc(n);
        d->code = (unsigned char *)malloc(n);
        if (d->state == NULL || d->code == NULL) rec_die(r->tool, "out of memory");
        memcpy(d->state, parent->module[i].state, n);
        memcpy(d->code, parent->module[i].code, n);
    }
    return child;
}

/* The id of a function, whose name the traces know. */
static uint64_t rec_entry_id(const recorder *r, const rec_file *f, const rec_entry *e)
{
    char made[REC_MADE];
    size_t size;
    const char *const name = rec_entry_name(f, e, made, &size);
    if (csspgo_layout_add_name(r->traces->l, name, size, NULL) != CSSPGO_OK) rec_die(r->tool, "out of memory");
    return csspgo_guid(name, size);
}

/* Adds what ran in a process to the traces; a function that is mapped twice counts once. */
static void rec_add_trace(const recorder *r, const rec_first *first)
{
    rec_traces *const t = r->traces;
    uint64_t *const id = (uint64_t *)malloc((first->ran_count + 1) * sizeof *id);
    csspgo_trace trace;
    size_t i, n = 0;
    if (id == NULL) rec_die(r->tool, "out of memory");
    t->traces++;
    for (i = 0; i < first->ran_count; i++) {
        const rec_file *const f = t->file[first->ran[i].file];
        rec_entry *const e = &f->entry[first->ran[i].entry];
        if (e->trace == t->traces) continue;
        e->trace = t->traces;
        id[n++] = rec_entry_id(r, f, e);
    }
    memset(&trace, 0, sizeof trace);
    trace.id = id;
    trace.count = n;
    trace.weight = 1;
    t->functions += n;
    if (csspgo_layout_add(t->l, &trace, 1, 0, NULL) != CSSPGO_OK) rec_die(r->tool, "out of memory");
    free(id);
}

void rec_first_end(const recorder *r, rec_first *first, int exec)
{
    size_t i;
    if (first == NULL || --first->users != 0) return;
    if (!first->silent && first->ran_count != 0 && !(exec && first->forked)) rec_add_trace(r, first);
    for (i = 0; i < first->count; i++) rec_free_module(&first->module[i]);
    free(first->module);
    free(first->ran);
    free(first);
}

int rec_first_begin(recorder *r)
{
    csspgo_layout_options how;
    memset(&how, 0, sizeof how);
    how.limit_traces = how.limit_length = 1;               /* to so many, which is all */
    how.max_traces = how.max_length = UINT32_MAX;
    r->traces = (rec_traces *)calloc(1, sizeof *r->traces);
    if (r->traces != NULL) r->traces->l = csspgo_layout_new(&how, NULL, NULL);
    return (r->traces != NULL && r->traces->l != NULL) || (fail(r->tool, "out of memory"), 0);
}

int rec_first_write(recorder *r)
{
    csspgo_error e;
    csspgo_status s;
    size_t size = 0;
    char *text;
    csspgo_layout_write(r->traces->l, NULL, 0, &size, &e);
    text = (char *)malloc(size + 1);
    if (text == NULL) return fail(r->tool, "out of memory"), 0;
    s = csspgo_layout_write(r->traces->l, text, size, &size, &e);
    if (s == CSSPGO_OK) fwrite(text, 1, size, r->out);
    else fail(r->tool, "%s", plain(&e));
    free(text);
    return s == CSSPGO_OK;
}

rec_first_counts rec_first_count(const recorder *r)
{
    rec_first_counts n;
    size_t i;
    memset(&n, 0, sizeof n);
    n.traces = r->traces->traces;
    n.functions = r->traces->functions;
    for (i = 0; i < r->traces->count; i++) n.files += r->traces->file[i]->wanted && r->traces->file[i]->count != 0;
    return n;
}

void rec_first_free(recorder *r)
{
    rec_traces *const t = r->traces;
    size_t i;
    for (i = 0; t != NULL && i < t->count; i++) {
        load_free(&t->file[i]->program);
        free(t->file[i]->path);
        free(t->file[i]->entry);
        free(t->file[i]);
    }
    if (t == NULL) return;
    free(t->file);
    csspgo_layout_free(t->l);
    free(t);
    r->traces = NULL;
}

#endif
