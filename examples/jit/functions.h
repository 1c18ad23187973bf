/* functions.h - the functions of the JIT, file by file; jit.h includes it */
#ifndef CSSPGO_EXAMPLES_JIT_FUNCTIONS_H
#define CSSPGO_EXAMPLES_JIT_FUNCTIONS_H

/* assemble.c */
int lang_fail(program *p, const char *what, const char *word);
uint32_t func_named(const program *p, const char *name);
int assemble(program *p, const char *text);
void op_text(const insn *n, char *to, size_t cap);

/* verify.c */
int op_is_last(uint32_t o);
int op_writes(uint32_t o);
uint32_t op_reads(const insn *i, uint16_t reads[MAX_PARAMS + 1]);
uint64_t reg_bit(uint32_t r);
int verify(program *p);

/* interpret.c */
outcome interpret(const program *p, int64_t *array, uint32_t f, int64_t argument, truth *t, counting *c);

/* count.c */
int counting_open(counting *c, const program *p, const csspgo_options *options);
void counting_close(counting *c);
csspgo_ctx_ref counting_enter(counting *c, uint32_t f);
void counting_leave(counting *c, uint32_t f);
csspgo_status counting_profile(counting *c, csspgo_profile *p);

/* unit.c */
void *room(void *old, size_t count, size_t *cap, size_t size);
void unit_free(unit *u);
uint64_t guess(const func *f, uint32_t at);
uint32_t unit_copy_add(unit *u, const program *p, uint32_t func, uint32_t parent, uint32_t site);
void append_body(builder *b, uint32_t copy, const uint16_t *map, uint16_t result, uint32_t end);

/* registers.c */
void build_unit(unit *u, const program *p, uint32_t f, const plan *how);

/* emit.c */
void emit8(emitter *e, uint32_t v);
void emit32(emitter *e, uint64_t v);
void emit_rm(emitter *e, uint32_t opcode, int reg, int rm);
void emit_element(emitter *e, uint32_t opcode, int reg, int index);
void emit_number(emitter *e, int what, int rm, int64_t value);
int fits32(int64_t v);
void emit_load_number(emitter *e, int rm, int64_t value);
void emit_move(emitter *e, int to, int from);
void emit_transfer(emitter *e, csspgo_transfer_kind kind, size_t at, uint32_t label);
void emit_branch(emitter *e, int condition, uint32_t label);
void emit_trap_if(emitter *e, int condition);
void emit_probe(emitter *e, uint32_t kind, uint32_t id, uint32_t copy);

/* emit_count.c */
void emit_enter(emitter *e);
void emit_count(emitter *e, uint32_t counter);
void emit_announce(emitter *e, const insn *n);
void emit_leave(emitter *e);
uint64_t emit_counting_stubs(engine *g, uint64_t at);

/* instructions.c */
void emit_unit(emitter *e, uint32_t params);
void put32(unsigned char *at, uint64_t v);
void relocate(emitter *e, uint64_t to);
void emitter_free(emitter *e);

/* engine.c */
int has_code(const engine *g, uint32_t f);
int compile(engine *g, uint32_t f, uint32_t tier, const plan *how);
void drop_unreachable(engine *g);
void engine_free(engine *g);
engine *engine_new(const program *p, int watch, const csspgo_options *options);
outcome engine_run(engine *g, uint32_t f, int64_t argument, int step);
const piece *piece_at(const engine *g, uint64_t address);
size_t code_bytes(const engine *g);

/* hot.c */
void hot_look(hot_loop *h, const unit *u, uint32_t func);
void hot_say(const hot_loop *h, const program *p, const char *name, char *to, size_t cap);

/* samples.c */
void sampler_close(void);
source sampler_open(const engine *g, source wanted, int quiet);

/* profile.c */
csspgo_status sampler_drain(engine *g);
csspgo_status take_profile(engine *g, csspgo_profile *p);

/* tiers.c */
csspgo_status tier_up(engine *g, csspgo_profile *profile, int way, uint32_t budget, tier2 *result);
uint32_t budget_of(const workload *w, const program *p);

/* bench.c */
double cpu_seconds(void);
int by_value(const void *a, const void *b);
void observe(const expected *x, int watch, csspgo_profile *profile, source from, double seconds, int64_t rounds);
void bench_head(const bench_options *o);
void bench_one(const workload *w, const bench_options *o, char *hot, size_t cap);
void say_machine(const bench_options *o);
int bench_option(bench_options *o, const char *arg);
int bench(int argc, char **argv);

/* bench_count.c */
void bench_count_head(void);
void bench_count_one(const workload *w, const program *p, const bench_options *o);

/* support.c */
int check(int holds, const char *what, const char *where);
int checks_failed(void);                         /* how many did not hold */
int load(program *p, const char *const *text, size_t texts, const char *name);
void set_up(const program *p, int64_t *array, int small);
program *new_program(void);
int64_t *new_array(void);
void check_language(void);

/* check.c */
void *poor_alloc(void *ctx, size_t size);
void poor_free(void *ctx, void *v, size_t size);
int outcome_equal(outcome a, outcome b);
int contexts_occurred(const csspgo_profile *p, csspgo_node n, const truth *t, uint32_t at, const program *prog);
void expect(expected *x, const program *p, const char *name, int64_t n, int small);
void expected_free(expected *x);
void run_and_compare(engine *g, const expected *x, int step, const char *what);
int check_all(uint32_t share);                   /* main.c has another one, for machines without machine code */

/* check_random.c */
void random_program(text_buffer *b, uint32_t seed);
void check_source(source wanted, uint32_t which);
void check_fast(const expected *x, uint32_t budget);
void check_decisions(const workload *w);
csspgo_profile *true_profile(const expected *x);

/* check_count.c */
void truth_free(truth *t);
int same_counts(const csspgo_profile *p, const truth *t, const program *prog, int lossy);
void check_interpreter(const program *p, const char *name, int64_t n);
void check_counted(const expected *x, uint32_t budget);
void check_poor_counting(const expected *x, uint32_t budget);

#endif
