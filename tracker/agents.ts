/**
 * What agents have in a page while they act in it: the letter of the client in the server's catalogue, then the mark,
 * which is a selector without spaces or the name of a global. What an agent leaves behind when it is done is no mark,
 * as the page is a person's again. Brotli packs some orders better than others.
 */
export const agents =
  'u#playwright-highlight-container ' +
  's#__v3_cursor_overlay__ ' +
  // Pages have that id too, but no markup puts it outside the body.
  'khtml>#boundingBoxContainer ' +
  's__stagehandV3__ ' +
  'u[data-browser-use-highlight] ' +
  'x[data-codex-favicon-badge] ' +
  'm#manus-action-mask-host ' +
  // Its __generateAccessibilityTree comes with it, and with other programs too.
  'd__claudeElementMap ' +
  'p[id^=pplx-agent-][id*=overlay] ' +
  'c#claude-agent-glow-border ' +
  'n[nova-act-id] ' +
  'c#claude-agent-stop-container ' +
  'kskyvern-control-indicator ' +
  'b#browseros-glow-overlay';
