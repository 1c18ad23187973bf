/* library.c - the code of csspgo.h and load.h */
#define CSSPGO_IMPLEMENTATION
#define LOAD_IMPLEMENTATION
#include "tool.h"
