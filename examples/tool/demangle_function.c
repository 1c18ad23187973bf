/* demangle_function.c - mangled names: functions with their parameters, special names */
#include "demangle.h"

static void dm_call_offset(demangler *d)
{
    const char *digits;
    const int is_virtual = dm_take(d, "v");
    if (!is_virtual && !dm_take(d, "h")) dm_fail(d);
    dm_take(d, "n");
    dm_number(d, &digits);
    if (is_virtual) {
        if (!dm_take(d, "_")) dm_fail(d);
        dm_take(d, "n");
        dm_number(d, &digits);
    }
    if (!dm_take(d, "_")) dm_fail(d);
}

static uint32_t dm_prefixed(demangler *d, const char *text, uint32_t of)
{
    const uint32_t n = dm_text(d, DM_PREFIXED, text, strlen(text));
    d->node[n].a = of;
    return n;
}

static uint32_t dm_special(demangler *d)
{
    uint32_t a, b;
    size_t ignored;
    const char *digits;
    if (dm_take(d, "TV")) return dm_prefixed(d, "vtable for ", dm_type(d));
    if (dm_take(d, "TT")) return dm_prefixed(d, "VTT for ", dm_type(d));
    if (dm_take(d, "TI")) return dm_prefixed(d, "typeinfo for ", dm_type(d));
    if (dm_take(d, "TS")) return dm_prefixed(d, "typeinfo name for ", dm_type(d));
    if (dm_take(d, "TW")) return dm_prefixed(d, "thread-local wrapper routine for ", dm_name(d, NULL));
    if (dm_take(d, "TH")) return dm_prefixed(d, "thread-local initialization routine for ", dm_name(d, NULL));
    if (dm_take(d, "GV")) return dm_prefixed(d, "guard variable for ", dm_name(d, NULL));
    if (dm_take(d, "Tc")) {
        dm_call_offset(d), dm_call_offset(d);
        return dm_prefixed(d, "covariant return thunk to ", dm_encoding(d));
    }
    if (dm_take(d, "TC")) {
        b = dm_type(d);
        dm_number(d, &digits);
        if (!dm_take(d, "_")) return dm_fail(d);
        a = dm_prefixed(d, "construction vtable for ", dm_type(d));
        d->node[a].b = b;
        return a;
    }
    if (dm_take(d, "GR")) {
        a = dm_name(d, NULL);
        if (!dm_sequence(d, &ignored)) return dm_fail(d);
        return dm_prefixed(d, "reference temporary for ", a);
    }
    if (!dm_take(d, "T")) return dm_fail(d);
    b = dm_at(d, 0) == 'v';
    dm_call_offset(d);
    return dm_prefixed(d, b ? "virtual thunk to " : "non-virtual thunk to ", dm_encoding(d));
}

static int at_end(const demangler *d)
{
    return d->p == d->end || *d->p == 'E' || *d->p == '.' || *d->p == '_';
}

/* Gives parameters that stood before the arguments their meaning. */
static void dm_resolve(demangler *d, uint32_t from)
{
    for (; from < d->nodes && !d->failed; from++) {
        const uint32_t index = d->node[from].size;
        if (d->node[from].kind != DM_FORWARD) continue;
        if (d->levels == 0 || index >= d->params) dm_fail(d);
        else d->node[from] = d->node[d->param[index]];
    }
}

/* Something behind a function, a list if it is one, up to a bracket. */
static uint32_t dm_behind(demangler *d, uint32_t n, const char *text, uint32_t what, int is_list)
{
    const uint32_t behind = dm_text(d, DM_BEHIND, text, strlen(text));
    if (d->failed) return 0;
    d->node[behind].a = n;
    d->node[behind].b = what;
    d->node[behind].cv = (unsigned char)is_list;
    return behind;
}

/* Behind the name: what a function returns, takes and requires. */
static uint32_t dm_declarator(demangler *d, uint32_t name, const dm_state *state)
{
    uint32_t n, result = 0, enabled = 0, last = 0;
    if (dm_take(d, "Ua9enable_ifI"))
        while (!d->failed && !dm_take(d, "E")) last = dm_append(d, &enabled, last, dm_template_arg(d));
    if (state->ends_with_args && !state->plain_return) result = dm_type(d);
    n = dm_new(d, DM_ENCODING, name, 0);
    result = d->failed ? 0 : result;
    d->node[n].b = dm_parameters(d);
    d->node[n].c = result;
    d->node[n].cv = state->cv;
    d->node[n].ref = state->ref;
    if (enabled != 0) n = dm_behind(d, n, " [enable_if:", enabled, 1);
    if (dm_take(d, "Q")) n = dm_behind(d, n, " requires ", dm_constraint(d), 0);
    return n;
}

/* A name, with the types of its parameters if it is a function's. Parameters of templates outside are out of sight. */
uint32_t dm_encoding(demangler *d)
{
    uint32_t param[DM_PARAMS], level[DM_LEVELS];
    const uint32_t params = d->params, levels = d->levels, first = d->nodes;
    const int lambda = d->lambda, forward = d->forward, plain = d->plain;
    uint32_t n;
    dm_state state;
    if (!dm_enter(d)) return 0;
    if (dm_at(d, 0) == 'T' || dm_at(d, 0) == 'G') return dm_leave(d, dm_special(d));
    memcpy(param, d->param, params * sizeof *param);
    memcpy(level, d->level, sizeof level);
    d->params = d->levels = 0;
    d->forward = d->plain = 0;
    memset(&state, 0, sizeof state);
    n = dm_name(d, &state);
    dm_resolve(d, first);
    if (!d->failed && !at_end(d)) n = dm_declarator(d, n, &state);
    memcpy(d->param, param, params * sizeof *param);
    memcpy(d->level, level, sizeof level);
    d->params = params;
    d->levels = levels;
    d->lambda = lambda;
    d->forward = forward;
    d->plain = plain;
    return dm_leave(d, n);
}
