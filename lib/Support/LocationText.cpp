//===- LocationText.cpp - A location as a user knows it -------------------===//
//
// Follows a location inwards: a name to what it names, a call site to its
// callee, a fusion to the first part that has an answer.
//
//===----------------------------------------------------------------------===//

#include "partopt/Support/LocationText.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

std::string partopt::locationText(Location loc) {
  return llvm::TypeSwitch<LocationAttr, std::string>(loc)
      .Case([](FileLineColLoc file) {
        std::string text = file.getFilename().str();
        if (file.getLine())
          text += ":" + std::to_string(file.getLine());
        if (file.getLine() && file.getColumn())
          text += ":" + std::to_string(file.getColumn());
        return text;
      })
      .Case([](NameLoc name) { return locationText(name.getChildLoc()); })
      .Case([](CallSiteLoc call) {
        std::string text = locationText(call.getCallee());
        return text.empty() ? locationText(call.getCaller()) : text;
      })
      .Case([](FusedLoc fused) {
        for (Location part : fused.getLocations())
          if (std::string text = locationText(part); !text.empty())
            return text;
        return std::string();
      })
      .Default(std::string());
}

std::string partopt::locationName(Location loc) {
  return llvm::TypeSwitch<LocationAttr, std::string>(loc)
      .Case([](NameLoc name) {
        std::string inner = locationName(name.getChildLoc());
        return inner.empty() ? name.getName().str() : inner;
      })
      .Case([](CallSiteLoc call) { return locationName(call.getCallee()); })
      .Case([](FusedLoc fused) {
        for (Location part : fused.getLocations())
          if (std::string text = locationName(part); !text.empty())
            return text;
        return std::string();
      })
      .Default(std::string());
}
