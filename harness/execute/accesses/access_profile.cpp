#include "execute/accesses/access_profile.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <unordered_map>

#include "code/listing.hpp"
#include "execute/accesses/l1_lines.hpp"
#include "execute/bank_turns.hpp"
#include "inspect/facts.hpp"

namespace warpclock {
namespace {

constexpr std::uint64_t first_local_line = std::uint64_t{1} << 58U;  ///< no global address is there
/// Of a block; what comes later needs what these do on the average.
constexpr std::size_t most_noted = std::size_t{1} << 21, most_pooled = std::size_t{1} << 23;

/// The lines that a block has touched, and how many others lie between. Lines to which it comes back soon are not
/// counted again, so that a small table beside a long row does not count with each of its uses.
class TouchedLines {
 public:
  struct Line {
    std::uint32_t touched = 0, loaded = 0;  ///< sectors
    std::uint64_t at = 0;
  };

  [[nodiscard]] Line& at(std::uint64_t line) { return lines_[line]; }
  [[nodiscard]] std::uint64_t since(const Line& line) const { return now_ - line.at; }
  void touch(Line& line, std::uint32_t sectors) {
    constexpr std::uint64_t soon = 64;
    if (line.touched == 0 || since(line) >= soon) ++now_;
    line.at = now_;
    line.touched |= sectors;
  }

 private:
  std::unordered_map<std::uint64_t, Line> lines_;
  std::uint64_t now_ = 0;
};

/// The warps in turn, each with its next note.
template <class Note>
void in_turns(const std::vector<std::vector<Note>>& notes, const auto& use) {
  std::size_t longest = 0;
  for (const auto& of_warp : notes) longest = std::max(longest, of_warp.size());
  for (std::size_t k = 0; k < longest; ++k) {
    for (std::size_t warp = 0; warp < notes.size(); ++warp)
      if (k < notes[warp].size()) use(warp, notes[warp][k]);
  }
}

}  // namespace

AccessProfile::AccessProfile(const LoadedKernel& kernel, const FlowGraph& graph, const ExecutedLaunch& launch,
                             const CacheRoom& room)
    : Profile(kernel, graph),
      kernel_(kernel),
      launch_(launch),
      l1_lines_(room.l1_bytes / line_bytes),
      local_lines_(static_cast<std::uint64_t>(kernel.facts.stack_bytes) / register_bytes),
      sums_(kernel.listing.instructions.size()),
      noted_sectors_(sums_.size()),
      buffers_(sums_.size()),
      extents_(launch.buffers.size()),
      several_(sums_.size()),
      notes_(launch.warps()),
      constants_(room.constants),
      constant_notes_(notes_.size()),
      awaited_(notes_.size()),
      asked_(notes_.size()),
      last_(sums_.size()) {
  for (std::size_t i = 0; i < sums_.size(); ++i) uses_.push_back(use_of(i));
}

AccessProfile::Use AccessProfile::use_of(std::size_t index) const {
  const Instruction& instruction = kernel_.listing.instructions[index];
  const auto access = access_of(instruction);
  if (access && access->kind == "store") return Use::Stored;
  const bool loads = access && (access->kind == "load" || access->kind == "copy");
  return loads && uses_l1(instruction) ? Use::Kept : Use::Past;
}

void AccessProfile::note_buffer(std::size_t index, std::uint64_t address, std::uint64_t bytes) {
  const LaunchBuffer* held = buffers_[index];
  const auto is_in = [&](const LaunchBuffer& one) {
    return address + line_bytes > one.address && address < one.address + static_cast<std::uint64_t>(one.bytes);
  };
  if (held == nullptr || !is_in(*held)) {
    const auto found = std::ranges::find_if(launch_.buffers, is_in);
    if (found == launch_.buffers.end()) return;
    if (held != nullptr) {
      several_[index] = true;
      extent_of(*held).among_others = extent_of(*found).among_others = true;
    }
    held = buffers_[index] = &*found;
  }
  Extent& extent = extent_of(*held);
  extent.first = std::min(extent.first, address), extent.last = std::max(extent.last, address + bytes);
}

AccessProfile::Extent& AccessProfile::extent_of(const LaunchBuffer& buffer) {
  return extents_[static_cast<std::size_t>(&buffer - launch_.buffers.data())];
}

std::map<int, std::int64_t> AccessProfile::extents(double scale) const {
  double most = 0;
  for (const LaunchBuffer& one : launch_.buffers) most += one.part ? static_cast<double>(one.bytes) : 0;
  std::map<int, std::int64_t> all;
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    const Extent& one = extents_[i];
    if (!launch_.buffers[i].part || one.first >= one.last) continue;
    const auto bytes = static_cast<double>(one.last - one.first);
    all[launch_.buffers[i].argument] +=
        static_cast<std::int64_t>(one.among_others ? std::max(bytes, std::min(bytes * scale, most)) : bytes);
  }
  return all;
}

