#include "execute/forms/code_step.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "execute/code_operand.hpp"
#include "execute/code_program.hpp"
#include "execute/forms/semantics.hpp"
#include "execute/step_kind.hpp"

namespace warpclock {
namespace {

std::uint8_t flat_predicate(Register reg) {
  return static_cast<std::uint8_t>(reg.index + (reg.file == RegisterFile::Predicate ? 0 : places::uniform_predicate));
}

std::uint16_t flat_place(Register reg) {
  if (reg.file == RegisterFile::Vector) return static_cast<std::uint16_t>(reg.index);
  if (reg.file == RegisterFile::Uniform) return static_cast<std::uint16_t>(places::uniform + reg.index);
  return static_cast<std::uint16_t>(places::words + flat_predicate(reg));
}

class StepDecoder {
 public:
  StepDecoder(const Instruction& instruction, const ExecutedLaunch& launch, CodeProgram& program)
      : instruction_(instruction), effects_(effects_of(instruction)), launch_(launch), program_(program) {}

  CodeStep decode() {
    step_.kind = step_kind(instruction_);
    read_modifiers(instruction_, step_);
    if (const auto guard = predicate_operand(instruction_.predicate); guard && !instruction_.predicate.empty()) {
      step_.guard = *guard;
      step_.guarded = guard->place != places::always || guard->inverted;
    }
    const std::size_t results = instruction_.operands.size() - effects_.sources.size();
    for (std::size_t i = 0; i < results; ++i) read_result(instruction_.operands[i]);
    if (instruction_.opcode == "R2P") read_predicate_results();
    if (instruction_.opcode == "P2R") read_byte();
    for (std::size_t i = results; i < instruction_.operands.size(); ++i) i += read_source(i, i - results) ? 1 : 0;
    note_reads();
    if (const SemanticsRow* row =
            understood_ ? semantics_of(instruction_, step_.words.size(), step_.predicates.size()) : nullptr)
      step_.run = row->run, step_.approximate = row->approximate;
    return std::move(step_);
  }

 private:
  /// R2P PR, R0.B1, 0xf: those that the mask names, from a byte of the register.
  void read_predicate_results() {
    understood_ = true;
    step_.results.clear();
    for (const Register reg : effects_.writes)
      step_.results.push_back({.predicate = true, .place = flat_predicate(reg)});
    const std::string& from = instruction_.operands[1];
    if (const std::size_t dot = from.find(".B"); dot != from.npos && dot + 2 < from.size())
      step_.byte = static_cast<std::uint8_t>(from[dot + 2] - '0');
    understood_ = step_.byte < register_bytes && instruction_.operands.back().starts_with("0x");
  }

  /// P2R.B1 R0, PR, R0, 0xf: the byte of the result.
  void read_byte() {
    const std::vector<std::string>& words = instruction_.modifiers;
    if (!words.empty() && words.front().size() == 2 && words.front()[0] == 'B')
      step_.byte = static_cast<std::uint8_t>(words.front()[1] - '0');
  }

  void read_result(const std::string& operand) {
    if (const auto barrier = convergence_barrier(operand)) {
      step_.barrier = *barrier;
      return;
    }
    StepResult result;
    if (const auto predicate = predicate_operand(operand)) {
      result = {.predicate = true,
                .sink = predicate->place % places::uniform_predicate == places::always,
                .place = predicate->place};
    } else if (const auto place = register_operand(operand)) {
      const bool sink = *place == places::vector_zero || *place == places::uniform_zero;
      const auto words = std::ranges::count_if(effects_.writes, [](Register reg) {
        return reg.file == RegisterFile::Vector || reg.file == RegisterFile::Uniform;
      });
      result = {
          .sink = sink, .place = *place, .words = static_cast<std::uint8_t>(std::clamp<std::ptrdiff_t>(words, 1, 4))};
    } else {
      understood_ = false;
    }
    step_.results.push_back(result);
  }

