// The address of this thread's word, different in every launch, by the sweep's LANES. `address`: one word for all
// threads. `line`: adjacent words for the lanes of a warp, the same for all warps. `own`: adjacent words, separate for
// each warp. `scatter`: a separate line for each lane, the same for all warps. The address includes a value from
// memory; otherwise the compiler could prove that all lanes have the same address and combine their operations. MEET
// synchronises all threads that share words.
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
#ifdef LANES_own  // the words are also separate for each block
#define PLACE_OWNER blockIdx.x
#else
#define PLACE_OWNER 0
#endif
// After the words of input(). Blocks with the same `owner` share their words.
__device__ __forceinline__ u64 place(const Args& args, u32 owner = PLACE_OWNER) {
  const u64 block = 1 + (launch_hash(args) + owner) % (args.data_bytes / (4 * block_bytes) - 1);
  return reinterpret_cast<u64>(args.data) + block * 4 * block_bytes + PLACE_OFFSET + (input(args, 0) & args.zero);
}
#endif