/// A jump back is taken to wait for all.
bool AccessProfile::waits_between(std::uint32_t from, std::uint32_t to, unsigned mask) const {
  if (to <= from) return true;
  const auto first = kernel_.listing.instructions.begin();
  return std::any_of(first + from + 1, first + to + 1,
                     [&](const Instruction& one) { return (one.control.wait_mask & mask) != 0; });
}

/// Copies have no scoreboard: each is a round of its own.
std::uint32_t AccessProfile::round_of(std::size_t warp, std::uint32_t index) {
  const int scoreboard = kernel_.listing.instructions[index].control.write_barrier;
  unsigned& awaited = awaited_[warp];
  std::uint32_t round = 0;
  if (!notes_[warp].empty()) {
    const Note& before = notes_[warp].back();
    round = before.round;
    if (awaited == 0 || waits_between(before.index, index, awaited)) ++round, awaited = 0;
  }
  if (scoreboard >= 0) awaited |= 1U << static_cast<unsigned>(scoreboard);
  return round;
}

void AccessProfile::touched(const WarpPlace& warp, const CodeStep& step, StepSpace space, std::uint64_t line,
                            const std::vector<LineSectors>& lines) {
  if (warp.block != block_) end_block();
  block_ = warp.block;
  if (space == StepSpace::Constant) return note_constants(warp.warp, step.index, line, lines);
  const auto [low, high] = std::ranges::minmax(lines, {}, &LineSectors::line);
  if (space == StepSpace::Local)
    line += first_local_line + warp.warp * local_lines_;
  else
    note_buffer(step.index, (line + static_cast<std::uint64_t>(std::int64_t{low.line})) * line_bytes,
                static_cast<std::uint64_t>(std::int64_t{high.line} - low.line + 1) * line_bytes);
  if (noted_ == most_noted || pool_.size() + lines.size() > most_pooled) return;
  ++noted_;
  for (const LineSectors& one : lines) noted_sectors_[step.index] += std::popcount(one.sectors);
  Last& last = last_[step.index];
  const bool same = last.count == lines.size() && std::equal(lines.begin(), lines.end(), pool_.begin() + last.first);
  if (!same) {
    last = {static_cast<std::uint32_t>(pool_.size()), static_cast<std::uint32_t>(lines.size())};
    pool_.insert(pool_.end(), lines.begin(), lines.end());
  }
  const std::uint32_t round = round_of(warp.warp, step.index);
  if (uses_[step.index] != Use::Stored) sums_[step.index].pieces += fresh_pieces(warp.warp, round, line, lines);
  notes_[warp.warp].push_back({step.index, last.first, last.count, round, line});
}

/// Runs of lines that are not next to those for which the warp has asked in this round.
int AccessProfile::fresh_pieces(std::size_t warp, std::uint32_t round, std::uint64_t line,
                                const std::vector<LineSectors>& lines) {
  constexpr std::size_t most = 64;  // beyond as many, another one makes no difference to the last
  AskedLines& asked = asked_[warp];
  if (asked.round != round) asked.round = round, asked.lines.clear();
  const std::size_t before = asked.lines.size();
  int pieces = 0;
  bool fresh = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::uint64_t at = line + static_cast<std::uint64_t>(std::int64_t{lines[i].line});
    if (i == 0 || lines[i].line != lines[i - 1].line + 1) pieces += fresh ? 1 : 0, fresh = true;
    const auto end = asked.lines.begin() + static_cast<std::ptrdiff_t>(before);
    fresh = fresh &&
            std::none_of(asked.lines.begin(), end, [&](std::uint64_t one) { return one + 1 >= at && at + 1 >= one; });
    if (asked.lines.size() < most) asked.lines.push_back(at);
  }
  return pieces + (fresh ? 1 : 0);
}

void AccessProfile::copied(const WarpPlace& warp, const CodeStep& step, const BulkCopy& copy) {
  Profile::copied(warp, step, copy);
  AccessSums& sums = sums_[step.index];
  for (const MemoryRow& row : copy.rows) {
    const auto units = [&](std::uint64_t unit) {
      return (row.address + row.bytes - 1) / unit - row.address / unit + 1;
    };
    note_buffer(step.index, row.address, row.bytes);
    sums.sectors += units(sector_bytes), sums.lines += units(line_bytes);
  }
  sums.receivers += static_cast<std::uint64_t>(copy.receivers);
  ++sums.copies;
}

