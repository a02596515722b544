#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpclock {

/// What `of` makes of each element, as a `Made` if one is named: a function of it, or a pointer to one of its members.
template <class Made = void, class Range, class Of>
[[nodiscard]] auto mapped(const Range& all, Of of) {
  using Returned = std::invoke_result_t<Of&, decltype(*std::begin(all))>;
  using Result = std::remove_cvref_t<Returned>;
  static_assert(!std::is_same_v<Made, std::string_view> || std::is_reference_v<Returned> ||
                    std::is_same_v<Result, std::string_view>,
                "a view of a copy that is gone");
  std::vector<std::conditional_t<std::is_void_v<Made>, Result, Made>> made;
  for (const auto& each : all) made.push_back(std::invoke(of, each));
  return made;
}

/// The first of each pair: the keys of a map.
template <class Pairs>
[[nodiscard]] auto keys_of(const Pairs& pairs) {
  return mapped(pairs, [](const auto& each) { return each.first; });
}

template <class Range, class Value, class Key = std::identity>
[[nodiscard]] bool contains(const Range& all, const Value& value, Key key = {}) {
  return std::ranges::find(all, value, key) != std::end(all);
}

/// The first element whose `key` is this. Null if there is none.
template <class Range, class Value, class Key>
[[nodiscard]] auto* find_by(Range& all, const Value& value, Key key) {
  const auto at = std::ranges::find(all, value, key);
  return at == std::end(all) ? nullptr : &*at;
}

/// The element whose `key` is this. One with that key is added at the end if there is none.
template <class Element, class Value, class Key>
Element& find_or_add(std::vector<Element>& all, const Value& value, Key key) {
  if (Element* found = find_by(all, value, key)) return *found;
  Element& added = all.emplace_back();
  std::invoke(key, added) = value;
  return added;
}

/// What goes with this key in a list of pairs, which is added at the end if it is not there.
template <class First, class Second, class Value>
Second& find_or_add(std::vector<std::pair<First, Second>>& all, const Value& value) {
  return find_or_add(all, value, &std::pair<First, Second>::first).second;
}

/// The index of this element, which is added at the end if it is not there.
template <class Element>
std::size_t index_or_add(std::vector<Element>& all, const Element& element) {
  const auto at = std::ranges::find(all, element) - all.begin();
  if (at == std::ssize(all)) all.push_back(element);
  return static_cast<std::size_t>(at);
}

/// What a map has of this key. Null if it has none.
template <class Map, class Key>
[[nodiscard]] auto* value_at(Map& map, const Key& key) {
  const auto at = map.find(key);
  return at == map.end() ? nullptr : &at->second;
}

/// What a map has of this key, or `otherwise`.
template <class Map, class Key>
[[nodiscard]] typename Map::mapped_type value_or(const Map& map, const Key& key, typename Map::mapped_type otherwise) {
  const auto at = map.find(key);
  return at == map.end() ? std::move(otherwise) : at->second;
}

/// Sorts, and keeps one of several equal ones.
template <class T>
void sort_once(std::vector<T>& all) {
  std::ranges::sort(all);
  const auto [first, last] = std::ranges::unique(all);
  all.erase(first, last);
}

}  // namespace warpclock
