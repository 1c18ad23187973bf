/* jit.c - writes code, runs it, writes other code to the same place */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
static const unsigned char f1[] = { 0x31,0xc0, 0x85,0xff, 0x74,0x06, 0x01,0xf8, 0xff,0xcf, 0xeb,0xf6, 0xc3 }; /* sum to n: xor;test edi;je end;add;dec;jmp */
static const unsigned char f2[] = { 0x31,0xc0, 0x85,0xff, 0x74,0x06, 0x29,0xf8, 0xff,0xcf, 0xeb,0xf6, 0xc3 };
int main(void) { typedef int fn(int); long s = 0; 
 unsigned char *w = mmap(0, 4096, PROT_READ|PROT_WRITE|PROT_EXEC, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0);
 unsigned char *x = mmap(0, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0);
 for (int i = 0; i < 20; i++) { memcpy(w, i & 1 ? f1 : f2, sizeof f1); s += ((fn *)w)(i + 5) * 3;
   mprotect(x, 4096, PROT_READ|PROT_WRITE); memcpy(x, i & 1 ? f2 : f1, sizeof f1); mprotect(x, 4096, PROT_READ|PROT_EXEC); s += ((fn *)x)(i + 4); 
   if (i % 5 == 4) { munmap(x, 4096); x = mmap(x, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS|MAP_FIXED, -1, 0); } }
 printf("%ld\n", s); return 0; }
