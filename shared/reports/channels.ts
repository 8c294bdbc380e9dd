/** Groups of sources, in the order in which documents list them: `campaign` is a tag that is no site, such as `flyer`. */
export const channelNames = [
  ...(['ai', 'search', 'social', 'mail', 'paid', 'campaign', 'referral', 'direct'] as const),
] as const;

export type Channel = (typeof channelNames)[number];

/** A project's own rule: a source, or a glob of sources, and its channel. */
export function readChannelRule(text: string): { source: string; channel: Channel } | undefined {
  const [, source = '', name = ''] = /^(.+?)\s*=\s*(\S+)$/.exec(text.trim()) ?? [];
  const channel = channelNames.find((one) => one === name.toLowerCase());
  return channel && { source, channel };
}
