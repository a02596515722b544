#include "inspect/dependences.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "code/semantics.hpp"

namespace warpclock {
namespace {

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

}  // namespace

TripDependences trip_dependences(const Listing& listing, std::span<const TripBlock> trip,
                                 const LatencyTable& latencies) {
  DependenceFinder finder(listing, trip, latencies);
  return {finder.order(), finder.find()};
}

}  // namespace warpclock
