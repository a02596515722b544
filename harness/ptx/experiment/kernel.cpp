#include "ptx/experiment/kernel.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "ptx/experiment/conversion.hpp"
#include "ptx/experiment/frame.hpp"
#include "ptx/experiment/values.hpp"

namespace warpclock {
namespace {

constexpr int most_threads = 1024;
constexpr int variable_bytes = 1024;
constexpr std::int64_t local_bytes = 256;
constexpr std::int64_t place_bytes = 1 << 17;    // for each address operand
constexpr std::int64_t first_address = 1 << 19;  // after the words that are read as inputs

/// Writes one kernel. Registers of operands are named w<operand><element>_<chain>; those shared by all chains belong to
/// chain 0.
class Writer {
 public:
  Writer(const PtxInstruction& instruction, const Experiment& experiment, std::int64_t n)
      : instruction_(instruction), experiment_(experiment), n_(static_cast<int>(n)) {}

  std::string write() {
    declare();
    if (experiment_.question == Question::Isolated) {
      isolated();
    } else {
      for (std::size_t i = 0; i < instruction_.operands.size(); ++i) initialise(i);
      if (experiment_.composed) {
        for (std::size_t i = 0; i < instruction_.operands.size(); ++i) settle(i);
        room();
      } else {
        timed();
      }
      for (const std::string& place : read_behind_) {
        const std::string word = frame_.new_word();
        frame_.line("ld.local.b32 {}, [{}];", word, place);
        frame_.observe(Waits::Last, word);
      }
    }
    frame_.report();
    return frame_.kernel(globals_);
  }

 private:
  [[nodiscard]] const Operand& operand(std::size_t i) const { return instruction_.operands[i]; }
  [[nodiscard]] bool in_register(std::size_t i) const { return operand(i).immediate.empty(); }

  [[nodiscard]] const Link* link() const { return experiment_.links.empty() ? nullptr : &experiment_.links.front(); }
  [[nodiscard]] bool in_place() const { return warpclock::in_place(instruction_, experiment_); }

  /// Whether every chain has its own registers for this operand.
  [[nodiscard]] bool own(std::size_t i) const { return operand(i).written || (link() && link()->to == i); }

  [[nodiscard]] bool carried(std::size_t i) const { return operand(i).written && operand(i).read; }
  /// The number of register sets of the operand.
  [[nodiscard]] int sets(std::size_t i) const { return own(i) ? experiment_.ilp : 1; }

  /// For a direct link, result and source are the same registers.
  [[nodiscard]] std::string name(std::size_t i, int element, int chain) const {
    if (in_place() && link()->to == i) i = link()->from;
    if (!own(i)) chain = 0;
    return fmt::format("w{}{}_{}", operand(i).name, element, chain);
  }

  /// Writes statements of the instruction itself.
  void statement(std::string ptx) {
    // Parameters are read from the kernel's own one, at bytes that the kernel itself does not use.
    for (std::size_t at = 0; (at = ptx.find(parameter_symbol, at)) != std::string::npos;) {
      ptx.replace(at, parameter_symbol.size(), kernel_parameter() + "+16");
    }
    frame_.line("{}", ptx);
  }

  void declare() {
    for (const Operand& of : instruction_.operands) {
      // Variables whose address is taken, or that are read at a fixed position.
      if (of.symbol.empty() || of.space == "param") continue;
      frame_.line(".{} .align 128 .b8 {}[{}];", of.space, of.immediate, variable_bytes);
    }
    for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
      if (!in_register(i)) continue;
      std::string names;
      for (int chain = 0; chain < sets(i); ++chain) {
        for (int element = 0; element < operand(i).elements; ++element) {
          // Named after their own operand even if a link shares registers, because unused registers cost nothing.
          names += fmt::format("{}w{}{}_{}", names.empty() ? "" : ", ", operand(i).name, element, chain);
        }
      }
      frame_.line(".reg .{} {};", ptx_type(operand(i).file), names);
    }
  }

