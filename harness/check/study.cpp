#include "check/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/hash.hpp"
#include "base/lookup.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "compile/sources.hpp"
#include "inspect/difference/code_difference.hpp"
#include "inspect/inspect.hpp"
#include "plan/config/scope.hpp"
#include "plan/config/stanza.hpp"
#include "plan/plan.hpp"
#include "plan/sweep.hpp"
#include "predict/predict.hpp"

namespace warpclock {

namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 40;
constexpr std::array<const char*, 3> dimensions = {"x", "y", "z"};

const std::vector<std::string> level_words = {"L1", "L2", "DRAM"};

struct Extents {
  std::array<Product, 3> along;
};

}  // namespace

void describe(YamlArchive& a, Extents& v, const Scope& scope, const std::array<Range, 3>& ranges) {
  a.named("", "Along x, y and z.");
  a.not_empty();
  for (std::size_t i = 0; i < dimensions.size(); ++i)
    a.optional(dimensions[i], v.along[i], yaml::product(scope, ranges[i], Extra::Sms));
}

namespace {

/// A product for x alone, or {x: …, y: …, z: …}. The limits are those of CUDA for each dimension.
auto extents_of(const Scope& scope, std::array<Range, 3> ranges) {
  return yaml::custom(
      [&scope, ranges](const Node& node) {
        Extents extents;
        if (node.kind() == Node::Kind::Map)
          YamlArchive::read(node, extents, scope, ranges);
        else
          extents.along[0] = read_product(node, scope, ranges[0], Extra::Sms);
        return extents.along;
      },
      [&scope, ranges](YamlSchema& all) -> Json {
        return {{"oneOf", {all.named("product"), all.of<Extents>(scope, ranges)}}};
      });
}

/// "{buffer: f32, count: [size, size], fill: random}"
struct Buffer {
  ArgumentSpec argument;
};

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

}  // namespace

void describe(YamlArchive& a, Buffer& v, const Scope& scope) {
  ArgumentSpec& argument = v.argument;
  argument.buffer = true;
  a.required("buffer", argument.type, yaml::OneOfWords{call_type_names()});
  a.required("count", argument.number, yaml::product(scope, {1, most_bytes / bytes_of(argument.type)}, Extra::Sms),
             "Elements.");
  a.optional("fill", argument.fill, yaml::word_or_parameter(scope, call_fill_names()),
             join(call_fill_names(), ", ") + ", or a parameter.");
}

namespace {

auto argument_of(const Scope& scope) {
  return yaml::custom(
      [&scope](const Node& node) -> ArgumentSpec {
        if (node.kind() != Node::Kind::Map) {
          node.reject("an argument is {buffer: TYPE, count: …, fill: …} or {TYPE: VALUE}");
          return {};
        }
        if (!node.find("buffer")) return read_scalar(node, scope);
        Buffer buffer;
        YamlArchive::read(node, buffer, scope);
        return buffer.argument;
      },
      [&scope](YamlSchema& all) -> Json {
        const Json scalar = {{"type", "object"},
                             {"propertyNames", {{"enum", call_type_names()}}},
                             {"additionalProperties", {{"anyOf", {{{"type", "number"}}, all.named("product")}}}},
                             {"minProperties", 1},
                             {"maxProperties", 1}};
        return {{"description", "Memory on the device, or a scalar by its type."},
                {"oneOf", {all.of<Buffer>(scope), scalar}}};
      });
}

/// What the file says for the prediction: trips of loops, and levels that answer.
void describe_told(YamlArchive& a, KernelStudy& v, const Scope& scope) {
  constexpr std::int64_t most_loops = 1 << 20;
  const auto level = yaml::word_or_parameter(scope, level_words);
  std::vector<std::pair<std::string, Product>> trips;
  a.optional("trips", trips,
             yaml::entries_of(yaml::product(scope, {0, most_trips}, Extra::Sms), {{"pattern", "^loop[0-9]+$"}}),
             "Of loops, for the prediction.");
  for (auto& [loop, count] : trips) {
    const auto id = loop.starts_with("loop") ? decimal_or_hex(std::string_view(loop).substr(4)) : std::nullopt;
    if (!id || *id > most_loops) a.reject("trips", loop, fmt::format("'{}' is not a loop, as loop0", loop));
    v.trips.emplace_back(static_cast<int>(id.value_or(0)), std::move(count));
  }
  a.optional("hit", v.hit, level, "L1, L2, DRAM, or a parameter.");
  std::vector<std::pair<std::string, std::string>> hits;
  a.optional("hits", hits, yaml::entries_of(level, {{"pattern", "^(0x[0-9a-f]+|[0-9]+)$"}}),
             "The same of single instructions, by address.");
  for (const auto& [address, answers] : hits) {
    const auto where = decimal_or_hex(address);
    if (!where)
      a.reject("hits", address, fmt::format("'{}' is not the address of an instruction, as \"0x0240\"", address));
    v.hits.emplace_back(where.value_or(0), answers);
  }
}

}  // namespace

