/* lib.c - the library as one object. The Makefile compiles it once for each configuration; all programs link that. */
#define CSSPGO__COMMIT_CHECKS       /* an allocation within a commit, which cannot fail, is an assertion that fails */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_ALL
#include "../csspgo.h"
#include "../csspgo.h"
