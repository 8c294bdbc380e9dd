import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runScript } from '../support/child.ts';
import { temporaryFolders } from '../support/data-folders.ts';

const newFolder = temporaryFolders();
const idleMemory = join(import.meta.dirname, '..', '..', 'server', 'process', 'idle-memory.ts');

test('threads that collect at the same time do not get in each other’s way', async () => {
  const script = join(await newFolder(), 'threads.mjs');
  await writeFile(
    script,
    `import { Worker, isMainThread } from 'node:worker_threads';
     import { setFlagsFromString } from 'node:v8';
     if (isMainThread) {
       setFlagsFromString('--expose-gc');
       for (let i = 0; i < 3; i++) new Worker(new URL(import.meta.url));
     }
     const { collect } = await import(${JSON.stringify(idleMemory)});
     for (let i = 0; i < 25; i++) collect();`,
  );
  expect(await runScript(script)).toEqual({ code: 0, stdout: '', stderr: '' });
});
