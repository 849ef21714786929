/** Style of the file: a page of a paper, on screen and on A4. */
export const documentCss = `
:root { color-scheme: light; --ink: #14181d; --ink-2: #47505b; --ink-3: #626c78; --line: #e3e6ea; --accent: #3b46b4; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: var(--ink); font: 14px/1.55 'Inter Variable', Inter, 'Helvetica Neue', Arial, sans-serif; }
main { max-width: 860px; margin: 0 auto; padding: 40px 24px 80px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 8px; }
h2 { font-size: 18px; margin: 40px 0 10px; padding-top: 12px; border-top: 1px solid var(--line); }
p { margin: 8px 0; max-width: 74ch; }
.sub { color: var(--ink-3); }
.question { font-size: 16px; color: var(--ink-2); }
ul { margin: 8px 0; padding-left: 20px; max-width: 78ch; }
li { margin: 5px 0; }
ol.claims { list-style: none; padding: 0; }
ol.claims li { padding: 6px 0 6px 14px; border-left: 3px solid var(--line); break-inside: avoid; }
ol.claims li p { margin: 2px 0; }
ol.claims .answer { font-weight: 600; }
ol.claims .line { opacity: 0.7; }
ul.findings { list-style: none; padding: 0; }
ul.findings li { padding-left: 14px; border-left: 3px solid var(--line); }
ul.findings li.resolved { border-left-color: var(--accent); }
.note { border-left: 3px solid #e4c983; padding: 6px 12px; background: #fbf2dd; }
figure { margin: 22px 0; break-inside: avoid; }
figure svg { width: 100%; height: auto; display: block; }
figcaption, .caption { color: var(--ink-2); font-size: 12.5px; line-height: 1.45; max-width: 90ch; }
figcaption { padding: 8px 0; }
.caption { margin: 18px 0 6px; break-after: avoid; break-inside: avoid; }
table { border-collapse: collapse; width: 100%; font-size: 12.5px; line-height: 1.4; font-variant-numeric: tabular-nums; margin: 0 0 18px; }
th, td { text-align: left; padding: 4px 10px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
thead th { border-bottom: 1.5px solid var(--ink); font-weight: 600; }
thead th { vertical-align: bottom; }
.number { text-align: right; padding-right: 18px; }
td.number { white-space: nowrap; }
.sentence { min-width: 240px; }
details summary { color: var(--ink-3); cursor: pointer; font-size: 12.5px; }
.scroll { overflow-x: auto; }
.drawing { overflow-x: auto; }
@media screen and (max-width: 700px) { main { padding: 20px 16px 48px; } figure svg { min-width: 720px; } }
@page { size: A4; margin: 18mm 16mm; }
@media print { main { padding: 0; max-width: none; } body { font-size: 10.5pt; } figure details { display: none; } .scroll { overflow: visible; } li { break-inside: avoid; } summary { list-style: none; } .long > summary::after { content: ' Not printed: open it in the file.'; } .detail::details-content { content-visibility: visible; height: auto; } h2 { break-after: avoid; } tr { break-inside: avoid; } thead { display: table-header-group; } }
`;
