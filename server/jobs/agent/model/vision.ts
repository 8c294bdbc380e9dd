/** Of the usual providers, those that take text alone. What a compatible server can do is only known from its response. */
const blind = [
  /^anthropic\/claude-(?:instant|[12](?:[.-]|$))/,
  /^google\/(?:gemini-1\.0-pro(?!-vision)|gemini-pro$|text-)/,
  /^openai\/(?:gpt-3|gpt-4(?:$|-\d|-32k)|o1-(?:mini|preview)|o3-mini|codex-mini)/,
];

/** @param name `provider/model`; that of an outside agent has no slash, and it is given none */
export function seesImages(name: string): boolean {
  return name.includes('/') && !blind.some((names) => names.test(name));
}
