#include "inspect/critical_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "inspect/dependences.hpp"
#include "inspect/flow_graph.hpp"

namespace warpclock {
namespace {

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
