import { type Dictionary, parseDictionary, parseItem } from 'structured-headers';
import { SignatureError } from './signature-error.ts';

/** Whose keys the Signature-Agent field names, by dictionary key; a bare string has the key ''. Undefined: nobody's. */
export type SignatureAgents = ReadonlyMap<string, string | undefined>;

const maxLength = 2_048;
const wellKnown = '/.well-known/http-message-signatures-directory';

/**
 * Reads both forms of Signature-Agent: `"https://signer.example"` of the early drafts and
 * `sig1="https://signer.example"` of draft-ietf-webbotauth-httpsig-protocol.
 * @throws SignatureError
 */
export function parseSignatureAgent(field: string): SignatureAgents {
  if (field.length > maxLength) throw new SignatureError('Its Signature-Agent is too long.');
  const members = readMembers(field);
  const agents = new Map<string, string | undefined>();
  for (const [key, [value, parameters]] of members) {
    const type = String(parameters.get('type') ?? 'directory');
    if (
      typeof value !== 'string' ||
      parameters.size > 1 ||
      (parameters.size === 1 && !parameters.has('type'))
    )
      continue;
    if (type === 'directory') agents.set(key, directoryHost(value));
    else if (type === 'jwks_uri' && keySet(value) !== undefined) agents.set(key, keySet(value));
  }
  return agents;
}

function readMembers(field: string): Dictionary {
  try {
    return field.trimStart().startsWith('"') ? new Map([['', parseItem(field)]]) : parseDictionary(field);
  } catch (cause) {
    throw new SignatureError('Its Signature-Agent cannot be read.', { cause });
  }
}

/**
 * The host whose key directory an agent names. Only the directory at the well-known path speaks for a host: any
 * other path may be a place where its users put files.
 * @returns undefined if it names none
 */
export function directoryHost(agent: string): string | undefined {
  const url = URL.parse(agent.includes('://') ? agent : `https://${agent}`);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined;
  return url.pathname === '/' || url.pathname === wellKnown ? url.host : undefined;
}

/**
 * The address of a set of keys, without `https://`: what it signs is its own and never that of its host, where users may
 * put files.
 */
function keySet(agent: string): string | undefined {
  const url = URL.parse(agent);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.pathname === '/')
    return undefined;
  return `${url.host}${url.pathname}${url.search}`;
}

/** Where the keys are of a host, or of a set of its own. */
export const keysUrl = (signer: string): string =>
  `https://${signer}${signer.includes('/') ? '' : wellKnown}`;
