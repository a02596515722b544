#include "fields/form_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "base/files/embedded.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "code/listing.hpp"
#include "code/word.hpp"

namespace warpclock {

Expected<FormTimesByKey> read_form_times(std::string_view text) {
  FormTimesByKey all;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (trim(line).empty() || line.starts_with('#')) continue;
    const auto refuse = [&] { return fail("forms", "not a form with its cycles", fmt::format("line {}", number)); };
    const std::size_t colon = line.rfind(": "), end = line.find(';', colon);
    if (colon == line.npos || end == line.npos) return refuse();
    const auto interval = whole_number<int>(trim(line.substr(colon + 2, end - colon - 2)));
    if (!interval) return refuse();
    FormTimes times{*interval, {}};
    for (const std::string& stall : split(trim(line.substr(end + 1)), ' ')) {
      const auto cycles = whole_number<int>(stall);
      if (!cycles) return refuse();
      times.stalls.push_back(*cycles);
    }
    if (!all.emplace(line.substr(0, colon), std::move(times)).second) return refuse();
  }
  return all;
}

const FormTimesByKey& form_times_of(const Arch& arch) {
  static const FormTimesByKey none;
  // A test reads it, so the fallback is never used.
  static const FormTimesByKey hopper =
      read_form_times(value_or(embedded_forms(), std::string("times_sm_90a.txt"), std::string())).value_or(none);
  return arch.sm == 90 ? hopper : none;
}

namespace {

constexpr unsigned word_bits = 128;

std::optional<std::uint8_t> bit_of(std::string_view text) {
  const auto bit = whole_number<std::uint8_t>(text);
  return bit < word_bits ? bit : std::nullopt;
}

/// "24-31 reuse 122", "54-58,40", "?".
std::optional<Field> field_of(std::string_view text) {
  constexpr std::string_view reuse = " reuse ";
  Field field;
  if (const auto at = text.find(reuse); at != text.npos) {
    field.reuse = bit_of(text.substr(at + reuse.size()));
    if (!field.reuse) return std::nullopt;
    text = text.substr(0, at);
  }
  if (text == "?") return field;
  for (const std::string& range : split(text, ',')) {
    const std::size_t dash = std::min(range.find('-'), range.size());
    const auto first = bit_of(std::string_view(range).substr(0, dash));
    const auto last = dash < range.size() ? bit_of(std::string_view(range).substr(dash + 1)) : first;
    if (!first || !last || *last < *first) return std::nullopt;
    for (unsigned bit = *first; bit <= *last; ++bit) field.bits.push_back(static_cast<std::uint8_t>(bit));
  }
  return field;
}

/// What is wrong with the fields of a form, or nothing.
std::string wrong_with(const WordForm& form) {
  if (form.fields.size() != form.skeleton.numerals.size()) {
    return fmt::format("{} numbers and {} fields", form.skeleton.numerals.size(), form.fields.size());
  }
  std::set<std::uint8_t> bits;
  for (const Field& field : form.fields) {
    for (const std::uint8_t bit : field.bits) {
      if (!bits.insert(bit).second) return fmt::format("bit {} is of two numbers", bit);
    }
    if (field.reuse && !bits.insert(*field.reuse).second) return fmt::format("bit {} is of two numbers", *field.reuse);
  }
  return {};
}

/// A word, optionally with the cycles that ptxas leaves after it.
std::optional<WordForm> word_of(std::string_view line) {
  constexpr std::string_view prefix = "0x";
  const std::vector<std::string> halves = split(line, ' ');
  if (halves.size() < 2 || halves.size() > 3 || !halves[0].starts_with(prefix) || !halves[1].starts_with(prefix))
    return std::nullopt;
  const auto low = hex_number(std::string_view(halves[0]).substr(prefix.size()));
  const auto high = hex_number(std::string_view(halves[1]).substr(prefix.size()));
  if (!low || !high) return std::nullopt;
  WordForm form{.word = {*low, *high}, .skeleton = {}, .fields = {}};
  if (halves.size() < 3) return form;
  form.encoded = whole_number<int>(halves[2]);
  if (!form.encoded || *form.encoded < 0 || *form.encoded > most_encoded) return std::nullopt;
  return form;
}

/// Adds the text and the fields to a form that has its word; an error text if the line does not hold them.
std::expected<WordForm, std::string> form_of(WordForm form, std::string_view line) {
  const std::size_t colon = line.rfind(": ");
  if (colon == line.npos) return std::unexpected("no fields");
  form.skeleton = skeleton_of(line.substr(0, colon));
  for (const std::string& piece : split(line.substr(colon + 2), ';')) {
    auto field = field_of(trim(piece));
    if (!field) return std::unexpected(fmt::format("'{}' is not a field", trim(piece)));
    form.fields.push_back(*std::move(field));
  }
  if (std::string wrong = wrong_with(form); !wrong.empty()) return std::unexpected(std::move(wrong));
  return form;
}

// MOV R, R and MOV R, UR are two forms that share a skeleton.
std::string_view file_of(Numeral::Kind kind) {
  switch (kind) {
    case Numeral::Kind::Register:
      return "R";
    case Numeral::Kind::UniformRegister:
      return "UR";
    case Numeral::Kind::Predicate:
      return "P";
    case Numeral::Kind::UniformPredicate:
      return "UP";
    default:
      return "";
  }
}

/// "-24", "0.5", "1.5e-38", "+INF": a floating-point immediate as nvdisasm prints it.
bool is_decimal(std::string_view operand) {
  if (!operand.empty() && (operand[0] == '-' || operand[0] == '+')) operand.remove_prefix(1);
  if (operand == "INF" || operand == "QNAN" || operand == "SNAN") return true;
  return !operand.empty() && is_digit(operand[0]) && !operand.starts_with("0x") &&
         operand.find_first_not_of("0123456789.e+-") == operand.npos;
}

/// The key with each floating-point immediate after the opcode replaced by the mark of a number.
std::string without_decimals(const std::string& key) {
  constexpr std::string_view guard = "@PT ";
  const std::size_t end = key.find(' ', guard.size());
  if (end == key.npos) return key;
  std::vector<std::string> operands = split(key.substr(end + 1), ',');
  for (std::string& operand : operands) {
    operand = trim(operand);
    if (is_decimal(operand)) operand = "#";
  }
  return key.substr(0, end + 1) + join(operands, ", ");
}

}  // namespace

