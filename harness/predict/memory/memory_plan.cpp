#include "predict/memory/memory_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "code/listing.hpp"
#include "code/word.hpp"
#include "execute/bank_turns.hpp"
#include "inspect/facts.hpp"

namespace warpclock {

bool is_global(const Instruction& instruction) {
  const auto access = access_of(instruction);
  return access && (access->memory.starts_with("global") || access->memory == "generic" ||
                    access->memory.find("tensor") != std::string::npos);
}

namespace {

/// "0x0240 LDS, 0x0280 ATOMS.ADD, 3 more"
std::string named(const Listing& listing, const std::vector<std::size_t>& indices) {
  std::vector<std::string> names;
  for (const std::size_t index : indices)
    names.push_back(fmt::format("{:#06x} {}", listing.instructions[index].address, listing.instructions[index].opcode));
  return join_first(names, 4);
}

/// Whether the addresses of its lanes decide what it takes.
bool is_followed(const Instruction& instruction) {
  const auto access = access_of(instruction);
  return access && access->bytes > 0 && (is_global(instruction) || access->memory == "shared");
}

/// The index of the access at an address that was given with `option`.
Expected<std::size_t> index_at(const Listing& listing, std::int64_t address, const char* option) {
  const auto& code = listing.instructions;
  const auto found = std::ranges::find(code, static_cast<std::uint64_t>(address), &Instruction::address);
  if (found == code.end() || !is_followed(*found))
    return fail("predict", fmt::format("there is no access to memory at {:#06x}: {} wants the address of one, as "
                                       "`warpclock inspect` lists them",
                                       address, option));
  return static_cast<std::size_t>(found - code.begin());
}

/// Bytes that an execution adds to those which other warps of the block ask for.
double bytes_of(const AccessPattern& pattern) { return pattern.new_sectors * pattern.sent * sector_bytes; }

/// The buffer of an access, and whether it stores there.
using BufferUse = std::pair<int, bool>;

BufferUse use_of(const Listing& listing, const MemoryPlan& plan, std::size_t index) {
  const auto access = access_of(listing.instructions[index]);
  return {plan.patterns.at(index).argument,
          access->kind == "store" || access->kind == "atomic" || access->memory == "shared to tensor"};
}

/// The part of them that the block touched before.
double again_of(const AccessPattern& pattern) {
  return pattern.new_sectors > 0 ? std::min(1.0, pattern.again_sectors / pattern.new_sectors) : 0;
}

struct WantedBytes {
  double bytes = 0;  ///< of all executions, that are new to their blocks
  double apart = 0;  ///< of these, what blocks that run at once load together counts once
};

std::map<BufferUse, WantedBytes> wanted_bytes(const Listing& listing, const MemoryPlan& plan,
                                              const std::map<std::size_t, double>& executions) {
  std::map<BufferUse, WantedBytes> wanted;
  for (const auto& [i, times] : executions) {
    const AccessPattern& pattern = plan.patterns.at(i);
    const double bytes = times * bytes_of(pattern) * (1 - again_of(pattern));
    WantedBytes& use = wanted[use_of(listing, plan, i)];
    use.bytes += bytes, use.apart += bytes / pattern.sharers;
  }
  return wanted;
}

/// Bytes of the buffers that no access is known to be in: what is in one of several buffers is in these.
double bytes_left(const MemoryPlan& plan, const MemoryKnown& known, const std::map<std::size_t, double>& executions) {
  std::set<int> named;
  for (const auto& [i, times] : executions) named.insert(plan.patterns.at(i).argument);
  double left = 0;
  for (const auto& [argument, bytes] : known.buffers)
    if (!named.contains(argument)) left += static_cast<double>(bytes);
  return left;
}

/// How much more all blocks that run at once touch than each of them: lines that several have count once.
double apart_at_once(const MemoryPlan& plan, double blocks) {
  double each = 0, apart = 0;
  for (const auto& [index, pattern] : plan.patterns)
    each += pattern.block_sectors, apart += pattern.block_sectors * std::max(1.0, blocks / pattern.sharers);
  return each > 0 ? apart / each : blocks;
}

/// The arguments that accesses need and nobody gave.
void add_presumed(MemoryPlan& plan, const MemoryKnown& known) {
  std::vector<std::string> numbers;
  for (const int number : known.presumed) {
    const auto uses = [&](const auto& one) { return one.second.argument == number; };
    if (std::ranges::any_of(plan.patterns, uses)) numbers.push_back(std::to_string(number));
  }
  if (numbers.size() == 1) plan.assumed.push_back("argument " + numbers[0] + " is the address of a buffer");
  if (numbers.size() > 1) plan.assumed.push_back("arguments " + join(numbers, ", ") + " are addresses of buffers");
}

void add_assumed(MemoryPlan& plan, const Listing& listing, const MemoryKnown& known) {
  std::vector<std::size_t> unknown, global;
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) {
    const auto found = plan.patterns.find(i);
    if (is_global(listing.instructions[i]) && !plan.hits.contains(i)) global.push_back(i);
    if (found != plan.patterns.end() && !found->second.deduced) unknown.push_back(i);
  }
  plan.asks_level = !global.empty();
  if (!unknown.empty())
    plan.assumed.push_back("coalesced (address unknown), use --stride ADDRESS=BYTES: " + named(listing, unknown));
  std::vector<std::size_t> by_all(known.presumed_lanes.begin(), known.presumed_lanes.end());
  std::erase_if(by_all, [&](std::size_t i) { return known.lost.contains(i); });
  if (!by_all.empty()) plan.assumed.push_back("executed by all lanes (predicate unknown): " + named(listing, by_all));
  std::vector<std::size_t> constants;
  for (const auto& [i, why] : known.lost) {
    const auto access = access_of(listing.instructions[i]);
    if (access && access->memory == "constant") constants.push_back(i);
  }
  if (!constants.empty())
    plan.assumed.push_back("in the nearest constant cache (address unknown): " + named(listing, constants));
  unknown.insert(unknown.end(), constants.begin(), constants.end());
  std::set<std::string> reasons;
  for (const std::size_t i : unknown) {
    if (const std::string* why = value_at(known.lost, i)) reasons.insert(*why);
  }
  for (const std::string& why : reasons) plan.assumed.push_back("not known: " + why);
}

}  // namespace

