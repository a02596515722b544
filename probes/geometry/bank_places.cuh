// Where each lane's access of BYTES is in a tile of shared memory, by the sweep's PATTERN and the config's `along:`.
__device__ __forceinline__ u32 bank_place(u32 at) {
#ifdef PATTERN_stride  // lanes `at` words of BYTES apart
  return lane() * at * BYTES;
#elif defined(PATTERN_degree)  // groups of `at` lanes at different words of one bank, one bank per group
  const u32 degree = max(at, 1u);
  return lane() % degree * 32 * BYTES + lane() / degree * BYTES;
#elif defined(PATTERN_share)  // `at` neighbouring lanes at the same word
  return lane() / max(at, 1u) * BYTES;
#else  // interleave: lanes `at` apart at the same word
  return lane() % max(at, 1u) * BYTES;
#endif
}
