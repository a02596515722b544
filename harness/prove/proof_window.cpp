#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "code/elf.hpp"
#include "compose/hole_source.hpp"
#include "compose/machine_subject.hpp"
#include "compose/placing.hpp"
#include "compose/window_checks.hpp"
#include "execute/code_operand.hpp"
#include "execute/step_kind.hpp"
#include "fields/form_table.hpp"
#include "inspect/image/kernel_facts.hpp"
#include "prove/prove.hpp"

namespace warpclock {
namespace {

using Kind = OperandShape::Kind;

constexpr std::size_t few_launches = 4, number_ways = 4;

/// Why nothing of such an instruction can be compared; empty if something can.
std::string_view nothing_to_compare(const Instruction& instruction) {
  switch (step_kind(instruction)) {
    case StepKind::Value:
    case StepKind::Access:
      break;
    case StepKind::Nothing:
      return "leaves nothing in registers or memory";
    case StepKind::Copy:
      return "copies, which ends after the window";
    default:
      return "changes the control flow";
  }
  for (const std::string& operand : instruction.operands) {
    if (operand == "PR" || operand == "UPR") return "reads all predicates, those of the frame too";
    const auto special = special_operand(operand);
    if (special == SpecialRegister::Unknown) return "reads what is not the same in each run";
  }
  return {};
}

/// A form whose numbers are others: the operand fields of numbers, and the places of constants.
class Numbers {
 public:
  Numbers(const WordForm& form, const Instruction& instruction, std::size_t results) {
    const auto& numerals = form.skeleton.numerals;
    int constant = -1;
    for (std::size_t i = 1; i < numerals.size(); ++i) {
      const Numeral& one = numerals[i];
      if (one.kind != Numeral::Kind::Number || one.operand < static_cast<int>(results)) continue;
      const std::string& text = instruction.operands[static_cast<std::size_t>(one.operand)];
      if (text.contains("c[") && !text.contains("desc[")) {
        (constant == one.operand ? offsets_ : banks_).push_back(i);
        constant = one.operand;
      } else if (!text.contains('[') && form.fields[i].known()) {
        numbers_.push_back(i);
      }
    }
  }

  [[nodiscard]] bool constants() const { return !offsets_.empty(); }
  [[nodiscard]] bool any() const { return !numbers_.empty(); }

  /// The form with the numbers of one of `number_ways`; those of the first are the word's own.
  [[nodiscard]] Expected<WordForm> written(WordForm form, std::size_t way, std::uint32_t arguments_at) const {
    for (const std::size_t i : banks_) WARPCLOCK_TRY(set(form, i, 0));
    std::int64_t place = arguments_at + proof_data::constants_in_argument;
    for (const std::size_t i : offsets_) {
      WARPCLOCK_TRY(set(form, i, place));
      place += proof_data::constant_bytes;
    }
    for (std::size_t k = 0; way > 0 && k < numbers_.size(); ++k) {
      const std::size_t width = std::min<std::size_t>(32, form.fields[numbers_[k]].bits.size());
      const std::uint64_t all = (std::uint64_t{1} << width) - 1;
      const std::array<std::uint64_t, number_ways> values{0, 0x9e3779b9U >> k & all, (5 + 13 * k) & all, all - k % 2};
      // A field that does not hold it keeps its number.
      WordForm other = form;
      if (set(other, numbers_[k], static_cast<std::int64_t>(values.at(way)))) form = std::move(other);
    }
    return form;
  }

 private:
  static Expected<void> set(WordForm& form, std::size_t numeral, std::int64_t value) {
    form.word = WARPCLOCK_TRY(with_number(form, form.word, numeral, value));
    form.skeleton.numerals[numeral].value = value;
    return {};
  }

