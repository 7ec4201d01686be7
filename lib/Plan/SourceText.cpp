//===- SourceText.cpp - Where a value comes from, in words ----------------===//
//
// JAX nests a name stack around call sites around a file position; this reads
// the nest from the outside in.
//
//===----------------------------------------------------------------------===//

#include "SourceText.h"

#include "partopt/Support/UserLocation.h"

using namespace mlir;
using namespace partopt;

namespace {

struct Source {
  std::string name, position;
  bool empty() const { return name.empty() && position.empty(); }
};

/// The outermost name, and the innermost position in the user's own files.
Source sourceOf(Location loc) {
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location part : llvm::reverse(fused.getLocations())) {
      Source source = sourceOf(part);
      if (!source.empty())
        return source;
    }
    return {};
  }
  Source source;
  if (auto site = dyn_cast<CallSiteLoc>(loc))
    source.name = sourceOf(site.getCallee()).name;
  if (auto name = dyn_cast<NameLoc>(loc))
    source.name = name.getName().str();
  if (auto frame = userFrame(loc))
    source.position = frame->getFilename().str() + ":" +
                      std::to_string(frame->getLine()) + ":" +
                      std::to_string(frame->getColumn());
  return source;
}

planir::Phase phaseOfName(StringRef name) {
  if (name.contains("transpose("))
    return planir::Phase::Backward;
  if (name.contains("jvp("))
    return planir::Phase::Forward;
  return planir::Phase::Unspecified;
}

} // namespace

std::string partopt::locationText(Location loc) {
  Source source = sourceOf(loc);
  if (source.empty())
    return "unknown";
  if (source.position.empty())
    return source.name;
  if (source.name.empty())
    return source.position;
  return source.position + " (" + source.name + ")";
}

planir::Phase partopt::phaseOf(Location loc) {
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    planir::Phase latest = planir::Phase::Unspecified;
    for (Location part : fused.getLocations())
      latest = std::max(latest, phaseOf(part));
    return latest;
  }
  if (auto site = dyn_cast<CallSiteLoc>(loc))
    return std::max(phaseOf(site.getCallee()), phaseOf(site.getCaller()));
  if (auto name = dyn_cast<NameLoc>(loc))
    return std::max(phaseOfName(name.getName()), phaseOf(name.getChildLoc()));
  return planir::Phase::Unspecified;
}
