#include "report/page/page.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "answer/instructions/instruction_cells.hpp"
#include "answer/markdown_table.hpp"
#include "answer/numbers/figures.hpp"
#include "answer/overview/overview_sheets.hpp"
#include "answer/words/page_words.hpp"
#include "base/escape.hpp"
#include "base/files/embedded.hpp"
#include "base/files/marked.hpp"
#include "base/files/packed_file.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "fleet/fleet.hpp"
#include "inspect/inspection_output.hpp"

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

const char* page_file(RecordFile file) { return std::ranges::find(record_pages, file, &RecordPage::kind)->file; }

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

std::string hashes(const std::vector<std::string>& texts) {
  return join(mapped(texts, [](const std::string& text) { return "'" + csp_hash(text) + "'"; }), " ");
}

/// The head element of a self-contained page: its style, and a policy that allows only these styles, of which the page
/// has the first, and these scripts.
std::string html_head(const std::string& title, const std::vector<std::string>& styles,
                      const std::vector<std::string>& scripts) {
  const std::string policy =
      fmt::format("default-src 'none'; img-src data:; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
                  hashes(styles), hashes(scripts));
  return fmt::format(
      "<head><meta charset=\"utf-8\"/>{}<meta http-equiv=\"Content-Security-Policy\" content=\"{}\"/>"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/><meta name=\"color-scheme\" "
      "content=\"light dark\"/>"
      "<meta name=\"referrer\" content=\"no-referrer\"/><link rel=\"icon\" href=\"{}\"/><title>{} \xC2\xB7 "
      "warpclock</title>"
      "<style>{}</style></head>\n",
      html_mark, escape(policy), escape(icon), escape(title), styles.front());
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
  std::string all = assets.at("base.js") + assets.at("search.js");
  for (const std::string& name : scripts().at(kind)) all += assets.at(name + ".js");
  all += assets.at("start.js");
  // Every page carries it: comments and indentation stay behind.
  std::string script = "\"use strict\";\n";
  for (const std::string& line : split(all, '\n'))
    if (const auto code = trim(line); !code.empty() && !code.starts_with("//")) script += std::string(code) + "\n";
  return script;
}

std::string render_page(const Page& page) {
  const auto assets = embedded_assets();
  const std::string &style = assets.at("page.css"), &parts = assets.at("parts.css"),
                    boot = assets.at("inflate.js") + assets.at("boot.js"), program = page_script(page.kind);
  std::string carried = data("id=\"style\"", packed(parts)) + data("id=\"program\"", packed(program));
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
      escape(page.kind), html_head(page.title, {style, parts}, {boot, program}), site_bar(page.place, page.placeholder),
      escape(page.title), escape(page.lead), summary, table, carried, boot));
}

namespace {

constexpr const char* search = "Search: ldmatrix.x4, cp.async, bank conflict";

/// report.html
std::string render_suite(const Record& record, const PagePlace& place) {
  Json extras = suite_extras(record);
  PagePlace others = place;
  std::erase_if(others.links, [](const PageLink& link) { return link.gpu == same_gpu_words; });
  if (const std::string pages = pages_in_words(others); !pages.empty())
    extras["facts"].push_back({"not measured on this GPU", pages});
  return render_page(
      {.kind = "suite",
       .title = name_of(record.device) + (place.suite.empty() ? "" : ", " + place.suite),
       .lead =
           "A number is published only when its window is verified: the machine code between the two clock reads "
           "was disassembled and proven to be what the probe claims. Every row opens to that code. Rows that failed "
           "are listed with their reason.",
       .placeholder = search,
       .records = {json_of(to_json(shown_part(record)))},
       .extras = std::move(extras),
       .data = "result.json.gz",
       .place = place});
}

}  // namespace

