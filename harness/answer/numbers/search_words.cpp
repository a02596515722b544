#include "answer/numbers/search_words.hpp"

#include "base/files/embedded.hpp"
#include "base/text.hpp"

namespace warpclock {

void describe(YamlArchive& a, Topic& v, const Quantities& quantities) {
  const auto texts = yaml::one_or_list();
  const std::string of_any_probe;
  a.required("words", v.words, texts);
  a.optional("says", v.says, yaml::one_or_list(yaml::with(of_any_probe)));
  a.optional("quantities", v.quantities, yaml::one_or_list(yaml::entry_of(quantities, "quantity")));
  using Kind = Selector::Kind;
  static const SelectorKeys of_tables{
      .kinds = {Kind::Instruction, Kind::Form, Kind::Kernel}, .of_rows = true, .any_number = true};
  a.optional("rows", v.rows, yaml::one_or_list(yaml::with(of_tables)));
  WARPCLOCK_OPTIONAL(absent, note, command);
  const bool has_numbers = !(v.says.empty() && v.quantities.empty() && v.rows.empty());
  if (has_numbers == !v.absent.empty()) a.reject("says where its numbers are, or 'absent'");
}

void describe(YamlArchive& a, SearchWords& v, const Quantities& quantities) {
  const auto texts = yaml::one_or_list();
  a.required("near", v.near, yaml::entries_of(texts));
  a.optional("fillers", v.fillers, texts);
  WARPCLOCK_REQUIRED(parameters, values);
  a.optional("rates", v.rates, texts);
  a.optional("times", v.times, texts);
  a.optional("gpus", v.gpus, texts);
  a.required("topics", v.topics, yaml::list_of(yaml::with(quantities)));
}

Expected<SearchWords> parse_search_words(const std::string& file, std::string_view text, const Quantities& quantities) {
  return read_yaml<SearchWords>(file, text, yaml::with(quantities));
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
