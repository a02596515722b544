#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/text.hpp"
#include "record/outcome.hpp"
#include "report/markdown/markdown_parts.hpp"
#include "report/markdown/markdown_table.hpp"
#include "report/numbers/figures.hpp"
#include "report/sections/handoff.hpp"
#include "report/sections/pipeline.hpp"

namespace warpclock {

std::string markdown_handoffs(const Record& record) {
  const Expected<KernelDesign>& known = known_kernel_design();
  if (!known) return markdown_text(known.error().message()) + "\n\n";
  const Handoffs all = handoffs(known->handoffs, record);
  if (all.measured.empty()) return {};
  MarkdownTable table({"within", "by", "#cycles", "#longest", "#ns", "#cases"});
  for (const Handoff& each : all.measured) {
    const auto ns = nanoseconds(each.cycles, sm_clock(each.row->clock));
    table.text_row({each.within, each.by, fixed(each.cycles, 1), fixed(each.longest, 1), ns ? clocked_text(*ns, 1) : "",
                    fmt::format("{}", each.cases)});
  }
  std::string missing;
  for (const auto& [name, row] : all.missing) {
    missing += fmt::format("- Not measured: {} ({}: {})\n", markdown_text(name), word(row->outcome),
                           markdown_code(row->reason.code));
  }
  return "## Hand-off latency by mechanism\n\nThe cycles from one side's signal until the other side continues: half "
         "of a "
         "round trip, of the fastest case of each mechanism.\n\n" +
         table.text() + missing + (missing.empty() ? "" : "\n");
}

std::string markdown_pipelines(const Record& record) {
  const Expected<KernelDesign>& known = known_kernel_design();
  if (!known) return markdown_text(known.error().message()) + "\n\n";
  const std::vector<Pipelines> all = pipelines(known->pipelines, record);
  if (all.empty()) return {};
  MarkdownTable table(
      {"from", "tile", "#alone", "#stages: cycles a tile (by the model, its error)", "#hidden from", "#by the model"});
  std::string model;
  for (const std::string& sentence : model_sentences(all)) model += " " + markdown_text(sentence);
  for (const Pipelines& each : all) {
    for (const Pipeline& line : each.lines) {
      std::vector<std::string> tiles;
      for (const PipelinePoint& point : line.points) {
        const auto predicted = line.predicted(point.stages), error = line.error(point);
        tiles.push_back(fmt::format(
            "{}: {}{}", point.stages,
            point.tile == nullptr ? std::string(word(point.row->outcome)) : fixed(point.tile->value, 0),
            predicted ? " (" + fixed(*predicted, 0) + (error ? ", " + signed_percent(*error) : "") + ")" : ""));
      }
      table.text_row(
          {each.source, line.work, fixed(line.alone, 0), join(tiles, ", "), hides_text(line), predicted_text(line)});
    }
  }
  return "## Pipeline stages that hide a copy\n\n" + markdown_text(tile_text(known->pipelines, all)) + "\n\n" +
         table.text() +
         "In the model a tile takes the longest of three times: its computation plus the issue of its copy; the "
         "latency "
         "of a copy divided by stages \xE2\x88\x92 1; its bytes divided by the rate that an SM gets when all SMs "
         "copy. With one stage it takes the copy plus the computation. "
         "Latency is hidden where a tile takes at most 5 % longer than its computation alone." +
         model + "\n\n";
}

}  // namespace warpclock
