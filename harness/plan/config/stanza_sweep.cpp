#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "plan/config/stanza.hpp"
#include "plan/sweep.hpp"

namespace warpclock {
namespace {

/// Every parameter becomes a macro of its name in upper case, so it must not be a name of the probe contract or a
/// factor with a meaning of its own.
constexpr std::array<std::string_view, 6> taken = {"n", "sms", "kernel", "probe", "passes", "unroll"};

void check_parameter(const std::string& name, const Node& node) {
  if (!is_name(name)) {
    node.reject(
        "a parameter's name has at most 64 lower-case letters, digits and underscores, and starts with a letter");
  } else if (std::ranges::find(taken, name) != taken.end()) {
    node.reject(fmt::format("'{}' has a meaning of its own and cannot name a parameter", name));
  }
}

Parameters read_point(const Node& node, const std::vector<Parameters>& before) {
  Parameters point;
  for (const auto& [name, entry] : node.entries()) {
    check_parameter(name, entry);
    if (entry.kind() != Node::Kind::Scalar) entry.reject("a point has one value for each parameter");
    const std::vector<Value> values = entry.failed() ? std::vector<Value>{} : read_values(entry);
    if (!values.empty()) point.emplace_back(name, values.front());
    if (!before.empty() && find(before.front(), name) == nullptr) {
      entry.reject(fmt::format("the first point lacks '{}'", name));
    }
  }
  if (node.failed() || before.empty()) return point;
  for (const auto& [name, unused] : before.front()) {
    if (find(point, name) == nullptr) node.reject(fmt::format("this point lacks '{}', which the first has", name));
  }
  for (const Parameters& other : before) {
    const bool same = std::ranges::all_of(
        point, [&](const auto& entry) { return to_string(*find(other, entry.first)) == to_string(entry.second); });
    if (same) node.reject("this point is given twice");
  }
  return point;
}

}  // namespace

Sweep read_sweep(const Node& node) {
  Sweep sweep;
  std::optional<Node> where, except;
  for (const auto& [key, entry] : node.entries()) {
    if (key == "points") {
      for (const Node& item : entry.items()) {
        Parameters point = read_point(item, sweep.points);
        if (node.failed()) return sweep;
        sweep.points.push_back(std::move(point));
        if (sweep.points.size() > max_points) entry.reject(fmt::format("more than {} points", max_points));
      }
    } else if (key == "where") {
      where = entry;
    } else if (key == "except") {
      except = entry;
    } else {
      check_parameter(key, entry);
      sweep.axes.push_back({key, read_values(entry)});
    }
  }
  if (node.failed()) return sweep;

  // The clauses are checked against the whole product, so it must be complete first.
  const Expected<std::vector<Parameters>> whole = expand(sweep);
  if (!whole) {
    node.reject(whole.error().text);
    return sweep;
  }
  const Scope scope{columns(sweep), *whole, {}};
  if (where) sweep.where = read_clauses(*where, scope);
  if (except) sweep.except = read_clauses(*except, scope);
  return sweep;
}

}  // namespace warpclock
