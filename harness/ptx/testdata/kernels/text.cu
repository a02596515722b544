// Bytes: a search, a case change, a table, recursion through pointers, printf.
#include <cstdio>

enum class Step : unsigned char { Skip, Lower, Upper, Count, Stop };
__device__ const char vowels[] = "aeiou";
using Rule = int (*)(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int minus(int a, int b) { return a - b; }
__device__ Rule rule_table[2] = {plus, minus};

extern "C" __global__ void text(char* s, const unsigned char* steps, short* widths, int* found, long long n) {
  long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  int count = 0;
  char seen[16];
  for (; i < n; i += 32) {
    char c = s[i];
    switch (static_cast<Step>(steps[i & 15])) {
      case Step::Lower: c |= 0x20; break;
      case Step::Upper: c &= 0x5f; break;
      case Step::Count: count += widths[c & 0x7f]; break;
      case Step::Stop: count -= c; seen[count & 15] = c; break;
      default: break;
    }
    for (int v = 0; v < 5; ++v) found[v] += c == vowels[v];
    s[i] = c;
    widths[i & 127] = static_cast<short>(count + seen[c & 15]);
    seen[i & 15] = c;
  }
  found[5] = rule_table[count & 1](count, seen[3]);
  if (count > 1000) printf("%d of %lld\n", count, n);
  __nanosleep(20);
  found[6] = static_cast<int>(clock());
}
