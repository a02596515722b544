#include "plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "plan/sweep.hpp"

namespace warpclock {
namespace {

/// The case of one point on one architecture, without its id. Error "config" for what load_suite() refuses.
Expected<Case> resolve(const Probe& probe, const Parameters& point, const Arch& arch);

/// Keeps the first error of many evaluations.
class Resolver {
 public:
  explicit Resolver(const Parameters& point) : point_(point) {}

  std::int64_t number(const Product& product) { return number(product, point_); }
  std::int64_t number_or(const Product& product, std::int64_t fallback) {
    return product.factors.empty() ? fallback : number(product);
  }
  std::int64_t number(const Product& product, const Parameters& values) { return keep(product.evaluate(values), 0); }
  /// The word itself, or the value of the parameter of that name. A word takes precedence, as in read_word().
  [[nodiscard]] std::string word(const std::string& word, const std::vector<std::string>& words) const {
    const Value* value = contains(words, word) ? nullptr : find(point_, word);
    return value == nullptr ? word : to_string(*value);
  }
  /// The enumerator of that name.
  template <class E>
  [[nodiscard]] E one_of(const std::string& name, const std::vector<std::string>& names) const {
    return static_cast<E>(std::ranges::find(names, word(name, names)) - names.begin());
  }
  std::string text(const std::string& text) { return keep(substitute(text, point_), ""); }

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  template <class T, class U>
  T keep(Expected<T> value, U fallback) {
    if (value) return std::move(*value);
    if (!error_) error_ = value.error();
    return fallback;
  }

