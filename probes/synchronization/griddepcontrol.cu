// griddepcontrol in a launch that depends on none, and on which none depends: OP.
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
