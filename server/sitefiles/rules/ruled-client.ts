import type { AiRulesQuery, RuleAction } from '../../../shared/reports/sites.ts';
import { type AiClient, clients, findClient } from '../../identity/catalogue.ts';

/** An AI client, and what is done with its requests. */
export interface RuledClient
  extends Pick<AiClient, 'client' | 'operator' | 'purpose' | 'tokens' | 'refines'> {
  action: RuleAction;
}

/** What is chosen for each client of the catalogue: by itself, or else by its purpose. */
export function chooseActions(query: AiRulesQuery): RuledClient[] {
  const exceptions = new Map(query.clients.map((part) => part.split(':') as [string, RuleAction]));
  return clients.map(({ client, operator, purpose, tokens, refines }) => ({
    client,
    operator,
    purpose,
    tokens,
    ...(refines !== undefined && { refines }),
    action: exceptions.get(client) ?? query[purpose],
  }));
}

/** Names of clients that the catalogue does not have. */
export function unknownClients({ clients }: AiRulesQuery): string[] {
  return clients.map((part) => part.split(':')[0] as string).filter((name) => !findClient(name));
}

/** A pattern of user agents, of which the first that matches holds. */
export interface AgentRule {
  /** A regular expression, to be matched without case, as PCRE, RE2 and JavaScript understand it. */
  pattern: string;
  action: RuleAction;
  /** One client's alone. */
  client?: string;
}

/** As nginx takes no word of more than 4,096 bytes. */
const tokensPerPattern = 50;

/** Patterns for all clients that are not just let in, and before these for what they would take in besides. */
export function agentRules(ruled: readonly RuledClient[]): AgentRule[] {
  const rules = ruled.flatMap(({ client, tokens, action, refines }) =>
    tokens.map((token) => ({ client, token, action, refines, pattern: patternOf([token]) })),
  );
  const limits = rules.filter(({ action }) => action !== 'allow');
  const isSpecial = ({ token, action, refines }: (typeof rules)[number]) =>
    limits.some(
      (limit) =>
        limit.action !== action &&
        (limit.client === refines || new RegExp(limit.pattern, 'i').test(bareOf(token))),
    );
  const special = rules.filter(isSpecial).sort((a, b) => b.token.length - a.token.length);
  const usual = limits.filter((rule) => !special.includes(rule));
  return [
    ...special.map(({ pattern, action, client }) => ({ pattern, action, client })),
    ...(['refuse', 'pay', 'slow'] as const).flatMap((action) => together(usual, action)),
  ];
}

/** Slow ones each by itself, as each has a measure of its own. */
function together(
  rules: readonly { token: string; action: RuleAction; client: string; pattern: string }[],
  action: RuleAction,
): AgentRule[] {
  const own = rules.filter((rule) => rule.action === action);
  if (action === 'slow') return own.map(({ pattern, client }) => ({ pattern, action, client }));
  const parts = Array.from({ length: Math.ceil(own.length / tokensPerPattern) }, (_, i) =>
    own.slice(i * tokensPerPattern, (i + 1) * tokensPerPattern),
  );
  return parts.map((part) => ({ pattern: patternOf(part.map(({ token }) => token)), action }));
}

const bareOf = (token: string) => token.replace(/^\^|\$$/g, '');

/** As the catalogue finds tokens: never inside a word, and tied to the start or the end where they say so. */
function patternOf(tokens: readonly string[]): string {
  const isTied = (token: string) => token !== bareOf(token);
  const isClosed = (token: string) => !/[a-z0-9]$/i.test(token);
  const free = tokens.filter((token) => !isTied(token));
  const before = '(?:^|[^a-z0-9])';
  const after = '(?:[^a-z0-9]|$)';
  const parts = [
    ...tokens
      .filter(isTied)
      .map(
        (token) =>
          `${token.startsWith('^') ? '^' : before}${escaped(bareOf(token))}${token.endsWith('$') ? '$' : isClosed(token) ? '' : after}`,
      ),
    ...group(before, free.filter(isClosed), ''),
    ...group(
      before,
      free.filter((token) => !isClosed(token)),
      after,
    ),
  ];
  return parts.join('|');
}

function group(before: string, tokens: readonly string[], after: string): string[] {
  if (tokens.length === 0) return [];
  const texts = tokens.map(escaped);
  return [`${before}${texts.length === 1 ? texts[0] : `(?:${texts.join('|')})`}${after}`];
}

/** Without backslashes, which each of the languages around it reads in its own way. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, (character) => (character === '^' ? '\\^' : `[${character}]`));
}
