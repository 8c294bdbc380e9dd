import { type Repository, readRepository } from '../../shared/jobs/repository.ts';

/** By which a token is found again: it is for this repository alone. */
export function tokenKeyOf({ origin, slug }: Pick<Repository, 'origin' | 'slug'>): string {
  return `${origin}/${slug}`;
}

/** Lines of an address and its token, as a project keeps them; undefined where they are none. */
export function readRepositoryTokens(text: string): Map<string, string> | undefined {
  const tokens = new Map<string, string>();
  for (const line of text.split(/\r?\n/).filter((line) => line.trim() !== '')) {
    const [, address = '', token = ''] = /^\s*(\S+)\s+([\x21-\x7e]{1,2000})\s*$/.exec(line) ?? [];
    const repository = readRepository(address);
    if (token === '' || 'fault' in repository) return undefined;
    tokens.set(tokenKeyOf(repository), token);
  }
  return tokens;
}