  /// Random bits: those in `keep` are kept, those in `set` are ones, and the others are zeros unknown to the compiler.
  std::string masked(std::uint32_t keep, std::uint32_t set) {
    std::string word = frame_.input();
    if (keep == 0) {
      frame_.line("and.b32 {0}, {0}, {1};", word, Frame::zero);
    } else if (keep != ~std::uint32_t{0}) {
      frame_.line("and.b32 {0}, {0}, {1:#x};", word, keep);
    }
    if (set != 0) frame_.line("or.b32 {0}, {0}, {1:#x};", word, set);
    return word;
  }

  void initialise(std::size_t i) {
    if (!in_register(i)) return;
    if (operand(i).address) return address(i);
    const bool linked = (link() && link()->to == i) || carried(i);
    for (int chain = 0; chain < (linked ? sets(i) : 1); ++chain) {
      for (int element = 0; element < operand(i).elements; ++element) {
        if (operand(i).read || is_wider_result(i)) set(i, name(i, element, chain));
      }
    }
  }

  /// Whether the result's registers are also a narrower source, so that the remaining registers need a value.
  [[nodiscard]] bool is_wider_result(std::size_t i) const {
    return in_place() && link()->from == i && operand(link()->to).elements < operand(i).elements;
  }

  void set(std::size_t i, const std::string& reg) {
    const Operand& of = operand(i);
    if (of.name == "cache_policy" || of.type == "policy") {
      return frame_.line("createpolicy.fractional.L2::evict_normal.b64 {}, 1.0;", reg);
    }
    const ValueMask mask = value_mask(of.type, of.file, of.value);
    const auto word = [&](int half) {
      if (!mask.lane) {
        return masked(static_cast<std::uint32_t>(mask.keep >> (32 * half)),
                      static_cast<std::uint32_t>(mask.set >> (32 * half)));
      }
      std::string lane = frame_.new_word();
      frame_.line("and.b32 {}, {}, 31;", lane, Frame::thread);
      return lane;
    };
    switch (of.file) {
      case RegisterClass::Predicate: {
        const std::string bit = frame_.input();
        frame_.line("and.b32 {0}, {0}, 1;", bit);
        return frame_.line("setp.ne.u32 {}, {}, {};", reg, bit, Frame::zero);
      }
      case RegisterClass::B16:
        return frame_.line("cvt.u16.u32 {}, {};", reg, word(0));
      case RegisterClass::B32:
        return frame_.line("mov.b32 {}, {};", reg, word(0));
      case RegisterClass::B64:
        return set_pair(reg, word(0), word(1));
      case RegisterClass::B128: {
        const std::string low = frame_.new_pair(), high = frame_.new_pair();
        set_pair(low, word(0), word(1));
        set_pair(high, word(0), word(1));
        return frame_.line("mov.b128 {}, {{{}, {}}};", reg, low, high);
      }
    }
  }

  void set_pair(const std::string& pair, const std::string& low, const std::string& high) {
    frame_.line("mov.b64 {}, {{{}, {}}};", pair, low, high);
  }