  const Parameters& point_;
  std::optional<Error> error_;
};

Launch resolve_launch(const LaunchSpec& spec, Resolver& resolver) {
  Launch launch;
  Product blocks = spec.blocks;
  const bool per_sm = std::erase(blocks.factors, Value("sms")) > 0;
  (per_sm ? launch.blocks_per_sm : launch.blocks) = resolver.number(blocks);
  launch.warps = resolver.number(spec.warps);
  launch.cluster = resolver.number(spec.cluster);
  launch.shared_bytes = resolver.number_or(spec.shared_bytes, 0);
  launch.carveout = resolver.number_or(spec.carveout, -1);
  launch.persisting = resolver.number_or(spec.persisting, 0);
  launch.hit_ratio = resolver.number_or(spec.hit_ratio, launch.hit_ratio);
  launch.warmups = spec.warmups;
  launch.launches = spec.launches;
  launch.by = resolver.one_of<LaunchBy>(spec.by, launch_by_names());
  return launch;
}

Tensor resolve_tensor(const TensorSpec& spec, Resolver& resolver) {
  Tensor tensor;
  tensor.type = resolver.word(spec.type, tensor_words().type);
  for (const Product& extent : spec.dims) tensor.dims.push_back(resolver.number(extent));
  for (const Product& extent : spec.box) tensor.box.push_back(resolver.number(extent));
  tensor.swizzle = resolver.word(spec.swizzle, tensor_words().swizzle);
  tensor.interleave = resolver.word(spec.interleave, tensor_words().interleave);
  tensor.promotion = resolver.word(spec.promotion, tensor_words().promotion);
  tensor.oob = resolver.word(spec.oob, tensor_words().oob);
  tensor.lower = spec.lower;
  tensor.upper = spec.upper;
  tensor.channels = resolver.number_or(spec.channels, 0);
  tensor.pixels = resolver.number_or(spec.pixels, 0);
  return tensor;
}

Data resolve_data(const DataSpec& spec, Resolver& resolver) {
  Data data;
  data.bytes = resolver.number_or(spec.bytes, data.bytes);
  data.fill = resolver.one_of<Fill>(spec.fill, fill_names());
  data.stride = resolver.number_or(spec.stride, data.stride);
  data.cold = spec.cold;
  data.peer = resolver.word(spec.memory, memory_names()) == "peer";
  data.tensor = resolve_tensor(spec.tensor, resolver);
  data.texel = resolver.word(spec.texel, texel_names());
  return data;
}

Limit find_limit(const std::vector<LimitSpec>& limits, const Case& target) {
  const auto at = std::ranges::find_if(limits, [&](const LimitSpec& limit) {
    const bool here = limit.archs.empty() ||
                      std::ranges::any_of(limit.archs, [&](const Arch& named) { return has(target.arch, named); });
    return here && (limit.when.empty() || matches_any(limit.when, target.parameters));
  });
  return at == limits.end() ? Limit{} : at->limit;
}

Measure resolve_measure(const MeasureSpec& spec, const Probe& probe, const Case& target, Resolver& resolver) {
  Parameters values = target.parameters;
  if (spec.method == Method::Elapsed) values.emplace_back("n", probe.repeat.back());
  const bool rate = spec.method == Method::Rate;
  const Launch& launch = target.launch;
  return {.name = spec.name,
          .method = spec.method,
          .unit = spec.unit,
          .work = resolver.number(spec.work, values),
          .source = spec.source,
          .note = resolver.text(spec.note),
          .unsteady = spec.unsteady,
          .warps = rate ? launch.warps * std::max<std::int64_t>(launch.blocks_per_sm, 1) : 0,
          .limit = find_limit(spec.limits, target)};
}

PremiseRule resolve_premise(PremiseRule rule, Resolver& resolver) {
  rule.text = resolver.text(rule.text);
  return rule;
}

/// Error "config" if the case has no window.
Expected<void> resolve_window(const Probe& probe, Case& target, Resolver& resolver) {
  const WindowSpec* window = find_window(probe.windows, target.arch, target.parameters);
  if (window == nullptr) return fail("config", fmt::format("no window for {}", to_string(target.arch)));
  target.expect = WARPCLOCK_TRY(resolve(window->expect, target.parameters));
  target.label = resolver.text(window->label);
  return {};
}

Expected<Case> resolve(const Probe& probe, const Parameters& point, const Arch& arch) {
  Resolver resolver(point);
  Case result;
  result.probe = probe.family + "/" + probe.name;
  result.family = probe.family;
  result.arch = arch;
  result.parameters = point;
  result.along = probe.along;
  result.kernel = probe.kernel;
  result.repeats = probe.repeat;
  result.launch = resolve_launch(probe.launch, resolver);
  result.data = resolve_data(probe.data, resolver);
  for (const MeasureSpec& spec : probe.measures) {
    result.measures.push_back(resolve_measure(spec, probe, result, resolver));
  }
  result.facts = probe.facts;
  result.counters = probe.counters;
  result.counters_of = probe.counters_of;
  result.counted_blocks = probe.counted_blocks;
  result.places = probe.places;
  for (const PremiseRule& rule : probe.premises) result.premises.push_back(resolve_premise(rule, resolver));
  for (const auto& [when, rule] : probe.premises_when) {
    if (matches_any(when, point)) result.premises.push_back(resolve_premise(rule, resolver));
  }
  if (const Needs* needs = lacking(arch, probe, point)) {
    result.skip = fail(ErrorCode::UnsupportedArch, needs->why).error();
  } else {
    WARPCLOCK_TRY(resolve_window(probe, result, resolver));
  }
  if (const std::optional<Error>& error = resolver.error()) return std::unexpected(*error);
  return result;
}

bool in_suite(const Probe& probe, const std::string& suites) {
  return std::ranges::any_of(split(suites, ','), [&](const std::string& suite) {
    return suite == every_suite || contains(probe.suites, suite);
  });
}

/// Says why no case matches, and what would match.
Error nothing_matches(const std::string& pattern, const Suite& suite, const Filter& filter) {
  const std::vector<std::string>& suites = suite_names();
  if (pattern == every_suite || contains(suites, pattern))
    return {"filter", fmt::format("'{0}' is a suite, and matches no case: --suite {0}", pattern), ""};
  std::vector<std::string> names;
  for (const Probe& probe : suite.probes) {
    for (const Parameters& point : expand(probe.sweep).value_or(std::vector<Parameters>{})) {
      if (matches(pattern, case_id(probe, point))) {
        return {"filter",
                fmt::format("'{}' matches no case of suite '{}', but some of suite '{}'", pattern, filter.suite,
                            probe.suites.front()),
                ""};
      }
    }
    if (in_suite(probe, filter.suite)) names.push_back(probe.family + "/" + probe.name);
  }
  return {"filter", fmt::format("'{}' matches no case{}", pattern, hint(pattern, names)), ""};
}

}  // namespace

bool matches(std::string_view pattern, std::string_view id) {
  if (!pattern.contains('*')) return id.contains(pattern);
  // Greedy, with one position to resume from: each further star makes the match of the earlier ones final.
  std::size_t p = 0, i = 0, star = std::string_view::npos, resume = 0;
  while (i < id.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = i;
    } else if (p < pattern.size() && pattern[p] == id[i]) {
      ++p;
      ++i;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      i = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool is_wanted(const std::vector<std::string>& patterns, std::string_view id) {
  return patterns.empty() || std::ranges::any_of(patterns, [&](const auto& pattern) { return matches(pattern, id); });
}

std::string case_id(const Probe& probe, const Parameters& point) {
  return id_of(probe.family + "/" + probe.name, point);
}

Expected<Case> case_at(const Probe& probe, const Parameters& point, const Arch& arch) {
  Expected<Case> resolved = resolve(probe, point, arch);
  if (!resolved) return fail(resolved.error().code, resolved.error().text, probe.place);
  resolved->id = case_id(probe, point);
  return resolved;
}

Expected<std::vector<Case>> plan(const Suite& suite, const Arch& arch, const Filter& filter) {
  for (const std::string& name : split(filter.suite, ',')) {
    std::vector<std::string> known = suite_names();
    known.emplace_back(every_suite);
    if (!contains(known, name)) return fail("filter", fmt::format("unknown suite '{}'{}", name, hint(name, known)));
  }
  std::vector<Case> cases;
  std::set<std::string> unmatched(filter.patterns.begin(), filter.patterns.end());
  for (const Probe& probe : suite.probes) {
    if (!in_suite(probe, filter.suite)) continue;
    const Expected<std::vector<Parameters>> points = expand(probe.sweep);
    if (!points) return fail(points.error().code, points.error().text, probe.place);
    for (const Parameters& point : *points) {
      const std::string id = case_id(probe, point);
      bool wanted = filter.patterns.empty();
      for (const std::string& pattern : filter.patterns) {
        if (!matches(pattern, id)) continue;
        wanted = true;
        unmatched.erase(pattern);
      }
      if (!wanted) continue;
      auto resolved = WARPCLOCK_TRY(case_at(probe, point, arch));
      cases.push_back(std::move(resolved));
    }
  }
  for (const std::string& pattern : filter.patterns) {
    if (unmatched.contains(pattern)) return std::unexpected(nothing_matches(pattern, suite, filter));
  }
  return cases;
}

std::vector<Case> sample(const std::vector<Case>& cases) {
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> of_probe;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].skip) continue;
    const std::string probe = cases[i].id.substr(0, cases[i].id.find('['));
    of_probe[{to_string(cases[i].arch), probe}].push_back(i);
  }
  std::set<std::size_t> taken;
  for (const auto& [name, indices] : of_probe) {
    taken.insert({indices.front(), indices[indices.size() / 2], indices.back()});
  }
  return mapped(taken, [&](const std::size_t i) { return cases[i]; });
}

}  // namespace warpclock
