#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/files/file.hpp"
#include "code/toolkit.hpp"
#include "compile/compiler/compiler.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "inspect/load.hpp"

namespace warpclock::testing {

inline const std::string inspect_data = WARPCLOCK_SOURCE_DIR "/harness/inspect/testdata/";

inline std::string inspect_file(const std::string& name) { return read_file(inspect_data + name).value(); }

inline LoadOptions options_for(const Arch& arch, bool given = false) {
  LoadOptions options;
  options.arch = arch;
  options.arch_given = given;
  options.nvdisasm = find_nvdisasm().value();
  return options;
}

/// kernels.cu, compiled now.
inline Compilation compiled_kernels(const Arch& arch) {
  CompileRequest request;
  request.unit = inspect_file("kernels.cu");
  request.name = "/kernels.cu";  // absolute, so that it holds no folder of this machine
  request.target = target_for(arch).value();
  request.line_info = true;
  Compilation done = compile(request);
  EXPECT_EQ(done.status, Compilation::Status::Done) << done.log;
  return done;
}

/// kernels.cu as ptxas 13.0 compiled it for sm_90a (kernels.cubin) and nvdisasm 13.5 printed that (kernels.sass), so
/// that tests do not depend on what is installed.
inline LoadedFile recorded_kernels() {
  LoadedFile file{"cubin", {90, true}, {}};
  const std::string sass = inspect_file("kernels.sass");
  const auto facts = kernel_facts(inspect_file("kernels.cubin")).value();
  const auto lines = source_lines(sass);
  auto listings = parse_listings(sass).value();
  for (Listing& listing : listings) {
    LoadedKernel kernel{facts.find(listing.kernel)->second, {}, {}};
    for (const auto& [name, all] : lines) {
      if (name == listing.kernel) kernel.lines = all;
    }
    kernel.listing = std::move(listing);
    file.kernels.push_back(std::move(kernel));
  }
  return file;
}

inline const LoadedKernel& recorded_kernel(const std::string& name) {
  static const LoadedFile file = recorded_kernels();
  for (const LoadedKernel& kernel : file.kernels) {
    if (kernel.listing.kernel == name) return kernel;
  }
  ADD_FAILURE() << name;
  return file.kernels.front();
}

}  // namespace warpclock::testing
