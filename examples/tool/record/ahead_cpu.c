/* ahead_cpu.c - computing ahead: instructions are carried out by this CPU, on a copy of the thread's registers
 *
 * An instruction of the program is copied to a slot of executable memory. Its operand in memory, if it has one, is a
 * buffer beside the slots, which holds what the thread has at that address. The code around the slots loads the
 * registers and saves them, but for the stack pointer. That is exact for whatever the CPU can do, and needs no table of
 * what instructions mean. Only those that can touch nothing but their operands come here.
 */
#include "record.h"

#if defined(REC_SOFTWARE)

enum { REC_INITIAL = 4096, REC_VECTOR = 8192, REC_STUB = 32768, REC_SLOTS = 36864 };  /* offsets in the memory */
enum { REC_CPU_SIZE = REC_SLOTS + REC_DECODED * REC_SLOT, REC_VECTOR_SIZE = REC_STUB - REC_VECTOR };
enum { REC_LOW_FLAGS = 0xd5, REC_OVERFLOW_BIT = 11 };      /* those that instructions without privilege set */

#define REC_AT(offset) "rec_stub_begin - 32768 + " offset "(%rip)"

/*
 * Begins at REC_STUB behind a struct rec_engine; the argument is a struct user_regs_struct. Flags come and go by sahf
 * and lahf, with the overflow flag in al: popf takes ten times as long.
 */
__asm__(
    ".pushsection .rodata\n"
    ".balign 16\n"
    "rec_stub_begin:\n"
    "    push %rbx\n    push %rbp\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
    "    mov %rdi, " REC_AT("0") "\n"
    "    cmpl $0, " REC_AT("32") "\n    je 1f\n"
    "    mov " REC_AT("40") ", %eax\n    xor %edx, %edx\n    xrstor64 " REC_AT("8192") "\n"
    "1:  mov " REC_AT("16") ", %eax\n    add $0x7f, %al\n    sahf\n"
    "    mov 0(%rdi), %r15\n    mov 8(%rdi), %r14\n    mov 16(%rdi), %r13\n    mov 24(%rdi), %r12\n"
    "    mov 32(%rdi), %rbp\n    mov 40(%rdi), %rbx\n    mov 48(%rdi), %r11\n    mov 56(%rdi), %r10\n"
    "    mov 64(%rdi), %r9\n    mov 72(%rdi), %r8\n    mov 80(%rdi), %rax\n    mov 88(%rdi), %rcx\n"
    "    mov 96(%rdi), %rdx\n    mov 104(%rdi), %rsi\n    mov 112(%rdi), %rdi\n"
    "    jmp *" REC_AT("24") "\n"
    "rec_stub_back:\n"
    "    mov %rdi, " REC_AT("8") "\n    mov " REC_AT("0") ", %rdi\n"
    "    mov %rax, 80(%rdi)\n    lahf\n    seto %al\n    mov %ax, " REC_AT("16") "\n"
    "    mov %r15, 0(%rdi)\n    mov %r14, 8(%rdi)\n    mov %r13, 16(%rdi)\n    mov %r12, 24(%rdi)\n"
    "    mov %rbp, 32(%rdi)\n    mov %rbx, 40(%rdi)\n    mov %r11, 48(%rdi)\n    mov %r10, 56(%rdi)\n"
    "    mov %r9, 64(%rdi)\n    mov %r8, 72(%rdi)\n    mov %rcx, 88(%rdi)\n    mov %rdx, 96(%rdi)\n"
    "    mov %rsi, 104(%rdi)\n"
    "    mov " REC_AT("8") ", %rax\n    mov %rax, 112(%rdi)\n"
    "    cmpl $0, " REC_AT("32") "\n    je 2f\n"
    "    mov " REC_AT("40") ", %eax\n    xor %edx, %edx\n    xsave64 " REC_AT("8192") "\n"
    "    xrstor64 " REC_AT("4096") "\n"
    "2:  pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbp\n    pop %rbx\n    ret\n"
    "rec_stub_end:\n"
    ".popsection\n");

extern const unsigned char rec_stub_begin[] __asm__("rec_stub_begin");
extern const unsigned char rec_stub_back[] __asm__("rec_stub_back");
extern const unsigned char rec_stub_end[] __asm__("rec_stub_end");

static rec_engine *rec_the_engine;      /* for the handler of faults */

/* A fault in a slot (division by zero, an operand that is not aligned) ends the instruction. */
static void rec_on_fault(int number, siginfo_t *info, void *context)
{
    unsigned char *begin = (unsigned char *)rec_the_engine;
    ucontext_t *c = (ucontext_t *)context;
    const uint64_t at = (uint64_t)c->uc_mcontext.gregs[REG_RIP], first = (uint64_t)(uintptr_t)begin;
    (void)info;
    if (begin == NULL || at < first + REC_STUB || at >= first + REC_CPU_SIZE) {
        signal(number, SIG_DFL);
        return;
    }
    rec_the_engine->faulted = 1;
    c->uc_mcontext.gregs[REG_RIP] =
        (greg_t)(uintptr_t)(begin + REC_STUB + (size_t)((uintptr_t)rec_stub_back - (uintptr_t)rec_stub_begin));
}

