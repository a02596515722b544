// Two products of which the first one's result is an operand of the second: D of mma.m16n8k16 in f32, two of which are
// A as halves.
using u32 = unsigned;

__device__ u32 halves(float low, float high) {
  u32 both;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}

__device__ void multiply(float (&d)[4], const u32 (&a)[4], uint2 b) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b.x), "r"(b.y));
}

// A of 16 x 16, B of 16 x 16 and of 16 x 8, in the order of the lanes.
extern "C" __global__ void product_of_product(const uint4* __restrict__ a, const uint2* __restrict__ b,
                                              float4* __restrict__ out) {
  const u32 lane = threadIdx.x;
  const uint4 v = a[lane];
  const u32 first[4] = {v.x, v.y, v.z, v.w};
  float left[4] = {}, right[4] = {}, d[4] = {};
  multiply(left, first, b[lane]);
  multiply(right, first, b[lane + 32]);
  const u32 second[4] = {halves(left[0], left[1]), halves(left[2], left[3]), halves(right[0], right[1]),
                         halves(right[2], right[3])};
  multiply(d, second, b[lane + 64]);
  out[lane] = {d[0], d[1], d[2], d[3]};
}
