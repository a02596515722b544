// N times: the copy of a tensor map from shared to global memory, with the fence that a reader on another SM needs, as
// grouped matrix products do after they have changed the address. A tensormap.replace itself becomes a store to shared
// memory.
#include "probe.cuh"

PROBE {
  __shared__ __align__(128) u64 map[16];
  Window window;
  if (lane() < 16) *(volatile u64*)(map + lane()) = args.tensor.words[lane()];
  __syncthreads();
  const u32 from = shared_address(map);
  const u64 to = reinterpret_cast<u64>(args.data) + launch_hash(args) % 64 * 16384;
  asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(from), "l"(to) : "memory");
  __syncwarp();
  PASSES {
    window.ready(from);
    window.ready(to);
    window.open();
    UNROLL for (u32 i = 0; i < N; ++i)
      asm volatile(
          "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(
              to + 128 * i),
          "r"(from)
          : "memory");
    window.close();
  }
  window.report(args);
}
