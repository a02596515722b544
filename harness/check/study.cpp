#include "check/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/text.hpp"
#include "compile/sources.hpp"
#include "plan/config/scope.hpp"
#include "plan/config/stanza.hpp"
#include "plan/config/yaml.hpp"
#include "plan/plan.hpp"
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

namespace {

/// An integer is its value; a word is a string, and a second macro NAME_word is 1, as in probes.
std::vector<std::string> defines_of(const Parameters& parameters) {
  std::vector<std::string> macros;
  for (const auto& [name, value] : parameters) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      macros.push_back(fmt::format("{}={}", to_upper(name), *number));
    } else {
      macros.push_back(fmt::format("{}=\"{}\"", to_upper(name), to_string(value)));
      macros.push_back(word_macro(name, to_string(value)) + "=1");
    }
  }
  return macros;
}

/// The word, or the value of the parameter with that name.
std::string resolved(const std::string& word, const Parameters& parameters) {
  const Value* value = find(parameters, word);
  return value == nullptr ? word : to_string(*value);
}

class Resolver {
 public:
  Resolver(const KernelStudy& study, const Parameters& point, std::int64_t sms) : study_(study), point_(point) {
    values_ = point;
    values_.emplace_back("sms", sms);
  }

  Expected<KernelCase> make() {
    KernelCase made;
    made.id = id_of(study_.name, point_);
    made.study = study_.name, made.says = study_.says, made.place = study_.place, made.source = study_.source;
    made.kernel = WARPCLOCK_TRY(substitute(study_.kernel, point_));
    made.parameters = point_;
    made.defines = defines_of(point_);
    made.held_out = study_.held_out;
    WARPCLOCK_TRY(launch(made.call));
    for (const ArgumentSpec& spec : study_.arguments) {
      const auto argument = WARPCLOCK_TRY(argument_of(spec));
      made.call.arguments.push_back(argument);
    }
    if (study_.library) WARPCLOCK_TRY(compare_with(*study_.library, made.call));
    for (const auto& [loop, trips] : study_.trips) {
      const auto count = WARPCLOCK_TRY(trips.evaluate(values_));
      made.trips.emplace(loop, count);
    }
    if (!study_.hit.empty())
      made.level = level_of(resolved(study_.hit, point_)).value_or(MemoryLevel::L2);
    else if (made.call.cold)
      made.level = MemoryLevel::Dram;
    for (const auto& [address, level] : study_.hits)
      made.hits.emplace(address, level_of(resolved(level, point_)).value_or(MemoryLevel::L2));
    return made;
  }

 private:
  Expected<void> launch(Call& call) {
    for (std::size_t i = 0; i < study_.grid.size(); ++i) {
      call.grid[i] = WARPCLOCK_TRY(study_.grid[i].evaluate(values_));
      call.block[i] = WARPCLOCK_TRY(study_.block[i].evaluate(values_));
    }
    // An empty product is 1 elsewhere, and no shared memory here.
    if (!study_.shared_bytes.factors.empty()) call.shared_bytes = WARPCLOCK_TRY(study_.shared_bytes.evaluate(values_));
    call.cold = resolved(study_.l2, point_) == "cold";
    call.launches = study_.launches;
    return {};
  }

  Expected<void> compare_with(const std::array<Product, 3>& library, Call& call) {
    LibraryGemm& size = call.library;
    size.m = WARPCLOCK_TRY(library[0].evaluate(values_));
    size.n = WARPCLOCK_TRY(library[1].evaluate(values_));
    size.k = WARPCLOCK_TRY(library[2].evaluate(values_));
    const std::array<CallArgument, 3> matrices = {{{size.m * size.k * bytes_of(CallType::F16), CallType::F16},
                                                   {size.n * size.k * bytes_of(CallType::F16), CallType::F16},
                                                   {size.m * size.n * bytes_of(CallType::F32), CallType::F32}}};
    for (const CallArgument& matrix : matrices) {
      const bool known = std::ranges::any_of(call.arguments, [&](const CallArgument& argument) {
        return argument.bytes == matrix.bytes && argument.type == matrix.type;
      });
      if (!known)
        return fail("config", fmt::format("library: {} x {} x {} needs a buffer of {} {}, and the kernel has none",
                                          size.m, size.n, size.k, matrix.bytes / bytes_of(matrix.type),
                                          call_type_names()[static_cast<std::size_t>(matrix.type)]));
    }
    return {};
  }

  Expected<CallArgument> argument_of(const ArgumentSpec& spec) {
    CallArgument argument{.type = spec.type, .value = spec.value};
    if (!spec.number.factors.empty()) {
      const auto number = WARPCLOCK_TRY(spec.number.evaluate(values_));
      if (spec.buffer)
        argument.bytes = number * bytes_of(spec.type);
      else
        argument.value = static_cast<double>(number);
    }
    const std::string fill = resolved(spec.fill, point_);
    for (std::size_t i = 0; i < call_fill_names().size(); ++i) {
      if (call_fill_names()[i] == fill) argument.fill = static_cast<CallFill>(i);
    }
    return argument;
  }

  const KernelStudy& study_;
  const Parameters& point_;
  Parameters values_;
};

}  // namespace

Expected<std::vector<KernelCase>> kernel_cases(const std::vector<KernelStudy>& studies, std::int64_t sms) {
  std::vector<KernelCase> cases;
  for (const KernelStudy& study : studies) {
    const auto points = WARPCLOCK_TRY(expand(study.sweep));
    for (const Parameters& point : points) {
      auto made = Resolver(study, point, sms).make();
      if (!made) {
        made.error().place = study.place;
        return std::unexpected(made.error());
      }
      cases.push_back(*std::move(made));
    }
  }
  return cases;
}

Expected<std::vector<KernelCase>> chosen_cases(std::vector<KernelCase> cases, const std::vector<std::string>& patterns,
                                               const std::string& file) {
  std::set<std::string> used;
  std::erase_if(cases, [&](const KernelCase& one) {
    bool chosen = patterns.empty();
    for (const std::string& pattern : patterns) {
      if (!matches(pattern, one.id)) continue;
      chosen = true;
      used.insert(pattern);
    }
    return !chosen;
  });
  for (const std::string& pattern : patterns)
    if (!used.contains(pattern)) return fail("filter", fmt::format("no case matches '{}'", pattern), file);
  return cases;
}

}  // namespace warpclock
