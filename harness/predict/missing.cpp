#include "predict/missing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "code/listing.hpp"
#include "inspect/facts.hpp"
#include "predict/meeting/block_streams.hpp"
#include "predict/program/meeting_steps.hpp"

namespace warpclock {
namespace {

constexpr const char* give_paths =
    "give the arguments that decide it by --arg N=VALUE, or executed counts by --counts FILE";

std::int64_t address_of(const LoadedKernel& kernel, std::size_t index) {
  return static_cast<std::int64_t>(kernel.listing.instructions[index].address);
}

std::string loop_name(const LoadedKernel& kernel, const KernelLoop& loop) {
  return fmt::format("loop {} ({})", loop.id, place_of(kernel, loop.header));
}

/// The last jump before the loop that goes past it and was executed.
std::optional<std::size_t> jump_past(const Judged& judged, const KernelLoop& loop) {
  const auto& code = judged.kernel.listing.instructions;
  for (std::size_t i = loop.header; i > judged.first; --i) {
    const bool issued = judged.runs.low.steps[i - 1 - judged.first].issues > 0;
    if (!issued || !is_jump(code[i - 1])) continue;
    if (target_index(judged.kernel.listing, code[i - 1]) >= loop.end) return i - 1;
  }
  return std::nullopt;
}

void add_loops(std::vector<MissingNumber>& missing, const Judged& judged) {
  for (const KernelLoop& loop : judged.loops) {
    if (!loop.decided || !loop.trips) continue;
    const auto& streams = judged.runs.program.streams;
    const std::int64_t executed = streams && !streams->are_cut() ? streams->trips(loop.header, loop.end) : 0;
    if (loop.trips_from == by_option && executed > 0 && executed != *loop.trips)
      missing.push_back({address_of(judged.kernel, loop.header),
                         fmt::format("{} has {} trips by {}, and not {} by {}", loop_name(judged.kernel, loop),
                                     executed, by_values, *loop.trips, by_option),
                         fmt::format("leave out --trips {}, or change what decides it", loop.id)});
    const bool entered = was_issued(judged, loop.header);
    if (*loop.trips > 0 && !entered && loop.said) {
      const auto past = jump_past(judged, loop);
      missing.push_back(
          {address_of(judged.kernel, past.value_or(loop.header)),
           fmt::format("{} with {} trips by {} was never entered{}", loop_name(judged.kernel, loop), *loop.trips,
                       loop.trips_from, past ? ": the path goes past it at " + place_of(judged.kernel, *past) : ""),
           give_paths});
    }
    if (*loop.trips == 0 && entered)
      missing.push_back({address_of(judged.kernel, loop.header),
                         fmt::format("{} has 0 trips by {}, but no jump that is followed goes past it",
                                     loop_name(judged.kernel, loop), loop.trips_from),
                         "a loop that tests at its end has one trip at least: give --trips " + std::to_string(loop.id) +
                             "=1, or what decides the jump before it"});
  }
}

/// What is executed but not simulated, by what is missing.
std::string not_simulated(const Instruction& instruction, bool executed, bool streams) {
  if (never(instruction)) return "";
  if (!is_covered(instruction))
    return "nothing simulates how long bulk copies from shared memory and reductions are waited for";
  if (instruction.opcode == "CALL" && !streams) return "what a call leads to is not followed";
  if (instruction.opcode == "BRX" || instruction.opcode == "JMX" || instruction.opcode == "BRXU")
    return "where a jump through a register leads is not followed";
  const auto access = access_of(instruction);
  // Executed generic addresses are in buffers.
  if (access && access->bytes > 0 &&
      ((access->memory == "generic" && !executed) || access->memory == "texture" || access->memory == "surface"))
    return "accesses through " + access->memory + " addresses are not followed beyond L1";
  return "";
}

void add_not_simulated(std::vector<MissingNumber>& missing, const Judged& judged) {
  std::map<std::string, std::vector<std::size_t>> found;
  for (std::size_t step = 0; step < judged.runs.low.steps.size(); ++step) {
    const std::size_t index = judged.first + step;
    if (judged.runs.low.steps[step].issues == 0) continue;
    const std::string what = not_simulated(judged.kernel.listing.instructions[index], judged.executed.contains(index),
                                           judged.runs.program.streams != nullptr);
    if (!what.empty()) found[what].push_back(index);
  }
  for (const auto& [what, indices] : found)
    missing.push_back({address_of(judged.kernel, indices.front()), what + ": " + places_of(judged.kernel, indices),
                       "measure the kernel by `warpclock check`"});
}

}  // namespace

std::string places_of(const LoadedKernel& kernel, const std::vector<std::size_t>& indices) {
  std::vector<std::string> places;
  for (const std::size_t index : indices)
    places.push_back(kernel.listing.instructions[index].opcode + " at " + place_of(kernel, index));
  return join_first(places, 3);
}

std::string place_of(const LoadedKernel& kernel, std::size_t index) {
  std::string place = fmt::format("{:#06x}", kernel.listing.instructions[index].address);
  if (index >= kernel.lines.size() || kernel.lines[index].file.empty()) return place;
  const SourceLine& line = kernel.lines[index];
  return fmt::format("{}, {}:{}", place, line.file.substr(line.file.rfind('/') + 1), line.line);
}

bool was_issued(const Judged& judged, std::size_t index) {
  const auto& steps = judged.runs.low.steps;
  return index >= judged.first && index - judged.first < steps.size() && steps[index - judged.first].issues > 0;
}

namespace {

/// Whether a loop reads what others write meanwhile: by a volatile load, or one of the scope of the GPU or the system.
std::string what_it_may_wait_for(const LoadedKernel& kernel, const KernelLoop& loop) {
  const auto& code = kernel.listing.instructions;
  for (std::size_t i = loop.header; i < std::min(loop.end, code.size()); ++i) {
    const bool loads = code[i].opcode == "LDG" || code[i].opcode == "LD";
    if (loads && has_modifier(code[i], "STRONG") && !has_modifier(code[i], "SM"))
      return fmt::format(" (it may wait until the host or another block writes what {} at {} reads)", code[i].name(),
                         place_of(kernel, i));
  }
  return "";
}

}  // namespace

std::vector<MissingNumber> missing_trips(const Judged& judged) {
  std::vector<MissingNumber> missing;
  for (const KernelLoop& loop : judged.loops) {
    if (!was_issued(judged, loop.header)) continue;
    const std::string name = loop_name(judged.kernel, loop);
    const std::int64_t address = address_of(judged.kernel, loop.header);
    if (!loop.decided && !judged.runs.program.streams)
      missing.push_back(
          {address, name + " is left in a way that is not followed", "measure the kernel by `warpclock check`"});
    else if (loop.decided && !loop.trips)
      missing.push_back({address, name + " has no trip count" + what_it_may_wait_for(judged.kernel, loop),
                         fmt::format("add --trips {}=N", loop.id)});
  }
  return missing;
}

std::vector<int> never_entered(const Judged& judged) {
  std::vector<int> ids;
  for (const KernelLoop& loop : judged.loops) {
    if (!was_issued(judged, loop.header)) ids.push_back(loop.id);
  }
  return ids;
}

std::vector<MissingNumber> wrong_path(const Judged& judged, const std::vector<LowerBound>& bounds) {
  // Rows of rates and of cycles are apart by up to 0.4 % in the committed predictions of both GPUs.
  constexpr double most = 1.02;
  std::vector<MissingNumber> missing;
  add_loops(missing, judged);
  add_not_simulated(missing, judged);
  for (const LowerBound& bound : bounds) {
    if (!(bound.share > most)) continue;
    missing.push_back({-1, fmt::format("{} would be used for {:.0f} % of the time", bound.name, 100 * bound.share),
                       std::string("a part of the kernel is not followed as it runs: ") + give_paths});
  }
  return missing;
}

std::vector<MissingNumber> unlike_counts(const ExecutedCounts& counts, const Runs& runs,
                                         const LaunchPlacement& launch) {
  constexpr double most = 0.05;
  double counted = 0, issued = 0;
  for (const auto& [address, times] : counts.by_address) counted += static_cast<double>(times);
  for (const double of_part : runs.use.issues) issued += of_part;
  const auto at_once = static_cast<double>(std::min<std::int64_t>(launch.blocks_of_sm(), launch.blocks_per_sm));
  const double all = issued / at_once * static_cast<double>(launch.blocks);
  if (counted <= 0 || std::abs(all / counted - 1) <= most) return {};
  return {{-1,
           fmt::format("the simulated path issues {:.0f} instructions, and --counts has {:.0f}: {:+.0f} %", all,
                       counted, 100 * (all / counted - 1)),
           "check that --launch is that of the counts; else a jump is not followed as it was executed"}};
}

void silence(Prediction& prediction) {
  prediction.low = prediction.high = prediction.sm_low = prediction.sm_high = std::nullopt;
  prediction.limiter.clear();
  prediction.bounds.clear();
  prediction.waits.clear();
  prediction.unknown.clear();
  prediction.timeline.clear();
  prediction.instructions.clear();
  prediction.energy.reset();
}

}  // namespace warpclock
