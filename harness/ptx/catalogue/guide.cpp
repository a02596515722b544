#include "ptx/catalogue/guide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/lookup.hpp"
#include "plan/config/scope.hpp"

namespace warpclock {
namespace {

using Sources = std::map<std::string, std::string>;  // name -> description

struct GuideSource {
  std::string name, what, url;
};

void describe(YamlArchive& a, GuideSource& v, std::set<std::string>& names) {
  a.required("name", v.name, yaml::new_text(names));
  WARPCLOCK_REQUIRED(what, url);
}

}  // namespace

void describe(YamlArchive& a, GuideAsk& v) {
  constexpr int most_results = 16;
  WARPCLOCK_REQUIRED(operation);
  a.required("ids", v.ids, yaml::one_or_list());
  a.optional("results", v.results, yaml::Whole{2, most_results});
  WARPCLOCK_OPTIONAL(because);
  if (a.has("results")) a.need({"because"});
}

void describe(YamlArchive& a, GuideRate& v, const Sources& sources, const std::vector<GuideAsk>& asks) {
  const std::string* source = nullptr;
  bool several = true;
  a.required("arch", v.archs, yaml::one_or_list(yaml::arch()));
  a.optional("rate", v.rate, yaml::positive());
  a.optional("several", several);
  a.one_of({"rate", "several"});
  if (!several) a.reject("several", "leave it out, or say true");
  a.required("source", source, yaml::entry_of(sources, "source"));
  if (source != nullptr) v.source = *source;
  WARPCLOCK_OPTIONAL(unconfirmed, why);
  a.optional("of", v.of, yaml::one_or_list(yaml::OneOfWords{mapped(asks, &GuideAsk::operation)}));
  if (a.has("of") && v.why.empty()) a.reject("of", "there is no 'why' that it could limit");
}

void describe(YamlArchive& a, GuideRow& v, const Sources& sources) {
  const auto check = [](const Node& node, const std::vector<GuideRate>& rates) {
    std::set<int> columns;
    for (std::size_t i = 0; i < rates.size(); ++i)
      for (const Arch& arch : rates[i].archs)
        if (!columns.insert(arch.sm).second)
          node.items()[i].reject(fmt::format("{} is given twice in this row", to_string(arch)));
  };
  v.place = a.place();
  a.required("row", v.name);
  a.required("short", v.brief);
  WARPCLOCK_REQUIRED(asks);
  a.required("rates", v.rates, yaml::checked(yaml::list_of(yaml::with(sources, v.asks)), check));
}

void describe(YamlArchive& a, Guide& v) {
  std::set<std::string> names;
  std::vector<GuideSource> listed;
  a.required("guide", v.title);
  a.required("sources", listed, yaml::list_of(yaml::with(names)));
  Sources sources;
  for (const GuideSource& source : listed)
    sources.emplace(source.name, fmt::format("{} ({})", source.what, source.url));
  a.required("rows", v.rows, yaml::list_of(yaml::with(sources)).roots());
}

const GuideRate* rate_for(const GuideRow& row, const Arch& arch) {
  for (const GuideRate& rate : row.rates) {
    if (contains(rate.archs, arch.sm, &Arch::sm)) return &rate;
  }
  return nullptr;
}

Expected<Guide> parse_guide(const std::string& file, std::string_view text) {
  auto guide = WARPCLOCK_TRY(read_yaml<Guide>(file, text));
  std::map<std::string, std::string> places;
  for (const GuideRow& row : guide.rows) {
    const auto [first, fresh] = places.emplace(row.name, row.place);
    if (!fresh)
      return fail("config", fmt::format("'{}' is given twice (first at {})", row.name, first->second), row.place);
  }
  return guide;
}

Expected<Guide> load_guide(const std::map<std::string, std::string>& configs) {
  const auto found = std::ranges::find_if(configs, [](const auto& file) { return is_guide(file.first); });
  if (found == configs.end()) return Guide{};
  return parse_guide(found->first, found->second);
}

bool is_guide(std::string_view path) { return path.ends_with("instructions/guide.yaml"); }

}  // namespace warpclock
