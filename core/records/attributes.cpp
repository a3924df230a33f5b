#include "core/records/attributes.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace gemmlab {
namespace {

bool always(const Point&) {
  return true;
}
bool end_to_end(const Point& point) {
  return point.scope == Scope::kEndToEnd;
}
bool end_to_end_and_travels(const Point& point) {
  return end_to_end(point) && point.device.own_memory;
}
bool first_call(const Point& point) {
  return point.scope == Scope::kFirstCall;
}
bool first_call_of_cuda(const Point& point) {
  return first_call(point) && point.device.cuda;
}
bool sustained(const Point& point) {
  return point.load == Load::kSustained;
}

std::vector<Attribute> of_every_scope() {
  return {{"scope",
           Place::kRun,
           {"kernel", "call", "end-to-end", "first-call"},
           {"", "call", "end to end", "first call"},
           [](const Regime& regime) { return Json(to_string(regime.scope)); },
           [](Regime& regime, const Json& value) { regime.scope = scope_from(value); },
           always,
           always,
           nullptr,
           true},
          {"cache",
           Place::kGroup,
           {"cold", "warm"},
           {},
           [](const Regime& regime) { return Json(regime.cold ? "cold" : "warm"); },
           [](Regime& regime, const Json& value) { regime.cold = value == "cold"; },
           always,
           always,
           nullptr,
           true},
          {"distribution",
           Place::kGroup,
           distribution_names(),
           {},
           [](const Regime& regime) { return Json(to_string(regime.distribution)); },
           [](Regime& regime, const Json& value) { regime.distribution = distribution_from(value); },
           always,
           always},
          {"seed",
           Place::kGroup,
           {},
           {},
           [](const Regime& regime) { return Json(regime.seed); },
           [](Regime& regime, const Json& value) { regime.seed = value; },
           always,
           always}};
}

std::vector<Attribute> of_some_scopes() {
  return {{"host_memory",
           Place::kRun,
           {"pageable", "pinned"},
           {"pageable", "pinned"},
           [](const Regime& regime) { return Json(to_string(regime.host_memory)); },
           [](Regime& regime, const Json& value) {
             regime.host_memory = value == "pinned" ? HostMemory::kPinned : HostMemory::kPageable;
           },
           end_to_end_and_travels,
           end_to_end,
           nullptr,
           true},
          {"allocation",
           Place::kRun,
           {"counted", "not counted", "host memory too"},
           {"allocation counted", "", "all memory counted"},
           [](const Regime& regime) { return Json(to_string(regime.allocation)); },
           [](Regime& regime, const Json& value) { regime.allocation = allocation_from(value); },
           end_to_end,
           end_to_end,
           [](Json& point, const Regime& regime) {
             point["allocation"] = regime.allocation != Allocation::kNotCounted;
             if (regime.allocation == Allocation::kHostToo) point["host_allocation"] = true;
           },
           true},
          {"module_loading",
           Place::kRun,
           {"lazy", "eager"},
           {"lazy loading", "eager loading"},
           [](const Regime& regime) { return Json(to_string(regime.module_loading)); },
           [](Regime& regime, const Json& value) {
             regime.module_loading = value == "eager" ? ModuleLoading::kEager : ModuleLoading::kLazy;
           },
           first_call_of_cuda,
           first_call},
          {"load",
           Place::kRun,
           {"burst", "sustained"},
           {"", "sustained"},
           [](const Regime& regime) { return Json(to_string(regime.load)); },
           [](Regime& regime, const Json& value) {
             regime.load = value == "sustained" ? Load::kSustained : Load::kBurst;
           },
           sustained,  // a burst's record says nothing, as no record did before there was a choice
           sustained,
           nullptr,
           true}};
}

}  // namespace

const char* to_string(ModuleLoading loading) {
  return loading == ModuleLoading::kEager ? "eager" : "lazy";
}

const char* to_string(Load load) {
  return load == Load::kSustained ? "sustained" : "burst";
}

void Attribute::add_to_canonical(Json& point, const Regime& regime) const {
  if (canonical != nullptr) {
    canonical(point, regime);
  } else {
    point[name] = get(regime);
  }
}

const std::vector<Attribute>& attributes() {
  static const std::vector<Attribute> table = [] {
    std::vector<Attribute> all = of_every_scope();
    for (Attribute& attribute : of_some_scopes()) all.push_back(std::move(attribute));
    return all;
  }();
  return table;
}

}  // namespace gemmlab
