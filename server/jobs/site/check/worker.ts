import { parentPort, workerData } from 'node:worker_threads';
import { readLinks } from '../links.ts';
import { readEntries } from '../navigation.ts';
import type { SearchedFiles } from '../site-state.ts';
import { checkChange } from './check-change.ts';
import type { Answer, CheckMessage, CheckTask, Question, ReadTask, Side } from './task.ts';

const port = parentPort;
if (!port) throw new Error('This file runs only as a worker thread.');
const given = workerData as CheckTask | ReadTask;

const waiting = new Map<number, (texts: Answer['texts']) => void>();
let asked = 0;
port.on('message', ({ id, texts }: Answer) => {
  waiting.get(id)?.(texts);
  waiting.delete(id);
});

type WithoutId<Kind> = Kind extends Question ? Omit<Kind, 'id'> : never;

function ask(question: WithoutId<Question>): Promise<Answer['texts']> {
  asked += 1;
  const id = asked;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    port?.postMessage({ ...question, id } satisfies Question);
  });
}

function filesOf(side: Side, task: CheckTask): SearchedFiles {
  const known = new Map<string, Promise<string | undefined>>();
  const paths = new Set(task.paths[side]);
  const bring = (wanted: readonly string[]) => {
    const missing = [...new Set(wanted)].filter((path) => paths.has(path) && !known.has(path));
    if (missing.length === 0) return;
    const texts = ask({ ask: 'read', side, paths: missing });
    for (const [index, path] of missing.entries())
      known.set(
        path,
        texts.then((all) => all[index]),
      );
  };
  return {
    paths: task.paths[side],
    bring,
    read: async (path) => {
      bring([path]);
      return await known.get(path);
    },
    find: async (texts) => {
      const found = await ask({ ask: 'find', side, texts });
      return found.filter((path) => path !== undefined);
    },
  };
}

async function readOne(task: ReadTask): Promise<object[]> {
  switch (task.read) {
    case 'links':
      return readLinks(task.path, task.text);
    case 'navigation':
      return readEntries(task.site, task.path, task.text) ?? [];
    case 'request': {
      // Its parser is seldom needed.
      const { readRequest } = await import('../../text/request.ts');
      return [readRequest(task.text, task.mention)].filter((found) => found !== undefined);
    }
    default:
      return task satisfies never;
  }
}

const report = (message: CheckMessage) => port.postMessage(message);

// What it throws ends the thread, and the one that started it learns of it.
if ('read' in given) {
  void readOne(given).then((found) => port.postMessage(found));
} else {
  const files = { before: filesOf('before', given), after: filesOf('after', given) };
  void checkChange(given, files, (finding) => report({ finding })).then(() => report({ done: true }));
}
