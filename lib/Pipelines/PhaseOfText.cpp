//===- PhaseOfText.cpp - Which phase a text is the result of --------------===//
//
// Text that a phase has printed says which one it was.
//
//===----------------------------------------------------------------------===//

#include "FinishPlan.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace partopt;

/// Text that names its phase is taken up behind that one: what follows an
/// earlier phase would be left out, what works on one device's part would run
/// on parts of parts.
void partopt::checkPhaseOfText(ModuleOp module, const CompileRequest &request,
                               CompileOutcome &outcome) {
  auto mark = module->getAttrOfType<StringAttr>(kAfterPhaseAttr);
  if (!mark)
    return;
  const PhaseSpec *of = findPhase(mark.getValue());
  if (!of) {
    outcome.status = CompileStatus::BadInput;
    outcome.problem =
        (llvm::Twine(request.modelName) +
         ": partopt.after_phase names no phase: '" + mark.getValue() + "'")
            .str();
    return;
  }
  int next = int(of->phase) + 1, first = int(request.first);
  if (first <= next && (first == next || of->phase < Phase::Partition))
    return;
  outcome.status = CompileStatus::BadInput;
  outcome.problem =
      (llvm::Twine(request.modelName) + ": is the program after phase '" +
       of->name + "' (partopt.after_phase); use --compile-from " + of->name)
          .str();
}

/// Text that does not name its phase may be anything: where it turns out not to
/// be what --compile-from says, most likely it is a model as it was exported.
void partopt::explainUnmarked(const CompileRequest &request,
                              CompileOutcome &outcome) {
  const PhaseSpec *from = nullptr;
  for (const PhaseSpec &spec : phaseTable())
    if (int(spec.phase) + 1 == int(request.first))
      from = &spec;
  if (!from || outcome.status == CompileStatus::Done ||
      outcome.status == CompileStatus::DoesNotFit)
    return;
  outcome.status = CompileStatus::BadInput;
  outcome.problem =
      (outcome.problem.empty() ? "" : outcome.problem + "; ") +
      (llvm::Twine(request.modelName) +
       ": has no partopt.after_phase, so it is not known to be the program "
       "after phase '" +
       from->name +
       "', and is not; a model on which no phase has run needs no "
       "--compile-from, and --compile-to " +
       from->name + " prints what --compile-from " + from->name + " takes")
          .str();
}
