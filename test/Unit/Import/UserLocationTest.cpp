// Which of the nested positions of a location is the user's own.

#include "partopt/Support/UserLocation.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace partopt;

namespace {

class UserLocationTest : public testing::Test {
protected:
  Location file(StringRef name, unsigned line) {
    return FileLineColLoc::get(&context, name, line, 1);
  }
  Location named(StringRef name, Location child) {
    return NameLoc::get(StringAttr::get(&context, name), child);
  }

  MLIRContext context;
};

TEST_F(UserLocationTest, UnwrapsNamesAndTakesTheInnermostCall) {
  Location loc =
      named("jit(f)/add",
            CallSiteLoc::get(named("g", file("g.py", 3)), file("main.py", 9)));
  EXPECT_EQ(describeLocation(loc), "g.py:3:1");
  ASSERT_EQ(sourceFrames(loc).size(), 2u);
  EXPECT_EQ(sourceFrames(loc)[1].getLine(), 9u);
}

TEST_F(UserLocationTest, SkipsInstalledPackages) {
  Location library = file("/usr/lib/python3/site-packages/flax/linen.py", 70);
  EXPECT_EQ(describeLocation(CallSiteLoc::get(library, file("model.py", 5))),
            "model.py:5:1");
  EXPECT_EQ(describeLocation(library),
            "/usr/lib/python3/site-packages/flax/linen.py:70:1");
}

TEST_F(UserLocationTest, TakesTheFirstPartOfAFusionThatHasAPosition) {
  Location parts[] = {UnknownLoc::get(&context), file("a.py", 1),
                      file("b.py", 2)};
  EXPECT_EQ(describeLocation(FusedLoc::get(&context, parts)), "a.py:1:1");
}

TEST_F(UserLocationTest, FallsBackToTheName) {
  Location loc = named("params['w']", UnknownLoc::get(&context));
  EXPECT_EQ(describeLocation(loc), "\"params['w']\"");
  EXPECT_EQ(locationName(loc), "params['w']");
  EXPECT_EQ(describeLocation(UnknownLoc::get(&context)), "<unknown>");
  EXPECT_EQ(locationName(file("a.py", 1)), "");
  EXPECT_FALSE(userFrame(loc).has_value());
}

} // namespace
