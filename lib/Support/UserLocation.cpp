// Unwraps locations. Of a call site the callee is the inner frame; a name
// stands around the frame that it names; a fused location speaks through its
// first part that has a position.

#include "partopt/Support/UserLocation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace partopt {
namespace {

void collect(Location loc, llvm::SmallVectorImpl<FileLineColLoc> &frames) {
  if (auto file = dyn_cast<FileLineColLoc>(loc)) {
    frames.push_back(file);
  } else if (auto name = dyn_cast<NameLoc>(loc)) {
    collect(name.getChildLoc(), frames);
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    collect(call.getCallee(), frames);
    collect(call.getCaller(), frames);
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location part : fused.getLocations()) {
      size_t before = frames.size();
      collect(part, frames);
      if (frames.size() > before)
        return;
    }
  } else if (auto opaque = dyn_cast<OpaqueLoc>(loc)) {
    collect(opaque.getFallbackLocation(), frames);
  }
}

bool isInstalled(FileLineColLoc frame) {
  StringRef file = frame.getFilename().getValue();
  return file.contains("/site-packages/") || file.contains("/dist-packages/") ||
         file.starts_with("<");
}

// The first name on the way in, outermost first.
StringRef outermostName(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName();
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return outermostName(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (StringRef name = outermostName(part); !name.empty())
        return name;
  return {};
}

} // namespace

llvm::SmallVector<FileLineColLoc> sourceFrames(Location loc) {
  llvm::SmallVector<FileLineColLoc> frames;
  collect(loc, frames);
  return frames;
}

std::optional<FileLineColLoc> userFrame(Location loc) {
  llvm::SmallVector<FileLineColLoc> frames = sourceFrames(loc);
  for (FileLineColLoc frame : frames)
    if (!isInstalled(frame))
      return frame;
  if (frames.empty())
    return std::nullopt;
  return frames.front();
}

std::string describeLocation(Location loc) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (std::optional<FileLineColLoc> frame = userFrame(loc))
    os << frame->getFilename().getValue() << ':' << frame->getLine() << ':'
       << frame->getColumn();
  else if (StringRef name = outermostName(loc); !name.empty())
    os << '"' << name << '"';
  else
    os << "<unknown>";
  return text;
}

std::string locationName(Location loc) {
  auto name = dyn_cast<NameLoc>(loc);
  return name ? name.getName().str() : std::string();
}

} // namespace partopt
