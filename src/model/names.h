// The words of the closed lists, as written in files, logs and the API.
#pragma once

#include <string_view>

#include "model/change.h"
#include "model/claim.h"
#include "model/decision.h"
#include "model/event.h"
#include "model/job.h"
#include "model/reason.h"
#include "model/service.h"
#include "model/settings.h"

namespace weir {

[[nodiscard]] std::string_view name_of(ReasonCode);
[[nodiscard]] std::string_view name_of(JobState);
[[nodiscard]] std::string_view name_of(YieldCause);
[[nodiscard]] std::string_view name_of(ClaimEnd);
[[nodiscard]] std::string_view name_of(ReplicaState);
[[nodiscard]] std::string_view name_of(TierRole);
[[nodiscard]] std::string_view name_of(OrderRule);
[[nodiscard]] std::string_view name_of(event::Exit);
[[nodiscard]] std::string_view name_of(decision::StopCause);
[[nodiscard]] std::string_view name_of(decision::DrainCause);
[[nodiscard]] std::string_view name_of(change::AlarmKind);

}  // namespace weir
