#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "check/study.hpp"
#include "plan/config/scope.hpp"
#include "plan/config/stanza.hpp"
#include "plan/config/yaml.hpp"
#include "plan/sweep.hpp"
#include "predict/predict.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 40;
constexpr std::array<const char*, 3> dimensions = {"x", "y", "z"};

const std::vector<std::string> level_words = {"L1", "L2", "DRAM"};

/// A product for x alone, or {x: …, y: …, z: …}. The limits are those of CUDA for each dimension.
std::array<Product, 3> read_extents_of(const Node& node, const Scope& scope, const std::array<Range, 3>& ranges) {
  std::array<Product, 3> extents;
  if (node.kind() != Node::Kind::Map) {
    extents[0] = read_product(node, scope, ranges[0], Extra::Sms);
    return extents;
  }
  const Fields fields = node.fields({"x", "y", "z"});
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (const auto at = fields.find(dimensions[i])) extents[i] = read_product(*at, scope, ranges[i], Extra::Sms);
  }
  return extents;
}

/// "{buffer: f32, count: [size, size], fill: random}"
ArgumentSpec read_buffer(const Fields& fields, const Scope& scope) {
  ArgumentSpec argument;
  argument.buffer = true;
  const std::string type = fields.get("buffer").word(call_type_names());
  argument.type = static_cast<CallType>(std::ranges::find(call_type_names(), type) - call_type_names().begin());
  if (fields.node().failed()) return argument;
  argument.number = read_product(fields.get("count"), scope, {1, most_bytes / bytes_of(argument.type)}, Extra::Sms);
  if (const auto at = fields.find("fill")) argument.fill = read_word(*at, scope, call_fill_names());
  return argument;
}

/// "{f32: 2.5}", "{u32: [size, size]}"
ArgumentSpec read_scalar(const Node& node, const Scope& scope) {
  ArgumentSpec argument;
  const auto entries = node.entries();
  if (entries.size() != 1) {
    node.reject("a scalar has its type and its value, as {u32: 1024}");
    return argument;
  }
  const auto& [type, value] = entries.front();
  const auto known = std::ranges::find(call_type_names(), type);
  if (known == call_type_names().end()) {
    node.reject(fmt::format("'{}' is not the type of a scalar: {}", type, fmt::join(call_type_names(), ", ")));
    return argument;
  }
  argument.type = static_cast<CallType>(known - call_type_names().begin());
  const bool floating = type.starts_with('f') || type == "bf16";
  if (floating && value.kind() == Node::Kind::Scalar) {
    argument.value = value.number();
  } else {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    argument.number = read_product(value, scope, {-most, most}, Extra::Sms);
  }
  return argument;
}

ArgumentSpec read_argument(const Node& node, const Scope& scope) {
  if (node.kind() != Node::Kind::Map) {
    node.reject("an argument is {buffer: TYPE, count: …, fill: …} or {TYPE: VALUE}");
    return {};
  }
  const auto entries = node.entries();
  const bool buffer = std::ranges::any_of(entries, [](const auto& entry) { return entry.first == "buffer"; });
  return buffer ? read_buffer(node.fields({"buffer", "count", "fill"}), scope) : read_scalar(node, scope);
}

/// What the file says for the prediction: trips of loops, and levels that answer.
void read_told(const Fields& fields, const Scope& scope, KernelStudy& study) {
  constexpr std::int64_t most_loops = 1 << 20;
  if (const auto at = fields.find("trips")) {
    for (const auto& [loop, trips] : at->entries()) {
      const auto id = loop.starts_with("loop") ? decimal_or_hex(std::string_view(loop).substr(4)) : std::nullopt;
      if (!id || *id > most_loops) trips.reject(fmt::format("'{}' is not a loop, as loop0", loop));
      study.trips.emplace_back(static_cast<int>(id.value_or(0)),
                               read_product(trips, scope, {0, most_trips}, Extra::Sms));
    }
  }
  if (const auto at = fields.find("hit")) study.hit = read_word(*at, scope, level_words);
  if (const auto at = fields.find("hits")) {
    for (const auto& [address, level] : at->entries()) {
      const auto where = decimal_or_hex(address);
      if (!where) level.reject(fmt::format("'{}' is not the address of an instruction, as \"0x0240\"", address));
      study.hits.emplace_back(where.value_or(0), read_word(level, scope, level_words));
    }
  }
}

/// "{cublas: gemm_f16_f32, m: 4096, n: 4096, k: depth}"
std::array<Product, 3> read_library(const Node& node, const Scope& scope) {
  constexpr Range range{1, 1 << 20};
  const Fields fields = node.fields({"cublas", "m", "n", "k"});
  (void)fields.get("cublas").word({"gemm_f16_f32"});
  const auto size = [&](const char* key) { return read_product(fields.get(key), scope, range, Extra::Sms); };
  return {size("m"), size("n"), size("k")};
}

KernelStudy read_study(const Node& node, SourceKey source) {
  constexpr std::int64_t most_x = INT32_MAX, most_yz = 65535, most_threads = 1024, most_z = 64, most_shared = 1 << 20;
  constexpr std::int64_t most_launches = 1000;
  const Fields fields = node.fields({"name", "says", "source", "kernel", "sweep", "grid", "block", "shared", "args",
                                     "l2", "launches", "trips", "hit", "hits", "held_out", "library"});
  KernelStudy study;
  study.place = node.place();
  study.name = read_name(fields.get("name"));
  if (const auto at = fields.find("says")) study.says = at->text();
  if (source == SourceKey::Required || fields.find("source")) study.source = fields.get("source").text();
  if (const auto at = fields.find("sweep")) study.sweep = read_sweep(*at);
  if (node.failed()) return study;
  const Scope scope{columns(study.sweep), expand(study.sweep).value_or(std::vector<Parameters>{}), {}};
  study.kernel = read_template(fields.get("kernel"), scope);
  study.grid = read_extents_of(fields.get("grid"), scope, {{{1, most_x}, {1, most_yz}, {1, most_yz}}});
  study.block = read_extents_of(fields.get("block"), scope, {{{1, most_threads}, {1, most_threads}, {1, most_z}}});
  if (const auto at = fields.find("shared")) study.shared_bytes = read_product(*at, scope, {0, most_shared});
  if (const auto at = fields.find("args"))
    for (const Node& item : at->items()) study.arguments.push_back(read_argument(item, scope));
  if (const auto at = fields.find("l2")) study.l2 = read_word(*at, scope, {"warm", "cold"});
  if (const auto at = fields.find("launches")) study.launches = at->integer(1, most_launches);
  if (const auto at = fields.find("held_out")) study.held_out = at->boolean();
  if (const auto at = fields.find("library")) study.library = read_library(*at, scope);
  read_told(fields, scope, study);
  return study;
}

}  // namespace

Expected<std::vector<KernelStudy>> read_studies(const std::string& file, std::string_view text, SourceKey source) {
  const auto document = WARPCLOCK_TRY(Document::parse(file, text));
  const Fields root = document.root().fields({"kernels"});
  std::vector<KernelStudy> studies;
  std::set<std::string> names;
  for (const Node& item : root.get("kernels").items()) {
    if (document.error()) break;
    studies.push_back(read_study(item.rebased(), source));
    if (!document.error() && !names.insert(studies.back().name).second)
      item.rebased().reject(fmt::format("the name '{}' is given twice", studies.back().name));
  }
  if (const std::optional<Error>& error = document.error()) return std::unexpected(*error);
  return studies;
}

}  // namespace warpclock
