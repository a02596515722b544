#include "answer/ask/hits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "answer/ask/probe_sheet.hpp"
#include "answer/instructions/instruction_cells.hpp"
#include "answer/numbers/figures.hpp"
#include "answer/sections/tensor_table.hpp"
#include "base/escape.hpp"
#include "base/files/embedded.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"

namespace warpclock {

void describe(YamlArchive& a, Topic& v, const Quantities& quantities) {
  const auto texts = yaml::one_or_list();
  const std::string of_any_probe;
  a.required("words", v.words, texts);
  a.optional("says", v.says, yaml::one_or_list(yaml::with(of_any_probe)));
  a.optional("quantities", v.quantities, yaml::one_or_list(yaml::entry_of(quantities, "quantity")));
  using Kind = Selector::Kind;
  static const SelectorKeys of_tables{
      .kinds = {Kind::Instruction, Kind::Form, Kind::Kernel}, .of_rows = true, .any_number = true};
  a.optional("rows", v.rows, yaml::one_or_list(yaml::with(of_tables)));
  WARPCLOCK_OPTIONAL(absent, note, command);
  const bool has_numbers = !(v.says.empty() && v.quantities.empty() && v.rows.empty());
  if (has_numbers == !v.absent.empty()) a.reject("says where its numbers are, or 'absent'");
}

void describe(YamlArchive& a, SearchWords& v, const Quantities& quantities) {
  const auto texts = yaml::one_or_list();
  a.required("near", v.near, yaml::entries_of(texts));
  a.optional("fillers", v.fillers, texts);
  WARPCLOCK_REQUIRED(parameters, values);
  a.optional("rates", v.rates, texts);
  a.optional("times", v.times, texts);
  a.optional("gpus", v.gpus, texts);
  a.required("topics", v.topics, yaml::list_of(yaml::with(quantities)));
}

Expected<SearchWords> parse_search_words(const std::string& file, std::string_view text, const Quantities& quantities) {
  return read_yaml<SearchWords>(file, text, yaml::with(quantities));
}

const Expected<SearchWords>& known_search_words() {
  static const Expected<SearchWords> known = []() -> Expected<SearchWords> {
    const auto& quantities = known_quantities();
    if (!quantities) return std::unexpected(quantities.error());
    return parse_search_words("search.yaml", embedded_assets().at("search.yaml"), *quantities);
  }();
  return known;
}

namespace {

std::string without_maker(const std::string& name) { return name.starts_with("NVIDIA ") ? name.substr(7) : name; }

std::vector<std::string> labels_of(const std::vector<ReportedGpu>& gpus) {
  const auto names = mapped(gpus, [](const ReportedGpu& gpu) { return without_maker(gpu.name()); });
  const auto brief = [](const std::string& name) { return name.substr(0, name.find(' ')); };
  return mapped(names, [&](const std::string& name) {
    const auto same = std::ranges::count(names, brief(name), brief);
    return same == 1 ? brief(name) : name;
  });
}

std::ptrdiff_t measured(const ProbeOutline& probe) {
  return std::ranges::count(probe.cases, Outcome::Measured, [](const Row* row) { return row->outcome; });
}

}  // namespace

ProbeBook::ProbeBook(const std::vector<ReportedGpu>& gpus, const std::string& suite)
    : gpus_(gpus), labels_(labels_of(gpus)) {
  const std::string folder = suite == "full" ? "" : suite;
  std::map<std::string, std::map<std::string, std::ptrdiff_t>> rows;  // by probe, then by suite
  std::vector<std::pair<std::string, std::string>> found;             // family and probe
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    for (const auto& [of, record] : gpus[gpu].results) {
      if (!suite.empty() && of != folder) continue;
      auto& outlines = outlines_[of];
      outlines.resize(gpus.size());
      outlines[gpu] = outline(*record);
      for (const FamilyOutline& family : outlines[gpu]) {
        for (const ProbeOutline& probe : family.probes) {
          rows[probe.probe.name][of] += measured(probe);
          index_or_add(found, {family.name, probe.probe.name});
        }
      }
    }
  }
  std::ranges::stable_sort(found, {}, &std::pair<std::string, std::string>::first);
  for (const auto& [family, name] : found) {
    // Of equal ones the last: "" is the first.
    auto most = rows[name].begin();
    for (auto at = most; at != rows[name].end(); ++at)
      if (at->second >= most->second) most = at;
    suites_[name] = most->first;
    names_.push_back(name);
    std::vector<ProbePlace>& places = places_[name];
    places.resize(gpus.size());
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      for (const FamilyOutline& each : outlines_.at(most->first)[gpu]) {
        const ProbeOutline* probe = find_by(
            each.probes, name, [](const ProbeOutline& one) -> auto& { return one.probe.name; });
        if (probe != nullptr) places[gpu] = {gpus[gpu].results.at(most->first), probe};
      }
    }
  }
}

