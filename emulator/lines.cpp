#include "emulator/lines.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <tuple>
#include <vector>

#include "emulator/places.h"

namespace gemmlab::emulation {
namespace {

using Json = nlohmann::ordered_json;

std::string base_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

std::vector<std::uint64_t> places_in(const Json& report) {
  std::set<std::uint64_t> places;
  for (const Json& finding : report.at("findings")) {
    places.insert({finding.at("pc").get<std::uint64_t>(), finding.at("other_pc").get<std::uint64_t>()});
  }
  for (const Json& launch : report.at("launches")) {
    for (const Json& site : launch.at("sites")) places.insert(site.at("pc").get<std::uint64_t>());
  }
  places.erase(0);
  return {places.begin(), places.end()};
}

class Resolver {
 public:
  Resolver(std::map<std::uint64_t, Place> places, const std::string& source)
      : places_(std::move(places)), source_(base_name(source)) {}

  Place at(std::uint64_t pc) const {
    const auto found = places_.find(pc);
    Place place = found == places_.end() ? Place() : found->second;
    if (base_name(place.file) == source_) place.file.clear();
    return place;
  }

  /// "{pc:123}" becomes "line 31"; what lies in no line of the source, `elsewhere`.
  std::string text(std::string text, const std::string& elsewhere) const {
    const std::string mark = "{pc:";
    for (std::size_t from = text.find(mark); from != std::string::npos; from = text.find(mark, from)) {
      const std::size_t to = text.find('}', from);
      const Place place = at(std::stoull(text.substr(from + mark.size(), to - from - mark.size())));
      std::string words = place.line > 0 ? "line " + std::to_string(place.line) : elsewhere;
      if (place.line > 0 && !place.file.empty()) words += " of " + base_name(place.file);
      text.replace(from, to + 1 - from, words);
    }
    if (!text.empty() && text[0] == 'a' && text.rfind("at ", 0) == 0) text[0] = 'A';
    return text;
  }

 private:
  std::map<std::uint64_t, Place> places_;
  std::string source_;
};

/// "thrust::reduce, which line 12 calls", of a place in what the emulator gives for a library.
std::string called_in(const Json& finding) {
  const std::string kernel = finding.at("kernel");
  const int line = finding.at("line");
  if (line == 0) return "a place without a line";
  return (kernel.empty() ? "a kernel" : kernel) + ", which line " + std::to_string(line) + " calls,";
}

Json findings_of(const Json& findings, const Resolver& resolver) {
  Json all = Json::array();
  std::map<std::tuple<std::string, int, int>, std::size_t> known;
  for (const Json& finding : findings) {
    const Place place = resolver.at(finding.at("pc").get<std::uint64_t>());
    const std::uint64_t other_pc = finding.at("other_pc").get<std::uint64_t>();
    const Place other = resolver.at(other_pc);
    const std::string kind = finding.at("kind");
    const bool doubled = place.line == other.line && place.file == other.file && place.line > 0;
    if (kind == "barrier-divergence" && other_pc != 0 && doubled) continue;
    const int line = place.line > 0 ? place.line : finding.at("line").get<int>();
    const auto [found, fresh] = known.try_emplace({kind, line, other.line}, all.size());
    if (!fresh) {
      all[found->second]["times"] =
          all[found->second]["times"].get<std::uint64_t>() + finding.at("times").get<std::uint64_t>();
      continue;
    }
    Json told = finding;
    told.erase("pc");
    told.erase("other_pc");
    told["line"] = line;
    told["other_line"] = other.line;
    told["file"] = place.file;
    told["text"] = resolver.text(finding.at("text"), called_in(finding));
    all.push_back(std::move(told));
  }
  return all;
}

void add(Json& sum, const Json& site) {
  for (const char* key : {"requests", "lanes", "divergent", "wavefronts", "least_wavefronts", "conflicts",
                          "sectors", "least_sectors", "lines", "l1_miss_sectors", "l2_miss_sectors"}) {
    if (sum.contains(key)) sum[key] = sum[key].get<std::uint64_t>() + site.at(key).get<std::uint64_t>();
  }
  if (sum.contains("degree_worst")) {
    sum["degree_worst"] =
        std::max(sum["degree_worst"].get<std::uint64_t>(), site.at("degree_worst").get<std::uint64_t>());
  }
}

Json sites_of(const Json& sites, const Resolver& resolver) {
  Json all = Json::array();
  std::map<std::string, std::size_t> known;
  for (const Json& site : sites) {
    const Place place = resolver.at(site.at("pc").get<std::uint64_t>());
    const std::string key = place.file + ":" + std::to_string(place.line) +
                            site.at("space").get<std::string>() + site.at("operation").get<std::string>() +
                            site.at("array").get<std::string>() + site.at("bytes").dump() +
                            site.at("asynchronous").dump();
    const auto [found, fresh] = known.try_emplace(key, all.size());
    if (!fresh) {
      add(all[found->second], site);
      continue;
    }
    Json told = {{"line", place.line}, {"file", place.file}};
    told.update(site);
    told.erase("pc");
    all.push_back(std::move(told));
  }
  std::stable_sort(all.begin(), all.end(), [](const Json& one, const Json& other) {
    return std::pair(one["file"], one["line"]) < std::pair(other["file"], other["line"]);
  });
  return all;
}

/// "void a::(anonymous namespace)::kernel<16, a::Tile<2>>(float const*)" is "kernel<16, a::Tile<2>>".
std::string bare_name(std::string function) {
  for (const std::string nameless : {"(anonymous namespace)::", "<unnamed>::"}) {
    for (std::size_t at = 0; (at = function.find(nameless)) != std::string::npos;)
      function.erase(at, nameless.size());
  }
  std::size_t begin = 0, end = 0;
  for (int depth = 0; end < function.size() && (depth > 0 || function[end] != '('); ++end) {
    depth += function[end] == '<' ? 1 : function[end] == '>' ? -1 : 0;
    if (depth == 0 && (function[end] == ' ' || function[end] == ':')) begin = end + 1;
  }
  return function.substr(begin, end - begin);
}

/// A launch through a pointer has no name in the source: that of the function that all its accesses stand in. Where g++ left
/// others in functions of their own, which is the kernel is not known.
void name_kernel(Json& launch, const Resolver& resolver) {
  if (launch.at("kernel") != "") return;
  std::set<std::string> names;
  for (const Json& site : launch.at("sites"))
    names.insert(bare_name(resolver.at(site.at("pc").get<std::uint64_t>()).function));
  if (names.size() == 1) launch["kernel"] = *names.begin();
}

}  // namespace

std::string with_lines(const std::string& report, const std::string& library, const std::string& source) {
  Json json = Json::parse(report);
  const Resolver resolver(places(places_in(json), library), source);
  json["findings"] = findings_of(json["findings"], resolver);
  for (Json& launch : json["launches"]) {
    name_kernel(launch, resolver);
    launch["sites"] = sites_of(launch["sites"], resolver);
  }
  return json.dump();
}

}  // namespace gemmlab::emulation
