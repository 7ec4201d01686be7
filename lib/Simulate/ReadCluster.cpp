//===- ReadCluster.cpp - A cluster's description from a file --------------===//
//
// TOML is turned into the JSON of the same form, so that one reader checks
// both. Messages name the file, the field, and what to write.
//
//===----------------------------------------------------------------------===//

#include "partopt/Simulate/Cluster.h"

#include "partopt/Simulate/Quantities.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace partopt::simulate {

using Json = nlohmann::json;

namespace {

/// Reads fields of objects until one is wrong.
class Reader {
public:
  explicit Reader(std::string path) : path(std::move(path)) {}

  std::string wrong; ///< empty, or the first fault

  void fail(const std::string &what) {
    if (wrong.empty())
      wrong = "'" + path + "': " + what;
  }

  /// Whether `json` is an object that has no field but `known`.
  bool isObject(const Json &json, const std::string &where,
                std::initializer_list<const char *> known);

  /// A text of `field`, read by `parse`; `form` is an example.
  template <typename Parse>
  void quantity(const Json &json, const std::string &where, const char *field,
                bool isNeeded, Parse parse, const char *form, double &value);

  std::string name(const Json &json, const std::string &where);
  uint64_t devices(const Json &json, const std::string &where);

private:
  std::string path;
};

} // namespace

static std::string dotted(const std::string &where, const std::string &field) {
  return where.empty() ? field : where + "." + field;
}

bool Reader::isObject(const Json &json, const std::string &where,
                      std::initializer_list<const char *> known) {
  if (!json.is_object()) {
    fail((where.empty() ? "the file" : where) + " is " + json.dump() +
         ", not a table of fields");
    return false;
  }
  std::string list;
  for (const char *one : known)
    list += (list.empty() ? "" : ", ") + std::string(one);
  for (const auto &[field, value] : json.items())
    if (std::find(known.begin(), known.end(), field) == known.end())
      fail(dotted(where, field) + " is not known; fields there are " + list);
  return wrong.empty();
}

template <typename Parse>
void Reader::quantity(const Json &json, const std::string &where,
                      const char *field, bool isNeeded, Parse parse,
                      const char *form, double &value) {
  auto found = json.find(field);
  std::string write =
      "; write e.g. " + std::string(field) + ": \"" + form + "\"";
  if (found == json.end()) {
    if (isNeeded)
      fail(dotted(where, field) + " is missing" + write);
    return;
  }
  std::optional<double> read =
      found->is_string() ? parse(found->get<std::string>()) : std::nullopt;
  if (read)
    value = *read;
  else
    fail(dotted(where, field) + " is " + found->dump() +
         ", not a number with its unit" + write);
}

std::string Reader::name(const Json &json, const std::string &where) {
  auto found = json.find("name");
  if (found != json.end() && found->is_string() &&
      !found->get<std::string>().empty())
    return found->get<std::string>();
  fail(dotted(where, "name") +
       (found == json.end() ? " is missing" : " is " + found->dump()) +
       "; write a text, e.g. name: \"node\"");
  return "";
}

uint64_t Reader::devices(const Json &json, const std::string &where) {
  auto found = json.find("devices");
  if (found != json.end() && found->is_number_integer() &&
      found->get<int64_t>() >= 1 && found->get<int64_t>() <= (1 << 20))
    return found->get<uint64_t>();
  fail(dotted(where, "devices") +
       (found == json.end() ? " is missing" : " is " + found->dump()) +
       "; write how many devices one such unit has in all (1 to 1048576), e.g. "
       "devices: 8");
  return 1;
}

