#include "inspect/hazards/hazards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <utility>

#include "base/lookup.hpp"
#include "compose/movers.hpp"
#include "fields/form_table.hpp"
#include "inspect/inspect.hpp"
#include "verify/chain.hpp"
#include "verify/outstanding.hpp"

namespace warpclock {

namespace {

/// Distances up to this are followed: ptxas leaves no more after a fixed latency.
constexpr int followed_cycles = 48;
const std::string overwritten_by = "overwritten by ";
/// What is followed at a time. Code that a compiler made has less under way.
constexpr std::size_t most_works = 4096, most_visits = 64;

/// The guard of a jump whose only condition it is.
std::optional<Guard> condition_of(const Instruction& jump, const IssuedUse& use) {
  const bool leaves = jump.opcode == "EXIT" || jump.opcode == "RET" || jump.opcode == "KILL";
  const bool alone = is_jump(jump) && (leaves || jump.operands.size() < 2);
  return alone ? use.guard : std::nullopt;
}

class HazardFinder {
 public:
  HazardFinder(const LoadedKernel& kernel, const Arch& arch, MinimumStalls& stalls)
      : listing_(kernel.listing), stalls_(stalls), graph_(flow_graph(kernel.listing, kernel.facts.indirect)) {
    const std::set<std::string_view> signalled = scoreboard_opcodes(arch);
    for (const Instruction& each : listing_.instructions) {
      IssuedUse& use = uses_.emplace_back(use_of(each));
      kinds_.push_back(stalls_.kind_of(each));
      const InstructionKind& kind = stalls_.kind(kinds_.back());
      use.signals = kind.scoreboard || signalled.contains(each.opcode);
      // Counters saw FCHK on the pipe of MUFU, whose scoreboard then signals both.
      if (!kind.group.empty()) use.pipe = kind.group;
      // What it writes arrives when its group is waited for, and no row says how it reads registers.
      if (is_group_multiply(each.opcode)) use.writes.reset(), use.reads.reset();
      distances_.push_back(issue_distance(each.control));
    }
  }

  KernelHazards find() {
    const std::string& name = listing_.kernel;
    out_.name = name;
    out_.readable = readable_name(name);
    out_.instructions = static_cast<int>(listing_.instructions.size());
    out_.calls = !graph_.unresolved.empty() ||
                 std::ranges::any_of(listing_.instructions, [](const auto& each) { return each.opcode == "CALL"; });
    if (!follow()) return out_.too_complex = true, std::move(out_);
    for (std::size_t b = 0; b < graph_.blocks.size(); ++b) {
      if (graph_.blocks[b].reached)
        judge(b);
      else
        count_unreached(graph_.blocks[b]);
    }
    for (const auto& [what, count] : unknown_) out_.unknown.push_back({what, count});
    std::ranges::stable_sort(out_.unknown, std::ranges::greater{}, &NotChecked::count);
    std::ranges::stable_sort(out_.hazards, {}, [](const Hazard& one) { return one.at.address; });
    for (const auto& [wait, what] : kept_) waits_[wait].needed = least_.at(what);
    out_.slack = slack_of(listing_, graph_, distances_, waits_, through_);
    return std::move(out_);
  }

 private:
  static std::set<std::string_view> scoreboard_opcodes(const Arch& arch) {
    static std::map<Arch, Movers> known;
    const auto at = known.try_emplace(arch, movers_among(forms_of(arch).all())).first;
    return {at->second.scoreboards.begin(), at->second.scoreboards.end()};
  }

  void step(Outstanding& state, std::size_t i) const { state.issue(i, uses_[i], distances_[i]); }

  /// What is under way where the block leads to `to`.
  Outstanding along(std::size_t block, std::size_t to, const Outstanding& after) const {
    const std::size_t last = graph_.blocks[block].end - 1, first = graph_.blocks[to].first;
    const Instruction& jump = listing_.instructions[last];
    const bool named = is_jump(jump) && target_index(listing_, jump) == first, next = first == last + 1;
    Outstanding state = after;
    // Nobody knows here what the called function waits for, and it takes its time.
    if (jump.opcode == "CALL" && next && !named) state.clear();
    const auto condition = condition_of(jump, uses_[last]);
    if (!condition || named == next) return state;
    state.leave_out(named ? Guard{condition->reg, !condition->inverted} : *condition);
    return state;
  }

