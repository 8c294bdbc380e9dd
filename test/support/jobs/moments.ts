import { setTimeout as pause } from 'node:timers/promises';
import type { ServerProcess } from '../child.ts';
import { type Outside, obey, until } from './job-run.ts';
import type { Reply } from './model-server.ts';

/** A model that never answers the request of this number. */
export function silentAt(silent: number) {
  return ({ body }: { body: Record<string, unknown> }, index: number): Reply =>
    index === silent ? { hang: true } : obey(body);
}

export interface Moment {
  name: string;
  /** Something outside that stops answering at that moment: a request that waits. */
  fault?: { on: RegExp; hang?: true; hangAfter?: true };
  /** Or the model, at its request of that number. */
  silent?: number;
  /** Requests to the model in all, over both processes. */
  requests: number;
}

export const moments: Moment[] = [
  { name: 'claimed', fault: { on: /upload-pack/, hang: true }, requests: 2 },
  { name: 'pinned, the agent about to begin', silent: 0, requests: 3 },
  { name: 'pinned, the agent at work', silent: 1, requests: 3 },
  { name: 'committed', fault: { on: /receive-pack/, hang: true }, requests: 2 },
  { name: 'pushed without knowing', fault: { on: /^POST .*receive-pack/, hangAfter: true }, requests: 2 },
  { name: 'pushed', fault: { on: /^GET .*\/pulls/, hang: true }, requests: 2 },
  { name: 'opened without knowing', fault: { on: /^POST .*\/pulls/, hangAfter: true }, requests: 2 },
];

/** Waits until a job stands still at that moment. */
export async function untilStuck(
  { fault, silent }: Moment,
  { forge, model }: Pick<Outside, 'forge' | 'model'>,
): Promise<void> {
  const isStuck = fault
    ? async () => forge.git.faults.length === 0
    : async () => model.requests.length === (silent ?? 0) + 1;
  await until(isStuck, Boolean);
  // What hangs after its work has that much time to do it.
  if (fault?.hangAfter) await pause(1_000);
}

export async function kill(server: ServerProcess): Promise<void> {
  server.signal('SIGKILL');
  await server.ended;
}
