#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "answer/overview/reported_gpu.hpp"
#include "base/json/json_writer.hpp"
#include "fleet/fleet.hpp"
#include "gpu/device/device.hpp"
#include "inspect/inspection.hpp"
#include "predict/prediction.hpp"
#include "record/json/record_json.hpp"
#include "record/record.hpp"

namespace warpclock {

/// A link to a page of the same GPU.
struct PageLink {
  std::string text, href;
  std::string gpu;    ///< the result of same_gpu() for the two pages
  bool here = false;  ///< the page links to itself
};

/// What a page must know about its folder.
struct PagePlace {
  std::string suite;            ///< "full", "memory"; empty if the folder is not one of a GPU
  std::vector<PageLink> links;  ///< all pages of the GPU in one order, this one too
  std::string gpu;              ///< href of the page of the GPU; empty if there is none
  std::string all;              ///< href of the page of all GPUs; empty if there is none
  std::string gpu_name;         ///< "NVIDIA H200"
  std::string search;           ///< the index of the GPU's pages (answer/ask/hits.hpp), packed, or empty
  std::string to_gpu;           ///< path to the GPU's folder, "" or "../": before the hrefs of the index
};

/// The records in one GPU's folder and in the folders of its other suites, by kind and folder name; "" is the GPU's own
/// folder.
using GpuFolder = std::map<RecordFile, std::map<std::string, DeviceFacts>>;

/// The place of the page of a record, without index and pages above.
[[nodiscard]] PagePlace place_of(const GpuFolder& gpu, RecordFile kind, const std::string& folder);

/// The place of the overview of the GPU, which is in its own folder.
[[nodiscard]] PagePlace place_of_overview(const GpuFolder& gpu, const std::string& gpu_name);

/// "memory (the same GPU), instructions (another GPU)", or empty.
[[nodiscard]] std::string pages_in_words(const PagePlace& place);

/// A page: a shell, the data that it carries, and one program (assets/*.js) that shows them. It makes no request.
// NOLINTNEXTLINE(bugprone-exception-escape): the check takes the moves of JSON for functions that throw.
struct Page {
  std::string kind;         ///< what the program shows: "suite"
  std::string title;        ///< of the window, and the heading
  std::string lead;         ///< one or two sentences, seen before the program has run
  std::string placeholder;  ///< of the search
  std::vector<Json> records;
  Json extras;       ///< what is not in the records: {} if nothing
  std::string data;  ///< href of its record, to which a page without JavaScript leads
  PagePlace place;
};

/// The only HTML of the program. The same page gives the same bytes; everything foreign is escaped.
[[nodiscard]] std::string render_page(const Page& page);

/// A record as its page carries it: each array of objects among its members as columns (columns_of()).
[[nodiscard]] Json in_columns(Json record);

/// Gzip in base64, as carried() in assets/base.js reads it.
[[nodiscard]] std::string packed(std::string_view text);

/// "sha256-..." in base64, as a Content-Security-Policy source names an inline script or style (CSP level 3).
[[nodiscard]] std::string csp_hash(std::string_view text);

/// The bar at the top of every page: links to all GPUs, to the GPU and to each of its pages; the search and the switch
/// between light and dark, which are hidden until the script runs.
[[nodiscard]] std::string site_bar(const PagePlace& place, const std::string& placeholder);

/// The scripts of a kind of page, one after the other.
[[nodiscard]] std::string page_script(const std::string& kind);

// Each page is pure: the same records give the same bytes.

/// "report.html", "instructions.html", "machine.html", "cases.html".
[[nodiscard]] const char* page_file(RecordFile file);

/// The page of a record.
[[nodiscard]] std::string render_record(const Record& record, const PagePlace& place = {});

/// instructions.html, for one table or for several GPUs side by side.
[[nodiscard]] std::string render_instruction_html(std::span<const Record> tables, const PagePlace& place = {});

/// index.html of all reports, and of one GPU.
[[nodiscard]] std::string render_index(const std::vector<ReportedGpu>& gpus, const PagePlace& place);
[[nodiscard]] std::string render_gpu(const ReportedGpu& gpu, const PagePlace& place);

/// The page of a fleet: a map with a square for each GPU, what is away from the rest, and the distribution of each row.
/// `gate` may be null.
[[nodiscard]] std::string render_fleet(const Fleet& fleet, const GateResult* gate);

/// The page of a file: the facts of each kernel, its loops, and its listing with the control fields, where loops,
/// chains that carry a result from trip to trip, and spills are marked.
[[nodiscard]] std::string render_inspection(const Inspection& inspection);

/// The page of predictions: what each says, and the issues of its timeline, warps over cycles with the pipes of each
/// sub-partition below.
[[nodiscard]] std::string render_predictions(const std::vector<Prediction>& predictions);

/// README.md of all reports, for where a repository is browsed: the front tables with a column for each GPU, and its
/// pages.
[[nodiscard]] std::string render_summary(const std::vector<ReportedGpu>& gpus);

/// README.md of one GPU: the front tables, its pages, each probe with its answer and question, and the GPU.
[[nodiscard]] std::string render_gpu_summary(const ReportedGpu& gpu);

}  // namespace warpclock
