#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "analyze/curve/levels.hpp"
#include "analyze/estimates.hpp"
#include "answer/numbers/figures.hpp"
#include "answer/numbers/quantity.hpp"
#include "answer/sections/picture.hpp"
#include "answer/sections/pipeline.hpp"
#include "answer/sections/tensor_table.hpp"
#include "answer/words/page_words.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "gpu/job/statistics.hpp"
#include "record/assemble.hpp"
#include "record/outline.hpp"
#include "record/selector.hpp"
#include "record/trace.hpp"

namespace warpclock {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

Json said(const Facts& facts) {
  Json out = Json::array();
  for (const auto& [name, text] : facts) {
    if (!text.empty()) out.push_back({name, text});
  }
  return out;
}

Json provenance_of(const Record& record) {
  const Provenance& p = record.provenance;
  std::string duration = p.duration_s > 0 ? human_duration(p.duration_s) : std::string();
  if (!duration.empty()) {
    duration +=
        fmt::format(": verified after {}, measured for {}", human_duration(p.compile_s), human_duration(p.measure_s));
  }
  return said({{"commit", p.commit.empty() || !p.dirty ? p.commit : p.commit + " with local changes"},
               {"version", p.version},
               {"date", p.date},
               {"resumed", resumed_in_words(record)},
               {"toolkit", p.toolkit},
               {"NVRTC", p.nvrtc},
               {"nvdisasm", p.nvdisasm},
               {"driver", p.driver},
               {"counters", p.counters},
               {"duration", duration},
               {"board", board_in_words(record.device)},
               {"host cores", p.host_cores > 0 ? std::to_string(p.host_cores) : ""},
               {"command", join(p.argv, " ")}});
}

/// {name of a parameter: {"unit": bytes of one, "shown": its name without the unit}}
Json byte_parameters(const Record& record) {
  Json out = Json::object();
  for (const Row& row : record.rows) {
    for (const auto& [name, value] : row.parameters) {
      if (const std::int64_t unit = bytes_of_parameter(name))
        out[name] = {{"unit", unit}, {"shown", parameter_name(name)}};
    }
  }
  return out;
}

/// A sentence if the measured latency and the encoded distance of a measured case disagree.
std::string encoded_words(const Row& row) {
  if (row.outcome != Outcome::Measured || !row.window.encoded_cycles) return {};
  const auto slope = std::ranges::find(row.estimates, "slope", &Estimate::method);
  return slope == row.estimates.end() ? "" : disagreement(*slope, *row.window.encoded_cycles).value_or("");
}

/// One for each row, as the record has them.
Json row_words(const Record& record) {
  Json out = Json::array();
  bool any = false;
  for (const Row& row : record.rows) {
    Json words = Json::object();
    if (const std::string text = encoded_words(row); !text.empty()) words["encoded"] = text;
    if (is_shared(row)) words["shared"] = true;
    any = any || !words.empty();
    out.push_back(std::move(words));
  }
  return any ? out : Json();
}

/// [[MHz, lowest, highest], ...]: the SM clock around each feature that is a rate; null for others.
Json feature_clocks(const Record& record) {
  Json out = Json::array();
  std::map<std::string, std::vector<const Row*>> cases;
  for (const Row& row : record.rows) cases[row.probe].push_back(&row);
  for (const Feature& feature : record.features) {
    const SmClock clock = feature.unit == rate_unit ? clock_of(cases_of(feature, cases[feature.probe])) : SmClock{};
    out.push_back(clock.mhz > 0
                      ? Json{clock.mhz, clock.moved() ? clock.low : clock.mhz, clock.moved() ? clock.high : clock.mhz}
                      : Json());
  }
  return out;
}

/// The middle of long PTX is in result.json.gz alone: PTX is half of a record.
void shorten(std::string& ptx) {
  constexpr std::size_t most = 32;
  std::vector<std::string> all = lines(ptx);
  if (all.size() <= most + 3) return;
  const std::size_t left_out = all.size() - most;
  const auto from = all.begin() + most / 2;
  *from = fmt::format("// ... {} more lines are in result.json.gz ...", left_out);
  all.erase(from + 1, from + static_cast<std::ptrdiff_t>(left_out));
  ptx = join(all, "\n");
}

}  // namespace

