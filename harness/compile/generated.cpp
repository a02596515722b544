#include "compile/generated.hpp"

#include <fmt/format.h>

#include "base/hash.hpp"
#include "compile/compiler/compiler.hpp"
#include "ptx/experiment/frame.hpp"
#include "ptx/experiment/kernel.hpp"

namespace warpclock {
namespace {

constexpr std::string_view folder = "generated/";

void append_named(std::string_view text, const std::string& symbol, std::string& to) {
  while (true) {
    const auto at = text.find(kernel_mark);
    to += text.substr(0, at);
    if (at == text.npos) return;
    to += symbol;
    text.remove_prefix(at + kernel_mark.size());
  }
}

}  // namespace

std::string generate(const PtxInstruction& instruction, const Experiment& experiment,
                     const std::vector<std::int64_t>& repeats, Sources& sources) {
  std::vector<std::string> texts;
  Hash hash;
  for (const std::int64_t n : repeats) {
    texts.push_back(kernel_ptx(instruction, experiment, n));
    hash.add_field(texts.back());
  }
  std::string kernel = fmt::format("{}{}", folder, hash.hex());
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    sources.emplace(generated_source(kernel, repeats[i]), std::move(texts[i]));
  }
  return kernel;
}

bool is_generated(std::string_view kernel) { return kernel.starts_with(folder); }

std::string generated_source(const std::string& kernel, std::int64_t n) { return fmt::format("{}/{}.ptx", kernel, n); }

Expected<std::string> ptx_module(const std::vector<const Case*>& cases, const Sources& sources, const Target& target) {
  std::string text =
      fmt::format(".version {}\n.target {}\n.address_size 64\n", ptx_isa_version(), to_string(target.arch));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (const std::int64_t n : cases[i]->repeats) {
      const auto at = sources.find(generated_source(cases[i]->kernel, n));
      if (at == sources.end()) {
        return fail("compile-error", fmt::format("no kernel of {} copies was generated for '{}'", n, cases[i]->kernel));
      }
      append_named(at->second, kernel_symbol(i, n), text);
    }
  }
  return text;
}

}  // namespace warpclock
