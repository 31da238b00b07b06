// What `weir bench` prints.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "packing/fill.h"

namespace weir::cli {

struct PackingResults {
  std::vector<std::string> policies;
  std::vector<std::pair<std::string, std::vector<packing::Fill>>> workloads;  // by policy
  std::map<std::pair<std::string, std::string>, packing::Published> published;
  int seeds = 0;
};

void print_table(const PackingResults&);
void print_json(const PackingResults&);

}  // namespace weir::cli