  /// To the fixed point. False if it is given up.
  bool follow() {
    const auto order = in_order_of_flow(graph_, 0, [](std::size_t) { return true; });
    std::vector<std::size_t> rank(graph_.blocks.size(), no_index), visits(graph_.blocks.size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
    before_.resize(graph_.blocks.size(), Outstanding(followed_cycles));
    std::vector<bool> seen(graph_.blocks.size(), false);
    std::set<std::size_t> open;  // ranks
    if (!order.empty()) open.insert(0), seen[order[0]] = true;
    while (!open.empty()) {
      const std::size_t block = order[*open.begin()];
      open.erase(open.begin());
      if (++visits[block] > most_visits) return false;
      Outstanding state = before_[block];
      for (std::size_t i = graph_.blocks[block].first; i < graph_.blocks[block].end; ++i) {
        state.wait(uses_[i].awaited);
        step(state, i);
        if (state.works().size() > most_works) return false;
      }
      for (const std::size_t next : graph_.blocks[block].next) {
        const bool changed = before_[next].merge(along(block, next, state));
        if (!changed && seen[next]) continue;
        seen[next] = true;
        open.insert(rank[next]);
      }
    }
    return true;
  }

  [[nodiscard]] HazardPlace place(std::size_t i) const { return hazard_place(listing_.instructions[i]); }

  void add(std::string kind, std::size_t at, const Work& work, const RegisterSet& registers, Hazard facts) {
    facts.kind = std::move(kind);
    facts.at = place(at);
    facts.producer = place(work.producer);
    facts.cycles = work.elapsed;
    facts.reg = to_string(register_at(registers._Find_first()));
    out_.hazards.push_back(std::move(facts));
  }

  /// Apart from what ptxas puts behind the last EXIT: a jump to itself, and no-operations.
  void count_unreached(const BasicBlock& block) {
    for (std::size_t i = block.first; i < block.end; ++i) {
      const Instruction& each = listing_.instructions[i];
      const bool padding = each.opcode == "NOP" || (is_jump(each) && target_index(listing_, each) == i);
      out_.unreached += padding ? 0 : 1;
    }
  }

  static std::optional<int> lowest(unsigned boards) {
    return boards == 0 ? std::nullopt : std::optional(std::countr_zero(boards));
  }

  void judge(std::size_t block) {
    Outstanding state = before_[block];
    for (const Work& work : state.works()) {
      if (work.fixed) through_.push_back({work.producer, block});
    }
    std::map<std::string_view, std::size_t> last;
    for (std::size_t i = graph_.blocks[block].first; i < graph_.blocks[block].end; ++i) {
      note_boards(state, i);
      state.wait(uses_[i].awaited);
      if (uses_[i].control.write_barrier >= 0 || uses_[i].control.read_barrier >= 0) ++out_.by_scoreboards;
      for (const Work& work : state.works()) {
        if (!exclude_each_other(work, uses_[i])) meet(work, i);
      }
      note_pipe(last, i);
      hold(i);
      step(state, i);
    }
  }

  /// A scoreboard must be there when it is waited for.
  void note_boards(const Outstanding& state, std::size_t i) {
    const unsigned awaited = uses_[i].awaited.all;
    for (const Work& work : state.works()) {
      if (((work.result_boards | work.source_boards) & awaited) == 0 || work.elapsed >= followed_cycles) continue;
      waits_.push_back({.producer = work.producer,
                        .reader = i,
                        .cycles = work.elapsed,
                        .needed = std::min(work.elapsed, least_scoreboard_distance)});
    }
  }

  /// Nobody knows what else the stall count of a barrier, of a jump, or of what has no rows is for.
  void hold(std::size_t i) {
    const std::string_view group = stalls_.kind(kinds_[i]).group;
    const bool known = !group.empty() && group != "adu" && group != "cbu";
    if (known || listing_.instructions[i].opcode == "NOP" || i + 1 == listing_.instructions.size()) return;
    waits_.push_back({.producer = i, .reader = i + 1, .cycles = distances_[i], .needed = distances_[i]});
  }

  /// A pipe that is busy delays an instruction whatever the stall counts are.
  void note_pipe(std::map<std::string_view, std::size_t>& last, std::size_t i) {
    const InstructionKind& kind = stalls_.kind(kinds_[i]);
    if (kind.group.empty()) return;
    if (const auto before = last.find(kind.group); before != last.end()) {
      const auto interval = stalls_.kind(kinds_[before->second]).interval;
      int cycles = 0;
      for (std::size_t k = before->second; k < i; ++k) cycles += distances_[k];
      const int needed = static_cast<int>(std::ceil(interval.value_or(1) - 0.25));
      waits_.push_back({.producer = before->second, .reader = i, .cycles = cycles, .needed = std::min(cycles, needed)});
    }
    last[kind.group] = i;
  }

  void meet(const Work& work, std::size_t i) {
    const IssuedUse& use = uses_[i];
    const RegisterSet read = work.results & use.reads, written = work.results & use.writes,
                      overwritten = work.sources & use.writes;
    if (work.fixed) {
      if (read.any()) read_fixed(work, i, read);
      // What waits for the result before it overwrites it, or takes as long, does not overtake it.
      if ((written & ~read).any() && kinds_[work.producer] != kinds_[i])
        keep(work, i, overwritten_by + listing_.instructions[i].opcode);
    } else if (work.result_boards == 0) {
      if (read.any()) add("no-scoreboard", i, work, read, {});
    } else if (read.any()) {
      add("no-wait", i, work, read, {.scoreboard = lowest(work.result_boards)});
    } else if (written.any() && !in_one_queue(work.producer, i)) {
      add("overwrites-result", i, work, written, {.scoreboard = lowest(work.result_boards)});
    }
    if (overwritten.any() && !in_one_queue(work.producer, i))
      add("overwrites-source", i, work, overwritten, {.scoreboard = lowest(work.source_boards)});
  }

  /// A result that comes through the queue of a pipe comes after those before it in the queue have read their sources.
  [[nodiscard]] bool in_one_queue(std::size_t first, std::size_t second) const {
    return uses_[second].queues() && uses_[first].pipe == uses_[second].pipe;
  }

  void read_fixed(const Work& work, std::size_t i, const RegisterSet& read) {
    const IssuedUse& use = uses_[i];
    const MinimumStall* most = nullptr;
    Register reg;
    bool unknown = false;
    for (std::size_t operand = 0; operand < use.effects.sources.size(); ++operand) {
      for (const Register& each : use.effects.sources[operand]) {
        if (!read.test(place_of(each))) continue;
        const MinimumStall* needed = stalls_.between(kinds_[work.producer], each.file, kinds_[i], operand);
        if (needed == nullptr)
          unknown = true;
        else if (most == nullptr || needed->cycles > most->cycles)
          most = needed, reg = each;
      }
    }
    const bool guards =
        std::ranges::any_of(use.effects.guard, [&](Register each) { return read.test(place_of(each)); });
    if (guards || (unknown && most == nullptr)) {
      const std::string& producer = listing_.instructions[work.producer].opcode;
      ++unknown_[guards ? producer + " to a guard" : producer + " to " + listing_.instructions[i].opcode];
      ++out_.not_checked;
    }
    if (guards) keep(work, i, "guard");
    if (unknown || (most != nullptr && !most->sure)) keep(work, i, listing_.instructions[i].opcode);
    if (most == nullptr) return;
    ++out_.by_stalls;
    if (work.elapsed < most->cycles) {
      add("early-read", i, work, set_of({&reg, 1}), {.needed = most->cycles, .row = most->row});
    } else if (!unknown && most->sure) {
      waits_.push_back(
          {.producer = work.producer, .reader = i, .cycles = work.elapsed, .needed = most->cycles, .row = most->row});
    }
  }

  /// What no row says is what ptxas leaves where it leaves fewest after the same pipe: to a guard, to an operand of the
  /// same opcode, or before a result is overwritten.
  void keep(const Work& work, std::size_t i, std::string what) {
    const InstructionKind& kind = stalls_.kind(kinds_[work.producer]);
    what += " after " + (kind.writer.empty() ? kind.key : kind.writer);
    const auto settled = what.starts_with(overwritten_by) ? stalls_.settled(kinds_[work.producer]) : std::nullopt;
    int& least = least_.try_emplace(what, settled.value_or(work.elapsed)).first->second;
    least = std::min(least, work.elapsed);
    kept_.emplace_back(waits_.size(), std::move(what));
    waits_.push_back({.producer = work.producer, .reader = i, .cycles = work.elapsed});
  }

  const Listing& listing_;
  MinimumStalls& stalls_;
  FlowGraph graph_;
  std::vector<IssuedUse> uses_;
  std::vector<std::size_t> kinds_;
  std::vector<int> distances_;
  std::vector<Outstanding> before_;  ///< by block
  std::map<std::string, int> unknown_;
  std::vector<IssueNeed> waits_;
  std::vector<std::pair<std::size_t, std::string>> kept_;  ///< of waits_, and what no row has
  std::map<std::string, int> least_;                       ///< of these, the fewest cycles
  std::vector<PassedBlock> through_;
  KernelHazards out_;
};

}  // namespace

HazardPlace hazard_place(const Instruction& instruction) {
  return {static_cast<std::int64_t>(instruction.address), listed_text(instruction)};
}

KernelHazards kernel_hazards(const LoadedKernel& kernel, const Arch& arch, MinimumStalls& stalls) {
  return HazardFinder(kernel, arch, stalls).find();
}

Expected<HazardReport> find_hazards(const std::string& name, const LoadedFile& file, std::span<const Machine> machines,
                                    const std::string& word) {
  std::vector<Machine> same;
  for (const Machine& machine : machines) {
    if (parse_arch(machine.arch).value_or(Arch{}).sm == file.arch.sm) same.push_back(machine);
  }
  MinimumStalls stalls(same);
  HazardReport out{.file = name, .kind = file.kind, .arch = to_string(file.arch), .gpus = stalls.gpus()};
  if (stalls.empty()) {
    return fail(
        "unsupported-arch",
        fmt::format(
            "no record that is given has minimum stall counts of {}: `warpclock catalogue` on such a GPU measures them",
            to_string(file.arch)),
        name);
  }
  std::vector<std::string> names;
  for (const LoadedKernel& kernel : file.kernels) {
    names.push_back(readable_name(kernel.listing.kernel));
    if (is_meant(kernel.listing.kernel, word)) out.kernels.push_back(kernel_hazards(kernel, file.arch, stalls));
  }
  if (out.kernels.empty()) return std::unexpected(no_such_kernel(word, names, name));
  return out;
}

namespace {

class SlackFinder {
 public:
  SlackFinder(const Listing& listing, const FlowGraph& graph, std::span<const int> distances,
              std::vector<IssueNeed> needs, std::span<const PassedBlock> passed)
      : listing_(listing),
        graph_(graph),
        distances_(distances),
        needs_(std::move(needs)),
        across_(listing.instructions.size()),
        block_of_(listing.instructions.size(), no_index) {
    for (std::size_t b = 0; b < graph_.blocks.size(); ++b)
      for (std::size_t i = graph_.blocks[b].first; i < graph_.blocks[b].end; ++i) block_of_[i] = b;
    std::map<std::size_t, std::vector<std::size_t>> passes;
    for (const PassedBlock& each : passed) passes[each.producer].push_back(each.block);
    for (std::size_t n = 0; n < needs_.size(); ++n) {
      const IssueNeed& need = needs_[n];
      const std::size_t from = block_of_[need.producer], to = block_of_[need.reader];
      if (from == to && need.producer < need.reader) {
        cross(n, need.producer, need.reader);
        continue;
      }
      cross(n, need.producer, graph_.blocks[from].end);
      cross(n, graph_.blocks[to].first, need.reader);
      for (const std::size_t block : passes[need.producer]) {
        if (block != from && block != to) cross(n, graph_.blocks[block].first, graph_.blocks[block].end);
      }
    }
  }

