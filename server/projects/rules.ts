import { isDeepStrictEqual } from 'node:util';
import { stepsOf } from '../../shared/project/goals.ts';
import {
  type ProjectSettings,
  projectSettings,
  type SettingName,
  settingRules,
} from '../../shared/project/project.ts';
import { sectionOf } from '../../shared/project/sections.ts';
import type { SecretName } from '../../shared/secrets.ts';
import type { ClientConfig } from '../config/client-settings.ts';
import type { JobConfig } from '../config/job-config.ts';
import { addressOf } from '../config/own-address.ts';
import { preparePaths } from '../counting/page/path-pattern.ts';
import { liesWithin, parseAddress } from '../net/address.ts';
import { isPrivateHost } from '../net/private-host.ts';
import { type MayReach, mayReachHost } from '../net/reach.ts';
import { findGlobFault, prepareGlobs } from '../pattern/glob.ts';
import { findFormatFault } from '../pattern/title-format.ts';
import { randomText } from './key.ts';
import { readRepositoryTokens } from './repository-tokens.ts';
import { isSigningKey } from './signing-key.ts';

/** Why a setting or secret is rejected, as the end of a sentence that begins with its name. */
interface Objection<Field> {
  field: Field;
  message: string;
}

/** Lower case and without look-alikes, as people read it aloud; 31^12 of them. */
export function makeProjectId(): string {
  return randomText(12, '23456789abcdefghjkmnpqrstuvwxyz');
}

/** The line to paste into a page. */
export function snippetOf(baseUrl: string, projectId: string): string {
  return `<script defer src="${addressOf(baseUrl, '/hc.js')}" data-project="${projectId}"></script>`;
}

/** The line for pages that are read without scripts: the image sends the page's address as its Referer. */
export function noscriptOf(baseUrl: string, projectId: string): string {
  return `<noscript><img src="${addressOf(baseUrl, `/v1/image/${projectId}`)}" alt="" width="1" height="1" style="position:absolute" referrerpolicy="no-referrer-when-downgrade"></noscript>`;
}

/** Who asks for a change of settings: the operator on the command line, a role in the project (a key has that of an owner), or an archive. */
export type Asker = 'operator' | 'owner' | 'editor' | 'archive';

export interface SettingObjection extends Objection<SettingName> {
  /** Undefined: nobody may, as it is set. */
  takes?: 'owner' | 'operator';
}

interface Asking {
  by: Asker;
  present: ProjectSettings;
  config: { jobs: Pick<JobConfig, 'git' | 'mayReach'>; clients: Pick<ClientConfig, 'asnDatabase'> };
}

/**
 * Why changed settings are rejected, over HTTP, on the command line and in an archive alike. Values that the operator
 * has forbidden since may stay as they are.
 */
export function objectToSettings(
  given: Partial<ProjectSettings>,
  { by, present, config: { jobs, clients } }: Asking,
): SettingObjection[] {
  const names = (Object.keys(given) as SettingName[]).filter(
    (field) => given[field] !== undefined && !isDeepStrictEqual(given[field], present[field]),
  );
  const lacking = names.flatMap((field): SettingObjection[] => {
    if (by === 'archive' && !isImported(field, given[field])) {
      return [{ field, message: 'does not come with an archive' }];
    }
    const takes = takesMore(field, by);
    return takes ? [{ field, takes, message: `takes an ${takes}` }] : [];
  });
  const address = by === 'archive' ? undefined : objectToAddresses(given, jobs);
  const others = [
    address,
    objectToGlobs(given, present),
    objectToFormat(given, present),
    ...objectToExclusions(given, present, clients.asnDatabase !== null),
  ];
  return [...lacking, ...others].filter((objection) => objection !== undefined);
}

/** Who may change it instead. */
export function takesMore(field: string, by: Asker): 'owner' | 'operator' | undefined {
  const rule = Object.hasOwn(settingRules, field) ? settingRules[field as SettingName] : undefined;
  if (by === 'operator' || by === 'archive') return undefined;
  if (rule?.changedBy === 'operator') return 'operator';
  return rule?.changedBy === 'owner' && by === 'editor' ? 'owner' : undefined;
}

function isImported<Name extends SettingName>(
  field: Name,
  value: ProjectSettings[Name] | undefined,
): boolean {
  return value !== undefined && settingRules[field].imported(value) !== undefined;
}

/** The imported settings of an archive, and those left out, for a person to look at and set. */
export function importSettings(
  settings: ProjectSettings,
  config: Asking['config'],
): { settings: ProjectSettings; leftOut: SettingName[] } {
  const present = projectSettings.parse({ name: settings.name });
  const objections = objectToSettings(settings, { by: 'archive', present, config });
  const leftOut = [...new Set(objections.map(({ field }) => field))];
  return { settings: { ...settings, ...pick(present, leftOut) }, leftOut };
}

function pick(settings: ProjectSettings, names: readonly SettingName[]): Partial<ProjectSettings> {
  return Object.fromEntries(names.map((name) => [name, settings[name]]));
}