Expected<MemoryPlan> plan_memory(const LoadedKernel& kernel, const MemoryKnown& known) {
  const Listing& listing = kernel.listing;
  MemoryPlan plan;
  plan.patterns = known.executed;
  for (const auto& [address, level] : known.hits) {
    const std::size_t at = WARPCLOCK_TRY(index_at(listing, address, "--hit"));
    plan.hits[at] = level;
  }
  for (const auto& [address, stride] : known.strides) {
    const std::size_t at = WARPCLOCK_TRY(index_at(listing, address, "--stride"));
    AccessPattern& pattern = plan.patterns[at];
    const bool both = access_of(listing.instructions[at])->memory == "global to shared";
    const double turns = pattern.wavefronts;
    pattern = strided_pattern(listing.instructions[at], stride);
    // The stride of a copy is that of its load.
    if (both) pattern.wavefronts = turns;
  }
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) {
    const Instruction& one = listing.instructions[i];
    if (!is_followed(one) || plan.patterns.contains(i)) continue;
    AccessPattern& pattern = plan.patterns[i];
    pattern = assumed_pattern(one);
    pattern.deduced = known.all_executed && !known.lost.contains(i);
  }
  add_assumed(plan, listing, known);
  add_presumed(plan, known);
  for (auto& [i, pattern] : plan.patterns) {
    if (is_global(listing.instructions[i]) && pattern.argument >= 0 && !known.buffers.contains(pattern.argument))
      plan.unsized.insert(pattern.argument);
    if (pattern.deduced) continue;
    plan.unknown.push_back(i);
    if (!known.apart) continue;
    const Instruction& one = listing.instructions[i];
    pattern = is_atomic(one) ? at_one_word(one) : strided_pattern(one, line_bytes);
    pattern.deduced = false;
  }
  return plan;
}

AccessedBuffers accessed_buffers(const Listing& listing, const MemoryPlan& plan, const MemoryKnown& known,
                                 const std::map<std::size_t, double>& executions) {
  struct Use {
    double bytes = 0;
    bool stored = false;
  };
  std::map<int, Use> uses;
  for (const auto& [i, times] : executions) {
    const AccessPattern& pattern = plan.patterns.at(i);
    const auto [argument, stores] = use_of(listing, plan, i);
    Use& use = uses[argument];
    use.bytes += times * bytes_of(pattern);
    use.stored = use.stored || stores;
  }
  AccessedBuffers all;
  for (const auto& [argument, bytes] : known.buffers) {
    // What is not known to be in another buffer is in those that are left.
    const auto found = uses.contains(argument) ? uses.find(argument) : uses.find(-1);
    if (found == uses.end()) continue;
    Use& use = found->second;
    const double here = std::min(use.bytes, static_cast<double>(bytes));
    use.bytes -= here;
    all[argument] = {here, use.stored ? here : 0};
  }
  return all;
}

