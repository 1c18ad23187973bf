/* size_jit.c - what a JIT has of the library: code map, ring buffer, collector, profile, tracker; see size.sh */
#define CSSPGO_STATIC
#define CSSPGO_IMPLEMENTATION
#ifdef ESTIMATE
#  define CSSPGO_WITH_ESTIMATE
#endif
#include "../csspgo.h"
#include <string.h>

static csspgo_ring ring;
static csspgo_code_function function;
static csspgo_transfer transfer[2];
static csspgo_inline_node inlinee[1];
static csspgo_probe probe[2];

int main(void)
{
    csspgo_error e;
    csspgo_sample sample;
    csspgo_mmap map;
    csspgo_code *code = csspgo_code_new(NULL, &e);
    const csspgo_module all = csspgo_no_module();
    csspgo_collector *c = csspgo_collector_new(code, NULL, NULL, &e);
    csspgo_profile *p = csspgo_profile_new(NULL, &e);
    csspgo_tracker *t;
    csspgo_node n;
    csspgo_generate_options how;
    csspgo_func any;
    memset(&how, 0, sizeof how);
#ifdef ESTIMATE
    how.estimate_fn = csspgo_estimate_blocks;   /* also samples without branch records make a profile */
#endif
    any.id = 0;
    csspgo_code_add_function(code, all, &function, &e);
    csspgo_code_add_transfers(code, all, transfer, 2, &e);
    csspgo_code_add_probes(code, all, inlinee, 1, probe, 2, &e);
    while (csspgo_ring_next(&ring, &sample, &map, &e) == CSSPGO_ITEM_SAMPLE) csspgo_collector_add(c, &sample, 1, &e);
    csspgo_code_remove(code, 0, 4096, &e);
    csspgo_collector_profile(c, &how, p, NULL, &e);
    t = csspgo_tracker_new(p, NULL, &e);
    n = csspgo_tracker_callee(t, csspgo_find(p, "main"), csspgo_loc_at(1, 0), any);
    if (csspgo_tracker_promote(t, n, NULL, NULL) != CSSPGO_OK) csspgo_tracker_mark_inlined(t, n, NULL);
    csspgo_tracker_free(t);
    csspgo_profile_free(p);
    csspgo_collector_free(c);
    csspgo_code_free(code);
    return 0;
}
