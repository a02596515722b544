// The latency of a copy of 1 KiB with the tensor map that PLACE names: the kernel's parameter; a copy of it in global
// memory that was used before (warm); copies that no instruction has used, each used only once (cold); the same, some
// time after prefetch.tensormap of all of them (prefetched). Writing the copies leaves them in L2. Maps and boxes are
// at other places in every launch and block; the blocks run one after another.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "memory/turn.cuh"
#include "tensor_copy/tensor.cuh"

__device__ __forceinline__ void copy_map(u64 to, u64 from) {
  for (u32 i = 0; i < 16; ++i) reinterpret_cast<volatile u64*>(to)[i] = reinterpret_cast<const u64*>(from)[i];
}
// Publishes the `count` maps that the thread wrote from `first` on, so that its copies use them.
__device__ __forceinline__ void publish_maps(u64 first, u32 count) {
  asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
  _Pragma("unroll 1") for (u32 i = 0; i < count; ++i)
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(first + i * 128) : "memory");
}

PROBE {
  extern __shared__ __align__(1024) char buffer[];
  __shared__ u64 word;
  Window window;
  const u32 to = shared_address(buffer), barrier = shared_address(&word), bytes = 1024 + args.zero;
  u32 late = none_late(args);
  // The lower half of the data holds the boxes, 4 rows of 256 bytes each; the upper half holds the maps.
  const u32 place = static_cast<u32>((launch_hash(args) + blockIdx.x) % 256), row = place * 64 + args.zero;
#ifdef PLACE_parameter
  u64 first = tensor_map(args);
#else
  u64 first = reinterpret_cast<u64>(args.data) + args.data_bytes / 2 + place * 16384;
#endif
#if defined(PLACE_cold) || defined(PLACE_prefetched)
  constexpr u32 step = 128;
  const u32 maps = N * args.passes;
#else
  constexpr u32 step = 0;
  const u32 maps = 1;
#endif
  await_turn(args, blockIdx.x, 64);
#ifndef PLACE_parameter
  if (threadIdx.x == 0) {
    for (u32 i = 0; i < maps; ++i) copy_map(first + i * step, tensor_map(args));
    publish_maps(first, maps);
#ifdef PLACE_prefetched
    _Pragma("unroll 1") for (u32 i = 0; i < maps; ++i)
      asm volatile("prefetch.tensormap [%0];" ::"l"(first + i * step) : "memory");
#endif
  }
#endif
  set_up(barrier, 1);
  if (!elected()) return;
  BULK_PASSES {
    const u32 zero = args.zero;
    asm volatile("nanosleep.u32 5000;" ::: "memory");
    window.ready(first);
    window.ready(to);
    window.ready(zero);
    window.ready(row);
    window.ready(late);
    window.ready(bytes);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      expect(barrier, bytes);
      tensor_load(to, first + i * step, row + i * 4, zero, barrier);
      await_once(late, barrier, i & 1);
    }
    window.wait(late);
    window.close();
    first += N * step;
  }
  count_fact(args, 0, late);
  window.report(args);
}
