// One wgmma whose operands a kernel writes element by element, and the elements of its accumulator in this lane. Tiles
// are stored in shared memory along K, without a swizzle: consecutive rows of 8 x 16 bytes (PTX ISA, "Matrix
// descriptor").
#include "wgmma/wgmma.cuh"

#undef ELEMENT_BITS
#undef PER_WORD
#undef D_PARTS
#undef D_PACKED
#if defined(AB_tf32)
#define ELEMENT_BITS 32
#elif defined(AB_f16) || defined(AB_bf16)
#define ELEMENT_BITS 16
#else
#define ELEMENT_BITS 8
#endif
#define PER_WORD (32 / ELEMENT_BITS)
#ifdef ACC_f16
#define D_PACKED 2
#else
#define D_PACKED 1
#endif
#define D_PARTS (WG_D * D_PACKED)

// PTX ISA, "Register fragments for wgmma.mma_async.m64nNkK": the same in each warp, 16 rows apart.
__device__ __forceinline__ u32 row_of_d(u32 part) { return lane() / 4 + 8 * (part / 2 % 2); }
__device__ __forceinline__ u32 column_of_d(u32 part) { return part / 4 * 8 + 2 * (lane() % 4) + part % 2; }
// The bits of one part of the accumulator.
__device__ __forceinline__ u32 part_of(const u32 (&d)[WG_D], u32 part) {
  return D_PACKED == 2 ? d[part / 2] >> (16 * (part % 2)) & 0xffff : d[part];
}

// Called by all threads: fills `rows` rows of 32 bytes of K with the bits of their elements. The old contents must have
// been read by all; the new contents are visible to all.
template <u32 rows, class Bits>
__device__ __forceinline__ void fill(char* tile, Bits bits_of) {
  __syncthreads();
  for (u32 i = threadIdx.x; i < rows * 8; i += blockDim.x) {
    const u32 row = i / 8, word = i % 8;
    u32 bits = 0;
    for (u32 e = 0; e < PER_WORD; ++e)
      bits |= static_cast<u32>(bits_of(row, word * PER_WORD + e)) << (ELEMENT_BITS % 32 * e);
    *reinterpret_cast<u32*>(tile + row / 8 * 256 + word / 4 * 128 + row % 8 * 16 + word % 4 * 4) = bits;
  }
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
}

// What a wgmma reads is in registers before it, and what it wrote is not read before the wait for it.
template <int size>
__device__ __forceinline__ void keep(u32 (&words)[size]) {
  UNROLL for (int i = 0; i < size; ++i) asm volatile("" : "+r"(words[i])::"memory");
}
__device__ __forceinline__ void keep(u64&) {}

template <class T>
__device__ __forceinline__ void multiply_add(u32 (&d)[WG_D], T& a, u64 b) {
  keep(d);
  keep(a);
  wg_fence();
  WGMMA(d, a, b, 0);
  wg_commit();
  wg_wait();
  keep(d);
}

// The window: one wgmma of whatever is in shared memory.
__device__ __forceinline__ void one_wgmma(const Args& args, char* tiles, Window& window) {
  WgOperands<1> from(args, tiles, 1);
  u32 d[WG_D];
  PASSES {
    from.load(args);
    UNROLL for (int i = 0; i < WG_D; ++i) d[i] = from.seed;
    // One wgmma before the window; otherwise accumulator and descriptors would be moved to their registers inside it.
    wg_fence();
    WGMMA(d, from.a[0], from.b[0], from.meta);
    wg_commit();
    wg_wait();
    window.ready(d[0]);
    window.open();
    wg_fence();
    WGMMA(d, from.a[0], from.b[0], from.meta);
    wg_commit();
    wg_wait();
    window.close();
    window.ready(d[0]);
  }
}
