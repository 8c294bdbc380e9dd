import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import {
  describeCommit,
  describePullRequest,
  type FinishedTurn,
} from '../../../server/jobs/text/description.ts';
import { createRedactor } from '../../../server/jobs/text/redaction.ts';

const secret = 'ghs_9aZ+/Secret=Token&42';
const sanitising = { redact: createRedactor([secret]) };

const finished: FinishedTurn = {
  summary: 'Explain how to rotate keys\n\nThe page says **how often**.\n\n- checked `links`',
  files: [
    { path: 'docs/keys.md', change: 'edited' },
    { path: 'docs/old.md', change: 'deleted' },
  ],
  prompt: 'Please explain key rotation.\n\nAI clients ask for it.',
  agent: 'anthropic/claude-scripted',
  jobId: 'job_123',
  turn: 2,
  sanitising,
};

describe('a commit message', () => {
  test('has title, summary and trailers that git understands', () => {
    const message = describeCommit({
      ...finished,
      summary: `${finished.summary}\n\n${'long words '.repeat(30)}`,
    });
    expect(message.split('\n')[0]).toBe('Explain how to rotate keys');
    expect(Math.max(...message.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(72);
    const trailers = execFileSync('git', ['interpret-trailers', '--parse'], {
      input: message,
      encoding: 'utf8',
    });
    expect(trailers).toBe('Headcount-Job: job_123\nHeadcount-Turn: 2\n');
  });

  test('lets nobody else sign, and no other job be named', () => {
    const summary = 'Title\n\nText\n\nCo-authored-by: Eve <eve@example.com>\nHeadcount-Job: job_666';
    const message = describeCommit({ ...finished, summary });
    const trailers = execFileSync('git', ['interpret-trailers', '--parse'], {
      input: message,
      encoding: 'utf8',
    });
    expect(trailers).toBe('Headcount-Job: job_123\nHeadcount-Turn: 2\n');
    expect(message).not.toMatch(/^Co-authored-by:/m);
    expect(message.match(/^Headcount-Job:/gm)).toHaveLength(1);
  });

  test('is as it was written, but for what a code host acts on', () => {
    const plain = `Describe <Note> and @acme/sdk

See https://medium.com/@ada/fix#12-here, write to docs@example.com, and use it so:

\`\`\`js
import { Note } from "@acme/sdk"; // &lt; ![x](y.png)
\`\`\`

The page is /docs/keys, and the image icon@2x.png.
Reported by a reader: it was cut off.`;
    const message = describeCommit({ ...finished, summary: plain });
    expect(message.replace(/\s+/g, ' ')).toContain(plain.replace(/\s+/g, ' '));
    expect(message.split('\n')[0]).toBe('Describe <Note> and @acme/sdk');
  });

  test.each([
    ['a mention', 'Thanks @ada', 'Thanks @\u2060ada'],
    ['a team of the owner', 'Ask @Org/docs', 'Ask @\u2060Org/docs'],
    ['an issue that it closes', 'Fixes #12', 'F\u2060ixes #\u206012'],
    [
      'the address of such an issue',
      'Closes https://x.test/a/b/issues/9',
      'C\u2060loses https://x.test/a/b/issues/9',
    ],
    ['a word that stops builds', 'Done [skip ci]', 'Done [\u2060skip ci]'],
    ['a command', 'x\n\n/merge', '/\u2060merge'],
    ['a trailer', 'x\n\nReviewed-by: Eve <e@x.test>', 'Reviewed-by\u2060: Eve <e@x.test>'],
  ])('does not do what %s would', (_what, summary, written) => {
    const message = describeCommit({ ...finished, summary, sanitising: { ...sanitising, owner: 'org' } });
    expect(message).toContain(written);
  });

  test.each<[summary: string, title: string]>([
    ['## **Fix the title**\n\nBody', 'Fix the title'],
    [`Explain ${'very '.repeat(30)}much`, `Explain ${'very '.repeat(11)}very…`],
    ['x'.repeat(200), `${'x'.repeat(69)}…`],
    ['', 'Change 2 files'],
    ['```\n\nAfter a fence', 'After a fence'],
  ])('titles %j as %j', (summary, title) => {
    expect(describeCommit({ ...finished, summary }).split('\n')[0]).toBe(title);
    expect(describePullRequest({ ...finished, summary }).title).toBe(title);
  });

  test('keeps the whole sentence where the title had to be cut', () => {
    const sentence = `Explain ${'very '.repeat(30)}much`;
    expect(describePullRequest({ ...finished, summary: sentence }).body).toContain(sentence);
  });

  test('names the one file, or says that none changed, where there is no summary', () => {
    const files = [{ path: 'docs/a.md', change: 'added' as const }];
    expect(describeCommit({ ...finished, summary: '', files })).toBe(
      'Change docs/a.md\n\nHeadcount-Job: job_123\nHeadcount-Turn: 2\n',
    );
    expect(describePullRequest({ ...finished, summary: ' \n', files: [] }).title).toBe('Change nothing');
  });
});

describe('a pull request', () => {
  test('tells summary, files and request', () => {
    expect(describePullRequest(finished)).toEqual({
      title: 'Explain how to rotate keys',
      body: [
        'The page says **how often**.\n\n- checked `links`',
        '### Files\n\n- `docs/keys.md` edited\n- `docs/old.md` deleted',
        '### Request\n\n> Please explain key rotation.\n> \n> AI clients ask for it.',
        '---\nMade by a Headcount agent (`anthropic/claude-scripted`) in job `job_123`. Read it before you merge it.',
      ].join('\n\n'),
    });
  });

  test('shows no part of a secret at the place where a text is cut', () => {
    for (const length of [3_990, 7_990, 2_990]) {
      const text = `${'x'.repeat(length)} ${secret}`;
      const { body } = describePullRequest({ ...finished, summary: `Title\n\n${text}`, prompt: text });
      expect(body + describeCommit({ ...finished, summary: `Title\n\n${text}` })).not.toContain(
        secret.slice(0, 4),
      );
    }
  });

  test('stays below what forges take', () => {
    const files = Array.from({ length: 5_000 }, (_, index) => ({
      path: `docs/${'x'.repeat(200)}${index}.md`,
      change: 'added' as const,
    }));
    const { body } = describePullRequest({
      ...finished,
      files,
      summary: 'word '.repeat(50_000),
      prompt: 'word '.repeat(6_400),
    });
    expect(body.length).toBeLessThan(60_000);
    expect(body).toContain('- and 4900 more');
  });
});
