import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { EventReply, EventsReply } from '../../shared/jobs/job.ts';
import { addressOf } from '../router/address.ts';
import type { ApiClient, RequestError } from './client.ts';
import { useApi } from './resource.ts';

export interface LiveTranscript {
  events: EventReply[];
  failure: RequestError | undefined;
  retry(): void;
}

const eventsPerRead = 1000;
const reconnectMs = 3000;

/**
 * All that has happened in a job, and what happens while it is active. The first part is read as a list; after that the
 * browser itself reconnects a broken stream, from the last event that came.
 *
 * @param onEnd the job is no longer active.
 */
export function useTranscript(
  path: string | undefined,
  isActive: boolean,
  onEnd: () => void,
): LiveTranscript {
  const { api } = useApi();
  const { events, lastNumber, add } = useEvents();
  const [failure, setFailure] = useState<RequestError>();
  const [attempts, setAttempts] = useState(0);
  const retry = useCallback(() => setAttempts((before) => before + 1), []);
  // Another attempt reads from where the last one ended.
  useEffect(() => {
    if (path === undefined) return;
    const controller = new AbortController();
    let stream: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onClosed = () => {
      onEnd();
      timer = setTimeout(retry, reconnectMs);
    };
    const read = async () => {
      setFailure(undefined);
      await readAll(api, path, { lastNumber, add, signal: controller.signal });
      if (isActive && !controller.signal.aborted)
        stream = follow(`${path}/events?after=${lastNumber.current}`, { add, onEnd, onClosed });
    };
    read().catch((error: RequestError) => controller.signal.aborted || setFailure(error));
    return () => {
      controller.abort();
      clearTimeout(timer);
      stream?.close();
    };
  }, [api, path, isActive, attempts, add, onEnd]);
  return { events, failure, retry };
}

interface Events {
  events: EventReply[];
  /** Number of the last event. */
  lastNumber: { current: number };
  add: (more: EventReply[]) => void;
}

/** Events in their order, each of them once. */
function useEvents(): Events {
  const [events, setEvents] = useState<EventReply[]>([]);
  const lastNumber = useRef(0);
  const add = useCallback((more: EventReply[]) => {
    const added = more.filter(({ number }) => number > lastNumber.current);
    lastNumber.current = added.at(-1)?.number ?? lastNumber.current;
    if (added.length > 0) setEvents((before) => [...before, ...added]);
  }, []);
  return { events, lastNumber, add };
}

async function readAll(
  api: ApiClient,
  path: string,
  { lastNumber, add, signal }: Omit<Events, 'events'> & { signal: AbortSignal },
): Promise<void> {
  for (let hasMore = true; hasMore; ) {
    const query = `?limit=${eventsPerRead}&after=${lastNumber.current}`;
    const reply = await api.get<EventsReply>(`${path}/events${query}`, signal);
    add(reply.events);
    hasMore = reply.hasMore;
  }
}

interface StreamListeners {
  add: (events: EventReply[]) => void;
  onEnd: () => void;
  /** The browser gives up: the job ended before the stream began, or the session is over. A request shows which. */
  onClosed: () => void;
}

function follow(path: string, { add, onEnd, onClosed }: StreamListeners): EventSource {
  const stream = new EventSource(addressOf(path));
  stream.onmessage = ({ data }) => add([JSON.parse(data)]);
  stream.addEventListener('end', () => {
    stream.close();
    onEnd();
  });
  stream.onerror = () => {
    if (stream.readyState === EventSource.CLOSED) onClosed();
  };
  return stream;
}
