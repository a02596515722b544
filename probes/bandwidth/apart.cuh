// Where a lane begins in the 4 KiB that each access of each warp has to itself, by PATTERN. `stride`: args.at times
// BYTES after its neighbour. Any other: next to its neighbour, and args.at bytes after the start of the 4 KiB.
constexpr u32 room = 4096;

__device__ __forceinline__ u32 apart(const Args& args) {
#ifdef PATTERN_stride
  return lane() * static_cast<u32>(args.at) * BYTES % room;
#else
  return lane() * BYTES + static_cast<u32>(args.at);
#endif
}
