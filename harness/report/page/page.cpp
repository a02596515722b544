#include "report/page/page.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "answer/numbers/device_words.hpp"
#include "base/escape.hpp"
#include "base/files/embedded.hpp"
#include "base/files/marked.hpp"
#include "base/files/packed_file.hpp"
#include "base/text.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {
namespace {

/// The path from one folder of a GPU to a file in another.
std::string href(const std::string& from, const std::string& to, const char* file) {
  if (from == to) return file;
  return (from.empty() ? "" : "../") + (to.empty() ? "" : to + "/") + file;
}

struct RecordPage {
  RecordFile kind;
  const char *what, *file;
};

constexpr std::array<RecordPage, 4> record_pages{{{RecordFile::Result, "", "report.html"},
                                                  {RecordFile::Instructions, "instructions", "instructions.html"},
                                                  {RecordFile::Machine, "machine instructions", "machine.html"},
                                                  {RecordFile::Cases, "predictions", "cases.html"}}};

/// The place of the page of a record, or of the overview if there is no kind.
PagePlace place_in(const GpuFolder& gpu, std::optional<RecordFile> kind, const std::string& from,
                   const DeviceFacts& device) {
  PagePlace place{.suite = page_name(from), .gpu_name = device.name, .to_gpu = from.empty() ? "" : "../"};
  for (const RecordPage& page : record_pages) {
    const auto of_kind = gpu.find(page.kind);
    if (of_kind == gpu.end()) continue;
    const std::string what = page.what;
    for (const auto& [folder, other] : of_kind->second) {
      const std::string text = page_name(folder, what);
      const bool here = page.kind == kind && folder == from;
      place.links.push_back({text, href(from, folder, page.file), std::string(same_gpu(device, other)), here});
    }
  }
  return place;
}

}  // namespace

PagePlace place_of(const GpuFolder& gpu, RecordFile kind, const std::string& folder) {
  return place_in(gpu, kind, folder, gpu.at(kind).at(folder));
}

PagePlace place_of_overview(const GpuFolder& gpu, const std::string& gpu_name) {
  PagePlace place = place_in(gpu, std::nullopt, "", {});
  place.gpu_name = gpu_name;
  return place;
}

std::string pages_in_words(const PagePlace& place) {
  std::vector<std::string> words;
  for (const PageLink& link : place.links) {
    if (!link.here) words.push_back(fmt::format("{} ({})", link.text, link.gpu));
  }
  return join(words, ", ");
}

namespace {

constexpr std::string_view icon =
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' "
    "r='7.5' fill='%230b5cab'/%3E%3Cpath d='M8 3.5V8l3.5 2' stroke='white' fill='none' "
    "stroke-width='1.6'/%3E%3C/svg%3E";

/// Between search.js with base.js, which all pages have, and start.js.
const std::map<std::string, std::vector<std::string>>& scripts() {
  static const std::map<std::string, std::vector<std::string>> all = {
      {"suite", {"chart", "table", "evidence", "layouts", "picture", "sections", "suite"}},
      {"instructions", {"chart", "table", "evidence", "instructions"}},
      {"machine", {"chart", "table", "evidence", "instructions", "relations", "machine"}},
      {"sheet", {"chart", "table", "picture", "sheet"}},
      {"cases", {"chart", "table", "sheet", "cases"}},
      {"fleet", {"table", "sheet", "fleet"}},
      {"inspect", {"table", "inspect"}},
      {"predict", {"predict"}}};
  return all;
}

std::string base64(std::string_view bytes) {
  std::string letters((bytes.size() + 2) / 3 * 4 + 1, '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(letters.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  letters.pop_back();
  return letters;
}

std::string site_link(const std::string& href, const std::string& text, bool here, bool up) {
  return fmt::format("<a{} href=\"{}\"{}>{}</a>", up ? " class=\"up\"" : "", escape(href),
                     here ? " aria-current=\"page\"" : "", escape(text));
}

/// For a page without JavaScript.
std::string file_link(const std::string& href, std::string_view says) {
  return fmt::format("; <a href=\"{0}\">{0}</a> {1}", escape(href), says);
}

std::string data(std::string_view about, std::string_view text) {
  return fmt::format("<script type=\"application/octet-stream\" {}>{}</script>\n", about, text);
}

}  // namespace

std::string packed(std::string_view text) { return base64(gzip_compress(text)); }

std::string csp_hash(std::string_view text) {
  std::array<char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(),
         reinterpret_cast<unsigned char*>(digest.data()));
  return "sha256-" + base64({digest.data(), digest.size()});
}