  std::vector<std::size_t> banks_, offsets_, numbers_;
};

bool is_uniform(const OperandShape& one) { return one.kind == Kind::Uniform || one.kind == Kind::UniformPredicate; }

/// Whether all threads of a warp access the same address, which only a uniform register says.
bool one_address(const WordForm& form, const FormShape& shape) {
  const auto& numerals = form.skeleton.numerals;
  for (std::size_t i = 0; i < shape.sources.size(); ++i) {
    const auto has = [&](Numeral::Kind kind) {
      return std::ranges::any_of(numerals, [&](const Numeral& one) {
        return one.kind == kind && !one.last && one.operand == static_cast<int>(shape.results.size() + i);
      });
    };
    if (shape.sources[i].kind == Kind::Address && !has(Numeral::Kind::Register) && has(Numeral::Kind::UniformRegister))
      return true;
  }
  return false;
}

Expected<Filling> filling_of(const ProofFrame& frame, const WordForm& form) {
  // Longer than any result of fixed latency takes.
  constexpr int long_enough = 60;
  Placer placer(frame.hole, frame.movers, OperandUse::Compared);
  Copy copy = WARPCLOCK_TRY(placer.place(form, {}));
  copy.stall = long_enough;
  auto filling = WARPCLOCK_TRY(placer.finish(std::array{copy}));
  WARPCLOCK_TRY(check_waits(filling));
  return filling;
}

Expected<void> compose(const ProofFrame& frame, const WordForm& form, ProofWindow& window) {
  const MachineSubject subject = WARPCLOCK_TRY(machine_subject(form, frame.movers));
  const Instruction instruction = parse_instruction(text_of(form.skeleton)).value();
  if (const auto why = nothing_to_compare(instruction); !why.empty())
    return fail("no-result", fmt::format("{} {}", instruction.opcode, why));
  if (subject.wide) return fail("set-up", fmt::format("{} has more registers than a quad", instruction.opcode));
  window.memory = step_kind(instruction) == StepKind::Access;
  const auto& shape = subject.shape;
  const auto is_register = [](const OperandShape& one) { return one.kind != Kind::None; };
  if (!window.memory && std::ranges::none_of(shape.results, is_register))
    return fail("no-result", fmt::format("{} leaves nothing in registers or memory", instruction.opcode));
  const bool by_warp = std::ranges::any_of(shape.sources, is_uniform) || one_address(form, shape);
  const Numbers numbers(form, instruction, shape.results.size());
  // Another selector of a sparse matrix is an illegal instruction.
  const bool varies = numbers.any() && !instruction.opcode.ends_with("MMA");
  std::set<Word> words;
  for (std::size_t way = 0; way < (varies ? number_ways : 1); ++way) {
    const auto written =
        WARPCLOCK_TRY(numbers.written(form, way, arguments_at(frame.kernel.facts, bank_places(to_string(frame.arch)))));
    if (!words.insert(written.word).second) continue;
    window.fillings.emplace_back() = WARPCLOCK_TRY(filling_of(frame, written));
  }
  const bool many = by_warp || numbers.constants() || std::ranges::any_of(shape.results, is_uniform);
  const std::size_t launches = many ? operand_launches : few_launches;
  for (std::size_t i = 0; i < launches; ++i)
    window.launches.push_back({i % window.fillings.size(), i, by_warp ? OperandsOf::Warp : OperandsOf::Thread});
  window.sets = launches * (by_warp ? proof_data::warps : proof_data::threads);
  return {};
}

Word without_control(const Word& word) { return with_control(word, {}); }

}  // namespace

std::uint32_t arguments_at(const KernelFacts& facts, const BankPlaces& places) {
  return places.arguments + static_cast<std::uint32_t>(facts.parameters.front().at);
}

Expected<ProofFrame> proof_frame(const Arch& arch, const std::string& nvdisasm, const Hole& hole) {
  const FormTable& forms = nearest_forms_of(arch);
  ProofFrame frame{arch, nvdisasm, hole, movers_among(forms.all()), {}};
  auto listings = WARPCLOCK_TRY(listings_of(arch, nvdisasm, hole.image));
  const auto facts = WARPCLOCK_TRY(kernel_facts(hole.image));
  const auto listing = std::ranges::find(listings, hole.kernels.front().symbol, &Listing::kernel);
  const auto found = facts.find(hole.kernels.front().symbol);
  if (listing == listings.end() || found == facts.end() || found->second.parameters.empty())
    return fail("hole", "the first kernel is not in the cubin");
  frame.kernel.listing = std::move(*listing);
  frame.kernel.facts = found->second;
  return frame;
}

ProofWindow proof_window(const ProofFrame& frame, const WordForm& form) {
  ProofWindow window{.key = key_of(form)};
  if (auto composed = compose(frame, form, window); !composed) {
    window.reason = std::move(composed.error());
    return window;
  }
  auto image = fill_hole(frame.hole, window.fillings);
  if (image)
    window.image = *std::move(image);
  else
    window.reason = std::move(image.error());
  return window;
}

PlacedTexts::PlacedTexts(const ProofFrame& frame, std::span<ProofWindow> windows) {
  std::vector<PlacedWord> words;
  std::map<Word, std::size_t> known;
  for (const ProofWindow& window : windows) {
    for (const Filling& filling : window.fillings) {
      for (const PlacedWord& placed : filling.placed) {
        if (known.try_emplace(placed.word, words.size()).second) words.push_back(placed);
      }
    }
  }
  const std::vector<ReadWord> read = read_words(frame.arch, frame.nvdisasm, words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!read[i].wrong.empty()) continue;
    if (auto instruction = parse_instruction(read[i].text))
      texts_.emplace(without_control(words[i].word), *std::move(instruction));
  }
  texts_.emplace(without_control(no_operation), parse_instruction("NOP").value());
  const auto wrong = [&](const Filling& filling) {
    for (const PlacedWord& placed : filling.placed) {
      const std::string& text = read[known.at(placed.word)].wrong;
      if (!text.empty()) return text;
    }
    return std::string();
  };
  for (ProofWindow& window : windows) {
    for (std::size_t i = 0; i < window.fillings.size() && !window.reason; ++i) {
      const std::string text = wrong(window.fillings[i]);
      if (text.empty()) continue;
      if (i == 0) window.reason = Error{"read-back", text, {}};
      for (ProofLaunch& launch : window.launches) launch.filling = launch.filling == i ? 0 : launch.filling;
    }
  }
}

