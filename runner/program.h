#pragma once

// The program, so that tests can start it with implementations of their own.

#include <vector>

#include "core/implementation.h"

namespace gemmlab::runner {

/// The whole program: parses the command line, runs the command, prints mistakes as one line, returns the
/// exit status. `extra` joins the tables of implementations (test programs plant faulty ones).
int program(int argc, char** argv, const std::vector<const Implementation*>& extra = {});

}  // namespace gemmlab::runner
