/* ctx_shim.c - in place of libclang_rt.ctx_profile: LLVM's symbols on csspgo's runtime. LLVM's thread-local words are
 * the first five of csspgo_ctx_thread. */
#include "ctx_shim.h"
#include <pthread.h>

__thread csspgo_ctx_thread shim_thread;
#define WORDS(name, at) ".globl " #name "\n.type " #name ", @tls_object\n.set " #name ", shim_thread + " #at "\n"
__asm__(WORDS(__llvm_ctx_profile_expected_callee, 0) WORDS(__llvm_ctx_profile_callsite, 16)
        WORDS(__llvm_ctx_profile_current_context_root, 32));

csspgo_ctx_runtime *shim_runtime;
static shim_root *roots, **last = &roots;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) { shim_runtime = csspgo_ctx_runtime_new(NULL, NULL); }

static csspgo_ctx_thread *self(void)
{
    if (shim_thread.runtime == NULL) csspgo_ctx_thread_init(&shim_thread, shim_runtime, 64, NULL);
    return &shim_thread;
}

uintptr_t __llvm_ctx_profile_get_context(const void *callee, uint64_t guid, uint32_t counters, uint32_t sites)
{
    const csspgo_ctx_fn fn = { guid, callee, counters, sites };
    return csspgo_ctx_enter(self(), &fn);
}

uintptr_t __llvm_ctx_profile_start_context(shim_root *root, uint64_t guid, uint32_t counters, uint32_t sites)
{
    const csspgo_ctx_fn fn = { guid, NULL, counters, sites };
    pthread_mutex_lock(&lock);
    if (root->root == NULL) {
        root->root = csspgo_ctx_root_new(shim_runtime, &fn, NULL, NULL);
        *last = root;
        last = &root->next;
    }
    pthread_mutex_unlock(&lock);
    return csspgo_ctx_root_enter(self(), root->root);
}

_Bool __llvm_ctx_profile_fetch(void *data, _Bool (*writer)(void *, const csspgo_ctx_cell *))
{
    shim_root *r;
    _Bool ok = 1;
    for (r = roots; ok && r != NULL; r = r->next) {
        const csspgo_ctx_ref at = csspgo_ctx_root_enter(self(), r->root);
        csspgo_ctx_count(at, 0, UINT64_MAX);               /* this is no entry */
        ok = !(at & 1) && writer(data, (const csspgo_ctx_cell *)at);
        csspgo_ctx_root_leave(&shim_thread);
    }
    return ok;
}

void __llvm_ctx_profile_release_context(shim_root *root) { (void)root, csspgo_ctx_root_leave(&shim_thread); }
void __llvm_ctx_profile_start_collection(void) { csspgo_ctx_reset(shim_runtime, NULL); }
void __llvm_ctx_profile_free(void) { csspgo_ctx_thread_free(&shim_thread), csspgo_ctx_runtime_free(shim_runtime); }
