#include "ptx/experiment/kernel.hpp"

#include <fmt/format.h>

#include "ptx/experiment/frame.hpp"
#include "ptx/experiment/initial_values.hpp"

namespace warpclock {
namespace {

using File = RegisterClass;

/// Sets `to` to bits of `from`. Missing bits come from `to` itself.
std::string resize(const std::string& from, File from_file, const std::string& to, File to_file) {
  if (from_file == to_file) return fmt::format("mov.{0} {2}, {1};", ptx_type(to_file), from, to);
  if (from_file == File::Predicate) {
    switch (to_file) {
      case File::B16:
        return fmt::format("selp.b16 {1}, {1}, 1, {0};", from, to);
      case File::B64:
        return fmt::format("selp.b64 {1}, {1}, 1, {0};", from, to);
      default:
        return fmt::format("selp.b32 {1}, {1}, 1, {0};", from, to);
    }
  }
  if (to_file == File::Predicate) {
    if (from_file == File::B128)
      return fmt::format("{{ .reg .b64 l, h; mov.b128 {{l, h}}, {}; setp.ne.b64 {}, l, 0; }}", from, to);
    return fmt::format("setp.ne.{} {}, {}, 0;", ptx_type(from_file), to, from);
  }
  switch (from_file) {
    case File::B16:
      if (to_file == File::B32) {
        return fmt::format("{{ .reg .b16 l, h; mov.b32 {{l, h}}, {1}; mov.b32 {1}, {{{0}, h}}; }}", from, to);
      }
      return fmt::format(
          "{{ .reg .b16 l, h; .reg .b32 x, y; mov.b64 {{x, y}}, {1}; mov.b32 {{l, h}}, x; mov.b32 x, {{{0}, h}}; "
          "mov.b64 {1}, {{x, y}}; }}",
          from, to);
    case File::B32:
      if (to_file == File::B16) return fmt::format("{{ .reg .b16 h; mov.b32 {{{1}, h}}, {0}; }}", from, to);
      return fmt::format("{{ .reg .b32 x, y; mov.b64 {{x, y}}, {1}; mov.b64 {1}, {{{0}, y}}; }}", from, to);
    case File::B64:
      if (to_file == File::B16) {
        return fmt::format("{{ .reg .b16 h; .reg .b32 x, y; mov.b64 {{x, y}}, {0}; mov.b32 {{{1}, h}}, x; }}", from,
                           to);
      }
      if (to_file == File::B32) return fmt::format("{{ .reg .b32 y; mov.b64 {{{1}, y}}, {0}; }}", from, to);
      return fmt::format("{{ .reg .b64 l, h; mov.b128 {{l, h}}, {1}; mov.b128 {1}, {{{0}, h}}; }}", from, to);
    default:
      return fmt::format("{{ .reg .b64 l, h; mov.b128 {{l, h}}, {0}; {1} }}", from,
                         resize("l", File::B64, to, to_file));
  }
}

/// Combines the bits of `count` loaded elements in x. If only one were used, the compiler would not load the others.
std::string all_bits(const Operand& from, int count, const std::function<std::string(int)>& name) {
  std::string text;
  for (int element = 0; element < count; ++element) {
    const std::string reg = name(element);
    const std::string_view how = element == 0 ? "mov.b32 x, " : "or.b32 x, x, ";
    if (from.file == File::B16) {
      text += fmt::format("cvt.u32.u16 y, {}; {}y; ", reg, how);
    } else if (from.file == File::B64) {
      text += fmt::format("mov.b64 {{y, z}}, {}; {}y; or.b32 x, x, z; ", reg, how);
    } else {
      text += fmt::format("{}{}; ", how, reg);
    }
  }
  return text;
}

/// Adds a vector of loaded zeros to the address.
std::string advance_by_all(const Operand& from, int count, const std::function<std::string(int)>& name,
                           const Operand& to, const std::string& address) {
  const std::string bits = "{ .reg .b32 x, y, z; " + all_bits(from, count, name);
  if (to.file == File::B32) return fmt::format("{0}add.u32 {1}, {1}, x; }}", bits, address);
  // In these spaces an address has 32 bits. Whether the compiler computes the upper half would differ from copy to
  // copy.
  if (to.space == "const" || to.space == "local")
    return fmt::format("{0}mov.b64 {{y, z}}, {1}; add.u32 y, y, x; mov.b64 {1}, {{y, z}}; }}", bits, address);
  return fmt::format("{0}.reg .b64 l; cvt.u64.u32 l, x; add.u64 {1}, {1}, l; }}", bits, address);
}

/// Adds the loaded zero to the address.
std::string advance(const std::string& loaded, File loaded_file, const std::string& address, File address_file) {
  const std::string type = bits(address_file) == 64 ? "u64" : "u32";
  if (loaded_file == address_file) return fmt::format("add.{0} {1}, {1}, {2};", type, address, loaded);
  if (bits(loaded_file) > bits(address_file) && loaded_file != File::B128) {
    return fmt::format("{{ .reg .b32 x, y; mov.b64 {{x, y}}, {2}; add.{0} {1}, {1}, x; }}", type, address, loaded);
  }
  if (loaded_file == File::B128) {
    return fmt::format("{{ .reg .b64 l, h; mov.b128 {{l, h}}, {1}; {0} }}",
                       advance("l", File::B64, address, address_file), loaded);
  }
  return fmt::format("{{ .reg .{0} z; cvt.{0}.u{1} z, {2}; add.{0} {3}, {3}, z; }}", type, bits(loaded_file), loaded,
                     address);
}

/// Makes `x` depend on `word` without changing it: x ^ (word & 0), as one instruction that compilers seldom generate
/// otherwise.
std::string lean(const std::string& x, const std::string& word) {
  return fmt::format("lop3.b32 {0}, {0}, {1}, {2}, 0x78; ", x, word, Frame::zero);
}

/// Does this with every word of a result. Whatever depends on the low word of an address depends on the address.
std::string steer(const Operand& from, const std::function<std::string(int)>& name, File to_file,
                  const std::string& to) {
  std::string text = "{ .reg .b32 t, x, y; ";
  if (to_file == File::B64) text += fmt::format(".reg .b32 h; mov.b64 {{t, h}}, {}; ", to);
  if (to_file == File::B16) text += fmt::format(".reg .b16 h; mov.b32 t, {{{0}, {0}}}; ", to);
  const std::string word = to_file == File::B32 ? to : "t";
  for (int element = 0; element < from.elements; ++element) {
    const std::string reg = name(element);
    switch (from.file) {
      case File::Predicate:
        text += fmt::format("selp.b32 x, 1, 0, {}; {}", reg, lean(word, "x"));
        break;
      case File::B16:
        text += fmt::format("mov.b32 x, {{{0}, {0}}}; {1}", reg, lean(word, "x"));
        break;
      case File::B32:
        text += lean(word, reg);
        break;
      case File::B64:
        text += fmt::format("mov.b64 {{x, y}}, {}; {}{}", reg, lean(word, "x"), lean(word, "y"));
        break;
      case File::B128:
        text +=
            fmt::format("{{ .reg .b64 l, u; mov.b128 {{l, u}}, {}; mov.b64 {{x, y}}, l; }} {}", reg, lean(word, "x"));
        break;
    }
  }
  if (to_file == File::B64) text += fmt::format("mov.b64 {}, {{t, h}}; ", to);
  if (to_file == File::B16) text += fmt::format("mov.b32 {{{}, h}}, t; ", to);
  return text + "}";
}

}  // namespace

std::string conversion(const PtxInstruction& instruction, Link link,
                       const std::function<std::string(std::size_t, int)>& name) {
  const Operand& from = instruction.operands[link.from];
  const Operand& to = instruction.operands[link.to];
  const bool loads = instruction.kind == "load" || instruction.kind == "matrix-load";
  if ((to.address && !loads) || to.steers) {
    return steer(
        from, [&](int element) { return name(link.from, element); }, to.file, name(link.to, 0));
  }
  if (to.address && !chases(instruction, link)) {
    if (from.elements > 1) {
      return advance_by_all(
          from, read_elements(instruction, link), [&](int element) { return name(link.from, element); }, to,
          name(link.to, 0));
    }
    return advance(name(link.from, 0), from.file, name(link.to, 0), to.file);
  }
  std::string text;
  for (int element = 0; element < to.elements; ++element) {
    if (!text.empty()) text += ' ';
    text += resize(name(link.from, element % from.elements), from.file, name(link.to, element), to.file);
  }
  return text;
}

namespace {

constexpr int variable_bytes = 1024;

/// Writes one kernel.
class Writer : OperandRegisters {
 public:
  Writer(const PtxInstruction& instruction, const Experiment& experiment, std::int64_t n)
      : OperandRegisters(instruction, experiment), n_(static_cast<int>(n)) {}

