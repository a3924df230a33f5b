#pragma once

// What a function of the interface answers, and why.

#include <stdexcept>
#include <string>

#include "api/gemmlab.h"
#include "core/backend.h"

namespace gemmlab::api {

/// A call that is answered with a code of gemmlab.h.
struct Refusal : std::runtime_error {
  Refusal(int code, const std::string& why) : std::runtime_error(why), answer(code) {}
  int answer;
};

/// Why this thread's last call did not answer GEMMLAB_OK.
std::string& last_error();

/// The code for the exception that is being handled; its words are kept in last_error().
int answer_for_exception();

template <typename Work>
int answered(const Work& work) {
  last_error().clear();
  try {
    work();
    return GEMMLAB_OK;
  } catch (...) {
    return answer_for_exception();
  }
}

}  // namespace gemmlab::api