std::string render_instruction_html(std::span<const Record> of, const PagePlace& place) {
  Json tables = Json::array();
  std::vector<Json> records;
  std::vector<std::string> names;
  for (const Record& table : of) {
    names.push_back(name_of(table.device));
    records.push_back(json_of(to_json(shown_part(table))));
    tables.push_back(instruction_words(table, of.front()));
  }
  return render_page(
      {.kind = "instructions",
       .title = "Instructions of " + (names.empty() ? std::string("no GPU") : join(names, ", ")),
       .lead =
           "Latency: cycles from each operand to the result. Results: of threads, per clock and SM, at the plateau. "
           "Interval: cycles between warp instructions of a scheduler. A number is given only where the machine "
           "code that was timed is verified. ! marks a finding; open the row to read it.",
       .placeholder = "Search: fma f32, IMAD.WIDE, rejected ...",
       .records = std::move(records),
       .extras = {{"tables", tables}},
       .data = of.size() == 1 ? "instructions.json.gz" : "",
       .place = place});
}

namespace {

std::string render_machine_html(const Record& table, const PagePlace& place) {
  const MachineCounts all = count_rows(table);
  return render_page(
      {.kind = "machine",
       .title = "Machine instructions of " + name_of(table.device),
       .lead = fmt::format(
           "{} forms; {} have an issue interval, {} a latency from each source operand. Each was composed in machine "
           "code and read back before it ran. Latency: cycles from a source operand (A is the first) to the result. "
           "Minimum stall count: the smallest stall count with which a chain still computes the right result. Encoded: "
           "the fewest cycles that ptxas puts between the instruction and one that reads its result. Interval: cycles "
           "between two of one sub-partition, of many warps; one warp: of a single one. ! marks a finding; open the "
           "row to read it.",
           all.rows, all.intervals, all.complete),
       .placeholder = "Search: HMMA, IMAD.WIDE, scoreboard ...",
       .records = {json_of(to_json(shown_part(table)))},
       .extras = machine_words(table),
       .data = "machine.json.gz",
       .place = place});
}

/// cases.html: kernels with what was predicted, what was measured, and the signed error.
std::string render_kernel_html(const Record& table, const PagePlace& place) {
  return render_page({.kind = "cases",
                      .title = kernel_title(table),
                      .lead = fmt::format("Costs of {}. {}, commit {}.", table.model,
                                          table.provenance.date.substr(0, 10), table.provenance.commit.substr(0, 12)),
                      .placeholder = search,
                      .extras = kernel_words(table),
                      .data = "cases.json.gz",
                      .place = place});
}

}  // namespace

std::string render_record(const Record& record, const PagePlace& place) {
  switch (record.file) {
    case RecordFile::Result:
      return render_suite(record, place);
    case RecordFile::Instructions:
      return render_instruction_html(std::span(&record, 1), place);
    case RecordFile::Machine:
      return render_machine_html(record, place);
    case RecordFile::Cases:
      break;
  }
  return render_kernel_html(record, place);
}

std::string render_index(const std::vector<ReportedGpu>& gpus, const PagePlace& place) {
  return render_page({.kind = "sheet",
                      .title = "Measured GPUs",
                      .lead =
                          "Cycles of instructions and memory accesses. Every number has machine code that was proven "
                          "to be what it claims, and leads to it.",
                      .placeholder = search,
                      .extras = index_sheet(gpus),
                      .place = place});
}

std::string render_gpu(const ReportedGpu& gpu, const PagePlace& place) {
  return render_page({.kind = "sheet",
                      .title = gpu.name() + ", overview",
                      .lead = "Each number leads to the probe that found it.",
                      .placeholder = search,
                      .extras = gpu_sheet(gpu),
                      .place = place});
}

std::string render_fleet(const Fleet& fleet, const GateResult* gate) {
  return render_page(
      {.kind = "fleet",
       .title =
           fmt::format("{}, {}, {}", counted(std::ssize(fleet.gpus), "GPU"), counted(std::ssize(fleet.models), "model"),
                       counted(static_cast<std::int64_t>(fleet.records), "record")),
       .lead = fmt::format(
           "A red GPU has an outlier or a row that was rejected or failed; an orange one was throttled or has memory "
           "errors. An outlier is further from the median of its model than chance explains once in {:.0f} such "
           "fleets, and further than two runs on one GPU differ. In the drawing, a bar covers three sigmas on either "
           "side of the median, the thin line all values, the marks are the limits, and the dots are outliers.",
           1 / false_alarm),
       .extras = {{"fleet", fleet_json(fleet, gate)}}});
}