  /// Each thread has its own place, next to its neighbour's, except for constants, which one warp instruction reads at
  /// a single address. The place holds the thread's own address if loads follow it, else zero.
  void address(std::size_t i) {
    const Operand& of = operand(i);
    const std::string reg = name(i, 0, 0);
    const bool rows = instruction_.kind.starts_with("matrix-");
    const bool barrier = instruction_.mnemonic.contains("mbarrier");
    const std::int64_t stride = std::max<std::int64_t>(of.access_bytes, rows ? 16 : barrier ? 8 : 4);
    const bool shared = of.space.starts_with("shared");
    const std::string place = shared                ? shared_place(of, stride)
                              : of.space == "local" ? local_place(of)
                              : of.space == "const" ? constant_place(of)
                                                    : global_place(stride);
    if (of.before > 0) frame_.line("add.{0} {1}, {1}, {2};", shared ? "u32" : "s64", place, of.before);
    if (of.space != "const") {
      fill(of, place, stride, follows(i), shared ? "shared" : of.space == "local" ? "local" : "global");
    }
    if (barrier) {
      const std::string count = frame_.new_word();
      frame_.line("mov.u32 {}, {};", count, 1 << 19);
      frame_.line("mbarrier.init.shared.b64 [{}], {};", place, count);
    }
    // For ptxas this is another number. If a chain overwrote the register that the stores use, it would wait for the
    // stores inside the window.
    if (shared) frame_.line("add.u32 {0}, {0}, {1};", place, Frame::zero);
    const bool narrow = of.file == RegisterClass::B32;
    if (narrow == shared) {
      frame_.line("mov.{} {}, {};", ptx_type(of.file), reg, place);
    } else {
      frame_.line("cvt.{} {}, {};", narrow ? "u32.u64" : "u64.u32", reg, place);
    }
    for (int chain = 1; chain < experiment_.ilp && own(i); ++chain) {
      frame_.line("mov.{} {}, {};", ptx_type(of.file), name(i, 0, chain), reg);
    }
  }

  /// The address is in a 32-bit register, unlike those of other spaces.
  std::string shared_place(const Operand& of, std::int64_t stride) {
    frame_.line(".shared .align 128 .b8 wshared_{}[{}];", of.name, most_threads * stride + of.before + of.behind);
    std::string place = frame_.new_word();
    frame_.line("mov.u32 {}, wshared_{};", place, of.name);
    frame_.line("mad.lo.u32 {0}, {1}, {2}, {0};", place, Frame::thread, stride);
    return place;
  }

  // It is large, accessed at an unknown position, and read after the window; otherwise it would be kept in registers.
  std::string local_place(const Operand& of) {
    frame_.line(".local .align 16 .b8 wlocal_{}[{}];", of.name, local_bytes + of.before + of.behind);
    std::string place = frame_.new_pair();
    const std::string unknown = frame_.new_pair();
    frame_.line("mov.b64 {}, wlocal_{};", place, of.name);
    frame_.line("cvt.u64.u32 {}, {};", unknown, masked(0, 0));
    frame_.line("add.s64 {0}, {0}, {1};", place, unknown);
    read_behind_.push_back(place);
    return place;
  }

  std::string constant_place(const Operand& of) {
    const std::string variable = fmt::format("{}_wconst_{}", kernel_mark, of.name);
    globals_ += fmt::format(".const .align 8 .b8 {}[{}];\n", variable, 128 + of.before + of.behind);
    std::string place = frame_.new_pair();
    frame_.line("mov.u64 {}, {};", place, variable);
    // Converted there and back so that the compiler no longer knows the address.
    frame_.line("cvta.const.u64 {0}, {0};", place);
    frame_.line("cvta.to.const.u64 {0}, {0};", place);
    return place;
  }

  std::string global_place(std::int64_t stride) {
    std::string place = frame_.argument_at(argument::data);
    const std::string own_place = frame_.new_pair();
    frame_.line("mul.wide.u32 {}, {}, {};", own_place, Frame::thread, stride);
    frame_.line("add.s64 {0}, {0}, {1};", place, own_place);
    frame_.line("add.s64 {0}, {0}, {1};", place, places_++ * place_bytes + first_address);
    frame_.line("add.s64 {0}, {0}, {1};", place, frame_.argument_at(argument::at));
    return place;
  }

  void fill(const Operand& of, const std::string& place, std::int64_t stride, bool follow, std::string_view space) {
    std::string halves[2] = {place, std::string(Frame::zero)};
    if (follow && space != "shared") {
      for (std::string& half : halves) half = frame_.new_word();
      frame_.line("mov.b64 {{{}, {}}}, {};", halves[0], halves[1], place);
    }
    for (std::int64_t byte = 0; byte < stride; byte += 4) {
      const bool pointer = follow && byte < std::min<std::int64_t>(of.access_bytes, 8);
      frame_.line("st{}.{}.b32 [{}+{}], {};", space == "local" ? "" : ".volatile", space, place, byte,
                  pointer ? std::string_view(halves[byte / 4]) : Frame::zero);
    }
  }

