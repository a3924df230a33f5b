// What texts call the implementations.

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <string>

#include "experiments/runner/catalogue.h"
#include "gpu/emulation/suite/library.h"
#include "gpu/table.h"

namespace gemmlab::test {
namespace {

/// Of this program, and of the GPU's those that can be emulated, where it has none itself.
std::vector<const Implementation*> every_row() {
  std::vector<const Implementation*> rows = runner::Catalogue().all();
  if (gpu::built_with_cuda()) return rows;
  const auto& emulated = emulation::emulated_rows();
  rows.insert(rows.end(), emulated.begin(), emulated.end());
  return rows;
}

TEST(Names, each_brace_of_a_name_is_a_parameter) {
  static const std::regex brace(R"(\{(\w*)\}?)");
  for (const Implementation* row : every_row()) {
    const Description& description = row->description();
    std::string text = description.name;
    for (const ParameterSpec& spec : description.parameters) text += spec.told;
    for (std::sregex_iterator at(text.begin(), text.end(), brace), end; at != end; ++at)
      EXPECT_NE(description.find((*at)[1]), nullptr) << description.id << ": " << text;
  }
}

TEST(Names, no_two_implementations_of_an_operation_on_a_device_have_one_name) {
  std::map<std::string, std::string> ids;
  for (const Implementation* row : every_row()) {
    const Description& description = row->description();
    const std::string device = description.id.substr(0, description.id.find('.'));
    const std::string name = description.operation + " " + device + " " + display_name(description, {});
    const auto [known, is_new] = ids.emplace(name, description.id);
    EXPECT_TRUE(is_new) << known->second << " and " << description.id << ": " << name;
  }
}

}  // namespace
}  // namespace gemmlab::test