  std::vector<LoopSlack> find() {
    std::vector<LoopSlack> all(graph_.loops.size() + 1);
    for (std::size_t l = 0; l < graph_.loops.size(); ++l) {
      const Loop& loop = graph_.loops[l];
      all[l].loop = static_cast<int>(l);
      all[l].begin = address(graph_.blocks[loop.header].first);
      for (const std::size_t block : loop.blocks) all[l].end = std::max(all[l].end, address(graph_.blocks[block].end));
    }
    for (const BasicBlock& block : graph_.blocks) {
      if (!block.reached) continue;
      LoopSlack& out = all[block.loop == no_index ? graph_.loops.size() : block.loop];
      for (std::size_t i = block.first; i < block.end; ++i) {
        ++out.instructions;
        out.issue_cycles += listing_.instructions[i].control.stall;
        lower(i, out);
      }
    }
    for (LoopSlack& each : all) std::ranges::stable_sort(each.places, std::ranges::greater{}, &SlackPlace::slack);
    std::erase_if(all, [](const LoopSlack& one) { return one.instructions == 0; });
    return all;
  }

 private:
  [[nodiscard]] std::int64_t address(std::size_t i) const { return static_cast<std::int64_t>(i * word_bytes); }
  [[nodiscard]] HazardPlace place(std::size_t i) const { return hazard_place(listing_.instructions[i]); }

