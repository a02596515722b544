#include "compose/copies/body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <string>
#include <string_view>

#include "base/lookup.hpp"
#include "code/listing.hpp"
#include "verify/chain.hpp"
#include "verify/instruction/expansion.hpp"
#include "verify/window.hpp"

namespace warpclock {
namespace {

/// The name without what does not change how long the instruction takes.
std::string timing_name(const Instruction& instruction) {
  constexpr std::array<std::string_view, 6> same{"FTZ", "RM", "RN", "RP", "RZ", "SAT"};
  std::string name = instruction.opcode;
  for (const std::string& modifier : instruction.modifiers) {
    if (!contains(same, modifier)) name += "." + modifier;
  }
  return name;
}

}  // namespace

KnownForms::KnownForms(const FormTable& table, const FormTimesByKey& times)
    : table_(table), times_(times), movers_(movers_among(table.all())) {
  for (const WordForm& form : table.all()) {
    if (!form.encoded || decode_control(form.word.high).write_barrier >= 0) continue;
    const auto instruction = parse_instruction(text_of(form.skeleton));
    if (!instruction) continue;
    const auto [at, fresh] = ready_.try_emplace(timing_name(*instruction), *form.encoded);
    if (!fresh) at->second = std::min(at->second, *form.encoded);
  }
}

int KnownForms::ready(const Instruction& instruction) const {
  constexpr int unknown = 15;
  return value_or(ready_, timing_name(instruction), unknown);
}

const FormTimes* KnownForms::times(const WordForm& form) const {
  const auto at = times_.find(key_of(form));
  return at == times_.end() ? nullptr : &at->second;
}

namespace {

/// A value in a register. Those of one block have one root.
struct BodyValue {
  Register reg;
  std::size_t parent = 0;
  bool written = false;
  int align = 1;
};

class BodyReader {
 public:
  BodyReader(const Listing& listing, const PtxInstruction& instruction, const KnownForms& forms)
      : listing_(listing), instruction_(instruction), forms_(forms) {}

  Expected<Body> read() {
    const std::vector<std::size_t> reads = clock_reads(listing_);
    if (reads.size() < 2) return refuse("a clock read is missing");
    const std::vector<std::size_t> own = own_code(listing_, reads.front(), reads.back(), instruction_);
    loads_ = traffic(instruction_, &Operand::read);
    stores_ = traffic(instruction_, &Operand::written);
    const std::set<std::size_t> is_own(own.begin(), own.end());
    for (std::size_t i = reads.front() + 1; i < reads.back(); ++i) {
      WARPCLOCK_TRY(is_own.contains(i) ? add(i) : pass(i));
      note_scoreboards(i, is_own.contains(i));
    }
    if (loaded_ != loads_.size() || stored_ != stores_.size()) return refuse("its loads and stores are not in order");
    return finish();
  }

 private:
  static std::unexpected<Error> refuse(std::string why) { return fail("compose", std::move(why)); }
  std::size_t define(Register reg) {
    values_.push_back({reg, values_.size()});
    current_[reg] = values_.size() - 1;
    return values_.size() - 1;
  }

  std::size_t root(std::size_t value) {
    while (values_[value].parent != value) value = values_[value].parent;
    return value;
  }
  void join(std::size_t a, std::size_t b) { values_[root(a)].parent = root(b); }

  /// A load, compare or store of the kernel itself.
  Expected<void> pass(std::size_t at) {
    const Instruction& one = listing_.instructions[at];
    const Effects effects = effects_of(one);
    if (one.opcode == "LDS" && loaded_ < loads_.size()) {
      const Element element = loads_[loaded_++];
      for (const Register reg : effects.writes) from_[define(reg)] = element;
      for (const Register reg : effects.writes) sources_[element].push_back(current_.at(reg));
    } else if (one.opcode == "STS" && stored_ < stores_.size()) {
      const Element element = stores_[stored_++];
      const auto& read = effects.guard.empty() ? effects.sources.back() : effects.guard;
      for (const Register reg : read) {
        const auto value = current_.find(reg);
        if (value != current_.end()) results_[element].push_back(value->second);
      }
    } else if (one.opcode == "ISETP") {
      std::optional<Element> element;
      for (const auto& source : effects.sources) {
        for (const Register reg : source) {
          const auto value = current_.find(reg);
          if (value == current_.end() || !from_.contains(value->second)) continue;
          element = from_.at(value->second);
        }
      }
      if (!element) return refuse("a predicate is not computed from an operand");
      sources_[*element] = {define(effects.writes.front())};
    } else if (!kind_of(one).empty()) {
      return refuse(fmt::format("'{}' is in its window", one.text));
    }
    return {};
  }

