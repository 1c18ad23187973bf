/* stripped.c - match: records of probes whose code was not found */
#include "match.h"

/*
 * The records that have no address get one that is none, so that their ids, kinds and inlinees are known. Returns 0 after
 * saying what is wrong.
 */
int match_without_code(match_run *m)
{
    const csspgo_probe_tables t = csspgo_probe_set_tables(m->probes);
    uint64_t *const address = (uint64_t *)malloc((t.record_count + 1) * sizeof *address);
    csspgo_probe_set *probes = NULL;
    csspgo_probe_section in;
    char why[256] = "out of memory";
    size_t i;
    memset(&in, 0, sizeof in);
    in.addresses = address;
    in.address_count = t.record_count;
    for (i = 0; address != NULL && i < t.record_count; i++)
        address[i] = t.records[i].flags & CSSPGO_RECORD_BASED ? t.records[i].address : MATCH_NOWHERE + ((uint64_t)i << 32);
    if (address != NULL) probes = load_sections_at(&m->image, &in, why, sizeof why);
    free(address);
    if (probes == NULL) return fail(m->tool, "%s: %s", m->binary, why), 0;
    csspgo_probe_set_free(m->probes);
    m->probes = probes;
    return 1;
}
