#include "ptx/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "ptx/conversion.hpp"
#include "ptx/kernel_text.hpp"
#include "ptx/values.hpp"

namespace warpclock {
namespace {

constexpr int most_threads = 1024;
constexpr int guards = 3;
constexpr int variable_bytes = 1024;
constexpr std::int64_t local_bytes = 256;
constexpr std::int64_t place_bytes = 1 << 17;    // of each address operand
constexpr std::int64_t first_address = 1 << 19;  // behind the words that input() reads

/// Writes one kernel. Register names: w<operand><element>_<chain>; what all chains share is of chain 0.
class Writer {
 public:
  Writer(const PtxInstruction& instruction, const Experiment& experiment)
      : instruction_(instruction), experiment_(experiment) {
    kept_ = kept_results(instruction, experiment);
    if (spread()) spread_ = spread_copies_of(instruction, experiment.links.front());
  }

  std::string write() {
    declare();
    if (experiment_.question == Question::Isolated) {
      isolated();
    } else {
      for (std::size_t i = 0; i < instruction_.operands.size(); ++i) initialise(i);
      if (guarded()) guard();
      if (constants()) thread();
      if (gathered()) gather();
      if (keeps()) keepers();
      if (selects()) selector();
      timed();
      read_places();
    }
    return text_.finish();
  }

 private:
  [[nodiscard]] const Operand& operand(std::size_t i) const { return instruction_.operands[i]; }
  [[nodiscard]] bool in_register(std::size_t i) const { return operand(i).immediate.empty(); }

  [[nodiscard]] const Link* link() const { return experiment_.links.empty() ? nullptr : &experiment_.links.front(); }
  [[nodiscard]] bool constants() const {
    return woven() || gathered() || keeps() || experiment_.trick == Trick::RefreshedMajority;
  }
  [[nodiscard]] bool gathered() const { return experiment_.trick == Trick::Gathered; }
  [[nodiscard]] bool guarded() const { return experiment_.trick == Trick::Guarded; }
  [[nodiscard]] bool woven() const { return is_woven(experiment_.trick); }
  [[nodiscard]] bool spread() const { return experiment_.trick == Trick::Spread; }
  [[nodiscard]] bool in_place() const { return warpclock::in_place(instruction_, experiment_); }

  /// Whether every chain has its own registers for this operand.
  [[nodiscard]] bool own(std::size_t i) const { return operand(i).written || (link() && link()->to == i); }

  [[nodiscard]] bool carried(std::size_t i) const { return operand(i).written && operand(i).read; }
  [[nodiscard]] bool keeps() const { return !kept_.empty(); }
  [[nodiscard]] bool selects() const {
    return instruction_.is_block() && !refreshed_sources(instruction_, experiment_).empty();
  }

  /// How many registers the operand has in all, a spread one for each copy or value, others for each chain.
  [[nodiscard]] int sets(std::size_t i) const {
    if (!spread()) return own(i) ? experiment_.ilp : 1;
    return own(i) ? spread_->most() : 1;
  }

  /// Result and source of a direct link are the same registers.
  [[nodiscard]] std::string name(std::size_t i, int element, int chain) const {
    if (in_place() && link()->to == i) i = link()->from;
    if (!own(i)) chain = 0;
    return fmt::format("w{}{}_{}", operand(i).name, element, chain);
  }

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_.line(format, std::forward<Args>(args)...);
  }

  void declare() {
    for (const Operand& of : instruction_.operands) {
      if (!of.symbol.empty()) variable(of);
    }
    for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
      if (!in_register(i)) continue;
      std::string names;
      for (int chain = 0; chain < sets(i); ++chain) {
        for (int element = 0; element < operand(i).elements; ++element) {
          // Under its own operand's name, also where a link shares registers: unused ones cost nothing.
          names += fmt::format("{}w{}{}_{}", names.empty() ? "" : ", ", operand(i).name, element, chain);
        }
      }
      line(".reg .{} {};", ptx_type(operand(i).file), names);
    }
  }