Json device_facts(const DeviceFacts& device, const std::string& measured_clock) {
  std::string memory = known_bytes(device.memory_bytes);
  if (!memory.empty() && device.memory_bus_bits > 0) memory += fmt::format(", {} bit", device.memory_bus_bits);
  if (!memory.empty() && device.page_bytes > 0) memory += ", in pages of " + known_bytes(device.page_bytes);
  const std::string requested = requested_clock(device);
  const std::string clock =
      measured_clock.empty() ? requested : measured_clock + " measured" + (requested.empty() ? "" : ", " + requested);
  return said({{"architecture", device.arch},
               {"chip", device.chip},
               {"SMs", device.sms > 0 ? std::to_string(device.sms) : ""},
               {"L2", known_bytes(device.l2_bytes)},
               {"shared / SM", known_bytes(device.shared_per_sm_bytes)},
               {"memory", memory},
               {"SM clock", clock},
               {"memory clock, max", known_megahertz(device.memory_clock_max_mhz)},
               {"ECC", device.ecc},
               {"clocks", clocks_in_words(device)},
               {"other GPUs", join(device.peers, "; ")}});
}

Record shown_part(Record record) {
  for (Row& row : record.rows) {
    shorten(row.ptx);
    if (row.kind != RowKind::Probe)
      for (Estimate& estimate : row.estimates) estimate.varies.reset();
    std::vector<IssueCell>& cells = row.machine.cells;
    if (row.kind == RowKind::BetweenWarps) {
      std::erase_if(cells, [](const IssueCell& cell) { return cell.yield; });
      for (IssueCell& cell : cells) cell.curve.clear();
    } else if (row.kind != RowKind::Form && row.kind != RowKind::Fetch) {
      cells.clear();
    }
  }
  return record;
}

Json suite_extras(const Record& record) {
  Json extras = {{"facts", device_facts(record.device, measured_clocks(record))},
                 {"provenance", provenance_of(record)},
                 {"clock", clock_in_words(record.provenance)},
                 {"bytes", byte_parameters(record)},
                 {"encoded_tolerance", encoded_tolerance_cycles},
                 {"clocks", feature_clocks(record)}};
  for (const std::string& warning : {shared_in_words(record), timer_warning(record.provenance.timer)})
    if (!warning.empty()) extras["warnings"].push_back(warning);
  for (const FamilyOutline& family : outline(record))
    for (const ProbeOutline& probe : family.probes) extras["probes"].push_back(probe_words(record, probe));
  const std::pair<const char*, Json> parts[] = {
      {"rows", row_words(record)},         {"published", published_words(record, "")},
      {"picture", picture_words(record)},  {"tensor", tensor_words(record)},
      {"handoffs", handoff_words(record)}, {"pipelines", pipeline_words(record)}};
  for (const auto& [name, part] : parts)
    if (!part.is_null()) extras[name] = part;
  return extras;
}

namespace {

/// The level at which each line of a chart of rates ends, and the smallest point that reaches 95 % of it, with a case
/// of the line. A line with one point on top may still be rising.
Json plateaus(const ProbeOutline& probe) {
  Json out;
  const std::string& x = probe.probe.chart.x;
  if (x.empty() || probe.estimates.empty()) return out;
  const std::string& y = probe.probe.chart.y.empty() ? probe.estimates.front() : probe.probe.chart.y;
  struct Line {
    std::string name;
    std::vector<const Row*> cases;
  };
  std::vector<Line> all;
  std::vector<std::string> rest = probe.varying;
  std::erase(rest, x);
  for (const Row* row : probe.cases) find_or_add(all, describe(*row, rest), &Line::name).cases.push_back(row);
  for (const Line& line : all) {
    std::vector<PlateauPoint> curve;
    for (const Row* row : line.cases) {
      const Estimate* estimate = published(*row, y);
      const Value* value = find(row->parameters, x);
      const auto* at = value ? std::get_if<std::int64_t>(value) : nullptr;
      if (estimate && estimate->method == "rate" && at) curve.push_back({static_cast<double>(*at), estimate->value});
    }
    std::ranges::sort(curve, {}, &PlateauPoint::x);
    const auto found = plateau(curve);
    if (found && found->flat())
      out.push_back({{"id", line.cases.front()->id}, {"level", found->level}, {"knee", found->reached_at}});
  }
  return out;
}

std::vector<const Row*> with_places(const ProbeOutline& probe) {
  std::vector<const Row*> rows;
  std::ranges::copy_if(probe.cases, std::back_inserter(rows),
                       [](const Row* row) { return row->outcome == Outcome::Measured && !row->places.empty(); });
  return rows;
}

/// The places by their side, if any, then by their means, so that similar ones are adjacent; and the range of shades,
/// from the 1st to the 99th percentile, so that a few outliers do not use up all of them.
Json place_words(const std::vector<const Row*>& rows) {
  const std::vector<double> means = place_means(rows);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < means.size(); ++i)
    if (means[i] > 0) order.push_back(i);
  const auto sides = sides_of_places(rows);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return std::pair(sides && i < sides->column_side.size() && sides->column_side[i], means[i]);
  });
  std::vector<double> values;
  for (const Row* row : rows)
    std::ranges::copy_if(row->places, std::back_inserter(values), [](double value) { return value > 0; });
  std::ranges::sort(values);
  if (values.empty()) return {};
  const std::size_t cut = values.size() / 100;
  return {{"order", order}, {"low", values[cut]}, {"high", values[values.size() - 1 - cut]}};
}

}  // namespace

