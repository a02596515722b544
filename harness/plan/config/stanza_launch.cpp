#include "base/lookup.hpp"
#include "plan/config/stanza.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 36;

bool has_stride(const std::string& fill) { return fill == "pointers" || fill == "chase" || fill == "indices"; }

std::vector<Product> read_extents(const Node& node, const Scope& scope, Range range) {
  constexpr std::size_t most_dimensions = 5;  // PTX ISA, "Tensor Dimension, size and format"
  auto extents = mapped(node.items(), [&](const Node& item) { return read_product(item, scope, range); });
  if (extents.size() > most_dimensions) node.reject("a tensor has at most five dimensions");
  return extents;
}

std::vector<std::int64_t> read_corner(const Node& node) {
  constexpr std::int64_t farthest = 128;  // the widest range, that of a tensor with one spatial dimension
  return mapped(node.items(), [&](const Node& item) { return item.integer(-farthest, farthest - 1); });
}

void read_im2col(const Node& node, const Scope& scope, TensorSpec& tensor) {
  constexpr std::size_t others = 2;  // the dimensions that are not spatial: channels and images
  const Fields fields = node.fields({"lower", "upper", "channels", "pixels"});
  tensor.lower = read_corner(fields.get("lower"));
  tensor.upper = read_corner(fields.get("upper"));
  tensor.channels = read_product(fields.get("channels"), scope, {1, 256});
  tensor.pixels = read_product(fields.get("pixels"), scope, {1, 1024});
  if (node.failed()) return;
  if (tensor.lower.size() + others != tensor.dims.size() || tensor.upper.size() != tensor.lower.size()) {
    node.reject("the corners have a coordinate for each dimension but the innermost and the outermost");
  }
}

TensorSpec read_tensor(const Node& node, const Scope& scope) {
  const TensorWords& words = tensor_words();
  TensorSpec tensor;
  const Fields fields = node.fields({"type", "dims", "box", "swizzle", "interleave", "promotion", "oob", "im2col"});
  tensor.type = read_word(fields.get("type"), scope, words.type);
  tensor.dims = read_extents(fields.get("dims"), scope, {1, std::int64_t{1} << 32});
  if (const auto at = fields.find("swizzle")) tensor.swizzle = read_word(*at, scope, words.swizzle);
  if (const auto at = fields.find("interleave")) tensor.interleave = read_word(*at, scope, words.interleave);
  if (const auto at = fields.find("promotion")) tensor.promotion = read_word(*at, scope, words.promotion);
  if (const auto at = fields.find("oob")) tensor.oob = read_word(*at, scope, words.oob);
  if (const auto at = fields.find("im2col")) {
    if (const auto box = fields.find("box")) box->reject("a map has either a box or im2col");
    read_im2col(*at, scope, tensor);
    return tensor;
  }
  const Node box = fields.get("box");
  tensor.box = read_extents(box, scope, {1, 256});
  if (!node.failed() && tensor.box.size() != tensor.dims.size())
    box.reject("a box has as many dimensions as its tensor");
  return tensor;
}

}  // namespace

const std::vector<std::string>& memory_names() {
  static const std::vector<std::string> names = {"self", "peer"};
  return names;
}

const std::vector<std::string>& texel_names() {
  static const std::vector<std::string> names = {"u32", "f32", "u32x4"};
  return names;
}

const std::vector<std::string>& fill_names() {
  static const std::vector<std::string> names = {"zeros", "bits", "unit", "lanes", "pointers", "chase", "indices"};
  return names;
}

const std::vector<std::string>& places_names() {
  static const std::vector<std::string> names = {"none", "clocks", "written"};
  return names;
}

const std::vector<std::string>& launch_by_names() {
  static const std::vector<std::string> names = {"stream", "graph", "cooperative", "dependent"};
  return names;
}

LaunchSpec read_launch(const Node& node, const Scope& scope) {
  constexpr std::int64_t most_blocks = INT32_MAX;
  constexpr std::int64_t most_warps = 32;
  constexpr std::int64_t most_cluster = 16;
  constexpr std::int64_t most_shared = 1 << 20;
  constexpr std::int64_t most_launches = 1000;
  LaunchSpec launch;
  const Fields fields = node.fields({"blocks", "warps", "cluster", "shared_bytes", "carveout", "persisting",
                                     "hit_ratio", "warmups", "launches", "by"});
  if (const auto at = fields.find("blocks")) launch.blocks = read_product(*at, scope, {1, most_blocks}, Extra::Sms);
  if (const auto at = fields.find("warps")) launch.warps = read_product(*at, scope, {1, most_warps});
  if (const auto at = fields.find("cluster")) launch.cluster = read_product(*at, scope, {1, most_cluster});
  if (const auto at = fields.find("shared_bytes")) launch.shared_bytes = read_product(*at, scope, {0, most_shared});
  if (const auto at = fields.find("carveout")) launch.carveout = read_product(*at, scope, {0, 100});
  if (const auto at = fields.find("persisting")) launch.persisting = read_product(*at, scope, {1, most_bytes});
  if (const auto at = fields.find("hit_ratio")) {
    launch.hit_ratio = read_product(*at, scope, {0, 100});
    if (launch.persisting.factors.empty()) at->reject("goes with 'persisting' only");
  }
  if (const auto at = fields.find("warmups")) launch.warmups = static_cast<int>(at->integer(0, most_launches));
  if (const auto at = fields.find("launches")) launch.launches = static_cast<int>(at->integer(1, most_launches));
  if (const auto at = fields.find("by")) launch.by = read_word(*at, scope, launch_by_names());
  return launch;
}

DataSpec read_data(const Node& node, const Scope& scope) {
  DataSpec data;
  const Fields fields = node.fields({"bytes", "fill", "stride", "cold", "memory", "tensor", "texture"});
  if (const auto at = fields.find("bytes")) data.bytes = read_product(*at, scope, {4, most_bytes});
  if (const auto at = fields.find("fill")) data.fill = read_word(*at, scope, fill_names());
  if (const auto at = fields.find("stride")) {
    data.stride = read_product(*at, scope, {data.fill == "indices" ? 4 : 8, most_bytes});
    if (!has_stride(data.fill))
      at->reject("a stride goes with 'fill: pointers', 'fill: chase' and 'fill: indices' only");
  } else if (has_stride(data.fill) && !node.failed()) {
    node.reject("a chain of places needs a stride");
  }
  if (const auto at = fields.find("cold")) data.cold = at->boolean();
  if (const auto at = fields.find("memory")) data.memory = read_word(*at, scope, memory_names());
  if (const auto at = fields.find("tensor")) data.tensor = read_tensor(*at, scope);
  if (const auto at = fields.find("texture")) data.texel = read_word(*at, scope, texel_names());
  return data;
}

}  // namespace warpclock
