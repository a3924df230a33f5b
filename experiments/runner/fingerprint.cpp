#include "experiments/runner/fingerprint.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "build_facts.h"
#include "core/point.h"
#include "core/sha256.h"
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

std::string made_fingerprint(const std::string& implementation) {
  const std::string own = hash_of(facts::kImplementations, implementation);
  const bool gpu = implementation.rfind("gpu.", 0) == 0;
  Json parts{own.empty() ? facts::kSourceSha256 : own, hash_of(facts::kMeasuring, gpu ? "gpu" : "cpu"),
             facts::kCompiler, facts::kFlags, facts::kSanitize};
  if (gpu) {
    parts.push_back(facts::kNvcc);
    parts.push_back(facts::kCudaArch);
  }
  return sha256(parts.dump()).substr(0, kFingerprintDigits);
}

}  // namespace

std::string point_fingerprint(const std::string& implementation) {
  static std::map<std::string, std::string> known;  // a file may have 100,000 records
  std::string& fingerprint = known[implementation];
  if (fingerprint.empty()) fingerprint = made_fingerprint(implementation);
  return fingerprint;
}

}  // namespace gemmlab::runner
