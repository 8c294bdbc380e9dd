import { createHash } from 'node:crypto';
import { JobFailure } from '../failure.ts';
import type { ToolCall } from './message.ts';
import type { Completion } from './model/completion.ts';
import type { Folder } from './tools/folder.ts';
import type { Tool, ToolResult } from './tools/tool.ts';

const maxBrokenCompletions = 3;
const maxSameFailures = 3;
const maxSameResults = 5;
const maxFailuresInRow = 12;
/** How often the files may come to hold what they held before. */
const maxSameStates = 4;

/** Notices an agent that gets nowhere, long before it has used up its steps. */
export class StallDetector {
  #brokenCompletions = 0;
  #failuresInRow = 0;
  #changes = 0;
  readonly #seen = new Map<string, number>();
  readonly #states = new Map<string, number>();
  #state = '';

  /** @throws JobFailure `broken_answers` when several in a row were of no use. */
  noteCompletion(completion: Completion, tools: readonly Tool[]): void {
    const usable = completion.calls.some((call) => isRunnable(call, tools));
    this.#brokenCompletions = usable ? 0 : this.#brokenCompletions + 1;
    if (this.#brokenCompletions < maxBrokenCompletions) return;
    const last =
      completion.calls.length > 0
        ? 'no tool call that could be run'
        : completion.finish === 'cut'
          ? 'too long'
          : 'empty';
    throw new JobFailure(
      'broken_answers',
      `The model gave ${maxBrokenCompletions} unusable answers in a row (the last one: ${last}). Use a model that can call tools.`,
    );
  }

  /**
   * @param folder how often the agent has changed something so far, after which the same call is worth another try; and
   * what its files hold then.
   * @returns the end of the run, as `stuck`, where it is time for it.
   */
  noteResult(
    call: ToolCall,
    result: ToolResult,
    folder: Pick<Folder, 'changes' | 'state'>,
  ): JobFailure | undefined {
    if (folder.changes !== this.#changes) {
      this.#changes = folder.changes;
      this.#seen.clear();
      const { state } = folder;
      const isSame = state === this.#state;
      this.#state = state;
      if (!isSame && this.#count(this.#states, state) >= maxSameStates) {
        return stuck(
          `The agent changed files back and forth: they had the same contents ${maxSameStates} times.`,
        );
      }
    }
    this.#failuresInRow = result.ok ? 0 : this.#failuresInRow + 1;
    const key = JSON.stringify([call.name, call.input, result.output]);
    const hash = createHash('sha256').update(key).digest('base64');
    const times = this.#count(this.#seen, hash);
    if (times >= (result.ok ? maxSameResults : maxSameFailures)) {
      const outcome = result.ok ? 'with the same result' : 'and it failed each time';
      return stuck(
        `The agent called "${call.name.slice(0, 50)}" ${times} times in the same way, ${outcome}.`,
      );
    }
    return this.#failuresInRow >= maxFailuresInRow
      ? stuck(`The last ${maxFailuresInRow} tool calls of the agent failed.`)
      : undefined;
  }

  #count(times: Map<string, number>, key: string): number {
    const count = (times.get(key) ?? 0) + 1;
    times.set(key, count);
    return count;
  }
}

export function isRunnable(call: ToolCall, tools: readonly Tool[]): boolean {
  return call.fault === undefined && tools.some(({ name }) => name === call.name);
}

function stuck(what: string): JobFailure {
  return new JobFailure('stuck', `${what} Say in other words what to do, or use a stronger model.`);
}
