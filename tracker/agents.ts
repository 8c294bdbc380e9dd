/**
 * What agents have in a page while they act in it: the letter of the client in the server's catalogue, then the mark. That is
 * the id of an element or the name of a global, both of which the window answers to, or else a selector. What an agent leaves
 * behind when it is done is no mark, as the page is a person's again. Brotli packs some orders better than others. Of two
 * that are found at once the later names the view: what Claude's desktop program leaves may stand beside the marks of Claude
 * in Chrome.
 */
export const agents =
  'mmanus-action-mask-host ' +
  'u[data-browser-use-highlight] ' +
  'cclaude-phantom-cursor ' +
  'cclaude-agent-stop-container ' +
  's__v3_cursor_overlay__ ' +
  // In HTML the name of an element has no case.
  'kSkyvern-control-indicator ' +
  'cclaude-agent-glow-border ' +
  'bbrowseros-glow-overlay ' +
  'n[nova-act-id] ' +
  // Its __generateAccessibilityTree comes with it, and with other programs too.
  'd__claudeElementMap ' +
  // The icon of a tab in which ChatGPT acts is a picture in its own address, with a pointer in it. When it hands the tab back or
  // has something to show, a dot takes the place of the pointer.
  'x[href*=codex-][href*=paint-order] ' +
  'uplaywright-highlight-container ' +
  's__stagehandV3__ ' +
  // Pages have that id too, but no markup puts it outside the body.
  'k:root>#boundingBoxContainer ' +
  'p[id^=pplx-agent-][id*=overlay]';
