import type { ModelReply, Script } from '../support/jobs/model/model-server.ts';
import type { ScriptedRun, Task } from './task.ts';
import { tasks } from './tasks.ts';

interface SaidMessage {
  role: string;
  content: string | { text?: string }[] | null;
}

/** A model that knows the tasks by their prompts: `good` does them well, and `bad-1` as the first of the bad runs. */
export const scriptedModel: Script = ({ body, prompts }): ModelReply => {
  const task = tasks.find(({ prompt }) => prompts.some((text) => text.startsWith(prompt)));
  const run = task && runOf(task, String(body.model));
  if (!run) return { status: 400, body: { error: { message: 'Nothing is scripted for this.' } } };
  const messages = body.messages as SaidMessage[];
  const asked = messages.flatMap((message, index) => (isPrompt(message) ? [index] : []));
  const turn = [run, ...(run.later ?? [])][asked.length - 1];
  if (!turn) return { text: 'Change nothing more\n\nNothing is scripted for this turn.' };
  const hasCalled = messages.slice(asked.at(-1)).some(({ role }) => role === 'tool');
  return hasCalled || turn.calls.length === 0 ? { text: turn.says } : { calls: [...turn.calls] };
};

function runOf({ good, bad }: Task, name: string): ScriptedRun | undefined {
  return name === 'good' ? good : bad[Number(name.replace('bad-', '')) - 1];
}

/** Of what is said to it, people's messages count; Headcount begins its own with a bracket. */
function isPrompt({ role, content }: SaidMessage): boolean {
  const text = typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('');
  return role === 'user' && !text.startsWith('(A note of Headcount');
}