void AccessProfile::note_constants(std::size_t warp, std::uint32_t index, std::uint64_t line,
                                   const std::vector<LineSectors>& lines) {
  constexpr std::uint64_t parts = line_bytes / ConstantCache::line_bytes;
  constexpr std::uint32_t sectors = ConstantCache::line_bytes / sector_bytes, all = (1U << sectors) - 1;
  bool begins = true;
  for (const LineSectors& one : lines) {
    const std::uint64_t at = line + static_cast<std::uint64_t>(std::int64_t{one.line});
    for (std::uint64_t part = 0; part < parts; ++part) {
      if ((one.sectors >> part * sectors & all) == 0) continue;
      ++sums_[index].constant_lines;
      if (noted_constants_ == most_noted) continue;
      ++noted_constants_, ++noted_sectors_[index];
      constant_notes_[warp].push_back({index, begins, at * parts + part});
      begins = false;
    }
  }
}

void AccessProfile::end_block() {
  replay_constants();
  if (noted_ == 0) return;
  replay_l1();
  for (const auto& notes : notes_) replay_stores(notes);
  count_distinct();
  for (auto& notes : notes_) notes.clear();
  std::ranges::fill(awaited_, 0U);
  std::ranges::fill(asked_, AskedLines());
  pool_.clear();
  std::ranges::fill(last_, Last{});
  noted_ = 0;
}

void AccessProfile::replay_l1() {
  L1Lines l1(l1_lines_);
  TouchedLines touched;
  in_turns(notes_, [&](std::size_t, const Note& note) {
    const bool kept = uses_[note.index] == Use::Kept;
    bool asks = false;
    for (std::uint32_t i = note.first; i < note.first + note.count; ++i) {
      const std::uint64_t line = note.line + static_cast<std::uint64_t>(std::int64_t{pool_[i].line});
      TouchedLines::Line& before = touched.at(line);
      if (kept) {
        const auto [missing, waits] = l1.load(line, pool_[i].sectors, note.round);
        const double again = std::popcount(missing & before.touched);
        AccessSums& sums = sums_[note.index];
        sums.missed += std::popcount(missing);
        sums.first += std::popcount(missing & ~before.loaded);
        sums.again += again;
        sums.between += again * static_cast<double>(touched.since(before));
        before.loaded |= missing;
        asks = asks || waits;
      } else if (uses_[note.index] == Use::Stored) {
        l1.store(line, pool_[i].sectors);
      }
      touched.touch(before, pool_[i].sectors);
    }
    if (asks) ++sums_[note.index].asking;
  });
}

/// Twice, so that the first lines of a block are those that others have left.
void AccessProfile::replay_constants() {
  if (noted_constants_ == 0) return;
  ConstantLines held(constants_);
  for (const bool count : {false, true}) replay_constants(held, count);
  for (auto& notes : constant_notes_) notes.clear();
  noted_constants_ = 0;
}

void AccessProfile::replay_constants(ConstantLines& held, bool count) {
  std::vector<bool> waits(constant_notes_.size());
  in_turns(constant_notes_, [&](std::size_t warp, const ConstantNote& note) {
    const bool missed = !held.load(note.line);
    if (note.begins) waits[warp] = false;
    if (!count || !missed) return;
    ++sums_[note.index].missed;
    if (!waits[warp]) ++sums_[note.index].asking;
    waits[warp] = true;
  });
}

std::uint64_t AccessProfile::merged_with(const Note& store, const Note& earlier) const {
  std::uint64_t sectors = 0;
  for (std::uint32_t i = store.first; i < store.first + store.count; ++i) {
    for (std::uint32_t k = earlier.first; k < earlier.first + earlier.count; ++k) {
      const bool same = store.line + static_cast<std::uint64_t>(std::int64_t{pool_[i].line}) ==
                        earlier.line + static_cast<std::uint64_t>(std::int64_t{pool_[k].line});
      if (same) sectors += static_cast<std::uint64_t>(std::popcount(pool_[i].sectors & pool_[k].sectors));
    }
  }
  return sectors;
}

/// L1 sends two stores that fill a sector together as one if those between them have no more lines.
/// `bandwidth/write_halves`: a store has two lines, and eight may be between, but not sixteen. A load between them
/// takes them too far apart. Other warps are taken to store at other times.
void AccessProfile::replay_stores(const std::vector<Note>& notes) {
  constexpr std::size_t most_between = 16;
  std::deque<const Note*> open;
  std::size_t lines = 0;
  for (const Note& note : notes) {
    if (note.line >= first_local_line) continue;
    if (uses_[note.index] != Use::Stored) {
      open.clear(), lines = 0;
      continue;
    }
    std::uint64_t merged = 0;
    std::size_t between = 0;
    std::uint64_t own = 0;
    for (std::uint32_t i = note.first; i < note.first + note.count; ++i)
      own += static_cast<std::uint64_t>(std::popcount(pool_[i].sectors));
    for (auto earlier = open.rbegin(); earlier != open.rend() && between <= most_between; ++earlier) {
      merged += merged_with(note, **earlier);
      between += (*earlier)->count;
    }
    sums_[note.index].merged += static_cast<double>(std::min(merged, own));
    open.push_back(&note);
    lines += note.count;
    while (lines - open.front()->count > most_between) lines -= open.front()->count, open.pop_front();
  }
}

