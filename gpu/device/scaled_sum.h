#pragma once

// The session and the kernel that axpy and triad share.

#include <memory>

#include "core/implementation.h"
#include "operations/vectors.h"

namespace gemmlab::gpu {

std::unique_ptr<Session> scaled_sum_session(const Instance& instance, const ScaledSum& sum);

}  // namespace gemmlab::gpu
