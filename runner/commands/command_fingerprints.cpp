#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "runner/commands/commands.h"
#include "runner/message_text.h"
#include "runner/recording/fingerprint.h"
#include "runner/usage_error.h"

namespace gemmlab::runner {

int command_fingerprints(const std::string& builds) {
  const Json given = Json::parse(builds, nullptr, false);
  if (!given.is_array())
    throw UsageError("'" + clipped(builds) +
                     "' is not a list of builds as run lines bear them: [{...}, ...]");
  Json found = Json::array();
  for (const Json& build : given) found.push_back(fingerprints(build));
  fmt::print("{}\n", found.dump(1));
  return kExitDone;
}

}  // namespace gemmlab::runner