std::string render_inspection(const Inspection& inspection) {
  return render_page({.kind = "inspect",
                      .title = inspection.file,
                      .lead = kind_text(inspection),
                      .extras = inspection_words(inspection)});
}

std::string render_predictions(const std::vector<Prediction>& predictions) {
  const bool named = !predictions.empty() && !predictions.front().file.empty();
  return render_page(
      {.kind = "predict",
       .title = named ? predictions.front().file : "Prediction",
       .lead = "predicted with the measured costs of " + (predictions.empty() ? "" : predictions.front().gpu),
       .extras = prediction_words(predictions)});
}

namespace {

std::string cell_text(const Json& cell) {
  if (cell.is_string()) return markdown_text(cell.get_ref<const std::string&>());
  std::string text = markdown_text(cell.at("text").get_ref<const std::string&>());
  if (cell.contains("href")) text = fmt::format("[{}]({})", text, cell.at("href").get_ref<const std::string&>());
  if (cell.contains("note")) text += " (" + markdown_text(cell.at("note").get_ref<const std::string&>()) + ")";
  return text;
}

std::string table_text(const Json& table) {
  std::vector<std::string> heads;
  for (const std::string head : table.at("heads"))
    heads.push_back((head.starts_with('#') ? "#" : "") + markdown_text(head.substr(head.starts_with('#') ? 1 : 0)));
  MarkdownTable out(heads);
  for (const Json& row : table.at("rows")) {
    std::vector<std::string> cells;
    std::ranges::transform(row, std::back_inserter(cells), cell_text);
    out.row(std::move(cells));
  }
  return out.text();
}

/// A section of a sheet (answer/overview/overview_sheets.hpp).
std::string section_text(const Json& section) {
  std::string out = "## " + markdown_text(section.at("title").get_ref<const std::string&>()) + "\n\n";
  for (const std::string note : section.value("notes", Json::array())) out += markdown_text(note) + "\n\n";
  for (const Json& table : section.value("tables", Json::array())) out += table_text(table);
  MarkdownTable facts({"", ""});
  for (const Json& fact : section.value("facts", Json::array())) facts.text_row({fact.at(0), fact.at(1)});
  return out + facts.text();
}

/// The sections that the sheet has of the front tables and of `ids`.
std::string summary_text(const std::string& title, const std::string& says, const Json& sheet,
                         const std::vector<std::string>& ids) {
  std::string out = fmt::format("{}\n# {}\n\n{}\n\n", markdown_mark, markdown_text(title), markdown_lines(says));
  for (const Json& section : sheet.at("sections")) {
    const std::string id = section.at("id");
    if (id.starts_with("front") || contains(ids, id)) out += section_text(section);
  }
  return out;
}

}  // namespace

std::string render_summary(const std::vector<ReportedGpu>& gpus) {
  std::string each;
  for (const ReportedGpu& gpu : gpus)
    each += fmt::format("{}[{}]({}/README.md)", each.empty() ? " Summaries: " : ", ", markdown_text(gpu.name()),
                        percent_encoded(gpu.folder));
  return summary_text(
      "Measured GPUs",
      "[index.html](index.html) compares the GPUs and leads to all pages. Each GPU has a folder, with a folder in it "
      "for each further suite. `*.json.gz` are the records; all other files are rendered from them. `./bootstrap run` "
      "adds a GPU, and `warpclock report` writes this page." +
          each + (each.empty() ? "" : "."),
      index_sheet(gpus), {"pages"});
}

std::string render_gpu_summary(const ReportedGpu& gpu) {
  return summary_text(gpu.name(),
                      "Every number has machine code that was proven to be what its probe claims; its link leads to "
                      "it. [index.html](index.html) leads to all pages, which show every row with its curve, code, "
                      "samples and conditions. `warpclock show PROBE` prints the rows of a probe.",
                      gpu_sheet(gpu), {"pages", "answers", "device"});
}

}  // namespace warpclock
