import { type Dictionary, parseDictionary, parseItem } from 'structured-headers';
import { SignatureError } from './signature-error.ts';

/** What the Signature-Agent field says, by dictionary key; a bare string has the key ''. */
export type SignatureAgents = ReadonlyMap<string, string>;

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
  const agents = new Map<string, string>();
  for (const [key, [value, parameters]] of members) {
    // Drafts of 2026 knew other kinds of discovery by a parameter; the last one forbids parameters.
    const type = parameters.get('type') ?? 'directory';
    const known = parameters.size === 0 || (parameters.size === 1 && String(type) === 'directory');
    if (typeof value === 'string' && known) agents.set(key, value);
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

export const directoryUrl = (host: string): string => `https://${host}${wellKnown}`;
