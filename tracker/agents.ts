/**
 * What agents have in a page while they act in it: the letter of the client in the server's catalogue, then the mark,
 * which is a selector without spaces or the name of a global. What an agent leaves behind when it is done is no mark,
 * as the page is a person's again. Brotli packs some orders better than others.
 */
export const agents =
  's#__v3_cursor_overlay__ ' +
  'u#playwright-highlight-container ' +
  's__stagehandV3__ ' +
  'u[data-browser-use-highlight] ' +
  'm#manus-action-mask-host ' +
  'x[data-codex-favicon-badge] ' +
  'x#codex-agent-overlay-root ' +
  'c#claude-agent-stop-container ' +
  // Its __generateAccessibilityTree comes with it, and with other programs too.
  'd__claudeElementMap ' +
  'n[nova-act-id] ' +
  'p[id^=pplx-agent-][id*=overlay] ' +
  'b#browseros-glow-overlay ' +
  'c#claude-agent-glow-border ' +
  'kskyvern-control-indicator ' +
  // Pages have that id too, but no markup puts it outside the body.
  'khtml>#boundingBoxContainer';
