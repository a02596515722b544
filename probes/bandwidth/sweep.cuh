// How the blocks of a grid, one or two a SM, go through the data, or one of `parts` of it, again and again: in trips of
// DEPTH accesses of BYTES by each lane, so DEPTH * WARPS * 32 * BYTES a block and trip.
#undef TRIP
#define TRIP (DEPTH * WARPS * 32u * BYTES)

// `own`: the blocks share the data out, and a trip of all of them is one stretch; `all`: every block reads everything,
// each from another place on. What is left of the data behind the last whole trip is not touched.
struct Sweep {
  u64 base;
  u32 at, step, end;

  __device__ __forceinline__ explicit Sweep(const Args& args, u32 parts = 1)
      : base(reinterpret_cast<u64>(args.data) + threadIdx.x * BYTES) {
    const u64 bytes = args.data_bytes / parts;
#ifdef SHARE_all
    step = TRIP;
#else
    step = TRIP * gridDim.x;
#endif
    end = max(static_cast<u32>(bytes / step), 1u) * step;
    at = blockIdx.x * TRIP % end;
  }
  // Where this trip's accesses of this lane begin; WARPS * 32 * BYTES from one to the next.
  __device__ __forceinline__ u64 place() const { return base + at; }
  __device__ __forceinline__ void next() {
    at += step;
    if (at >= end) at -= end;
  }
};