  Expected<void> add(std::size_t at) {
    const Instruction& one = listing_.instructions[at];
    if (is_jump(one)) return refuse("it branches or calls");
    // Copies that go ahead would take each other's values.
    if (hides_flow(one)) body_.alone = fmt::format("{} passes a value outside registers", one.opcode);
    const Skeleton skeleton = skeleton_of(with_guard(one));
    BodyWord word;
    word.form = forms_.table().find(key_of(skeleton));
    if (word.form == nullptr) return refuse(fmt::format("the form of '{}' is not known", one.text));
    word.times = forms_.times(*word.form);
    Control control = decode_control(one.high);
    word.waits_for_all = control.wait_mask == (1U << scoreboards) - 1, word.no_stall = control.stall == 0;
    control.wait_mask = 0;
    word.word = with_control({one.low, one.high}, control);
    word.instruction = one;
    word.ready = control.write_barrier >= 0 ? 0 : forms_.ready(one);
    word.numerals.resize(skeleton.numerals.size());
    numbers_.emplace_back(skeleton.numerals.size());
    const Effects effects = effects_of(one);
    const std::size_t results = one.operands.size() - effects.sources.size();
    for (std::size_t i = 0; i < skeleton.numerals.size(); ++i) {
      const Numeral& numeral = skeleton.numerals[i];
      if (numeral.kind == Numeral::Kind::Scoreboard) body_.alone = fmt::format("'{}' names a scoreboard", one.text);
      if (numeral.last || numeral.kind > Numeral::Kind::UniformPredicate) continue;
      const bool guard = numeral.operand < 0;
      if (!guard && static_cast<std::size_t>(numeral.operand) < results) continue;
      const std::vector<Register>& read =
          guard ? effects.guard : effects.sources[static_cast<std::size_t>(numeral.operand) - results];
      numbers_.back()[i] = WARPCLOCK_TRY(source(one, numeral, read));
    }
    for (std::size_t i = 0; i < skeleton.numerals.size(); ++i) {
      const Numeral& numeral = skeleton.numerals[i];
      const bool result = numeral.operand >= 0 && static_cast<std::size_t>(numeral.operand) < results;
      if (!result || numeral.last || numeral.kind > Numeral::Kind::UniformPredicate) continue;
      numbers_.back()[i] = WARPCLOCK_TRY(result_of(numeral, effects));
    }
    body_.words.push_back(std::move(word));
    at_.push_back(at);
    return {};
  }

  static Register first_of(const Numeral& numeral) {
    return {static_cast<RegisterFile>(static_cast<int>(numeral.kind)), static_cast<int>(numeral.value)};
  }

  /// The registers from the numeral's on, as far as the operand spans them without a gap.
  static std::vector<Register> span(const Numeral& numeral, const std::vector<Register>& among) {
    std::vector<Register> all;
    for (Register reg = first_of(numeral); contains(among, reg); ++reg.index) {
      all.push_back(reg);
    }
    return all;
  }

  std::size_t tie(const std::vector<std::size_t>& row) {
    for (const std::size_t value : row) join(value, row.front());
    int& align = values_[row.front()].align;
    align = std::max(align, static_cast<int>(std::bit_ceil(row.size())));
    return row.front();
  }

  Expected<std::size_t> source(const Instruction& one, const Numeral& numeral, const std::vector<Register>& read) {
    std::vector<Register> registers = span(numeral, read);
    const bool descriptor = numeral.operand >= 0 && numeral.kind == Numeral::Kind::UniformRegister &&
                            one.operands[static_cast<std::size_t>(numeral.operand)].starts_with("desc[");
    if (descriptor) {
      const Register first = first_of(numeral);
      registers = {first, {first.file, first.index + 1}};
    }
    if (registers.empty()) registers = {first_of(numeral)};
    std::vector<std::size_t> row;
    for (const Register reg : registers) {
      auto value = current_.find(reg);
      if (value == current_.end() && descriptor) {
        define(reg);
        value = current_.find(reg);
        descriptor_ = root(value->second);
      }
      if (value == current_.end()) {
        // Any number will do, unless it decides what is done where.
        const bool address =
            numeral.operand >= 0 && one.operands[static_cast<std::size_t>(numeral.operand)].contains('[');
        const bool uniform = reg.file == RegisterFile::Uniform || reg.file == RegisterFile::UniformPredicate;
        if (address || uniform || numeral.operand < 0) {
          return refuse(fmt::format("'{}' reads {}, which is set before it", one.text, to_string(reg)));
        }
        define(reg);
        value = current_.find(reg);
      }
      row.push_back(value->second);
    }
    return tie(row);
  }

  Expected<std::size_t> result_of(const Numeral& numeral, const Effects& effects) {
    std::vector<Register> registers = span(numeral, effects.writes);
    if (registers.empty()) return refuse("a result is not known");
    std::vector<std::size_t> row;
    for (const Register reg : registers) {
      const auto old = current_.find(reg);
      const bool keeps = (effects.conditional || !effects.guard.empty()) && old != current_.end();
      const std::size_t before = keeps ? old->second : 0;
      const std::size_t value = define(reg);
      values_[value].written = true;
      if (keeps) join(value, before);
      row.push_back(value);
    }
    return tie(row);
  }