void describe(YamlArchive& a, LibrarySpec& v, const Scope& scope) {
  const auto size = yaml::product(scope, {1, 1 << 20}, Extra::Sms);
  std::string function;
  a.named("kernel_library",
          "A call of a library that does the same work: C = A B^T, where A is m x k and B is n x k, by rows.");
  a.required("cublas", function, yaml::OneOfWords{{"gemm_f16_f32"}});
  a.required("m", v.m, size);
  a.required("n", v.n, size);
  a.required("k", v.k, size);
}

void describe(YamlArchive& a, KernelStudy& v, SourceKey source, std::size_t& points_of_file) {
  constexpr std::int64_t most_x = INT32_MAX, most_yz = 65535, most_threads = 1024, most_z = 64, most_shared = 1 << 20;
  constexpr std::int64_t most_launches = 1000;
  a.named("kernel_study");
  v.place = a.place();
  a.required("name", v.name, yaml::name());
  a.optional("says", v.says);
  const char* from = "From the folder of this file.";
  source == SourceKey::Required ? a.required("source", v.source, from) : a.optional("source", v.source, from);
  a.optional("sweep", v.sweep);
  const Scope scope{columns(v.sweep), expand(v.sweep).value_or(std::vector<Parameters>{}), {}};
  count_points(a, scope.points.size(), points_of_file);
  a.required("kernel", v.kernel, yaml::with_parameters(scope), "The entry: its name or symbol.");
  a.required("grid", v.grid, extents_of(scope, {{{1, most_x}, {1, most_yz}, {1, most_yz}}}));
  a.required("block", v.block, extents_of(scope, {{{1, most_threads}, {1, most_threads}, {1, most_z}}}));
  a.optional("shared", v.shared_bytes, yaml::product(scope, {0, most_shared}),
             "Dynamic shared memory of a block, in bytes.");
  a.optional("args", v.arguments, yaml::list_of(argument_of(scope)));
  a.optional("l2", v.l2, yaml::word_or_parameter(scope, {"warm", "cold"}), "warm, cold, or a parameter.");
  a.optional("launches", v.launches, yaml::Whole{1, most_launches});
  describe_told(a, v, scope);
  a.optional("held_out", v.held_out);
  a.optional("library", v.library, yaml::with(scope));
}

namespace {

auto kernels_of_file(const SourceKey& source, std::size_t& points) {
  return yaml::under("kernels", yaml::list_of(yaml::with(source, points)).roots());
}

}  // namespace

Json kernels_schema(YamlSchema& all) {
  std::size_t points = 0;
  return kernels_of_file(SourceKey::Required, points).schema(all, std::vector<KernelStudy>());
}

