/* roots inside roots: the same one and another one; LLVM 19's runtime never frees their trees again */
extern int sink;
void inner(int n);
__attribute__((noinline)) void leaf(int n) { sink += n; }
__attribute__((noinline)) void outer(int n)
{
    leaf(n);
    if (n > 0) outer(n - 1);
    inner(n);
}
__attribute__((noinline)) void inner(int n)
{
    if (n & 1) leaf(n);
}
