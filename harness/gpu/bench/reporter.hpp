#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace warpclock {

/// A finished row, as the progress display shows it.
struct ProgressRow {
  std::string text;  ///< "24 cycles", or what went wrong
  bool failed = false;
};

using LookUpRow = std::function<ProgressRow(const std::string& id)>;

/// Prints lines like "[ 12/213] id  24 cycles". On a terminal (`width` > 0) it redraws one line with a bar, and prints
/// only failed rows on lines of their own.
class ProgressReporter : public benchmark::BenchmarkReporter {
 public:
  ProgressReporter(std::size_t total, int width, LookUpRow look_up)
      : total_(total), width_(width), look_up_(std::move(look_up)) {}

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  void draw(const std::string& text);

  std::size_t total_, done_ = 0;
  int width_;
  LookUpRow look_up_;
  std::string last_id_;
};

/// Passes runs to another reporter with only the case's id as name, without the "/iterations:1/manual_time" that Google
/// Benchmark adds. Calls `on_row` once for each id before its runs are passed on. The other reporter writes into
/// `into`, or, if that is null, where Google Benchmark says.
class NamingReporter : public benchmark::BenchmarkReporter {
 public:
  NamingReporter(std::unique_ptr<benchmark::BenchmarkReporter> owned, benchmark::BenchmarkReporter& inner,
                 std::function<void(const std::string& id)> on_row, std::ostream* into = nullptr)
      : owned_(std::move(owned)), inner_(inner), on_row_(std::move(on_row)), into_(into) {}

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override { inner_.Finalize(); }

 private:
  std::unique_ptr<benchmark::BenchmarkReporter> owned_;
  benchmark::BenchmarkReporter& inner_;
  std::function<void(const std::string& id)> on_row_;
  std::ostream* into_;
  std::string last_id_;
};

/// Google Benchmark's reporter for a file: "console", "json" or "csv".
[[nodiscard]] std::unique_ptr<benchmark::BenchmarkReporter> file_reporter(const std::string& format);

}  // namespace warpclock
