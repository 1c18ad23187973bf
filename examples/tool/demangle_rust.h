/* demangle_rust.h - what demangle_rust.c and demangle_rust_name.c share */
#ifndef CSSPGO_TOOL_DEMANGLE_RUST_H
#define CSSPGO_TOOL_DEMANGLE_RUST_H

#include "demangle.h"

typedef struct rust_name {
    demangler  *d;                /* p, end: what is left; out, size: what is made                   */
    const char *begin;            /* behind "_R": what back references count from                    */
    uint64_t    lifetimes;        /* bound by the binders around                                     */
    int         silent;           /* read, and not printed                                           */
} rust_name;

typedef struct rust_ident {
    const char *text;
    size_t      size;
    int         puny;             /* 1: in Punycode */
} rust_ident;

/* demangle_rust_name.c */
void rust_byte(rust_name *r, char c);
void rust_bytes(rust_name *r, const char *text, size_t size);
void rust_say(rust_name *r, const char *text);
void rust_decimal(rust_name *r, uint64_t n);
uint64_t rust_base62(rust_name *r);                   /* "_" is 0, "0_" is 1, and so on in base 62 */
uint64_t rust_tagged(rust_name *r, const char *tag);  /* what stands behind a tag, and 1; 0 without the tag */
rust_ident rust_identifier(rust_name *r);
void rust_print_identifier(rust_name *r, const rust_ident *id);

#endif