static void readDevice(Reader &reader, const Json &json, Cluster &cluster) {
  if (!reader.isObject(json, "device",
                       {"memory", "memory_bandwidth", "peak", "overhead"}))
    return;
  reader.quantity(json, "device", "memory", false, parseByteCount, "80GB",
                  cluster.memory);
  bool hasPeak = json.contains("peak"),
       hasBandwidth = json.contains("memory_bandwidth");
  if (hasPeak != hasBandwidth)
    reader.fail(
        std::string("device.") + (hasPeak ? "memory_bandwidth" : "peak") +
        " is missing: a device's time needs its peak and its memory "
        "bandwidth; write both or leave both out, e.g. peak: {\"bf16\": "
        "\"989TFLOP/s\"}, memory_bandwidth: \"3.35TB/s\"");
  if (!hasPeak || !reader.wrong.empty())
    return;
  reader.quantity(json, "device", "memory_bandwidth", true, parseByteRate,
                  "3.35TB/s", cluster.device.bytesPerSecond);
  reader.quantity(json, "device", "overhead", false, parseTime, "5us",
                  cluster.device.overhead);
  const Json &peak = json["peak"];
  if (!reader.isObject(peak, "device.peak",
                       {"f4", "f8", "bf16", "f16", "f32", "f64"}))
    return;
  if (peak.empty())
    reader.fail("device.peak is empty; write e.g. peak: {\"bf16\": "
                "\"989TFLOP/s\"}");
  for (const auto &[type, value] : peak.items()) {
    double rate = 0;
    reader.quantity(peak, "device.peak", type.c_str(), true, parseFlopRate,
                    "989TFLOP/s", rate);
    if (reader.wrong.empty() && type == "f16" && peak.contains("bf16") &&
        peak["bf16"] != value)
      reader.fail("device.peak.f16 differs from device.peak.bf16, and types of "
                  "one width have one peak; leave one of them out");
    if (reader.wrong.empty())
      cluster.device.setPeak(peakWidth(type), rate);
  }
}

static void readLevels(Reader &reader, const Json &json, Cluster &cluster) {
  if (!json.is_array() || json.empty())
    return reader.fail(
        "levels is no list of levels, innermost first; write e.g. levels: "
        "[{\"name\": \"node\", \"devices\": 8, \"latency\": \"2us\", "
        "\"bandwidth\": \"450GB/s\"}]");
  for (const Json &one : json) {
    std::string where = "levels[" + std::to_string(cluster.levels.size()) + "]";
    if (!reader.isObject(one, where,
                         {"name", "devices", "latency", "bandwidth"}))
      return;
    ClusterLevel level;
    level.name = reader.name(one, where);
    level.devices = reader.devices(one, where);
    reader.quantity(one, where, "latency", true, parseTime, "2us",
                    level.link.latency);
    reader.quantity(one, where, "bandwidth", true, parseByteRate, "450GB/s",
                    level.link.bytesPerSecond);
    if (!cluster.levels.empty() &&
        level.devices % cluster.levels.back().devices != 0)
      reader.fail(where + ".devices is " + std::to_string(level.devices) +
                  ", which is no multiple of the " +
                  std::to_string(cluster.levels.back().devices) +
                  " devices of a " + cluster.levels.back().name +
                  "; levels come innermost first, and each counts all devices "
                  "in it");
    for (const ClusterLevel &other : cluster.levels)
      if (other.name == level.name)
        reader.fail(
            where + ".name is \"" + level.name +
            "\" as an inner level's; give each level a name of its own");
    if (!reader.wrong.empty())
      return;
    cluster.levels.push_back(level);
  }
}

/// The JSON of a TOML text; `wrong` is set where it does not parse.
static Json fromToml(const std::string &text, std::string &wrong) {
  toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error &error = parsed.error();
    wrong = "line " + std::to_string(error.source().begin.line) +
            " is not TOML: " + std::string(error.description());
    return Json();
  }
  std::stringstream json;
  json << toml::json_formatter(parsed.table());
  return Json::parse(json.str(), nullptr, /*allow_exceptions=*/false);
}

std::string readCluster(const std::string &text, const std::string &path,
                        bool isToml, Cluster &cluster) {
  Reader reader(path);
  std::string wrong;
  Json json = isToml ? fromToml(text, wrong)
                     : Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (wrong.empty() && json.is_discarded())
    wrong = "is not JSON (a TOML file's name ends in .toml); partopt cluster "
            "h100x16 prints a description to begin with";
  if (!wrong.empty()) {
    reader.fail(wrong);
    return reader.wrong;
  }
  cluster = Cluster();
  if (!reader.isObject(json, "", {"name", "device", "levels"}))
    return reader.wrong;
  cluster.name = reader.name(json, "");
  if (json.contains("device"))
    readDevice(reader, json["device"], cluster);
  if (reader.wrong.empty())
    readLevels(reader, json.value("levels", Json()), cluster);
  return reader.wrong;
}

} // namespace partopt::simulate
