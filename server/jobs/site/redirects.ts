import { foldRoute, routesOf } from './routes.ts';
import { join, type Site } from './site.ts';

/** Files that may hold redirects, seen from the folder of the site. */
const redirectFiles = [
  ...['docs.json', 'mint.json', 'redirects.json', 'vercel.json', 'netlify.toml', 'mkdocs.yml', 'mkdocs.yaml'],
  ...['_redirects', 'public/_redirects', 'static/_redirects'],
];

/** Which of these files hold redirects. */
export function listRedirectFiles({ folder, navigation }: Site, paths: ReadonlySet<string>): string[] {
  const named = redirectFiles.flatMap((name) => [name, join(folder, name)]);
  const settings = [...paths].filter((path) => /(^|\/)docusaurus\.config\.[cm]?[jt]s$/.test(path));
  return [...new Set([...named, ...navigation, ...settings])].filter((path) => paths.has(path));
}

/** Addresses that a site leads elsewhere. */
export class Redirects {
  readonly #exact = new Set<string>();
  readonly #beginnings: string[] = [];

  /** Reads one file; programs are looked through, never run. */
  add(site: Site, path: string, text: string): void {
    for (const source of readSources(site, path, text)) {
      const wild = /[:*]/.exec(source);
      if (wild) this.#beginnings.push(source.slice(0, wild.index));
      else this.#exact.add(foldRoute(source));
    }
  }

  has(address: string): boolean {
    const route = foldRoute(address);
    return (
      this.#exact.has(route) || this.#beginnings.some((start) => start.length > 1 && route.startsWith(start))
    );
  }
}

function readSources(site: Site, path: string, text: string): string[] {
  if (/\.json$/.test(path)) return readJson(text);
  if (/_redirects$/.test(path)) return matchAll(/^(\/\S{0,1000})[ \t]+\S/gm, text);
  if (/\.ya?ml$/.test(path)) {
    return matchAll(/^[ \t]+["']?([^\s"':#]{1,500}\.md)["']?:[ \t]+\S/gm, text).flatMap((page) =>
      routesOf(site, join(site.root, page)),
    );
  }
  const lists = matchAll(/\bfrom["']?[ \t]*[:=][ \t]*\[([^\]]{0,5000})\]/g, text).flatMap((list) =>
    matchAll(/["'](\/[^"'\n]{0,1000})["']/g, list),
  );
  return [...lists, ...matchAll(/\bfrom["']?[ \t]*[:=][ \t]*["'](\/[^"'\n]{0,1000})["']/g, text)];
}

function matchAll(pattern: RegExp, text: string): string[] {
  return Array.from(text.matchAll(pattern), ([, found = '']) => found);
}

function readJson(text: string): string[] {
  try {
    const whole = JSON.parse(text) as { redirects?: unknown } | unknown[];
    // Mintlify can have them in a file of their own.
    const redirects = Array.isArray(whole) ? whole : whole.redirects;
    return (Array.isArray(redirects) ? redirects : []).flatMap((each: { source?: unknown } | null) =>
      typeof each?.source === 'string' ? [each.source] : [],
    );
  } catch {
    return [];
  }
}
