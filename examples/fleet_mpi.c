/* fleet_mpi.c - merges the profiles of a fleet on the ranks of an MPI job
 *
 * Each rank merges every n-th file; MPI_Reduce then merges the ranks' profiles along its tree, with csspgo_merge as its
 * operation. Merging is commutative and associative bit for bit, so the bytes are those of one process, whatever the
 * number of ranks and the shape of the tree. Elements of a reduction all have one size: here the sum of what the ranks
 * have, which no merged profile exceeds by much.
 *
 *     mpicc -O2 fleet_mpi.c -o fleet_mpi
 *     mpirun -n 2 ./fleet_mpi -o all.prof list.txt         (a file's name a line)
 */
#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 8 };                                    /* an element: the profile's size, then its bytes */

static int stop(const char *what, const char *why)
{
    fprintf(stderr, "fleet_mpi: %s: %s\n", what, why);
    return MPI_Abort(MPI_COMM_WORLD, 1);
}

static void put(const csspgo_profile *p, unsigned char *element, size_t room)
{
    csspgo_error e;
    size_t size = 0;
    uint64_t head;
    if (csspgo_write(p, CSSPGO_EXTBINARY, element + HEAD, room - HEAD, &size, &e) != CSSPGO_OK)
        stop("result", e.message);
    head = size;
    memcpy(element, &head, HEAD);
}

static void add(csspgo_profile *sum, const unsigned char *element)
{
    csspgo_error e;
    uint64_t size;
    csspgo_profile *p;
    memcpy(&size, element, HEAD);
    p = csspgo_load(element + HEAD, (size_t)size, NULL, &e);
    if (p == NULL || csspgo_merge(sum, p, NULL, NULL, &e) != CSSPGO_OK) stop("another rank's profile", e.message);
    csspgo_profile_free(p);
}

/* MPI's operation: into = into + from. */
static void merge(void *from, void *into, int *count, MPI_Datatype *type)
{
    csspgo_error e;
    MPI_Aint low, room;
    int i;
    MPI_Type_get_extent(*type, &low, &room);
    for (i = 0; i < *count; i++) {
        unsigned char *a = (unsigned char *)from + i * room, *b = (unsigned char *)into + i * room;
        csspgo_profile *sum = csspgo_profile_new(NULL, &e);
        if (sum == NULL) stop("memory", e.message);
        add(sum, a);
        add(sum, b);
        put(sum, b, (size_t)room);
        csspgo_profile_free(sum);
    }
}

/* Every ranks-th file of a list, from number rank on; one that cannot be read is named and left out. */
static csspgo_profile *share(const char *list, int rank, int ranks)
{
    csspgo_error e;
    csspgo_profile *sum = csspgo_profile_new(NULL, &e);
    FILE *in = fopen(list, "r");
    char path[4096];
    unsigned long n = 0;
    if (sum == NULL || in == NULL) stop(list, sum == NULL ? e.message : "cannot be opened");
    while (fgets(path, sizeof path, in) != NULL) {
        csspgo_profile *p;
        path[strcspn(path, "\n")] = '\0';
        if (path[0] == '\0' || n++ % (unsigned long)ranks != (unsigned long)rank) continue;
        p = csspgo_load_file(path, NULL, &e);
        if (p == NULL) fprintf(stderr, "fleet_mpi: %s:%u: %s\n", path, (unsigned)e.line, e.message);
        else if (csspgo_merge(sum, p, NULL, NULL, &e) != CSSPGO_OK) stop(path, e.message);
        csspgo_profile_free(p);
    }
    fclose(in);
    return sum;
}

int main(int argc, char **argv)
{
    csspgo_error e;
    csspgo_profile *sum;
    MPI_Op op;
    MPI_Datatype type;
    unsigned char *mine, *all;
    unsigned long long need, room;
    size_t size = 0;
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 4 || strcmp(argv[1], "-o") != 0) return stop("usage", "fleet_mpi -o OUTPUT LIST");
    sum = share(argv[3], rank, ranks);
    csspgo_write(sum, CSSPGO_EXTBINARY, NULL, 0, &size, NULL);
    need = size + size / 8 + 4096;                    /* names' tables may be cut otherwise */
    MPI_Allreduce(&need, &room, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (room > INT_MAX) return stop("result", "the ranks' profiles are above 2 GB together");
    mine = (unsigned char *)calloc(2, (size_t)room);
    if (mine == NULL) return stop("memory", "exhausted");
    all = mine + room;
    put(sum, mine, (size_t)room);
    csspgo_profile_free(sum);
    MPI_Type_contiguous((int)room, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(merge, 1, &op);
    MPI_Reduce(mine, all, 1, type, op, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        sum = csspgo_profile_new(NULL, &e);
        if (sum == NULL) return stop("memory", e.message);
        add(sum, all);
        if (csspgo_write_file(sum, argv[2], CSSPGO_EXTBINARY, &e) != CSSPGO_OK) return stop(argv[2], e.message);
        printf("%d ranks; %llu contexts\n", ranks, (unsigned long long)csspgo_record_count(sum));
        csspgo_profile_free(sum);
    }
    free(mine);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
