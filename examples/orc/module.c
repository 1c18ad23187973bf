/* module.c - a tier's code: bitcode, LLVM's passes, linking
 *
 * Each tier is compiled from the program's bitcode. Variables exist once, in the first tier: the others refer to them.
 * Functions that a tier keeps get a name of their own (main$2), and what is called main is the stub. So calls go to the
 * newest code, and the address of a function stays the same. Within a tier above the first, calls are direct.
 */
#include "orc.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Error.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FUNCTION_INDEX ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)
enum { SMALL = 40 };              /* instructions of a function that is always worth being there for inlining */

void orc_fail(const char *what, LLVMErrorRef why)
{
    char *text = why != NULL ? LLVMGetErrorMessage(why) : NULL;
    fprintf(stderr, "orc: %s%s%s\n", what, text != NULL ? ": " : "", text != NULL ? text : "");
    if (text != NULL) LLVMDisposeErrorMessage(text);
}

/* ----- start ----- */

/* ORC has compiled an object: keeps a copy of it. */
static LLVMErrorRef on_object(void *context, LLVMMemoryBufferRef *object)
{
    orc *o = (orc *)context;
    free(o->object);
    o->object_size = LLVMGetBufferSize(*object);
    o->object = (char *)malloc(o->object_size + 1);
    if (o->object == NULL) return LLVMCreateStringError("out of memory");
    memcpy(o->object, LLVMGetBufferStart(*object), o->object_size);
    return LLVMErrorSuccess;
}

static int start_jit(orc *o)
{
    char *triple = LLVMGetDefaultTargetTriple(), *why = NULL;
    LLVMOrcLLJITBuilderRef builder;
    LLVMOrcDefinitionGeneratorRef process;
    LLVMTargetMachineRef machine;
    LLVMTargetRef target;
    LLVMErrorRef e;
    int i;
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser();              /* for asm in the program */
    if (LLVMGetTargetFromTriple(triple, &target, &why)) return orc_fail(why, NULL), 0;
    for (i = 0; i < 2; i++) {                     /* ORC takes over the first one */
        machine = o->machine;
        o->machine = LLVMCreateTargetMachine(target, triple, "x86-64", "", LLVMCodeGenLevelDefault, LLVMRelocPIC,
                                             LLVMCodeModelSmall);
    }
    builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(builder,
                                                  LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine));
    e = LLVMOrcCreateLLJIT(&o->jit, builder);
    LLVMDisposeMessage(triple);
    if (e != NULL) return orc_fail("no JIT", e), 0;
    LLVMOrcObjectTransformLayerSetTransform(LLVMOrcLLJITGetObjTransformLayer(o->jit), on_object, o);
    e = LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&process, LLVMOrcLLJITGetGlobalPrefix(o->jit), NULL, NULL);
    if (e != NULL) return orc_fail("no symbols of the process", e), 0;
    LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(o->jit), process);
    return 1;
}

/* LLVM takes a profile from a file only: this one is in memory. */
static int start_profile_file(orc *o)
{
    static char option[64];
    const char *const arguments[] = { "orc", option };
    o->profile_fd = memfd_create("profile", MFD_CLOEXEC);
    snprintf(option, sizeof option, "-sample-profile-file=/proc/self/fd/%d", o->profile_fd);
    LLVMParseCommandLineOptions(2, arguments, NULL);
    return o->profile_fd >= 0;
}

int orc_start(orc *o, const char *path)
{
    char *why = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &o->program, &why)) return orc_fail(why, NULL), 0;
    return start_jit(o) && start_profile_file(o);
}

/* ----- before optimization ----- */

static void set_attribute(LLVMValueRef f, const char *name, const char *value)
{
    const LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(f));
    LLVMAddAttributeAtIndex(f, FUNCTION_INDEX,
                            LLVMCreateStringAttribute(c, name, (unsigned)strlen(name), value, (unsigned)strlen(value)));
}

/* 1 if a constant has the address of a label, which is of one tier's code. */
static int has_label(LLVMValueRef v)
{
    int i;
    if (LLVMIsABlockAddress(v)) return 1;
    if (LLVMIsAGlobalValue(v)) return 0;
    for (i = 0; i < LLVMGetNumOperands(v); i++)
        if (has_label(LLVMGetOperand(v, (unsigned)i))) return 1;
    return 0;
}

static int is_local(LLVMValueRef v)
{
    return LLVMGetLinkage(v) == LLVMInternalLinkage || LLVMGetLinkage(v) == LLVMPrivateLinkage;
}

