// What each energy probe repeats TRIPS times: one warp follows a chain of PACE reciprocal square roots, while others do
// N of what is asked; then all meet. The chain takes longer than they need, and as long whatever they do. So windows
// with more to do are no longer, and what their energy differs by is that of the work.
#include "issue/trips.cuh"
#include "probe.cuh"

// 1: this warp paces, 2: it works. The chain has a sub-partition to itself: a warp that can issue in each cycle would delay
// it. Warpgroups need all four, and issue little.
#ifdef GROUPS
__device__ __forceinline__ u32 role() { return warp() == 4 * GROUPS ? 1 : 2; }
#else
__device__ __forceinline__ u32 role() { return warp() == 0 ? 1 : warp() % 4 != 0 ? 2 : 0; }
__device__ __forceinline__ u32 worker() { return warp() - warp() / 4 - 1; }
#endif

// `work` does N of it. `ready` holds what it reads, and `wait` what it leaves, and the word of the pace.
template <class Ready, class Work, class Wait>
__device__ __forceinline__ void paced(const Args& args, Ready ready, Work work, Wait wait) {
  Window window;
  float pace = __uint_as_float(input(args, 0));
  const u32 part = role() + args.zero;  // so that no part of it is computed in the window
  PASSES {
    float left = trips(TRIPS);
    ready(window);
    window.ready(left);
    window.ready(pace);
    window.ready(part);
    __syncthreads();
    window.open();
    _Pragma("unroll 1") do {
      if (part == 1) {
        UNROLL for (int i = 0; i < PACE; ++i) asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(pace));
      } else if (part == 2) {
        work();
      }
      __syncthreads();
    } while (again(left));
    wait(window, __float_as_uint(pace));
    window.close();
  }
  window.report(args);
}
