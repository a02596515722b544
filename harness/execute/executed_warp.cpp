#include "execute/executed_warp.hpp"

#include <algorithm>

namespace warpclock {

void ExecutedWarp::begin(const WarpPlace& where, std::uint32_t threads) {
  position = where;
  // What comes of a register that nothing has set decides nothing in a program that does the same each time. Compilers
  // read such registers to keep bits that they replace or mask later.
  if (words_.empty())
    words_.assign(places::words, same_words(0)), known_.assign(places::words, all_lanes),
        origins_.resize(places::words);
  for (const std::uint16_t at : changed_) words_[at] = same_words(0), known_[at] = all_lanes, origins_[at] = Origin{};
  changed_.clear(), is_changed_.reset();
  known_predicates_.fill(0), predicate_origins_.fill(Origin{});
  for (const std::uint16_t always : {places::always, places::uniform_always})
    predicates_[always] = known_predicates_[always] = all_lanes;
  live = threads >= warp_lanes ? all_lanes : (LaneMask{1} << threads) - 1;
  splits = {{.lanes = live}};
  convergence.fill(0);
  local.clear();
  cluster_arrivals = 0, acts = 0;
  reduced.reset();
}

RegisterView ExecutedWarp::view(const CodeProgram& program) const {
  return {words_.data(),       known_.data(),
          predicates_.data(),  known_predicates_.data(),
          program.pool.data(), program.known_pool.data()};
}

ExecutedWarp::Guarded ExecutedWarp::holding(const PredicateSource& predicate, LaneMask lanes) const {
  const LaneMask value = predicate.inverted ? ~predicates_[predicate.place] : predicates_[predicate.place];
  const LaneMask known = known_predicates_[predicate.place];
  return {lanes & value & known, lanes & ~known};
}

void ExecutedWarp::evaluate(const CodeProgram& program, const CodeStep& step, LaneMask lanes) {
  const Guarded where = guarded(step, lanes);
  if ((where.lanes | where.unknown) == 0) return;
  if (step.run == nullptr) return forget(step, where.lanes | where.unknown, {Origin::Kind::Instruction, step.index});
  StepOutputs out;
  for (const std::uint16_t place_read : step.reads) out.known &= known_[place_read];
  for (const std::uint8_t predicate : step.reads_predicates) out.known &= known_predicates_[predicate];
  for (const std::uint32_t number : step.reads_pool) out.known &= program.known_pool[number] ? all_lanes : 0;
  const RegisterView registers = view(program);
  StepSources in(step, registers, position, where.lanes | where.unknown);
  step.run(step, in, out);
  Origin origin;
  // Lanes may exchange values, so the known ones are not known either.
  if (where.unknown != 0)
    origin = origin_of(step.guard), out.known = 0;
  else if ((~out.known & where.lanes) != 0)
    origin = origin_of(program, step, where.lanes);
  write(step, out, where, origin);
}

Origin ExecutedWarp::origin_of(const CodeProgram& program, const CodeStep& step, LaneMask lanes) const {
  for (const std::uint16_t place_read : step.reads) {
    if ((~known_[place_read] & lanes) != 0 && origins_[place_read].kind != Origin::Kind::None)
      return origins_[place_read];
  }
  for (const std::uint8_t predicate : step.reads_predicates) {
    if ((~known_predicates_[predicate] & lanes) != 0 && predicate_origins_[predicate].kind != Origin::Kind::None)
      return predicate_origins_[predicate];
  }
  for (const std::uint32_t number : step.reads_pool) {
    if (!program.known_pool[number]) return program.pool_origins[number];
  }
  return {Origin::Kind::Instruction, step.index};
}

void ExecutedWarp::set_word(std::uint16_t at, const Words& value, LaneMask known, LaneMask lanes, LaneMask unknown,
                            Origin origin) {
  const LaneMask all = lanes | unknown;
  if (!is_changed_[at]) is_changed_.set(at), changed_.push_back(at);
  if (at >= places::uniform) {
    // The uniform datapath has one value of a warp.
    const std::size_t first = first_lane(all);
    const bool is = has_lane(known & lanes, first);
    words_[at] = same_words(value[first]);
    known_[at] = is ? all_lanes : 0;
    if (!is) origins_[at] = origin;
    return;
  }
  if (all == all_lanes) {
    words_[at] = value;
  } else {
    Words& held = words_[at];
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      const std::uint32_t mask = 0U - (all >> i & 1U);
      held[i] = (held[i] & ~mask) | (value[i] & mask);
    }
  }
  known_[at] = (known_[at] & ~all) | (known & lanes);
  if ((all & ~(known & lanes)) != 0) origins_[at] = origin;
}

void ExecutedWarp::set_predicate(std::uint16_t at, LaneMask value, LaneMask known, LaneMask lanes, LaneMask unknown,
                                 Origin origin) {
  LaneMask all = lanes | unknown;
  known &= lanes;
  if (at >= places::uniform_predicate) {
    const std::size_t first = first_lane(all);
    value = has_lane(value, first) ? all_lanes : 0;
    known = has_lane(known, first) ? all_lanes : 0;
    all = all_lanes;
  }
  predicates_[at] = (predicates_[at] & ~all) | (value & all);
  known_predicates_[at] = (known_predicates_[at] & ~all) | known;
  if ((all & ~known) != 0) predicate_origins_[at] = origin;
}

void ExecutedWarp::write(const CodeStep& step, const StepOutputs& out, const Guarded& where, Origin origin) {
  std::size_t word = 0, predicate = 0;
  for (const StepResult& result : step.results) {
    if (result.predicate) {
      const std::size_t which = std::min(predicate++, out.predicate.size() - 1);
      if (!result.sink)
        set_predicate(result.place, out.predicate[which], out.known, where.lanes, where.unknown, origin);
      continue;
    }
    for (std::uint16_t k = 0; k < result.words; ++k, ++word) {
      const auto at = static_cast<std::uint16_t>(result.place + k);
      const bool zero = at % places::uniform == places::vector_zero;
      if (!result.sink && !zero && word < out.word.size())
        set_word(at, out.word[word], out.known, where.lanes, where.unknown, origin);
    }
  }
}

std::uint64_t ExecutedWarp::state(LaneMask lanes) const {
  constexpr std::uint64_t begin = 0xcbf29ce484222325, factor = 0x100000001b3;  // FNV-1a, a word at a time
  std::uint64_t hash = begin ^ acts;
  const auto add = [&](std::uint64_t word) { hash = (hash ^ word) * factor; };
  for (std::size_t place = 0; place < words_.size(); ++place) {
    const LaneMask known = known_[place] & lanes;
    add(known);
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      if (has_lane(known, i)) add(words_[place][i]);
    }
  }
  for (std::size_t place = 0; place < predicates_.size(); ++place) {
    add(known_predicates_[place] & lanes);
    add(predicates_[place] & known_predicates_[place] & lanes);
  }
  return hash;
}

void ExecutedWarp::forget(const CodeStep& step, LaneMask lanes, Origin origin) {
  for (const std::uint16_t at : step.writes) {
    if (at >= places::words)
      set_predicate(static_cast<std::uint16_t>(at - places::words), 0, 0, 0, lanes, origin);
    else
      set_word(at, words_[at], 0, 0, lanes, origin);
  }
}

}  // namespace warpclock
