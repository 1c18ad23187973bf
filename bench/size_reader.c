/* size_reader.c - what a program that reads, finds, counts and frees a profile has of the library; see size.sh */
#define CSSPGO_STATIC
#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"

int main(int argc, char **argv)
{
    csspgo_error e;
    csspgo_profile *p = csspgo_profile_new(NULL, &e);
    csspgo_node n;
    int ok;
    if (p == NULL || argc < 3 || csspgo_read_file(p, argv[1], &e) != CSSPGO_OK) return 1;
    n = csspgo_find(p, argv[2]);
    ok = csspgo_body_count(p, n, csspgo_at(3, 0)) != 0;
    csspgo_profile_free(p);
    return ok;
}
