#include "submissions/callee/ours.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "core/records/point.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::submissions {
namespace {

/// Prepared anew for each shape.
class Ours : public Callable {
 public:
  Ours(const Implementation& implementation, Parameters parameters)
      : implementation_(implementation), parameters_(std::move(parameters)) {}

  void prepare(const Shape& shape) override {
    if (session_ && shape == shape_) return;
    session_.reset();
    const std::string reason = implementation_.why_not(gemm_at(shape), parameters_);
    if (!reason.empty()) throw std::runtime_error(reason);
    session_ = implementation_.prepare(gemm_at(shape), parameters_);
    shape_ = shape;
  }
  void call(const Shape&, const void* a, const void* b, void* c) override { multiply(*session_, a, b, c); }

 private:
  const Implementation& implementation_;
  Parameters parameters_;
  Shape shape_;
  std::unique_ptr<Session> session_;
};

}  // namespace

std::unique_ptr<Callable> make_ours(const Implementation& implementation, const std::string& parameters) {
  return std::make_unique<Ours>(implementation, parameters_from(nlohmann::ordered_json::parse(parameters)));
}

}  // namespace gemmlab::submissions
