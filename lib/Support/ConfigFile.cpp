//===- ConfigFile.cpp - Options from TOML or JSON -------------------------===//
//
// Turns a flat table of a configuration file into option values. The order of
// mesh axes matters and tables of both formats have none, so a nested table is
// an error that shows the form to use.
//
//===----------------------------------------------------------------------===//

#include "partopt/Support/OptionSet.h"

#include "llvm/Support/MemoryBuffer.h"

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <nlohmann/json.hpp>
#include <sstream>
#include <toml++/toml.h>

using namespace partopt;

using Result = llvm::Expected<std::vector<ConfigValue>>;

static llvm::Error notScalar(llvm::StringRef path, llvm::StringRef name) {
  return userError(path + ": '" + name +
                   "' must be a text, a number, true, false or a list of "
                   "these; write e.g. mesh = \"data=2,model=4\"");
}

/// The text of a TOML scalar, or false.
static bool tomlText(const toml::node &node, std::string &text) {
  if (auto string = node.as_string()) {
    text = string->get();
    return true;
  }
  if (!node.is_integer() && !node.is_floating_point() && !node.is_boolean())
    return false;
  std::ostringstream stream;
  stream << std::boolalpha;
  node.visit([&](auto &&value) {
    if constexpr (toml::is_number<decltype(value)> ||
                  toml::is_boolean<decltype(value)>)
      stream << value;
  });
  text = stream.str();
  return true;
}

static Result readToml(llvm::StringRef text, llvm::StringRef path) {
  toml::parse_result parsed =
      toml::parse(std::string_view(text.data(), text.size()));
  if (!parsed) {
    const toml::parse_error &error = parsed.error();
    std::string_view what = error.description();
    return userError(
        path + ":" + llvm::Twine(error.source().begin.line) +
        ": not TOML: " + llvm::StringRef(what.data(), what.size()));
  }
  std::vector<ConfigValue> values;
  for (auto &&[key, node] : parsed.table()) {
    ConfigValue value{std::string(key.str()), {}, node.source().begin.line};
    std::string item;
    if (tomlText(node, item))
      value.values.push_back(item);
    else if (const toml::array *array = node.as_array())
      for (const toml::node &element : *array) {
        if (!tomlText(element, item))
          return notScalar(path, value.name);
        value.values.push_back(item);
      }
    else
      return notScalar(path, value.name);
    values.push_back(std::move(value));
  }
  return values;
}

/// The text of a JSON scalar, or false.
static bool jsonText(const nlohmann::json &node, std::string &text) {
  if (node.is_string())
    text = node.get<std::string>();
  else if (node.is_number() || node.is_boolean())
    text = node.dump();
  else
    return false;
  return true;
}

static Result readJson(llvm::StringRef text, llvm::StringRef path) {
  nlohmann::json parsed =
      nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (parsed.is_discarded() || !parsed.is_object())
    return userError(path + ": not a JSON object");
  std::vector<ConfigValue> values;
  for (auto &[key, node] : parsed.items()) {
    ConfigValue value{key, {}, 0};
    std::string item;
    if (jsonText(node, item))
      value.values.push_back(item);
    else if (node.is_array())
      for (const nlohmann::json &element : node) {
        if (!jsonText(element, item))
          return notScalar(path, key);
        value.values.push_back(item);
      }
    else
      return notScalar(path, key);
    values.push_back(std::move(value));
  }
  return values;
}

Result partopt::readConfigFile(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return userError("cannot read the configuration file '" + path +
                     "': " + buffer.getError().message());
  llvm::StringRef text = (*buffer)->getBuffer();
  return path.ends_with(".json") ? readJson(text, path) : readToml(text, path);
}
