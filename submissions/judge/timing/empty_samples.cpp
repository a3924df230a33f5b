#include "submissions/judge/timing/empty_samples.h"

#include <algorithm>

namespace gemmlab::submissions {
namespace {

double quantile(std::vector<double> samples, double share) {
  std::sort(samples.begin(), samples.end());
  return samples.at(static_cast<std::size_t>(share * static_cast<double>(samples.size() - 1)));
}

}  // namespace

double taken_off_s(const std::vector<double>& samples_s) {
  return quantile(samples_s, 0.1);
}

double uncertain_of_taken_s(const std::vector<double>& samples_s) {
  return quantile(samples_s, 0.5) - quantile(samples_s, 0.1);
}

}  // namespace gemmlab::submissions
