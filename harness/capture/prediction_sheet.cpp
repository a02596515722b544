#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/terminal.hpp"
#include "base/text.hpp"
#include "capture/capture.hpp"
#include "capture/predict_capture.hpp"
#include "inspect/inspect.hpp"

namespace warpclock {
namespace {

constexpr double ns_per_us = 1000, percent = 100;

std::string extents(const std::vector<std::int64_t>& of) {
  if (of[1] == 1 && of[2] == 1) return std::to_string(of[0]);
  return of[2] == 1 ? fmt::format("{}x{}", of[0], of[1]) : fmt::format("{}x{}x{}", of[0], of[1], of[2]);
}

Cell time_cell(double us) { return {human_number(us, 4), Json(us)}; }

/// Templates have names of thousands of characters; JSON and CSV have them whole.
Cell name_cell(const std::string& symbol) {
  constexpr std::size_t most = 100;
  std::string name = readable_name(symbol);
  Json whole(name);
  if (name.size() > most) name = name.substr(0, most) + "…";
  return {std::move(name), std::move(whole)};
}

std::string gpu_key(const Machine& machine) {
  return machine.folder.starts_with("nvidia-") ? machine.folder.substr(7) : machine.folder;
}

/// The middle of a prediction, as one number is wanted for sums and errors.
double middle(const PredictedLaunch& one) { return (*one.low_us + *one.high_us) / 2; }

class PredictionSheet {
 public:
  PredictionSheet(const Capture& capture, const CapturePredictions& made) : capture_(capture), made_(made) {
    for (const auto& of_machine : made_.launches)
      has_energy_ =
          has_energy_ || std::ranges::any_of(of_machine, [](const auto& one) { return one.joules.has_value(); });
  }

  Sheet make() {
    Sheet sheet{.title = "measured in the program, and predicted from machine code, launch and arguments"};
    for (std::size_t m = 0; m < made_.machines.size(); ++m) add_totals(sheet, m);
    sheet.tables.push_back(kernels());
    sheet.tables.push_back(launches());
    for (std::size_t m = 0; m < made_.machines.size(); ++m) sheet.tables.push_back(causes(m));
    sheet.notes = capture_.notes;
    sheet.notes.emplace_back(
        "measured: the median of the runs of a launch, wall-clock nanoseconds of CUPTI's activity records");
    for (std::size_t m = 0; m < made_.machines.size(); ++m) {
      const std::string launch =
          made_.launch_us[m] > 0
              ? fmt::format("; {:.2f} us are added for the launch, by an empty kernel that was measured as well",
                            made_.launch_us[m])
              : "; no empty kernel was measured, so that what a launch adds is missing";
      sheet.notes.push_back(fmt::format(
          "predicted cycles of {} are time at {:.0f} MHz, {}{}", made_.machines[m].gpu, made_.mhz[m],
          measured_on(m) ? "the SM clock while the program ran (NVML)" : "the highest SM clock that its driver states",
          launch));
    }
    return sheet;
  }

 private:
  /// Whether the program ran on this GPU.
  [[nodiscard]] bool measured_on(std::size_t m) const {
    return std::ranges::any_of(capture_.devices,
                               [&](const CapturedDevice& one) { return one.name == made_.machines[m].gpu; });
  }
  [[nodiscard]] bool same_gpu(std::size_t m, const CapturedLaunch& launch) const {
    return capture_.devices[static_cast<std::size_t>(launch.device)].name == made_.machines[m].gpu;
  }

