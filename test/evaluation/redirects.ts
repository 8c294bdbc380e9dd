interface Redirect {
  source: string;
  destination: string;
}

/** https://mintlify.com/docs/create/redirects; what is no JSON, another check tells. */
export function redirectsOf(text: string): Redirect[] {
  try {
    return (JSON.parse(text) as { redirects?: Redirect[] }).redirects ?? [];
  } catch {
    return [];
  }
}

/** @param wanted destinations by sources */
export function missingRedirects(text: string, wanted: Readonly<Record<string, string>>): string[] {
  const found = new Map(redirectsOf(text).map(({ source, destination }) => [source, destination]));
  return Object.entries(wanted)
    .filter(([source, destination]) => found.get(source) !== destination)
    .map(([source, destination]) => `${source} does not lead to ${destination}.`);
}