  /// A word of random bits, each time other ones, of which some are kept and some are set.
  void word(std::string_view reg, std::uint32_t keep = ~std::uint32_t{0}, std::uint32_t set = 0) {
    text_.input(reg);
    // The compiler would know what `& 0` gives.
    if (keep == 0) {
      line("and.b32 {0}, {0}, w_zero;", reg);
    } else if (keep != ~std::uint32_t{0}) {
      line("and.b32 {0}, {0}, {1:#x};", reg, keep);
    }
    if (set != 0) line("or.b32 {0}, {0}, {1:#x};", reg, set);
  }

  void initialise(std::size_t i) {
    if (!in_register(i)) return;
    if (operand(i).address) return address(i);
    const bool linked = (link() && link()->to == i) || carried(i);
    for (int chain = 0; chain < (linked ? sets(i) : 1); ++chain) {
      for (int element = 0; element < operand(i).elements; ++element) {
        if (operand(i).read || guarded() || is_wider_result(i)) set(i, name(i, element, chain));
      }
    }
    if (operand(i).written && guarded() && !linked) {
      for (int chain = 1; chain < experiment_.ilp; ++chain) {
        for (int element = 0; element < operand(i).elements; ++element) set(i, name(i, element, chain));
      }
    }
  }

  /// A result whose registers are also a narrower source: the rest of them must hold something.
  [[nodiscard]] bool is_wider_result(std::size_t i) const {
    return in_place() && link()->from == i && operand(link()->to).elements < operand(i).elements;
  }

  void set(std::size_t i, const std::string& reg) {
    const Operand& of = operand(i);
    if (of.name == "cache_policy" || of.type == "policy") {
      return line("createpolicy.fractional.L2::evict_normal.b64 {}, 1.0;", reg);
    }
    const ValueMask mask = value_mask(of.type, of.file, of.value);
    for (int at = 0; at < std::max(1, bits(of.file) / 32); ++at) {
      const std::string value = fmt::format("w_v{}", at);
      const int low = 32 * (at % 2);
      if (mask.lane) {
        line("and.b32 {}, w_tid, 31;", value);
      } else if (of.file == RegisterClass::Predicate) {
        word(value, 1);
      } else {
        word(value, static_cast<std::uint32_t>(mask.keep >> low), static_cast<std::uint32_t>(mask.set >> low));
      }
    }
    switch (of.file) {
      case RegisterClass::Predicate:
        return line("setp.ne.u32 {}, w_v0, w_zero;", reg);
      case RegisterClass::B16:
        return line("cvt.u16.u32 {}, w_v0;", reg);
      case RegisterClass::B32:
        return line("mov.b32 {}, w_v0;", reg);
      case RegisterClass::B64:
        return line("mov.b64 {}, {{w_v0, w_v1}};", reg);
      case RegisterClass::B128:
        return line(
            "{{ .reg .b64 l, h; mov.b64 l, {{w_v0, w_v1}}; mov.b64 h, {{w_v2, w_v3}}; mov.b128 {}, {{l, h}}; }}", reg);
    }
  }

