#include "cli/subjects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

#include "base/files/file.hpp"
#include "base/text.hpp"
#include "cli/options/options.hpp"
#include "ptx/experiment/block.hpp"

namespace warpclock {
namespace {

Expected<std::map<std::string, std::string>> pairs_of(const std::vector<std::string>& given, const char* flag) {
  std::map<std::string, std::string> pairs;
  for (const std::string& one : given) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail("usage", fmt::format("{} '{}': expected OPERAND=CHOICE, as in b=imm:3", flag, one));
    }
    pairs[one.substr(0, equals)] = one.substr(equals + 1);
  }
  return pairs;
}

/// `ld.param.u32 %r1, [%rd1+8]`: the register holds the address of a parameter, which ptxas knows as well as its name.
void name_parameter(PtxLine& line) {
  if (line.opcode != "ld" || std::ranges::find(line.modifiers, "param") == line.modifiers.end()) return;
  for (PtxTerm& term : line.operands)
    if (term.kind == PtxTerm::Kind::Address && term.items.front().text.starts_with('%'))
      term.items.front().text = "kernel_param_0";
}

/// `mov.f32 %f1, r0`: the address of a variable is no number with a fraction, so the name is that of a register.
void name_register(PtxLine& line) {
  if (line.opcode != "mov" || line.modifiers.empty() || !line.modifiers.back().starts_with('f')) return;
  for (PtxTerm& term : line.operands)
    if (term.kind == PtxTerm::Kind::Name && !term.text.starts_with('%')) term.text = "%" + term.text;
}

Subject subject(PtxInstruction instruction) {
  Subject made;
  made.id = instruction.mnemonic;
  made.family = instruction.kind;
  made.ptx = instruction.text;
  made.instruction = std::move(instruction);
  return made;
}

}  // namespace

Expected<Choices> choices_of(const std::vector<std::string>& operands, const std::vector<std::string>& values) {
  auto of_operands = WARPCLOCK_TRY(pairs_of(operands, "--operand"));
  auto of_values = WARPCLOCK_TRY(pairs_of(values, "--value"));
  return Choices{std::move(of_operands), std::move(of_values)};
}

Expected<std::vector<AskedLine>> lines_of(const std::vector<std::string>& given, Notation notation) {
  std::vector<AskedLine> all;
  const auto add = [&](const std::string& line, int number) {
    std::ranges::move(asked_in(line, number, notation), std::back_inserter(all));
  };
  for (const std::string& one : given) {
    if (one != "-") {
      add(one, 0);
      continue;
    }
    const auto input = WARPCLOCK_TRY(read_standard_input());
    int number = 0;
    for (const std::string& line : lines(input)) {
      ++number;
      const auto text = trim(line);
      if (!text.empty() && !text.starts_with("//") && !text.starts_with('#')) add(line, number);
    }
  }
  return all;
}

Expected<Subject> subject_of(const std::string& line, const OpcodeTable& table, const Choices& choices) {
  auto parsed = parse_ptx(line);
  if (parsed) name_parameter(*parsed), name_register(*parsed);
  auto instruction = parsed ? describe(*parsed, table, choices) : std::unexpected(parsed.error());
  if (instruction) WARPCLOCK_TRY(registers_fit(*parsed, table, choices));
  if (!instruction) {
    Error error = instruction.error();
    std::error_code ignored;
    if (std::filesystem::is_regular_file(line, ignored))
      error.text += "; this is a file: --ptx-file takes it as one block, and - reads lines";
    return std::unexpected(std::move(error));
  }
  Subject made = subject(*std::move(instruction));
  made.constants = made_constant(*parsed, table, choices);
  return made;
}

Expected<Subject> subject_in(const std::string& file, const OpcodeTable& table, const Choices& choices) {
  const auto text = WARPCLOCK_TRY(read_file(file, most_text_bytes));
  const auto snippet = parse_snippet(text);
  auto instruction = snippet ? describe_block(*snippet, table, choices) : std::unexpected(snippet.error());
  if (!instruction) {
    Error error = with_file_kind(instruction.error(), file, "cycles");
    error.place = error.place.empty() ? file : fmt::format("{}:{}", file, error.place);
    return std::unexpected(std::move(error));
  }
  Subject made = subject(*std::move(instruction));
  for (const PtxLine& line : snippet->lines) {
    for (MadeConstant& one : made_constant(line, table, choices)) made.constants.push_back(std::move(one));
  }
  made.ways = ways_of(*snippet, table, choices);
  if (made.instruction.is_block()) made.id = std::filesystem::path(file).stem().string();
  return made;
}

}  // namespace warpclock
