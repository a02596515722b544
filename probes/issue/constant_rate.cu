// N trips of STEPS multiplications in each of ILP chains, by a register or by words of constant memory, each used once
// per trip. The words are in a scattered order, because ptxas would otherwise load two at a time, and there are more of
// them than uniform registers. The instructions are multiplications, because three source registers could make warps
// wait for the register file.
#include "probe.cuh"
#include "issue/trips.cuh"

#undef PTX
#if defined(OP_fmul)
#define PTX(k) "mul.rn.f32 %0, %0, " k ";"
#else
#define PTX(k) "mul.lo.u32 %0, %0, " k ";"
#endif

// Like memory/constants.cuh, which leaves no room for the trip count.
#ifndef CONSTANT_FACTORS
#define CONSTANT_FACTORS
extern "C" {
__constant__ u32 constant_factors[331];
}
#endif

__device__ __forceinline__ void step(u32& v, u32 k, u64 at) {
#ifdef OPERAND_constant
  asm volatile(
      "{ .reg .u64 a; .reg .b32 k; mov.u64 a, constant_factors; add.u64 a, a, %1; ld.const.b32 k, [a]; " PTX("k") " }"
      : "+r"(v)
      : "l"(at));
#else
  asm volatile(PTX("%1") : "+r"(v) : "r"(k));
#endif
}

PROBE {
  Window window;
  PASSES {
    u32 v[ILP];
    UNROLL for (int j = 0; j < ILP; ++j) v[j] = input(args, j);
    const u32 k = input(args, ILP);
    float left = trips();
    window.ready(v);
    window.ready(k);
    window.ready(left);
    __syncthreads();
    window.open();
    _Pragma("unroll 1") do {
      UNROLL for (int i = 0; i < STEPS; ++i)
        UNROLL for (int j = 0; j < ILP; ++j) step(v[j], k, (i * ILP + j) * 29 % 331 * 4);
    } while (again(left));
    UNROLL for (int j = 0; j < ILP; ++j) window.wait(v[j]);
    window.close();
  }
  window.report(args);
}
