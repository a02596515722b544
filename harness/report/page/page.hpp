#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_writer.hpp"
#include "gpu/device/device.hpp"
#include "record/json/record_json.hpp"

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
  std::string search;           ///< the index of the GPU's pages (answer/overview/search_index.hpp), packed, or empty
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

}  // namespace warpclock
