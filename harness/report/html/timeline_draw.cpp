#include "report/html/timeline_draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/escape.hpp"
#include "base/lookup.hpp"
#include "inspect/inspection_output.hpp"
#include "predict/program/costs.hpp"
#include "predict/simulation/simulate.hpp"
#include "report/html/html_page.hpp"
#include "report/html/html_parts.hpp"

namespace warpclock {
namespace {

constexpr int row_height = 14, label_width = 170, axis_height = 22;
constexpr std::int64_t most_cycles = 1500;  ///< that are drawn

/// Bars of one warp, of the issue slot or of a pipe.
struct TimelineRow {
  std::string name;
  bool limiter = false;
  std::string marks;
};

int sub_partition_of(int warp) { return warp % static_cast<int>(sub_partitions); }

class Timeline {
 public:
  explicit Timeline(const Prediction& prediction) : prediction_(prediction) {
    // Each sub-partition has its own pipes, and the first one has most warps.
    for (const TimelineIssue& each : prediction.timeline) {
      if (sub_partition_of(each.warp) == 0) issues_.push_back(&each);
    }
    if (issues_.empty()) return;
    first_ = issues_.front()->cycle;
    std::erase_if(issues_, [&](const TimelineIssue* each) { return each->cycle >= first_ + most_cycles; });
    last_ = issues_.back()->cycle;
    constexpr std::int64_t fits = 270;
    scale_ = last_ - first_ <= fits ? 4 : 2;
    for (const TimelineIssue* each : issues_) {
      warps_.insert(each->warp);
      if (!each->pipe.empty()) pipes_.emplace(each->pipe, pipes_.size());
      paths_.insert(each->paths.begin(), each->paths.end());
    }
  }

  [[nodiscard]] std::string draw() {
    if (issues_.empty()) return {};
    std::vector<TimelineRow> rows = warp_rows();
    const std::size_t warps = rows.size();
    for (TimelineRow& row : pipe_rows()) rows.push_back(std::move(row));
    const int height = axis_height + static_cast<int>(rows.size()) * row_height + 6;
    const auto width = static_cast<std::int64_t>((last_ - first_ + 20) * scale_);
    std::string names, marks;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      // The pipes are apart from the warps.
      const int y = axis_height + static_cast<int>(i) * row_height + (i < warps ? 0 : 6);
      const char* css = rows[i].limiter ? " class=\"limiter\"" : "";
      if (rows[i].limiter) {
        marks += fmt::format("<rect class=\"limiter\" x=\"0\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", y, width,
                             row_height);
        names += fmt::format("<rect class=\"limiter\" x=\"0\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", y, label_width,
                             row_height);
      }
      names += fmt::format("<text{} x=\"4\" y=\"{}\">{}</text>\n", css, y + row_height - 3, escape(rows[i].name));
      marks += fmt::format("<g transform=\"translate(0 {})\">{}</g>\n", y, rows[i].marks);
    }
    const auto svg = [&](std::int64_t wide, const std::string& inner, const std::string& label) {
      return fmt::format(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" role=\"img\" "
          "aria-label=\"{}\">{}</svg>",
          wide, height, label, inner);
    };
    return "<h3>Warps of sub-partition 0 over cycles; below, its pipes and what goes to L2 or DRAM</h3>" + legend() +
           "<div class=\"timeline\">" + svg(label_width, names, "names of the rows") + "<div tabindex=\"0\">" +
           svg(width, axis(height) + marks, "issues of warps over cycles") + "</div></div>";
  }

 private:
  [[nodiscard]] std::string bar(double from, double cycles, const std::string& css, int inset,
                                const std::string& title) const {
    return fmt::format(
        "<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" class=\"{}\"><title>{}</title></rect>",
        (from - static_cast<double>(first_)) * scale_, inset, std::max(1.0, cycles * scale_ - (scale_ > 2 ? 1 : 0.4)),
        row_height - 2 * inset, css, escape(title));
  }

  [[nodiscard]] std::string colour(const std::string& pipe) const {
    constexpr std::size_t colours = 8;
    const auto found = pipes_.find(pipe);
    return found == pipes_.end() ? "none" : fmt::format("p{}", found->second % colours);
  }

  [[nodiscard]] static std::string wait_css(const std::string& why) {
    const auto found = std::ranges::find(wait_names, why);
    return fmt::format("w{}", found - wait_names.begin());
  }

