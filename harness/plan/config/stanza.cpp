#include "plan/config/stanza.hpp"

#include <fmt/format.h>

#include <algorithm>
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

const Json kernel_schema = {{"type", "string"}, {"pattern", "^(?!/)(?!.*\\.\\.)[A-Za-z0-9_./-]*\\.cu$"}};

auto repeat_counts() {
  return yaml::checked(yaml::list_of(yaml::Whole{1, most_repeats}).once(), [](const Node& node,
                                                                              const std::vector<std::int64_t>& counts) {
    for (std::size_t i = 1; i < counts.size(); ++i)
      if (counts[i] <= counts[i - 1])
        node.items()[i].reject(fmt::format("{} does not ascend from {}", counts[i], counts[i - 1]));
  });
}

Axis read_along(const Node& node) {
  const auto entries = node.entries();
  if (entries.size() != 1)
    node.reject("a case runs along one axis: {footprint: {from: 1 KiB, to: 64 MiB, per_octave: 4}}");
  if (node.failed()) return {};
  const auto& [name, values] = entries.front();
  Sweep alone;
  YamlArchive::read(node, alone);
  if (node.failed()) return {};
  if (alone.axes.size() != 1) {
    node.reject(fmt::format("'{}' cannot name the axis", name));
    return {};
  }
  for (const Value& value : alone.axes.front().values) {
    if (!std::holds_alternative<std::int64_t>(value)) values.reject("the values along an axis are numbers");
  }
  return std::move(alone.axes.front());
}

auto first_arch() {
  return yaml::custom(
      [](const Node& node) {
        const Arch arch = read_arch(node);
        if (arch.specific || arch.family)
          node.reject(fmt::format("what {} has need not be in later architectures (use only)", to_string(arch)));
        return arch.sm;
      },
      Json{{"type", "string"}, {"pattern", "^sm_([7-9][0-9]|[1-9][0-9][0-9])$"}});
}

/// What a skipped row says in `why`: stmatrix is sm_90 and later.
void describe_needs(YamlArchive& a, Needs& v, Why why) {
  int least = 0;
  a.optional("min", least, first_arch(), "The first architecture that has it; all later ones do.");
  a.optional("only", v.only, yaml::list_of(yaml::arch(least)),
             "The only architectures that have it. sm_90 means sm_90a too, and not the other way round.");
  if (least > 0) v.min_sm = least;
  a.any_of({"min", "only"});
  const char* says = "What a skipped row says: stmatrix is sm_90 and later.";
  why == Why::Required ? a.required("why", v.why, says) : a.optional("why", v.why, says);
}

}  // namespace

void describe(YamlArchive& a, Needs& v, Why why) {
  a.named(why == Why::Required ? "needs" : "",
          "Architectures that have what the probe asks about; on others its cases are skipped.");
  describe_needs(a, v, why);
}

void describe(YamlArchive& a, NeedsWhen& v, const Scope& scope) {
  a.named("needs_when", "The same of some points, or of all; at most one is of all.");
  a.optional("when", v.when, yaml::clauses(scope), "The points that this is for; without it, all.");
  describe_needs(a, v.needs, Why::Required);
}

