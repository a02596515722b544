// `value`, but not before `seen` has arrived. ptxas moves a wait for a load behind all that needs nothing of the load,
// ready() or not.
template <class T>
__device__ __forceinline__ T behind(T value, u32 seen, const Args& args) {
  return value + (seen & args.zero);
}

// The time between what prepares a window and the window: a chain of FFMAs of 4 cycles each (their encoded stall, shown
// by the instruction probes), which begins when `seen` has arrived. It begins with a value that is read from shared
// memory behind a barrier, some 50 cycles in all, or ptxas would put the chain before what prepares the window.
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

  // To be made ready before the window opens, as what the other gives.
  template <u32 cycles>
  __device__ __forceinline__ float of(u32 seen) const {
    float value = begin(seen);
    chain<cycles>(value);
    return value;
  }
  // In a loop: 256 cycles a trip.
  __device__ __forceinline__ float of_trips(u32 trips, u32 seen) const {
    float value = begin(seen);
    chain<4>(value);  // in the loop alone, ptxas may wait for the load again behind it
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
