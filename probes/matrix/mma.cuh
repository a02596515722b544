// mma.sync of the sweep's shape and types: m<M>n8k<K>, inputs AB, accumulator ACC. Fragment sizes in registers follow
// from the shape: the 32 lanes share the elements evenly (PTX ISA, "Matrix multiply-accumulate: mma"). With KIND in the
// sweep, that kind of product (f8f6f4, mxf8f6f4, mxf4, mxf4nvf4), with SCALE (none, 1X, 2X, 4X) factors of type FACTOR
// for each row, all of them 1.
#undef MMA_TYPES
#undef MMA_REG
#undef MMA_ELEMENT_BITS
#undef MMA_ACC_BITS
#undef NA
#undef NB
#undef NC
#undef MMA_A
#undef MMA_B
#undef MMA_STR
#undef MMA_STR_
#undef MMA_OP
#undef MMA_POPC
#undef MMA_SCALES
#undef MMA_FACTORS

// One-bit products are counted by popc.
#ifdef AB_b1
#define MMA_POPC ".and.popc"
#else
#define MMA_POPC ""
#endif

#define MMA_STR_(x) #x
#define MMA_STR(x) MMA_STR_(x)
#define MMA_SCALES ""
#define MMA_FACTORS
#if !defined(KIND)
#define MMA_OP                                                                                                   \
  "mma.sync.aligned.m" MMA_STR(M) "n8k" MMA_STR(K) ".row.col." ACC "." AB "." AB "." ACC MMA_POPC " "
#elif defined(SCALE_none)
#define MMA_OP "mma.sync.aligned.m16n8k" MMA_STR(K) ".row.col.kind::" KIND "." ACC "." AB "." AB "." ACC " "
#else
#define MMA_OP                                                                                                      \
  "mma.sync.aligned.m16n8k" MMA_STR(K) ".row.col.kind::" KIND ".block_scale.scale_vec::" SCALE "." ACC "." AB "." AB \
  "." ACC "." FACTOR " "
#undef MMA_SCALES
#undef MMA_FACTORS
#define MMA_SCALES ", {%14}, {0, 0}, {%15}, {0, 0}"
#ifdef FACTOR_ue4m3
#define MMA_FACTORS , "r"(0x38383838), "r"(0x38383838)
#else
#define MMA_FACTORS , "r"(0x7f7f7f7f), "r"(0x7f7f7f7f)
#endif
#endif

#if defined(KIND)
#define MMA_ELEMENT_BITS (256 / K)
#elif defined(AB_f64)
#define MMA_ELEMENT_BITS 64
#elif defined(AB_tf32)
#define MMA_ELEMENT_BITS 32
#elif defined(AB_s8) || defined(AB_u8) || defined(AB_e4m3) || defined(AB_e5m2)
#define MMA_ELEMENT_BITS 8
#elif defined(AB_s4) || defined(AB_u4)
#define MMA_ELEMENT_BITS 4
#elif defined(AB_b1)
#define MMA_ELEMENT_BITS 1
#else
#define MMA_ELEMENT_BITS 16
#endif

#if defined(ACC_f64)
#define MMA_ACC_BITS 64
#define MMA_REG "d"
#elif defined(ACC_f16)
#define MMA_ACC_BITS 16
#define MMA_REG "r"
#else
#define MMA_ACC_BITS 32
#define MMA_REG "r"
#endif

#if defined(AB_f64)
#define NA (M * K / 32)
#define NB (K * 8 / 32)
#define NC (M * 8 / 32)
#else
#define NA (M * K * MMA_ELEMENT_BITS / 1024)
#define NB (K * 8 * MMA_ELEMENT_BITS / 1024)
#define NC (M * 8 * MMA_ACC_BITS / 1024)
#endif

