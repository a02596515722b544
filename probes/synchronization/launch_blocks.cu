// When the blocks of a launch begin and end on their SM: each stores its clock readings and its SM, and the last block
// of the grid waits for all of these. Fact 0: from the beginning of a block to that of the next one on its SM. Fact 1:
// from the last clock reading of a block to the first of the block that begins next on its SM after that. Both are
// means. Facts 2 and 3: how many there are of each. The window has N trips of dependent shuffles: a loop, so that what
// follows it stays in the instruction cache, and few issues, so that the first instructions of another block find a slot.
#include "probe.cuh"

struct Begun {
  u32 opened, closed, sm, stored;
};

PROBE {
  Window window;
  u32 v = threadIdx.x;
  PASSES {
    window.ready(v);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      UNROLL for (int i = 0; i < 16; ++i) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;" : "+r"(v));
    }
    window.wait(v);
    window.close();
  }
  Begun* const all = reinterpret_cast<Begun*>(args.data);
  if (threadIdx.x == 0) {
    // One store, so that whoever sees one word sees all.
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(all + blockIdx.x),
                 "r"(static_cast<u32>(window.opened)), "r"(static_cast<u32>(window.closed)), "r"(sm()), "r"(1)
                 : "memory");
  }
  if (blockIdx.x + 1 != gridDim.x) return;
  window.report(args);
  for (u32 i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
    const volatile u32* const stored = &all[i].stored;
    for (u32 tries = 0; *stored == 0 && tries < 1000000; ++tries) {}
  }
  __syncthreads();
  constexpr int none = 0x7fffffff;
  for (u32 i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
    const Begun one = all[i];
    int begin = none, next = none;
    for (u32 k = 0; k < gridDim.x; ++k) {
      const Begun other = all[k];
      if (k == i || other.sm != one.sm || other.stored == 0) continue;
      const int later = other.opened - one.opened, after = other.opened - one.closed;
      if (later >= 0) begin = min(begin, later);
      if (after >= 0) next = min(next, after);
    }
    if (begin != none) atomicAdd(args.facts + 8, begin), atomicAdd(args.facts + 2, 1);
    if (next != none) atomicAdd(args.facts + 9, next), atomicAdd(args.facts + 3, 1);
  }
  __syncthreads();
  for (u32 i = threadIdx.x; i < gridDim.x; i += blockDim.x) all[i].stored = 0;
  if (threadIdx.x != 0) return;
  for (u32 i = 0; i < 2; ++i) {
    const u32 number = atomicAdd(args.facts + 2 + i, 0);
    fact(args, i, number == 0 ? 0 : atomicAdd(args.facts + 8 + i, 0) / number);
  }
}
