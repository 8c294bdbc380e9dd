import { performance } from 'node:perf_hooks';
import { runInNewContext } from 'node:vm';

const everyMs = 15_000;
/** Shares of the time in which the thread was busy. */
const busyShare = 0.2;
const idleShare = 0.05;

/**
 * Gives back what a busy time took, once it is over: V8 collects when something new needs room, and a thread at rest
 * needs none, so that it would keep its largest heap for ever. For each thread by itself.
 *
 * @param onIdle lets go of more than the collector sees
 */
export function giveBackWhenIdle(onIdle: () => void = () => undefined): void {
  let last = performance.eventLoopUtilization();
  // A start is a busy time.
  let wasBusy = true;
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    if (utilization >= busyShare) wasBusy = true;
    if (!wasBusy || utilization > idleShare) return;
    wasBusy = false;
    onIdle();
    collect();
  }, everyMs).unref();
}

/**
 * Where `headcount.js` or the flags of the one file had V8 expose it. The flag is never taken back: it is the same for all
 * threads, and one would take it from the other.
 */
export function collect(): void {
  const gc = globalThis.gc ?? (runInNewContext('globalThis.gc') as NodeJS.GCFunction | undefined);
  gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
