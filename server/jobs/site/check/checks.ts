import type { Worker } from 'node:worker_threads';
import { startThread } from '../../../process/thread.ts';
import type { TreeFiles } from '../tree-files.ts';
import type { Finding } from './finding.ts';
import type { Answer, CheckMessage, CheckTask, Question, Side } from './task.ts';

/** Where the thread's questions are answered: it reads nothing by itself. */
type Sources = Readonly<Record<Side, Pick<TreeFiles, 'readAll' | 'find'>>>;

export interface CheckResult {
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
  const thread = startThread('check.js', new URL('./worker.ts', import.meta.url), task, {
    name: 'check',
    env: compileCache,
    resourceLimits: memory,
  });
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
