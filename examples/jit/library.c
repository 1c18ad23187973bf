/* library.c - the code of csspgo.h */
#define CSSPGO_IMPLEMENTATION
#include "jit.h"
