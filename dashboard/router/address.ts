/** What the addresses of this server begin with, as its page says: nothing, or such as `/analytics`. */
const basePath = document.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? '';

/** Address of a page, a report or an image of this server. Paths in the dashboard and its API are without the base. */
export function addressOf(path: string): string {
  return basePath + path;
}

/** The path in the dashboard that an address shows. Beside the proxy the server is reached without the base, too. */
export function pathOf(pathname: string): string {
  if (pathname === basePath) return '/';
  return pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : pathname;
}
