/** Hits of one request at most. */
export const batchHits = 100;
/** Characters; an honest request is never longer, and a batch stays below the 4 MB that the server takes. */
const maxHitLength = 16_000;
/** Of all that waits: some 15,000 hits. */
const maxLength = 8_000_000;

/** Hits that wait, and which of them are on their way. */
export interface Queue {
  /** As JSON, the oldest first. */
  waiting: string[];
  /** Of the first so many; sent as they are, under one key, until the server has them: an answer may be lost. */
  size: number;
  key: string;
  /** Characters of all that waits. */
  length: number;
  /** Hits that were dropped, as too much waited. */
  lost: number;
}

export function createQueue(): Queue {
  return { waiting: [], size: 0, key: '', length: 0, lost: 0 };
}

/**
 * Drops the oldest that are not on their way once too much waits.
 * @returns the hit as it waits; nothing where it is too long
 */
export function enqueue(queue: Queue, hit: object): string | undefined {
  const text = JSON.stringify(hit);
  if (text.length > maxHitLength) return;
  queue.length += text.length;
  queue.waiting.push(text);
  for (; queue.length > maxLength; queue.lost++) {
    queue.length -= `${queue.waiting.splice(queue.size, 1)}`.length;
  }
  return text;
}

/** What is to be sent now; the same, under the same key, until it is taken out. */
export function nextBatch(queue: Queue): { hits: string[]; key: string } {
  if (!queue.size) {
    queue.size = Math.min(batchHits, queue.waiting.length);
    // Not every platform has `crypto`.
    queue.key = `${Math.random()}${Date.now()}`;
  }
  return { hits: queue.waiting.slice(0, queue.size), key: queue.key };
}

/** The server has it. */
export function takeOut(queue: Queue): void {
  queue.length -= queue.waiting.splice(0, queue.size).join('').length;
  queue.size = 0;
}
