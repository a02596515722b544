// N trips of DEPTH loads of BYTES a lane in flight, by one SM: the load APART places later reads the same bytes again,
// and with SHARE=block the other warps read them too. The loads are relaxed, as ptxas would execute equal weak ones once.
#include "probe.cuh"
#include "bandwidth/words.cuh"

PROBE {
  Window window;
  constexpr u32 row = 32 * BYTES;
#ifdef SHARE_block
  constexpr u32 own = 0;
#else
  constexpr u32 own = APART * row;
#endif
  const u64 place = reinterpret_cast<u64>(args.data) + warp() * own + lane() * BYTES;
  u32 v[DEPTH][WORDS];
  PASSES {
    window.ready(place);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      UNROLL for (int i = 0; i < DEPTH; ++i) LOAD("ld.relaxed.gpu.global", "l", v[i], place + i % APART * row);
      UNROLL for (int i = 0; i < DEPTH; ++i) window.wait(v[i]);
    }
    window.close();
  }
  window.report(args);
}
