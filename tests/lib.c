/* lib.c - the library as one object. The Makefile compiles it once for each configuration; all programs link that. */
#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"
#include "../csspgo.h"
