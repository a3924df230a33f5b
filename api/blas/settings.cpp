#include "api/blas/settings.h"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "api/rows.h"

namespace gemmlab::blas {
namespace {

std::string environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

/// Calls on the card's memory cannot be answered by the CPU; the other way round operands are copied.
bool can_answer(Side side, const api::Choice& choice) {
  return side == Side::kHost || api::is_gpu(choice);
}

std::optional<Answerer> read_answerer(Side side, const std::string& value) {
  if (value == "off") return std::nullopt;
  if (value == "cpu" || value == "gpu") return Answerer{{&api::last_rung(device_from(value)), ""}, true};
  const api::Choice choice = api::choice_from(value);
  api::parameters_of(choice.row->description(), choice.parameters);
  if (!can_answer(side, choice)) throw std::invalid_argument("its operands lie in the host's memory");
  return Answerer{choice, false};
}

std::optional<Answerer> answerer_from_environment(Side side) {
  const char* const name = side == Side::kHost ? "GEMMLAB_BLAS" : "GEMMLAB_CUBLAS";
  const std::string value = environment(name, side == Side::kHost ? "cpu" : "gpu");
  try {
    std::optional<Answerer> answerer = read_answerer(side, value);
    if (!answerer) return answerer;
    if (const std::string reason = answerer->choice.row->unavailable(); !reason.empty())
      throw std::invalid_argument(reason);
    return answerer;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gemmlab: %s=%s: %s; allowed: %sgpu, off, or an id such as \"%s\"\n", name,
                 value.c_str(), error.what(), side == Side::kHost ? "cpu, " : "",
                 side == Side::kHost ? "cpu.packed threads=1" : "gpu.tensor");
    std::exit(2);
  }
}

}  // namespace

const std::optional<Answerer>& answerer_for(Side side) {
  static const std::optional<Answerer> host = answerer_from_environment(Side::kHost);
  if (side == Side::kHost) return host;
  static const std::optional<Answerer> device = answerer_from_environment(Side::kDevice);
  return device;
}

const std::string& trace_target() {
  static const std::string target = [] {
    const std::string value = environment("GEMMLAB_TRACE", "");
    return value == "0" ? std::string() : value;
  }();
  return target;
}

}  // namespace gemmlab::blas
