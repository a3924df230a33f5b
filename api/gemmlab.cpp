#include "api/gemmlab.h"

#include <cstdio>
#include <cstdlib>
#include <list>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/backend.h"
#include "core/gemm/implementation.h"
#include "cpu/table.h"
#include "gpu/table.h"

namespace gemmlab::api {
namespace {

/// What a call has prepared, kept for the next of the same kind.
struct Prepared {
  const Implementation* implementation = nullptr;
  std::string parameters;
  Shape shape;
  std::unique_ptr<Session> session;
};

constexpr std::size_t kMostKept = 8;
std::list<Prepared> kept;  ///< latest first
thread_local std::string error;

/// A call that is answered with a code.
struct Refusal : std::runtime_error {
  Refusal(int code, const std::string& why) : std::runtime_error(why), answer(code) {}
  int answer;
};

/// Those of gemm, of both devices.
const std::vector<const Implementation*>& all() {
  static const std::vector<const Implementation*> both = [] {
    std::vector<const Implementation*> rows;
    for (const auto* table : {&cpu::implementations(), &gpu::implementations()}) {
      for (const Implementation* one : of_operation(*table, gemm().name())) rows.push_back(one);
    }
    return rows;
  }();
  return both;
}

const Implementation* find(const std::string& id) {
  for (const Implementation* one : all()) {
    if (one->description().id == id) return one;
  }
  return nullptr;
}

bool known_elsewhere(const std::string& id) {
  for (const gpu::KnownRow& known : gpu::known_rows()) {
    if (known.id == id && known.operation == gemm().name()) return true;
  }
  return false;
}

const Implementation& found(const std::string& id) {
  if (const Implementation* one = find(id)) return *one;
  if (known_elsewhere(id)) throw Refusal(GEMMLAB_UNAVAILABLE, id + ": " + gpu::unavailable());
  throw Refusal(GEMMLAB_INVALID, "there is no implementation '" + id + "'");
}

/// "block=16 isa=avx2" as parameters; a value is a number where the implementation's choices are numbers.
Parameters parsed(const Description& description, const std::string& written) {
  Parameters given;
  std::stringstream words(written);
  for (std::string word; words >> word;) {
    const std::size_t sign = word.find('=');
    if (sign == std::string::npos || sign == 0)
      throw std::invalid_argument("'" + word + "' is not a parameter: name=value is allowed");
    const std::string name = word.substr(0, sign);
    const std::string value = word.substr(sign + 1);
    const ParameterSpec* spec = description.find(name);
    const bool number = spec != nullptr && std::holds_alternative<std::int64_t>(spec->default_value);
    char* end = nullptr;
    const long long whole = std::strtoll(value.c_str(), &end, 10);
    if (number && !value.empty() && *end == '\0') {
      given[name] = std::int64_t{whole};
    } else {
      given[name] = value;
    }
  }
  return complete(description, given);
}

Session& prepared(const Implementation& implementation, const std::string& written, const Shape& shape) {
  for (auto one = kept.begin(); one != kept.end(); ++one) {
    if (one->implementation != &implementation || one->parameters != written || !(one->shape == shape))
      continue;
    kept.splice(kept.begin(), kept, one);
    return *kept.front().session;
  }
  const Parameters parameters = parsed(implementation.description(), written);
  if (const std::string reason = implementation.unavailable(); !reason.empty())
    throw Refusal(GEMMLAB_UNAVAILABLE, implementation.description().id + ": " + reason);
  if (const std::string reason = implementation.why_not(gemm_at(shape), parameters); !reason.empty())
    throw Refusal(GEMMLAB_REFUSED, implementation.description().id + ": " + reason);
  Prepared made{&implementation, written, shape, implementation.prepare(gemm_at(shape), parameters)};
  if (kept.size() == kMostKept) kept.pop_back();
  kept.push_front(std::move(made));
  return *kept.front().session;
}

void multiply(const std::string& id, const std::string& parameters, const float* A, const float* B, float* C,
              const Shape& shape) {
  const Implementation& implementation = found(id);
  if (shape.m < 1 || shape.n < 1 || shape.k < 1)
    throw Refusal(GEMMLAB_INVALID, "M = " + std::to_string(shape.m) + ", N = " + std::to_string(shape.n) +
                                       ", K = " + std::to_string(shape.k) +
                                       ": every dimension must be at least 1");
  if (A == nullptr || B == nullptr || C == nullptr)
    throw Refusal(GEMMLAB_INVALID, "A, B or C is a null pointer");
  gemmlab::multiply(prepared(implementation, parameters, shape), A, B, C);
}

/// The code for what `work` throws; the words are kept for gemmlab_error().
template <typename Work>
int answered(const Work& work) {
  error.clear();
  try {
    work();
    return GEMMLAB_OK;
  } catch (const Refusal& refusal) {
    error = refusal.what();
    return refusal.answer;
  } catch (const std::invalid_argument& invalid) {
    error = invalid.what();
    return GEMMLAB_INVALID;
  } catch (const OutOfMemory& none) {
    error = none.what();
    return GEMMLAB_OUT_OF_MEMORY;
  } catch (const std::bad_alloc& none) {
    error = none.what();
    return GEMMLAB_OUT_OF_MEMORY;
  } catch (const std::exception& failure) {
    error = failure.what();
    return GEMMLAB_FAILED;
  }
}

/// The last of our own in plain FP32 of a table.
std::string last_rung(const std::vector<const Implementation*>& table) {
  std::string id;
  for (const Implementation* one : table) {
    const Description& description = one->description();
    if (!description.reference && description.precision == Precision::kFp32) id = description.id;
  }
  return id;
}

std::string solver() {
  if (const char* chosen = std::getenv("GEMMLAB_SOLVE"); chosen != nullptr && *chosen != '\0') return chosen;
  return last_rung(gpu::unavailable().empty() ? gpu::implementations() : cpu::implementations());
}

}  // namespace

int call(const char* implementation, const char* parameters, const float* A, const float* B, float* C,
         std::int64_t M, std::int64_t N, std::int64_t K) {
  return answered([&] {
    if (implementation == nullptr) throw Refusal(GEMMLAB_INVALID, "no implementation is named");
    multiply(implementation, parameters == nullptr ? "" : parameters, A, B, C, {M, N, K});
  });
}

}  // namespace gemmlab::api

