/* vm.c - an interpreter: registers, memory and checks in functions of their own, as interpreters mostly have them */
#include <stdio.h>
enum { HALT, SET, MOVE, ADD, SUB, MUL, SHIFT, LOAD, STORE, JUMP, LESS, PRINT, TRAP };
enum { MEMORY = 256, ROUNDS = 4000 };
static int memory[MEMORY], reg[8], faults, printed;

/* primes below 200, and a checksum of squares: op, a, b, c in each line */
static int program[] = {
    SET, 0, 2, 0,     /*  0: i = 2 */
    SET, 1, 0, 0,     /*  4: count = 0 */
    SET, 2, 200, 0,   /*  8: limit */
    SET, 7, 1, 0,     /* 12: one */
    LOAD, 3, 0, 0,    /* 16: composite? */
    LESS, 4, 3, 7,    /* 20: r4 = r3 < 1 */
    JUMP, 4, 32, 0,   /* 24: if r4 goto 32 */
    JUMP, 7, 64, 0,   /* 28: goto 64 */
    ADD, 1, 1, 7,     /* 32: count++ */
    MOVE, 5, 0, 0,    /* 36: j = i */
    ADD, 5, 5, 0,     /* 40: j += i */
    LESS, 4, 5, 2,    /* 44: j < limit */
    JUMP, 4, 56, 0,   /* 48: */
    JUMP, 7, 64, 0,   /* 52: */
    STORE, 7, 5, 0,   /* 56: memory[j] = 1 */
    JUMP, 7, 40, 0,   /* 60: */
    ADD, 0, 0, 7,     /* 64: i++ */
    MUL, 6, 0, 0,     /* 68: */
    SHIFT, 6, 6, 1,   /* 72: */
    LESS, 4, 0, 2,    /* 76: */
    JUMP, 4, 16, 0,   /* 80: */
    PRINT, 1, 0, 0,   /* 84: */
    HALT, 0, 0, 0 };

static int fault(int what, int where)
{
    faults++;
    if (faults < 3) printf("fault %d at %d\n", what, where);
    return 0;
}

static int check(int at, int size, int where)
{
    if (at < 0) return fault(1, where);
    if (at >= size) return fault(2, where);
    return 1;
}

static int get(int r, int pc)
{
    if (!check(r, 8, pc)) return 0;
    return reg[r];
}

static void put(int r, int value, int pc)
{
    if (check(r, 8, pc)) reg[r] = value;
}

static int load(int at, int pc)
{
    return check(at, MEMORY, pc) ? memory[at] : 0;
}

static void store(int at, int value, int pc)
{
    if (check(at, MEMORY, pc)) memory[at] = value;
}

static int step(int pc)
{
    int op = program[pc], a = program[pc + 1], b = program[pc + 2], c = program[pc + 3];
    switch (op) {
    case HALT: return -1;
    case TRAP: return fault(3, pc);
    case PRINT:
        printed = printed * 31 + get(a, pc);
        break;
    case SET:
        put(a, b, pc);
        break;
    case MOVE:
        put(a, get(b, pc), pc);
        break;
    case SUB:
        put(a, get(b, pc) - get(c, pc), pc);
        break;
    case MUL:
        put(a, get(b, pc) * get(c, pc), pc);
        break;
    case SHIFT:
        put(a, get(b, pc) << (c & 31), pc);
        break;
    case LOAD:
        put(a, load(get(b, pc), pc), pc);
        break;
    case ADD:
        put(a, get(b, pc) + get(c, pc), pc);
        break;
    case LESS:
        put(a, get(b, pc) < get(c, pc), pc);
        break;
    case STORE:
        store(get(b, pc), get(a, pc), pc);
        break;
    case JUMP:
        if (get(a, pc)) return b;
        break;
    default: return fault(4, pc);
    }
    return pc + 4;
}

int main(void)
{
    int round, i, pc, steps = 0;
    for (round = 0; round < ROUNDS; round++) {
        for (i = 0; i < MEMORY; i++) memory[i] = 0;
        pc = 0;
        while (pc >= 0) {
            pc = step(pc);
            steps++;
        }
    }
    printf("%d %d %d\n", printed, steps, faults);
    return 0;
}
