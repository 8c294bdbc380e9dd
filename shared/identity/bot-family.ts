/** Sorts of automation that is not AI, as they are stored, and what people call them. */
export const botFamilies = {
  'search engine': 'search engine',
  seo: 'SEO or marketing tool',
  monitor: 'monitoring service',
  'link preview': 'link preview',
  'feed reader': 'feed reader',
  advertising: 'advertising network',
  archive: 'web archive',
  research: 'survey of the internet',
  'security scanner': 'security scanner',
  library: 'script or program',
  'headless browser': 'browser without a window',
  'automated browser': 'browser that a program drives',
  'disguised automation': 'program that poses as a browser',
  'signed automation': 'program that signs its requests',
  'spoofed AI client': 'spoofed AI client',
  'empty user agent': 'program that gives no name',
  'other bot': 'of another sort',
} as const;

export type BotFamily = keyof typeof botFamilies;

/** A family that only another version knows is called as it is stored. */
export function nameFamily(family: string): string {
  return Object.hasOwn(botFamilies, family) ? botFamilies[family as BotFamily] : family;
}
