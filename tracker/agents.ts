/**
 * What agents have in a page while they act in it: the letter of the client in the server's catalogue, then the mark,
 * which is a selector without spaces or the name of a global. What an agent leaves behind when it is done is no mark,
 * as the page is a person's again. Brotli packs some orders better than others.
 */
export const agents =
  'b#browseros-glow-overlay ' +
  'c#claude-agent-glow-border ' +
  'c#claude-agent-stop-container ' +
  'u#playwright-highlight-container ' +
  'u[data-browser-use-highlight] ' +
  'n[nova-act-id] ' +
  'x#codex-agent-overlay-root ' +
  'x[data-codex-favicon-badge] ' +
  's#__v3_cursor_overlay__ ' +
  's__stagehandV3__ ' +
  'p[id^=pplx-agent-][id*=overlay] ' +
  // Its __generateAccessibilityTree comes with it, and with other programs too.
  'd__claudeElementMap ' +
  'kskyvern-control-indicator ' +
  // Pages have that id too, but no markup puts it outside the body.
  'khtml>#boundingBoxContainer ' +
  'm#manus-action-mask-host';
