#include "emulator/rows/emulated_row.h"

#include <dlfcn.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <vector>

#include "core/backend.h"
#include "core/inputs/input_sets.h"
#include "core/operations.h"
#include "emulator/exports.h"
#include "emulator/lines.h"
#include "emulator/rows/counted_call.h"

namespace gemmlab::emulation {
namespace {

using Json = nlohmann::json;

constexpr GemmlabEmulationLimits kChecksOnly = {};

/// This library knows operations by addresses of its own.
Instance as_known_here(Instance instance) {
  const std::string& name = instance.operation->name();
  instance.operation = find_operation(name);
  if (instance.operation == nullptr) throw std::logic_error("there is no operation " + name);
  return instance;
}

/// The operands of a call in the emulator's memory.
class DeviceOperands {
 public:
  DeviceOperands(const Instance& instance, const Operands& host) : host_(host) {
    const std::vector<OperandSpec> specs = instance.operands();
    for (std::size_t operand = 0; operand < host.size(); ++operand) {
      const auto bytes = static_cast<std::size_t>(instance.bytes(operand));
      const std::string& name = specs.at(operand).name;
      void* memory = gemmlab_emulation_allocate(bytes, name.c_str());
      if (memory == nullptr) {
        release();
        throw OutOfMemory("the emulator has no " + std::to_string(bytes) + " bytes for " + name);
      }
      std::memcpy(memory, host.at(operand), bytes);
      at_.push_back(memory);
      bytes_.push_back(bytes);
    }
  }
  ~DeviceOperands() { release(); }
  DeviceOperands(const DeviceOperands&) = delete;
  DeviceOperands& operator=(const DeviceOperands&) = delete;

  Operands operands() const { return Operands(at_); }
  /// Inputs as well: a kernel that writes to one is found out.
  void copy_back() const {
    for (std::size_t operand = 0; operand < at_.size(); ++operand)
      std::memcpy(host_.at(operand), at_[operand], bytes_[operand]);
  }

 private:
  void release() {
    for (void* memory : at_) gemmlab_emulation_release(memory);
  }

  const Operands& host_;
  std::vector<void*> at_;
  std::vector<std::size_t> bytes_;
};

std::string this_library() {
  Dl_info info = {};
  return dladdr(reinterpret_cast<const void*>(&this_library), &info) != 0 ? info.dli_fname : "";
}

/// The first thing that the emulator has found since the call began, and how many more; empty where nothing is wrong.
std::string findings_text() {
  const std::string raw = gemmlab_emulation_report();
  if (Json::parse(raw).at("findings").empty()) return {};
  const Json report = Json::parse(with_lines(raw, this_library(), ""));
  Json findings = Json::array();
  for (const Json& one : report.at("findings")) {
    // what only may be behind a wrong C, which is checked: operands of one column go to rows padded to four
    if (one.at("kind") != "elements-for-bytes") findings.push_back(one);
  }
  if (findings.empty()) return {};
  const std::string first = findings.front().at("text");
  return findings.size() == 1 ? first : first + " And " + std::to_string(findings.size() - 1) + " more.";
}

/// Waits for all work. Throws what was found, else what the call said itself, else CUDA's error.
void finish_work(const std::string& said = {}) {
  std::array<char, 512> text = {};
  const int error = gemmlab_emulation_synchronize(text.data(), text.size());
  std::string failure = findings_text();
  if (failure.empty()) failure = said;
  if (failure.empty() && error != 0) failure = text.data();
  if (!failure.empty()) throw std::runtime_error(failure);
}

class EmulatedSession : public Session {
 public:
  /// `staged`: the session wants its inputs before it runs, as on a card; `on_host`: it takes them where they are.
  EmulatedSession(Instance instance, std::unique_ptr<Session> session, bool staged, bool on_host)
      : instance_(std::move(instance)), session_(std::move(session)), staged_(staged), on_host_(on_host) {}

  void run(const Operands& operands) override {
    gemmlab_emulation_begin(&kChecksOnly);
    std::optional<DeviceOperands> device;
    if (!on_host_) device.emplace(instance_, operands);
    const Operands its = device ? device->operands() : operands;
    std::string failure;
    try {
      if (staged_) session_->stage({its});
      session_->run(its);
    } catch (const OutOfMemory&) {
      throw;
    } catch (const std::exception& error) {
      failure = error.what();
    }
    finish_work(failure);
    if (device) device->copy_back();
  }

  Facts chosen() const override { return session_->chosen(); }

 private:
  Instance instance_;
  std::unique_ptr<Session> session_;
  bool staged_;
  bool on_host_;
};

}  // namespace

Precision EmulatedRow::precision(const Instance& instance) const {
  return row_.precision(as_known_here(instance));
}

bool EmulatedRow::meant_for(const Instance& instance) const {
  return row_.meant_for(as_known_here(instance));
}

std::string EmulatedRow::why_not(const Instance& instance, const Parameters& parameters) const {
  return row_.why_not(as_known_here(instance), parameters);
}

std::string EmulatedRow::counted(const Instance& instance, const Parameters& parameters,
                                 std::uint64_t blocks) const {
  return counted_call(row_, as_known_here(instance), parameters, blocks);
}

std::unique_ptr<Session> EmulatedRow::prepare(const Instance& instance, const Parameters& parameters) const {
  const Instance known = as_known_here(instance);
  gemmlab_emulation_begin(&kChecksOnly);  // an error of an earlier call is not this session's
  auto session = std::make_unique<EmulatedSession>(known, row_.prepare(known, parameters),
                                                   row_.operands_resident(parameters),
                                                   room_of(parameters) == Room::kHost);
  finish_work();
  return session;
}

}  // namespace gemmlab::emulation
