/* match_report.h - a report as opt-19 prints it with -report-profile-staleness. Include it after csspgo.h. */
#ifndef T_MATCH_REPORT_H
#define T_MATCH_REPORT_H

/* Writes the report to text, which has room for 1000 bytes; returns its size. */
static size_t match_report_text(const csspgo_match_report *r, char *text)
{
    typedef unsigned long long u;
    const uint64_t sites = r->mismatched_callsites + r->recovered_callsites;
    const uint64_t samples = r->mismatched_samples + r->recovered_samples;
    char *s = text;
    if (r->is_probe)
        s += sprintf(s, "(%llu/%llu) of functions' profile are invalid and (%llu/%llu) of samples are discarded due to "
                        "function hash mismatch.\n",
                     (u)r->stale_functions, (u)r->functions, (u)r->stale_samples, (u)r->samples);
    if (r->has_rename)
        s += sprintf(s, "(%llu/%llu) of functions' profile are matched and (%llu/%llu) of samples are reused by call "
                        "graph matching.\n",
                     (u)r->renamed_functions, (u)r->functions, (u)r->renamed_samples, (u)r->samples);
    s += sprintf(s, "(%llu/%llu) of callsites' profile are invalid and (%llu/%llu) of samples are discarded due to "
                    "callsite location mismatch.\n",
                 (u)sites, (u)r->callsites, (u)samples, (u)r->samples);
    s += sprintf(s, "(%llu/%llu) of callsites and (%llu/%llu) of samples are recovered by stale profile matching.\n",
                 (u)r->recovered_callsites, (u)sites, (u)r->recovered_samples, (u)samples);
    return (size_t)(s - text);
}

#endif
