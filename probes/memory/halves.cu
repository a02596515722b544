// N dependent accesses OP (loads past L1, or atomic additions of 0) to lines whose HOME is the half of L2 next to the SM
// or the other one. The chain goes through LINES such lines of the block's own part of the data. Before each pass LINE
// says what is made of them: `held` by their home alone, `copied` to the near half too (by a load), `stored` by this SM
// after that, or `absent` from L2 (all blocks sweep the rest of the data, which is much larger than L2).
#include "memory/gather.cuh"
#include "memory/homes.cuh"
#include "memory/hop.cuh"
#include "probe.cuh"

#undef STEP
#ifdef OP_atom
#define STEP(p) asm volatile("atom.global.add.u64 %0, [%0], %1;" : "+l"(p) : "l"(u64{args.zero}))
#else
#define STEP(p) HOP(p)
#endif

namespace {

constexpr u64 parts_bytes = u64{BLOCKS} * SLOTS * STRIDE;

// Links lines of the wanted home among the slots of this block's part to a cycle. Returns whether there are LINES.
__device__ __forceinline__ bool link(const Args& args, char* part, u64& first) {
  const Homes homes{args.zero, Homes::between(args, part + (SLOTS - 64) * STRIDE, STRIDE)};
  char* last = nullptr;
  u32 found = 0;
  _Pragma("unroll 1") for (u32 slot = 0; slot < SLOTS - 64 && found < LINES; ++slot) {
    char* const line = part + u64{slot} * STRIDE;
    if (homes.far(line) != (HOME_IS_FAR)) continue;
    if (last == nullptr) first = reinterpret_cast<u64>(line);
    else *reinterpret_cast<volatile u64*>(last) = reinterpret_cast<u64>(line);
    last = line;
    ++found;
  }
  if (last != nullptr) *reinterpret_cast<volatile u64*>(last) = first;
  return found == LINES;
}

// Makes of the lines what LINE says, by one lane.
__device__ __forceinline__ void prepare(const Args& args, u64 p) {
  u64 next = p;
  _Pragma("unroll 1") for (int line = 0; line < LINES; ++line) {
    p = next;
    HOP(next);
#if defined(LINE_held)
    next += add_nothing(reinterpret_cast<char*>(p) + 64, args.zero) & args.zero;
#elif defined(LINE_stored)
    asm volatile("st.global.u32 [%0], %1;" ::"l"(p + 64), "r"(args.zero) : "memory");
#endif
  }
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

// Makes the address translation of the part available, by words that are in no line of the chain. Returns 0, but later.
__device__ __forceinline__ u64 warm_pages(const Args& args, char* part) {
  u64 seen = 0;
  for (u64 at = u64{lane()} << 21; at < u64{SLOTS} * STRIDE; at += u64{32} << 21) {
    u64 q = reinterpret_cast<u64>(part) + at + STRIDE / 2;
    HOP(q);
    seen ^= q;
  }
  return seen & args.zero;
}

}  // namespace

PROBE {
  Window window;
  const bool chases = blockIdx.x < BLOCKS && warp() == 0;
  char* const part = args.data + u64{blockIdx.x % BLOCKS} * SLOTS * STRIDE;
  u64 first = 0;
  if (chases && lane() == 0 && !link(args, part, first)) count_fact(args, 1, 1);
  first = __shfl_sync(0xffffffff, first, 0);
#ifdef OP_atom
  if (chases && lane() != 0) return;  // lanes that meet at an address would wait for each other
#endif
  u32 late = 0, round = 0;
  u64 seen = 0;
  PASSES {
    if (chases && lane() == 0 && first != 0) prepare(args, first);
#ifdef LINE_absent
    late |= gather(args, round++);
    const u64 rest = (args.data_bytes - parts_bytes) / gridDim.x;
    _Pragma("unroll 4") for (u64 at = threadIdx.x * 128; at + 128 <= rest; at += blockDim.x * 128) {
      u64 q = reinterpret_cast<u64>(args.data) + parts_bytes + rest * blockIdx.x + at;
      HOP(q);
      seen ^= q;
    }
#endif
    late |= gather(args, round++);
    if (!chases || first == 0) continue;
    u64 p = first + warm_pages(args, part) + (seen & args.zero);
    HOP(p);  // untimed: a value carried from pass to pass would be moved between registers inside the window
    window.ready(p);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) STEP(p);
    window.wait(p);
    window.close();
  }
  if (threadIdx.x == 0) count_fact(args, 0, late);
  if (chases) window.report(args);
}
