#include "code/listing.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

namespace warpclock {
namespace {

using Labels = std::map<std::string, std::uint64_t, std::less<>>;

/// Some versions print the control field as `&wr=0x0 ?trans1` after the operands. The encoding holds it anyway.
std::string_view without_annotations(std::string_view code) {
  if (code.find_first_of("&?") == code.npos) return code;
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

/// Replaces a label that is itself an address, `(0x1f0), by the address: its number becomes the branch target, and it
/// is printed without the marks.
void resolve_address(Instruction& instruction) {
  const std::string_view name = label_of(instruction.text);
  const auto target = name.starts_with("0x") ? hex_number(name.substr(2)) : std::nullopt;
  if (!target) return;
  const std::string address(name), marked = "`(" + address + ")";
  instruction.branch_target = target;
  instruction.text = replace_all(instruction.text, marked, address);
  for (std::string& operand : instruction.operands) operand = replace_all(operand, marked, address);
}

std::size_t word_end(std::string_view text) { return std::min(text.find_first_of(" \t"), text.size()); }

/// "sm_90a" of `.headerflags @"... EF_CUDA_SM90 ... EF_CUDA_ACCELERATORS"`, which nvdisasm prints instead of .target
/// for cubins with ABI version 7 (CUDA 12 and older).
std::string target_in_flags(std::string_view line) {
  constexpr std::string_view mark = " EF_CUDA_SM";
  const std::size_t at = line.find(mark);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + mark.size());
  const std::string_view number = rest.substr(0, std::min(rest.find_first_not_of("0123456789"), rest.size()));
  return "sm_" + std::string(number) + (line.find("EF_CUDA_ACCELERATORS") == std::string_view::npos ? "" : "a");
}

/// Splits "@!P0 BRA `(.L_x_1) ;" into its parts. False if there is no opcode.
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
  std::string_view name = code.substr(0, end);
  std::size_t dot = std::min(name.find('.'), name.size());
  if (dot == 0 || name.front() < 'A' || name.front() > 'Z') return false;
  instruction.opcode = name.substr(0, dot);
  while (dot < name.size()) {
    name.remove_prefix(dot + 1);
    dot = std::min(name.find('.'), name.size());
    instruction.modifiers.emplace_back(name.substr(0, dot));
  }
  instruction.operands = split_operands(code.substr(end));
  instruction.text = code;
  resolve_address(instruction);
  return true;
}

class Parser {
 public:
  Expected<std::vector<Listing>> parse(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      ++number_;
      WARPCLOCK_TRY(read_line(trim(line)));
    }
    WARPCLOCK_TRY(close_section());
    if (listings_.empty()) return error("no kernel: there is no .text section");
    return std::move(listings_);
  }

 private:
  std::unexpected<Error> error(const std::string& text) const {
    return fail("listing", fmt::format("the disassembly cannot be read: {}", text), fmt::format("line {}", number_));
  }

  Expected<void> read_line(std::string_view line) {
    if (line.empty() || line.starts_with("//")) return {};
    if (inside_ && line.starts_with("/*")) return awaiting_high_ ? read_high(line) : read_instruction(line);
    if (line.substr(0, word_end(line)) == ".section") return open_section(line);
    if (line.substr(0, word_end(line)) == ".target") target_ = trim(line.substr(word_end(line)));
    if (line.starts_with(".headerflags")) target_ = target_in_flags(line);
    if (!inside_) return {};
    if (awaiting_high_) return read_high(line);
    if (line.ends_with(':') && line.find_first_of(" \t") == std::string_view::npos) {
      labels_.emplace(line.substr(0, line.size() - 1), next_address());
      return {};
    }
    if (line.starts_with('.')) return {};
    return error(fmt::format("'{}' is neither instruction, label nor directive", line.substr(0, 60)));
  }

  Expected<void> open_section(std::string_view line) {
    WARPCLOCK_TRY(close_section());
    const std::string_view name = trim(line.substr(8)).substr(0, trim(line.substr(8)).find(','));
    inside_ = name.starts_with(".text.");
    if (inside_) listings_.push_back({.kernel = std::string(name.substr(6)), .target = target_, .instructions = {}});
    return {};
  }

