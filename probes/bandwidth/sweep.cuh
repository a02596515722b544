// How the blocks of a grid, one or two per SM, go through the data or one of its `parts` repeatedly, in trips of `trip`
// bytes per block, by the sweep's SHARE. `own`: the blocks divide the data, and a trip of all of them is contiguous if
// the data have room for it. `run`: each continues where its own last trip ended, in its own contiguous part. `all`:
// every block reads everything, starting at different places. The data hold at least one block's trip; what remains
// after the last whole trip is not touched.
struct Sweep {
  u64 base;
  u32 at, step, end;

  // `mine`: this lane's offset from the start of a trip. `block`: blocks of one number go through the same.
  __device__ __forceinline__ Sweep(const Args& args, u32 mine, u32 trip, u32 parts = 1, u32 block = blockIdx.x,
                                   u32 blocks = gridDim.x)
      : base(reinterpret_cast<u64>(args.data) + mine) {
    end = static_cast<u32>(args.data_bytes / parts / trip) * trip;
#if defined(SHARE_all) || defined(SHARE_run)
    step = trip;
#else
    step = blocks * trip % end;
    if (step == 0) step = trip;  // otherwise a block would reread what its L1 holds
#endif
    // Every launch has its own place for clock readings, so each begins at another place in the data. Otherwise a
    // launch that reads little would find in L2 what the launch before left there.
    const u64 launch = reinterpret_cast<u64>(args.clocks) / 16 * 0x9e3779b97f4a7c15u >> 40;
#ifdef SHARE_run
    at = static_cast<u32>((launch + u64{end / trip} * block / blocks) % (end / trip)) * trip;
#else
    at = static_cast<u32>((launch + block) % (end / trip)) * trip;
#endif
  }
  // Where this lane's accesses of this trip begin.
  __device__ __forceinline__ u64 place() const { return base + at; }
  __device__ __forceinline__ void next() {
    at += step;
    if (at >= end) at -= end;
  }
};
