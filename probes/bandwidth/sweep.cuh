// How the blocks of a grid, one or two a SM, go through the data, or one of `parts` of it, again and again, in trips of
// `trip` bytes a block. By the sweep's SHARE: `own`, the blocks share the data out, and a trip of all of them is one
// stretch, when the data have room for it; `run`, each goes on where its own last trip ended, in a stretch of its own;
// `all`, every block reads everything, each from another place on. The data hold one block's trip at least, and what is
// left of them behind the last whole one is not touched.
struct Sweep {
  u64 base;
  u32 at, step, end;

  // `mine`: this lane's distance from where a trip begins.
  __device__ __forceinline__ Sweep(const Args& args, u32 mine, u32 trip, u32 parts = 1)
      : base(reinterpret_cast<u64>(args.data) + mine) {
    end = static_cast<u32>(args.data_bytes / parts / trip) * trip;
#if defined(SHARE_all) || defined(SHARE_run)
    step = trip;
#else
    step = gridDim.x * trip % end;
    if (step == 0) step = trip;  // or a block would stay at what its L1 holds
#endif
    // Every launch has its own place for clock readings, so this begins elsewhere in each: what is read little of would
    // otherwise be what the launch before has left in L2.
    const u64 launch = reinterpret_cast<u64>(args.clocks) / 16 * 0x9e3779b97f4a7c15u >> 40;
#ifdef SHARE_run
    at = static_cast<u32>((launch + u64{end / trip} * blockIdx.x / gridDim.x) % (end / trip)) * trip;
#else
    at = static_cast<u32>((launch + blockIdx.x) % (end / trip)) * trip;
#endif
  }
  // Where this trip's accesses of this lane begin.
  __device__ __forceinline__ u64 place() const { return base + at; }
  __device__ __forceinline__ void next() {
    at += step;
    if (at >= end) at -= end;
  }
};
