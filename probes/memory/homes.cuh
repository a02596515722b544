// The half of L2 that is the home of a line, which is the half that its DRAM belongs to. Atomic operations are done
// there and nowhere else, so on an L2 with two halves their latency says whether a line's home is the half next to this
// SM (near) or the other one (far); loads do not, because the near half keeps copies of lines of the far one.
#undef HOME_IS_FAR
#ifdef HOME_far
#define HOME_IS_FAR true
#else
#define HOME_IS_FAR false
#endif

__device__ __forceinline__ u32 add_nothing(char* word, u32 zero) {
  u32 old;
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(word), "r"(zero) : "memory");
  return old;
}

// Nanoseconds that 32 atomic operations take, one behind the other, on a line that L2 has. The timer advances in steps
// of up to a microsecond, and a far home costs some 3 microseconds more. %clock64 is for the window alone.
__device__ __forceinline__ u32 home_time(char* word, u32 zero) {
  u64 at = reinterpret_cast<u64>(word), before, after;
  at += add_nothing(word, zero) & zero;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before) : "l"(at) : "memory");
  _Pragma("unroll 1") for (int i = 0; i < 32; ++i) at += add_nothing(reinterpret_cast<char*>(at), zero) & zero;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(after) : "l"(at) : "memory");
  return static_cast<u32>(after - before);
}

// Which lines are far from one SM: those whose atomic operations take longer than `limit`.
struct Homes {
  u32 zero, limit;

  // The mean of 64 lines, of which half are near.
  static __device__ __forceinline__ u32 between(const Args& args, char* lines) {
    u32 sum = 0;
    _Pragma("unroll 1") for (u32 line = 0; line < 64; ++line) sum += home_time(lines + line * 128, args.zero);
    return sum / 64;
  }
  __device__ __forceinline__ bool far(char* line) const { return home_time(line + 64, zero) > limit; }
};
