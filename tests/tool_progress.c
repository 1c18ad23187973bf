/* What progress lines of the tool say. */
#include "../examples/tool/record/record.h"

static int failed;

static void is(const char *want, const char *got)
{
    if (strcmp(want, got) == 0) return;
    printf("'%s', not '%s'\n", got, want);
    failed = 1;
}

int main(void)
{
    char text[200];
    progress_text(text, sizeof text, 420000000, 1000000000, 1200, 1.2);
    is("42%, 1200 samples, 350.0 MB/s, 2 s left", text);
    progress_text(text, sizeof text, 1000000, 1000000000, 5, 1);
    is("0%, 5 samples, 1.0 MB/s, 16 min 39 s left", text);
    progress_text(text, sizeof text, 1000000, 10000000000, 5, 1);
    is("0%, 5 samples, 1.0 MB/s, 2 h 46 min left", text);
    progress_text(text, sizeof text, 504000000, 0, 7, 2);
    is("504 MB, 7 samples, 252.0 MB/s", text);
    progress_text(text, sizeof text, 262144, 1000000, 3, 0);
    is("26%, 3 samples", text);
    progress_text(text, sizeof text, 2000000, 1000000, 3, 1);          /* the file has grown */
    is("200%, 3 samples, 2.0 MB/s", text);
#if defined(__linux__)
    {
        rec_options o;
        memset(&o, 0, sizeof o);
        rec_progress_text(text, sizeof text, &o, 12000000, 12000, 20);
        is("12000000 branches, 12000 samples, 0.6 M branches/s, 20 s", text);
        o.count = 48000;
        rec_progress_text(text, sizeof text, &o, 12000000, 12000, 20);
        is("12000000 branches, 12000 samples, 0.6 M branches/s, 20 s, 25%, 1 min left at most", text);
        o.max_branches = 18000000;
        rec_progress_text(text, sizeof text, &o, 12000000, 12000, 20);
        is("12000000 branches, 12000 samples, 0.6 M branches/s, 20 s, 67%, 10 s left at most", text);
        rec_progress_text(text, sizeof text, &o, 0, 0, 0);
        is("0 branches, 0 samples, 0.0 M branches/s, 0 s", text);
    }
#endif
    return failed;
}
