#include "predict/memory/access_pattern.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "base/lookup.hpp"
#include "code/flow.hpp"
#include "code/modifiers.hpp"
#include "execute/bank_turns.hpp"
#include "inspect/facts.hpp"
#include "inspect/flow_graph.hpp"
#include "predict/memory/access_site.hpp"
#include "predict/memory/l1_sectors.hpp"
#include "predict/memory/lane_launch.hpp"
#include "predict/memory/memory_level.hpp"

namespace warpclock {
namespace {

constexpr std::size_t most_blocks = 4096;  ///< basic blocks; a state of registers is kept for each
constexpr int most_visits = 12;            ///< of a block, until what differs is no longer followed

using Random = std::mt19937;  // the standard says what it gives, so predictions are the same everywhere

/// Addresses are multiples of the access's size (PTX ISA, "Addresses as Operands").
LaneValue aligned(LaneValue address, int bytes) {
  if (address.scattered) address.zeros = std::max(address.zeros, std::countr_zero(static_cast<unsigned>(bytes)));
  return address;
}

/// Lane addresses of one warp; lanes that do not execute are left out.
std::vector<std::uint32_t> of_warp(const LaneValue& value, const LaneRef& guard, std::size_t first, std::size_t end,
                                   Random& random) {
  std::vector<std::uint32_t> addresses;
  for (std::size_t t = first; t < end; ++t) {
    const bool runs = !guard || !guard->known() || guard->at(t) != 0;
    const std::uint32_t place = value.scattered ? static_cast<std::uint32_t>(random()) << value.zeros : 0;
    if (runs) addresses.push_back(value.at(t) + place);
  }
  return addresses;
}

class Patterns {
 public:
  Patterns(const Listing& listing, const KernelFacts& facts, const LaunchShape& shape, const OnlyWays& ways)
      : listing_(listing),
        ways_(ways),
        graph_(flow_graph(listing, facts.indirect)),
        launch_(lane_launch(listing.target, facts, shape)),
        grid_(shape.grid) {}

  /// What is loaded from a buffer is no longer one value if the kernel may store there.
  std::map<std::size_t, AccessPattern> run() {
    if (graph_.blocks.empty() || graph_.blocks.size() > most_blocks) return {};
    for (const Instruction& each : listing_.instructions) operations_.push_back(lane_operation(each));
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (operations_[i].call)
        operations_[i].clobbers = written_by_call(target_index(listing_, listing_.instructions[i]));
    }
    auto patterns = patterns_of_all();
    auto& equal = launch_.equal_buffers;
    const std::size_t before = equal.size();
    for (const auto& [i, pattern] : patterns) {
      const auto access = access_of(listing_.instructions[i]);
      if (access->memory != "global" || access->kind == "load") continue;
      if (pattern.parameter < 0) equal.clear();
      equal.erase(pattern.parameter);
    }
    return equal.size() == before ? patterns : patterns_of_all();
  }

 private:
  std::map<std::size_t, AccessPattern> patterns_of_all() {
    patterns_.clear();
    entered_.clear();
    entered_.resize(graph_.blocks.size());
    entered_.front().emplace();
    follow();
    for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
      if (entered_[block]) record(block);
    }
    return std::move(patterns_);
  }

  void follow() {
    const auto order = in_order_of_flow(graph_, 0, [](std::size_t) { return true; });
    std::vector<std::size_t> rank(graph_.blocks.size(), graph_.blocks.size());
    for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
    std::vector<int> visits(graph_.blocks.size(), 0);
    std::set<std::pair<std::size_t, std::size_t>> waiting = {{rank[0], 0}};
    while (!waiting.empty()) {
      const std::size_t block = waiting.begin()->second;
      waiting.erase(waiting.begin());
      LaneState state = *entered_[block];
      for (std::size_t i = graph_.blocks[block].first; i < graph_.blocks[block].end; ++i)
        evaluate(operations_[i], launch_, state);
      for (const std::size_t next : graph_.blocks[block].next) {
        if (!is_gone(block, next)) continue;
        const bool first = !entered_[next];
        if (first) entered_[next] = state;
        if (first || entered_[next]->join(state, ++visits[next] > most_visits)) waiting.emplace(rank[next], next);
      }
    }
  }

  [[nodiscard]] bool is_gone(std::size_t block, std::size_t next) const {
    const std::size_t jump = graph_.blocks[block].end - 1;
    const bool* only = value_at(ways_, jump);
    if (only == nullptr) return true;
    return *only == (graph_.blocks[next].first == target_index(listing_, listing_.instructions[jump]));
  }

  /// What code writes that is called, until it returns; nothing if it is not in the listing.
  [[nodiscard]] std::optional<std::vector<Register>> written_by_call(std::size_t target) const {
    const auto block = std::ranges::find(graph_.blocks, target, &BasicBlock::first);
    if (block == graph_.blocks.end()) return std::nullopt;
    std::vector<Register> written;
    const auto first = static_cast<std::size_t>(block - graph_.blocks.begin());
    for (const std::size_t each : in_order_of_flow(graph_, first, [](std::size_t) { return true; })) {
      for (std::size_t i = graph_.blocks[each].first; i < graph_.blocks[each].end; ++i) {
        if (operations_[i].call) return std::nullopt;
        for (const Register reg : operations_[i].writes) written.push_back(reg);
      }
    }
    sort_once(written);
    return written;
  }

  void record(std::size_t block) {
    LaneState state = *entered_[block];
    l1_.clear();
    for (std::size_t i = graph_.blocks[block].first; i < graph_.blocks[block].end; ++i) {
      if (const auto access = followed_access(listing_.instructions[i])) record_access(i, *access, state);
      if (listing_.instructions[i].name().starts_with("UBLKCP.S.G")) record_bulk(i, state);
      evaluate(operations_[i], launch_, state);
    }
  }

