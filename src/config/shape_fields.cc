#include "config/shape_fields.h"

#include "config/settings_table.h"

namespace weir {

namespace {

struct GuardShapeDraft {
  ShapeDraft need;
  std::int64_t count = 1;
};

std::vector<Field<GuardShapeDraft>> guard_shape_rows() {
  auto rows = shape_rows<GuardShapeDraft>();
  rows.push_back(field::whole<GuardShapeDraft>("count", WEIR_AT(count), {1, kGuardShapesMax}, "How many such shapes."));
  return rows;
}

}  // namespace

void read_gpus(const Value& value, ShapeDraft& need) {
  need.gpus_given = true;
  const bool decimal = value.is_scalar() && !value.node().quoted && value.node().text.find('.') != std::string::npos;
  if (!decimal) {
    if (const auto cards = value.whole({0, kCardsPerNodeMax})) need.shape.cards = static_cast<std::int32_t>(*cards);
    return;
  }
  const auto milli = value.milli({0, std::int64_t{kCardsPerNodeMax} * kMilliPerCard});
  if (!milli) return;
  if (*milli % kMilliPerCard == 0) {
    need.shape.cards = static_cast<std::int32_t>(*milli / kMilliPerCard);
  } else if (*milli < kMilliPerCard) {
    need.shape.milli = static_cast<std::int32_t>(*milli);
  } else {
    value.problem("a share lies below one card, and cards come whole; has " + quoted_for_message(value.node().text));
  }
}

bool shape_is_one_kind(const ShapeDraft& need) { return need.shape.milli == 0 || need.shape.cards == 0; }

void read_guard_shapes(const Value& value, PoolConfig& out) {
  const auto items = value.items();
  if (!items) return;
  std::vector<Shape> shapes;
  Given given;
  for (const Value& item : *items) {
    GuardShapeDraft draft;
    if (item.is_map()) {
      static const auto rows = guard_shape_rows();
      read_fields<GuardShapeDraft>(item, rows, draft, given);
    } else {
      read_gpus(item, draft.need);
    }
    if (!shape_is_one_kind(draft.need)) item.problem(kTwoKinds);
    const Shape shape = draft.need.resolved();
    if (static_cast<std::int64_t>(shapes.size()) + draft.count > kGuardShapesMax) {
      value.problem("stands for more than " + std::to_string(kGuardShapesMax) + " shapes");
      return;
    }
    if (!value.problems().touches(item.path()) && !shape.whole() && !shape.share()) {
      item.problem("a shape of the guard needs a card or a share of one");
    }
    shapes.insert(shapes.end(), static_cast<std::size_t>(draft.count), shape);
  }
  out.settings.guard_shapes = std::move(shapes);
}

std::string show_guard_shapes(const PoolConfig& in) {
  const auto& shapes = in.settings.guard_shapes;
  std::string out;
  static const auto rows = guard_shape_rows();
  for (std::size_t i = 0; i < shapes.size();) {
    std::size_t end = i;
    while (end < shapes.size() && shapes[end] == shapes[i]) ++end;
    const GuardShapeDraft draft{{.shape = shapes[i], .gpus_given = true}, static_cast<std::int64_t>(end - i)};
    out += out.empty() ? "[" : ", ";
    std::string map;
    for (const auto& row : rows) {
      const std::string text = row.show(draft);
      if (!text.empty()) map += (map.empty() ? "{" : ", ") + row.key + ": " + text;
    }
    out += map + "}";
    i = end;
  }
  return out.empty() ? out : out + "]";
}

}  // namespace weir
