/* programs.c - the programs that the example measures
 *
 * Each has setup(seed), which fills the array and is interpreted, and main(rounds). References to
 * functions that are called indirectly are loaded from the array, so that no compiler could see them in the code.
 */
#include "jit.h"

/* array[32000 + i]: the functions that setup stores; array[0 ...]: pseudo-random numbers */
#define RANDOM_FILL \
    "func fill 3                 ; from, count, seed\n" \
    "    add r3 r0 r1\n" \
    "next:\n" \
    "    mul r2 r2 6364136223846793005\n" \
    "    add r2 r2 1442695040888963407\n" \
    "    shr r4 r2 33\n" \
    "    store r0 r4\n" \
    "    add r0 r0 1\n" \
    "    jlt r0 r3 next\n" \
    "    ret r2\n"

static const char fold_text[] = RANDOM_FILL
    "func fold 3                 ; from, to, f\n"
    "    const r3 0\n"
    "next:\n"
    "    load r4 r0\n"
    "    icall r3 r2 r3 r4\n"
    "    add r0 r0 1\n"
    "    jlt r0 r1 next\n"
    "    ret r3\n"
    "func sum 2\n    add r0 r0 r1\n    ret r0\n"
    "func flip 2\n    xor r0 r0 r1\n    shl r2 r0 1\n    add r0 r0 r2\n    ret r0\n"
    "func max 2\n    jlt r0 r1 new\n    ret r0\nnew:\n    ret r1\n"
    "func min 2\n    jlt r1 r0 new\n    ret r0\nnew:\n    ret r1\n"
    "func hash 2\n    mul r0 r0 31\n    xor r0 r0 r1\n    ret r0\n"
    "func odd 2\n    and r2 r1 1\n    add r0 r0 r2\n    ret r0\n"
    "func bits 2\n    or r0 r0 r1\n    ret r0\n"
    "func square 2\n    mul r1 r1 r1\n    add r0 r0 r1\n    ret r0\n"
    "func setup 1\n    const r1 0\n    const r2 4096\n    call r3 fill r1 r2 r0\n    const r1 32000\n";
#define FOLD_SITE(n, f) "func by_" f " 1\n    add r1 r0 16\n    const r3 32000\n    load r2 r3 " n "\n" \
                        "    call r4 fold r0 r1 r2\n    ret r4\n"
static const char fold_sites[] =
    "    fref r2 sum\n    store r1 r2 0\n    fref r2 flip\n    store r1 r2 1\n    fref r2 max\n    store r1 r2 2\n"
    "    fref r2 min\n    store r1 r2 3\n    fref r2 hash\n    store r1 r2 4\n    fref r2 odd\n    store r1 r2 5\n"
    "    fref r2 bits\n    store r1 r2 6\n    fref r2 square\n    store r1 r2 7\n    ret r0\n"
    FOLD_SITE("0", "sum") FOLD_SITE("1", "flip") FOLD_SITE("2", "max") FOLD_SITE("3", "min")
    FOLD_SITE("4", "hash") FOLD_SITE("5", "odd") FOLD_SITE("6", "bits") FOLD_SITE("7", "square");
#define ADD_CALL(f) "    call r3 " f " r2\n    xor r1 r1 r3\n    add r1 r1 1\n"
static const char fold_main[] =
    "func main 1\n    const r1 0\n    const r15 0\n"
    "next:\n    and r2 r0 1023\n"
    ADD_CALL("by_sum") ADD_CALL("by_flip") ADD_CALL("by_max") ADD_CALL("by_min")
    ADD_CALL("by_hash") ADD_CALL("by_odd") ADD_CALL("by_bits") ADD_CALL("by_square")
    "    sub r0 r0 1\n    jlt r15 r0 next\n    ret r1\n";

static const char sort_text[] = RANDOM_FILL
    "func sift 4                 ; heap, from, size, order\n"
    "    const r11 0\n"
    "next:\n"
    "    shl r4 r1 1\n"
    "    add r4 r4 1\n"
    "    jlt r4 r2 child\n"
    "    ret r1\n"
    "child:\n"
    "    add r5 r4 1\n"
    "    jlt r5 r2 two\n"
    "    jmp pick\n"
    "two:\n"
    "    add r6 r0 r4\n"
    "    load r7 r6\n"
    "    load r8 r6 1\n"
    "    icall r9 r3 r7 r8\n"
    "    jeq r9 r11 pick\n"
    "    mov r4 r5\n"
    "pick:\n"
    "    add r6 r0 r1\n"
    "    load r7 r6\n"
    "    add r10 r0 r4\n"
    "    load r8 r10\n"
    "    icall r9 r3 r7 r8\n"
    "    jeq r9 1 swap\n"
    "    ret r1\n"
    "swap:\n"
    "    store r6 r8\n"
    "    store r10 r7\n"
    "    mov r1 r4\n"
    "    jmp next\n"
    "func sort 3                 ; from, count, order\n"
    "    shr r3 r1 1\n"
    "build:\n"
    "    jlt r3 1 built\n"
    "    sub r3 r3 1\n"
    "    call r4 sift r0 r3 r1 r2\n"
    "    jmp build\n"
    "built:\n"
    "    const r3 0\n"
    "shrink:\n"
    "    jlt r1 2 done\n"
    "    sub r1 r1 1\n"
    "    add r6 r0 r1\n"
    "    load r7 r0\n"
    "    load r8 r6\n"
    "    store r0 r8\n"
    "    store r6 r7\n"
    "    call r4 sift r0 r3 r1 r2\n"
    "    jmp shrink\n"
    "done:\n"
    "    load r7 r0\n"
    "    ret r7\n";
