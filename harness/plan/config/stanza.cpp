#include "plan/config/stanza.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/lookup.hpp"
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

namespace {

/// Reads one entry of a family's `probes:`. Errors go to the node's document.
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

constexpr std::int64_t most_bytes = std::int64_t{1} << 36;

bool has_stride(const std::string& fill) { return fill == "pointers" || fill == "chase" || fill == "indices"; }

std::vector<Product> read_extents(const Node& node, const Scope& scope, Range range) {
  constexpr std::size_t most_dimensions = 5;  // PTX ISA, "Tensor Dimension, size and format"
  auto extents = mapped(node.items(), [&](const Node& item) { return read_product(item, scope, range); });
  if (extents.size() > most_dimensions) node.reject("a tensor has at most five dimensions");
  return extents;
}

std::vector<std::int64_t> read_corner(const Node& node) {
  constexpr std::int64_t farthest = 128;  // the widest range, that of a tensor with one spatial dimension
  return mapped(node.items(), [&](const Node& item) { return item.integer(-farthest, farthest - 1); });
}

void read_im2col(const Node& node, const Scope& scope, TensorSpec& tensor) {
  constexpr std::size_t others = 2;  // the dimensions that are not spatial: channels and images
  const Fields fields = node.fields({"lower", "upper", "channels", "pixels"});
  tensor.lower = read_corner(fields.get("lower"));
  tensor.upper = read_corner(fields.get("upper"));
  tensor.channels = read_product(fields.get("channels"), scope, {1, 256});
  tensor.pixels = read_product(fields.get("pixels"), scope, {1, 1024});
  if (node.failed()) return;
  if (tensor.lower.size() + others != tensor.dims.size() || tensor.upper.size() != tensor.lower.size()) {
    node.reject("the corners have a coordinate for each dimension but the innermost and the outermost");
  }
}

TensorSpec read_tensor(const Node& node, const Scope& scope) {
  const TensorWords& words = tensor_words();
  TensorSpec tensor;
  const Fields fields = node.fields({"type", "dims", "box", "swizzle", "interleave", "promotion", "oob", "im2col"});
  tensor.type = read_word(fields.get("type"), scope, words.type);
  tensor.dims = read_extents(fields.get("dims"), scope, {1, std::int64_t{1} << 32});
  if (const auto at = fields.find("swizzle")) tensor.swizzle = read_word(*at, scope, words.swizzle);
  if (const auto at = fields.find("interleave")) tensor.interleave = read_word(*at, scope, words.interleave);
  if (const auto at = fields.find("promotion")) tensor.promotion = read_word(*at, scope, words.promotion);
  if (const auto at = fields.find("oob")) tensor.oob = read_word(*at, scope, words.oob);
  if (const auto at = fields.find("im2col")) {
    if (const auto box = fields.find("box")) box->reject("a map has either a box or im2col");
    read_im2col(*at, scope, tensor);
    return tensor;
  }
  const Node box = fields.get("box");
  tensor.box = read_extents(box, scope, {1, 256});
  if (!node.failed() && tensor.box.size() != tensor.dims.size())
    box.reject("a box has as many dimensions as its tensor");
  return tensor;
}

}  // namespace

const std::vector<std::string>& memory_names() {
  static const std::vector<std::string> names = {"self", "peer"};
  return names;
}

const std::vector<std::string>& texel_names() {
  static const std::vector<std::string> names = {"u32", "f32", "u32x4"};
  return names;
}

const std::vector<std::string>& fill_names() {
  static const std::vector<std::string> names = {"zeros", "bits", "unit", "lanes", "pointers", "chase", "indices"};
  return names;
}

const std::vector<std::string>& places_names() {
  static const std::vector<std::string> names = {"none", "clocks", "written"};
  return names;
}

const std::vector<std::string>& launch_by_names() {
  static const std::vector<std::string> names = {"stream", "graph", "cooperative", "dependent"};
  return names;
}

