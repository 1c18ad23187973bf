#include <stdio.h>
#include <stdlib.h>
static unsigned s=1;
__attribute__((noinline)) static unsigned rnd(void){ s=s*1103515245u+12345u; return s>>16; }
__attribute__((noinline)) static int odd(int x){ int i,n=0; for(i=0;i<(x&15);i++) if((x>>i)&1) n+=i; return n; }
__attribute__((noinline)) static int even(int x){ int n=0; while(x){ n+=x&3; x>>=1; } return n; }
__attribute__((noinline)) static int one(int x){ return (x&1)?odd(x):even(x); }
__attribute__((noinline)) static int two(int x){ return one(x)+ (x%3==0?odd(x+1):0); }
static int cmp(const void*a,const void*b){ return *(const int*)a-*(const int*)b; }
int main(int c,char**v){ long n=c>1?atol(v[1]):1000000,i; long sum=0; static int a[1000];
 for(i=0;i<n;i++){ sum+=two((int)rnd()); if(i%5000==0){int k; for(k=0;k<1000;k++)a[k]=(int)rnd(); qsort(a,1000,sizeof *a,cmp); sum+=a[500];} }
 printf("%ld\n",sum); return (int)(sum&63); }