Json published_words(const Record& record, const std::string& probe) {
  Json out;
  const auto& known = known_published();
  if (!known) return out;
  for (const PublishedLine& line : published_lines(*known, record, probe))
    out.push_back({{"says", line.says},
                   {"measured", line.measured_text},
                   {"published", line.published_text},
                   {"difference", line.difference_text},
                   {"gpu", line.published->gpu},
                   {"source", line.published->source + ", " + line.published->checked},
                   {"why", line.why}});
  return out;
}

Json probe_words(const Record& record, const ProbeOutline& probe) {
  Json words = {{"name", probe.probe.name}};
  const auto put = [&](const char* name, Json part) {
    if (!part.empty()) words[name] = std::move(part);
  };
  put("published", published_words(record, probe.probe.name));
  put("plateaus", plateaus(probe));
  Json varies;
  for (const Varying& varying : probe.varies) varies.push_back(describe(varying));
  put("varies", varies);
  const std::vector<const Row*> rows = with_places(probe);
  // A map is of numbers that are close to each other, not of groups or of elements of a matrix.
  const auto spreads = [](const FeatureQuery& find) { return find.what == FeatureQuery::What::Spread; };
  if (!rows.empty() && std::ranges::any_of(probe.probe.finds, spreads)) put("places", place_words(rows));
  return words;
}

namespace {

Json picture_row(const PictureRow& row) {
  Json out = {{"label", row.label}, {"value", row.value}};
  if (!row.more.empty()) out["more"] = row.more;
  std::string tooltip = row.quantity->says + (row.found ? ": " + row.value : ": not found");
  if (row.found) {
    const std::string interval = interval_text(*row.found);
    const std::string& probe = row.found->probe;
    tooltip +=
        (interval.empty() ? "" : ", " + interval) + " (" + (probe.empty() ? "" : probe + ", ") + row.found->from + ")";
    if (row.found->unit == rate_unit) out["rate"] = row.found->value;
    (probe.empty() ? out["stated"] : out["probe"]) = probe.empty() ? Json(true) : Json(probe);
  }
  out["tooltip"] = tooltip;
  return out;
}

Json picture_rows(const std::vector<PictureRow>& rows, std::vector<std::string>& preferred) {
  Json out = Json::array();
  for (const PictureRow& row : rows) {
    out.push_back(picture_row(row));
    if (row.found && !row.found->preferred.empty())
      preferred.push_back(row.found->preferred + " for " + row.quantity->says);
  }
  return out;
}

Json tensor_number(const TensorNumber& number) { return {{"value", number.value}, {"id", number.row->id}}; }

Json tensor_line(const TensorLine& line) {
  Json out = {{"shape", line.shape}, {"source", line.source}, {"becomes", line.becomes}, {"latency", Json::array()}};
  for (const auto& [operand, number] : line.latency) {
    out["latency"].push_back(tensor_number(number));
    out["latency"].back()["operand"] = operand;
  }
  for (std::size_t i = 1; i < tensor_columns; ++i)
    if (const auto& number = line.number.at(i)) out[tensor_column_names.at(i)] = tensor_number(*number);
  if (const TensorNumber* random = line.random_of_zeros()) out["random_of_zeros"] = random->value;
  for (const Row* row : line.missing) out["missing"].push_back(row->id);
  return out;
}

Json pipeline_line(const Pipeline& line) {
  Json points = Json::array(), model = Json::array();
  for (const PipelinePoint& point : line.points) {
    points.push_back({{"stages", point.stages}, {"id", point.row->id}});
    if (const Estimate* tile = point.tile) points.back()["tile"] = {tile->value, tile->low, tile->high};
  }
  for (std::int64_t stages = line.points.front().stages; stages <= line.points.back().stages; ++stages)
    if (const auto tile = line.predicted(stages)) model.push_back({stages, *tile});
  Json out = {{"work", line.work},
              {"alone", line.alone},
              {"alone_measured", line.alone_measured},
              {"points", points},
              {"model", model}};
  if (const auto stages = line.predicted_to_hide()) out["model_hides"] = *stages;
  return out;
}

}  // namespace

