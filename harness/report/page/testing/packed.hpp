#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/files/packed_file.hpp"
#include "base/json/json_text.hpp"
#include "record/testing/columns.hpp"

namespace warpclock::testing {

/// What packed() packed. What is no letter of it ends the text.
inline std::string unpacked(std::string_view text) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
  text = text.substr(0, text.find_first_not_of(letters));
  std::string bytes;
  std::uint32_t held = 0, bits = 0;
  for (const char letter : text.substr(0, text.find('='))) {
    held = held << 6 | static_cast<std::uint32_t>(letters.find(letter)), bits += 6;
    if (bits >= 8) bytes += static_cast<char>(held >> (bits -= 8) & 0xFF);
  }
  auto text_of = gunzip(bytes);
  if (!text_of) throw std::runtime_error(text_of.error().text);
  return *std::move(text_of);
}

/// What the page carries packed under that id (packed_data()); null if nothing.
inline Json packed_data_of(const std::string& page, const std::string& id) {
  const std::string begin = "id=\"" + id + "\">";
  const std::size_t from = page.find(begin);
  return from == std::string::npos ? Json() : Json::parse(unpacked(std::string_view(page).substr(from + begin.size())));
}

/// The evidence of the row with that id, empty if it has none; joined as the script does.
inline std::string evidence_of(const Json& folds, const std::string& id) {
  std::string markup;
  for (std::size_t i = 0; !folds.is_null() && i < folds["ids"].size(); ++i) {
    if (folds["ids"][i] != id) continue;
    for (const Json& kind : folds["pieces"]) markup += kind[i].get<std::string>();
  }
  return markup;
}

/// The first record that the page of a table carries, as text.
inline std::string table_of(const std::string& page) {
  const std::string begin = "class=\"table\">";
  Json table = Json::parse(unpacked(std::string_view(page).substr(page.find(begin) + begin.size())));
  table["rows"] = values_of(table["rows"])[0];
  return compact(table);
}

/// All markup that the page carries packed.
inline std::string folded(const std::string& page) {
  std::string text;
  const Json tables = packed_data_of(page, "tables"), folds = packed_data_of(page, "folds");
  for (const auto& [id, markup] : tables.items()) text += "\n" + markup.get<std::string>();
  if (!folds.is_null())
    for (const Json& id : folds["ids"]) text += "\n" + evidence_of(folds, id.get<std::string>());
  return text + "\n";
}

/// The page without what is packed, followed by its text.
inline std::string unfolded(const std::string& page) {
  std::string text = page;
  for (const std::string id : {"tables", "folds"}) {
    const std::string begin = "id=\"" + id + "\">";
    const std::size_t from = text.find(begin);
    if (from != std::string::npos) text.erase(from + begin.size(), text.find("</script>", from) - from - begin.size());
  }
  // Where a document ends, so that both together are one.
  return text.insert(std::min(text.rfind("</body>"), text.size()), folded(page));
}

}  // namespace warpclock::testing
