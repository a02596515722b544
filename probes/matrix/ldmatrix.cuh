// ldmatrix of the sweep's NUM (1, 2, 4) and TRANS (0, 1), over rows STRIDE bytes apart.
#undef LDMATRIX_TRANS
#undef LDMATRIX

#if TRANS
#define LDMATRIX_TRANS ".trans"
#else
#define LDMATRIX_TRANS ""
#endif

#if NUM == 1
#define LDMATRIX(d, address)                                                                                       \
  asm volatile("ldmatrix.sync.aligned.m8n8.x1" LDMATRIX_TRANS ".shared.b16 {%0}, [%1];" : "=r"(d[0]) : "r"(address))
#elif NUM == 2
#define LDMATRIX(d, address)                                                                     \
  asm volatile("ldmatrix.sync.aligned.m8n8.x2" LDMATRIX_TRANS ".shared.b16 {%0, %1}, [%2];"      \
               : "=r"(d[0]), "=r"(d[1])                                                          \
               : "r"(address))
#else
#define LDMATRIX(d, address)                                                                         \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4" LDMATRIX_TRANS ".shared.b16 {%0, %1, %2, %3}, [%4];"  \
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                      \
               : "r"(address))
#endif

// Half-word (row, column) of the 8 x 8 matrix whose row r is at base + r * STRIDE.
__device__ __forceinline__ u16* element(u16* base, u32 row, u32 column) { return base + row * (STRIDE / 2) + column; }

// Fills matrix 0 so that the first register that a lane receives is the row address that the lane supplies: a chain of
// ldmatrix through its own address, with the same access pattern in every link. PTX ISA, ldmatrix: lane l gets row l /
// 4, columns 2 (l % 4) and the next; .trans exchanges rows and columns.
__device__ __forceinline__ u32 link_matrix(u16* base) {
  const u32 mine = shared_address(base) + lane() * STRIDE;
  if (warp() == 0) {
    const u32 outer = lane() / 4, inner = 2 * (lane() % 4);
#if TRANS
    *element(base, inner, outer) = mine;
    *element(base, inner + 1, outer) = mine >> 16;
#else
    *element(base, outer, inner) = mine;
    *element(base, outer, inner + 1) = mine >> 16;
#endif
  }
  __syncthreads();
  return mine;
}
