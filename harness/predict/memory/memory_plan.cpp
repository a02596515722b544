#include "predict/memory/memory_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "code/modifiers.hpp"
#include "code/word.hpp"
#include "inspect/facts.hpp"
#include "predict/memory/access_site.hpp"
#include "predict/memory/arguments.hpp"

namespace warpclock {
namespace {

/// "0x0240 LDS, 0x0280 ATOMS.ADD and 3 more"
std::string named(const Listing& listing, const std::vector<std::size_t>& indices) {
  constexpr std::size_t most = 4;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(most, indices.size()); ++i)
    names.push_back(
        fmt::format("{:#06x} {}", listing.instructions[indices[i]].address, listing.instructions[indices[i]].opcode));
  std::string text = join(names, ", ");
  if (indices.size() > most) text += fmt::format(" and {} more", indices.size() - most);
  return text;
}

bool is_global(const Instruction& instruction) {
  const auto access = access_of(instruction);
  return access && access->memory.starts_with("global");
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
double bytes_of(const AccessPattern& pattern) {
  constexpr double sector = 32;
  return pattern.new_sectors * pattern.sent * sector;
}

/// The buffer of an access, and whether it stores there.
using BufferUse = std::pair<int, bool>;

BufferUse use_of(const Listing& listing, const MemoryPlan& plan, std::size_t index) {
  return {plan.patterns.at(index).parameter, access_of(listing.instructions[index])->kind == "store"};
}

/// The bytes of all executions.
std::map<BufferUse, double> wanted_bytes(const Listing& listing, const MemoryPlan& plan,
                                         const std::map<std::size_t, double>& executions) {
  std::map<BufferUse, double> wanted;
  for (const auto& [i, times] : executions) wanted[use_of(listing, plan, i)] += times * bytes_of(plan.patterns.at(i));
  return wanted;
}

void add_assumed(MemoryPlan& plan, const Listing& listing) {
  std::vector<std::size_t> unknown, unaligned, random, global;
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) {
    const auto found = plan.patterns.find(i);
    if (is_global(listing.instructions[i]) && !plan.hits.contains(i)) global.push_back(i);
    if (found == plan.patterns.end()) continue;
    if (!found->second.deduced)
      unknown.push_back(i);
    else if (found->second.scattered)
      random.push_back(i);
    else if (!found->second.aligned)
      unaligned.push_back(i);
  }
  plan.asks_level = !global.empty();
  if (!unknown.empty())
    plan.assumed.push_back("coalesced (address unknown), use --stride ADDRESS=BYTES: " + named(listing, unknown));
  if (!random.empty())
    plan.assumed.push_back("lanes at random places (data decide the address): " + named(listing, random));
  if (!unaligned.empty())
    plan.assumed.push_back("first lane at the begin of a sector of 32 bytes: " + named(listing, unaligned));
}

}  // namespace

namespace {

/// Takes the lanes of an access for next to each other, or for as far apart as can be.
void spread(AccessPattern& pattern, const Instruction& instruction, bool apart) {
  constexpr std::int64_t line = 128;
  const AccessPattern as = apart ? strided_pattern(instruction, line) : assumed_pattern(instruction);
  pattern.wavefronts = as.wavefronts;
  pattern.sectors = pattern.new_sectors = as.sectors;
  pattern.lines = as.lines;
  pattern.used = as.used;
}

}  // namespace

Expected<MemoryPlan> plan_memory(const LoadedKernel& kernel, const MemoryKnown& known) {
  const Listing& listing = kernel.listing;
  MemoryPlan plan;
  plan.patterns = known.executed;
  if (plan.patterns.empty()) plan.patterns = access_patterns(listing, kernel.facts, known.shape, known.ways);
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
  // A kernel with too many branches has no patterns.
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) {
    const Instruction& one = listing.instructions[i];
    if (is_followed(one) && !plan.patterns.contains(i)) plan.patterns.emplace(i, assumed_pattern(one));
  }
  add_assumed(plan, listing);
  for (auto& [i, pattern] : plan.patterns) {
    if (is_global(listing.instructions[i]) && pattern.parameter >= 0 &&
        !known.shape.buffers.contains(pattern.parameter))
      plan.unsized.insert(pattern.parameter);
    const double part = pattern.used / (sector_bytes * pattern.sectors);
    constexpr double most = 0.75;
    if (part < most && is_global(listing.instructions[i]) && access_of(listing.instructions[i])->kind == "load" &&
        uses_l1(listing.instructions[i])) {
      plan.partly.push_back(i);
      if (known.again.contains(i)) pattern.new_sectors *= part;
    }
    if (pattern.deduced && !pattern.scattered) continue;
    plan.unknown.push_back(i);
    if (known.unknown != UnknownLanes::Likely)
      spread(pattern, listing.instructions[i], known.unknown == UnknownLanes::Apart);
  }
  return plan;
}

std::string take_level_of_buffers(const MemoryPlan& plan, const Machine& machine, MemoryKnown& known) {
  if (known.shape.buffers.empty() || !plan.unsized.empty()) return {};
  std::int64_t bytes = 0;
  for (const auto& [place, size] : known.shape.buffers) bytes += size;
  known.level = level_of_buffers(bytes, machine.stated.l2_bytes, false);
  const bool fits = known.level == MemoryLevel::L2;
  return fmt::format("{} of buffers, which {}", human_bytes(static_cast<std::uint64_t>(bytes)),
                     fits ? "fit into L2; a launch before is taken to have warmed it" : "do not fit into L2");
}

std::map<std::size_t, double> parts_of_dram(const Listing& listing, const MemoryPlan& plan, const MemoryKnown& known,
                                            const std::map<std::size_t, double>& executions) {
  const auto wanted = wanted_bytes(listing, plan, executions);
  std::map<std::size_t, double> parts;
  for (const auto& [i, times] : executions) {
    const auto buffer = known.shape.buffers.find(plan.patterns.at(i).parameter);
    if (buffer == known.shape.buffers.end()) continue;
    parts[i] = std::min(1.0, static_cast<double>(buffer->second) / wanted.at(use_of(listing, plan, i)));
  }
  return parts;
}

double part_beyond(double room, const Listing& listing, const MemoryPlan& plan, const MemoryKnown& known,
                   const std::map<std::size_t, double>& executions) {
  std::map<int, double> accessed;
  for (const auto& [use, bytes] : wanted_bytes(listing, plan, executions)) accessed[use.first] += bytes;
  double all = 0;
  for (const auto& [parameter, bytes] : known.shape.buffers) {
    // What is not known to be in another buffer is in those that are left.
    const auto found = accessed.contains(parameter) ? accessed.find(parameter) : accessed.find(-1);
    if (found == accessed.end()) continue;
    const double here = std::min(found->second, static_cast<double>(bytes));
    found->second -= here;
    all += here;
  }
  return std::clamp(all / room - 1, 0.0, 1.0);
}

}  // namespace warpclock
