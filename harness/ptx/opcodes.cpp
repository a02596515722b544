#include "ptx/opcodes.hpp"

#include <fmt/format.h>

#include <optional>
#include <tuple>

#include "base/lookup.hpp"
#include "plan/config/yaml.hpp"
#include "ptx/slot.hpp"

namespace warpclock {
namespace {

const std::vector<std::string>& kinds() {
  static const std::vector<std::string> all = {"arithmetic", "convert", "compare",     "select",       "move",
                                               "shuffle",    "matrix",  "matrix-load", "matrix-store", "load",
                                               "store",      "atomic",  "reduction",   "fence",        "barrier",
                                               "mbarrier",   "async",   "cache",       "address",      "special"};
  return all;
}

std::vector<std::string> texts(const Fields& fields, std::string_view key) {
  std::vector<std::string> all;
  const std::optional<Node> node = fields.find(key);
  if (!node) return all;
  for (const Node& item : node->items_or_self()) all.push_back(item.text());
  return all;
}

std::vector<std::string> read_operands(const Fields& fields) {
  std::vector<std::string> operands;
  const std::optional<Node> node = fields.find("operands");
  if (!node) return operands;
  for (const Node& item : node->items()) {
    operands.push_back(item.text());
    if (item.failed()) break;
    const auto slots = parse_slots(operands.back());
    if (!slots) {
      item.reject(slots.error().text);
      break;
    }
  }
  return operands;
}

/// A list, or a map from a modifier to the native opcodes with it; entries of a map become "f32:FADD".
std::vector<std::string> read_sass(const Fields& fields) {
  const std::optional<Node> node = fields.find("sass");
  if (!node || node->kind() != Node::Kind::Map) return texts(fields, "sass");
  std::vector<std::string> all;
  for (const auto& [modifiers, opcodes] : node->entries()) {
    for (const Node& item : opcodes.items_or_self()) all.push_back(modifiers + ":" + item.text());
  }
  return all;
}

void read_row(const Node& node, const std::string& section, const std::string& kind, OpcodeTable& table) {
  const Fields fields =
      node.fields({"opcode", "when", "without", "operands", "title", "sass", "alike", "kind", "unsupported", "probes"});
  OpcodeRow row;
  row.when = texts(fields, "when");
  row.without = texts(fields, "without");
  row.operands = read_operands(fields);
  row.sass = read_sass(fields);
  row.alike = texts(fields, "alike");
  row.kind = fields.has("kind") ? fields.get("kind").word(kinds()) : kind;
  if (const auto why = fields.find("unsupported")) row.unsupported = why->text();
  if (const auto probes = fields.find("probes")) {
    const std::vector<std::string> words = texts(fields, "probes");
    if (words.size() != 2 || row.unsupported.empty())
      probes->reject("[suite, pattern] of the probes that measure an unsupported opcode is expected");
    if (words.size() == 2) std::tie(row.suite, row.probes) = std::tie(words[0], words[1]);
  }
  row.place = node.place();
  const std::optional<Node> title = fields.find("title");
  for (const Node& item : fields.get("opcode").items_or_self()) {
    row.opcode = item.text();
    row.section = section + ": " + (title ? title->text() : row.opcode);
    std::vector<OpcodeRow>& rows = table.rows[row.opcode];
    if (!rows.empty() && rows.back().when.empty() && rows.back().without.empty()) {
      item.reject(
          fmt::format("'{}' is never reached after the row without conditions at {}", row.opcode, rows.back().place));
    }
    rows.push_back(row);
  }
}

}  // namespace

std::vector<std::string> OpcodeTable::opcodes() const { return keys_of(rows); }

Expected<OpcodeTable> load_opcodes(const std::string& file, std::string_view text) {
  const auto document = WARPCLOCK_TRY(Document::parse(file, text));
  OpcodeTable table;
  const Fields fields = document.root().fields({"opcodes"});
  for (const Node& group : fields.get("opcodes").items()) {
    if (document.error()) break;
    const Fields in = group.fields({"section", "kind", "rows"});
    const std::string section = in.get("section").text();
    const std::string kind = in.get("kind").word(kinds());
    for (const Node& row : in.get("rows").items()) {
      if (document.error()) break;
      read_row(row.rebased(), section, kind, table);
    }
  }
  if (const std::optional<Error>& error = document.error()) return std::unexpected(*error);
  return table;
}

}  // namespace warpclock
