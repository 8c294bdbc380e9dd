import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';
import fc from 'fast-check';
import { list } from 'isbot';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { clients } from '../../server/identity/catalogue.ts';
import { identify } from '../../server/identity/identify.ts';
import type { Evidence } from '../../server/identity/identity.ts';
import { doubtfulPatterns } from '../../server/identity/person.ts';
import { anyCharacter } from '../support/any-character.ts';
import { knownCrawlers, peoplesUserAgents, seenUserAgents } from '../support/identity/user-agents.ts';

const maxBytes = 8192;
const maxMs = 1;

const headers = {
  accept: 'text/html, text/markdown;q=0',
  'signature-agent': 'g="https://example.com"',
  'sec-ch-ua': '"Chromium";v="143"',
  'sec-ch-ua-platform': '"Windows"',
  'x-browser-agent': 'none',
};

const userAgents = [
  ...peoplesUserAgents(),
  ...Object.values(seenUserAgents).flat(),
  ...knownCrawlers().flatMap(({ instances }) => instances),
];

function reports(userAgent: string): Evidence[] {
  const accepts = ['text/markdown', 'text/html, text/markdown;q=0', '*/*'];
  return accepts.map((accept) => ({
    via: 'report',
    userAgent,
    secure: true,
    headers: { ...headers, accept },
    findings: { signature: { state: 'valid', host: 'example.com' } },
  }));
}

/** Every regular expression that runs while we judge, whoever wrote it. */
function watchPatterns(work: () => void): RegExp[] {
  const seen = new Map<string, RegExp>();
  const exec = vi.spyOn(RegExp.prototype, 'exec');
  work();
  for (const pattern of exec.mock.contexts as RegExp[]) seen.set(String(pattern), pattern);
  exec.mockRestore();
  return [...seen.values()];
}

/** isbot's patterns are its own; how long they take is measured below with everything else. */
function isOurs({ source }: RegExp): boolean {
  const theirs = [list, list.filter((pattern) => !doubtfulPatterns.includes(pattern))];
  return theirs.every((patterns) => source !== new RegExp(patterns.join('|')).source);
}

function describeQuantifier(node: AST.Quantifier): string[] {
  const problems = node.max === Number.POSITIVE_INFINITY ? [`${node.raw} has no upper bound`] : [];
  for (let outer = node.parent as AST.Node | null; outer; outer = outer.parent) {
    if (outer.type === 'Quantifier' && outer.max > 1 && node.max > 1) problems.push(`${outer.raw} is nested`);
  }
  return problems;
}

/**
 * Without an unbounded or a nested quantifier and without a reference back, what a pattern can do from one
 * place in a text is bounded by a constant, and so a search is linear in the text.
 */
function findNonLinear({ source, flags }: RegExp): string[] {
  const problems: string[] = [];
  visitRegExpAST(new RegExpParser().parseLiteral(`/${source}/${flags}`), {
    onQuantifierEnter: (node) => problems.push(...describeQuantifier(node)),
    onBackreferenceEnter: (node) => problems.push(`${node.raw} refers back`),
  });
  return problems.map((problem) => `/${source.slice(0, 60)}/: ${problem}`);
}

/** Whether it can be done in time; again and again, as other programs take their share of the machine too. */
function isQuick(evidence: Evidence): boolean {
  for (let round = 0; round < 1_000; round++) {
    const startedAt = performance.now();
    identify(evidence);
    if (performance.now() - startedAt < maxMs) return true;
  }
  return false;
}

function fill(text: string): string {
  return text.repeat(Math.ceil(maxBytes / text.length)).slice(0, maxBytes);
}

describe('every text is judged in linear time', () => {
  test('by patterns that cannot do otherwise', () => {
    const patterns = watchPatterns(() => {
      for (const evidence of userAgents.flatMap(reports)) identify({ ...evidence, findings: undefined });
      for (const userAgent of userAgents.slice(0, 50))
        for (const evidence of reports(userAgent)) identify(evidence);
    }).filter(isOurs);
    expect(patterns.length).toBeGreaterThan(25);
    expect(patterns.flatMap(findNonLinear)).toEqual([]);
  });

  test('the check finds what it looks for', () => {
    expect(findNonLinear(/a+b/)).toHaveLength(1);
    expect(findNonLinear(/(?:a{1,3}){2,9}/)).toHaveLength(1);
    expect(findNonLinear(/(a)\1/)).toHaveLength(1);
    expect(findNonLinear(/^(?:a|b{1,9})?c/)).toHaveLength(0);
  });

  const pieces = [
    ...clients.flatMap(({ tokens }) => tokens.map((token) => token.slice(0, -1))),
    ...'Mozilla/5.0 (|(Linux; Android 9; |Android 1|Build/|; wv|Safari/1|Chrome/1|Mozilla/5.0 (Linux; U; Android 9; a'.split(
      '|',
    ),
    ...'a|1|.|/|;|; |(|)|@a|1.|a/1.0|a-|_|bot|x.|https://a.|AI| claude/1|\u00e9|\u0130|\ud800'.split('|'),
  ];

  test('below a millisecond for texts made to be slow', () => {
    const slow = pieces.filter((piece) => {
      const text = fill(piece);
      const report = { accept: text, 'signature-agent': text, 'sec-ch-ua': text };
      return !isQuick({ via: 'report', userAgent: text, secure: true, headers: report });
    });
    expect(slow).toEqual([]);
  });
});

describe('any bytes', () => {
  const text = fc.oneof(
    fc.string({ maxLength: maxBytes }),
    fc.string({ unit: anyCharacter, maxLength: maxBytes }),
    fc.uint8Array({ maxLength: maxBytes }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    fc
      .array(fc.constantFrom(...clients.flatMap(({ tokens }) => tokens), ...userAgents.slice(0, 200)), {
        maxLength: 60,
      })
      .map((parts) => parts.join(' ').slice(0, maxBytes)),
  );
  const evidence: fc.Arbitrary<Evidence> = fc.record({
    via: fc.constantFrom('script', 'pixel', 'report'),
    userAgent: text,
    secure: fc.boolean(),
    headers: fc.oneof(
      fc.dictionary(fc.constantFrom(...Object.keys(headers), 'sec-fetch-mode'), text),
      fc.dictionary(fc.string({ maxLength: 40 }), fc.string({ maxLength: 200 })),
    ),
    page: fc.string({ maxLength: 40 }),
    findings: fc.record(
      {
        ranges: fc.constantFrom('inside', 'outside', 'unknown'),
        dns: fc.constantFrom('confirmed', 'refused', 'unknown'),
        signature: fc.record({ state: fc.constantFrom('valid', 'invalid', 'unknown'), host: text }),
      },
      { requiredKeys: [] },
    ),
  });
  const kinds = new Set<string>();
  afterAll(() => expect(kinds).toEqual(new Set(['human', 'ai', 'bot'])));

  test('are judged below a millisecond, and nothing is thrown', () => {
    fc.assert(
      fc.property(evidence, (sample) => {
        kinds.add(identify(sample).kind);
        expect(isQuick(sample)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test('in a user agent alone too', () => {
    fc.assert(
      fc.property(text, (userAgent) => {
        const sample: Evidence = { via: 'script', userAgent };
        kinds.add(identify(sample).kind);
        expect(isQuick(sample)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
