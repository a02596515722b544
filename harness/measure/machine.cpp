#include "measure/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/try.hpp"
#include "measure/machine_fit.hpp"
#include "measure/machine_plan.hpp"

namespace warpclock {
namespace {

constexpr std::size_t hole_room = 112, hole_kernels = 32;
constexpr int launches = 5;

/// A form on its way through two jobs.
struct Underway {
  std::optional<MachineSubject> subject;
  std::vector<MachineWindow> windows;
  std::vector<std::string> files;
  MachineRow row;
};

class Engine {
 public:
  Engine(const MachineInquiry& inquiry, Hole hole)
      : inquiry_(inquiry), hole_(std::move(hole)), movers_(movers_among(inquiry.architecture)) {}

  [[nodiscard]] Expected<std::vector<MachineRow>> run();

 private:
  [[nodiscard]] Expected<Job> begin(std::size_t i);
  [[nodiscard]] Expected<Job> job_for(Underway& one);
  [[nodiscard]] std::optional<Job> look(std::size_t i, const Expected<Observation>& seen, bool again);
  void first_look(Underway& one, std::span<const MachineSample> samples);
  [[nodiscard]] std::vector<MachineWindow> second_windows(const Underway& one);
  [[nodiscard]] const DependencyLatency* latency_of(const MachineRow& row, int source) const;

