/* library.c - the code of csspgo.h and load.h */
#define CSSPGO_IMPLEMENTATION
#define LOAD_IMPLEMENTATION
#define LOAD_HINTS debug_hints
#include "tool.h"
