#include "ptx/experiment/quads.hpp"

#include "ptx/experiment/initial_values.hpp"

namespace warpclock {
namespace {

constexpr int registers = 4, quad_bytes = 16;

}  // namespace

std::string Quads::name(int quad, int k) { return fmt::format("w_q{}_{}", quad, k); }

std::string Quads::all_of(int quad) {
  return fmt::format("{}, {}, {}, {}", name(quad, 0), name(quad, 1), name(quad, 2), name(quad, 3));
}

Quads::Quads(Frame& frame, int count) : frame_(frame), count_(count) {
  const std::string data = frame_.argument_at(argument::data);
  frame_.line("cvta.to.global.u64 {0}, {0};", data);
  frame_.line("mad.wide.u32 {0}, {1}, {2}, {0};", data, Frame::thread, quad_bytes);
  for (int quad = 0; quad < count_; ++quad) {
    frame_.line(".reg .b32 {};", all_of(quad));
    frame_.line("ld.volatile.global.v4.b32 {{{}}}, [{}+{}];", all_of(quad), data, quad * most_threads * quad_bytes);
  }
}

void Quads::observe() {
  for (int quad = 0; quad < count_; ++quad) {
    for (int k = 0; k < registers; ++k) frame_.observe(Waits::First, name(quad, k));
  }
}

void Quads::show(const std::string& place) {
  for (int quad = 0; quad < count_; ++quad) frame_.line("st.volatile.shared.v4.b32 [{}], {{{}}};", place, all_of(quad));
}

void Quads::spoil() {
  const std::string mask = frame_.closed();
  frame_.line("and.b32 {0}, {0}, {1};", mask, Frame::zero);
  frame_.line("add.u32 {0}, {0}, 0x5bd1e995;", mask);
  for (int quad = 0; quad < count_; ++quad) {
    for (int k = 0; k < registers; ++k) frame_.line("xor.b32 {0}, {0}, {1};", name(quad, k), mask);
  }
}

// They go through memory: ptxas does not know what will be in the hole.
void Quads::fold(const std::string& place) {
  const std::string fold = frame_.new_word(), places = frame_.argument_at(argument::places);
  frame_.line("mov.u32 {}, 0;", fold);
  for (int quad = 0; quad < count_; ++quad) {
    frame_.line("st.volatile.shared.v4.b32 [{}], {{{}}};", place, all_of(quad));
    frame_.line("ld.volatile.shared.v4.b32 {{{}}}, [{}];", all_of(quad), place);
    for (int k = 0; k < registers; ++k) frame_.line("mad.lo.u32 {0}, {0}, 0x01000193, {1};", fold, name(quad, k));
  }
  frame_.line("cvta.to.global.u64 {0}, {0};", places);
  frame_.line("mad.wide.u32 {0}, {1}, 4, {0};", places, Frame::thread);
  frame_.line("st.volatile.global.u32 [{}], {};", places, fold);
}

}  // namespace warpclock