namespace {

/// The head element of a self-contained page: its style, and a policy that allows only that style and those scripts.
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

}  // namespace

std::string site_bar(const PagePlace& place, const std::string& placeholder) {
  const bool inner = std::ranges::any_of(place.links, &PageLink::here), any = !place.links.empty();
  std::string links;
  if (!place.all.empty()) links += site_link(place.all, "all GPUs", !any, true);
  if (!place.gpu.empty())
    links += site_link(place.gpu, place.gpu_name.empty() ? "this GPU" : place.gpu_name, any && !inner, true);
  for (const PageLink& link : place.links) links += site_link(link.href, link.text, link.here, false);
  return fmt::format(
      "<header class=\"bar\"><a class=\"brand\" href=\"{}\">warpclock</a><nav class=\"pages\" aria-label=\"pages\">{}"
      "</nav><div class=\"tools\" hidden=\"\"><input id=\"search\" type=\"search\" placeholder=\"{}\" "
      "aria-label=\"search\" aria-controls=\"hits\" autocomplete=\"off\" spellcheck=\"false\"/><button type=\"button\" "
      "id=\"theme\" aria-label=\"light or dark\">\xE2\x97\x90</button></div></header>\n<div id=\"hits\" "
      "hidden=\"\"></div>\n",
      place.all.empty() ? "#" : escape(place.all), links, escape(placeholder));
}

Json in_columns(Json record) {
  for (auto& [name, value] : record.items()) {
    if (value.is_array() && !value.empty() &&
        std::ranges::all_of(value, [](const Json& each) { return each.is_object(); }))
      value = columns_of(value);
  }
  return record;
}

std::string page_script(const std::string& kind) {
  const auto assets = embedded_assets();
  std::string script = "\"use strict\";\n" + assets.at("base.js") + assets.at("search.js");
  for (const std::string& name : scripts().at(kind)) script += assets.at(name + ".js");
  return script + assets.at("start.js");
}

std::string render_page(const Page& page) {
  const auto assets = embedded_assets();
  const std::string &style = assets.at("page.css"), boot = assets.at("inflate.js") + assets.at("boot.js"),
                    program = page_script(page.kind);
  std::string carried = data("id=\"program\"", packed(program));
  const std::string hub = page.place.gpu.empty() ? page.place.all : page.place.gpu;
  const std::string summary = hub.empty() ? "" : file_link(replace_all(hub, "index.html", "README.md"), "is a summary"),
                    table = page.data.empty() ? "" : file_link(page.data, "has the data");
  for (const Json& record : page.records) carried += data("class=\"record\"", packed(compact(in_columns(record))));
  if (!page.extras.empty()) carried += data("id=\"extras\"", packed(compact(in_columns(page.extras))));
  if (!page.place.search.empty())
    carried += data(fmt::format("id=\"index\" data-to=\"{}\"", escape(page.place.to_gpu)), page.place.search);
  return ascii_markup(fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\" data-page=\"{}\">{}<body><a class=\"skip\" href=\"#main\">Skip to the "
      "numbers</a>\n{}<div class=\"page\"><nav class=\"sections\" id=\"sections\" aria-label=\"sections\"></nav><main "
      "id=\"main\"><h1>{}</h1><p class=\"rule\">{}</p><noscript><p class=\"warning\">What was measured needs "
      "JavaScript to be shown here{}{}.</p></noscript></main></div>\n{}<script>{}</script>"
      "</body></html>\n",
      escape(page.kind), html_head(page.title, style, {boot, program}), site_bar(page.place, page.placeholder),
      escape(page.title), escape(page.lead), summary, table, carried, boot));
}

}  // namespace warpclock
