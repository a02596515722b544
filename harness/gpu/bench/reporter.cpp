#include "gpu/bench/reporter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace warpclock {
namespace {

constexpr const char* erase_line = "\r\x1b[K";
constexpr std::size_t bar_width = 24;

}  // namespace

bool ProgressReporter::ReportContext(const Context&) {
  if (width_ > 0) draw("");
  return true;
}

void ProgressReporter::draw(const std::string& text) {
  const std::size_t filled = total_ == 0 ? bar_width : std::min(bar_width, bar_width * done_ / total_);
  std::string line = fmt::format("[{}{}] {}/{} {}", std::string(filled, '#'), std::string(bar_width - filled, '.'),
                                 done_, total_, text);
  line.resize(std::min(line.size(), static_cast<std::size_t>(std::max(1, width_ - 1))));
  GetOutputStream() << erase_line << line << std::flush;
}

void ProgressReporter::ReportRuns(const std::vector<Run>& runs) {
  if (runs.empty()) return;
  const std::string& id = runs.front().run_name.function_name;
  if (id == last_id_) return;  // these are the aggregates of a row that was already printed
  last_id_ = id;
  ++done_;
  const ProgressRow row = look_up_(id);
  const std::string text = fmt::format("{}  {}", id, row.text);
  if (width_ > 0 && row.failed) GetOutputStream() << erase_line << text << '\n';
  if (width_ > 0) {
    draw(text);
  } else {
    const auto digits = fmt::formatted_size("{}", total_);
    GetOutputStream() << fmt::format("[{:>{}}/{}] {}\n", done_, digits, total_, text) << std::flush;
  }
}

void ProgressReporter::Finalize() {
  if (width_ > 0) GetOutputStream() << erase_line << std::flush;
}

bool NamingReporter::ReportContext(const Context& context) {
  inner_.SetOutputStream(into_ != nullptr ? into_ : &GetOutputStream());
  inner_.SetErrorStream(into_ != nullptr ? into_ : &GetErrorStream());
  return inner_.ReportContext(context);
}

void NamingReporter::ReportRuns(const std::vector<Run>& runs) {
  if (runs.empty()) return;
  std::vector<Run> named = runs;
  for (Run& run : named) {
    run.run_name.iterations.clear();
    run.run_name.time_type.clear();
  }
  // Sets the state of the row first, because a reporter may look it up.
  if (const std::string& id = runs.front().run_name.function_name; on_row_ && id != last_id_) {
    last_id_ = id;
    on_row_(id);
  }
  inner_.ReportRuns(named);
}

std::unique_ptr<benchmark::BenchmarkReporter> file_reporter(const std::string& format) {
  if (format == "console") return std::make_unique<benchmark::ConsoleReporter>(benchmark::ConsoleReporter::OO_None);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  if (format == "csv") return std::make_unique<benchmark::CSVReporter>();
#pragma GCC diagnostic pop
  return std::make_unique<benchmark::JSONReporter>();
}

}  // namespace warpclock
