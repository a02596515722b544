#include "compose/hole_group.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "compose/hole_source.hpp"

namespace warpclock {

std::string accumulator(int i) { return fmt::format("w_sum{}", i); }

void put_descriptors(Frame& frame) {
  constexpr std::uint64_t swizzle_128 = 1, lead = 1, row_bytes = 128, stride = 8 * row_bytes / 16,
                          a_bytes = 64 * row_bytes;
  frame.line(".reg .b64 w_a, w_b;");
  frame.line(".reg .b32 w_a_low, w_a_high, w_b_low, w_b_high;");
  const std::string address = frame.new_word();
  for (const auto& [name, offset] : {std::pair{"w_a", std::uint64_t{0}}, std::pair{"w_b", a_bytes}}) {
    frame.line("mov.u32 {}, w_shared;", address);
    frame.line("add.u32 {0}, {0}, {1};", address, offset);
    frame.line("shr.u32 {0}, {0}, 4;", address);
    frame.line("cvt.u64.u32 {}, {};", name, address);
    frame.line("or.b64 {0}, {0}, {1};", name, swizzle_128 << 62 | stride << 32 | lead << 16);
    frame.line("mov.b64 {{{0}_low, {0}_high}}, {0};", name);
  }
}

void put_multiply(Frame& frame) {
  std::vector<std::string> all_of_them;
  for (int i = 0; i < accumulator_registers; ++i) all_of_them.push_back(accumulator(i));
  frame.line("wgmma.fence.sync.aligned;");
  frame.line("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {{{}}}, w_a, w_b, 1, 1, 1, 0, 0;",
             join(all_of_them, ", "));
  frame.line("wgmma.commit_group.sync.aligned;");
  frame.line("wgmma.wait_group.sync.aligned 0;");
}

void put_second_multiply(Frame& frame, const std::string& descriptors) {
  // From memory: ptxas would otherwise move them to uniform registers inside the hole. The shuffles show it that they
  // are the same for all lanes.
  frame.line("ld.volatile.global.v4.u32 {{w_a_low, w_a_high, w_b_low, w_b_high}}, [{}];", descriptors);
  for (const char* half : {"w_a_low", "w_a_high", "w_b_low", "w_b_high"})
    frame.line("shfl.sync.idx.b32 {0}, {0}, 0, 31, 0xffffffff;", half);
  frame.line("mov.b64 w_a, {{w_a_low, w_a_high}};");
  frame.line("mov.b64 w_b, {{w_b_low, w_b_high}};");
  put_multiply(frame);
}

}  // namespace warpclock
