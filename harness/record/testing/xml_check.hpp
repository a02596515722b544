#pragma once

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpclock::testing {

/// Why `text` is not one well-formed XML element (after a doctype or an XML declaration, if any), or an empty string.
/// Checks that elements nest and close, that attributes are quoted and unique, that `<` and `&` occur only where XML
/// 1.0 allows them, and that there is no forbidden character.
inline std::string xml_error(std::string_view text) {
  std::vector<std::string> open;
  std::size_t roots = 0;
  const auto at_name = [&](std::size_t& i) {
    const std::size_t from = i;
    while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) ||
                               std::string_view("-:_").find(text[i]) != std::string_view::npos))
      ++i;
    return std::string(text.substr(from, i - from));
  };
  const auto reference = [&](std::size_t i) {
    const std::string_view rest = text.substr(i, 10);
    for (const std::string_view known : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}) {
      if (rest.starts_with(known)) return true;
    }
    const std::size_t end = rest.find_first_not_of("0123456789abcdef", 3);
    return rest.starts_with("&#x") && end > 3 && end < rest.size() && rest[end] == ';';
  };
  const auto wrong = [&](std::size_t i, const std::string& what) {
    return what + " at " + std::to_string(i) + ": " + std::string(text.substr(i > 40 ? i - 40 : 0, 80));
  };
  std::size_t i = text.starts_with("<!DOCTYPE html>\n") || text.starts_with("<?xml ") ? text.find('>') + 1 : 0;
  while (i < text.size()) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') return wrong(i, "control character");
    if (c == '&' && !reference(i)) return wrong(i, "bare &");
    if (c != '<') {
      if (open.empty() && c != '\n') return wrong(i, "text outside the root");
      ++i;
      continue;
    }
    ++i;
    if (i < text.size() && text[i] == '/') {
      ++i;
      const std::string name = at_name(i);
      if (open.empty() || open.back() != name) return wrong(i, "</" + name + "> closes nothing");
      open.pop_back();
      if (i >= text.size() || text[i] != '>') return wrong(i, "unfinished end tag");
      ++i;
      continue;
    }
    const std::string name = at_name(i);
    if (name.empty()) return wrong(i, "bare <");
    if (open.empty() && ++roots > 1) return wrong(i, "second root");
    std::vector<std::string> attributes;
    while (i < text.size() && text[i] == ' ') {
      ++i;
      const std::string attribute = at_name(i);
      if (attribute.empty() || !text.substr(i).starts_with("=\"")) return wrong(i, "attribute without a quoted value");
      for (const std::string& other : attributes) {
        if (other == attribute) return wrong(i, "attribute twice");
      }
      attributes.push_back(attribute);
      for (i += 2; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '<' || (text[i] == '&' && !reference(i))) return wrong(i, "bare character in an attribute");
      }
      ++i;
    }
    const bool closed = text.substr(i).starts_with("/>");
    if (!closed && (i >= text.size() || text[i] != '>')) return wrong(i, "unfinished tag " + name);
    if (!closed) open.push_back(name);
    i += closed ? 2 : 1;
  }
  if (!open.empty()) return "<" + open.back() + "> is never closed";
  return roots == 1 ? "" : "no root";
}

/// The page without the content of its style and of its first and last script. A script between these holds data.
inline std::string without_assets(std::string page) {
  for (const std::string_view tag : {"style", "script"}) {
    const std::string begin = "<" + std::string(tag) + ">", end = "</" + std::string(tag) + ">";
    for (const std::size_t from : {page.rfind(begin), page.find(begin)}) {
      const std::size_t to = page.find(end, from);
      if (from != std::string::npos && to != std::string::npos)
        page.erase(from + begin.size(), to - from - begin.size());
    }
  }
  return page;
}

}  // namespace warpclock::testing