  void add_totals(Sheet& sheet, std::size_t m) const {
    double all = 0, known = 0, predicted = 0, joules = 0;
    std::int64_t with = 0, count = 0;
    std::vector<double> errors;
    for (std::size_t i = 0; i < capture_.launches.size(); ++i) {
      const CapturedLaunch& launch = capture_.launches[i];
      const PredictedLaunch& one = made_.launches[m][i];
      if (is_beside(capture_, launch) || (!one.low_us && one.cause.empty())) continue;
      ++count, all += launch.times.total_ns / ns_per_us;
      if (!one.low_us) continue;
      ++with, known += launch.times.total_ns / ns_per_us;
      predicted += middle(one) * static_cast<double>(launch.times.runs);
      joules += one.joules.value_or(0) * static_cast<double>(launch.times.runs);
      if (launch.times.runs > 0 && same_gpu(m, launch))
        errors.push_back(std::abs(middle(one) * ns_per_us / launch.times.median_ns - 1));
    }
    const std::string gpu = gpu_key(made_.machines[m]);
    sheet.facts.push_back({gpu + "_with_number",
                           gpu,
                           {fmt::format("{} of {} have a number, with {:.1f} % of the time", with,
                                        counted(count, "launch"), all > 0 ? percent * known / all : 0),
                            Json(with)}});
    sheet.facts.push_back({gpu + "_sum_us",
                           "",
                           {fmt::format("sum of these: predicted {} us, measured {} us", human_number(predicted, 4),
                                        human_number(known, 4)),
                            Json(predicted)}});
    if (joules > 0)
      sheet.facts.push_back(
          {gpu + "_joules",
           "",
           {fmt::format("energy of these, with random data: {} J", human_number(joules, 4)), Json(joules)}});
    if (errors.empty()) return;
    std::ranges::sort(errors);
    const auto at = [&](double part) {
      return errors[static_cast<std::size_t>(part * static_cast<double>(errors.size() - 1))];
    };
    sheet.facts.push_back(
        {gpu + "_median_error",
         "",
         {fmt::format("error of a launch: median {:.1f} %, 80 % within {:.1f} %, 95 % within {:.1f} %",
                      percent * at(0.5), percent * at(0.8), percent * at(0.95)),
          Json(at(0.5))}});
  }

  [[nodiscard]] std::vector<Column> columns(std::vector<Column> first, const char* last, bool of_launch = false) const {
    for (const Machine& one : made_.machines) {
      const std::string gpu = gpu_key(one);
      first.push_back({gpu + "_us", gpu + " us", true});
      if (has_energy_ && of_launch) first.push_back({gpu + "_mj", gpu + " mJ", true});
    }
    first.push_back({last, last});
    return first;
  }

  [[nodiscard]] Table kernels() const {
    struct Sum {
      double us = 0;
      std::int64_t runs = 0;
      std::vector<double> predicted;
      std::vector<bool> whole;
    };
    std::map<std::int64_t, Sum> sums;
    for (std::size_t i = 0; i < capture_.launches.size(); ++i) {
      const CapturedLaunch& launch = capture_.launches[i];
      if (is_beside(capture_, launch)) continue;
      Sum& sum = sums[launch.kernel];
      sum.predicted.resize(made_.machines.size());
      sum.whole.resize(made_.machines.size(), true);
      sum.us += launch.times.total_ns / ns_per_us, sum.runs += launch.times.runs;
      for (std::size_t m = 0; m < made_.machines.size(); ++m) {
        const PredictedLaunch& one = made_.launches[m][i];
        if (one.low_us)
          sum.predicted[m] += middle(one) * static_cast<double>(launch.times.runs);
        else
          sum.whole[m] = false;
      }
    }
    std::vector<std::pair<std::int64_t, Sum>> order(sums.begin(), sums.end());
    std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.second.us > b.second.us; });
    Table table{.key = "kernels", .title = "sum by kernel"};
    table.columns = columns({{"runs", "runs", true}, {"measured_us", "measured us", true}}, "kernel");
    for (const auto& [kernel, sum] : order) {
      std::vector<Cell> row = {{std::to_string(sum.runs), Json(sum.runs)}, time_cell(sum.us)};
      for (std::size_t m = 0; m < made_.machines.size(); ++m)
        row.push_back(sum.whole[m] ? time_cell(sum.predicted[m]) : Cell());
      row.push_back(name_cell(capture_.kernels[static_cast<std::size_t>(kernel)].symbol));
      table.rows.push_back(std::move(row));
    }
    return table;
  }

