#include "ptx/kernel_text.hpp"

#include <fmt/ranges.h>

#include "ptx/instruction.hpp"

namespace warpclock {
namespace {

/// Text of an asm statement that has arguments.
std::string quoted(std::string_view ptx) {
  std::string text;
  for (const char c : ptx) {
    if (c == '"' || c == '\\') text += '\\';
    if (c == '%') text += '%';
    text += c;
  }
  // The kernel's own parameter, whose name only the preprocessor knows, where it reads nothing itself.
  for (std::size_t at = 0; (at = text.find(parameter_symbol, at)) != std::string::npos;) {
    text.replace(at, parameter_symbol.size(), "\" WARPCLOCK_TEXT(KERNEL) \"_param_0+16");
  }
  return text;
}

constexpr int most_bits = 6;  // of a number of repetitions

}  // namespace

KernelText::KernelText() {
  statement(".reg .b32 w_tid, w_ntid, w_zero, w_passes, w_pass, w_known, w_guard, w_v0, w_v1, w_v2, w_v3;");
  statement(".reg .b64 w_clocks, w_data, w_sink, w_opened, w_closed, w_place;");
  statement(".reg .pred w_more;");
  for (const char* wide : {"clocks", "data", "sink"}) {
    argument(fmt::format("w_{}", wide), 64, fmt::format("args.{}", wide));
  }
  for (const char* narrow : {"passes", "zero"}) {
    argument(fmt::format("w_{}", narrow), 32, fmt::format("args.{}", narrow));
  }
  statement("mov.u32 w_tid, %tid.x;");
  statement("mov.u32 w_ntid, %ntid.x;");
  // Of each lane, because what ptxas takes for the same in all of them it computes elsewhere, and in one kernel of an
  // experiment but not in the next: a zero, what loops count on from it, and what is waited for.
  input("w_v0");
  statement("and.b32 w_zero, w_zero, w_v0;");
  statement("add.u32 w_passes, w_passes, w_zero;");
  statement("mov.b32 w_guard, w_tid;");
}

void KernelText::statement(std::string_view ptx) { text_ += fmt::format("    \"{}\\n\"\n", quoted(ptx)); }

void KernelText::directive(std::string_view text) { text_ += fmt::format("#{}\n", text); }

void KernelText::argument(std::string_view reg, int bits, std::string_view expression) {
  text_ += fmt::format("    \"mov.b{} {}, %{};\\n\"\n", bits, reg, arguments_.size());
  arguments_.push_back(fmt::format("\"{}\"({})", bits == 64 ? 'l' : 'r', expression));
}

// By the bits of the number: the preprocessor has no loops.
void KernelText::repeat(std::string_view times, std::string_view statements) {
  directive(fmt::format("if ({}) >= {}", times, 1 << most_bits));
  directive("error more copies than there are bits for");
  directive("endif");
  directive(fmt::format("define COPIES_0 \"{}\\n\"", quoted(statements)));
  for (int bit = 1; bit < most_bits; ++bit)
    directive(fmt::format("define COPIES_{0} COPIES_{1} COPIES_{1}", bit, bit - 1));
  for (int bit = 0; bit < most_bits; ++bit) {
    directive(fmt::format("if ({}) & {}", times, 1 << bit));
    text_ += fmt::format("    COPIES_{}\n", bit);
    directive("endif");
  }
  for (int bit = 0; bit < most_bits; ++bit) directive(fmt::format("undef COPIES_{}", bit));
}

void KernelText::input(std::string_view reg) {
  line("mad.lo.u32 {}, w_ntid, {}, w_tid;", reg, inputs_++);
  line("mad.wide.u32 w_place, {}, 4, w_data;", reg);
  line("ld.volatile.global.b32 {}, [w_place];", reg);
}

void KernelText::read(std::string_view operation, std::string_view reg, int bits) {
  if (bits == 32) {
    line("{0} w_guard, w_guard, {1};", operation, reg);
  } else {
    line("{{ .reg .b32 l, h; mov.b64 {{l, h}}, {1}; {0} w_guard, w_guard, h; {0} w_guard, w_guard, l; }}", operation,
         reg);
  }
}

void KernelText::begin_passes() {
  statement("add.u32 w_known, w_zero, w_passes;");
  statement("mov.b32 w_pass, 0;");
  statement("w_next:");
  statement(".pragma \"nounroll\";");
  // In registers: what is read of the arguments inside the loop may still be under way in the window.
  ready("w_known");
}

// The pass steps only once the closing clock is known, or ptxas would put that into the window.
void KernelText::end_passes() {
  statement("cvt.u32.u64 w_v0, w_closed;");
  statement("and.b32 w_v0, w_v0, w_zero;");
  statement("add.u32 w_pass, w_pass, w_v0;");
  statement("add.u32 w_pass, w_pass, 1;");
  statement("setp.lt.u32 w_more, w_pass, w_passes;");
  statement("@w_more bra.uni w_next;");
}

std::string KernelText::finish() {
  statement("mov.u32 w_v0, %ctaid.x;");
  statement("shr.u32 w_v1, w_ntid, 5;");
  statement("shr.u32 w_v2, w_tid, 5;");
  statement("mad.lo.u32 w_v0, w_v0, w_v1, w_v2;");
  statement("mad.wide.u32 w_place, w_v0, 16, w_clocks;");
  statement("st.global.b64 [w_place], w_opened;");
  statement("st.global.b64 [w_place+8], w_closed;");
  // Never so, but it keeps what was waited for.
  statement("add.u32 w_v0, w_zero, 0x9e3779b9;");
  statement("setp.eq.u32 w_more, w_guard, w_v0;");
  statement("mad.wide.u32 w_place, w_tid, 4, w_sink;");
  statement("@w_more st.global.b32 [w_place], w_guard;");
  // Twice the same in one unit is allowed.
  if (text_.contains("WARPCLOCK_TEXT")) {
    global("#define WARPCLOCK_TEXT_(x) #x\n#define WARPCLOCK_TEXT(x) WARPCLOCK_TEXT_(x)\n");
  }
  return fmt::format("#include \"probe.cuh\"\n{}PROBE {{\n  asm volatile(\n{}    :: {} : \"memory\");\n}}\n", globals_,
                     text_, fmt::join(arguments_, ", "));
}

}  // namespace warpclock
