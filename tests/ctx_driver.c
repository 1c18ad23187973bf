/* ctx_driver.c - runs an instrumented program (APP, BIG or NEST) and prints its trees from their cells, on LLVM's
 * runtime or on ours (ctx_shim.c, with -DSHIM): then NAME.v1, .v4 and .dump get the profile. For oracle_ctxprof.sh.
 *     ctx_driver [NAME | threads] */
#include "ctx_shim.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

int sink;
void theRoot(int n);
void render(int n);
void update(int n);
void outer(int n);
void inner(int n);

/* Prints a cell and what is below it. */
static void print(const csspgo_ctx_cell *cell, int depth)
{
    const uint64_t *counter = (const uint64_t *)(const void *)(cell + 1);
    const csspgo_ctx_link *site = (const csspgo_ctx_link *)(const void *)(counter + cell->counters);
    const csspgo_ctx_cell *k;
    uint32_t i;
    printf("%*s%016llx [", depth, "", (unsigned long long)cell->guid);
    for (i = 0; i < cell->counters; i++) printf(i != 0 ? ",%llu" : "%llu", (unsigned long long)counter[i]);
    printf("] callsites=%u\n", (unsigned)cell->sites);
    for (i = 0; i < cell->sites; i++) {
        for (k = site[i].cell; k != NULL; k = k->next.cell) {
            printf("%*s@%u\n", depth + 1, "", (unsigned)i);
            print(k, depth + 1);
        }
    }
}

static _Bool print_root(void *data, const csspgo_ctx_cell *root)
{
    (void)data;
    print(root, 0);
    return 1;
}

static void run(int round)
{
    int i;
#ifdef APP
    theRoot(round == 0 ? 3 : 10);
    (void)i;
#elif defined(BIG)
    for (i = 0; i < (round == 0 ? 0 : 12); i++) render(i);
    for (i = 0; i < (round == 0 ? 0 : 5); i++) update(i);
#else
    outer(3);
    inner(2);
    for (i = 0; i < round; i++) outer(1);
#endif
}

#ifdef SHIM
/* The same in four threads: 100 rounds each; each root was entered that often. */
static void *rounds(void *arg)
{
    int i;
    for (i = 0; i < 100; i++) run(1);
    return arg;
}

static int run_threads(void)
{
    pthread_t t[4];
    csspgo_ctx *c = csspgo_ctx_new(NULL, NULL);
    const csspgo_profile *p = csspgo_ctx_contexts(c);
    csspgo_node n = csspgo_root(p);
    size_t i, k;
    for (i = 0; i < 4; i++)
        if (pthread_create(&t[i], NULL, rounds, NULL) != 0) return 4;
    for (i = 0; i < 4; i++) pthread_join(t[i], NULL);
    if (csspgo_ctx_snapshot(shim_runtime, NULL, c, &k, NULL) != CSSPGO_OK || k != 0) return 5;
    for (n = csspgo_node_first_child(p, n); n.id != 0; n = csspgo_node_next_sibling(p, n))
        printf("%016llx %llu\n", (unsigned long long)csspgo_func_guid(p, csspgo_node_func(p, n)),
               (unsigned long long)csspgo_ctx_entry_count(c, n));
    csspgo_ctx_free(c);
    return 0;
}

static int write_files(const char *name)
{
    csspgo_ctx_write_options how;
    csspgo_ctx *c = csspgo_ctx_new(NULL, NULL);
    char path[200];
    memset(&how, 0, sizeof how);
    if (csspgo_ctx_snapshot(shim_runtime, NULL, c, NULL, NULL) != CSSPGO_OK) return 2;
    snprintf(path, sizeof path, "%s.v4", name);
    if (csspgo_ctx_write_file(c, path, &how, NULL) != CSSPGO_OK) return 3;
    how.form = CSSPGO_CTX_V1;
    snprintf(path, sizeof path, "%s.v1", name);
    if (csspgo_ctx_write_file(c, path, &how, NULL) != CSSPGO_OK) return 3;
    snprintf(path, sizeof path, "%s.dump", name);
    if (csspgo_ctx_dump_file(shim_runtime, path, NULL, NULL, NULL) != CSSPGO_OK) return 3;
    csspgo_ctx_free(c);
    return 0;
}
#endif

int main(int argc, char **argv)
{
    int status = 0;
    (void)argc;
    (void)argv;
#ifdef SHIM
    if (argc > 1 && strcmp(argv[1], "threads") == 0) return run_threads();
#endif
    run(0);
    __llvm_ctx_profile_start_collection();
    run(1);
    if (!__llvm_ctx_profile_fetch(NULL, print_root)) return 1;
#ifdef SHIM
    if (argc > 1) status = write_files(argv[1]);
#endif
    __llvm_ctx_profile_free();
    return status;
}
