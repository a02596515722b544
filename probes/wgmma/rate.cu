// N trips of STEPS wgmma by each warpgroup of the block to one accumulator, as in the main loop of a matrix product: a
// trip has a fence, a commit, and a wait for the previous trip. One trip is in flight when the window opens, so that
// the warpgroups are in step and no trip begins with idle multipliers. With PAUSE, each trip also has a chain of so many
// additions, for which the multipliers wait if it takes longer than they do.
#include "issue/trips.cuh"
#include "probe.cuh"
#include "clocked.cuh"
#include "wgmma/wgmma.cuh"

struct Pause {
#if defined(PAUSE) && PAUSE > 0
  float sum;
  __device__ __forceinline__ explicit Pause(u32 seed) : sum(__uint_as_float(seed)) {}
  __device__ __forceinline__ void take() {
    UNROLL for (int i = 0; i < PAUSE; ++i) asm volatile("add.rn.f32 %0, %0, 0f3F800000;" : "+f"(sum));
  }
  __device__ __forceinline__ void ready(Window& window) { window.ready(sum); }
#else
  __device__ __forceinline__ explicit Pause(u32) {}
  __device__ __forceinline__ void take() {}
  __device__ __forceinline__ void ready(Window&) {}
#endif
};

// Leaves registers for as many warpgroups as the size of the accumulators allows.
extern "C" __global__ void __launch_bounds__(COLS > 128 ? 256 : 512) KERNEL(const __grid_constant__ Args args) {
  extern __shared__ __align__(1024) char tiles[];
  Window window;
  ClockedWindow clocked;
  WgOperands<STEPS> from(args, tiles, blockDim.x / 128);
  u32 d[WG_D];
  PASSES {
    from.load(args);
    UNROLL for (int i = 0; i < WG_D; ++i) d[i] = from.seed;
    float left = trips();
    Pause pause(from.seed);
    pause.ready(window);
    window.ready(left);
    __syncthreads();
    clocked.before(window, from.meta);
    wg_fence();
    UNROLL for (int i = 0; i < STEPS; ++i) WGMMA(d, from.a[i], from.b[i], from.meta);
    wg_commit();
    window.open();
    _Pragma("unroll 1") do {
      wg_fence();
      UNROLL for (int i = 0; i < STEPS; ++i) WGMMA(d, from.a[i], from.b[i], from.meta);
      wg_commit();
      wg_wait<1>();
      pause.take();
    }
    while (again(left))
      ;
    wg_wait();
    window.close();
    clocked.after();
    window.ready(d[0]);
    pause.ready(window);
  }
  window.report(args);
  clocked.report(args, window);
}
