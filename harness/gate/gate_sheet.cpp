#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "answer/markdown_table.hpp"
#include "base/files/marked.hpp"
#include "base/text.hpp"
#include "gate/gate_output.hpp"

namespace warpclock {
namespace {

Tone tone_of(GateVerdict verdict) {
  switch (verdict) {
    case GateVerdict::Slower:
      return Tone::Bad;
    case GateVerdict::Unclear:
    case GateVerdict::NoNumber:
      return Tone::Doubtful;
    case GateVerdict::Faster:
      return Tone::Good;
    default:
      return Tone::Plain;
  }
}

std::string percent(double share) { return human_number(100 * share) + " %"; }

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

}  // namespace

Sheet gate_sheet(const Gate& gate) {
  Sheet sheet;
  sheet.facts = {{"before", "", gate.before},
                 {"after", "", gate.after},
                 {"launches", "", gate.launches},
                 {"max", "limit", {percent(gate.most) + " slower", gate.most}}};
  Table rows{.key = "kernels",
             .title = counts_text(gate),
             .columns = columns({"verdict", "kernel", "gpu|GPU", "#before", "#after", "#change", "changed",
                                 "-before_low", "-before_high", "-after_low", "-after_high", "-change_low",
                                 "-change_high", "-file", "-line"})};
  const bool several = std::ranges::any_of(gate.rows, [&](const GateRow& row) { return row.gpu != gate.rows[0].gpu; });
  if (!several) rows.columns[2].audience = Audience::Programs;
  if (!several && !gate.rows.empty()) sheet.facts.push_back({"costs", "costs of", gate.rows[0].gpu, Audience::People});
  for (const GateRow& row : gate.rows) {
    const bool both = row.before.low && row.after.low;
    rows.rows.push_back(
        {Cell(to_string(row.verdict)).with(tone_of(row.verdict)), row.name, row.gpu, cycles_text(row.before),
         cycles_text(row.after), change_text(row), join(row.changed, "; "), Cell("", or_null(row.before.low)),
         Cell("", or_null(row.before.high)), Cell("", or_null(row.after.low)), Cell("", or_null(row.after.high)),
         Cell("", both ? Json(row.change_low) : Json()), Cell("", both ? Json(row.change_high) : Json()), row.file,
         Cell("", row.line > 0 ? Json(row.line) : Json())});
  }
  sheet.tables.push_back(std::move(rows));
  sheet.notes = gate.notes;
  return sheet;
}

std::string gate_markdown(const Gate& gate) {
  const int status = status_of(gate, false);
  std::string out(markdown_mark);
  out += fmt::format("\n### {}\n\nPredicted cycles of {} (before) and {} (after); a kernel may be {} slower. {}.\n\n",
                     status == 1   ? "Kernels are slower"
                     : status == 2 ? "Some kernels cannot be judged"
                                   : "No kernel is slower",
                     markdown_code(gate.before), markdown_code(gate.after), percent(gate.most),
                     markdown_text(counts_text(gate)));
  MarkdownTable table({"verdict", "kernel", "GPU", "#before", "#after", "#change", "what changed"});
  for (const GateRow& row : gate.rows)
    table.row({row.verdict == GateVerdict::Slower ? "**slower**" : to_string(row.verdict), markdown_code(row.name),
               markdown_text(row.gpu), cycles_text(row.before), cycles_text(row.after), change_text(row),
               markdown_text(join(row.changed, "; "))});
  out += table.text();
  for (const std::string& note : gate.notes) out += "- " + markdown_text(note) + "\n";
  return out;
}

}  // namespace warpclock
