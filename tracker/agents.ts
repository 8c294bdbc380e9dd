/**
 * What agents have in a page while they act in it: the letter of the client in the server's catalogue, then the mark,
 * which is an element's id, a selector without spaces or the name of a global. What an agent leaves behind when it is
 * done is no mark, as the page is a person's again. Brotli packs some orders better than others.
 */
export const agents =
  // Its __generateAccessibilityTree comes with it, and with other programs too.
  'd__claudeElementMap ' +
  'mmanus-action-mask-host ' +
  'kskyvern-control-indicator ' +
  // Pages have that id too, but no markup puts it outside the body.
  'khtml>#boundingBoxContainer ' +
  's__stagehandV3__ ' +
  's__v3_cursor_overlay__ ' +
  'xcodex-agent-overlay-root ' +
  'x[data-codex-favicon-badge] ' +
  'p[id^=pplx-agent-][id*=overlay] ' +
  'bbrowseros-glow-overlay ' +
  'n[nova-act-id] ' +
  'u[data-browser-use-highlight] ' +
  'uplaywright-highlight-container ' +
  'cclaude-agent-stop-container ' +
  'cclaude-agent-glow-border';
