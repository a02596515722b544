#include "gpu/job/instruction_job.hpp"

#include <algorithm>
#include <string_view>

#include "compose/hole_source.hpp"
#include "gpu/job/job.hpp"
#include "ptx/experiment/frame.hpp"
#include "ptx/experiment/kernel.hpp"

namespace warpclock {
namespace {

static_assert(argument::clocks == offsetof(DeviceArgs, clocks) && argument::data == offsetof(DeviceArgs, data) &&
              argument::sink == offsetof(DeviceArgs, sink) && argument::passes == offsetof(DeviceArgs, passes) &&
              argument::zero == offsetof(DeviceArgs, zero) && argument::at == offsetof(DeviceArgs, at) &&
              argument::bytes == sizeof(DeviceArgs));

// Every launch gives the same time for a fixed latency; the additional launches show what varies. A launch on every SM
// gives as many windows at once. If blocks would interfere in memory, there is one block and more launches. If the
// instruction accesses memory, each launch uses other lines: their distance depends on memory that the driver chooses
// anew in each process.
constexpr int launches = 2, launches_of_one_block = 9, launches_in_memory = 16;
constexpr std::int64_t launch_bytes = 16 << 10;  // the accesses of a warp in two launches do not overlap
// The factor by which launches increase if the result varies from launch to launch, and the maximum.
constexpr int more = 7, most_launches = 64;

// All jobs have data of the same size; otherwise the data would have to be filled again between them.
Job empty_job(const std::string& id) {
  Job job;
  job.id = id;
  job.data.bytes = std::max(instruction_data_bytes + most_launches * launch_bytes, hole_data_bytes());
  job.data.fill = Fill::Bits;
  return job;
}

/// Of constants, each SM has copies in its caches.
bool leaves_sm(const Operand& operand) {
  return operand.address && !operand.space.starts_with("shared") && operand.space != "const";
}

/// Whether the instruction has no effect outside the SM.
bool keeps_to_its_sm(const PtxInstruction& instruction) {
  constexpr std::array<std::string_view, 3> outside{"async", "cache", "fence"};
  if (std::ranges::find(outside, instruction.kind) != outside.end()) return false;
  if (instruction.mnemonic.contains("cluster")) return false;
  return std::ranges::none_of(instruction.operands, leaves_sm);
}

/// Registers are allocated to each thread in units of eight; an SM has 65,536 (CUDA Programming Guide, "Technical
/// Specifications per Compute Capability", 5.0 to 12.x).
bool fits(int registers, int warps) { return (registers + 2 + 7) / 8 * 8 * 32 * warps <= 65536; }

}  // namespace

bool accesses_memory(const PtxInstruction& instruction) {
  return std::ranges::any_of(instruction.operands,
                             [](const Operand& operand) { return leaves_sm(operand) && operand.space != "local"; });
}

const std::vector<int>& grid_warps() {
  static const std::vector<int> warps{1, 4, 8, 16, 32};
  return warps;
}

std::vector<Timing> timings(const CompiledInstruction& compiled) {
  std::vector<Timing> all;
  for (std::size_t i = 0; i < compiled.trials.size(); ++i) {
    const Trial& trial = compiled.trials[i];
    if (!trial.verdict.verified()) continue;
    const bool grid = trial.experiment.question == Question::Throughput;
    for (const int warps : grid_warps()) {
      if (warps == 1 || (grid && fits(trial.registers, warps))) all.push_back({i, warps});
    }
  }
  return all;
}

Job timing_job(const std::string& id, const PtxInstruction& instruction, const CompiledInstruction& compiled,
               const std::vector<Timing>& timings) {
  Job job = empty_job(id);
  job.at_once = true;
  job.launch.launches = launches_of_one_block;
  if (keeps_to_its_sm(instruction)) {
    job.launch.launches = launches;
    job.launch.blocks_per_sm = 1;
  } else if (accesses_memory(instruction)) {
    job.launch.launches = launches_in_memory;
    job.at_step = launch_bytes;
  }
  for (const Timing& timing : timings) {
    const Trial& trial = compiled.trials[timing.trial];
    for (const TrialKernel& kernel : trial.kernels) {
      job.kernels.push_back({kernel.n, kernel.symbol, timing.warps, kernel.cubin_path});
    }
  }
  for (const Timing& timing : timings) {
    const auto& compared = compiled.trials[timing.trial].compared;
    if (!compared) continue;
    for (const TrialKernel* kernel : {&compared->early, &compared->patient})
      job.kernels.push_back({kernel->n, kernel->symbol, timing.warps, kernel->cubin_path});
    job.places = Places::Written;
  }
  if (!job.kernels.empty()) job.cubin_path = job.kernels.front().cubin_path;
  return job;
}

Job throughput_at(const Job& job, const CompiledInstruction& compiled, const std::vector<Timing>& timings,
                  const std::set<int>& warps) {
  Job part = job;
  part.kernels.clear();
  part.places = Places::None;  // what is compared is no part of it
  std::size_t at = 0;
  for (const Timing& timing : timings) {
    const Trial& trial = compiled.trials[timing.trial];
    for (std::size_t i = 0; i < trial.kernels.size(); ++i, ++at) {
      const bool wanted = trial.experiment.question == Question::Throughput && warps.contains(timing.warps);
      if (wanted) part.kernels.push_back(job.kernels[at]);
    }
  }
  if (!part.kernels.empty()) part.cubin_path = part.kernels.front().cubin_path;
  part.launch.launches = std::min(more * job.launch.launches, most_launches);
  return part;
}

Observation with_throughput(Observation whole, const Observation& part, const Job& part_job,
                            const CompiledInstruction& compiled, const std::vector<Timing>& timings) {
  std::size_t at = 0, taken = 0;
  for (const Timing& timing : timings) {
    for (const TrialKernel& kernel : compiled.trials[timing.trial].kernels) {
      const JobKernel wanted{kernel.n, kernel.symbol, timing.warps, kernel.cubin_path};
      const bool same = taken < part_job.kernels.size() && part_job.kernels[taken] == wanted;
      if (same) whole.samples[at] = part.samples[taken++];
      ++at;
    }
  }
  return whole;
}

KernelPair largest_pair(const Trial& trial) {
  KernelPair pair;
  for (std::size_t i = 0; i < pair.size(); ++i) {
    const TrialKernel& kernel = trial.kernels[trial.kernels.size() - pair.size() + i];
    pair[i] = {kernel.n, kernel.symbol, 0, kernel.cubin_path};
  }
  return pair;
}

Job counting_job(const std::string& id, const std::vector<KernelPair>& pairs, const std::vector<std::string>& counters,
                 bool as_pairs) {
  Job job = empty_job(id);
  job.timed = false;
  job.prepared = false;  // only instructions are counted, so the state of the caches does not matter
  job.counters = counters;
  job.counted_together = as_pairs ? 2 : 1;
  for (const KernelPair& pair : pairs) {
    job.kernels.insert(job.kernels.end(), pair.begin(), pair.end());
    if (as_pairs) job.kernels.back().blocks_per_sm = 1;
  }
  return job;
}

}  // namespace warpclock