namespace {

/// One for all points, or a list of one for all and others for some, which is the first of the pair.
auto needs_of_probe(const Scope& scope) {
  return yaml::custom(
      [&scope](const Node& node) -> std::vector<NeedsWhen> {
        std::vector<NeedsWhen> all(1);
        if (node.kind() != Node::Kind::Sequence) {
          YamlArchive::read(node, all.front().needs, Why::Required);
          return all;
        }
        bool found = false;
        for (const Node& item : node.items()) {
          NeedsWhen one;
          YamlArchive::read(item, one, scope);
          if (!one.when.empty()) {
            all.push_back(std::move(one));
          } else if (std::exchange(found, true)) {
            item.reject("only one entry of 'needs' may have no 'when'");
          } else {
            all.front() = std::move(one);
          }
        }
        return all;
      },
      [&scope](YamlSchema& all) -> Json {
        const Json list = yaml::list_of(yaml::with(scope)).schema(all, std::vector<NeedsWhen>());
        return {{"oneOf", {all.of<Needs>(Why::Required), list}}};
      });
}

/// What a probe is, and its cases.
void describe_cases(YamlArchive& a, Probe& v, const std::string& family) {
  v.place = a.place();
  v.family = family;
  a.required("name", v.name, yaml::name(), "With the family, the probe's name everywhere: shuffle/latency.");
  a.required("asks", v.asks, "The question, one sentence.");
  if (a.reading()) v.kernel = fmt::format("{}/{}.cu", family, v.name), v.suites = {"full"}, v.repeat = {1};
  a.optional("kernel", v.kernel, yaml::custom(read_kernel, kernel_schema),
             "Path below probes/, <family>/<name>.cu by default.");
  a.optional("suites", v.suites, yaml::list_of(yaml::OneOfWords{suite_names()}).once(),
             "The runs that it takes part in, [full] by default.");
  a.optional("sweep", v.sweep);
  std::optional<Axis> along;
  a.optional(
      "along", along, yaml::custom(read_along, "along"),
      "One more axis, of numbers, that is not compiled in: all its cases are one kernel, which gets the value as "
      "args.at, and together they are a curve.");
  if (a.reading() && along) v.along = along->name, v.sweep.axes.push_back(*along);
  a.optional("repeat", v.repeat, repeat_counts(),
             "Values of the repeat count N, ascending, [1] by default; a slope or a rate needs three.");
}

}  // namespace

void describe(YamlArchive& a, Probe& v, const std::string& family, const std::vector<Metric>& metrics,
              std::size_t& points_of_file) {
  a.named("probe", "One question asked of the hardware.");
  describe_cases(a, v, family);
  const Expected<std::vector<Parameters>> points = expand(v.sweep);
  if (!points) a.reject("sweep", points.error().text);
  const Scope scope{columns(v.sweep), points.value_or(std::vector<Parameters>()), v.repeat};
  count_points(a, scope.points.size(), points_of_file);
  std::vector<NeedsWhen> needs(1);
  a.optional("needs", needs, needs_of_probe(scope), "One, or a list of one for all points and others for some.");
  if (!needs.empty()) v.needs = needs.front().needs, v.needs_when.assign(needs.begin() + 1, needs.end());
  a.optional("launch", v.launch, yaml::with(scope));
  a.optional("data", v.data, yaml::with(scope));
  if (v.data.cold && v.launch.by != "stream")
    a.reject("launch", "cold data is swept between launches of a stream: 'by' must be 'stream'");
  a.required(
      "window", v.windows,
      yaml::checked(yaml::one_or_list(yaml::with(scope)),
                    [&](const Node& node, const auto& windows) { check_windows(node, windows, v.needs, scope); }),
      "One, or a list of which the first that matches the architecture and the point holds.");
  describe_reporting(a, v, scope, metrics);
  a.optional(
      "varies", v.varies,
      "Why its numbers come out otherwise in another process by more than their kind may, a clause: what decides "
      "them is chosen anew there, and nothing that the kernel could average over.");
  a.optional("alone", v.alone,
             "Why it is measured while no other GPU of the machine works, a clause: it disturbs them, or they disturb "
             "it.");
}

namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 36;

bool has_stride(const std::string& fill) { return fill == "pointers" || fill == "chase" || fill == "indices"; }

auto extents(const Scope& scope, Range range) {
  constexpr std::size_t most_dimensions = 5;  // PTX ISA, "Tensor Dimension, size and format"
  return yaml::list_of(yaml::product(scope, range)).at_most(most_dimensions);
}

auto corner() {
  constexpr std::int64_t farthest = 128;  // the widest range, that of a tensor with one spatial dimension
  constexpr std::size_t most_dimensions = 3;
  return yaml::list_of(yaml::Whole{-farthest, farthest - 1}).at_most(most_dimensions);
}

