#include "runner/execution/gpu_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

#include "runner/message_text.h"
#include "runner/usage_error.h"

namespace gemmlab::runner {
namespace {

constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";
constexpr std::size_t kUuidShown = 12;  // letters: enough to tell cards apart

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 6 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

/// "0 (NVIDIA H200, GPU-1a2b3c4d), 1 (NVIDIA H200, GPU-5e6f7a8b, hidden)".
std::string all_of(const std::vector<Choice>& choices) {
  std::vector<std::string> texts;
  for (const Choice& one : choices)
    texts.push_back(fmt::format("{} ({}, {}{})", one.index, one.name, one.uuid.substr(0, kUuidShown),
                                one.visible ? "" : ", hidden"));
  return listed(texts);
}

/// By number or by the first letters of the uuid, with or without "GPU-".
bool is_meant(const Choice& choice, const std::string& asked) {
  const std::string uuid = lower_case(choice.uuid);
  const std::string wanted = lower_case(asked);
  return uuid.rfind(wanted, 0) == 0 || uuid.rfind("gpu-" + wanted, 0) == 0;
}

std::vector<std::string> uuids_of(const Json& facts) {
  std::vector<std::string> uuids;
  for (const Json& gpu : facts.at("gpus")) uuids.push_back(gpu.at("uuid"));
  return uuids;
}

}  // namespace

std::vector<Choice> choices(const std::vector<gpu::Card>& cards, const Json& visible) {
  std::vector<Choice> found;
  for (const gpu::Card& card : cards) found.push_back({card.index, card.uuid, card.name, false});
  for (const Json& gpu : visible) {
    const std::string uuid = gpu.at("uuid");
    const auto same =
        std::find_if(found.begin(), found.end(), [&](const Choice& one) { return one.uuid == uuid; });
    if (same != found.end()) {
      same->visible = true;
    } else {
      found.push_back({static_cast<int>(found.size()), uuid, gpu.at("name"), true});
    }
  }
  return found;
}

std::string chosen_uuid(const std::string& asked, const std::vector<Choice>& choices) {
  std::vector<Choice> meant;
  for (const Choice& one : choices) {
    if (is_number(asked) ? one.index == std::stoi(asked) : is_meant(one, asked)) meant.push_back(one);
  }
  if (asked.empty() || meant.empty())
    throw UsageError(
        fmt::format("--gpu '{}': there is no such GPU; here are {}", clipped(asked), all_of(choices)));
  if (meant.size() > 1)
    throw UsageError(
        fmt::format("--gpu '{}' is the beginning of several: {}", clipped(asked), all_of(meant)));
  if (!meant.front().visible) {
    const char* value = std::getenv(kVisible);
    throw UsageError(fmt::format("--gpu {}: this process may not use that GPU{}; here are {}", clipped(asked),
                                 value != nullptr ? fmt::format(" ({}={})", kVisible, clipped(value)) : "",
                                 all_of(choices)));
  }
  return meant.front().uuid;
}

Json facts_of_one_gpu(Supervisor& supervisor, const std::string& asked) {
  Json facts = supervisor.facts();
  const std::size_t count = facts.at("gpus").size();
  if (asked.empty() && count < 2) return facts;
  const std::vector<gpu::Card> cards = gpu::cards();
  if (count == 0)
    throw UsageError(fmt::format("--gpu '{}': no GPU can be used here: {}{}", clipped(asked),
                                 facts.at("gpu_unavailable").get<std::string>(),
                                 cards.empty() ? "" : "; the driver lists " + all_of(choices(cards, {}))));
  const std::string uuid = asked.empty() ? facts.at("gpus").at(0).at("uuid").get<std::string>()
                                         : chosen_uuid(asked, choices(cards, facts.at("gpus")));
  if (count == 1) return facts;
  ::setenv(kVisible, uuid.c_str(), 1);
  supervisor.stop();
  Json alone = supervisor.facts();
  if (uuids_of(alone) != std::vector<std::string>{uuid})
    throw std::runtime_error(fmt::format("{}={} does not show that GPU alone to CUDA", kVisible, uuid));
  alone["gpus_here"] = count;
  return alone;
}

std::int64_t gpus_wanted(const std::vector<Definition>& definitions) {
  std::int64_t most = 1;
  for (const Definition& definition : definitions) {
    for (const Group& group : definition.groups) {
      for (const Point& point : group.points) {
        const auto gpus = point.parameters.find("gpus");
        if (gpus != point.parameters.end()) most = std::max(most, std::get<std::int64_t>(gpus->second));
      }
    }
  }
  return most;
}

Json facts_of_gpus(Supervisor& supervisor, const std::string& asked, std::int64_t wanted) {
  if (wanted < 2 || (!asked.empty() && asked.find(',') == std::string::npos))
    return facts_of_one_gpu(supervisor, asked);
  Json facts = supervisor.facts();
  const std::vector<std::string> visible = uuids_of(facts);
  std::vector<std::string> chosen;
  if (asked.empty()) {
    const auto count = std::min(visible.size(), static_cast<std::size_t>(wanted));
    chosen.assign(visible.begin(), visible.begin() + static_cast<std::ptrdiff_t>(count));
  } else {
    const std::vector<Choice> here = choices(gpu::cards(), facts.at("gpus"));
    std::stringstream list(asked);
    for (std::string one; std::getline(list, one, ',');) {
      chosen.push_back(chosen_uuid(one, here));
      if (std::count(chosen.begin(), chosen.end(), chosen.back()) > 1)
        throw UsageError(
            fmt::format("--gpu {}: {} names a GPU that is already in the list", clipped(asked), one));
    }
  }
  if (chosen == visible) return facts;
  ::setenv(kVisible, fmt::format("{}", fmt::join(chosen, ",")).c_str(), 1);
  supervisor.stop();
  Json those = supervisor.facts();
  if (uuids_of(those) != chosen)
    throw std::runtime_error(
        fmt::format("{}={} does not show those GPUs to CUDA", kVisible, fmt::join(chosen, ",")));
  those["gpus_here"] = visible.size();
  return those;
}

std::string unused_text(const Json& facts, const std::vector<gpu::Card>& cards) {
  const std::string why = facts.at("gpu_unavailable");
  const std::vector<Choice> here = choices(cards, facts.at("gpus"));
  const char* visible = std::getenv(kVisible);
  const bool hidden = visible != nullptr && (*visible == '\0' || *visible == '-');  // as somebody wants it
  if (why.empty() || here.empty() || hidden) return {};
  return fmt::format("The GPU here ({}) is not used: {}.", here.front().name, why);
}

std::string choice_text(const Json& facts) {
  if (const std::string unused = unused_text(facts, gpu::cards()); !unused.empty()) return unused;
  if (!facts.contains("gpus_here")) return {};
  if (facts.at("gpus").size() > 1)
    return fmt::format("{} GPUs are here; these are used: {}. --gpu N,N chooses others.",
                       facts.at("gpus_here").get<int>(), fmt::join(uuids_of(facts), ", "));
  const Json& gpu = facts.at("gpus").at(0);
  return fmt::format("{} GPUs are here; this one alone is used: {}, {}. --gpu N|UUID chooses another.",
                     facts.at("gpus_here").get<int>(), gpu.at("name").get<std::string>(),
                     gpu.at("uuid").get<std::string>());
}

}  // namespace gemmlab::runner
