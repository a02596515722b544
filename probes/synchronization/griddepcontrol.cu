// griddepcontrol OP in a launch without dependencies in either direction.
#include "probe.cuh"

PROBE {
  Window window;
  PASSES {
    window.open();
    UNROLL for (int i = 0; i < N; ++i) asm volatile("griddepcontrol." OP ";");
    window.close();
  }
  window.report(args);
}
