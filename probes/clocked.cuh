// The SM clock while a window runs, in MHz by %globaltimer. Tensor cores lower it as long as they run, so readings before
// and after a launch do not show it. Nothing where CLOCKED is not defined.

struct ClockedWindow {
#ifdef CLOCKED
  u64 begun = 0, ended = 0;

  __device__ __forceinline__ static u64 nanoseconds() {
    u64 now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
  }
  // Before what the window must have begun with. `loaded`: a value that may still be on its way.
  __device__ __forceinline__ void before(Window& window, u32 loaded) {
    window.ready(loaded);
    begun = nanoseconds();
    window.ready(begun);
  }
  __device__ __forceinline__ void after() { ended = nanoseconds(); }
  // Of the first block, as the fact with number 0.
  __device__ __forceinline__ void report(const Args& args, const Window& window) const {
    if (blockIdx.x != 0 || threadIdx.x != 0 || ended <= begun) return;
    fact(args, 0, static_cast<u32>((window.closed - window.opened) * 1000 / (ended - begun)));
  }
#else
  __device__ __forceinline__ void before(Window&, u32) {}
  __device__ __forceinline__ void after() {}
  __device__ __forceinline__ void report(const Args&, const Window&) const {}
#endif
};
