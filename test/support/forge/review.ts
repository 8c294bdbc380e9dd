import type { ForgeRecord, Pull } from './api.ts';
import { accounts, addressOf } from './comments.ts';

/** Who opened every pull request. */
export const author = 'ada';

/** Asks somebody for a review as a code host does; undefined: it does not, as that is nobody with access, or the author. */
export function askForReview(pull: Pull, login: string): 'asked' | undefined {
  const isTeam = login.startsWith('team/');
  if (!isTeam && (accounts[login] === undefined || login === author)) return undefined;
  if (!pull.reviewers.includes(login)) pull.reviewers.push(login);
  return 'asked';
}

/** Undefined: there is no such commit. */
export async function findWriter(
  { git }: ForgeRecord,
  slug: string,
  hash: string,
): Promise<{ address: string; login: string | undefined } | undefined> {
  const found = await git.git(slug, ['log', '-1', '--format=%ae', hash]).catch(() => undefined);
  const address = found?.trim();
  if (address === undefined) return undefined;
  return { address, login: Object.keys(accounts).find((login) => addressOf(login) === address) };
}
