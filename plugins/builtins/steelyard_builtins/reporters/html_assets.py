"""The style and the script of the HTML report. Both stand in the page itself: nothing is fetched when it is read."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --good: #1a7f37; --bad: #cf222e; --odd: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --good: #3fb950; --bad: #f85149; --odd: #d29922; } }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 76rem; padding: 1.5rem; }
h1 { margin: 0 0 .25rem; font-size: 1.6rem; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 .5rem; font-size: 1.15rem; overflow-wrap: anywhere; }
.facts, .quiet { opacity: .8; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .3rem .45rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
th { background: var(--soft); }
th, td { min-width: 6.5rem; }
td { overflow-wrap: anywhere; }
th.number { white-space: normal; }
.number { min-width: 0; text-align: right; font-variant-numeric: tabular-nums; }
.number { white-space: nowrap; overflow-wrap: normal; }
.heat { background: color-mix(in srgb, var(--good) calc(var(--share) * .45%), transparent); }
.verdict { padding: .6rem .9rem; border-left: .35rem solid var(--bad); background: var(--soft); font-weight: 600; }
.verdict.passed { border-color: var(--good); }
.sign { font-weight: 600; white-space: nowrap; }
.passed > .sign, .passed > summary .sign { color: var(--good); }
.failed > .sign, .failed > summary .sign { color: var(--bad); }
.error > .sign, .error > summary .sign, .flaky > summary .sign { color: var(--odd); }
form { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; margin: .5rem 0 1rem; }
form[hidden] { display: none; }
label { display: grid; font-size: .85rem; }
select, input { font: inherit; height: 2rem; padding: .1rem .4rem; max-width: 24rem; }
output { line-height: 2rem; }
details.part { margin: .4rem 0; }
details.part > summary { cursor: pointer; padding: .15rem 0; }
details.part > summary:focus-visible { outline: 2px solid; }
details.case { border: 1px solid var(--line); border-radius: .3rem; margin: .3rem 0; content-visibility: auto;
  contain-intrinsic-size: auto 2.2rem; }
details.case > summary { cursor: pointer; padding: .35rem .6rem; display: flex; flex-wrap: wrap; gap: .2rem .8rem; }
details.case > summary:focus-visible { outline: 2px solid; }
.case .id { font-weight: 600; overflow-wrap: anywhere; }
.case .inside { padding: 0 .9rem .9rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); padding: .5rem .7rem;
  margin: .2rem 0 .8rem; max-height: 30rem; overflow-y: auto; }
h3 { font-size: .95rem; margin: .8rem 0 .1rem; }
"""

SCRIPT = """
"use strict";
const form = document.getElementById("filters");
const cases = Array.from(document.querySelectorAll("details.case"));
const shown = document.getElementById("shown");
form.hidden = false;
function apply() {
  const combo = form.elements.combo.value, status = form.elements.status.value;
  const scorer = form.elements.scorer.value, text = form.elements.text.value.toLowerCase();
  let count = 0;
  for (const one of cases) {
    const fits = (!combo || one.dataset.combo === combo) && (!status || one.dataset.status === status)
      && (!scorer || one.dataset.scorers.split("\\n").includes(scorer))
      && (!text || one.textContent.toLowerCase().includes(text));
    one.hidden = !fits;
    count += fits;
  }
  shown.textContent = count + " of " + cases.length + " cases shown";
}
let timer;
form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(apply, 120); });
form.addEventListener("submit", event => event.preventDefault());
apply();
"""
