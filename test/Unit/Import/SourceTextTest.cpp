// The reader: what it blanks, what it must leave alone, what it refuses.

#include "partopt/Import/SourceText.h"

#include <gtest/gtest.h>
#include <zlib.h>

using namespace partopt;

namespace {

std::string gzip(llvm::StringRef text) {
  std::string out(compressBound(text.size()) + 64, '\0');
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data()));
  stream.avail_in = text.size();
  stream.next_out = reinterpret_cast<Bytef *>(out.data());
  stream.avail_out = out.size();
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

// The prepared text, or the error.
std::string prepare(llvm::StringRef data) {
  std::string error;
  auto buffer = prepareSource(data, "m.mlir", error);
  return buffer ? buffer->getBuffer().str() : error;
}

TEST(BlankLocationRanges, KeepsTheStart) {
  EXPECT_EQ(blankLocationRanges(R"(loc("f.py":8:23 to :31))"),
            R"(loc("f.py":8:23       ))");
  EXPECT_EQ(blankLocationRanges(R"(loc("f.py":9:2 to 12:20))"),
            R"(loc("f.py":9:2         ))");
}

TEST(BlankLocationRanges, ReachesNestedLocations) {
  EXPECT_EQ(blankLocationRanges(
                R"(loc(callsite("a"("f.py":1:2 to :3) at "g.py":4:5 to 6:7)))"),
            R"(loc(callsite("a"("f.py":1:2      ) at "g.py":4:5       )))");
}

TEST(BlankLocationRanges, KeepsLinesAndColumns) {
  std::string text = "#loc = loc(\"f.py\":8:23 to :31)\n%0 = bad\n";
  std::string blanked = blankLocationRanges(text);
  EXPECT_EQ(blanked.size(), text.size());
  EXPECT_EQ(blanked.find("%0 = bad"), text.find("%0 = bad"));
}

TEST(BlankLocationRanges, LeavesOtherTextAlone) {
  for (llvm::StringRef text :
       {R"(loc("f.py":8:23))", R"("say \"f.py\":8:23 to :31")",
        R"(// "f.py":8:23 to :31)", R"(#sdy.sharding<@m, [{"x":(1)2}]>)",
        R"("a" to :31)", R"("f.py":8:23 to)", R"("f.py":8:23 to x:3)",
        R"("unclosed)", R"(a / b "c")", "", "\"\\"})
    EXPECT_EQ(blankLocationRanges(text), text);
}

TEST(BlankLocationRanges, SkipsQuotesInComments) {
  EXPECT_EQ(blankLocationRanges("// don't \"\nloc(\"f\":1:2 to :3)"),
            "// don't \"\nloc(\"f\":1:2      )");
}

TEST(PrepareSource, UnpacksGzip) {
  std::string big(1 << 20, ' ');
  EXPECT_EQ(prepare(gzip("module {}" + big)), "module {}" + big);
}

TEST(PrepareSource, UnpacksSeveralGzipMembers) {
  EXPECT_EQ(prepare(gzip("mod") + gzip("ule {}")), "module {}");
}

TEST(PrepareSource, RefusesDamagedGzip) {
  std::string good = gzip("module {}");
  std::string cut = good.substr(0, good.size() - 4);
  std::string flipped = good;
  flipped[12] ^= 0x55;
  for (llvm::StringRef bad : {llvm::StringRef(cut), llvm::StringRef(flipped)})
    EXPECT_EQ(prepare(bad), "'m.mlir' is a damaged or truncated gzip file");
}

TEST(PrepareSource, NamesForeignBytecode) {
  std::string mlir("ML\xefR\x0dMLIR23.0.0git\0rest", 23);
  EXPECT_EQ(prepare(mlir).substr(0, 53),
            "'m.mlir' is MLIR bytecode written by 'MLIR23.0.0git',");
  std::string vhlo("ML\xefR\x0dStableHLO_v1.17.0\0rest", 27);
  EXPECT_NE(prepare(vhlo).find("StableHLO portable artifact (VHLO bytecode) "
                               "written by 'StableHLO_v1.17.0'"),
            std::string::npos);
  EXPECT_NE(prepare(vhlo).find("as_text(debug_info=True)"), std::string::npos);
  EXPECT_NE(prepare(mlir.substr(0, 4)).find("written by ''"),
            std::string::npos);
}

TEST(PrepareSource, KeepsOwnBytecode) {
  std::string own("ML\xefR\x06partopt\0\x01\x02", 15);
  EXPECT_EQ(prepare(own), own);
}

TEST(PrepareSource, NamesNewerElementTypes) {
  EXPECT_EQ(prepare("module {\n%0 = \"a\"() : () -> tensor<4xf8E3M4>\n}"),
            "m.mlir:2: the element type f8E3M4 is not supported");
  EXPECT_EQ(prepare("tensor<f4E2M1FN>"),
            "m.mlir:1: the element type f4E2M1FN is not supported");
}

TEST(PrepareSource, TypesInStringsAndNamesAreNoTypes) {
  for (llvm::StringRef text :
       {"\"4xf8E3M4\"", "// 4xf8E3M4", "@f8E3M4", "xf8E3M4FN"})
    EXPECT_EQ(prepare(text), text);
}

TEST(PrepareSource, PacksBooleansOfOneByteEach) {
  // Ten booleans: bits 0 and 3 of the first byte, bit 1 of the second.
  EXPECT_EQ(prepare("dense<\"0x01000001000000000001\"> : tensor<2x5xi1> x"),
            "dense<\"0x0902\"                > : tensor<2x5xi1> x");
  // Bits, other types, other bytes, and what only looks like it.
  for (llvm::StringRef text :
       {"dense<\"0x0902\"> : tensor<2x5xi1>",
        "dense<\"0x0100\"> : tensor<2xi8>", "dense<\"0x0102\"> : tensor<2xi1>",
        "dense<\"0x0100\"> : tensor<?xi1>", "\"0x0100\" tensor<2xi1>",
        "// \"0x0100\"> : tensor<2xi1>"})
    EXPECT_EQ(prepare(text), text);
}

TEST(ReadSource, NamesTheMissingFile) {
  std::string error;
  EXPECT_EQ(readSource("no/such.mlir", error), nullptr);
  EXPECT_EQ(error, "cannot read 'no/such.mlir': No such file or directory");
}

} // namespace
