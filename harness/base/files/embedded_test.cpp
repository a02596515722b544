#include "base/files/embedded.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "base/files/file.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

const std::filesystem::path source = WARPCLOCK_SOURCE_DIR;

TEST(Embedded, ProbesAreTheFilesOfTheRepository) {
  constexpr std::array<std::string_view, 2> endings = {".cu", ".cuh"};
  const auto files = must(read_folder(source / "probes", endings));
  EXPECT_TRUE(files.contains("probe.cuh"));
  EXPECT_TRUE(embedded_probes() == files);
}

TEST(Embedded, ConfigsAreTheFilesOfTheRepository) {
  constexpr std::array<std::string_view, 1> endings = {".yaml"};
  const auto files = must(read_folder(source / "configs", endings));
  EXPECT_TRUE(files.contains("shuffle.yaml"));
  EXPECT_TRUE(embedded_configs() == files);
}

}  // namespace
}  // namespace warpclock
