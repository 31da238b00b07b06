// The parts of the page, in the order of the page. Each is empty when there is
// nothing to show.
#pragma once

#include <string>

#include "report/report.h"

namespace weir::report::html {

[[nodiscard]] std::string headline(const ReportData& data);          // one sentence
[[nodiscard]] std::string cards_section(const ReportData& data);     // the few figures that matter
[[nodiscard]] std::string policies_section(const ReportData& data);  // the whole comparison
[[nodiscard]] std::string use_section(const ReportData& data);
[[nodiscard]] std::string waits_section(const ReportData& data);
[[nodiscard]] std::string inference_section(const ReportData& data);
[[nodiscard]] std::string preemption_section(const ReportData& data);
[[nodiscard]] std::string queue_section(const ReportData& data);  // queue and fragmentation
[[nodiscard]] std::string rotations_section(const ReportData& data);
[[nodiscard]] std::string reproduce_section(const ReportData& data);

// A section with its heading and a sentence; empty when `body` is.
[[nodiscard]] std::string section(const std::string& id, const std::string& title, const std::string& about,
                                  const std::string& body);

// How a policy is drawn: the subject stands out, others are greys.
[[nodiscard]] std::string policy_css(const ReportData& data, std::size_t policy);

}  // namespace weir::report::html
