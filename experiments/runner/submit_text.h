#pragma once

// What `gemmlab submit` prints.

#include <string>

#include "core/point.h"

namespace gemmlab::runner {

/// A verdict in a line; unless `brief`, its messages, hints, times and advice below it. `known`: it was
/// judged before.
void print_verdict(const Json& verdict, bool known, bool brief);

}  // namespace gemmlab::runner
