import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const home = join(import.meta.dirname, '..');

/** Words that a stranger would have to look up, and what the field says instead. */
const words: Readonly<Record<string, string>> = {
  'whoever|whomever': 'anyone who; the user; the client',
  'tell|tells|told|telling': 'report, notify, return, show, distinguish',
  beforehand: 'before',
  'couriers?': 'delivery worker',
  'errands?': 'auth flow',
  'chores?': 'periodic task',
  housekeeping: 'maintenance',
  workshop: 'git worker',
  residue: 'leftovers',
  takers: 'sources of names',
  Complaint: 'ThrottledLogger',
  'keepUp|KeptUp': 'subscribe',
  'HitJudge|JudgedHit': 'classifier, ClassifiedHit',
  HitFate: 'outcome',
  isSecondTelling: 'isDuplicate',
  ToldOnce: 'deduplication',
  'tally|tallies|tallied': 'counter',
  'sightings?': 'visitor key',
};

/** Names of tables and columns of released databases, and fields of JSON that is stored: not in comments, no declarations. */
const storedNames =
  /(?<!^\s*(?:\/?\*|\/\/).*|\b(?:const|let|function|type|interface) )\b(?:tally|tallies|sightings)\b/;

/** Where such a word is right: what it matches, by the file or folder. */
const exceptions: Readonly<Record<string, readonly RegExp[]>> = {
  'server/store/': [storedNames],
  'server/database/tables/counts.ts': [storedNames],
  // Demo and bench fill databases.
  'demo/worklist.ts': [storedNames],
  'bench/ingest/seed-day.ts': [storedNames],
  // Records of archives.
  'shared/project/project-archive.ts': [/\btally:|'tally'/],
  // The name of a released table, which databases of 0.1.0 have.
  'server/database/tables/outbox.ts': [/table\('told'|const told/],
  'server/store/outbox.ts': [/\b(?:from|into) told\b/],
  // Comments that 0.1.0 has posted, what people write in prompts, and a type of Conventional Commits.
  'server/jobs/text/answers.ts': [/Sent\|Told|"Told"/],
  'server/jobs/text/claims.ts': [/tells\?/],
  'server/pattern/title-format.ts': [/\bchore\b/],
  // What it is encrypted for is part of what is stored.
  'server/projects/secrets.ts': [/'headcount errand to a provider'/],
};

const files = globSync(
  [
    '{server,shared,dashboard,tracker,connect,client,site,binary,bench,demo,deploy}/**/*.{ts,tsx,js,md,css,html,yaml,json}',
    '{README,CONTRIBUTING,SECURITY}.md',
    'docs/*.md',
  ],
  // Catalogues name what others wrote.
  { cwd: home, exclude: ['**/catalogue*.json', 'dashboard/texts/{de,ar}.json', 'client/operations.d.cts'] },
);

test('code, texts and documents use the words of the field', () => {
  const pattern = new RegExp(`\\b(?:${Object.keys(words).join('|')})\\b`, 'gi');
  const replacement = (word: string) =>
    Object.entries(words).find(([each]) => new RegExp(`^(?:${each})$`, 'i').test(word))?.[1];
  const found = files.flatMap((file) => {
    const rights = Object.entries(exceptions).flatMap(([where, each]) =>
      file.startsWith(where) ? each : [],
    );
    return readFileSync(join(home, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => {
        const checked = rights.reduce((rest, right) => rest.replace(new RegExp(right, 'g'), ''), line);
        // Once more by the words that names in camel case are made of.
        const [word] = `${checked}\n${checked.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')}`.match(pattern) ?? [];
        return word ? [`${file}:${index + 1}: "${word}": say ${replacement(word)}`] : [];
      });
  });
  expect(files.length).toBeGreaterThan(900);
  expect(found).toEqual([]);
});

test('every exception is needed', () => {
  const needed = ([where, rights]: [string, readonly RegExp[]]) =>
    rights.every((right) =>
      files.some((file) => file.startsWith(where) && right.test(readFileSync(join(home, file), 'utf8'))),
    );
  expect(Object.entries(exceptions).filter((entry) => !needed(entry))).toEqual([]);
});
