/**
 * What agents have in a page while they act in it: the letter of the client in the server's catalogue, then the mark. That is
 * the id of an element or the name of a global, both of which the window answers to at once, or a selector, which the whole page
 * is searched for: it begins with what sorts before `^`. What an agent leaves behind when it is done is no mark, as the page is
 * a person's again. Brotli packs some orders better than others. Of two that are found at once
 * the later names the view: what Claude's desktop program leaves may stand beside the marks of Claude in Chrome.
 */
export const agents =
  'x[data-codex-favicon-badge] ' +
  'cclaude-agent-glow-border ' +
  'u[data-browser-use-highlight] ' +
  'cclaude-agent-stop-container ' +
  // Its __generateAccessibilityTree comes with it, and with other programs too.
  'd__claudeElementMap ' +
  'uplaywright-highlight-container ' +
  's__stagehandV3__ ' +
  // Pages have that id too, but no markup puts it outside the body.
  'k:root>#boundingBoxContainer ' +
  's__v3_cursor_overlay__ ' +
  // In HTML the name of an element has no case.
  'kSkyvern-control-indicator ' +
  'mmanus-action-mask-host ' +
  'n[nova-act-id] ' +
  'p[id^=pplx-agent-][id*=overlay] ' +
  'bbrowseros-glow-overlay';
