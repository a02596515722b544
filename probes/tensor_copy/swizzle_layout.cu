// Is a swizzled box in shared memory where the PTX ISA ("Tensor swizzling modes") says? The box has 32 rows of WIDTH
// f32; each row is as long as the swizzle's span. The lowest bits of the number of each 16 bytes are xored with those
// of the number of the 128 bytes that contain them. A place is 16 bytes of shared memory; it holds 1 + the number of
// the 16 bytes of the box that were found there.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "tensor_copy/tensor.cuh"

PROBE {
  constexpr u32 rows = 32, bytes = rows * WIDTH * 4;
  __shared__ __align__(1024) char buffer[bytes];
  __shared__ u64 word;
  Window window;
  const u32 to = shared_address(buffer), barrier = shared_address(&word);
  const u64 map = tensor_map(args);
  set_up(barrier, 1);
  if (elected()) {
    u32 late = none_late(args), parity = 0;
    BULK_PASSES {
      const u32 zero = args.zero;
      window.ready(to);
      window.ready(zero);
      window.ready(late);
      window.ready(parity);
      window.open();
      expect(barrier, bytes);
      tensor_load(to, map, zero, zero, barrier);
      await_once(late, barrier, parity);
      window.wait(late);
      window.close();
      parity ^= 1;
    }
    count_fact(args, 2, late);
    window.report(args);
  }
  __syncthreads();
  u32 wrong = 0;
  for (u32 row = 0; row < rows; ++row)
    for (u32 column = lane(); column < WIDTH; column += 32) {
      u32 at = (row * WIDTH + column) * 4;
#if defined(SWIZZLE_128B)
      at ^= (at >> 7 & 7) << 4;
#elif defined(SWIZZLE_64B)
      at ^= (at >> 7 & 3) << 4;
#elif defined(SWIZZLE_32B)
      at ^= (at >> 7 & 1) << 4;
#endif
      wrong += *reinterpret_cast<volatile u32*>(buffer + at) != reinterpret_cast<const u32*>(args.data)[row * 64 + column];
      count_fact(args, 1, 1);
    }
  count_fact(args, 0, wrong);
  constexpr u32 columns = WIDTH / 4;
  for (u32 place = lane(); place < rows * columns; place += 32)
    for (u32 unit = 0; unit < rows * columns; ++unit) {
      bool same = true;
      for (u32 i = 0; i < 4; ++i)
        same &= reinterpret_cast<volatile u32*>(buffer)[place * 4 + i] ==
                reinterpret_cast<const u32*>(args.data)[unit / columns * 64 + unit % columns * 4 + i];
      if (same) args.places[place] = 1 + unit;
    }
  fact(args, 3, rows);
  fact(args, 4, columns);
  fact(args, 5, 1);
}
