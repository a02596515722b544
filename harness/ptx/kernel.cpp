#include "ptx/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "ptx/conversion.hpp"
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
      text_ += readers_;
    }
    std::string text = "#include \"probe.cuh\"\n";
    text += globals_ + "PROBE {\n  Window window;\n" + text_ + "  window.report(args);\n}\n";
    return text;
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
    text_ += fmt::format("{:{}}", "", indent_) + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  void statement(const std::string& ptx) { line("asm volatile(\"{}\");", quoted(ptx)); }

  static std::string quoted(std::string_view ptx) {
    std::string text;
    for (const char c : ptx) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    // The kernel's own parameter, whose name only the preprocessor knows, where it reads nothing itself.
    for (std::size_t at = 0; (at = text.find(parameter_symbol, at)) != std::string::npos;) {
      text.replace(at, parameter_symbol.size(), "\" WARPCLOCK_TEXT(KERNEL) \"_param_0+16");
    }
    return text;
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
      statement(fmt::format(".reg .{} {};", ptx_type(operand(i).file), names));
    }
  }

  /// A word of random bits, each time another one.
  std::string random_word() { return fmt::format("input(args, {})", input_++); }

  static std::string masked(const std::string& word, std::uint32_t keep, std::uint32_t set) {
    // args.zero, because the compiler would know what `& 0` gives.
    const std::string kept =
        keep == 0 ? fmt::format("({} & args.zero)", word) : fmt::format("({} & {:#x}u)", word, keep);
    return set == 0 ? kept : fmt::format("({} | {:#x}u)", kept, set);
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
      return statement(fmt::format("createpolicy.fractional.L2::evict_normal.b64 {}, 1.0;", reg));
    }
    const ValueMask mask = value_mask(of.type, of.file, of.value);
    const auto word = [&](int half) {
      if (mask.lane) return std::string("lane()");
      return masked(random_word(), static_cast<std::uint32_t>(mask.keep >> (32 * half)),
                    static_cast<std::uint32_t>(mask.set >> (32 * half)));
    };
    switch (of.file) {
      case RegisterClass::Predicate:
        line("asm volatile(\"setp.ne.u32 {}, %0, %1;\" ::\"r\"({} & 1u), \"r\"(args.zero));", reg, random_word());
        return;
      case RegisterClass::B16:
        line("asm volatile(\"cvt.u16.u32 {}, %0;\" ::\"r\"({}));", reg, word(0));
        return;
      case RegisterClass::B32:
        line("asm volatile(\"mov.b32 {}, %0;\" ::\"r\"({}));", reg, word(0));
        return;
      case RegisterClass::B64:
        line("asm volatile(\"mov.b64 {}, {{%0, %1}};\" ::\"r\"({}), \"r\"({}));", reg, word(0), word(1));
        return;
      case RegisterClass::B128:
        line(
            "asm volatile(\"{{ .reg .b64 l, h; mov.b64 l, {{%0, %1}}; mov.b64 h, {{%2, %3}}; mov.b128 {}, {{l, h}}; "
            "}}\""
            " ::\"r\"({}), \"r\"({}), \"r\"({}), \"r\"({}));",
            reg, word(0), word(1), word(0), word(1));
        return;
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
    if (shared) {
      line("__shared__ alignas(128) char wshared_{}[{}];", of.name, most_threads * stride + of.before + of.behind);
      line("u64 {} = shared_address(wshared_{}) + threadIdx.x * {}u;", place, of.name, stride);
    } else if (of.space == "local") {
      // Large, at a place that nobody knows and read behind the window, or it would live in registers.
      statement(fmt::format(".local .align 16 .b8 wlocal_{}[{}];", of.name, local_bytes + of.before + of.behind));
      line("u64 {}; asm volatile(\"mov.b64 %0, wlocal_{};\" : \"=l\"({}));", place, of.name, place);
      line("{} += {};", place, masked(random_word(), 0, 0));
      readers_ += fmt::format(
          "  {{ u32 v; asm volatile(\"ld.local.b32 %0, [%1];\" : \"=r\"(v) : \"l\"({}) : \"memory\"); window.wait(v); "
          "}}\n",
          place);
    } else if (of.space == "const") {
      globals_ += fmt::format("__constant__ u64 wconst_{}[{}];\n", of.name, 16 + (of.before + of.behind) / 8);
      line(
          "u64 {0}; asm volatile(\"cvta.to.const.u64 %0, %1;\" : \"=l\"({0}) : "
          "\"l\"(reinterpret_cast<u64>(wconst_{1})));",
          place, of.name);
    } else {
      line("u64 {} = reinterpret_cast<u64>(args.data) + {} + threadIdx.x * {}u;", place,
           places_++ * place_bytes + first_address, stride);
    }
    if (of.before > 0) line("{} += {};", place, of.before);
    if (of.space != "const")
      fill(of, place, stride, follows(i), shared ? "shared" : of.space == "local" ? "local" : "global");
    if (barrier) {
      line("asm volatile(\"mbarrier.init.shared.b64 [%0], %1;\" ::\"r\"(static_cast<u32>({})), \"r\"(1u << 19));",
           place);
    }
    if (of.file == RegisterClass::B32) {
      line("asm volatile(\"mov.b32 {}, %0;\" ::\"r\"(static_cast<u32>({})));", reg, place);
    } else {
      line("asm volatile(\"mov.b64 {}, %0;\" ::\"l\"({}));", reg, place);
    }
    for (int chain = 1; chain < experiment_.ilp && own(i); ++chain) {
      statement(fmt::format("mov.{} {}, {};", ptx_type(of.file), name(i, 0, chain), reg));
    }
  }

  void fill(const Operand& of, const std::string& place, std::int64_t stride, bool follow, std::string_view space) {
    const std::string at =
        space == "shared" ? fmt::format("\"r\"(static_cast<u32>({}))", place) : fmt::format("\"l\"({})", place);
    for (std::int64_t byte = 0; byte < stride; byte += 4) {
      const bool pointer = follow && byte < std::min<std::int64_t>(of.access_bytes, 8);
      const std::string value = pointer ? fmt::format("static_cast<u32>({} >> {})", place, byte * 8) : "args.zero";
      line("asm volatile(\"st.{}{}.b32 [%0+{}], %1;\" ::{}, \"r\"({}) : \"memory\");",
           space == "local" ? "" : "volatile.", space, byte, at, value);
    }
  }

  /// Whether the loaded value itself is the next address.
  [[nodiscard]] bool follows(std::size_t i) const { return link() && link()->to == i && chases(instruction_, *link()); }

  // Three, because neighbours under one predicate would share a branch, and copies of a chain would be merged: one, two
  // or four chains meet each of three in turn.
  void guard() {
    for (int i = 0; i < guards; ++i) {
      statement(fmt::format(".reg .pred wg{};", i));
      // True, and nobody knows: no input is this number.
      line("asm volatile(\"setp.ne.u32 wg{}, %0, 0x9e3779b9;\" ::\"r\"({}));", i, random_word());
    }
  }

  void gather() {
    for (int i = 0; i < guards; ++i) {
      statement(fmt::format(".reg .b32 wr{};", i));
      line("asm volatile(\"mov.b32 wr{}, %0;\" ::\"r\"({}));", i, random_word());
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
    statement(".reg .b32 wselector;");
    line("asm volatile(\"mov.b32 wselector, %0;\" ::\"r\"(args.zero | 0x3210u));");
  }

  // The other operands of what is woven in.
  void thread() {
    for (int i = 0; i < woven_constants; ++i) {
      statement(fmt::format(".reg .b32 wk{};", i));
      line("asm volatile(\"mov.b32 wk{}, %0;\" ::\"r\"({}));", i, masked(random_word(), 0x007fffff, 0x3f800000));
    }
  }

  [[nodiscard]] static std::string keeper(int chain) { return fmt::format("wh{}", chain); }

  // One for each chain: what a copy makes goes into it and stays there.
  void keepers() {
    for (int chain = 0; chain < experiment_.ilp; ++chain) {
      statement(fmt::format(".reg .b32 {};", keeper(chain)));
      line("asm volatile(\"mov.b32 {}, %0;\" ::\"r\"({}));", keeper(chain), random_word());
    }
  }

  /// What a variable's address is taken of, or what is read at a fixed place.
  void variable(const Operand& of) {
    if (of.space == "param") {
      // Twice the same in one unit is allowed.
      globals_ = "#define WARPCLOCK_TEXT_(x) #x\n#define WARPCLOCK_TEXT(x) WARPCLOCK_TEXT_(x)\n";
      return;
    }
    statement(fmt::format(".{} .align 128 .b8 {}[{}];", of.space, of.immediate, variable_bytes));
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
    // Kept in registers: what is read of the arguments inside the loop may still be under way in the window.
    line("u32 zero = args.zero, passes = args.passes;");
    line("asm volatile(\"\" : \"+r\"(zero), \"+r\"(passes));");
    line("_Pragma(\"unroll 1\") for (u32 pass = 0; pass < passes; pass = window.next(pass, zero)) {{");
    indent_ = 4;
    line("window.ready(zero + passes);");
    for_each_live([&](const Operand& of, const std::string& reg) { observe(of.file, reg, "ready"); });
    for (int i = 0; constants() && i < woven_constants; ++i) {
      observe(RegisterClass::B32, fmt::format("wk{}", i), "ready");
    }
    for (int i = 0; gathered() && i < guards; ++i) observe(RegisterClass::B32, fmt::format("wr{}", i), "ready");
    for (int chain = 0; keeps() && chain < experiment_.ilp; ++chain) {
      observe(RegisterClass::B32, keeper(chain), "ready");
    }
    if (selects()) observe(RegisterClass::B32, "wselector", "ready");
    if (spread()) line("float held = __uint_as_float(zero); window.ready(held);");
    if (instruction_.opcode == "cvta") prime();
    line("__syncthreads();");
    line("window.open();");
    if (experiment_.trips > 1) {
      line("_Pragma(\"unroll 1\") for (u32 trip = 0; trip < {}; ++trip) {{", experiment_.trips);
      indent_ = 6;
    }
    if (spread()) {
      spread_copies();
    } else if (guarded() || gathered()) {
      line("UNROLL for (int i = 0; i < N / {}; ++i)", guards);
      line("  asm volatile(\"{} {} {}\");", quoted(copies(0)), quoted(copies(1)), quoted(copies(2)));
    } else {
      line("UNROLL for (int i = 0; i < N; ++i)");
      line("  asm volatile(\"{}\");", quoted(copies(0)));
    }
    if (experiment_.trips > 1 && !link()) renew_sources();
    indent_ = 4;
    if (experiment_.trips > 1) line("}}");
    if (spread()) {
      hold_last();
    } else {
      for_each_result([&](const Operand& of, const std::string& reg) { observe(of.file, reg, "wait"); });
    }
    for (int i = 0; gathered() && i < guards; ++i) observe(RegisterClass::B32, fmt::format("wr{}", i), "wait");
    for (int chain = 0; keeps() && chain < experiment_.ilp; ++chain) {
      observe(RegisterClass::B32, keeper(chain), "wait");
    }
    line("window.close();");
    if (spread()) hold_others();
    indent_ = 2;
    line("}}");
  }

  /// The last copies, which the closing clock waits for. The compiler may have turned their order.
  [[nodiscard]] int held() const { return std::min(8, experiment_.ilp); }

  // Each in the lines of the file, and not of an unrolled loop, because registers are named in the text.
  void spread_copies() {
    for (int copy = 0; copy < spread_->most(); ++copy) {
      const auto reg = [&](std::size_t i, int element) { return name(i, element, copy); };
      std::string text = render(instruction_, reg);
      if (!in_place()) text += ' ' + conversion(instruction_, *link(), reg);
      text_ += fmt::format("#if N * {} > {}\n", experiment_.ilp, copy);
      statement(text);
      text_ += "#endif\n";
    }
  }

  // An integer operation that reads a result would be merged with the one that gave it.
  void hold_last() {
    for (int copy = 0; copy < spread_->most(); ++copy) {
      text_ += fmt::format("#if N * {0} > {1} && N * {0} <= {2}\n", experiment_.ilp, copy, copy + held());
      hold(copy);
      text_ += "#endif\n";
    }
    line("window.wait(held);");
  }

  // The other results are kept alive behind the closing clock: a sum of floating-point numbers has one order.
  void hold_others() {
    line("hold(held, static_cast<u32>(window.closed));");
    for (int copy = 0; copy + held() < spread_->most(); ++copy) {
      text_ += fmt::format("#if N * {} > {}\n", experiment_.ilp, copy + held());
      hold(copy);
      text_ += "#endif\n";
    }
    line("window.wait(held);");
  }

  void hold(int copy) {
    for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
      if (!in_register(i) || !operand(i).written) continue;
      for (int element = 0; element < operand(i).elements; ++element) {
        observe(operand(i).file, name(i, element, copy), "hold");
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
          line("asm volatile(\"{{ .reg .b16 t; cvt.u16.u32 t, %0; xor.b16 {0}, {0}, t; }}\" ::\"r\"(zero));", reg);
          break;
        case RegisterClass::B64:
          line("asm volatile(\"{{ .reg .b64 t; cvt.u64.u32 t, %0; xor.b64 {0}, {0}, t; }}\" ::\"r\"(zero));", reg);
          break;
        case RegisterClass::B32:
          line("asm volatile(\"xor.b32 {0}, {0}, %0;\" ::\"r\"(zero));", reg);
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
    statement(names + text);
    for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
      if (in_register(i) && operand(i).written)
        observe(operand(i).file, fmt::format("wp{}0", operand(i).name), "ready");
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
    line("__shared__ alignas(16) char wshared[{}];", most_threads * 16);
    line("u32 place = shared_address(wshared) + threadIdx.x * 16;");
    line("window.ready(place);");
    line("window.open();");
    const auto each = [&](bool Operand::*role, auto act) {
      for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
        if (!in_register(i) || !(operand(i).*role)) continue;
        for (int element = 0; element < operand(i).elements; ++element) act(operand(i).file, name(i, element, 0));
      }
    };
    each(&Operand::read, [&](RegisterClass file, const std::string& reg) { load(file, reg); });
    statement(copies(0));
    each(&Operand::written, [&](RegisterClass file, const std::string& reg) { store(file, reg); });
    line("window.close();");
  }

  void load(RegisterClass file, const std::string& reg) {
    if (file == RegisterClass::Predicate) {
      line("asm volatile(\"{{ .reg .b32 v; ld.volatile.shared.b32 v, [%0]; setp.ne.b32 {}, v, 0; }}\" ::\"r\"(place));",
           reg);
    } else if (file == RegisterClass::B16 && instruction_.kind == "convert") {
      // The compiler would know that what stands beside a loaded half is zero, and extend it for nothing.
      line(
          "asm volatile(\"{{ .reg .b32 v; .reg .b16 h; ld.volatile.shared.b32 v, [%0]; mov.b32 {{{}, h}}, v; }}\" "
          "::\"r\"(place));",
          reg);
    } else if (file == RegisterClass::B128) {
      line(
          "asm volatile(\"{{ .reg .b64 l, h; ld.volatile.shared.v2.b64 {{l, h}}, [%0]; mov.b128 {}, {{l, h}}; }}\" "
          "::\"r\"(place));",
          reg);
    } else {
      line("asm volatile(\"ld.volatile.shared.{} {}, [%0];\" ::\"r\"(place));", ptx_type(file), reg);
    }
  }

  void store(RegisterClass file, const std::string& reg) {
    if (file == RegisterClass::Predicate) {
      line("asm volatile(\"@{} st.volatile.shared.b32 [%0], %0;\" ::\"r\"(place));", reg);
    } else if (file == RegisterClass::B128) {
      line(
          "asm volatile(\"{{ .reg .b64 l, h; mov.b128 {{l, h}}, {}; st.volatile.shared.v2.b64 [%0], {{l, h}}; }}\" "
          "::\"r\"(place));",
          reg);
    } else {
      line("asm volatile(\"st.volatile.shared.{} [%0], {};\" ::\"r\"(place));", ptx_type(file), reg);
    }
  }

  void observe(RegisterClass file, const std::string& reg, std::string_view how) {
    const std::string act = how == "hold" ? "hold(held, " : fmt::format("window.{}(", how);
    switch (file) {
      case RegisterClass::Predicate:
        line("{{ u32 v; asm volatile(\"selp.b32 %0, 1, 0, {};\" : \"=r\"(v)); {}v); }}", reg, act);
        return;
      case RegisterClass::B16:
        if (how == "hold") {  // a copy in both halves would be merged with what packs halves
          line("{{ float v; asm volatile(\"cvt.f32.f16 %0, {};\" : \"=f\"(v)); {}__float_as_uint(v)); }}", reg, act);
          return;
        }
        line("{{ u32 v; asm volatile(\"mov.b32 %0, {{{0}, {0}}};\" : \"=r\"(v)); {1}v); }}", reg, act);
        return;
      case RegisterClass::B32:
        line("{{ u32 v; asm volatile(\"mov.b32 %0, {};\" : \"=r\"(v)); {}v); }}", reg, act);
        return;
      case RegisterClass::B64:
        line("{{ u64 v; asm volatile(\"mov.b64 %0, {};\" : \"=l\"(v)); {}v); }}", reg, act);
        return;
      case RegisterClass::B128:
        line(
            "{{ u64 l, h; asm volatile(\"mov.b128 {{%0, %1}}, {0};\" : \"=l\"(l), \"=l\"(h)); {1}l); "
            "{1}h); }}",
            reg, act);
        return;
    }
  }

  const PtxInstruction& instruction_;
  const Experiment& experiment_;
  std::optional<SpreadCopies> spread_;
  std::string globals_, text_, readers_;
  std::vector<std::size_t> kept_;
  int indent_ = 2;
  int input_ = 0;
  int places_ = 0;
};

}  // namespace

std::string kernel_source(const PtxInstruction& instruction, const Experiment& experiment) {
  return Writer(instruction, experiment).write();
}

}  // namespace warpclock