std::string ProbeBook::suite(const std::string& probe) const {
  const std::string& folder = suites_.at(probe);
  return folder.empty() ? "full" : folder;
}

std::string ProbeBook::page(std::size_t gpu, const std::string& probe) const {
  return percent_encoded(gpus_[gpu].folder) + "/" + ReportedGpu::page_of(suites_.at(probe));
}

std::string ProbeBook::case_link(std::size_t gpu, const Row& row) const {
  return page(gpu, row.probe) + "#" + anchor(row.id);
}

std::string ProbeBook::probe_link(std::size_t gpu, const std::string& probe) const {
  return page(gpu, probe) + "#probe:" + anchor(probe);
}

namespace {

std::string link_of(const ReportedGpu& gpu, const char* page, const std::string& id) {
  return percent_encoded(gpu.folder) + "/" + page + "#i=" + percent_encoded(id);
}

/// The rate first if that is what is asked for.
std::vector<AskedNumber> in_order(std::vector<AskedNumber> times, std::vector<AskedNumber> rates, bool rate) {
  if (rate) std::swap(times, rates);
  std::ranges::move(rates, std::back_inserter(times));
  return times;
}

}  // namespace

std::vector<AskedNumber> instruction_numbers(const ReportedGpu& gpu, const Row& row, const AskedWords& question) {
  const std::string name = row.id.substr(row.id.find('/') + 1), link = link_of(gpu, "instructions.html", row.id);
  std::vector<AskedNumber> times, rates;
  const std::vector<OperandLatency> all = latencies(row);
  const auto measured = std::ranges::find_if(all, [](const OperandLatency& one) { return one.measured != nullptr; });
  if (measured != all.end()) {
    times.push_back({name + ", latency", latency_groups(row), "cycles", row.id, measured->measured->name,
                     measured->measured->value, link});
  } else if (const Estimate* issue = published(row, "issue")) {
    times.push_back({name + ", one warp", fixed(issue->value, 1), "cycles each", row.id, "issue", issue->value, link});
  }
  if (const Estimate* rate = published(row, "throughput")) {
    std::string unit = "/clk/SM";
    if (const auto products = multiply_adds(row)) unit += fmt::format(" ({} FMA/clk/SM)", fixed(*products, 0));
    rates.push_back({name + ", throughput", fixed(rate->value, 1), unit, row.id, "throughput", rate->value, link});
  }
  return in_order(std::move(times), std::move(rates), question.rate);
}

std::vector<AskedNumber> form_numbers(const ReportedGpu& gpu, const Row& row, const AskedWords& question) {
  const std::string link = link_of(gpu, "machine.html", row.id);
  std::vector<AskedNumber> times, rates;
  const auto timed =
      std::ranges::find_if(row.estimates, [](const Estimate& one) { return one.name.starts_with("latency."); });
  if (timed != row.estimates.end())
    times.push_back({row.id + ", latency", machine_latencies(row), "cycles", row.id, timed->name, timed->value, link});
  if (const Estimate* interval = estimate_in(row, "interval"))
    rates.push_back({row.id + ", issue interval", issue_interval_text(row), "cycles per sub-partition", row.id,
                     interval->name, interval->value, link});
  return in_order(std::move(times), std::move(rates), question.rate);
}

namespace {

/// TFLOP/s of all SMs, two operations a multiply-add, if the clock is known at which they ran.
std::string teraflops(const Headline& found, const Row& row, const DeviceFacts& device) {
  if (found.unit != "FMA/clk/SM" || !found.number) return {};
  const auto rate = TensorNumber{.value = *found.number, .row = &row}.teraops(device.sms);
  return rate ? fmt::format("{} TFLOP/s", fixed(rate->value, 0)) : "";
}

/// "cp.async.bulk of 64 KiB" from "cp.async.bulk of {bytes} B".
std::string label_of(const std::string& label, const Row& row) {
  Parameters shown;
  for (const auto& [name, value] : row.parameters) shown.emplace_back(name, parameter_text(name, value));
  return replace_all(substitute(label, shown).value_or(label), "iB B", "iB");
}

class TopicReader {
 public:
  TopicReader(const AskedWords& question, const ProbeBook& book, const SearchWords& known)
      : question_(question), book_(book), known_(known) {}

