#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/text.hpp"
#include "build/disassembler.hpp"
#include "build/nvdisasm.hpp"
#include "build/ptxas.hpp"
#include "compose/hole.hpp"
#include "ptx/frame.hpp"

namespace warpclock::testing {

inline Expected<std::vector<Listing>> listings_of(const std::string& arch, const std::string& image) {
  static Disassembler disassembler;
  const auto nvdisasm = find_nvdisasm();
  if (!nvdisasm) return std::unexpected(nvdisasm.error());
  const auto read = disassembler.read(*nvdisasm, parse_arch(arch).value(), {image});
  if (!read.front()) return std::unexpected(read.front().error());
  std::string text;
  for (const auto& [kernel, part] : *read.front()) text += part;
  return parse_listings(text);
}

/// The kernels are called "hole0" and so on.
inline Expected<Hole> make_hole(const std::string& arch, const std::string& source) {
  const auto ptxas = find_ptxas();
  if (!ptxas) return std::unexpected(ptxas.error());
  CompileRequest request;
  request.target = target_for(parse_arch(arch).value()).value();
  request.unit = fmt::format(".version {}\n.target {}\n.address_size 64\n{}", ptx_isa_version(), arch,
                             replace_all(source, kernel_mark, "hole"));
  Compilation done = assemble(*ptxas, request);
  if (done.status != Compilation::Status::Done) return fail("compile-error", done.log);
  const auto listings = listings_of(arch, done.image);
  if (!listings) return std::unexpected(listings.error());
  return find_hole(std::move(done.image), *listings);
}

}  // namespace warpclock::testing
