#include "predict/program/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "execute/code_operand.hpp"
#include "inspect/facts.hpp"
#include "predict/meeting/mbarrier_use.hpp"
#include "predict/program/access_turns.hpp"
#include "predict/program/constant_cost.hpp"
#include "predict/program/meeting_steps.hpp"
#include "verify/chain.hpp"
#include "verify/waits.hpp"

namespace warpclock {
namespace {

/// The operands of an access have been read so many cycles after it began, if not earlier: four loads of
/// `bandwidth/shared_read[bytes=4,depth=4,warps=1]` set one read scoreboard, and its loop of 28 cycles leaves 15 from
/// the last of them to the wait (H100 and H200).
constexpr double most_until_read = 15;

/// Cycles that each warp's BAR takes of the ADU: the counter of its instructions, whose peak is one in two cycles,
/// shows 81 % in a loop of barriers of 32 warps with one in 2.5 cycles (H100).
constexpr double barrier_in_adu = 2;

/// The position of a name, which is added if it is new.
int number_of(std::vector<std::string>& names, std::string_view name) {
  return static_cast<int>(index_or_add(names, std::string(name)));
}

/// A damaged control field may name one that there is not.
int scoreboard(int number) { return number < static_cast<int>(scoreboard_count) ? number : -1; }

class Maker {
 public:
  Maker(const Listing& listing, const CostTable& costs, const ProgramOptions& options)
      : listing_(listing), options_(options), costs_(costs), memory_(costs.machine(), options.use) {}

  Expected<Program> make() {
    first_ = options_.first;
    end_ = options_.end == 0 ? listing_.instructions.size() : std::min(options_.end, listing_.instructions.size());
    program_.streams = options_.streams, program_.loops = options_.loops;
    if (options_.begins) program_.constant_missed = constant_missed(costs_.machine());
    for (std::size_t i = first_; i < end_; ++i) {
      program_.steps.push_back(step(i));
      ProgramStep& made = program_.steps.back();
      // A stream goes on after a return.
      if (program_.streams && at(i).opcode == "RET") made.act = Act::Jump;
      if (program_.streams) continue;
      if (made.act == Act::Jump) WARPCLOCK_TRY(decide(made));
      if (!never(at(i)) && at(i).opcode == "EXIT" && !at(i).predicate.empty()) leave(made);
    }
    add_registers();
    add_shared();
    return std::move(program_);
  }

 private:
  [[nodiscard]] const Instruction& at(std::size_t i) const { return listing_.instructions[i]; }

  ProgramStep step(std::size_t i) {
    const Instruction& instruction = at(i);
    const Control& control = instruction.control;
    ProgramStep made;
    made.index = i;
    made.distance = issue_distance(control);
    made.yield = control.yield;
    made.wait = control.wait_mask;
    if (never(instruction)) return made;
    made.constants = constant_reads(instruction);
    made.write = scoreboard(control.write_barrier);
    made.read = scoreboard(control.read_barrier);
    made.act = act_of(instruction);
    // What a barrier takes is in its own rows.
    const bool barrier = made.act == Act::Barrier || made.act == Act::Arrive;
    if (barrier) {
      name_barrier(made, instruction);
      made.unit = number_of(program_.units, pipe_of(instruction.name()));
      made.unit_busy = {barrier_in_adu, barrier_in_adu};
    }
    // A sleep goes on for as long as its operand says at most: it ends when what the wait before it found is there.
    const std::string& opcode = instruction.opcode;
    const bool free = is_jump(instruction) || barrier || opcode == "NANOSLEEP" || opcode == "UTMACMDFLUSH" ||
                      opcode.starts_with("UCGABAR");
    if (!free && instruction.opcode != "NOP") add_costs(made, instruction);
    if (made.act == Act::Await) add_await(made, instruction);
    made.distance = std::max(made.distance, static_cast<int>(std::lround(fence_cycles(costs_.machine(), instruction))));
    if (const auto wait = issue_wait(listing_.target, instruction)) add_wait(made, instruction, *wait);
    return made;
  }

