#include "answer/numbers/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>

#include "base/files/embedded.hpp"
#include "base/lookup.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "record/json/record_json.hpp"
#include "record/selector.hpp"

namespace warpclock {
namespace {

constexpr const char* dash = " \xE2\x80\x93 ";

}  // namespace

void describe(YamlArchive& a, Answer::Reaches& v) {
  std::string best;
  a.required("best", best, yaml::OneOfWords{{"highest", "lowest"}});
  v.highest = best == "highest";
  WARPCLOCK_REQUIRED(within);
  a.required("at", v.at.factors, yaml::one_or_list());
  WARPCLOCK_OPTIONAL(unit);
}

void describe(YamlArchive& a, Answer::Which& v) {
  WARPCLOCK_REQUIRED(parameter);
  WARPCLOCK_OPTIONAL(at_least, at_most);
}

namespace {

std::string number(const ProbeOutline& probe, const Selector& from, const std::string& unit, double value) {
  if (unit == "B") return bytes_text(value);
  if (from.kind == Selector::Kind::Cases) return fixed(value, decimals(probe, from.name));
  const double almost[] = {value + 0.001};  // digits of a level that were measured
  return unit.empty() ? human_number(value, 4) : fixed(value, decimals(almost));
}

/// "lowest of 19, at footprint=1 KiB", "10 curves"; of a case its varying parameters instead of its id.
std::string detail_of(const ProbeOutline& probe, const Selector& from, const std::string& found) {
  if (from.kind != Selector::Kind::Cases) return found.ends_with(" found") ? replace_all(found, "found", "curves") : "";
  const std::size_t id = found.find(probe.probe.name);
  if (id == std::string::npos) return found;
  const auto row = std::ranges::find(probe.cases, found.substr(id), &Row::id);
  const std::string at = row == probe.cases.end() ? "" : parameters_text(**row, probe.varying);
  return replace_all(found.substr(0, id), " cases: ", ", ") + (at.empty() ? "" : "at " + at);
}

Headline headline(const ProbeOutline& probe, const Selector& from, const std::string& label,
                  const QuantityValue& found) {
  Headline out{label, number(probe, from, found.unit, found.value), found.value, found.low, found.high, found.unit,
               {},    detail_of(probe, from, found.from),           {},          {}};
  const bool is_case = from.kind == Selector::Kind::Cases;
  if (!found.row.empty()) out.row = is_case ? found.row : from.probe, out.of = is_case ? from.name : found.row;
  if (found.most) {
    out.number.reset(), out.low = found.value, out.high = *found.most;
    const std::string most = number(probe, from, found.unit, *found.most);
    if (most != out.value) out.value += dash + most;
  } else if (const auto rate = gigabytes_per_second(found.value, found.unit, probe.sms, found.clock)) {
    out.all_sms = gigabytes_text(*rate);
  }
  return out;
}

/// The parameter's values in the record's order.
std::vector<Value> values_of(const std::vector<const Row*>& cases, const std::string& parameter) {
  std::vector<Value> values;
  for (const Row* row : cases) {
    const Value* value = find(row->parameters, parameter);
    if (value != nullptr && std::ranges::find(values, *value) == values.end()) values.push_back(*value);
  }
  return values;
}

void one_by_one(const Record& record, const ProbeOutline& probe, const Answer& answer, std::vector<Headline>& out) {
  for (const Value& value : values_of(cases_at(record, answer.from), answer.by)) {
    Selector from = answer.from;
    from.with.push_back({answer.by, value, {}, {}});
    const auto label = substitute(answer.label, {{answer.by, parameter_text(answer.by, value)}});
    if (const auto found = find_at(record, from); found && label) out.push_back(headline(probe, from, *label, *found));
  }
}

void reached(const Record& record, const ProbeOutline& probe, const Answer& answer, std::vector<Headline>& out) {
  const Answer::Reaches& reaches = *answer.reaches;
  struct Point {
    std::int64_t at;
    double value;
    const Row* row;
  };
  std::vector<Point> points;
  for (const Row* row : cases_at(record, answer.from)) {
    if (const auto at = reaches.at.evaluate(row->parameters)) {
      points.push_back({*at, published(*row, answer.from.name)->value, row});
    }
  }
  if (points.empty()) return;
  std::ranges::stable_sort(points, {}, &Point::at);
  const auto [lowest, highest] = std::ranges::minmax_element(points, {}, &Point::value);
  const double best = reaches.highest ? highest->value : lowest->value, share = reaches.within / 100;
  const auto near = [&](const Point& point) {
    return reaches.highest ? point.value >= best * (1 - share) : point.value <= best * (1 + share);
  };
  const auto first = std::ranges::find_if(points, near);
  const auto at = static_cast<double>(first->at);
  const std::string value = reaches.unit == "B" ? bytes_text(at) : std::to_string(first->at);
  std::string detail = fmt::format("fewest of {} cases within {:g} % of {}", points.size(), reaches.within,
                                   fixed(best, decimals(probe, answer.from.name)));
  out.push_back(
      {answer.label, value, at, at, at, reaches.unit, {}, std::move(detail), first->row->id, answer.from.name});
}

void listed(const Record& record, const Answer& answer, std::vector<Headline>& out) {
  const Answer::Which& which = *answer.which;
  const std::vector<const Row*> cases = cases_at(record, answer.from);
  const std::vector<Value> all = values_of(cases, which.parameter);
  std::string names;
  std::size_t count = 0;
  for (const Value& value : all) {
    const bool holds = std::ranges::all_of(cases, [&](const Row* row) {
      const double of = published(*row, answer.from.name)->value;
      return *find(row->parameters, which.parameter) != value || (of >= which.at_least && of <= which.at_most);
    });
    if (!holds) continue;
    names += (names.empty() ? "" : ", ") + parameter_text(which.parameter, value);
    ++count;
  }
  if (all.empty()) return;
  out.push_back({.name = answer.label,
                 .value = names.empty() ? "none" : names,
                 .detail = fmt::format("{} of {}", count, all.size())});
}

/// The levels of its curves that the counters of their points name, each once.
std::vector<Headline> levels(const Record& record, const ProbeOutline& probe) {
  std::vector<Headline> out;
  for (const char* where : {"L1", "L2", "DRAM"}) {
    for (const std::string& name : probe.estimates) {
      Selector from;
      from.kind = Selector::Kind::Feature;
      from.probe = probe.probe.name, from.name = name, from.where = where;
      if (const auto found = find_at(record, from)) {
        out.push_back(headline(probe, from, fmt::format("{}, {}", where, name), *found));
      }
    }
  }
  return out;
}

struct LabelledRange {
  std::string label;
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  std::int64_t cases = 0;
  std::string unit;
};

/// The estimate's ranges by the values of a parameter; empty if two of them overlap.
std::vector<LabelledRange> ranges_by(const ProbeOutline& probe, const std::string& estimate,
                                     const std::string& parameter) {
  std::vector<LabelledRange> ranges;
  for (const Value& value : values_of(probe.cases, parameter)) {
    if (!std::holds_alternative<std::string>(value)) return {};
    LabelledRange range;
    range.label = estimate + ", " + parameter_name(parameter) + "=" + to_string(value);
    for (const Row* row : probe.cases) {
      const Value* own = find(row->parameters, parameter);
      const Estimate* of = published(*row, estimate);
      if (own == nullptr || *own != value || of == nullptr || !std::isfinite(of->value)) continue;
      range.low = std::min(range.low, of->value);
      range.high = std::max(range.high, of->value);
      range.unit = of->unit;
      ++range.cases;
    }
    if (range.cases > 0) ranges.push_back(std::move(range));
  }
  std::vector<LabelledRange> sorted = ranges;
  std::ranges::sort(sorted, {}, &LabelledRange::low);
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].low <= sorted[i - 1].high) return {};
  }
  return ranges;
}

