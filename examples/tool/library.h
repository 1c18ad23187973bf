/* library.h - csspgo.h and load.h as all rooms of the tool have them: with the same chapters */
#ifndef CSSPGO_TOOL_LIBRARY_H
#define CSSPGO_TOOL_LIBRARY_H

#if defined(__linux__) && !defined(_GNU_SOURCE)
#  define _GNU_SOURCE
#endif
#define CSSPGO_ALL
#include "../../csspgo.h"
#include "../load.h"
#include "../share/call_stacks.h"
#include "../share/gperftools.h"
#include "../share/linker_order.h"
#include "../share/overlap_table.h"
#include "../share/pprof.h"
#include "../share/preagg_write.h"
#include "../share/sim_model.h"

#endif
