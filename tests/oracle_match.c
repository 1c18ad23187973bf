/* oracle_match.c PROBES PROFILE OPT_OUTPUT: every count that opt-19 applied is the one that mode LLVM19 finds. */
#include "t.h"
#include "match_report.h"

enum { LOCS = 4096 };

static size_t read_probes(const char *path, csspgo_match_loc *v, uint64_t *checksum)
{
    char line[256], name[64];
    unsigned id;
    unsigned long long sum;
    size_t n = 0;
    FILE *f = fopen(path, "r");
    while (f != NULL && n < LOCS && fgets(line, sizeof line, f) != NULL) {
        if (sscanf(line, "checksum %llu", &sum) == 1) *checksum = sum;
        if (sscanf(line, "%u %63s", &id, name) != 2) continue;
        memset(&v[n], 0, sizeof v[n]);
        v[n].loc = csspgo_loc_at(id, 0);
        if (strcmp(name, "block") != 0) {
            v[n].kind = CSSPGO_MATCH_CALL;
            v[n].callee = csspgo_guid(name, strlen(name));
        }
        n++;
    }
    if (f != NULL) fclose(f);
    return n;
}

int main(int argc, char **argv)
{
    static csspgo_match_loc v[LOCS];
    csspgo_profile *p = csspgo_profile_new(NULL, NULL);
    csspgo_match_options how;
    csspgo_match_code c;
    csspgo_match_report r;
    csspgo_matcher *m;
    size_t size, lines = 0;
    char *text, *s, report[1000];
    if (argc != 4) return 2;
    memset(&how, 0, sizeof how);
    memset(&c, 0, sizeof c);
    how.llvm = 19;
    c.name = "test";
    c.name_size = 4;
    c.loc = v;
    c.locs = read_probes(argv[1], v, &c.checksum);
    T_EQ(csspgo_read_file(p, argv[2], NULL), CSSPGO_OK);
    m = csspgo_matcher_new(&how, NULL, NULL);
    T_EQ(csspgo_matcher_module(m, p, &c, 1, &r, NULL), CSSPGO_OK);
    match_report_text(&r, report);
    text = t_file(argv[3], &size);
    for (s = report; *s != '\0'; s += strcspn(s, "\n") + 1) {   /* its three lines are in the output */
        char line[400];
        sprintf(line, "%.*s", (int)strcspn(s, "\n"), s);
        if (!T_CHECK(strstr(text, line) != NULL)) fprintf(stderr, "    %s: %s\n", argv[3], line);
    }
    for (s = text; (s = strstr(s, "Applied ")) != NULL; s++, lines++) {
        unsigned long long count;
        unsigned id;
        if (sscanf(s, "Applied %llu samples from profile (ProbeId=%u", &count, &id) != 2) continue;
        T_EQ(csspgo_body_count(p, csspgo_find(p, "test"),
                               csspgo_matcher_locate(m, csspgo_guid("test", 4), csspgo_loc_at(id, 0)).to), count);
    }
    T_CHECK(lines != 0);
    free(text);
    csspgo_matcher_free(m);
    csspgo_profile_free(p);
    return t_end();
}
