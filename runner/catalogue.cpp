#include "runner/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "gpu/table.h"
#include "runner/device_calls.h"
#include "runner/message_text.h"
#include "runner/name_suggestion.h"

namespace gemmlab::runner {

bool id_matches(const std::string& pattern, const std::string& id) {
  const bool wildcard = pattern.size() > 2 && pattern.compare(pattern.size() - 2, 2, ".*") == 0;
  return wildcard ? id.compare(0, pattern.size() - 1, pattern, 0, pattern.size() - 1) == 0 : id == pattern;
}

bool missing_in_this_build(const std::string& pattern, const std::string& operation) {
  const auto& rows = gpu::known_rows();
  return !gpu::built_with_cuda() && std::any_of(rows.begin(), rows.end(), [&](const gpu::KnownRow& row) {
    return id_matches(pattern, row.id) && (operation.empty() || row.operation == operation);
  });
}

Catalogue::Catalogue(const std::vector<const Implementation*>& extra) {
  for (const DeviceCalls& calls : device_calls())
    all_.insert(all_.end(), calls.implementations().begin(), calls.implementations().end());
  all_.insert(all_.end(), extra.begin(), extra.end());
}

Catalogue Catalogue::of_rows(const std::vector<const Implementation*>& rows) {
  Catalogue catalogue;
  catalogue.all_ = rows;
  return catalogue;
}

const Implementation* Catalogue::find(const std::string& id) const {
  for (const Implementation* implementation : all_) {
    if (implementation->description().id == id) return implementation;
  }
  return nullptr;
}

std::vector<const Implementation*> Catalogue::of(const std::string& operation) const {
  return of_operation(all_, operation);
}

std::vector<const Implementation*> Catalogue::matching(const std::string& pattern,
                                                       const std::string& operation) const {
  std::vector<const Implementation*> found;
  for (const Implementation* implementation : operation.empty() ? all_ : of(operation)) {
    if (id_matches(pattern, implementation->description().id)) found.push_back(implementation);
  }
  return found;
}

std::string Catalogue::unknown(const std::string& id, const std::string& operation) const {
  const Implementation* elsewhere = operation.empty() ? nullptr : find(id);
  std::vector<std::string> ids;
  for (const Implementation* implementation : operation.empty() ? all_ : of(operation))
    ids.push_back(implementation->description().id);
  if (!gpu::built_with_cuda()) {
    for (const gpu::KnownRow& row : gpu::known_rows()) {
      if (operation.empty() || row.operation == operation) ids.push_back(row.id);
    }
  }
  constexpr std::size_t kMostNamed = 5;
  const std::string some = ids.size() <= kMostNamed
                               ? fmt::format("allowed: {}", fmt::join(ids, ", "))
                               : fmt::format("the nearest: {}; gemmlab list shows all",
                                             fmt::join(nearest(id, ids, kMostNamed), ", "));
  if (elsewhere != nullptr)
    return fmt::format("'{}' computes {}, not {}; {}", id, elsewhere->description().operation, operation,
                       some);
  return fmt::format("unknown implementation '{}'{}; {}", clipped(id), guess(id, ids), some);
}

std::vector<std::string> parameter_names(const std::vector<const Implementation*>& implementations) {
  std::vector<std::string> names;
  for (const Implementation* implementation : implementations) {
    for (const ParameterSpec& spec : implementation->description().parameters) {
      if (std::find(names.begin(), names.end(), spec.name) == names.end()) names.push_back(spec.name);
    }
  }
  return names;
}

}  // namespace gemmlab::runner