  void add_costs(ProgramStep& made, const Instruction& instruction) {
    const Cost cost = costs_.of(with_row(instruction));
    // A row with an interval of one cycle on a pipe whose other instructions take two shows two halves; what takes two
    // cycles uses one of them (`co_issue/ffma.imad`: 2 cycles for both).
    const bool halves = cost.pipe == "fma";
    made.pipe = number_of(program_.pipes, cost.pipe);
    made.occupied = occupation_of(instruction, cost, issue_wait(listing_.target, instruction).has_value());
    made.busy = cost.interval;
    made.either_half = halves && cost.interval.known() && cost.interval.high < 2;
    if (made.either_half) made.busy = {2 * cost.interval.low, 2 * cost.interval.high};
    if (cost.shared.high > 0) {
      made.unit = number_of(program_.units, cost.pipe);
      made.unit_busy = cost.shared;
    }
    const bool stores = instruction.opcode == "UTMASTG";
    // LDGSTS: add_bank_turns() knows better.
    const bool copies =
        instruction.opcode == "UBLKCP" || instruction.opcode == "UTMALDG" || stores || instruction.opcode == "LDGSTS";
    if (!cost.known_interval && !copies) gap(instruction, "issue interval", made.index);
    made.latency = cost.latency;
    if (is_group_multiply(instruction.opcode)) {
      made.latency = multiply_latency(made.act, cost);
      program_.operands = number_of(program_.units, "lsu");
      made.operand_turns = operand_turns(instruction);
      if (made.act == Act::LastInBatch && !cost.known_latency) gap(instruction, "latency", made.index);
      return;
    }
    const auto use = mbarrier_use(instruction);
    made.sleeps = use && use->sleeps;
    if ((use && use->kind == MbarrierUse::Kind::Copy) || stores) return add_bulk(made, instruction);
    if (use && use->kind == MbarrierUse::Kind::Initialize) made.latency = initialize_latency(costs_.machine());
    add_memory(made, instruction);
    if (const ConstantUse* constants = value_at(options_.constants, made.index);
        constants != nullptr && add_constants(made, costs_.machine(), *constants))
      gap(instruction, "constants that the nearest cache lacks, or at several addresses", made.index);
    if (made.write >= 0 && made.act != Act::Commit && !made.latency.known()) gap(instruction, "latency", made.index);
    if (made.read >= 0) {
      made.read_latency = {made.busy.low,
                           cost.pipe == "lsu" || instruction.opcode == "SYNCS" ? most_until_read : made.latency.high};
      gap(instruction, "when its operands are read", made.index);
    }
  }

  [[nodiscard]] MemoryAnswer answer_of(std::size_t index) const {
    const AccessPattern* pattern = value_at(options_.patterns, index);
    return {value_or(options_.hits, index, options_.level), value_or(options_.parts, index, 1), options_.absent,
            pattern == nullptr ? 0 : value_or(options_.stored_apart, pattern->argument, 0.0)};
  }

  /// A copy leaves the unit that issues it to the next one after a few cycles.
  void add_bulk(ProgramStep& made, const Instruction& instruction) {
    made.unit = -1;
    made.act = Act::Bulk;
    const bool stores = instruction.opcode == "UTMASTG";
    const MemoryAnswer answer = answer_of(made.index);
    const MemoryCost cost =
        stores ? memory_.tensor_store(answer)
               : memory_.bulk(instruction, value_or(options_.patterns, made.index, AccessPattern()), answer);
    made.busy = {cost.issue, cost.issue};
    if (stores) {
      add_paths(made, cost);
      return assume(
          "a tensor copy from shared memory takes an equal part of what its block stored there, and no warp "
          "waits for it");
    }
    if (cost.latency) made.latency = *cost.latency;
    if (!cost.latency) gap(instruction, "latency", made.index);
    made.byte_latency = cost.byte_latency;
    add_paths(made, cost);
    if (instruction.opcode == "UTMALDG")
      assume("the first tensor copy of a phase brings all bytes that its mbarrier expects");
  }

  void add_memory(ProgramStep& made, const Instruction& instruction) {
    const AccessPattern* known = value_at(options_.patterns, made.index);
    const AccessPattern pattern = known != nullptr ? *known : assumed_pattern(instruction);
    add_bank_turns(made, instruction, pattern);
    const auto cost = memory_.of(instruction, pattern, answer_of(made.index));
    if (!cost) return;
    if (cost->latency) {
      const auto mixed = [&](double of_row, double beyond) { return of_row + cost->missed * (beyond - of_row); };
      made.latency = {mixed(made.latency.low, cost->latency->low), mixed(made.latency.high, cost->latency->high)};
    }
    if (is_atomic(instruction) && pattern.sectors > 0) add_assumed_atomics(made, instruction, pattern, *cost);
    add_l1_turns(made, instruction, pattern);
    made.pages = pattern.pages;
    add_paths(made, *cost);
  }

  void add_assumed_atomics(const ProgramStep& made, const Instruction& instruction, const AccessPattern& pattern,
                           const MemoryCost& cost) {
    if (cost.paths.empty()) return gap(instruction, "how many of them L2 does a cycle", made.index);
    if (!memory_.has_rates_over_lines())
      assume("what L2 takes for atomic operations to some lines is between what it takes for 1, for 32, and for 4096");
    if (pattern.meeting.lines == 0) assume("atomic operations of other warps go to other lines");
  }

  void add_paths(ProgramStep& made, const MemoryCost& cost) {
    for (const PathCost& path : cost.paths) {
      const bool dram = path.level == MemoryLevel::Dram;
      const char* name = dram ? "DRAM" : path.atomic ? "L2 atomics" : path.write ? "L2 stores" : "L2";
      made.paths.push_back({number_of(program_.units, name), path,
                            path.asked > 0 ? number_of(program_.units, "L2 stores") : -1,
                            path.atomic ? made.unit : -1});
    }
  }

