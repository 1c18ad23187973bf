/* events.h - events of a pipeline as text, as data/bottleneck/sim has them; behind t.h, with CSSPGO_WITH_BOTTLENECK. */
#ifndef EVENTS_H
#define EVENTS_H

typedef struct event_text {
    char  *text;
    size_t size, cap;
    unsigned long cycles;
    size_t stop_at;               /* events after which the sink refuses more; 0: never */
} event_text;

static void event_put(event_text *o, const char *form, unsigned long long a, unsigned long long b, unsigned long long c)
{
    if (o->cap - o->size < 100) {
        o->cap = 2 * o->cap + 1000;
        o->text = (char *)realloc(o->text, o->cap);
        if (o->text == NULL) abort();
    }
    o->size += (size_t)snprintf(o->text + o->size, 100, form, a, b, c);
}

static void event_put_one(event_text *o, const csspgo_bottleneck_event *e)
{
    size_t i;
    switch (e->kind) {
    case CSSPGO_BOTTLENECK_DISPATCHED: event_put(o, "D %llu", e->iid, 0, 0); break;
    case CSSPGO_BOTTLENECK_EXECUTED: event_put(o, "X %llu", e->iid, 0, 0); break;
    case CSSPGO_BOTTLENECK_STALLED: event_put(o, "S", 0, 0, 0); break;
    case CSSPGO_BOTTLENECK_CYCLE: event_put(o, "E", 0, 0, 0), o->cycles++; break;
    case CSSPGO_BOTTLENECK_ISSUED:
        event_put(o, "I %llu 0x%llx", e->iid, e->busy, 0);
        if (e->reg.cycles != 0) event_put(o, " r:%llu,%llu,%llu", e->reg.iid, e->reg.reg, e->reg.cycles);
        else event_put(o, " r:-", 0, 0, 0);
        if (e->mem.cycles != 0) event_put(o, " m:%llu,%llu", e->mem.iid, e->mem.cycles, 0);
        else event_put(o, " m:-", 0, 0, 0);
        for (i = 0; i < e->uses; i++) event_put(o, " %llu:%llu", e->use[i].unit, e->use[i].cycles, 0);
        break;
    case CSSPGO_BOTTLENECK_RESOURCES:
    case CSSPGO_BOTTLENECK_REGISTERS:
    case CSSPGO_BOTTLENECK_MEMORY:
        event_put(o, "P %llu 0x%llx", (unsigned)e->kind - CSSPGO_BOTTLENECK_RESOURCES + 1, e->busy, 0);
        for (i = 0; i < e->waits; i++) event_put(o, " %llu:0x%llx", e->waiting[i].iid, e->waiting[i].busy, 0);
        break;
    case CSSPGO_BOTTLENECK_KIND_FORCE_32: break;
    }
    event_put(o, "\n", 0, 0, 0);
}

/* A csspgo_bottleneck_sink's function. */
static csspgo_status event_sink(void *ctx, const csspgo_bottleneck_event *e, size_t count)
{
    event_text *o = (event_text *)ctx;
    for (; count != 0; count--, e++) {
        if (o->stop_at != 0 && --o->stop_at == 0) return CSSPGO_E_IO;
        event_put_one(o, e);
    }
    return CSSPGO_OK;
}

#endif