  /// Every thread has its place, next to its neighbour's, but for constants, which one warp instruction reads at one
  /// address. What is there: the thread's own address when loads follow it, else zero.
  void address(std::size_t i) {
    const Operand& of = operand(i);
    const std::string reg = name(i, 0, 0);
    const bool rows = instruction_.kind.starts_with("matrix-");
    const bool barrier = instruction_.mnemonic.contains("mbarrier");
    const std::int64_t stride = std::max<std::int64_t>(of.access_bytes, rows ? 16 : barrier ? 8 : 4);
    const bool shared = of.space.starts_with("shared");
    const std::string place = fmt::format("w{}_address", of.name);
    line(".reg .b64 {};", place);
    if (shared) {
      line(".shared .align 128 .b8 wshared_{}[{}];", of.name, most_threads * stride + of.before + of.behind);
      line("mov.b64 {}, wshared_{};", place, of.name);
      line("mad.wide.u32 {0}, w_tid, {1}, {0};", place, stride);
    } else if (of.space == "local") {
      // Large, at a place that nobody knows and read behind the window, or it would live in registers.
      line(".local .align 16 .b8 wlocal_{}[{}];", of.name, local_bytes + of.before + of.behind);
      line("mov.b64 {}, wlocal_{};", place, of.name);
      word("w_v0", 0);
      line("cvt.u64.u32 w_place, w_v0;");
      line("add.u64 {0}, {0}, w_place;", place);
      read_behind_.push_back(place);
    } else if (of.space == "const") {
      text_.global(fmt::format("__constant__ u64 wconst_{}[{}];\n", of.name, 16 + (of.before + of.behind) / 8));
      text_.argument(place, 64, fmt::format("wconst_{}", of.name));
      line("cvta.to.const.u64 {0}, {0};", place);
    } else {
      line("mad.wide.u32 {}, w_tid, {}, w_data;", place, stride);
      line("add.u64 {0}, {0}, {1};", place, places_++ * place_bytes + first_address);
    }
    if (of.before > 0) line("add.u64 {0}, {0}, {1};", place, of.before);
    if (of.space != "const")
      fill(of, place, stride, follows(i), shared ? "shared" : of.space == "local" ? "local" : "global");
    if (barrier) line("mbarrier.init.shared.b64 [{}], {};", place, 1U << 19);
    line("{} {}, {};", of.file == RegisterClass::B32 ? "cvt.u32.u64" : "mov.b64", reg, place);
    for (int chain = 1; chain < experiment_.ilp && own(i); ++chain) {
      line("mov.{} {}, {};", ptx_type(of.file), name(i, 0, chain), reg);
    }
  }

  void fill(const Operand& of, const std::string& place, std::int64_t stride, bool follow, std::string_view space) {
    const std::string_view kind = space == "local" ? "" : "volatile.";
    for (std::int64_t byte = 0; byte < stride; byte += 4) {
      const bool pointer = follow && byte < std::min<std::int64_t>(of.access_bytes, 8);
      if (pointer) line("{{ .reg .b32 l, h; mov.b64 {{l, h}}, {}; mov.b32 w_v0, {}; }}", place, byte == 0 ? "l" : "h");
      line("st.{}{}.b32 [{}+{}], {};", kind, space, place, byte, pointer ? "w_v0" : "w_zero");
    }
  }

  /// Whether the loaded value itself is the next address.
  [[nodiscard]] bool follows(std::size_t i) const { return link() && link()->to == i && chases(instruction_, *link()); }

  // Three, because neighbours under one predicate would share a branch, and copies of a chain would be merged: one, two
  // or four chains meet each of three in turn.
  void guard() {
    for (int i = 0; i < guards; ++i) {
      line(".reg .pred wg{};", i);
      // True, and nobody knows: no input is this number.
      word("w_v0");
      line("setp.ne.u32 wg{}, w_v0, 0x9e3779b9;", i);
    }
  }

  void gather() {
    for (int i = 0; i < guards; ++i) {
      line(".reg .b32 wr{};", i);
      word(fmt::format("wr{}", i));
    }
  }

  [[nodiscard]] std::string refreshes(int chain) const {
    std::string text;
    for (const std::size_t i : refreshed_sources(instruction_, experiment_)) {
      const RegisterClass file = operand(i).file;
      for (int element = 0; element < operand(i).elements; ++element) {
        const std::string reg = name(i, element, chain);
        text += selects() ? refresh_bits(file, reg, "wselector") : refresh(experiment_.trick, file, reg);
      }
    }
    return text;
  }

  void selector() {
    line(".reg .b32 wselector;");
    line("or.b32 wselector, w_zero, 0x3210;");
  }

  // The other operands of what is woven in.
  void thread() {
    for (int i = 0; i < woven_constants; ++i) {
      line(".reg .b32 wk{};", i);
      word(fmt::format("wk{}", i), 0x007fffff, 0x3f800000);
    }
  }

  [[nodiscard]] static std::string keeper(int chain) { return fmt::format("wh{}", chain); }

  // One for each chain: what a copy makes goes into it and stays there.
  void keepers() {
    for (int chain = 0; chain < experiment_.ilp; ++chain) {
      line(".reg .b32 {};", keeper(chain));
      word(keeper(chain));
    }
  }

  /// What a variable's address is taken of, or what is read at a fixed place.
  void variable(const Operand& of) {
    if (of.space == "param") return;
    line(".{} .align 128 .b8 {}[{}];", of.space, of.immediate, variable_bytes);
  }