  void cross(std::size_t need, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) across_[i].push_back(need);
  }

  /// The instruction for which the stall count of `i` waits: no-operations only make it longer.
  [[nodiscard]] std::size_t waiting(std::size_t i) const {
    const std::size_t end = graph_.blocks[block_of_[i]].end;
    std::size_t next = i + 1;
    while (next < end && listing_.instructions[next].opcode == "NOP") ++next;
    return next < end ? next : no_index;
  }

  void lower(std::size_t i, LoopSlack& out) {
    const Control& control = listing_.instructions[i].control;
    const int least = control.yield ? 2 : 1;
    int slack = distances_[i] - least;
    if (slack <= 0) return;
    const std::size_t reader = waiting(i);
    const IssueNeed* tightest = nullptr;
    for (const std::size_t n : across_[i]) {
      const IssueNeed& need = needs_[n];
      slack = std::min(slack, need.cycles - need.needed);
      const bool awaited = need.reader == reader && !need.row.empty();
      if (awaited && (tightest == nullptr || need.cycles - need.needed < tightest->cycles - tightest->needed))
        tightest = &need;
    }
    if (slack <= 0 || tightest == nullptr) return;
    out.slack += slack;
    out.places.push_back({.at = place(reader),
                          .producer = place(tightest->producer),
                          .cycles = tightest->cycles,
                          .needed = tightest->needed,
                          .before = i,
                          .slack = slack,
                          .row = tightest->row});
    for (const std::size_t n : across_[i]) needs_[n].cycles -= slack;
  }

  const Listing& listing_;
  const FlowGraph& graph_;
  std::span<const int> distances_;
  std::vector<IssueNeed> needs_;
  std::vector<std::vector<std::size_t>> across_;  ///< the needs between whose instructions the stall count of each is
  std::vector<std::size_t> block_of_;
};

}  // namespace

std::vector<LoopSlack> slack_of(const Listing& listing, const FlowGraph& graph, std::span<const int> distances,
                                std::vector<IssueNeed> needs, std::span<const PassedBlock> passed) {
  return SlackFinder(listing, graph, distances, std::move(needs), passed).find();
}

}  // namespace warpclock
