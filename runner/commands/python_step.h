#pragma once

// Hands a finished run over to the report, which is written in Python.

#include <string>
#include <vector>

namespace gemmlab::runner {

/// Runs `python -m report ARGUMENTS` with the Python that the launcher has prepared ($GEMMLAB_PYTHON). Its
/// exit status, or -1 where there is no such Python. Throws Interrupted where a signal ended it or came for
/// this process meanwhile.
int run_report_step(const std::vector<std::string>& arguments, bool output_to_stderr = false);

}  // namespace gemmlab::runner
