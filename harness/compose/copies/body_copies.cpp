#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "compose/copies/banks.hpp"
#include "compose/copies/body.hpp"
#include "compose/copies/composing.hpp"
#include "compose/copies/schedule.hpp"
#include "compose/filling.hpp"
#include "compose/loop.hpp"
#include "fields/form_table.hpp"

namespace warpclock {
namespace {

/// Where the blocks of one copy are: the first register of each.
using BlockPlaces = std::vector<std::optional<int>>;

/// The number that a register of the body has in a copy. Its block has a place.
int number_in(const Body& body, const BlockPlaces& places, BodyRegister reg) {
  return *places[reg.block] + reg.index - body.blocks[reg.block].first;
}

/// Whether a block whose first register has this number would be on top of one that the words of a copy write.
bool meets_written(const Body& body, const BlockPlaces& places, const Block& block, int first) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Block& other = body.blocks[i];
    if (!places[i] || !other.written || other.file != block.file) continue;
    if (*places[i] < first + block.registers && first < *places[i] + other.registers) return true;
  }
  return false;
}

/// Whether it would be on top of the result `operand` of a copy.
bool meets_result(const Body& body, const BlockPlaces& places, std::size_t operand, const Block& block, int first) {
  return std::ranges::any_of(body.results, [&](const auto& result) {
    const auto& [element, registers] = result;
    if (element.first != operand || body.blocks[registers.front().block].file != block.file) return false;
    return std::ranges::any_of(registers, [&](BodyRegister reg) {
      const int number = number_in(body, places, reg);
      return first <= number && number < first + block.registers;
    });
  });
}

/// The word of the body with the registers of these places. Blocks in `again`, which may be empty, are read by the next
/// copy as well: reuse flags keep them if their bank has no time to give them again. Error "compose" if the
/// disassembler would not read the word, and those of with_number().
Expected<Copy> copy_of(const Body& body, const BodyWord& word, const BlockPlaces& places, const BlockPlaces& again) {
  Copy copy;
  copy.word = word.word;
  Skeleton meant = skeleton_of(with_guard(word.instruction));
  // Some words cannot ask for all three of their operands to be kept, and two leave nothing to wait for.
  constexpr int most_kept = 2;
  int reused = 0;
  for (std::size_t i = 0; i < word.numerals.size(); ++i) {
    if (!word.numerals[i]) continue;
    const int number = number_in(body, places, *word.numerals[i]);
    copy.word = WARPCLOCK_TRY(with_number(*word.form, copy.word, i, number));
    const bool reuse = word.form->fields[i].reuse.has_value();
    const bool kept =
        reuse && !again.empty() && again[word.numerals[i]->block] && waits_for_banks(body, word) && reused < most_kept;
    reused += kept ? 1 : 0;
    if (reuse) copy.word = WARPCLOCK_TRY(with_reuse(*word.form, copy.word, i, kept));
    meant.numerals[i].reuse = kept;
    meant.numerals[i].value = number;
  }
  const std::string text = text_of(meant);
  const auto instruction = parse_instruction(text);
  if (!instruction) return fail("compose", fmt::format("'{}' is no instruction", text));
  copy.key = key_of(meant);
  copy.effects = effects_of(*instruction);
  const Control control = decode_control(word.word.high);
  copy.write_scoreboard = control.write_barrier >= 0;
  copy.read_scoreboard = control.read_barrier >= 0;
  copy.keeps_order = true;
  copy.waits_for_all = word.waits_for_all;
  copy.no_stall = word.no_stall;
  return copy;
}

/// Gives out registers in turn.
class RegisterRing {
 public:
  explicit RegisterRing(std::vector<int> registers) : registers_(std::move(registers)) {}

  /// The first of `count` registers in a row, which is `rest` modulo `align`; nothing if there are none.
  std::optional<int> take(int count, int align, int rest) {
    for (std::size_t tried = 0; tried < registers_.size(); ++tried) {
      const std::size_t at = (next_ + tried) % registers_.size();
      if (registers_[at] % align != rest % align || !is_row(at, count)) continue;
      next_ = at + static_cast<std::size_t>(count);
      return registers_[at];
    }
    return std::nullopt;
  }

  /// Never gives these registers out again.
  void remove(int first, int count) {
    std::erase_if(registers_, [&](int one) { return one >= first && one < first + count; });
    next_ = 0;
  }

 private:
  [[nodiscard]] bool is_row(std::size_t at, int count) const {
    const std::size_t last = at + static_cast<std::size_t>(count) - 1;
    return last < registers_.size() && registers_[last] == registers_[at] + count - 1;
  }

  std::vector<int> registers_;
  std::size_t next_ = 0;
};

