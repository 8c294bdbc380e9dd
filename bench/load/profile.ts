import type { FloodResult } from './flood.ts';

/** One line: requests per second, and where their CPU time went, which a busy neighbour disturbs less. */
export function profile({ rate, busy, cpu }: FloodResult): string {
  const { main, writer, reader, v8, other } = cpu;
  const parts = Object.entries({ main, writer, reader, v8, other })
    .filter(([, time]) => time >= 0.05)
    .map(([name, time]) => `${name} ${time.toFixed(1)}`);
  return `${Math.round(rate)}/s, main thread ${Math.round(busy * 100)} % busy; CPU per answer in µs: ${parts.join(', ')}`;
}
