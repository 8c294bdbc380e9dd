import type { ModelReply, Script } from '../support/jobs/model-server.ts';
import type { ScriptedRun, Task } from './task.ts';
import { tasks } from './tasks.ts';

/** A model that knows the tasks by their prompts: `good` does them well, and `bad-1` as the first of the bad runs. */
export const scriptedModel: Script = ({ body, prompts }): ModelReply => {
  const task = tasks.find(({ prompt }) => prompts.some((text) => text.startsWith(prompt)));
  const run = task && runOf(task, String(body.model));
  if (!run) return { status: 400, body: { error: { message: 'Nothing is scripted for this.' } } };
  const messages = body.messages as { role: string; tool_calls?: unknown[] }[];
  const hasCalled = messages.some(({ tool_calls: calls = [] }) => calls.length > 0);
  return hasCalled || run.calls.length === 0 ? { text: run.says } : { calls: [...run.calls] };
};

function runOf({ good, bad }: Task, name: string): ScriptedRun | undefined {
  return name === 'good' ? good : bad[Number(name.replace('bad-', '')) - 1];
}
