#include <algorithm>
#include <map>
#include <utility>

#include "answer/instructions/timed_code.hpp"
#include "answer/overview/differences.hpp"
#include "base/escape.hpp"
#include "record/outcome.hpp"

namespace warpclock {
namespace {

struct TimedCode {
  std::string arch, hash;
};

/// Collects numbers by id and estimate, in the order of first mention.
class Numbers {
 public:
  explicit Numbers(std::size_t gpus) : gpus_(gpus) {}

  /// `code`: the architecture and a hash of the timed machine code; empty if the id says what was timed, or the record
  /// does not.
  void add(std::size_t gpu, const Estimate& estimate, SharedNumber&& number, const TimedCode& code = {}) {
    const auto key = number.page + '\n' + number.id + '\n' + number.estimate;
    const auto [at, fresh] = place_.emplace(key, all_.size());
    if (fresh) {
      number.on.resize(gpus_);
      all_.push_back(std::move(number));
      codes_.emplace_back();
    }
    SharedNumber& shared = all_[at->second];
    shared.on[gpu] = &estimate;
    if (code.hash.empty()) return;
    // Of another architecture, the code of the same probe always is another one.
    const auto [first, is_first] = codes_[at->second].emplace(code.arch, code.hash);
    if (!is_first && first->second != code.hash) shared.other_code = true;
  }
  [[nodiscard]] std::vector<SharedNumber> take() { return std::move(all_); }

 private:
  std::size_t gpus_;
  std::vector<SharedNumber> all_;
  std::map<std::string, std::size_t> place_;
  std::vector<std::map<std::string, std::string>> codes_;  ///< by number: the first hash of each architecture
};

void add_result(const Record& record, const std::string& page, std::size_t gpu, Numbers& numbers) {
  for (const CaseRecord& row : record.cases) {
    if (row.outcome != Outcome::Measured) continue;
    for (const Estimate& estimate : row.estimates) {
      if (estimate.method == "intercept" || estimate.method == "encoded") continue;
      numbers.add(gpu, estimate, {row.probe, row.id, estimate.name, page, anchor(row.id), row.parameters, {}},
                  {row.arch, row.window.sass_hash});
    }
  }
}

void add_table(const InstructionTable& table, std::size_t gpu, Numbers& numbers) {
  for (const InstructionRecord& row : table.rows) {
    if (row.outcome != Outcome::Measured) continue;
    for (const Estimate& estimate : row.estimates) {
      if (!estimate.name.starts_with("latency.") && estimate.name != "issue") continue;
      numbers.add(gpu, estimate,
                  {row.family, row.id, estimate.name, "instructions.html", "i=" + percent_encoded(row.id), {}, {}},
                  {row.arch, timed_code({table, row}, estimate.name)});
    }
  }
}

void add_machine(const MachineTable& table, std::size_t gpu, Numbers& numbers) {
  for (const MachineRow& row : table.rows) {
    const auto add = [&](const std::string& name, const Estimate& estimate) {
      numbers.add(gpu, estimate,
                  {"machine instructions", row.key, name, "machine.html", "i=" + percent_encoded(row.key), {}, {}});
    };
    if (row.interval) add("issue interval", *row.interval);
    for (const DependencyLatency& latency : row.latencies) {
      if (latency.cycles) add("latency." + std::to_string(latency.source), *latency.cycles);
    }
  }
}

}  // namespace

std::vector<SharedNumber> shared_numbers(const std::vector<ReportedGpu>& gpus) {
  Numbers numbers(gpus.size());
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    for (const auto& [suite, record] : gpus[gpu].results) {
      add_result(*record, ReportedGpu::page_of(suite), gpu, numbers);
    }
    if (gpus[gpu].table != nullptr) add_table(*gpus[gpu].table, gpu, numbers);
    if (gpus[gpu].machine != nullptr) add_machine(*gpus[gpu].machine, gpu, numbers);
  }
  std::vector<SharedNumber> all = numbers.take();
  std::erase_if(all, [](const SharedNumber& number) {
    return std::ranges::count_if(number.on, [](const Estimate* estimate) { return estimate != nullptr; }) < 2;
  });
  // A probe that several suites run counts once: on the page with most of its numbers.
  std::map<std::string, std::map<std::string, std::size_t>> pages;
  for (const SharedNumber& number : all) ++pages[number.group][number.page];
  std::erase_if(all, [&](const SharedNumber& number) {
    const auto& own = pages.at(number.group);
    return std::ranges::max_element(own, {}, [](const auto& page) { return page.second; })->first != number.page;
  });
  return all;
}

}  // namespace warpclock
