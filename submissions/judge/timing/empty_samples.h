#pragma once

// What a call costs besides its work, from samples of calls that do nothing.

#include <vector>

namespace gemmlab::submissions {

/// What of calls in which nothing is done is taken off those that are timed: a tenth of them are shorter. Where others take the
/// processors, an empty call waits for them, too, and no submission may gain by that.
double taken_off_s(const std::vector<double>& samples_s);
/// So uncertain is that: from there to the middle of them all.
double uncertain_of_taken_s(const std::vector<double>& samples_s);

}  // namespace gemmlab::submissions