/// The numbers of the only estimate by the parameter that separates them; empty if none has two to four values.
std::vector<Headline> separated(const ProbeOutline& probe) {
  if (probe.estimates.size() != 1 || !probe.probe.along.empty()) return {};
  const std::string& name = probe.estimates.front();
  for (const std::string& parameter : probe.varying) {
    const std::vector<LabelledRange> ranges = ranges_by(probe, name, parameter);
    constexpr std::size_t most = 4;
    if (ranges.size() < 2 || ranges.size() > most) continue;
    const int places = decimals(probe, name);
    std::vector<Headline> out;
    for (const LabelledRange& range : ranges) {
      const auto text = [&](double value) { return range.unit == "B" ? bytes_text(value) : fixed(value, places); };
      const std::string low = text(range.low), high = text(range.high);
      out.push_back({.name = range.label,
                     .value = low == high ? low : low + dash + high,
                     .low = range.low,
                     .high = range.high,
                     .unit = range.unit,
                     .detail = counted(range.cases, "case")});
    }
    return out;
  }
  return {};
}

}  // namespace

void describe(YamlArchive& a, Answer& v, const std::string& probe) {
  const SelectorKeys place = place_of(probe);
  WARPCLOCK_REQUIRED(label);
  a.required("from", v.from, yaml::with(place));
  WARPCLOCK_OPTIONAL(by, reaches, which);
  const int kinds =
      static_cast<int>(a.has("by")) + static_cast<int>(a.has("reaches")) + static_cast<int>(a.has("which"));
  if (kinds > 1) a.reject("'by', 'reaches' and 'which' exclude each other");
  if (kinds == 1 && v.from.kind != Selector::Kind::Cases) a.reject("'by', 'reaches' and 'which' need 'cases'");
}

