// The address of a block's words, after those of input() and different in every launch: the first of `lines` lines that
// are line_step apart. That is not a power of two, because such lines may share slices. The address includes a value
// from memory; otherwise the compiler would know that all lanes have the same address.
constexpr u32 line_step = 33 * 128;

__device__ __forceinline__ u64 elsewhere(const Args& args, u32 lines) {
  const u64 room = (args.data_bytes - 65536 - u64{lines} * line_step) / 128;
  const u64 line = (launch_hash(args) + room * blockIdx.x / gridDim.x) % room;
  return reinterpret_cast<u64>(args.data) + 65536 + line * 128 + (input(args, 1) & args.zero);
}