constexpr int patient_stall = 45;  // three words long, so the smallest of three windows fits into the largest

std::unexpected<Error> not_placed(std::string why) { return fail("compose", std::move(why)); }

class Copier {
 public:
  Copier(const Body& body, const Room& room, const Experiment& experiment, const std::vector<int>& predicates)
      : body_(body),
        room_(room),
        experiment_(experiment),
        rings_{RegisterRing(room.scratch), RegisterRing(room.hole.uniform), RegisterRing(predicates),
               RegisterRing(room.hole.uniform_predicates)} {}

  Expected<Filling> write(std::int64_t n, Pace pace) {
    Filling filling;
    if (body_.descriptor) filling.before = {WARPCLOCK_TRY(load_descriptor())};
    Trips trips{.count = experiment_.trips, .in_step = !meets_others()};
    if (trips.count > 1) WARPCLOCK_TRY(reserve(trips));
    banks_ = banks_of(body_, chained() ? std::optional(experiment_.links.front()) : std::nullopt);
    WARPCLOCK_TRY(place_operands());
    WARPCLOCK_TRY(prepare());
    BlockPlaces before;
    for (std::int64_t i = 0; i < n * experiment_.ilp; ++i) {
      BlockPlaces places = WARPCLOCK_TRY(place(i > 0 ? &before : nullptr));
      WARPCLOCK_TRY(append(places));
      before = std::move(places);
    }
    if (trips.count > 1) std::ranges::copy(WARPCLOCK_TRY(set_count(*body_.movers, trips)), std::back_inserter(moves_));
    const std::vector<Word> moves = wired(moves_);
    filling.before.insert(filling.before.end(), moves.begin(), moves.end());
    auto sorted = WARPCLOCK_TRY(scheduled(body_, std::move(copies_), chained()));
    for (Copy& copy : sorted) copy.stall = pace == Pace::Patient ? patient_stall : copy.stall;
    filling.window = wired(sorted);
    for (const Copy& copy : sorted) filling.placed.push_back(placed_word(copy));
    if (trips.count > 1) WARPCLOCK_TRY(run_in_loop(filling, room_.hole, *body_.movers, trips));
    return filling;
  }

 private:
  [[nodiscard]] bool chained() const { return experiment_.question == Question::Latency; }

  /// Where barriers are measured, one of the loop would be among them.
  [[nodiscard]] bool meets_others() const {
    return std::ranges::any_of(body_.words, [](const BodyWord& one) { return one.instruction.opcode == "BAR"; });
  }

  /// For the count of the trips. The predicate may be one that copies write: its value is used at once.
  Expected<void> reserve(Trips& trips) {
    RegisterRing& vector = rings_[static_cast<std::size_t>(RegisterFile::Vector)];
    const auto counter = vector.take(1, 1, 0);
    if (!counter || room_.hole.predicates.empty()) return not_placed("no register is left to count the trips");
    vector.remove(*counter, 1);
    trips.counter = *counter;
    trips.predicate = room_.hole.predicates.front();
    return {};
  }

  /// The word that loads the descriptor of global memory into uniform registers which nothing else uses.
  Expected<Word> load_descriptor() {
    RegisterRing& uniform = rings_[static_cast<std::size_t>(RegisterFile::Uniform)];
    const auto first = uniform.take(2, 2, 0);
    if (!first || room_.hole.descriptor.empty() || body_.descriptor_load == nullptr) {
      return not_placed("the kernel has no descriptor for global memory");
    }
    uniform.remove(*first, 2);
    descriptor_ = *first;
    return with_number(*body_.descriptor_load, room_.hole.descriptor.front(), 1, descriptor_);
  }

  /// Whether these registers are in the wanted bank, if there is one.
  [[nodiscard]] bool is_in_bank(std::size_t block, int first) const {
    const bool any = chained() && !is_read_with_others(body_, block);
    return any || (first - banks_.at(block)) % banks == 0;
  }

  /// Operands that no copy changes are in the same registers for all copies: where the kernel loaded them, or, if the
  /// body needs them side by side or in another bank, in scratch registers.
  Expected<void> place_operands() {
    std::map<std::size_t, std::map<int, int>> operands;  // by block and register of the body: the kernel's register
    std::set<std::size_t> others;
    for (const auto& [element, all] : body_.sources) {
      const auto operand = room_.operands.find(element);
      if (operand == room_.operands.end() || operand->second.size() < all.size()) {
        return not_placed("an operand has other registers");
      }
      for (std::size_t i = 0; i < all.size(); ++i) {
        const bool links = chained() && element.first == experiment_.links.front().to;
        if (links || body_.blocks[all[i].block].written) others.insert(all[i].block);
        operands[all[i].block][all[i].index] = operand->second[i].index;
      }
    }
    std::erase_if(operands, [&](const auto& one) { return others.contains(one.first); });
    operands_.resize(body_.blocks.size());
    for (const auto& [i, registers] : operands) {
      const Block& block = body_.blocks[i];
      const int first = registers.begin()->second - (registers.begin()->first - block.first);
      const bool fits = !block.once && first >= 0 && first % block.align == block.first % block.align &&
                        is_in_bank(i, first) && std::ranges::all_of(registers, [&](const auto& one) {
                          return one.second - one.first == first - block.first;
                        });
      operands_[i] = fits ? first : WARPCLOCK_TRY(moved(block, registers, banks_.at(i)));
    }
    return {};
  }

