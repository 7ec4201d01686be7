// What a step takes and gives, before it is compiled.

#include "PlanTypes.h"
#include "SourceText.h"

#include "dialects/Plan/Plan.h"
#include "partopt/Plan/SerializePlan.h"
#include "partopt/Support/ArgumentRole.h"
#include "partopt/Support/NextValues.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace partopt;

static std::unique_ptr<plan::TensorT> tensorOf(plan::PlanT &plan, Type type,
                                               DictionaryAttr attributes,
                                               Location loc,
                                               const std::string &index) {
  auto tensor = std::make_unique<plan::TensorT>();
  auto textOf = [&](StringRef key) {
    auto text = attributes ? attributes.getAs<StringAttr>(key) : StringAttr();
    return text ? text.str() : std::string();
  };
  auto shape = cast<RankedTensorType>(type);
  tensor->index_name = index;
  tensor->name = textOf("partopt.name");
  if (tensor->name.empty())
    tensor->name = index;
  tensor->type = elementTypeOf(shape.getElementType());
  tensor->global_shape.assign(shape.getShape().begin(), shape.getShape().end());
  tensor->local_shape = tensor->global_shape;
  tensor->role = static_cast<plan::Role>(
      planir::symbolizeRole(textOf(kRoleAttr)).value_or(planir::Role::Unknown));
  tensor->loc = uint32_t(plan.locations.size());
  plan.locations.push_back(locationText(loc));
  return tensor;
}

std::unique_ptr<plan::PlanT> partopt::signatureOf(ModuleOp module) {
  auto result = std::make_unique<plan::PlanT>();
  result->locations.push_back("unknown");
  auto program = std::make_unique<plan::ProgramT>();
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!func.isPublic() || func.isExternal())
      continue;
    for (unsigned i = 0; i < func.getNumResults(); ++i) {
      auto entry = std::make_unique<plan::ResultT>();
      entry->tensor =
          tensorOf(*result, func.getResultTypes()[i], func.getResultAttrDict(i),
                   func.getLoc(), "out" + std::to_string(i));
      program->results.push_back(std::move(entry));
    }
    for (BlockArgument argument : func.getArguments()) {
      unsigned i = argument.getArgNumber();
      auto entry = std::make_unique<plan::ArgumentT>();
      entry->tensor =
          tensorOf(*result, argument.getType(), func.getArgAttrDict(i),
                   argument.getLoc(), "arg" + std::to_string(i));
      program->arguments.push_back(std::move(entry));
      if (std::optional<unsigned> next = nextResultOf(func, i))
        program->results[*next]->alias = int(i);
    }
  }
  auto rankClass = std::make_unique<plan::RankClassT>();
  rankClass->programs.push_back(std::move(program));
  result->classes.push_back(std::move(rankClass));
  return result;
}