  Expected<void> close_section() {
    if (awaiting_high_) return error("the second half of an instruction's encoding is missing");
    if (inside_ && !labels_.empty()) {
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
    std::string_view code = line;
    const auto address = take_address(code);
    if (!address) return error("an address was expected between /* and */");
    if (*address != next_address()) {
      return error(fmt::format("address {:#x} follows where {:#x} was expected", *address, next_address()));
    }
    const auto low = take_encoding(code);
    if (!low) return error("the instruction has no encoding (nvdisasm needs -hex)");
    Instruction& instruction = listings_.back().instructions.emplace_back();
    instruction.address = *address;
    instruction.low = *low;
    if (!parse_code(code, instruction)) return error(fmt::format("no opcode in '{}'", code.substr(0, 60)));
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

std::optional<Instruction> parse_instruction(std::string_view text) {
  Instruction instruction;
  return parse_code(text, instruction) ? std::optional(std::move(instruction)) : std::nullopt;
}

Control decode_control(std::uint64_t high) {
  const auto field = [high](int bit, int width) { return static_cast<int>(high >> bit & ((1U << width) - 1)); };
  Control control;
  control.stall = field(41, 4);
  // The bit means "stay with this warp". It is clear if ptxas lets the scheduler switch, as after a stall of 12 or
  // more.
  control.yield = field(45, 1) == 0;
  control.write_barrier = field(46, 3) == 7 ? -1 : field(46, 3);
  control.read_barrier = field(49, 3) == 7 ? -1 : field(49, 3);
  control.wait_mask = static_cast<unsigned>(field(52, 6));
  return control;
}

Word with_control(Word word, const Control& control) {
  const auto put = [&](int bit, int width, int value) {
    const std::uint64_t mask = ((std::uint64_t{1} << width) - 1) << bit;
    word.high = (word.high & ~mask) | (static_cast<std::uint64_t>(value) << bit & mask);
  };
  put(41, 4, control.stall);
  put(45, 1, control.yield ? 0 : 1);
  put(46, 3, control.write_barrier);
  put(49, 3, control.read_barrier);
  put(52, 6, static_cast<int>(control.wait_mask));
  return word;
}

Expected<std::vector<Listing>> parse_listings(std::string_view text) { return Parser().parse(text); }

bool matches(const Instruction& instruction, std::string_view pattern) {
  const std::vector<std::string> words = split(trim(pattern), '.');
  if (words.front() != instruction.opcode) return false;
  std::vector<std::string> left = instruction.modifiers;
  return std::all_of(words.begin() + 1, words.end(), [&left](const std::string& word) {
    const auto found = std::ranges::find(left, word);
    if (found == left.end()) return false;
    left.erase(found);
    return true;
  });
}

bool matches_any(const Instruction& instruction, const std::vector<std::string>& patterns) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) { return matches(instruction, pattern); });
}

namespace {

constexpr std::array<std::string_view, 11> jumps{"BRA",  "BRX", "BRXU", "CALL", "EXIT", "JMP",
                                                 "JMPX", "JMX", "JMXU", "KILL", "RET"};

bool leaves(const Instruction& instruction) {
  return instruction.opcode == "EXIT" || instruction.opcode == "RET" || instruction.opcode == "KILL";
}

bool always(const Instruction& instruction) {
  const std::string& predicate = instruction.predicate;
  if (!predicate.empty() && predicate != "PT" && predicate != "UPT") return false;
  // BRA.U !UP0, `(.L_x_0) and BRA.DIV UR4, `(.L_x_1) have their condition among the operands.
  return leaves(instruction) || instruction.operands.size() < 2;
}

}  // namespace

bool is_jump(const Instruction& instruction) { return std::ranges::find(jumps, instruction.opcode) != jumps.end(); }

std::size_t target_index(const Listing& listing, const Instruction& instruction) {
  const std::size_t none = listing.instructions.size();
  if (!instruction.branch_target) return none;
  return std::min<std::uint64_t>(*instruction.branch_target / 16, none);
}

std::vector<std::size_t> successors(const Listing& listing, std::size_t index) {
  const Instruction& instruction = listing.instructions[index];
  const std::size_t size = listing.instructions.size();
  std::vector<std::size_t> next;
  const bool falls_through = !is_jump(instruction) || instruction.opcode == "CALL" || !always(instruction);
  if (falls_through && index + 1 < size) next.push_back(index + 1);
  // BSSY and WARPSYNC name the reconvergence point of a warp, which other edges reach as well.
  if (is_jump(instruction) && !leaves(instruction)) {
    if (const std::size_t target = target_index(listing, instruction); target < size) next.push_back(target);
  }
  return next;
}

std::optional<std::pair<std::size_t, std::size_t>> widest_loop(const Listing& listing, std::size_t first,
                                                               std::size_t end) {
  std::optional<std::pair<std::size_t, std::size_t>> widest;
  for (std::size_t i = first; i < end; ++i) {
    if (!is_jump(listing.instructions[i])) continue;
    const std::size_t target = target_index(listing, listing.instructions[i]);
    if (target < first || target > i) continue;
    if (!widest || i + 1 - target > widest->second - widest->first) widest = {target, i + 1};
  }
  return widest;
}

}  // namespace warpclock
