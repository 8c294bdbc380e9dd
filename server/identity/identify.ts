import { isbot } from 'isbot';
import { memoize } from '../memo.ts';
import catalogue from './catalogue.json' with { type: 'json' };

export type Identity = { kind: 'human' } | { kind: 'bot' } | { kind: 'ai'; client: string };

// Tokens match without case and never inside a word: "GPTBot" is in "GPTBot/1.4", not in "SGPTBots".
const tokens = new RegExp(
  `(?<![a-z0-9])(?:${catalogue.map(({ token }) => quote(token)).join('|')})(?<=[^a-z0-9]|(?![a-z0-9]))`,
  'i',
);
const clients = new Map(catalogue.map(({ token, client }) => [token.toLowerCase(), client]));

function quote(token: string): string {
  return token.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** Who sends this user agent: the AI clients we know first, as most of them look like ordinary bots too. */
export const identify = memoize((userAgent: string): Identity => {
  const token = tokens.exec(userAgent)?.[0];
  const client = token === undefined ? undefined : clients.get(token.toLowerCase());
  if (client !== undefined) return { kind: 'ai', client };
  return { kind: userAgent === '' || isbot(userAgent) ? 'bot' : 'human' };
}, 20_000);
