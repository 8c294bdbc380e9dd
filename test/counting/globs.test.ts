import fc from 'fast-check';
import picomatch from 'picomatch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pathMatcher } from '../../server/counting/page/path-pattern.ts';
import { compilePattern } from '../../server/jobs/forge/code-owners.ts';
import { createPathRules } from '../../server/jobs/git/path-rules.ts';
import { LinearRegExp } from '../../server/pattern/linear-regexp.ts';
import { runHeadcount } from '../support/child.ts';
import { naturalGlobs, slowGlobs } from '../support/globs.ts';
import { errorOf, type Headcount, startHeadcount } from '../support/headcount.ts';
import { longestTurn, maxTurnMs } from '../support/machine/longest-turn.ts';

const expressionOf = (glob: string) => picomatch.makeRe(glob, { dot: true });

const pieces = [
  ...['a', 'b', '/', '.', '..', '-', '*', '**', '?', '/**/', '/*', '{a,b}', '{a,{b,c}}', '{1..3}', '1'],
  ...['[a-c]', '[!a]', '[^b/]', '[0-9]+', '[[:alpha:]]', '+(a|bc)', '*(ab|c)', '!(a)', '!(a*|b)', '@(a|b)'],
  ...['?(a)', '*(a*b)', '+(a+(bc)|d)', '((ab)+c)+', '\\*', '\\d', '\\w', '\\b', '\\x61', 'é', '%2F', '!'],
  ...['{', '}', '(', ')', '[', ']', '|', ',', '$', '^', '"', '+', '\\'],
];
const glob = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 }).map((all) => all.join(''));
const path = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd', '/', '.', '..', '-', 'ab', 'bc', '1', 'é', '\n', '*', 'abc/'), {
    maxLength: 45,
  })
  .map((all) => all.join(''));

test('a glob means what picomatch takes it for', () => {
  let matches = 0;
  fc.assert(
    fc.property(glob, fc.array(path, { minLength: 5, maxLength: 5 }), (glob, paths) => {
      // That one is refused, see below.
      fc.pre(!/\\[1-9]/.test(glob));
      const expression = expressionOf(glob);
      const linear = new LinearRegExp(expression);
      for (const path of paths) {
        if (expression.test(path)) matches++;
        expect([glob, path, linear.test(path)]).toEqual([glob, path, expression.test(path)]);
      }
    }),
    { numRuns: 4_000 },
  );
  expect(matches).toBeGreaterThan(200);
});

test('so does any other pattern', () => {
  const parts = [
    ...[
      'a',
      'b',
      'c',
      '.',
      '[^/]',
      '[a-b]',
      '[^]',
      '[\\d-b]',
      '(?:ab|c)',
      '(?:a|b)*',
      '(?:ab)+',
      '(?!a)',
      '(?=b)',
    ],
    ...['(?:(?:ab)*c)+', '(?:(?:a|bc)+d?)+', '(?:a(?:bc)+|d)*', '(?:a|ab|abc)+', '{2}', '{1,3}', '{1,}', '|'],
    ...['^', '$', '\\b', '\\B', 'a?', 'b*?', '[^/]*?', '(?:', '(?<x>', ')'],
  ];
  const source = fc
    .array(fc.constantFrom(...parts), { minLength: 1, maxLength: 9 })
    .map((all) => all.join(''));
  fc.assert(
    fc.property(source, fc.array(path, { minLength: 5, maxLength: 5 }), (source, paths) => {
      fc.pre(isExpression(source));
      const [expression, linear] = [new RegExp(source), new LinearRegExp(new RegExp(source))];
      for (const path of paths) {
        expect([source, path, linear.test(path)]).toEqual([source, path, expression.test(path)]);
      }
    }),
    { numRuns: 4_000 },
  );
});

function isExpression(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}

test.each(slowGlobs)('100 globs with %s cost a bounded number of steps', async (_, globAt, path) => {
  const patterns = Array.from({ length: 100 }, (_, i) => new LinearRegExp(expressionOf(globAt(i))));
  const ask = () => {
    for (const pattern of patterns) expect(pattern.test(path)).toBe(false);
  };
  ask();
  // Of the first time: what was found out about a path is kept until the next path.
  const steps = patterns.reduce((sum, pattern) => sum + pattern.steps, 0);
  // That it is quick says that all steps are counted.
  expect(steps).toBeGreaterThan(0);
  expect(steps).toBeLessThan(2_000_000);
  await expect.poll(() => longestTurn(ask)).toBeLessThan(maxTurnMs);
});

