// Writes the layers of the model (see Layers.h) as attributes, after what the
// user says of them.

#include "partopt/Analysis/Layers.h"
#include "partopt/Import/Import.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

namespace partopt {

#define GEN_PASS_DEF_FINDLAYERSPASS
#include "partopt/Import/Passes.h.inc"

namespace {

/// Gives `text`, REGEX=NAME, to the parameters that it matches and that no
/// earlier one took.
LogicalResult giveLayer(func::FuncOp func, StringRef text) {
  auto [pattern, name] = text.rsplit('=');
  llvm::Regex regex(pattern);
  std::string why;
  if (pattern.empty() || name.empty())
    return func.emitError() << "--layer '" << text
                            << "': expected REGEX=NAME, such as "
                               "'block_(0|1)/=first'";
  if (!regex.isValid(why))
    return func.emitError() << "--layer '" << text << "': '" << pattern
                            << "' is not a regular expression: " << why;
  bool matches = false;
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    auto role = func.getArgAttrOfType<StringAttr>(i, kRoleAttr);
    auto argument = func.getArgAttrOfType<StringAttr>(i, kNameAttr);
    if (!role || role.getValue() != "param" || !argument ||
        !regex.match(argument.getValue()))
      continue;
    matches = true;
    if (!func.getArgAttr(i, kLayerAttr))
      func.setArgAttr(i, kLayerAttr, StringAttr::get(func.getContext(), name));
  }
  if (!matches)
    return func.emitError()
           << "--layer '" << text << "' matches no parameter's name of @"
           << func.getSymName() << "; explain --section arguments shows them";
  return success();
}

std::string noteOf(const Layers &layers, unsigned argument, StringRef role) {
  const ArgumentFacts &facts = layers.factsOf(argument);
  std::string note;
  auto add = [&](const Twine &text) {
    note += (note.empty() ? "" : ", ") + text.str();
  };
  if (facts.isUnused)
    add("unused");
  if (facts.isFrozen)
    add("frozen: no gradient");
  if (facts.isCounter)
    add("step counter");
  if (facts.isStacked && role == "param")
    add("a row per layer");
  if (facts.isTied && !facts.isStacked) {
    std::string others;
    for (unsigned layer : ArrayRef(facts.layers).drop_front())
      others += (others.empty() ? "" : ", ") + layers.all()[layer].name;
    add("tied: also read in " + others);
  }
  return note;
}

DictionaryAttr describe(Builder &builder, const Layer &layer) {
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("name", builder.getStringAttr(layer.name)),
       builder.getNamedAttr("repeated", builder.getBoolAttr(layer.isRepeated)),
       builder.getNamedAttr("parameters",
                            builder.getI64IntegerAttr(layer.parameters.size())),
       builder.getNamedAttr("bytes", builder.getI64IntegerAttr(layer.bytes)),
       builder.getNamedAttr("forward_ops",
                            builder.getI64IntegerAttr(layer.forwardOps)),
       builder.getNamedAttr("flops", builder.getI64IntegerAttr(layer.flops)),
       builder.getNamedAttr("note", builder.getStringAttr(layer.note))});
}

struct FindLayersPass : impl::FindLayersPassBase<FindLayersPass> {
  using FindLayersPassBase::FindLayersPassBase;

  void write(func::FuncOp func, const Layers &layers) {
    Builder builder(&getContext());
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      auto role = func.getArgAttrOfType<StringAttr>(i, kRoleAttr);
      std::string text = layers.layerText(i);
      if (!text.empty() && !func.getArgAttr(i, kLayerAttr))
        func.setArgAttr(i, kLayerAttr, builder.getStringAttr(text));
      std::string note = noteOf(layers, i, role ? role.getValue() : "");
      if (!note.empty())
        func.setArgAttr(i, kNoteAttr, builder.getStringAttr(note));
    }
    SmallVector<Attribute> table;
    for (const Layer &layer : layers.all())
      table.push_back(describe(builder, layer));
    if (!table.empty())
      getOperation()->setAttr(kLayersAttr, builder.getArrayAttr(table));
    numLayers += table.size();
  }

  void runOnOperation() override {
    auto func = getOperation().lookupSymbol<func::FuncOp>(entry);
    if (!func || func.isExternal()) {
      getOperation().emitError()
          << "the module has no function @" << entry << " with a body";
      return signalPassFailure();
    }
    for (const std::string &text : layers)
      if (failed(giveLayer(func, text)))
        return signalPassFailure();
    if (!func.getBody().hasOneBlock())
      return;
    TrainingStep step(func);
    write(func, Layers(func, step));
  }
};

} // namespace
} // namespace partopt