LaunchSpec read_launch(const Node& node, const Scope& scope) {
  constexpr std::int64_t most_blocks = INT32_MAX;
  constexpr std::int64_t most_warps = 32;
  constexpr std::int64_t most_cluster = 16;
  constexpr std::int64_t most_shared = 1 << 20;
  constexpr std::int64_t most_launches = 1000;
  LaunchSpec launch;
  const Fields fields = node.fields({"blocks", "warps", "cluster", "shared_bytes", "carveout", "persisting",
                                     "hit_ratio", "warmups", "launches", "by"});
  if (const auto at = fields.find("blocks")) launch.blocks = read_product(*at, scope, {1, most_blocks}, Extra::Sms);
  if (const auto at = fields.find("warps")) launch.warps = read_product(*at, scope, {1, most_warps});
  if (const auto at = fields.find("cluster")) launch.cluster = read_product(*at, scope, {1, most_cluster});
  if (const auto at = fields.find("shared_bytes")) launch.shared_bytes = read_product(*at, scope, {0, most_shared});
  if (const auto at = fields.find("carveout")) launch.carveout = read_product(*at, scope, {0, 100});
  if (const auto at = fields.find("persisting")) launch.persisting = read_product(*at, scope, {1, most_bytes});
  if (const auto at = fields.find("hit_ratio")) {
    launch.hit_ratio = read_product(*at, scope, {0, 100});
    if (launch.persisting.factors.empty()) at->reject("goes with 'persisting' only");
  }
  if (const auto at = fields.find("warmups")) launch.warmups = static_cast<int>(at->integer(0, most_launches));
  if (const auto at = fields.find("launches")) launch.launches = static_cast<int>(at->integer(1, most_launches));
  if (const auto at = fields.find("by")) launch.by = read_word(*at, scope, launch_by_names());
  return launch;
}

DataSpec read_data(const Node& node, const Scope& scope) {
  DataSpec data;
  const Fields fields = node.fields({"bytes", "fill", "stride", "cold", "memory", "tensor", "texture"});
  if (const auto at = fields.find("bytes")) data.bytes = read_product(*at, scope, {4, most_bytes});
  if (const auto at = fields.find("fill")) data.fill = read_word(*at, scope, fill_names());
  if (const auto at = fields.find("stride")) {
    data.stride = read_product(*at, scope, {data.fill == "indices" ? 4 : 8, most_bytes});
    if (!has_stride(data.fill))
      at->reject("a stride goes with 'fill: pointers', 'fill: chase' and 'fill: indices' only");
  } else if (has_stride(data.fill) && !node.failed()) {
    node.reject("a chain of places needs a stride");
  }
  if (const auto at = fields.find("cold")) data.cold = at->boolean();
  if (const auto at = fields.find("memory")) data.memory = read_word(*at, scope, memory_names());
  if (const auto at = fields.find("tensor")) data.tensor = read_tensor(*at, scope);
  if (const auto at = fields.find("texture")) data.texel = read_word(*at, scope, texel_names());
  return data;
}

namespace {

/// Every parameter becomes a macro of its name in upper case, so it must not be a name of the probe contract or a
/// factor with a meaning of its own.
constexpr std::array<std::string_view, 6> taken = {"n", "sms", "kernel", "probe", "passes", "unroll"};

void check_parameter(const std::string& name, const Node& node) {
  if (!is_name(name)) {
    node.reject(
        "a parameter's name has at most 64 lower-case letters, digits and underscores, and starts with a letter");
  } else if (std::ranges::find(taken, name) != taken.end()) {
    node.reject(fmt::format("'{}' has a meaning of its own and cannot name a parameter", name));
  }
}

Parameters read_point(const Node& node, const std::vector<Parameters>& before) {
  Parameters point;
  for (const auto& [name, entry] : node.entries()) {
    check_parameter(name, entry);
    if (entry.kind() != Node::Kind::Scalar) entry.reject("a point has one value for each parameter");
    const std::vector<Value> values = entry.failed() ? std::vector<Value>{} : read_values(entry);
    if (!values.empty()) point.emplace_back(name, values.front());
    if (!before.empty() && find(before.front(), name) == nullptr) {
      entry.reject(fmt::format("the first point lacks '{}'", name));
    }
  }
  if (node.failed() || before.empty()) return point;
  for (const auto& [name, unused] : before.front()) {
    if (find(point, name) == nullptr) node.reject(fmt::format("this point lacks '{}', which the first has", name));
  }
  for (const Parameters& other : before) {
    const bool same = std::ranges::all_of(
        point, [&](const auto& entry) { return to_string(*find(other, entry.first)) == to_string(entry.second); });
    if (same) node.reject("this point is given twice");
  }
  return point;
}

}  // namespace

