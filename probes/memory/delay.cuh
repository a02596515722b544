// `value`, but not before `seen` has arrived. Despite ready(), ptxas moves a wait for a load after everything that does
// not depend on the load.
template <class T>
__device__ __forceinline__ T behind(T value, u32 seen, const Args& args) {
  return value + (seen & args.zero);
}

// The time between the preparation of a window and the window: a chain of FFMAs of 4 cycles each (their encoded stall
// count, which the instruction probes show), which begins when `seen` has arrived. The chain begins with a value that
// is read from shared memory after a barrier, some 50 cycles in all; otherwise ptxas would put the chain before the
// preparation.
struct Delay {
  const Args& args;
  float step;
  u32 start;

  __device__ __forceinline__ explicit Delay(const Args& args) : args(args), step(__uint_as_float(input(args, 0))) {
    __shared__ float word;
    word = step;
    start = shared_address(&word);
    __syncthreads();
  }

  // The result must be made ready before the window opens, as that of of_trips().
  template <u32 cycles>
  __device__ __forceinline__ float of(u32 seen) const {
    float value = begin(seen);
    chain<cycles>(value);
    return value;
  }
  // As a loop with 256 cycles per trip.
  __device__ __forceinline__ float of_trips(u32 trips, u32 seen) const {
    float value = begin(seen);
    chain<4>(value);  // if the chain were only in the loop, ptxas might wait for the load again after it
    _Pragma("unroll 1") for (u32 trip = 0; trip < trips; ++trip) chain<256>(value);
    return value;
  }

  __device__ __forceinline__ float begin(u32 seen) const {
    __syncthreads();
    float value;
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(value) : "r"(behind(start, seen, args)) : "memory");
    return value;
  }
  template <u32 cycles>
  __device__ __forceinline__ void chain(float& value) const {
    UNROLL for (u32 i = 0; i < cycles / 4; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(value) : "f"(step));
  }
};
