#include "gpu/instruction_job.hpp"

#include <algorithm>

#include "ptx/kernel.hpp"

namespace warpclock {
namespace {

// Of a fixed latency every launch gives the same; the rest shows what does not.
constexpr int launches = 5;

Job empty_job(const std::string& id) {
  Job job;
  job.id = id;
  job.launch.launches = launches;
  job.data.bytes = instruction_data_bytes;
  job.data.fill = Fill::Bits;
  return job;
}

/// Registers are given out by eights to each thread; an SM has 65,536 (CUDA Programming Guide, "Technical
/// Specifications per Compute Capability", 5.0 to 12.x).
bool fits(int registers, int warps) { return (registers + 2 + 7) / 8 * 8 * 32 * warps <= 65536; }

}  // namespace

const std::vector<int>& grid_warps() {
  static const std::vector<int> warps{1, 4, 8, 16, 32};
  return warps;
}

std::vector<Timing> timings(const Study& study) {
  std::vector<Timing> all;
  const bool several = std::ranges::any_of(study.trials, [](const Trial& trial) {
    return trial.inspection.verified() && trial.experiment.question == Question::Throughput;
  });
  bool chained = several;
  for (std::size_t i = 0; i < study.trials.size(); ++i) {
    if (!study.trials[i].inspection.verified()) continue;
    const Trial& trial = study.trials[i];
    const bool latency = trial.experiment.question == Question::Latency;
    // Where several chains a warp cannot be had, the first plain chain over more warps is the throughput.
    const bool grid = !latency || (!chained && trial.experiment.trick == Trick::None && trial.inspection.via.empty());
    chained = chained || (latency && grid);
    for (const int warps : grid_warps()) {
      if (warps == 1 || (grid && fits(trial.registers, warps))) all.push_back({i, warps});
    }
  }
  return all;
}

Job timing_job(const std::string& id, const Study& study, const std::vector<Timing>& timings) {
  Job job = empty_job(id);
  for (const Timing& timing : timings) {
    const Trial& trial = study.trials[timing.trial];
    for (const auto& [n, symbol] : trial.kernels) job.kernels.push_back({n, symbol, timing.warps, trial.cubin_path});
  }
  if (!job.kernels.empty()) job.cubin_path = job.kernels.front().cubin_path;
  return job;
}

std::vector<Job> counting_jobs(const std::string& id, const Trial& trial, const std::vector<std::string>& counters) {
  std::vector<Job> jobs;
  for (std::size_t i = trial.kernels.size() - 2; i < trial.kernels.size(); ++i) {
    Job job = empty_job(id);
    job.timed = false;
    job.counters = counters;
    job.cubin_path = trial.cubin_path;
    job.kernels.push_back({trial.kernels[i].first, trial.kernels[i].second});
    jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace warpclock
