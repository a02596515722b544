// N trips of 8 stores of BYTES per lane to shared memory, with each lane at a place given by the config's `along:`. A
// load of the last stored words ends the window.
#include "probe.cuh"
#include "bandwidth/words.cuh"
#include "geometry/bank_places.cuh"

PROBE {
  __shared__ __align__(16) char tile[32 * 1024];
  Window window;
  // Includes a value from memory; otherwise ptxas would compute it again inside the window.
  const u32 p = shared_address(tile) + bank_place(static_cast<u32>(args.at)) % sizeof tile + (input(args, 0) & args.zero);
  u32 v[WORDS], last;
  UNROLL for (int i = 0; i < WORDS; ++i) v[i] = input(args, i);
  PASSES {
    window.ready(p);
    window.ready(v);
    __syncthreads();
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip)
      UNROLL for (int i = 0; i < 8; ++i) STORE("st.volatile.shared", "r", p, v);
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(last) : "r"(p));
    window.wait(last);
    window.close();
  }
  window.report(args);
}
