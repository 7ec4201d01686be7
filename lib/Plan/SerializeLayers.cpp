// See SerializeLayers.h.

#include "SerializeLayers.h"

#include "SourceText.h"

#include "partopt/Support/MappingAttributes.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace partopt;

std::vector<std::unique_ptr<plan::LayerT>>
partopt::serializeLayers(ModuleOp module) {
  std::vector<std::unique_ptr<plan::LayerT>> layers;
  auto list = module->getAttrOfType<ArrayAttr>("partopt.layers");
  if (!list)
    return layers;
  for (auto item : list.getAsRange<DictionaryAttr>()) {
    auto text = [&](StringRef key) {
      auto value = item.getAs<StringAttr>(key);
      return value ? value.str() : std::string();
    };
    auto number = [&](StringRef key) -> uint64_t {
      auto value = item.getAs<IntegerAttr>(key);
      return value ? std::max<int64_t>(value.getInt(), 0) : 0;
    };
    auto layer = std::make_unique<plan::LayerT>();
    layer->name = text("name");
    layer->note = text("note");
    if (auto repeated = item.getAs<BoolAttr>("repeated"))
      layer->repeated = repeated.getValue();
    layer->parameters = static_cast<uint32_t>(number("parameters"));
    layer->bytes = number("bytes");
    layer->forward_ops = number("forward_ops");
    layer->flops = number("flops");
    layers.push_back(std::move(layer));
  }
  return layers;
}

std::vector<std::unique_ptr<plan::WarningT>> partopt::serializeRemarks(
    ModuleOp module, StringRef attribute,
    llvm::function_ref<uint32_t(const std::string &)> locationOf) {
  std::vector<std::unique_ptr<plan::WarningT>> remarks;
  auto list = module->getAttrOfType<ArrayAttr>(attribute);
  if (!list)
    return remarks;
  for (auto item : list.getAsRange<DictionaryAttr>()) {
    auto remark = std::make_unique<plan::WarningT>();
    if (auto code = item.getAs<StringAttr>("code"))
      remark->code = code.str();
    if (auto message = item.getAs<StringAttr>("message"))
      remark->message = message.str();
    Attribute loc = item.get("loc");
    if (auto text = llvm::dyn_cast_or_null<StringAttr>(loc))
      remark->loc = locationOf(text.str());
    else if (auto place = llvm::dyn_cast_or_null<LocationAttr>(loc))
      remark->loc = locationOf(locationText(place));
    remarks.push_back(std::move(remark));
  }
  return remarks;
}

static std::string textOf(DictionaryAttr of, StringRef key) {
  auto value = of.getAs<StringAttr>(key);
  return value ? value.str() : std::string();
}

static std::unique_ptr<plan::AxisMappingT>
axisMapping(DictionaryAttr of, const llvm::StringMap<uint32_t> &axisNumber) {
  auto axis = std::make_unique<plan::AxisMappingT>();
  auto count = [&](StringRef key) -> uint64_t {
    auto value = of.getAs<IntegerAttr>(key);
    return value ? std::max<int64_t>(value.getInt(), 0) : 0;
  };
  auto number = [&](StringRef key) {
    auto value = of.getAs<FloatAttr>(key);
    return value ? value.getValueAsDouble() : 0.0;
  };
  axis->axis = static_cast<uint16_t>(axisNumber.lookup(textOf(of, "axis")));
  axis->bytes = count("bytes");
  axis->collectives = count("collectives");
  axis->level = textOf(of, "level");
  axis->latency = number("latency_s");
  axis->bytes_per_second = number("bytes_per_s");
  axis->why = textOf(of, "why");
  return axis;
}

std::unique_ptr<plan::MappingT>
partopt::serializeMapping(ModuleOp module,
                          const llvm::StringMap<uint32_t> &axisNumber) {
  auto attr = module->getAttrOfType<DictionaryAttr>(kMappingAttr);
  if (!attr)
    return nullptr;
  auto mapping = std::make_unique<plan::MappingT>();
  mapping->cluster = textOf(attr, "cluster");
  mapping->order_by = textOf(attr, "order_by");
  if (auto axes = attr.getAs<ArrayAttr>("axes"))
    for (auto one : axes.getAsRange<DictionaryAttr>())
      mapping->axes.push_back(axisMapping(one, axisNumber));
  if (auto other = attr.getAs<ArrayAttr>("other"))
    for (auto name : other.getAsRange<StringAttr>())
      mapping->other.push_back(
          static_cast<uint16_t>(axisNumber.lookup(name.getValue())));
  return mapping;
}
