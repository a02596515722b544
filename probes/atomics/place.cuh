// Where this thread's word is, elsewhere in every launch, by the sweep's LANES: at one `address` for all threads; next to those of its warp, the
// same for all warps (`line`) or each warp's own (`own`); in a line of each lane's own, the same for all warps
// (`scatter`). Part of the sum is what only memory knows: the compiler cannot prove that the address is one for all
// lanes, or it would combine the lanes' operations before the memory sees them. MEET: all who share words.
#include "bandwidth/meet.cuh"

#undef PLACE_OFFSET
#undef PLACE_OWNER
#undef MEET

constexpr u32 block_bytes = 16 * 1024;

#if defined(LANES_line)
#define PLACE_OFFSET (lane() * WORDS * sizeof(Word))
#elif defined(LANES_scatter)
#define PLACE_OFFSET (lane() * 128)
#elif defined(LANES_own)
#define PLACE_OFFSET (threadIdx.x * WORDS * sizeof(Word))
#else
#define PLACE_OFFSET 0
#endif

#ifdef SPACE_shared
#define MEET(args, pass) __syncthreads()
__device__ __forceinline__ u32 place(const Args& args, u32 = 0) {
  __shared__ __align__(128) char words[block_bytes];
  for (u32 i = threadIdx.x; i < block_bytes / 4; i += blockDim.x) reinterpret_cast<volatile u32*>(words)[i] = 0;
  __syncthreads();
  return shared_address(words) + static_cast<u32>(PLACE_OFFSET) + (input(args, 0) & args.zero);
}
#else
#define MEET meet
#ifdef LANES_own  // is also each block's own
#define PLACE_OWNER blockIdx.x
#else
#define PLACE_OWNER 0
#endif
// Behind what input() reads; blocks with the same `owner` share their words.
__device__ __forceinline__ u64 place(const Args& args, u32 owner = PLACE_OWNER) {
  const u64 block = 1 + (launch_hash(args) + owner) % (args.data_bytes / (4 * block_bytes) - 1);
  return reinterpret_cast<u64>(args.data) + block * 4 * block_bytes + PLACE_OFFSET + (input(args, 0) & args.zero);
}
#endif
