/** In the colours of the dashboard. */
export const pageStyle = `:root {
  color-scheme: light dark;
  --paper: light-dark(#f6f5f1, #14161a);
  --sheet: light-dark(#fff, #1c1f25);
  --line: light-dark(#e2dfd7, #2e323a);
  --text: light-dark(#1d1f23, #e9e8e4);
  --muted: light-dark(#5d5f64, #a7abb3);
  --accent: light-dark(#0d6b4c, #5fcfa0);
}
* { box-sizing: border-box; }
body {
  margin: 0 auto;
  max-width: 1180px;
  padding: 24px;
  display: grid;
  grid-template: "head head" auto "nav main" 1fr / 230px minmax(0, 1fr);
  gap: 0 40px;
  background: var(--paper);
  color: var(--text);
  font: 0.9375rem / 1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  overflow-wrap: anywhere;
}
header { grid-area: head; }
nav { grid-area: nav; position: sticky; top: 16px; align-self: start; max-height: calc(100vh - 32px); overflow: auto; }
main { grid-area: main; }
main > p { margin-top: 4px; }
h1 { margin: 0; font-size: 1.6rem; }
header p { margin: 4px 0 20px; color: var(--muted); }
h2 { margin: 40px 0 4px; font-size: 1.3125rem; }
h3 { margin: 0; font-size: 1rem; }
h4 { margin: 16px 0 4px; font-size: 0.8125rem; color: var(--muted); }
a { color: var(--accent); }
a:focus-visible, summary:focus-visible, pre:focus-visible, .scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
nav ul { margin: 0 0 8px; padding: 0 0 0 14px; list-style: none; font-size: 0.8125rem; }
nav li { margin: 4px 0; }
nav summary { padding: 4px 0; cursor: pointer; font-weight: 600; }
nav > a { display: block; padding: 4px 0; font-weight: 600; }
article { margin: 16px 0; padding: 16px 20px; background: var(--sheet); border: 1px solid var(--line); border-radius: 10px; scroll-margin-top: 16px; }
article p { margin: 8px 0 0; }
b { color: var(--accent); font-size: 0.8125rem; }
code, pre { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; font-size: 0.8125rem; }
pre i { color: var(--muted); font-style: normal; }
pre { margin: 6px 0; padding: 10px 12px; white-space: pre-wrap; background: var(--paper); border: 1px solid var(--line); border-radius: 6px; }
.scroll { overflow: auto; }
table { width: 100%; border-collapse: collapse; font-size: 0.8125rem; }
th, td { padding: 6px 12px 6px 0; text-align: left; vertical-align: top; border-top: 1px solid var(--line); font-weight: 400; overflow-wrap: break-word; }
td:last-child { min-width: 220px; }
dl { margin: 0; display: grid; grid-template-columns: 48px minmax(0, 1fr); font-size: 0.875rem; }
dt, dd { margin: 0; padding: 4px 0; }
dt { font-weight: 600; }
#any h2 { margin-top: 28px; }
section[id] { scroll-margin-top: 16px; }
#types h3 { margin-top: 20px; scroll-margin-top: 16px; }
@media (max-width: 760px) {
  body { display: block; padding: 16px; }
  nav { position: static; max-height: none; margin-bottom: 20px; }
  article { padding: 12px 14px; }
}
`;
