import { type Message, readAnswer, readSuccesses, type ToolCall } from './message.ts';
import { CannotGoOn } from './result.ts';
import { isChange } from './tools/files.ts';
import { runTool, type Tool } from './tools/tool.ts';

/**
 * Makes the changes of an earlier attempt again, in the files that it began with. The same calls in the same order give
 * the same files.
 *
 * @throws CannotGoOn, JobFailure
 */
export async function replayChanges(
  messages: readonly Message[],
  tools: readonly Tool[],
  signal: AbortSignal,
): Promise<void> {
  for (const call of listChanges(messages)) {
    const { ok, output } = await runTool(tools, call, signal);
    if (!ok) throw new CannotGoOn(output);
  }
}

function listChanges(messages: readonly Message[]): ToolCall[] {
  return messages.flatMap((message, index) => {
    const results = messages[index + 1];
    const succeeded = results ? readSuccesses(results) : new Set();
    const calls = readAnswer(message)?.calls ?? [];
    return calls.filter(({ id, name }) => isChange(name) && succeeded.has(id));
  });
}
