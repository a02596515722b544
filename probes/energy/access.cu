// N accesses BY ld or st of BYTES per lane by each warp in a trip, adjacent words for adjacent lanes: to global memory by
// PATH, in a part of FOOTPRINT bytes that a block has to itself and goes through again and again; or to four rows of
// shared memory that a warp has to itself.
#include "bandwidth/words.cuh"
#include "energy/paced.cuh"

constexpr u32 row = 32 * BYTES;

#ifdef LEVEL_shared
struct Place {
  u32 p;
  __device__ __forceinline__ explicit Place(const Args& args) {
    __shared__ __align__(16) char tile[WORKERS * 4 * row];
    for (u32 i = threadIdx.x; i < sizeof tile / 4; i += blockDim.x) reinterpret_cast<u32*>(tile)[i] = input(args, i % 64);
    __syncthreads();
    p = shared_address(tile) + worker() * 4 * row + lane() * BYTES;
  }
  __device__ __forceinline__ u32 at(u32 i) const { return p + i % 4 * row; }
  __device__ __forceinline__ void next() {}
};
#define LD "ld.volatile.shared"
#define ST "st.volatile.shared"
#define SPACE "r"
#else
struct Place {
  static constexpr u32 trip = WORKERS * N * row;
  u64 p, first, end;
  __device__ __forceinline__ explicit Place(const Args& args) {
    p = first = reinterpret_cast<u64>(args.data) + u64{blockIdx.x} * FOOTPRINT + worker() * N * row + lane() * BYTES;
    end = first + FOOTPRINT / trip * trip;
  }
  __device__ __forceinline__ u64 at(u32 i) const { return p + i * row; }
  __device__ __forceinline__ void next() {
    p += trip;
    if (p >= end) p = first;
  }
};
#define LD "ld.global." PATH
#define ST "st.global." PATH
#define SPACE "l"
#endif

PROBE {
  constexpr int in_flight = N < 8 ? N : 8;
  Place place(args);
  u32 seen = lane(), v[in_flight][WORDS];
#ifdef BY_st
  UNROLL for (int i = 0; i < in_flight; ++i)
    UNROLL for (int j = 0; j < WORDS; ++j) v[i][j] = input(args, i * WORDS + j);
#endif
  // Otherwise ptxas would drop a load. A word of each is enough, and takes less energy.
  const auto see = [&](u32 word) { asm volatile("xor.b32 %0, %0, %1;" : "+r"(seen) : "r"(word)); };
  paced(
      args, [&](Window& window) { window.ready(place.p), window.ready(seen); },
      [&] {
#ifdef BY_st
        UNROLL for (int i = 0; i < N; ++i) STORE(ST, SPACE, place.at(i), v[i % in_flight]);
#else
        UNROLL for (int i = 0; i < N; ++i) {
          if (i >= in_flight) see(v[i % in_flight][0]);
          LOAD(LD, SPACE, v[i % in_flight], place.at(i));
        }
        UNROLL for (int i = 0; i < in_flight; ++i) see(v[i][0]);
#endif
        place.next();
      },
      [&](Window& window, u32 pace) { window.wait(place.p), window.wait(seen), window.wait(pace); });
}
