// Rounds of hashes, wide products, rotations, bit fields: integer code of every width.
__constant__ unsigned rounds[64];
__device__ unsigned long long counter;

__device__ __noinline__ unsigned mix(unsigned a, unsigned b) {
  return __funnelshift_l(a, a, b & 31) * 0x9e3779b1u ^ __byte_perm(a, b, 0x5410);
}

extern "C" __global__ void hash(const unsigned* words, unsigned long long* out, int n) {
  unsigned a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
  for (int i = 0; i < n; ++i) {
    const unsigned w = words[i * 32 + threadIdx.x] + rounds[i & 63];
    const unsigned t = __funnelshift_r(a, a, 6) ^ __funnelshift_r(a, a, 11) ^ (a >> 3);
    d += t + ((a & b) ^ (~a & c)) + w;
    a = (b << 7 | b >> 25) + ((a & c) | (b & (a ^ c)));
    b = __brev(c) + __popc(d) + __clz(a) + __ffs(w);
    c = mix(d, w);
  }
  const unsigned long long wide = (static_cast<unsigned long long>(a) << 32 | b) * 6364136223846793005ull + c;
  const unsigned long long high = __umul64hi(wide, wide ^ d);
  const __int128 huge = static_cast<__int128>(static_cast<long long>(wide)) * static_cast<long long>(high) + a;
  const int signed_part = static_cast<int>(a) / (static_cast<int>(b) | 1) + static_cast<int>(c) % (static_cast<int>(d) | 1);
  out[threadIdx.x] = wide / (high | 1) + static_cast<unsigned long long>(huge >> 64) + wide % (d | 1ull) + signed_part;
  out[threadIdx.x + 32] = __dp4a(a, b, c) + __sad(a, b, d) + __vadd4(a, b) + __vabsdiffu4(c, d) + __mulhi(a, b) +
                          (__mul24(a, b) ^ abs(static_cast<int>(c))) + min(a, b) + max(static_cast<int>(c), 5) +
                          __popcll(wide) + __clzll(high) + static_cast<short>(a) * static_cast<short>(b);
  if (n == 77) atomicAdd(&counter, wide);
  if (n == 78) __trap();
}
