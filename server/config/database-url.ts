/** A PostgreSQL, at one of several places. */
export interface DatabaseAddress {
  /** In the order in which they are tried. They hold the password: to be shown nowhere. */
  urls: string[];
  /** For people: where it is, and which one. */
  name: string;
  /** As it is, and as it stands in the address; none where there is none. */
  passwords: string[];
}

const form = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^/?#@]*)(\/[^?#]*)?(\?[^#]*)?$/;

/** `postgres://user:password@host:port,host:port/database?…`. Undefined: it is none. */
export function parseDatabaseUrl(text: string): DatabaseAddress | undefined {
  const [found, scheme, user, hosts = '', path = '', options = ''] = form.exec(text) ?? [];
  if (found === undefined) return undefined;
  const before = user === undefined ? scheme : `${scheme}${user}@`;
  const urls = hosts.split(',').map((host) => `${before}${host}${path}${withMeaning(options)}`);
  const parsed = urls.map((url) => URL.parse(url));
  if (parsed.includes(null)) return undefined;
  return { urls, name: `${hosts || 'localhost'}${path}`, passwords: passwordsIn(urls[0] ?? '') };
}

/** The password in an address, as it is, and as it stands there; none where there is none. */
export function passwordsIn(url: string): string[] {
  const written = URL.parse(url)?.password ?? '';
  return written === '' ? [] : [...new Set([decode(written), written])];
}

/** The words of sslmode mean the same as in PostgreSQL's own programs, for which the driver needs other options. */
function withMeaning(options: string): string {
  if (!/[?&]sslmode=/.test(options) || /[?&]uselibpqcompat=/.test(options)) return options;
  return `${options}&uselibpqcompat=true`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