Json picture_words(const Record& record) {
  const Expected<Picture>& known = known_picture();
  if (!known) return {};
  const Picture picture = fill(*known, record);
  if (!picture.any()) return {};
  std::vector<std::string> preferred;
  Json levels = Json::array();
  for (const PictureLevel& level : picture.levels) {
    Json boxes = Json::array();
    for (const PictureBox& box : level.boxes)
      boxes.push_back({{"name", box.name}, {"rows", picture_rows(box.rows, preferred)}});
    levels.push_back({{"name", level.name},
                      {"count", level.count},
                      {"boxes", boxes},
                      {"link", picture_rows(level.link, preferred)}});
  }
  return {{"levels", levels},
          {"preferred",
           preferred.empty() ? "" : " Preferred probes, which another suite has, are: " + join(preferred, "; ") + "."}};
}

Json tensor_words(const Record& record) {
  const Expected<TensorTable>& known = known_tensor();
  Json groups;
  if (!known) return groups;
  for (const TensorGroup& group : tensor_groups(*known, record)) {
    Json lines = Json::array();
    for (const TensorLine& line : group.lines) lines.push_back(tensor_line(line));
    groups.push_back({{"instruction", group.instruction},
                      {"inputs", group.inputs},
                      {"accumulator", group.accumulator},
                      {"peak", group.peak},
                      {"peak_source", group.peak_source},
                      {"lines", lines}});
  }
  return groups;
}

Json handoff_words(const Record& record) {
  const Expected<KernelDesign>& known = known_kernel_design();
  if (!known) return {};
  const Handoffs all = handoffs(known->handoffs, record);
  if (all.measured.empty()) return {};
  Json measured = Json::array(), missing = Json::array();
  for (const Handoff& each : all.measured)
    measured.push_back({{"within", each.within},
                        {"by", each.by},
                        {"cycles", each.cycles},
                        {"longest", each.longest},
                        {"cases", each.cases},
                        {"id", each.row->id}});
  for (const auto& [name, row] : all.missing) missing.push_back({{"name", name}, {"id", row->id}});
  return {{"measured", measured}, {"missing", missing}};
}

Json pipeline_words(const Record& record) {
  const Expected<KernelDesign>& known = known_kernel_design();
  if (!known) return {};
  const std::vector<Pipelines> all = pipelines(known->pipelines, record);
  if (all.empty()) return {};
  Json sources = Json::array();
  for (const Pipelines& each : all) {
    Json source = {{"source", each.source}, {"lines", Json::array()}};
    for (const Pipeline& line : each.lines) source["lines"].push_back(pipeline_line(line));
    const std::pair<const char*, const std::optional<QuantityValue>*> costs[] = {
        {"latency", &each.latency}, {"issue", &each.issue}, {"rate", &each.rate}};
    for (const auto& [name, found] : costs)
      if (*found) source[name] = {{"value", (*found)->value}, {"probe", (*found)->probe}};
    sources.push_back(std::move(source));
  }
  return {{"sources", sources}, {"tile", tile_text(known->pipelines, all)}};
}

}  // namespace warpclock
