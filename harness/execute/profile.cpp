#include "execute/profile.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "execute/bank_turns.hpp"
#include "inspect/facts.hpp"

namespace warpclock {

std::uint64_t BulkCopy::bytes() const {
  std::uint64_t sum = 0;
  for (const MemoryRow& row : rows) sum += row.bytes;
  return sum;
}

namespace {

/// By line, each once.
std::vector<LineSectors> merged_lines(std::vector<LineSectors> lines) {
  std::ranges::sort(lines, {}, &LineSectors::line);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].line == lines[kept].line)
      lines[kept].sectors |= lines[i].sectors;
    else
      lines[++kept] = lines[i];
  }
  lines.resize(std::min(lines.size(), kept + 1));
  return lines;
}

}  // namespace

std::vector<LineSectors> lines_of(LaneMask lanes, const LaneAddresses& distances, std::uint64_t bytes) {
  constexpr int sector_shift = std::countr_zero(sector_bytes);
  constexpr std::int64_t of_line = line_bytes / sector_bytes;
  constexpr int line_shift = std::countr_zero(static_cast<std::uint64_t>(of_line));
  std::vector<LineSectors> lines;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    if (!has_lane(lanes, i)) continue;
    // Lanes may be before the first one.
    const auto begin = static_cast<std::int64_t>(distances[i]);
    for (std::int64_t at = begin >> sector_shift; at <= (begin + static_cast<std::int64_t>(bytes) - 1) >> sector_shift;
         ++at) {
      const auto line = static_cast<std::int32_t>(at >> line_shift);
      const std::uint32_t bit = 1U << (at & (of_line - 1));
      if (lines.empty() || lines.back().line != line)
        lines.push_back({line, bit});
      else
        lines.back().sectors |= bit;
    }
  }
  return merged_lines(std::move(lines));
}

namespace {

/// Local memory has the words of the threads of a warp next to each other, so each word of a thread has a line.
std::vector<LineSectors> local_lines_of(LaneMask lanes, const LaneAddresses& distances, std::uint64_t bytes) {
  LaneAddresses words{};
  std::vector<LineSectors> lines;
  for (std::uint64_t word = 0; word < std::max<std::uint64_t>(1, bytes / register_bytes); ++word) {
    for (std::size_t i = 0; i < warp_lanes; ++i)
      words[i] = (distances[i] / register_bytes + word) * line_bytes + i * register_bytes;
    const auto of_word = lines_of(lanes, words, register_bytes);
    lines.insert(lines.end(), of_word.begin(), of_word.end());
  }
  return merged_lines(std::move(lines));
}

}  // namespace

std::uint64_t word_turns(std::vector<std::uint32_t> addresses) {
  std::ranges::sort(addresses);
  std::uint64_t all = 0, most = 0, lanes = 0;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    lanes = i > 0 && addresses[i] == addresses[i - 1] ? lanes + 1 : 1;
    most = std::max(most, lanes);
    const bool last = i + 1 == addresses.size() || addresses[i + 1] / sector_bytes != addresses[i] / sector_bytes;
    if (last) all += std::exchange(most, 0);
  }
  return all;
}

Profile::Profile(const LoadedKernel& kernel, const FlowGraph& graph)
    : kernel_(kernel),
      graph_(graph),
      loop_at_(kernel.listing.instructions.size(), no_index),
      repeats_(graph.loops.size()),
      executed_(kernel.listing.instructions.size() + 1),
      lanes_(kernel.listing.instructions.size() + 1),
      accesses_(kernel.listing.instructions.size()),
      seen_(kernel.listing.instructions.size()) {
  for (std::size_t i = 0; i < graph.loops.size(); ++i) loop_at_[graph.blocks[graph.loops[i].header].first] = i;
}

void Profile::ran(const WarpPlace& place, std::uint32_t from, std::uint32_t first, std::uint32_t last, LaneMask lanes) {
  const auto count = static_cast<std::int64_t>(std::popcount(lanes));
  ++executed_[first], --executed_[last + 1];
  lanes_[first] += count, lanes_[last + 1] -= count;
  const std::size_t loop = loop_at_[first];
  if (loop == no_index || from == first) return;
  const bool within = std::ranges::any_of(graph_.loops[loop].latches, [&](std::size_t latch) {
    return from >= graph_.blocks[latch].first && from < graph_.blocks[latch].end;
  });
  if (!within) return;
  auto& repeats = repeats_[loop];
  if (repeats.size() <= place.warp) repeats.resize(place.warp + 1);
  ++repeats[place.warp];
}

