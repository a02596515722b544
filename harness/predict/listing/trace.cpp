#include "predict/listing/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/json/json_writer.hpp"
#include "inspect/inspection_output.hpp"
#include "predict/program/costs.hpp"

namespace warpclock {
namespace {

/// A part of a track.
struct Slice {
  double begin = 0, cycles = 0;
  int process = 0;
  std::size_t track = 0;  ///< in the names of its process
  std::string name;
  std::int64_t address = -1;  ///< of an instruction
};

/// One sub-partition of the simulated SM.
struct Process {
  std::string name;
  std::vector<std::string> tracks;
  std::map<std::string, double> ends;  ///< of the last slice of each track
};

class Tracer {
 public:
  void add(const Prediction& prediction) {
    std::vector<const TimelineIssue*> issues;
    for (const TimelineIssue& issue : prediction.timeline) issues.push_back(&issue);
    std::ranges::stable_sort(issues, {}, [](const TimelineIssue* one) { return one->cycle; });
    const auto first = static_cast<int>(processes_.size());
    for (std::size_t part = 0; part < sub_partitions; ++part)
      processes_.push_back({fmt::format("{}: sub-partition {}", prediction.readable, part), {}, {}});
    add_tracks(issues, first);
    for (const TimelineIssue* issue : issues) add(*issue, first);
  }

  std::string text() {
    Json events = Json::array();
    for (std::size_t p = 0; p < processes_.size(); ++p) {
      if (processes_[p].tracks.empty()) continue;
      events.push_back(named("process_name", p, 0, {{"name", processes_[p].name}}));
      events.push_back(named("process_sort_index", p, 0, {{"sort_index", p}}));
      for (std::size_t t = 0; t < processes_[p].tracks.size(); ++t) {
        events.push_back(named("thread_name", p, t + 1, {{"name", processes_[p].tracks[t]}}));
        events.push_back(named("thread_sort_index", p, t + 1, {{"sort_index", t + 1}}));
      }
    }
    std::ranges::stable_sort(slices_, {}, &Slice::begin);
    for (const Slice& one : slices_) {
      Json event = {{"name", one.name},       {"ph", "X"},           {"ts", one.begin}, {"dur", one.cycles},
                    {"pid", one.process + 1}, {"tid", one.track + 1}};
      if (one.address >= 0) event["args"] = {{"address", address_text(one.address)}};
      events.push_back(std::move(event));
    }
    return "{\"otherData\":{\"generator\":\"warpclock\",\"a microsecond is\":\"a cycle of the SM\"},\n"
           "\"displayTimeUnit\":\"ns\",\n\"traceEvents\":" +
           tall(events) + "}\n";
  }

 private:
  static std::string warp_track(int warp) { return fmt::format("warp {}", warp); }

  static Json named(const char* what, std::size_t process, std::size_t track, Json says) {
    return {{"name", what}, {"ph", "M"}, {"pid", process + 1}, {"tid", track}, {"args", std::move(says)}};
  }

  Process& process(int first, int warp) {
    return processes_[static_cast<std::size_t>(first) + static_cast<std::size_t>(warp) % sub_partitions];
  }

  /// Warps in their order, then the issue slot, the pipes and the paths in the order of their names.
  void add_tracks(const std::vector<const TimelineIssue*>& issues, int first) {
    std::map<Process*, std::map<int, std::string>> warps;
    std::map<Process*, std::map<std::string, std::string>> units;
    for (const TimelineIssue* issue : issues) {
      Process* const of = &process(first, issue->warp);
      warps[of].emplace(issue->warp, warp_track(issue->warp));
      if (!issue->pipe.empty()) units[of].emplace("0" + issue->pipe, "pipe " + issue->pipe);
      for (const std::string& path : issue->paths) units[of].emplace("1" + path, path);
    }
    for (auto& [of, names] : warps) {
      for (auto& [warp, name] : names) of->tracks.push_back(name);
      of->tracks.emplace_back("issue slot");
      for (auto& [key, name] : units[of]) of->tracks.push_back(name);
    }
  }

  void add(const TimelineIssue& issue, int first) {
    const int number = first + issue.warp % static_cast<int>(sub_partitions);
    const auto at = static_cast<double>(issue.cycle);
    const std::string warp = warp_track(issue.warp);
    Process& of = process(first, issue.warp);
    if (const auto before = of.ends.find(warp); before != of.ends.end() && before->second < at)
      put(number, warp, {before->second, at - before->second, number, 0, issue.why});
    put(number, warp, {at, 1, number, 0, issue.instruction, issue.address});
    put(number, "issue slot", {at, 1, number, 0, issue.instruction, issue.address});
    // What a pipe has taken before comes first.
    if (!issue.pipe.empty() && issue.busy > 0) {
      const std::string pipe = "pipe " + issue.pipe;
      put(number, pipe, {std::max(at, of.ends[pipe]), issue.busy, number, 0, issue.instruction, issue.address});
    }
    for (const std::string& path : issue.paths)
      put(number, path, {std::max(at, of.ends[path]), 1, number, 0, issue.instruction, issue.address});
  }

  void put(int number, const std::string& track, Slice slice) {
    Process& of = processes_[static_cast<std::size_t>(number)];
    slice.track = static_cast<std::size_t>(std::ranges::find(of.tracks, track) - of.tracks.begin());
    of.ends[track] = slice.begin + slice.cycles;
    slices_.push_back(std::move(slice));
  }

  std::vector<Process> processes_;
  std::vector<Slice> slices_;
};

}  // namespace

std::string trace_text(const std::vector<Prediction>& predictions) {
  Tracer tracer;
  for (const Prediction& one : predictions)
    if (!one.timeline.empty()) tracer.add(one);
  return tracer.text();
}

}  // namespace warpclock