std::string key_of(const Skeleton& skeleton) {
  std::string key = "@PT";
  std::size_t next = 1;
  for (const char c : std::string_view(skeleton.text).substr(std::min(skeleton.text.find(' '), skeleton.text.size()))) {
    if (c == '#' && next < skeleton.numerals.size()) {
      const Numeral& numeral = skeleton.numerals[next++];
      const std::string_view file = file_of(numeral.kind);
      key += numeral.last ? text_of(Skeleton{"#", {{.kind = numeral.kind, .last = true}}}) : fmt::format("{}#", file);
    } else {
      key += c;
    }
  }
  return without_decimals(key);
}

std::string key_of(const WordForm& form) { return key_of(form.skeleton); }

std::string name_in(const std::string& key) {
  const std::size_t begin = key.starts_with('@') ? key.find(' ') + 1 : 0;
  return key.substr(begin, key.find(' ', begin) - begin);
}

std::string name_with_zero(const std::string& key) {
  const std::size_t sources = key.find(',');
  const bool zero = sources != key.npos && key.find(" RZ", sources) != key.npos;
  return name_in(key) + (zero ? " with RZ" : "");
}

FormTable::FormTable(const std::vector<WordForm>& forms) {
  std::map<std::string, WordForm> by_key;
  for (const WordForm& form : forms) by_key.try_emplace(key_of(form), form);
  for (auto& [key, form] : by_key) {
    keys_.push_back(key);
    forms_.push_back(std::move(form));
  }
}

const WordForm* FormTable::find(std::string_view key) const {
  const auto at = std::ranges::lower_bound(keys_, key);
  return at != keys_.end() && *at == key ? &forms_[static_cast<std::size_t>(at - keys_.begin())] : nullptr;
}

Expected<FormTable> read_forms(std::string_view text) {
  std::vector<WordForm> forms;
  std::set<std::string> keys;
  std::optional<WordForm> word;
  std::size_t number = 0;
  const auto wrong = [&](std::string_view why) { return fail("forms", fmt::format("line {}: {}", number, why)); };
  for (const std::string& line : lines(text)) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    if (!line.starts_with("  ")) {
      if (word) return wrong("a word without its fields is above");
      word = word_of(line);
      if (!word) return wrong(fmt::format("'{}' is no word", line));
      continue;
    }
    if (!word) return wrong("fields without a word");
    auto form = form_of(*word, trim(line));
    if (!form) return wrong(form.error());
    const std::string key = key_of(*form);
    if (!keys.insert(key).second) return wrong(fmt::format("'{}' is there twice", key));
    forms.push_back(*std::move(form));
    word.reset();
  }
  if (word) return wrong("a word without its fields");
  return FormTable(forms);
}

namespace {

struct Shipped {
  std::string text;
  std::once_flag once;
  FormTable table;

  /// A program uses few of them, and reading one takes a tenth of a second.
  const FormTable& read() {
    // A test reads every one of them, so the fallback is never used.
    std::call_once(once, [this] { table = read_forms(text).value_or(FormTable{}); });
    return table;
  }
};

std::map<Arch, Shipped>& tables() {
  static std::map<Arch, Shipped> all = [] {
    std::map<Arch, Shipped> found;
    for (const auto& [name, text] : embedded_forms()) {
      if (const auto arch = parse_arch(name.substr(0, name.find('.')))) found[*arch].text = text;
    }
    return found;
  }();
  return all;
}

}  // namespace

const FormTable& forms_of(const Arch& arch) {
  static const FormTable none;
  const auto at = tables().find(arch);
  return at == tables().end() ? none : at->second.read();
}

const FormTable& nearest_forms_of(const Arch& arch) {
  auto nearest = tables().begin();
  for (auto at = nearest; at != tables().end(); ++at) {
    if (at->first.sm <= arch.sm) nearest = at;
  }
  return nearest->second.read();
}

}  // namespace warpclock