  void add_shared() {
    MemoryShared& shared = program_.memory;
    shared.mixed = memory_.mixed_in_dram();
    shared.written_back = memory_.written_back();
    shared.held_before = memory_.part_of_sm(options_.held_before);
    const double room = memory_.held() - memory_.part_of_sm(options_.stored_before);
    shared.held = std::max({0.0, room, shared.held_before});
  }

  void add_await(ProgramStep& made, const Instruction& instruction) {
    constexpr std::uint64_t most_left = 64;
    if (instruction.opcode == "WARPGROUP") made.await = static_cast<int>(batches);
    for (const std::string& operand : instruction.operands) {
      if (operand.starts_with("SB") && operand.size() == 3 && operand[2] >= '0' && operand[2] <= '5')
        made.await = operand[2] - '0';
      else if (operand.starts_with("0x"))
        made.left = static_cast<int>(std::min(number_operand(operand, NumberKind::Integer).value_or(0), most_left));
    }
    if (made.await < 0) made.act = Act::None;
  }

  /// What wrote a factor last, if so few instructions before that it can matter.
  void add_wait(ProgramStep& made, const Instruction& instruction, const IssueWait& wait) {
    made.later = wait.later;
    const Effects effects = effects_of(instruction);
    for (std::size_t f = 0; f < std::min(wait.factors, effects.sources.size()); ++f) {
      for (const Register reg : effects.sources[f]) {
        for (std::size_t back = 1; back <= static_cast<std::size_t>(wait.settled) && first_ + back <= made.index;
             ++back) {
          const Effects writer = effects_of(at(made.index - back));
          if (!writer.writes_to(reg)) continue;
          const bool low = issue_wait(listing_.target, at(made.index - back)) && writer.writes.front() == reg;
          made.older.push_back({made.index - back - first_, wait.settled - (low ? wait.low_earlier : 0)});
          break;
        }
      }
    }
  }

  void leave(ProgramStep& made) const {
    if (const auto trips = options_.trips.find(made.index); trips != options_.trips.end()) {
      made.act = Act::Leave;
      made.trips = trips->second, made.decision = Decision::LeaveAfter;
      made.taken = value_or(options_.of_warps, made.index, {});
      return;
    }
    const auto share = options_.taken.find(made.index);
    if (share == options_.taken.end()) return;
    made.act = Act::Leave;
    made.decision = Decision::Share, made.taken = share->second;
  }

  Expected<void> decide(ProgramStep& made) {
    const Instruction& instruction = at(made.index);
    const std::size_t target = target_index(listing_, instruction);
    const bool inside = target >= first_ && target < end_;
    if (inside) made.target = target - first_;
    const auto followed = options_.followed.find(made.index);
    if (followed != options_.followed.end()) {
      made.decision = followed->second ? Decision::Always : Decision::Never;
      return {};
    }
    const auto trips = options_.trips.find(made.index);
    if (trips != options_.trips.end()) {
      made.trips = trips->second, made.taken = value_or(options_.of_warps, made.index, {});
      made.decision = target <= made.index && inside ? Decision::Trips : Decision::LeaveAfter;
      return {};
    }
    if (const auto share = options_.taken.find(made.index); share != options_.taken.end() && inside) {
      made.decision = Decision::Share, made.taken = share->second;
      return {};
    }
    const bool guarded =
        !instruction.predicate.empty() && instruction.predicate != "PT" && instruction.predicate != "UPT";
    // BRA.U UP0 and the like have their condition among the operands.
    const bool always = !guarded && inside && instruction.opcode != "CALL" && instruction.operands.size() < 2;
    made.decision = always ? Decision::Always : Decision::Never;
    if (inside && target <= made.index && !always && !options_.aside.contains(made.index))
      return fail("predict", fmt::format("how often the jump at {:#06x} is taken is not known", instruction.address));
    if (instruction.opcode == "CALL" || (!inside && !always))
      assume("calls and jumps through registers are not followed");
    else if (!always)
      assume("conditional jumps forward are not taken");
    return {};
  }

  void add_registers() {
    ReuseCache cache;
    for (ProgramStep& made : program_.steps) {
      made.registers = register_use_of(at(made.index), cache, made.later > 0);
      for (int& reads : made.registers.reads) reads += made.occupied.reads;
      made.registers.queued = made.occupied.reads > 0;
    }
  }

  void assume(const std::string& sentence) {
    if (std::ranges::find(program_.assumed, sentence) == program_.assumed.end()) program_.assumed.push_back(sentence);
  }

  void gap(const Instruction& instruction, std::string what, std::size_t index) {
    program_.gaps[{instruction.name(), std::move(what)}].push_back(index);
  }

  const Listing& listing_;
  const ProgramOptions& options_;
  const CostTable& costs_;
  MemoryCosts memory_;
  Program program_;
  std::size_t first_ = 0, end_ = 0;
};

}  // namespace

Expected<Program> make_program(const Listing& listing, const CostTable& costs, const ProgramOptions& options) {
  return Maker(listing, costs, options).make();
}

}  // namespace warpclock
