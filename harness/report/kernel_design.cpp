#include "report/kernel_design.hpp"

#include <optional>

#include "base/embedded.hpp"
#include "plan/yaml.hpp"

namespace warpclock {
namespace {

PairSource read_pairs(const Node& node) {
  const Fields fields = node.fields({"probe", "first", "second", "cycles"});
  return {fields.get("probe").text(), fields.get("first").text(), fields.get("second").text(),
          fields.get("cycles").text()};
}

}  // namespace

Expected<KernelDesign> parse_kernel_design(const std::string& file, std::string_view text) {
  const Expected<Document> document = Document::parse(file, text);
  if (!document) return std::unexpected(document.error());
  const Fields fields = document->root().fields({"pairs"});
  KernelDesign design;
  design.pairs = read_pairs(fields.get("pairs"));
  if (const std::optional<Error>& error = document->error()) return std::unexpected(*error);
  return design;
}

const Expected<KernelDesign>& known_kernel_design() {
  static const Expected<KernelDesign> known = parse_kernel_design("kernels.yaml", embedded_assets().at("kernels.yaml"));
  return known;
}

}  // namespace warpclock
