// Two clock reads with nothing between them: the cost of an empty window.
#include "probe.cuh"

PROBE {
  Window window;
  PASSES {
    window.open();
    window.close();
  }
  window.report(args);
}
