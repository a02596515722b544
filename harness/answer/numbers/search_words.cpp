#include "answer/numbers/search_words.hpp"

#include "base/files/embedded.hpp"
#include "base/text.hpp"

namespace warpclock {
namespace {

std::vector<std::string> texts(const Fields& fields, const char* key) {
  std::vector<std::string> all;
  if (const auto node = fields.find(key))
    for (const Node& each : node->items_or_self()) all.push_back(each.text());
  return all;
}

std::set<std::string> word_set(const Fields& fields, const char* key) {
  const auto all = texts(fields, key);
  return {all.begin(), all.end()};
}

std::map<std::string, std::string> word_map(const Fields& fields, const char* key) {
  std::map<std::string, std::string> all;
  for (const auto& [name, node] : fields.get(key).entries()) all[name] = node.text();
  return all;
}

Topic read_topic(const Node& node, const Quantities& quantities) {
  const Fields fields =
      node.fields({"words", "says", "quantities", "instructions", "forms", "kernels", "absent", "note", "command"});
  Topic topic;
  topic.words = texts(fields, "words");
  if (topic.words.empty()) node.reject("says no 'words'");
  if (const auto says = fields.find("says"))
    for (const Node& each : says->items_or_self()) topic.says.push_back(read_answer(each));
  if (const auto named = fields.find("quantities")) {
    for (const Node& each : named->items_or_self())
      if (const Quantity* quantity = each.entry_of(quantities, "quantity")) topic.quantities.push_back(quantity);
  }
  topic.instructions = texts(fields, "instructions");
  topic.forms = texts(fields, "forms");
  topic.kernels = texts(fields, "kernels");
  if (const auto absent = fields.find("absent")) topic.absent = absent->text();
  if (const auto note = fields.find("note")) topic.note = note->text();
  if (const auto command = fields.find("command")) topic.command = command->text();
  const bool has_numbers = !(topic.says.empty() && topic.quantities.empty() && topic.instructions.empty() &&
                             topic.forms.empty() && topic.kernels.empty());
  if (has_numbers == !topic.absent.empty()) node.reject("says where its numbers are, or 'absent'");
  return topic;
}

}  // namespace

Expected<SearchWords> parse_search_words(const std::string& file, std::string_view text, const Quantities& quantities) {
  const auto document = WARPCLOCK_TRY(Document::parse(file, text));
  const Fields fields =
      document.root().fields({"near", "fillers", "parameters", "values", "rates", "times", "gpus", "topics"});
  SearchWords words;
  words.fillers = word_set(fields, "fillers");
  words.rates = word_set(fields, "rates");
  words.times = word_set(fields, "times");
  words.gpus = word_set(fields, "gpus");
  words.parameters = word_map(fields, "parameters");
  words.values = word_map(fields, "values");
  for (const auto& [word, node] : fields.get("near").entries()) {
    words.near.emplace_back(word, std::vector<std::string>());
    for (const Node& each : node.items_or_self()) words.near.back().second.push_back(each.text());
  }
  for (const Node& each : fields.get("topics").items()) {
    if (document.error()) break;
    words.topics.push_back(read_topic(each, quantities));
  }
  if (const std::optional<Error>& error = document.error()) return std::unexpected(*error);
  return words;
}

const Expected<SearchWords>& known_search_words() {
  static const Expected<SearchWords> known = []() -> Expected<SearchWords> {
    const auto& quantities = known_quantities();
    if (!quantities) return std::unexpected(quantities.error());
    return parse_search_words("search.yaml", embedded_assets().at("search.yaml"), *quantities);
  }();
  return known;
}

}  // namespace warpclock
