// The parts of the fragments of mma.cuh's mma.sync, at the positions given by the PTX ISA ("Matrix Fragments for mma"),
// and fragments whose elements are 1 or 0. Parts are numbered through the registers of a lane as there (a0, a1, ...).
#undef PACKED
#undef A_PARTS
#undef B_PARTS
#undef D_PARTS
#undef MMA_ONE

#ifdef AB_f64
#define PACKED 1
#else
#define PACKED (32 / MMA_ELEMENT_BITS)
#endif
#define A_PARTS (M * K / 32)
#define B_PARTS (K * 8 / 32)
#define D_PARTS (M * 8 / 32)

#if defined(AB_f16)
#define MMA_ONE 0x3c00u
#elif defined(AB_bf16)
#define MMA_ONE 0x3f80u
#elif defined(AB_tf32)
#define MMA_ONE 0x3f800000u
#elif defined(AB_e4m3)
#define MMA_ONE 0x38u
#elif defined(AB_e5m2)
#define MMA_ONE 0x3cu
#else
#define MMA_ONE 1u
#endif

// Register i of A covers row group + 8 (i % (M / 8)), k from PACKED (in_group + 4 (i / (M / 8))) on.
__device__ __forceinline__ u32 row_of_a(u32 lane, u32 part) { return lane / 4 + 8 * (part / PACKED % (M / 8)); }
__device__ __forceinline__ u32 k_of_a(u32 lane, u32 part) {
  return PACKED * (lane % 4 + 4 * (part / PACKED / (M / 8))) + part % PACKED;
}
__device__ __forceinline__ u32 k_of_b(u32 lane, u32 part) {
  return PACKED * (lane % 4 + 4 * (part / PACKED)) + part % PACKED;
}
__device__ __forceinline__ u32 column_of_b(u32 lane) { return lane / 4; }
__device__ __forceinline__ u32 row_of_d(u32 part) { return lane() / 4 + 8 * (part / 2); }
__device__ __forceinline__ u32 column_of_d(u32 part) { return 2 * (lane() % 4) + part % 2; }

// A word of PACKED parts in which those for which `is` holds are 1.
template <class Is>
__device__ __forceinline__ MMA_WORD word_of(Is is) {
#ifdef AB_f64
  return is(0) ? 1.0 : 0.0;
#else
  u32 word = 0;
  UNROLL for (u32 e = 0; e < PACKED; ++e) word |= is(e) ? MMA_ONE << (MMA_ELEMENT_BITS % 32 * e) : 0;
  return word;
#endif
}
template <class Is>
__device__ __forceinline__ void fill_a(MMA_WORD (&a)[NA], Is is) {
  UNROLL for (u32 i = 0; i < NA; ++i) a[i] =
      word_of([&](u32 e) { return is(row_of_a(lane(), i * PACKED + e), k_of_a(lane(), i * PACKED + e)); });
}
template <class Is>
__device__ __forceinline__ void fill_b(MMA_WORD (&b)[NB], Is is) {
  UNROLL for (u32 i = 0; i < NB; ++i) b[i] =
      word_of([&](u32 e) { return is(k_of_b(lane(), i * PACKED + e), column_of_b(lane())); });
}
// Sets only that part to 1, and only if it belongs to this lane.
template <int size>
__device__ __forceinline__ void one_part(MMA_WORD (&words)[size], bool mine, u32 part) {
#ifdef AB_f64
  const MMA_WORD one = mine ? 1.0 : 0.0;
#else
  const MMA_WORD one = mine ? MMA_ONE << (MMA_ELEMENT_BITS % 32 * (part % PACKED)) : 0;
#endif
  UNROLL for (u32 i = 0; i < size; ++i) words[i] = part / PACKED == i ? one : 0;
}

// Whether that part of D is not 0.
__device__ __forceinline__ bool is_one(const MMA_WORD (&d)[NC], u32 part) {
#if defined(ACC_f16)
  return (d[part / 2] >> (16 * (part % 2)) & 0xffff) != 0;
#else
  return d[part] != 0;
#endif
}