void Profile::measure(const CodeStep& step, Seen& seen) const {
  const Instruction& instruction = kernel_.listing.instructions[step.index];
  const auto access = access_of(instruction).value_or(Access{});
  std::vector<std::uint32_t> held;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    if (has_lane(seen.lanes, i)) held.push_back(static_cast<std::uint32_t>(seen.distances[i]));
  }
  const auto bytes = static_cast<std::uint64_t>(std::max(1, access.bytes));
  if (seen.space == StepSpace::Local) {
    seen.lines = local_lines_of(seen.lanes, seen.distances, bytes);
    return;
  }
  if (seen.space == StepSpace::Constant) {
    seen.lines = lines_of(seen.lanes, seen.distances, bytes);
    seen.wavefronts = std::set(held.begin(), held.end()).size();
    return;
  }
  if (seen.space == StepSpace::Global) {
    seen.lines = lines_of(seen.lanes, seen.distances, bytes);
    seen.l1_turns = static_cast<std::uint64_t>(l1_turns(instruction, access, held, seen.lines));
    if (access.kind == "atomic") seen.word_turns = word_turns(std::move(held));
    return;
  }
  seen.wavefronts = static_cast<std::uint64_t>(bank_turns(instruction, access, held));
}

void Profile::accessed(const WarpPlace& place, const CodeStep& step, std::size_t site, LaneMask lanes,
                       const LaneAddresses& addresses) {
  Seen& seen = seen_[step.index][site];
  const std::uint64_t base = addresses[first_lane(lanes)] / line_bytes * line_bytes;
  LaneAddresses distances;
  for (std::size_t i = 0; i < warp_lanes; ++i) distances[i] = has_lane(lanes, i) ? addresses[i] - base : 0;
  const bool copy = step.kind == StepKind::Copy;
  const StepSpace space = !copy       ? space_at(step, addresses[first_lane(lanes)])
                          : site == 1 ? StepSpace::Global
                                      : StepSpace::Shared;
  if (seen.lanes != lanes || seen.space != space || seen.distances != distances) {
    seen = {.lanes = lanes, .space = space, .distances = distances};
    measure(step, seen);
  }
  InstructionProfile& to = accesses_[step.index];
  if (space == StepSpace::Constant) {
    to.constants += seen.wavefronts;
    return touched(place, step, space, base / line_bytes, seen.lines);
  }
  if (!copy || site == 0) ++to.accesses, to.access_lanes += static_cast<std::uint64_t>(std::popcount(lanes));
  to.wavefronts += seen.wavefronts;
  if (space == StepSpace::Shared) return;
  to.l1_turns += seen.l1_turns, to.word_turns += seen.word_turns;
  to.lines += seen.lines.size();
  for (const LineSectors& one : seen.lines) to.sectors += static_cast<std::uint64_t>(std::popcount(one.sectors));
  // A generic address of local memory has that of the window above it.
  const std::uint64_t line =
      space == StepSpace::Local ? static_cast<std::uint32_t>(base) / register_bytes : base / line_bytes;
  touched(place, step, space, line, seen.lines);
}

std::vector<InstructionProfile> Profile::instructions() const {
  std::vector<InstructionProfile> all = accesses_;
  std::int64_t executed = 0, lanes = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    executed += executed_[i], lanes += lanes_[i];
    all[i].executed = static_cast<std::uint64_t>(executed), all[i].lanes = static_cast<std::uint64_t>(lanes);
  }
  return all;
}

std::vector<LoopProfile> Profile::loops() const {
  const auto counts = instructions();
  std::vector<LoopProfile> all;
  for (std::size_t i = 0; i < graph_.loops.size(); ++i) {
    const std::uint64_t trips = counts[graph_.blocks[graph_.loops[i].header].first].executed;
    const std::uint64_t repeats = std::accumulate(repeats_[i].begin(), repeats_[i].end(), std::uint64_t{0});
    all.push_back({trips - std::min(trips, repeats), trips});
  }
  return all;
}

}  // namespace warpclock
