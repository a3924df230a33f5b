#pragma once

// Tells one host from another, so that their records are not mixed up.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/records/record.h"

namespace gemmlab::runner {

/// What tells one host from another, as far as it can be read.
struct HostTraits {
  std::string machine_id;  ///< of the installed system; empty where there is none, as in some containers
  std::string cpu;
  int cores_online = 0;  ///< of the host, not only those that this process may use
  std::int64_t memory_bytes = 0;
  std::vector<std::string> gpus;  ///< their uuids
};

/// Of this host, with the GPUs of a worker's facts.
HostTraits host_traits(const Json& gpus);

/// {"id": 12 hex digits of a hash of all traits, "machine": 12 of a hash of the machine id, null without
/// one}. The machine id itself is a secret of the host's, and is not recorded.
Json host_identity(const HostTraits& traits);

/// How many processors a list in the kernel's notation names: "0-3,8" is 5. 0 if the text is not such a list.
int count_of_list(const std::string& list);

}  // namespace gemmlab::runner