using namespace gemmlab;

int gemmlab_multiply(const char* implementation, const char* parameters, const float* A, const float* B,
                     float* C, int64_t M, int64_t N, int64_t K) {
  return api::call(implementation, parameters, A, B, C, M, N, K);
}

void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const std::string solver = api::solver();
  const std::size_t end = solver.find(' ');
  const std::string id = solver.substr(0, end);
  const std::string parameters = end == std::string::npos ? "" : solver.substr(end + 1);
  // solve's N is the inner dimension, its K the columns of C
  if (api::call(id.c_str(), parameters.c_str(), A, B, C, M, K, N) == GEMMLAB_OK) return;
  std::fprintf(stderr, "gemmlab: solve(M=%d, N=%d, K=%d) by %s: %s\n", M, N, K, solver.c_str(),
               gemmlab_error());
  std::abort();
}

int gemmlab_count(void) {
  return static_cast<int>(api::all().size());
}

const char* gemmlab_id(int index) {
  if (index < 0 || index >= gemmlab_count()) return nullptr;
  return api::all()[static_cast<std::size_t>(index)]->description().id.c_str();
}

const char* gemmlab_summary(const char* implementation) {
  const Implementation* one = implementation == nullptr ? nullptr : api::find(implementation);
  return one == nullptr ? nullptr : one->description().summary.c_str();
}

const char* gemmlab_unavailable(const char* implementation) {
  if (implementation == nullptr) return nullptr;
  thread_local std::string reason;
  if (const Implementation* one = api::find(implementation)) {
    reason = one->unavailable();
  } else if (api::known_elsewhere(implementation)) {
    reason = gpu::unavailable();
  } else {
    return nullptr;
  }
  return reason.c_str();
}

void gemmlab_use_stream(void* stream) {
  // a library's handle is bound to the stream that it was made for
  api::kept.clear();
  gpu::use_stream(stream);
}

void gemmlab_release(void) {
  api::kept.clear();
}

const char* gemmlab_error(void) {
  return api::error.c_str();
}

const char* gemmlab_version(void) {
  return GEMMLAB_VERSION;
}
