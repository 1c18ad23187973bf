// apart.h - a program of two files
#define NOINLINE __attribute__((noinline))
unsigned a_mix(unsigned x);
unsigned a_shuffle(unsigned x);
unsigned a_caught(unsigned x);