  /// What all copies have in common runs before the window, in registers that no copy uses.
  Expected<void> prepare() {
    constexpr int ready = 15;  // every result of fixed latency is there by then
    BlockPlaces places = operands_;
    if (body_.descriptor) places[*body_.descriptor] = descriptor_;
    std::set<std::size_t> used;
    for (const BodyWord& word : body_.before) {
      for (const auto& reg : word.numerals) {
        if (reg) used.insert(reg->block);
      }
    }
    for (const std::size_t i : used) {
      const Block& block = body_.blocks[i];
      if (places[i]) continue;
      RegisterRing& ring = rings_[static_cast<std::size_t>(block.file)];
      const int align = block.file == RegisterFile::Vector ? std::max(block.align, banks) : block.align;
      const auto first = ring.take(block.registers, align, banks_.at(i));
      if (!first) return not_placed("what its copies have in common needs more registers than there are");
      ring.remove(*first, block.registers);
      operands_[i] = places[i] = *first;
    }
    for (const BodyWord& one : body_.before) {
      Copy copy = WARPCLOCK_TRY(copy_of(body_, one, places, chained() ? BlockPlaces() : operands_));
      copy.stall = ready;
      moves_.push_back(std::move(copy));
    }
    return {};
  }

  /// Moves an operand to registers that no copy uses; the first of them is `rest` modulo the alignment.
  Expected<int> moved(const Block& block, const std::map<int, int>& registers, int rest) {
    if (block.file != RegisterFile::Vector) return not_placed("its operand would have to be moved");
    RegisterRing& ring = rings_[static_cast<std::size_t>(block.file)];
    const auto first = ring.take(block.registers, std::max(block.align, banks), rest);
    if (!first) return not_placed("its operands need more registers than there are");
    ring.remove(*first, block.registers);
    for (const auto& [index, from] : registers) {
      moves_.push_back(WARPCLOCK_TRY(moved_by(body_.movers->vector, *first + index - block.first, from)));
    }
    return *first;
  }

  /// The block of a source goes where its operand is.
  Expected<void> settle(BlockPlaces& places, BodyRegister reg, int number) const {
    const Block& block = body_.blocks[reg.block];
    const int first = number - (reg.index - block.first);
    if (places[reg.block] && *places[reg.block] != first) return not_placed("its operands are not side by side");
    if (first < 0 || first % block.align != block.first % block.align) {
      return not_placed("its operand would have to be moved");
    }
    places[reg.block] = first;
    return {};
  }

  /// The register of the earlier copy's result that an operand's register is; nothing for another operand.
  [[nodiscard]] std::optional<int> result_for(Element element, std::size_t i, const BlockPlaces* before) const {
    if (!chained() || before == nullptr || element.first != experiment_.links.front().to) return std::nullopt;
    const auto result = body_.results.find({experiment_.links.front().from, element.second});
    if (result == body_.results.end() || i >= result->second.size()) return std::nullopt;
    return number_in(body_, *before, result->second[i]);
  }

