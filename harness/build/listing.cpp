#include "build/listing.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>

#include "base/text.hpp"

namespace warpclock {
namespace {

using Labels = std::map<std::string, std::uint64_t, std::less<>>;

std::optional<std::uint64_t> hex(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

/// The word of a trailing `/* 0x0c001f0302047589 */`, which is cut off; nothing when there is none.
std::optional<std::uint64_t> take_encoding(std::string_view& line) {
  if (!line.ends_with("*/")) return std::nullopt;
  const std::size_t start = line.rfind("/*");
  if (start == std::string_view::npos || line.size() < start + 4) return std::nullopt;
  const std::string_view inside = trim(line.substr(start + 2, line.size() - start - 4));
  if (inside.size() != 18 || !inside.starts_with("0x")) return std::nullopt;
  const auto word = hex(inside.substr(2));
  if (word) line = trim(line.substr(0, start));
  return word;
}

/// Some versions print the control field as `&wr=0x0 ?trans1` behind the operands; the encoding holds it anyway.
std::string_view without_annotations(std::string_view code) {
  for (const std::string_view mark : {" &req", " &rd", " &wr", " ?"}) code = code.substr(0, code.find(mark));
  return trim(code);
}

std::vector<std::string> split_operands(std::string_view text) {
  std::vector<std::string> operands;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] == '[' || text[i] == '(' || text[i] == '{')) ++depth;
    if (i < text.size() && (text[i] == ']' || text[i] == ')' || text[i] == '}')) --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    const std::string_view operand = trim(text.substr(start, i - start));
    if (!operand.empty()) operands.emplace_back(operand);
    start = i + 1;
  }
  return operands;
}

/// ".L_x_1" of "`(.L_x_1)".
std::string_view label_of(std::string_view operand) {
  const std::size_t start = operand.find("`(");
  if (start == std::string_view::npos) return {};
  const std::string_view rest = operand.substr(start + 2);
  return rest.substr(0, rest.find(')'));
}

std::size_t word_end(std::string_view text) { return std::min(text.find_first_of(" \t"), text.size()); }

/// "@!P0 BRA `(.L_x_1) ;" into its parts; false when there is no opcode.
bool parse_code(std::string_view code, Instruction& instruction) {
  while (code.ends_with(';')) code = trim(code.substr(0, code.size() - 1));
  code = without_annotations(code);
  if (code.starts_with('@')) {
    const std::size_t end = word_end(code);
    instruction.predicate = code.substr(1, end - 1);
    if (instruction.predicate.empty()) return false;
    code = trim(code.substr(end));
  }
  const std::size_t end = word_end(code);
  std::vector<std::string> words = split(code.substr(0, end), '.');
  if (words.front().empty() || words.front().front() < 'A' || words.front().front() > 'Z') return false;
  instruction.opcode = std::move(words.front());
  instruction.modifiers.assign(std::make_move_iterator(words.begin() + 1), std::make_move_iterator(words.end()));
  instruction.operands = split_operands(code.substr(end));
  instruction.text = code;
  return true;
}

class Parser {
 public:
  Expected<std::vector<Listing>> parse(std::string_view text) {
    for (const std::string& line : lines(text)) {
      ++number_;
      if (auto read = read_line(trim(line)); !read) return std::unexpected(read.error());
    }
    if (auto closed = close_section(); !closed) return std::unexpected(closed.error());
    if (listings_.empty()) return error("no kernel: there is no .text section");
    return std::move(listings_);
  }

 private:
  std::unexpected<Error> error(const std::string& text) const {
    return fail("listing", fmt::format("the disassembly cannot be read: {}", text), fmt::format("line {}", number_));
  }

  Expected<void> read_line(std::string_view line) {
    if (line.empty() || line.starts_with("//")) return {};
    if (line.substr(0, word_end(line)) == ".section") return open_section(line);
    if (line.substr(0, word_end(line)) == ".target") target_ = trim(line.substr(word_end(line)));
    if (!inside_) return {};
    if (awaiting_high_) return read_high(line);
    if (line.starts_with("/*")) return read_instruction(line);
    if (line.ends_with(':') && line.find_first_of(" \t") == std::string_view::npos) {
      labels_.emplace(line.substr(0, line.size() - 1), next_address());
      return {};
    }
    if (line.starts_with('.')) return {};
    return error(fmt::format("'{}' is neither instruction, label nor directive", line.substr(0, 60)));
  }

  Expected<void> open_section(std::string_view line) {
    if (auto closed = close_section(); !closed) return closed;
    const std::string_view name = trim(line.substr(8)).substr(0, trim(line.substr(8)).find(','));
    inside_ = name.starts_with(".text.");
    if (inside_) listings_.push_back({.kernel = std::string(name.substr(6)), .target = target_, .instructions = {}});
    return {};
  }

  Expected<void> close_section() {
    if (awaiting_high_) return error("the second half of an instruction's encoding is missing");
    if (inside_) {
      for (Instruction& instruction : listings_.back().instructions) {
        for (const std::string& operand : instruction.operands) {
          const auto label = labels_.find(label_of(operand));
          if (label != labels_.end()) instruction.branch_target = label->second;
        }
      }
    }
    labels_.clear();
    inside_ = false;
    return {};
  }

  Expected<void> read_instruction(std::string_view line) {
    const std::size_t end = line.find("*/", 2);
    const auto address = end == std::string_view::npos ? std::nullopt : hex(trim(line.substr(2, end - 2)));
    if (!address) return error("an address was expected between /* and */");
    if (*address != next_address()) {
      return error(fmt::format("address {:#x} follows where {:#x} was expected", *address, next_address()));
    }
    std::string_view code = trim(line.substr(end + 2));
    const auto low = take_encoding(code);
    if (!low) return error("the instruction has no encoding (nvdisasm needs -hex)");
    Instruction instruction;
    instruction.address = *address;
    instruction.low = *low;
    if (!parse_code(code, instruction)) return error(fmt::format("no opcode in '{}'", code.substr(0, 60)));
    listings_.back().instructions.push_back(std::move(instruction));
    awaiting_high_ = true;
    return {};
  }

  Expected<void> read_high(std::string_view line) {
    const auto high = take_encoding(line);
    if (!high || !line.empty()) return error("the second half of an instruction's encoding was expected");
    Instruction& instruction = listings_.back().instructions.back();
    instruction.high = *high;
    instruction.control = decode_control(*high);
    awaiting_high_ = false;
    return {};
  }

  /// Every instruction is 16 bytes; a section starts at 0.
  std::uint64_t next_address() const { return listings_.back().instructions.size() * 16; }

  std::vector<Listing> listings_;
  std::string target_;
  Labels labels_;
  std::size_t number_ = 0;
  bool inside_ = false, awaiting_high_ = false;
};

}  // namespace

std::string Instruction::name() const { return modifiers.empty() ? opcode : opcode + "." + join(modifiers, "."); }

Control decode_control(std::uint64_t high) {
  const auto field = [high](int bit, int width) { return static_cast<int>(high >> bit & ((1U << width) - 1)); };
  Control control;
  control.stall = field(41, 4);
  // The bit says "stay with this warp": it is clear where ptxas lets the scheduler switch, as after a stall of 12 and
  // more.
  control.yield = field(45, 1) == 0;
  control.write_barrier = field(46, 3) == 7 ? -1 : field(46, 3);
  control.read_barrier = field(49, 3) == 7 ? -1 : field(49, 3);
  control.wait_mask = static_cast<unsigned>(field(52, 6));
  return control;
}

Expected<std::vector<Listing>> parse_listings(std::string_view text) { return Parser().parse(text); }

}  // namespace warpclock