  /// Returns whether the operand after it belongs to it: the two halves of a number.
  bool read_source(std::size_t at, std::size_t source) {
    const std::string& operand = instruction_.operands[at];
    if (const auto place = convergence_barrier(operand)) {
      step_.barrier = *place;
      return false;
    }
    if (operand == "PR" || operand == "UPR") {
      for (std::uint8_t i = 0; i < places::always; ++i)
        step_.predicates.push_back({static_cast<std::uint8_t>(i + (operand == "UPR" ? places::uniform_predicate : 0))});
      return false;
    }
    if (const auto predicate = predicate_operand(operand)) {
      step_.predicates.push_back(*predicate);
      return false;
    }
    WordSource word;
    // "R20 `(k)" of RET: the register, and what its value is relative to.
    const std::string_view bare = bare_operand(std::string_view(operand).substr(0, operand.find(' ')), word);
    const bool whole = word.half == WordSource::Half::Both || has_halves(instruction_.opcode);
    const bool byte = instruction_.opcode == "R2P" && step_.byte < register_bytes;
    const bool part = word.part == 0 || byte || converts(instruction_.opcode);
    understood_ = understood_ && (word.understood || byte) && whole && part;
    if (const auto constant = constant_operand(bare)) {
      add_constant(word, *constant, is_wide(source));
      return false;
    }
    if (bare.contains('[')) {
      if (const auto address = address_operand(bare))
        step_.addresses.push_back(widened(*address, source));
      else
        understood_ = false;
      return false;
    }
    if (const auto place = register_operand(bare)) {
      word.kind = WordSource::Kind::Register;
      word.place = *place;
    } else if (const auto special = special_operand(bare)) {
      word.kind = WordSource::Kind::Special;
      word.number = static_cast<std::uint32_t>(*special);
      if (*special == SpecialRegister::Unknown) understood_ = false;
    } else {
      return read_number(word, bare, at);
    }
    step_.words.push_back(word);
    return false;
  }

  /// "B0" of BSSY and the like.
  static std::optional<std::uint8_t> convergence_barrier(std::string_view operand) {
    if (!operand.starts_with('B') || operand.size() > 3) return std::nullopt;
    const auto number = parse_number(operand.substr(1));
    return number && *number < 16 ? std::optional(static_cast<std::uint8_t>(*number)) : std::nullopt;
  }

  bool read_number(WordSource& word, std::string_view bare, std::size_t at) {
    const NumberKind kind = number_kind(instruction_);
    const auto number = number_operand(bare, kind);
    if (!number) {
      // Labels of jumps are not numbers here; any other word is not understood.
      understood_ &= bare.starts_with('`') || bare.starts_with('(');
      return false;
    }
    std::uint64_t bits = *number;
    bool two = false;
    if ((kind == NumberKind::Half || kind == NumberKind::Bfloat) && at + 1 < instruction_.operands.size()) {
      const auto low = number_operand(instruction_.operands[at + 1], kind);
      if (low) {
        constexpr unsigned half = 16, sign = 15;
        bits = (*number ^ (word.negative ? 1ULL << sign : 0)) << half | *low;
        word.negative = false;
        two = true;
      }
    }
    word.number = add_numbers(static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32));
    step_.words.push_back(word);
    return two;
  }

  AddressSource widened(AddressSource address, std::size_t source) const {
    // .E means "64-bit address"; some opcodes do not repeat it at the register.
    const auto& registers = source < effects_.sources.size() ? effects_.sources[source] : std::vector<Register>();
    const auto of_base = [&](const Register& reg) {
      return reg.file == RegisterFile::Vector && (reg.index == address.base || reg.index == address.base + 1);
    };
    if (address.base != places::vector_zero) address.wide |= std::ranges::count_if(registers, of_base) > 1;
    return address;
  }

  bool is_wide(std::size_t source) const {
    const SassRow& row = opcode_row(instruction_);
    return registers_of(row.widths[std::min(source + 1, row.widths.size() - 1)], instruction_) > 1;
  }

  std::uint32_t add_numbers(std::uint32_t low, std::uint32_t high) {
    const auto at = static_cast<std::uint32_t>(program_.pool.size());
    for (const std::uint32_t word : {low, high}) {
      program_.pool.push_back(same_words(word));
      program_.known_pool.push_back(true);
      program_.pool_origins.emplace_back();
    }
    return at;
  }

