#include "base/json/json_document.hpp"

#include "base/json/json_text.hpp"

namespace warpclock {
namespace {

/// Takes whatever comes and keeps nothing, but for what is wrong.
class ProblemOnly : public nlohmann::json_sax<Json> {
 public:
  [[nodiscard]] const std::string& problem() const { return problem_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    problem_ = json_problem(error);
    return false;
  }

 private:
  std::string problem_;
};

/// Reading a text again takes a second for each 50 MB.
constexpr std::size_t most_read_twice = std::size_t{64} << 20;

}  // namespace

Expected<JsonDocument> JsonDocument::parse(std::string_view text) {
  JsonDocument document;
  const simdjson::error_code code = document.parser_->parse(text.data(), text.size()).error();
  if (code == simdjson::SUCCESS) return document;
  // simdjson does not say where.
  ProblemOnly reader;
  if (text.size() <= most_read_twice) Json::sax_parse(text, &reader);
  return fail("json", reader.problem().empty() ? simdjson::error_message(code) : reader.problem());
}

std::string_view type_name(JsonElement element) {
  using Type = simdjson::dom::element_type;
  switch (element.type()) {
    case Type::ARRAY:
      return "array";
    case Type::OBJECT:
      return "object";
    case Type::STRING:
      return "string";
    case Type::BOOL:
      return "boolean";
    case Type::NULL_VALUE:
      return "null";
    default:
      return "number";
  }
}

}  // namespace warpclock
