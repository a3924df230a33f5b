#pragma once

// The three requests that submissions/driver makes to this program. Requests come as lines of JSON on standard
// input, answers go as lines of JSON to standard output; submissions/program/README.md lists them.

#include <nlohmann/json.hpp>

#include "runner/catalogue.h"
#include "runner/execution/channel.h"

namespace gemmlab::submissions {

/// The rule, the files and this machine: all that is known before anything is judged. Exit status.
int answer_facts(const runner::Catalogue& catalogue, runner::Channel& channel);

/// One submission: compiled, then checked and timed as it is asked. Exit status.
int answer_hand_in(const runner::Catalogue& catalogue, runner::Channel& channel);

/// The ladder of a class, timed once. Exit status.
int answer_ladder(const runner::Catalogue& catalogue, runner::Channel& channel);

/// The next request. Throws runner::Interrupted where none can come any more.
Json next_request(runner::Channel& channel);

}  // namespace gemmlab::submissions
