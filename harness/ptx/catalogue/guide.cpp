#include "ptx/catalogue/guide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/lookup.hpp"
#include "plan/config/yaml.hpp"

namespace warpclock {
namespace {

using Sources = std::map<std::string, std::string>;  // name -> description

Sources read_sources(const Node& list) {
  Sources sources;
  for (const Node& item : list.items()) {
    const Fields fields = item.fields({"name", "what", "url"});
    const Node name = fields.get("name");
    const std::string what = fmt::format("{} ({})", fields.get("what").text(), fields.get("url").text());
    if (!sources.emplace(name.text(), what).second) name.reject(fmt::format("'{}' is given twice", name.text()));
  }
  return sources;
}

std::string optional_text(const Fields& fields, std::string_view key) {
  const std::optional<Node> node = fields.find(key);
  return node ? node->text() : "";
}

GuideAsk read_ask(const Node& item) {
  constexpr int most_results = 16;
  const Fields fields = item.fields({"operation", "ids", "results", "because"});
  GuideAsk ask;
  ask.operation = fields.get("operation").text();
  for (const Node& id : fields.get("ids").items_or_self()) ask.ids.push_back(id.text());
  if (const auto results = fields.find("results")) {
    ask.results = static_cast<int>(results->integer(2, most_results));
    ask.because = fields.get("because").text();
  }
  return ask;
}

std::vector<Arch> rated_archs(const Node& node) {
  std::vector<Arch> archs;
  for (const Node& item : node.items_or_self()) {
    const std::string text = item.text();
    if (item.failed()) break;
    const Expected<Arch> arch = parse_arch(text);
    if (!arch) {
      item.reject(arch.error().text);
      break;
    }
    archs.push_back(*arch);
  }
  return archs;
}

std::string check_operation(const Node& node, const std::vector<GuideAsk>& asks) {
  return node.word(mapped(asks, &GuideAsk::operation));
}

GuideRate read_rate(const Node& item, const Sources& sources, const std::vector<GuideAsk>& asks) {
  const Fields fields = item.fields({"arch", "rate", "several", "source", "unconfirmed", "why", "of"});
  GuideRate rate;
  rate.archs = rated_archs(fields.get("arch"));
  const std::optional<Node> several = fields.find("several");
  if (several && fields.has("rate")) several->reject("'rate' is given already");
  if (several && !several->boolean()) several->reject("leave it out, or say true");
  if (!several) {
    const Node number = fields.get("rate");
    rate.rate = number.number();
    if (rate.rate <= 0) number.reject("a rate is above 0");
  }
  if (const std::string* source = fields.get("source").entry_of(sources, "source")) rate.source = *source;
  rate.unconfirmed = optional_text(fields, "unconfirmed");
  rate.why = optional_text(fields, "why");
  if (const auto of = fields.find("of")) {
    if (rate.why.empty()) of->reject("there is no 'why' that it could limit");
    for (const Node& operation : of->items_or_self()) rate.of.push_back(check_operation(operation, asks));
  }
  return rate;
}

GuideRow read_row(const Node& item, const Sources& sources) {
  const Fields fields = item.fields({"row", "short", "asks", "rates"});
  GuideRow row;
  row.name = fields.get("row").text();
  row.brief = fields.get("short").text();
  row.place = item.place();
  for (const Node& ask : fields.get("asks").items()) row.asks.push_back(read_ask(ask));
  std::set<int> columns;
  for (const Node& each : fields.get("rates").items()) {
    if (each.failed()) break;
    row.rates.push_back(read_rate(each, sources, row.asks));
    for (const Arch& arch : row.rates.back().archs) {
      if (!columns.insert(arch.sm).second) each.reject(fmt::format("{} is given twice in this row", to_string(arch)));
    }
  }
  return row;
}

}  // namespace

const GuideRate* rate_for(const GuideRow& row, const Arch& arch) {
  for (const GuideRate& rate : row.rates) {
    if (std::ranges::find(rate.archs, arch.sm, &Arch::sm) != rate.archs.end()) return &rate;
  }
  return nullptr;
}

Expected<Guide> parse_guide(const std::string& file, std::string_view text) {
  const auto document = WARPCLOCK_TRY(Document::parse(file, text));
  const Fields fields = document.root().fields({"guide", "sources", "rows"});
  Guide guide;
  guide.title = fields.get("guide").text();
  const Sources sources = read_sources(fields.get("sources"));
  std::map<std::string, std::string> places;
  for (const Node& item : fields.get("rows").items()) {
    if (document.error()) break;
    guide.rows.push_back(read_row(item.rebased(), sources));
    const GuideRow& row = guide.rows.back();
    const auto [first, fresh] = places.emplace(row.name, row.place);
    if (!fresh) item.rebased().reject(fmt::format("'{}' is given twice (first at {})", row.name, first->second));
  }
  if (const std::optional<Error>& error = document.error()) return std::unexpected(*error);
  return guide;
}

Expected<Guide> load_guide(const std::map<std::string, std::string>& configs) {
  const auto found = std::ranges::find_if(configs, [](const auto& file) { return is_guide(file.first); });
  if (found == configs.end()) return Guide{};
  return parse_guide(found->first, found->second);
}

bool is_guide(std::string_view path) { return path.ends_with("instructions/guide.yaml"); }

}  // namespace warpclock
