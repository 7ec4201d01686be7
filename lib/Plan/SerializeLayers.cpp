// See SerializeLayers.h.

#include "SerializeLayers.h"

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
