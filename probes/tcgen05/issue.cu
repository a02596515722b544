// N operations that one elected thread issues, without a wait in the window: mma, cp or commit. The pause after the
// window is longer than they take, so that the next pass begins with none in flight. With a loop that waits for them,
// the compiler would move descriptors between registers in the window.
#include "probe.cuh"
#include "mbarrier.cuh"
#include "tcgen05/tmem.cuh"

PROBE {
  __shared__ __align__(1024) char tiles[32 * 1024];
  __shared__ u64 barrier;
  Window window;
  const u32 at = tmem_allocate(), bar = shared_address(&barrier);
  for (u32 i = threadIdx.x; i < sizeof(tiles) / 16; i += blockDim.x)
    reinterpret_cast<uint4*>(tiles)[i] = reinterpret_cast<const uint4*>(args.data)[i];
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  u32 elected;
  asm volatile("{.reg .pred p; elect.sync _|p, -1; selp.u32 %0, 1, 0, p;}" : "=r"(elected));
  // PTX ISA, "Shared memory descriptor": the address, the distances and the version for sm_100; no swizzle.
  const u64 a = u64{1} << 46 | u64{16} << 32 | u64{8} << 16 | (shared_address(tiles) >> 4 & 0x3fff) | u64{args.zero} << 32;
  const u64 b = a + 512;
  // "Instruction descriptor": D in bits 4 and 5, N / 8 in 17 to 22, M / 16 in 24 to 28; a type of zero is f16.
  constexpr u32 shape = 64 / 8 << 17 | 128 / 16 << 24 | DTYPE << 4 | TYPES << 7;
  const u32 instruction = shape + args.zero;
  if (elected) {
    PASSES {
      window.open();
      UNROLL for (int i = 0; i < N; ++i) {
#if defined(WHAT_mma)
        asm volatile("tcgen05.mma.cta_group::1.kind::" KIND " [%0], %1, %2, %3, 1;" ::"r"(at), "l"(a + 128 * i),
                     "l"(b + 128 * i), "r"(instruction));
#elif defined(WHAT_cp)
        asm volatile("tcgen05.cp.cta_group::1.128x256b [%0], %1;" ::"r"(at + 16 * i), "l"(a));
#else
        asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(bar));
#endif
      }
      window.close();
      __nanosleep(4000);
    }
#ifndef WHAT_commit
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(bar) : "memory");
    for (u32 late = 1; late != 0;) {
      late = 0;
      await_once(late, bar, 0);
    }
#endif
    window.report(args);
  }
  tmem_free(at);
}