  Expected<BlockPlaces> place(const BlockPlaces* before) {
    BlockPlaces places = operands_;
    if (body_.descriptor) places[*body_.descriptor] = descriptor_;
    const Link* const link = chained() ? &experiment_.links.front() : nullptr;
    for (const auto& [element, all] : body_.sources) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (const auto number = result_for(element, i, before)) WARPCLOCK_TRY(settle(places, all[i], *number));
      }
    }
    if (link != nullptr && before == nullptr) WARPCLOCK_TRY(place_first(places, *link));
    if (link != nullptr) WARPCLOCK_TRY(place_results(places, *link, before));
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Block& block = body_.blocks[i];
      if (!places[i]) places[i] = WARPCLOCK_TRY(take(block, block.align, banks_.at(i), places, before));
    }
    return places;
  }

  /// The first copy of a chain reads its operand.
  Expected<void> place_first(BlockPlaces& places, Link link) {
    std::map<std::size_t, std::map<int, int>> operands;
    for (const auto& [element, all] : body_.sources) {
      if (element.first != link.to) continue;
      for (std::size_t i = 0; i < all.size(); ++i) {
        operands[all[i].block][all[i].index] = room_.operands.at(element)[i].index;
      }
    }
    for (const auto& [i, registers] : operands) {
      const Block& block = body_.blocks[i];
      if (block.file != RegisterFile::Vector) {
        places[i] = registers.begin()->second - (registers.begin()->first - block.first);
      } else {
        places[i] = WARPCLOCK_TRY(moved(block, registers, banks_.at(i)));
      }
    }
    return {};
  }

  /// Results of a chain go where the next copy can read them: side by side as its operand.
  Expected<void> place_results(BlockPlaces& places, Link link, const BlockPlaces* before) {
    std::map<std::size_t, int> moved;  // by source block: the first register of its successor
    for (const auto& [element, all] : body_.sources) {
      const auto result = body_.results.find({link.from, element.second});
      if (element.first != link.to || result == body_.results.end()) continue;
      for (std::size_t i = 0; i < std::min(all.size(), result->second.size()); ++i) {
        const Block& source = body_.blocks[all[i].block];
        const BodyRegister from = result->second[i];
        const Block& block = body_.blocks[from.block];
        if (block.file != source.file) return not_placed("its result is in another register file than its operand");
        if (from.block == all[i].block) continue;  // it changes its operand in place
        const int offset = from.index - block.first - (all[i].index - source.first);
        if (places[from.block] && !moved.contains(all[i].block)) {
          moved[all[i].block] = *places[from.block] + offset;  // where it becomes the operand's next register
        } else if (!moved.contains(all[i].block)) {
          // The stricter of the two alignments decides.
          const bool by_result = block.align >= source.align;
          Block wanted = source;
          wanted.registers = std::max(source.registers, block.registers);
          const int rest = by_result ? banks_.at(from.block) + offset : banks_.at(all[i].block);
          moved[all[i].block] =
              WARPCLOCK_TRY(take(wanted, std::max(source.align, block.align), std::max(rest, 0), places, before));
        }
        const int first = moved.at(all[i].block) - offset;
        if (places[from.block] && *places[from.block] != first) return not_placed("its results are not side by side");
        if (first < 0 || first % block.align != block.first % block.align)
          return not_placed("its result would have to be moved");
        places[from.block] = first;
      }
    }
    return {};
  }

  /// Keeps the bank of each register: an even one stays even.
  Expected<int> take(const Block& block, int align, int rest, const BlockPlaces& places, const BlockPlaces* before) {
    const int bank = block.file == RegisterFile::Vector ? std::max(align, banks) : align;
    const auto first = rings_[static_cast<std::size_t>(block.file)].take(block.registers, bank, rest);
    const bool fits =
        first && !meets_written(body_, places, block, *first) &&
        !(chained() && before && meets_result(body_, *before, experiment_.links.front().from, block, *first));
    if (!fits) return not_placed("its copies need more registers than there are");
    return *first;
  }

  Expected<void> append(const BlockPlaces& places) {
    const std::size_t first = copies_.size();
    for (const BodyWord& one : body_.words) {
      Copy copy = WARPCLOCK_TRY(copy_of(body_, one, places, chained() ? BlockPlaces() : operands_));
      for (const std::size_t earlier : one.after) copy.after.push_back(first + earlier);
      const bool awaits = body_.acquires && first > 0 && one.is_seen();
      for (std::size_t i = first - body_.words.size(); awaits && i < first; ++i)
        if (copies_[i].write_scoreboard) copy.after.push_back(i);
      copies_.push_back(std::move(copy));
    }
    return {};
  }

  const Body& body_;
  const Room& room_;
  const Experiment& experiment_;
  std::array<RegisterRing, 4> rings_;  // by register file
  int descriptor_ = 0;                 ///< uniform register
  std::vector<int> banks_;             ///< by block: its first register modulo 2, or as ptxas numbered it
  BlockPlaces operands_;               ///< those that all copies share
  std::vector<Copy> moves_;            ///< before the window
  std::vector<Copy> copies_;
};

}  // namespace

Expected<Filling> copies_of(const Body& body, const Room& room, const Experiment& experiment, std::int64_t n,
                            Pace pace) {
  auto filling = Copier(body, room, experiment, room.hole.predicates).write(n, pace);
  if (filling || room.spare_predicates.empty()) return filling;
  std::vector<int> all = room.spare_predicates;
  all.insert(all.end(), room.hole.predicates.begin(), room.hole.predicates.end());
  return Copier(body, room, experiment, all).write(n, pace);
}

}  // namespace warpclock
