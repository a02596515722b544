#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.hpp"
#include "check/blocks/block.hpp"
#include "check/blocks/block_operations.hpp"
#include "check/blocks/dice.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t constants = 6, wide_constants = 2, temporaries = 24, most_fragments = 4;
constexpr std::int64_t offset_step = 128, offsets = 8, vector_bytes = 16;
/// Functions of three bits that do not become one of two if they follow each other.
constexpr std::array<int, 8> luts = {0x96, 0xe8, 0xca, 0xd8, 0x6a, 0x1e, 0x2d, 0x78};

class Writer {
 public:
  explicit Writer(const BlockPlan& plan)
      : plan_(plan),
        dice_(plan.seed ^ 0x9e3779b97f4a7c15U, static_cast<std::uint64_t>(plan.index)),
        fragments_(std::min({plan.streams, most_fragments, plan.blocks_per_sm() > 1 ? 1 : most_fragments})) {}

  std::string ptx() {
    begin();
    const std::string one = block();
    for (std::int64_t i = 0; i < plan_.copies(); ++i) {
      text_ += one;
      // The addresses may change with each copy, so no load is left out.
      for (const char* pointer : pointers) line("  add.u32 {0}, {0}, %zero;", pointer);
    }
    end();
    return std::move(text_);
  }

 private:
  static constexpr std::array<const char*, 4> pointers = {"%pw", "%p4", "%p8", "%p16"};

