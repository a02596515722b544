#include "answer/ask/probe_sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "answer/numbers/figures.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "plan/plan.hpp"
#include "record/record.hpp"

namespace warpclock {
namespace {

bool has(const Parameters& parameters, const std::pair<std::string, std::string>& wanted) {
  return std::ranges::any_of(parameters, [&](const auto& each) {
    const auto& [name, value] = each;
    if (name != wanted.first && parameter_name(name) != wanted.first) return false;
    return to_string(value) == wanted.second || parameter_text(name, value) == wanted.second;
  });
}

/// Cases of one curve stand together, in the order in which its first is in the record, and by their place on its axis.
void sort_along(std::vector<CaseRows>& rows, const std::string& axis) {
  std::vector<Parameters> curves;
  std::vector<std::pair<std::pair<std::size_t, std::int64_t>, CaseRows>> placed;
  for (CaseRows& row : rows) {
    Parameters curve = row.parameters;
    const auto* place = find_as<std::int64_t>(row.parameters, axis);
    std::erase_if(curve, [&](const auto& each) { return each.first == axis; });
    placed.emplace_back(std::pair{index_or_add(curves, curve), place == nullptr ? std::int64_t{0} : *place},
                        std::move(row));
  }
  std::ranges::stable_sort(placed, {}, [](const auto& each) { return each.first; });
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = std::move(placed[i].second);
}

/// The cases of a probe with these parameters, in the order of the first GPU's record; along a curve by its axis.
std::vector<CaseRows> case_rows(const std::vector<ProbePlace>& places,
                                const std::vector<std::pair<std::string, std::string>>& with) {
  std::vector<CaseRows> rows;
  std::string axis;
  for (std::size_t gpu = 0; gpu < places.size(); ++gpu) {
    if (places[gpu].probe == nullptr) continue;
    axis = places[gpu].probe->probe.along;
    for (const Row* row : places[gpu].probe->cases) {
      if (!std::ranges::all_of(with, [&](const auto& wanted) { return has(row->parameters, wanted); })) continue;
      CaseRows& shared = find_or_add(rows, row->id, &CaseRows::id);
      shared.parameters = row->parameters;
      shared.on.resize(places.size());
      shared.on[gpu] = row;
    }
  }
  if (!axis.empty()) sort_along(rows, axis);
  return rows;
}

}  // namespace

std::vector<Value> values_of(const std::vector<ProbePlace>& places, const std::string& parameter) {
  std::vector<Value> values;
  for (const ProbePlace& place : places) {
    if (place.probe == nullptr) continue;
    for (const Row* row : place.probe->cases)
      if (const Value* value = find(row->parameters, parameter)) index_or_add(values, *value);
  }
  return values;
}

namespace {

/// Of all GPUs' outlines what `of` says, each once.
std::vector<std::string> united(const std::vector<ProbePlace>& places, std::vector<std::string> ProbeOutline::*of) {
  std::vector<std::string> all;
  for (const ProbePlace& place : places) {
    if (place.probe == nullptr) continue;
    for (const std::string& each : place.probe->*of) index_or_add(all, each);
  }
  return all;
}

/// The most decimals of any GPU's column.
int decimals_of(const std::vector<ProbePlace>& places, const std::string& estimate) {
  int most = 0;
  for (const ProbePlace& place : places)
    if (place.probe != nullptr) most = std::max(most, decimals(*place.probe, estimate));
  return most;
}

constexpr const char* missing = "\xE2\x80\x93";

std::string key_of(const std::string& label) { return replace_all(to_lower(label), " ", "_"); }

/// "latency H100, cycles"
std::string title_of(const std::string& estimate, const std::string& gpu, const std::string& unit) {
  return fmt::format("{} {}{}{}", estimate, gpu, unit.empty() ? "" : ", ", unit);
}

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(Json::value_t::discarded); }

std::string unit_of(const std::vector<CaseRows>& rows, const std::string& estimate) {
  for (const CaseRows& row : rows)
    for (const Row* on : row.on)
      if (const Estimate* found = on == nullptr ? nullptr : published(*on, estimate)) return unit_text(found->unit);
  return {};
}

/// The table of a probe's rows, made column by column.
class RowTable {
 public:
  RowTable(const ProbeBook& book, const std::string& probe, std::vector<CaseRows> rows)
      : book_(book), places_(book.places(probe)), rows_(std::move(rows)) {
    table_.key = "rows";
    table_.rows.resize(rows_.size());
  }

