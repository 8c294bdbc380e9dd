import {
  type InnerList,
  type Item,
  isInnerList,
  parseDictionary,
  serializeInnerList,
  serializeItem,
} from 'structured-headers';
import { SignatureError, UnjudgedError } from './signature-error.ts';
import type { SignedRequest } from './signed-request.ts';

/**
 * The text that was signed (RFC 9421 section 2.5).
 * @throws SignatureError if no request can have this base
 * @throws UnjudgedError if it covers something that the report does not tell
 */
export function signatureBase(request: SignedRequest, covered: InnerList): string {
  const identifiers = covered[0].map(identifierOf);
  if (new Set(identifiers).size < identifiers.length)
    throw new SignatureError('It covers a component twice.');
  const lines = covered[0].map(
    (component, index) => `${identifiers[index]}: ${componentValue(component, request)}`,
  );
  return [...lines, `"@signature-params": ${serializeInnerList(covered)}`].join('\n');
}

function identifierOf(component: Item): string {
  const [name] = component;
  if (typeof name !== 'string' || name !== name.toLowerCase() || name === '') {
    throw new SignatureError('It covers a component without a proper name.');
  }
  return serializeItem(component);
}

function componentValue([name, parameters]: Item, request: SignedRequest): string {
  const field = String(name);
  if (field.startsWith('@')) {
    if (parameters.size > 0)
      throw new UnjudgedError(`It covers ${field} with parameters, which is not checked here.`);
    return derivedValue(field, request);
  }
  const value = Object.hasOwn(request.headers, field) ? request.headers[field] : undefined;
  if (value === undefined) throw new UnjudgedError(`It covers the header ${field}, which was not reported.`);
  // A line break would let a value pass for the next component.
  if (/[\r\n]/.test(value)) throw new SignatureError(`Its header ${field} has a line break in it.`);
  const key = parameters.get('key');
  if (parameters.size === 0) return value.trim();
  if (parameters.size === 1 && typeof key === 'string') return memberValue(field, value, key);
  throw new UnjudgedError(`It covers the header ${field} in a way that is not checked here.`);
}

/** Derived components of RFC 9421 section 2.2, for requests. */
function derivedValue(name: string, { url, method }: SignedRequest): string {
  const target = readTarget(url);
  switch (name) {
    case '@method':
      if (method === undefined) throw new UnjudgedError('It covers the method, which was not reported.');
      return method;
    case '@authority':
      return target.authority;
    case '@scheme':
      return target.scheme;
    case '@target-uri':
      return `${target.scheme}://${target.authority}${target.path}${target.query}`;
    case '@request-target':
      return `${target.path}${target.query}`;
    case '@path':
      return target.path;
    case '@query':
      return target.query === '' ? '?' : target.query;
    default:
      throw new UnjudgedError('It covers a component that is not checked here.');
  }
}

/** Path and query as they were sent: `URL` would spell some of them differently. */
function readTarget(address: string) {
  const url = URL.parse(address);
  const parts = /^https?:\/\/[^/?#]*([^?#]*)(\?[^#]*)?/i.exec(address);
  if (!url || !parts) throw new UnjudgedError('The address of the request was not reported in full.');
  const [, path, query = ''] = parts;
  return { scheme: url.protocol.slice(0, -1), authority: url.host, path: path || '/', query };
}

function memberValue(field: string, value: string, key: string): string {
  let member: InnerList | Item | undefined;
  try {
    member = parseDictionary(value).get(key);
  } catch (cause) {
    throw new SignatureError(`Its header ${field} cannot be read as a dictionary.`, { cause });
  }
  if (!member)
    throw new SignatureError(`It covers "${key}" of the header ${field}, which has no such member.`);
  return isInnerList(member) ? serializeInnerList(member) : serializeItem(member);
}
