// Forces in double precision.
extern "C" __global__ void nbody(const double4* __restrict__ bodies, double3* forces, double softening, int n) {
  __shared__ double4 tile[128];
  const double4 me = bodies[blockIdx.x * blockDim.x + threadIdx.x];
  double3 f = {0, 0, 0};
  double energy = 0;
  for (int first = 0; first < n; first += 128) {
    tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < 128; ++j) {
      const double x = tile[j].x - me.x, y = tile[j].y - me.y, z = tile[j].z - me.z;
      const double square = x * x + y * y + z * z + softening;
      const double inverse = rsqrt(square), cube = tile[j].w * inverse * inverse * inverse;
      f.x += x * cube;
      f.y += y * cube;
      f.z += z * cube;
      energy += isnan(cube) ? 0.0 : fmin(exp(-square), 1.0 / square) + sqrt(fabs(cube)) + floor(z);
    }
    __syncthreads();
  }
  forces[blockIdx.x * blockDim.x + threadIdx.x] = {f.x + sin(energy), f.y + cbrt(energy), f.z + (energy > 3 ? fmod(energy, 2.5) : __double2int_rn(energy))};
}
