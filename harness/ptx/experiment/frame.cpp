#include "ptx/experiment/frame.hpp"

#include "ptx/experiment/initial_values.hpp"

namespace warpclock {
namespace {

constexpr int input_bytes = 4 * 1024;  // a word for every thread that a block can have

}  // namespace

std::string kernel_parameter() { return fmt::format("{}_param_0", kernel_mark); }

Frame::Frame() {
  line(".reg .b32 w_thread, w_zero, w_passes, w_guard, w_pass;");
  line(".reg .b64 w_inputs, w_opened, w_closed;");
  line("mov.u32 w_thread, %tid.x;");
  line("mov.u32 w_guard, w_thread;");
  line("ld.param.u32 w_passes, [{}+{}];", kernel_parameter(), argument::passes);
  line("ld.param.u32 w_zero, [{}+{}];", kernel_parameter(), argument::zero);
  line("ld.param.u64 w_inputs, [{}+{}];", kernel_parameter(), argument::data);
  line("cvta.to.global.u64 w_inputs, w_inputs;");
  line("mad.wide.u32 w_inputs, w_thread, 4, w_inputs;");
}

std::string Frame::input() {
  std::string word = new_word();
  // Volatile, because ptxas would otherwise load it again at each use.
  line("ld.volatile.global.u32 {}, [w_inputs+{}];", word, inputs_++ * input_bytes);
  return word;
}

std::string Frame::argument_at(int offset) {
  std::string pair = new_pair();
  line("ld.param.u64 {}, [{}+{}];", pair, kernel_parameter(), offset);
  return pair;
}

void Frame::observe(Waits what, std::string_view reg) {
  switch (what) {
    case Waits::First:
      return line("add.u32 w_guard, w_guard, {};", reg);
    case Waits::Last:
      return line("xor.b32 w_guard, w_guard, {};", reg);
  }
}

void Frame::open() { line("mov.u64 w_opened, %clock64;"); }
void Frame::close() { line("mov.u64 w_closed, %clock64;"); }

std::string Frame::closed() {
  std::string word = new_word();
  line("cvt.u32.u64 {}, w_closed;", word);
  return word;
}

void Frame::begin_passes() {
  const std::string sum = new_word();
  line("mov.u32 w_pass, 0;");
  line("add.s32 {}, w_zero, w_passes;", sum);
  text_ += "w_passing:\n";
  indent_ = 4;
  line(".pragma \"nounroll\";");
  observe(Waits::First, sum);
}

// The loop counter depends on the closing clock read; otherwise ptxas would move the loop's arithmetic into the window
// (seen on sm_80). If it does not depend on the thread, too, ptxas may read the clock on the uniform datapath, with
// another opcode (seen on sm_120).
void Frame::end_passes(Loop loop) {
  const std::string step = closed(), more = new_predicate();
  line("and.b32 {0}, w_zero, {0};", step);
  if (loop == Loop::ByThread) line("and.b32 {0}, w_thread, {0};", step);
  line("add.s32 w_pass, w_pass, {};", step);
  line("add.s32 w_pass, w_pass, 1;");
  line("setp.lt.u32 {}, w_pass, w_passes;", more);
  line("@{} bra w_passing;", more);
  indent_ = 2;
}

void Frame::begin_trips(int trips, Warps warps) {
  trip_ = new_word();
  more_ = new_predicate();
  line("mov.u32 {}, 0;", trip_);
  text_ += "w_tripping:\n";
  indent_ = 6;
  line(".pragma \"nounroll\";");
  if (warps == Warps::InStep) line("bar.sync 0;");
  line("add.s32 {0}, {0}, 1;", trip_);
  line("setp.ne.s32 {}, {}, {};", more_, trip_, trips);
}

void Frame::end_trips() {
  line("@{} bra w_tripping;", more_);
  indent_ = 4;
}

// Stores both readings completely. If only their difference were stored, ptxas could move one of them to the uniform
// datapath, with another opcode (seen on sm_120).
void Frame::report() {
  const std::string block = new_word(), warps = new_word(), warp = new_word(), at = new_pair(), own = new_pair();
  line("mov.u32 {}, %ctaid.x;", block);
  line("mov.u32 {}, %ntid.x;", warps);
  line("shr.u32 {0}, {0}, 5;", warps);
  line("shr.u32 {}, w_thread, 5;", warp);
  line("mul.wide.u32 {}, {}, {};", at, warps, block);
  line("cvt.u64.u32 {}, {};", own, warp);
  line("add.s64 {0}, {0}, {1};", at, own);
  line("shl.b64 {0}, {0}, 4;", at);
  const std::string clocks = argument_at(argument::clocks);
  line("cvta.to.global.u64 {0}, {0};", clocks);
  line("add.s64 {0}, {0}, {1};", clocks, at);
  line("st.global.u64 [{}], w_opened;", clocks);
  line("st.global.u64 [{}+8], w_closed;", clocks);
  const std::string number = new_word(), is_unlikely = new_predicate(), sink = argument_at(argument::sink);
  line("add.u32 {}, w_zero, 0x9e3779b9;", number);
  line("setp.eq.s32 {}, w_guard, {};", is_unlikely, number);
  line("cvta.to.global.u64 {0}, {0};", sink);
  line("mad.wide.u32 {0}, w_thread, 4, {0};", sink);
  line("@{} st.global.u32 [{}], w_guard;", is_unlikely, sink);
}

std::string Frame::kernel(std::string_view globals, std::string_view directives) const {
  return fmt::format(
      "{}.visible .entry {}(.param .align 64 .b8 {}[{}]){}\n{{\n  .reg .pred w_p<{}>;\n  .reg .b32 w_r<{}>;\n"
      "  .reg .b64 w_d<{}>;\n{}  ret;\n}}\n",
      globals, kernel_mark, kernel_parameter(), argument::bytes,
      directives.empty() ? "" : fmt::format(" {}", directives), predicates_ + 1, words_ + 1, pairs_ + 1, text_);
}

Digest::Digest(Frame& frame) : frame_(frame), fold_(frame.new_word()), places_(frame.argument_at(argument::places)) {
  frame_.line("mov.u32 {}, 0;", fold_);
}

void Digest::add(std::string_view word) { frame_.line("mad.lo.u32 {0}, {0}, 0x01000193, {1};", fold_, word); }

void Digest::store() {
  frame_.line("cvta.to.global.u64 {0}, {0};", places_);
  frame_.line("mad.wide.u32 {0}, {1}, 4, {0};", places_, Frame::thread);
  frame_.line("st.volatile.global.u32 [{}], {};", places_, fold_);
}

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
  Digest digest(frame_);
  for (int quad = 0; quad < count_; ++quad) {
    frame_.line("st.volatile.shared.v4.b32 [{}], {{{}}};", place, all_of(quad));
    frame_.line("ld.volatile.shared.v4.b32 {{{}}}, [{}];", all_of(quad), place);
    for (int k = 0; k < registers; ++k) digest.add(name(quad, k));
  }
  digest.store();
}

}  // namespace warpclock
