/* mca_model.c - prints a model of a block of assembly for csspgo_sim_run, measured with llvm-mca-19 (see mca.h).
 *
 *     mca_model [-mcpu=CPU] [-mtriple=TRIPLE] [-iterations=N] [-noalias=false] <block.s >block.model
 *
 * Several regions ("# LLVM-MCA-BEGIN") give several models, with an empty line between them. Each is simulated: if
 * llvm-mca takes another time for the block, the model says that it is an estimate.
 */
#define _POSIX_C_SOURCE 200809L      /* popen, mkstemp */
#define CSSPGO_IMPLEMENTATION
#define CSSPGO_WITH_BOTTLENECK
#include "../csspgo.h"
#define CSSPGO_SIM_MODEL_IMPLEMENTATION
#include "share/sim_model.h"
#include "mca/mca.h"

/* Prints a model, and a line if it is not exact and does not say so itself. */
static void print_model(const char *text)
{
    csspgo_error e;
    csspgo_sim_result r;
    csspgo_sim_model *const m = csspgo_sim_model_read(text, strlen(text), NULL, &e);
    printf("%s", text);
    if (m != NULL) {
        const csspgo_sim_block b = csspgo_sim_model_block(m);
        memset(&r, 0, sizeof r);
        if (csspgo_sim_run(&b.machine, b.instruction, b.count, b.iterations, NULL, NULL, &r, &e) != CSSPGO_OK)
            printf("estimate %s\n", e.message);
        else if (b.estimate == NULL && r.cycles != b.cycles)
            printf("estimate %llu cycles, where llvm-mca takes %llu\n", (unsigned long long)r.cycles,
                   (unsigned long long)b.cycles);
    }
    csspgo_sim_model_free(m);
}

int main(int argc, char **argv)
{
    mca_options how;
    mca_text in;
    char **models, why[200];
    size_t count, n;
    int i;
    memset(&how, 0, sizeof how);
    memset(&in, 0, sizeof in);
    for (i = 1; i < argc; i++) {
        if (strncmp(argv[i], "-mcpu=", 6) == 0) how.mcpu = argv[i] + 6;
        else if (strncmp(argv[i], "-mtriple=", 9) == 0) how.mtriple = argv[i] + 9;
        else if (strncmp(argv[i], "-iterations=", 12) == 0) how.iterations = (unsigned)atoi(argv[i] + 12);
        else if (strcmp(argv[i], "-noalias=false") == 0) how.alias = 1;
        else {
            fprintf(stderr, "usage: mca_model [-mcpu=CPU] [-mtriple=TRIPLE] [-iterations=N] [-noalias=false] <in.s\n");
            return 2;
        }
    }
    do {
        in.v = (char *)mca_more(in.v, in.size + 65537);
        n = fread(in.v + in.size, 1, 65536, stdin);
        in.size += n;
    } while (n != 0);
    in.v[in.size] = '\0';
    if (!mca_models(&how, in.v, &models, &count, why, sizeof why)) {
        fprintf(stderr, "mca_model: %s\n", why);
        free(in.v);
        return 1;
    }
    for (n = 0; n < count; n++) {
        if (n != 0) printf("\n");
        print_model(models[n]);
    }
    mca_free(models, count);
    free(in.v);
    return 0;
}
