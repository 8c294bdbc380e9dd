/** Longer than what is looked for, which may come in two pieces. */
const overlap = 64;
const reason = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';

/**
 * Some servers of the chat API name no reason at the end of an answer: their `[DONE]` alone says that it is whole. As the
 * AI SDK does not look at that, the reason is added. In an event no text has such quotes or line ends: JSON escapes them.
 */
export async function* withFinishReason(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let seen = '\n';
  let hasReason = false;
  let isDone = false;
  for await (const piece of pieces) {
    seen = seen.slice(-overlap) + Buffer.from(piece).toString('latin1');
    hasReason ||= /"finish_reason"\s{0,9}:\s{0,9}"/.test(seen);
    isDone ||= /[\r\n]data: ?\[DONE\]/.test(seen);
    yield piece;
  }
  if (isDone && !hasReason) yield Buffer.from(`\n\n${reason}`);
}
