#include "verify/outstanding.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/text.hpp"

namespace warpclock {
namespace {

constexpr int boards = 6;

constexpr std::size_t uniform_begin = vector_places, predicate_begin = 2 * vector_places,
                      uniform_predicate_begin = 2 * vector_places + predicate_places;

unsigned bit_of(int scoreboard) { return scoreboard >= 0 && scoreboard < boards ? 1U << scoreboard : 0U; }

int digit_of(char c) { return c >= '0' && c < '0' + boards ? c - '0' : -1; }

}  // namespace

std::size_t place_of(Register reg) {
  const auto index = static_cast<std::size_t>(reg.index);
  switch (reg.file) {
    case RegisterFile::Vector:
      return index;
    case RegisterFile::Uniform:
      return uniform_begin + index;
    case RegisterFile::Predicate:
      return predicate_begin + index;
    case RegisterFile::UniformPredicate:
      break;
  }
  return uniform_predicate_begin + index;
}

Register register_at(std::size_t place) {
  if (place >= uniform_predicate_begin)
    return {RegisterFile::UniformPredicate, static_cast<int>(place - uniform_predicate_begin)};
  if (place >= predicate_begin) return {RegisterFile::Predicate, static_cast<int>(place - predicate_begin)};
  if (place >= uniform_begin) return {RegisterFile::Uniform, static_cast<int>(place - uniform_begin)};
  return {RegisterFile::Vector, static_cast<int>(place)};
}

RegisterSet set_of(std::span<const Register> registers) {
  RegisterSet all;
  for (const Register& reg : registers) all.set(place_of(reg));
  return all;
}

Awaited awaited_by(const Instruction& instruction) {
  Awaited awaited{.all = instruction.control.wait_mask};
  if (instruction.opcode != "DEPBAR") return awaited;
  const auto& operands = instruction.operands;
  if (!operands.empty() && operands[0].starts_with("SB") && operands[0].size() == 3) {
    const auto left = operands.size() < 2 ? 0 : decimal_or_hex(operands[1]);
    if (left && *left > 0) {
      awaited.counted = digit_of(operands[0][2]);
      awaited.left = static_cast<std::size_t>(*left);
    } else {
      awaited.all |= bit_of(digit_of(operands[0][2]));
    }
  }
  for (const std::string& operand : operands) {
    if (!operand.starts_with('{')) continue;
    for (const char c : operand) awaited.all |= bit_of(digit_of(c));
  }
  return awaited;
}

IssuedUse use_of(Effects effects, const std::string& name, const Control& control) {
  IssuedUse use{.effects = std::move(effects), .control = control, .awaited = {.all = control.wait_mask}};
  use.pipe = pipe_of(name);
  use.reads = set_of(use.effects.guard);
  for (const auto& source : use.effects.sources) {
    use.reads |= set_of(source);
    for (const Register& reg : source) {
      const bool late =
          reg.file == RegisterFile::Vector || (reg.file == RegisterFile::Uniform && name.starts_with('U'));
      if (late) use.late_reads.set(place_of(reg));
    }
  }
  use.writes = set_of(use.effects.writes);
  return use;
}

IssuedUse use_of(const Instruction& instruction) {
  const std::string& predicate = instruction.predicate;
  const bool never = predicate == "!PT" || predicate == "!UPT";
  IssuedUse use = use_of(never ? Effects() : effects_of(instruction), instruction.name(), instruction.control);
  use.awaited = awaited_by(instruction);
  if (!use.effects.guard.empty()) use.guard = Guard{use.effects.guard.front(), predicate.starts_with('!')};
  return use;
}

void Outstanding::wait(const Awaited& awaited) {
  const auto clear = [](Work& work, unsigned mask) {
    if (work.elapsed < least_scoreboard_distance) return;
    if ((work.result_boards & mask) != 0) {
      work.results.reset();
      work.sources.reset();
    }
    if ((work.source_boards & mask) != 0) work.sources.reset();
  };
  if (awaited.all != 0) {
    for (Work& work : works_) clear(work, awaited.all);
  }
  if (const unsigned board = bit_of(awaited.counted); board != 0) {
    std::vector<Work*> setters;
    for (Work& work : works_) {
      if (((work.result_boards | work.source_boards) & board) != 0) setters.push_back(&work);
    }
    std::ranges::stable_sort(setters, {}, &Work::elapsed);
    for (std::size_t i = awaited.left; i < setters.size(); ++i) clear(*setters[i], board);
  }
  std::erase_if(works_, [](const Work& work) { return work.results.none() && work.sources.none(); });
}

void Outstanding::issue(std::size_t index, const IssuedUse& use, int cycles) {
  const Control& control = use.control;
  for (Work& work : works_) {
    if (!use.effects.conditional) {
      work.results &= ~use.writes;
      work.sources &= ~use.writes;
    }
    if (work.guard && use.writes.test(place_of(work.guard->reg))) work.guard.reset();
    if (!work.queue.empty() && work.queue == use.pipe) work.result_boards |= bit_of(control.write_barrier);
  }
  Work work{.producer = index};
  work.result_boards = bit_of(control.write_barrier);
  work.source_boards = bit_of(control.read_barrier);
  work.fixed = !use.queues();
  if (use.signals && work.result_boards == 0) work.queue = use.pipe;
  work.results = use.writes;
  if (work.source_boards != 0) work.sources = use.late_reads;
  if (use.guard && !use.writes.test(place_of(use.guard->reg))) work.guard = use.guard;
  ever_set_ |= work.result_boards | work.source_boards;
  const auto at = std::ranges::lower_bound(works_, index, {}, &Work::producer);
  if (at != works_.end() && at->producer == index) {
    *at = work;
  } else {
    works_.insert(at, work);
  }
  just_set_ = cycles < least_scoreboard_distance ? bit_of(control.write_barrier) | bit_of(control.read_barrier) : 0;
  for (Work& each : works_) each.elapsed = std::min(each.elapsed + cycles, settled_);
  std::erase_if(works_, [&](Work& each) {
    if (each.fixed && each.elapsed >= settled_) each.results.reset();
    return each.results.none() && each.sources.none();
  });
}

bool Outstanding::merge(const Outstanding& other) {
  bool changed = false;
  std::vector<Work> all;
  auto a = works_.begin();
  auto b = other.works_.begin();
  while (a != works_.end() || b != other.works_.end()) {
    if (b == other.works_.end() || (a != works_.end() && a->producer < b->producer)) {
      all.push_back(*a++);
    } else if (a == works_.end() || b->producer < a->producer) {
      all.push_back(*b++);
      changed = true;
    } else {
      Work both = *a;
      both.elapsed = std::min(both.elapsed, b->elapsed);
      both.results |= b->results;
      both.sources |= b->sources;
      both.result_boards |= b->result_boards;
      both.fixed = both.fixed && b->fixed;
      if (both.guard != b->guard) both.guard.reset();
      changed = changed || both != *a;
      all.push_back(both);
      ++a, ++b;
    }
  }
  works_ = std::move(all);
  changed = changed || (other.ever_set_ & ~ever_set_) != 0 || (other.just_set_ & ~just_set_) != 0;
  ever_set_ |= other.ever_set_;
  just_set_ |= other.just_set_;
  return changed;
}

void Outstanding::leave_out(const Guard& guard) {
  std::erase_if(works_, [&](const Work& work) { return work.guard == guard; });
}

bool exclude_each_other(const Work& work, const IssuedUse& use) {
  return work.guard && use.guard && work.guard->reg == use.guard->reg && work.guard->inverted != use.guard->inverted;
}

}  // namespace warpclock
