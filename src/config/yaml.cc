// The bounded tree of a YAML text, built from the parser's events so that
// limits hold before memory is spent and nothing (a key given twice) is lost.
#include <algorithm>
#include <sstream>
#include <unordered_map>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "config/reader.h"

namespace weir {

namespace {

struct Stop {};  // a limit was passed; the problem is noted

// Byte columns of the parser to character columns of people. Marks come mostly
// in order, so each line is walked about once.
class Columns {
 public:
  explicit Columns(std::string_view text) : text_(text) {}

  Place place(const YAML::Mark& mark) {
    if (mark.is_null()) return {};
    if (mark.line < line_ || (mark.line == line_ && mark.column < byte_)) restart();
    while (line_ < mark.line && offset_ < text_.size()) {
      if (text_[offset_++] == '\n') {
        ++line_;
        byte_ = 0;
        character_ = 0;
      }
    }
    while (line_ == mark.line && byte_ < mark.column && offset_ < text_.size() && text_[offset_] != '\n') {
      const bool continues = (static_cast<unsigned char>(text_[offset_]) & 0xC0U) == 0x80U;
      character_ += continues ? 0 : 1;
      ++byte_;
      ++offset_;
    }
    return {mark.line + 1, character_ + 1};
  }

 private:
  // Back to the start of the line that the cursor is in, or to the start of all.
  void restart() {
    offset_ = 0;
    line_ = 0;
    byte_ = 0;
    character_ = 0;
  }

  std::string_view text_;
  std::size_t offset_ = 0;
  int line_ = 0;
  int byte_ = 0;
  int character_ = 0;
};

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, Problems& problems, const YamlLimits& limits)
      : columns_(text), problems_(problems), limits_(limits) {}

  [[nodiscard]] YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 2) stop(mark, "a second document begins; a file holds one", ErrorCode::bad_input);
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    YamlNode node{.kind = YamlNode::Kind::null, .at = columns_.place(mark), .text = {}, .items = {}, .entries = {}};
    refuse_anchor(node, anchor);
    put(std::move(node));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    YamlNode node{.kind = YamlNode::Kind::null,
                  .reported = true,
                  .at = columns_.place(mark),
                  .text = {},
                  .items = {},
                  .entries = {}};
    const bool merged = !open_.empty() && open_.back().node.kind == YamlNode::Kind::map && open_.back().key == "<<";
    if (!merged) problem(node.at, "aliases (*) are not used here; write the value out");
    put(std::move(node));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node{
        .kind = YamlNode::Kind::scalar, .at = columns_.place(mark), .text = value, .items = {}, .entries = {}};
    node.quoted = tag == "!";
    if (tag != "!" && tag != "?") refuse_tag(node, tag);
    refuse_anchor(node, anchor);
    put(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, YamlNode::Kind::list, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, YamlNode::Kind::map, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  // A list or map being read. In a map a key waits for its value.
  struct Open {
    YamlNode node;
    bool has_key = false;
    bool drop = false;  // the waiting key is no use: its value is read and left out
    std::string key;
    Place key_at;
    std::unordered_map<std::string, int> seen;  // key to its line
  };

  [[noreturn]] void stop(const YAML::Mark& mark, std::string message, ErrorCode code) {
    problems_.add(columns_.place(mark), {}, std::move(message), code);
    throw Stop{};
  }

  void problem(Place at, std::string message) { problems_.add(at, path(), std::move(message)); }

  [[nodiscard]] std::string path() const {
    std::string out;
    for (const Open& level : open_) {
      if (level.node.kind == YamlNode::Kind::list) {
        out += '[' + std::to_string(level.node.items.size()) + ']';
      } else if (level.has_key) {
        out += (out.empty() ? "" : ".") + level.key;
      }
    }
    return out;
  }

  void refuse_anchor(YamlNode& node, YAML::anchor_t anchor) {
    if (anchor == 0) return;
    problem(node.at, "anchors (&) are not used here; write the value out where it is wanted");
    node.reported = node.kind == YamlNode::Kind::null;
  }

  void refuse_tag(YamlNode& node, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    problem(node.at, "tags (!) are not used here; write the plain value");
    node.reported = true;
  }

  void count(const YAML::Mark& mark) {
    if (++nodes_ > limits_.nodes_max) {
      stop(mark, "more than " + std::to_string(limits_.nodes_max) + " keys and values", ErrorCode::too_large);
    }
  }

  void open(const YAML::Mark& mark, YamlNode::Kind kind, const std::string& tag, YAML::anchor_t anchor) {
    count(mark);
    if (static_cast<int>(open_.size()) >= limits_.depth_max) {
      stop(mark, "nested deeper than " + std::to_string(limits_.depth_max) + " levels", ErrorCode::too_large);
    }
    YamlNode node{.kind = kind, .at = columns_.place(mark), .text = {}, .items = {}, .entries = {}};
    refuse_tag(node, tag);
    refuse_anchor(node, anchor);
    Open level;
    level.node = std::move(node);
    open_.push_back(std::move(level));
  }

  void close() {
    YamlNode done = std::move(open_.back().node);
    open_.pop_back();
    place_node(std::move(done));
  }

  void put(YamlNode node) {
    if (++nodes_ > limits_.nodes_max) {
      problems_.add(node.at, {}, "more than " + std::to_string(limits_.nodes_max) + " keys and values",
                    ErrorCode::too_large);
      throw Stop{};
    }
    place_node(std::move(node));
  }

  // Hands a finished node to whatever is open around it.
  void place_node(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (open_.back().node.kind == YamlNode::Kind::list) {
      open_.back().node.items.push_back(std::move(node));
    } else if (!open_.back().has_key) {
      take_key(open_.back(), node);
    } else {
      take_value(open_.back(), std::move(node));
    }
  }

  void take_key(Open& level, const YamlNode& node) {
    const bool plain = node.kind == YamlNode::Kind::scalar && !node.text.empty();
    level.drop = true;
    if (!plain) {
      problem(node.at, "a key must be plain text");
    } else if (node.text == "<<" && !node.quoted) {
      problem(node.at, "merge keys (<<) are not used here; write the keys out");
    } else {
      level.drop = false;
    }
    level.key = node.text;
    level.key_at = node.at;
    level.has_key = true;
    if (level.drop) return;
    const auto [first, fresh] = level.seen.emplace(node.text, node.at.line);
    if (fresh) return;
    level.drop = true;
    problem(node.at, "this key is given twice; the first is on line " + std::to_string(first->second));
  }

  void take_value(Open& level, YamlNode node) {
    level.has_key = false;
    if (level.drop) return;
    if (node.kind == YamlNode::Kind::null) node.at = level.key_at;
    level.node.entries.push_back(YamlEntry{std::move(level.key), level.key_at, std::move(node)});
  }

  Columns columns_;
  Problems& problems_;
  const YamlLimits& limits_;
  std::vector<Open> open_;
  YamlNode root_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
};

