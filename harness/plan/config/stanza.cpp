#include "plan/config/stanza.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "plan/sweep.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t most_repeats = 1 << 20;

std::string read_kernel(const Node& node) {
  std::string path = node.text();
  const bool plain = std::ranges::all_of(path, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '/' ||
           c == '.' || c == '-';
  });
  if (!plain || !path.ends_with(".cu") || path.starts_with('/') || path.contains("..")) {
    node.reject("a kernel is a path below probes/ that ends in .cu");
  }
  return path;
}

std::vector<std::string> read_suites(const Node& node) {
  std::vector<std::string> suites;
  for (const Node& item : node.items()) {
    std::string suite = item.word(suite_names());
    if (std::ranges::find(suites, suite) != suites.end()) item.reject(fmt::format("'{}' is given twice", suite));
    suites.push_back(std::move(suite));
  }
  return suites;
}

std::vector<std::int64_t> read_repeat(const Node& node) {
  std::vector<std::int64_t> repeat;
  for (const Node& item : node.items()) {
    const std::int64_t n = item.integer(1, most_repeats);
    if (!item.failed() && !repeat.empty() && n <= repeat.back()) {
      item.reject(fmt::format("{} does not ascend from {}", n, repeat.back()));
    }
    repeat.push_back(n);
  }
  return repeat;
}

void read_along(const Node& node, Probe& probe) {
  const auto entries = node.entries();
  if (entries.size() != 1)
    node.reject("a case runs along one axis: {footprint: {from: 1 KiB, to: 64 MiB, per_octave: 4}}");
  if (node.failed()) return;
  const auto& [name, values] = entries.front();
  Sweep alone = read_sweep(node);
  if (node.failed()) return;
  if (alone.axes.size() != 1) node.reject(fmt::format("'{}' cannot name the axis", name));
  for (const Value& value : alone.axes.empty() ? std::vector<Value>{} : alone.axes.front().values) {
    if (!std::holds_alternative<std::int64_t>(value)) values.reject("the values along an axis are numbers");
  }
  if (node.failed()) return;
  probe.along = name;
  probe.sweep.axes.push_back(std::move(alone.axes.front()));
}

Needs needs_in(const Fields& fields, const Node& node, Why why) {
  Needs needs;
  if (const auto min = fields.find("min")) {
    const Expected<Arch> arch = parse_arch(min->text());
    if (!arch) {
      min->reject(arch.error().text);
    } else if (arch->specific) {
      min->reject(fmt::format("what {} has need not be in later architectures (use only)", to_string(*arch)));
    } else {
      needs.min_sm = arch->sm;
    }
  }
  if (const auto only = fields.find("only")) {
    for (const Node& item : only->items()) {
      const Expected<Arch> arch = parse_arch(item.text());
      if (!arch) {
        item.reject(arch.error().text);
      } else if (arch->sm < needs.min_sm) {
        item.reject(fmt::format("{} is older than min", to_string(*arch)));
      } else {
        needs.only.push_back(*arch);
      }
    }
  }
  if (!fields.has("min") && !fields.has("only")) node.reject("missing key 'min' or 'only'");
  if (why == Why::Required || fields.has("why")) needs.why = fields.get("why").text();
  return needs;
}

/// One for all points, or a list of one for all and others for some. Those are read when the points are known.
class ProbeNeeds {
 public:
  explicit ProbeNeeds(const Node& node) : items_(node.items_or_self()) {
    const bool list = node.kind() == Node::Kind::Sequence;
    for (const Node& item : items_)
      fields_.push_back(item.fields(list ? Keys{"min", "only", "why", "when"} : Keys{"min", "only", "why"}));
  }

  [[nodiscard]] Needs of_all() const {
    Needs needs;
    std::size_t found = 0;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (fields_[i].has("when")) continue;
      if (found++ > 0) items_[i].reject("only one entry of 'needs' may have no 'when'");
      needs = needs_in(fields_[i], items_[i], Why::Required);
    }
    return needs;
  }

  [[nodiscard]] std::vector<NeedsWhen> of_some(const Scope& scope) const {
    std::vector<NeedsWhen> some;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (const auto when = fields_[i].find("when"))
        some.push_back({read_clauses(*when, scope), needs_in(fields_[i], items_[i], Why::Required)});
    }
    return some;
  }

 private:
  using Keys = std::vector<std::string>;

  std::vector<Node> items_;
  std::vector<Fields> fields_;
};

}  // namespace

Needs read_needs(const Node& node, Why why) { return needs_in(node.fields({"min", "only", "why"}), node, why); }

Probe read_probe(const Node& node, const std::string& family, const std::vector<Metric>& metrics) {
  Probe probe;
  probe.family = family;
  probe.place = node.place();
  const Fields fields =
      node.fields({"name",     "asks",   "kernel", "suites",   "needs",  "sweep",    "along",       "repeat",
                   "launch",   "data",   "window", "measures", "facts",  "counters", "counters_of", "counted_blocks",
                   "premises", "places", "chart",  "finds",    "varies", "alone"});
  probe.name = read_name(fields.get("name"));
  probe.asks = fields.get("asks").text();
  const auto kernel = fields.find("kernel");
  probe.kernel = kernel ? read_kernel(*kernel) : fmt::format("{}/{}.cu", family, probe.name);
  const auto suites = fields.find("suites");
  probe.suites = suites ? read_suites(*suites) : std::vector<std::string>{"full"};
  if (const auto at = fields.find("varies")) probe.varies = at->text();
  if (const auto at = fields.find("alone")) probe.alone = at->text();
  std::optional<ProbeNeeds> needs;
  if (const auto at = fields.find("needs")) needs.emplace(*at);
  if (needs) probe.needs = needs->of_all();
  if (const auto at = fields.find("sweep")) probe.sweep = read_sweep(*at);
  if (const auto at = fields.find("along")) read_along(*at, probe);
  const auto repeat = fields.find("repeat");
  probe.repeat = repeat ? read_repeat(*repeat) : std::vector<std::int64_t>{1};
  if (node.failed()) return probe;

  const Expected<std::vector<Parameters>> points = expand(probe.sweep);
  if (!points) {
    fields.find("sweep").value_or(node).reject(points.error().text);
    return probe;
  }
  const Scope scope{columns(probe.sweep), *points, probe.repeat};
  if (needs) probe.needs_when = needs->of_some(scope);
  if (const auto at = fields.find("launch")) probe.launch = read_launch(*at, scope);
  if (const auto at = fields.find("data")) probe.data = read_data(*at, scope);
  if (probe.data.cold && probe.launch.by != "stream") {
    fields.get("launch").reject("cold data is swept between launches of a stream: 'by' must be 'stream'");
  }
  probe.windows = read_windows(fields.get("window"), probe.needs, scope);
  read_reporting(fields, scope, metrics, probe);
  return probe;
}

}  // namespace warpclock
