#include "report/html/html_page.hpp"

#include <fmt/format.h>

#include <string_view>

#include "base/escape.hpp"
#include "base/files/marked.hpp"
#include "report/html/html_encoding.hpp"

namespace warpclock {
namespace {

constexpr std::string_view icon =
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' "
    "r='7.5' "
    "fill='%230b5cab'/%3E%3Cpath d='M8 3.5V8l3.5 2' stroke='white' fill='none' stroke-width='1.6'/%3E%3C/svg%3E";

}  // namespace

std::string html_head(const std::string& title, const std::string& style, const std::vector<std::string>& scripts) {
  std::string allowed;
  for (const std::string& script : scripts) allowed += (allowed.empty() ? "'" : " '") + csp_hash(script) + "'";
  const std::string policy = fmt::format(
      "default-src 'none'; img-src data:; style-src '{}'; script-src {}; base-uri 'none'; form-action 'none'",
      csp_hash(style), allowed);
  return fmt::format(
      "<head><meta charset=\"utf-8\"/>{}<meta http-equiv=\"Content-Security-Policy\" content=\"{}\"/>"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/><meta name=\"color-scheme\" "
      "content=\"light dark\"/>"
      "<meta name=\"referrer\" content=\"no-referrer\"/><link rel=\"icon\" href=\"{}\"/><title>{} \xC2\xB7 "
      "warpclock</title>"
      "<style>{}</style></head>\n",
      html_mark, escape(policy), escape(icon), escape(title), style);
}

}  // namespace warpclock