/* NULL where no memory may be executed that was written. */
rec_engine *rec_engine_new(void)
{
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
    const uint16_t control = 0x37f;                        /* of x87: as a process begins */
    const uint32_t mxcsr = 0x1f80;
    struct sigaction a;
    unsigned char *begin = (unsigned char *)mmap(NULL, REC_CPU_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
                                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t i;
    if (begin == (unsigned char *)MAP_FAILED) return NULL;
    memcpy(begin + REC_STUB, rec_stub_begin, (size_t)((uintptr_t)rec_stub_end - (uintptr_t)rec_stub_begin));
    memcpy(begin + REC_INITIAL, &control, sizeof control);
    memcpy(begin + REC_INITIAL + 24, &mxcsr, sizeof mxcsr);
    rec_the_engine = (rec_engine *)(void *)begin;
    memset(&a, 0, sizeof a);
    a.sa_sigaction = rec_on_fault;
    a.sa_flags = SA_SIGINFO | SA_NODEFER;
    for (i = 0; i < sizeof faults / sizeof *faults; i++) sigaction(faults[i], &a, NULL);
    return rec_the_engine;
}

void rec_engine_free(rec_engine *cpu)
{
    if (cpu != NULL) munmap((void *)cpu, REC_CPU_SIZE);
    rec_the_engine = NULL;
}

/* Takes the thread's vector registers. Returns 0 if they are not to be had. */
int rec_engine_load_vector(rec_engine *cpu, pid_t tid)
{
    unsigned char *area = (unsigned char *)cpu + REC_VECTOR;
    struct iovec io;
    io.iov_base = area;
    io.iov_len = REC_VECTOR_SIZE;
    if (ptrace(PTRACE_GETREGSET, tid, (void *)0x202, &io) != 0 || io.iov_len < 576) return 0;
    memcpy(&cpu->features, area + 464, 8);                 /* where the kernel says which there are */
    cpu->vector_size = io.iov_len;
    cpu->features &= 0xe7;                                 /* x87, SSE, AVX, AVX-512 */
    return (cpu->features & 3) == 3;
}

/* Gives them back, as they are now. */
int rec_engine_store_vector(rec_engine *cpu, pid_t tid)
{
    struct iovec io;
    io.iov_base = (unsigned char *)cpu + REC_VECTOR;
    io.iov_len = cpu->vector_size;
    return ptrace(PTRACE_SETREGSET, tid, (void *)0x202, &io) == 0 || errno == ESRCH;
}

/* The instruction as it stands in its slot, a jump behind it. */
static void rec_fill_slot(rec_engine *cpu, rec_decoded *d, size_t number)
{
    unsigned char *slot = (unsigned char *)cpu + REC_SLOTS + number * REC_SLOT, *to = slot;
    const unsigned char *back = (unsigned char *)cpu + REC_STUB + (rec_stub_back - rec_stub_begin);
    const size_t first = d->modrm_at != 0 ? d->modrm_at : d->size;
    unsigned modrm = d->code[d->modrm_at];
    int32_t distance;
    unsigned segment = d->segment;                         /* its base is in the operand's address already */
    size_t i;
    for (i = 0; i < first; i++) {
        if (segment == 0 || d->code[i] != segment) *to++ = d->code[i];
        else segment = 0;
    }
    if (d->modrm_at != 0) {
        const size_t rest = (size_t)(d->size - d->after);
        if (d->stand_in != 0 && (modrm >> 3 & 7) == 4 && !(d->memory == 0 && (modrm & 7) == 4 && (d->rex & 1) == 0)) {
            modrm = (modrm & 0xc7) | (unsigned)d->stand_in << 3;
        } else if (d->stand_in != 0) {
            modrm = (modrm & 0xf8) | d->stand_in;
        }
        *to++ = (unsigned char)(d->memory ? (modrm & 0x38) | 5 : modrm);
        if (d->memory) {
            distance = (int32_t)(cpu->operand - (to + 4 + rest));
            memcpy(to, &distance, 4);
            to += 4;
        }
        memcpy(to, d->code + d->after, rest);
        to += rest;
    }
    *to++ = 0xe9;
    distance = (int32_t)(back - (to + 4));
    memcpy(to, &distance, 4);
    d->ready = 1;
}

/*
 * Carries out the instruction on these registers and cpu->operand; `slot` is its own, until another one takes it. Does
 * not move the instruction pointer. Returns 0 if it faults: then nothing is changed but cpu->operand.
 */
int rec_engine_execute(rec_engine *cpu, rec_decoded *d, size_t slot, struct user_regs_struct *a)
{
    rec_word *stand_in = d->stand_in == 6 ? &a->rsi : d->stand_in == 7 ? &a->rdi : NULL;
    const rec_word kept = stand_in != NULL ? *stand_in : 0;
    void (*run)(struct user_regs_struct *);
    void *stub = (unsigned char *)cpu + REC_STUB;
    if (!d->ready) rec_fill_slot(cpu, d, slot);
    memcpy(&run, &stub, sizeof run);
    if (stand_in != NULL) *stand_in = a->rsp;
    cpu->flags = (uint32_t)((a->eflags & REC_LOW_FLAGS) << 8 | (a->eflags >> REC_OVERFLOW_BIT & 1));
    cpu->go_to = (uint64_t)(uintptr_t)cpu + REC_SLOTS + slot * REC_SLOT;
    cpu->with_vector = d->vector;
    cpu->faulted = 0;
    run(a);
    if (stand_in != NULL) {
        a->rsp = *stand_in;
        *stand_in = kept;
    }
    if (*(volatile uint64_t *)&cpu->faulted) return 0;
    a->eflags &= ~(unsigned long long)(REC_LOW_FLAGS | 1u << REC_OVERFLOW_BIT);
    a->eflags |= (cpu->flags >> 8 & REC_LOW_FLAGS) | (cpu->flags & 1u) << REC_OVERFLOW_BIT;
    return 1;
}

#endif
