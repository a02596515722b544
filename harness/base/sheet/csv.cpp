#include "base/sheet/csv.hpp"

#include "base/text.hpp"

namespace warpclock {
namespace {

std::string quoted(const std::string& text) {
  return text.find_first_of(",\"\r\n ") == std::string::npos ? text : '"' + replace_all(text, "\"", "\"\"") + '"';
}

}  // namespace

std::string csv_line(const std::vector<std::string>& fields) {
  std::string out;
  for (const std::string& field : fields) out += (&field == fields.data() ? "" : ",") + quoted(field);
  return out + "\r\n";
}

}  // namespace warpclock
