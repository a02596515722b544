#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "plan/config/tree.hpp"
#include "plan/parameters.hpp"

namespace warpclock {

class Fields;

/// A value of a document, which knows its place and its path of keys ("sweep.where[0].cache"). A getter that cannot
/// answer reports to the document, which keeps the first error, and returns an empty value: readers read on, and
/// whoever opened the document asks it once.
class Node {
 public:
  using Kind = Tree::Kind;

  [[nodiscard]] Kind kind() const { return tree_->kind; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string place() const;  ///< "configs/cache.yaml:14:9"

  /// Reports "path: why" at this node's place.
  void reject(const std::string& why) const;
  /// Whether the document has an error already, so that what was read may be empty.
  [[nodiscard]] bool failed() const;

  /// Text that no YAML reader takes for anything else: quoted, or not like a number, a boolean or null. Not empty.
  [[nodiscard]] std::string text() const;
  /// Text out of `allowed`.
  [[nodiscard]] std::string word(const std::vector<std::string>& allowed) const;
  /// Plain decimal, low <= value <= high.
  [[nodiscard]] std::int64_t integer(std::int64_t low, std::int64_t high) const;
  /// Plain decimal with or without fraction and exponent; finite.
  [[nodiscard]] double number() const;
  /// true or false.
  [[nodiscard]] bool boolean() const;
  /// An integer or text.
  [[nodiscard]] Value value() const;

  /// "", which text() refuses.
  [[nodiscard]] bool is_empty_text() const { return kind() == Kind::Scalar && tree_->quoted && tree_->scalar.empty(); }
  [[nodiscard]] bool is_empty_list() const { return kind() == Kind::Sequence && tree_->items.empty(); }
  /// The elements of a sequence, at least one.
  [[nodiscard]] std::vector<Node> items() const;
  /// The elements of a sequence, or this node alone.
  [[nodiscard]] std::vector<Node> items_or_self() const;
  /// A map whose keys are the config's own words; at least one.
  [[nodiscard]] std::vector<std::pair<std::string, Node>> entries() const;
  /// A map whose keys are all among `keys`.
  [[nodiscard]] Fields fields(const std::vector<std::string>& keys) const;
  /// This node, with paths starting here.
  [[nodiscard]] Node rebased() const;

 private:
  friend class Document;
  friend class Fields;
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
  [[nodiscard]] bool is(Kind kind, std::string_view what) const;

  Source* source_;
  const Tree* tree_;
  std::string path_;
  int line_, column_;
};

/// A map with declared keys.
class Fields {
 public:
  [[nodiscard]] bool has(std::string_view key) const { return find(key).has_value(); }
  [[nodiscard]] std::optional<Node> find(std::string_view key) const;
  /// Reports the missing key.
  [[nodiscard]] Node get(std::string_view key) const;
  [[nodiscard]] const Node& node() const { return node_; }

 private:
  friend class Node;
  explicit Fields(Node node) : node_(std::move(node)) {}
  Node node_;
};

/// One config file. Nodes refer to it and must not outlive it.
class Document {
 public:
  /// `file` is what error messages call it. Errors: see parse_tree().
  [[nodiscard]] static Expected<Document> parse(const std::string& file, std::string_view text);
  [[nodiscard]] Node root() const;
  [[nodiscard]] const std::optional<Error>& error() const { return source_->error; }

 private:
  std::unique_ptr<Node::Source> source_;
};

}  // namespace warpclock
