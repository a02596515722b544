// Tiles of ROWS rows of 128 bytes (32 f32), by number, of a matrix that is WIDTH f32 wide and has 4 Mi f32 in all.
#undef TILES
#define TILES ((1u << 22) / (32 * ROWS))
__device__ __forceinline__ u32 tile_x(u32 tile) { return tile % (WIDTH / 32) * 32; }
__device__ __forceinline__ u32 tile_y(u32 tile) { return tile / (WIDTH / 32) % (TILES / (WIDTH / 32)) * ROWS; }
