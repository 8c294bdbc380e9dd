import { spawn, spawnSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Finished, runStarted } from '../support/child.ts';
import { runHere } from '../support/commands/command.ts';
import { makeProject, temporaryFolders } from '../support/data-folders.ts';
import { catalogueText } from '../support/identity/signed-catalogue.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { asNobody } from '../support/machine/normal-user.ts';

/** Every file that a command reads: FILE is its name, and PROJECT that of a project. */
const reading = [
  'restore --replace FILE',
  'restore --replace encrypted --passphrase-file FILE',
  'restore --replace encrypted-to-key --identity-file FILE',
  'backup - --passphrase-file FILE',
  'backup - --recipients-file FILE',
  'project import FILE',
  'import FILE --project PROJECT',
  'import-stats FILE --project PROJECT',
  'import-search FILE --project PROJECT',
  'catalogue load FILE',
  'catalogue sign FILE --key own.key --out signed',
  'catalogue sign catalogue.json --key FILE --out signed',
  'move --to postgres --url-file FILE',
  'job start PROJECT --prompt x --image FILE',
  'paths rename PROJECT --redirects FILE',
];

/** Every file that a command writes. */
const writing = [
  'backup FILE',
  'backup --overwrite FILE',
  'export --project PROJECT FILE',
  'export --overwrite --project PROJECT FILE',
  'catalogue key --out FILE',
  'catalogue sign catalogue.json --key own.key --out FILE',
];

const newFolder = temporaryFolders();
let folder: string;
let env: Record<string, string>;
let projectId: string;

beforeAll(async () => {
  folder = await newFolder();
  await chmod(folder, 0o755);
  const dataDir = join(folder, 'data');
  env = { HEADCOUNT_DATA_DIR: dataDir };
  ({ projectId } = await makeProject(dataDir));
  await mkdir(join(folder, 'folder'));
  await writeFile(join(folder, 'file'), '');
  await writeFile(join(folder, 'words'), 'correct horse\n', { mode: 0o600 });
  await writeFile(join(folder, 'catalogue.json'), catalogueText());
  const recipient = await identityToRecipient(await generateIdentity());
  for (const command of [
    'backup encrypted --passphrase-file words',
    `backup encrypted-to-key --recipient ${recipient}`,
    'catalogue key --out own.key',
  ])
    expect(await runHere(wordsOf(command), env)).toMatchObject({ code: 0 });
});

const named = ['encrypted', 'encrypted-to-key', 'own.key', 'catalogue.json', 'words', 'signed'];

function wordsOf(command: string, file = ''): string[] {
  return command.split(' ').map((word) => {
    if (word === 'PROJECT') return projectId;
    if (word === 'FILE') return join(folder, file);
    return named.includes(word) ? join(folder, word) : word;
  });
}

/** The sentence says what to do, and has neither names of errors nor lines of code. */
function expectSentence(
  { code, stderr }: Finished,
  expected: number,
  sentence: RegExp,
  command: string,
): void {
  const lines = stderr.trimEnd().split('\n');
  expect([code, lines.at(-1)], command).toEqual([expected, expect.stringMatching(sentence)]);
  expect(stderr, command).not.toMatch(/\bE[A-Z]{3,}\b|defect| at .*:\d+/);
}

test('the lists above have every file that the help of a command names', async () => {
  const all = [...reading, ...writing];
  const { stdout } = await runHere(['--help']);
  const commands = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => String(name));
  expect(commands.length).toBeGreaterThan(20);
  for (const command of commands) {
    const { stdout: help } = await runHere([command, '--help']);
    for (const [, option = ''] of help.matchAll(/(--[a-z-]+) <(?:file|f)>/g))
      expect(all).toContainEqual(expect.stringContaining(`${option} FILE`));
    for (const [, words = ''] of help.matchAll(
      /headcount ([a-z ]+?) (?:--project <project> \[options\] )?<files?(?: or -)?>/g,
    ))
      expect(all).toContainEqual(expect.stringMatching(`^${words} .*FILE`));
  }
});

