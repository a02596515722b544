#include "compile/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "base/hash.hpp"
#include "base/lookup.hpp"
#include "compile/compiler/compiler.hpp"
#include "compile/compiler/source_file.hpp"
#include "ptx/experiment/frame.hpp"
#include "ptx/experiment/kernel.hpp"

namespace warpclock {
namespace {

bool identifier_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string macro_name(std::string_view name) {
  std::string macro;
  for (const char c : name) {
    if (!identifier_character(c)) {
      macro += '_';
    } else {
      macro += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
  }
  return macro;
}

std::string literal(std::string_view word) {
  std::string text = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') text += '\\';
    text += c == '\n' || c == '\r' ? ' ' : c;
  }
  return text + '"';
}

using Macros = std::vector<std::pair<std::string, std::string>>;

Macros macros_of(const Case& c, const std::string& symbol, std::int64_t n) {
  Macros macros{{"KERNEL", symbol}, {"N", std::to_string(n)}};
  if (std::ranges::none_of(c.parameters, [](const auto& p) { return macro_name(p.first) == "WARPS"; })) {
    macros.emplace_back("WARPS", std::to_string(c.launch.warps));
  }
  for (const auto& [name, value] : c.parameters) {
    if (name == c.along) continue;
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      macros.emplace_back(macro_name(name), *number < 0 ? fmt::format("({})", *number) : std::to_string(*number));
    } else {
      const auto& word = std::get<std::string>(value);
      macros.emplace_back(macro_name(name), literal(word));
      macros.emplace_back(word_macro(name, word), "1");
    }
  }
  return macros;
}

/// The identifiers in a probe and its includes, outside comments that begin with `//`. Nothing if any identifier may be
/// formed, by pasting.
std::optional<std::set<std::string_view>> names_in(const std::string& kernel, const Sources& sources) {
  const auto paths = included_sources(kernel, sources);
  if (!paths) return std::nullopt;
  std::set<std::string_view> names;
  for (const std::string& path : *paths) {
    const std::string_view text = sources.at(path);
    if (text.find("##") != text.npos) return std::nullopt;
    for (std::size_t at = 0; at < text.size();) {
      if (text.substr(at).starts_with("//")) {
        at = std::min(text.find('\n', at), text.size());
      } else if (!identifier_character(text[at])) {
        ++at;
      } else {
        const std::size_t from = at;
        while (at < text.size() && identifier_character(text[at])) ++at;
        names.insert(text.substr(from, at - from));
      }
    }
  }
  return names;
}

struct Include {
  std::string path;
  int line;
  bool angled;
};

std::vector<Include> includes_of(std::string_view text) {
  std::vector<Include> found;
  constexpr std::string_view blanks = " \t\r";
  for (int line = 1; !text.empty(); ++line) {
    const auto end = text.find('\n');
    std::string_view rest = text.substr(0, end);
    text = end == text.npos ? std::string_view{} : text.substr(end + 1);

    const auto skip = [&](std::string_view word) {
      rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
      if (!rest.starts_with(word)) return false;
      rest.remove_prefix(word.size());
      return true;
    };
    if (!skip("#") || !skip("include")) continue;
    const bool angled = skip("<");
    if (!angled && !skip("\"")) continue;
    const auto close = rest.find(angled ? '>' : '"');
    if (close != rest.npos) found.push_back({std::string(rest.substr(0, close)), line, angled});
  }
  return found;
}

}  // namespace

std::string word_macro(std::string_view name, std::string_view word) {
  std::string macro = macro_name(name) + '_';
  bool gap = true;
  for (const char c : word) {
    if (identifier_character(c)) {
      macro += c;
      gap = false;
    } else if (!gap) {
      macro += '_';
      gap = true;
    }
  }
  return macro;
}

std::string kernel_symbol(std::size_t index, std::int64_t n) { return fmt::format("c{}_n{}", index, n); }

std::string translation_unit(const std::vector<const Case*>& cases, const Sources& sources) {
  // Before the namespaces of the kernels, into which each probe is included. What is included twice is then empty.
  std::string unit;
  const auto to = std::back_inserter(unit);
  for (const auto& header : foreign_headers(mapped(cases, &Case::kernel), sources))
    fmt::format_to(to, "#include <{}>\n", header);
  unit += "#include \"probe.cuh\"\n";
  std::map<std::string_view, std::optional<std::set<std::string_view>>> known;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto [at, fresh] = known.try_emplace(cases[i]->kernel);
    if (fresh) at->second = names_in(cases[i]->kernel, sources);
    const auto& names = at->second;
    for (const std::int64_t n : cases[i]->repeats) {
      const std::string symbol = kernel_symbol(i, n);
      Macros macros = macros_of(*cases[i], symbol, n);
      std::erase_if(macros, [&](const auto& macro) {
        return names && macro.first != "KERNEL" && macro.first != "N" && !names->contains(macro.first);
      });
      fmt::format_to(to, "\nnamespace {}_ns {{\n", symbol);
      for (const auto& [name, value] : macros) fmt::format_to(to, "#define {} {}\n", name, value);
      fmt::format_to(to, "#include \"{}\"\n", cases[i]->kernel);
      for (const auto& [name, value] : macros) fmt::format_to(to, "#undef {}\n", name);
      unit += "}\n";
    }
  }
  return unit;
}

Expected<std::vector<std::string>> included_sources(const std::string& kernel, const Sources& sources) {
  if (!sources.contains(kernel)) return fail("compile-error", fmt::format("there is no probe file '{}'", kernel));
  if (!sources.contains("probe.cuh")) return fail("compile-error", "there is no probe.cuh among the probes");
  std::set<std::string> seen{kernel, "probe.cuh"};
  std::vector<std::string> open(seen.begin(), seen.end());
  while (!open.empty()) {
    const std::string path = std::move(open.back());
    open.pop_back();
    for (auto& include : includes_of(sources.at(path))) {
      if (include.angled) continue;
      if (!sources.contains(include.path)) {
        if (is_toolkit_header(include.path)) continue;
        return fail("compile-error",
                    fmt::format("no file '{}' among the probes (an include names the path below probes/) or the "
                                "headers of the CUDA Toolkit",
                                include.path),
                    fmt::format("{}:{}", path, include.line));
      }
      if (seen.insert(include.path).second) open.push_back(std::move(include.path));
    }
  }
  return std::vector<std::string>(seen.begin(), seen.end());
}

std::vector<std::string> foreign_headers(const std::vector<std::string>& kernels, const Sources& sources) {
  std::vector<std::string> found;
  std::set<std::string> seen;
  for (const std::string& kernel : kernels) {
    if (!seen.insert(kernel).second) continue;
    const auto paths = included_sources(kernel, sources);
    for (const std::string& path : paths.value_or(std::vector<std::string>())) {
      for (Include& include : includes_of(sources.at(path))) {
        if (!include.angled && sources.contains(include.path)) continue;
        if (seen.insert("<" + include.path).second) found.push_back(std::move(include.path));
      }
    }
  }
  return found;
}

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