  template <class... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<T>(values)...);
    text_ += '\n';
  }

  void begin() {
    line(".visible .entry {}(.param .u64 results, .param .u32 zero)", plan_.kernel());
    line(".maxntid {} .minnctapersm {}", plan_.threads(), plan_.blocks_per_sm());
    line("{{");
    line("  .reg .b32 %d<{}>, %c<{}>, %t<{}>, %f<{}>;", plan_.streams, constants, temporaries, 4 * fragments_);
    line("  .reg .b64 %l<{}>, %k<{}>, %to;", plan_.streams, wide_constants);
    line("  .reg .b32 %id, %zero, %left, %pw, %p4, %p8, %p16;");
    line("  .reg .pred %q<2>;");
    const std::int64_t stride = std::max(vector_bytes, 4 * plan_.ways);
    line("  .shared .align 128 .b8 space_{}[{}];", plan_.index, plan_.threads() * stride + offsets * offset_step);
    line("  mov.u32 %id, %tid.x;");
    line("  ld.param.u32 %zero, [zero];");
    line("  mov.u32 %p4, space_{};", plan_.index);
    line("  mad.lo.u32 %pw, %id, {}, %p4;", 4 * plan_.ways);
    line("  mad.lo.u32 %p8, %id, 8, %p4;");
    line("  mad.lo.u32 %p16, %id, {}, %p4;", vector_bytes);
    line("  mad.lo.u32 %p4, %id, 4, %p4;");
    fill("%d", plan_.streams);
    fill("%c", constants);
    fill("%f", 4 * fragments_);
    for (std::int64_t i = 0; i < plan_.streams; ++i) line("  mov.b64 %l{0}, {{%d{0}, %c{1}}};", i, i % constants);
    for (std::int64_t i = 0; i < wide_constants; ++i) line("  mov.b64 %k{}, {{%c{}, %c{}}};", i, i, i + 1);
    line("  mov.u32 %left, {};", plan_.trips());
    line("again:");
    line("  .pragma \"nounroll\";");
  }

  /// Different values in each lane and register.
  void fill(const char* name, std::int64_t count) {
    constexpr std::int64_t bits = 1 << 30;
    for (std::int64_t i = 0; i < count; ++i)
      line("  mad.lo.u32 {}{}, %id, {}, {};", name, i, 2 * dice_.between(1, bits) + 1, dice_.between(1, bits));
  }

  std::string numbered(const char* name, std::int64_t count) {
    return fmt::format("%{}{}", name, dice_.between(0, count - 1));
  }

  std::string operand(const char* stream, const char* constant, std::int64_t constant_count) {
    return dice_.one_in(2) ? numbered(stream, plan_.streams) : numbered(constant, constant_count);
  }

  std::string temporary() {
    next_ = (next_ + 1) % temporaries;
    return fmt::format("%t{}", next_);
  }

  static std::string braced(const char* name, std::int64_t first, std::int64_t count) {
    std::vector<std::string> all;
    for (std::int64_t i = 0; i < count; ++i) all.push_back(fmt::format("%{}{}", name, first + i));
    return "{" + join(all, ", ") + "}";
  }

  /// Constants, or for four registers another fragment. They are aligned, so that none has to be moved.
  std::string fragment_operand(std::int64_t count) {
    if (count == 4 && dice_.one_in(4)) return braced("f", 4 * dice_.between(0, fragments_ - 1), count);
    return braced("c", count * dice_.between(0, constants / count - 1), count);
  }

  std::string operation(const std::string& group) {
    std::vector<std::string_view> all;
    for (const BlockOperation& one : block_operations) {
      if (one.group == group) all.push_back(one.text);
    }
    const std::string_view text = dice_.pick(all);
    const std::int64_t fragment = 4 * dice_.between(0, fragments_ - 1);
    const std::string stream = numbered("d", plan_.streams), wide = numbered("l", plan_.streams);
    const std::string a = operand("d", "c", constants), b = operand("d", "c", constants);
    const std::string k = operand("l", "k", wide_constants), j = operand("l", "k", wide_constants);
    const std::string f1 = fragment_operand(1), f2 = fragment_operand(2), f4 = fragment_operand(4);
    const std::string s = numbered("d", plan_.streams);
    const std::string t = temporary(), u = temporary(), v = temporary(), w = temporary();
    return fmt::format(fmt::runtime(text), fmt::arg("d", stream), fmt::arg("s", s), fmt::arg("a", a), fmt::arg("b", b),
                       fmt::arg("l", wide), fmt::arg("k", k), fmt::arg("j", j), fmt::arg("t", t), fmt::arg("u", u),
                       fmt::arg("v", v), fmt::arg("w", w), fmt::arg("q", "%q0"), fmt::arg("f1", f1), fmt::arg("f2", f2),
                       fmt::arg("f4", f4), fmt::arg("m", braced("f", fragment, 4)),
                       fmt::arg("m2", braced("f", fragment, 2)), fmt::arg("lut", dice_.pick(luts)),
                       fmt::arg("o", offset_step * dice_.between(0, offsets - 1)),
                       fmt::arg("lane", dice_.between(1, 31)));
  }

  std::string block() {
    std::string text;
    for (std::int64_t i = 0; i < plan_.operations; ++i) text += "  " + operation(dice_.pick(plan_.mix)) + "\n";
    return text;
  }

  /// Every stream is in the result, so nothing is left out.
  void end() {
    line("  sub.u32 %left, %left, 1;");
    line("  setp.ne.u32 %q1, %left, 0;");
    line("  @%q1 bra again;");
    for (std::int64_t i = 0; i < plan_.streams; ++i) {
      if (i > 0) line("  xor.b32 %d0, %d0, %d{};", i);
      line("  mov.b64 {{%t0, %t1}}, %l{};", i);
      line("  lop3.b32 %d0, %d0, %t0, %t1, 0x96;");
    }
    for (std::int64_t i = 0; i < 4 * fragments_; ++i) line("  xor.b32 %d0, %d0, %f{};", i);
    line("  mov.u32 %t0, %ctaid.x;");
    line("  mad.lo.u32 %id, %t0, {}, %id;", plan_.threads());
    line("  ld.param.u64 %to, [results];");
    line("  mad.wide.u32 %to, %id, 4, %to;");
    line("  st.global.b32 [%to], %d0;");
    line("  ret;");
    line("}}\n");
  }

  const BlockPlan& plan_;
  Dice dice_;
  std::int64_t fragments_, next_ = 0;
  std::string text_;
};

}  // namespace

std::string block_ptx(const BlockPlan& plan) { return Writer(plan).ptx(); }

}  // namespace warpclock