  /// Whether the loaded value itself is the next address.
  [[nodiscard]] bool follows(std::size_t i) const { return link() && link()->to == i && chases(instruction_, *link()); }

  [[nodiscard]] std::string copies() const {
    std::string text;
    for (int chain = 0; chain < experiment_.ilp; ++chain) {
      const auto reg = [&](std::size_t i, int element) { return name(i, element, chain); };
      if (!text.empty()) text += ' ';
      text += render(instruction_, reg);
      if (link() && !in_place()) text += ' ' + conversion(instruction_, *link(), reg);
    }
    return text;
  }

  void timed() {
    frame_.begin_passes();
    for_each_live([&](const Operand& of, const std::string& reg) { observe(of.file, reg, Waits::First); });
    if (instruction_.opcode == "cvta") prime();
    frame_.line("bar.sync 0;");
    frame_.open();
    if (experiment_.trips > 1) frame_.begin_trips();
    for (int copy = 0; copy < n_; ++copy) statement(copies());
    if (experiment_.trips > 1 && !link()) renew_sources();
    if (experiment_.trips > 1) frame_.end_trips(experiment_.trips);
    for_each_result([&](const Operand& of, const std::string& reg) { observe(of.file, reg, Waits::Last); });
    frame_.close();
    frame_.end_passes();
  }

  void renew_sources() {
    for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
      if (in_register(i) && operand(i).read && !operand(i).written && sets(i) == 1) renew(i);
    }
  }

  // Without this, an operand that is the same in each trip would let the compiler compute its part once for all trips.
  void renew(std::size_t source) {
    for (int element = 0; element < operand(source).elements; ++element) {
      const std::string reg = name(source, element, 0);
      switch (operand(source).file) {
        case RegisterClass::B16:
          frame_.line("{{ .reg .b16 t; cvt.u16.u32 t, {1}; xor.b16 {0}, {0}, t; }}", reg, Frame::zero);
          break;
        case RegisterClass::B64:
          frame_.line("{{ .reg .b64 t; cvt.u64.u32 t, {1}; xor.b64 {0}, {0}, t; }}", reg, Frame::zero);
          break;
        case RegisterClass::B32:
          frame_.line("xor.b32 {0}, {0}, {1};", reg, Frame::zero);
          break;
        case RegisterClass::Predicate:
        case RegisterClass::B128:
          break;
      }
    }
  }

