// How the blocks of a grid, one or two a SM, go through the data, or one of `parts` of it, again and again, in trips of
// `trip` bytes a block. By the sweep's SHARE: `own`, the blocks share the data out, and a trip of all of them is one
// stretch; `all`, every block reads everything, each from another place on. What is left of the data behind the last
// whole trip is not touched.
struct Sweep {
  u64 base;
  u32 at, step, end;

  // `mine`: this lane's distance from where a trip begins.
  __device__ __forceinline__ Sweep(const Args& args, u32 mine, u32 trip, u32 parts = 1)
      : base(reinterpret_cast<u64>(args.data) + mine) {
    const u64 bytes = args.data_bytes / parts;
#ifdef SHARE_all
    step = trip;
#else
    step = trip * gridDim.x;
#endif
    end = max(static_cast<u32>(bytes / step), 1u) * step;
    at = blockIdx.x * trip % end;
  }
  // Where this trip's accesses of this lane begin.
  __device__ __forceinline__ u64 place() const { return base + at; }
  __device__ __forceinline__ void next() {
    at += step;
    if (at >= end) at -= end;
  }
};
