#pragma once

// Tensor instructions on f16 with sums in f32, and what brings operands to them from shared memory.

#include "cases.cuh"

__device__ inline u32 to_halves(float low, float high) {
  u32 both;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}

// Four matrices of 8 x 8; each lane has the address of a row.
__device__ inline void load_matrices(u32 (&to)[4], const u16* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}

__device__ inline void load_transposed(u32 (&to)[4], const u16* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}

__device__ inline void multiply(float (&c)[4], const u32 (&a)[4], u32 low, u32 high) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(low), "r"(high));
}

// Fragments of wmma.m16n16k16.
struct Rows {
  u32 of[8];
};
struct Sums {
  float of[8];
};

#define LOAD_FRAGMENT(name, layout)                                                                                \
  __device__ inline void name(Rows& to, const u16* from, u32 pitch_of) {                                           \
    asm volatile("wmma.load." layout ".m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"           \
                 : "=r"(to.of[0]), "=r"(to.of[1]), "=r"(to.of[2]), "=r"(to.of[3]), "=r"(to.of[4]), "=r"(to.of[5]), \
                   "=r"(to.of[6]), "=r"(to.of[7])                                                                  \
                 : "r"(shared_address(from)), "r"(pitch_of)                                                        \
                 : "memory");                                                                                      \
  }
LOAD_FRAGMENT(load_a, "a.sync.aligned.row")
LOAD_FRAGMENT(load_b_columns, "b.sync.aligned.col")
LOAD_FRAGMENT(load_b_rows, "b.sync.aligned.row")

#define MULTIPLY_FRAGMENTS(name, layouts)                                                                            \
  __device__ inline void name(Sums& c, const Rows& a, const Rows& b) {                                               \
    asm volatile("wmma.mma.sync.aligned." layouts                                                                    \
                 ".m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, "     \
                 "{%16, %17, %18, %19, %20, %21, %22, %23}, {%0, %1, %2, %3, %4, %5, %6, %7};"                       \
                 : "+f"(c.of[0]), "+f"(c.of[1]), "+f"(c.of[2]), "+f"(c.of[3]), "+f"(c.of[4]), "+f"(c.of[5]),         \
                   "+f"(c.of[6]), "+f"(c.of[7])                                                                      \
                 : "r"(a.of[0]), "r"(a.of[1]), "r"(a.of[2]), "r"(a.of[3]), "r"(a.of[4]), "r"(a.of[5]), "r"(a.of[6]), \
                   "r"(a.of[7]), "r"(b.of[0]), "r"(b.of[1]), "r"(b.of[2]), "r"(b.of[3]), "r"(b.of[4]), "r"(b.of[5]), \
                   "r"(b.of[6]), "r"(b.of[7]));                                                                      \
  }
MULTIPLY_FRAGMENTS(multiply_columns, "row.col")
MULTIPLY_FRAGMENTS(multiply_rows, "row.row")

__device__ inline void store_sums(float* to, const Sums& sums, u32 pitch_of) {
  asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" ::"r"(
                   shared_address(to)),
               "f"(sums.of[0]), "f"(sums.of[1]), "f"(sums.of[2]), "f"(sums.of[3]), "f"(sums.of[4]), "f"(sums.of[5]),
               "f"(sums.of[6]), "f"(sums.of[7]), "r"(pitch_of)
               : "memory");
}
