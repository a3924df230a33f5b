#include "api/rows.h"

#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "api/answer.h"
#include "cpu/table.h"
#include "gpu/table.h"

namespace gemmlab::api {

const std::vector<const Implementation*>& rows() {
  static const std::vector<const Implementation*> both = [] {
    std::vector<const Implementation*> found = of_operation(cpu::implementations(), gemm().name());
    for (const Implementation* one : of_operation(gpu::implementations(), gemm().name()))
      found.push_back(one);
    return found;
  }();
  return both;
}

const std::vector<const GemmImplementation*>& float32_rows() {
  static const std::vector<const GemmImplementation*> some = [] {
    std::vector<const GemmImplementation*> found;
    for (const Implementation* one : rows()) {
      if (const auto* row = dynamic_cast<const GemmImplementation*>(one)) found.push_back(row);
    }
    return found;
  }();
  return some;
}

const Implementation* find_row(const std::string& id) {
  for (const Implementation* one : rows()) {
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

const Implementation& row(const std::string& id) {
  if (const Implementation* one = find_row(id)) return *one;
  if (known_elsewhere(id)) throw Refusal(GEMMLAB_UNAVAILABLE, id + ": " + gpu::unavailable());
  throw Refusal(GEMMLAB_INVALID, "there is no implementation '" + id + "'");
}

void refuse_unavailable(const Implementation& row) {
  if (const std::string reason = row.unavailable(); !reason.empty())
    throw Refusal(GEMMLAB_UNAVAILABLE, row.description().id + ": " + reason);
}

namespace {

/// Every form of gemm, and by loops of our own: what is made of a library tells its version.
bool is_whole_and_ours(const GemmImplementation& row) {
  const Shape shape = {2, 3, 4};
  const Parameters parameters = complete(row.description(), {});
  GemmForm form = form_of(shape, true, true, 1, 1, 1);
  form.alpha = 0.5F;
  form.beta = 2;
  if (!row.why_not_form(shape, form, parameters).empty()) return false;
  const bool tells = row.description().device.host_threads;  // a card's libraries are references
  return !tells || row.prepare(shape, parameters)->chosen().count("version") == 0;
}

const GemmImplementation& find_last_rung(const Device& device) {
  for (auto one = float32_rows().rbegin(); one != float32_rows().rend(); ++one) {
    const Description& description = (*one)->description();
    if (description.device != device || description.reference) continue;
    if (description.precision == Precision::kFp32 && is_whole_and_ours(**one)) return **one;
  }
  throw Refusal(GEMMLAB_UNAVAILABLE,
                std::string("no implementation on the ") + device.name + ": " + gpu::unavailable());
}

}  // namespace

const GemmImplementation& last_rung(const Device& device) {
  // once per program: to tell a library, sessions are made, and solve() asks at each call
  if (device.cuda) {
    static const GemmImplementation& on_gpu = find_last_rung(Device::kGpu);
    return on_gpu;
  }
  static const GemmImplementation& on_cpu = find_last_rung(Device::kCpu);
  return on_cpu;
}

const GemmImplementation& last_rung_here() {
  return last_rung(gpu::unavailable().empty() ? Device::kGpu : Device::kCpu);
}

const Implementation& last_rung(const Device& device, const Instance& instance) {
  std::string why;
  for (auto one = rows().rbegin(); one != rows().rend(); ++one) {
    const Description& description = (*one)->description();
    if (description.device != device || description.reference || !(*one)->meant_for(instance)) continue;
    std::string reason = (*one)->unavailable();
    if (reason.empty()) reason = (*one)->why_not(instance, complete(description, {}));
    if (reason.empty()) return **one;
    if (why.empty()) why = description.id + ": " + reason;
  }
  throw Refusal(GEMMLAB_REFUSED, why.empty() ? "no implementation of the " + std::string(device.name) +
                                                   " multiplies " + describe(types_of(instance))
                                             : why);
}

Parameters parameters_of(const Description& description, const std::string& written) {
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

}  // namespace gemmlab::api
