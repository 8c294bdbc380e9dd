import { type ProgramCall, type ProgramEnd, ProgramRun } from './program-run.ts';

/** An order to the launcher: to run a program, or to stop one. */
export type Order = { id: number; call: ProgramCall } | { id: number; stop: true };

/** What it answers, once for each program. */
export interface Outcome {
  id: number;
  ended: ProgramEnd;
}

const running = new Map<number, ProgramRun>();

async function run(id: number, call: ProgramCall): Promise<void> {
  const program = new ProgramRun(call);
  running.set(id, program);
  const ended = await program.ended;
  running.delete(id);
  if (process.connected) process.send?.({ id, ended } satisfies Outcome);
  if (!process.connected && running.size === 0) process.exit();
}

process.on('message', (order: Order) => {
  if ('stop' in order) running.get(order.id)?.stop();
  else run(order.id, order.call);
});
// The server is gone, and nobody waits for what its programs say.
process.on('disconnect', () => {
  if (running.size === 0) process.exit();
  for (const program of running.values()) program.stop();
});
// A terminal and systemd signal the server's processes all at once: the server says when this one is done.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
