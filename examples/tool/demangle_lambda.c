/* demangle_lambda.c - mangled names: types without names, lambdas, parameters of templates */
#include "demangle.h"

/* ----- parameters that lambdas' templates declare ----------------------------------------------------------------- */

int dm_at_param(const demangler *d)
{
    const char x = dm_at(d, 1);
    return dm_at(d, 0) == 'T' && (x == 'y' || x == 'p' || x == 't' || x == 'n' || x == 'k');
}

/* A name for what has none: $T, $T0, $T1 ... */
static uint32_t made_name(demangler *d, unsigned kind, int keep)
{
    static const char *const letters[3] = { "$T", "$N", "$TT" };
    const uint32_t n = dm_text(d, DM_PARAMETER, letters[kind], strlen(letters[kind]));
    if (d->failed) return 0;
    d->node[n].cv = DM_PACK_PARAM + 1;
    d->node[n].c = d->made[kind]++;
    if (!keep) return n;
    if (d->params == DM_PARAMS) return dm_fail(d);
    d->param[d->params++] = n;
    return n;
}

static uint32_t parameter(demangler *d, unsigned kind, uint32_t a, uint32_t name, const char *text)
{
    const uint32_t n = dm_text(d, DM_PARAMETER, text, strlen(text));
    if (d->failed) return 0;
    d->node[n].cv = (unsigned char)kind;
    d->node[n].a = a;
    d->node[n].b = name;
    return n;
}

/* A new level of parameters. Returns 0 if there are too many. */
static int begin_level(demangler *d)
{
    if (d->levels == DM_LEVELS) return dm_fail(d), 0;
    d->level[d->levels++] = d->params;
    return 1;
}

static uint32_t template_template(demangler *d, int keep)
{
    const uint32_t name = made_name(d, DM_TEMPLATE_PARAM, keep), params = d->params, levels = d->levels;
    uint32_t list = 0, last = 0;
    if (!begin_level(d)) return 0;
    while (!d->failed && !dm_take(d, "E")) {
        if (dm_take(d, "Q")) {
            dm_constraint(d);
            if (!dm_take(d, "E")) dm_fail(d);
            break;
        }
        last = dm_append(d, &list, last, dm_declared_param(d, 1));
    }
    d->params = params;
    d->levels = levels;
    return parameter(d, DM_TEMPLATE_PARAM, list, name, "");
}

static uint32_t declared_here(demangler *d, int keep)
{
    uint32_t a, name;
    if (dm_take(d, "Ty")) return name = made_name(d, 0, keep), parameter(d, DM_TYPE_PARAM, 0, name, "typename ");
    if (dm_take(d, "Tk")) {
        a = dm_name(d, NULL);
        name = made_name(d, 0, keep);
        return parameter(d, DM_TYPE_PARAM, a, name, " ");
    }
    if (dm_take(d, "Tn")) {
        name = made_name(d, 1, keep);
        a = dm_type(d);
        return parameter(d, DM_VALUE_PARAM, a, name, "");
    }
    if (dm_take(d, "Tt")) return template_template(d, keep);
    if (dm_take(d, "Tp")) return a = dm_declared_param(d, keep), parameter(d, DM_PACK_PARAM, a, 0, "...");
    return dm_fail(d);
}

uint32_t dm_declared_param(demangler *d, int keep)
{
    if (!dm_enter(d)) return 0;
    return dm_leave(d, declared_here(d, keep));
}

/* ----- lambdas ---------------------------------------------------------------------------------------------------- */

static uint32_t lambda_signature(demangler *d)
{
    uint32_t templates = 0, list = 0, last = 0, first = 0, second = 0, n;
    while (!d->failed && dm_at_param(d)) last = dm_append(d, &templates, last, dm_declared_param(d, 1));
    if (templates == 0) d->levels--;
    else if (dm_take(d, "Q")) first = dm_constraint(d);
    last = 0;
    if (!dm_take(d, "v"))
        do last = dm_append(d, &list, last, dm_type(d));
        while (!d->failed && dm_at(d, 0) != 'E' && dm_at(d, 0) != 'Q');
    if (dm_take(d, "Q")) second = dm_constraint(d);
    if (!dm_take(d, "E")) return dm_fail(d);
    n = dm_new(d, DM_LIST, first, second);
    first = n;
    n = dm_new(d, DM_SIGNATURE, templates, list);
    if (!d->failed) d->node[n].c = first;
    return n;
}

static uint32_t lambda(demangler *d)
{
    const int before = d->lambda;
    const uint32_t params = d->params, levels = d->levels;
    uint32_t n;
    d->lambda = 1 + (int)d->levels;
    if (!begin_level(d)) return 0;
    n = lambda_signature(d);
    d->lambda = before;
    d->params = params;
    d->levels = levels;
    return dm_new(d, DM_LAMBDA, n, 0);
}

uint32_t dm_unnamed(demangler *d, dm_state *state)
{
    const char *digits;
    size_t size;
    uint32_t n;
    if (state != NULL) d->params = d->levels = 0;
    if (dm_take(d, "Ub")) {
        dm_number(d, &digits);
        return dm_take(d, "_") ? dm_constant(d, "'block-literal'") : dm_fail(d);
    }
    if (dm_take(d, "Ul")) n = lambda(d);
    else n = dm_take(d, "Ut") ? dm_new(d, DM_UNNAMED, 0, 0) : dm_fail(d);
    size = dm_number(d, &digits);
    if (d->failed || !dm_take(d, "_")) return dm_fail(d);
    d->node[n].text = digits;
    d->node[n].size = (uint32_t)size;
    return n;
}

/* ----- T_ --------------------------------------------------------------------------------------------------------- */

/* T_, T0_, TL0__ ...: an argument of the template; "auto" in the parameters of a generic lambda. */
uint32_t dm_template_param(demangler *d)
{
    const char *const begin = d->p, *digits;
    size_t i, n, index = 0, level = 0, end;
    if (!dm_take(d, "T")) return dm_fail(d);
    if (dm_take(d, "L")) {
        n = dm_number(d, &digits);
        for (i = 0; i < n && level < 100; i++) level = level * 10 + (size_t)(digits[i] - '0');
        level++;
        if (n == 0 || !dm_take(d, "_")) return dm_fail(d);
    }
    n = dm_number(d, &digits);
    for (i = 0; i < n && index < 100000; i++) index = index * 10 + (size_t)(digits[i] - '0');
    if (n != 0) index++;
    if (!dm_take(d, "_")) return dm_fail(d);
    if (d->constraint) return dm_text(d, DM_NAME, begin, (size_t)(d->p - 1 - begin));
    if (d->forward && level == 0) {
        const uint32_t forward = dm_new(d, DM_FORWARD, 0, 0);
        if (!d->failed) d->node[forward].size = (uint32_t)index;
        return forward;
    }
    if (level < d->levels) {
        end = level + 1 < d->levels ? d->level[level + 1] : d->params;
        if (index < end - d->level[level]) return d->param[d->level[level] + index];
    }
    if (d->lambda == 0 || level + 1 != (size_t)d->lambda || level > d->levels) return dm_fail(d);
    if (level == d->levels) begin_level(d);
    return dm_constant(d, "auto");
}
