#include "ptx/catalogue/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "plan/config/scope.hpp"
#include "plan/config/yaml.hpp"
#include "ptx/catalogue/guide.hpp"
#include "ptx/catalogue/ids.hpp"
#include "ptx/catalogue/template.hpp"
#include "ptx/describe.hpp"
#include "ptx/line.hpp"
#include "ptx/opcodes.hpp"

namespace warpclock {
namespace {

constexpr std::string_view table_name = "instructions/opcodes.yaml";

/// An error of describe() gives a position in the expanded line. The user only sees the template, so both are shown.
void reject(const Node& ptx, const std::string& line, const Error& error) {
  const std::string at = error.place.empty() ? "" : fmt::format(" (at {} of the line)", error.place);
  ptx.reject(fmt::format("'{}': {}{}", line, error.text, at));
}

/// Appends the entries to which one template expands.
void read_entries(const Node& item, const OpcodeTable& table, const std::string& family,
                  std::vector<CatalogueEntry>& entries, std::vector<Form>& forms) {
  const PtxTemplate ptx_template = read_ptx_template(item);
  if (item.failed()) return;
  const Expected<std::vector<std::string>> lines = expand(ptx_template);
  if (!lines) return item.reject(lines.error().text);
  const std::vector<std::pair<std::string, Node>> keys = item.entries();
  const Node& ptx = std::ranges::find(keys, "ptx", &std::pair<std::string, Node>::first)->second;
  for (const std::string& line : *lines) {
    const Expected<PtxLine> parsed = parse_ptx(line);
    if (!parsed) return reject(ptx, line, parsed.error());
    Expected<PtxInstruction> instruction = describe(*parsed, table, ptx_template.choices);
    if (!instruction) return reject(ptx, line, instruction.error());
    entries.push_back({"", family, line, std::move(*instruction), ptx_template.needs, ptx_template.place});
    forms.push_back({line, ptx_template.choices});
  }
}

std::vector<LeftOut> read_left_out(const Node& node) {
  std::vector<LeftOut> all;
  for (const Node& item : node.items()) {
    const Fields fields = item.fields({"what", "why"});
    all.push_back({fields.get("what").text(), fields.get("why").text()});
  }
  return all;
}

Expected<void> load_family(const std::string& path, const std::string& text, const OpcodeTable& table,
                           std::map<std::string, std::string>& families, Catalogue& catalogue) {
  const auto document = WARPCLOCK_TRY(Document::parse(path, text));
  const Fields fields = document.root().fields({"family", "instructions", "left_out"});
  const Node name = fields.get("family");
  const std::string family = read_name(name);
  const auto [first, fresh] = families.emplace(family, name.place());
  if (!fresh) name.reject(fmt::format("family '{}' is given twice (first at {})", family, first->second));

  std::vector<CatalogueEntry> entries;
  std::vector<Form> forms;
  for (const Node& item : fields.get("instructions").items()) {
    if (document.error()) break;
    read_entries(item.rebased(), table, family, entries, forms);
  }
  if (const auto at = fields.find("left_out")) {
    for (LeftOut& part : read_left_out(*at)) catalogue.left_out.push_back(std::move(part));
  }
  if (const std::optional<Error>& error = document.error()) return std::unexpected(*error);

  const std::vector<std::string> names = names_of(forms);
  std::map<std::string, std::string> places;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].id = family + "/" + names[i];
    const auto [other, unique] = places.emplace(entries[i].id, entries[i].place);
    if (!unique) {
      return fail("config", fmt::format("'{}' is given twice (first at {})", entries[i].id, other->second),
                  entries[i].place);
    }
    catalogue.entries.push_back(std::move(entries[i]));
  }
  return {};
}

}  // namespace

Expected<Catalogue> load_catalogue(const std::map<std::string, std::string>& configs) {
  std::map<std::string, std::string> files;
  const std::pair<const std::string, std::string>* table_file = nullptr;
  for (const auto& file : configs) {
    if (!file.first.contains("instructions/") || is_guide(file.first)) continue;
    if (file.first.ends_with(table_name)) {
      table_file = &file;
    } else {
      files.insert(file);
    }
  }
  if (table_file == nullptr) return fail("config", fmt::format("there is no {}", table_name));
  const auto table = WARPCLOCK_TRY(load_opcodes(table_file->first, table_file->second));

  Catalogue catalogue;
  std::map<std::string, std::string> families;
  for (const auto& [path, text] : files) WARPCLOCK_TRY(load_family(path, text, table, families, catalogue));
  return catalogue;
}

}  // namespace warpclock