  Hit read(const Topic& topic, std::set<std::size_t> places) {
    hit_ = {};
    hit_.on.resize(book_.gpus().size());
    hit_.places = std::move(places);
    hit_.absent = topic.absent;
    if (!topic.note.empty()) hit_.caveats.push_back(topic.note);
    for (const Answer& answer : topic.says) add(answer);
    for (const Quantity* quantity : topic.quantities) add_quantity(*quantity);
    for (std::size_t gpu = 0; gpu < book_.gpus().size(); ++gpu)
      for (const Selector& rows : topic.rows) add_rows(gpu, rows);
    if (!topic.command.empty()) hit_.command = topic.command;
    return std::move(hit_);
  }

 private:
  void add(const Answer& answer) {
    if (answer.from.kind == Selector::Kind::Device) return add_stated(answer.label, answer.from);
    if (!book_.has(answer.from.probe)) return;
    const std::vector<ProbePlace>& places = book_.places(answer.from.probe);
    const bool fixed_rows = answer.from.kind != Selector::Kind::Cases;
    const Binding bound =
        fixed_rows ? Binding{answer, {}, {}} : bound_answer(answer, places, question_, hit_.places, known_);
    hit_.places.insert(bound.places.begin(), bound.places.end());
    for (const std::string& each : bound.no_rows) index_or_add(hit_.no_rows, each);
    hit_.chosen = hit_.chosen || !fixed_rows;
    for (std::size_t gpu = 0; gpu < places.size(); ++gpu) {
      if (places[gpu].probe == nullptr || answered_.contains(gpu)) continue;
      for (const Headline& found : numbers_of(*places[gpu].record, *places[gpu].probe, bound.answer))
        hit_.on[gpu].push_back(number_of(gpu, places[gpu], found, answer.from.probe));
    }
    hit_.command = command_of(bound.answer);
  }

  AskedNumber number_of(std::size_t gpu, const ProbePlace& place, const Headline& found, const std::string& probe) {
    AskedNumber number{found.name, found.value, unit_text(found), found.row, found.of, found.number, {}};
    const Row* row = found.row.empty() ? nullptr : find_by(place.record->rows, found.row, &Row::id);
    if (row != nullptr) {
      number.label = label_of(found.name, *row);
      const std::string all = found.all_sms.empty() ? teraflops(found, *row, place.record->device) : found.all_sms;
      if (!all.empty()) number.value += " (" + all + ")";
      for (const Estimate& estimate : row->estimates)
        if (estimate.name == found.of) beware(gpu, estimate);
    }
    number.link = row != nullptr ? book_.case_link(gpu, *row) : book_.probe_link(gpu, probe);
    penalize(number.unit);
    return number;
  }

  /// What the row says of its number, and whether another process may find another.
  void beware(std::size_t gpu, const Estimate& estimate) {
    if (!estimate.note.empty()) index_or_add(hit_.caveats, estimate.note);
    if (estimate.varies)
      index_or_add(hit_.caveats,
                   fmt::format("{}: may differ in another process, {}", book_.labels()[gpu], estimate.varies->words()));
  }

  void penalize(const std::string& unit) {
    const bool time = unit.starts_with("cycles"), rate = unit.contains("/clk");
    if ((question_.rate && !question_.time && time) || (question_.time && !question_.rate && rate)) hit_.penalty = 1;
  }

  /// Of each GPU at the first of its places that its records have.
  void add_quantity(const Quantity& quantity) {
    std::vector<std::size_t> before;
    for (const auto& numbers : hit_.on) before.push_back(numbers.size());
    for (const Selector& place : quantity.from) {
      if (answered_.size() < hit_.on.size()) add(Answer{quantity.says, place, {}, {}, {}});
      for (std::size_t gpu = 0; gpu < hit_.on.size(); ++gpu)
        if (hit_.on[gpu].size() > before[gpu]) answered_.insert(gpu);
    }
    answered_.clear();
  }

  void add_stated(const std::string& label, const Selector& place) {
    for (std::size_t gpu = 0; gpu < book_.gpus().size(); ++gpu) {
      const auto& results = book_.gpus()[gpu].results;
      const auto found = results.empty() ? std::nullopt : find_at(*results.begin()->second, place);
      if (found) hit_.on[gpu].push_back({label, value_text(*found), {}, {}, {}, found->value, {}});
      if (found) index_or_add(hit_.caveats, found->from);
    }
  }

  void add_rows(std::size_t gpu, const Selector& rows) {
    const ReportedGpu& of = book_.gpus()[gpu];
    const auto add_all = [&](const std::string& command, std::vector<AskedNumber> numbers) {
      std::ranges::move(numbers, std::back_inserter(hit_.on[gpu]));
      if (hit_.command.empty()) hit_.command = command;
    };
    if (rows.kind == Selector::Kind::Instruction && of.table != nullptr)
      for (const Row& row : of.table->rows)
        if (fits_name(row.id, rows.probe))
          add_all("warpclock cycles " + row.id.substr(row.id.find('/') + 1), instruction_numbers(of, row, question_));
    if (rows.kind == Selector::Kind::Form && of.machine != nullptr)
      for (const Row& row : rows_of(*of.machine, RowKind::Form))
        if (fits_name(row.id, rows.probe))
          add_all(fmt::format("warpclock cycles --sass '{}'", row.machine.text), form_numbers(of, row, question_));
    if (rows.kind == Selector::Kind::Kernel) add_kernel(gpu, rows);
  }