struct Im2col {
  std::vector<std::int64_t> lower, upper;
  Product channels, pixels;
};

}  // namespace

void describe(YamlArchive& a, Im2col& v, const Scope& scope, std::size_t dims) {
  constexpr std::size_t others = 2;  // the dimensions that are not spatial: channels and images
  a.required("lower", v.lower, corner(), "Lower corner of the bounding box, a coordinate for each spatial dimension.");
  a.required("upper", v.upper, corner(), "Its upper corner.");
  a.required("channels", v.channels, yaml::product(scope, {1, 256}), "Channels of a pixel that one copy moves.");
  a.required("pixels", v.pixels, yaml::product(scope, {1, 1024}), "Pixels that one copy moves.");
  if (a.reading() && (v.lower.size() + others != dims || v.upper.size() != v.lower.size()))
    a.reject("the corners have a coordinate for each dimension but the innermost and the outermost");
}

void describe(YamlArchive& a, TensorSpec& v, const Scope& scope) {
  const TensorWords& words = tensor_words();
  const auto word = [&](const std::vector<std::string>& allowed) { return yaml::word_or_parameter(scope, allowed); };
  a.named("tensor",
          "A dense tensor map over the buffer, which the kernel gets as args.tensor: tiled with a box, or im2col. "
          "Extents are integers or parameters, innermost first; words may be parameters.");
  a.required("type", v.type, word(words.type), join(words.type, ", ") + ".");
  a.required("dims", v.dims, extents(scope, {1, std::int64_t{1} << 32}), "Elements in each dimension.");
  a.optional("box", v.box, extents(scope, {1, 256}), "Elements that one copy moves, in each dimension.");
  a.optional("swizzle", v.swizzle, word(words.swizzle), join(words.swizzle, ", ") + ".");
  a.optional("interleave", v.interleave, word(words.interleave), join(words.interleave, ", ") + ".");
  a.optional("promotion", v.promotion, word(words.promotion), "L2 promotion: " + join(words.promotion, ", ") + ".");
  a.optional("oob", v.oob, word(words.oob), "What elements out of bounds read as: " + join(words.oob, ", ") + ".");
  Im2col im2col;
  a.optional("im2col", im2col, yaml::with(scope, v.dims.size()), "Instead of a box.");
  v.lower = im2col.lower, v.upper = im2col.upper, v.channels = im2col.channels, v.pixels = im2col.pixels;
  a.one_of({"box", "im2col"});
  if (a.has("box") && v.box.size() != v.dims.size()) a.reject("box", "a box has as many dimensions as its tensor");
}

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

void describe(YamlArchive& a, LaunchSpec& v, const Scope& scope) {
  constexpr std::int64_t most_blocks = INT32_MAX, most_warps = 32, most_cluster = 16, most_shared = 1 << 20;
  constexpr std::int64_t most_launches = 1000;
  a.named("launch", "The shape of the launch.");
  a.optional("blocks", v.blocks, yaml::product(scope, {1, most_blocks}, Extra::Sms),
             "Thread blocks, 1 by default; the factor sms is the device's SM count.");
  a.optional("warps", v.warps, yaml::product(scope, {1, most_warps}), "Warps a block, 1 by default, at most 32.");
  a.optional("cluster", v.cluster, yaml::product(scope, {1, most_cluster}),
             "Blocks a cluster, 1 by default, at most 16.");
  a.optional("shared_bytes", v.shared_bytes, yaml::product(scope, {0, most_shared}),
             "Dynamic shared memory a block, none by default.");
  a.optional(
      "carveout", v.carveout, yaml::product(scope, {0, 100}),
      "Percent of an SM's L1 that is to be shared memory (the driver takes the next larger size that the hardware "
      "has); by default the driver decides.");
  a.optional("persisting", v.persisting, yaml::product(scope, {1, most_bytes}),
             "The first so many bytes of the data get an access policy window, whose accesses persist in L2; none by "
             "default.");
  a.optional("hit_ratio", v.hit_ratio, yaml::product(scope, {0, 100}),
             "Percent of the accesses to them that persist, all by default.");
  if (a.has("hit_ratio") && v.persisting.factors.empty()) a.reject("hit_ratio", "goes with 'persisting' only");
  a.optional("warmups", v.warmups, yaml::Whole{0, most_launches},
             "Untimed passes through the window in each launch before the recorded one.");
  a.optional("launches", v.launches, yaml::Whole{1, most_launches}, "Recorded launches for each repeat count.");
  a.optional(
      "by", v.by, yaml::word_or_parameter(scope, launch_by_names()),
      "How the launches of a batch follow each other: stream; graph: nodes of one CUDA graph; cooperative: all "
      "blocks of a launch resident at once; dependent: programmatic dependent launch; or a parameter whose values "
      "are among these.");
}

