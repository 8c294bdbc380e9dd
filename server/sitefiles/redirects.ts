import type { Rename } from '../../shared/project/renames.ts';

/** Renames among the redirects of a site, and how many are none. */
interface Redirects {
  renames: Rename[];
  left: number;
}

/**
 * Undefined: it is JSON that cannot be read.
 *
 * @param text of `_redirects` (Netlify, Cloudflare), `docs.json` or `mint.json`
 */
export function readRedirects(text: string): Redirects | undefined {
  const found = text.trimStart().startsWith('{') ? readJson(text) : readLines(text);
  if (!found) return undefined;
  const renames = new Map<string, Rename>();
  let left = 0;
  for (const [from, to] of found) {
    const rename = toRename(from, to);
    // Of several for one path the first is followed.
    if (rename && !renames.has(rename.from)) renames.set(rename.from, rename);
    else left++;
  }
  return { renames: [...renames.values()], left };
}

/** Empty: it is no plain redirect. */
type Redirect = [from: string, to: string];

function readLines(text: string): Redirect[] {
  return text.split('\n').flatMap((line): Redirect[] => {
    const [from = '', to = '', status = '301', ...conditions] = line
      .replace(/(^|\s)#.*$/, '')
      .trim()
      .split(/\s+/);
    if (from === '') return [];
    return [/^30[1278]!?$/.test(status) && conditions.length === 0 ? [from, to] : ['', '']];
  });
}

function readJson(text: string): Redirect[] | undefined {
  try {
    const { redirects = [] } = JSON.parse(text) as {
      redirects?: { source?: unknown; destination?: unknown }[];
    };
    return redirects.map((one) => [String(one?.source ?? ''), String(one?.destination ?? '')]);
  } catch {
    return undefined;
  }
}

/** `/old/*` and `/old/:slug*` are all below a path, which follows as `:splat` or by its name. */
function toRename(from: string, to: string): Rename | undefined {
  const [, folder, name] = /^(.*)\/(?:\*|:(\w+)\*)$/.exec(from) ?? [];
  const rest = name === undefined ? ':splat' : `:${name}*`;
  const rename =
    folder === undefined
      ? { from, to }
      : { from: `${folder}/**`, to: to.endsWith(`/${rest}`) ? `${to.slice(0, -rest.length)}**` : to };
  const isPath = (path: string) => /^\/(?!\/)[^:*?#]*$/.test(path.replace(/\/\*\*$/, '/'));
  return isPath(rename.from) && isPath(rename.to) && rename.from !== rename.to ? rename : undefined;
}