  void add_kernel(std::size_t gpu, const Selector& rows) {
    const ReportedGpu& of = book_.gpus()[gpu];
    for (const auto& [folder, table] : of.kernels) {
      const auto row = std::ranges::find_if(table->rows, [&](const Row& one) {
        return published(one, "cycles") != nullptr && means(rows, one, table->device);
      });
      if (row == table->rows.end()) continue;
      const double cycles = published(*row, "cycles")->value;
      hit_.on[gpu].push_back({row->id, fixed(cycles, 0), "cycles", row->id, "cycles", cycles,
                              percent_encoded(of.folder) + "/" + ReportedGpu::page_of(folder, "cases.html")});
      index_or_add(hit_.caveats, row->kernel.says);
      if (hit_.command.empty())
        hit_.command = fmt::format("warpclock check configs/cases.yaml {} --gpu h200", row->probe);
      return;
    }
  }

  /// "warpclock show 'synchronization/bar[op=sync,warps=8]'"
  static std::string command_of(const Answer& answer) {
    std::vector<std::string> with;
    for (const ParameterRule& rule : answer.from.with)
      if (rule.equals) with.push_back(rule.name + "=" + to_string(*rule.equals));
    if (with.empty()) return "warpclock show " + answer.from.probe;
    return fmt::format("warpclock show '{}[{}]'", answer.from.probe, join(with, ","));
  }

  const AskedWords& question_;
  const ProbeBook& book_;
  const SearchWords& known_;
  Hit hit_;
  std::set<std::size_t> answered_;  ///< GPUs that have a number of the quantity at hand
};

}  // namespace

bool Hit::has_numbers() const {
  return std::ranges::any_of(on, [](const auto& numbers) { return !numbers.empty(); });
}

double Hit::score(const AskedWords& question) const {
  constexpr double of_other_words = 0.25, of_each = 0.01;  // of equal ones that with more words, fillers too
  const double own = question.weight(places);
  return own - penalty - of_other_words * (question.weight() - own) + of_each * static_cast<double>(places.size());
}

std::vector<Hit> topic_hits(const AskedWords& question, const ProbeBook& book, const SearchWords& known) {
  std::vector<Hit> hits;
  TopicReader reader(question, book, known);
  for (const Topic& topic : known.topics) {
    std::set<std::size_t> places;
    for (const std::string& phrase : topic.words) places.merge(places_of(phrase, question, known));
    if (places.empty()) continue;
    Hit hit = reader.read(topic, std::move(places));
    if (hit.has_numbers() || !hit.absent.empty()) hits.push_back(std::move(hit));
  }
  return hits;
}

std::vector<Hit> topics_alone(const ProbeBook& book, const SearchWords& known) {
  const AskedWords nothing;
  TopicReader reader(nothing, book, known);
  return mapped(known.topics, [&](const Topic& topic) { return reader.read(topic, {}); });
}

std::vector<Hit> probe_hits(const AskedWords& question, const ProbeBook& book, const SearchWords& known) {
  std::vector<Hit> hits;
  for (const std::string& probe : book.names()) {
    std::set<std::size_t> places;
    const auto& all = book.places(probe);
    const auto first = std::ranges::find_if(all, [](const ProbePlace& place) { return place.probe != nullptr; });
    const AskedWords words = asked_words(replace_all(probe, "_", " ") + " " + first->probe->probe.asks, known);
    for (const AskedWord& word : words.words) places.merge(places_of(word.given, question, known));
    if (question.weight(places) == 0) continue;
    Hit hit;
    hit.on.resize(all.size());
    hit.places = std::move(places);
    hit.by_text = true;
    hit.command = "warpclock show " + probe;
    hit.caveats = {first->probe->probe.asks};
    for (std::size_t gpu = 0; gpu < all.size(); ++gpu) {
      if (all[gpu].probe == nullptr) continue;
      const std::vector<Headline>& found = all[gpu].probe->probe.answers;
      if (found.empty()) continue;
      const Headline& one = found.front();
      hit.on[gpu].push_back({probe + ", " + one.name, one.value, unit_text(one), one.row, one.of, one.number,
                             book.probe_link(gpu, probe)});
    }
    if (hit.has_numbers()) hits.push_back(std::move(hit));
  }
  return hits;
}

}  // namespace warpclock