// The accumulators come first in every asm: %0 up to NC are D, the rest are A, B, C.
#undef MMA
#if NC == 4 && NA == 4 && NB == 2
#define MMA(d, a, b, c)                                                                                        \
  asm volatile(MMA_OP "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13}" MMA_SCALES ";"      \
               : "=" MMA_REG(d[0]), "=" MMA_REG(d[1]), "=" MMA_REG(d[2]), "=" MMA_REG(d[3])                    \
               : MMA_REG(a[0]), MMA_REG(a[1]), MMA_REG(a[2]), MMA_REG(a[3]), MMA_REG(b[0]), MMA_REG(b[1]),     \
                 MMA_REG(c[0]), MMA_REG(c[1]), MMA_REG(c[2]), MMA_REG(c[3]) MMA_FACTORS)
#elif NC == 4 && NA == 2 && NB == 1
#define MMA(d, a, b, c)                                                                               \
  asm volatile(MMA_OP "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"                          \
               : "=" MMA_REG(d[0]), "=" MMA_REG(d[1]), "=" MMA_REG(d[2]), "=" MMA_REG(d[3])           \
               : MMA_REG(a[0]), MMA_REG(a[1]), MMA_REG(b[0]), MMA_REG(c[0]), MMA_REG(c[1]),           \
                 MMA_REG(c[2]), MMA_REG(c[3]))
#elif NC == 4 && NA == 8 && NB == 4
#define MMA(d, a, b, c)                                                                                              \
  asm volatile(MMA_OP                                                                                                \
               "{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19};"   \
               : "=" MMA_REG(d[0]), "=" MMA_REG(d[1]), "=" MMA_REG(d[2]), "=" MMA_REG(d[3])                          \
               : MMA_REG(a[0]), MMA_REG(a[1]), MMA_REG(a[2]), MMA_REG(a[3]), MMA_REG(a[4]), MMA_REG(a[5]),           \
                 MMA_REG(a[6]), MMA_REG(a[7]), MMA_REG(b[0]), MMA_REG(b[1]), MMA_REG(b[2]), MMA_REG(b[3]),           \
                 MMA_REG(c[0]), MMA_REG(c[1]), MMA_REG(c[2]), MMA_REG(c[3]))
#elif NC == 2 && NA == 4 && NB == 2
#define MMA(d, a, b, c)                                                                                    \
  asm volatile(MMA_OP "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"                                    \
               : "=" MMA_REG(d[0]), "=" MMA_REG(d[1])                                                      \
               : MMA_REG(a[0]), MMA_REG(a[1]), MMA_REG(a[2]), MMA_REG(a[3]), MMA_REG(b[0]), MMA_REG(b[1]), \
                 MMA_REG(c[0]), MMA_REG(c[1]))
#elif NC == 2 && NA == 2 && NB == 1
#define MMA(d, a, b, c)                                                                               \
  asm volatile(MMA_OP "{%0, %1}, {%2, %3}, {%4}, {%5, %6};"                                           \
               : "=" MMA_REG(d[0]), "=" MMA_REG(d[1])                                                 \
               : MMA_REG(a[0]), MMA_REG(a[1]), MMA_REG(b[0]), MMA_REG(c[0]), MMA_REG(c[1]))
#elif NC == 2 && NA == 1 && NB == 1
#define MMA(d, a, b, c)                                                 \
  asm volatile(MMA_OP "{%0, %1}, {%2}, {%3}, {%4, %5};"                 \
               : "=" MMA_REG(d[0]), "=" MMA_REG(d[1])                   \
               : MMA_REG(a[0]), MMA_REG(b[0]), MMA_REG(c[0]), MMA_REG(c[1]))
#else
#error "no fragment shape for this M, K, AB, ACC"
#endif

// Word i of a fragment; it varies by lane.
template <class T>
struct MmaWord {
  static __device__ __forceinline__ T load(const Args& args, u32 i) { return input(args, i); }
};
template <>
struct MmaWord<double> {
  static __device__ __forceinline__ double load(const Args& args, u32 i) {
    return __hiloint2double(input(args, 2 * i), input(args, 2 * i + 1));
  }
};

#undef MMA_WORD
#ifdef AB_f64
#define MMA_WORD double
#else
#define MMA_WORD u32
#endif
