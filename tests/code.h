/* code.h - functions and transfers for a code map. Include it after t.h. */
#ifndef T_CODE_H
#define T_CODE_H

T_UNUSED static csspgo_code_function make_function(uint64_t begin, uint64_t end, const char *name)
{
    csspgo_code_function f;
    memset(&f, 0, sizeof f);
    f.begin = begin;
    f.end = end;
    f.name = name;
    f.name_size = strlen(name);
    return f;
}

T_UNUSED static csspgo_transfer make_transfer(uint64_t address, uint32_t size, csspgo_transfer_kind kind,
                                              uint64_t target)
{
    csspgo_transfer t;
    t.address = address;
    t.size = size;
    t.kind = kind;
    t.target = target;
    return t;
}

/* Code of x86-64. */
T_UNUSED static csspgo_code_bytes make_bytes(uint64_t address, const void *bytes, size_t size)
{
    csspgo_code_bytes b;
    memset(&b, 0, sizeof b);
    b.arch = CSSPGO_X86_64;
    b.address = address;
    b.bytes = bytes;
    b.size = size;
    return b;
}

T_UNUSED static csspgo_status add_code(csspgo_code *c, csspgo_module m, uint64_t address, const void *bytes,
                                       size_t size, csspgo_error *err)
{
    const csspgo_code_bytes b = make_bytes(address, bytes, size);
    return csspgo_code_add_bytes(c, m, &b, err);
}

#endif