#define ORDER(name, body) "func " name " 2\n" body \
    "    jlt r0 r1 yes\n    const r2 0\n    ret r2\nyes:\n    const r2 1\n    ret r2\n"
#define SORT_SITE(n, f) "func by_" f " 2\n    const r3 32000\n    load r2 r3 100\n    call r4 fill r0 r2 r1\n" \
                        "    load r4 r3 " n "\n    call r5 sort r0 r2 r4\n    ret r5\n"
static const char sort_sites[] =
    ORDER("up", "") ORDER("down", "    xor r0 r0 -1\n    xor r1 r1 -1\n")
    ORDER("low", "    and r0 r0 255\n    and r1 r1 255\n")
    ORDER("mixed", "    mul r0 r0 77\n    mul r1 r1 77\n    and r0 r0 65535\n    and r1 r1 65535\n")
    ORDER("shifted", "    shr r0 r0 9\n    shr r1 r1 9\n")
    "func setup 1\n    const r1 32000\n"
    "    fref r2 up\n    store r1 r2 0\n    fref r2 down\n    store r1 r2 1\n    fref r2 low\n    store r1 r2 2\n"
    "    fref r2 mixed\n    store r1 r2 3\n    fref r2 shifted\n    store r1 r2 4\n    const r2 24\n"
    "    store r1 r2 100\n    ret r0\n"
    SORT_SITE("0", "up") SORT_SITE("1", "down") SORT_SITE("2", "low") SORT_SITE("3", "mixed") SORT_SITE("4", "shifted");
#define ADD_SORT(f) "    call r3 " f " r2 r4\n    xor r1 r1 r3\n    add r1 r1 1\n"
static const char sort_main[] =
    "func main 1\n    const r1 0\n    const r15 0\n"
    "next:\n    const r2 0\n    and r4 r0 3\n"
    ADD_SORT("by_up") ADD_SORT("by_down") ADD_SORT("by_low") ADD_SORT("by_mixed") ADD_SORT("by_shifted")
    "    sub r0 r0 1\n    jlt r15 r0 next\n    ret r1\n";

/* Programs at 0, 256, 512, 768 (64 words each), each mostly of one of 8 operations. The top of the stack is in a
   register, what is below it from 30000 on, and where that ends at 29999. */
static const char rpn_text[] = RANDOM_FILL
    "func run 2                  ; from, to\n"
    "    mov r2 r0\n"
    "    const r3 29999\n"
    "    const r4 30000\n"
    "    store r3 r4\n"
    "next:\n"
    "    load r3 r0\n"
    "    load r4 r3 32000\n"
    "    icall r2 r4 r2\n"
    "    add r0 r0 1\n"
    "    jlt r0 r1 next\n"
    "    ret r2\n"
    "func inc 1\n    add r0 r0 1\n    ret r0\n"
    "func twice 1\n    shl r0 r0 1\n    ret r0\n"
    "func mix 1\n    shr r1 r0 7\n    xor r0 r0 r1\n    ret r0\n"
    "func times 1\n    mul r0 r0 13\n    ret r0\n"
    "func negate 1\n    xor r0 r0 -1\n    ret r0\n"
    "func mask 1\n    and r0 r0 1048575\n    ret r0\n"
    "func dup 1\n    const r1 29999\n    load r2 r1\n    store r2 r0\n    add r2 r2 1\n    store r1 r2\n    ret r0\n"
    "func plus 1\n    const r1 29999\n    load r2 r1\n    sub r2 r2 1\n    store r1 r2\n    load r3 r2\n"
    "    add r0 r0 r3\n    ret r0\n"
    "func compile 2              ; from, dominant handler: a program of 64 words\n"
    "    add r2 r0 64\n"
    "    mov r3 r0\n"
    "next:\n"
    "    load r4 r0 8192\n"
    "    and r5 r4 15\n"
    "    jlt r5 2 other\n"
    "    store r0 r1\n"
    "    jmp more\n"
    "other:\n"
    "    shr r4 r4 4\n"
    "    and r4 r4 3\n"
    "    add r4 r4 2\n"
    "    store r0 r4\n"
    "more:\n"
    "    add r0 r0 1\n"
    "    jlt r0 r2 next\n"
    "    const r4 6\n"
    "    store r3 r4 9\n"
    "    store r3 r4 40\n"
    "    const r4 7\n"
    "    store r3 r4 21\n"
    "    store r3 r4 60\n"
    "    ret r0\n";