/* Variables of a tier above the first are those of the first; of constants, it knows the value. */
static void share_variables(LLVMModuleRef m, int first)
{
    LLVMValueRef v;
    unsigned n = 0;
    char name[32];
    size_t size;
    for (v = LLVMGetFirstGlobal(m); v != NULL; v = LLVMGetNextGlobal(v), n++) {
        const LLVMValueRef value = LLVMGetInitializer(v);
        LLVMGetValueName2(v, &size);
        if (value == NULL || LLVMGetLinkage(v) == LLVMAppendingLinkage) continue;
        if (LLVMIsGlobalConstant(v) && is_local(v) &&
            (LLVMGetUnnamedAddress(v) == LLVMGlobalUnnamedAddr || has_label(value))) continue;   /* each has its own */
        snprintf(name, sizeof name, "variable$%u", n);
        if (size == 0) LLVMSetValueName2(v, name, strlen(name));
        LLVMSetLinkage(v, LLVMExternalLinkage);
        LLVMSetVisibility(v, LLVMDefaultVisibility);
        if (first) continue;
        if (LLVMIsGlobalConstant(v)) LLVMSetLinkage(v, LLVMAvailableExternallyLinkage);
        else LLVMSetInitializer(v, NULL);
    }
}

static unsigned instructions(LLVMValueRef f)
{
    LLVMBasicBlockRef b;
    LLVMValueRef i;
    unsigned n = 0;
    for (b = LLVMGetFirstBasicBlock(f); b != NULL && n <= SMALL; b = LLVMGetNextBasicBlock(b))
        for (i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i)) n++;
    return n;
}

static int by_guid(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Leaves the hot functions and what may be inlined into them. */
static void leave_hot(orc *o, LLVMModuleRef m)
{
    const unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    LLVMValueRef f, next;
    size_t size;
    for (f = LLVMGetFirstFunction(m); f != NULL; f = next) {
        const char *name = LLVMGetValueName2(f, &size);
        const function *known = orc_function(o, name, size, 0);
        const uint64_t guid = csspgo_guid(name, size);
        next = LLVMGetNextFunction(f);
        if (LLVMIsDeclaration(f)) continue;
        if (known != NULL && known->hot) LLVMSetLinkage(f, LLVMExternalLinkage);
        else if (known == NULL || instructions(f) <= SMALL ||
                 bsearch(&guid, o->sampled, o->sampled_count, sizeof guid, by_guid) != NULL ||
                 LLVMGetEnumAttributeAtIndex(f, FUNCTION_INDEX, always) != NULL) {
            if (!is_local(f)) LLVMSetLinkage(f, LLVMAvailableExternallyLinkage);
        } else {
            const LLVMValueRef stub = LLVMAddFunction(m, "", LLVMGlobalGetValueType(f));
            char *const copy = strndup(name, size);
            LLVMReplaceAllUsesWith(f, stub);
            LLVMDeleteFunction(f);
            if (copy != NULL) LLVMSetValueName2(stub, copy, size);
            free(copy);
        }
    }
}

static void prepare(orc *o, LLVMModuleRef m, unsigned how)
{
    LLVMValueRef f;
    share_variables(m, o->tier == 1);
    if (how & ONLY_HOT) leave_hot(o, m);
    for (f = LLVMGetFirstFunction(m); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f)) continue;
        set_attribute(f, "frame-pointer", "all");         /* samples follow them */
        set_attribute(f, "use-sample-profile", "");
    }
}

/* ----- after it ----- */

/* A call's callee is its last operand. */
static int calls(LLVMValueRef user, LLVMValueRef callee)
{
    return (LLVMIsACallInst(user) || LLVMIsAInvokeInst(user)) && LLVMGetCalledValue(user) == callee;
}

/* What used f uses the stub, except labels in f and, in tiers above the first, calls. Returns 0 without memory. */
static int use_stub(LLVMValueRef f, LLVMValueRef stub, int direct)
{
    LLVMValueRef *user;
    LLVMUseRef u;
    size_t n = 0, i;
    LLVMReplaceAllUsesWith(f, stub);
    for (u = LLVMGetFirstUse(stub); u != NULL; u = LLVMGetNextUse(u)) n++;
    user = (LLVMValueRef *)malloc((n + 1) * sizeof *user);
    if (user == NULL) return 0;
    for (n = 0, u = LLVMGetFirstUse(stub); u != NULL; u = LLVMGetNextUse(u)) user[n++] = LLVMGetUser(u);
    for (i = 0; i < n; i++) {
        if (LLVMIsABlockAddress(user[i]))
            LLVMReplaceAllUsesWith(user[i], LLVMBlockAddress(f, LLVMValueAsBasicBlock(LLVMGetOperand(user[i], 1))));
        else if (direct && calls(user[i], stub))
            LLVMSetOperand(user[i], (unsigned)LLVMGetNumOperands(user[i]) - 1, f);
    }
    free(user);
    return 1;
}

