#pragma once

// Mbarriers of a block and the bulk copies that complete on them.

#include "cases.cuh"

__device__ inline void initialize(u32 barrier, u32 arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// The initialized barriers are visible to copies and, after __syncthreads(), to the block.
__device__ inline void initialized() { asm volatile("fence.proxy.async;" ::: "memory"); }

__device__ inline void arrive(u32 barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ inline void expect(u32 barrier, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ inline void await(u32 barrier, u32 parity) {
  u32 over;
  do {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over)
                 : "r"(barrier), "r"(parity)
                 : "memory");
  } while (!over);
}

__device__ inline void bulk_load(u32 to, const void* from, u32 bytes, u32 barrier) {
  asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(from), "r"(bytes), "r"(barrier)
               : "memory");
}

// True in one lane of the warp. ptxas puts a loop over lanes around a copy by any other.
__device__ inline bool elected() {
  u32 one;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(one));
  return one != 0;
}

// The next of STAGES buffers, and the parity of its phase.
struct Stage {
  u32 at = 0, parity = 0;
  __device__ inline void next() {
    ++at;
    if (at == STAGES) at = 0, parity ^= 1;
  }
};

// For each of STAGES buffers an mbarrier that says that it is full, and one that it is empty, with their arrivals. All
// threads of the block call it.
__device__ inline void initialize_stages(u32 full, u32 empty, u32 fillers, u32 emptiers) {
  if (threadIdx.x == 0) {
    UNROLL for (u32 i = 0; i < STAGES; ++i) initialize(full + 8 * i, fillers), initialize(empty + 8 * i, emptiers);
    initialized();
  }
  __syncthreads();
}
