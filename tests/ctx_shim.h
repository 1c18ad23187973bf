/* ctx_shim.h - what code instrumented by LLVM 19 calls, in terms of csspgo's types. */
#ifndef CTX_SHIM_H
#define CTX_SHIM_H
#define CSSPGO_WITH_CTXPROF
#include "../csspgo.h"

typedef struct shim_root {        /* LLVM's ContextRoot: 32 bytes of the program's, zeroed */
    csspgo_ctx_root  *root;
    struct shim_root *next;
} shim_root;

uintptr_t __llvm_ctx_profile_get_context(const void *callee, uint64_t guid, uint32_t counters, uint32_t sites);
uintptr_t __llvm_ctx_profile_start_context(shim_root *root, uint64_t guid, uint32_t counters, uint32_t sites);
void __llvm_ctx_profile_release_context(shim_root *root);
void __llvm_ctx_profile_start_collection(void);
_Bool __llvm_ctx_profile_fetch(void *data, _Bool (*writer)(void *, const csspgo_ctx_cell *));
void __llvm_ctx_profile_free(void);

extern csspgo_ctx_runtime *shim_runtime;
#endif
