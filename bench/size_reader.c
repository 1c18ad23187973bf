/* size_reader.c - what a program that reads, finds, counts and frees a profile has of the library; see size.sh */
#define CSSPGO_STATIC
#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"

int main(int argc, char **argv)
{
    csspgo_error e;
    csspgo_profile *p = argc < 3 ? NULL : csspgo_load_file(argv[1], NULL, &e);
    csspgo_node n;
    int ok;
    if (p == NULL) return 1;
    n = csspgo_find(p, argv[2]);
    ok = csspgo_body_count(p, n, csspgo_loc_at(3, 0)) != 0;
    csspgo_profile_free(p);
    return ok;
}
