/* mca_model.c - prints a model of a block of assembly for csspgo_sim_run, measured with llvm-mca-19 (see mca.h).
 *
 *     mca_model [-mcpu=CPU] [-mtriple=TRIPLE] [-iterations=N] [-noalias=false] <block.s >block.model
 *
 * Several regions ("# LLVM-MCA-BEGIN") give several models, with an empty line between them.
 */
#define _POSIX_C_SOURCE 200809L
#define _POSIX_C_SOURCE 200809L      /* popen, mkstemp */
#include "mca/mca.h"

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
    for (n = 0; n < count; n++) printf("%s%s", n != 0 ? "\n" : "", models[n]);
    mca_free(models, count);
    free(in.v);
    return 0;
}