  [[nodiscard]] std::string copies(int copy) const {
    std::string text;
    for (int chain = 0; chain < experiment_.ilp; ++chain) {
      const auto reg = [&](std::size_t i, int element) { return name(i, element, chain); };
      if (!text.empty()) text += ' ';
      const int number = (copy * experiment_.ilp + chain) % guards;
      text += render(instruction_, reg, guarded() ? fmt::format("@wg{} ", number) : "");
      for (const std::size_t i : kept_) text += ' ' + keep(operand(i).file, name(i, 0, chain), keeper(chain));
      // What chains share is renewed once for all of them, but not the address that each would load from.
      const bool renews = is_refreshed(experiment_.trick) || selects();
      if (renews && (chain == 0 || selects())) text += ' ' + refreshes(chain);
      if (gathered()) {
        for_each_result_of(chain, [&](const Operand& of, const std::string& result) {
          text += ' ' + gathered_word(of.file, result, fmt::format("wr{}", number));
        });
      }
      if (!link() || in_place()) continue;
      text += ' ';
      text += woven() ? weave(instruction_, *link(), experiment_.trick, reg) : conversion(instruction_, *link(), reg);
    }
    return text;
  }

  void timed() {
    if (spread()) line(".reg .b32 w_held;");
    text_.begin_passes();
    for_each_live([&](const Operand& of, const std::string& reg) { observe(of.file, reg, Ready); });
    for (int i = 0; constants() && i < woven_constants; ++i) text_.ready(fmt::format("wk{}", i));
    for (int i = 0; gathered() && i < guards; ++i) text_.ready(fmt::format("wr{}", i));
    for (int chain = 0; keeps() && chain < experiment_.ilp; ++chain) text_.ready(keeper(chain));
    if (selects()) text_.ready("wselector");
    if (spread()) {
      line("mov.b32 w_held, w_zero;");
      text_.ready("w_held");
    }
    if (instruction_.opcode == "cvta") prime();
    line("bar.sync 0;");
    text_.open();
    if (experiment_.trips > 1) begin_trips();
    if (spread()) {
      spread_copies();
    } else if (guarded() || gathered()) {
      text_.repeat(fmt::format("N / {}", guards), fmt::format("{} {} {}", copies(0), copies(1), copies(2)));
    } else {
      text_.repeat("N", copies(0));
    }
    if (experiment_.trips > 1) end_trips();
    if (spread()) {
      hold_last();
    } else {
      for_each_result([&](const Operand& of, const std::string& reg) { observe(of.file, reg, Wait); });
    }
    for (int i = 0; gathered() && i < guards; ++i) text_.wait(fmt::format("wr{}", i));
    for (int chain = 0; keeps() && chain < experiment_.ilp; ++chain) text_.wait(keeper(chain));
    text_.close();
    if (spread()) hold_others();
    text_.end_passes();
  }

  void begin_trips() {
    line(".reg .b32 w_trip;");
    line(".reg .pred w_again;");
    line("mov.b32 w_trip, w_zero;");
    line("w_loop:");
    line(".pragma \"nounroll\";");
  }

  void end_trips() {
    if (!link()) renew_sources();
    line("add.u32 w_trip, w_trip, 1;");
    line("setp.ne.u32 w_again, w_trip, {};", experiment_.trips);
    line("@w_again bra.uni w_loop;");
  }

  /// The last copies, which the closing clock waits for. The compiler may have turned their order.
  [[nodiscard]] int held() const { return std::min(8, experiment_.ilp); }

  void spread_copies() {
    for (int copy = 0; copy < spread_->most(); ++copy) {
      const auto reg = [&](std::size_t i, int element) { return name(i, element, copy); };
      std::string text = render(instruction_, reg);
      if (!in_place()) text += ' ' + conversion(instruction_, *link(), reg);
      text_.directive(fmt::format("if N * {} > {}", experiment_.ilp, copy));
      text_.statement(text);
      text_.directive("endif");
    }
  }

