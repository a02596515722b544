// rate.cu, and the SM clock while it runs.
#define CLOCKED
#include "wgmma/rate.cu"
