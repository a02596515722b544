// What a multiply by a power of two becomes, and a shift.
#define KERNEL extern "C" __global__ void

KERNEL shift(const unsigned* __restrict__ in, unsigned* __restrict__ out) { out[threadIdx.x] = in[threadIdx.x] << 3; }
KERNEL multiply(const unsigned* __restrict__ in, unsigned* __restrict__ out) { out[threadIdx.x] = in[threadIdx.x] * 8; }
