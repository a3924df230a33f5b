#include "operations/tuned.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace gemmlab {
namespace {

using TunedJson = nlohmann::ordered_json;

constexpr int kSchemaOfTuned = 1;

std::runtime_error unreadable(const std::string& file, const std::string& why) {
  return std::runtime_error(file + ": " + why + "; `gemmlab tune` writes it anew once it is removed");
}

/// The whole file; an empty object where there is none.
TunedJson load(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return TunedJson::object();
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  const TunedJson json = TunedJson::parse(text, nullptr, false);
  const auto schema = json.is_object() ? json.find("schema") : json.end();
  if (schema == json.end() || *schema != kSchemaOfTuned || !json.contains("cards") ||
      !json.at("cards").is_object())
    throw unreadable(file, "it is not a table of tuned choices");
  for (const auto& [card, known] : json.at("cards").items()) {
    if (!known.is_object()) throw unreadable(file, "'" + card + "' has no table of choices");
  }
  return json;
}

/// Is neither length over 1.5 times the other?
bool near(std::int64_t one, std::int64_t other) {
  return 2 * std::max(one, other) <= 3 * std::min(one, other);
}

/// How far two lengths lie apart, as a logarithm.
double apart(std::int64_t one, std::int64_t other) {
  return std::abs(std::log(static_cast<double>(one) / static_cast<double>(other)));
}

/// A kill leaves the whole old text or the whole new one.
void write_in_one_step(const std::string& file, const std::string& text) {
  // a name of its own: another process, or another thread, may be writing the same file
  static std::atomic<unsigned> written{0};
  const std::string beside =
      file + "." + std::to_string(::getpid()) + "-" + std::to_string(++written) + ".new";
  {
    std::ofstream stream(beside, std::ios::binary);
    stream << text;
    if (!stream.flush()) {
      std::error_code ignored;
      std::filesystem::remove(beside, ignored);
      throw std::runtime_error(file + " cannot be written");
    }
  }
  std::filesystem::rename(beside, file);
}

}  // namespace

std::string tuned_file() {
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && *data != '\0') return std::string(data) + "/gemmlab/tuned.json";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home != '\0' ? std::string(home) + "/.local/share/gemmlab/tuned.json"
                                          : std::string();
}

std::vector<Tuned> read_tuned(const std::string& file, const std::string& card,
                              const std::string& implementation) {
  std::vector<Tuned> found;
  if (file.empty()) return found;
  const TunedJson json = load(file);
  try {
    const TunedJson known = json.value("cards", TunedJson::object()).value(card, TunedJson::object());
    for (const TunedJson& one : known.value(implementation, TunedJson::array())) {
      const Tuned tuned{{one.at("m"), one.at("n"), one.at("k")},
                        one.at("choice"),
                        one.at("gflop_per_s"),
                        one.at("over_automatic")};
      if (tuned.shape.m < 1 || tuned.shape.n < 1 || tuned.shape.k < 1)
        throw unreadable(file, "a side is below 1");
      found.push_back(tuned);
    }
  } catch (const nlohmann::json::exception& error) {
    throw unreadable(file, error.what());
  }
  return found;
}

void write_tuned(const std::string& file, const std::string& card, const std::string& implementation,
                 const std::vector<Tuned>& tuned) {
  namespace fs = std::filesystem;
  if (file.empty()) throw std::runtime_error("there is no HOME to keep tuned choices in");
  TunedJson json = load(file);
  json["schema"] = kSchemaOfTuned;
  TunedJson list = TunedJson::array();
  for (const Tuned& one : tuned)
    list.push_back({{"m", one.shape.m},
                    {"n", one.shape.n},
                    {"k", one.shape.k},
                    {"choice", one.choice},
                    {"gflop_per_s", one.gflop_per_s},
                    {"over_automatic", one.over_automatic}});
  json["cards"][card][implementation] = list;
  if (list.empty()) json["cards"][card].erase(implementation);
  std::error_code error;
  fs::create_directories(fs::path(file).parent_path(), error);
  write_in_one_step(file, json.dump(1) + "\n");
}

const Tuned* nearest(const std::vector<Tuned>& tuned, const Shape& shape) {
  const Tuned* best = nullptr;
  double least = 0;
  for (const Tuned& one : tuned) {
    if (one.shape.rows_at_16_bytes() != shape.rows_at_16_bytes()) continue;
    if (!near(one.shape.m, shape.m) || !near(one.shape.n, shape.n) || !near(one.shape.k, shape.k)) continue;
    const double m = apart(one.shape.m, shape.m);
    const double n = apart(one.shape.n, shape.n);
    const double k = apart(one.shape.k, shape.k);
    if (best == nullptr || m + n + k < least) {
      best = &one;
      least = m + n + k;
    }
  }
  return best;
}

}  // namespace gemmlab
