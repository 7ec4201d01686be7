//===- PlanPage.cpp - A plan as one page ----------------------------------===//
//
// See PlanPage.h: the parts in their order, and the page around them.
//
//===----------------------------------------------------------------------===//

#include "partopt/Report/PlanPage.h"

#include "Html.h"
#include "Page.h"

#include "partopt/Plan/Classes.h"
#include "partopt/Plan/ExplainPlan.h"
#include "partopt/Plan/PlanText.h"

#include <algorithm>

namespace partopt::report {

Page::Page(const plan::PlanT &plan, size_t entry,
           const simulate::Machine &machine)
    : plan(plan), entry(entry), machine(machine), mesh(plan) {
  predictions = simulate::simulateEntry(plan, entry, machine, &timelines);
  for (const simulate::Prediction &one : predictions)
    step = std::max(step, one.step);
}

const plan::ProgramT &Page::program(size_t classIndex) const {
  return *plan::programOf(*plan.classes[classIndex], entry);
}

std::string Page::ranks(size_t classIndex) const {
  return plan::ranksText(plan::ranksOf(plan, classIndex));
}

std::string timeAxis(const Page &page, double height) {
  constexpr int ticks = 10;
  std::string text;
  for (int i = 0; i <= ticks; ++i) {
    double seconds = page.step * i / ticks;
    double x = nameWidth + chartWidth * i / ticks;
    std::string edge = numberText(x);
    text += "<path class=\"tick\" d=\"M" + edge + " 14V" + numberText(height) +
            "\"/>\n" +
            svgText(i == ticks ? x - 48 : x + 2, 12, "note",
                    i == 0 ? "0" : plan::secondsText(seconds));
  }
  return text;
}

static constexpr char style[] = R"(
body{font:14px/1.4 system-ui,sans-serif;margin:1.5em auto;max-width:1280px;
  padding:0 1em;color:#1c2430;background:#fff}
h1{font-size:1.4em}h2{font-size:1.15em;margin:1.6em 0 .4em}h3{font-size:1em}
table{border-collapse:collapse;display:block;overflow-x:auto}
td,th{padding:2px 10px 2px 0;text-align:left;vertical-align:top;
  border-bottom:1px solid #e3e7ee}
th{font-weight:600}.n{text-align:right;font-variant-numeric:tabular-nums}
svg{width:100%;height:auto}svg text{font:11px system-ui,sans-serif;fill:#1c2430}
svg .note{fill:#66707e;font-size:10px}svg .in{fill:#fff;font-size:10px;
  pointer-events:none}
.more,.legend{color:#66707e}.key{display:inline-block;width:.8em;height:.8em;
  margin:0 .3em 0 1em}
.tick{stroke:#e3e7ee;stroke-width:1;fill:none}
.lane{fill:#f4f6f9}.stream{fill:#f8f9fb}
.segment{fill:#8a94a3;background:#8a94a3}
.segment.F,.forward{fill:#3f74c4;background:#3f74c4}
.segment.B,.segment.I,.backward{fill:#d07a2d;background:#d07a2d}
.segment.W{fill:#8459b5;background:#8459b5}
.update{fill:#3a9a63;background:#3a9a63}
.unspecified{fill:#8a94a3;background:#8a94a3}
.iterations{fill:#5c6b80;background:#5c6b80}
.idle{fill:#f1c9c9;background:#f1c9c9}.wait{fill:#ead9a8;background:#ead9a8}
.message{fill:#1d9aa8;background:#1d9aa8}
.collective{fill:#b03a72;background:#b03a72}
rect.segment{stroke:#fff;stroke-width:.4}
rect.peak{fill:#c22f2f}
.m0{fill:#b9c0ca;background:#b9c0ca}.m1{fill:#3f74c4;background:#3f74c4}
.m2{fill:#6f9fe0;background:#6f9fe0}.m3{fill:#3a9a63;background:#3a9a63}
.m4{fill:#d07a2d;background:#d07a2d}.m5{fill:#e6b36f;background:#e6b36f}
.m6{fill:#8459b5;background:#8459b5}.m7{fill:#1d9aa8;background:#1d9aa8}
)";

std::string planPage(const plan::PlanT &plan, size_t entry,
                     const simulate::Machine &machine) {
  Page page(plan, entry, machine);
  std::string title = escaped(plan.model) + ", " + escaped(plan.strategy);
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
         "<title>" +
         title + "</title>\n<style>" + style + "</style></head>\n<body>\n<h1>" +
         title + "</h1>\n" + section("summary", "Summary", summary(page)) +
         section("timeline", "Predicted step", gantt(page)) + stages(page) +
         section("memory", "Memory over time", memory(page)) +
         section("communication", "Communication", communication(page)) +
         section("shardings", "Shardings", shardings(page)) +
         section("collectives", "Collectives", collectives(page)) +
         section("remarks", "Warnings and notes", remarks(page)) +
         "</body></html>\n";
}

} // namespace partopt::report
