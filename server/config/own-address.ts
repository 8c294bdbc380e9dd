/**
 * The address of a page or file of this server, for people and programs. Nothing else puts addresses together, as they may
 * begin below a path.
 *
 * @param base where browsers reach this server (`HEADCOUNT_BASE_URL`), or the path of that, for an address without a host
 */
export function addressOf(base: string, path: `/${string}`): string {
  return base + path;
}

/** What the paths of this server's addresses begin with: nothing, or such as `/analytics`. */
export function basePathOf({ baseUrl }: { baseUrl: string }): string {
  return new URL(baseUrl).pathname.replace(/\/$/, '');
}

/** The base URL where it asks for any free port (0) and got this one. */
export function withPort(baseUrl: string, port: number | undefined): string {
  return baseUrl.replace(/:0(?=\/|$)/, `:${port}`);
}