#define RPN_SITE(n, at) "func site" n " 1\n    const r1 " at "\n    add r2 r1 64\n    call r3 run r1 r2\n    ret r3\n"
static const char rpn_sites[] =
    "func setup 1\n"
    "    const r1 8192\n    const r2 2048\n    call r3 fill r1 r2 r0\n"
    "    const r1 0\n    const r2 0\n    call r3 compile r1 r2\n    const r1 256\n    const r2 1\n"
    "    call r3 compile r1 r2\n"
    "    const r1 512\n    const r2 2\n    call r3 compile r1 r2\n    const r1 768\n    const r2 3\n"
    "    call r3 compile r1 r2\n"
    "    const r1 32000\n"
    "    fref r2 inc\n    store r1 r2 0\n    fref r2 twice\n    store r1 r2 1\n    fref r2 mix\n    store r1 r2 2\n"
    "    fref r2 times\n    store r1 r2 3\n    fref r2 negate\n    store r1 r2 4\n    fref r2 mask\n    store r1 r2 5\n"
    "    fref r2 dup\n    store r1 r2 6\n    fref r2 plus\n    store r1 r2 7\n    ret r0\n"
    RPN_SITE("0", "0") RPN_SITE("1", "256") RPN_SITE("2", "512") RPN_SITE("3", "768");
static const char rpn_main[] =
    "func main 1\n    const r1 0\n    const r15 0\n"
    "next:\n    mov r2 r0\n"
    ADD_CALL("site0") ADD_CALL("site1") ADD_CALL("site2") ADD_CALL("site3")
    "    sub r0 r0 1\n    jlt r15 r0 next\n    ret r1\n";

/* A cache of 256 keys at 1000 (tags) and 2000 (values): hot sites ask for what is there, the cold one for others. */
static const char lookup_text[] =
    "func probe 1                ; the expensive path: mixing, then the table behind the cache\n"
    "    mov r1 r0\n"
    "    const r2 0\n"
    "next:\n"
    "    shl r3 r1 13\n    xor r1 r1 r3\n    shr r3 r1 7\n    xor r1 r1 r3\n    shl r3 r1 17\n    xor r1 r1 r3\n"
    "    mul r1 r1 31\n    add r1 r1 r0\n    shr r3 r1 29\n    xor r1 r1 r3\n    and r4 r1 255\n    add r5 r4 r2\n"
    "    shl r3 r1 5\n    sub r1 r3 r1\n    or r3 r5 1\n    mul r1 r1 r3\n    shr r3 r1 11\n    xor r1 r1 r3\n"
    "    shl r3 r1 3\n    add r1 r1 r3\n    and r4 r1 127\n    xor r1 r1 r4\n    shr r3 r1 31\n    add r1 r1 r3\n"
    "    add r2 r2 1\n"
    "    jlt r2 2 next\n"
    "    and r1 r1 255\n"
    "    load r6 r1 3000\n"
    "    add r6 r6 r1\n"
    "    ret r6\n"
    "func lookup 1\n"
    "    and r1 r0 255\n"
    "    load r2 r1 1000\n"
    "    jeq r2 r0 hit\n"
    "    call r3 probe r0\n"
    "    ret r3\n"
    "hit:\n"
    "    load r3 r1 2000\n"
    "    ret r3\n"
    "func setup 1\n"
    "    const r1 0\n"
    "next:\n"
    "    store r1 r1 1000\n    mul r2 r1 r0\n    store r1 r2 2000\n    xor r2 r2 r1\n    store r1 r2 3000\n"
    "    add r1 r1 1\n"
    "    jlt r1 256 next\n"
    "    ret r0\n";
#define LOOKUP_SITE(n, step) "func hot" n " 1                ; times 12 lookups\n    const r1 0\n" \
    "    mul r0 r0 12\n    const r5 0\n" \
                             "next:\n    and r3 r0 255\n    call r4 lookup r3\n    add r1 r1 r4\n" \
                             "    xor r1 r1 " step "\n" \
                             "    sub r0 r0 1\n    jlt r5 r0 next\n    ret r1\n"
