/* start_up.c - profgen: functions that clang makes for initialisation are left out of a profile that is given
 *
 * __cxx_global_var_init and __tls_init are called the same in every file, so their counts would go to wrong code. Of
 * samples the library leaves them out.
 */
#include "profgen.h"

static int is_start_up(const csspgo_profile *p, csspgo_node n)
{
    static const char *const begins[] = { "__cxx_global_var_init", "__tls_init" };
    size_t size, i;
    const char *const name = csspgo_func_name(p, csspgo_node_func(p, n), &size);
    for (i = 0; name != NULL && i < sizeof begins / sizeof *begins; i++)
        if (size >= strlen(begins[i]) && memcmp(name, begins[i], strlen(begins[i])) == 0) return 1;
    return 0;
}

/* Adds a record of `from` to a node of p, which has the same functions. */
static csspgo_status record_copy(csspgo_profile *p, csspgo_node to, const csspgo_profile *from, csspgo_node n)
{
    size_t bodies, targets, types, i;
    const csspgo_body *const b = csspgo_get_bodies(from, n, &bodies);
    const csspgo_target *const t = csspgo_get_targets(from, n, &targets), *const v = csspgo_get_vtables(from, n, &types);
    csspgo_status s = csspgo_add_total(p, to, csspgo_total(from, n));
    if (s == CSSPGO_OK) s = csspgo_add_head(p, to, csspgo_head(from, n));
    if (s == CSSPGO_OK) s = csspgo_set_checksum(p, to, csspgo_checksum(from, n));
    if (s == CSSPGO_OK) s = csspgo_set_attributes(p, to, csspgo_attributes(from, n));
    for (i = 0; i < bodies && s == CSSPGO_OK; i++) s = csspgo_add_body(p, to, b[i].loc, b[i].count);
    for (i = 0; i < targets && s == CSSPGO_OK; i++) s = csspgo_add_target(p, to, t[i].loc, t[i].func, t[i].count);
    for (i = 0; i < types && s == CSSPGO_OK; i++) s = csspgo_add_vtable(p, to, v[i].loc, v[i].func, v[i].count);
    return s;
}

/* Takes all records out of p. list: room for the nodes. */
static csspgo_status records_drop(csspgo_profile *p, csspgo_node *list)
{
    csspgo_node n;
    size_t count = 0;
    for (n.id = 2; n.id < csspgo_node_count(p) + 2; n.id++)
        if (csspgo_node_kind_of(p, n) != CSSPGO_INLINEE) list[count++] = n;
    return csspgo_remove(p, list, count, NULL);
}

csspgo_status start_up_drop(csspgo_profile *p)
{
    const uint32_t nodes = csspgo_node_count(p) + 2;
    csspgo_node *at;
    csspgo_profile *from;
    csspgo_status s;
    csspgo_node n;
    for (n.id = 2; n.id < nodes && !is_start_up(p, n); n.id++) {}
    if (n.id == nodes) return CSSPGO_OK;
    at = (csspgo_node *)calloc(nodes, sizeof *at);
    from = at != NULL ? csspgo_profile_clone(p, NULL) : NULL;
    s = from != NULL ? records_drop(p, at) : CSSPGO_E_NOMEM;
    if (at != NULL) memset(at, 0, nodes * sizeof *at);
    for (n.id = 2; s == CSSPGO_OK && n.id < csspgo_node_count(from) + 2; n.id++) {
        const csspgo_node up = csspgo_node_parent(from, n);
        const csspgo_node to = up.id == csspgo_root(from).id ? csspgo_root(p) : at[up.id];
        const int inlinee = csspgo_node_kind_of(from, n) == CSSPGO_INLINEE, leave = is_start_up(from, n);
        if (to.id == 0 || (inlinee && leave)) continue;    /* an inlinee, or in one, that goes */
        at[n.id] = csspgo_node_add(p, to, csspgo_node_loc(from, n), csspgo_node_kind_of(from, n), csspgo_node_func(from, n));
        if (at[n.id].id == 0) s = CSSPGO_E_NOMEM;
        else if (!leave && csspgo_has_record(from, n)) s = record_copy(p, at[n.id], from, n);
    }
    csspgo_profile_free(from);
    free(at);
    return s;
}