type AddressObjection = Objection<'repository' | 'forgeUrl' | 'agentRepositories'>;

/** An address that the operator has not allowed is refused here already, not by the first job. */
function objectToAddresses(
  settings: Partial<ProjectSettings>,
  { git: { protocols }, mayReach }: Pick<JobConfig, 'git' | 'mayReach'>,
): AddressObjection | undefined {
  return objectToProtocols(settings, protocols) ?? objectToNetworks(settings, mayReach);
}

function objectToProtocols(
  { repository, forgeUrl, agentRepositories = [] }: Partial<ProjectSettings>,
  protocols: readonly string[],
): AddressObjection | undefined {
  const schemeOf = (address: string | null | undefined) => address?.split(':')[0];
  const isAllowed = (address: string) => protocols.includes(schemeOf(address) ?? '');
  const allowed = protocols.map((protocol) => `${protocol}://`).join(' or ');
  const message = `must begin with ${allowed}: allow more with HEADCOUNT_GIT_PROTOCOLS`;
  if (repository && !isAllowed(repository)) return { field: 'repository', message };
  if (!agentRepositories.every(isAllowed)) return { field: 'agentRepositories', message };
  if (schemeOf(forgeUrl) === 'http' && !protocols.includes('http')) {
    return {
      field: 'forgeUrl',
      message: 'must begin with https://: allow http with HEADCOUNT_GIT_PROTOCOLS',
    };
  }
  return undefined;
}

/** The address of a name can change, so names are checked only in the job. */
function objectToNetworks(
  settings: Partial<ProjectSettings>,
  mayReach: MayReach,
): AddressObjection | undefined {
  const isPrivate = (address: string | null | undefined) => {
    const url = URL.parse(address ?? '');
    return url !== null && !mayReachHost(url, mayReach);
  };
  const field = (['repository', 'forgeUrl', 'agentRepositories'] as const).find((name) =>
    [settings[name]].flat().some(isPrivate),
  );
  return (
    field && {
      field,
      message: 'is in a private network: allow it with HEADCOUNT_PRIVATE_NETWORKS',
    }
  );
}

const globSettings = ['excludedPaths', 'goals', 'funnels', 'sections', 'agentPaths'] as const;

type GlobSetting = (typeof globSettings)[number];

/** That are not there already. */
function newGlobs(
  { excludedPaths = [], goals = [], funnels = [], sections = [], agentPaths = [] }: Partial<ProjectSettings>,
  present: Pick<ProjectSettings, GlobSetting>,
): Record<GlobSetting, string[]> {
  const isPath = (goal: string) => goal.startsWith('/');
  const stepsOfAll = (texts: readonly string[]) => texts.flatMap(stepsOf).filter(isPath);
  return {
    excludedPaths: lackingIn(present.excludedPaths, excludedPaths),
    goals: lackingIn(present.goals, goals).filter(isPath),
    funnels: stepsOfAll(lackingIn(present.funnels, funnels)),
    sections: lackingIn(present.sections, sections).map((line) => sectionOf(line).path),
    agentPaths: lackingIn(present.agentPaths, agentPaths).map((glob) => glob.replace(/^!/, '')),
  };
}

/** Before `objectToSettings`, and before they are asked about paths, so that neither holds up hits. */
export async function prepareNewGlobs(
  given: Partial<ProjectSettings>,
  present: Pick<ProjectSettings, GlobSetting>,
): Promise<void> {
  const { excludedPaths, ...others } = newGlobs(given, present);
  await prepareGlobs(Object.values(others).flat());
  await preparePaths(excludedPaths);
}

/** Globs that were accepted before may stay. */
function objectToGlobs(
  settings: Partial<ProjectSettings>,
  present: Pick<ProjectSettings, GlobSetting>,
): Objection<GlobSetting> | undefined {
  const given = newGlobs(settings, present);
  for (const field of globSettings) {
    for (const glob of given[field]) {
      const fault = findGlobFault(glob);
      const shown = JSON.stringify(glob.length > 60 ? `${glob.slice(0, 60)}…` : glob);
      if (fault !== undefined) return { field, message: `has the glob ${shown}, which ${fault}` };
    }
  }
  return undefined;
}

function objectToFormat(
  { commitFormat }: Partial<ProjectSettings>,
  present: Pick<ProjectSettings, 'commitFormat'>,
): Objection<'commitFormat'> | undefined {
  if (!commitFormat || commitFormat === present.commitFormat) return undefined;
  const message = findFormatFault(commitFormat);
  return message === undefined ? undefined : { field: 'commitFormat', message };
}

/** Of an address's bits so many at least, as what is wider is a slip. */
const leastBits = { 4: 8, 6: 16 };

