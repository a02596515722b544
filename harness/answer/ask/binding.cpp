#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "answer/ask/hits.hpp"
#include "answer/ask/probe_sheet.hpp"
#include "answer/numbers/figures.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "record/selector.hpp"

namespace warpclock {
namespace {

std::vector<std::string> pieces(std::string_view text) {
  std::vector<std::string> all;
  std::string word;
  const auto end = [&] {
    while (word.ends_with('.') || word.ends_with(':')) word.pop_back();
    if (!word.empty()) all.push_back(word);
    word.clear();
  };
  for (const char c : text) {
    if (std::string_view(" \t\r\n,;?!()[]{}\"'`/-+*&|").contains(c))
      end();
    else
      word += c;
  }
  end();
  return all;
}

/// Without the s of a plural; "bus", "less" and names stay.
std::string stem(std::string word) {
  constexpr std::size_t shortest = 4;
  const bool plain = word.find_first_of("._:=0123456789") == std::string::npos;
  if (plain && word.size() >= shortest && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us"))
    word.pop_back();
  return word;
}

bool is_name(const std::string& word) { return word.find_first_of("._:") != std::string::npos; }

}  // namespace

double AskedWords::weight() const {
  double sum = 0;
  for (const AskedWord& word : words) sum += word.weight;
  return sum;
}

double AskedWords::weight(const std::set<std::size_t>& places) const {
  double sum = 0;
  for (const std::size_t place : places) sum += words[place].weight;
  return sum;
}

AskedWords asked_words(std::string_view text, const SearchWords& known) {
  constexpr double of_name = 1.5, of_kind = 0.5;
  AskedWords question;
  for (std::string& given : pieces(text)) {
    const std::string whole = to_lower(given);
    std::string word = stem(whole);
    const auto among = [&](const std::set<std::string>& all) { return all.contains(word) || all.contains(whole); };
    const bool rate = among(known.rates), time = among(known.times);
    question.rate = question.rate || rate;
    question.time = question.time || time;
    const double weight = among(known.fillers) ? 0 : rate || time ? of_kind : is_name(word) ? of_name : 1;
    question.words.push_back({std::move(given), std::move(word), weight});
  }
  return question;
}

std::set<std::size_t> places_of(std::string_view phrase, const AskedWords& question, const SearchWords& known) {
  std::set<std::size_t> places;
  for (const AskedWord& wanted : asked_words(phrase, known).words) {
    bool found = false;
    for (std::size_t i = 0; i < question.words.size(); ++i) {
      if (question.words[i].text != wanted.text) continue;
      places.insert(i);
      found = true;
    }
    if (!found) return {};
  }
  return places;
}

namespace {

/// A parameter of the probe's rows, and the values that they have.
struct Swept {
  std::string name;
  std::vector<Value> values;
};

/// What words say of a parameter.
struct NamedValue {
  std::string name;
  Value value;
  std::set<std::size_t> places;
};

class Binder {
 public:
  Binder(const Answer& answer, const std::vector<ProbePlace>& places, const AskedWords& question,
         const std::set<std::size_t>& taken, const SearchWords& known)
      : places_(places), question_(question), known_(known), free_(question.words.size(), true) {
    for (const std::size_t place : taken) free_[place] = false;
    out_.answer = answer;
    for (const ProbePlace& place : places) {
      if (place.probe == nullptr) continue;
      for (const Row* row : place.probe->cases)
        for (const auto& [name, value] : row->parameters) find_or_add(axes_, name, &Swept::name);
    }
    for (Swept& axis : axes_) axis.values = values_of(places, axis.name);
    own_ = std::exchange(out_.answer.from.with, {});
  }

  Binding take() {
    bind_shapes();
    for (std::size_t i = 0; i < free_.size(); ++i) bind_equals(i);
    for (std::size_t i = 0; i < free_.size(); ++i) bind_pair(i);
    for (std::size_t i = 0; i < free_.size(); ++i) bind_value(i);
    for (const ParameterRule& rule : own_) {
      if (contains(out_.answer.from.with, rule.name, &ParameterRule::name)) continue;
      if (add(rule) || !rule.equals) continue;
      // One row, not several: its usual value has none with what was asked, so the first that has.
      for (const Swept& axis : axes_)
        for (std::size_t i = 0; axis.name == rule.name && i < axis.values.size(); ++i)
          if (add({rule.name, axis.values[i], {}, {}})) break;
    }
    return std::move(out_);
  }

 private:
  /// Whether a row on any GPU fits with the rule too; then it holds.
  bool add(const ParameterRule& rule) {
    out_.answer.from.with.push_back(rule);
    const bool fits = std::ranges::any_of(places_, [&](const ProbePlace& place) {
      if (place.record == nullptr) return false;
      const bool cases = out_.answer.from.kind == Selector::Kind::Cases;
      return cases ? !cases_at(*place.record, out_.answer.from).empty()
                   : find_at(*place.record, out_.answer.from).has_value();
    });
    if (!fits) out_.answer.from.with.pop_back();
    return fits;
  }

  [[nodiscard]] bool is_bound(const std::string& name) const {
    return contains(out_.answer.from.with, name, &ParameterRule::name);
  }

  bool apply(const NamedValue& named) {
    if (is_bound(named.name) || !add({named.name, named.value, {}, {}})) return false;
    for (const std::size_t place : named.places) free_[place] = false;
    out_.places.insert(named.places.begin(), named.places.end());
    return true;
  }

  /// The value of an axis that a word is: "8", "fp16" for f16, "16 KiB" for 16384.
  [[nodiscard]] std::optional<Value> value_of(const Swept& axis, const std::string& word) const {
    const auto known = known_.values.find(word);
    const std::string text = known == known_.values.end() ? word : known->second;
    for (const Value& value : axis.values) {
      const std::string own = to_lower(to_string(value));
      if (own == word || own == text || to_lower(parameter_text(axis.name, value)) == word) return value;
    }
    return std::nullopt;
  }

