// One atomic operation OP of TYPE in SPACE by each lane: ATOM(d, p, v) returns the old value in `d`, RED(p, v) does
// not. `d` and `v` are of type Value, of 32 or 64 bits in WORDS registers. cas compares with `v` and stores the initial
// value of `v`.
#undef ATOM
#undef RED
#undef ADDRESS
#undef WORDS
#undef VALUE

#ifdef SPACE_shared
#define ADDRESS "r"
#else
#define ADDRESS "l"
#endif

#if defined(TYPE_u64) || defined(TYPE_b64) || defined(TYPE_f64)
using Word = u64;
#define VALUE "l"
#else
using Word = u32;
#define VALUE "r"
#endif

#if defined(TYPE_v2_f32) || defined(TYPE_v2_f16x2) || defined(TYPE_v2_bf16x2)
#define WORDS 2
#define ATOM(d, p, v)                                                   \
  asm volatile("atom." SPACE "." OP "." TYPE " {%0, %1}, [%2], {%3, %4};" \
               : "=r"(d[0]), "=r"(d[1])                                 \
               : ADDRESS(p), "r"(v[0]), "r"(v[1]))
#define RED(p, v) asm volatile("red." SPACE "." OP "." TYPE " [%0], {%1, %2};" ::ADDRESS(p), "r"(v[0]), "r"(v[1]))
#elif defined(TYPE_v4_f32) || defined(TYPE_v4_f16x2) || defined(TYPE_v4_bf16x2)
#define WORDS 4
#define ATOM(d, p, v)                                                                   \
  asm volatile("atom." SPACE "." OP "." TYPE " {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};" \
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                         \
               : ADDRESS(p), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]))
#define RED(p, v)                                                      \
  asm volatile("red." SPACE "." OP "." TYPE " [%0], {%1, %2, %3, %4};" \
               ::ADDRESS(p), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]))
#else
#define WORDS 1
#ifdef OP_cas
#define ATOM(d, p, v) \
  asm volatile("atom." SPACE ".cas." TYPE " %0, [%1], %2, %3;" : "=" VALUE(d[0]) : ADDRESS(p), VALUE(v[0]), VALUE(swap))
#else
#define ATOM(d, p, v) asm volatile("atom." SPACE "." OP "." TYPE " %0, [%1], %2;" : "=" VALUE(d[0]) : ADDRESS(p), VALUE(v[0]))
#define RED(p, v) asm volatile("red." SPACE "." OP "." TYPE " [%0], %1;" ::ADDRESS(p), VALUE(v[0]))
#endif
#endif
