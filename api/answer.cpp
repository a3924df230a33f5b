#include "api/answer.h"

#include <new>

namespace gemmlab::api {

std::string& last_error() {
  thread_local std::string error;
  return error;
}

int answer_for_exception() {
  try {
    throw;
  } catch (const Refusal& refusal) {
    last_error() = refusal.what();
    return refusal.answer;
  } catch (const std::invalid_argument& invalid) {
    last_error() = invalid.what();
    return GEMMLAB_INVALID;
  } catch (const OutOfMemory& none) {
    last_error() = none.what();
    return GEMMLAB_OUT_OF_MEMORY;
  } catch (const std::bad_alloc& none) {
    last_error() = none.what();
    return GEMMLAB_OUT_OF_MEMORY;
  } catch (const std::exception& failure) {
    last_error() = failure.what();
    return GEMMLAB_FAILED;
  }
}

}  // namespace gemmlab::api