void AccessProfile::count_distinct() {
  using Sectors = std::unordered_map<std::uint64_t, std::uint32_t>;  // by line
  std::vector<Sectors> seen(sums_.size()), stored(sums_.size());
  for (const auto& notes : notes_) {
    for (const Note& note : notes) {
      const bool stores = uses_[note.index] == Use::Stored;
      for (std::uint32_t i = note.first; i < note.first + note.count; ++i) {
        const std::uint64_t line = note.line + static_cast<std::uint64_t>(std::int64_t{pool_[i].line});
        std::uint32_t& held = seen[note.index][line];
        sums_[note.index].distinct += std::popcount(pool_[i].sectors & ~held);
        held |= pool_[i].sectors;
        if (!stores) continue;
        std::uint32_t& own = stored[note.index][line];
        sums_[note.index].returned += std::popcount(pool_[i].sectors & own);
        own |= pool_[i].sectors;
      }
    }
    for (Sectors& each : stored) each.clear();
  }
  count_runs(seen);
}

/// An instruction has of a run the part of its sectors that it touches.
void AccessProfile::count_runs(const std::vector<std::unordered_map<std::uint64_t, std::uint32_t>>& seen) {
  constexpr std::uint64_t of_line = line_bytes / sector_bytes;
  const auto each_sector = [](std::uint64_t line, std::uint32_t sectors, auto&& take) {
    for (std::uint64_t i = 0; i < of_line; ++i) {
      if ((sectors >> i & 1U) != 0) take(line * of_line + i);
    }
  };
  for (const bool stores : {false, true}) {
    std::map<std::uint64_t, std::uint32_t> touched;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if ((uses_[i] == Use::Stored) != stores) continue;
      for (const auto& [line, sectors] : seen[i]) touched[line] |= sectors;
    }
    std::vector<std::pair<std::uint64_t, std::uint64_t>> runs;  // their first sectors, and those behind their last
    for (const auto& [line, sectors] : touched) {
      each_sector(line, sectors, [&](std::uint64_t sector) {
        if (runs.empty() || runs.back().second != sector) runs.emplace_back(sector, sector);
        ++runs.back().second;
      });
    }
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if ((uses_[i] == Use::Stored) != stores) continue;
      for (const auto& [line, sectors] : seen[i]) {
        each_sector(line, sectors, [&](std::uint64_t sector) {
          const auto run = std::ranges::upper_bound(runs, sector, {}, &std::pair<std::uint64_t, std::uint64_t>::second);
          sums_[i].runs += 1 / static_cast<double>(run->second - run->first);
        });
      }
    }
  }
}

std::vector<AccessSums> AccessProfile::accesses() {
  end_block();
  std::vector<AccessSums> all = sums_;
  const auto counts = instructions();
  for (std::size_t i = 0; i < all.size(); ++i) {
    AccessSums& one = all[i];
    one.executed = counts[i].executed;
    one.constants = counts[i].constants;
    if (one.constants > 0) {
      const double scale = noted_sectors_[i] > 0 ? one.constant_lines / noted_sectors_[i] : 0;
      one.missed *= scale, one.asking *= scale;
      continue;
    }
    if (one.copies == 0) one.sectors = counts[i].sectors, one.lines = counts[i].lines;
    one.wavefronts = counts[i].wavefronts, one.l1_turns = counts[i].l1_turns;
    one.word_turns = counts[i].word_turns, one.active = counts[i].access_lanes;
    // What was not noted needs what the rest does.
    const double scale = noted_sectors_[i] > 0 ? static_cast<double>(one.sectors) / noted_sectors_[i] : 0;
    one.missed *= scale, one.first *= scale, one.asking *= scale, one.merged *= scale;
    one.again *= scale, one.between *= scale, one.pieces *= scale;
    one.distinct *= scale, one.runs *= scale, one.returned *= scale;
    if (one.copies > 0) one.distinct = static_cast<double>(one.sectors);
    if (uses_[i] != Use::Kept) {
      one.missed = static_cast<double>(one.sectors);
      one.asking = static_cast<double>(one.executed);
    }
    if (buffers_[i] != nullptr && !several_[i]) one.argument = buffers_[i]->argument;
  }
  return all;
}

}  // namespace warpclock
