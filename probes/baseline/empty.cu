// Two clock reads with nothing between: what every window costs before it holds anything.
#include "probe.cuh"

PROBE {
  Window window;
  PASSES {
    window.open();
    window.close();
  }
  window.report(args);
}
