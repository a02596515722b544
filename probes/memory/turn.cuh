// Runs the blocks of a grid one after another, with at least 1024 cycles for each of `trips`. Each block waits for the
// `before` blocks whose turn comes first, by a chain of IMADs of 4 cycles or more, which do not disturb memory and
// cannot be mistaken for the FFMAs of a distance. So a number covers many SMs, and each has the GPU to itself.
__device__ __forceinline__ void await_turn(const Args& args, u32 before, u32 trips) {
  u32 delay = threadIdx.x & args.zero;
  _Pragma("unroll 1") for (u32 trip = 0; trip < before * trips; ++trip)
    UNROLL for (int i = 0; i < 256; ++i) asm volatile("mad.lo.u32 %0, %0, %0, %0;" : "+r"(delay)::"memory");
  if (delay != 0) args.sink[threadIdx.x] = delay;
}
