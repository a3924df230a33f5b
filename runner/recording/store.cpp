#include "runner/recording/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "core/records/attributes.h"
#include "core/records/read_json.h"
#include "runner/recording/fingerprint.h"
#include "runner/recording/provenance.h"
#include "runner/usage_error.h"

namespace gemmlab::runner {

namespace {

/// See Measured.
double samples_for_unit(const Json& record) {
  const Json interval = record.value("ci95_s", Json());
  if (!interval.is_array()) return 0;
  const double half_width =
      (interval.at(1).get<double>() - interval.at(0).get<double>()) / 2 / record.at("median_s").get<double>();
  return record.value("sample_count", 0.0) * half_width * half_width;
}

/// line_of() the point of a case.
std::string line_of(const Json& record) {
  const auto part = [&](const char* name) { return record.value(name, Json()); };
  Json parts{part("implementation"), part("parameters"), record.value("options", Json::object())};
  for (const Attribute& attribute : attributes()) {
    if (attribute.paces) parts.push_back(part(attribute.name));
  }
  return parts.dump();
}

Measured measured_of(const Json& record, const std::string& machine) {
  const Instance instance = instance_from(record);
  return {record.at("implementation"),
          record.at("parameters"),
          scope_from(record.value("scope", to_string(Scope::kKernel))),
          work_of(instance),
          record.at("median_s"),
          samples_for_unit(record),
          instance,
          line_of(record),
          machine};
}

}  // namespace

double work_of(const Instance& instance) {
  const double operations = instance.operation->operation_count(instance);
  return operations > 0 ? operations : std::max(1.0, instance.operation->least_bytes(instance));
}

std::string line_of(const Point& point) {
  Json parts{point.implementation, gemmlab::to_json(point.parameters), options_json(point.instance)};
  for (const Attribute& attribute : attributes()) {
    if (attribute.paces) parts.push_back(attribute.concerns(point) ? attribute.get(point) : Json(nullptr));
  }
  return parts.dump();
}

std::string fingerprint(const Json& run) {
  Json parts = Json::array();
  for (const char* pointer : {"/host/id", "/host/cpu", "/host/cores"}) {
    const Json::json_pointer at(pointer);
    parts.push_back(run.contains(at) ? run.at(at) : Json());
  }
  for (const Json& gpu : run.value("gpus", Json::array())) {
    parts.push_back(gpu.value("name", ""));
    parts.push_back(gpu.value("driver", ""));
  }
  return parts.dump();
}

namespace {

/// Of a fingerprint(), what hosts of one model share: all but the host.
std::string model_of(const std::string& fingerprint) {
  Json parts = Json::parse(fingerprint);
  parts.erase(0);
  return parts.dump();
}

}  // namespace

Store::Store(std::string file, const std::vector<std::string>& others) : file_(std::move(file)) {
  for (const std::string& other : others) read(other, From::kOthers);
  torn_lines_ = read(file_, From::kHere);
}

Store::~Store() {
  if (fd_ < 0) return;
  struct stat now {};
  // a file that was made for this run and got no record would pass for records
  if (made_ && ::fstat(fd_, &now) == 0 && now.st_size == 0) ::unlink(file_.c_str());
  ::close(fd_);
}

int Store::read(const std::string& file, From from) {
  std::ifstream stream(file, std::ios::binary);
  std::string line;
  int torn = 0;
  while (std::getline(stream, line)) {
    if (from == From::kHere) ends_torn_ = stream.eof();  // the last line lacks its newline
    if (line.empty()) continue;
    try {
      take_in(read_json(line), from);
    } catch (const Json::exception&) {  // torn, nested too deep, or no record of ours
      ++torn;
    } catch (const std::invalid_argument&) {  // a word that this version does not know
      ++torn;
    }
  }
  return torn;
}

void Store::take_in_run(const Json& record, From from) {
  const std::string definition = record.value("definition_sha256", "");
  const std::string& mark = fingerprints_[record.value("run_id", "")] = fingerprint(record);
  alike_[model_of(mark)].insert(mark);
  if (from == From::kHere) begun_.insert({definition, mark});
  const Json shard = record.value("shard", Json());
  const Json source = record.value("program", Json::object()).value("source_sha256", Json());
  if (shard.is_object() && source == program_facts().at("program").at("source_sha256"))
    plans_[{definition, shard.at("count")}].insert(shard.at("plan").get<std::string>());
}

void Store::take_in(const Json& record, From from) {
  const std::string kind = record.value("kind", "");
  const std::string run_id = record.value("run_id", "");
  if (kind == "run") {
    take_in_run(record, from);
  } else if (kind == "cost") {
    if (const double seconds = record.value("ceilings_s", 0.0); seconds > 0) ceilings_s_ = seconds;
  } else if (kind == "case" && record.contains("case_id") && record.contains("status")) {
    const std::string status = record.at("status");
    const std::string case_id = record.at("case_id");
    // of an operation that this program has not, nothing is to be learnt
    const bool known = find_operation(record.value("operation", kDefaultOperation)) != nullptr;
    if (known && status == to_string(Status::kOk) && record.value("median_s", Json()).is_number())
      measured_.push_back(measured_of(record, fingerprints_[run_id]));
    const std::pair mark(case_id, fingerprints_[run_id]);
    if (record.value("fingerprint", "") == point_fingerprint(record.value("implementation", ""))) {
      cases_[mark] = status;
    } else {
      cases_.erase(mark);  // readers take the last record, and that is another program's
    }
  }
}

void Store::open_for_writing() {
  if (fd_ >= 0) return;
  const std::filesystem::path folder = std::filesystem::path(file_).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) throw UsageError(fmt::format("{}: cannot be written: {}", file_, error.message()));
  constexpr int kFlags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
  fd_ = ::open(file_.c_str(), kFlags | O_EXCL, 0644);
  made_ = fd_ >= 0;
  if (!made_) fd_ = ::open(file_.c_str(), kFlags, 0644);
  if (fd_ < 0) throw UsageError(fmt::format("{}: cannot be written: {}", file_, std::strerror(errno)));
  // some file systems of clusters have no locks, and refuse for another reason
  const bool locked = ::flock(fd_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  struct stat opened {
  }, named{};
  // another run may have made the file, got nothing to record, and removed it since it was opened
  const bool there = ::fstat(fd_, &opened) == 0 && ::stat(file_.c_str(), &named) == 0 &&
                     opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
  if (locked && there) return;
  ::close(std::exchange(fd_, -1));
  made_ = false;
  throw UsageError(
      fmt::format("{}: another run is writing to it; wait for it or give --output another folder", file_));
}

void Store::append(const Json& given) {
  Json record = given;
  if (record.value("kind", "") == "case")
    record["fingerprint"] = point_fingerprint(record.at("implementation"));
  // A line torn by an earlier kill is closed first, so that it spoils nothing but itself.
  std::string line;
  if (ends_torn_) line += '\n';
  line += to_text(record);
  line += '\n';
  ends_torn_ = false;
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t count = ::write(fd_, line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      throw std::runtime_error(fmt::format("{}: cannot be written: {}", file_, std::strerror(errno)));
    written += static_cast<std::size_t>(count);
  }
  take_in(record, From::kHere);
}

void Store::flush() {
  // some file systems tell only now that a quota is used up; others have nothing to flush
  if (::fdatasync(fd_) != 0 && errno != EINVAL && errno != EROFS)
    throw std::runtime_error(fmt::format("{}: cannot be written: {}", file_, std::strerror(errno)));
}

bool Store::recorded(const std::string& case_id, const std::string& fingerprint) const {
  return cases_.count({case_id, fingerprint}) > 0;
}

std::vector<Point> Store::left(const std::vector<Point>& group, const std::string& fingerprint,
                               bool shard) const {
  if (empty()) return group;
  std::vector<Point> left;
  std::vector<std::string> case_ids;
  for (const Point& point : group) {
    case_ids.push_back(point.case_id());
    if (!recorded(case_ids.back(), fingerprint)) left.push_back(point);
  }
  if (!shard || left.empty()) return left;
  const auto alike = alike_.find(model_of(fingerprint));
  if (alike == alike_.end()) return left;
  const auto has_all = [&](const std::string& host) {
    return std::all_of(case_ids.begin(), case_ids.end(),
                       [&](const std::string& case_id) { return recorded(case_id, host); });
  };
  if (std::any_of(alike->second.begin(), alike->second.end(), has_all)) left.clear();
  return left;
}

std::set<std::string> Store::plans(const std::string& definition_sha256, int shards) const {
  const auto found = plans_.find({definition_sha256, shards});
  return found == plans_.end() ? std::set<std::string>() : found->second;
}

bool Store::begun(const std::string& definition_sha256, const std::string& fingerprint) const {
  return begun_.count({definition_sha256, fingerprint}) > 0;
}

std::string Store::status(const std::string& case_id, const std::string& fingerprint) const {
  const auto found = cases_.find({case_id, fingerprint});
  return found == cases_.end() ? "" : found->second;
}

}  // namespace gemmlab::runner
