import type { Worker } from 'node:worker_threads';
import { startThread } from '../../../process/thread.ts';
import { type Link, readLinks } from '../links.ts';
import { type Entry, isNavigation, readEntries } from '../navigation.ts';
import type { TreeFiles } from '../tree-files.ts';
import type { Finding } from './finding.ts';
import type { Answer, CheckMessage, CheckTask, Question, ReadFileTask, ReadTask, Side } from './task.ts';

/** Where the thread's questions are answered: it reads nothing by itself. */
type Sources = Readonly<Record<Side, Pick<TreeFiles, 'readAll' | 'find'>>>;

interface CheckResult {
  /** At most `maxFindings`. */
  findings: Finding[];
  /** What kept the checks from looking at everything, as a sentence. */
  unfinished: string | undefined;
}

const maxFindings = 50;
/** A thread that needs more is ended: what it reads comes from anybody who can write to the repository. */
const memory = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/** Of the environment all that the thread is given: without it each would compile its modules anew, a tenth of a second. */
const { NODE_COMPILE_CACHE } = process.env;
const compileCache = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };

/** Checks a change in a thread that ends with it, so that no page can hold up the server or fill its memory. */
export async function runChecks(
  task: CheckTask,
  sources: Sources,
  { timeMs, signal }: { timeMs: number; signal: AbortSignal },
): Promise<CheckResult> {
  signal.throwIfAborted();
  const thread = startCheck(task);
  const findings: Finding[] = [];
  try {
    const unfinished = await new Promise<string | undefined>((resolve, reject) => {
      const tooLong = setTimeout(() => resolve(`they took longer than ${timeMs / 1_000} seconds`), timeMs);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      thread.on('exit', () => clearTimeout(tooLong));
      thread.on('exit', () => resolve('they ended in the middle'));
      thread.on('error', (error: NodeJS.ErrnoException) => resolve(describeEnd(error)));
      thread.on('message', (message: Question | CheckMessage | object) => {
        if ('done' in message) resolve(undefined);
        else if ('finding' in message) findings.push(message.finding);
        else if ('ask' in message) answer(thread, message, sources).catch(reject);
        if (findings.length >= maxFindings) resolve(`they found ${maxFindings} faults`);
      });
    });
    return { findings, unfinished };
  } finally {
    await thread.terminate();
  }
}

function startCheck(task: CheckTask | ReadTask): Worker {
  return startThread('check.js', new URL('./worker.ts', import.meta.url), task, {
    name: 'check',
    env: compileCache,
    resourceLimits: memory,
  });
}

/** Letters that are read in some milliseconds, whatever they are; YAML can take quadratic time. */
const longest = { text: 100_000, yaml: 1_000 };
const readMs = 10_000;

/** The links of a page, long ones read in a thread. None: it cannot be read. */
export async function readLinksOf(path: string, text: string): Promise<Link[]> {
  if (text.length <= longest.text) return readLinks(path, text);
  return await readInThread<Link>({ read: 'links', site: { root: '', base: '' }, path, text });
}

/** What a navigation lists, long ones read in a thread. None: it lists nothing, or cannot be read. */
export async function readEntriesOf(
  { root, base }: ReadFileTask['site'],
  path: string,
  text: string,
): Promise<Entry[]> {
  if (!isNavigation(path, text)) return [];
  const isText = /\.(rst|md)$/.test(path);
  if (text.length <= (isText ? longest.text : longest.yaml))
    return readEntries({ root, base }, path, text) ?? [];
  return await readInThread<Entry>({ read: 'navigation', site: { root, base }, path, text });
}

/** What the thread answers. None: it took too long, or too much memory. */
export async function readInThread<Found>(task: ReadTask): Promise<Found[]> {
  const thread = startCheck(task);
  try {
    return await new Promise<Found[]>((resolve) => {
      const none = () => resolve([]);
      const tooLong = setTimeout(none, readMs);
      thread.on('exit', () => clearTimeout(tooLong));
      for (const end of ['exit', 'error']) thread.on(end, none);
      thread.on('message', resolve);
    });
  } finally {
    await thread.terminate();
  }
}

async function answer(thread: Worker, question: Question, sources: Sources): Promise<void> {
  const files = sources[question.side];
  const texts =
    question.ask === 'read' ? await files.readAll(question.paths) : await files.find(question.texts);
  thread.postMessage({ id: question.id, texts } satisfies Answer);
}

function describeEnd({ code }: NodeJS.ErrnoException): string {
  return code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? 'they needed too much memory'
    : 'something in the change could not be read';
}