void describe(YamlArchive& a, DataSpec& v, const Scope& scope) {
  a.named("data", "The global buffer that the kernel gets.");
  a.optional("bytes", v.bytes, yaml::product(scope, {4, most_bytes}), "Its size, 1 MiB by default.");
  a.optional(
      "fill", v.fill, yaml::word_or_parameter(scope, fill_names()),
      "zeros; bits: uniform random words; unit: every 16-bit half is a random f16 in [-1, 1); lanes: u32 word i "
      "holds i; pointers: a cyclic chain of 64-bit addresses, stride apart; chase: one cycle through the same "
      "addresses in random order; indices: that cycle as 32-bit indices in units of 4 bytes; or a parameter whose "
      "values are among these.");
  a.optional("stride", v.stride, yaml::product(scope, {v.fill == "indices" ? 4 : 8, most_bytes}),
             "pointers, chase, indices: the distance of neighbours in bytes.");
  if (a.has("stride") && !has_stride(v.fill))
    a.reject("stride", "a stride goes with 'fill: pointers', 'fill: chase' and 'fill: indices' only");
  if (!a.has("stride") && has_stride(v.fill)) a.reject("a chain of places needs a stride");
  a.schema(R"({"if": {"properties": {"fill": {"enum": ["pointers", "chase", "indices"]}}, "required": ["fill"]},
               "then": {"required": ["stride"]}, "else": {"properties": {"stride": false}}})");
  a.optional("cold", v.cold, "L2 is swept with another buffer before every launch.");
  a.optional("memory", v.memory, yaml::word_or_parameter(scope, memory_names()),
             "self; peer: the memory of another GPU; or a parameter whose values are among these.");
  a.optional("tensor", v.tensor, yaml::with(scope));
  a.optional(
      "texture", v.texel, yaml::word_or_parameter(scope, texel_names()),
      "The texel of a one-dimensional linear texture over the buffer, which the kernel gets as args.texture: u32, "
      "f32, u32x4; or a parameter whose values are among these.");
}

