/* children.c - fork, vfork, spawn, system and exec */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
__attribute__((noinline)) long spin(int n) { long s = 0; for (int i = 0; i < n; i++) s += i ^ (s >> 3); return s; }
int main(int c, char **v) { long s = 0; int st; if (c > 1) { s = spin(300); printf("exec %ld\n", s); return 7; }
 for (int i = 0; i < 20; i++) s += spin(50);
 pid_t p = fork(); if (!p) { long q = 0; for (int i = 0; i < 2000; i++) q += spin(1000); _exit(q & 1 ? 5 : 4); } waitpid(p, &st, 0); s += WEXITSTATUS(st);
 p = vfork(); if (!p) { execl("/bin/true", "true", (char *)0); _exit(1); } waitpid(p, &st, 0); s += WEXITSTATUS(st); s += spin(50);
 char *a[] = { "false", 0 }; posix_spawn(&p, "/bin/false", 0, 0, a, environ); waitpid(p, &st, 0); s += WEXITSTATUS(st); s += spin(50);
 s += system("exit 9") >> 8; s += spin(50); printf("%ld\n", s); fflush(stdout); execl(v[0], v[0], "again", (char *)0); return 1; }
