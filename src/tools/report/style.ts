/** The styles of a page. The pages have no other styles: no attribute `style`, and no script. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #fff;
  --panel: #f5f6f8;
  --line: #d5d9e0;
  --text: #1a1d23;
  --quiet: #545b67;
  --link: #0b57c4;
  --bad: #b3161c;
  --bad-panel: #fdecec;
  --warn: #7a4b00;
  --warn-panel: #fdf3dc;
  --good: #11693a;
  --good-panel: #e5f5eb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14161a;
    --panel: #1e2127;
    --line: #3a3f49;
    --text: #e6e8ec;
    --quiet: #a9b0bc;
    --link: #8ab8ff;
    --bad: #ff9a97;
    --bad-panel: #3b1d1f;
    --warn: #f3c66b;
    --warn-panel: #352a12;
    --good: #7fd6a1;
    --good-panel: #163322;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0 auto;
  max-width: 80rem;
  padding: 1.5rem 1.5rem 4rem;
  background: var(--page);
  color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere;
}
h1 { margin: 0 0 .25rem; font-size: 1.6rem; line-height: 1.25; }
h2 { margin: 2.5rem 0 .75rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); font-size: 1.25rem; }
h3 { margin: 1.25rem 0 .5rem; font-size: 1.05rem; }
h4 { margin: 1rem 0 .25rem; font-size: .95rem; }
p { margin: .5rem 0; }
ul, ol { margin: .5rem 0; padding-left: 1.5rem; }
a { color: var(--link); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 1rem 0 0; padding: 0; list-style: none; }
code, pre, .mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .875rem; }
pre {
  margin: .5rem 0;
  padding: .625rem .75rem;
  border: 1px solid var(--line);
  border-radius: 6px;
  background: var(--panel);
  white-space: pre-wrap;
}
.quiet { color: var(--quiet); }
.bad { color: var(--bad); }
.warn { color: var(--warn); }
.good { color: var(--good); }
.badge { display: inline-block; padding: 0 .45rem; border: 1px solid var(--line); border-radius: 999px; background: var(--panel); font-size: .85rem; white-space: nowrap; }
.badge.bad { border-color: var(--bad); background: var(--bad-panel); }
.badge.warn { border-color: var(--warn); background: var(--warn-panel); }
.badge.good { border-color: var(--good); background: var(--good-panel); }
.notice { margin: .75rem 0; padding: .5rem .75rem; border-left: 4px solid var(--warn); background: var(--warn-panel); }
.notice.bad { border-color: var(--bad); background: var(--bad-panel); color: inherit; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem 1rem; margin: 1rem 0; }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .925rem; }
th, td { padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--quiet); font-weight: 600; }
th, td.short { overflow-wrap: normal; white-space: nowrap; }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td { min-width: 4rem; }
details { margin: .25rem 0; }
summary { padding: .2rem .25rem; border-radius: 4px; cursor: pointer; }
summary:hover { background: var(--panel); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.rows { padding: 0; list-style: none; }
.rows > li { border-bottom: 1px solid var(--line); }
.rows > li > details { margin: 0; }
.rows > li > details > summary { padding: .35rem .25rem; }
.rows > li > details[open] { padding-bottom: .75rem; }
.inside { padding-left: 1.25rem; }
.two { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 1.5rem; }
.time { display: inline-block; min-width: 5.5rem; color: var(--quiet); font-variant-numeric: tabular-nums; }
.lines { padding: 0; list-style: none; }
.lines li { padding: .1rem 0; }
.lines .deep-1 { padding-left: 1.25rem; }
.lines .deep-2 { padding-left: 2.5rem; }
.lines .deep-3 { padding-left: 3.75rem; }
.lines .deep-4 { padding-left: 5rem; }
.only label { cursor: pointer; }
.only:has(input:checked) ~ .rows > .fine { display: none; }
.chart { display: block; width: 100%; max-width: 45rem; height: auto; margin: .5rem 0; color: var(--text); }
.chart .grid { stroke: var(--line); }
.chart .axis { fill: var(--quiet); font: 12px system-ui, sans-serif; }
.chart .curve { fill: none; stroke: var(--link); stroke-width: 2; }
.chart .dot { fill: var(--link); }
.chart .gap { stroke: var(--bad); stroke-width: 2; }
.chart .gap-text { fill: var(--bad); font: 12px system-ui, sans-serif; }
footer { margin-top: 3rem; color: var(--quiet); font-size: .9rem; }
@media (max-width: 43.75em) {
  body { padding: 1rem .75rem 3rem; }
  .two { grid-template-columns: minmax(0, 1fr); }
  .facts { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .facts dd { margin-bottom: .4rem; }
  .inside { padding-left: .5rem; }
  .time { min-width: 4.5rem; }
  .deep-1, .deep-2, .deep-3, .deep-4 { padding-left: .75rem; }
}
@media print {
  :root { color-scheme: light; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, .only { display: none; }
  details::details-content { display: block; height: auto; content-visibility: visible; }
  .rows > li { break-inside: avoid-page; }
}
`

/** The SHA-256 of `STYLE`. The pages allow these styles by it. A test compares it. */
export const STYLE_HASH = 'sha256-cYkjUMf8RTSk0BG2J8g2EWn5EjH7+e8tUQwiG9Y+8r8='
