// What the tensor core moves in the sweep: WHAT cp, from shared to tensor memory in SHAPE, and as wider elements with
// UNPACK (none, b6x16_p32, b4x16_p64: 16 elements of 6 or 4 bits become bytes); WHAT shift, 32 lanes down by one; WHAT
// commit, nothing.
#undef TM_UNPACK
#undef TM_TRANSFER
#ifdef UNPACK_none
#define TM_UNPACK ""
#else
#define TM_UNPACK ".b8x16." UNPACK
#endif
#if defined(WHAT_cp)
#define TM_TRANSFER(at, from, i) \
  asm volatile("tcgen05.cp" TM_GROUP "." SHAPE TM_UNPACK " [%0], %1;" ::"r"(at + 16 * (i)), "l"(from))
#elif defined(WHAT_shift)
#define TM_TRANSFER(at, from, i) asm volatile("tcgen05.shift" TM_GROUP ".down [%0];" ::"r"(at + 8 * (i)))
#else
#define TM_TRANSFER(at, from, i)
#endif

// Eight tiles of 4 KiB, which cp reads without a swizzle: eight rows of 16 bytes are together (PTX ISA, "Shared memory
// descriptor").
__device__ __forceinline__ u64 tm_source(const Args& args, char* tiles) {
  for (u32 i = threadIdx.x; i < 2048; i += blockDim.x)
    reinterpret_cast<uint4*>(tiles)[i] = reinterpret_cast<const uint4*>(args.data)[i];
  asm volatile("fence.proxy.async;" ::: "memory");
  tm_sync();
  return u64{1} << 46 | u64{16} << 32 | u64{8} << 16 | shared_address(tiles) >> 4 | u64{args.zero} << 32;
}