  std::string write() {
    declare();
    if (experiment_.question == Question::Isolated) {
      isolated();
    } else {
      values_.set_all();
      if (experiment_.composed) {
        for (std::size_t i = 0; i < operands(); ++i) settle(i);
        room();
      } else {
        timed();
      }
      values_.read_back();
    }
    frame_.report();
    return frame_.kernel(values_.globals());
  }

 private:
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
    for (std::size_t i = 0; i < operands(); ++i) {
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
    // Where barriers are measured, one of the loop would be among them.
    const auto warps = instruction_.kind == "barrier" ? Frame::Warps::Free : Frame::Warps::InStep;
    if (experiment_.trips > 1) frame_.begin_trips(experiment_.trips, warps);
    for (int copy = 0; copy < n_; ++copy) statement(copies());
    if (experiment_.trips > 1 && !link()) renew_sources();
    if (experiment_.trips > 1) frame_.end_trips();
    for_each_result([&](const Operand& of, const std::string& reg) { observe(of.file, reg, Waits::Last); });
    frame_.close();
    frame_.end_passes();
  }

  void renew_sources() {
    for (std::size_t i = 0; i < operands(); ++i) {
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
    for (std::size_t i = 0; i < operands(); ++i) {
      if (in_register(i) && operand(i).written) frame_.line(".reg .{} {};", ptx_type(operand(i).file), result(i, 0));
    }
    statement(render(instruction_, [&](std::size_t i, int element) {
      return operand(i).written ? result(i, element) : name(i, element, 0);
    }));
    for (std::size_t i = 0; i < operands(); ++i) {
      if (in_register(i) && operand(i).written) observe(operand(i).file, result(i, 0), Waits::First);
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

  /// The kernel into which the copies are placed (compose/copies/composing.hpp): between the clock reads, stores show
  /// where the operands and the registers for results are, twice, so that these are kept there in between.
  void room() {
    constexpr int spare = 56;
    // What is placed into equal kernels differs.
    frame_.line("// {} {}", experiment_.name(instruction_), copies());
    if (place_.empty()) place_ = thread_place();
    Quads quads(frame_, experiment_.quads);
    const std::string filler = frame_.input();
    frame_.begin_passes();
    for_each_live([&](const Operand& of, const std::string& reg) { observe(of.file, reg, Waits::First); });
    quads.observe();
    frame_.observe(Waits::First, place_);
    frame_.line("bar.sync 0;");
    const auto show = [&] {
      for_each_first(&Operand::read, [this](auto file, const auto& reg) { store(file, reg, place_); });
      quads.show(place_);
    };
    frame_.open();
    show();
    for (int i = 0; i < n_ * experiment_.ilp * experiment_.words + spare; ++i)
      frame_.line("lop3.b32 {0}, {0}, {1}, {2}, 0x96;", filler, Quads::name(0, 1), Quads::name(0, 2));
    show();
    frame_.close();
    const bool compared = experiment_.question == Question::Latency;
    if (compared) quads.spoil();
    frame_.end_passes(Frame::Loop::ByThread);
    if (compared) quads.fold(place_);
    frame_.observe(Waits::Last, filler);
  }

  /// The registers of the first chain of all operands with a role.
  template <class Act>
  void for_each_first(bool Operand::*role, Act act) const {
    for (std::size_t i = 0; i < operands(); ++i) {
      if (operand(i).*role) for_each_register(i, 1, [&](const Operand& of, const auto& reg) { act(of.file, reg); });
    }
  }

  /// Operands come from volatile loads inside the window, and results go to volatile stores, neither of which can leave
  /// it. This kernel is never run.
  void isolated() {
    const std::string place = thread_place();
    frame_.observe(Waits::First, place);
    frame_.open();
    for_each_first(&Operand::read, [&](auto file, const auto& reg) { load(file, reg, place); });
    statement(copies());
    for_each_first(&Operand::written, [&](auto file, const auto& reg) { store(file, reg, place); });
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

  const int n_;
  Frame frame_;
  InitialValues values_{*this, frame_};
  std::string place_;  ///< of the thread in shared memory
};

}  // namespace

std::string kernel_ptx(const PtxInstruction& instruction, const Experiment& experiment, std::int64_t n) {
  return Writer(instruction, experiment, n).write();
}

}  // namespace warpclock
