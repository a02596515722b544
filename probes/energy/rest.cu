// The pace alone: warps that wait at a barrier for one that waits for loads from shared memory.
#include "energy/paced.cuh"

PROBE {
  paced(args, [](Window&) {}, [] {}, [](Window& window, u32 pace) { window.wait(pace); });
}
