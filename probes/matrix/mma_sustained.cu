// mma_rate.cu, and the SM clock while it runs.
#define CLOCKED
#include "matrix/mma_rate.cu"
