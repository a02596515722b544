#include "answer/numbers/quantity.hpp"

#include <fmt/format.h>

#include <array>

#include "base/files/embedded.hpp"

namespace warpclock {

Selector read_place(const Node& item, const std::string& probe) {
  using Kind = Selector::Kind;
  return read_selector(item, std::array{Kind::Cases, Kind::Half, Kind::Feature, Kind::Device}, probe);
}

Expected<Quantities> parse_quantities(const std::string& file, std::string_view text) {
  const auto document = WARPCLOCK_TRY(Document::parse(file, text));
  Quantities quantities;
  for (const Node& item : document.root().fields({"quantities"}).get("quantities").items()) {
    if (document.error()) break;
    const Fields fields = item.fields({"quantity", "says", "from"});
    Quantity quantity;
    const Node name = fields.get("quantity");
    quantity.name = name.text();
    quantity.says = fields.get("says").text();
    for (const Node& place : fields.get("from").items_or_self()) quantity.from.push_back(read_place(place));
    if (!quantities.emplace(quantity.name, quantity).second) {
      name.reject(fmt::format("'{}' is given twice", quantity.name));
    }
  }
  if (const std::optional<Error>& error = document.error()) return std::unexpected(*error);
  return quantities;
}

const Expected<Quantities>& known_quantities() {
  static const Expected<Quantities> known =
      parse_quantities("quantities.yaml", embedded_assets().at("quantities.yaml"));
  return known;
}

}  // namespace warpclock