static const char lookup_sites[] =
    LOOKUP_SITE("0", "1") LOOKUP_SITE("1", "3") LOOKUP_SITE("2", "5") LOOKUP_SITE("3", "7")
    LOOKUP_SITE("4", "9") LOOKUP_SITE("5", "11") LOOKUP_SITE("6", "13") LOOKUP_SITE("7", "15")
    "func cold 1                 ; times 2 lookups\n    const r1 0\n    mul r0 r0 2\n    const r5 0\n"
    "next:\n    add r3 r0 1000\n    call r4 lookup r3\n    xor r1 r1 r4\n    sub r0 r0 1\n    jlt r5 r0 next\n"
    "    ret r1\n";
#define ADD_PHASE(f) "    call r3 " f " r0\n    xor r1 r1 r3\n    add r1 r1 1\n"
static const char lookup_main[] =
    "func main 1\n    const r1 0\n"
    ADD_PHASE("hot0") ADD_PHASE("hot1") ADD_PHASE("hot2") ADD_PHASE("hot3")
    ADD_PHASE("hot4") ADD_PHASE("hot5") ADD_PHASE("hot6") ADD_PHASE("hot7") ADD_PHASE("cold")
    "    ret r1\n";

static const char loop_text[] = RANDOM_FILL
    "func setup 1\n    const r1 0\n    const r2 4096\n    call r3 fill r1 r2 r0\n    ret r3\n"
    "func main 1\n    const r1 0\n    const r15 0\n"
    "round:\n    const r2 0\n"
    "next:\n    load r3 r2\n    shl r4 r1 5\n    xor r1 r1 r4\n    add r1 r1 r3\n    shr r4 r1 11\n    xor r1 r1 r4\n"
    "    store r2 r1 8192\n    add r2 r2 1\n    jlt r2 256 next\n"
    "    sub r0 r0 1\n    jlt r15 r0 round\n    ret r1\n";

static const char chance_text[] = RANDOM_FILL
    "func a 1\n    add r0 r0 3\n    ret r0\nfunc b 1\n    xor r0 r0 21\n    ret r0\nfunc c 1\n    mul r0 r0 5\n"
    "    ret r0\n"
    "func d 1\n    shr r0 r0 1\n    ret r0\nfunc e 1\n    sub r0 r0 9\n    ret r0\nfunc f 1\n    or r0 r0 64\n"
    "    ret r0\n"
    "func g 1\n    shl r0 r0 2\n    ret r0\nfunc h 1\n    and r0 r0 1048575\n    ret r0\n"
    "func setup 1\n    const r1 0\n    const r2 8192\n    call r3 fill r1 r2 r0\n    const r1 32000\n"
    "    fref r2 a\n    store r1 r2 0\n    fref r2 b\n    store r1 r2 1\n    fref r2 c\n    store r1 r2 2\n"
    "    fref r2 d\n    store r1 r2 3\n"
    "    fref r2 e\n    store r1 r2 4\n    fref r2 f\n    store r1 r2 5\n    fref r2 g\n    store r1 r2 6\n"
    "    fref r2 h\n    store r1 r2 7\n    ret r0\n";
static const char chance_main[] =
    "func pick 2                 ; a random number, the value so far\n"
    "    shr r2 r0 5\n    and r2 r2 7\n    load r3 r2 32000\n    icall r1 r3 r1\n    ret r1\n"
    "func main 1\n    const r1 0\n    const r15 0\n"
    "round:\n    shl r2 r0 7\n    and r2 r2 4095\n    add r4 r2 128\n"
    "next:\n    load r3 r2\n    call r1 pick r3 r1\n    add r2 r2 1\n    jlt r2 r4 next\n"
    "    sub r0 r0 1\n    jlt r15 r0 round\n    ret r1\n";

const workload workloads[WORKLOADS] = {
    { "fold",
      "fold(from, to, f) from 8 call sites with 8 callbacks",
      { fold_text, fold_sites, fold_main },
      0,
      0,
      20000 },
    { "sort", "heap sort -> sift -> order, 5 orders", { sort_text, sort_sites, sort_main }, 0, 0, 3000 },
    { "rpn",
      "interpreter run(program), 4 programs with a dominant handler each",
      { rpn_text, rpn_sites, rpn_main },
      0,
      0,
      20000 },
    { "lookup",
      "a cache whose slow path only a cold call site takes; small budget",
      { lookup_text, lookup_sites, lookup_main },
      220,
      0,
      30000 },
    { "loop", "no calls", { loop_text, "", "" }, 0, 1, 20000 },
    { "chance", "random targets", { chance_text, chance_main, "" }, 0, 1, 20000 },
};