namespace {

Parameters read_point(const Node& node, const std::vector<Parameters>& before) {
  Parameters point;
  for (const auto& [name, entry] : node.entries()) {
    if (point.size() == max_parameters) node.reject(fmt::format("more than {} parameters", max_parameters));
    if (node.failed()) break;
    if (const std::string problem = problem_of_parameter(name); !problem.empty()) entry.reject(problem);
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
  return point;
}

std::vector<Parameters> read_points(const Node& node) {
  std::vector<Parameters> points;
  std::set<std::map<std::string, std::string>> seen;
  for (const Node& item : node.items()) {
    if (node.failed()) break;
    points.push_back(read_point(item, points));
    std::map<std::string, std::string> values;
    for (const auto& [name, value] : points.back()) values.emplace(name, to_string(value));
    if (!seen.insert(std::move(values)).second) item.reject("this point is given twice");
    if (points.size() > max_points) node.reject(fmt::format("more than {} points", max_points));
  }
  return points;
}

}  // namespace

void describe(YamlArchive& a, Sweep& v) {
  a.named(
      "sweep",
      "The cases of the probe: explicit points (slowest) times axes (the first slowest), less what where and except "
      "drop. Every key but points, where and except is an axis.");
  a.not_empty();
  a.optional("points", v.points, yaml::custom(read_points, "points"), "Rows of several parameters.");
  a.others(v.axes, yaml::custom(read_values, "values"), "parameter");
  for (const Axis& axis : v.axes)
    if (const std::string problem = problem_of_parameter(axis.name); !problem.empty()) a.reject(axis.name, problem);
  // The clauses are checked against the whole product, so it must be complete first.
  const Expected<std::vector<Parameters>> whole = expand(v);
  if (!whole) a.reject(whole.error().text);
  const Scope scope{columns(v), whole.value_or(std::vector<Parameters>()), {}};
  a.optional("where", v.where, yaml::clauses(scope), "Only points that match any of these stay.");
  a.optional("except", v.except, yaml::clauses(scope), "Points that match any of these go.");
}

void count_points(const YamlArchive& a, std::size_t points, std::size_t& of_file) {
  if (a.reading()) of_file += points;
  if (of_file > max_file_points)
    a.reject("sweep", fmt::format("the sweeps of the file have more than {} points", max_file_points));
}

void describe(YamlArchive& a, FamilyFile& v, const std::vector<Metric>& metrics) {
  a.named("family_file", "A family of probes.");
  a.required("family", v.family, yaml::name(), "The folder below probes/ that its kernels are in.");
  std::size_t points = 0;
  a.required("probes", v.probes, yaml::list_of(yaml::with(v.family, metrics, points)).roots());
}

namespace {

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return path.substr(slash == std::string_view::npos ? 0 : slash + 1);
}

bool is_metrics_file(std::string_view path) { return file_name(path) == "counters.yaml"; }

/// Files below instructions/ belong to the PTX catalogue (ptx/catalogue/catalogue.hpp), model.yaml to the machine model
/// (model/machine.hpp), and cases.yaml to `warpclock check` (check/study.hpp).
bool is_read_elsewhere(std::string_view path) {
  return path.contains("instructions/") || file_name(path) == "model.yaml" || file_name(path) == "cases.yaml";
}

}  // namespace

Expected<Suite> load_suite(const std::map<std::string, std::string>& configs) {
  Suite suite;
  // Probes name metrics, so the metrics are read first, whatever the order of the paths.
  std::map<std::string, std::string> metric_places, probe_places;
  const auto once = [](std::map<std::string, std::string>& places, const char* what, const std::string& name,
                       const std::string& place) -> Expected<void> {
    const auto [first, fresh] = places.emplace(name, place);
    if (fresh) return {};
    return fail("config", fmt::format("{} '{}' is given twice (first at {})", what, name, first->second), place);
  };
  for (const auto& [path, text] : configs) {
    if (!is_metrics_file(path) || is_read_elsewhere(path)) continue;
    auto file = WARPCLOCK_TRY(read_yaml<MetricsFile>(path, text));
    for (Metric& metric : file.metrics) {
      WARPCLOCK_TRY(once(metric_places, "metric", metric.name, metric.place));
      suite.metrics.push_back(std::move(metric));
    }
  }
  for (const auto& [path, text] : configs) {
    if (is_metrics_file(path) || is_read_elsewhere(path)) continue;
    auto file = WARPCLOCK_TRY(read_yaml<FamilyFile>(path, text, yaml::with(suite.metrics)));
    for (Probe& probe : file.probes) {
      WARPCLOCK_TRY(once(probe_places, "probe", probe.family + "/" + probe.name, probe.place));
      suite.probes.push_back(std::move(probe));
    }
  }
  return suite;
}

}  // namespace warpclock
