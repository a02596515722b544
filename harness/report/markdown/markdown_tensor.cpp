#include <fmt/format.h>

#include <string>
#include <vector>

#include "report/markdown/markdown_parts.hpp"
#include "report/markdown/markdown_table.hpp"
#include "report/numbers/figures.hpp"
#include "report/sections/tensor_table.hpp"

namespace warpclock {
namespace {

std::string number_text(const std::optional<TensorNumber>& number, int places) {
  return number ? fixed(number->value, places) : std::string();
}

std::string zeros_text(const TensorLine& line) {
  const TensorNumber* random = line.random_of_zeros();
  return number_text(line.at(TensorColumn::Zeros), 0) +
         (random == nullptr ? "" : fmt::format(" (random: {})", fixed(random->value, 0)));
}

std::string teraops_text(const std::optional<TensorNumber>& all, const std::optional<TensorNumber>& one, int sms) {
  const std::optional<TensorNumber>& number = all ? all : one;
  const auto value = number ? number->teraops(sms) : std::nullopt;
  if (!value) return {};
  return clocked_text(*value, 0) + (all ? " at " + conditions_text(*number) : " (one SM)");
}

}  // namespace

std::string markdown_tensor(const Record& record) {
  const Expected<TensorTable>& known = known_tensor();
  if (!known) return markdown_text(known.error().message()) + "\n\n";
  const std::vector<TensorGroup> groups = tensor_groups(*known, record);
  if (groups.empty()) return {};
  MarkdownTable table({"instruction", "types", "shape", "", "#latency", "#interval", "#FMA/clk/SM", "#of zeros",
                       "#of dense peak", "#TFLOP/s", "#of zeros", "becomes", "not measured"});
  for (const TensorGroup& group : groups) {
    for (const TensorLine& line : group.lines) {
      const auto &random = line.at(TensorColumn::Random), &zeros = line.at(TensorColumn::Zeros);
      table.text_row({group.instruction, group.inputs + " \xE2\x86\x92 " + group.accumulator, line.shape, line.source,
                      latency_text(line), number_text(line.at(TensorColumn::Interval), 1), number_text(random, 0),
                      zeros_text(line), peak_text(group, line),
                      teraops_text(line.at(TensorColumn::Sustained), random, record.device.sms),
                      teraops_text(line.at(TensorColumn::SustainedZeros), zeros, record.device.sms), line.becomes,
                      missing_text(line)});
    }
  }
  return "## Tensor cores\n\n" + table.text() + markdown_text(peaks_text(groups)) + "\n\n";
}

}  // namespace warpclock
