#include "measure/journal.hpp"

#include <fstream>

#include "base/files/marked.hpp"
#include "base/files/paths.hpp"
#include "base/text.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {
namespace fs = std::filesystem;

Expected<Journal> Journal::open(fs::path path, const std::string& key) {
  Journal journal(std::move(path));
  std::string kept = key + "\n";
  if (auto text = read_file(journal.path_)) {
    const auto all = lines(*text);
    if (!all.empty() && all.front() == key)
      for (std::size_t i = 1; i < all.size(); ++i)
        if (auto row = parse_case_record(all[i], journal.path_.string())) {
          kept += all[i] + "\n";
          journal.rows_.insert_or_assign(row->id, std::move(*row));
        }
  }
  WARPCLOCK_TRY(write_marked(journal.path_, kept));
  return journal;
}

Expected<void> Journal::append(const CaseRecord& row) {
  std::ofstream file(path_, std::ios::app | std::ios::binary);
  file << to_json_line(row) << '\n' << std::flush;
  if (!file) return fail("io", "cannot append to the journal of this run", path_.string());
  return {};
}

void Journal::remove() const {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

}  // namespace warpclock