AccessedBytes sum_of(const AccessedBuffers& buffers) {
  AccessedBytes sum;
  for (const auto& [argument, one] : buffers) sum.bytes += one.bytes, sum.stored += one.stored;
  return sum;
}

double lost_of_l2(double held, double l2_bytes) {
  constexpr double none = 0.52, all = 0.85;
  return l2_bytes > 0 ? std::clamp((held / l2_bytes - none) / (all - none), 0.0, 1.0) : 0;
}

AbsentBytes::AbsentBytes(const AccessedBuffers& accessed, const std::map<int, double>& in_l2) {
  for (const auto& [argument, one] : accessed) {
    const double part = 1 - std::clamp(value_or(in_l2, argument, 1.0), 0.0, 1.0);
    parts_[argument] = part;
    bytes_ += part * one.bytes;
  }
  const double all = sum_of(accessed).bytes;
  if (all > 0) of_all_ = bytes_ / all;
}

double AbsentBytes::of(int argument) const { return value_or(parts_, argument, of_all_); }

double AbsentBytes::most() const {
  double most = 0;
  for (const auto& [argument, part] : parts_) most = std::max(most, part);
  return most;
}

std::string take_level_of_buffers(const MemoryPlan& plan, const Machine& machine, double accessed, MemoryKnown& known) {
  if (known.buffers.empty() || !plan.unsized.empty()) return {};
  std::int64_t bytes = 0;
  for (const auto& [number, size] : known.buffers) bytes += size;
  const std::string size = human_bytes(static_cast<std::uint64_t>(bytes));
  const std::int64_t room = machine.stated.l2_bytes;
  known.level = MemoryLevel::L2;
  if (room == 0 || bytes <= room)
    return size + " of buffers, which fit into L2; a launch before is taken to have warmed it";
  if (accessed > static_cast<double>(room)) {
    known.level = MemoryLevel::Dram;
    return size + " of buffers, which do not fit into L2";
  }
  return fmt::format(
      "{} that are accessed of {} of buffers, which fit into L2; a launch before is taken to have warmed it",
      human_bytes(static_cast<std::uint64_t>(accessed)), size);
}

std::map<std::size_t, double> parts_of_dram(const Listing& listing, const MemoryPlan& plan, const MemoryKnown& known,
                                            const std::map<std::size_t, double>& executions, const L2Use& l2) {
  const auto wanted = wanted_bytes(listing, plan, executions);
  const double at_once = apart_at_once(plan, l2.blocks);
  const double left = bytes_left(plan, known, executions);
  const auto held_of = [&](int argument) {
    const auto buffer = known.buffers.find(argument);
    return buffer == known.buffers.end() ? left : static_cast<double>(buffer->second);
  };
  double of_wave = 0;
  for (const auto& [use, one] : wanted) of_wave += std::min(one.apart / l2.waves, held_of(use.first));
  const double lost = l2.lost_of_lap ? l2.lost_of_lap(of_wave) : 0;
  std::map<std::size_t, double> parts;
  for (const auto& [i, times] : executions) {
    const AccessPattern& pattern = plan.patterns.at(i);
    const double held = held_of(pattern.argument);
    if (held == 0) continue;
    // The buffers that are left are those of the blocks that were executed; others may have theirs.
    const bool named = known.buffers.contains(pattern.argument);
    const bool own = !named && pattern.deduced && pattern.by_block && pattern.sharers == 1;
    const auto& [bytes, apart] = wanted.at(use_of(listing, plan, i));
    const double waves = pattern.sharers > 1 ? std::clamp(apart / held, 1.0, std::ceil(l2.waves)) : 1;
    const double first = bytes > 0 && !own ? std::min(1.0, held * (1 + (waves - 1) * lost) / bytes) : 1;
    const double again = again_of(pattern);
    parts[i] = (1 - again) * first + again * lost_of_l2(pattern.again_after * at_once, l2.bytes);
  }
  return parts;
}

}  // namespace warpclock
