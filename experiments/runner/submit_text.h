#pragma once

// What `gemmlab submit` prints.

#include <string>

#include "core/point.h"

namespace gemmlab::runner {

/// As text. What a compiler or a submission says need not be UTF-8.
std::string shown(const Json& json);

/// A verdict in a line; unless `brief`, its messages, hints, times and advice below it. `known`: it was
/// judged before.
void print_verdict(const Json& verdict, bool known, bool brief);

}  // namespace gemmlab::runner