Sweep read_sweep(const Node& node) {
  Sweep sweep;
  std::optional<Node> where, except;
  for (const auto& [key, entry] : node.entries()) {
    if (key == "points") {
      for (const Node& item : entry.items()) {
        Parameters point = read_point(item, sweep.points);
        if (node.failed()) return sweep;
        sweep.points.push_back(std::move(point));
        if (sweep.points.size() > max_points) entry.reject(fmt::format("more than {} points", max_points));
      }
    } else if (key == "where") {
      where = entry;
    } else if (key == "except") {
      except = entry;
    } else {
      check_parameter(key, entry);
      sweep.axes.push_back({key, read_values(entry)});
    }
  }
  if (node.failed()) return sweep;

  // The clauses are checked against the whole product, so it must be complete first.
  const Expected<std::vector<Parameters>> whole = expand(sweep);
  if (!whole) {
    node.reject(whole.error().text);
    return sweep;
  }
  const Scope scope{columns(sweep), *whole, {}};
  if (where) sweep.where = read_clauses(*where, scope);
  if (except) sweep.except = read_clauses(*except, scope);
  return sweep;
}

namespace {

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return path.substr(slash == std::string_view::npos ? 0 : slash + 1);
}

bool is_metrics_file(std::string_view path) { return file_name(path) == "counters.yaml"; }

/// Files below instructions/ belong to the PTX catalogue (ptx/catalogue/catalogue.hpp), model.yaml to the machine model
/// (model/model_config.hpp), and cases.yaml to `warpclock check` (check/study.hpp).
bool is_read_elsewhere(std::string_view path) {
  return path.contains("instructions/") || file_name(path) == "model.yaml" || file_name(path) == "cases.yaml";
}

Expected<std::vector<Metric>> load_metrics(const std::string& path, const std::string& text) {
  const auto document = WARPCLOCK_TRY(Document::parse(path, text));
  std::vector<Metric> metrics = read_metrics(document.root());
  if (const std::optional<Error>& error = document.error()) return std::unexpected(*error);
  return metrics;
}

/// Appends the family's probes.
Expected<void> load_family(const std::string& path, const std::string& text, Suite& suite,
                           std::map<std::string, std::string>& places) {
  const auto document = WARPCLOCK_TRY(Document::parse(path, text));
  const Fields fields = document.root().fields({"family", "probes"});
  const std::string family = read_name(fields.get("family"));
  for (const Node& item : fields.get("probes").items()) {
    if (document.error()) break;
    Probe probe = read_probe(item.rebased(), family, suite.metrics);
    const auto [first, fresh] = places.emplace(family + "/" + probe.name, probe.place);
    if (!fresh)
      item.rebased().reject(fmt::format("probe '{}' is given twice (first at {})", first->first, first->second));
    suite.probes.push_back(std::move(probe));
  }
  if (const std::optional<Error>& error = document.error()) return std::unexpected(*error);
  return {};
}

}  // namespace

Expected<Suite> load_suite(const std::map<std::string, std::string>& configs) {
  Suite suite;
  // Probes name metrics, so the metrics are read first, whatever the order of the paths.
  std::map<std::string, std::string> metric_places;
  for (const auto& [path, text] : configs) {
    if (!is_metrics_file(path) || is_read_elsewhere(path)) continue;
    auto metrics = WARPCLOCK_TRY(load_metrics(path, text));
    for (Metric& metric : metrics) {
      const auto [first, fresh] = metric_places.emplace(metric.name, metric.place);
      if (!fresh) {
        return fail("config", fmt::format("metric '{}' is given twice (first at {})", metric.name, first->second),
                    metric.place);
      }
      suite.metrics.push_back(std::move(metric));
    }
  }
  std::map<std::string, std::string> probe_places;
  for (const auto& [path, text] : configs) {
    if (is_metrics_file(path) || is_read_elsewhere(path)) continue;
    WARPCLOCK_TRY(load_family(path, text, suite, probe_places));
  }
  return suite;
}

}  // namespace warpclock
