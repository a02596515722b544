#include "inspect/critical_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/lookup.hpp"
#include "code/semantics.hpp"
#include "fields/skeleton.hpp"
#include "inspect/facts.hpp"

namespace warpclock {

namespace {

/// Whether the cache that answers decides the latency.
bool depends_on_level(const Instruction& instruction) {
  const auto access = access_of(instruction);
  return access && access->memory != "shared";
}

}  // namespace

LatencyTable::LatencyTable(const Machine* machine, const Arch& arch) : forms_(forms_of(arch)) {
  if (machine == nullptr) return;
  for (const Entry& entry : machine->instructions) {
    if (!entry.name.starts_with('@')) continue;
    measured_.emplace(entry.name, &entry);
    by_opcode_[name_in(entry.name)].push_back(&entry);
  }
}

std::optional<double> LatencyTable::of_opcode(const std::string& name, const std::string& leaf) const {
  const auto found = by_opcode_.find(name);
  if (found == by_opcode_.end()) return std::nullopt;
  std::optional<double> agreed;
  for (const Entry* entry : found->second) {
    const Leaf* known = find_leaf(*entry, leaf);
    if (known == nullptr) continue;
    if (agreed && *agreed != known->value) return std::nullopt;
    agreed = known->value;
  }
  return agreed;
}

SourceLatency LatencyTable::of(const Instruction& instruction, std::size_t source) const {
  if (depends_on_level(instruction)) return {.cycles = {}, .why = "the level that answers decides it"};
  const std::string key = key_of(skeleton_of(instruction.text));
  const std::string leaf = fmt::format("latency.{}", static_cast<char>('a' + source));
  const Entry* entry = value_or(measured_, key, nullptr);
  const Leaf* known = entry == nullptr ? nullptr : find_leaf(*entry, leaf);
  if (known != nullptr) return {known->value, "measured", ""};
  if (const auto cycles = of_opcode(instruction.name(), leaf)) return {cycles, "opcode", ""};
  const WordForm* form = forms_.find(key);
  if (form != nullptr && form->encoded) return {*form->encoded, "encoded", ""};
  return {.cycles = {}, .why = entry == nullptr ? "no row has this form" : "no row has this operand"};
}

namespace {

/// The result of `from` enters an instruction, whose own result is there `cycles` later.
struct Dependence {
  std::size_t from = no_index;  ///< none: the operand was there before the trip
  int trips = 0;                ///< 1: `from` is of the trip before
  SourceLatency latency;

  [[nodiscard]] double cycles() const { return latency.cycles.value_or(0); }
};

/// By the instruction that depends.
using Dependences = std::vector<std::vector<Dependence>>;

/// What the instructions of a trip wait for through registers.
struct TripDependences {
  std::vector<std::size_t> order;  ///< the instructions of the trip, as indices in the listing
  Dependences dependences;         ///< of each of them, by its position in the order
};

/// What may have written a register last.
struct Writer {
  std::size_t at = 0;  ///< in the order of the trip
  int trips = 0;

  auto operator<=>(const Writer&) const = default;
};
using Writers = std::map<Register, std::set<Writer>>;

void merge(Writers& into, const Writers& from, int more_trips) {
  constexpr std::size_t most = 64;
  for (const auto& [reg, writers] : from) {
    std::set<Writer>& all = into[reg];
    for (const Writer& each : writers) {
      // What was written two trips before is no longer than what was written one trip before.
      if (each.trips + more_trips < 2 && all.size() < most) all.insert({each.at, each.trips + more_trips});
    }
  }
}

class DependenceFinder {
 public:
  DependenceFinder(const Listing& listing, std::span<const TripBlock> trip, const LatencyTable& latencies)
      : listing_(listing), trip_(trip), latencies_(latencies) {
    for (const TripBlock& block : trip_) {
      for (std::size_t i = block.first; i < block.end; ++i) {
        order_.push_back(i);
        effects_.push_back(with_slots(listing_.instructions[i]));
      }
    }
    found_.resize(order_.size());
  }

  [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }

  Dependences find() {
    const Writers end = pass({}, false);
    static_cast<void>(pass(end, true));
    return std::move(found_);
  }

 private:
  /// A word of local memory with its own address, as of a spilled register, counts as a register.
  Effects with_slots(const Instruction& instruction) {
    constexpr int registers = 256;
    Effects effects = effects_of(instruction);
    const auto address =
        std::ranges::find_if(instruction.operands, [](const auto& each) { return each.contains('['); });
    if (address == instruction.operands.end()) return effects;
    const auto slot = [&] {
      const auto known = slots_.try_emplace(*address, static_cast<int>(slots_.size())).first;
      return Register{RegisterFile::Vector, registers + known->second};
    };
    if (instruction.opcode == "STL") effects.writes.push_back(slot());
    if (instruction.opcode == "LDL") effects.sources.push_back({slot()});
    return effects;
  }