  Table take() {
    add({.key = "id", .audience = Audience::Programs}, [](const CaseRows& row) { return Cell(row.id); });
    for (const std::string& name : united(places_, &ProbeOutline::varying)) add_parameter(name);
    for (const std::string& name : united(places_, &ProbeOutline::estimates)) {
      for (std::size_t gpu = 0; gpu < places_.size(); ++gpu) add_estimate(name, gpu);
    }
    for (std::size_t gpu = 0; gpu < places_.size(); ++gpu) add_evidence(gpu);
    if (std::ranges::any_of(rows_, [&](const CaseRows& row) { return !why(row).empty(); }))
      add({.key = "why", .title = "not measured", .audience = Audience::People},
          [&](const CaseRows& row) { return Cell::for_people(why(row)); });
    add_notes();
    return std::move(table_);
  }

 private:
  template <class CellOf>
  void add(Column column, const CellOf& cell_of) {
    table_.columns.push_back(std::move(column));
    for (std::size_t i = 0; i < rows_.size(); ++i) table_.rows[i].push_back(cell_of(rows_[i]));
  }

  void add_parameter(const std::string& name) {
    const auto values = values_of(places_, name);
    const bool numbers =
        std::ranges::all_of(values, [](const Value& value) { return std::holds_alternative<std::int64_t>(value); });
    add({.key = name, .title = parameter_name(name), .right = numbers}, [&](const CaseRows& row) {
      const Value* value = find(row.parameters, name);
      if (value == nullptr) return Cell();
      return Cell(parameter_text(name, *value), std::visit([](const auto& of) { return Json(of); }, *value));
    });
  }

  void add_estimate(const std::string& name, std::size_t gpu) {
    const std::string label = book_.labels()[gpu], key = fmt::format("{}.{}", name, key_of(label));
    const std::string unit = unit_of(rows_, name);
    const int places = decimals_of(places_, name);
    const auto estimate_of = [&](const CaseRows& row) {
      return row.on[gpu] == nullptr ? nullptr : published(*row.on[gpu], name);
    };
    add({.key = key, .title = title_of(name, label, unit), .right = true}, [&](const CaseRows& row) {
      if (const Estimate* estimate = estimate_of(row)) {
        const std::string within = interval(*estimate, places);
        const bool exact = within.find_first_of("123456789") == std::string::npos;
        return Cell(fixed(estimate->value, places) + (exact ? "" : " " + within), finite(estimate->value));
      }
      const bool named = row.on[gpu] != nullptr && row.on[gpu]->outcome != Outcome::Measured;
      return Cell::for_people(named ? std::string(word(row.on[gpu]->outcome)) : missing);
    });
    const auto add_end = [&](const char* end, double Estimate::*of) {
      add({.key = key + end, .audience = Audience::Programs}, [&](const CaseRows& row) {
        const Estimate* estimate = estimate_of(row);
        return estimate == nullptr ? Cell() : Cell("", finite(estimate->*of));
      });
    };
    add_end(".low", &Estimate::low);
    add_end(".high", &Estimate::high);
    add({.key = key + ".unit", .audience = Audience::Programs}, [&](const CaseRows& row) {
      const Estimate* estimate = estimate_of(row);
      return estimate == nullptr ? Cell() : Cell(estimate->unit);
    });
    const ProbeOutline* probe = places_[gpu].probe;
    if (probe == nullptr || !has_gigabytes(*probe, name)) return;
    add({.key = key + ".gbs", .title = title_of("all SMs", label, "GB/s"), .right = true}, [&](const CaseRows& row) {
      const Estimate* estimate = estimate_of(row);
      const auto rate = estimate == nullptr ? std::nullopt : gigabytes_per_second(*probe, *row.on[gpu], *estimate);
      return rate ? Cell(clocked_text(*rate, 0), finite(rate->value)) : Cell::for_people(missing);
    });
  }

  void add_evidence(std::size_t gpu) {
    const std::string key = key_of(book_.labels()[gpu]);
    const auto of_row = [&](const char* name, const auto& text) {
      add({.key = fmt::format("{}.{}", name, key), .audience = Audience::Programs},
          [&](const CaseRows& row) { return row.on[gpu] == nullptr ? Cell() : Cell(text(*row.on[gpu])); });
    };
    of_row("outcome", [](const Row& row) { return std::string(word(row.outcome)); });
    of_row("reason", [](const Row& row) { return row.reason.text; });
    of_row("link", [&](const Row& row) { return book_.case_link(gpu, row); });
  }

  /// "H100, H200: counters are not available"
  [[nodiscard]] std::string why(const CaseRows& row) const {
    std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
    for (std::size_t gpu = 0; gpu < row.on.size(); ++gpu) {
      if (row.on[gpu] == nullptr || row.on[gpu]->outcome == Outcome::Measured) continue;
      find_or_add(reasons, row.on[gpu]->reason.text).push_back(book_.labels()[gpu]);
    }
    const auto texts = mapped(reasons, [](const auto& each) { return join(each.second, ", ") + ": " + each.first; });
    return join(texts, "; ");
  }

