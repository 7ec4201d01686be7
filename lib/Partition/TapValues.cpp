// Adds intermediate values as results, so that a run can be compared with
// another one value by value.

#include "partopt/Analysis/ProgramValues.h"
#include "partopt/Partition/Passes.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DECL_TAPVALUESPASS
#define GEN_PASS_DEF_TAPVALUESPASS
#include "partopt/Partition/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

struct TapValues : partopt::impl::TapValuesPassBase<TapValues> {
  using TapValuesPassBase::TapValuesPassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal())
      return;
    SmallVector<OpResult> values = programValues(func);
    Operation *terminator = func.front().getTerminator();
    SmallVector<Type> results(func.getResultTypes());
    SmallVector<Value> operands(terminator->getOperands());
    Builder b(&getContext());
    uint64_t end = std::min<uint64_t>(last, values.size());
    for (uint64_t i = first; i < end; ++i) {
      results.push_back(values[i].getType());
      operands.push_back(values[i]);
    }
    unsigned next = func.getNumResults();
    SmallVector<DictionaryAttr> attributes;
    func.getAllResultAttrs(attributes);
    for (uint64_t i = first; i < end; ++i, ++next)
      attributes.push_back(b.getDictionaryAttr(
          {b.getNamedAttr(kTapAttr, b.getUnitAttr()),
           b.getNamedAttr("partopt.name",
                          b.getStringAttr("value " + Twine(i)))}));
    terminator->setOperands(operands);
    func.setFunctionType(b.getFunctionType(func.getArgumentTypes(), results));
    func.setAllResultAttrs(attributes);
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createTapValuesPass(uint64_t first,
                                                   uint64_t last) {
  TapValuesPassOptions options;
  options.first = first;
  options.last = last;
  return std::make_unique<TapValues>(options);
}
