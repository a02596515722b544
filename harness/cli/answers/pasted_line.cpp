#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/files/file.hpp"
#include "base/text.hpp"
#include "cli/answers/answers.hpp"
#include "cli/answers/inquiry.hpp"
#include "cli/options/options.hpp"
#include "ptx/experiment/block.hpp"

namespace warpclock {

namespace {

/// The text without /* */ and without // to the end of a line.
std::string without_comments(std::string_view text) {
  std::string rest;
  while (!text.empty()) {
    const std::size_t at = std::min({text.find("/*"), text.find("//"), text.size()});
    rest += text.substr(0, at);
    text.remove_prefix(at);
    if (text.empty()) break;
    const bool block = text.starts_with("/*");
    const std::size_t end = text.find(block ? "*/" : "\n", 2);
    text.remove_prefix(end == text.npos ? text.size() : end + (block ? 2 : 0));
    if (block) rest += ' ';
  }
  return rest;
}

/// What a string of C++ holds, up to its closing quote.
std::string unquoted(std::string_view& text) {
  std::string content;
  text.remove_prefix(1);
  while (!text.empty() && text[0] != '"') {
    if (text[0] == '\\' && text.size() > 1) {
      content += text[1] == 'n' ? '\n' : text[1] == 't' ? '\t' : text[1];
      text.remove_prefix(2);
    } else {
      content += text[0];
      text.remove_prefix(1);
    }
  }
  if (!text.empty()) text.remove_prefix(1);
  return content;
}

/// The strings of an asm statement joined, and what is behind them.
std::string joined_strings(std::string_view& text) {
  std::string content;
  while (true) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text[0])) != 0) text.remove_prefix(1);
    if (!text.starts_with('"')) return content;
    content += unquoted(text);
  }
}

/// What stands behind the constraint letters of operands, in their order: "r" and "x".
std::vector<std::pair<std::string, std::string>> constraints_in(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> all;
  while (true) {
    const std::size_t quote = text.find('"');
    if (quote == text.npos) return all;
    text.remove_prefix(quote);
    const std::string constraint = unquoted(text);
    if (!text.starts_with('(')) return all;  // what is clobbered has no value
    int depth = 0;
    std::size_t end = 0;
    do {
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
      ++end;
    } while (end < text.size() && depth > 0);
    const bool closed = depth == 0;
    all.emplace_back(constraint, trim(text.substr(1, end - (closed ? 2 : 1))));
    text.remove_prefix(end);
  }
}

/// "%r7" for operand 7 with the constraint "=r"; a number behind "n"; else its name without a type.
std::string operand_text(const std::string& number, const std::vector<std::pair<std::string, std::string>>& operands) {
  constexpr std::array<std::pair<char, std::string_view>, 6> registers{
      {{'r', "%r"}, {'l', "%rd"}, {'h', "%rs"}, {'f', "%f"}, {'d', "%fd"}, {'q', "%rq"}}};
  const auto index = whole_number<std::size_t>(number);
  if (index && *index < operands.size()) {
    const auto& [constraint, value] = operands[*index];
    if (constraint.ends_with('n') && decimal_or_hex(value)) return value;
    for (const auto& [letter, prefix] : registers)
      if (constraint.ends_with(letter)) return std::string(prefix) + number;
  }
  return "%asm" + number;
}

/// The PTX of an asm string: %0 as a register, %% as %.
std::string ptx_of(const std::string& content, const std::vector<std::pair<std::string, std::string>>& operands) {
  std::string ptx;
  for (std::size_t i = 0; i < content.size(); ++i) {
    if (content[i] != '%' || i + 1 == content.size()) {
      ptx += content[i];
    } else if (content[i + 1] == '%') {
      ptx += content[++i];
    } else if (is_digit(content[i + 1])) {
      const std::size_t end = std::min(content.find_first_not_of("0123456789", i + 1), content.size());
      ptx += operand_text(content.substr(i + 1, end - i - 1), operands);
      i = end - 1;
    } else {
      ptx += '%';
    }
  }
  return ptx;
}

/// The PTX of a line of CUDA C++ with an asm statement, or with a string of one; nothing for other lines.
std::optional<std::string> inline_ptx(std::string_view line) {
  const std::size_t quote = line.find('"');
  if (quote == line.npos) return std::nullopt;
  const std::string_view before = trim(line.substr(0, quote));
  if (!before.empty() && !before.contains("asm")) return std::nullopt;
  line.remove_prefix(quote);
  const std::string content = joined_strings(line);
  return ptx_of(content, constraints_in(line));
}

/// The statements of a text. Braces around statements are dropped, those of vectors are not.
std::vector<std::string> statements_in(std::string_view text) {
  std::vector<std::string> all(1);
  int brackets = 0;
  for (const char c : text) {
    const bool begins = trim(all.back()).empty();
    if (c == '{' && begins) continue;
    if (c == '{') ++brackets;
    if (c == '}' && brackets == 0) continue;
    if (c == '}') --brackets;
    if (c == ';')
      all.emplace_back();
    else
      all.back() += c == '\n' ? ' ' : c;
  }
  for (std::string& one : all) one = trim(one);
  std::erase_if(all, [](const std::string& one) { return one.empty() || one.starts_with(".reg"); });
  return all;
}

/// The text behind a guard: "@!P0 ".
std::string_view unguarded_text(std::string_view text) {
  if (!text.starts_with('@')) return text;
  return trim(text.substr(std::min(text.find(' '), text.size())));
}

/// Whether a text is a machine instruction, a form as it is printed, or an opcode. PTX has no opcode in upper case.
/// Words of a person are none ("L2 near far"): only operands or a known opcode are.
bool is_machine_text(std::string_view text) {
  text = unguarded_text(text);
  const std::string_view name = text.substr(0, std::min(text.find_first_of(" ;"), text.size()));
  const std::string_view opcode = name.substr(0, std::min(name.find('.'), name.size()));
  const auto is_letter = [](char c) { return is_digit(c) || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (opcode.empty() || is_digit(opcode[0]) || !std::ranges::all_of(opcode, is_letter)) return false;
  return text.substr(name.size()).find_first_of(",#[`") != std::string_view::npos || is_machine_opcode(opcode) ||
         !no_number_by_nature(std::string(text)).empty();
}

/// Without an address, which nvdisasm and cuobjdump print as a comment, and others as a number.
std::string machine_code(std::string_view line) {
  std::string code = without_comments(line);
  std::string_view text = trim(code);
  while (text.ends_with(';')) text = trim(text.substr(0, text.size() - 1));
  return std::string(text);
}

}  // namespace

std::vector<AskedLine> asked_in(const std::string& line, int number, Notation notation) {
  std::vector<AskedLine> all;
  const std::string bare = machine_code(line);
  if (notation == Notation::Machine || is_machine_text(bare)) {
    all.push_back({line, number, bare, true});
    return all;
  }
  const auto ptx = inline_ptx(line);
  if (!ptx) {
    const std::vector<std::string> found = statements_in(without_comments(line));
    // A line with one statement keeps its text, so that places in errors are those of the line.
    if (found.size() <= 1) return {{line, number, line, false}};
    for (const std::string& one : found) all.push_back({one, number, one, false});
    return all;
  }
  for (const std::string& one : statements_in(without_comments(*ptx))) all.push_back({one, number, one, false});
  if (all.empty()) all.push_back({line, number, line, false});
  return all;
}

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
