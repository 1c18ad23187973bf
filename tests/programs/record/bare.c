/* bare.c - most of the time in a function that keeps no frame pointer; it returns every 41 branches */
#include <stdio.h>
#include <stdlib.h>
void bare(void);
__asm__(".text\n.globl bare\n.type bare, @function\n"
        "bare: push %rbp\n xor %ebp, %ebp\n mov $40, %ecx\n1: dec %ecx\n jnz 1b\n pop %rbp\n ret\n.size bare, . - bare\n");
static volatile long count;
__attribute__((noinline)) void caller(void) { bare(); count++; }
int main(int n, char **value)
{
    (void)n;
    for (long i = atol(value[1]); i > 0; i--) caller();
    printf("%ld\n", count);
    return 5;
}