  [[nodiscard]] Table launches() const {
    Table table{.key = "launches", .title = "each distinct launch"};
    table.columns = columns({{"launch", "launch", true},
                             {"grid", "grid", true},
                             {"block", "block", true},
                             {"runs", "runs", true},
                             {"measured_us", "median us", true}},
                            "kernel", true);
    table.columns.push_back({"error", "error", true});
    table.columns.push_back({"limiter", "limiter"});
    table.columns.push_back({"cause", "no number because"});
    for (std::size_t i = 0; i < capture_.launches.size(); ++i) {
      if (!is_beside(capture_, capture_.launches[i])) table.rows.push_back(launch_row(i));
    }
    return table;
  }

  [[nodiscard]] std::vector<Cell> launch_row(std::size_t i) const {
    const CapturedLaunch& launch = capture_.launches[i];
    const double us = launch.times.median_ns / ns_per_us;
    std::vector<Cell> row = {{std::to_string(i), Json(i)},
                             {extents(launch.grid)},
                             {extents(launch.block)},
                             {std::to_string(launch.times.runs), Json(launch.times.runs)},
                             launch.times.runs > 0 ? time_cell(us) : Cell()};
    std::string limiter, cause;
    Cell error;
    for (std::size_t m = 0; m < made_.machines.size(); ++m) {
      const PredictedLaunch& one = made_.launches[m][i];
      row.push_back(!one.low_us ? Cell() : range_cell(one));
      if (has_energy_)
        row.push_back(one.joules ? Cell{human_number(*one.joules * 1e3, 4), Json(*one.joules * 1e3)} : Cell());
      if (!one.low_us && cause.empty()) cause = one.cause;
      if (one.low_us && limiter.empty()) limiter = one.limiter;
      if (one.low_us && same_gpu(m, launch) && us > 0)
        error = {fmt::format("{:+.0f} %", percent * (middle(one) / us - 1)), Json(middle(one) / us - 1)};
    }
    row.push_back(name_cell(capture_.kernels[static_cast<std::size_t>(launch.kernel)].symbol));
    row.push_back(error);
    row.emplace_back(limiter);
    row.emplace_back(cause);
    return row;
  }

  static Cell range_cell(const PredictedLaunch& one) {
    const std::string low = human_number(*one.low_us, 4), high = human_number(*one.high_us, 4);
    return {low == high ? low : low + " to " + high, Json(middle(one))};
  }

  [[nodiscard]] Table causes(std::size_t m) const {
    std::map<std::string, std::pair<std::int64_t, double>> counts;
    for (std::size_t i = 0; i < capture_.launches.size(); ++i) {
      const PredictedLaunch& one = made_.launches[m][i];
      if (one.cause.empty() || is_beside(capture_, capture_.launches[i])) continue;
      auto& [count, us] = counts[cause_kind(one.cause)];
      ++count, us += capture_.launches[i].times.total_ns / ns_per_us;
    }
    std::vector<std::pair<std::string, std::pair<std::int64_t, double>>> order(counts.begin(), counts.end());
    std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.second.first > b.second.first; });
    Table table{.key = "causes",
                .title = "why launches have no number for " + made_.machines[m].gpu,
                .columns = {{"launches", "launches", true}, {"us", "us", true}, {"cause", "cause"}}};
    for (const auto& [cause, sum] : order)
      table.rows.push_back({{std::to_string(sum.first), Json(sum.first)}, time_cell(sum.second), {cause}});
    return table;
  }

  const Capture& capture_;
  const CapturePredictions& made_;
  bool has_energy_ = false;
};

}  // namespace

Sheet sheet_of(const Capture& capture, const CapturePredictions& predictions) {
  return PredictionSheet(capture, predictions).make();
}

}  // namespace warpclock