  // An integer operation that reads a result would be merged with the one that gave it.
  void hold_last() {
    for (int copy = 0; copy < spread_->most(); ++copy) {
      text_.directive(fmt::format("if N * {0} > {1} && N * {0} <= {2}", experiment_.ilp, copy, copy + held()));
      hold(copy);
      text_.directive("endif");
    }
    text_.wait("w_held");
  }

  // The other results are kept alive behind the closing clock: a sum of floating-point numbers has one order.
  void hold_others() {
    line("cvt.u32.u64 w_v0, w_closed;");
    line("add.rn.f32 w_held, w_held, w_v0;");
    for (int copy = 0; copy + held() < spread_->most(); ++copy) {
      text_.directive(fmt::format("if N * {} > {}", experiment_.ilp, copy + held()));
      hold(copy);
      text_.directive("endif");
    }
    text_.wait("w_held");
  }

  void hold(int copy) {
    for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
      if (!in_register(i) || !operand(i).written) continue;
      for (int element = 0; element < operand(i).elements; ++element) {
        observe(operand(i).file, name(i, element, copy), Hold);
      }
    }
  }

  void renew_sources() {
    for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
      if (in_register(i) && operand(i).read && !operand(i).written && sets(i) == 1) renew(i);
    }
  }

  // What is the same in each trip would be computed once for all of them.
  void renew(std::size_t source) {
    for (int element = 0; element < operand(source).elements; ++element) {
      const std::string reg = name(source, element, 0);
      switch (operand(source).file) {
        case RegisterClass::B16:
          line("{{ .reg .b16 t; cvt.u16.u32 t, w_zero; xor.b16 {0}, {0}, t; }}", reg);
          break;
        case RegisterClass::B64:
          line("{{ .reg .b64 t; cvt.u64.u32 t, w_zero; xor.b64 {0}, {0}, t; }}", reg);
          break;
        case RegisterClass::B32:
          line("xor.b32 {0}, {0}, w_zero;", reg);
          break;
        case RegisterClass::Predicate:
        case RegisterClass::B128:
          break;
      }
    }
  }

  /// One instance before the window: what all of them read of the machine (where shared memory begins) is there.
  void prime() {
    std::string names,
        text = render(instruction_, [&](std::size_t i, int element) {
          return operand(i).written ? fmt::format("wp{}{}", operand(i).name, element) : name(i, element, 0);
        });
    for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
      if (!in_register(i) || !operand(i).written) continue;
      names += fmt::format(".reg .{} wp{}0; ", ptx_type(operand(i).file), operand(i).name);
    }
    line("{}{}", names, text);
    for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
      if (in_register(i) && operand(i).written) observe(operand(i).file, fmt::format("wp{}0", operand(i).name), Ready);
    }
  }

  /// Every register that the window reads first.
  template <class Act>
  void for_each_live(Act act) const {
    for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
      const bool kept = operand(i).written && (guarded() || is_wider_result(i));
      if (!in_register(i) || !(operand(i).read || kept)) continue;
      for (int chain = 0; chain < sets(i); ++chain) {
        for (int element = 0; element < operand(i).elements; ++element) act(operand(i), name(i, element, chain));
      }
    }
  }

  /// Every register that a copy of this chain writes.
  template <class Act>
  void for_each_result_of(int chain, Act act) const {
    for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
      if (!in_register(i) || !operand(i).written) continue;
      for (int element = 0; element < operand(i).elements; ++element) act(operand(i), name(i, element, chain));
    }
  }

  /// Every register that the window wrote last.
  template <class Act>
  void for_each_result(Act act) const {
    for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
      const bool converted = link() && link()->to == i && !in_place();
      if (!in_register(i) || !(operand(i).written || converted)) continue;
      for (int chain = 0; chain < experiment_.ilp; ++chain) {
        for (int element = 0; element < operand(i).elements; ++element) act(operand(i), name(i, element, chain));
      }
    }
  }

  /// Operands come out of volatile loads inside the window and go into volatile stores, and neither can leave it.
  /// Nobody runs this kernel.
  void isolated() {
    line(".shared .align 16 .b8 wshared[{}];", most_threads * 16);
    line(".reg .b32 w_slot;");
    line("mov.b32 w_slot, wshared;");
    line("mad.lo.u32 w_slot, w_tid, 16, w_slot;");
    text_.ready("w_slot");
    text_.open();
    const auto each = [&](bool Operand::*role, auto act) {
      for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
        if (!in_register(i) || !(operand(i).*role)) continue;
        for (int element = 0; element < operand(i).elements; ++element) act(operand(i).file, name(i, element, 0));
      }
    };
    each(&Operand::read, [&](RegisterClass file, const std::string& reg) { load(file, reg); });
    line("{}", copies(0));
    each(&Operand::written, [&](RegisterClass file, const std::string& reg) { store(file, reg); });
    text_.close();
  }

  void load(RegisterClass file, const std::string& reg) {
    if (file == RegisterClass::Predicate) {
      line("{{ .reg .b32 v; ld.volatile.shared.b32 v, [w_slot]; setp.ne.b32 {}, v, 0; }}", reg);
    } else if (file == RegisterClass::B16 && instruction_.kind == "convert") {
      // The compiler would know that what stands beside a loaded half is zero, and extend it for nothing.
      line("{{ .reg .b32 v; .reg .b16 h; ld.volatile.shared.b32 v, [w_slot]; mov.b32 {{{}, h}}, v; }}", reg);
    } else if (file == RegisterClass::B128) {
      line("{{ .reg .b64 l, h; ld.volatile.shared.v2.b64 {{l, h}}, [w_slot]; mov.b128 {}, {{l, h}}; }}", reg);
    } else {
      line("ld.volatile.shared.{} {}, [w_slot];", ptx_type(file), reg);
    }
  }

  void store(RegisterClass file, const std::string& reg) {
    if (file == RegisterClass::Predicate) {
      line("@{} st.volatile.shared.b32 [w_slot], w_slot;", reg);
    } else if (file == RegisterClass::B128) {
      line("{{ .reg .b64 l, h; mov.b128 {{l, h}}, {}; st.volatile.shared.v2.b64 [w_slot], {{l, h}}; }}", reg);
    } else {
      line("st.volatile.shared.{} [w_slot], {};", ptx_type(file), reg);
    }
  }

  /// What a kernel does with a register so that it must be there: before the window, before its end, or behind it.
  enum Act : std::uint8_t { Ready, Wait, Hold };

  void act(Act how, std::string_view reg, int bits = 32) {
    if (how == Ready) return text_.ready(reg, bits);
    if (how == Wait) return text_.wait(reg, bits);
    if (bits == 32) return line("add.rn.f32 w_held, w_held, {};", reg);
    line("{{ .reg .b32 l, h; mov.b64 {{l, h}}, {}; add.rn.f32 w_held, w_held, h; add.rn.f32 w_held, w_held, l; }}",
         reg);
  }

  void observe(RegisterClass file, const std::string& reg, Act how) {
    switch (file) {
      case RegisterClass::Predicate:
        line("selp.b32 w_v0, 1, 0, {};", reg);
        return act(how, "w_v0");
      case RegisterClass::B16:
        if (how == Hold) {  // a copy in both halves would be merged with what packs halves
          line("cvt.f32.f16 w_v0, {};", reg);
        } else {
          line("mov.b32 w_v0, {{{0}, {0}}};", reg);
        }
        return act(how, "w_v0");
      case RegisterClass::B32:
        return act(how, reg);
      case RegisterClass::B64:
        return act(how, reg, 64);
      case RegisterClass::B128:
        line("{{ .reg .b64 low, high; mov.b128 {{low, high}}, {};", reg);
        act(how, "low", 64);
        act(how, "high", 64);
        return line("}}");
    }
  }

  void read_places() {
    for (const std::string& place : read_behind_) {
      line("ld.local.b32 w_v0, [{}];", place);
      text_.wait("w_v0");
    }
  }

  const PtxInstruction& instruction_;
  const Experiment& experiment_;
  std::optional<SpreadCopies> spread_;
  KernelText text_;
  std::vector<std::string> read_behind_;
  std::vector<std::size_t> kept_;
  int places_ = 0;
};

}  // namespace

std::string kernel_source(const PtxInstruction& instruction, const Experiment& experiment) {
  return Writer(instruction, experiment).write();
}

}  // namespace warpclock