describe.each(reading)('"headcount %s" says in a sentence what is wrong', (command) => {
  test.each([
    [
      'nosuch',
      /nosuch.* there is no such file\. Look at its name\.|^There is no file .*nosuch\. Nothing was counted\.$/,
    ],
    [
      'file/x',
      /file\/x.* there is no such file\. Look at its name\.|^There is no file .*file\/x\. Nothing was counted\.$/,
    ],
    ['folder', /folder cannot be read: (it is a folder\. Name a file in it|there is no CSV file in it)\./],
  ])('with %s', async (file, sentence) => {
    expectSentence(await runHere(wordsOf(command, file), env), 1, sentence, command);
  });

  test('with an empty file', async () => {
    const { code, stderr } = await runHere(wordsOf(command, 'file'), env);
    // A log or a table may be empty.
    expect(code).toBeLessThan(3);
    expect(stderr).not.toMatch(/\bE[A-Z]{3,}\b|defect| at .*:\d+/);
  });

  test('with a pipe, which is read where once is enough', async () => {
    const pipe = join(folder, 'pipe');
    spawnSync('mkfifo', [pipe]);
    // Of another process, as some commands do nothing else while they read.
    const writer = spawn('sh', ['-c', 'echo hello >"$1"', 'sh', pipe]);
    const { stderr } = await runHere(wordsOf(command, 'pipe'), env);
    writer.kill();
    expect(stderr).not.toMatch(/\bE[A-Z]{3,}\b|defect| at .*:\d+/);
  });
});

describe.each(writing)('"headcount %s" says in a sentence what is wrong', (command) => {
  test.each([
    [
      'nosuch/x',
      /nosuch\/x cannot be written: there is no folder .*nosuch\. Make it, or name a file elsewhere\.$/,
    ],
    ['file/x', /file\/x cannot be written: .*file is not a folder\. Name a file elsewhere\.$/],
    [
      'folder',
      /folder cannot be written: (it is a folder\. Name a file in it|it is there already\. Name a new one)\.$/,
    ],
  ])('with %s', async (file, sentence) => {
    expectSentence(await runHere(wordsOf(command, file), env), 1, sentence, command);
  });
});

/** All in one process of a user without special rights. */
async function runAsNobody(commands: string[][]): Promise<Finished[]> {
  const support = join(import.meta.dirname, '..', 'support', 'commands', 'command.ts');
  const script = `
    const { runHere } = await import(${JSON.stringify(support)});
    const finished = [];
    for (const words of ${JSON.stringify(commands)}) finished.push(await runHere(words, ${JSON.stringify(env)}));
    console.log(JSON.stringify(finished));
  `;
  const program = join(folder, 'run.mjs');
  await writeFile(program, script);
  const [file = '', ...words] = [...asNobody, process.execPath, program];
  const { stdout, stderr } = await runStarted(spawn(file, words, { stdio: 'pipe' }));
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

test('what this user has no right to is said in a sentence, with exit code 2, by every command', async (context) => {
  if (process.getuid?.() !== 0) leaveOut(context, 'only root can become another user');
  await mkdir(join(folder, 'closed'), { mode: 0o700 });
  await writeFile(join(folder, 'closed', 'x'), '');
  await writeFile(join(folder, 'secret'), '', { mode: 0o600 });
  spawnSync('chown', ['-R', '65534:65534', join(folder, 'data'), ...named.map((name) => join(folder, name))]);
  // A log that is not there yet may be followed.
  const following = 'import --follow FILE --project PROJECT';
  const all = [
    ...[...reading, following].flatMap(
      (command) =>
        [
          [
            command,
            'secret',
            /secret.* this user may not read it\. Give the command as its owner, or let others read it\./,
          ],
          [
            command,
            'closed/x',
            /closed\/x.* this user may not read it\. Give the command as its owner, or let others read it\./,
          ],
        ] as const,
    ),
    ...writing.map(
      (command) =>
        [
          command,
          'closed/x',
          /closed\/x cannot be written: this user may not write in .*closed\. Name a file elsewhere\.$/,
        ] as const,
    ),
  ];
  const finished = await runAsNobody(all.map(([command, file]) => wordsOf(command, file)));
  for (const [i, [command, , sentence]] of all.entries())
    expectSentence(finished[i] as Finished, 2, sentence, command);
});
