#include "report/html/html_page.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <array>

#include "base/escape.hpp"
#include "base/files/marked.hpp"
#include "base/files/packed_file.hpp"

namespace warpclock {
namespace {

constexpr std::string_view icon =
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' "
    "r='7.5' "
    "fill='%230b5cab'/%3E%3Cpath d='M8 3.5V8l3.5 2' stroke='white' fill='none' stroke-width='1.6'/%3E%3C/svg%3E";

std::string site_link(const std::string& href, const std::string& text, bool here, const char* css = "") {
  return fmt::format("<a{} href=\"{}\"{}>{}</a>", css, escape(href), here ? " aria-current=\"page\"" : "",
                     escape(text));
}

/// Two letters for 13 bits, the first bits first; what is left at the end is one letter if it is at most six bits. The
/// letters are those of ASCII that mean nothing in HTML and XML. Base64 would take 8 % more.
std::string lettered(std::string_view bytes) {
  constexpr unsigned base = 91, pair_bits = 13, letter_bits = 6;
  static_assert(base * base >= 1u << pair_bits);
  const auto letter = [](unsigned digit) {
    std::string_view skipped = "&<>";
    unsigned code = '!' + digit;
    for (const char each : skipped) code += code >= static_cast<unsigned>(each) ? 1 : 0;
    return static_cast<char>(code);
  };
  std::string out;
  unsigned held = 0, bits = 0;
  for (const char byte : bytes) {
    held = held << 8 | static_cast<unsigned char>(byte), bits += 8;
    if (bits < pair_bits) continue;
    bits -= pair_bits;
    const unsigned value = held >> bits;
    held &= (1u << bits) - 1;
    out += letter(value / base), out += letter(value % base);
  }
  if (bits == 0) return out;
  if (bits <= letter_bits) return out + letter(held << (letter_bits - bits));
  held <<= pair_bits - bits;
  return out + letter(held / base) + letter(held % base);
}

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

std::string site_bar(const PagePlace& place, const std::string& placeholder) {
  const bool any_page = !place.links.empty();
  bool inner = false;  // one of the GPU's pages, not its overview
  for (const PageLink& link : place.links) inner = inner || link.here;
  std::string pages;
  if (!place.all.empty()) pages += site_link(place.all, "all GPUs", !any_page, " class=\"up\"");
  if (!place.gpu.empty()) {
    const std::string name = place.gpu_name.empty() ? "this GPU" : place.gpu_name;
    pages += site_link(place.gpu, name, any_page && !inner, " class=\"up\"");
  }
  for (const PageLink& link : place.links) pages += site_link(link.href, link.text, link.here);
  if (!pages.empty()) pages = "<nav class=\"pages\" aria-label=\"pages\">" + pages + "</nav>";
  return "<header class=\"bar\"><a class=\"brand\" href=\"" + (place.all.empty() ? "#" : escape(place.all)) +
         "\">warpclock</a><div class=\"tools\" hidden=\"\"><input id=\"search\" type=\"search\" placeholder=\"" +
         escape(placeholder) +
         "\" aria-label=\"search\" aria-controls=\"hits\" autocomplete=\"off\" spellcheck=\"false\"/>"
         "<button type=\"button\" id=\"theme\" aria-label=\"light or dark\">\xE2\x97\x90</button></div>" +
         pages + "</header>\n<div id=\"hits\" hidden=\"\"></div>\n";
}

std::string search_data(const PagePlace& place) {
  if (place.search.empty()) return {};
  return fmt::format("<script type=\"application/octet-stream\" id=\"index\" data-to=\"{}\">{}</script>\n",
                     escape(place.to_gpu), place.search);
}

std::string packed(std::string_view text) { return lettered(deflate_raw(text)); }

std::string put_later(Parts& parts, const std::string& markup) {
  const std::string id = fmt::format("part-{}", parts.size());
  parts[id] = markup;
  return fmt::format("<div class=\"all\" id=\"{}\"></div>", id);
}

std::string packed_data(std::string_view id, const Json& data) {
  if (data.empty()) return {};
  return fmt::format("<script type=\"application/octet-stream\" id=\"{}\">{}</script>\n", id, packed(compact(data)));
}

std::string csp_hash(std::string_view text) {
  std::array<char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(),
         reinterpret_cast<unsigned char*>(digest.data()));
  std::array<char, (SHA256_DIGEST_LENGTH + 2) / 3 * 4 + 1> letters{};
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(letters.data()),
                  reinterpret_cast<const unsigned char*>(digest.data()), digest.size());
  return std::string("sha256-") + letters.data();
}

}  // namespace warpclock
