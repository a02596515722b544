#include "compose/hole.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "build/elf.hpp"
#include "build/modifiers.hpp"
#include "build/semantics.hpp"
#include "build/window.hpp"
#include "code/form.hpp"
#include "code/skeleton.hpp"
#include "ptx/frame.hpp"

namespace warpclock {
namespace {

constexpr std::size_t quads = 16, components = 4, word_bytes = 16;
constexpr std::size_t quad_bytes = 1024 * word_bytes;   // of one quad, for each thread that a block can have
constexpr std::size_t results_at = quads * quad_bytes;  // behind the inputs
constexpr Word no_operation{0x7918, 0};

std::string reg(std::size_t quad, std::size_t component) { return fmt::format("wq{}_{}", quad, component); }

std::string all_of(std::size_t quad) {
  return fmt::format("{}, {}, {}, {}", reg(quad, 0), reg(quad, 1), reg(quad, 2), reg(quad, 3));
}

/// Of an operand that is one register; -1 of any other.
int first_register(const Instruction& instruction, std::size_t operand) {
  if (operand >= instruction.operands.size()) return -1;
  const Skeleton skeleton = skeleton_of("OP " + instruction.operands[operand]);
  const bool is_register = skeleton.numerals.size() == 2 && skeleton.numerals[1].kind == Numeral::Kind::Register;
  return is_register ? static_cast<int>(skeleton.numerals[1].value) : -1;
}

std::unexpected<Error> odd(std::string text) { return fail("hole", std::move(text)); }

void put(std::string& image, std::size_t at, const Word& word) {
  std::string bytes;
  append_word(bytes, word);
  image.replace(at, bytes.size(), bytes);
}

}  // namespace

std::string hole_source(std::size_t room) {
  Frame frame;
  const std::string own = frame.new_pair();
  frame.line("mul.wide.u32 {}, w_thread, 12;", own);
  frame.line("add.s64 {0}, {0}, w_inputs;", own);
  for (std::size_t quad = 0; quad < quads; ++quad) {
    frame.line(".reg .b32 {};", all_of(quad));
    frame.line("ld.volatile.global.v4.u32 {{{}}}, [{}+{}];", all_of(quad), own, quad * quad_bytes);
  }
  frame.line("mov.u32 w_pass, 0;");
  frame.begin_passes();
  for (std::size_t quad = 0; quad < quads; ++quad) {
    for (std::size_t i = 0; i < components; ++i) frame.observe(Waits::First, reg(quad, i));
  }
  frame.line("bar.sync 0;");
  frame.open();
  for (std::size_t i = 0; i < room; ++i) {
    frame.line("lop3.b32 {0}, {0}, {1}, {2}, 0x96;", reg(0, 0), reg(0, 1), reg(0, 2));
  }
  frame.close();
  frame.end_passes();
  // Through memory: ptxas knows nothing of what will be in the hole, and would fold what it had before.
  const std::string fold = frame.new_word(), places = frame.argument_at(argument::places);
  frame.line("mov.u32 {}, 0;", fold);
  for (std::size_t quad = 0; quad < quads; ++quad) {
    frame.line("st.volatile.global.v4.u32 [{}+{}], {{{}}};", own, results_at + quad * quad_bytes, all_of(quad));
  }
  for (std::size_t quad = 0; quad < quads; ++quad) {
    frame.line("ld.volatile.global.v4.u32 {{{}}}, [{}+{}];", all_of(quad), own, results_at + quad * quad_bytes);
    for (std::size_t i = 0; i < components; ++i) {
      frame.line("mad.lo.u32 {0}, {0}, 0x01000193, {1};", fold, reg(quad, i));
    }
  }
  frame.line("cvta.to.global.u64 {0}, {0};", places);
  frame.line("mad.wide.u32 {0}, w_thread, 4, {0};", places);
  frame.line("st.volatile.global.u32 [{}], {};", places, fold);
  frame.report();
  return frame.kernel({});
}

Expected<Hole> find_hole(std::string image, const Listing& listing) {
  const std::vector<std::size_t> reads = clock_reads(listing);
  if (reads.size() != 2) return odd(fmt::format("the clock is read {} times", reads.size()));
  Hole hole;
  hole.open = reads.front();
  hole.room = reads.back() - reads.front() - 1;
  const auto& code = listing.instructions;
  for (std::size_t i = hole.open + 1; i < reads.back(); ++i) {
    const Skeleton skeleton = skeleton_of(code[i].text);
    if (code[i].opcode != "LOP3" || skeleton.numerals.size() < 3 ||
        skeleton.numerals[1].value != skeleton.numerals[2].value) {
      return odd(fmt::format("there is '{}' in it", code[i].text));
    }
  }
  // What is stored behind the hole was loaded before it, and is in the same registers from there to here.
  struct Life {
    std::size_t loaded = 0, stored = 0;
  };
  std::map<int, Life> lives;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool wide = has_modifier(code[i], "128");
    if (i < hole.open && wide && code[i].opcode == "LDG") lives[first_register(code[i], 0)].loaded = i;
    if (i > reads.back() && wide && code[i].opcode == "STG") {
      const auto at = lives.find(first_register(code[i], 1));
      if (at == lives.end()) return odd(fmt::format("'{}' stores what was not loaded", code[i].text));
      at->second.stored = i;
      hole.quads.push_back(at->first);
    }
  }
  if (hole.quads.size() != quads) return odd(fmt::format("{} quads are stored", hole.quads.size()));
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (i > hole.open && i < reads.back()) continue;
    for (const Register& written : effects_of(code[i]).writes) {
      const int quad = written.index - written.index % static_cast<int>(components);
      const auto at = written.file == RegisterFile::Vector ? lives.find(quad) : lives.end();
      if (at == lives.end() || i <= at->second.loaded || i >= at->second.stored) continue;
      return odd(fmt::format("'{}' writes to a quad", code[i].text));
    }
  }
  const auto sections = code_sections(image);
  if (!sections) return std::unexpected(sections.error());
  for (const CodeSection& section : *sections) {
    if (section.kernel != listing.kernel) continue;
    if (section.code.size() < (reads.back() + 1) * word_bytes) return odd("the cubin ends within it");
    hole.code = static_cast<std::size_t>(section.code.data() - image.data());
    hole.image = std::move(image);
    return hole;
  }
  return odd(fmt::format("{} is not in the cubin", listing.kernel));
}

Expected<std::string> fill_hole(const Hole& hole, std::span<const Word> words) {
  if (words.size() + hole_rest > hole.room) {
    return odd(fmt::format("{} words are too many for {}", words.size(), hole.room - hole_rest));
  }
  std::string image = hole.image;
  const auto address = [&](std::size_t i) { return hole.code + (hole.open + 1 + i) * word_bytes; };
  Word close = words_of(std::string_view(image).substr(address(hole.room), word_bytes)).front();
  Control closing = decode_control(close.high);
  for (const Word& word : words) {
    const Control control = decode_control(word.high);
    for (const int scoreboard : {control.write_barrier, control.read_barrier}) {
      if (scoreboard >= 0) closing.wait_mask |= 1U << scoreboard;
    }
  }
  close = with_control(close, closing);
  std::size_t at = 0;
  for (const Word& word : words) put(image, address(at++), word);
  put(image, address(at++), close);
  // A stall of 12 and more goes with the hint to yield, as ptxas writes it.
  while (at <= hole.room) put(image, address(at++), with_control(no_operation, {.stall = 15, .yield = true}));
  return image;
}

}  // namespace warpclock
