#pragma once

#include <string>
#include <vector>

#include "fleet/baseline.hpp"
#include "fleet/fleet.hpp"
#include "inspect/inspection.hpp"
#include "predict/prediction.hpp"
#include "record/kernel_record.hpp"
#include "record/machine_record.hpp"
#include "record/record.hpp"
#include "report/overview/reported_gpu.hpp"
#include "report/sections/page_place.hpp"

namespace warpclock {

/// report.html: one self-contained page that makes no requests and is readable without JavaScript. Pure: the same
/// record gives the same bytes. The markup is also well-formed XML, except for the content of its script and style
/// element.
[[nodiscard]] std::string render_html(const Record& record, const PagePlace& place = {});

/// report.md, for a code host: provenance, outcomes, headlines and findings, then a section for each family with a
/// table for each probe. It has every case of the record; a case without a number has its reason. Pure: the same record
/// gives the same bytes.
[[nodiscard]] std::string render_markdown(const Record& record, const PagePlace& place = {});

/// machine.html: a page with one large table (table_page.hpp). Pure: the same table gives the same bytes.
[[nodiscard]] std::string render_machine_html(const MachineTable& table, const PagePlace& place = {});

/// machine.md. Pure: the same table gives the same bytes.
[[nodiscard]] std::string render_machine_markdown(const MachineTable& table);

/// cases.html: the same as cases.md as a self-contained page, with a bar for each signed error.
[[nodiscard]] std::string render_kernel_html(const KernelTable& table, const PagePlace& place = {});

/// cases.md: kernels with what was predicted, what was measured, and the signed error.
[[nodiscard]] std::string render_kernel_markdown(const KernelTable& table);

/// A self-contained page: a map with a square for each GPU, what is away from the rest, and the distribution of each
/// row as a drawing. `gate` may be null.
[[nodiscard]] std::string render_fleet(const Fleet& fleet, const GateResult* gate);

/// A self-contained page without scripts: the facts of each kernel, its loops, and its listing with the control fields,
/// where loops, chains that carry a result from trip to trip, and spills are marked. Everything foreign is escaped.
[[nodiscard]] std::string render_inspection(const Inspection& inspection);

/// A self-contained page: what a prediction says, and the issues of its timeline, warps over cycles with the pipes of
/// each sub-partition below.
[[nodiscard]] std::string render_predictions(const std::vector<Prediction>& predictions);

/// reports/README.md: every GPU that was measured, with links into its folder. index.html compares them.
/// If there are several tables of instructions, instructions.html shows them side by side.
[[nodiscard]] std::string render_gallery(const Reports& reports);

/// index.html of all reports: the GPUs, what differs between them and whether a second method shows it too, and their
/// main numbers next to each other. Pure.
[[nodiscard]] std::string render_index(const std::vector<ReportedGpu>& gpus, const PagePlace& place);

/// index.html of one GPU: its pages, its main numbers, and the answer of each probe. Pure.
[[nodiscard]] std::string render_gpu(const ReportedGpu& gpu, const PagePlace& place);

/// What the search of a page finds (assets/search.js): quantities, probes, instructions and opcodes of all pages of a
/// GPU, and the words that mean the same (assets/search.yaml). JSON, packed. One index serves all pages of the GPU:
/// its hrefs are relative to the GPU's folder.
[[nodiscard]] std::string search_index(const ReportedGpu& gpu);

/// The same before it is packed.
[[nodiscard]] std::string search_text(const ReportedGpu& gpu);

}  // namespace warpclock
