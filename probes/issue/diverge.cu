// N trips through five nested branches that lead to one of 32 blocks of LEAF dependent multiply-adds. The lanes of the
// warp take args.at different ways.
#include "probe.cuh"
#include "issue/trips.cuh"

template <int place, int width>
__device__ __forceinline__ void branch(u32 id, float& v, float c) {
  if constexpr (width > 1) {
    if (id & (width / 2)) branch<place + width / 2, width / 2>(id, v, c);
    else branch<place, width / 2>(id, v, c);
  } else {
    UNROLL for (int i = 0; i < LEAF; ++i)
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(v) : "f"(1.0f + place * LEAF + i), "f"(c));
  }
}

PROBE {
  Window window;
  PASSES {
    float v = __uint_as_float(input(args, 0)), c = __uint_as_float(input(args, 1));
    const u32 id = lane() % static_cast<u32>(args.at) + (input(args, 2) & args.zero);
    float left = trips();
    window.ready(v);
    window.ready(c);
    window.ready(id);
    window.ready(left);
    window.open();
    _Pragma("unroll 1") do branch<0, 32>(id, v, c);
    while (again(left));
    window.wait(v);
    window.close();
  }
  window.report(args);
}
