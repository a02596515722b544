// A box of ROWS rows of 256 bytes that is only in DRAM, in a page whose translation is warm, is prefetched into L2 by
// cp.async.bulk.prefetch.tensor (or not, with KIND none). DISTANCE cycles later its last 16 bytes are loaded. The
// window holds only the load; the distance is a chain of FFMAs of 4 cycles each. All SMs do so, one after another, and
// every launch pairs them with other boxes.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "memory/delay.cuh"
#include "memory/turn.cuh"
#include "tensor_copy/tensor.cuh"

PROBE {
  Window window;
  const Delay delay(args);
  const u64 map = tensor_map(args);
  await_turn(args, blockIdx.x, args.passes * (DISTANCE / 1024 + 3));
  // After the words of input(). The passes of a block are adjacent, so that the copy unit has the translation too.
  const u64 places = args.data_bytes / 131072 - 1, first_place = launch_hash(args) + u64{blockIdx.x} * args.passes;
  BULK_PASSES {
    u32 row = static_cast<u32>((first_place + pass) % places + 1) * 512;
    const char* p = args.data + u64{row + ROWS} * 256 - 16 + (lane() & args.zero);
    u32 v[4];
    // The first load of a page waits some 200 cycles for its translation (H200), even if L2 has the data.
    u32 other;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(other) : "l"(p + 16 + 128) : "memory");
    p = behind(p, other, args);
    row = behind(row, other, args);
#ifdef KIND_tensor
    if (elected()) tensor_prefetch(map, row, args.zero);
#endif
    window.ready(delay.of<DISTANCE>(other));
    window.ready(reinterpret_cast<u64>(p));
    window.open();
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "l"(p)
                 : "memory");
    window.wait(v);
    window.close();
    // Keeps the address alive: a load that overwrote it would wait for the previous access to its register.
    window.ready(reinterpret_cast<u64>(p));
  }
  window.report(args);
}