  /// What estimates say of themselves, each once; in a column if there are many.
  void add_notes() {
    std::vector<std::string> notes;
    const auto of_row = [&](const CaseRows& row) {
      std::vector<std::string> own;
      for (const Row* on : row.on) {
        if (on == nullptr || on->outcome != Outcome::Measured) continue;
        for (const Estimate& estimate : on->estimates)
          if (!estimate.note.empty()) index_or_add(own, estimate.note);
      }
      return own;
    };
    for (const CaseRows& row : rows_)
      for (const std::string& note : of_row(row)) index_or_add(notes, note);
    constexpr std::size_t few = 3;
    if (notes.size() <= few) {
      table_.notes = notes;
    }
    add({.key = "note", .audience = notes.size() <= few ? Audience::Programs : Audience::All},
        [&](const CaseRows& row) { return Cell(join(of_row(row), "; ")); });
  }

  const ProbeBook& book_;
  const std::vector<ProbePlace>& places_;
  std::vector<CaseRows> rows_;
  Table table_;
};

/// The headlines of each GPU beside each other, by what they are of.
struct SharedHeadline {
  std::string name, unit;
  std::vector<std::string> values;
};

std::vector<SharedHeadline> shared_headlines(const std::vector<ProbePlace>& places) {
  std::vector<SharedHeadline> all;
  for (std::size_t gpu = 0; gpu < places.size(); ++gpu) {
    if (places[gpu].probe == nullptr) continue;
    for (const Headline& each : places[gpu].probe->probe.answers) {
      SharedHeadline& shared = find_or_add(all, each.name, &SharedHeadline::name);
      shared.unit = unit_text(each);
      shared.values.resize(places.size(), missing);
      shared.values[gpu] = each.value + (each.all_sms.empty() ? "" : " (" + each.all_sms + ")");
    }
  }
  return all;
}

std::vector<Column> headline_columns(const ProbeBook& book) {
  std::vector<Column> columns;
  for (const std::string& label : book.labels())
    columns.push_back({.key = key_of(label), .title = label, .right = true});
  columns.push_back({.key = "unit"});
  return columns;
}

/// Of a list of names the beginning, if it is for a table of many.
std::string cut(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, std::min(text.rfind(',', most), most)) + " \xE2\x80\xA6";
}

std::vector<Cell> headline_cells(const SharedHeadline& headline, std::size_t most = std::string::npos) {
  std::vector<Cell> cells;
  for (const std::string& value : headline.values)
    cells.push_back(value == missing ? Cell::for_people(value) : Cell(cut(value, most), Json(value)));
  cells.emplace_back(headline.unit);
  return cells;
}

