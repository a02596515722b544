// Where the words of a block are, others in every launch, behind what input() reads: the first of `lines` lines that
// are line_step apart, which is no power of two, whose lines may share slices. What only memory knows is part of the
// sum, or the compiler would take the address for one of all lanes.
constexpr u32 line_step = 33 * 128;

__device__ __forceinline__ u64 elsewhere(const Args& args, u32 lines) {
  const u64 room = (args.data_bytes - 65536 - u64{lines} * line_step) / 128;
  const u64 line = (launch_hash(args) + room * blockIdx.x / gridDim.x) % room;
  return reinterpret_cast<u64>(args.data) + 65536 + line * 128 + (input(args, 1) & args.zero);
}
