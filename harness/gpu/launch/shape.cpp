#include "gpu/launch/shape.hpp"

#include <fmt/format.h>

namespace warpclock {

Expected<Shape> resolve_shape(const Launch& launch, const ShapeLimits& limits) {
  const auto refuse = [](std::string text) { return fail("launch", std::move(text)); };
  if (launch.warps < 1 || launch.warps > limits.threads_per_block / 32) {
    return refuse(fmt::format("{} warps a block; this kernel can have 1 to {} ({} threads)", launch.warps,
                              limits.threads_per_block / 32, limits.threads_per_block));
  }
  std::int64_t blocks = launch.blocks;
  if (launch.blocks_per_sm != 0) {
    if (launch.blocks_per_sm < 0 || limits.sms < 1 || launch.blocks_per_sm > limits.blocks / limits.sms) {
      return refuse(fmt::format("{} blocks for each of {} SMs; a grid can have {}", launch.blocks_per_sm, limits.sms,
                                limits.blocks));
    }
    blocks = launch.blocks_per_sm * limits.sms;
  }
  if (blocks < 1 || blocks > limits.blocks) {
    return refuse(fmt::format("{} blocks; a grid can have 1 to {}", blocks, limits.blocks));
  }
  if (launch.cluster < 1 || launch.cluster > limits.cluster) {
    return refuse(fmt::format("clusters of {} blocks; this device can have 1 to {}", launch.cluster, limits.cluster));
  }
  if (blocks % launch.cluster != 0) {
    return refuse(fmt::format("{} blocks are no multiple of the cluster's {}", blocks, launch.cluster));
  }
  const std::int64_t shared = limits.shared_per_block - limits.static_shared;
  if (launch.shared_bytes < 0 || launch.shared_bytes > shared) {
    return refuse(
        fmt::format("{} bytes of dynamic shared memory a block; this kernel can have {} ({} less {} of its own)",
                    launch.shared_bytes, shared, limits.shared_per_block, limits.static_shared));
  }
  return Shape{.blocks = static_cast<unsigned>(blocks),
               .threads = static_cast<unsigned>(launch.warps * 32),
               .cluster = static_cast<unsigned>(launch.cluster),
               .shared_bytes = static_cast<unsigned>(launch.shared_bytes)};
}

std::string to_string(const Shape& shape) {
  return fmt::format("{} blocks of {} threads, clusters of {}, {} B of dynamic shared memory", shape.blocks,
                     shape.threads, shape.cluster, shape.shared_bytes);
}

}  // namespace warpclock
