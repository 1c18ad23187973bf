/* library.c - the code of csspgo.h, load.h and what the tool takes of examples/share */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_LINKER_ORDER_IMPLEMENTATION
#define CSSPGO_OVERLAP_TABLE_IMPLEMENTATION
#define CSSPGO_PPROF_IMPLEMENTATION
#define CSSPGO_PREAGG_WRITE_IMPLEMENTATION
#define LOAD_IMPLEMENTATION
#define CSSPGO_SIM_MODEL_IMPLEMENTATION
#define LOAD_HINTS debug_hints
#include "tool.h"
