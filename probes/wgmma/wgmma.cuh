// The operands of a probe's wgmma, which multiply.cuh has.
#include "wgmma/multiply.cuh"

// Fills the dynamic shared memory and makes the writes visible to the asynchronous proxy.
__device__ __forceinline__ void wg_fill(const Args& args, char* tiles, u32 bytes) {
  for (u32 i = threadIdx.x; i < bytes / 16; i += blockDim.x)
    reinterpret_cast<uint4*>(tiles)[i] = reinterpret_cast<const uint4*>(args.data)[i];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
}

// The operands of a warpgroup's wgmma, for a number of steps. The compiler does not know that descriptors differ, nor
// that all lanes of a warp have the same, so that each gets its own uniform registers.
template <u32 steps>
struct WgOperands {
  // Four steps share the rows of the widest swizzle.
  static constexpr u32 room = (steps + 3) / 4 * 4;
  static constexpr u32 a_bytes = room * 64 * 32, b_bytes = room * COLS * WG_B_STEP;
  u32 b_tile, meta, seed;
  u64 b[steps];
#ifdef A_shared
  u64 a[steps];
#else
  u32 a[steps][4];
#endif

  // Shared memory: B, which all warpgroups share, and an A for each.
  __device__ __forceinline__ WgOperands(const Args& args, char* tiles, u32 groups) {
    wg_fill(args, tiles, b_bytes + groups * a_bytes);
    b_tile = shared_address(tiles);
  }

  __device__ __forceinline__ void load(const Args& args) {
    const u32 first = __shfl_sync(~0u, b_tile + args.zero, 0);
    UNROLL for (u32 i = 0; i < steps; ++i) b[i] = wg_descriptor<COLS, WG_B_STEP>(first, i);
    const u32 a_tile = __shfl_sync(~0u, b_tile + b_bytes + warp() / 4 * a_bytes, 0);
#ifdef A_shared
    UNROLL for (u32 i = 0; i < steps; ++i) a[i] = wg_descriptor<64, 32>(a_tile, i);
#else
    UNROLL for (u32 j = 0; j < 4; ++j) {
      const u32 word = input(args, j);
      UNROLL for (u32 i = 0; i < steps; ++i) a[i][j] = word;
    }
#endif
    meta = 0x44444444 | (input(args, 5) & args.zero);  // the first and the second of four elements
    seed = input(args, 4);
  }
};