  void record_access(std::size_t i, const Access& access, const LaneState& all) {
    const auto& by = operations_[i].guard;
    const LaneState& state = by && all.knows_under(*by) ? all.under(*by) : all;
    const Instruction& instruction = listing_.instructions[i];
    AccessPattern pattern = assumed_pattern(instruction);
    pattern.deduced = true;
    const LaneRef guard = guard_of(operations_[i], state);
    for (const Site& site : sites_of(instruction, access)) {
      const LaneRef address = address_of(site.operand, state);
      pattern.deduced = pattern.deduced && address;
      if (!address) continue;
      pattern.scattered = pattern.scattered || address->scattered;
      if (site.shared)
        count_banks(pattern, instruction, access, aligned(*address, site.bytes), guard);
      else
        count_sectors(pattern, site, aligned(*address, site.bytes), guard, bases_of(site.operand, state));
    }
    patterns_.emplace(i, pattern);
  }

  template <class F>
  void each_warp(const LaneValue& address, const LaneRef& guard, F count) const {
    constexpr int draws = 64;  // the mean of the turns of 64 random warps is within some 2 %
    Random random;
    for (std::size_t first = 0; first < launch_.threads; first += warp_lanes) {
      for (int i = 0; i < (address.scattered ? draws : 1); ++i) {
        const auto lanes = of_warp(address, guard, first, std::min(first + warp_lanes, launch_.threads), random);
        if (!lanes.empty()) count(lanes);
      }
    }
  }

  void count_banks(AccessPattern& pattern, const Instruction& instruction, const Access& access,
                   const LaneValue& address, const LaneRef& guard) const {
    double all = 0;
    int warps = 0;
    each_warp(address, guard, [&](const std::vector<std::uint32_t>& lanes) {
      all += is_matrix(instruction) ? matrix_wavefronts(lanes, access.bytes)
                                    : wavefronts_of(lanes, access.bytes, bank_use_of(instruction, access));
      ++warps;
    });
    if (warps > 0) pattern.wavefronts = all / warps;
  }

  /// Blocks whose indices differ along the other axes only have the same addresses.
  void set_sharers(AccessPattern& pattern, const LaneValue& address) const {
    pattern.by_block = address.axes != Axes::None;
    for (std::size_t axis = 0; axis < grid_.size(); ++axis) {
      const bool depends = (static_cast<unsigned>(address.axes) >> axis & 1U) != 0;
      if (!depends) pattern.sharers *= std::max(1, grid_[axis]);
    }
    pattern.parameter = address.parameter;
  }

  /// Loads before in the same basic block have brought sectors to L1, and stores may leave L1 with one of those before.
  void count_sectors(AccessPattern& pattern, const Site& site, const LaneValue& address, const LaneRef& guard,
                     const L1Sectors::Bases& bases) {
    constexpr int sector_zeros = 5;
    std::vector<WarpSector> own, together;
    double lines = 0, used = 0;
    int warps = 0;
    each_warp(address, guard, [&](const std::vector<std::uint32_t>& lanes) {
      used += bytes_used(lanes, site.bytes);
      lines += static_cast<double>(touched(lanes, site.bytes, line_bytes).size());
      for (const std::uint32_t id : touched(lanes, site.bytes, sector_bytes)) {
        own.emplace_back(warps, id);
        together.emplace_back(address.by_warp ? warps : 0, id);
      }
      ++warps;
    });
    if (warps == 0) return;
    sort_once(together);
    pattern.sectors = static_cast<double>(own.size()) / warps;
    pattern.lines = lines / warps;
    pattern.used = used / warps;
    const bool kept = site.kept && !address.scattered;
    pattern.new_sectors = static_cast<double>(kept ? l1_.load(bases, together) : together.size()) / warps;
    if (site.stores && !address.scattered)
      pattern.sent -= static_cast<double>(l1_.store(bases, own, pattern.lines)) / static_cast<double>(own.size());
    pattern.aligned = address.zeros >= sector_zeros;
    set_sharers(pattern, address);
  }

  /// A bulk copy is one access of the block. Its size is known where it does not depend on anything else.
  void record_bulk(std::size_t i, const LaneState& state) {
    const LaneOperation& operation = operations_[i];
    if (operation.sources.size() < 3 || operation.sources[2].kind != LaneOperand::Kind::Register) return;
    const LaneRef from = address_of(operation.sources[1].text, state);
    const LaneRef& units = state.at(operation.sources[2].reg);
    if (!from || !units || !units->known()) return;
    constexpr double unit = 16;
    AccessPattern pattern;
    pattern.deduced = true;
    pattern.sectors = pattern.new_sectors = unit * units->offsets.front() / sector_bytes;
    pattern.lines = unit * units->offsets.front() / line_bytes;
    set_sharers(pattern, *from);
    patterns_.emplace(i, pattern);
  }

  const Listing& listing_;
  const OnlyWays& ways_;
  FlowGraph graph_;
  LaneLaunch launch_;
  std::array<int, 3> grid_;
  std::vector<LaneOperation> operations_;
  std::vector<std::optional<LaneState>> entered_;
  std::map<std::size_t, AccessPattern> patterns_;
  L1Sectors l1_;
};

}  // namespace

std::map<std::size_t, AccessPattern> access_patterns(const Listing& listing, const KernelFacts& facts,
                                                     const LaunchShape& shape, const OnlyWays& ways) {
  return Patterns(listing, facts, shape, ways).run();
}

}  // namespace warpclock
