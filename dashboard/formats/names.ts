import { assistants } from '../../shared/assistant.ts';
import type { TalliedReason } from '../../shared/hit.ts';

const assistantNames = new Set(assistants.values());

/** Whether people were sent by an AI assistant; only these names are written with capital letters. */
export const isAssistant = (source: string): boolean => assistantNames.has(source);

const purposes: Record<string, string> = {
  training: 'Training',
  search: 'AI search',
  assistant: 'Assistant',
  coding: 'Coding',
  browser: 'Browser',
};
export const purposeWords: Record<string, string> = {
  Training: 'collects pages to train models',
  'AI search': 'builds an index that AI answers draw on',
  Assistant: 'fetches a page because somebody asked about it',
  Coding: 'a coding agent that reads documentation',
  Browser: 'a browser that an agent drives for a person',
};
export const namePurpose = (purpose: string | null): string => (purpose && purposes[purpose]) || 'Unknown';

export const proofs: Record<string, { mark: string; name: string; words: string }> = {
  verified: {
    mark: '✓',
    name: 'Verified',
    words: 'Its address, host name or signature is the operator’s.',
  },
  claimed: {
    mark: '“',
    name: 'Claimed',
    words: 'It says so itself, and its operator publishes nothing to check by.',
  },
  inferred: {
    mark: '≈',
    name: 'Inferred',
    words: 'It behaves so: it asks for Markdown, or an agent left its mark.',
  },
};

const reasons: Readonly<Record<TalliedReason, { name: string; words: string }>> = {
  bot: { name: 'Bot', words: 'Automation that is no AI.' },
  spoofed: {
    name: 'Spoofed AI client',
    words: 'It claims to be this client, from an address that is not its operator’s.',
  },
  foreign_host: { name: 'Page on another host', words: 'Its host is not among those in the settings.' },
  excluded_path: { name: 'Excluded path', words: 'The settings leave this path out.' },
  excluded_address: { name: 'Excluded address', words: 'The settings leave this IP address out.' },
  left_to_script: { name: 'People', words: 'Your server reported them too; the script counts people.' },
  same_view: { name: 'Told twice', words: 'The script and your server told of one view of an AI client.' },
  too_old: { name: 'Too old', words: 'It was sent more than 24 hours after the view.' },
};
/** A reason that only an older version gave stands there as it was stored. */
export const nameReason = (reason: string): { name: string; words: string } =>
  Object.hasOwn(reasons, reason) ? reasons[reason as TalliedReason] : { name: reason, words: '' };

export function nameCountry(code: string): string {
  try {
    return new Intl.DisplayNames(undefined, { type: 'region' }).of(code) ?? code;
  } catch {
    return nameTrait(code);
  }
}

const devices: Record<string, string> = {
  desktop: 'Desktop',
  mobile: 'Phone',
  tablet: 'Tablet',
  smarttv: 'Television',
  console: 'Game console',
  wearable: 'Watch or other wearable',
  xr: 'Headset',
  embedded: 'Embedded device',
};
export const nameDevice = (device: string): string => devices[device] ?? nameTrait(device);

/** Names in brackets are the server's own. */
export function nameTrait(name: string): string {
  if (name === '(unknown)') return 'Unknown';
  if (name === '(other)') return 'Others together';
  return name;
}

export const nameSource = (source: string): string =>
  source === '(direct)' ? 'Direct or not told' : nameTrait(source);
