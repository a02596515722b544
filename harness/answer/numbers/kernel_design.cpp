#include "answer/numbers/kernel_design.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "base/files/embedded.hpp"
#include "plan/config/yaml.hpp"

namespace warpclock {
namespace {

HandoffSource read_handoff(const Node& node) {
  const Fields fields = node.fields({"within", "from", "by"});
  return {fields.get("within").text(), read_selector(fields.get("from"), std::array{Selector::Kind::Half}),
          fields.get("by").text()};
}

Selector read_cases(const Node& node) { return read_selector(node, std::array{Selector::Kind::Cases}); }

const Quantity* read_quantity(const Node& node, const Quantities& quantities) {
  const std::string name = node.text();
  const auto at = quantities.find(name);
  if (at == quantities.end()) node.reject(fmt::format("no quantity is called '{}'", name));
  return at == quantities.end() ? nullptr : &at->second;
}

PipelineSource read_pipelines(const Node& node, const Quantities& quantities) {
  const Fields fields = node.fields({"stages", "work", "bytes", "tile", "alone", "sources"});
  PipelineSource pipelines;
  pipelines.stages = fields.get("stages").text();
  pipelines.work = fields.get("work").text();
  for (const Node& factor : fields.get("bytes").items()) pipelines.bytes.factors.push_back(factor.value());
  pipelines.tile = fields.get("tile").text();
  pipelines.alone = read_cases(fields.get("alone"));
  for (const Node& item : fields.get("sources").items()) {
    const Fields of = item.fields({"source", "tiles", "issue", "latency", "rate"});
    CopySource source;
    source.source = of.get("source").text();
    for (const Node& tile : of.get("tiles").items_or_self()) source.tiles.push_back(read_cases(tile));
    source.issue = read_quantity(of.get("issue"), quantities);
    source.latency = read_quantity(of.get("latency"), quantities);
    source.rate = read_quantity(of.get("rate"), quantities);
    pipelines.sources.push_back(std::move(source));
  }
  return pipelines;
}

}  // namespace

Expected<KernelDesign> parse_kernel_design(const std::string& file, std::string_view text,
                                           const Quantities& quantities) {
  const auto document = WARPCLOCK_TRY(Document::parse(file, text));
  const Fields fields = document.root().fields({"handoffs", "pipelines"});
  KernelDesign design;
  for (const Node& item : fields.get("handoffs").items()) design.handoffs.push_back(read_handoff(item));
  design.pipelines = read_pipelines(fields.get("pipelines"), quantities);
  if (const std::optional<Error>& error = document.error()) return std::unexpected(*error);
  return design;
}

const Expected<KernelDesign>& known_kernel_design() {
  static const Expected<KernelDesign> known = []() -> Expected<KernelDesign> {
    const Expected<Quantities>& quantities = known_quantities();
    if (!quantities) return std::unexpected(quantities.error());
    return parse_kernel_design("kernels.yaml", embedded_assets().at("kernels.yaml"), *quantities);
  }();
  return known;
}

}  // namespace warpclock
