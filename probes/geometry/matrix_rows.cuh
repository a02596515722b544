// Where a lane's row of 16 bytes is for ldmatrix or stmatrix of the sweep's NUM matrices: a tile of rows args.at bytes
// apart, 16 rows of it (8 for one matrix) and next to them 16 bytes further (for four). SWIZZLE is the width in bytes
// within which vectors of 16 bytes are exchanged: the bits of the address from 16 on, exclusive or those from 128 on.
// 0: none. These are the patterns of tensor copies and of wgmma.
__device__ __forceinline__ u32 matrix_row(u32 row_bytes) {
  constexpr u32 exchanged = SWIZZLE == 0 ? 0 : SWIZZLE - 16;
  const u32 at = lane() % 16 * row_bytes + lane() / 16 * 16;
  return at ^ (at >> 3 & exchanged);
}