  [[nodiscard]] const Swept* axis_of(const std::string& word) const {
    const auto known = known_.parameters.find(word);
    for (const Swept& axis : axes_) {
      const bool same = axis.name == word || parameter_name(axis.name) == word ||
                        (axis.name.ends_with('s') && axis.name.substr(0, axis.name.size() - 1) == word);
      if (same || (known != known_.parameters.end() && known->second == axis.name)) return &axis;
    }
    return nullptr;
  }

  /// The digits behind each letter of "m64n128k16"; nothing for another word.
  static std::vector<std::string> shape_in(std::string_view word) {
    std::vector<std::string> parts;
    for (const char letter : {'m', 'n', 'k'}) {
      if (!word.starts_with(letter)) return {};
      const auto end = std::ranges::find_if_not(word.begin() + 1, word.end(), is_digit);
      parts.emplace_back(word.begin() + 1, end);
      if (parts.back().empty()) return {};
      word = {end, word.end()};
    }
    return word.empty() ? parts : std::vector<std::string>();
  }

  /// "m64n128k16": of a product whose M or N is always the same it has no parameter.
  void bind_shapes() {
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const std::vector<std::string> parts = shape_in(question_.words[i].text);
      if (parts.empty()) continue;
      bool all = axis_of("k") != nullptr;
      const std::array<const char*, 3> names = {"m", "cols", "k"};
      for (std::size_t part = 0; part < names.size() && all; ++part) {
        const Swept* axis = axis_of(names[part]);
        const auto value = axis == nullptr ? std::nullopt : value_of(*axis, parts[part]);
        if (axis != nullptr) all = value && apply({axis->name, *value, {i}});
      }
      if (!all) out_.no_rows.push_back(question_.words[i].given);
    }
  }

  void bind_equals(std::size_t i) {
    const std::string& word = question_.words[i].text;
    const std::size_t equals = word.find('=');
    if (!free_[i] || equals == std::string::npos) return;
    bind_named(word.substr(0, equals), word.substr(equals + 1), {i});
  }

  void bind_named(const std::string& name, const std::string& value, std::set<std::size_t> places) {
    const Swept* axis = axis_of(name);
    constexpr std::int64_t warp = 32;
    const auto threads = name == "thread" ? whole_number<std::int64_t>(value) : std::nullopt;
    if (axis == nullptr && threads && *threads % warp == 0)
      return bind_named("warp", std::to_string(*threads / warp), places);
    if (axis == nullptr) return;
    if (const auto found = value_of(*axis, value)) {
      if (apply({axis->name, *found, std::move(places)})) return;
    }
    const bool is_number = !value.empty() && std::ranges::all_of(value, is_digit);
    if (!is_number) return;
    const auto texts = mapped(axis->values, [&](const Value& each) { return parameter_text(axis->name, each); });
    out_.no_rows.push_back(fmt::format("{}={} ({} is {})", axis->name, value, axis->name, join(texts, ", ")));
  }

  /// The next word after this one that says something.
  [[nodiscard]] std::size_t next(std::size_t i) const {
    do ++i;
    while (i < free_.size() && question_.words[i].weight == 0);
    return i;
  }

  /// "8 warps", "warps 8", "f32 acc", "16 kib".
  void bind_pair(std::size_t i) {
    const std::size_t j = next(i);
    if (j >= free_.size() || (!free_[i] && !free_[j])) return;
    const std::string &first = question_.words[i].text, &second = question_.words[j].text;
    const std::string size = first + " " + second;
    for (const Swept& axis : axes_)
      if (const auto value = value_of(axis, size); value && free_[i] && apply({axis.name, *value, {i, j}})) return;
    const bool number = !first.empty() && is_digit(first.front());
    const std::size_t k = next(j);
    const bool second_is_number = is_digit(second.front());
    const bool of_next = second_is_number && k < free_.size() && axis_of(question_.words[k].text) != nullptr;
    if (free_[i] && (second == "thread" || axis_of(second) != nullptr)) bind_named(second, first, {i, j});
    if (free_[j] && !number && !of_next && axis_of(first) != nullptr) bind_named(first, second, {i, j});
  }

  /// "f16", "relaxed", or a part of a name: "ld.global.cs".
  void bind_value(std::size_t i) {
    if (!free_[i]) return;
    const std::string& word = question_.words[i].text;
    const auto is_word = [](const Swept& axis) {
      return std::ranges::any_of(axis.values, [](const Value& v) { return std::holds_alternative<std::string>(v); });
    };
    for (const Swept& axis : axes_) {
      if (!is_word(axis)) continue;
      if (const auto value = value_of(axis, word); value && apply({axis.name, *value, {i}})) return;
    }
    if (!word.contains('.') || word.contains('=')) return;
    for (const std::string& part : split(word, '.'))
      for (const Swept& axis : axes_)
        if (const auto value = value_of(axis, part); value && is_word(axis) && apply({axis.name, *value, {i}})) return;
  }

  const std::vector<ProbePlace>& places_;
  const AskedWords& question_;
  const SearchWords& known_;
  std::vector<bool> free_;
  std::vector<Swept> axes_;
  std::vector<ParameterRule> own_;
  Binding out_;
};

}  // namespace

Binding bound_answer(const Answer& answer, const std::vector<ProbePlace>& places, const AskedWords& question,
                     const std::set<std::size_t>& taken, const SearchWords& known) {
  return Binder(answer, places, question, taken, known).take();
}

}  // namespace warpclock
