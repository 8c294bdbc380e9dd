/** An event of a stream, as https://html.spec.whatwg.org/multipage/server-sent-events.html has it. */
interface StreamedEvent {
  id: string | undefined;
  type: string | undefined;
  data: Record<string, unknown>;
}

export interface EventReader {
  /** The next event; undefined: the stream has ended. */
  next(): Promise<StreamedEvent | undefined>;
  /** All events until the stream ends. */
  rest(): Promise<StreamedEvent[]>;
  /** Comments so far. */
  comments(): number;
}

/** Reads `text/event-stream` from the body of a response as it comes. */
export function readEvents(response: Response): EventReader {
  let comments = 0;
  const events = parseBlocks(response, () => comments++);
  const next = async () => (await events.next()).value ?? undefined;
  return {
    next,
    rest: async () => {
      const all: StreamedEvent[] = [];
      for (let event = await next(); event; event = await next()) all.push(event);
      return all;
    },
    comments: () => comments,
  };
}

async function* parseBlocks(response: Response, onComment: () => void): AsyncGenerator<StreamedEvent, void> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      if (block.startsWith(':')) onComment();
      else yield parseBlock(block);
    }
  }
  if (text !== '') throw new Error(`The stream ended in the middle of an event: ${text}`);
}

function parseBlock(block: string): StreamedEvent {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
  return { id: fields.get('id'), type: fields.get('event'), data: JSON.parse(fields.get('data') ?? '') };
}