  /// Numbers that set_constants() gets from the launch.
  std::uint32_t add_constants(std::uint32_t place, std::uint32_t count, std::uint32_t bytes, bool with_sign) {
    const auto first = static_cast<std::uint32_t>(program_.pool.size());
    for (std::uint32_t k = 0; k < count; ++k) {
      const std::uint32_t at = place + register_bytes * k;
      program_.constants.push_back({first + k, at, static_cast<std::uint8_t>(bytes), with_sign});
      program_.pool.push_back(same_words(0));
      program_.known_pool.push_back(false);
      program_.pool_origins.push_back({Origin::Kind::Constant, at});
    }
    return first;
  }

  /// What LDC loads of less than a word: its bytes, and whether they have a sign.
  [[nodiscard]] std::pair<std::uint32_t, bool> narrow_constant() const {
    const bool loads = instruction_.opcode.ends_with("LDC") || instruction_.opcode == "LDCU";
    const auto is = [&](const char* word) { return loads && has_modifier(instruction_, word); };
    return {is("U8") || is("S8") ? 1 : is("U16") || is("S16") ? 2 : register_bytes, is("S8") || is("S16")};
  }

  void add_constant(WordSource& word, const ConstantOperand& constant, bool wide) {
    const auto offset = static_cast<std::uint32_t>(constant.address.offset);
    const auto [bytes, with_sign] = narrow_constant();
    if (step_.kind == StepKind::Value) step_.bytes = static_cast<std::uint8_t>(bytes);
    if (with_sign) step_.modifiers |= static_cast<std::uint32_t>(Modifier::Signed);
    if (constant.address.base != places::vector_zero || constant.address.uniform != places::uniform_zero)
      return add_table(word, constant);
    word.number = add_constants(constant.bank << bank_shift | offset, 2, bytes, with_sign);
    step_.reads_pool.push_back(word.number);
    if (wide) step_.reads_pool.push_back(word.number + 1);
    step_.words.push_back(word);
  }

  /// c[0x0][R0+0x210]: the register, and where the bank is among the numbers. What other banks have is not followed.
  void add_table(WordSource& word, const ConstantOperand& constant) {
    step_.kind = StepKind::Access, step_.space = StepSpace::Constant;
    step_.addresses.push_back(constant.address);
    step_.addresses.back().offset += std::int64_t{constant.bank} << bank_shift;
    const bool one = constant.address.base == places::vector_zero || constant.address.uniform == places::uniform_zero;
    if (constant.bank != 0 || !one || launch_.constants.empty()) {
      understood_ = false;
      return;
    }
    if (program_.table_words == 0) {
      for (const auto& [at, held] : launch_.constants) {
        if (at >> bank_shift == 0) program_.table_words = at / register_bytes + 1;
      }
      program_.table = add_constants(0, program_.table_words, register_bytes, false);
    }
    step_.table = program_.table, step_.table_words = program_.table_words;
    step_.table_offset = static_cast<std::uint32_t>(constant.address.offset);
    word.kind = WordSource::Kind::Register;
    word.place = constant.address.base != places::vector_zero ? constant.address.base : constant.address.uniform;
    step_.words.push_back(word);
  }

  void note_reads() {
    const auto note = [&](const std::vector<Register>& registers) {
      for (const Register reg : registers) {
        if (reg.file == RegisterFile::Vector || reg.file == RegisterFile::Uniform)
          step_.reads.push_back(flat_place(reg));
        else
          step_.reads_predicates.push_back(flat_predicate(reg));
      }
    };
    for (const auto& source : effects_.sources) note(source);
    for (const Register reg : effects_.writes) step_.writes.push_back(flat_place(reg));
  }

  const Instruction& instruction_;
  Effects effects_;
  const ExecutedLaunch& launch_;
  CodeProgram& program_;
  CodeStep step_;
  bool understood_ = true;
};

}  // namespace

CodeStep code_step(const Listing& listing, std::size_t index, const ExecutedLaunch& launch, CodeProgram& program) {
  CodeStep step = StepDecoder(listing.instructions[index], launch, program).decode();
  step.index = static_cast<std::uint32_t>(index);
  step.target_index = static_cast<std::uint32_t>(target_index(listing, listing.instructions[index]));
  return step;
}

}  // namespace warpclock