Table answer_table(const ProbeBook& book, const std::vector<ProbePlace>& places) {
  Table table{.key = "answer", .columns = headline_columns(book)};
  table.columns.insert(table.columns.begin(), {.key = "of", .title = "answer"});
  for (const SharedHeadline& headline : shared_headlines(places)) {
    std::vector<Cell> cells = headline_cells(headline);
    cells.insert(cells.begin(), headline.name);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Error no_such_rows(const std::vector<ProbePlace>& places, const std::string& probe, const ProbeChoice& choice) {
  for (const auto& [name, value] : choice.with) {
    const auto values = mapped(values_of(places, name), [](const Value& each) { return to_string(each); });
    if (values.empty()) {
      std::vector<std::string> names;
      for (const ProbePlace& place : places)
        if (place.probe != nullptr)
          for (const auto& [parameter, ignored] : place.probe->cases.front()->parameters)
            index_or_add(names, parameter);
      return {"filter", fmt::format("{} has no parameter '{}'{}", probe, name, hint(name, names)), ""};
    }
    if (case_rows(places, {{name, value}}).empty())
      return {"filter", fmt::format("{} has no row with {}={}; {} is {}", probe, name, value, name, join(values, ", ")),
              ""};
  }
  return {"filter", fmt::format("{} has each of these values, but no row with all of them", probe), ""};
}

}  // namespace

Expected<Sheet> probe_sheet(const ProbeBook& book, const std::string& probe, const ProbeChoice& choice) {
  const std::vector<ProbePlace>& places = book.places(probe);
  std::vector<CaseRows> rows = case_rows(places, choice.with);
  if (rows.empty()) return std::unexpected(no_such_rows(places, probe, choice));
  Sheet sheet;
  sheet.title = probe;
  const auto& first = *std::ranges::find_if(places, [](const ProbePlace& place) { return place.probe != nullptr; });
  sheet.facts = {{"question", "", first.probe->probe.asks}, {"suite", "", book.suite(probe)}};
  if (const std::string fixed_ones = describe(*first.probe->cases.front(), keys_of(first.probe->fixed));
      !fixed_ones.empty())
    sheet.facts.push_back({"fixed", "all rows", fixed_ones});
  for (std::size_t gpu = 0; gpu < places.size(); ++gpu) {
    const std::string& label = book.labels()[gpu];
    if (places[gpu].probe == nullptr) {
      sheet.notes.push_back(fmt::format("{}: its records have no row of this probe", label));
      continue;
    }
    const std::string& date = places[gpu].record->provenance.date;
    sheet.facts.push_back({"measured." + key_of(label), label + " measured", date.substr(0, date.find('T'))});
    sheet.facts.push_back({"link." + key_of(label), label + " page", book.probe_link(gpu, probe)});
    for (const Varying& varying : places[gpu].probe->varies)
      sheet.notes.push_back(fmt::format("{}: {}", label, describe(varying)));
  }
  if (choice.with.empty()) sheet.tables.push_back(answer_table(book, places));
  sheet.tables.push_back(RowTable(book, probe, std::move(rows)).take());
  sheet.tables.back().title = choice.with.empty() ? "rows" : "";
  return sheet;
}

Sheet probe_list(const ProbeBook& book, const std::vector<std::string>& probes) {
  constexpr std::size_t widest = 32;
  Sheet sheet;
  std::string family;
  for (const std::string& probe : probes) {
    const std::string own = probe.substr(0, probe.find('/'));
    if (own != family) {
      sheet.tables.push_back({.key = "probes", .title = own, .columns = headline_columns(book)});
      sheet.tables.back().columns.insert(sheet.tables.back().columns.begin(), {{.key = "probe"}, {.key = "of"}});
      sheet.tables.back().columns.push_back({.key = "question", .audience = Audience::Programs});
      sheet.tables.back().headed = family.empty();
      family = own;
    }
    const std::vector<ProbePlace>& places = book.places(probe);
    const std::vector<SharedHeadline> all = shared_headlines(places);
    std::vector<Cell> cells = headline_cells(
        all.empty() ? SharedHeadline{{}, {}, std::vector<std::string>(places.size(), missing)} : all.front(), widest);
    cells.insert(cells.begin(), {Cell(probe), Cell(all.empty() ? "not measured" : all.front().name)});
    for (const ProbePlace& place : places)
      if (place.probe != nullptr && cells.size() < 2 + places.size() + 2) cells.emplace_back(place.probe->probe.asks);
    sheet.tables.back().rows.push_back(std::move(cells));
  }
  sheet.notes = {
      fmt::format("{}; `warpclock show PROBE` prints the rows of one", counted(std::ssize(probes), "probe"))};
  return sheet;
}

namespace {

std::string family_of(const std::string& probe) { return probe.substr(0, probe.find('/')); }
std::string last_of(const std::string& probe) { return probe.substr(probe.find('/') + 1); }

}  // namespace

Expected<ProbeChoice> parse_probe_choice(std::string_view text) {
  ProbeChoice choice;
  const std::size_t open = text.find('[');
  choice.name = text.substr(0, open);
  if (open == std::string_view::npos) return choice;
  if (!text.ends_with(']')) return fail("usage", fmt::format("'{}': no ] at the end of the parameters", text));
  const std::string_view inner = text.substr(open + 1, text.size() - open - 2);
  for (const std::string& one : split(inner, ',')) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail("usage", fmt::format("'{}': expected [PARAMETER=VALUE,...], as in [warps=32], not '{}'", text, one));
    choice.with.emplace_back(trim(one.substr(0, equals)), trim(one.substr(equals + 1)));
  }
  return choice;
}

Expected<std::vector<std::string>> chosen_probes(const ProbeBook& book, const std::string& name) {
  const std::vector<std::string>& all = book.names();
  const auto those = [&](const auto& fit) {
    std::vector<std::string> found;
    std::ranges::copy_if(all, std::back_inserter(found), fit);
    return found;
  };
  if (book.has(name)) return std::vector{name};
  for (const auto& found : {those([&](const std::string& each) { return last_of(each) == name; }),
                            those([&](const std::string& each) { return family_of(each) == name; }),
                            those([&](const std::string& each) { return !name.empty() && matches(name, each); })}) {
    if (!found.empty()) return found;
  }
  std::vector<std::string> names = all;
  for (const std::string& each : all) names.push_back(last_of(each));
  for (const std::string& each : all) index_or_add(names, family_of(each));
  const std::string near = did_you_mean(name, names);
  return fail("filter",
              fmt::format("no probe is called '{}'{}", name,
                          near.empty() ? "; `warpclock show` lists them, and `warpclock ask` takes any words" : near));
}

}  // namespace warpclock
