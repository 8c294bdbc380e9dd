import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { Child } from '../child.ts';

export interface PaceTask {
  port: number;
  projectId: string;
  /** Requests per second. */
  rate: number;
  /** It stops then, or earlier with SIGTERM. */
  seconds: number;
  /** Requests at the beginning that are sent and not measured. */
  warmUpSeconds: number;
  seed: number;
}

export interface Pace {
  answers: number;
  /** Milliseconds from the moment at which a request was due to its answer. */
  p50: number;
  p99: number;
  max: number;
}

/** Starts to send hits at a constant rate. */
export function startPacer({ signal }: Bench, task: PaceTask): Child {
  return new Child(process.execPath, [join(import.meta.dirname, 'pace.ts'), JSON.stringify(task)], {
    signal,
  });
}

/** What it reports when it has ended. */
export async function paceOf(pacer: Child): Promise<Pace> {
  return JSON.parse((await pacer.ended()).trim().split('\n').at(-1) ?? '') as Pace;
}
