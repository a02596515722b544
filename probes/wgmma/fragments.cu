// Which element is in which register of which lane of warp WARP in the warpgroup: of the accumulator (FRAGMENT d), or
// of an A from registers (a)? As in matrix/mma_fragments: for the accumulator, the bits of its row and column arrive
// one at a time. For A, a single part is 1, only in that warp, and the bits of k in B let it arrive in its row. A place
// is a part of a lane; rows are numbered from the warp's first, 16 WARP.
#include "probe.cuh"
#include "wgmma/tile.cuh"

#undef ELEMENT_ONE
#if defined(AB_tf32)
#define ELEMENT_ONE 0x3f800000u
#elif defined(AB_f16)
#define ELEMENT_ONE 0x3c00u
#elif defined(AB_bf16)
#define ELEMENT_ONE 0x3f80u
#elif defined(AB_e4m3)
#define ELEMENT_ONE 0x38u
#else
#define ELEMENT_ONE 1u
#endif

// PTX ISA, "Register Fragments for wgmma.mma_async.m64nNkK".
__device__ __forceinline__ u32 row_of_a(u32 lane, u32 part) { return lane / 4 + 8 * (part / PER_WORD % 2); }
__device__ __forceinline__ u32 k_of_a(u32 lane, u32 part) {
  return PER_WORD * (lane % 4 + 4 * (part / PER_WORD / 2)) + part % PER_WORD;
}
template <u32 rows, class Is>
__device__ __forceinline__ void fill_ones(char* tile, Is is) {
  fill<rows>(tile, [=](u32 row, u32 k) { return is(row, k) ? ELEMENT_ONE : 0; });
}
template <class T>
__device__ __forceinline__ void multiply(u32 (&d)[WG_D], T& a, u64 b) {
  UNROLL for (u32 i = 0; i < WG_D; ++i) d[i] = 0;
  multiply_add(d, a, b);
}

PROBE {
  extern __shared__ __align__(1024) char tiles[];
  Window window;
  constexpr u32 k_bits = K == 8 ? 3 : K == 16 ? 4 : 5, tile_bytes = COLS * 32;
  const u32 tile = shared_address(tiles);
  u32 d[WG_D];
  one_wgmma(args, tiles, window);

  u32 wrong = 0, seen = 0;
  const auto found = [&](u32 part, u32 element, bool right) {
    if (warp() == WARP) args.places[part] = 1 + element;
    wrong += !right;
    ++seen;
  };
#if defined(FRAGMENT_d)
  char* const a_tile = tiles + tile_bytes;
  u32 element[D_PARTS] = {};
  const auto ask = [&](u32 bit) {
    u64 a = wg_descriptor<64, 32>(tile + tile_bytes, 0);
    multiply(d, a, wg_descriptor<COLS, 32>(tile, 0));
    UNROLL for (u32 i = 0; i < D_PARTS; ++i) element[i] |= static_cast<u32>(part_of(d, i) != 0) << bit;
  };
  fill_ones<64>(a_tile, [](u32, u32 k) { return k == 0; });
  _Pragma("unroll 1") for (u32 bit = 0; bit < 4; ++bit) {
    fill_ones<COLS>(tiles, [=](u32 column, u32 k) { return k == 0 && (column >> bit & 1); });
    ask(bit);
  }
  fill_ones<COLS>(tiles, [](u32, u32 k) { return k == 0; });
  _Pragma("unroll 1") for (u32 bit = 0; bit < 6; ++bit) {
    fill_ones<64>(a_tile, [=](u32 row, u32 k) { return k == 0 && (row >> bit & 1); });
    ask(4 + bit);
  }
  UNROLL for (u32 i = 0; i < D_PARTS; ++i) {
    const u32 row = element[i] >> 4, column = element[i] & 15;
    found(lane() * D_PARTS + i, (row - 16 * warp()) * COLS + column,
          row == 16 * warp() + row_of_d(i) && column == column_of_d(i));
  }
  const u32 columns = COLS, packed = D_PACKED;
#else
  constexpr u32 parts = 4 * PER_WORD;
  _Pragma("unroll 1") for (u32 bit = 0; bit <= k_bits; ++bit)
    fill_ones<COLS>(tiles + bit * tile_bytes, [=](u32, u32 k) { return bit == k_bits || (k >> bit & 1); });
  _Pragma("unroll 1") for (u32 part = 0; part < 32 * parts; ++part) {
    const u32 owner = part / parts, own = part % parts;
    const bool mine = warp() == WARP && lane() == owner;
    u32 a[4], k = 0, rows = 0;
    UNROLL for (u32 i = 0; i < 4; ++i)
      a[i] = mine && own / PER_WORD == i ? ELEMENT_ONE << (ELEMENT_BITS % 32 * (own % PER_WORD)) : 0;
    // All columns are equal, so column 0 suffices.
    _Pragma("unroll 1") for (u32 bit = 0; bit <= k_bits; ++bit) {
      multiply(d, a, wg_descriptor<COLS, 32>(tile + bit * tile_bytes, 0));
      rows = static_cast<u32>(part_of(d, 0) != 0) | static_cast<u32>(part_of(d, 2) != 0) << 1;
      if (bit < k_bits) k |= static_cast<u32>(rows != 0) << bit;
    }
    UNROLL for (u32 i = 0; i < 2; ++i) {
      if (column_of_d(0) != 0 || !(rows >> i & 1)) continue;
      const u32 row = row_of_d(2 * i);
      // A product in the rows of another warp is an error.
      found(part, row * K + k, warp() == WARP && row == row_of_a(owner, own) && k == k_of_a(owner, own));
    }
    __syncwarp();
  }
  const u32 columns = K, packed = PER_WORD;
#endif
  count_fact(args, 0, wrong);
  count_fact(args, 1, seen);
  fact(args, 2, 16);
  fact(args, 3, columns);
  fact(args, 4, packed);
  window.report(args);
}