  /// Goes through the blocks once, from what was written before the trip to what was written at its end.
  Writers pass(const Writers& begin, bool link_readers) {
    std::vector<Writers> ends(trip_.size());
    Writers end;
    std::size_t at = 0;
    for (std::size_t b = 0; b < trip_.size(); ++b) {
      if (b == 0) ends[b] = begin;
      for (const std::size_t before : trip_[b].before) merge(ends[b], ends[before], 0);
      for (std::size_t i = trip_[b].first; i < trip_[b].end; ++i, ++at) {
        if (link_readers) link(at, ends[b]);
        note_writes(ends[b], at);
      }
      if (trip_[b].last) merge(end, ends[b], 1);
    }
    return end;
  }

  void note_writes(Writers& writers, std::size_t at) const {
    for (const Register reg : effects_[at].writes) {
      std::set<Writer>& all = writers[reg];
      if (!effects_[at].conditional) all.clear();
      all.insert({at, 0});
    }
  }

  void link(std::size_t reader, const Writers& writers) {
    if (effects_[reader].writes.empty()) return;
    for (std::size_t source = 0; source < effects_[reader].sources.size(); ++source)
      link_source(reader, source, effects_[reader].sources[source], writers);
    // No row has the latency from a guard; that from the first source is taken.
    if (!effects_[reader].guard.empty()) link_source(reader, 0, effects_[reader].guard, writers);
  }

  void link_source(std::size_t reader, std::size_t source, const std::vector<Register>& registers,
                   const Writers& writers) {
    if (registers.empty()) return;
    const SourceLatency latency = latencies_.of(listing_.instructions[order_[reader]], source);
    std::set<Writer> all;
    for (const Register reg : registers) {
      if (const auto known = writers.find(reg); known != writers.end())
        all.insert(known->second.begin(), known->second.end());
    }
    for (const Writer& each : all) found_[reader].push_back({each.at, each.trips, latency});
    // The operand may have been there before the trip, too.
    found_[reader].push_back({no_index, 0, latency});
  }

  const Listing& listing_;
  std::span<const TripBlock> trip_;
  const LatencyTable& latencies_;
  std::vector<std::size_t> order_;  ///< indices in the listing
  Dependences found_;
  std::vector<Effects> effects_;
  std::map<std::string, int> slots_;  ///< by address
};

TripDependences trip_dependences(const Listing& listing, std::span<const TripBlock> trip,
                                 const LatencyTable& latencies) {
  DependenceFinder finder(listing, trip, latencies);
  return {finder.order(), finder.find()};
}

/// When results are there if nothing but dependences delays them, and through which dependence.
struct Schedule {
  std::vector<double> ready;
  std::vector<const Dependence*> through;
};

/// One trip after another.
Schedule next_trip(const Dependences& dependences, const std::vector<double>& before) {
  Schedule now{std::vector<double>(dependences.size(), 0), std::vector<const Dependence*>(dependences.size(), nullptr)};
  for (std::size_t i = 0; i < dependences.size(); ++i) {
    for (const Dependence& each : dependences[i]) {
      const bool there = each.from == no_index || (each.trips > 0 && before.empty());
      const double ready = (there ? 0 : (each.trips > 0 ? before : now.ready)[each.from]) + each.cycles();
      if (now.through[i] != nullptr && ready <= now.ready[i]) continue;
      now.ready[i] = ready;
      now.through[i] = &each;
    }
  }
  return now;
}

/// Whether each instruction can be reached from itself, so that its latency is part of a cycle: the strongly connected
/// components of more than one instruction, and those with a dependence on themselves (Tarjan).
class Cycles {
 public:
  explicit Cycles(const Dependences& dependences)
      : dependences_(dependences),
        order_(dependences.size(), no_index),
        low_(dependences.size(), 0),
        component_(dependences.size(), no_index) {
    for (std::size_t i = 0; i < dependences_.size(); ++i) {
      if (order_[i] == no_index) visit(i);
    }
  }

  /// Whether both are on one cycle.
  [[nodiscard]] bool together(std::size_t a, std::size_t b) const { return component_[a] == component_[b]; }

 private:
  void visit(std::size_t root) {
    std::vector<std::pair<std::size_t, std::size_t>> path{{root, 0}};
    while (!path.empty()) {
      auto& [node, edge] = path.back();
      if (edge == 0 && order_[node] == no_index) {
        order_[node] = low_[node] = count_++;
        open_.push_back(node);
      }
      if (edge < dependences_[node].size()) {
        const std::size_t next = dependences_[node][edge++].from;
        if (next == no_index) continue;
        if (order_[next] == no_index)
          path.emplace_back(next, 0);
        else if (component_[next] == no_index)
          low_[node] = std::min(low_[node], order_[next]);
        continue;
      }
      const std::size_t done = node;
      if (low_[done] == order_[done]) close(done);
      path.pop_back();
      if (!path.empty()) low_[path.back().first] = std::min(low_[path.back().first], low_[done]);
    }
  }
  void close(std::size_t node) {
    for (std::size_t member = no_index; member != node;) {
      member = open_.back();
      open_.pop_back();
      component_[member] = node;
    }
  }