  [[nodiscard]] static std::string title_of(const TimelineIssue& issue) {
    return fmt::format("cycle {}: {} {}, waited for: {}", issue.cycle, address_text(issue.address), issue.instruction,
                       issue.why);
  }

  std::vector<TimelineRow> warp_rows() {
    std::vector<TimelineRow> rows;
    for (const int warp : warps_) {
      TimelineRow row{fmt::format("warp {}", warp)};
      std::optional<std::int64_t> before;
      for (const TimelineIssue* each : issues_) {
        if (each->warp != warp) continue;
        if (before && each->cycle > *before + 1) {
          row.marks += bar(static_cast<double>(*before + 1), static_cast<double>(each->cycle - *before - 1),
                           wait_css(each->why), 4, title_of(*each));
          waits_.insert(each->why);
        }
        row.marks += bar(static_cast<double>(each->cycle), 1, colour(each->pipe), 1, title_of(*each));
        before = each->cycle;
      }
      rows.push_back(std::move(row));
    }
    return rows;
  }

  [[nodiscard]] std::string share_of(const std::string& name) const {
    const auto* found = find_by(prediction_.bounds, name, &LowerBound::name);
    return found == nullptr ? "" : fmt::format(" {:.0f} %", 100 * found->share);
  }

  std::vector<TimelineRow> pipe_rows() {
    std::vector<TimelineRow> rows = {{"issue slot" + share_of("issue"), prediction_.limiter == "issue", {}}};
    for (const TimelineIssue* each : issues_)
      rows[0].marks += bar(static_cast<double>(each->cycle), 1, "slot", 1, title_of(*each));
    for (const auto& [pipe, number] : pipes_) {
      const bool limits = prediction_.limiter == "pipe " + pipe || prediction_.limiter == "unit " + pipe;
      const std::string unit = prediction_.limiter == "unit " + pipe ? ", unit" + share_of(prediction_.limiter) : "";
      TimelineRow row{fmt::format("pipe {}{}{}", pipe, share_of("pipe " + pipe), unit), limits, {}};
      for (const TimelineIssue* each : issues_) {
        if (each->pipe == pipe)
          row.marks +=
              bar(static_cast<double>(each->cycle), std::max(1.0, each->busy), colour(pipe), 1, title_of(*each));
      }
      rows.push_back(std::move(row));
    }
    for (const std::string& path : paths_) {
      TimelineRow row{"accesses to " + path + share_of(path), prediction_.limiter == path, {}};
      for (const TimelineIssue* each : issues_) {
        if (std::ranges::find(each->paths, path) != each->paths.end())
          row.marks += bar(static_cast<double>(each->cycle), 1, colour(each->pipe), 1, title_of(*each));
      }
      rows.push_back(std::move(row));
    }
    return rows;
  }

  [[nodiscard]] std::string legend() const {
    std::string keys = "<span><b>issue on</b></span> ";
    for (const auto& [pipe, number] : pipes_) keys += element("span", "key " + colour(pipe), "pipe " + pipe) + " ";
    keys += element("span", "key none", "no pipe") + " ";
    if (!waits_.empty()) keys += "<span><b>wait for</b></span> ";
    for (const std::string& why : waits_) keys += element("span", "key " + wait_css(why), why) + " ";
    return "<p class=\"timeline-key\">" + keys + "</p>";
  }

  [[nodiscard]] std::string axis(int height) const {
    constexpr std::int64_t step = 50;
    std::string lines;
    for (std::int64_t cycle = (first_ + step - 1) / step * step; cycle <= last_; cycle += step) {
      const std::int64_t x = (cycle - first_) * scale_;
      lines +=
          fmt::format("<line x1=\"{0}\" y1=\"{1}\" x2=\"{0}\" y2=\"{2}\"/><text x=\"{3}\" y=\"14\">{4}{5}</text>\n", x,
                      axis_height - 4, height, x + 2, cycle, cycle - first_ < step ? " cycles" : "");
    }
    return lines;
  }

  const Prediction& prediction_;
  std::vector<const TimelineIssue*> issues_;
  std::set<int> warps_;
  std::map<std::string, std::size_t> pipes_;  ///< with the number of their colour
  std::set<std::string> paths_;
  std::set<std::string> waits_;
  std::int64_t first_ = 0, last_ = 0;
  int scale_ = 4;  ///< pixels of a cycle
};

}  // namespace

std::string draw_timeline(const Prediction& prediction) { return Timeline(prediction).draw(); }

}  // namespace warpclock