  const MachineInquiry& inquiry_;
  const Hole hole_;
  const Movers movers_;
  std::vector<Underway> all_;
  std::size_t images_ = 0;
};

std::vector<MachineSample> samples_of(const std::vector<MachineWindow>& windows, const Observation& seen) {
  std::vector<MachineSample> samples;
  for (std::size_t i = 0; i < windows.size() && i < seen.samples.size(); ++i) {
    samples.push_back({&windows[i], seen.samples[i], i < seen.digests.size() ? seen.digests[i] : ""});
  }
  return samples;
}

Expected<Job> Engine::job_for(Underway& one) {
  Job job;
  job.id = one.row.key;
  job.data.bytes = hole_data_bytes();
  job.data.fill = Fill::Bits;
  job.at = hole_argument(one.subject->results, one.subject->constants);
  job.launch.launches = launches;
  job.places = Places::Written;
  job.at_once = job.once = true;
  const std::size_t each = hole_.kernels.size();
  for (std::size_t first = 0; first < one.windows.size(); first += each) {
    const std::span part = std::span(one.windows).subspan(first, std::min(each, one.windows.size() - first));
    std::vector<Filling> fillings;
    for (const MachineWindow& window : part) fillings.push_back(window.filling);
    std::string image;
    WARPCLOCK_SET(image, fill_hole(hole_, fillings));
    const std::string path = fmt::format("{}/{}.cubin", inquiry_.folder, images_++);
    if (!(std::ofstream(path, std::ios::binary) << image)) return fail("io", fmt::format("cannot write {}", path));
    one.files.push_back(path);
    for (std::size_t i = 0; i < part.size(); ++i) {
      job.kernels.push_back(
          {.n = part[i].n, .symbol = hole_.kernels[i].symbol, .warps = part[i].warps, .cubin_path = path});
    }
  }
  job.cubin_path = one.files.back();
  return job;
}

Expected<Job> Engine::begin(std::size_t i) {
  Underway& one = all_[i];
  WARPCLOCK_SET(one.subject, machine_subject(inquiry_.forms[i], movers_));
  one.row.scoreboard = one.subject->shape.write_scoreboard;
  WARPCLOCK_SET(one.windows, first_windows(*one.subject, hole_, movers_));
  return job_for(one);
}

const DependencyLatency* Engine::latency_of(const MachineRow& row, int source) const {
  const auto at = std::ranges::find(row.latencies, source, &DependencyLatency::source);
  return at == row.latencies.end() ? nullptr : &*at;
}

void Engine::first_look(Underway& one, std::span<const MachineSample> samples) {
  const MachineSubject& subject = *one.subject;
  constexpr int most_bridge_stall = 15;
  for (const ChainRoute& route : subject.routes) {
    DependencyLatency& latency = one.row.latencies.emplace_back();
    latency.source = route.source;
    latency.operand = route.operand;
    latency.note = route.why_not;
    if (!route.why_not.empty()) continue;
    StaleReads reads =
        stale_reads(samples, MachineWindow::Kind::Stale, route.source, subject.most_stall, !subject.fixed());
    latency.least_right = reads.least_right;
    latency.wrong = std::move(reads.wrong);
    latency.note = std::move(reads.note);
    if (route.bridge) {
      latency.through = parse_instruction(text_of(route.bridge.form->skeleton))->name();
      const StaleReads bridge = stale_reads(samples, MachineWindow::Kind::Bridge, route.source, most_bridge_stall);
      latency.through_cycles = bridge.least_right.value_or(0);
      if (!bridge.least_right) latency.note = fmt::format("{}: {}", latency.through, bridge.note);
    } else if (!subject.fixed()) {
      const auto cycles = chain_cycles(samples, route.source);
      if (cycles) latency.cycles = *cycles;
      if (!cycles) latency.note = cycles.error().text;
    }
  }
  one.row.cells = issue_cells(samples);
  one.row.interval = issue_interval(one.row.cells);
}

/// Chains at the least right distances, of the routes whose distances are known now.
std::vector<MachineWindow> Engine::second_windows(const Underway& one) {
  std::vector<MachineWindow> windows;
  for (const ChainRoute& route : one.subject->routes) {
    const DependencyLatency* latency = latency_of(one.row, route.source);
    if (latency == nullptr || latency->cycles || !route.why_not.empty()) continue;
    if (one.subject->fixed() && !latency->least_right) continue;
    if (route.bridge && latency->through_cycles == 0) continue;
    auto chains = chain_windows(*one.subject, route, one.subject->fixed() ? *latency->least_right : scoreboard_stall,
                                static_cast<int>(latency->through_cycles), hole_, movers_);
    if (chains) std::ranges::move(*chains, std::back_inserter(windows));
  }
  return windows;
}

std::optional<Job> Engine::look(std::size_t i, const Expected<Observation>& seen, bool again) {
  Underway& one = all_[i];
  for (const std::string& file : one.files) std::filesystem::remove(file);
  one.files.clear();
  if (!seen) {
    one.row.reason = seen.error();
    if (inquiry_.failed) inquiry_.failed(one.row);
    return std::nullopt;
  }
  const std::vector<MachineSample> samples = samples_of(one.windows, *seen);
  if (again) {
    for (DependencyLatency& latency : one.row.latencies) {
      if (latency.cycles) continue;
      auto cycles = chain_cycles(samples, latency.source);
      if (!cycles) continue;
      for (double* value : {&cycles->value, &cycles->low, &cycles->high}) *value -= latency.through_cycles;
      latency.cycles = *std::move(cycles);
    }
    return std::nullopt;
  }
  first_look(one, samples);
  one.windows = second_windows(one);
  if (one.windows.empty()) return std::nullopt;
  auto job = job_for(one);
  if (!job) {
    one.row.reason = job.error();
    return std::nullopt;
  }
  return *std::move(job);
}

Expected<std::vector<MachineRow>> Engine::run() {
  const std::size_t total = inquiry_.forms.size();
  all_.resize(total);
  TimingLine line(inquiry_.desk, [this](std::size_t row, const Job&, const Expected<Observation>& seen, bool again) {
    return look(row, seen, again);
  });
  for (std::size_t i = 0; i < total; ++i) {
    const WordForm& form = inquiry_.forms[i];
    all_[i].row.key = key_of(form);
    all_[i].row.text = text_of(form.skeleton);
    all_[i].row.word = form.word;
    auto job = begin(i);
    if (job) {
      WARPCLOCK_TRY(line.add(i, *std::move(job)));
    } else {
      all_[i].row.reason = job.error();
    }
    if (inquiry_.progress) inquiry_.progress(i + 1, total);
  }
  WARPCLOCK_TRY(line.finish());
  std::vector<MachineRow> rows;
  for (Underway& one : all_) rows.push_back(std::move(one.row));
  return rows;
}

}  // namespace

Expected<std::vector<MachineRow>> measure_machine(const MachineInquiry& inquiry) {
  Hole hole;
  WARPCLOCK_SET(hole, make_hole(inquiry.arch, inquiry.nvdisasm, hole_source(hole_room, hole_kernels)));
  return Engine(inquiry, std::move(hole)).run();
}

}  // namespace warpclock
