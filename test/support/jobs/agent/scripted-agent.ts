import type { JobReply } from '../../../../shared/jobs/job.ts';
import { eventsOf, runJob } from '../job-run.ts';
import type { JobClient } from '../jobs.ts';
import type { Script } from '../model/model-server.ts';
import type { ToolCall } from './tool-calls.ts';

/** What the model does at first, and then each time that it gets findings. */
export type Rounds = readonly (readonly ToolCall[])[];

/** A model whose prompts are its calls, as `runScripted` sends them. */
export const scripted: Script = ({ body, prompts }) => {
  const messages = body.messages as { role: string }[];
  if (messages.at(-1)?.role === 'tool') return { text: 'Change the pages\n\nAs it was asked.' };
  const [prompt = '[]', ...notes] = prompts.slice(prompts.findLastIndex((text) => text.startsWith('[[')));
  const calls = (JSON.parse(prompt) as Rounds)[notes.length] ?? [];
  return calls.length > 0 ? { calls: [...calls] } : { text: 'Change the pages\n\nAs it was asked.' };
};

export interface ScriptedJob {
  job: JobReply;
  /** The findings that the agent got, by round. */
  findings: string[][];
  /** What was left in the end. */
  left: string[];
}

/** Runs a job of the model `scripted`. */
export async function runScripted(jobs: JobClient, ...rounds: Rounds): Promise<ScriptedJob> {
  const job = await runJob(jobs, JSON.stringify(rounds));
  const events = await eventsOf(jobs, job.id);
  const findingsOf = (type: string) =>
    events
      .filter((event) => event.type === type)
      .flatMap(({ data }) => (data.findings ? [data.findings as string[]] : []));
  return { job, findings: findingsOf('check'), left: findingsOf('phase').flat() };
}
