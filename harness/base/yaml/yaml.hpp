#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/lookup.hpp"

namespace warpclock {

/// Whether plain text is an integer in the one form on which all YAML readers agree: -12, 0, 4096.
[[nodiscard]] bool is_plain_integer(std::string_view text);

/// Whether plain text is a number in the form of JSON.
[[nodiscard]] bool is_plain_number(std::string_view text);

/// Whether some YAML reader (1.1 or 1.2) reads plain text as a number, a boolean, null or a date: 0x1f, 1_000, 1:30,
/// yes, ~. Such text must be quoted if it is meant as text.
[[nodiscard]] bool looks_typed(std::string_view text);

/// A YAML document as written. Every part has its place (line and column count from 1, columns in bytes).
struct Tree {
  enum class Kind { Null, Scalar, Sequence, Map };
  struct Key {
    std::string name;
    int line = 1, column = 1;
  };

  Kind kind = Kind::Null;
  int line = 1, column = 1;
  std::string scalar;       ///< Scalar: its text, unquoted
  bool quoted = false;      ///< Scalar: it was quoted or a block scalar, so it is text whatever it looks like
  std::vector<Key> keys;    ///< Map: one key for each item, all different
  std::vector<Tree> items;  ///< Sequence, Map
};

inline constexpr std::size_t max_config_bytes = 1 << 18;
inline constexpr int max_config_depth = 16;

/// Parses one document in a subset of YAML: no anchors, aliases, merge keys, tags or further documents, no duplicate
/// keys, at most max_config_depth deep and max_config_bytes long, UTF-8 without byte-order mark. The text is foreign
/// input: error "config" with `place` = file:line:column, never a crash.
[[nodiscard]] Expected<Tree> parse_tree(const std::string& file, std::string_view text);

/// A value of a document. It knows its place and its path of keys ("sweep.where[0].cache"). A getter that cannot return
/// the value reports an error to the document, which keeps the first one, and returns an empty value. So readers do not
/// stop at an error, and the code that opened the document checks for one at the end.
class Node {
 public:
  using Kind = Tree::Kind;

  [[nodiscard]] Kind kind() const { return tree_->kind; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string place() const;  ///< "configs/cache.yaml:14:9"

  /// Reports "path: why" at this node's place.
  void reject(const std::string& why) const;
  /// Whether the document already has an error, so that values read from it may be empty.
  [[nodiscard]] bool failed() const;

  /// Text that every YAML reader reads as text: quoted, or unlike a number, a boolean or null. Not empty.
  [[nodiscard]] std::string text() const;
  /// One of the words in `allowed`.
  [[nodiscard]] std::string word(const std::vector<std::string>& allowed) const;
  /// The entry of a map whose name this text is. If there is none, null after an error that calls it a `what`.
  template <class T>
  [[nodiscard]] const T* entry_of(const std::map<std::string, T>& known, std::string_view what) const {
    const std::string name = text();
    const auto at = known.find(name);
    if (at != known.end()) return &at->second;
    const auto names = keys_of(known);
    reject_unknown(what, name, names);
    return nullptr;
  }
  /// Plain decimal, low <= value <= high.
  [[nodiscard]] std::int64_t integer(std::int64_t low, std::int64_t high) const;
  /// Plain decimal with or without fraction and exponent; finite.
  [[nodiscard]] double number() const;
  /// true or false.
  [[nodiscard]] bool boolean() const;
  /// An integer or text.
  [[nodiscard]] std::variant<std::int64_t, std::string> value() const;

  /// "", which text() rejects.
  [[nodiscard]] bool is_empty_text() const { return kind() == Kind::Scalar && tree_->quoted && tree_->scalar.empty(); }
  [[nodiscard]] bool is_empty_list() const { return kind() == Kind::Sequence && tree_->items.empty(); }
  /// The elements of a sequence, at least one.
  [[nodiscard]] std::vector<Node> items() const;
  /// The elements of a sequence, or this node alone.
  [[nodiscard]] std::vector<Node> items_or_self() const;
  /// A map whose keys the config defines; at least one.
  [[nodiscard]] std::vector<std::pair<std::string, Node>> entries() const;
  /// Whether it is of this kind; else an error that says what was expected.
  [[nodiscard]] bool is(Kind kind, std::string_view what) const;
  /// The value of a key of a map.
  [[nodiscard]] std::optional<Node> find(std::string_view key) const;
  /// Rejects the first key of a map that is not among these.
  void check_keys(const std::vector<std::string>& keys) const;
  /// Reports that a list has this twice.
  void reject_again(const auto& value) const {
    using T = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_convertible_v<T, std::string_view>) {
      reject("'" + std::string(value) + "' is given twice");
    } else if constexpr (std::is_integral_v<T>) {
      reject(std::to_string(value) + " is given twice");
    } else {
      reject("this is given twice");
    }
  }
  /// This node as the root of its paths.
  [[nodiscard]] Node rebased() const;

 private:
  friend class Document;
  struct Source {
    std::string file;
    Tree root;
    std::optional<Error> error;
  };

  Node(Source* source, const Tree* tree, std::string path, int line, int column)
      : source_(source), tree_(tree), path_(std::move(path)), line_(line), column_(column) {}
  [[nodiscard]] Node element(std::size_t i) const;
  [[nodiscard]] Node member(std::size_t i) const;
  void expected(std::string_view what) const;
  void reject_unknown(std::string_view what, const std::string& name, const std::vector<std::string>& known) const;

  Source* source_;
  const Tree* tree_;
  std::string path_;
  int line_, column_;
};

/// One config file. Its nodes refer to it and must not outlive it.
class Document {
 public:
  /// `file` is the name that error messages use. Errors: see parse_tree().
  [[nodiscard]] static Expected<Document> parse(const std::string& file, std::string_view text);
  [[nodiscard]] Node root() const;
  [[nodiscard]] const std::optional<Error>& error() const { return source_->error; }

 private:
  std::unique_ptr<Node::Source> source_;
};

}  // namespace warpclock
