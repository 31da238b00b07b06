#include "report/html/assets.h"

namespace weir::report::html {

// Training is blue, inference is amber; solid is useful, striped is not. Greys
// are what Weir is compared with.
const std::string_view kStyle = R"css(
:root {
  --page: #f6f6f3; --surface: #ffffff; --line: #e2e3de; --ink: #1d2125; --soft: #59626b;
  --training: #2f6fb5; --inference: #d98a1f; --alarm: #b3261e;
  --subject: #0f766e; --baseline: #8a929a; --other: #c3c8cd; --best: #e4f2ef; --pale: #a5d2ca;
  --training-pale: #dbe7f4; --inference-pale: #f9e9cd; --alarm-pale: #f6dedb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121518; --surface: #1a1e22; --line: #30363c; --ink: #e7e9eb; --soft: #9ba5ae;
    --training: #4f8ccc; --inference: #cf9539; --alarm: #f2867d;
    --subject: #4fb8a9; --baseline: #7d868f; --other: #4d555d; --best: #17332f; --pale: #2c655c;
    --training-pale: #22344a; --inference-pale: #443518; --alarm-pale: #4a2724;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); -webkit-text-size-adjust: 100%;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 40px 24px 64px; }
h1, h2, h3, h4, p, figure, dl, ul { margin: 0; }
h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -.01em; }
h2 { font-size: 1.3rem; line-height: 1.3; }
h3 { font-size: 1rem; }
h4 { font-size: .875rem; font-weight: 600; }
.eyebrow { color: var(--soft); font-size: .875rem; margin-bottom: 4px; }
.title { margin-top: 8px; }
.about { color: var(--soft); font-size: .9375rem; max-width: 46rem; }
.headline { font-size: 1.2rem; line-height: 1.45; margin-top: 20px; max-width: 46rem; }
section { margin-top: 48px; }
section > h3 { margin-top: 28px; }
section > h2 + .about { margin-top: 4px; }

.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); gap: 16px; margin-top: 32px; }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 18px 20px; }
.card h3 { font-size: .9375rem; font-weight: 500; color: var(--soft); }
.card p { font-size: .875rem; color: var(--soft); }
.card .big { font-size: 1.9rem; line-height: 1.25; font-weight: 600; color: var(--ink); margin: 2px 0 6px; letter-spacing: -.01em; }
.meter { position: relative; height: 10px; border-radius: 3px; background: var(--line); margin: 2px 0 10px; }
.meter i { position: absolute; top: 0; bottom: 0; left: 0; border-radius: 3px; }
.meter .bound { background: var(--pale); }
.meter .value { background: var(--subject); }
.meter .mark { width: 3px; top: -4px; bottom: -4px; margin-left: -1.5px; background: var(--ink); border: 0; }

table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 500; }
td, thead th:not(:first-child) { text-align: right; }
td, th { padding: 6px 12px; border-bottom: 1px solid var(--line); white-space: nowrap; }
thead th { color: var(--soft); }
.scroll { overflow: auto; max-height: 420px; margin-top: 12px; background: var(--surface); border: 1px solid var(--line); border-radius: 10px; }
.scroll.wide { max-height: none; }
.scroll table { width: 100%; }
.scroll tbody:last-child tr:last-child > * { border-bottom: 0; }
.numbers thead th { position: sticky; top: 0; background: var(--surface); box-shadow: inset 0 -1px var(--line); }
.comparison tbody th, .comparison thead th:first-child { position: sticky; left: 0; background: var(--surface); }
.comparison thead th:not(:first-child) { color: var(--ink); font-weight: 600; }
.comparison .title th { padding-top: 18px; font-weight: 600; position: static; }
.comparison tr:not(.title) th { color: var(--soft); padding-left: 20px; }
.comparison .words { font-size: .8125rem; font-weight: 400; color: var(--soft); margin-right: 14px; }
.comparison .best { background: var(--best); font-weight: 600; }
.comparison .limit { color: var(--soft); }

details { margin-top: 10px; font-size: .875rem; }
summary { color: var(--soft); cursor: pointer; width: max-content; max-width: 100%; padding: 2px 0; }
summary:hover { color: var(--ink); }
.meaning { display: grid; grid-template-columns: minmax(12rem, max-content) 1fr; gap: 4px 20px; margin-top: 8px; }
.meaning dd, .facts dd { margin: 0; }
.meaning dd, .facts dt { color: var(--soft); }

