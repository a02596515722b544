// ldmatrix of bytes. The rows hold zeros, so that the first register is 0. Added to the address, it makes a chain of
// loads from the same rows.
#include "probe.cuh"
#include "matrix/ldmatrix_byte.cuh"

PROBE {
  __shared__ __align__(128) u32 rows[32 * 4];
  Window window;
  for (u32 i = 0; i < 4; ++i) rows[lane() * 4 + i] = args.zero;
  __syncthreads();
  u32 address = shared_address(rows) + lane() * 16, d[BYTE_WORDS];
  PASSES {
    window.ready(address);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      LDMATRIX_BYTE(d, address);
      address += d[0];
    }
    window.wait(d);
    window.close();
  }
  window.report(args);
}