  /// One instance before the window, so that the machine state that all instances read (where shared memory begins) is
  /// already loaded.
  void prime() {
    const auto result = [&](std::size_t i, int element) { return fmt::format("wp{}{}", operand(i).name, element); };
    for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
      if (in_register(i) && operand(i).written) frame_.line(".reg .{} {};", ptx_type(operand(i).file), result(i, 0));
    }
    statement(render(instruction_, [&](std::size_t i, int element) {
      return operand(i).written ? result(i, element) : name(i, element, 0);
    }));
    for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
      if (in_register(i) && operand(i).written) observe(operand(i).file, result(i, 0), Waits::First);
    }
  }

  /// Every register that the window reads before it writes it.
  template <class Act>
  void for_each_live(Act act) const {
    for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
      const bool kept = operand(i).written && is_wider_result(i);
      if (!in_register(i) || !(operand(i).read || kept)) continue;
      for (int chain = 0; chain < sets(i); ++chain) {
        for (int element = 0; element < operand(i).elements; ++element) act(operand(i), name(i, element, chain));
      }
    }
  }

  /// The registers with the last values that the window wrote.
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

  /// Reads an operand from memory, so that it is in registers of its own, and its elements are side by side.
  void settle(std::size_t i) {
    if (!in_register(i) || !operand(i).read || operand(i).file == RegisterClass::Predicate) return;
    const Operand& of = operand(i);
    if (place_.empty()) place_ = thread_place();
    if (of.file == RegisterClass::B128) {
      store(of.file, name(i, 0, 0), place_);
      return load(of.file, name(i, 0, 0), place_);
    }
    constexpr int most_bytes = 16;
    const int bytes = bits(of.file) / 8;
    for (int first = 0; first < of.elements;) {
      int count = of.file == RegisterClass::B16 ? 1 : most_bytes / bytes;
      while (count > of.elements - first) count /= 2;
      std::string all;
      for (int k = 0; k < count; ++k) {
        const std::string reg = name(i, first + k, 0);
        frame_.line("st.volatile.shared.{} [{}+{}], {};", ptx_type(of.file), place_, k * bytes, reg);
        all += (k > 0 ? ", " : "") + reg;
      }
      const std::string vector = count > 1 ? fmt::format(".v{}", count) : "";
      frame_.line("ld.volatile.shared{}.{} {{{}}}, [{}];", vector, ptx_type(of.file), all, place_);
      first += count;
    }
  }

  std::string thread_place() {
    frame_.line(".shared .align 16 .b8 wshared[{}];", most_threads * 16);
    std::string place = frame_.new_word();
    frame_.line("mov.u32 {}, wshared;", place);
    frame_.line("mad.lo.u32 {0}, {1}, 16, {0};", place, Frame::thread);
    return place;
  }

  /// The kernel into which the copies are placed (compose/room.hpp): between the clock reads, stores show where the
  /// operands and the registers for results are, twice, so that these are kept there in between.
  void room() {
    constexpr int spare = 48;
    // What is placed into equal kernels differs.
    frame_.line("// {} {}", experiment_.name(instruction_), copies());
    if (place_.empty()) place_ = thread_place();
    const std::string data = frame_.argument_at(argument::data);
    frame_.line("cvta.to.global.u64 {0}, {0};", data);
    frame_.line("mad.wide.u32 {0}, {1}, 16, {0};", data, Frame::thread);
    for (int quad = 0; quad < experiment_.quads; ++quad) {
      frame_.line(".reg .b32 {};", quad_list(quad));
      frame_.line("ld.volatile.global.v4.b32 {{{}}}, [{}+{}];", quad_list(quad), data, quad * most_threads * 16);
    }
    frame_.begin_passes();
    for_each_live([&](const Operand& of, const std::string& reg) { observe(of.file, reg, Waits::First); });
    for (int quad = 0; quad < experiment_.quads; ++quad) {
      for (int k = 0; k < 4; ++k) frame_.observe(Waits::First, quad_register(quad, k));
    }
    frame_.observe(Waits::First, place_);
    frame_.line("bar.sync 0;");
    frame_.open();
    show();
    for (int i = 0; i < n_ * experiment_.ilp * experiment_.words + spare; ++i) {
      frame_.line("lop3.b32 {0}, {0}, {1}, {2}, 0x96;", quad_register(0, 0), quad_register(0, 1), quad_register(0, 2));
    }
    show();
    frame_.close();
    frame_.end_passes(Frame::Loop::ByThread);
  }

  static std::string quad_register(int quad, int k) { return fmt::format("w_q{}_{}", quad, k); }
  static std::string quad_list(int quad) {
    return fmt::format("{}, {}, {}, {}", quad_register(quad, 0), quad_register(quad, 1), quad_register(quad, 2),
                       quad_register(quad, 3));
  }

  void show() {
    for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
      if (!in_register(i) || !operand(i).read) continue;
      for (int element = 0; element < operand(i).elements; ++element) {
        store(operand(i).file, name(i, element, 0), place_);
      }
    }
    for (int quad = 0; quad < experiment_.quads; ++quad) {
      frame_.line("st.volatile.shared.v4.b32 [{}], {{{}}};", place_, quad_list(quad));
    }
  }

  /// Operands come from volatile loads inside the window, and results go to volatile stores, neither of which can leave
  /// it. This kernel is never run.
  void isolated() {
    const std::string place = thread_place();
    frame_.observe(Waits::First, place);
    frame_.open();
    const auto each = [&](bool Operand::*role, auto act) {
      for (std::size_t i = 0; i < instruction_.operands.size(); ++i) {
        if (!in_register(i) || !(operand(i).*role)) continue;
        for (int element = 0; element < operand(i).elements; ++element) {
          act(operand(i).file, name(i, element, 0), place);
        }
      }
    };
    each(&Operand::read, [this](auto file, const auto& reg, const auto& from) { load(file, reg, from); });
    statement(copies());
    each(&Operand::written, [this](auto file, const auto& reg, const auto& to) { store(file, reg, to); });
    frame_.close();
  }

  void load(RegisterClass file, const std::string& reg, const std::string& place) {
    if (file == RegisterClass::Predicate) {
      frame_.line("{{ .reg .b32 v; ld.volatile.shared.b32 v, [{}]; setp.ne.b32 {}, v, 0; }}", place, reg);
    } else if (file == RegisterClass::B16 && instruction_.kind == "convert") {
      // The compiler would know that the bits next to a loaded half are zero, and would extend it needlessly.
      frame_.line("{{ .reg .b32 v; .reg .b16 h; ld.volatile.shared.b32 v, [{}]; mov.b32 {{{}, h}}, v; }}", place, reg);
    } else if (file == RegisterClass::B128) {
      frame_.line("{{ .reg .b64 l, h; ld.volatile.shared.v2.b64 {{l, h}}, [{}]; mov.b128 {}, {{l, h}}; }}", place, reg);
    } else {
      frame_.line("ld.volatile.shared.{} {}, [{}];", ptx_type(file), reg, place);
    }
  }

  void store(RegisterClass file, const std::string& reg, const std::string& place) {
    if (file == RegisterClass::Predicate) {
      frame_.line("@{0} st.volatile.shared.b32 [{1}], {1};", reg, place);
    } else if (file == RegisterClass::B128) {
      frame_.line("{{ .reg .b64 l, h; mov.b128 {{l, h}}, {}; st.volatile.shared.v2.b64 [{}], {{l, h}}; }}", reg, place);
    } else {
      frame_.line("st.volatile.shared.{} [{}], {};", ptx_type(file), place, reg);
    }
  }

  void observe(RegisterClass file, const std::string& reg, Waits what) {
    const auto word_of = [&](fmt::format_string<const std::string&, const std::string&> how) {
      const std::string word = frame_.new_word();
      frame_.line("{}", fmt::format(how, word, reg));
      frame_.observe(what, word);
    };
    const auto halves_of = [&](const std::string& pair) {
      const std::string low = frame_.new_word(), high = frame_.new_word();
      frame_.line("mov.b64 {{{}, {}}}, {};", low, high, pair);
      frame_.observe(what, high);
      frame_.observe(what, low);
    };
    switch (file) {
      case RegisterClass::Predicate:
        return word_of("selp.b32 {}, 1, 0, {};");
      case RegisterClass::B16:
        return word_of("mov.b32 {0}, {{{1}, {1}}};");
      case RegisterClass::B32:
        return frame_.observe(what, reg);
      case RegisterClass::B64:
        return halves_of(reg);
      case RegisterClass::B128: {
        const std::string low = frame_.new_pair(), high = frame_.new_pair();
        frame_.line("mov.b128 {{{}, {}}}, {};", low, high, reg);
        halves_of(low);
        return halves_of(high);
      }
    }
  }

  const PtxInstruction& instruction_;
  const Experiment& experiment_;
  const int n_;
  Frame frame_;
  std::string globals_;
  std::vector<std::string> read_behind_;  ///< addresses in local memory to read after the window
  std::string place_;                     ///< of the thread in shared memory
  int places_ = 0;
};

}  // namespace

std::string kernel_ptx(const PtxInstruction& instruction, const Experiment& experiment, std::int64_t n) {
  return Writer(instruction, experiment, n).write();
}

}  // namespace warpclock
