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

  // The mean of 64 lines that are `apart` bytes from each other, of which some half are near; without those that take
  // more than twice as long as the quickest, because something else came between.
  static __device__ __forceinline__ u32 between(const Args& args, char* lines, u32 apart) {
    u32 quickest = 0xffffffff, sum = 0, count = 0;
    _Pragma("unroll 1") for (u32 i = 0; i < 64; ++i) quickest = min(quickest, home_time(lines + u64{i} * apart, args.zero));
    _Pragma("unroll 1") for (u32 i = 0; i < 64; ++i) {
      const u32 time = home_time(lines + u64{i} * apart, args.zero);
      if (time > 2 * quickest) continue;
      sum += time;
      ++count;
    }
    return sum / max(count, 1u);
  }
  __device__ __forceinline__ bool far(char* line) const { return home_time(line + 64, zero) > limit; }
};