// Length of the UTF-8 character that begins at `at`; 0 if it is none (overlong
// forms, surrogates and what lies above U+10FFFF included).
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80U) return 1;
  if (first >= 0xC2U && first <= 0xDFU) return follows(1) ? 2 : 0;
  if (first >= 0xE0U && first <= 0xEFU) {
    const bool overlong = first == 0xE0U && byte(1) < 0xA0U;
    const bool surrogate = first == 0xEDU && byte(1) > 0x9FU;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0U && first <= 0xF4U) {
    const bool overlong = first == 0xF0U && byte(1) < 0x90U;
    const bool beyond = first == 0xF4U && byte(1) > 0x8FU;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

// The first tab that a line up to `line_max` is indented with: the usual cause
// of a text that is no YAML, and never what the parser's words say.
std::optional<Place> indenting_tab(std::string_view text, int line_max) {
  int line = 1;
  for (std::size_t begin = 0; begin < text.size() && line <= line_max; ++line) {
    const std::size_t first = std::min(text.find_first_not_of(" \t", begin), text.size());
    const std::size_t tab = text.substr(begin, first - begin).find('\t');
    if (tab != std::string_view::npos) return Place{line, static_cast<int>(tab) + 1};
    const std::size_t end = text.find('\n', first);
    begin = end == std::string_view::npos ? text.size() : end + 1;
  }
  return std::nullopt;
}

// The first byte that no text has, as a problem.
bool is_text(std::string_view text, Problems& problems) {
  Place at{1, 1};
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool control = (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F;
    if (length == 0 || control) {
      problems.add(at, {},
                   byte == 0 ? "a NUL byte: this is no text file"
                   : control ? "a control character: this is no text file"
                             : "not valid UTF-8");
      return false;
    }
    if (byte == '\n') {
      at = {at.line + 1, 1};
    } else {
      ++at.column;
    }
    i += length;
  }
  return true;
}

}  // namespace

std::optional<YamlNode> read_yaml(std::string_view text, Problems& problems, const YamlLimits& limits) {
  if (text.size() > limits.bytes_max) {
    problems.add({}, {}, "larger than " + std::to_string(limits.bytes_max) + " bytes", ErrorCode::too_large);
    return std::nullopt;
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // byte order mark
  if (!is_text(text, problems)) return std::nullopt;
  TreeBuilder builder(text, problems, limits);
  Columns columns(text);
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stop&) {
    return std::nullopt;
  } catch (const YAML::Exception& error) {
    const Place at = columns.place(error.mark);
    if (const auto tab = indenting_tab(text, at.line)) {
      problems.add(*tab, {}, "a tab in the indentation; YAML indents with blanks");
    } else {
      problems.add(at, {}, "not valid YAML: " + error.msg);
    }
    return std::nullopt;
  } catch (const std::exception& error) {  // the parser's own, e.g. a length it cannot hold
    problems.add({}, {}, std::string("not valid YAML: ") + error.what());
    return std::nullopt;
  }
  return builder.take();
}

}  // namespace weir
