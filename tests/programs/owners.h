/* owners.h - owners_a.c and owners_b.c: functions whose code is found in many ways, see symbols.sh */
#define OUT __attribute__((noinline))

long across(long n);              /* owners_b.c */
extern volatile long sink;
