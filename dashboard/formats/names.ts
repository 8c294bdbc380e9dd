import type { ClaimCheck } from '../../shared/analytics.ts';
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
export const purposeDescriptions: Record<string, string> = {
  Training: 'collects pages to train models',
  'AI search': 'builds an index that AI answers are based on',
  Assistant: 'fetches a page because somebody asked about it',
  Coding: 'reads documentation for a coding agent',
  Browser: 'is a browser that an AI agent uses for a person',
};
export const namePurpose = (purpose: string | null): string => (purpose && purposes[purpose]) || 'Unknown';

export const proofs: Record<string, { mark: string; name: string; description: string }> = {
  verified: {
    mark: '✓',
    name: 'Verified',
    description: 'Its IP address, host name or signature belongs to the operator.',
  },
  claimed: {
    mark: '“',
    name: 'Claimed',
    description: 'It gives this name, and nothing proves it.',
  },
  inferred: {
    mark: '≈',
    name: 'Inferred',
    description: 'It behaves like one: it asks for Markdown, or an agent was seen at work in the page.',
  },
};

const checks: Readonly<Record<ClaimCheck, string>> = {
  nothing_published: 'Its operator publishes nothing to check it against.',
  list_not_loaded: 'Its operator publishes its addresses, and this server has no recent copy of that list.',
  not_in_list: 'Its operator publishes its addresses, and the one that it came from was not among them.',
  name_not_confirmed: 'Its operator is known by its host names, and none was confirmed.',
  not_signed: 'Its operator can sign requests, and these had no valid signature.',
  user_machine: 'It runs on its user’s machine, so that its address proves nothing.',
};
/** What stands beside the proof of a client. */
export const describeProof = (proof: string, check: ClaimCheck | null): string =>
  [proofs[proof]?.description, check && checks[check]].filter((text) => text).join(' ');

const reasons: Readonly<Record<TalliedReason, { name: string; description: string }>> = {
  bot: { name: 'Bot', description: 'Automation that is not AI.' },
  spoofed: {
    name: 'Spoofed AI client',
    description: 'It claims to be this client, but its IP address is not the operator’s.',
  },
  foreign_host: {
    name: 'Page on another host',
    description:
      'The page is on a host that the settings do not name, or on localhost although pages of another host were counted.',
  },
  excluded_path: { name: 'Excluded path', description: 'This path is excluded in the settings.' },
  excluded_address: { name: 'Excluded address', description: 'This IP address is excluded in the settings.' },
  left_to_script: { name: 'People', description: 'Reported by your server; the script counts people.' },
  no_page: {
    name: 'No page',
    description: 'An error, a redirect, a prefetch or a file for machines, or what only scanners look for.',
  },
  rate_limited: {
    name: 'Too many at once',
    description: 'One network sent more views within a minute than people can cause.',
  },
  same_view: {
    name: 'Reported twice',
    description: 'The script and your server both reported this view of an AI client.',
  },
  too_old: { name: 'Too old', description: 'It arrived more than 24 hours after the view.' },
};
/** A reason that only an older version gave is shown as it was stored. */
export const nameReason = (reason: TalliedReason): { name: string; description: string } =>
  Object.hasOwn(reasons, reason) ? reasons[reason] : { name: reason, description: '' };

export function nameCountry(code: string): string {
  try {
    return new Intl.DisplayNames(undefined, { type: 'region' }).of(code) ?? code;
  } catch {
    return nameTrait(code);
  }
}

/** A language by its tag: `de-AT` is German (Austria). */
export function nameLanguage(tag: string): string {
  try {
    return new Intl.DisplayNames(undefined, { type: 'language', languageDisplay: 'standard' }).of(tag) ?? tag;
  } catch {
    return nameTrait(tag);
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
  if (name === '(other)') return 'All others';
  return name;
}

/** Some clients are known by nothing but their name, and anybody can sign. */
export const nameOperator = (operator: string): string =>
  operator === 'unknown' || operator === '(not known)' ? 'Unknown' : operator;

export const nameSource = (source: string): string =>
  source === '(direct)' ? 'Direct or unknown' : nameTrait(source);
