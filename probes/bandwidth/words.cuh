// Accesses of the sweep's BYTES (1, 2, 4, 8, 16) per lane. LOAD(op, of, v, p) and STORE(op, of, p, v): `op` is PTX
// without its type, "ld.global.cg"; `of` is the constraint of the address, "l" for global and "r" for shared memory;
// `v` is u32[WORDS].
#undef WORDS
#undef LOAD
#undef STORE

#define WORDS (BYTES < 4 ? 1 : BYTES / 4)
#if BYTES == 1
#define LOAD(op, of, v, p) asm volatile(op ".u8 %0, [%1];" : "=r"(v[0]) : of(p))
#define STORE(op, of, p, v) asm volatile(op ".u8 [%0], %1;" ::of(p), "r"(v[0]))
#elif BYTES == 2
#define LOAD(op, of, v, p) asm volatile(op ".u16 %0, [%1];" : "=r"(v[0]) : of(p))
#define STORE(op, of, p, v) asm volatile(op ".u16 [%0], %1;" ::of(p), "r"(v[0]))
#elif BYTES == 4
#define LOAD(op, of, v, p) asm volatile(op ".u32 %0, [%1];" : "=r"(v[0]) : of(p))
#define STORE(op, of, p, v) asm volatile(op ".u32 [%0], %1;" ::of(p), "r"(v[0]))
#elif BYTES == 8
#define LOAD(op, of, v, p) asm volatile(op ".v2.u32 {%0, %1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : of(p))
#define STORE(op, of, p, v) asm volatile(op ".v2.u32 [%0], {%1, %2};" ::of(p), "r"(v[0]), "r"(v[1]))
#else
#define LOAD(op, of, v, p) \
  asm volatile(op ".v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : of(p))
#define STORE(op, of, p, v) \
  asm volatile(op ".v4.u32 [%0], {%1, %2, %3, %4};" ::of(p), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]))
#endif