figure { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 16px 20px; margin-top: 16px; }
figcaption { font-weight: 600; }
figure .about { font-size: .875rem; }
.legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 6px 0 0; font-size: .8125rem; color: var(--soft); }
.legend li { display: flex; align-items: center; gap: 7px; }
svg.key { width: 16px; height: 12px; flex: none; }
i.key { width: 16px; height: 12px; display: inline-block; }
.frame { display: grid; grid-template-columns: 44px 1fr; margin-top: 14px; }
.y { position: relative; font-size: .75rem; color: var(--soft); font-variant-numeric: tabular-nums; }
.y span { position: absolute; right: 8px; transform: translateY(-50%); }
.area { position: relative; cursor: crosshair; touch-action: pan-y; }
.area svg { display: block; width: 100%; overflow: visible; }
.cross { position: absolute; top: 0; bottom: 0; width: 0; border-left: 1px solid var(--ink); display: none; pointer-events: none; }
.x { position: relative; height: 20px; margin-left: 44px; font-size: .75rem; color: var(--soft); font-variant-numeric: tabular-nums; }
.x span { position: absolute; top: 3px; transform: translateX(-50%); }
.x span::before { content: ""; position: absolute; left: 50%; top: -3px; height: 4px; border-left: 1px solid var(--line); }
.axis { margin-left: 44px; font-size: .75rem; color: var(--soft); }
figure.plot:focus-visible { outline: 2px solid var(--subject); outline-offset: 2px; }

