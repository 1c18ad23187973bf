/* support.c - programs and arrays of checks and measurements; the language's own check */
#include "jit.h"

static int failures;

/* One check: says what does not hold. */
int check(int holds, const char *what, const char *where)
{
    if (!holds) printf("FAILED: %s: %s\n", where, what);
    failures += !holds;
    return holds;
}

int checks_failed(void)
{
    return failures;
}

/* Reads a program and runs its setup on the array. */
int load(program *p, const char *const *text, size_t texts, const char *name)
{
    size_t size = 1, i;
    char *all;
    int ok;
    for (i = 0; i < texts && text[i] != NULL; i++) size += strlen(text[i]);
    all = (char *)calloc(size, 1);
    if (all == NULL) abort();
    for (i = 0; i < texts && text[i] != NULL; i++) strcat(all, text[i]);
    ok = assemble(p, all) && verify(p) &&
         (func_named(p, "main") < p->count ? 1 : lang_fail(p, "no function", "main"));
    if (!ok) printf("%s:%u: %s\n", name, (unsigned)p->line, p->error);
    free(all);
    return ok;
}

void set_up(const program *p, int64_t *array, int small)
{
    const uint32_t setup = func_named(p, "setup");
    memset(array, 0, WORDS * sizeof *array);
    if (setup < p->count) interpret(p, array, setup, 12345, NULL, NULL);
    if (small) array[32100] = 10;
}

program *new_program(void)
{
    program *p = (program *)calloc(1, sizeof *p);
    if (p == NULL) abort();
    return p;
}

int64_t *new_array(void)
{
    int64_t *a = (int64_t *)calloc(WORDS, sizeof *a);
    if (a == NULL) abort();
    return a;
}

static const struct { const char *text, *error; } wrong_programs[] = {
    { "", "no functions" },
    { "mov r0 r1\n", "outside of a function" },
    { "func f 5\n", "number of parameters" },
    { "func f 1\n    mov r0\n    ret r0\n", "operand is missing" },
    { "func f 1\n    mov r0 r64\n    ret r0\n", "not a register" },
    { "func f 1\n    leap r0\n    ret r0\n", "not an instruction" },
    { "func f 1\n    jmp nowhere\n", "no such label" },
    { "func f 1\n    call r0 g r0\n    ret r0\n", "no such function" },
    { "func f 1\n    call r0 f\n    ret r0\n", "wrong number of arguments" },
    { "func f 1\n    ret r1\n", "nothing wrote" },
    { "func f 1\n    jeq r0 0 a\n    const r1 1\na:\n    ret r1\n", "nothing wrote" },
    { "func f 1\n    const r0 1\n", "beyond its end" },
    { "func f 1\n    jmp a\na:\n", "no instruction" },
    { "func f 1\n    jlt r0 1 a\n    ret r0\na:\n", "no instruction" },
    { "func f 1\na:\n    jlt r0 1 a\n    ret r0\n", "first instruction" },
    { "func f 1\n    ret r0\nfunc f 1\n    ret r0\n", "defined twice" },
    { "func f 1\n    add r0 r0 1x\n    ret r0\n", "not a number" },
    { "func f 1\n    ret r0 r0\n", "too many operands" },
    { "func f 4\n    icall r0 r0 r0 r1 r2 r3\n    ret r0\n", "too many arguments" },
};

void check_language(void)
{
    program *p = new_program();
    size_t i;
    for (i = 0; i < sizeof wrong_programs / sizeof *wrong_programs; i++) {
        const int ok = assemble(p, wrong_programs[i].text) && verify(p);
        check(!ok && strstr(p->error, wrong_programs[i].error) != NULL, p->error, wrong_programs[i].text);
    }
    free(p);
}