  const Dependences& dependences_;
  std::vector<std::size_t> order_, low_, component_, open_;
  std::size_t count_ = 0;
};

/// What turns dependences into the chains that are shown.
struct Trip : TripDependences {
  const Listing& listing;

  [[nodiscard]] const Instruction& at(std::size_t i) const { return listing.instructions[order[i]]; }
  [[nodiscard]] ChainLink link(std::size_t i, const SourceLatency& latency) const {
    return {static_cast<std::int64_t>(at(i).address), at(i).text, latency.cycles.value_or(0), latency.basis};
  }
};

CriticalPath longest_alone(const Trip& trip) {
  const Schedule alone = next_trip(trip.dependences, {});
  auto at = static_cast<std::size_t>(std::ranges::max_element(alone.ready) - alone.ready.begin());
  CriticalPath path{.cycles = alone.ready[at]};
  while (at != no_index && alone.through[at] != nullptr) {
    path.chain.push_back(trip.link(at, alone.through[at]->latency));
    at = alone.through[at]->trips > 0 ? no_index : alone.through[at]->from;
  }
  std::ranges::reverse(path.chain);
  return path;
}

/// Follows the dependences that decide, back from an instruction of the last trip until one comes again: a cycle, with
/// its mean. No chain if there are too few trips for it.
CriticalPath cycle_behind(const Trip& trip, const std::vector<Schedule>& trips, std::size_t at) {
  struct Step {
    std::size_t at;
    const Dependence* through;
  };
  std::vector<Step> steps;
  std::vector<bool> seen(trip.dependences.size(), false);
  std::size_t t = trips.size() - 1;
  while (at != no_index && trips[t].through[at] != nullptr && !seen[at]) {
    const Dependence* through = trips[t].through[at];
    seen[at] = true;
    steps.push_back({at, through});
    at = through->from;
    if (through->trips > 0 && t-- == 0) return {};
  }
  CriticalPath path{.trips = 0};
  const auto again = std::ranges::find(steps, at, &Step::at);
  for (auto step = again; step != steps.end(); ++step) {
    path.chain.push_back(trip.link(step->at, step->through->latency));
    path.cycles += step->through->cycles();
    path.trips += step->through->trips;
  }
  if (path.trips == 0) return {};
  path.cycles /= path.trips;
  std::ranges::reverse(path.chain);
  std::ranges::rotate(path.chain, std::ranges::min_element(path.chain, {}, &ChainLink::address));
  return path;
}

CriticalPath longest_carried(const Trip& trip) {
  // Divisible by 1 to 6, the trips after which a cycle of dependences comes again; fewer for very long loops.
  constexpr std::size_t usual = 60, few = 6, long_trip = 4096;
  const std::size_t half = trip.dependences.size() > long_trip ? few : usual;
  std::vector<Schedule> trips;
  for (std::size_t t = 0; t < 2 * half; ++t)
    trips.push_back(next_trip(trip.dependences, trips.empty() ? std::vector<double>() : trips.back().ready));
  std::size_t at = no_index;
  CriticalPath path;
  for (std::size_t i = 0; i < trip.dependences.size(); ++i) {
    const double slope = (trips.back().ready[i] - trips[half - 1].ready[i]) / static_cast<double>(half);
    if (slope <= path.cycles) continue;
    path.cycles = slope;
    at = i;
  }
  if (at == no_index) return path;
  CriticalPath cycle = cycle_behind(trip, trips, at);
  return cycle.chain.empty() ? path : cycle;
}

void name_unknown(const Trip& trip, TripPaths& paths) {
  const Cycles cycles(trip.dependences);
  std::set<std::string> within, around;
  for (std::size_t i = 0; i < trip.dependences.size(); ++i) {
    for (const Dependence& each : trip.dependences[i]) {
      if (each.latency.cycles) continue;
      const std::string name = fmt::format("{}: {}", trip.at(i).name(), each.latency.why);
      within.insert(name);
      if (each.from != no_index && cycles.together(i, each.from)) around.insert(name);
    }
  }
  paths.trip.unknown.assign(within.begin(), within.end());
  paths.carried.unknown.assign(around.begin(), around.end());
}

}  // namespace

TripPaths trip_paths(const Listing& listing, std::span<const TripBlock> trip, const LatencyTable& latencies) {
  const Trip all{trip_dependences(listing, trip, latencies), listing};
  if (all.order.empty()) return {};
  TripPaths paths{longest_alone(all), longest_carried(all)};
  name_unknown(all, paths);
  return paths;
}

}  // namespace warpclock