test.each(naturalGlobs)(
  '%s, as people write it, is matched by the engine itself, or by its first letters',
  (glob) => {
    const pattern = new LinearRegExp(expressionOf(glob));
    expect([pattern.test('/docs/install'), pattern.steps]).toEqual([false, 0]);
  },
);

const dashes = `/blog/${'-'.repeat(1000)}/x`;

test('files that agents may change, and those that CODEOWNERS names, do not backtrack either', async () => {
  const rules = createPathRules(['*a*a*a*a*a*a*a*a*b', '!**/*a*a*a*a*a*a*a*a*c']);
  const ask = () => {
    expect(rules.findRefusal('a'.repeat(1024))).toContain('has not named it');
    expect(compilePattern(`**/${'*a'.repeat(100)}b`)(`docs/${'a'.repeat(1019)}`)).toBe(false);
    expect(pathMatcher(['/blog/*-*-*-*-*-*'])(dashes)).toBe(false);
  };
  await expect.poll(() => longestTurn(ask)).toBeLessThan(maxTurnMs);
});

describe('at the server', () => {
  let headcount: Headcount;
  beforeAll(async () => {
    headcount = await startHeadcount();
  });
  afterAll(() => headcount.stop());

  test('a path made for the globs of its project is counted like any other', async () => {
    const excludedPaths = ['/*a*a*a*a*a*a*a*a*b', '/blog/*-*-*', '/+(a|aa)+(a|aa)b', '/old/**'];
    const project = await headcount.addProject({ excludedPaths, goals: ['/news/*-*-*-*', '/thanks'] });
    const paths = [`/${'a'.repeat(1000)}`, dashes, `/news/${'-'.repeat(600)}/x`, '/old/page'];
    const reply = await project.hits(
      paths.map((path) => ({
        url: `https://example.com${path}`,
        ip: '198.51.100.1',
        userAgent: 'Claude-User (claude-code/2.1.86; +https://support.anthropic.com/)',
      })),
    );
    expect(await reply.json()).toEqual({ accepted: 3, dropped: [{ index: 3, reason: 'excluded_path' }] });
  });

  test('200 globs that take long to compile hold up no hit, neither when they are set nor when they are asked', async () => {
    let round = 0;
    const turn = async () => {
      round++;
      const project = await headcount.addProject();
      const globs = Array.from({ length: 100 }, (_, i) => `/${'*/'.repeat(110)}${round}-${i}`);
      const body = JSON.stringify({ excludedPaths: globs, agentPaths: globs.map((glob) => glob.slice(1)) });
      const headers = { authorization: `Bearer ${project.adminKey}`, 'content-type': 'application/json' };
      const url = `${headcount.url}/v1/projects/${project.projectId}`;
      const statuses: number[] = [];
      const longest = await longestTurn(async () => {
        statuses.push((await fetch(url, { method: 'PATCH', headers, body })).status);
        statuses.push((await project.hit({ u: 'https://example.com/docs' })).status);
      });
      expect(statuses).toEqual([200, 202]);
      return longest;
    };
    await expect.poll(turn).toBeLessThan(maxTurnMs / 3);
  });

  const refused: [glob: string, words: string][] = [
    ['/(a)\\1', 'refers back'],
    ['/(?<=a)b', 'looks behind'],
    ['/+(a*b)', 'repeats too much'],
    ['/+(x+(ab)c)', 'repeats too much'],
    [`/${'+('.repeat(100)}a${')'.repeat(100)}`, 'more than 5 brackets'],
  ];
  test.each(refused)('%s is refused where it is written', async (glob, words) => {
    const { projectId, adminKey } = await headcount.addProject();
    for (const settings of [{ excludedPaths: [glob] }, { goals: [glob] }, { funnels: [`${glob} > Order`] }]) {
      const response = await fetch(`${headcount.url}/v1/projects/${projectId}`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(settings),
      });
      expect(response.status).toBe(400);
      expect(((await errorOf(response)) as { error: string }).error).toContain(words);
    }
    const { code, stderr } = await runHeadcount(
      ['project', 'set', projectId, '--agent-paths', glob.slice(1)],
      { HEADCOUNT_DATA_DIR: headcount.dataDir },
    );
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});
