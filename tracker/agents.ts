/**
 * What agents have in a page while they act in it: the letter of the client in the server's catalogue, then the mark. That is
 * the id of an element or the name of a global, both of which the window answers to at once, or a selector, which the whole page
 * is searched for: it begins with what sorts before `^`. What an agent leaves behind when it is done is no mark, as the page is
 * a person's again. Brotli packs some orders better than others.
 */
export const agents =
  // Pages have that id too, but no markup puts it outside the body.
  'k:root>#boundingBoxContainer ' +
  'mmanus-action-mask-host ' +
  'n[nova-act-id] ' +
  // In HTML the name of an element has no case.
  'kSkyvern-control-indicator ' +
  'x[data-codex-favicon-badge] ' +
  'cclaude-agent-glow-border ' +
  'bbrowseros-glow-overlay ' +
  'cclaude-agent-stop-container ' +
  'p[id^=pplx-agent-][id*=overlay] ' +
  's__stagehandV3__ ' +
  'u[data-browser-use-highlight] ' +
  's__v3_cursor_overlay__ ' +
  'uplaywright-highlight-container ' +
  // Its __generateAccessibilityTree comes with it, and with other programs too.
  'd__claudeElementMap';
