#include "ptx/opcodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <tuple>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "base/yaml/yaml_archive.hpp"
#include "ptx/instruction.hpp"
#include "ptx/types.hpp"

namespace warpclock {
namespace {

/// Cuts off the first `mark` and returns the text after it; empty if there is none.
std::string cut(std::string_view& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  std::string tail(text.substr(at + mark.size()));
  text = text.substr(0, at);
  return tail;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::islower(static_cast<unsigned char>(text[0])) != 0 &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

Expected<void> read_address(std::string_view word, Slot& slot) {
  slot.kind = Slot::Kind::Address;
  word.remove_prefix(std::string_view("addr").size());
  const bool sized = word.contains('/');
  const std::string bytes = cut(word, "/");
  if (sized) {
    slot.bytes = whole_number<int>(bytes).value_or(-1);
    if (slot.bytes < 0 || slot.bytes > 1024)
      return fail("config", fmt::format("'{}' is not a number of bytes from 0 to 1024", bytes));
  }
  if (word.empty()) return {};
  slot.space = word.substr(1);
  constexpr std::array<std::string_view, 4> spaces{"global", "shared", "shared::cluster", "local"};
  const bool known = word[0] == '.' && contains(spaces, slot.space);
  return known ? Expected<void>{} : fail("config", fmt::format("'{}' is not a space of an address", word));
}

Expected<void> read_register(std::string_view word, Slot& slot) {
  slot.count = cut(word, "*");
  slot.type = word;
  constexpr std::array<std::string_view, 7> derived{"T", "T0", "T1", "T2", "T3", "T4", "wide"};
  if (!contains(derived, word) && type_bits(word) == 0) {
    return fail("config", fmt::format("'{}' is not the type of an operand", word));
  }
  constexpr std::array<std::string_view, 6> counts{"", "v", "x", "2x", "2", "4"};
  if (!contains(counts, slot.count)) {
    return fail("config", fmt::format("'{}' is not a number of elements", slot.count));
  }
  return {};
}

Expected<void> read_type(std::string_view word, Slot& slot) {
  if (word.starts_with("imm=") || word.starts_with("fixed=")) {
    slot.kind = word[0] == 'i' ? Slot::Kind::Constant : Slot::Kind::Fixed;
    slot.type = "b32";
    slot.value = cut(word, "=");
    std::string_view value = slot.value;
    if (const std::string most = cut(value, "<="); !most.empty()) {
      const auto number = whole_number<std::int64_t>(most);
      if (!number) return fail("config", fmt::format("'{}' is not the largest value of a constant", most));
      slot.most = *number;
      slot.value = std::string(value);
    }
    return slot.value.empty() ? fail("config", "a constant needs a value") : Expected<void>{};
  }
  if (word == "pack") {
    slot.kind = Slot::Kind::Pack;
    return {};
  }
  if (word.starts_with("fragment.")) {
    slot.kind = Slot::Kind::Fragment;
    slot.type = word.substr(word.find('.') + 1);
    const bool known = slot.type.size() == 1 && slot.type[0] >= 'a' && slot.type[0] <= 'd';
    return known ? Expected<void>{} : fail("config", fmt::format("'{}' is not a matrix (a, b, c, d)", slot.type));
  }
  return word.starts_with("addr") ? read_address(word, slot) : read_register(word, slot);
}

Expected<Slot> parse_slot(std::string_view text) {
  Slot slot;
  if (text.starts_with('(') && text.ends_with(')')) {
    slot.optional = true;
    text = text.substr(1, text.size() - 2);
  }
  if (text.starts_with('=') || text.starts_with('+')) {
    slot.written = true;
    slot.read = text[0] == '+';
    text.remove_prefix(1);
  }
  if (const std::string with = cut(text, "@"); !with.empty()) slot.only_with = split(with, '/');
  slot.holds = cut(text, "~");
  if (!slot.holds.empty() && !contains(value_names(), slot.holds)) {
    return fail("config", fmt::format("unknown value '{}'{}", slot.holds, hint(slot.holds, value_names())));
  }
  const std::size_t colon = text.find(':');
  slot.name = text.substr(0, colon);
  if (!is_name(slot.name)) return fail("config", fmt::format("'{}' is not the name of an operand", slot.name));
  if (colon == std::string_view::npos) return fail("config", fmt::format("'{}' has no type", slot.name));
  WARPCLOCK_TRY(read_type(text.substr(colon + 1), slot));
  const bool constant = slot.kind == Slot::Kind::Constant || slot.kind == Slot::Kind::Fixed;
  if (slot.written && (constant || slot.kind == Slot::Kind::Address)) {
    return fail("config", fmt::format("'{}' cannot be written: only registers can", slot.name));
  }
  return slot;
}

}  // namespace

Expected<std::vector<Slot>> parse_slots(std::string_view text) {
  std::vector<Slot> slots;
  const std::vector<std::string> parts = split(text, '|');
  if (parts.size() > 2) return fail("config", "more than two operands in a pair");
  for (const std::string& part : parts) {
    auto slot = WARPCLOCK_TRY(parse_slot(part));
    slot.pair = !slots.empty();
    slots.push_back(std::move(slot));
  }
  return slots;
}

namespace {

const std::vector<std::string>& kinds() {
  static const std::vector<std::string> all = {"arithmetic", "convert", "compare",     "select",       "move",
                                               "shuffle",    "matrix",  "matrix-load", "matrix-store", "load",
                                               "store",      "atomic",  "reduction",   "fence",        "barrier",
                                               "mbarrier",   "async",   "cache",       "address",      "special"};
  return all;
}

/// A list, or a map from a modifier to the native opcodes with it; entries of a map become "f32:FADD".
std::vector<std::string> read_sass(const Node& node) {
  if (node.kind() != Node::Kind::Map) return mapped(node.items_or_self(), [](const Node& item) { return item.text(); });
  std::vector<std::string> all;
  for (const auto& [modifiers, opcodes] : node.entries()) {
    for (const Node& item : opcodes.items_or_self()) all.push_back(modifiers + ":" + item.text());
  }
  return all;
}

void check_operand(const Node& node, const std::string& operand) {
  if (const auto slots = parse_slots(operand); !slots) node.reject(slots.error().text);
}

}  // namespace

void describe(YamlArchive& a, OpcodeRow& v, const std::string& section, const std::string& kind, OpcodeTable& table) {
  const auto texts = yaml::one_or_list();
  std::vector<std::string> opcodes, probes;
  std::string title;
  v.place = a.place();
  v.kind = kind;
  a.optional("when", v.when, texts);
  a.optional("without", v.without, texts);
  a.optional("operands", v.operands, yaml::list_of(yaml::checked(yaml::Plain(), check_operand)));
  a.optional("title", title);
  a.optional("sass", v.sass, yaml::custom(read_sass));
  a.optional("alike", v.alike, texts);
  a.optional("kind", v.kind, yaml::OneOfWords{kinds()});
  a.optional("unsupported", v.unsupported);
  a.optional("probes", probes, texts);
  if (a.has("probes") && (probes.size() != 2 || v.unsupported.empty()))
    a.reject("probes", "[suite, pattern] of the probes that measure an unsupported opcode is expected");
  if (probes.size() == 2) std::tie(v.suite, v.probes) = std::tie(probes[0], probes[1]);
  const auto add = [&](const Node& node, const std::vector<std::string>& names) {
    const std::vector<Node> items = node.items_or_self();
    for (std::size_t i = 0; i < names.size(); ++i) {
      v.opcode = names[i];
      v.section = section + ": " + (title.empty() ? v.opcode : title);
      std::vector<OpcodeRow>& rows = table.rows[v.opcode];
      if (!rows.empty() && rows.back().when.empty() && rows.back().without.empty())
        items[i].reject(
            fmt::format("'{}' is never reached after the row without conditions at {}", v.opcode, rows.back().place));
      rows.push_back(v);
    }
  };
  a.required("opcode", opcodes, yaml::checked(texts, add));
}

namespace {

struct OpcodeGroup {
  std::string section, kind;
  std::vector<OpcodeRow> rows;
};

void describe(YamlArchive& a, OpcodeGroup& v, OpcodeTable& table) {
  WARPCLOCK_REQUIRED(section);
  a.required("kind", v.kind, yaml::OneOfWords{kinds()});
  a.required("rows", v.rows, yaml::list_of(yaml::with(v.section, v.kind, table)).roots());
}

}  // namespace

std::vector<std::string> OpcodeTable::opcodes() const { return keys_of(rows); }

Expected<OpcodeTable> load_opcodes(const std::string& file, std::string_view text) {
  OpcodeTable table;
  const auto form = yaml::under("opcodes", yaml::list_of(yaml::with(table)));
  WARPCLOCK_TRY(read_yaml<std::vector<OpcodeGroup>>(file, text, form));
  return table;
}

}  // namespace warpclock
