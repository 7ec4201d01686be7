// See SerializeLayers.h.

#include "SerializeLayers.h"

#include "SourceText.h"

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