.band { stroke: none; }
.band.training { fill: var(--training); }
.band.inference { fill: var(--inference); }
.band.training-overhead { fill: url(#stripe-training); }
.band.inference-held { fill: url(#stripe-inference); }
.band.off-boundary { fill: url(#stripe-alarm); }
.band.free { fill: var(--surface); }
.key .band.free { stroke: var(--soft); }
.stripe-training { fill: var(--training); } .stripe-inference { fill: var(--inference); } .stripe-alarm { fill: var(--alarm); }
.ground-training { fill: var(--training-pale); } .ground-inference { fill: var(--inference-pale); } .ground-alarm { fill: var(--alarm-pale); }
.grid { stroke: var(--ink); stroke-opacity: .13; vector-effect: non-scaling-stroke; fill: none; }
.warm-up { fill: var(--surface); fill-opacity: .6; }
.line { fill: none; stroke-width: 1.75; vector-effect: non-scaling-stroke; stroke: var(--ink); }
.line.ready { stroke: var(--ink); }
.line.need { stroke: var(--soft); stroke-width: 1.25; stroke-dasharray: 2 3; }
.line.guard { stroke: var(--subject); stroke-width: 2; stroke-dasharray: 8 4; }
.line.subject { stroke: var(--subject); stroke-width: 2.25; }
.line.baseline { stroke: var(--soft); stroke-dasharray: 7 3; }
.line.other { stroke: var(--baseline); stroke-dasharray: 2 3; }

.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(320px, 1fr)); gap: 16px; margin-top: 16px; }
.panel { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 16px 20px; min-width: 0; }
.group { margin-top: 14px; }
.bar { display: grid; grid-template-columns: 5.9rem 1fr 5rem; gap: 8px; align-items: center; font-size: .8125rem; line-height: 1.55; }
.bar .name { color: var(--soft); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bar .value { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bar .track i { display: block; height: 11px; min-width: 2px; border-radius: 0 3px 3px 0; }
.track .subject { background: var(--subject); } .track .baseline { background: var(--baseline); } .track .other { background: var(--other); }

.columns { display: grid; grid-auto-flow: column; grid-auto-columns: 1fr; gap: 8px; margin-top: 12px; }
.column { text-align: center; font-size: .75rem; color: var(--soft); min-width: 0; }
.column .stack { height: 150px; padding-top: 20px; display: flex; flex-direction: column; justify-content: flex-end; border-bottom: 1px solid var(--line); }
.column .total { color: var(--ink); font-variant-numeric: tabular-nums; line-height: 20px; margin-top: -20px; }
.column .stack i { display: block; flex: none; max-width: 64px; width: 100%; margin: 0 auto; min-height: 1px; }
.column .label { display: block; margin-top: 4px; line-height: 1.25; }
i.inference { background: var(--inference); } i.training { background: var(--training); }
i.off-boundary { background: repeating-linear-gradient(0deg, var(--alarm) 0 2px, var(--alarm-pale) 2px 4px); }

.facts { display: grid; gap: 2px 24px; margin-top: 12px; font-size: .9375rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
pre { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 14px 18px; overflow-x: auto; margin: 12px 0 0; }
code { font: .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
.facts > div { display: grid; grid-template-columns: 13rem 1fr; gap: 0 16px; }
.facts.tiles { grid-template-columns: repeat(auto-fit, minmax(170px, 1fr)); gap: 12px 24px; }
.facts.tiles > div { display: block; }
.facts.tiles dt { font-size: .8125rem; } .facts.tiles dd { font-size: 1.15rem; font-weight: 600; }
.notes { margin-top: 14px; padding-left: 1.2rem; font-size: .9375rem; color: var(--soft); }

#tip { position: fixed; z-index: 2; display: none; pointer-events: none; background: var(--surface); color: var(--ink); border: 1px solid var(--line);
  border-radius: 8px; padding: 8px 12px; font-size: .8125rem; line-height: 1.5; box-shadow: 0 4px 16px rgb(0 0 0 / .16); font-variant-numeric: tabular-nums; }
#tip div { display: flex; justify-content: space-between; gap: 18px; }
#tip div:first-child { font-weight: 600; }

@media (max-width: 640px) {
  main { padding: 24px 16px 48px; }
  h1 { font-size: 1.6rem; }
  .headline { font-size: 1.05rem; }
  .cards { grid-template-columns: 1fr 1fr; gap: 10px; }
  .card { padding: 12px 14px; }
  .card .big { font-size: 1.35rem; }
  .panels { grid-template-columns: 1fr; }
  figure, .panel { padding: 14px 14px; }
  .frame { grid-template-columns: 34px 1fr; }
  .x, .axis { margin-left: 34px; }
  .x .minor { display: none; }
  td, th { padding: 6px 9px; }
  .comparison tbody th { white-space: normal; min-width: 6.5rem; padding-left: 9px !important; line-height: 1.3; }
  .comparison { font-size: .8125rem; }
  .comparison td, .comparison th { padding: 6px 7px; }
  .comparison .words { color: inherit; font-weight: inherit; margin: 0; }
  .comparison .exact { display: none; }
  .comparison thead th { white-space: normal; vertical-align: bottom; line-height: 1.25; }
  .comparison .title th { white-space: nowrap; }
  .meaning { grid-template-columns: 1fr; }
  .meaning dd { margin-bottom: 8px; }
  .facts > div { grid-template-columns: 1fr; margin-bottom: 6px; }
  .facts.tiles { grid-template-columns: 1fr 1fr; }
  .columns { gap: 3px; }
  .column { font-size: .6875rem; }
}
@media print { body { background: #fff; } section, figure, .card, .panel { break-inside: avoid; } }
)css";

// Stripes lie flat, so that stretching a picture sideways leaves them alone.
const std::string_view kPatterns = R"svg(<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>
<pattern id="stripe-training" patternUnits="userSpaceOnUse" width="8" height="4"><rect class="ground-training" width="8" height="4"/><rect class="stripe-training" width="8" height="1"/></pattern>
<pattern id="stripe-inference" patternUnits="userSpaceOnUse" width="8" height="4"><rect class="ground-inference" width="8" height="4"/><rect class="stripe-inference" width="8" height="1"/></pattern>
<pattern id="stripe-alarm" patternUnits="userSpaceOnUse" width="8" height="4"><rect class="ground-alarm" width="8" height="4"/><rect class="stripe-alarm" width="8" height="2"/></pattern>
</defs></svg>)svg";

// Shows the row of a plot's own table under the pointer, or under the arrow keys.
const std::string_view kScript = R"js(
(function () {
  'use strict';
  const tip = document.createElement('div');
  tip.id = 'tip';
  tip.setAttribute('role', 'status');
  document.body.appendChild(tip);
  function line(name, value) {
    const row = document.createElement('div');
    for (const text of [name, value]) {
      const part = document.createElement('span');
      part.textContent = text;
      row.appendChild(part);
    }
    tip.appendChild(row);
  }
  document.querySelectorAll('figure.plot').forEach(function (figure) {
    const area = figure.querySelector('.area');
    const cross = figure.querySelector('.cross');
    const names = Array.from(figure.querySelectorAll('thead th')).slice(1);
    const rows = figure.querySelectorAll('tbody tr');
    let at = 0;
    function hide() { tip.style.display = 'none'; cross.style.display = 'none'; }
    function show(slot) {
      at = Math.max(0, Math.min(rows.length - 1, slot));
      const cells = rows[at].children;
      tip.textContent = '';
      line(cells[0].textContent, '');
      for (let i = names.length - 1; i >= 0; --i) line(names[i].textContent, cells[i + 1].textContent);
      const box = area.getBoundingClientRect();
      const x = (at + 0.5) / rows.length * box.width;
      cross.style.left = x + 'px';
      cross.style.display = tip.style.display = 'block';
      const wide = tip.offsetWidth;
      const left = x + box.left + 14 + wide > window.innerWidth - 8 ? box.left + x - wide - 14 : box.left + x + 14;
      tip.style.left = Math.max(8, left) + 'px';
      tip.style.top = Math.max(8, Math.min(box.top + 8, window.innerHeight - tip.offsetHeight - 8)) + 'px';
    }
    function move(event) {
      const box = area.getBoundingClientRect();
      show(Math.floor((event.clientX - box.left) / box.width * rows.length));
    }
    area.addEventListener('pointermove', move);
    area.addEventListener('pointerdown', move);
    area.addEventListener('pointerleave', hide);
    figure.addEventListener('blur', hide);
    figure.addEventListener('keydown', function (event) {
      const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -24, PageDown: 24 }[event.key];
      if (event.key === 'Escape') hide();
      if (!step || event.target !== figure) return;
      event.preventDefault();
      show(at + step);
    });
  });
})();
)js";

}  // namespace weir::report::html