/* Gives what is left a name of its own. Returns 0 without memory. */
static int name_functions(orc *o, LLVMModuleRef m)
{
    LLVMValueRef f, next, stub;
    char name[4096];
    size_t size;
    for (f = LLVMGetFirstFunction(m); f != NULL; f = next) {
        function *known;
        const char *text = LLVMGetValueName2(f, &size);
        next = LLVMGetNextFunction(f);
        if (LLVMIsDeclaration(f) || LLVMGetLinkage(f) == LLVMAvailableExternallyLinkage) continue;
        if (size > sizeof name - 16) return 0;
        snprintf(name, sizeof name, "%.*s$%u", (int)size, text, o->tier);
        known = orc_function(o, text, size, 0);
        LLVMSetValueName2(f, name, strlen(name));
        LLVMSetLinkage(f, LLVMExternalLinkage);
        LLVMSetVisibility(f, LLVMDefaultVisibility);
        name[size] = '\0';
        stub = LLVMAddFunction(m, name, LLVMGlobalGetValueType(f));
        LLVMSetFunctionCallConv(stub, LLVMGetFunctionCallConv(f));
        if (!use_stub(f, stub, o->tier > 1)) return 0;
        if (known == NULL && (o->tier == 1 || LLVMGetFirstUse(stub) != NULL)) {
            if ((known = orc_function(o, name, size, 1)) == NULL) return 0;
            known->hot = o->tier > 1;              /* without a stub so far: this tier has the first code for it */
        }
        if (LLVMGetFirstUse(stub) == NULL) LLVMDeleteFunction(stub);
    }
    return 1;
}

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *context)
{
    char *text;
    (void)context;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError) return;
    text = LLVMGetDiagInfoDescription(info);
    orc_fail(text, NULL);
    LLVMDisposeMessage(text);
}

static int optimize(orc *o, LLVMModuleRef m, unsigned how)
{
    static const char plain[] = "globaldce,pseudo-probe,default<O2>";
    static const char profiled[] = "globaldce,pseudo-probe,function(lower-expect,simplifycfg,sroa,early-cse),"
                                   "sample-profile,require<profile-summary>,default<O2>";
    const LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef e;
    LLVMPassBuilderOptionsSetLoopVectorization(options, 1);
    LLVMPassBuilderOptionsSetSLPVectorization(options, 1);
    LLVMPassBuilderOptionsSetCallGraphProfile(options, 0);        /* for linkers; ORC's does not know that section */
    e = LLVMRunPasses(m, how & WITH_PROFILE ? profiled : plain, o->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (e != NULL) orc_fail("passes", e);
    return e == NULL;
}

int orc_compile(orc *o, unsigned how)
{
    const LLVMOrcThreadSafeContextRef context = LLVMOrcCreateNewThreadSafeContext();
    const LLVMContextRef c = LLVMOrcThreadSafeContextGetContext(context);
    LLVMOrcExecutorAddress address;
    LLVMModuleRef m;
    LLVMErrorRef e;
    LLVMValueRef f;
    const char *name = NULL;
    char *first;
    size_t size = 0;
    LLVMContextSetDiagnosticHandler(c, on_diagnostic, NULL);
    if (LLVMParseBitcodeInContext2(c, o->program, &m)) return orc_fail("the bitcode cannot be read", NULL), 0;
    if (o->tier + 1 == TIERS) return 0;
    o->tier++;
    prepare(o, m, how);
    if (!optimize(o, m, how) || !name_functions(o, m)) return 0;
    for (f = LLVMGetFirstFunction(m); f != NULL && name == NULL; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMExternalLinkage) name = LLVMGetValueName2(f, &size);
    first = name != NULL ? strndup(name, size) : NULL;
    o->tracker[o->tier] = LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(o->jit));
    e = LLVMOrcLLJITAddLLVMIRModuleWithRT(o->jit, o->tracker[o->tier], LLVMOrcCreateNewThreadSafeModule(m, context));
    LLVMOrcDisposeThreadSafeContext(context);
    if (e == NULL && first != NULL) e = LLVMOrcLLJITLookup(o->jit, &address, first);
    free(first);
    if (e != NULL) orc_fail("linking", e);
    return e == NULL && name != NULL;
}
