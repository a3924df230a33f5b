#include "runner/recording/fingerprint.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "build_facts.h"
#include "core/device.h"
#include "core/records/point.h"
#include "core/records/sha256.h"
#include "runner/recording/provenance.h"
#include "source_hashes.h"

namespace gemmlab::runner {
namespace {

constexpr std::size_t kFingerprintDigits = 16;

template <std::size_t count>
std::string hash_of(const facts::SourceHash (&hashes)[count], const std::string& name) {
  const auto found =
      std::find_if(std::begin(hashes), std::end(hashes), [&](const auto& one) { return one.name == name; });
  return found == std::end(hashes) ? "" : found->sha256;
}

/// Empty where the build, as a run line bears it, does not say all that the implementation depends on.
std::string made_fingerprint(const std::string& implementation, const Json& build) {
  const std::string own = hash_of(facts::kImplementations, implementation);
  const std::string device = implementation.substr(0, implementation.find('.'));
  const bool cuda = std::any_of(std::begin(kDevices), std::end(kDevices),
                                [&](const Device& one) { return one.name == device && one.cuda; });
  Json parts{own.empty() ? facts::kSourceSha256 : own, hash_of(facts::kMeasuring, device)};
  std::vector<std::string> keys{"compiler", "flags", "sanitize"};
  if (cuda) keys.insert(keys.end(), {"nvcc", "cuda_arch"});
  for (const std::string& key : keys) {
    if (!build.is_object() || !build.contains(key) || !build.at(key).is_string()) return "";
    parts.push_back(build.at(key));
  }
  return sha256(parts.dump()).substr(0, kFingerprintDigits);
}

}  // namespace

std::string point_fingerprint(const std::string& implementation) {
  static std::map<std::string, std::string> known;  // a file may have 100,000 records
  std::string& fingerprint = known[implementation];
  if (fingerprint.empty()) {
    fingerprint = made_fingerprint(implementation, program_facts().at("build"));
  }
  return fingerprint;
}

Json fingerprints(const Json& build) {
  Json found = Json::object();
  for (const auto& [name, sources] : facts::kImplementations) {
    const std::string fingerprint = made_fingerprint(name, build);
    if (!fingerprint.empty()) found[name] = fingerprint;
  }
  return found;
}

}  // namespace gemmlab::runner