namespace {

struct ProbeAnswers {
  std::string probe;
  std::vector<Answer> says;
};

void describe(YamlArchive& a, ProbeAnswers& v, std::set<std::string>& probes) {
  a.required("probe", v.probe, yaml::new_text(probes));
  a.required("says", v.says, yaml::one_or_list(yaml::with(v.probe)));
}

}  // namespace

Expected<Answers> parse_answers(const std::string& file, std::string_view text) {
  std::set<std::string> probes;
  const auto form = yaml::under("answers", yaml::list_of(yaml::with(probes)));
  auto all = WARPCLOCK_TRY(read_yaml<std::vector<ProbeAnswers>>(file, text, form));
  Answers answers;
  for (ProbeAnswers& one : all) answers.emplace(one.probe, std::move(one.says));
  return answers;
}

const Expected<Answers>& known_answers() {
  static const Expected<Answers> known = parse_answers("answers.yaml", embedded_assets().at("answers.yaml"));
  return known;
}

std::vector<Headline> numbers_of(const Record& record, const ProbeOutline& probe, const Answer& answer) {
  std::vector<Headline> out;
  if (answer.reaches) {
    reached(record, probe, answer, out);
  } else if (answer.which) {
    listed(record, answer, out);
  } else if (!answer.by.empty()) {
    one_by_one(record, probe, answer, out);
  } else if (const auto found = find_at(record, answer.from)) {
    out.push_back(headline(probe, answer.from, answer.label, *found));
  }
  return out;
}

std::vector<Headline> answers(const Record& record, const ProbeOutline& probe, const Answers& known) {
  std::vector<Headline> out;
  if (const auto own = known.find(probe.probe.name); own != known.end()) {
    for (const Answer& answer : own->second)
      for (Headline& each : numbers_of(record, probe, answer)) out.push_back(std::move(each));
  }
  if (out.empty()) out = levels(record, probe);
  if (out.empty()) out = separated(probe);
  return out.empty() ? headlines(probe) : out;
}

Record finished(Record record) {
  record = rounded(std::move(record));
  find_causes(record);
  if (record.file != RecordFile::Result) return record;
  const Answers known = known_answers().value_or(Answers());
  for (ProbeRecord& probe : record.probes) probe.answers.clear();
  for (const FamilyOutline& family : outline(record)) {
    for (const ProbeOutline& probe : family.probes) {
      ProbeRecord& described = find_or_add(record.probes, probe.probe.name, &ProbeRecord::name);
      described.family = family.name;
      described.answers = answers(record, probe, known);
    }
  }
  return record;
}

}  // namespace warpclock