Expected<std::vector<KernelStudy>> read_studies(const std::string& file, std::string_view text, SourceKey source) {
  std::size_t points = 0;
  auto studies = WARPCLOCK_TRY(read_yaml<std::vector<KernelStudy>>(file, text, kernels_of_file(source, points)));
  std::set<std::string> names;
  for (const KernelStudy& study : studies)
    if (!names.insert(study.name).second)
      return fail("config", fmt::format("the name '{}' is given twice", study.name), study.place);
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

  Expected<void> compare_with(const LibrarySpec& library, Call& call) {
    LibraryGemm& size = call.library;
    size.m = WARPCLOCK_TRY(library.m.evaluate(values_));
    size.n = WARPCLOCK_TRY(library.n.evaluate(values_));
    size.k = WARPCLOCK_TRY(library.k.evaluate(values_));
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

namespace {

std::string key_of(const KernelCase& one) { return one.source + "\n" + join(one.defines, "\n"); }

/// The entry with this name; its templates and overloads are distinguished by its symbol.
Expected<const LoadedKernel*> entry_of(const LoadedFile& file, const std::string& name) {
  std::vector<const LoadedKernel*> entries;
  for (const LoadedKernel& kernel : file.kernels)
    if (kernel.facts.entry) entries.push_back(&kernel);
  const std::vector<std::string> symbols = mapped(entries, [](const LoadedKernel* one) { return one->listing.kernel; });
  const std::vector<std::size_t> found = named_by(symbols, name);
  if (found.empty()) return std::unexpected(no_such_kernel(name, mapped(symbols, readable_name)));
  if (found.size() > 1) return fail("kernel", fmt::format("several kernels are named '{}': give the symbol", name));
  return entries[found.front()];
}

}  // namespace

std::vector<std::size_t> named_by(const std::vector<std::string>& symbols, const std::string& name) {
  std::vector<std::size_t> exact, near;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const std::string readable = readable_name(symbols[i]);
    if (symbols[i] == name || readable == name || readable.substr(0, readable.find('(')) == name)
      exact.push_back(i);
    else if (bare_name(readable) == name)
      near.push_back(i);
  }
  return exact.empty() ? near : exact;
}

Expected<LoadedFile> CaseBuilder::load(const KernelCase& one) {
  LoadOptions how = how_;
  how.defines = one.defines;
  if (one.ptx.empty()) return load_file(folder_ / one.source, how);
  const std::string name = WARPCLOCK_TRY(cache_.store_image(one.ptx, ".ptx"));
  return load_file(cache_.path(name), how);
}

std::vector<Expected<BuiltKernel>> CaseBuilder::build(std::span<const KernelCase> cases) {
  std::map<std::string, const KernelCase*> missing;
  for (const KernelCase& one : cases) {
    if (!loaded_.contains(key_of(one))) missing.emplace(key_of(one), &one);
  }
  const std::vector<std::pair<std::string, const KernelCase*>> sources(missing.begin(), missing.end());
  std::vector<Expected<LoadedFile>> files(sources.size());
  for_each_at_once(sources.size(), [&](std::size_t i) {
    const KernelCase& one = *sources[i].second;
    files[i] = caught((folder_ / one.source).string(), [&] { return load(one); });
  });
  for (std::size_t i = 0; i < sources.size(); ++i) loaded_.emplace(sources[i].first, Loaded{std::move(files[i])});
  return mapped(cases, [this](const KernelCase& one) { return find(one); });
}

Expected<BuiltKernel> CaseBuilder::find(const KernelCase& one) {
  Loaded& loaded = loaded_.at(key_of(one));
  if (!loaded.file) return std::unexpected(loaded.file.error());
  const LoadedKernel* const kernel = WARPCLOCK_TRY(entry_of(*loaded.file, one.kernel));
  const std::size_t given = packed_arguments(one.call, std::vector<std::uint64_t>(one.call.arguments.size())).size();
  if (std::cmp_not_equal(given, kernel->facts.parameter_bytes))
    return fail("kernel", fmt::format("the arguments take {} bytes; the kernel wants {}: compare `args` with its "
                                      "parameters",
                                      given, kernel->facts.parameter_bytes));
  std::string& name = loaded.names[kernel->image];
  const std::string& image = loaded.file->images.at(kernel->image);
  if (name.empty()) name = WARPCLOCK_TRY(cache_.store_image(image, ".cubin"));
  return BuiltKernel{kernel, cache_.path(name), hash_hex(image).substr(0, 8)};
}

}  // namespace warpclock
