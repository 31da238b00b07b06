#include "engine/defrag/defrag.h"

namespace weir::engine {

void mend(Pool&, const std::vector<JobId>&) {}

}  // namespace weir::engine