  /// Which own word's scoreboards a word waits for.
  void note_scoreboards(std::size_t at, bool own) {
    const Control& control = listing_.instructions[at].control;
    for (int scoreboard = 0; scoreboard < static_cast<int>(scoreboards); ++scoreboard) {
      if ((control.wait_mask >> scoreboard & 1U) == 0) continue;
      auto& setters = setters_[scoreboard];
      if (own) {
        auto& after = body_.words.back().after;
        after.insert(after.end(), setters.begin(), setters.end());
      }
      setters.clear();
    }
    if (!own) return;
    for (const int scoreboard : {control.write_barrier, control.read_barrier}) {
      if (scoreboard >= 0) setters_[scoreboard].push_back(body_.words.size() - 1);
    }
  }

  Expected<Body> finish() {
    std::map<std::size_t, std::size_t> block_of;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const BodyValue& value = values_[i];
      const auto [at, fresh] = block_of.try_emplace(root(i), body_.blocks.size());
      if (fresh) body_.blocks.push_back({.file = value.reg.file, .first = value.reg.index});
      Block& block = body_.blocks[at->second];
      const int end = std::max(block.first + block.registers, value.reg.index + 1);
      block.first = std::min(block.first, value.reg.index);
      block.registers = end - block.first;
      block.align = std::max(block.align, value.align);
      block.written = block.written || value.written;
    }
    const auto placed = [&](std::size_t value) {
      return BodyRegister{block_of.at(root(value)), values_[value].reg.index};
    };
    for (std::size_t i = 0; i < body_.words.size(); ++i) {
      for (std::size_t numeral = 0; numeral < numbers_[i].size(); ++numeral) {
        if (numbers_[i][numeral]) body_.words[i].numerals[numeral] = placed(*numbers_[i][numeral]);
      }
      if (i + 1 == body_.words.size()) {
        // What only orders accesses lets the next instruction issue some cycles later.
        BodyWord& last = body_.words.back();
        if (last.is_seen() && std::ranges::none_of(body_.words, &BodyWord::accesses_memory))
          last.distance = issue_distance(listing_.instructions[at_[i]].control);
        continue;
      }
      body_.words[i].distance = distance(at_[i], at_[i + 1]);
      body_.words[i].interleaved = at_[i + 1] > at_[i] + 1;
    }
    for (const auto& [element, all] : sources_) {
      for (const std::size_t value : all) body_.sources[element].push_back(placed(value));
    }
    for (const auto& [element, all] : results_) {
      for (const std::size_t value : all) body_.results[element].push_back(placed(value));
    }
    if (descriptor_) body_.descriptor = block_of.at(root(*descriptor_));
    for (const char* key : {"@PT ULDC.64 UR#, c[#][#]", "@PT LDCU.64 UR#, c[#][#]"}) {
      if (const WordForm* form = forms_.table().find(key); form != nullptr) body_.descriptor_load = form;
    }
    body_.movers = &forms_.movers();
    // A wait at an mbarrier has a result, which is what the rest of a program waits for.
    body_.acquires = instruction_.kind != "mbarrier" && instruction_.mnemonic.contains(".acq");
    for (const auto& [element, all] : body_.sources) {
      const bool changes = std::ranges::any_of(all, [&](BodyRegister reg) { return body_.blocks[reg.block].written; });
      if (changes && instruction_.operands[element.first].address) return refuse("it changes its address");
    }
    return std::move(body_);
  }

  /// Cycles from one issue to the other.
  [[nodiscard]] int distance(std::size_t from, std::size_t to) const {
    int cycles = 0;
    for (std::size_t i = from; i < to; ++i) cycles += issue_distance(listing_.instructions[i].control);
    return cycles;
  }

  const Listing& listing_;
  const PtxInstruction& instruction_;
  const KnownForms& forms_;
  Body body_;
  std::vector<std::size_t> at_;
  std::vector<std::vector<std::optional<std::size_t>>> numbers_;  ///< values, by word and numeral
  std::vector<BodyValue> values_;
  std::map<Register, std::size_t> current_;
  std::map<std::size_t, Element> from_;
  std::map<Element, std::vector<std::size_t>> sources_, results_;
  std::map<int, std::vector<std::size_t>> setters_;
  std::optional<std::size_t> descriptor_;
  std::vector<Element> loads_, stores_;
  std::size_t loaded_ = 0, stored_ = 0;
};

}  // namespace

bool BodyWord::accesses_memory() const {
  return std::ranges::any_of(instruction.operands,
                             [](const std::string& one) { return one.contains('[') && !one.contains("c[0x"); });
}

Expected<Body> body_of(const Listing& listing, const PtxInstruction& instruction, const KnownForms& forms) {
  return BodyReader(listing, instruction, forms).read();
}

}  // namespace warpclock
