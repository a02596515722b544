#include "measure/machine/machine_plan.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "fields/form_table.hpp"
#include "measure/machine/warp_group.hpp"
#include "record/record.hpp"

namespace warpclock {
namespace {

using Kind = OperandShape::Kind;

static_assert(issue_chains == static_cast<int>(result_quads));
constexpr std::array chain_lengths{4, 8, 16, 24};
constexpr std::array issue_lengths{16, 40, 64};
constexpr int issue_trips = 8;
constexpr std::array scoreboard_stalls{1, 2, 4, 8, 15};
constexpr int short_stall = 6, short_tensor_stall = 24, short_uniform_stall = 14;

/// Numbers of warps among which a form's issue interval is looked for.
std::vector<int> issue_warps(const MachineSubject& subject) {
  if (subject.wide) return {warp_group, most_group_warps};
  std::vector<int> all{1, 4, 8, 16};
  std::erase_if(all, [&](int warps) { return warps % subject.meeting_warps != 0; });
  return all;
}

struct ChainStalls {
  int own = 1, bridge = safe_stall;
};

Expected<Filling> chain(const MachineSubject& subject, const ChainRoute& route, int n, ChainStalls stalls, bool vary,
                        const Hole& hole, const Movers& movers) {
  Placer placer(hole, movers);
  std::vector<Copy> copies;
  if (subject.of_group()) {
    copies = WARPCLOCK_TRY(chained_multiplies(subject, route, n, placer, movers));
    return placer.finish(copies);
  }
  for (int i = 0; i < n; ++i) {
    auto copy = WARPCLOCK_TRY(placer.place(
        *subject.form, {.through = route.source, .constants = vary ? i : 0, .through_address = route.through_address}));
    copy.stall = stalls.own;
    copies.push_back(std::move(copy));
    if (route.leans) {
      copy = WARPCLOCK_TRY(placer.lean(*subject.form, static_cast<std::size_t>(route.source), copies.back()));
      copy.stall = stalls.bridge;
      copies.push_back(std::move(copy));
    }
    if (!route.bridge) continue;
    copy = WARPCLOCK_TRY(placer.place(*route.bridge.form, {.through = route.bridge.source, .constants = vary ? i : 0}));
    copy.stall = stalls.bridge;
    copies.push_back(std::move(copy));
  }
  return placer.finish(copies);
}

struct Issues {
  int n = 1, stall = 1;
  bool yield = false;
  int trips = 1;
};

Expected<Filling> independent(const MachineSubject& subject, const Issues& issues, const Hole& hole,
                              const Movers& movers) {
  Placer placer(hole, movers);
  const auto copies = WARPCLOCK_TRY(independent_copies(subject, issues.n, issues.stall, issues.yield, placer, movers));
  return issues.trips > 1 ? placer.finish_loop(copies, issues.trips) : placer.finish(copies);
}

struct StaleLaunch {
  int warps = quiet_warps, first_thread = 0;
};
/// The last look uses the data of the busy warps, except those of the first four warps.
std::vector<StaleLaunch> launches_of(const MachineSubject& subject, MachineWindow::Kind kind, StaleLook look) {
  if (look == StaleLook::WithData) return {{.first_thread = 128}, {.first_thread = 256}, {.first_thread = 384}};
  if (kind == MachineWindow::Kind::Bridge) return {{}};
  return {{}, {.warps = subject.busy_warps()}};
}

/// Most latencies are short, so the first look tries the short distances and the largest one, which is right.
std::vector<int> stalls_of(MachineWindow::Kind kind, const MachineSubject& subject, StaleLook look) {
  const bool own = kind == MachineWindow::Kind::Stale;
  if (own && !subject.fixed()) return {scoreboard_stalls.begin(), scoreboard_stalls.end()};
  const int most = own ? subject.most_stall : safe_stall;
  const bool all = look != StaleLook::First;
  const int few = most == safe_stall           ? short_stall
                  : most == most_uniform_stall ? short_uniform_stall
                                               : short_tensor_stall;
  std::vector<int> stalls(static_cast<std::size_t>(all ? most : few));
  std::iota(stalls.begin(), stalls.end(), 1);
  if (!all) stalls.push_back(most);
  return stalls;
}

/// Chains at several stall counts, which apply to the form's own dependency or to the bridge's.
Expected<ComposedWindows> stale_windows_of(MachineWindow::Kind kind, StaleLook look, const MachineSubject& subject,
                                           const ChainRoute& route, const Hole& hole, const Movers& movers) {
  ComposedWindows all;
  const bool own = kind == MachineWindow::Kind::Stale;
  const std::vector<int> stalls = stalls_of(kind, subject, look);
  for (const int stall : stalls) {
    const ChainStalls each = own ? ChainStalls{stall, safe_stall}
                                 : ChainStalls{subject.fixed() ? subject.most_stall : scoreboard_stall, stall};
    all.fillings.emplace_back() = WARPCLOCK_TRY(chain(subject, route, route.length, each, true, hole, movers));
    for (std::size_t data = 0; data < subject.data.size(); ++data) {
      for (const StaleLaunch& launch : launches_of(subject, kind, look)) {
        all.windows.push_back({.kind = kind,
                               .source = route.source,
                               .n = route.length,
                               .stall = stall,
                               .warps = launch.warps,
                               .data = data,
                               .first_thread = launch.first_thread,
                               .filling = all.fillings.size() - 1,
                               .launches = stale_launches(stall, stalls.back())});
      }
    }
  }
  return all;
}

/// Independent copies with one stall count and hint, for several numbers of copies and warps.
Expected<ComposedWindows> issue_windows(const MachineSubject& subject, int stall, bool yield, const Hole& hole,
                                        const Movers& movers) {
  ComposedWindows all;
  // At one stall count the interval is looked for; the others show the shape of a surface. A barrier that nobody waits
  // for takes so many arrivals and no more. What bypasses L1 is handed to a queue, and the interval is what that takes:
  // how fast L2 empties it is a question of the memory. Tensor instructions take long
  // enough without a loop, in which two warps of a scheduler hide more of a trip's end the more copies it has.
  const std::string name = name_in(key_of(*subject.form));
  const bool straight =
      name.starts_with("BAR.") || name.contains(".BYPASS") || pipe_of(name) == "tensor" || subject.of_group();
  const int trips = stall > 1 || yield || straight ? 1 : issue_trips;
  for (const int n : issue_lengths) {
    all.add(WARPCLOCK_TRY(independent(subject, {n, stall, yield, trips}, hole, movers)), issue_warps(subject),
            {.kind = MachineWindow::Kind::Issue, .n = n, .stall = stall, .yield = yield, .trips = trips});
  }
  return all;
}

}  // namespace

void ComposedWindows::add(Filling filling, std::span<const int> warps, MachineWindow like) {
  like.filling = fillings.size();
  fillings.push_back(std::move(filling));
  for (const int each : warps) {
    like.warps = each;
    windows.push_back(like);
  }
}

Expected<std::vector<Copy>> independent_copies(const MachineSubject& subject, int n, int stall, bool yield,
                                               Placer& placer, const Movers& movers) {
  if (subject.of_group()) return independent_multiplies(subject, n, stall, yield, placer, movers);
  std::vector<Copy> copies;
  for (int i = 0; i < n; ++i) {
    copies.emplace_back() =
        WARPCLOCK_TRY(placer.place(*subject.form, {.chain = i % static_cast<int>(result_quads), .two_banks = true}));
    copies.back().stall = stall;
    copies.back().yield = yield;
  }
  return copies;
}

void ComposedWindows::append(ComposedWindows more) {
  for (MachineWindow& window : more.windows) {
    window.filling += fillings.size();
    windows.push_back(window);
  }
  std::ranges::move(more.fillings, std::back_inserter(fillings));
}

Expected<ComposedWindows> first_windows(const MachineSubject& subject, const Hole& hole, const Movers& movers) {
  ComposedWindows all;
  std::optional<Error> first;
  const auto add = [&](Expected<ComposedWindows> more) {
    if (more) {
      all.append(*std::move(more));
    } else if (!first) {
      first = more.error();
    }
  };
  for (const ChainRoute& route : subject.routes) {
    if (!route.why_not.empty()) continue;
    // The mask of such an address hides what is stale.
    if (!subject.of_group() && !route.leans) add(stale_windows(subject, route, StaleLook::First, hole, movers));
    if (!subject.fixed() && !route.bridge) {
      add(chain_windows(subject, route, scoreboard_stall, safe_stall, hole, movers));
    }
  }
  add(issue_windows(subject, subject.least_stall, false, hole, movers));
  if (all.windows.empty()) return std::unexpected(first.value_or(Error{"compose", "there is nothing to measure", {}}));
  return all;
}

Expected<ComposedWindows> stale_windows(const MachineSubject& subject, const ChainRoute& route, StaleLook look,
                                        const Hole& hole, const Movers& movers) {
  auto all = WARPCLOCK_TRY(stale_windows_of(MachineWindow::Kind::Stale, look, subject, route, hole, movers));
  if (!route.bridge || look == StaleLook::WithData) return all;
  auto bridge = WARPCLOCK_TRY(stale_windows_of(MachineWindow::Kind::Bridge, look, subject, route, hole, movers));
  all.append(std::move(bridge));
  return all;
}

Expected<ComposedWindows> chain_windows(const MachineSubject& subject, const ChainRoute& route, int stall,
                                        int bridge_stall, const Hole& hole, const Movers& movers) {
  ComposedWindows all;
  for (const int n : chain_lengths) {
    all.add(WARPCLOCK_TRY(chain(subject, route, n, {stall, bridge_stall}, false, hole, movers)),
            std::array{subject.wide ? warp_group : 1},
            {.kind = MachineWindow::Kind::Chain, .source = route.source, .n = n, .stall = stall});
  }
  return all;
}

Expected<ComposedWindows> repeated_issue_windows(const MachineSubject& subject, int launches, const Hole& hole,
                                                 const Movers& movers) {
  auto all = WARPCLOCK_TRY(issue_windows(subject, subject.least_stall, false, hole, movers));
  for (MachineWindow& window : all.windows) window.launches = launches;
  return all;
}

Expected<ComposedWindows> counted_windows(const MachineSubject& subject, const Hole& hole, const Movers& movers) {
  constexpr std::array lengths{16, 48};
  ComposedWindows all;
  for (const int n : lengths) {
    all.add(WARPCLOCK_TRY(independent(subject, {.n = n, .stall = subject.least_stall}, hole, movers)),
            std::array{issue_warps(subject).front()}, {.kind = MachineWindow::Kind::Issue, .n = n});
  }
  return all;
}

Expected<ComposedWindows> surface_windows(const MachineSubject& subject, const Hole& hole, const Movers& movers) {
  constexpr int launches = 3;  // the neighbours of a cell show whether it repeats
  ComposedWindows all;
  for (int stall = 1; stall <= safe_stall; ++stall) {
    for (const bool yield : {false, true}) {
      const bool known = stall == 1 && !yield, not_encoded = stall >= yielding_stall && !yield;
      if (known || not_encoded) continue;
      auto more = WARPCLOCK_TRY(issue_windows(subject, stall, yield, hole, movers));
      for (MachineWindow& window : more.windows) window.launches = launches;
      all.append(std::move(more));
    }
  }
  return all;
}

}  // namespace warpclock
