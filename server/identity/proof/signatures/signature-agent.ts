import { type Dictionary, parseDictionary, parseItem } from 'structured-headers';
import { SignatureError } from './signature-error.ts';

/** How the keys are found: a host's directory, a list at its own address, or a document that holds or names one. */
type Discovery = 'directory' | 'jwks_uri' | 'cimd';

/** Who signed, as far as its keys prove. */
export interface Signer {
  /** The host of a directory; for the others the address that was named, without `https://` and query. */
  name: string;
  type: Discovery;
  /** What is to be fetched. */
  url: string;
}

/** The signers that the Signature-Agent field names, by dictionary key; a bare string has the key ''. Undefined: nobody. */
export type SignatureAgents = ReadonlyMap<string, Signer | undefined>;

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
  const agents = new Map<string, Signer | undefined>();
  for (const [key, [value, parameters]] of members) {
    const type = String(parameters.get('type') ?? 'directory');
    const isPlain = parameters.size === (parameters.has('type') ? 1 : 0);
    if (typeof value === 'string' && isPlain && isDiscovery(type)) agents.set(key, signerOf[type](value));
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

const isDiscovery = (type: string): type is Discovery => Object.hasOwn(signerOf, type);

const signerOf: Readonly<Record<Discovery, (value: string) => Signer | undefined>> = {
  directory(value) {
    const name = directoryHost(value);
    return name === undefined ? undefined : { name, type: 'directory', url: `https://${name}${wellKnown}` };
  },
  jwks_uri: (value) => signerAt(value, 'jwks_uri'),
  // It has to name itself just as it was named here, so that only one spelling can be right.
  cimd(value) {
    const signer = signerAt(value, 'cimd');
    return signer?.url === value ? signer : undefined;
  },
};

/**
 * The host whose key directory an agent names. Only the directory at the well-known path speaks for a host: any
 * other path may be a place where its users put files.
 * @returns undefined if it names none
 */
export function directoryHost(agent: string): string | undefined {
  const url = parseHttps(agent.includes('://') ? agent : `https://${agent}`);
  return url && (url.pathname === '/' || url.pathname === wellKnown) ? url.host : undefined;
}

/** What keys at an address of their own sign is its own and never that of its host, where users may put files. */
function signerAt(value: string, type: Discovery): Signer | undefined {
  const url = parseHttps(value);
  if (!url || url.pathname === '/') return undefined;
  url.hash = '';
  // Otherwise one list of keys would be as many signers as there are queries.
  return { name: `${url.host}${url.pathname}`, type, url: url.href };
}

/** An address over https without a name or password in it. */
export function parseHttps(address: string): URL | undefined {
  const url = URL.parse(address);
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url : undefined;
}