const Instruction* PlacedTexts::find(const Word& word) const {
  const auto found = texts_.find(without_control(word));
  return found == texts_.end() ? nullptr : &found->second;
}

Expected<LoadedKernel> kernel_in(const ProofFrame& frame, const PlacedTexts& texts, const std::string& image,
                                 std::size_t filling) {
  LoadedKernel kernel = frame.kernel;
  auto& code = kernel.listing.instructions;
  const std::string_view bytes = std::string_view(image).substr(frame.hole.kernels[filling].code);
  const std::vector<Word> words = words_of(bytes.substr(0, code.size() * word_bytes));
  if (words.size() != code.size()) return fail("listing", "the image ends within the kernel");
  const HoleKernel& hole = frame.hole.kernels.front();
  std::map<Word, const Instruction*> own;
  for (const Instruction& one : frame.kernel.listing.instructions)
    own.emplace(without_control({one.low, one.high}), &one);
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (words[i] == Word{code[i].low, code[i].high}) continue;
    const Instruction* found = texts.find(words[i]);
    if (const auto at = own.find(without_control(words[i])); found == nullptr && at != own.end()) found = at->second;
    if (found == nullptr || i < hole.open || i > hole.open + hole.room + 1)
      return fail("listing", fmt::format("word {} of the image is not known", i));
    const std::uint64_t address = code[i].address;
    code[i] = *found;
    code[i].address = address, code[i].low = words[i].low, code[i].high = words[i].high;
    code[i].control = decode_control(words[i].high);
  }
  return kernel;
}

}  // namespace warpclock
