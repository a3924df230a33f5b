#pragma once

// What the user has asked the BLAS library for by environment variables.

#include <optional>
#include <string>

#include "api/blas/call.h"
#include "api/sessions.h"

namespace gemmlab::blas {

/// What answers calls of a side: one implementation all that it takes, or the last rung of a device that takes a product.
struct Answerer {
  api::Choice choice;  ///< of a device: what answers float32
  bool is_device;
};

/// None where all is passed on. From the environment: GEMMLAB_BLAS for BLAS on the host ("cpu", the default; "gpu"; an id
/// with parameters; "off"), GEMMLAB_CUBLAS for cuBLAS and cublasLt ("gpu", the default; an id; "off"). A value that cannot
/// be ends the program with one line.
const std::optional<Answerer>& answerer_for(Side side);

/// GEMMLAB_TRACE: empty where nothing is traced, "1" for lines on stderr, else a file for JSON lines.
const std::string& trace_target();

}  // namespace gemmlab::blas