/** Rules that were accepted before may stay. */
function objectToExclusions(
  given: Partial<ProjectSettings>,
  present: ProjectSettings,
  hasNetworks: boolean,
): (SettingObjection | undefined)[] {
  const { excludedAddresses = [], excludedCountries = [], excludedAsNumbers = [] } = given;
  const wide = lackingIn(present.excludedAddresses, excludedAddresses).find(isTooWide);
  const [unknown] = lackingIn(present.excludedCountries, excludedCountries).filter(
    (code) => !isCountry(code),
  );
  const asksForNetworks =
    lackingIn(present.excludedAsNumbers, excludedAsNumbers).length > 0
      ? 'excludedAsNumbers'
      : given.excludesDataCenters && !present.excludesDataCenters && 'excludesDataCenters';
  return [
    wide === undefined
      ? undefined
      : {
          field: 'excludedAddresses',
          message: `has the range ${wide}, which is too wide: at most /${leastBits[4]} of IPv4 and /${leastBits[6]} of IPv6 can be excluded`,
        },
    unknown === undefined
      ? undefined
      : {
          field: 'excludedCountries',
          message: `has ${unknown}, which is no country: give its two letters, such as DE`,
        },
    asksForNetworks && !hasNetworks
      ? {
          field: asksForNetworks,
          message:
            'needs a database of networks, which this server does not have: its operator sets HEADCOUNT_ASN_DATABASE',
        }
      : undefined,
  ];
}

/** Some of IPv6 stand for IPv4 (RFC 4291, section 2.5.5.2). */
function isTooWide(range: string): boolean {
  const [address = '', prefix] = range.split('/');
  if (prefix === undefined) return false;
  const isShort = !parseAddress(address)?.includes(':');
  const bits = Number(prefix) - (isShort && address.includes(':') ? 96 : 0);
  return bits < leastBits[isShort ? 4 : 6] || liesWithin('0.0.0.0/0', [range]);
}

/** Besides codes of several countries, or of none. */
function isCountry(code: string): boolean {
  const isOther = ['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ'].includes(code);
  return !isOther && new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(code) !== undefined;
}

function lackingIn(present: readonly string[], given: readonly string[]): string[] {
  return given.filter((text) => !present.includes(text));
}

const pem =
  /^-----BEGIN [A-Z ]*PRIVATE KEY-----\r?\n[A-Za-z0-9+/=\s]{1,20000}-----END [A-Z ]*PRIVATE KEY-----$/;

/** Without white space around it. */
export function objectToSecret(name: SecretName, text: string): string | undefined {
  const { isFit, wanted } = secretRules[name];
  return isFit(text) ? undefined : wanted;
}

const secretRules: Record<SecretName, { isFit: (text: string) => boolean; wanted: string }> = {
  forgeToken: {
    isFit: (text) => /^[\x21-\x7e]{1,2000}$/.test(text),
    wanted: 'the token and nothing else: one line of visible ASCII characters',
  },
  githubAppKey: {
    isFit: (text) => pem.test(text),
    wanted: 'the private key as GitHub hands it out: a file that begins with "-----BEGIN"',
  },
  repositoryTokens: {
    isFit: (text) => (readRepositoryTokens(text)?.size ?? 0) > 0,
    wanted:
      'one line for each repository: its address such as https://github.com/owner/name, a space, and its token',
  },
  forgeWebhookSecret: {
    isFit: (text) => /^[\x21-\x7e]{16,500}$/.test(text),
    wanted: 'at least 16 visible ASCII characters in one line, as "openssl rand -hex 32" prints them',
  },
  signingKey: {
    isFit: isSigningKey,
    wanted:
      'a private SSH key as "ssh-keygen -t ed25519 -N \'\' -f key" makes it, or a GPG key as "gpg --export-secret-keys --armor" writes it: Ed25519, RSA or ECDSA, without a passphrase',
  },
  webhookUrl: {
    isFit: isWebhookUrl,
    wanted: 'an address that begins with https:// (or http:// inside a private network)',
  },
  webhookSecret: {
    // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md: 24 to 64 bytes.
    isFit: (text) => /^whsec_(?=[A-Za-z0-9+/]{32,86}={0,2}$)(?:[A-Za-z0-9+/]{4})*(?:..==|...=)?$/.test(text),
    wanted: 'whsec_ and 24 to 64 random bytes in base64, as "openssl rand -base64 32" prints them',
  },
};

function isWebhookUrl(text: string): boolean {
  const url = /^[\x21-\x7e]{1,2000}$/.test(text) ? URL.parse(text) : null;
  if (url === null) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isPrivateHost(url.hostname));
}

/**
 * Whether secrets that were given for the old addresses may go on to be used with the new ones. Without an
 * address before, they were given for the one to come.
 */
export function mayKeepSecrets(before: ProjectSettings, after: ProjectSettings): boolean {
  const old = originsOf(before);
  const next = originsOf(after);
  return old.length === 0 || (next.length > 0 && next.every((origin) => old.includes(origin)));
}

function originsOf({ repository, forgeUrl }: ProjectSettings): string[] {
  return [repository, forgeUrl].flatMap((address) => {
    const url = URL.parse(address ?? '');
    // `origin` is the same for all files.
    return url ? [`${url.protocol}//${url.host}`] : [];
  });
}
