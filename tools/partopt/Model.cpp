// A model in its own context, and its diagnostics as the driver's messages.

#include "ModelInput.h"

#include "partopt/Import/Import.h"
#include "partopt/Registration.h"
#include "partopt/Support/UserLocation.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdlib>

using namespace mlir;
using namespace partopt;
using namespace partopt::driver;

Model::Model() {
  DialectRegistry registry;
  registerAllDialects(registry);
  context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  context->printOpOnDiagnostic(false); // messages are one line
  context->getDiagEngine().registerHandler(
      [this](Diagnostic &diagnostic) { return report(diagnostic); });
}

Model::~Model() {
  owner = nullptr; // before its context
}

/// The user's source position, or "" where there is none.
static std::string whereText(Location loc) {
  return isa<UnknownLoc>(loc) ? std::string() : describeLocation(loc);
}

LogicalResult Model::report(Diagnostic &diagnostic) {
  std::string where = whereText(diagnostic.getLocation());
  std::string text =
      where.empty() ? diagnostic.str() : where + ": " + diagnostic.str();
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    ++errorCount;
    messages().error(text);
    break;
  case DiagnosticSeverity::Warning: {
    SmallVector<std::string, 1> &places = warned[diagnostic.str()];
    if (llvm::is_contained(places, where))
      return success();
    places.push_back(where);
    if (noWarnings || places.size() > 1)
      return success();
    messages().warning(text);
    break;
  }
  case DiagnosticSeverity::Note:
  case DiagnosticSeverity::Remark:
    messages().note(text);
    break;
  }
  for (Diagnostic &note : diagnostic.getNotes()) {
    std::string at = whereText(note.getLocation());
    messages().note(at.empty() || at == where ? note.str()
                                              : at + ": " + note.str());
  }
  // MLIR 19's parser can corrupt the heap when it cleans up after an error (an
  // op of the module that uses a name which only a later function defines).
  // The user has been told everything, so the driver leaves before that.
  if (parsing && diagnostic.getSeverity() == DiagnosticSeverity::Error) {
    llvm::outs().flush();
    std::_Exit(BadInput);
  }
  return success();
}

void Model::tellRepeats() {
  for (const auto &[text, places] : warned) {
    if (noWarnings || places.size() < 2)
      continue;
    size_t more = places.size() - 2;
    messages().warning("the same at " + llvm::Twine(places[1]) +
                       (more == 0 ? llvm::Twine("")
                        : more == 1
                            ? llvm::Twine(" and one more place")
                            : " and " + llvm::Twine(more) + " more places") +
                       ": " + text);
  }
}

bool Model::parse(const InputFile &file) {
  setReproducerModel(file.buffer->getBuffer());
  parsing = true;
  owner = parseModelText(file.buffer->getBuffer(), file.name, context.get());
  parsing = false;
  if (owner)
    return true;
  messages().error(file.name + ": does not parse");
  return false;
}
