#include "plan/probe.hpp"

namespace warpclock {

const TensorWords& tensor_words() {
  static const TensorWords words = {
      .type = {"u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz"},
      .swizzle = {"none", "32B", "64B", "128B"},
      .interleave = {"none", "16B", "32B"},
      .promotion = {"none", "64B", "128B", "256B"},
      .oob = {"zeros", "nan"}};
  return words;
}

const std::vector<std::string>& units() {
  static const std::vector<std::string> all = {"cycles", "1/clk/SM", "B/clk/SM", "FMA/clk/SM", "B",
                                               "%",      "ns",       "GB/s",     "count",      "W",
                                               "MHz",    "1",        "pJ",       "pJ/B",       "pJ/FMA"};
  return all;
}

}  // namespace warpclock
