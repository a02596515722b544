// All the constant memory that a module can have. Every word holds the address of its middle, so that any word is
// within the 16 signed bits of distance in LDC. Because of their language linkage, the declarations in the kernels'
// namespaces are one variable, which only the first of them defines.
#ifndef CONSTANT_MIDDLES
#define CONSTANT_MIDDLES
constexpr u32 constant_words = 16384, constant_middle = 2 * constant_words;
struct Middles {
  u32 words[constant_words];
  constexpr Middles() : words() {
    for (u32& word : words) word = constant_middle;
  }
};
extern "C" {
__constant__ Middles constant_middles;
}
#else
constexpr u32 constant_middle = 32768;
#endif
