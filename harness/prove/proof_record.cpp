#include "prove/proof_record.hpp"

#include <fmt/format.h>

#include "base/files/packed_file.hpp"
#include "base/json/json_reader.hpp"
#include "base/json/json_writer.hpp"
#include "prove/operands.hpp"
#include "record/json/record_fields.hpp"

namespace warpclock {

void describe(auto& a, Like<ProofRow> auto& v) {
  WARPCLOCK_REQUIRED(id);
  WARPCLOCK_OPTIONAL(sets, digest, reason);
}

void describe(auto& a, Like<ProofTable> auto& v) { WARPCLOCK_REQUIRED(provenance, device, operands, rows); }

std::vector<ProofRow> rows_of(const std::vector<ProvedForm>& forms) {
  std::vector<ProofRow> rows;
  for (const ProvedForm& form : forms) {
    ProofRow& row = rows.emplace_back(form.key);
    if (form.digest.empty())
      row.reason = form.reason;
    else
      row.sets = form.sets, row.digest = form.digest;
  }
  return rows;
}

std::string to_json(const ProofTable& table) {
  std::string text = fmt::format(
      "{{\"schema\":{{\"major\":1,\"minor\":0,\"patch\":0}},\"record\":\"semantics\",\n\"provenance\":{},\n"
      "\"device\":{},\n\"operands\":{},\n\"rows\":[",
      JsonLine::of(table.provenance), JsonLine::of(table.device), JsonLine::of(table.operands));
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    text += fmt::format("{}\n{}", i > 0 ? "," : "", JsonLine::of(table.rows[i]));
  return text + "\n]}\n";
}

Expected<ProofTable> read_proof_table(std::string_view text, const std::string& place) {
  auto document = JsonDocument::parse(text);
  if (!document) return fail("record", "not JSON: " + document.error().text, place);
  JsonReader reader;
  ProofTable table;
  reader.read(document->root(), table);
  if (reader.problem()) return fail("record", *reader.problem(), place);
  if (table.operands != operands_digest())
    return fail("record-operands", "its results are those of other operands: measure again", place);
  return table;
}

Expected<ProofTable> read_proofs(const std::filesystem::path& folder) {
  const auto path = folder / proof_file;
  const std::string text = WARPCLOCK_TRY(read_packed_file(path));
  return read_proof_table(text, path.string());
}

std::map<std::string, std::string> digests_of(const ProofTable& table) {
  std::map<std::string, std::string> digests;
  for (const ProofRow& row : table.rows)
    if (!row.digest.empty()) digests[row.id] = row.digest;
  return digests;
}

}  // namespace warpclock
