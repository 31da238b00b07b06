#include "text/text.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "text/table.h"

namespace weir {
namespace text {
namespace {

// One placeholder, filled in. `missing` only matters inside brackets.
struct Filled {
  std::string text;
  bool missing = false;
};

std::string_view english_plural(std::string_view noun) {
  if (noun == "card") return "cards";
  if (noun == "job") return "jobs";
  if (noun == "node") return "nodes";
  if (noun == "run") return "runs";
  return {};
}

std::string_view chinese_counter(std::string_view noun) {
  if (noun == "card") return "张卡";
  if (noun == "job") return "个作业";
  if (noun == "node") return "个节点";
  if (noun == "run") return "次运行";
  return {};
}

std::optional<std::string> number(std::int64_t value, std::string_view noun, Language language) {
  if (noun.empty()) return count_text(value);
  if (english_plural(noun).empty()) return std::nullopt;
  if (language == Language::chinese) return fmt::format("{} {}", count_text(value), chinese_counter(noun));
  return fmt::format("{} {}", count_text(value), value == 1 ? noun : english_plural(noun));
}

template <class IdType>
Filled named(IdType id, const std::function<std::string(IdType)>& lookup, std::string_view english,
             std::string_view chinese, Language language) {
  const auto noun = language == Language::chinese ? chinese : english;
  if (!id.valid()) return {std::string(noun), true};
  if (lookup) return {lookup(id), false};
  return {fmt::format("{} {}", noun, id.value), false};
}

std::optional<Filled> fill(std::string_view field, const Arguments& arguments, Language language,
                           const NameLookup& names) {
  std::string_view noun;
  if (const auto dot = field.find('.'); dot != std::string_view::npos) {
    noun = field.substr(dot + 1);
    field = field.substr(0, dot);
  }
  if (field == "amount" || field == "of") {
    const auto value = field == "of" ? arguments.of : arguments.amount;
    auto text = number(value, noun, language);
    if (!text) return std::nullopt;
    return Filled{*std::move(text), field == "amount" && value == 0};
  }
  if (field == "at") {
    if (arguments.at >= kNever) return Filled{{}, true};
    return Filled{names.instant ? names.instant(arguments.at) : instant_text(arguments.at, language), false};
  }
  if (field == "job") return named(arguments.job, names.job, "job", "作业", language);
  if (field == "run") return named(arguments.run, names.run, "run", "运行", language);
  if (field == "node") return named(arguments.node, names.node, "node", "节点", language);
  if (field == "service") return named(arguments.service, names.service, "service", "服务", language);
  return std::nullopt;
}

// Fills a stretch without brackets; true when one of its arguments was missing.
bool fill_stretch(std::string& out, std::string_view pattern, const Arguments& arguments, Language language,
                  const NameLookup& names) {
  bool missing = false;
  while (!pattern.empty()) {
    const auto open = pattern.find('{');
    const auto close = open == std::string_view::npos ? open : pattern.find('}', open);
    if (close == std::string_view::npos) break;
    out += pattern.substr(0, open);
    if (const auto filled = fill(pattern.substr(open + 1, close - open - 1), arguments, language, names)) {
      out += filled->text;
      missing = missing || filled->missing;
    } else {
      out += pattern.substr(open, close - open + 1);
    }
    pattern.remove_prefix(close + 1);
  }
  out += pattern;
  return missing;
}

std::string plain(const Row& row, Language language) {
  return std::string(language == Language::chinese ? row.chinese : row.english);
}

}  // namespace

std::string filled(const Row& row, const Arguments& arguments, Language language, const NameLookup& names) {
  std::string_view pattern = language == Language::chinese ? row.chinese : row.english;
  std::string out;
  while (!pattern.empty()) {
    const auto open = pattern.find('[');
    const auto close = open == std::string_view::npos ? open : pattern.find(']', open);
    if (close == std::string_view::npos) break;
    (void)fill_stretch(out, pattern.substr(0, open), arguments, language, names);
    std::string part;
    if (!fill_stretch(part, pattern.substr(open + 1, close - open - 1), arguments, language, names)) out += part;
    pattern.remove_prefix(close + 1);
  }
  (void)fill_stretch(out, pattern, arguments, language, names);
  return out;
}

}  // namespace text

std::string sentence(const Reason& reason, Language language, const NameLookup& names) {
  const text::Arguments arguments{.amount = reason.amount,
                                  .of = reason.of,
                                  .at = reason.at,
                                  .job = reason.job,
                                  .run = reason.run,
                                  .node = {},
                                  .service = {}};
  return text::filled(text::row_of(reason.code), arguments, language, names);
}

std::string sentence(const change::Alarm& alarm, Language language, const NameLookup& names) {
  const text::Arguments arguments{.job = alarm.job, .run = alarm.run, .node = alarm.node, .service = alarm.service};
  return text::filled(text::row_of(alarm.kind), arguments, language, names);
}

std::string label(JobState state, Language language) { return text::plain(text::row_of(state), language); }
std::string label(YieldCause cause, Language language) { return text::plain(text::row_of(cause), language); }
std::string label(ClaimEnd end, Language language) { return text::plain(text::row_of(end), language); }
std::string label(ReplicaState state, Language language) { return text::plain(text::row_of(state), language); }
std::string label(event::Exit how, Language language) { return text::plain(text::row_of(how), language); }
std::string label(decision::StopCause cause, Language language) { return text::plain(text::row_of(cause), language); }
std::string label(decision::DrainCause cause, Language language) { return text::plain(text::row_of(cause), language); }

}  // namespace weir
